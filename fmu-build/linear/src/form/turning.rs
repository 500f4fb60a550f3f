//! Expresses states along axes that turn with a part.
//!
//! ```text
//! y' = x' − Ω×x,   y" = x" − 2 Ω×x' + Ω×(Ω×x)                                  (LIN-82)
//! ```
//! where y, along turning axes, and x, along ground axes, are equal at this instant. Ω is the part's angular velocity
//! at the operating point and is taken as constant.

use super::Options;
use super::build::Builder;
use crate::matrix::pick_rows;
use crate::sparse::Sparse;
use faer::Mat;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::Mechanism;
use fixstep_kernel::simulation::{Coordinate, Linearization};

/// Note on axes that should turn with a part at rest.
pub const RESTS: &str = "--turning-with: ";

/// The note if that part does not turn at the operating point.
pub(super) fn rests(
    mechanism: &Mechanism,
    linearization: &Linearization,
    options: &Options,
) -> Option<String> {
    let turning = options.turning_with?;
    let tangents = &linearization.tangents;
    let own = |k: usize| {
        let place = tangents.places[k].coordinate;
        matches!(place, Coordinate::Pose { body, direction } if body == turning && direction >= 3)
    };
    let mut spins = tangents.spin.entries.iter();
    let turns = spins.any(|entry| entry.value != 0.0 && own(entry.row));
    let name = &mechanism.bodies[turning.index()].name;
    (!turns).then(|| {
        format!("{RESTS}part \"{name}\" does not turn at this state, so that its axes rest: the option changes nothing here")
    })
}

impl Builder<'_> {
    /// Converts δv from rates in ground axes to rates in turning axes: the former are larger by Ω×δq.
    pub(super) fn turn_rates(&self, positions: &Mat<f64>, velocities: &mut Mat<f64>) {
        if let Some(turning) = self.turning() {
            let own = &self.condensation.independent;
            *velocities += &self.condensation.map * pick_rows(&turning.times(positions), own);
        }
    }

    /// Converts derivatives from ground axes to turning axes: `rates` of independent coordinates, in its first rows,
    /// and `gains` of the velocities of all coordinates.
    pub(super) fn turn(
        &self,
        rates: &mut Mat<f64>,
        gains: &mut Mat<f64>,
        (positions, velocities): (&Mat<f64>, &Mat<f64>),
    ) {
        let Some(turning) = self.turning() else {
            return;
        };
        let swept = turning.times(positions);
        let less = pick_rows(&swept, &self.condensation.independent);
        for c in 0..less.ncols() {
            for r in 0..less.nrows() {
                rates[(r, c)] -= less[(r, c)];
            }
        }
        let less = self.postures.rolled(&self.condensation, &swept);
        let first = rates.nrows() - less.nrows();
        for c in 0..less.ncols() {
            for r in 0..less.nrows() {
                rates[(first + r, c)] -= less[(r, c)];
            }
        }
        let coriolis = turning.times(velocities);
        *gains += turning.times(&swept);
        *gains -= &coriolis;
        *gains -= coriolis;
    }

    /// Ω~ of the part with which the axes turn, for all displacements and all rotations.
    fn turning(&self) -> Option<Sparse> {
        let places = &self.from.tangents.places;
        let moving = self.kinds.moving.list();
        let of = |body: BodyId, direction: usize| {
            let wanted = Coordinate::Pose { body, direction };
            moving.iter().position(|k| places[*k].coordinate == wanted)
        };
        let turning = self.options.turning_with?;
        let spin = &self.from.tangents.spin;
        let skew = |r: usize, c: usize| {
            let at = [3 + r, 3 + c].map(|k| of(turning, k).map(|k| moving[k]));
            at[0].zip(at[1]).map_or(0.0, |(r, c)| spin.get(r, c))
        };
        let mut all = Sparse::zeros(moving.len(), moving.len());
        for (at, k) in moving.iter().enumerate() {
            let Coordinate::Pose { direction, .. } = places[*k].coordinate else {
                continue;
            };
            let r = direction % 3;
            for c in (0..3).filter(|c| *c != r) {
                all.put(at, at + c - r, skew(r, c));
            }
        }
        Some(all)
    }
}
