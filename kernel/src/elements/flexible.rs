//! Data plane: flexible bodies in the floating frame of reference.
//!
//! A point p of the body is at r + R y, y = s + φ q: r the reference point (the centre of mass of the undeformed
//! body), R the axes of its frame, q the modal coordinates. In the quasi-velocities (v, ω, q̇), with v in ground and
//! ω in body axes, the kinetic energy needs only the nine inertia invariants (FLX-1):
//!
//! ```text
//! S = I2 + Σ I3_j qⱼ             C_j = I4_j + Σ I5_k[j] q_k
//! J = I7 + Σ N_j qⱼ + ½ ΣΣ P_jk qⱼ q_k,   N_j = −(I8_j + I8_jᵀ),   P_jk = −(I9_jk + I9_kj)
//! 2 T = m v·v + 2 Rᵀv·(ω×S + I3 q̇) + ω·J ω + 2 ω·C q̇ + q̇·I6 q̇              (FLX-2)
//! ```
//! and the equations of motion are, with A = Rᵀ(a − g), J_j = N_j + Σ P_jk q_k:
//!
//! ```text
//! f = m A + ω̇×S + I3 q̈ + ω×(ω×S) + 2 ω×(I3 q̇)
//! τ = S×A + J ω̇ + C q̈ + J̇ ω + ω×(J ω + C q̇)
//! Q_j = I3_j·A + C_j·ω̇ + (I6 q̈)_j − ½ ω·J_j ω − 2 ω·(I5_j q̇) + (K q)_j + d_j q̇_j − p_j         (FLX-3)
//! ```
//! (Shabana, *Dynamics of Multibody Systems*, ch. 5; Boltzmann–Hamel equations of (FLX-2).) Since they follow from an
//! energy, energy is conserved whichever invariants are switched off. p is the preload. The accelerations here are κ
//! times those of the scheme plus its history term, (ALP-3).
//!
//! Quasi-static modes keep stiffness and damping but lose their inertia. They follow their loads, including rigid
//! motion and gravity, and their own acceleration exerts no load:
//!
//! ```text
//! Q_j = I3_j·A + I4_j·ω̇ − ½ ω·N_j ω + (K q)_j + d_j q̇_j − p_j                    (FLX-9)
//! ```

pub mod attachment;
mod build;
pub mod frame;
mod motion;
mod tangent;

pub use motion::{Loads, Motion};
pub use tangent::{Columns, Slopes};

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::math::{Mat3, Vec3};
use alloc::vec::Vec;

/// The equations of a flexible body. 3-vectors are stored by component, pairs of modes (j, k) at k m + j, so that the
/// innermost loops run over j.
#[derive(Clone, Debug)]
pub struct Flexible {
    /// Number of modes m.
    pub modes: usize,
    /// m \[kg\].
    mass: f64,
    /// I7 about the reference point.
    inertia: Mat3,
    /// I3.
    i3: Vec<Vec3>,
    /// I4.
    i4: Vec<Vec3>,
    /// Components of I5_j[k]; empty if switched off.
    i5: [Vec<f64>; 3],
    /// I6.
    i6: Modal,
    /// N_j: xx, yy, zz, xy, yz, zx.
    n: [Vec<f64>; 6],
    /// P_jk, likewise; empty if switched off.
    p: [Vec<f64>; 6],
    /// K.
    stiffness: Modal,
    /// d.
    damping: Vec<f64>,
    /// p.
    preload: Vec<f64>,
    /// The modal mass that a quasi-static mode has lost; 0 for others.
    lost: Vec<f64>,
    /// Loads that rigid motion exerts on quasi-static modes.
    driven: Vec<Driven>,
    /// Geometric stiffness matrices, each with the unit motion that causes it.
    stiffening: Vec<(usize, Vec<f64>)>,
}

/// Invariants of the loads on a quasi-static mode.
#[derive(Clone, Debug)]
struct Driven {
    /// j.
    mode: usize,
    /// I3_j.
    i3: Vec3,
    /// I4_j.
    i4: Vec3,
    /// N_j: xx, yy, zz, xy, yz, zx.
    n: [f64; 6],
}

/// A symmetric modal matrix, stored as a diagonal if possible.
#[derive(Clone, Debug)]
pub enum Modal {
    /// The diagonal.
    Diagonal(Vec<f64>),
    /// All entries.
    Full(Vec<f64>),
}

impl Modal {
    /// y += factor · A x.
    fn add_product(&self, factor: f64, x: &[f64], y: &mut [f64]) {
        match self {
            Self::Diagonal(d) => {
                for ((y, d), x) in y.iter_mut().zip(d).zip(x) {
                    *y += factor * (d * x);
                }
            }
            Self::Full(a) => add_product(a, factor, x, y),
        }
    }

