//! The tangents of joint friction, also in the multipliers of the joint: every joint, every law.

use super::*;
use fixstep_kernel::elements::forces;
use serde_json::Value;

/// Joints with the numbers of their bearings.
pub(super) fn bearings() -> [(&'static str, Value); 5] {
    let pin = json!({"pin_radius": 0.7, "friction_arm": 0.4, "bending_arm": 0.6,
                     "preload_torque": 0.3, "viscous_torque": 0.2});
    [
        ("revolute", pin.clone()),
        ("universal", pin),
        (
            "translational",
            json!({"bending_arm": 0.6, "reaction_arm": 0.8, "preload_force": 0.3,
                   "viscous_force": 0.2}),
        ),
        (
            "cylindrical",
            json!({"pin_radius": 0.7, "bending_arm": 0.6, "preload_force": 0.3,
                   "preload_torque": 0.2, "viscous_force": 0.2, "viscous_torque": 0.1}),
        ),
        (
            "spherical",
            json!({"ball_radius": 0.7, "preload_torque": 0.3, "viscous_torque": 0.2}),
        ),
    ]
}

/// Slip below, between and above the two velocities; bristles.
pub(super) fn laws() -> [Value; 5] {
    let coulomb = |from: f64, to: f64| json!({"type": "coulomb", "stiction_velocity": from, "friction_velocity": to});
    let lugre = |velocity: f64, damping: f64| {
        json!({"type": "lugre", "bristle_stiffness": 0.7, "bristle_damping": damping,
               "stribeck_velocity": velocity})
    };
    [
        coulomb(60.0, 90.0),
        coulomb(0.05, 60.0),
        coulomb(0.01, 0.05),
        lugre(0.9, 0.3),
        lugre(0.1, 0.0),
    ]
}

pub(super) fn element(bearing: &Value, law: &Value) -> Value {
    let mut element = bearing.clone();
    element["name"] = json!("f");
    element["type"] = json!("joint_friction");
    element["joint"] = json!("j");
    element["mu_static"] = json!(0.9);
    element["mu_dynamic"] = json!(0.6);
    element["law"] = law.clone();
    element
}

#[test]
fn friction_of_all_joints() {
    for (k, (joint, bearing)) in bearings().iter().enumerate() {
        for (l, law) in laws().iter().enumerate() {
            let mut model = base();
            model["joints"] = json!([{"name": "j", "type": joint, "i": "ma", "j": "mb"}]);
            let element = element(bearing, law);
            model["forces"] = json!([element]);
            for (name, scheme) in [schemes()[0], schemes()[1 + (k + l) % 5]] {
                let mut fixture = Fixture::new(&model, (1 + k + l) as u32, scheme);
                fixture.residual();
                let context = eval::context(&fixture.system, &fixture.state, &fixture.ws, 0);
                let load = forces::wrench(&fixture.system.forces[0].law, &context);
                assert!(load.force.norm() + load.torque.norm() > 1e-3, "{element}");
                fixture.check(&format!("{joint}, {law}, {name}"));
            }
        }
    }
}

/// A joint between a part and ground; what friction reads reaches other bodies by a joint's reaction.
#[test]
fn friction_at_ground_and_what_reads_it() {
    for (k, (joint, bearing)) in bearings().into_iter().enumerate() {
        let law = laws()[1 + 2 * (k % 2)].clone();
        let mut model = base();
        model["joints"] = json!([{"name": "j", "type": joint, "i": "ma", "j": "g"}]);
        model["forces"] = json!([
            element(&bearing, &law),
            {"name": "r", "type": "vector_force", "i": "mc", "j": "mb", "fy": "0.2*FRICTION(f, 1, 5)"}
        ]);
        let mut fixture = Fixture::new(&model, 3, no_scheme());
        fixture.check(&format!("{joint} at ground"));
    }
}
