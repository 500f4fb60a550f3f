//! Control plane: finds functions of time whose course between step ends is lost, and driven angles that reach a pose
//! in which two of three rotation axes coincide.
//!
//! A step samples a function only at its ends. Values within the step that exceed both ends are lost: a pulse shorter
//! than the step, or a vibration with few steps per period. A jump from one value to another stays between both ends,
//! and is not lost.

use super::values::Course;
use super::{Subject, show};
use crate::ids::ExprId;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::{Finding, LintRule, Motion, MotionCoordinate, MotionLevel, called};
use crate::seconds::Seconds;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::f64::consts::FRAC_PI_2;

/// Points examined within a step.
const POINTS: u32 = 16;
/// Limit on the values examined for all functions together; a longer experiment is examined at equally spaced steps.
const MOST: u32 = 200_000;
/// At most so many points where a function bends or jumps.
const KNOTS: usize = 10_000;
/// A function may exceed its values at both ends of a step by this fraction of its range.
const BEYOND: f64 = 0.2;
/// Rounding, as a fraction of a function's size.
const ROUNDING: f64 = 1e-9;
/// Number of times in an experiment at which driven angles are examined.
const ANGLES: u32 = 4096;
/// Search for functions that change only after the experiment: from which to which multiple of its duration, the
/// factor between times, and the relative change that counts. Programs may be a few times as long as a run.
const LATE: f64 = 10.0;
const LATEST: f64 = 2e4;
const LATER: f64 = 1.025;
const CHANGE: f64 = 1e-6;
/// Cosine below which an angle counts as a right angle.
const RIGHT: f64 = 1e-3;

/// Checks both.
pub(super) fn check(s: &Subject<'_>, found: &mut Vec<Finding>) {
    let all = functions(s);
    let mut courses: Vec<_> = all
        .into_iter()
        .filter_map(|(kind, name, field, expr)| Some((kind, name, field, Course::of(s, expr)?)))
        .collect();
    let share = MOST / (courses.len() as u32).max(1);
    for (kind, name, field, course) in &mut courses {
        let reported = |f: &Finding| f.rule == LintRule::AbruptMotion && f.name == *name;
        if found.iter().any(reported) {
            continue;
        }
        let (excursion, range) = excursion(s, course, share);
        if let Some(excursion) = excursion {
            found.push(excursion.finding(s, (kind, name, field)));
        } else if range == 0.0 {
            found.extend(late(s, course, (kind, name, field)));
        }
    }
    for motion in &s.mechanism.motions {
        coincident(s, motion, found);
    }
}

/// All functions that act through an expression: kind, name, field.
pub(super) fn functions<'a>(s: &Subject<'a>) -> Vec<(&'a str, &'a str, &'a str, ExprId)> {
    let mechanism = s.mechanism;
    let mut all = Vec::new();
    for force in &mechanism.forces {
        for (field, scaled) in force.kind.expressions() {
            all.push(("force", force.name.as_str(), field, scaled.expr));
        }
    }
    for motion in &mechanism.motions {
        let field = match motion.level {
            MotionLevel::Displacement => "displacement",
            MotionLevel::Velocity => "velocity",
            MotionLevel::Acceleration => "acceleration",
        };
        all.push(("motion", &motion.name, field, motion.function.expr));
    }
    for constraint in &mechanism.general_constraints {
        let (name, expr) = (&constraint.name, constraint.function.expr);
        all.push(("general constraint", name, "expression", expr));
    }
    for equation in &mechanism.equations {
        let place = (&*equation.kind, &*equation.quantity.name, &*equation.field);
        all.push((place.0, place.1, place.2, equation.law.expression().expr));
    }
    all
}

/// A value within a step that exceeds those at both ends.
struct Excursion {
    time: f64,
    value: f64,
    ends: [f64; 2],
    step: [f64; 2],
    /// How far it exceeds them.
    beyond: f64,
}

/// The search for the largest excursion of a function.
struct Search {
    low: f64,
    high: f64,
    most: Option<Excursion>,
}

impl Search {
    /// Looks into a step, at times within it.
    fn look(&mut self, course: &mut Course<'_>, step: [f64; 2], within: impl Iterator<Item = f64>) {
        let ends = step.map(|time| course.at(time));
        if !ends.iter().all(|x| x.is_finite()) {
            return;
        }
        let (least, greatest) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        (self.low, self.high) = (self.low.min(least), self.high.max(greatest));
        for time in within {
            let value = course.at(time);
            if !value.is_finite() {
                continue;
            }
            (self.low, self.high) = (self.low.min(value), self.high.max(value));
            let beyond = (value - greatest).max(least - value);
            if beyond > self.most.as_ref().map_or(0.0, |most| most.beyond) {
                self.most = Some(Excursion {
                    time,
                    value,
                    ends,
                    step,
                    beyond,
                });
            }
        }
    }
}

