//! Control plane: the tangents of all equations at an accepted state: the basis of every linear form.
//!
//! ```text
//! r(q, v, a, λ, z, ż, s) = 0
//! δr = K δq + D δv + M δa + Gᵀ δλ + Z δz + E δż + B δs                       (TAN-1)
//! ```
//! q: poses and modal coordinates; λ: multipliers and implicit variables; z: states; s: inputs. K, D and M are the
//! Newton matrix (JAC-1) at the weights (1, 0, 0), (0, 1, 0) and (0, 0, 1) of [`crate::elements::kinematics`]: the
//! elements' tangents are linear in the weights, so no finite differences are needed. Inputs become states, which
//! have columns.
//!
//! Rotations are δψ in ground axes. Increments of angular velocities and accelerations are those of their body-axes
//! components, rotated to ground: δv = R δω, δa = R δω̇. So
//!
//! ```text
//! δv = d(δq)/dt,   δa = d(δv)/dt − W δv,   W = Ω~ of each body that turns    (TAN-2)
//! ```
//! At rest, δa = δq̈ too. If bodies turn, the damping matrix of the second-order form is D − M W.
//!
//! Schemes that average the loads of two instants carry inertial forces κ M a + h, (RIG-1). These balance the loads
//! of the state, and they turn with the body in K. M is the derivative of M a alone.

mod inputs;
mod matrix;
mod places;

use crate::elements::kinematics::Weights;
use crate::ids::{InputId, LeafId};
use crate::integrator::accepted::load_history;
use crate::linalg::{TILE, entry};
use crate::math::rotation::skew;
use crate::mechanism::Mechanism;
use crate::state::State;
use crate::system::compile::error::CompileError;
use crate::system::compile::{
    Selection, compile, delayed_as_equations, delays_as_states, inputs_as_states,
    outputs_as_equations,
};
use crate::system::condense::KINDS;
use crate::system::flexible::modal_part;
use crate::system::jacobian::{self, Free, Scaling, StateRows};
use crate::system::residual::{self, Level};
use crate::system::stage::{Balanced, Placed};
use crate::system::{KIND_WEIGHTS, System, eval, ramp};
use crate::workspace::Workspace;
use alloc::vec::Vec;
pub use matrix::{Entry, SparseMatrix};
pub use places::{Coordinate, Place};
pub(super) use places::{Places, Target};

/// The tangents (TAN-1), in SI; states, implicit variables and inputs in their own units.
///
/// Rows and columns share one numbering, that of [`Self::places`]: row k is the equation of unknown k. Columns of
/// [`Self::inputs`] are the inputs of the mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct Tangents {
    /// Unknowns and equations: poses, modal coordinates, multipliers, implicit variables, states.
    pub places: Vec<Place>,
    /// K: in poses and modal coordinates. Its rows of constraints are the constraint Jacobian G, also of those of velocities
    /// only.
    pub positions: SparseMatrix,
    /// D: in velocities, in the columns of poses and modal coordinates.
    pub velocities: SparseMatrix,
    /// M: in accelerations, likewise.
    pub accelerations: SparseMatrix,
    /// Gᵀ: in multipliers and implicit variables.
    pub multipliers: SparseMatrix,
    /// Z: in states.
    pub states: SparseMatrix,
    /// E: in the rates of states, in their columns.
    pub rates: SparseMatrix,
    /// B: in inputs as they are set. A motion that prescribes a velocity or an acceleration keeps its displacement
    /// and has no entry.
    pub inputs: SparseMatrix,
    /// W of (TAN-2).
    pub spin: SparseMatrix,
}

impl Tangents {
    /// G: the rows of constraints in poses and modal coordinates, in the numbering of all unknowns.
    pub fn constraints(&self) -> SparseMatrix {
        let held = |entry: &&Entry| {
            let coordinate = self.places[entry.row].coordinate;
            matches!(coordinate, Coordinate::Multiplier { .. })
        };
        let entries = self.positions.entries.iter().filter(held).copied();
        SparseMatrix {
            entries: entries.collect(),
            ..self.positions
        }
    }
}

/// Rows ż − g and r, with all their unknowns free.
const ROWS: StateRows = StateRows {
    own: 0.0,
    slope: 1.0,
    residual: 1.0,
    free: Free::All,
};

/// The tangents that are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Request<'a> {
    /// The rows of constraints that are kept.
    pub keep: &'a [bool],
    /// Outputs whose tangents are wanted too, by their indices in the mechanism.
    pub outputs: &'a [usize],
    /// Are delays open? Then delayed values are inputs after those of the mechanism, and values to be delayed are
    /// outputs after the others.
    pub open_delays: bool,
    /// Do the fastest modes keep the inertia that a step takes from them?
    pub whole_inertia: bool,
}

