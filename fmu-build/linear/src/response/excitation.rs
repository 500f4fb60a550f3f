//! Computes responses to excitation, Y = H u, and the share of each input.

use super::{Route, Transfer, Unbounded};
use crate::spectra::{Curve, TURN};
use faer::{Mat, c64};

/// The amplitude of an input as a function of frequency.
#[derive(Clone, Debug)]
pub enum Law {
    /// The same at all frequencies.
    Constant(c64),
    /// Sampled.
    Sampled(Curve),
    /// These times Ω², as for imbalances.
    Squared(c64),
}

impl Law {
    /// At a frequency \[Hz\].
    pub fn at(&self, frequency: f64) -> c64 {
        match self {
            Self::Constant(value) => *value,
            Self::Sampled(curve) => curve.at(frequency),
            Self::Squared(value) => {
                let speed = TURN * frequency;
                *value * (speed * speed)
            }
        }
    }

    /// Frequencies at which its slope jumps.
    pub fn breaks(&self) -> &[f64] {
        match self {
            Self::Sampled(curve) => curve.breaks(),
            _ => &[],
        }
    }
}

/// The excitation of a mechanism: amplitudes of inputs, which add.
#[derive(Clone, Debug, Default)]
pub struct Excitation {
    /// Inputs with their amplitudes.
    pub laws: Vec<(usize, Law)>,
}

impl Excitation {
    /// A rotating imbalance m e on two inputs: the force m e Ω² turns from the first towards the second.
    pub fn imbalance(&mut self, first: usize, second: usize, amount: f64) {
        self.laws.push((first, Law::Squared(c64::new(amount, 0.0))));
        self.laws
            .push((second, Law::Squared(c64::new(0.0, -amount))));
    }

    /// The amplitudes of all inputs at a frequency.
    pub fn at(&self, frequency: f64, inputs: usize) -> Vec<c64> {
        let mut all = vec![c64::new(0.0, 0.0); inputs];
        for (input, law) in &self.laws {
            all[*input] += law.at(frequency);
        }
        all
    }

    /// The inputs with amplitudes, in order.
    pub fn inputs(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.laws.iter().map(|(input, _)| *input).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The contribution of each input to each output at a frequency: a row for each output, whose sum is Y.
    pub fn contributions(
        &self,
        transfer: &Transfer,
        frequency: f64,
        route: Route,
    ) -> Result<Mat<c64>, Unbounded> {
        let inputs = self.inputs();
        let outputs: Vec<usize> = (0..transfer.outputs()).collect();
        let h = transfer.among(frequency, route, (&outputs, &inputs))?;
        let u = self.at(frequency, transfer.inputs());
        let mut all = Mat::zeros(outputs.len(), u.len());
        for (c, input) in inputs.iter().enumerate() {
            for r in 0..outputs.len() {
                all[(r, *input)] = h[(r, c)] * u[*input];
            }
        }
        Ok(all)
    }

    /// The contribution of all inputs, or of one, to one output at a frequency.
    pub fn brings(
        &self,
        transfer: &Transfer,
        (frequency, route): (f64, Route),
        (output, input): (usize, Option<usize>),
    ) -> Result<c64, Unbounded> {
        let inputs = input.map_or_else(|| self.inputs(), |input| vec![input]);
        let h = transfer.among(frequency, route, (&[output], &inputs))?;
        let u = self.at(frequency, transfer.inputs());
        let terms = inputs.iter().enumerate();
        Ok(terms.fold(c64::new(0.0, 0.0), |sum, (c, input)| {
            sum + h[(0, c)] * u[*input]
        }))
    }
}

/// The sum of a row.
pub fn total(of: &Mat<c64>, row: usize) -> c64 {
    (0..of.ncols()).fold(c64::new(0.0, 0.0), |sum, c| sum + of[(row, c)])
}
