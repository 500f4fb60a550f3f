#![expect(clippy::unwrap_used, reason = "tests")]

use super::Animation;
use crate::native::Native;
use crate::run::{Plan, run};
use fixstep::model::Model;

/// A rod that hangs from ground and turns by a quarter in a second.
const ROD: &str = r#"{
  "fixstep": 1, "name": "rod", "units": {"length": "mm"}, "gravity": [0, -9810, 0],
  "parts": [{"name": "rod", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "center_of_mass": [0, -500, 0]}],
  "markers": [{"name": "pin", "part": "rod"}, {"name": "tip", "part": "rod", "position": [0, -1000, 0]}],
  "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "ground"}],
  "motions": [{"name": "turn", "joint": "hinge", "displacement": "PI/2*TIME"}],
  "forces": [{"name": "wind", "type": "vector_force", "i": "tip", "j": "ground", "fx": 1}],
  "outputs": [{"name": "angle", "expression": "AZ(pin, ground)"}],
  "experiment": {"start": 0, "stop": 1, "step": 0.01}
}"#;

#[test]
fn a_driven_rod_is_seen_where_its_motion_puts_it() {
    let animation = Animation::of(&Model::from_json(ROD).unwrap());
    let text = animation.probed(ROD).unwrap();
    let model = Model::from_json(&text).unwrap();
    let mut slave = Native::new(&text, &model, false).unwrap();
    let mut outcome = run(&mut slave, &Plan::default(), &mut |_| {}).unwrap();
    let film = animation.film(&outcome.table).unwrap();
    assert_eq!(film.frames.len(), 60);
    assert!((film.duration - 1.0).abs() < 1e-9);
    let points = animation.scene.points(film.frames.last().unwrap());
    let tip = fixstep::math::Vec3::new(1.0, 0.0, 0.0);
    assert!(points.iter().any(|p| (p - tip).norm() < 1e-6), "{points:?}");

    let svg = animation
        .develop(&mut outcome.table, &mut outcome.units)
        .unwrap();
    assert_eq!(outcome.table.names, ["time", "angle"]);
    assert_eq!(outcome.units.len(), 2);
    let frames: Vec<usize> = svg
        .split("values=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().split(';').count())
        .collect();
    assert_eq!(frames, [60]);
    assert_eq!(svg.matches("<path").count(), 3, "ground, rod, joint");
}
