//! Data plane: constraint rows that keep a point on a curve, or two plane curves in contact.
//!
//! The parameter s of the contact point (the foot) is not an unknown but a function of the pose. A fixed number of
//! Newton steps from its last value finds it; its derivatives follow from its defining condition. So a curve joint
//! consists of rows like any other joint, with exact first and second derivatives even if the rows are not met yet.
//!
//! **Point on curve**, x = the position of I in the frame of J, s its foot on c, e = x − c:
//!
//! ```text
//! c′·e = 0,   φₖ = nₖ·e,   k = 1, 2                                              (PTC-1)
//! sₓ = c′/D,   D = c′² − c″·e,   φₓ = n + (n′·e) sₓ                                (PTC-2)
//! φₓₓ = n′ sₓᵀ + sₓ n′ᵀ + (n″·e + n·c″) sₓ sₓᵀ + (n′·e) sₓₓ
//! sₓₓ = (c″ sₓᵀ + sₓ c″ᵀ − (3 c′·c″ − c‴·e) sₓ sₓᵀ)/D                              (PTC-3)
//! ```
//! **Curve on curve**, c₁ fixed to I, c₂ to J, both in their xy planes, u their tangents, n₂ the normal of c₂, r the
//! feet from the origins of I and J, e from one foot to the other:
//!
//! ```text
//! u₁·n₂ = 0,   u₂·e = 0,   φ = n₂·e                                              (CVC-1)
//! δφ = n₂·(δp_I − δp_J*) + (r₁×n₂)·(δψ_I − δψ_J)                                  (CVC-2)
//! ```
//! By (CVC-1) a change of the parameters does not change φ. The second derivatives include that change.

use crate::elements::kinematics::MarkerKinematics;
use crate::elements::wrench::{Wrench, WrenchSlopes};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::curve::SpaceCurve;
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3, held};
use alloc::vec::Vec;

/// Number of Newton steps for the feet of two curves; fixed work.
const STEPS: usize = 10;

/// A scalar function of two markers: value, gradient as a unit wrench, and the derivatives of the gradient.
#[derive(Clone, Copy, Debug)]
pub struct PairScalar {
    /// Value.
    pub value: f64,
    /// (f̂, t̂) of (CON-1).
    pub unit: Wrench,
    /// Derivatives of the unit wrench.
    pub slopes: WrenchSlopes,
}

impl PairScalar {
    /// Everything zero.
    pub fn zero() -> Self {
        Self {
            value: 0.0,
            unit: Wrench::zero(),
            slopes: WrenchSlopes::zero(),
        }
    }

