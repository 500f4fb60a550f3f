//! Control plane: tests of the checks with FMUs that are wrong on purpose.
#![expect(clippy::unwrap_used, reason = "tests")]

use fixstep_model::Model;
use tempfile::NamedTempFile;

use super::binary::tests::elf;
use super::*;
use crate::archive::write::{Files, write};
use crate::client::required;
use crate::layout::Platform;
use crate::package::library::Library;
use crate::package::{Packing, files};

const MODEL_TEXT: &str = r#"{"fixstep": 1, "name": "pendulum",
"parts": [{"name": "rod", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
"markers": [{"name": "pin", "part": "rod"}, {"name": "base", "part": "ground"}],
"joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "base"}],
"outputs": [{"name": "angle", "expression": "AZ(pin, base)", "unit": "rad"}]}"#;

fn packed(text: &str, version: FmiVersion, libraries: &[Library], protect: bool) -> Files {
    let packing = Packing {
        version,
        libraries,
        protect,
        terminals: true,
    };
    files(text, &Model::from_json(text).unwrap(), packing).unwrap()
}

fn good(version: FmiVersion) -> Files {
    let bytes = elf(required(version));
    let library = Library {
        platform: Platform::of_library(&bytes).unwrap(),
        bytes,
    };
    packed(MODEL_TEXT, version, &[library], false)
}

fn problems(files: &Files) -> Vec<String> {
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), write(files).unwrap()).unwrap();
    fmu(file.path(), false, false)
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn what_we_pack_has_no_problems() {
    for version in [FmiVersion::V2, FmiVersion::V3] {
        assert_eq!(problems(&good(version)), Vec::<String>::new());
    }
}

#[test]
fn names_are_those_of_the_version() {
    let names = |version| good(version).into_keys().collect::<Vec<_>>();
    let two = names(FmiVersion::V2);
    assert_eq!(
        two,
        [
            "binaries/linux64/pendulum.so",
            "documentation/index.html",
            "documentation/licenses/license.txt",
            "documentation/mechanism.png",
            "documentation/source/model.json",
            "extra/org.fmi-standard.fmi-ls-ref/experiments.xml",
            "extra/org.fmi-standard.fmi-ls-ref/fmi-ls-manifest.xml",
            "extra/org.fmi-standard.fmi-ls-ref/smoke-test.csv",
            "model.png",
            "modelDescription.xml",
            "resources/mechanism.bin",
            "terminalsAndIcons/icon.png",
            "terminalsAndIcons/icon.svg",
            "terminalsAndIcons/terminal.png",
            "terminalsAndIcons/terminal.svg",
            "terminalsAndIcons/terminalsAndIcons.xml",
        ]
    );
    let three = names(FmiVersion::V3);
    assert!(three.contains(&"binaries/x86_64-linux/pendulum.so".to_owned()));
    assert!(three.contains(&"terminalsAndIcons/icon.png".to_owned()));
    assert!(!three.contains(&"model.png".to_owned()));
}

#[test]
fn terminals_may_be_left_out() {
    let model = Model::from_json(MODEL_TEXT).unwrap();
    let bytes = elf(required(FmiVersion::V2));
    let library = Library {
        platform: Platform::of_library(&bytes).unwrap(),
        bytes,
    };
    let packing = Packing {
        version: FmiVersion::V2,
        libraries: &[library],
        protect: false,
        terminals: false,
    };
    let without = files(MODEL_TEXT, &model, packing).unwrap();
    let all = good(FmiVersion::V2);
    let gone = all.keys().filter(|name| !without.contains_key(*name));
    let gone: Vec<&str> = gone.map(String::as_str).collect();
    let pictures = ["png", "svg"].map(|it| format!("terminalsAndIcons/terminal.{it}"));
    assert_eq!(gone, [&pictures[0], &pictures[1], TERMINALS]);
    assert!(without.keys().all(|name| all.contains_key(name)));
    assert_eq!(problems(&without), Vec::<String>::new());
}

#[test]
fn a_changed_model_does_not_fit_its_description() {
    let mut files = good(FmiVersion::V3);
    let text = MODEL_TEXT.replace("\"mass\": 1", "\"mass\": 2");
    files.insert(MODEL.to_owned(), text.into_bytes());
    let found = problems(&files);
    assert!(
        found.len() == 1 && found[0].contains("one of them was changed"),
        "{found:?}"
    );
    files.insert(
        MODEL.to_owned(),
        MODEL_TEXT
            .replace("\"pin\", \"j\"", "\"pim\", \"j\"")
            .into_bytes(),
    );
    let found = problems(&files);
    assert!(
        found[0].contains("pim") && found[0].contains("documentation/source/model.json"),
        "{found:?}"
    );
}

#[test]
fn a_library_in_the_wrong_folder_or_of_another_name_is_found() {
    let mut files = good(FmiVersion::V2);
    let library = files.remove("binaries/linux64/pendulum.so").unwrap();
    assert!(problems(&files)[0].contains("neither binaries nor sources"));
    files.insert("binaries/win64/pendulum.dll".to_owned(), library.clone());
    assert!(problems(&files)[0].contains("is for linux64, not for win64"));
    files.insert("binaries/linux64/other.so".to_owned(), library);
    assert!(problems(&files)[0].contains("there is no library pendulum"));
}

