//! Published cases of flexible bodies through the whole engine: from a model's file to its outputs.

use crate::harness::{json as read, output, start};
use crate::soft::{Beam, build};
use fixstep_kernel::flex::{FlexData, Invariants, Mode, Nodal, Node, frequency};
use fixstep_kernel::math::{Mat3, Vec3, cos, sin};
use fixstep_kernel::simulation::Simulation;
use serde_json::{Value, json};

const MODES: usize = 3;

fn list(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|x| x.as_f64().unwrap()).collect()
}

fn vector(value: &Value) -> Vec3 {
    Vec3::from_column_slice(&list(value)[..3])
}

/// `3/20`, exactly.
fn ratio(value: &Value) -> f64 {
    let mut parts = value.as_str().unwrap().split('/');
    let mut next = || parts.next().map_or(1.0, |part| part.parse().unwrap());
    next() / next()
}

/// The body of the published cases: five nodes, three modes.
fn body(case: &Value) -> FlexData {
    let published = read("E06_inertia_invariants_exact/reference.json");
    let body = &published["rational"];
    let columns = |v: &Value| -> Vec<Vec3> {
        let column = |j: usize| Vec3::from_fn(|k, _| ratio(&v[k][j]));
        (0..MODES).map(column).collect()
    };
    let node = |p: usize| Node {
        id: p as u64,
        name: None,
        position: Vec3::from_fn(|k, _| ratio(&body["positions"][p][k])),
        freedom: [true; 6],
        translation: columns(&body["modes_T[node][xyz][mode]"][p]),
        rotation: columns(&body["modes_R[node][xyz][mode]"][p]),
    };
    let nodes: Vec<Node> = (0..5).map(node).collect();
    let inertia = |p: usize| match &body["nodal_inertia_diag"][p] {
        Value::Null => Mat3::zeros(),
        given => Mat3::from_diagonal(&Vec3::from_fn(|k, _| ratio(&given[k]))),
    };
    let nodal = nodes.iter().enumerate().map(|(p, node)| Nodal {
        mass: ratio(&body["masses"][p]),
        inertia: inertia(p),
        position: node.position,
        translation: &node.translation,
        rotation: &node.rotation,
    });
    let invariants = Invariants::lumped(MODES, nodal);
    let stiffness: Vec<f64> = (0..MODES).flat_map(|j| list(&case["K"][j])).collect();
    let own = |j: usize| (stiffness[4 * j], invariants.i6[4 * j]);
    let mode = |j: usize| Mode {
        frequency: frequency(own(j).0, own(j).1),
        label: format!("mode {}", j + 1),
    };
    FlexData {
        description: "five nodes".to_owned(),
        sources: Vec::new(),
        modes: (0..MODES).map(mode).collect(),
        lines: Vec::new(),
        faces: Vec::new(),
        preload: None,
        loads: Vec::new(),
        stiffening: None,
        stresses: Vec::new(),
        strains: Vec::new(),
        nodes,
        stiffness,
        invariants,
    }
}

/// Rotation and angular velocity in body axes from 3-1-3 angles and their rates.
fn turned(angles: &[f64], rates: &[f64]) -> (Mat3, Vec3) {
    let about_z = |a: f64| Mat3::new(cos(a), -sin(a), 0.0, sin(a), cos(a), 0.0, 0.0, 0.0, 1.0);
    let about_x = |a: f64| Mat3::new(1.0, 0.0, 0.0, 0.0, cos(a), -sin(a), 0.0, sin(a), cos(a));
    let (theta, phi) = (angles[1], angles[2]);
    let spin = Vec3::new(
        rates[0] * sin(theta) * sin(phi) + rates[1] * cos(phi),
        rates[0] * sin(theta) * cos(phi) - rates[1] * sin(phi),
        rates[0] * cos(theta) + rates[2],
    );
    (about_z(angles[0]) * about_x(theta) * about_z(phi), spin)
}

/// A free body in a state xi, with what `change` adds.
fn run(case: &Value, (xi, rates): (&[f64], &[f64]), change: impl Fn(&mut Value)) -> Simulation {
    let data = body(case);
    let (rotation, spin) = turned(&xi[3..6], &rates[3..6]);
    let center = rotation * spin.cross(&data.invariants.center());
    let velocity = Vec3::from_column_slice(&rates[..3]) + center;
    let spin = rotation * spin;
    let own = |j: usize| (data.stiffness[4 * j] * data.invariants.i6[4 * j]).sqrt();
    let ratios: Vec<f64> = (0..MODES)
        .map(|j| list(&case["D"][j])[j] / (2.0 * own(j)))
        .collect();
    let frequencies: Vec<f64> = data.modes.iter().map(|mode| mode.frequency).collect();
    let mut model = json!({
        "fixstep": 1, "name": "published", "gravity": case["gravity"],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "flexible_bodies": [{
            "name": "b", "file": "body.flex", "position": xi[..3], "orientation": {"euler": xi[3..6]},
            "velocity": velocity.as_slice(), "angular_velocity": spin.as_slice(),
            "displacements": xi[6..], "velocities": rates[6..], "dynamic_limit": "none",
            "damping": {"frequencies": frequencies, "ratios": ratios}
        }],
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    });
    change(&mut model);
    let mut simulation = build(&model, &data);
    start(&mut simulation, 1e-3);
    simulation
}

