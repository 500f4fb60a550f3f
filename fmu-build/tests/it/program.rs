//! Tests of the commands build, check, run and inspect.

use std::fs;

use fmu_build::csv::Table;

use crate::setup::{build, ends_with, example, fixstep, pack, pack_model, path, succeeds};

#[test]
fn the_same_model_is_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["2", "3"] {
        let first = fs::read(build(folder.path(), "pendulum", version)).unwrap();
        let second = fs::read(build(folder.path(), "pendulum", version)).unwrap();
        assert!(first == second, "FMI {version}: two builds differ");
    }
}

#[test]
fn packed_examples_have_no_problems() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["pendulum", "quarter_car", "four_bar"] {
        for version in ["2", "3"] {
            let fmu = build(folder.path(), name, version);
            let said = succeeds(&["check", path(&fmu), "--load"]);
            assert!(said.contains("no problems"), "{said}");
        }
    }
}

#[test]
fn an_fmu_gives_the_same_bits_as_its_model() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("road.csv");
    fs::write(
        &input,
        "time,road,road_rate\n0,0,0\n0.1,0,500\n0.2,50,500\n0.2,50,0\n1,50,0\n",
    )
    .unwrap();
    let table = |name: &str, file: &std::path::Path| {
        let out = folder.path().join(name);
        succeeds(&[
            "run",
            path(file),
            "--stop",
            "0.5",
            "--step",
            "0.002",
            "-o",
            path(&out),
            "--input",
            path(&input),
            "--set",
            "suspension_stiffness=30",
            "--set",
            "solver.integrator=gstiff",
            "--set",
            "solver.hratio=2",
            "--record",
            "energy.*",
        ]);
        fs::read_to_string(out).unwrap()
    };
    let model = table("model.csv", &example("quarter_car"));
    assert_eq!(model.lines().count(), 252);
    assert!(model.starts_with("time,body_height,"), "{model:.100}");
    for version in ["2", "3"] {
        let fmu = table("fmu.csv", &pack(folder.path(), "quarter_car", version));
        assert!(fmu == model, "FMI {version} differs from the model");
    }
    let rows: Vec<&str> = model.lines().collect();
    assert_ne!(
        rows[20].split(',').nth(1),
        rows[250].split(',').nth(1),
        "the road does nothing"
    );
}

#[test]
fn names_of_folders_may_be_anything() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("a b%20ü");
    fs::create_dir(&odd).unwrap();
    for version in ["2", "3"] {
        let fmu = pack(&odd, "pendulum", version);
        succeeds(&["run", path(&fmu), "--stop", "0.01"]);
    }
}

#[test]
fn a_run_writes_table_picture_and_summary() {
    let folder = tempfile::tempdir().unwrap();
    let (csv, svg) = (folder.path().join("out.csv"), folder.path().join("out.svg"));
    let model = example("pendulum");
    let out = succeeds(&[
        "run",
        path(&model),
        "--stop",
        "1",
        "-o",
        path(&csv),
        "--plot",
        path(&svg),
        "--json",
    ]);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["rows"], 1001);
    let last = fs::read_to_string(&csv).unwrap();
    let last = last.lines().last().unwrap();
    let angle: f64 = last.split(',').nth(1).unwrap().parse().unwrap();
    assert_eq!(summary["columns"][0]["last"].as_f64(), Some(angle));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    // The table alone on standard output.
    let out = succeeds(&["run", path(&model), "--stop", "0.01", "-o", "-"]);
    assert_eq!(out.lines().count(), 12);
    assert!(out.starts_with("time,"));
}

