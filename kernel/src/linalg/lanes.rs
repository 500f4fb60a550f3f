//! SIMD on six numbers at a time, with the instruction set chosen once at load (data plane).
//!
//! The loops over tiles are written once, on columns of six ([`Lanes`]). Every entry keeps its own order of
//! operations whatever the vector width, so the baseline and AVX2 give the same bits. Fused multiply-add rounds once
//! instead of twice and gives other bits; it is used only if the model asks for it.

use super::TILE;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::vec;
use alloc::vec::Vec;

#[cfg(target_arch = "x86_64")]
mod x86;

/// A column of a tile, or a block of a padded vector.
pub type Column = [f64; TILE];

/// A column in registers, and its operations, lane by lane.
#[expect(
    clippy::return_self_not_must_use,
    reason = "arithmetic whose results are always used"
)]
pub trait Lanes: Copy {
    /// Loads from memory.
    fn load(from: &Column) -> Self;

    /// Stores to memory.
    fn store(self, to: &mut Column);

    /// The same number six times.
    fn splat(x: f64) -> Self;

    /// Product.
    fn times(self, b: Self) -> Self;

    /// Quotient.
    fn over(self, b: Self) -> Self;

    /// Sum.
    fn and(self, b: Self) -> Self;

    /// Difference.
    fn less(self, b: Self) -> Self;

    /// self + a b.
    fn plus(self, a: Self, b: Self) -> Self;

    /// self − a b.
    fn minus(self, a: Self, b: Self) -> Self;

    /// Magnitudes.
    fn magnitude(self) -> Self;

    /// The larger ones; a NaN in self is dropped.
    fn larger(self, b: Self) -> Self;

    /// One lane.
    fn lane<const K: usize>(self) -> f64;

    /// One lane copied to all six.
    fn spread<const K: usize>(self) -> Self;

    /// Replaces one lane.
    fn with<const K: usize>(self, x: f64) -> Self;
}

/// Six scalars; products fused with sums or not.
#[derive(Clone, Copy, Debug)]
pub struct Plain<const FUSED: bool>(Column);

impl<const FUSED: bool> Plain<FUSED> {
    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(core::array::from_fn(|i| f(self.0[i], b.0[i])))
    }
}

impl<const FUSED: bool> Lanes for Plain<FUSED> {
    #[inline(always)]
    fn load(from: &Column) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut Column) {
        *to = self.0;
    }

    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; TILE])
    }

    #[inline(always)]
    fn times(self, b: Self) -> Self {
        self.zip(b, |a, b| a * b)
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        self.zip(b, |a, b| a / b)
    }

    #[inline(always)]
    fn and(self, b: Self) -> Self {
        self.zip(b, |a, b| a + b)
    }

    #[inline(always)]
    fn less(self, b: Self) -> Self {
        self.zip(b, |a, b| a - b)
    }

    #[inline(always)]
    #[cfg_attr(
        feature = "std",
        expect(clippy::disallowed_methods, reason = "where the model asks for it")
    )]
    fn plus(self, a: Self, b: Self) -> Self {
        if FUSED {
            Self(core::array::from_fn(|i| a.0[i].mul_add(b.0[i], self.0[i])))
        } else {
            self.and(a.times(b))
        }
    }

    #[inline(always)]
    fn minus(self, a: Self, b: Self) -> Self {
        if FUSED {
            self.plus(a.map(|x| -x), b)
        } else {
            self.less(a.times(b))
        }
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        self.map(f64::abs)
    }

    #[inline(always)]
    fn larger(self, b: Self) -> Self {
        self.zip(b, super::kernels::larger)
    }

    #[inline(always)]
    fn lane<const K: usize>(self) -> f64 {
        self.0[K]
    }

    #[inline(always)]
    fn spread<const K: usize>(self) -> Self {
        Self::splat(self.0[K])
    }

    #[inline(always)]
    fn with<const K: usize>(mut self, x: f64) -> Self {
        self.0[K] = x;
        self
    }
}

/// Work on columns; every function that it calls for this is inlined.
pub trait Work {
    /// Its result.
    type Output;

    /// Performs it.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// An instruction set for work on columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InstructionSet {
    /// The baseline of the architecture, which every processor has.
    #[default]
    Baseline,
    /// The baseline with fused multiply-add, which this architecture always has.
    #[cfg(target_arch = "aarch64")]
    Fused,
    /// AVX2, fused or not.
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
}

impl InstructionSet {
    /// The widest one on this machine that gives the same bits on all machines.
    pub fn exact() -> Self {
        Self::all(false).pop().unwrap_or_default()
    }

    /// The fastest one on this machine.
    pub fn fast() -> Self {
        Self::all(true).pop().unwrap_or_default()
    }

    /// All that this machine has, the widest last. Control plane.
    pub fn all(fused: bool) -> Vec<Self> {
        let mut all = vec![Self::Baseline];
        #[cfg(target_arch = "x86_64")]
        all.extend(x86::Avx2::new(fused).map(Self::Avx2));
        #[cfg(target_arch = "aarch64")]
        all.extend(fused.then_some(Self::Fused));
        all
    }

    /// Runs some work.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            Self::Baseline => work.run::<Plain<false>>(),
            #[cfg(target_arch = "aarch64")]
            Self::Fused => work.run::<Plain<true>>(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(set) => set.run(work),
        }
    }
}
