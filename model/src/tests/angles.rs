//! Tests of what angles, and other numbers with units, become where they are written.

use super::problems;
use crate::{Model, expanded, resources};
use serde_json::{Value, json};
use std::f64::consts::PI;

fn flat(model: &Value) -> Value {
    let text = expanded("model.json", &model.to_string(), &resources::none);
    let text = text.unwrap_or_else(|told| unreachable!("{model}: {told}"));
    serde_json::from_str(&text).unwrap()
}

/// Two bodies on hinges, in millimetres and this unit of angle.
fn model(angle: &str) -> Value {
    let inertia = json!({"xx": 1, "yy": 1, "zz": 1});
    json!({
        "fixstep": 1, "name": "a", "units": {"length": "mm", "angle": angle}, "gravity": [0, 0, 0],
        "constants": {"swing": "30 deg", "rate": "60 rpm", "k": "2 N.m/deg", "dx": "1 m", "dy": "100 cm", "ratio": 0.5, "turned": "${ACOS(0.5)}"},
        "parts": [{"name": "p", "mass": 1, "inertia": inertia}],
        "markers": [{"name": "m", "part": "p"}, {"name": "g", "part": "ground"}],
        "joints": [{"name": "j", "type": "revolute", "i": "m", "j": "g"}]
    })
}

/// The first Euler angle of a marker in the flat model.
fn euler(angle: &str, text: &str) -> f64 {
    let mut whole = model(angle);
    whole["markers"][1]["orientation"] = json!({"euler": [text, 0, 0]});
    flat(&whole)["markers"][1]["orientation"]["euler"][0]
        .as_f64()
        .unwrap()
}

#[test]
fn a_field_of_angle_counts_in_the_unit_of_the_file() {
    for (text, degrees) in [
        ("30 deg", 30.0),
        ("${swing}", 30.0),
        ("${swing/2}", 15.0),
        ("${ratio*swing}", 15.0),
        ("${45D}", 45.0),
        ("${ATAN2(dy, dx)}", 45.0),
        ("${2*ATAN2(dy, dx)}", 90.0),
        ("${ratio*ACOS(0)}", 45.0),
        ("${PI/4}", 45.0),
        ("${45*PI/180}", 45.0),
        ("${45*DTOR}", 45.0),
        ("${turned}", 60.0),
        ("${turned*RTOD}", 60.0),
        ("${turned*180/PI}", 60.0),
        ("${180/PI*turned}", 60.0),
        ("${turned*RTOD + swing}", 90.0),
    ] {
        assert!((euler("deg", text) - degrees).abs() < 1e-12, "{text}");
    }
    for (text, radians) in [
        ("30 deg", PI / 6.0),
        ("${swing}", PI / 6.0),
        ("${45D}", PI / 4.0),
        ("${PI/4}", PI / 4.0),
        ("${ATAN2(dy, dx)}", PI / 4.0),
        ("${turned + swing}", PI / 2.0),
    ] {
        assert!((euler("rad", text) - radians).abs() < 1e-12, "{text}");
    }
}

#[test]
fn what_mixes_degrees_and_radians_is_refused() {
    for text in ["${turned + swing}", "${PI/2 + swing}", "${MAX(45D, swing)}"] {
        let mut whole = model("deg");
        whole["markers"][1]["orientation"] = json!({"euler": [text, 0, 0]});
        let told = problems(&whole.to_string());
        assert!(
            told.contains("markers \"g\", field orientation.euler[0]: "),
            "{told}"
        );
        assert!(
            told.contains("an angle in the file's unit and a number in radians"),
            "{told}"
        );
    }
}

#[test]
fn expressions_count_angles_in_radians() {
    for (field, text, expected) in [
        (
            "displacement",
            "${swing}*STEP(TIME, 0, 0, 1, 1)",
            json!("30D*STEP(TIME, 0, 0, 1, 1)"),
        ),
        (
            "displacement",
            "STEP(TIME, 0, 0, 1, ${-swing})",
            json!("STEP(TIME, 0, 0, 1, (-30D))"),
        ),
        (
            "displacement",
            "0 + ${PI/4}",
            json!("0 + 0.7853981633974483"),
        ),
        ("velocity", "1*${rate}", json!("1*360D")),
        ("displacement", "${swing}", json!(PI / 6.0)),
    ] {
        let mut whole = model("deg");
        whole["motions"] = json!([{"name": "mo", "joint": "j", field: text}]);
        let found = flat(&whole)["motions"][0][field].clone();
        let same = match (found.as_f64(), expected.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-15,
            _ => found == expected,
        };
        assert!(same, "{text}: {found}");
    }
    // A stiffness per degree is one per radian beside AZ.
    let mut whole = model("deg");
    whole["forces"] = json!([{"name": "t", "type": "torque", "i": "m", "j": "g", "expression": "-${k}*AZ(m, g)"}]);
    let text = flat(&whole)["forces"][0]["expression"]
        .as_str()
        .unwrap()
        .to_owned();
    let number = text.trim_start_matches('-').split('*').next().unwrap();
    let number: f64 = number.parse().unwrap();
    assert!((number - 2000.0 * 180.0 / PI).abs() < 1e-6, "{text}");
}

