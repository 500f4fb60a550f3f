//! Mirrored instances of templates move as the mirror image of the original: every element whose data a mirror changes.

use crate::harness::{advance, output, simulation, start};
use fixstep_model::{Model, resources};
use serde_json::{Value, json};
use std::path::Path;

/// The original and its mirror image in one model, both in a frame with this pose.
fn both(template: &Value, watched: &[&str], pose: &Value, top: &Value) -> Value {
    let mut template = template.clone();
    template["name"] = json!("t");
    let markers = template["markers"].as_array_mut().unwrap();
    markers.push(json!({"name": "ref", "part": "ground"}));
    let mut outputs = Vec::new();
    for (k, marker) in watched.iter().enumerate() {
        for measure in ["DX", "DY", "DZ", "WX", "WY", "WZ"] {
            for (name, instance) in [("a", "original"), ("b", "image")] {
                outputs.push(json!({
                    "name": format!("{name}_{measure}_{k}"),
                    "expression": format!("{measure}(frame.{instance}.{marker}, frame.original.ref, frame.original.ref)")
                }));
            }
        }
    }
    let mut frame = json!({"name": "frame", "template": "pair"});
    if pose.is_object() {
        frame["position"] = pose["position"].clone();
        frame["orientation"] = pose["orientation"].clone();
    }
    let mut model = json!({
        "fixstep": 1, "name": "mirror",
        "templates": [template, {"name": "pair", "instances": [
            {"name": "original", "template": "t"},
            {"name": "image", "template": "t", "mirrored": true}
        ]}],
        "instances": [frame],
        "outputs": outputs,
        "experiment": {"step": 1e-3}
    });
    for (key, value) in top.as_object().unwrap() {
        model[key] = value.clone();
    }
    model
}

/// Runs both for some time; the largest difference of the image from what a mirror shows, and the largest movement.
fn difference(model: &Value, files: &str, watched: usize, until: f64) -> (f64, f64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(files);
    let model = Model::read(&model.to_string(), &resources::folder(&folder));
    let model = model.map_err(|errors| errors.to_string()).unwrap();
    let mut simulation = simulation(&model).unwrap();
    start(&mut simulation, 1e-3);
    let signs = [
        ("DX", 1.0),
        ("DY", -1.0),
        ("DZ", 1.0),
        ("WX", -1.0),
        ("WY", 1.0),
        ("WZ", -1.0),
    ];
    let (mut apart, mut moved) = (0.0_f64, 0.0_f64);
    let mut first: Vec<f64> = Vec::new();
    let mut time = 0.0;
    while time < until {
        time += until / 10.0;
        advance(&mut simulation, time);
        let mut now = Vec::new();
        for k in 0..watched {
            for (measure, sign) in signs {
                let own = output(&simulation, &format!("a_{measure}_{k}"));
                let image = output(&simulation, &format!("b_{measure}_{k}"));
                apart = apart.max((image - sign * own).abs());
                now.push(own);
            }
        }
        if first.is_empty() {
            first = now;
        } else {
            let changes = now.iter().zip(&first).map(|(a, b)| (a - b).abs());
            moved = changes.fold(moved, f64::max);
        }
    }
    (apart, moved)
}

/// Tests a template upright and in a frame that is turned.
fn check(template: &Value, watched: &[&str], files: &str, until: f64) {
    let upright = both(
        template,
        watched,
        &Value::Null,
        &json!({"gravity": [0.4, 0, -9.81]}),
    );
    let turned = json!({"position": [0.3, -0.2, 0.1], "orientation": {"euler": [0.7, 0.4, -0.3]}});
    let turned = both(template, watched, &turned, &json!({"gravity": [0, 0, 0]}));
    for model in [upright, turned] {
        let (apart, moved) = difference(&model, files, watched.len(), until);
        assert!(moved > 1e-3, "nothing moves: {moved}");
        assert!(
            apart < 1e-7 * moved.max(1.0),
            "{apart} apart, {moved} moved: {model}"
        );
    }
}

