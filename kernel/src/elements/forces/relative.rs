//! Data plane: relative motion in the axes of J for force laws, and the conversion of their slopes to those of a
//! wrench.
//!
//! A law gives force f and torque t on I in J's axes as functions of
//!
//! ```text
//! d_J = R_Jᵀ d,   v_J = R_Jᵀ (ḋ − Ω_J×d),   exp(θ~) = R_Jᵀ R_I,   ω_J = R_Jᵀ (Ω_I − Ω_J)   (REL-1)
//! ```
//! and its slopes in (d_J, φ) and (v_J, ω_J), φ a small rotation of I in J's axes. With hats for ground axes, Â = R_J
//! A R_Jᵀ:
//!
//! ```text
//! δF̂ = δψ_J × F̂ + Â_d (δd + d~ δψ_J) + Â_φ (δψ_I − δψ_J)
//!     + B̂_v (δḋ + d~ δΩ_J − Ω_J~ δd + v~ δψ_J) + B̂_ω (δΩ_I − δΩ_J + ω~ δψ_J)        (REL-2)
//! ```
//! and the torque likewise.

use crate::elements::forces::ForceContext;
use crate::elements::kinematics::{Cotangent, MarkerKinematics};
use crate::elements::wrench::{Map, Wrench, WrenchSlopes};
use crate::math::rotation::{after_skew, log, skew};
use crate::math::{Mat3, RowVec3, Vec3};

/// Force and torque, or their arguments, in J's axes.
pub type Pair = [Vec3; 2];

/// Slopes of a pair in a pair: `[row][column]`.
pub type Quad = [[Mat3; 2]; 2];

/// (REL-1).
pub struct Relative {
    /// R_J.
    pub axes: Mat3,
    /// d_J and θ.
    pub place: Pair,
    /// v_J and ω_J.
    pub rate: Pair,
}

impl Relative {
    /// From the markers.
    pub fn new(c: &ForceContext<'_>) -> Self {
        let mut relative = Self::of_points(c);
        relative.place[1] = log(&c.j.axes.tr_mul(&c.i.axes));
        relative
    }

    /// From the markers, for a law that does not use θ, which stays zero.
    pub fn of_points(c: &ForceContext<'_>) -> Self {
        let axes = c.j.axes;
        let d = c.i.p - c.j.p;
        let v = c.i.v - c.j.v - c.j.omega.cross(&d);
        Self {
            axes,
            place: [axes.tr_mul(&d), Vec3::zeros()],
            rate: [axes.tr_mul(&v), axes.tr_mul(&(c.i.omega - c.j.omega))],
        }
    }

    /// A law's loads in ground axes.
    pub fn wrench(&self, [force, torque]: &Pair) -> Wrench {
        Wrench {
            force: self.axes * force,
            torque: self.axes * torque,
        }
    }

    /// Gradients in I and J of a number with slopes in d_J, φ, v_J, ω_J: (REL-2) without the rotation of the load.
    pub fn cotangents(&self, c: &ForceContext<'_>, slopes: &[RowVec3; 4]) -> [Cotangent; 2] {
        let r = &self.axes;
        let [a, b, g, e] = slopes.map(|row| r * row.transpose());
        let d = r * self.place[0];
        let (v, omega) = (r * self.rate[0], r * self.rate[1]);
        let p = a + c.j.omega.cross(&g);
        let on_i = Cotangent {
            p,
            v: g,
            psi: b,
            omega: e,
            ..Cotangent::zero()
        };
        let on_j = Cotangent {
            p: -p,
            v: -g,
            psi: a.cross(&d) + g.cross(&v) + e.cross(&omega) - b,
            omega: g.cross(&d) - e,
            ..Cotangent::zero()
        };
        [on_i, on_j]
    }

