//! Control plane: INVPSD, a random signal with a given power spectral density, as a sum of sines.
//!
//! With S the one-sided density, n bands of the width Δ between two frequencies, and phases φ drawn once,
//!
//! ```text
//! y(x) = Σ a_k sin(2π f_k x + φ_k),   a_k = √(2 S(f_k) Δ),   f_k in the middle of band k                  (EXP-2)
//! ```
//! Its mean square is Σ a_k²/2 = Σ S(f_k) Δ, that of the density.

use super::lower::Builder;
use fixstep_kernel::expr::ops::{Binary, Register, Unary};
use fixstep_kernel::fingerprint::split_mix;
use fixstep_kernel::math;
use fixstep_kernel::math::spline::Curve;
use std::f64::consts::TAU;

/// Most sines.
const MOST: f64 = 1000.0;

/// The fixed arguments: frequencies from and to, their number, 1 for straight lines between logarithms, the seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noise {
    from: f64,
    to: f64,
    count: usize,
    logarithmic: bool,
    seed: u64,
}

impl Noise {
    /// Reads the arguments after the spline, or reports what is wrong with them.
    pub(super) fn new(numbers: [f64; 5]) -> Result<Self, String> {
        let [from, to, count, logarithmic, seed] = numbers;
        if !(from >= 0.0 && to > from && to.is_finite()) {
            return Err(format!(
                "the frequencies must rise from 0 or more; found {from} to {to}"
            ));
        }
        if !(1.0..=MOST).contains(&count) || count.fract() != 0.0 {
            return Err(format!(
                "the number of frequencies must be a whole number from 1 to {MOST}; found {count}"
            ));
        }
        if logarithmic != 0.0 && logarithmic != 1.0 {
            return Err(format!(
                "the density follows straight lines (0) or straight lines between logarithms (1); found {logarithmic}"
            ));
        }
        if !seed.is_finite() {
            return Err(format!("the seed must be a number; found {seed}"));
        }
        Ok(Self {
            from,
            to,
            count: count as usize,
            logarithmic: logarithmic == 1.0,
            // As in Adams, the nearest whole number counts.
            seed: seed.round() as i64 as u64,
        })
    }

    /// Frequencies, amplitudes and phases of its sines by the density's points.
    fn sines(&self, density: &Curve) -> Result<Vec<[f64; 3]>, String> {
        let width = (self.to - self.from) / self.count as f64;
        let mut state = self.seed;
        let sine = |k: usize| {
            let frequency = self.from + (k as f64 + 0.5) * width;
            let phase = TAU * uniform(&mut state);
            let level = self.density(density, frequency)?;
            Ok([frequency, (2.0 * level * width).sqrt(), phase])
        };
        (0..self.count).map(sine).collect()
    }

    fn density(&self, of: &Curve, frequency: f64) -> Result<f64, String> {
        if of.is_surface() {
            return Err(String::from(
                "the spline must have one variable, the frequency",
            ));
        }
        let points = of.points();
        let (first, last) = (points[0], points[points.len() - 1]);
        if !(first..=last).contains(&frequency) {
            return Err(format!(
                "its frequencies must lie within those of the spline, {first} to {last}; found {frequency}"
            ));
        }
        let at = |x: f64| of.value(x, 0.0, 0).0;
        let straight = at(frequency);
        let k = points.partition_point(|x| *x <= frequency);
        let level = if self.logarithmic && k < points.len() {
            let (x, next) = (points[k - 1], points[k]);
            let (low, high) = (at(x), at(next));
            if !(x > 0.0 && low > 0.0 && high > 0.0) {
                return Err(format!(
                    "logarithms need frequencies and densities above 0; found {low} at {x}, {high} at {next}"
                ));
            }
            let share = math::ln(frequency / x) / math::ln(next / x);
            low * math::exp(share * math::ln(high / low))
        } else {
            straight
        };
        if level < 0.0 {
            return Err(format!(
                "a density must not be negative; found {level} at {frequency}"
            ));
        }
        Ok(level)
    }

    /// (EXP-2).
    pub(super) fn lower(
        &self,
        builder: &mut Builder,
        density: &Curve,
        x: Register,
    ) -> Result<Register, String> {
        let mut sum = builder.constant(0.0);
        for [frequency, amplitude, phase] in self.sines(density)? {
            let [rate, phase, amplitude] =
                [TAU * frequency, phase, amplitude].map(|number| builder.constant(number));
            let angle = builder.binary(Binary::Multiply, rate, x);
            let angle = builder.binary(Binary::Add, angle, phase);
            let wave = builder.unary(Unary::Sin, angle);
            let term = builder.binary(Binary::Multiply, amplitude, wave);
            sum = builder.binary(Binary::Add, sum, term);
        }
        Ok(sum)
    }
}

/// Uniform from 0 to 1 (SplitMix64: Steele, Lea and Flood 2014).
fn uniform(state: &mut u64) -> f64 {
    split_mix(state) as f64 / u64::MAX as f64
}
