//! Data plane: the six-axis bushing, a linear spring-damper for translation and rotation.
//!
//! In the axes of J, with displacement d_J = R_Jᵀ d, its rate seen in J, the rotation vector θ of I against J
//! (`exp(θ~) = R_Jᵀ R_I`) and the relative angular velocity ω_J:
//!
//! ```text
//! F = R_J (F0 − K d_J − C v_J),   v_J = R_Jᵀ (ḋ − Ω_J×d)                  (BUS-1)
//! T = R_J (T0 − KT θ − CT ω_J),   ω_J = R_Jᵀ (Ω_I − Ω_J)                  (BUS-2)
//! ```
//! Adams BUSHING uses three projected small angles; the rotation vector differs from them by products of two angles,
//! not at all for a turn about one axis, and stays smooth and frame-indifferent up to π (docs/theory/forces.md). K,
//! KT diagonal [N/m, N m/rad], C, CT [N s/m, N m s/rad], F0 \[N\], T0 [N m].

use crate::elements::forces::ForceContext;
use crate::elements::forces::relative::{Pair, Relative};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::left_tangent_inverse;
use crate::math::{Mat3, Vec3};

/// The numbers of a bushing, for force and torque.
struct Numbers {
    stiffness: Pair,
    damping: Pair,
    preload: Pair,
}

fn numbers(values: usize, c: &ForceContext<'_>) -> Numbers {
    let n = c.numbers::<18>(values);
    let at = |k: usize| Vec3::new(n[k], n[k + 1], n[k + 2]);
    Numbers {
        stiffness: [at(0), at(9)],
        damping: [at(3), at(12)],
        preload: [at(6), at(15)],
    }
}

/// Force and torque in J's axes.
fn loads(n: &Numbers, l: &Relative) -> Pair {
    core::array::from_fn(|k| {
        n.preload[k]
            - n.stiffness[k].component_mul(&l.place[k])
            - n.damping[k].component_mul(&l.rate[k])
    })
}

/// (BUS-1), (BUS-2).
pub fn wrench(values: usize, c: &ForceContext<'_>) -> Wrench {
    let (n, l) = (numbers(values, c), Relative::new(c));
    l.wrench(&loads(&n, &l))
}

/// Derivatives, by (REL-2); δθ = T_l⁻¹(θ) φ.
pub fn slopes(values: usize, c: &ForceContext<'_>) -> WrenchSlopes {
    let (n, l) = (numbers(values, c), Relative::new(c));
    let diagonal = |v: &Vec3| -Mat3::from_diagonal(v);
    let twist = diagonal(&n.stiffness[1]) * left_tangent_inverse(&l.place[1]);
    let by_place = [diagonal(&n.stiffness[0]), twist];
    let by_rate = n.damping.map(|damping| diagonal(&damping));
    l.separate_slopes(c, &loads(&n, &l), &by_place, &by_rate)
}

/// A jump of θ \[rad\], weighted by the stiffest axis.
pub fn weighted_jump(values: usize, c: &ForceContext<'_>, jump: &Vec3) -> f64 {
    let n = numbers(values, c);
    super::share(&Mat3::from_diagonal(&n.stiffness[1]), jump)
}

/// ½ dᵀK d − F0·d + ½ θᵀKT θ − T0·θ. Exact for the translational part; for the rotational part
/// with equal stiffnesses or a single axis of rotation.
pub fn energy(values: usize, c: &ForceContext<'_>) -> f64 {
    let (n, l) = (numbers(values, c), Relative::new(c));
    let part = |k: usize| {
        let x = &l.place[k];
        0.5 * x.dot(&n.stiffness[k].component_mul(x)) - n.preload[k].dot(x)
    };
    part(0) + part(1)
}
