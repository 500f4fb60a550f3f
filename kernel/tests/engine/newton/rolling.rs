//! Rows of rolling and edges in the Newton matrix: also off their constraints, at velocities that slip.

use super::check;
use serde_json::json;

#[test]
fn every_joint_that_rolls() {
    check("wheel", |m| {
        m["joints"] = json!([{"name": "j", "type": "rolling_wheel", "i": "ma", "j": "mb", "radius": 0.4,
                              "crown_radius": 0.1}]);
    });
    check("disc", |m| {
        m["parts"][0]["orientation"] = json!({"euler": [0.4, 1.2, -0.3]});
        m["parts"][0]["position"] = json!([0, 0.3, 2]);
        m["joints"] =
            json!([{"name": "j", "type": "rolling_wheel", "i": "ma", "j": "g", "radius": 0.4}]);
    });
    check("ball", |m| {
        m["joints"] =
            json!([{"name": "j", "type": "rolling_ball", "i": "ma", "j": "mb", "radius": 0.4}]);
    });
    check("edge", |m| {
        m["joints"] = json!([{"name": "j", "type": "knife_edge", "i": "ma", "j": "mb"}]);
    });
}
