//! Differential equations: sequences to round-off, measured order alone and coupled with a mechanism,
//! stiff states, states saved and restored, and what is said when they go wrong.

use crate::harness::{advance, build, json, load, output, start, truth, try_build};
use fixstep::math::{cos, exp, sin};
use fixstep::simulation::{Simulation, StepFailure};
use serde_json::{Value, json};

/// The schemes with the order that theory gives them.
fn schemes() -> Vec<(&'static str, Value, f64)> {
    let scheme = |name, solver: &str, order| (name, serde_json::from_str(solver).unwrap(), order);
    let quarter = r#"{"integrator": "NEWMARK", "beta": 0.25, "gamma": 0.5}"#;
    let linear = r#"{"integrator": "GSTIFF", "linearly_implicit": true}"#;
    vec![
        scheme("GSTIFF", r#"{"integrator": "GSTIFF"}"#, 1.0),
        scheme("GSTIFF, linearly implicit", linear, 1.0),
        scheme(
            "GSTIFF SI2",
            r#"{"integrator": "GSTIFF", "formulation": "SI2"}"#,
            1.0,
        ),
        scheme("NEWMARK", r#"{"integrator": "NEWMARK"}"#, 1.0),
        scheme("NEWMARK 1/4, 1/2", quarter, 2.0),
        scheme("HHT", r#"{"integrator": "HHT"}"#, 2.0),
        scheme("HHT 0", r#"{"integrator": "HHT", "alpha": 0}"#, 2.0),
        scheme(
            "HHT, linearly implicit",
            r#"{"integrator": "HHT", "linearly_implicit": true}"#,
            2.0,
        ),
        scheme("GENALPHA", r#"{"integrator": "GENALPHA"}"#, 2.0),
        scheme("GENALPHA 0", r#"{"integrator": "GENALPHA", "rho": 0}"#, 2.0),
        scheme("GENALPHA 1", r#"{"integrator": "GENALPHA", "rho": 1}"#, 2.0),
    ]
}

fn with_solver(model: &Value, solver: &Value) -> Simulation {
    let mut model = model.clone();
    model["solver"] = solver.clone();
    build(&model.to_string())
}

fn lag() -> Value {
    serde_json::from_str(
        &std::fs::read_to_string(truth("G08_first_order_states/model.json")).unwrap(),
    )
    .unwrap()
}

/// A mass of 1 kg on the x axis, with equations, a force along x, and outputs x, v and the states.
fn mass(equations: &Value, force: &str) -> Value {
    let names = equations.as_array().unwrap().iter();
    let mut outputs = vec![
        json!({"name": "x", "expression": "DX(m)"}),
        json!({"name": "v", "expression": "VX(m)"}),
    ];
    for name in names.map(|e| e["name"].as_str().unwrap()) {
        outputs.push(json!({"name": name, "expression": format!("DIF({name})")}));
    }
    json!({
        "fixstep": 1, "name": "mass",
        "point_masses": [{"name": "m", "mass": 1, "position": [1, 0, 0]}],
        "markers": [{"name": "m", "part": "m"}],
        "inputs": [{"name": "u", "start": 0}],
        "differential_equations": equations,
        "forces": [{"name": "f", "type": "vector_force", "i": "m", "j": "ground", "fx": force}],
        "outputs": outputs
    })
}

/// Largest error of the outputs at the times, for one step size.
fn error(
    model: &Value,
    solver: &Value,
    h: f64,
    times: &[f64],
    exact: &dyn Fn(f64) -> Vec<(&'static str, f64)>,
) -> f64 {
    let mut simulation = with_solver(model, solver);
    start(&mut simulation, h);
    let mut worst = 0.0_f64;
    for &time in times {
        advance(&mut simulation, time);
        for (name, wanted) in exact(time) {
            worst = worst.max((output(&simulation, name) - wanted).abs());
        }
    }
    worst
}

/// Every scheme keeps its order on a closed form.
fn keeps_order(what: &str, model: &Value, exact: &dyn Fn(f64) -> Vec<(&'static str, f64)>) {
    let times = [0.4, 0.8, 1.2, 1.6];
    for (name, solver, order) in schemes() {
        let [coarse, fine] = [0.004, 0.002].map(|h| error(model, &solver, h, &times, exact));
        let measured = (coarse / fine).log2();
        eprintln!("{what}, {name}: error {fine:.2e} at 2 ms, order {measured:.3}");
        assert!((measured - order).abs() < 0.1, "{what}, {name}: {measured}");
        assert!(
            fine < if order > 1.5 { 1e-4 } else { 2e-2 },
            "{what}, {name}"
        );
    }
}

#[test]
fn backward_euler_follows_its_sequence_to_round_off() {
    let case = json("G08_first_order_states/reference.json");
    let mut simulation = load("G08_first_order_states/model.json");
    start(&mut simulation, case["h"].as_f64().unwrap());
    let indices = case["indices"].as_array().unwrap();
    let wanted = case["BE_steps_0_10_20_50_100"].as_array().unwrap();
    assert_eq!(indices.len(), wanted.len());
    for (index, wanted) in indices.iter().zip(wanted) {
        advance(&mut simulation, 0.01 * index.as_f64().unwrap());
        let off = (output(&simulation, "z") - wanted.as_f64().unwrap()).abs();
        assert!(off < 1e-14, "step {index}: off by {off:e}");
    }
}

/// (STA-2) solved by hand for z' = (1 + sin 8t − z)/0.05: unknowns z and its rate at the end.
fn recurrence([alpha_m, alpha_f, gamma]: [f64; 3], h: f64, steps: u32) -> f64 {
    let g = |z: f64, t: f64| (1.0 + sin(8.0 * t) - z) / 0.05;
    let (mut z, mut rate) = (0.2, g(0.2, 0.0));
    for n in 0..steps {
        let (t, next) = (f64::from(n) * h, f64::from(n + 1) * h);
        // α_m r + α_f z'/0.05 = α_f (1 + sin)/0.05 + (1 − α_f) g − (1 − α_m) r_n with
        // z' = z + h (1 − γ) r_n + h γ r.
        let known = z + h * (1.0 - gamma) * rate;
        let right = alpha_f * g(known, next) + (1.0 - alpha_f) * g(z, t) - (1.0 - alpha_m) * rate;
        let new = right / (alpha_m + alpha_f * h * gamma / 0.05);
        z = known + h * gamma * new;
        rate = new;
    }
    z
}

#[test]
fn every_scheme_follows_its_recurrence_to_round_off() {
    let jansen = |rho: f64| {
        let (m, f) = (0.5 * (3.0 - rho) / (1.0 + rho), 1.0 / (1.0 + rho));
        [m, f, 0.5 + m - f]
    };
    let cases = [
        (json!({"integrator": "GSTIFF"}), [1.0, 1.0, 1.0]),
        (json!({"integrator": "NEWMARK"}), [1.0, 1.0, 0.7]),
        (json!({"integrator": "HHT"}), jansen(0.7 / 1.3)),
        (json!({"integrator": "GENALPHA"}), jansen(0.8)),
    ];
    for (solver, parameters) in cases {
        let mut simulation = with_solver(&lag(), &solver);
        start(&mut simulation, 0.01);
        advance(&mut simulation, 1.0);
        let off = (output(&simulation, "z") - recurrence(parameters, 0.01, 100)).abs();
        assert!(off < 1e-13, "{solver}: off by {off:e}");
    }
}

#[test]
fn a_lag_alone_keeps_the_order() {
    let exact = |t: f64| {
        let (tau, w) = (0.05, 8.0);
        let gain = 1.0 / (1.0 + (w * tau) * (w * tau));
        let wave = |t: f64| 1.0 + gain * (sin(w * t) - w * tau * cos(w * t));
        let z = wave(t) + (0.2 - wave(0.0)) * exp(-t / tau);
        let rate = (1.0 + sin(w * t) - z) / tau;
        vec![("z", z), ("rate", 0.05 * rate)]
    };
    let mut model = lag();
    model["outputs"][1]["expression"] = json!("0.05*DIF1(z)");
    keeps_order("lag", &model, &exact);
}

#[test]
fn a_nonlinear_state_keeps_the_order() {
    // z' = z (1 − z) from 0.1: the logistic curve.
    let mut model = lag();
    model["differential_equations"] =
        json!([{"name": "z", "derivative": "5*DIF(z)*(1 - DIF(z))", "initial": 0.1}]);
    let exact = |t: f64| vec![("z", 1.0 / (1.0 + 9.0 * exp(-5.0 * t)))];
    keeps_order("logistic", &model, &exact);
}

#[test]
fn a_lagged_force_keeps_the_order() {
    // x'' = z, z' = (3 − z)/τ, from rest at 1.
    let tau = 0.2;
    let equations = json!([{"name": "z", "derivative": "(3 - DIF(z))/0.2"}]);
    let exact = move |t: f64| {
        let decay = exp(-t / tau);
        vec![
            (
                "x",
                1.0 + 3.0 * (t * t / 2.0 - tau * t + tau * tau * (1.0 - decay)),
            ),
            ("v", 3.0 * (t - tau * (1.0 - decay))),
            ("z", 3.0 * (1.0 - decay)),
        ]
    };
    keeps_order("lagged force", &mass(&equations, "DIF(z)"), &exact);
}

#[test]
fn a_controlled_mass_keeps_the_order() {
    // x'' = −11 x − 6 v − 6 q, q' = x: eigenvalues −1, −2, −3.
    let equations = json!([{"name": "q", "derivative": "DX(m)"}]);
    let exact = |t: f64| {
        let e = |k: f64| exp(-k * t);
        vec![
            ("q", 2.5 * e(1.0) - 4.0 * e(2.0) + 1.5 * e(3.0)),
            ("x", -2.5 * e(1.0) + 8.0 * e(2.0) - 4.5 * e(3.0)),
            ("v", 2.5 * e(1.0) - 16.0 * e(2.0) + 13.5 * e(3.0)),
        ]
    };
    let force = "-11*DX(m) - 6*VX(m) - 6*DIF(q)";
    keeps_order("controlled mass", &mass(&equations, force), &exact);
    // The same with the rate of q in place of x.
    let force = "-11*DIF1(q) - 6*VX(m) - 6*DIF(q)";
    keeps_order("controlled mass, DIF1", &mass(&equations, force), &exact);
}

#[test]
fn states_that_read_forces_and_one_another_keep_the_order() {
    // p' = f with f = x'' gives p = v; q' = DIF1(p)/9 again: x'' = −9 x − p written with both.
    let equations = json!([
        {"name": "p", "derivative": "FORCE(f, 0, 2)"},
        {"name": "q", "derivative": "DIF1(p)/9 + 0*DIF(p)"}
    ]);
    let exact = |t: f64| {
        let (d, w) = (0.5, (9.0_f64 - 0.25).sqrt());
        let e = exp(-d * t);
        let v = -e * 9.0 / w * sin(w * t);
        let x = e * (cos(w * t) + d / w * sin(w * t));
        vec![("x", x), ("p", v), ("q", v / 9.0)]
    };
    let force = "-9*DX(m) - 0.5*DIF(p) - 4.5*DIF(q)";
    keeps_order("momentum", &mass(&equations, force), &exact);
}

#[test]
fn units_of_time_make_no_difference() {
    let mut model = lag();
    model["units"] = json!({"time": "ms"});
    model["differential_equations"][0]["derivative"] = json!("(1 + SIN(0.008*TIME) - DIF(z))/50");
    model["experiment"] = json!({"stop": 1000, "step": 10});
    for (name, solver, _) in schemes() {
        let [mut seconds, mut milliseconds] =
            [lag(), model.clone()].map(|m| with_solver(&m, &solver));
        for _ in 0..100 {
            seconds.step().unwrap();
            milliseconds.step().unwrap();
        }
        let off = output(&seconds, "z") - output(&milliseconds, "z");
        assert!(off.abs() < 1e-13, "{name}: {off:e}");
        let rates = [output(&seconds, "rate"), output(&milliseconds, "rate")];
        assert!(
            (rates[0] - 1000.0 * rates[1]).abs() < 1e-11,
            "{name}: {rates:?}"
        );
    }
}

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
            worst, estimate, ..
        }) = failure
        else {
            unreachable!("{name}: {failure:?}");
        };
        assert!(
            estimate > 0.1 && (simulation.time() - 0.5).abs() < 0.011,
            "{name}"
        );
        assert_eq!(
            simulation.describe(worst),
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
        let estimate = simulation.figure(fixstep::variables::Figure::LocalError);
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
        let Some(StepFailure::NotFinite { worst }) = failure else {
            unreachable!("{name}: {failure:?}");
        };
        assert_eq!(
            simulation.describe(worst),
            "differential equation \"z\"",
            "{name}"
        );
        assert!(output(&simulation, "z").is_finite() && output(&simulation, "x").is_finite());
    }
}

#[test]
fn circles_of_rates_are_refused_by_name() {
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
