//! Data plane: rows of rolling and of edges: unit wrenches, rates and derivatives.
//!
//! A wheel is a torus: a circle of radius κ about the axis a = z_I of marker I, as centre of a tube of radius ρ (zero:
//! a thin disc). It rolls on the plane through p_J with the normal n = z_J. With c = a·n, s = |a×n| the frame of its
//! contact and the point of contact are
//!
//! ```text
//! t = a×n/s,   b = n×t = (a − c n)/s,   m = −(n − c a)/s,   r = κ m − ρ n            (ROL-1)
//! ```
//! t is along the track, b across it, m the direction in the plane of the wheel that falls most steeply, r the point of
//! contact from p_I. The plane is touched by the lowest point, a row of positions; the body's point there does not
//! move along t nor along b, as seen from J. With v the velocity of p_I seen from J's body and Ω the relative angular
//! velocity:
//!
//! ```text
//! touch   n·d − κ s − ρ = 0                   f̂ = n    t̂ = κ c t                   (ROL-2)
//! along   t·(v + Ω×r) = 0                     f̂ = t    t̂ = −(κ a + ρ b)            (ROL-3)
//! across  b·(v + Ω×r) = 0                     f̂ = b    t̂ = (κ s + ρ) t             (ROL-4)
//! ball    e·(v − ρ Ω×n) = 0, e = x_J, y_J     f̂ = e    t̂ = −ρ n×e                  (ROL-5)
//! edge    a·v = 0                             f̂ = a    t̂ = 0                       (ROL-6)
//! ```
//! All but the first are not holonomic: they restrict velocities, not positions. Each is f̂·v + t̂·Ω = 0, so its force
//! −λ f̂ acts at the point of contact. (Neimark and Fufaev, *Dynamics of Nonholonomic Systems*, 1972, ch. I, III.)
//!
//! The derivatives follow from those of c, s, t and b in the rotations of both markers:
//!
//! ```text
//! δc = s t·(δψ_I − δψ_J),   δs = −c t·(δψ_I − δψ_J)
//! δt = (1 − t tᵀ)(δa×n + a×δn)/s,   δb = δn×t + n×δt                                 (ROL-7)
//! ```

use crate::elements::kinematics::{Cotangent, MarkerKinematics};
use crate::elements::wrench::{Map, Wrench};
use crate::math::dual::{Dual, DualVec};
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3};

/// A torus: a wheel with its tread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    /// κ: from the axis to the centre of the tread's curvature \[m\].
    pub rim: f64,
    /// ρ: radius of the tread across the wheel \[m\].
    pub crown: f64,
}

/// What a row of rolling restricts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rolling {
    /// (ROL-2): the torus touches the plane.
    Touch(Torus),
    /// (ROL-2) with κ = 0: a ball of the radius ρ \[m\] touches the plane.
    Rest(f64),
    /// (ROL-3): no slip along the track.
    Along(Torus),
    /// (ROL-4): no slip across the track.
    Across(Torus),
    /// (ROL-5): no slip of a ball along an axis of J, x (0) or y (1).
    Ball {
        /// ρ \[m\].
        radius: f64,
        /// The axis.
        axis: u8,
    },
    /// (ROL-6): no velocity along z of I.
    Edge,
}

/// The frame of the contact (ROL-1).
struct Contact {
    a: Vec3,
    n: Vec3,
    c: f64,
    s: f64,
    t: Vec3,
    b: Vec3,
}

impl Contact {
    #[inline]
    fn of(i: &MarkerKinematics, j: &MarkerKinematics) -> Self {
        let (a, n) = (i.axis(2), j.axis(2));
        let c = a.dot(&n);
        let across = a.cross(&n);
        let s = across.norm();
        // A wheel that lies flat has no track; its rows are empty then.
        let t = across / s.max(f64::MIN_POSITIVE);
        let b = n.cross(&t);
        Self { a, n, c, s, t, b }
    }

