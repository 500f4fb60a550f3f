//! Elimination order: greedy over blocks, each pivot tile checked numerically (control plane).
//!
//! A purely structural order goes singular: where two joints hold a link by more rows than it has
//! freedoms, the second joint's tile vanishes once link and first joint are eliminated. So the
//! candidates are eliminated for real, on all samples, and a block is taken only while its tile is
//! admissible on each of them. What never becomes admissible is left as the trailing set.

use std::collections::{BTreeMap, BTreeSet};

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
    /// Growth up to which the least bad block is taken where none is admissible.
    pub(super) relaxed: f64,
    /// Refuse pivots whose update would drown what other neighbours contribute.
    pub(super) guarded: bool,
}

/// An elimination order: blocks one by one, then the trailing set as one dense block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) sequence: Vec<BlockId>,
    pub(super) trailing: Vec<BlockId>,
}

/// Largest ratio that a guarded pivot's update may have to what the other neighbours of a row
/// will contribute: beyond it those lose more than a quarter of their sixteen digits. Dummy parts
/// of nearly no mass between two joints are the case in mind.
const DROWNING: f64 = 1e4;

/// Orders the blocks of `pattern`.
pub(super) fn order(
    pattern: &Pattern,
    scale: &[BlockScale],
    samples: &[&TileMatrix],
    strategy: Strategy,
) -> Order {
    let mut graph = Graph::new(pattern, scale, samples);
    let mut queue = BTreeSet::new();
    let mut costs = vec![0; pattern.blocks()];
    for block in 0..pattern.blocks() {
        costs[block] = graph.cost(block, strategy.cost);
        queue.insert((costs[block], block));
    }
    let mut growths = vec![None; pattern.blocks()];
    let mut sequence = Vec::with_capacity(pattern.blocks());
    while let Some(block) = graph.choose(&queue, &mut growths, strategy) {
        queue.remove(&(costs[block], block));
        sequence.push(BlockId(block as u32));
        for touched in graph.eliminate(block, strategy.cost) {
            if queue.remove(&(costs[touched], touched)) {
                growths[touched] = None;
                costs[touched] = graph.cost(touched, strategy.cost);
                queue.insert((costs[touched], touched));
            }
        }
    }
    let trailing: BTreeSet<_> = queue
        .into_iter()
        .map(|(_, block)| BlockId(block as u32))
        .collect();
    Order {
        sequence,
        trailing: trailing.into_iter().collect(),
    }
}

const UNIT: BlockScale = BlockScale {
    row: [1.0; TILE],
    column: [1.0; TILE],
};

/// The partly eliminated matrix of every sample, in scaled unknowns.
struct Graph<'a> {
    pattern: &'a Pattern,
    neighbours: Vec<BTreeSet<usize>>,
    place: BTreeMap<(usize, usize), usize>,
    /// By place, then sample.
    tiles: Vec<Vec<Tile>>,
    /// By block, then sample.
    history: Vec<Vec<Column>>,
    samples: usize,
}

impl<'a> Graph<'a> {
    fn new(pattern: &'a Pattern, scale: &[BlockScale], samples: &[&TileMatrix]) -> Self {
        let mut graph = Self {
            pattern,
            neighbours: vec![BTreeSet::new(); pattern.blocks()],
            place: BTreeMap::new(),
            tiles: Vec::with_capacity(pattern.tiles()),
            history: vec![vec![[0.0; TILE]; samples.len()]; pattern.blocks()],
            samples: samples.len(),
        };
        for row in pattern.block_ids() {
            for (column, slot) in pattern.row(row) {
                let tiles: Vec<_> = samples
                    .iter()
                    .map(|sample| scaled_tile(pattern, scale, (row, column), sample.tile(slot)))
                    .collect();
                if row == column {
                    for (history, tile) in graph.history[row.index()].iter_mut().zip(&tiles) {
                        raise_history(history, tile);
                    }
                } else {
                    graph.neighbours[row.index()].insert(column.index());
                }
                graph
                    .place
                    .insert((row.index(), column.index()), graph.tiles.len());
                graph.tiles.push(tiles);
            }
        }
        graph
    }

    fn size(&self, block: usize) -> usize {
        self.pattern.size(BlockId(block as u32))
    }

    fn tile(&self, row: usize, column: usize, sample: usize) -> &Tile {
        &self.tiles[self.place[&(row, column)]][sample]
    }

    fn cost(&self, block: usize, cost: Cost) -> usize {
        let neighbours = &self.neighbours[block];
        match cost {
            Cost::Degree => neighbours.len(),
            Cost::Fill => {
                let missing = |&a: &usize| {
                    neighbours
                        .iter()
                        .filter(|&&b| b > a && !self.neighbours[a].contains(&b))
                        .count()
                };
                neighbours.iter().map(missing).sum()
            }
        }
    }

