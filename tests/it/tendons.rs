//! Tendons: against a spring-damper, closed forms, free flight where they are slack, and the account of energies.

use crate::harness::{advance, build, output, start};
use fixstep_kernel::ids::ParameterId;
use fixstep_kernel::simulation::{Figure, Simulation};
use serde_json::{Value, json};

const G: f64 = 9.81;

/// Points of ground and point masses along z, and a tendon over some of them.
fn model(masses: &Value, points: &[&str], tendon: &Value) -> Value {
    let mut markers = vec![
        json!({"name": "g1", "part": "ground", "position": [0, 0, 2]}),
        json!({"name": "g2", "part": "ground", "position": [1, 0, 2]}),
    ];
    for mass in masses.as_array().into_iter().flatten() {
        markers.push(
            json!({"name": format!("m{}", mass["name"].as_str().unwrap()), "part": mass["name"]}),
        );
    }
    let mut rope = tendon.clone();
    rope["name"] = json!("rope");
    rope["type"] = json!("tendon");
    rope["points"] = json!(points);
    json!({
        "fixstep": 1, "name": "tendon", "gravity": [0, 0, -G],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "point_masses": masses, "markers": markers, "forces": [rope],
        "outputs": [
            {"name": "t", "expression": "TENSION(rope)"},
            {"name": "z", "expression": "DZ(ma)"},
            {"name": "v", "expression": "VZ(ma)"},
            {"name": "se", "expression": "SE(rope)"},
            {"name": "power", "expression": "POWER(rope)"},
            {"name": "lost", "expression": "DISSIPATION(rope)"}
        ],
        "experiment": {"step": 1e-3}
    })
}

fn states(simulation: &Simulation, names: &[&str]) -> Vec<f64> {
    names.iter().map(|name| output(simulation, name)).collect()
}

#[test]
fn between_two_points_and_taut_it_is_a_spring_damper() {
    let masses = json!([{"name": "a", "mass": 2, "position": [0.1, 0, 0.98], "velocity": [0.02, 0.05, -0.02]}]);
    // From the stretch of full damping on, both have the same law.
    let tendon = json!({"stiffness": 900, "damping": 15, "length": 1.0, "damping_stretch": 1e-6});
    let rope = model(&masses, &["g1", "ma"], &tendon);
    let mut spring = rope.clone();
    spring["forces"] = json!([{"name": "rope", "type": "spring_damper", "i": "ma", "j": "g1",
                               "stiffness": 900, "damping": 15, "length": 1.0}]);
    spring["outputs"][0]["expression"] = json!("FM(ma, g1)");
    // Both with a Jacobian in every iteration.
    spring["solver"] = json!({"pattern": "T", "fixit": 2});
    let [mut rope, mut spring] = [rope, spring].map(|model| build(&model.to_string()));
    start(&mut rope, 1e-3);
    start(&mut spring, 1e-3);
    for k in 1..=10 {
        advance(&mut rope, 0.02 * f64::from(k));
        advance(&mut spring, 0.02 * f64::from(k));
        let names = ["t", "z", "v", "se", "power", "lost"];
        for (a, b) in states(&rope, &names).iter().zip(states(&spring, &names)) {
            assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} {b}");
        }
        assert!(output(&rope, "t") > 0.0);
    }
}

#[test]
fn the_strands_of_a_tackle_share_the_load() {
    for n in 1..=6_usize {
        let points: Vec<&str> = (0..=n).map(|k| ["g1", "ma"][k % 2]).collect();
        let masses = json!([{"name": "a", "mass": 12, "position": [0, 0, 0]}]);
        let tendon = json!({"stiffness": 5e4, "length": 2.0 * n as f64});
        let mut tackle = model(&masses, &points, &tendon);
        tackle["start"] = json!({"equilibrium": {}});
        let mut simulation = build(&tackle.to_string());
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.05);
        let tension = 12.0 * G / n as f64;
        let sag = tension / 5e4 / n as f64;
        let [t, z] = [output(&simulation, "t"), output(&simulation, "z")];
        assert!((t - tension).abs() < 1e-6 * tension, "{n}: {t}");
        assert!((z + sag).abs() < 1e-6 * sag, "{n}: {z}");
        let energy = 0.5 * tension * tension / 5e4;
        assert!((output(&simulation, "se") - energy).abs() < 1e-6 * energy);
    }
}

