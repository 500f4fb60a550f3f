//! Data plane: forces given by expressions: a sum of values times unit wrenches.
//!
//! ```text
//! W = Σ_k e_k ŵ_k(x)        δW = Σ_k ŵ_k δe_k + e_k δŵ_k                     (DIR-1)
//! ```
//! This file has the second term of δW. The first needs the gradients of the expressions and is computed with them.

use crate::elements::forces::{ForceContext, ForceLaw};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};

/// The unit wrench of one term.
pub fn direction(law: &ForceLaw, term: usize, c: &ForceContext<'_>) -> Wrench {
    match law {
        ForceLaw::LineOfSight(_) => Wrench::force(line(c).0),
        ForceLaw::TorqueZ(_) => Wrench::torque(c.j.axis(2)),
        ForceLaw::ForceZ(_) => Wrench::force(c.j.axis(2)),
        ForceLaw::General { .. } if term < 3 => Wrench::force(c.k.axis(term as u8)),
        ForceLaw::General { .. } => Wrench::torque(c.k.axis((term - 3) as u8)),
        _ => Wrench::zero(),
    }
}

/// Unit vector from J to I and the distance.
fn line(c: &ForceContext<'_>) -> (Vec3, f64) {
    let d = c.i.p - c.j.p;
    let length = d.norm().max(f64::MIN_POSITIVE);
    (d / length, length)
}

/// The sum (DIR-1).
pub fn wrench(law: &ForceLaw, c: &ForceContext<'_>) -> Wrench {
    let mut total = Wrench::zero();
    for (k, term) in law.terms().iter().enumerate() {
        if let Some(term) = term {
            total.add(&direction(law, k, c).scaled(c.term(term)));
        }
    }
    total
}

/// `e_k δŵ_k` of (DIR-1).
pub fn slopes(law: &ForceLaw, c: &ForceContext<'_>) -> WrenchSlopes {
    let mut s = WrenchSlopes::zero();
    let total = wrench(law, c);
    match law {
        ForceLaw::LineOfSight(term) => {
            let (e, length) = line(c);
            s.d.f = (Mat3::identity() - e * e.transpose()) * (c.term(term) / length);
        }
        ForceLaw::TorqueZ(_) => s.psi_j.t = -skew(&total.torque),
        ForceLaw::ForceZ(_) => s.psi_j.f = -skew(&total.force),
        ForceLaw::General { .. } => {
            s.psi_k.f = -skew(&total.force);
            s.psi_k.t = -skew(&total.torque);
        }
        _ => {}
    }
    s
}