fn outputs(expressions: &[&str]) -> Value {
    let output =
        |text: &&str| json!({"name": text.replace(['(', ')', ','], "_"), "expression": text});
    expressions.iter().map(output).collect()
}

fn three(simulation: &Simulation, expressions: [&str; 3]) -> Vec3 {
    let value = |text: &str| output(simulation, &text.replace(['(', ')', ','], "_"));
    Vec3::from_fn(|k, _| value(expressions[k]))
}

/// Accelerations at the start: of the origin, of the frame, and of a node that all modes move.
#[test]
fn a_free_body_starts_to_move_as_published() {
    let case = read("E10_ffr_eom_pointwise/reference.json");
    let (linear, angular) = (
        ["ACCX(root)", "ACCY(root)", "ACCZ(root)"],
        [
            "WDTX(root,0,root)",
            "WDTY(root,0,root)",
            "WDTZ(root,0,root)",
        ],
    );
    let at_tip = ["ACCX(tip)", "ACCY(tip)", "ACCZ(tip)"];
    for published in case["states"].as_array().unwrap() {
        let (xi, rates) = (list(&published["xi"]), list(&published["xid"]));
        let simulation = run(&case, (&xi, &rates), |model| {
            // No mode moves the node at the origin.
            model["markers"] = json!([{"name": "root", "part": "b", "node": 0},
                                      {"name": "tip", "part": "b", "node": 4}]);
            model["outputs"] = outputs(&[linear, angular, at_tip].concat());
        });
        let a = list(&published["xidd"]);
        let (origin, spun) = (
            vector(&published["xidd"]),
            vector(&published["omegadot_body"]),
        );
        let (rotation, w) = turned(&xi[3..6], &rates[3..6]);
        let data = body(&case);
        let node = &data.nodes[4];
        let modal = |x: &[f64]| {
            let terms = node.translation.iter().zip(x);
            terms.fold(Vec3::zeros(), |sum, (phi, x)| sum + phi * *x)
        };
        let y = node.position + modal(&xi[6..]);
        let [y1, y2] = [modal(&rates[6..]), modal(&a[6..])];
        let inner = spun.cross(&y) + w.cross(&w.cross(&y)) + w.cross(&y1) * 2.0 + y2;
        let tip = origin + rotation * inner;
        for (found, wanted) in [
            (three(&simulation, linear), origin),
            (three(&simulation, angular), spun),
            (three(&simulation, at_tip), tip),
        ] {
            let off = (found - wanted).norm() / wanted.norm();
            assert!(off < 1e-11, "{found} {wanted}: {off:e}");
        }
    }
}

/// A marker on a node, with rotations that are small by agreement as in the case.
#[test]
fn a_marker_on_a_node_is_read_as_published() {
    let case = read("E11_flex_marker_and_loads/reference.json");
    let body = read("E10_ffr_eom_pointwise/reference.json");
    let place = ["DX(m)", "DY(m)", "DZ(m)"];
    let speed = ["VX(m)", "VY(m)", "VZ(m)"];
    let turning = ["WX(m)", "WY(m)", "WZ(m)"];
    let (xi, rates) = (list(&case["xi"]), list(&case["xid"]));
    let simulation = run(&body, (&xi, &rates), |model| {
        model["flexible_bodies"][0]["rotations"] = json!("small");
        model["markers"] = json!([{"name": "m", "part": "b", "node": 3,
                                   "orientation": {"euler": [0.2, 0.5, -0.1]}}]);
        model["outputs"] = outputs(&[place, speed, turning].concat());
    });
    for (found, wanted) in [
        (place, "marker_position"),
        (speed, "marker_velocity"),
        (turning, "angular_velocity_global"),
    ] {
        let (found, wanted) = (three(&simulation, found), vector(&case[wanted]));
        assert!((found - wanted).norm() < 1e-12, "{found} {wanted}");
    }
}

