//! Compares gradients and time jets with differences of values.

use super::{assert_near, gradient, jet, program, value};
use crate::expr::{Program, TimeJet};

/// Texts with the range of each of the symbols a, b, c, … from which points are drawn. The ranges stay on one side of
/// kinks and within domains.
const CASES: &[(&str, &[[f64; 2]])] = &[
    ("a + b - 2*a*b", &[[-2.0, 2.0], [-2.0, 2.0]]),
    ("a/b", &[[-2.0, 2.0], [0.4, 2.0]]),
    ("-a**2 + 3*a**3", &[[-2.0, 2.0]]),
    ("a**4 - a**(-3)", &[[0.5, 2.0]]),
    ("a**1.5 + a**0.5", &[[0.2, 2.0]]),
    ("a**b", &[[0.2, 2.0], [-2.0, 2.0]]),
    ("3**a", &[[-2.0, 2.0]]),
    ("a**5", &[[-2.0, -0.2]]),
    ("AKISPL(a, 0, s)", &[[-1.9, -1.1]]),
    ("AKISPL(a, b, s, 1)", &[[0.1, 1.4], [-1.0, 4.0]]),
    ("CUBSPL(a*b, b, 's')", &[[0.1, 1.0], [0.1, 1.4]]),
    ("CUBSPL(a, b, s, 2)", &[[1.6, 3.9], [-1.0, 4.0]]),
    ("INTERP(a, 1, s) + INTERP(a, 3, s)", &[[1.6, 3.9]]),
    ("AKISPL(a, 1, s)", &[[4.1, 5.0]]),
    ("ABS(a)", &[[-2.0, -0.1]]),
    ("ABS(a)", &[[0.1, 2.0]]),
    ("SQRT(a)", &[[0.2, 3.0]]),
    ("EXP(a)", &[[-2.0, 2.0]]),
    ("LOG(a) + LOG10(a)", &[[0.2, 3.0]]),
    ("SIN(a)", &[[-4.0, 4.0]]),
    ("COS(a)", &[[-4.0, 4.0]]),
    ("TAN(a)", &[[-1.2, 1.2]]),
    ("ASIN(a)", &[[-0.8, 0.8]]),
    ("ACOS(a)", &[[-0.8, 0.8]]),
    ("ATAN(a)", &[[-3.0, 3.0]]),
    ("ATAN2(a, b)", &[[-2.0, 2.0], [0.3, 2.0]]),
    ("ATAN2(a, b)", &[[0.3, 2.0], [-2.0, 2.0]]),
    ("SINH(a)", &[[-2.0, 2.0]]),
    ("COSH(a)", &[[-2.0, 2.0]]),
    ("TANH(a)", &[[-2.0, 2.0]]),
    ("MOD(a, b)", &[[4.1, 5.9], [1.0, 1.01]]),
    ("MIN(a, b)", &[[-2.0, -0.1], [0.1, 2.0]]),
    ("MAX(a, b, c)", &[[-2.0, -0.1], [0.1, 2.0], [2.2, 3.0]]),
    ("SIGN(a, b)", &[[-2.0, -0.1], [0.1, 2.0]]),
    ("SIGN(a, b)", &[[0.1, 2.0], [-2.0, -0.1]]),
    ("AINT(a) + a*ANINT(b)", &[[0.1, 0.9], [1.6, 2.4]]),
    ("DIM(a, b)", &[[2.1, 3.0], [-2.0, 2.0]]),
    ("DIM(b, a)", &[[2.1, 3.0], [-2.0, 2.0]]),
    ("IF(a: a*b, 5, b**3)", &[[-2.0, -0.1], [-2.0, 2.0]]),
    ("IF(a: a*b, 5, b**3)", &[[0.1, 2.0], [-2.0, 2.0]]),
    (
        "STEP(a, b, c, d, e)",
        &[
            [0.1, 0.9],
            [-0.2, 0.0],
            [-1.0, 1.0],
            [1.0, 1.5],
            [-1.0, 1.0],
        ],
    ),
    (
        "STEP5(a, b, c, d, e)",
        &[
            [0.1, 0.9],
            [-0.2, 0.0],
            [-1.0, 1.0],
            [1.0, 1.5],
            [-1.0, 1.0],
        ],
    ),
    (
        "HAVSIN(a, b, c, d, e)",
        &[
            [0.1, 0.9],
            [-0.2, 0.0],
            [-1.0, 1.0],
            [1.0, 1.5],
            [-1.0, 1.0],
        ],
    ),
    (
        "STEP(a, b, c, d, e)",
        &[
            [1.6, 2.0],
            [-0.2, 0.0],
            [-1.0, 1.0],
            [1.0, 1.5],
            [-1.0, 1.0],
        ],
    ),
    (
        "STEP(a, b, c, d, e)",
        &[
            [-2.0, -0.3],
            [-0.2, 0.0],
            [-1.0, 1.0],
            [1.0, 1.5],
            [-1.0, 1.0],
        ],
    ),
    (
        "SHF(a, b, c, d, e, f)",
        &[
            [-1.0, 1.0],
            [-1.0, 1.0],
            [0.5, 2.0],
            [0.5, 3.0],
            [-1.0, 1.0],
            [-1.0, 1.0],
        ],
    ),
    (
        "SWEEP(a, b, c, d, e, 2, f)",
        &[
            [0.1, 0.4],
            [-2.0, 2.0],
            [0.45, 0.55],
            [0.5, 1.0],
            [1.95, 2.05],
            [3.1, 4.0],
        ],
    ),
    (
        "SWEEP(a, b, c, d, e, 2, f)",
        &[
            [0.6, 1.9],
            [-2.0, 2.0],
            [0.45, 0.55],
            [0.5, 1.0],
            [1.95, 2.05],
            [3.1, 4.0],
        ],
    ),
    (
        "SWEEP(a, b, c, d, e, 2, f)",
        &[
            [2.1, 3.0],
            [-2.0, 2.0],
            [0.45, 0.55],
            [0.5, 1.0],
            [1.95, 2.05],
            [3.1, 4.0],
        ],
    ),
    (
        "POLY(a, b, c, d, e)",
        &[
            [-1.0, 1.0],
            [-1.0, 1.0],
            [-2.0, 2.0],
            [-2.0, 2.0],
            [-2.0, 2.0],
        ],
    ),
    (
        "CHEBY(a, b, c, d, e)",
        &[
            [-1.0, 1.0],
            [-1.0, 1.0],
            [-2.0, 2.0],
            [-2.0, 2.0],
            [-2.0, 2.0],
        ],
    ),
    (
        "FORCOS(a, b, c, d, e)",
        &[
            [-1.0, 1.0],
            [-1.0, 1.0],
            [0.5, 2.0],
            [-2.0, 2.0],
            [-2.0, 2.0],
        ],
    ),
    (
        "FORSIN(a, b, c, d, e)",
        &[
            [-1.0, 1.0],
            [-1.0, 1.0],
            [0.5, 2.0],
            [-2.0, 2.0],
            [-2.0, 2.0],
        ],
    ),
    // Damping grows with depth, the force is positive.
    (
        "IMPACT(a, b, c, d, e, f, g)",
        &[
            [0.2, 0.4],
            [-1.0, 0.1],
            [0.5, 0.7],
            [8.0, 9.0],
            [1.1, 2.2],
            [0.5, 1.0],
            [0.6, 0.9],
        ],
    ),
    // Deeper than the damping ramp; a constant exponent.
    (
        "IMPACT(a, b, c, d, 1.5, e, f)",
        &[
            [0.1, 0.2],
            [-1.0, 0.1],
            [0.5, 0.7],
            [8.0, 9.0],
            [0.5, 1.0],
            [0.05, 0.1],
        ],
    ),
    // Leaving faster than the spring pushes, and out of contact: nothing.
    (
        "IMPACT(a, b, c, d, 2.2, e, f)",
        &[
            [0.2, 0.4],
            [50.0, 60.0],
            [0.5, 0.7],
            [8.0, 9.0],
            [0.5, 1.0],
            [0.05, 0.1],
        ],
    ),
    (
        "IMPACT(a, b, 0.5, c, 1.3, d, 0.1)",
        &[[0.6, 0.9], [-1.0, 1.0], [8.0, 9.0], [0.5, 1.0]],
    ),
    // Between the stops, at the lower, at the upper.
    (
        "BISTOP(a, b, 0.2, 0.8, c, 1.3, d, 0.1)",
        &[[0.3, 0.7], [-1.0, 1.0], [5.0, 9.0], [0.5, 1.0]],
    ),
    (
        "BISTOP(a, b, c, d, e, f, g, h)",
        &[
            [-0.4, -0.2],
            [-1.0, 0.1],
            [0.0, 0.1],
            [0.5, 0.7],
            [8.0, 9.0],
            [1.1, 2.2],
            [0.5, 1.0],
            [0.6, 0.9],
        ],
    ),
    (
        "BISTOP(a, b, c, d, e, f, g, h)",
        &[
            [0.9, 1.1],
            [-0.1, 1.0],
            [0.0, 0.1],
            [0.5, 0.7],
            [8.0, 9.0],
            [1.1, 2.2],
            [0.5, 1.0],
            [0.6, 0.9],
        ],
    ),
    (
        "SIN(a*b)*EXP(-a)/(1 + b**2) + SQRT(a*a + b*b + SIN(a*b))",
        &[[0.2, 2.0], [0.2, 2.0]],
    ),
    (
        "STEP(SIN(a), -1.1, b, 1.1, a*b)**2",
        &[[-2.0, 2.0], [0.5, 2.0]],
    ),
    (
        "INVPSD(a + b, density, 1, 4, 5, 1, 9)",
        &[[0.1, 1.4], [-1.0, 4.0]],
    ),
];

