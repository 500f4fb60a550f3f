//! Computes H at 0 Hz, where zero roots make (s − A) singular and rates of driven displacements have no bound.
//!
//! The zeros are removed one after another (LIN-21). Let w = x_d − V_d x_f, and R the right-hand side of (s − A) x =
//! R:
//!
//! ```text
//! w = Σ w_k s^k,   A' w_k = w_(k−1) − R'_k,   R' = R_d − V_d R_f,   x_f = (A_fd w + R_f) / s              (LIN-43)
//! ```
//! with a regular A'. A response is bounded if its terms of negative k vanish; it is then the term of k = 0.

use super::Ports;
use crate::eigen::balance::{scaled, scales, without_tiny};
use crate::eigen::deflate::{Deflation, levels};
use faer::linalg::solvers::Solve;
use faer::{Mat, c64};

/// A sum below this fraction of its terms is rounding error.
const ROUNDING: f64 = 1e-10;
/// The same relative to all terms that it could have.
const NOTHING: f64 = 1e-13;
/// No response yet.
const NONE: c64 = c64::new(0.0, 0.0);

/// Coefficients of consecutive powers of s, from the first one on.
struct Series {
    rows: usize,
    columns: usize,
    first: i32,
    terms: Vec<Mat<f64>>,
}

impl Series {
    /// The last power.
    fn last(&self) -> i32 {
        self.first + self.terms.len() as i32 - 1
    }

    /// The coefficient of a power.
    fn at(&self, power: i32) -> Mat<f64> {
        let found = usize::try_from(power - self.first).ok();
        let found = found.and_then(|k| self.terms.get(k)).cloned();
        found.unwrap_or_else(|| Mat::zeros(self.rows, self.columns))
    }

    /// The same powers with other coefficients.
    fn with(&self, terms: Vec<Mat<f64>>) -> Self {
        Self {
            rows: terms.first().map_or(0, Mat::nrows),
            terms,
            ..*self
        }
    }
}

/// The quantities from which responses at 0 Hz follow, in the unscaled states.
#[derive(Clone, Debug)]
pub(super) struct Still {
    a: Mat<f64>,
    positions: usize,
    ports: Ports<f64>,
}

/// W and the factors of inputs, as powers of s: exponents and derivatives.
pub(super) struct Told<'a> {
    /// Rows of driven displacements and their rates: inputs, exponents and derivatives.
    pub(super) driven: &'a [Vec<(usize, i32, f64)>],
    /// The exponent of the factor of each input.
    pub(super) powers: &'a [i32],
    /// Columns of C for driven displacements, and D.
    pub(super) shown: &'a Mat<f64>,
    pub(super) direct: &'a Mat<f64>,
}

impl Still {
    pub(super) fn new(a: &Mat<f64>, positions: usize, ports: Ports<f64>) -> Self {
        Self {
            a: without_tiny(a),
            positions,
            ports,
        }
    }

    /// A row for each output, a column for each input; unbounded entries are infinite.
    pub(super) fn response(&self, told: &Told<'_>) -> Mat<c64> {
        let (levels, rest) = levels(&self.a, self.positions);
        let own = Terms(&self.ports.inputs, &self.ports.given);
        let given = own.series(told, levels.len() as i32);
        let states = solved(&levels, &rest, &given, &scales(&self.a));
        let direct = Terms(told.direct, told.shown).series(told, 0);
        let outputs = &self.ports.outputs;
        let mut all = Mat::zeros(outputs.nrows(), told.powers.len());
        for power in states.first.min(direct.first)..=0 {
            let (states, direct) = (states.at(power), direct.at(power));
            let shown = outputs * &states + &direct;
            let most = sizes(outputs) * sizes(&states) + sizes(&direct);
            for c in 0..all.ncols() {
                for r in 0..all.nrows() {
                    let value: f64 = shown[(r, c)];
                    let vanishes = value.abs() <= ROUNDING * most[(r, c)];
                    if power == 0 && all[(r, c)] == NONE {
                        all[(r, c)] = c64::new(value, 0.0);
                    } else if power < 0 && !vanishes {
                        all[(r, c)] = c64::new(f64::INFINITY, 0.0);
                    }
                }
            }
        }
        all
    }
}

