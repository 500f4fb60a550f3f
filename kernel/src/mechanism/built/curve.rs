//! Control plane: curves by expressions of their parameter, and of parameters of the model.

use crate::expr::{Program, TimeJet};
use crate::math::Vec3;
use crate::math::curve::{CurveFault, SpaceCurve};
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The most pieces of a curve.
pub const MOST_PIECES: u32 = 100_000;

/// A curve of expressions. Leaf 0 is its parameter, the others are numbers that it is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// x, y, z.
    pub programs: [Program; 3],
    /// Leaves beside the parameter.
    pub others: u32,
    /// Pieces.
    pub pieces: u32,
    /// Metres per unit of the expressions.
    pub unit: f64,
    /// Is it closed?
    pub closed: bool,
}

impl Trace {
    /// Numbers that it is made of: beginning and end of the parameter, and the other leaves.
    pub(super) fn count(&self) -> usize {
        2 + self.others as usize
    }

    /// Why it cannot be evaluated.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let reads = |program: &Program| {
            let mut leaves = program.leaves().iter();
            leaves.all(|leaf| leaf.index() <= self.others as usize)
        };
        if !self.programs.iter().all(|p| p.is_sound() && reads(p)) {
            return Some("its programs read what is not there");
        }
        let fits = (2..=MOST_PIECES).contains(&self.pieces) && self.unit.is_finite();
        (!fits).then_some("its pieces or its unit are out of range")
    }

    /// The curve.
    pub fn curve(&self, numbers: &[f64]) -> Result<SpaceCurve, CurveFault> {
        let (from, to) = (numbers[0], numbers[1]);
        if to <= from || !(to - from).is_finite() {
            return Err(CurveFault::Backwards { from, to });
        }
        let count = self.pieces as usize;
        let knot = |k: usize| from + (to - from) * (k as f64 / count as f64);
        let knots: Vec<f64> = (0..=count).map(knot).collect();
        let fixed = |value: f64| TimeJet {
            value,
            first: 0.0,
            second: 0.0,
        };
        let others = numbers[2..].iter().map(|x| fixed(*x));
        let mut leaves: Vec<TimeJet> = core::iter::once(fixed(0.0)).chain(others).collect();
        let most = self.programs.iter().map(Program::registers).max();
        let mut registers = vec![TimeJet::default(); most.unwrap_or(0)];
        let mut places = Vec::with_capacity(knots.len());
        for s in &knots {
            leaves[0] = TimeJet {
                value: *s,
                first: 1.0,
                second: 0.0,
            };
            let jets = [0, 1, 2].map(|k: usize| self.programs[k].time_jet(&leaves, &mut registers));
            let part = |of: fn(&TimeJet) -> f64| {
                Vec3::from([0, 1, 2].map(|k: usize| of(&jets[k]) * self.unit))
            };
            places.push([part(|j| j.value), part(|j| j.first), part(|j| j.second)]);
        }
        SpaceCurve::of_places(knots, &places, self.closed)
    }
}