#[test]
fn people_see_display_units_and_programs_ask_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let model = example("pendulum");
    for file in [model, pack(folder.path(), "pendulum", "2")] {
        let (plain, shown, svg) = (at("plain.csv"), at("shown.csv"), at("out.svg"));
        let run =
            |words: &[&str]| succeeds(&[&["run", path(&file), "--stop", "0.1"], words].concat());
        let said = run(&["-o", path(&plain), "--plot", path(&svg)]);
        run(&["-o", path(&shown), "--display-units"]);
        let read =
            |file: &std::path::Path| Table::parse(&fs::read_to_string(file).unwrap()).unwrap();
        let (plain, shown) = (read(&plain), read(&shown));
        assert_eq!(plain.names[..2], ["time", "angle"]);
        assert_eq!(shown.names[..2], ["time", "angle [deg]"]);
        assert_eq!(plain.columns[0], shown.columns[0]);
        for (radians, degrees) in plain.columns[1].iter().zip(&shown.columns[1]) {
            assert!((radians.to_degrees() - degrees).abs() < 1e-9);
        }
        // The summary and the picture are for people.
        let line = said.lines().find(|line| line.starts_with("  angle"));
        let words: Vec<&str> = line.unwrap().split_whitespace().collect();
        let last: f64 = words[1].parse().unwrap();
        assert!(
            (last - shown.columns[1][100]).abs() < 1e-4 * last.abs(),
            "{said}"
        );
        assert_eq!(words[4], "deg");
        assert!(fs::read_to_string(svg).unwrap().contains("angle [deg]"));
        // A summary for programs is in the declared unit, unless they ask.
        let unit = |words: &[&str]| {
            let json: serde_json::Value = serde_json::from_str(&run(words)).unwrap();
            json["columns"][0]["unit"].as_str().unwrap().to_owned()
        };
        assert_eq!(unit(&["--json"]), "rad");
        assert_eq!(unit(&["--json", "--display-units"]), "deg");
    }
}

#[test]
fn wrong_words_end_with_two_and_wrong_files_with_one() {
    let model = example("pendulum");
    let model = path(&model);
    assert!(ends_with(2, &["run"]).contains("Usage"));
    assert!(ends_with(2, &["run", model, "--stop", "soon"]).contains("soon"));
    assert!(ends_with(2, &["run", model, "--set", "a"]).contains("NAME=VALUE"));
    assert!(ends_with(1, &["run", "missing.json"]).contains("missing.json"));
    assert!(ends_with(2, &["run", model, "--step", "-1"]).contains("above 0"));
    let said = ends_with(1, &["run", model, "--set", "pin_dampnig=1"]);
    assert!(said.contains("did you mean \"pin_damping\"?"), "{said}");
    let said = ends_with(1, &["run", model, "--set", "solver.fixit=11"]);
    assert!(said.contains("solver.fixit"), "{said}");
}

/// A step that cannot be trusted ends the run with the rows before it, a reason, and the exit code of a failure.
#[test]
fn a_run_that_the_guard_stops_ends_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("pendulum.json");
    let text = fs::read_to_string(example("pendulum")).unwrap();
    let mut tree: serde_json::Value = serde_json::from_str(&text).unwrap();
    // A user who thinks in milliseconds enters a step of 1.
    tree["experiment"] = serde_json::json!({"start": 0, "stop": 100, "step": 1});
    fs::write(&model, tree.to_string()).unwrap();
    let said = ends_with(1, &["run", path(&model), "-o", "-"]);
    for word in [
        "joint \"pin\"",
        "the run stops at time 0 s",
        "limit 0.1",
        "smaller step",
        "solver.guard.violation",
    ] {
        assert!(said.contains(word), "no {word}: {said}");
    }
    tree["solver"]["guard"] = "off".into();
    fs::write(&model, tree.to_string()).unwrap();
    let said = succeeds(&["run", path(&model), "-o", "-"]);
    assert!(!said.contains("the run stops"), "{said}");
}

#[test]
fn a_broken_model_shows_all_problems() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.json");
    let text = fs::read_to_string(example("pendulum")).unwrap();
    let text =
        text.replacen("\"mass\": 1", "\"mass\": -1", 1)
            .replacen("ground_pin", "grond_pin", 1);
    fs::write(&broken, text).unwrap();
    let said = ends_with(1, &["check", path(&broken)]);
    assert!(
        said.contains("mass") && said.contains("grond_pin"),
        "{said}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&ends_with(1, &["check", path(&broken), "--json"])).unwrap();
    assert_eq!(json["ok"], false);
    assert!(json["problems"].as_array().unwrap().len() >= 2, "{json}");
    assert!(ends_with(1, &["build", path(&broken)]).contains("is not a valid model"));
}

