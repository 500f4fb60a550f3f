//! What an attempted step must not pass over: contacts, branches and bells that begin and end between its two ends.
//!
//! A step that is accepted by its error is looked at within, on its polynomial. Between two instants t_a and t_b a contact
//! with the gaps g_a and g_b cannot have closed if
//!
//! ```text
//! g_a + g_b ≥ L (t_b − t_a)                                                            (VAR-21)
//! ```
//! with L the largest speed of a point of I's shape relative to J's (Lipschitz; for a plane, along its normal). Where this
//! does not hold, the interval is halved, until the path in it is short against the shapes. A number that changes its
//! sign with a branch is looked at where the parabola through three instants is nearest to zero, and an expression where
//! an argument of a bell passes zero (VAR-22). If something is found, the step is repeated to end there: from then on its
//! error, and the search of events, see it.

use super::indicators::{Indicators, Source, expressions, reads_balance, reads_reactions};
use super::{Run, Variable};
use crate::elements::forces::ForceLaw;
use crate::elements::forces::contact::{self, Gap};
use crate::expr::Program;
use crate::expr::bells::{Bell, Reading, Table};
use crate::ids::{ExprId, ForceId};
use crate::integrator::Scheme;
use crate::mechanism::Leaf;
use crate::system::{System, eval};
use alloc::vec;
use alloc::vec::Vec;

/// Most instants that are looked at within a step for contacts; then it is halved.
const MOST: usize = 100;
/// Rounding of (VAR-21).
const EXACT: f64 = 1.0 + 1e-4;
/// Instants near the least distance of a branch from its change.
const NEAREST: usize = 4;
/// A parabola's least value below this part of those that it passes through is looked at.
const LOW: f64 = 0.5;
/// Instants that locate the zero of an argument, and when it is one.
const ZEROS: usize = 12;
const ZERO: f64 = 0.3;
/// A contact that is deeper within a step than at its ends, by this many tolerances or by what is
/// not looked for otherwise, needs a shorter step,
const DEEPER: f64 = 10.0;
/// of this part.
const CUT: f64 = 0.25;
/// A branch changes at both ends of a step if its numbers there are less than this part of that within.
const SPANNED: f64 = 0.02;
/// Steps this many times the shortest are not looked at.
const SHORT: f64 = 100.0;
/// A point of a spline may be passed if it is nearer to a parabola than this part of what the values there differ by,
const UNEVEN: f64 = 0.25;
/// or of the largest value of the spline.
const RIPPLE: f64 = 1e-6;
/// Rounding of values beside which a bell stands out.
const OUTSTANDING: f64 = 1e-9;

/// What is looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Passages {
    contacts: Vec<ForceId>,
    programs: Vec<Looked>,
    registers: Vec<f64>,
    /// Which indicators are looked at: not those of expressions that read reactions or accelerations, which are not those of
    /// the steps within them.
    looked: Vec<bool>,
    /// Does a sensor read accelerations or reactions?
    accelerations: bool,
}

/// An expression, with its bells and splines.
#[derive(Clone, Debug)]
struct Looked {
    program: Program,
    bells: Vec<Bell>,
    tables: Vec<Table>,
}

/// What an instant within a step shows.
#[derive(Clone, Debug)]
struct Sample {
    after: f64,
    gaps: Vec<Gap>,
    margins: Vec<Option<f64>>,
    /// The values of expressions with bells, and the arguments of the bells.
    values: Vec<f64>,
    arguments: Vec<f64>,
    /// Where splines are evaluated.
    readings: Vec<Reading>,
}

/// A step that is looked at: its length and scheme.
type Step<'a> = (f64, &'a Scheme);

impl Passages {
    pub(super) fn new(system: &System, indicators: &Indicators) -> Self {
        let forces = system.forces.iter().enumerate();
        let moves = |leaf: crate::ids::LeafId| {
            !matches!(
                system.leaves[leaf.index()],
                Leaf::Time { .. } | Leaf::Parameter(_) | Leaf::Input(_)
            )
        };
        let settled = |expr: &ExprId| !reads_reactions(system, *expr);
        let all = expressions(system).into_iter().filter(settled);
        let programs = all.filter_map(|expr| {
            let program = &system.programs[expr.index()];
            let (bells, tables) = (program.bells(moves), program.tables(moves));
            (!bells.is_empty() || !tables.is_empty()).then(|| Looked {
                program: program.clone(),
                bells,
                tables,
            })
        });
        let programs: Vec<Looked> = programs.collect();
        let registers = programs.iter().map(|own| own.program.registers());
        Self {
            contacts: forces
                .filter(|(_, force)| matches!(force.law, ForceLaw::Contact(_)))
                .map(|(f, _)| ForceId::from(f))
                .collect(),
            registers: vec![0.0; registers.max().unwrap_or(0)],
            programs,
            accelerations: (system.memory.sensors.iter())
                .any(|entry| reads_balance(system, entry.expression)),
            looked: indicators
                .sources()
                .map(|source| match source {
                    Source::Expression(expr) => settled(&expr),
                    _ => true,
                })
                .collect(),
        }
    }

