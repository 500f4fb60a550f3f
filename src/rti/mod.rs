//! Data plane: the Real Time Index of every integration step, recorded without allocation.
//!
//! ```text
//!     RTI = wall time to advance one integration step / h
//! ```
//!
//! The clock is not in this module: the caller that steps the simulation measures the time and calls
//! [`Recorder::record`]. [`report`] turns a recorder into text and JSON once the run is over.

pub mod histogram;
mod json;
pub mod report;

use fixstep_kernel::math::held;
use histogram::Histogram;

/// One measured step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Real Time Index: wall time / step size.
    pub rti: f64,
    /// Wall time of the step \[s\].
    pub wall: f64,
    /// Simulation time that the step reached \[s\].
    pub time: f64,
}

/// Statistics of a run; constant size, nothing is allocated after [`Recorder::new`].
#[derive(Clone, Debug)]
pub struct Recorder {
    include_first: bool,
    first: Option<Sample>,
    last: f64,
    count: u64,
    sum_rti: f64,
    sum_wall: f64,
    min: Option<Sample>,
    max: Option<Sample>,
    misses: u64,
    run_of_misses: u64,
    longest_run: u64,
    zero_seen: bool,
    histogram: Histogram,
}

impl Recorder {
    /// An empty record. The first step, which pays for cold caches, is kept separate unless `include_first` is set.
    pub fn new(include_first: bool) -> Self {
        Self {
            include_first,
            first: None,
            last: 0.0,
            count: 0,
            sum_rti: 0.0,
            sum_wall: 0.0,
            min: None,
            max: None,
            misses: 0,
            run_of_misses: 0,
            longest_run: 0,
            zero_seen: false,
            histogram: Histogram::new(),
        }
    }

    /// Records a step of size `h` \[s\] that took `nanoseconds` and reached `time` \[s\].
    pub fn record(&mut self, nanoseconds: u64, h: f64, time: f64) {
        let wall = nanoseconds as f64 * 1e-9;
        let sample = Sample {
            rti: wall / h,
            wall,
            time,
        };
        self.last = sample.rti;
        self.zero_seen |= nanoseconds == 0;
        if self.first.is_none() {
            self.first = Some(sample);
            if !self.include_first {
                return;
            }
        }
        self.count_in(sample);
    }

    fn count_in(&mut self, sample: Sample) {
        self.count += 1;
        self.sum_rti += sample.rti;
        self.sum_wall += sample.wall;
        if self.min.is_none_or(|min| sample.rti < min.rti) {
            self.min = Some(sample);
        }
        if self.max.is_none_or(|max| sample.rti > max.rti) {
            self.max = Some(sample);
        }
        if sample.rti > 1.0 {
            self.misses += 1;
            self.run_of_misses += 1;
            self.longest_run = self.longest_run.max(self.run_of_misses);
        } else {
            self.run_of_misses = 0;
        }
        self.histogram.add(sample.rti);
    }

    /// Is the first step part of the statistics?
    pub fn includes_first(&self) -> bool {
        self.include_first
    }

    /// The first step.
    pub fn first(&self) -> Option<Sample> {
        self.first
    }

    /// RTI of the last step; 0 before any.
    pub fn last(&self) -> f64 {
        self.last
    }

    /// Number of steps in the statistics.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Average RTI; 0 without steps.
    pub fn average(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum_rti / self.count as f64
        }
    }

    /// Average wall time of a step, in seconds; 0 without steps.
    pub fn average_wall(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum_wall / self.count as f64
        }
    }

    /// The fastest step.
    pub fn min(&self) -> Option<Sample> {
        self.min
    }

    /// The slowest step.
    pub fn max(&self) -> Option<Sample> {
        self.max
    }

    /// Steps that took longer than h.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// Longest run of consecutive misses.
    pub fn longest_run(&self) -> u64 {
        self.longest_run
    }

    /// Did the clock ever show zero time for a step?
    pub fn zero_seen(&self) -> bool {
        self.zero_seen
    }

    /// The distribution.
    pub fn histogram(&self) -> &Histogram {
        &self.histogram
    }

    /// The RTI that `per_hundred_thousand` / 100 000 of the steps do not exceed: the upper edge of the histogram's
    /// bucket, never above the maximum.
    pub fn percentile(&self, per_hundred_thousand: u32) -> Option<f64> {
        let (min, max) = (self.min?, self.max?);
        let edge = self.histogram.percentile(per_hundred_thousand)?;
        Some(held(edge, min.rti, max.rti))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn the_first_step_is_kept_apart() {
        let mut recorder = Recorder::new(false);
        recorder.record(9_000_000, 0.001, 0.001);
        assert_eq!((recorder.count(), recorder.misses()), (0, 0));
        assert_eq!(recorder.first().unwrap().rti, 9_000_000.0 * 1e-9 / 0.001);
        recorder.record(500_000, 0.001, 0.002);
        recorder.record(250_000, 0.001, 0.003);
        assert_eq!(recorder.count(), 2);
        assert_eq!(recorder.average(), 0.375);
        assert_eq!(recorder.min().unwrap().time, 0.003);
        assert_eq!(recorder.max().unwrap().time, 0.002);
        assert_eq!(recorder.last(), 0.25);
    }

    #[test]
    fn the_first_step_counts_on_request() {
        let mut recorder = Recorder::new(true);
        recorder.record(2_000_000, 0.001, 0.001);
        recorder.record(500_000, 0.001, 0.002);
        assert_eq!((recorder.count(), recorder.misses()), (2, 1));
        assert_eq!(recorder.max().unwrap().time, 0.001);
    }

    #[test]
    fn runs_of_misses() {
        let mut recorder = Recorder::new(true);
        for nanoseconds in [2, 2, 0, 3, 4, 5, 1, 2] {
            recorder.record(nanoseconds * 1_000_000, 0.001, 0.0);
        }
        // 1 ms in 1 ms is in time: only an RTI above 1 is a miss.
        assert_eq!(recorder.misses(), 6);
        assert_eq!(recorder.longest_run(), 3);
        assert!(recorder.zero_seen());
    }

    #[test]
    fn percentiles_of_a_known_distribution() {
        let mut recorder = Recorder::new(true);
        // 1 … 100 000 microseconds in steps of a tenth of a second.
        for k in 1..=100_000_u64 {
            recorder.record(k * 1_000, 0.1, 0.0);
        }
        for (p, exact) in [(50_000, 0.5), (99_000, 0.99), (99_900, 0.999)] {
            let found = recorder.percentile(p).unwrap();
            // A bucket is at most an eighth wide, and edges are rounded up.
            assert!(found >= exact && found <= exact * 1.126, "{p}: {found}");
        }
        assert_eq!(
            recorder.percentile(100_000).unwrap(),
            recorder.max().unwrap().rti
        );
        assert_eq!(Recorder::new(true).percentile(50_000), None);
    }
}
