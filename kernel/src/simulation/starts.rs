//! Control plane: derivatives of the start, where poses respond too: differences of whole starts.

use super::{Known, Simulation, StartError, Unknown};
use crate::ids::ParameterId;
use crate::mechanism::{Leaf, Mechanism};
use crate::system::length::characteristic_length;
use alloc::vec;
use alloc::vec::Vec;

/// Increment for differences of starts, relative to the size of what is set.
const PART: f64 = 1e-4;

/// The same where geometry follows, relative to the size of the mechanism: by how much its points move, and its axes turn.
const SHIFT: f64 = 1e-3;

/// The largest increment of a parameter of geometry, relative to its own size.
const WIDEST: f64 = 0.1;

impl Simulation {
    /// Does the assembled start respond to this quantity: do geometry, initial conditions, motions or constraints depend
    /// on it?
    pub fn moves_start(&self, known: Known) -> bool {
        match known {
            Known::State(_) => false,
            Known::Parameter(id) if self.shapes(id) => true,
            Known::Input(_) | Known::Parameter(_) => drives(&self.mechanism, known),
        }
    }

    /// The derivatives of the unknowns along a direction of the knowns at the start, where poses respond too: starts anew
    /// at a small distance on both sides, and then again at the original values.
    ///
    /// If geometry responds, the difference is of fourth order, (8 (f₁ − f₋₁) − (f₂ − f₋₂))/(12 h), with h by the size of
    /// the mechanism; otherwise it is of second order. If a start fails on one side, the difference is that of the other.
    pub fn start_derivative(
        &mut self,
        direction: &[(Known, f64)],
        unknowns: &[Unknown],
    ) -> Result<Vec<f64>, StartError> {
        let time = self.time();
        let mut whole: Vec<(Known, f64)> = Vec::with_capacity(direction.len());
        for (known, rate) in direction {
            match whole.iter_mut().find(|(other, _)| other == known) {
                Some((_, sum)) => *sum += rate,
                None => whole.push((*known, *rate)),
            }
        }
        let direction = &whole[..];
        let held = |at: &Self, known| match known {
            Known::Input(k) => at.input(k),
            Known::Parameter(k) => at.parameter(k),
            Known::State(k) => at.equation(k),
        };
        let from: Vec<f64> = direction.iter().map(|(k, _)| held(self, *k)).collect();
        let (reach, fine) = self.reach(direction, &from);
        let here = self.values(unknowns);
        let mut ends = |by: f64| {
            [by, -by].map(|by| {
                self.start_at(direction, &from, by, time)
                    .map(|()| self.values(unknowns))
            })
        };
        let near = ends(reach);
        let far = fine.then(|| ends(2.0 * reach));
        self.start_at(direction, &from, 0.0, time)?;
        let (ahead, behind, apart) = match &near {
            [Ok(ahead), Ok(behind)] => (ahead, behind, 2.0 * reach),
            [Ok(ahead), Err(_)] => (ahead, &here, reach),
            [Err(_), Ok(behind)] => (&here, behind, reach),
            [Err(problem), Err(_)] => return Err(problem.clone()),
        };
        let slope = |(ahead, behind): (&f64, &f64)| (ahead - behind) / apart;
        let mut slopes: Vec<f64> = ahead.iter().zip(behind).map(slope).collect();
        if let ([Ok(_), Ok(_)], Some([Ok(ahead), Ok(behind)])) = (&near, &far) {
            // With h = `reach`: (4 (f₁ − f₋₁)/2h − (f₂ − f₋₂)/4h)/3.
            for (slope, (ahead, behind)) in slopes.iter_mut().zip(ahead.iter().zip(behind)) {
                *slope = (4.0 * *slope - (ahead - behind) / (4.0 * reach)) / 3.0;
            }
        }
        Ok(slopes)
    }

    /// How far to go along a direction, and whether geometry responds to it.
    fn reach(&self, direction: &[(Known, f64)], from: &[f64]) -> (f64, bool) {
        let mut rates = vec![0.0; self.mechanism.parameters.len()];
        let (mut steepest, mut fine) = (0.0_f64, false);
        for ((known, rate), x) in direction.iter().zip(from) {
            if let Known::Parameter(id) = known
                && self.shapes(*id)
            {
                rates[id.index()] = *rate;
                fine = true;
                // Where the slope of a program vanishes, it does not say how far to go.
                steepest = steepest.max(rate.abs() / (WIDEST * x.abs().max(1.0)));
            } else {
                steepest = steepest.max(rate.abs() / (PART * x.abs().max(1.0)));
            }
        }
        if fine {
            let length = characteristic_length(&self.run.system);
            let parameters: Vec<f64> = (0..rates.len())
                .map(|k| self.parameter(ParameterId::from(k)))
                .collect();
            let slopes = self.mechanism.derived_slopes(&parameters, &rates);
            let sizes = self.mechanism.derived_sizes(&parameters, length);
            for (size, slope) in sizes.into_iter().zip(slopes) {
                // Where a program has no slope, as at a kink, the other numbers say how far to go.
                if slope.is_finite() {
                    steepest = steepest.max(slope.abs() / (SHIFT * size));
                }
            }
        }
        let reach = if steepest > 0.0 {
            steepest.recip()
        } else {
            1.0
        };
        (reach, fine)
    }

    /// Starts with the knowns moved by a distance along a direction; states start as at any start.
    fn start_at(
        &mut self,
        direction: &[(Known, f64)],
        from: &[f64],
        by: f64,
        time: f64,
    ) -> Result<(), StartError> {
        for ((known, rate), from) in direction.iter().zip(from) {
            if let Known::Input(k) = known {
                self.set_input(*k, from + by * rate);
            }
        }
        let mut parameters = direction
            .iter()
            .zip(from)
            .filter_map(|((known, rate), from)| {
                let Known::Parameter(k) = known else {
                    return None;
                };
                Some((*k, from + by * rate))
            });
        self.set_parameters(&mut parameters)?;
        self.initialize(time)
    }

    /// The present values of the unknowns.
    fn values(&self, unknowns: &[Unknown]) -> Vec<f64> {
        let value = |unknown: &Unknown| match *unknown {
            Unknown::Output(output) => self.output(output),
            Unknown::State(equation) => self.equation(equation),
            Unknown::Body(array, at) => self.body_array(array, at),
        };
        unknowns.iter().map(value).collect()
    }
}

/// Does a motion or a general constraint read this quantity, itself or through variables?
fn drives(mechanism: &Mechanism, known: Known) -> bool {
    let reads = |reached: &[bool], expr: crate::ids::ExprId| {
        let program = mechanism.expressions.get(expr.index());
        let leaves = program
            .into_iter()
            .flat_map(|program| program.leaves().iter());
        let mut leaves = leaves.filter_map(|leaf| mechanism.leaves.get(leaf.index()));
        leaves.any(|leaf| match leaf {
            Leaf::Input(id) => known == Known::Input(*id),
            Leaf::Parameter(id) => known == Known::Parameter(*id),
            Leaf::Variable(id) => reached.get(id.index()).copied().unwrap_or(false),
            _ => false,
        })
    };
    // A variable reads only earlier ones.
    let mut reached = Vec::with_capacity(mechanism.variables.len());
    for variable in &mechanism.variables {
        let own = reads(&reached, variable.expr);
        reached.push(own);
    }
    let motions = mechanism.motions.iter().map(|x| x.function.expr);
    let constraints = mechanism
        .general_constraints
        .iter()
        .map(|x| x.function.expr);
    let mut all = motions.chain(constraints);
    all.any(|expr| reads(&reached, expr))
}
