//! Data plane: contact of a sphere on I with a surface fixed to J.
//!
//! In the axes of J, with s the distance of the sphere's centre from the surface, n its outward normal
//! there, r the radius, g = r − s the penetration and (v, ω) the rates of (REL-1):
//!
//! ```text
//! f = N n − N κ u_t,   t = a×f,   a = −r n                                  (CNT-1)
//! ṡ = n·v,   u_t = v + ω×a − ṡ n,   κ = μ(|u_t|)/|u_t|                      (CNT-2)
//! impact:         N = max(0, k g^e − c ṡ S(g/depth)),  S(y) = y²(3 − 2y)    (CNT-3)
//! Hunt–Crossley:  N = max(0, k g^e (1 − c ṡ))                               (CNT-4)
//! μ(u) = μs (3 x − x³)/2,  x = u/us                      up to us
//! μ(u) = μs + (μd − μs) S((u − us)/(ud − us))            from us to ud      (CNT-5)
//! ```
//! N = 0 where g ≤ 0, μ = μd beyond ud. κ has no root in it at zero slip, so the tangent is
//! continuous there. Every branch is evaluated in every state: touching or not, sliding or not, the
//! same operations are done (docs/theory/contact.md).

use crate::elements::forces::ForceContext;
use crate::elements::forces::relative::{Pair, Relative};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3, pow};
use crate::model::{ContactShape, NormalLaw};

/// How many numbers a contact has: stiffness at one unit of length \[N\], that unit \[m\], exponent,
/// damping, depth of full damping \[m\], μs, μd, us, ud [m/s], radius of the sphere, size of the surface: radius, or edges of the box \[m\].
pub const CONTACT_NUMBERS: usize = 13;

/// Closer than this to a centre or an axis \[m\], a surface round it has no normal.
const NOWHERE: f64 = 1e-12;

/// What is raised to the exponent where nothing touches, in units of length.
const APART: f64 = 1e-3;

/// A contact and where its numbers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactLaw {
    /// First of [`CONTACT_NUMBERS`].
    pub values: usize,
    /// The surface.
    pub shape: ContactShape,
    /// The law of the normal force.
    pub law: NormalLaw,
}

/// A surface at the sphere's centre.
struct Surface {
    /// s.
    distance: f64,
    /// n.
    normal: Vec3,
    /// ∂n/∂d.
    turn: Mat3,
}

impl Surface {
    fn new(shape: ContactShape, d: &Vec3, size: &Vec3) -> Self {
        let (mask, hollow) = match shape {
            ContactShape::Plane => {
                return Self {
                    distance: d.z,
                    normal: Vec3::z(),
                    turn: Mat3::zeros(),
                };
            }
            ContactShape::Box => return Self::of_box(d, &(size * 0.5)),
            ContactShape::Sphere { hollow } => (Vec3::new(1.0, 1.0, 1.0), hollow),
            ContactShape::Cylinder { hollow } => (Vec3::new(1.0, 1.0, 0.0), hollow),
        };
        let sign = if hollow { -1.0 } else { 1.0 };
        let round = Self::away(&d.component_mul(&mask), &mask);
        Self {
            distance: sign * (round.distance - size.x),
            normal: round.normal * sign,
            turn: round.turn * sign,
        }
    }

    /// At a displacement from the nearest point, which moves with the centre along the axes that are 0
    /// in the mask.
    fn away(out: &Vec3, mask: &Vec3) -> Self {
        let length = out.norm();
        let reach = length.max(NOWHERE);
        let n = out / reach;
        Self {
            distance: length,
            normal: n,
            turn: (Mat3::from_diagonal(mask) - n * n.transpose()) / reach,
        }
    }

    /// Of a box with these half edges: from its nearest point, or within it from its nearest face.
    fn of_box(d: &Vec3, half: &Vec3) -> Self {
        let beyond = d.abs() - half;
        let out = beyond.zip_map(d, |b, x| b.max(0.0).copysign(x));
        let outside = Self::away(&out, &beyond.map(|b| f64::from(u8::from(b > 0.0))));
        let face = beyond.imax();
        let mut normal = Vec3::zeros();
        normal[face] = 1.0_f64.copysign(d[face]);
        let inside = Self {
            distance: beyond[face],
            normal,
            turn: Mat3::zeros(),
        };
        if outside.distance > NOWHERE {
            outside
        } else {
            inside
        }
    }
}

/// S of (CNT-3), held at 0 and 1, and its slope.
fn smooth(y: f64) -> (f64, f64) {
    let y = y.clamp(0.0, 1.0);
    (y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y))
}

/// The normal force and its slopes.
struct Normal {
    /// N.
    force: f64,
    /// ∂N/∂s.
    by_distance: f64,
    /// ∂N/∂ṡ.
    by_rate: f64,
    /// ∫ k g^e dg.
    energy: f64,
}