    /// First and second time derivative: with w = ḋ − Ω_J×d and ω = Ω_I − Ω_J
    ///
    /// ```text
    /// φ̇ = f̂·w + t̂·ω,   φ̈ = f̂·ẇ + t̂·ω̇ + (df̂/dt)·w + (dt̂/dt)·ω                    (PTC-4)
    /// ```
    pub fn rates(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> (f64, f64) {
        let (d, d1, d2) = (i.p - j.p, i.v - j.v, i.a - j.a);
        let sweep = j.omega.cross(&d);
        let w = d1 - sweep;
        let w1 = d2 - j.alpha.cross(&d) - j.omega.cross(&d1);
        let (spin, spin1) = (i.omega - j.omega, i.alpha - j.alpha);
        let s = &self.slopes;
        let f1 = s.d.f * d1 + s.psi_i.f * i.omega + s.psi_j.f * j.omega;
        let t1 = s.d.t * d1 + s.psi_i.t * i.omega + s.psi_j.t * j.omega;
        (
            self.unit.force.dot(&w) + self.unit.torque.dot(&spin),
            self.unit.force.dot(&w1) + self.unit.torque.dot(&spin1) + f1.dot(&w) + t1.dot(&spin),
        )
    }

    /// Sets it to a function of the position of I in the frame of J, with its gradient and its second derivatives.
    #[inline(never)]
    fn set_of_place(
        &mut self,
        value: f64,
        gradient: &Vec3,
        second: &Mat3,
        i: &MarkerKinematics,
        j: &MarkerKinematics,
    ) {
        let force = j.axes * gradient;
        let bend = j.axes * second * j.axes.transpose();
        self.value = value;
        self.unit = Wrench::force(force);
        self.slopes = WrenchSlopes::zero();
        self.slopes.d.f = bend;
        self.slopes.psi_j.f = bend * skew(&(i.p - j.p)) - skew(&force);
    }
}

/// Number of feet of a joint on curves.
pub const FEET: usize = 2;

/// Values of a joint on curves at a pose.
#[derive(Clone, Copy, Debug)]
pub struct CurveValues {
    /// Parameters of the feet on the curves of I and J; a point on a curve has only the second.
    pub feet: [f64; FEET],
    /// Arc lengths up to the feet \[m\]: only the second for a point on a curve; without second derivatives for two
    /// curves.
    pub arcs: [PairScalar; 2],
    /// The rows: (PTC-1), or (CVC-1) as the first row.
    pub rows: [PairScalar; 2],
}

impl CurveValues {
    /// Everything zero.
    pub fn zero() -> Self {
        Self {
            feet: [0.0; FEET],
            arcs: [PairScalar::zero(); 2],
            rows: [PairScalar::zero(); 2],
        }
    }
}

/// The origin of I on a curve of J, with its foot near `start`. Values with derivatives are large, so they are
/// written in place.
pub fn point_on_curve(
    curve: &SpaceCurve,
    i: &MarkerKinematics,
    j: &MarkerKinematics,
    start: f64,
    values: &mut CurveValues,
) {
    let x = j.axes.tr_mul(&(i.p - j.p));
    let foot = curve.foot(&x, start);
    let [c, c1, c2, c3] = curve.at(foot);
    let e = x - c;
    let square = c1.norm_squared();
    let divisor = square - c2.dot(&e);
    let sx = c1 / divisor;
    let stretch = 3.0 * c1.dot(&c2) - c3.dot(&e);
    let square_s = sx * sx.transpose();
    let sxx = (symmetric(&c2, &sx) - square_s * stretch) / divisor;
    values.feet[1] = foot;
    for (row, [n, n1, n2]) in values.rows.iter_mut().zip(&curve.normals(foot)) {
        let turn = n1.dot(&e);
        let second = symmetric(n1, &sx) + square_s * (n2.dot(&e) + n.dot(&c2)) + sxx * turn;
        row.set_of_place(n.dot(&e), &(n + sx * turn), &second, i, j);
    }
    let speed = square.sqrt();
    let second = sxx * speed + square_s * (c1.dot(&c2) / speed);
    values.arcs[1].set_of_place(curve.arc(foot), &(sx * speed), &second, i, j);
}

/// a bᵀ + b aᵀ.
fn symmetric(a: &Vec3, b: &Vec3) -> Mat3 {
    a * b.transpose() + b * a.transpose()
}

/// Two curves at a pair of feet, in ground axes.
struct Feet {
    /// Position on the curve of I from its origin, tangent, and the tangent's derivative.
    r1: Vec3,
    u1: Vec3,
    u1_slope: Vec3,
    /// Tangent of the curve of J, and its derivative.
    u2: Vec3,
    u2_slope: Vec3,
    /// Its normal, and the normal's derivative.
    n: Vec3,
    n_slope: Vec3,
    /// From the foot on J to the foot on I.
    e: Vec3,
}

impl Feet {
    fn new(
        curves: [&SpaceCurve; 2],
        i: &MarkerKinematics,
        j: &MarkerKinematics,
        s: [f64; 2],
    ) -> Self {
        let one = curves[0].at(s[0]).map(|v| i.axes * v);
        let two = curves[1].at(s[1]).map(|v| j.axes * v);
        let z = j.axis(2);
        let size = two[1].norm();
        let t = two[1] / size;
        let t_slope = (two[2] - t * t.dot(&two[2])) / size;
        Self {
            r1: one[0],
            u1: one[1],
            u1_slope: one[2],
            u2: two[1],
            u2_slope: two[2],
            n: z.cross(&t),
            n_slope: z.cross(&t_slope),
            e: i.p + one[0] - j.p - two[0],
        }
    }

