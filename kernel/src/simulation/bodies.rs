//! Data plane: numbers of bodies as a state holds them.

use super::Simulation;
use crate::ids::BodyArrayId;
use crate::math::{Mat3, Vec3};
use crate::mechanism::{BodyQuantity, Mechanism};
use crate::state::State;
use crate::system::System;
use crate::system::flexible::modal_part;

impl Simulation {
    /// An element, from 0, of an array of numbers of a body, in its own unit.
    pub fn body_array(&self, array: BodyArrayId, at: u32) -> f64 {
        let shown = Bodies {
            mechanism: &self.mechanism,
            system: &self.run.system,
            state: &self.run.state,
        };
        shown.element(array.index(), at as usize)
    }
}

/// What is requested of the bodies of a model, at a state.
#[derive(Clone, Copy)]
pub(super) struct Bodies<'a> {
    pub(super) mechanism: &'a Mechanism,
    pub(super) system: &'a System,
    pub(super) state: &'a State,
}

impl Bodies<'_> {
    /// All elements of all arrays, one after another.
    pub(super) fn all(self) -> impl Iterator<Item = f64> {
        let arrays = self.mechanism.body_arrays.iter().enumerate();
        arrays.flat_map(move |(k, array)| {
            (0..array.length as usize).map(move |at| self.element(k, at))
        })
    }

    /// Where an element stands among all.
    pub(super) fn place(mechanism: &Mechanism, array: BodyArrayId, at: u32) -> usize {
        mechanism.body_arrays[array.index()].first + at as usize
    }

    fn element(&self, array: usize, at: usize) -> f64 {
        let array = &self.mechanism.body_arrays[array];
        let body = array.body.index();
        let value = match array.quantity {
            BodyQuantity::Position => self.origin(body)[at],
            BodyQuantity::Orientation => self.state.quaternion(&self.system.layout, body)[at],
            BodyQuantity::Velocity => self.origin_velocity(body)[at],
            BodyQuantity::AngularVelocity => self.spin(body)[at],
            BodyQuantity::ModalCoordinates => self.modal(body, false)[at],
            BodyQuantity::ModalVelocities => self.modal(body, true)[at],
            BodyQuantity::Stress(point) => self.tensor(body, at, point, true),
            BodyQuantity::Strain(point) => self.tensor(body, at, point, false),
        };
        value * array.scale
    }

    fn rotation(&self, body: usize) -> Mat3 {
        self.state.rotation(&self.system.layout, body)
    }

    /// From the centre of mass to the origin, ground axes \[m\].
    fn arm(&self, body: usize) -> Vec3 {
        -(self.rotation(body) * self.mechanism.bodies[body].center_of_mass)
    }

    fn origin(&self, body: usize) -> Vec3 {
        self.state.position(&self.system.layout, body) + self.arm(body)
    }

    /// Angular velocity, ground axes [rad/s].
    fn spin(&self, body: usize) -> Vec3 {
        let (_, w) = self.state.rates(self.system.layout.velocity, body);
        self.rotation(body) * w
    }

    fn origin_velocity(&self, body: usize) -> Vec3 {
        let (v, _) = self.state.rates(self.system.layout.velocity, body);
        v + self.spin(body).cross(&self.arm(body))
    }

    /// Modal coordinates of a flexible body, or their rates; none of other bodies.
    fn modal(&self, body: usize, rates: bool) -> &[f64] {
        let layout = &self.system.layout;
        let span = if rates {
            modal_part(self.system, layout.velocity)
        } else {
            layout.modal
        };
        let entry = self.system.bodies[body].flexible;
        entry.map_or(&[], |k| {
            &self.state.span(span)[self.system.flexibles[k].modal.range()]
        })
    }

    /// A component of stress \[Pa\] or strain at a point of a flexible body's file.
    fn tensor(&self, body: usize, component: usize, point: usize, stress: bool) -> f64 {
        let Some(flex) = &self.mechanism.bodies[body].flexible else {
            return 0.0;
        };
        let points = if stress {
            &flex.data.stresses
        } else {
            &flex.data.strains
        };
        let shapes = &points[point].values;
        let terms = flex.modes.iter().zip(self.modal(body, false));
        terms.map(|(mode, q)| shapes[*mode][component] * q).sum()
    }
}
