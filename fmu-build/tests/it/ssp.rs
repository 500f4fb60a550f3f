//! Tests of systems of FMUs: packing, checking, running.

use std::fs;
use std::path::{Path, PathBuf};

use fmu_build::archive::write::write;
use fmu_build::csv::Table;
use model_description::ssp::{Component, DESCRIPTION, System};
use serde_json::{Value, json};

use crate::setup::{ends_with, example, pack_model, path, succeeds};

/// The example's description, changed.
fn system(folder: &Path, change: impl FnOnce(&mut Value)) -> PathBuf {
    let models = example("servo_axis").parent().unwrap().to_owned();
    let text = fs::read_to_string(models.join("system.json")).unwrap();
    let mut system: Value = serde_json::from_str(&text).unwrap();
    for component in system["components"].as_array_mut().unwrap() {
        let file = models.join(component["file"].as_str().unwrap());
        component["file"] = json!(path(&file));
    }
    change(&mut system);
    let file = folder.join("system.json");
    fs::write(&file, system.to_string()).unwrap();
    file
}

fn build(folder: &Path, system: &Path, version: &str) -> PathBuf {
    let file = folder.join(format!("{version}.ssp"));
    let said = succeeds(&["ssp", path(system), "-o", path(&file), "--fmi", version]);
    assert!(said.contains("checked"), "{said}");
    file
}

fn run(file: &Path, words: &[&str]) -> Table {
    let words = [&["run", path(file), "-o", "-"], words].concat();
    Table::parse(&succeeds(&words)).unwrap()
}

fn column<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    let at = table.names.iter().position(|known| known == name);
    assert!(at.is_some(), "no {name} in {:?}", table.names);
    &table.columns[at.unwrap()]
}

#[test]
fn a_system_runs_the_same_in_both_versions_and_comes_to_the_closed_loop() {
    let folder = tempfile::tempdir().unwrap();
    let system = system(folder.path(), |_| {});
    let file = build(folder.path(), &system, "3");
    let table = run(&file, &[]);
    assert_eq!(table, run(&build(folder.path(), &system, "2"), &[]));
    assert_eq!(table.rows(), 3001);
    // The parameter set is applied: it goes to 3 rad, not to 6.
    let end = column(&table, "controller.wanted_angle")[3000];
    assert!((end - 3.0).abs() < 1e-3, "{end}");
    let said = succeeds(&["inspect", path(&file)]);
    assert!(said.contains("axis.load_inertia"), "{said}");
    // A component's display unit is the system's.
    let table = run(&file, &["--stop", "0.1", "--display-units"]);
    assert!(
        table
            .names
            .contains(&"controller.wanted_angle [deg]".to_owned()),
        "{:?}",
        table.names
    );
    let said = ends_with(1, &["run", path(&file), "--set", "axis.command=1"]);
    assert!(said.contains("is computed"), "{said}");
    // What is exchanged once a step lags by a step: half the step is half the difference.
    let difference = |step: &str| {
        let times = ["--step", step, "--stop", "0.5"];
        let same = ["target=6", "kp=59.4", "torque_limit=14"].map(|it| format!("controller.{it}"));
        let load = ["axis.load_inertia=0.02", "axis.load_torque=0"].map(str::to_owned);
        let settings = same.iter().chain(&load);
        let settings = settings.flat_map(|setting| ["--set", setting.as_str()]);
        let words: Vec<&str> = times.into_iter().chain(settings).collect();
        let (one, two) = (run(&example("servo_axis"), &times), run(&file, &words));
        let (one, two) = (column(&one, "load_angle"), column(&two, "axis.load_angle"));
        assert_eq!(one.len(), two.len());
        let apart = one.iter().zip(two).map(|(one, two)| (one - two).abs());
        apart.fold(0.0, f64::max)
    };
    let (coarse, fine) = (difference("0.0005"), difference("0.00025"));
    assert!(coarse < 0.05 && coarse > 1e-6, "{coarse}");
    let order = (coarse / fine).log2();
    assert!(
        (order - 1.0).abs() < 0.15,
        "{coarse}, {fine}: order {order}"
    );
}

