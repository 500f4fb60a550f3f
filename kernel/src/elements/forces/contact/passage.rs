//! Data plane: detects a sphere that passes through a shape between two steps without contact in either, for the
//! guard.
//!
//! The path from position p to p' in J's axes is taken as straight; s and s' are the distances there, n and n' the
//! normals.
//!
//! ```text
//! p* = p + τ (p' − p),   τ = a/(a + a'),   a = max(|s| − r, 0)        (CNT-12)
//! ```
//! The sphere has passed through if it presses at p* and n·n' < −½: the normal force has, or would have, reversed its
//! direction. A mesh has no surface beyond its reach: then p and p' are the points where the path enters and leaves
//! the box of its cells. A sphere that leaves the box from behind the surface has passed through too, if it touches
//! at p*.

use super::surface::{self, Surface};
use super::{Contact, ContactLaw, Touch};
use crate::elements::forces::ForceContext;
use crate::math::Vec3;
use crate::mechanism::{ContactBody, ContactShape, PASSED};

/// Normals with a smaller dot product point away from each other.
const AWAY: f64 = -0.5;
/// Limit of the reported approach, however fast it is.
const MOST: f64 = 2.0;

/// Can I's sphere pass through J's shape? A shape without a far side only presses harder the deeper the sphere is.
pub fn may_pass(law: &ContactLaw) -> bool {
    let thin = match &law.shape {
        ContactShape::Sphere { hollow } | ContactShape::Cylinder { hollow } => !hollow,
        ContactShape::Drum | ContactShape::Box | ContactShape::Mesh(_) => true,
        ContactShape::Plane | ContactShape::Terrain(_) | ContactShape::Curve { .. } => false,
    };
    thin && matches!(law.body, ContactBody::Sphere)
}

/// Position of the sphere in J's axes \[m\].
pub fn place(law: &ContactLaw, c: &ForceContext<'_>) -> Vec3 {
    Contact::new(law, c).relative.place[0]
}

/// Result of the check of a sphere and a shape.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passage {
    /// [`PASSED`]; or, if they may meet in the next step, the approach in a step relative to the sizes of both
    /// shapes.
    pub value: f64,
    /// Their relative motion in a step \[m\].
    pub moved: f64,
    /// Position of the sphere in J's axes \[m\].
    pub place: Vec3,
}

/// Have they passed each other since the sphere was at `last`, or may they within the next step h?
pub fn passage(law: &ContactLaw, c: &ForceContext<'_>, last: &Vec3, h: f64) -> Passage {
    let contact = Contact::new(law, c);
    let place = contact.relative.place[0];
    let touch = Touch::new(&contact, 0, contact.memory(0));
    let radius = touch.point.radius;
    let path = Path {
        contact: &contact,
        radius,
        from: *last,
        along: place - last,
    };
    let near = Passage {
        place,
        ..approach(&contact, &touch, h)
    };
    if path.passes(touch.surface.distance) {
        Passage {
            value: PASSED,
            moved: path.along.norm(),
            place,
        }
    } else {
        near
    }
}

/// The approach within the next step, if the shapes may meet in it.
fn approach(contact: &Contact<'_>, touch: &Touch<'_>, h: f64) -> Passage {
    let size = &contact.sizes[1];
    let thick = match &contact.law.shape {
        ContactShape::Box => size.min(),
        ContactShape::Drum => (2.0 * size.x).min(size.y),
        ContactShape::Sphere { .. } | ContactShape::Cylinder { .. } => 2.0 * size.x,
        _ => 0.0,
    };
    let both = 2.0 * touch.point.radius + thick;
    let gap = touch.surface.distance - touch.point.radius;
    let moved = -touch.closing * h;
    if both > 0.0 && gap > 0.0 && gap < moved {
        Passage {
            value: (moved / both).min(MOST),
            moved,
            ..Passage::default()
        }
    } else {
        Passage::default()
    }
}

/// The path of a step.
struct Path<'a> {
    contact: &'a Contact<'a>,
    radius: f64,
    from: Vec3,
    along: Vec3,
}

impl Path<'_> {
    fn surface(&self, time: f64) -> Surface {
        let p = self.from + self.along * time;
        let shape = &self.contact.law.shape;
        Surface::new(shape, (&p, self.radius), &self.contact.sizes[1], 0.0)
    }

    /// Does the sphere pass through on its way to a point at this distance?
    fn passes(&self, distance: f64) -> bool {
        let [enters, leaves] = match &self.contact.law.shape {
            ContactShape::Mesh(mesh) => mesh.within(&self.from, &self.along),
            _ => [0.0, 1.0],
        };
        let [one, other] = [enters, leaves].map(|time| self.surface(time));
        let [a, b] = [&one, &other].map(|s| (s.distance.abs() - self.radius).max(0.0));
        let share = if a + b > 0.0 { a / (a + b) } else { 0.5 };
        let deepest = self.surface(enters + (leaves - enters) * share);
        let turned = one.normal.dot(&other.normal) < AWAY && deepest.distance < self.radius;
        let through = one.distance > 0.0 && other.distance < 0.0;
        let lost = distance >= surface::FAR && through && deepest.distance.abs() < self.radius;
        turned || lost
    }
}
