//! Power-of-two equilibration of the Newton matrix from samples (control plane).
//!
//! Entries of one matrix differ by ten decades (kilograms, kilogram square metres, unit constraint gradients). Rows
//! are scaled by rᵢ and columns by cⱼ such that rᵢ |A|ᵢⱼ cⱼ ≤ about 1: first by the diagonal if there is one,
//! 1/√|A|ᵢᵢ, then zero-diagonal rows (multipliers) by their largest entry, then by a few sweeps of the alternating
//! method of Ruiz (2001) for entries still larger than one. |A| is the entrywise largest magnitude over all samples.
//! Powers of two change no mantissa, so scaling loses no digits.

use super::kernels::BlockScale;
use super::matrix::TileMatrix;
use super::pattern::{BlockId, Pattern};
use super::{TILE, Tile, entry};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use alloc::vec;
use alloc::vec::Vec;

/// Alternating sweeps after the start values; the norms converge linearly with factor 1/2.
const SWEEPS: usize = 6;

/// The largest magnitude of an entry over the samples, if it is not zero.
struct Entry {
    /// Block and index in it.
    row: (usize, usize),
    column: (usize, usize),
    value: f64,
}

/// Largest magnitudes of all entries over the samples; non-finite values count as zero.
fn magnitudes(pattern: &Pattern, samples: &[&TileMatrix]) -> Vec<Entry> {
    let mut result = Vec::with_capacity(4 * pattern.tiles());
    for row in pattern.block_ids() {
        for (column, slot) in pattern.row(row) {
            for j in 0..pattern.size(column) {
                for i in 0..pattern.size(row) {
                    let values = samples.iter().map(|a| a.tile(slot)[entry(i, j)].abs());
                    let value = values.filter(|value| value.is_finite());
                    let value = value.fold(0.0_f64, f64::max);
                    if value > 0.0 {
                        result.push(Entry {
                            row: (row.index(), i),
                            column: (column.index(), j),
                            value,
                        });
                    }
                }
            }
        }
    }
    result
}

/// Scales of every block; one for empty rows and columns, and past a block's size.
pub(super) fn equilibrate(pattern: &Pattern, samples: &[&TileMatrix]) -> Vec<BlockScale> {
    let a = magnitudes(pattern, samples);
    let mut scale = vec![
        BlockScale {
            row: [1.0; TILE],
            column: [1.0; TILE]
        };
        pattern.blocks()
    ];
    start(&a, &mut scale);
    for _ in 0..SWEEPS {
        sweep(&a, &mut scale);
    }
    for block in &mut scale {
        for i in 0..TILE {
            block.row[i] = power_of_two(block.row[i]);
            block.column[i] = power_of_two(block.column[i]);
        }
    }
    scale
}

/// Diagonal scales, then those of multipliers by their largest entry in a scaled column.
fn start(a: &[Entry], scale: &mut [BlockScale]) {
    let mut known = vec![[false; TILE]; scale.len()];
    for entry in a.iter().filter(|entry| entry.row == entry.column) {
        let (b, i) = entry.row;
        let factor = 1.0 / entry.value.sqrt();
        scale[b].row[i] = factor;
        scale[b].column[i] = factor;
        known[b][i] = true;
    }
    let mut largest = vec![[0.0_f64; TILE]; scale.len()];
    for entry in a {
        let ((b, i), (c, j)) = (entry.row, entry.column);
        if !known[b][i] && known[c][j] {
            largest[b][i] = largest[b][i].max(entry.value * scale[c].column[j]);
        }
        if known[b][i] && !known[c][j] {
            largest[c][j] = largest[c][j].max(entry.value * scale[b].row[i]);
        }
    }
    for b in 0..scale.len() {
        for i in 0..TILE {
            if largest[b][i] > 0.0 {
                scale[b].row[i] = 1.0 / largest[b][i];
                scale[b].column[i] = 1.0 / largest[b][i];
            }
        }
    }
}

fn sweep(a: &[Entry], scale: &mut [BlockScale]) {
    let mut rows = vec![[0.0_f64; TILE]; scale.len()];
    let mut columns = vec![[0.0_f64; TILE]; scale.len()];
    for entry in a {
        let ((b, i), (c, j)) = (entry.row, entry.column);
        let scaled = entry.value * scale[b].row[i] * scale[c].column[j];
        rows[b][i] = rows[b][i].max(scaled);
        columns[c][j] = columns[c][j].max(scaled);
    }
    for b in 0..scale.len() {
        for i in 0..TILE {
            if rows[b][i] > 0.0 && columns[b][i] > 0.0 {
                scale[b].row[i] /= rows[b][i].sqrt();
                scale[b].column[i] /= columns[b][i].sqrt();
            }
        }
    }
}

/// The power of two at or below a positive normal number; one for anything else.
fn power_of_two(value: f64) -> f64 {
    if value.is_normal() && value > 0.0 {
        const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
        f64::from_bits(value.to_bits() & EXPONENT)
    } else {
        1.0
    }
}

/// A tile of a sample in the scaled unknowns, padding zero.
pub(super) fn scaled_tile(
    pattern: &Pattern,
    scale: &[BlockScale],
    (row, column): (BlockId, BlockId),
    tile: &Tile,
) -> Tile {
    let mut result = [0.0; TILE * TILE];
    for j in 0..pattern.size(column) {
        for i in 0..pattern.size(row) {
            result[entry(i, j)] =
                tile[entry(i, j)] * scale[row.index()].row[i] * scale[column.index()].column[j];
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::PatternBuilder;

    #[test]
    fn powers_of_two_are_exact() {
        assert_eq!(power_of_two(1.0), 1.0);
        assert_eq!(power_of_two(1.999), 1.0);
        assert_eq!(power_of_two(0.3), 0.25);
        assert_eq!(power_of_two(3e-20).log2().fract(), 0.0);
        assert_eq!(power_of_two(0.0), 1.0);
        assert_eq!(power_of_two(f64::INFINITY), 1.0);
    }

    #[test]
    fn small_masses_beside_unit_gradients_come_out_near_one() {
        let mut builder = PatternBuilder::new();
        let body = builder.add_block(2);
        let joint = builder.add_block(1);
        builder.add_entry(body, joint);
        let pattern = builder.build();
        let mut a = TileMatrix::new(&pattern);
        let diagonal = pattern.slot(body, body).unwrap_or(crate::linalg::Slot(0));
        a.add(diagonal, 0, 0, 1e-3);
        a.add(diagonal, 1, 1, 1e-7);
        for (row, column) in [(body, joint), (joint, body)] {
            let slot = pattern.slot(row, column).unwrap_or(diagonal);
            a.add(slot, 0, 0, 1.0);
        }
        let scale = equilibrate(&pattern, &[&a]);
        let scaled = |(row, i): (BlockId, usize), (column, j): (BlockId, usize)| {
            let slot = pattern.slot(row, column).unwrap_or(diagonal);
            scaled_tile(&pattern, &scale, (row, column), a.tile(slot))[entry(i, j)]
        };
        for value in [
            scaled((body, 0), (body, 0)),
            scaled((body, 1), (body, 1)),
            scaled((body, 0), (joint, 0)),
            scaled((joint, 0), (body, 0)),
        ] {
            assert!((0.2..=1.01).contains(&value), "{value}");
        }
    }
}
