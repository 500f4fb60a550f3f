//! Control plane: the share of each mode in the static compliance at the interfaces.
//!
//! The load is a unit load in interface direction b, with another interface held (r its rows, R the rigid motions).
//! If no other interface can hold the body, its own inertia balances the load:
//!
//! ```text
//! G = Φ_b − R_b R_r⁻¹ Φ_r        c_b = Σ_j G_bj² / ω_j²                                      (CBR-8)
//! ```
//! A mode that is left out removes its term of the sum.

use nalgebra::{Matrix6, Vector6};

use super::condense::Condensed;
use super::options::Options;
use super::orthonormal::BodyModes;
use super::rigid::Rigid;

/// Terms of (CBR-8).
#[derive(Clone, Debug, Default)]
pub struct Compliance {
    /// A row per interface direction.
    pub rows: Vec<Row>,
}

/// An interface direction.
#[derive(Clone, Debug)]
pub struct Row {
    /// `tip z`
    pub direction: String,
    /// The interface that is held; none: the load is balanced by inertia.
    pub held: Option<String>,
    /// Compliance with all modes [m/N or rad/(N m)].
    pub compliance: f64,
    /// The share of each mode.
    pub shares: Vec<f64>,
}

impl Compliance {
    /// For the modes of a free body. For modes whose stiffness is coupled, all of which are kept, it is empty.
    pub fn new(condensed: &Condensed<'_>, rigid: &Rigid, modes: &BodyModes) -> Self {
        if modes.rigid.len() != 6 || rigid.which.len() != 6 {
            return Self::default();
        }
        let holders: Vec<Holder> = (0..condensed.interfaces.len())
            .filter_map(|interface| Holder::new(condensed, rigid, modes, interface))
            .collect();
        let row = |at: usize| {
            let holder = holders
                .iter()
                .find(|h| h.interface != condensed.directions[at].interface);
            let place = condensed.interior + at;
            let motion = Vector6::from_fn(|k, _| rigid.fields.col(k)[place]);
            let count = modes.frequencies.len();
            let mut terms: Vec<f64> = (0..count)
                .map(|j| {
                    let back = holder.map_or(0.0, |h| motion.dot(&h.motions[j]));
                    let moved = modes.columns.col(j)[place] - back;
                    moved * moved / modes.stiffness[(j, j)]
                })
                .collect();
            let compliance: f64 = terms.iter().sum();
            if compliance > 0.0 {
                for term in &mut terms {
                    *term /= compliance;
                }
            }
            Row {
                direction: condensed.direction_name(at),
                held: holder.map(|h| condensed.interfaces[h.interface].0.clone()),
                compliance,
                shares: terms,
            }
        };
        Self {
            rows: (0..condensed.directions.len()).map(row).collect(),
        }
    }

    /// The modes that are kept.
    pub fn choice(&self, modes: &BodyModes, options: &Options) -> Vec<usize> {
        let all = 0..modes.frequencies.len();
        if options.keep_frequency.is_none() && options.keep_participation.is_none() {
            return all.collect();
        }
        let slow = |j: usize| {
            options
                .keep_frequency
                .is_some_and(|limit| modes.frequencies[j] <= limit)
        };
        let carries = |j: usize| {
            options
                .keep_participation
                .is_some_and(|least| self.largest(j).0 >= least)
        };
        all.filter(|j| slow(*j) || carries(*j)).collect()
    }

    /// The largest share of a mode, and its row.
    pub fn largest(&self, mode: usize) -> (f64, Option<usize>) {
        let rows = self.rows.iter().enumerate();
        rows.fold((0.0, None), |best, (at, row)| {
            if row.shares[mode] > best.0 {
                (row.shares[mode], Some(at))
            } else {
                best
            }
        })
    }

    /// The share of a row that is lost if only some modes are kept.
    pub fn lost(&self, row: usize, kept: &[usize]) -> f64 {
        let shares = self.rows[row].shares.iter().enumerate();
        let gone = shares.filter(|(j, _)| kept.binary_search(j).is_err());
        gone.fold(0.0, |sum, (_, share)| sum + share)
    }
}

/// An interface that can hold the body.
struct Holder {
    interface: usize,
    /// R_r⁻¹ Φ_r per mode.
    motions: Vec<Vector6<f64>>,
}

impl Holder {
    fn new(
        condensed: &Condensed<'_>,
        rigid: &Rigid,
        modes: &BodyModes,
        interface: usize,
    ) -> Option<Self> {
        let all = condensed.directions.iter().enumerate();
        let own = all.filter(|(_, d)| d.interface == interface);
        let places: Vec<usize> = own.map(|(at, _)| condensed.interior + at).collect();
        if places.len() != 6 {
            return None;
        }
        let rigid_rows = Matrix6::from_fn(|i, k| rigid.fields.col(k)[places[i]]);
        let inverse = rigid_rows.try_inverse()?;
        let motion = |column: &[f64]| inverse * Vector6::from_fn(|i, _| column[places[i]]);
        Some(Self {
            interface,
            motions: modes.columns.iter().map(motion).collect(),
        })
    }
}
