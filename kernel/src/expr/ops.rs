//! Data plane: the operations of a program, their values and their partial derivatives.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::sync::Arc;
use core::f64::consts::{FRAC_PI_2, LN_10, PI};

use super::quiet;
use crate::math;
use crate::math::spline::Curve;
use serde::{Deserialize, Serialize};

/// Index of a value in the registers of a program.
pub type Register = u32;

/// One operation; it writes its own register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operation {
    /// A function of one operand.
    Unary(Unary, Register),
    /// A function of two operands.
    Binary(Binary, Register, Register),
    /// `[x, x0, x1]`: (x − x0)/(x1 − x0), clamped to 0 … 1.
    Ramp([Register; 3]),
    /// `[h0, h1, s]`: h0 + (h1 − h0) s.
    Blend([Register; 3]),
    /// `[e, a, b, c]`: a where e < 0, b where e = 0, c where e > 0.
    Select([Register; 4]),
    /// ∂ⁿf/∂xⁿ of a curve or surface at `[x, z]`.
    Curve(CurveId, u8, [Register; 2]),
}

/// Index of a curve in its program.
pub type CurveId = u16;

/// Functions of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Unary {
    /// −x.
    Negate,
    /// |x|.
    Abs,
    /// √x.
    Sqrt,
    /// eˣ.
    Exp,
    /// ln x.
    Log,
    /// log₁₀ x.
    Log10,
    /// sin x.
    Sin,
    /// cos x.
    Cos,
    /// tan x.
    Tan,
    /// arcsin x.
    Asin,
    /// arccos x.
    Acos,
    /// arctan x.
    Atan,
    /// sinh x.
    Sinh,
    /// cosh x.
    Cosh,
    /// tanh x.
    Tanh,
    /// Rounds towards zero.
    Truncate,
    /// Rounds to the nearest integer, halves away from zero.
    Round,
    /// D² (3 − 2D).
    Smooth3,
    /// D³ (10 − 15D + 6D²).
    Smooth5,
    /// (1 − cos πD)/2.
    SmoothCos,
}

/// Functions of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Binary {
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// a · b.
    Multiply,
    /// a / b.
    Divide,
    /// Power with a variable exponent.
    Power,
    /// Power with a constant exponent.
    PowerConstant,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// Remainder of a truncating division.
    Mod,
    /// Magnitude of the first with the sign of the second.
    Sign,
    /// Angle of the point (second, first).
    Atan2,
}

/// Product in a chain rule: zero times infinity is zero.
pub(super) fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

impl Operation {
    /// The value from the registers of the operands.
    #[inline]
    pub fn value(&self, registers: &[f64], curves: &[Arc<Curve>]) -> f64 {
        let at = |register: Register| registers[register as usize];
        match *self {
            Self::Unary(op, a) => op.value(at(a)),
            Self::Binary(op, a, b) => op.value(at(a), at(b)),
            Self::Ramp([x, x0, x1]) => ramp(at(x), at(x0), at(x1)),
            Self::Blend([h0, h1, s]) => blend(at(h0), at(h1), at(s)),
            Self::Select([e, a, b, c]) => select(at(e), [at(a), at(b), at(c)]),
            Self::Curve(curve, order, [x, z]) => {
                curves[curve as usize].value(at(x), at(z), order).0
            }
        }
    }

    /// The same operation with other registers.
    #[expect(
        clippy::return_self_not_must_use,
        reason = "also called only to visit the registers"
    )]
    pub fn map(&self, mut to: impl FnMut(Register) -> Register) -> Self {
        match *self {
            Self::Unary(op, a) => Self::Unary(op, to(a)),
            Self::Binary(op, a, b) => {
                let a = to(a);
                Self::Binary(op, a, to(b))
            }
            Self::Ramp(operands) => Self::Ramp(operands.map(to)),
            Self::Blend(operands) => Self::Blend(operands.map(to)),
            Self::Select(operands) => Self::Select(operands.map(to)),
            Self::Curve(curve, order, operands) => Self::Curve(curve, order, operands.map(to)),
        }
    }
}

/// (x − x0)/(x1 − x0), clamped to 0 … 1; for zero width, a jump just above x0.
pub(super) fn ramp(x: f64, x0: f64, x1: f64) -> f64 {
    let width = x1 - x0;
    if width == 0.0 {
        return select(x - x0, [0.0, 0.0, 1.0]);
    }
    ((x - x0) / width).clamp(0.0, 1.0)
}

