//! Control plane: the states of differential equations in static equilibrium, and who is out of it.
//!
//! ```text
//! g(z, x, λ) = 0   by   (√σ − ∂g/∂z) δz − ∂g/∂x δ − ∂g/∂λ μ = g              (EQU-4)
//! ```

use super::{Look, Statics};
use crate::state::vec3;
use crate::system::eval;
use crate::system::jacobian::StateRows;
use crate::system::residual::larger;

/// A Newton step of a state below this part of itself, or of one, counts as rest.
const SETTLED: f64 = 1e-9;
/// A rate below this [1/s] is not worth a word.
const SLOW: f64 = 1e-12;

impl Statics<'_> {
    /// Do the states go where they rest, or keep their initial values?
    fn frees_states(&self) -> bool {
        !self.settings.hold_states && !self.system.equations.is_empty()
    }

    /// How states stand in the matrix: the weight of their columns, and their rows.
    pub(super) fn state_rows(&self, sigma: f64) -> (f64, StateRows) {
        if !self.frees_states() {
            return (0.0, StateRows::HELD);
        }
        let rows = StateRows {
            own: sigma.sqrt(),
            slope: 1.0,
        };
        (1.0, rows)
    }

    /// The rows of the states in the right-hand side: −g, or nothing.
    pub(super) fn state_residuals(&mut self, take_part: bool) {
        for (k, entry) in self.system.equations.iter().enumerate() {
            self.ws.rhs[entry.block.offset() + entry.place] = if take_part && self.frees_states() {
                -eval::state_rate(self.system, self.ws, k)
            } else {
                0.0
            };
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
        if !self.frees_states() {
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

    /// Who is out of balance, and by how much.
    pub(super) fn unbalanced(&self, look: &Look) -> String {
        let units = &self.model.units;
        let (force, length) = (&units.force, &units.length);
        let mut worst: Vec<usize> = (0..look.parts.len())
            .filter(|b| look.parts[*b] > self.settings.tolerance.max(0.01 * look.imbalance))
            .collect();
        worst.sort_by(|a, b| look.parts[*b].total_cmp(&look.parts[*a]));
        let describe = |body: &usize| {
            let entry = &self.system.bodies[*body];
            let at = entry.block.map_or(0, crate::linalg::BlockId::offset);
            let load = vec3(&look.residual, at).norm() / force.factor;
            let part = format!("part \"{}\" by {load:.3e} {}", entry.name, force.name);
            if entry.dof < 6 {
                return part;
            }
            let torque = vec3(&look.residual, at + 3).norm() / (force.factor * length.factor);
            format!("{part} and {torque:.3e} {}·{}", force.name, length.name)
        };
        let mut list: Vec<String> = worst.iter().take(5).map(describe).collect();
        list.extend(self.moving_states(look).into_iter().take(5));
        format!(
            "no static equilibrium was found in {} Newton iterations and {} damped steps; out of \
             balance: {}; check that joints, springs or contacts hold these parts, start nearer to \
             the equilibrium, or raise start.equilibrium.settling_steps",
            self.settings.iterations,
            self.settings.settling_steps,
            list.join("; ")
        )
    }

    /// States with a rate, largest first.
    fn moving_states(&self, look: &Look) -> Vec<String> {
        if !self.frees_states() {
            return Vec::new();
        }
        let of = |entry: &crate::system::EquationEntry| {
            -look.residual[entry.block.offset() + entry.place]
        };
        let mut moving: Vec<_> = self.system.equations.iter().map(|e| (of(e), e)).collect();
        moving.retain(|(rate, _)| rate.abs() > SLOW);
        moving.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        let time = &self.model.units.time;
        let describe = |(rate, entry): (f64, &crate::system::EquationEntry)| {
            format!(
                "differential equation \"{}\" with a rate of {:.3e}/{}",
                entry.name,
                rate * time.factor,
                time.name
            )
        };
        moving.into_iter().map(describe).collect()
    }
}
