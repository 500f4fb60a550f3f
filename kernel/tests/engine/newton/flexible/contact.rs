//! Tangents of contacts, joint friction and tyres whose markers are on nodes of a flexible body.

use super::super::{contact, friction, tyre, *};
use super::soft;
use fixstep_kernel::elements::forces;
use serde_json::Value;

/// Part b flexible; the marker at the given end of a force or joint between ma and mb is on its node.
fn model(turned: bool) -> (Value, &'static str, &'static str) {
    let mut model = base();
    soft(&mut model);
    let (i, j) = if turned { ("mb", "ma") } else { ("ma", "mb") };
    (model, i, j)
}

/// The size of what the first force does, after the matrix was checked.
fn check(model: &Value, seed: u32, scheme: Scheme, what: &str) -> f64 {
    let mut fixture = Fixture::new(model, seed, scheme);
    fixture.residual();
    let context = eval::context(&fixture.system, &fixture.state, &fixture.ws, 0);
    let load = forces::wrench(&fixture.system.forces[0].law, &context);
    fixture.check(what);
    load.force.norm() + load.torque.norm()
}

/// Every pair of shapes on nodes: I on the node, then J, then both.
#[test]
fn contacts_on_nodes() {
    let (laws, frictions) = (contact::laws(), contact::frictions());
    let mut pressed = 0;
    for (k, (of_i, of_j, _)) in contact::shapes().iter().enumerate() {
        for (turned, seed) in [(false, 1), (true, 4)] {
            let (mut model, i, j) = model(turned);
            contact::surroundings(&mut model);
            // The slip on ground is too near to zero for differences over the steeper laws.
            let ground = matches!(of_j["type"].as_str(), Some("heightmap" | "profile"));
            let friction = &frictions[k % if ground { 2 } else { 4 }];
            let law = &laws[(k + seed) % laws.len()];
            model["forces"] = json!([{
                "name": "c", "type": "contact", "i": i, "j": j, "shapes": {"i": of_i, "j": of_j},
                "normal": law, "friction": friction
            }]);
            let what = format!("{of_i} on {of_j}, {law}, {friction}, {i} on {j}");
            pressed += u32::from(check(&model, seed as u32, no_scheme(), &what) > 0.1);
        }
    }
    assert!(pressed > 30, "{pressed}");
}

/// Friction reads the reaction of its joint, which is at a node.
#[test]
fn friction_on_nodes() {
    for (k, (joint, bearing)) in friction::bearings().iter().enumerate() {
        for (l, law) in friction::laws().iter().enumerate() {
            let (mut model, _, _) = model(false);
            let (i, j) = [("ma", "mb"), ("mb", "ma"), ("mb", "g"), ("mb", "mn")][(k + l) % 4];
            model["joints"] = json!([{"name": "j", "type": joint, "i": i, "j": j}]);
            model["forces"] = json!([friction::element(bearing, law)]);
            let (name, scheme) = schemes()[(k + l) % 6];
            let load = check(
                &model,
                (1 + k + l) as u32,
                scheme,
                &format!("{joint}, {law}, {name}"),
            );
            assert!(load > 1e-3, "{joint}, {law}");
        }
    }
}

/// A wheel that bends, and a wheel on a carrier that bends.
#[test]
fn tyres_on_nodes() {
    let mut loaded = 0;
    for (k, road) in tyre::roads().iter().enumerate() {
        let laws = [
            tyre::linear(2.5, 1.0),
            json!({"type": "pac2002", "file": "bench.tir", "use_mode": 14}),
        ];
        for (l, law) in laws.iter().enumerate() {
            let (mut model, i, j) = model((k + l) % 2 == 0);
            model["roads"] = json!([{"name": "road", "shape": road, "position": [0.1, -0.2, 0.1],
                                     "yaw": 0.4, "friction": 0.9}]);
            model["forces"] = json!([{
                "name": "t", "type": "tyre", "i": i, "j": j, "road": "road", "law": law,
                "friction": 1.1, "low_speed": {"velocity": 60, "time": 0.05}
            }]);
            let what = format!("{law} on {road}, {i} on {j}");
            loaded += u32::from(check(&model, (3 + k % 2) as u32, no_scheme(), &what) > 0.1);
        }
    }
    assert!(loaded > 6, "{loaded}");
}
