//! Data plane: communication points and step sizes of one run.
//!
//! A run has its own integration step, DTOUT/HRATIO. A communication step that is a whole multiple of it consists of
//! that many integration steps. Any other is divided evenly into the fewest that are no longer, but into at least
//! HRATIO.
//!
//! Importers compute step sizes as differences of times, so communication steps are off by units in the last place.
//! The integration step must not follow that noise. A step counts as a multiple if it is off by less than
//! [`SAME_STEP`] of an integration step, or by less than a difference of times resolves. The simulation counts the
//! time itself, start + n h with integer n. If noise of one sign has moved the importer's clock away from it by
//! [`POINT_TOLERANCE`], one communication step brings both together.

/// Communication steps that differ by less than this part of the integration step are the same step.
pub const SAME_STEP: f64 = 1e-6;

/// A communication point may be off by this part of the integration step.
pub const POINT_TOLERANCE: f64 = 1e-3;

/// Largest number of integration steps in a communication step: with more, the call would practically never return.
pub const MOST_STEPS: u32 = 1_000_000;

/// The times and steps that the importer has set for a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timeline {
    /// Start \[s\].
    pub start: f64,
    /// End beyond which the importer must not step \[s\].
    pub stop: Option<f64>,
    /// Next communication point, by the importer's clock \[s\].
    pub expected: f64,
}

/// How a communication step is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    /// This many integration steps
    pub steps: u32,
    /// of this size \[s\].
    pub h: f64,
}

/// The time and step of a run when a communication step begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepStart {
    /// The simulation's time \[s\].
    pub time: f64,
    /// The integration step in force \[s\].
    pub h: f64,
    /// The integration step of the run's own \[s\].
    pub own: f64,
    /// HRATIO.
    pub hratio: u32,
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
        /// Tolerance \[s\].
        tolerance: f64,
    },
    /// The step would pass the stop time \[s\].
    BeyondStop(f64),
    /// The step would take too many integration steps of this size \[s\].
    TooLong(f64),
}

impl Timeline {
    /// The timeline of a run that has not begun.
    pub fn new(start: f64) -> Self {
        Self {
            start,
            stop: None,
            expected: start,
        }
    }

    /// Divides a step from `current` \[s\] of length `step` \[s\] into integration steps, if it is valid.
    pub fn divide(&self, current: f64, step: f64, at: &StepStart) -> Result<Division, BadStep> {
        if !current.is_finite() || !step.is_finite() {
            return Err(BadStep::NotFinite);
        }
        if step <= 0.0 {
            return Err(BadStep::NotPositive);
        }
        let resolution = 4.0 * f64::EPSILON * current.abs();
        let tolerance = (POINT_TOLERANCE * at.h).max(resolution);
        let apart = (current - at.time).abs();
        if (current - self.expected).abs().min(apart) > tolerance {
            return Err(BadStep::OffPoint {
                expected: at.time,
                tolerance,
            });
        }
        if let Some(stop) = self.stop
            && current + step > stop + tolerance
        {
            return Err(BadStep::BeyondStop(stop));
        }
        let within = |h: f64| (SAME_STEP * h).max(resolution);
        if apart <= tolerance {
            for h in [at.own, at.h] {
                let steps = (step / h).round();
                if steps >= 1.0 && (step - steps * h).abs() <= within(h) {
                    return division(steps, h);
                }
            }
        }
        let fewest = (step / at.own - POINT_TOLERANCE).ceil();
        let steps = fewest.max(f64::from(at.hratio.max(1)));
        // To the importer's next communication point, from the current time of the simulation.
        let rest = current + step - at.time;
        let rest = if apart <= tolerance { step } else { rest };
        division(steps, rest / steps)
    }
}