/// Partial derivatives of [`ramp`]; `d` is its value.
pub(super) fn ramp_slopes(d: f64, x0: f64, x1: f64) -> [f64; 3] {
    if d == 0.0 || d == 1.0 {
        return [0.0; 3];
    }
    let width = x1 - x0;
    [1.0 / width, (d - 1.0) / width, -d / width]
}

/// h0 + (h1 − h0) s, exact at both ends.
pub(super) fn blend(h0: f64, h1: f64, s: f64) -> f64 {
    if s == 0.0 {
        h0
    } else if s == 1.0 {
        h1
    } else {
        h0 + (h1 - h0) * s
    }
}

/// The branch that the sign of `e` selects; NaN for NaN.
pub(super) fn select(e: f64, [negative, zero, positive]: [f64; 3]) -> f64 {
    if e < 0.0 {
        negative
    } else if e > 0.0 {
        positive
    } else if e == 0.0 {
        zero
    } else {
        f64::NAN
    }
}

/// Sign of a number: −1, 0 or 1.
fn sign(x: f64) -> f64 {
    select(x, [-1.0, 0.0, 1.0])
}

impl Unary {
    /// The value.
    #[inline]
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Negate => -x,
            Self::Abs => x.abs(),
            Self::Sqrt => quiet::sqrt(x),
            Self::Exp => quiet::exp(x),
            Self::Log => quiet::ln(x),
            Self::Log10 => quiet::log10(x),
            Self::Sin => quiet::sin(x),
            Self::Cos => quiet::cos(x),
            Self::Tan => quiet::tan(x),
            Self::Asin => quiet::asin(x),
            Self::Acos => quiet::acos(x),
            Self::Atan => math::atan(x),
            Self::Sinh => quiet::sinh(x),
            Self::Cosh => quiet::cosh(x),
            Self::Tanh => math::tanh(x),
            Self::Truncate => x.trunc(),
            Self::Round => x.round(),
            Self::Smooth3 => x * x * (3.0 - 2.0 * x),
            Self::Smooth5 => x * x * x * (10.0 - 15.0 * x + 6.0 * x * x),
            Self::SmoothCos => 0.5 - 0.5 * quiet::cos(PI * x),
        }
    }

    /// The first derivative; `y` is the value at `x`.
    #[inline]
    pub(super) fn slope(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Negate => -1.0,
            Self::Abs => sign(x),
            Self::Sqrt => quiet::divide(0.5, y),
            Self::Exp => y,
            Self::Log => quiet::divide(1.0, x),
            Self::Log10 => quiet::divide(1.0, x * LN_10),
            Self::Sin => quiet::cos(x),
            Self::Cos => -quiet::sin(x),
            Self::Tan => 1.0 + y * y,
            Self::Asin => quiet::divide(1.0, quiet::sqrt((1.0 - x) * (1.0 + x))),
            Self::Acos => quiet::divide(-1.0, quiet::sqrt((1.0 - x) * (1.0 + x))),
            Self::Atan => 1.0 / (1.0 + x * x),
            Self::Sinh => quiet::cosh(x),
            Self::Cosh => quiet::sinh(x),
            Self::Tanh => (1.0 - y) * (1.0 + y),
            Self::Truncate | Self::Round => 0.0,
            Self::Smooth3 => 6.0 * x * (1.0 - x),
            Self::Smooth5 => 30.0 * (x * (1.0 - x)) * (x * (1.0 - x)),
            Self::SmoothCos => FRAC_PI_2 * quiet::sin(PI * x),
        }
    }

    /// The second derivative; `y` is the value at `x` and `slope` the first derivative.
    pub(super) fn curvature(self, x: f64, y: f64, slope: f64) -> f64 {
        match self {
            Self::Negate | Self::Abs | Self::Truncate | Self::Round => 0.0,
            Self::Sqrt => quiet::divide(-0.5 * slope, x),
            Self::Exp | Self::Sinh | Self::Cosh => y,
            Self::Log | Self::Log10 => quiet::divide(-slope, x),
            Self::Sin | Self::Cos => -y,
            Self::Tan => 2.0 * y * slope,
            Self::Asin | Self::Acos => quiet::divide(slope * x, (1.0 - x) * (1.0 + x)),
            Self::Atan => -2.0 * x * slope * slope,
            Self::Tanh => -2.0 * y * slope,
            Self::Smooth3 => 6.0 - 12.0 * x,
            Self::Smooth5 => 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
            Self::SmoothCos => PI * FRAC_PI_2 * quiet::cos(PI * x),
        }
    }
}

