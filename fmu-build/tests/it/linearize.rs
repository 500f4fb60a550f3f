//! Tests of `fixstep linearize`: its text, its files, and its FMU compared with the mechanism.

use std::fs;

use fmu_build::csv::Table;
use serde_json::Value;

use crate::setup::{ends_with, example, pack, path, succeeds};

#[test]
fn text_and_json_have_operating_point_states_and_matrices() {
    let model = example("quarter_car");
    let said = succeeds(&["linearize", path(&model), "--static"]);
    for words in [
        "quarter_car at 0 s\n",
        "parameters: suspension_stiffness = 22 N/mm",
        "4 states, 2 inputs, 6 outputs; 2 positions",
        "part \"wheel\", displacement along z, rate [m/s]",
        "A (4 x 4)",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let json = |words: &[&str]| -> Value {
        let all = [&["linearize", path(&model), "--static", "--json"], words].concat();
        serde_json::from_str(&succeeds(&all)).unwrap()
    };
    let all = json(&[]);
    assert_eq!(all["point"]["parameters"][3]["value"], 320.0);
    // Springs of 22 and 190 N/mm on 320 and 45 kg.
    let row: Vec<f64> = serde_json::from_value(all["A"][3].clone()).unwrap();
    for (got, wanted) in row.iter().zip([22e3, -212e3, 1500.0, -1600.0]) {
        assert!((got * 45.0 - wanted).abs() < 1e-6, "{row:?}");
    }
    let some = json(&[
        "--inputs",
        "road",
        "--outputs",
        "wheel_load,body_height",
        "--damping",
        "off",
    ]);
    assert_eq!(some["outputs"][0]["name"], "wheel_load");
    assert_eq!(some["D"], serde_json::json!([[190.0], [0.0]]));
    let own = some["second_order"]["damping"][0][0].as_f64().unwrap();
    assert!(own.abs() < 1e-9, "{own}");
    let set = json(&["--set", "sprung_mass=500", "--set", "suspension_damping=0"]);
    assert_eq!(set["point"]["parameters"][3]["value"], 500.0);
    assert_eq!(set["second_order"]["mass"][0][0], 500.0);
    // An FMU of it gives the same.
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "quarter_car", "3");
    let packed = succeeds(&["linearize", path(&fmu), "--static", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&packed).unwrap(), all);
}

#[test]
fn names_that_are_not_there_are_told_before_anything_runs() {
    let model = example("quarter_car");
    for (words, told) in [
        (
            ["--inputs", "rode"],
            "--inputs: unknown input \"rode\"; known: road, road_rate",
        ),
        (["--outputs", "weel_load"], "did you mean \"wheel_load\"?"),
        (
            ["--outputs", "wheel_load,wheel_load"],
            "--outputs: \"wheel_load\" occurs twice",
        ),
        (
            ["--states", "body_hight"],
            "--states: unknown variable or output \"body_hight\"; did you mean \"body_height\"?",
        ),
        (
            ["--states", "wheel_load"],
            "--states: state \"wheel_load\" reads",
        ),
        (["--states", "body_height"], "chosen states: 1; needed: 2"),
    ] {
        let all = [&["linearize", path(&model)], &words[..]].concat();
        let said = ends_with(1, &all);
        assert!(said.contains(told), "{said}");
    }
    let said = ends_with(2, &["linearize", path(&model), "-o", "out.xyz"]);
    assert!(
        said.contains("--output out.xyz: the ending determines no format"),
        "{said}"
    );
    let said = ends_with(
        2,
        &[
            "linearize",
            path(&model),
            "-o",
            "a.npz",
            "-o",
            "b.mat",
            "--format",
            "oml",
        ],
    );
    assert!(said.contains("--format is for one --output"), "{said}");
    let said = ends_with(2, &["linearize", path(&model), "--fmu", path(&model)]);
    assert!(said.contains("--fmu would replace"), "{said}");
}

