//! Data plane: contact of a shape on I with a surface fixed to J.
//!
//! The shape has a fixed number of points that may touch, each with a sphere about it ([`points`]). In the
//! axes of J, with b a point from the origin of I, r the radius of its sphere, s the distance of
//! p = d + b from the surface ([`surface`]), n the outward normal there, g = r − s the penetration and
//! (v, ω) the rates of (REL-1), each point adds
//!
//! ```text
//! f = N n − N κ u_t,   t = a×f,   a = b − r n                               (CNT-1)
//! ṡ = n·(v + ω×b),   u_t = v + ω×a − ṡ n,   κ = μ(|u_t|)/|u_t|              (CNT-2)
//! impact:         N = max(0, k g^e − c ṡ S(g/depth)),  S(y) = y²(3 − 2y)    (CNT-3)
//! Hunt–Crossley:  N = max(0, k g^e (1 − c ṡ))                               (CNT-4)
//! μ(u) = μs (3 x − x³)/2,  x = u/us                      up to us
//! μ(u) = μs + (μd − μs) S((u − us)/(ud − us))            from us to ud      (CNT-5)
//! ```
//! N = 0 where g ≤ 0, μ = μd beyond ud ([`laws`]). κ has no root in it at zero slip, so the tangent is
//! continuous there. Every branch is evaluated in every state: touching or not, sliding or not, the
//! same operations are done (docs/theory/contact.md).

mod laws;
mod points;
mod surface;

use crate::elements::forces::ForceContext;
use crate::elements::forces::coulomb::kappa;
use crate::elements::forces::relative::{Pair, Quad, Relative};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};
use crate::model::{ContactBody, ContactShape, NormalLaw};
use laws::{Law, Normal};
use points::Point;
use surface::Surface;

/// How many numbers a contact has: stiffness at one unit of length \[N\], that unit \[m\], exponent,
/// damping, depth of full damping \[m\], μs, μd, us, ud [m/s], sizes of I's shape and of J's (three
/// each: radius first, then length; or the edges of a box) \[m\].
pub const CONTACT_NUMBERS: usize = 15;

/// A contact and where its numbers are.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactLaw {
    /// First of [`CONTACT_NUMBERS`].
    pub values: usize,
    /// The shape on I.
    pub body: ContactBody,
    /// The surface on J.
    pub shape: ContactShape,
    /// The law of the normal force.
    pub law: NormalLaw,
}

/// What the points of a contact share.
struct Contact<'a> {
    law: &'a ContactLaw,
    relative: Relative,
    /// R_Jᵀ R_I.
    axes: Mat3,
    numbers: Law,
    /// Sizes of I's and of J's shape.
    sizes: [Vec3; 2],
}

impl<'a> Contact<'a> {
    fn new(law: &'a ContactLaw, c: &ForceContext<'_>) -> Self {
        let [stiffness, unit, exponent, damping, depth, rest @ ..] =
            c.numbers::<CONTACT_NUMBERS>(law.values);
        let [held, sliding, from, to, x, y, z, sx, sy, sz] = rest;
        Self {
            law,
            relative: Relative::of_points(c),
            axes: c.j.axes.tr_mul(&c.i.axes),
            numbers: Law {
                stiffness,
                unit,
                exponent,
                damping,
                depth,
                friction: [held, sliding, from, to],
            },
            sizes: [Vec3::new(x, y, z), Vec3::new(sx, sy, sz)],
        }
    }

    fn touches(&self) -> impl Iterator<Item = Touch<'_>> {
        (0..points::count(&self.law.body)).map(|k| Touch::new(self, k))
    }

    /// Sum of (CNT-1), in J's axes.
    fn loads(&self) -> Pair {
        let mut sum = [Vec3::zeros(); 2];
        for touch in self.touches() {
            let [force, torque] = touch.loads();
            sum[0] += force;
            sum[1] += torque;
        }
        sum
    }
}

/// Everything at one point.
struct Touch<'a> {
    /// v and ω.
    rate: &'a Pair,
    point: Point,
    surface: Surface,
    normal: Normal,
    /// a.
    arm: Vec3,
    /// v + ω×b.
    velocity: Vec3,
    /// ṡ.
    closing: f64,
    /// u_t.
    slip: Vec3,
    /// κ and its slope in |u_t|².
    friction: (f64, f64),
}

