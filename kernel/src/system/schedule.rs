//! Control plane: finds the order in which leaves, expressions and elements are evaluated, and the unknowns that each
//! of them depends on.
//!
//! Expressions may read forces, and forces may contain expressions: together they form a graph. It is sorted once; a
//! cycle is an error that names its members. Each node gets its support (the sorted list of blocks of unknowns that
//! it depends on), a place for its gradient, and links to the gradients that it reads.

mod links;
mod place;
mod support;

pub use links::{End, Links, Sum};
pub use place::Place;

use crate::elements::forces::ForceElement;
use crate::expr::Program;
use crate::ids::{ConstraintGroupId, EquationId, ExprId, ForceId, LeafId, MarkerId};
use crate::limits::DERIVATIVE_ROWS;
use crate::linalg::{BlockId, TILE};
use crate::mechanism::called;
use crate::mechanism::{Leaf, Mechanism, ReactionSource};
use crate::system::compile::error::{CompileError, Members, UpTo};
use crate::system::condense::KINDS;
use crate::system::{EquationEntry, Group, Owner};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A leaf that must be computed (kinematic, reaction, variable).
    Leaf(LeafId),
    /// An expression.
    Expression(ExprId),
    /// A force element's wrench.
    Force(ForceId),
    /// A constraint group's wrench, if an expression reads it.
    Group(ConstraintGroupId),
}

/// What a wrench comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A force element.
    Force(ForceId),
    /// A constraint group.
    Group(ConstraintGroupId),
}

impl From<Source> for Node {
    fn from(source: Source) -> Self {
        match source {
            Source::Force(force) => Self::Force(force),
            Source::Group(group) => Self::Group(group),
        }
    }
}

/// One part of a reaction leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReactionPart {
    /// Whose wrench it is.
    pub source: Source,
    /// Read on J (referred to J's origin) instead of on I.
    pub on_j: bool,
}

/// Order of evaluation, and places of gradients.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Nodes that the forces need, in order of evaluation, including the forces.
    pub step: Vec<Node>,
    /// Further nodes that the outputs need.
    pub output: Vec<Node>,
    /// Leaves that depend only on time, inputs and parameters.
    pub set_leaves: Vec<LeafId>,
    /// Per leaf.
    pub leaves: Vec<Place>,
    /// Per leaf: the parts of a reaction.
    pub reactions: Vec<Vec<ReactionPart>>,
    /// Per expression.
    pub expressions: Vec<Place>,
    /// Per force.
    pub forces: Vec<Place>,
    /// Per group; the support is empty if nothing reads it.
    pub groups: Vec<Place>,
    /// Where a step adds the gradients that nodes read.
    pub links: Links,
    /// Index of the first derivative of each marker, and the end: one for a marker on a rigid body, three on a node
    /// frame, none if a step needs none.
    pub marker_slopes: Vec<usize>,
    /// Does anything in a step read accelerations of markers?
    pub accelerations: bool,
    /// Does an output or an element with a memory read them?
    pub shows_accelerations: bool,
    /// Size of the arena of rows.
    pub rows: usize,
    /// Size of the arena of blocks.
    pub blocks: usize,
}

/// What the schedule is built from.
pub struct Graph<'a> {
    /// The model.
    pub mechanism: &'a Mechanism,
    /// Compiled forces.
    pub forces: &'a [ForceElement],
    /// Constraint groups.
    pub groups: &'a [Group],
    /// States and implicit variables.
    pub equations: &'a [EquationEntry],
    /// Block of the body or frame of each marker.
    pub marker_blocks: &'a [Option<BlockId>],
    /// The first block of a node frame.
    pub first_frame: u32,
}

