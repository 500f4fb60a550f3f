//! Couplers and gears against closed forms: flywheels, differential, rack, planet, pendulum.

use crate::harness::{advance, build, load, output, start};
use crate::states::{schemes, with_solver};
use fixstep_kernel::math::{cos, sin};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};
use std::f64::consts::PI;

/// Wheels on parallel axles, each with an applied torque: (inertia, torque).
fn wheels(all: &[(f64, f64)]) -> Value {
    let mut m = json!({
        "fixstep": 1, "name": "t", "parts": [], "markers": [], "joints": [], "forces": [],
        "outputs": [], "experiment": {"start": 0, "stop": 1, "step": 0.01}
    });
    let mut add = |list: &str, entity: Value| m[list].as_array_mut().unwrap().push(entity);
    for (k, (inertia, torque)) in all.iter().enumerate() {
        let (wheel, pin, post) = (format!("w{k}"), format!("i{k}"), format!("j{k}"));
        let place = json!([k, 0, 0]);
        // The x axes of the two markers are opposite, so the angle begins where it jumps.
        let turned = json!({"quaternion": [0, 0, 0, 1]});
        add(
            "parts",
            json!({"name": wheel, "mass": 1, "position": place,
            "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}}),
        );
        add(
            "markers",
            json!({"name": pin, "part": wheel, "orientation": turned}),
        );
        add(
            "markers",
            json!({"name": post, "part": "ground", "position": place}),
        );
        add("markers", json!({"name": format!("t{k}"), "part": wheel}));
        add(
            "joints",
            json!({"name": format!("a{k}"), "type": "revolute", "i": pin, "j": post}),
        );
        add(
            "forces",
            json!({"name": format!("f{k}"), "type": "action_only_torque",
            "i": format!("t{k}"), "j": post, "expression": torque}),
        );
        for (name, expression) in [
            (format!("rate{k}"), format!("WZ({pin})")),
            (format!("angle{k}"), format!("AZ({pin}, {post})")),
            (format!("turned{k}"), format!("AZ(t{k}, {post})")),
            (format!("acceleration{k}"), format!("WDTZ({pin})")),
            (format!("reaction{k}"), format!("TZ({pin}, {post}, {post})")),
        ] {
            add("outputs", json!({"name": name, "expression": expression}));
        }
    }
    m
}

fn close(got: f64, wanted: f64, tolerance: f64, what: &str) {
    let error = (got - wanted).abs() / wanted.abs().max(1.0);
    assert!(error < tolerance, "{what}: {got} against {wanted}");
}

/// α₁ = T/(J₁ + 9 J₂), through many turns of both wheels, under every scheme.
#[test]
fn geared_flywheels_accelerate_by_the_closed_form() {
    let (j1, j2, torque) = (0.4, 0.1, 13.0);
    let mut model = wheels(&[(j1, torque), (j2, 0.0)]);
    model["couplers"] = json!([{"name": "k", "joints": ["a0", "a1"], "scales": [3, 1]}]);
    let alpha = torque / (j1 + 9.0 * j2);
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        assert_eq!(simulation.degrees_of_freedom(), 1);
        start(&mut simulation, 0.01);
        for _ in 0..200 {
            let out = |what: &str| output(&simulation, what);
            let time = simulation.time();
            close(out("rate0"), alpha * time, 1e-9, name);
            close(out("rate1"), -3.0 * alpha * time, 1e-9, name);
            close(out("acceleration0"), alpha, 1e-7, name);
            close(out("turned1"), -3.0 * out("turned0"), 1e-9, name);
            close(out("reaction0"), j1 * alpha - torque, 1e-7, name);
            close(out("reaction1"), -3.0 * j2 * alpha, 1e-7, name);
            simulation.step().unwrap();
        }
        assert!(output(&simulation, "turned1") < -40.0, "{name}");
        assert!(
            simulation.figure(Figure::ConstraintViolation) < 1e-9,
            "{name}"
        );
        assert!(
            simulation.figure(Figure::VelocityViolation) < 1e-6,
            "{name}"
        );
    }
}

/// α_k = (T_k − s_k λ)/J_k with λ = Σ s T/J / Σ s²/J.
#[test]
fn a_differential_divides_torque_between_three_wheels() {
    let all = [(0.4, 2.0), (0.1, -1.0), (0.7, 5.0)];
    let scales = [1.0, 1.5, -2.0];
    let mut model = wheels(&all);
    model["couplers"] = json!([{"name": "k", "joints": ["a0", "a1", "a2"], "scales": scales}]);
    let sum = |f: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
        let terms = all.iter().zip(scales).map(|((j, t), s)| f(*j, *t, s));
        terms.sum()
    };
    let lambda = sum(&|j, t, s| s * t / j) / sum(&|j, _, s| s * s / j);
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        assert_eq!(simulation.degrees_of_freedom(), 2);
        start(&mut simulation, 0.01);
        for step in 0..=100 {
            for (k, ((inertia, torque), scale)) in all.iter().zip(scales).enumerate() {
                let alpha = (torque - scale * lambda) / inertia;
                let time = f64::from(step) * 0.01;
                close(
                    output(&simulation, &format!("rate{k}")),
                    alpha * time,
                    1e-9,
                    name,
                );
                let reaction = output(&simulation, &format!("reaction{k}"));
                close(reaction, -scale * lambda, 1e-7, name);
            }
            simulation.step().unwrap();
        }
    }
}

