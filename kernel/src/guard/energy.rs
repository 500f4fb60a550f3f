//! Data plane: detects energy that a step creates from nothing, and reads the energy and depth of contacts.
//!
//! ```text
//! A = T + V − E₀ − W       never grows: passive elements only dissipate               (GRD-1)
//! X = A − min A            energy created from nothing                                (GRD-2)
//! S = max(T + |V − V₀| − X) + Σ(|ΔW| + h|ΔP|/2) + |U₀| + w + ε   energy in motion       (GRD-3)
//! ```
//! W is the work of motions, inputs and forces by expression, P its power, U₀ the energy of springs at the start, and
//! ε a negligible energy. w = h²/2 Σ|F·a| is the work of these forces in a first step from rest, when P is still
//! zero. The reading is X/S. If a step injects energy suddenly, S does not grow, so X/S is large.

use crate::elements::forces::{self, ForceElement, ForceLaw, contact, tyre};
use crate::ids::ForceId;
use crate::mechanism::{Culprit, HUB, Reading};
use crate::state::State;
use crate::system::energy::GUARD;
use crate::system::length::largest_offset;
use crate::system::residual::{gravity, inertia, kinetic_energy};
use crate::system::{System, energy, eval, flexible};
use crate::workspace::Workspace;

/// min A.
const LOWEST: usize = 0;
/// The largest T + |V − V₀| − X.
const MOVED: usize = 1;
/// Σ(|ΔW| + h|ΔP|/2) + |U₀|.
const WORKED: usize = 2;
/// V₀.
const POTENTIAL: usize = 3;
/// W at the last accepted step.
const WORK: usize = 4;

/// The guard's length scale: the largest distance of a marker or size of a shape in contact \[m\].
const LENGTH: usize = 5;
/// ε.
const UNNOTICED: usize = 6;
/// Power of the work at the last accepted step.
const POWER: usize = 7;

/// The guard's length scale \[m\].
pub(super) fn length(system: &System, state: &State) -> f64 {
    state.span(system.layout.guard)[LENGTH]
}

/// A negligible energy: that of all masses at a tenth of the velocity that crosses the mechanism within the run, and
/// their weight over a thousandth of its length \[J\].
fn unnoticed(
    system: &System,
    state: &State,
    ws: &Workspace,
    (length, duration): (f64, f64),
) -> f64 {
    let masses = system.bodies.iter().enumerate();
    let mass: f64 = masses
        .filter(|(_, entry)| entry.block.is_some())
        .map(|(body, _)| inertia(system, state, body).mass)
        .sum();
    let slow = 0.1 * length / duration;
    mass * (0.5 * slow * slow + 1e-3 * length * gravity(system, state, ws).norm())
}

/// Potential energy of gravity \[J\].
fn weight(system: &System, state: &State, ws: &Workspace) -> f64 {
    let g = gravity(system, state, ws) * ws.gravity_ramp;
    let mut total = 0.0;
    for body in 0..system.bodies.len() {
        total -= g.dot(&energy::first_moment(system, state, ws, body));
    }
    total
}

/// Energy of springs, bushings and contacts \[J\], and the reading of the deepest contact or tyre.
fn elastic(system: &System, state: &State, ws: &Workspace) -> (f64, Reading) {
    let (mut total, mut deepest) = (0.0, Reading::default());
    for (f, force) in system.forces.iter().enumerate() {
        let context = eval::context(system, state, ws, f);
        let (energy, depth, size, culprit) = match &force.law {
            ForceLaw::Contact(law) => {
                let held = contact::held(law, &context);
                let culprit = Culprit::Force(ForceId::from(f));
                (held.energy, held.depth, held.size, culprit)
            }
            ForceLaw::Tyre { tyre, .. } => {
                let tyre = &context.tyres[tyre.index()];
                let [energy, depth] = tyre::held(tyre, &context);
                let third = tyre.radius(&context) / HUB;
                (energy, depth, third, Culprit::Tyre(ForceId::from(f)))
            }
            law => {
                total += forces::energy(law, &context);
                continue;
            }
        };
        total += energy;
        let value = depth / size;
        if value > deepest.value {
            deepest = Reading {
                value,
                amount: depth,
                is_angle: false,
                culprit,
            };
        }
    }
    (total, deepest)
}

