//! Step-exact sequences of backward Euler: oscillator, Duffing oscillator with counted iterations,
//! index-3 pendulum, and a ball on a contact force.

use crate::harness::{Table, advance, build, json, output, start, truth};
use fixstep_kernel::simulation::Simulation;

/// Model text with one solver setting replaced.
fn with_solver(path: &str, solver: &serde_json::Value) -> String {
    let mut model: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(truth(path)).unwrap()).unwrap();
    model["solver"] = solver.clone();
    model.to_string()
}

/// A model under GSTIFF/I3, its other settings kept.
fn backward_euler(path: &str) -> Simulation {
    let text = std::fs::read_to_string(truth(path)).unwrap();
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    model["solver"]["integrator"] = "GSTIFF".into();
    build(&model.to_string())
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().unwrap()
}

/// An output; of accelerations the scheme's own, which belongs to an instant within the step.
fn own(simulation: &mut Simulation, column: &str) -> f64 {
    let part = simulation.part();
    let (a, _) = part.state.rates(part.system.layout.acceleration, 1);
    match column {
        "a" | "ax" => a.x,
        "ay" => a.y,
        _ => output(simulation, column),
    }
}

#[test]
fn oscillator_follows_backward_euler_to_round_off() {
    let case = json("G01_oscillator_recurrences/reference.json");
    let mut simulation = backward_euler("G01_oscillator_recurrences/model.json");
    start(&mut simulation, 0.01);
    for row in case["sequences"]["BE"].as_array().unwrap() {
        advance(&mut simulation, number(&row[0]));
        for (k, name) in ["x", "v", "a"].iter().enumerate() {
            let (got, wanted) = (output(&simulation, name), number(&row[k + 1]));
            let scale = [1.0, 1.0, 100.0][k];
            assert!(
                (got - wanted).abs() < 1e-13 * scale,
                "{name} at {}: {got} {wanted}",
                row[0]
            );
        }
    }
}

#[test]
fn a_spring_by_a_spline_through_a_line_is_the_linear_spring() {
    let case = json("G01_oscillator_recurrences/reference.json");
    let path = truth("G01_oscillator_recurrences/model.json");
    let mut model: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let linear = model["forces"][0]["fx"].as_str().unwrap().to_owned();
    assert!(linear.contains("-100*DX(m)"), "{linear}");
    let x = [-0.7, -0.2, 0.1, 0.5, 0.6];
    let y = x.map(|x| -100.0 * x);
    model["splines"] = serde_json::json!([{"name": "spring", "x": x, "y": y}]);
    for function in [
        "AKISPL(DX(m),0,spring)",
        "CUBSPL(DX(m),0,spring)",
        "INTERP(DX(m),1,spring)",
    ] {
        let text = linear.replace("-100*DX(m)", &format!("+{function}"));
        model["forces"][0]["fx"] = text.into();
        model["solver"]["integrator"] = "GSTIFF".into();
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 0.01);
        for row in case["sequences"]["BE"].as_array().unwrap() {
            advance(&mut simulation, number(&row[0]));
            let error = (output(&simulation, "x") - number(&row[1])).abs();
            assert!(error < 1e-13, "{function} at {}: {error:e}", row[0]);
        }
    }
}

#[test]
fn iterations_and_pattern_follow_the_settings_to_round_off() {
    let case = json("G07_fixed_newton_iterations/reference.json");
    let mut runs = 0;
    for (run, expected) in case["runs"].as_object().unwrap() {
        let Some(fixit) = run
            .strip_prefix("FIXIT")
            .and_then(|r| r.chars().next()?.to_digit(10))
        else {
            continue;
        };
        runs += 1;
        let letters: String = run
            .split('_')
            .nth(1)
            .unwrap()
            .split('(')
            .next()
            .unwrap()
            .to_owned();
        let pattern: Vec<String> = letters.chars().map(String::from).collect();
        let mut solver = serde_json::json!({"integrator": "GSTIFF", "fixit": fixit});
        if !run.contains("default") {
            solver["pattern"] = pattern.join(":").into();
        }
        let mut simulation = build(&with_solver(
            "G07_fixed_newton_iterations/model.json",
            &solver,
        ));
        start(&mut simulation, 0.02);
        let mut jacobians = 0;
        let mut rows: Vec<&serde_json::Value> = expected["steps_1_to_5"]
            .as_array()
            .unwrap()
            .iter()
            .collect();
        rows.extend([&expected["step_10"], &expected["step_50"]]);
        for row in rows {
            while simulation.time() < number(&row[0]) - 1e-9 {
                let report = simulation.step().unwrap();
                assert_eq!(report.iterations, fixit);
                jacobians += u64::from(report.jacobians);
            }
            for (name, wanted) in [("x", &row[1]), ("v", &row[2])] {
                let error = (output(&simulation, name) - number(wanted)).abs();
                assert!(
                    error < 1e-12,
                    "{run} {name} at {}: off by {error:e}",
                    row[0]
                );
            }
        }
        assert_eq!(
            jacobians,
            expected["jacobian_evaluations_50_steps"].as_u64().unwrap(),
            "{run}"
        );
    }
    assert!(runs >= 6, "{runs}");
}