#[test]
fn over_a_fixed_point_two_masses_accelerate_as_in_atwoods_machine() {
    let (m1, m2) = (3.0, 2.0);
    let (k, tension) = (1e4, 2.0 * m1 * m2 * G / (m1 + m2));
    let masses = json!([{"name": "a", "mass": m1, "position": [0, 0, 1]},
                        {"name": "b", "mass": m2, "position": [1, 0, 1]}]);
    // It starts with the stretch of steady acceleration, which it keeps.
    let tendon = json!({"stiffness": k, "damping": 20, "length": 3.0 - tension / k});
    let mut simulation = build(&model(&masses, &["ma", "g1", "g2", "mb"], &tendon).to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.3);
    let time = simulation.time();
    let fallen = 0.5 * (m1 - m2) / (m1 + m2) * G * time * time;
    let [t, z] = [output(&simulation, "t"), output(&simulation, "z")];
    assert!((t - tension).abs() < 1e-6 * tension, "{t} {tension}");
    assert!((1.0 - z - fallen).abs() < 2e-6, "{z} {fallen}");
}

#[test]
fn slack_it_exerts_nothing_and_taut_it_gives_the_energy_back() {
    let masses = json!([{"name": "a", "mass": 1, "position": [0, 0, 1.5], "velocity": [0, 0, -1]}]);
    let tendon = json!({"stiffness": 2e3, "length": 1.2});
    let mut simulation = build(&model(&masses, &["g1", "ma"], &tendon).to_string());
    start(&mut simulation, 1e-4);
    let before = 1.5 * G + 0.5;
    let (mut taut, mut slack_again) = (false, false);
    while simulation.time() < 0.5 {
        simulation.step().unwrap();
        let [t, z, v, se] = ["t", "z", "v", "se"].map(|name| output(&simulation, name));
        let time = simulation.time();
        if z > 0.8 {
            assert_eq!((t, se), (0.0, 0.0));
            slack_again |= taut;
            if !taut {
                let free = 1.5 - time - 0.5 * G * time * time;
                assert!((z - free).abs() < 1e-5, "{time}: {z} {free}");
            }
        } else {
            taut = true;
            assert!((t - 2e3 * (0.8 - z)).abs() < 1e-6 * t.max(1.0));
        }
        let energy = z * G + 0.5 * v * v + se;
        assert!((energy - before).abs() < 5e-3 * before, "{time}: {energy}");
    }
    assert!(slack_again);
}

#[test]
fn its_powers_and_energies_are_those_of_all_its_pieces() {
    let masses = json!([{"name": "a", "mass": 3, "position": [0.2, 0.1, 0.9], "velocity": [0, 0.5, -1]},
                        {"name": "b", "mass": 2, "position": [0.8, 0, 1.1], "velocity": [0.3, 0, 0]}]);
    let tendon = json!({"stiffness": 800, "damping": 30, "length": 4.0, "damping_stretch": 0.1});
    let points = ["g1", "ma", "g2", "mb", "g1"];
    let mut simulation = build(&model(&masses, &points, &tendon).to_string());
    let h = 1e-4;
    start(&mut simulation, h);
    advance(&mut simulation, 0.02);
    let (mut lost, mut unbalanced, mut exchanged) = (0.0, 0.0, 0.0);
    for _ in 0..3000 {
        let of =
            |simulation: &Simulation| ["se", "lost", "power"].map(|name| output(simulation, name));
        let before = of(&simulation);
        simulation.step().unwrap();
        let after = of(&simulation);
        let [_, dissipation, power] = [0, 1, 2].map(|k| 0.5 * (before[k] + after[k]));
        let rate = (after[0] - before[0]) / h;
        assert!(after[1] >= 0.0);
        lost += h * dissipation;
        unbalanced += h * (power + dissipation + rate).abs();
        exchanged += h * rate.abs();
    }
    // The corners of T in time are what the trapezoidal rule misses.
    assert!(unbalanced < 1e-3 * exchanged, "{unbalanced} {exchanged}");
    let figure = |figure| simulation.figure(figure);
    assert!(lost > 0.1, "{lost}");
    assert!((figure(Figure::StrainEnergy) - output(&simulation, "se")).abs() < 1e-12);
    assert_eq!(figure(Figure::Work), 0.0);
    let error = figure(Figure::EnergyError);
    assert!(error.abs() < 2e-3 * lost.max(1.0), "{error} of {lost}");
}

#[test]
fn a_parameter_winds_it_up() {
    let masses = json!([{"name": "a", "mass": 1, "position": [0, 0, 1]}]);
    let tendon = json!({"stiffness": 1e3, "damping": 50, "length": "=wound"});
    let mut winch = model(&masses, &["g1", "ma"], &tendon);
    winch["parameters"] = json!([{"name": "wound", "start": 1.0, "tunable": true}]);
    let mut simulation = build(&winch.to_string());
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 1.0);
    let low = output(&simulation, "z");
    simulation.set_parameter(ParameterId(0), 0.9).unwrap();
    advance(&mut simulation, 3.0);
    let high = output(&simulation, "z");
    assert!((high - low - 0.1).abs() < 1e-4, "{low} {high}");
}