    /// The numbers of the branches that are looked at.
    fn looked_at(&self, margins: &[Option<f64>]) -> Vec<Option<f64>> {
        let all = margins.iter().zip(&self.looked);
        all.map(|(margin, looked)| margin.filter(|_| *looked))
            .collect()
    }

    /// The instant at which a spline passes a point whose value is far from the parabola through those at three instants.
    fn jumped(&self, samples: &[Sample; 3]) -> Option<f64> {
        let tables = self.programs.iter().flat_map(|one| &one.tables);
        for (k, table) in tables.enumerate() {
            let points = samples.each_ref().map(|sample| {
                let reading = &sample.readings[k];
                (reading.x, reading.value)
            });
            let values = points.map(|(_, value)| value);
            let most = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
            let least = values.into_iter().fold(f64::INFINITY, f64::min);
            let allowed = UNEVEN * (most - least) + RIPPLE * table.largest();
            let far = |(x, value): &(f64, f64)| (value - parabola(&points, *x)).abs() > allowed;
            for pair in samples.windows(2) {
                let (a, b) = (&pair[0], &pair[1]);
                let (from, to) = (&a.readings[k], &b.readings[k]);
                if let Some((x, _)) = table.between(from, to).find(far) {
                    let part = (x - from.x) / (to.x - from.x);
                    return Some(a.after + part * (b.after - a.after));
                }
            }
        }
        None
    }

    fn is_empty(&self) -> bool {
        self.contacts.is_empty() && self.programs.is_empty() && !self.looked.contains(&true)
    }
}

impl Variable {
    /// The length of a step that ends within what an attempted one has passed over; `None` if it has passed over nothing.
    pub(super) fn passed(&mut self, run: &Run<'_>, h: f64, scheme: &Scheme) -> Option<f64> {
        if self.passages.is_empty() || h < SHORT * self.tolerance.shortest {
            return None;
        }
        let mut own = core::mem::take(&mut self.passages);
        let found = self.passed_by(&mut own, run, (h, scheme));
        self.passages = own;
        found
    }

    fn passed_by(&mut self, own: &mut Passages, run: &Run<'_>, step: Step<'_>) -> Option<f64> {
        let h = step.0;
        // The search of events has mostly evaluated the end.
        let end = if self.evaluated == Some(h) {
            self.read(own, run.system, h)
        } else {
            self.sample(own, run, h, step).1
        };
        let (_, begin) = self.sample(own, run, 0.0, step);
        let (changed, middle) = self.sample(own, run, 0.5 * h, step);
        if changed {
            return Some(0.5 * h);
        }
        let samples = [begin, middle, end];
        self.met(own, run, step, &samples)
            .or_else(|| self.pressed(own, &samples, (h, run.length_unit)))
            .or_else(|| spanned(&samples).then_some(CUT * h))
            .or_else(|| own.jumped(&samples))
            .or_else(|| self.grazed(own, run, step, &samples))
            .or_else(|| self.rung(own, run, step, &samples))
    }

    /// An instant of the step; has an indicator changed its cell there?
    fn sample(
        &mut self,
        own: &mut Passages,
        run: &Run<'_>,
        after: f64,
        (h, scheme): Step<'_>,
    ) -> (bool, Sample) {
        self.look_with(run, after, (h, Some(scheme)), own.accelerations);
        let changed = self.indicators.changed().any(|k| own.looked[k]);
        (changed, self.read(own, run.system, after))
    }

