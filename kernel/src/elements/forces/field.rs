//! Data plane: linear springs and dampers over all six relative coordinates: field and beam.
//!
//! With q = (d_J, θ) and q̇ = (v_J, ω_J) of (REL-1), in J's axes, on I:
//!
//! ```text
//! (f, t) = (f0, t0) − K (q − q0) − C q̇                                     (FLD-1)
//! ```
//! A beam from J to I along x of J is the field of Timoshenko's element, bending and shear together (Przemieniecki,
//! *Theory of Matrix Structural Analysis*, 1968, section 5.6):
//!
//! ```text
//! K₁₁ = EA/L,   K₄₄ = G Ixx/L,   q0 = (L, 0, 0, 0, 0, 0)
//! K₂₂ = 12 E Izz/(L³ (1+Py)),  K₂₆ = −6 E Izz/(L² (1+Py)),  K₆₆ = (4+Py) E Izz/(L (1+Py))
//! K₃₃ = 12 E Iyy/(L³ (1+Pz)),  K₃₅ = +6 E Iyy/(L² (1+Pz)),  K₅₅ = (4+Pz) E Iyy/(L (1+Pz))
//! Py = 12 E Izz ASY/(G A L²),   Pz = 12 E Iyy ASZ/(G A L²)                  (FLD-2)
//! ```
//! Ixx is the torsional constant, ASY and ASZ the shear factors (6/5 for a rectangle, 0 for none). The load on J
//! follows from equilibrium at the true distance (WRE-2).

use crate::elements::forces::ForceContext;
use crate::elements::forces::relative::{Pair, Quad, Relative};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::rotation::left_tangent_inverse;
use crate::math::{Mat3, Vec3};

/// Count of a field's numbers: K and C by rows, q0, (f0, t0), and a time τ that adds the damping τ K.
pub const FIELD_NUMBERS: usize = 36 + 36 + 6 + 6 + 1;

/// Count of a beam's numbers: C by rows, a time τ that adds the damping τ K, length, E, G, area, Ixx, Iyy, Izz, ASY,
/// ASZ.
pub const BEAM_NUMBERS: usize = 36 + 1 + 9;

/// A law of the form (FLD-1).
struct Linear {
    stiffness: Quad,
    damping: Quad,
    from: Pair,
    preload: Pair,
}

/// Which set of numbers the element has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`FIELD_NUMBERS`] from here.
    Field(usize),
    /// [`BEAM_NUMBERS`] from here.
    Beam(usize),
}

fn pair(n: &[f64]) -> Pair {
    [Vec3::new(n[0], n[1], n[2]), Vec3::new(n[3], n[4], n[5])]
}

/// A 6×6 matrix by rows.
fn quad(n: &[f64]) -> Quad {
    let block = |r: usize, c: usize| Mat3::from_fn(|i, k| n[6 * (3 * r + i) + 3 * c + k]);
    [[block(0, 0), block(0, 1)], [block(1, 0), block(1, 1)]]
}

/// a + k b.
fn plus(a: &Quad, k: f64, b: &Quad) -> Quad {
    core::array::from_fn(|r| core::array::from_fn(|c| a[r][c] + b[r][c] * k))
}

/// A matrix times a pair.
fn times(m: &Quad, x: &Pair) -> Pair {
    core::array::from_fn(|r| m[r][0] * x[0] + m[r][1] * x[1])
}

fn linear(kind: Kind, c: &ForceContext<'_>) -> Linear {
    match kind {
        Kind::Field(values) => {
            let n = c.numbers::<FIELD_NUMBERS>(values);
            let stiffness = quad(&n[..36]);
            Linear {
                damping: plus(&quad(&n[36..72]), n[84], &stiffness),
                stiffness,
                from: pair(&n[72..78]),
                preload: pair(&n[78..84]),
            }
        }
        Kind::Beam(values) => {
            let n = c.numbers::<BEAM_NUMBERS>(values);
            let stiffness = beam(&n[37..]);
            Linear {
                damping: plus(&quad(&n[..36]), n[36], &stiffness),
                stiffness,
                from: [Vec3::new(n[37], 0.0, 0.0), Vec3::zeros()],
                preload: [Vec3::zeros(); 2],
            }
        }
    }
}

/// (FLD-2), from length, E, G, area, Ixx, Iyy, Izz, ASY, ASZ.
fn beam(n: &[f64]) -> Quad {
    let (l, e, g, area) = (n[0], n[1], n[2], n[3]);
    let (ixx, iyy, izz, asy, asz) = (n[4], n[5], n[6], n[7], n[8]);
    let bending = |i: f64, shear: f64| {
        let p = 12.0 * e * i * shear / (g * area * l * l);
        let unit = e * i / (l * (1.0 + p));
        (12.0 * unit / (l * l), 6.0 * unit / l, (4.0 + p) * unit)
    };
    let (y, yc, c) = bending(izz, asy);
    let (z, zb, b) = bending(iyy, asz);
    #[rustfmt::skip]
    let coupled = Mat3::new(
        0.0, 0.0, 0.0,
        0.0, 0.0, -yc,
        0.0, zb, 0.0,
    );
    [
        [Mat3::from_diagonal(&Vec3::new(e * area / l, y, z)), coupled],
        [
            coupled.transpose(),
            Mat3::from_diagonal(&Vec3::new(g * ixx / l, b, c)),
        ],
    ]
}

/// q − q0.
fn departure(n: &Linear, l: &Relative) -> Pair {
    [l.place[0] - n.from[0], l.place[1] - n.from[1]]
}

fn loads(n: &Linear, l: &Relative) -> Pair {
    let elastic = times(&n.stiffness, &departure(n, l));
    let viscous = times(&n.damping, &l.rate);
    core::array::from_fn(|k| n.preload[k] - elastic[k] - viscous[k])
}

/// (FLD-1).
pub fn wrench(kind: Kind, c: &ForceContext<'_>) -> Wrench {
    let (n, l) = (linear(kind, c), Relative::new(c));
    l.wrench(&loads(&n, &l))
}

/// Derivatives, by (REL-2); δθ = T_l⁻¹(θ) φ.
pub fn slopes(kind: Kind, c: &ForceContext<'_>) -> WrenchSlopes {
    let (n, l) = (linear(kind, c), Relative::new(c));
    let tangent = left_tangent_inverse(&l.place[1]);
    let by_place = [0, 1].map(|r| [-n.stiffness[r][0], -n.stiffness[r][1] * tangent]);
    let by_rate = n.damping.map(|row| row.map(|block| -block));
    l.slopes(c, &loads(&n, &l), &by_place, &by_rate)
}

/// A jump of θ \[rad\], weighted by the stiffest axis, in torque or in force.
pub fn weighted_jump(kind: Kind, c: &ForceContext<'_>, jump: &Vec3) -> f64 {
    let [force, torque] = linear(kind, c).stiffness;
    super::share(&torque[1], jump).max(super::share(&force[1], jump))
}

/// ½ (q − q0)ᵀK(q − q0) − (f0, t0)·(q − q0), of the symmetric part of K; exact where rotations are small.
pub fn energy(kind: Kind, c: &ForceContext<'_>) -> f64 {
    let (n, l) = (linear(kind, c), Relative::new(c));
    let x = departure(&n, &l);
    let elastic = times(&n.stiffness, &x);
    let work = |y: &Pair| y[0].dot(&x[0]) + y[1].dot(&x[1]);
    0.5 * work(&elastic) - work(&n.preload)
}
