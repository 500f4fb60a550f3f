//! Control plane: pictures of the mode shapes of a flexible body: a sheet as SVG or PNG.
//!
//! Reading order: [`Wire`] (the drawn lines of a body), `sheet` (the layout of panels, lines and letters), `svg` and
//! `png` (the two files).

mod png;
mod sheet;
mod svg;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use fixstep_kernel::flex::{FlexData, Node};
use fixstep_kernel::math::Vec3;

use crate::projection::extent;
use crate::slave::Failure;

/// Colours from no displacement to the largest: blue, green, amber, red.
const COLORS: [[f64; 3]; 5] = [
    [44.0, 95.0, 168.0],
    [34.0, 150.0, 170.0],
    [90.0, 170.0, 80.0],
    [232.0, 160.0, 40.0],
    [205.0, 45.0, 45.0],
];
/// Pieces of a line between two nodes that turn.
const PIECES: usize = 6;
/// Displacements below this fraction of rotation times size are rounding errors.
const TURNS: f64 = 1e-4;
/// Lines beyond which they are drawn straight, since they are short then.
const MANY: usize = 2000;

/// A body as lines: points, their displacements by modes, and the joined pairs.
#[derive(Clone, Debug)]
pub struct Wire {
    /// Name of the body.
    title: String,
    /// Undeformed points \[m\]: the nodes, then points of lines that bend.
    points: Vec<Vec3>,
    /// Number of nodes.
    nodes: usize,
    /// By mode, then point.
    shapes: Vec<Vec<Vec3>>,
    /// Chains of points.
    chains: Vec<Vec<usize>>,
    /// Points with names.
    named: Vec<(usize, String)>,
    /// Largest displacement of each mode.
    largest: Vec<f64>,
    /// Frequency \[Hz\] and kind of each mode.
    modes: Vec<(f64, String)>,
}

impl Wire {
    /// From a body; `modes`, counted from 1, in their order, or all.
    pub fn of(data: &FlexData, modes: &[usize]) -> Result<Self, Failure> {
        let count = data.modes.len();
        if let Some(wrong) = modes.iter().find(|mode| **mode == 0 || **mode > count) {
            return Err(Failure(format!("mode {wrong}: valid are 1 to {count}")));
        }
        let chosen: Vec<usize> = if modes.is_empty() {
            (0..count).collect()
        } else {
            modes.iter().map(|mode| mode - 1).collect()
        };
        let nodes = &data.nodes;
        let mut wire = Self {
            title: data.description.clone(),
            points: nodes.iter().map(|node| node.position).collect(),
            nodes: nodes.len(),
            shapes: chosen
                .iter()
                .map(|mode| nodes.iter().map(|node| node.translation[*mode]).collect())
                .collect(),
            chains: Vec::new(),
            named: Vec::new(),
            largest: Vec::new(),
            modes: chosen
                .iter()
                .map(|mode| (data.modes[*mode].frequency, data.modes[*mode].label.clone()))
                .collect(),
        };
        for (at, node) in nodes.iter().enumerate() {
            if let Some(name) = &node.name {
                wire.named.push((at, name.clone()));
            }
        }
        let few = data.lines.len() <= MANY;
        let turning = |node: usize| {
            nodes[node].freedom[3..]
                .iter()
                .all(|takes_part| *takes_part)
        };
        let beam = |line: &&[usize; 2]| few && line.iter().all(|node| turning(*node));
        let (beams, edges): (Vec<_>, Vec<_>) = data.lines.iter().partition(beam);
        for trail in trails(&beams) {
            wire.bend(data, &trail, &chosen);
        }
        wire.chains.extend(trails(&edges));
        for (shape, &mode) in wire.shapes.iter().zip(&chosen) {
            let turns = nodes.iter().map(|node| node.rotation[mode].norm());
            // Parts that only turn, such as shafts, have displacements that are rounding errors.
            let least = TURNS * wire.size() * turns.fold(0.0, f64::max);
            let moves = shape.iter().map(Vec3::norm).fold(0.0, f64::max);
            wire.largest.push(moves.max(least).max(f64::MIN_POSITIVE));
        }
        Ok(wire)
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
        let diagonal = extent(self.points.iter().copied()).norm();
        diagonal.max(1e-12)
    }

    /// All modes on one sheet, as SVG text.
    pub fn svg(&self) -> String {
        svg::write(&sheet::Sheet::of(self))
    }

    /// All modes on one sheet, as the bytes of a PNG.
    pub fn png(&self) -> Result<Vec<u8>, Failure> {
        png::write(&sheet::Sheet::of(self))
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

/// A colour of the scale, at 0 to 1.
fn color(share: f64) -> [u8; 3] {
    let last = COLORS.len() - 1;
    let at = share.clamp(0.0, 1.0) * last as f64;
    let k = (at as usize).min(last - 1);
    let x = at - k as f64;
    std::array::from_fn(|c| (COLORS[k][c] * (1.0 - x) + COLORS[k + 1][c] * x).round() as u8)
}

/// Frequency with enough digits to distinguish modes.
pub fn hertz(frequency: f64) -> String {
    match frequency {
        f if f >= 1e5 => format!("{:.1} kHz", f / 1e3),
        f if f >= 1e4 => format!("{:.2} kHz", f / 1e3),
        f if f >= 100.0 => format!("{f:.1} Hz"),
        f if f >= 1.0 => format!("{f:.2} Hz"),
        f => format!("{f:.4} Hz"),
    }
}
