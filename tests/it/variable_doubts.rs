//! What made a variable step wrong without a word: short steps behind long ones, short steps by `hmax`, bells in time that
//! a step can pass over, vibrations that grow.

use crate::harness::{advance, build, example, output};
use fixstep_kernel::integrator::alpha::Parameters;
use fixstep_kernel::math::{cos, sin};
use fixstep_kernel::simulation::{Figure, Method, Simulation, Tolerance};
use serde_json::{Value, json};

fn multistep(constant: bool, stabilised: bool) -> Method {
    Method::Multistep {
        constant,
        stabilised,
    }
}

fn methods() -> [Method; 4] {
    [
        Method::WSTIFF,
        multistep(false, true),
        multistep(true, false),
        Method::Alpha(Parameters::hht(-0.3)),
    ]
}

/// Integrates to a time, shown at steps of h.
fn run(mut simulation: Simulation, tolerance: Tolerance, (h, until): (f64, f64)) -> Simulation {
    simulation.set_step(h);
    simulation.initialize(0.0).unwrap();
    simulation.set_step(h);
    simulation.set_tolerance(tolerance);
    advance(&mut simulation, until);
    simulation
}

fn mass(force: &str) -> Value {
    json!({
        "fixstep": 1, "name": "mass", "gravity": [0, 0, 0],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": [{"name": "m", "mass": 2}],
        "markers": [{"name": "a", "part": "m"}],
        "forces": [{"name": "push", "type": "vector_force", "i": "a", "j": "ground", "fx": force}],
        "outputs": [{"name": "x", "expression": "DX(a)"}],
        "experiment": {"step": 0.1, "stop": 10}
    })
}

/// A push of 3 ms, after 5 s at rest in one long step: the impulse of 2 N s, at 5.0015 s on the average.
#[test]
fn a_push_behind_a_long_step_has_its_impulse() {
    let force = "1000*(STEP(TIME,5,0,5.001,1)-STEP(TIME,5.002,0,5.003,1))";
    for method in methods() {
        for (error, most) in [(1e-6, 0.03), (1e-8, 3e-3), (1e-10, 3e-4)] {
            let tolerance = Tolerance {
                method,
                ..Tolerance::new(error, 10.0)
            };
            let simulation = run(build(&mass(force).to_string()), tolerance, (0.1, 10.0));
            let x = output(&simulation, "x");
            let exact = 4.9985;
            assert!((x - exact).abs() < most * exact, "{method:?} {error}: {x}");
        }
    }
}

/// A bell of 1 ms in 10 s: the impulse of F exp(-((t - c)/w)^2) is F w sqrt(pi).
#[test]
fn a_bell_in_time_is_not_passed_over() {
    let exact = 1000.0 * 1e-3 * std::f64::consts::PI.sqrt() / 2.0 * 5.0;
    for method in methods() {
        for (error, most) in [(1e-6, 0.03), (1e-9, 1e-3)] {
            let tolerance = Tolerance {
                method,
                ..Tolerance::new(error, 10.0)
            };
            let model = mass("1000*EXP(-((TIME-5)/0.001)**2)").to_string();
            let x = output(&run(build(&model), tolerance, (0.1, 10.0)), "x");
            assert!((x - exact).abs() < most * exact, "{method:?} {error}: {x}");
        }
    }
}

/// Steps that are kept short leave neither what a matrix of earlier steps cannot correct nor a low order: at 1e-6 of the
/// tolerance both would add up over thousands of steps, to more than the error of long ones.
#[test]
fn short_steps_leave_nothing_that_adds_up() {
    let two_seconds = |name: &str, of: &str, method, error, longest| {
        let tolerance = Tolerance {
            method,
            ..Tolerance::new(error, longest)
        };
        output(&run(example(name), tolerance, (0.01, 2.0)), of)
    };
    for (name, of, most) in [
        ("pendulum", "angle", 5e-6),
        ("four_bar", "crank_angle", 2e-5),
    ] {
        let exact = two_seconds(name, of, multistep(false, true), 1e-11, 0.1);
        for method in &methods()[..3] {
            for longest in [1e-3, 3e-4] {
                let found = two_seconds(name, of, *method, 1e-6, longest);
                let apart = (found - exact).abs();
                assert!(apart < most, "{name} {method:?} {longest}: {apart:e}");
            }
        }
    }
}

/// Who takes shorter steps wants a better result: the angle of the pendulum after 10 s against a tight run.
#[test]
fn shorter_steps_are_more_accurate() {
    let angle = |method, error, longest| {
        let tolerance = Tolerance {
            method,
            ..Tolerance::new(error, longest)
        };
        let simulation = run(example("pendulum"), tolerance, (0.01, 10.0));
        let energy = simulation.figure(Figure::EnergyError);
        (output(&simulation, "angle"), energy)
    };
    let exact = angle(multistep(false, true), 1e-11, 0.1).0;
    let hht = Method::Alpha(Parameters::hht(-0.3));
    for (method, error, steps) in [
        (hht, 1e-3, [[3e-3, 2e-2], [1e-3, 2e-3], [3e-4, 2e-4]]),
        (
            Method::WSTIFF,
            1e-7,
            [[1e-1, 1e-3], [1e-2, 1e-4], [1e-3, 1e-5]],
        ),
    ] {
        for [longest, most] in steps {
            let (found, energy) = angle(method, error, longest);
            assert!(
                (found - exact).abs() < most,
                "{method:?} {longest}: {found} for {exact}, {energy} J"
            );
        }
    }
}

