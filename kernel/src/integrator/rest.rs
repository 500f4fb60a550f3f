//! Control plane: which unknowns stay at rest whatever happens, so that a step need not solve for them.
//!
//! A mechanism that moves in a plane has as many unknowns as any other, and most of them stay where they are: nothing
//! pushes bodies out of their plane, and the joints that would hold them there bear nothing. In numbers: the
//! residual is exactly zero in the rows of these unknowns, and the matrix is exactly zero wherever they meet
//! the others. Rounding changes neither, since what is added up there is zero term by term.
//!
//! It is found by trial. From the start, all unknowns that are known to move are displaced by chance, with velocities,
//! multipliers, inputs, parameters, held numbers and the time; where the residual is not zero an unknown moves,
//! and so do all that the matrix couples to it. When a number of trials in a row have brought nothing new,
//! the others are said to be at rest. Where elements act only now and then (contacts, tyres), where a motion drives, and in
//! bodies of which nothing has moved yet, no trial is trusted: these unknowns count as moving.
//!
//! A wrong answer is not a wrong number. [`crate::linalg::moving`] makes sure of both zeros in every step, and
//! solves for all unknowns where one of them fails.

use super::{Scheme, Stepper, displace, motions, predict, residuals, scheme, update};
use crate::elements::forces::ForceLaw;
use crate::linalg::{BlockId, Rest, TILE, entry};
use crate::mechanism::SolverSettings;
use crate::state::State;
use crate::system::{Owner, System, eval, jacobian, residual};
use crate::workspace::Workspace;

/// So many trials in a row must bring nothing new.
const QUIET: usize = 8;

/// After so many trials the search is given up.
const MOST: usize = 64;

/// How far unknowns are displaced by one trial after the other: a fraction of the characteristic length, and radians.
/// The first is at the pose of the start. Velocities go with it, by the scheme: what begins at some speed shows as well.
const DISPLACEMENTS: [f64; 5] = [0.0, 1e-3, 1e-4, 1e-2, 1e-1];

/// How far inputs, parameters and held numbers are changed, of their size but at least of one.
const CHANGE: f64 = 0.1;

/// Where to look.
pub struct Search<'a> {
    /// The mechanism.
    pub system: &'a System,
    /// How it is solved.
    pub settings: &'a SolverSettings,
    /// Where it starts.
    pub base: &'a State,
    /// From when to when it is meant to run \[s\].
    pub span: (f64, f64),
    /// A length of its size \[m\].
    pub length: f64,
}

/// Takes the parameters of a state to the numbers of its elements.
pub type Follow<'a> = &'a mut dyn FnMut(&System, &mut Workspace, &mut State);

