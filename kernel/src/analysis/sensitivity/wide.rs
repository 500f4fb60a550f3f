//! Data plane, except for building: all analytic derivatives of a step's equations and of outputs in unknowns and
//! inputs.
//!
//! The mechanism is compiled a second time, with each input replaced by a state and an equation for each output. The
//! Newton matrix of this wide system at the scheme's weights contains all derivatives of (SEN-1):
//!
//! ```text
//! [ J  B ]   rows of the step's equations
//! [ C  D ]   rows of outputs                                                (SEN-5)
//! ```

use super::direct::Direct;
use super::point::kinematics;
use crate::analysis::linearization::shown;
use crate::analysis::tangents::{Places, Target, copy_state, fit, same_numbers};
use crate::elements::kinematics::Weights;
use crate::ids::{InputId, LeafId, OutputId};
use crate::integrator::{Scheme, instant};
use crate::linalg::{BlockId, Slot, TILE, TileMatrix, entry};
use crate::math::Vec3;
use crate::mechanism::Mechanism;
use crate::state::{State, vec3};
use crate::system::compile::{Selection, compile, inputs_as_states, outputs_as_equations};
use crate::system::jacobian::Scaling;
use crate::system::layout::BLOCK;
use crate::system::residual;
use crate::system::stage::{Balanced, Placed};
use crate::system::{KIND_WEIGHTS, System, jacobian, ramp};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// An input that the wide system treats as a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    /// The leaf that reads the input.
    pub leaf: LeafId,
    /// Which input.
    pub input: InputId,
    /// The number of its equation.
    pub equation: usize,
}

/// An entry of B, C or D.
#[derive(Clone, Copy, Debug)]
struct Link {
    row: usize,
    column: usize,
    slot: Slot,
    at: usize,
    value: f64,
}

/// An entry of J, copied from tile to tile.
#[derive(Clone, Copy, Debug)]
struct Copied {
    from: (Slot, usize),
    to: (Slot, usize),
}

/// Where the entries of the wide matrix go.
#[derive(Clone, Debug, Default)]
struct Links {
    /// J: whole tiles.
    tiles: Vec<(Slot, Slot)>,
    /// J: single entries.
    entries: Vec<Copied>,
    /// B: rows in the padded vector, columns by inputs.
    by_inputs: Vec<Link>,
    /// C: rows by outputs, columns in the padded vector.
    by_unknowns: Vec<Link>,
    /// D: rows by outputs, columns by inputs.
    straight: Vec<Link>,
}

/// The mechanism with inputs as states and outputs as equations.
#[derive(Clone, Debug)]
pub(super) struct Wide {
    system: System,
    state: State,
    ws: Workspace,
    numbers: Vec<(usize, usize)>,
    freed: Vec<Freed>,
    links: Links,
    /// The row of each output that has one.
    shown: Vec<Option<usize>>,
    rows: usize,
    direct: Direct,
    /// Indices of the outputs with rows in the padded vector.
    places: Vec<usize>,
    /// Padded vectors.
    along: Vec<f64>,
    product: Vec<f64>,
}

