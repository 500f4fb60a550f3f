//! Control plane: the analyses before the first step: assembly, redundancy, consistent velocities, accelerations and
//! multipliers.

pub mod accelerations;
pub mod assembly;
mod descent;
mod flexible;
pub mod freedoms;
pub mod instants;
pub mod linearization;
mod misfits;
pub mod no_start;
pub mod redundancy;
pub mod sensitivity;
pub mod shapes;
pub mod stability;
pub mod statics;
pub mod steady;
pub mod tangents;
pub mod velocities;

use crate::analysis::no_start::NoStart;
use crate::analysis::shapes::Shapes;
use crate::elements::kinematics::BodyKinematics;
use crate::elements::wrench::{Wrench, six};
use crate::linalg::Sequence;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::Vec3;
use crate::math::rotation::{Quaternion, left_tangent, log, matrix};
use crate::mechanism::Mechanism;
use crate::mechanism::called;
use crate::state::{State, vec3};
use crate::system::layout::BLOCK;
use crate::system::residual::{Level, approach, row_residual};
use crate::system::{Owner, RowLaw, System, eval};
use crate::workspace::Workspace;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A violation below this counts as met, in characteristic lengths, radians and their rates.
pub const ACCEPTED_VIOLATION: f64 = 1e-8;

/// What assembly keeps of one body: exact coordinates and prescribed changes.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// For a body whose origin is partly kept: its centre of mass relative to the origin, part
    /// axes. Its displacements are then those of the origin.
    pub origin: Option<Vec3>,
    /// For a body with exact angles: its start orientation. Its rotations are then changes of the rotation
    /// vector from there, whose components are kept one by one.
    pub turned_from: Option<Quaternion>,
    /// Prescribed changes of displacement and rotation, ground axes.
    pub change: [Option<f64>; BLOCK],
}

impl Kept {
    /// Converts a load about the centre of mass to one on the body's kept displacements and
    /// rotations.
    fn load(&self, load: &[f64; BLOCK], body: &BodyKinematics) -> [f64; BLOCK] {
        let (force, mut torque) = (vec3(load, 0), vec3(load, 3));
        if let Some(center) = &self.origin {
            torque += (body.rotation * center).cross(&force);
        }
        if let Some(begin) = &self.turned_from {
            let turned = log(&(body.rotation * matrix(begin).transpose()));
            torque = left_tangent(&turned).tr_mul(&torque);
        }
        six(&force, &torque)
    }
}

/// A system with its state and workspace, as the analyses before the first step use it.
pub struct Start<'a> {
    /// The model, for names.
    pub mechanism: &'a Mechanism,
    /// All rows, including redundant ones and initial conditions.
    pub system: &'a System,
    /// The state under construction.
    pub state: &'a mut State,
    /// Scratch.
    pub ws: &'a mut Workspace,
    /// Characteristic length \[m\].
    pub length: f64,
    /// What assembly keeps of each body.
    pub kept: Vec<Kept>,
    /// Whether the shapes of flexible bodies may change.
    pub shapes: Shapes,
    /// Factorisations that the passes of one loop share: the pivot order of one mostly suits the
    /// next.
    pub factors: Sequence,
}

/// Violations below this fraction of the largest are not reported.
const WORTH: f64 = 1e-6;

/// The name of a constraint group: `joint "hinge"`.
pub fn owner_name(mechanism: &Mechanism, owner: Owner) -> String {
    let (kind, name) = owner_parts(mechanism, owner);
    let name = called(name);
    match owner {
        Owner::Initial(_) => format!("the initial condition of {kind} {name}"),
        _ => format!("{kind} {name}"),
    }
}

/// Kind and name of the owner of a constraint group.
pub fn owner_parts(mechanism: &Mechanism, owner: Owner) -> (&'static str, &str) {
    match owner {
        Owner::Joint(j) | Owner::Initial(j) => ("joint", &mechanism.joints[j.index()].name),
        Owner::Coupler(c) => {
            let coupler = &mechanism.couplers[c.index()];
            let kind = if coupler.gear { "gear" } else { "coupler" };
            (kind, &coupler.name)
        }
        Owner::General(g) => {
            let constraint = &mechanism.general_constraints[g.index()];
            ("general constraint", &constraint.name)
        }
        Owner::Motion(m) => ("motion", &mechanism.motions[m.index()].name),
    }
}

