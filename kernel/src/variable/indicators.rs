//! What can change abruptly in a mechanism: branches and bends of expressions, contacts that touch or part, forces that
//! begin, sensors that trigger. Each has a cell, a number that is constant between its events.
//!
//! Branches that jump are held at their cells in the compiled programs, so that an attempted step sees a smooth
//! function; the original programs tell when another cell is entered.

use crate::elements::forces::{ForceLaw, from_onset};
use crate::expr::Program;
use crate::expr::branches::Branch;
use crate::expr::knots::LeafInTime;
use crate::ids::{ExprId, ForceId, LeafId};
use crate::integrator::sensors;
use crate::mechanism::{ContactQuantity, Leaf};
use crate::state::State;
use crate::system::schedule::Node;
use crate::system::{EquationEntry, System, eval};
use crate::workspace::Workspace;
use alloc::vec;
use alloc::vec::Vec;

/// Events of one indicator within this many steps
const WINDOW: u64 = 50;
/// that make it chatter, if it comes back each time,
const MOST_EVENTS: u32 = 20;
/// and if they are nearer to each other than this part of the run.
const NEAR: f64 = 2e-5;
/// Steps at whose ends an indicator has not changed, so that it does not chatter any more.
const QUIET: u32 = 100;

/// An expression with branches.
#[derive(Clone, Debug)]
struct Watched {
    expr: ExprId,
    /// The program as compiled, nothing held.
    program: Program,
    branches: Vec<Branch>,
}

/// What an indicator belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An expression.
    Expression(ExprId),
    /// A force.
    Force(ForceId),
    /// A sensor, by its index.
    Sensor(usize),
}

/// One indicator.
#[derive(Clone, Copy, Debug)]
struct Indicator {
    source: Source,
    /// Does something jump there?
    jumps: bool,
    /// Events since the window began, and the step and the time \[s\] at which it did.
    events: u32,
    since: u64,
    began: f64,
    /// The cell before the last event.
    left: f64,
    /// Steps without a change while it chatters.
    quiet: u32,
    /// Its events follow one another so fast that they are no longer located.
    chatters: bool,
}

