//! Differential equations in use: fast states, the start, states saved and restored, the local error, and
//! what is said when something goes wrong.

use crate::harness::{advance, build, output, start, try_build};
use crate::states::{lag, mass, schemes, with_solver};
use fixstep_kernel::math::sin;
use fixstep_kernel::simulation::{Simulation, StepFailure};
use serde_json::{Value, json};

#[test]
fn a_fast_state_does_not_shake_the_mechanism() {
    // An actuator of 1 µs, ten thousand times faster than the step, moves a mass: x'' = sin t.
    let equations = json!([{"name": "z", "derivative": "(SIN(TIME) - DIF(z))/1e-6"}]);
    let model = mass(&equations, "DIF(z)");
    for (name, solver, order) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.01);
        let mut worst = 0.0_f64;
        for _ in 0..2000 {
            simulation.step().unwrap();
            let t = simulation.time();
            worst = worst.max((output(&simulation, "z") - sin(t)).abs());
            let x = output(&simulation, "x") - (1.0 + t - sin(t));
            let allowed = if order > 1.5 {
                2e-4 * t.max(1.0)
            } else {
                0.02 * t.max(1.0)
            };
            assert!(x.abs() < allowed, "{name} at {t}: {x:e}");
        }
        assert!(worst < 1e-4, "{name}: {worst:e}");
    }
}

#[test]
fn a_fast_state_far_from_its_place_comes_home() {
    // From 5 to 1, the root of the cubic: Newton must not be thrown by the derivative at the start.
    let mut model = lag();
    model["differential_equations"] = json!([
        {"name": "z", "derivative": "-1e6*(DIF(z)**3 + DIF(z) - 2)", "initial": 5}
    ]);
    for (name, mut solver, _) in schemes() {
        solver["fixit"] = json!(10);
        solver["pattern"] = json!("T");
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.01);
        // One solve a step is one of Newton's iterations a step.
        let home = if name.contains("linearly") { 60 } else { 0 };
        for step in 0..200 {
            simulation.step().unwrap();
            let off = (output(&simulation, "z") - 1.0).abs();
            assert!(step < home || off < 3e-4, "{name}: {off} in step {step}");
        }
    }
}

#[test]
fn the_start_shows_state_and_rate() {
    let mut model = lag();
    model["parameters"] = json!([{"name": "first", "start": 0.25}]);
    model["differential_equations"][0]["initial"] = json!("=2*first");
    for (name, solver, _) in schemes() {
        let simulation = with_solver(&model, &solver);
        assert_eq!(output(&simulation, "z"), 0.5, "{name}");
        assert_eq!(output(&simulation, "rate"), 10.0, "{name}");
    }
}

#[test]
fn a_restored_state_continues_with_the_same_bits() {
    let equations = json!([
        {"name": "q", "derivative": "DX(m) - SIN(DIF(p))"},
        {"name": "p", "derivative": "(ACCX(m) - DIF(p))/0.02"}
    ]);
    let model = mass(&equations, "-11*DX(m) - 6*DIF(q)**3 - DIF1(p)*0.01");
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.005);
        advance(&mut simulation, 0.3);
        let mut saved = vec![0; simulation.state_size()];
        simulation.save(&mut saved);
        let run = |simulation: &mut Simulation| {
            advance(simulation, 0.6);
            ["x", "v", "q", "p"].map(|n| output(simulation, n).to_bits())
        };
        let first = run(&mut simulation);
        simulation.restore(&saved);
        assert_eq!(run(&mut simulation), first, "{name}: restored");
        let mut other = with_solver(&model, &solver);
        other.restore(&saved);
        assert_eq!(run(&mut other), first, "{name}: another instance");
        start(&mut simulation, 0.005);
        assert_eq!(run(&mut simulation), first, "{name}: started again");
    }
}

#[test]
fn the_local_error_names_the_equation() {
    let mut model = lag();
    model["differential_equations"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "jump", "derivative": "STEP(TIME, 0.5, 0, 0.501, 1000)"}));
    for (name, mut solver, _) in schemes() {
        solver["maxerr"] = json!(0.1);
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.005);
        let failure = std::iter::repeat_with(|| simulation.step())
            .take(200)
            .find_map(Result::err);
        let Some(StepFailure::LocalError {
            entity, estimate, ..
        }) = failure
        else {
            unreachable!("{name}: {failure:?}");
        };
        assert!(
            estimate > 0.1 && (simulation.time() - 0.5).abs() < 0.011,
            "{name}"
        );
        assert_eq!(
            simulation.describe(entity),
            "differential equation \"jump\"",
            "{name}"
        );
    }
}

