//! Tests that commands never write over a file that they read, never twice to one place, and never to a missing folder.

use std::fs;

use crate::setup::{ends_with, example, fixstep, pack, path, succeeds};

const BEAM: &str = r#"{"name": "rod",
    "points": [{"name": "a", "position": [0, 0, 0]}, {"name": "b", "position": [0.4, 0, 0]}],
    "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
    "section": {"type": "circle", "diameter": 0.02}}"#;

#[test]
fn nothing_that_is_read_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::copy(example("pendulum"), at("self.json")).unwrap();
    fs::rename(pack(folder.path(), "pendulum", "3"), at("self.fmu")).unwrap();
    fs::write(at("in.csv"), "time,pin_damping\n0,0\n").unwrap();
    fs::write(at("beam.json"), BEAM).unwrap();
    let system = r#"{"fixstep_system": 1, "name": "one", "components": [{"name": "a", "file": "self.fmu"}]}"#;
    fs::write(at("system.json"), system).unwrap();
    let other = at("sub/../self.json");
    fs::create_dir(at("sub")).unwrap();
    let (model, fmu, input) = (at("self.json"), at("self.fmu"), at("in.csv"));
    let (model, fmu, input) = (path(&model), path(&fmu), path(&input));
    let (beam, system) = (at("beam.json"), at("system.json"));
    let (beam, system) = (path(&beam), path(&system));
    let names = [
        "self.json",
        "self.fmu",
        "in.csv",
        "beam.json",
        "system.json",
    ];
    let all = || names.map(|name| fs::read(at(name)).unwrap());
    let before = all();
    for words in [
        &["build", model, "-o", model][..],
        &["build", model, "-o", path(&other)],
        &["run", model, "-o", model],
        &["run", fmu, "-o", fmu],
        &["run", model, "--input", input, "-o", input],
        &["run", model, "--plot", model],
        &["run", model, "--gif", model],
        &["run", model, "--report", model],
        &["run", model, "--png", model],
        &["run", model, "--glb", model],
        &["rti", fmu, "--json", fmu],
        &["rti", fmu, "--input", input, "--plot", input],
        &["ssp", system, "-o", system],
        &["ssp", system, "-o", fmu],
        &["flex", "beam", beam, "-o", beam],
        &["flex", "beam", beam, "--discrete", "3", "-o", beam],
        &["flex", "inspect", beam, "--png", beam],
        &["flex", "import", beam, "-o", beam],
        &["flex", "reduce", beam, "-o", beam],
        &[
            "flex", "swap", model, "--part", "rod", "--with", beam, "-o", model,
        ],
        &[
            "flex", "swap", model, "--part", "rod", "--with", beam, "-o", beam,
        ],
    ] {
        let said = ends_with(2, words);
        assert!(said.contains("would replace"), "{words:?}\n{said}");
        assert!(all() == before, "{words:?}");
    }
}

#[test]
fn outputs_do_not_replace_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (fmu, same) = (
        pack(folder.path(), "pendulum", "2"),
        folder.path().join("same"),
    );
    let model = example("pendulum");
    for words in [
        &["run", path(&model), "-o", path(&same), "--plot"][..],
        &["run", path(&model), "-o", path(&same), "--report"],
        &["run", path(&model), "--plot", path(&same), "--gif"],
        &["rti", path(&fmu), "--json", path(&same), "--plot"],
        &[
            "flex",
            "inspect",
            path(&fmu),
            "--html",
            path(&same),
            "--png",
        ],
    ] {
        let said = ends_with(2, &[words, &[path(&same)]].concat());
        assert!(
            said.contains("both write") && said.contains("same"),
            "{said}"
        );
        assert!(!same.exists());
    }
    let said = ends_with(2, &["run", path(&model), "-o", "-", "--json"]);
    assert!(said.contains("standard output"), "{said}");
}

#[test]
fn a_file_of_the_model_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (model, curve) = (
        folder.path().join("m.json"),
        folder.path().join("curve.csv"),
    );
    fs::write(&curve, "t,y\n0,1\n1,3\n").unwrap();
    fs::write(
        &model,
        r#"{"fixstep": 1, "name": "table", "splines": [{"name": "curve", "file": "curve.csv", "x": "t"}],
        "outputs": [{"name": "y", "expression": "INTERP(TIME, 1, curve)"}]}"#,
    )
    .unwrap();
    for command in ["run", "build"] {
        let said = ends_with(2, &[command, path(&model), "-o", path(&curve)]);
        assert!(said.contains("a file of the model"), "{said}");
    }
}

