#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::matrix;
use fixstep_model::resources::none;
use fixstep_pictures::payload::{Cell, Grade, ShapeMotion};
use fixstep_pictures::scene::{Film, Scene};

use super::{Drawn, look, page};

/// A crank of length 0.3 about z, a rod of 0.5, a slider along x; the crank stands upright, and is driven.
const CRANK: &str = r#"{
  "fixstep": 1, "name": "crank", "gravity": [0, -9.81, 0],
  "parts": [
    {"name": "crank", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0.15, 0]},
    {"name": "rod", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0.2, 0.15, 0]},
    {"name": "slider", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0.4, 0, 0]}
  ],
  "markers": [
    {"name": "shaft", "part": "crank", "position": [0, -0.15, 0]}, {"name": "pin", "part": "crank", "position": [0, 0.15, 0]},
    {"name": "big", "part": "rod", "position": [-0.2, 0.15, 0]}, {"name": "small", "part": "rod", "position": [0.2, -0.15, 0]},
    {"name": "piston", "part": "slider"},
    {"name": "bore", "part": "slider", "orientation": {"quaternion": [0.7071067811865476, 0, 0.7071067811865476, 0]}},
    {"name": "cylinder", "part": "ground", "position": [0.4, 0, 0], "orientation": {"quaternion": [0.7071067811865476, 0, 0.7071067811865476, 0]}}
  ],
  "joints": [
    {"name": "bearing", "type": "revolute", "i": "shaft", "j": "ground"},
    {"name": "crank_pin", "type": "revolute", "i": "big", "j": "pin"},
    {"name": "wrist", "type": "revolute", "i": "small", "j": "piston"},
    {"name": "guide", "type": "translational", "i": "bore", "j": "cylinder"}
  ],
  "motions": [{"name": "drive", "joint": "bearing", "displacement": "TIME"}],
  "experiment": {"start": 0, "stop": 1, "step": 0.001}
}"#;

fn drawn(text: &str) -> Drawn {
    let look = look("model.json", text, &none);
    assert!(
        look.findings.iter().all(|own| own.grade != Grade::Error),
        "{:?}",
        look.findings
    );
    look.drawn.unwrap()
}

fn film(drawn: &Drawn, k: usize) -> &Film {
    match &drawn.freedoms[k].motion {
        ShapeMotion::Film(film) => film,
        ShapeMotion::Small(_) => unreachable!(),
    }
}

/// The largest distance of the two ends of joints that hold a point.
fn open(scene: &Scene, film: &Film) -> f64 {
    let mut worst = 0.0_f64;
    for frame in film {
        for joint in scene.joints.iter().filter(|joint| joint.kind == "revolute") {
            let [i, j] = [&joint.i, &joint.j].map(|(body, place)| {
                let pose = &frame.poses[*body].place;
                pose.position + matrix(&pose.rotation) * place.position
            });
            worst = worst.max((i - j).norm());
        }
    }
    worst
}

#[test]
fn a_driven_crank_has_one_freedom_and_its_film_keeps_the_joints_closed() {
    let drawn = drawn(CRANK);
    assert_eq!(drawn.freedoms.len(), 1);
    let film = film(&drawn, 0);
    assert_eq!(film.len(), 49);
    assert!(
        open(&drawn.scene, film) < 1e-8,
        "{}",
        open(&drawn.scene, film)
    );
    // The crank turns by the whole film, and the slider is where the crank puts it.
    let mut turned = 0.0_f64;
    for frame in film {
        let pin = frame.poses[1].place.position * 2.0;
        let x = pin.x + (0.25 - pin.y * pin.y).sqrt();
        assert!((pin.norm() - 0.3).abs() < 1e-8, "{pin}");
        assert!((frame.poses[3].place.position - Vec3::new(x, 0.0, 0.0)).norm() < 1e-8);
        turned = turned.max((pin.x / 0.3).abs());
    }
    assert!(turned > 0.2, "{turned}");
    let shape = &drawn.freedoms[0];
    let driven = shape.name.starts_with("bearing:");
    assert_eq!(shape.text.contains("driven by drive"), driven, "{shape:?}");
    // The table says how joints begin to move: with the crank upright, the rod only translates.
    let how = |row: usize| match &drawn.joints.rows[row][2] {
        Cell::Text(text) => text.as_str(),
        _ => "",
    };
    assert_eq!(
        [0, 1, 2, 3].map(how),
        [
            "turns about z",
            "turns about z",
            "rests at the start",
            "slides along z"
        ]
    );
    assert_eq!(drawn.joints.rows[0][3], Cell::Text("drive".to_owned()));
}

