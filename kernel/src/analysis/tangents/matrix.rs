//! Control plane: a sparse matrix as a sorted list of entries, the form in which tangents leave the kernel.

use alloc::vec;
use alloc::vec::Vec;

/// A nonzero entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Its row.
    pub row: usize,
    /// Its column.
    pub column: usize,
    /// Its value.
    pub value: f64,
}

/// A sparse matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseMatrix {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Nonzero entries, by rows and within a row by columns; each position once.
    pub entries: Vec<Entry>,
}

impl SparseMatrix {
    /// Builds from entries in any order; entries at one position add up.
    pub(in crate::analysis) fn new(rows: usize, columns: usize, mut entries: Vec<Entry>) -> Self {
        entries.sort_by_key(|entry| (entry.row, entry.column));
        entries.dedup_by(|next, kept| {
            let same = (next.row, next.column) == (kept.row, kept.column);
            if same {
                kept.value += next.value;
            }
            same
        });
        entries.retain(|entry| entry.value != 0.0);
        Self {
            rows,
            columns,
            entries,
        }
    }

    /// One entry; zero where there is none.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let place = |entry: &Entry| (entry.row, entry.column).cmp(&(row, column));
        let found = self.entries.binary_search_by(place);
        found.map_or(0.0, |k| self.entries[k].value)
    }

    /// The full matrix, row by row.
    pub fn dense(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.rows * self.columns];
        for entry in &self.entries {
            all[entry.row * self.columns + entry.column] = entry.value;
        }
        all
    }
}