/// A body that is like its mirror image in nothing.
fn body(name: &str) -> Value {
    json!({
        "name": name, "mass": 2, "center_of_mass": [0.01, 0.02, -0.03], "position": [0.1, 0.2, 0.3],
        "orientation": {"euler": [0.3, 0.5, -0.2]},
        "inertia": {"xx": 0.05, "yy": 0.06, "zz": 0.04, "xy": 0.004, "xz": -0.003, "yz": 0.005}
    })
}

#[test]
fn a_pendulum_on_a_skew_axis_with_a_spring() {
    let template = json!({
        "parts": [body("p")],
        "markers": [
            {"name": "a", "part": "ground", "position": [0.1, 0.1, 0.5], "orientation": {"z_point": [0.4, 0.3, 0.6]}},
            {"name": "b", "part": "p", "position": [0.02, -0.1, 0.2], "orientation": {"z_point": [0.1, 0.4, 0.3]}},
            {"name": "c", "part": "p", "position": [0.1, 0.05, -0.1]}
        ],
        "joints": [{"name": "j", "type": "revolute", "i": "b", "j": "a", "initial": {"angle": 0.3, "angular_velocity": 1.5}}],
        "forces": [
            {"name": "s", "type": "torsion_spring_damper", "i": "b", "j": "a", "stiffness": 3, "damping": 0.05, "angle": 0.4, "preload": 0.6}
        ]
    });
    check(&template, &["c"], "models", 0.5);
}

#[test]
fn a_gyroscope() {
    let mut gyroscope = body("p");
    gyroscope["angular_velocity"] = json!([3, -2, 40]);
    let template = json!({
        "parts": [gyroscope],
        "markers": [
            {"name": "a", "part": "ground", "position": [0.1, 0.2, 0.25]},
            {"name": "b", "part": "p"}, {"name": "c", "part": "p", "position": [0.1, 0.05, -0.1], "orientation": {"quaternion": [0.8, 0.2, -0.4, 0.3]}}
        ],
        "joints": [{"name": "j", "type": "spherical", "i": "b", "j": "a"}]
    });
    check(&template, &["c"], "models", 0.3);
}

#[test]
fn a_bushing_and_a_field_with_preloads() {
    let stiffness: Vec<Vec<f64>> = (0..6)
        .map(|a| {
            (0..6)
                .map(|b| {
                    if a == b {
                        300.0
                    } else {
                        4.0 * f64::from(a + 2 * b) - 20.0
                    }
                })
                .collect()
        })
        .collect();
    let template = json!({
        "parts": [body("p")],
        "markers": [
            {"name": "a", "part": "ground", "position": [0.1, 0.2, 0.3], "orientation": {"euler": [0.3, 0.5, -0.2]}},
            {"name": "b", "part": "p"}, {"name": "c", "part": "p", "position": [0.1, 0.05, -0.1]}
        ],
        "forces": [
            {"name": "s", "type": "bushing", "i": "b", "j": "a", "stiffness": [500, 700, 900], "damping": [2, 3, 4],
             "preload": [10, 20, 30], "torsional_stiffness": [20, 30, 40], "torsional_damping": [0.1, 0.1, 0.2],
             "torsional_preload": [0.5, -0.7, 0.9]},
            {"name": "f", "type": "field", "i": "b", "j": "a", "stiffness": stiffness, "damping_ratio": 0.002,
             "displacement": [0.01, 0.02, -0.01], "rotation": [0.1, -0.05, 0.02], "preload": [1, 2, 3], "torsional_preload": [0.3, 0.2, 0.1]}
        ]
    });
    check(&template, &["c"], "models", 0.3);
}

