//! Control plane: position assembly: finds the nearest poses that satisfy all constraints.
//!
//! Gauss–Newton on
//!
//! ```text
//! min ½ δᵀWδ   subject to   G δ = −Φ      W = diag(w, w Lc²) per body      (ASM-1)
//! min ½ (x + δ − x₀)ᵀW(x + δ − x₀)   subject to   G δ = −Φ                 (ASM-2)
//! ```
//! (ASM-1) runs until the constraints hold. (ASM-2) then moves the bodies to the closed poses nearest to x₀, the
//! poses of the model. Flexible bodies keep their shapes; if rigid motion cannot close the joints, [`super::shapes`]
//! deforms them. The rows are slightly regularised, so that redundant but consistent rows need no special case (see
//! Nikravesh, *Computer-Aided Analysis of Mechanical Systems*, 1988).

use crate::analysis::descent::Goal;
use crate::analysis::no_start::NoStart;
use crate::analysis::shapes::{Progress, Shapes};
use crate::analysis::{ACCEPTED_VIOLATION, Kept, Start};
use crate::elements::wrench::six;
use crate::math::Vec3;
use crate::math::rotation::{
    Quaternion, exp_quaternion, log_quaternion, matrix, multiply, normalized,
};
use crate::mechanism::called;
use crate::state::{State, vec3};
use crate::system::residual::{Level, larger};
use crate::system::stage::Placed;
use crate::system::{Owner, RowTarget, curves, eval};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Iteration limit; beyond it assembly fails.
const ITERATIONS: usize = 80;
/// Limit on passes; each prescribes the remaining error of exact angles anew and closes the joints
/// again.
const PASSES: usize = 30;
/// Distances from the start pose below this count as zero [characteristic lengths].
const NEAR: f64 = 1e-7;
/// Largest violation at which constraints count as closed in the model's own poses [characteristic
/// lengths, rad].
const SHOWN: f64 = 1e-6;
/// Largest rotation of a body in one iteration \[rad\].
const TURN: f64 = 0.4;

/// Goal of the descent: the distance from the start pose.
struct Distance<'a> {
    begin: &'a State,
}

impl Goal for Distance<'_> {
    const MOST_STALLED: usize = 1;

    fn value(&self, start: &Start<'_>) -> f64 {
        start.distance(self.begin)
    }

    fn write_direction(&self, start: &mut Start<'_>, _: &[(usize, f64)]) {
        let weights = start.assembly_weights();
        start.ws.rhs.fill(0.0);
        for (body, entry) in start.system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let moved = six(
                &start.moved(self.begin, body),
                &start.turned(self.begin, body),
            );
            for (k, moved) in moved.iter().enumerate().take(entry.dof) {
                let (linear, angular) = weights[body];
                let weight = if k < 3 { linear } else { angular };
                start.ws.rhs[block.offset() + k] = -weight * moved;
            }
        }
    }
}

