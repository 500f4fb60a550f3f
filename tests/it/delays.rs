//! Delays against exact solutions, their gradients through the order of the schemes, and their memory.

use crate::harness::{advance, build, output, start, try_build};
use crate::states::{schemes, with_solver};
use fixstep_kernel::ids::InputId;
use serde_json::{Value, json};

/// y' = -y(t - 1) with y = 1 before the start.
fn retarded(delay: &str) -> Value {
    json!({
        "fixstep": 1, "name": "retarded",
        "differential_equations": [
            {"name": "y", "derivative": format!("-DELAY(DIF(y), {delay}, 1)"), "initial": 1}
        ],
        "outputs": [{"name": "y", "expression": "DIF(y)"}]
    })
}

/// Its solution by the method of steps: sum of (-1)**k (t - k + 1)**k / k! for k = 0 .. floor(t) + 1.
fn exact(t: f64) -> f64 {
    let (mut sum, mut factorial) = (0.0, 1.0);
    for k in 0..=(t + 1.0) as i32 {
        if k > 0 {
            factorial *= -f64::from(k);
        }
        sum += (t - f64::from(k) + 1.0).powi(k) / factorial;
    }
    sum
}

#[test]
fn the_method_of_steps_is_met_to_the_order_of_the_scheme() {
    // 1/30 and 1/60 do not divide the delay as floating-point numbers; 0.03 and 0.015 not at all.
    for (name, solver, order) in schemes() {
        for steps in [[1.0 / 30.0, 1.0 / 60.0], [0.03, 0.015]] {
            let errors = steps.map(|h| {
                let mut simulation = with_solver(&retarded("1"), &solver);
                start(&mut simulation, h);
                let mut worst = 0.0_f64;
                while simulation.time() < 4.99 {
                    simulation.step().unwrap();
                    worst = worst.max((output(&simulation, "y") - exact(simulation.time())).abs());
                }
                worst
            });
            let found =
                fixstep_kernel::math::ln(errors[0] / errors[1]) / fixstep_kernel::math::ln(2.0);
            assert!(
                (found - order).abs() < 0.35 && errors[1] < if order > 1.5 { 1e-3 } else { 0.03 },
                "{name}: order {found}, errors {errors:?}"
            );
        }
    }
}

#[test]
fn a_delay_shorter_than_the_step_enters_newtons_iteration() {
    // x' = -20 x(t - tau): implicit for tau below h. Exact for small tau: the root of s = -20 exp(-s tau).
    let tau = 0.004;
    let mut s = -20.0_f64;
    for _ in 0..200 {
        s = -20.0 * fixstep_kernel::math::exp(-s * tau);
    }
    let model = json!({
        "fixstep": 1, "name": "short",
        "parameters": [{"name": "rate", "start": s}],
        "differential_equations": [
            {"name": "x", "derivative": format!("-20*DELAY(DIF(x), {tau}, EXP(rate*TIME))"), "initial": 1}
        ],
        "outputs": [{"name": "x", "expression": "DIF(x)"}]
    });
    for (name, solver, order) in schemes() {
        let errors = [0.01, 0.005].map(|h| {
            let mut simulation = with_solver(&model, &solver);
            start(&mut simulation, h);
            let mut worst = 0.0_f64;
            while simulation.time() < 0.199 {
                simulation.step().unwrap();
                let exact = fixstep_kernel::math::exp(s * simulation.time());
                worst = worst.max((output(&simulation, "x") - exact).abs());
            }
            worst
        });
        // The first steps of the second-order schemes have two and three points.
        let wanted = if order > 1.5 { 2.5 } else { 1.6 };
        assert!(
            errors[0] / errors[1] > wanted && errors[1] < 0.05,
            "{name}: {errors:?}"
        );
    }
}

/// Delays of an input, seen at every step.
fn echo(delay: &str, history: &str, more: &Value) -> Value {
    let mut model = json!({
        "fixstep": 1, "name": "echo",
        "inputs": [{"name": "u"}],
        "parameters": [{"name": "dead_time", "start": 0.1}],
        "outputs": [{"name": "late", "expression": format!("DELAY(u, {delay}, {history})")}],
        "experiment": {"step": 0.01}
    });
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

#[test]
fn an_input_comes_back_after_the_delay_and_the_history_before() {
    for (delay, tau) in [
        ("0.1", 0.1),
        ("dead_time", 0.1),
        ("0.1*(1 + 0*u), 0.3", 0.1),
        ("0", 0.0),
    ] {
        let (delay, longest) = delay.split_once(", ").unwrap_or((delay, ""));
        let history = if longest.is_empty() {
            "7 + TIME".to_owned()
        } else {
            format!("7 + TIME, {longest}")
        };
        let mut simulation = build(&echo(delay, &history, &json!({})).to_string());
        start(&mut simulation, 0.01);
        let cubic = |t: f64| ((t - 1.0) * t + 2.0) * t - 3.0;
        simulation.set_input(InputId(0), cubic(0.0));
        for step in 1..=200 {
            let t = 0.01 * f64::from(step);
            simulation.set_input(InputId(0), cubic(t));
            simulation.step().unwrap();
            let s = t - tau;
            // The start itself saw the input before it was set.
            if s.abs() < 1e-9 {
                continue;
            }
            let wanted = if s < 0.0 { 7.0 + s } else { cubic(s) };
            let found = output(&simulation, "late");
            // The first point is that of the start.
            let allowed = if s < 0.021 { 5.0 } else { 1e-9 };
            assert!(
                (found - wanted).abs() < allowed,
                "{delay}, {t}: {found} {wanted}"
            );
        }
    }
}

#[test]
fn between_points_a_cubic_is_exact_and_a_varying_delay_is_bounded() {
    // The delay grows with the input v: TIME delayed is TIME - tau whatever tau is.
    let model = json!({
        "fixstep": 1, "name": "varying", "inputs": [{"name": "v"}],
        "outputs": [{"name": "s", "expression": "DELAY(TIME**3, v, TIME**3, 0.25)"}]
    });
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.01);
    for step in 1..=100_u32 {
        let tau = 0.0031 * f64::from(step % 97);
        simulation.set_input(InputId(0), tau);
        simulation.step().unwrap();
        let t = 0.01 * f64::from(step);
        let s = t - tau.min(0.25);
        let found = output(&simulation, "s");
        // Fewer than four points in the first steps.
        let allowed = if t < 0.045 { 1e-4 } else { 1e-12 };
        assert!(
            (found - s * s * s).abs() < allowed,
            "{t} {tau}: {found} {}",
            s * s * s
        );
    }
}

