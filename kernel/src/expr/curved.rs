//! Control plane: instants at which curved functions of time alone, such as SIN(TIME), begin or end a ramp, change a
//! branch, or turn where a function of them may have a pulse.
//!
//! Each such number is computed at equally spaced times. Where it is greater or less than at both neighbours, the extreme
//! value is located by golden sections; where a number passes zero, between two of all these times, by halving.

use super::knots::{LeafInTime, Line};
use super::ops::{Binary, Operation, Register, Unary};
use super::program::Program;
use alloc::vec;
use alloc::vec::Vec;

/// Equally spaced times in the range.
const EVEN: usize = 8000;
/// Most extreme values of one number that are instants themselves.
const MOST_TURNS: usize = 1000;
/// Golden sections that locate an extreme value, and their ratio.
const SECTIONS: usize = 60;
const GOLDEN: f64 = 0.618_033_988_749_895;
/// Halvings that locate a zero.
const HALVINGS: usize = 60;
/// Powers up to this exponent have no pulses that are shorter than the course of their base.
const LOW_POWER: f64 = 4.0;

/// A number that is looked at.
#[derive(Clone, Copy)]
struct Watched {
    /// The number is the difference of two registers, or the first of them.
    a: Register,
    b: Option<Register>,
    /// Are its zeros instants; are its extreme values?
    zeros: bool,
    turns: bool,
}

impl Watched {
    fn zeros(a: Register, b: Option<Register>) -> Self {
        Self {
            a,
            b,
            zeros: true,
            turns: false,
        }
    }

    fn turns(a: Register) -> Self {
        Self {
            a,
            b: None,
            zeros: false,
            turns: true,
        }
    }

    fn of(self, registers: &[f64]) -> f64 {
        let at = |register: Register| registers[register as usize];
        at(self.a) - self.b.map_or(0.0, at)
    }
}

/// A program as a function of time.
struct Course<'a> {
    program: &'a Program,
    leaves: Vec<LeafInTime>,
    /// Does a register depend on time alone?
    alone: Vec<bool>,
    registers: Vec<f64>,
}

impl Course<'_> {
    /// The registers at a time \[s\]; those that read anything else than time are not numbers.
    fn at(&mut self, time: f64) -> &[f64] {
        let first = self.program.constants.len();
        let rest = &mut self.registers[first..];
        for (register, leaf) in rest.iter_mut().zip(&self.leaves) {
            *register = match leaf {
                LeafInTime::Time(scale) => scale * time,
                LeafInTime::Fixed(value) => *value,
                LeafInTime::Other => f64::NAN,
            };
        }
        let first = first + self.leaves.len();
        for (k, operation) in self.program.operations.iter().enumerate() {
            if self.alone[first + k] {
                self.registers[first + k] = operation.value(&self.registers, &self.program.curves);
            }
        }
        &self.registers
    }

    /// The extreme value between two times, by golden sections.
    fn turn(&mut self, watched: Watched, (mut low, mut high): (f64, f64), sign: f64) -> f64 {
        for _ in 0..SECTIONS {
            let width = GOLDEN * (high - low);
            let (a, b) = (high - width, low + width);
            if sign * watched.of(self.at(a)) >= sign * watched.of(self.at(b)) {
                high = b;
            } else {
                low = a;
            }
        }
        0.5 * (low + high)
    }

    /// The first time found behind a change of the sign.
    fn zero(&mut self, watched: Watched, (mut low, mut high): (f64, f64)) -> f64 {
        let before = watched.of(self.at(low)) < 0.0;
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if (watched.of(self.at(middle)) < 0.0) == before {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }
}

impl Program {
    /// Adds the instants of numbers that depend on time alone but are no lines.
    pub(super) fn curved_knots(
        &self,
        leaf: impl Fn(crate::ids::LeafId) -> LeafInTime,
        lines: &[Option<Line>],
        (from, to): (f64, f64),
        found: &mut Vec<f64>,
    ) {
        let mut course = self.course(leaf);
        let all = self.curved(&course.alone, lines);
        if all.is_empty() || !(to > from && (to - from).is_finite()) {
            return;
        }
        let step = (to - from) / EVEN as f64;
        let times: Vec<f64> = (0..=EVEN).map(|k| from + step * k as f64).collect();
        let mut columns = vec![Vec::with_capacity(times.len()); all.len()];
        for time in &times {
            let registers = course.at(*time);
            for (column, watched) in columns.iter_mut().zip(&all) {
                column.push(watched.of(registers));
            }
        }
        for (watched, column) in all.iter().zip(&columns) {
            let turns = turns(&mut course, *watched, (&times, column));
            let known = found.len();
            if watched.zeros {
                zeros(&mut course, *watched, (&times, &turns), found);
            }
            // Between two zeros, what begins and ends there has its extreme value.
            if (watched.turns || found.len() > known) && turns.len() <= MOST_TURNS {
                found.extend(turns);
            }
        }
        found.retain(|t| *t > from && *t < to);
    }

