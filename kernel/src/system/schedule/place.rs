//! Control plane: where gradients are stored, and which unknowns they depend on.

use super::{Graph, Node, Schedule, Source, support};
use crate::linalg::BlockId;
use crate::mechanism::Leaf;
use crate::system::layout::Span;
use alloc::vec::Vec;
use core::ops::Range;

/// Where a node's gradient is stored, and what it depends on.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Blocks of unknowns, sorted.
    pub support: Vec<BlockId>,
    /// Index of its first entry in the arena of rows (scalars) or blocks (wrenches).
    pub first: usize,
    /// Links of the markers that it reads.
    pub ends: Span,
    /// Links of the gradients that it reads.
    pub sums: Span,
    /// Links of its own unknowns.
    pub own: Span,
}

impl Place {
    /// Position of a block in the support. Not needed in a step.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        self.support.binary_search(&block).ok()
    }

    /// Its entries in the arena.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.support.len()
    }
}

/// Sets support and arena place of a node whose children have theirs.
pub(super) fn place(graph: &Graph<'_>, schedule: &mut Schedule, node: Node) {
    let mut support: Vec<BlockId> = Vec::new();
    match node {
        Node::Leaf(k) => {
            let same = match *graph.leaf(k) {
                Leaf::Variable(v) => Some(graph.mechanism.variables[v.index()].expr),
                Leaf::StateRate(e) => Some(graph.derivative(e)),
                _ => None,
            };
            if let Some(expr) = same {
                *schedule.place_mut(node) = schedule.expressions[expr.index()].clone();
                return;
            }
            support::of_leaf(graph, schedule, k, &mut support);
        }
        Node::Expression(e) => {
            for leaf in graph.program(e).leaves() {
                support.extend(schedule.leaves[leaf.index()].support.iter().copied());
            }
        }
        Node::Force(f) => {
            let force = graph.force(f);
            let markers = [Some(force.i), Some(force.j), force.law.axes()];
            let blocks = markers.into_iter().flatten().filter_map(|m| graph.block(m));
            support.extend(blocks.flat_map(|block| graph.kinds(block, 2)));
            support.extend(graph.state_blocks(force));
            if let Some(g) = force.law.group() {
                support.extend(schedule.groups[g].support.iter().copied());
            }
            for term in force.law.terms().iter().flatten() {
                support.extend(
                    schedule.expressions[term.expr.index()]
                        .support
                        .iter()
                        .copied(),
                );
            }
        }
        Node::Group(g) => support::of_group(graph, g, &mut support),
    }
    support.sort_unstable();
    support.dedup();
    let count = support.len();
    let wrench = matches!(node, Node::Force(_) | Node::Group(_));
    let arena = if wrench {
        &mut schedule.blocks
    } else {
        &mut schedule.rows
    };
    let done = Place {
        support,
        first: *arena,
        ..Place::default()
    };
    *arena += count;
    *schedule.place_mut(node) = done;
}

impl Schedule {
    /// The place of a node.
    pub(super) fn place(&self, node: Node) -> &Place {
        match node {
            Node::Leaf(k) => &self.leaves[k.index()],
            Node::Expression(e) => &self.expressions[e.index()],
            Node::Force(f) => &self.forces[f.index()],
            Node::Group(g) => &self.groups[g.index()],
        }
    }

    /// The place of a node, to set it.
    pub(super) fn place_mut(&mut self, node: Node) -> &mut Place {
        match node {
            Node::Leaf(k) => &mut self.leaves[k.index()],
            Node::Expression(e) => &mut self.expressions[e.index()],
            Node::Force(f) => &mut self.forces[f.index()],
            Node::Group(g) => &mut self.groups[g.index()],
        }
    }

    /// The place of a force or constraint group.
    pub(super) fn wrench_place(&self, source: Source) -> &Place {
        self.place(source.into())
    }
}
