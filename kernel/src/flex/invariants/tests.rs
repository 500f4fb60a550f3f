#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use serde_json::Value;

fn reference() -> Value {
    let text = include_str!("../../../../tests/truth/E06_inertia_invariants_exact/reference.json");
    serde_json::from_str(text).unwrap()
}

/// A number of a list, written as a number or as a fraction.
fn number(value: &Value) -> f64 {
    let Some(text) = value.as_str() else {
        return value.as_f64().unwrap_or(0.0);
    };
    let mut parts = text.split('/').map(|part| part.parse::<f64>().unwrap());
    parts.next().unwrap() / parts.next().unwrap_or(1.0)
}

fn vector(value: &Value) -> Vec3 {
    Vec3::from_fn(|k, _| number(&value[k]))
}

/// Columns of a 3×m matrix.
fn columns(value: &Value) -> Vec<Vec3> {
    let modes = value[0].as_array().unwrap().len();
    (0..modes)
        .map(|j| Vec3::from_fn(|k, _| number(&value[k][j])))
        .collect()
}

fn matrix(value: &Value) -> Mat3 {
    Mat3::from_fn(|r, c| number(&value[r][c]))
}

fn diagonal(value: &Value) -> Mat3 {
    if value.is_null() {
        Mat3::zeros()
    } else {
        Mat3::from_diagonal(&vector(value))
    }
}

/// The five nodes with masses and inertias of the case.
fn case() -> Invariants {
    let reference = reference();
    let body = &reference["rational"];
    let modes: Vec<_> = (0..5)
        .map(|p| {
            let t = columns(&body["modes_T[node][xyz][mode]"][p]);
            (t, columns(&body["modes_R[node][xyz][mode]"][p]))
        })
        .collect();
    let nodes = modes.iter().enumerate().map(|(p, (t, r))| Nodal {
        mass: number(&body["masses"][p]),
        inertia: diagonal(&body["nodal_inertia_diag"][p]),
        position: vector(&body["positions"][p]),
        translation: t,
        rotation: r,
    });
    Invariants::lumped(3, nodes)
}

fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-13 * expected.abs().max(1.0),
        "{found} {expected}"
    );
}

#[test]
fn five_nodes_have_the_published_fractions() {
    let (found, reference) = (case(), reference());
    let exact = &reference["rational"]["exact"];
    close(found.mass, number(&exact["I1"]));
    close((found.first - vector(&exact["I2"])).norm(), 0.0);
    close((found.i7 - matrix(&exact["I7"])).norm(), 0.0);
    for j in 0..3 {
        close((found.i3[j] - columns(&exact["I3"])[j]).norm(), 0.0);
        close((found.i4[j] - columns(&exact["I4"])[j]).norm(), 0.0);
        close((found.i8[j] - matrix(&exact["I8"][j])).norm(), 0.0);
        for k in 0..3 {
            close(
                (found.i5[3 * j + k] - columns(&exact["I5"][j])[k]).norm(),
                0.0,
            );
            close(found.i6[3 * j + k], number(&exact["I6"][j][k]));
            close(
                (found.i9[3 * j + k] - matrix(&exact["I9"][j][k])).norm(),
                0.0,
            );
        }
    }
}

/// The same nodes from another origin have the invariants that `about` predicts.
#[test]
fn invariants_move_with_their_origin() {
    let modes = |k: f64| vec![Vec3::new(k, 1.0 - k, 0.5), Vec3::new(0.0, k * k, -k)];
    let parts: Vec<_> = (0..4)
        .map(|p| (modes(f64::from(p)), modes(0.3 * f64::from(p))))
        .collect();
    let body = |origin: Vec3| {
        let nodes = parts.iter().enumerate().map(|(p, (t, r))| Nodal {
            mass: 1.0 + p as f64,
            inertia: Mat3::identity() * 0.1,
            position: Vec3::new(p as f64, 0.5, -0.25 * p as f64) - origin,
            translation: t,
            rotation: r,
        });
        Invariants::lumped(2, nodes)
    };
    let c = Vec3::new(0.5, -1.0, 2.0);
    let (moved, direct) = (body(Vec3::zeros()).about(&c), body(c));
    close((moved.first - direct.first).norm(), 0.0);
    close((moved.i7 - direct.i7).norm(), 0.0);
    for j in 0..2 {
        close((moved.i4[j] - direct.i4[j]).norm(), 0.0);
        close((moved.i8[j] - direct.i8[j]).norm(), 0.0);
    }
    let center = direct.center();
    close(direct.about(&center).first.norm(), 0.0);
}

#[test]
fn switches_and_selections_leave_the_rest() {
    let full = case();
    let partial = full.clone().switched(Switches::PARTIAL);
    assert_eq!(
        (partial.i5[1], partial.i9[0]),
        (Vec3::zeros(), Mat3::zeros())
    );
    assert_eq!((&partial.i3, &partial.i8), (&full.i3, &full.i8));
    let constant = full.clone().switched(Switches::CONSTANT);
    assert_eq!((constant.i7, &constant.i6), (full.i7, &full.i6));
    assert_eq!(
        (constant.i3[0], constant.i8[2]),
        (Vec3::zeros(), Mat3::zeros())
    );
    let rigid = full.clone().switched(Switches::RIGID);
    assert_eq!((rigid.mass, rigid.i6[0]), (full.mass, 0.0));
    let some = full.selected(&[2, 0]);
    assert_eq!((some.i3[0], some.i6[1]), (full.i3[2], full.i6[6]));
    assert_eq!((some.i5[1], some.i9[2]), (full.i5[6], full.i9[2]));
}