#[test]
fn the_local_error_is_that_of_the_scheme() {
    // z = t³/6 · k: the third derivative is k, and the second k t.
    for (name, solver, order) in schemes() {
        let mut model = lag();
        model["differential_equations"] = json!([{"name": "z", "derivative": "1e-3*TIME**2/2"}]);
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.01);
        advance(&mut simulation, 1.0);
        let before = output(&simulation, "z");
        let estimate = simulation.figure(fixstep_kernel::simulation::Figure::LocalError);
        let exact = 1e-3 / 6.0 * 1.0_f64.powi(3);
        let factor = if order > 1.5 {
            1e-6 * 1e-3
        } else {
            1e-4 * 1e-3
        };
        eprintln!(
            "{name}: estimate {:.4} of h^p z^(p), off by {:.2e}",
            estimate / factor,
            before - exact
        );
        // The accumulated error of a quadrature is the sum of its local ones: over 100 steps the
        // second derivative grows evenly from zero, the third is constant.
        let sum = if order > 1.5 {
            100.0 * estimate
        } else {
            50.0 * estimate
        };
        assert!(
            ((before - exact).abs() - sum).abs() < 0.1 * sum,
            "{name}: {estimate:e}"
        );
    }
}

#[test]
fn numbers_that_are_not_finite_name_the_equation() {
    let text = lag()
        .to_string()
        .replace("(1 + SIN(8*TIME) - DIF(z))/0.05", "SQRT(DIF(z) - 1)");
    let Err(message) = try_build(&text) else {
        unreachable!("it cannot start")
    };
    assert!(
        message.contains("differential equation \"z\" yields a number that is not finite"),
        "{message}"
    );
    let mut model = mass(
        &json!([{"name": "w", "derivative": "0"}, {"name": "z", "derivative": "-SQRT(DIF(z))", "initial": 0.01}]),
        "DIF1(z)",
    );
    for (name, solver, _) in schemes() {
        model["solver"] = solver;
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 0.01);
        let failure = std::iter::repeat_with(|| simulation.step())
            .take(100)
            .find_map(Result::err);
        let Some(StepFailure::NotFinite(entity)) = failure else {
            unreachable!("{name}: {failure:?}");
        };
        assert_eq!(
            simulation.describe(entity),
            "differential equation \"z\"",
            "{name}"
        );
        assert!(output(&simulation, "z").is_finite() && output(&simulation, "x").is_finite());
    }
}

#[test]
fn rates_that_depend_on_each_other_in_a_circle_are_refused_by_name() {
    let two = json!([
        {"name": "a", "derivative": "DIF1(b) - DIF(a)"},
        {"name": "b", "derivative": "0.5*DIF1(a)"}
    ]);
    let refused = |equations: &Value, force: &str| {
        let built = try_build(&mass(equations, force).to_string());
        built
            .err()
            .unwrap_or_else(|| unreachable!("{equations} with {force}"))
    };
    let message = refused(&two, "0");
    for part in [
        "cyclic reference: ",
        "the rate of differential equation \"a\"",
        "the rate of differential equation \"b\"",
        "depend on one another",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let own = json!([{"name": "a", "derivative": "1 - 0.1*DIF1(a)"}]);
    let message = refused(&own, "0");
    assert!(
        message.contains("differential equation \"a\" depends on itself"),
        "{message}"
    );
    let through = json!([{"name": "a", "derivative": "FORCE(f, 0, 2)"}]);
    let message = refused(&through, "DIF1(a)");
    assert!(message.contains("force \"f\""), "{message}");
    // States may read each other, and a state the force that reads it.
    let fine = json!([
        {"name": "a", "derivative": "DIF(b) + FORCE(f, 0, 2)"},
        {"name": "b", "derivative": "0.5*DIF1(a)"}
    ]);
    assert!(try_build(&mass(&fine, "DIF(a) - DIF(b)").to_string()).is_ok());
}
