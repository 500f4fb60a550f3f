#![expect(clippy::unwrap_used, reason = "tests")]

use super::Animation;
use super::scene::Kind;
use super::soft::Rigid;
use crate::native::Native;
use crate::run::{Plan, run};
use crate::slave::LogLevel;
use fixstep_kernel::flex::Node;
use fixstep_kernel::math::Vec3;
use fixstep_model::Model;
use fixstep_model::flex_file;
use flexible_bodies::beam::{Beams, reduced};
use flexible_bodies::reduce::Options;

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

/// A film of a model from its start to its stop.
fn filmed(model: &Model, magnification: f64) -> Animation {
    let mut animation = Animation::of(&model.mechanism, magnification);
    let mut slave = Native::new(model, LogLevel::Errors).unwrap();
    run(&mut slave, &Plan::default(), &mut |slave, share| {
        animation.watch(slave.engine().unwrap(), share);
    })
    .unwrap();
    animation
}

#[test]
fn a_driven_rod_is_seen_where_its_motion_puts_it() {
    let animation = filmed(&Model::from_json(ROD).unwrap(), 1.0);
    let film = &animation.film;
    assert_eq!(film.frames.len(), 60);
    assert!((film.duration() - 1.0).abs() < 1e-9);
    let points = animation.scene.points(film.frames.last().unwrap());
    let tip = Vec3::new(1.0, 0.0, 0.0);
    assert!(points.iter().any(|p| (p - tip).norm() < 1e-6), "{points:?}");

    let svg = animation.develop();
    let frames: Vec<usize> = svg
        .split("values=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().split(';').count())
        .collect();
    assert_eq!(frames, [60]);
    assert_eq!(svg.matches("<path").count(), 3, "ground, rod, joint");
}

/// A beam of steel along x, clamped at its end, its tip under a force that bends it by P x² (3 L − x)/6EI, with a
/// mast on the tip.
const BEAM: &str = r#"{
  "fixstep": 1, "name": "beam",
  "flexible_bodies": [{"name": "beam", "file": "beam.flex", "position": [0, 0, 2], "damping": 1}],
  "markers": [
    {"name": "root", "part": "beam", "node": "root"}, {"name": "tip", "part": "beam", "node": "tip"},
    {"name": "mast", "part": "beam", "node": "tip", "position": [0, 0, 0.5]},
    {"name": "wall", "part": "ground", "position": [0, 0, 2]}
  ],
  "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "wall"}],
  "forces": [
    {"name": "push", "type": "vector_force", "i": "tip", "j": "ground", "fz": "STEP5(TIME, 0, 0, 0.5, 1)"},
    {"name": "wind", "type": "vector_force", "i": "mast", "j": "ground", "fx": 0}
  ],
  "outputs": [{"name": "rise", "expression": "DZ(tip, wall)"}],
  "experiment": {"start": 0, "stop": 1, "step": 0.001}
}"#;
const SECTION: &str = r#"{
  "name": "beam",
  "points": [{"name": "root", "position": [0, 0, 0]}, {"name": "tip", "position": [1, 0, 0]}],
  "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
  "section": {"type": "rectangle", "y": 0.01, "z": 0.01},
  "elements": 2
}"#;

/// The beam at the end of its film.
fn bent(magnification: f64) -> Animation {
    let beams = Beams::read(SECTION, "beam.json").unwrap();
    let (body, _) = reduced::body(&beams, Options::default(), &mut |_, _| {}).unwrap();
    let file = flex_file::write(&body);
    let model = Model::read(BEAM, &|_| Ok(file.clone())).unwrap();
    filmed(&model, magnification)
}

/// Where the beam itself is in the last frame, by x, and the top of its mast.
fn drawn(animation: &Animation) -> (Vec<Vec3>, Vec3) {
    let frame = animation.film.frames.last().unwrap();
    let limbs = animation.scene.strokes(frame, 1, Kind::Limb);
    assert_eq!(limbs.len(), 2, "{limbs:?}");
    (limbs[1].clone(), *limbs[0].last().unwrap())
}

#[test]
fn a_flexible_body_is_drawn_as_it_bends() {
    let animation = bent(1.0);
    let (line, top) = drawn(&animation);
    let bend = 2.1e11 * 1e-8 / 12.0;
    assert_eq!(line.len(), 13);
    for p in &line {
        let wanted = p.x * p.x * (3.0 - p.x) / (6.0 * bend);
        assert!((p.z - 2.0 - wanted).abs() < 1e-6, "{p} {wanted}");
    }
    assert!((top.x - (1.0 - 0.5 * 0.5 / bend)).abs() < 1e-5, "{top}");
    assert!((top.z - 2.5 - 1.0 / (3.0 * bend)).abs() < 1e-5, "{top}");
    let svg = animation.develop();
    assert!(svg.contains("class=\"body\"") && !svg.contains("deformations"));
}

#[test]
fn deformations_are_as_large_as_wanted_and_joints_stay_together() {
    let bend = 2.1e11 * 1e-8 / 12.0;
    let large = bent(20.0);
    let (line, top) = drawn(&large);
    assert!(
        (line[0] - Vec3::new(0.0, 0.0, 2.0)).norm() < 1e-9,
        "{}",
        line[0]
    );
    for p in &line {
        let wanted = 20.0 * p.x * p.x * (3.0 - p.x) / (6.0 * bend);
        assert!((p.z - 2.0 - wanted).abs() < 1e-4, "{p} {wanted}");
    }
    // the mast turns with the tip
    let lean = 20.0 * 0.5 / bend;
    assert!(
        (top.x - (1.0 - 0.5 * fixstep_kernel::math::sin(lean))).abs() < 1e-4,
        "{top}"
    );
    let svg = large.develop();
    assert!(svg.contains("deformations 20 times as large"));
}

#[test]
fn a_body_between_two_joints_bows_out_of_the_line_between_them() {
    let node = |id: u64, x: f64, lift: f64, turn: f64| Node {
        id,
        name: None,
        position: Vec3::new(x, 0.0, 0.0),
        freedom: [true; 6],
        translation: vec![Vec3::new(0.0, 0.0, lift)],
        rotation: vec![Vec3::new(0.0, turn, 0.0)],
    };
    let nodes = [
        node(1, 1.0, 3.0, 9.0),
        node(2, 2.0, 7.0, 0.0),
        node(3, 3.0, 5.0, -9.0),
    ];
    // by displacements: z = 2 + x, whatever the ends turn; about x alone rotations have a say
    let rigid = Rigid::of(&nodes, &[0, 2], 0, 1e-3);
    let at = |x: f64| rigid.shift + rigid.turn.cross(&(Vec3::x() * x));
    for x in [1.0, 2.0, 3.0] {
        assert!((at(x) - Vec3::z() * (2.0 + x)).norm() < 1e-5, "{}", at(x));
    }
    let free = Rigid::of(&nodes, &[], 0, 1e-3);
    assert_eq!((free.shift, free.turn), (Vec3::zeros(), Vec3::zeros()));
}
