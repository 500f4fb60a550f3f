//! Data plane: the Newton matrix, element by element into its tiles.
//!
//! ```text
//! [ s ∂(M u̇ − Q + Gᵀλ)/∂(δx, δψ)    Gᵀ ]
//! [ G                               0  ]                                   (JAC-1)
//! ```
//! δx and the small rotation δψ in ground axes; the unknowns of the second column are s λ. States of
//! differential equations add a column to whatever reads them, and their rows (STA-3).
//!
//! What is factored has on the diagonal of the zero block, for each row g of G,
//!
//! ```text
//! −ε g M⁻¹ gᵀ,   ε = 1e-10                                                 (JAC-2)
//! ```
//! (M⁻¹ by mass and mean inertia). The residual does not have it, so it costs Newton's iteration a
//! factor ε and the solution nothing; where a mechanism passes a position in which rows become
//! dependent, it keeps the multipliers from being noise divided by nothing.

mod joints;

pub use joints::soften;

use crate::elements::kinematics::Weights;
use crate::elements::wrench::transported;
use crate::ids::MarkerId;
use crate::linalg::{Slot, TileMatrix};
use crate::math::rotation::{skew, skew_skew};
use crate::math::{Mat3, Vec3};
use crate::mechanism::{Law, StateStart};
use crate::state::State;
use crate::system::residual::inertia;
use crate::system::{EquationEntry, KIND_WEIGHTS, System, condense, flexible, general, gradients};
use crate::workspace::Workspace;

/// How the matrix is scaled.
#[derive(Clone, Copy, Debug)]
pub struct Scaling {
    /// s of (RES-1).
    pub motion: f64,
    /// Factor of the constraint rows: 1, or the slope of Φ̇, Φ̈ in the unknowns.
    pub constraints: f64,
    /// The rows of states and implicit variables.
    pub states: StateRows,
}

/// The rows of equations: `own · unknown − slope · ∂g/∂(all unknowns)` of a state that is free, with 0 for
/// `own` where it shall come to rest, g = 0; `residual · ∂r/∂(all unknowns)` of an implicit variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateRows {
    /// Factor of a state's own unknown.
    pub own: f64,
    /// Factor of a rate's gradient.
    pub slope: f64,
    /// Factor of a residual's gradient.
    pub residual: f64,
    /// Which states are free; the others stay as they are.
    pub free: Free,
}

/// Which states are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Free {
    /// All.
    All,
    /// All but those that keep their initial values.
    Resting,
    /// Those that begin where their rates are zero.
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
    /// Of an equation: the factor of its own unknown, and of the gradient of its expression.
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

/// Fills `ws.matrix` with (JAC-1). [`crate::system::residual::evaluate`] must have run at the same
/// state.
pub fn assemble(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    weights: &Weights,
    scaling: &Scaling,
) {
    general::tangents(system, ws);
    gradients::nodes(system, state, ws, weights);
    entries(system, state, ws, (weights, scaling));
}

/// The entries, once all gradients are there. Never part of its caller: the stack has room for the gradients or for this.
#[inline(never)]
fn entries(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    (weights, scaling): (&Weights, &Scaling),
) {
    let mut matrix = core::mem::take(&mut ws.matrix);
    matrix.clear();
    inertial(system, state, ws, &mut matrix, (weights, scaling.motion));
    for f in 0..system.forces.len() {
        force(system, ws, &mut matrix, (weights, scaling.motion), f);
    }
    for g in 0..system.groups.len() {
        joints::group(system, ws, &mut matrix, (weights, scaling), g);
    }
    equations(system, ws, &mut matrix, &scaling.states);
    general::add_tangents(system, ws, &mut matrix, weights, scaling.motion);
    flexible::tangents(system, state, ws, &mut matrix, (weights, scaling.motion));
    condensed(system, ws, &mut matrix, (weights, true));
    ws.matrix = matrix;
}

/// Adds what a body's inertia resists with to δx and to δψ, times a factor.
#[inline]
fn add_inertia(matrix: &mut TileMatrix, slot: Slot, (linear, turning): &(f64, Mat3), factor: f64) {
    for k in 0..3 {
        matrix.add(slot, k, k, linear * factor);
    }
    matrix.add_quarter(slot, (3, 3), turning, factor);
}

/// Takes the tiles of frames to those of their bodies; `bent` as in [`condense::condense`].
pub fn condensed(
    system: &System,
    ws: &mut Workspace,
    matrix: &mut TileMatrix,
    (weights, bent): (&Weights, bool),
) {
    if !system.frames.is_empty() {
        flexible::maps(system, ws, weights);
        condense::condense(system, ws, matrix, weights, bent);
    }
}

/// Fills `matrix` with what a single force element adds. Gradients must have been taken at the weights, by
/// [`gradients::nodes`].
pub fn of_force(
    system: &System,
    ws: &mut Workspace,
    matrix: &mut TileMatrix,
    weights: &Weights,
    f: usize,
) {
    matrix.clear();
    force(system, ws, matrix, (weights, 1.0), f);
    condensed(system, ws, matrix, (weights, false));
}

/// Fills `matrix` with what inertial forces of bodies add, elastic ones of flexible bodies among them. [`residual::motion`]
/// must have run.
///
/// [`residual::motion`]: crate::system::residual::motion
pub fn of_inertia(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    matrix: &mut TileMatrix,
    weights: &Weights,
) {
    matrix.clear();
    inertial(system, state, ws, matrix, (weights, 1.0));
    flexible::tangents(system, state, ws, matrix, (weights, 1.0));
}

/// What rigid bodies resist with.
fn inertial(
    system: &System,
    state: &State,
    ws: &Workspace,
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

/// The rows of states and implicit variables.
fn equations(system: &System, ws: &Workspace, matrix: &mut TileMatrix, rows: &StateRows) {
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

/// Rows that leave states and implicit variables as they are: ones on the diagonal.
pub fn hold_states(system: &System, matrix: &mut TileMatrix) {
    for entry in &system.equations {
        matrix.add(entry.slot, entry.place, entry.place, 1.0);
    }
}

/// Weights and levers of the bodies of I and J of an element.
pub struct Ends {
    /// ∂position/∂unknown.
    pub weights: [f64; 2],
    /// From their centres of mass to the marker I.
    pub arms: [Vec3; 2],
}

impl Ends {
    /// Those of the markers I and J at the kinematics of the workspace.
    #[inline]
    pub fn new(
        system: &System,
        ws: &Workspace,
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
    ws: &Workspace,
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

/// What moving levers add: rows δ(ρ×F) of I and −δ(η×F) of J, times a factor.
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

/// Fills `matrix` with that of a projection on the velocity constraints in the metric of the mass
/// matrix, [M Gᵀ; G 0]. [`crate::system::eval::constraint_wrenches`] must have run.
pub fn assemble_metric(
    system: &System,
    state: &State,
    ws: &mut Workspace,
    matrix: &mut TileMatrix,
) {
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