impl Request<'_> {
    /// How many delays are open.
    fn open(&self, mechanism: &Mechanism) -> usize {
        if self.open_delays {
            mechanism.memory.delays.len()
        } else {
            0
        }
    }
}

/// The system whose tangents are taken, evaluated at a state: its inputs are states, its outputs equations.
pub(super) struct OperatingPoint {
    pub system: System,
    pub state: State,
    pub ws: Workspace,
    pub places: Places,
    /// Derivatives of prescribed motions in inputs, SI per unit of the input, by motion.
    pub motions: Vec<Vec<f64>>,
    /// Lengths of delays \[s\].
    pub delays: Vec<f64>,
}

/// The tangents at an accepted state of a system whose rows `keep` chooses. It fails if the mechanism grows too large
/// with its inputs as states.
pub fn tangents(
    mechanism: &Mechanism,
    keep: &[bool],
    at: (&System, &State),
) -> Result<Tangents, CompileError> {
    let request = Request {
        keep,
        ..Request::default()
    };
    of_equations(mechanism, &request, at).map(|(tangents, _, _)| tangents)
}

/// The same with the rows of outputs, and the system that they were taken of.
pub(super) fn of_equations(
    mechanism: &Mechanism,
    request: &Request<'_>,
    (system, state): (&System, &State),
) -> Result<(Tangents, Rows, OperatingPoint), CompileError> {
    let mut base = Workspace::new(system);
    base.flexible.with_lost_inertia = request.whole_inertia;
    kinematics(system, state, &mut base);
    let time = state.time(&system.layout);
    let integrated = state.span(system.layout.motions);
    eval::targets(system, state, &mut base, time, |m| {
        (integrated[2 * m], integrated[2 * m + 1])
    });
    residual::evaluate(system, state, Placed::kept(&mut base), time);

    let (mut freed, mut leaves) = inputs_as_states(mechanism);
    outputs_as_equations_too(mechanism, request, (&mut freed, &mut leaves));
    let mut wide = compile(&freed, Selection::Keep(request.keep))?;
    if request.whole_inertia {
        wide = wide.with_modal_inertia(&freed, true).unwrap_or(wide);
    }
    let wide_state = widen(system, state, &mut wide);
    let mut ws = evaluated(&wide, &wide_state, &base, (&leaves, mechanism));
    let places = Places::new(mechanism, &wide, &leaves);
    let mut parts = [Parts::default(), Parts::default()];
    for (kind, weights) in KIND_WEIGHTS.iter().enumerate() {
        let (weights, scaling) = pass(kind, weights);
        let balanced = &mut Balanced::kept(&mut ws);
        jacobian::assemble(&wide, &wide_state, balanced, &weights, &scaling);
        collect(kind, (&wide, &ws), &places, &mut parts);
    }
    let [mut parts, mut shown] = parts;
    // Rows have the same numbers without the states that stand for inputs.
    let own = Places::new(mechanism, system, &[]);
    let direct = inputs::direct(mechanism, system, state, &mut base, &own);
    parts.inputs.extend(direct);
    let seen = ramp::of_inputs(system, state, time).value;
    let set = |entry: &&mut Entry| entry.column < mechanism.inputs.len();
    let all = parts.inputs.iter_mut().chain(&mut shown.inputs);
    all.filter(set).for_each(|entry| entry.value *= seen);
    let open = request.open(mechanism);
    let n = places.list.len();
    let inputs = mechanism.inputs.len() + open;
    let matrix = |entries| SparseMatrix::new(n, n, entries);
    let rows = Rows::new(shown, (request.outputs.len() + open, n, inputs));
    let [positions, velocities, accelerations] = parts.motion.map(matrix);
    let tangents = Tangents {
        positions,
        velocities,
        accelerations,
        multipliers: matrix(parts.multipliers),
        states: matrix(parts.states),
        rates: matrix(rates(&places)),
        inputs: SparseMatrix::new(n, inputs, parts.inputs),
        spin: matrix(spin(&wide, &ws, &places)),
        places: places.list.clone(),
    };
    let mut motions = inputs::of_motions(mechanism, system, &base);
    for slope in motions.iter_mut().flatten() {
        *slope *= seen;
    }
    let point = OperatingPoint {
        delays: delays(system, state, &mut base),
        motions,
        system: wide,
        state: wide_state,
        ws,
        places,
    };
    Ok((tangents, rows, point))
}

/// Makes equations for outputs and, if delays are open, for both sides of each delay.
fn outputs_as_equations_too(
    mechanism: &Mechanism,
    request: &Request<'_>,
    (freed, leaves): (&mut Mechanism, &mut Vec<(LeafId, InputId)>),
) {
    if request.open_delays {
        delays_as_states(mechanism, freed, leaves);
    }
    outputs_as_equations(mechanism, request.outputs, freed);
    if request.open_delays {
        delayed_as_equations(mechanism, freed);
    }
}

