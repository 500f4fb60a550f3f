//! Tests of messages about text that is no JSON.

use super::super::DIALECT;
use super::{broken_text, fault};
use jsonc_parser::{CollectOptions, parse_to_ast};

fn told(text: &str) -> String {
    let fault = broken_text(text).or_else(|| {
        let parsed = parse_to_ast(text, &CollectOptions::default(), &DIALECT);
        parsed.err().map(|error| fault(text, &error))
    });
    let Some(fault) = fault else {
        return "sound".to_owned();
    };
    let before = &text[..fault.offset];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{line}:{column}: {}", fault.message)
}

/// Each text with what is said of it.
const CASES: &[(&str, &str)] = &[
    ("{\n // x\n}", "sound"),
    (
        "{\"a\": 1} # x",
        "1:10: trailing characters; a comment begins with //, or stands between /* and */",
    ),
    (
        "{\"a\": 1 /* x}",
        "1:9: this comment is never closed; it ends with */",
    ),
    (
        "{\"a\": \"b,\n \"c\": 1}",
        "1:7: a text in double quotes goes on beyond the end of the line; is its closing quote missing?",
    ),
    (
        "{\"a\": \"b\tc\"}",
        "1:9: control character within a text; a tab within a text is written \\t",
    ),
    (
        "{\"a\": \"b",
        "1:9: the file ends too early: a text in double quotes is never closed",
    ),
    (
        "{\"a\": [\n1\n",
        "2:2: the file ends too early: the \"[\" of line 1 is never closed",
    ),
    ("{a: 1}", "sound"),
    (
        "{a b: 1}",
        "1:4: expected `:`; write \":\" between a key and its value",
    ),
    (
        "{\"a\": 1,5}",
        "1:9: key must be a string; is the comma before it a decimal comma? Decimals follow a point: 1.5",
    ),
    (
        "{“a”: 1}",
        "1:2: key must be a string; the quotes of JSON are plain double quotes: \"name\"",
    ),
    (
        "{'a': 1}",
        "1:2: key must be a string; JSON strings must be in double quotes",
    ),
    (
        "{\"a\" = 1}",
        "1:6: expected `:`; write \":\" between a key and its value",
    ),
    (
        "{\"a\": .5}",
        "1:7: expected value; write a digit before the point: 0.5",
    ),
    (
        "{\"a\": 5.}",
        "1:7: expected value; a digit follows the point: 5.0",
    ),
    (
        "{\"a\": +5}",
        "1:7: expected value; a number has no plus sign: 5",
    ),
    ("{\"a\": True}", "1:7: expected value; it is written true"),
    ("{\"a\": none}", "1:7: expected value; it is written null"),
    (
        "{\"a\": x + 1}",
        "1:7: expected value; texts and expressions must be in double quotes",
    ),
    (
        "{\"a\": ,}",
        "1:7: expected value; a value is missing before it",
    ),
    (
        "{\"a\": 1\n\"b\": 2}",
        "2:1: expected `,` or `}`; a comma is missing before it",
    ),
    (
        "{\"a\": 2 kg}",
        "1:9: expected `,` or `}`; write a number with its unit, and every text, in double quotes: \"12 mm\"",
    ),
    (
        "{\"a\": [1\n, \"b\": 2}",
        "2:6: expected `,` or `]`; the \"[\" of line 1 is still open here",
    ),
    ("{\"a\": [1,]}", "sound"),
    ("{}}", "1:3: trailing characters; this \"}\" closes nothing"),
    (
        "fixstep: 1",
        "1:1: expected value; the file is not a model in JSON, which begins with \"{\"",
    ),
    (
        "<xml/>",
        "1:1: expected value; the file is not a model in JSON, which begins with \"{\"",
    ),
    (
        "{\"a\": \"C:\\x\"}",
        "1:10: invalid escape; a backslash is written \\\\",
    ),
    (
        "{\"a\"",
        "1:5: the file ends too early: the \"{\" of line 1 is never closed",
    ),
    (
        "{\"a\":",
        "1:6: the file ends too early: the \"{\" of line 1 is never closed",
    ),
];

#[test]
fn what_is_wrong_comes_with_what_is_right() {
    for (text, expected) in CASES {
        assert_eq!(told(text), *expected, "{text}");
    }
}
