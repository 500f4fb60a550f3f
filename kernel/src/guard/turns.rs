//! Data plane: detects driven angles that are off by whole turns.
//!
//! The constraint of a driven angle is also met whole turns away: f is prescribed, but Φ = φ − f is zero modulo 2π.
//! So the guard counts the turns that the parts really make, θ in a step about n, the normal of the angle (ANG-1):
//!
//! ```text
//! φ_n = f_n + Φ_n + 2πm,   m such that φ_n is nearest to φ_{n−1} + n·(θ_I − θ_J)        (GRD-4)
//! k = m − w                whole turns off
//! ```
//! w are the turns that f itself omits: f may begin anywhere, and jump back by 360° like an angle kept below 360°. If
//! f jumps by whole turns while φ continues smoothly, w changes with it.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::state::State;
use crate::system::energy::{GUARD, TURN};
use crate::system::{Group, System, eval};
use crate::workspace::Workspace;
use core::f64::consts::TAU;

/// φ.
const ANGLE: usize = 0;
/// f.
const ASKED: usize = 1;
/// Rate of φ in the last step \[rad/s\].
const RATE: usize = 2;
/// w.
const LEFT_OUT: usize = 3;

/// An angle continues smoothly if its rotation in a step differs from that of the last step by less than this
/// \[turns\].
const AS_BEFORE: f64 = 0.1;

/// Index of an angle's own memory.
fn place(system: &System, driven: usize) -> usize {
    system.layout.guard.first + GUARD + TURN * driven
}

/// Starts the count at the start of a run; turns that an angle already has there do not count.
pub(super) fn open(system: &System, state: &mut State, ws: &Workspace) {
    let rows = system.rows.iter().enumerate();
    for (driven, (r, row)) in rows.filter(|(_, row)| row.is_driven_angle()).enumerate() {
        let asked = eval::row_target(&row.target, &ws.targets);
        let memory = &mut state.reals[place(system, driven)..][..TURN];
        memory[ANGLE] = asked.value + ws.violations[r];
        memory[ASKED] = asked.value;
        memory[RATE] = asked.rate;
        memory[LEFT_OUT] = 0.0;
    }
}

/// The rotation in an accepted step, as far as the bodies determine it \[rad\].
fn turned(system: &System, state: &State, ws: &Workspace, (group, r): (&Group, usize)) -> f64 {
    let [i, j] = [group.i, group.j].map(|marker| {
        let body = system.owner(system.body_of(marker));
        let (_, theta) = state.rates(system.layout.moved, body);
        ws.bodies[body].rotation * theta
    });
    let apart = i - j;
    let turn = ws.units[r].torque.dot(&apart);
    // Near its pole an angle can change faster than the bodies rotate.
    if turn.abs() <= apart.norm() * (1.0 + 1e-9) {
        turn
    } else {
        0.0
    }
}

/// Updates the count of a driven angle for an accepted step; returns the number of whole turns it is off.
pub(super) fn count(
    system: &System,
    state: &mut State,
    ws: &Workspace,
    (driven, group, r): (usize, &Group, usize),
) -> f64 {
    let h = state.step(&system.layout);
    let turned = turned(system, state, ws, (group, r));
    let asked = eval::row_target(&system.rows[r].target, &ws.targets).value;
    let memory = &mut state.reals[place(system, driven)..][..TURN];
    let shown = asked + ws.violations[r];
    let turns = ((memory[ANGLE] + turned - shown) / TAU).round();
    let angle = shown + TAU * turns;
    let turn = angle - memory[ANGLE];
    let goes_on = (turn - h * memory[RATE]).abs() < AS_BEFORE * TAU;
    if goes_on {
        memory[LEFT_OUT] += ((turn - (asked - memory[ASKED])) / TAU).round();
    }
    (memory[ANGLE], memory[ASKED], memory[RATE]) = (angle, asked, turn / h);
    turns - memory[LEFT_OUT]
}
