//! Tests of numbers with units.

use super::*;
use crate::Model;

fn value(text: &str) -> Option<(f64, f64)> {
    match read(text) {
        Reading::Quantity(quantity) => Some((quantity.value, quantity.unit.factor)),
        _ => None,
    }
}

#[test]
fn quantities_are_a_number_and_a_unit() {
    assert_eq!(value("12 mm"), Some((12.0, 1e-3)));
    assert_eq!(value(" -1.5e3N.m "), Some((-1500.0, 1.0)));
    assert_eq!(value("4 kN/m"), Some((4.0, 1e3)));
    assert_eq!(value("30°"), Some((30.0, PI / 180.0)));
    assert_eq!(value("9.81 m/s²"), Some((9.81, 1.0)));
    assert_eq!(value("5 Nm"), Some((5.0, 1.0)));
    assert_eq!(value("3 N·m·s/rad"), Some((3.0, 1.0)));
    for text in ["12", "=12", "x", "2*x", "12 + 3", "STEP(1)", "", "mm"] {
        assert_eq!(read(text), Reading::Other, "{text}");
    }
    assert!(matches!(read("12 furlong"), Reading::Unknown(_)));
    assert!(matches!(read("20 degC"), Reading::Unknown(_)));
}

#[test]
fn conversions_give_the_decimal_number() {
    for (text, to_si, expected) in [
        ("35 mm", 1.0, 0.035),
        ("0.7 kN/m", 1.0, 700.0),
        ("3 in", 1.0, 0.0762),
        ("90 deg", PI / 180.0, 90.0),
    ] {
        let Reading::Quantity(quantity) = read(text) else {
            unreachable!("{text}");
        };
        assert_eq!(convert(&quantity, to_si, false), expected, "{text}");
    }
    assert_eq!(digits(0.1 + 0.2, 0.3), 0.3);
    assert_eq!(digits(1.45 - 1.35, 1.45), 0.1);
    assert_eq!(digits(10.0 / 0.31, 32.0), 10.0 / 0.31);
    assert_eq!(digits(-1e-18, 1.0).to_bits(), 0.0_f64.to_bits());
    assert_eq!(digits(1.0 / 3.0 * 1e20, 1e20), 1.0 / 3.0 * 1e20);
}

/// A model with a field set, and what is said of it.
fn told(length: &str, angle: &str, field: &str) -> String {
    let text = format!(
        r#"{{"fixstep": 1, "name": "a", "units": {{"length": "{length}", "angle": "{angle}"}},
        "parts": [{{"name": "p", "mass": 1, "inertia": {{"xx": "1 kg.m2", "yy": "1 kg·m²", "zz": "1 kg*m^2"}}}}],
        "markers": [{{"name": "m", "part": "p"}}],
        "joints": [{{"name": "j", "type": "revolute", "i": "m", "j": "ground"}}],
        {field}}}"#
    );
    match Model::from_json(&text) {
        Ok(_) => String::new(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn a_unit_must_measure_what_the_field_is() {
    let spring = |stiffness: &str| {
        format!(
            r#""forces": [{{"name": "s", "type": "torsion_spring_damper", "i": "m", "j": "ground", "stiffness": "{stiffness}"}}]"#
        )
    };
    assert_eq!(told("mm", "deg", &spring("5 N.m/deg")), "");
    let said = told("mm", "deg", &spring("5 N/mm"));
    assert!(
        said.contains("forces[0] \"s\", field stiffness: the unit \"N/mm\" does not fit: the field is of force.length/angle; \
                       units that fit: \"N.mm/deg\", \"N.m/rad\", \"kN.mm/deg\""),
        "{said}"
    );
    let said = told("mm", "deg", &spring("5 furlong"));
    assert!(
        said.contains("\"5 furlong\" is no number with a unit"),
        "{said}"
    );
    let drive = |lower: &str| {
        format!(
            r#""forces": [{{"name": "d", "type": "joint_drive", "joint": "j", "position": 0, "proportional": 1,
            "stops": {{"lower": "{lower}", "upper": "90 deg", "stiffness": 1, "depth": "1 deg"}}}}]"#
        )
    };
    assert_eq!(told("m", "rad", &drive("-90 deg")), "");
    let said = told("m", "rad", &drive("-90 mm"));
    assert!(
        said.contains("field stops.lower: the unit \"mm\" does not fit: the field is of angle"),
        "{said}"
    );
    let inertia = r#""point_masses": [{"name": "q", "mass": "2 g"}], "gravity": [0, 0, "-9.81 m/s²"], "lint": {"strict": false}"#;
    assert_eq!(told("mm", "deg", inertia), "");
    let coupler = r#""couplers": [{"name": "c", "joints": ["j", "j"], "scales": ["2 mm", 1]}]"#;
    let said = told("m", "rad", coupler);
    assert!(
        said.contains(
            "field scales[0]: the unit \"mm\" does not fit: no unit is known for this field"
        ),
        "{said}"
    );
    let start = r#""parameters": [{"name": "k", "start": "5 kN/m", "unit": "N/mm"}]"#;
    assert_eq!(told("m", "rad", start), "");
    let start = r#""parameters": [{"name": "k", "start": "5 kN", "unit": "N/mm"}]"#;
    assert!(told("m", "rad", start).contains("units that fit: \"N/mm\""));
}
