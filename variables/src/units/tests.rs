//! Tests.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

fn check(text: &str, exponents: [i32; BASE_UNITS], factor: f64) {
    let unit = parse_unit(text).unwrap();
    assert_eq!(unit.exponents, exponents, "{text}");
    let error = (unit.factor - factor).abs() / factor;
    assert!(error < 1e-14, "{text}: {} is not {factor}", unit.factor);
    assert_eq!(unit.offset, 0.0, "{text}");
}

#[test]
fn common_units() {
    check("N.m", [1, 2, -2, 0, 0, 0, 0, 0], 1.0);
    check("N*m", [1, 2, -2, 0, 0, 0, 0, 0], 1.0);
    check("mm/s2", [0, 1, -2, 0, 0, 0, 0, 0], 1e-3);
    check("m/s^2", [0, 1, -2, 0, 0, 0, 0, 0], 1.0);
    check("m.s-2", [0, 1, -2, 0, 0, 0, 0, 0], 1.0);
    check("N.s/mm", [1, 0, -1, 0, 0, 0, 0, 0], 1e3);
    check("kg.m2", [1, 2, 0, 0, 0, 0, 0, 0], 1.0);
    check("rad/s", [0, 0, -1, 0, 0, 0, 0, 1], 1.0);
    check("deg", [0, 0, 0, 0, 0, 0, 0, 1], 0.017_453_292_519_943_295);
    check("1/s", [0, 0, -1, 0, 0, 0, 0, 0], 1.0);
    check("Hz", [0, 0, -1, 0, 0, 0, 0, 0], 1.0);
    check("km/h", [0, 1, -1, 0, 0, 0, 0, 0], 1.0 / 3.6);
    check("%", [0; 8], 0.01);
    check("1", [0; 8], 1.0);
    check("J/(kg.K)", [0, 2, -2, 0, -1, 0, 0, 0], 1.0);
    check("J/kg/K", [0, 2, -2, 0, -1, 0, 0, 0], 1.0);
    check("(m/s)^2", [0, 2, -2, 0, 0, 0, 0, 0], 1.0);
    check("ms", [0, 0, 1, 0, 0, 0, 0, 0], 1e-3);
    check("min", [0, 0, 1, 0, 0, 0, 0, 0], 60.0);
    check("MPa", [1, -1, -2, 0, 0, 0, 0, 0], 1e6);
    check("cd", [0, 0, 0, 0, 0, 0, 1, 0], 1.0);
    check("rpm", [0, 0, -1, 0, 0, 0, 0, 1], 0.104_719_755_119_659_77);
}

/// Published conversions (NIST SP 811, appendix B.8).
#[test]
fn units_of_the_yard_and_pound() {
    check("lbf", [1, 1, -2, 0, 0, 0, 0, 0], 4.448_221_615_260_5);
    check("slug", [1, 0, 0, 0, 0, 0, 0, 0], 14.593_902_937_206_365);
    check("psi", [1, -1, -2, 0, 0, 0, 0, 0], 6_894.757_293_168_361);
    check("hp", [1, 2, -3, 0, 0, 0, 0, 0], 745.699_871_582_270_2);
    check("mph", [0, 1, -1, 0, 0, 0, 0, 0], 0.447_04);
    check("oz", [1, 0, 0, 0, 0, 0, 0, 0], 0.028_349_523_125);
    check("slinch", [1, 0, 0, 0, 0, 0, 0, 0], 175.126_835_246_476_4);
    check("in", [0, 1, 0, 0, 0, 0, 0, 0], 0.025_4);
}

#[test]
fn temperatures_have_an_offset_and_stand_alone() {
    let celsius = parse_unit("degC").unwrap();
    let fahrenheit = parse_unit("degF").unwrap();
    let kelvin = parse_unit("K").unwrap();
    // 25 °C = 298.15 K = 77 °F.
    let (factor, offset) = display_conversion(&celsius, &fahrenheit);
    assert!((factor * 25.0 + offset - 77.0).abs() < 1e-12);
    let (factor, offset) = display_conversion(&kelvin, &celsius);
    assert!((factor * 298.15 + offset - 25.0).abs() < 1e-12);
    assert!(compatible(&celsius, &kelvin));
    for bad in ["degC/s", "J/degC", "degC2"] {
        assert!(
            parse_unit(bad)
                .unwrap_err()
                .reason
                .contains("cannot be combined")
        );
    }
}

#[test]
fn display_units_convert() {
    let (factor, offset) =
        display_conversion(&parse_unit("rad").unwrap(), &parse_unit("deg").unwrap());
    assert!((factor - 57.295_779_513_082_32).abs() < 1e-13 && offset == 0.0);
    let (factor, _) = display_conversion(&parse_unit("mm").unwrap(), &parse_unit("m").unwrap());
    assert_eq!(factor, 1e-3);
    assert!(!compatible(
        &parse_unit("N.m").unwrap(),
        &parse_unit("N").unwrap()
    ));
    assert!(!compatible(
        &parse_unit("rad").unwrap(),
        &parse_unit("1").unwrap()
    ));
}

#[test]
fn bad_units_say_why() {
    for (text, reason) in [
        ("", "missing"),
        (
            "Nmm",
            "\"Nmm\" is not a unit symbol; did you mean \"N.mm\"?",
        ),
        ("meters", "not a unit symbol; did you mean \"m\"?"),
        (
            "Nfoo",
            "\"Nfoo\" is not a unit symbol; known are, with SI prefixes: m g s",
        ),
        ("furlong", "rpm degC"),
        ("N m", "cannot read \" m\""),
        ("N/", "missing"),
        ("N.m/s.m", "parentheses"),
        ("m^", "whole number"),
        ("m^x", "whole number"),
        ("m99", "larger than 12"),
        ("m99999999999", "larger than 12"),
        ("m10.m10", "larger than 12"),
        ("(N.m", "closing parenthesis"),
        ("((((((((((m))))))))))", "too many"),
        ("N)", "cannot read"),
        ("2", "missing"),
        ("kmin", "not a unit symbol"),
    ] {
        let error = parse_unit(text).unwrap_err();
        assert!(error.reason.contains(reason), "{text}: {error}");
        assert_eq!(error.text, text);
    }
}

/// Every symbol reads back as itself, and no prefixed symbol hides another symbol.
#[test]
fn symbols_are_unique() {
    for (at, atom) in atoms::ATOMS.iter().enumerate() {
        let unit = parse_unit(atom.symbol).unwrap();
        assert_eq!(unit.factor, atom.factor, "{}", atom.symbol);
        assert!(
            atoms::ATOMS[..at]
                .iter()
                .all(|other| other.symbol != atom.symbol),
            "{} twice",
            atom.symbol
        );
    }
}
