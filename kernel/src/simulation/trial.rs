//! Control plane: what those who judge a run at its step look at.

use super::{Part, Simulation};
use crate::guard;
use crate::lint::{Bends, Subject, Vibration, fastest};
use alloc::vec::Vec;

impl Simulation {
    /// The model at the present state, as it is judged.
    pub(super) fn subject(&self) -> Subject<'_> {
        let Part { system, state, ws } = &*self.run;
        Subject {
            mechanism: &self.mechanism,
            system,
            state,
            ws,
            redundancy: &self.redundancy,
            missed: &self.missed,
            moved: &self.moved,
            step: state.step(&system.layout),
        }
    }

    /// Elements that vibrate with what they move at the present state, the fastest first.
    pub fn fastest(&self) -> Vec<Vibration> {
        fastest(&self.subject())
    }

    /// On which side of each of its places of bends the mechanism is.
    pub fn phases(&self, bends: &Bends, into: &mut Vec<i64>) {
        bends.phases(&self.subject(), into);
    }

    /// Energy that the mechanism has moved since the start \[J\]: the largest kinetic and potential energy that it had in
    /// motion, and all work.
    pub fn moved_energy(&self) -> f64 {
        guard::moved(&self.run.system, &self.run.state)
    }

    /// Sizes of Newton's corrections in the last step (COR-1), one after the other.
    pub fn corrections(&self) -> impl Iterator<Item = f64> {
        let sizes = self.stepper.iter().flat_map(|s| s.corrections.sizes());
        sizes.map(|size| size.size)
    }
}
