//! Static equilibrium before the run, against hand statics; and starts in balance that stay there.

use crate::harness::{build, output, start, try_build};
use fixstep_kernel::math::{cos, sin};
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json as object};

/// Every scheme, as settings of the solver. Add new schemes here.
fn schemes() -> Vec<Value> {
    vec![
        object!({"integrator": "GSTIFF", "formulation": "I3"}),
        object!({"integrator": "GSTIFF", "formulation": "SI2"}),
        object!({"integrator": "HHT"}),
        object!({"integrator": "NEWMARK"}),
        object!({"integrator": "GENALPHA"}),
        object!({"integrator": "GSTIFF", "linearly_implicit": true}),
        object!({"integrator": "GSTIFF", "formulation": "SI2", "linearly_implicit": true}),
        object!({"integrator": "HHT", "linearly_implicit": true}),
        object!({"integrator": "NEWMARK", "linearly_implicit": true}),
        object!({"integrator": "GENALPHA", "linearly_implicit": true}),
    ]
}

/// Base of an inline model in SI units, falling along −y, that starts in equilibrium.
fn model() -> Value {
    object!({
        "fixstep": 1, "name": "t", "gravity": [0, -9.81, 0], "start": {"equilibrium": {}},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn body(name: &str, position: [f64; 3]) -> Value {
    object!({
        "name": name, "mass": 2, "position": position,
        "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}
    })
}

/// Runs under every scheme; each output stays where it was at the start.
fn stays(model: &Value, names: &[&str], steps: usize) {
    for scheme in schemes() {
        let mut m = model.clone();
        m["solver"] = scheme.clone();
        let mut simulation = build(&m.to_string());
        start(&mut simulation, 1e-3);
        let first: Vec<f64> = names.iter().map(|n| output(&simulation, n)).collect();
        let mut worst = 0.0_f64;
        for step in 0..steps {
            simulation.step().unwrap();
            for (name, first) in names.iter().zip(&first) {
                let off = (output(&simulation, name) - first).abs();
                worst = worst.max(off);
                assert!(off < 1e-9, "{scheme} {name} step {step}: {off:e}");
            }
        }
    }
}

/// A rod on a hinge, its centre of mass 1 m away, at an angle from hanging down.
fn pendulum(angle: f64) -> Value {
    let mut m = model();
    m["parts"] = object!([body("rod", [sin(angle), -cos(angle), 0.0])]);
    m["parts"][0]["orientation"] = object!({"euler": [angle, 0, 0]});
    m["markers"] = object!([{"name": "pin", "part": "rod", "position": [0, 1, 0]}]);
    m["joints"] = object!([{"name": "hinge", "type": "revolute", "i": "pin", "j": "ground"}]);
    m["outputs"] = object!([
        {"name": "angle", "expression": "AZ(pin)"}, {"name": "load", "expression": "JOINT(hinge,0,1,0)"}
    ]);
    m
}

#[test]
fn a_pendulum_hangs_down_from_wherever_it_starts() {
    for angle in [0.0, 0.1, -1.0, 1.5, 2.5, 3.1, -3.1] {
        let simulation = build(&pendulum(angle).to_string());
        let found = output(&simulation, "angle");
        assert!(
            sin(found).abs() < 1e-12 && cos(found) > 0.0,
            "{angle}: {found}"
        );
        assert!((output(&simulation, "load") - 2.0 * 9.81).abs() < 1e-10);
    }
    stays(&pendulum(1.0), &["angle"], 10_000);
}

/// Exactly at the top, where every load balances, the pendulum stays, with a note. Slightly to one side it falls:
/// the analysis prefers a stable equilibrium.
#[test]
fn an_inverted_pendulum_gets_a_note() {
    let up = build(&pendulum(std::f64::consts::PI).to_string());
    let told = |s: &Simulation| s.notes().iter().any(|n| n.contains("unstable"));
    assert!(told(&up), "{:?}", up.notes());
    assert!(cos(output(&up, "angle")) < -0.999_999);
    let beside = build(&pendulum(std::f64::consts::PI - 1e-3).to_string());
    assert!(!told(&beside), "{}", output(&beside, "angle"));
    assert!(output(&beside, "angle").abs() < 1e-12);
}

/// A mass on a spring: it stretches by m g / k, from close by or from far off.
#[test]
fn a_mass_hangs_on_its_spring() {
    for height in [-1.0, -0.4, -30.0] {
        let mut m = model();
        m["parts"] = object!([body("mass", [0.0, height, 0.0])]);
        m["markers"] = object!([
            {"name": "m", "part": "mass"},
            {"name": "up", "part": "ground", "orientation": {"z_point": [0, 1, 0]}},
            {"name": "mz", "part": "mass", "orientation": {"z_point": [0, 1, 0]}}
        ]);
        m["joints"] = object!([{"name": "s", "type": "translational", "i": "mz", "j": "up"}]);
        m["forces"] = object!([{
            "name": "f", "type": "spring_damper", "i": "m", "j": "ground",
            "stiffness": 100, "length": 0.7
        }]);
        m["outputs"] = object!([{"name": "y", "expression": "DY(m)"}]);
        let simulation = build(&m.to_string());
        let wanted = -(0.7 + 2.0 * 9.81 / 100.0);
        assert!(
            (output(&simulation, "y") - wanted).abs() < 1e-13,
            "{height}"
        );
        if height == -1.0 {
            stays(&m, &["y"], 10_000);
        }
    }
}

/// A ball over a one-sided spring that it does not touch: it falls and sinks in by m g / k. If the spring is stiff
/// and grows with a power, only the damped steps find this.
#[test]
fn a_mass_above_a_contact_comes_to_rest_on_it() {
    for (height, exponent) in [(0.5, 1.0), (0.5, 1.5), (40.0, 1.5), (0.1, 2.2)] {
        let mut m = model();
        m["parts"] = object!([body("ball", [0.0, height, 0.0])]);
        m["markers"] = object!([{"name": "m", "part": "ball"}]);
        m["forces"] = object!([{
            "name": "f", "type": "vector_force", "i": "m", "j": "ground",
            "fy": format!("IMPACT(DY(m), VY(m), 0, 1E5, {exponent}, 100, 0.001)")
        }]);
        m["outputs"] = object!([
            {"name": "x", "expression": "DX(m)"}, {"name": "y", "expression": "DY(m)"}
        ]);
        let simulation = build(&m.to_string());
        let wanted = -fixstep_kernel::math::pow(2.0 * 9.81 / 1e5, 1.0 / exponent);
        let found = output(&simulation, "y");
        assert!(
            (found - wanted).abs() < 1e-12,
            "{height} {exponent}: {found} {wanted}"
        );
        assert!(output(&simulation, "x").abs() < 1e-12);
    }
}

/// Without anything below it there is no equilibrium, and the part is named with its weight.
#[test]
fn parts_that_nothing_holds_are_named() {
    let mut m = pendulum(0.3);
    m["parts"]
        .as_array_mut()
        .unwrap()
        .push(body("loose", [1.0, 0.0, 0.0]));
    m["units"] = object!({"force": "kN"});
    m["start"] = object!({"equilibrium": {"settling_steps": 50}});
    let problem = try_build(&m.to_string()).unwrap_err();
    assert!(
        problem.contains("part \"loose\" by 1.962e-2 kN"),
        "{problem}"
    );
    assert!(!problem.contains("\"rod\""), "{problem}");
}

/// A model of controls alone has an equilibrium too: of its states, or none to find.
#[test]
fn a_model_without_parts_is_in_equilibrium() {
    let mut m = model();
    m["outputs"] = object!([{"name": "y", "expression": "TIME"}]);
    stays(&m, &[], 3);
    m["differential_equations"] =
        object!([{"name": "lag", "derivative": "(3 - DIF(lag))/0.1", "initial": 1}]);
    m["outputs"] = object!([{"name": "y", "expression": "DIF(lag)"}]);
    stays(&m, &["y"], 10);
    let mut simulation = build(&m.to_string());
    start(&mut simulation, 1e-3);
    assert!((output(&simulation, "y") - 3.0).abs() < 1e-9);
}

/// Without loads everything is in balance where it is, even parts that are free or only damped.
#[test]
fn equilibrium_without_loads_moves_nothing() {
    let mut m = model();
    m["gravity"] = object!([0, 0, 0]);
    m["parts"] = object!([body("a", [1.0, 2.0, 3.0]), body("b", [0.0, 1.0, 0.0])]);
    m["markers"] = object!([{"name": "a", "part": "a"}, {"name": "b", "part": "b"}]);
    m["forces"] = object!([{
        "name": "f", "type": "spring_damper", "i": "a", "j": "b", "damping": 5
    }]);
    m["outputs"] =
        object!([{"name": "x", "expression": "DX(a)"}, {"name": "y", "expression": "DY(b)"}]);
    let simulation = build(&m.to_string());
    assert_eq!(output(&simulation, "x"), 1.0);
    assert_eq!(output(&simulation, "y"), 1.0);
    stays(&m, &["x", "y"], 100);
}

/// Without a degree of freedom, everything is held and so in balance.
#[test]
fn a_structure_is_balanced_as_it_stands() {
    let mut m = pendulum(0.3);
    m["joints"][0]["type"] = object!("fixed");
    m["markers"][0]["orientation"] = object!({"euler": [-0.3, 0, 0]});
    let simulation = build(&m.to_string());
    assert!((output(&simulation, "load") - 2.0 * 9.81).abs() < 1e-10);
}

/// Two rods and a spring between the tip and ground: angles by hand. Rods of length 1 and mass 2 hang
/// from the origin; a horizontal force F at the tip gives tan φ₁ = F/(1.5 m g), tan φ₂ = F/(0.5 m g).
#[test]
fn two_links_under_a_side_force() {
    let (weight, force) = (2.0 * 9.81, 15.0);
    let mut m = model();
    m["parts"] = object!([
        body("upper", [0.3, -0.4, 0.0]),
        body("lower", [0.6, -1.2, 0.0])
    ]);
    m["markers"] = object!([
        {"name": "a", "part": "upper", "position": [0, 0.5, 0]},
        {"name": "b", "part": "upper", "position": [0, -0.5, 0]},
        {"name": "c", "part": "lower", "position": [0, 0.5, 0]},
        {"name": "tip", "part": "lower", "position": [0, -0.5, 0]}
    ]);
    m["joints"] = object!([
        {"name": "A", "type": "revolute", "i": "a", "j": "ground"},
        {"name": "B", "type": "revolute", "i": "c", "j": "b"}
    ]);
    m["forces"] = object!([{
        "name": "side", "type": "vector_force", "i": "tip", "j": "ground", "fx": "pull"
    }]);
    m["inputs"] = object!([{"name": "pull", "start": force}]);
    m["outputs"] = object!([
        {"name": "one", "expression": "AZ(a)"}, {"name": "two", "expression": "AZ(tip)"}
    ]);
    let simulation = build(&m.to_string());
    let one = fixstep_kernel::math::atan2(force, 1.5 * weight);
    let two = fixstep_kernel::math::atan2(force, 0.5 * weight);
    assert!((output(&simulation, "one") - one).abs() < 1e-13);
    assert!((output(&simulation, "two") - two).abs() < 1e-13);
    stays(&m, &["one", "two"], 10_000);
}

/// Gravity that grows as ρ(t) g moves a free body by g ∬ρ; at the end, s = 1, that is g T² (10/20 −
/// 15/30 + 6/42) = g T²/7.
#[test]
fn a_ramp_lets_gravity_grow() {
    let mut m = model();
    m["parts"] = object!([body("p", [0.0, 0.0, 0.0])]);
    m["markers"] = object!([{"name": "m", "part": "p"}]);
    m["start"] = object!({"ramp": {"duration": 2}});
    m["solver"] = object!({"integrator": "GENALPHA", "rho": 1});
    m["outputs"] = object!([
        {"name": "y", "expression": "DY(m)"}, {"name": "a", "expression": "ACCY(m)"}
    ]);
    let mut simulation = build(&m.to_string());
    start(&mut simulation, 1e-3);
    assert!(output(&simulation, "a").abs() < 1e-15);
    crate::harness::advance(&mut simulation, 2.0);
    assert!((output(&simulation, "y") + 9.81 * 4.0 / 7.0).abs() < 2e-6);
    assert!((output(&simulation, "a") + 9.81).abs() < 1e-9);
}

/// Inputs go from their start to what is set, and a motion that reads one follows with exact rates.
#[test]
fn a_ramp_leads_inputs_from_their_start() {
    let mut m = pendulum(0.0);
    m["start"] = object!({"ramp": {"duration": 1, "gravity": false, "inputs": true}});
    m["inputs"] = object!([{"name": "turn", "start": 0.25}]);
    m["motions"] = object!([{"name": "drive", "joint": "hinge", "displacement": "turn"}]);
    m["outputs"] = object!([
        {"name": "angle", "expression": "AZ(pin)"}, {"name": "rate", "expression": "WZ(pin)"},
        {"name": "seen", "expression": "turn"}
    ]);
    let mut simulation = build(&m.to_string());
    let turn = fixstep_kernel::ids::InputId(0);
    simulation.set_input(turn, 1.25);
    start(&mut simulation, 1e-3);
    assert!((output(&simulation, "angle") - 0.25).abs() < 1e-14);
    assert_eq!(simulation.input(turn), 1.25);
    for (time, part) in [(0.25, 0.103_515_625), (0.5, 0.5), (1.0, 1.0), (1.1, 1.0)] {
        crate::harness::advance(&mut simulation, time);
        assert!(
            (output(&simulation, "seen") - (0.25 + part)).abs() < 1e-12,
            "{time}"
        );
        assert!(
            (output(&simulation, "angle") - (0.25 + part)).abs() < 1e-12,
            "{time}"
        );
    }
    assert_eq!(output(&simulation, "seen"), 1.25);
}

/// The example, found from 100 mm too high, wheel and body: the wheel's tyre carries both, m g / k deep,
/// and the suspension its preload. It is one-sided, and open at the start.
#[test]
fn a_quarter_car_settles_on_its_tyre() {
    let path = crate::harness::truth("../../models/quarter_car/model.json");
    let mut m: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let tyre = 300.0 - 365.0 * 9.80665 / 190.0;
    for rise in [0.0, 100.0] {
        m["parts"][0]["position"] = object!([0, 0, 800.0 + rise]);
        m["parts"][1]["position"] = object!([0, 0, tyre + rise]);
        m["start"] = object!({"equilibrium": {}});
        let simulation = build(&m.to_string());
        assert!((output(&simulation, "wheel_height") - tyre).abs() < 1e-10);
        assert!((output(&simulation, "body_height") - 800.0).abs() < 1e-10);
    }
    stays(&m, &["wheel_height", "body_height"], 10_000);
    m.as_object_mut().unwrap().remove("start");
    m["parts"][0]["position"] = object!([0, 0, 800]);
    m["parts"][1]["position"] = object!([0, 0, tyre]);
    stays(&m, &["wheel_height", "body_height"], 10_000);
}

/// A four-bar of equal cranks under gravity: its bar hangs below the frame. As a parallelogram it has the
/// one freedom of a pendulum, all cranks straight down.
#[test]
fn a_four_bar_hangs_from_its_frame() {
    let (s, c) = (sin(0.7), cos(0.7));
    let mut m = model();
    let rod = |name: &str, x: f64, y: f64| body(name, [x, y, 0.0]);
    m["parts"] = object!([
        rod("left", 0.5 * s, -0.5 * c),
        rod("bar", s + 1.0, -c),
        rod("right", 2.0 + 0.5 * s, -0.5 * c)
    ]);
    let end = |name: &str, part: &str, x: f64, y: f64| object!({"name": name, "part": part, "position": [x, y, 0]});
    m["markers"] = object!([
        end("a", "left", -0.5 * s, 0.5 * c),
        end("b", "left", 0.5 * s, -0.5 * c),
        end("b2", "bar", -1.0, 0.0),
        end("c", "bar", 1.0, 0.0),
        end("c2", "right", 0.5 * s, -0.5 * c),
        end("d", "right", -0.5 * s, 0.5 * c),
        end("d2", "ground", 2.0, 0.0)
    ]);
    let pin =
        |name: &str, i: &str, j: &str| object!({"name": name, "type": "revolute", "i": i, "j": j});
    m["joints"] = object!([
        pin("A", "a", "ground"),
        pin("B", "b", "b2"),
        pin("C", "c", "c2"),
        pin("D", "d", "d2")
    ]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(b)"}, {"name": "y", "expression": "DY(b)"},
        {"name": "far", "expression": "DX(c)"}
    ]);
    let simulation = build(&m.to_string());
    assert!(output(&simulation, "x").abs() < 1e-12);
    assert!((output(&simulation, "y") + 1.0).abs() < 1e-13);
    assert!((output(&simulation, "far") - 2.0).abs() < 1e-12);
    stays(&m, &["x", "y", "far"], 10_000);
}

/// A body on a bushing sinks by m g / k; held off its centre, at a distance 0.1 m, it tilts as well: with
/// the bushing at the body's origin, k_θ θ = m g 0.1 cos θ.
#[test]
fn a_body_rests_in_its_bushing() {
    let mut m = model();
    m["parts"] = object!([body("block", [0.05, 0.02, 0.01])]);
    m["parts"][0]["center_of_mass"] = object!([0.1, 0, 0]);
    m["markers"] = object!([{"name": "i", "part": "block"}]);
    m["forces"] = object!([{
        "name": "mount", "type": "bushing", "i": "i", "j": "ground",
        "stiffness": [2e5, 1e5, 3e5], "damping": [100, 100, 100],
        "torsional_stiffness": [50, 60, 40], "torsional_damping": [1, 1, 1]
    }]);
    m["outputs"] = object!([
        {"name": "x", "expression": "DX(i)"}, {"name": "y", "expression": "DY(i)"},
        {"name": "z", "expression": "DZ(i)"}, {"name": "turn", "expression": "AZ(i)"}
    ]);
    let simulation = build(&m.to_string());
    assert!((output(&simulation, "y") + 2.0 * 9.81 / 1e5).abs() < 1e-14);
    assert!(output(&simulation, "x").abs() < 1e-14 && output(&simulation, "z").abs() < 1e-14);
    let turn = output(&simulation, "turn");
    assert!(
        (40.0 * turn + 2.0 * 9.81 * 0.1 * cos(turn)).abs() < 1e-12,
        "{turn}"
    );
    stays(&m, &["x", "y", "z", "turn"], 10_000);
}

/// A wheel that nothing turns stays at its angle while its axle sinks; a motion holds its place of the
/// start time; a velocity that the model gives is there after the search.
#[test]
fn neutral_driven_and_given_coordinates_stay() {
    let mut m = model();
    m["parts"] = object!([
        body("axle", [0.0, 0.3, 0.0]),
        body("wheel", [0.0, 0.3, 0.0])
    ]);
    m["parts"][1]["orientation"] = object!({"euler": [0.9, 0, 0]});
    m["parts"][1]["angular_velocity"] = object!([0, 0, 7]);
    m["markers"] = object!([
        {"name": "g", "part": "ground", "orientation": {"z_point": [0, 1, 0]}},
        {"name": "s", "part": "axle", "orientation": {"z_point": [0, 1, 0]}},
        {"name": "a", "part": "axle"}, {"name": "w", "part": "wheel"}
    ]);
    m["joints"] = object!([
        {"name": "slide", "type": "translational", "i": "s", "j": "g"},
        {"name": "turn", "type": "revolute", "i": "w", "j": "a"}
    ]);
    m["forces"] = object!([{
        "name": "f", "type": "action_only_force", "i": "s", "j": "g",
        "expression": "-1000*DY(a) - 10*VY(a)"
    }]);
    m["outputs"] = object!([
        {"name": "y", "expression": "DY(a)"}, {"name": "angle", "expression": "AZ(w)"},
        {"name": "rate", "expression": "WZ(w)"}, {"name": "sink", "expression": "VY(a)"}
    ]);
    let simulation = build(&m.to_string());
    assert!((output(&simulation, "y") + 4.0 * 9.81 / 1000.0).abs() < 1e-14);
    assert!((output(&simulation, "angle") - 0.9).abs() < 1e-12);
    assert!((output(&simulation, "rate") - 7.0).abs() < 1e-13);
    assert!(output(&simulation, "sink").abs() < 1e-14);
    m["motions"] = object!([{"name": "drive", "joint": "turn", "displacement": "0.4 + 3*TIME"}]);
    m["parts"][1]
        .as_object_mut()
        .unwrap()
        .remove("angular_velocity");
    let simulation = build(&m.to_string());
    assert!((output(&simulation, "y") + 4.0 * 9.81 / 1000.0).abs() < 1e-14);
    assert!((output(&simulation, "angle") - 0.4).abs() < 1e-14);
    assert!((output(&simulation, "rate") - 3.0).abs() < 1e-13);
}

/// With other parameters and another road the example begins at rest as well.
#[test]
fn a_quarter_car_rests_with_any_load_on_any_road() {
    let path = crate::harness::truth("../../models/quarter_car/model.json");
    let mut simulation = build(&std::fs::read_to_string(path).unwrap());
    let parameter = |name: &str| {
        let all = &simulation.mechanism().parameters;
        let k = all.iter().position(|p| p.quantity.name == name);
        fixstep_kernel::ids::ParameterId::from(k.unwrap())
    };
    let (mass, tyre) = (parameter("sprung_mass"), parameter("tyre_stiffness"));
    simulation.set_parameter(mass, 400.0).unwrap();
    simulation.set_parameter(tyre, 100.0).unwrap();
    simulation.set_input(fixstep_kernel::ids::InputId(0), 30.0);
    start(&mut simulation, 1e-3);
    let wheel = 330.0 - 445.0 * 9.80665 / 100.0;
    for _ in 0..2 {
        assert!((output(&simulation, "wheel_height") - wheel).abs() < 1e-9);
        let travel = output(&simulation, "suspension_travel");
        assert!(
            travel.abs() < 1e-9,
            "the preload follows the mass: {travel}"
        );
        crate::harness::advance(&mut simulation, 1.0);
    }
}
