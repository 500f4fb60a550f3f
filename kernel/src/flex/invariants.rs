//! Control plane: the nine inertia invariants of a flexible body.
//!
//! For nodes p with mass m, inertia I, position s, translation φ and rotation ψ per mode:
//!
//! ```text
//! I1 = Σ m              I2 = Σ m s               I3 = Σ m φ
//! I4 = Σ m s~φ + I ψ    I5_j = Σ m φ_j~ φ        I6 = Σ m φᵀφ + ψᵀ I ψ
//! I7 = Σ m s~ᵀs~ + I    I8_j = Σ m s~ φ_j~       I9_jk = Σ m φ_j~ φ_k~          (FLX-1)
//! ```
//! (Shabana, *Dynamics of Multibody Systems*, ch. 5.) With a consistent mass matrix m_pq the single sums become
//! double sums over p and q.

use crate::math::rotation::skew;
use crate::math::{Mat3, Vec3};
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The nine invariants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Invariants {
    /// Number of modes m.
    pub modes: usize,
    /// I1 \[kg\].
    pub mass: f64,
    /// I2 [kg m].
    pub first: Vec3,
    /// I3, a column per mode.
    pub i3: Vec<Vec3>,
    /// I4, a column per mode.
    pub i4: Vec<Vec3>,
    /// I5: column k of I5_j at j m + k.
    pub i5: Vec<Vec3>,
    /// I6, row by row.
    pub i6: Vec<f64>,
    /// I7 [kg m²].
    pub i7: Mat3,
    /// I8_j.
    pub i8: Vec<Mat3>,
    /// I9_jk at j m + k.
    pub i9: Vec<Mat3>,
}

/// A node with a lumped mass.
#[derive(Clone, Debug)]
pub struct Nodal<'a> {
    /// m \[kg\].
    pub mass: f64,
    /// I [kg m²].
    pub inertia: Mat3,
    /// s \[m\].
    pub position: Vec3,
    /// φ, a column per mode.
    pub translation: &'a [Vec3],
    /// ψ, a column per mode.
    pub rotation: &'a [Vec3],
}

/// Which invariants are used, I1 first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switches(pub [bool; 9]);

impl Switches {
    /// All.
    pub const FULL: Self = Self([true; 9]);
    /// Without I5 and I9, whose sums run over pairs of modes.
    pub const PARTIAL: Self = Self([true, true, true, true, false, true, true, true, false]);
    /// A mass matrix that does not depend on the modes.
    pub const CONSTANT: Self = Self([true, true, false, false, false, true, true, false, false]);
    /// The inertia of the undeformed body alone.
    pub const RIGID: Self = Self([true, true, false, false, false, false, true, false, false]);
}

impl Invariants {
    /// Invariants of a body with this many modes, all zero.
    pub fn zero(modes: usize) -> Self {
        Self {
            modes,
            mass: 0.0,
            first: Vec3::zeros(),
            i3: vec![Vec3::zeros(); modes],
            i4: vec![Vec3::zeros(); modes],
            i5: vec![Vec3::zeros(); modes * modes],
            i6: vec![0.0; modes * modes],
            i7: Mat3::zeros(),
            i8: vec![Mat3::zeros(); modes],
            i9: vec![Mat3::zeros(); modes * modes],
        }
    }

    /// (FLX-1) for nodes with lumped masses.
    pub fn lumped<'a>(modes: usize, nodes: impl IntoIterator<Item = Nodal<'a>>) -> Self {
        let mut sum = Self::zero(modes);
        for node in nodes {
            sum.add(&node);
        }
        sum
    }

    fn add(&mut self, node: &Nodal<'_>) {
        let (m, s, phi, psi) = (node.mass, node.position, node.translation, node.rotation);
        let s_tilde = skew(&s);
        self.mass += m;
        self.first += s * m;
        self.i7 += s_tilde.tr_mul(&s_tilde) * m + node.inertia;
        for j in 0..self.modes {
            self.i3[j] += phi[j] * m;
            self.i4[j] += s.cross(&phi[j]) * m + node.inertia * psi[j];
            self.i8[j] += s_tilde * skew(&phi[j]) * m;
            for k in 0..self.modes {
                let at = j * self.modes + k;
                self.i5[at] += phi[j].cross(&phi[k]) * m;
                self.i6[at] += m * phi[j].dot(&phi[k]) + psi[j].dot(&(node.inertia * psi[k]));
                self.i9[at] += skew(&phi[j]) * skew(&phi[k]) * m;
            }
        }
    }

    /// The invariants about another point: positions become s − c.
    #[must_use]
    pub fn about(&self, c: &Vec3) -> Self {
        let (c_tilde, first) = (skew(c), skew(&self.first));
        let mut moved = self.clone();
        moved.first -= c * self.mass;
        moved.i7 +=
            c_tilde.tr_mul(&c_tilde) * self.mass - c_tilde.tr_mul(&first) - first.tr_mul(&c_tilde);
        for j in 0..self.modes {
            moved.i4[j] -= c.cross(&self.i3[j]);
            moved.i8[j] -= c_tilde * skew(&self.i3[j]);
        }
        moved
    }

    /// The centre of mass of the undeformed body.
    pub fn center(&self) -> Vec3 {
        self.first / self.mass
    }

    /// Sets the invariants that are switched off to zero.
    #[must_use]
    pub fn switched(mut self, switches: Switches) -> Self {
        let [.., on3, on4, on5, on6, on7, on8, on9] = switches.0;
        let wipe = |on: bool, list: &mut [Vec3]| {
            if !on {
                list.fill(Vec3::zeros());
            }
        };
        wipe(on3, &mut self.i3);
        wipe(on4, &mut self.i4);
        wipe(on5, &mut self.i5);
        if !switches.0[0] {
            self.mass = 0.0;
        }
        if !switches.0[1] {
            self.first = Vec3::zeros();
        }
        if !on6 {
            self.i6.fill(0.0);
        }
        if !on7 {
            self.i7 = Mat3::zeros();
        }
        if !on8 {
            self.i8.fill(Mat3::zeros());
        }
        if !on9 {
            self.i9.fill(Mat3::zeros());
        }
        self
    }

    /// The invariants of some of the modes.
    #[must_use]
    pub fn selected(&self, modes: &[usize]) -> Self {
        let m = self.modes;
        let pairs = || {
            let row = |j: &usize| modes.iter().map(|k| j * m + k).collect::<Vec<_>>();
            modes.iter().flat_map(row).collect::<Vec<_>>()
        };
        let pairs = pairs();
        Self {
            modes: modes.len(),
            mass: self.mass,
            first: self.first,
            i3: modes.iter().map(|j| self.i3[*j]).collect(),
            i4: modes.iter().map(|j| self.i4[*j]).collect(),
            i5: pairs.iter().map(|at| self.i5[*at]).collect(),
            i6: pairs.iter().map(|at| self.i6[*at]).collect(),
            i7: self.i7,
            i8: modes.iter().map(|j| self.i8[*j]).collect(),
            i9: pairs.iter().map(|at| self.i9[*at]).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
