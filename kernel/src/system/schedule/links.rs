//! Control plane: the links of the gradient sweep: which gradients a step adds to that of each node, and where. They
//! are found once.
//!
//! | node | `of` of ends | `of` of sums | its own unknowns |
//! |---|---|---|---|
//! | expression | | its leaf | |
//! | force | I, J, axes | its term; 0 of the group that it reads | its states |
//! | group | I, J, then the legs of a general constraint | | its multipliers |
//! | measure | I, J, axes, frame | | |
//! | contact | I, J, axes | | |
//! | arc, tyre, bristle's rate | I, J | | the states that it reads |
//! | delay | | value, delay | |
//! | reaction | axes, then I and J of each part that is read on J | its part | |

use super::{Graph, Node, Place, Schedule, Source};
use crate::elements::forces::ForceLaw;
use crate::elements::kinematics::Weights;
use crate::ids::{ConstraintGroupId, ExprId, ForceId, LeafId, MarkerId};
use crate::limits::DERIVATIVE_SUMS;
use crate::linalg::BlockId;
use crate::mechanism::Leaf;
use crate::system::compile::error::CompileError;
use crate::system::condense::KINDS;
use crate::system::layout::Span;
use crate::system::{KIND_WEIGHTS, Owner};
use alloc::vec::Vec;

/// All additions of a step, node by node in their order. Indices are those in the arenas of rows and blocks.
#[derive(Clone, Debug, Default)]
pub struct Links {
    ends: Vec<End>,
    sums: Vec<Sum>,
}

/// A marker that a node reads, with unknowns that move it.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Index to which it is added.
    pub to: u32,
    /// Index of the marker's derivatives.
    pub slopes: u32,
    /// Which marker of the node.
    pub of: u32,
    /// Pose, velocity or acceleration of a node frame; [`KINDS`] for all of a rigid body's.
    kind: u32,
}

/// A gradient that a node reads, within one block of unknowns.
#[derive(Clone, Copy, Debug)]
pub struct Sum {
    /// Index to which it is added.
    pub to: u32,
    /// Index of the source; for the node's own unknowns, their equation.
    pub from: u32,
    /// Which gradient of the node.
    pub of: u32,
}

impl End {
    /// The weights of its unknowns.
    #[inline]
    pub fn weights<'a>(&self, own: &'a Weights) -> &'a Weights {
        KIND_WEIGHTS.get(self.kind as usize).unwrap_or(own)
    }
}

impl Links {
    /// The links of a node's markers.
    pub fn ends(&self, place: &Place) -> &[End] {
        &self.ends[place.ends.range()]
    }

    /// The links of the gradients that a node reads.
    pub fn sums(&self, place: &Place) -> &[Sum] {
        &self.sums[place.sums.range()]
    }

    /// The links of a node's own unknowns.
    pub fn own(&self, place: &Place) -> &[Sum] {
        &self.sums[place.own.range()]
    }
}

/// Finds the links of all nodes of a step. Places of nodes and indices of marker derivatives must be known.
pub(super) fn find(graph: &Graph<'_>, schedule: &mut Schedule) -> Result<(), CompileError> {
    let mut links = Links::default();
    for k in 0..schedule.step.len() {
        let node = schedule.step[k];
        let begin = (links.ends.len(), links.sums.len());
        let mut finder = Finder {
            graph,
            schedule,
            place: schedule.place(node),
            links,
        };
        match node {
            Node::Leaf(k) => finder.leaf(k),
            Node::Expression(e) => finder.expression(e),
            Node::Force(f) => finder.force(f),
            Node::Group(g) => finder.group(g),
        }
        let middle = finder.links.sums.len();
        finder.own(node);
        links = finder.links;
        let end = (links.ends.len(), links.sums.len());
        if end.0 + end.1 > DERIVATIVE_SUMS {
            return Err(CompileError::Sums);
        }
        let span = |first: usize, end: usize| Span {
            first,
            len: end - first,
        };
        let place = schedule.place_mut(node);
        place.ends = span(begin.0, end.0);
        place.sums = span(begin.1, middle);
        place.own = span(middle, end.1);
    }
    schedule.links = links;
    Ok(())
}

/// Finds the links of one node.
struct Finder<'a> {
    graph: &'a Graph<'a>,
    schedule: &'a Schedule,
    place: &'a Place,
    links: Links,
}