#[test]
fn all_problems_of_a_description_are_told_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut Value), parts: &[&str]| {
        let file = system(folder.path(), change);
        let out = folder.path().join("x.ssp");
        let said = ends_with(1, &["ssp", path(&file), "-o", path(&out)]);
        for part in parts {
            assert!(said.contains(part), "no {part:?} in\n{said}");
        }
        assert!(!out.exists());
    };
    refused(
        &|system| {
            system["connections"] = json!([
                {"from": "axis.motor_angel", "to": "controller.angle"},
                {"from": "controler.command", "to": "axis.command"},
                {"from": "axis.load_speed", "to": "controller.angle"},
                {"from": "axis.command", "to": "controller.angle"},
                {"from": "axis.load_angle", "to": "controller.angle"},
                {"from": "axis.motor_angle", "to": "controller.angle"},
            ]);
            system["parameters"] = json!({
                "axis.load_inertia": "heavy", "axis.torsion": 1, "kp": 2, "axis.load_torque": [1],
                "axis.solver.integrator": "RK4"
            });
        },
        &[
            "connections[0]: component \"axis\": unknown variable \"motor_angel\"; did you mean \"motor_angle\"?",
            "connections[1]: unknown component \"controler\"; did you mean \"controller\"?",
            "connections[2]: \"axis.load_speed\" to \"controller.angle\": the unit \"rad/s\" cannot be converted to \"rad\"",
            "connections[3]: \"axis.command\" is not an output",
            "connections[5]: \"controller.angle\" is connected already",
            "\"axis.load_inertia\": variable \"load_inertia\" (Float64): \"heavy\" is not a finite number",
            "\"axis.torsion\": is neither a parameter nor an input",
            "\"kp\": \"kp\" is not COMPONENT.VARIABLE",
            "\"axis.load_torque\": [1] is not a number",
            "\"RK4\" is not one of",
        ],
    );
    refused(
        &|system| {
            system["fixstep_system"] = json!(2);
            system["components"][0]["name"] = json!("the axis");
            system["components"][1]["name"] = json!("THE AXIS");
            system["experiment"] = json!({"start": 1, "stop": 0});
        },
        &[
            "2 is not 1",
            "letters, digits and _",
            "occurs twice",
            "stop 0 s is before start 1 s",
        ],
    );
    refused(
        &|system| system["components"][0]["file"] = json!("none.fmu"),
        &["component \"axis\"", "none.fmu"],
    );
    refused(
        &|system| system["signals"] = json!([]),
        &["unknown field `signals`"],
    );
}

