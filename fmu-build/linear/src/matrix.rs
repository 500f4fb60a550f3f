//! Operations on dense matrices, and lists of unknowns.

use faer::Mat;

/// A list of unknowns, and the index of each in it.
#[derive(Clone, Debug)]
pub struct Index {
    list: Vec<usize>,
    places: Vec<Option<usize>>,
}

impl Index {
    /// The given unknowns, each below `of`.
    pub fn new(list: Vec<usize>, of: usize) -> Self {
        let mut places = vec![None; of];
        for (k, unknown) in list.iter().enumerate() {
            places[*unknown] = Some(k);
        }
        Self { list, places }
    }

    /// All unknowns below `of`.
    pub fn all(of: usize) -> Self {
        Self::new((0..of).collect(), of)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The unknowns.
    pub fn list(&self) -> &[usize] {
        &self.list
    }

    /// The index of an unknown in the list.
    pub fn place(&self, unknown: usize) -> Option<usize> {
        self.places[unknown]
    }
}

/// Some rows of a matrix, in the order of a list.
pub fn pick_rows(from: &Mat<f64>, list: &[usize]) -> Mat<f64> {
    Mat::from_fn(list.len(), from.ncols(), |r, c| from[(list[r], c)])
}

/// Some columns of a matrix, in the order of a list.
pub fn pick_columns(from: &Mat<f64>, list: &[usize]) -> Mat<f64> {
    Mat::from_fn(from.nrows(), list.len(), |r, c| from[(r, list[c])])
}

/// Writes a matrix into another, beginning at a place.
pub fn put(to: &mut Mat<f64>, (row, column): (usize, usize), from: &Mat<f64>) {
    for c in 0..from.ncols() {
        for r in 0..from.nrows() {
            to[(row + r, column + c)] = from[(r, c)];
        }
    }
}

/// The largest magnitude in a matrix.
pub fn largest(of: &Mat<f64>) -> f64 {
    let mut most = 0.0_f64;
    for column in of.col_iter() {
        for x in column.iter() {
            most = most.max(x.abs());
        }
    }
    most
}
