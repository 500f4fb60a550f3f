//! The tangents of tendons.

use super::*;

#[test]
fn tendons() {
    for (what, length) in [("full damping", 1.0), ("rising damping", 5.0)] {
        check(what, |m| {
            m["forces"] = json!([{
                "name": "t", "type": "tendon", "points": ["ma", "mb", "g", "mp", "ma", "mc"],
                "stiffness": 7, "damping": 3, "length": length, "damping_stretch": 9
            }]);
        });
    }
}
