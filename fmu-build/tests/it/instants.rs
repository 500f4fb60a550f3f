//! `fixstep run` without integration and at every step of it, for models and FMUs, and what `fixstep check` says about it.

use crate::setup::{ends_with, example, fixstep, pack_model, path, succeeds};
use fixstep_kernel::math::sin;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A slider-crank of the references, with a solver and without what a kinematic run does not take.
fn slider_crank(folder: &Path, solver: &Value) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = own.join("../tests/truth/D11_driven_slider_crank/model.json");
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(own).unwrap()).unwrap();
    model["solver"] = solver.clone();
    let file = folder.join("crank.json");
    std::fs::write(&file, model.to_string()).unwrap();
    file
}

/// The rows of a table, without its header.
fn rows(file: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(file).unwrap();
    { text.lines().skip(1) }
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect()
}

#[test]
fn a_kinematic_run_does_not_depend_on_its_step_and_an_fmu_has_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let model = slider_crank(folder.path(), &json!({}));
    let checked = succeeds(&["check", path(&model)]);
    assert!(
        checked.contains("a kinematic run is possible (fixstep run --mode kinematic)"),
        "{checked}"
    );
    let table = |file: &Path, step: &str, mode: &[&str]| {
        let out = folder.path().join(format!("{step}.csv"));
        let words = [
            &[
                "run",
                path(file),
                "--stop",
                "0.2",
                "--step",
                step,
                "-o",
                path(&out),
            ],
            mode,
        ]
        .concat();
        let output = fixstep(&words);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        // Neither an account of the integration nor a trial follows.
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !said.contains("energy") && !said.contains("variable step"),
            "{said}"
        );
        rows(&out)
    };
    let kinematic = ["--mode", "kinematic"];
    let (fine, coarse) = (
        table(&model, "0.001", &kinematic),
        table(&model, "0.02", &kinematic),
    );
    for (k, row) in coarse.iter().enumerate() {
        for (a, b) in row.iter().zip(&fine[20 * k]) {
            assert!(
                (a - b).abs() < 1e-8 * (1.0 + b.abs()),
                "{row:?} {:?}",
                fine[20 * k]
            );
        }
    }
    let own = slider_crank(folder.path(), &json!({"mode": "kinematic"}));
    let fmu = folder.path().join("crank.fmu");
    pack_model(&own, &fmu, "3", false);
    assert_eq!(table(&fmu, "0.02", &[]), coarse);
    // An FMU that is packed with a fixed step takes the option too.
    let fixed = slider_crank(folder.path(), &json!({}));
    let fmu = folder.path().join("fixed.fmu");
    pack_model(&fixed, &fmu, "2", false);
    assert_eq!(table(&fmu, "0.02", &kinematic), coarse);
}

#[test]
fn freedom_and_idle_settings_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let model = slider_crank(
        folder.path(),
        &json!({"mode": "kinematic", "fixit": 4, "hmax": 0.1}),
    );
    let checked = succeeds(&["check", path(&model)]);
    assert!(
        checked.contains("solver.fixit has no effect in a kinematic run"),
        "{checked}"
    );
    assert!(!checked.contains("solver.hmax"), "{checked}");
    let mut free: Value = serde_json::from_str(&std::fs::read_to_string(&model).unwrap()).unwrap();
    free["motions"] = json!([]);
    free["outputs"] = json!([]);
    std::fs::write(&model, free.to_string()).unwrap();
    let refused = ends_with(1, &["check", path(&model)]);
    assert!(
        refused.contains("this mechanism has 1 degree of freedom: what can move: parts \"crank\""),
        "{refused}"
    );
    let refused = ends_with(1, &["run", path(&model)]);
    assert!(refused.contains("in joints \"A\" (turns)"), "{refused}");
    ends_with(2, &["run", path(&model), "--mode", "statics"]);
    let still = ["run", path(&model), "--mode", "static", "--compare"];
    assert!(ends_with(1, &still).contains("a quasi-static run has none"));
}