impl<'a> Touch<'a> {
    fn new(contact: &'a Contact<'_>, k: usize) -> Self {
        let law = contact.law;
        let [own, size] = &contact.sizes;
        let point = points::point(&law.body, k, own, &contact.axes);
        let p = contact.relative.place[0] + point.b;
        let surface = Surface::new(&law.shape, &p, size);
        let rate = &contact.relative.rate;
        let arm = point.b - surface.normal * point.radius;
        let velocity = rate[0] + rate[1].cross(&point.b);
        let closing = surface.normal.dot(&velocity);
        let slip = rate[0] + rate[1].cross(&arm) - surface.normal * closing;
        let depth = point.radius - surface.distance;
        Self {
            rate,
            normal: Normal::new(law.law, &contact.numbers, depth, closing),
            friction: kappa(contact.numbers.friction, slip.norm_squared()),
            point,
            surface,
            arm,
            velocity,
            closing,
            slip,
        }
    }

    /// n − κ u_t: the force for N = 1.
    fn direction(&self) -> Vec3 {
        self.surface.normal - self.slip * self.friction.0
    }

    /// (CNT-1), in J's axes.
    fn loads(&self) -> Pair {
        let force = self.direction() * self.normal.force;
        [force, self.arm.cross(&force)]
    }

    /// Adds (CNT-6): slopes of force and torque in (d, φ) and in (v, ω).
    fn add_slopes(&self, by_place: &mut Quad, by_rate: &mut Quad) {
        let (n, b) = (&self.surface.normal, &self.point.turn);
        let (along, force) = (self.direction(), self.loads()[0]);
        let (kappa, by_square) = self.friction;
        let across = (Mat3::identity() * kappa
            + self.slip * self.slip.transpose() * (2.0 * by_square))
            * self.normal.force;
        let (by_s, by_rate_of) = (self.normal.by_distance, self.normal.by_rate);
        let (arm, omega) = (skew(&self.arm), skew(&self.rate[1]));
        // In d, and in φ by way of b.
        let moved = [Mat3::identity(), *b];
        for (k, place) in moved.iter().enumerate() {
            let n_slope = self.surface.turn * place;
            let own = if k == 0 { Mat3::zeros() } else { *b };
            let arm_slope = own - n_slope * self.point.radius;
            let closing = self.velocity.transpose() * n_slope + n.transpose() * omega * own;
            let slip = omega * arm_slope - n * closing - n_slope * self.closing;
            let f = along * (n.transpose() * place * by_s + closing * by_rate_of)
                + n_slope * self.normal.force
                - across * slip;
            by_place[0][k] += f;
            by_place[1][k] += arm * f - skew(&force) * arm_slope;
        }
        let tangential = Mat3::identity() - n * n.transpose();
        let turned = [Mat3::identity(), -arm];
        for (k, moved) in turned.iter().enumerate() {
            let f = along * (n.transpose() * moved * by_rate_of) - across * tangential * moved;
            by_rate[0][k] += f;
            by_rate[1][k] += arm * f;
        }
    }
}

/// (CNT-1).
pub fn wrench(law: &ContactLaw, c: &ForceContext<'_>) -> Wrench {
    let contact = Contact::new(law, c);
    contact.relative.wrench(&contact.loads())
}

/// Derivatives, by (CNT-6) and (REL-2).
pub fn slopes(law: &ContactLaw, c: &ForceContext<'_>) -> WrenchSlopes {
    let contact = Contact::new(law, c);
    let mut by_place = [[Mat3::zeros(); 2]; 2];
    let mut by_rate = [[Mat3::zeros(); 2]; 2];
    for touch in contact.touches() {
        touch.add_slopes(&mut by_place, &mut by_rate);
    }
    let loads = contact.loads();
    contact.relative.slopes(c, &loads, &by_place, &by_rate)
}

/// Sum of k g^(e+1)/(e+1), of the elastic part.
pub fn energy(law: &ContactLaw, c: &ForceContext<'_>) -> f64 {
    let contact = Contact::new(law, c);
    contact.touches().map(|touch| touch.normal.energy).sum()
}
