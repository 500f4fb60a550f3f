//! The tangents of joint drives: within limits, in their corners, beyond, at either stop.

use super::*;
use serde_json::Value;

fn compare(joint: &str, direction: &Value, extra: &Value, seed: u32) {
    let mut drive = json!({
        "name": "f", "type": "joint_drive", "joint": "j", "direction": direction,
        "position": "0.3 + 0.2*DX(mc, mb)", "velocity": "u*VX(mc)", "feed_forward": "JOINT(p, 0, 2)",
        "proportional": 3, "derivative": 0.7
    });
    for (field, value) in extra.as_object().unwrap() {
        drive[field] = value.clone();
    }
    let mut model = base();
    model["joints"] = json!([
        {"name": "j", "type": joint, "i": "ma", "j": "mb"},
        {"name": "p", "type": "in_plane", "i": "mc", "j": "g"}
    ]);
    if joint == "screw" {
        model["joints"][0]["pitch"] = json!(0.3);
    }
    model["forces"] = json!([drive]);
    let what = format!("{joint} {direction}, {extra}, seed {seed}");
    Fixture::new(&model, seed, no_scheme()).check(&what);
}

#[test]
fn drives_of_all_joints() {
    let stops = |lower: f64, upper: f64| {
        json!({"lower": lower, "upper": upper, "stiffness": 4, "exponent": 2.2, "damping": 0.3,
               "depth": 9})
    };
    let cases = [
        json!({}),
        json!({"effort_limit": 900.0, "speed_limit": 900.0}),
        json!({"effort_limit": 0.8, "speed_limit": 0.9}),
        json!({"effort_limit": 4.0}),
        json!({"speed_limit": 3.0, "stops": stops(-9.0, -8.0)}),
        json!({"stops": stops(8.0, 9.0)}),
        json!({"stops": stops(-9.0, 9.0)}),
    ];
    for (k, extra) in cases.iter().enumerate() {
        let seed = 1 + k as u32;
        compare("revolute", &Value::Null, extra, seed);
        compare("translational", &Value::Null, extra, seed);
        compare("cylindrical", &json!("rotation"), extra, seed);
        compare("screw", &json!("translation"), extra, seed);
    }
}
