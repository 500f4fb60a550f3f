//! Computes the shares of parts, force elements and flexible bodies in the energy of a mode.
//!
//! If φ are the displacements of all coordinates, the shares are
//!
//! ```text
//! T_kl = Re(φ̄_k M_kl φ_l) / Σ,   V_e = Re(φᴴ K_e φ) / Σ,   D_e = Re(φᴴ D_e φ) / Σ            (LIN-24)
//! ```
//! in per cent of the sum Σ over all parts or elements. If M, K_e or D_e are not symmetric, the real part is that of
//! their symmetric part.

use crate::form::LinearForm;
use crate::matrix::Index;
use crate::modes::Inertia;
use faer::c64;
use fixstep_kernel::simulation::{ElementOf, Linearization, SparseMatrix};

/// Columns of kinetic energy: those of a rigid part, and that of modal coordinates, with their products with the
/// rigid motion.
pub const KINETIC: [&str; 10] = [
    "x", "y", "z", "rxx", "ryy", "rzz", "rxy", "rxz", "ryz", "modal",
];

/// Columns of strain energy and dissipation: the sum, and the work of the displacements and rotations of the parts.
pub const OF_ELEMENTS: [&str; 8] = ["total", "x", "y", "z", "rxx", "ryy", "rzz", "modal"];

/// The energy of an element is rounding error below this fraction of its terms.
const ROUNDING: f64 = 1e-13;

/// Shares of one mode, in per cent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Energies {
    /// Kinetic energy, by bodies.
    pub kinetic: Vec<(usize, [f64; 10])>,
    /// Strain energy, by elements.
    pub strain: Vec<(ElementOf, [f64; 8])>,
    /// Dissipation, by elements.
    pub dissipation: Vec<(ElementOf, [f64; 8])>,
}

/// The quantities of a mechanism from which energies of modes are computed.
#[derive(Debug)]
pub struct Store<'a> {
    linearization: &'a Linearization,
    index: Index,
    inertia: Inertia,
    /// Body and direction of each coordinate; 6: modal.
    places: Vec<(usize, usize)>,
}

impl<'a> Store<'a> {
    /// Prepares them for a mechanism.
    pub fn new(linearization: &'a Linearization, form: &LinearForm) -> Self {
        let coordinates = &form.shapes.coordinates;
        Self {
            linearization,
            index: Index::new(coordinates.clone(), linearization.tangents.places.len()),
            inertia: Inertia::of(linearization, coordinates),
            places: form.shapes.places(linearization),
        }
    }

    /// The shares of a mode with these displacements.
    pub fn of(&self, shape: &[c64]) -> Energies {
        let all = &self.linearization.elements;
        let strain = all
            .iter()
            .map(|e| (e.of, self.element(&e.positions, shape)));
        let dissipation = all
            .iter()
            .map(|e| (e.of, self.element(&e.velocities, shape)));
        Energies {
            kinetic: self.kinetic(shape),
            strain: shares(strain.collect(), |x| x[0]),
            dissipation: shares(dissipation.collect(), |x| x[0]),
        }
    }

    fn kinetic(&self, shape: &[c64]) -> Vec<(usize, [f64; 10])> {
        let mut bodies: Vec<(usize, [f64; 10])> = Vec::new();
        for (body, _) in &self.places {
            if !bodies.iter().any(|known| known.0 == *body) {
                bodies.push((*body, [0.0; 10]));
            }
        }
        for (r, c, mass) in &self.inertia.entries {
            let (row, column) = (self.places[*r], self.places[*c]);
            let energy = mass * (shape[*r].conj() * shape[*c]).re;
            let own = bodies.iter_mut().find(|known| known.0 == row.0);
            if let (Some(own), true) = (own, row.0 == column.0) {
                own.1[kinetic_column(row.1, column.1)] += energy;
            }
        }
        shares(bodies, |x| x.iter().sum())
    }

    /// The total, and the work by each direction of the parts; zero for an element whose ends move together, where
    /// the work of one direction cancels that of another.
    fn element(&self, matrix: &SparseMatrix, shape: &[c64]) -> [f64; 8] {
        let mut own = [0.0; 8];
        let mut terms = 0.0;
        for entry in &matrix.entries {
            let (Some(r), Some(c)) = (self.index.place(entry.row), self.index.place(entry.column))
            else {
                continue;
            };
            let energy = entry.value * (shape[r].conj() * shape[c]).re;
            own[0] += energy;
            own[1 + self.places[r].1] += energy;
            terms += energy.abs();
        }
        if own[0].abs() <= ROUNDING * terms {
            return [0.0; 8];
        }
        own
    }
}

/// The column of an entry of a body's inertia. Both entries of a product of inertia go into one column, so that the
/// columns sum to the whole.
/// of all is the whole.
fn kinetic_column(row: usize, column: usize) -> usize {
    match (row.min(column), row.max(column)) {
        (k, l) if k == l && k < 6 => k,
        (3, 4) => 6,
        (3, 5) => 7,
        (4, 5) => 8,
        _ => 9,
    }
}

/// Converts to per cent of the sum; zeros if the sum is zero.
fn shares<T, const N: usize>(
    of: Vec<(T, [f64; N])>,
    whole: impl Fn(&[f64; N]) -> f64,
) -> Vec<(T, [f64; N])> {
    let sum: f64 = of.iter().map(|one| whole(&one.1)).sum();
    let size: f64 = of.iter().map(|one| whole(&one.1).abs()).sum();
    let factor = if sum.abs() > 1e-12 * size && size > 0.0 {
        100.0 / sum
    } else {
        0.0
    };
    of.into_iter()
        .map(|(what, x)| (what, x.map(|x| x * factor)))
        .collect()
}
