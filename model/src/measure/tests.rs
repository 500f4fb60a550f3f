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
    let start = r#""parameters": [{"name": "k", "start": "5 kN/m", "unit": "N/mm"}]"#;
    assert_eq!(told("m", "rad", start), "");
    let start = r#""parameters": [{"name": "k", "start": "5 kN", "unit": "N/mm"}]"#;
    assert!(told("m", "rad", start).contains("units that fit: \"N/mm\""));
}

/// The numbers of the flat model.
fn flat(length: &str, field: &str) -> serde_json::Value {
    let text = format!(
        r#"{{"fixstep": 1, "name": "a", "units": {{"length": "{length}"}},
        "joints": [{{"name": "j", "type": "revolute"}}, {{"name": "s", "type": "translational"}}, {{"name": "c", "type": "cylindrical"}}],
        "inputs": [{{"name": "way", "unit": "mm"}}, {{"name": "current", "unit": "A"}}], {field}}}"#
    );
    let flat = crate::expanded("", &text, &crate::resources::none);
    flat.map_or_else(
        |errors| errors.to_string().into(),
        |text| serde_json::from_str(&text).unwrap_or_default(),
    )
}

#[test]
fn the_stiffness_of_a_contact_is_a_force_over_a_power_of_length() {
    let contact = |length: &str, normal: &str| {
        let field = format!(
            r#""forces": [{{"name": "t", "type": "contact", "normal": {{"type": "impact", {normal}}}}}]"#
        );
        let flat = flat(length, &field);
        match flat.as_str() {
            Some(said) => said.to_owned(),
            None => flat["forces"][0]["normal"]["stiffness"].to_string(),
        }
    };
    // 1 N/mm^1.5 is 1000^1.5 N/m^1.5.
    let value: f64 = contact("m", r#""stiffness": "1 N/mm^1.5""#)
        .parse()
        .unwrap_or(0.0);
    assert!(
        (value / 31_622.776_601_683_795 - 1.0).abs() < 1e-15,
        "{value}"
    );
    assert_eq!(
        contact("mm", r#""stiffness": "2 kN/mm^1.5", "exponent": 1.5"#),
        "2000"
    );
    assert_eq!(
        contact("mm", r#""stiffness": "5e6 N/m", "exponent": 1"#),
        "5000"
    );
    assert_eq!(
        contact("m", r#""stiffness": "3 N/mm²", "exponent": 2"#),
        "3000000"
    );
    let said = contact("mm", r#""stiffness": "3 N/mm^2.2", "exponent": 2.5"#);
    assert!(
        said.contains("the unit \"N/mm^2.2\" does not fit: the field is of force/length^exponent, and the exponent is 2.5; units that \
                       fit: \"N/mm^2.5\", \"kN/mm^2.5\""),
        "{said}"
    );
    assert!(contact("m", r#""stiffness": "3 kg""#).contains("units that fit: \"N/m^1.5\""));
    let said = contact("m", r#""stiffness": "3 N/m", "exponent": "=e""#);
    assert!(
        said.contains("the exponent is \"=e\", which may change"),
        "{said}"
    );
}

#[test]
fn factors_of_couplers_and_gains_have_the_units_that_follow() {
    let scales = |length: &str, joints: &str, scales: &str| {
        let field =
            format!(r#""couplers": [{{"name": "c", "joints": {joints}, "scales": {scales}}}]"#);
        let flat = flat(length, &field);
        match flat.as_str() {
            Some(said) => said.to_owned(),
            None => flat["couplers"][0]["scales"].to_string(),
        }
    };
    let both = r#"["j", "s"]"#;
    assert_eq!(scales("m", both, r#"["8 mm/rad", 1]"#), "[0.008,1]");
    assert_eq!(scales("mm", both, r#"["8 mm/rad", 1]"#), "[8,1]");
    assert_eq!(scales("mm", both, r#"[1, "-0.5 rad/m"]"#), "[1,-0.0005]");
    let turn: f64 = scales("m", both, r#"["50 mm/rev", 1]"#)
        .trim_start_matches('[')
        .split(',')
        .next()
        .and_then(|x| x.parse().ok())
        .unwrap_or(0.0);
    assert!((turn / (0.05 / (2.0 * PI)) - 1.0).abs() < 1e-15, "{turn}");
    let said = scales("m", both, r#"["8 mm", 1]"#);
    assert!(
        said.contains("couplers[0] \"c\", field scales[0]: the unit \"mm\" does not fit: the joint turns, and the factor makes a \
                       length or an angle of it; units that fit: \"mm/rad\""),
        "{said}"
    );
    let said = scales("m", both, r#"["8 mm/rad", "3 rad/m"]"#);
    assert!(
        said.contains("makes an angle of its joint, and scales[0] a length"),
        "{said}"
    );
    let said = scales("m", r#"["c", "s"]"#, r#"["8 mm/rad", 1]"#);
    assert!(
        said.contains("whether the joint turns or slides is not known here"),
        "{said}"
    );
    let gain = |measured: &str, unit: &str, gains: &str| {
        let field = format!(
            r#""pid_controllers": [{{"name": "p", "setpoint": "0", "measured": "{measured}", "unit": "{unit}", {gains}}}]"#
        );
        let flat = flat("m", &field);
        match flat.as_str() {
            Some(said) => said.to_owned(),
            None => flat["pid_controllers"][0].to_string(),
        }
    };
    let three = gain(
        "way",
        "N",
        r#""kp": "2 N/m", "ki": "3 kN/(mm.s)", "kd": "5 N.ms/mm""#,
    );
    for part in ["\"kp\":0.002", "\"ki\":3000", "\"kd\":0.005"] {
        assert!(three.contains(part), "{three}");
    }
    let said = gain("way", "N", r#""kp": "2 mm""#);
    assert!(
        said.contains("the gain is the output over the error; a unit that fits: \"N/mm\""),
        "{said}"
    );
    for (measured, unit) in [("2*way", "N"), ("way", ""), ("current", "N")] {
        let said = gain(measured, unit, r#""kp": "2 N/m""#);
        assert!(said.contains("a unit cannot be used here"), "{said}");
    }
}
