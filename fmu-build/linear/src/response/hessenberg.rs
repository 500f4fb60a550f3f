//! Reduces a matrix to Hessenberg form, and solves (s − A) x = b with it.

use super::Ports;
use faer::{Mat, c64};

/// A pivot below this fraction of the largest entry counts as zero.
const SINGULAR: f64 = 1e-13;

/// A = Q H Qᵀ, with its inputs and outputs.
#[derive(Clone, Debug)]
pub(super) struct Hessenberg {
    h: Mat<f64>,
    basis: Mat<f64>,
    ports: Ports<f64>,
    /// The transposed matrix of outputs.
    shown: Mat<f64>,
    largest: f64,
}

impl Hessenberg {
    /// Reduces by Householder reflections.
    pub(super) fn new(mut a: Mat<f64>, ports: &Ports<f64>) -> Self {
        let n = a.nrows();
        let mut basis = Mat::<f64>::identity(n, n);
        for k in 0..n.saturating_sub(2) {
            let Some(v) = reflection(&a, k) else { continue };
            reflect_rows(&mut a, &v, k + 1);
            reflect_columns(&mut a, &v, k + 1);
            reflect_columns(&mut basis, &v, k + 1);
            for r in k + 2..n {
                a[(r, k)] = 0.0;
            }
        }
        let largest = crate::matrix::largest(&a);
        let outputs = &ports.outputs * &basis;
        Self {
            shown: outputs.transpose().to_owned(),
            ports: Ports {
                inputs: basis.transpose() * &ports.inputs,
                given: basis.transpose() * &ports.given,
                outputs,
            },
            h: a,
            basis,
            largest,
        }
    }

    /// States in this basis for some inputs; `None` if s is a pole.
    pub(super) fn solve(&self, s: c64, inputs: &[usize], driven: &Mat<c64>) -> Option<Mat<c64>> {
        let n = self.h.nrows();
        let zero = c64::new(0.0, 0.0);
        // Rows of the system and columns of the right-hand side, stored consecutively.
        let mut left = vec![zero; n * n];
        for c in 0..n {
            for (r, entry) in self.h.col_as_slice(c).iter().enumerate() {
                left[r * n + c] = if r == c { s } else { zero } - *entry;
            }
        }
        let mut right = super::modal::right((&self.ports, inputs), driven, |x| c64::new(x, 0.0));
        let columns = right.ncols();
        let least = SINGULAR * self.largest.max(s.norm());
        for k in 0..n {
            let (above, below) = left.split_at_mut((k + 1) * n);
            let here = &mut above[k * n + k..];
            let next = below.get_mut(k..n);
            if let Some(next) = next.filter(|next| next[0] != zero) {
                let swapped = next[0].norm() > here[0].norm();
                if swapped {
                    here.swap_with_slice(next);
                }
                sound(here[0], least)?;
                let factor = next[0] / here[0];
                for (own, above) in next.iter_mut().zip(&*here) {
                    *own -= factor * *above;
                }
                for c in 0..columns {
                    let own = right.col_as_slice_mut(c);
                    if swapped {
                        own.swap(k, k + 1);
                    }
                    let above = own[k];
                    own[k + 1] -= factor * above;
                }
            }
            sound(here[0], least)?;
        }
        for c in 0..columns {
            let own = right.col_as_slice_mut(c);
            for r in (0..n).rev() {
                let row = &left[r * n..(r + 1) * n];
                let mut rest = own[r];
                for (entry, x) in row[r + 1..].iter().zip(&own[r + 1..]) {
                    rest -= *entry * *x;
                }
                own[r] = rest / row[r];
            }
        }
        Some(right)
    }

    /// Some outputs from states in this basis.
    pub(super) fn shown(&self, outputs: &[usize], states: &Mat<c64>) -> Mat<c64> {
        let mut all = Mat::zeros(outputs.len(), states.ncols());
        for (r, output) in outputs.iter().enumerate() {
            let row = self.shown.col_as_slice(*output);
            for c in 0..states.ncols() {
                let terms = row.iter().zip(states.col_as_slice(c));
                all[(r, c)] = terms.fold(c64::new(0.0, 0.0), |sum, (a, x)| sum + *x * *a);
            }
        }
        all
    }

    /// Balanced states from those in this basis.
    pub(super) fn states(&self, states: &Mat<c64>) -> Mat<c64> {
        real_times(&self.basis, states)
    }
}

/// `None` if a pivot counts as zero.
fn sound(pivot: c64, least: f64) -> Option<()> {
    let size = pivot.norm();
    (!size.is_nan() && size > least).then_some(())
}

fn real_times(a: &Mat<f64>, b: &Mat<c64>) -> Mat<c64> {
    Mat::from_fn(a.nrows(), b.ncols(), |r, c| {
        (0..a.ncols()).fold(c64::new(0.0, 0.0), |sum, k| sum + b[(k, c)] * a[(r, k)])
    })
}

/// The unit vector, from row k + 1 on, whose reflection makes column k zero below that row.
fn reflection(a: &Mat<f64>, k: usize) -> Option<Vec<f64>> {
    let mut v: Vec<f64> = (k + 1..a.nrows()).map(|r| a[(r, k)]).collect();
    if v.iter().skip(1).all(|x| *x == 0.0) {
        return None;
    }
    let length = norm(&v);
    v[0] += if v[0] < 0.0 { -length } else { length };
    let length = norm(&v);
    for x in &mut v {
        *x /= length;
    }
    Some(v)
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn reflect_rows(a: &mut Mat<f64>, v: &[f64], first: usize) {
    for c in 0..a.ncols() {
        let along: f64 = v
            .iter()
            .enumerate()
            .map(|(k, x)| x * a[(first + k, c)])
            .sum();
        for (k, x) in v.iter().enumerate() {
            a[(first + k, c)] -= 2.0 * along * x;
        }
    }
}

fn reflect_columns(a: &mut Mat<f64>, v: &[f64], first: usize) {
    let mut along = vec![0.0; a.nrows()];
    for (k, x) in v.iter().enumerate() {
        for (sum, own) in along.iter_mut().zip(a.col(first + k).iter()) {
            *sum += x * own;
        }
    }
    for (k, x) in v.iter().enumerate() {
        for (sum, own) in along.iter().zip(a.col_mut(first + k).iter_mut()) {
            *own -= 2.0 * sum * x;
        }
    }
}
