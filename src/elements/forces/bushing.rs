//! Data plane: six-axis bushing.
//!
//! In the axes of J, with displacement d_J = R_Jᵀ d, its rate seen in J, the rotation vector θ of
//! I against J (`exp(θ~) = R_Jᵀ R_I`) and the relative angular velocity ω_J:
//!
//! ```text
//! F = R_J (F0 − K d_J − C v_J),   v_J = R_Jᵀ (ḋ − Ω_J×d)                  (BUS-1)
//! T = R_J (T0 − KT θ − CT ω_J),   ω_J = R_Jᵀ (Ω_I − Ω_J)                  (BUS-2)
//! ```
//! Adams BUSHING uses three projected small angles; the rotation vector differs from them by
//! products of two angles, not at all for a turn about one axis, and stays smooth and
//! frame-indifferent up to π (docs/theory/forces.md).
//! K, KT diagonal [N/m, N m/rad], C, CT [N s/m, N m s/rad], F0 \[N\], T0 [N m].

use crate::elements::forces::ForceContext;
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::{left_tangent_inverse, log, skew};
use crate::math::{Mat3, Vec3};

/// The bushing's numbers, three by three.
struct Numbers {
    k: Vec3,
    c: Vec3,
    f0: Vec3,
    kt: Vec3,
    ct: Vec3,
    t0: Vec3,
}

fn numbers(values: usize, c: &ForceContext<'_>) -> Numbers {
    let n = c.numbers::<18>(values);
    let at = |k: usize| Vec3::new(n[k], n[k + 1], n[k + 2]);
    Numbers {
        k: at(0),
        c: at(3),
        f0: at(6),
        kt: at(9),
        ct: at(12),
        t0: at(15),
    }
}

/// Kinematics in J's axes.
struct Local {
    rj: Mat3,
    d: Vec3,
    v: Vec3,
    theta: Vec3,
    w: Vec3,
}

fn local(c: &ForceContext<'_>) -> Local {
    let rj = c.j.axes;
    let d = c.i.p - c.j.p;
    let v = c.i.v - c.j.v - c.j.omega.cross(&d);
    Local {
        rj,
        d: rj.tr_mul(&d),
        v: rj.tr_mul(&v),
        theta: log(&rj.tr_mul(&c.i.axes)),
        w: rj.tr_mul(&(c.i.omega - c.j.omega)),
    }
}

/// Force and torque in J's axes.
fn loads(n: &Numbers, l: &Local) -> (Vec3, Vec3) {
    let x = |a: &Vec3, b: &Vec3| a.component_mul(b);
    (
        n.f0 - x(&n.k, &l.d) - x(&n.c, &l.v),
        n.t0 - x(&n.kt, &l.theta) - x(&n.ct, &l.w),
    )
}

/// (BUS-1), (BUS-2).
pub fn wrench(values: usize, c: &ForceContext<'_>) -> Wrench {
    let (n, l) = (numbers(values, c), local(c));
    let (f, t) = loads(&n, &l);
    Wrench {
        force: l.rj * f,
        torque: l.rj * t,
    }
}

/// Derivatives: with x̂ = R_J x_J, `δ(R_J y_J) = δψ_J × ŷ + R_J δy_J`.
pub fn slopes(values: usize, c: &ForceContext<'_>) -> WrenchSlopes {
    let (n, l) = (numbers(values, c), local(c));
    let (f, t) = loads(&n, &l);
    let turned = |diagonal: &Vec3| l.rj * Mat3::from_diagonal(diagonal) * l.rj.transpose();
    let (k, cc, ct) = (turned(&n.k), turned(&n.c), turned(&n.ct));
    let twist =
        l.rj * Mat3::from_diagonal(&n.kt) * left_tangent_inverse(&l.theta) * l.rj.transpose();
    let (d, v, w) = (l.rj * l.d, l.rj * l.v, l.rj * l.w);
    let mut s = WrenchSlopes::zero();
    // δ(R_J d_J) = δd, so R_J δd_J = δd − δψ_J×d = δd + d~ δψ_J; likewise for v and ω.
    s.d.f = -k + cc * skew(&c.j.omega);
    s.d_rate.f = -cc;
    s.omega_j.f = -(cc * skew(&d));
    s.psi_j.f = -skew(&(l.rj * f)) - k * skew(&d) - cc * skew(&v);
    s.psi_i.t = -twist;
    s.psi_j.t = -skew(&(l.rj * t)) + twist - ct * skew(&w);
    s.omega_i.t = -ct;
    s.omega_j.t = ct;
    s
}

/// ½ dᵀK d − F0·d + ½ θᵀKT θ − T0·θ. Exact for the translational part; for the rotational part
/// with equal stiffnesses or a single axis of rotation.
pub fn energy(values: usize, c: &ForceContext<'_>) -> f64 {
    let (n, l) = (numbers(values, c), local(c));
    0.5 * l.d.dot(&n.k.component_mul(&l.d)) - n.f0.dot(&l.d)
        + 0.5 * l.theta.dot(&n.kt.component_mul(&l.theta))
        - n.t0.dot(&l.theta)
}
