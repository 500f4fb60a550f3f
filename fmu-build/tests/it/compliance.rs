//! Tests of `fixstep response --compliance` against closed forms.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::setup::{ends_with, path, succeeds};

fn written(folder: &Path, model: &Value) -> std::path::PathBuf {
    let file = folder.join("model.json");
    fs::write(&file, model.to_string()).unwrap();
    file
}

fn found(file: &Path, words: &str) -> Value {
    let all: Vec<&str> = ["response", path(file)]
        .into_iter()
        .chain(words.split_whitespace())
        .collect();
    serde_json::from_str(&succeeds(&[&all[..], &["--json"]].concat())).unwrap()
}

fn number(of: &Value) -> f64 {
    of.as_f64().unwrap()
}

fn near(what: &str, got: f64, wanted: f64, size: f64) {
    assert!(
        (got - wanted).abs() <= 1e-9 * size,
        "{what}: {got} for {wanted}"
    );
}

/// Real and imaginary part of a response at all frequencies.
fn line(all: &Value, output: &str, input: &str) -> Vec<(f64, f64)> {
    let lines = all["responses"].as_array().unwrap();
    let own = lines
        .iter()
        .find(|own| own["output"] == output && own["input"] == input);
    assert!(own.is_some(), "{output} by {input}: {all}");
    let own = own.unwrap();
    let list = |name: &str| {
        own[name]
            .as_array()
            .unwrap()
            .iter()
            .map(number)
            .collect::<Vec<f64>>()
    };
    list("re").into_iter().zip(list("im")).collect()
}

/// A massless cantilever of length 0.5 m along x with a body at its tip.
fn cantilever() -> Value {
    json!({
        "fixstep": 1, "name": "cantilever", "gravity": [0, 0, 0],
        "parts": [{"name": "tip", "mass": 3, "position": [0.5, 0, 0], "inertia": {"xx": 0.1, "yy": 0.12, "zz": 0.04}}],
        "markers": [{"name": "root", "part": "ground"}, {"name": "end", "part": "tip"}],
        "forces": [{"name": "beam", "type": "beam", "i": "end", "j": "root", "length": 0.5, "area": 1e-4, "ixx": 2e-9,
            "iyy": 1e-9, "izz": 4e-9, "youngs_modulus": 2.1e11, "shear_modulus": 8e10, "damping_ratio": 0}]
    })
}

#[test]
fn the_tip_of_a_cantilever_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &cantilever());
    let (l, ei) = (0.5_f64, 2.1e11 * 4e-9);
    let all = found(
        &file,
        "--compliance end,end --from 0 --to 40 --points 5 --no-refine",
    );
    // Along x, y, z, about x, y, z: L/EA, L³/3EI, L/GJ, L/EI, and the tip turns by L²/2EI.
    let rest = &all["at_rest"];
    let at = |r: usize, c: usize| number(&rest[r][c]);
    let cube = l.powi(3) / (3.0 * ei);
    near("L/EA", at(0, 0), l / (2.1e11 * 1e-4), cube);
    near("L3/3EI", at(1, 1), cube, cube);
    near("L3/3EI", at(2, 2), 4.0 * cube, cube);
    near("L/GJ", at(3, 3), l / (8e10 * 2e-9), l / ei);
    near("L/EI", at(5, 5), l / ei, l / ei);
    near("L2/2EI", at(5, 1), l * l / (2.0 * ei), l * l / ei);
    near("L2/2EI", at(4, 2), -4.0 * l * l / (2.0 * ei), l * l / ei);
}

#[test]
fn the_tip_of_a_cantilever() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &cantilever());
    let (l, ei, mass, inertia) = (0.5_f64, 2.1e11 * 4e-9, 3.0, 0.04);
    let cube = l.powi(3) / (3.0 * ei);
    let all = found(
        &file,
        "--compliance end,end --from 0 --to 40 --points 5 --no-refine",
    );
    // Bending in xy: K − ω² M.
    let stiffness = |omega: f64| {
        let k = ei / l.powi(3);
        let w = omega * omega;
        [
            [12.0 * k - w * mass, -6.0 * k * l],
            [-6.0 * k * l, 4.0 * k * l * l - w * inertia],
        ]
    };
    let matrix = found(
        &file,
        "--compliance end,end --directions y,rz --stiffness --from 0 --to 40 --points 5 --no-refine",
    );
    for (k, f) in [0.0, 10.0, 20.0, 30.0, 40.0].into_iter().enumerate() {
        let z = stiffness(std::f64::consts::TAU * f);
        let det = z[0][0] * z[1][1] - z[0][1] * z[1][0];
        near(
            "y by fy",
            line(&all, "end y", "end fy")[k].0,
            z[1][1] / det,
            cube,
        );
        near(
            "rz by fy",
            line(&all, "end rz", "end fy")[k].0,
            -z[1][0] / det,
            l * l / ei,
        );
        near(
            "rz by tz",
            line(&all, "end rz", "end tz")[k].0,
            z[0][0] / det,
            l / ei,
        );
        let most = 12.0 * ei / l.powi(3);
        near(
            "fy by y",
            line(&matrix, "end fy", "end y")[k].0,
            z[0][0],
            most,
        );
        near(
            "fy by rz",
            line(&matrix, "end fy", "end rz")[k].0,
            z[0][1],
            most,
        );
        near(
            "tz by rz",
            line(&matrix, "end tz", "end rz")[k].0,
            z[1][1],
            most,
        );
    }
    let units = all["responses"].as_array().unwrap().iter();
    let units: Vec<&str> = units.map(|own| own["unit"].as_str().unwrap()).collect();
    assert_eq!(
        (units.len(), units[0], units[3], units[18]),
        (36, "m/N", "m/(N.m)", "rad/N")
    );
}

