//! Loads spread over flexible bodies, and what is read of their deformation.

use crate::harness::{advance, output, start};
use crate::soft::{Beam, build};
use fixstep_kernel::flex::{FlexData, LoadCase, TensorPoint};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use fixstep_model::table;
use serde_json::{Value, json};

const LENGTH: f64 = 1.0;
const BENDING: f64 = 40.0;
const MODES: usize = 5;

/// A clamped beam with a uniform load of 1 N/m sideways, a force of 1 N at its tip, and stress and strain at two
/// points, of all six components at the second.
fn data() -> FlexData {
    let beam = Beam::clamped(LENGTH, 2.0, BENDING, MODES);
    let mut data = beam.data();
    let sideways = Vec3::y();
    let uniform = beam
        .masses()
        .into_iter()
        .map(|(x, mass)| (x, mass / beam.density));
    let modal = |j: usize, points: &mut dyn Iterator<Item = (f64, f64)>| {
        points
            .map(|(x, force)| beam.shapes[j](x).0 * force)
            .sum::<f64>()
    };
    data.loads = vec![
        LoadCase {
            name: "wind".to_owned(),
            modal: (0..MODES).map(|j| modal(j, &mut uniform.clone())).collect(),
            force: sideways * LENGTH,
            torque: Vec3::z() * (0.5 * LENGTH * LENGTH),
        },
        LoadCase {
            name: "tip".to_owned(),
            modal: (0..MODES).map(|j| beam.shapes[j](LENGTH).0).collect(),
            force: sideways,
            torque: Vec3::z() * LENGTH,
        },
    ];
    let point = |name: &str, value: &dyn Fn(usize, usize) -> f64| TensorPoint {
        name: name.to_owned(),
        values: (0..MODES)
            .map(|j| std::array::from_fn(|c| value(j, c)))
            .collect(),
    };
    let axial = |j: usize, c: usize| if c == 0 { 1e9 * (j + 1) as f64 } else { 0.0 };
    let all = |j: usize, c: usize| 1e8 * (((7 * j + 3 * c) % 5) as f64 - 1.5);
    data.stresses = vec![point("root", &axial), point("weld", &all)];
    data.strains = vec![point("gauge", &|j, c| 1e-3 * (j + c) as f64)];
    data
}

fn model(change: impl Fn(&mut Value)) -> Value {
    let mut model = json!({
        "fixstep": 1,
        "name": "modal",
        "flexible_bodies": [{"name": "rod", "file": "body.flex", "dynamic_limit": "none"}],
        "markers": [
            {"name": "root", "part": "rod", "node": "root"},
            {"name": "tip", "part": "rod", "node": "tip"},
        ],
        "solver": {"integrator": "HHT", "alpha": 0, "fixit": 4},
        "experiment": {"start": 0, "stop": 1, "step": 0.001},
    });
    change(&mut model);
    model
}

fn outputs(all: &[(&str, String)]) -> Value {
    let one = |(name, text): &(&str, String)| json!({"name": name, "expression": text});
    all.iter().map(one).collect()
}

fn clamp(model: &mut Value) {
    model["joints"] = json!([{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}]);
}

