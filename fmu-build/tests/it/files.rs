//! Tests of files beside a model, in a folder and in an FMU.

use fmu_build::archive::read::read;
use std::fs;
use std::path::Path;

use crate::setup::{ends_with, pack_model, path, store, succeeds};

const MODEL: &str = r#"{"fixstep": 1, "name": "table",
    "splines": [{"name": "curve", "file": "data/curve.csv", "x": "t"}],
    "outputs": [{"name": "y", "expression": "INTERP(TIME, 1, curve)"}],
    "experiment": {"stop": 1, "step": 0.25}}"#;

/// A model with a file beside it.
fn model(folder: &Path) -> std::path::PathBuf {
    fs::create_dir_all(folder.join("data")).unwrap();
    fs::write(folder.join("data/curve.csv"), "t,y\n0,1\n1,3\n").unwrap();
    let model = folder.join("any name.json");
    fs::write(&model, MODEL).unwrap();
    model
}

#[test]
fn a_model_runs_with_its_files_from_a_folder_and_from_an_fmu() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let mut packed = Vec::new();
    for version in ["2", "3", "3"] {
        let fmu = folder.path().join("table.fmu");
        succeeds(&["build", path(&model), "-o", path(&fmu), "--fmi", version]);
        packed.push(fs::read(&fmu).unwrap());
        for file in [&model, &fmu] {
            let said = succeeds(&["check", path(file)]);
            assert!(said.contains("no problems"), "{said}");
            let said = succeeds(&["run", path(file), "-o", "-"]);
            assert_eq!(said, "time,y\n0,1\n0.25,1.5\n0.5,2\n0.75,2.5\n1,3\n");
        }
        let inside = read(&fmu, "documentation/source/data/curve.csv").unwrap();
        assert_eq!(inside, b"t,y\n0,1\n1,3\n");
    }
    assert!(packed[1] == packed[2], "two builds differ");
    fs::remove_file(folder.path().join("data/curve.csv")).unwrap();
    for command in ["check", "run", "build"] {
        let said = ends_with(1, &[command, path(&model)]);
        assert!(
            said.contains("splines[0] \"curve\", field file: \"data/curve.csv\": there is no file"),
            "{said}"
        );
    }
}

/// A device or a pipe is written to, and a link stays a link: a file in their place would be the end of `/dev/null`.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_written_to_and_stays() {
    use std::os::unix::fs::FileTypeExt;
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let expected = succeeds(&["run", path(&model), "-o", "-"]);
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe)
    });
    succeeds(&["run", path(&model), "-o", path(&pipe)]);
    // A file in the pipe's place would leave the reader waiting.
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(reader.join().unwrap().unwrap(), expected);
    let (to, link) = (folder.path().join("to.csv"), folder.path().join("link.csv"));
    fs::write(&to, "old").unwrap();
    std::os::unix::fs::symlink(&to, &link).unwrap();
    succeeds(&["run", path(&model), "-o", path(&link)]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(to).unwrap(), expected);
}

/// Packs an FMU again with other bytes.
fn alter(fmu: &Path, change: impl Fn(&str, &mut Vec<u8>)) {
    let mut files = fmu_build::archive::write::Files::new();
    for entry in fmu_build::archive::read::entries(fmu).unwrap() {
        let mut bytes = fmu_build::archive::read::read(fmu, &entry.name).unwrap();
        change(&entry.name, &mut bytes);
        files.insert(entry.name, bytes);
    }
    store(&files, fmu);
}

#[test]
#[cfg(target_os = "linux")]
fn code_of_an_fmu_runs_where_that_is_asked_for_only() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = folder.path().join("table.fmu");
    pack_model(&model(folder.path()), &fmu, "3", false);
    succeeds(&["check", path(&fmu), "--load"]);
    // A library that asks for another, which is not there.
    alter(&fmu, |name, bytes| {
        if name.starts_with("binaries/") {
            let needed = b"libc.so.6\0";
            let at = bytes.windows(10).position(|ten| ten == needed).unwrap();
            bytes[at..at + 3].copy_from_slice(b"bil");
        }
    });
    let said = succeeds(&["check", path(&fmu)]);
    assert!(said.contains("no problems"), "{said}");
    let said = ends_with(1, &["check", path(&fmu), "--load"]);
    assert!(said.contains("bilc.so.6"), "{said}");
}

#[test]
fn a_library_that_is_cut_off_is_not_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = folder.path().join("table.fmu");
    pack_model(&model(folder.path()), &fmu, "3", false);
    alter(&fmu, |name, bytes| {
        if name.starts_with("binaries/") {
            bytes.truncate(bytes.len() / 2);
        }
    });
    for command in ["check", "run", "rti"] {
        let said = ends_with(1, &[command, path(&fmu)]);
        assert!(
            said.contains("table.so: is no library that can be loaded"),
            "{said}"
        );
    }
}

#[test]
fn a_file_that_was_exchanged_in_an_fmu_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let fmu = folder.path().join("table.fmu");
    pack_model(&model, &fmu, "3", false);
    alter(&fmu, |name, bytes| {
        if name == "documentation/source/data/curve.csv" {
            *bytes = b"t,y\n0,1\n1,4\n".to_vec();
        }
    });
    let said = ends_with(1, &["check", path(&fmu)]);
    assert!(said.contains("one of them was changed"), "{said}");
    // What runs is the mechanism.
    succeeds(&["run", path(&fmu)]);
}
