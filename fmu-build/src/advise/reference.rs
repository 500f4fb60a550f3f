//! Control plane: the reference: a run that is so accurate that it no longer moves when it is made more accurate.
//!
//! It is made with a variable step, to one tenth of the tolerance again and again. A mechanism that has no variable step
//! is run with the fixed step instead, halved again and again. Either way the last two runs tell the error.

use std::thread;
use std::time::{Duration, Instant};

use fixstep_kernel::seconds::Seconds;
use serde::{Deserialize, Serialize};

use super::accurate::{BRIEF, coarse, longest, tight, variable};
use super::errors::OutputError;
use super::subject::{Course, How, Subject};
use super::{KNOWN, Progress, Watcher};
use crate::halt;
use crate::slave::Failure;
use crate::trial::runs::Stop;
use crate::trial::{Span, round, spans, step_name};

/// Tolerances of the tries; two are made at once, on two cores.
const TOLERANCES: [f64; 8] = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13];
/// What moves by less than this part of the range no longer moves.
const SETTLED: f64 = 1e-6;
/// What moves by more has another try, with the fixed step.
const POOR: f64 = 1e-3;
/// After so many tries in a row that are not better than one before them, numbers or events set the limit.
const STALLED: usize = 3;
/// What is expected of a try: this part of the move before it, with a variable step and with a fixed one. Two tries may be
/// close to each other by chance.
const EXPECTED: [f64; 2] = [0.1, 0.25];
/// A run that has begun in time may take so much longer. Some never end: where what grows has an absolute tolerance, steps
/// become shorter and shorter.
const PATIENCE: Duration = Duration::from_secs(60);
/// The fixed step of the tries: divisions of the model's own step.
const DIVISIONS: [u32; 10] = [4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

/// How the reference was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Method {
    /// With a variable step, to this tolerance.
    Variable {
        /// Largest local error (length unit, rad).
        tolerance: f64,
        /// Steps made.
        steps: u64,
    },
    /// There is none yet.
    #[default]
    None,
    /// With this fixed step, since there is no variable step for the reason.
    Fixed {
        /// The step (s).
        step: f64,
        /// Why not with a variable step.
        why: String,
    },
}

/// A run, and by how much it is wrong itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// How it was made.
    pub method: Method,
    /// Each output at all communication points.
    pub columns: Vec<Vec<f64>>,
    /// What errors of each output refer to, in its unit; 0: it is at rest.
    pub ranges: Vec<f64>,
    /// Its own error of each output, in its unit.
    pub own: Vec<f64>,
    /// How far the output that moved most has moved between tries, as a part of its range.
    pub moves: Vec<f64>,
    /// Where it ended by itself, and why: time (s) and reason.
    pub ended: Option<(f64, String)>,
    /// Why its own error may be far more than its tries tell; empty: no reason is known.
    #[serde(default)]
    pub doubt: String,
}

/// How a try was made, from its place and its course.
type MethodOf<'a> = dyn Fn(usize, &Course) -> Method + 'a;

/// The most accurate runs so far.
struct Tries<'a> {
    subject: &'a Subject,
    until: Option<Instant>,
    /// When a run is cut short that has begun before.
    cut: Option<Instant>,
    /// The last two runs.
    before: Vec<Course>,
    best: Reference,
    /// Tries since the best one.
    idle: usize,
    took: Duration,
}

impl Reference {
    /// Makes it; no try begins that would presumably end after the budget.
    pub fn find(
        subject: &Subject,
        budget: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let mut found = Self::search(subject, budget, watcher)?;
        found.doubt = found.doubt(subject).unwrap_or_default();
        Ok(found)
    }