#[test]
fn texts_that_are_handed_on_count_as_the_expressions_that_they_become() {
    let mut whole = model("deg");
    whole["constants"]["course"] = json!("${swing}*TIME");
    whole["templates"] = json!([{"name": "t", "ports": {"m": "marker", "u": "signal"}, "parameters": {"text": "0", "a": {"unit": "deg", "default": 0}},
        "forces": [{"name": "f", "type": "torque", "i": "m", "j": "ground", "expression": "${text} + u"}],
        "markers": [{"name": "n", "part": "ground", "orientation": {"euler": ["${a}", 0, 0]}}]}]);
    whole["instances"] = json!([{"name": "i", "template": "t", "ports": {"m": "m", "u": "${2*swing}"}, "parameters": {"text": "${course}", "a": "${PI/4}"}}]);
    let flat = flat(&whole);
    assert_eq!(flat["forces"][0]["expression"], json!("(30D*TIME) + (60D)"));
    let angle = flat["markers"][2]["orientation"]["euler"][0].as_f64();
    assert_eq!(angle, Some(45.0));
}

#[test]
fn a_torque_by_expression_has_the_unit_of_a_torque() {
    for kind in ["torque", "action_only_torque"] {
        let mut whole = model("rad");
        whole["forces"] =
            json!([{"name": "t", "type": kind, "i": "m", "j": "g", "expression": "2 N.m"}]);
        assert_eq!(
            flat(&whole)["forces"][0]["expression"].as_f64(),
            Some(2000.0)
        );
        whole["forces"][0]["expression"] = json!("2 kN");
        let told = problems(&whole.to_string());
        assert!(
            told.contains("the unit \"kN\" does not fit: the field is of force.length"),
            "{told}"
        );
    }
}

/// What is told of a number by an expression in a field of the model.
fn by_parameters(angle: &str, parameters: &Value, patch: &dyn Fn(&mut Value)) -> String {
    let mut whole = model(angle);
    whole["parameters"] = parameters.clone();
    patch(&mut whole);
    problems(&whole.to_string())
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn numbers_by_expressions_have_the_unit_of_the_field() {
    let parameters = json!([
        {"name": "L", "start": 100, "unit": "mm"}, {"name": "far", "start": 0.1, "unit": "m"}, {"name": "k", "start": 1, "unit": "N/m"},
        {"name": "a", "start": 0.5, "unit": "rad"}, {"name": "d", "start": 30, "unit": "deg"}, {"name": "n", "start": 1}
    ]);
    let place = |text: &'static str| {
        move |whole: &mut Value| whole["markers"][0]["position"] = json!([text, 0, 0])
    };
    for (text, told) in [
        ("=L", ""),
        ("=L*SIN(a)", ""),
        ("=n", ""),
        ("=2*n + L", ""),
        ("=SQRT(L*L)", ""),
        ("=far*1000", ""),
        (
            "=far",
            "\"=far\" yields \"far\" [m], but the field is of length \"mm\", and nothing converts the unit of a parameter: convert it, as \"=(far)*1000\"",
        ),
        (
            "=L + far",
            "\"L\" [mm] and \"far\" [m] are added or compared",
        ),
        (
            "=d",
            "\"=d\" yields \"d\" [deg], but the field is of length \"mm\"",
        ),
        ("=L*L", "but the field is of length \"mm\""),
    ] {
        let found = by_parameters("deg", &parameters, &place(text));
        assert!(
            found.contains(told) && found.is_empty() == told.is_empty(),
            "{text}: {found}"
        );
        assert!(
            told.is_empty() || found.contains("markers[0] \"m\", field position[0]"),
            "{found}"
        );
    }
    let start = |text: &'static str| {
        move |whole: &mut Value| whole["joints"][0]["initial"] = json!({"angle": text})
    };
    for (angle, text, told) in [
        ("deg", "=d", ""),
        ("deg", "=a*RTOD", ""),
        ("deg", "=(PI/4)*RTOD", ""),
        ("deg", "=n", ""),
        ("deg", "=a", "convert it, as \"=(a)*RTOD\""),
        (
            "deg",
            "=ATAN2(L, L)",
            "counts in radians, as angles of expressions do, and the field in deg: write \"=(ATAN2(L, L))*RTOD\"",
        ),
        ("deg", "=30D", "write \"=(30D)*RTOD\""),
        (
            "deg",
            "=d + 30D",
            "an angle in degrees and a number in radians are added or compared",
        ),
        ("rad", "=a", ""),
        ("rad", "=ATAN2(L, L)", ""),
        ("rad", "=30D", ""),
        ("rad", "=d", "convert it, as \"=(d)*DTOR\""),
    ] {
        let found = by_parameters(angle, &parameters, &start(text));
        assert!(
            found.contains(told) && found.is_empty() == told.is_empty(),
            "{angle} {text}: {found}"
        );
    }
    let found = by_parameters("rad", &parameters, &|whole| {
        whole["forces"] = json!([{"name": "s", "type": "bushing", "i": "m", "j": "g", "stiffness": ["=k", 0, 0]}]);
    });
    assert!(found.contains("convert it, as \"=(k)*0.001\""), "{found}");
}