/// What the events of an indicator depend on.
pub(super) struct Counts<'a> {
    pub(super) flags: [&'a mut bool; 2],
    pub(super) numbers: [&'a mut u32; 2],
    pub(super) since: &'a mut u64,
    pub(super) times: [&'a mut f64; 2],
}

/// All of them, with the cells in which they are.
#[derive(Clone, Debug)]
pub(super) struct Indicators {
    watched: Vec<Watched>,
    all: Vec<Indicator>,
    /// The cells in which steps are made.
    pub(super) cells: Vec<f64>,
    /// Cells and margins at the last instant that was evaluated.
    pub(super) found: Vec<f64>,
    pub(super) margins: Vec<Option<f64>>,
    /// Does one of them read accelerations or reactions?
    pub(super) read_accelerations: bool,
    registers: Vec<f64>,
}

impl Indicators {
    pub(super) fn new(system: &System) -> Self {
        let mut watched = Vec::new();
        let mut all = Vec::new();
        let mut add = |source, jumps| {
            all.push(Indicator {
                source,
                jumps,
                events: 0,
                since: 0,
                began: f64::NEG_INFINITY,
                left: f64::NAN,
                quiet: 0,
                chatters: false,
            });
        };
        for expr in expressions(system) {
            let program = &system.programs[expr.index()];
            let branches = program.branches();
            for branch in &branches {
                add(Source::Expression(expr), branch.jumps);
            }
            if !branches.is_empty() {
                watched.push(Watched {
                    expr,
                    program: program.clone(),
                    branches,
                });
            }
        }
        for (f, force) in system.forces.iter().enumerate() {
            let begins = matches!(force.law, ForceLaw::Contact(_))
                || matches!(force.law, ForceLaw::Tendon(_)) && !force.later;
            if begins {
                add(Source::Force(ForceId::from(f)), false);
            }
        }
        for k in 0..system.memory.sensors.len() {
            add(Source::Sensor(k), true);
        }
        let registers = watched.iter().map(|w| w.program.registers()).max();
        let sensors = system.memory.sensors.iter().map(|entry| entry.expression);
        Self {
            registers: vec![0.0; registers.unwrap_or(0)],
            cells: vec![0.0; all.len()],
            found: vec![0.0; all.len()],
            margins: vec![None; all.len()],
            read_accelerations: watched.iter().any(|w| reads_balance(system, w.expr))
                || sensors.clone().any(|expr| reads_balance(system, expr)),
            watched,
            all,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What each indicator belongs to.
    pub(super) fn sources(&self) -> impl Iterator<Item = Source> + '_ {
        self.all.iter().map(|indicator| indicator.source)
    }

    /// Are the changes of something no longer located?
    pub(super) fn chatters(&self, source: Source) -> bool {
        let mut all = self.all.iter();
        all.any(|indicator| indicator.chatters && indicator.source == source)
    }

    /// Finds the cells at the state whose forces and expressions the workspace holds.
    pub(super) fn evaluate(&mut self, system: &System, state: &State, ws: &mut Workspace) {
        let mut found = self.found.iter_mut().zip(&mut self.margins);
        let mut put = |(cell, margin): (f64, Option<f64>)| {
            if let Some((to, to_margin)) = found.next() {
                (*to, *to_margin) = (cell, margin);
            }
        };
        for Watched {
            program, branches, ..
        } in &self.watched
        {
            program.value(&ws.leaves, &mut self.registers);
            for branch in branches {
                let cell = program.branch(*branch, &self.registers);
                put((cell, program.margin(*branch, &self.registers)));
            }
        }
        for indicator in &self.all {
            match indicator.source {
                Source::Force(f) => put(force_cell(system, state, ws, f)),
                Source::Sensor(k) => {
                    let entry = &system.memory.sensors[k];
                    eval::nodes(system, state, ws, &entry.nodes);
                    put(sensors::due(system, state, ws, entry));
                }
                Source::Expression(_) => {}
            }
        }
    }

    /// Is another cell entered at the last instant that was evaluated?
    pub(super) fn has_changed(&self) -> bool {
        self.changed().next().is_some()
    }

    /// The indicators in another cell.
    pub(super) fn changed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.all.len()).filter(|k| !self.all[*k].chatters && self.found[*k] != self.cells[*k])
    }

    /// Takes the cells of an event over, in which nothing that a sensor still has to do is known; does anything jump? The
    /// event is at a step and a time \[s\] of a run of this length \[s\].
    pub(super) fn enter(&mut self, cells: &[f64], (step, time, length): (u64, f64, f64)) -> bool {
        let mut jumps = false;
        for (k, indicator) in self.all.iter_mut().enumerate() {
            if cells[k] == self.cells[k] {
                continue;
            }
            let late = time - indicator.began > f64::from(MOST_EVENTS) * NEAR * length;
            if step > indicator.since + WINDOW || late {
                (indicator.since, indicator.began) = (step, time);
                indicator.events = 0;
            }
            // A counter that goes on and on does not chatter.
            indicator.events += u32::from(cells[k] == indicator.left);
            indicator.left = self.cells[k];
            indicator.chatters |= indicator.events > MOST_EVENTS;
            if matches!(indicator.source, Source::Sensor(_)) {
                continue;
            }
            jumps |= indicator.jumps;
            self.cells[k] = cells[k];
        }
        jumps
    }

    /// What jumps and is about to change once more at the same instant chatters: both branches lead to the other one.
    pub(super) fn slide(&mut self, cells: &[f64]) {
        for (k, indicator) in self.all.iter_mut().enumerate() {
            let sensor = matches!(indicator.source, Source::Sensor(_));
            indicator.chatters |= !sensor && indicator.jumps && cells[k] != self.cells[k];
        }
    }

    /// Takes the cells at the end of a step over, of indicators that chatter; is there a change?
    pub(super) fn follow(&mut self) -> bool {
        let mut changed = false;
        for (k, indicator) in self.all.iter_mut().enumerate() {
            if !indicator.chatters {
                continue;
            }
            if self.found[k] == self.cells[k] {
                indicator.quiet += 1;
                if indicator.quiet > QUIET {
                    (indicator.chatters, indicator.events, indicator.quiet) = (false, 0, 0);
                }
            } else {
                self.cells[k] = self.found[k];
                changed |= indicator.jumps;
                indicator.quiet = 0;
            }
        }
        changed
    }

    /// Does something that jumps chatter? A bend does not need short steps.
    pub(super) fn chatter(&self) -> bool {
        let mut all = self.all.iter();
        all.any(|indicator| indicator.chatters && indicator.jumps)
    }

    /// Expressions that chatter and jump.
    pub(super) fn sliding(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.chattering().filter_map(|source| match source {
            Source::Expression(expr) => Some(expr),
            _ => None,
        })
    }

    /// What chatters and jumps.
    pub(super) fn chattering(&self) -> impl Iterator<Item = Source> + '_ {
        let all = self.all.iter();
        let chattering = all.filter(|indicator| indicator.chatters && indicator.jumps);
        chattering.map(|indicator| indicator.source)
    }

    /// Whether each indicator chatters and jumps, and its counts.
    pub(super) fn counts(&mut self) -> impl Iterator<Item = Counts<'_>> {
        self.all.iter_mut().map(|own| Counts {
            flags: [&mut own.chatters, &mut own.jumps],
            numbers: [&mut own.events, &mut own.quiet],
            since: &mut own.since,
            times: [&mut own.began, &mut own.left],
        })
    }

    /// Branches of expressions jump as their indicators say, after these have been restored.
    pub(super) fn follow_flags(&mut self) {
        let mut all = self.all.iter();
        for watched in &mut self.watched {
            for (branch, own) in watched.branches.iter_mut().zip(&mut all) {
                branch.jumps = own.jumps;
            }
        }
    }

    /// Holds the branches that jump at their cells.
    pub(super) fn hold(&self, system: &mut System) {
        let mut cells = self.cells.iter();
        for Watched {
            expr,
            program,
            branches,
        } in &self.watched
        {
            let held: Vec<(Branch, f64)> = branches
                .iter()
                .zip(&mut cells)
                .map(|(branch, cell)| (*branch, *cell))
                .collect();
            system.programs[expr.index()] = if held.iter().any(|(branch, _)| branch.jumps) {
                program.held(&held)
            } else {
                program.clone()
            };
        }
    }

    /// Does not hold branches any more whose functions are not numbers beyond them, such as a root; is there one at the
    /// values of the workspace?
    pub(super) fn release(&mut self, system: &System, ws: &mut Workspace) -> bool {
        let mut any = false;
        let mut first = 0;
        for Watched {
            expr,
            program,
            branches,
        } in &mut self.watched
        {
            let held = &system.programs[expr.index()];
            let values = &mut ws.values;
            let found = held.value(&values.leaves, &mut values.registers);
            let range = first..first + branches.len();
            first = range.end;
            let own = program.value(&values.leaves, &mut self.registers);
            if found.is_nan() && !own.is_nan() {
                for branch in branches.iter_mut() {
                    branch.jumps = false;
                }
                self.all[range].iter_mut().for_each(|one| one.jumps = false);
                any = true;
            }
        }
        any
    }

    /// Registers that the programs with held branches need.
    pub(super) fn registers(&self) -> usize {
        let more = |watched: &Watched| watched.program.registers() + 2 * watched.branches.len();
        self.watched.iter().map(more).max().unwrap_or(0)
    }
}

