//! Control plane: position assembly — the nearest poses that satisfy all constraints.
//!
//! Gauss–Newton on
//!
//! ```text
//! min ½ δᵀWδ   subject to   G δ = −Φ        W = diag(1, Lc²) per body      (ASM-1)
//! ```
//! with the rows slightly regularised, so that redundant but consistent rows need no special case
//! (see Nikravesh, *Computer-Aided Analysis of Mechanical Systems*, 1988).

use crate::analysis::{ACCEPTED_VIOLATION, Start};
use crate::elements::joints::is_angular;
use crate::math::Vec3;
use crate::math::rotation::{exp_quaternion, multiply, normalized};
use crate::state::vec3;
use crate::system::eval;
use crate::system::residual::{Level, row_residual};

/// Iterations before an assembly counts as impossible.
const ITERATIONS: usize = 80;
/// Largest rotation of a body in one iteration \[rad\].
const TURN: f64 = 0.4;

impl Start<'_> {
    /// Moves the bodies to an assembled configuration.
    pub fn assemble(&mut self) -> Result<(), String> {
        let rows = &self.system.rows;
        let motions = &self.system.motions;
        let active = |r: usize| position_active(&rows[r], motions);
        if self.close(&active)? > ACCEPTED_VIOLATION {
            let violations = self.position_violations(&active);
            return Err(format!(
                "the mechanism cannot be assembled: these do not close, or fight one another: {}; \
                 check the markers' positions and axes, and initial conditions and motions against \
                 the joints",
                self.worst_rows(&violations, false)
            ));
        }
        Ok(())
    }

    /// Moves the bodies until the active rows hold; the largest scaled violation that is left.
    pub(super) fn close(&mut self, active: &dyn Fn(usize) -> bool) -> Result<f64, String> {
        let weight = self.length * self.length;
        let weights = vec![(1.0, weight); self.system.bodies.len()];
        let mut previous = f64::INFINITY;
        self.factor = None;
        for _ in 0..ITERATIONS {
            let violations = self.position_violations(active);
            let worst = self.scaled_worst(&violations);
            if !worst.is_finite() {
                return Err("the assembly met numbers that are not finite".to_owned());
            }
            if worst <= 1e-15 || (worst < 1e-10 && worst > 0.3 * previous) {
                break;
            }
            previous = worst;
            self.ws.rhs.fill(0.0);
            for group in &self.system.groups {
                for (k, r) in group.rows.range().enumerate() {
                    self.ws.rhs[group.block.offset() + k] = -violations[r].1;
                }
            }
            self.solve(&weights, active)?;
            self.move_bodies();
        }
        let violations = self.position_violations(active);
        Ok(self.scaled_worst(&violations))
    }

    /// Kinematics at the state, then (row, Φ) of all rows; rows that take no part count zero.
    fn position_violations(&mut self, active: &dyn Fn(usize) -> bool) -> Vec<(usize, f64)> {
        let (system, state) = (self.system, &*self.state);
        eval::kinematics_at_state(system, state, self.ws);
        eval::settings(system, state, self.ws, state.time(&system.layout));
        self.targets();
        eval::constraint_wrenches(system, self.ws);
        let mut all = vec![(0, 0.0); system.rows.len()];
        for group in &system.groups {
            for r in group.rows.range() {
                let phi = row_residual(system, self.state, self.ws, group, r, Level::Position);
                all[r] = (r, if active(r) { phi } else { 0.0 });
            }
        }
        all
    }

    /// Largest violation with lengths in characteristic lengths.
    fn scaled_worst(&self, violations: &[(usize, f64)]) -> f64 {
        let scaled = |(r, phi): &(usize, f64)| {
            let unit = if is_angular(&self.system.rows[*r].kind) {
                1.0
            } else {
                self.length
            };
            phi.abs() / unit
        };
        violations
            .iter()
            .map(scaled)
            .fold(0.0, crate::system::residual::larger)
    }

    /// Applies the solution, shortened so that no body turns or travels too far at once.
    fn move_bodies(&mut self) {
        let mut factor = 1.0_f64;
        for body in 0..self.system.bodies.len() {
            let s = self.solution(body);
            let turn = vec3(&s, 3).norm();
            let travel = vec3(&s, 0).norm() / (4.0 * self.length);
            factor = factor.min(TURN / turn.max(TURN)).min(1.0 / travel.max(1.0));
        }
        self.displace_bodies(factor);
    }

    /// Applies `factor` times the solution.
    pub(super) fn displace_bodies(&mut self, factor: f64) {
        let layout = &self.system.layout;
        for body in 0..self.system.bodies.len() {
            if self.system.bodies[body].block.is_none() {
                continue;
            }
            let s = self.solution(body);
            let (dx, psi): (Vec3, Vec3) = (vec3(&s, 0) * factor, vec3(&s, 3) * factor);
            let r = self.state.position(layout, body) + dx;
            let q = multiply(&exp_quaternion(&psi), &self.state.quaternion(layout, body));
            self.state.set_pose(layout, body, &r, &normalized(&q));
        }
    }
}

/// Does a row take part in the position assembly?
fn position_active(row: &crate::system::Row, motions: &[crate::system::MotionEntry]) -> bool {
    use crate::model::MotionLevel;
    match row.target {
        crate::system::RowTarget::Motion(m) => {
            let motion = &motions[m.index()];
            motion.level == MotionLevel::Displacement || motion.initial.0.is_some()
        }
        crate::system::RowTarget::Constant(..) => row.stage.position,
    }
}
