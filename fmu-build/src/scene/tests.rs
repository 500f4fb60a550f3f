//! Tests of scenes: bodies are where a simulation has them, whatever the model; every example has a scene.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use fixstep_kernel::math::rotation::matrix;
use fixstep_model::{Model, flex_file};
use fixstep_pictures::motion;
use fixstep_pictures::scene::{ArrowKind, Origin};
use fixstep_pictures::solids::{is_closed, moved};
use flexible_bodies::beam::{Beams, reduced};
use flexible_bodies::reduce::Options;

mod touching;

use super::*;
use crate::native::Native;
use crate::run::{Outcome, Plan, run};
use crate::slave::{LogLevel, Slave as _};

/// The least half axis of an ellipsoid of inertia, in the longest one.
const SLENDEREST: f64 = 0.02;
/// Most triangles of a scene.
const TRIANGLES: usize = 200_000;

/// A run of a model with its film and its scene.
fn filmed(model: &Model, plan: &Plan) -> (Scene, Film, Outcome) {
    let mut recorder = Recorder::default();
    let mut slave = Native::new(model, LogLevel::Errors).unwrap();
    let outcome = run(&mut slave, plan, &mut |slave, share| {
        recorder.watch(slave.engine().unwrap(), share);
    });
    let film = recorder.film();
    let scene = of(slave.engine().unwrap(), &model.shapes, &film);
    (scene, film, outcome.unwrap())
}

fn model(text: &str) -> Model {
    Model::from_json(text).unwrap()
}

/// Where a point of a body is in a frame.
fn seen(frame: &Frame, body: usize, point: &Vec3) -> Vec3 {
    moved(&frame.poses[body].place, point)
}

/// A rod on a hinge that is turned by a quarter in a second, with all kinds of shapes.
const ROD: &str = r##"{
  "fixstep": 1, "name": "rod", "units": {"length": "mm", "angle": "deg"}, "gravity": [0, -9810, 0],
  "parameters": [{"name": "width", "start": 20}],
  "parts": [{"name": "rod", "solids": [
    {"type": "box", "size": ["=width", 1000, 10], "density": "7850 kg/m3", "position": [0, -500, 0], "color": "steel"},
    {"type": "cylinder", "radius": 4, "length": 10, "density": "7850 kg/m3", "hole": true}
  ]}],
  "markers": [{"name": "pin", "part": "rod"}, {"name": "tip", "part": "rod", "position": [0, -1000, 0]},
    {"name": "side", "part": "rod", "position": [0, -500, 0], "orientation": {"euler": [0, 90, 0]}}],
  "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "ground"}],
  "motions": [{"name": "turn", "joint": "hinge", "displacement": "PI/2*TIME"}],
  "forces": [{"name": "wind", "type": "vector_force", "i": "tip", "j": "ground", "fx": 3}],
  "shapes": [
    {"name": "bob", "part": "rod", "shape": {"type": "sphere", "radius": "=3*width"}, "position": [0, -1000, 0],
     "color": "#c03020"},
    {"name": "pole", "marker": "side", "shape": {"type": "cone", "radius": 30, "length": 100}, "position": [0, 0, 50],
     "opacity": 0.5},
    {"name": "bar", "shape": {"type": "link", "i": "pin", "j": "tip", "radius": 15, "thickness": 5}},
    {"name": "wall", "part": "ground", "shape": {"type": "box", "size": [200, 20, 200], "round": 4}, "position": [0, 40, 0]},
    {"name": "wedge", "part": "ground", "shape": {"type": "extrusion", "points": [[0, 0], [50, 0], [0, 50]], "length": 9}},
    {"name": "cup", "part": "ground", "shape": {"type": "revolution", "points": [[10, 0], [20, 5], [10, 9]]}},
    {"name": "tetra", "part": "ground", "shape": {"type": "mesh", "vertices": [[0, 0, 0], [50, 0, 0], [0, 50, 0], [0, 0, 50]],
      "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}}
  ],
  "outputs": [{"name": "x", "expression": "DX(tip, ground)"}, {"name": "y", "expression": "DY(tip, ground)"},
    {"name": "pull", "expression": "FX(tip, ground)"}],
  "experiment": {"start": 0, "stop": 1, "step": 0.01}
}"##;

#[test]
fn bodies_are_where_the_outputs_say() {
    let (scene, film, outcome) = filmed(&model(ROD), &Plan::default());
    assert_eq!(film.len(), 101);
    let tip = Vec3::new(0.0, -1.0, 0.0);
    for (k, frame) in film.iter().enumerate() {
        let row = |n: usize| 1e-3 * outcome.table.columns[n][k];
        assert!((frame.time - outcome.table.columns[0][k]).abs() < 1e-12);
        let p = seen(frame, 1, &tip);
        assert!(
            (p - Vec3::new(row(1), row(2), 0.0)).norm() < 1e-9,
            "{p} at {}",
            frame.time
        );
    }
    let last = film.last().unwrap();
    assert!((seen(last, 1, &tip) - Vec3::x()).norm() < 1e-6);
    let wind = scene
        .arrows
        .iter()
        .position(|arrow| arrow.name == "wind")
        .unwrap();
    assert_eq!(scene.arrows[wind].kind, ArrowKind::Force);
    assert_eq!(last.arrows[wind], [3.0, 0.0, 0.0]);
    assert_eq!(scene.up, Vec3::y());
    assert_eq!(scene.follow, 0);
}

/// Corners of a solid in the axes of its body.
fn corners(solid: &Solid) -> Vec<Vec3> {
    let corner = |p: &[f32; 3]| Vec3::from_fn(|k, _| f64::from(p[k]) * solid.scale[k]);
    let points = solid.mesh.points.iter();
    points.map(|p| moved(&solid.place, &corner(p))).collect()
}

/// The box around a solid in the axes of its body.
fn extent(solid: &Solid) -> (Vec3, Vec3) {
    let far = |k: f64| Vec3::repeat(k * f64::INFINITY);
    let all = corners(solid);
    let least = all.iter().fold(far(1.0), |least, p| least.inf(p));
    let most = all.iter().fold(far(-1.0), |most, p| most.sup(p));
    (least, most)
}

fn named<'a>(body: &'a Body, name: &str) -> &'a Solid {
    body.solids.iter().find(|solid| solid.name == name).unwrap()
}