#[test]
fn smaller_steps_than_foreseen_thin_out_the_memory() {
    let mut simulation = build(&echo("0.1", "0", &json!({})).to_string());
    start(&mut simulation, 0.01);
    let wave = |t: f64| fixstep_kernel::math::sin(3.0 * t);
    for h in [0.01, 0.0007, 0.003] {
        simulation.set_step(h);
        for _ in 0..600 {
            let t = simulation.time() + h;
            simulation.set_input(InputId(0), wave(t));
            simulation.step().unwrap();
            if t > 0.2 {
                let found = output(&simulation, "late");
                assert!((found - wave(t - 0.1)).abs() < 1e-6, "{h} {t}: {found}");
            }
        }
    }
}

#[test]
fn a_run_restored_in_the_middle_of_a_delay_goes_on_with_the_same_bits() {
    let model = json!({
        "fixstep": 1, "name": "pendulum", "gravity": [0, -9.81, 0],
        "parts": [{"name": "rod", "mass": 1, "center_of_mass": [0.5, 0, 0],
                   "inertia": {"xx": 0.01, "yy": 0.1, "zz": 0.1}}],
        "markers": [{"name": "pin", "part": "rod"}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "ground"}],
        "forces": [{"name": "motor", "type": "torque", "i": "pin", "j": "ground", "expression":
            "-8*DELAY(AZ(pin), 0.05 + 0.03*SIN(AZ(pin)), 0, 0.1) - DELAY(WZ(pin), 0.0035, 0)"}],
        "outputs": [{"name": "angle", "expression": "AZ(pin)"}]
    });
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.002);
        advance(&mut simulation, 0.031);
        let mut bytes = vec![0; simulation.state_size()];
        simulation.save(&mut bytes);
        advance(&mut simulation, 0.4);
        let mut goal = vec![0; bytes.len()];
        simulation.save(&mut goal);
        // Into an instance that was started with another step, and so with another size of the buffer.
        let mut other = with_solver(&model, &solver);
        start(&mut other, 0.01);
        assert!(
            other.state_size() < bytes.len() && other.accepts(&bytes),
            "{name}"
        );
        for simulation in [&mut simulation, &mut other] {
            simulation.restore(&bytes);
            let mut again = vec![0; bytes.len()];
            simulation.save(&mut again);
            assert!(again == bytes, "{name}");
            advance(simulation, 0.4);
            simulation.save(&mut again);
            assert!(again == goal, "{name}");
        }
        assert!(!simulation.accepts(&bytes[8..]));
    }
}

#[test]
fn delays_without_bound_are_refused() {
    for (expression, words) in [
        (
            "DELAY(u, u, 0)",
            "this delay varies: give the longest that it may become",
        ),
        (
            "DELAY(u, u, 0, u)",
            "the longest delay, the fourth argument of DELAY, may use only parameters",
        ),
        (
            "DELAY(u, 1, u)",
            "the history of a DELAY, its third argument, may use only TIME and parameters",
        ),
        (
            "1 + DELAY(u, -1, 0)",
            "column 5 of \"1 + DELAY(u, -1, 0)\": a delay must be zero or more, and finite; found -1",
        ),
        (
            "DELAY(u, 1/0, 0)",
            "a delay must be zero or more, and finite; found inf",
        ),
        ("DELAY(u, 1)", "DELAY takes 3 to 4 arguments, not 2"),
        (
            "DELAY(u, 1E9, 0)",
            "outputs[0] \"late\": expression: a DELAY of 1000000000 s takes",
        ),
        (
            "DELAY(u, -dead_time, 0)",
            "the longest delay of a DELAY is -0.1 s",
        ),
    ] {
        let outputs = json!({"outputs": [{"name": "late", "expression": expression}]});
        let refusal = try_build(&echo("0", "0", &outputs).to_string()).unwrap_err();
        assert!(refusal.contains(words), "{expression}: {refusal}");
    }
    let circle = json!({"variables": [{"name": "x", "expression": "1 + DELAY(x, 1, 0)"}]});
    let refusal = try_build(&echo("0", "0", &circle).to_string()).unwrap_err();
    assert!(
        refusal.contains("cyclic definition: \"x\" -> \"x\""),
        "{refusal}"
    );
}
