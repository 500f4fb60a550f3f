//! Points and curves on curves, and general constraints, against closed forms.

use crate::harness::{advance, build, output, start};
use crate::states::{keeps_order, schemes, with_solver};
use fixstep_kernel::math::{cos, sin};
use fixstep_kernel::simulation::Figure;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// The schemes with numerical damping: under the others, multipliers of constraints oscillate.
fn damped() -> impl Iterator<Item = (&'static str, Value, f64)> {
    let undamped = ["NEWMARK 1/4, 1/2", "HHT 0", "GENALPHA 1"];
    schemes()
        .into_iter()
        .filter(move |(name, ..)| !undamped.contains(name))
}

/// A bead of 2 kg on a wire of ground, with gravity along −z, let go at a place.
fn bead(curve: &Value, place: [f64; 3]) -> Value {
    json!({
        "fixstep": 1, "name": "bead", "gravity": [0, 0, -G],
        "curves": [curve],
        "point_masses": [{"name": "bead", "mass": 2, "position": place, "velocity": [0, 0, 0]}],
        "markers": [{"name": "m", "part": "bead"}],
        "joints": [{"name": "wire", "type": "point_on_curve", "i": "m", "j": "ground",
                    "curve": "wire"}],
        "outputs": [
            {"name": "x", "expression": "DX(m)"},
            {"name": "z", "expression": "DZ(m)"},
            {"name": "arc", "expression": "ARC(wire)"},
            {"name": "speed", "expression": "VM(m)"},
            {"name": "push", "expression": "PTCV(wire, 0, 1)"},
            {"name": "on_wire", "expression": "PTCV(wire, 1, 4)"}
        ]
    })
}

/// A cycloid with its lowest point at the origin, which a circle of radius ¼ m draws.
fn cycloid() -> Value {
    json!({"name": "wire", "x": "0.25*(s + SIN(s))", "z": "0.25*(1 - COS(s))", "y": 0,
           "from": -2.8, "to": 2.8})
}

#[test]
fn a_bead_on_a_cycloid_swings_alike_from_every_height() {
    // Along the arc q = 4 r sin(s/2) from the lowest point: q'' = −g/(4 r) q.
    let r = 0.25;
    let rate = (G / (4.0 * r)).sqrt();
    let half = 4.0 * r * sin(1.4);
    let from = |s: f64| [r * (s + sin(s)), 0.0, r * (1.0 - cos(s))];
    let exact = |s: f64, t: f64| {
        let q = 4.0 * r * sin(s / 2.0) * cos(rate * t);
        vec![("arc", half + q), ("z", q * q / (8.0 * r))]
    };
    keeps_order("cycloid", &bead(&cycloid(), from(0.4)), &|t| exact(0.4, t));
    for s in [0.1, 1.5, 2.4] {
        let hht = json!({"integrator": "HHT"});
        let mut simulation = with_solver(&bead(&cycloid(), from(s)), &hht);
        start(&mut simulation, 1e-3);
        for k in 1..20 {
            advance(&mut simulation, 0.2 * f64::from(k));
            for (name, wanted) in exact(s, simulation.time()) {
                let off = (output(&simulation, name) - wanted).abs();
                assert!(off < 4e-5, "from {s}, {name}: off by {off}");
            }
        }
    }
}

#[test]
fn a_bead_on_a_helix_falls_like_on_an_incline() {
    // Radius 0.3 m, 0.1 m down per radian: slope sine 0.1/√0.1; N² = (m g cos)² + (m v² κ)².
    let curve = json!({"name": "wire", "x": "0.3*COS(s)", "y": "0.3*SIN(s)", "z": "-0.1*s",
                       "from": -1, "to": 60, "pieces": 3000});
    let length = 0.1_f64.sqrt();
    let sine = 0.1 / length;
    let across = (1.0 - sine * sine).sqrt();
    for (name, solver, order) in damped() {
        let mut simulation = with_solver(&bead(&curve, [0.3, 0.0, 0.0]), &solver);
        start(&mut simulation, 1e-3);
        let first = output(&simulation, "arc");
        assert!((first - length).abs() < 1e-12);
        let rest = (output(&simulation, "push") - 2.0 * G * across).abs();
        assert!(rest < 1e-9, "{name}: {rest}");
        advance(&mut simulation, 1.0);
        let (along, speed) = (G * sine / 2.0, G * sine);
        let tolerance = if order > 1.5 { 3e-4 } else { 3e-2 };
        let off = (output(&simulation, "arc") - first - along).abs();
        assert!(off < tolerance, "{name}: arc off by {off}");
        let bend = 0.3 / (length * length);
        let push = 2.0 * (G * across).hypot(speed * speed * bend);
        let off = (output(&simulation, "push") / push - 1.0).abs();
        assert!(off < 100.0 * tolerance, "{name}: push off by {off}");
    }
}

