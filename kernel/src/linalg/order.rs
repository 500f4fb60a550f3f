//! Finds the elimination order: greedy over blocks, with a numerical check of each pivot tile (control plane).
//!
//! A purely structural order can become singular: if two joints constrain a link by more rows than it has degrees of
//! freedom, the second joint's tile vanishes once link and first joint are eliminated. So candidates are eliminated
//! numerically, on all samples, and a block is taken only while its tile is admissible on each of them. Blocks that
//! never become admissible form the trailing set.

#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

use super::kernels::{
    BlockScale, Column, invert, larger, product, raise_history, subtract_product,
};
use super::lanes::Plain;
use super::matrix::TileMatrix;
use super::pattern::{BlockId, Pattern};
use super::scaling::scaled_tile;
use super::{TILE, Tile, entry};

/// What the greedy choice minimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// Coupled blocks at the time of elimination.
    Degree,
    /// New tiles that the elimination creates.
    Fill,
}

/// One way to order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strategy {
    pub(super) cost: Cost,
    /// Largest admissible growth (see [`invert`]).
    pub(super) growth: f64,
    /// Growth up to which the least bad block is taken if none is admissible.
    pub(super) relaxed: f64,
    /// Refuse pivots whose update would swamp the contributions of other neighbours.
    pub(super) guarded: bool,
}

/// An elimination order: blocks one by one, then the trailing set as one dense block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) sequence: Vec<BlockId>,
    pub(super) trailing: Vec<BlockId>,
}

/// Largest ratio of a guarded pivot's update to what the other neighbours of a row will contribute: above it these
/// lose more than a quarter of their sixteen digits. The typical case is a dummy part of nearly no mass between two
/// joints.
const DROWNING: f64 = 1e4;

/// Orders the blocks of `pattern`.
pub(super) fn order(
    pattern: &Pattern,
    scale: &[BlockScale],
    samples: &[&TileMatrix],
    strategy: Strategy,
) -> Order {
    let mut graph = Graph::new(pattern, scale, samples);
    let mut queue = Queue::new(&mut graph, strategy);
    let mut sequence = Vec::with_capacity(pattern.blocks());
    while let Some(block) = queue.choose(&graph) {
        sequence.push(BlockId(block as u32));
        let neighbours = graph.eliminate(block);
        for &neighbour in &neighbours {
            queue.touch(&mut graph, neighbour);
        }
        if strategy.cost == Cost::Fill {
            // Their own tiles are unchanged; their cost changes only with that of neighbours.
            for block in graph.beyond(&neighbours) {
                if strategy.guarded {
                    queue.touch(&mut graph, block);
                } else {
                    queue.move_to(block, graph.cost(block, strategy.cost));
                }
            }
        }
    }
    Order {
        sequence,
        trailing: queue.rest(),
    }
}

/// The blocks left to eliminate, cheapest first.
struct Queue {
    strategy: Strategy,
    /// Blocks whose tile has not been examined.
    open: BTreeSet<(usize, usize)>,
    /// Blocks that were not admissible when examined.
    refused: BTreeSet<(usize, usize)>,
    costs: Vec<usize>,
    /// Growths of refused blocks.
    growths: Vec<f64>,
}

impl Queue {
    fn new(graph: &mut Graph<'_>, strategy: Strategy) -> Self {
        let blocks = graph.pattern.blocks();
        let costs: Vec<usize> = (0..blocks)
            .map(|block| graph.cost(block, strategy.cost))
            .collect();
        Self {
            strategy,
            open: costs.iter().copied().zip(0..).collect(),
            refused: BTreeSet::new(),
            growths: vec![f64::INFINITY; blocks],
            costs,
        }
    }

    /// Removes and returns the cheapest admissible block, or else the one with the least growth.
    fn choose(&mut self, graph: &Graph<'_>) -> Option<usize> {
        while let Some((cost, block)) = self.open.pop_first() {
            let growth = graph.growth(block, self.strategy);
            if growth <= self.strategy.growth {
                return Some(block);
            }
            self.growths[block] = growth;
            self.refused.insert((cost, block));
        }
        let mut least = (self.strategy.relaxed, None);
        for &(_, block) in &self.refused {
            if self.growths[block] < least.0 {
                least = (self.growths[block], Some(block));
            }
        }
        let block = least.1?;
        self.refused.remove(&(self.costs[block], block));
        Some(block)
    }

    /// Updates a block whose tile and cost have changed.
    fn touch(&mut self, graph: &mut Graph<'_>, block: usize) {
        let old = (self.costs[block], block);
        if self.open.remove(&old) || self.refused.remove(&old) {
            self.costs[block] = graph.cost(block, self.strategy.cost);
            self.open.insert((self.costs[block], block));
        }
    }

    /// Updates the cost of a block whose tile is unchanged.
    fn move_to(&mut self, block: usize, cost: usize) {
        let old = (self.costs[block], block);
        for set in [&mut self.open, &mut self.refused] {
            if set.remove(&old) {
                self.costs[block] = cost;
                set.insert((cost, block));
                return;
            }
        }
    }

