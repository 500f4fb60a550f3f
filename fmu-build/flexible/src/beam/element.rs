//! Control plane: a straight beam element with twelve unknowns.
//!
//! In its own axes, x along it, the unknowns are u v w and θx θy θz of either end, ξ = x/L. Stretch and twist are
//! linear. Bending in the xy plane is the deflection of Timoshenko's beam under end loads, with Φ = 12 E Izz s/(G A
//! L²) and the shear factor s (Przemieniecki, *Theory of Matrix Structural Analysis*, 1968, sections 5.6 and 11.6):
//!
//! ```text
//! v  (1+Φ) = (1−3ξ²+2ξ³+Φ(1−ξ)) v1 + (3ξ²−2ξ³+Φξ) v2
//!          + L (ξ−2ξ²+ξ³+½Φ(ξ−ξ²)) θ1 + L (ξ³−ξ²−½Φ(ξ−ξ²)) θ2
//! θz (1+Φ) = 6(ξ²−ξ)/L v1 − 6(ξ²−ξ)/L v2 + (1−4ξ+3ξ²+Φ(1−ξ)) θ1 + (3ξ²−2ξ+Φξ) θ2   (BEA-2)
//! ```
//! The xz plane is the same with θy = −w′. Stiffness and mass are integrals of these fields over Gauss points, exact
//! with four:
//!
//! ```text
//! K = ∫ EA u′² + G Ixx θx′² + E Iyy θy′² + E Izz θz′² + GA/s (v′−θz)² + GA/s (w′+θy)² dx
//! M = ∫ ρA (u² + v² + w²) + ρ(Iyy+Izz) θx² + ρ Iyy θy² + ρ Izz θz² dx            (BEA-3)
//! ```
//! Euler–Bernoulli: Φ = 0, and no inertia of θy and θz; Rayleigh: Φ = 0.

use fixstep_kernel::math::{Mat3, Vec3};
use nalgebra::{SMatrix, SVector};

use super::input::Theory;
use super::section::Section;

/// Unknowns of an element.
pub type Vector12 = SVector<f64, 12>;
/// A matrix of an element.
pub type Square = SMatrix<f64, 12, 12>;
/// Three components, linear in the unknowns.
pub type Field = SMatrix<f64, 3, 12>;

/// Places and weights of Gauss's formula with four points on 0 to 1.
const GAUSS: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// A material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Young's modulus \[Pa\].
    pub youngs_modulus: f64,
    /// Shear modulus \[Pa\].
    pub shear_modulus: f64,
    /// Density [kg/m³].
    pub density: f64,
}

/// An element.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its two nodes, counted from 0.
    pub nodes: [usize; 2],
    /// Where it begins \[m\].
    pub start: Vec3,
    /// Its axes in columns.
    pub axes: Mat3,
    /// Its length \[m\].
    pub length: f64,
    /// Its section.
    pub section: Section,
    /// Its material.
    pub material: Material,
    /// The beam theory.
    pub theory: Theory,
}

/// Fields at a place of an element, in its own axes.
#[derive(Clone, Debug)]
pub struct Fields {
    /// u, v, w.
    pub displacement: Field,
    /// θx, θy, θz.
    pub rotation: Field,
    /// u′, v′, w′.
    pub slope: Field,
    /// θx′, θy′, θz′.
    pub curvature: Field,
}

impl Element {
    /// Φ of bending about z and about y.
    fn shear_parameters(&self) -> [f64; 2] {
        if self.theory != Theory::Timoshenko {
            return [0.0; 2];
        }
        let (s, m) = (&self.section, &self.material);
        let base = 12.0 * m.youngs_modulus / (m.shear_modulus * s.area * self.length * self.length);
        [base * s.izz * s.shear_y, base * s.iyy * s.shear_z]
    }

    /// (BEA-2) at ξ.
    pub fn fields(&self, xi: f64) -> Fields {
        let l = self.length;
        let mut f = Fields {
            displacement: Field::zeros(),
            rotation: Field::zeros(),
            slope: Field::zeros(),
            curvature: Field::zeros(),
        };
        for (end, share, rate) in [(0, 1.0 - xi, -1.0 / l), (6, xi, 1.0 / l)] {
            f.displacement[(0, end)] = share;
            f.slope[(0, end)] = rate;
            f.rotation[(0, end + 3)] = share;
            f.curvature[(0, end + 3)] = rate;
        }
        let [about_z, about_y] = self.shear_parameters();
        // of the xz plane w stands for v, and −θy for θ
        for (axis, turn, sign, phi) in [(1, 2, 1.0, about_z), (2, 1, -1.0, about_y)] {
            let plane = bending(xi, l, phi);
            for (k, place) in [axis, 3 + turn, 6 + axis, 9 + turn].into_iter().enumerate() {
                let flip = if k % 2 == 1 { sign } else { 1.0 };
                f.displacement[(axis, place)] = flip * plane.displacement[k];
                f.slope[(axis, place)] = flip * plane.slope[k];
                f.rotation[(turn, place)] = sign * flip * plane.rotation[k];
                f.curvature[(turn, place)] = sign * flip * plane.curvature[k];
            }
        }
        f
    }

