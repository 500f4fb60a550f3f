//! The flat elimination program of a chosen order (control plane builds it, data plane reads it).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::order::Order;
use super::pattern::{BlockId, Pattern, Slot};

/// One product L U subtracted from a target tile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    /// Tile of L.
    pub(super) left: u32,
    /// Tile of U.
    pub(super) right: u32,
    /// Summation length: size of the eliminated block.
    pub(super) inner: u32,
}

/// A tile of L, U or the diagonal: a start value minus a run of products.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// Tile of the matrix, or none for fill.
    pub(super) source: Option<Slot>,
    /// First and last product of its run in [`Program::pairs`].
    pub(super) products: (u32, u32),
    /// Columns in use.
    pub(super) columns: u32,
}

/// A later block that an eliminated one couples with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    pub(super) block: BlockId,
    pub(super) size: u32,
}

impl Coupling {
    pub(super) fn new(pattern: &Pattern, block: BlockId) -> Self {
        Self {
            block,
            size: pattern.size(block) as u32,
        }
    }

    pub(super) fn size(self) -> usize {
        self.size as usize
    }
}

/// Elimination of one block: its diagonal, then for each coupled later block U and L.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pivot {
    pub(super) block: BlockId,
    pub(super) size: u32,
    /// Number of the diagonal's target and tile; U and L of the couplings follow in turn.
    pub(super) first: u32,
    /// Couplings of this pivot in [`Program::coupled`].
    pub(super) couplings: (u32, u32),
}

impl Pivot {
    /// The couplings as a range.
    pub(super) fn couplings(&self) -> core::ops::Range<usize> {
        self.couplings.0 as usize..self.couplings.1 as usize
    }
}

/// The data of refactorisation and solution. Factor tile `t` holds target `t`; for a diagonal tile it holds the
/// inverse, and the tile itself is stored after all targets.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) pivots: Box<[Pivot]>,
    pub(super) targets: Box<[Target]>,
    pub(super) pairs: Box<[Pair]>,
    /// Later blocks that each pivot couples with.
    pub(super) coupled: Box<[Coupling]>,
    /// Blocks of the trailing dense matrix.
    pub(super) trailing: Box<[Coupling]>,
    /// First of the trailing targets, which are stored row by row.
    pub(super) trailing_first: u32,
    /// Work estimate for comparing orders, in multiplications.
    pub(super) work: f64,
}

impl Program {
    /// Number of tiles to store: one for each target, and after them the diagonal tiles of the pivots, which correct
    /// solutions by their residual.
    pub(super) fn tiles(&self) -> usize {
        self.targets.len() + self.pivots.len()
    }
}

/// Symbolic elimination of `pattern` in the given order.
pub(super) fn compile(pattern: &Pattern, order: &Order) -> Program {
    let couplings = couplings(pattern, order);
    let mut builder = Builder::default();
    let mut pivots = Vec::with_capacity(order.sequence.len());
    let mut coupled = Vec::new();
    for (position, &block) in order.sequence.iter().enumerate() {
        let later = &couplings[position];
        let start = coupled.len() as u32;
        let first = builder.targets.len() as u32;
        builder.target(pattern, block, block);
        for &other in later {
            builder.target(pattern, block, other);
            builder.target(pattern, other, block);
        }
        builder.products(pattern, block, first, later);
        coupled.extend(later.iter().map(|&other| Coupling::new(pattern, other)));
        pivots.push(Pivot {
            block,
            size: pattern.size(block) as u32,
            first,
            couplings: (start, coupled.len() as u32),
        });
    }
    let trailing_first = builder.targets.len() as u32;
    for &row in &order.trailing {
        for &column in &order.trailing {
            builder.target(pattern, row, column);
        }
    }
    let dense: usize = order
        .trailing
        .iter()
        .map(|&block| pattern.size(block))
        .sum();
    let dense = dense as f64;
    Program {
        work: builder.work + dense * dense * dense,
        pivots: pivots.into(),
        targets: builder.targets.into(),
        pairs: builder.pairs.into(),
        coupled: coupled.into(),
        trailing: order
            .trailing
            .iter()
            .map(|&block| Coupling::new(pattern, block))
            .collect(),
        trailing_first,
    }
}

/// For each eliminated block the later blocks it couples with, in order of elimination.
fn couplings(pattern: &Pattern, order: &Order) -> Vec<Vec<BlockId>> {
    let mut position = vec![0; pattern.blocks()];
    for (place, block) in order.sequence.iter().chain(&order.trailing).enumerate() {
        position[block.index()] = place;
    }
    let mut rows: Vec<alloc::collections::BTreeSet<usize>> = pattern
        .block_ids()
        .map(|block| {
            pattern
                .row(block)
                .map(|(other, _)| position[other.index()])
                .collect()
        })
        .collect();
    let all: Vec<BlockId> = order
        .sequence
        .iter()
        .chain(&order.trailing)
        .copied()
        .collect();
    let mut result = Vec::with_capacity(order.sequence.len());
    for (place, block) in order.sequence.iter().enumerate() {
        let later: Vec<usize> = rows[block.index()].range(place + 1..).copied().collect();
        // the first of the later blocks already shows the fill among them
        if let Some((&first, rest)) = later.split_first() {
            rows[all[first].index()].extend(rest);
        }
        result.push(later.iter().map(|&place| all[place]).collect());
    }
    result
}

#[derive(Default)]
struct Builder {
    targets: Vec<Target>,
    pairs: Vec<Pair>,
    /// Products waiting for their target, in order of elimination.
    waiting: BTreeMap<(BlockId, BlockId), Vec<Pair>>,
    work: f64,
}

impl Builder {
    fn target(&mut self, pattern: &Pattern, row: BlockId, column: BlockId) {
        let columns = pattern.size(column);
        let pairs = self.waiting.remove(&(row, column)).unwrap_or_default();
        self.work += pairs
            .iter()
            .map(|pair| f64::from(pair.inner * 6))
            .sum::<f64>()
            * columns as f64;
        self.work += 216.0;
        let begin = self.pairs.len() as u32;
        self.pairs.extend(pairs);
        self.targets.push(Target {
            source: pattern.slot(row, column),
            products: (begin, self.pairs.len() as u32),
            columns: columns as u32,
        });
    }

    /// Registers the products that eliminating `block` subtracts from the tiles among its later neighbours.
    fn products(&mut self, pattern: &Pattern, block: BlockId, first: u32, later: &[BlockId]) {
        for (i, &row) in later.iter().enumerate() {
            for (j, &column) in later.iter().enumerate() {
                let pair = Pair {
                    left: first + 2 + 2 * i as u32,
                    right: first + 1 + 2 * j as u32,
                    inner: pattern.size(block) as u32,
                };
                self.waiting.entry((row, column)).or_default().push(pair);
            }
        }
    }
}