/// Initial angle and rate of one wheel, 0.4 rad and 2 rad/s, reach the other wheel: three times as large and backwards.
#[test]
fn the_start_follows_the_coupler() {
    let mut model = wheels(&[(0.4, 0.0), (0.1, 0.0)]);
    model["couplers"] = json!([{"name": "k", "joints": ["a0", "a1"], "scales": [3, 1]}]);
    model["joints"][0]["initial"] = json!({"angle": PI + 0.4, "angular_velocity": 2});
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.01);
    close(output(&simulation, "turned0"), 0.4, 1e-12, "angle");
    close(output(&simulation, "turned1"), -1.2, 1e-12, "coupled angle");
    close(output(&simulation, "rate1"), -6.0, 1e-12, "coupled rate");
}

/// A torsion spring on one wheel carries the torque on the other: φ₀ = −3 T/k.
#[test]
fn a_torsion_spring_balances_geared_wheels() {
    let mut model = wheels(&[(0.4, 0.0), (0.1, 2.0)]);
    model["couplers"] = json!([{"name": "k", "joints": ["a0", "a1"], "scales": [3, 1]}]);
    let spring = json!({"name": "s", "type": "torsion_spring_damper", "i": "t0", "j": "j0",
                        "stiffness": 30, "damping": 1});
    model["forces"].as_array_mut().unwrap().push(spring);
    model["start"] = json!({"equilibrium": {}});
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.01);
    close(output(&simulation, "turned0"), -0.2, 1e-9, "angle");
    close(output(&simulation, "turned1"), 0.6, 1e-9, "coupled angle");
    close(output(&simulation, "reaction1"), -2.0, 1e-9, "reaction");
}

/// A second coupler with the same equation is removed, and a note names it; one motion moves both wheels.
#[test]
fn a_redundant_coupler_is_named() {
    let mut model = wheels(&[(0.4, 0.0), (0.1, 0.0)]);
    model["couplers"] = json!([
        {"name": "first", "joints": ["a0", "a1"], "scales": [3, 1]},
        {"name": "again", "joints": ["a1", "a0"], "scales": [2, 6]}
    ]);
    model["motions"] = json!([{"name": "d", "joint": "a1", "displacement": "3 + 5*TIME**2"}]);
    let mut simulation = build(&model.to_string());
    let notes = simulation.notes().join("\n");
    assert!(notes.contains("removed: coupler \"again\", "), "{notes}");
    assert!(
        notes.contains("already held by coupler \"first\""),
        "{notes}"
    );
    assert_eq!(simulation.degrees_of_freedom(), 0);
    start(&mut simulation, 0.01);
    advance(&mut simulation, 1.0);
    close(
        output(&simulation, "turned0"),
        PI - 5.0 / 3.0,
        10.0,
        "angle",
    );
    close(output(&simulation, "rate0"), -10.0 / 3.0, 1e-9, "rate");
}

