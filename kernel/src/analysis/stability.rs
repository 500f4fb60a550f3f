//! Control plane: decides whether an equilibrium is stable, by the inertia (signs of the eigenvalues) of its matrix.
//!
//! Where G has m independent rows, the symmetric matrix
//!
//! ```text
//! A = [ K  Gᵀ ]      negative eigenvalues of A = m + those of Zᵀ K Z,   G Z = 0
//!     [ G  0  ]                                                           (EQU-3)
//! ```
//! (Gould 1985). So if there are more than m, the potential energy has no minimum there. The scaling D A D, by masses
//! and lengths of rows, preserves the signs (Sylvester).

use crate::linalg::TileMatrix;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::state::State;
use crate::system::{System, residual};
use alloc::vec;
use alloc::vec::Vec;
use nalgebra::DMatrix;

/// Above this number of unknowns the check is too expensive.
const LARGEST: usize = 400;

/// Entries below this fraction of the largest stiffness are rounding.
const ROUNDING: f64 = 1e-12;

/// Number of directions in which the potential energy decreases; 0 for large mechanisms and for those without degrees
/// of freedom.
pub fn unstable_directions(system: &System, state: &State, matrix: &TileMatrix) -> usize {
    let mut place = vec![None; system.pattern.blocks()];
    let mut scale = Vec::new();
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        place[block.index()] = Some(scale.len());
        let inertia = residual::inertia(system, state, body);
        let angular = inertia.tensor.diagonal().min();
        for k in 0..entry.dof {
            scale.push(1.0 / if k < 3 { inertia.mass } else { angular }.sqrt());
        }
    }
    for entry in &system.flexibles {
        for (n, block) in entry.blocks[1..].iter().enumerate() {
            place[block.index()] = Some(scale.len());
            for j in 0..system.pattern.size(*block) {
                let mobility = entry.element.modal_mobility(crate::linalg::TILE * n + j);
                scale.push(mobility.sqrt());
            }
        }
    }
    let unknowns = scale.len();
    for group in &system.groups {
        place[group.block.index()] = Some(scale.len());
        scale.resize(scale.len() + group.rows.len, 1.0);
    }
    if scale.is_empty() || scale.len() > LARGEST {
        return 0;
    }
    let mut a = dense(system, matrix, place, scale.len());
    for (k, factor) in scale.iter().enumerate() {
        a.row_mut(k).scale_mut(*factor);
        a.column_mut(k).scale_mut(*factor);
    }
    // Rows of constraints are scaled to the largest stiffness, so that neither loses digits to the other.
    let stiffness = a.view((0, 0), (unknowns, unknowns)).amax();
    for k in unknowns..scale.len() {
        let length = a.row(k).norm();
        if length > 0.0 && stiffness > 0.0 {
            a.row_mut(k).scale_mut(stiffness / length);
            a.column_mut(k).scale_mut(stiffness / length);
        }
    }
    // The eigenvalue iteration would not end on numbers that are not finite.
    if !a.iter().all(|entry| entry.is_finite()) {
        return 0;
    }
    let eigenvalues = a.symmetric_eigenvalues();
    let below = |x: &&f64| **x < -ROUNDING * stiffness;
    let negative = eigenvalues.iter().filter(below).count();
    negative.saturating_sub(scale.len() - unknowns)
}

/// The symmetric part for bodies and multipliers, `n` unknowns. States of differential equations are eliminated: the
/// check is whether the bodies fall if the states follow them at once.
fn dense(
    system: &System,
    matrix: &TileMatrix,
    mut place: Vec<Option<usize>>,
    n: usize,
) -> DMatrix<f64> {
    let mut all = n;
    for entry in &system.equations {
        let place = &mut place[entry.block.index()];
        if place.is_none() {
            *place = Some(all);
            all += system.pattern.size(entry.block);
        }
    }
    let mut a = DMatrix::zeros(all, all);
    for row in system.pattern.block_ids() {
        let Some(r0) = place[row.index()] else {
            continue;
        };
        for (column, slot) in system.pattern.row(row) {
            let Some(c0) = place[column.index()] else {
                continue;
            };
            let tile = matrix.tile(slot);
            for r in 0..system.pattern.size(row) {
                for c in 0..system.pattern.size(column) {
                    a[(r0 + r, c0 + c)] += tile[crate::linalg::entry(r, c)];
                }
            }
        }
    }
    let own = a.view((n, n), (all - n, all - n)).into_owned();
    let mut reduced = a.view((0, 0), (n, n)).into_owned();
    if let Some(inverse) = own.try_inverse() {
        reduced -= a.view((0, n), (n, all - n)) * inverse * a.view((n, 0), (all - n, n));
    }
    (&reduced + reduced.transpose()) * 0.5
}
