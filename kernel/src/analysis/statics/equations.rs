//! Control plane: states and implicit variables in static equilibrium, and messages about what is out of balance.
//!
//! ```text
//! g(z, x, λ) = 0   by   (√σ − ∂g/∂z) δz − ∂g/∂x δ − ∂g/∂λ μ = g              (EQU-4)
//! ```

use super::{LoadBalance, Statics};
use crate::analysis::flexible;
use crate::analysis::no_start::NoStart;
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

/// A state counts as at rest if its Newton step is below this fraction of its value, or of one.
const SETTLED: f64 = 1e-9;
/// Rates below this are not reported [1/s].
const SLOW: f64 = 1e-12;
/// Accelerations that differ by at most this fraction count as equal.
const ALIKE: f64 = 0.1;

impl Statics<'_> {
    /// Which states are brought to rest; the others keep their initial values.
    fn frees(&self) -> Free {
        if self.settings.hold_states {
            Free::Steady
        } else {
            Free::Resting
        }
    }

    /// Is this equation solved?
    fn solves(&self, entry: &EquationEntry) -> bool {
        entry.is_algebraic() || self.frees().allows(entry.start)
    }

    /// How the equations enter the matrix.
    pub(super) fn state_rows(&self, sigma: f64) -> StateRows {
        StateRows {
            own: sigma.sqrt(),
            slope: 1.0,
            residual: 1.0,
            free: self.frees(),
        }
    }

    /// Writes the equations into the right-hand side: −g and r, or zero if they take no part.
    pub(super) fn state_residuals(&mut self, take_part: bool) {
        for (k, entry) in self.system.equations.iter().enumerate() {
            let value = eval::equation(self.system, self.ws, k);
            let residual = if entry.is_algebraic() { value } else { -value };
            let takes_part = take_part && self.solves(entry);
            self.ws.rhs[entry.block.offset() + entry.place] =
                if takes_part { residual } else { 0.0 };
        }
    }

    /// Moves the states by a fraction of a step.
    pub(super) fn displace_states(&mut self, delta: &[f64], share: f64) {
        let first = self.system.layout.states.first;
        for (k, entry) in self.system.equations.iter().enumerate() {
            let step = delta[entry.block.offset() + entry.place];
            self.state.reals[first + k] += share * step;
        }
    }

    /// Would Newton's method leave the states where they are? For the poses of the last `balance`.
    pub(super) fn states_rest(&mut self, balance: &LoadBalance) -> bool {
        if !self.system.equations.iter().any(|e| self.solves(e)) {
            return true;
        }
        let sigma = self.neutral(balance);
        let delta = self.trial(balance, sigma);
        delta.is_some_and(|delta| self.settles(&delta))
    }

    /// Does a Newton step leave the states where they are?
    pub(super) fn settles(&self, delta: &[f64]) -> bool {
        let mut largest = 0.0;
        let solved = |(_, entry): &(usize, &EquationEntry)| self.solves(entry);
        for (k, entry) in self.system.equations.iter().enumerate().filter(solved) {
            let step = delta[entry.block.offset() + entry.place].abs();
            largest = larger(largest, step / self.ws.states[k].abs().max(1.0));
        }
        largest <= SETTLED
    }

    /// The failure: what is out of balance, and by how much.
    pub(super) fn unbalanced(&self, balance: &LoadBalance) -> NoStart {
        let units = &self.mechanism.units;
        let (force, length) = (&units.force, &units.length);
        let least = self.settings.tolerance.max(0.01 * balance.imbalance);
        let mut worst: Vec<usize> = (0..balance.parts.len()).collect();
        worst.retain(|body| balance.parts[*body] > least);
        worst.sort_by(|a, b| balance.parts[*b].total_cmp(&balance.parts[*a]));
        let describe = |body: usize| {
            let entry = &self.system.bodies[body];
            let at = entry.block.map_or(0, crate::linalg::BlockId::offset);
            let load = vec3(&balance.residual, at).norm() / force.factor;
            let part = format!("part {} by {load:.3e} {}", called(&entry.name), force.name);
            if entry.dof < 6 {
                return part;
            }
            let torque = vec3(&balance.residual, at + 3).norm() / (force.factor * length.factor);
            format!("{part} and {torque:.3e} {}·{}", force.name, length.name)
        };
        let whole = self.accelerated(balance, &worst);
        let mut list: Vec<String> = worst.into_iter().take(5).map(describe).collect();
        list.extend(self.moving_states(balance).into_iter().take(5));
        NoStart::Unbalanced {
            iterations: self.settings.iterations,
            steps: self.settings.settling_steps,
            parts: format!("{}{whole}", list.join("; ")),
        }
    }

    /// Text about the common acceleration, if all unbalanced parts accelerate alike.
    fn accelerated(&self, balance: &LoadBalance, parts: &[usize]) -> String {
        let Some((first, others)) = parts.split_first() else {
            return String::new();
        };
        // `drift` holds negative accelerations, in ground axes.
        let way = |body: usize| -vec3(&balance.drift[body], 0);
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
    fn moving_states(&self, balance: &LoadBalance) -> Vec<String> {
        let of = |entry: &EquationEntry| -balance.residual[entry.block.offset() + entry.place];
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

/// Work of the loads along a step.
pub(super) fn work(system: &System, balance: &LoadBalance, delta: &[f64]) -> f64 {
    let mut work = 0.0;
    for block in system.bodies.iter().filter_map(|b| b.block) {
        let range = block.offset()..block.offset() + BLOCK;
        let pairs = balance.residual[range.clone()].iter().zip(&delta[range]);
        work -= pairs.map(|(r, d)| r * d).sum::<f64>();
    }
    for row in flexible::rows(system) {
        work -= balance.residual[row] * delta[row];
    }
    work
}
