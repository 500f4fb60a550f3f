//! Measures the time of a step, and the speed of the core at that time.

use std::hint::black_box;
use std::time::Instant;

/// Multiplications and additions of the noise loop.
const LENGTH: usize = 20_000;
/// Noise loops in a row.
const LOOPS: usize = 25;

/// The middle one; sorts.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Median and spread, the distance of the outermost as part of the median; sorts.
pub(crate) fn middle(values: &mut [f64]) -> (f64, f64) {
    let median = median(values);
    let spread = match (values.first(), values.last()) {
        (Some(low), Some(high)) => (high - low) / median,
        _ => f64::NAN,
    };
    (median, spread)
}

/// The noise loop: time of a multiplication and an addition that wait for one another \[ns\], which
/// tells how fast this core runs now.
pub(crate) fn noise() -> f64 {
    let mut x = black_box(0.5);
    let mut times = [0.0; LOOPS];
    for time in &mut times {
        let begin = Instant::now();
        for _ in 0..LENGTH {
            x = x * 0.999 + 0.001;
        }
        x = black_box(x);
        *time = begin.elapsed().as_secs_f64() * 1e9 / LENGTH as f64;
    }
    median(&mut times)
}
