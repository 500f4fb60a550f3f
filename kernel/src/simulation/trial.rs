//! Control plane: what those who judge a run at its step look at.

use super::{Part, Simulation};
use crate::guard;
use crate::ids::SensorId;
use crate::lint::{Bends, Subject, Vibration, fastest};
use crate::mechanism::Held;
use crate::system::length::characteristic_length;
use crate::system::residual::{gravity, inertia};
use alloc::vec::Vec;

/// How large a mechanism is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// All masses that move \[kg\].
    pub mass: f64,
    /// The largest distance of a marker from its centre of mass, or 1 m \[m\].
    pub length: f64,
    /// Gravity [m/s²].
    pub gravity: f64,
}

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

    /// How often each sensor has triggered, flexible bodies that are watched among them.
    pub fn sensor_counts(&self) -> Vec<u64> {
        let Part { system, state, .. } = &*self.run;
        let held = state.span(system.layout.memory);
        let count = |k: usize| held[system.memory.place(Held::Count(SensorId::from(k)))] as u64;
        (0..self.mechanism.memory.sensors.len())
            .map(count)
            .collect()
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

    /// How large the mechanism is.
    pub fn size(&self) -> Size {
        let Part { system, state, ws } = &*self.run;
        let bodies = system.bodies.iter().enumerate();
        let free = bodies.filter(|(_, entry)| entry.block.is_some());
        Size {
            mass: free
                .map(|(body, _)| inertia(system, state, body).mass)
                .sum(),
            length: characteristic_length(system),
            gravity: gravity(system, state, ws).norm(),
        }
    }

    /// Sizes of Newton's corrections in the last step (COR-1), one after the other.
    pub fn corrections(&self) -> impl Iterator<Item = f64> {
        let sizes = self.stepper.iter().flat_map(|s| s.corrections.sizes());
        sizes.map(|size| size.size)
    }
}