/// The rod's vibrations are hardly damped: the order is limited before they grow, and the run says since when.
#[test]
fn vibrations_that_grow_limit_the_order() {
    let mut limited = 0;
    for (method, error) in [
        (multistep(false, true), 1e-4),
        (multistep(false, true), 1e-5),
        (multistep(true, false), 1e-6),
    ] {
        let simulation = example("flexible_slider_crank");
        let stop = simulation.mechanism().experiment.stop;
        let tolerance = Tolerance {
            method,
            ..Tolerance::new(error, 10.0)
        };
        let simulation = run(simulation, tolerance, (1e-3, stop));
        let made = simulation.figure(Figure::EnergyError);
        assert!(made.abs() < 20.0, "{method:?} {error}: {made} J");
        let notes = simulation.variable_notes().join("\n");
        limited += usize::from(notes.contains("were limited to order 2"));
    }
    assert!(limited >= 2, "{limited}");
}

/// θ̈ = 3 (T − m g l cos θ) with a torque that is held for a millisecond each, by Runge and Kutta's rule.
fn pushed(torque: impl Fn(usize) -> f64, pieces: usize) -> f64 {
    const PARTS: usize = 4;
    let h = 1e-3 / PARTS as f64;
    let (mut angle, mut rate) = (0.0, 0.0);
    for piece in 0..pieces {
        let held = torque(piece);
        let f = |angle: f64| 3.0 * (held + 0.5 * 9.81 * cos(angle));
        for _ in 0..PARTS {
            let (k1, l1) = (rate, f(angle));
            let (k2, l2) = (rate + 0.5 * h * l1, f(angle + 0.5 * h * k1));
            let (k3, l3) = (rate + 0.5 * h * l2, f(angle + 0.5 * h * k2));
            let (k4, l4) = (rate + h * l3, f(angle + h * k3));
            angle += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
            rate += h / 6.0 * (l1 + 2.0 * (l2 + l3) + l4);
        }
    }
    angle
}

/// Inputs that change at every communication point: the errors of so many first steps hardly add up. At order 1 the
/// angle would be wrong by 0.09 rad at 1e-6.
#[test]
fn inputs_that_change_all_the_time_cost_no_accuracy() {
    let torque = |piece: usize| {
        let t = piece as f64 * 1e-3;
        8.0 * sin(3.0 * t) + 2.0 * cos(11.0 * t)
    };
    let exact = pushed(torque, 3000);
    for (method, error, most) in [
        (Method::WSTIFF, 1e-4, 2e-3),
        (Method::WSTIFF, 1e-6, 2e-3),
        (Method::WSTIFF, 1e-8, 2e-4),
        (multistep(false, true), 1e-6, 2e-3),
        (multistep(true, false), 1e-6, 2e-3),
        (Method::Alpha(Parameters::hht(-0.3)), 1e-6, 5e-3),
    ] {
        let mut simulation = example("pendulum");
        simulation.set_step(1e-3);
        simulation.initialize(0.0).unwrap();
        simulation.set_step(1e-3);
        simulation.set_tolerance(Tolerance {
            method,
            ..Tolerance::new(error, 0.1)
        });
        for piece in 0..3000 {
            simulation.set_input(0.into(), torque(piece));
            simulation.step().unwrap();
        }
        let angle = output(&simulation, "angle");
        let turns = (angle - exact) / core::f64::consts::TAU;
        let wrong = core::f64::consts::TAU * (turns - turns.round()).abs();
        assert!(wrong < most, "{method:?} {error}: {angle} for {exact}");
    }
}

/// What is stiff and damped settles behind each input as at order 1: the trapezoidal rule of the first steps rings by no
/// more than the tolerance.
#[test]
fn stiff_forces_settle_behind_inputs() {
    let model = json!({
        "fixstep": 1, "name": "stiff", "gravity": [0, 0, 0],
        "point_masses": [{"name": "m", "mass": 1}],
        "markers": [{"name": "a", "part": "m"}, {"name": "b", "part": "ground"}],
        "inputs": [{"name": "push"}],
        "forces": [{"name": "all", "type": "action_only_force", "i": "a", "j": "b",
                    "expression": "push - 1e8*DZ(a, b) - 1e5*VZ(a, b)"}],
        "outputs": [{"name": "z", "expression": "DZ(a, b)"}],
        "experiment": {"step": 0.01, "stop": 0.5}
    });
    for method in [
        Method::WSTIFF,
        multistep(false, true),
        multistep(true, false),
    ] {
        let mut simulation = build(&model.to_string());
        simulation.initialize(0.0).unwrap();
        simulation.set_step(0.01);
        simulation.set_tolerance(Tolerance {
            method,
            ..Tolerance::new(1e-6, 0.1)
        });
        for k in 0..50_u32 {
            // A force up and down of 1 mm at rest.
            let push = 1e5 * (f64::from((7 * k) % 5) - 2.0);
            simulation.set_input(0.into(), push);
            simulation.step().unwrap();
            let (z, rest) = (output(&simulation, "z"), 1e-8 * push);
            assert!((z - rest).abs() < 3e-6, "{method:?} {k}: {z} for {rest}");
        }
    }
}
