//! Data plane: numbers of bodies as the state holds them.

use super::Simulation;
use crate::ids::BodyArrayId;
use crate::math::Vec3;
use crate::model::BodyQuantity;
use crate::system::flexible::modal_part;

impl Simulation {
    /// An element, from 0, of an array of numbers of a body, in its own unit.
    pub fn body_array(&self, array: BodyArrayId, at: u32) -> f64 {
        let array = &self.model.body_arrays[array.index()];
        let (body, at) = (array.body.index(), at as usize);
        let value = match array.quantity {
            BodyQuantity::Position => self.origin(body)[at],
            BodyQuantity::Orientation => {
                let part = &self.run;
                part.state.quaternion(&part.system.layout, body)[at]
            }
            BodyQuantity::Velocity => self.origin_velocity(body)[at],
            BodyQuantity::AngularVelocity => self.spin(body)[at],
            BodyQuantity::ModalCoordinates => self.modal_coordinates(array.body)[at],
            BodyQuantity::ModalVelocities => self.modal_velocities(body)[at],
            BodyQuantity::Stress(point) => self.tensor(body, at, point, true),
            BodyQuantity::Strain(point) => self.tensor(body, at, point, false),
        };
        value * array.scale
    }

    /// From the centre of mass to the origin, ground axes \[m\].
    fn arm(&self, body: usize) -> Vec3 {
        let part = &self.run;
        let rotation = part.state.rotation(&part.system.layout, body);
        -(rotation * self.model.bodies[body].center_of_mass)
    }

    fn origin(&self, body: usize) -> Vec3 {
        let part = &self.run;
        part.state.position(&part.system.layout, body) + self.arm(body)
    }

    /// Angular velocity, ground axes [rad/s].
    fn spin(&self, body: usize) -> Vec3 {
        let part = &self.run;
        let layout = &part.system.layout;
        let (_, w) = part.state.rates(layout.velocity, body);
        part.state.rotation(layout, body) * w
    }

    fn origin_velocity(&self, body: usize) -> Vec3 {
        let part = &self.run;
        let (v, _) = part.state.rates(part.system.layout.velocity, body);
        v + self.spin(body).cross(&self.arm(body))
    }

    fn modal_velocities(&self, body: usize) -> &[f64] {
        let part = &self.run;
        let system = &part.system;
        let all = part.state.span(modal_part(system, system.layout.velocity));
        let entry = system.bodies[body].flexible;
        entry.map_or(&[], |k| &all[system.flexibles[k].modal.range()])
    }

    /// A component of stress \[Pa\] or strain at a point of a flexible body's file.
    fn tensor(&self, body: usize, component: usize, point: usize, stress: bool) -> f64 {
        let Some(flex) = &self.model.bodies[body].flexible else {
            return 0.0;
        };
        let points = if stress {
            &flex.data.stresses
        } else {
            &flex.data.strains
        };
        let shapes = &points[point].values;
        let q = self.modal_coordinates(crate::ids::BodyId::from(body));
        let terms = flex.modes.iter().zip(q);
        terms.map(|(mode, q)| shapes[*mode][component] * q).sum()
    }
}
