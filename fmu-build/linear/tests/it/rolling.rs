//! Linear forms of mechanisms that roll: the bicycle against its published benchmark, and counts of states.

use super::{simulation, started};
use linear_analysis::eigen::{Balancing, eigen};
use linear_analysis::form::StateKind;
use linear_analysis::{LinearForm, Options};
use serde_json::{Value, json};

fn bicycle(speed: f64) -> Value {
    let text = include_str!("../../../../models/bicycle/model.json");
    let mut model: Value = serde_json::from_str(text).unwrap();
    let parts = model["parts"].as_array_mut().unwrap();
    let frame = parts.iter_mut().find(|part| part["name"] == "rear_frame");
    frame.unwrap()["velocity"] = json!([speed, 0, 0]);
    model
}

/// The roots that are not zero, each of a pair, by real and imaginary part.
fn roots(form: &LinearForm) -> Vec<(f64, f64)> {
    let all = eigen(&form.own_matrix(), form.positions, Balancing::Auto).unwrap();
    let mut found = Vec::new();
    for root in all.roots.iter().filter(|root| !root.zero) {
        found.push((root.value.re, root.value.im));
        if root.is_pair() {
            found.push((root.value.re, -root.value.im));
        }
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found
}

/// Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955–1982, table 2: the model of four bodies with
/// rolling wheels has their roots at every speed.
#[test]
fn a_bicycle_of_rolling_wheels_has_the_published_roots() {
    let text = include_str!("../../../../tests/truth/F12_bicycle_whipple/reference.json");
    let truth: Value = serde_json::from_str(text).unwrap();
    for speed in 0..=10_u8 {
        let form = started(&bicycle(f64::from(speed)), &Options::default());
        // 24 coordinates; 17 rows of positions leave 7; four of velocities only leave 3.
        assert_eq!((form.positions, form.own_states()), (3, 10));
        let found = roots(&form);
        let number = |value: &Value, part: &str| value[part].as_f64().unwrap();
        let wanted = truth["eigenvalues"][format!("v={speed}")]
            .as_array()
            .unwrap();
        let mut wanted: Vec<(f64, f64)> = wanted
            .iter()
            .map(|value| (number(value, "re"), number(value, "im")))
            .collect();
        wanted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        assert_eq!(found.len(), 4, "v = {speed}: {found:?}");
        for (found, wanted) in found.iter().zip(&wanted) {
            let error = (found.0 - wanted.0).hypot(found.1 - wanted.1);
            assert!(error < 1e-8, "v = {speed}: {found:?} {wanted:?}");
        }
    }
}

/// A motion that turns the rear wheel keeps the speed, and the roots.
#[test]
fn a_driven_bicycle_has_the_same_roots() {
    for speed in [0.5, 5.0, 9.0] {
        let free = roots(&started(&bicycle(speed), &Options::default()));
        let mut model = bicycle(0.0);
        for part in model["parts"].as_array_mut().unwrap() {
            part.as_object_mut().unwrap().remove("velocity");
        }
        model["motions"] =
            json!([{"name": "drive", "joint": "rear_bearing", "velocity": format!("{speed}/0.3")}]);
        let driven = started(&model, &Options::default());
        assert_eq!(driven.positions, 2);
        for (free, driven) in free.iter().zip(&roots(&driven)) {
            let error = (free.0 - driven.0).hypot(free.1 - driven.1);
            assert!(error < 1e-8, "v = {speed}: {free:?} {driven:?}");
        }
    }
}

/// The largest real part of the roots of two kinds: pairs, and real roots.
fn growth(speed: f64) -> [f64; 2] {
    let found = roots(&started(&bicycle(speed), &Options::default()));
    let most = |pair: bool| {
        let own = found.iter().filter(|root| (root.1 != 0.0) == pair);
        own.fold(f64::NEG_INFINITY, |most, root| most.max(root.0))
    };
    [most(true), most(false)]
}

#[test]
fn weave_and_capsize_begin_at_the_published_speeds() {
    let crossing = |kind: usize, mut below: f64, mut above: f64| {
        let sign = growth(below)[kind].signum();
        for _ in 0..36 {
            let middle = 0.5 * (below + above);
            if growth(middle)[kind].signum() == sign {
                below = middle;
            } else {
                above = middle;
            }
        }
        0.5 * (below + above)
    };
    let weave = crossing(0, 4.0, 4.6);
    let capsize = crossing(1, 5.7, 6.3);
    assert!((weave - 4.292_382_536_341_11).abs() < 1e-8, "{weave}");
    assert!((capsize - 6.024_262_015_388_37).abs() < 1e-8, "{capsize}");
}

/// A wheel of mass m and radius R that rolls against a spring k at its axle: ω² = k / (m + J/R²). The place of the wheel
/// beyond its rolling does not move.
#[test]
fn a_rolling_wheel_on_a_spring_has_its_added_inertia() {
    let (m, j, radius, k): (f64, f64, f64, f64) = (3.0, 0.05, 0.2, 700.0);
    let model = json!({
        "fixstep": 1, "name": "wheel", "gravity": [0, 0, -9.81],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "deg"},
        "parts": [{"name": "wheel", "mass": m, "position": [0, 0, radius],
                   "inertia": {"xx": 0.03, "yy": j, "zz": 0.03}}],
        "markers": [
            {"name": "hub", "part": "wheel", "orientation": {"euler": [180, 90, 0]}},
            {"name": "road", "part": "ground"},
            {"name": "wall", "part": "ground", "position": [-1, 0, radius]},
            {"name": "upright", "part": "ground", "orientation": {"euler": [180, 90, 0]}}
        ],
        "joints": [
            {"name": "contact", "type": "rolling_wheel", "i": "hub", "j": "road", "radius": radius},
            {"name": "guide", "type": "parallel_axes", "i": "hub", "j": "upright"}
        ],
        "forces": [{"name": "spring", "type": "spring_damper", "i": "hub", "j": "wall", "stiffness": k,
                    "damping": 0, "length": 1}],
        "outputs": [{"name": "x", "expression": "DX(hub)", "unit": "m"}]
    });
    let form = started(&model, &Options::default());
    let simulation = simulation(&model);
    // Lean and heading are held, so the side slip is held by velocities only: y beyond rolling remains, and x.
    assert_eq!(simulation.degrees_of_freedom(), 1);
    let kinds = |kind| form.states.iter().filter(|s| s.kind == kind).count();
    assert_eq!(
        (kinds(StateKind::Position), kinds(StateKind::Velocity)),
        (3, 1)
    );
    let found = roots(&form);
    let omega = (k / (m + j / (radius * radius))).sqrt();
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        (found[1].1 - omega).abs() < 1e-10 * omega,
        "{found:?} {omega}"
    );
    let [mass, _, stiffness] = form.second_order.matrices();
    let ratio = stiffness[(0, 0)] / mass[(0, 0)];
    assert!((ratio - omega * omega).abs() < 1e-9 * ratio, "{ratio}");
}
