//! Every integrator with a variable step: orders at constant step, errors that follow the tolerance, constraints of
//! velocities, and runs that are restored.

use crate::harness::{advance, build, example, json, output};
use fixstep_kernel::integrator::alpha::Parameters;
use fixstep_kernel::simulation::{Method, Simulation, Tolerance};
use serde_json::json;

const WSTIFF_SI2: Method = multistep(false, true);
const GSTIFF: Method = multistep(true, false);
const GSTIFF_SI2: Method = multistep(true, true);
const HHT: Method = Method::Alpha(Parameters::hht(-0.3));
const GENALPHA: Method = Method::Alpha(Parameters::generalized(0.8));

const fn multistep(constant: bool, stabilised: bool) -> Method {
    Method::Multistep {
        constant,
        stabilised,
    }
}

fn begun(name: &str, h: f64, tolerance: Tolerance) -> Simulation {
    let mut simulation = example(name);
    let start = simulation.mechanism().experiment.start;
    simulation.set_step(h);
    simulation.initialize(start).unwrap();
    simulation.set_step(h);
    simulation.set_tolerance(tolerance);
    simulation
}

fn to(method: Method, error: f64, longest: f64) -> Tolerance {
    Tolerance {
        method,
        ..Tolerance::new(error, longest)
    }
}

/// Andrews' squeezer against the digits of an extrapolation method, by every integrator.
#[test]
fn errors_of_every_integrator_follow_the_tolerance() {
    let reference = json("A01_andrews_squeezer/reference.json");
    let names = ["beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"];
    let wanted: Vec<f64> = { reference["best_t0.03"]["q"].as_array().unwrap().iter() }
        .map(|x| x.as_f64().unwrap())
        .collect();
    let error = |method: Method, tolerance: f64| {
        let mut simulation = begun("andrews_squeezer", 1e-3, to(method, tolerance, 1e-3));
        advance(&mut simulation, 0.03);
        let errors =
            { names.iter().zip(&wanted) }.map(|(name, x)| (output(&simulation, name) - x).abs());
        errors.fold(0.0, f64::max)
    };
    for (method, tolerances, bounds) in [
        (WSTIFF_SI2, [1e-6, 1e-9], [5e-3, 2e-5]),
        (GSTIFF, [1e-6, 1e-9], [5e-3, 2e-5]),
        (GSTIFF_SI2, [1e-6, 1e-9], [5e-3, 2e-5]),
        (HHT, [1e-5, 1e-7], [0.5, 2e-2]),
        (GENALPHA, [1e-5, 1e-7], [0.5, 2e-2]),
    ] {
        let found = tolerances.map(|tolerance| error(method, tolerance));
        assert!(
            found[0] < bounds[0] && found[1] < bounds[1] && found[1] < 0.3 * found[0],
            "{method:?}: {found:?}"
        );
    }
}

/// Orders 1 to 6 at constant step, on a forced vibration. The tolerance is between what the order k − 1 and the order k
/// would make of the longest step, so the controller takes order k and the longest step, which is halved.
#[test]
fn orders_one_to_six_have_their_order_at_constant_step() {
    let model = json!({
        "fixstep": 1, "name": "oscillator", "gravity": [0, 0, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "m", "mass": 1}],
        "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
        "forces": [{"name": "spring", "type": "action_only_force", "i": "a", "j": "b",
            "expression": "-4*DZ(a, b) - 2*VZ(a, b) + 3*SIN(TIME)"}],
        "outputs": [{"name": "z", "expression": "DZ(a, b)"}],
        "experiment": {"step": 0.05, "stop": 40}
    });
    let model = model.to_string();
    // z = 3 (3 sin t − 2 cos t)/13 once the free vibration has died.
    let exact = |t: f64| {
        3.0 * (3.0 * fixstep_kernel::math::sin(t) - 2.0 * fixstep_kernel::math::cos(t)) / 13.0
    };
    for order in 1..=6_usize {
        let run = |h: f64| {
            let mut simulation = build(&model);
            simulation.initialize(0.0).unwrap();
            simulation.set_step(1.0);
            simulation.set_tolerance(Tolerance {
                order,
                ..Tolerance::new(0.3 * fixstep_kernel::math::pow(h, order as f64 + 0.5), h)
            });
            let mut most = 0.0_f64;
            while simulation.time() < 39.5 {
                simulation.step().unwrap();
                if simulation.time() > 20.0 {
                    let error = output(&simulation, "z") - exact(simulation.time());
                    most = most.max(error.abs());
                }
            }
            let orders = simulation.variable_report().unwrap().orders;
            let steps: u64 = orders.iter().sum();
            assert!(3 * orders[order - 1] > 2 * steps, "{order} {h}: {orders:?}");
            most
        };
        let h = if order > 5 { 0.14 } else { 0.05 };
        let [coarse, fine] = [h, 0.5 * h].map(run);
        let found = fixstep_kernel::math::ln(coarse / fine) / fixstep_kernel::math::ln(2.0);
        assert!(
            (found - order as f64).abs() < 0.35,
            "order {order}: {found}"
        );
    }
}

/// A run that is saved between its steps and restored in another instance continues with the same bits, whatever the
/// method, with its order, history and factors; and saving does not disturb the run itself.
#[test]
fn a_restored_run_has_the_same_bits() {
    for (name, h) in [
        ("four_bar", 0.013),
        ("bouncer", 0.02),
        ("overhead_crane", 0.3),
    ] {
        for method in [Method::WSTIFF, WSTIFF_SI2, GSTIFF, HHT] {
            let run = || begun(name, h, to(method, 1e-5, 0.1));
            let mut kept = run();
            let mut plain = run();
            for _ in 0..7 {
                kept.step().unwrap();
                plain.step().unwrap();
            }
            let mut bytes = vec![0; kept.state_size()];
            kept.save(&mut bytes);
            let numbers = kept.variable_memory().unwrap();
            let mut other = run();
            other.restore(&bytes);
            assert!(other.restore_variable_memory(Some(&numbers)), "{name}");
            for _ in 0..8 {
                for simulation in [&mut kept, &mut plain, &mut other] {
                    simulation.step().unwrap();
                }
                for k in 0..kept.mechanism().outputs.len() {
                    let bits = [&kept, &plain, &other].map(|s| s.output(k.into()).to_bits());
                    assert!(
                        bits[0] == bits[1] && bits[0] == bits[2],
                        "{name} {method:?}"
                    );
                }
            }
            assert!(
                !other.restore_variable_memory(Some(&numbers[1..])),
                "{name}"
            );
        }
    }
}
