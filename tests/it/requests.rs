//! Requests: one line gives a family of outputs, with names, units and values.

use crate::harness::{build, output};
use fixstep_kernel::ids::BodyArrayId;
use fixstep_model::Model;
use fixstep_model::table;
use fixstep_variables::{Arrays, Causality};
use serde_json::{Value, json};

fn model(requests: &Value) -> Value {
    json!({
        "fixstep": 1, "name": "swing",
        "units": {"length": "millimeter", "angle": "deg"},
        "gravity": [0, 0, -9806.65],
        "parts": [{"name": "rod", "mass": 3, "center_of_mass": [0, 0, -200],
                   "inertia": {"xx": 4e4, "yy": 4e4, "zz": 1e3}, "angular_velocity": [0, 60, 0]}],
        "markers": [
            {"name": "top pin", "part": "rod", "orientation": {"z_point": [0, 1, 0]}},
            {"name": "pin", "part": "ground", "orientation": {"z_point": [0, 1, 0]}},
            {"name": "tip", "part": "rod", "position": [0, 0, -400]}
        ],
        "joints": [{"name": "hinge", "type": "revolute", "i": "top pin", "j": "pin"}],
        "forces": [{"name": "soft", "type": "bushing", "i": "tip", "j": "ground",
                    "stiffness": [1, 2, 3]}],
        "outputs": [
            {"name": "a", "expression": "JOINT(hinge, 1, 2, pin)"},
            {"name": "b", "expression": "ACCX(tip, pin, tip, pin)"},
            {"name": "c", "expression": "FORCE(soft, 0, 5)"},
            {"name": "d", "expression": "KE(rod)"}
        ],
        "requests": requests
    })
}

fn all() -> Value {
    json!([
        {"name": "where", "type": "displacement", "i": "tip", "j": "pin", "description": "The tip"},
        {"name": "speed", "type": "velocity", "i": "tip"},
        {"name": "rate", "type": "acceleration", "i": "tip", "j": "pin", "axes": "tip", "frame": "pin"},
        {"name": "hinge", "type": "joint", "of": "hinge", "on": "j", "axes": "pin"},
        {"name": "soft part", "type": "force", "of": "soft"},
        {"name": "rod", "type": "energy", "part": "rod"},
        {"name": "bush", "type": "energy", "force": "soft"},
        {"name": "bearing", "type": "energy", "joint": "hinge"}
    ])
}

#[test]
fn requests_give_outputs_by_their_kind() {
    let simulation = build(&model(&all()).to_string());
    let names: Vec<&str> = simulation
        .mechanism()
        .outputs
        .iter()
        .map(|o| o.quantity.name.as_str())
        .collect();
    let wanted = "a b c d where.dm where.dx where.dy where.dz where.psi where.theta where.phi \
                  speed.vm speed.vx speed.vy speed.vz speed.wm speed.wx speed.wy speed.wz \
                  rate.accm rate.accx rate.accy rate.accz rate.wdtm rate.wdtx rate.wdty rate.wdtz \
                  hinge.fm hinge.fx hinge.fy hinge.fz hinge.tm hinge.tx hinge.ty hinge.tz";
    let wanted: Vec<&str> = wanted.split(' ').collect();
    assert_eq!(names[..wanted.len()], wanted);
    assert_eq!(names[wanted.len()], "'soft part'.fm");
    assert_eq!(
        names[wanted.len() + 8..],
        [
            "rod.ke",
            "rod.pe",
            "bush.se",
            "bush.power",
            "bush.dissipation",
            "bearing.power"
        ]
    );
    for (one, other) in [
        ("hinge.fx", "a"),
        ("rate.accx", "b"),
        ("'soft part'.tm", "c"),
        ("rod.ke", "d"),
    ] {
        assert_eq!(
            output(&simulation, one),
            output(&simulation, other),
            "{one}"
        );
    }
    // The tip hangs 400 mm below the pin and moves by 60 deg/s.
    let near = |name: &str, value: f64| {
        let found = output(&simulation, name);
        assert!(
            (found - value).abs() < 1e-9 * value.abs().max(1.0),
            "{name}: {found}"
        );
    };
    near("where.dm", 400.0);
    near("where.dz", -400.0);
    near("speed.vm", 400.0 * std::f64::consts::PI / 3.0);
    near("speed.wm", std::f64::consts::PI / 3.0);
    // Lowest at the centre of mass: 3 kg at -200 mm.
    near("rod.pe", -3.0 * 9.80665 * 200.0);
    near("bush.se", 0.5 * 3.0 * 400.0 * 400.0);
}

#[test]
fn requests_carry_units_names_and_dependencies_into_the_table() {
    let model = Model::from_json(&model(&all()).to_string())
        .map_err(|e| e.to_string())
        .unwrap();
    let table = table::of(&model.mechanism);
    assert_eq!(table.unit_problems(), Vec::<String>::new());
    assert_eq!(table.naming_convention().as_str(), "structured");
    let variable = |name: &str| {
        let at = table.by_name(name).unwrap();
        table.by_reference(at).unwrap()
    };
    for (name, unit) in [
        ("where.dx", "mm"),
        ("where.phi", "rad"),
        ("speed.vx", "mm/s"),
        ("speed.wx", "rad/s"),
        ("rate.accx", "mm/s2"),
        ("rate.wdtx", "rad/s2"),
        ("hinge.fx", "N"),
        ("hinge.tx", "N.mm"),
        ("'soft part'.fz", "N"),
        ("rod.ke", "N.mm"),
        ("bush.power", "N.mm/s"),
    ] {
        assert_eq!(variable(name).unit(), unit, "{name}");
    }
    assert_eq!(variable("where.phi").display_unit(), "deg");
    assert_eq!(variable("where.dx").description, "The tip: dx");
    assert_eq!(variable("hinge.fx").description, "JOINT(hinge, 1, 2, pin)");
}

