//! Data plane: dual numbers, values with slopes in N variables (forward-mode differentiation), for laws too long to
//! differentiate by hand. With N = 0 the same operations give the value only.
//!
//! ```text
//! f(a):  (f(a), f′(a) ∂a)                                                      (DUA-1)
//! ```
//! Operations do not depend on values, except through [`Dual::select`], which picks one of two results.

use super::{atan, cos, exp, sin};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use core::ops::{Add, Div, Mul, Neg, Sub};

/// A value and its slopes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize> {
    /// The value.
    pub value: f64,
    /// ∂value/∂(each variable).
    pub slopes: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// A constant: all slopes are zero.
    pub const fn constant(value: f64) -> Self {
        Self {
            value,
            slopes: [0.0; N],
        }
    }

    /// The k-th variable; with N = 0 the value only.
    pub fn variable(value: f64, k: usize) -> Self {
        Self {
            value,
            slopes: core::array::from_fn(|n| f64::from(u8::from(n == k))),
        }
    }

    /// (DUA-1): a function's value and derivative at this value.
    #[must_use]
    pub fn chain(self, value: f64, derivative: f64) -> Self {
        Self {
            value,
            slopes: self.slopes.map(|s| s * derivative),
        }
    }

    /// A function of two arguments, given with its slope in each.
    fn both(value: f64, (a, by_a): (Self, f64), (b, by_b): (Self, f64)) -> Self {
        Self {
            value,
            slopes: core::array::from_fn(|k| a.slopes[k] * by_a + b.slopes[k] * by_b),
        }
    }

    /// A function of M arguments, given with its slopes in them.
    #[must_use]
    pub fn compose<const M: usize>(outer: &Dual<M>, arguments: &[Self; M]) -> Self {
        let mut slopes = [0.0; N];
        for (argument, by) in arguments.iter().zip(&outer.slopes) {
            for (slope, s) in slopes.iter_mut().zip(&argument.slopes) {
                *slope += s * by;
            }
        }
        Self {
            value: outer.value,
            slopes,
        }
    }

    /// Picks one of two results.
    #[must_use]
    pub fn select(first: bool, a: Self, b: Self) -> Self {
        Self {
            value: if first { a.value } else { b.value },
            slopes: core::array::from_fn(|k| if first { a.slopes[k] } else { b.slopes[k] }),
        }
    }

    /// Sine.
    #[must_use]
    pub fn sin(self) -> Self {
        self.chain(sin(self.value), cos(self.value))
    }

    /// Cosine.
    #[must_use]
    pub fn cos(self) -> Self {
        self.chain(cos(self.value), -sin(self.value))
    }

    /// Arc tangent.
    #[must_use]
    pub fn atan(self) -> Self {
        self.chain(atan(self.value), 1.0 / (1.0 + self.value * self.value))
    }

    /// cos(arctan x), without a transcendental.
    #[must_use]
    pub fn cos_atan(self) -> Self {
        let square = 1.0 + self.value * self.value;
        let root = square.sqrt();
        self.chain(1.0 / root, -self.value / (square * root))
    }

    /// Exponential.
    #[must_use]
    pub fn exp(self) -> Self {
        let value = exp(self.value);
        self.chain(value, value)
    }

    /// Square root; at zero its slope is taken as zero.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let root = self.value.max(0.0).sqrt();
        let slope = 0.5 / root.max(f64::MIN_POSITIVE);
        self.chain(root, if root > 0.0 { slope } else { 0.0 })
    }

    /// Magnitude.
    #[must_use]
    pub fn abs(self) -> Self {
        self.chain(self.value.abs(), 1.0_f64.copysign(self.value))
    }

    /// Square.
    #[must_use]
    pub fn square(self) -> Self {
        self.chain(self.value * self.value, 2.0 * self.value)
    }

    /// The value clamped to a range.
    #[must_use]
    pub fn clamp(self, least: f64, most: f64) -> Self {
        let inside = self.value > least && self.value < most;
        let value = self.value.max(least).min(most);
        self.chain(value, f64::from(u8::from(inside)))
    }

    /// The larger of the value and a constant.
    #[must_use]
    pub fn at_least(self, least: f64) -> Self {
        self.clamp(least, f64::INFINITY)
    }

    /// y²(3 − 2y), with y clamped to 0 … 1.
    #[must_use]
    pub fn smooth_step(self) -> Self {
        let y = self.value.clamp(0.0, 1.0);
        self.chain(y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y))
    }
}

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;

    fn neg(self) -> Self {
        self.chain(-self.value, -1.0)
    }
}

impl<const N: usize> Add for Dual<N> {
    type Output = Self;

    fn add(self, b: Self) -> Self {
        Self {
            value: self.value + b.value,
            slopes: core::array::from_fn(|k| self.slopes[k] + b.slopes[k]),
        }
    }
}

impl<const N: usize> Sub for Dual<N> {
    type Output = Self;

    fn sub(self, b: Self) -> Self {
        Self {
            value: self.value - b.value,
            slopes: core::array::from_fn(|k| self.slopes[k] - b.slopes[k]),
        }
    }
}

impl<const N: usize> Mul for Dual<N> {
    type Output = Self;

    fn mul(self, b: Self) -> Self {
        Self::both(self.value * b.value, (self, b.value), (b, self.value))
    }
}

impl<const N: usize> Div for Dual<N> {
    type Output = Self;

