//! Data plane: the functions of numbers that `core` lacks, for a kernel without the standard library.
//!
//! With the feature `std` numbers have them by themselves, and this module is not there. All give the same bits as
//! those: roots, roundings and fused multiply-add are exact everywhere.

/// What numbers cannot do by themselves without the standard library.
pub(crate) trait Float {
    /// Square root.
    fn sqrt(self) -> Self;

    /// The largest whole number that is not above it.
    fn floor(self) -> Self;

    /// The smallest whole number that is not below it.
    fn ceil(self) -> Self;

    /// The nearest whole number, from halves away from zero.
    fn round(self) -> Self;

    /// Its whole part.
    fn trunc(self) -> Self;

    /// What its whole part leaves.
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