#[test]
fn bodies_give_arrays() {
    let requests = json!([
        {"name": "bodies", "type": "bodies"},
        {"name": "again", "type": "bodies", "parts": ["rod"], "quantities": ["velocity"],
         "output": true, "description": "For the plot"}
    ]);
    let simulation = build(&model(&requests).to_string());
    let table = table::of(simulation.mechanism());
    let arrays: Vec<(String, u32)> = Arrays::of(&table)
        .iter()
        .map(|array| (array.name.clone(), array.length))
        .collect();
    let wanted = [
        ("bodies.rod.position", 3),
        ("bodies.rod.orientation", 4),
        ("bodies.rod.velocity", 3),
        ("bodies.rod.angular_velocity", 3),
        ("again.rod.velocity", 3),
    ];
    assert_eq!(arrays, wanted.map(|(name, n)| (name.to_owned(), n)));
    // One after another over all requests.
    let firsts = simulation.mechanism().body_arrays.iter().map(|a| a.first);
    assert!(firsts.eq([0, 3, 7, 10, 13]));
    let variable = |name: &str| &table.variables[table.by_name(name).unwrap() as usize];
    for (name, unit, causality) in [
        ("bodies.rod.position[3]", "mm", Causality::Local),
        ("bodies.rod.orientation[4]", "", Causality::Local),
        ("bodies.rod.angular_velocity[1]", "rad/s", Causality::Local),
        ("again.rod.velocity[2]", "mm/s", Causality::Output),
    ] {
        assert_eq!(variable(name).unit(), unit, "{name}");
        assert_eq!(variable(name).causality, causality, "{name}");
    }
    let about = "For the plot: Velocity of the origin, ground axes of rod";
    assert_eq!(variable("again.rod.velocity[1]").description, about);
    assert!(variable("again.rod.velocity[1]").dependencies.is_empty());
    // The origin is the pin, which stands; the rod turns by 60 deg/s about y.
    let array = |at: usize, k: u32| simulation.body_array(BodyArrayId::from(at), k);
    for k in 0..3 {
        assert!(array(0, k).abs() < 1e-9 && array(2, k).abs() < 1e-9);
    }
    assert!((array(1, 0) - 1.0).abs() < 1e-12);
    assert!((array(3, 1) - std::f64::consts::PI / 3.0).abs() < 1e-12);
}

#[test]
fn requests_for_what_a_body_has_not_are_refused() {
    for (request, reason) in [
        (
            json!({"name": "b", "type": "bodies", "parts": ["rood"]}),
            "\"rood\" does not exist; did you mean \"rod\"?",
        ),
        (
            json!({"name": "b", "type": "bodies", "parts": ["ground"]}),
            "ground does not move",
        ),
        (
            json!({"name": "b", "type": "bodies", "parts": ["rod"],
                   "quantities": ["modal_coordinates"]}),
            "\"rod\" has no modes",
        ),
        (
            json!({"name": "b", "type": "bodies", "quantities": ["place"]}),
            "valid: \"position\", \"orientation\"",
        ),
        (
            json!({"name": "solver", "type": "bodies"}),
            "\"solver.\" are reserved",
        ),
    ] {
        let text = model(&json!([request])).to_string();
        let errors = Model::from_json(&text).map(|_| ()).unwrap_err().to_string();
        assert!(errors.contains(reason), "{errors}");
    }
    let mut clash = model(&json!([{"name": "b", "type": "bodies"}]));
    clash["outputs"][0]["name"] = json!("b.rod.position[2]");
    let errors = Model::from_json(&clash.to_string())
        .map(|_| ())
        .unwrap_err();
    assert!(
        errors
            .to_string()
            .contains("it gives an output \"b.rod.position[2]\"")
    );
}

#[test]
fn outputs_of_one_expression_are_names_of_one_variable() {
    let simulation = build(&model(&all()).to_string());
    let table = table::of(simulation.mechanism());
    let alias = |name: &str| table.variables[table.by_name(name).unwrap() as usize].alias;
    // Outputs a to d have no unit: they are no other names of the requests' components.
    assert_eq!(alias("hinge.fx"), None);
    let mut twice = model(&all());
    twice["outputs"][0]["unit"] = json!("N");
    twice["variables"] = json!([{"name": "f", "expression": "JOINT(hinge, 1, 2, pin)"}]);
    twice["outputs"][1] = json!({"name": "b", "expression": "f", "unit": "N"});
    let mut simulation = build(&twice.to_string());
    let table = table::of(simulation.mechanism());
    let alias = |name: &str| table.variables[table.by_name(name).unwrap() as usize].alias;
    assert_eq!(alias("hinge.fx"), table.by_name("a"));
    assert_eq!(alias("b"), table.by_name("a"));
    simulation.initialize(0.0).unwrap();
    for _ in 0..50 {
        simulation.step().unwrap();
        let values = ["a", "b", "hinge.fx"].map(|name| output(&simulation, name).to_bits());
        assert_eq!(values, [values[0]; 3]);
    }
}
