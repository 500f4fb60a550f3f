//! Compares values of functions with numbers from 40-digit arithmetic, and tests behaviour at the edges.

use super::{assert_near, constant, program, value};

/// Call = value; the numbers in a call are the nearest doubles.
const SMOOTH: &str = "
    SQRT(0.3) = 0.5477225575051661
    LOG(0.3) = -1.203972804325936
    LOG10(0.3) = -0.52287874528033758
    EXP(0.3) = 1.3498588075760031
    SIN(0.3) = 0.29552020666133956
    COS(0.3) = 0.95533648912560602
    TAN(0.3) = 0.30933624960962322
    ATAN(0.3) = 0.29145679447786708
    SINH(0.3) = 0.30452029344714261
    COSH(0.3) = 1.0453385141288605
    TANH(0.3) = 0.2913126124515909
    EXP(-1.7) = 0.18268352405273466
    SIN(-1.7) = -0.99166481045246862
    COS(-1.7) = -0.12884449429552464
    TAN(-1.7) = 7.6966021394591611
    ATAN(-1.7) = -1.039072259536091
    SINH(-1.7) = -2.6456319338372324
    COSH(-1.7) = 2.8283154578899671
    TANH(-1.7) = -0.93540907060309897
    SQRT(12.5) = 3.5355339059327376
    LOG(12.5) = 2.5257286443082554
    LOG10(12.5) = 1.0969100130080564
    EXP(12.5) = 268337.28652087446
    SIN(12.5) = -0.066321897351200689
    COS(12.5) = 0.99779827917858066
    ASIN(0.3) = 0.3046926540153975
    ACOS(0.3) = 1.2661036727794991
    ASIN(-0.99) = -1.4292568534704693
    ACOS(-0.99) = 3.000053180265366
    ATAN2(1.2, -0.7) = 2.0988707752212563
    ATAN2(-1.2, -0.7) = -2.0988707752212563
    ATAN2(-0.4, 3.1) = -0.1283232276857948
    1.7**2.3 = 3.3886952911476458
    0.2**(-1.4) = 9.5182696935793903
    2.0**0.5 = 1.414213562373095
    3.3**1.5 = 5.994747701113033
    (-1.1)**4 = 1.4641000000000005
    (-1.1)**5 = -1.6105100000000007
    STEP(0.4, 0.1, 0.7, 1.3, -2.5) = 0.19999999999999994
    STEP5(0.4, 0.1, 0.7, 1.3, -2.5) = 0.36874999999999994
    HAVSIN(0.4, 0.1, 0.7, 1.3, -2.5) = 0.23137084989847598
    SHF(0.4, 0.1, 2.5, 3) = 1.9583172740687085
    SHF(0.4, 0.1, 2.5, 3, 0.2) = 1.6105442180942277
    SHF(0.4, 0.1, 2.5, 3, 0.2, 1) = 2.6105442180942277
    CHEBY(0.9, 0.4, 1, 2, 3, 4) = -3.5
    POLY(0.9, 0.4, 1, 2, 3, 4) = 3.25
    IMPACT(0.08, -0.3, 0.1, 1500, 1.3, 4, 0.05) = 9.6998848413297525
    SWEEP(0.2, 1.5, 0.5, 2, 3, 6, 0.5) = 0.27987982573158399
    SWEEP(1.25, 1.5, 0.5, 2, 3, 6, 0.5) = -0.46352549156242114
    SWEEP(3.8, 1.5, 0.5, 2, 3, 6, 0.5) = -1.4265847744427335
    SWEEP(0.3, 2.5, 0, 2, 5, 6, 0.01) = -1.8856284518402593
    DTOR = 0.017453292519943296
    RTOD = 57.295779513082321
    30D = 0.52359877559829887
";

/// Call = exact value.
const EXACT: &str = "
    ABS(-1.7) = 1.7
    ABS(0.3) = 0.3
    MOD(7, 3) = 1
    MOD(-7, 3) = -1
    MOD(7, -3) = 1
    MOD(5.5, 2) = 1.5
    SIGN(3, -0.1) = -3
    SIGN(-3, 2) = 3
    SIGN(-3, 0) = 3
    MIN(3, -2) = -2
    MIN(3, -2, -5, 4) = -5
    MAX(3, -2) = 3
    MAX(3, -2, 8, 4) = 8
    AINT(2.9) = 2
    AINT(-2.9) = -2
    INT(2.9) = 2
    ANINT(2.5) = 3
    ANINT(-2.5) = -3
    ANINT(2.4) = 2
    NINT(-0.6) = -1
    DIM(5, 3) = 2
    DIM(3, 5) = 0
    STEP(0, 0, 0.1, 1, 0.7) = 0.1
    STEP(-9, 0, 0.1, 1, 0.7) = 0.1
    STEP(1, 0, 0.1, 1, 0.7) = 0.7
    STEP(9, 0, 0.1, 1, 0.7) = 0.7
    STEP(9, 0, 1e16, 1, 1) = 1
    STEP5(9, 0, 0.1, 1, 0.7) = 0.7
    HAVSIN(1, 0, 0.1, 1, 0.7) = 0.7
    STEP(0.25, 1, 4, 0, 0) = 0.625
    FORSIN(1, 1, 5, 0.5, 7, 8) = 0.5
    FORCOS(1, 1, 5, 0.5, 7, 8) = 15.5
    FORCOS(1, 2, 5, 0.5) = 0.5
    POLY(2, 1, 3) = 3
    CHEBY(2, 1, 3) = 3
    CHEBY(3, 1, 0, 0, 1) = 7
";