/// A rack of 2 kg at a pinion of radius 40 mm, by a coupler or by a gear: a = F/(m + J/r²).
#[test]
fn a_rack_accelerates_by_the_closed_form_in_millimetres() {
    let coupler = json!([{"name": "k", "joints": ["axle", "rail"], "scales": [40, 1]}]);
    let gear = json!([{"name": "k", "joints": ["axle", "rail"], "carrier": "contact"}]);
    let (mass, inertia, force) = (2.0, 3200.0, 30.0);
    let acceleration = force / (mass / 1000.0 + inertia / 1000.0 / 1600.0);
    for (couplers, gears) in [(coupler, json!([])), (json!([]), gear)] {
        let along = json!({"quaternion": [0.5_f64.sqrt(), 0, 0.5_f64.sqrt(), 0]});
        let model = json!({
            "fixstep": 1, "name": "t", "couplers": couplers, "gears": gears,
            "units": {"length": "mm", "mass": "kg", "force": "N", "time": "s", "angle": "deg"},
            "parts": [
                {"name": "pinion", "mass": 1, "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}},
                {"name": "rack", "mass": mass, "inertia": {"xx": 1, "yy": 1, "zz": 1},
                 "position": [0, 40, 0]}
            ],
            "markers": [
                {"name": "p", "part": "pinion"}, {"name": "post", "part": "ground"},
                {"name": "r", "part": "rack", "orientation": along},
                {"name": "bed", "part": "ground", "position": [0, 40, 0], "orientation": along},
                {"name": "contact", "part": "ground", "position": [0, 40, 0], "orientation": along},
                {"name": "push", "part": "rack", "orientation": along}
            ],
            "joints": [
                {"name": "axle", "type": "revolute", "i": "p", "j": "post"},
                {"name": "rail", "type": "translational", "i": "bed", "j": "r"}
            ],
            "forces": [{"name": "f", "type": "action_only_force", "i": "push", "j": "bed",
                        "expression": force}],
            "outputs": [
                {"name": "v", "expression": "VX(r)"}, {"name": "w", "expression": "WZ(p)"},
                {"name": "tooth", "expression": "FX(r, bed)"}
            ],
            "experiment": {"start": 0, "stop": 1, "step": 0.01}
        });
        // The rail's z runs from the rack to the bed: its coordinate grows backwards.
        let sign = if model["gears"] == json!([]) {
            1.0
        } else {
            -1.0
        };
        for (name, solver, _) in schemes() {
            let mut simulation = with_solver(&model, &solver);
            start(&mut simulation, 0.001);
            advance(&mut simulation, 0.05);
            let v = acceleration * simulation.time();
            close(output(&simulation, "v"), v, 1e-9, name);
            close(output(&simulation, "w"), sign * v / 40.0, 1e-9, name);
            let tooth = mass / 1000.0 * acceleration - force;
            close(output(&simulation, "tooth"), tooth, 1e-7, name);
        }
    }
}

/// A planet on an arm about a fixed sun, radii 40 and 20 mm: ω_planet = (1 + r_s/r_p) ω_arm.
#[test]
fn planet_and_carrier_turn_at_the_ratios_of_their_gears() {
    for (name, mut solver, order) in schemes() {
        if name.contains("linearly") {
            continue;
        }
        solver["fixit"] = json!(6);
        let text = std::fs::read_to_string(crate::harness::truth("K01_geared_train/model.json"));
        let model: Value = serde_json::from_str(&text.unwrap()).unwrap();
        let mut simulation = with_solver(&model, &solver);
        assert_eq!(simulation.degrees_of_freedom(), 2);
        start(&mut simulation, 1e-4);
        let energy =
            |s: &Simulation| s.figure(Figure::KineticEnergy) + s.figure(Figure::PotentialEnergy);
        let (first, mut worst, mut kinetic) = (energy(&simulation), 0.0_f64, 0.0_f64);
        for _ in 0..5000 {
            simulation.step().unwrap();
            let out = |what: &str| output(&simulation, what);
            close(out("planet"), 3.0 * out("arm_rate"), 1e-6, name);
            let sum = 2.0 * out("arm_rate") + 0.5 * out("wheel_rate") - 0.025 * out("slider_rate");
            close(sum, 0.0, 1e-6, name);
            worst = worst.max((energy(&simulation) - first).abs());
            kinetic = kinetic.max(simulation.figure(Figure::KineticEnergy));
        }
        let lost = worst / kinetic;
        eprintln!("{name}: energy off by {lost:.1e} of the kinetic energy");
        assert!(
            lost < if order > 1.5 { 1e-5 } else { 2e-2 },
            "{name}: {lost:e}"
        );
    }
}

/// Half a swing of a pendulum whose axle drives a flywheel: inertia J + 9 J₂, time by the
/// arithmetic-geometric mean.
#[test]
fn a_pendulum_drives_a_flywheel_through_a_coupler() {
    let (mass, length, inertia, flywheel, swing) = (2.0, 0.5, 0.3, 0.05, 1.0);
    let mut model = wheels(&[(inertia, 0.0), (flywheel, 0.0)]);
    model["gravity"] = json!([0, -9.81, 0]);
    model["parts"][0]["mass"] = json!(mass);
    model["parts"][0]["center_of_mass"] = json!([length * sin(swing), -length * cos(swing), 0]);
    model["couplers"] = json!([{"name": "k", "joints": ["a0", "a1"], "scales": [3, 1]}]);
    let (mut a, mut g) = (1.0, cos(swing / 2.0));
    for _ in 0..6 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    let whole = inertia + mass * length * length + 9.0 * flywheel;
    let half = PI * (whole / (mass * 9.81 * length)).sqrt() / a;
    for (name, solver, order) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        let steps = 2000;
        start(&mut simulation, half / f64::from(steps));
        for _ in 0..steps {
            simulation.step().unwrap();
        }
        let tolerance = if order > 1.5 { 1e-5 } else { 5e-3 };
        close(
            output(&simulation, "turned0"),
            -2.0 * swing,
            tolerance,
            name,
        );
        close(
            output(&simulation, "turned1"),
            6.0 * swing,
            3.0 * tolerance,
            name,
        );
    }
}