#[test]
fn pendulum_follows_index_3_backward_euler() {
    let case = json("G03_pendulum_index3_steps/reference.json");
    let mut simulation = backward_euler("G03_pendulum_index3_steps/model.json");
    start(&mut simulation, 0.01);
    for row in case["sequences"]["BE_I3"]
        .as_array()
        .unwrap()
        .iter()
        .skip(1)
    {
        advance(&mut simulation, number(&row[0]));
        for (k, name) in ["x", "y", "vx", "vy", "ax", "ay", "lam"].iter().enumerate() {
            let (got, wanted) = (output(&simulation, name), number(&row[k + 1]));
            let tolerance = if k < 2 {
                1e-11
            } else {
                1e-9 * (1.0 + wanted.abs())
            };
            assert!(
                (got - wanted).abs() < tolerance,
                "{name} at {}: {got} {wanted}",
                row[0]
            );
        }
    }
}

#[test]
fn positions_do_not_drift_and_velocities_stay_near() {
    use fixstep_kernel::simulation::Figure;
    let case = json("G05_constraint_drift/reference.json");
    let expected = &case["results"]["BE_I3"];
    let mut simulation = backward_euler("G03_pendulum_index3_steps/model.json");
    start(&mut simulation, 0.01);
    let (mut position, mut velocity) = (0.0_f64, 0.0_f64);
    let mut energies = Vec::new();
    for step in 1..=300 {
        simulation.step().unwrap();
        position = position.max(simulation.figure(Figure::ConstraintViolation));
        velocity = velocity.max(simulation.figure(Figure::VelocityViolation));
        if step % 100 == 0 {
            energies.push(
                simulation.figure(Figure::KineticEnergy)
                    + simulation.figure(Figure::PotentialEnergy),
            );
        }
    }
    assert!(position < 1e-15, "{position:e}");
    let wanted = number(&expected["max_velocity_violation"]);
    assert!(
        (velocity / wanted - 1.0).abs() < 1e-6,
        "{velocity} {wanted}"
    );
    for (got, wanted) in energies
        .iter()
        .zip(expected["energy_at_1_2_3s"].as_array().unwrap())
    {
        assert!((got / number(wanted) - 1.0).abs() < 1e-6, "{got} {wanted}");
    }
}

#[test]
fn ball_bounces_as_the_reference_in_the_limit_of_small_steps() {
    let table = Table::read("H02_impact_bistop/ball.csv");
    let rows: Vec<_> = table.rows.iter().filter(|r| r[0] <= 0.36 + 1e-9).collect();
    let run = |h: f64| {
        let mut simulation = backward_euler("H02_impact_bistop/model.json");
        start(&mut simulation, h);
        rows.iter()
            .map(|row| {
                advance(&mut simulation, row[0]);
                output(&simulation, "z")
            })
            .collect::<Vec<_>>()
    };
    let (coarse, fine) = (run(2e-5), run(1e-5));
    let error = |z: &[f64]| {
        z.iter()
            .zip(&rows)
            .map(|(z, row)| (z - row[1]).abs())
            .fold(0.0, f64::max)
    };
    let extrapolated: Vec<f64> = fine.iter().zip(&coarse).map(|(f, c)| 2.0 * f - c).collect();
    let order = (error(&coarse) / error(&fine)).log2();
    eprintln!(
        "ball: {:e} {:e} {:e}",
        error(&coarse),
        error(&fine),
        error(&extrapolated)
    );
    assert!((order - 1.0).abs() < 0.2, "order {order}");
    assert!(error(&extrapolated) < 1e-7, "{:e}", error(&extrapolated));
}

#[test]
fn numerical_damping_is_that_of_backward_euler() {
    let case = json("G02_spectral_radius/reference.json");
    let h = 0.01;
    for row in case["tables"]["BE"].as_array().unwrap() {
        let (phase, radius) = (number(&row[0]), number(&row[1]));
        if phase > 10.0 {
            continue;
        }
        let path = truth("G01_oscillator_recurrences/model.json");
        let mut model: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let stiffness = (phase / h) * (phase / h);
        model["forces"][0]["fx"] = format!("-{stiffness:e}*DX(m)").into();
        model["solver"]["integrator"] = "GSTIFF".into();
        let mut simulation = build(&model.to_string());
        start(&mut simulation, h);
        let x: Vec<f64> = (0..4)
            .map(|_| {
                simulation.step().unwrap();
                output(&simulation, "x")
            })
            .collect();
        // For x_n = Re(C z^n) the quantity x_{n+1}² − x_n x_{n+2} shrinks by |z|² a step.
        let quantity = |n: usize| x[n + 1] * x[n + 1] - x[n] * x[n + 2];
        let measured = (quantity(1) / quantity(0)).sqrt();
        assert!(
            (measured / radius - 1.0).abs() < 1e-9,
            "{phase}: {measured} {radius}"
        );
    }
}