/// Lengths of delays \[s\].
fn delays(system: &System, state: &State, ws: &mut Workspace) -> Vec<f64> {
    if system.memory.delays.is_empty() {
        return Vec::new();
    }
    // Some are read only by outputs.
    eval::outputs(system, state, ws);
    let numbers = state.span(system.layout.delays);
    let all = system.memory.delays.iter();
    all.map(|entry| {
        let wanted = ws.expressions[entry.delay.index()] * entry.time_unit;
        wanted.max(0.0).min(numbers[entry.first])
    })
    .collect()
}

/// Tangents of outputs in the unknowns, columns as in [`Tangents`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// In poses and modal coordinates.
    pub positions: SparseMatrix,
    /// In velocities.
    pub velocities: SparseMatrix,
    /// In accelerations.
    pub accelerations: SparseMatrix,
    /// In multipliers and implicit variables.
    pub multipliers: SparseMatrix,
    /// In states.
    pub states: SparseMatrix,
    /// In inputs.
    pub inputs: SparseMatrix,
}

impl Rows {
    fn new(parts: Parts, (rows, unknowns, inputs): (usize, usize, usize)) -> Self {
        let matrix = |entries| SparseMatrix::new(rows, unknowns, entries);
        let [positions, velocities, accelerations] = parts.motion.map(matrix);
        Self {
            positions,
            velocities,
            accelerations,
            multipliers: matrix(parts.multipliers),
            states: matrix(parts.states),
            inputs: SparseMatrix::new(rows, inputs, parts.inputs),
        }
    }
}

/// Weights and scaling of one of the three assemblies. The first also gives constraint rows and the columns of
/// multipliers and states.
fn pass(kind: usize, weights: &Weights) -> (Weights, Scaling) {
    let first = f64::from(u8::from(kind == 0));
    let weights = Weights {
        l: first,
        z: first,
        ..*weights
    };
    let scaling = Scaling {
        motion: 1.0,
        constraints: first,
        rates: 0.0,
        states: ROWS,
    };
    (weights, scaling)
}

/// Evaluates kinematics at the state, with inertial forces as the last step left them, and the full share of
/// accelerations in them.
fn kinematics(system: &System, state: &State, ws: &mut Workspace) {
    load_history(system, state, ws);
    let layout = &system.layout;
    let lacks = state.reals[layout.inertia_weight.first] - 1.0;
    for (body, term) in ws.inertia_terms.iter_mut().enumerate() {
        let (a, w_dot) = state.rates(layout.acceleration, body);
        let (force, torque) = match system.bodies[body].flexible {
            Some(_) => (a, w_dot),
            None => residual::inertia(system, state, body).times(&a, &w_dot),
        };
        term.weight = 1.0;
        term.force += force * lacks;
        term.torque += torque * lacks;
    }
    let modal = state.span(modal_part(system, layout.acceleration));
    for (history, a) in ws.flexible.modal_history.iter_mut().zip(modal) {
        *history += a * lacks;
    }
    eval::kinematics_at_state(system, state, ws);
}

/// Copies the state into the layout of a system that has more equations but is otherwise the same.
fn widen(system: &System, state: &State, wide: &mut System) -> State {
    fit(system, wide);
    let mut widened = State::new(&wide.layout);
    let numbers = same_numbers(system, wide);
    copy_state((system, state), (wide, &mut widened), &numbers);
    widened
}

/// Gives the delays of a system with more equations the same room as in the other.
pub(super) fn fit(system: &System, wide: &mut System) {
    let delays = system.memory.delays.iter();
    let capacities: Vec<usize> = delays.map(|delay| delay.capacity).collect();
    wide.layout.delays.len = wide.memory.resize_delays(&capacities);
    wide.layout.len = wide.layout.delays.first + wide.layout.delays.len;
}

/// Index pairs of the numbers of elements that both systems have.
pub(super) fn same_numbers(system: &System, wide: &System) -> Vec<(usize, usize)> {
    let known = |id| system.numbers.iter().position(|own| own == id);
    let all = wide.numbers.iter().enumerate();
    all.filter_map(|(n, id)| Some((known(id)?, n))).collect()
}