    /// (ROL-7): the derivatives of t and of b in δψ_I and in δψ_J.
    fn turning(&self) -> [[Mat3; 2]; 2] {
        let (a, n, t) = (&self.a, &self.n, &self.t);
        let project = (Mat3::identity() - t * t.transpose()) / self.s;
        let t_by = [project * skew_skew(n, a), -(project * skew_skew(a, n))];
        let lift = skew(n);
        let b_by = [lift * t_by[0], lift * t_by[1] + skew_skew(t, n)];
        [t_by, b_by]
    }
}

/// Derivatives of a unit wrench in δψ_I and δψ_J.
pub type Turning = [Map; 2];

/// The relative motion of two markers, as the rates of rows see it.
pub struct Relative {
    /// v: velocity of p_I seen from J's body.
    pub v: Vec3,
    /// Ω.
    pub omega: Vec3,
    /// v̇ in ground axes.
    pub v_rate: Vec3,
    /// Ω̇ in ground axes.
    pub omega_rate: Vec3,
}

impl Relative {
    /// Of the markers I and J.
    pub fn of(i: &MarkerKinematics, j: &MarkerKinematics) -> Self {
        let (d, apart) = (i.p - j.p, i.v - j.v);
        Self {
            v: apart - j.omega.cross(&d),
            omega: i.omega - j.omega,
            v_rate: i.a - j.a - j.alpha.cross(&d) - j.omega.cross(&apart),
            omega_rate: i.alpha - j.alpha,
        }
    }
}

impl Rolling {
    /// Does it restrict velocities only?
    pub fn is_rate(&self) -> bool {
        !matches!(self, Self::Touch(_) | Self::Rest(_))
    }

    /// Is f̂ fixed to J?
    pub fn turns_with_j(&self) -> bool {
        matches!(self, Self::Touch(_) | Self::Rest(_) | Self::Ball { .. })
    }

    /// Φ, zero for a row of velocities, and the unit wrench.
    #[inline]
    pub fn evaluate(
        &self,
        (i, j): (&MarkerKinematics, &MarkerKinematics),
        d: &Vec3,
    ) -> (f64, Wrench) {
        let wrench = |force, torque| Wrench { force, torque };
        match self {
            Self::Touch(torus) => {
                let Contact { n, c, s, t, .. } = Contact::of(i, j);
                let height = torus.rim * s + torus.crown;
                (n.dot(d) - height, wrench(n, t * (torus.rim * c)))
            }
            Self::Rest(radius) => {
                let n = j.axis(2);
                (n.dot(d) - radius, Wrench::force(n))
            }
            Self::Along(torus) => {
                let Contact { a, t, b, .. } = Contact::of(i, j);
                (0.0, wrench(t, -(a * torus.rim + b * torus.crown)))
            }
            Self::Across(torus) => {
                let Contact { s, t, b, .. } = Contact::of(i, j);
                (0.0, wrench(b, t * (torus.rim * s + torus.crown)))
            }
            Self::Ball { radius, axis } => {
                let e = j.axis(*axis);
                (0.0, wrench(e, e.cross(&j.axis(2)) * *radius))
            }
            Self::Edge => (0.0, Wrench::force(i.axis(2))),
        }
    }