/// The largest distance of a marker from its centre of mass, or size of a shape in contact \[m\].
fn extent(system: &System, state: &State, ws: &Workspace) -> f64 {
    let shapes = system.forces.iter().enumerate().map(|(f, force)| {
        let ForceLaw::Contact(law) = &force.law else {
            return 0.0;
        };
        contact::held(law, &eval::context(system, state, ws, f)).size
    });
    let extent = shapes.fold(largest_offset(system), f64::max);
    if extent > 0.0 { extent } else { 1.0 }
}

/// Opens the guard's account at the start of a run of this duration \[s\].
pub(super) fn open(system: &System, state: &mut State, ws: &Workspace, duration: f64) {
    let length = extent(system, state, ws);
    let unnoticed = unnoticed(system, state, ws, (length, duration));
    let (held, _) = elastic(system, state, ws);
    let elastic = held + flexible::strain_energy(system, ws);
    let potential = weight(system, state, ws) + elastic;
    let kinetic = kinetic_energy(system, state, ws);
    let [_, power] = energy::work(system, state);
    let first = energy::first_work(system, state, ws);
    let memory = &mut state.span_mut(system.layout.guard)[..GUARD];
    memory.fill(0.0);
    memory[LOWEST] = kinetic + potential;
    memory[MOVED] = kinetic;
    memory[WORKED] = elastic.abs() + first;
    memory[LENGTH] = length;
    memory[UNNOTICED] = unnoticed;
    memory[POWER] = power;
    memory[POTENTIAL] = potential;
}

/// S without ε, up to the present \[J\]; zero if it is rounding compared with ε.
pub(super) fn moved(system: &System, state: &State) -> f64 {
    let memory = state.span(system.layout.guard);
    let moved = memory[MOVED] + memory[WORKED];
    if moved > 1e-9 * memory[UNNOTICED] {
        moved
    } else {
        0.0
    }
}

/// The largest kinetic and potential energy in motion, with what counts as nothing \[J\].
pub(super) fn most(system: &System, state: &State) -> f64 {
    let memory = state.span(system.layout.guard);
    (memory[MOVED] + memory[UNNOTICED]).max(f64::MIN_POSITIVE)
}

/// Kinetic and potential energy \[J\] of the state that was read last with this X.
pub(super) fn stored(system: &System, state: &State, nowhere: f64) -> f64 {
    let memory = state.span(system.layout.guard);
    nowhere + memory[LOWEST] + memory[WORK]
}

/// Updates the account for an accepted step; reads X/S, and the deepest contact.
pub(super) fn read(system: &System, state: &mut State, ws: &Workspace) -> (Reading, Reading) {
    let (held, deepest) = elastic(system, state, ws);
    let potential = weight(system, state, ws) + held + flexible::strain_energy(system, ws);
    let kinetic = kinetic_energy(system, state, ws);
    let [work, power] = energy::work(system, state);
    let h = state.step(&system.layout);
    let memory = state.span_mut(system.layout.guard);
    let level = kinetic + potential - work;
    if level < memory[LOWEST] {
        memory[LOWEST] = level;
    }
    let nowhere = level - memory[LOWEST];
    let moved = kinetic + (potential - memory[POTENTIAL]).abs() - nowhere;
    if moved > memory[MOVED] {
        memory[MOVED] = moved;
    }
    // Possible error of the trapezoidal rule if a power jumps.
    let doubt = 0.5 * h * (power - memory[POWER]).abs();
    memory[WORKED] += (work - memory[WORK]).abs() + doubt;
    (memory[WORK], memory[POWER]) = (work, power);
    let scale = memory[MOVED] + memory[WORKED] + memory[UNNOTICED];
    let touches = |force: &ForceElement| matches!(force.law, ForceLaw::Contact(_));
    let energy = Reading {
        value: if scale > 0.0 { nowhere / scale } else { 0.0 },
        amount: nowhere,
        is_angle: false,
        culprit: if system.forces.iter().any(touches) {
            Culprit::Contacts
        } else {
            Culprit::Mechanism
        },
    };
    (energy, deepest)
}