#[test]
fn stops_take_the_unit_of_their_exponent() {
    let drive = |angle: &str, stiffness: &str| {
        let mut whole = model(angle);
        whole["forces"] = json!([{"name": "d", "type": "joint_drive", "joint": "j",
            "stops": {"lower": "-10 deg", "upper": "10 deg", "stiffness": stiffness, "depth": "0.1 deg"}}]);
        whole
    };
    let number = |angle: &str| {
        let flat = flat(&drive(angle, "400 N.m/rad^1.5"));
        flat["forces"][0]["stops"]["stiffness"].as_f64().unwrap()
    };
    assert_eq!(number("rad"), 400e3);
    assert!(
        (number("deg") / (400e3 * fixstep_kernel::math::pow(PI / 180.0, 1.5)) - 1.0).abs() < 1e-11
    );
    let told = problems(&drive("deg", "400 N.m").to_string());
    assert!(
        told.contains("units that fit: \"N.mm/deg^1.5\", \"N.m/rad^1.5\""),
        "{told}"
    );
}

#[test]
fn macros_that_double_one_another_are_refused_at_once() {
    let macros: Vec<Value> = (0..40)
        .map(|k| {
            let text = match k {
                0 => "x + 1".to_owned(),
                k => format!("m{0}(m{0}(x))", k - 1),
            };
            json!({"name": format!("m{k}"), "arguments": ["x"], "expression": text})
        })
        .collect();
    let mut whole = model("rad");
    whole["macros"] = json!(macros);
    whole["outputs"] = json!([{"name": "o", "expression": "m5(1)"}]);
    let told = problems(&whole.to_string());
    assert!(
        told.contains("macros make more than 200000 words"),
        "{told}"
    );
    whole["macros"] = json!(macros[..6]);
    assert_eq!(problems(&whole.to_string()), "");
}

/// The warnings of a model.
fn warnings(model: &Value) -> Vec<String> {
    let model = Model::from_json(&model.to_string()).unwrap();
    let all = model.mechanism.findings.iter();
    all.map(|finding| format!("{}: {}", finding.place(), finding.what))
        .collect()
}

#[test]
fn what_has_no_effect_is_said() {
    let mut whole = model("rad");
    whole["parameters"] = json!([{"name": "idle", "start": 1}, {"name": "read", "start": 1}]);
    whole["outputs"] = json!([{"name": "o", "expression": "read"}]);
    whole["defaults"] = json!({"forces/bushing:soft": {"preload": [0, 0, 0]}});
    whole["templates"] = json!([{"name": "t", "parameters": {"mass": 1, "x": 2}, "ports": {"frame": "marker", "spare": "signal"},
        "markers": [{"name": "n", "part": "ground", "position": ["${x}", 0, 0]}],
        "forces": [{"name": "f", "type": "bushing", "i": "frame", "j": "n"}]}]);
    whole["instances"] =
        json!([{"name": "i", "template": "t", "ports": {"frame": "m", "spare": "1"}}]);
    let told = warnings(&whole);
    for words in [
        "parameter \"idle\": nothing reads it",
        "nothing has the class \"soft\"",
        "nothing reads its parameter \"mass\"",
        "nothing is connected to its port \"spare\"",
    ] {
        assert!(
            told.iter().any(|line| line.contains(words)),
            "{words}: {told:#?}"
        );
    }
    for name in ["\"read\"", "\"x\"", "\"frame\""] {
        assert!(
            !told.iter().any(|line| line.contains(name)),
            "{name}: {told:#?}"
        );
    }
    // The units of a template that nothing uses.
    whole["templates"][0]["markers"][0]["position"] = json!(["${x}", "2 kg", 0]);
    whole["instances"] = json!([]);
    let told = problems(&whole.to_string());
    assert!(
        told.contains("the unit \"kg\" does not fit: the field is of length"),
        "{told}"
    );
}