fn division(steps: f64, h: f64) -> Result<Division, BadStep> {
    if steps > f64::from(MOST_STEPS) {
        return Err(BadStep::TooLong(h));
    }
    Ok(Division {
        steps: steps as u32,
        h,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const AT: StepStart = StepStart {
        time: 0.0,
        h: 0.01,
        own: 0.01,
        hratio: 1,
    };

    fn at(time: f64) -> StepStart {
        StepStart { time, ..AT }
    }

    fn standing(expected: f64) -> Timeline {
        Timeline {
            expected,
            ..Timeline::new(0.0)
        }
    }

    #[test]
    fn steps_must_be_positive_and_finite() {
        let t = standing(0.0);
        assert_eq!(t.divide(0.0, 0.01, &AT), division(1.0, 0.01));
        for bad in [f64::NAN, f64::INFINITY] {
            assert_eq!(t.divide(0.0, bad, &AT), Err(BadStep::NotFinite));
            assert_eq!(t.divide(bad, 0.01, &AT), Err(BadStep::NotFinite));
        }
        for bad in [0.0, -0.01] {
            assert_eq!(t.divide(0.0, bad, &AT), Err(BadStep::NotPositive));
        }
        for enormous in [1e5, 1e300, f64::MAX] {
            let refusal = t.divide(0.0, enormous, &AT);
            assert!(matches!(refusal, Err(BadStep::TooLong(_))), "{refusal:?}");
        }
    }

    #[test]
    fn communication_points_must_join() {
        let t = standing(0.3);
        // 0.1 + 0.2, as an importer adds it up.
        assert!(t.divide(0.1 + 0.2, 0.01, &at(0.3)).is_ok());
        let refusal = t.divide(0.31, 0.01, &at(0.3));
        assert!(matches!(refusal, Err(BadStep::OffPoint { expected, .. }) if expected == 0.3));
        // At a million seconds the resolution of time is above a thousandth of a microsecond.
        let fine = StepStart {
            time: 1e6,
            h: 1e-7,
            own: 1e-7,
            hratio: 1,
        };
        let far = standing(1e6);
        assert_eq!(far.divide(1e6 + 2e-10, 1e-7, &fine), division(1.0, 1e-7));
    }

    #[test]
    fn nobody_steps_beyond_the_stop_time() {
        let mut t = standing(0.99);
        t.stop = Some(1.0);
        assert!(t.divide(0.99, 0.01 + 1e-15, &at(0.99)).is_ok());
        let refusal = t.divide(0.99, 0.02, &at(0.99));
        assert_eq!(refusal, Err(BadStep::BeyondStop(1.0)));
    }

    #[test]
    fn a_multiple_is_so_many_steps_of_the_runs_own() {
        let t = standing(0.0);
        for steps in [1.0, 2.0, 3.0, 7.0, 1000.0] {
            let noisy = [0.01 * steps, 0.01 * steps + 9e-9, 0.01 * steps - 9e-9];
            for step in noisy {
                assert_eq!(t.divide(0.0, step, &AT), division(steps, 0.01), "{step}");
            }
        }
        let halves = StepStart {
            h: 0.005,
            own: 0.005,
            hratio: 2,
            ..AT
        };
        assert_eq!(t.divide(0.0, 0.01, &halves), division(2.0, 0.005));
        assert_eq!(t.divide(0.0, 0.005, &halves), division(1.0, 0.005));
        // A step that was in force before counts as the same step in spite of noise.
        let odd = StepStart { h: 0.0075, ..AT };
        assert_eq!(t.divide(0.0, 0.0075 + 1e-9, &odd), division(1.0, 0.0075));
    }

    #[test]
    fn what_is_no_multiple_is_divided_evenly() {
        let t = standing(0.0);
        assert_eq!(t.divide(0.0, 0.004, &AT), division(1.0, 0.004));
        assert_eq!(t.divide(0.0, 0.025, &AT), division(3.0, 0.025 / 3.0));
        let halves = StepStart {
            h: 0.005,
            own: 0.005,
            hratio: 2,
            ..AT
        };
        assert_eq!(t.divide(0.0, 0.001, &halves), division(2.0, 0.0005));
    }

    #[test]
    fn a_clock_that_has_drifted_away_is_met_again() {
        // The importer's steps are always slightly longer: too little to count as another step.
        let (step, mut current, mut time, mut met) = (0.010_000_005, 0.0, 0.0, 0);
        for _ in 0..10_000 {
            let part = standing(current).divide(current, step, &at(time)).unwrap();
            assert_eq!(part.steps, 1);
            met += u32::from(part.h != 0.01);
            time += part.h;
            current += step;
            assert!((current - time).abs() <= 1.01e-5);
        }
        assert!((4..=6).contains(&met), "{met}");
    }

    #[test]
    fn a_million_seconds_on_a_step_is_still_the_same_step() {
        let mut t = standing(1e6);
        for k in 0..1000_u32 {
            let [current, next] = [k, k + 1].map(|k| 1e6 + f64::from(k) * 1e-5);
            t.expected = current;
            let fine = StepStart {
                time: current,
                h: 1e-5,
                own: 1e-5,
                hratio: 1,
            };
            // The difference of two times is off by up to 1.2e-10 s, a hundred thousandth of the step.
            let part = t.divide(current, next - current, &fine).unwrap();
            assert_eq!((part.steps, part.h), (1, 1e-5));
        }
    }
}
