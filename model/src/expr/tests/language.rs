//! Tests of grammar, names, sharing and limits.

use std::fmt::Write;

use super::{Names, constant, gradient, program, value};
use crate::expr::{Program, compile};
use crate::limits::{EXPRESSION_BYTES, EXPRESSION_NESTING};
use fixstep_kernel::ids::LeafId;

#[test]
fn operators_bind_as_in_fortran() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("7 - 2 - 1", 4.0),
        ("16/4/2", 2.0),
        ("16/4*2", 8.0),
        ("2*3**2", 18.0),
        ("2**3**2", 512.0),
        ("(2**3)**2", 64.0),
        ("-2**2", -4.0),
        ("(-2)**2", 4.0),
        ("2**-2", 0.25),
        ("2**-2**2", 0.0625),
        ("2**-1*4", 2.0),
        ("2*-3", -6.0),
        ("2 - -3", 5.0),
        ("2 + +3", 5.0),
        ("--2", 2.0),
        ("-2*3 + 10", 4.0),
        ("-6/-3", 2.0),
        ("+4", 4.0),
        ("  ( ( 1 ) )\n\t", 1.0),
        ("1+2", 3.0),
        ("IF(-1: 1, 2, 3)", 1.0),
        ("IF ( 0 : 1 , 2 , 3 )", 2.0),
        ("if(1e-300: 1, 2, 3)", 3.0),
        ("-SqRt(4)**2", -4.0),
        ("90D*RTOD", 90.0),
        ("180*dtor - pi", 0.0),
    ] {
        assert_eq!(constant(text), expected, "{text}");
    }
}

#[test]
fn names_are_as_the_user_wrote_them() {
    let symbols = ["gap", "Gap", "TIME", "any name", "pi", "STEP"];
    let leaf = |text: &str| program(text, &symbols).leaves().to_vec();
    assert_eq!(leaf("gap"), [LeafId(0)]);
    assert_eq!(leaf("Gap"), [LeafId(1)]);
    assert_eq!(leaf("time"), [LeafId(2)], "TIME in any case");
    assert_eq!(leaf("'any name'"), [LeafId(3)]);
    assert_eq!(leaf("'pi' + PI"), [LeafId(4)]);
    assert_eq!(
        leaf("'STEP' + STEP(TIME, 0, 0, 1, 1)"),
        [LeafId(5), LeafId(2)]
    );
}

#[test]
fn lookups_take_names_and_numbers() {
    let mut names = Names::new(&["a"]);
    let program = compile(
        "dx(m1, 'm 2') + DX(m1,0,-1.5) * VarVal(a) + DX(m1, 'm 2')",
        &mut names,
    )
    .unwrap();
    let keys: Vec<&str> = names.calls.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            r#"DX[Name("m1"), Name("m 2")]"#,
            r#"DX[Name("m1"), Number(0.0), Number(-1.5)]"#,
            r#"VARVAL[Name("a")]"#
        ]
    );
    assert_eq!(
        program.leaves(),
        [LeafId(1), LeafId(2), LeafId(3)],
        "each leaf once"
    );
    // 5 + 2*3 + 5
    assert_eq!(value(&program, &[0.0, 5.0, 2.0, 3.0]), 16.0);
}

