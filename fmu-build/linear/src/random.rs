//! Random excitation: computes densities of outputs, and their mean squares, from densities of inputs.
//!
//! ```text
//! S_yy = H S_uu H*,   S_ij = E(u_i ū_j):   S_kk = Σ_i Σ_j H_ki S_ij conj(H_kj),   σ² = ∫ S_kk df          (LIN-42)
//! ```
//! Densities are one-sided and per hertz. Between the frequencies of a grid, H is smooth, and S_uu is linear or, over
//! a small ratio of frequencies, a power of the frequency. Each interval is integrated by Gauss' formula with eight
//! points. The grid contains all frequencies at which the slope of a density jumps, and its intervals around each
//! pole grow with the distance from the pole.

use crate::response::excitation::Law;
use crate::response::{Route, Transfer, Unbounded};
use crate::tensors::equivalent_density;
use faer::{Mat, c64};

/// Positive nodes of Gauss' formula on −1 … 1, with their weights.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_29),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_47),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];
/// Tolerance for rounding: of |S_ij|² above S_ii S_jj, and of negative eigenvalues of the matrix of coherences.
const SLACK: f64 = 1e-6;

/// Densities and cross densities of inputs.
#[derive(Clone, Debug, Default)]
pub struct Spectrum {
    /// S_ij by inputs i and j; missing entries are zero. Only one of S_ij and S_ji is given; the other is its
    /// conjugate.
    pub entries: Vec<(usize, usize, Law)>,
    /// Indices of outputs that are the six components of a stress; the densities of their equivalent stresses come
    /// after those of the outputs.
    pub stresses: Vec<[usize; 6]>,
}

/// Why densities are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WrongSpectrum {
    /// Negative or complex.
    #[error("the density of input number {0} is not a real number from 0 at {1} Hz")]
    Density(usize, f64),
    /// Larger than the densities of the two inputs allow.
    #[error(
        "the cross density of inputs number {0} and {1} is larger at {2} Hz than their densities allow: its square may be at \
         most their product"
    )]
    Coherence(usize, usize, f64),
    /// Contradictory as a whole, although any two of them are possible.
    #[error(
        "at {0} Hz the cross densities contradict each other: no random inputs have all of them"
    )]
    Together(f64),
}

/// Mean squares on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Variances {
    /// For each interval of the grid, the values of all outputs.
    pub intervals: Vec<Vec<f64>>,
}

impl Spectrum {
    /// Frequencies at which the slope of a density jumps.
    pub fn breaks(&self) -> Vec<f64> {
        let all = self.entries.iter();
        all.flat_map(|(_, _, law)| law.breaks().iter().copied())
            .collect()
    }

    /// The matrix of densities of this many inputs.
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

    /// Are all densities zero at these frequencies?
    pub fn is_silent(&self, frequencies: &[f64], inputs: usize) -> bool {
        frequencies.iter().all(|f| {
            let s = self.at(*f, inputs);
            (0..inputs).all(|k| s[(k, k)].re == 0.0)
        })
    }

