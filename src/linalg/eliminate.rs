//! Steps of an elimination program on stored tiles, and its border to dense matrices (data plane).

use super::dense::DenseLu;
use super::kernels::{BlockScale, Column, raise_history, subtract_product};
use super::matrix::TileMatrix;
use super::pattern::BlockId;
use super::program::{Coupling, Program, Target};
use super::{TILE, Tile, entry};

/// The start value of a target: its tile of the matrix, or zero for fill.
#[inline(always)]
fn source(program: &Program, a: &TileMatrix, target: usize) -> Tile {
    program.targets[target]
        .source
        .map_or([0.0; TILE * TILE], |slot| *a.tile(slot))
}

/// Forms target tile `target`, whose products begin at `begin`; returns where they end.
#[inline(always)]
pub(super) fn form(
    program: &Program,
    tiles: &mut [Tile],
    a: &TileMatrix,
    (target, begin): (usize, usize),
) -> usize {
    let Target { end, columns, .. } = program.targets[target];
    let (done, rest) = tiles.split_at_mut(target);
    let tile = &mut rest[0];
    *tile = source(program, a, target);
    for pair in &program.pairs[begin..end as usize] {
        let (l, u) = (&done[pair.left as usize], &done[pair.right as usize]);
        subtract_product(tile, l, u, pair.inner as usize, columns as usize);
    }
    end as usize
}

/// [`form`] for a diagonal tile, noting the largest magnitudes that its diagonal passes through.
#[inline(always)]
pub(super) fn form_diagonal(
    program: &Program,
    tiles: &mut [Tile],
    a: &TileMatrix,
    (target, begin): (usize, usize),
    history: &mut Column,
) -> usize {
    let Target { end, columns, .. } = program.targets[target];
    let (done, rest) = tiles.split_at_mut(target);
    let tile = &mut rest[0];
    *tile = source(program, a, target);
    raise_history(history, tile);
    for pair in &program.pairs[begin..end as usize] {
        let (l, u) = (&done[pair.left as usize], &done[pair.right as usize]);
        subtract_product(tile, l, u, pair.inner as usize, columns as usize);
        raise_history(history, tile);
    }
    end as usize
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

/// Solves for some blocks of a padded vector by a dense factorisation in scaled unknowns.
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