impl Wide {
    /// Builds the wide system of a mechanism with the rows that `keep` chooses; `None` if it grows too large. Control
    /// plane.
    pub(super) fn new(mechanism: &Mechanism, keep: &[bool], system: &System) -> Option<Self> {
        let (outputs, _) = shown(mechanism);
        let (mut freed, leaves) = inputs_as_states(mechanism);
        outputs_as_equations(mechanism, &outputs, &mut freed);
        let mut wide = compile(&freed, Selection::Keep(keep)).ok()?;
        fit(system, &mut wide);
        // The wide system evaluates outputs within its step; the accelerations that they read must still be those
        // shown between steps.
        wide.schedule.shows_accelerations = system.schedule.shows_accelerations;
        let places = [
            Places::new(mechanism, &wide, &leaves),
            Places::new(mechanism, system, &[]),
        ];
        let mut own = vec![0; places[1].list.len()];
        for (at, target) in places[1].targets.iter().enumerate() {
            if let Some(Target::Unknown(k)) = target {
                own[*k] = at;
            }
        }
        let to_base = places[0].targets.iter().enumerate();
        let to_base = to_base.filter_map(|(at, target)| match target {
            Some(Target::Unknown(k)) => Some((at, own[*k])),
            _ => None,
        });
        let mut rows_at = vec![0; outputs.len()];
        for (at, target) in places[0].targets.iter().enumerate() {
            if let Some(Target::Output(row)) = target {
                rows_at[*row] = at;
            }
        }
        let direct = Direct::new(mechanism, &wide, (&leaves, system), to_base.collect());
        let mut rows = vec![None; mechanism.outputs.len()];
        for (row, output) in outputs.iter().enumerate() {
            rows[*output] = Some(row);
        }
        let first = mechanism.equations.len();
        let inputs = leaves.iter().enumerate();
        Some(Self {
            state: State::new(&wide.layout),
            ws: Workspace::new(&wide),
            numbers: same_numbers(system, &wide),
            freed: inputs
                .map(|(k, (leaf, input))| Freed {
                    leaf: *leaf,
                    input: *input,
                    equation: first + k,
                })
                .collect(),
            links: Links::new(&wide, (&places[0].targets, &own), system),
            shown: rows,
            rows: outputs.len(),
            direct,
            places: rows_at,
            along: vec![0.0; wide.tiles.padded()],
            product: vec![0.0; wide.tiles.padded()],
            system: wide,
        })
    }

    /// Resizes for the delays of a system. Control plane.
    pub(super) fn fit(&mut self, system: &System) {
        fit(system, &mut self.system);
        self.state = State::new(&self.system.layout);
    }

    /// The row of an output; `None` if it has none.
    pub(super) fn row(&self, output: OutputId) -> Option<usize> {
        self.shown[output.index()]
    }