    fn search(
        subject: &Subject,
        budget: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Self, Failure> {
        let until = budget.map(|budget| Instant::now() + budget);
        let variable = Tries::new(subject, until).variable(watcher);
        let why = match variable {
            Ok(found) if found.moved() <= POOR => return Ok(found),
            Ok(found) => {
                let moved = round(100.0 * found.moved(), 2);
                let why = format!("with a variable step it still moves by {moved} % of range");
                let fixed = Tries::new(subject, until).fixed(&why, watcher);
                let better = fixed.ok().filter(|fixed| fixed.moved() < found.moved());
                return Ok(better.unwrap_or(found));
            }
            Err(Failure(why)) => why.trim_start_matches("--error: ").to_owned(),
        };
        Tries::new(subject, until).fixed(&why, watcher)
    }

    /// The doubt if a function of time is so brief that the steps of all tries may have passed over it.
    fn doubt(&self, subject: &Subject) -> Option<String> {
        let brief = subject.brief.as_ref()?;
        let step = match &self.method {
            Method::Variable { .. } => longest(subject),
            Method::Fixed { step, .. } => *step,
            Method::None => return None,
        };
        (BRIEF * step > 1.001 * brief.lasts).then(|| {
            format!(
                "it cannot be trusted: a function of time of {} has a pulse or vibration of {} at {} s, and all runs of the                  reference may have passed over it with steps of up to {}; valid: a shorter run (--stop), or a longer                  pulse of the same area",
                brief.owner,
                step_name(brief.lasts),
                round(brief.at, 6),
                step_name(step)
            )
        })
    }

    /// By how much the output that moves most still moves, as a part of its range.
    pub fn moved(&self) -> f64 {
        let shares = self.own.iter().zip(&self.ranges);
        let shares = shares.filter(|(_, range)| **range > 0.0);
        shares.map(|(own, range)| own / range).fold(0.0, f64::max)
    }

    /// Its own error of an output, as a part of its range.
    pub fn own_share(&self, output: usize) -> f64 {
        match (self.own.get(output), self.ranges.get(output)) {
            (Some(own), Some(range)) if *range > 0.0 => own / range,
            _ => 0.0,
        }
    }

    /// Communication steps made.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len).saturating_sub(1)
    }

    /// How it was made and how good it is, in a sentence.
    pub fn words(&self) -> String {
        let mut good = format!(
            "it is good to {} % of range in every output",
            round(100.0 * self.moved(), 2)
        );
        if !self.doubt.is_empty() {
            good.clone_from(&self.doubt);
        }
        match &self.method {
            Method::Variable { tolerance, steps } => format!(
                "reference: variable step, error {tolerance:e} per step, {steps} steps; {good}"
            ),
            Method::Fixed { step, why } => format!(
                "reference: fixed step of {}; {good} (no variable step: {why})",
                step_name(*step)
            ),
            Method::None => "no reference".to_owned(),
        }
    }

    /// Errors of a run.
    pub fn errors(&self, course: &Course) -> Vec<OutputError> {
        let pairs = course.columns.iter().zip(&self.columns).zip(&self.ranges);
        pairs
            .map(|((run, reference), range)| OutputError::of(run, reference, *range))
            .collect()
    }
}

impl<'a> Tries<'a> {
    fn new(subject: &'a Subject, until: Option<Instant>) -> Self {
        Self {
            subject,
            until,
            cut: until.map(|until| until.max(Instant::now()) + PATIENCE),
            before: Vec::new(),
            best: Reference::default(),
            idle: 0,
            took: Duration::ZERO,
        }
    }

    fn variable(mut self, watcher: &mut dyn Watcher) -> Result<Reference, Failure> {
        let of = |error: &f64| variable(self.subject, *error);
        let settings: Vec<_> = TOLERANCES.iter().map(of).collect();
        let tries: Vec<How<'_>> = { settings.iter() }
            .map(|settings| How::Variable(settings))
            .collect();
        let method = |k: usize, course: &Course| Method::Variable {
            tolerance: TOLERANCES[k],
            steps: course.variable.map_or(0, |report| report.steps),
        };
        self.all(&tries, ("variable step", &method), watcher)?;
        self.finish()
    }

    fn fixed(mut self, why: &str, watcher: &mut dyn Watcher) -> Result<Reference, Failure> {
        let of = |division: &u32| tight(self.subject, *division);
        let first = coarse(self.subject, &DIVISIONS).min(DIVISIONS.len() - 2);
        let settings: Vec<Vec<(String, String)>> = DIVISIONS[first..].iter().map(of).collect();
        let tries: Vec<How<'_>> = settings.iter().map(|own| How::Fixed(own)).collect();
        let method = |_: usize, course: &Course| Method::Fixed {
            step: course.h,
            why: why.to_owned(),
        };
        self.all(&tries, ("fixed step", &method), watcher)?;
        self.finish()
    }