#[test]
fn shapes_and_solids_are_drawn_where_the_model_says() {
    let settings = vec![("width".to_owned(), "40".to_owned())];
    for (width, settings) in [(0.02, Vec::new()), (0.04, settings)] {
        let plan = Plan {
            settings,
            stop: Some(0.02),
            ..Plan::default()
        };
        let (scene, ..) = filmed(&model(ROD), &plan);
        assert_eq!(scene.bodies.len(), 2);
        let (ground, rod) = (&scene.bodies[0], &scene.bodies[1]);
        let close = |solid: &Solid, least: [f64; 3], most: [f64; 3]| {
            let (found, far) = extent(solid);
            let bound = 2e-3 * (far - found).norm();
            assert!(
                (found - Vec3::from(least)).norm() < bound
                    && (far - Vec3::from(most)).norm() < bound,
                "{}: {found} {far}",
                solid.name
            );
        };
        let given: Vec<&Solid> = { rod.solids.iter() }
            .filter(|solid| solid.origin == Origin::Shape)
            .collect();
        assert_eq!(
            given.len(),
            4,
            "a hole is not drawn, nor is anything derived"
        );
        let half = 0.5 * width;
        close(given[0], [-half, -1.0, -0.005], [half, 0.0, 0.005]);
        assert_eq!(given[0].color, Some([136, 147, 160]));
        let r = 3.0 * width;
        close(named(rod, "bob"), [-r, -1.0 - r, -r], [r, -1.0 + r, r]);
        assert_eq!(named(rod, "bob").color, Some([0xc0, 0x30, 0x20]));
        // The z axis of the marker is −y of the part.
        close(named(rod, "pole"), [-0.03, -0.6, -0.03], [0.03, -0.5, 0.03]);
        assert!((named(rod, "pole").opacity - 0.5).abs() < 1e-12);
        let (least, most) = extent(named(rod, "bar"));
        assert!(
            (least.y + 1.015).abs() < 1e-4 && (most.y - 0.015).abs() < 1e-4,
            "{least} {most}"
        );
        close(named(ground, "wall"), [-0.1, 0.03, -0.1], [0.1, 0.05, 0.1]);
        close(
            named(ground, "wedge"),
            [0.0, 0.0, -0.0045],
            [0.05, 0.05, 0.0045],
        );
        close(
            named(ground, "cup"),
            [-0.02, -0.02, 0.0],
            [0.02, 0.02, 0.009],
        );
        close(named(ground, "tetra"), [0.0; 3], [0.05; 3]);
    }
}

