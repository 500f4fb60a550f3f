//! Tyres on roads against closed forms: load, free rolling, braking, relaxation, standstill, energy.

use crate::harness::{advance, build, output, start};
use crate::states::schemes;
use serde_json::{Value, json};

/// Mass of the carriage and of the wheel \[kg\], and gravity [m/s²].
const CAR: f64 = 380.0;
const WHEEL: f64 = 20.0;
const G: f64 = 9.81;

fn linear() -> Value {
    json!({"type": "linear", "radius": 0.3, "vertical_stiffness": 2e5, "vertical_damping": 8000,
           "slip_stiffness": 6e4, "cornering_stiffness": 5e4, "mu": 0.8,
           "longitudinal_relaxation": 0.2, "lateral_relaxation": 0.5})
}

/// A wheel under a carriage that neither pitches nor leaves its lane; x ahead, y to the left, z up.
fn carriage(law: &Value, speed: f64) -> Value {
    let inertia = json!({"xx": 0.5, "yy": 0.5, "zz": 1.0});
    let left = json!({"z_point": [0, 1, 0], "x_point": [1, 0, 0]});
    let height = 0.3 - (CAR + WHEEL) * G / 200_000.0;
    json!({
        "fixstep": 1, "name": "carriage", "gravity": [0, 0, -G],
        "inputs": [{"name": "torque"}],
        "parts": [
            {"name": "car", "mass": CAR, "inertia": {"xx": 50, "yy": 50, "zz": 50},
             "position": [0, 0, height], "velocity": [speed, 0, 0]},
            {"name": "wheel", "mass": WHEEL, "inertia": inertia, "position": [0, 0, height],
             "orientation": {"euler": [0, -std::f64::consts::FRAC_PI_2, 0]}}
        ],
        "markers": [
            {"name": "frame", "part": "car"},
            {"name": "bearing", "part": "car", "orientation": left},
            {"name": "hub", "part": "wheel"}
        ],
        "joints": [
            {"name": "upright", "type": "orientation", "i": "frame", "j": "ground"},
            {"name": "axle", "type": "revolute", "i": "hub", "j": "bearing"}
        ],
        "forces": [
            {"name": "tyre", "type": "tyre", "i": "hub", "law": law},
            {"name": "brake", "type": "torque", "i": "hub", "j": "bearing", "expression": "torque"}
        ],
        "outputs": [
            {"name": "x", "expression": "DX(frame)"},
            {"name": "y", "expression": "DY(frame)"},
            {"name": "vx", "expression": "VX(frame)"},
            {"name": "spin", "expression": "WZ(hub, bearing, bearing)"},
            {"name": "fx", "expression": "TYRE(tyre, FX)"},
            {"name": "fy", "expression": "TYRE(tyre, FY)"},
            {"name": "fz", "expression": "TYRE(tyre, FZ)"},
            {"name": "mz", "expression": "TYRE(tyre, MZ)"},
            {"name": "kappa", "expression": "TYRE(tyre, KAPPA)"},
            {"name": "alpha", "expression": "TYRE(tyre, ALPHA)"},
            {"name": "rolling", "expression": "TYRE(tyre, ROLLING_RADIUS)"},
            {"name": "deflection", "expression": "TYRE(tyre, DEFLECTION)"},
            {"name": "slip", "expression": "TYRE(tyre, VSX)"},
            {"name": "force", "expression": "FX(hub, ground)"},
            {"name": "moment", "expression": "TZ(hub, ground, bearing)"}
        ]
    })
}

fn with_solver(mut model: Value, solver: &Value) -> Value {
    model["solver"] = solver.clone();
    model
}

#[test]
fn a_wheel_stands_on_its_deflection() {
    let deflection = (CAR + WHEEL) * G / 200_000.0;
    for (name, solver, _) in schemes() {
        let mut model = with_solver(carriage(&linear(), 0.0), &solver);
        model["parts"][0]["position"][2] = json!(0.3);
        model["parts"][1]["position"][2] = json!(0.3);
        model["start"] = json!({"equilibrium": {}});
        let mut wheel = build(&model.to_string());
        start(&mut wheel, 1e-3);
        for until in [0.0, 0.2] {
            advance(&mut wheel, until);
            assert!(
                (output(&wheel, "deflection") - deflection).abs() < 1e-9,
                "{name}"
            );
            assert!(
                (output(&wheel, "fz") - (CAR + WHEEL) * G).abs() < 1e-4,
                "{name}"
            );
        }
    }
}

#[test]
fn a_free_wheel_rolls_on_its_rolling_radius() {
    for (name, solver, _) in schemes() {
        let mut wheel = build(&with_solver(carriage(&linear(), 15.0), &solver).to_string());
        start(&mut wheel, 1e-3);
        // The wheel is spun up by the road; nothing holds the carriage back then.
        advance(&mut wheel, 3.0);
        let radius = 0.3 - (CAR + WHEEL) * G / 200_000.0 / 3.0;
        assert!((output(&wheel, "rolling") - radius).abs() < 1e-6, "{name}");
        let slip = output(&wheel, "vx") - output(&wheel, "spin") * radius;
        assert!(slip.abs() < 1e-6, "{name}: {slip}");
        assert!(output(&wheel, "fx").abs() < 1e-2, "{name}");
        // The force on the hub is that in the contact, its moment about the axle F_x R_l.
        let missing = output(&wheel, "force") - output(&wheel, "fx");
        assert!(missing.abs() < 1e-12, "{name}: {missing}");
    }
}