#[test]
fn a_screw_a_pinion_and_a_coupler() {
    let template = json!({
        "parts": [body("p"), {"name": "q", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.02}, "position": [1, 0.3, 0]},
            {"name": "r", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.02}, "position": [1, 0.3, 0]}],
        "markers": [
            {"name": "a", "part": "ground", "position": [0.1, 0.2, 0.3], "orientation": {"euler": [0.3, 0.5, -0.2]}},
            {"name": "b", "part": "p"}, {"name": "c", "part": "p", "position": [0.1, 0.05, -0.1]},
            {"name": "g", "part": "ground", "position": [1, 0.3, 0], "orientation": {"z_point": [1, 1.3, 0.5]}},
            {"name": "q", "part": "q", "orientation": {"z_point": [0, 1, 0.5]}},
            {"name": "r", "part": "r", "orientation": {"z_point": [0, 1, 0.5]}}
        ],
        "joints": [
            {"name": "j", "type": "screw", "i": "b", "j": "a", "pitch": 0.3, "initial": {"angular_velocity": 2}},
            {"name": "turns", "type": "revolute", "i": "q", "j": "g", "initial": {"angular_velocity": 1}},
            {"name": "slides", "type": "translational", "i": "r", "j": "g"}
        ],
        "couplers": [{"name": "k", "joints": ["turns", "slides"], "scales": [0.2, 1]}],
        "forces": [
            {"name": "d", "type": "joint_drive", "joint": "turns", "position": "${side*0.5}", "proportional": 3, "derivative": 0.1,
             "stops": {"lower": -0.2, "upper": 0.3, "stiffness": 200, "depth": 0.01}}
        ]
    });
    check(&template, &["c", "q", "r"], "models", 0.4);
}

#[test]
fn motions_of_joints_and_between_markers() {
    let template = json!({
        "parts": [body("p"), body("q")],
        "markers": [
            {"name": "a", "part": "ground", "position": [0.1, 0.2, 0.3], "orientation": {"euler": [0.3, 0.5, -0.2]}},
            {"name": "b", "part": "p"}, {"name": "c", "part": "p", "position": [0.1, 0.05, -0.1]}, {"name": "d", "part": "q"}
        ],
        "joints": [{"name": "j", "type": "cylindrical", "i": "b", "j": "a"}],
        "motions": [
            {"name": "m", "joint": "j", "direction": "rotation", "displacement": "0.3*SIN(5*TIME)"},
            {"name": "n", "joint": "j", "direction": "translation", "displacement": "0.2*SIN(4*TIME)"},
            {"name": "y", "i": "d", "j": "a", "direction": "y", "displacement": "0.2*SIN(4*TIME)"},
            {"name": "x", "i": "d", "j": "a", "direction": "x", "velocity": 0.4},
            {"name": "u", "i": "d", "j": "a", "direction": "b3", "displacement": "0.5*TIME"}
        ]
    });
    check(&template, &["c", "d"], "models", 0.5);
}

#[test]
fn a_tyre_is_that_of_the_other_side() {
    let template = json!({
        "parts": [{"name": "w", "mass": 20, "inertia": {"xx": 0.6, "yy": 1.1, "zz": 0.6}, "position": [0, 0.7, 0.315],
            "velocity": [15, 0.4, 0], "angular_velocity": [0, 46, 0]}],
        "markers": [{"name": "c", "part": "w", "orientation": {"z_point": [0, 1, 0.03]}}],
        "forces": [{"name": "t", "type": "tyre", "i": "c", "side": "left", "law": {"type": "pac2002", "file": "tyre.tir"}}]
    });
    let top = json!({"gravity": [0, 0, -200]});
    let model = both(&template, &["c"], &Value::Null, &top);
    let (apart, moved) = difference(&model, "models/vehicle", 1, 0.2);
    assert!(
        moved > 1e-2 && apart < 1e-7 * moved,
        "{apart} apart, {moved} moved"
    );
}

/// A law without a side has an image all the same, and what is not symmetric in it shows.
#[test]
fn a_tyre_without_a_side_is_mirrored_with_its_law() {
    let template = |law: Value| {
        json!({
            "parts": [{"name": "w", "mass": 20, "inertia": {"xx": 0.6, "yy": 1.1, "zz": 0.6}, "position": [0, 0.7, 0.315],
                "velocity": [15, 0.4, 0], "angular_velocity": [0, 46, 0]}],
            "markers": [{"name": "c", "part": "w", "orientation": {"z_point": [0, 1, 0.03]}}],
            "forces": [{"name": "t", "type": "tyre", "i": "c", "law": law}]
        })
    };
    let top = json!({"gravity": [0, 0, -200]});
    for law in [
        json!({"type": "pac2002", "file": "touring.tir"}),
        json!({"type": "pac2002", "file": "touring.tir", "use_mode": -14}),
        json!({"type": "pac2002", "file": "touring.tir", "mirrored": true}),
    ] {
        let mut model = both(&template(law), &["c"], &Value::Null, &top);
        let (apart, moved) = difference(&model, "tests/tyres", 1, 0.2);
        assert!(
            moved > 1e-2 && apart < 1e-7 * moved,
            "{apart} apart, {moved} moved"
        );
        // The image with the law of the original is another.
        let flat = fixstep_model::expanded(
            "",
            &model.to_string(),
            &resources::folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tyres")),
        );
        model = serde_json::from_str(&flat.map_err(|e| e.to_string()).unwrap()).unwrap();
        let own = model["forces"][0]["law"].clone();
        model["forces"][1]["law"] = own;
        let (apart, moved) = difference(&model, "tests/tyres", 1, 0.2);
        assert!(apart > 1e-4 * moved, "{apart} apart, {moved} moved");
    }
}