/// A template with shapes of all kinds that a mirror changes, on its own part, on ground and at a marker; twice, posed, once mirrored.
const PAIR: &str = r#"{
  "fixstep": 1, "name": "pair",
  "templates": [{"name": "wing",
    "parts": [{"name": "p", "position": [1, 2, 3], "orientation": {"euler": [0.3, 0.4, 0.5]},
      "solids": [{"type": "cone", "radius": 0.1, "length": 0.4, "density": 1, "position": [0, 0.3, 0.1],
        "orientation": {"euler": [0.2, 0.9, 0]}}]}],
    "markers": [{"name": "m", "part": "p", "position": [0.1, 0.2, 0.3], "orientation": {"euler": [1, 0.5, 0.2]}},
      {"name": "n", "part": "p", "position": [0.5, 0.1, 0.1]}],
    "shapes": [
      {"name": "wedge", "part": "p", "shape": {"type": "extrusion", "points": [[0, 0], [1, 0.2], [0.3, 0.7]], "length": 0.2},
        "position": [0.3, 0.1, 0], "orientation": {"euler": [0.7, 0.2, 0.1]}},
      {"name": "tetra", "marker": "m", "shape": {"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]],
        "triangles": [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}, "position": [0, 0.2, 0]},
      {"name": "bar", "shape": {"type": "link", "i": "m", "j": "n", "radius": 0.05}},
      {"name": "post", "part": "ground", "shape": {"type": "cone", "radius": 0.2, "length": 1}, "position": [0.2, 0.4, 0.1],
        "orientation": {"euler": [0.1, 1.2, 0]}}
    ]}],
  "instances": [
    {"name": "left", "template": "wing"},
    {"name": "right", "template": "wing", "mirrored": true},
    {"name": "posed", "template": "wing", "position": [0, 5, 0], "orientation": {"euler": [0.5, 0.25, 0]}}
  ],
  "experiment": {"stop": 0.01, "step": 0.01}
}"#;

#[test]
fn shapes_move_and_are_mirrored_with_their_instances() {
    let (scene, film, _) = filmed(&model(PAIR), &Plan::default());
    let places = |name: &str| -> Vec<Vec3> {
        let mut all = Vec::new();
        for (k, body) in scene.bodies.iter().enumerate() {
            for solid in &body.solids {
                let own = k > 0 && body.name.starts_with(name) && solid.name.is_empty();
                if own || solid.name.starts_with(name) {
                    all.extend(corners(solid).iter().map(|p| seen(&film[0], k, p)));
                }
            }
        }
        all
    };
    let left = places("left.");
    assert!(left.len() > 300, "{}", left.len());
    // Surfaces of both have the same corners, in another order.
    let same = |changed: &dyn Fn(&Vec3) -> Vec3, others: &[Vec3]| {
        assert_eq!(left.len(), others.len());
        let near = |p: &Vec3, of: &[Vec3]| of.iter().map(|q| (q - p).norm()).fold(1.0, f64::min);
        let changed: Vec<Vec3> = left.iter().map(changed).collect();
        let far = changed.iter().map(|p| near(p, others)).fold(0.0, f64::max);
        let back = others.iter().map(|p| near(p, &changed)).fold(0.0, f64::max);
        // A round surface has other corners in the mirror: its polygon turns.
        assert!(far < 0.02 && back < 0.02, "{far} {back}");
    };
    same(&|p| Vec3::new(p.x, -p.y, p.z), &places("right."));
    let turn = fixstep_kernel::math::axes::AxesForm::Euler;
    let turn = turn.axes(&[0.5, 0.25, 0.0, 1.0]).unwrap();
    same(&|p| Vec3::new(0.0, 5.0, 0.0) + turn * p, &places("posed."));
    // All surfaces have their outside outside.
    for solid in scene.bodies.iter().flat_map(|body| &body.solids) {
        let all = corners(solid);
        let volume = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| all[k as usize] - all[0]);
            a.dot(&b.cross(&c)) / 6.0
        };
        let whole: f64 = solid.mesh.triangles.iter().map(volume).sum();
        assert!(whole > 0.0, "{} {whole}", solid.name);
    }
}

