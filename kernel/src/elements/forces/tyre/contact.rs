//! Data plane: the contact point of a wheel with a road, and its velocities.
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
//! p is the point in which the line e_d from the wheel's centre meets the road's tangent plane below the wheel. So
//! the contact point c lies in the plane of the wheel and in that of the road, nearest to the centre. ρ is the depth
//! of the unloaded circle below the road.

use super::Wheel;
use crate::math::dual::{Dual, DualVec};
use crate::math::road::Road;

/// Avoids a division by zero for a wheel that lies on its side.
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
            normal: up.times(&(Dual::constant(1.0) / length)),
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
    let ahead = across.times(&(Dual::constant(1.0) / cosine));
    let down = axis.cross(&ahead);
    (ahead, down, cosine)
}

/// The lowest point of the rim above a level road.
#[inline(never)]
fn rim<const N: usize>(wheel: &Wheel<N>, radius: f64) -> DualVec<N> {
    let up = DualVec([0.0, 0.0, 1.0].map(Dual::constant));
    let (_, down, _) = frame(&wheel.axis, &up);
    wheel.centre.plus(&down.times(&Dual::constant(radius)))
}

/// The point where the line from the wheel's centre down meets the tangent plane below the wheel.
#[inline(never)]
fn meeting<const N: usize>(wheel: &Wheel<N>, road: &Road, radius: f64) -> DualVec<N> {
    on_plane(wheel, &Ground::below(road, &rim(wheel, radius)))
}

/// The point where that line meets this plane.
#[inline(never)]
fn on_plane<const N: usize>(wheel: &Wheel<N>, plane: &Ground<N>) -> DualVec<N> {
    let (_, down, cosine) = frame(&wheel.axis, &plane.normal);
    let height = plane.normal.dot(&wheel.centre.minus(&plane.point));
    wheel.centre.plus(&down.times(&(height / cosine)))
}

impl<const N: usize> Contact<N> {
    /// The contact of a wheel with this radius, not evaluated yet.
    pub(super) fn new(radius: f64) -> Self {
        Self {
            radius,
            axes: [DualVec::zero(); 3],
            arm: DualVec::zero(),
            loaded_radius: Dual::constant(0.0),
            deflection: Dual::constant(0.0),
            deflection_rate: Dual::constant(0.0),
            camber: Dual::constant(0.0),
            speed: Dual::constant(0.0),
            drift: Dual::constant(0.0),
            roll: Dual::constant(0.0),
        }
    }

    /// (TYR-1) to (TYR-4).
    pub(super) fn update(&mut self, wheel: &Wheel<N>, road: &Road) {
        let ground = Ground::below(road, &meeting(wheel, road, self.radius));
        let down = self.place(wheel, &ground);
        self.movement(wheel, &down);
    }

    /// Evaluates (TYR-1) to (TYR-3); returns e_d.
    #[inline(never)]
    fn place(&mut self, wheel: &Wheel<N>, Ground { point, normal }: &Ground<N>) -> DualVec<N> {
        let (ahead, down, cosine) = frame(&wheel.axis, normal);
        let height = normal.dot(&wheel.centre.minus(point));
        self.loaded_radius = height / cosine;
        self.arm = down.times(&self.loaded_radius);
        self.deflection = cosine * self.radius - height;
        let sine = wheel.axis.dot(normal);
        self.camber = (sine / cosine).atan();
        self.axes[0] = ahead;
        self.axes[1] = normal.cross(&self.axes[0]);
        self.axes[2] = *normal;
        down
    }

    /// (TYR-4).
    #[inline(never)]
    fn movement(&mut self, wheel: &Wheel<N>, down: &DualVec<N>) {
        let [ahead, left, normal] = &self.axes;
        self.roll = wheel.spin.dot(&wheel.axis);
        let swing = wheel.spin.minus(&wheel.axis.times(&self.roll));
        let velocity = wheel.velocity.plus(&swing.cross(&self.arm));
        self.speed = velocity.dot(ahead);
        self.drift = velocity.dot(left);
        let lowest = down.times(&Dual::constant(self.radius));
        let sinking = wheel.velocity.plus(&swing.cross(&lowest));
        self.deflection_rate = -normal.dot(&sinking);
    }

    /// The vector with these components along e_x, e_y, n.
    pub(super) fn in_axes(&self, [x, y, z]: [&Dual<N>; 3]) -> DualVec<N> {
        let [ahead, left, normal] = &self.axes;
        ahead.times(x).plus(&left.times(y)).plus(&normal.times(z))
    }

    /// (TYR-5) for a spring force and a damping.
    pub(super) fn load(&self, spring: Dual<N>, damping: f64) -> Dual<N> {
        let soft = (self.deflection / (super::DAMPED * self.radius)).smooth_step();
        let push = spring + self.deflection_rate * soft * damping;
        let pressed = self.deflection.value > 0.0 && push.value > 0.0;
        Dual::select(pressed, push, Dual::constant(0.0))
    }
}
