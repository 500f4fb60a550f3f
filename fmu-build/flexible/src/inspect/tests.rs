//! Tests that effective masses of a held beam are those of textbooks, and those of a free beam are zero.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;
use crate::beam::{Beams, reduced};
use crate::reduce::{NormalModes, Options};

const ROD: &str = r#"{"name": "rod", "points": [{"name": "root", "position": [0, 0, 0]}, {"position": [1.2, 0, 0]}],
 "material": {"youngs_modulus": 2.1e11, "shear_modulus": 8.1e10, "density": 7850}, "elements": 30,
 "section": {"type": "rectangle", "y": 0.01, "z": 0.02}}"#;

fn inspected(orthonormalise: bool) -> Inspection {
    let beams = Beams::read(ROD, "rod.json").unwrap();
    let options = Options {
        normal_modes: NormalModes::Count(30),
        orthonormalise,
        ..Options::default()
    };
    Inspection::of(&reduced::body(&beams, options, &mut |_, _| ()).unwrap().0)
}

#[test]
fn a_cantilever_has_the_effective_masses_of_the_textbook() {
    let body = inspected(false);
    assert!(!body.balanced());
    // 61.31, 18.83, 6.47 % (Blevins, from the integrals of the clamped–free shapes)
    let lateral: Vec<f64> = body
        .modes
        .iter()
        .map(|m| m.effective[1])
        .filter(|share| *share > 1.0)
        .collect();
    for (found, wanted) in lateral.iter().zip([61.31, 18.83, 6.47]) {
        assert!((found - wanted).abs() < 0.02, "{lateral:?}");
    }
    let sum: f64 = body.modes.iter().map(|m| m.effective[1]).sum();
    assert!((95.0..=100.0).contains(&sum), "{sum}");
    let text = body.to_string();
    assert!(
        text.contains("modes that take the frame along")
            && text.contains("with geometric stiffness"),
        "{text}"
    );
}

#[test]
fn free_modes_are_balanced() {
    let body = inspected(true);
    assert!(
        body.balanced(),
        "{} {}",
        body.translation_coupling,
        body.rotation_coupling
    );
    assert!(body.mass_departure < 1e-8);
    assert!(
        body.modes
            .iter()
            .all(|m| m.effective.iter().all(|share| *share < 1e-8))
    );
    let numbers: Vec<usize> = body.invariants.iter().map(|i| i.numbers).collect();
    let m = body.modes.len();
    assert_eq!(
        numbers,
        [1, 3, 3 * m, 3 * m, 3 * m * m, m * m, 9, 9 * m, 9 * m * m]
    );
    assert_eq!(body.interfaces.len(), 1);
    assert_eq!(body.interfaces[0].directions, DIRECTIONS);
}
