//! Control plane: the velocity-dependent part of inertia: gyroscopic and centrifugal terms of a linear form.
//!
//! ```text
//! D_v = Ω~J − (J Ω)~,   K_v = −(Ω×J Ω)~                                       (LIN-80)
//! ```
//! for a rigid body, in ground axes; a flexible body has entries for its modes too. They are the derivatives of the
//! inertial forces at the state, less the same derivatives at zero velocity. −(J Ω)~ comes from the angular momentum.

use super::elements::entries;
use crate::analysis::tangents::{Entry, OperatingPoint, SparseMatrix, Tangents};
use crate::linalg::TILE;
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};
use crate::system::residual::{self, inertia};
use crate::system::stage::{Balanced, Evaluated};
use crate::system::{KIND_WEIGHTS, eval, jacobian};
use crate::workspace::Workspace;
use alloc::vec::Vec;

/// Velocity-dependent tangents of the bodies' inertial forces, in the numbering of all unknowns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gyroscopic {
    /// K_v.
    pub positions: SparseMatrix,
    /// D_v.
    pub velocities: SparseMatrix,
    /// −(J Ω)~, the part of D_v that comes from angular momentum.
    pub momentum: SparseMatrix,
}

/// Of all bodies.
pub(super) fn of_bodies(point: &OperatingPoint, tangents: &Tangents) -> Gyroscopic {
    let n = point.places.list.len();
    let mut parts = [0, 1].map(|kind| inertial(point, &mut point.ws.clone(), kind));
    let mut still = point.state.clone();
    still.span_mut(point.system.layout.velocity).fill(0.0);
    let mut ws = point.ws.clone();
    eval::kinematics_at_state(&point.system, &still, &mut ws);
    // The forces are those of the moving bodies, but only the loads within bodies are read.
    residual::motion(&point.system, &still, Evaluated::kept(&mut ws), 1.0);
    for (kind, part) in parts.iter_mut().enumerate() {
        let without = inertial(point, &mut ws, kind).into_iter();
        part.extend(without.map(|entry| Entry {
            value: -entry.value,
            ..entry
        }));
    }
    let [positions, velocities] = parts.map(|entries| SparseMatrix::new(n, n, entries));
    Gyroscopic {
        positions,
        velocities,
        momentum: SparseMatrix::new(n, n, momentum(point, tangents)),
    }
}

/// The derivatives of inertial forces in positions (kind 0) or velocities (kind 1).
fn inertial(point: &OperatingPoint, ws: &mut Workspace, kind: usize) -> Vec<Entry> {
    let mut matrix = point.system.matrix();
    let weights = &KIND_WEIGHTS[kind];
    let balanced = &mut Balanced::kept(ws);
    jacobian::of_inertia(&point.system, &point.state, balanced, &mut matrix, weights);
    entries(point, &matrix)
}

/// −(J Ω)~ of all bodies.
fn momentum(point: &OperatingPoint, tangents: &Tangents) -> Vec<Entry> {
    let (system, ws) = (&point.system, &point.ws);
    let mut found = Vec::new();
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block.filter(|_| entry.dof == TILE) else {
            continue;
        };
        let [Some(x), Some(y), Some(z)] = [0, 1, 2].map(|k| point.places.at(block, 3 + k)) else {
            continue;
        };
        let own = [x, y, z];
        let kinematics = &ws.bodies[body];
        let tensor = match entry.flexible {
            Some(_) => Mat3::from_fn(|r, c| tangents.accelerations.get(own[r], own[c])),
            None => {
                inertia(system, &point.state, body)
                    .in_ground(&kinematics.rotation)
                    .1
            }
        };
        let momentum: Vec3 = tensor * kinematics.omega;
        let term = -skew(&momentum);
        for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
            found.push(Entry {
                row: own[r],
                column: own[c],
                value: term[(r, c)],
            });
        }
    }
    found
}
