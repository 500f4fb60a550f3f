//! Linear and general state equations, transfer functions and controllers: closed forms, and the measured
//! order under every scheme.

use crate::harness::{advance, build, json, output, start};
use crate::states::{keeps_order, mass, schemes, with_solver};
use fixstep_kernel::math::{cos, exp, sin};
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};

/// A mass with control elements and further outputs.
pub(crate) fn controlled(elements: &Value, force: &str, outputs: &[(&str, &str)]) -> Value {
    let mut model = mass(&json!([]), force);
    for (list, items) in elements.as_object().unwrap() {
        model[list] = items.clone();
    }
    let output =
        |(name, expression): &(&str, &str)| json!({"name": name, "expression": expression});
    let outputs = outputs.iter().map(output);
    model["outputs"].as_array_mut().unwrap().extend(outputs);
    model
}

/// exp(A t) v, by nalgebra.
pub(crate) fn propagate(a: &[Vec<f64>], v: &[f64], t: f64) -> Vec<f64> {
    let n = v.len();
    let exponential = DMatrix::from_fn(n, n, |r, c| a[r][c] * t).exp();
    (exponential * DVector::from_column_slice(v))
        .as_slice()
        .to_vec()
}

#[test]
fn a_linear_state_equation_keeps_the_order() {
    // A damped oscillator under a constant input: w₀ = 2, d = 0.1.
    let elements = json!({
        "parameters": [{"name": "w", "start": 2, "tunable": true}],
        "linear_state_equations": [{
            "name": "plant", "inputs": ["3*u + 3", "0"], "initial": [2.5, "=w/5"],
            "a": [[0, 1], ["=-w**2", "=-0.2*w"]], "b": [[0, 7], ["=w**2", 0]],
            "c": [[1, 0], [0, 2], [1, 1]], "d": [[0, 0], [0, 0], [-1, 0]]
        }]
    });
    let outputs = [
        ("x1", "DIF(plant, 1)"),
        ("twice", "ARYVAL(plant, 2)"),
        ("sum", "ARYVAL(plant.y, 3) + ARYVAL(plant.u, 1)"),
        ("rate", "DIF1(plant, 1)"),
    ];
    let model = controlled(&elements, "0", &outputs);
    let exact = |t: f64| {
        // x₁ − 3 swings freely from −0.5 with rate 0.4.
        let (d, w) = (0.2, (4.0_f64 - 0.04).sqrt());
        let (e, s, c) = (exp(-d * t), sin(w * t), cos(w * t));
        let b = (0.4 - d * 0.5) / w;
        let x1 = 3.0 + e * (-0.5 * c + b * s);
        let x2 = e * ((0.5 * d + b * w) * c + (0.5 * w - b * d) * s);
        vec![
            ("x1", x1),
            ("twice", 2.0 * x2),
            ("sum", x1 + x2),
            ("rate", x2),
        ]
    };
    keeps_order("linear state equation", &model, &exact);
}

#[test]
fn step_and_ramp_of_transfer_functions_keep_the_order() {
    // A lag of 0.2 s after a ramp; a damped second order with a zero after a step; a pure gain; a PI.
    let elements = json!({"transfer_functions": [
        {"name": "lag", "input": "TIME", "numerator": [2], "denominator": [1, 0.2]},
        {"name": "second", "input": "1", "numerator": [9, 1.5], "denominator": [9, 3, 1, 0, 0]},
        {"name": "gain", "input": "TIME", "numerator": [3, 0], "denominator": [2]},
        {"name": "pi", "input": "COS(TIME)", "numerator": [2, 1], "denominator": [0, 1]}
    ]});
    let outputs = [
        ("a", "lag"),
        ("b", "VARVAL(second)"),
        ("c", "gain"),
        ("d", "ARYVAL(pi, 1)"),
    ];
    let model = controlled(&elements, "0", &outputs);
    let exact = |t: f64| {
        let (d, w) = (1.5, (9.0_f64 - 2.25).sqrt());
        let (e, s, c) = (exp(-d * t), sin(w * t), cos(w * t));
        let step = 1.0 - e * (c + d / w * s);
        let impulse = 9.0 * e / w * s;
        vec![
            ("a", 2.0 * (t - 0.2 * (1.0 - exp(-5.0 * t)))),
            ("b", step + impulse / 6.0),
            ("c", 1.5 * t),
            ("d", cos(t) + 2.0 * sin(t)),
        ]
    };
    keeps_order("transfer functions", &model, &exact);
}

