//! Compares the modal stress of a bar of bricks with that of a rod and of a beam.

#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_kernel::flex::FlexData;
use fixstep_kernel::math::Vec3;
use flexible_bodies::reduce::{Interface, Options, ReduceError, Reference, reduce};
use flexible_bodies::strain::{Material, Probe};

use super::brick::{YOUNG, block, end};

const LENGTH: f64 = 1.0;
const SIDE: f64 = 0.1;

fn options(model: &flexible_bodies::fe::FeModel, at: &[(&str, Vec3)]) -> Options {
    let spider = |name: &str, x: f64| Interface {
        name: name.to_owned(),
        at: Reference::Spider {
            point: Vec3::x() * x,
            nodes: end(model, x),
        },
    };
    let probe = |(name, place): &(&str, Vec3)| {
        let near = |node: &flexible_bodies::fe::FeNode| (node.position - place).norm() < 1e-9;
        Probe {
            name: (*name).to_owned(),
            node: model.nodes.iter().position(near).unwrap(),
        }
    };
    let probes: Vec<Probe> = at.iter().map(probe).collect();
    Options {
        interfaces: vec![spider("left", 0.0), spider("right", LENGTH)],
        stresses: probes.clone(),
        strains: probes,
        ..Options::default()
    }
}

/// The stress or strain at a point under loads on the right end, their opposites on the left.
fn under(body: &FlexData, [force, torque]: [Vec3; 2], name: &str, strain: bool) -> [f64; 6] {
    let m = body.modes.len();
    let [left, right] = ["left", "right"].map(|name| &body.nodes[body.node(name).unwrap()]);
    let load = |j: usize| {
        let (u, w) = (
            right.translation[j] - left.translation[j],
            right.rotation[j] - left.rotation[j],
        );
        u.dot(&force) + w.dot(&torque)
    };
    // modes of the free body: their stiffness is diagonal
    let q: Vec<f64> = (0..m)
        .map(|j| load(j) / body.stiffness[j * m + j])
        .collect();
    let points = if strain {
        &body.strains
    } else {
        &body.stresses
    };
    let point = points.iter().find(|point| point.name == name).unwrap();
    std::array::from_fn(|c| point.values.iter().zip(&q).map(|(v, q)| v[c] * q).sum())
}

#[test]
fn tension_and_bending_of_a_bar() {
    let model = block([LENGTH, SIDE, SIDE], [40, 6, 6]);
    let half = SIDE / 2.0;
    let places = [
        ("top", Vec3::new(LENGTH / 2.0, 0.0, half)),
        ("side", Vec3::new(LENGTH / 2.0, -half, 0.0)),
    ];
    let (body, _) = reduce(&model, &options(&model, &places), &mut |_, _| {}).unwrap();
    let area = SIDE * SIDE;
    let tension = [Vec3::x() * 1e4, Vec3::zeros()];
    for name in ["top", "side"] {
        let [xx, rest @ ..] = under(&body, tension, name, false);
        assert!((xx * area / 1e4 - 1.0).abs() < 1e-4, "{name} {xx}");
        assert!(rest.iter().all(|x| x.abs() < 1e-3 * xx), "{name} {rest:?}");
        let [xx, yy, zz, ..] = under(&body, tension, name, true);
        assert!((xx * YOUNG * area / 1e4 - 1.0).abs() < 1e-4, "{name} {xx}");
        assert!((yy / xx + 0.3).abs() < 1e-3 && (zz / xx + 0.3).abs() < 1e-3);
    }
    // M c/I; these bricks are a little too stiff in bending
    let bending = [Vec3::zeros(), Vec3::y() * 100.0];
    let wanted = 100.0 * half / (area * area / 12.0);
    let [xx, ..] = under(&body, bending, "top", false);
    assert!((xx / wanted - 1.0).abs() < 0.02, "{xx} {wanted}");
    let [xx, ..] = under(&body, bending, "side", false);
    assert!(xx.abs() < 1e-3 * wanted, "{xx}");
}

#[test]
fn a_material_of_ones_own_takes_the_place_of_the_models() {
    let mut model = block([LENGTH, SIDE, SIDE], [4, 1, 1]);
    let half = SIDE / 2.0;
    let places = [("a", Vec3::new(LENGTH / 2.0, half, half))];
    let mut given = options(&model, &places);
    given.material = Some(Material {
        young: 2.0 * YOUNG,
        poisson: 0.3,
    });
    let (twice, _) = reduce(&model, &given, &mut |_, _| {}).unwrap();
    given.material = None;
    let (once, _) = reduce(&model, &given, &mut |_, _| {}).unwrap();
    let tension = [Vec3::x(), Vec3::zeros()];
    let [a, b] = [&once, &twice].map(|body| under(body, tension, "a", false)[0]);
    assert!((b / a - 2.0).abs() < 1e-12);

    // what cannot be is known before the work begins
    given.stresses.push(given.stresses[0].clone());
    let mut began = false;
    let error = reduce(&model, &given, &mut |_, _| began = true).unwrap_err();
    assert_eq!(
        error,
        ReduceError::Option("stress \"a\": the name occurs twice".to_owned())
    );
    given.stresses.truncate(1);
    model.solids.clear();
    let error = reduce(&model, &given, &mut |_, _| began = true).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("strain: node 12: it is not on a solid"),
        "{error}"
    );
    assert!(!began);
}