#[test]
fn a_restored_train_continues_with_the_same_bits() {
    let mut simulation = load("K01_geared_train/model.json");
    start(&mut simulation, 1e-3);
    advance(&mut simulation, 0.3);
    let mut saved = vec![0; simulation.state_size()];
    simulation.save(&mut saved);
    let mut fresh = load("K01_geared_train/model.json");
    start(&mut fresh, 1e-3);
    fresh.restore(&saved);
    let finish = |mut s: Simulation| {
        advance(&mut s, 0.6);
        let mut bytes = vec![0; s.state_size()];
        s.save(&mut bytes);
        bytes
    };
    assert_eq!(finish(simulation), finish(fresh));
}

/// Bevel wheels of radii 0.3 and 0.2 m on axles z and x that meet at the origin: the contact stands at
/// (0.3, 0, 0.2), its velocity along y. α₁ = T/(J₁ + J₂ (r₁/r₂)²), the other wheel the other way.
#[test]
fn a_bevel_gear_turns_shafts_across_each_other() {
    let (j1, j2, torque, ratio) = (0.4, 0.1, 3.0, 1.5);
    let mut model = wheels(&[(j1, torque), (j2, 0.0)]);
    let along_x = json!({"quaternion": [0.5_f64.sqrt(), 0, 0.5_f64.sqrt(), 0]});
    for (k, marker) in [(3, "i1"), (4, "j1")] {
        assert_eq!(model["markers"][k]["name"], marker);
        model["markers"][k]["orientation"] = along_x.clone();
    }
    let contact = json!({"name": "cv", "part": "ground", "position": [0.3, 0, 0.2],
        "orientation": {"quaternion": [0.5_f64.sqrt(), -0.5_f64.sqrt(), 0, 0]}});
    model["markers"].as_array_mut().unwrap().push(contact);
    model["gears"] = json!([{"name": "k", "joints": ["a0", "a1"], "carrier": "cv"}]);
    let rate = json!({"name": "wx1", "expression": "WX(i1)"});
    model["outputs"].as_array_mut().unwrap().push(rate);
    let alpha = torque / (j1 + j2 * ratio * ratio);
    for (name, solver, _) in schemes() {
        let mut simulation = with_solver(&model, &solver);
        start(&mut simulation, 0.01);
        advance(&mut simulation, 2.0);
        close(output(&simulation, "rate0"), 2.0 * alpha, 1e-9, name);
        close(output(&simulation, "wx1"), -2.0 * alpha * ratio, 1e-9, name);
    }
}

