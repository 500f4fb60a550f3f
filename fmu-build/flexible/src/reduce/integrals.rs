//! Control plane: the nine inertia invariants with a consistent mass matrix.
//!
//! With M the mass matrix over all unknowns, T the rigid translations, R the rigid rotations about the
//! origin, Φ the modes, s the positions and ∫ρ f gᵀ from (CBR-12), the sums (FLX-1) over nodes become
//!
//! ```text
//! I1 = Tᵀ M T     [I2]~ = −Tᵀ M R     I3 = Tᵀ M Φ     I4 = Rᵀ M Φ     I6 = Φᵀ M Φ     I7 = Rᵀ M R
//! I5_jk = ∫ρ φ_j × φ_k     I8_j = ∫ρ φ_j sᵀ − 𝟙 ∫ρ φ_j·s     I9_jk = ∫ρ φ_k φ_jᵀ − 𝟙 ∫ρ φ_j·φ_k    (CBR-9)
//! ```

use faer::Mat;
use fixstep_kernel::flex::Invariants;
use fixstep_kernel::math::{Mat3, Vec3};

use super::ReduceError;
use super::rigid::field;
use super::surroundings::Surroundings;
use crate::fe::{FeModel, Symmetric};
use crate::sparse::Columns;

/// Modes whose turned fields are held at once: bounds memory.
const BATCH: usize = 16;
/// Relative difference of the mass along x, y and z that counts as rounding.
const ISOTROPIC: f64 = 1e-6;

/// The invariants of shapes over the model's unknowns.
pub fn invariants(
    model: &FeModel,
    shapes: &Columns,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Invariants, ReduceError> {
    let m = shapes.count();
    let mut rigid = Columns::new(model.unknowns.len());
    for k in 0..6 {
        rigid.push(&field(model, k, &Vec3::zeros()));
    }
    let rigid_mass = weighted(&model.mass, &rigid);
    let inertia = rigid.gram(&rigid_mass);
    let mut sum = body(&inertia, m)?;
    let modal = rigid_mass.gram(shapes);
    for j in 0..m {
        sum.i3[j] = Vec3::from_fn(|a, _| modal[(a, j)]);
        sum.i4[j] = Vec3::from_fn(|a, _| modal[(3 + a, j)]);
    }
    let weighted_shapes = weighted(&model.mass, shapes);
    let i6 = shapes.gram(&weighted_shapes);
    for j in 0..m {
        for k in 0..m {
            sum.i6[j * m + k] = 0.5 * (i6[(j, k)] + i6[(k, j)]);
        }
    }
    let around = Surroundings::new(model);
    let positions = around.positions();
    for first in (0..m).step_by(BATCH) {
        progress("inertia invariants", first as f64 / m as f64);
        let rows = first..m.min(first + BATCH);
        let own = Fields::new(&around, around.shapes(shapes, rows.clone()));
        // Every interpolation holds the positions: that of the shapes counts.
        let i8 = positions.gram(&own.weighted);
        for (p, j) in rows.clone().enumerate() {
            sum.i8[j] = crossed(&tensor(&i8, 0, p));
        }
        for other in (first..m).step_by(BATCH) {
            let columns = other..m.min(other + BATCH);
            let others = Fields::new(&around, around.shapes(shapes, columns.clone()));
            pairs(&mut sum, (rows.clone(), columns), &own.products(&others));
        }
    }
    Ok(sum)
}

/// Displacement fields, and the fields multiplied by the mass.
struct Fields {
    own: Columns,
    weighted: Columns,
}

impl Fields {
    fn new(around: &Surroundings<'_>, own: Columns) -> Self {
        let weighted = around.weighted(&own);
        Self { own, weighted }
    }

    /// The ∫ρ f gᵀ, as blocks.
    fn products(&self, others: &Self) -> Mat<f64> {
        let mut sum = self.own.gram(&others.weighted) + self.weighted.gram(&others.own);
        sum *= 0.5;
        sum
    }
}

/// ∫ρ f gᵀ of two fields by their places.
fn tensor(products: &Mat<f64>, f: usize, g: usize) -> Mat3 {
    Mat3::from_fn(|a, b| products[(3 * f + a, 3 * g + b)])
}

/// −∫ρ (e_a×f)·(e_b×g) from ∫ρ f gᵀ.
fn crossed(t: &Mat3) -> Mat3 {
    t.transpose() - Mat3::identity() * t.trace()
}

/// I5 and I9 of a block of pairs and their mirror images.
fn pairs(
    sum: &mut Invariants,
    (rows, columns): (std::ops::Range<usize>, std::ops::Range<usize>),
    products: &Mat<f64>,
) {
    let m = sum.modes;
    for (p, j) in rows.enumerate() {
        for (q, k) in columns.clone().enumerate() {
            let t = tensor(products, p, q);
            let off = |a: usize, b: usize| t[(a, b)] - t[(b, a)];
            let i5 = Vec3::new(off(1, 2), off(2, 0), off(0, 1));
            sum.i5[j * m + k] = i5;
            sum.i5[k * m + j] = -i5;
            sum.i9[j * m + k] = crossed(&t);
            sum.i9[k * m + j] = crossed(&t).transpose();
        }
    }
}

/// I1, I2 and I7.
fn body(inertia: &Mat<f64>, modes: usize) -> Result<Invariants, ReduceError> {
    let mass = (inertia[(0, 0)] + inertia[(1, 1)] + inertia[(2, 2)]) / 3.0;
    let even = |a: usize, b: usize| {
        let expected = if a == b { mass } else { 0.0 };
        (inertia[(a, b)] - expected).abs() <= ISOTROPIC * mass
    };
    if !(mass > 0.0 && (0..3).all(|a| (0..3).all(|b| even(a, b)))) {
        let [x, y, z] = [0, 1, 2].map(|k| inertia[(k, k)]);
        return Err(ReduceError::Mass(format!(
            "the mass along x, y and z is {x}, {y} and {z} kg; valid: the same, above zero, in every direction"
        )));
    }
    let mut sum = Invariants::zero(modes);
    sum.mass = mass;
    // −I2~ has the entries z at (x, y), x at (y, z), y at (z, x).
    let off = |a: usize, b: usize| 0.5 * (inertia[(a, 3 + b)] - inertia[(b, 3 + a)]);
    sum.first = Vec3::new(off(1, 2), off(2, 0), off(0, 1));
    sum.i7 = Mat3::from_fn(|a, b| 0.5 * (inertia[(3 + a, 3 + b)] + inertia[(3 + b, 3 + a)]));
    Ok(sum)
}

/// M times each column.
fn weighted(mass: &Symmetric, columns: &Columns) -> Columns {
    let mut product = Columns::zeros(columns.rows(), columns.count());
    for (j, column) in columns.iter().enumerate() {
        mass.add_product(column, product.col_mut(j));
    }
    product
}
