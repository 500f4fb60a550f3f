//! Sizes of displacements and corrections, in the units of the tolerance.

use crate::elements::kinematics::Weights;
use crate::ids::{BodyId, EquationId};
use crate::math::largest::Largest;
use crate::state::{State, vec3};
use crate::system::System;
use crate::system::entity::Entity;
use crate::system::layout::BLOCK;

/// In which units sizes are measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// The user's length unit \[m\].
    pub(super) length_unit: f64,
}

/// The largest difference of two displacements: translations in length units, rotations in radians, modal coordinates
/// as displacements of nodes.
pub(super) fn distance(
    system: &System,
    a: &[f64],
    b: &[f64],
    Measured { length_unit }: &Measured,
) -> Largest<Entity> {
    let mut most = Largest::default();
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block else { continue };
        for k in 0..BLOCK {
            let at = BLOCK * body + k;
            let unit = if k < 3 { *length_unit } else { 1.0 };
            most.raise((a[at] - b[at]).abs() / unit, block.into());
        }
    }
    for entry in &system.flexibles {
        let first = system.modal_first() + entry.modal.first;
        for (j, reach) in entry.reach.iter().enumerate() {
            let moved = (a[first + j] - b[first + j]).abs() * reach / length_unit;
            most.raise(moved, Entity::Modal(BodyId::from(entry.body)));
        }
    }
    most
}

/// The largest number in a correction of Newton's iteration, in the measure of the error; its value is not finite if a
/// number is not.
pub(super) fn correction(
    system: &System,
    state: &State,
    rhs: &[f64],
    (weights, Measured { length_unit }): (&Weights, &Measured),
) -> Largest<Entity> {
    let mut most = Largest::default();
    let mut poison = 0.0;
    for entry in &system.bodies {
        let Some(block) = entry.block else { continue };
        for (k, x) in rhs[block.offset()..][..entry.dof].iter().enumerate() {
            let unit = if k < 3 { *length_unit } else { 1.0 };
            most.raise(x.abs() / unit, block.into());
            poison += x * 0.0;
        }
    }
    for entry in &system.flexibles {
        for (j, reach) in entry.reach.iter().enumerate() {
            let x = rhs[entry.row(j)];
            let moved = x.abs() * reach / length_unit;
            most.raise(moved, Entity::Modal(BodyId::from(entry.body)));
            poison += x * 0.0;
        }
    }
    let states = state.span(system.layout.states);
    for (k, entry) in system.equations.iter().enumerate() {
        let x = entry.weight(weights) * rhs[entry.block.offset() + entry.place];
        most.raise(
            x.abs() / states[k].abs().max(1.0),
            EquationId::from(k).into(),
        );
        poison += x * 0.0;
    }
    most.value += poison;
    most
}

/// The largest difference |Δz − Δz⁰| of the differential equations that count, relative to the state where that exceeds 1.
pub(super) fn state_distance(
    system: &System,
    (present, counts): (&[f64], impl Fn(usize) -> bool),
    (delta, predicted): (&[f64], impl Fn(usize) -> f64),
) -> Largest<Entity> {
    let mut most = Largest::default();
    for (k, entry) in system.equations.iter().enumerate() {
        if !entry.is_algebraic() && counts(k) {
            let missed = (delta[k] - predicted(k)).abs();
            let size = present[k].abs().max(1.0);
            most.raise(missed / size, EquationId::from(k).into());
        }
    }
    most
}

/// The largest rotation in a displacement \[rad\].
pub(super) fn largest_turn(system: &System, delta: &[f64]) -> f64 {
    let turns = { 0..system.bodies.len() }.map(|body| vec3(delta, BLOCK * body + 3).norm());
    turns.fold(0.0, f64::max)
}
