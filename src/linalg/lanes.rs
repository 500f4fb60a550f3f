//! The instruction set that the tile loops are compiled for, chosen once at load (data plane).
//!
//! The loops are written once, without intrinsics. Compiled with wider registers they do the same operations
//! on more entries at a time, and every entry keeps its own order of operations: the baseline of x86-64 and
//! AVX2 give the same bits. Fused multiply-add rounds once where the others round twice; it is taken only where
//! the model asks for it, and its bits are its own.
#![expect(
    unsafe_code,
    reason = "a function compiled for an instruction set may be called only where the processor has it"
)]

/// What may be done to a product that is added.
pub trait Arithmetic: Copy {
    /// c + a b.
    fn plus(c: f64, a: f64, b: f64) -> f64;

    /// c − a b.
    #[inline(always)]
    fn minus(c: f64, a: f64, b: f64) -> f64 {
        Self::plus(c, -a, b)
    }
}

/// Product and sum are rounded each for itself, on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Separate;

impl Arithmetic for Separate {
    #[inline(always)]
    fn plus(c: f64, a: f64, b: f64) -> f64 {
        c + a * b
    }

    #[inline(always)]
    fn minus(c: f64, a: f64, b: f64) -> f64 {
        c - a * b
    }
}

/// Both are rounded once.
#[derive(Clone, Copy, Debug)]
pub struct Fused;

impl Arithmetic for Fused {
    #[inline(always)]
    fn plus(c: f64, a: f64, b: f64) -> f64 {
        a.mul_add(b, c)
    }
}

/// Work whose inner loops gain by wider registers; every function it calls on the way to them is inlined.
pub trait Work {
    /// What it gives.
    type Output;

    /// Does it.
    fn run<A: Arithmetic>(self) -> Self::Output;
}

/// How the loops are compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lanes {
    /// What every processor of the architecture has.
    #[default]
    Baseline,
    /// Registers of four numbers; the bits of [`Lanes::Baseline`].
    #[cfg(target_arch = "x86_64")]
    Four,
    /// Registers of four numbers and fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    FourFused,
    /// Fused multiply-add that the architecture always has.
    #[cfg(target_arch = "aarch64")]
    Fused,
}

impl Lanes {
    /// The widest of this machine that gives the same bits on all machines.
    pub fn exact() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Four;
        }
        Self::Baseline
    }

    /// The fastest of this machine.
    pub fn fast() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
        {
            return Self::FourFused;
        }
        #[cfg(target_arch = "aarch64")]
        return Self::Fused;
        #[cfg(not(target_arch = "aarch64"))]
        Self::exact()
    }

    /// Are products fused with sums, so that bits differ from those of other machines?
    pub fn fuses(self) -> bool {
        match self {
            Self::Baseline => false,
            #[cfg(target_arch = "x86_64")]
            Self::Four => false,
            #[cfg(target_arch = "x86_64")]
            Self::FourFused => true,
            #[cfg(target_arch = "aarch64")]
            Self::Fused => true,
        }
    }

    /// Runs some work.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        match self {
            Self::Baseline => work.run::<Separate>(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this value is made only where the processor has AVX2.
            Self::Four => unsafe { four(work) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this value is made only where the processor has AVX2 and FMA.
            Self::FourFused => unsafe { four_fused(work) },
            #[cfg(target_arch = "aarch64")]
            Self::Fused => work.run::<Fused>(),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn four<W: Work>(work: W) -> W::Output {
    work.run::<Separate>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn four_fused<W: Work>(work: W) -> W::Output {
    work.run::<Fused>()
}
