//! Injected defects: each must be found, at its element and attribute, and nothing in the sound
//! descriptions may be.

use model_description::check::{self, Problem, Severity};
use model_description::parse::FmiVersion;
use model_description::{fmi2, fmi3};

use crate::sample;

/// A sound description with what ours lacks: states, arrays, clocks, aliases, types.
const OTHER: &str = include_str!("other_fmi3.xml");

/// A sound description of FMI 2.0 with what ours lacks.
const OTHER2: &str = include_str!("other_fmi2.xml");

fn errors(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(Problem::to_string).collect()
}

/// Every defect of a list is found in what was sound; the number of defects.
fn check_defects(sound: &str, version: FmiVersion, list: &str) -> usize {
    let found = check::description(sound, version);
    assert_eq!(errors(&found), Vec::<String>::new(), "the sound one");
    let (mut from, mut to, mut count) = ("", "", 0);
    for line in list.lines() {
        let (mark, text) = line.split_at_checked(2).unwrap_or((line, ""));
        match mark.trim() {
            "-" => from = text,
            "+" => to = text,
            "?" => {
                assert!(sound.contains(from), "nothing to change: {from}");
                let broken = sound.replacen(from, to, 1);
                let found = errors(&check::description(&broken, version));
                assert!(
                    found.iter().any(|message| message.contains(text)),
                    "{from} -> {to}: expected \"{text}\" in {found:#?}"
                );
                count += 1;
            }
            _ => {}
        }
    }
    count
}

#[test]
fn defects_of_fmi_3_are_found() {
    let count = check_defects(OTHER, FmiVersion::V3, include_str!("defects_fmi3.txt"));
    assert_eq!(count, 75);
}

#[test]
fn defects_of_fmi_2_are_found() {
    let count = check_defects(OTHER2, FmiVersion::V2, include_str!("defects_fmi2.txt"));
    assert_eq!(count, 20);
}

#[test]
fn our_descriptions_are_sound() {
    let (header, table) = sample::header_and_table();
    let problems = check::description(&fmi2::write(&header, &table), FmiVersion::V2);
    assert_eq!(errors(&problems), Vec::<String>::new());
    let problems = check::description(&fmi3::write(&header, &table), FmiVersion::V3);
    assert_eq!(errors(&problems), Vec::<String>::new());
}

#[test]
fn problems_are_in_the_order_of_lines_and_name_their_place() {
    let text = OTHER
        .replace("stopTime=\"3\"", "stopTime=\"-3\"")
        .replace("name=\"v\"", "name=\"h\"");
    let found = check::description(&text, FmiVersion::V3);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].element, "DefaultExperiment");
    assert_eq!(found[0].attribute, "stopTime");
    assert_eq!(found[1].element, "Float64 \"h\"");
    assert!(found[0].line < found[1].line);
    assert_eq!(found[1].severity, Severity::Error);
    assert_eq!(
        found[1].to_string(),
        format!(
            "line {}: error: <Float64 \"h\"> name: another variable has this name",
            found[1].line
        )
    );
}

/// Nothing makes the checker panic: every prefix of a text, and every line left out.
#[test]
fn broken_texts_are_reported_not_panicked_at() {
    for (at, _) in OTHER.char_indices().step_by(7) {
        assert!(!check::description(&OTHER[..at], FmiVersion::V3).is_empty());
    }
    let lines: Vec<&str> = OTHER.lines().collect();
    for left_out in 0..lines.len() {
        let mut rest = lines.clone();
        rest.remove(left_out);
        check::description(&rest.join("\n"), FmiVersion::V3);
    }
}
