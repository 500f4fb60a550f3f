//! Control plane: descent along the constraints. From closed poses it moves to the closed poses where a goal is
//! smallest: the distance from the model's poses (ASM-2), or the strain energy of deforming shapes (ASM-3).

use crate::analysis::no_start::NoStart;
use crate::analysis::{ACCEPTED_VIOLATION, Start};
use crate::state::State;

/// Step limit of a descent.
const STEPS: usize = 80;
/// How often a step is halved before the descent counts as finished.
const HALVINGS: usize = 10;
/// A relative gain below this counts as none.
pub(super) const GAINED: f64 = 1e-14;

/// What a descent minimises.
pub(super) trait Goal {
    /// Consecutive steps without gain that end the descent.
    const MOST_STALLED: usize;

    /// Its value at the present poses.
    fn value(&self, start: &Start<'_>) -> f64;

    /// Writes the descent direction into the right-hand side; `violations` are those of the constraints.
    fn write_direction(&self, start: &mut Start<'_>, violations: &[(usize, f64)]);

    /// The largest value that is acceptable after `before`.
    fn most(before: f64) -> f64 {
        before
    }

    /// Called when a step was taken, in whole or in part.
    fn taken(&mut self, _step: &[f64]) {}
}

impl Start<'_> {
    /// Moves the closed bodies to the nearest closed poses at which the goal has a minimum.
    pub(super) fn descend<G: Goal>(
        &mut self,
        goal: &mut G,
        begin: &State,
        active: &dyn Fn(usize) -> bool,
    ) -> Result<(), NoStart> {
        let mut value = goal.value(self);
        let mut in_vain = 0;
        for _ in 0..STEPS {
            if value == 0.0 {
                break;
            }
            let Some(less) = self.descending_step(goal, value, (begin, active))? else {
                break;
            };
            let gain = value - less;
            value = less;
            in_vain += usize::from(gain <= GAINED * value);
            if in_vain == G::MOST_STALLED {
                break;
            }
        }
        Ok(())
    }

    /// Takes a descending step, or the part of one that descends. Returns the new value, `None` if no part
    /// descends.
    fn descending_step<G: Goal>(
        &mut self,
        goal: &mut G,
        value: f64,
        (begin, active): (&State, &dyn Fn(usize) -> bool),
    ) -> Result<Option<f64>, NoStart> {
        let from = self.state.clone();
        let weights = self.assembly_weights();
        let violations = self.position_violations(active);
        self.prescribe(begin);
        goal.write_direction(self, &violations);
        self.solve(&weights, active)?;
        let step = self.ws.rhs.clone();
        let mut share = 1.0;
        for _ in 0..=HALVINGS {
            self.ws.rhs.copy_from_slice(&step);
            self.move_bodies(share);
            let worst = self.close_keeping(begin, active)?;
            let now = goal.value(self);
            if worst <= ACCEPTED_VIOLATION && now <= G::most(value) {
                goal.taken(&step);
                return Ok(Some(now));
            }
            self.state.copy_from(&from);
            share *= 0.5;
        }
        Ok(None)
    }
}