impl Search<'_> {
    /// What stays at rest; nothing if all moves, or if it cannot be told.
    pub fn find(&self, ws: &Workspace, stepper: &mut Stepper, follow: Follow<'_>) -> Option<Rest> {
        let system = self.system;
        // What was before the start is no trial's to guess.
        let special = [
            system.memory.delays.len(),
            system.flexibles.len(),
            system.generals.len(),
            system.curve_joints.len(),
        ];
        if special != [0; 4] {
            return None;
        }
        let mut ws = ws.clone();
        let mut state = self.base.clone();
        let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
        let mut known = Known::new(system);
        let mut samples = Vec::new();
        for trial in 0..MOST {
            self.change(&mut state, &mut ws, &mut chance, follow);
            let size = DISPLACEMENTS[trial % DISPLACEMENTS.len()];
            let by = (&known, size, &mut chance);
            if !self.evaluate(&state, &mut ws, stepper, by) {
                continue;
            }
            let news = known.learn(system, &ws);
            if known.resting() == 0 {
                return None;
            }
            if news {
                samples.clear();
            }
            samples.push(ws.matrix.clone());
            if samples.len() > QUIET {
                return Some(Rest {
                    unknowns: known.at_rest(system),
                    entries: known.empty,
                    samples,
                });
            }
        }
        None
    }

    /// Another time, other inputs, parameters and held numbers than at the start.
    fn change(
        &self,
        state: &mut State,
        ws: &mut Workspace,
        chance: &mut Chance,
        follow: Follow<'_>,
    ) {
        let (system, layout) = (self.system, &self.system.layout);
        state.copy_from(self.base);
        let (start, end) = self.span;
        state.reals[layout.time.first] = start + (end - start) * (0.5 + 0.5 * chance.next());
        let held = system
            .memory
            .leaves
            .iter()
            .map(|(_, place)| layout.memory.first + place);
        let places = layout
            .inputs
            .range()
            .chain(layout.parameters.range())
            .chain(held);
        for at in places {
            let x = &mut state.reals[at];
            *x += CHANGE * x.abs().max(1.0) * chance.next();
        }
        follow(system, ws, state);
    }

    /// The matrix and the right-hand side at a place by chance; whether they are finite.
    fn evaluate(
        &self,
        state: &State,
        ws: &mut Workspace,
        stepper: &mut Stepper,
        by: (&Known, f64, &mut Chance),
    ) -> bool {
        let system = self.system;
        let h = state.step(&system.layout);
        let next = state.time_after(&system.layout, 1);
        let scheme = scheme(self.settings, h);
        eval::settings(system, state, ws, next);
        predict(system, state, ws, stepper, self.settings, &scheme);
        motions::integrate(system, state, ws, &mut stepper.motions, h);
        eval::targets(system, state, ws, next, |m| stepper.motions[m]);
        displace(system, state, ws, stepper, &scheme);
        self.disperse(ws, &scheme, by);
        update(system, ws, stepper, &scheme);
        displace(system, state, ws, stepper, &scheme);
        residual::evaluate(system, state, ws, next);
        residuals(system, state, ws, stepper, &scheme);
        jacobian::assemble(system, state, ws, &scheme.weights, &scheme.scaling());
        let mut matrix = std::mem::take(&mut ws.matrix);
        jacobian::soften(system, state, ws, &mut matrix);
        ws.matrix = matrix;
        let mut numbers = ws.rhs.iter().chain(ws.matrix.entries());
        numbers.all(|x| x.is_finite())
    }

    /// A correction by chance of all unknowns that are known to move.
    fn disperse(
        &self,
        ws: &mut Workspace,
        scheme: &Scheme,
        (known, size, chance): (&Known, f64, &mut Chance),
    ) {
        ws.rhs.fill(0.0);
        let unknowns = &mut ws.rhs[..self.system.pattern.padded()];
        for (at, x) in unknowns.iter_mut().enumerate() {
            if known.moves(at) {
                *x = chance.next() * size;
            }
        }
        for entry in &self.system.bodies {
            let Some(block) = entry.block else { continue };
            for x in &mut ws.rhs[block.offset()..][..3] {
                *x *= self.length;
            }
        }
        // Multipliers change by about one, if anything does.
        for group in self.system.groups.iter().filter(|_| size > 0.0) {
            for x in &mut ws.rhs[group.block.offset()..][..group.rows.len] {
                *x /= size * scheme.weights.l;
            }
        }
    }
}

/// What is known so far: unknowns in groups that move together, or not.
struct Known {
    /// The next one on the way to what stands for the group.
    towards: Vec<usize>,
    /// Does the group move? Of those that stand for one.
    moves: Vec<bool>,
    /// Places of unknowns: the rest is padding.
    unknowns: Vec<usize>,
    /// Entries of the matrix that have always been zero, of tiles in which there is nothing but inertia and joints.
    empty: Vec<bool>,
}

