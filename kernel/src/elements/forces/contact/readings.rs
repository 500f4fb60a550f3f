//! Data plane: contact measures other than the force (penetration, slip, place), with gradients.
//!
//! Over the touching points, each with its normal force N (CNT-9):
//!
//! ```text
//! penetration: the largest g, or 0      normal force: Σ N
//! slip: Σ N |u_t| / Σ N                 place: Σ N (p − r n) / Σ N                  (CNT-9)
//! ```
//! If no point presses, slip and place are those of the point nearest to the surface.

use super::{Contact, ContactLaw, Touch};
use crate::elements::forces::ForceContext;
use crate::elements::kinematics::{Cotangent, MarkerKinematics};
use crate::math::{RowVec3, Vec3};
use crate::mechanism::ContactQuantity;

/// A measure \[SI\] with its gradients in I, J and the marker of the axes.
pub struct Reading {
    /// The value.
    pub value: f64,
    /// The gradients.
    pub gradient: [Cotangent; 3],
}

/// A number with its slopes in d, φ, v, ω.
#[derive(Clone, Copy)]
struct Number {
    value: f64,
    slopes: [RowVec3; 4],
}

impl Number {
    fn zero() -> Self {
        Self {
            value: 0.0,
            slopes: [RowVec3::zeros(); 4],
        }
    }

    fn new(value: f64, slopes: [RowVec3; 4]) -> Self {
        Self { value, slopes }
    }

    fn plus(&self, other: &Self, factor: f64) -> Self {
        Self {
            value: self.value + other.value * factor,
            slopes: core::array::from_fn(|k| self.slopes[k] + other.slopes[k] * factor),
        }
    }

    fn times(&self, other: &Self) -> Self {
        Self {
            value: self.value * other.value,
            slopes: core::array::from_fn(|k| {
                self.slopes[k] * other.value + other.slopes[k] * self.value
            }),
        }
    }

    /// Divided by a nonzero number.
    fn over(&self, other: &Self) -> Self {
        let value = self.value / other.value;
        let slope = |k: usize| (self.slopes[k] - other.slopes[k] * value) / other.value;
        Self {
            value,
            slopes: core::array::from_fn(slope),
        }
    }
}

/// A contact measure. For a place, `k` gives the axes and the origin.
pub fn reading(
    law: &ContactLaw,
    c: &ForceContext<'_>,
    quantity: ContactQuantity,
    k: &MarkerKinematics,
) -> Reading {
    let contact = Contact::new(law, c);
    // The axis in J, for a place.
    let axis = match quantity {
        ContactQuantity::Place(n) => k.axis(n),
        _ => Vec3::zeros(),
    };
    let along = contact.relative.axes.tr_mul(&axis);
    let sum = collect(&contact, quantity, &along);
    let [on_i, mut on_j] = contact.relative.cotangents(c, &sum.slopes);
    let mut on_k = Cotangent::zero();
    let mut value = sum.value;
    if let ContactQuantity::Place(_) = quantity {
        // e·(p_J + R x − p_K)
        let out = place(&contact);
        let from = c.j.p + out - k.p;
        value = axis.dot(&from);
        on_j.p += axis;
        on_j.psi += out.cross(&axis);
        on_k.p = -axis;
        on_k.psi = axis.cross(&from);
    }
    Reading {
        value,
        gradient: [on_i, on_j, on_k],
    }
}

/// The point of contact, in ground: the mean of the points that press, or the point that is nearest to the surface.
pub fn point_of_contact(law: &ContactLaw, c: &ForceContext<'_>) -> Vec3 {
    c.j.p + place(&Contact::new(law, c))
}

/// From J's origin to the point of contact, ground axes.
fn place(contact: &Contact<'_>) -> Vec3 {
    let at = |e: Vec3| collect(contact, ContactQuantity::Place(0), &e).value;
    contact.relative.axes * Vec3::new(at(Vec3::x()), at(Vec3::y()), at(Vec3::z()))
}

/// (CNT-9); for a place, its component along an axis of J.
fn collect(contact: &Contact<'_>, quantity: ContactQuantity, along: &Vec3) -> Number {
    let mut nearest = (f64::NEG_INFINITY, Number::zero());
    let (mut force, mut sum) = (Number::zero(), Number::zero());
    for touch in contact.touches() {
        let moves = touch.moves();
        let depth = touch.point.radius - touch.surface.distance;
        let own = match quantity {
            ContactQuantity::Penetration => {
                let on = if depth > 0.0 { 1.0 } else { 0.0 };
                Number::new(depth.max(0.0), moves.each_ref().map(|m| m.distance * -on))
            }
            ContactQuantity::NormalForce => Number::zero(),
            ContactQuantity::Slip => slip(&touch, &moves),
            ContactQuantity::Place(_) => {
                let place = contact.relative.place[0] + touch.arm;
                let mut slopes = moves.each_ref().map(|m| along.transpose() * m.arm);
                slopes[0] += along.transpose();
                Number::new(along.dot(&place), slopes)
            }
        };
        if depth > nearest.0 {
            nearest = (depth, own);
        }
        let slopes = moves.each_ref().map(|m| touch.normal_slope(m));
        let pressing = Number::new(touch.normal.force, slopes);
        force = force.plus(&pressing, 1.0);
        sum = sum.plus(&pressing.times(&own), 1.0);
    }
    match quantity {
        ContactQuantity::NormalForce => force,
        ContactQuantity::Penetration => nearest.1,
        _ if force.value > 0.0 => sum.over(&force),
        _ => nearest.1,
    }
}

/// |u_t|; its slope at zero slip is taken as zero.
fn slip(touch: &Touch<'_>, moves: &[super::Move; 4]) -> Number {
    let speed = touch.slip.norm();
    let unit = touch.slip / speed.max(f64::MIN_POSITIVE);
    Number::new(speed, moves.each_ref().map(|m| unit.transpose() * m.slip))
}