/// A filter (1 + s/w)⁻⁸ after a unit step.
fn eighth_order(w: f64) -> Value {
    let binomials = [1.0, 8.0, 28.0, 56.0, 70.0, 56.0, 28.0, 8.0, 1.0];
    let coefficient = |(k, c): (usize, &f64)| c * w.powi(8 - k as i32);
    let denominator: Vec<f64> = binomials.iter().enumerate().map(coefficient).collect();
    let elements = json!({"transfer_functions": [
        {"name": "f", "input": "1", "numerator": [w.powi(8)], "denominator": denominator}
    ]});
    controlled(&elements, "0", &[("y", "f"), ("first", "DIF(f, 1)")])
}

#[test]
fn a_filter_of_order_eight_keeps_the_order_and_its_digits() {
    let exact = |t: f64| {
        let (x, mut term, mut sum) = (10.0 * t, 1.0, 0.0);
        for k in 0..8 {
            sum += term;
            term *= x / f64::from(k + 1);
        }
        vec![("y", 1.0 - exp(-x) * sum)]
    };
    keeps_order("order eight", &eighth_order(10.0), &exact);
    // The same a thousand times faster, with coefficients up to 10³²: the same digits.
    for (name, solver, _) in schemes() {
        let [mut slow, mut fast] = [10.0, 1e4].map(|w| with_solver(&eighth_order(w), &solver));
        start(&mut slow, 0.002);
        start(&mut fast, 2e-6);
        for _ in 0..600 {
            slow.step().unwrap();
            fast.step().unwrap();
            let off = (output(&slow, "y") - output(&fast, "y")).abs();
            assert!(off < 1e-11, "{name}: {off:e}");
        }
        let size = output(&fast, "first").abs();
        assert!((1e-3..1e3).contains(&size), "{name}: {size}");
    }
}

#[test]
fn a_general_state_equation_keeps_the_order() {
    // A rotation whose speed is a state of its own, p = 1/(1 + t): angle ln(1 + t).
    let elements = json!({"general_state_equations": [{
        "name": "g",
        "states": [
            {"derivative": "-DIF(g, 3)*DIF(g, 2)", "initial": 1},
            {"derivative": "DIF(g, 3)*DIF(g, 1)"},
            {"derivative": "-DIF(g, 3)**2", "initial": 1, "unit": "rad/s"}
        ],
        "outputs": ["DIF(g, 1) + DIF(g, 2)", "ATAN2(DIF(g, 2), DIF(g, 1))", "DIF1(g, 3)"]
    }]});
    let outputs = [
        ("sum", "ARYVAL(g, 1)"),
        ("angle", "ARYVAL(g, 2)"),
        ("rate", "ARYVAL(g, 3)"),
    ];
    let model = controlled(&elements, "0", &outputs);
    let exact = |t: f64| {
        let angle = fixstep_kernel::math::ln(1.0 + t);
        vec![
            ("sum", cos(angle) + sin(angle)),
            ("angle", angle),
            ("rate", -1.0 / ((1.0 + t) * (1.0 + t))),
        ]
    };
    keeps_order("general state equation", &model, &exact);
}