#[test]
fn outputs_of_the_model_may_be_the_states() {
    let model = example("quarter_car");
    let words = [
        "linearize",
        path(&model),
        "--static",
        "--states",
        "body_height,suspension_travel",
        "--json",
    ];
    let all: Value = serde_json::from_str(&succeeds(&words)).unwrap();
    assert_eq!(all["states"][1]["name"], "suspension_travel");
    assert_eq!(all["states"][2]["unit"], "mm/s");
    let row: Vec<f64> = serde_json::from_value(all["A"][2].clone()).unwrap();
    // Of the body's height in mm only the travel of the suspension tells, k/m and c/m.
    for (got, wanted) in row.iter().zip([0.0, -22e3, 0.0, -1500.0]) {
        assert!((got * 320.0 - wanted).abs() < 1e-6, "{row:?}");
    }
    assert_eq!(all["C"][0], serde_json::json!([1.0, 0.0, 0.0, 0.0]));
    assert_eq!(all["outputs"].as_array().unwrap().len(), 6);
    assert_eq!(all["point"]["outputs"].as_array().unwrap().len(), 6);
}

#[test]
fn endings_and_folders_say_where_files_go() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("all")).unwrap();
    let outs = [
        "rig.v2.mtx",
        "rig.a",
        "rig.npz",
        "rig.mat",
        "rig.json",
        "rig.mdl",
        "rig.oml",
    ]
    .map(at);
    let mut words = vec!["linearize", path(&model)];
    for out in &outs {
        words.extend(["-o", path(out)]);
    }
    let said = succeeds(&words);
    for name in [
        "rig.v2.A.mtx",
        "rig.v2.stiffness.mtx",
        "rig.v2.names.txt",
        "rig.a",
        "rig.d",
        "rig.names",
        "rig.npz",
    ] {
        assert!(at(name).is_file() && said.contains(name), "{name}\n{said}");
    }
    let all = at("all");
    succeeds(&[
        "linearize",
        path(&model),
        "-o",
        path(&all),
        "--format",
        "matrix-market",
    ]);
    assert!(at("all/E.mtx").is_file());
    let plain = at("plain.txt");
    succeeds(&[
        "linearize",
        path(&model),
        "-o",
        path(&plain),
        "--format",
        "matlab",
    ]);
    assert_eq!(fs::read(plain).unwrap(), fs::read(at("rig.mat")).unwrap());
}

#[test]
fn its_fmu_moves_as_the_mechanism_does_near_the_point() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let model = example("pendulum");
    let (fmu, input) = (at("linear.fmu"), at("in.csv"));
    fs::write(
        &input,
        "time,road,road_rate\n0,0,0\n0.1,0,0\n0.3,0.5,2.5\n0.3,0.5,0\n1,0.5,0\n",
    )
    .unwrap();
    let car = example("quarter_car");
    for version in ["2", "3"] {
        succeeds(&[
            "linearize",
            path(&car),
            "--static",
            "--fmu",
            path(&fmu),
            "--fmi",
            version,
        ]);
        let run = |file: &std::path::Path, out: &str, more: &[&str]| {
            let out = at(out);
            let words = [
                "run",
                path(file),
                "--input",
                path(&input),
                "--stop",
                "1",
                "--step",
                "0.001",
                "--no-trial",
                "-o",
            ];
            succeeds(&[&words[..], &[path(&out)], more].concat());
            Table::parse(&fs::read_to_string(out).unwrap()).unwrap()
        };
        let linear = run(&fmu, "linear.csv", &[]);
        let whole = run(&car, "whole.csv", &[]);
        let names: Vec<&String> = whole.names.iter().collect();
        assert_eq!(linear.names.iter().collect::<Vec<_>>(), names);
        for (k, name) in names.iter().enumerate() {
            let (linear, whole) = (&linear.columns[k], &whole.columns[k]);
            let range = whole
                .iter()
                .fold(0.0_f64, |most, x| most.max((x - whole[0]).abs()));
            assert!(range > 0.0, "{name} does not move");
            for (a, b) in linear.iter().zip(whole) {
                assert!(
                    (a - b).abs() < 2e-3 * range,
                    "{name}: {a} for {b}, range {range}"
                );
            }
        }
    }
    // Without outputs there is nothing to show.
    let text = fs::read_to_string(&model).unwrap();
    let mut without: Value = serde_json::from_str(&text).unwrap();
    without["outputs"] = serde_json::json!([]);
    let silent = at("silent.json");
    fs::write(&silent, without.to_string()).unwrap();
    let said = ends_with(1, &["linearize", path(&silent), "--fmu", path(&fmu)]);
    assert!(
        said.contains("--fmu: the linear form has no output"),
        "{said}"
    );
}