    /// Gauss points: ξ and the length that each represents.
    pub fn points(&self) -> [(f64, f64); 4] {
        GAUSS.map(|(xi, weight)| (xi, weight * self.length))
    }

    /// Mass per length [kg/m].
    pub fn line_mass(&self) -> f64 {
        self.material.density * self.section.area
    }

    /// Inertia per length of a slice, in the axes of the element, with rotary inertia about all axes [kg m].
    pub fn slice(&self) -> Vec3 {
        let s = &self.section;
        Vec3::new(s.polar(), s.iyy, s.izz) * self.material.density
    }

    /// Inertia per length that rotations have by the theory.
    pub fn rotary(&self) -> Vec3 {
        match self.theory {
            Theory::EulerBernoulli => Vec3::new(self.slice().x, 0.0, 0.0),
            Theory::Rayleigh | Theory::Timoshenko => self.slice(),
        }
    }

    /// K of (BEA-3), own axes.
    pub fn stiffness(&self) -> Square {
        let (s, m) = (&self.section, &self.material);
        let e = m.youngs_modulus;
        let bending = Vec3::new(m.shear_modulus * s.ixx, e * s.iyy, e * s.izz);
        let mut k = Square::zeros();
        for (xi, weight) in self.points() {
            let f = self.fields(xi);
            let mut rows = vec![(e * s.area, f.slope.row(0).into_owned())];
            for axis in 0..3 {
                rows.push((bending[axis], f.curvature.row(axis).into_owned()));
            }
            if self.theory == Theory::Timoshenko {
                let rigidity = m.shear_modulus * s.area;
                let y = f.slope.row(1) - f.rotation.row(2);
                let z = f.slope.row(2) + f.rotation.row(1);
                for (factor, strain) in [(s.shear_y, y), (s.shear_z, z)] {
                    // without a factor there is no strain
                    if factor > 0.0 {
                        rows.push((rigidity / factor, strain));
                    }
                }
            }
            for (rigidity, row) in rows {
                k += row.transpose() * row * (rigidity * weight);
            }
        }
        k
    }

    /// M of (BEA-3), own axes.
    pub fn mass(&self) -> Square {
        let rotary = Mat3::from_diagonal(&self.rotary());
        let mut m = Square::zeros();
        for (xi, weight) in self.points() {
            let f = self.fields(xi);
            m += f.displacement.tr_mul(&f.displacement) * (self.line_mass() * weight);
            m += f.rotation.tr_mul(&(rotary * f.rotation)) * weight;
        }
        m
    }

    /// From own axes to those of the model, all four triples of the unknowns.
    pub fn turned(&self, own: &Square) -> Square {
        let mut turn = Square::zeros();
        for k in 0..4 {
            turn.fixed_view_mut::<3, 3>(3 * k, 3 * k)
                .copy_from(&self.axes);
        }
        turn * own * turn.transpose()
    }

    /// The unknowns in the element's axes, from displacements and rotations of the nodes in those of the model.
    pub fn own(&self, ends: [[Vec3; 2]; 2]) -> Vector12 {
        let mut x = Vector12::zeros();
        for (k, v) in ends.as_flattened().iter().enumerate() {
            x.fixed_rows_mut::<3>(3 * k).copy_from(&self.axes.tr_mul(v));
        }
        x
    }
}

/// Coefficients of v1, θ1, v2, θ2.
struct Plane {
    displacement: [f64; 4],
    slope: [f64; 4],
    rotation: [f64; 4],
    curvature: [f64; 4],
}

fn bending(x: f64, l: f64, phi: f64) -> Plane {
    let (x2, x3) = (x * x, x * x * x);
    let over = |row: [f64; 4]| row.map(|value| value / (1.0 + phi));
    let half = 0.5 * phi;
    Plane {
        displacement: over([
            1.0 - 3.0 * x2 + 2.0 * x3 + phi * (1.0 - x),
            l * (x - 2.0 * x2 + x3 + half * (x - x2)),
            3.0 * x2 - 2.0 * x3 + phi * x,
            l * (x3 - x2 - half * (x - x2)),
        ]),
        slope: over([
            (6.0 * (x2 - x) - phi) / l,
            1.0 - 4.0 * x + 3.0 * x2 + half * (1.0 - 2.0 * x),
            (6.0 * (x - x2) + phi) / l,
            3.0 * x2 - 2.0 * x - half * (1.0 - 2.0 * x),
        ]),
        rotation: over([
            6.0 * (x2 - x) / l,
            1.0 - 4.0 * x + 3.0 * x2 + phi * (1.0 - x),
            6.0 * (x - x2) / l,
            3.0 * x2 - 2.0 * x + phi * x,
        ]),
        curvature: over([
            6.0 * (2.0 * x - 1.0) / (l * l),
            (6.0 * x - 4.0 - phi) / l,
            6.0 * (1.0 - 2.0 * x) / (l * l),
            (6.0 * x - 2.0 + phi) / l,
        ]),
    }
}

#[cfg(test)]
mod tests;