    /// Outputs with their rows.
    pub(super) fn outputs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = self.shown.iter().enumerate();
        all.filter_map(|(k, row)| Some((k, (*row)?)))
    }

    /// The number of outputs with rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Evaluates all derivatives at an accepted state: J into `matrix`, regularised as for a step; the others into
    /// `self`.
    pub(super) fn evaluate(
        &mut self,
        (system, base): (&System, &State),
        scheme: &Scheme,
        matrix: &mut TileMatrix,
    ) {
        let wide = &self.system;
        copy_state((system, base), (wide, &mut self.state), &self.numbers);
        let time = base.time(&system.layout);
        let (state, ws) = (&mut self.state, &mut self.ws);
        self.direct
            .integrate((system, base), (wide, state, ws), &self.freed);
        let seen = place_inputs(&self.freed, (system, base), (wide, state, ws), time);
        let placed = kinematics(wide, state, ws);
        let evaluated = residual::evaluate(wide, state, placed, time);
        let scales = (scheme.scale, scheme.rate_scale());
        let mut balanced = residual::assemble_step(wide, state, evaluated, scales);
        turn(wide, state, &mut balanced);
        let weights = &scheme.weights;
        jacobian::assemble_softened(wide, state, &mut balanced, weights, &scheme.scaling());
        self.links.take_matrix(&balanced.matrix, matrix);
        take(
            &mut self.links.by_inputs,
            &balanced.matrix,
            seen / weights.z,
        );
        let weight = base.reals[system.layout.inertia_weight.first];
        if wide.schedule.shows_accelerations && weight != 1.0 {
            at_instant((wide, state, ws), scheme, weight);
        }
        let by_rows = 1.0 / scheme.scale;
        take(&mut self.links.by_unknowns, &ws.matrix, by_rows);
        let by_inputs = seen / (weights.z * scheme.scale);
        take(&mut self.links.straight, &ws.matrix, by_inputs);
        self.direct
            .evaluate((wide, state, ws), (scheme.scale, seen));
    }

    /// Allocates the matrices for [`Self::offset_tangents`]. Control plane.
    pub(super) fn matrices(&self) -> [TileMatrix; 2] {
        [self.ws.matrix.clone(), self.ws.matrix.clone()]
    }

    /// The tangents of all rows in velocities and in accelerations, after [`Self::evaluate`]. Outputs must not show
    /// other accelerations than the scheme's.
    pub(super) fn offset_tangents(&mut self, scheme: &Scheme, tangents: &mut [TileMatrix; 2]) {
        let (wide, state, ws) = (&self.system, &self.state, &mut self.ws);
        Balanced::kept(ws).turn_bodies(wide, |_| Vec3::zeros());
        let scaling = Scaling {
            constraints: 0.0,
            ..scheme.scaling()
        };
        for (weights, kept) in KIND_WEIGHTS[1..].iter().zip(tangents) {
            jacobian::assemble(wide, state, &mut Balanced::kept(ws), weights, &scaling);
            core::mem::swap(&mut ws.matrix, kept);
        }
    }

    /// Subtracts the effect of offsets of velocities and accelerations, by bodies, on the equations. Also gives their
    /// effect on the rows of outputs, scaled like equations.
    pub(super) fn by_offsets(
        &mut self,
        state: &State,
        (tangents, offsets): (&[TileMatrix; 2], &[Vec<f64>; 2]),
        rhs: &mut [f64],
        rows: &mut [f64],
    ) {
        let wide = &self.system;
        self.product.fill(0.0);
        for (tangent, offsets) in tangents.iter().zip(offsets) {
            self.along.fill(0.0);
            for (body, entry) in wide.bodies.iter().enumerate() {
                let Some(block) = entry.block else { continue };
                let at = BLOCK * body;
                // Bodies have the same indices in both layouts.
                let turned = state.rotation(&wide.layout, body) * vec3(offsets, at + 3);
                let to = &mut self.along[block.offset()..];
                to[..3].copy_from_slice(&offsets[at..at + 3]);
                if entry.dof == BLOCK {
                    to[3..BLOCK].copy_from_slice(turned.as_slice());
                }
            }
            tangent.add_product(&wide.pattern, 1.0, &self.along, &mut self.product);
        }
        for (from, to) in self.direct.places() {
            rhs[*to] -= self.product[*from];
        }
        for (row, at) in rows.iter_mut().zip(&self.places) {
            *row = self.product[*at];
        }
    }

    /// Subtracts B δs from a right-hand side; δs by inputs.
    pub(super) fn respond(&self, rates: &[f64], rhs: &mut [f64]) {
        for link in &self.links.by_inputs {
            rhs[link.row] -= link.value * rates[link.column];
        }
        for (input, column) in self.direct.columns() {
            for (x, slope) in rhs.iter_mut().zip(column) {
                *x -= slope * rates[input];
            }
        }
    }

    /// C δz + D δs, by output rows.
    pub(super) fn show(&self, solution: &[f64], rates: &[f64], rows: &mut [f64]) {
        rows.fill(0.0);
        for link in &self.links.by_unknowns {
            rows[link.row] += link.value * solution[link.column];
        }
        for link in &self.links.straight {
            rows[link.row] += link.value * rates[link.column];
        }
    }

    /// Adds Cᵀ w, with weights by output rows.
    pub(super) fn add_output_adjoints(&self, weights: &[f64], rhs: &mut [f64]) {
        for link in &self.links.by_unknowns {
            rhs[link.column] += link.value * weights[link.row];
        }
    }

    /// Dᵀ w − Bᵀ μ, by inputs.
    pub(super) fn input_adjoints(&self, weights: &[f64], solution: &[f64], inputs: &mut [f64]) {
        inputs.fill(0.0);
        for link in &self.links.straight {
            inputs[link.column] += link.value * weights[link.row];
        }
        for link in &self.links.by_inputs {
            inputs[link.column] -= link.value * solution[link.row];
        }
        for (input, column) in self.direct.columns() {
            let products = solution.iter().zip(column).map(|(a, b)| a * b);
            inputs[input] -= products.sum::<f64>();
        }
    }
}

/// Writes the inputs as the mechanism sees them at a time \[s\] into the states that stand for them; returns the
/// factor of inputs.
pub(super) fn place_inputs(
    freed: &[Freed],
    (system, base): (&System, &State),
    (wide, state, ws): (&System, &mut State, &mut Workspace),
    time: f64,
) -> f64 {
    let ramp = ramp::of_inputs(system, base, time);
    let since = time - base.time(&system.layout);
    for one in freed {
        let jet = ramp::input(system, base, one.input.index(), (&ramp, since));
        ws.leaf_jets[one.leaf.index()] = jet;
        ws.leaves[one.leaf.index()] = jet.value;
        state.reals[wide.layout.states.first + one.equation] = jet.value;
    }
    ramp.value
}

