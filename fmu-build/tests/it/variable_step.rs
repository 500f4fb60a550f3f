//! `fixstep run --error`: an integration with a variable step, and what it refuses.

use crate::setup::{ends_with, example, fixstep, pack, path};

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
fn what_has_no_variable_step_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let crane = example("overhead_crane");
    let refused = ends_with(1, &["run", path(&crane), "--error", "1e-6"]);
    assert!(
        refused.contains("--error: sampled systems, sensors and DELAY"),
        "{refused}"
    );
    let fmu = pack(folder.path(), "pendulum", "3");
    let refused = ends_with(1, &["run", path(&fmu), "--error", "1e-6"]);
    assert!(
        refused.contains("--error: an FMU has its own step; valid: a model"),
        "{refused}"
    );
    let top = example("heavy_top");
    for wrong in [
        &["--error", "0"][..],
        &["--error", "1e-6", "--kmax", "7"],
        &["--kmax", "3"],
    ] {
        let words = [&["run", path(&top)], wrong].concat();
        ends_with(2, &words);
    }
}