/// The violation of a row that counts as one: a radian, or a characteristic length; for a general constraint,
/// its change when bodies move that far, by the gradient that the workspace holds.
pub fn row_size(system: &System, ws: &Workspace, length: f64, row: usize) -> f64 {
    let law = system.rows[row].law;
    let RowLaw::General { constraint, .. } = law else {
        let angular = law.is_angular() == Some(true);
        return if angular { 1.0 } else { length };
    };
    let entry = &system.generals[constraint.index()];
    let square = |(marker, leg): (&crate::ids::MarkerId, &Wrench)| {
        let load = leg.on_i(&ws.markers[marker.index()]);
        let (force, torque) = (vec3(&load, 0) * length, vec3(&load, 3));
        force.norm_squared() + torque.norm_squared()
    };
    let legs = &ws.generals[constraint.index()].legs;
    let sum: f64 = entry.markers.iter().zip(legs).map(square).sum();
    sum.sqrt().max(f64::MIN_POSITIVE)
}

impl Start<'_> {
    /// Targets of motions at the present kinematics; rate-driven motions keep their coordinate.
    fn targets(&mut self) {
        let time = self.state.time(&self.system.layout);
        let (system, ws) = (self.system, &mut *self.ws);
        let present: Vec<(f64, f64)> = (0..system.motions.len())
            .map(|m| {
                let entry = &system.motions[m];
                let coordinate = eval::motion_coordinate(system, ws, m);
                (entry.initial.0.unwrap_or(coordinate), entry.initial.1)
            })
            .collect();
        eval::targets(system, self.state, ws, time, |m| present[m]);
    }

    /// (row, Φ or Φ̇) of all rows. Inactive rows count as zero; rows that add up count in the
    /// first.
    fn row_residuals(&self, level: Level, active: &dyn Fn(usize) -> bool) -> Vec<(usize, f64)> {
        let (system, ws) = (self.system, &*self.ws);
        let mut all: Vec<(usize, f64)> = (0..system.rows.len()).map(|r| (r, 0.0)).collect();
        for group in &system.groups {
            let group = (group, &approach(ws, group));
            for (k, r) in group.0.rows.range().enumerate().filter(|(_, r)| active(*r)) {
                all[group.0.lead + k].1 += row_residual(system, ws, group, r, level);
            }
        }
        all
    }

    /// [`row_size`] of a row.
    fn row_size(&self, row: usize) -> f64 {
        row_size(self.system, self.ws, self.length, row)
    }

    /// Solves `min ½ δᵀWδ − wᵀδ` subject to `G δ = c`: `ws.rhs` holds (w, c) and receives (δ, −multipliers).
    /// `weights` per body: (linear, angular). Rows with `active = false` are left out.
    fn solve(
        &mut self,
        weights: &[(f64, f64)],
        active: &dyn Fn(usize) -> bool,
    ) -> Result<(), NoStart> {
        let (system, ws) = (self.system, &mut *self.ws);
        let mut diagonals = vec![0.0; ws.rhs.len()];
        ws.matrix.clear();
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(slot) = entry.slot.filter(|_| entry.flexible.is_none()) else {
                continue;
            };
            for k in 0..entry.dof {
                let (linear, angular) = weights[body];
                let weight = if k < 3 { linear } else { angular };
                let kept = self.kept[body].change[k];
                ws.matrix.add(slot, k, k, kept.map_or(weight, |_| 1.0));
                if let (Some(change), Some(block)) = (kept, entry.block) {
                    ws.rhs[block.offset() + k] = change;
                }
            }
        }
        self.add_shape_metric();
        let regularisation = self.shapes.regularisation();
        let ws = &mut *self.ws;
        let still = Kept::default();
        for group in &system.groups {
            let marker = ws.markers[group.i.index()];
            let (a, b) = (system.body_of(group.i), system.body_of(group.j));
            let arm = marker.p - ws.bodies[b].r;
            for (k, r) in group.rows.range().enumerate() {
                let unit: Wrench = ws.units[r];
                let mut diagonal = 0.0;
                let kept = |body: usize| self.kept.get(body).unwrap_or(&still);
                let loads = [(a, unit.on_i(&marker)), (b, unit.on_j(&arm))]
                    .map(|(body, load)| kept(body).load(&load, &ws.bodies[body]));
                for (side, body) in [a, b].into_iter().enumerate() {
                    let (Some(column), Some(row)) =
                        (group.slots.columns[side], group.slots.rows[side])
                    else {
                        continue;
                    };
                    let (linear, angular) = weights[system.owner(body)];
                    for c in 0..system.carrier(body).dof {
                        let weight = if c < 3 { linear } else { angular };
                        if let Some(change) = kept(body).change[c] {
                            ws.rhs[group.block.offset() + k] -= loads[side][c] * change;
                            continue;
                        }
                        diagonal += loads[side][c] * loads[side][c] / weight;
                        if active(r) {
                            ws.matrix.add(column, c, k, loads[side][c]);
                            ws.matrix.add(row, k, c, loads[side][c]);
                        }
                    }
                }
                if active(r) {
                    diagonals[group.block.offset() + k] += regularisation * diagonal;
                } else {
                    ws.rhs[group.block.offset() + k] = 0.0;
                }
            }
        }
        for group in system.groups.iter().filter(|group| !group.adds()) {
            for k in 0..group.rows.len {
                let own = diagonals[group.block.offset() + k];
                ws.matrix
                    .add(group.diagonal, k, k, if own > 0.0 { -own } else { -1.0 });
            }
        }
        self.condense_shapes(weights);
        self.factor_and_solve()
    }

    /// Solves with the matrix and the right-hand side in the workspace.
    fn factor_and_solve(&mut self) -> Result<(), NoStart> {
        let (system, ws) = (self.system, &mut *self.ws);
        crate::system::jacobian::hold_states(system, &mut ws.matrix);
        let solved = self.factors.solve(&system.pattern, &ws.matrix, &mut ws.rhs);
        solved.map_err(|_| NoStart::Singular)
    }

    /// The body's six unknowns of the solution.
    fn solution(&self, body: usize) -> [f64; BLOCK] {
        let at = self.system.bodies[body]
            .block
            .map_or(0, crate::linalg::BlockId::offset);
        let dof = self.system.bodies[body].dof;
        core::array::from_fn(|k| if k < dof { self.ws.rhs[at + k] } else { 0.0 })
    }

    /// The worst rows as text: `joint "a", translation along x of J, by 1.2e-3 mm`.
    fn worst_rows(&self, violation: &[(usize, f64)], rate: bool) -> String {
        let mut worst = violation.to_vec();
        worst.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
        let most = worst
            .iter()
            .fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
        let counts = |(_, value): &(usize, f64)| value.abs() > WORTH * most;
        let worst = worst.into_iter().filter(counts);
        let unit = &self.mechanism.units.length;
        let describe = |(r, value): (usize, f64)| {
            let row = &self.system.rows[r];
            let group = self
                .system
                .groups
                .iter()
                .find(|g| g.rows.range().contains(&r));
            let owner = group.map_or_else(String::new, |g| owner_name(self.mechanism, g.owner));
            let label = row.law.label();
            if let (false, Some(angle)) = (rate, row.law.angle(value)) {
                return format!("{owner}: {label} by {}", degrees(angle));
            }
            let (value, unit) = match (row.law, row.law.is_angular()) {
                (RowLaw::General { constraint, .. }, _) => {
                    let to_si = self.system.generals[constraint.index()].to_si;
                    (value / to_si, String::new())
                }
                (_, Some(true)) => (value, " rad".to_owned()),
                _ => (value / unit.factor, format!(" {}", unit.name)),
            };
            let per = if rate { "/s" } else { "" };
            format!("{owner}: {label} by {value:.3e}{unit}{per}")
        };
        worst.take(5).map(describe).collect::<Vec<_>>().join("; ")
    }
}

/// An angle \[rad\] as text in degrees: `90.00 degrees`.
fn degrees(angle: f64) -> String {
    let degrees = angle.to_degrees();
    if degrees.abs() < 0.01 {
        format!("{degrees:.3e} degrees")
    } else {
        format!("{degrees:.2} degrees")
    }
}
