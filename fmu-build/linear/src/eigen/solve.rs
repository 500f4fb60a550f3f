//! The QR algorithm, and the uncertainty of its roots.

use super::balance::{scaled, size};
use super::{Found, NoRoots, Root};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, evd_cplx, evd_real, evd_scratch};
use faer::linalg::solvers::Solve;
use faer::{Mat, Par, Spec, c64};

/// A root is accurate to this many ε, times the norm of its matrix and its condition.
const KNOWN: f64 = 8.0;

/// A root above this fraction of the norm of its matrix is never zero.
const ZERO: f64 = 4.0 * 1.490_116_119_384_765_6e-8;

/// A real or imaginary part below this fraction of a root may be rounding error.
const SHARE: f64 = 1e-6;

/// Roots closer than this fraction of the norm form a cluster, whose left and right vectors are made biorthogonal.
const CLUSTER: f64 = 1e-9;

/// The matrix yᴴ x of a cluster is singular below this fraction.
const DEFECTIVE: f64 = 1e-11;

/// A vector with a residual above this fraction of the norm is recomputed.
const MISS: f64 = 1e-12;

/// Steps of the power method: enough for two digits.
const STEPS: usize = 40;

/// Roots, and right and left vectors by columns.
type Raw = (Vec<c64>, Mat<c64>, Mat<c64>);

/// Roots, vectors of the unscaled matrix, and R of (LIN-23).
pub(super) fn roots(a: &Mat<f64>, scales: &[f64]) -> Result<(Vec<Found>, f64), NoRoots> {
    let balanced = scaled(a, scales);
    let size = size(&balanced);
    let (values, mut right, mut left) = raw(&balanced)?;
    normalise(&mut right);
    normalise(&mut left);
    repair(&balanced, &values, (&mut right, &mut left), size)?;
    fit(&values, &right, &mut left, size);
    let n = a.nrows();
    let mut found = Vec::new();
    let mut inverse = Vec::new();
    for (k, value) in values.iter().enumerate() {
        let condition = length(left.col(k).iter());
        let condition = if condition > 0.0 {
            condition
        } else {
            f64::INFINITY
        };
        let root = without_rounding(*value, condition, size);
        let x: Vec<c64> = (0..n).map(|r| right[(r, k)] / scales[r]).collect();
        let y: Vec<c64> = (0..n).map(|r| left[(r, k)] * scales[r]).collect();
        let long = length(x.iter());
        inverse.push(y.iter().map(|z| *z * long).collect::<Vec<c64>>());
        let right: Vec<c64> = x.iter().map(|z| *z / long).collect();
        let left = y.iter().map(|z| *z * long).collect();
        found.push(Found { root, right, left });
    }
    let weights: Vec<f64> = values
        .iter()
        .map(|value| if value.im == 0.0 { 1.0 } else { 2.0 })
        .collect();
    let columns: Vec<&[c64]> = found.iter().map(|one| one.right.as_slice()).collect();
    let rows: Vec<&[c64]> = inverse.iter().map(Vec::as_slice).collect();
    let singular = found.iter().any(|one| one.root.condition.is_infinite());
    let conditioning = if singular {
        0.0
    } else {
        1.0 / (norm(&columns, &weights) * norm(&rows, &weights))
    };
    Ok((split(found), conditioning))
}

/// Splits pairs that are real except for rounding errors into two real roots.
fn split(found: Vec<Found>) -> Vec<Found> {
    let mut all = Vec::new();
    for one in found {
        let vectors = (one.right.clone(), one.left.clone());
        let root = one.root;
        let twice = root.condition < 0.0;
        let root = Root {
            condition: root.condition.abs(),
            ..root
        };
        all.push(Found { root, ..one });
        if twice {
            let (right, left) = vectors;
            all.push(Found { root, right, left });
        }
    }
    all
}

/// A root with what is rounding taken away; a negative condition says that it stands for two.
fn without_rounding(value: c64, condition: f64, size: f64) -> Root {
    let known = KNOWN * f64::EPSILON * size * condition;
    let most = value.re.hypot(value.im);
    let pair = value.im != 0.0;
    if most <= known.min(ZERO * size) {
        return Root {
            value: c64::new(0.0, 0.0),
            condition: if pair { -condition } else { condition },
            zero: true,
        };
    }
    let is_rounding = |part: f64| part.abs() <= known && part.abs() <= SHARE * most;
    if pair && is_rounding(value.im) {
        return Root {
            value: c64::new(value.re, 0.0),
            condition: -condition,
            zero: false,
        };
    }
    let undamped = is_rounding(value.re) && pair;
    Root {
        value: c64::new(if undamped { 0.0 } else { value.re }, value.im),
        condition,
        zero: false,
    }
}

