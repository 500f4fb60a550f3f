//! Tests of messages: their text and the position to which they point.

use super::Names;
use crate::expr::compile;

/// Text, column of the fault, part of the message.
const FAULTS: &[(&str, usize, &str)] = &[
    ("", 1, "the expression is empty"),
    ("   ", 1, "the expression is empty"),
    ("1 + ", 5, "missing before the end of the expression"),
    (
        "1 + * 2",
        5,
        "a number, name or \"(\" is missing before \"*\"",
    ),
    ("(1 + 2", 1, "this \"(\" is never closed"),
    ("3*(1 + (2)", 3, "this \"(\" is never closed"),
    ("SIN(gap", 4, "this \"(\" is never closed"),
    ("1 + 2)", 6, "this \")\" closes nothing"),
    ("()", 2, "missing before \")\""),
    ("1 2", 3, "an operator is missing before a number"),
    (
        "(1 gap)",
        4,
        "an operator or \")\" is missing before \"gap\"",
    ),
    (
        "1 , 2",
        3,
        "this comma is none of an expression; decimals follow a point: 0.1",
    ),
    (
        "gap, 2",
        4,
        "a comma is allowed only between the arguments of a function",
    ),
    ("2 * 3x", 5, "\"3x\" is not a number"),
    (
        "gap + gapp",
        7,
        "no input, parameter or variable \"gapp\"; did you mean \"gap\"?",
    ),
    ("1 + zzzzz", 5, "no input, parameter or variable \"zzzzz\""),
    (
        "2*STPE(1,2)",
        3,
        "there is no function \"STPE\"; did you mean \"STEP\"?",
    ),
    ("varvl(a)", 1, "did you mean \"VARVAL\"?"),
    ("PI(2)", 1, "PI is a constant, not a function"),
    ("1 + SIN", 5, "SIN is a function and needs its arguments"),
    (
        "dx + 1",
        1,
        "DX is a function and needs its arguments in parentheses",
    ),
    ("'SIN'(1)", 1, "a function's name has no quotes"),
    (
        "1 + STEP(gap, 0, 0, 1)",
        5,
        "STEP takes 5 arguments, not 4: STEP(x, x0, h0, x1, h1)",
    ),
    ("AKISPL(1, 0, 3)", 14, "the name of a spline belongs here"),
    ("AKISPL(1, 0, t)", 14, "there is no spline \"t\""),
    ("AKISPL(1, 0, s, 3)", 14, "the order must be 0, 1 or 2"),
    ("INTERP(1, gap, s)", 16, "the method must be 1"),
    ("AKISPL(1, 0)", 1, "AKISPL takes 3 to 4 arguments"),
    ("SIN()", 1, "SIN takes 1 argument, not 0"),
    ("SIN(1, 2)", 1, "SIN takes 1 argument, not 2"),
    ("SHF(1, 2, 3)", 1, "SHF takes 4 to 6 arguments, not 3"),
    ("MAX(1)", 1, "MAX takes 2 to 32 arguments, not 1"),
    ("SIN(1,)", 7, "missing before \")\""),
    (
        "SIN(1: 2)",
        6,
        "an operator, \",\" or \")\" is missing before \":\"",
    ),
    (
        "IF(gap, 1, 2, 3)",
        7,
        "a \":\" follows the condition: IF(e: a, b, c)",
    ),
    ("IF(gap)", 7, "a \":\" follows the condition"),
    ("IF(gap: 1, 2)", 1, "IF takes 4 arguments, not 3"),
    ("IF(gap: 1: 2, 3)", 10, "missing before \":\""),
    (
        "1 + DX(a, 1 + 2)",
        11,
        "argument 2 of DX must be a name or a number",
    ),
    (
        "DX(SIN(1))",
        4,
        "argument 1 of DX must be a name or a number",
    ),
    ("DX(-a)", 4, "argument 1 of DX must be a name or a number"),
    ("DX(a,,b)", 6, "argument 2 of DX must be a name or a number"),
    ("DX(a", 3, "this \"(\" is never closed"),
    ("DX(a, nowhere)", 7, "there is no marker \"nowhere\""),
    ("1 + DX()", 5, "DX needs a marker"),
    (
        "'ä ö' + 'ü' * DX()",
        1,
        "no input, parameter or variable \"ä ö\"",
    ),
];

#[test]
fn faults_are_named_and_placed() {
    for &(text, column, part) in FAULTS {
        let error = compile(text, &mut Names::new(&["gap"])).unwrap_err();
        assert!(error.message.contains(part), "{text}: {}", error.message);
        assert_eq!(error.column, column, "{error}");
        let shown = error.to_string();
        let caret = shown.lines().last().unwrap().chars().count();
        assert_eq!(caret, 4 + column, "{shown}");
    }
}

#[test]
fn the_message_shows_the_text() {
    let error = compile("2*gap + SIM(3)", &mut Names::new(&["gap"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no function \"SIM\"; did you mean \"SIN\"? (column 9)\n    \
         2*gap + SIM(3)\n            ^"
    );
}
