//! Computes responses as sums over modes.
//!
//! ```text
//! A Z = Z Λ:   H(s) = Σ_k (C Z)_k (Z⁻¹ B)_k / (s − λ_k) + D                              (LIN-41)
//! ```
//! Each term is the contribution of a mode to an output by an input. The sum is exact for any damping and any scale
//! of the eigenvectors.

use super::Ports;
use crate::eigen::{Balancing, of_mechanism, spectral_norm};
use crate::form::LinearForm;
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};

/// Condition of the eigenvectors above which A counts as defective: the sum over modes would lose more than six
/// digits.
const DEFECTIVE: f64 = 1e6;

/// Largest error when Z⁻¹ is applied to Z times a vector.
const BROUGHT_BACK: f64 = 1e-8;

/// Why there is no sum over modes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoModes {
    /// The eigenvectors are dependent.
    #[error(
        "the states have no full set of modes (condition of the eigenvectors {0:.1e}): a free motion, critical \
         damping, or other modes that coincide; responses are computed without modes"
    )]
    Defective(f64),
    /// The iteration failed.
    #[error(
        "eigenvalues cannot be found; responses are computed without modes, and the grid is not refined"
    )]
    NotFound,
}

/// A in the basis of its eigenvectors.
#[derive(Clone, Debug)]
pub struct Modal {
    values: Vec<c64>,
    ports: Ports<c64>,
    /// The transposed matrix of outputs.
    shown: Mat<c64>,
}

/// The contribution of each mode to H.
#[derive(Clone, Debug)]
pub struct Participation {
    /// For each pole, a matrix of outputs by inputs.
    pub modes: Vec<Mat<c64>>,
    /// The rest: D, and the direct effect of driven displacements.
    pub direct: Mat<c64>,
}

/// Poles, and modes if there is a full set. Poles are sorted by magnitude; of a pair, the one with the positive
/// imaginary part comes first. States are `scale` times those of the ports.
pub(super) fn of(
    form: &LinearForm,
    scale: &[f64],
    ports: &Ports<f64>,
) -> (Vec<c64>, Result<Modal, NoModes>) {
    let second_order = form.second_order.matrices();
    let Ok(found) = of_mechanism(&form.own_matrix(), second_order, Balancing::Auto) else {
        return (Vec::new(), Err(NoModes::NotFound));
    };
    // Both roots of each pair.
    let mut all: Vec<(c64, usize)> = Vec::new();
    for (k, root) in found.roots.iter().enumerate() {
        all.push((root.value, k));
        if root.is_pair() {
            all.push((root.value.conj(), k));
        }
    }
    all.sort_by(|(a, _), (b, _)| (a.norm().total_cmp(&b.norm())).then(b.im.total_cmp(&a.im)));
    let values: Vec<c64> = all.iter().map(|(value, _)| *value).collect();
    if all.len() != scale.len() {
        return (values, Err(NoModes::NotFound));
    }
    let turned = |(value, z): (c64, c64)| if value.im < 0.0 { z.conj() } else { z };
    let length = |(_, k): &(c64, usize)| {
        let own = scale.iter().enumerate();
        let squares = own.map(|(r, by)| (found.right[(r, *k)] / *by).norm_sqr());
        squares.sum::<f64>().sqrt()
    };
    let lengths: Vec<f64> = all.iter().map(length).collect();
    let n = all.len();
    let vectors = Mat::from_fn(n, n, |r, c| {
        let (value, k) = all[c];
        turned((value, found.right[(r, k)])) / (scale[r] * lengths[c])
    });
    let inverse = Mat::from_fn(n, n, |r, c| {
        let (value, k) = all[r];
        turned((value, found.left[(c, k)])).conj() * (scale[c] * lengths[r])
    });
    let modal = modes(&values, &vectors, inverse, ports);
    (values, modal)
}

fn modes(
    values: &[c64],
    vectors: &Mat<c64>,
    inverse: Mat<c64>,
    ports: &Ports<f64>,
) -> Result<Modal, NoModes> {
    let inverse = if is_inverse(vectors, &inverse) {
        inverse
    } else {
        // Zero roots have no left vectors.
        let n = vectors.nrows();
        vectors.partial_piv_lu().solve(Mat::<c64>::identity(n, n))
    };
    let condition = length(vectors) * length(&inverse.transpose().to_owned());
    if condition.is_nan() {
        // A double root with only one vector has no inverse.
        return Err(NoModes::Defective(f64::INFINITY));
    }
    if condition >= DEFECTIVE {
        return Err(NoModes::Defective(condition));
    }
    let ports = complex(ports);
    let outputs = &ports.outputs * vectors;
    Ok(Modal {
        values: values.to_vec(),
        shown: outputs.transpose().to_owned(),
        ports: Ports {
            inputs: &inverse * &ports.inputs,
            given: &inverse * &ports.given,
            outputs,
        },
    })
}

