//! Tangents of flexible bodies, and of every element on their nodes.

mod contact;

use super::*;

/// Where the displacement of a modal coordinate stands, by its column of the matrix.
pub(super) fn delta_of(system: &System, column: usize) -> Option<usize> {
    system.flexibles.iter().find_map(|entry| {
        let mode = (0..entry.modal.len).find(|j| entry.row(*j) == column)?;
        Some(system.modal_first() + entry.modal.first + mode)
    })
}

/// Random modal coordinates.
pub(super) fn scatter(
    system: &System,
    state: &mut State,
    stepper: &mut Stepper,
    random: &mut Random,
) {
    for (k, at) in system.layout.modal.range().enumerate() {
        let rate = system.modal_first() + k;
        state.reals[at] = 0.2 * random.next();
        stepper.delta[rate] = 0.1 * random.next();
        stepper.velocity_offset[rate] = 0.3 * random.next();
        stepper.acceleration_offset[rate] = random.next();
    }
}

/// Part b flexible, with markers on two of its nodes.
pub(super) fn soft(m: &mut serde_json::Value) {
    m["parts"].as_array_mut().unwrap().remove(1);
    m["flexible_bodies"] = json!([{
        "name": "b", "file": "five.flex", "position": [1, 0.3, -0.2], "dynamic_limit": "none"
    }]);
    m["markers"][1] = json!({"name": "mb", "part": "b", "node": 3, "position": [-0.3, 0.2, 0.1],
        "orientation": {"euler": [-0.2, 0.7, 0.1]}});
    let other = json!({"name": "mn", "part": "b", "node": 1, "position": [0, 0.1, 0],
        "orientation": {"euler": [0.4, 0.2, 0.1]}});
    m["markers"].as_array_mut().unwrap().push(other);
}

fn bend(name: &str, change: impl Fn(&mut serde_json::Value)) {
    check(name, |m| {
        soft(m);
        change(m);
    });
}

#[test]
fn flexible_bodies_alone() {
    bend("flexible", |_| {});
    for preset in ["partial", "constant", "rigid"] {
        bend(preset, |m| {
            m["flexible_bodies"][0]["invariants"] = preset.into();
        });
    }
    bend("quasi-static", |m| {
        m["flexible_bodies"][0]["dynamic_limit"] = 1.5.into();
    });
    bend("two modes", |m| {
        m["flexible_bodies"][0]["modes"] = json!([3, 1]);
    });
}

/// Torques on nodes that do not turn are refused by name; forces at them are not.
#[test]
fn torques_need_nodes_that_turn() {
    let refusal = |joint: &str, place: [f64; 3]| {
        let mut model = base();
        soft(&mut model);
        model["flexible_bodies"][0]["file"] = "solid.flex".into();
        model["markers"][1]["position"] = json!(place);
        model["joints"] = json!([{"name": "j", "type": joint, "i": "mb", "j": "ma"}]);
        let model = Model::read(&model.to_string(), &tyre::files).map_err(|e| e.to_string());
        compile(&model.unwrap().mechanism, Selection::Keep(&[])).err()
    };
    assert_eq!(refusal("spherical", [0.0; 3]), None);
    for (joint, place, why) in [
        ("revolute", [0.0; 3], "it carries a torque"),
        (
            "spherical",
            [0.1, 0.0, 0.0],
            "the marker is not at the node",
        ),
    ] {
        let message = refusal(joint, place).unwrap().to_string();
        for part in [
            "joint \"j\"",
            "marker \"mb\"",
            "node \"3\"",
            "body \"b\"",
            why,
        ] {
            assert!(message.contains(part), "{message}");
        }
    }
}

/// Forces on nodes that the finite-element model holds in a direction are refused by name; torques at them are not.
#[test]
fn forces_need_nodes_that_move() {
    let refusal = |kind: &str, entity: serde_json::Value, held: bool| {
        let mut model = base();
        soft(&mut model);
        model["markers"][1]["position"] = json!([0, 0, 0]);
        model[kind] = json!([entity]);
        let model = Model::read(&model.to_string(), &tyre::files).map_err(|e| e.to_string());
        let mut mechanism = model.unwrap().mechanism;
        let flex = mechanism
            .bodies
            .iter_mut()
            .find_map(|body| body.flexible.as_mut());
        let flex = flex.unwrap();
        let mut data = flexible_data(flex);
        let node = data.nodes.iter_mut().find(|node| node.id == 3).unwrap();
        node.freedom[0] = !held;
        node.freedom[2] = !held;
        flex.data = data.into();
        compile(&mechanism, Selection::Keep(&[])).err()
    };
    let joint = |kind: &str| json!({"name": "x", "type": kind, "i": "mb", "j": "ma"});
    let force = |kind: &str, more: serde_json::Value| {
        let mut force = joint(kind);
        for (key, value) in more.as_object().unwrap() {
            force[key] = value.clone();
        }
        force
    };
    let line = json!({"stiffness": 7, "damping": 2});
    let spring = force("spring_damper", line.clone());
    let push = force("vector_force", json!({"fx": "1"}));
    for (kind, entity) in [
        ("joints", joint("spherical")),
        ("joints", joint("in_plane")),
        ("joints", joint("fixed")),
        ("forces", spring),
        ("forces", push),
        (
            "forces",
            force("action_only_force", json!({"expression": "1"})),
        ),
    ] {
        assert_eq!(refusal(kind, entity.clone(), false), None, "{entity}");
        let message = refusal(kind, entity, true).unwrap().to_string();
        for part in [
            "\"x\" loads",
            "marker \"mb\"",
            "node \"3\"",
            "body \"b\"",
            "where no mode takes part in translation along x, z; it carries a force",
        ] {
            assert!(message.contains(part), "{message}");
        }
    }
    for (kind, entity) in [
        ("joints", joint("perpendicular")),
        ("joints", joint("orientation")),
        ("forces", force("torque", json!({"expression": "1"}))),
        ("forces", force("vector_torque", json!({"tx": "1"}))),
        (
            "forces",
            force(
                "torsion_spring_damper",
                json!({"stiffness": 7, "damping": 2}),
            ),
        ),
    ] {
        assert_eq!(refusal(kind, entity.clone(), true), None, "{entity}");
    }
}

