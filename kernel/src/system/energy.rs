//! Data plane: energies and powers of bodies and elements, and the energy balance of a run.
//!
//! ```text
//! P = F·(v_I − v_J') + T·(Ω_I − Ω_J)      what a wrench puts into the bodies            (NRG-1)
//! D = −P + P|v=0                          what a passive element takes for good         (NRG-2)
//! ΔT + ΔV = W − ∫D dt                     the account of a run                          (NRG-3)
//! P = λ ∂Φ/∂t = Σ P of the legs + λ Φ̇     of a general constraint that depends on time   (NRG-4)
//! ```
//! v_J' is the velocity of J's body at the origin of I. P|v=0 is the power of the wrench that the element would have
//! at rest. W is the work of motions, of time-dependent general constraints, of forces by expression, of changing
//! gravity and of changing parameters. W and ∫D dt are integrated by the trapezoidal rule.

use crate::elements::forces::{self, losses::power};
use crate::elements::kinematics::MarkerKinematics;
use crate::elements::wrench::Wrench;
use crate::ids::MarkerId;
use crate::math::Vec3;
use crate::mechanism::EnergySource;
use crate::state::{State, vec3};
use crate::system::general::GeneralValues;
use crate::system::layout::BLOCK;
use crate::system::residual::{gravity, inertia, kinetic_energy, potential_energy};
use crate::system::schedule::{ReactionPart, Source};
use crate::system::{Owner, System, eval, flexible};
use crate::workspace::Values;

/// Numbers of the energy account in the state.
pub const ACCOUNT: usize = 11;
/// Numbers of the guard's own account.
pub const GUARD: usize = 8;
/// Numbers that the guard stores for a driven angle, after those.
pub const TURN: usize = 4;
/// Numbers that the guard stores for a sphere that may pass through a shape.
pub const PLACE: usize = 3;
/// Energy at the start.
const START: usize = 0;
/// Work done on the mechanism.
const WORK: usize = 1;
/// Energy dissipated.
const LOST: usize = 2;
/// Power of the work at the last accepted step.
const WORK_POWER: usize = 3;
/// Power of the dissipation there.
const LOST_POWER: usize = 4;
/// Gravity there.
const GRAVITY: usize = 5;
/// Σ m r there.
const MOMENT: usize = 8;

/// An energy \[J\] or power \[W\]; `parts` are the parts of a power.
pub fn value(
    system: &System,
    state: &State,
    ws: &Values,
    source: &EnergySource,
    parts: &[ReactionPart],
) -> f64 {
    match source {
        EnergySource::Kinetic(body) => kinetic(system, state, ws, body.index()),
        EnergySource::Potential(body) => weight(system, state, ws, body.index()),
        EnergySource::Strain(force) => {
            let context = eval::context(system, state, ws, force.index());
            forces::energy(&system.forces[force.index()].law, &context)
        }
        EnergySource::Power(_) => parts
            .iter()
            .map(|p| source_power(system, ws, p.source))
            .sum(),
        EnergySource::Dissipation(force) => dissipation(system, state, ws, force.index()),
    }
}

/// Kinetic energy of a body.
pub fn kinetic(system: &System, state: &State, ws: &Values, body: usize) -> f64 {
    let entry = &system.bodies[body];
    match (entry.block, entry.flexible) {
        (_, Some(flexible)) => flexible::kinetic_energy(system, ws, flexible),
        (Some(_), None) => inertia(system, state, body).kinetic_energy(&ws.bodies[body]),
        (None, None) => 0.0,
    }
}

/// Potential energy of a body's weight, zero at the origin of ground.
fn weight(system: &System, state: &State, ws: &Values, body: usize) -> f64 {
    let g = gravity(system, state, ws) * ws.gravity_ramp;
    -g.dot(&first_moment(system, state, ws, body))
}

/// m r of a body; ground has none.
pub fn first_moment(system: &System, state: &State, ws: &Values, body: usize) -> Vec3 {
    let entry = &system.bodies[body];
    let mass = || inertia(system, state, body).mass;
    match (entry.block, entry.flexible) {
        (_, Some(flexible)) => flexible::center(system, ws, flexible) * mass(),
        (Some(_), None) => ws.bodies[body].r * mass(),
        (None, None) => Vec3::zeros(),
    }
}

