//! Sampled systems against recurrences and closed forms, and when they sample.

use crate::harness::{advance, build, output, start};
use crate::states::{schemes, with_solver};
use fixstep_kernel::ids::{InputId, SampledId};
use fixstep_kernel::math::exp;
use fixstep_kernel::mechanism::Held;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

/// A model of sampled systems alone, with inputs u and v and one output of each expression.
fn systems(sampled: &Value, outputs: &[(&str, &str)]) -> Value {
    let outputs: Vec<Value> = outputs
        .iter()
        .map(|(name, expression)| json!({"name": name, "expression": expression}))
        .collect();
    json!({
        "fixstep": 1, "name": "sampled",
        "inputs": [{"name": "u"}, {"name": "v"}],
        "parameters": [{"name": "gain", "start": 0.5, "tunable": true}],
        "sampled_systems": sampled,
        "outputs": outputs
    })
}

#[test]
fn a_linear_system_follows_its_recurrence_to_round_off() {
    let model = systems(
        &json!([{
            "name": "filter", "sample_period": 0.005, "inputs": ["u", "2*v"], "initial": [1, -2],
            "a": [[0.9, 0.1], [-0.2, 0.8]], "b": [[1, 0], [0.5, -1]],
            "c": [[1, 2], ["=gain", 0]], "d": [[0, 0], [1, 0.25]]
        }]),
        &[
            ("first", "SAMVAL(filter, 1)"),
            ("second", "SAMVAL(filter, 2)"),
            ("x", "SAMSTA(filter, 2)"),
        ],
    );
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.001);
    let mut x = [1.0, -2.0];
    let mut u = [0.0, 0.0];
    for step in 0..200_u32 {
        if step % 5 == 0 {
            let y = [x[0] + 2.0 * x[1], 0.5 * x[0] + u[0] + 0.25 * u[1]];
            for (name, wanted) in [("first", y[0]), ("second", y[1]), ("x", x[1])] {
                let found = output(&simulation, name);
                assert!(
                    (found - wanted).abs() < 1e-12,
                    "{step} {name}: {found} {wanted}"
                );
            }
            x = [
                0.9 * x[0] + 0.1 * x[1] + u[0],
                -0.2 * x[0] + 0.8 * x[1] + 0.5 * u[0] - u[1],
            ];
        }
        let value = f64::from(step % 7) - 3.0;
        simulation.set_input(InputId(0), value);
        simulation.set_input(InputId(1), 0.5 * value);
        u = [value, value];
        let held = output(&simulation, "first");
        simulation.step().unwrap();
        if (step + 1) % 5 != 0 {
            assert_eq!(output(&simulation, "first"), held, "held between samples");
        }
    }
}

#[test]
fn expressions_and_matrices_are_the_same_system() {
    let matrices = json!({
        "name": "s", "sample_period": 0.01, "inputs": ["u"], "initial": [0.25],
        "a": [[0.5]], "b": [[2]], "c": [[3]], "d": [[-1]]
    });
    let expressions = json!({
        "name": "s", "sample_period": 0.01, "inputs": ["u"], "initial": [0.25],
        "next": ["0.5*SAMSTA(s, 1) + 2*SAMINP(s, 1)"],
        "outputs": ["3*SAMSTA(s, 1) - SAMINP(s, 1)"]
    });
    let mut runs = [matrices, expressions].map(|system| {
        let model = systems(&json!([system]), &[("y", "SAMVAL(s, 1)")]);
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 0.002);
        simulation
    });
    let mut seen = 0.0_f64;
    for step in 0..100 {
        let [a, b] = &mut runs;
        for simulation in [&mut *a, &mut *b] {
            simulation.set_input(InputId(0), f64::from(step % 11) - 5.0);
            simulation.step().unwrap();
        }
        assert_eq!(output(a, "y"), output(b, "y"));
        seen = seen.max(output(a, "y").abs());
    }
    assert!(seen > 10.0);
}

#[test]
fn a_step_response_is_that_of_the_z_transform() {
    // y = (1 - p)/(z - p) of a unit step: y[k] = 1 - p**k.
    let p = 0.8_f64;
    let model = systems(
        &json!([{"name": "lag", "sample_period": 0.004, "inputs": ["1"],
                 "a": [[p]], "b": [[1.0 - p]], "c": [[1]]}]),
        &[("y", "SAMVAL(lag, 1)")],
    );
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.001);
    let mut power = 1.0;
    for k in 0..300 {
        assert!(
            (output(&simulation, "y") - (1.0 - power)).abs() < 1e-12,
            "sample {k}"
        );
        for _ in 0..4 {
            simulation.step().unwrap();
        }
        power *= p;
    }
}

