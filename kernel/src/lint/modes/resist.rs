//! Control plane: whether forces resist the motions that they cause, and how mobile a measure is.

use super::{Modes, dot, numbers};
use crate::elements::wrench::Wrench;
use crate::ids::LeafId;
use crate::system::layout::BLOCK;
use alloc::vec;
use core::slice;

impl Modes<'_> {
    /// How strongly a force resists a motion along one of its directions, times its mobility, for the prepared kind:
    /// stiffness per mass [1/s²] or damping per mass [1/s]. Rotation of the direction itself is ignored.
    pub(in crate::lint) fn resistance(&mut self, f: usize, wrench: &Wrench) -> Option<f64> {
        let moved = self.accelerations(f, slice::from_ref(wrench))?;
        let restoring = self.restoring_wrench(f, &moved.places);
        Some(dot(&numbers(&restoring), &numbers(wrench)) / dot(&numbers(wrench), &numbers(wrench)))
    }

    /// Do all forces together resist the motion that a force causes along one of its directions, for the prepared
    /// kind?
    pub(in crate::lint) fn all_resist(&mut self, f: usize, wrench: &Wrench) -> Option<bool> {
        let moved = self.accelerations(f, slice::from_ref(wrench))?;
        let works = (0..self.system.forces.len()).map(|other| {
            let restoring = self.restoring_wrench(other, &moved.places);
            self.work(other, &moved.places, &restoring)
        });
        Some(works.sum::<f64>() > 0.0)
    }

    /// The mobility of a leaf, for the prepared kind: gᵀA⁻¹g with its gradient g. `None` for a mechanism with
    /// flexible bodies.
    pub(in crate::lint) fn mobility_of(&mut self, leaf: LeafId) -> Option<f64> {
        if !self.system.flexibles.is_empty() {
            return None;
        }
        let place = self.system.schedule.leaves.get(leaf.index())?;
        let rows = &self.ws.row_arena[place.range()];
        let mut gradient = vec![0.0; self.ws.rhs.len()];
        for (block, row) in place.support.iter().zip(rows) {
            let at = block.offset();
            gradient[at..at + BLOCK].copy_from_slice(row);
        }
        let mut moved = gradient.clone();
        self.factor.solve(&mut moved);
        Some(gradient.iter().zip(&moved).map(|(a, b)| a * b).sum())
    }
}
