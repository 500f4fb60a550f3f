//! Data plane: where a wheel meets a road, and how it moves there.
//!
//! With the wheel's centre at d, its axis a (unit, to the left), the road's height h and its normal n:
//!
//! ```text
//! e_x = a×n/|a×n|,   e_d = a×e_x,   e_y = n×e_x                                (TYR-1)
//! cos γ = |a×n|,   sin γ = a·n,   R_l = n·(d − p)/cos γ,   c = d + R_l e_d      (TYR-2)
//! ρ = R₀ cos γ − n·(d − p)                                                     (TYR-3)
//! Ω = ω·a,   ω_t = ω − Ω a,   ρ̇ = −n·(v + ω_t × R₀ e_d)
//! V_x = e_x·(v + ω_t × R_l e_d),   V_y = e_y·(v + ω_t × R_l e_d)               (TYR-4)
//! ```
//! p is a point of the road's tangent plane: that in which the line e_d from the wheel's centre meets the
//! tangent plane below the wheel. So the contact point c lies in the plane of the wheel and in that of
//! the road, nearest to the centre; ρ is how deep the unloaded circle lies below the road.

use super::Wheel;
use crate::math::dual::{Dual, DualVec};
use crate::math::road::Road;

/// Keeps a wheel that lies on its side from dividing by zero.
const FLAT: f64 = 1e-6;

/// The contact of a wheel.
pub(super) struct Contact<const N: usize> {
    /// R₀ \[m\].
    pub(super) radius: f64,
    /// e_x, e_y, n.
    pub(super) axes: [DualVec<N>; 3],
    /// R_l e_d \[m\].
    pub(super) arm: DualVec<N>,
    /// R_l \[m\].
    pub(super) loaded_radius: Dual<N>,
    /// ρ \[m\].
    pub(super) deflection: Dual<N>,
    /// ρ̇ [m/s].
    pub(super) deflection_rate: Dual<N>,
    /// γ \[rad\].
    pub(super) camber: Dual<N>,
    /// V_x [m/s].
    pub(super) speed: Dual<N>,
    /// V_y [m/s].
    pub(super) drift: Dual<N>,
    /// Ω [rad/s].
    pub(super) roll: Dual<N>,
}

/// The road below a point: a point of it and its normal.
struct Ground<const N: usize> {
    point: DualVec<N>,
    normal: DualVec<N>,
}

impl<const N: usize> Ground<N> {
    #[inline(never)]
    fn below(road: &Road, place: &DualVec<N>) -> Self {
        let [x, y, _] = place.0;
        let height = road.height(x.value, y.value);
        let [xx, xy, yy] = height.bend;
        let [h_x, h_y] = height.slope;
        let of = |value: f64, by: [f64; 2]| Dual::compose(&Dual { value, slopes: by }, &[x, y]);
        let z = of(height.z, height.slope);
        let up = DualVec([-of(h_x, [xx, xy]), -of(h_y, [xy, yy]), Dual::constant(1.0)]);
        let length = up.dot(&up).sqrt();
        Self {
            point: DualVec([x, y, z]),
            normal: up.times(Dual::constant(1.0) / length),
        }
    }
}

/// e_x, e_d and cos γ of (TYR-1), (TYR-2).
#[inline(never)]
fn frame<const N: usize>(
    axis: &DualVec<N>,
    normal: &DualVec<N>,
) -> (DualVec<N>, DualVec<N>, Dual<N>) {
    let across = axis.cross(normal);
    let cosine = (across.dot(&across) + FLAT * FLAT).sqrt();
    let ahead = across.times(Dual::constant(1.0) / cosine);
    let down = axis.cross(&ahead);
    (ahead, down, cosine)
}

impl<const N: usize> Contact<N> {
    /// (TYR-1) to (TYR-4).
    #[inline(never)]
    pub(super) fn new(wheel: &Wheel<N>, road: &Road, radius: f64) -> Self {
        let up = DualVec([0.0, 0.0, 1.0].map(Dual::constant));
        let (_, down, _) = frame(&wheel.axis, &up);
        let rim = wheel.centre.plus(&down.times(Dual::constant(radius)));
        let first = Ground::below(road, &rim);
        let (_, down, cosine) = frame(&wheel.axis, &first.normal);
        let height = first.normal.dot(&wheel.centre.minus(&first.point));
        let meeting = wheel.centre.plus(&down.times(height / cosine));
        let Ground { point, normal } = Ground::below(road, &meeting);
        let (ahead, down, cosine) = frame(&wheel.axis, &normal);
        let height = normal.dot(&wheel.centre.minus(&point));
        let loaded_radius = height / cosine;
        let arm = down.times(loaded_radius);
        let sine = wheel.axis.dot(&normal);
        let roll = wheel.spin.dot(&wheel.axis);
        let swing = wheel.spin.minus(&wheel.axis.times(roll));
        let velocity = wheel.velocity.plus(&swing.cross(&arm));
        let lowest = down.times(Dual::constant(radius));
        let sinking = wheel.velocity.plus(&swing.cross(&lowest));
        let left = normal.cross(&ahead);
        Self {
            radius,
            loaded_radius,
            deflection: cosine * radius - height,
            deflection_rate: -normal.dot(&sinking),
            camber: (sine / cosine).atan(),
            speed: velocity.dot(&ahead),
            drift: velocity.dot(&left),
            roll,
            arm,
            axes: [ahead, left, normal],
        }
    }

    /// (TYR-5) of a spring force and a damping.
    pub(super) fn load(&self, spring: Dual<N>, damping: f64) -> Dual<N> {
        let soft = (self.deflection / (super::DAMPED * self.radius)).smooth_step();
        let push = spring + self.deflection_rate * soft * damping;
        let pressed = self.deflection.value > 0.0 && push.value > 0.0;
        Dual::select(pressed, push, Dual::constant(0.0))
    }
}
