//! Tests that a chain attached to a model moves like one on ground.

#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_kernel::ids::OutputId;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;

use super::super::{Chain, End, chain};
use super::*;

const FRAME: &str = r#"{"name": "frame", "points": [{"name": "root", "position": [0.1, 0, 0]}, {"name": "bend", "position": [0.6, 0, 0]},
   {"name": "tip", "position": [0.6, 0.4, 0.3]}],
 "material": {"youngs_modulus": 7e10, "poissons_ratio": 0.3, "density": 2700}, "damping": {"ratio": 0.02, "frequency": 20},
 "segments": [{"section": {"type": "tube", "outer": 0.04, "inner": 0.03}}, {"section": {"type": "rectangle", "y": 0.02, "z": 0.03}}]}"#;

/// A heavy block at rest; its marker `hub` has x along z of ground; other units.
const HOST: &str = r#"{
  "fixstep": 1, "name": "host",
  "units": {"length": "mm", "mass": "tonne", "force": "N", "time": "s", "angle": "deg"},
  "gravity": [0, 0, -9810],
  "parts": [{"name": "block", "mass": 1, "inertia": {"xx": 1e6, "yy": 1e6, "zz": 1e6}, "position": [50, 0, 0],
             "orientation": {"euler": [0, 0, 90]}}],
  "markers": [
    {"name": "foot", "part": "block"}, {"name": "floor", "part": "ground", "position": [50, 0, 0], "orientation": {"euler": [0, 0, 90]}},
    {"name": "hub", "part": "block", "position": [0, 200, 0], "orientation": {"quaternion": [0.5, -0.5, -0.5, -0.5]}}
  ],
  "joints": [{"name": "stand", "type": "fixed", "i": "foot", "j": "floor"}],
  "experiment": {"start": 0, "stop": 0.2, "step": 0.001}
}"#;

fn beams() -> Beams {
    Beams::read(FRAME, "frame.json").unwrap()
}

fn host() -> Model {
    Model::from_json(HOST).unwrap()
}

fn ask(ends: [Option<End>; 2], at: &[(&str, &str)]) -> Ask {
    let owned = |(a, b): &(&str, &str)| ((*a).to_owned(), (*b).to_owned());
    Ask {
        segments: 6,
        ends,
        at: at.iter().map(owned).collect(),
    }
}

/// The three outputs with a name over a fifth of a second, in SI.
fn path(text: &str) -> Vec<[f64; 3]> {
    let model = Model::from_json(text).unwrap_or_else(|e| unreachable!("{e}\n{text}"));
    let outputs = ["x", "y", "z"].map(|axis| {
        let name = format!("frame_tip_{axis}");
        let at = model
            .mechanism
            .outputs
            .iter()
            .position(|o| o.quantity.name == name);
        OutputId::from(at.unwrap())
    });
    let unit = model.mechanism.units.length.factor;
    let mut simulation = Simulation::new(model.mechanism).unwrap();
    simulation.set_step(0.001);
    simulation.initialize(0.0).unwrap();
    let mut path = Vec::new();
    for _ in 0..200 {
        simulation.step().unwrap();
        path.push(outputs.map(|output| simulation.output(output) * unit));
    }
    path
}

/// The same chain on ground, with gravity in the axes of the line.
fn alone(end: End, down: [f64; 3]) -> String {
    let chain: Chain = chain(&beams(), 6, [end, End::Free]).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&chain.text()).unwrap();
    json["gravity"] = down.map(|g| g * 9.81).into();
    json["experiment"] = serde_json::json!({"start": 0, "stop": 0.2, "step": 0.001});
    json.to_string()
}

#[test]
fn a_chain_in_another_model_and_other_units_moves_as_one_on_ground() {
    let (at, axes) = {
        let model = host();
        let hub = model
            .mechanism
            .markers
            .iter()
            .find(|m| m.name == "hub")
            .unwrap();
        pose(&model, hub)
    };
    let down = -axes.tr_mul(&Vec3::z());
    for end in [End::Rigid, End::Flexible] {
        let text = into(
            HOST,
            &host(),
            &beams(),
            &ask([Some(end), None], &[("root", "hub")]),
        )
        .unwrap();
        let there = path(&text);
        let here = path(&alone(end, down.into()));
        let rest = here[0];
        let mut moved = 0.0_f64;
        for (there, here) in there.iter().zip(&here) {
            let seen = axes.tr_mul(&(Vec3::from(*there) - at)) + Vec3::x() * 0.1;
            let here = Vec3::from(*here);
            assert!((seen - here).norm() < 1e-9, "{seen} {here}");
            moved = moved.max((here - Vec3::from(rest)).norm());
        }
        assert!(moved > 1e-4, "{moved}");
    }
}

#[test]
fn points_between_are_fixed_and_free_ends_only_placed() {
    let at = [("root", "hub"), ("bend", "foot")];
    let error = into(HOST, &host(), &beams(), &ask([None; 2], &at)).unwrap_err();
    assert!(
        error.contains("point \"bend\" is") && error.contains("from marker \"foot\""),
        "{error}"
    );
    let text = into(
        HOST,
        &host(),
        &beams(),
        &ask([Some(End::Free), None], &[("bend", "hub")]),
    )
    .unwrap();
    let model = Model::from_json(&text).unwrap();
    let [fixed] = [&model.mechanism.joints[1]];
    assert_eq!(
        (model.mechanism.joints.len(), fixed.name.as_str()),
        (2, "frame_bend")
    );
    let poses = [fixed.i, fixed.j].map(|m| pose(&model, &model.mechanism.markers[m.index()]));
    assert!((poses[0].0 - poses[1].0).norm() < 1e-12);
    assert!((poses[0].1 - poses[1].1).norm() < 1e-12);
    let text = into(
        HOST,
        &host(),
        &beams(),
        &ask([Some(End::Free), None], &[("root", "hub")]),
    )
    .unwrap();
    let model = Model::from_json(&text).unwrap();
    assert_eq!(model.mechanism.joints.len(), 1);
    let root = model
        .mechanism
        .markers
        .iter()
        .find(|m| m.name == "frame_root");
    let hub = model.mechanism.markers.iter().find(|m| m.name == "hub");
    let [root, hub] = [root, hub].map(|m| pose(&model, m.unwrap()).0);
    assert!((root - hub).norm() < 1e-12);
}

#[test]
fn what_is_not_there_is_named() {
    for (at, message) in [
        (
            &[("knee", "hub")][..],
            "no point \"knee\"; valid: root, bend, tip",
        ),
        (&[("root", "hip")], "no marker \"hip\""),
        (&[], "the chain is not attached"),
    ] {
        let error = into(HOST, &host(), &beams(), &ask([None; 2], at)).unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}