/// A beam of steel along x, clamped at its end.
const BEAM: &str = r#"{
  "fixstep": 1, "name": "beam",
  "flexible_bodies": [{"name": "beam", "file": "beam.flex", "position": [0, 0, 2], "damping": 1}],
  "markers": [
    {"name": "root", "part": "beam", "node": "root"}, {"name": "tip", "part": "beam", "node": "tip"},
    {"name": "wall", "part": "ground", "position": [0, 0, 2]}
  ],
  "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "wall"}],
  "forces": [
    {"name": "push", "type": "vector_force", "i": "tip", "j": "ground", "fz": "STEP5(TIME, 0, 0, 0.5, 1)"},
    {"name": "spring", "type": "spring_damper", "i": "tip", "j": "wall", "stiffness": 0.001, "length": 1}
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

#[test]
fn a_flexible_body_is_drawn_as_it_bends() {
    let beams = Beams::read(SECTION, "beam.json").unwrap();
    let (body, _) = reduced::body(&beams, Options::default(), &mut |_, _| {}).unwrap();
    let file = flex_file::write(&body);
    let model = Model::read(BEAM, &|_| Ok(file.clone())).unwrap();
    let (scene, film, outcome) = filmed(&model, &Plan::default());
    bends_as_a_beam(&scene, &film, 2e-2);
    // A shape bends with it, in its colour.
    let shape = r##""shapes": [{"name": "skin", "part": "beam", "color": "#102030",
      "shape": {"type": "box", "size": [1, 0.01, 0.01]}, "position": [0.5, 0, 0]}], "outputs"##;
    let text = BEAM.replacen("\"outputs", shape, 1);
    let model = Model::read(&text, &|_| Ok(file.clone())).unwrap();
    let (skinned, bent, _) = filmed(&model, &Plan::default());
    bends_as_a_beam(&skinned, &bent, 1e-2);
    let body = &skinned.bodies[1];
    let of_shape = body
        .solids
        .iter()
        .filter(|solid| solid.origin == Origin::Shape);
    assert_eq!((body.color, of_shape.count()), ([0x10, 0x20, 0x30], 0));
    let soft = body.soft.as_ref().unwrap();
    assert!(is_closed(&soft.mesh) && soft.mesh.triangles.len() > 100);
    let frame = film.last().unwrap();
    // Its spring and its arrow are at the node as it has moved.
    let rise = outcome.table.columns[1].last().unwrap();
    for point in [&scene.links[0].points[0], &scene.arrows[0].at] {
        let at = motion::point(frame, point, 1.0);
        assert!((at.z - 2.0 - rise).abs() < 1e-6, "{at} {rise}");
    }
}

/// Every corner of the surface rises as a beam that a force of 1 N at its tip bends, within a part of the tip's rise.
fn bends_as_a_beam(scene: &Scene, film: &Film, part: f64) {
    let (frame, soft) = (film.last().unwrap(), scene.bodies[1].soft.as_ref().unwrap());
    let moves = motion::displacements(soft, &frame.poses[1]);
    assert_eq!(moves.len(), soft.mesh.points.len());
    // P x² (3 L − x)/6EI, of each point of the surface; the frame of the body moves too.
    let bend = 2.1e11 * 1e-8 / 12.0;
    for (point, by) in soft.mesh.points.iter().zip(&moves) {
        let point = Vec3::from(point.map(f64::from));
        let x = point.x.clamp(0.0, 1.0);
        let wanted = x * x * (3.0 - x) / (6.0 * bend);
        let rise = seen(frame, 1, &(point + by)).z - point.z - 2.0;
        assert!(
            (rise - wanted).abs() < part / (3.0 * bend),
            "at {x}: {rise} {wanted}"
        );
    }
}

#[test]
fn drives_floors_and_inertia_are_drawn() {
    let rod = model(ROD);
    let (mut scene, _, _) = filmed(&rod, &Plan::default());
    // The motion, about the axis of the hinge, which is z of ground.
    let arrow = named(&scene.bodies[0], "turn");
    assert_eq!(arrow.origin, Origin::Joint);
    let (least, most) = extent(arrow);
    assert!((most.x - least.x) > 3.0 * (most.z - least.z) && least.z > 0.0);
    // The ellipsoid of a box of steel, whose half axes are √(5/12) of its edges.
    with_inertia(&mut scene);
    let half = Vec3::from(named(&scene.bodies[1], "inertia").scale);
    let (least, most) = (half.min(), half.max());
    assert!((most - (5.0_f64 / 12.0).sqrt()).abs() < 5e-3, "{half}");
    assert!((least - SLENDEREST * most).abs() < 1e-12, "{half}");
    // Where the model draws ground, the floor is below that.
    assert_eq!(scene.floor, None);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/wheel_over_kerb/model.json");
    let kerb = Model::from_file(&path).unwrap();
    // It rolls no farther than its kerb is long: the camera stays. A car leaves everything behind.
    let (scene, film, _) = filmed(&kerb, &Plan::default());
    assert_eq!((scene.follow, scene.floor), (0, Some(0.0)));
    touching::arrows_start_where_the_wheel_touches(&scene, &film);
}

/// All models among the examples.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let models = std::fs::read_dir(folder).unwrap();
    let mut all: Vec<PathBuf> = models
        .map(|entry| entry.unwrap().path().join("model.json"))
        .filter(|path| path.exists())
        .collect();
    all.sort();
    all
}