/// Sets the bodies to the end of the step's rotation.
fn turn(system: &System, state: &State, balanced: &mut Balanced<'_>) {
    balanced.turn_bodies(system, |body| state.rates(system.layout.moved, body).1);
}

/// Evaluates the matrix once more for outputs: with accelerations of the instant, (ALP-4).
#[inline(never)]
fn at_instant(
    (system, state, ws): (&System, &State, &mut Workspace),
    scheme: &Scheme,
    weight: f64,
) {
    instant::enter(system, state, ws);
    residual::evaluate_again(system, state, Placed::kept(ws));
    // The residual, and with it the loads of flexible bodies, is that of the scheme's accelerations.
    let mut balanced = Balanced::kept(ws);
    turn(system, state, &mut balanced);
    let weights = Weights {
        a: scheme.weights.a * weight,
        ..scheme.weights
    };
    jacobian::assemble(system, state, &mut balanced, &weights, &scheme.scaling());
    instant::leave(system, state, ws);
}

/// Takes entries from an assembled matrix, times a factor.
fn take(links: &mut [Link], matrix: &TileMatrix, factor: f64) {
    for link in links {
        link.value = matrix.tile(link.slot)[link.at] * factor;
    }
}

impl Links {
    /// Control plane.
    fn new(wide: &System, (targets, own): (&[Option<Target>], &[usize]), system: &System) -> Self {
        let mut links = Self::default();
        for row in wide.pattern.block_ids() {
            for (column, slot) in wide.pattern.row(row) {
                let mut copied = Vec::new();
                for r in 0..wide.pattern.size(row) {
                    for c in 0..wide.pattern.size(column) {
                        let at = entry(r, c);
                        let ends = [targets[row.offset() + r], targets[column.offset() + c]];
                        links.add((slot, at), ends, own);
                        let [Some(Target::Unknown(i)), Some(Target::Unknown(j))] = ends else {
                            continue;
                        };
                        let (i, j) = (own[i], own[j]);
                        let block = |at: usize| BlockId((at / TILE) as u32);
                        if let Some(to) = system.pattern.slot(block(i), block(j)) {
                            copied.push(Copied {
                                from: (slot, at),
                                to: (to, entry(i % TILE, j % TILE)),
                            });
                        }
                    }
                }
                links.copy(wide.pattern.size(row) * wide.pattern.size(column), copied);
            }
        }
        links
    }

    /// Registers an entry that is not part of J.
    fn add(&mut self, (slot, at): (Slot, usize), ends: [Option<Target>; 2], own: &[usize]) {
        let link = |row, column| Link {
            row,
            column,
            slot,
            at,
            value: 0.0,
        };
        match ends {
            [Some(Target::Unknown(i)), Some(Target::Input(k))] => {
                self.by_inputs.push(link(own[i], k.index()));
            }
            [Some(Target::Output(row)), Some(Target::Unknown(j))] => {
                self.by_unknowns.push(link(row, own[j]));
            }
            [Some(Target::Output(row)), Some(Target::Input(k))] => {
                self.straight.push(link(row, k.index()));
            }
            _ => {}
        }
    }

    /// Registers the entries of J in a tile; the whole tile at once if they go to one tile and keep their positions.
    fn copy(&mut self, all: usize, copied: Vec<Copied>) {
        let Some(first) = copied.first() else { return };
        let to = first.to.0;
        let keeps = |one: &Copied| one.to == (to, one.from.1);
        if copied.len() == all && copied.iter().all(keeps) {
            self.tiles.push((first.from.0, to));
        } else {
            self.entries.extend(copied);
        }
    }

    /// J, extracted from the matrix with inputs and outputs.
    fn take_matrix(&self, from: &TileMatrix, to: &mut TileMatrix) {
        to.clear();
        for (own, other) in &self.tiles {
            *to.tile_mut(*other) = *from.tile(*own);
        }
        for one in &self.entries {
            to.tile_mut(one.to.0)[one.to.1] = from.tile(one.from.0)[one.from.1];
        }
    }
}
