//! Data plane: a drive (controller) on a joint's coordinate, with limits of effort and speed, and end stops.
//!
//! q is the rotation of I about z of J, counting turns, or its displacement along it; q*, q̇* and u_f are
//! expressions. The effort u acts on I about or along z of J:
//!
//! ```text
//! u = sat(kp (q* − q) + kd (q̇* − q̇) + u_f, U)                             (DRV-1)
//! with a speed limit V, in place of the first two terms:
//! kd (sat(q̇* + kp/kd (q* − q), V) − q̇)                                    (DRV-2)
//! sat(x, X) = x − (|x| − 0.9 X)²/(0.4 X) sign x  from 0.9 X to 1.1 X, beyond ± X       (DRV-3)
//! ```
//! The stops add IMPACT at the lower end and its mirror image at the upper one.

use crate::elements::angle::{AngleDefinition, angle, unwrap};
use crate::elements::forces::ForceContext;
use crate::elements::forces::ScaledTerm;
use crate::elements::forces::contact::laws::{Law, Normal};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::skew;
use crate::math::{Vec3, held};
use crate::mechanism::{DriveLimits, NormalLaw};

/// Count of a drive's numbers: kp, kd, U, V, lower and upper end; for the stops stiffness at one unit, that unit,
/// exponent, damping, depth of full damping.
pub const DRIVE_NUMBERS: usize = 11;

/// Half the width of the corner in (DRV-3), relative to X.
const CORNER: f64 = 0.1;

/// A drive and the indices of its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDrive {
    /// First of [`DRIVE_NUMBERS`].
    pub values: usize,
    /// The counted angle of a rotation; `None` for a translation.
    pub memory: Option<usize>,
    /// q*, q̇*, u_f.
    pub terms: [Option<ScaledTerm>; 3],
    /// Which limits there are.
    pub limits: DriveLimits,
}

/// (DRV-3) and its slope; without a limit, x itself.
fn saturate(x: f64, limit: f64, limited: bool) -> (f64, f64) {
    let size = x.abs();
    let beyond = held(size - (1.0 - CORNER) * limit, 0.0, 2.0 * CORNER * limit);
    let inside = size.min((1.0 + CORNER) * limit);
    let width = 4.0 * CORNER * limit;
    let value = (inside - beyond * beyond / width).copysign(x);
    let slope = if size < (1.0 + CORNER) * limit {
        1.0 - 2.0 * beyond / width
    } else {
        0.0
    };
    if limited { (value, slope) } else { (x, 1.0) }
}

/// All values at one state.
struct Drive {
    turns: bool,
    /// z of J.
    z: Vec3,
    /// ∂q/∂ψ_I of a rotation.
    normal: Vec3,
    effort: f64,
    /// ∂u/∂q, ∂u/∂q̇.
    slopes: [f64; 2],
    /// ∂u/∂(q*, q̇*, u_f).
    by_term: [f64; 3],
    energy: f64,
    /// The effort limit that is active: 1 upper, −1 lower, 0 none.
    side: i8,
}

impl Drive {
    fn new(law: &JointDrive, c: &ForceContext<'_>) -> Self {
        let [kp, kd, effort, speed, stops @ ..] = c.numbers::<DRIVE_NUMBERS>(law.values);
        let z = c.j.axis(2);
        let d = c.i.p - c.j.p;
        let (q, rate, normal) = if let Some(memory) = law.memory {
            let a = angle(&AngleDefinition::Z, 0.0, c.i, c.j);
            let rate = z.dot(&(c.i.omega - c.j.omega));
            (unwrap(a.value, c.angles[memory]), rate, a.normal)
        } else {
            let rate = z.dot(&(c.i.v - c.j.v - c.j.omega.cross(&d)));
            (z.dot(&d), rate, Vec3::zeros())
        };
        let given = |k: usize| law.terms[k].as_ref().map(|term| c.term(term));
        let error = given(0).map_or(0.0, |target| target - q);
        let (wanted, feed) = (given(1).unwrap_or(0.0), given(2).unwrap_or(0.0));
        let limits = &law.limits;
        let (command, s1) = if limits.speed {
            saturate(kp * error + kd * wanted, kd * speed, true)
        } else {
            (kp * error + kd * wanted, 1.0)
        };
        let asked = command - kd * rate + feed;
        let (u, s2) = saturate(asked, effort, limits.effort && !c.unlimited);
        let held = limits.effort && asked.abs() >= effort;
        let [end_force, end_q, end_rate, energy] = ends(&stops, q, rate, limits.stops);
        let kp = if law.terms[0].is_some() { kp } else { 0.0 };
        Self {
            turns: law.memory.is_some(),
            z,
            normal,
            effort: u + end_force,
            slopes: [end_q - kp * s1 * s2, end_rate - kd * s2],
            by_term: [kp * s1 * s2, kd * s1 * s2, s2],
            energy,
            side: i8::from(held) * if asked < 0.0 { -1 } else { 1 },
        }
    }