    /// (REL-2) for a law whose force depends only on d_J and v_J, and whose torque only on φ and ω_J.
    pub fn separate_slopes(
        &self,
        c: &ForceContext<'_>,
        loads: &Pair,
        by_place: &[Mat3; 2],
        by_rate: &[Mat3; 2],
    ) -> WrenchSlopes {
        let r = &self.axes;
        let back = r.transpose();
        let [a_d, a_phi] = by_place.each_ref().map(|m| r * m * back);
        let [b_v, b_w] = by_rate.each_ref().map(|m| r * m * back);
        let [d, _] = self.place.map(|x| r * x);
        let [v, w] = self.rate.map(|x| r * x);
        let [force, torque] = loads.map(|x| r * x);
        let mut slopes = WrenchSlopes::zero();
        slopes.d.f = a_d - after_skew(&b_v, &c.j.omega);
        slopes.d_rate.f = b_v;
        slopes.psi_i.t = a_phi;
        slopes.psi_j.f = after_skew(&a_d, &d) + after_skew(&b_v, &v) - skew(&force);
        slopes.psi_j.t = after_skew(&b_w, &w) - a_phi - skew(&torque);
        slopes.omega_i.t = b_w;
        slopes.omega_j.f = after_skew(&b_v, &d);
        slopes.omega_j.t = -b_w;
        slopes
    }

    /// (REL-2): slopes of a law with these loads, from its slopes in (d_J, φ) and (v_J, ω_J).
    pub fn slopes(
        &self,
        c: &ForceContext<'_>,
        loads: &Pair,
        by_place: &Quad,
        by_rate: &Quad,
    ) -> WrenchSlopes {
        let r = &self.axes;
        let turned = |m: &Mat3| r * m * r.transpose();
        let d = r * self.place[0];
        let [v, w] = self.rate.map(|x| r * x);
        let row = |k: usize| {
            let [a_d, a_phi] = [&by_place[k][0], &by_place[k][1]].map(turned);
            let [b_v, b_w] = [&by_rate[k][0], &by_rate[k][1]].map(turned);
            Row {
                d: a_d - after_skew(&b_v, &c.j.omega),
                d_rate: b_v,
                psi_i: a_phi,
                psi_j: after_skew(&a_d, &d) + after_skew(&b_v, &v) + after_skew(&b_w, &w)
                    - a_phi
                    - skew(&(r * loads[k])),
                omega_i: b_w,
                omega_j: after_skew(&b_v, &d) - b_w,
            }
        };
        let (f, t) = (row(0), row(1));
        let mut slopes = WrenchSlopes::zero();
        slopes.d = Map { f: f.d, t: t.d };
        slopes.d_rate = Map {
            f: f.d_rate,
            t: t.d_rate,
        };
        slopes.psi_i = Map {
            f: f.psi_i,
            t: t.psi_i,
        };
        slopes.psi_j = Map {
            f: f.psi_j,
            t: t.psi_j,
        };
        slopes.omega_i = Map {
            f: f.omega_i,
            t: t.omega_i,
        };
        slopes.omega_j = Map {
            f: f.omega_j,
            t: t.omega_j,
        };
        slopes
    }
}

/// Derivative of a scalar in the quantities of I and J, from its slopes in d_J, φ, v_J, ω_J: (REL-2) without the
/// rotation of a vector.
pub fn cotangents(i: &MarkerKinematics, j: &MarkerKinematics, by: &[f64]) -> [Cotangent; 2] {
    let three = |first: usize| j.axes * Vec3::new(by[first], by[first + 1], by[first + 2]);
    let [a_d, a_phi, b_v, b_w] = [three(0), three(3), three(6), three(9)];
    let d = i.p - j.p;
    let v = i.v - j.v - j.omega.cross(&d);
    let w = i.omega - j.omega;
    let place = a_d + j.omega.cross(&b_v);
    let of_i = Cotangent {
        p: place,
        v: b_v,
        psi: a_phi,
        omega: b_w,
        ..Cotangent::zero()
    };
    let of_j = Cotangent {
        p: -place,
        v: -b_v,
        psi: a_d.cross(&d) + b_v.cross(&v) + b_w.cross(&w) - a_phi,
        omega: b_v.cross(&d) - b_w,
        ..Cotangent::zero()
    };
    [of_i, of_j]
}

/// (REL-2) of the force or the torque.
struct Row {
    d: Mat3,
    d_rate: Mat3,
    psi_i: Mat3,
    psi_j: Mat3,
    omega_i: Mat3,
    omega_j: Mat3,
}