    /// What the instant shows that was evaluated last.
    fn read(&self, own: &mut Passages, system: &System, after: f64) -> Sample {
        let (state, ws) = (&self.shown, &self.shown_ws);
        let gaps = own.contacts.iter().map(|f| {
            let force = f.index();
            match &system.forces[force].law {
                ForceLaw::Contact(law) => {
                    contact::gap(law, &eval::context(system, state, ws, force))
                }
                _ => unreachable_gap(),
            }
        });
        let mut sample = Sample {
            after,
            gaps: gaps.collect(),
            margins: own.looked_at(&self.indicators.margins),
            values: Vec::with_capacity(own.programs.len()),
            arguments: Vec::new(),
            readings: Vec::new(),
        };
        for one in &own.programs {
            let value = one.program.value(&ws.leaves, &mut own.registers);
            sample.values.push(value);
            let numbers = one.bells.iter().map(|bell| bell.number(&own.registers));
            sample.arguments.extend(numbers);
            let readings = one.tables.iter().map(|table| table.reading(&own.registers));
            sample.readings.extend(readings);
        }
        sample
    }

    /// An instant at which shapes press that are apart at both ends (VAR-21).
    fn met(
        &mut self,
        own: &mut Passages,
        run: &Run<'_>,
        step: Step<'_>,
        [begin, middle, end]: &[Sample; 3],
    ) -> Option<f64> {
        let open: Vec<usize> = (0..own.contacts.len())
            .filter(|k| {
                let apart = |sample: &Sample| sample.gaps[*k].apart > 0.0;
                let chatters = self.indicators.chatters(Source::Force(own.contacts[*k]));
                !chatters && apart(begin) && apart(middle) && apart(end)
            })
            .collect();
        let unsafe_between = |a: &Sample, b: &Sample| {
            open.iter().any(|k| {
                let (one, other) = (&a.gaps[*k], &b.gaps[*k]);
                let speed = one.speed.max(other.speed) + 0.5 * (one.speed - other.speed).abs();
                let path = speed * (b.after - a.after);
                path > EXACT * (one.apart + other.apart) && path > one.fine
            })
        };
        let mut rest = vec![
            (middle.clone(), end.clone()),
            (begin.clone(), middle.clone()),
        ];
        let mut looked = 0;
        while let Some((a, b)) = rest.pop() {
            if !unsafe_between(&a, &b) {
                continue;
            }
            if looked == MOST {
                return Some(0.5 * step.0);
            }
            looked += 1;
            let (changed, between) = self.sample(own, run, 0.5 * (a.after + b.after), step);
            if changed {
                return Some(between.after);
            }
            rest.push((between.clone(), b));
            rest.push((a, between));
        }
        None
    }

    /// A part of the step, if shapes that press at its beginning come deeper within it than at its ends: they would pass
    /// through each other before a force turns them back.
    fn pressed(
        &self,
        own: &Passages,
        [begin, middle, end]: &[Sample; 3],
        (h, length_unit): (f64, f64),
    ) -> Option<f64> {
        let least = DEEPER * self.tolerance.error * length_unit;
        let deeper = (0..own.contacts.len()).any(|k| {
            let depth = |sample: &Sample| -sample.gaps[k].apart;
            let least = least.min(middle.gaps[k].fine);
            let chatters = self.indicators.chatters(Source::Force(own.contacts[k]));
            let ends = depth(begin).max(depth(end)).max(0.0);
            // What has just touched presses by rounding, or does not.
            !chatters && depth(begin) >= -least && depth(middle) > ends + least
        });
        deeper.then_some(CUT * h)
    }

    /// An instant at which a branch changes that is the same at both ends.
    fn grazed(
        &mut self,
        own: &mut Passages,
        run: &Run<'_>,
        step: Step<'_>,
        samples: &[Sample; 3],
    ) -> Option<f64> {
        for k in 0..samples[0].margins.len() {
            let at = |sample: &Sample| Some((sample.after, sample.margins[k]?));
            let [Some(a), Some(b), Some(c)] = samples.each_ref().map(at) else {
                continue;
            };
            let mut points = [a, b, c];
            for _ in 0..NEAREST {
                let Some(near) = nearest(&points) else { break };
                let (changed, sample) = self.sample(own, run, near, step);
                if changed {
                    return Some(near);
                }
                let Some(found) = at(&sample) else { break };
                points = closer(&points, found);
            }
        }
        None
    }