    /// (CVC-1) and its derivatives in the parameters.
    fn conditions(&self) -> ([f64; 2], [[f64; 2]; 2]) {
        (
            [self.u1.dot(&self.n), self.u2.dot(&self.e)],
            [
                [self.u1_slope.dot(&self.n), self.u1.dot(&self.n_slope)],
                [
                    self.u2.dot(&self.u1),
                    self.u2_slope.dot(&self.e) - self.u2.norm_squared(),
                ],
            ],
        )
    }
}

/// The curve of I on the curve of J, with their feet near `start`.
pub fn curve_on_curve(
    curves: [&SpaceCurve; 2],
    i: &MarkerKinematics,
    j: &MarkerKinematics,
    start: [f64; 2],
    values: &mut CurveValues,
) {
    values.feet = feet(curves, i, j, start);
    touch(curves, i, j, values);
}

/// The feet near `start`.
#[inline(never)]
fn feet(
    curves: [&SpaceCurve; 2],
    i: &MarkerKinematics,
    j: &MarkerKinematics,
    start: [f64; 2],
) -> [f64; 2] {
    let mut s = start;
    for _ in 0..STEPS {
        let (missed, slopes) = Feet::new(curves, i, j, s).conditions();
        let inverse = inverse(&slopes);
        // At most a tenth of a curve per step: parallel tangents exist on both sides.
        for k in 0..2 {
            let (first, last) = curves[k].range();
            let most = 0.1 * (last - first);
            let step = inverse[k][0] * missed[0] + inverse[k][1] * missed[1];
            s[k] -= held(step, -most, most);
        }
    }
    s
}

/// Evaluates (CVC-1) and the arc lengths at known feet.
#[inline(never)]
fn touch(
    curves: [&SpaceCurve; 2],
    i: &MarkerKinematics,
    j: &MarkerKinematics,
    values: &mut CurveValues,
) {
    let s = values.feet;
    let feet = Feet::new(curves, i, j, s);
    let inverse = inverse(&feet.conditions().1);
    let Feet {
        r1,
        u1,
        u2,
        n,
        n_slope,
        e,
        ..
    } = feet;
    // The gradients of the conditions as unit wrenches, from which those of the parameters follow.
    let first = Wrench::torque(u1.cross(&n));
    let second = Wrench {
        force: u2,
        torque: r1.cross(&u2),
    };
    let gradient = |k: usize| {
        let mut sum = first.scaled(-inverse[k][0]);
        sum.add(&second.scaled(-inverse[k][1]));
        sum
    };
    let s_slopes = [gradient(0), gradient(1)];
    let slopes = &mut values.rows[0].slopes;
    *slopes = WrenchSlopes::zero();
    let by = |g: &Wrench| {
        // δs = f·(δd − δψ_J×d) + t·(δψ_I − δψ_J)
        let d = i.p - j.p;
        [g.force, g.torque, -g.torque - d.cross(&g.force)]
    };
    let (by_1, by_2) = (by(&s_slopes[0]), by(&s_slopes[1]));
    // δf̂ = δψ_J×n + n′ δs₂,   δt̂ = (δψ_I×r₁ + u₁ δs₁)×n + r₁×δf̂
    let maps = [&mut slopes.d, &mut slopes.psi_i, &mut slopes.psi_j];
    for (k, map) in maps.into_iter().enumerate() {
        map.f = n_slope * by_2[k].transpose();
        map.t = u1.cross(&n) * by_1[k].transpose();
    }
    slopes.psi_j.f -= skew(&n);
    slopes.psi_i.t += skew_skew(&n, &r1);
    for map in [&mut slopes.d, &mut slopes.psi_i, &mut slopes.psi_j] {
        map.t += skew(&r1) * map.f;
    }
    values.rows[0].value = n.dot(&e);
    values.rows[0].unit = Wrench {
        force: n,
        torque: r1.cross(&n),
    };
    // Their second derivatives stay zero.
    for (k, speed) in [u1.norm(), u2.norm()].into_iter().enumerate() {
        values.arcs[k].value = curves[k].arc(s[k]);
        values.arcs[k].unit = s_slopes[k].scaled(speed);
    }
}

fn inverse([[a, b], [c, d]]: &[[f64; 2]; 2]) -> [[f64; 2]; 2] {
    let determinant = a * d - b * c;
    [
        [d / determinant, -b / determinant],
        [-c / determinant, a / determinant],
    ]
}

/// Control plane: start values of the parameters for the search for the feet, from the poses alone.
pub fn first_feet(
    curves: [&SpaceCurve; 2],
    i: &MarkerKinematics,
    j: &MarkerKinematics,
) -> [f64; 2] {
    let mut best = (f64::INFINITY, [curves[0].range().0, curves[1].range().0]);
    let places: Vec<(f64, Vec3)> = curves[1]
        .samples()
        .map(|s| (s, j.p + j.axes * curves[1].at(s)[0]))
        .collect();
    for s in curves[0].samples() {
        let p = i.p + i.axes * curves[0].at(s)[0];
        for (other, q) in &places {
            let distance = (p - q).norm_squared();
            if distance < best.0 {
                best = (distance, [s, *other]);
            }
        }
    }
    feet(curves, i, j, best.1)
}

#[cfg(test)]
mod tests;
