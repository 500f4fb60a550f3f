//! Data plane: assembles the Newton matrix, element by element, into tiles.
//!
//! ```text
//! [ s ∂(M u̇ − Q + Gᵀλ)/∂(δx, δψ)    Gᵀ ]
//! [ G                               0  ]                                   (JAC-1)
//! ```
//! δx and the small rotation δψ are in ground axes; the unknowns of the second column are s λ. States of differential
//! equations add columns for all that reads them, and rows of their own (STA-3).
//!
//! Before factorisation the zero block is regularised. Its diagonal receives, for each row g of G,
//!
//! ```text
//! −ε g M⁻¹ gᵀ,   ε = 1e-10                                                 (JAC-2)
//! ```
//! (M⁻¹ by mass and mean inertia). The residual does not contain this term: it does not change the solution, and
//! limits the convergence of Newton's iteration to a factor ε. When a mechanism passes a position with dependent
//! rows, it keeps the multipliers from becoming noise divided by zero.

mod joints;

use crate::elements::kinematics::Weights;
use crate::elements::wrench::transported;
use crate::ids::MarkerId;
use crate::linalg::{Slot, TileMatrix};
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3};
use crate::mechanism::{Law, StateStart};
use crate::state::State;
use crate::system::residual::inertia;
use crate::system::stage::{Balanced, Constrained, Differentiated};
use crate::system::{EquationEntry, KIND_WEIGHTS, System, condense, flexible, general, gradients};
use crate::workspace::{Values, Workspace};

/// Scaling of the matrix.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    /// s of (RES-1).
    pub motion: f64,
    /// Factor of the constraint rows: 1, or the slope of Φ̇, Φ̈ in the unknowns.
    pub constraints: f64,
    /// τ of (ROL-9) for the rows that restrict velocities only, in a step; if zero, they are as all others.
    pub rates: f64,
    /// The rows of states and implicit variables.
    pub states: StateRows,
}

/// How equations enter the matrix. A free state: `own · unknown − slope · ∂g/∂(all unknowns)`, with `own` 0 if the
/// state must come to rest, g = 0. An implicit variable: `residual · ∂r/∂(all unknowns)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateRows {
    /// Factor of a state's own unknown.
    pub own: f64,
    /// Factor of a rate's gradient.
    pub slope: f64,
    /// Factor of a residual's gradient.
    pub residual: f64,
    /// Which states are free; the others keep their values.
    pub free: Free,
}

/// Which states are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    /// All.
    All,
    /// All except those that keep their initial values.
    Resting,
    /// Those that start at rest (ż = 0).
    Steady,
    /// None.
    None,
}

impl Free {
    /// Is a state free?
    pub fn allows(self, start: StateStart) -> bool {
        match self {
            Self::All => true,
            Self::Resting => start != StateStart::Held,
            Self::Steady => start == StateStart::Steady,
            Self::None => false,
        }
    }
}

impl StateRows {
    /// For an equation: the factor of its own unknown, and that of its expression's gradient.
    fn of(&self, entry: &EquationEntry) -> (f64, f64) {
        match entry.law {
            Law::Residual(_) => (0.0, self.residual),
            Law::Rate { derivative, .. } if self.free.allows(entry.start) => {
                (self.own, -self.slope * derivative.to_si)
            }
            Law::Rate { .. } => (1.0, 0.0),
        }
    }
}

/// Fills `matrix` with (JAC-1).
pub fn assemble(
    system: &System,
    state: &State,
    balanced: &mut Balanced<'_>,
    weights: &Weights,
    scaling: &Scaling,
) {
    let ws = &mut *balanced.0;
    general::tangents(system, ws);
    gradients::nodes(system, state, ws, weights);
    entries(system, state, ws, (weights, scaling));
}

/// The same for Newton's iteration, with (JAC-2).
pub fn assemble_softened(
    system: &System,
    state: &State,
    balanced: &mut Balanced<'_>,
    weights: &Weights,
    scaling: &Scaling,
) {
    assemble(system, state, balanced, weights, scaling);
    let ws = &mut *balanced.0;
    joints::soften(system, state, &mut ws.values, &mut ws.matrix);
}