    fn div(self, b: Self) -> Self {
        let value = self.value / b.value;
        Self::both(value, (self, 1.0 / b.value), (b, -value / b.value))
    }
}

impl<const N: usize> Add<f64> for Dual<N> {
    type Output = Self;

    fn add(self, b: f64) -> Self {
        Self {
            value: self.value + b,
            ..self
        }
    }
}

impl<const N: usize> Sub<f64> for Dual<N> {
    type Output = Self;

    fn sub(self, b: f64) -> Self {
        Self {
            value: self.value - b,
            ..self
        }
    }
}

impl<const N: usize> Mul<f64> for Dual<N> {
    type Output = Self;

    fn mul(self, b: f64) -> Self {
        self.chain(self.value * b, b)
    }
}

impl<const N: usize> Div<f64> for Dual<N> {
    type Output = Self;

    fn div(self, b: f64) -> Self {
        self.chain(self.value / b, 1.0 / b)
    }
}

/// The value of a product.
fn product<const N: usize>((a, b): (&Dual<N>, &Dual<N>)) -> f64 {
    a.value * b.value
}

/// The k-th slope of a product, by the operations of `a * b`.
fn slope<const N: usize>((a, b): (&Dual<N>, &Dual<N>), k: usize) -> f64 {
    a.slopes[k] * b.value + b.slopes[k] * a.value
}

/// A vector of three dual numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualVec<const N: usize>(pub [Dual<N>; 3]);

impl<const N: usize> DualVec<N> {
    /// Zero.
    pub const fn zero() -> Self {
        Self([Dual::constant(0.0); 3])
    }

    /// Inner product.
    #[must_use]
    pub fn dot(&self, b: &Self) -> Dual<N> {
        let [x, y, z] = [0, 1, 2].map(|k| (&self.0[k], &b.0[k]));
        Dual {
            value: product(x) + product(y) + product(z),
            slopes: core::array::from_fn(|k| slope(x, k) + slope(y, k) + slope(z, k)),
        }
    }

    /// Cross product.
    #[must_use]
    pub fn cross(&self, b: &Self) -> Self {
        let minor = |i: usize, j: usize| {
            let (one, other) = ((&self.0[i], &b.0[j]), (&self.0[j], &b.0[i]));
            Dual {
                value: product(one) - product(other),
                slopes: core::array::from_fn(|k| slope(one, k) - slope(other, k)),
            }
        };
        Self([minor(1, 2), minor(2, 0), minor(0, 1)])
    }

    /// The vector times a number.
    #[must_use]
    pub fn times(&self, k: &Dual<N>) -> Self {
        Self(core::array::from_fn(|at| self.0[at] * *k))
    }

    /// Sum.
    #[must_use]
    pub fn plus(&self, b: &Self) -> Self {
        Self(core::array::from_fn(|k| self.0[k] + b.0[k]))
    }

    /// Difference.
    #[must_use]
    pub fn minus(&self, b: &Self) -> Self {
        Self(core::array::from_fn(|k| self.0[k] - b.0[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses every operation, in two variables.
    fn f<const N: usize>(x: f64, y: f64) -> Dual<N> {
        let (x, y) = (Dual::<N>::variable(x, 0), Dual::<N>::variable(y, 1));
        let a = (x * y + 2.0).sin() / (y.square() + 1.5).sqrt() - (x * 3.0).atan();
        let b = (a * 0.3 - x).exp().cos() * (x - y).abs();
        let c = (y / 4.0).cos_atan() + (x * 0.4 + 0.3).smooth_step() - y.clamp(-0.5, 0.5);
        let u = DualVec([a, b, c]);
        let v = DualVec([x, -y, x / y]);
        let w = u.cross(&v).plus(&u).minus(&v.times(&b));
        w.dot(&u) + Dual::select(x.value > y.value, a, c).at_least(-0.2)
    }

    #[test]
    fn slopes_are_those_of_the_values() {
        let h = 1e-6;
        for (x, y) in [(0.3, -0.7), (0.9, 0.4), (-0.6, 1.3), (0.1, 0.2)] {
            let at = |x, y| f::<0>(x, y).value;
            let whole = f::<2>(x, y);
            assert_eq!(whole.value.to_bits(), at(x, y).to_bits());
            let by_x = (at(x + h, y) - at(x - h, y)) / (2.0 * h);
            let by_y = (at(x, y + h) - at(x, y - h)) / (2.0 * h);
            assert!(
                (whole.slopes[0] - by_x).abs() < 1e-7 * (1.0 + by_x.abs()),
                "{x} {y}"
            );
            assert!(
                (whole.slopes[1] - by_y).abs() < 1e-7 * (1.0 + by_y.abs()),
                "{x} {y}"
            );
        }
    }

    #[test]
    fn a_function_of_functions_has_the_chain_of_slopes() {
        let outer =
            |a: f64, b: f64| Dual::<2>::variable(a, 0).sin() * Dual::<2>::variable(b, 1).square();
        let (x, y) = (Dual::<2>::variable(0.4, 0), Dual::<2>::variable(1.1, 1));
        let (a, b) = (x * y, x - y);
        let direct = a.sin() * b.square();
        let composed = Dual::compose(&outer(a.value, b.value), &[a, b]);
        for k in 0..2 {
            assert!((direct.slopes[k] - composed.slopes[k]).abs() < 1e-15);
        }
    }
}
