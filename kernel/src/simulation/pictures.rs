//! Control plane: what pictures need of the last accepted step: poses, modal coordinates, loads.

use super::{Part, Simulation};
use crate::elements::wrench::Wrench;
use crate::ids::{BodyId, ForceId, JointId, ValueId};
use crate::math::{Mat3, Vec3};
use crate::mechanism::ValueSource;
use crate::system::Owner;

impl Simulation {
    /// Position of a part's centre of mass \[m\] and its axes in ground, for pictures.
    pub fn body_pose(&self, body: BodyId) -> (Vec3, Mat3) {
        let kinematics = &self.run.ws.bodies[body.index()];
        (kinematics.r, kinematics.rotation)
    }

    /// Modal coordinates of a flexible body, in the order of its modes in the model, for pictures; empty for other
    /// bodies.
    pub fn modal_coordinates(&self, body: BodyId) -> &[f64] {
        let Part { system, state, .. } = &*self.run;
        let entry = system.bodies[body.index()].flexible;
        entry.map_or(&[], |k| {
            let all = state.span(system.layout.modal);
            &all[system.flexibles[k].modal.range()]
        })
    }

    /// The force and torque of a force element on its marker I, in ground, at the marker \[N, N m\].
    pub fn force_on_i(&self, force: ForceId) -> (Vec3, Vec3) {
        let Wrench { force, torque } = self.run.ws.force_wrenches[force.index()];
        (force, torque)
    }

    /// The load of a joint on its marker I, in ground, at the marker \[N, N m\].
    pub fn joint_on_i(&self, joint: JointId) -> (Vec3, Vec3) {
        let Part { system, ws, .. } = &*self.run;
        let groups = system.groups.iter().zip(&ws.group_wrenches);
        let mut sum = Wrench::zero();
        for (_, wrench) in groups.filter(|(group, _)| group.owner == Owner::Joint(joint)) {
            sum.add(wrench);
        }
        (sum.force, sum.torque)
    }

    /// A number of an element, at the present parameters; `None`: nothing that is stepped reads it.
    pub fn number(&self, number: ValueId) -> Option<f64> {
        let Part { system, state, .. } = &*self.run;
        match self.mechanism.values.get(number.index())?.source {
            ValueSource::Constant(value) => Some(value),
            ValueSource::Expression(_) => {
                let k = system.numbers.iter().position(|id| *id == number)?;
                state.span(system.layout.numbers).get(k).copied()
            }
        }
    }
}
