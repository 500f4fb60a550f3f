//! Control plane: from a closed place to the closed place where something is least: the distance from where the model
//! put the bodies (ASM-2), or the energy of shapes that give way (ASM-3).

use crate::analysis::{ACCEPTED_VIOLATION, Start};
use crate::state::State;
use alloc::string::String;

/// Steps that a descent takes at most.
const STEPS: usize = 80;
/// How often a step is halved before there is nothing less.
const HALVINGS: usize = 10;
/// A gain of so little, as a part of what is left, is none.
pub(super) const GAINED: f64 = 1e-14;

/// What becomes least.
pub(super) trait Goal {
    /// Steps without gain that end the descent.
    const IN_VAIN: usize;

    /// Its value at the present place.
    fn value(&self, start: &Start<'_>) -> f64;

    /// Writes what pulls towards less into the right-hand side; `violations` are those of the constraints.
    fn pull(&self, start: &mut Start<'_>, violations: &[(usize, f64)]);

    /// The largest value that may follow another.
    fn most(before: f64) -> f64 {
        before
    }

    /// A step was taken, in whole or in part.
    fn taken(&mut self, _step: &[f64]) {}
}

impl Start<'_> {
    /// Moves the closed bodies to the nearest closed place where the goal is least.
    pub(super) fn descend<G: Goal>(
        &mut self,
        goal: &mut G,
        begin: &State,
        active: &dyn Fn(usize) -> bool,
    ) -> Result<(), String> {
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
            if in_vain == G::IN_VAIN {
                break;
            }
        }
        Ok(())
    }

    /// Takes a step towards less, or what of it leads there; the value then, `None` where nothing does.
    fn descending_step<G: Goal>(
        &mut self,
        goal: &mut G,
        value: f64,
        (begin, active): (&State, &dyn Fn(usize) -> bool),
    ) -> Result<Option<f64>, String> {
        let from = self.state.clone();
        let weights = self.assembly_weights();
        let violations = self.position_violations(active);
        self.prescribe(begin);
        goal.pull(self, &violations);
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