#[test]
fn a_loop_closed_by_a_pid_controller_keeps_the_order() {
    // Ki, Kp, Kd and the filter of 0.1 s place the poles of a mass of 1 kg at −1, −2, −3, −4.
    let elements = json!({"pid_controllers": [{
        "name": "pid", "setpoint": "0", "measured": "DX(m)",
        "kp": 4.76, "ki": 2.4, "kd": 3.024, "derivative_filter": 0.1
    }]});
    let model = controlled(&elements, "pid", &[("force", "pid"), ("i", "DIF(pid, 1)")]);
    // x, ẋ, ẍ = −Kp, x⃛ = −Ki at the start, where the derivative part is at rest.
    let initial = [1.0, 0.0, -4.76, -2.4];
    let poles = [-1.0, -2.0, -3.0, -4.0];
    let amplitude = |k: usize| {
        // The polynomial of the other poles, as an operator on the start and at the pole itself.
        let (mut polynomial, mut scale) = (vec![1.0], 1.0);
        for m in (0..4).filter(|m| *m != k) {
            let mut next = vec![0.0; polynomial.len() + 1];
            for (j, c) in polynomial.iter().enumerate() {
                next[j + 1] += c;
                next[j] -= c * poles[m];
            }
            polynomial = next;
            scale *= poles[k] - poles[m];
        }
        let value: f64 = polynomial.iter().zip(initial).map(|(c, x)| c * x).sum();
        value / scale
    };
    let exact = move |t: f64| {
        let part = |order: i32| -> f64 {
            (0..4)
                .map(|k| amplitude(k) * poles[k].powi(order) * exp(poles[k] * t))
                .sum()
        };
        let integral: f64 = (0..4)
            .map(|k| amplitude(k) / poles[k] * (exp(poles[k] * t) - 1.0))
            .sum();
        vec![
            ("x", part(0)),
            ("v", part(1)),
            ("force", part(2)),
            ("i", -2.4 * integral),
        ]
    };
    keeps_order("PID", &model, &exact);
}

#[test]
fn two_masses_with_controls_follow_their_state_matrix() {
    // The truth case: two lags of different kinds in the loop of two masses.
    let case = json("F06_differential_states/reference.json");
    let mut a: Vec<Vec<f64>> = serde_json::from_value(case["A"].clone()).unwrap();
    for row in &mut a {
        row.push(0.0);
    }
    a[4][6] = 20.0;
    a.push(vec![0.0; 7]);
    let mut model = controlled(
        &json!({
            "point_masses": [
                {"name": "m", "mass": 3, "position": [1, 0, 0]},
                {"name": "n", "mass": 1, "position": [2, 0, 0]}
            ],
            "markers": [{"name": "m", "part": "m"}, {"name": "n", "part": "n"}],
            "transfer_functions": [{
                "name": "z1", "input": "1 - (DX(n) - 2) - 0.02*VX(n)",
                "numerator": [1], "denominator": [1, 0.05]
            }],
            "linear_state_equations": [{
                "name": "z2", "inputs": ["VX(n) - VX(m)"], "a": [[-12]], "b": [[-5]]
            }]
        }),
        "-900*(DX(m) - 1) - 6*VX(m) + 150*z1",
        &[
            ("x2", "DX(n)"),
            ("v2", "VX(n)"),
            ("z1o", "z1"),
            ("z2o", "ARYVAL(z2, 1)"),
        ],
    );
    model["forces"].as_array_mut().unwrap().extend([
        json!({"name": "between", "type": "line_of_sight", "i": "n", "j": "m",
               "expression": "-400*(DM(n, m) - 1) - 2*VR(n, m)"}),
        json!({"name": "z2", "type": "vector_force", "i": "n", "j": "ground",
               "fx": "80*ARYVAL(z2, 1)"}),
    ]);
    let exact = |t: f64| {
        let x = propagate(&a, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], t);
        vec![
            ("x", 1.0 + x[0]),
            ("x2", 2.0 + x[1]),
            ("v", x[2]),
            ("v2", x[3]),
            ("z1o", x[4]),
            ("z2o", x[5]),
        ]
    };
    for (name, solver, order) in schemes() {
        let mut off = [1e-3, 5e-4].map(|h| {
            let mut simulation = with_solver(&model, &solver);
            start(&mut simulation, h);
            let mut worst = 0.0_f64;
            for t in [0.05, 0.1, 0.2, 0.4] {
                advance(&mut simulation, t);
                for (name, wanted) in exact(t) {
                    worst = worst.max((output(&simulation, name) - wanted).abs());
                }
            }
            worst
        });
        let measured = (off[0] / off[1]).log2();
        assert!((measured - order).abs() < 0.12, "{name}: order {measured}");
        off[1] *= if order > 1.5 { 2e3 } else { 20.0 };
        assert!(off[1] < 1.0, "{name}: {:e}", off[1]);
    }
}

