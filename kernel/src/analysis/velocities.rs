//! Control plane: consistent velocities at the start: given components exactly, all others as small as possible.
//!
//! ```text
//! min ½ (u − û)ᵀ W (u − û)   subject to   G u + Φ_t = 0                    (VEL-1)
//! ```
//! Components that the model gives have weight 1 (angular ones Lc²), the others `FREE` times that. The method of
//! multipliers makes the given components and the constraints exact where possible: each pass shifts û of a given
//! component by its remaining error and keeps the reactions of earlier passes.

use crate::analysis::no_start::NoStart;
use crate::analysis::{ACCEPTED_VIOLATION, Start};
use crate::ids::BodyId;
use crate::math::Vec3;
use crate::state::vec3;
use crate::system::eval;
use crate::system::residual::{Level, larger};
use crate::system::stage::Placed;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// Weight of a free component, relative to 1 of a given one.
const FREE: f64 = 1e-3;
/// Passes that shift the targets of given components. As many more then let the constraints converge, in case given
/// components contradict them.
const PASSES: usize = 30;
/// A relative error of a given velocity above this is reported.
const MISSED: f64 = 1e-6;
/// Errors below this fraction of the fastest motion are rounding, also for a given zero.
const ROUNDING: f64 = 1e-8;
/// Relative change and violation that end the passes.
const CONVERGED: f64 = 1e-14;

/// A given velocity that the joints do not allow.
#[derive(Clone, Debug, PartialEq)]
pub struct MissedVelocity {
    /// The body.
    pub body: BodyId,
    /// Its field in the model.
    pub field: &'static str,
    /// The given value and the result, as text.
    pub text: String,
}

/// Velocity and angular velocity that the model gives a body, ground axes.
pub type Given = (Option<Vec3>, Option<Vec3>);