impl Start<'_> {
    /// Moves the bodies to assembled poses.
    pub fn assemble(&mut self) -> Result<(), NoStart> {
        let rows = &self.system.rows;
        let motions = &self.system.motions;
        let active = |r: usize| position_active(&rows[r], motions);
        let begin = self.state.clone();
        let worst = self.close_keeping(&begin, &active)?;
        let worst = self.bend(&begin, &active, worst)?;
        if worst > ACCEPTED_VIOLATION {
            let violations = self.position_violations(&active);
            let rows = self.worst_rows(&violations, false);
            let taking_part: Vec<bool> = (0..self.system.rows.len()).map(&active).collect();
            return Err(NoStart::NotAssembled {
                rows,
                misfits: self.misfits(&begin, &taking_part),
                exact: self.exact_parts(),
            });
        }
        if self.shapes == Shapes::Held {
            self.approach(&begin, &active)?;
        } else {
            self.minimize_strain_energy(&begin, &active)?;
        }
        eval::kinematics_at_state(self.system, self.state, self.ws);
        self.shapes = Shapes::Held;
        self.kept.fill(Kept::default());
        Ok(())
    }

    /// Do the constraints hold at the model's poses, initial conditions aside?
    pub fn is_closed_as_shown(&mut self) -> bool {
        let begin = self.state.clone();
        let system = self.system;
        let by_motion = |row: &crate::system::Row| match row.target {
            RowTarget::Motion(m) => system.motions[m.index()].initial.0.is_some(),
            RowTarget::Constant(..) => false,
        };
        let mut asked: Vec<bool> = system.rows.iter().map(by_motion).collect();
        for group in &system.groups {
            if let Owner::Initial(_) = group.owner {
                asked[group.rows.range()].fill(true);
            }
        }
        let active = |r: usize| !asked[r] && position_active(&system.rows[r], &system.motions);
        let violations = self.position_violations(&active);
        let worst = self.scaled_worst(&violations);
        self.state.copy_from(&begin);
        worst <= SHOWN
    }

    /// [`Self::close`], with the exact coordinates of the bodies kept at their start values.
    pub(super) fn close_keeping(
        &mut self,
        begin: &State,
        active: &dyn Fn(usize) -> bool,
    ) -> Result<f64, NoStart> {
        for (kept, body) in self.kept.iter_mut().zip(&self.mechanism.bodies) {
            let moves = body.exact[..3].contains(&true);
            kept.origin = moves.then_some(body.center_of_mass);
        }
        for (k, body) in self.mechanism.bodies.iter().enumerate() {
            let turns = body.exact[3..].contains(&true);
            let at = || begin.quaternion(&self.system.layout, k);
            self.kept[k].turned_from = turns.then(at);
        }
        let mut worst = f64::INFINITY;
        for _ in 0..PASSES {
            let before = worst;
            self.prescribe(begin);
            worst = self.close(active)?;
            let turned = self.prescribe(begin);
            worst = larger(worst, turned);
            let in_vain = self.holds_shapes() && worst > 0.99 * before;
            if (worst <= ACCEPTED_VIOLATION || in_vain) && turned <= 1e-15 {
                break;
            }
        }
        Ok(worst)
    }

    /// Prescribes that exact angles return to their start values; returns the largest error among them. Exact
    /// coordinates of origins need no such correction.
    pub(super) fn prescribe(&mut self, begin: &State) -> f64 {
        let mut worst = 0.0;
        for body in 0..self.system.bodies.len() {
            let turned = self.turned(begin, body);
            for (k, exact) in self.mechanism.bodies[body].exact.iter().enumerate() {
                let off = if k < 3 { 0.0 } else { turned[k - 3] };
                self.kept[body].change[k] = exact.then_some(-off);
                if *exact {
                    worst = larger(worst, off.abs());
                }
            }
        }
        worst
    }

    /// Rotation vector of a body from the start pose, ground axes.
    fn turned(&self, begin: &State, body: usize) -> Vec3 {
        let layout = &self.system.layout;
        let now = self.state.quaternion(layout, body);
        turn(&begin.quaternion(layout, body), &now)
    }

    /// Moves the closed bodies to the nearest closed poses, (ASM-2).
    fn approach(&mut self, begin: &State, active: &dyn Fn(usize) -> bool) -> Result<(), NoStart> {
        if self.distance(begin) <= NEAR * NEAR {
            return Ok(());
        }
        self.descend(&mut Distance { begin }, begin, active)
    }

    /// Displacement of a body's centre of mass from the start pose, or of its origin if that is partly kept.
    fn moved(&self, begin: &State, body: usize) -> Vec3 {
        let layout = &self.system.layout;
        let place = |state: &State| {
            let center = self.kept[body].origin.unwrap_or_default();
            state.position(layout, body) - state.rotation(layout, body) * center
        };
        place(self.state) - place(begin)
    }

    /// Weighted squared distance from the start pose, in characteristic lengths.
    fn distance(&self, begin: &State) -> f64 {
        let mut sum = 0.0;
        for (body, (linear, angular)) in self.assembly_weights().iter().enumerate() {
            if self.system.bodies[body].block.is_some() {
                sum += linear * self.moved(begin, body).norm_squared();
                sum += angular * self.turned(begin, body).norm_squared();
            }
        }
        sum / (self.length * self.length)
    }

    /// W of (ASM-1). While shapes deform, the distance from the model's poses has no weight.
    pub(super) fn assembly_weights(&self) -> Vec<(f64, f64)> {
        let angular = self.length * self.length;
        let near = self.shapes == Shapes::Held;
        let of = |body: &crate::mechanism::Body| {
            let weight = if near { body.weight } else { 1.0 };
            (weight, weight * angular)
        };
        self.mechanism.bodies.iter().map(of).collect()
    }

    /// The parts with exact coordinates, for messages.
    fn exact_parts(&self) -> String {
        let bodies = self.mechanism.bodies.iter();
        let exact = bodies.filter(|b| b.exact.contains(&true));
        let names: Vec<String> = exact.map(|b| called(&b.name)).collect();
        if names.is_empty() {
            return String::new();
        }
        format!(
            "; and the exact start coordinates of the parts {} against all of these",
            names.join(", ")
        )
    }

    /// Moves the bodies until the active rows hold; returns the largest remaining scaled violation.
    pub(super) fn close(&mut self, active: &dyn Fn(usize) -> bool) -> Result<f64, NoStart> {
        let weights = self.assembly_weights();
        let mut previous = f64::INFINITY;
        let mut progress = Progress::default();
        self.factors.forget();
        for _ in 0..ITERATIONS {
            let violations = self.position_violations(active);
            let worst = self.scaled_worst(&violations);
            if !worst.is_finite() {
                return Err(NoStart::NotFinite);
            }
            let pending = self.kept.iter().flat_map(|k| k.change).flatten();
            let pending = pending.fold(0.0, |a: f64, x| larger(a, x.abs()));
            if pending <= 1e-15 && worst <= 1e-15
                || (pending <= 1e-15 && worst < 1e-10 && worst > 0.3 * previous)
            {
                break;
            }
            if self.holds_shapes() && pending <= 1e-15 && progress.has_ended(worst) {
                break;
            }
            previous = worst;
            self.ask(&violations);
            self.solve(&weights, active)?;
            self.move_bodies(1.0);
            for change in self.kept.iter_mut().flat_map(|k| &mut k.change).flatten() {
                *change = 0.0;
            }
        }
        let violations = self.position_violations(active);
        Ok(self.scaled_worst(&violations))
    }

    /// Updates the kinematics and returns (row, Φ) of all rows. Inactive rows count as zero; rows that add up count
    /// in the first.
    pub(super) fn position_violations(
        &mut self,
        active: &dyn Fn(usize) -> bool,
    ) -> Vec<(usize, f64)> {
        let (system, state) = (self.system, &*self.state);
        eval::kinematics_at_state(system, state, self.ws);
        eval::settings(system, state, self.ws, state.time(&system.layout));
        self.targets();
        eval::constraint_wrenches(system, self.state, Placed::kept(self.ws));
        curves::keep(system, self.state, self.ws);
        self.row_residuals(Level::Position, active)
    }

    /// Largest violation, with lengths in characteristic lengths.
    fn scaled_worst(&self, violations: &[(usize, f64)]) -> f64 {
        let scaled = |(r, phi): &(usize, f64)| phi.abs() / self.row_size(*r);
        violations
            .iter()
            .map(scaled)
            .fold(0.0, crate::system::residual::larger)
    }

    /// Applies a fraction of the solution, cut so that no body turns or travels too far at once.
    pub(super) fn move_bodies(&mut self, share: f64) {
        let mut factor = 1.0_f64;
        for body in 0..self.system.bodies.len() {
            let s = self.solution(body);
            let turn = vec3(&s, 3).norm();
            let travel = vec3(&s, 0).norm() / (4.0 * self.length);
            factor = factor.min(TURN / turn.max(TURN)).min(1.0 / travel.max(1.0));
        }
        self.displace_bodies(share * factor);
    }

    /// Applies `factor` times the solution to the bodies.
    pub(super) fn displace_bodies(&mut self, factor: f64) {
        let layout = &self.system.layout;
        for body in 0..self.system.bodies.len() {
            if self.system.bodies[body].block.is_none() {
                continue;
            }
            let s = self.solution(body);
            let (dx, psi): (Vec3, Vec3) = (vec3(&s, 0) * factor, vec3(&s, 3) * factor);
            let center = self.kept[body].origin.unwrap_or_default();
            let origin =
                self.state.position(layout, body) - self.state.rotation(layout, body) * center;
            let now = self.state.quaternion(layout, body);
            let q = normalized(&match &self.kept[body].turned_from {
                Some(begin) => multiply(&exp_quaternion(&(turn(begin, &now) + psi)), begin),
                None => multiply(&exp_quaternion(&psi), &now),
            });
            let r = origin + dx + matrix(&q) * center;
            self.state.set_pose(layout, body, &r, &q);
        }
        self.displace_modes(factor);
    }
}

/// The rotation vector from one orientation to another, ground axes.
fn turn(begin: &Quaternion, now: &Quaternion) -> Vec3 {
    let [w, x, y, z] = *begin;
    log_quaternion(&multiply(now, &[w, -x, -y, -z]))
}

/// Does a row take part in the position assembly?
fn position_active(row: &crate::system::Row, motions: &[crate::system::MotionEntry]) -> bool {
    use crate::mechanism::MotionLevel;
    match row.target {
        RowTarget::Motion(m) => {
            let motion = &motions[m.index()];
            motion.level == MotionLevel::Displacement || motion.initial.0.is_some()
        }
        RowTarget::Constant(..) => row.stage.position,
    }
}