#[test]
fn couplers_and_gears_show_their_torques() {
    // Two wheels of 2 and 3 kg m² in mesh with radii 1 and 2: 9 N m on the first.
    let wheel = |name: &str, x: f64, inertia: f64| {
        json!({"name": name, "mass": 1, "position": [x, 0, 0],
               "inertia": {"xx": inertia, "yy": inertia, "zz": inertia}})
    };
    let mut model = json!({
        "fixstep": 1, "name": "mesh",
        "parts": [wheel("a", 0.0, 2.0), wheel("b", 3.0, 3.0)],
        "markers": [
            {"name": "ia", "part": "a"}, {"name": "ib", "part": "b"},
            {"name": "jb", "part": "ground", "position": [3, 0, 0]},
            {"name": "mesh", "part": "ground", "position": [1, 0, 0],
             "orientation": {"z_point": [1, 1, 0]}}
        ],
        "joints": [
            {"name": "ja", "type": "revolute", "i": "ia", "j": "ground"},
            {"name": "jb", "type": "revolute", "i": "ib", "j": "jb"}
        ],
        "gears": [{"name": "g", "joints": ["ja", "jb"], "carrier": "mesh"}],
        "forces": [{"name": "drive", "type": "torque", "i": "ia", "j": "ground", "expression": 9}],
        "outputs": [
            {"name": "on_a", "expression": "GEAR(g, ja, 0, 8)"},
            {"name": "on_b", "expression": "GEAR(g, jb, 0, 8, ib)"},
            {"name": "on_ground", "expression": "GEAR(g, jb, 1, 8)"}
        ]
    });
    // a's rate is −2 of b's: (2 + 3/4) α = 9.
    let acceleration = 9.0 / 2.75;
    let check = |model: &Value| {
        let mut simulation = build(&model.to_string());
        start(&mut simulation, 1e-3);
        advance(&mut simulation, 0.1);
        let close = |name: &str, wanted: f64| {
            let got = output(&simulation, name);
            assert!(
                (got - wanted).abs() < 1e-9,
                "{name}: {got} against {wanted}"
            );
        };
        close("on_a", 2.0 * acceleration - 9.0);
        close("on_b", -3.0 * acceleration / 2.0);
        close("on_ground", 3.0 * acceleration / 2.0);
    };
    check(&model);
    model["gears"] = json!([]);
    model["couplers"] = json!([{"name": "g", "joints": ["ja", "jb"], "scales": [1, 2]}]);
    let text = model.to_string().replace("GEAR(", "COUPLER(");
    check(&serde_json::from_str(&text).unwrap());
}