    /// The blocks that could not be eliminated.
    fn rest(self) -> Vec<BlockId> {
        let all = self.open.into_iter().chain(self.refused);
        let mut blocks: Vec<_> = all.map(|(_, block)| BlockId(block as u32)).collect();
        blocks.sort_unstable();
        blocks
    }
}

const UNIT: BlockScale = BlockScale {
    row: [1.0; TILE],
    column: [1.0; TILE],
};

/// A coupling of a block with another one that is not eliminated yet.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The other block.
    block: usize,
    /// Index of the tile in the block's row.
    across: usize,
    /// Index of the tile in the block's column.
    down: usize,
}

/// The partly eliminated matrix of every sample, in scaled unknowns.
struct Graph<'a> {
    pattern: &'a Pattern,
    /// By block, ascending.
    links: Vec<Vec<Link>>,
    /// Indices of the diagonal tiles, by block.
    diagonal: Vec<usize>,
    /// By index, then sample.
    tiles: Vec<Tile>,
    /// By block, then sample.
    history: Vec<Column>,
    samples: usize,
    /// The blocks marked last have the highest mark.
    marks: Vec<usize>,
    mark: usize,
}

impl<'a> Graph<'a> {
    fn new(pattern: &'a Pattern, scale: &[BlockScale], samples: &[&TileMatrix]) -> Self {
        let blocks = pattern.blocks();
        let mut graph = Self {
            pattern,
            links: vec![Vec::new(); blocks],
            diagonal: vec![0; blocks],
            tiles: Vec::with_capacity(2 * pattern.tiles() * samples.len()),
            history: vec![[0.0; TILE]; blocks * samples.len()],
            samples: samples.len(),
            marks: vec![0; blocks],
            mark: 0,
        };
        let mut place = 0;
        let mut places = BTreeMap::new();
        for row in pattern.block_ids() {
            for (column, slot) in pattern.row(row) {
                let tiles = samples
                    .iter()
                    .map(|sample| scaled_tile(pattern, scale, (row, column), sample.tile(slot)));
                graph.tiles.extend(tiles);
                let (block, other) = (row.index(), column.index());
                if block == other {
                    graph.diagonal[block] = place;
                    for sample in 0..graph.samples {
                        graph.raise(block, sample);
                    }
                } else if block < other {
                    places.insert((block, other), place);
                } else if let Some(across) = places.remove(&(other, block)) {
                    graph.link((other, block), (across, place));
                }
                place += 1;
            }
        }
        graph
    }

    fn size(&self, block: usize) -> usize {
        self.pattern.size(BlockId(block as u32))
    }

    fn tile(&self, place: usize, sample: usize) -> &Tile {
        &self.tiles[place * self.samples + sample]
    }

    /// Raises the history of a diagonal tile that has changed.
    fn raise(&mut self, block: usize, sample: usize) {
        let tile = &self.tiles[self.diagonal[block] * self.samples + sample];
        raise_history(&mut self.history[block * self.samples + sample], tile);
    }

    /// Position of a block's link with another one, or where it would be inserted.
    fn find(&self, block: usize, other: usize) -> Result<usize, usize> {
        self.links[block].binary_search_by_key(&other, |link| link.block)
    }

    /// Links two blocks by the tiles in the row and in the column of the first.
    fn link(&mut self, (block, other): (usize, usize), (across, down): (usize, usize)) {
        for (block, other, across, down) in
            [(block, other, across, down), (other, block, down, across)]
        {
            if let Err(at) = self.find(block, other) {
                let link = Link {
                    block: other,
                    across,
                    down,
                };
                self.links[block].insert(at, link);
            }
        }
    }

    fn cost(&mut self, block: usize, cost: Cost) -> usize {
        let links = &self.links[block];
        if cost == Cost::Degree {
            return links.len();
        }
        self.mark += 1;
        for link in links {
            self.marks[link.block] = self.mark;
        }
        let mut coupled = 0;
        for one in links {
            let others = self.links[one.block].iter();
            let later = others.filter(|other| other.block > one.block);
            coupled += later
                .filter(|other| self.marks[other.block] == self.mark)
                .count();
        }
        links.len() * links.len().saturating_sub(1) / 2 - coupled
    }

    /// Blocks that are linked with some of these and are not among them.
    fn beyond(&mut self, blocks: &[usize]) -> Vec<usize> {
        self.mark += 1;
        for &block in blocks {
            self.marks[block] = self.mark;
        }
        let mut found = Vec::new();
        for &block in blocks {
            for link in &self.links[block] {
                if self.marks[link.block] != self.mark {
                    self.marks[link.block] = self.mark;
                    found.push(link.block);
                }
            }
        }
        found
    }

