//! Control plane: the table of mathematical functions and constants.

use std::f64::consts::PI;

use fixstep_kernel::expr::ops::{Binary, Unary};
use fixstep_kernel::math::spline::{Ends, Method};

/// A mathematical function of the language.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name in capitals.
    pub name: &'static str,
    /// Least number of arguments.
    pub least: usize,
    /// Greatest number of arguments.
    pub most: usize,
    /// How it is called.
    pub signature: &'static str,
    /// What it yields.
    pub summary: &'static str,
    /// How it becomes operations.
    pub(super) rule: Rule,
}

/// How a function becomes operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// One operation on one operand.
    Unary(Unary),
    /// An operation on two operands, from left to right if there are more.
    Binary(Binary),
    /// max(a − b, 0).
    Dim,
    /// One of three by a sign.
    If,
    /// A smooth step with this profile.
    Step(Unary),
    /// A sine.
    Shf,
    /// A polynomial.
    Poly,
    /// Chebyshev polynomials.
    Cheby,
    /// A Fourier series of this function.
    Fourier(Unary),
    /// A sine whose frequency rises from one to another.
    Sweep,
    /// One-sided impact.
    Impact,
    /// Two-sided impact.
    Bistop,
    /// A curve or surface of the model by this method: x, z, name, order of the derivative.
    Curve(Method),
    /// A curve of the model by a method: x, 1 or 3, name.
    Interp,
    /// A random signal by the density in a spline: x, name, then fixed numbers.
    Noise,
    /// An element of an array of the model, or a signal of a control element: name, number from 1.
    Array,
    /// A value of the past: its arguments are separate programs.
    Delay,
}

impl Rule {
    /// Which argument is the name of a curve.
    pub(super) const fn curve(self) -> Option<usize> {
        match self {
            Self::Curve(_) | Self::Interp => Some(2),
            Self::Noise => Some(1),
            Self::Array => Some(0),
            _ => None,
        }
    }
}

/// Constants without parentheses (besides TIME): name in capitals, value.
pub const CONSTANTS: &[(&str, f64)] = &[("PI", PI), ("DTOR", PI / 180.0), ("RTOD", 180.0 / PI)];

/// The replacement for a function of another language, by its name in capitals.
pub(super) fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "POW" | "POWER" => "the power is written x**y",
        "SQR" | "SQUARE" => "the square is written x**2, the root SQRT(x)",
        "LN" | "LOGE" => "the natural logarithm is LOG(x)",
        "FABS" => "the magnitude is ABS(x)",
        "SGN" | "SIGNUM" => "the sign of x is SIGN(1, x)",
        "HEAVISIDE" | "HEAVI" => {
            "a jump is IF(e: a, b, c); go over smoothly by STEP(x, x0, h0, x1, h1)"
        }
        "FLOOR" | "CEIL" | "TRUNC" => "x without its fraction is INT(x)",
        "ROUND" => "the nearest integer is NINT(x)",
        "FMOD" | "MODULO" | "REM" => "the remainder is MOD(a, b)",
        "ARCSIN" => "the arc sine is ASIN(x)",
        "ARCCOS" => "the arc cosine is ACOS(x)",
        "ARCTAN" => "the arc tangent is ATAN(x)",
        "ARCTAN2" => "the angle of a point is ATAN2(y, x)",
        "RAD" | "RADIANS" | "DEG2RAD" => "degrees become radians by x*DTOR",
        "DEG" | "DEGREES" | "RAD2DEG" => "radians become degrees by x*RTOD",
        _ => return None,
    })
}

/// Largest number of arguments of functions with any number of arguments.
const MANY: usize = 32;
/// Most coefficients of a series.
const SERIES: usize = 31;