/// v²/(2 μ g), and the way in which the sliding force builds up and the spring of the tyre gives back.
#[test]
fn a_locked_wheel_stops_within_the_distance_of_its_friction() {
    let speed = 20.0;
    for (name, solver, _) in schemes() {
        let mut model = with_solver(carriage(&linear(), speed), &solver);
        model["joints"][1]["type"] = json!("fixed");
        let mut wheel = build(&model.to_string());
        start(&mut wheel, 1e-3);
        advance(&mut wheel, 3.5);
        let distance = output(&wheel, "x");
        let expected = speed * speed / (2.0 * 0.8 * G);
        assert!(
            (distance - expected).abs() < 0.05,
            "{name}: {distance} {expected}"
        );
        assert!(output(&wheel, "vx").abs() < 1e-3, "{name}");
        let stopped = output(&wheel, "x");
        advance(&mut wheel, 4.5);
        assert!(
            (output(&wheel, "x") - stopped).abs() < 5e-4,
            "{name}: it creeps"
        );
    }
}

/// v(s) = σ tan α (1 − e^(−s/σ)) after a step of the slip angle, in the distance s travelled.
#[test]
fn a_lateral_force_builds_up_with_the_distance() {
    let (tangent, sigma) = (0.02, 0.5);
    for speed in [2.0, 30.0] {
        for (name, solver, order) in schemes() {
            let mut law = linear();
            law["mu"] = json!(1e6);
            let mut model = with_solver(carriage(&law, speed), &solver);
            model["parts"][0]["velocity"] = json!([speed, speed * tangent, 0]);
            model["forces"][0]["low_speed"] = json!({"time": 0});
            // As heavy as it takes to keep its course.
            model["parts"][0]["mass"] = json!(1e9);
            model["gravity"] = json!([0, 0, 0]);
            let mut wheel = build(&model.to_string());
            let h = 0.004 * sigma / speed;
            start(&mut wheel, h);
            for s in [0.1, 0.5, 1.0, 2.0] {
                advance(&mut wheel, s / speed);
                let travelled = output(&wheel, "x");
                let deflection = tangent * (1.0 - libm::exp(-travelled / sigma));
                let expected = -50_000.0 * libm::atan(deflection);
                let found = output(&wheel, "fy");
                let tolerance = if order > 1.0 { 2e-2 } else { 4.0 };
                assert!(
                    (found - expected).abs() < tolerance,
                    "{name}, {speed} m/s, {s} m: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn a_braked_wheel_does_not_creep_down_a_slope() {
    let grade = 0.2;
    for (name, solver, _) in schemes() {
        let mut model = with_solver(carriage(&linear(), 0.0), &solver);
        model["joints"][1]["type"] = json!("fixed");
        model["roads"] = json!([{"name": "hill", "shape": {"type": "slope", "grade": grade}}]);
        model["forces"][0]["road"] = json!("hill");
        let mut wheel = build(&model.to_string());
        start(&mut wheel, 1e-3);
        advance(&mut wheel, 3.0);
        let settled = output(&wheel, "x");
        let cosine = 1.0 / f64::sqrt(1.0 + grade * grade);
        let hold = (CAR + WHEEL) * G * grade * cosine;
        assert!((output(&wheel, "fx") - hold).abs() < 1e-3, "{name}");
        advance(&mut wheel, 6.0);
        let crept = output(&wheel, "x") - settled;
        assert!(crept.abs() < 3e-10, "{name}: {crept}");
    }
}

/// What slips is never pushed along: F_x V_sx ≤ 0 but for what the body of the tyre stores.
#[test]
fn friction_takes_work() {
    let mut law = linear();
    law["longitudinal_relaxation"] = json!(0.01);
    let mut wheel = build(&carriage(&law, 25.0).to_string());
    start(&mut wheel, 1e-3);
    let torque = fixstep_kernel::ids::InputId(0);
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    let mut work = 0.0;
    for k in 0..6000 {
        let t = f64::from(k) * 1e-3;
        wheel.set_input(torque, 1200.0 * libm::sin(3.0 * t));
        wheel.step().unwrap();
        let power = output(&wheel, "fx") * output(&wheel, "slip");
        work += power * 1e-3;
        (least, most) = (least.min(power), most.max(power));
    }
    assert!(least < -1000.0 && work < -1000.0, "{least} {work}");
    assert!(most < 1e-3 * -least, "{most} {least}");
}

/// Loads, states and road of a tyre that drops, lands and is thrown over a plank stay finite, and the
/// contact costs no step its convergence.
#[test]
fn a_wheel_lands_and_runs_over_a_plank() {
    for (name, solver, _) in schemes() {
        let mut model = with_solver(carriage(&linear(), 8.0), &solver);
        for part in 0..2 {
            model["parts"][part]["position"][2] = json!(0.4);
        }
        model["roads"] = json!([{"name": "plank", "position": [4, 0, 0],
            "shape": {"type": "plank", "height": 0.06, "width": 0.4, "edge": 0.1}}]);
        model["forces"][0]["road"] = json!("plank");
        let mut wheel = build(&model.to_string());
        start(&mut wheel, 5e-4);
        assert_eq!(output(&wheel, "fz"), 0.0, "{name}");
        let (mut most, mut aloft) = (0.0_f64, 0);
        for _ in 0..3000 {
            wheel.step().unwrap();
            most = most.max(output(&wheel, "fz"));
            aloft += u32::from(output(&wheel, "fz") == 0.0);
        }
        assert!(
            most > 2.0 * (CAR + WHEEL) * G && aloft > 20,
            "{name}: {most} {aloft}"
        );
        advance(&mut wheel, 3.0);
        assert!(
            (output(&wheel, "fz") - (CAR + WHEEL) * G).abs() < 1.0,
            "{name}"
        );
    }
}