/// The largest excursion, if it is significant; and the range of the function. Besides equally spaced points, it looks at
/// those where a ramp begins or ends or a branch changes by time alone, and between them.
fn excursion(s: &Subject<'_>, course: &mut Course<'_>, share: u32) -> (Option<Excursion>, f64) {
    let experiment = &s.mechanism.experiment;
    let steps = ((experiment.stop - experiment.start) / s.step).ceil();
    let steps = steps.clamp(1.0, 1e9) as u32;
    let every = steps.div_ceil((share / POINTS).max(1)).max(1);
    let mut search = Search {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        most: None,
    };
    let time = |k: f64, part: f64| experiment.start + (k + part) * s.step;
    for k in (0..steps).step_by(every as usize).map(f64::from) {
        let within = (1..POINTS).map(|point| time(k, f64::from(point) / f64::from(POINTS)));
        search.look(course, [time(k, 0.0), time(k, 1.0)], within);
    }
    let knots = course.knots((experiment.start, experiment.stop));
    let of = |knot: &f64| ((knot - experiment.start) / s.step).floor();
    for knots in knots[..knots.len().min(KNOTS)].chunk_by(|a, b| of(a) == of(b)) {
        let k = of(&knots[0]);
        let middles = knots.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
        let within = knots.iter().copied().chain(middles);
        search.look(course, [time(k, 0.0), time(k, 1.0)], within);
    }
    let Search { low, high, most } = search;
    let range = high - low;
    let counts = range > ROUNDING * high.abs().max(low.abs());
    let most = most.filter(|most| counts && most.beyond > BEYOND * range);
    (most, range)
}

/// Finds a function that is constant during the experiment and changes only later: often milliseconds were meant.
fn late(s: &Subject<'_>, course: &mut Course<'_>, place: (&str, &str, &str)) -> Option<Finding> {
    let (experiment, unit) = (&s.mechanism.experiment, &s.mechanism.units.time);
    let span = experiment.stop - experiment.start;
    let value = course.at(experiment.stop);
    let changes = |times: &f64| {
        let later = course.at(experiment.start + span * times);
        later.is_finite() && (later - value).abs() > CHANGE * value.abs().max(later.abs())
    };
    let places = core::iter::successors(Some(LATER), |times| Some(LATER * times));
    let times = places.take_while(|times| *times < LATEST).find(changes);
    let times = times.filter(|times| *times > LATE)?;
    let in_unit = |seconds: f64| format!("{} {}", show(seconds / unit.factor), unit.name);
    Some(Finding::new(
        LintRule::LongDelay,
        place,
        format!(
            "it is {} during the whole experiment, {}, and changes only after it, by about {}",
            show(value),
            in_unit(span),
            in_unit(experiment.start + span * times)
        ),
        &format!(
            "give times in the unit of time of the model, {}, or let the experiment last longer",
            unit.name
        ),
    ))
}

impl Excursion {
    fn finding(&self, s: &Subject<'_>, place: (&str, &str, &str)) -> Finding {
        Finding::new(
            LintRule::BetweenSteps,
            place,
            format!(
                "at {} s it is {}, while at the ends of that step, {} s and {} s, it is {} and {}: steps of {} s \
                 evaluate a function at their ends only, and miss its course between them",
                show(self.time),
                show(self.value),
                show(self.step[0]),
                show(self.step[1]),
                show(self.ends[0]),
                show(self.ends[1]),
                Seconds(s.step)
            ),
            "use a smaller step, with at least ten for a period or a pulse, or a pulse of the same area that takes \
             several steps",
        )
    }
}

/// Checks the second of three driven angles: at a right angle the first and the third rotate about the same axis.
fn coincident(s: &Subject<'_>, motion: &Motion, found: &mut Vec<Finding>) {
    let second = motion.coordinate == MotionCoordinate::Body123(1);
    if !second || motion.level != MotionLevel::Displacement {
        return;
    }
    let shares = |other: &&Motion| {
        let outer = [0, 2].map(MotionCoordinate::Body123);
        (other.i, other.j) == (motion.i, motion.j) && outer.contains(&other.coordinate)
    };
    let others: Vec<String> = s
        .mechanism
        .motions
        .iter()
        .filter(shares)
        .map(|m| called(&m.name))
        .collect();
    let Some(mut course) = Course::of(s, motion.function.expr).filter(|_| !others.is_empty())
    else {
        return;
    };
    let experiment = &s.mechanism.experiment;
    let mut before: Option<f64> = None;
    for k in 0..=ANGLES {
        let part = f64::from(k) / f64::from(ANGLES);
        let time = experiment.start + (experiment.stop - experiment.start) * part;
        let angle = course.at(time) * motion.function.to_si;
        let quarters = (angle / FRAC_PI_2).floor();
        let crosses = before.is_some_and(|before| {
            let half = |quarter: f64| f64::midpoint(quarter, 1.0).floor();
            half(before) != half(quarters)
        });
        if crosses || crate::math::cos(angle).abs() < RIGHT {
            found.push(Finding::new(
                LintRule::CoincidentAxes,
                ("motion", &motion.name, "displacement"),
                format!(
                    "at about {} s its angle b2 reaches a right angle: there b1 and b3 turn about the same axis, and \
                     motion {} cannot be met",
                    show(time),
                    others.join(", ")
                ),
                "stay below 90 degrees, choose b2 for the axis with the smallest angle, or drive joints instead of \
                 these angles",
            ));
            return;
        }
        before = Some(quarters).filter(|x| x.is_finite());
    }
}
