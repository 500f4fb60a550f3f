//! Block sparsity pattern of the Newton matrix: block sizes, coupled pairs, tile numbers (control plane).

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::TILE;

/// A block of one to six unknowns: a body, a joint's multipliers, a group of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl BlockId {
    /// Index of the block in the pattern.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Index of the block's first entry in a padded vector.
    pub const fn offset(self) -> usize {
        self.index() * TILE
    }
}

/// The number of a tile in a [`super::TileMatrix`], found once at load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

impl Slot {
    /// Index of the slot among the tiles.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Collects blocks and couplings; [`PatternBuilder::build`] sorts and symmetrises them.
#[derive(Clone, Debug, Default)]
pub struct PatternBuilder {
    sizes: Vec<u8>,
    entries: BTreeSet<(u32, u32)>,
}

impl PatternBuilder {
    /// An empty pattern.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a block of `size` unknowns and its diagonal tile.
    ///
    /// The size is clamped to 1..=6: larger groups must be cut by the caller.
    pub fn add_block(&mut self, size: usize) -> BlockId {
        debug_assert!(
            (1..=TILE).contains(&size),
            "a block has one to six unknowns"
        );
        let block = self.sizes.len() as u32;
        self.sizes.push(size.clamp(1, TILE) as u8);
        self.entries.insert((block, block));
        BlockId(block)
    }

    /// Number of blocks so far.
    pub fn blocks(&self) -> usize {
        self.sizes.len()
    }

    /// Couples two blocks; the mirrored tile is added with it. Repeating a coupling is harmless.
    pub fn add_entry(&mut self, row: BlockId, column: BlockId) {
        debug_assert!(row.index() < self.sizes.len() && column.index() < self.sizes.len());
        self.entries.insert((row.0, column.0));
        self.entries.insert((column.0, row.0));
    }

    /// The finished pattern.
    pub fn build(self) -> Pattern {
        let mut row_start = vec![0_u32; self.sizes.len() + 1];
        let mut columns = Vec::with_capacity(self.entries.len());
        for (row, column) in self.entries {
            row_start[row as usize + 1] += 1;
            columns.push(column);
        }
        for row in 0..self.sizes.len() {
            row_start[row + 1] += row_start[row];
        }
        Pattern {
            sizes: self.sizes.into(),
            row_start: row_start.into(),
            columns: columns.into(),
        }
    }
}

/// A structurally symmetric block pattern with all diagonal tiles; tiles are numbered row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    sizes: Box<[u8]>,
    row_start: Box<[u32]>,
    columns: Box<[u32]>,
}

impl Pattern {
    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.sizes.len()
    }

    /// Number of unknowns of a block.
    pub fn size(&self, block: BlockId) -> usize {
        usize::from(self.sizes[block.index()])
    }

    /// Number of unknowns of all blocks.
    pub fn dimension(&self) -> usize {
        self.sizes.iter().map(|&size| usize::from(size)).sum()
    }

    /// Length of a padded vector.
    pub fn padded(&self) -> usize {
        self.sizes.len() * TILE
    }

    /// Where a block begins in a padded vector.
    pub fn offset(&self, block: BlockId) -> usize {
        block.offset()
    }

    /// Number of tiles.
    pub fn tiles(&self) -> usize {
        self.columns.len()
    }

    /// The tile of a coupling, if the pattern has it.
    pub fn slot(&self, row: BlockId, column: BlockId) -> Option<Slot> {
        let start = *self.row_start.get(row.index())? as usize;
        let end = *self.row_start.get(row.index() + 1)? as usize;
        let found = self.columns[start..end].binary_search(&column.0).ok()?;
        Some(Slot((start + found) as u32))
    }

    /// The tiles of one block row as (column, slot), columns ascending.
    pub fn row(&self, row: BlockId) -> impl Iterator<Item = (BlockId, Slot)> + '_ {
        let start = self.row_start[row.index()];
        let end = self.row_start[row.index() + 1];
        (start..end).map(|slot| (BlockId(self.columns[slot as usize]), Slot(slot)))
    }

    /// Number of tile products for an elimination that always takes the block with the fewest couplings; `None` if
    /// above `limit`. It measures the fill-in, whatever the values are.
    pub fn elimination(&self, limit: usize) -> Option<usize> {
        let others = |block: BlockId| {
            let all = self.row(block).map(|(other, _)| other.index());
            all.filter(move |other| *other != block.index())
        };
        let mut coupled: Vec<BTreeSet<usize>> = self
            .block_ids()
            .map(|block| others(block).collect())
            .collect();
        let degrees = coupled.iter().map(BTreeSet::len);
        let mut open: BTreeSet<(usize, usize)> = degrees.zip(0..).collect();
        let mut products = 0;
        while let Some((degree, block)) = open.pop_first() {
            products += degree * degree;
            if products > limit {
                return None;
            }
            let later = core::mem::take(&mut coupled[block]);
            for &one in &later {
                let row = &mut coupled[one];
                open.remove(&(row.len(), one));
                row.remove(&block);
                row.extend(later.iter().filter(|other| **other != one));
                open.insert((row.len(), one));
            }
        }
        Some(products)
    }

    /// All blocks in their order.
    pub fn block_ids(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.sizes.len() as u32).map(BlockId)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern of blocks that are coupled in pairs.
    fn coupled(blocks: usize, pairs: impl Iterator<Item = (u32, u32)>) -> Pattern {
        let mut builder = PatternBuilder::new();
        for _ in 0..blocks {
            builder.add_block(6);
        }
        for (row, column) in pairs {
            builder.add_entry(BlockId(row), BlockId(column));
        }
        builder.build()
    }

    #[test]
    fn products_of_an_elimination_are_counted_up_to_a_limit() {
        let chain = coupled(100, (1..100).map(|k| (k - 1, k)));
        assert_eq!(chain.elimination(99), Some(99));
        assert_eq!(chain.elimination(98), None);
        // All with all: 9² + 8² + … + 1.
        let all = coupled(10, (0..10).flat_map(|i| (0..i).map(move |j| (i, j))));
        assert_eq!(all.elimination(1000), Some(285));
        // A star is taken from its ends, without fill.
        let star = coupled(50, (1..50).map(|k| (0, k)));
        assert_eq!(star.elimination(1000), Some(49));
    }

    #[test]
    fn slots_are_numbered_row_by_row_and_symmetrised() {
        let mut builder = PatternBuilder::new();
        let body = builder.add_block(6);
        let joint = builder.add_block(5);
        let other = builder.add_block(3);
        builder.add_entry(joint, body);
        builder.add_entry(joint, body);
        let pattern = builder.build();
        assert_eq!(
            (pattern.blocks(), pattern.dimension(), pattern.padded()),
            (3, 14, 18)
        );
        assert_eq!(pattern.tiles(), 5);
        assert_eq!(pattern.slot(body, joint), Some(Slot(1)));
        assert_eq!(pattern.slot(joint, body), Some(Slot(2)));
        assert_eq!(pattern.slot(other, other), Some(Slot(4)));
        assert_eq!(pattern.slot(body, other), None);
        assert_eq!(pattern.slot(BlockId(9), other), None);
        assert_eq!(pattern.offset(other), 12);
        let row: Vec<_> = pattern.row(joint).map(|(column, _)| column).collect();
        assert_eq!(row, [body, joint]);
    }
}