/// Real roots, and one root of each pair, with the positive imaginary part, in the order of the algorithm.
fn raw(a: &Mat<f64>) -> Result<Raw, NoRoots> {
    let n = a.nrows();
    let mut real = Diag::<f64>::zeros(n);
    let mut imaginary = Diag::<f64>::zeros(n);
    let mut left = Mat::<f64>::zeros(n, n);
    let mut right = Mat::<f64>::zeros(n, n);
    let both = ComputeEigenvectors::Yes;
    let scratch = evd_scratch::<f64>(n, both, both, Par::Seq, Spec::default());
    evd_real(
        a.as_ref(),
        real.as_mut(),
        imaginary.as_mut(),
        Some(left.as_mut()),
        Some(right.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    )
    .map_err(|_| NoRoots::NoConvergence)?;
    let mut values = Vec::new();
    let mut places = Vec::new();
    let mut k = 0;
    while k < n {
        values.push(c64::new(real[k], imaginary[k].abs()));
        places.push(k);
        k += if imaginary[k] == 0.0 { 1 } else { 2 };
    }
    let vectors = |of: &Mat<f64>| {
        Mat::from_fn(n, values.len(), |r, c| {
            let (k, value) = (places[c], values[c]);
            if value.im == 0.0 {
                c64::new(of[(r, k)], 0.0)
            } else {
                let sign = if imaginary[k] < 0.0 { -1.0 } else { 1.0 };
                c64::new(of[(r, k)], sign * of[(r, k + 1)])
            }
        })
    };
    let (right, left) = (vectors(&right), vectors(&left));
    Ok((values, right, left))
}

/// If pairs lie close together, the back substitution between blocks of the real algorithm may lose a vector. Lost
/// vectors are taken from the complex algorithm, which has no blocks.
fn repair(
    a: &Mat<f64>,
    values: &[c64],
    (right, left): (&mut Mat<c64>, &mut Mat<c64>),
    size: f64,
) -> Result<(), NoRoots> {
    let transposed = a.transpose().to_owned();
    let misses = [
        misses(a, values, right, 1.0),
        misses(&transposed, values, left, -1.0),
    ];
    let lost = |k: usize| {
        let miss = misses[0][k].max(misses[1][k]);
        values[k].im != 0.0 && (miss.is_nan() || miss > MISS * size)
    };
    if !(0..values.len()).any(lost) {
        return Ok(());
    }
    let (found, own_right, own_left) = raw_complex(a)?;
    let mut free = vec![true; found.len()];
    for k in 0..values.len() {
        let alike = (0..values.len()).any(|l| lost(l) && near(values[k], values[l], size));
        if values[k].im == 0.0 || !alike {
            continue;
        }
        let distance = |at: usize| (found[at] - values[k]).norm();
        let open = (0..found.len()).filter(|at| free[*at]);
        let Some(at) = open.min_by(|a, b| distance(*a).total_cmp(&distance(*b))) else {
            break;
        };
        free[at] = false;
        for r in 0..a.nrows() {
            right[(r, k)] = own_right[(r, at)];
            left[(r, k)] = own_left[(r, at)];
        }
    }
    normalise(right);
    normalise(left);
    Ok(())
}

/// |A x − λ x| of each column; λ̄ instead of λ if the sign is −1.
fn misses(a: &Mat<f64>, values: &[c64], vectors: &Mat<c64>, sign: f64) -> Vec<f64> {
    let (n, m) = (a.nrows(), values.len());
    let real = a * Mat::from_fn(n, m, |r, c| vectors[(r, c)].re);
    let imaginary = a * Mat::from_fn(n, m, |r, c| vectors[(r, c)].im);
    let of = |c: usize| {
        let value = c64::new(values[c].re, sign * values[c].im);
        let rest = |r: usize| c64::new(real[(r, c)], imaginary[(r, c)]) - value * vectors[(r, c)];
        (0..n).map(|r| rest(r).norm_sqr()).sum::<f64>().sqrt()
    };
    (0..m).map(of).collect()
}

fn raw_complex(a: &Mat<f64>) -> Result<Raw, NoRoots> {
    let n = a.nrows();
    let complex = Mat::from_fn(n, n, |r, c| c64::new(a[(r, c)], 0.0));
    let mut values = Diag::<c64>::zeros(n);
    let mut left = Mat::<c64>::zeros(n, n);
    let mut right = Mat::<c64>::zeros(n, n);
    let both = ComputeEigenvectors::Yes;
    let scratch = evd_scratch::<c64>(n, both, both, Par::Seq, Spec::default());
    evd_cplx(
        complex.as_ref(),
        values.as_mut(),
        Some(left.as_mut()),
        Some(right.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    )
    .map_err(|_| NoRoots::NoConvergence)?;
    Ok(((0..n).map(|k| values[k]).collect(), right, left))
}

fn near(a: c64, b: c64, size: f64) -> bool {
    (a - b).norm() <= CLUSTER * size
}

fn length<'a>(of: impl Iterator<Item = &'a c64>) -> f64 {
    of.map(|z| z.re * z.re + z.im * z.im).sum::<f64>().sqrt()
}

fn normalise(vectors: &mut Mat<c64>) {
    for c in 0..vectors.ncols() {
        let most = vectors
            .col(c)
            .iter()
            .fold(0.0_f64, |most, z| most.max(z.re.abs()).max(z.im.abs()));
        if most == 0.0 || !most.is_finite() {
            continue;
        }
        for r in 0..vectors.nrows() {
            vectors[(r, c)] /= most;
        }
        let long = length(vectors.col(c).iter());
        for r in 0..vectors.nrows() {
            vectors[(r, c)] /= long;
        }
    }
}

/// yᴴ x.
fn product(left: &Mat<c64>, l: usize, right: &Mat<c64>, r: usize) -> c64 {
    let (y, x) = (left.col(l), right.col(r));
    y.iter()
        .zip(x.iter())
        .fold(c64::new(0.0, 0.0), |sum, (y, x)| sum + y.conj() * *x)
}

/// Left vectors with yᴴ x = 1 for their own x and 0 for the others of the cluster; zeros if that is impossible.
fn fit(values: &[c64], right: &Mat<c64>, left: &mut Mat<c64>, size: f64) {
    let n = left.nrows();
    let mut done = vec![false; values.len()];
    for first in 0..values.len() {
        if done[first] {
            continue;
        }
        let mut cluster = vec![first];
        let mut next = 0;
        done[first] = true;
        while next < cluster.len() {
            let from = values[cluster[next]];
            next += 1;
            for k in first + 1..values.len() {
                if !done[k] && near(from, values[k], size) {
                    done[k] = true;
                    cluster.push(k);
                }
            }
        }
        let m = cluster.len();
        let products = Mat::from_fn(m, m, |r, c| product(left, cluster[r], right, cluster[c]));
        let factor = products.partial_piv_lu();
        let triangle = factor.U();
        let least = (0..m).fold(f64::INFINITY, |least, k| {
            let pivot: c64 = triangle[(k, k)];
            least.min(pivot.re.hypot(pivot.im))
        });
        // Rows of the inverse of yᴴ x times yᴴ.
        let own = Mat::from_fn(m, n, |r, c| left[(c, cluster[r])].conj());
        let needed = if m == 1 { 0.0 } else { DEFECTIVE };
        let fitted = (least > needed).then(|| factor.solve(&own));
        for (k, to) in cluster.iter().enumerate() {
            for r in 0..n {
                left[(r, *to)] = match &fitted {
                    Some(fitted) => fitted[(k, r)].conj(),
                    None => c64::new(0.0, 0.0),
                };
            }
        }
    }
}

/// The spectral norm of a matrix with these columns (or rows), by the power method on real vectors: a pair counts
/// with both its roots.
pub fn norm(columns: &[&[c64]], weights: &[f64]) -> f64 {
    let n = columns.first().map_or(0, |column| column.len());
    let mut vector: Vec<f64> = (0..n).map(|k| 1.0 + 0.1 * ((k % 7) as f64)).collect();
    let mut found = 0.0;
    for _ in 0..STEPS {
        let long = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        if long == 0.0 || !long.is_finite() {
            return long;
        }
        for x in &mut vector {
            *x /= long;
        }
        let mut next = vec![0.0; n];
        for (column, weight) in columns.iter().zip(weights) {
            let (re, im) = column
                .iter()
                .zip(&vector)
                .fold((0.0, 0.0), |(re, im), (z, x)| {
                    (re + z.re * x, im + z.im * x)
                });
            for (to, z) in next.iter_mut().zip(*column) {
                *to += weight * (z.re * re + z.im * im);
            }
        }
        found = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector = next;
    }
    found.sqrt()
}