    fn along(&self, x: f64) -> Wrench {
        if self.turns {
            Wrench::torque(self.z * x)
        } else {
            Wrench::force(self.z * x)
        }
    }
}

/// The stops' force, its slopes in q and q̇, and their energy.
fn ends(numbers: &[f64; 7], q: f64, rate: f64, present: bool) -> [f64; 4] {
    let [lower, upper, stiffness, unit, exponent, damping, depth] = *numbers;
    let law = Law {
        stiffness: if present { stiffness } else { 0.0 },
        unit,
        exponent,
        damping: if present { damping } else { 0.0 },
        depth,
        friction: [0.0, 0.0, 1.0, 2.0],
    };
    let low = Normal::new(NormalLaw::Impact, &law, lower - q, rate);
    let high = Normal::new(NormalLaw::Impact, &law, q - upper, -rate);
    [
        low.force - high.force,
        low.by_distance + high.by_distance,
        low.by_rate + high.by_rate,
        low.energy + high.energy,
    ]
}

/// (DRV-1) with the stops.
pub fn wrench(law: &JointDrive, c: &ForceContext<'_>) -> Wrench {
    let drive = Drive::new(law, c);
    drive.along(drive.effort)
}

/// Is the effort at its limit, and is a stop in contact?
pub fn limits(law: &JointDrive, c: &ForceContext<'_>) -> [bool; 2] {
    let drive = Drive::new(law, c);
    [
        law.limits.effort && drive.by_term[2] == 0.0,
        drive.energy > 0.0,
    ]
}

/// Derivative of the wrench in one of the expressions.
pub fn direction(law: &JointDrive, term: usize, c: &ForceContext<'_>) -> Wrench {
    let drive = Drive::new(law, c);
    drive.along(drive.by_term[term])
}

/// Derivatives at fixed expressions.
pub fn slopes(law: &JointDrive, c: &ForceContext<'_>) -> WrenchSlopes {
    let drive = Drive::new(law, c);
    let (z, [by_q, by_rate]) = (&drive.z, drive.slopes);
    let mut s = WrenchSlopes::zero();
    let turned = skew(z) * drive.effort;
    if drive.turns {
        let w = c.i.omega - c.j.omega;
        let spring = z * (drive.normal.transpose() * by_q);
        s.psi_i.t = spring;
        s.psi_j.t = z * (z.cross(&w).transpose() * by_rate) - spring - turned;
        s.omega_i.t = z * (z.transpose() * by_rate);
        s.omega_j.t = z * (z.transpose() * -by_rate);
    } else {
        let d = c.i.p - c.j.p;
        let v = c.i.v - c.j.v - c.j.omega.cross(&d);
        let place = z * by_q - z.cross(&c.j.omega) * by_rate;
        s.d.f = z * place.transpose();
        s.d_rate.f = z * (z.transpose() * by_rate);
        s.psi_j.f = z * (z.cross(&d) * by_q + z.cross(&v) * by_rate).transpose() - turned;
        s.omega_j.f = z * (z.cross(&d).transpose() * by_rate);
    }
    s
}

/// The effort limit that is active: 1 upper, −1 lower, 0 none.
pub fn side(law: &JointDrive, c: &ForceContext<'_>) -> i8 {
    Drive::new(law, c).side
}

/// Energy in the stops.
pub fn energy(law: &JointDrive, c: &ForceContext<'_>) -> f64 {
    Drive::new(law, c).energy
}

#[cfg(test)]
mod tests {
    use super::saturate;

    #[test]
    fn a_limit_that_is_a_rounding_error_below_zero_is_none_to_panic_at() {
        for (x, limit) in [
            (0.0, -1.25e-15),
            (3.0, -1.25e-15),
            (-2.0, 0.0),
            (1.0, f64::NAN),
        ] {
            let (value, _) = saturate(x, limit, true);
            assert!(
                value.abs() <= 1e-14 || value.is_nan(),
                "{x} {limit}: {value}"
            );
        }
        assert_eq!(saturate(5.0, -1.0, false), (5.0, 1.0));
        assert!(saturate(f64::NAN, 2.0, true).0.is_nan());
    }
}