/// A ball that rolls and bounces on a surface from a file that is like its image in nothing.
#[test]
fn surfaces_from_files_are_mirrored() {
    let folder = std::env::temp_dir().join(format!("fixstep-mirror-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = "v -2 -2 0\nv 2 -2 0.1\nv 2 2 -0.2\nv -2 2 0.5\nf 1 2 3\nf 1 3 4\n";
    std::fs::write(folder.join("slope.obj"), mesh).unwrap();
    std::fs::write(
        folder.join("hills.csv"),
        "0,0.1,0.3\n0.2,0,0\n0.1,0.3,-0.1\n0.5,0.1,0\n",
    )
    .unwrap();
    for surface in [
        json!({"type": "mesh", "file": "slope.obj"}),
        json!({"type": "heightmap", "file": "hills.csv", "spacing": [0.7, 0.6], "origin": [-0.7, -0.5]}),
    ] {
        let template = json!({
            "parts": [{"name": "p", "mass": 2, "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.02}, "position": [0.1, 0.2, 0.5],
                "velocity": [0.3, 0.2, 0], "angular_velocity": [1, 2, 3]}],
            "markers": [{"name": "c", "part": "p"}, {"name": "s", "part": "ground"}],
            "forces": [{"name": "t", "type": "contact", "i": "c", "j": "s",
                "shapes": {"i": {"type": "sphere", "radius": 0.15}, "j": surface},
                "normal": {"type": "impact", "stiffness": 2e4, "damping": 60, "depth": 0.01},
                "friction": {"mu_static": 0.5, "mu_dynamic": 0.4, "stiction_velocity": 0.05, "friction_velocity": 0.2}}]
        });
        let mut model = both(
            &template,
            &["c"],
            &Value::Null,
            &json!({"gravity": [0, 0, -9.81]}),
        );
        let folder_name = folder.to_str().unwrap();
        let (apart, moved) = difference(&model, folder_name, 1, 0.6);
        assert!(moved > 0.1, "nothing moves: {moved}");
        assert!(
            apart < 1e-6 * moved,
            "{apart} apart, {moved} moved: {surface}"
        );
        let flat = fixstep_model::expanded("", &model.to_string(), &resources::folder(&folder));
        model = serde_json::from_str(&flat.map_err(|e| e.to_string()).unwrap()).unwrap();
        let image = model["forces"][1]["shapes"]["j"].as_object_mut().unwrap();
        assert_eq!(image.remove("mirrored"), Some(json!(true)));
        let (apart, _) = difference(&model, folder_name, 1, 0.6);
        assert!(apart > 1e-3, "the image is the original: {apart}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_flexible_body_is_mirrored_with_its_shapes() {
    let template = json!({
        "flexible_bodies": [{"name": "arm", "file": "arm.flex", "orientation": {"euler": [0.3, 0.2, 0.1]}, "damping": 0.01,
            "angular_velocity": [1, 2, -3]}],
        "markers": [
            {"name": "a", "part": "arm", "node": NODES[0]}, {"name": "c", "part": "arm", "node": NODES[1], "position": [0.01, 0.02, 0.03]}
        ],
        "forces": [{"name": "f", "type": "vector_force", "i": "c", "j": "a", "axes": "a", "fx": "20*SIN(90*TIME)", "fz": "30*SIN(70*TIME)"}]
    });
    check(&template, &["c"], "models/rocker", 0.2);
}

/// Two nodes of the rocker's arm.
const NODES: [&str; 2] = ["pivot", "pin"];
