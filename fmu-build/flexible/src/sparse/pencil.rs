//! Control plane: stiffness and mass in one sparsity pattern.

use crate::fe::Symmetric;

/// Two symmetric matrices, upper triangles by columns, in one pattern.
#[derive(Clone, Debug, Default)]
pub struct Pencil {
    pub(super) starts: Vec<usize>,
    pub(super) rows: Vec<usize>,
    pub(super) stiffness: Vec<f64>,
    pub(super) mass: Vec<f64>,
}

/// One of the two matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// K
    Stiffness,
    /// M
    Mass,
}

impl Pencil {
    /// From matrices of the same size.
    pub fn new(stiffness: &Symmetric, mass: &Symmetric) -> Self {
        let size = stiffness.size();
        let mut pencil = Self {
            starts: Vec::with_capacity(size + 1),
            ..Self::default()
        };
        pencil.starts.push(0);
        for column in 0..size {
            let range = |a: &Symmetric| a.starts[column]..a.starts[column + 1];
            let (mut k, mut m) = (range(stiffness), range(mass));
            loop {
                let row = |a: &Symmetric, at: &std::ops::Range<usize>| {
                    (!at.is_empty()).then(|| a.rows[at.start])
                };
                let (of_k, of_m) = (row(stiffness, &k), row(mass, &m));
                let next = match (of_k, of_m) {
                    (None, None) => break,
                    (Some(row), None) | (None, Some(row)) => row,
                    (Some(a), Some(b)) => a.min(b),
                };
                let take = |here: bool, a: &Symmetric, at: &mut std::ops::Range<usize>| {
                    if here {
                        at.next().map_or(0.0, |k| a.values[k])
                    } else {
                        0.0
                    }
                };
                pencil.rows.push(next);
                let here = of_k == Some(next);
                pencil.stiffness.push(take(here, stiffness, &mut k));
                let here = of_m == Some(next);
                pencil.mass.push(take(here, mass, &mut m));
            }
            pencil.starts.push(pencil.rows.len());
        }
        pencil
    }

    /// Number of rows and columns.
    pub fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The leading block.
    #[must_use]
    pub fn leading(&self, size: usize) -> Self {
        let end = self.starts[size];
        Self {
            starts: self.starts[..=size].to_vec(),
            rows: self.rows[..end].to_vec(),
            stiffness: self.stiffness[..end].to_vec(),
            mass: self.mass[..end].to_vec(),
        }
    }

    /// K + s M, in the order of the pattern.
    pub fn shifted(&self, shift: f64) -> Vec<f64> {
        let pairs = self.stiffness.iter().zip(&self.mass);
        pairs.map(|(k, m)| k + shift * m).collect()
    }

    fn values(&self, part: Part) -> &[f64] {
        match part {
            Part::Stiffness => &self.stiffness,
            Part::Mass => &self.mass,
        }
    }

    /// A x.
    pub fn product(&self, part: Part, x: &[f64]) -> Vec<f64> {
        let values = self.values(part);
        let mut y = vec![0.0; self.size()];
        for column in 0..self.size() {
            let (mut sum, at) = (0.0, x[column]);
            for k in self.starts[column]..self.starts[column + 1] {
                let (row, value) = (self.rows[k], values[k]);
                y[row] += value * at;
                if row != column {
                    sum += value * x[row];
                }
            }
            y[column] += sum;
        }
        y
    }

    /// The entries of a column above a row.
    pub fn column_above(
        &self,
        part: Part,
        column: usize,
        below: usize,
    ) -> impl Iterator<Item = (usize, f64)> + '_ {
        let values = self.values(part);
        let range = self.starts[column]..self.starts[column + 1];
        let entries = range.map(move |k| (self.rows[k], values[k]));
        entries.take_while(move |(row, _)| *row < below)
    }

    /// The diagonal.
    pub fn diagonal(&self, part: Part) -> Vec<f64> {
        let values = self.values(part);
        let last = |column: usize| {
            let range = self.starts[column]..self.starts[column + 1];
            let found = range.into_iter().find(|k| self.rows[*k] == column);
            found.map_or(0.0, |k| values[k])
        };
        (0..self.size()).map(last).collect()
    }

    /// Σ |aᵢⱼ| |xᵢ| |xⱼ|: the reference for the rounding of xᵀ A x.
    pub fn absolute_energy(&self, part: Part, x: &[f64]) -> f64 {
        let values = self.values(part);
        let mut sum = 0.0;
        for column in 0..self.size() {
            for k in self.starts[column]..self.starts[column + 1] {
                let row = self.rows[k];
                let twice = if row == column { 1.0 } else { 2.0 };
                sum += twice * (values[k] * x[row] * x[column]).abs();
            }
        }
        sum
    }
}