#[test]
fn what_is_no_library_is_found_where_the_platform_is_known() {
    for (version, folder) in [
        (FmiVersion::V2, "linux64"),
        (FmiVersion::V3, "x86_64-linux"),
    ] {
        let mut files = good(version);
        let entry = format!("binaries/{folder}/pendulum.so");
        *files.get_mut(&entry).unwrap() = b"hello".to_vec();
        let found = problems(&files);
        assert!(
            found[0].contains(&entry) && found[0].contains("is no library for"),
            "{found:?}"
        );
        let library = files.remove(&entry).unwrap();
        files.insert("binaries/vax-vms/pendulum.so".to_owned(), library);
        assert_eq!(problems(&files), Vec::<String>::new());
    }
}

#[test]
fn an_empty_folder_is_no_platform() {
    let mut files = good(FmiVersion::V3);
    for name in [
        "binaries/",
        "binaries/x86_64-windows/",
        "binaries/aarch64-linux/sub/",
    ] {
        files.insert(name.to_owned(), Vec::new());
    }
    assert_eq!(problems(&files), Vec::<String>::new());
    files.remove("binaries/x86_64-linux/pendulum.so").unwrap();
    let found = problems(&files);
    assert!(
        found[0].contains("neither binaries nor sources"),
        "{found:?}"
    );
}

#[test]
fn a_library_without_functions_is_found() {
    let mut files = good(FmiVersion::V2);
    let entry = "binaries/linux64/pendulum.so";
    files.insert(entry.to_owned(), elf(&["fmi2GetVersion"]));
    let found = problems(&files);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with(&format!(
            "error: {entry}: does not export fmi2Instantiate, "
        )),
        "{found:?}"
    );
}

/// Whatever a run refuses of an archive.
#[test]
fn what_a_run_refuses_a_check_tells() {
    for (name, told) in [
        ("c:/x", "must stay below"),
        ("resources/a\0b", "must stay below"),
        ("resources", "\"resources\""),
        ("modelDescription.xml/x", "in the place of the file"),
    ] {
        let mut files = good(FmiVersion::V3);
        files.insert(name.to_owned(), b"text".to_vec());
        let found = problems(&files);
        assert!(
            found
                .iter()
                .any(|text| text.starts_with("error: ") && text.contains(told)),
            "{found:?}"
        );
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), write(&files).unwrap()).unwrap();
        assert!(Fmu::open(file.path()).is_err(), "{name}");
    }
    let mut files = good(FmiVersion::V3);
    files.insert("n".repeat(60_000), Vec::new());
    let found = problems(&files);
    assert_eq!(found.len(), 1, "{}", found.len());
    assert!(
        found[0].contains("the name is too long: 60000 bytes") && found[0].len() < 400,
        "{found:?}"
    );
    // A gigabyte, as the first file's records say.
    let mut bytes = write(&good(FmiVersion::V3)).unwrap();
    let central = bytes.windows(4).position(|four| four == b"PK\x01\x02");
    for at in [22, central.unwrap() + 24] {
        bytes[at..at + 4].copy_from_slice(&(1_u32 << 30).to_le_bytes());
    }
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let found = fmu(file.path(), false, false).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].place, "binaries/x86_64-linux/pendulum.so");
    assert!(
        found[0].message.contains("unpack to more than it may"),
        "{found:?}"
    );
}

#[test]
fn terminals_are_read() {
    for version in [FmiVersion::V2, FmiVersion::V3] {
        let sound = good(version);
        let text = String::from_utf8(sound[TERMINALS].clone()).unwrap();
        for (from, to, told) in [
            ("</fmiTerminalsAndIcons>", "", "not well-formed XML"),
            (
                "fmiVersion=\"3.0\"",
                "fmiVersion=\"2.0\"",
                "fmiVersion: \"2.0\"",
            ),
            (
                "variableName=\"angle\"",
                "variableName=\"angel\"",
                "did you mean \"angle\"?",
            ),
        ] {
            assert!(text.contains(from), "no {from} in {text}");
            let mut files = sound.clone();
            files.insert(TERMINALS.to_owned(), text.replace(from, to).into_bytes());
            let found = problems(&files);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(
                found[0].starts_with(&format!("error: {TERMINALS}: ")) && found[0].contains(told),
                "{found:?}"
            );
        }
        let mut files = sound.clone();
        files.insert(TERMINALS.to_owned(), vec![0xff, 0xfe]);
        assert!(problems(&files)[0].contains("is not UTF-8"));
    }
}

#[test]
fn a_misspelt_attribute_and_missing_companions_are_found() {
    let mut files = good(FmiVersion::V3);
    let xml = String::from_utf8(files["modelDescription.xml"].clone()).unwrap();
    let xml = xml.replace("canGetAndSetFMUState", "canGetAndSetFMUstate");
    files.insert("modelDescription.xml".to_owned(), xml.into_bytes());
    files.remove("documentation/licenses/license.txt");
    let found = problems(&files);
    assert!(
        found
            .iter()
            .any(|text| text.contains("canGetAndSetFMUstate")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|text| text.starts_with("warning: documentation/licenses")),
        "{found:?}"
    );
}

#[test]
fn the_page_tells_everything_and_escapes_it() {
    let text = MODEL_TEXT
        .replace("\"angle\"", "\"<b>\"")
        .replace("\"rod\"", "\"a & b\"");
    let files = packed(&text, FmiVersion::V3, &[], false);
    let page = String::from_utf8(files["documentation/index.html"].clone()).unwrap();
    assert!(
        page.contains("&lt;b&gt;") && page.contains("a &amp; b") && !page.contains("<code><b>")
    );
    for word in [
        "solver.fixit",
        "hinge",
        "revolute joint",
        "MIT OR Apache-2.0",
    ] {
        assert!(page.contains(word), "{word}");
    }
}
