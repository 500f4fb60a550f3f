//! The wheel of `models` that goes over a kerb: the blow, the least speed and the pull by rigid-body closed forms.

use crate::harness::{advance, build, output, start, truth};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::math::pow;
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

const RADIUS: f64 = 0.3;
const KERB: f64 = 0.06;
const MASS: f64 = 20.0;
const GRAVITY: f64 = 9.81;
/// r² + k² of a disc.
const SQUARE: f64 = 1.5 * RADIUS * RADIUS;

/// The wheel, rolling at a speed, so far from the edge.
fn wheel(speed: f64, x: f64) -> Simulation {
    let path = truth("../../models/wheel_over_kerb/model.json");
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let part = &mut model["parts"][0];
    part["position"] = json!([x, 0, RADIUS]);
    part["velocity"] = json!([speed, 0, 0]);
    part["angular_velocity"] = json!([0, (speed / RADIUS).to_degrees(), 0]);
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    simulation
}

/// Angular velocity about the edge after the blow, with the moment of momentum about it from before.
fn after_blow(speed: f64) -> f64 {
    speed / RADIUS * (1.0 - RADIUS * KERB / SQUARE)
}

#[test]
fn the_wheel_goes_on_with_what_the_edge_leaves_it() {
    let speed = 1.1;
    let mut simulation = wheel(speed, -0.5);
    let before = simulation.figure(Figure::KineticEnergy);
    assert!((before - 0.5 * MASS * SQUARE * pow(speed / RADIUS, 2.0)).abs() < 1e-9);
    advance(&mut simulation, 2.0);
    let rate = after_blow(speed);
    let left = 0.5 * MASS * SQUARE * rate * rate - MASS * GRAVITY * KERB;
    let wanted = (2.0 * left / (MASS * SQUARE)).sqrt() * RADIUS;
    let (got, height) = (output(&simulation, "speed"), output(&simulation, "height"));
    eprintln!("on the kerb {got} m/s, rigid {wanted} m/s");
    assert!((got / wanted - 1.0).abs() < 0.02, "{got} {wanted}");
    assert!((output(&simulation, "rolling") - got).abs() < 1e-6);
    // It stands on the tread: m g = k g^1.5.
    let sag = pow(MASS * GRAVITY / 1e6, 2.0 / 3.0);
    assert!((height - 1000.0 * (KERB - sag)).abs() < 1e-3, "{height}");
    let error = simulation.figure(Figure::EnergyError);
    assert!(error.abs() < 2e-3 * before, "{error}");
}

/// The least speed is where the energy after the blow just lifts the wheel: √(2 g h/(r² + k²)) r/(1 − r h/(r² + k²)).
#[test]
fn the_wheel_needs_its_least_speed() {
    let wanted = (2.0 * GRAVITY * KERB / SQUARE).sqrt() / after_blow(1.0);
    assert!((wanted - 1.0222).abs() < 1e-4);
    let passes = |speed: f64| {
        let mut simulation = wheel(speed, -0.25);
        while simulation.time() < 4.0 && output(&simulation, "x") < 0.01 {
            simulation.step().unwrap();
        }
        output(&simulation, "x") > 0.01
    };
    let (mut low, mut high) = (0.9, 1.15);
    assert!(!passes(low) && passes(high));
    for _ in 0..8 {
        let middle = 0.5 * (low + high);
        *(if passes(middle) { &mut high } else { &mut low }) = middle;
    }
    eprintln!("least speed between {low} and {high}, rigid {wanted}");
    assert!(
        (0.5 * (low + high) / wanted - 1.0).abs() < 0.015,
        "{low} {high}"
    );
}

/// Pull at which a wheel whose tread gives way leaves the road: weight and pull pass through the axle, and so does the
/// force of the edge, along the line from there.
fn lifting_pull() -> f64 {
    let weight = MASS * GRAVITY;
    let lever = |gives: f64| {
        let radius = RADIUS - gives;
        let rise = RADIUS - KERB;
        (radius * radius - rise * rise).sqrt() / rise
    };
    let mut pull = weight * lever(0.0);
    assert!((pull - 147.15).abs() < 1e-6);
    for _ in 0..50 {
        let push = (weight * weight + pull * pull).sqrt();
        pull = weight * lever(pow(push / 1e6, 2.0 / 3.0));
    }
    pull
}

#[test]
fn the_wheel_leaves_the_road_at_the_closed_forms_pull() {
    let mut simulation = wheel(0.0, -0.18);
    let slope = 10.0;
    let mut left = f64::NAN;
    while simulation.time() < 17.0 {
        let pull = slope * (simulation.time() + 1e-3);
        simulation.set_input(InputId(0), pull);
        simulation.step().unwrap();
        if output(&simulation, "road_force") <= 0.0 {
            left = pull;
            break;
        }
    }
    let wanted = lifting_pull();
    eprintln!("off the road at {left} N, closed form {wanted} N");
    assert!((left / wanted - 1.0).abs() < 0.01, "{left} {wanted}");
}
