//! Joint drives: response of the loop, holding torque, limits, stops.

use crate::harness::{advance, build, output, start};
use crate::states::{schemes, with_solver};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::{cos, exp, pow, sin};
use serde_json::{Value, json};
use std::f64::consts::PI;

/// A flywheel of 0.5 kg m² on a hinge with a drive; no gravity.
fn wheel(drive: &Value) -> Value {
    let mut element = drive.clone();
    element["name"] = json!("motor");
    element["type"] = json!("joint_drive");
    element["joint"] = json!("hinge");
    json!({
        "fixstep": 1, "name": "t",
        "parts": [{"name": "rotor", "mass": 2, "inertia": {"xx": 0.5, "yy": 0.5, "zz": 0.5}}],
        "markers": [{"name": "i", "part": "rotor"}, {"name": "j", "part": "ground"}],
        "inputs": [{"name": "target", "start": 0}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "i", "j": "j",
                    "initial": {"angle": 0, "angular_velocity": 0}}],
        "forces": [element],
        "outputs": [
            {"name": "angle", "expression": "AZ(i, j)"},
            {"name": "rate", "expression": "WZ(i, j)"},
            {"name": "torque", "expression": "FORCE(motor, 0, 8)"}
        ],
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

fn close(got: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!(
        (got - wanted).abs() <= tolerance,
        "{what}: {got} against {wanted}"
    );
}

/// J q¨ = kp (q* − q) − kd q̇: damped oscillation about the target, many turns away.
#[test]
fn the_loop_answers_a_step_as_an_oscillator() {
    let (inertia, kp, kd) = (0.5_f64, 50.0, 4.0);
    let mut model = wheel(&json!({"position": "target", "proportional": kp, "derivative": kd}));
    model["inputs"][0]["start"] = json!(20);
    let (decay, natural) = (kd / (2.0 * inertia), kp / inertia);
    let omega = (natural - decay * decay).sqrt();
    let worst = |solver: &Value, h: f64| {
        let mut simulation = with_solver(&model, solver);
        start(&mut simulation, h);
        let mut worst = 0.0_f64;
        for tenth in 1..11 {
            let t = 0.1 * f64::from(tenth);
            advance(&mut simulation, t);
            let swing = cos(omega * t) + decay / omega * sin(omega * t);
            let wanted = 20.0 * (1.0 - exp(-decay * t) * swing);
            worst = worst.max((output(&simulation, "angle") - wanted).abs());
        }
        worst
    };
    for (name, solver, order) in schemes() {
        let (coarse, fine) = (worst(&solver, 2e-3), worst(&solver, 1e-3));
        let found = (coarse / fine).log2();
        eprintln!("drive, {name}: {fine:.1e} rad at 1 ms, order {found:.2}");
        assert!((found - order).abs() < 0.1, "{name}: order {found}");
        let tolerance = if order > 1.5 { 1e-3 } else { 0.1 };
        assert!(fine < tolerance, "{name}: {fine}");
    }
}

/// With U: q¨ = U/J until the target is near; with V: a trapezoid of the rate.
#[test]
fn effort_and_speed_stay_within_their_limits() {
    let model = wheel(&json!({
        "position": "target", "proportional": 400, "derivative": 40, "effort_limit": 3,
        "speed_limit": 2
    }));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    simulation.set_input(InputId::from(0), 5.0);
    advance(&mut simulation, 0.2);
    close(output(&simulation, "torque"), 3.0, 1e-9, "at the limit");
    close(output(&simulation, "rate"), 0.2 * 3.0 / 0.5, 2e-2, "faster");
    advance(&mut simulation, 1.5);
    close(output(&simulation, "rate"), 2.0, 1e-3, "speed limit");
    let mut fastest = 0.0_f64;
    while simulation.time() < 8.0 {
        simulation.step().unwrap();
        fastest = fastest.max(output(&simulation, "rate"));
        assert!(output(&simulation, "torque").abs() <= 3.0 + 1e-12);
    }
    assert!(fastest < 2.01, "{fastest}");
    close(output(&simulation, "angle"), 5.0, 1e-3, "arrived");
}

/// With feed-forward alone, T = u_f. With a rate target alone, the rate approaches it as exp(−kd t/J).
#[test]
fn feed_forward_and_rate_targets() {
    let mut simulation = build(&wheel(&json!({"feed_forward": "2*TIME"})).to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.5);
    close(output(&simulation, "torque"), 1.0, 1e-12, "feed-forward");
    let model = wheel(&json!({"velocity": 3, "derivative": 2}));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.3);
    let wanted = 3.0 * (1.0 - exp(-0.3 * 2.0 / 0.5));
    close(output(&simulation, "rate"), wanted, 1e-3, "rate");
}

/// Between elastic stops the energy stays; a drive that pushes against one rests where k g^e = U.
#[test]
fn stops_hold_at_both_ends() {
    let stops = json!({"lower": -0.5, "upper": 0.25, "stiffness": 1e5, "exponent": 1.5,
                       "damping": 0, "depth": 0.01});
    let mut model = wheel(&json!({"stops": stops}));
    model["joints"][0]["initial"]["angular_velocity"] = json!(2);
    model["solver"] = json!({"integrator": "GENALPHA"});
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-4);
    let (mut low, mut high) = (0.0_f64, 0.0_f64);
    while simulation.time() < 3.0 {
        simulation.step().unwrap();
        low = low.min(output(&simulation, "angle"));
        high = high.max(output(&simulation, "angle"));
    }
    // ½ J ω² = k g^2.5/2.5.
    let deep = pow(2.5 * 0.5 * 0.5 * 4.0 / 1e5, 0.4);
    close(high, 0.25 + deep, 1e-4, "upper");
    close(low, -0.5 - deep, 1e-4, "lower");

    let mut push = wheel(
        &json!({"position": 2, "proportional": 100, "derivative": 10, "effort_limit": 8,
        "stops": {"lower": -30, "upper": 60, "stiffness": 500, "exponent": 2, "damping": 1,
                  "depth": 0.5}}),
    );
    push["units"] = json!({"angle": "deg"});
    let mut simulation = build(&push.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 4.0);
    // In degrees: 500 N m at one degree of penetration; 8 = 500 g².
    let wanted = (60.0 + (8.0_f64 / 500.0).sqrt()) * PI / 180.0;
    close(output(&simulation, "angle"), wanted, 1e-6, "against it");
}

