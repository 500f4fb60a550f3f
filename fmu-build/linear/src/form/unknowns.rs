//! Sorts the unknowns of all equations by kind.

use crate::matrix::Index;
use fixstep_kernel::simulation::{Coordinate, Linearization};

/// The kinds of unknowns.
pub(super) struct Kinds {
    pub(super) moving: Index,
    pub(super) held: Index,
    pub(super) implicit: Index,
    pub(super) states: Index,
}

impl Kinds {
    pub(super) fn of(linearization: &Linearization) -> Self {
        let places = &linearization.tangents.places;
        let pick = |wanted: &dyn Fn(&Coordinate) -> bool| {
            let all = places.iter().enumerate();
            let found = all.filter(|(_, place)| wanted(&place.coordinate));
            Index::new(found.map(|(k, _)| k).collect(), places.len())
        };
        Self {
            moving: pick(&|c| matches!(c, Coordinate::Pose { .. } | Coordinate::Modal { .. })),
            held: pick(&|c| matches!(c, Coordinate::Multiplier { .. })),
            implicit: pick(&|c| matches!(c, Coordinate::Implicit(_))),
            states: pick(&|c| matches!(c, Coordinate::State(_))),
        }
    }
}

/// Columns of the basis: positions, velocities, states, rolled positions, w, ẇ, ẅ of each drive, inputs.
#[derive(Clone, Copy)]
pub(super) struct Basis {
    pub(super) free: usize,
    pub(super) states: usize,
    /// Positions that no velocity of their own moves, (LIN-111).
    pub(super) rolled: usize,
    pub(super) drives: usize,
    pub(super) inputs: usize,
}

impl Basis {
    pub(super) fn len(self) -> usize {
        self.first_input() + self.inputs
    }

    pub(super) fn first_state(self) -> usize {
        2 * self.free
    }

    pub(super) fn first_rolled(self) -> usize {
        self.first_state() + self.states
    }

    pub(super) fn first_drive(self) -> usize {
        self.first_rolled() + self.rolled
    }

    pub(super) fn first_input(self) -> usize {
        self.first_drive() + 3 * self.drives
    }
}