/// Without an option the name of the beam is that of the file.
#[test]
fn a_default_name_is_no_exception() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rod.json"), BEAM).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fixstep"))
        .args(["flex", "beam", "rod.json", "--discrete", "3"])
        .current_dir(folder.path())
        .output();
    assert_eq!(output.unwrap().status.code(), Some(2));
    assert_eq!(
        fs::read_to_string(folder.path().join("rod.json")).unwrap(),
        BEAM
    );
}

#[test]
fn a_folder_that_is_not_there_is_told_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let model = path(&model);
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for out in [folder.path().join("none/x.csv"), file.join("x.csv")] {
        for option in ["-o", "--plot", "--report", "--gif"] {
            let began = std::time::Instant::now();
            // Minutes, if it ran.
            let said = ends_with(1, &["run", model, "--stop", "20000", option, path(&out)]);
            assert!(began.elapsed().as_secs() < 20, "it ran");
            assert!(said.contains(path(&out)), "{said}");
            assert!(!said.contains(".fixstep-"), "{said}");
        }
    }
    let said = ends_with(1, &["run", model, "-o", path(folder.path())]);
    assert!(said.contains("is a folder"), "{said}");
    let output = fixstep(&[
        "run",
        model,
        "--stop",
        "0.01",
        "-o",
        path(&folder.path().join("x.csv")),
    ]);
    assert!(output.status.success());
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2,
        "something is left"
    );
    succeeds(&["run", model, "--stop", "0.01", "-o", path(&file)]);
}

#[test]
fn an_error_on_the_way_keeps_its_table_and_tells_where() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let model = r#"{"fixstep": 1, "name": "m",
        "parameters": [{"name": "k", "start": 1, "min": 0, "max": 2, "tunable": true}],
        "outputs": [{"name": "y", "expression": "k*TIME"}],
        "experiment": {"stop": 1, "step": 0.25}}"#;
    fs::write(at("m.json"), model).unwrap();
    fs::write(at("in.csv"), "time,k\n0,1\n0.5,2\n1,4\n").unwrap();
    let (file, input, out) = (at("m.json"), at("in.csv"), at("out.csv"));
    let words = [
        "run",
        path(&file),
        "--input",
        path(&input),
        "-o",
        path(&out),
    ];
    let said = ends_with(1, &words);
    let wanted = format!(
        "at time 0.75 s, from input table {}, column \"k\"",
        path(&input)
    );
    assert!(said.contains(&wanted), "{said}");
    let table = fs::read_to_string(&out).unwrap();
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(
        table.lines().last().unwrap().starts_with("0.75,"),
        "{table}"
    );
    let output = fixstep(&[&words[..], &["--json"]].concat());
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["end"], 0.75);
    assert_eq!(summary["ended"]["time"], 0.75);
}

#[test]
fn a_run_tells_the_span_that_it_simulated() {
    let model = example("pendulum");
    let model = path(&model);
    let said = ends_with(0, &["run", model, "--stop", "0.4", "--step", "0.3"]);
    assert!(
        said.contains("0 s to 0.3 s in steps of 0.3 s, 2 rows"),
        "{said}"
    );
    assert!(
        said.contains("warning: the last communication point is 0.3 s"),
        "{said}"
    );
    let said = ends_with(0, &["run", model, "--stop", "0.3", "--step", "0.1"]);
    assert!(
        said.contains("0 s to 0.3 s") && !said.contains("warning"),
        "{said}"
    );
    let said = ends_with(1, &["run", model, "--stop", "4", "--step", "100"]);
    assert!(said.contains("longer than the run"), "{said}");
}