/// Clamped modes give a published part of a beam's static compliance, quasi-static or not; with the static shape
/// among the modes nothing is missing.
#[test]
fn a_loaded_tip_goes_as_far_as_its_shapes_allow() {
    let case = read("E12_static_tip_and_residual/reference.json");
    let number = |name: &str| case["parameters"][name].as_f64().unwrap();
    let [bending, length, load, density] = ["EI", "L", "P", "rhoA"].map(number);
    let exact = case["exact_tip_deflection"].as_f64().unwrap();
    let shares = list(&case["modal_series_fraction_of_exact_with_n_clamped_modes"]);
    let deflection = |data: &FlexData, limit: &Value| {
        let model = json!({
            "fixstep": 1, "name": "cantilever", "gravity": [0, 0, 0],
            "flexible_bodies": [{"name": "b", "file": "body.flex", "dynamic_limit": limit}],
            "markers": [{"name": "root", "part": "b", "node": "root"}, {"name": "tip", "part": "b", "node": "tip"}],
            "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}],
            "forces": [{"name": "pull", "type": "vector_force", "i": "tip", "j": "ground", "fy": load.to_string()}],
            "start": {"equilibrium": {}},
            "outputs": [{"name": "tip", "expression": "DY(tip)"}],
            "experiment": {"start": 0, "stop": 1, "step": 0.001}
        });
        output(&build(&model, data), "tip")
    };
    for n in 1..=6 {
        let mut beam = Beam::clamped(length, density, bending, n);
        let data = beam.data();
        for limit in [json!("none"), json!(10)] {
            let found = deflection(&data, &limit) / exact;
            let off = (found / shares[n - 1] - 1.0).abs();
            assert!(off < 1e-9, "{n} modes, limit {limit}: {found}");
        }
        // The static shape of a load F at the tip: whatever bends it does the work F times its tip's way.
        let shape = move |x: f64| (x * x * (3.0 * length - x), 3.0 * x * (2.0 * length - x));
        let force = 6.0 * bending;
        beam.shapes.push(Box::new(shape));
        beam.stiffness.push(force * shape(length).0);
        let mut data = beam.data();
        for j in 0..n {
            let work = force * (beam.shapes[j])(length).0;
            data.stiffness[j * (n + 1) + n] = work;
            data.stiffness[n * (n + 1) + j] = work;
        }
        let found = deflection(&data, &json!("none"));
        assert!(
            (found / exact - 1.0).abs() < 1e-9,
            "{n} modes and a residual: {found}"
        );
    }
}

/// The same in a quasi-static run in which the load grows: at every output time the tip is where its load holds it, whether
/// the modes have inertia or not.
#[test]
fn a_tip_follows_its_load_in_a_quasi_static_run() {
    let case = read("E12_static_tip_and_residual/reference.json");
    let number = |name: &str| case["parameters"][name].as_f64().unwrap();
    let [bending, length, load, density] = ["EI", "L", "P", "rhoA"].map(number);
    let exact = case["exact_tip_deflection"].as_f64().unwrap();
    let shares = list(&case["modal_series_fraction_of_exact_with_n_clamped_modes"]);
    let data = Beam::clamped(length, density, bending, 3).data();
    for limit in [json!("none"), json!(10)] {
        let model = json!({
            "fixstep": 1, "name": "cantilever", "gravity": [0, 0, 0],
            "flexible_bodies": [{"name": "b", "file": "body.flex", "dynamic_limit": limit}],
            "markers": [{"name": "root", "part": "b", "node": "root"}, {"name": "tip", "part": "b", "node": "tip"}],
            "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}],
            "forces": [{"name": "pull", "type": "vector_force", "i": "tip", "j": "ground",
                        "fy": format!("{load}*SIN(TIME)")}],
            "solver": {"mode": "static"},
            "outputs": [{"name": "tip", "expression": "DY(tip)"}, {"name": "root", "expression": "JOINT('clamp',0,3,0)"}],
            "experiment": {"start": 0, "stop": 6, "step": 0.5}
        });
        let mut simulation = build(&model, &data);
        simulation.set_step(0.5);
        simulation.initialize(0.0).unwrap();
        for n in 1..=12 {
            simulation.step().unwrap();
            let share = fixstep_kernel::math::sin(0.5 * f64::from(n));
            let off = output(&simulation, "tip") - share * exact * shares[2];
            assert!(off.abs() < 1e-9 * exact, "{n}, limit {limit}: {off}");
            let held = output(&simulation, "root") + share * load;
            assert!(held.abs() < 1e-8 * load, "{n}, limit {limit}: {held}");
        }
        assert_eq!(simulation.take_remarks(), [""; 0]);
    }
}
