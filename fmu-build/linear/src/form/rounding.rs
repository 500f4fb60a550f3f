//! Finds the entries of outputs that consist only of rounding.
//!
//! Example: the tip of a hanging pendulum moves sideways. Its angle has an error of some ε, so the tip seems to move
//! up by that factor as well, and this entry of C would have peaks of its own.

use crate::sparse::Sparse;
use faer::Mat;
use fixstep_kernel::simulation::{Coordinate, Place};

/// An entry below this fraction of its terms is rounding error.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The size of the terms of outputs.
pub(super) struct Terms<'a> {
    places: &'a [Place],
    sizes: Mat<f64>,
}

impl<'a> Terms<'a> {
    pub(super) fn new(places: &'a [Place], (rows, columns): (usize, usize)) -> Self {
        Self {
            places,
            sizes: Mat::zeros(rows, columns),
        }
    }

    /// Adds the terms that these unknowns have in outputs; they move by the columns of `moved`. For a displacement,
    /// the length of the vector counts, whatever the axis, and likewise for rotations and joint reactions.
    pub(super) fn add(&mut self, rows: &Sparse, unknowns: &[usize], moved: &Mat<f64>) {
        let mut owners: Vec<Coordinate> = Vec::new();
        let own = unknowns.iter().map(|k| {
            let owner = owner(self.places[*k].coordinate);
            let known = owners.iter().position(|known| *known == owner);
            known.unwrap_or_else(|| {
                owners.push(owner);
                owners.len() - 1
            })
        });
        let own: Vec<usize> = own.collect();
        let mut most = Mat::<f64>::zeros(owners.len(), moved.ncols());
        for c in 0..moved.ncols() {
            for (r, owner) in own.iter().enumerate() {
                most[(*owner, c)] = most[(*owner, c)].max(moved[(r, c)].abs());
            }
        }
        for r in 0..rows.nrows() {
            for (k, slope) in rows.row(r) {
                for c in 0..moved.ncols() {
                    self.sizes[(r, c)] += slope.abs() * most[(own[*k], c)];
                }
            }
        }
    }

    /// Sets entries to zero that are rounding errors.
    pub(super) fn clear(&self, entries: &mut Mat<f64>) {
        for c in 0..entries.ncols() {
            for r in 0..entries.nrows() {
                if entries[(r, c)].abs() <= ROUNDING * self.sizes[(r, c)] {
                    entries[(r, c)] = 0.0;
                }
            }
        }
    }
}

/// The first of the unknowns with the same owner and kind.
fn owner(of: Coordinate) -> Coordinate {
    match of {
        Coordinate::Pose { body, direction } => Coordinate::Pose {
            body,
            direction: 3 * (direction / 3),
        },
        Coordinate::Multiplier { owner, .. } => Coordinate::Multiplier { owner, row: 0 },
        other => other,
    }
}
