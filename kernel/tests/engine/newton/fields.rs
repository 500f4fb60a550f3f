//! The tangents of fields, beams and turned bushings.

use super::*;

#[test]
fn fields_and_beams() {
    let matrix = |seed: u32| {
        let mut random = Random(seed);
        let row = |_| (0..6).map(|_| 10.0 * random.next()).collect::<Vec<_>>();
        (0..6).map(row).collect::<Vec<_>>()
    };
    check("field", |m| {
        m["forces"] = json!([{
            "name": "f", "type": "field", "i": "ma", "j": "mb", "stiffness": matrix(1),
            "damping": matrix(2), "damping_ratio": 0.1, "displacement": [1, 0.2, 0.3],
            "rotation": [0.1, 0.2, -0.1], "preload": [1, 2, 3], "torsional_preload": [3, -1, 2]
        }]);
    });
    check("beam", |m| {
        m["forces"] = json!([{
            "name": "b", "type": "beam", "i": "mc", "j": "ma", "length": 1.2, "youngs_modulus": 7,
            "shear_modulus": 3, "area": 2, "ixx": 1, "iyy": 3, "izz": 2, "shear_y": 1.2,
            "damping": matrix(3), "damping_ratio": 0.2
        }]);
    });
}

#[test]
fn bushing_rotation() {
    // Torsional stiffness acts through the rotation vector, whose tangent is exact.
    check("bushing", |m| {
        m["forces"] = json!([{
            "name": "b", "type": "bushing", "i": "ma", "j": "mb",
            "stiffness": [0, 0, 0], "torsional_stiffness": [10, 20, 30]
        }]);
    });
}
