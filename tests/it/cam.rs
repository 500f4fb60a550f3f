//! The cam and follower of `models`: lift, force and the speed at which they part, by the law of the cam.

use crate::harness::{advance, build, output, start, truth};
use fixstep_kernel::math::{atan2, cos, pow, sin};
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

const PI: f64 = std::f64::consts::PI;
/// Half the lift.
const HALF: f64 = 0.02;
const MASS: f64 = 2.0;

/// The example's model.
fn model() -> Value {
    let path = truth("../../models/cam_follower/model.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Built, with a cam that turns evenly at so many turns a second from 1 s on.
fn at(mut model: Value, speed: f64) -> Simulation {
    model["parameters"][0]["start"] = json!(speed);
    model["motions"][0]["velocity"] = json!("2*PI*speed*STEP5(TIME, 0, 0, 1, 1)");
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    simulation
}

/// Lift, and what the cam must push upwards, at an angle of the cam that turns at ω.
fn law(angle: f64, omega: f64) -> (f64, f64) {
    let lift = HALF * (1.0 - cos(angle));
    let acceleration = HALF * omega * omega * cos(angle);
    (lift, 60.0 + 2000.0 * lift + MASS * (9.81 + acceleration))
}

/// Angle between the normal of the cam and the way of the follower.
fn pressure(angle: f64) -> f64 {
    atan2(HALF * sin(angle), 0.1 - HALF * cos(angle))
}

/// The follower is where the cam puts it, less what the contact gives way; the cam pushes by the law.
#[test]
fn the_follower_goes_by_the_law_of_the_cam() {
    let speed = 5.0;
    let mut simulation = at(model(), speed);
    advance(&mut simulation, 2.0);
    let (mut lifts, mut forces) = (0.0_f64, 0.0_f64);
    for _ in 0..200 {
        simulation.step().unwrap();
        let angle = 2.0 * PI * output(&simulation, "turns");
        let (lift, push) = law(angle, 2.0 * PI * speed);
        let normal = push / cos(pressure(angle));
        // The roller is deeper by this along the normal, and so much lower.
        let lower = pow(normal / 1e8, 2.0 / 3.0) / cos(pressure(angle));
        lifts = lifts.max((1e-3 * output(&simulation, "lift") - lift + lower).abs());
        forces = forces.max((output(&simulation, "force") - normal).abs());
        // The drive's torque by the power of the follower.
        let torque = push * HALF * sin(angle);
        assert!(
            (output(&simulation, "torque") - torque).abs() < 0.1,
            "{torque}"
        );
    }
    eprintln!("lift off by {lifts:.2e} m, force by {forces:.2e} N");
    assert!(lifts < 3e-6 && forces < 2.0, "{lifts} {forces}");
}

/// At the top the spring and the weight can hold the follower down up to ω² = (F + k H + m g)/(m H/2).
#[test]
fn the_follower_parts_from_the_cam_above_its_speed() {
    let limit = ((60.0 + 2000.0 * 2.0 * HALF + MASS * 9.81) / (MASS * HALF)).sqrt() / (2.0 * PI);
    assert!((limit - 10.05).abs() < 0.01, "{limit}");
    let least = |speed: f64| {
        let mut simulation = at(model(), speed);
        let mut least = f64::INFINITY;
        while simulation.time() < 3.0 {
            simulation.step().unwrap();
            least = least.min(output(&simulation, "force"));
        }
        least
    };
    let (below, above) = (least(0.97 * limit), least(1.02 * limit));
    eprintln!("parts at {limit} Hz; least forces {below} N below, {above} N above");
    assert!(below > 0.0 && above == 0.0, "{below} {above}");
}

/// With a joint in the place of the contact the follower cannot leave: it goes by the law at any speed, and the cam
/// pulls where it would have to.
#[test]
fn a_grooved_cam_holds_its_follower() {
    let mut model = model();
    let path = |axis: &str| format!("(0.1 - 0.02*COS(s))*{axis}(s)");
    model["curves"] = json!([{"name": "groove", "x": path("COS"), "y": path("SIN"), "from": 0,
                              "to": 2.0 * PI, "closed": true}]);
    model["forces"].as_array_mut().unwrap().remove(0);
    model["joints"].as_array_mut().unwrap().push(
        json!({"name": "groove", "type": "point_on_curve", "i": "roller", "j": "cam", "curve": "groove"}),
    );
    let outputs = model["outputs"].as_array_mut().unwrap();
    outputs.retain(|output| output["name"] != "force");
    outputs.push(json!({"name": "push", "expression": "PTCV(groove, 0, 4, guide)"}));
    let speed = 12.0;
    let mut simulation = at(model, speed);
    advance(&mut simulation, 2.0);
    let mut pulls = false;
    for _ in 0..100 {
        simulation.step().unwrap();
        let angle = 2.0 * PI * output(&simulation, "turns");
        let (lift, push) = law(angle, 2.0 * PI * speed);
        assert!((1e-3 * output(&simulation, "lift") - lift).abs() < 1e-9);
        let got = output(&simulation, "push");
        assert!((got - push).abs() < 2.0, "{got} {push}");
        pulls |= got < -50.0;
    }
    assert!(pulls);
}