impl Binary {
    /// The value.
    #[inline]
    pub fn value(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => quiet::divide(a, b),
            Self::Power | Self::PowerConstant => quiet::pow(a, b),
            // NaN if either operand is NaN.
            Self::Min => pick(a < b || a.is_nan(), a, b),
            Self::Max => pick(a > b || a.is_nan(), a, b),
            // Exact in IEEE 754, so the same everywhere.
            Self::Mod => quiet::remainder(a, b),
            Self::Sign => select(b, [-a.abs(), a.abs(), a.abs()]),
            Self::Atan2 => math::atan2(a, b),
        }
    }

    /// The first derivatives; `y` is the value at `(a, b)`.
    #[inline]
    pub(super) fn slopes(self, a: f64, b: f64, y: f64) -> [f64; 2] {
        match self {
            Self::Add => [1.0, 1.0],
            Self::Subtract => [1.0, -1.0],
            Self::Multiply => [b, a],
            Self::Divide => [quiet::divide(1.0, b), quiet::divide(-y, b)],
            Self::Power => [power_slope(a, b, y), product(y, ln_or_zero(a))],
            Self::PowerConstant => [power_slope(a, b, y), 0.0],
            Self::Min => pick(a < b, [1.0, 0.0], [0.0, 1.0]),
            Self::Max => pick(a > b, [1.0, 0.0], [0.0, 1.0]),
            Self::Mod => [1.0, -quiet::divide(a, b).trunc()],
            Self::Sign => [sign(a) * pick(b < 0.0, -1.0, 1.0), 0.0],
            Self::Atan2 => {
                let (square, none) = square_of(a, b);
                pick(none, [0.0, 0.0], [b / square, -a / square])
            }
        }
    }

    /// The second derivatives ∂²/∂a², ∂²/∂a∂b, ∂²/∂b²; `y` is the value at `(a, b)`.
    pub(super) fn curvatures(self, a: f64, b: f64, y: f64) -> [f64; 3] {
        match self {
            Self::Add | Self::Subtract | Self::Min | Self::Max | Self::Mod | Self::Sign => [0.0; 3],
            Self::Multiply => [0.0, 1.0, 0.0],
            Self::Divide => {
                let square = b * b;
                [
                    0.0,
                    quiet::divide(-1.0, square),
                    quiet::divide(2.0 * y, square),
                ]
            }
            Self::Power => {
                let ln = ln_or_zero(a);
                let slope_over_b = if a == 0.0 {
                    quiet::pow(a, b - 1.0)
                } else {
                    y / a
                };
                let mixed = slope_over_b + product(power_slope(a, b, y), ln);
                [power_curvature(a, b, y), mixed, product(y, ln * ln)]
            }
            Self::PowerConstant => [power_curvature(a, b, y), 0.0, 0.0],
            Self::Atan2 => {
                let (square, none) = square_of(a, b);
                let [da, db] = self.slopes(a, b, y);
                let aa = -2.0 * da * a / square;
                let mixed = (a * a - b * b) / (square * square);
                pick(none, [0.0; 3], [aa, mixed, -2.0 * db * b / square])
            }
        }
    }
}

/// Picks one of two.
fn pick<T>(first: bool, a: T, b: T) -> T {
    if first { a } else { b }
}

/// a² + b² as a divisor, and whether it is zero: then it is replaced by one.
fn square_of(a: f64, b: f64) -> (f64, bool) {
    let square = a * a + b * b;
    if square == 0.0 {
        (1.0, true)
    } else {
        (square, false)
    }
}

/// ln a for the derivative in an exponent; zero for a ≤ 0, where there is no such derivative.
fn ln_or_zero(a: f64) -> f64 {
    if a > 0.0 { math::ln(a) } else { 0.0 }
}

/// ∂(aᵇ)/∂a; `y` is aᵇ. The quotient saves a second power.
fn power_slope(a: f64, b: f64, y: f64) -> f64 {
    if a == 0.0 {
        product(b, quiet::pow(a, b - 1.0))
    } else {
        b * (y / a)
    }
}

/// ∂²(aᵇ)/∂a²; `y` is aᵇ.
fn power_curvature(a: f64, b: f64, y: f64) -> f64 {
    if a == 0.0 {
        product(b * (b - 1.0), quiet::pow(a, b - 2.0))
    } else {
        b * (b - 1.0) * (y / a / a)
    }
}
