//! Data plane: a tendon: a massless cable over points, with the same tension everywhere and no friction.
//!
//! ```text
//! T = max(0, k s + c σ(s) L̇)     s = L − L0 > 0;  T = 0 for s ≤ 0                             (TDN-1)
//! σ = x² (3 − 2 x),  x = s/w up to 1                                                          (TDN-2)
//! F = −T e      on I of each piece, e = d/|d|                                                 (TDN-3)
//! V = ½ k s²,   D = (T − k s) L̇      of the whole cable, zero where it is slack               (TDN-4)
//! ```
//! k [N/m], c [N s/m], L0 \[m\], w \[m\]. L and L̇ are those of the whole cable. Each piece between two points is a force
//! of its own; the first has the energy of all.

use super::{ForceContext, ScaledTerm};
use crate::elements::wrench::{Wrench, WrenchSlopes};
use crate::math::{Mat3, Vec3};

/// Where damping is full, as a part of the free length, if no stretch is given for it.
const FULL: f64 = 1e-3;

/// One piece of a tendon. Stiffness, damping, free length and the stretch of full damping are at `values`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tendon {
    /// First of four numbers.
    pub values: usize,
    /// Length of the whole cable and its rate.
    pub whole: [ScaledTerm; 2],
    /// Is it the first piece, which has the energy of all?
    pub first: bool,
}

/// The cable at an instant.
struct Cable {
    tension: f64,
    /// ∂T/∂L and ∂T/∂L̇.
    slopes: [f64; 2],
    /// s where it is taut, else 0.
    stretch: f64,
    rate: f64,
    stiffness: f64,
}

/// (TDN-1).
fn cable(law: &Tendon, c: &ForceContext<'_>) -> Cable {
    let [stiffness, damping, free, width] = c.numbers::<4>(law.values);
    let [length, rate] = [c.term(&law.whole[0]), c.term(&law.whole[1])];
    let width = if width > 0.0 { width } else { FULL * free };
    let stretch = (length - free).max(0.0);
    // (TDN-2)
    let x = (stretch / width).min(1.0);
    let full = x * x * (3.0 - 2.0 * x);
    let rising = 6.0 * x * (1.0 - x) / width;
    let tension = stiffness * stretch + damping * full * rate;
    let taut = stretch > 0.0 && tension > 0.0;
    Cable {
        tension: if taut { tension } else { 0.0 },
        slopes: if taut {
            [stiffness + damping * rising * rate, damping * full]
        } else {
            [0.0; 2]
        },
        stretch,
        rate,
        stiffness,
    }
}

/// e of (TDN-3), and the length of the piece.
fn line(c: &ForceContext<'_>) -> (Vec3, f64) {
    let d = c.i.p - c.j.p;
    let length = d.norm().max(f64::MIN_POSITIVE);
    (d / length, length)
}

/// (TDN-3).
pub fn wrench(law: &Tendon, c: &ForceContext<'_>) -> Wrench {
    Wrench::force(line(c).0 * -cable(law, c).tension)
}

/// δF = −(T/l)(𝟙 − e eᵀ) δd at constant L and L̇.
pub fn slopes(law: &Tendon, c: &ForceContext<'_>) -> WrenchSlopes {
    let (e, length) = line(c);
    let mut slopes = WrenchSlopes::zero();
    slopes.d.f = (Mat3::identity() - e * e.transpose()) * (-cable(law, c).tension / length);
    slopes
}

/// −e ∂T/∂L (term 0) and −e ∂T/∂L̇ (term 1).
pub fn direction(law: &Tendon, term: usize, c: &ForceContext<'_>) -> Wrench {
    let slope = cable(law, c).slopes.get(term).copied();
    Wrench::force(line(c).0 * -slope.unwrap_or_default())
}

/// V of (TDN-4).
pub fn energy(law: &Tendon, c: &ForceContext<'_>) -> f64 {
    if !law.first {
        return 0.0;
    }
    let cable = cable(law, c);
    0.5 * cable.stiffness * cable.stretch * cable.stretch
}

/// D of (TDN-4).
pub fn dissipation(law: &Tendon, c: &ForceContext<'_>) -> f64 {
    if !law.first {
        return 0.0;
    }
    let cable = cable(law, c);
    (cable.tension - cable.stiffness * cable.stretch) * cable.rate
}

/// Length of the cable \[m\].
pub fn length(law: &Tendon, c: &ForceContext<'_>) -> f64 {
    c.term(&law.whole[0])
}

/// Distance of the cable's length from the free length \[m\].
pub fn from_onset(law: &Tendon, c: &ForceContext<'_>) -> f64 {
    let [free] = c.numbers::<1>(law.values + 2);
    length(law, c) - free
}