/// Adds the entries, after all gradients. Never inlined: the stack has room for the gradients or for this.
#[inline(never)]
fn entries(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    (weights, scaling): (&Weights, &Scaling),
) {
    let (ws, matrix) = (&mut ws.values, &mut ws.matrix);
    matrix.clear();
    inertial(system, state, ws, matrix, (weights, scaling.motion));
    for f in 0..system.forces.len() {
        force(system, ws, matrix, (weights, scaling.motion), f);
    }
    for g in 0..system.groups.len() {
        joints::group(system, ws, matrix, (weights, scaling), g);
    }
    if scaling.rates != 0.0 {
        joints::rate_rows(system, ws, matrix, (weights, scaling));
    }
    equations(system, ws, matrix, &scaling.states);
    general::add_tangents(system, ws, matrix, weights, scaling.motion);
    flexible::tangents(system, state, ws, matrix, (weights, scaling.motion));
    condensed(system, ws, matrix, (weights, true));
}

/// Adds a body's inertia in δx and δψ, times a factor.
#[inline]
fn add_inertia(matrix: &mut TileMatrix, slot: Slot, (linear, turning): &(f64, Mat3), factor: f64) {
    for k in 0..3 {
        matrix.add(slot, k, k, linear * factor);
    }
    matrix.add_quarter(slot, (3, 3), turning, factor);
}

/// Condenses the tiles of frames onto those of their bodies; `bent` as in [`condense::condense`].
pub fn condensed(
    system: &System,
    ws: &mut Values,
    matrix: &mut TileMatrix,
    (weights, bent): (&Weights, bool),
) {
    if !system.frames.is_empty() {
        flexible::maps(system, ws, weights);
        condense::condense(system, ws, matrix, weights, bent);
    }
}

/// Fills `matrix` with the tangent of a single force, or of all forces of an element if `f` is the first of them.
pub fn of_force(
    system: &System,
    (differentiated, weights): (&mut Differentiated<'_>, &Weights),
    matrix: &mut TileMatrix,
    f: usize,
) {
    let ws = &mut differentiated.0.values;
    matrix.clear();
    for f in [f].into_iter().chain(system.forces[f].others.clone()) {
        force(system, ws, matrix, (weights, 1.0), f);
    }
    condensed(system, ws, matrix, (weights, false));
}

/// Fills `matrix` with the tangents of the bodies' inertial forces, including elastic forces of flexible bodies.
pub fn of_inertia(
    system: &System,
    state: &State,
    balanced: &mut Balanced<'_>,
    matrix: &mut TileMatrix,
    weights: &Weights,
) {
    let ws = &mut balanced.0.values;
    matrix.clear();
    inertial(system, state, ws, matrix, (weights, 1.0));
    flexible::tangents(system, state, ws, matrix, (weights, 1.0));
}

/// Adds the inertia of rigid bodies.
fn inertial(
    system: &System,
    state: &State,
    ws: &Values,
    matrix: &mut TileMatrix,
    (weights, factor): (&Weights, f64),
) {
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(slot) = entry.slot.filter(|_| entry.flexible.is_none()) else {
            continue;
        };
        let inertia = inertia(system, state, body);
        let slopes = inertia.slopes(&ws.bodies[body], &ws.inertia_terms[body], weights);
        add_inertia(matrix, slot, &slopes, factor);
    }
}

/// Adds the rows of states and implicit variables.
fn equations(system: &System, ws: &Values, matrix: &mut TileMatrix, rows: &StateRows) {
    for entry in &system.equations {
        let (own, factor) = rows.of(entry);
        matrix.add(entry.slot, entry.place, entry.place, own);
        if factor == 0.0 {
            continue;
        }
        let place = &system.schedule.expressions[entry.expr().index()];
        for (n, slot) in entry.slots.iter().enumerate() {
            for c in 0..system.size(place.support[n]) {
                let x = ws.row_arena[place.first + n][c];
                matrix.add(*slot, entry.place, c, x * factor);
            }
        }
    }
}

/// Writes rows that keep states and implicit variables at their values: ones on the diagonal.
pub fn hold_states(system: &System, matrix: &mut TileMatrix) {
    for entry in &system.equations {
        matrix.add(entry.slot, entry.place, entry.place, 1.0);
    }
}

/// Weights and lever arms of the bodies of I and J of an element.
pub struct Ends {
    /// ∂position/∂unknown.
    pub weights: [f64; 2],
    /// From their centres of mass to the marker I.
    pub arms: [Vec3; 2],
}

