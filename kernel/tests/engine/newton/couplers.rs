//! The tangents of couplers and gears, also where joints share a body and where a force reads them.

use super::*;

/// Joints in a chain and back to ground, so that couplers find each kind.
fn joints(m: &mut serde_json::Value) {
    m["joints"] = json!([
        {"name": "r", "type": "revolute", "i": "ma", "j": "mb"},
        {"name": "t", "type": "translational", "i": "mc", "j": "mb"},
        {"name": "c", "type": "cylindrical", "i": "mc", "j": "g"}
    ]);
}

#[test]
fn couplers_of_all_coordinates() {
    check("two turns", |m| {
        joints(m);
        m["couplers"] = json!([{"name": "k", "joints": ["r", "c"], "scales": [1, -0.6],
                                "coordinates": ["rotation", "rotation"]}]);
        m["forces"] = json!([{"name": "f", "type": "vector_force", "i": "mc", "j": "g",
                              "fy": "0.2*TZ(ma, mb, mc)"}]);
    });
    check("turn, slide and slide", |m| {
        joints(m);
        m["couplers"] = json!([{"name": "k", "joints": ["r", "t", "c"], "scales": [0.7, -1.6, 0.4],
                                "coordinates": ["rotation", "translation", "translation"]}]);
    });
}

#[test]
fn gears_of_all_joints() {
    check("turn and slide on one carrier", |m| {
        joints(m);
        m["gears"] = json!([{"name": "k", "joints": ["r", "t"], "carrier": "mb2"}]);
        let contact = json!({"name": "mb2", "part": "b", "position": [0.4, -0.5, 0.3],
                             "orientation": {"euler": [0.4, 0.5, 0.6]}});
        m["markers"].as_array_mut().unwrap().push(contact);
    });
    check("carrier at either end", |m| {
        joints(m);
        m["gears"] = json!([{"name": "k", "joints": ["t", "c"], "carrier": "mc2"}]);
        let contact = json!({"name": "mc2", "part": "c", "position": [0.4, -0.5, 0.3],
                             "orientation": {"euler": [0.4, 0.5, 0.6]}});
        m["markers"].as_array_mut().unwrap().push(contact);
    });
}
