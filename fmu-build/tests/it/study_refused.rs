//! Tests of what `fixstep study` refuses: each message names the field, what is wrong and what would be valid.

use std::fs;

use crate::setup::{ends_with, example, path, succeeds};
use crate::study::describe;

const GOOD: &str = "run: {stop: 0.01}, method: \"grid\", vary: [{parameter: \"suspension_damping\", values: [1, 2]}],
  results: [{name: \"peak\", of: \"body_acceleration\", take: \"max\"}]";

/// What is changed in the description, and what the message has.
const WRONG: &[(&str, &str, &[&str])] = &[
    (
        "method: \"grid\", vary: [{parameter: \"suspension_damping\"",
        "method: \"one_at_a_time\", vary: [{setting: \"pattern\"",
        &["the model's own value", "\"T\"", "valid: words"],
    ),
    (
        "values: [1, 2]",
        "values: [\"HHT\"], relative: \"add\"",
        &["field relative", "numbers as values"],
    ),
    (
        "method: \"grid\"",
        "method: \"gird\"",
        &[": method: ", "\"gird\"", "grid, list"],
    ),
    (
        "method: \"grid\"",
        "method: \"grid\", runs: 3",
        &[": runs: ", "leave it out"],
    ),
    (
        "method: \"grid\"",
        "method: \"sobol\"",
        &["the field \"runs\" is missing"],
    ),
    (
        "method: \"grid\"",
        "method: \"sobol\", runs: 0",
        &[": runs: ", "from 1 to"],
    ),
    (
        "method: \"grid\"",
        "method: \"grid\", sed: 3",
        &[": sed: ", "did you mean \"seed\""],
    ),
    (
        "method: \"grid\"",
        "method: \"grid\", seed: -1",
        &[": seed: ", "whole number"],
    ),
    (
        "{stop: 0.01}",
        "{stp: 0.01}",
        &["run, field stp", "did you mean"],
    ),
    (
        "{stop: 0.01}",
        "{stop: \"soon\"}",
        &["run, field stop", "a number"],
    ),
    (
        "{stop: 0.01}",
        "{stop: 0.01, step: 0}",
        &["run, field step", "not above 0"],
    ),
    (
        "{stop: 0.01}",
        "{stop: 0.01, step: 3}",
        &["longer than the run"],
    ),
    ("{stop: 0.01}", "{mode: 3}", &["run, field mode", "a word"]),
    ("{stop: 0.01}", "{mode: \"quick\"}", &["mode", "quick"]),
    (
        "{stop: 0.01}",
        "{set: {a: []}}",
        &["run, field set", "\"a\""],
    ),
    ("{stop: 0.01}", "{input: \"none.csv\"}", &["none.csv"]),
    (
        "parameter: \"sus",
        "parametr: \"sus",
        &[
            "vary[0]",
            "valid: one of parameter, setting, input and path",
        ],
    ),
    (
        "parameter: \"sus",
        "input: \"road\", parameter: \"sus",
        &["more than one thing"],
    ),
    (
        "\"suspension_damping\"",
        "\"suspension_dampin\"",
        &["vary[0]", "did you mean \"suspension_damping\""],
    ),
    (
        "parameter: \"suspension_damping\"",
        "setting: \"fixt\"",
        &["unknown setting", "solver.fixit"],
    ),
    (
        "parameter: \"suspension_damping\"",
        "input: \"roat\"",
        &["unknown input", "\"road\""],
    ),
    (
        "parameter: \"suspension_damping\"",
        "path: \"parts/bode/mass\"",
        &["no element \"bode\"", "\"body\""],
    ),
    (
        "parameter: \"suspension_damping\"",
        "path: \"parts/body\"",
        &["is no number", "mass"],
    ),
    (
        "parameter: \"suspension_damping\"",
        "path: 7",
        &["field path", "parts/arm/mass"],
    ),
    (
        "values: [1, 2]",
        "values: []",
        &["field values", "not empty"],
    ),
    (
        "values: [1, 2]",
        "values: [1, \"HHT\"]",
        &["numbers and words are mixed"],
    ),
    (
        "values: [1, 2]",
        "from: 1, to: 2",
        &["the values are missing", "\"count\""],
    ),
    (
        "values: [1, 2]",
        "from: 0, to: 2, count: 3, spacing: \"logarithmic\"",
        &["has no logarithm"],
    ),
    (
        "values: [1, 2]",
        "values: [1], relative: \"ad\"",
        &["field relative", "add, multiply"],
    ),
    (
        "take: \"max\"",
        "take: \"maximum\"",
        &["field take", "absolute_max"],
    ),
    (
        "take: \"max\"",
        "take: \"at\"",
        &["the field \"time\" is missing"],
    ),
    (
        "take: \"max\"",
        "take: \"crossing\"",
        &["the field \"level\" is missing"],
    ),
    (
        "take: \"max\"",
        "take: \"band_rms\", from_hz: 5, to_hz: 2",
        &["field to_hz", "no band"],
    ),
    (
        "take: \"max\"",
        "take: \"max\", most: \"3 kg\"",
        &["\"3 kg\"", "mm/s2"],
    ),
    (
        "take: \"max\"",
        "take: \"max\", most: \"3\"",
        &["field most", "0.5 deg"],
    ),
    (
        "take: \"max\"",
        "take: \"max\", from: 2, to: 1",
        &["is not after"],
    ),
    (
        "\"body_acceleration\"",
        "\"DZ(nowhere)\"",
        &["field of", "nowhere"],
    ),
    (
        "name: \"peak\"",
        "name: \"run\"",
        &["two columns", "\"run\""],
    ),
    (
        "fixstep_study: 1",
        "fixstep_study: 2",
        &[": fixstep_study: ", "valid: 1"],
    ),
    (
        "results:",
        "series: [\"body_heigt\"], results:",
        &["series", "did you mean \"body_height\""],
    ),
];

#[test]
fn each_wrong_field_is_named_with_what_is_valid() {
    let folder = tempfile::tempdir().unwrap();
    for (from, to, wanted) in WRONG {
        let study = describe(folder.path(), "quarter_car", GOOD);
        let text = fs::read_to_string(&study).unwrap();
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{from}");
        fs::write(&study, changed).unwrap();
        let out = folder.path().join("out");
        let said = ends_with(1, &["study", path(&study), "-o", path(&out)]);
        assert!(
            wanted.iter().all(|part| said.contains(part)),
            "{to}: {said}"
        );
        assert!(!out.exists(), "{to}");
    }
}

#[test]
fn all_problems_are_told_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("s.json");
    fs::write(&study, "{\n  fixstep_study: 1,\n  name: 3,\n  model: \"a.json\",\n  method: \"grid\",\n  vary: [{}],\n}").unwrap();
    let said = ends_with(1, &["study", path(&study)]);
    for part in [
        "s.json:3:9: name: 3 is not valid",
        "s.json:6:10: vary[0]",
        "\"results\" is missing",
    ] {
        assert!(said.contains(part), "{said}");
    }
    fs::write(&study, "{\"name\": ").unwrap();
    assert!(ends_with(1, &["study", path(&study)]).contains("ends too early"));
    assert!(ends_with(1, &["study", path(&folder.path().join("none.json"))]).contains("none.json"));
}

#[test]
fn a_folder_belongs_to_one_study() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(folder.path(), "quarter_car", GOOD);
    let out = folder.path().join("out");
    let words = ["study", path(&study), "-o", path(&out)];
    succeeds(&words);
    let before = fs::read(out.join("runs.csv")).unwrap();
    describe(
        folder.path(),
        "quarter_car",
        &GOOD.replace("[1, 2]", "[1, 3]"),
    );
    let said = ends_with(1, &words);
    assert!(
        said.contains("what differs is vary") && said.contains("--fresh"),
        "{said}"
    );
    assert!(before == fs::read(out.join("runs.csv")).unwrap());
    succeeds(&[&words[..], &["--fresh"]].concat());
    // Limits do not belong to the rows.
    describe(
        folder.path(),
        "quarter_car",
        &GOOD
            .replace("[1, 2]", "[1, 3]")
            .replace("\"max\"", "\"max\", most: 0"),
    );
    assert!(succeeds(&words).contains("yield"));
    let said = ends_with(
        1,
        &["study", path(&study), "-o", path(folder.path()), "--fresh"],
    );
    assert!(
        said.contains("holds other files") && study.exists(),
        "{said}"
    );
    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("a.txt"), "mine").unwrap();
    let said = ends_with(1, &["study", path(&study), "-o", path(&foreign)]);
    assert!(said.contains("holds other files"), "{said}");
    let file = foreign.join("a.txt");
    ends_with(1, &["study", path(&study), "-o", path(&file)]);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    let said = ends_with(2, &["study", path(&study), "--one", "2"]);
    assert!(said.contains("0 to 1"), "{said}");
    ends_with(2, &["study", path(&study), "--rows", "0..3"]);
    let model = example("quarter_car");
    let said = ends_with(2, &["study", path(&study), "--page", path(&study)]);
    assert!(said.contains("would replace"), "{said}");
    assert!(fs::read_to_string(model).is_ok());
}

#[test]
fn what_another_program_takes_is_not_taken_here() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(folder.path(), "quarter_car", GOOD);
    let out = folder.path().join("out");
    let with = |elsewhere: &'static str| {
        let words = ["study", path(&study), "-o", path(&out), "--elsewhere"].map(str::to_owned);
        [&words[..], &[elsewhere.to_owned()]].concat()
    };
    let refused = |code: i32, elsewhere: &'static str, text: &str| {
        let words = with(elsewhere);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let said = ends_with(code, &words);
        assert!(said.contains(text), "{said}");
    };
    refused(2, "own", "NAME=PRINT");
    refused(2, "=1", "NAME=PRINT");
    refused(1, "status=1f", "would be called \"status\"");
    refused(1, "own=1f", "runs are missing, the first of them run 0");
    // The folder is of that study now.
    let said = ends_with(1, &["study", path(&study), "-o", path(&out)]);
    assert!(said.contains("what differs is results"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let study = describe(folder.path(), "quarter_car", GOOD);
    // Also an administrator cannot write there.
    let said = ends_with(1, &["study", path(&study), "-o", "/proc/none"]);
    assert!(said.contains("/proc/none"), "{said}");
}