/// The direct effect of inputs, and that by the displacements that they prescribe.
struct Terms<'a>(&'a Mat<f64>, &'a Mat<f64>);

impl Terms<'_> {
    /// By powers of s, up to the last one that is needed.
    fn series(&self, told: &Told<'_>, last: i32) -> Series {
        let driven = told.driven.iter().flatten().map(|(_, power, _)| *power);
        let first = told.powers.iter().copied().chain(driven).fold(0, i32::min);
        let (rows, columns) = (self.0.nrows(), told.powers.len());
        let none = |_| Mat::zeros(rows, columns);
        let mut terms: Vec<Mat<f64>> = (first..=last).map(none).collect();
        let mut add = |power: i32, column: usize, from: faer::ColRef<'_, f64>, by: f64| {
            if let Some(term) = terms.get_mut((power - first) as usize) {
                for r in 0..term.nrows() {
                    term[(r, column)] += by * from[r];
                }
            }
        };
        for (c, power) in told.powers.iter().enumerate() {
            add(*power, c, self.0.col(c), 1.0);
        }
        for (row, all) in told.driven.iter().enumerate() {
            for (c, power, slope) in all {
                add(*power, *c, self.1.col(row), *slope);
            }
        }
        Series {
            rows,
            columns,
            first,
            terms,
        }
    }
}

/// The states by powers of s, from the innermost level outwards; `weight` makes states comparable.
fn solved(levels: &[Deflation], rest: &Mat<f64>, given: &Series, weight: &[f64]) -> Series {
    let Some((level, inner)) = levels.split_first() else {
        return regular(rest, given);
    };
    let parts = given.terms.iter().map(|term| level.driven(term));
    let (own, fed): (Vec<Mat<f64>>, Vec<Mat<f64>>) = parts.unzip();
    let (own, fed) = (given.with(own), given.with(fed));
    let weight: Vec<f64> = level.kept.iter().map(|k| weight[*k]).collect();
    let w = solved(inner, rest, &own, &weight);
    let first = w.first - 1;
    let terms = (first..w.last()).map(|power| {
        let (next, fed) = (w.at(power + 1), fed.at(power + 1));
        let mut flow = level.feed() * &next + &fed;
        if power < 0 {
            clear(&mut flow, level.feed(), (&next, &fed), &weight);
        }
        level.whole(&w.at(power), &flow)
    });
    Series {
        rows: level.kept.len() + level.free.len(),
        columns: w.columns,
        terms: terms.collect(),
        first,
    }
}

/// The same for a regular matrix.
fn regular(a: &Mat<f64>, given: &Series) -> Series {
    let n = a.nrows();
    let scale = scales(a);
    let factor = scaled(a, &scale).partial_piv_lu();
    let mut last = Mat::zeros(n, given.columns);
    let mut terms = Vec::new();
    for term in &given.terms {
        let right = Mat::from_fn(n, given.columns, |r, c| {
            (last[(r, c)] - term[(r, c)]) * scale[r]
        });
        if n > 0 {
            let found = factor.solve(&right);
            last = Mat::from_fn(n, given.columns, |r, c| found[(r, c)] / scale[r]);
        }
        terms.push(last.clone());
    }
    given.with(terms)
}

/// Sets rounding errors in A_fd w + R_f to zero.
fn clear(flow: &mut Mat<f64>, feed: &Mat<f64>, (w, fed): (&Mat<f64>, &Mat<f64>), weight: &[f64]) {
    let terms = sizes(feed) * sizes(w) + sizes(fed);
    for c in 0..flow.ncols() {
        let most = (0..w.nrows()).fold(0.0_f64, |most, r| most.max(weight[r] * w[(r, c)].abs()));
        for r in 0..flow.nrows() {
            let all = (0..w.nrows()).map(|k| feed[(r, k)].abs() * most / weight[k]);
            let all = all.sum::<f64>() + fed[(r, c)].abs();
            if flow[(r, c)].abs() <= (ROUNDING * terms[(r, c)]).max(NOTHING * all) {
                flow[(r, c)] = 0.0;
            }
        }
    }
}

/// Magnitudes.
fn sizes(of: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(of.nrows(), of.ncols(), |r, c| of[(r, c)].abs())
}