/// The schemes of the family by the names that the references use.
fn family(name: &str) -> Option<serde_json::Value> {
    let alpha = |a: f64| serde_json::json!({"fixit": 10, "integrator": "HHT", "alpha": a});
    if name.starts_with("NEWMARK") || name.starts_with("Newmark") {
        return Some(serde_json::json!({"fixit": 10, "integrator": "NEWMARK"}));
    }
    let alpha_of = |text: &str| match text {
        "-1/3" => Some(-1.0 / 3.0),
        "0(trapezoidal)" => Some(0.0),
        number => number.parse().ok(),
    };
    let text = name.strip_prefix("HHT_")?.trim_start_matches("I3_");
    alpha_of(text).map(alpha)
}

#[test]
fn oscillator_follows_the_alpha_family_to_round_off() {
    let case = json("G01_oscillator_recurrences/reference.json");
    let mut runs = 0;
    for (name, rows) in case["sequences"].as_object().unwrap() {
        let Some(solver) = family(name) else { continue };
        runs += 1;
        let text = with_solver("G01_oscillator_recurrences/model.json", &solver);
        let mut simulation = build(&text);
        start(&mut simulation, 0.01);
        for row in rows.as_array().unwrap() {
            advance(&mut simulation, number(&row[0]));
            for (k, column) in ["x", "v", "a"].iter().enumerate() {
                let (got, wanted) = (own(&mut simulation, column), number(&row[k + 1]));
                let scale = [1.0, 1.0, 100.0][k];
                let error = (got - wanted).abs();
                assert!(
                    error < 2e-13 * scale,
                    "{name} {column} at {}: {error:e}",
                    row[0]
                );
            }
        }
    }
    assert!(runs >= 5, "{runs}");
}

#[test]
fn pendulum_follows_the_alpha_family() {
    let case = json("G03_pendulum_index3_steps/reference.json");
    let mut runs = 0;
    for (name, rows) in case["sequences"].as_object().unwrap() {
        let Some(solver) = family(name) else { continue };
        runs += 1;
        let text = with_solver("G03_pendulum_index3_steps/model.json", &solver);
        let mut simulation = build(&text);
        start(&mut simulation, 0.01);
        for row in rows.as_array().unwrap().iter().skip(1) {
            advance(&mut simulation, number(&row[0]));
            for (k, column) in ["x", "y", "vx", "vy", "ax", "ay", "lam"].iter().enumerate() {
                let (got, wanted) = (own(&mut simulation, column), number(&row[k + 1]));
                let tolerance = if k < 4 {
                    1e-9
                } else {
                    1e-6 * (1.0 + wanted.abs())
                };
                let error = (got - wanted).abs();
                assert!(
                    error < tolerance,
                    "{name} {column} at {}: {got} {wanted}",
                    row[0]
                );
            }
        }
    }
    assert!(runs >= 3, "{runs}");
}

#[test]
fn numerical_damping_is_that_of_the_alpha_family() {
    let case = json("G02_spectral_radius/reference.json");
    let h = 0.01;
    let mut runs = 0;
    for (name, rows) in case["tables"].as_object().unwrap() {
        let Some(solver) = family(name) else { continue };
        runs += 1;
        for row in rows.as_array().unwrap() {
            let (phase, Some(radius)) = (number(&row[0]), row[2].as_f64()) else {
                continue;
            };
            if !(0.05..=2.0).contains(&phase) {
                continue;
            }
            let mut model: serde_json::Value = serde_json::from_str(&with_solver(
                "G01_oscillator_recurrences/model.json",
                &solver,
            ))
            .unwrap();
            model["solver"]["guard"] = "off".into();
            let stiffness = (phase / h) * (phase / h);
            model["forces"][0]["fx"] = format!("-{stiffness:e}*DX(m)").into();
            let mut simulation = build(&model.to_string());
            start(&mut simulation, h);
            // Let the spurious root die, then measure the principal pair.
            let mut x = Vec::new();
            for _ in 0..64 {
                simulation.step().unwrap();
                x.push(output(&simulation, "x"));
            }
            let quantity = |n: usize| x[n + 1] * x[n + 1] - x[n] * x[n + 2];
            let measured = fixstep_kernel::math::pow(quantity(60) / quantity(40), 1.0 / 40.0);
            assert!(
                (measured / radius - 1.0).abs() < 1e-6,
                "{name} {phase}: {measured} {radius}"
            );
        }
    }
    assert!(runs >= 5, "{runs}");
}
