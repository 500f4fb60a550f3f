//! Control plane: the lines of a flexible body, which bend with its modes.

use std::collections::BTreeMap;

use fixstep_kernel::flex::{FlexData, Node};
use fixstep_kernel::math::Vec3;
use fixstep_pictures::motion::Bounds;

/// Pieces of a line between two nodes that turn.
const PIECES: usize = 6;
/// Lines beyond which they are drawn straight, since they are short then.
const MANY: usize = 2000;

/// A body as lines: points, their displacements by modes, and the joined pairs.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    /// Undeformed points \[m\]: the nodes, then points of lines that bend.
    points: Vec<Vec3>,
    /// Number of nodes.
    nodes: usize,
    /// By mode, then point.
    shapes: Vec<Vec<Vec3>>,
    /// Chains of points.
    chains: Vec<Vec<usize>>,
}

impl Wire {
    /// From a body with these modes, from 0.
    pub(crate) fn of(data: &FlexData, modes: &[usize]) -> Self {
        let nodes = &data.nodes;
        let mut wire = Self {
            points: nodes.iter().map(|node| node.position).collect(),
            nodes: nodes.len(),
            shapes: { modes.iter() }
                .map(|mode| nodes.iter().map(|node| node.translation[*mode]).collect())
                .collect(),
            chains: Vec::new(),
        };
        let few = data.lines.len() <= MANY;
        let turning = |node: usize| {
            nodes[node].freedom[3..]
                .iter()
                .all(|takes_part| *takes_part)
        };
        let beam = |line: &&[usize; 2]| few && line.iter().all(|node| turning(*node));
        let (beams, edges): (Vec<_>, Vec<_>) = data.lines.iter().partition(beam);
        for trail in trails(&beams) {
            wire.bend(data, &trail, modes);
        }
        wire.chains.extend(trails(&edges));
        wire
    }

    /// Lines whose ends turn, as the cubics that beams bend to.
    fn bend(&mut self, data: &FlexData, trail: &[usize], modes: &[usize]) {
        let mut chain = vec![trail[0]];
        for pair in trail.windows(2) {
            let (from, to) = (&data.nodes[pair[0]], &data.nodes[pair[1]]);
            let along = to.position - from.position;
            for piece in 1..PIECES {
                let x = piece as f64 / PIECES as f64;
                chain.push(self.points.len());
                self.points.push(from.position + along * x);
                for (shape, &mode) in self.shapes.iter_mut().zip(modes) {
                    shape.push(between(from, to, mode, x));
                }
            }
            chain.push(pair[1]);
        }
        self.chains.push(chain);
    }

    /// Undeformed points \[m\]: the nodes, then points of lines that bend.
    pub(crate) fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// By mode, then point: how it moves.
    pub(crate) fn shapes(&self) -> &[Vec<Vec3>] {
        &self.shapes
    }

    /// Chains of points.
    pub(crate) fn chains(&self) -> &[Vec<usize>] {
        &self.chains
    }

    /// Is a chain a beam, not an edge of a surface?
    pub(crate) fn bends(&self, chain: &[usize]) -> bool {
        chain.iter().any(|point| *point >= self.nodes)
    }

    /// The diagonal of the box about the undeformed points.
    pub(crate) fn size(&self) -> f64 {
        let mut bounds = Bounds::EMPTY;
        self.points.iter().for_each(|point| bounds.add(point));
        let diagonal = (bounds.most - bounds.least).norm();
        if bounds.is_empty() {
            1e-12
        } else {
            diagonal.max(1e-12)
        }
    }
}

/// Displacement of a beam between two nodes, at a part x of it.
fn between(from: &Node, to: &Node, mode: usize, x: f64) -> Vec3 {
    let along = to.position - from.position;
    let (rise, turn) = (x * x * (3.0 - 2.0 * x), x * (1.0 - x));
    let (u, v) = (from.translation[mode], to.translation[mode]);
    let across = |w: Vec3| w - along * (w.dot(&along) / along.norm_squared());
    let slopes = [from, to].map(|node| node.rotation[mode].cross(&along));
    // across the line a cubic, along it a straight line
    let bent = across(u) * (1.0 - rise) + across(v) * rise + slopes[0] * (turn * (1.0 - x))
        - slopes[1] * (turn * x);
    let stretched = (u - across(u)) * (1.0 - x) + (v - across(v)) * x;
    bent + stretched
}

/// Joins lines end to end into as few trails as possible, each line once; trails begin where an odd number of lines
/// meet.
fn trails(lines: &[&[usize; 2]]) -> Vec<Vec<usize>> {
    let mut at: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (k, ends) in lines.iter().enumerate() {
        for end in *ends {
            at.entry(*end).or_default().push(k);
        }
    }
    let odd = at.iter().filter(|(_, lines)| lines.len() % 2 == 1);
    let starts: Vec<usize> = odd.chain(&at).map(|(node, _)| *node).collect();
    let mut drawn = vec![false; lines.len()];
    let mut trails = Vec::new();
    for start in starts {
        let mut trail = vec![start];
        let mut here = start;
        while let Some(&line) = at[&here].iter().find(|line| !drawn[**line]) {
            drawn[line] = true;
            let [a, b] = *lines[line];
            here = if a == here { b } else { a };
            trail.push(here);
        }
        if trail.len() > 1 {
            trails.push(trail);
        }
    }
    trails
}

/// A rod of two nodes that turn, with two modes: bent as a cantilever, and stretched.
#[cfg(test)]
pub(crate) fn rod() -> FlexData {
    use fixstep_kernel::flex::{Invariants, Mode};
    let node = |id: u64, name: &str, x: f64, lift: f64, turn: f64| Node {
        id,
        name: Some(name.to_owned()),
        position: Vec3::new(x, 0.0, 0.0),
        freedom: [true; 6],
        translation: vec![Vec3::new(0.0, 0.0, lift), Vec3::new(0.1 * x, 0.0, 0.0)],
        rotation: vec![Vec3::new(0.0, -turn, 0.0), Vec3::zeros()],
    };
    let mode = |frequency, label: &str| Mode {
        frequency,
        label: label.to_owned(),
    };
    FlexData {
        description: "rod <of> steel".to_owned(),
        sources: Vec::new(),
        modes: vec![
            mode(12.3456, "orthonormal 1"),
            mode(31234.5, "constraint tip x"),
        ],
        invariants: Invariants::zero(2),
        stiffness: vec![1.0, 0.0, 0.0, 1.0],
        nodes: vec![
            node(1, "root", 0.0, 0.0, 0.0),
            node(2, "</script>", 1.0, 1.0, 1.5),
        ],
        lines: vec![[0, 1]],
        faces: Vec::new(),
        preload: None,
        loads: Vec::new(),
        stiffening: None,
        stresses: Vec::new(),
        strains: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_between_turning_nodes_bend_as_beams() {
        let wire = Wire::of(&rod(), &[0, 1]);
        assert_eq!(wire.chains, [[0, 2, 3, 4, 5, 6, 1]]);
        // w = 1.5 x² − 0.5 x³: the cantilever under a force
        for k in 2..7 {
            let x = wire.points[k].x;
            let wanted = 1.5 * x * x - 0.5 * x * x * x;
            assert!((wire.shapes[0][k].z - wanted).abs() < 1e-14, "{x}");
            assert!((wire.shapes[1][k].x - 0.1 * x).abs() < 1e-15);
        }
    }
}