#[test]
fn the_integral_part_follows_an_output_at_its_limit() {
    // A constant error of 2: v = 3·2 + I, İ = 4·2 + (u − v)/T, limit 10 reached at t = 0.5.
    let elements = json!({"pid_controllers": [{
        "name": "pid", "setpoint": "2", "measured": "0", "kp": 3, "ki": 4,
        "minimum": -10, "maximum": 10, "smoothing": 0, "tracking_time": 0.25
    }]});
    let outputs = [
        ("u_", "pid"),
        ("v_", "ARYVAL(pid, 2)"),
        ("i", "DIF(pid, 1)"),
    ];
    let model = controlled(&elements, "0", &outputs);
    for (name, solver, order) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.001);
        advance(&mut simulation, 0.4);
        for (output_name, wanted) in [("u_", 9.2), ("v_", 9.2), ("i", 3.2)] {
            let off = output(&simulation, output_name) - wanted;
            assert!(off.abs() < 1e-12, "{name}, {output_name}: {off:e}");
        }
        advance(&mut simulation, 1.2);
        // From 4 at 0.5 s to 4 + 8·0.25.
        let wanted = 6.0 - 2.0 * exp(-0.7 / 0.25);
        let off = (output(&simulation, "i") - wanted).abs();
        let allowed = if order > 1.5 { 1e-4 } else { 2e-3 };
        assert!(off < allowed, "{name}: {off:e}");
        assert_eq!(output(&simulation, "u_"), 10.0, "{name}");
    }
}

#[test]
fn a_bent_limit_is_smooth_and_never_passed() {
    let elements = json!({"pid_controllers": [{
        "name": "pid", "setpoint": "20*TIME - 5", "measured": "0", "kp": 1,
        "minimum": -2, "maximum": 3, "smoothing": 0.5
    }]});
    let outputs = [("u_", "pid"), ("v_", "ARYVAL(pid, 2)")];
    let mut simulation = build(&controlled(&elements, "0", &outputs).to_string());
    start(&mut simulation, 0.001);
    let mut last = output(&simulation, "u_");
    let mut slope = 0.0;
    for _ in 0..500 {
        simulation.step().unwrap();
        let (u, v) = (output(&simulation, "u_"), output(&simulation, "v_"));
        assert!((-2.0 - 1e-14..=3.0).contains(&u), "{u}");
        if (-1.5..=2.5).contains(&v) {
            assert!((u - v).abs() < 1e-14, "{v}: {u}");
        }
        let rate = (u - last) / 0.02;
        assert!(
            (rate - slope).abs() < 0.02 + 1e-9,
            "{v}: {rate} after {slope}"
        );
        (last, slope) = (u, rate);
    }
    assert_eq!(last, 3.0);
}

#[test]
fn setpoint_weights_and_the_filter_at_the_start() {
    let elements = json!({"pid_controllers": [{
        "name": "pid", "setpoint": "2", "measured": "DX(m)/2", "kp": 10, "kd": 7,
        "derivative_filter": 0.1, "setpoint_weight": 0.5, "derivative_weight": 0.25
    }]});
    let outputs = [("u_", "pid"), ("filter", "DIF(pid, 1)")];
    let simulation = build(&controlled(&elements, "0", &outputs).to_string());
    // 10 (0.5·2 − 0.5); the derivative part begins at rest: x = 0.25·2 − 0.5.
    assert!((output(&simulation, "u_") - 5.0).abs() < 1e-14);
    assert!(output(&simulation, "filter").abs() < 1e-15);
}