    /// The derivatives of the unit wrench in δψ_I and δψ_J.
    pub fn turning(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> Turning {
        let none = Mat3::zeros();
        let both = |f: [Mat3; 2], t: [Mat3; 2]| [0, 1].map(|k| Map { f: f[k], t: t[k] });
        match self {
            Self::Touch(torus) => {
                let contact = Contact::of(i, j);
                let [t_by, _] = contact.turning();
                let Contact { n, c, s, t, .. } = contact;
                let tilt = t * t.transpose() * s;
                let by = [t_by[0] * c + tilt, t_by[1] * c - tilt];
                both([none, -skew(&n)], by.map(|x| x * torus.rim))
            }
            Self::Rest(_) => both([none, -skew(&j.axis(2))], [none, none]),
            Self::Along(torus) => {
                let contact = Contact::of(i, j);
                let [t_by, b_by] = contact.turning();
                let [on_i, on_j] = b_by.map(|x| x * -torus.crown);
                both(t_by, [skew(&contact.a) * torus.rim + on_i, on_j])
            }
            Self::Across(torus) => {
                let contact = Contact::of(i, j);
                let [t_by, b_by] = contact.turning();
                let Contact { c, s, t, .. } = contact;
                let height = torus.rim * s + torus.crown;
                let fall = t * t.transpose() * (torus.rim * c);
                both(b_by, [t_by[0] * height - fall, t_by[1] * height + fall])
            }
            Self::Ball { radius, axis } => {
                let e = j.axis(*axis);
                let turn = e.cross(&j.axis(2)) * *radius;
                both([none, -skew(&e)], [none, -skew(&turn)])
            }
            Self::Edge => both([-skew(&i.axis(2)), none], [none, none]),
        }
    }

    /// Φ̇ and Φ̈.
    ///
    /// ```text
    /// Φ̇ = f̂·v + t̂·Ω,   Φ̈ = f̂·v̇ + t̂·Ω̇ + (df̂/dt)·v + (dt̂/dt)·Ω               (ROL-8)
    /// ```
    pub fn rates(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> (f64, f64) {
        let (_, unit) = self.evaluate((i, j), &(i.p - j.p));
        let relative = Relative::of(i, j);
        let turned = self.turned(i, j);
        let first = unit.force.dot(&relative.v) + unit.torque.dot(&relative.omega);
        let second = unit.force.dot(&relative.v_rate)
            + unit.torque.dot(&relative.omega_rate)
            + turned.force.dot(&relative.v)
            + turned.torque.dot(&relative.omega);
        (first, second)
    }

    /// The rate of the unit wrench.
    fn turned(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> Wrench {
        let [by_i, by_j] = self.turning(i, j);
        Wrench {
            force: by_i.f * i.omega + by_j.f * j.omega,
            torque: by_i.t * i.omega + by_j.t * j.omega,
        }
    }

    /// The derivative of `first` Φ̇ + `second` Φ̈ in the quantities of the markers. `second` costs much more.
    pub fn cotangents(
        &self,
        i: &MarkerKinematics,
        j: &MarkerKinematics,
        (first, second): (f64, f64),
    ) -> [Cotangent; 2] {
        let d = i.p - j.p;
        let (_, unit) = self.evaluate((i, j), &d);
        let relative = Relative::of(i, j);
        let by = self.turning(i, j);
        let along = |f: &Vec3, t: &Vec3| by.map(|map| map.f.tr_mul(f) + map.t.tr_mul(t));
        let mut to = [Cotangent::zero(), Cotangent::zero()];
        // f̂·v + t̂·Ω.
        let seen = along(&relative.v, &relative.omega);
        let mut push = unit.force * first;
        let mut turn = unit.torque * first;
        for (to, seen) in to.iter_mut().zip(&seen) {
            to.psi += seen * first;
        }
        if second != 0.0 {
            let turned = self.turned(i, j);
            push += turned.force * second;
            turn += turned.torque * second;
            let gained = along(&relative.v_rate, &relative.omega_rate);
            let bent = self.bend(i, j, &relative);
            for (k, to) in to.iter_mut().enumerate() {
                to.psi += (gained[k] + bent[k]) * second;
                to.omega += seen[k] * second;
            }
            add_acceleration(&unit, (j, &d, &(i.v - j.v)), second, &mut to);
        }
        let [on_i, on_j] = &mut to;
        on_i.v += push;
        on_j.v -= push;
        let carried = j.omega.cross(&push);
        on_i.p += carried;
        on_j.p -= carried;
        on_i.omega += turn;
        on_j.omega -= turn + d.cross(&push);
        to
    }

    /// The derivatives in δψ_I and δψ_J of the rate of the unit wrench, times v and Ω, at fixed angular velocities.
    fn bend(&self, i: &MarkerKinematics, j: &MarkerKinematics, relative: &Relative) -> [Vec3; 2] {
        let (v, omega) = (constant(&relative.v), constant(&relative.omega));
        let (a, n) = (Moving::axis(2, i, 0), Moving::axis(2, j, 3));
        let (force, torque) = match self {
            Self::Touch(torus) => {
                let Track { c, c_rate, t, .. } = Track::of(&a, &n);
                let tilt = t.rate.times(&c).plus(&t.at.times(&c_rate));
                (n.rate, scaled(&tilt, torus.rim))
            }
            Self::Rest(_) => (n.rate, DualVec::zero()),
            Self::Along(torus) => {
                let Track { t, b, .. } = Track::of(&a, &n);
                let lever = scaled(&a.rate, -torus.rim).minus(&scaled(&b.rate, torus.crown));
                (t.rate, lever)
            }
            Self::Across(torus) => {
                let Track {
                    s, s_rate, t, b, ..
                } = Track::of(&a, &n);
                let height = s * torus.rim + torus.crown;
                let fall = s_rate * torus.rim;
                let lever = t.rate.times(&height).plus(&t.at.times(&fall));
                (b.rate, lever)
            }
            Self::Ball { radius, axis } => {
                let e = Moving::axis(*axis, j, 3);
                (e.rate, scaled(&e.cross_rate(&n), *radius))
            }
            Self::Edge => (a.rate, DualVec::zero()),
        };
        let slopes = (force.dot(&v) + torque.dot(&omega)).slopes;
        [0, 3].map(|k| Vec3::new(slopes[k], slopes[k + 1], slopes[k + 2]))
    }
}

/// Adds the derivatives of `factor` (f̂·v̇ + t̂·Ω̇) at a fixed unit wrench.
fn add_acceleration(
    unit: &Wrench,
    (j, d, apart): (&MarkerKinematics, &Vec3, &Vec3),
    factor: f64,
    [on_i, on_j]: &mut [Cotangent; 2],
) {
    let (push, turn) = (unit.force * factor, unit.torque * factor);
    on_i.a += push;
    on_j.a -= push;
    on_i.alpha += turn;
    on_j.alpha -= turn + d.cross(&push);
    let carried = j.alpha.cross(&push);
    on_i.p += carried;
    on_j.p -= carried;
    let swept = j.omega.cross(&push);
    on_i.v += swept;
    on_j.v -= swept;
    on_j.omega -= apart.cross(&push);
}

/// A number with slopes in δψ_I and δψ_J.
type Number = Dual<6>;
type Vector = DualVec<6>;

/// A vector and its rate.
#[derive(Clone, Copy)]
struct Moving {
    at: Vector,
    rate: Vector,
}

impl Moving {
    /// An axis of a marker, whose rotation has three slopes from `first` on: δx = δψ×x.
    fn axis(k: u8, of: &MarkerKinematics, first: usize) -> Self {
        let axis = of.axis(k);
        let by = -skew(&axis);
        let component = |row: usize| {
            let mut slopes = [0.0; 6];
            for k in 0..3 {
                slopes[first + k] = by[(row, k)];
            }
            Dual {
                value: axis[row],
                slopes,
            }
        };
        let at = DualVec([0, 1, 2].map(component));
        Self {
            at,
            rate: constant(&of.omega).cross(&at),
        }
    }

    /// The rate of a×b.
    fn cross_rate(&self, b: &Self) -> Vector {
        self.rate.cross(&b.at).plus(&self.at.cross(&b.rate))
    }
}

/// The contact frame and its rate.
struct Track {
    c: Number,
    c_rate: Number,
    s: Number,
    s_rate: Number,
    t: Moving,
    b: Moving,
}

impl Track {
    fn of(a: &Moving, n: &Moving) -> Self {
        let c = a.at.dot(&n.at);
        let c_rate = a.rate.dot(&n.at) + a.at.dot(&n.rate);
        let across = a.at.cross(&n.at);
        let s = across.dot(&across).sqrt();
        let s_rate = -(c * c_rate) / s;
        let inverse = Dual::constant(1.0) / s;
        let at = across.times(&inverse);
        let rate = a.cross_rate(n).minus(&at.times(&s_rate)).times(&inverse);
        let t = Moving { at, rate };
        let b = Moving {
            at: n.at.cross(&t.at),
            rate: n.cross_rate(&t),
        };
        Self {
            c,
            c_rate,
            s,
            s_rate,
            t,
            b,
        }
    }
}

fn constant(x: &Vec3) -> Vector {
    DualVec([x.x, x.y, x.z].map(Dual::constant))
}

fn scaled(a: &Vector, by: f64) -> Vector {
    a.times(&Dual::constant(by))
}
