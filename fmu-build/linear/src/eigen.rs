//! Computes roots and vectors of a matrix that need not be symmetric: A x = λ x, yᴴ A = λ yᴴ.
//!
//! Roots that are zero by the structure of A are removed first ([`deflate`]), so that they are exactly zero and a
//! double zero does not scatter by √ε. The QR algorithm finds the others, with or without balancing ([`balance`]).

pub mod balance;
pub mod deflate;
mod solve;
pub(crate) mod symmetric;

use deflate::Deflation;
use faer::{Mat, c64};
pub use solve::norm as spectral_norm;
pub use symmetric::of_second_order;

/// R of (LIN-23), below which the eigenvectors of the unscaled matrix cannot be distinguished.
pub const CONDITIONED: f64 = 500.0 * f64::EPSILON;

/// Balancing that makes the matrix smaller by at least this factor is always used.
const SMALLER: f64 = 16.0;

/// When to balance the matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Balancing {
    /// If it helps.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// Whether a matrix was balanced, and why.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balanced {
    /// It was not.
    No,
    /// The user requested it.
    Wanted,
    /// It made the matrix smaller by this factor, and small roots more accurate by the same factor.
    Smaller(f64),
    /// The eigenvectors of the unscaled matrix could not be distinguished: R < 500 ε.
    Conditioned,
}

/// A root, or a conjugate pair of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// λ; for a pair the root with the positive imaginary part.
    pub value: c64,
    /// Condition: how far a perturbation of the matrix may move the root, |x| |y| / |yᴴ x| in the scaling used;
    /// infinite for multiple roots.
    pub condition: f64,
    /// Does it count as zero?
    pub zero: bool,
}

impl Root {
    /// Is it a conjugate pair?
    pub fn is_pair(&self) -> bool {
        self.value.im != 0.0
    }

    /// ω = |λ|, (LIN-20).
    pub fn frequency(&self) -> f64 {
        self.value.re.hypot(self.value.im)
    }

    /// ζ = −Re λ / |λ|, (LIN-20); `None` for a zero root.
    pub fn damping_ratio(&self) -> f64 {
        if self.value.re == 0.0 {
            0.0
        } else {
            -self.value.re / self.frequency()
        }
    }
}

/// All roots of a matrix: real roots first, then pairs, each sorted by frequency.
#[derive(Debug)]
pub struct Eigen {
    /// The roots.
    pub roots: Vec<Root>,
    /// x, by columns.
    pub right: Mat<c64>,
    /// y with yᴴ x = 1, by columns; zeros for multiple roots and zero roots.
    pub left: Mat<c64>,
    /// Was the matrix balanced?
    pub balanced: Balanced,
    /// R = 1 / cond(V) of (LIN-23), from the eigenvectors of all roots except the structural zeros.
    pub conditioning: f64,
}

/// Why there are no roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRoots {
    /// A number is not finite.
    #[error("the matrix of the linear form has a number that is not finite")]
    NotFinite,
    /// The QR algorithm did not converge.
    #[error(
        "the QR algorithm did not converge; try `--balancing on`, or units in which the numbers are of similar size"
    )]
    NoConvergence,
}

/// Roots and vectors found; one of each pair.
struct Found {
    root: Root,
    right: Vec<c64>,
    left: Vec<c64>,
}

/// All roots of a mechanism with the state matrix `a` and M, b, K of its positions, by the fastest method that
/// applies.
pub fn of_mechanism(
    a: &Mat<f64>,
    second_order: [&Mat<f64>; 3],
    balancing: Balancing,
) -> Result<Eigen, NoRoots> {
    let apart = (balancing == Balancing::Auto).then(|| of_second_order(a, second_order));
    match apart.flatten() {
        Some(found) => Ok(found),
        None => eigen(a, second_order[0].nrows(), balancing),
    }
}

/// All roots; the first `positions` states may be positions whose rates are the next states.
pub fn eigen(a: &Mat<f64>, positions: usize, balancing: Balancing) -> Result<Eigen, NoRoots> {
    if a.col_iter()
        .any(|column| column.iter().any(|x| !x.is_finite()))
    {
        return Err(NoRoots::NotFinite);
    }
    let a = balance::without_tiny(a);
    let n = a.nrows();
    let (levels, rest) = deflate::levels(&a, positions);
    let mut found = zeros(&a, &levels);
    let (core, balanced, conditioning) = solved(&rest, balancing)?;
    for mut one in core {
        for level in levels.iter().rev() {
            one.right = level.right(&one.right, one.root.value);
            one.left = level.left(&one.left);
        }
        found.push(one);
    }
    Ok(sorted(found, n, (balanced, conditioning)))
}

/// Sorts the roots: real ones first, then by frequency; equal ones keep their order.
fn sorted(mut found: Vec<Found>, n: usize, (balanced, conditioning): (Balanced, f64)) -> Eigen {
    found.sort_by(|a, b| {
        let key = |of: &Root| (of.is_pair(), of.frequency());
        let (a, b) = (key(&a.root), key(&b.root));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    Eigen {
        roots: found.iter().map(|one| one.root).collect(),
        right: Mat::from_fn(n, found.len(), |r, c| found[c].right[r]),
        left: Mat::from_fn(n, found.len(), |r, c| found[c].left[r]),
        balanced,
        conditioning,
    }
}

/// The zero roots of all levels. A zero of a later level is a motion that A maps to one of the first level, whose
/// vector it has.
fn zeros(a: &Mat<f64>, levels: &[Deflation]) -> Vec<Found> {
    let n = a.nrows();
    let none = c64::new(0.0, 0.0);
    let mut found = Vec::new();
    for (k, level) in levels.iter().enumerate() {
        for c in 0..level.basis.ncols() {
            let own: Vec<c64> = (0..level.basis.nrows())
                .map(|r| c64::new(level.basis[(r, c)], 0.0))
                .collect();
            let all = levels[..k]
                .iter()
                .rev()
                .fold(own, |x, below| below.right(&x, none));
            let mut vector = Mat::from_fn(n, 1, |r, _| all[r].re);
            for _ in 0..k {
                vector = a * &vector;
            }
            found.push(Found {
                root: Root {
                    value: none,
                    condition: f64::INFINITY,
                    zero: true,
                },
                right: (0..n).map(|r| c64::new(vector[(r, 0)], 0.0)).collect(),
                left: vec![none; n],
            });
        }
    }
    found
}

/// All roots of a regular matrix, balanced as requested or needed, (LIN-23).
fn solved(a: &Mat<f64>, balancing: Balancing) -> Result<(Vec<Found>, Balanced, f64), NoRoots> {
    if a.nrows() == 0 {
        return Ok((Vec::new(), Balanced::No, 1.0));
    }
    let plain = vec![1.0; a.nrows()];
    let scales = if balancing == Balancing::Off {
        plain.clone()
    } else {
        balance::scales(a)
    };
    let smaller = balance::size(a) / balance::size(&balance::scaled(a, &scales));
    let balanced = match balancing {
        Balancing::On => Balanced::Wanted,
        Balancing::Auto if smaller > SMALLER => Balanced::Smaller(smaller),
        Balancing::Auto | Balancing::Off => Balanced::No,
    };
    let first = if balanced == Balanced::No {
        &plain
    } else {
        &scales
    };
    let (found, conditioning) = solve::roots(a, first)?;
    let again = balancing == Balancing::Auto && balanced == Balanced::No;
    if again && conditioning < CONDITIONED && scales != plain {
        let (found, _) = solve::roots(a, &scales)?;
        return Ok((found, Balanced::Conditioned, conditioning));
    }
    Ok((found, balanced, conditioning))
}
