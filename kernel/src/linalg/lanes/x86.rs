//! Columns in AVX2 registers (data plane).
//!
//! A value of [`Avx2`] proves that the processor has the instructions: only [`Avx2::new`] makes one, after asking the
//! processor; without a standard library the compiler's target decides. The type of columns is private, and only
//! functions started by such a value use it.
//!
//! For the reasons against AVX-512 see docs/theory/linear-algebra.md.
#![expect(
    unsafe_code,
    reason = "instructions that not every processor has, asked for first; loads and stores by address"
)]
#![expect(
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    reason = "two reasons serve all blocks: see the module; addresses are those of references"
)]

use super::{Column, Lanes, Work};
use core::arch::x86_64 as arch;
use core::arch::x86_64::{__m128d, __m256d};

/// Does the processor have these instructions?
#[cfg(feature = "std")]
macro_rules! has {
    ($name:tt) => {
        std::arch::is_x86_feature_detected!($name)
    };
}

/// Are these instructions part of the compiler's target?
#[cfg(not(feature = "std"))]
macro_rules! has {
    ($name:tt) => {
        cfg!(target_feature = $name)
    };
}

/// AVX2 is available. The flag: are products fused with sums?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx2 {
    fused: bool,
}

impl Avx2 {
    /// `None` if the processor does not have it.
    pub(super) fn new(fused: bool) -> Option<Self> {
        let (avx2, fma) = (has!("avx2"), has!("fma"));
        (avx2 && (!fused || fma)).then_some(Self { fused })
    }

    /// Runs some work.
    #[inline]
    pub(super) fn run<W: Work>(self, work: W) -> W::Output {
        if self.fused {
            unsafe { with_avx2_fused(work) }
        } else {
            unsafe { with_avx2(work) }
        }
    }
}

#[target_feature(enable = "avx2")]
fn with_avx2<W: Work>(work: W) -> W::Output {
    work.run::<FourTwo<false>>()
}

#[target_feature(enable = "avx2,fma")]
fn with_avx2_fused<W: Work>(work: W) -> W::Output {
    work.run::<FourTwo<true>>()
}

/// A column in a register of four numbers and one of two.
#[derive(Clone, Copy)]
struct FourTwo<const FUSED: bool>(__m256d, __m128d);

impl<const FUSED: bool> Lanes for FourTwo<FUSED> {
    #[inline(always)]
    fn load(from: &Column) -> Self {
        let at = from.as_ptr();
        unsafe { Self(arch::_mm256_loadu_pd(at), arch::_mm_loadu_pd(at.add(4))) }
    }

    #[inline(always)]
    fn store(self, to: &mut Column) {
        let at = to.as_mut_ptr();
        unsafe {
            arch::_mm256_storeu_pd(at, self.0);
            arch::_mm_storeu_pd(at.add(4), self.1);
        }
    }

    #[inline(always)]
    fn splat(x: f64) -> Self {
        unsafe {
            let all = arch::_mm256_set1_pd(x);
            Self(all, arch::_mm256_castpd256_pd128(all))
        }
    }

    #[inline(always)]
    fn times(self, b: Self) -> Self {
        unsafe {
            Self(
                arch::_mm256_mul_pd(self.0, b.0),
                arch::_mm_mul_pd(self.1, b.1),
            )
        }
    }

    #[inline(always)]
    fn over(self, b: Self) -> Self {
        unsafe {
            Self(
                arch::_mm256_div_pd(self.0, b.0),
                arch::_mm_div_pd(self.1, b.1),
            )
        }
    }

    #[inline(always)]
    fn and(self, b: Self) -> Self {
        unsafe {
            Self(
                arch::_mm256_add_pd(self.0, b.0),
                arch::_mm_add_pd(self.1, b.1),
            )
        }
    }

    #[inline(always)]
    fn less(self, b: Self) -> Self {
        unsafe {
            Self(
                arch::_mm256_sub_pd(self.0, b.0),
                arch::_mm_sub_pd(self.1, b.1),
            )
        }
    }

    #[inline(always)]
    fn plus(self, a: Self, b: Self) -> Self {
        if FUSED {
            return unsafe {
                Self(
                    arch::_mm256_fmadd_pd(a.0, b.0, self.0),
                    arch::_mm_fmadd_pd(a.1, b.1, self.1),
                )
            };
        }
        self.and(a.times(b))
    }

    #[inline(always)]
    fn minus(self, a: Self, b: Self) -> Self {
        if FUSED {
            return unsafe {
                Self(
                    arch::_mm256_fnmadd_pd(a.0, b.0, self.0),
                    arch::_mm_fnmadd_pd(a.1, b.1, self.1),
                )
            };
        }
        self.less(a.times(b))
    }

    #[inline(always)]
    fn magnitude(self) -> Self {
        unsafe {
            let sign = arch::_mm256_set1_pd(-0.0);
            Self(
                arch::_mm256_andnot_pd(sign, self.0),
                arch::_mm_andnot_pd(arch::_mm256_castpd256_pd128(sign), self.1),
            )
        }
    }

    #[inline(always)]
    fn larger(self, b: Self) -> Self {
        unsafe {
            Self(
                arch::_mm256_max_pd(self.0, b.0),
                arch::_mm_max_pd(self.1, b.1),
            )
        }
    }

    #[inline(always)]
    fn lane<const K: usize>(self) -> f64 {
        unsafe { arch::_mm256_cvtsd_f64(self.spread::<K>().0) }
    }

    #[inline(always)]
    fn spread<const K: usize>(self) -> Self {
        let all = unsafe {
            match K {
                0 => arch::_mm256_permute4x64_pd::<0x00>(self.0),
                1 => arch::_mm256_permute4x64_pd::<0x55>(self.0),
                2 => arch::_mm256_permute4x64_pd::<0xaa>(self.0),
                3 => arch::_mm256_permute4x64_pd::<0xff>(self.0),
                4 => arch::_mm256_broadcastsd_pd(self.1),
                _ => arch::_mm256_broadcastsd_pd(arch::_mm_permute_pd::<3>(self.1)),
            }
        };
        Self(all, unsafe { arch::_mm256_castpd256_pd128(all) })
    }

    #[inline(always)]
    fn with<const K: usize>(self, x: f64) -> Self {
        let new = Self::splat(x);
        unsafe {
            match K {
                0 => Self(arch::_mm256_blend_pd::<1>(self.0, new.0), self.1),
                1 => Self(arch::_mm256_blend_pd::<2>(self.0, new.0), self.1),
                2 => Self(arch::_mm256_blend_pd::<4>(self.0, new.0), self.1),
                3 => Self(arch::_mm256_blend_pd::<8>(self.0, new.0), self.1),
                4 => Self(self.0, arch::_mm_blend_pd::<1>(self.1, new.1)),
                _ => Self(self.0, arch::_mm_blend_pd::<2>(self.1, new.1)),
            }
        }
    }
}
