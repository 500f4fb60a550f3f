//! Control plane: the instants at which a program bends or jumps by time alone.

use super::ops::{Binary, Operation, Register, Unary};
use super::program::Program;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::vec::Vec;
use core::f64::consts::TAU;

/// Most instants of one operation.
const MOST: usize = 100_000;

/// What a leaf is, for the search of instants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeafInTime {
    /// Time, in these units per second.
    Time(f64),
    /// A number that does not change during a run.
    Fixed(f64),
    /// Anything else.
    Other,
}

/// A number a + b t with the time t in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    a: f64,
    b: f64,
}

impl Line {
    const fn fixed(a: f64) -> Self {
        Self { a, b: 0.0 }
    }

    /// The instant at which it has a value.
    fn reaches(self, value: f64) -> Option<f64> {
        (self.b != 0.0).then(|| (value - self.a) / self.b)
    }

    fn minus(self, other: Self) -> Self {
        Self {
            a: self.a - other.a,
            b: self.b - other.b,
        }
    }

    fn times(self, factor: f64) -> Self {
        Self {
            a: self.a * factor,
            b: self.b * factor,
        }
    }

    fn constant(self) -> Option<f64> {
        (self.b == 0.0).then_some(self.a)
    }
}

impl Program {
    /// The instants in a range \[s\] at which an operation changes its branch, a ramp begins or ends, a curve has a point
    /// or a bell may stand, where they follow from time alone.
    pub fn knots(
        &self,
        leaf: impl Fn(crate::ids::LeafId) -> LeafInTime,
        (from, to): (f64, f64),
        found: &mut Vec<f64>,
    ) {
        let lines = self.lines(&leaf);
        let mut keep = |instant: Option<f64>| {
            if let Some(t) = instant.filter(|t| *t > from && *t < to) {
                found.push(t);
            }
        };
        for operation in &self.operations {
            let at = |register: Register| lines[register as usize];
            match *operation {
                Operation::Select([e, ..]) | Operation::Binary(Binary::Sign, _, e) => {
                    keep(at(e).and_then(|e| e.reaches(0.0)));
                }
                Operation::Unary(Unary::Exp | Unary::Cosh | Unary::Tanh | Unary::Atan, a)
                | Operation::Binary(Binary::Power | Binary::PowerConstant, a, _)
                | Operation::Binary(Binary::Divide, _, a) => {
                    bump(at(a), &mut keep);
                }
                Operation::Binary(Binary::Multiply, a, b) => {
                    bump(at(a).filter(|_| at(b).is_some_and(varies)), &mut keep);
                    bump(at(b).filter(|_| at(a).is_some_and(varies)), &mut keep);
                }
                Operation::Unary(Unary::Abs, a) => keep(at(a).and_then(|a| a.reaches(0.0))),
                Operation::Binary(Binary::Min | Binary::Max, a, b) => {
                    let apart = at(a).zip(at(b)).map(|(a, b)| a.minus(b));
                    keep(apart.and_then(|apart| apart.reaches(0.0)));
                }
                Operation::Ramp([x, x0, x1]) => {
                    for end in [x0, x1] {
                        let apart = at(x).zip(at(end)).map(|(x, end)| x.minus(end));
                        keep(apart.and_then(|apart| apart.reaches(0.0)));
                    }
                }
                Operation::Curve(curve, _, [x, _]) => {
                    if let Some(x) = at(x) {
                        let points = self.curves[curve as usize].points();
                        for point in points {
                            keep(x.reaches(*point));
                        }
                    }
                }
                Operation::Unary(Unary::Truncate, a) => {
                    whole(at(a), 1.0, 0.0, (from, to), &mut keep);
                }
                Operation::Unary(Unary::Round, a) => {
                    whole(at(a), 1.0, 0.5, (from, to), &mut keep);
                }
                Operation::Binary(Binary::Mod, a, b) => {
                    let by = at(b).and_then(Line::constant);
                    whole(at(a), by.unwrap_or(0.0), 0.0, (from, to), &mut keep);
                }
                _ => {}
            }
        }
        self.curved_knots(leaf, &lines, (from, to), found);
    }

    /// The periods \[s\] of SIN and COS of time alone.
    pub fn periods(&self, leaf: impl Fn(crate::ids::LeafId) -> LeafInTime) -> Vec<f64> {
        let lines = self.lines(leaf);
        let rates = self
            .operations
            .iter()
            .filter_map(|operation| match *operation {
                Operation::Unary(Unary::Sin | Unary::Cos, a) => {
                    lines[a as usize].filter(|a| varies(*a))
                }
                _ => None,
            });
        rates.map(|line| TAU / line.b.abs()).collect()
    }

    /// How many calls of SIN and COS there are.
    pub fn periodic(&self) -> usize {
        let all = self.operations.iter();
        all.filter(|one| matches!(one, Operation::Unary(Unary::Sin | Unary::Cos, _)))
            .count()
    }

    /// The registers that are lines.
    fn lines(&self, leaf: impl Fn(crate::ids::LeafId) -> LeafInTime) -> Vec<Option<Line>> {
        let mut lines: Vec<Option<Line>> = Vec::with_capacity(self.registers());
        lines.extend(self.constants.iter().map(|x| Some(Line::fixed(*x))));
        lines.extend(self.leaves.iter().map(|id| match leaf(*id) {
            LeafInTime::Time(scale) => Some(Line { a: 0.0, b: scale }),
            LeafInTime::Fixed(value) => Some(Line::fixed(value)),
            LeafInTime::Other => None,
        }));
        for operation in &self.operations {
            let line = line(operation, &lines);
            lines.push(line);
        }
        lines
    }
}

