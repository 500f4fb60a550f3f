//! Tests of the parts of an FMU that describe its model: the mechanism, a readable copy, or neither names nor copy.

use std::fs;
use std::path::Path;

use fixstep_variables::file::container::FORMAT;
use fmu_build::archive::read;
use fmu_build::archive::write::Files;
use fmu_build::package::{MECHANISM, MODEL};

use crate::setup::{ends_with, example, pack, pack_model, path, store, succeeds};

/// All files of an FMU.
fn files(fmu: &Path) -> Files {
    let names = read::entries(fmu).unwrap().into_iter().map(|e| e.name);
    names
        .map(|name| (name.clone(), read::read(fmu, &name).unwrap()))
        .collect()
}

/// The FMU with other files.
fn rewrite(fmu: &Path, change: impl FnOnce(&mut Files)) {
    let mut files = files(fmu);
    change(&mut files);
    store(&files, fmu);
}

#[test]
fn a_protected_fmu_runs_alike_and_tells_no_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["four_bar", "robot_arm_flexible_link"] {
        let open = pack(folder.path(), name, "3");
        let closed = folder.path().join(format!("{name}.closed.fmu"));
        let model = example(name);
        succeeds(&["build", path(&model), "-o", path(&closed), "--protect"]);
        let said = succeeds(&["check", path(&closed), "--load"]);
        assert!(!said.contains("error"), "{said}");
        let run = |fmu: &Path| succeeds(&["run", path(fmu), "--stop", "0.05", "-o", "-"]);
        assert!(run(&open) == run(&closed), "{name}: other results");
        let said = succeeds(&["inspect", path(&closed)]);
        assert!(said.contains("joint"), "{said}");
        let inside = files(&closed);
        assert!(!inside.contains_key(MODEL));
        // Names of elements that no variable bears.
        let text = fs::read_to_string(&model).unwrap();
        let tree: serde_json::Value = serde_json::from_str(&text).unwrap();
        let xml = String::from_utf8(inside["modelDescription.xml"].clone()).unwrap();
        let mut looked = 0;
        for list in ["parts", "markers", "joints"] {
            for entry in tree[list].as_array().into_iter().flatten() {
                let own = entry["name"].as_str().unwrap();
                if own.len() < 5 || xml.contains(own) {
                    continue;
                }
                looked += 1;
                // The library is that of all models.
                let of_model = |(file, _): &(&String, _)| !file.starts_with("binaries/");
                for (file, bytes) in inside.iter().filter(of_model) {
                    let found = bytes.windows(own.len()).any(|w| w == own.as_bytes());
                    assert!(!found, "{own} stands in {file}");
                }
            }
        }
        assert!(looked > 3, "{name}: {looked}");
    }
}

#[test]
fn another_format_is_refused_naming_both() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "3");
    rewrite(&fmu, |files| {
        files.get_mut(MECHANISM).unwrap()[8..12].copy_from_slice(&77_u32.to_le_bytes());
    });
    for command in ["check", "run"] {
        let said = ends_with(1, &[command, path(&fmu)]);
        let both =
            said.contains("version 77") && said.contains(&format!("reads version {FORMAT};"));
        assert!(both, "{command}: {said}");
    }
    let said = succeeds(&["inspect", path(&fmu)]);
    assert!(said.contains("version 77"), "{said}");
}

#[test]
fn a_copy_that_gives_another_mechanism_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "2");
    let said = succeeds(&["check", path(&fmu)]);
    assert!(said.contains("no problems"), "{said}");
    rewrite(&fmu, |files| {
        let copy = String::from_utf8(files[MODEL].clone()).unwrap();
        let other = copy.replace("\"mass\": 1.0", "\"mass\": 1.5");
        assert_ne!(copy, other);
        files.insert(MODEL.to_owned(), other.into_bytes());
    });
    let said = ends_with(1, &["check", path(&fmu)]);
    assert!(said.contains("one of them was changed"), "{said}");
    rewrite(&fmu, |files| {
        let bytes = files.get_mut(MECHANISM).unwrap();
        let last = bytes.len() - 20;
        bytes[last] ^= 1;
    });
    let said = ends_with(1, &["check", path(&fmu)]);
    assert!(said.contains("the file was changed"), "{said}");
}

