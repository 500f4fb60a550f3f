//! Control plane: a finite-element model as nodes, unknowns and two symmetric matrices.

use std::collections::BTreeMap;

use fixstep_kernel::math::Vec3;

use crate::strain::Solid;

/// A finite-element model, SI.
#[derive(Clone, Debug, Default)]
pub struct FeModel {
    /// Nodes.
    pub nodes: Vec<FeNode>,
    /// The unknown of each equation of the matrices.
    pub unknowns: Vec<Unknown>,
    /// Stiffness.
    pub stiffness: Symmetric,
    /// Mass.
    pub mass: Symmetric,
    /// Pairs of nodes between which a line is drawn.
    pub edges: Vec<[usize; 2]>,
    /// Faces of the surface: corners in sequence, of a triangle the last one twice.
    pub faces: Vec<[usize; 4]>,
    /// Named sets of nodes.
    pub sets: Vec<(String, Vec<usize>)>,
    /// Solid elements, if a mesh gives them.
    pub solids: Vec<Solid>,
    /// For each node of an element whose strain does not follow from its nodes: the type of that element.
    pub opaque: BTreeMap<usize, String>,
    /// Rigid bodies without unknowns of their own: the reference node, and those that follow it.
    pub followers: Vec<(usize, Vec<usize>)>,
    /// Names and fingerprints of the files it was read from.
    pub sources: Vec<(String, String)>,
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeNode {
    /// Its number in its file.
    pub id: u64,
    /// Where it is \[m\].
    pub position: Vec3,
}

/// A displacement or rotation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unknown {
    /// Place among the nodes.
    pub node: usize,
    /// 0 to 2 translation along x, y, z; 3 to 5 rotation about x, y, z.
    pub direction: usize,
}

/// A sparse symmetric matrix: the upper triangle by columns, rows ascending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Symmetric {
    /// Where each column begins, and the end.
    pub starts: Vec<usize>,
    /// Rows, at most the column.
    pub rows: Vec<usize>,
    /// Values.
    pub values: Vec<f64>,
}

impl Symmetric {
    /// From entries of one triangle, or of both halves summed by the caller: each entry (row, column) is moved to the
    /// upper triangle, and repeated ones add up.
    pub fn from_entries(size: usize, entries: &mut [(usize, usize, f64)]) -> Self {
        for entry in entries.iter_mut() {
            if entry.0 > entry.1 {
                (entry.0, entry.1) = (entry.1, entry.0);
            }
        }
        entries.sort_by_key(|(row, column, _)| (*column, *row));
        let mut matrix = Self {
            starts: vec![0; size + 1],
            ..Self::default()
        };
        let mut last = None;
        for (row, column, value) in entries.iter().copied() {
            if last == Some((row, column)) {
                if let Some(sum) = matrix.values.last_mut() {
                    *sum += value;
                }
                continue;
            }
            last = Some((row, column));
            matrix.rows.push(row);
            matrix.values.push(value);
            matrix.starts[column + 1] += 1;
        }
        for column in 0..size {
            matrix.starts[column + 1] += matrix.starts[column];
        }
        matrix
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The stored entries (row, column, value), row ≤ column.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.size()).flat_map(move |column| {
            let range = self.starts[column]..self.starts[column + 1];
            range.map(move |k| (self.rows[k], column, self.values[k]))
        })
    }

    /// y += A x.
    pub fn add_product(&self, x: &[f64], y: &mut [f64]) {
        for (row, column, value) in self.entries() {
            y[row] += value * x[column];
            if row != column {
                y[column] += value * x[row];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_either_triangle_add_up() {
        let mut entries = [(1, 0, 2.0), (0, 0, 4.0), (0, 1, 1.0), (2, 2, 5.0)];
        let a = Symmetric::from_entries(3, &mut entries);
        let stored: Vec<_> = a.entries().collect();
        assert_eq!(stored, [(0, 0, 4.0), (0, 1, 3.0), (2, 2, 5.0)]);
        let mut y = [0.0; 3];
        a.add_product(&[1.0, 2.0, 3.0], &mut y);
        assert_eq!(y, [10.0, 3.0, 15.0]);
    }
}