/// In equilibrium a clamped beam has the modal coordinates Q/k, the deflection of the beam tables, and the stress
/// and strain that its modes bring.
#[test]
fn a_spread_load_bends_a_beam_as_the_tables_say() {
    let data = data();
    let load = 0.05;
    let names: Vec<String> = (1..=MODES).map(|j| format!("q{j}")).collect();
    let mut read: Vec<(&str, String)> = (1..=MODES)
        .map(|j| (names[j - 1].as_str(), format!("MODEQ(rod, {j})")))
        .collect();
    for component in ["XX", "YY", "ZZ", "XY", "YZ", "ZX"] {
        read.push((component, format!("STRESS(rod, weld, {component})")));
    }
    read.push(("tip", "DY(tip)".to_owned()));
    read.push(("root", "STRESS(rod, root, XX)".to_owned()));
    read.push(("mises", "MISES(rod, weld)".to_owned()));
    read.push(("uniaxial", "MISES(rod, root)".to_owned()));
    read.push(("gauge", "STRAIN(rod, gauge, ZX)".to_owned()));
    read.push(("deformation", "DEFORMATION(rod)".to_owned()));
    let model = model(|m| {
        clamp(m);
        m["forces"] = json!([
            {"name": "wind", "type": "modal_force", "part": "rod", "load": "wind", "scale": load}
        ]);
        m["start"] = json!({"equilibrium": {}});
        m["outputs"] = outputs(&read);
    });
    let mut simulation = build(&model, &data);
    start(&mut simulation, 1e-3);
    let get = |name: &str| output(&simulation, name);
    let q: Vec<f64> = (0..MODES)
        .map(|j| load * data.loads[0].modal[j] / data.stiffness[j * MODES + j])
        .collect();
    for j in 0..MODES {
        let found = get(&names[j]);
        assert!(
            (found - q[j]).abs() < 1e-9 * q[0].abs(),
            "{j}: {found} {}",
            q[j]
        );
    }
    let of =
        |values: &[[f64; 6]], c: usize| -> f64 { (0..MODES).map(|j| values[j][c] * q[j]).sum() };
    let close = |name: &str, wanted: f64| {
        let found = get(name);
        assert!(
            (found - wanted).abs() <= 1e-8 * wanted.abs(),
            "{name}: {found} {wanted}"
        );
    };
    let weld = &data.stresses[1].values;
    for (c, name) in ["XX", "YY", "ZZ", "XY", "YZ", "ZX"].into_iter().enumerate() {
        close(name, of(weld, c));
    }
    let s: [f64; 6] = std::array::from_fn(|c| of(weld, c));
    let mean = (s[0] + s[1] + s[2]) / 3.0;
    // Three halves of the square of the deviator.
    let direct: f64 = s[..3].iter().map(|x| (x - mean) * (x - mean)).sum();
    let shear: f64 = s[3..].iter().map(|x| x * x).sum();
    close("mises", (1.5 * (direct + 2.0 * shear)).sqrt());
    let root = of(&data.stresses[0].values, 0);
    close("root", root);
    close("uniaxial", root.abs());
    close("gauge", of(&data.strains[0].values, 5));
    close("deformation", get("tip").abs());
    let table = load * LENGTH.powi(4) / (8.0 * BENDING);
    assert!(
        (get("tip") / table - 1.0).abs() < 2e-4,
        "{} {table}",
        get("tip")
    );
}

/// A load case that is a force on a node moves a free body as that force does.
#[test]
fn a_load_case_of_one_node_is_a_force_on_it() {
    let accelerations = |force: Value| {
        let model = model(|m| {
            m["flexible_bodies"][0]["angular_velocity"] = json!([0.3, -0.2, 1]);
            m["forces"] = json!([force]);
            m["outputs"] = outputs(&[
                ("x", "ACCX(tip)".to_owned()),
                ("y", "ACCY(tip)".to_owned()),
                ("turn", "WDTZ(root)".to_owned()),
                ("mode", "MODEA(rod, 2)".to_owned()),
                ("power", "POWER(force)".to_owned()),
            ]);
        });
        let mut simulation = build(&model, &data());
        start(&mut simulation, 1e-3);
        ["x", "y", "turn", "mode", "power"].map(|name| output(&simulation, name))
    };
    let spread = accelerations(json!({
        "name": "force", "type": "modal_force", "part": "rod", "load": "tip", "scale": "3"
    }));
    let single = accelerations(json!({
        "name": "force", "type": "vector_force", "i": "tip", "j": "ground", "fy": "3"
    }));
    for (a, b) in spread.iter().zip(&single) {
        assert!(
            (a - b).abs() < 1e-9 * b.abs().max(1.0),
            "{spread:?} {single:?}"
        );
    }
}

/// The power of a load is the rate of energy of a tumbling body.
#[test]
fn the_power_of_a_spread_load_is_what_the_body_gains() {
    let model = model(|m| {
        m["flexible_bodies"][0]["velocity"] = json!([0.3, -0.2, 0.1]);
        m["flexible_bodies"][0]["angular_velocity"] = json!([0.2, 1, 2]);
        m["flexible_bodies"][0]["damping"] = json!(0);
        m["forces"] = json!([{
            "name": "wind", "type": "modal_force", "part": "rod", "load": "wind",
            "scale": "2*SIN(20*TIME) + 4*MODEV(rod, 1)"
        }]);
        m["outputs"] = outputs(&[("power", "POWER(wind)".to_owned())]);
    });
    let miss = |h: f64| {
        let mut simulation = build(&model, &data());
        start(&mut simulation, h);
        let energy = |s: &Simulation| {
            use fixstep_kernel::simulation::Figure::{KineticEnergy, PotentialEnergy};
            s.figure(KineticEnergy) + s.figure(PotentialEnergy)
        };
        let before = energy(&simulation);
        let (mut work, mut last) = (0.0, output(&simulation, "power"));
        let steps = (0.5 / h).round() as usize;
        for k in 1..=steps {
            advance(&mut simulation, k as f64 * h);
            let power = output(&simulation, "power");
            work += 0.5 * h * (power + last);
            last = power;
        }
        let gained = energy(&simulation) - before;
        eprintln!("h {h}: gained {gained}, work {work}");
        (gained - work).abs() / gained.abs()
    };
    let (coarse, fine) = (miss(4e-4), miss(2e-4));
    assert!(fine < 2e-3 && coarse / fine > 3.3, "{coarse:e} {fine:e}");
}

