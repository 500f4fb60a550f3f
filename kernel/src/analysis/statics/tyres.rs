//! Control plane: tyres at standstill hold what nothing else holds.
//!
//! ```text
//! δz = η B δ,   B = ∂ż/∂u at rest                                         (EQU-7)
//! ```
//! The carcass of a tyre that does not roll sticks to the road, and its deflections z follow the wheel: η = 1. An
//! equilibrium then depends on the way to it. So the search first settles on tyres that stick, and then begins anew
//! without deflections, from that place: with a small η, tyres take only loads in directions that have no stiffness.

use super::polish::Polish;
use super::{Look, Statics};
use crate::analysis::no_start::NoStart;
use crate::elements::forces::ForceLaw;
use crate::elements::kinematics::Weights;
use crate::linalg::entry as place_in_tile;
use crate::state::{State, vec3};
use crate::system::jacobian::{self, Free, Scaling, StateRows};
use crate::system::layout::BLOCK;
use crate::system::stage::Balanced;
use alloc::vec::Vec;

/// η of tyres that take only what nothing else holds.
const LOOSE: f64 = 1e-4;
/// Bodies that would move by less than this [characteristic lengths, rad] are where their stiffness holds them.
const NEAR: f64 = 1e-7;

impl Statics<'_> {
    /// Pseudo-dynamics on tyres that stick; then the least deflections of tyres, if these can be found.
    pub(super) fn settle_on_tyres(&mut self) -> Result<(), NoStart> {
        let begin = self.state.clone();
        self.grip = 1.0;
        let settled = self.settle();
        self.grip = 0.0;
        settled?;
        if self.gripping().is_empty() {
            return Ok(());
        }
        let stuck = self.state.clone();
        if self.release(&begin) != Some(true) {
            self.state.copy_from(&stuck);
        }
        Ok(())
    }

    /// The equations of the tyres' deflections, unless the states keep their values.
    fn gripping(&self) -> Vec<usize> {
        if self.settings.hold_states {
            return Vec::new();
        }
        let tyres = self.system.forces.iter().filter_map(|f| match &f.law {
            ForceLaw::Tyre { states, .. } => *states,
            _ => None,
        });
        tyres.flatten().collect()
    }

    /// Adds (EQU-7) to the matrix of (EQU-2).
    pub(super) fn add_grip(&mut self) {
        let gripping = self.gripping();
        if gripping.is_empty() {
            return;
        }
        let mut matrix = self.ws.matrix.clone();
        let weights = Weights {
            x: 0.0,
            u: 1.0,
            a: 0.0,
            l: 0.0,
            z: 0.0,
        };
        let states = StateRows {
            own: 0.0,
            slope: 1.0,
            residual: 0.0,
            free: Free::All,
        };
        let scaling = Scaling {
            motion: 1.0,
            constraints: 1.0,
            states,
        };
        let balanced = &mut Balanced::kept(self.ws);
        jacobian::assemble(self.system, self.state, balanced, &weights, &scaling);
        let pattern = &self.system.pattern;
        for k in gripping {
            let row = &self.system.equations[k];
            for (column, slot) in pattern.row(row.block) {
                for c in 0..pattern.size(column) {
                    let slope = self.ws.matrix.tile(slot)[place_in_tile(row.place, c)];
                    matrix.add(slot, row.place, c, self.grip * slope);
                }
            }
        }
        self.ws.matrix = matrix;
    }

    /// Newton's method from the present poses and the initial deflections. Directions without stiffness keep their
    /// place; tyres take the loads in them as soon as all others balance. Has it converged?
    fn release(&mut self, begin: &State) -> Option<bool> {
        let first = self.system.layout.states.first;
        let gripping = self.gripping();
        for k in &gripping {
            self.state.reals[first + k] = begin.reals[first + k];
        }
        let mut polish = Polish::default();
        for _ in 0..self.settings.iterations {
            let mut look = self.look()?;
            if self.is_balanced(&look) && polish.is_exhausted(&look) {
                return Some(true);
            }
            let mut step = self.stiff_step(&look)?;
            if self.is_near(&step) {
                self.grip = LOOSE;
                let sigma = self.neutral(&look);
                let delta = self.trial(&look, sigma);
                self.grip = 0.0;
                let delta = delta?;
                for k in &gripping {
                    let row = &self.system.equations[*k];
                    self.state.reals[first + k] += delta[row.block.offset() + row.place];
                }
                look = self.look()?;
                step = self.stiff_step(&look)?;
            }
            self.displace(&step, self.share(&step));
            self.close()?;
        }
        Some(false)
    }

    /// A Newton step without its part in directions that have no stiffness: there, steps are as 1/σ.
    fn stiff_step(&mut self, look: &Look) -> Option<Vec<f64>> {
        let sigma = self.neutral(look);
        let long = self.trial(look, sigma)?;
        let mut step = self.trial(look, 4.0 * sigma)?;
        for (short, long) in step.iter_mut().zip(&long) {
            *short = (4.0 * *short - long) / 3.0;
        }
        Some(step)
    }

    /// Is a step so short that the poses are known?
    fn is_near(&self, step: &[f64]) -> bool {
        let most = NEAR * self.length;
        let near = |s: &[f64; BLOCK]| vec3(s, 0).norm() <= most && vec3(s, 3).norm() <= NEAR;
        self.bodies(step).iter().all(near)
    }
}