/// Bounds of parameters are checked before anything is packed; values that only the FMU refuses are reported
/// completely too. An existing file is kept.
#[test]
fn values_out_of_range_are_all_told_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let model = json!({"fixstep": 1, "name": "m",
        "parameters": [{"name": "a", "start": 1, "min": 0, "max": 2},
            {"name": "b", "start": 1, "max": 2}, {"name": "c", "start": 1, "min": 0}],
        "outputs": [{"name": "y", "expression": "a + b + c"}],
        "experiment": {"stop": 1, "step": 0.25}});
    fs::write(folder.path().join("m.json"), model.to_string()).unwrap();
    let (file, out) = (
        folder.path().join("system.json"),
        folder.path().join("x.ssp"),
    );
    fs::write(&out, "there").unwrap();
    let said = |parameters: Value, code: i32| {
        let system = json!({"fixstep_system": 1, "name": "s",
            "components": [{"name": "m", "file": "m.json"}, {"name": "n", "file": "m.json"}],
            "parameters": parameters});
        fs::write(&file, system.to_string()).unwrap();
        ends_with(code, &["ssp", path(&file), "-o", path(&out)])
    };
    let text = said(
        json!({"m.a": 3, "m.b": 2.5, "m.c": -1, "m.solver.fixit": 99}),
        1,
    );
    for part in [
        "\"m.a\": 3 is out of range; valid: from 0 to 2",
        "\"m.b\": 2.5 is out of range; valid: from any to 2",
        "\"m.c\": -1 is out of range; valid: from 0 to any",
        "\"m.solver.fixit\": 99 is out of range; valid: from 1 to 10",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert_eq!(fs::read_to_string(&out).unwrap(), "there");
    // Only the FMU knows what a pattern is.
    let text = said(
        json!({"m.solver.pattern": "X:Y", "n.solver.pattern": "Z"}),
        1,
    );
    for part in [
        "component \"m\": ",
        "component \"n\": ",
        "x.ssp is not written",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert_eq!(fs::read_to_string(&out).unwrap(), "there");
    said(json!({"m.a": 2, "m.b": -5, "m.c": 0}), 0);
    assert!(fs::read(&out).unwrap().starts_with(b"PK"));
}

/// Outputs in millimetres are connected to inputs in metres; a packed FMU is a component without changes.
#[test]
fn units_are_converted_between_fmus() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: Value| {
        let file = folder.path().join(name);
        fs::write(&file, content.to_string()).unwrap();
        file
    };
    let model = |inputs: Value, outputs: Value| {
        json!({"fixstep": 1, "name": "m", "inputs": inputs, "outputs": outputs,
               "experiment": {"stop": 1, "step": 0.25}})
    };
    let ruler = model(
        json!([]),
        json!([{"name": "length", "expression": "1000*TIME", "unit": "mm"}]),
    );
    let ruler = write("ruler.json", ruler);
    let fmu = folder.path().join("ruler.fmu");
    pack_model(&ruler, &fmu, "3", false);
    write(
        "reader.json",
        model(
            json!([{"name": "length", "start": 0, "unit": "m"}]),
            json!([{"name": "seen", "expression": "length", "unit": "m"}]),
        ),
    );
    let system = json!({"fixstep_system": 1, "name": "s",
        "components": [{"name": "ruler", "file": "ruler.fmu"}, {"name": "reader", "file": "reader.json"}],
        "connections": [{"from": "ruler.length", "to": "reader.length"}],
        "experiment": {"stop": 1}});
    let file = build(folder.path(), &write("system.json", system), "3");
    let table = run(&file, &[]);
    assert_eq!(
        column(&table, "ruler.length"),
        [0.0, 250.0, 500.0, 750.0, 1000.0]
    );
    // The step before.
    assert_eq!(column(&table, "reader.seen"), [0.0, 0.0, 0.25, 0.5, 0.75]);
}

#[test]
fn what_is_not_in_the_archive_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.ssp");
    let refused = |source: &str, part: &str| {
        let system = System {
            name: "s".to_owned(),
            components: vec![Component {
                name: "a".to_owned(),
                source: source.to_owned(),
                ..Component::default()
            }],
            ..System::default()
        };
        let text = system.document("a test").into_bytes();
        let files = [(DESCRIPTION.to_owned(), text)].into_iter().collect();
        fs::write(&file, write(&files).unwrap()).unwrap();
        let said = ends_with(1, &["check", path(&file)]);
        assert!(said.contains(part), "{said}");
    };
    refused(
        "../x.fmu",
        "../x.fmu: is not the name of a file in the archive",
    );
    refused("/x.fmu", "/x.fmu: is not the name of a file in the archive");
    refused("resources/a.fmu", "component \"a\"");
    refused(DESCRIPTION, "component \"a\"");
}

#[test]
fn a_protected_system_tells_which_components_are_readable() {
    let folder = tempfile::tempdir().unwrap();
    let models = system(folder.path(), |_| {});
    let out = folder.path().join("protected.ssp");
    let said = ends_with(0, &["ssp", path(&models), "-o", path(&out), "--protect"]);
    assert!(!said.contains("warning"), "{said}");
    for (name, protect) in [("axis", false), ("controller", true)] {
        let model = example("servo_axis").with_file_name(format!("{name}.json"));
        let fmu = folder.path().join(format!("{name}.fmu"));
        pack_model(&model, &fmu, "3", protect);
    }
    let packed = system(folder.path(), |system| {
        for component in system["components"].as_array_mut().unwrap() {
            let name = component["name"].as_str().unwrap().to_owned();
            component["file"] = format!("{name}.fmu").into();
        }
    });
    let said = ends_with(0, &["ssp", path(&packed), "-o", path(&out), "--protect"]);
    assert!(said.contains("axis.fmu: --protect leaves"), "{said}");
    assert!(!said.contains("controller.fmu: --protect"), "{said}");
}
