//! Roots and vectors of a matrix that need not be symmetric: A x = λ x, yᴴ A = λ yᴴ.
//!
//! Roots that are zero by the structure of A are taken out first ([`deflate`]), so that they are zero exactly and a double
//! one does not scatter by √ε. The QR algorithm finds the others, of A as it is or balanced ([`balance`]).

pub mod balance;
pub mod deflate;
mod solve;
pub(crate) mod symmetric;

use deflate::Deflation;
use faer::{Mat, c64};
pub use solve::norm as spectral_norm;
pub use symmetric::of_second_order;

/// R below which eigenvectors of the matrix as it is cannot be told apart, (LIN-23).
pub const CONDITIONED: f64 = 500.0 * f64::EPSILON;

/// How much smaller balancing must make a matrix to be worth it without more ado.
const SMALLER: f64 = 16.0;

/// Is a matrix balanced first?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Balancing {
    /// Where it helps.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

/// Why a matrix was balanced.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balanced {
    /// It was not.
    No,
    /// It was wanted.
    Wanted,
    /// It made the matrix this many times smaller, and small roots so much more exact.
    Smaller(f64),
    /// The eigenvectors of the matrix as it is could not be told apart: R < 500 ε.
    Conditioned,
}

/// A root, or a conjugate pair of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// λ, of a pair that with the positive imaginary part.
    pub value: c64,
    /// How much a change of the matrix may move it: |x| |y| / |yᴴ x| in the scales it was solved in; infinite: not simple.
    pub condition: f64,
    /// Does it count as zero?
    pub zero: bool,
}

impl Root {
    /// Is it one of a pair?
    pub fn is_pair(&self) -> bool {
        self.value.im != 0.0
    }

    /// ω = |λ|, (LIN-20).
    pub fn frequency(&self) -> f64 {
        self.value.re.hypot(self.value.im)
    }

    /// ζ = −Re λ / |λ|, (LIN-20); none of a zero root.
    pub fn damping_ratio(&self) -> f64 {
        if self.value.re == 0.0 {
            0.0
        } else {
            -self.value.re / self.frequency()
        }
    }
}

/// All roots of a matrix: real ones first, then pairs, each by frequency.
#[derive(Debug)]
pub struct Eigen {
    /// The roots.
    pub roots: Vec<Root>,
    /// x, by columns.
    pub right: Mat<c64>,
    /// y with yᴴ x = 1, by columns; zeros where a root is not simple, or zero.
    pub left: Mat<c64>,
    /// Was the matrix balanced?
    pub balanced: Balanced,
    /// R = 1 / cond(V) of (LIN-23): of the eigenvectors of all roots but the zero ones that structure gives.
    pub conditioning: f64,
}

/// The algorithm did not end.
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

/// Roots and vectors that were found, of pairs one.
struct Found {
    root: Root,
    right: Vec<c64>,
    left: Vec<c64>,
}

/// All roots of a mechanism whose state matrix is `a` and whose M, b, K of its positions are these, the quickest way that serves.
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

/// All roots; so many first states may be positions, whose rates are the next as many states.
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

/// All roots in their order: real ones first, then by frequency; of like ones the first.
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

/// The zero roots of all levels. That of a later one is a motion that A brings to one of the first, which is its vector.
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

/// All roots of a matrix that is not singular, balanced as is wanted and needed, (LIN-23).
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