    fn course(&self, leaf: impl Fn(crate::ids::LeafId) -> LeafInTime) -> Course<'_> {
        let leaves: Vec<LeafInTime> = self.leaves.iter().map(|id| leaf(*id)).collect();
        let mut alone = vec![true; self.constants.len()];
        alone.extend(leaves.iter().map(|leaf| *leaf != LeafInTime::Other));
        for operation in &self.operations {
            let mut all = true;
            operation.map(|register| {
                all &= alone[register as usize];
                register
            });
            alone.push(all);
        }
        let mut registers = vec![f64::NAN; self.registers()];
        registers[..self.constants.len()].copy_from_slice(&self.constants);
        Course {
            program: self,
            leaves,
            alone,
            registers,
        }
    }

    /// The numbers to look at.
    fn curved(&self, alone: &[bool], lines: &[Option<Line>]) -> Vec<Watched> {
        let mut all: Vec<Watched> = Vec::new();
        let constant = |register: Register| self.constants.get(register as usize);
        for operation in &self.operations {
            match *operation {
                Operation::Select([e, ..]) | Operation::Binary(Binary::Sign, _, e) => {
                    all.push(Watched::zeros(e, None));
                }
                Operation::Unary(Unary::Abs | Unary::Tanh | Unary::Atan, a) => {
                    all.push(Watched::zeros(a, None));
                }
                Operation::Binary(Binary::Min | Binary::Max, a, b) => {
                    all.push(Watched::zeros(a, Some(b)));
                }
                Operation::Ramp([x, x0, x1]) => {
                    all.extend([x0, x1].map(|end| Watched::zeros(x, Some(end))));
                }
                Operation::Unary(Unary::Exp | Unary::Cosh, a)
                | Operation::Binary(Binary::Divide, _, a) => all.push(Watched::turns(a)),
                Operation::Binary(Binary::Power | Binary::PowerConstant, a, by)
                    if constant(by).is_none_or(|by| by.abs() > LOW_POWER) =>
                {
                    all.push(Watched::turns(a));
                }
                _ => {}
            }
        }
        all.retain(|watched| {
            let mut own = [Some(watched.a), watched.b].into_iter().flatten();
            let known = own
                .clone()
                .all(|register| lines[register as usize].is_some());
            own.all(|register| alone[register as usize]) && !known
        });
        all
    }
}

/// The times of the extreme values of a number.
fn turns(course: &mut Course<'_>, watched: Watched, (times, column): (&[f64], &[f64])) -> Vec<f64> {
    let mut found = Vec::new();
    for k in 1..times.len() - 1 {
        let (a, x, b) = (column[k - 1], column[k], column[k + 1]);
        let between = (times[k - 1], times[k + 1]);
        if x > a && x >= b {
            found.push(course.turn(watched, between, 1.0));
        } else if x < a && x <= b {
            found.push(course.turn(watched, between, -1.0));
        }
    }
    found
}

/// The times at which a number passes zero, between equally spaced times and extreme values.
fn zeros(
    course: &mut Course<'_>,
    watched: Watched,
    (times, turns): (&[f64], &[f64]),
    found: &mut Vec<f64>,
) {
    let mut all: Vec<f64> = times.iter().chain(turns).copied().collect();
    all.sort_by(f64::total_cmp);
    let mut last: Option<(f64, f64)> = None;
    for time in all {
        let x = watched.of(course.at(time));
        if let Some((before, y)) = last
            && (x < 0.0) != (y < 0.0)
            && x.is_finite()
            && y.is_finite()
        {
            found.push(course.zero(watched, (before, time)));
        }
        last = Some((time, x));
    }
}
