//! Tests of `fixstep rti`. Times depend on the machine, so only bounds that always hold are
//! asserted.

use std::fs;

use crate::setup::{ends_with, pack, pack_model, path, succeeds};

#[test]
fn both_paces_are_measured_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "2");
    let (json, svg) = (folder.path().join("r.json"), folder.path().join("r.svg"));
    let out = succeeds(&[
        "rti",
        path(&fmu),
        "--step",
        "0.002",
        "--duration",
        "0.2",
        "--set",
        "solver.hratio=2",
        "--json",
        path(&json),
        "--plot",
        path(&svg),
    ]);
    for line in [
        "Real Time Index (RTI) statistics",
        "Integrator name : Fixed Step HHT/I3",
        "Time units : s (seconds)",
        "HRATIO : 2",
        // The experiment's step is 1 ms: four integration steps in each communication step, which the FMU times.
        "pendulum, free-running: each integration step, timed by the FMU",
        "Time step : 5.00000e-04 s",
        "Requested frequency : 2000.00 Hz",
        // All but the first of them.
        "of 399 steps (longest run",
        "pendulum, free-running: each communication step of 4 integration steps, timed around DoStep",
        "Time step : 2.00000e-03 s",
        "of 99 steps (longest run",
        "Behind the clock",
    ] {
        assert!(out.contains(line), "{line}:\n{out}");
    }
    let report: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(report["step"], 0.002);
    assert_eq!(report["passed"], true);
    let (free, paced) = (&report["runs"][0], &report["runs"][1]);
    assert_eq!(
        (&free["pace"], &paced["pace"]),
        (&"free".into(), &"paced".into())
    );
    assert_eq!(free["steps"], 100);
    assert_eq!(free["integration_steps"], 4);
    assert_eq!(free["judged"], "integration_steps_by_the_fmu");
    assert_eq!(free["report"]["steps"], 99);
    // 100 steps paced at 2 ms: the last one begins after 198 ms.
    assert!(paced["wall_seconds"].as_f64().unwrap() >= 0.198);
    let figure = |name: &str| free["rti"][name].as_f64().unwrap();
    assert!(figure("min") > 0.0 && figure("min") <= figure("average"));
    assert!(figure("p50") <= figure("p99") && figure("p99.999") <= figure("max"));
    assert!(
        fs::read_to_string(svg)
            .unwrap()
            .contains("paced at real time")
    );
}

#[test]
fn a_passed_limit_fails() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "3");
    let words = [
        "rti",
        path(&fmu),
        "--free",
        "--duration",
        "0.05",
        "--limit-on",
        "p50",
        "--max-rti",
    ];
    let said = ends_with(1, &[&words[..], &["1e-9"]].concat());
    assert!(
        said.contains("free-running: p50 RTI") && said.contains("above the limit"),
        "{said}"
    );
    succeeds(&[&words[..], &["1e9"]].concat());
    // Nothing is above what is no number.
    for limit in ["nan", "inf", "0", "-1"] {
        let said = ends_with(2, &[&words[..], &[limit]].concat());
        assert!(
            said.contains("--max-rti") && said.contains("above 0"),
            "{said}"
        );
    }
}

/// Times of a model in milliseconds are in milliseconds; an FMU without a default step uses the step of a run.
#[test]
fn units_and_default_steps_are_those_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("m.json");
    fs::write(
        &model,
        r#"{"fixstep": 1, "name": "m", "units": {"time": "ms"},
        "outputs": [{"name": "y", "expression": "TIME"}],
        "experiment": {"stop": 1000, "step": 1}, "solver": {"hratio": 2}}"#,
    )
    .unwrap();
    let fmu = folder.path().join("m.fmu");
    pack_model(&model, &fmu, "3", false);
    let words = ["rti", path(&fmu), "--free", "--duration", "0.05"];
    let out = succeeds(&words);
    assert_eq!(
        out.matches("Time units : ms (milliseconds)").count(),
        2,
        "{out}"
    );
    assert!(
        out.contains("Time step : 5.00000e-01 ms (5.00000e-04 s)"),
        "{out}"
    );
    assert!(
        out.contains("Time step : 1.00000e+00 ms (1.00000e-03 s)"),
        "{out}"
    );
    // One integration step in each: what the caller sees is all there is.
    let out = succeeds(&[&words[..], &["--set", "solver.hratio=1"]].concat());
    assert!(
        out.contains("m, free-running: each integration step, timed around DoStep"),
        "{out}"
    );
    assert!(!out.contains("timed by the FMU"), "{out}");
}
