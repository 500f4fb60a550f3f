//! Quasi-static runs: equilibria over time against closed forms, snap-through, and the end of equilibrium.

use crate::harness::{build, output, start, try_build};
use fixstep_kernel::simulation::StepFailure;
use serde_json::{Value, json};

/// A mass that slides along x on a guide, with forces on it by expression.
fn slider(forces: &Value, more: &Value) -> Value {
    let mut model = json!({
        "fixstep": 1, "name": "slider",
        "units": {"length": "mm", "mass": "kg", "force": "N", "time": "s", "angle": "deg"},
        "gravity": [0, -9806.65, 0],
        "parts": [{"name": "block", "mass": 2, "inertia": {"xx": 10, "yy": 10, "zz": 10}, "position": [40, 0, 0]}],
        "markers": [
            {"name": "B", "part": "block", "orientation": {"z_point": [1, 0, 0]}},
            {"name": "P", "part": "block"},
            {"name": "G", "part": "ground", "orientation": {"z_point": [100, 0, 0]}},
            {"name": "O", "part": "ground"},
        ],
        "joints": [{"name": "guide", "type": "translational", "i": "B", "j": "G"}],
        "forces": forces,
        "outputs": [
            {"name": "x", "expression": "DX(P,O)"}, {"name": "v", "expression": "VX(P,O)"},
            {"name": "a", "expression": "ACCX(P,O)"},
            {"name": "N", "expression": "JOINT('guide',0,3,0)"},
        ],
        "solver": {"mode": "static"},
        "experiment": {"start": 0, "stop": 1, "step": 0.1},
    });
    for (key, value) in more.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

#[test]
fn a_spring_is_lifted_along_its_closed_form() {
    let forces = json!([
        {"name": "spring", "type": "spring_damper", "i": "P", "j": "O", "stiffness": 3, "damping": 0.5,
         "length": 40},
        {"name": "pull", "type": "vector_force", "i": "P", "j": "ground", "fx": "20*TIME+5*SIN(6*TIME)"},
    ]);
    let mut simulation = build(&slider(&forces, &json!({})).to_string());
    start(&mut simulation, 0.05);
    for n in 0..=20 {
        let t = 0.05 * f64::from(n);
        if n > 0 {
            simulation.step().unwrap();
        }
        let wanted = 40.0 + (20.0 * t + 5.0 * (6.0 * t).sin()) / 3.0;
        assert!((output(&simulation, "x") - wanted).abs() < 1e-9, "{t}");
        assert_eq!(
            [output(&simulation, "v"), output(&simulation, "a")],
            [0.0, 0.0]
        );
        assert!(
            (output(&simulation, "N") - 2.0 * 9.80665).abs() < 1e-9,
            "{}",
            output(&simulation, "N")
        );
    }
    assert_eq!(simulation.take_remarks(), [""; 0]);
}

/// A crank that a motion turns slowly: the torque is that of the weight alone, and nothing of its motion.
#[test]
fn a_motion_moves_a_quasi_static_run_without_inertia() {
    let model = json!({
        "fixstep": 1, "name": "crank",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "gravity": [0, -10, 0],
        "parts": [{"name": "crank", "mass": 3, "center_of_mass": [0.5, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [{"name": "C", "part": "crank"}, {"name": "O", "part": "ground"}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "C", "j": "O"}],
        "motions": [{"name": "drive", "joint": "hinge", "velocity": "50*TIME"}],
        "outputs": [{"name": "angle", "expression": "AZ(C)"}, {"name": "torque", "expression": "MOTION('drive',0,8,0)"},
            {"name": "w", "expression": "WZ(C)"}],
        "solver": {"mode": "static"},
        "experiment": {"start": 0, "stop": 1, "step": 0.1},
    });
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.1);
    for n in 1..=10 {
        simulation.step().unwrap();
        let t = 0.1 * f64::from(n);
        let angle = 25.0 * t * t;
        let off = output(&simulation, "angle") - angle;
        assert!(off.sin().abs() < 1e-10 && off.cos() > 0.0, "{t}: {off}");
        let wanted = 15.0 * angle.cos();
        assert!(
            (output(&simulation, "torque") - wanted).abs() < 1e-9,
            "{t}: {} {wanted}",
            output(&simulation, "torque")
        );
        assert_eq!(output(&simulation, "w"), 0.0);
    }
}

/// Two bars from (±b, 0) to an apex at height h that is pressed down (von Mises' truss): P(z) = 2 k z (L₀/L − 1), L² = b² +
/// z². The largest load is where L³ = L₀ b²; there the apex snaps through to the other side.
#[test]
fn a_shallow_truss_snaps_through_at_its_limit_load() {
    let (b, h, k) = (1.0_f64, 0.2_f64, 1000.0_f64);
    let whole = b.hypot(h);
    let load = |z: f64| 2.0 * k * z * (whole / b.hypot(z) - 1.0);
    let limit = load(((whole * b * b).powf(2.0 / 3.0) - b * b).sqrt());
    let bar = |name: &str, foot: &str| {
        json!({"name": name, "type": "spring_damper", "i": "P", "j": foot, "stiffness": k, "damping": 0,
               "length": whole})
    };
    let model = json!({
        "fixstep": 1, "name": "truss",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "gravity": [0, 0, 0],
        "parts": [{"name": "apex", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, h]}],
        "markers": [{"name": "P", "part": "apex"}, {"name": "O", "part": "ground"},
            {"name": "left", "part": "ground", "position": [-b, 0, 0]},
            {"name": "right", "part": "ground", "position": [b, 0, 0]}],
        "joints": [{"name": "guide", "type": "translational", "i": "P", "j": "O"}],
        "forces": [bar("one", "left"), bar("other", "right"),
            {"name": "press", "type": "vector_force", "i": "P", "j": "ground", "fz": format!("-{}*TIME", 2.0 * limit)}],
        "outputs": [{"name": "z", "expression": "DZ(P,O)"}],
        "solver": {"mode": "static"},
        "experiment": {"start": 0, "stop": 1, "step": 0.05},
    });
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.05);
    let mut jumps = Vec::new();
    for n in 1..=20 {
        simulation.step().unwrap();
        let (t, z) = (0.05 * f64::from(n), output(&simulation, "z"));
        assert!((load(z) - 2.0 * limit * t).abs() < 1e-6, "{t}: {z}");
        assert_eq!(
            z > 0.0,
            t < 0.5 - 1e-9 || jumps.is_empty() && t < 0.5 + 1e-9,
            "{t}: {z}"
        );
        jumps.extend(simulation.take_remarks());
    }
    let [jump] = &jumps[..] else {
        unreachable!("{jumps:?}")
    };
    for word in ["jumps between 0.", "(snap-through): part \"apex\" moves by"] {
        assert!(jump.contains(word), "{jump}");
    }
    let between = jump.split("between ").nth(1).unwrap();
    let between = between.split(" s (").next().unwrap();
    let times: Vec<f64> = { between.split(" s and ") }
        .map(|time| time.parse().unwrap())
        .collect();
    assert!(
        times[0] <= 0.5 + 1e-6 && times[1] >= 0.5 - 1e-6 && times[1] - times[0] < 1e-4,
        "{times:?}"
    );
}