impl Start<'_> {
    /// Sets velocities that satisfy all constraints. Returns every given velocity that the joints do not allow.
    pub fn project_velocities(&mut self) -> Result<Vec<MissedVelocity>, NoStart> {
        let bodies = self.system.bodies.len();
        let given: Vec<_> = (0..bodies).map(|b| self.given(b)).collect();
        if self.system.flexibles.is_empty() {
            self.approach_given(&given)?;
        } else {
            self.project_with_shapes(&given)?;
        }
        self.check_velocities()?;
        Ok(self.missed_velocities(&given))
    }

    /// Runs the passes of (VEL-1).
    pub(super) fn approach_given(&mut self, given: &[Given]) -> Result<(), NoStart> {
        let inertia = self.length * self.length;
        let weight = |v: &Option<Vec3>| if v.is_some() { 1.0 } else { FREE };
        let weights: Vec<(f64, f64)> = given
            .iter()
            .map(|(v, w)| (weight(v), inertia * weight(w)))
            .collect();
        let zero = Vec3::zeros();
        let mut wanted: Vec<(Vec3, Vec3)> = given
            .iter()
            .map(|(v, w)| (v.unwrap_or(zero), w.unwrap_or(zero)))
            .collect();
        let mut multipliers = vec![0.0; self.ws.rhs.len()];
        let mut settling = false;
        for pass in 0..2 * PASSES {
            let before: Vec<_> = self.ws.bodies.iter().map(|b| (b.v, b.omega)).collect();
            self.velocity_pass(&weights, &wanted, &mut multipliers)?;
            let (change, size) = self.changed(&before);
            // Targets that diverge from what the constraints allow leave the velocities unchanged.
            let still = change <= CONVERGED * size;
            if still && settling {
                break;
            }
            settling |= still || pass >= PASSES;
            if settling {
                continue;
            }
            for (body, (v, w)) in given.iter().enumerate() {
                let (linear, angular) = (self.ws.bodies[body].v, self.ws.bodies[body].omega);
                if let Some(v) = v {
                    wanted[body].0 += v - linear;
                }
                if let Some(w) = w {
                    wanted[body].1 += w - angular;
                }
            }
        }
        Ok(())
    }

    /// The largest change of velocities, and their size. Lengths are in characteristic lengths, but in metres if no
    /// body is flexible: rigid mechanisms of any size converge in few passes.
    pub(super) fn changed(&self, before: &[(Vec3, Vec3)]) -> (f64, f64) {
        let rigid = self.system.flexibles.is_empty();
        let unit = if rigid { 1.0 } else { self.length };
        let (mut change, mut size) = (0.0, 1e-300);
        for (body, (v, w)) in self.ws.bodies.iter().zip(before) {
            let travelled = (body.v - v).norm() / unit;
            change = larger(larger(change, travelled), (body.omega - w).norm());
            size = larger(larger(size, body.v.norm() / unit), body.omega.norm());
        }
        (change, size)
    }

    /// Updates the workspace after another analysis changed the state.
    pub fn revisit(&mut self) {
        self.velocity_violations();
    }

    /// Given velocities that the constraints do not allow.
    fn missed_velocities(&self, given: &[Given]) -> Vec<MissedVelocity> {
        let mut missed = Vec::new();
        let units = &self.mechanism.units;
        let quantities = [
            (
                "velocity",
                "velocity",
                units.length.factor / units.time.factor,
            ),
            (
                "angular_velocity",
                "angular velocity",
                units.angle.factor / units.time.factor,
            ),
        ];
        let fastest = self.ws.bodies.iter().fold(0.0, |fastest, body| {
            larger(
                fastest,
                larger(body.v.norm(), body.omega.norm() * self.length),
            )
        });
        let floors = [fastest, fastest / self.length].map(|speed| ROUNDING * speed);
        for (body, (v, w)) in given.iter().enumerate() {
            if self.system.bodies[body].block.is_none() {
                continue;
            }
            let found = [self.ws.bodies[body].v, self.ws.bodies[body].omega];
            for (k, wanted) in [v, w].into_iter().enumerate() {
                let Some(wanted) = wanted else { continue };
                let scale = larger(wanted.norm(), found[k].norm());
                if (found[k] - wanted).norm() > larger(MISSED * scale, floors[k]) {
                    let (field, name, unit) = quantities[k];
                    let show = |x: &Vec3| {
                        let [a, b, c] = [x.x / unit, x.y / unit, x.z / unit];
                        format!("({a:.6}, {b:.6}, {c:.6})")
                    };
                    let text = format!(
                        "the initial {name} {} does not fit the joints, motions and other \
                         velocities; it starts with {}",
                        show(wanted),
                        show(&found[k])
                    );
                    missed.push(MissedVelocity {
                        body: BodyId::from(body),
                        field,
                        text,
                    });
                }
            }
        }
        missed
    }

    /// Velocities that the model gives a body, ground axes.
    fn given(&self, body: usize) -> Given {
        let b = &self.mechanism.bodies[BodyId::from(body).index()];
        (b.velocity, b.angular_velocity)
    }

    fn velocity_pass(
        &mut self,
        weights: &[(f64, f64)],
        wanted: &[(Vec3, Vec3)],
        multipliers: &mut [f64],
    ) -> Result<(), NoStart> {
        let rates = self.velocity_violations();
        self.ask(&rates);
        for (body, entry) in self.system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let kinematics = &self.ws.bodies[body];
            let linear = (wanted[body].0 - kinematics.v) * weights[body].0;
            let angular = (wanted[body].1 - kinematics.omega) * weights[body].1;
            let load = crate::elements::wrench::six(&linear, &angular);
            self.ws.rhs[block.offset()..block.offset() + entry.dof]
                .copy_from_slice(&load[..entry.dof]);
        }
        self.want_modal_rates();
        self.subtract_reactions(multipliers);
        self.take_rates(weights, multipliers)
    }

    /// Solves for changes of velocities, adds them, and adds the reactions to those of earlier passes.
    pub(super) fn take_rates(
        &mut self,
        weights: &[(f64, f64)],
        multipliers: &mut [f64],
    ) -> Result<(), NoStart> {
        let rows = &self.system.rows;
        self.solve(weights, &|r| rows[r].stage.velocity)?;
        for (sum, change) in multipliers.iter_mut().zip(&self.ws.rhs) {
            *sum += change;
        }
        let layout = &self.system.layout;
        for body in 0..self.system.bodies.len() {
            if self.system.bodies[body].block.is_none() {
                continue;
            }
            let s = self.solution(body);
            let kinematics = &self.ws.bodies[body];
            let v = kinematics.v + vec3(&s, 0);
            let w = kinematics
                .rotation
                .tr_mul(&(kinematics.omega + vec3(&s, 3)));
            self.state.set_rates(layout.velocity, body, &v, &w);
        }
        self.change_modal_rates();
        eval::kinematics_at_state(self.system, self.state, self.ws);
        Ok(())
    }

    /// Subtracts Gᵀμ of earlier passes, so that the regularisation acts only on the change of the reactions.
    pub(super) fn subtract_reactions(&mut self, multipliers: &[f64]) {
        for group in &self.system.groups {
            let marker = self.ws.markers[group.i.index()];
            let bodies = [group.i, group.j].map(|m| self.system.body_of(m));
            let arm = marker.p - self.ws.bodies[bodies[1]].r;
            for (k, r) in group.rows.range().enumerate() {
                let mu = multipliers[group.block.offset() + k];
                let unit = self.ws.units[r];
                for (body, load) in bodies.iter().zip([unit.on_i(&marker), unit.on_j(&arm)]) {
                    let carrier = self.system.carrier(*body);
                    let Some(block) = carrier.block else { continue };
                    for c in 0..carrier.dof {
                        self.ws.rhs[block.offset() + c] -= load[c] * mu;
                    }
                }
            }
        }
    }

    /// (row, Φ̇) of all rows. Inactive rows count as zero; rows that add up count in the first.
    pub(super) fn velocity_violations(&mut self) -> Vec<(usize, f64)> {
        let system = self.system;
        eval::kinematics_at_state(system, self.state, self.ws);
        self.targets();
        eval::constraint_wrenches(system, self.state, Placed::kept(self.ws));
        let rows = &system.rows;
        self.row_residuals(Level::Velocity, &|r| rows[r].stage.velocity)
    }

    fn check_velocities(&mut self) -> Result<(), NoStart> {
        let violations = self.velocity_violations();
        let mut speed = 1.0;
        for body in &self.ws.bodies {
            speed = larger(larger(speed, body.v.norm() / self.length), body.w.norm());
        }
        let scaled = |(r, rate): &(usize, f64)| rate.abs() / (self.row_size(*r) * speed);
        let worst = violations.iter().map(scaled).fold(0.0, larger);
        if worst > ACCEPTED_VIOLATION || !worst.is_finite() {
            let held = match self.system.freedoms() {
                0 => {
                    "; joints and motions hold every freedom of the mechanism: one of them may be too many"
                }
                _ => "",
            };
            let rows = self.worst_rows(&violations, true);
            return Err(NoStart::Velocities { rows, held });
        }
        Ok(())
    }
}