    /// Checks that the densities are possible at the frequencies of a grid.
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
            if self.contradicts(&s) {
                return Err(WrongSpectrum::Together(*f));
            }
        }
        Ok(())
    }

    /// Does the matrix of coherences of the inputs with cross densities have a negative eigenvalue?
    fn contradicts(&self, s: &Mat<c64>) -> bool {
        let pairs = self.entries.iter().filter(|(i, j, _)| i != j);
        let mut crossed: Vec<usize> = pairs.flat_map(|(i, j, _)| [*i, *j]).collect();
        crossed.retain(|k| s[(*k, *k)].re > 0.0);
        crossed.sort_unstable();
        crossed.dedup();
        let coherence = Mat::from_fn(crossed.len(), crossed.len(), |r, c| {
            let (i, j) = (crossed[r], crossed[c]);
            s[(i, j)] / (s[(i, i)].re * s[(j, j)].re).sqrt()
        });
        let values = coherence.self_adjoint_eigenvalues(faer::Side::Lower);
        crossed.len() > 2 && values.is_ok_and(|values| values.iter().any(|x| *x < -SLACK))
    }

    /// The matrix of densities of outputs.
    pub fn response(
        &self,
        transfer: &Transfer,
        frequency: f64,
        route: Route,
    ) -> Result<Mat<c64>, Unbounded> {
        let outputs: Vec<usize> = (0..transfer.outputs()).collect();
        let pairs = self.pairs(transfer, (frequency, route), &outputs)?;
        Ok(&pairs.left * pairs.h.adjoint())
    }

    /// The densities of outputs, without cross densities, and of equivalent stresses.
    pub fn densities(
        &self,
        transfer: &Transfer,
        frequency: f64,
        route: Route,
    ) -> Result<Vec<f64>, Unbounded> {
        let outputs: Vec<usize> = (0..transfer.outputs()).collect();
        let pairs = self.pairs(transfer, (frequency, route), &outputs)?;
        let own = (0..outputs.len()).map(|k| pairs.own(k));
        let equivalent = self.stresses.iter();
        let equivalent = equivalent.map(|of| equivalent_density(|i, k| pairs.real(of[i], of[k])));
        Ok(own.chain(equivalent).collect())
    }

    /// One of these densities: of an output, or, after the outputs, of an equivalent stress.
    pub fn density(
        &self,
        transfer: &Transfer,
        (frequency, route): (f64, Route),
        row: usize,
    ) -> Result<f64, Unbounded> {
        let Some(stress) = row.checked_sub(transfer.outputs()) else {
            let pairs = self.pairs(transfer, (frequency, route), &[row])?;
            return Ok(pairs.own(0));
        };
        let pairs = self.pairs(transfer, (frequency, route), &self.stresses[stress])?;
        Ok(equivalent_density(|i, k| pairs.real(i, k)))
    }

    /// Inputs that have densities.
    pub fn excited(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.entries.iter().flat_map(|(i, j, _)| [*i, *j]).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn pairs(
        &self,
        transfer: &Transfer,
        (frequency, route): (f64, Route),
        outputs: &[usize],
    ) -> Result<Pairs, Unbounded> {
        let inputs = self.excited();
        let h = transfer.among(frequency, route, (outputs, &inputs))?;
        let s = self.at(frequency, transfer.inputs());
        let s = Mat::from_fn(inputs.len(), inputs.len(), |r, c| s[(inputs[r], inputs[c])]);
        Ok(Pairs { left: &h * s, h })
    }

    /// Mean squares of outputs, and of equivalent stresses, in each interval of a grid.
    pub fn variances(
        &self,
        transfer: &Transfer,
        grid: &[f64],
        route: Route,
    ) -> Result<Variances, Unbounded> {
        let all = grid.windows(2);
        let all = all.map(|pair| self.interval(transfer, (pair[0], pair[1]), route));
        Ok(Variances {
            intervals: all.collect::<Result<_, _>>()?,
        })
    }

    /// The same for one interval.
    pub fn interval(
        &self,
        transfer: &Transfer,
        (from, to): (f64, f64),
        route: Route,
    ) -> Result<Vec<f64>, Unbounded> {
        let (middle, half) = (f64::midpoint(from, to), (to - from) / 2.0);
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
        Ok(sums)
    }
}

/// H S and H, from whose rows follow the cross densities of outputs.
struct Pairs {
    left: Mat<c64>,
    h: Mat<c64>,
}

impl Pairs {
    /// The real part of a cross density.
    fn real(&self, i: usize, k: usize) -> f64 {
        let terms = (0..self.h.ncols()).map(|j| (self.left[(i, j)] * self.h[(k, j)].conj()).re);
        terms.sum::<f64>()
    }

    /// The density of one output; not finite if its response is unbounded.
    fn own(&self, k: usize) -> f64 {
        let density = self.real(k, k);
        if density < 0.0 { 0.0 } else { density }
    }
}

impl Variances {
    /// The mean square of an output over the intervals of a grid between two of its frequencies.
    pub fn between(&self, grid: &[f64], output: usize, (from, to): (f64, f64)) -> f64 {
        let all = self.intervals.iter().zip(grid.windows(2));
        // A frequency of the grid that equals an end of the band, except for rounding, is that end.
        let middle = |pair: &[f64]| f64::midpoint(pair[0], pair[1]);
        let within = all.filter(|(_, pair)| (from..=to).contains(&middle(pair)));
        within.map(|(own, _)| own[output]).sum()
    }
}