/// Copies a state to the layout of a system that has more equations. Data plane.
pub(super) fn copy_state(
    (system, state): (&System, &State),
    (wide, widened): (&System, &mut State),
    numbers: &[(usize, usize)],
) {
    let (from, to) = (&system.layout, &wide.layout);
    widened.counters = state.counters;
    let mut copy = |a: usize, b: usize, len: usize| {
        widened.reals[b..b + len].copy_from_slice(&state.reals[a..a + len]);
    };
    // The spans in between are longer.
    copy(0, 0, from.states.first + from.states.len);
    let (a, b) = (from.state_history, to.state_history);
    copy(a.first, b.first, a.len);
    let (a, b) = (from.angles.first, to.angles.first);
    copy(a, b, from.numbers.first - a);
    let (a, b) = (from.figures.first, to.figures.first);
    copy(a, b, from.len - a);
    for (k, n) in numbers {
        copy(from.numbers.first + k, to.numbers.first + n, 1);
    }
}

/// A workspace of the wide system, with the inputs as the mechanism sees them as states.
fn evaluated(
    wide: &System,
    state: &State,
    base: &Workspace,
    (inputs, mechanism): (&[(LeafId, InputId)], &Mechanism),
) -> Workspace {
    let mut ws = Workspace::new(wide);
    ws.flexible.with_lost_inertia = base.flexible.with_lost_inertia;
    kinematics(wide, state, &mut ws);
    ws.targets.copy_from_slice(&base.targets);
    eval::settings(wide, state, &mut ws, base.time);
    let first = mechanism.equations.len();
    for (k, (leaf, _)) in inputs.iter().enumerate() {
        let leaf = leaf.index();
        ws.leaf_jets[leaf] = base.leaf_jets[leaf];
        ws.leaves[leaf] = base.leaves[leaf];
        ws.states[first + k] = base.leaves[leaf];
    }
    let evaluated = residual::evaluate_again(wide, state, Placed::kept(&mut ws));
    residual::assemble(wide, state, evaluated, 1.0, Level::Position);
    ws
}

/// Entries, sorted by the kind of their column.
#[derive(Default)]
struct Parts {
    /// Columns of poses and modal coordinates: positions, velocities, accelerations.
    motion: [Vec<Entry>; KINDS],
    multipliers: Vec<Entry>,
    states: Vec<Entry>,
    inputs: Vec<Entry>,
}

/// Collects the entries of an assembled matrix; those in the rows of outputs separately.
fn collect(
    kind: usize,
    (system, ws): (&System, &Workspace),
    places: &Places,
    [equations, outputs]: &mut [Parts; 2],
) {
    let pattern = &system.pattern;
    for row_block in pattern.block_ids() {
        for (column_block, slot) in pattern.row(row_block) {
            let tile = ws.matrix.tile(slot);
            for r in 0..pattern.size(row_block) {
                let (parts, row) = match places.targets[row_block.offset() + r] {
                    Some(Target::Unknown(row)) => (&mut *equations, row),
                    Some(Target::Output(row)) => (&mut *outputs, row),
                    _ => continue,
                };
                for c in 0..pattern.size(column_block) {
                    let value = tile[entry(r, c)];
                    let target = places.targets[column_block.offset() + c];
                    if let Some(target) = target.filter(|_| value != 0.0) {
                        parts.put((kind, places), target, (row, value));
                    }
                }
            }
        }
    }
}

impl Parts {
    fn put(
        &mut self,
        (kind, places): (usize, &Places),
        target: Target,
        (row, value): (usize, f64),
    ) {
        let (list, column) = match target {
            // Nothing depends on an output.
            Target::Output(_) => return,
            Target::Input(input) => (&mut self.inputs, input.index()),
            Target::Unknown(k) => {
                let list = match places.list[k].coordinate {
                    Coordinate::Pose { .. } | Coordinate::Modal { .. } => &mut self.motion[kind],
                    Coordinate::Multiplier { .. } | Coordinate::Implicit(_) => {
                        &mut self.multipliers
                    }
                    Coordinate::State(_) => &mut self.states,
                };
                (list, k)
            }
        };
        list.push(Entry { row, column, value });
    }
}

/// ż in the rows of states.
fn rates(places: &Places) -> Vec<Entry> {
    let all = places.list.iter().enumerate();
    let states = all.filter(|(_, place)| matches!(place.coordinate, Coordinate::State(_)));
    let one = |(k, _)| Entry {
        row: k,
        column: k,
        value: 1.0,
    };
    states.map(one).collect()
}

/// W of (TAN-2).
fn spin(system: &System, ws: &Workspace, places: &Places) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (body, entry) in system.bodies.iter().enumerate() {
        let Some(block) = entry.block.filter(|_| entry.dof == TILE) else {
            continue;
        };
        let turning = skew(&ws.bodies[body].omega);
        for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
            let found = [r, c].map(|k| places.at(block, 3 + k));
            if let [Some(row), Some(column)] = found {
                let value = turning[(r, c)];
                entries.push(Entry { row, column, value });
            }
        }
    }
    entries
}