fn lines(table: &str) -> impl Iterator<Item = (&str, f64)> {
    table
        .lines()
        .filter_map(|line| line.trim().split_once(" = "))
        .map(|(text, expected)| (text, expected.parse().unwrap()))
}

#[test]
fn functions_have_the_values_of_the_literature() {
    let mut count = 0;
    for (text, expected) in lines(SMOOTH) {
        let tolerance = 4e-15 * expected.abs().min(1.0);
        assert_near(constant(text), expected, tolerance.max(1e-16), text);
        count += 1;
    }
    assert_eq!(count, 54);
}

#[test]
fn piecewise_functions_are_exact() {
    let mut count = 0;
    for (text, expected) in lines(EXACT) {
        assert_eq!(constant(text), expected, "{text}");
        count += 1;
    }
    assert_eq!(count, 36);
}

#[test]
fn leaves_give_what_constants_give() {
    // Computed in a step or folded by the compiler, each call yields the same bits.
    for (text, _) in lines(SMOOTH).chain(lines(EXACT)) {
        let Some((name, arguments)) = text.split_once('(') else {
            continue;
        };
        if name.contains("**") || name.is_empty() {
            continue;
        }
        let numbers: Vec<f64> = arguments
            .trim_end_matches(')')
            .split(", ")
            .map(|part| part.parse().unwrap())
            .collect();
        let symbols: Vec<String> = (0..numbers.len()).map(|k| format!("p{k}")).collect();
        let symbols: Vec<&str> = symbols.iter().map(String::as_str).collect();
        let call = format!("{name}({})", symbols.join(", "));
        let program = program(&call, &symbols);
        // POWER with a varying exponent and products differ in the last place.
        let tolerance = if name == "IMPACT" { 1e-15 } else { 0.0 };
        assert_near(value(&program, &numbers), constant(text), tolerance, text);
    }
}

#[test]
fn powers_by_products_and_roots_are_powers() {
    for exponent in [
        "0", "1", "2", "3", "4", "-1", "-2", "0.5", "1.5", "2.5", "2.2",
    ] {
        let program = program(&format!("x**{exponent}"), &["x"]);
        for x in ["0.7", "1.9", "310.5"] {
            let folded = constant(&format!("{x}**{exponent}"));
            let what = format!("{x}**{exponent}");
            assert_near(
                value(&program, &[x.parse().unwrap()]) / folded,
                1.0,
                4e-16,
                &what,
            );
        }
    }
}

#[test]
fn outside_the_domain_is_nan() {
    for text in [
        "SQRT(-1)",
        "LOG(-1)",
        "LOG10(-1)",
        "ASIN(1.1)",
        "ACOS(-1.1)",
        "(-2)**0.5",
    ] {
        assert!(constant(text).is_nan(), "{text}");
    }
    for text in [
        "MOD(1, 0)",
        "0/0",
        "IF(0/0: 1, 2, 3)",
        "STEP(0/0, 0, 1, 1, 2)",
    ] {
        assert!(constant(text).is_nan(), "{text}");
    }
    for text in [
        "MIN(0/0, 1)",
        "MIN(1, 0/0)",
        "MAX(0/0, 1)",
        "MAX(1, 0/0)",
        "SIGN(1, 0/0)",
    ] {
        assert!(constant(text).is_nan(), "{text}");
    }
    assert_eq!(constant("1/0"), f64::INFINITY);
    assert_eq!(constant("-1/0"), f64::NEG_INFINITY);
    assert_eq!(constant("LOG(0)"), f64::NEG_INFINITY);
}

#[test]
fn the_branch_not_taken_does_not_leak() {
    let program = program("IF(x: SQRT(x), 7, LOG(x))", &["x"]);
    assert!(value(&program, &[-1.0]).is_nan(), "the branch taken is NaN");
    assert_eq!(value(&program, &[0.0]), 7.0);
    assert_eq!(value(&program, &[1.0]), 0.0);
    let guarded = super::program("IF(x: 0, 0, SQRT(x))", &["x"]);
    assert_eq!(value(&guarded, &[-1.0]), 0.0);
    assert_eq!(value(&guarded, &[4.0]), 2.0);
}

#[test]
fn a_step_of_no_width_jumps() {
    let program = program("STEP(x, 1, -2, 1, 5)", &["x"]);
    for (x, expected) in [(0.0, -2.0), (1.0, -2.0), (1.0 + 1e-15, 5.0), (9.0, 5.0)] {
        assert_eq!(value(&program, &[x]), expected, "{x}");
    }
}

#[test]
fn impact_without_damping_ramp_has_full_damping() {
    // k = 10, e = 1, c = 3, d = 0: 10*0.5 - 3*v in contact, nothing outside.
    let program = program("IMPACT(x, v, 1, 10, 1, 3, 0)", &["x", "v"]);
    assert_eq!(value(&program, &[0.5, -1.0]), 8.0);
    assert_eq!(value(&program, &[0.5, 1.0]), 2.0);
    assert_eq!(value(&program, &[0.5, 5.0]), 0.0, "no sticking");
    assert_eq!(value(&program, &[1.0, -1.0]), 0.0);
    assert_eq!(value(&program, &[1.5, -1.0]), 0.0);
}

#[test]
fn evaluation_repeats_to_the_bit() {
    let program = program("SIN(x)**1.7 + STEP(x, 0, EXP(y), 2, 1)/y", &["x", "y"]);
    let first = value(&program, &[0.7, 0.3]);
    let mut used = vec![f64::NAN; program.registers()];
    for _ in 0..3 {
        assert_eq!(
            program.value(&[0.7, 0.3], &mut used).to_bits(),
            first.to_bits()
        );
    }
}