/// Two bodies with markers beside their centres, on springs and dampers in all directions.
fn two_bodies(held: bool) -> Value {
    let bushing = |name: &str, i: &str, j: &str| {
        json!({"name": name, "type": "bushing", "i": i, "j": j, "stiffness": [900, 700, 500], "damping": [3, 2, 1],
            "torsional_stiffness": [40, 30, 20], "torsional_damping": [0.3, 0.2, 0.1]})
    };
    let mut forces = vec![bushing("between", "b1", "a1")];
    if held {
        forces.push(bushing("below", "a2", "foot"));
    }
    json!({
        "fixstep": 1, "name": "two", "gravity": [0, 0, 0],
        "parts": [
            {"name": "a", "mass": 2, "inertia": {"xx": 0.1, "yy": 0.2, "zz": 0.15}},
            {"name": "b", "mass": 1, "position": [1, 0, 0], "inertia": {"xx": 0.04, "yy": 0.03, "zz": 0.05}}
        ],
        "markers": [
            {"name": "foot", "part": "ground"}, {"name": "a1", "part": "a", "position": [0.5, 0.1, 0]},
            {"name": "a2", "part": "a"}, {"name": "side", "part": "a", "position": [0, 0.3, -0.2]},
            {"name": "b1", "part": "b", "position": [-0.5, 0.1, 0]},
            {"name": "tip", "part": "b", "position": [0.2, 0, 0.4], "orientation": {"euler": [0.5, 0.3, 0]}}
        ],
        "forces": forces
    })
}

/// Maxwell and Betti: what marker I does by a force at J, J does by the same force at I.
#[test]
fn markers_answer_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &two_bodies(true));
    let grid = "--from 0 --to 6 --points 4 --no-refine";
    let [there, back] =
        ["tip,side", "side,tip"].map(|ij| found(&file, &format!("--compliance {ij} {grid}")));
    let names = ["x", "y", "z", "rx", "ry", "rz"];
    let forces = ["fx", "fy", "fz", "tx", "ty", "tz"];
    let mut most = 0.0_f64;
    for (r, pose) in names.iter().enumerate() {
        for (c, force) in forces.iter().enumerate() {
            let own = line(&there, &format!("tip {pose}"), &format!("side {force}"));
            let other = line(
                &back,
                &format!("side {}", names[c]),
                &format!("tip {}", forces[r]),
            );
            for (a, b) in own.iter().zip(&other) {
                near("re", a.0, b.0, 0.1);
                near("im", a.1, b.1, 0.1);
                most = most.max(a.0.abs());
            }
            let still = number(&there["at_rest"][r][c]);
            near("at rest", own[0].0, still, 0.1);
        }
    }
    assert!(most > 0.01, "{most}");
}

/// A floating mechanism has no compliance to ground at 0 Hz, but one between its parts.
#[test]
fn free_motions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &two_bodies(false));
    let said = ends_with(
        1,
        &[
            "response",
            path(&file),
            "--compliance",
            "tip,tip",
            "--from",
            "0",
            "--to",
            "5",
        ],
    );
    for part in [
        "no force is needed at 0 Hz to move marker I",
        "6 rigid motions",
        "begin above 0 Hz",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let all = found(
        &file,
        "--compliance tip,tip --from 1 --to 5 --points 2 --no-refine",
    );
    assert!(
        all["at_rest"]["none"]
            .as_str()
            .unwrap()
            .contains("rigid motions")
    );
    // Relative to the other body, at the same point as the bushing: 1/k.
    let words = "--compliance b1,b1 --relative-to a1 --from 0 --to 5 --points 2 --no-refine";
    let all = found(&file, words);
    for (k, stiffness) in [900.0, 700.0, 500.0, 40.0, 30.0, 20.0]
        .into_iter()
        .enumerate()
    {
        let got = number(&all["at_rest"][k][k]);
        assert!((got * stiffness - 1.0).abs() < 1e-8, "{k}: {got}");
    }
    let said = succeeds(&[
        "response",
        path(&file),
        "--compliance",
        "b1,b1",
        "--relative-to",
        "a1",
        "--directions",
        "x,rz",
        "--stiffness",
    ]);
    assert!(
        said.contains("at 0 Hz, in N, m and rad:") && said.contains("b1 fx"),
        "{said}"
    );
    assert!(said.contains("900.000") || said.contains("900"), "{said}");
}

#[test]
fn compliances_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = cantilever();
    model["joints"] = json!([{"name": "keep", "type": "in_plane", "i": "end", "j": "root"}]);
    let file = written(folder.path(), &model);
    let run = |code: i32, words: &str| {
        let all: Vec<&str> = ["response", path(&file)]
            .into_iter()
            .chain(words.split_whitespace())
            .collect();
        ends_with(code, &all)
    };
    for (code, words, wanted) in [
        (
            1,
            "--compliance ent,end",
            "--compliance: unknown marker \"ent\"",
        ),
        (
            1,
            "--compliance root,end",
            "marker \"root\" is on the body of marker \"ground\"",
        ),
        (2, "--compliance end", "expected two markers I,J"),
        (
            2,
            "--compliance end,end --excite f=1",
            "cannot be used with",
        ),
        (2, "--stiffness", "--compliance"),
        (
            1,
            "--compliance end,end --stiffness --directions y,z --from 1 --to 2",
            "no force at marker J moves marker I along z, so that there is no stiffness",
        ),
    ] {
        let said = run(code, words);
        assert!(said.contains(wanted), "{words}: {said}");
    }
    // What a joint holds does not yield.
    let all = found(
        &file,
        "--compliance end,end --from 1 --to 2 --points 2 --no-refine",
    );
    assert!(number(&all["at_rest"][2][2]).abs() < 1e-15);
}