const SYMBOLS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Uniform numbers, always the same (Knuth's 64-bit linear congruential generator).
struct Draw(u64);

impl Draw {
    fn within(&mut self, [low, high]: [f64; 2]) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The program of each case, with the case and its test points.
fn for_each_point(mut check: impl FnMut(&str, &Program, &[f64], &mut Draw)) {
    let mut draw = Draw(1);
    for (text, ranges) in CASES {
        let program = program(text, &SYMBOLS[..ranges.len()]);
        for _ in 0..20 {
            let point: Vec<f64> = ranges.iter().map(|range| draw.within(*range)).collect();
            check(text, &program, &point, &mut draw);
        }
    }
}

/// Derivative of a function at 0 by central differences of sixth order.
fn difference(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    let central = |k: f64| f(k * h) - f(-k * h);
    (45.0 * central(1.0) - 9.0 * central(2.0) + central(3.0)) / (60.0 * h)
}

/// Second derivative of a function at 0 by central differences of sixth order.
fn second_difference(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    let sum = |k: f64| f(k * h) + f(-k * h);
    (270.0 * sum(1.0) - 27.0 * sum(2.0) + 2.0 * sum(3.0) - 490.0 * f(0.0)) / (180.0 * h * h)
}

#[test]
fn gradients_are_slopes() {
    for_each_point(|text, program, point, _| {
        let (at_point, gradient) = gradient(program, point);
        assert_eq!(
            at_point.to_bits(),
            value(program, point).to_bits(),
            "{text}"
        );
        for k in 0..point.len() {
            let moved = |step: f64| {
                let mut leaves = point.to_vec();
                leaves[k] += step;
                value(program, &leaves)
            };
            let expected = difference(moved, 1e-3);
            assert_near(
                gradient[k],
                expected,
                1e-8,
                &format!("{text}, d/d{} at {point:?}", SYMBOLS[k]),
            );
        }
    });
}

#[test]
fn jets_are_derivatives_along_a_path() {
    for_each_point(|text, program, point, draw| {
        // Each symbol p + v t + w t²/2.
        let jets: Vec<TimeJet> = point
            .iter()
            .map(|&value| TimeJet {
                value,
                first: draw.within([-1.0, 1.0]),
                second: draw.within([-1.0, 1.0]),
            })
            .collect();
        let path = |t: f64| {
            let leaves: Vec<f64> = jets
                .iter()
                .map(|p| p.value + p.first * t + p.second * t * t / 2.0)
                .collect();
            value(program, &leaves)
        };
        let jet = jet(program, &jets);
        let what = format!("{text} at {jets:?}");
        assert_eq!(jet.value.to_bits(), path(0.0).to_bits(), "{what}");
        assert_near(jet.first, difference(path, 1e-3), 1e-8, &what);
        assert_near(jet.second, second_difference(path, 3e-3), 1e-6, &what);
    });
}

#[test]
fn jets_and_gradients_agree() {
    for_each_point(|text, program, point, draw| {
        let mut jets: Vec<TimeJet> = point.iter().map(|&p| TimeJet::constant(p)).collect();
        for entry in &mut jets {
            entry.first = draw.within([-1.0, 1.0]);
        }
        let (_, gradient) = gradient(program, point);
        let along: f64 = gradient
            .iter()
            .zip(&jets)
            .map(|(slope, p)| slope * p.first)
            .sum();
        assert_near(jet(program, &jets).first, along, 1e-13, text);
    });
}

#[test]
fn every_function_is_differentiated() {
    // Elements of arrays and delayed values are leaves; the Newton matrix contains their derivatives.
    let own = crate::expr::FUNCTIONS.iter();
    let own = own.filter(|f| !["DELAY", "ARYVAL"].contains(&f.name));
    for function in own {
        let call = format!("{}(", function.name);
        let twin = match function.name {
            "INT" => "AINT(",
            "NINT" => "ANINT(",
            _ => &call,
        };
        assert!(CASES.iter().any(|(text, _)| text.contains(twin)), "{twin}");
    }
}

#[test]
fn infinite_slopes_of_branches_not_taken_do_not_leak() {
    for (text, x, expected) in [
        ("IF(x: 0, x, SQRT(x))", 0.0, 1.0),
        ("IF(x: 0, x, LOG(x))", 0.0, 1.0),
        ("IF(x: x, 0, SQRT(x))", -1.0, 1.0),
        ("IF(x: 0, 0, x/(x - x))", -1.0, 0.0),
        ("MAX(-1/x**2, x)", 0.0, 1.0),
    ] {
        let program = program(text, &["x"]);
        assert_eq!(
            gradient(&program, &[x]),
            (value(&program, &[x]), vec![expected]),
            "{text}"
        );
        let path = TimeJet {
            value: x,
            first: 2.0,
            second: 3.0,
        };
        let jet = jet(&program, &[path]);
        assert_eq!(
            (jet.first, jet.second),
            (2.0 * expected, 3.0 * expected),
            "{text}"
        );
    }
}

#[test]
fn a_length_of_zero_has_a_gradient() {
    let program = program("SQRT(x**2 + y**2)", &["x", "y"]);
    assert_eq!(gradient(&program, &[0.0, 0.0]), (0.0, vec![0.0, 0.0]));
    let angle = super::program("ATAN2(x, y)", &["x", "y"]);
    assert_eq!(gradient(&angle, &[0.0, 0.0]), (0.0, vec![0.0, 0.0]));
}

#[test]
fn powers_at_zero_have_their_derivatives() {
    for (text, first, second) in [
        ("x**2", 0.0, 2.0),
        ("x**1.0", 1.0, 0.0),
        ("x**3", 0.0, 0.0),
        ("x**2.2", 0.0, 0.0),
        ("x**n", 0.0, 2.0),
        ("x**m", 1.0, 0.0),
    ] {
        let program = program(text, &["x", "n", "m"]);
        let (_, gradient) = gradient(&program, &[0.0, 2.0, 1.0]);
        assert_eq!(gradient[0], first, "{text}");
        let x = TimeJet {
            value: 0.0,
            first: 1.0,
            second: 0.0,
        };
        let jets = [x, TimeJet::constant(2.0), TimeJet::constant(1.0)];
        let jet = jet(&program, &jets);
        assert_eq!((jet.first, jet.second), (first, second), "{text}");
    }
}

#[test]
fn kinks_have_finite_derivatives() {
    for text in [
        "ABS(x)",
        "MAX(x, 0)",
        "MIN(0, x)",
        "DIM(x, 0)",
        "SIGN(1, x)",
        "MOD(x, 1)",
    ] {
        let program = program(text, &["x"]);
        let (_, gradient) = gradient(&program, &[0.0]);
        assert!(gradient[0].abs() <= 1.0, "{text}: {gradient:?}");
    }
    let impact = program("IMPACT(x, v, 1, 100, 1.5, 2, 0.1)", &["x", "v"]);
    assert_eq!(gradient(&impact, &[1.0, -3.0]), (0.0, vec![0.0, 0.0]));
}
