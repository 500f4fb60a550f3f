//! Control plane: the six motions of a rigid body as fields over the unknowns.

use fixstep_kernel::math::Vec3;
use nalgebra::{Matrix6, SymmetricEigen, Vector6};

use super::ReduceError;
use super::condense::Condensed;
use super::options::DIRECTIONS;
use crate::fe::FeModel;
use crate::sparse::Columns;
use crate::sparse::columns::dot;
use crate::sparse::pencil::Part;

/// Energy of a rigid motion relative to the sum of its absolute parts: above this, the model resists the motion.
const RESISTS: f64 = 1e-9;
/// Directions of the rigid motions at the interfaces, relative to the strongest: below this they are not held.
const HELD: f64 = 1e-8;

/// Rigid motions.
#[derive(Debug)]
pub struct Rigid {
    /// Where the rotations turn about: the middle of the nodes.
    pub about: Vec3,
    /// Those of the six motions that move anything, in the new unknowns.
    pub fields: Columns,
    /// Which of the six they are.
    pub which: Vec<usize>,
    /// M times the fields.
    pub weighted: Columns,
    /// Combinations of the fields (a column each) that the interfaces do not hold.
    pub unsupported: faer::Mat<f64>,
}

/// The rigid motion `k` about a point, at the unknowns of a model.
pub fn field(model: &FeModel, k: usize, about: &Vec3) -> Vec<f64> {
    let value =
        |u: &crate::fe::Unknown| at(&(model.nodes[u.node].position - about), u.direction, k);
    model.unknowns.iter().map(value).collect()
}

/// The motion in a direction, at an arm from the centre, that belongs to rigid motion `k`.
fn at(arm: &Vec3, direction: usize, k: usize) -> f64 {
    let mut unit = Vec3::zeros();
    unit[k % 3] = 1.0;
    match (direction < 3, k < 3) {
        (true, true) | (false, false) => unit[direction % 3],
        (true, false) => unit.cross(arm)[direction],
        (false, true) => 0.0,
    }
}

impl Rigid {
    /// The rigid motions of a model.
    pub fn new(condensed: &Condensed<'_>) -> Result<Self, ReduceError> {
        let model = condensed.model;
        let sum: Vec3 = model.nodes.iter().map(|node| node.position).sum();
        let about = sum / model.nodes.len() as f64;
        let mut fields = Columns::new(condensed.size());
        let mut which = Vec::new();
        for k in 0..6 {
            let interior = condensed.unknowns.iter().map(|u| {
                let unknown = model.unknowns[*u];
                at(
                    &(model.nodes[unknown.node].position - about),
                    unknown.direction,
                    k,
                )
            });
            let borders = condensed.directions.iter().map(|d| {
                let (_, point) = &condensed.interfaces[d.interface];
                at(&(point - about), d.direction, k)
            });
            let field: Vec<f64> = interior.chain(borders).collect();
            if field.iter().any(|x| *x != 0.0) {
                fields.push(&field);
                which.push(k);
            }
        }
        let mut weighted = Columns::new(condensed.size());
        for field in fields.iter() {
            weighted.push(&condensed.pencil.product(Part::Mass, field));
        }
        let unsupported = unsupported(&fields, &weighted, condensed.interior)?;
        Ok(Self {
            about,
            fields,
            which,
            weighted,
            unsupported,
        })
    }

    /// The interfaces hold every rigid motion.
    pub fn is_held(&self) -> bool {
        self.unsupported.ncols() == 0
    }

    /// Nothing may resist the rigid motions.
    pub fn require_free_body(&self, condensed: &Condensed<'_>) -> Result<(), ReduceError> {
        for (field, k) in self.fields.iter().zip(&self.which) {
            let force = condensed.pencil.product(Part::Stiffness, field);
            let energy = dot(field, &force);
            let scale = condensed.pencil.absolute_energy(Part::Stiffness, field);
            if energy.abs() > RESISTS * scale {
                let axis = DIRECTIONS[k % 3];
                let motion = if *k < 3 {
                    format!("translation along {axis}")
                } else {
                    format!("rotation about {axis}")
                };
                return Err(ReduceError::Grounded { motion });
            }
        }
        Ok(())
    }

    /// Removes the rigid motions from columns: x −= R (Rᵀ M R)⁻¹ Rᵀ M x.                      (CBR-6)
    pub fn purge(&self, columns: &mut Columns) {
        let shares = self.weighted.gram(columns);
        let gram = self.fields.gram(&self.weighted);
        let coefficients = solve(gram.as_ref(), &shares);
        columns.subtract(&self.fields, coefficients.as_ref());
    }

    /// The unsupported motions as fields.
    pub fn unsupported_fields(&self) -> Columns {
        self.fields.times(self.unsupported.as_ref())
    }
}

/// A⁻¹ B of a small symmetric positive semidefinite A; zero in directions in which A vanishes.
fn solve(a: faer::MatRef<'_, f64>, b: &faer::Mat<f64>) -> faer::Mat<f64> {
    let n = a.nrows();
    let full = Matrix6::from_fn(|i, j| if i < n && j < n { a[(i, j)] } else { 0.0 });
    let scales = full
        .diagonal()
        .map(|x| if x > 0.0 { 1.0 / x.sqrt() } else { 0.0 });
    let scaled = Matrix6::from_fn(|i, j| full[(i, j)] * scales[i] * scales[j]);
    let eigen = SymmetricEigen::new(scaled);
    let mut solution = faer::Mat::zeros(n, b.ncols());
    for column in 0..b.ncols() {
        let right = Vector6::from_fn(|i, _| {
            if i < n {
                b[(i, column)] * scales[i]
            } else {
                0.0
            }
        });
        let turned = eigen.eigenvectors.tr_mul(&right);
        let value = |k: usize| {
            let lambda = eigen.eigenvalues[k];
            if lambda > 1e-12 {
                turned[k] / lambda
            } else {
                0.0
            }
        };
        let x = eigen.eigenvectors * Vector6::from_fn(|k, _| value(k));
        for i in 0..n {
            solution[(i, column)] = x[i] * scales[i];
        }
    }
    solution
}

/// The rigid motions that leave the interfaces in place, with modal mass one: eigenvectors of the motion of the
/// interfaces relative to the inertia of the motions.
fn unsupported(
    fields: &Columns,
    weighted: &Columns,
    interior: usize,
) -> Result<faer::Mat<f64>, ReduceError> {
    let n = fields.count();
    let seen = faer::Mat::from_fn(n, n, |i, j| {
        dot(&fields.col(i)[interior..], &fields.col(j)[interior..])
    });
    let inertia = fields.gram(weighted);
    let general = crate::sparse::dense::general(seen.as_ref(), inertia.as_ref());
    let Some(general) = general.filter(|g| g.dependent == 0 && g.least_mass > 0.0) else {
        return Err(ReduceError::Mass(
            "a rigid motion of the model has no inertia; valid: a model with mass in every direction".to_owned(),
        ));
    };
    let largest = general.values.last().copied().unwrap_or(0.0);
    let free = |j: &usize| general.values[*j] <= HELD * largest;
    let chosen: Vec<usize> = (0..n).filter(free).collect();
    Ok(faer::Mat::from_fn(n, chosen.len(), |i, j| {
        general.vectors[(i, chosen[j])]
    }))
}