#[test]
fn the_end_of_equilibrium_is_located_and_the_rows_before_it_stay() {
    // 5 sin(x/10 mm) holds up to 5 N; the pull reaches 5 N at 0.5 s.
    let forces = json!([
        {"name": "hold", "type": "vector_force", "i": "P", "j": "ground", "fx": "-5*SIN((DX(P,O)-40)/10)"},
        {"name": "pull", "type": "vector_force", "i": "P", "j": "ground", "fx": "10*TIME"},
    ]);
    let mut simulation = build(&slider(&forces, &json!({})).to_string());
    start(&mut simulation, 0.1);
    for n in 1..=4 {
        simulation.step().unwrap();
        let wanted = 40.0 + 10.0 * (0.2 * f64::from(n)).asin();
        assert!(
            (output(&simulation, "x") - wanted).abs() < 1e-8,
            "{}",
            output(&simulation, "x")
        );
    }
    let mut failure = simulation.step();
    if failure.is_ok() {
        failure = simulation.step();
    }
    assert_eq!(failure, Err(StepFailure::Instant));
    let halt = simulation.halt().unwrap();
    assert!((halt.reached - 0.5).abs() < 2e-3, "{halt:?}");
    for word in ["no static equilibrium between", "part \"block\" by"] {
        assert!(halt.why.contains(word), "{}", halt.why);
    }
}

/// A state follows to where it rests; an integrator that cannot rest, and a sampled controller, are refused by name.
#[test]
fn states_rest_or_are_named() {
    let forces = json!([
        {"name": "spring", "type": "spring_damper", "i": "P", "j": "O", "stiffness": 3, "damping": 0.5,
         "length": 40},
        {"name": "pull", "type": "vector_force", "i": "P", "j": "ground", "fx": "DIF(lag)"},
    ]);
    let lag = json!({"differential_equations": [{"name": "lag", "derivative": "8*(12*TIME-DIF(lag))", "initial": 0}]});
    let mut simulation = build(&slider(&forces, &lag).to_string());
    start(&mut simulation, 0.25);
    for n in 1..=4 {
        simulation.step().unwrap();
        assert!((output(&simulation, "x") - 40.0 - f64::from(n)).abs() < 1e-9);
    }
    let sum =
        json!({"differential_equations": [{"name": "lag", "derivative": "1+TIME", "initial": 0}]});
    let said = try_build(&slider(&forces, &sum).to_string()).err().unwrap();
    assert!(said.contains("\"lag\" with a rate of 1.000e0/s"), "{said}");
    let sampled = json!({"sampled_systems": [
        {"name": "controller", "sample_period": 0.01, "inputs": ["DX(P,O)"], "d": [[1]]}]});
    let plain = json!([forces[0]]);
    let said = try_build(&slider(&plain, &sampled).to_string())
        .err()
        .unwrap();
    assert!(
        said.contains(
            "a quasi-static run solves each instant by itself, but sampled system \"controller\""
        ),
        "{said}"
    );
}
