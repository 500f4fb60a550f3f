//! Data plane: operations with possibly non-finite results, computed without raising floating-point exceptions, which
//! a host may have set to trap.
//!
//! All branches of an expression are evaluated. The values of branches that are not taken have no effect, and must
//! not end a host's process either. Results are the same as without these guards, bit for bit if they are numbers.
//! Functions that call others are never inlined, since the guards would enlarge their callers.

use crate::math;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;

/// Above it eˣ overflows.
const LARGEST_EXPONENT: f64 = 709.782_712_893_384;
/// Above it aᵇ overflows by more than rounding, for the value b ln a.
const LARGEST_POWER: f64 = 709.7828;
/// Above it sinh and cosh overflow by more than rounding.
const LARGEST_HYPERBOLIC: f64 = 710.476;
/// The binary exponent at which numbers overflow.
const LARGEST_BINARY: f64 = 1024.0;

/// a/b.
#[inline]
pub(super) fn divide(a: f64, b: f64) -> f64 {
    if b == 0.0 { by_zero(a, b) } else { a / b }
}

/// a/b with b = ±0.
#[cold]
#[inline(never)]
fn by_zero(a: f64, b: f64) -> f64 {
    if a == 0.0 || a.is_nan() {
        f64::NAN
    } else {
        f64::INFINITY.copysign(a) * 1.0_f64.copysign(b)
    }
}

/// NaN, from a function that is not inlined: if both sides of a branch were plain operations, the compiler might do
/// both and select one.
#[cold]
#[inline(never)]
fn nothing(x: f64) -> f64 {
    f64::NAN.copysign(x)
}

/// √x.
#[inline]
pub(super) fn sqrt(x: f64) -> f64 {
    if x < 0.0 { nothing(x) } else { x.sqrt() }
}

/// A logarithm.
#[inline(always)]
fn log(x: f64, of: fn(f64) -> f64) -> f64 {
    if x > 0.0 {
        of(x)
    } else if x == 0.0 {
        f64::NEG_INFINITY
    } else {
        f64::NAN
    }
}

/// A sine, cosine or tangent.
#[inline(always)]
fn periodic(x: f64, of: fn(f64) -> f64) -> f64 {
    if x.is_infinite() { f64::NAN } else { of(x) }
}

/// arcsin or arccos.
#[inline(always)]
fn arc(x: f64, of: fn(f64) -> f64) -> f64 {
    if x.abs() > 1.0 { f64::NAN } else { of(x) }
}

/// ln x.
#[inline(never)]
pub(super) fn ln(x: f64) -> f64 {
    log(x, math::ln)
}

/// log₁₀ x.
#[inline(never)]
pub(super) fn log10(x: f64) -> f64 {
    log(x, math::log10)
}

/// sin x.
#[inline(never)]
pub(super) fn sin(x: f64) -> f64 {
    periodic(x, math::sin)
}

/// cos x.
#[inline(never)]
pub(super) fn cos(x: f64) -> f64 {
    periodic(x, math::cos)
}

/// tan x.
#[inline(never)]
pub(super) fn tan(x: f64) -> f64 {
    periodic(x, math::tan)
}

/// arcsin x.
#[inline(never)]
pub(super) fn asin(x: f64) -> f64 {
    arc(x, math::asin)
}

/// arccos x.
#[inline(never)]
pub(super) fn acos(x: f64) -> f64 {
    arc(x, math::acos)
}

/// eˣ.
#[inline(never)]
pub(super) fn exp(x: f64) -> f64 {
    if x > LARGEST_EXPONENT {
        f64::INFINITY
    } else {
        math::exp(x)
    }
}

/// sinh x.
#[inline(never)]
pub(super) fn sinh(x: f64) -> f64 {
    if x.abs() > LARGEST_HYPERBOLIC {
        f64::INFINITY.copysign(x)
    } else {
        math::sinh(x)
    }
}