    /// Makes tries, two at once, until one no longer moves.
    fn all(
        &mut self,
        tries: &[How<'_>],
        (title, method): (&str, &MethodOf<'_>),
        watcher: &mut dyn Watcher,
    ) -> Result<(), Failure> {
        for (pair, hows) in tries.chunks(2).enumerate() {
            let began = Instant::now();
            watcher.stage(&format!(
                "reference, {title}, tries {} and {}",
                2 * pair + 1,
                2 * pair + 2
            ));
            let courses = self.make(hows, watcher);
            self.took = began.elapsed();
            for (k, course) in courses.into_iter().enumerate() {
                let course = match course {
                    Ok(course) => course,
                    // A try that fails does not spoil those before it.
                    Err(_) if !self.best.moves.is_empty() => return Ok(()),
                    Err(failure) => return Err(failure),
                };
                let method = method(2 * pair + k, &course);
                if self.take(course, method) {
                    return Ok(());
                }
            }
            // The next two take at least twice as long.
            let late = |until: Instant| Instant::now() + 2 * self.took > until;
            if self.until.is_some_and(late) {
                break;
            }
        }
        Ok(())
    }

    /// Makes runs at once. Ends that no sensor asked for are errors, too.
    fn make(&self, hows: &[How<'_>], watcher: &mut dyn Watcher) -> Vec<Result<Course, Failure>> {
        let steps = self.subject.times.steps;
        let run = |how: How<'_>, watch: &mut dyn FnMut(u64)| {
            let mut late = None;
            let course = self.subject.run(how, steps, &mut |done| {
                watch(done);
                let over = self.cut.is_some_and(|cut| Instant::now() > cut);
                late = (over && done < steps).then_some(done);
                late.is_none()
            })?;
            if let Some(done) = late {
                return Err(Failure(format!(
                    "the reference run had come to {} s when the time for it was over; valid: a shorter run \
                     (--stop), or more time for it (advise --reference-time)",
                    Seconds(self.subject.times.at(done))
                )));
            }
            match &course.ended {
                Some(Stop { time, reason }) if !course.asked => Err(Failure(format!(
                    "the reference run ended at {} s, so that there is nothing to compare with; valid: a run that ends \
                     before (--stop). It ended because {}",
                    Seconds(*time),
                    reason
                        .split_once("because ")
                        .map_or(&**reason, |(_, why)| why)
                ))),
                _ => Ok(course),
            }
        };
        thread::scope(|scope| {
            let (Some((last, others)), run) = (hows.split_last(), &run) else {
                return Vec::new();
            };
            let flag = halt::flag();
            let others: Vec<_> = { others.iter() }
                .map(|how| {
                    let flag = flag.clone();
                    scope.spawn(move || halt::under(flag, || run(*how, &mut |_| ())))
                })
                .collect();
            // The last one has most work.
            let last = run(*last, &mut |done| {
                watcher.progress(Progress {
                    share: done as f64 / steps as f64,
                });
            });
            let joined = others.into_iter().map(|other| {
                let broken = |_| Err(Failure("a run of the reference broke off".to_owned()));
                other.join().unwrap_or_else(broken)
            });
            joined
                .collect::<Vec<_>>()
                .into_iter()
                .chain([last])
                .collect()
        })
    }

    /// Compares a run with those before; is it the last one?
    fn take(&mut self, course: Course, method: Method) -> bool {
        let units: Vec<String> = { self.subject.outputs.iter() }
            .map(|output| output.unit.clone())
            .collect();
        let mut measures = self.subject.measures.clone();
        for measure in &mut measures {
            measure.take_moved(course.account.moved);
        }
        let spans = spans(&units, &measures, &course.columns);
        let expected = match method {
            Method::Variable { .. } => EXPECTED[0],
            _ => EXPECTED[1],
        };
        let parts = [1.0, expected];
        let apart = |k: usize| {
            let before = self.before.iter().rev().zip(parts);
            let each = before.map(|(before, part)| {
                part * OutputError::of(&course.columns[k], &before.columns[k], 0.0).max
            });
            each.fold(0.0, f64::max)
        };
        let own: Vec<f64> = (0..spans.len()).map(apart).collect();
        let ranges: Vec<f64> = { spans.iter().zip(&own) }
            .map(|(span, own)| range(*span, *own))
            .collect();
        let mut done = false;
        if !self.before.is_empty() {
            let mut moves = std::mem::take(&mut self.best.moves);
            let found = Reference {
                method,
                columns: course.columns.clone(),
                ranges,
                own,
                moves: Vec::new(),
                ended: { course.ended.as_ref() }.map(|stop| (stop.time, stop.reason.clone())),
                doubt: String::new(),
            };
            let moved = found.moved();
            if moves.is_empty() || moved < self.best.moved() {
                (self.best, self.idle) = (found, 0);
            } else {
                self.idle += 1;
            }
            moves.push(moved);
            done = self.idle >= STALLED || (moved <= SETTLED && moves.len() >= 2);
            self.best.moves = moves;
        }
        self.before.push(course);
        if self.before.len() > 2 {
            self.before.remove(0);
        }
        done
    }

    fn finish(self) -> Result<Reference, Failure> {
        if self.best.moves.is_empty() {
            return Err(Failure(
                "there is no reference: only one run was made".to_owned(),
            ));
        }
        Ok(self.best)
    }
}

/// What errors of an output refer to, where the reference's own error is known. If that is as large as all changes of the
/// output, the output is constant.
fn range(span: Span, own: f64) -> f64 {
    if own > KNOWN * span.range && span.constant > 0.0 {
        span.constant
    } else {
        span.range
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use fixstep_kernel::math::cos;
    use fixstep_model::Model;
    use fixstep_model::resources::none;

    use super::super::Deaf;
    use super::*;
    use crate::run::Plan;
    use crate::trial::blueprint;

    /// A mass on a spring: z = cos 10 t.
    const OSCILLATOR: &str = r#"{
      "fixstep": 1, "name": "oscillator", "gravity": [0, 0, 0],
      "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
      "parts": [{"name": "mass", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, 1]}],
      "markers": [{"name": "m", "part": "mass"}, {"name": "g", "part": "ground"}],
      "joints": [{"name": "guide", "type": "translational", "i": "m", "j": "g"}],
      "forces": [{"name": "spring", "type": "action_only_force", "i": "m", "j": "g", "expression": "-200*DZ(m, g)"}],
      "outputs": [{"name": "z", "expression": "DZ(m, g)", "unit": "m"},
                  {"name": "y", "expression": "DY(m, g)", "unit": "m"}],
      "experiment": {"stop": 1, "step": 0.005}
    }"#;

    #[test]
    fn both_kinds_of_reference_are_as_good_as_they_say() {
        let model = Model::read(OSCILLATOR, &none).unwrap();
        let subject = Subject::new(&blueprint(&model), &Plan::default()).unwrap();
        let variable = Tries::new(&subject, None).variable(&mut Deaf).unwrap();
        let fixed = Tries::new(&subject, None).fixed("", &mut Deaf).unwrap();
        for (reference, least) in [(variable, 1e-6), (fixed, 1e-6)] {
            let off = { reference.columns[0].iter().enumerate() }
                .map(|(n, z)| (z - cos(10.0 * subject.times.at(n as u64))).abs())
                .fold(0.0, f64::max);
            assert!(reference.moved() < least, "{:?}", reference.moves);
            // The move between the last two runs bounds what is left, up to the rest of the sum of moves.
            assert!(
                off < 2.0 * reference.own[0] && off > 0.0,
                "{off} {:?}",
                reference.own
            );
            assert_eq!(reference.ranges[1], 0.0);
            assert_eq!(reference.rows(), 200);
        }
    }

    #[test]
    fn a_budget_ends_the_tries() {
        let model = Model::read(OSCILLATOR, &none).unwrap();
        let subject = Subject::new(&blueprint(&model), &Plan::default()).unwrap();
        let short = Reference::find(&subject, Some(Duration::ZERO), &mut Deaf).unwrap();
        assert_eq!(short.moves.len(), 1);
    }
}
