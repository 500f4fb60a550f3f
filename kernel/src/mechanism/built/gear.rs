//! Control plane: the factors of a gear's legs, by the places of markers.

use super::super::{Body, Marker};
use crate::ids::MarkerId;
use crate::math::Vec3;
use serde::{Deserialize, Serialize};

/// A factor of a gear below this part of its possible size counts as zero.
const NOTHING: f64 = 1e-9;

/// One side of a gear.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tooth {
    /// The marker where both sides touch, with z along their common velocity.
    pub contact: MarkerId,
    /// The marker of the joint on the carrier.
    pub axle: MarkerId,
    /// Is that marker I of the joint, rather than J?
    pub reversed: bool,
    /// Does the joint turn?
    pub turns: bool,
    /// Does it slide?
    pub slides: bool,
    /// Is it the second side, which is subtracted?
    pub second: bool,
}

/// The joint moves nothing along z of the marker at the contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the joint moves nothing along z of the carrier's marker at its place; put the marker where the two parts touch, with z \
     along their common velocity"
)]
pub struct NoTooth;

impl Tooth {
    /// (GEA-1): velocity of the part at a joint of the carrier along z of the marker at the contact: factors of the
    /// displacement and of the rotation of the joint between `ends`.
    pub fn factors(
        &self,
        contact: &Marker,
        axle: &Marker,
        ends: [(&Marker, &Body); 2],
    ) -> Result<(f64, f64), NoTooth> {
        let one = |is: bool| f64::from(u8::from(is));
        let axis: Vec3 = axle.orientation.column(2).into();
        let along: Vec3 = contact.orientation.column(2).into();
        let arm = contact.position - axle.position;
        let turn = one(self.turns) * axis.cross(&arm).dot(&along);
        let slide = one(self.slides) * axis.dot(&along);
        if turn.abs() <= NOTHING * arm.norm() && slide.abs() <= NOTHING {
            return Err(NoTooth);
        }
        let sign = if self.reversed { -sense(ends) } else { 1.0 };
        let (slide, turn) = (sign * slide, sign * turn);
        Ok(if self.second {
            (-slide, -turn)
        } else {
            (slide, turn)
        })
    }
}

/// Do the z axes of I and J point the same way (1) or opposite ways (−1), as the model places them?
fn sense(ends: [(&Marker, &Body); 2]) -> f64 {
    let axis = |(marker, body): (&Marker, &Body)| -> Vec3 {
        (body.orientation * marker.orientation).column(2).into()
    };
    let [i, j] = ends.map(axis);
    i.dot(&j).signum()
}
