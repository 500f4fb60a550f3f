//! Control plane: what pictures need of the last accepted step: poses, modal coordinates, loads.

use super::{Part, Simulation, StartError};
use crate::elements::forces::{ForceLaw, contact, tyre};
use crate::elements::wrench::Wrench;
use crate::ids::{BodyId, ForceId, JointId, MotionId, ValueId};
use crate::math::rotation::quaternion;
use crate::math::{Mat3, Vec3};
use crate::mechanism::{Mechanism, ValueSource, check};
use crate::state::State;
use crate::system::compile::{Selection, initial_position};
use crate::system::{Owner, System, eval};
use crate::workspace::Workspace;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// A load, in ground.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Where it acts \[m\]: the point of a contact or of a tyre; `None`: at the marker.
    pub point: Option<Vec3>,
    /// \[N\].
    pub force: Vec3,
    /// About the point \[N m\].
    pub torque: Vec3,
}

impl Simulation {
    /// A mechanism with its bodies where the model puts them: compiled, but neither assembled nor started, so that it can be
    /// drawn and not stepped.
    pub fn as_written(mechanism: &Mechanism) -> Result<Box<Self>, StartError> {
        let mut mechanism = Box::new(mechanism.clone());
        if mechanism.follows_parameters() {
            let parameters = mechanism.parameters.iter();
            let starts: Vec<f64> = parameters.map(|p| p.quantity.start).collect();
            mechanism.derive(&starts)?;
        }
        check(&mechanism)?;
        let start = Part::new(&mechanism, Selection::Start)?;
        let run = start.clone();
        let mut simulation = Self::of_parts(mechanism, start, run);
        simulation.set_defaults()?;
        let Self { mechanism, run, .. } = &mut *simulation;
        let Part { system, state, ws } = &mut **run;
        state.reals[system.layout.time.first] = mechanism.experiment.start;
        for (body, entry) in mechanism.bodies.iter().enumerate() {
            let r = initial_position(mechanism, BodyId::from(body));
            state.set_pose(&system.layout, body, &r, &quaternion(&entry.orientation));
        }
        let feet = &system.feet_starts;
        state.span_mut(system.layout.feet).copy_from_slice(feet);
        eval::kinematics_at_state(system, state, ws);
        Ok(simulation)
    }

    /// Position of a part's centre of mass \[m\] and its axes in ground, for pictures.
    pub fn body_pose(&self, body: BodyId) -> (Vec3, Mat3) {
        let kinematics = &self.run.ws.bodies[body.index()];
        (kinematics.r, kinematics.rotation)
    }

    /// Velocity of a part's centre of mass and its angular velocity, in ground [m/s, rad/s].
    pub fn body_rates(&self, body: BodyId) -> (Vec3, Vec3) {
        let kinematics = &self.run.ws.bodies[body.index()];
        (kinematics.v, kinematics.omega)
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

    /// The load of a force element on the body of its marker I.
    pub fn force_on_i(&self, force: ForceId) -> Load {
        let Part { system, state, ws } = &*self.run;
        let wrench = &ws.force_wrenches[force.index()];
        let marker = system.forces[force.index()].i;
        let point = point_of_contact(system, state, ws, force);
        let arm = point.map_or_else(Vec3::zeros, |point| ws.markers[marker.index()].p - point);
        Load {
            point,
            force: wrench.force,
            torque: wrench.torque + arm.cross(&wrench.force),
        }
    }

    /// The load of a joint on the body of its marker I.
    pub fn joint_on_i(&self, joint: JointId) -> Load {
        self.constraints_on_i(Owner::Joint(joint))
    }

    /// The load of a motion on the body of its marker I.
    pub fn motion_on_i(&self, motion: MotionId) -> Load {
        self.constraints_on_i(Owner::Motion(motion))
    }

    fn constraints_on_i(&self, owner: Owner) -> Load {
        let Part { system, ws, .. } = &*self.run;
        let groups = system.groups.iter().zip(&ws.group_wrenches);
        let mut sum = Wrench::zero();
        for (_, wrench) in groups.filter(|(group, _)| group.owner == owner) {
            sum.add(wrench);
        }
        Load {
            point: None,
            force: sum.force,
            torque: sum.torque,
        }
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

/// The point where a contact or a tyre touches, in ground; `None` for other forces.
fn point_of_contact(
    system: &System,
    state: &State,
    ws: &Workspace,
    force: ForceId,
) -> Option<Vec3> {
    let context = eval::context(system, state, ws, force.index());
    match &system.forces[force.index()].law {
        ForceLaw::Contact(law) => Some(contact::point_of_contact(law, &context)),
        ForceLaw::Tyre { tyre, .. } => {
            let tyre = &system.tyres[tyre.index()];
            Some(tyre::point_of_contact(tyre, &context))
        }
        _ => None,
    }
}