impl Known {
    /// What moves whatever a trial says.
    fn new(system: &System) -> Self {
        let pattern = &system.pattern;
        let places = |block| {
            let from = BlockId::offset(block);
            from..from + pattern.size(block)
        };
        let mut known = Self {
            towards: (0..pattern.padded()).collect(),
            moves: vec![false; pattern.padded()],
            unknowns: pattern.block_ids().flat_map(places).collect(),
            empty: vec![true; system.matrix().entries().len()],
        };
        let loaded = system
            .force_slots
            .iter()
            .flat_map(|slots| slots.support.iter().flatten().flatten());
        let read = system.equations.iter().flat_map(|entry| &entry.slots);
        for slot in loaded.chain(read) {
            known.empty[slot.index() * TILE * TILE..][..TILE * TILE].fill(false);
        }
        for force in &system.forces {
            if !matches!(force.law, ForceLaw::Contact(_) | ForceLaw::Tyre { .. }) {
                continue;
            }
            for marker in [force.i, force.j] {
                let body = system.owner(system.body_of(marker));
                known.start(system.bodies[body].block.into_iter().flat_map(places));
            }
        }
        for group in &system.groups {
            if !matches!(group.owner, Owner::Joint(_)) {
                known.start(places(group.block));
            }
        }
        for entry in &system.equations {
            known.start(places(entry.block));
        }
        known
    }

    /// These move.
    fn start(&mut self, places: impl Iterator<Item = usize>) {
        for at in places {
            let root = self.root(at);
            self.moves[root] = true;
        }
    }

    fn root(&self, mut at: usize) -> usize {
        while self.towards[at] != at {
            at = self.towards[at];
        }
        at
    }

    fn moves(&self, at: usize) -> bool {
        self.moves[self.root(at)]
    }

    /// How many unknowns do not move.
    fn resting(&self) -> usize {
        let resting = self.unknowns.iter().filter(|at| !self.moves(**at));
        resting.count()
    }

    /// Takes in what a trial shows; whether there was anything new.
    fn learn(&mut self, system: &System, ws: &Workspace) -> bool {
        let before = self.resting();
        let mut joined = false;
        for (empty, x) in self.empty.iter_mut().zip(ws.matrix.entries()) {
            joined |= *empty && *x != 0.0;
            *empty &= *x == 0.0;
        }
        let pattern = &system.pattern;
        for row in pattern.block_ids() {
            for (column, slot) in pattern.row(row) {
                let tile = ws.matrix.tile(slot);
                for i in 0..pattern.size(row) {
                    for j in 0..pattern.size(column) {
                        if tile[entry(i, j)] != 0.0 {
                            joined |= self.join(row.offset() + i, column.offset() + j);
                        }
                    }
                }
            }
        }
        let pushed: Vec<usize> = self
            .unknowns
            .iter()
            .copied()
            .filter(|at| ws.rhs[*at] != 0.0)
            .collect();
        self.start(pushed.into_iter());
        for entry in &system.bodies {
            let Some(block) = entry.block else { continue };
            let places = block.offset()..block.offset() + entry.dof;
            if !places.clone().any(|at| self.moves(at)) {
                self.start(places);
            }
        }
        joined || self.resting() != before
    }

    /// Two unknowns move together; whether that is news.
    fn join(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.root(one), self.root(other));
        // The lower one stands for both: ways stay short enough.
        let (low, high) = (one.min(other), one.max(other));
        self.towards[high] = low;
        self.moves[low] |= self.moves[high];
        low != high
    }

    /// Entries of a padded vector whose unknowns do not move.
    fn at_rest(&self, system: &System) -> Vec<bool> {
        let mut at_rest = vec![false; system.pattern.padded()];
        for &at in &self.unknowns {
            at_rest[at] = !self.moves(at);
        }
        at_rest
    }
}

/// Numbers by chance, always the same (xorshift64*, Vigna 2016).
struct Chance(u64);

impl Chance {
    /// From −1 to 1, and not close to zero.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11;
        let x = bits as f64 / (1_u64 << 52) as f64 - 1.0;
        x + 0.1 * x.signum()
    }
}
