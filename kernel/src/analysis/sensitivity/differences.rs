//! Data plane: directional derivatives with differenced residuals, where no analytic ones exist: at the start, in
//! formulation SI2, and in numbers of elements.

use super::direction::{reach, shifted};
use super::point::{evaluate, kinematics};
use super::{Point, Sensitivity, TURNS};
use crate::elements::kinematics::Weights;
use crate::integrator::{Scheme, motions};
use crate::math::Vec3;
use crate::math::rotation::right_tangent_inverse;
use crate::mechanism::MotionLevel;
use crate::state::{State, vec3};
use crate::system::layout::{BLOCK, POSE, Span};
use crate::system::stage::{Constrained, Placed};
use crate::system::{System, eval};

impl Sensitivity {
    /// Computes the response to the seed, (SEN-1) and (SEN-2), from differences of residuals. [`Self::prepare`] must
    /// have run at the same state and point.
    pub(super) fn respond_by_differences(&mut self, system: &System, base: &State, point: &Point) {
        self.move_motions(system, base);
        let turns = if point.stabilised() { TURNS } else { 1 };
        for _ in 0..turns {
            self.solve(system, base, point);
            if let Point::Step(scheme) = point
                && scheme.stabilised
            {
                self.project(system, base, scheme);
            }
        }
    }

    /// Adds to the seed how the end coordinates of rate-driven motions change with it.
    pub(super) fn move_motions(&mut self, system: &System, base: &State) {
        if system
            .motions
            .iter()
            .all(|m| m.level == MotionLevel::Displacement)
        {
            return;
        }
        let reach = reach(system, base, &self.seed);
        let layout = &system.layout;
        let h = base.step(layout);
        for (end, by) in self.ends.iter_mut().zip([reach, -reach]) {
            shifted(system, base, &self.seed, by, &mut self.state);
            // The step that led here began one step earlier.
            self.state.reals[layout.time.first] -= h;
            motions::integrate(system, &self.state, &mut self.ws, end, h);
        }
        let [ahead, behind] = &self.ends;
        for (m, motion) in system.motions.iter().enumerate() {
            if motion.level == MotionLevel::Displacement {
                continue;
            }
            let at = layout.motions.first + 2 * m;
            self.seed[at] = (ahead[m].0 - behind[m].0) / (2.0 * reach);
            self.seed[at + 1] = (ahead[m].1 - behind[m].1) / (2.0 * reach);
        }
    }

    /// (∂r/∂s) δs along the seed, into `ws.rhs`.
    pub(super) fn differ(&mut self, system: &System, base: &State, point: &Point) {
        let reach = reach(system, base, &self.seed);
        for by in [reach, -reach] {
            shifted(system, base, &self.seed, by, &mut self.state);
            evaluate(system, &self.state, &mut self.ws, &self.states, point);
            if by > 0.0 {
                self.side.copy_from_slice(&self.ws.rhs);
            }
        }
        for (behind, ahead) in self.ws.rhs.iter_mut().zip(&self.side) {
            *behind = (ahead - *behind) / (2.0 * reach);
        }
    }

    /// δz of (SEN-1), into the response.
    fn solve(&mut self, system: &System, base: &State, point: &Point) {
        self.differ(system, base, point);
        for x in &mut self.ws.rhs {
            *x = -*x;
        }
        self.factor.solve(&mut self.ws.rhs);
        self.response.copy_from_slice(&self.seed);
        self.spread(system, base, &point.weights());
    }

    /// Adds the effect of the solution in `ws.rhs` to the response.
    pub(super) fn spread(&mut self, system: &System, base: &State, w: &Weights) {
        let layout = &system.layout;
        let (rhs, response) = (&self.ws.rhs, &mut self.response);
        let mut put = |span: Span, at: usize, value: f64| response[span.first + at] += value;
        for (body, entry) in system.bodies.iter().enumerate() {
            let Some(block) = entry.block else { continue };
            let mut change = [vec3(rhs, block.offset()), Vec3::zeros()];
            let mut turn = Vec3::zeros();
            if entry.dof == 6 {
                let (_, theta) = base.rates(layout.moved, body);
                let psi = vec3(rhs, block.offset() + 3);
                let rotation = base.rotation(layout, body);
                turn = rotation.tr_mul(&psi);
                let tangent = right_tangent_inverse(&(rotation * theta));
                change[1] = rotation.tr_mul(&(tangent * psi));
            }
            for k in 0..3 {
                put(layout.pose, POSE * body + k, w.x * change[0][k]);
                put(layout.pose, POSE * body + 3 + k, w.x * turn[k]);
                for (part, change) in change.iter().enumerate() {
                    let at = BLOCK * body + 3 * part + k;
                    put(layout.velocity, at, w.u * change[k]);
                    put(layout.acceleration, at, w.a * change[k]);
                }
            }
        }
        let first = system.modal_first();
        for entry in &system.flexibles {
            for j in 0..entry.modal.len {
                let (n, change) = (entry.modal.first + j, rhs[entry.row(j)]);
                put(layout.modal, n, w.x * change);
                put(layout.velocity, first + n, w.u * change);
                put(layout.acceleration, first + n, w.a * change);
            }
        }
        for (g, group) in system.groups.iter().enumerate() {
            for k in 0..group.rows.len {
                put(
                    layout.multipliers,
                    BLOCK * g + k,
                    w.l * rhs[group.block.offset() + k],
                );
            }
        }
        for (k, entry) in system.equations.iter().enumerate() {
            let change = rhs[entry.block.offset() + entry.place];
            put(layout.states, k, entry.weight(w) * change);
        }
    }

    /// δc of (SEN-2): its effect on velocities and accelerations, into the seed for the next turn and into the
    /// response.
    fn project(&mut self, system: &System, base: &State, scheme: &Scheme) {
        let layout = &system.layout;
        let slope = scheme.weights.u;
        let of_c = [
            (layout.velocity, slope),
            (layout.acceleration, slope * slope),
        ];
        for (span, _) in of_c {
            for at in span.range() {
                self.response[at] -= core::mem::take(&mut self.seed[at]);
            }
        }
        self.projection.recall(system, base, 1.0 / slope);
        let reach = reach(system, base, &self.response);
        for by in [reach, -reach] {
            shifted(system, base, &self.response, by, &mut self.state);
            let Self {
                state,
                ws,
                projection,
                side,
                ..
            } = self;
            kinematics(system, state, ws);
            eval::settings(system, state, ws, state.time(&system.layout));
            let placed = Placed::kept(ws);
            let mut constrained = eval::constraint_wrenches(system, state, placed);
            let rates = projection.residual(system, state, &mut constrained, scheme);
            if by > 0.0 {
                side.copy_from_slice(rates);
            } else {
                for (behind, ahead) in rates.iter_mut().zip(side) {
                    *behind = (*ahead - *behind) / (2.0 * reach);
                }
            }
        }
        let mut constrained = Constrained::kept(&mut self.ws);
        let change = self.projection.solve(system, &mut constrained, scheme);
        for (at, change) in change.iter().enumerate() {
            for (span, slope) in of_c {
                self.seed[span.first + at] -= slope * change;
                self.response[span.first + at] -= slope * change;
            }
        }
    }
}
