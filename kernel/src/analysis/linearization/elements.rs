//! Control plane: stiffness and damping of each force element and flexible body by itself.

use crate::analysis::tangents::{Entry, OperatingPoint, SparseMatrix};
use crate::ids::{BodyId, ForceId};
use crate::linalg::entry;
use crate::system::stage::{Differentiated, Evaluated};
use crate::system::{KIND_WEIGHTS, flexible::FlexibleEntry, gradients, jacobian};
use alloc::vec::Vec;

/// An element that stores or dissipates energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementOf {
    /// A force element.
    Force(ForceId),
    /// The deformation of a flexible body.
    Flexible(BodyId),
}

/// The tangents of one element, in the numbering of all unknowns.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// Which element.
    pub of: ElementOf,
    /// Its part of K.
    pub positions: SparseMatrix,
    /// Its part of D.
    pub velocities: SparseMatrix,
}

/// All elements that resist displacements or velocities.
pub(super) fn all(point: &mut OperatingPoint) -> Vec<Element> {
    let mut parts: [Vec<Vec<Entry>>; 2] = [Vec::new(), Vec::new()];
    for (kind, parts) in parts.iter_mut().enumerate() {
        let OperatingPoint {
            system, state, ws, ..
        } = &mut *point;
        let mut matrix = system.matrix();
        let weights = &KIND_WEIGHTS[kind];
        let evaluated = Evaluated::kept(ws);
        gradients::evaluate(system, state, evaluated, weights);
        for f in 0..point.system.forces.len() {
            // The first force of an element has the tangents of them all.
            if point.system.forces[f].later {
                parts.push(Vec::new());
                continue;
            }
            let differentiated = &mut Differentiated::kept(&mut point.ws);
            jacobian::of_force(&point.system, (differentiated, weights), &mut matrix, f);
            parts.push(entries(point, &matrix));
        }
        parts.extend(flexibles(point, kind));
    }
    let [stiffness, damping] = parts;
    let forces = (0..point.system.forces.len()).map(|f| ElementOf::Force(ForceId::from(f)));
    let bodies = point.system.flexibles.iter();
    let bodies = bodies.map(|entry| ElementOf::Flexible(BodyId::from(entry.body)));
    let n = point.places.list.len();
    let matrix = |entries| SparseMatrix::new(n, n, entries);
    let both = stiffness.into_iter().zip(damping);
    let all = forces.chain(bodies).zip(both);
    all.map(|(of, (stiffness, damping))| Element {
        of,
        positions: matrix(stiffness),
        velocities: matrix(damping),
    })
    .filter(|element| {
        !(element.positions.entries.is_empty() && element.velocities.entries.is_empty())
    })
    .collect()
}

/// Modal stiffness (kind 0) and damping (kind 1).
fn flexibles(point: &OperatingPoint, kind: usize) -> Vec<Vec<Entry>> {
    let of = |entry: &FlexibleEntry| {
        let modes = 0..entry.element.modes;
        let pairs = modes
            .clone()
            .flat_map(|j| modes.clone().map(move |k| (j, k)));
        let value = |j: usize, k: usize| match kind {
            0 => entry.element.stiffness(j, k),
            _ if j == k => entry.element.damping(j),
            _ => 0.0,
        };
        let values = pairs.filter_map(|(j, k)| {
            Some(Entry {
                row: point.places.unknown(entry.row(j))?,
                column: point.places.unknown(entry.row(k))?,
                value: value(j, k),
            })
        });
        values.collect()
    };
    point.system.flexibles.iter().map(of).collect()
}

/// The entries of a matrix between unknowns that move.
pub(super) fn entries(point: &OperatingPoint, matrix: &crate::linalg::TileMatrix) -> Vec<Entry> {
    let (pattern, places) = (&point.system.pattern, &point.places);
    let mut found = Vec::new();
    for row_block in pattern.block_ids() {
        for (column_block, slot) in pattern.row(row_block) {
            let tile = matrix.tile(slot);
            for r in 0..pattern.size(row_block) {
                for c in 0..pattern.size(column_block) {
                    let value = tile[entry(r, c)];
                    if value == 0.0 {
                        continue;
                    }
                    let at = (places.at(row_block, r), places.at(column_block, c));
                    if let (Some(row), Some(column)) = at
                        && places.moves(row)
                        && places.moves(column)
                    {
                        found.push(Entry { row, column, value });
                    }
                }
            }
        }
    }
    found
}
