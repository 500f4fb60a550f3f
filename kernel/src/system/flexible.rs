//! Data plane: flexible bodies and their node frames within a mechanism.

use crate::elements::flexible::attachment::Attachment;
use crate::elements::flexible::frame::combine;
use crate::elements::flexible::{Flexible, Slopes};
use crate::elements::kinematics::Weights;
use crate::elements::wrench::{Wrench, six};
use crate::linalg::{BlockId, Slot, TILE, TileMatrix, entry};
use crate::math::Vec3;
use crate::state::{State, vec3};
use crate::system::layout::BLOCK;
use crate::system::layout::Span;
use crate::system::stage::Constrained;
use crate::system::{System, residual};
use crate::workspace::Values;
use alloc::vec::Vec;

/// A flexible body in the compiled system.
#[derive(Clone, Debug)]
pub struct FlexibleEntry {
    /// Its index among the bodies.
    pub body: usize,
    /// Its equations.
    pub element: Flexible,
    /// Its modal coordinates, as a span of all of them.
    pub modal: Span,
    /// Its blocks of unknowns: the body's six, then its modes in blocks of six.
    pub blocks: Vec<BlockId>,
    /// Tiles between these blocks, by rows.
    pub slots: Vec<Slot>,
    /// Its node frames, as a span of all of them.
    pub frames: Span,
    /// The largest displacement of a frame per unit of each mode \[m\].
    pub reach: Vec<f64>,
    /// Nodes whose displacement is monitored: positions from the body's reference point \[m\], with their shapes.
    pub watched: Vec<(Vec3, Vec<Vec3>)>,
    /// Modal coordinates and velocities at the start.
    pub initial: [Vec<f64>; 2],
}

/// The frame of a node, or one that stands for functions of the coordinates.
#[derive(Clone, Debug)]
pub struct FrameEntry {
    /// Its flexible body.
    pub flexible: usize,
    /// Its kinematics and loads.
    pub element: Attachment,
    /// The block for its loads and its pose; the blocks of velocity and acceleration follow.
    pub block: BlockId,
    /// Mobility for loads on it: 1/m and 1/J.
    pub mobility: (f64, f64),
}

impl FlexibleEntry {
    /// Index of a mode in a padded vector.
    pub fn row(&self, mode: usize) -> usize {
        self.blocks[1 + mode / TILE].offset() + mode % TILE
    }
}

/// Loads modal coordinates, velocities and accelerations of the accepted state, for [`frames`].
pub fn load(system: &System, state: &State, ws: &mut Values) {
    let layout = &system.layout;
    let rates = [layout.velocity, layout.acceleration]
        .map(|span| &state.span(span)[system.modal_first()..]);
    for (entry, motion) in system.flexibles.iter().zip(&mut ws.flexible.motions) {
        let range = entry.modal.range();
        motion
            .q
            .copy_from_slice(&state.span(layout.modal)[range.clone()]);
        motion.v.copy_from_slice(&rates[0][range.clone()]);
        motion.a.copy_from_slice(&rates[1][range]);
    }
}

/// Evaluates what depends on poses and modal coordinates: integrals, and the kinematics of frames.
pub fn frames(system: &System, ws: &mut Values) {
    let bodies = system.bodies.len();
    for (entry, motion) in system.flexibles.iter().zip(&mut ws.flexible.motions) {
        let history = &ws.flexible.modal_history[entry.modal.range()];
        let given = (&ws.inertia_terms[entry.body], history);
        entry
            .element
            .evaluate(&ws.bodies[entry.body], given, motion);
        for f in entry.frames.range() {
            let element = &system.frames[f].element;
            let relative = element.relative_motion(motion);
            ws.bodies[bodies + f] = element.kinematics(&relative, &ws.bodies[entry.body]);
            ws.flexible.relative_motions[f] = relative;
        }
    }
}

/// Adds the bodies' own terms of (RES-1), (FLX-3), to the right-hand side.
pub fn motion(system: &System, ws: &mut Values, rhs: &mut [f64], (gravity, scale): (&Vec3, f64)) {
    for (k, entry) in system.flexibles.iter().enumerate() {
        let body = &ws.bodies[entry.body];
        let modal = &mut ws.flexible.modal_scratch[..entry.element.modes];
        let motion = &ws.flexible.motions[k];
        let loads = entry.element.motion(&body.rotation, motion, gravity, modal);
        if ws.flexible.with_lost_inertia {
            entry.element.add_lost(&motion.a, modal);
        }
        ws.flexible.own_loads[k] = loads;
        let load = six(&loads.force, &(body.rotation * loads.torque));
        let base = entry.blocks[0].offset();
        for (n, x) in load.iter().enumerate() {
            rhs[base + n] += scale * x;
        }
        for (j, x) in modal.iter().enumerate() {
            rhs[entry.row(j)] += scale * x;
        }
    }
}