#[test]
fn an_fmu_of_before_is_told_how_to_be_renewed() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "2");
    rewrite(&fmu, |files| {
        let copy = files.remove(MODEL).unwrap();
        files.remove(MECHANISM);
        files.insert("resources/model.json".to_owned(), copy);
    });
    for command in ["check", "inspect"] {
        let said = succeeds(&[command, path(&fmu)]);
        let both = said.contains("an earlier version") && said.contains("fixstep build");
        assert!(both, "{command}: {said}");
    }
    // Its library would be that of before; ours says what is missing.
    let said = ends_with(1, &["run", path(&fmu)]);
    assert!(
        said.contains("mechanism.bin") && said.contains("build it again"),
        "{said}"
    );
}

#[test]
fn messages_of_a_protected_fmu_number_its_elements() {
    let folder = tempfile::tempdir().unwrap();
    // One hinge more than a plane four-bar can have: one row is redundant, and the notes say whose.
    let model = example("bricard");
    let closed = folder.path().join("closed.fmu");
    pack_model(&model, &closed, "3", true);
    let named = succeeds(&["inspect", path(&model)]);
    let numbered = succeeds(&["inspect", path(&closed)]);
    let note = |said: &str| {
        let mut lines = said.lines().filter(|line| line.contains("redundant"));
        lines.next().unwrap().to_owned()
    };
    assert!(note(&named).contains("joint \""), "{}", note(&named));
    let told = note(&numbered);
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let number = told.split("joint ").nth(1).is_some_and(is_number);
    assert!(number, "{told}");
}

#[test]
fn a_protected_fmu_keeps_warnings_and_their_answers() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(example("quarter_car")).unwrap();
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    let check = |name: &str, model: &serde_json::Value| {
        let (file, fmu) = (
            folder.path().join(format!("{name}.json")),
            folder.path().join(format!("{name}.fmu")),
        );
        std::fs::write(&file, model.to_string()).unwrap();
        pack_model(&file, &fmu, "3", true);
        succeeds(&["run", path(&fmu), "--stop", "0.01"]);
        succeeds(&["check", path(&fmu)])
    };
    // Answered: a strict model starts.
    model["lint"]["strict"] = true.into();
    let said = check("answered", &model);
    assert!(said.contains("no problems"), "{said}");
    // Not answered: the warnings are those of the model, of a number instead of a name.
    model.as_object_mut().unwrap().remove("lint");
    let said = check("open", &model);
    for rule in ["[if-in-force]", "[kink-in-force]"] {
        assert!(said.contains(rule), "{rule}: {said}");
    }
    let force = model["forces"][0]["name"].as_str().unwrap();
    assert!(!said.contains(force), "{said}");
}

#[test]
fn a_description_of_other_numbers_is_found() {
    let folder = tempfile::tempdir().unwrap();
    for (version, protect) in [("2", false), ("3", true)] {
        let fmu = folder.path().join(format!("changed.{version}.fmu"));
        pack_model(&example("quarter_car"), &fmu, version, protect);
        let said = succeeds(&["check", path(&fmu)]);
        assert!(said.contains("no problems"), "{said}");
        rewrite(&fmu, |files| {
            let text = files.get_mut("modelDescription.xml").unwrap();
            let xml = String::from_utf8(text.clone()).unwrap();
            let changed = xml.replacen("stepSize=\"0.001\"", "stepSize=\"0.002\"", 1);
            assert_ne!(changed, xml);
            *text = changed.into_bytes();
        });
        let said = ends_with(1, &["check", path(&fmu)]);
        let both = said.contains("0.002") && said.contains("0.001") && said.contains("line ");
        assert!(both, "{said}");
        let said = succeeds(&["inspect", path(&fmu)]);
        assert!(said.contains("do not belong together"), "{said}");
    }
}

#[test]
fn swapped_mechanisms_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = pack(folder.path(), "pendulum", "3");
    let other = pack(folder.path(), "four_bar", "3");
    let theirs = read::read(&other, MECHANISM).unwrap();
    rewrite(&fmu, |files| {
        files.insert(MECHANISM.to_owned(), theirs);
    });
    for (code, command) in [(1, "check"), (0, "inspect"), (1, "run")] {
        let said = ends_with(code, &[command, path(&fmu)]);
        assert!(said.contains("belong together"), "{command}: {said}");
    }
}
