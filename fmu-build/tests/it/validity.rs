//! Tests of the notes of linear forms about slopes that change with time or are valid for small motions only, and of
//! rounding in them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::setup::{example, fixstep, path, succeeds};

/// A block with friction on a slide along x, and one without contact on a spring along x.
fn model(folder: &Path, stiffness: &str, speed: f64) -> std::path::PathBuf {
    let z_along_x = json!({"z_point": [1, 0, 0], "x_point": [0, 1, 0]});
    let model = json!({
        "fixstep": 1, "name": "blocks", "gravity": [0, -9.81, 0],
        "parts": [
            {"name": "slider", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "velocity": [speed, 0, 0]},
            {"name": "other", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}}
        ],
        "markers": [
            {"name": "rail", "part": "ground", "orientation": z_along_x},
            {"name": "shoe", "part": "slider", "orientation": z_along_x},
            {"name": "own", "part": "other", "orientation": z_along_x}
        ],
        "joints": [
            {"name": "slide", "type": "translational", "i": "shoe", "j": "rail"},
            {"name": "free", "type": "translational", "i": "own", "j": "rail"}
        ],
        "forces": [
            {"name": "rubbing", "type": "joint_friction", "joint": "slide", "mu_dynamic": 0.2,
             "law": {"type": "coulomb", "stiction_velocity": 0.01}},
            {"name": "spring", "type": "general_force", "i": "own", "j": "rail", "axes": "rail", "fz": stiffness}
        ]
    });
    let file = folder.join("model.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

#[test]
fn slopes_that_hold_for_a_while_or_for_small_motions_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let notes = |stiffness: &str, speed: f64, words: &[&str]| {
        let file = model(folder.path(), stiffness, speed);
        let output = fixstep(&[&["modes", path(&file)], words].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{said}");
        [
            said.contains("fz of force \"spring\" has slopes that change with TIME"),
            said.contains("force \"rubbing\" rubs at rest"),
        ]
    };
    let late = "-100*STEP(TIME,0.2,1,0.3,2)*DZ(own,rail,rail)";
    assert_eq!(
        notes("-100*DZ(own,rail,rail)+SIN(TIME)", 0.0, &[]),
        [false, true]
    );
    assert_eq!(
        notes("-100*(1+SIN(TIME))*DZ(own,rail,rail)", 1.0, &[]),
        [true, false]
    );
    assert_eq!(notes(late, 0.0, &["--at", "0.15"]), [true, true]);
    // Once the ramp is over, nothing changes any more.
    assert_eq!(notes(late, 1.0, &["--at", "0.35"]), [false, false]);
}

/// Two masses that nothing holds, with a soft spring between them.
#[test]
fn a_rigid_mode_strains_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str, x: f64| json!({"name": name, "mass": 0.7, "position": [x, 0.1, 0.3], "inertia": {"xx": 0.1, "yy": 0.2, "zz": 0.3}});
    let model = json!({
        "fixstep": 1, "name": "free", "gravity": [0, 0, 0],
        "parts": [part("a", 0.1), part("b", 1.1)],
        "markers": [{"name": "i", "part": "a"}, {"name": "j", "part": "b", "position": [-1, 0, 0]}],
        "forces": [{"name": "mount", "type": "bushing", "i": "i", "j": "j", "stiffness": [1e3, 1e3, 1e3],
                    "damping": [1, 1, 1], "torsional_stiffness": [10, 10, 10], "torsional_damping": [0.1, 0.1, 0.1]}]
    });
    let file = folder.path().join("model.json");
    fs::write(&file, model.to_string()).unwrap();
    let all: Value = serde_json::from_str(&succeeds(&[
        "modes",
        path(&file),
        "--energy",
        "ALL",
        "--json",
    ]))
    .unwrap();
    let mut counts = [0, 0];
    for mode in all["modes"].as_array().unwrap() {
        let moves = mode["frequency"].as_f64().unwrap() > 0.0;
        for table in ["strain", "dissipation"] {
            let share = mode["energies"][table][0][1][0].as_f64().unwrap();
            let wanted = if moves { 100.0 } else { 0.0 };
            assert!((share - wanted).abs() < 1e-6, "{mode}");
        }
        counts[usize::from(moves)] += 1;
    }
    assert!(counts[0] >= 6 && counts[1] == 6, "{counts:?}");
}

/// Hanging straight down, its tip moves sideways only, and so does the reaction of its hinge.
#[test]
fn outputs_that_do_not_move_have_no_peaks() {
    let model = example("pendulum");
    let said = succeeds(&[
        "response",
        path(&model),
        "--static",
        "--show",
        "tip_z",
        "--show",
        "pin_force",
    ]);
    assert!(!said.contains("peak"), "{said}");
    let form: Value = serde_json::from_str(&succeeds(&[
        "linearize",
        path(&model),
        "--static",
        "--json",
    ]))
    .unwrap();
    let names = form["outputs"].as_array().unwrap().iter();
    for (name, row) in names.zip(form["C"].as_array().unwrap()) {
        let still = row.as_array().unwrap().iter().all(|x| *x == 0.0);
        let wanted = ["tip_z", "pin_force"].contains(&name["name"].as_str().unwrap());
        assert_eq!(still, wanted, "{name}: {row}");
    }
}

