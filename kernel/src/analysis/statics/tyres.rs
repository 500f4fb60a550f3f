//! Control plane: tyres at standstill hold what nothing else holds.
//!
//! ```text
//! δz = η B δ,   B = ∂ż/∂u at rest                                         (EQU-7)
//! ```
//! The carcass of a tyre that does not roll sticks to the road, and its deflections z follow the wheel: η = 1. An
//! equilibrium then depends on the way to it. So the search first settles on tyres that stick, and then begins anew
//! without deflections, from that place: with a small η, tyres take only loads in directions that have no stiffness.

use super::polish::Polish;
use super::{LoadBalance, Statics};
use crate::analysis::no_start::NoStart;
use crate::elements::forces::ForceLaw;
use crate::elements::kinematics::Weights;
use crate::linalg::entry as place_in_tile;
use crate::state::{State, vec3};
use crate::system::jacobian::{self, Free, Scaling, StateRows};
use crate::system::layout::BLOCK;
use crate::system::residual::larger;
use crate::system::stage::Balanced;
use alloc::vec::Vec;

/// η of tyres that take only what nothing else holds, and σ of their steps over that of Newton's method. The second pair
/// is for wheels with toe-in, which resist rolling only a little.
const LOOSE: [(f64, f64); 2] = [(1e-4, 1.0), (1e-3, 1e-5)];
/// Iterations that do not halve the imbalance, after which the other pair is tried.
const MOST_IN_VAIN: usize = 10;
/// σ of steps of the bodies over that of Newton's method: their rounding is as 1/σ.
const BLUNT: f64 = 100.0;
/// After steps below this [characteristic lengths, rad], or as soon as they shrink no more, bodies are where their
/// stiffness holds them.
const NEAR: f64 = 1e-6;

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
        for loose in LOOSE {
            if self.release(&begin, loose) == Some(true) {
                break;
            }
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
            rates: 0.0,
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
    fn release(&mut self, begin: &State, (grip, sigma): (f64, f64)) -> Option<bool> {
        let first = self.system.layout.states.first;
        let gripping = self.gripping();
        for k in &gripping {
            self.state.reals[first + k] = begin.reals[first + k];
        }
        let mut polish = Polish::default();
        let (mut last, mut best, mut in_vain) = (f64::INFINITY, f64::INFINITY, 0);
        for _ in 0..self.settings.iterations {
            let mut balance = self.balance()?;
            if self.is_balanced(&balance) && polish.is_exhausted(&balance) {
                return Some(true);
            }
            in_vain = if balance.imbalance <= 0.5 * best {
                0
            } else {
                in_vain + 1
            };
            best = best.min(balance.imbalance);
            if in_vain == MOST_IN_VAIN {
                return Some(false);
            }
            let mut step = self.stiff_step(&balance)?;
            let size = self.size(&step);
            let waits = size > NEAR && size <= 0.5 * last;
            last = size;
            if !waits {
                let delta = self.loose(&balance, sigma, grip)?;
                for k in &gripping {
                    let row = &self.system.equations[*k];
                    self.state.reals[first + k] += delta[row.block.offset() + row.place];
                }
                balance = self.balance()?;
                step = self.stiff_step(&balance)?;
            }
            self.travel(&step, self.share(&step))?;
        }
        Some(false)
    }

    /// (EQU-8): a Newton step without its part in directions that have no stiffness, where steps are as 1/σ.
    fn stiff_step(&mut self, balance: &LoadBalance) -> Option<Vec<f64>> {
        let long = self.loose(balance, BLUNT, 0.0)?;
        let mut step = self.loose(balance, 4.0 * BLUNT, 0.0)?;
        for (short, long) in step.iter_mut().zip(&long) {
            *short = (4.0 * *short - long) / 3.0;
        }
        Some(step)
    }

    /// Solves (EQU-2) with σ in units of that of Newton's method, and with tyres that follow their wheels by `grip`.
    fn loose(&mut self, balance: &LoadBalance, sigma: f64, grip: f64) -> Option<Vec<f64>> {
        self.grip = grip;
        let delta = self.trial(balance, sigma * self.neutral(balance));
        self.grip = 0.0;
        delta
    }

    /// The largest displacement of a body in a step [characteristic lengths, rad].
    fn size(&self, step: &[f64]) -> f64 {
        let of = |s: &[f64; BLOCK]| larger(vec3(s, 0).norm() / self.length, vec3(s, 3).norm());
        self.bodies(step).iter().map(of).fold(0.0, larger)
    }
}
