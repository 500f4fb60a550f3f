//! Control plane: which values each run of a study has.

use super::draws::{self, Purpose, sobol};
use super::spec::{Method, Spec};
use super::vary::{Factor, Level, Relative, Values};
use crate::slave::Failure;

/// The runs of a study: their values are functions of their numbers.
#[derive(Clone, Debug)]
pub struct Design {
    method: Method,
    factors: Vec<Factor>,
    /// What the model has without the study.
    nominal: Vec<Level>,
    seed: u64,
    runs: usize,
    /// The columns of a Latin hypercube.
    columns: Vec<Vec<f64>>,
}

impl Design {
    /// Prepares the runs of a description; `nominal` is what the model has itself.
    pub fn new(spec: &Spec, nominal: Vec<Level>) -> Result<Self, Failure> {
        let factors = spec.factors.clone();
        let levels = factors.iter().filter_map(Factor::levels);
        let runs = match spec.method {
            Method::Grid => levels.product(),
            Method::List => levels.min().unwrap_or(0),
            Method::OneAtATime => 1 + levels.sum::<usize>(),
            _ => spec.runs,
        };
        if spec.method == Method::Sobol && factors.len() > sobol::COLUMNS {
            return Err(Failure(format!(
                "method sobol varies at most {} things, and \"vary\" has {}; valid: latin_hypercube or monte_carlo for more",
                sobol::COLUMNS,
                factors.len()
            )));
        }
        let columns = if spec.method == Method::LatinHypercube {
            let column = |k: usize| draws::stratified(spec.seed, k as u32, runs);
            (0..factors.len()).map(column).collect()
        } else {
            Vec::new()
        };
        Ok(Self {
            method: spec.method,
            factors,
            nominal,
            seed: spec.seed,
            runs,
            columns,
        })
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.runs
    }

    /// The values of a run.
    pub fn levels(&self, run: usize) -> Vec<Level> {
        let mut below = self.runs;
        let mut before = 1;
        let all = self.factors.iter().enumerate();
        let level = |(k, factor): (usize, &Factor)| {
            let listed = |at: usize| match &factor.values {
                Values::Levels(levels) => levels.get(at).cloned(),
                Values::Spread(_) => None,
            };
            let chosen = match self.method {
                Method::Grid => {
                    let count = factor.levels().unwrap_or(1).max(1);
                    below /= count;
                    listed(run / below.max(1) % count)
                }
                Method::List => listed(run),
                Method::OneAtATime => {
                    let first = before;
                    before += factor.levels().unwrap_or(0);
                    run.checked_sub(first).and_then(listed)
                }
                _ => Some(factor.at(self.share(k, run))),
            };
            chosen.map_or_else(
                || self.nominal[k].clone(),
                |level| related(&level, &self.nominal[k], factor.relative),
            )
        };
        all.map(level).collect()
    }

    /// Which factor a run of one at a time varies; `None`: none of them.
    pub fn varied(&self, run: usize) -> Option<usize> {
        let mut first = 1;
        for (k, factor) in self.factors.iter().enumerate() {
            let next = first + factor.levels().unwrap_or(0);
            if (first..next).contains(&run) {
                return Some(k);
            }
            first = next;
        }
        None
    }

    /// A coordinate of a run, between 0 and 1.
    fn share(&self, column: usize, run: usize) -> f64 {
        match self.method {
            Method::Sobol => sobol::scrambled(self.seed, column, run as u32),
            Method::LatinHypercube => self.columns[column][run],
            _ => draws::unit(self.seed, Purpose::Independent, column as u32, run as u64),
        }
    }
}

/// A drawn number with the model's own.
fn related(level: &Level, nominal: &Level, relative: Relative) -> Level {
    match (relative, level, nominal) {
        (Relative::Add, Level::Number(x), Level::Number(own)) => Level::Number(own + x),
        (Relative::Multiply, Level::Number(x), Level::Number(own)) => Level::Number(own * x),
        _ => level.clone(),
    }
}

#[cfg(test)]
mod tests;
