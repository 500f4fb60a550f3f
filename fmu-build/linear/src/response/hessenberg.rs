//! Balancing, the Hessenberg form, and the solution of (s − A) x = b in it.

use super::Ports;
use faer::{Mat, c64};

/// Part of the largest entry below which a pivot counts as none.
const SINGULAR: f64 = 1e-13;
/// Passes over all states, at most.
const PASSES: usize = 40;

/// Makes rows and columns of alike size by powers of two (Parlett, Reinsch 1969): A becomes S⁻¹ A S, and S is the answer.
pub(super) fn balance(a: &mut Mat<f64>) -> Vec<f64> {
    let n = a.nrows();
    let mut scale = vec![1.0; n];
    for _ in 0..PASSES {
        let mut settled = true;
        for k in 0..n {
            let others = || (0..n).filter(|j| *j != k);
            let column: f64 = others().map(|j| a[(j, k)].abs()).sum();
            let row: f64 = others().map(|j| a[(k, j)].abs()).sum();
            if column == 0.0 || row == 0.0 || !(column + row).is_finite() {
                continue;
            }
            let (mut factor, mut grown) = (1.0, column);
            while grown < row / 2.0 {
                factor *= 2.0;
                grown *= 4.0;
            }
            while grown >= row * 2.0 {
                factor /= 2.0;
                grown /= 4.0;
            }
            if (grown + row) / factor < 0.95 * (column + row) {
                settled = false;
                scale[k] *= factor;
                for j in 0..n {
                    a[(k, j)] /= factor;
                }
                for j in 0..n {
                    a[(j, k)] *= factor;
                }
            }
        }
        if settled {
            break;
        }
    }
    scale
}

/// A = Q H Qᵀ with what goes in and out.
#[derive(Clone, Debug)]
pub(super) struct Hessenberg {
    h: Mat<f64>,
    basis: Mat<f64>,
    ports: Ports<f64>,
    largest: f64,
}

impl Hessenberg {
    /// By reflections (Householder).
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
        Self {
            ports: Ports {
                inputs: basis.transpose() * &ports.inputs,
                given: basis.transpose() * &ports.given,
                outputs: &ports.outputs * &basis,
            },
            h: a,
            basis,
            largest,
        }
    }

    /// States in this basis by inputs; `None`: s is a pole.
    pub(super) fn solve(&self, s: c64, driven: &Mat<c64>) -> Option<Mat<c64>> {
        let n = self.h.nrows();
        let zero = c64::new(0.0, 0.0);
        let mut left = Mat::from_fn(n, n, |c, r| {
            let own = if r == c { s } else { zero };
            own - self.h[(r, c)]
        });
        let mut right = super::modal::right(&self.ports.inputs, &self.ports.given, driven, |x| {
            c64::new(x, 0.0)
        });
        let least = SINGULAR * self.largest.max(s.norm());
        // `left` is kept transposed: its columns are rows of the system, which the elimination walks along.
        for k in 0..n {
            if k + 1 < n && left[(k, k + 1)].norm() > left[(k, k)].norm() {
                for c in k..n {
                    let other = left[(c, k + 1)];
                    left[(c, k + 1)] = left[(c, k)];
                    left[(c, k)] = other;
                }
                for c in 0..right.ncols() {
                    let other = right[(k + 1, c)];
                    right[(k + 1, c)] = right[(k, c)];
                    right[(k, c)] = other;
                }
            }
            let pivot = left[(k, k)];
            if pivot.norm().is_nan() || pivot.norm() <= least {
                return None;
            }
            if k + 1 < n && left[(k, k + 1)] != zero {
                let factor = left[(k, k + 1)] / pivot;
                for c in k..n {
                    let above = left[(c, k)];
                    left[(c, k + 1)] -= factor * above;
                }
                for c in 0..right.ncols() {
                    let above = right[(k, c)];
                    right[(k + 1, c)] -= factor * above;
                }
            }
        }
        for c in 0..right.ncols() {
            for r in (0..n).rev() {
                let mut rest = right[(r, c)];
                for k in r + 1..n {
                    rest -= left[(k, r)] * right[(k, c)];
                }
                right[(r, c)] = rest / left[(r, r)];
            }
        }
        Some(right)
    }

    /// Outputs by states in this basis.
    pub(super) fn shown(&self, states: &Mat<c64>) -> Mat<c64> {
        real_times(&self.ports.outputs, states)
    }

    /// Balanced states by those in this basis.
    pub(super) fn states(&self, states: &Mat<c64>) -> Mat<c64> {
        real_times(&self.basis, states)
    }
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
    for r in 0..a.nrows() {
        let along: f64 = v
            .iter()
            .enumerate()
            .map(|(k, x)| x * a[(r, first + k)])
            .sum();
        for (k, x) in v.iter().enumerate() {
            a[(r, first + k)] -= 2.0 * along * x;
        }
    }
}
