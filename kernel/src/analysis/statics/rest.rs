//! Control plane: states and implicit variables in static equilibrium, and what is out of it.
//!
//! ```text
//! g(z, x, λ) = 0   by   (√σ − ∂g/∂z) δz − ∂g/∂x δ − ∂g/∂λ μ = g              (EQU-4)
//! ```

use super::{Look, Statics};
use crate::analysis::flexible;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::mechanism::called;
use crate::state::vec3;
use crate::system::jacobian::{Free, StateRows};
use crate::system::layout::BLOCK;
use crate::system::residual::larger;
use crate::system::{EquationEntry, System, eval};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A Newton step of a state below this part of itself, or of one, counts as rest.
const SETTLED: f64 = 1e-9;
/// A rate below this [1/s] is not worth a word.
const SLOW: f64 = 1e-12;
/// Accelerations that differ by no more than this share are the same.
const ALIKE: f64 = 0.1;

impl Statics<'_> {
    /// Which states go where they rest; the others keep their initial values.
    fn frees(&self) -> Free {
        if self.settings.hold_states {
            Free::Steady
        } else {
            Free::Resting
        }
    }

    /// Is the equation one of those to be solved?
    fn solves(&self, entry: &EquationEntry) -> bool {
        entry.is_algebraic() || self.frees().allows(entry.start)
    }

    /// How the equations stand in the matrix.
    pub(super) fn state_rows(&self, sigma: f64) -> StateRows {
        StateRows {
            own: sigma.sqrt(),
            slope: 1.0,
            residual: 1.0,
            free: self.frees(),
        }
    }

    /// The rows of the equations in the right-hand side: −g and r, or nothing.
    pub(super) fn state_residuals(&mut self, take_part: bool) {
        for (k, entry) in self.system.equations.iter().enumerate() {
            let value = eval::equation(self.system, self.ws, k);
            let residual = if entry.is_algebraic() { value } else { -value };
            let takes_part = take_part && self.solves(entry);
            self.ws.rhs[entry.block.offset() + entry.place] =
                if takes_part { residual } else { 0.0 };
        }
    }

    /// Moves the states by a share of a step.
    pub(super) fn displace_states(&mut self, delta: &[f64], share: f64) {
        let first = self.system.layout.states.first;
        for (k, entry) in self.system.equations.iter().enumerate() {
            let step = delta[entry.block.offset() + entry.place];
            self.state.reals[first + k] += share * step;
        }
    }

    /// Would Newton's method leave the states where they are? At the poses looked at last.
    pub(super) fn states_rest(&mut self, look: &Look) -> bool {
        if !self.system.equations.iter().any(|e| self.solves(e)) {
            return true;
        }
        let sigma = self.neutral(look);
        let delta = self.trial(look, sigma);
        delta.is_some_and(|delta| self.settles(&delta))
    }

    /// Does a step of Newton's method leave the states where they are?
    pub(super) fn settles(&self, delta: &[f64]) -> bool {
        let mut largest = 0.0;
        for (k, entry) in self.system.equations.iter().enumerate() {
            let step = delta[entry.block.offset() + entry.place].abs();
            largest = larger(largest, step / self.ws.states[k].abs().max(1.0));
        }
        largest <= SETTLED
    }

    /// What is out of balance, and by how much.
    pub(super) fn unbalanced(&self, look: &Look) -> String {
        let units = &self.mechanism.units;
        let (force, length) = (&units.force, &units.length);
        let least = self.settings.tolerance.max(0.01 * look.imbalance);
        let mut worst: Vec<usize> = (0..look.parts.len()).collect();
        worst.retain(|body| look.parts[*body] > least);
        worst.sort_by(|a, b| look.parts[*b].total_cmp(&look.parts[*a]));
        let describe = |body: usize| {
            let entry = &self.system.bodies[body];
            let at = entry.block.map_or(0, crate::linalg::BlockId::offset);
            let load = vec3(&look.residual, at).norm() / force.factor;
            let part = format!("part {} by {load:.3e} {}", called(&entry.name), force.name);
            if entry.dof < 6 {
                return part;
            }
            let torque = vec3(&look.residual, at + 3).norm() / (force.factor * length.factor);
            format!("{part} and {torque:.3e} {}·{}", force.name, length.name)
        };
        let whole = self.accelerated(look, &worst);
        let mut list: Vec<String> = worst.into_iter().take(5).map(describe).collect();
        list.extend(self.moving_states(look).into_iter().take(5));
        format!(
            "no static equilibrium was found in {} Newton iterations and {} damped steps; out of \
             balance: {}{whole}; check that joints, springs or contacts hold these parts, start nearer to \
             the equilibrium, or raise start.equilibrium.settling_steps",
            self.settings.iterations,
            self.settings.settling_steps,
            list.join("; ")
        )
    }

    /// Where all parts out of balance go the same way: how they do, all together.
    fn accelerated(&self, look: &Look, parts: &[usize]) -> String {
        let Some((first, others)) = parts.split_first() else {
            return String::new();
        };
        // There stand negative accelerations, in ground axes.
        let way = |body: usize| -vec3(&look.drift[body], 0);
        let common = way(*first);
        let size = common.norm();
        let agrees = |body: &usize| (way(*body) - common).norm() <= ALIKE * size;
        if size == 0.0 || others.is_empty() || !others.iter().all(agrees) {
            return String::new();
        }
        let Some((axis, along)) = ["x", "y", "z"]
            .into_iter()
            .zip([common.x, common.y, common.z])
            .find(|(_, along)| along.abs() >= (1.0 - ALIKE) * size)
        else {
            return String::new();
        };
        let (length, time) = (&self.mechanism.units.length, &self.mechanism.units.time);
        let along = along * time.factor * time.factor / length.factor;
        format!(
            "; the mechanism as a whole accelerates along {axis} of ground by {along:.3e} {}/{}²: nothing holds it there",
            length.name, time.name
        )
    }

    /// States with a rate, and implicit variables with a residual, largest first.
    fn moving_states(&self, look: &Look) -> Vec<String> {
        let of = |entry: &EquationEntry| -look.residual[entry.block.offset() + entry.place];
        let solved = self.system.equations.iter().filter(|e| self.solves(e));
        let mut moving: Vec<_> = solved.map(|e| (of(e), e)).collect();
        moving.retain(|(rate, _)| rate.abs() > SLOW);
        moving.sort_by(|(a, _), (b, _)| b.abs().total_cmp(&a.abs()));
        let time = &self.mechanism.units.time;
        let describe = |(rate, entry): (f64, &EquationEntry)| {
            if entry.is_algebraic() {
                return format!("{} with a residual of {:.3e}", entry.name, -rate);
            }
            format!(
                "{} with a rate of {:.3e}/{}",
                entry.name,
                rate * time.factor,
                time.name
            )
        };
        moving.into_iter().map(describe).collect()
    }
}

/// Work of the loads on a step.
pub(super) fn work(system: &System, look: &Look, delta: &[f64]) -> f64 {
    let mut work = 0.0;
    for block in system.bodies.iter().filter_map(|b| b.block) {
        let range = block.offset()..block.offset() + BLOCK;
        let pairs = look.residual[range.clone()].iter().zip(&delta[range]);
        work -= pairs.map(|(r, d)| r * d).sum::<f64>();
    }
    for row in flexible::rows(system) {
        work -= look.residual[row] * delta[row];
    }
    work
}