#[test]
fn a_bead_on_a_parabola_keeps_its_energy_and_pushes_as_it_must() {
    // z = x²/2 from x = 1: at the lowest point v² = g, N = m (g + v²).
    let curve = json!({"name": "wire", "x": "s", "y": 0, "z": "s*s/2", "from": -2, "to": 2});
    let solver = json!({"integrator": "HHT", "alpha": 0});
    let mut simulation = with_solver(&bead(&curve, [1.0, 0.0, 0.5]), &solver);
    start(&mut simulation, 2e-4);
    let (mut before, mut pushed) = ((1.0, 0.0), false);
    while simulation.time() < 1.0 {
        simulation.step().unwrap();
        let (x, z, v) = (
            output(&simulation, "x"),
            output(&simulation, "z"),
            output(&simulation, "speed"),
        );
        assert!((z - x * x / 2.0).abs() < 1e-12);
        assert!(
            (v * v / 2.0 + G * z - G / 2.0).abs() < 1e-5,
            "{}",
            simulation.time()
        );
        let push = output(&simulation, "push");
        if before.0 > 0.0 && x <= 0.0 {
            let share = before.0 / (before.0 - x);
            let lowest = before.1 + share * (push - before.1);
            assert!((lowest - 2.0 * (G + G)).abs() < 5e-3, "{lowest}");
            let on_wire = output(&simulation, "on_wire");
            assert!((on_wire + push).abs() < 1e-2, "{on_wire} {push}");
            pushed = true;
        }
        before = (x, push);
    }
    assert!(pushed);
}

