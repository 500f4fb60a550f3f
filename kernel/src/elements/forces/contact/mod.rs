//! Data plane: contact forces between a shape on I and a surface fixed to J.
//!
//! The shape has a fixed number of points that may touch, each the centre of a sphere ([`points`]). In the axes of J,
//! with b a point from the origin of I, r the radius of its sphere, s the distance of p = d + b from the surface
//! ([`surface`]), n the outward normal there, g = r − s the penetration and (v, ω) the rates of (REL-1), each point
//! adds
//!
//! ```text
//! f = N n − N κ u_t,   t = a×f,   a = b − r n                               (CNT-1)
//! ṡ = n·(v + ω×b),   u_t = v + ω×a − ṡ n,   κ = μ(|u_t|)/|u_t|              (CNT-2)
//! impact:         N = max(0, k g^e − c ṡ S(g/depth)),  S(y) = y²(3 − 2y)    (CNT-3)
//! Hunt–Crossley:  N = max(0, k g^e (1 − c ṡ))                               (CNT-4)
//! μ(u) = μs (3 x − x³)/2,  x = u/us                      up to us
//! μ(u) = μs + (μd − μs) S((u − us)/(ud − us))            from us to ud      (CNT-5)
//! ```
//! N = 0 if g ≤ 0, μ = μd beyond ud ([`laws`]). κ contains no square root at zero slip, so the tangent is continuous
//! there. Every branch is evaluated in every state: touching or not, sliding or not, the work is the same
//! (docs/theory/contact.md).

mod gap;
pub(super) mod laws;
mod outline;
pub mod passage;
mod points;
mod readings;
mod surface;

pub use gap::{Gap, gap};
pub use readings::{Reading, point_of_contact, reading};

use crate::elements::forces::ForceContext;
use crate::elements::forces::coulomb::kappa;
use crate::elements::forces::relative::{Pair, Quad, Relative};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::skew;
use crate::math::{Mat3, RowVec3, Vec3};
use crate::mechanism::{ContactBody, ContactShape, NormalLaw};
use laws::{Law, Normal};
use outline::PosedSurface;
use points::Point;
use surface::Surface;

/// Count of a contact's numbers: stiffness at one unit of length \[N\], that unit \[m\], exponent, damping, depth of
/// full damping \[m\], μs, μd, us, ud [m/s], sizes of I's shape and of J's (three each: radius first, then length; or
/// the edges of a box) \[m\].
pub const CONTACT_NUMBERS: usize = 15;

/// Numbers in the memory of a point: the foot on a curve of J, the damping for its last approach (CNT-8), and its
/// parameter on a curve of I.
pub const MEMORY: usize = 3;

/// A contact and the indices of its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactLaw {
    /// First of [`CONTACT_NUMBERS`].
    pub values: usize,
    /// Index of its first memory number ([`Self::memories`]).
    pub memory: usize,
    /// The shape on I.
    pub body: ContactBody,
    /// The surface on J.
    pub shape: ContactShape,
    /// The law of the normal force.
    pub law: NormalLaw,
}

impl ContactLaw {
    /// Number of points that may touch.
    pub fn points(&self) -> usize {
        points::count(&self.body)
    }

    /// Is the surface or the outline a curve, whose foot is found from the one before?
    pub fn is_on_a_curve(&self) -> bool {
        matches!(self.shape, ContactShape::Curve { .. })
            || matches!(self.body, ContactBody::Curve(_))
    }

    /// Count of its memory numbers: [`MEMORY`] per point, or none.
    pub fn memories(&self) -> usize {
        if self.is_on_a_curve() || self.law == NormalLaw::Restitution {
            MEMORY * self.points()
        } else {
            0
        }
    }
}

/// Values that all points of a contact share.
struct Contact<'a> {
    law: &'a ContactLaw,
    relative: Relative,
    /// R_Jᵀ R_I.
    axes: Mat3,
    numbers: Law,
    /// Sizes of I's and of J's shape.
    sizes: [Vec3; 2],
    /// Empty if the contact has no memory.
    memory: &'a [f64],
}

impl<'a> Contact<'a> {
    fn new(law: &'a ContactLaw, c: &ForceContext<'a>) -> Self {
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
            memory: &c.memory[law.memory..law.memory + law.memories()],
        }
    }

    fn touches(&self) -> impl Iterator<Item = Touch<'_>> {
        (0..self.law.points()).map(|k| Touch::new(self, k, self.memory(k)))
    }

    /// The memory of point k.
    fn memory(&self, k: usize) -> [f64; MEMORY] {
        let kept = self.memory.get(MEMORY * k..).and_then(<[f64]>::first_chunk);
        kept.copied().unwrap_or_default()
    }

    /// The surface with a given foot.
    fn posed_surface(&self, foot: f64) -> PosedSurface<'_> {
        PosedSurface {
            shape: &self.law.shape,
            size: &self.sizes[1],
            relative: &self.relative,
            axes: &self.axes,
            foot,
        }
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

