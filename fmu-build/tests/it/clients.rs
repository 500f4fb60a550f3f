//! Tests of the client: several instances at once, and broken FMUs.

use std::fs;

use fmu_build::archive::write::{Files, write};
use fmu_build::client::Fmu;
use fmu_build::package::library::Library;
use fmu_build::package::{MECHANISM, Packing, files};
use fmu_build::run::{Outcome, Plan, run};
use fmu_build::slave::{Failure, LogLevel};
use model_description::parse::FmiVersion;

use crate::setup::{example, library, pack};

fn pendulum(version: FmiVersion) -> Files {
    let text = fs::read_to_string(example("pendulum")).unwrap();
    let model = fixstep_model::Model::from_json(&text).unwrap();
    files(
        &text,
        &model,
        Packing {
            version,
            libraries: &[Library::read(library()).unwrap()],
            protect: false,
            terminals: true,
        },
    )
    .unwrap()
}

/// The messages of the client about an FMU with these files.
fn complaint(files: &Files) -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), write(files).unwrap()).unwrap();
    let made =
        Fmu::open(file.path()).and_then(|fmu| fmu.instantiate("test", LogLevel::Errors).map(drop));
    made.map_err(|Failure(text)| text).unwrap_err()
}

fn trajectory(fmu: &Fmu, damping: &str) -> Outcome {
    let settings = vec![("pin_damping".to_owned(), damping.to_owned())];
    let plan = Plan {
        stop: Some(0.3),
        settings,
        ..Plan::default()
    };
    let mut instance = fmu.instantiate("one of many", LogLevel::All).unwrap();
    run(&mut instance, &plan, &mut |_, _| {}).unwrap()
}

#[test]
fn instances_on_many_threads_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["2", "3"] {
        let fmu = Fmu::open(&pack(folder.path(), "pendulum", version)).unwrap();
        let alone = [trajectory(&fmu, "0").table, trajectory(&fmu, "1").table];
        assert_ne!(alone[0], alone[1]);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|n| {
                    let (fmu, damping) = (&fmu, if n % 2 == 0 { "0" } else { "1" });
                    scope.spawn(move || trajectory(fmu, damping).table)
                })
                .collect();
            for (n, thread) in threads.into_iter().enumerate() {
                assert_eq!(thread.join().unwrap(), alone[n % 2]);
            }
        });
    }
}

#[test]
fn instances_may_be_stepped_in_turn() {
    use fmu_build::slave::{Slave, find};
    let folder = tempfile::tempdir().unwrap();
    let fmu = Fmu::open(&pack(folder.path(), "pendulum", "3")).unwrap();
    let mut instances: Vec<_> = (0..3)
        .map(|_| fmu.instantiate("twin", LogLevel::Errors).unwrap())
        .collect();
    let angle = find(fmu.description(), "angle").unwrap();
    let mut angles = Vec::new();
    for instance in &mut instances {
        instance.enter_initialization(0.0, None).unwrap();
        instance.exit_initialization().unwrap();
    }
    for n in 0..100 {
        for instance in &mut instances {
            instance.step(f64::from(n) * 1e-3, 1e-3).unwrap();
        }
    }
    for instance in &mut instances {
        instance.read(angle, &mut angles).unwrap();
    }
    assert!(
        angles[0] > 0.0
            && angles
                .iter()
                .all(|angle| angle.to_bits() == angles[0].to_bits())
    );
}

#[test]
fn a_wrong_token_is_explained() {
    for version in [FmiVersion::V2, FmiVersion::V3] {
        let mut files = pendulum(version);
        let other = fs::read_to_string(example("pendulum")).unwrap();
        let other = other.replace("\"mass\": 1", "\"mass\": 2");
        let other = fixstep_model::Model::from_json(&other).unwrap();
        let other = other.packed().unwrap();
        files.insert(MECHANISM.to_owned(), other.bytes);
        let text = complaint(&files);
        assert!(
            text.contains("returned NULL") && text.contains("oken"),
            "{text}"
        );
    }
}

#[test]
fn a_missing_model_or_library_is_explained() {
    let mut files = pendulum(FmiVersion::V3);
    files.remove(MECHANISM);
    let text = complaint(&files);
    assert!(text.contains("mechanism.bin"), "{text}");
    let mut files = pendulum(FmiVersion::V3);
    let name = files
        .keys()
        .find(|name| name.starts_with("binaries/"))
        .unwrap()
        .clone();
    files.insert(name.clone(), b"no library".to_vec());
    assert!(complaint(&files).contains("cannot be loaded"));
    files.remove(&name);
    assert!(complaint(&files).contains("no binary for this computer"));
}

#[test]
fn logs_arrive_with_their_categories() {
    let folder = tempfile::tempdir().unwrap();
    for version in ["2", "3"] {
        let fmu = Fmu::open(&pack(folder.path(), "pendulum", version)).unwrap();
        let messages = trajectory(&fmu, "0").messages;
        let report = messages
            .iter()
            .find(|message| message.text.contains("Real Time Index"));
        let report = report.expect("the report at the end");
        assert!(
            fmu.description().log_categories.contains(&report.category),
            "{report:?}"
        );
    }
}