#[test]
fn a_run_that_locks_keeps_its_rows_and_names_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let model = slider_crank(folder.path(), &json!({"mode": "kinematic"}));
    let mut text: Value = serde_json::from_str(&std::fs::read_to_string(&model).unwrap()).unwrap();
    // The slider is driven beyond the reach of crank and rod, 0.45 m.
    text["motions"] = json!([{"name": "push", "joint": "guide", "displacement": "0.42+0.1*TIME"}]);
    text["parts"][2]["position"] = json!([0.42, 0, 0]);
    text["outputs"] = json!([{"name": "x", "expression": "DX(C3)"}]);
    text["parts"][0]["orientation"] = json!({"euler": [0.4, 0, 0]});
    std::fs::write(&model, text.to_string()).unwrap();
    let out = folder.path().join("out.csv");
    let output = fixstep(&[
        "run",
        path(&model),
        "--stop",
        "1",
        "--step",
        "0.04",
        "-o",
        path(&out),
    ]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for word in [
        "the run ended at 0.28 s, before 1 s",
        "beyond 0.29999",
        "dead point of motion \"push\"",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let rows = rows(&out);
    assert_eq!(rows.len(), 8);
    assert!((rows[7][1] - 0.448).abs() < 1e-12, "{rows:?}");
}

/// The rows of a run, and how many steps a variable step has made.
fn steps_of(file: &Path, more: &[&str]) -> (Vec<Vec<f64>>, Option<usize>) {
    let out = file.with_extension("csv");
    let words = [
        &[
            "run",
            path(file),
            "--stop",
            "0.2",
            "--no-trial",
            "-o",
            path(&out),
        ],
        more,
    ];
    let output = fixstep(&words.concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let after = said.split("variable step: ").nth(1);
    let made = after.map(|after| after.split(' ').next().unwrap().parse().unwrap());
    (rows(&out), made)
}

#[test]
fn every_step_of_the_integration_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let model = slider_crank(folder.path(), &json!({}));
    // One communication step: what is left are the steps of the integration, and the start.
    let tight = ["--error", "1e-6", "--every-step", "--step"];
    let (all, made) = steps_of(&model, &[&tight[..], &["0.2"]].concat());
    assert_eq!(Some(all.len() - 1), made);
    let gaps: Vec<f64> = all.windows(2).map(|pair| pair[1][0] - pair[0][0]).collect();
    assert!(gaps.iter().all(|gap| *gap > 0.0));
    let ends = gaps
        .iter()
        .fold((1.0_f64, 0.0_f64), |(a, b), gap| (a.min(*gap), b.max(*gap)));
    assert!(ends.1 > 3.0 * ends.0, "{ends:?}");
    // The angle of the crank is known at every one of them.
    for row in &all {
        let wanted = 30.0 * row[0] + 2.0 * sin(5.0 * row[0]);
        assert!(sin(row[1] - wanted).abs() < 1e-7, "{row:?}");
    }
    // Communication points stay rows; with steps that end there, each row is one of a step.
    let (between, _) = steps_of(&model, &[&tight[..], &["0.01"]].concat());
    let is_point = |row: &&Vec<f64>| (row[0] / 0.01 - (row[0] / 0.01).round()).abs() < 1e-9;
    assert_eq!(between.iter().filter(is_point).count(), 21);
    assert!(between.len() > 30, "{}", between.len());
    let (exact, made) = steps_of(
        &model,
        &[&tight[..], &["0.01", "--interpolate", "off"]].concat(),
    );
    assert_eq!(Some(exact.len() - 1), made);
    assert_eq!(exact.iter().filter(is_point).count(), 21);
}

#[test]
fn a_fixed_step_has_steps_within_a_communication_step_and_an_fmu_shows_none() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = slider_crank(folder.path(), &json!({"hratio": 4}));
    let (four, _) = steps_of(&fixed, &["--every-step"]);
    assert_eq!(four.len(), 801);
    let fmu = folder.path().join("crank.fmu");
    pack_model(&fixed, &fmu, "3", false);
    let refused = ends_with(1, &["run", path(&fmu), "--every-step"]);
    assert!(
        refused.contains("which an FMU does not show; valid: a model"),
        "{refused}"
    );
}

#[test]
fn a_picture_has_the_columns_that_were_asked_for() {
    let folder = example("double_wishbone");
    let (model, loads) = (
        folder.with_file_name("compliance.json"),
        folder.with_file_name("lateral.csv"),
    );
    let base = "run --mode static --stop 0.3 --step 0.1 --plot -".split(' ');
    let base: Vec<&str> = base
        .chain(["--input", path(&loads), path(&model)])
        .collect();
    let drawn = |words: &[&str]| succeeds(&[&base[..], words].concat());
    let all = drawn(&["--over", "patch_fy"]);
    for name in ["toe", "camber", "roll_centre", "patch_y", "wheel_load"] {
        assert!(all.contains(&format!(">{name}")), "{name}");
    }
    let some = drawn(&["--over", "patch_fy", "--draw", "toe,patch_y"]);
    for (name, there) in [
        ("toe [deg]", true),
        ("patch_y [mm]", true),
        ("patch_fy [N]", true),
        ("camber", false),
        ("roll_centre", false),
        ("wheel_load", false),
    ] {
        assert_eq!(some.contains(&format!(">{name}")), there, "{name}");
    }
    for option in ["--over", "--draw"] {
        let said = ends_with(1, &[&base[..], &[option, "tow"]].concat());
        let told = format!("{option}: the table has no column \"tow\"; it has time, toe, camber");
        assert!(said.contains(&told), "{said}");
    }
}