/// A copy of the content of a body's file.
fn flexible_data(flex: &fixstep_kernel::mechanism::FlexBody) -> fixstep_kernel::flex::FlexData {
    (*flex.data).clone()
}

/// A marker on the frame of a body can be read and not loaded: what loads it is named, and the nearest node.
#[test]
fn loads_need_nodes() {
    for (kind, entity) in [
        (
            "joints",
            json!({"name": "x", "type": "spherical", "i": "mb", "j": "ma"}),
        ),
        (
            "forces",
            json!({"name": "x", "type": "vector_force", "i": "ma", "j": "mb", "fx": "1"}),
        ),
    ] {
        let mut model = base();
        soft(&mut model);
        model["markers"][1] = json!({"name": "mb", "part": "b", "position": [1.4, 0, 0]});
        model["outputs"] = json!([{"name": "o", "expression": "DX(mb, ma)"}]);
        let compiled = |model: &serde_json::Value| {
            let model = Model::read(&model.to_string(), &tyre::files).map_err(|e| e.to_string());
            compile(&model.unwrap().mechanism, Selection::Keep(&[])).err()
        };
        assert_eq!(compiled(&model), None);
        model[kind] = json!([entity]);
        let message = compiled(&model).unwrap().to_string();
        for part in ["\"x\"", "marker \"mb\"", "body \"b\"", "nearest is \"3\""] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn every_joint_on_nodes() {
    for kind in JOINTS {
        for (i, j) in [("ma", "mb"), ("mb", "mc"), ("mb", "mn")] {
            bend(kind, |m| {
                m["joints"] = json!([{"name": "j", "type": kind, "i": i, "j": j}]);
            });
        }
    }
}

#[test]
fn motions_and_couplers_on_nodes() {
    bend("motion", |m| {
        m["joints"] = json!([{"name": "j", "type": "revolute", "i": "mb", "j": "ma"},
                             {"name": "k", "type": "cylindrical", "i": "mc", "j": "mn"}]);
        m["motions"] = json!([{"name": "d", "joint": "j", "displacement": "0.3*TIME"}]);
        m["couplers"] = json!([{"name": "c", "joints": ["j", "k"], "scales": [1, 0.4],
            "coordinates": ["rotation", "translation"]}]);
    });
    bend("general constraint", |m| {
        m["general_constraints"] = json!([{
            "name": "c", "expression": "DM(mb, ma)*(1 + 0.2*AZ(mn, mc)) - 1.1"
        }]);
    });
}

#[test]
fn forces_on_nodes() {
    for (i, j) in [("ma", "mb"), ("mb", "g"), ("mn", "mb")] {
        bend("bushing", |m| {
            m["forces"] = json!([{
                "name": "b", "type": "bushing", "i": i, "j": j, "stiffness": [3, 4, 5],
                "damping": [0.3, 0.5, 0.7], "torsional_stiffness": [10, 20, 30],
                "torsional_damping": [1, 2, 3]
            }]);
        });
        bend("spring", |m| {
            m["forces"] = json!([{
                "name": "s", "type": "spring_damper", "i": i, "j": j, "stiffness": 7, "damping": 2
            }]);
        });
    }
}

#[test]
fn expressions_of_nodes() {
    bend("vector force", |m| {
        m["forces"] = json!([{
            "name": "f", "type": "vector_force", "i": "mb", "j": "ma", "axes": "mn",
            "fx": "VX(mb, ma, mn)*DX(mn, mc, mb)", "fy": "AZ(mb, mc) + WZ(mb, mn, ma)",
            "fz": "0.1*ACCX(mb, ma, mc)"
        }]);
    });
    bend("torque by a reaction", |m| {
        m["joints"] = json!([{"name": "j", "type": "spherical", "i": "ma", "j": "mb"}]);
        m["forces"] = json!([{
            "name": "f", "type": "vector_torque", "i": "mn", "j": "mc",
            "tx": "0.3*JOINT(j, 1, 2, mb)", "tz": "VM(mb)"
        }]);
    });
}
