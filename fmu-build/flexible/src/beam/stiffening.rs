//! Control plane: the stretching of beams by inertia loads, and its effect on bending stiffness.
//!
//! A moving frame loads a slice of the beam at s by −ρA a(s), with a the acceleration of that place in an undeformed
//! body: e_k per unit acceleration of the origin (less gravity) along k, e_k × s per unit of angular acceleration,
//! e_a × (e_b × s) + e_b × (e_a × s) per unit of the product ω_a ω_b, once where a = b. A slice with a slope moves
//! towards the support by half the square of its slope, and the load does work:
//!
//! ```text
//! G_jk = ∫ N (v_j′ v_k′ + w_j′ w_k′) dx,   N′ = −p_x                          (BEA-4)
//! ```
//! per unit motion, with N the axial force of linear statics: the body is held at its support or, if nothing holds
//! it, accelerated as a rigid body so that the loads balance (inertia relief). The stiffness of the moving body is
//! K + Σ G × motion. For a beam held at s = 0 along x with ω_z: p_x = ρA ω² x, N = ½ρA ω² (L² − x²). The acceleration
//! field is linear in s, so N is quadratic in every element: the result of linear statics at the nodes, plus the part
//! of an element between fixed ends, exact at Gauss points.

use fixstep_kernel::flex::STIFFENINGS;
use fixstep_kernel::math::rotation::skew;
use fixstep_kernel::math::{Mat3, Vec3};
use nalgebra::{Matrix6, Vector6};

use super::element::{Element, Vector12};
use super::mesh::{Mesh, SIX};
use super::statics::Statics;

/// Products of angular velocities, in the order of the file.
const PRODUCTS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)];

/// The acceleration of slices per unit motion: at s it is `origin` + `slope` s. A slice with the moments of inertia J
/// also needs the torque J `turn`, or e_a × J e_b for a product.
#[derive(Clone, Debug)]
struct Motion {
    origin: Vec3,
    slope: Mat3,
    turn: Vec3,
    product: Option<(usize, usize)>,
}

impl Motion {
    fn of(k: usize) -> Self {
        let (mut origin, mut slope, mut turn) = (Vec3::zeros(), Mat3::zeros(), Vec3::zeros());
        let mut product = None;
        let axis = Vec3::ith(k % 3, 1.0);
        match k {
            0..3 => origin = axis,
            3..6 => (slope, turn) = (skew(&axis), axis),
            _ => {
                let (a, b) = PRODUCTS[k - 6];
                let (ea, eb) = (skew(&Vec3::ith(a, 1.0)), skew(&Vec3::ith(b, 1.0)));
                slope = if a == b { ea * ea } else { ea * eb + eb * ea };
                product = Some((a, b));
            }
        }
        Self {
            origin,
            slope,
            turn,
            product,
        }
    }

    /// Force per length at a place of an element.
    fn force(&self, element: &Element, s: &Vec3) -> Vec3 {
        (self.origin + self.slope * s) * -element.line_mass()
    }

    /// Torque per length.
    fn torque(&self, element: &Element) -> Vec3 {
        let j = element.axes * Mat3::from_diagonal(&element.slice()) * element.axes.transpose();
        let mut torque = -(j * self.turn);
        if let Some((a, b)) = self.product {
            let (ea, eb) = (Vec3::ith(a, 1.0), Vec3::ith(b, 1.0));
            torque -= ea.cross(&(j * eb));
            if a != b {
                torque -= eb.cross(&(j * ea));
            }
        }
        torque
    }

    /// Subtracts the acceleration of a rigid body.
    fn relieved(&self, rigid: &Vector6<f64>) -> Self {
        let (a, alpha) = (
            rigid.fixed_rows::<3>(0),
            rigid.fixed_rows::<3>(3).into_owned(),
        );
        Self {
            origin: self.origin - a,
            slope: self.slope - skew(&alpha),
            turn: self.turn - alpha,
            product: self.product,
        }
    }
}

/// (BEA-4) for all unit motions, row by row; `None` if the support does not hold the body.
pub fn stiffening(mesh: &Mesh, support: Option<usize>, modes: &[Vec<f64>]) -> Option<Vec<f64>> {
    let mut motions: Vec<Motion> = (0..STIFFENINGS).map(Motion::of).collect();
    if support.is_none() {
        let inertia = rigid_inertia(mesh).cholesky()?;
        for motion in &mut motions {
            let loads = resultant(mesh, motion);
            *motion = motion.relieved(&inertia.solve(&-loads));
        }
    }
    // a body without support has balanced loads: any node holds it without a reaction
    let held = support.unwrap_or(0);
    let statics = Statics::of(mesh, held)?;
    let mut all = Vec::with_capacity(STIFFENINGS * modes.len() * modes.len());
    for motion in &motions {
        let mut x = loads(mesh, motion);
        statics.solve(&mut x);
        all.extend(geometric(mesh, motion, &x, modes));
    }
    Some(all)
}