/// The mathematical functions.
pub const FUNCTIONS: &[Function] = &[
    unary("ABS", "ABS(x)", Unary::Abs, "magnitude"),
    unary("SQRT", "SQRT(x)", Unary::Sqrt, "square root"),
    unary("EXP", "EXP(x)", Unary::Exp, "exponential"),
    unary("LOG", "LOG(x)", Unary::Log, "natural logarithm"),
    unary("LOG10", "LOG10(x)", Unary::Log10, "logarithm to base 10"),
    unary("SIN", "SIN(x)", Unary::Sin, "sine of radians"),
    unary("COS", "COS(x)", Unary::Cos, "cosine of radians"),
    unary("TAN", "TAN(x)", Unary::Tan, "tangent of radians"),
    unary("ASIN", "ASIN(x)", Unary::Asin, "arc sine in radians"),
    unary("ACOS", "ACOS(x)", Unary::Acos, "arc cosine in radians"),
    unary("ATAN", "ATAN(x)", Unary::Atan, "arc tangent in radians"),
    unary("SINH", "SINH(x)", Unary::Sinh, "hyperbolic sine"),
    unary("COSH", "COSH(x)", Unary::Cosh, "hyperbolic cosine"),
    unary("TANH", "TANH(x)", Unary::Tanh, "hyperbolic tangent"),
    unary("AINT", "AINT(x)", Unary::Truncate, "x without its fraction"),
    unary("INT", "INT(x)", Unary::Truncate, "x without its fraction"),
    unary(
        "ANINT",
        "ANINT(x)",
        Unary::Round,
        "nearest integer, halves away from zero",
    ),
    unary(
        "NINT",
        "NINT(x)",
        Unary::Round,
        "nearest integer, halves away from zero",
    ),
    binary(
        "ATAN2",
        "ATAN2(y, x)",
        Binary::Atan2,
        2,
        "angle of the point (x, y) in radians",
    ),
    binary(
        "MOD",
        "MOD(a, b)",
        Binary::Mod,
        2,
        "remainder a - b*AINT(a/b)",
    ),
    binary(
        "SIGN",
        "SIGN(a, b)",
        Binary::Sign,
        2,
        "magnitude of a with the sign of b",
    ),
    binary("MIN", "MIN(a, b, ...)", Binary::Min, MANY, "smallest"),
    binary("MAX", "MAX(a, b, ...)", Binary::Max, MANY, "greatest"),
    function(
        "DIM",
        "DIM(a, b)",
        [2, 2],
        Rule::Dim,
        "a - b where positive, else 0",
    ),
    function(
        "IF",
        "IF(e: a, b, c)",
        [4, 4],
        Rule::If,
        "a where e < 0, b where e = 0, c where e > 0",
    ),
    step(
        "STEP",
        "STEP(x, x0, h0, x1, h1)",
        Unary::Smooth3,
        "cubic step from h0 at x0 to h1 at x1, in either order; a jump where they are equal",
    ),
    step(
        "STEP5",
        "STEP5(x, x0, h0, x1, h1)",
        Unary::Smooth5,
        "quintic step from h0 to h1",
    ),
    step(
        "HAVSIN",
        "HAVSIN(x, x0, h0, x1, h1)",
        Unary::SmoothCos,
        "haversine step from h0 to h1",
    ),
    function(
        "SHF",
        "SHF(x, x0, a, w, phi, b)",
        [4, 6],
        Rule::Shf,
        "a*SIN(w*(x-x0) - phi) + b",
    ),
    function(
        "POLY",
        "POLY(x, x0, a0, a1, ...)",
        [3, 2 + SERIES],
        Rule::Poly,
        "sum of aj*(x-x0)**j",
    ),
    function(
        "CHEBY",
        "CHEBY(x, x0, a0, a1, ...)",
        [3, 2 + SERIES],
        Rule::Cheby,
        "sum of aj*Tj(x-x0), Chebyshev polynomials of the first kind",
    ),
    function(
        "FORCOS",
        "FORCOS(x, x0, w, a0, a1, ...)",
        [4, 3 + SERIES],
        Rule::Fourier(Unary::Cos),
        "a0 + sum of aj*COS(j*w*(x-x0))",
    ),
    function(
        "FORSIN",
        "FORSIN(x, x0, w, a0, a1, ...)",
        [4, 3 + SERIES],
        Rule::Fourier(Unary::Sin),
        "a0 + sum of aj*SIN(j*w*(x-x0))",
    ),
    function(
        "SWEEP",
        "SWEEP(x, a, x0, f0, x1, f1, dx)",
        [7, 7],
        Rule::Sweep,
        "sine of amplitude a*STEP5(x, 0, 0, dx, 1) whose frequency goes from f0 at x0 to f1 at x1",
    ),
    function(
        "IMPACT",
        "IMPACT(x, v, x1, k, e, c, d)",
        [7, 7],
        Rule::Impact,
        "MAX(0, k*(x1-x)**e - v*STEP(x, x1-d, c, x1, 0)) where x < x1, else 0",
    ),
    function(
        "BISTOP",
        "BISTOP(x, v, x1, x2, k, e, c, d)",
        [8, 8],
        Rule::Bistop,
        "IMPACT at x1 and its mirror image at x2",
    ),
    function(
        "AKISPL",
        "AKISPL(x, z, spline, order)",
        [3, 4],
        Rule::Curve(Method::Akima),
        "Akima's curve through a spline's points, or its derivative of order 0, 1 or 2 by x",
    ),
    function(
        "CUBSPL",
        "CUBSPL(x, z, spline, order)",
        [3, 4],
        Rule::Curve(Method::Cubic(Ends::Natural)),
        "cubic curve with continuous curvature through a spline's points, or its derivative",
    ),
    function(
        "INTERP",
        "INTERP(x, method, spline)",
        [3, 3],
        Rule::Interp,
        "a spline's points joined by straight lines (method 1) or by CUBSPL's cubics (3)",
    ),
    function(
        "INVPSD",
        "INVPSD(x, spline, f0, f1, n, log, seed)",
        [7, 7],
        Rule::Noise,
        "random signal of n sines from f0 to f1, with the one-sided power spectral density of a spline over frequency",
    ),
    function(
        "ARYVAL",
        "ARYVAL(name, i)",
        [2, 2],
        Rule::Array,
        "element i of an array or signal i of a control element, counted from 1",
    ),
    function(
        "DELAY",
        "DELAY(e, delay, history, longest)",
        [3, 4],
        Rule::Delay,
        "what e was a delay ago; before the start, what history was then",
    ),
];

