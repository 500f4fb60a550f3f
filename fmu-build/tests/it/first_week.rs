//! Tests of the usual mistakes of a first week: each gives one message that says where it is, what is wrong and what to
//! write instead.
//!
//! `tests/first_week` has a sound model and the changes that spoil it, in the form that `tests/patched.rs` reads. The `files`
//! of a case are beside its model. `fixstep check` is run, or the `command` of the case. It must give exactly the errors
//! and warnings that the case lists: one mistake gives one message.

use std::fs;
use std::path::Path;

use serde_json::Value;

#[path = "../../../tests/patched.rs"]
mod patched;

use crate::setup::{fixstep, path};

/// The differences between the program's output and the expected output of a case; empty if there are none.
fn fault((case, text): &(Value, String), folder: &Path) -> Option<String> {
    let model = folder.join("model.json");
    fs::write(&model, text).unwrap();
    for (name, text) in case["files"].as_object().into_iter().flatten() {
        fs::write(folder.join(name), text.as_str().unwrap()).unwrap();
    }
    let words: Vec<String> = match case["command"].as_array() {
        None => vec!["check".to_owned(), path(&model).to_owned()],
        Some(words) => words
            .iter()
            .map(|word| {
                let word = word.as_str().unwrap().replace("MODEL", path(&model));
                word.replace("FOLDER", path(folder))
            })
            .collect(),
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = fixstep(&words);
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let said = String::from_utf8(said).unwrap();
    let is_message = |line: &&str| line.starts_with("error: ") || line.starts_with("warning: ");
    let found: Vec<&str> = said.lines().filter(is_message).collect();
    let fails = found.iter().any(|line| line.starts_with("error: "));
    let sound = patched::says(case, &found) && output.status.code() == Some(i32::from(fails));
    (!sound).then(|| format!("{}: expected {}\n{said}", case["mistake"], case["says"]))
}

#[test]
fn every_mistake_gives_one_message_that_says_where_what_and_how_to_mend() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/first_week");
    let mut cases = patched::cases(&data);
    assert!(cases.len() > 100, "{}", cases.len());
    // The model itself has nothing wrong.
    for (_, text) in patched::bases(&data) {
        cases.push((serde_json::json!({"mistake": "none", "says": []}), text));
    }
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let folder = tempfile::tempdir().unwrap();
            fault(case, folder.path())
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
