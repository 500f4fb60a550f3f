//! The modes at one value of the parameter, in a form that can be compared with those at another value.
//!
//! The states may be other coordinates at another value. Right vectors are therefore expressed by all coordinates, w
//! = (δq, δv, z), and left vectors by rows that transform w to the states: x_q = R δq, x_v = R (δv − V_q x_q), R =
//! (Tᵀ M T)⁻¹ Tᵀ M.

use crate::eigen::{Balancing, NoRoots, Root, eigen};
use crate::form::{LinearForm, StateKind};
use crate::modes::{Inertia, Modes};
use crate::whirl::TurningParts;
use crate::words::Words;
use faer::linalg::solvers::Solve as _;
use faer::{Mat, c64};
use fixstep_kernel::simulation::Linearization;

/// Roots that differ by less than this fraction form a cluster.
const ALIKE: f64 = 1e-6;

/// The modes at one value.
#[derive(Clone, Debug)]
pub struct Station {
    /// The value of the parameter.
    pub value: f64,
    /// The roots, as [`crate::eigen::Eigen`] orders them.
    pub roots: Vec<Root>,
    /// Whirl of each mode with the turning parts, from −1 (backward) to 1 (forward); `None` if nothing turns or the
    /// mode is no pair.
    pub whirls: Vec<Option<f64>>,
    /// A description of what moves mostly, for each mode.
    pub words: Vec<String>,
    /// w, by columns.
    pub(super) right: Mat<c64>,
    /// Left vectors as rows: times w, 1 for the mode itself and 0 for others; zeros for zero or multiple roots.
    pub(super) left: Mat<c64>,
}

impl Station {
    /// The modes of a mechanism; `name` gives the name of a body.
    pub fn new(
        value: f64,
        (linearization, form): (&Linearization, &LinearForm),
        modes: &Modes,
        name: &dyn Fn(usize) -> String,
    ) -> Self {
        let whirls = TurningParts::of(linearization, form);
        let words = Words::of(linearization, form);
        let list = &modes.list;
        Self {
            value,
            roots: modes.eigen.roots.clone(),
            whirls: list
                .iter()
                .map(|mode| whirls.of_mode(&mode.shape).filter(|_| mode.root.is_pair()))
                .collect(),
            words: list
                .iter()
                .map(|mode| words.text(&mode.shape, name))
                .collect(),
            right: motion(form, &modes.eigen.right),
            left: readers(linearization, form, &modes.eigen.left),
        }
    }

    /// The modes of a matrix whose states are the same for all values.
    pub fn of_matrix(value: f64, a: &Mat<f64>) -> Result<Self, NoRoots> {
        let found = eigen(a, 0, Balancing::Auto)?;
        let count = found.roots.len();
        Ok(Self {
            value,
            whirls: vec![None; count],
            words: vec![String::new(); count],
            left: found.left.adjoint().to_owned(),
            right: found.right,
            roots: found.roots,
        })
    }

    /// The number of roots with a positive real part; pairs count once.
    pub fn unstable(&self) -> usize {
        self.roots.iter().filter(|root| root.value.re > 0.0).count()
    }

    /// Can a mode be distinguished from the others?
    pub(super) fn is_told(&self, mode: usize) -> bool {
        let none = c64::new(0.0, 0.0);
        !self.roots[mode].zero && self.left.row(mode).iter().any(|x| *x != none)
    }

    /// Groups of modes with equal roots, whose vectors may be combined freely.
    pub(super) fn clusters(&self) -> Vec<Vec<usize>> {
        let mut open: Vec<usize> = (0..self.roots.len()).filter(|k| self.is_told(*k)).collect();
        let mut found = Vec::new();
        while let Some(first) = open.first().copied() {
            let own = self.roots[first].value;
            let same = |k: &usize| {
                let other = self.roots[*k].value;
                (other - own).norm() <= ALIKE * own.norm() && (other.im == 0.0) == (own.im == 0.0)
            };
            let cluster: Vec<usize> = open.iter().copied().filter(same).collect();
            open.retain(|k| !cluster.contains(k));
            if cluster.len() > 1 {
                found.push(cluster);
            }
        }
        found
    }

    /// Combines the vectors of equal roots so that each continues a mode of a neighbour. Did anything change?
    pub(super) fn align(&mut self, with: &Self) -> bool {
        let mut any = false;
        for cluster in self.clusters() {
            let products = &Mat::from_fn(cluster.len(), self.left.ncols(), |r, c| {
                self.left[(cluster[r], c)]
            }) * &with.right;
            let share = |c: usize| -> f64 {
                let own =
                    (0..cluster.len()).map(|r| products[(r, c)] * with.reads(self, c, cluster[r]));
                own.fold(c64::new(0.0, 0.0), |sum, x| sum + x).norm()
            };
            let mut order: Vec<usize> =
                (0..with.roots.len()).filter(|c| with.is_told(*c)).collect();
            order.sort_by(|a, b| share(*b).total_cmp(&share(*a)));
            order.truncate(cluster.len());
            order.sort_unstable();
            let sound = order.len() == cluster.len() && order.iter().all(|c| share(*c) > 0.5);
            if sound {
                let size = cluster.len();
                self.turn(
                    &cluster,
                    &Mat::from_fn(size, size, |r, c| products[(r, order[c])]),
                );
                any = true;
            }
        }
        any
    }