/// A cantilever, seen from its own root: l³/3EI, whatever its root does.
#[test]
fn nodes_of_one_flexible_body_yield_to_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let line = json!({
        "name": "beam",
        "points": [{"name": "root", "position": [0, 0, 0]}, {"name": "tip", "position": [1, 0, 0]}],
        "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
        "section": {"type": "rectangle", "y": 0.05, "z": 0.02}, "elements": 8
    });
    let file = folder.path().join("line.json");
    fs::write(&file, line.to_string()).unwrap();
    let body = folder.path().join("beam.flex");
    succeeds(&["flex", "beam", path(&file), "-o", path(&body)]);
    let ei = 2.1e11 * 0.05 * 0.02_f64.powi(3) / 12.0;
    for joint in ["revolute", "fixed"] {
        let model = json!({
            "fixstep": 1, "name": "cantilever", "gravity": [0, 0, 0],
            "flexible_bodies": [{"name": "beam", "file": "beam.flex"}],
            "markers": [{"name": "root", "part": "beam", "node": "root"}, {"name": "tip", "part": "beam", "node": "tip"}],
            "joints": [{"name": "clamp", "type": joint, "i": "root", "j": "ground"}]
        });
        let file = folder.path().join("model.json");
        fs::write(&file, model.to_string()).unwrap();
        let ask = |seen_from: &str| {
            let words = ["--directions", "z", "--at-frequency", "0", "--json"];
            let own = [
                "response",
                path(&file),
                "--compliance",
                "tip,tip",
                "--relative-to",
                seen_from,
            ];
            fixstep(&[&own[..], &words].concat())
        };
        let output = ask("root");
        assert!(output.status.success());
        let all: Value = serde_json::from_slice(&output.stdout).unwrap();
        let got = all["responses"][0]["re"][0].as_f64().unwrap();
        let wanted = 1.0 / (3.0 * ei);
        assert!((got / wanted - 1.0).abs() < 1e-3, "{joint}: {got} {wanted}");
        assert!(!ask("tip").status.success());
    }
}

/// A mass on a tendon from above, over a point of ground and at two strands.
fn hoist(folder: &Path, length: f64) -> std::path::PathBuf {
    let model = json!({
        "fixstep": 1, "name": "hoist", "gravity": [0, 0, -9.81],
        "point_masses": [{"name": "load", "mass": 2, "position": [0, 0, -1]}],
        "markers": [{"name": "hook", "part": "load"},
                    {"name": "left", "part": "ground", "position": [0, 0, 0]},
                    {"name": "right", "part": "ground", "position": [1, 0, 0]},
                    {"name": "drum", "part": "ground", "position": [1, 0, -1]}],
        "forces": [{"name": "rope", "type": "tendon", "points": ["drum", "right", "left", "hook", "left"],
                    "stiffness": 800, "damping": 4, "length": length, "damping_stretch": 1e-4}],
        "outputs": [{"name": "t", "expression": "TENSION(rope)"}, {"name": "z", "expression": "DZ(hook)"}],
        "experiment": {"stop": 0.5, "step": 0.001}
    });
    let file = folder.join("hoist.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

#[test]
fn a_tendon_is_linear_where_it_is_taut_and_its_kink_is_told() {
    let folder = tempfile::tempdir().unwrap();
    // At its free length exactly.
    let file = hoist(folder.path(), 4.0);
    let output = fixstep(&["modes", path(&file)]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("force \"rope\" stands exactly where its force begins"),
        "{said}"
    );
    // Slack, its tension is constant; it has no components to read instead.
    let output = fixstep(&["modes", path(&hoist(folder.path(), 4.5))]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("components"), "{said}");
    // Two strands of one tension make 4 k: 2 kg at 6.366 Hz.
    let file = hoist(folder.path(), 3.9);
    let said = succeeds(&["modes", path(&file), "--energy", "ALL"]);
    assert!(said.contains("6.36"), "{said}");
    let (_, strain) = said.rsplit_once("strain energy, %").unwrap();
    let (strain, _) = strain.split_once("dissipation").unwrap_or((strain, ""));
    assert_eq!(strain.matches("rope").count(), 1, "{said}");
}

#[test]
fn an_fmu_with_a_tendon_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (file, csv) = (hoist(folder.path(), 3.9), folder.path().join("run.csv"));
    succeeds(&["run", path(&file), "-o", path(&csv)]);
    let table = fs::read_to_string(&csv).unwrap();
    assert!(
        table.lines().count() > 400 && table.starts_with("time"),
        "{table}"
    );
}

#[test]
fn a_trial_tells_what_an_input_table_does_within_a_communication_step() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("input.csv");
    fs::write(&table, "time,u\n0,0\n0.1,1\n").unwrap();
    for (course, says) in [("hold", "is held"), ("linear", "follows a straight line")] {
        let model = json!({
            "fixstep": 1, "name": "pushed", "gravity": [0, 0, 0],
            "point_masses": [{"name": "p", "mass": 1}],
            "markers": [{"name": "m", "part": "p"}],
            "inputs": [{"name": "u"}],
            "forces": [{"name": "push", "type": "action_only_force", "i": "m", "j": "ground", "expression": "u"}],
            "outputs": [{"name": "z", "expression": "DZ(m)"}],
            "solver": {"input_course": course},
            "experiment": {"stop": 0.1, "step": 0.001}
        });
        let file = folder.path().join("pushed.json");
        fs::write(&file, model.to_string()).unwrap();
        let said = succeeds(&[
            "check",
            path(&file),
            "--trial=0.1",
            "--input",
            path(&table),
            "--json",
        ]);
        let found: serde_json::Value = serde_json::from_str(&said).unwrap();
        let causes = found["trial"]["suspects"].to_string();
        assert!(causes.contains(says), "{said}");
    }
}
