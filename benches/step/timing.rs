//! Batches of steps against the clock.

use std::hint::black_box;
use std::time::Instant;

/// What batches took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    /// Median time of one call \[µs\].
    pub(crate) median: f64,
    /// Half the distance of the quartiles, as part of the median.
    pub(crate) spread: f64,
}

/// Calls before the clock starts.
const WARM: usize = 200;
/// Batches, and calls of each.
const BATCHES: usize = 41;
const CALLS: usize = 50;

/// Calls in batches.
pub(crate) fn batches(mut call: impl FnMut()) -> Figures {
    for _ in 0..WARM {
        call();
    }
    let mut times = Vec::with_capacity(BATCHES);
    for _ in 0..BATCHES {
        let begin = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        times.push(begin.elapsed().as_secs_f64() * 1e6 / CALLS as f64);
    }
    times.sort_by(f64::total_cmp);
    let median = times[BATCHES / 2];
    Figures {
        median,
        spread: 0.5 * (times[3 * BATCHES / 4] - times[BATCHES / 4]) / median,
    }
}

/// Time of a multiplication and an addition that wait for one another \[ns\]: how fast this core runs now.
pub(crate) fn noise() -> f64 {
    const LENGTH: usize = 1000;
    let mut x = black_box(0.5);
    let figures = batches(|| {
        for _ in 0..LENGTH {
            x = x * 0.999 + 0.001;
        }
        x = black_box(x);
    });
    figures.median * 1e3 / LENGTH as f64
}
