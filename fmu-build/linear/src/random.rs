//! Random excitation: densities of outputs from those of inputs, and their mean squares.
//!
//! ```text
//! S_yy = H S_uu H*,   S_ij = E(u_i ū_j):   S_kk = Σ_i Σ_j H_ki S_ij conj(H_kj),   σ² = ∫ S_kk df          (LIN-42)
//! ```
//! Densities are one-sided, per hertz. Between the frequencies of a grid H is a smooth function and S_uu is linear: each
//! interval is integrated by Gauss' formula of eight points. The grid holds all frequencies at which a density bends, and
//! around each pole intervals grow with the distance from it.

use crate::response::excitation::Law;
use crate::response::{Route, Transfer, Unbounded};
use crate::tensors::equivalent_density;
use faer::{Mat, c64};

/// Nodes of Gauss' formula on −1 … 1, the positive ones, with their weights.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_29),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_47),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];
/// Part by which rounding may lift |S_ij|² above S_ii S_jj.
const SLACK: f64 = 1e-6;

/// Densities of inputs and of their pairs.
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    /// S_ij by inputs i and j; what is not there is zero. Of a pair one is given, the other is its conjugate.
    pub entries: Vec<(usize, usize, Law)>,
    /// Outputs that are the six components of a stress: the densities of their equivalent stresses follow those of the outputs.
    pub stresses: Vec<[usize; 6]>,
}

/// What is wrong with densities.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrongSpectrum {
    /// Below zero, or complex.
    #[error("the density of input number {0} is not a real number from 0 at {1} Hz")]
    Density(usize, f64),
    /// Larger than two inputs allow.
    #[error(
        "the cross density of inputs number {0} and {1} is larger at {2} Hz than their densities allow: its square may be at \
         most their product"
    )]
    Coherence(usize, usize, f64),
}

/// Mean squares on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Variances {
    /// For each interval of the grid, for each output.
    pub intervals: Vec<Vec<f64>>,
}

impl Spectrum {
    /// Frequencies at which a density bends.
    pub fn breaks(&self) -> Vec<f64> {
        let all = self.entries.iter();
        all.flat_map(|(_, _, law)| law.breaks().iter().copied())
            .collect()
    }

    /// The matrix of densities of so many inputs.
    pub fn at(&self, frequency: f64, inputs: usize) -> Mat<c64> {
        let mut all = Mat::zeros(inputs, inputs);
        for (i, j, law) in &self.entries {
            let value = law.at(frequency);
            all[(*i, *j)] += value;
            if i != j {
                all[(*j, *i)] += value.conj();
            }
        }
        all
    }

    /// Could inputs have these densities? Asked at the frequencies of a grid.
    pub fn check(&self, frequencies: &[f64], inputs: usize) -> Result<(), WrongSpectrum> {
        for f in frequencies {
            let s = self.at(*f, inputs);
            for i in 0..inputs {
                let own = s[(i, i)];
                if !(own.re >= 0.0 && own.re.is_finite() && own.im == 0.0) {
                    return Err(WrongSpectrum::Density(i + 1, *f));
                }
            }
            for i in 0..inputs {
                for j in 0..i {
                    let most = s[(i, i)].re * s[(j, j)].re;
                    let square = s[(i, j)].norm_sqr();
                    if square.is_nan() || square > most * (1.0 + SLACK) {
                        return Err(WrongSpectrum::Coherence(j + 1, i + 1, *f));
                    }
                }
            }
        }
        Ok(())
    }

    /// The matrix of densities of outputs.
    pub fn response(
        &self,
        transfer: &Transfer,
        frequency: f64,
        route: Route,
    ) -> Result<Mat<c64>, Unbounded> {
        let h = transfer.at(frequency, route)?;
        let s = self.at(frequency, h.ncols());
        Ok(&h * s * h.adjoint())
    }

    /// The densities of outputs alone, and of equivalent stresses.
    pub fn densities(
        &self,
        transfer: &Transfer,
        frequency: f64,
        route: Route,
    ) -> Result<Vec<f64>, Unbounded> {
        let h = transfer.at(frequency, route)?;
        let s = self.at(frequency, h.ncols());
        let left = &h * s;
        let pair = |i: usize, k: usize| {
            let terms = (0..h.ncols()).map(|j| (left[(i, j)] * h[(k, j)].conj()).re);
            terms.sum::<f64>()
        };
        let own = (0..h.nrows()).map(|k| pair(k, k).max(0.0));
        let equivalent = self.stresses.iter();
        let equivalent = equivalent.map(|of| equivalent_density(|i, k| pair(of[i], of[k])));
        Ok(own.chain(equivalent).collect())
    }

    /// Mean squares of outputs, and of equivalent stresses, in each interval of a grid.
    pub fn variances(
        &self,
        transfer: &Transfer,
        grid: &[f64],
        route: Route,
    ) -> Result<Variances, Unbounded> {
        let mut intervals = Vec::new();
        for pair in grid.windows(2) {
            let (middle, half) = (f64::midpoint(pair[0], pair[1]), (pair[1] - pair[0]) / 2.0);
            let mut sums: Vec<f64> = Vec::new();
            for (node, weight) in NODES {
                for at in [middle - half * node, middle + half * node] {
                    let values = self.densities(transfer, at, route)?;
                    sums.resize(values.len(), 0.0);
                    for (sum, value) in sums.iter_mut().zip(values) {
                        *sum += weight * half * value;
                    }
                }
            }
            intervals.push(sums);
        }
        Ok(Variances { intervals })
    }
}

impl Variances {
    /// The mean square of an output in the intervals of a grid between two of its frequencies.
    pub fn between(&self, grid: &[f64], output: usize, (from, to): (f64, f64)) -> f64 {
        let all = self.intervals.iter().zip(grid.windows(2));
        let within = all.filter(|(_, pair)| pair[0] >= from && pair[1] <= to);
        within.map(|(own, _)| own[output]).sum()
    }
}
