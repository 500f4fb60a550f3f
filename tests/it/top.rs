//! A heavy top in regular precession, in closed form: order of positions, velocities and reactions.
//!
//! With mass m, centre of mass at l on the axis, axial inertia C, transverse inertia A about the pivot, tilt
//! θ, precession Ω and axial spin ω₃ the top keeps its tilt if m g l = Ω (C ω₃ − A Ω cos θ) (Goldstein,
//! *Classical Mechanics*, section 5.7); the pivot then carries the weight and m Ω² l sin θ towards the
//! vertical.

use crate::harness::{output, start};
use crate::states::{schemes, with_solver};
use fixstep_kernel::math::{cos, sin};
use serde_json::{Value, json};

const MASS: f64 = 2.0;
const LENGTH: f64 = 0.3;
const GRAVITY: f64 = 9.81;
const AXIAL: f64 = 0.02;
const TRANSVERSE: f64 = 0.03;
const TILT: f64 = 0.6;
const PRECESSION: f64 = 5.0;

/// The top, its axis in the x-z plane at first.
fn model() -> Value {
    let about_pivot = TRANSVERSE + MASS * LENGTH * LENGTH;
    let spin =
        (MASS * GRAVITY * LENGTH / PRECESSION + about_pivot * PRECESSION * cos(TILT)) / AXIAL;
    let own = spin - PRECESSION * cos(TILT);
    let (s, c) = (sin(TILT), cos(TILT));
    json!({
        "fixstep": 1, "name": "top", "gravity": [0, 0, -GRAVITY],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "parts": [{
            "name": "top", "mass": MASS, "center_of_mass": [0, 0, LENGTH],
            "inertia": {"xx": TRANSVERSE, "yy": TRANSVERSE, "zz": AXIAL},
            "orientation": {"euler": [std::f64::consts::FRAC_PI_2, TILT, 0]},
            "angular_velocity": [own * s, 0, own * c + PRECESSION]
        }],
        "markers": [
            {"name": "tip", "part": "top", "position": [0, 0, 0]},
            {"name": "floor", "part": "ground", "position": [0, 0, 0]},
            {"name": "cm", "part": "top", "position": [0, 0, LENGTH]}
        ],
        "joints": [{"name": "pivot", "type": "spherical", "i": "tip", "j": "floor"}],
        "outputs": [
            {"name": "x", "expression": "DX(cm, floor)"}, {"name": "y", "expression": "DY(cm, floor)"},
            {"name": "z", "expression": "DZ(cm, floor)"}, {"name": "vx", "expression": "VX(cm, floor)"},
            {"name": "vy", "expression": "VY(cm, floor)"}, {"name": "vz", "expression": "VZ(cm, floor)"},
            {"name": "fx", "expression": "FX(tip, floor)"}, {"name": "fy", "expression": "FY(tip, floor)"},
            {"name": "fz", "expression": "FZ(tip, floor)"}
        ],
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    })
}

/// Exact outputs at a time, in their order.
fn exact(time: f64) -> [f64; 9] {
    let (s, c) = (sin(PRECESSION * time), cos(PRECESSION * time));
    let (radius, w) = (LENGTH * sin(TILT), PRECESSION);
    let pull = MASS * w * w * radius;
    let (z, weight) = (LENGTH * cos(TILT), MASS * GRAVITY);
    [
        radius * c,
        radius * s,
        z,
        -radius * w * s,
        radius * w * c,
        0.0,
        -pull * c,
        -pull * s,
        weight,
    ]
}

/// Largest errors of positions, velocities and reactions, relative to their scales, after 0.1 s: what the
/// start leaves in reactions has died by then.
fn errors(solver: &Value, h: f64) -> [f64; 3] {
    let mut simulation = with_solver(&model(), solver);
    start(&mut simulation, h);
    let scales = [LENGTH, LENGTH * PRECESSION, MASS * GRAVITY];
    let names = ["x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz"];
    let mut worst = [0.0_f64; 3];
    while simulation.time() < 0.4 - 1e-9 {
        simulation.step().unwrap();
        if simulation.time() < 0.1 {
            continue;
        }
        for (k, wanted) in exact(simulation.time()).iter().enumerate() {
            let error = (output(&simulation, names[k]) - wanted).abs() / scales[k / 3];
            worst[k / 3] = worst[k / 3].max(error);
        }
    }
    worst
}

/// Without damping at infinity the multipliers of position constraints are not stable (Cardona and
/// Geradin, "Time integration of the equations of motion in mechanism analysis", 1989): not for mechanisms.
const UNDAMPED: [&str; 3] = ["NEWMARK 1/4, 1/2", "HHT 0", "GENALPHA 1"];

#[test]
fn positions_velocities_and_reactions_of_a_top_have_the_order_of_their_scheme() {
    let simulation = with_solver(&model(), &json!({}));
    for (name, wanted) in ["x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz"]
        .iter()
        .zip(exact(0.0))
    {
        let got = output(&simulation, name);
        assert!(
            (got - wanted).abs() < 1e-11,
            "at the start, {name}: {got} {wanted}"
        );
    }
    let mut broken = Vec::new();
    for (name, mut solver, theory) in schemes() {
        if UNDAMPED.contains(&name) {
            continue;
        }
        solver["fixit"] = 5.into();
        let [coarse, fine] = [4e-4, 2e-4].map(|h| errors(&solver, h));
        for (k, kind) in ["positions", "velocities", "reactions"].iter().enumerate() {
            let order = (coarse[k] / fine[k]).log2();
            eprintln!("{name}, {kind}: {:.2e}, order {order:.2}", fine[k]);
            if order < theory - 0.2 || fine[k] > 0.2 {
                broken.push(format!(
                    "{name}, {kind}: order {order}, errors {} {}",
                    coarse[k], fine[k]
                ));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}