/// A mass on the x axis under force, with a system that samples position and velocity.
fn controlled(force: &str, system: &Value) -> Value {
    json!({
        "fixstep": 1, "name": "controlled",
        "point_masses": [{"name": "m", "mass": 2, "position": [1, 0, 0], "velocity": [0.5, 0, 0]}],
        "markers": [{"name": "m", "part": "m"}],
        "forces": [{"name": "f", "type": "vector_force", "i": "m", "j": "ground", "fx": force}],
        "sampled_systems": [system],
        "outputs": [
            {"name": "x", "expression": "DX(m)"}, {"name": "v", "expression": "VX(m)"},
            {"name": "a", "expression": "ACCX(m)"}, {"name": "y", "expression": "SAMVAL(c, 1)"}
        ]
    })
}

#[test]
fn a_deadbeat_controller_brings_a_mass_to_rest_in_two_samples() {
    // Held accelerations a in N steps of backward Euler make of (x, v) after T = N h
    // (x + T v + b a, v + T a) with b = T**2 (1 + 1/N)/2. Both poles at zero: a = -(x + T k v)/T**2,
    // k = 2 - b/T**2.
    let period = 0.1;
    for steps in [1_u32, 4, 20] {
        let k = 2.0 - 0.5 * (1.0 + 1.0 / f64::from(steps));
        let stiffness = 2.0 / (period * period);
        let model = controlled(
            "SAMVAL(c, 1)",
            &json!({"name": "c", "sample_period": period, "inputs": ["DX(m)", "VX(m)"],
                    "d": [[-stiffness, -stiffness * period * k]]}),
        );
        let mut simulation = with_solver(&model, &json!({"integrator": "GSTIFF"}));
        start(&mut simulation, period / f64::from(steps));
        // The first sample acts from the very start.
        let first = -(1.0 + period * k * 0.5) / (period * period);
        assert!((output(&simulation, "a") - first).abs() < 1e-9);
        advance(&mut simulation, period);
        assert!(output(&simulation, "v").abs() > 1.0);
        for time in [0.2, 0.3, 0.7] {
            advance(&mut simulation, time);
            for name in ["x", "v"] {
                let rest = output(&simulation, name);
                assert!(
                    rest.abs() < 1e-12,
                    "{steps} steps, {time}, {name}: {rest:e}"
                );
            }
        }
    }
}

#[test]
fn every_scheme_holds_sampled_values_between_samples() {
    // A lag to a held value: v' = -5 (v - s) for one period, then the next s.
    let model = controlled(
        "-10*(VX(m) - SAMVAL(c, 1))",
        &json!({"name": "c", "sample_period": 0.2, "next": ["SAMSTA(c, 1) + 1"],
                "outputs": ["SAMSTA(c, 1)"], "initial": [1]}),
    );
    let decay = exp(-1.0);
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.0005);
        let mut v = 0.5;
        for k in 0..5 {
            let held = 1.0 + f64::from(k);
            assert_eq!(output(&simulation, "y"), held, "{name}");
            v = held + (v - held) * decay;
            advance(&mut simulation, 0.2 * f64::from(k + 1));
            let found = output(&simulation, "v");
            assert!((found - v).abs() < 4e-3, "{name}, sample {k}: {found} {v}");
        }
    }
}

#[test]
fn samples_are_counted_and_never_drift() {
    // A system that counts its samples.
    let model = |period: f64, offset: f64| {
        systems(
            &json!([{"name": "n", "sample_period": period, "offset": offset,
                     "next": ["SAMSTA(n, 1) + 1"], "outputs": ["SAMSTA(n, 1) + 1"]}]),
            &[("n", "SAMVAL(n, 1)")],
        )
    };
    // Far from zero, where a sum of periods would be off by many samples.
    for (far, h, period) in [(0.0, 1e-3, 7e-3), (1e6, 1e-3, 7e-3), (1e6, 1e-4, 7e-4)] {
        let mut simulation = build(&model(period, 0.0).to_string());
        simulation.set_step(h);
        simulation.initialize(far).unwrap();
        simulation.set_step(h);
        for step in 0..=7000_u32 {
            assert_eq!(
                output(&simulation, "n"),
                f64::from(step / 7 + 1),
                "{far} {step}"
            );
            simulation.step().unwrap();
        }
    }
    // A period that is no multiple of the step: the first step end that reaches the instant.
    let mut simulation = build(&model(2.5e-3, 4e-3).to_string());
    start(&mut simulation, 1e-3);
    let mut taken = Vec::new();
    for step in 1..=15_u32 {
        let before = output(&simulation, "n");
        simulation.step().unwrap();
        if output(&simulation, "n") > before {
            taken.push(step);
        }
    }
    assert_eq!(taken, [4, 7, 9, 12, 14]);
    // A step that passes several instants takes one sample, and says so beforehand.
    let mut simulation = build(&model(1e-3, 0.0).to_string());
    start(&mut simulation, 4e-3);
    for step in 0..10_u32 {
        assert_eq!(output(&simulation, "n"), f64::from(step + 1));
        simulation.step().unwrap();
    }
    assert!(
        findings(&simulation)
            .contains("sampled system \"n\", field sample_period: its period 0.001 s is shorter"),
    );
}

