//! Data plane: the guard, which judges how trustworthy each accepted step is.
//!
//! Each quantity of [`Watched`] is a dimensionless number, read from the accepted state and from the figures of the
//! step. The work is fixed, and nothing is allocated.

mod energy;
mod jumps;
mod passages;
mod turns;

use crate::ids::{BodyId, ConstraintGroupId};
use crate::integrator::Stepper;
use crate::integrator::states::Misfit;
use crate::math::largest::Largest;
use crate::mechanism::{Alarm, Culprit, GuardSettings, Reading, Readings, Watched};
use crate::state::State;
use crate::system::{Owner, System};
use crate::workspace::Workspace;
use core::f64::consts::TAU;

/// Corrections below this say nothing about the iteration, in characteristic lengths and radians.
const CORRECTION: f64 = 0.03;
/// An iteration has not converged if its last correction exceeds this fraction of its largest one,
const UNSETTLED: f64 = 0.01;
/// and is more than rounding, in characteristic lengths and radians.
const ROUNDING: f64 = 1e-9;

/// Opens the guard's own account at the start of a run of this duration \[s\].
pub fn open(system: &System, state: &mut State, ws: &Workspace, duration: f64) {
    energy::open(system, state, ws, duration);
    turns::open(system, state, ws);
    passages::open(system, state, ws);
    state.span_mut(system.layout.solved).fill(0.0);
}

/// Energies at an accepted state.
#[derive(Clone, Copy, Debug)]
pub struct Energies {
    /// Kinetic and potential energy \[J\].
    pub stored: f64,
    /// The largest energy in motion so far \[J\].
    pub most: f64,
}

/// The energy in motion since the start, (GRD-3) without ε \[J\].
pub fn moved(system: &System, state: &State) -> f64 {
    energy::moved(system, state)
}

/// Updates the account at an accepted state; energies there.
pub fn account(system: &System, state: &mut State, ws: &Workspace) -> Energies {
    let nowhere = energy::read(system, state, ws).0.amount;
    Energies {
        stored: energy::stored(system, state, nowhere),
        most: energy::most(system, state),
    }
}

/// Reads all quantities at the accepted state. The stepper must hold the step's corrections; the workspace
/// kinematics, violations and wrenches.
pub fn read(system: &System, state: &mut State, ws: &Workspace, stepper: &Stepper) -> Readings {
    let length = energy::length(system, state);
    let mut readings = Readings::default();
    let mut put = |watched: Watched, reading| readings[watched as usize] = reading;
    let (mut energy, deepest) = energy::read(system, state, ws);
    if is_unsettled(stepper) {
        energy.culprit = Culprit::Iteration;
    }
    put(Watched::Energy, energy);
    let passing = passages::read(system, state, ws);
    put(Watched::Penetration, larger_of(deepest, passing));
    let jumping = jumps::read(system, state, ws);
    let violation = violation(system, state, ws, length);
    put(Watched::Violation, larger_of(violation, jumping));
    put(Watched::Contraction, contraction(stepper));
    let motion = &stepper.motion;
    let error = larger(&motion.error, length);
    put(
        Watched::LocalError,
        larger_of(error, of_equation(&motion.misfits[1])),
    );
    put(Watched::Spin, of(motion.turn.value, false, motion.turn.of));
    let unbalanced = larger(&motion.unbalanced, length);
    put(
        Watched::Residual,
        larger_of(unbalanced, of_equation(&motion.misfits[0])),
    );
    readings
}

/// A reading of a part.
fn of(value: f64, is_angle: bool, body: BodyId) -> Reading {
    Reading {
        value,
        amount: value,
        is_angle,
        culprit: Culprit::Body(body),
    }
}

/// A reading of an equation.
fn of_equation(misfit: &Misfit) -> Reading {
    Reading {
        value: misfit.share,
        amount: misfit.amount,
        is_angle: false,
        culprit: Culprit::Equation(misfit.equation),
    }
}

/// The larger of two readings; NaN counts as larger than any number.
fn larger_of(one: Reading, other: Reading) -> Reading {
    if other.value > one.value || other.value.is_nan() {
        other
    } else {
        one
    }
}

/// The larger of a displacement over a length and a rotation.
fn larger([moved, turned]: &[Largest<BodyId>; 2], length: f64) -> Reading {
    let share = moved.value / length;
    if share > turned.value {
        Reading {
            value: share,
            ..of(moved.value, false, moved.of)
        }
    } else {
        of(turned.value, true, turned.of)
    }
}

/// The joint or motion with the largest violation. General constraints may have any unit and scale. Driven angles may
/// also be off by whole turns, which their constraint functions do not show.
fn violation(system: &System, state: &mut State, ws: &Workspace, length: f64) -> Reading {
    let mut worst = Reading::default();
    let mut driven = 0;
    for (g, group) in system.groups.iter().enumerate() {
        if !matches!(group.owner, Owner::Joint(_) | Owner::Motion(_)) {
            continue;
        }
        for r in group.rows.range() {
            let row = &system.rows[r];
            let is_angle = row.law.is_angular() == Some(true);
            let mut amount = ws.violations[r];
            if row.is_driven_angle() {
                let off = turns::count(system, state, ws, (driven, group, r));
                amount += TAU * off;
                driven += 1;
            }
            let amount = amount.abs();
            let value = if is_angle { amount } else { amount / length };
            if value > worst.value {
                worst = Reading {
                    value,
                    amount,
                    is_angle,
                    culprit: Culprit::Constraint(ConstraintGroupId::from(g)),
                };
            }
        }
    }
    worst
}

/// Does Newton's last correction exceed a fraction of the largest one, and rounding?
fn is_unsettled(stepper: &Stepper) -> bool {
    let sizes = stepper.corrections.sizes();
    let largest = sizes
        .iter()
        .fold(0.0, |most, size| f64::max(most, size.value));
    let last = sizes.last().map_or(0.0, |size| size.value);
    sizes.len() > 1 && last > UNSETTLED * largest && last > ROUNDING
}

/// The ratio of Newton's last two corrections.
fn contraction(stepper: &Stepper) -> Reading {
    let [.., before, last] = stepper.corrections.sizes() else {
        return Reading::default();
    };
    if last.value < CORRECTION {
        return Reading::default();
    }
    Reading {
        value: last.value / before.value,
        amount: last.value,
        is_angle: false,
        culprit: Culprit::Body(last.of),
    }
}

/// Is a value beyond a level? NaN is beyond any.
pub fn is_beyond(value: f64, limit: f64) -> bool {
    value > limit || (value.is_nan() && limit < f64::INFINITY)
}

/// The first quantity beyond its stop level.
pub fn stops(settings: &GuardSettings, readings: &Readings) -> Option<Alarm> {
    if !settings.on {
        return None;
    }
    Watched::ALL.into_iter().find_map(|watched| {
        let (reading, limit) = (readings[watched as usize], settings.of(watched).stop);
        is_beyond(reading.value, limit).then_some(Alarm {
            watched,
            reading,
            limit,
        })
    })
}
