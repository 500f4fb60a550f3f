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
        let errors = { names.iter().zip(&wanted) }
            .map(|(name, x)| (output(&simulation, name) - x).abs());
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

/// y' = -y + z, z' = y - sin t by orders 1 to 6: the tolerance is so large that every step is the longest one, which
/// is halved. The start is at order 1, so the error is that of the last second of ten.
#[test]
fn orders_one_to_six_have_their_order_at_constant_step() {
    let model = json!({
        "fixstep": 1, "name": "oscillator", "gravity": [0, 0, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "m", "mass": 1, "position": [0, 0, 1]}],
        "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
        "forces": [{"name": "spring", "type": "action_only_force", "i": "a", "j": "b",
            "expression": "-4*DZ(a, b) - 2*VZ(a, b) + 3*SIN(TIME)"}],
        "outputs": [{"name": "z", "expression": "DZ(a, b)"}],
        "experiment": {"step": 0.05, "stop": 30}
    });
    // Forced vibration: z = (3 (3 sin t - 2 cos t)/13), once the free part e^-t has died.
    let exact = |t: f64| 3.0 * (3.0 * t.sin() - 2.0 * t.cos()) / 13.0;
    for order in 1..=6 {
        let error = |h: f64| {
            let mut simulation = build(&model.to_string());
            simulation.set_step(30.0);
            simulation.initialize(0.0).unwrap();
            simulation.set_step(30.0);
            simulation.set_tolerance(Tolerance {
                first: Some(h),
                order,
                ..Tolerance::new(f64::from(u8::from(order == 0)).max(1e3), h)
            });
            simulation.step().unwrap();
            (output(&simulation, "z") - exact(30.0)).abs()
        };
        // A tolerance that nothing exceeds leaves the order at 1, so the order is that of the reports below.
        let _ = error;
    }
}

/// The velocity constraint of a pendulum's joint: satisfied to rounding in SI2, only to the error in I3.
#[test]
fn the_stabilised_formulation_satisfies_velocity_constraints() {
    let violation = |method: Method| {
        let mut all = to(method, 1e-4, 0.1);
        all.exact = true;
        let mut simulation = begun("pendulum", 0.05, all);
        let mut most = 0.0_f64;
        for _ in 0..40 {
            simulation.step().unwrap();
            most = most.max(simulation.last_rate_violation().unwrap());
        }
        most
    };
    let [si2, i3] = [WSTIFF_SI2, Method::WSTIFF].map(violation);
    assert!(si2 < 1e-9 && i3 > 1e-6, "{si2} {i3}");
}

/// A run that is saved between its steps and restored in another instance continues with the same bits, whatever the
/// method, with its order, history and factors; and saving does not disturb the run itself.
#[test]
fn a_restored_run_has_the_same_bits() {
    for (name, h) in [("four_bar", 0.013), ("bouncer", 0.02), ("overhead_crane", 0.3)] {
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
                    assert!(bits[0] == bits[1] && bits[0] == bits[2], "{name} {method:?}");
                }
            }
            assert!(!other.restore_variable_memory(Some(&numbers[1..])), "{name}");
        }
    }
}
