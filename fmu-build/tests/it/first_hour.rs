//! Tests that typical mistakes of an analyst's first hour never give a wrong number without a message.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::setup::{fixstep, path};

fn written(folder: &Path, model: &Value) -> PathBuf {
    let file = folder.join("model.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

/// What a command prints as JSON, and its notes.
fn asked(file: &Path, command: &str) -> (Value, String) {
    let mut words = command.split(' ');
    let first = words.next().unwrap();
    let words: Vec<&str> = [first, path(file)].into_iter().chain(words).collect();
    let output = fixstep(&words);
    let said = String::from_utf8(output.stderr).unwrap();
    let told = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (told, said)
}

/// A mass of 1 kg on a spring and a damper (10 Hz) on a table that an input accelerates.
fn shaker() -> Value {
    json!({
        "fixstep": 1, "name": "shaker", "gravity": [0, 0, 0],
        "inputs": [{"name": "a", "unit": "m/s^2"}],
        "parts": [
            {"name": "table", "mass": 50, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "m", "mass": 1, "position": [0, 0, 0.1], "inertia": {"xx": 1, "yy": 1, "zz": 1}}
        ],
        "markers": [
            {"name": "t", "part": "table"}, {"name": "tt", "part": "table", "position": [0, 0, 0.1]},
            {"name": "c", "part": "m"}
        ],
        "joints": [
            {"name": "jt", "type": "translational", "i": "t", "j": "ground"},
            {"name": "jm", "type": "translational", "i": "c", "j": "tt"}
        ],
        "motions": [{"name": "shake", "joint": "jt", "acceleration": "a"}],
        "forces": [{"name": "k", "type": "spring_damper", "i": "c", "j": "t", "stiffness": 3948, "damping": 6, "length": 0.1}],
        "outputs": [
            {"name": "table", "expression": "ACCZ(t)"}, {"name": "acc", "expression": "ACCZ(c)"},
            {"name": "size", "expression": "ACCM(c)"}, {"name": "force", "expression": "FM(t, ground)"}
        ]
    })
}

#[test]
fn responses_to_tables_cover_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &shaker());
    let table = folder.path().join("psd.csv");
    fs::write(
        &table,
        "frequency,a\n0.1,0.01\n20,0.01\n80,0.04\n350,0.04\n2000,0.007\n",
    )
    .unwrap();
    let rms = |more: &str| {
        let command = format!(
            "response --psd a={} --show table --json{more}",
            path(&table)
        );
        let (told, said) = asked(&file, &command);
        (told["densities"][0]["rms"].as_f64().unwrap(), said)
    };
    let (all, said) = rms("");
    assert!(!said.contains("left out"), "{said}");
    let (wanted, _) = rms(" --from 0.1 --to 2000");
    assert!((all / wanted - 1.0).abs() < 1e-6, "{all} {wanted}");
    let (cut, said) = rms(" --from 20 --to 100");
    assert!(cut < 0.5 * all, "{cut}");
    assert!(
        said.contains("go from 0.1 Hz to 2000 Hz; the part outside 20 Hz to 100 Hz"),
        "{said}"
    );
    let coarse = " --from 1 --to 1000 --points 4 --no-refine";
    let (_, said) = rms(coarse);
    assert!(said.contains("--no-refine: the mode at 9.98"), "{said}");
    let (_, said) = rms(&coarse.replace(" --no-refine", ""));
    assert!(!said.contains("narrower"), "{said}");
}

#[test]
fn lengths_of_vectors_that_are_zero_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &shaker());
    let (_, said) = asked(&file, "linearize --json");
    assert!(
        said.contains("output \"size\" reads ACCM, which is zero here"),
        "{said}"
    );
    assert!(
        said.contains("output \"force\" reads the magnitude of a force, which is zero here"),
        "{said}"
    );
    assert_eq!(said.matches("which is zero here").count(), 2, "{said}");
}

/// A rod that hangs: its tip is at a turning point along y, and the distance to its hinge never changes.
#[test]
fn what_does_not_tell_the_motion_is_no_state() {
    let folder = tempfile::tempdir().unwrap();
    let model = json!({
        "fixstep": 1, "name": "rod", "gravity": [0, -9.81, 0],
        "parts": [{"name": "rod", "mass": 1, "center_of_mass": [0, -0.25, 0],
                   "inertia": {"xx": 0.0208, "yy": 0.0001, "zz": 0.0208}}],
        "markers": [{"name": "p", "part": "rod"}, {"name": "t", "part": "rod", "position": [0, -0.5, 0]}],
        "joints": [{"name": "h", "type": "revolute", "i": "p", "j": "ground", "initial": {"angle": std::f64::consts::FRAC_PI_6}}],
        "variables": [
            {"name": "angle", "expression": "AZ(p)"}, {"name": "along", "expression": "DX(t)"},
            {"name": "down", "expression": "DY(t)"}, {"name": "distance", "expression": "DM(t)"},
            {"name": "cosine", "expression": "COS(AZ(p))"}, {"name": "square", "expression": "DX(t)**2"},
            {"name": "cube", "expression": "DX(t)**3"}, {"name": "sine", "expression": "SIN(AZ(p))"}
        ],
        "outputs": [{"name": "a", "expression": "AZ(p)"}]
    });
    let file = written(folder.path(), &model);
    let root = |state: &str| {
        let (told, said) = asked(&file, &format!("modes --static --states {state} --json"));
        (told["modes"][0]["frequency"].as_f64(), said)
    };
    let wanted = root("angle").0.unwrap();
    for state in ["along", "sine"] {
        let got = root(state).0.unwrap();
        assert!((got / wanted - 1.0).abs() < 1e-9, "{state}: {got} {wanted}");
    }
    for state in ["down", "distance", "cosine", "square", "cube"] {
        let (got, said) = root(state);
        assert!(
            got.is_none() && said.contains("does not move here"),
            "{state}: {said}"
        );
    }
}

#[test]
fn a_campbell_diagram_of_starts_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let model = json!({
        "fixstep": 1, "name": "rotor", "gravity": [0, 0, 0],
        "parameters": [{"name": "speed", "start": 100, "unit": "rad/s"}],
        "parts": [
            {"name": "bearing", "mass": 0.5, "inertia": {"xx": 0.001, "yy": 0.001, "zz": 0.001}},
            {"name": "disc", "mass": 10, "inertia": {"xx": 0.05, "yy": 0.05, "zz": 0.09}}
        ],
        "markers": [{"name": "bc", "part": "bearing"}, {"name": "dc", "part": "disc"}],
        "joints": [{"name": "spin", "type": "revolute", "i": "dc", "j": "bc"}],
        "motions": [{"name": "drive", "joint": "spin", "velocity": "speed"}],
        "forces": [{"name": "support", "type": "bushing", "i": "bc", "j": "ground", "stiffness": [1e5, 1.5e5, 1e6],
                    "damping": [20, 30, 10], "torsional_stiffness": [3000, 4000, 1e5], "torsional_damping": [1, 1, 1]}]
    });
    let file = written(folder.path(), &model);
    let words = "modes --sweep speed=0:300:4 --campbell speed --json";
    let (_, said) = asked(&file, words);
    assert!(said.contains("--static takes steady motion"), "{said}");
    // The bearing turns the other way, as far as the disc.
    assert!(
        said.contains("no part turns at \"speed\" at any of its values"),
        "{said}"
    );
    let (told, said) = asked(&file, &format!("{words} --static"));
    assert!(!said.contains("--static takes steady motion"), "{said}");
    assert!(!said.contains("no part turns"), "{said}");
    assert!(!told["critical_speeds"].as_array().unwrap().is_empty());
}