/// Does Z⁻¹ undo Z for a vector?
fn is_inverse(of: &Mat<c64>, inverse: &Mat<c64>) -> bool {
    let sample = Mat::from_fn(of.ncols(), 1, |r, _| {
        c64::new(1.0 + 0.1 * ((r % 7) as f64), 0.1 * ((r % 3) as f64))
    });
    let back = inverse * (of * &sample) - &sample;
    let worst = (0..back.nrows()).fold(0.0_f64, |most, r| {
        let off = back[(r, 0)].norm();
        if off.is_nan() { off } else { most.max(off) }
    });
    worst <= BROUGHT_BACK
}

/// The spectral norm of all columns.
fn length(of: &Mat<c64>) -> f64 {
    let columns: Vec<Vec<c64>> = { of.col_iter() }
        .map(|column| column.iter().copied().collect())
        .collect();
    let columns: Vec<&[c64]> = columns.iter().map(Vec::as_slice).collect();
    spectral_norm(&columns, &vec![1.0; columns.len()])
}

fn complex(ports: &Ports<f64>) -> Ports<c64> {
    let of = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |r, c| c64::new(m[(r, c)], 0.0));
    Ports {
        inputs: of(&ports.inputs),
        given: of(&ports.given),
        outputs: of(&ports.outputs),
    }
}

/// B₁ + A₁w W, for some inputs.
pub(super) fn right<T: Copy>(
    (ports, chosen): (&Ports<T>, &[usize]),
    driven: &Mat<c64>,
    complex: impl Fn(T) -> c64,
) -> Mat<c64> {
    let Ports { inputs, given, .. } = ports;
    let mut all = Mat::zeros(inputs.nrows(), chosen.len());
    for (c, input) in chosen.iter().enumerate() {
        let own = all.col_as_slice_mut(c);
        for (own, x) in own.iter_mut().zip(inputs.col_as_slice(*input)) {
            *own = complex(*x);
        }
        for k in 0..driven.nrows() {
            for (own, x) in own.iter_mut().zip(given.col_as_slice(k)) {
                *own += complex(*x) * driven[(k, c)];
            }
        }
    }
    all
}

impl Modal {
    /// The eigenvalues \[1/s\].
    pub fn values(&self) -> &[c64] {
        &self.values
    }

    /// Amplitudes of modes for some inputs.
    fn amplitudes(&self, s: c64, inputs: &[usize], driven: &Mat<c64>) -> Mat<c64> {
        let mut right = right((&self.ports, inputs), driven, |x| x);
        for c in 0..right.ncols() {
            let own = right.col_as_slice_mut(c).iter_mut();
            for (own, value) in own.zip(&self.values) {
                *own /= s - *value;
            }
        }
        right
    }

    /// The sum over modes, for some outputs and inputs.
    pub(super) fn response(
        &self,
        s: c64,
        (outputs, inputs): (&[usize], &[usize]),
        driven: &Mat<c64>,
    ) -> Mat<c64> {
        let amplitudes = self.amplitudes(s, inputs, driven);
        let mut all = Mat::zeros(outputs.len(), inputs.len());
        for (r, output) in outputs.iter().enumerate() {
            let row = self.shown.col_as_slice(*output);
            for c in 0..inputs.len() {
                let terms = row.iter().zip(amplitudes.col_as_slice(c));
                all[(r, c)] = terms.fold(c64::new(0.0, 0.0), |sum, (a, x)| sum + *a * *x);
            }
        }
        all
    }

    /// The contribution of each mode to the response.
    pub(super) fn participation(
        &self,
        s: c64,
        inputs: &[usize],
        driven: &Mat<c64>,
    ) -> Vec<Mat<c64>> {
        let amplitudes = self.amplitudes(s, inputs, driven);
        let outputs = &self.ports.outputs;
        let term = |k: usize| {
            Mat::from_fn(outputs.nrows(), amplitudes.ncols(), |r, c| {
                outputs[(r, k)] * amplitudes[(k, c)]
            })
        };
        (0..self.values.len()).map(term).collect()
    }
}
