//! Control plane: what the start excites, and how mobile a wrench of an element is.

use super::{ITERATIONS, Mode, Modes, dot, numbers};
use crate::elements::wrench::Wrench;
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::state::vec3;
use alloc::vec::Vec;
use core::slice;

impl Modes<'_> {
    /// How strongly the start accelerations excite a mode of the element whose first force is `f`, for the prepared
    /// kind.
    ///
    /// R = C A⁻¹ Bᵀ maps a wrench on the bodies to the element's reaction to the resulting accelerations. A mode
    /// satisfies R w = ω² w; the reaction to accelerations a is C a = Σ sₙ wₙ. The left eigenvector y extracts the
    /// mode's part: s = yᵀ C a / yᵀ w. If friction depends on the normal load, R is not symmetric, and w in place of
    /// y would mistake slip for a vibration.
    pub(in crate::lint) fn push(&mut self, f: usize, mode: &Mode) -> Option<f64> {
        // Frames follow the bodies, as in a shape.
        let bodies = self.workspace().bodies.iter();
        let accelerations: Vec<_> = bodies.map(|b| (b.a, b.alpha)).collect();
        let restoring = self.restoring_wrenches(f, &accelerations);
        let push = if let ([own], [wrench]) = (&restoring[..], &mode.wrenches[..]) {
            let left = self.left(f, mode)?;
            dot(&left, &numbers(own)) / dot(&left, &numbers(wrench))
        } else {
            // An element of several forces is symmetric: y is the motion of its points.
            let work = |wrenches: &[Wrench]| self.works(f, &mode.shape.places, wrenches);
            work(&restoring) / work(&mode.wrenches)
        };
        push.is_finite().then_some(push)
    }

    /// The left eigenvector of a mode of a single force.
    fn left(&mut self, f: usize, mode: &Mode) -> Option<[f64; 6]> {
        let mut columns = [[0.0; 6]; 6];
        for (k, column) in columns.iter_mut().enumerate() {
            let moved = self.accelerations(f, &[unit(k)])?;
            *column = numbers(&self.restoring_wrench(f, &moved.places));
        }
        // For a symmetric element it is the motion of its points.
        let mut left = core::array::from_fn(|k| self.work(f, &mode.shape.places, &unit(k)));
        for _ in 0..ITERATIONS {
            let next: [f64; 6] = core::array::from_fn(|k| dot(&columns[k], &left));
            let size = dot(&next, &next).sqrt();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            left = next.map(|x| x / size);
        }
        Some(left)
    }

    /// The relative acceleration at the start along a unit wrench of force `f`.
    pub(in crate::lint) fn parting(&self, f: usize, wrench: &Wrench) -> f64 {
        let bodies = self.workspace().bodies.iter();
        let accelerations: Vec<_> = bodies.map(|b| (b.a, b.alpha)).collect();
        self.work(f, &accelerations, wrench)
    }

    /// The mobility of a unit wrench of force `f` at its own point [1/kg, 1/(kg m²)].
    pub(in crate::lint) fn mobility(&mut self, f: usize, wrench: &Wrench) -> f64 {
        self.mobility_of_all(f, slice::from_ref(wrench))
    }

    /// The mobility of unit wrenches of all forces of an element [1/kg, 1/(kg m²)].
    pub(in crate::lint) fn mobility_of_all(&mut self, f: usize, wrenches: &[Wrench]) -> f64 {
        let moved = self.accelerations(f, wrenches);
        moved.map_or(0.0, |shape| self.works(f, &shape.places, wrenches))
    }
}

/// One of the six unit wrenches.
fn unit(k: usize) -> Wrench {
    let components: [f64; 6] = core::array::from_fn(|n| f64::from(u8::from(n == k)));
    Wrench {
        force: vec3(&components, 0),
        torque: vec3(&components, 3),
    }
}