    /// An entry of the diagonal.
    pub fn diagonal(&self, j: usize, modes: usize) -> f64 {
        self.at((j, j), modes)
    }

    /// An entry.
    fn at(&self, (j, k): (usize, usize), modes: usize) -> f64 {
        match self {
            Self::Diagonal(d) if j == k => d[j],
            Self::Diagonal(_) => 0.0,
            Self::Full(a) => a[k * modes + j],
        }
    }
}

/// y += factor · A x, A by columns; does nothing if A is empty.
fn add_product(a: &[f64], factor: f64, x: &[f64], y: &mut [f64]) {
    let m = x.len().max(1);
    let (fours, rest) = x.as_chunks::<4>();
    let (first, last) = a.split_at((4 * m * fours.len()).min(a.len()));
    for (columns, x) in first.chunks_exact(4 * m).zip(fours) {
        let x = x.map(|x| factor * x);
        let (a, b) = columns.split_at(2 * m);
        let ((a0, a1), (a2, a3)) = (a.split_at(m), b.split_at(m));
        for ((((y, a0), a1), a2), a3) in y.iter_mut().zip(a0).zip(a1).zip(a2).zip(a3) {
            *y = *y + a0 * x[0] + a1 * x[1] + a2 * x[2] + a3 * x[3];
        }
    }
    for (column, x) in last.chunks_exact(m).zip(rest) {
        let x = factor * x;
        for (y, a) in y.iter_mut().zip(column) {
            *y += a * x;
        }
    }
}

/// A symmetric 3×3 matrix from xx, yy, zz, xy, yz, zx.
fn symmetric(v: [f64; 6]) -> Mat3 {
    Mat3::new(v[0], v[3], v[5], v[3], v[1], v[4], v[5], v[4], v[2])
}

/// Its product with a vector.
fn symmetric_times(v: [f64; 6], x: &Vec3) -> Vec3 {
    Vec3::new(
        v[0] * x.x + v[3] * x.y + v[5] * x.z,
        v[3] * x.x + v[1] * x.y + v[4] * x.z,
        v[5] * x.x + v[4] * x.y + v[2] * x.z,
    )
}

impl Flexible {
    /// I1 \[kg\].
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Is a mode quasi-static?
    pub fn is_quasi_static(&self, j: usize) -> bool {
        self.lost[j] > 0.0
    }

    /// The mass of a coordinate in the metric of formulation SI2: its modal mass, or h d if it is quasi-static. With
    /// h = ∞, for the search for poses, many times the mass that it has lost.
    fn metric_mass(&self, j: usize, h: f64) -> f64 {
        let m = self.modes;
        let critical = 2.0 * (self.stiffness.diagonal(j, m) * self.lost[j]).sqrt();
        if self.is_quasi_static(j) && h == f64::INFINITY {
            RELUCTANT * self.lost[j]
        } else if self.is_quasi_static(j) {
            (h * self.damping[j].max(LEAST_DAMPING * critical)).max(LEAST_METRIC * self.lost[j])
        } else {
            self.i6.diagonal(j, m)
        }
    }

    /// An entry of K.
    pub fn stiffness(&self, j: usize, k: usize) -> f64 {
        self.stiffness.at((j, k), self.modes)
    }

    /// The damping of a mode \[N s/m\], [N m s], per unit of its rate.
    pub fn damping(&self, j: usize) -> f64 {
        self.damping[j]
    }

    /// An entry of I6, including the mass that quasi-static modes have lost.
    pub fn modal_mass(&self, j: usize, k: usize) -> f64 {
        let lost = if j == k { self.lost[j] } else { 0.0 };
        self.i6.at((j, k), self.modes) + lost
    }

    /// 1/m of a single mode.
    pub fn modal_mobility(&self, j: usize) -> f64 {
        1.0 / (self.i6.diagonal(j, self.modes) + self.lost[j])
    }
}

/// Least mass of a quasi-static coordinate in that metric, as a fraction of the mass that it has lost.
const LEAST_METRIC: f64 = 1e-9;
/// Mass of a quasi-static coordinate in the search for poses, as a multiple of the mass that it has lost: bodies move
/// first.
const RELUCTANT: f64 = 100.0;
/// Least damping ratio of a quasi-static coordinate in the metric of formulation SI2.
const LEAST_DAMPING: f64 = 0.01;

#[cfg(test)]
pub(crate) mod tests;
