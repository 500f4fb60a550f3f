//! Computes effective masses: the part of the mass of a moving base that each undamped mode represents.
//!
//! Let q = T x be the displacements of all coordinates, and r_j those of the mechanism as one rigid body that moves
//! along an axis of ground or turns about it through the common centre of mass:
//!
//! ```text
//! K φ = ω² TᵀMT φ,   φᵀ TᵀMT φ = 1,   Γ_kj = φ_kᵀ TᵀM r_j,   m_kj = Γ_kj²,   Σ_k m_kj = r_jᵀMT (TᵀMT)⁻¹ TᵀM r_j     (LIN-26)
//! ```
//! The sum over all modes is the mass that can move relative to the base. It is less than r_jᵀ M r_j by the mass that
//! no mode moves.

use crate::eigen::symmetric::undamped;
use crate::form::LinearForm;
use crate::matrix::largest;
use crate::modes::Inertia;
use core::f64::consts::TAU;
use faer::Mat;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::simulation::{Coordinate, Linearization};
use serde::Serialize;

/// The directions, in the order used everywhere.
pub const DIRECTIONS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Stiffness below this fraction of the largest one is that of a free motion.
const FREE: f64 = 1e-12;

/// An effective mass below this fraction of the whole is rounding error.
const NONE: f64 = 1e-12;

/// A bent flexible body that stiffens by its accelerations makes M unsymmetric; this is the largest fraction allowed.
const UNEVEN: f64 = 1e-3;

/// Fraction by which rounding may raise the sum above the whole.
const SLACK: f64 = 1e-6;

/// Why effective masses cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NoMasses {
    /// K or M is not symmetric, or M has no inertia.
    #[error(
        "the stiffness at this state is not symmetric (forces that follow, tyres, controllers, a flexible body that its own accelerations \
         stiffen, a point that is no equilibrium), so that undamped modes have no effective mass; take a state at rest (--static), give \
         flexible bodies \"stiffening\": false, or leave the option out"
    )]
    Symmetric,
    /// K is negative in some direction.
    #[error(
        "a stiffness is negative at this state, so an undamped mode is unstable and has no effective mass; choose a stable state"
    )]
    Unstable,
    /// The modes have more mass than the mechanism.
    #[error(
        "the modes have {sum:.4} along or about {direction}, more than the whole mechanism, {whole:.4}: the inertia data of a flexible body are \
         inconsistent; make its file again"
    )]
    More {
        /// One of [`DIRECTIONS`].
        direction: &'static str,
        /// The sum over all modes.
        sum: f64,
        /// The mass or moment of inertia as one rigid body.
        whole: f64,
    },
}

/// An undamped mode.
#[derive(Clone, Debug, Serialize)]
pub struct Undamped {
    /// Its number from 1, by frequency.
    pub number: usize,
    /// ω / 2π \[Hz\]; zero for a free motion.
    pub frequency_hz: f64,
    /// Effective masses along x, y, z \[kg\] and moments about them \[kg m²\].
    pub masses: [f64; 6],
}