#[test]
fn a_free_part_has_six_freedoms_each_along_its_own_coordinate() {
    let text = r#"{"fixstep": 1, "name": "free",
      "parts": [{"name": "stone", "mass": 1, "inertia": {"xx": 1, "yy": 2, "zz": 3}, "position": [1, 2, 3]}],
      "experiment": {"start": 0, "stop": 1, "step": 0.01}}"#;
    let drawn = drawn(text);
    let mut names: Vec<&str> = drawn.freedoms.iter().map(|own| own.name.as_str()).collect();
    names.sort_unstable();
    let wanted = [
        "moves along x",
        "moves along y",
        "moves along z",
        "turns about x",
        "turns about y",
        "turns about z",
    ];
    assert_eq!(names, wanted.map(|how| format!("stone: {how}")));
    for (k, shape) in drawn.freedoms.iter().enumerate() {
        let film = film(&drawn, k);
        let [first, last] = [&film[0], &film[48]].map(|frame| frame.poses[1].place.position);
        let way = last - first;
        let turns = shape.name.contains("turns");
        assert!(
            if turns {
                way.norm() < 1e-12
            } else {
                way.norm() > 0.1 && way.amax() == way.norm()
            },
            "{} {way}",
            shape.name
        );
    }
}

#[test]
fn two_links_in_a_row_move_one_joint_at_a_time() {
    let text = r#"{"fixstep": 1, "name": "arm",
      "parts": [{"name": "upper", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0.5, 0, 0]},
        {"name": "lower", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [1.5, 0, 0]}],
      "markers": [{"name": "a", "part": "upper", "position": [-0.5, 0, 0]}, {"name": "b", "part": "upper", "position": [0.5, 0, 0]},
        {"name": "c", "part": "lower", "position": [-0.5, 0, 0]}],
      "joints": [{"name": "shoulder", "type": "revolute", "i": "a", "j": "ground"}, {"name": "elbow", "type": "revolute", "i": "c", "j": "b"}],
      "experiment": {"start": 0, "stop": 1, "step": 0.01}}"#;
    let drawn = drawn(text);
    let mut names: Vec<&str> = drawn.freedoms.iter().map(|own| own.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["elbow: turns about z", "shoulder: turns about z"]);
    let elbow = drawn
        .freedoms
        .iter()
        .position(|own| own.name.starts_with("elbow"))
        .unwrap();
    for frame in film(&drawn, elbow) {
        let upper = frame.poses[1].place.position - Vec3::new(0.5, 0.0, 0.0);
        // Closing the joint moves both parts a little, in the second order of a step.
        assert!(upper.norm() < 2e-3, "{upper}");
    }
    assert!(open(&drawn.scene, film(&drawn, 1 - elbow)) < 1e-8);
}

#[test]
fn a_text_in_error_shows_its_errors_and_the_last_picture() {
    let good = drawn(CRANK);
    let broken = CRANK.replace("\"mass\": 1,", "\"mas\": 1,");
    let look = look("model.json", &broken, &none);
    assert!(look.drawn.is_none());
    let first = &look.findings[0];
    assert!(
        first.source.starts_with("model.json:4:") && first.text.contains("mas"),
        "{first:?}"
    );
    let shown = page("model.json", (&look, Some(&good)), Some(7)).unwrap();
    assert!(shown.contains("connect-src 'self'"));
    let alone = page("model.json", (&look, None), None).unwrap();
    assert!(!alone.contains("connect-src"));
    assert!(shown.len() > alone.len(), "the last picture is kept");
}

#[test]
fn a_mechanism_that_cannot_be_assembled_is_drawn_as_it_is_written() {
    let apart = CRANK.replace(
        "\"name\": \"small\", \"part\": \"rod\", \"position\": [0.2, -0.15, 0]",
        "\"name\": \"small\", \"part\": \"rod\", \"position\": [-0.15, 0.15, 0]",
    );
    let look = look("model.json", &apart, &none);
    assert_eq!(look.findings[0].grade, Grade::Error);
    assert!(
        look.findings[0].text.contains("\"wrist\""),
        "{:?}",
        look.findings
    );
    let drawn = look.drawn.unwrap();
    assert!(!drawn.assembled && drawn.freedoms.is_empty());
    let rod = drawn.at.poses[2].place.position;
    assert!((rod - Vec3::new(0.2, 0.15, 0.0)).norm() < 1e-12, "{rod}");
}
