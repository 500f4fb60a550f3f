//! Spectra: sampled curves over frequency, the fast Fourier transform, and densities of measured histories (Welch 1967).
//!
//! Densities are one-sided, per hertz: their integral over frequencies from 0 is the variance.

use faer::c64;
use fixstep_kernel::math;

/// 2 π.
pub const TURN: f64 = core::f64::consts::TAU;

/// A curve with logarithmic axes is divided at ratios of at most this, so that each part is close to a polynomial.
const RATIO: f64 = 1.25;

/// A complex number over frequency, linear between its points and zero outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    frequencies: Vec<f64>,
    values: Vec<c64>,
    /// For a curve with logarithmic axes: its points, and more between them.
    fine: Option<Vec<f64>>,
}

/// Why samples are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrongSamples {
    /// The frequencies of a curve do not increase.
    #[error("frequencies must be finite, from 0, and rise from row to row; row {0} does not")]
    Frequencies(usize),
    /// No rows.
    #[error("there are {0} rows; valid is {1} or more")]
    Few(usize, usize),
    /// A value is not finite.
    #[error("the value in row {0} is not finite")]
    Value(usize),
    /// A value has no logarithm.
    #[error(
        "on logarithmic axes frequencies and densities are above 0; those of row {0} are not; leave the row out, or take straight \
         lines on linear axes"
    )]
    Logarithm(usize),
    /// The times of a history are not evenly spaced.
    #[error(
        "times must be evenly spaced, as Fourier transforms take them; row {0} is not where it would have to be; sample the \
         history evenly first"
    )]
    Times(usize),
    /// The length of segments is invalid.
    #[error(
        "segments of {0} samples: valid is a power of two from 8 to the number of samples, {1}"
    )]
    Segment(usize, usize),
}

impl Curve {
    /// Makes a curve from points.
    pub fn new(frequencies: Vec<f64>, values: Vec<c64>) -> Result<Self, WrongSamples> {
        if frequencies.is_empty() || frequencies.len() != values.len() {
            return Err(WrongSamples::Few(frequencies.len().min(values.len()), 1));
        }
        let mut before = -1.0;
        for (row, f) in frequencies.iter().enumerate() {
            if !(f.is_finite() && *f >= 0.0 && *f > before) {
                return Err(WrongSamples::Frequencies(row + 1));
            }
            before = *f;
        }
        let bad = |value: &c64| !(value.re.is_finite() && value.im.is_finite());
        if let Some(row) = values.iter().position(bad) {
            return Err(WrongSamples::Value(row + 1));
        }
        Ok(Self {
            frequencies,
            values,
            fine: None,
        })
    }

    /// The same points, with straight lines between them on logarithmic axes: powers of the frequency. For real
    /// values only.
    pub fn logarithmic(self) -> Result<Self, WrongSamples> {
        let both = self.frequencies.iter().zip(&self.values);
        let has_none = |(f, value): (&f64, &c64)| *f <= 0.0 || value.re <= 0.0;
        if let Some(row) = both.map(has_none).position(|none| none) {
            return Err(WrongSamples::Logarithm(row + 1));
        }
        let mut fine = Vec::new();
        for pair in self.frequencies.windows(2) {
            let ratio = pair[1] / pair[0];
            let parts = (math::ln(ratio) / math::ln(RATIO)).ceil().max(1.0);
            let inner = (0..parts as usize).map(|k| math::pow(ratio, k as f64 / parts));
            fine.extend(inner.map(|part| pair[0] * part));
        }
        fine.extend(self.frequencies.last());
        Ok(Self {
            fine: Some(fine),
            ..self
        })
    }

    /// The frequencies of its points \[Hz\].
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// Frequencies \[Hz\] that a grid must contain, so that the curve is smooth between them.
    pub fn breaks(&self) -> &[f64] {
        self.fine.as_ref().unwrap_or(&self.frequencies)
    }

    /// Its values there.
    pub fn values(&self) -> &[c64] {
        &self.values
    }

    /// The integral of real values over all rows, with straight lines on linear axes and on logarithmic axes; `None`
    /// if a number has no logarithm.
    pub fn integrals(&self) -> Option<(f64, f64)> {
        let above = |x: f64| x > 0.0;
        let both = self.frequencies.iter().zip(&self.values);
        if !both.clone().all(|(f, value)| above(*f) && above(value.re)) {
            return None;
        }
        let rows: Vec<(f64, f64)> = both.map(|(f, value)| (*f, value.re)).collect();
        let (mut linear, mut logarithmic) = (0.0, 0.0);
        for pair in rows.windows(2) {
            let ((f, a), (g, b)) = (pair[0], pair[1]);
            linear += f64::midpoint(a, b) * (g - f);
            // a f (e^(n L) − 1)/n, and a f L at n = 0, where S falls like 1/f.
            let log = math::ln(g / f);
            let power = math::ln(b / a) + log;
            logarithmic += if power.abs() < 1e-6 {
                a * f * log * (1.0 + power / 2.0)
            } else {
                a * f * log * (math::exp(power) - 1.0) / power
            };
        }
        Some((linear, logarithmic))
    }

    /// Its value at a frequency.
    pub fn at(&self, frequency: f64) -> c64 {
        let behind = self.frequencies.partition_point(|f| *f <= frequency);
        if behind == 0 {
            return c64::new(0.0, 0.0);
        }
        let (f, value) = (self.frequencies[behind - 1], self.values[behind - 1]);
        if f == frequency {
            return value;
        }
        let Some(next) = self.frequencies.get(behind) else {
            return c64::new(0.0, 0.0);
        };
        if self.fine.is_some() {
            let slope = math::ln(self.values[behind].re / value.re) / math::ln(next / f);
            return c64::new(value.re * math::pow(frequency / f, slope), 0.0);
        }
        let share = (frequency - f) / (next - f);
        value + (self.values[behind] - value) * share
    }
}

