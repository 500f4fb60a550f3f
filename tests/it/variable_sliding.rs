//! Derivatives whose branches lead to each other, counters, and delays of what bends: closed forms.

use crate::harness::{advance, build, methods, output};
use fixstep_kernel::integrator::StepFailure;
use fixstep_kernel::simulation::{Method, Simulation, Tolerance};
use serde_json::json;

/// Differential equations beside a body that turns at 3 rad/s, at 3 s; the output is the last state.
fn run(equations: &[(&str, &str)], (method, error): (Method, f64)) -> (f64, Simulation) {
    let equations: Vec<_> = equations
        .iter()
        .map(|(name, rate)| json!({"name": name, "derivative": rate, "initial": 0}))
        .collect();
    let last = equations.last().unwrap()["name"].as_str().unwrap();
    let model = json!({
        "fixstep": 1, "name": "equations", "gravity": [0, 0, 0],
        "parts": [{"name": "rotor", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "r", "part": "rotor"}, {"name": "g", "part": "ground"}],
        "joints": [{"name": "axle", "type": "revolute", "i": "r", "j": "g",
                    "initial": {"angular_velocity": 3}}],
        "differential_equations": equations,
        "outputs": [{"name": "q", "expression": format!("DIF({last})")}],
        "experiment": {"stop": 3, "step": 0.1}
    });
    let mut simulation = build(&model.to_string());
    simulation.initialize(0.0).unwrap();
    simulation.set_step(0.1);
    simulation.set_tolerance(Tolerance {
        method,
        ..Tolerance::new(error, 3.0)
    });
    advance(&mut simulation, 3.0);
    (output(&simulation, "q"), simulation)
}

fn check(equations: &[(&str, &str)], expected: f64, most: impl Fn(f64) -> f64) {
    for method in methods() {
        for error in [1e-4, 1e-6] {
            let (found, simulation) = run(equations, (method, error));
            let steps = simulation.variable_report().unwrap().steps;
            assert!(
                (found - expected).abs() < most(error),
                "{method:?} {error}: {found} for {expected}"
            );
            assert!(steps < 300_000, "{method:?} {error}: {steps} steps");
        }
    }
}

/// A rate limiter reaches its target and stays there; a tank that fills, or leaks where it is too full, stays full.
#[test]
fn a_state_stays_where_both_branches_lead() {
    check(&[("q", "1.697*SIGN(1, 0.904 - DIF(q))")], 0.904, |error| {
        100.0 * error
    });
    check(&[("q", "IF(DIF(q) - 0.5: 1, 1, -2)")], 0.5, |error| {
        100.0 * error
    });
}

/// Until 1.5 s at 0.5; then the target moves away, and the state follows at its rate.
#[test]
fn a_state_leaves_when_its_target_does() {
    let rate = "IF(DIF(q) - IF(TIME - 1.5: 0.5, 0.5, 5): 1, 1, -2)";
    check(&[("q", rate)], 2.0, |error| 100.0 * error);
}

/// ∫ INT(30 t) dt to 3 s: 0 + 1 + … + 89, each for 1/30 s.
#[test]
fn a_counter_counts_to_its_end() {
    let expected = f64::from(89 * 90 / 2) / 30.0;
    check(&[("q", "INT(10*AZ(r, g))")], expected, |error| {
        100.0 * error
    });
}

/// p bends at 1 s; with the delay of 0.3 s, ∫ p is ½ 1.7² at 3 s, and of the delay of that, ½ ∫ (t − 1.6)² = 1.4³/6.
#[test]
fn a_delayed_bend_is_sharp() {
    let p = ("p", "IF(TIME - 1: 0, 0, 1)");
    let once = ("z", "DELAY(DIF(p), 0.3, 0)");
    let twice = ("y", "DELAY(DIF(z), 0.3, 0)");
    let most = |error: f64| if error > 1e-5 { 4e-3 } else { 2e-4 };
    check(&[p, once], 0.5 * 1.7 * 1.7, most);
    check(&[p, once, twice], 1.4 * 1.4 * 1.4 / 6.0, most);
}

/// Steps that cannot reach their communication point end with an error, not after hours; what is shown is the last communication point.
#[test]
fn steps_without_end_are_an_error() {
    for method in methods() {
        let (_, mut simulation) = run(&[("q", "1")], (method, 1e-6));
        simulation.set_tolerance(Tolerance {
            method,
            most_steps: 1000,
            ..Tolerance::new(1e-6, 1e-5)
        });
        let failure = simulation.step();
        assert!(
            matches!(failure, Err(StepFailure::Endless { steps: 1000, .. })),
            "{method:?}: {failure:?}"
        );
        let (time, q) = (simulation.time(), output(&simulation, "q"));
        assert!((q - 3.0).abs() < 1e-5, "{method:?}: {q} at {time}");
    }
}
