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

use crate::elements::kinematics::Weights;
use crate::elements::wrench::{
    Block, ZERO_BLOCK, add_columns, add_torque_rows, arm_terms, transported,
};
use crate::ids::MarkerId;
use crate::linalg::{Slot, TileMatrix};
use crate::math::Vec3;
use crate::model::{Law, StateStart};
use crate::state::State;
use crate::system::residual::inertia;
use crate::system::{EquationEntry, KIND_WEIGHTS, System, condense, flexible, general, gradients};
use crate::workspace::Workspace;

/// ε of (JAC-2).
const SOFTNESS: f64 = 1e-10;

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
}

impl Free {
    /// Is a state free?
    pub fn allows(self, start: StateStart) -> bool {
        match self {
            Self::All => true,
            Self::Resting => start != StateStart::Held,
            Self::Steady => start == StateStart::Steady,
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
    ws.matrix.clear();
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(slot) = entry.slot.filter(|_| entry.flexible.is_none()) else {
            continue;
        };
        let block =
            inertia(system, state, body).block(&ws.bodies[body], &ws.inertia_terms[body], weights);
        add_block(
            &mut ws.matrix,
            slot,
            &block,
            (entry.dof, entry.dof),
            scaling.motion,
        );
    }
    for f in 0..system.forces.len() {
        force(system, ws, weights, scaling.motion, f);
    }
    for g in 0..system.groups.len() {
        group(system, ws, weights, scaling, g);
    }
    equations(system, ws, &scaling.states);
    let mut matrix = std::mem::take(&mut ws.matrix);
    general::add_tangents(system, ws, &mut matrix, weights, scaling.motion);
    flexible::tangents(system, state, ws, &mut matrix, (weights, scaling.motion));
    condensed(system, ws, &mut matrix, (weights, true));
    ws.matrix = matrix;
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

/// The rows of states and implicit variables.
fn equations(system: &System, ws: &mut Workspace, rows: &StateRows) {
    for entry in &system.equations {
        let (own, factor) = rows.of(entry);
        ws.matrix.add(entry.slot, entry.place, entry.place, own);
        if factor == 0.0 {
            continue;
        }
        let place = &system.schedule.expressions[entry.expr().index()];
        for (n, slot) in entry.slots.iter().enumerate() {
            for c in 0..system.size(place.support[n]) {
                let x = ws.row_arena[place.first + n][c];
                ws.matrix.add(*slot, entry.place, c, x * factor);
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

fn add_block(
    matrix: &mut TileMatrix,
    slot: Slot,
    block: &Block,
    (rows, columns): (usize, usize),
    factor: f64,
) {
    for r in 0..rows {
        for c in 0..columns {
            matrix.add(slot, r, c, block[r][c] * factor);
        }
    }
}

/// The bodies of I and J of an element, with their sizes and levers.
pub struct Ends {
    /// Their indices.
    pub bodies: [usize; 2],
    /// Their degrees of freedom.
    pub dof: [usize; 2],
    /// From their centres of mass to the marker I.
    pub arms: [Vec3; 2],
}

impl Ends {
    /// Those of the markers I and J at the kinematics of the workspace.
    pub fn new(system: &System, ws: &Workspace, i: MarkerId, j: MarkerId) -> Self {
        let (a, b) = (system.body_of(i), system.body_of(j));
        let marker = &ws.markers[i.index()];
        Self {
            bodies: [a, b],
            dof: [system.carrier(a).dof, system.carrier(b).dof],
            arms: [marker.rho, marker.p - ws.bodies[b].r],
        }
    }

    /// A constraint row's part of G at either body.
    pub fn row(&self, ws: &Workspace, i: MarkerId, row: usize) -> [[f64; 6]; 2] {
        let unit = ws.units[row];
        [unit.on_i(&ws.markers[i.index()]), unit.on_j(&self.arms[1])]
    }
}

fn force(system: &System, ws: &mut Workspace, weights: &Weights, scale: f64, f: usize) {
    let element = &system.forces[f];
    let place = &system.schedule.forces[f];
    let slots = &system.force_slots[f];
    let ends = Ends::new(system, ws, element.i, element.j);
    for (n, slot) in slots.support.iter().enumerate() {
        let columns = system.size(place.support[n]);
        let block = ws.block_arena[place.first + n];
        for (side, sign) in [(0, -scale), (1, scale)] {
            if let Some(slot) = slot[side] {
                let load = transported(&block, &ends.arms[side]);
                add_block(&mut ws.matrix, slot, &load, (ends.dof[side], columns), sign);
            }
        }
    }
    let tile =
        |row: usize, column: usize| slots.place[column].and_then(|at| slots.support[at][row]);
    let bodies = [[tile(0, 0), tile(0, 1)], [tile(1, 0), tile(1, 1)]];
    let load = ws.force_wrenches[f].force;
    arms(
        system,
        ws,
        (element.i, &load),
        &bodies,
        &ends,
        (weights, -scale),
    );
}

/// What moving levers add: rows δ(ρ×F) of I and −δ(η×F) of J, times a factor.
fn arms(
    system: &System,
    ws: &mut Workspace,
    (i, load): (MarkerId, &Vec3),
    bodies: &[[Option<Slot>; 2]; 2],
    ends: &Ends,
    (weights, factor): (&Weights, f64),
) {
    let dof = &ends.dof;
    let at = ends.bodies.map(|body| system.pose_weights(body, weights));
    let terms = arm_terms(load, &ws.markers[i.index()], &at[0]);
    let on_j = arm_terms(load, &ws.markers[i.index()], &at[1]).j_j;
    let mut add = |slot: Option<Slot>, fill: &dyn Fn(&mut Block), rows: usize, columns: usize| {
        if let Some(slot) = slot {
            let mut block = ZERO_BLOCK;
            fill(&mut block);
            add_block(&mut ws.matrix, slot, &block, (rows, columns), factor);
        }
    };
    let on_i = |b: &mut Block| add_torque_rows(b, &terms.i_i, 3);
    add(bodies[0][0], &on_i, dof[0], dof[0]);
    let crossed = |b: &mut Block| {
        add_torque_rows(b, &terms.j_i_x, 0);
        add_torque_rows(b, &terms.j_i_psi, 3);
    };
    add(bodies[1][0], &crossed, dof[1], dof[0]);
    let own = |b: &mut Block| add_torque_rows(b, &on_j, 0);
    add(bodies[1][1], &own, dof[1], dof[1]);
}

fn group(system: &System, ws: &mut Workspace, weights: &Weights, scaling: &Scaling, g: usize) {
    let group = &system.groups[g];
    let ends = Ends::new(system, ws, group.i, group.j);
    let slopes = gradients::group_slopes(system, ws, g);
    let columns = [
        gradients::pose_columns(system, ws, group.i, &slopes, weights)[0],
        gradients::pose_columns(system, ws, group.j, &slopes, weights)[1],
    ];
    for (column, maps) in columns.iter().enumerate() {
        let mut block = ZERO_BLOCK;
        add_columns(&mut block, maps);
        for (row, sign) in [(0, -scaling.motion), (1, scaling.motion)] {
            if let Some(slot) = group.slots.bodies[row][column] {
                let load = transported(&block, &ends.arms[row]);
                let size = (ends.dof[row], ends.dof[column]);
                add_block(&mut ws.matrix, slot, &load, size, sign);
            }
        }
    }
    let load = ws.group_wrenches[g].force;
    let how = (weights, -scaling.motion);
    arms(
        system,
        ws,
        (group.i, &load),
        &group.slots.bodies,
        &ends,
        how,
    );
    let factors = (scaling.motion * weights.l, scaling.constraints);
    let mut matrix = std::mem::take(&mut ws.matrix);
    gradient_tiles(system, ws, &mut matrix, &ends, factors, g);
    ws.matrix = matrix;
}

/// Gᵀ and G of a group, times a factor each.
fn gradient_tiles(
    system: &System,
    ws: &Workspace,
    matrix: &mut TileMatrix,
    ends: &Ends,
    (columns, rows): (f64, f64),
    g: usize,
) {
    let group = &system.groups[g];
    for (k, r) in group.rows.range().enumerate() {
        let loads = ends.row(ws, group.i, r);
        for side in 0..2 {
            let (Some(column), Some(row)) = (group.slots.columns[side], group.slots.rows[side])
            else {
                continue;
            };
            for c in 0..ends.dof[side] {
                let x = loads[side][c];
                matrix.add(column, c, k, x * columns);
                matrix.add(row, k, c, x * rows);
            }
        }
    }
}

/// Adds (JAC-2) to a matrix whose body part tends to M with h and whose constraint part is G.
/// [`crate::system::eval::constraint_wrenches`] must have run.
pub fn soften(system: &System, state: &State, ws: &Workspace, matrix: &mut TileMatrix) {
    for group in &system.groups {
        let ends = Ends::new(system, ws, group.i, group.j);
        let mobility = ends.bodies.map(|body| mobility(system, state, body));
        for (k, r) in group.rows.range().enumerate() {
            let mut sum = 0.0;
            for (load, (linear, angular)) in ends.row(ws, group.i, r).iter().zip(&mobility) {
                let square = |part: &[f64]| part.iter().map(|x| x * x).sum::<f64>();
                sum += square(&load[..3]) * linear + square(&load[3..]) * angular;
            }
            matrix.add(group.diagonal, k, k, -SOFTNESS * sum);
        }
    }
}

/// 1/m and 1/J that loads on a body or frame meet; zero on ground.
fn mobility(system: &System, state: &State, body: usize) -> (f64, f64) {
    match system.bodies.get(body) {
        Some(entry) if entry.block.is_some() => inertia(system, state, body).mobility(),
        Some(_) => (0.0, 0.0),
        None => system.frames[body - system.bodies.len()].mobility,
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
        let block = inertia(system, state, body).mass_block(&ws.bodies[body].rotation);
        add_block(matrix, slot, &block, (entry.dof, entry.dof), 1.0);
    }
    for (g, group) in system.groups.iter().enumerate() {
        let ends = Ends::new(system, ws, group.i, group.j);
        gradient_tiles(system, ws, matrix, &ends, (1.0, 1.0), g);
    }
    flexible::metric(system, state, ws, matrix);
    condensed(system, ws, matrix, (&KIND_WEIGHTS[0], false));
    hold_states(system, matrix);
}