#[test]
fn a_bead_on_a_circle_is_a_pendulum() {
    let curve = json!({"name": "wire", "x": "SIN(s)", "y": 0, "z": "-COS(s)", "pieces": 400,
                       "from": -3.2, "to": 3.083_185_307_179_586, "closed": true});
    let place = [0.8, 0.0, -0.6];
    let on_wire = bead(&curve, place);
    let mut on_rod = on_wire.clone();
    on_rod["joints"] = json!([
        {"name": "rod", "type": "distance", "i": "m", "j": "ground", "length": 1},
        {"name": "plane", "type": "in_plane", "i": "m", "j": "flat"}
    ]);
    let flat = json!({"name": "flat", "part": "ground",
                      "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}});
    on_rod["markers"].as_array_mut().unwrap().push(flat);
    on_rod["outputs"] = json!([{"name": "x", "expression": "DX(m)"},
                               {"name": "push", "expression": "FM(m, ground)"}]);
    for (name, solver, _) in damped() {
        let [mut wire, mut rod] = [&on_wire, &on_rod].map(|m| with_solver(m, &solver));
        for simulation in [&mut wire, &mut rod] {
            start(simulation, 1e-3);
            advance(simulation, 2.0);
        }
        let off = (output(&wire, "x") - output(&rod, "x")).abs();
        assert!(off < 1e-8, "{name}: {off}");
        let off = (output(&wire, "push") - output(&rod, "push")).abs();
        assert!(off < 1e-5, "{name}: {off}");
    }
}

/// A point mass of 1 kg under gravity, held by joints and general constraints.
fn held(joints: &Value, constraints: &Value) -> Value {
    json!({
        "fixstep": 1, "name": "held", "gravity": [0, -G, 0],
        "point_masses": [{"name": "p", "mass": 1, "position": [0.6, -0.8, 0]}],
        "markers": [{"name": "m", "part": "p"}],
        "joints": joints, "general_constraints": constraints,
        "outputs": [
            {"name": "x", "expression": "DX(m)"}, {"name": "y", "expression": "DY(m)"},
            {"name": "v", "expression": "VX(m)"}, {"name": "a", "expression": "ACCY(m)"}
        ]
    })
}

#[test]
fn a_pendulum_by_expression_is_the_one_by_joints_to_rounding() {
    let plane = json!({"name": "plane", "type": "in_plane", "i": "m", "j": "ground"});
    let rod = json!({"name": "rod", "type": "distance", "i": "m", "j": "ground", "length": 1});
    let by_joint = held(&json!([plane, rod]), &json!([]));
    let square = "(DX(m)**2 + DY(m)**2 + DZ(m)**2 - 1)/2";
    let by_square = held(
        &json!([plane]),
        &json!([{"name": "k", "expression": square}]),
    );
    let by_length = held(
        &json!([plane]),
        &json!([{"name": "k", "expression": "DM(m) - 1"}]),
    );
    for (name, solver, _) in damped() {
        let run = |model: &Value| {
            let mut simulation = with_solver(model, &solver);
            start(&mut simulation, 1e-3);
            advance(&mut simulation, 2.0);
            ["x", "y", "v", "a"].map(|o| output(&simulation, o))
        };
        let (joint, square, length) = (run(&by_joint), run(&by_square), run(&by_length));
        for k in 0..4 {
            let unit = if k == 3 { 1e-7 } else { 1e-11 };
            assert!(
                (joint[k] - square[k]).abs() < unit,
                "{name}, {k}: {joint:?} {square:?}"
            );
            // An iteration that ends before convergence leaves a different remainder.
            let tolerance = if name.contains("linearly") {
                1e-4
            } else {
                100.0 * unit
            };
            assert!(
                (joint[k] - length[k]).abs() < tolerance,
                "{name}, {k}: {joint:?} {length:?}"
            );
        }
    }
}

#[test]
fn an_ellipse_by_expression_is_the_one_by_curve() {
    // The trammel's ellipse: a quarter of 1.2 and 0.7 m.
    let start_at = [0.6, 0.0, -0.7 * 0.75_f64.sqrt()];
    let wire = json!({"name": "wire", "x": "1.2*SIN(s)", "y": 0, "z": "-0.7*COS(s)", "closed": true,
                      "from": -3.2, "to": 3.083_185_307_179_586, "pieces": 600});
    let on_curve = bead(&wire, start_at);
    let mut by_expression = on_curve.clone();
    by_expression["joints"] = json!([]);
    by_expression["general_constraints"] = json!([
        {"name": "ellipse", "expression": "(DX(m)/1.2)**2 + (DZ(m)/0.7)**2 - 1"},
        {"name": "plane", "expression": "DY(m)"}
    ]);
    by_expression["outputs"] = json!([
        {"name": "x", "expression": "DX(m)"}, {"name": "z", "expression": "DZ(m)"},
        {"name": "push", "expression": "SQRT(GCON(ellipse, m, 1)**2 + GCON(plane, m, 1)**2)"},
        {"name": "lambda", "expression": "GCON(ellipse)"},
        {"name": "fx", "expression": "GCON(ellipse, m, 2)"}
    ]);
    for (name, solver, _) in damped() {
        let [mut one, mut other] = [&on_curve, &by_expression].map(|m| with_solver(m, &solver));
        for simulation in [&mut one, &mut other] {
            start(simulation, 1e-3);
            advance(simulation, 1.5);
        }
        // One solve leaves a remainder that depends on how the curve is written.
        let tolerance = if name.contains("linearly") {
            1e-4
        } else {
            1e-7
        };
        for output_name in ["x", "z"] {
            let off = (output(&one, output_name) - output(&other, output_name)).abs();
            assert!(off < tolerance, "{name}, {output_name}: {off}");
        }
        let off = (output(&one, "push") - output(&other, "push")).abs();
        assert!(off < 1e3 * tolerance, "{name}: {off}");
        // Force along x: GCON ∂f/∂x.
        let x = output(&other, "x");
        let fx = output(&other, "lambda") * 2.0 * x / 1.44;
        assert!((fx - output(&other, "fx")).abs() < 1e-9);
    }
}

#[test]
fn a_drive_by_expression_is_a_motion() {
    let crank = |drive: &str, what: Value| {
        let mut model = json!({
            "fixstep": 1, "name": "crank", "gravity": [0, -G, 0],
            "units": {"length": "mm", "force": "kN"},
            "parts": [{"name": "arm", "mass": 2, "center_of_mass": [300, 0, 0],
                       "inertia": {"xx": 1e4, "yy": 2e4, "zz": 3e4}}],
            "markers": [{"name": "pin", "part": "arm"}],
            "inputs": [{"name": "u", "start": 0.5}],
            "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "ground"}],
            "outputs": [{"name": "angle", "expression": "AZ(pin)"},
                        {"name": "rate", "expression": "WZ(pin)"}]
        });
        model[drive] = what;
        let torque = if drive == "motions" {
            "MOTION(d, 0, 8)"
        } else {
            "GCON(d, pin, 8)"
        };
        let outputs = model["outputs"].as_array_mut().unwrap();
        outputs.push(json!({"name": "torque", "expression": torque}));
        if drive != "motions" {
            outputs.push(json!({"name": "along", "expression": "GCON(d)"}));
        }
        model
    };
    let law = "u*SIN(3*TIME) + TIME**2";
    let motion = crank(
        "motions",
        json!([{"name": "d", "joint": "hinge", "displacement": law}]),
    );
    let expression = format!("AZ(pin) - ({law})");
    let general = crank(
        "general_constraints",
        json!([{"name": "d", "expression": expression}]),
    );
    for (name, solver, _) in damped() {
        let [mut one, mut other] = [&motion, &general].map(|m| with_solver(m, &solver));
        for simulation in [&mut one, &mut other] {
            start(simulation, 1e-3);
            advance(simulation, 2.0);
        }
        let wanted = 0.5 * sin(6.0) + 4.0;
        assert!((output(&other, "angle") - wanted).abs() < 1e-12, "{name}");
        for (what, tolerance) in [("rate", 1e-9), ("torque", 1e-8)] {
            let off = (output(&one, what) - output(&other, what)).abs();
            assert!(off < tolerance, "{name}, {what}: {off}");
        }
        let off = (output(&other, "along") - output(&other, "torque")).abs();
        assert!(off < 1e-12, "{name}: {off}");
    }
}

/// A round cam about a pin off its centre, and a roller on a slider that follows along y.
pub(crate) fn eccentric() -> Value {
    let turn = |radius: &str| {
        json!({"x": format!("{radius}*COS(s)"), "y": format!("{radius}*SIN(s)"), "closed": true,
               "from": 0, "to": std::f64::consts::TAU, "pieces": 400})
    };
    let (mut cam, mut roller) = (turn("0.05"), turn("0.02"));
    cam["name"] = json!("cam");
    roller["name"] = json!("roller");
    json!({
        "fixstep": 1, "name": "eccentric", "gravity": [0, -G, 0],
        "curves": [cam, roller],
        "parts": [
            {"name": "disc", "mass": 1, "inertia": {"xx": 1e-3, "yy": 1e-3, "zz": 2e-3}},
            {"name": "slider", "mass": 0.5, "position": [0, 0.071, 0],
             "inertia": {"xx": 1e-4, "yy": 1e-4, "zz": 1e-4}}
        ],
        "markers": [
            {"name": "axle", "part": "disc"},
            {"name": "centre", "part": "disc", "position": [0.015, 0, 0]},
            {"name": "wheel", "part": "slider"},
            {"name": "tappet", "part": "slider", "orientation": {"z_point": [0, 1, 0]}},
            {"name": "guide", "part": "ground", "orientation": {"z_point": [0, 1, 0]}}
        ],
        "joints": [
            {"name": "axle", "type": "revolute", "i": "axle", "j": "ground"},
            {"name": "guide", "type": "translational", "i": "tappet", "j": "guide"},
            {"name": "touch", "type": "curve_on_curve", "i": "wheel", "j": "centre",
             "curve_i": "roller", "curve_j": "cam"}
        ],
        "motions": [{"name": "turn", "joint": "axle", "displacement": "10*TIME"}],
        "outputs": [
            {"name": "lift", "expression": "DY(wheel)"},
            {"name": "rate", "expression": "VY(wheel)"},
            {"name": "push", "expression": "CVCV(touch, 0, 1)"},
            {"name": "up", "expression": "CVCV(touch, 0, 3)"},
            {"name": "rolled", "expression": "ARC(touch, 1)"},
            {"name": "on_roller", "expression": "ARC(touch, 0)"}
        ]
    })
}

#[test]
fn a_roller_on_an_eccentric_lifts_by_the_closed_form() {
    // e cos φ across, e sin φ up; the centres stay 70 mm apart.
    let (e, far, w) = (0.015, 0.07, 10.0);
    for (name, solver, order) in damped() {
        let mut simulation = with_solver(&eccentric(), &solver);
        let notes = simulation.notes().join("\n");
        assert!(
            notes.contains("joint \"touch\", translation along z of J (already held by"),
            "{notes}"
        );
        start(&mut simulation, 5e-4);
        for _ in 0..4 {
            let until = simulation.time() + 0.3;
            advance(&mut simulation, until);
            let t = simulation.time();
            let (sine, cosine) = (sin(w * t), cos(w * t));
            let root = (far * far - e * e * cosine * cosine).sqrt();
            let lift = e * sine + root;
            let off = (output(&simulation, "lift") - lift).abs();
            let tolerance = if name.contains("linearly") {
                1e-6
            } else {
                1e-9
            };
            assert!(off < tolerance, "{name}: lift off by {off}");
            let rate = w * (e * cosine + e * e * cosine * sine / root);
            let off = (output(&simulation, "rate") - rate).abs();
            let bound = if name.contains("SI2") {
                1e-9
            } else if order > 1.5 {
                2e-5
            } else {
                3e-3
            };
            assert!(off < bound, "{name}: rate off by {off}");
            // Forces stand along the line of the centres.
            let (push, up) = (output(&simulation, "push"), output(&simulation, "up"));
            assert!((up / push - root / far).abs() < 1e-4, "{name}: {up} {push}");
        }
    }
}

#[test]
fn the_contact_point_goes_around_a_cam_and_counts_turns() {
    let mut simulation = with_solver(&eccentric(), &json!({"integrator": "HHT"}));
    start(&mut simulation, 1e-3);
    let angle = |t: f64| {
        // From the centre of the cam to that of the roller, in the axes of the cam.
        let (w, e) = (10.0, 0.015);
        let root = (0.0049 - (e * cos(w * t)) * (e * cos(w * t))).sqrt();
        fixstep_kernel::math::atan2(root, -e * cos(w * t)) - w * t
    };
    let first = output(&simulation, "rolled");
    advance(&mut simulation, 3.0);
    let off = output(&simulation, "rolled") - first - 0.05 * (angle(3.0) - angle(0.0));
    assert!(off.abs() < 1e-6, "{off}");
}

#[test]
fn restored_runs_go_on_bit_by_bit() {
    let mut models = vec![
        eccentric(),
        bead(&cycloid(), [0.25 * (1.0 + sin(1.0)), 0.0, 0.2]),
    ];
    models[1]["general_constraints"] = json!([]);
    for model in models {
        for (name, solver, _) in damped() {
            let run = |save: bool| {
                let mut simulation = with_solver(&model, &solver);
                start(&mut simulation, 1e-3);
                advance(&mut simulation, 0.2);
                if save {
                    let mut bytes = vec![0; simulation.state_size()];
                    simulation.save(&mut bytes);
                    advance(&mut simulation, 0.3);
                    simulation.restore(&bytes);
                }
                advance(&mut simulation, 0.5);
                let mut end = vec![0; simulation.state_size()];
                simulation.save(&mut end);
                end
            };
            assert!(run(false) == run(true), "{name}");
        }
    }
}

#[test]
fn a_bead_is_assembled_onto_its_wire() {
    let mut model = bead(&cycloid(), [0.5, 0.1, 0.3]);
    model["outputs"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "y", "expression": "DY(m)"}));
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    let violation = simulation.figure(Figure::ConstraintViolation);
    assert!(
        violation < 1e-14 && output(&simulation, "y").abs() < 1e-14,
        "{violation}"
    );
    let (x, z) = (output(&simulation, "x"), output(&simulation, "z"));
    // The nearest place: the way there is across the wire.
    let s = 2.0 * fixstep_kernel::math::asin((z / 0.5).sqrt());
    let along = (1.0 + cos(s)) * (x - 0.5) + sin(s) * (z - 0.3);
    assert!(along.abs() < 1e-9, "{along}");
}

#[test]
fn a_bead_comes_to_rest_in_equilibrium() {
    let mut model = bead(&cycloid(), [0.5, 0.0, 0.3]);
    model["start"] = json!({"equilibrium": {}});
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 1e-3);
    assert!(output(&simulation, "x").abs() < 1e-9);
    assert!((output(&simulation, "push") - 2.0 * G).abs() < 1e-8);
}