impl Normal {
    /// (CNT-3), (CNT-4).
    fn new(law: NormalLaw, n: &[f64; CONTACT_NUMBERS], g: f64, rate: f64) -> Self {
        let [stiffness, unit, exponent, damping, depth, ..] = *n;
        let touching = g > 0.0;
        // One power in every state; of 1 it would cost less.
        let deep = if touching { g } else { unit * APART };
        let spring = stiffness * pow(deep / unit, exponent);
        let slope = exponent * spring / deep;
        let (raw, by_g, by_rate) = match law {
            NormalLaw::Impact => {
                let (s, ds) = smooth(g / depth);
                let drag = damping * rate;
                (spring - drag * s, slope - drag * ds / depth, -(damping * s))
            }
            NormalLaw::HuntCrossley => {
                let factor = 1.0 - damping * rate;
                (spring * factor, slope * factor, -(damping * spring))
            }
        };
        let on = |x: f64, yes: bool| if yes { x } else { 0.0 };
        let pressing = touching && raw > 0.0;
        Self {
            force: on(raw, pressing),
            by_distance: on(-by_g, pressing),
            by_rate: on(by_rate, pressing),
            energy: on(spring * deep / (exponent + 1.0), touching),
        }
    }
}

/// κ of (CNT-5) over the square of the slip velocity, and its slope.
fn friction(n: &[f64; CONTACT_NUMBERS], square: f64) -> (f64, f64) {
    let [.., held, sliding, from, to, _, _, _, _] = *n;
    let sticks = square <= from * from;
    let x = square / (from * from);
    let inner = (
        held * (1.5 - 0.5 * x) / from,
        -0.5 * held / (from * from * from),
    );
    let speed = square.sqrt().max(from);
    let width = (to - from).max(f64::MIN_POSITIVE);
    let (s, ds) = smooth((speed - from) / width);
    let mu = held + (sliding - held) * s;
    let by_speed = (sliding - held) * ds / width;
    let outer = (
        mu / speed,
        (by_speed * speed - mu) / (2.0 * speed * speed * speed),
    );
    if sticks { inner } else { outer }
}

/// Everything at one state.
struct Contact {
    relative: Relative,
    radius: f64,
    surface: Surface,
    normal: Normal,
    /// ṡ.
    rate: f64,
    /// u_t.
    slip: Vec3,
    /// κ and its slope in |u_t|².
    friction: (f64, f64),
}

impl Contact {
    fn new(law: &ContactLaw, c: &ForceContext<'_>) -> Self {
        let n = c.numbers::<CONTACT_NUMBERS>(law.values);
        let [.., radius, x, y, z] = n;
        let relative = Relative::of_points(c);
        let surface = Surface::new(law.shape, &relative.place[0], &Vec3::new(x, y, z));
        let [v, omega] = &relative.rate;
        let rate = surface.normal.dot(v);
        let arm = surface.normal * -radius;
        let slip = v + omega.cross(&arm) - surface.normal * rate;
        Self {
            normal: Normal::new(law.law, &n, radius - surface.distance, rate),
            friction: friction(&n, slip.norm_squared()),
            radius,
            rate,
            slip,
            surface,
            relative,
        }
    }

    /// a.
    fn arm(&self) -> Vec3 {
        self.surface.normal * -self.radius
    }

    /// n − κ u_t: the force for N = 1.
    fn direction(&self) -> Vec3 {
        self.surface.normal - self.slip * self.friction.0
    }

    /// (CNT-1), in J's axes.
    fn loads(&self) -> Pair {
        let force = self.direction() * self.normal.force;
        [force, self.arm().cross(&force)]
    }

    /// ∂f/∂d, ∂f/∂v, ∂f/∂ω (CNT-6).
    fn force_slopes(&self) -> [Mat3; 3] {
        let (n, turn) = (&self.surface.normal, &self.surface.turn);
        let [v, omega] = &self.relative.rate;
        let (normal, along) = (&self.normal, self.direction());
        let rate_by_d = (turn * v).transpose();
        let (kappa, by_square) = self.friction;
        let across = (Mat3::identity() * kappa
            + self.slip * self.slip.transpose() * (2.0 * by_square))
            * normal.force;
        let slip_by_d = skew(omega) * turn * -self.radius - n * rate_by_d - turn * self.rate;
        let by_distance = along * (n.transpose() * normal.by_distance);
        [
            by_distance + along * (rate_by_d * normal.by_rate) + turn * normal.force
                - across * slip_by_d,
            along * (n.transpose() * normal.by_rate)
                - across * (Mat3::identity() - n * n.transpose()),
            across * skew(&self.arm()),
        ]
    }
}

/// (CNT-1).
pub fn wrench(law: &ContactLaw, c: &ForceContext<'_>) -> Wrench {
    let contact = Contact::new(law, c);
    contact.relative.wrench(&contact.loads())
}

/// Derivatives, by (CNT-6) and (REL-2); the sphere's turn has no effect of its own.
pub fn slopes(law: &ContactLaw, c: &ForceContext<'_>) -> WrenchSlopes {
    let contact = Contact::new(law, c);
    let loads = contact.loads();
    let [by_d, by_v, by_omega] = contact.force_slopes();
    let (arm, o) = (skew(&contact.arm()), Mat3::zeros());
    let lever = skew(&loads[0]) * contact.surface.turn * contact.radius;
    let by_place = [[by_d, o], [arm * by_d + lever, o]];
    let by_rate = [[by_v, by_omega], [arm * by_v, arm * by_omega]];
    contact.relative.slopes(c, &loads, &by_place, &by_rate)
}

/// k g^(e+1)/(e+1) of the elastic part.
pub fn energy(law: &ContactLaw, c: &ForceContext<'_>) -> f64 {
    Contact::new(law, c).normal.energy
}