    /// The share of a mode of another station in a mode of this one.
    fn reads(&self, other: &Self, own: usize, of: usize) -> c64 {
        let pairs = (0..self.left.ncols()).map(|k| self.left[(own, k)] * other.right[(k, of)]);
        pairs.fold(c64::new(0.0, 0.0), |sum, x| sum + x)
    }

    /// New vectors of a cluster: X G and G⁻¹ Y.
    fn turn(&mut self, cluster: &[usize], by: &Mat<c64>) {
        let (size, rows) = (cluster.len(), self.right.nrows());
        let right = Mat::from_fn(rows, size, |r, c| self.right[(r, cluster[c])]) * by;
        let left = Mat::from_fn(size, rows, |r, c| self.left[(cluster[r], c)]);
        let left = by.partial_piv_lu().solve(left);
        for (k, to) in cluster.iter().enumerate() {
            for r in 0..rows {
                self.right[(r, *to)] = right[(r, k)];
                self.left[(*to, r)] = left[(k, r)];
            }
        }
    }
}

/// A real matrix times a complex one.
fn times(real: &Mat<f64>, complex: &Mat<c64>) -> Mat<c64> {
    let part = |of: &dyn Fn(c64) -> f64| {
        real * Mat::from_fn(complex.nrows(), complex.ncols(), |r, c| of(complex[(r, c)]))
    };
    let (re, im) = (part(&|x| x.re), part(&|x| x.im));
    Mat::from_fn(re.nrows(), re.ncols(), |r, c| {
        c64::new(re[(r, c)], im[(r, c)])
    })
}

/// Right vectors w, from state vectors.
fn motion(form: &LinearForm, right: &Mat<c64>) -> Mat<c64> {
    let (shapes, n) = (&form.shapes, right.nrows());
    let (rows, others) = (shapes.positions.nrows(), other_states(form));
    let take = |of: &Mat<f64>| Mat::from_fn(rows, n, |r, c| of[(r, c)]);
    let positions = times(&take(&shapes.positions), right);
    let velocities = times(&take(&shapes.velocities), right);
    Mat::from_fn(2 * rows + others.len(), right.ncols(), |r, c| {
        if r < rows {
            positions[(r, c)]
        } else if r < 2 * rows {
            velocities[(r - rows, c)]
        } else {
            right[(others[r - 2 * rows], c)]
        }
    })
}

/// States of equations.
fn other_states(form: &LinearForm) -> Vec<usize> {
    let own = 2 * form.positions..form.own_states();
    own.filter(|k| form.states[*k].kind != StateKind::Position)
        .collect()
}

/// The map from free coordinates to all, and its left inverse in the metric of the masses.
fn inverted(inertia: &Inertia, map: &Mat<f64>) -> Mat<f64> {
    let (rows, f) = (map.nrows(), map.ncols());
    let mut weighed = Mat::<f64>::zeros(f, rows);
    for (r, c, m) in &inertia.entries {
        for k in 0..f {
            weighed[(k, *c)] += map[(*r, k)] * m;
        }
    }
    let own = &weighed * map;
    if f == 0 {
        weighed
    } else {
        own.partial_piv_lu().solve(&weighed)
    }
}

/// Left vectors as rows that act on w.
fn readers(linearization: &Linearization, form: &LinearForm, left: &Mat<c64>) -> Mat<c64> {
    let (shapes, f) = (&form.shapes, form.positions);
    let (rows, count) = (shapes.positions.nrows(), left.ncols());
    let (own, others) = (form.position_states(), other_states(form));
    let inertia = Inertia::of(linearization, &shapes.coordinates);
    let columns =
        |of: &Mat<f64>, list: &[usize]| Mat::from_fn(rows, list.len(), |r, c| of[(r, list[c])]);
    let back = inverted(&inertia, &columns(&shapes.positions, &own));
    let back_v = if own.len() == f {
        back.clone()
    } else {
        let rates: Vec<usize> = (f..2 * f).collect();
        inverted(&inertia, &columns(&shapes.velocities, &rates))
    };
    let drift = &back_v * columns(&shapes.velocities, &own);
    let part = |list: &[usize]| Mat::from_fn(list.len(), count, |r, c| left[(list[r], c)].conj());
    let rates: Vec<usize> = (f..2 * f).collect();
    let (of_q, of_v) = (part(&own), part(&rates));
    let drift = drift.transpose().to_owned();
    let lifted = &of_q - &times(&drift, &of_v);
    let (up, up_v) = (back.transpose().to_owned(), back_v.transpose().to_owned());
    let (by_q, by_v) = (times(&up, &lifted), times(&up_v, &of_v));
    Mat::from_fn(count, 2 * rows + others.len(), |r, c| {
        if c < rows {
            by_q[(c, r)]
        } else if c < 2 * rows {
            by_v[(c - rows, r)]
        } else {
            left[(others[c - 2 * rows], r)].conj()
        }
    })
}