/// The summary of a model is above the verdict; it shows gravity that points up and a missing joint.
#[test]
fn a_check_tells_what_the_model_amounts_to() {
    let folder = tempfile::tempdir().unwrap();
    let altered = folder.path().join("altered.json");
    let told = |change: &dyn Fn(&mut serde_json::Value)| {
        let text = fs::read_to_string(example("pendulum")).unwrap();
        let mut model = serde_json::from_str(&text).unwrap();
        change(&mut model);
        fs::write(&altered, model.to_string()).unwrap();
        let said = succeeds(&["check", path(&altered)]);
        let line = said
            .lines()
            .find(|line| line.contains("; starts "))
            .unwrap();
        line.split_once("json: ").unwrap().1.to_owned()
    };
    let still = "1 body of 1 kg, 1 degree of freedom; gravity 9.81 m/s^2 along -z; starts at rest";
    assert_eq!(told(&|_| ()), still);
    let up = told(&|model| model["gravity"] = serde_json::json!([0, 0, 9.81]));
    assert_eq!(up, still.replace("-z", "+z"));
    let none = told(&|model| model["gravity"] = serde_json::json!([0, 0, 0]));
    assert_eq!(
        none,
        still.replace("gravity 9.81 m/s^2 along -z", "no gravity")
    );
    let tilted = told(&|model| model["gravity"] = serde_json::json!([1, 0, -9.76]));
    assert!(tilted.contains("gravity [1, 0, -9.76] m/s^2"), "{tilted}");
    let moving =
        told(&|model| model["joints"][0]["initial"] = serde_json::json!({"angular_velocity": 1}));
    assert_eq!(moving, still.replace("at rest", "in motion"));
    let loose = told(&|model| model["joints"][0]["type"] = serde_json::json!("spherical"));
    assert_eq!(loose, still.replace("1 degree", "3 degrees"));
    // A closed chain in space, whose joints hold some directions twice.
    let said = succeeds(&["check", path(&example("four_bar")), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(json["overview"]["degrees_of_freedom"], 1);
    assert_eq!(json["overview"]["bodies"], 3);
}

/// Settings that a fixed step ignores are reported if a model gives them, and refused if they are invalid.
#[test]
fn settings_without_effect_are_said_by_check_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(example("pendulum")).unwrap();
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    let file = folder.path().join("pendulum.json");
    model["solver"]["error"] = 1e-3.into();
    model["solver"]["kmax"] = 2.into();
    model["solver"]["hinit"] = 1.into();
    fs::write(&file, model.to_string()).unwrap();
    let place = ": solver, field";
    let checked = succeeds(&["check", path(&file)]);
    let run = ends_with(0, &["run", path(&file), "--stop", "0.01"]);
    for said in [checked, run] {
        let lines = said
            .lines()
            .filter(|line| line.contains("[ignored-setting]"));
        assert_eq!(lines.count(), 3, "{said}");
        for line in [
            format!("{place} error: solver.error has no effect with a fixed step"),
            format!("{place} kmax: solver.kmax has no effect with a fixed step"),
            format!(
                "{place} hinit: solver.hinit = 1 s is above the integration step, and is reset to it"
            ),
        ] {
            assert!(said.contains(&line), "{said}");
        }
    }
    model["solver"]["kmax"] = 9.into();
    fs::write(&file, model.to_string()).unwrap();
    let said = ends_with(1, &["check", path(&file)]);
    assert!(
        said.contains("solver, field kmax: must be from 1 to 6; found 9"),
        "{said}"
    );
}

#[test]
fn inspect_names_the_modes_that_lose_their_inertia() {
    let model = example("flexible_slider_crank");
    let told = "flexible body \"rod\": modes above the dynamic limit of 500.0 Hz";
    let said = succeeds(&["inspect", path(&model)]);
    assert!(
        said.contains(told) && said.contains(" 3 (1168.9 Hz), "),
        "{said}"
    );
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "flexible_slider_crank", "3");
    let said = succeeds(&["inspect", path(&fmu)]);
    assert!(said.contains(told), "{said}");
    let said = ends_with(
        0,
        &[
            "run",
            path(&model),
            "--stop",
            "0.01",
            "--set",
            "solver.hratio=4",
            "--log",
        ],
    );
    assert!(said.contains("limit of 2000.0 Hz"), "{said}");
}

