//! How far apart the shapes of a contact are, and how fast that may change, for the search of passages.

use super::{Contact, ContactLaw, Touch, surface};
use crate::elements::forces::ForceContext;
use crate::math::Vec3;
use crate::mechanism::ContactShape;

/// A passage along this part of what would be hit is found.
const FINE: f64 = 1.0 / 16.0;

/// The distance of two shapes.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// The least distance \[m\]; negative if they press.
    pub apart: f64,
    /// It changes no faster than this [m/s].
    pub speed: f64,
    /// Shapes that pass each other along less than this are not looked for \[m\].
    pub fine: f64,
}

/// The distance of the shapes of a contact. Beyond the cells of a mesh it is the distance from their box, which is less.
pub fn gap(law: &ContactLaw, c: &ForceContext<'_>) -> Gap {
    let contact = Contact::new(law, c);
    // Along these axes the surface does not change.
    let matters = match &law.shape {
        ContactShape::Plane => Vec3::new(0.0, 0.0, 1.0),
        ContactShape::Cylinder { .. } | ContactShape::Curve { .. } => Vec3::new(1.0, 1.0, 0.0),
        _ => Vec3::new(1.0, 1.0, 1.0),
    };
    let (mut apart, mut speed, mut reach) = (f64::INFINITY, 0.0_f64, 0.0_f64);
    let mut radius = 0.0_f64;
    for touch in contact.touches() {
        let distance = distance(&contact, &touch);
        apart = apart.min(distance - touch.point.radius);
        speed = speed.max(touch.velocity.component_mul(&matters).norm());
        reach = reach.max(touch.point.b.norm() + touch.point.radius);
        radius = radius.max(touch.point.radius);
    }
    let size = &contact.sizes[1];
    let thick = match &law.shape {
        ContactShape::Box => size.min(),
        ContactShape::Drum => (2.0 * size.x).min(size.y),
        ContactShape::Sphere { hollow: false } | ContactShape::Cylinder { hollow: false } => {
            2.0 * size.x
        }
        ContactShape::Mesh(mesh) => mesh.cell(),
        // A shape without a far side is as thick as what touches it.
        _ => reach,
    };
    Gap {
        apart,
        speed,
        fine: FINE * (2.0 * radius + thick),
    }
}

/// The distance of a point from the surface, or from the box around it where no surface is near.
fn distance(contact: &Contact<'_>, touch: &Touch<'_>) -> f64 {
    match &contact.law.shape {
        ContactShape::Mesh(mesh) if touch.surface.distance >= surface::FAR => {
            mesh.from_box(&(contact.relative.place[0] + touch.point.b)) + touch.point.radius
        }
        _ => touch.surface.distance,
    }
}
