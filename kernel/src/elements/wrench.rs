//! Data plane: wrenches between two markers, how they reach the bodies, and their derivatives.
//!
//! Every force element and every constraint acts by a wrench (F, T), ground axes, on the body of
//! marker I at the origin p_I, and by its negative *at the same point* on the body of marker J:
//!
//! ```text
//! Q_I = (F, ρ×F + T)            ρ = p_I − r_I                          (WRE-1)
//! Q_J = −(F, η×F + T)           η = p_I − r_J                          (WRE-2)
//! ```

use crate::elements::kinematics::{MarkerKinematics, MarkerSlopes, Weights};
use crate::math::rotation::after_skew;
use crate::math::{Mat3, Vec3};

/// Force and torque in ground axes, at the origin of marker I.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// Force \[N\].
    pub force: Vec3,
    /// Torque [N m].
    pub torque: Vec3,
}

impl Wrench {
    /// No load.
    pub fn zero() -> Self {
        Self {
            force: Vec3::zeros(),
            torque: Vec3::zeros(),
        }
    }

    /// A pure force.
    pub fn force(force: Vec3) -> Self {
        Self {
            force,
            torque: Vec3::zeros(),
        }
    }

    /// A pure torque.
    pub fn torque(torque: Vec3) -> Self {
        Self {
            force: Vec3::zeros(),
            torque,
        }
    }

    /// The wrench times a number.
    #[must_use]
    pub fn scaled(&self, k: f64) -> Self {
        Self {
            force: self.force * k,
            torque: self.torque * k,
        }
    }

    /// Adds another wrench at the same point.
    pub fn add(&mut self, other: &Self) {
        self.force += other.force;
        self.torque += other.torque;
    }

    /// (WRE-1): generalized force on the body of I.
    #[inline]
    pub fn on_i(&self, i: &MarkerKinematics) -> [f64; 6] {
        six(&self.force, &(i.rho.cross(&self.force) + self.torque))
    }

    /// (WRE-2): generalized force on the body of J, with `arm` = p_I − r_J.
    #[inline]
    pub fn on_j(&self, arm: &Vec3) -> [f64; 6] {
        six(&-self.force, &-(arm.cross(&self.force) + self.torque))
    }

    /// The wrench on marker J, referred to J's own origin.
    #[must_use]
    pub fn at_j(&self, i: &MarkerKinematics, j: &MarkerKinematics) -> Self {
        let d = i.p - j.p;
        Self {
            force: -self.force,
            torque: -(self.torque + d.cross(&self.force)),
        }
    }
}

/// Two 3-vectors as six numbers.
pub fn six(a: &Vec3, b: &Vec3) -> [f64; 6] {
    [a.x, a.y, a.z, b.x, b.y, b.z]
}

/// Two linear maps, from a 3-vector of variations to δF and δT.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    /// To δF.
    pub f: Mat3,
    /// To δT.
    pub t: Mat3,
}

impl Map {
    /// Zero.
    pub fn zero() -> Self {
        Self {
            f: Mat3::zeros(),
            t: Mat3::zeros(),
        }
    }

    fn after(&self, m: &Mat3) -> Self {
        Self {
            f: self.f * m,
            t: self.t * m,
        }
    }

    fn after_skew(&self, v: &Vec3) -> Self {
        Self {
            f: after_skew(&self.f, v),
            t: after_skew(&self.t, v),
        }
    }

    fn times(&self, k: f64) -> Self {
        Self {
            f: self.f * k,
            t: self.t * k,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            f: self.f + other.f,
            t: self.t + other.t,
        }
    }
}

/// Derivatives of a wrench in the relative quantities of its markers.
#[derive(Clone, Copy, Debug)]
pub struct WrenchSlopes {
    /// In d = p_I − p_J.
    pub d: Map,
    /// In ḋ.
    pub d_rate: Map,
    /// In a small rotation of I.
    pub psi_i: Map,
    /// In a small rotation of J.
    pub psi_j: Map,
    /// In a small rotation of the axes marker.
    pub psi_k: Map,
    /// In the angular velocity of I.
    pub omega_i: Map,
    /// In the angular velocity of J.
    pub omega_j: Map,
}

impl WrenchSlopes {
    /// No dependence.
    pub fn zero() -> Self {
        let o = Map::zero();
        Self {
            d: o,
            d_rate: o,
            psi_i: o,
            psi_j: o,
            psi_k: o,
            omega_i: o,
            omega_j: o,
        }
    }

    /// Adds other derivatives times a factor.
    pub fn add(&mut self, other: &Self, factor: f64) {
        for (map, part) in [
            (&mut self.d, &other.d),
            (&mut self.d_rate, &other.d_rate),
            (&mut self.psi_i, &other.psi_i),
            (&mut self.psi_j, &other.psi_j),
            (&mut self.psi_k, &other.psi_k),
            (&mut self.omega_i, &other.omega_i),
            (&mut self.omega_j, &other.omega_j),
        ] {
            *map = map.plus(&part.times(factor));
        }
    }

    /// Derivatives in the six unknowns of the body of I.
    pub fn columns_i(&self, s: &MarkerSlopes, w: &Weights) -> [Map; 2] {
        [
            self.d.times(w.x).plus(&self.d_rate.times(w.u)),
            self.d
                .after_skew(&-s.lever)
                .plus(&self.d_rate.after(&s.v))
                .plus(&self.psi_i.times(w.x))
                .plus(&self.omega_i.after(&s.omega)),
        ]
    }

    /// Derivatives in the six unknowns of the body of J.
    pub fn columns_j(&self, s: &MarkerSlopes, w: &Weights) -> [Map; 2] {
        [
            self.d.times(-w.x).plus(&self.d_rate.times(-w.u)),
            self.d
                .after_skew(&s.lever)
                .plus(&self.d_rate.after(&-s.v))
                .plus(&self.psi_j.times(w.x))
                .plus(&self.omega_j.after(&s.omega)),
        ]
    }

    /// Derivatives in the six unknowns of the body of the axes marker.
    pub fn columns_k(&self, w: &Weights) -> [Map; 2] {
        [Map::zero(), self.psi_k.times(w.x)]
    }
}

/// A 6×6 block of derivatives, column by column: rows F, T (or Q), columns the unknowns of one body.
pub type Block = [[f64; 6]; 6];

/// A block of zeros.
pub const ZERO_BLOCK: Block = [[0.0; 6]; 6];

/// Adds the two column maps of a body to a wrench block.
pub fn add_columns(block: &mut Block, columns: &[Map; 2]) {
    for (half, map) in block.as_chunks_mut::<3>().0.iter_mut().zip(columns) {
        for (c, column) in half.iter_mut().enumerate() {
            for row in 0..3 {
                column[row] += map.f[(row, c)];
                column[row + 3] += map.t[(row, c)];
            }
        }
    }
}

/// Converts a wrench block to the block of the generalized force with lever arm `arm`: rows δF and arm×δF + δT.
#[inline]
pub fn transported(block: &Block, arm: &Vec3) -> Block {
    block.map(|c| {
        [
            c[0],
            c[1],
            c[2],
            c[3] + (arm.y * c[2] - arm.z * c[1]),
            c[4] + (arm.z * c[0] - arm.x * c[2]),
            c[5] + (arm.x * c[1] - arm.y * c[0]),
        ]
    })
}
