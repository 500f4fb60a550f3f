//! Control plane: shape functions, with derivatives by the rules for sums and products.

use fixstep_kernel::math::Vec3;
use std::ops::{Add, Mul, Sub};

/// A value at a point of an element and its slopes in the element's own coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sloped {
    pub(super) value: f64,
    pub(super) slope: Vec3,
}

impl Sloped {
    /// A number.
    pub(super) fn constant(value: f64) -> Self {
        Self {
            value,
            slope: Vec3::zeros(),
        }
    }

    /// One of the coordinates.
    pub(super) fn coordinate(at: &Vec3, axis: usize) -> Self {
        Self {
            value: at[axis],
            slope: Vec3::ith(axis, 1.0),
        }
    }
}

impl Add for Sloped {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            slope: self.slope + other.slope,
        }
    }
}

impl Sub for Sloped {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul for Sloped {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            slope: self.slope * other.value + other.slope * self.value,
        }
    }
}

impl Mul<f64> for Sloped {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            value: self.value * factor,
            slope: self.slope * factor,
        }
    }
}