impl Graph<'_> {
    fn block(&self, marker: MarkerId) -> Option<BlockId> {
        self.marker_blocks[marker.index()]
    }

    /// The blocks of the bodies of some markers; for node frames also those of velocities and accelerations.
    fn blocks<const N: usize>(&self, markers: [MarkerId; N]) -> impl Iterator<Item = BlockId> {
        let blocks = markers.into_iter().filter_map(|m| self.block(m));
        blocks.flat_map(|block| self.kinds(block, KINDS as u32))
    }

    /// A block, and if it belongs to a node frame the ones that follow it.
    fn kinds(&self, block: BlockId, kinds: u32) -> impl Iterator<Item = BlockId> + use<> {
        let kinds = if block.0 < self.first_frame { 1 } else { kinds };
        (block.0..block.0 + kinds).map(BlockId)
    }

    /// The markers I and J of a force or group.
    fn ends(&self, source: Source) -> [MarkerId; 2] {
        match source {
            Source::Group(g) => [self.group(g).i, self.group(g).j],
            Source::Force(f) => [self.force(f).i, self.force(f).j],
        }
    }

    fn force(&self, force: ForceId) -> &ForceElement {
        &self.forces[force.index()]
    }

    fn group(&self, group: ConstraintGroupId) -> &Group {
        &self.groups[group.index()]
    }

    fn leaf(&self, leaf: LeafId) -> &Leaf {
        &self.mechanism.leaves[leaf.index()]
    }

    /// The expression of an equation.
    fn derivative(&self, equation: EquationId) -> ExprId {
        self.equations[equation.index()].expr()
    }

    /// The blocks of the states that a force reads.
    fn state_blocks(&self, force: &ForceElement) -> impl Iterator<Item = BlockId> {
        let states = force.law.states().into_iter().flatten();
        states.map(|k| self.equations[k].block)
    }

    fn program(&self, expr: ExprId) -> &Program {
        &self.mechanism.expressions[expr.index()]
    }

    /// The parts that a reaction leaf reads.
    fn reaction_parts(&self, source: &ReactionSource) -> Vec<ReactionPart> {
        let groups = |owner: Owner, on_j: bool| {
            let of = move |(g, group): (usize, &Group)| {
                (group.owner == owner).then_some(ReactionPart {
                    source: Source::Group(g.into()),
                    on_j,
                })
            };
            self.groups
                .iter()
                .enumerate()
                .filter_map(of)
                .collect::<Vec<_>>()
        };
        match *source {
            ReactionSource::Joint(joint, on_j) => groups(Owner::Joint(joint), on_j),
            ReactionSource::Motion(motion, on_j) => groups(Owner::Motion(motion), on_j),
            ReactionSource::Force(force, on_j) => {
                let element = self.force(force);
                if on_j && !element.reacts {
                    return Vec::new();
                }
                vec![ReactionPart {
                    source: Source::Force(force),
                    on_j,
                }]
            }
            ReactionSource::Coupler {
                coupler,
                joint,
                on_j,
            } => {
                let joint = &self.mechanism.joints[joint.index()];
                let mut parts = groups(Owner::Coupler(coupler), on_j);
                parts.retain(|part| self.ends(part.source) == [joint.i, joint.j]);
                parts
            }
            ReactionSource::General(constraint, marker) => {
                let mut parts = groups(Owner::General(constraint), false);
                parts.retain(|part| self.ends(part.source)[0] == marker);
                parts
            }
            ReactionSource::Between(a, b) => self.between(a, b),
            ReactionSource::On(marker) => self
                .forces
                .iter()
                .enumerate()
                .filter(|(_, f)| !f.reacts && f.i == marker)
                .map(|(k, _)| ReactionPart {
                    source: Source::Force(k.into()),
                    on_j: false,
                })
                .collect(),
        }
    }

    /// The parts whose powers a leaf adds: those of its reaction, with all forces of an element.
    fn power_parts(&self, source: &ReactionSource) -> Vec<ReactionPart> {
        let mut parts = self.reaction_parts(source);
        if let ReactionSource::Force(force, _) = source {
            let others = self.forces[force.index()].others.clone();
            parts.extend(others.map(|k| ReactionPart {
                source: Source::Force(k.into()),
                on_j: false,
            }));
        }
        parts
    }

    fn between(&self, a: MarkerId, b: MarkerId) -> Vec<ReactionPart> {
        let forces = self.forces.iter().enumerate().filter(|(_, f)| f.reacts);
        let forces = forces.map(|(k, f)| (Source::Force(k.into()), f.i, f.j));
        // A leg of a general constraint is no load between two markers.
        let initial = |g: &Group| matches!(g.owner, Owner::Initial(_) | Owner::General(_));
        let groups = self.groups.iter().enumerate().filter(|(_, g)| !initial(g));
        let groups = groups.map(|(k, g)| (Source::Group(k.into()), g.i, g.j));
        groups
            .chain(forces)
            .filter(|(_, i, j)| (*i, *j) == (a, b) || (*i, *j) == (b, a))
            .map(|(source, i, _)| ReactionPart {
                source,
                on_j: i != a,
            })
            .collect()
    }

    fn children(&self, node: Node) -> Vec<Node> {
        match node {
            Node::Leaf(k) => match self.leaf(k) {
                Leaf::Variable(v) => {
                    vec![Node::Expression(self.mechanism.variables[v.index()].expr)]
                }
                Leaf::StateRate(k) => vec![Node::Expression(self.derivative(*k))],
                Leaf::Delay(k) => {
                    let delay = &self.mechanism.memory.delays[k.index()];
                    let read = [delay.value, delay.delay];
                    read.map(Node::Expression).to_vec()
                }
                Leaf::Tyre { force, .. } => vec![Node::Force(*force)],
                Leaf::Reaction { source, .. } => {
                    let parts = self.reaction_parts(source);
                    parts.iter().map(|part| part.source.into()).collect()
                }
                _ => Vec::new(),
            },
            Node::Expression(e) => self
                .program(e)
                .leaves()
                .iter()
                .map(|leaf| Node::Leaf(*leaf))
                .collect(),
            Node::Force(f) => {
                let law = &self.force(f).law;
                let terms = law.terms().into_iter().flatten();
                let terms = terms.map(|t| Node::Expression(t.expr));
                let group = law.group().map(|g| Node::Group(g.into()));
                terms.chain(group).collect()
            }
            Node::Group(_) => Vec::new(),
        }
    }

    fn name(&self, node: Node) -> Option<String> {
        match node {
            Node::Force(f) => {
                let force = &self.mechanism.forces[f.index()];
                Some(format!("force {}", called(&force.name)))
            }
            Node::Leaf(k) => match self.leaf(k) {
                Leaf::Variable(v) => {
                    let variable = &self.mechanism.variables[v.index()];
                    Some(format!("variable {}", called(&variable.quantity.name)))
                }
                Leaf::StateRate(e) => {
                    let name = &self.equations[e.index()].name;
                    Some(format!("the rate of {name}"))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Depth-first order with an explicit stack; a cycle is an error naming its members.
    fn visit(
        &self,
        root: Node,
        marks: &mut Marks,
        order: &mut Vec<Node>,
    ) -> Result<(), CompileError> {
        let mut stack = vec![(root, self.children(root), 0)];
        if !marks.enter(root) {
            return Ok(());
        }
        while let Some((node, children, next)) = stack.last_mut() {
            if let Some(child) = children.get(*next).copied() {
                *next += 1;
                if marks.open.contains(&child) {
                    let names: Vec<String> = stack
                        .iter()
                        .skip_while(|(n, _, _)| *n != child)
                        .filter_map(|(n, _, _)| self.name(*n))
                        .collect();
                    return Err(CompileError::Cycle(Members(names)));
                }
                if marks.enter(child) {
                    let grand = self.children(child);
                    stack.push((child, grand, 0));
                }
            } else {
                marks.open.remove(node);
                order.push(*node);
                stack.pop();
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Marks {
    seen: alloc::collections::BTreeSet<Node>,
    open: alloc::collections::BTreeSet<Node>,
}

impl Marks {
    fn enter(&mut self, node: Node) -> bool {
        if self.seen.insert(node) {
            self.open.insert(node);
            true
        } else {
            false
        }
    }
}

/// Expressions that are evaluated at accepted steps, and the list that receives the nodes they need.
pub type List<'a> = (Vec<ExprId>, &'a mut Vec<Node>);

/// Leaves that depend only on time, inputs and parameters.
fn set_leaves(leaves: &[Leaf]) -> Vec<LeafId> {
    let is_set = |leaf: &Leaf| {
        matches!(
            leaf,
            Leaf::Time { .. } | Leaf::Input(_) | Leaf::Parameter(_)
        )
    };
    let places = leaves.iter().enumerate().filter(|(_, leaf)| is_set(leaf));
    places.map(|(k, _)| k.into()).collect()
}

/// Sorts the graph and gives every node its place.
pub fn build(graph: &Graph<'_>, lists: Vec<List<'_>>) -> Result<Schedule, CompileError> {
    let mechanism = graph.mechanism;
    let mut schedule = Schedule {
        set_leaves: set_leaves(&mechanism.leaves),
        leaves: vec![Place::default(); mechanism.leaves.len()],
        reactions: vec![Vec::new(); mechanism.leaves.len()],
        expressions: vec![Place::default(); mechanism.expressions.len()],
        forces: vec![Place::default(); graph.forces.len()],
        groups: vec![Place::default(); graph.groups.len()],
        ..Schedule::default()
    };
    let mut marks = Marks::default();
    for force in 0..graph.forces.len() {
        graph.visit(Node::Force(force.into()), &mut marks, &mut schedule.step)?;
    }
    for function in mechanism.gravity.functions.iter().flatten() {
        let root = Node::Expression(function.expr);
        graph.visit(root, &mut marks, &mut schedule.step)?;
    }
    for equation in graph.equations {
        let root = Node::Expression(equation.expr());
        graph.visit(root, &mut marks, &mut schedule.step)?;
    }
    for output in &mechanism.outputs {
        let root = Node::Expression(output.expr);
        graph.visit(root, &mut marks, &mut schedule.output)?;
    }
    let all: Vec<Node> = schedule
        .step
        .iter()
        .chain(&schedule.output)
        .copied()
        .collect();
    for node in all {
        place::place(graph, &mut schedule, node);
        let rows = schedule.rows.saturating_add(TILE * schedule.blocks);
        if rows > DERIVATIVE_ROWS {
            let at = UpTo(graph.name(node));
            return Err(CompileError::Rows { at });
        }
    }
    schedule.marker_slopes = support::marker_slopes(graph, &schedule);
    links::find(graph, &mut schedule)?;
    schedule.accelerations = support::accelerations(graph, &schedule);
    schedule.shows_accelerations = support::accelerate(graph, &schedule.output);
    for (exprs, nodes) in lists {
        *nodes = needed(graph, &mut schedule, &exprs)?;
        schedule.shows_accelerations |= support::accelerate(graph, nodes);
    }
    Ok(schedule)
}

/// The nodes that some expressions need, in order of evaluation, including themselves.
fn needed(
    graph: &Graph<'_>,
    schedule: &mut Schedule,
    exprs: &[ExprId],
) -> Result<Vec<Node>, CompileError> {
    let mut marks = Marks::default();
    let mut order = Vec::new();
    for expr in exprs {
        graph.visit(Node::Expression(*expr), &mut marks, &mut order)?;
    }
    for node in &order {
        // Reactions need their parts; gradients are not needed.
        if let Node::Leaf(k) = *node
            && let Leaf::Reaction { source, .. } = graph.leaf(k)
        {
            schedule.reactions[k.index()] = graph.reaction_parts(source);
        }
    }
    Ok(order)
}
