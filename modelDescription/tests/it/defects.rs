//! Injected defects: each must be found, at its element and attribute, and nothing in the sound
//! descriptions may be.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;

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
    assert_eq!(count, 87);
}

#[test]
fn defects_of_fmi_2_are_found() {
    let count = check_defects(OTHER2, FmiVersion::V2, include_str!("defects_fmi2.txt"));
    assert_eq!(count, 24);
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

/// A file with terminals for variables of the sound description.
const TERMINALS: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiTerminalsAndIcons fmiVersion="3.0">
  <GraphicalRepresentation>
    <CoordinateSystem x1="-100" y1="-100" x2="100" y2="100" suggestedScalingFactorTo_mm="0.1"/>
    <Icon x1="-100" y1="-100" x2="100" y2="100"/>
  </GraphicalRepresentation>
  <Terminals>
    <Terminal name="flange" matchingRule="plug" terminalKind="any">
      <TerminalMemberVariable variableName="pace" memberName="speed" variableKind="signal"/>
      <TerminalMemberVariable variableName="u" memberName="force" variableKind="signal"/>
      <TerminalStreamMemberVariable inStreamVariableName="h" outStreamVariableName="v" inStreamMemberName="h_in" outStreamMemberName="h_out"/>
      <Terminal name="inner" matchingRule="bus"/>
      <Terminal name="other" matchingRule="bus"/>
      <TerminalGraphicalRepresentation x1="0" y1="0" x2="1" y2="1" iconBaseName="pin" defaultConnectionColor="0 0 255"/>
    </Terminal>
    <Terminal name="plug" matchingRule="none"/>
  </Terminals>
</fmiTerminalsAndIcons>
"#;

/// What is changed there, and what is then told.
const DEFECTS_OF_TERMINALS: [(&str, &str, &str); 15] = [
    ("</Terminals>", "", "error: <?>: not well-formed XML"),
    (
        "fmiTerminalsAndIcons",
        "terminals",
        "expected <fmiTerminalsAndIcons>",
    ),
    (" fmiVersion=\"3.0\"", "", "fmiVersion: is missing"),
    (
        "\"3.0\"",
        "\"2.0\"",
        "error: <fmiTerminalsAndIcons> fmiVersion: \"2.0\"",
    ),
    (
        "\"3.0\"",
        "\"3.1\"",
        "error: <fmiTerminalsAndIcons> fmiVersion: \"3.1\"",
    ),
    (
        "\"3.0\"",
        "\"3.0.2\"",
        "warning: <fmiTerminalsAndIcons> fmiVersion: \"3.0.2\"",
    ),
    (
        "\"plug\" matchingRule",
        "\"flange\" matchingRule",
        "<Terminal \"flange\"> name: another terminal",
    ),
    (
        "\"other\"",
        "\"inner\"",
        "<Terminal \"inner\"> name: another terminal in this one",
    ),
    (
        "\"pace\"",
        "\"pase\"",
        "<Terminal \"flange\"> TerminalMemberVariable: variableName: \"pase\" is not a variable",
    ),
    (
        "outStreamVariableName=\"v\"",
        "outStreamVariableName=\"w\"",
        "outStreamVariableName: \"w\" is not a variable",
    ),
    (
        "\"force\"",
        "\"speed\"",
        "another member of this terminal is called \"speed\"",
    ),
    (
        " matchingRule=\"none\"",
        "",
        "<Terminal \"plug\"> matchingRule: is missing",
    ),
    (
        "variableKind",
        "variableKinds",
        "did you mean \"variableKind\"?",
    ),
    ("x1=\"0\"", "x1=\"left\"", "\"left\" is not a number"),
    (
        "<Terminals>",
        "<Terminals><Pin/>",
        "<Pin>: does not belong into <Terminals>",
    ),
];

#[test]
fn defects_of_terminals_are_found() {
    let description = model_description::parse::description(OTHER).unwrap();
    let found = |text: &str| errors(&check::terminals(text, &description));
    assert_eq!(found(TERMINALS), Vec::<String>::new());
    for (from, to, told) in DEFECTS_OF_TERMINALS {
        assert!(TERMINALS.contains(from), "{from}");
        // The root's name stands at its end, too.
        let all = found(&TERMINALS.replace(from, to));
        assert!(
            all.iter().any(|text| text.contains(told)),
            "{from} -> {to}: {all:#?}"
        );
    }
}

/// What is unknown is told by name only so often, and takes no longer than it is long.
#[test]
fn any_number_of_attributes_is_read() {
    let count = 300_000;
    let mut many = String::new();
    for k in 0..count {
        write!(many, " attribute_{k}=\"\"").unwrap();
    }
    let text = OTHER.replacen("<ModelExchange", &format!("<ModelExchange{many}"), 1);
    let began = std::time::Instant::now();
    let found = check::description(&text, FmiVersion::V3);
    assert!(began.elapsed().as_secs_f64() < 5.0, "{:?}", began.elapsed());
    assert_eq!(found.len(), 21);
    let more = format!("has {} more attributes", count - 20);
    assert!(
        errors(&found).iter().any(|text| text.contains(&more)),
        "{found:?}"
    );
    let many = "<Bytes/>".repeat(1000);
    let text = OTHER.replacen("<ModelVariables>", &format!("<ModelVariables>{many}"), 1);
    let found = errors(&check::description(&text, FmiVersion::V3));
    assert!(
        found
            .iter()
            .any(|text| text.contains("holds 980 more elements")),
        "{found:?}"
    );
}