#[test]
fn a_saved_state_is_an_operating_point() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (model, state) = (example("pendulum"), at("state.bin"));
    let run = [
        "run",
        path(&model),
        "--stop",
        "0.2",
        "--set",
        "torque=3",
        "--no-trial",
    ];
    succeeds(&[&run[..], &["--save-state", path(&state)]].concat());
    let json = |words: &[&str]| -> Value {
        let all = [&["linearize", path(&model), "--json"], words].concat();
        serde_json::from_str(&succeeds(&all)).unwrap()
    };
    let saved = json(&["--state", path(&state)]);
    assert_eq!(saved, json(&["--at", "0.2", "--set", "torque=3"]));
    assert_eq!(saved["point"]["inputs"][0]["value"], 3.0);
    assert_ne!(saved["A"], json(&[])["A"]);
    // An FMU of the model has the same states.
    let fmu = pack(folder.path(), "pendulum", "3");
    let packed = succeeds(&["linearize", path(&fmu), "--json", "--state", path(&state)]);
    assert_eq!(serde_json::from_str::<Value>(&packed).unwrap(), saved);
    let chosen = json(&["--state", path(&state), "--states", "tip_x"]);
    assert_eq!(chosen["point"]["outputs"], saved["point"]["outputs"]);
    let other = example("quarter_car");
    let said = ends_with(1, &["linearize", path(&other), "--state", path(&state)]);
    assert!(
        said.contains("state.bin") && said.contains("is refused"),
        "{said}"
    );
    let said = ends_with(
        2,
        &[
            "linearize",
            path(&model),
            "--state",
            path(&state),
            "--at",
            "1",
        ],
    );
    assert!(said.contains("--at"), "{said}");
    // FMUs of both versions save the same state through their own functions.
    for version in ["2", "3"] {
        let fmu = pack(folder.path(), "pendulum", version);
        let own = at("own.bin");
        let mut run = run;
        run[1] = path(&fmu);
        succeeds(&[&run[..], &["--save-state", path(&own)]].concat());
        assert_eq!(json(&["--state", path(&own)]), saved);
    }
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (model, array, block) = (example("pendulum"), at("a.npz"), at("a.mdl"));
    let (fmu, free) = (at("a.fmu"), at("a.out"));
    for (code, words, told) in [
        (
            2,
            &["-o", path(&array), "--format", "matlab"][..],
            "the ending is that of numpy",
        ),
        (2, &["--fmi", "2"], "--fmu <OUT.fmu>"),
        (
            2,
            &["--json", "--report", "-"],
            "--report - and --json both write",
        ),
        (
            2,
            &["--second-order", "--fmu", path(&fmu)],
            "--second-order chooses what is printed",
        ),
        (
            2,
            &["--second-order", "-o", path(&block)],
            "--second-order chooses what is printed",
        ),
        (
            0,
            &["--second-order", "-o", path(&array), "--format", "numpy"],
            "a.npz",
        ),
        (0, &["-o", path(&free), "--format", "numpy"], "a.out"),
    ] {
        let said = ends_with(code, &[&["linearize", path(&model)], words].concat());
        assert!(said.contains(told), "{words:?}\n{said}");
    }
    // A block without inputs is none.
    let text = fs::read_to_string(&model).unwrap();
    let mut without: Value = serde_json::from_str(&text).unwrap();
    without["outputs"] = serde_json::json!([]);
    let silent = at("silent.json");
    fs::write(&silent, without.to_string()).unwrap();
    let said = ends_with(1, &["linearize", path(&silent), "-o", path(&block)]);
    assert!(
        said.contains("has no output, and a State-Space block needs both"),
        "{said}"
    );
    assert!(!block.exists());
}
