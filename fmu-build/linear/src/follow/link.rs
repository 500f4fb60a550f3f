//! Links each mode at one value of the parameter to a mode at the next value.
//!
//! With left and right vectors, yᴴ x = 1, the share of mode j at value b in mode i at value a is
//!
//! ```text
//! p_ij = (y_iᴴ x_j) (y_jᴴ x_i),   Σ_j p_ij = Σ_i p_ij = 1                                (LIN-100)
//! MAC_ij = |p_ij| / max(1, Σ_k |p_ik|, Σ_k |p_kj|)
//! ```
//! The MAC is 1 for the same mode and 0 for others, whatever the damping, the units and the scales of vectors. With
//! symmetric matrices it is the modal assurance criterion with M. A pair is compared with both its vectors, and so is
//! a pair with the two real roots that it becomes: the plane of the two vectors changes smoothly even where the
//! vectors do not.

use super::Station;
use faer::{Mat, c64};

/// A mode continues if the MAC is at least this.
const LIKELY: f64 = 0.3;
/// MACs that differ by less are equal.
const SAME: f64 = 1e-6;

/// How modes continue.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Link {
    /// As a mode of the same kind.
    One(usize, usize, f64),
    /// A pair becomes two real roots.
    Parts(usize, [usize; 2], f64),
    /// Two real roots become a pair.
    Joins([usize; 2], usize, f64),
}

impl Link {
    /// The modes on both sides.
    pub(super) fn sides(&self) -> (Vec<usize>, Vec<usize>) {
        match self {
            Self::One(a, b, _) => (vec![*a], vec![*b]),
            Self::Parts(a, b, _) => (vec![*a], b.to_vec()),
            Self::Joins(a, b, _) => (a.to_vec(), vec![*b]),
        }
    }

    pub(super) fn mac(&self) -> f64 {
        match self {
            Self::One(.., mac) | Self::Parts(.., mac) | Self::Joins(.., mac) => *mac,
        }
    }
}

/// All links between two values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Links {
    pub(super) list: Vec<Link>,
    /// Is it worthwhile to compute values in between?
    pub(super) doubtful: bool,
}

/// Smallest MAC for which no value in between is needed.
pub(super) const SURE: f64 = 0.9;

/// Real parts of p, if both modes are of the same kind, or one is one of a pair.
fn overlap(a: &Station, b: &Station) -> Mat<f64> {
    let (n, m) = (a.roots.len(), b.roots.len());
    let product = |left: &Mat<c64>, right: &Mat<c64>| left * right;
    let conjugate = |of: &Mat<c64>| Mat::from_fn(of.nrows(), of.ncols(), |r, c| of[(r, c)].conj());
    let same = (product(&a.left, &b.right), product(&b.left, &a.right));
    let other = (
        product(&a.left, &conjugate(&b.right)),
        product(&conjugate(&b.left), &a.right),
    );
    Mat::from_fn(n, m, |i, j| {
        let own: c64 = same.0[(i, j)] * same.1[(j, i)];
        if a.roots[i].is_pair() && b.roots[j].is_pair() {
            let crossed: c64 = other.0[(i, j)] * other.1[(j, i)];
            own.re + crossed.re
        } else {
            own.re
        }
    })
}

/// The MAC of a mode of one value with a mode of another.
pub(super) fn overlap_of(a: &Station, i: usize, b: &Station, j: usize) -> f64 {
    let product = |left: &Mat<c64>, r: usize, right: &Mat<c64>, c: usize| {
        let all = (0..left.ncols()).map(|k| left[(r, k)] * right[(k, c)]);
        all.fold(c64::new(0.0, 0.0), |sum, x| sum + x)
    };
    (product(&a.left, i, &b.right, j) * product(&b.left, j, &a.right, i)).norm()
}

/// The links between two values.
pub(super) fn links(a: &Station, b: &Station) -> Links {
    let p = overlap(a, b);
    let mut ranked = candidates(a, b, &p);
    ranked.sort_by(|x, y| {
        let grade = |link: &Link| (link.mac() / SAME).round();
        let by = grade(&y.0).total_cmp(&grade(&x.0));
        by.then(x.1.total_cmp(&y.1))
    });
    let mut taken = AcceptedLinks::new(a, b);
    for (link, _) in ranked {
        taken.take(link);
    }
    taken.rest(a, b);
    let sure = |link: &Link| match link {
        Link::One(i, j, mac) => *mac >= SURE || !(a.is_told(*i) && b.is_told(*j)),
        Link::Parts(i, [j, k], _) => !(a.is_told(*i) && b.is_told(*j) && b.is_told(*k)),
        Link::Joins([i, k], j, _) => !(a.is_told(*i) && a.is_told(*k) && b.is_told(*j)),
    };
    let list = taken.list;
    Links {
        doubtful: !list.iter().all(sure),
        list,
    }
}