/// Every indicator's source and its cell at the state whose forces and expressions the workspace holds.
pub fn cells(system: &System, state: &State, ws: &mut Workspace) -> Vec<(Source, f64)> {
    let mut indicators = Indicators::new(system);
    indicators.evaluate(system, state, ws);
    indicators
        .sources()
        .zip(indicators.found.iter().copied())
        .collect()
}

/// The expressions that a step reads, each once.
pub(super) fn expressions(system: &System) -> Vec<ExprId> {
    let nodes = system.schedule.step.iter().filter_map(|node| match node {
        Node::Expression(expr) => Some(*expr),
        _ => None,
    });
    let motions = system.motions.iter().map(|motion| motion.expr);
    let variables = system.motion_variables.iter().map(|(expr, _)| *expr);
    let mut all: Vec<ExprId> = nodes.chain(motions).chain(variables).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The differential equations that read reactions or accelerations. In formulation I3 these do not become accurate with
/// a shorter step, so no step can be chosen by such a state.
pub(super) fn read_reactions(system: &System) -> Vec<bool> {
    let reads = |entry: &EquationEntry| reads_reactions(system, entry.expr());
    system.equations.iter().map(reads).collect()
}

/// Does an expression read reactions or accelerations?
pub(super) fn reads_reactions(system: &System, expr: ExprId) -> bool {
    let place = &system.schedule.expressions[expr.index()];
    let mut groups = system.groups.iter();
    groups.any(|group| place.position(group.block).is_some()) || reads_accelerations(system, expr)
}

/// Does an expression read accelerations, by other expressions too?
pub fn reads_accelerations(system: &System, expr: ExprId) -> bool {
    reads(
        system,
        expr,
        &|leaf| matches!(leaf, Leaf::Kinematic { measure, .. } if measure.order() == 2),
    )
}

/// Does an expression read what only the balance of forces at an instant tells: accelerations, reactions, forces?
pub(super) fn reads_balance(system: &System, expr: ExprId) -> bool {
    reads(system, expr, &|leaf| match leaf {
        Leaf::Kinematic { measure, .. } => measure.order() == 2,
        Leaf::Reaction { .. } | Leaf::Multiplier { .. } | Leaf::Energy { .. } => true,
        _ => false,
    })
}

/// Does an expression read another one, or is it the same?
pub(super) fn reads_expression(system: &System, expr: ExprId, other: ExprId) -> bool {
    let leaves = system.programs[expr.index()].leaves().iter();
    expr == other
        || leaves
            .copied()
            .any(|leaf| match &system.leaves[leaf.index()] {
                Leaf::Variable(v) => reads_expression(system, system.variables[v.index()], other),
                _ => false,
            })
}

/// Does an expression read such a leaf, by other expressions too?
fn reads(system: &System, expr: ExprId, wanted: &dyn Fn(&Leaf) -> bool) -> bool {
    let leaves = system.programs[expr.index()].leaves().iter();
    leaves
        .copied()
        .any(|leaf| match &system.leaves[leaf.index()] {
            Leaf::Variable(v) => reads(system, system.variables[v.index()], wanted),
            Leaf::StateRate(k) => reads(system, system.equations[k.index()].expr(), wanted),
            leaf => wanted(leaf),
        })
}

/// Does a contact press, a force pull?
fn force_cell(
    system: &System,
    state: &State,
    ws: &Workspace,
    force: ForceId,
) -> (f64, Option<f64>) {
    let element = &system.forces[force.index()];
    if let ForceLaw::Contact(_) = element.law {
        let asked = (force, ContactQuantity::Penetration, element.j);
        let pressed = eval::contact_reading(system, state, ws, asked);
        let depth = pressed.map_or(0.0, |reading| reading.value);
        return (f64::from(u8::from(depth > 0.0)), None);
    }
    let context = eval::context(system, state, ws, force.index());
    let from = from_onset(&element.law, &context).unwrap_or(0.0);
    (f64::from(u8::from(from > 0.0)), Some(from))
}

/// The instants of a run \[s\] at which expressions bend or jump by time alone, in ascending order.
pub(super) fn knots(system: &System, state: &State, range: (f64, f64)) -> Vec<f64> {
    let leaf = in_time(system, state);
    let mut found = Vec::new();
    for expr in expressions(system) {
        system.programs[expr.index()].knots(leaf, range, &mut found);
    }
    for entry in &system.memory.sensors {
        for node in &entry.nodes {
            if let Node::Expression(expr) = node {
                system.programs[expr.index()].knots(leaf, range, &mut found);
            }
        }
    }
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

/// What leaves are, for a search of instants.
fn in_time(system: &System, state: &State) -> impl Fn(LeafId) -> LeafInTime + Copy {
    let parameters = state.span(system.layout.parameters);
    move |id: LeafId| match &system.leaves[id.index()] {
        Leaf::Time { scale } => LeafInTime::Time(*scale),
        Leaf::Parameter(k) => LeafInTime::Fixed(parameters[k.index()]),
        _ => LeafInTime::Other,
    }
}

/// How many calls of SIN and COS there are, and the periods \[s\] of those of time alone.
pub(super) fn periods(system: &System, state: &State) -> (usize, Vec<f64>) {
    let leaf = in_time(system, state);
    let (mut count, mut found) = (0, Vec::new());
    for expr in expressions(system) {
        let program = &system.programs[expr.index()];
        count += program.periodic();
        found.extend(program.periods(leaf));
    }
    (count, found)
}