#[test]
fn lookups_take_names_that_functions_bear() {
    let mut names = Names::new(&[]);
    assert!(compile("DX(step, PI, 'a,b')", &mut names).is_ok());
    assert!(
        names
            .calls
            .contains_key(r#"DX[Name("step"), Name("PI"), Name("a,b")]"#)
    );
}

/// A function that is added later therefore takes no name from a model.
#[test]
fn without_parentheses_a_functions_name_is_free() {
    let program = program("step + STEP(step, 0, 0, 1, 1)", &["step"]);
    assert_eq!(value(&program, &[1.0]), 2.0);
}

#[test]
fn what_is_repeated_is_computed_once() {
    let count = |text: &str| program(text, &["x", "y"]).operations.len();
    assert_eq!(count("SIN(x*y) + SIN(y*x)"), 3, "product, sine, sum");
    assert_eq!(count("STEP(x,0,0,1,1) + STEP(x,0,0,1,1)*y"), 5);
    assert_eq!(count("x**2"), 1);
    assert_eq!(count("-(-x)"), 0);
    assert_eq!(count("x*1 + 0"), 0);
    assert_eq!(count("x + 2*3 - 6/2"), 2);
}

#[test]
fn what_is_not_needed_is_dropped() {
    let program = program("IF(-1: x, y, 2*x)", &["x", "y"]);
    assert_eq!(
        (program.registers(), program.leaves()),
        (1, &[LeafId(0)][..])
    );
    assert!(program.depends_on(LeafId(0)) && !program.depends_on(LeafId(1)));
    assert_eq!(program.constant_value(), None);
}

#[test]
fn zero_times_something_is_not_forgotten() {
    let program = program("0*x", &["x"]);
    assert!(value(&program, &[f64::INFINITY]).is_nan());
    assert_eq!(program.constant_value(), None);
}

#[test]
fn a_constant_program_needs_no_text() {
    let program = Program::constant(2.5);
    assert_eq!(value(&program, &[]), 2.5);
    assert_eq!(program.constant_value(), Some(2.5));
    assert_eq!(gradient(&program, &[]), (2.5, vec![]));
}

#[test]
fn nesting_is_limited_not_fatal() {
    let nested = |levels: usize| format!("{}1{}", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(constant(&nested(EXPRESSION_NESTING - 1)), 1.0);
    for bomb in [
        nested(EXPRESSION_NESTING),
        nested(30_000),
        "-".repeat(60_000),
        "2**".repeat(20_000) + "1",
        "SIN(".repeat(15_000),
        "IF(1:".repeat(13_000),
    ] {
        let error = compile(&bomb, &mut Names::new(&[])).unwrap_err();
        assert!(
            error.message.contains("nested more than 200 levels"),
            "{error}"
        );
    }
}

#[test]
fn a_text_of_64_kib_compiles_and_evaluates() {
    let mut text = "x".to_owned();
    while text.len() + 2 <= EXPRESSION_BYTES {
        text.push_str("+x");
    }
    let terms = text.len().div_ceil(2);
    assert!(terms > 32_000);
    let program = program(&text, &["x"]);
    assert_eq!(program.registers(), terms);
    let (value, gradient) = gradient(&program, &[0.5]);
    assert_eq!(value, 0.5 * terms as f64);
    assert_eq!(gradient, [terms as f64]);
}

#[test]
fn registers_are_limited() {
    // Each FORCOS of distinct frequency takes some 90 operations.
    let ones = ",1".repeat(31);
    let mut text = "0".to_owned();
    let mut number = 2;
    while text.len() < EXPRESSION_BYTES - 120 {
        write!(text, "+FORCOS(x,0,{number}{ones})").unwrap();
        number += 1;
    }
    let error = compile(&text, &mut Names::new(&["x"])).unwrap_err();
    assert!(
        error.message.contains("65536 intermediate results"),
        "{}",
        error.message
    );
}

#[test]
fn short_slices_do_not_panic() {
    let program = program("x + y", &["x", "y"]);
    if !cfg!(debug_assertions) {
        assert!(program.value(&[1.0], &mut [0.0; 3]).is_nan());
        assert!(program.value(&[1.0, 2.0], &mut [0.0; 2]).is_nan());
    }
    // Longer ones than needed are fine.
    assert_eq!(program.value(&[1.0, 2.0, 9.0], &mut [7.0; 9]), 3.0);
}

#[test]
fn whatever_is_written_compiles_or_is_a_fault_with_a_place() {
    const PIECES: [&str; 32] = [
        "x", "y", "TIME", "PI", "'a b'", "'", "1", ".5", "2e-3", "30D", "1e", ".", "+", "-", "*",
        "/", "**", "(", ")", "(", ")", ",", ":", " ", "SIN(", "IF(", "MAX(", "STEP(", "POLY(",
        "DX(", "ü", "^",
    ];
    let symbols = ["x", "y", "TIME", "a b"];
    let mut state = 7_u64;
    let mut sound = 0;
    for _ in 0..20_000 {
        let mut text = String::new();
        loop {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            text.push_str(PIECES[(state >> 59) as usize]);
            if (state >> 40).is_multiple_of(8) {
                break;
            }
        }
        match compile(&text, &mut Names::new(&symbols)) {
            Ok(program) => {
                sound += 1;
                gradient(&program, &[0.5; 8]);
            }
            Err(error) => {
                assert!(
                    (1..=text.chars().count() + 1).contains(&error.column),
                    "{error}"
                );
            }
        }
    }
    assert!((100..19_900).contains(&sound), "{sound} of 20000 compile");
}