/// Links with a high MAC, and how far the roots move; those of pairs and two real roots by (LIN-101).
fn candidates(a: &Station, b: &Station, p: &Mat<f64>) -> Vec<(Link, f64)> {
    let (n, m) = (p.nrows(), p.ncols());
    let is_pair = |of: &Station, k: usize| of.roots[k].is_pair();
    let alike = |i: usize, j: usize| is_pair(a, i) == is_pair(b, j);
    let rows: Vec<f64> = (0..n)
        .map(|i| {
            (0..m)
                .filter(|j| alike(i, *j))
                .map(|j| p[(i, j)].abs())
                .sum()
        })
        .collect();
    let columns: Vec<f64> = (0..m)
        .map(|j| {
            (0..n)
                .filter(|i| alike(*i, j))
                .map(|i| p[(i, j)].abs())
                .sum()
        })
        .collect();
    let far = |x: c64, y: c64| (x - y).norm() / (x.norm() + y.norm()).max(f64::MIN_POSITIVE);
    let mut found = Vec::new();
    for i in 0..n {
        for j in (0..m).filter(|j| alike(i, *j)) {
            let mac = p[(i, j)].abs() / rows[i].max(columns[j]).max(1.0);
            if mac >= LIKELY {
                let distance = far(a.roots[i].value, b.roots[j].value);
                found.push((Link::One(i, j, mac), distance));
            }
        }
        let some = |j: &usize| !alike(i, *j) && p[(i, *j)].abs() > SAME;
        let others: Vec<usize> = (0..m).filter(some).collect();
        for (at, j) in others.iter().enumerate().filter(|_| is_pair(a, i)) {
            for k in &others[at + 1..] {
                let mac = 1.0 - (1.0 - (p[(i, *j)] + p[(i, *k)])).abs();
                if mac >= LIKELY {
                    found.push((Link::Parts(i, [*j, *k], mac), 1.0));
                }
            }
        }
    }
    for j in (0..m).filter(|j| is_pair(b, *j)) {
        let some = |i: &usize| !alike(*i, j) && p[(*i, j)].abs() > SAME;
        let others: Vec<usize> = (0..n).filter(some).collect();
        for (at, i) in others.iter().enumerate() {
            for k in &others[at + 1..] {
                let mac = 1.0 - (1.0 - (p[(*i, j)] + p[(*k, j)])).abs();
                if mac >= LIKELY {
                    found.push((Link::Joins([*i, *k], j, mac), 1.0));
                }
            }
        }
    }
    found
}

/// Links that were taken, and which modes have one.
struct AcceptedLinks {
    list: Vec<Link>,
    before: Vec<bool>,
    after: Vec<bool>,
}

impl AcceptedLinks {
    fn new(a: &Station, b: &Station) -> Self {
        Self {
            list: Vec::new(),
            before: vec![false; a.roots.len()],
            after: vec![false; b.roots.len()],
        }
    }

    fn take(&mut self, link: Link) {
        let (before, after) = link.sides();
        let taken = before.iter().any(|k| self.before[*k]) || after.iter().any(|k| self.after[*k]);
        if taken {
            return;
        }
        for k in before {
            self.before[k] = true;
        }
        for k in after {
            self.after[k] = true;
        }
        self.list.push(link);
    }

    /// Links the remaining modes by frequency: equal kinds first, then two real or zero roots and a pair.
    fn rest(&mut self, a: &Station, b: &Station) {
        let open = |taken: &[bool], of: &Station, pair: bool| -> Vec<usize> {
            let all = 0..of.roots.len();
            all.filter(|k| !taken[*k] && of.roots[*k].is_pair() == pair)
                .collect()
        };
        for pair in [false, true] {
            let both = [open(&self.before, a, pair), open(&self.after, b, pair)];
            // Zero roots remain zero roots.
            for zero in [true, false] {
                let of = |side: usize, station: &Station| -> Vec<usize> {
                    let list = both[side].iter().copied();
                    list.filter(|k| station.roots[*k].zero == zero).collect()
                };
                let (before, after) = (of(0, a), of(1, b));
                for (i, j) in before.into_iter().zip(after) {
                    self.take(Link::One(i, j, 0.0));
                }
            }
        }
        let (pairs, real) = (open(&self.before, a, true), open(&self.after, b, false));
        for (i, two) in pairs.iter().zip(real.chunks_exact(2)) {
            self.take(Link::Parts(*i, [two[0], two[1]], 0.0));
        }
        let (real, pairs) = (open(&self.before, a, false), open(&self.after, b, true));
        for (two, j) in real.chunks_exact(2).zip(pairs) {
            self.take(Link::Joins([two[0], two[1]], j, 0.0));
        }
        for (i, j) in open(&self.before, a, false)
            .into_iter()
            .zip(open(&self.after, b, false))
        {
            self.take(Link::One(i, j, 0.0));
        }
    }
}
