//! Responses as sums over modes.
//!
//! ```text
//! A Z = Z Λ:   H(s) = Σ_k (C Z)_k (Z⁻¹ B)_k / (s − λ_k) + D                              (LIN-41)
//! ```
//! Each term is what a mode has in an output by an input: exact, whatever the damping and however eigenvectors are scaled.

use super::Ports;
use crate::eigen::{Balancing, eigen};
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};

/// Condition of the eigenvectors above which A counts as defective: the sum over modes would lose more than six digits.
const DEFECTIVE: f64 = 1e6;

/// Why there are no modes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoModes {
    /// Eigenvectors depend on each other.
    #[error(
        "the states have no full set of modes (condition of the eigenvectors {0:.1e}): a free motion, or modes that coincide; \
         responses are found without modes"
    )]
    Defective(f64),
    /// The iteration failed.
    #[error(
        "eigenvalues cannot be found; responses are found without modes, and no grid is refined"
    )]
    NotFound,
}

/// A in the basis of its eigenvectors.
#[derive(Clone, Debug)]
pub struct Modal {
    values: Vec<c64>,
    ports: Ports<c64>,
}

/// What each mode has in H.
#[derive(Clone, Debug)]
pub struct Participation {
    /// For each pole, outputs by inputs.
    pub modes: Vec<Mat<c64>>,
    /// What none of them has: D, and what driven displacements do at once.
    pub direct: Mat<c64>,
}

/// Poles, and modes if there is a full set; poles are sorted by magnitude, of a pair the upper one first.
pub(super) fn of(a: &Mat<f64>, ports: &Ports<f64>) -> (Vec<c64>, Result<Modal, NoModes>) {
    let n = a.nrows();
    if n == 0 {
        let none = Modal {
            values: Vec::new(),
            ports: complex(ports),
        };
        return (Vec::new(), Ok(none));
    }
    // A is balanced.
    let Ok(found) = eigen(a, 0, Balancing::Off) else {
        return (Vec::new(), Err(NoModes::NotFound));
    };
    // Of pairs both roots.
    let mut all: Vec<(c64, usize)> = Vec::new();
    for (k, root) in found.roots.iter().enumerate() {
        all.push((root.value, k));
        if root.is_pair() {
            all.push((root.value.conj(), k));
        }
    }
    all.sort_by(|(a, _), (b, _)| (a.norm().total_cmp(&b.norm())).then(b.im.total_cmp(&a.im)));
    let values: Vec<c64> = all.iter().map(|(value, _)| *value).collect();
    let lengths: Vec<f64> = all
        .iter()
        .map(|(_, k)| {
            let own = found.right.col(*k).iter().map(c64::norm_sqr);
            own.sum::<f64>().sqrt()
        })
        .collect();
    let vectors = Mat::from_fn(n, all.len(), |r, c| {
        let (value, k) = all[c];
        let x = found.right[(r, k)] / lengths[c];
        if value.im < 0.0 { x.conj() } else { x }
    });
    if all.len() != n {
        return (values, Err(NoModes::NotFound));
    }
    let modal = modes(&values, &vectors, ports);
    (values, modal)
}

fn modes(values: &[c64], vectors: &Mat<c64>, ports: &Ports<f64>) -> Result<Modal, NoModes> {
    let Ok(singular) = vectors.singular_values() else {
        return Err(NoModes::NotFound);
    };
    let most = singular.iter().fold(0.0_f64, |most, x| most.max(*x));
    let least = singular
        .iter()
        .fold(f64::INFINITY, |least, x| least.min(*x));
    let condition = most / least;
    if condition.is_nan() || condition >= DEFECTIVE {
        return Err(NoModes::Defective(condition));
    }
    let ports = complex(ports);
    let factor = vectors.partial_piv_lu();
    Ok(Modal {
        values: values.to_vec(),
        ports: Ports {
            inputs: factor.solve(&ports.inputs),
            given: factor.solve(&ports.given),
            outputs: &ports.outputs * vectors,
        },
    })
}

fn complex(ports: &Ports<f64>) -> Ports<c64> {
    let of = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |r, c| c64::new(m[(r, c)], 0.0));
    Ports {
        inputs: of(&ports.inputs),
        given: of(&ports.given),
        outputs: of(&ports.outputs),
    }
}

/// B₁ + A₁w W.
pub(super) fn right<T: Copy>(
    inputs: &Mat<T>,
    given: &Mat<T>,
    driven: &Mat<c64>,
    complex: impl Fn(T) -> c64,
) -> Mat<c64> {
    Mat::from_fn(inputs.nrows(), inputs.ncols(), |r, c| {
        let own = complex(inputs[(r, c)]);
        (0..driven.nrows()).fold(own, |sum, k| sum + complex(given[(r, k)]) * driven[(k, c)])
    })
}

impl Modal {
    /// The eigenvalues \[1/s\].
    pub fn values(&self) -> &[c64] {
        &self.values
    }

    /// Amplitudes of modes by inputs.
    fn amplitudes(&self, s: c64, driven: &Mat<c64>) -> Mat<c64> {
        let right = right(&self.ports.inputs, &self.ports.given, driven, |x| x);
        Mat::from_fn(right.nrows(), right.ncols(), |k, c| {
            right[(k, c)] / (s - self.values[k])
        })
    }

    /// The sum over modes.
    pub(super) fn response(&self, s: c64, driven: &Mat<c64>) -> Mat<c64> {
        &self.ports.outputs * self.amplitudes(s, driven)
    }

    /// The terms of that sum.
    pub(super) fn participation(&self, s: c64, driven: &Mat<c64>) -> Vec<Mat<c64>> {
        let amplitudes = self.amplitudes(s, driven);
        let outputs = &self.ports.outputs;
        let term = |k: usize| {
            Mat::from_fn(outputs.nrows(), amplitudes.ncols(), |r, c| {
                outputs[(r, k)] * amplitudes[(k, c)]
            })
        };
        (0..self.values.len()).map(term).collect()
    }
}