#[test]
fn a_file_of_another_kind_is_told_from_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let fmu = pack(folder.path(), "pendulum", "3");
    fs::copy(&fmu, at("x.ssp")).unwrap();
    for name in ["x.csv", "x.json", "y.fmu"] {
        fs::write(at(name), "time,a\n0,1\n").unwrap();
    }
    for (words, told) in [
        (
            ["rti", "x.json"],
            "build, check, run and inspect take models",
        ),
        (["rti", "x.ssp"], "check, run and inspect"),
        (["build", "pendulum.3.fmu"], "check, run, inspect and rti"),
        (["run", "x.csv"], "--input of run and rti"),
        (["check", "x.csv"], "--input of run and rti"),
        (["inspect", "x.csv"], "--input of run and rti"),
        (["run", "y.fmu"], "is no Zip archive"),
        (["ssp", "x.ssp"], "check, run and inspect"),
    ] {
        let said = ends_with(1, &[words[0], path(&at(words[1]))]);
        assert!(said.contains(told) && said.contains(words[1]), "{said}");
    }
}

/// An existing FMU is kept if the model cannot be assembled.
#[test]
fn a_model_that_cannot_be_assembled_replaces_no_fmu() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "3");
    let before = fs::read(&fmu).unwrap();
    let broken = folder.path().join("apart.json");
    fs::write(
        &broken,
        r#"{"fixstep": 1, "name": "apart",
        "parts": [{"name": "rod", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [5, 0, 0]}],
        "markers": [{"name": "here", "part": "rod"}, {"name": "near", "part": "ground"},
            {"name": "far", "part": "ground", "position": [9, 0, 0]}],
        "joints": [{"name": "one", "type": "spherical", "i": "here", "j": "near"},
            {"name": "two", "type": "spherical", "i": "here", "j": "far"}]}"#,
    )
    .unwrap();
    let said = ends_with(1, &["build", path(&broken), "-o", path(&fmu)]);
    assert!(said.contains("is not written"), "{said}");
    assert!(fs::read(&fmu).unwrap() == before, "{said}");
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2,
        "something is left"
    );
}

#[test]
fn a_picture_may_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let run = |words: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fixstep"))
            .args(["run", path(&model), "--stop", "0.01"])
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(!folder.path().join("-").exists());
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    for (option, first, last) in [
        ("--plot", "<svg", "</svg>"),
        ("--report", "<!DOCTYPE html", "</html>"),
    ] {
        let (code, said) = run(&[option, "-"]);
        assert_eq!(code, Some(0));
        assert!(
            said.starts_with(first) && said.trim_end().ends_with(last),
            "{option}"
        );
        for other in [&["-o", "-"][..], &["--json"]] {
            let (code, said) = run(&[&[option, "-"], other].concat());
            assert_eq!((code, said.as_str()), (Some(2), ""), "{option} {other:?}");
        }
    }
    for words in [
        &["build", path(&model), "-o", "-"][..],
        &["ssp", "x.json", "-o", "-"],
    ] {
        let said = ends_with(2, words);
        assert!(said.contains("not written to standard output"), "{said}");
    }
}

/// Texts of an FMU and of its model are the same.
#[test]
fn a_text_that_is_asked_for_stands_in_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--stop", "0.002", "-o", "-", "--record", "solver.pattern"];
    let model = example("pendulum");
    let table = |file: &std::path::Path| succeeds(&[&["run", path(file)], &words[..]].concat());
    let expected = table(&model);
    let lines: Vec<&str> = expected.lines().collect();
    assert!(lines[0].ends_with(",solver.pattern"), "{expected}");
    let text = lines[1].rsplit(',').next().unwrap();
    assert!(text.starts_with("\"T") && text.ends_with('"'), "{expected}");
    for version in ["2", "3"] {
        assert_eq!(table(&pack(folder.path(), "pendulum", version)), expected);
    }
}

#[test]
fn times_far_from_zero_have_all_their_rows() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "2");
    for (start, stop) in [("1e6", "1000000.2"), ("1e9", "1000000000.2")] {
        for file in [&example("pendulum"), &fmu] {
            let times = ["--start-time", start, "--stop", stop, "--step", "1e-3"];
            let said = ends_with(0, &[&["run", path(file)], &times[..]].concat());
            assert!(
                said.contains(", 201 rows") && !said.contains("warning: the last"),
                "{said}"
            );
        }
    }
    let said = ends_with(1, &["run", path(&fmu), "--stop", "1", "--step", "5e-324"]);
    assert!(said.len() < 300, "{said}");
}
