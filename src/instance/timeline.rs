//! Data plane: communication points and step sizes of one run.
//!
//! Importers send communication steps that are off by units in the last place, because they compute
//! differences of times. The integration step must not follow that noise: it is kept, bit for bit,
//! while the communication step stays within [`SAME_STEP`] of the one in force. The time itself is
//! counted by the simulation, start + n h with integer n.

/// Communication steps that differ by less than this, relative, are the same step.
pub const SAME_STEP: f64 = 1e-6;

/// A communication point may be off by this part of the integration step.
pub const POINT_TOLERANCE: f64 = 1e-3;

/// What a run has been told about time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    /// Start \[s\].
    pub start: f64,
    /// End beyond which the importer must not step \[s\].
    pub stop: Option<f64>,
    /// Communication step in force \[s\].
    pub communication: f64,
    /// Next communication point, by the importer's clock \[s\].
    pub expected: f64,
    /// Has the importer been told that its clock drifts?
    pub drift_reported: bool,
}

/// Why a step cannot be begun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BadStep {
    /// A time is not a finite number.
    NotFinite,
    /// The step is not positive.
    NotPositive,
    /// The communication point is not where the last step ended.
    OffPoint {
        /// Where it should be \[s\].
        expected: f64,
        /// How far it may be off \[s\].
        tolerance: f64,
    },
    /// The step would pass the stop time \[s\].
    BeyondStop(f64),
}

impl Timeline {
    /// The timeline of a run that has not begun.
    pub fn new(start: f64, communication: f64) -> Self {
        Self {
            start,
            stop: None,
            communication,
            expected: start,
            drift_reported: false,
        }
    }

    /// Is a step from `current` \[s\] of length `step` \[s\] in order? `internal` is the simulation's
    /// time, `h` the integration step in force.
    pub fn check(&self, current: f64, step: f64, internal: f64, h: f64) -> Result<(), BadStep> {
        if !current.is_finite() || !step.is_finite() {
            return Err(BadStep::NotFinite);
        }
        if step <= 0.0 {
            return Err(BadStep::NotPositive);
        }
        let tolerance = (POINT_TOLERANCE * h).max(4.0 * f64::EPSILON * current.abs());
        let off = (current - self.expected)
            .abs()
            .min((current - internal).abs());
        if off > tolerance {
            return Err(BadStep::OffPoint {
                expected: internal,
                tolerance,
            });
        }
        match self.stop {
            Some(stop) if current + step > stop + tolerance => Err(BadStep::BeyondStop(stop)),
            _ => Ok(()),
        }
    }

    /// Must the integration step change for a communication step? Not for noise, unless the noise
    /// has already moved the simulation away from the importer's clock.
    pub fn changes(&self, current: f64, step: f64, internal: f64, h: f64) -> bool {
        if step == self.communication {
            return false;
        }
        let same = (step - self.communication).abs() <= SAME_STEP * self.communication;
        !same || (current - internal).abs() > POINT_TOLERANCE * h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline() -> Timeline {
        Timeline::new(0.0, 0.01)
    }

    #[test]
    fn steps_must_be_positive_and_finite() {
        let t = timeline();
        assert_eq!(t.check(0.0, 0.01, 0.0, 0.01), Ok(()));
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(t.check(0.0, bad, 0.0, 0.01), Err(BadStep::NotFinite));
            assert_eq!(t.check(bad, 0.01, 0.0, 0.01), Err(BadStep::NotFinite));
        }
        for bad in [0.0, -0.01] {
            assert_eq!(t.check(0.0, bad, 0.0, 0.01), Err(BadStep::NotPositive));
        }
    }

    #[test]
    fn communication_points_must_join() {
        let mut t = timeline();
        t.expected = 0.3;
        // 0.1 + 0.2, as an importer adds it up.
        assert_eq!(t.check(0.1 + 0.2, 0.01, 0.3, 0.01), Ok(()));
        let refusal = t.check(0.31, 0.01, 0.3, 0.01);
        assert!(matches!(refusal, Err(BadStep::OffPoint { expected, .. }) if expected == 0.3));
        // At a million seconds the resolution of time is above a thousandth of a microsecond.
        let far = Timeline::new(1e6, 1e-7);
        assert_eq!(far.check(1e6 + 2e-10, 1e-7, 1e6, 1e-7), Ok(()));
    }

    #[test]
    fn an_importer_that_adds_up_may_drift_with_its_own_clock() {
        let mut t = timeline();
        t.expected = 10.005;
        assert_eq!(t.check(10.005, 0.01, 10.0, 0.01), Ok(()));
        assert_eq!(t.check(10.0, 0.01, 10.0, 0.01), Ok(()));
        assert!(t.check(10.002, 0.01, 10.0, 0.01).is_err());
    }

    #[test]
    fn nobody_steps_beyond_the_stop_time() {
        let mut t = timeline();
        t.stop = Some(1.0);
        t.expected = 0.99;
        assert_eq!(t.check(0.99, 0.01 + 1e-15, 0.99, 0.01), Ok(()));
        assert_eq!(
            t.check(0.99, 0.02, 0.99, 0.01),
            Err(BadStep::BeyondStop(1.0))
        );
    }

    #[test]
    fn noise_does_not_change_the_step() {
        let t = timeline();
        assert!(!t.changes(0.5, 0.01, 0.5, 0.01));
        assert!(!t.changes(0.5, 0.010_000_000_000_000_018, 0.5, 0.01));
        assert!(t.changes(0.5, 0.010_001, 0.5, 0.01));
        assert!(t.changes(0.5, 0.005, 0.5, 0.01));
        // A step that is always a little longer moves the clocks apart, until it counts.
        assert!(t.changes(0.500_02, 0.010_000_001, 0.5, 0.01));
    }
}
