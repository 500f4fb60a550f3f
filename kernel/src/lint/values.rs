//! Control plane: evaluates expressions as functions of one leaf, or of time, including the variables that they read.

use super::Subject;
use super::reading::reached;
use crate::expr::Program;
use crate::expr::knots::LeafInTime;
use crate::expr::ops::{Binary, Operation};
use crate::ids::{ExprId, LeafId};
use crate::mechanism::{Leaf, Mechanism};
use alloc::vec;
use alloc::vec::Vec;

/// Range of velocities that is searched for friction, in user units: 10^−7 to 10^6.
const SLOWEST: i32 = -7;
const QUICKEST: i32 = 6;

/// The steepest part of a function of one velocity near zero.
pub(super) struct Sweep {
    /// Steepest slope.
    pub(super) slope: f64,
    /// Velocity up to which it extends.
    pub(super) width: f64,
    /// Change of the function over that range.
    pub(super) jump: f64,
}

impl Sweep {
    /// `None` if the function is about as steep far from zero as near it.
    pub(super) fn of(s: &Subject<'_>, root: ExprId, leaf: LeafId) -> Option<Self> {
        let mut values = Values::new(s, root);
        let mut value = |v: f64| values.at(leaf, v);
        let speeds =
            (2 * SLOWEST..=2 * QUICKEST).map(|k| crate::math::pow(10.0, 0.5 * f64::from(k)));
        let mut steepest: Option<Self> = None;
        let mut last = f64::NAN;
        for width in speeds {
            let jump = (value(-width) - value(width)).abs();
            if !jump.is_finite() {
                break;
            }
            let slope = jump / (2.0 * width);
            if steepest
                .as_ref()
                .is_none_or(|known| slope > 0.7 * known.slope)
            {
                steepest = Some(Self { slope, width, jump });
            }
            last = slope;
        }
        steepest.filter(|known| last < known.slope / 30.0)
    }
}

/// An expression with the variables that it reads.
pub(super) struct Values<'a> {
    s: &'a Subject<'a>,
    root: ExprId,
    leaves: Vec<f64>,
    registers: Vec<f64>,
}

impl<'a> Values<'a> {
    /// For a root, with everything at its present value.
    pub(super) fn new(s: &'a Subject<'a>, root: ExprId) -> Self {
        let expressions = s.mechanism.expressions.iter();
        let registers = expressions.map(Program::registers).max();
        Self {
            s,
            root,
            leaves: s.ws.leaves.clone(),
            registers: vec![0.0; registers.unwrap_or(0)],
        }
    }

    /// The value with one leaf changed.
    pub(super) fn at(&mut self, leaf: LeafId, value: f64) -> f64 {
        self.with(leaf, value, None)
    }

    /// The value with one or two leaves changed.
    pub(super) fn with(&mut self, leaf: LeafId, value: f64, other: Option<(LeafId, f64)>) -> f64 {
        self.leaves.copy_from_slice(&self.s.ws.leaves);
        self.leaves[leaf.index()] = value;
        if let Some((other, value)) = other {
            self.leaves[other.index()] = value;
        }
        self.evaluate()
    }

    /// The value at another time \[s\].
    pub(super) fn at_time(&mut self, seconds: f64) -> f64 {
        self.leaves.copy_from_slice(&self.s.ws.leaves);
        for (value, leaf) in self.leaves.iter_mut().zip(&self.s.mechanism.leaves) {
            if let Leaf::Time { scale } = leaf {
                *value = seconds * scale;
            }
        }
        self.evaluate()
    }

    /// The root's registers after an evaluation.
    pub(super) fn registers(&self) -> &[f64] {
        &self.registers
    }

    fn evaluate(&mut self) -> f64 {
        let mechanism = self.s.mechanism;
        for (v, variable) in mechanism.variables.iter().enumerate() {
            let program = &mechanism.expressions[variable.expr.index()];
            let value = program.value(&self.leaves, &mut self.registers);
            for (k, leaf) in mechanism.leaves.iter().enumerate() {
                if matches!(leaf, Leaf::Variable(w) if w.index() == v) {
                    self.leaves[k] = value;
                }
            }
        }
        let program = &mechanism.expressions[self.root.index()];
        program.value(&self.leaves, &mut self.registers)
    }
}