/// Condenses the rows of frames onto those of their bodies by Xᵀ, and clears them.
pub fn gather(system: &System, ws: &Values, rhs: &mut [f64]) {
    for (f, frame) in system.frames.iter().enumerate() {
        let entry = &system.flexibles[frame.flexible];
        let at = frame.block.offset();
        let load = Wrench {
            force: vec3(rhs, at),
            torque: vec3(rhs, at + 3),
        };
        rhs[at..at + TILE].fill(0.0);
        let body = &ws.bodies[entry.body];
        let on_body = frame
            .element
            .body_load(&ws.flexible.relative_motions[f], body, &load);
        let base = entry.blocks[0].offset();
        let rigid = six(&on_body.rigid.force, &on_body.rigid.torque);
        for (n, x) in rigid.iter().enumerate() {
            rhs[base + n] += x;
        }
        for j in 0..entry.element.modes {
            rhs[entry.row(j)] += frame.element.modal(j, &on_body);
        }
    }
}

/// Stores the loads on frames, from their rows in the right-hand side, for the tangents.
pub fn keep_loads(system: &System, loads: &mut [Wrench], rhs: &[f64], scale: f64) {
    for (frame, load) in system.frames.iter().zip(loads) {
        let at = frame.block.offset();
        *load = Wrench {
            force: vec3(rhs, at) / scale,
            torque: vec3(rhs, at + 3) / scale,
        };
    }
}

/// The maps of all frames at the weights.
pub fn maps(system: &System, ws: &mut Values, weights: &Weights) {
    let bodies = system.bodies.len();
    for (f, frame) in system.frames.iter().enumerate() {
        let body = &ws.bodies[system.flexibles[frame.flexible].body];
        let own = (&ws.flexible.relative_motions[f], &ws.bodies[bodies + f]);
        frame
            .element
            .maps(own, body, weights, &mut ws.flexible.maps[f]);
    }
}

/// Adds the derivatives of the bodies' own terms, and those of the transfer of loads from frames, (FLX-7).
/// The bodies' loads are those of [`residual::motion`].
pub(super) fn tangents(
    system: &System,
    state: &State,
    ws: &mut Values,
    matrix: &mut TileMatrix,
    (weights, scale): (&Weights, f64),
) {
    let gravity = residual::gravity(system, state, ws) * ws.gravity_ramp;
    for (k, entry) in system.flexibles.iter().enumerate() {
        let body = &ws.bodies[entry.body];
        let flexible = &mut ws.flexible;
        let slopes = &mut flexible.flexible_slopes[k];
        let given = (&gravity, &flexible.own_loads[k]);
        let own = Weights {
            a: weights.a * ws.inertia_terms[entry.body].weight,
            ..*weights
        };
        entry
            .element
            .slopes(body, &flexible.motions[k], given, &own, slopes);
        if flexible.with_lost_inertia {
            entry.element.restore(weights.a, slopes);
        }
        for f in entry.frames.range() {
            let element = &system.frames[f].element;
            let load = (&flexible.frame_loads[f], weights.x);
            let bend =
                element.add_transfer_tangent(&flexible.relative_motions[f], body, load, slopes);
            flexible.load_tangents[f] = bend * scale;
        }
        add_slopes(entry, slopes, matrix, scale);
    }
}

/// Adds the mass matrices. Quasi-static modes have a substitute mass: that of formulation SI2, or in the search for
/// poses (h = ∞) many times the mass that they have lost.
pub fn metric(system: &System, state: &State, ws: &mut Values, matrix: &mut TileMatrix) {
    let h = if ws.flexible.with_lost_inertia {
        f64::INFINITY
    } else {
        state.step(&system.layout)
    };
    for (k, entry) in system.flexibles.iter().enumerate() {
        let rotation = &ws.bodies[entry.body].rotation;
        let slopes = &mut ws.flexible.flexible_slopes[k];
        entry
            .element
            .metric(rotation, &ws.flexible.motions[k], h, slopes);
        add_slopes(entry, slopes, matrix, 1.0);
    }
}

/// Subtracts M times the corrections of formulation SI2 from a right-hand side.
pub fn subtract_momentum(
    system: &System,
    state: &State,
    constrained: &mut Constrained<'_>,
    correction: &[f64],
    rhs: &mut [f64],
) {
    let ws = &mut constrained.0.values;
    let h = state.step(&system.layout);
    for (k, entry) in system.flexibles.iter().enumerate() {
        let at = BLOCK * entry.body;
        let linear = vec3(correction, at);
        let angular = vec3(correction, at + 3);
        let from = system.modal_first() + entry.modal.first;
        let own = &correction[from..from + entry.modal.len];
        let (body, motion) = (&ws.bodies[entry.body], &ws.flexible.motions[k]);
        let modal = &mut ws.flexible.modal_scratch[..entry.modal.len];
        let rates = (&linear, &angular, own);
        let loads = entry.element.times(&body.rotation, motion, rates, modal);
        entry.element.add_metric(h, own, modal);
        let torque = body.rotation * loads.torque;
        let base = entry.blocks[0].offset();
        for n in 0..3 {
            rhs[base + n] -= loads.force[n];
            rhs[base + 3 + n] -= torque[n];
        }
        for (j, x) in modal.iter().enumerate() {
            rhs[entry.row(j)] -= x;
        }
    }
}