/// The function of this name, capitals or not.
pub(super) fn function_named(name: &str) -> Option<&'static Function> {
    FUNCTIONS
        .iter()
        .find(|function| function.name.eq_ignore_ascii_case(name))
}

/// The value of the constant of this name, capitals or not.
pub(super) fn constant_named(name: &str) -> Option<f64> {
    CONSTANTS
        .iter()
        .find(|(constant, _)| constant.eq_ignore_ascii_case(name))
        .map(|(_, value)| *value)
}

impl Function {
    /// How many arguments it takes, in words.
    pub(super) fn arity(&self) -> String {
        let Self { least, most, .. } = self;
        let plural = if *most == 1 { "" } else { "s" };
        if least == most {
            format!("{least} argument{plural}")
        } else {
            format!("{least} to {most} arguments")
        }
    }
}

/// A row of the table.
const fn function(
    name: &'static str,
    signature: &'static str,
    [least, most]: [usize; 2],
    rule: Rule,
    summary: &'static str,
) -> Function {
    Function {
        name,
        least,
        most,
        signature,
        summary,
        rule,
    }
}

/// A row for an operation on one operand.
const fn unary(
    name: &'static str,
    signature: &'static str,
    op: Unary,
    summary: &'static str,
) -> Function {
    function(name, signature, [1, 1], Rule::Unary(op), summary)
}

/// A row for an operation on two operands.
const fn binary(
    name: &'static str,
    signature: &'static str,
    op: Binary,
    most: usize,
    summary: &'static str,
) -> Function {
    function(name, signature, [2, most], Rule::Binary(op), summary)
}

/// A row for a smooth step.
const fn step(
    name: &'static str,
    signature: &'static str,
    profile: Unary,
    summary: &'static str,
) -> Function {
    function(name, signature, [5, 5], Rule::Step(profile), summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_consistent() {
        for (k, function) in FUNCTIONS.iter().enumerate() {
            let name = function.name;
            assert_eq!(name, name.to_ascii_uppercase());
            assert!(
                function.signature.starts_with(&format!("{name}(")),
                "{name}"
            );
            assert!(
                FUNCTIONS[..k].iter().all(|other| other.name != name),
                "{name} twice"
            );
            assert!(constant_named(name).is_none(), "{name} is a constant too");
            assert!(
                function.least <= function.most && function.least > 0,
                "{name}"
            );
            let listed = function.signature.matches([',', ':']).count() + 1;
            let open = function.signature.contains("...");
            assert!(
                open || listed == function.most,
                "{name}: {}",
                function.signature
            );
        }
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(
            function_named("havSin").map(|function| function.name),
            Some("HAVSIN")
        );
        assert!(function_named("DX").is_none());
        assert_eq!(constant_named("pi"), Some(PI));
        assert_eq!(constant_named("TIME"), None);
    }
}