#[test]
fn a_fault_in_brackets_names_entity_and_field() {
    let mut whole = model("rad");
    whole["markers"][1]["position"] = json!([0, "${nope + 1}", 0]);
    let told = problems(&whole.to_string());
    assert!(
        told.contains("markers \"g\", field position[1]: column 1 of"),
        "{told}"
    );
    let mut whole = model("rad");
    whole["constants"]["dx"] = json!("${nope}");
    let told = problems(&whole.to_string());
    assert!(
        told.contains("constants, field dx: column 1 of \"nope\""),
        "{told}"
    );
}

#[test]
fn a_fault_of_the_model_as_a_whole_has_a_place() {
    let told = problems("{\"fixstep\": 1, \"name\": \"x\",\n \"Parts\": []}");
    assert!(
        told.contains("error: 2:2: unknown field \"Parts\""),
        "{told}"
    );
}

#[test]
fn a_part_at_a_parameter_carries_markers_of_templates() {
    let mut whole = model("rad");
    whole["parameters"] =
        json!([{"name": "h", "start": 5, "unit": "mm"}, {"name": "r", "start": 2, "unit": "mm"}]);
    whole["parts"][0]["position"] = json!([1, 0, "=h"]);
    whole["templates"] = json!([{"name": "t", "ports": {"top": "part", "r": "signal"},
        "markers": [{"name": "n", "part": "top", "position": ["=r", 2, 7]}, {"name": "o", "part": "top"}]}]);
    whole["instances"] = json!([{"name": "i", "template": "t", "ports": {"top": "p", "r": "r"}}]);
    let flat = flat(&whole);
    assert_eq!(
        flat["markers"][2]["position"],
        json!(["=(r) - (1.0)", 2, "=(7.0) - (h)"])
    );
    assert_eq!(
        flat["markers"][3]["position"],
        json!([-1, 0, "=(0.0) - (h)"])
    );
    whole["joints"] = json!([]);
    assert_eq!(problems(&whole.to_string()), "");
    whole["parts"][0]["orientation"] = json!({"euler": [1, 0, 0]});
    let told = problems(&whole.to_string());
    assert!(
        told.contains("by a port: the part's position must be numbers"),
        "{told}"
    );
}

#[test]
fn arithmetic_with_a_unit_behind_it_has_a_remedy_that_works() {
    let mut whole = model("rad");
    whole["parts"][0]["mass"] = json!("1/2 kg");
    let told = problems(&whole.to_string());
    assert!(
        told.contains("a number with a unit is one number and its unit"),
        "{told}"
    );
}

#[test]
fn a_mesh_of_unlikely_size_without_a_unit_is_doubted() {
    let corner = |x: f64, y: f64, z: f64| format!("v {x} {y} {z}\n");
    let mesh = |size: f64| {
        let vertices = [
            corner(0.0, 0.0, 0.0),
            corner(size, 0.0, 0.0),
            corner(0.0, size, 0.0),
            corner(0.0, 0.0, size),
        ];
        format!("{}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", vertices.concat()).into_bytes()
    };
    let told = |size: f64, scale: &Value| {
        let mut solid = json!({"type": "mesh", "file": "a.obj", "density": "7850 kg/m3"});
        if !scale.is_null() {
            solid["scale"] = scale.clone();
        }
        let whole = json!({"fixstep": 1, "name": "a", "gravity": [0, 0, 0], "parts": [{"name": "p", "solids": [solid]}]});
        let files = move |_: &str| Ok(mesh(size));
        let model = Model::read(&whole.to_string(), &files).unwrap();
        let doubts = model
            .mechanism
            .findings
            .iter()
            .filter(|f| f.what.contains("a.obj"));
        (
            doubts.map(|f| f.what.clone()).collect::<String>(),
            model.solids.concat(),
        )
    };
    let (doubt, _) = told(120.0, &Value::Null);
    assert!(doubt.contains("1.2000e2 m long and encloses 2.8800e5 m³, 2.2608e9 kg if it were of steel, as it says no unit"), "{doubt}");
    assert!(!told(1.2e-3, &Value::Null).0.is_empty());
    for (size, scale) in [
        (0.12, Value::Null),
        (120.0, json!("1 mm")),
        (120.0, json!("1 m")),
    ] {
        let (doubt, _) = told(size, &scale);
        assert_eq!(doubt, "", "{size}");
    }
    // Small masses keep their digits, and nothing is minus zero.
    let (_, solids) = told(1.2, &json!("1 mm"));
    assert!(
        solids.contains(": 2.260800e-6 kg") && !solids.contains("-0.000000"),
        "{solids}"
    );
}