fn is_finite(x: &[f32]) -> bool {
    x.iter().all(|x| x.is_finite())
}

/// Checks what a scene is made of; the number of its triangles.
fn check_mesh(mesh: &fixstep_pictures::scene::Mesh, what: &str) -> usize {
    assert!(mesh.points.iter().all(|p| is_finite(p)), "{what}");
    assert_eq!(mesh.points.len(), mesh.normals.len(), "{what}");
    for normal in &mesh.normals {
        let length: f32 = normal.iter().map(|x| x * x).sum();
        assert!(
            (length - 1.0).abs() < 1e-3,
            "{what}: a normal of length² {length}"
        );
    }
    let count = mesh.points.len() as u32;
    assert!(
        mesh.triangles.iter().flatten().all(|k| *k < count),
        "{what}"
    );
    mesh.triangles.len()
}

fn check(scene: &Scene, film: &Film, what: &str) {
    let mut triangles = 0;
    for body in &scene.bodies {
        let what = format!("{what}: {}", body.name);
        for solid in &body.solids {
            let what = format!("{what}: {:?} {}", solid.origin, solid.name);
            triangles += check_mesh(&solid.mesh, &what);
            assert!(!solid.mesh.triangles.is_empty(), "{what}: is empty");
            assert!(
                solid.scale.iter().all(|s| *s > 0.0 && s.is_finite()),
                "{what}"
            );
            let q = solid.place.rotation;
            let length: f64 = q.iter().map(|x| x * x).sum();
            assert!(
                (length - 1.0).abs() < 1e-9 && solid.place.position.norm().is_finite(),
                "{what}"
            );
        }
        if let Some(soft) = &body.soft {
            triangles += check_mesh(&soft.mesh, &what);
            let corners = soft.mesh.points.len() + soft.lines.iter().flatten().count();
            let modes = soft.modes.iter();
            modes.for_each(|mode| assert_eq!(mode.len(), corners, "{what}"));
            for stress in soft.stresses.iter().flatten() {
                assert_eq!(stress.len(), soft.mesh.points.len(), "{what}");
            }
        }
        let is_there = !body.solids.is_empty() || body.soft.is_some();
        assert!(is_there || body.mass.is_none(), "{what} is not seen");
    }
    assert!(
        triangles > 0 && triangles <= TRIANGLES,
        "{what}: {triangles} triangles"
    );
    assert!(scene.size > 0.0 && scene.size.is_finite(), "{what}");
    for link in &scene.links {
        let ends = link.points.len();
        assert!(
            ends >= 2 && link.radius > 0.0,
            "{what}: {} has {ends} points",
            link.name
        );
    }
    for frame in film {
        assert_eq!(frame.poses.len(), scene.bodies.len(), "{what}");
        assert_eq!(frame.arrows.len(), scene.arrows.len(), "{what}");
        assert!(
            frame.arrows.iter().flatten().all(|x| x.is_finite()),
            "{what}"
        );
        for link in &scene.links {
            let points = link.points.iter();
            let mut at = points.map(|point| motion::point(frame, point, 1.0));
            assert!(at.all(|p| p.norm().is_finite()), "{what}: {}", link.name);
        }
        // Joints hold together in what is drawn.
        for joint in &scene.joints {
            let soft = |body: usize| scene.bodies[body].soft.is_some();
            let pins = ["revolute", "spherical", "universal", "fixed"];
            if !pins.contains(&joint.kind.as_str()) || soft(joint.i.0) || soft(joint.j.0) {
                continue;
            }
            let [i, j] = [&joint.i, &joint.j].map(|(body, at)| seen(frame, *body, &at.position));
            let gap = (i - j).norm();
            assert!(
                gap < 1e-4 * scene.size,
                "{what}: {} gapes by {gap} m",
                joint.name
            );
        }
    }
}

#[test]
fn every_example_has_a_scene() {
    for path in examples() {
        let model = Model::from_file(&path).unwrap();
        let experiment = &model.mechanism.experiment;
        let plan = Plan {
            stop: Some(experiment.start + 20.0 * experiment.step),
            ..Plan::default()
        };
        let (scene, film, _) = filmed(&model, &plan);
        assert!(film.len() >= 2);
        check(&scene, &film, &path.display().to_string());
        assert!((scene.up.norm() - 1.0).abs() < 1e-12);
        let axes = matrix(&film[0].poses[0].place.rotation);
        assert!(
            (axes - Mat3::identity()).norm() < 1e-12,
            "ground does not turn"
        );
    }
}