    /// An instant at which the value of an expression stands out, because an argument of a bell in it is zero (VAR-22).
    fn rung(
        &mut self,
        own: &mut Passages,
        run: &Run<'_>,
        step: Step<'_>,
        samples: &[Sample; 3],
    ) -> Option<f64> {
        let counts: Vec<usize> = own.programs.iter().map(|one| one.bells.len()).collect();
        for pair in 0..2 {
            let (a, b) = (&samples[pair], &samples[pair + 1]);
            let mut k = 0;
            for (p, count) in counts.iter().enumerate() {
                let values = samples.each_ref().map(|sample| sample.values[p]);
                for bell in k..k + count {
                    let (x, y) = (a.arguments[bell], b.arguments[bell]);
                    if x * y < 0.0
                        && let Some(zero) = self.zero_of(own, run, step, (a, b, bell))
                        && stands_out(zero.values[p], values)
                        && zero.after < step.0
                    {
                        return Some(zero.after);
                    }
                }
                k += count;
            }
        }
        None
    }

    /// Where an argument is zero between two instants, by the method of Illinois.
    fn zero_of(
        &mut self,
        own: &mut Passages,
        run: &Run<'_>,
        step: Step<'_>,
        (a, b, bell): (&Sample, &Sample, usize),
    ) -> Option<Sample> {
        let mut low = (a.after, a.arguments[bell]);
        let mut high = (b.after, b.arguments[bell]);
        let mut side = 0;
        let mut found = None;
        for _ in 0..ZEROS {
            let at = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
            let (_, sample) = self.sample(own, run, at, step);
            let x = sample.arguments[bell];
            let near = x.abs() < ZERO * 1.0_f64.min(a.arguments[bell].abs());
            found = Some(sample);
            if near || !x.is_finite() {
                break;
            }
            if (x < 0.0) == (low.1 < 0.0) {
                low = (at, x);
                high.1 *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            } else {
                high = (at, x);
                low.1 *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            }
        }
        found
    }
}

/// Does a step lead from one change of a branch to the next one? At both ends the function has the value that it has there.
fn spanned([begin, middle, end]: &[Sample; 3]) -> bool {
    let margins = begin.margins.iter().zip(&middle.margins).zip(&end.margins);
    margins.into_iter().any(|((a, b), c)| match (a, b, c) {
        (Some(a), Some(b), Some(c)) => a.abs().max(c.abs()) < SPANNED * b.abs(),
        _ => false,
    })
}

/// The gap of what is no contact: never closed.
fn unreachable_gap() -> Gap {
    Gap {
        apart: f64::INFINITY,
        speed: 0.0,
        fine: f64::INFINITY,
    }
}

/// Where the parabola through three points of one sign is nearest to zero, if that is between them and nearer than they
/// are.
fn nearest(points: &[(f64, f64); 3]) -> Option<f64> {
    let [(t0, y0), (t1, y1), (t2, y2)] = *points;
    let sign = if y0 < 0.0 { -1.0 } else { 1.0 };
    let [y0, y1, y2] = [y0, y1, y2].map(|y| sign * y);
    let least = y0.min(y1).min(y2);
    let first = (y1 - y0) / (t1 - t0);
    let second = ((y2 - y1) / (t2 - t1) - first) / (t2 - t0);
    // Positive curvature, all numbers of one sign.
    if !(least > 0.0 && second > 0.0) {
        return None;
    }
    let at = 0.5 * (t0 + t1 - first / second);
    let value = y0 + (at - t0) * (first + second * (at - t1));
    (at > t0 && at < t2 && at != t1 && value < LOW * least).then_some(at)
}

/// The parabola through three points; where two of them have one place, the value of the first.
fn parabola(points: &[(f64, f64); 3], x: f64) -> f64 {
    let [(a, fa), (b, fb), (c, fc)] = *points;
    let basis = [
        (x - b) * (x - c) / ((a - b) * (a - c)),
        (x - a) * (x - c) / ((b - a) * (b - c)),
    ];
    let sum = fc + basis[0] * (fa - fc) + basis[1] * (fb - fc);
    if sum.is_finite() { sum } else { fa }
}

/// The three points around the least one, with another one.
fn closer(points: &[(f64, f64); 3], found: (f64, f64)) -> [(f64, f64); 3] {
    let [a, b, c] = *points;
    let all = if found.0 < b.0 {
        [a, found, b, c]
    } else {
        [a, b, found, c]
    };
    if all[1].1.abs() < all[2].1.abs() {
        [all[0], all[1], all[2]]
    } else {
        [all[1], all[2], all[3]]
    }
}

/// Is a value farther from three others than these are from each other?
fn stands_out(value: f64, others: [f64; 3]) -> bool {
    let low = others.into_iter().fold(f64::INFINITY, f64::min);
    let high = others.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let beyond = (value - high).max(low - value);
    beyond > (high - low) + OUTSTANDING * high.abs().max(low.abs())
}