/// All values at one point.
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
    fn new(contact: &'a Contact<'_>, k: usize, memory: [f64; MEMORY]) -> Self {
        let law = contact.law;
        let [own, size] = &contact.sizes;
        let [foot, damping, start] = memory;
        let point = points::point(&law.body, (k, start), own, &contact.posed_surface(foot));
        let p = contact.relative.place[0] + point.b;
        let surface = Surface::new(&law.shape, (&p, point.radius), size, foot);
        let mut numbers = contact.numbers;
        if law.law == NormalLaw::Restitution {
            numbers.damping = damping;
        }
        let rate = &contact.relative.rate;
        let arm = point.b - surface.normal * point.radius;
        let velocity = rate[0] + rate[1].cross(&point.b);
        let closing = surface.normal.dot(&velocity);
        let slip = rate[0] + rate[1].cross(&arm) - surface.normal * closing;
        let depth = point.radius - surface.distance;
        Self {
            rate,
            normal: Normal::new(law.law, &numbers, depth, closing),
            friction: kappa(numbers.friction, slip.norm_squared()),
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

    /// The point's derivatives in d, φ (position) and v, ω (rate).
    fn moves(&self) -> [Move; 4] {
        let n = &self.surface.normal;
        let omega = skew(&self.rate[1]);
        let one = Mat3::identity();
        let of_place = |own: Mat3, place: Mat3| {
            let normal = self.surface.turn * place;
            let arm = own - normal * self.point.radius;
            let closing = self.velocity.transpose() * normal + n.transpose() * omega * own;
            Move {
                arm,
                normal,
                distance: n.transpose() * place,
                closing,
                slip: omega * arm - n * closing - normal * self.closing,
            }
        };
        let of_rate = |moved: Mat3| Move {
            arm: Mat3::zeros(),
            normal: Mat3::zeros(),
            distance: RowVec3::zeros(),
            closing: n.transpose() * moved,
            slip: moved - n * (n.transpose() * moved),
        };
        [
            of_place(self.point.shift, one + self.point.shift),
            of_place(self.point.turn, self.point.turn),
            of_rate(one),
            of_rate(-skew(&self.arm)),
        ]
    }

    /// δN for one of these derivatives.
    fn normal_slope(&self, m: &Move) -> RowVec3 {
        m.distance * self.normal.by_distance + m.closing * self.normal.by_rate
    }

    /// Adds (CNT-6): slopes of force and torque in d, φ, v, ω.
    fn add_slopes(&self, sum: &mut [[Mat3; 4]; 2]) {
        let (along, force) = (self.direction(), self.loads()[0]);
        let (kappa, by_square) = self.friction;
        let across = (Mat3::identity() * kappa
            + self.slip * self.slip.transpose() * (2.0 * by_square))
            * self.normal.force;
        let arm = skew(&self.arm);
        for (k, m) in self.moves().iter().enumerate() {
            let f = along * self.normal_slope(m) + m.normal * self.normal.force - across * m.slip;
            sum[0][k] += f;
            sum[1][k] += arm * f - skew(&force) * m.arm;
        }
    }
}

/// Derivatives of a contact point's values in one of d, φ, v, ω.
struct Move {
    /// δa.
    arm: Mat3,
    /// δn.
    normal: Mat3,
    /// δs.
    distance: RowVec3,
    /// δṡ.
    closing: RowVec3,
    /// δu_t.
    slip: Mat3,
}

/// (CNT-1).
pub fn wrench(law: &ContactLaw, c: &ForceContext<'_>) -> Wrench {
    let contact = Contact::new(law, c);
    contact.relative.wrench(&contact.loads())
}

/// Derivatives, by (CNT-6) and (REL-2).
pub fn slopes(law: &ContactLaw, c: &ForceContext<'_>) -> WrenchSlopes {
    let contact = Contact::new(law, c);
    let mut sum = [[Mat3::zeros(); 4]; 2];
    for touch in contact.touches() {
        touch.add_slopes(&mut sum);
    }
    let by_place: Quad = sum.map(|[d, phi, _, _]| [d, phi]);
    let by_rate: Quad = sum.map(|[_, _, v, omega]| [v, omega]);
    let loads = contact.loads();
    contact.relative.slopes(c, &loads, &by_place, &by_rate)
}

/// Sum of k g^(e+1)/(e+1), of the elastic part.
pub fn energy(law: &ContactLaw, c: &ForceContext<'_>) -> f64 {
    let contact = Contact::new(law, c);
    contact.touches().map(|touch| touch.normal.energy).sum()
}

/// Energy and penetration of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holds {
    /// Energy of its elastic part \[J\].
    pub energy: f64,
    /// The deepest penetration \[m\].
    pub depth: f64,
    /// Largest distance of I's shape from its marker, positive \[m\].
    pub size: f64,
}

/// Energy and penetration.
pub fn held(law: &ContactLaw, c: &ForceContext<'_>) -> Holds {
    let contact = Contact::new(law, c);
    let mut holds = Holds::default();
    for touch in contact.touches() {
        let depth = touch.point.radius - touch.surface.distance;
        let presses = touch.normal.energy > 0.0 && depth > holds.depth;
        holds.energy += touch.normal.energy;
        holds.depth = if presses { depth } else { holds.depth };
        let reach = touch.point.b.norm() + touch.point.radius;
        holds.size = if reach > holds.size {
            reach
        } else {
            holds.size
        };
    }
    if holds.size <= 0.0 {
        holds.size = 1.0;
    }
    holds
}