/// cosh x.
#[inline(never)]
pub(super) fn cosh(x: f64) -> f64 {
    if x.abs() > LARGEST_HYPERBOLIC {
        f64::INFINITY
    } else {
        math::cosh(x)
    }
}

/// The remainder of a/b.
#[inline(never)]
pub(super) fn remainder(a: f64, b: f64) -> f64 {
    if b == 0.0 || a.is_infinite() {
        nothing(a)
    } else {
        a % b
    }
}

/// aᵇ.
#[inline(never)]
pub(super) fn pow(a: f64, b: f64) -> f64 {
    // 1/aᵇ for a zero, or a root of a negative number.
    if a <= 0.0 && b.is_finite() {
        let whole = b.trunc() == b;
        if a == 0.0 && b < 0.0 {
            return if is_odd(b) {
                f64::INFINITY.copysign(a)
            } else {
                f64::INFINITY
            };
        }
        if a != 0.0 && !whole && a.is_finite() {
            return f64::NAN;
        }
    }
    if overflows(a, b) {
        return if a < 0.0 && is_odd(b) {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        };
    }
    math::pow(a, b)
}

/// Is it an odd number?
fn is_odd(b: f64) -> bool {
    b.trunc() == b && (b * 0.5).trunc() != b * 0.5
}

/// Does aᵇ overflow, for finite numbers?
fn overflows(a: f64, b: f64) -> bool {
    // 2^e ≤ |a| < 2^(e + 1), except for the smallest numbers.
    let biased = (a.to_bits() >> 52) & 0x7ff;
    let e = biased as f64 - 1023.0;
    let most = if b > 0.0 { b * (e + 1.0) } else { b * e };
    let may = most >= LARGEST_BINARY && biased > 0 && biased < 0x7ff && b.is_finite();
    may && b * math::ln(a.abs()) > LARGEST_POWER
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    const NUMBERS: [f64; 24] = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        2.0,
        -2.0,
        3.0,
        -3.0,
        1.5,
        -1.5,
        700.0,
        -709.0,
        709.78,
        709.79,
        711.0,
        -711.0,
        1e300,
        -1e300,
        1e-300,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];

    fn same(what: &str, found: f64, plain: f64) {
        let nothing = found.is_nan() && plain.is_nan();
        assert!(
            nothing || found.to_bits() == plain.to_bits(),
            "{what}: {found} for {plain}"
        );
    }

    #[test]
    fn results_are_those_of_the_plain_operations() {
        for x in NUMBERS.into_iter().chain([f64::NAN]) {
            same(&format!("sqrt {x}"), sqrt(x), x.sqrt());
            same(&format!("ln {x}"), ln(x), math::ln(x));
            same(&format!("log10 {x}"), log10(x), math::log10(x));
            same(&format!("sin {x}"), sin(x), math::sin(x));
            same(&format!("asin {x}"), asin(x), math::asin(x));
            same(&format!("acos {x}"), acos(x), math::acos(x));
            same(&format!("exp {x}"), exp(x), math::exp(x));
            same(&format!("sinh {x}"), sinh(x), math::sinh(x));
            same(&format!("cosh {x}"), cosh(x), math::cosh(x));
            for y in NUMBERS
                .into_iter()
                .chain([f64::NAN, 1023.0, 1024.5, -1075.0])
            {
                same(&format!("{x}/{y}"), divide(x, y), x / y);
                same(&format!("{x} mod {y}"), remainder(x, y), x % y);
                same(&format!("{x}^{y}"), pow(x, y), math::pow(x, y));
            }
        }
    }

    #[test]
    fn powers_near_the_largest_number_are_those_of_the_library() {
        for k in 0..4000_i32 {
            let a = 1.001 + 0.37 * f64::from(k);
            let most = 709.782_712_893_384 / math::ln(a);
            for part in [0.5, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 1.0 + 1e-6, 1.5] {
                for (base, exponent) in [(a, most * part), (1.0 / a, -most * part)] {
                    same("power", pow(base, exponent), math::pow(base, exponent));
                }
            }
        }
    }
}
