//! Executes single steps of an elimination program on stored tiles, and copies tiles to dense matrices (data plane).

use super::dense::DenseLu;
use super::kernels::{BlockScale, Column, copy, less_product_of, raise_history, subtract_product};
use super::lanes::Lanes;
use super::matrix::TileMatrix;
use super::pattern::BlockId;
use super::program::{Coupling, Pair, Program, Target};
use super::{TILE, Tile, entry};

/// A target tile about to be formed: its start value, its products, its columns.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    source: Option<&'a Tile>,
    pairs: &'a [Pair],
    columns: usize,
}

impl<'a> Run<'a> {
    #[inline(always)]
    pub(super) fn new(program: &'a Program, a: &'a TileMatrix, target: usize) -> Self {
        let Target {
            source,
            products,
            columns,
        } = program.targets[target];
        Self {
            source: source.map(|slot| a.tile(slot)),
            pairs: &program.pairs[products.0 as usize..products.1 as usize],
            columns: columns as usize,
        }
    }

    /// Its tile of the matrix, or zero for fill.
    #[inline(always)]
    fn start(&self) -> &'a Tile {
        const FILL: &Tile = &[0.0; TILE * TILE];
        self.source.unwrap_or(FILL)
    }

    /// Its value, if no product changes it.
    #[inline(always)]
    pub(super) fn untouched(&self) -> Option<&'a Tile> {
        self.pairs.is_empty().then(|| self.start())
    }

    /// Writes the start value less the products; `watch` is called with the tile after each.
    #[inline(always)]
    pub(super) fn form<L: Lanes>(
        &self,
        done: &[Tile],
        tile: &mut Tile,
        mut watch: impl FnMut(&Tile),
    ) {
        let start = self.start();
        watch(start);
        let Some((first, others)) = self.pairs.split_first() else {
            return copy(tile, start);
        };
        let factors = |pair: &Pair| (&done[pair.left as usize], &done[pair.right as usize]);
        let (l, u) = factors(first);
        less_product_of::<L>((tile, start), l, u, first.inner as usize, self.columns);
        watch(tile);
        for pair in others {
            let (l, u) = factors(pair);
            subtract_product::<L>(tile, l, u, pair.inner as usize, self.columns);
            watch(tile);
        }
    }
}

/// Forms a target of a program from finished tiles; records the largest magnitudes that its diagonal reaches.
#[inline(always)]
pub(super) fn form_diagonal<L: Lanes>(
    (program, target): (&Program, usize),
    a: &TileMatrix,
    done: &[Tile],
    tile: &mut Tile,
    history: &mut Column,
) {
    let run = Run::new(program, a, target);
    run.form::<L>(done, tile, |tile| raise_history(history, tile));
}

/// Writes a tile into a dense matrix of scaled unknowns; `i`, `j` are its first row and column.
pub(super) fn copy_scaled(
    dense: &mut DenseLu,
    tile: &Tile,
    scale: &[BlockScale],
    (row, i): (&Coupling, usize),
    (column, j): (&Coupling, usize),
) {
    let n = dense.dimension();
    let row_scale = &scale[row.block.index()].row;
    let column_scale = &scale[column.block.index()].column;
    let values = dense.values_mut();
    for q in 0..column.size() {
        for p in 0..row.size() {
            values[(j + q) * n + i + p] = tile[entry(p, q)] * row_scale[p] * column_scale[q];
        }
    }
}

/// Solves for some blocks of a padded vector with a dense factorisation in scaled unknowns.
pub(super) fn solve_blocks(
    dense: &DenseLu,
    blocks: &[Coupling],
    scale: &[BlockScale],
    x: &mut [Column],
    scratch: &mut [f64],
) {
    let scratch = &mut scratch[..dense.dimension()];
    let mut i = 0;
    for block in blocks {
        for p in 0..block.size() {
            scratch[i + p] = x[block.block.index()][p] * scale[block.block.index()].row[p];
        }
        i += block.size();
    }
    dense.solve(scratch);
    let mut i = 0;
    for block in blocks {
        let x = &mut x[block.block.index()];
        *x = [0.0; TILE];
        for p in 0..block.size() {
            x[p] = scratch[i + p] * scale[block.block.index()].column[p];
        }
        i += block.size();
    }
}

/// The block that owns a row or column of a dense matrix.
pub(super) fn block_of(blocks: &[Coupling], scalar: usize) -> BlockId {
    let mut end = 0;
    for block in blocks {
        end += block.size();
        if scalar < end {
            return block.block;
        }
    }
    BlockId(0)
}