/// An expression as a function of time, with everything else at its present value; only parts that depend on time are
/// evaluated again.
pub(super) struct Course<'a> {
    mechanism: &'a Mechanism,
    program: &'a Program,
    /// Variables in between, each with the leaves that read it, in order of evaluation.
    variables: Vec<(&'a Program, Vec<usize>)>,
    /// Leaves that read time, with its unit.
    times: Vec<(usize, f64)>,
    leaves: Vec<f64>,
    registers: Vec<f64>,
}

impl<'a> Course<'a> {
    /// `None` if it does not read time.
    pub(super) fn of(s: &Subject<'a>, root: ExprId) -> Option<Self> {
        let mechanism = s.mechanism;
        let reached: Vec<ExprId> = reached(mechanism, root).iter().map(|r| r.expr).collect();
        let programs = || reached.iter().map(|e| &mechanism.expressions[e.index()]);
        let is_read = |leaf: usize| {
            let mut all = programs().flat_map(|program| program.leaves().iter());
            all.any(|read| read.index() == leaf)
        };
        let leaves = || mechanism.leaves.iter().enumerate();
        let times: Vec<_> = leaves()
            .filter_map(|(k, leaf)| match leaf {
                Leaf::Time { scale } if is_read(k) => Some((k, *scale)),
                _ => None,
            })
            .collect();
        if times.is_empty() {
            return None;
        }
        let variables = mechanism.variables.iter().enumerate();
        let variables = variables.filter(|(_, variable)| reached.contains(&variable.expr));
        let variables = variables.map(|(v, variable)| {
            let reads = |leaf: &Leaf| matches!(leaf, Leaf::Variable(w) if w.index() == v);
            let places = leaves().filter(|(_, leaf)| reads(leaf)).map(|(k, _)| k);
            (
                &mechanism.expressions[variable.expr.index()],
                places.collect(),
            )
        });
        let registers = programs().map(Program::registers).max();
        Some(Self {
            mechanism,
            program: &mechanism.expressions[root.index()],
            variables: variables.collect(),
            times,
            leaves: s.ws.leaves.clone(),
            registers: vec![0.0; registers.unwrap_or(0)],
        })
    }

    /// The value at a time \[s\].
    pub(super) fn at(&mut self, seconds: f64) -> f64 {
        for (leaf, scale) in &self.times {
            self.leaves[*leaf] = seconds * scale;
        }
        for (program, places) in &self.variables {
            let value = program.value(&self.leaves, &mut self.registers);
            for place in places {
                self.leaves[*place] = value;
            }
        }
        self.program.value(&self.leaves, &mut self.registers)
    }

    /// How many numbers its evaluation computes.
    pub(super) fn size(&self) -> usize {
        self.program.registers()
    }

    /// All numbers of its evaluation at a time \[s\]; none if it computes nothing.
    pub(super) fn registers_at(&mut self, seconds: f64) -> &[f64] {
        self.at(seconds);
        let count = if self.program.operations.is_empty() {
            0
        } else {
            self.program.registers()
        };
        &self.registers[..count]
    }

    /// The number by which another one is divided, if that is a quotient.
    pub(super) fn divisor(&self, register: usize) -> Option<usize> {
        let first = self.program.constants.len() + self.program.leaves.len();
        match self.program.operations.get(register.checked_sub(first)?)? {
            Operation::Binary(Binary::Divide, _, by) => Some(*by as usize),
            _ => None,
        }
    }

    /// The instants \[s\] at which TIME has a value.
    pub(super) fn instants_of(&self, value: f64) -> impl Iterator<Item = f64> {
        self.times.iter().map(move |(_, scale)| value / scale)
    }

    /// The instants in a range \[s\] at which it bends or jumps by time alone, in order.
    pub(super) fn knots(&self, range: (f64, f64)) -> Vec<f64> {
        let leaf = |id: LeafId| match self.mechanism.leaves[id.index()] {
            Leaf::Time { scale } => LeafInTime::Time(scale),
            Leaf::Parameter(_) => LeafInTime::Fixed(self.leaves[id.index()]),
            _ => LeafInTime::Other,
        };
        let mut found = Vec::new();
        self.program.knots(leaf, range, &mut found);
        for (program, _) in &self.variables {
            program.knots(leaf, range, &mut found);
        }
        found.sort_by(f64::total_cmp);
        found.dedup();
        found
    }
}
