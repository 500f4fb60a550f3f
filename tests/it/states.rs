//! Differential equations: sequences to round-off, and the measured order alone and coupled with a
//! mechanism.

use crate::harness::{advance, build, json, output, start, truth};
use fixstep_kernel::math::{cos, exp, sin};
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

/// The schemes with the order that theory gives them.
pub(crate) fn schemes() -> Vec<(&'static str, Value, f64)> {
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

/// A model under a scheme.
pub(crate) fn with_solver(model: &Value, solver: &Value) -> Simulation {
    let mut model = model.clone();
    model["solver"] = solver.clone();
    build(&model.to_string())
}

/// The lag of the truth case.
pub(crate) fn lag() -> Value {
    serde_json::from_str(
        &std::fs::read_to_string(truth("G08_first_order_states/model.json")).unwrap(),
    )
    .unwrap()
}

/// A mass of 1 kg on the x axis, with equations, a force along x, and outputs x, v and the states.
pub(crate) fn mass(equations: &Value, force: &str) -> Value {
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
pub(crate) fn keeps_order(
    what: &str,
    model: &Value,
    exact: &dyn Fn(f64) -> Vec<(&'static str, f64)>,
) {
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
    let mut simulation = with_solver(&lag(), &json!({"integrator": "GSTIFF"}));
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
fn a_state_that_reads_accelerations_has_their_order() {
    // HHT and GENALPHA have the acceleration of an instant beside the end of the step.
    let equations = json!([{"name": "p", "derivative": "ACCX(m)"}]);
    let exact = |t: f64| {
        let (d, w) = (0.5, (9.0_f64 - 0.25).sqrt());
        let e = exp(-d * t);
        vec![
            ("x", e * (cos(w * t) + d / w * sin(w * t))),
            ("p", -e * 9.0 / w * sin(w * t)),
        ]
    };
    let model = mass(&equations, "-9*DX(m) - DIF(p)");
    let times = [0.4, 0.8, 1.2, 1.6];
    for (name, solver, order) in schemes() {
        let [coarse, fine] = [0.004, 0.002].map(|h| error(&model, &solver, h, &times, &exact));
        let on_time = ["NEWMARK 1/4, 1/2", "HHT 0", "GENALPHA 1"].contains(&name);
        let wanted = if on_time { order } else { 1.0 };
        let measured = (coarse / fine).log2();
        assert!((measured - wanted).abs() < 0.1, "{name}: {measured}");
    }
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
