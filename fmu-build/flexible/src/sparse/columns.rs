//! Control plane: tall dense matrices, column by column.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Dense columns of one length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    rows: usize,
    data: Vec<f64>,
}

impl Columns {
    /// No columns of some length.
    pub fn new(rows: usize) -> Self {
        Self {
            rows,
            data: Vec::new(),
        }
    }

    /// Columns of zeros.
    pub fn zeros(rows: usize, count: usize) -> Self {
        Self {
            rows,
            data: vec![0.0; rows * count],
        }
    }

    /// Length of a column.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn count(&self) -> usize {
        self.data.len().checked_div(self.rows).unwrap_or(0)
    }

    /// A column.
    pub fn col(&self, j: usize) -> &[f64] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// A column, to be changed.
    pub fn col_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// All columns in turn.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.count()).map(|j| self.col(j))
    }

    /// One more column.
    pub fn push(&mut self, column: &[f64]) {
        self.data.extend_from_slice(column);
    }

    /// The columns of another behind these.
    pub fn append(&mut self, other: &Self) {
        self.data.extend_from_slice(&other.data);
    }

    /// Leaves the first columns.
    pub fn truncate(&mut self, count: usize) {
        self.data.truncate(count * self.rows);
    }

    /// Some of the columns.
    #[must_use]
    pub fn selected(&self, columns: impl IntoIterator<Item = usize>) -> Self {
        let mut chosen = Self::new(self.rows);
        for j in columns {
            chosen.push(self.col(j));
        }
        chosen
    }

    /// As a matrix.
    pub fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.data, self.rows, self.count())
    }

    /// As a matrix, to be changed.
    pub fn view_mut(&mut self) -> MatMut<'_, f64> {
        let count = self.count();
        MatMut::from_column_major_slice_mut(&mut self.data, self.rows, count)
    }

    /// Aᵀ B.
    pub fn gram(&self, other: &Self) -> Mat<f64> {
        let mut product = Mat::zeros(self.count(), other.count());
        let (a, b) = (self.view().transpose(), other.view());
        matmul(&mut product, Accum::Replace, a, b, 1.0, Par::Seq);
        product
    }

    /// A C.
    #[must_use]
    pub fn times(&self, c: MatRef<'_, f64>) -> Self {
        let mut product = Self::zeros(self.rows, c.ncols());
        let (to, a) = (product.view_mut(), self.view());
        matmul(to, Accum::Replace, a, c, 1.0, Par::Seq);
        product
    }

    /// A −= B C.
    pub fn subtract(&mut self, b: &Self, c: MatRef<'_, f64>) {
        matmul(self.view_mut(), Accum::Add, b.view(), c, -1.0, Par::Seq);
    }
}

/// Σ aᵢ bᵢ, in order.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
