//! Control plane: the wrenches of all forces of an element. A tendon has one for each of its pieces.

use super::Modes;
use crate::elements::wrench::Wrench;
use crate::math::Vec3;
use crate::state::vec3;
use crate::system::System;
use alloc::vec;
use alloc::vec::Vec;
use core::iter::{Chain, Once, once};
use core::ops::Range;

/// How much of a generic direction is added to the tension of a tendon, which may move nothing.
const GENERIC: f64 = 0.1;

impl Modes<'_> {
    /// Unit forces along the lines of all forces of an element: for a tendon, those of a unit tension. `None` if a line
    /// has no direction.
    pub(in crate::lint) fn along_lines(&self, f: usize) -> Option<Vec<Wrench>> {
        let along = |n: usize| {
            let element = &self.system.forces[n];
            let [i, j] = [element.i, element.j].map(|marker| self.ws.markers[marker.index()].p);
            Some(Wrench::force((i - j).try_normalize(0.0)?))
        };
        forces(self.system, f).map(along).collect()
    }

    /// Wrenches of all forces, to which no element is likely to be insensitive.
    pub(super) fn generic(&self, f: usize) -> Vec<Wrench> {
        let generic = Wrench {
            force: Vec3::new(0.62, -0.38, 0.69),
            torque: Vec3::new(-0.41, 0.73, 0.55),
        };
        if self.system.forces[f].others.is_empty() {
            return vec![generic];
        }
        let count = 1 + self.system.forces[f].others.len();
        let mut all = (self.along_lines(f)).unwrap_or_else(|| vec![Wrench::zero(); count]);
        // Equal forces in two pieces would cancel each other at the point between them.
        for (wrench, n) in all.iter_mut().zip(1_u32..) {
            wrench.force += generic.force * (GENERIC / f64::from(n));
        }
        all
    }

    /// Minus the changes of the wrenches of all forces of an element in a motion.
    pub(super) fn restoring_wrenches(&self, f: usize, places: &[(Vec3, Vec3)]) -> Vec<Wrench> {
        let restoring = |n| self.restoring_wrench(n, places);
        forces(self.system, f).map(restoring).collect()
    }

    /// Work of the wrenches of an element's forces on I, and of their reactions on J, in a motion.
    pub(in crate::lint) fn works(
        &self,
        f: usize,
        places: &[(Vec3, Vec3)],
        wrenches: &[Wrench],
    ) -> f64 {
        let all = forces(self.system, f).zip(wrenches);
        all.map(|(n, wrench)| self.work(n, places, wrench)).sum()
    }

    /// Twice the energy that wrenches of an element's forces store in modes that have lost their inertia.
    pub(in crate::lint) fn compliance(&self, f: usize, wrenches: &[Wrench]) -> f64 {
        let system = self.system;
        let mut pulled = vec![0.0; system.layout.modal.len];
        for (n, wrench) in forces(system, f).zip(wrenches) {
            for (body, load) in self.ends(&system.forces[n], wrench).into_iter().flatten() {
                let Some(k) = body.checked_sub(system.bodies.len()) else {
                    continue;
                };
                let frame = &system.frames[k];
                let entry = &system.flexibles[frame.flexible];
                let load = Wrench {
                    force: vec3(&load, 0),
                    torque: vec3(&load, 3),
                };
                let body = &self.ws.bodies[entry.body];
                let pull =
                    frame
                        .element
                        .body_load(&self.ws.flexible.relative_motions[k], body, &load);
                for (j, sum) in pulled[entry.modal.range()].iter_mut().enumerate() {
                    *sum += frame.element.modal(j, &pull);
                }
            }
        }
        let mut energy = 0.0;
        for entry in &system.flexibles {
            let own = pulled[entry.modal.range()].iter().enumerate();
            for (j, force) in own.filter(|(j, _)| entry.element.is_quasi_static(*j)) {
                let stiffness = entry.element.stiffness(j, j);
                if stiffness > 0.0 {
                    energy += force * force / stiffness;
                }
            }
        }
        energy
    }
}

/// All forces of the element whose first is `f`; for a later one, this alone.
pub(super) fn forces(system: &System, f: usize) -> Chain<Once<usize>, Range<usize>> {
    once(f).chain(system.forces[f].others.clone())
}

/// Does an element act on a flexible body?
pub(super) fn on_flexible(system: &System, f: usize) -> bool {
    forces(system, f).any(|n| {
        let element = &system.forces[n];
        let mut ends = [element.i, element.j].into_iter();
        ends.any(|m| system.body_of(m) >= system.bodies.len())
    })
}
