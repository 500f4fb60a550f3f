//! Control plane: measurements of a run by which a trial judges its step.

use super::{Part, Simulation};
use crate::guard;
use crate::ids::SensorId;
use crate::lint::{Brief, Kinks, Subject, Vibration, briefest, fastest};
use crate::mechanism::{Held, JointKind};
use crate::system::Owner;
use crate::system::length::characteristic_length;
use crate::system::residual::{gravity, inertia};
use alloc::vec::Vec;

/// The scales of a mechanism.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Mass of all moving parts \[kg\].
    pub mass: f64,
    /// The largest distance of a marker from its centre of mass, or 1 m \[m\].
    pub length: f64,
    /// Gravity [m/s²].
    pub gravity: f64,
}

impl Simulation {
    /// The model at the present state, for lint.
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

    /// Elements that vibrate at the present state, the fastest first.
    pub fn fastest(&self) -> Vec<Vibration> {
        fastest(&self.subject())
    }

    /// The briefest course of the functions of time in a range \[s\].
    pub fn briefest(&self, range: (f64, f64)) -> Option<Brief> {
        briefest(&self.subject(), range)
    }

    /// How often each sensor has triggered, including those that monitor flexible bodies.
    pub fn sensor_counts(&self) -> Vec<u64> {
        let Part { system, state, .. } = &*self.run;
        let held = state.span(system.layout.memory);
        let count = |k: usize| held[system.memory.place(Held::Count(SensorId::from(k)))] as u64;
        (0..self.mechanism.memory.sensors.len())
            .map(count)
            .collect()
    }

    /// Appends, for each place with a kink, the side that the mechanism is on.
    pub fn phases(&self, kinks: &Kinks, into: &mut Vec<i64>) {
        kinks.phases(&self.subject(), into);
    }

    /// Energy in motion since the start \[J\]: the largest kinetic and potential energy in motion, plus all work.
    pub fn moved_energy(&self) -> f64 {
        guard::moved(&self.run.system, &self.run.state)
    }

    /// The forces of joints that roll on a plane, along its normal, z of J, onto I: name and force \[N\]. Less than zero, the
    /// joint holds down what would lift off.
    pub fn rolling_loads(&self) -> impl Iterator<Item = (&str, f64)> {
        let Part { system, ws, .. } = &*self.run;
        let groups = system.groups.iter().zip(&ws.group_wrenches);
        groups.filter_map(move |(group, wrench)| {
            let Owner::Joint(joint) = group.owner else {
                return None;
            };
            let joint = &self.mechanism.joints[joint.index()];
            let rolls = matches!(
                joint.kind,
                JointKind::RollingWheel { .. } | JointKind::RollingBall { .. }
            );
            let normal = ws.markers[group.j.index()].axis(2);
            rolls.then(|| (&*joint.name, wrench.force.dot(&normal)))
        })
    }

    /// The scales of the mechanism.
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

    /// Sizes of Newton's corrections in the last step (COR-1), in order.
    pub fn corrections(&self) -> impl Iterator<Item = f64> {
        let sizes = self.stepper.iter().flat_map(|s| s.corrections.sizes());
        sizes.map(|size| size.value)
    }
}