/// The effective masses of all undamped modes.
#[derive(Clone, Debug, Serialize)]
pub struct Effective {
    /// Names of the columns.
    pub directions: [&'static str; 6],
    /// The common centre of mass \[m\].
    pub center_of_mass: [f64; 3],
    /// The modes, by frequency.
    pub modes: Vec<Undamped>,
    /// Sums over all modes: the mass that can move.
    pub sum: [f64; 6],
    /// Mass and moments of inertia of all parts as one rigid body.
    pub rigid: [f64; 6],
    /// How far TᵀMT is from symmetric, as a fraction of its largest entry; the mean of both triangles is used.
    pub uneven: f64,
}

impl Effective {
    /// Computes them for a form; `centers` are the centres of mass of bodies.
    pub fn of(
        linearization: &Linearization,
        form: &LinearForm,
        centers: &[Vec3],
    ) -> Result<Self, NoMasses> {
        let inertia = Inertia::of(linearization, &form.shapes.coordinates);
        let about = |origin: Vec3| rigid(linearization, form, (centers, origin));
        let moments = product(&inertia, &about(Vec3::zeros()));
        let mass = moments[(0, 0)];
        // A rotation about z moves a centre along y by its x, and so on.
        let part = |r: usize, c: usize| {
            if mass > 0.0 {
                moments[(r, c)] / mass
            } else {
                0.0
            }
        };
        let center = [part(1, 5), part(2, 3), part(0, 4)];
        let motions = about(Vec3::new(center[0], center[1], center[2]));
        let whole = product(&inertia, &motions);
        let rigid: [f64; 6] = core::array::from_fn(|k| whole[(k, k)]);
        let weighed = weighed(&inertia, &motions);
        let f = form.positions;
        let basis = form.shapes.positions.subcols(0, f);
        let loads = basis.transpose() * &weighed;
        let [mass, _, stiffness] = form.second_order.matrices();
        let (mass, uneven) = halves(mass);
        if uneven > UNEVEN {
            return Err(NoMasses::Symmetric);
        }
        let (kappa, shapes) = if f == 0 {
            (Vec::new(), Mat::zeros(0, 0))
        } else {
            undamped(&mass, stiffness).ok_or(NoMasses::Symmetric)?
        };
        let factors = shapes.transpose() * &loads;
        let most = kappa.iter().fold(0.0_f64, |most, k| most.max(k.abs()));
        if kappa.iter().any(|k| *k < -FREE * most) {
            return Err(NoMasses::Unstable);
        }
        let modes = kappa.iter().enumerate().map(|(k, stiffness)| Undamped {
            number: k + 1,
            frequency_hz: if *stiffness > FREE * most {
                stiffness.sqrt() / TAU
            } else {
                0.0
            },
            masses: core::array::from_fn(|j| {
                let own = factors[(k, j)] * factors[(k, j)];
                if own > NONE * rigid[j] { own } else { 0.0 }
            }),
        });
        let modes: Vec<Undamped> = modes.collect();
        let sum: [f64; 6] = core::array::from_fn(|j| modes.iter().map(|mode| mode.masses[j]).sum());
        if let Some(j) = (0..6).find(|j| sum[*j] > rigid[*j] * (1.0 + SLACK)) {
            return Err(NoMasses::More {
                direction: DIRECTIONS[j],
                sum: sum[j],
                whole: rigid[j],
            });
        }
        Ok(Self {
            directions: DIRECTIONS,
            center_of_mass: center,
            modes,
            sum,
            rigid,
            uneven,
        })
    }
}

/// The mean of a matrix and its transpose, and their largest difference as a fraction of the largest entry.
fn halves(of: &Mat<f64>) -> (Mat<f64>, f64) {
    let n = of.nrows();
    let mean = |r: usize, c: usize| f64::midpoint(of[(r, c)], of[(c, r)]);
    let apart = |r: usize, c: usize| (of[(r, c)] - of[(c, r)]).abs();
    let apart = Mat::from_fn(n, n, apart);
    let most = largest(of);
    let uneven = if most > 0.0 {
        largest(&apart) / most
    } else {
        0.0
    };
    (Mat::from_fn(n, n, mean), uneven)
}

/// Displacements of all coordinates if the mechanism moves along the axes of ground, or turns about them through a
/// point.
fn rigid(
    linearization: &Linearization,
    form: &LinearForm,
    (centers, origin): (&[Vec3], Vec3),
) -> Mat<f64> {
    let places = &linearization.tangents.places;
    let coordinates = &form.shapes.coordinates;
    Mat::from_fn(coordinates.len(), 6, |r, j| {
        let Coordinate::Pose { body, direction } = places[coordinates[r]].coordinate else {
            return 0.0;
        };
        if direction >= 3 || j < 3 {
            return f64::from(u8::from(direction == j));
        }
        let arm = centers[body.index()] - origin;
        let mut axis = Vec3::zeros();
        axis[j - 3] = 1.0;
        axis.cross(&arm)[direction]
    })
}

/// M R.
fn weighed(inertia: &Inertia, motions: &Mat<f64>) -> Mat<f64> {
    let mut all = Mat::zeros(motions.nrows(), motions.ncols());
    for (r, c, mass) in &inertia.entries {
        for j in 0..motions.ncols() {
            all[(*r, j)] += mass * motions[(*c, j)];
        }
    }
    all
}

/// Rᵀ M R.
fn product(inertia: &Inertia, motions: &Mat<f64>) -> Mat<f64> {
    motions.transpose() * weighed(inertia, motions)
}
