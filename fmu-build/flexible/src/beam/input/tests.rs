//! Tests that messages about wrong descriptions give place, fault and what would be valid.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

const GOOD: &str = r#"{"name": "rod", "points": [{"name": "a", "position": [0, 0, 0]}, {"position": [1, 0, 0]}, {"name": "b", "position": [1, 1, 0]}],
 "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850}, "section": {"type": "circle", "diameter": 0.02},
 "stresses": [{"name": "root", "point": "a", "y": 0.01, "z": 0}]}"#;

#[test]
fn a_description_is_read() {
    let beams = Beams::read(GOOD, "rod.json").unwrap();
    assert_eq!(beams.segments.len(), 2);
    assert_eq!(beams.support, Some(0));
    assert_eq!(beams.segments[1].elements, 10);
    assert!((beams.segments[0].material.shear_modulus - 2.1e11 / 2.6).abs() < 1.0);
    assert!((beams.length(1) - 1.0).abs() < 1e-15);
    let free = GOOD.replace(r#""material""#, r#""support": "free", "material""#);
    assert_eq!(Beams::read(&free, "rod.json").unwrap().support, None);
}

/// The replaced text, its replacement, and the beginning of the message.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "[1, 0, 0]",
        "[0, 0, 0]",
        "points[1]: is at the same place as the point before; valid: another place",
    ),
    (
        r#""name": "b""#,
        r#""name": "a""#,
        "points[2]: the name \"a\" occurs twice",
    ),
    (
        "0.02",
        "-1",
        "segments[0], field section: diameter is -1; valid: more than zero",
    ),
    (
        "0.3",
        "0.7",
        "material: shear_modulus None, poissons_ratio Some(0.7); valid: one of them, the modulus more than zero, the ratio above -1, at most 0.5",
    ),
    (
        "7850",
        "0",
        "material, field density: is 0; valid: more than zero",
    ),
    (
        r#""point": "a""#,
        r#""point": "c""#,
        "stresses[0] \"root\", field point: there is no point \"c\"; valid: a, b",
    ),
    (
        r#""stresses""#,
        r#""support": "q", "stresses""#,
        "support: there is no point \"q\"; valid: a, b",
    ),
    (
        r#""stresses""#,
        r#""elements": 0, "stresses""#,
        "segments[0], field elements: 0; valid: 1 to 20000 in all segments",
    ),
    (
        r#""stresses""#,
        r#""z_axis": [1, 0, 0], "stresses""#,
        "segments[0], field z_axis: is parallel to the beam; valid: any other direction",
    ),
    (
        r#""stresses""#,
        r#""segments": [{}], "stresses""#,
        "segments: 1 for 3 points; valid: 2, one between each point and the next, or none",
    ),
    (
        r#""stresses""#,
        r#""damping": {"ratio": 0.1, "frequency": 0}, "stresses""#,
        "damping: ratio 0.1 at 0 Hz; valid: zero or more at a frequency more than zero",
    ),
    (
        r#", "section": {"type": "circle", "diameter": 0.02}"#,
        "",
        "segments[0]: has no section; valid: one here, or one for the whole file",
    ),
    (
        r#""name": "rod""#,
        r#""nam": "rod""#,
        "line 1 column 6: unknown field `nam`",
    ),
    (
        "\"z\": 0}]}",
        "\"z\": 0}]",
        "line 3 column 64: EOF while parsing an object",
    ),
];

#[test]
fn what_is_wrong_is_named() {
    for (from, to, wanted) in BROKEN {
        let text = GOOD.replacen(from, to, 1);
        assert_ne!(text, GOOD, "{from}");
        let message = Beams::read(&text, "rod.json").unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("rod.json: {wanted}")),
            "{message}"
        );
    }
    let nameless = GOOD
        .replace(r#""name": "a", "#, "")
        .replace(r#""name": "b", "#, "");
    let message = Beams::read(&nameless, "rod.json").unwrap_err().to_string();
    assert!(
        message.starts_with("rod.json: points: no point has a name"),
        "{message}"
    );
}