/// The findings of a simulation, a line each.
fn findings(simulation: &Simulation) -> String {
    let findings = simulation.findings();
    let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    findings.join("\n")
}

/// Instants between the ends of steps are warned of, whether by the period or by the offset; others are not.
#[test]
fn sample_instants_between_steps_get_a_warning() {
    let told = |period: f64, offset: f64| {
        let mut model = systems(
            &json!([{"name": "n", "sample_period": period, "offset": offset, "inputs": ["TIME"], "d": [[1]]}]),
            &[("n", "SAMVAL(n, 1)")],
        );
        model["experiment"] = json!({"start": 0, "stop": 1, "step": 0.002});
        model["solver"]["hratio"] = 2.into();
        let findings = findings(&build(&model.to_string()));
        let of_sampling = findings.lines().filter(|line| line.contains("-sampling]"));
        of_sampling.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(told(0.003, 0.0), "");
    assert_eq!(told(0.1 + 0.2, 0.7), "");
    assert_eq!(told(0.001, 0.005), "");
    let uneven = told(0.0025, 0.004);
    let start = "sampled system \"n\", field sample_period: its period 0.0025 s is no multiple of the integration step \
                 0.001 s";
    assert!(
        uneven.starts_with(start) && uneven.ends_with("[uneven-sampling]"),
        "{uneven}"
    );
    let late = told(0.003, 0.0005);
    let start = "sampled system \"n\", field offset: its offset 0.0005 s is no multiple";
    assert!(
        late.starts_with(start) && late.ends_with("[uneven-sampling]"),
        "{late}"
    );
    // A period of a thousand steps and a half.
    assert!(told(1.0005, 0.0).contains("no multiple"));
    let fast = told(0.0005, 0.0);
    assert!(
        fast.contains("is shorter than") && fast.ends_with("[slow-sampling]"),
        "{fast}"
    );
}

#[test]
fn sampled_systems_in_a_row_read_outputs_of_the_same_sample() {
    let step = |name: &str, from: &str| json!({"name": name, "sample_period": 0.01, "inputs": [from], "d": [[1]]});
    let model = systems(
        &json!([
            step("late", "SAMVAL(last, 1)"),
            step("first", "TIME"),
            step("last", "SAMVAL(first, 1)")
        ]),
        &[("last", "SAMVAL(last, 1)"), ("late", "SAMVAL(late, 1)")],
    );
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.01);
    advance(&mut simulation, 0.05);
    assert!((output(&simulation, "last") - 0.05).abs() < 1e-12);
    assert!((output(&simulation, "late") - 0.04).abs() < 1e-12);
}

#[test]
fn a_restored_run_samples_as_if_it_had_never_been_saved() {
    let model = controlled(
        "SAMVAL(c, 1)",
        &json!({"name": "c", "sample_period": 0.007, "inputs": ["DX(m)", "ACCX(m)"],
                "a": [[0.9]], "b": [[0.1, 0.001]], "c": [[-30]], "d": [[-20, -0.01]]}),
    );
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.002);
        advance(&mut simulation, 0.1);
        let mut bytes = vec![0; simulation.state_size()];
        simulation.save(&mut bytes);
        let shown = ["x", "v", "a", "y"].map(|o| output(&simulation, o));
        let mut goal = vec![0; bytes.len()];
        advance(&mut simulation, 0.3);
        simulation.save(&mut goal);
        simulation.restore(&bytes);
        assert_eq!(
            shown,
            ["x", "v", "a", "y"].map(|o| output(&simulation, o)),
            "{name}"
        );
        let mut again = vec![0; bytes.len()];
        simulation.save(&mut again);
        assert!(again == bytes, "{name}: a restored state is the saved one");
        advance(&mut simulation, 0.3);
        simulation.save(&mut again);
        assert!(again == goal, "{name}");
        let held = simulation.held(Held::Output(SampledId(0), 0));
        assert_eq!(held, output(&simulation, "y"), "{name}");
    }
}