impl Ends {
    /// Those of the markers I and J at the workspace's kinematics.
    #[inline]
    pub fn new(
        system: &System,
        ws: &Values,
        (i, j): (MarkerId, MarkerId),
        weights: &Weights,
    ) -> Self {
        let bodies = [system.body_of(i), system.body_of(j)];
        let marker = &ws.markers[i.index()];
        Self {
            weights: bodies.map(|body| system.pose_weights(body, weights).x),
            arms: [marker.rho, marker.p - ws.bodies[bodies[1]].r],
        }
    }
}

fn force(
    system: &System,
    ws: &Values,
    matrix: &mut TileMatrix,
    (weights, scale): (&Weights, f64),
    f: usize,
) {
    let element = &system.forces[f];
    let place = &system.schedule.forces[f];
    let slots = &system.force_slots[f];
    let ends = Ends::new(system, ws, (element.i, element.j), weights);
    let blocks = &ws.block_arena[place.first..];
    for (block, slot) in blocks.iter().zip(&slots.support) {
        for (side, sign) in [(0, -scale), (1, scale)] {
            if let Some(slot) = slot[side] {
                matrix.add_block(slot, &transported(block, &ends.arms[side]), sign);
            }
        }
    }
    let tile =
        |row: usize, column: usize| slots.place[column].and_then(|at| slots.support[at][row]);
    let bodies = [[tile(0, 0), tile(0, 1)], [tile(1, 0), tile(1, 1)]];
    let load = ws.force_wrenches[f].force;
    add_arms(matrix, &load, &bodies, &ends, -scale);
}

/// Adds the derivatives of lever arms: rows δ(ρ×F) of I and −δ(η×F) of J, times a factor.
fn add_arms(
    matrix: &mut TileMatrix,
    load: &Vec3,
    bodies: &[[Option<Slot>; 2]; 2],
    ends: &Ends,
    factor: f64,
) {
    let turned = skew(load);
    let on_i = skew_skew(load, &ends.arms[0]);
    let [wi, wj] = ends.weights.map(|weight| weight * factor);
    if let Some(tile) = bodies[0][0] {
        matrix.add_quarter(tile, (3, 3), &on_i, wi);
    }
    if let Some(tile) = bodies[1][0] {
        matrix.add_quarter(tile, (3, 0), &turned, wi);
        matrix.add_quarter(tile, (3, 3), &on_i, -wi);
    }
    if let Some(tile) = bodies[1][1] {
        matrix.add_quarter(tile, (3, 0), &turned, -wj);
    }
}

/// Fills `matrix` with [M Gᵀ; G 0], the matrix of a projection on the velocity constraints in the metric of the mass
/// matrix.
pub fn assemble_metric(
    system: &System,
    state: &State,
    constrained: &mut Constrained<'_>,
    matrix: &mut TileMatrix,
) {
    let ws = &mut constrained.0.values;
    matrix.clear();
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(slot) = entry.slot.filter(|_| entry.flexible.is_none()) else {
            continue;
        };
        let inertia = inertia(system, state, body).in_ground(&ws.bodies[body].rotation);
        add_inertia(matrix, slot, &inertia, 1.0);
    }
    for (g, group) in system.groups.iter().enumerate() {
        let ends = Ends::new(system, ws, (group.i, group.j), &KIND_WEIGHTS[0]);
        joints::gradient_tiles(system, ws, matrix, &ends, (1.0, 1.0), g);
    }
    flexible::metric(system, state, ws, matrix);
    condensed(system, ws, matrix, (&KIND_WEIGHTS[0], false));
    hold_states(system, matrix);
}

/// Takes the rows that restrict velocities only out of this matrix, with their multipliers.
pub fn release_rates(system: &System, constrained: &mut Constrained<'_>, matrix: &mut TileMatrix) {
    joints::release_rates(system, &constrained.0.values, matrix);
}

/// The same with (JAC-2), so that it can be factorised where constraints depend on each other.
pub fn assemble_softened_metric(
    system: &System,
    state: &State,
    constrained: &mut Constrained<'_>,
    matrix: &mut TileMatrix,
) {
    assemble_metric(system, state, constrained, matrix);
    joints::soften(system, state, &mut constrained.0.values, matrix);
}