/// A deformation beyond a part of the body's length gives one warning, and ends the run only if the model asks for it.
#[test]
fn deformation_beyond_linear_theory_gets_a_warning() {
    let model = |limit: Option<Value>| {
        model(|m| {
            clamp(m);
            if let Some(limit) = &limit {
                m["flexible_bodies"][0]["linear_limit"] = limit.clone();
            }
            m["forces"] = json!([{
                "name": "wind", "type": "modal_force", "part": "rod", "load": "wind", "scale": "200*TIME"
            }]);
            m["outputs"] = outputs(&[("deformation", "DEFORMATION(rod)".to_owned())]);
        })
    };
    // When the deformation passes a bound.
    let passing = |limit: Option<Value>, bound: f64| {
        let mut simulation = build(&model(limit), &data());
        start(&mut simulation, 1e-3);
        let (mut told, mut passed, mut stopped) = (Vec::new(), None, false);
        for k in 1..=600 {
            advance(&mut simulation, f64::from(k) * 1e-3);
            if output(&simulation, "deformation") >= bound {
                passed.get_or_insert(k);
            }
            if simulation.triggered().next().is_some() {
                told.push(k);
            }
            stopped |= simulation.stopped_by().is_some();
        }
        (told, passed, stopped)
    };
    let (told, passed, stopped) = passing(None, 0.1 * LENGTH);
    assert!(!stopped && passed.is_some());
    assert_eq!(told, passed.into_iter().collect::<Vec<_>>());
    let limit = json!({"length": 0.4, "fraction": 0.05, "stop": true});
    let (told, passed, stopped) = passing(Some(limit), 0.02);
    assert!(stopped);
    assert_eq!(told, passed.into_iter().collect::<Vec<_>>());
    assert_eq!(passing(Some(json!("none")), 0.1).0, Vec::<i32>::new());
    let flag = |limit: Option<Value>| {
        let bytes = fixstep_model::flex_file::write(&data());
        let files = |_: &str| Ok(bytes.clone());
        match Model::read(&model(limit).to_string(), &files) {
            Ok(model) => table::of(&model.mechanism).by_name("flexible_bodies.rod.nonlinear"),
            Err(problem) => unreachable!("{problem}"),
        }
    };
    assert!(flag(None).is_some());
    assert_eq!(flag(Some(json!("none"))), None);
}

/// Stress, strain, modes and loads that the body does not have are refused, with those that it has.
#[test]
fn missing_nodes_modes_and_loads_of_a_body_are_refused_by_name() {
    let refusal = |expression: &str| {
        let model = model(|m| {
            m["flexible_bodies"][0]["modes"] = json!([1, 3]);
            m["outputs"] = outputs(&[("x", expression.to_owned())]);
        });
        let bytes = fixstep_model::flex_file::write(&data());
        let read = Model::read(&model.to_string(), &|_: &str| Ok(bytes.clone()));
        read.map_err(|problem| problem.to_string())
            .err()
            .unwrap_or_default()
    };
    for (expression, parts) in [
        (
            "MODEQ(rod, 2)",
            ["mode 2", "not among the \"modes\" of \"rod\""],
        ),
        ("MODEQ(rod, 9)", ["\"rod\" has 5 modes", "counted from 1"]),
        ("MODEQ(rod, 1.5)", ["\"rod\" has 5 modes", "counted from 1"]),
        ("MODEV(ground, 1)", ["\"ground\"", "not a flexible body"]),
        (
            "STRESS(rod, rot, XX)",
            [
                "there is no point with stress \"rot\"",
                "\"root\", \"weld\"",
            ],
        ),
        ("STRESS(rod, root, XZ)", ["valid: \"XX\"", "\"ZX\""]),
        (
            "STRAIN(rod, root, XX)",
            ["no point with strain \"root\"", "\"gauge\""],
        ),
        (
            "MISES(rod, wild)",
            ["no point with stress \"wild\"", "did you mean \"weld\""],
        ),
        (
            "STRESS(rod, root)",
            ["wrong number of arguments", "STRESS(body, point, comp)"],
        ),
    ] {
        let message = refusal(expression);
        for part in parts {
            assert!(message.contains(part), "{expression}: {message}");
        }
    }
}