/// The rate at which a wrench's power rises as its markers begin to move [W/s].
fn rising_power(i: &MarkerKinematics, j: Option<&MarkerKinematics>, wrench: &Wrench) -> f64 {
    let (mut a, mut alpha) = (i.a, i.alpha);
    if let Some(j) = j {
        a -= j.a + j.alpha.cross(&(i.p - j.p));
        alpha -= j.alpha;
    }
    wrench.force.dot(&a) + wrench.torque.dot(&alpha)
}

/// The work of motions and forces by expression in a step from rest at the start accelerations, h²/2 Σ|F·a| \[J\].
pub fn first_work(system: &System, state: &State, ws: &Values) -> f64 {
    let rise = |i: MarkerId, j: Option<MarkerId>, wrench: &Wrench| {
        let j = j.map(|j| &ws.markers[j.index()]);
        rising_power(&ws.markers[i.index()], j, wrench).abs()
    };
    let mut sum = 0.0;
    for (f, (force, wrench)) in system.forces.iter().zip(&ws.force_wrenches).enumerate() {
        if !system.forces[f].law.is_passive() {
            sum += rise(force.i, force.reacts.then_some(force.j), wrench);
        }
    }
    for (group, wrench) in system.groups.iter().zip(&ws.group_wrenches) {
        if matches!(group.owner, Owner::Motion(_)) {
            sum += rise(group.i, Some(group.j), wrench);
        }
    }
    let h = state.step(&system.layout);
    0.5 * h * h * sum
}

/// The power of an element or constraint group.
fn source_power(system: &System, ws: &Values, source: Source) -> f64 {
    let (i, j) = eval::source_markers(system, source);
    let reacts = match source {
        Source::Group(_) => true,
        Source::Force(f) => system.forces[f.index()].reacts,
    };
    let j = reacts.then(|| &ws.markers[j.index()]);
    power(&ws.markers[i.index()], j, eval::source_wrench(ws, source))
}

/// (NRG-2); zero for a force by expression, whose power counts as work.
fn dissipation(system: &System, state: &State, ws: &Values, force: usize) -> f64 {
    let element = &system.forces[force];
    if !element.law.is_passive() {
        return 0.0;
    }
    let context = eval::context(system, state, ws, force);
    let taken = -source_power(system, ws, Source::Force(force.into()));
    forces::dissipation(element, &context, taken)
}

/// Energy stored in all elastic elements and flexible bodies.
pub fn strain_energy(system: &System, state: &State, ws: &Values) -> f64 {
    let energy = |f: usize| {
        let context = eval::context(system, state, ws, f);
        forces::energy(&system.forces[f].law, &context)
    };
    let forces: f64 = (0..system.forces.len()).map(energy).sum();
    forces + flexible::strain_energy(system, ws)
}

/// Kinetic and potential energy.
pub fn total_energy(system: &System, state: &State, ws: &Values) -> f64 {
    kinetic_energy(system, state, ws) + potential_energy(system, state, ws)
}

/// Power of the work, and power of the dissipation.
fn powers(system: &System, state: &State, ws: &Values) -> [f64; 2] {
    let (mut work, mut lost) = (0.0, flexible::dissipated(system, ws));
    for f in 0..system.forces.len() {
        if system.forces[f].law.is_passive() {
            lost += dissipation(system, state, ws, f);
        } else {
            work += source_power(system, ws, Source::Force(f.into()));
        }
    }
    for (g, group) in system.groups.iter().enumerate() {
        if matches!(group.owner, Owner::Motion(_)) {
            work += source_power(system, ws, Source::Group(g.into()));
        }
    }
    for (entry, values) in system.generals.iter().zip(&ws.generals) {
        if let (Some(first), true) = (entry.group, entry.driven) {
            work += driving_power(system, ws, first..first + entry.markers.len(), values);
        }
    }
    [work, lost]
}

/// The power of the part ∂Φ/∂t of a general constraint, (NRG-4).
fn driving_power(
    system: &System,
    ws: &Values,
    legs: core::ops::Range<usize>,
    values: &GeneralValues,
) -> f64 {
    let lambda = ws.multipliers[BLOCK * legs.start];
    let legs: f64 = legs
        .map(|g| source_power(system, ws, Source::Group(g.into())))
        .sum();
    legs + lambda * values.jet.first
}