/// Consistent loads of a motion on all unknowns.
fn loads(mesh: &Mesh, motion: &Motion) -> Vec<f64> {
    let mut all = vec![0.0; mesh.unknowns()];
    for element in &mesh.elements {
        let mut own = Vector12::zeros();
        for (xi, weight) in element.points() {
            let f = element.fields(xi);
            let s = element.start + element.axes.column(0) * (xi * element.length);
            let force = element.axes.tr_mul(&motion.force(element, &s));
            let torque = element.axes.tr_mul(&motion.torque(element));
            own += (f.displacement.tr_mul(&force) + f.rotation.tr_mul(&torque)) * weight;
        }
        let places = Mesh::places(element);
        for triple in 0..4 {
            let turned = element.axes * own.fixed_rows::<3>(3 * triple);
            for k in 0..3 {
                all[places[3 * triple + k]] += turned[k];
            }
        }
    }
    all
}

/// Force and torque about the origin of a motion's loads.
fn resultant(mesh: &Mesh, motion: &Motion) -> Vector6<f64> {
    let mut sum = Vector6::zeros();
    for element in &mesh.elements {
        for (xi, weight) in element.points() {
            let s = element.start + element.axes.column(0) * (xi * element.length);
            let force = motion.force(element, &s) * weight;
            let torque = motion.torque(element) * weight + s.cross(&force);
            sum += Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        }
    }
    sum
}

/// The matrix of loads under rigid accelerations: their resultants are its negative columns.
fn rigid_inertia(mesh: &Mesh) -> Matrix6<f64> {
    Matrix6::from_columns(&std::array::from_fn::<_, 6, _>(|k| {
        -resultant(mesh, &Motion::of(k))
    }))
}

/// The matrix of (BEA-4) for one motion; `x` are the displacements of the nodes under its loads.
fn geometric(mesh: &Mesh, motion: &Motion, x: &[f64], modes: &[Vec<f64>]) -> Vec<f64> {
    let m = modes.len();
    let mut g = vec![0.0; m * m];
    let mut slopes = vec![[0.0; 2]; m];
    for element in &mesh.elements {
        let force = AxialForce::of(element, motion, x);
        let own: Vec<Vector12> = modes
            .iter()
            .map(|mode| element.own(Mesh::ends(element, mode)))
            .collect();
        for (xi, weight) in element.points() {
            let field = element.fields(xi).slope;
            for (slope, x) in slopes.iter_mut().zip(&own) {
                *slope = [(field.row(1) * x)[0], (field.row(2) * x)[0]];
            }
            let n = force.at(xi) * weight;
            for j in 0..m {
                for k in 0..m {
                    g[j * m + k] += n * (slopes[j][0] * slopes[k][0] + slopes[j][1] * slopes[k][1]);
                }
            }
        }
    }
    g
}

/// N of an element.
struct AxialForce {
    /// From the nodes.
    nodes: f64,
    /// Load per length at its beginning and its end.
    load: [f64; 2],
    length: f64,
}

impl AxialForce {
    fn of(element: &Element, motion: &Motion, x: &[f64]) -> Self {
        let own = element.own(Mesh::ends(element, x));
        let along = |xi: f64| {
            let axis = element.axes.column(0);
            let s = element.start + axis * (xi * element.length);
            axis.dot(&motion.force(element, &s))
        };
        let rigidity = element.material.youngs_modulus * element.section.area;
        Self {
            nodes: rigidity * (own[SIX] - own[0]) / element.length,
            load: [along(0.0), along(1.0)],
            length: element.length,
        }
    }

    /// N = `nodes` + mean of P − P at `xi`, where P is the load between the beginning and a place.
    fn at(&self, xi: f64) -> f64 {
        let [from, to] = self.load;
        let rise = to - from;
        let up_to = from * xi + 0.5 * rise * xi * xi;
        let mean = 0.5 * from + rise / 6.0;
        self.nodes + self.length * (mean - up_to)
    }
}

#[cfg(test)]
mod tests;
