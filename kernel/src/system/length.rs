//! Control plane: the characteristic length, which makes rotations comparable with lengths.

use crate::math::Vec3;
use crate::system::System;

/// The largest distance of a marker from its body's centre of mass, or 1 m if that is zero.
pub fn characteristic_length(system: &System) -> f64 {
    let largest = largest_offset(system);
    if largest > 0.0 { largest } else { 1.0 }
}

/// The largest distance of a marker from its body's centre of mass \[m\].
pub fn largest_offset(system: &System) -> f64 {
    system
        .markers
        .iter()
        .filter(|m| system.carrier(m.body.index()).dof > 0)
        .map(|m| {
            let frame = m.body.index().checked_sub(system.bodies.len());
            let node = frame.map_or_else(Vec3::zeros, |f| system.frames[f].element.offset());
            (node + m.offset).norm()
        })
        .fold(0.0, f64::max)
}