/// The Fourier transform Σ x_k e^(−2 π i j k / n) in place; n is a power of two.
pub fn fourier(x: &mut [c64]) {
    let n = x.len();
    debug_assert!(n.is_power_of_two());
    let bits = n.trailing_zeros();
    for k in 0..n {
        let j = if bits == 0 {
            0
        } else {
            k.reverse_bits() >> (usize::BITS - bits)
        };
        if k < j {
            x.swap(k, j);
        }
    }
    let turns: Vec<c64> = (0..n / 2)
        .map(|k| {
            let angle = -TURN * k as f64 / n as f64;
            c64::new(math::cos(angle), math::sin(angle))
        })
        .collect();
    let mut length = 2;
    while length <= n {
        let (half, stride) = (length / 2, n / length);
        for block in x.chunks_exact_mut(length) {
            let (first, second) = block.split_at_mut(half);
            for (k, (a, b)) in first.iter_mut().zip(second).enumerate() {
                let turned = *b * turns[k * stride];
                (*a, *b) = (*a + turned, *a - turned);
            }
        }
        length *= 2;
    }
}

/// Histories measured at equal time intervals.
#[derive(Clone, Debug)]
pub struct Histories<'a> {
    /// Time \[s\].
    pub time: &'a [f64],
    /// The histories.
    pub channels: Vec<&'a [f64]>,
}

/// One-sided densities and cross densities of histories.
#[derive(Clone, Debug)]
pub struct Densities {
    /// Frequencies \[Hz\].
    pub frequencies: Vec<f64>,
    /// S_ij = E(x_i x̄_j) for channels i and j ≤ i, in the order (0, 0), (1, 0), (1, 1), (2, 0) …
    pub pairs: Vec<Vec<c64>>,
    /// Number of averaged segments.
    pub segments: usize,
    /// Samples in each segment.
    pub length: usize,
}

impl Densities {
    /// The index of a pair.
    pub fn place(i: usize, j: usize) -> usize {
        i * (i + 1) / 2 + j
    }
}

/// The default length of segments: the longest that gives eight of them.
pub fn usual_segment(samples: usize) -> usize {
    let most = (2 * samples / 9).max(8);
    1 << most.ilog2()
}

impl Histories<'_> {
    /// Densities by Welch's method: segments that overlap by half, with their means removed, under a Hann window.
    pub fn densities(&self, segment: Option<usize>) -> Result<Densities, WrongSamples> {
        let samples = self.time.len();
        if samples < 8 {
            return Err(WrongSamples::Few(samples, 8));
        }
        let step = self.step()?;
        for channel in &self.channels {
            if let Some(row) = channel.iter().position(|x| !x.is_finite()) {
                return Err(WrongSamples::Value(row + 1));
            }
        }
        let length = segment.unwrap_or_else(|| usual_segment(samples));
        if length < 8 || length > samples || !length.is_power_of_two() {
            return Err(WrongSamples::Segment(length, samples));
        }
        let window: Vec<f64> = (0..length)
            .map(|k| 0.5 - 0.5 * math::cos(TURN * k as f64 / length as f64))
            .collect();
        let power: f64 = window.iter().map(|w| w * w).sum();
        let (half, lines) = (length / 2, length / 2 + 1);
        let segments = (samples - half) / half;
        let count = self.channels.len();
        let mut pairs = vec![vec![c64::new(0.0, 0.0); lines]; count * (count + 1) / 2];
        for at in 0..segments {
            let transforms: Vec<Vec<c64>> = self
                .channels
                .iter()
                .map(|channel| windowed(&channel[at * half..at * half + length], &window))
                .collect();
            for i in 0..count {
                for j in 0..=i {
                    let pair = &mut pairs[Densities::place(i, j)];
                    for (k, sum) in pair.iter_mut().enumerate() {
                        *sum += transforms[i][k] * transforms[j][k].conj();
                    }
                }
            }
        }
        let factor = step / (power * segments as f64);
        for pair in &mut pairs {
            for (k, value) in pair.iter_mut().enumerate() {
                // Negative frequencies are added to positive ones; 0 and half the sampling rate have no negative
                // counterpart.
                let sides = if k == 0 || k == half { 1.0 } else { 2.0 };
                *value *= factor * sides;
            }
        }
        let line = 1.0 / (step * length as f64);
        Ok(Densities {
            frequencies: (0..lines).map(|k| k as f64 * line).collect(),
            pairs,
            segments,
            length,
        })
    }

    /// The time step, if it is constant.
    fn step(&self) -> Result<f64, WrongSamples> {
        let (first, last) = (self.time[0], self.time[self.time.len() - 1]);
        let step = (last - first) / (self.time.len() - 1) as f64;
        let even = |(k, t): (usize, &f64)| {
            let wanted = first + k as f64 * step;
            (t - wanted).abs() <= 1e-3 * step
        };
        if !(step > 0.0 && step.is_finite()) {
            return Err(WrongSamples::Times(1));
        }
        match self.time.iter().enumerate().position(|at| !even(at)) {
            Some(row) => Err(WrongSamples::Times(row + 1)),
            None => Ok(step),
        }
    }
}

fn windowed(samples: &[f64], window: &[f64]) -> Vec<c64> {
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let mut x: Vec<c64> = samples
        .iter()
        .zip(window)
        .map(|(x, w)| c64::new((x - mean) * w, 0.0))
        .collect();
    fourier(&mut x);
    x
}