/// Σ m r.
fn moment(system: &System, state: &State, ws: &Values) -> Vec3 {
    let parts = (0..system.bodies.len()).map(|body| first_moment(system, state, ws, body));
    parts.fold(Vec3::zeros(), |sum, part| sum + part)
}

/// Stores what the next step needs: powers, gravity and Σ m r.
fn remember(account: &mut [f64], [work, lost]: [f64; 2], g: &Vec3, moment: &Vec3) {
    account[WORK_POWER] = work;
    account[LOST_POWER] = lost;
    account[GRAVITY..GRAVITY + 3].copy_from_slice(g.as_slice());
    account[MOMENT..MOMENT + 3].copy_from_slice(moment.as_slice());
}

/// Opens the account at the start of a run.
pub fn open(system: &System, state: &mut State, ws: &Values) {
    let energy = total_energy(system, state, ws);
    state.span_mut(system.layout.account).fill(0.0);
    state.span_mut(system.layout.account)[START] = energy;
    let powers = powers(system, state, ws);
    let g = gravity(system, state, ws) * ws.gravity_ramp;
    let moment = moment(system, state, ws);
    remember(state.span_mut(system.layout.account), powers, &g, &moment);
}

/// Goes on with the present powers where forces have jumped; these powers, of work and of dissipation \[W\].
pub fn resume(system: &System, state: &mut State, ws: &Values) -> [f64; 2] {
    let powers = powers(system, state, ws);
    let account = state.span_mut(system.layout.account);
    [account[WORK_POWER], account[LOST_POWER]] = powers;
    powers
}

/// Updates the account for an accepted step of size h.
pub fn account(system: &System, state: &mut State, ws: &Values) {
    let h = state.step(&system.layout);
    let before = state.span(system.layout.account);
    let before = [before[WORK_POWER], before[LOST_POWER]];
    account_by(system, state, ws, |after| {
        [0, 1].map(|of| 0.5 * h * (before[of] + after[of]))
    });
}

/// The same with another rule for what is done and what is dissipated over the step \[J\], by the powers at its end \[W\].
pub fn account_by(
    system: &System,
    state: &mut State,
    ws: &Values,
    integral: impl FnOnce([f64; 2]) -> [f64; 2],
) {
    let after = powers(system, state, ws);
    let g = gravity(system, state, ws) * ws.gravity_ramp;
    let moment = moment(system, state, ws);
    let account = state.span_mut(system.layout.account);
    let [work, lost] = integral(after);
    account[WORK] += work;
    account[LOST] += lost;
    // Exactly Δ(−g·Σ m r) less the work of gravity itself.
    let change = g - vec3(account, GRAVITY);
    account[WORK] -= 0.5 * change.dot(&(moment + vec3(account, MOMENT)));
    remember(account, after, &g, &moment);
}

/// Adds to the work the energy that a change of parameters brought in.
pub fn book(system: &System, state: &mut State, energy: f64) {
    state.span_mut(system.layout.account)[WORK] += energy;
}

/// Work done on the mechanism since the start \[J\], and its power \[W\].
pub fn work(system: &System, state: &State) -> [f64; 2] {
    let account = state.span(system.layout.account);
    [account[WORK], account[WORK_POWER]]
}

/// The figures of the energy account.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Account {
    /// Work done on the mechanism since the start \[J\].
    pub work: f64,
    /// Energy dissipated since the start \[J\].
    pub dissipated: f64,
    /// Power of the work \[W\].
    pub work_power: f64,
    /// Power of the dissipation \[W\].
    pub dissipated_power: f64,
    /// The residual of (NRG-3): energy that the scheme has created or lost \[J\].
    pub error: f64,
}

impl Account {
    /// At the accepted state.
    pub fn of(system: &System, state: &State, ws: &Values) -> Self {
        let account = state.span(system.layout.account);
        let gained = total_energy(system, state, ws) - account[START];
        Self {
            work: account[WORK],
            dissipated: account[LOST],
            work_power: account[WORK_POWER],
            dissipated_power: account[LOST_POWER],
            error: gained - account[WORK] + account[LOST],
        }
    }
}
