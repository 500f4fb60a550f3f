//! Control plane: when each step of a paced run begins, and what is known of the steps so far.

use std::time::{Duration, Instant};

use fixstep::rti::Recorder;

/// A run that is later than this gives up the time that it has lost.
const PATIENCE: Duration = Duration::from_millis(250);

/// The clock of a run.
pub(super) struct Pace {
    /// Seconds that a communication step simulates.
    step: f64,
    /// Simulated seconds in a second of the clock.
    speed: f64,
    /// At this time the step from this communication point was due.
    since: (Instant, u64),
    /// Time that was given up.
    lost: Duration,
    /// How far the last step began behind the clock.
    behind: Duration,
}

impl Pace {
    pub(super) fn new(step: f64, speed: f64, now: Instant) -> Self {
        Self {
            step,
            speed,
            since: (now, 0),
            lost: Duration::ZERO,
            behind: Duration::ZERO,
        }
    }

    pub(super) fn speed(&self) -> f64 {
        self.speed
    }

    /// How far the run is behind the clock: now, and what it gave up before.
    pub(super) fn behind(&self) -> Duration {
        self.behind + self.lost
    }

    /// Time that a step has.
    pub(super) fn room(&self) -> f64 {
        self.step / self.speed
    }

    /// How long it is until the step from communication point `n` is due; none: it begins now.
    pub(super) fn ahead(&mut self, n: u64, now: Instant) -> Option<Duration> {
        let steps = n.saturating_sub(self.since.1);
        let due = self.since.0 + seconds(steps as f64 * self.room());
        if due > now {
            return Some(due - now);
        }
        self.behind = now - due;
        if self.behind > PATIENCE {
            self.lost += self.behind;
            self.behind = Duration::ZERO;
            self.go_on(n, now);
        }
        None
    }

    /// The step from communication point `n` is due now: after a pause.
    pub(super) fn go_on(&mut self, n: u64, now: Instant) {
        self.since = (now, n);
    }

    /// Another speed from communication point `n` on.
    pub(super) fn set_speed(&mut self, speed: f64, n: u64, now: Instant) {
        self.go_on(n, now);
        self.speed = speed;
    }
}

/// A duration; those that no clock holds are a year.
fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::from_secs(31_536_000))
}

/// What is known of the steps so far.
pub(super) struct Meter {
    recorder: Recorder,
    /// Steps that took longer than they had at the speed of the run.
    misses: u64,
}

/// Real Time Indices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Figures {
    pub(super) now: f64,
    pub(super) mean: f64,
    pub(super) worst: f64,
    /// When the worst was (s).
    pub(super) worst_at: f64,
    pub(super) misses: u64,
    pub(super) steps: u64,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self {
            recorder: Recorder::new(true),
            misses: 0,
        }
    }

    /// A step of `step` s to `time` (s), which had `room` s.
    pub(super) fn record(&mut self, took: Duration, (step, time): (f64, f64), room: f64) {
        let nanoseconds = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.recorder.record(nanoseconds, step, time);
        self.misses += u64::from(took.as_secs_f64() > room);
    }

    pub(super) fn figures(&self) -> Figures {
        let worst = self.recorder.max();
        Figures {
            now: self.recorder.last(),
            mean: self.recorder.average(),
            worst: worst.map_or(0.0, |sample| sample.rti),
            worst_at: worst.map_or(0.0, |sample| sample.time),
            misses: self.misses,
            steps: self.recorder.count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn steps_are_due_by_the_clock_and_the_speed() {
        let now = Instant::now();
        let mut pace = Pace::new(0.01, 0.5, now);
        assert_eq!(pace.ahead(0, now), None);
        assert_eq!(pace.ahead(3, now), Some(60 * MS));
        assert_eq!(pace.ahead(3, now + 65 * MS), None);
        assert_eq!(pace.behind(), 5 * MS);
        // What was late once is made up for.
        assert_eq!(pace.ahead(4, now + 70 * MS), Some(10 * MS));
        pace.set_speed(2.0, 4, now + 80 * MS);
        assert_eq!(pace.ahead(6, now + 80 * MS), Some(10 * MS));
        pace.go_on(6, now + 1000 * MS);
        assert_eq!(pace.ahead(7, now + 1000 * MS), Some(5 * MS));
    }

    #[test]
    fn a_run_that_is_too_slow_does_not_hurry_afterwards() {
        let now = Instant::now();
        let mut pace = Pace::new(0.01, 1.0, now);
        assert_eq!(pace.ahead(1, now + 1010 * MS), None);
        assert_eq!(pace.behind(), 1000 * MS);
        assert_eq!(pace.ahead(2, now + 1010 * MS), Some(10 * MS));
    }

    #[test]
    fn a_miss_is_a_step_longer_than_it_has() {
        let mut meter = Meter::new();
        meter.record(3 * MS, (0.01, 0.01), 0.005);
        meter.record(6 * MS, (0.01, 0.02), 0.005);
        let figures = meter.figures();
        assert_eq!((figures.misses, figures.steps), (1, 2));
        assert!((figures.worst - 0.6).abs() < 1e-12 && figures.worst_at == 0.02);
        assert!((figures.mean - 0.45).abs() < 1e-12, "{figures:?}");
    }
}
