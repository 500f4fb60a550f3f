//! Data plane: functions of floating-point numbers that `core` lacks, for a kernel without the standard library.
//!
//! With the feature `std` the standard library provides them, and this module is not compiled. Both give the same
//! bits: square roots, rounding and fused multiply-add are exact everywhere.

/// Functions that numbers lack without the standard library.
pub(crate) trait Float {
    /// Square root.
    fn sqrt(self) -> Self;

    /// The largest integer that is not above it.
    fn floor(self) -> Self;

    /// The smallest integer that is not below it.
    fn ceil(self) -> Self;

    /// The nearest integer; halves are rounded away from zero.
    fn round(self) -> Self;

    /// Its integer part.
    fn trunc(self) -> Self;

    /// Its fractional part.
    fn fract(self) -> Self;

    /// self a + b, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
}

impl Float for f64 {
    #[inline(always)]
    fn sqrt(self) -> Self {
        libm::sqrt(self)
    }

    #[inline(always)]
    fn floor(self) -> Self {
        libm::floor(self)
    }

    #[inline(always)]
    fn ceil(self) -> Self {
        libm::ceil(self)
    }

    #[inline(always)]
    fn round(self) -> Self {
        libm::round(self)
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        libm::trunc(self)
    }

    #[inline(always)]
    fn fract(self) -> Self {
        self - libm::trunc(self)
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        libm::fma(self, a, b)
    }
}
