//! Control plane: the nine inertia invariants with a consistent mass matrix.
//!
//! With M the mass matrix over all unknowns, T the rigid translations, R the rigid rotations about the
//! origin, Φ the modes and A_j the three fields e × φ_j, the sums (FLX-1) over nodes become
//!
//! ```text
//! I1 = Tᵀ M T      [I2]~ = −Tᵀ M R   I3 = Tᵀ M Φ
//! I4 = Rᵀ M Φ      I5_j = A_jᵀ M Φ   I6 = Φᵀ M Φ
//! I7 = Rᵀ M R      I8_j = −Rᵀ M A_j  I9_jk = −A_jᵀ M A_k                                     (CBR-9)
//! ```
//! A_j turns the rotations of a node along with its translations where the mass matrix couples both: there
//! they are slopes of the shape. Rotations that only carry a nodal inertia are not turned, as in (FLX-1).

use faer::Mat;
use fixstep::flex::Invariants;
use fixstep::math::{Mat3, Vec3};

use super::ReduceError;
use super::rigid::field;
use crate::fe::{FeModel, Symmetric};
use crate::sparse::Columns;

/// Modes whose turned fields are held at once: bounds memory.
const BATCH: usize = 16;
/// Relative difference of the mass along x, y and z that is rounding.
const ISOTROPIC: f64 = 1e-6;
/// Coupling of a translation and a rotation against their own masses that is rounding.
const COUPLED: f64 = 1e-9;

/// The invariants of shapes over the model's unknowns.
pub fn invariants(
    model: &FeModel,
    shapes: &Columns,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<Invariants, ReduceError> {
    let m = shapes.count();
    let turned = Turned::new(model);
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
    for first in (0..m).step_by(BATCH) {
        progress("inertia invariants", first as f64 / m as f64);
        let rows = first..m.min(first + BATCH);
        let fields = turned.fields(shapes, rows.clone());
        let (i5, i8) = (fields.gram(&weighted_shapes), rigid_mass.gram(&fields));
        let fields_mass = weighted(&model.mass, &fields);
        for (p, j) in rows.clone().enumerate() {
            for k in 0..m {
                sum.i5[j * m + k] = Vec3::from_fn(|a, _| i5[(3 * p + a, k)]);
            }
            sum.i8[j] = Mat3::from_fn(|a, b| -i8[(3 + a, 3 * p + b)]);
        }
        for other in (first..m).step_by(BATCH) {
            let columns = other..m.min(other + BATCH);
            let i9 = fields_mass.gram(&turned.fields(shapes, columns.clone()));
            pairs(&mut sum, m, (rows.clone(), columns), &i9);
        }
    }
    Ok(sum)
}

/// I9 of a block of pairs and its mirror image.
fn pairs(
    sum: &mut Invariants,
    m: usize,
    (rows, columns): (std::ops::Range<usize>, std::ops::Range<usize>),
    i9: &Mat<f64>,
) {
    for (p, j) in rows.enumerate() {
        for (q, k) in columns.clone().enumerate() {
            let block = Mat3::from_fn(|a, b| -i9[(3 * p + a, 3 * q + b)]);
            sum.i9[j * m + k] = block;
            sum.i9[k * m + j] = block.transpose();
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

/// Makes the fields e × φ.
struct Turned<'a> {
    model: &'a FeModel,
    /// The unknowns of each node by direction.
    places: Vec<[Option<usize>; 6]>,
    /// Nodes whose rotations are slopes.
    slopes: Vec<bool>,
}

impl<'a> Turned<'a> {
    fn new(model: &'a FeModel) -> Self {
        let mut places = vec![[None; 6]; model.nodes.len()];
        for (at, unknown) in model.unknowns.iter().enumerate() {
            places[unknown.node][unknown.direction] = Some(at);
        }
        let mut diagonal = vec![0.0; model.unknowns.len()];
        for (row, column, value) in model.mass.entries() {
            if row == column {
                diagonal[row] += value;
            }
        }
        let mut slopes = vec![false; model.nodes.len()];
        for (row, column, value) in model.mass.entries() {
            let (a, b) = (model.unknowns[row], model.unknowns[column]);
            let scale = (diagonal[row] * diagonal[column]).abs().sqrt();
            if (a.direction < 3) != (b.direction < 3) && value.abs() > COUPLED * scale {
                let turning = if a.direction < 3 { b } else { a };
                slopes[turning.node] = true;
            }
        }
        Self {
            model,
            places,
            slopes,
        }
    }

    /// Three columns per shape: e_x × φ, e_y × φ, e_z × φ.
    fn fields(&self, shapes: &Columns, which: std::ops::Range<usize>) -> Columns {
        let mut fields = Columns::new(shapes.rows());
        for j in which {
            let shape = shapes.col(j);
            for axis in 0..3 {
                let value = |unknown: &crate::fe::Unknown| self.turn(shape, unknown, axis);
                let column: Vec<f64> = self.model.unknowns.iter().map(value).collect();
                fields.push(&column);
            }
        }
        fields
    }

    fn turn(&self, shape: &[f64], unknown: &crate::fe::Unknown, axis: usize) -> f64 {
        let (kind, component) = (unknown.direction / 3, unknown.direction % 3);
        if component == axis || (kind == 1 && !self.slopes[unknown.node]) {
            return 0.0;
        }
        // (e × u)_c = ± u_d with c, d the two other axes.
        let other = 3 - axis - component;
        let value = self.places[unknown.node][3 * kind + other].map_or(0.0, |at| shape[at]);
        if (component + 1) % 3 == axis {
            value
        } else {
            -value
        }
    }
}
