//! Rolling at the start: static equilibrium, redundant rows, given velocities, and motions against rows of rolling.

use crate::harness::{advance, build, output, start, try_build};
use crate::rolling::model;
use fixstep_kernel::math::{atan, cos, sin};
use fixstep_kernel::simulation::Figure;
use serde_json::{Value, json as object};
use std::f64::consts::{FRAC_PI_2, PI};

/// A wheel out of balance on a plane that leans by `slope` towards x; its heaviest point is at the front.
fn unbalanced(slope: f64) -> Value {
    let (radius, off) = (0.3, 0.1);
    let mut m = model();
    m["gravity"] = object!([9.81 * sin(slope), 0, -9.81 * cos(slope)]);
    m["parts"] = object!([{"name": "wheel", "mass": 4, "center_of_mass": [off, 0, 0], "position": [0, 0, radius],
                           "inertia": {"xx": 0.1, "yy": 0.15, "zz": 0.1}}]);
    let flat = object!({"euler": [PI, FRAC_PI_2, 0]});
    m["markers"] = object!([
        {"name": "hub", "part": "wheel", "orientation": flat}, {"name": "road", "part": "ground"},
        {"name": "upright", "part": "ground", "orientation": flat}
    ]);
    m["joints"] = object!([
        {"name": "contact", "type": "rolling_wheel", "i": "hub", "j": "road", "radius": radius},
        {"name": "guide", "type": "parallel_axes", "i": "hub", "j": "upright"}
    ]);
    m["start"] = object!({"equilibrium": {}});
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(hub)"}, {"name": "y", "expression": "DY(hub)"},
        {"name": "angle", "expression": "AZ(hub, upright)"},
        {"name": "fx", "expression": "JOINT(contact, 0, 2)"}, {"name": "fz", "expression": "JOINT(contact, 0, 4)"}
    ]);
    m
}

/// The wheel rolls until its centre of mass is above, along gravity, the point of contact: R sin α = e sin β from the
/// hanging position. It has travelled as far as it turned, and friction bears it.
#[test]
fn static_equilibrium_rolls_and_does_not_slip() {
    for slope in [0.0, 0.2] {
        let simulation = build(&unbalanced(slope).to_string());
        let of = |name: &str| output(&simulation, name);
        let turned = of("angle");
        // The centre of mass is at (e cos φ, −e sin φ) from the hub after a turn φ.
        let lever = 0.1 * cos(turned) * cos(slope) - (0.3 + -0.1 * sin(turned)) * -sin(slope);
        assert!(lever.abs() < 1e-8, "{slope}: {lever:e}");
        assert!(
            (of("x") - 0.3 * turned).abs() < 1e-6,
            "{} {turned}",
            of("x")
        );
        assert!(of("y").abs() < 1e-12);
        assert!((of("fx") + 4.0 * 9.81 * sin(slope)).abs() < 1e-7);
        assert!((of("fz") - 4.0 * 9.81 * cos(slope)).abs() < 1e-7);
        // It stays there.
        let mut simulation = simulation;
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.5);
        assert!((output(&simulation, "angle") - turned).abs() < 1e-6);
    }
}

/// The speed of a vehicle is enough: the rates of its wheels follow, and all rows of velocities hold.
#[test]
fn the_rates_of_wheels_follow_from_the_speed() {
    let text =
        std::fs::read_to_string(crate::harness::truth("../../models/bicycle/model.json")).unwrap();
    let simulation = build(&text);
    assert_eq!(simulation.degrees_of_freedom(), 3);
    assert!((output(&simulation, "forward") - 5.0).abs() < 1e-12);
    assert!(simulation.figure(Figure::VelocityViolation) < 1e-12);
    let mass = [2.0, 85.0, 4.0, 3.0];
    let turning = [0.12 / (0.3 * 0.3), 0.28 / (0.35 * 0.35)];
    let energy = 0.5 * 25.0 * (mass.iter().sum::<f64>() + turning.iter().sum::<f64>());
    let found = simulation.figure(Figure::KineticEnergy);
    assert!((found - energy).abs() < 1e-9 * energy, "{found} {energy}");
}

/// A row of velocities never takes the place of a row of positions: a plane that also holds the edge stays.
#[test]
fn an_edge_that_a_plane_holds_already_is_the_redundant_one() {
    let mut m = model();
    m["parts"] = object!([{"name": "p", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "velocity": [0.3, 0, 0]}]);
    m["markers"] = object!([{"name": "c", "part": "p"}, {"name": "g", "part": "ground"}]);
    m["joints"] = object!([
        {"name": "edge", "type": "knife_edge", "i": "c", "j": "g"},
        {"name": "table", "type": "planar", "i": "c", "j": "g"}
    ]);
    m["outputs"] = object!([{"name": "z", "expression": "DZ(c)"}]);
    let mut simulation = build(&m.to_string());
    let notes = simulation.notes().join("\n");
    assert!(
        notes.contains("joint \"edge\", velocity along z of I (already held by joint \"table\")"),
        "{notes}"
    );
    assert_eq!(simulation.degrees_of_freedom(), 3);
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.5);
    assert!(output(&simulation, "z").abs() < 1e-12);
}

/// A motion across an edge contradicts it.
#[test]
fn a_motion_against_rolling_is_refused() {
    let mut m = model();
    m["parts"] = object!([{"name": "p", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}]);
    m["markers"] = object!([{"name": "c", "part": "p"}, {"name": "g", "part": "ground"}]);
    m["joints"] = object!([
        {"name": "edge", "type": "knife_edge", "i": "c", "j": "g"},
        {"name": "guide", "type": "orientation", "i": "c", "j": "g"}
    ]);
    m["motions"] = object!([{"name": "push", "i": "c", "j": "g", "direction": "z", "displacement": "0.1*TIME"}]);
    let problem = try_build(&m.to_string()).err().unwrap();
    assert!(
        problem.contains("motion \"push\"") && problem.contains("joint \"edge\""),
        "{problem}"
    );
}

/// The units of the file do not matter, and the wheels of a car in millimetres keep the matrix as sound.
#[test]
fn rolling_is_the_same_in_other_units() {
    let reach = |units: Value, length: f64| {
        let mut m = unbalanced(0.0);
        m["start"] = Value::Null;
        m["units"] = units;
        m["gravity"] = object!([0, 0, -9.81 * length]);
        m["parts"][0]["center_of_mass"] = object!([0.1 * length, 0, 0]);
        m["parts"][0]["position"] = object!([0, 0, 0.3 * length]);
        for part in ["xx", "yy", "zz"] {
            let own = m["parts"][0]["inertia"][part].as_f64().unwrap();
            m["parts"][0]["inertia"][part] = object!(own * length * length);
        }
        m["joints"][0]["radius"] = object!(0.3 * length);
        m["solver"]["maxerr"] = object!(1e3);
        let mut simulation = build(&m.to_string());
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 1.0);
        [
            output(&simulation, "x") / length,
            output(&simulation, "angle"),
        ]
    };
    let metres = reach(
        object!({"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"}),
        1.0,
    );
    let millimetres = reach(
        object!({"length": "mm", "mass": "kg", "force": "N", "time": "s", "angle": "rad"}),
        1e3,
    );
    assert!(metres[1].abs() > 0.5, "{metres:?}");
    for (a, b) in metres.iter().zip(&millimetres) {
        assert!((a - b).abs() < 1e-9, "{metres:?} {millimetres:?}");
    }
    let turned = atan(metres[0] / 0.3) - atan(metres[1]);
    assert!(turned.abs() < 1e-4, "{turned:e}");
}
