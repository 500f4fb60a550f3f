//! `fixstep run` with a variable step: its options, for models and FMUs, and what it refuses.

use crate::setup::{ends_with, example, fixstep, pack, path};
use serde_json::{Value, json};
use std::path::Path;

#[test]
fn a_run_to_a_tolerance_writes_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("heavy_top");
    let table = |name: &str, given: &[&str]| {
        let file = folder.path().join(name);
        let words = [
            &[
                "run",
                path(&model),
                "--stop",
                "0.2",
                "--no-trial",
                "-o",
                path(&file),
            ],
            given,
        ];
        let output = fixstep(&words.concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (std::fs::read_to_string(file).unwrap(), said)
    };
    let (fixed, _) = table("fixed.csv", &[]);
    let (variable, said) = table("variable.csv", &["--error", "1e-8"]);
    assert!(
        said.contains("variable step: ") && said.contains(" Jacobians"),
        "{said}"
    );
    let times = |table: &str| -> Vec<String> {
        { table.lines() }
            .map(|line| line.split(',').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(times(&fixed), times(&variable));
    // The fixed step is far from converged at 150 rad/s, the last row of a tighter tolerance is not.
    let last = |table: &str| -> Vec<f64> {
        let row = table.lines().last().unwrap();
        row.split(',').map(|x| x.parse().unwrap()).collect()
    };
    let (finer, _) = table(
        "finer.csv",
        &["--error", "1e-10", "--kmax", "5", "--hmax", "0.01"],
    );
    for (a, b) in last(&variable).iter().zip(last(&finer)).take(4) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn wrong_options_are_refused() {
    let top = example("heavy_top");
    for wrong in [
        &["--error", "0"][..],
        &["--error", "1e-6", "--kmax", "7"],
        &["--maxit", "11"],
        &["--mode", "adaptive"],
        &["--hmax", "-1"],
        &["--adaptivity", "-1"],
    ] {
        let words = [&["run", path(&top)], wrong].concat();
        ends_with(2, &words);
    }
    for (wrong, words) in [
        (
            &["--integrator", "WSTIFF"][..],
            "WSTIFF has a variable step only; set mode to variable",
        ),
        (
            &["--error", "1e-6", "--integrator", "STIFF"],
            "the integrator \"STIFF\" does not exist",
        ),
        (
            &["--error", "1e-6", "--formulation", "SI1"],
            "SI1 is for the integrator HASTIFF; found HHT",
        ),
        (
            &["--error", "1e-6", "--hinit", "0.1", "--hmax", "0.01"],
            "must be less than hmax = 0.01 s; found 0.1 s",
        ),
    ] {
        let refused = ends_with(2, &[&["run", path(&top)], wrong].concat());
        assert!(refused.contains(words), "{words}: {refused}");
    }
}

/// What the run of a model says, with these settings and options.
fn says(folder: &Path, solver: &Value, options: &[&str]) -> String {
    let text = std::fs::read_to_string(example("pendulum")).unwrap();
    let mut model: Value = serde_json::from_str(&text).unwrap();
    model["solver"] = solver.clone();
    let file = folder.join("model.json");
    std::fs::write(&file, model.to_string()).unwrap();
    let words = [&["run", path(&file), "--stop", "0.1"], options].concat();
    let output = fixstep(&words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn options_replace_the_settings_of_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let run = |solver: Value, options: &[&str]| says(folder.path(), &solver, options);
    let varies = |said: &str| said.contains("variable step: ");
    let own = json!({"mode": "variable", "integrator": "WSTIFF", "error": 1e-7});
    assert!(varies(&run(own.clone(), &[])));
    let fixed = run(own.clone(), &["--mode", "fixed", "--integrator", "HHT"]);
    assert!(!varies(&fixed), "{fixed}");
    let idle = "solver.error has no effect with a fixed step";
    assert_eq!(fixed.matches(idle).count(), 1, "{fixed}");
    // A file that names an integrator without a fixed step needs the mode, which --error implies.
    let said = run(json!({"integrator": "WSTIFF"}), &["--error", "1e-5"]);
    assert!(varies(&said), "{said}");
    let said = run(
        json!({}),
        &["--error", "1e-5", "--maxit", "7", "--kmax", "2"],
    );
    let idle = "solver.kmax has no effect with HHT, whose order does not change";
    assert_eq!(said.matches(idle).count(), 1, "{said}");
    assert!(!said.contains("solver.maxit"), "{said}");
    // `default` takes back what the model gives.
    let steps = |said: &str| -> u64 {
        let after = said.split("variable step: ").nth(1).unwrap();
        after.split(' ').next().unwrap().parse().unwrap()
    };
    let (tight, loose) = (
        run(own.clone(), &[]),
        run(own.clone(), &["--error", "default"]),
    );
    assert!(steps(&tight) > steps(&loose), "{tight} {loose}");
    let coarse = json!({"mode": "variable", "integrator": "WSTIFF", "error": 1e-3});
    assert_eq!(steps(&loose), steps(&run(coarse, &[])));
    // Times are in seconds.
    let short = run(own, &["--hmax", "1e-4"]);
    assert!(steps(&short) >= 1000, "{short}");
}

#[test]
fn eprint_names_the_elements() {
    let folder = tempfile::tempdir().unwrap();
    let said = says(folder.path(), &json!({}), &["--error", "1e-5", "--eprint"]);
    let attempts = said.lines().filter(|line| line.starts_with("t "));
    let attempts: Vec<&str> = attempts.collect();
    assert!(attempts.len() > 3, "{said}");
    let first = attempts[0];
    assert!(
        first.contains("accepted, error ") && first.contains(" of "),
        "{first}"
    );
    let iterations = said
        .lines()
        .filter(|line| line.starts_with("  iteration 1: "));
    assert_eq!(iterations.count(), attempts.len());
    assert!(said.contains("limits the step most"), "{said}");
    let quiet = says(folder.path(), &json!({}), &["--error", "1e-5"]);
    assert!(!quiet.contains("iteration 1: "), "{quiet}");
}

#[test]
fn an_fmu_takes_the_options_as_parameters() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "3");
    let model = example("pendulum");
    let table = |file: &Path, options: &[&str]| {
        let out = folder.path().join("out.csv");
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
            options,
        ];
        let output = fixstep(&words.concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        std::fs::read_to_string(out).unwrap()
    };
    let options = ["--error", "1e-6", "--hmax", "0.02", "--maxit", "9"];
    let variable = table(&fmu, &options);
    assert_eq!(variable, table(&model, &options));
    assert_ne!(variable, table(&fmu, &[]));
    assert_eq!(table(&fmu, &[]), table(&model, &[]));
    let told = ends_with(1, &["run", path(&fmu), "--error", "default"]);
    assert!(told.contains("--error default is for a model"), "{told}");
}

#[test]
fn a_trial_is_of_a_fixed_step() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(example("pendulum")).unwrap();
    let mut model: Value = serde_json::from_str(&text).unwrap();
    model["solver"] = json!({"mode": "variable"});
    let file = folder.path().join("model.json");
    std::fs::write(&file, model.to_string()).unwrap();
    let told = ends_with(1, &["check", path(&file), "--trial"]);
    assert!(told.contains("solver.mode is variable"), "{told}");
}