#[test]
fn inspect_counts_degrees_of_freedom() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let fmu = pack(folder.path(), "pendulum", "3");
    for file in [&model, &fmu] {
        let out = succeeds(&["inspect", path(file), "--json"]);
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(json["mechanism"]["gruebler_count"], 1);
        assert_eq!(json["mechanism"]["bodies"][0]["name"], "rod");
    }
    let out = succeeds(&["inspect", path(&fmu)]);
    assert!(
        out.contains("binaries/") && out.contains("FMI 3.0"),
        "{out}"
    );
    let four_bar = example("four_bar");
    let out = succeeds(&["inspect", path(&four_bar)]);
    assert!(
        out.contains("Notes of the solver"),
        "a planar four-bar has redundant constraints: {out}"
    );
}

#[test]
fn the_schema_knows_the_entities() {
    let schema: serde_json::Value = serde_json::from_str(&succeeds(&["schema"])).unwrap();
    for entity in ["parts", "joints", "forces", "outputs"] {
        assert!(schema["properties"].get(entity).is_some(), "{entity}");
    }
}

#[test]
fn a_run_that_maxerr_stops_fails_but_keeps_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (
        folder.path().join("jump.csv"),
        folder.path().join("out.csv"),
    );
    fs::write(&input, "time,road\n0,0\n0.1,0\n0.1,100\n").unwrap();
    let model = example("quarter_car");
    let mut tables = Vec::new();
    for file in [
        model,
        pack(folder.path(), "quarter_car", "2"),
        pack(folder.path(), "quarter_car", "3"),
    ] {
        let words = [
            "run",
            path(&file),
            "--input",
            path(&input),
            "--set",
            "solver.maxerr=0.01",
        ];
        let said = ends_with(1, &[&words[..], &["-o", path(&out)]].concat());
        assert!(
            said.contains("wheel") && said.contains("solver.maxerr"),
            "{said}"
        );
        assert_eq!(said.matches("local error").count(), 1, "told twice: {said}");
        tables.push(fs::read_to_string(&out).unwrap());
    }
    assert!(
        tables[0].lines().last().unwrap().starts_with("0.1,"),
        "{}",
        tables[0]
    );
    assert!(tables.windows(2).all(|pair| pair[0] == pair[1]));
}

/// An arm and a rod, pulled out by a cart that is driven farther than they reach.
const BEYOND_REACH: &str = r#"{"fixstep": 1, "name": "reach",
    "parts": [
        {"name": "arm", "mass": 1, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "position": [0.5, 0.5, 0]},
        {"name": "cart", "mass": 1, "inertia": {"xx": 0.1, "yy": 0.1, "zz": 0.1}, "position": [1, 0, 0]}],
    "markers": [
        {"name": "hub", "part": "arm", "position": [-0.5, -0.5, 0]},
        {"name": "tip", "part": "arm"},
        {"name": "eye", "part": "cart"},
        {"name": "slide", "part": "cart", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
        {"name": "rail", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}],
    "joints": [
        {"name": "hub", "type": "revolute", "i": "hub", "j": "ground"},
        {"name": "rail", "type": "translational", "i": "slide", "j": "rail"},
        {"name": "rod", "type": "distance", "i": "tip", "j": "eye"}],
    "motions": [{"name": "pull", "joint": "rail", "displacement": "1 + TIME"}],
    "outputs": [{"name": "x", "expression": "DX(eye)"}],
    "experiment": {"stop": 0.5, "step": 0.001}}"#;

#[test]
fn a_mechanism_that_comes_apart_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("reach.json");
    fs::write(&model, BEYOND_REACH).unwrap();
    let mut files = vec![model.clone()];
    for version in ["2", "3"] {
        let fmu = folder.path().join(format!("reach.{version}.fmu"));
        pack_model(&model, &fmu, version, false);
        files.push(fmu);
    }
    for file in &files {
        let output = fixstep(&["run", path(file)]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        // The rod is stretched from x = √2 on.
        assert!(said.contains("the run stops at time 0.414 s"), "{said}");
        assert!(said.contains("forces on part \"arm\""), "{said}");
        assert!(said.contains("cannot be reached"), "{said}");
        assert!(said.contains("solver.guard.residual"), "{said}");
        // Where it still reaches, there is nothing to say.
        let output = fixstep(&["run", path(file), "--stop", "0.4", "--no-trial"]);
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}
