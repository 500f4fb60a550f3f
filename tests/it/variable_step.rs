//! Integration with a variable step: errors follow the tolerance, results do not depend on the points that are shown,
//! and what cannot be integrated so is refused.

use crate::harness::{advance, build, example, json, output};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::simulation::{Simulation, Tolerance, VariableReport};
use serde_json::json;

fn tolerance(error: f64) -> Tolerance {
    Tolerance::new(error, 0.1)
}

/// An example, started, with steps of h to be shown.
fn begun(name: &str, h: f64, tolerance: Tolerance) -> Simulation {
    let mut simulation = example(name);
    let start = simulation.mechanism().experiment.start;
    simulation.set_step(h);
    simulation.initialize(start).unwrap();
    simulation.set_step(h);
    simulation.set_tolerance(tolerance);
    simulation
}

fn report(simulation: &Simulation) -> VariableReport {
    simulation.variable_report().unwrap()
}

/// Andrews' squeezer against digits that an extrapolation method of another program gave: the angles at 30 ms, after
/// two and a half turns of the crank.
#[test]
fn the_error_of_andrews_squeezer_follows_the_tolerance() {
    let reference = json("A01_andrews_squeezer/reference.json");
    let names = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"];
    let wanted: Vec<f64> = { reference["best_t0.03"]["q"].as_array().unwrap().iter() }
        .map(|x| x.as_f64().unwrap())
        .collect();
    let mut last = f64::INFINITY;
    for (exponent, most_steps, most_error) in [
        (4, 200, 0.3),
        (6, 400, 5e-3),
        (8, 700, 1e-4),
        (10, 1200, 3e-6),
    ] {
        let mut longest = tolerance(10_f64.powi(-exponent));
        longest.longest = 1e-3;
        let mut simulation = begun("andrews_squeezer", 1e-3, longest);
        advance(&mut simulation, 0.03);
        let errors = names
            .iter()
            .zip(&wanted)
            .map(|(name, x)| (output(&simulation, name) - x).abs());
        let error = errors.fold(0.0, f64::max);
        let steps = report(&simulation).steps;
        assert!(
            error < most_error && error < last,
            "1e-{exponent}: {error} after {last}"
        );
        assert!(steps < most_steps, "1e-{exponent}: {steps} steps");
        last = error;
    }
}

/// A heavy top that spins fast keeps its energy to the tolerance, at hundreds of turns.
#[test]
fn a_top_keeps_its_energy() {
    let energy = |simulation: &Simulation| {
        simulation.figure(fixstep_kernel::simulation::Figure::KineticEnergy)
            + simulation.figure(fixstep_kernel::simulation::Figure::PotentialEnergy)
    };
    let drift = |error: f64| {
        let mut simulation = begun("heavy_top", 1e-2, tolerance(error));
        let before = energy(&simulation);
        advance(&mut simulation, 1.0);
        ((energy(&simulation) - before) / before).abs()
    };
    let [coarse, fine] = [1e-6, 1e-9].map(drift);
    assert!(
        coarse < 1e-3 && fine < 1e-6 && fine < 1e-2 * coarse,
        "{coarse} {fine}"
    );
}

/// A pendulum that swings through 170 degrees, against elliptic functions: its period is 4 K(sin 85°)/ω₀ (Abramowitz
/// and Stegun 17.3.1), so that it stands still at the other side after half of it.
#[test]
fn a_pendulum_has_the_period_of_the_elliptic_integral() {
    let model = json!({
        "fixstep": 1, "name": "pendulum", "gravity": [0, -9.81, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [], "parts": [{"name": "rod", "mass": 1, "center_of_mass": [0, -1, 0],
            "inertia": {"xx": 1e-9, "yy": 1e-9, "zz": 1e-9}}],
        "markers": [{"name": "a", "part": "rod"}, {"name": "b", "part": "ground"}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "a", "j": "b",
            "initial": {"angle": 170_f64.to_radians()}}],
        "outputs": [{"name": "angle", "expression": "AZ(a, b)"}],
        "experiment": {"step": 0.01}
    });
    // K by the arithmetic-geometric mean.
    let (mut a, mut b) = (1.0, fixstep_kernel::math::cos(85_f64.to_radians()));
    for _ in 0..8 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    let quarter = std::f64::consts::FRAC_PI_2 / a / f64::sqrt(9.81);
    let mut simulation = build(&model.to_string());
    simulation.set_step(2.0 * quarter);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(2.0 * quarter);
    simulation.set_tolerance(tolerance(1e-9));
    simulation.step().unwrap();
    let angle = output(&simulation, "angle");
    assert!((angle + 170_f64.to_radians()).abs() < 1e-6, "{angle}");
}

/// The steps of the integration do not depend on where outputs are shown, and the same instants show the same.
#[test]
fn shown_points_do_not_change_the_result() {
    let all = [1e-2, 2e-3].map(|h| {
        let mut simulation = begun("heavy_top", h, tolerance(1e-7));
        advance(&mut simulation, 0.5);
        let places = ["x", "y", "z", "vx"].map(|name| output(&simulation, name));
        (places, report(&simulation).steps)
    });
    let [(coarse, few), (fine, many)] = all;
    assert_eq!(few, many);
    for (a, b) in coarse.iter().zip(&fine) {
        assert!((a - b).abs() < 1e-12 * a.abs().max(1.0), "{a} {b}");
    }
}

/// An input that is set anew begins a new integration there: the result is that of the sum of both parts.
#[test]
fn an_input_takes_effect_where_it_is_set() {
    let model = json!({
        "fixstep": 1, "name": "mass", "gravity": [0, 0, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "m", "mass": 2}],
        "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
        "inputs": [{"name": "u", "start": 1}],
        "forces": [{"name": "push", "type": "action_only_force", "i": "a", "j": "b", "expression": "u"}],
        "outputs": [{"name": "z", "expression": "DZ(a, b)"}, {"name": "v", "expression": "VZ(a, b)"},
            {"name": "acc", "expression": "ACCZ(a, b)"}],
        "experiment": {"step": 0.5}
    });
    let mut simulation = build(&model.to_string());
    simulation.initialize(0.0).unwrap();
    simulation.set_tolerance(tolerance(1e-8));
    simulation.step().unwrap();
    simulation.ask_input(InputId::from(0_usize), -3.0);
    simulation.step().unwrap();
    // z = ½ (½) ½² + ¼ ½ − ½ (3/2) ½²
    let (z, v, acc) = (
        output(&simulation, "z"),
        output(&simulation, "v"),
        output(&simulation, "acc"),
    );
    assert!((z - (0.0625 + 0.125 - 0.1875)).abs() < 1e-6, "{z}");
    assert!((v - (0.25 - 0.75)).abs() < 1e-5, "{v}");
    assert!((acc + 1.5).abs() < 1e-12, "{acc}");
}

/// Twice the same run has the same bits.
#[test]
fn runs_are_repeated_bit_for_bit() {
    let run = || {
        let mut simulation = begun("four_bar", 1e-2, tolerance(1e-6));
        advance(&mut simulation, 0.5);
        let outputs = 0..simulation.mechanism().outputs.len();
        outputs
            .map(|k| simulation.output(k.into()).to_bits())
            .collect::<Vec<u64>>()
    };
    assert_eq!(run(), run());
}