/// How firmly a contact grips: points in contact, and their slip.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactState {
    /// Number of points that press.
    pub pressing: usize,
    /// The largest slip velocity of these points [m/s].
    pub slip: f64,
    /// The velocity up to which static friction holds [m/s].
    pub holds: f64,
    /// Is there any friction?
    pub has_friction: bool,
}

/// The number of points that press, and their slip.
pub fn state(law: &ContactLaw, c: &ForceContext<'_>) -> ContactState {
    let contact = Contact::new(law, c);
    let [held, _, from, _] = contact.numbers.friction;
    let mut state = ContactState {
        holds: from,
        has_friction: held > 0.0,
        ..ContactState::default()
    };
    for touch in contact.touches() {
        let slip = touch.slip.norm();
        if touch.normal.force > 0.0 {
            state.pressing += 1;
            state.slip = if slip > state.slip { slip } else { state.slip };
        }
    }
    state
}

/// The deepest, or else nearest, point of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Deepest {
    /// Penetration \[m\]; negative if apart.
    pub depth: f64,
    /// Its rate [m/s].
    pub rate: f64,
    /// The outward normal of J there, ground axes.
    pub normal: Vec3,
    /// Largest distance of I's shape from its marker \[m\].
    pub reach: f64,
}

/// `None` if no surface is near.
pub fn deepest(law: &ContactLaw, c: &ForceContext<'_>) -> Option<Deepest> {
    let contact = Contact::new(law, c);
    let mut found: Option<Deepest> = None;
    let mut reach = 0.0;
    for touch in contact.touches() {
        let depth = touch.point.radius - touch.surface.distance;
        let own = touch.point.b.norm() + touch.point.radius;
        reach = if own > reach { own } else { reach };
        if depth.is_finite() && found.is_none_or(|known| depth > known.depth) {
            found = Some(Deepest {
                depth,
                rate: -touch.closing,
                normal: c.j.axes * touch.surface.normal,
                reach: 0.0,
            });
        }
    }
    found.map(|deepest| Deepest { reach, ..deepest })
}

/// The memory of point k after an accepted step.
pub fn remembered(law: &ContactLaw, c: &ForceContext<'_>, k: usize) -> [f64; MEMORY] {
    let contact = Contact::new(law, c);
    let (touch, [foot, old, parameter]) = found(&contact, k);
    let damping = match law.law {
        NormalLaw::Restitution => damping_after(&contact, &touch, old),
        _ => 0.0,
    };
    [foot, damping, parameter]
}

/// The memory of point k with the foot and the parameter of the present place, wherever they were before.
pub fn refound(law: &ContactLaw, c: &ForceContext<'_>, k: usize) -> [f64; MEMORY] {
    found(&Contact::new(law, c), k).1
}

/// The memory of point k where it has touched for less than a time \[s\]: the damping is that of its present approach.
pub fn begun(law: &ContactLaw, c: &ForceContext<'_>, k: usize, since: f64) -> [f64; MEMORY] {
    let contact = Contact::new(law, c);
    let (touch, [foot, old, parameter]) = found(&contact, k);
    let depth = touch.point.radius - touch.surface.distance;
    let damping = if depth >= 0.0 && depth <= -touch.closing * since {
        approach_damping(&contact, &touch)
    } else {
        old
    };
    [foot, damping, parameter]
}

/// Point k by the remembered foot, and its memory with the foot found anew.
fn found<'a>(contact: &'a Contact<'_>, k: usize) -> (Touch<'a>, [f64; MEMORY]) {
    let law = contact.law;
    let [foot, damping, _] = contact.memory(k);
    let own = match &law.body {
        ContactBody::Curve(curve) => Some(outline::deepest(curve, &contact.posed_surface(foot))),
        _ => None,
    };
    let [foot, parameter] = own.unwrap_or([foot, 0.0]);
    let touch = Touch::new(contact, k, [foot, damping, parameter]);
    let foot = match (own, &law.shape) {
        (None, shape @ ContactShape::Curve { .. }) => {
            surface::foot(shape, &(contact.relative.place[0] + touch.point.b), None)
        }
        _ => foot,
    };
    (touch, [foot, damping, parameter])
}

/// The damping to be remembered: while apart, that for the present approach; in contact, the last value. If a run
/// begins in contact, the one for the smallest approach velocity.
fn damping_after(contact: &Contact<'_>, touch: &Touch<'_>, old: f64) -> f64 {
    let Law { damping, depth, .. } = contact.numbers;
    let apart = touch.surface.distance >= touch.point.radius;
    if apart {
        approach_damping(contact, touch)
    } else if old > 0.0 {
        old
    } else {
        laws::damping_of(damping) / depth
    }
}

/// The damping for the present approach.
fn approach_damping(contact: &Contact<'_>, touch: &Touch<'_>) -> f64 {
    let Law { damping, depth, .. } = contact.numbers;
    laws::damping_of(damping) / (-touch.closing).max(depth)
}
