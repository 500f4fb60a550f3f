//! Tests of typical tasks of a vibration analyst, against closed forms and published numbers.

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use fixstep_kernel::math;
use serde_json::{Value, json};

use crate::setup::{fixstep, path, succeeds};

/// A beam of 1 m along x, 50 mm by 20 mm, as a file; EI for bending along z, and mass per length.
fn beam(folder: &Path) -> (f64, f64) {
    let line = json!({
        "name": "beam",
        "points": [{"name": "root", "position": [0, 0, 0]}, {"name": "tip", "position": [1, 0, 0]}],
        "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
        "section": {"type": "rectangle", "y": 0.05, "z": 0.02}, "elements": 16
    });
    let file = folder.join("line.json");
    fs::write(&file, line.to_string()).unwrap();
    succeeds(&[
        "flex",
        "beam",
        path(&file),
        "-o",
        path(&folder.join("beam.flex")),
    ]);
    (2.1e11 * 0.05 * 0.02_f64.powi(3) / 12.0, 7850.0 * 1e-3)
}

fn written(folder: &Path, model: &Value) -> PathBuf {
    let file = folder.join("model.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

/// Flap of a beam that turns about its root, in units of √(EI/μL⁴): Wright, Smith, Thresher and Wang (1982).
#[test]
fn a_blade_stiffens_as_it_turns() {
    let folder = tempfile::tempdir().unwrap();
    let (ei, mass) = beam(folder.path());
    let unit = (ei / mass).sqrt();
    for (speed, flap) in [(0.0, 3.5160), (3.0, 4.7973), (6.0, 7.3604)] {
        let model = json!({
            "fixstep": 1, "name": "blade", "gravity": [0, 0, 0],
            "flexible_bodies": [{"name": "blade", "file": "beam.flex"}],
            "markers": [{"name": "root", "part": "blade", "node": "root"}],
            "joints": [{"name": "hinge", "type": "revolute", "i": "root", "j": "ground"}],
            "motions": [{"name": "spin", "joint": "hinge", "velocity": format!("{}", speed * unit)}]
        });
        let file = written(folder.path(), &model);
        let words = [
            "modes",
            path(&file),
            "--static",
            "--turning-with",
            "blade",
            "--json",
        ];
        let all: Value = serde_json::from_str(&succeeds(&words)).unwrap();
        let modes = all["modes"].as_array().unwrap();
        let first = modes
            .iter()
            .map(|mode| mode["frequency_hz"].as_f64().unwrap());
        let first = first.fold(f64::INFINITY, f64::min) * TAU / unit;
        assert!(
            (first / flap - 1.0).abs() < 6e-4,
            "at {speed}: {first} for {flap}"
        );
        // Along ground axes the form is not constant, and at the start the blade is not stretched yet.
        let ground = fixstep(&["modes", path(&file), "--static"]);
        let said = String::from_utf8(ground.stderr).unwrap();
        assert_eq!(said.contains("--turning-with blade"), speed > 0.0, "{said}");
        let start = fixstep(&["modes", path(&file)]);
        let said = String::from_utf8(start.stderr).unwrap();
        assert_eq!(said.contains("not an equilibrium"), speed > 0.0, "{said}");
    }
}

/// The tip of a cantilever: (sin βl cosh βl − cos βl sinh βl)/(EI β³ (1 + cos βl cosh βl)), β⁴ = μ ω²/EI.
#[test]
fn the_tip_of_a_continuous_beam_yields() {
    let folder = tempfile::tempdir().unwrap();
    let (ei, mass) = beam(folder.path());
    let model = json!({
        "fixstep": 1, "name": "cantilever", "gravity": [0, 0, 0],
        "flexible_bodies": [{"name": "beam", "file": "beam.flex", "damping": 0}],
        "markers": [{"name": "root", "part": "beam", "node": "root"}, {"name": "tip", "part": "beam", "node": "tip"}],
        "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}]
    });
    let file = written(folder.path(), &model);
    let words = [
        "response",
        path(&file),
        "--compliance",
        "tip,tip",
        "--directions",
        "z",
        "--from",
        "0",
        "--to",
        "80",
        "--points",
        "9",
        "--no-refine",
        "--json",
    ];
    let all: Value = serde_json::from_str(&succeeds(&words)).unwrap();
    let re = all["responses"][0]["re"].as_array().unwrap();
    let at_rest = 1.0 / (3.0 * ei);
    for (k, got) in re.iter().enumerate() {
        let omega = TAU * 10.0 * k as f64;
        let x = (mass * omega * omega / ei).sqrt().sqrt();
        let wanted = if k == 0 {
            at_rest
        } else {
            (math::sin(x) * math::cosh(x) - math::cos(x) * math::sinh(x))
                / (ei * x.powi(3) * (1.0 + math::cos(x) * math::cosh(x)))
        };
        let got = got.as_f64().unwrap();
        assert!((got / wanted - 1.0).abs() < 1e-4, "{k}: {got} for {wanted}");
    }
}

/// A slider on a spring: along y it is held.
fn slider() -> Value {
    json!({
        "fixstep": 1, "name": "slider", "gravity": [0, 0, 0],
        "parameters": [{"name": "idle", "start": 1}],
        "parts": [{"name": "body", "mass": 2, "position": [1, 0.3, 0.1], "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
        "markers": [
            {"name": "rail", "part": "ground", "orientation": {"z_point": [1, 0.3, 0.1], "x_point": [-0.3, 1, 0]}},
            {"name": "m", "part": "body", "orientation": {"z_point": [1, 0.3, 0.1], "x_point": [-0.3, 1, 0]}}
        ],
        "joints": [{"name": "guide", "type": "translational", "i": "m", "j": "rail"}],
        "forces": [{"name": "spring", "type": "spring_damper", "i": "m", "j": "rail", "stiffness": 800, "damping": 8, "length": 1}]
    })
}

#[test]
fn a_direction_that_is_held_has_no_stiffness() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &slider());
    let ask = |words: &[&str]| {
        let all = [
            &[
                "response",
                path(&file),
                "--compliance",
                "m,m",
                "--relative-to",
                "rail",
            ],
            words,
        ]
        .concat();
        let output = fixstep(&all);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.success(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    for direction in ["x", "y", "rx", "ry", "rz", "y,z"] {
        let (fine, _, said) = ask(&["--directions", direction, "--stiffness"]);
        let named = direction.replace(',', ", ").replace(", z", "");
        let wanted = format!(
            "no force at marker J moves marker I along {named}, so that there is no stiffness"
        );
        assert!(!fine && said.contains(&wanted), "{direction}: {said}");
    }
    let (fine, said, _) = ask(&[
        "--directions",
        "z",
        "--stiffness",
        "--from",
        "0",
        "--to",
        "10",
    ]);
    assert!(fine && said.contains("800"), "{said}");
    // Of all thirty-six responses one is not zero, and it alone has a peak.
    let (fine, said, _) = ask(&["--from", "0.1", "--to", "10"]);
    assert!(fine);
    assert_eq!(said.matches("peak at").count(), 1, "{said}");
}

#[test]
fn a_parameter_that_does_nothing_is_no_speed() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &slider());
    let output = fixstep(&[
        "modes",
        path(&file),
        "--sweep",
        "idle=1:100:5",
        "--campbell",
        "idle",
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("\"idle\" changes nothing in the linear form"),
        "{said}"
    );
}

/// A crank that drives a loop never moves steadily: static equilibrium is used, and a note says so.
#[test]
fn where_nothing_is_steady_a_note_names_the_motion() {
    let folder = tempfile::tempdir().unwrap();
    let model = json!({
        "fixstep": 1, "name": "shaker", "gravity": [0, 0, 0],
        "parts": [
            {"name": "crank", "mass": 1, "position": [0.1, 0, 0], "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}},
            {"name": "slider", "mass": 2, "position": [0.5, 0, 0], "inertia": {"xx": 1, "yy": 1, "zz": 1}}
        ],
        "markers": [
            {"name": "pin", "part": "crank", "position": [-0.1, 0, 0]},
            {"name": "eye", "part": "crank"},
            {"name": "rail", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "shoe", "part": "slider", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "m", "part": "slider"}
        ],
        "joints": [
            {"name": "hinge", "type": "revolute", "i": "pin", "j": "ground"},
            {"name": "guide", "type": "translational", "i": "shoe", "j": "rail"}
        ],
        "motions": [{"name": "drive", "joint": "hinge", "displacement": "30*TIME"}],
        "forces": [{"name": "rod", "type": "spring_damper", "i": "m", "j": "eye", "stiffness": 900, "damping": 0, "length": 0.4}]
    });
    let file = written(folder.path(), &model);
    let output = fixstep(&["modes", path(&file), "--static"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let told = "note: static equilibrium: motion \"drive\" moves the mechanism";
    assert!(
        said.contains(told) || said.contains("not an equilibrium"),
        "{said}"
    );
}

/// A clamped uniform beam: the effective mass of a mode is (2 σ/βl)² of its mass, σ = (sinh βl − sin βl)/(cosh βl +
/// cos βl), cos βl cosh βl = −1.
#[test]
fn effective_masses_of_a_cantilever() {
    let folder = tempfile::tempdir().unwrap();
    let (_, mass) = beam(folder.path());
    let model = json!({
        "fixstep": 1, "name": "cantilever", "gravity": [0, 0, 0],
        "flexible_bodies": [{"name": "beam", "file": "beam.flex"}],
        "markers": [{"name": "root", "part": "beam", "node": "root"}],
        "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}]
    });
    let file = written(folder.path(), &model);
    let words = ["modes", path(&file), "--effective-mass", "--json"];
    let all: Value = serde_json::from_str(&succeeds(&words)).unwrap();
    let modes = all["effective_mass"]["modes"].as_array().unwrap().iter();
    let along_z = modes.map(|mode| mode["masses"][2].as_f64().unwrap() / mass);
    let along_z: Vec<f64> = along_z.filter(|share| *share > 1e-3).collect();
    assert!(along_z.len() >= 3, "{along_z:?}");
    for (got, x) in along_z
        .iter()
        .zip([1.875_104_07_f64, 4.694_091_13, 7.854_757_44])
    {
        let sigma = (math::sinh(x) - math::sin(x)) / (math::cosh(x) + math::cos(x));
        let wanted = (2.0 * sigma / x).powi(2);
        assert!((got - wanted).abs() < 5e-4, "{got} for {wanted}");
    }
    let whole = all["effective_mass"]["rigid"][2].as_f64().unwrap();
    assert!((whole / mass - 1.0).abs() < 1e-9, "{whole}");
}

/// Constraint modes and fixed-interface modes share inertia. With all of it they span the same modes as those of the
/// free body, whatever inertia a step leaves out.
#[test]
fn modes_of_a_plain_file_are_those_of_free_modes() {
    let folder = tempfile::tempdir().unwrap();
    beam(folder.path());
    let line = folder.path().join("line.json");
    let plain = folder.path().join("plain.flex");
    succeeds(&["flex", "beam", path(&line), "--plain", "-o", path(&plain)]);
    let found = |name: &str, limit: Value| {
        let model = json!({
            "fixstep": 1, "name": "cantilever", "gravity": [0, 0, 0],
            "flexible_bodies": [{"name": "beam", "file": name, "damping": 0, "dynamic_limit": limit}],
            "markers": [{"name": "root", "part": "beam", "node": "root"}],
            "joints": [{"name": "clamp", "type": "fixed", "i": "root", "j": "ground"}]
        });
        let file = written(folder.path(), &model);
        let all = fixstep(&["modes", path(&file), "--json"]);
        let told: Value = serde_json::from_slice(&all.stdout).unwrap();
        let modes = told["modes"].as_array().unwrap().iter();
        let modes = modes.map(|mode| mode["frequency_hz"].as_f64().unwrap());
        let said = String::from_utf8(all.stderr).unwrap();
        (modes.collect::<Vec<f64>>(), said)
    };
    let (free, said) = found("beam.flex", json!(500));
    assert!(!said.contains("dynamic limit"), "{said}");
    let (whole, said) = found("plain.flex", json!("none"));
    assert!(!said.contains("dynamic limit"), "{said}");
    for (got, wanted) in whole.iter().zip(&free) {
        assert!((got / wanted - 1.0).abs() < 1e-6, "{whole:?} for {free:?}");
    }
    // A run at 1 ms takes inertia from most of the modes; the linear form has all of it.
    let (same, _) = found("plain.flex", json!(500));
    assert_eq!(same, whole);
}