    /// Growth of a block's tile, the worst of all samples; infinite for a guarded refusal.
    fn growth(&self, block: usize, strategy: Strategy) -> f64 {
        let mut worst = 0.0;
        for sample in 0..self.samples {
            let mut inverse = [0.0; TILE * TILE];
            let d = self.tile(self.diagonal[block], sample);
            let history = &self.history[block * self.samples + sample];
            let squared = inverted(&mut inverse, d, history, self.size(block));
            let refused = strategy.guarded && self.drowns(block, &inverse, sample);
            if refused || !squared.is_finite() {
                return f64::INFINITY;
            }
            worst = larger(squared.sqrt(), worst);
        }
        worst
    }

    /// Would the update by `block` swamp the rows of a neighbour?
    fn drowns(&self, block: usize, inverse: &Tile, sample: usize) -> bool {
        let size = self.size(block);
        self.links[block].iter().any(|link| {
            let row = link.block;
            let mut l = [0.0; TILE * TILE];
            multiplied(&mut l, self.tile(link.down, sample), inverse, size);
            let u = self.tile(link.across, sample);
            let mut update = [0.0_f64; TILE];
            for (i, update) in update.iter_mut().enumerate().take(self.size(row)) {
                for q in 0..size {
                    *update -= l[entry(i, q)] * u[entry(q, i)];
                }
            }
            let swamps = |others: &Column| {
                (0..self.size(row))
                    .any(|i| others[i] > 0.0 && update[i].abs() > DROWNING * others[i])
            };
            // The contributions of others only add to the present value.
            let own = self.tile(self.diagonal[row], sample);
            let own = core::array::from_fn(|i| own[entry(i, i)].abs());
            let is_small = |i: usize| update[i].abs() <= DROWNING * own[i];
            !(0..self.size(row)).all(is_small)
                && swamps(&self.contributions(row, own, block, sample))
        })
    }

    /// For the scalars of `row`: `own`, their diagonal, plus what neighbours other than `except` will contribute.
    fn contributions(&self, row: usize, own: Column, except: usize, sample: usize) -> Column {
        let mut largest = own;
        for link in &self.links[row] {
            let other = link.block;
            if other == except {
                continue;
            }
            let d = self.tile(self.diagonal[other], sample);
            let (left, right) = (self.tile(link.across, sample), self.tile(link.down, sample));
            for q in 0..self.size(other) {
                let pivot = d[entry(q, q)].abs();
                if pivot > 0.0 {
                    for (i, largest) in largest.iter_mut().enumerate().take(self.size(row)) {
                        let update = (left[entry(i, q)] * right[entry(q, i)]).abs() / pivot;
                        *largest = larger(update, *largest);
                    }
                }
            }
        }
        largest
    }

    /// Eliminates a block; returns its neighbours.
    fn eliminate(&mut self, block: usize) -> Vec<usize> {
        let links = core::mem::take(&mut self.links[block]);
        for (k, one) in links.iter().enumerate() {
            if let Ok(at) = self.find(one.block, block) {
                self.links[one.block].remove(at);
            }
            for other in &links[k + 1..] {
                if self.find(one.block, other.block).is_err() {
                    let next = self.tiles.len() / self.samples.max(1);
                    let more = self.tiles.len() + 2 * self.samples;
                    self.tiles.resize(more, [0.0; TILE * TILE]);
                    self.link((one.block, other.block), (next, next + 1));
                }
            }
        }
        for sample in 0..self.samples {
            self.update(block, &links, sample);
        }
        links.iter().map(|link| link.block).collect()
    }

    fn update(&mut self, block: usize, links: &[Link], sample: usize) {
        let size = self.size(block);
        let mut inverse = [0.0; TILE * TILE];
        let d = self.tile(self.diagonal[block], sample);
        let history = &self.history[block * self.samples + sample];
        inverted(&mut inverse, d, history, size);
        for one in links {
            let mut l = [0.0; TILE * TILE];
            multiplied(&mut l, self.tile(one.down, sample), &inverse, size);
            for other in links {
                let place = if one.block == other.block {
                    self.diagonal[one.block]
                } else if let Ok(at) = self.find(one.block, other.block) {
                    self.links[one.block][at].across
                } else {
                    continue;
                };
                let columns = self.size(other.block);
                let u = *self.tile(other.across, sample);
                let target = &mut self.tiles[place * self.samples + sample];
                subtracted(target, (&l, &u), size, columns);
            }
            self.raise(one.block, sample);
        }
    }
}

fn inverted(inverse: &mut Tile, d: &Tile, history: &Column, size: usize) -> f64 {
    invert::<Plain<false>>(inverse, d, &UNIT, history, size)
}

fn multiplied(c: &mut Tile, a: &Tile, b: &Tile, inner: usize) {
    product::<Plain<false>>(c, a, b, inner);
}

fn subtracted(c: &mut Tile, (a, b): (&Tile, &Tile), inner: usize, columns: usize) {
    subtract_product::<Plain<false>>(c, a, b, inner, columns);
}