impl Finder<'_> {
    /// Index of a block in the node's gradient.
    fn at(&self, block: BlockId) -> Option<u32> {
        let at = self.place.position(block)?;
        Some((self.place.first + at) as u32)
    }

    /// Links markers of the node, counted from `first`.
    fn ends(&mut self, first: usize, markers: &[MarkerId]) {
        for (of, marker) in (first..).zip(markers) {
            let Some(block) = self.graph.block(*marker) else {
                continue;
            };
            let rigid = block.0 < self.graph.first_frame;
            for (n, block) in self.graph.kinds(block, KINDS as u32).enumerate() {
                if let Some(to) = self.at(block) {
                    self.links.ends.push(End {
                        to,
                        slopes: (self.schedule.marker_slopes[marker.index()] + n) as u32,
                        of: of as u32,
                        kind: (if rigid { KINDS } else { n }) as u32,
                    });
                }
            }
        }
    }

    /// Links the gradient of another node.
    fn gradient(&mut self, of: usize, source: &Place) {
        for (from, block) in source.range().zip(&source.support) {
            self.sum(of, from, *block);
        }
    }

    fn sum(&mut self, of: usize, from: usize, block: BlockId) {
        if let Some(to) = self.at(block) {
            self.links.sums.push(Sum {
                to,
                from: from as u32,
                of: of as u32,
            });
        }
    }

    fn leaf(&mut self, k: LeafId) {
        let (graph, schedule) = (self.graph, self.schedule);
        let ends = |force: ForceId| graph.ends(Source::Force(force));
        match graph.leaf(k) {
            Leaf::Delay(k) => {
                let delay = &graph.mechanism.memory.delays[k.index()];
                for (of, expr) in [delay.value, delay.delay].into_iter().enumerate() {
                    self.gradient(of, &schedule.expressions[expr.index()]);
                }
            }
            Leaf::Tyre { force, .. } => self.ends(0, &ends(*force)),
            Leaf::BristleRate { friction, .. } => self.ends(0, &ends(*friction)),
            Leaf::Arc { joint, .. } => {
                let joint = &graph.mechanism.joints[joint.index()];
                self.ends(0, &[joint.i, joint.j]);
            }
            Leaf::Kinematic {
                i, j, axes, frame, ..
            } => self.ends(0, &[*i, *j, *axes, *frame]),
            Leaf::Contact { force, axes, .. } => {
                self.ends(0, &ends(*force));
                self.ends(2, &[*axes]);
            }
            Leaf::Reaction { axes, .. } => {
                self.ends(0, &[*axes]);
                for (of, part) in schedule.reactions[k.index()].iter().enumerate() {
                    self.gradient(of, schedule.wrench_place(part.source));
                    if part.on_j {
                        self.ends(1 + 2 * of, &graph.ends(part.source));
                    }
                }
            }
            _ => {}
        }
    }

    fn expression(&mut self, e: ExprId) {
        for (of, leaf) in self.graph.program(e).leaves().iter().enumerate() {
            self.gradient(of, &self.schedule.leaves[leaf.index()]);
        }
    }

    fn force(&mut self, f: ForceId) {
        let force = self.graph.force(f);
        self.ends(0, &[force.i, force.j]);
        self.ends(2, force.law.axes().as_slice());
        if let Some(g) = force.law.group() {
            self.gradient(0, &self.schedule.groups[g]);
        }
        for (of, term) in force.law.terms().into_iter().enumerate() {
            if let Some(term) = term {
                self.gradient(of, &self.schedule.expressions[term.expr.index()]);
            }
        }
    }

    fn group(&mut self, g: ConstraintGroupId) {
        let group = self.graph.group(g);
        self.ends(0, &[group.i, group.j]);
        if let Owner::General(constraint) = group.owner {
            let general = &self.graph.mechanism.general_constraints[constraint.index()];
            self.ends(2, &general.markers);
        }
    }

    /// Links the unknowns that the node itself reads.
    fn own(&mut self, node: Node) {
        let states = |force: ForceId| self.graph.force(force).law.states();
        let states = match node {
            Node::Force(f) => states(f),
            Node::Group(g) => return self.sum(0, 0, self.graph.group(g).block),
            Node::Expression(_) => return,
            Node::Leaf(k) => match self.graph.leaf(k) {
                Leaf::Tyre { force, .. } => states(*force),
                Leaf::BristleRate {
                    friction,
                    component,
                    ..
                } => match &self.graph.force(*friction).law {
                    ForceLaw::JointFriction(law) => [law.bristles().nth(*component), None, None],
                    _ => return,
                },
                _ => return,
            },
        };
        for (of, k) in states.into_iter().enumerate() {
            if let Some(k) = k {
                self.sum(of, k, self.graph.equations[k].block);
            }
        }
    }
}
