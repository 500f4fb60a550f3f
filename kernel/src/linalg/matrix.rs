//! The values of a tile matrix, assembled in place (data plane; creation allocates).

use super::kernels::matvec;
use super::lanes::{Lanes, Plain};
use super::pattern::{Pattern, Slot};
use super::{TILE, Tile, entry};
use crate::math::Mat3;
use alloc::boxed::Box;
use alloc::vec;

/// A block-sparse square matrix: one [`Tile`] for every slot of its [`Pattern`].
///
/// Rows and columns past a block's size are never read.
#[derive(Clone, Debug, Default)]
pub struct TileMatrix {
    tiles: Box<[Tile]>,
}

impl TileMatrix {
    /// A zero matrix of a pattern.
    pub fn new(pattern: &Pattern) -> Self {
        Self {
            tiles: vec![[0.0; TILE * TILE]; pattern.tiles()].into(),
        }
    }

    /// A zero matrix of a pattern, with more tiles after those of the pattern.
    pub fn with_more(pattern: &Pattern, more: usize) -> Self {
        Self {
            tiles: vec![[0.0; TILE * TILE]; pattern.tiles() + more].into(),
        }
    }

    /// All entries, in the order of the tiles.
    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        self.tiles.iter_mut().flatten()
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.tiles.fill([0.0; TILE * TILE]);
    }

    /// Does another matrix of the same pattern have the same bits?
    pub fn is_same(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|matrix| matrix.tiles.as_flattened());
        let pairs = own.iter().zip(others);
        pairs.into_iter().all(|(a, b)| a.to_bits() == b.to_bits())
    }

    /// A tile, column by column (see [`entry`]).
    pub fn tile(&self, slot: Slot) -> &Tile {
        &self.tiles[slot.index()]
    }

    /// A tile to be written, column by column (see [`entry`]).
    pub fn tile_mut(&mut self, slot: Slot) -> &mut Tile {
        &mut self.tiles[slot.index()]
    }

    /// Adds to one entry of a tile.
    pub fn add(&mut self, slot: Slot, row: usize, column: usize, value: f64) {
        self.tiles[slot.index()][entry(row, column)] += value;
    }

    /// Adds a factor times a block, column by column, to a tile.
    #[inline]
    pub fn add_block(&mut self, slot: Slot, block: &[[f64; TILE]; TILE], factor: f64) {
        let tile = &mut self.tiles[slot.index()];
        for (x, y) in tile.iter_mut().zip(block.as_flattened()) {
            *x += y * factor;
        }
    }

    /// Adds a factor times a 3×3 matrix to the quarter of a tile that begins at a row and a column, each
    /// 0 or 3.
    #[inline]
    pub fn add_quarter(&mut self, slot: Slot, at: (usize, usize), quarter: &Mat3, factor: f64) {
        let tile = &mut self.tiles[slot.index()];
        for c in 0..3 {
            for r in 0..3 {
                tile[entry(at.0 + r, at.1 + c)] += quarter[(r, c)] * factor;
            }
        }
    }

    /// y += sign · A x on padded vectors; `pattern` is the one the matrix was made for.
    pub fn add_product(&self, pattern: &Pattern, sign: f64, x: &[f64], y: &mut [f64]) {
        let x = x.as_chunks::<TILE>().0;
        let y = y.as_chunks_mut::<TILE>().0;
        for row in pattern.block_ids() {
            let mut all = Plain::<false>::splat(0.0);
            for (column, slot) in pattern.row(row) {
                let tile = &self.tiles[slot.index()];
                all = all.and(matvec(tile, &x[column.index()], pattern.size(column)));
            }
            let mut sum = [0.0; TILE];
            all.store(&mut sum);
            for i in 0..pattern.size(row) {
                y[row.index()][i] += sign * sum[i];
            }
        }
    }
}