/// Adds derivatives to the tiles of a body, times a factor.
fn add_slopes(entry: &FlexibleEntry, slopes: &Slopes, matrix: &mut TileMatrix, factor: f64) {
    let (m, across) = (entry.element.modes, entry.blocks.len());
    matrix.add_block(entry.slots[0], &slopes.rigid, factor);
    for (j, (column, row)) in slopes.columns.iter().zip(&slopes.rows).enumerate() {
        let (n, at) = (1 + j / TILE, j % TILE);
        let right = matrix.tile_mut(entry.slots[n]);
        for (r, x) in column.iter().enumerate() {
            right[self::entry(r, at)] += x * factor;
        }
        let below = matrix.tile_mut(entry.slots[n * across]);
        for (c, x) in row.iter().enumerate() {
            below[self::entry(at, c)] += x * factor;
        }
    }
    for k in 0..m {
        for n in 1..across {
            let first = TILE * (n - 1);
            let tile = matrix.tile_mut(entry.slots[n * across + 1 + k / TILE]);
            let to = &mut tile.as_chunks_mut::<TILE>().0[k % TILE];
            let from = &slopes.modal[k * m + first..(k + 1) * m];
            // A whole column of a tile has a compile-time length, so the compiler unrolls these sums.
            if let Some(from) = from.first_chunk::<TILE>() {
                for (to, x) in to.iter_mut().zip(from) {
                    *to += x * factor;
                }
            } else {
                for (to, x) in to.iter_mut().zip(from) {
                    *to += x * factor;
                }
            }
        }
    }
}

/// Kinetic energy of a body \[J\].
pub fn kinetic_energy(system: &System, ws: &Values, k: usize) -> f64 {
    let entry = &system.flexibles[k];
    entry
        .element
        .kinetic_energy(&ws.bodies[entry.body], &ws.flexible.motions[k])
}

/// Strain energy of all flexible bodies \[J\].
pub fn strain_energy(system: &System, ws: &Values) -> f64 {
    let parts = system.flexibles.iter().zip(&ws.flexible.motions);
    parts
        .map(|(entry, motion)| entry.element.strain_energy(motion))
        .sum()
}

/// Power dissipated by modal damping \[W\].
pub fn dissipated(system: &System, ws: &Values) -> f64 {
    let parts = system.flexibles.iter().zip(&ws.flexible.motions);
    parts
        .map(|(entry, motion)| entry.element.dissipated(motion))
        .sum()
}

/// Position of the centre of mass \[m\].
pub fn center(system: &System, ws: &Values, k: usize) -> Vec3 {
    let entry = &system.flexibles[k];
    let body = &ws.bodies[entry.body];
    body.r + body.rotation * (Flexible::moment(&ws.flexible.motions[k]) / entry.element.mass())
}

/// The largest displacement of a monitored node or a node with a marker \[m\], seen from the body's frame or from any
/// node with a marker, which rotates.
pub fn deformation(system: &System, ws: &Values, body: usize) -> f64 {
    let Some(k) = system.bodies[body].flexible else {
        return 0.0;
    };
    let (entry, motion) = (&system.flexibles[k], &ws.flexible.motions[k]);
    let mut most = 0.0;
    for (offset, shapes) in &entry.watched {
        let moved = combine(shapes, &motion.q);
        most = residual::larger(most, seen(system, ws, entry, (offset, &moved)));
    }
    for f in entry.frames.range() {
        if let Attachment::Node(frame) = &system.frames[f].element {
            let moved = ws.flexible.relative_motions[f].y[0] - frame.offset;
            most = residual::larger(most, seen(system, ws, entry, (&frame.offset, &moved)));
        }
    }
    most
}

/// The largest displacement of a node over all frames it is seen from \[m\].
fn seen(
    system: &System,
    ws: &Values,
    entry: &FlexibleEntry,
    (offset, moved): (&Vec3, &Vec3),
) -> f64 {
    let mut most = moved.norm();
    for f in entry.frames.range() {
        if let Attachment::Node(frame) = &system.frames[f].element {
            let from_here = frame.seen(&ws.flexible.relative_motions[f], offset, moved);
            most = residual::larger(most, from_here.norm());
        }
    }
    most
}

/// The modal part of a span of rates.
pub fn modal_part(system: &System, span: Span) -> Span {
    Span {
        first: span.first + system.modal_first(),
        len: system.layout.modal.len,
    }
}