    /// The cheapest admissible block; growths are remembered until a neighbour is eliminated.
    fn choose(
        &self,
        queue: &BTreeSet<(usize, usize)>,
        growths: &mut [Option<f64>],
        strategy: Strategy,
    ) -> Option<usize> {
        let mut least = (strategy.relaxed, None);
        for &(_, block) in queue {
            if growths[block].is_none() {
                growths[block] = Some(self.growth(block, strategy));
            }
            let growth = growths[block].unwrap_or(f64::INFINITY);
            if growth <= strategy.growth {
                return Some(block);
            }
            if growth < least.0 {
                least = (growth, Some(block));
            }
        }
        least.1
    }

    /// Growth of a block's tile, the worst of all samples; infinite for a guarded refusal.
    fn growth(&self, block: usize, strategy: Strategy) -> f64 {
        let mut worst = 0.0;
        for sample in 0..self.samples {
            let mut inverse = [0.0; TILE * TILE];
            let d = self.tile(block, block, sample);
            let history = &self.history[block][sample];
            let squared = invert::<Plain<false>>(&mut inverse, d, &UNIT, history, self.size(block));
            let refused = strategy.guarded && self.drowns(block, &inverse, sample);
            if refused || !squared.is_finite() {
                return f64::INFINITY;
            }
            worst = larger(squared.sqrt(), worst);
        }
        worst
    }

    /// Whether the update by `block` would swamp the rows of a neighbour.
    fn drowns(&self, block: usize, inverse: &Tile, sample: usize) -> bool {
        self.neighbours[block].iter().any(|&row| {
            let mut l = [0.0; TILE * TILE];
            product::<Plain<false>>(
                &mut l,
                self.tile(row, block, sample),
                inverse,
                self.size(block),
            );
            let mut update = [0.0; TILE * TILE];
            let u = self.tile(block, row, sample);
            subtract_product::<Plain<false>>(&mut update, &l, u, self.size(block), self.size(row));
            let others = self.contributions(row, block, sample);
            (0..self.size(row))
                .any(|i| others[i] > 0.0 && update[entry(i, i)].abs() > DROWNING * others[i])
        })
    }

    /// What the scalars of `row` have on their diagonals, or will get from neighbours but `except`.
    fn contributions(&self, row: usize, except: usize, sample: usize) -> [f64; TILE] {
        let own = self.tile(row, row, sample);
        let mut largest: [f64; TILE] = std::array::from_fn(|i| own[entry(i, i)].abs());
        for &other in &self.neighbours[row] {
            if other == except {
                continue;
            }
            let d = self.tile(other, other, sample);
            let (left, right) = (self.tile(row, other, sample), self.tile(other, row, sample));
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

    /// Eliminates a block; returns the blocks whose tile or cost changed.
    fn eliminate(&mut self, block: usize, cost: Cost) -> BTreeSet<usize> {
        let neighbours = std::mem::take(&mut self.neighbours[block]);
        for &i in &neighbours {
            self.neighbours[i].remove(&block);
            for &j in &neighbours {
                if i != j {
                    self.neighbours[i].insert(j);
                }
                let next = self.tiles.len();
                if *self.place.entry((i, j)).or_insert(next) == next {
                    self.tiles.push(vec![[0.0; TILE * TILE]; self.samples]);
                }
            }
        }
        for sample in 0..self.samples {
            self.update(block, &neighbours, sample);
        }
        let mut touched = neighbours.clone();
        if cost == Cost::Fill {
            for &neighbour in &neighbours {
                touched.extend(&self.neighbours[neighbour]);
            }
        }
        touched
    }

    fn update(&mut self, block: usize, neighbours: &BTreeSet<usize>, sample: usize) {
        let size = self.size(block);
        let mut inverse = [0.0; TILE * TILE];
        let history = &self.history[block][sample];
        invert::<Plain<false>>(
            &mut inverse,
            self.tile(block, block, sample),
            &UNIT,
            history,
            size,
        );
        for &i in neighbours {
            let mut l = [0.0; TILE * TILE];
            product::<Plain<false>>(&mut l, self.tile(i, block, sample), &inverse, size);
            for &j in neighbours {
                let columns = self.size(j);
                let u = *self.tile(block, j, sample);
                let target = &mut self.tiles[self.place[&(i, j)]][sample];
                subtract_product::<Plain<false>>(target, &l, &u, size, columns);
                if i == j {
                    raise_history(&mut self.history[i][sample], target);
                }
            }
        }
    }
}
