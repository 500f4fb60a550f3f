//! Solves with the transposed matrix, using the same factors (data plane). Adjoint derivatives need it.
//!
//! ```text
//!     A = (1 + L) (D + U)        Aᵀ x = b:   (D + U)ᵀ y = b,   (1 + L)ᵀ x = y
//! ```
//! Pivots are solved as without transposition, by the inverse and its residual. The code is scalar: derivatives need
//! few such solutions, a step none.

use super::super::dense::DenseLu;
use super::super::kernels::{BlockScale, Column};
use super::super::program::Coupling;
use super::super::{TILE, Tile, entry};
use super::{Factorization, Quality};

impl Factorization {
    /// Solves Aᵀ x = b in place, as [`Self::solve`] does for A.
    pub fn solve_transposed(&mut self, rhs: &mut [f64]) {
        let rhs = &mut rhs[..self.pattern.padded()];
        self.counters.solved += 1;
        match self.quality {
            Quality::Good | Quality::Degraded { .. } => self.substitute_transposed(rhs),
            Quality::DenseFallback { .. } => {
                if let Some(dense) = &self.fallback {
                    let x = rhs.as_chunks_mut::<TILE>().0;
                    blocks(dense, &self.whole, &self.scale, x, &mut self.dense_rhs);
                }
            }
            Quality::Singular { .. } => rhs.fill(f64::NAN),
        }
    }

    fn substitute_transposed(&mut self, rhs: &mut [f64]) {
        let program = &self.program;
        let (tiles, kept) = self.tiles.split_at(program.targets.len());
        let x = rhs.as_chunks_mut::<TILE>().0;
        for (pivot, diagonal) in program.pivots.iter().zip(kept) {
            let size = pivot.size as usize;
            let inverse = &tiles[pivot.first as usize];
            let b = x[pivot.block.index()];
            let mut value = [0.0; TILE];
            subtract(&mut value, inverse, &b, (size, size));
            // This is −y, so that the residual is b + Dᵀ (−y).
            let mut left = b;
            subtract(&mut left, diagonal, &value.map(|x| -x), (size, size));
            subtract(&mut value, inverse, &left, (size, size));
            let value = value.map(|x| -x);
            x[pivot.block.index()] = value;
            let tiles = tiles[pivot.first as usize + 1..].as_chunks::<2>().0;
            for (coupling, [u, _]) in program.coupled[pivot.couplings()].iter().zip(tiles) {
                let other = &mut x[coupling.block.index()];
                subtract(other, u, &value, (size, coupling.size()));
            }
        }
        blocks(
            &self.trailing,
            &program.trailing,
            &self.scale,
            x,
            &mut self.dense_rhs,
        );
        for pivot in program.pivots.iter().rev() {
            let mut value = x[pivot.block.index()];
            let tiles = tiles[pivot.first as usize + 1..].as_chunks::<2>().0;
            for (coupling, [_, l]) in program.coupled[pivot.couplings()].iter().zip(tiles) {
                let other = &x[coupling.block.index()];
                subtract(&mut value, l, other, (coupling.size(), pivot.size as usize));
            }
            x[pivot.block.index()] = value;
        }
    }
}

/// y −= Tᵀ x of the leading rows and columns; entries past the columns become zero.
fn subtract(y: &mut Column, tile: &Tile, x: &Column, (rows, columns): (usize, usize)) {
    for (c, y) in y.iter_mut().enumerate() {
        if c >= columns {
            *y = 0.0;
            continue;
        }
        for r in 0..rows {
            *y -= tile[entry(r, c)] * x[r];
        }
    }
}

/// Solves for some blocks with a transposed dense factorisation in scaled unknowns.
fn blocks(
    dense: &DenseLu,
    blocks: &[Coupling],
    scale: &[BlockScale],
    x: &mut [Column],
    scratch: &mut [f64],
) {
    let scratch = &mut scratch[..dense.dimension()];
    let mut i = 0;
    for block in blocks {
        let column = &scale[block.block.index()].column;
        for p in 0..block.size() {
            scratch[i + p] = x[block.block.index()][p] * column[p];
        }
        i += block.size();
    }
    dense.solve_transposed(scratch);
    let mut i = 0;
    for block in blocks {
        let x = &mut x[block.block.index()];
        *x = [0.0; TILE];
        for p in 0..block.size() {
            x[p] = scratch[i + p] * scale[block.block.index()].row[p];
        }
        i += block.size();
    }
}
