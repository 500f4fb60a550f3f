//! Data plane: reads body quantities (positions, modal coordinates, stresses) from a state.

use super::Simulation;
use crate::analysis::sensitivity::BodyChange;
use crate::elements::kinematics::Weights;
use crate::ids::BodyArrayId;
use crate::math::rotation::multiply;
use crate::math::{Mat3, Vec3};
use crate::mechanism::{BodyQuantity, Mechanism};
use crate::state::State;
use crate::system::System;
use crate::system::flexible::modal_part;

impl Simulation {
    /// An element, counted from 0, of an array of body quantities, in its own unit.
    pub fn body_array(&self, array: BodyArrayId, at: u32) -> f64 {
        let shown = Bodies {
            mechanism: &self.mechanism,
            system: &self.run.system,
            state: &self.run.state,
        };
        shown.element(array.index(), at as usize)
    }
}

/// The arrays of body quantities of a model, at a state.
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

    /// Index of an element among all elements.
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

    /// Derivative of an element for a change of the body's motion; modal coordinates change with a solution of the
    /// step's equations.
    pub(super) fn slope(
        &self,
        (array, at): (BodyArrayId, u32),
        change: &BodyChange,
        (weights, solution): (&Weights, &[f64]),
    ) -> f64 {
        let (array, at) = (&self.mechanism.body_arrays[array.index()], at as usize);
        let body = array.body.index();
        let arm = self.arm(body);
        let value = match array.quantity {
            BodyQuantity::Position => (change.place + change.turn.cross(&arm))[at],
            BodyQuantity::Orientation => {
                let [x, y, z] = [0, 1, 2].map(|k| 0.5 * change.turn[k]);
                let q = self.state.quaternion(&self.system.layout, body);
                multiply(&[0.0, x, y, z], &q)[at]
            }
            BodyQuantity::Velocity => {
                let turning = self.spin_slope(body, change).cross(&arm);
                let moved = self.spin(body).cross(&change.turn.cross(&arm));
                (change.velocity + turning + moved)[at]
            }
            BodyQuantity::AngularVelocity => self.spin_slope(body, change)[at],
            BodyQuantity::ModalCoordinates => self.modal_slope(body, at, solution) * weights.x,
            BodyQuantity::ModalVelocities => self.modal_slope(body, at, solution) * weights.u,
            BodyQuantity::Stress(point) => {
                let modal = |j| self.modal_slope(body, j, solution) * weights.x;
                self.combined(body, at, (point, true), modal)
            }
            BodyQuantity::Strain(point) => {
                let modal = |j| self.modal_slope(body, j, solution) * weights.x;
                self.combined(body, at, (point, false), modal)
            }
        };
        value * array.scale
    }

    /// The indices of a padded vector that an array of body quantities reads.
    pub(super) fn places(&self, array: BodyArrayId) -> impl Iterator<Item = usize> {
        let body = self.mechanism.body_arrays[array.index()].body.index();
        let entry = &self.system.bodies[body];
        let own = entry.block.into_iter();
        let own = own.flat_map(|block| (0..entry.dof).map(move |k| block.offset() + k));
        let flexible = entry.flexible.map(|k| &self.system.flexibles[k]);
        let modal = flexible.into_iter();
        own.chain(modal.flat_map(|flex| (0..flex.modal.len).map(|j| flex.row(j))))
    }

    fn spin_slope(&self, body: usize, change: &BodyChange) -> Vec3 {
        change.turn.cross(&self.spin(body)) + self.rotation(body) * change.spin
    }

    fn modal_slope(&self, body: usize, mode: usize, solution: &[f64]) -> f64 {
        let entry = self.system.bodies[body].flexible;
        entry.map_or(0.0, |k| solution[self.system.flexibles[k].row(mode)])
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

    /// Modal coordinates of a flexible body, or their rates; empty for other bodies.
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
        let modal = self.modal(body, false);
        self.combined(body, component, (point, stress), |j| modal[j])
    }

    /// The same for other modal coordinates.
    fn combined(
        &self,
        body: usize,
        component: usize,
        (point, stress): (usize, bool),
        modal: impl Fn(usize) -> f64,
    ) -> f64 {
        let Some(flex) = &self.mechanism.bodies[body].flexible else {
            return 0.0;
        };
        let points = if stress {
            &flex.data.stresses
        } else {
            &flex.data.strains
        };
        let shapes = &points[point].values;
        let terms = flex.modes.iter().enumerate();
        let term = |(j, mode): (usize, &usize)| shapes[*mode][component] * modal(j);
        terms.map(term).sum()
    }
}