/// Where a function of a line may be short against a run, as a bell or a pulse of its square: at zero, and by a few of its
/// own units before and after. A step that ends there cannot pass over it.
fn bump(line: Option<Line>, keep: &mut impl FnMut(Option<f64>)) {
    for value in [-4.0, -1.0, 0.0, 1.0, 4.0] {
        keep(line.and_then(|line| line.reaches(value)));
    }
}

/// Does a line change with time?
fn varies(line: Line) -> bool {
    line.b != 0.0
}

/// The instants at which a line passes a whole multiple of a number, and a part of it.
fn whole(
    line: Option<Line>,
    by: f64,
    part: f64,
    (from, to): (f64, f64),
    keep: &mut impl FnMut(Option<f64>),
) {
    let Some(line) = line.filter(|line| line.b != 0.0 && by != 0.0) else {
        return;
    };
    let count = |t: f64| (line.a + line.b * t) / by;
    let (first, last) = (count(from).min(count(to)), count(from).max(count(to)));
    if !(first.is_finite() && last - first < MOST as f64) {
        return;
    }
    let mut k = first.floor();
    while k <= last {
        keep(line.reaches((k + part) * by));
        k += 1.0;
    }
}

/// The result of an operation as a line, where it is one.
fn line(operation: &Operation, lines: &[Option<Line>]) -> Option<Line> {
    let at = |register: Register| lines[register as usize];
    match *operation {
        Operation::Unary(Unary::Negate, a) => at(a).map(|a| a.times(-1.0)),
        Operation::Unary(op, a) => at(a)?.constant().map(|a| Line::fixed(op.value(a))),
        Operation::Binary(Binary::Add, a, b) => Some(at(a)?.minus(at(b)?.times(-1.0))),
        Operation::Binary(Binary::Subtract, a, b) => Some(at(a)?.minus(at(b)?)),
        Operation::Binary(Binary::Multiply, a, b) => {
            let (a, b) = (at(a)?, at(b)?);
            match (a.constant(), b.constant()) {
                (Some(a), _) => Some(b.times(a)),
                (_, Some(b)) => Some(a.times(b)),
                _ => None,
            }
        }
        Operation::Binary(Binary::Divide, a, b) => {
            let by = at(b)?.constant().filter(|by| *by != 0.0)?;
            Some(at(a)?.times(1.0 / by))
        }
        Operation::Binary(op, a, b) => {
            let (a, b) = (at(a)?.constant()?, at(b)?.constant()?);
            Some(Line::fixed(op.value(a, b)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::LeafId;
    use alloc::vec;

    /// STEP of 2·(TIME − 1) from 0 to 1, and IF(TIME/1000 − 3): all instants are found, of time in milliseconds.
    #[test]
    fn ramps_and_branches_in_time_have_their_instants() {
        let program = Program {
            constants: vec![2.0, 1.0, 0.0, 1000.0, 3.0],
            leaves: vec![LeafId(0), LeafId(1)],
            curves: vec![],
            operations: vec![
                Operation::Binary(Binary::Subtract, 5, 1),
                Operation::Binary(Binary::Multiply, 0, 7),
                Operation::Ramp([8, 2, 1]),
                Operation::Binary(Binary::Divide, 5, 3),
                Operation::Binary(Binary::Subtract, 10, 4),
                Operation::Select([11, 0, 0, 9]),
                // By the other leaf, whose course is not known.
                Operation::Unary(Unary::Abs, 6),
            ],
            result: 12,
            calls: vec![],
        };
        let leaf = |id: LeafId| match id.0 {
            0 => LeafInTime::Time(1000.0),
            _ => LeafInTime::Other,
        };
        let mut found = vec![];
        program.knots(leaf, (0.0, 10.0), &mut found);
        assert_eq!(found, [0.001, 0.0015, 3.0]);
    }

    /// EXP(-((TIME − 2)/0.01)**2): its middle and its flanks are found.
    #[test]
    fn a_bell_in_time_has_its_instants() {
        let program = Program {
            constants: vec![2.0, 0.01],
            leaves: vec![LeafId(0)],
            curves: vec![],
            operations: vec![
                Operation::Binary(Binary::Subtract, 2, 0),
                Operation::Binary(Binary::Divide, 3, 1),
                Operation::Binary(Binary::PowerConstant, 4, 0),
                Operation::Unary(Unary::Negate, 5),
                Operation::Unary(Unary::Exp, 6),
            ],
            result: 7,
            calls: vec![],
        };
        let mut found = vec![];
        program.knots(|_| LeafInTime::Time(1.0), (0.0, 3.0), &mut found);
        for instant in [1.96, 1.99, 2.0, 2.01, 2.04] {
            assert!(
                found.iter().any(|t| (t - instant).abs() < 1e-12),
                "{instant}: {found:?}"
            );
        }
    }

    #[test]
    fn a_sawtooth_has_an_instant_in_every_period() {
        let program = Program {
            constants: vec![0.25],
            leaves: vec![LeafId(0)],
            curves: vec![],
            operations: vec![Operation::Binary(Binary::Mod, 1, 0)],
            result: 2,
            calls: vec![],
        };
        let mut found = vec![];
        program.knots(|_| LeafInTime::Time(1.0), (0.0, 1.1), &mut found);
        assert_eq!(found, [0.25, 0.5, 0.75, 1.0]);
    }
}