/// A slide in millimetres: the force holds the weight at its sag, in equilibrium and after it.
#[test]
fn a_slide_holds_its_load() {
    let model = json!({
        "fixstep": 1, "name": "t", "units": {"length": "mm"}, "gravity": [0, 0, -9810],
        "parts": [{"name": "table", "mass": 4, "inertia": {"xx": 1e4, "yy": 1e4, "zz": 1e4}}],
        "markers": [{"name": "i", "part": "table"}, {"name": "j", "part": "ground"}],
        "joints": [{"name": "guide", "type": "cylindrical", "i": "i", "j": "j"}],
        "forces": [{"name": "lift", "type": "joint_drive", "joint": "guide", "direction": "translation",
                    "position": 30, "proportional": 2, "derivative": 0.1},
                   {"name": "turn", "type": "joint_drive", "joint": "guide", "direction": "rotation",
                    "position": 0.5, "proportional": 1e5, "derivative": 1e3}],
        "outputs": [{"name": "x", "expression": "DZ(i, j, j)"},
                    {"name": "angle", "expression": "AZ(i, j)"},
                    {"name": "force", "expression": "FORCE(lift, 0, 4)"}],
        "start": {"equilibrium": {}}
    });
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    for _ in 0..100 {
        close(output(&simulation, "x"), 30.0 - 39.24 / 2.0, 1e-6, "x");
        close(output(&simulation, "angle"), 0.5, 1e-9, "angle");
        close(output(&simulation, "force"), 39.24, 1e-6, "force");
        simulation.step().unwrap();
    }
}
