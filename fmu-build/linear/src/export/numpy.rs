//! Writes archives of NumPy.

use super::{Export, NoFile};
use crate::numpy::{archive, reals, texts};
use faer::Mat;

impl Export<'_> {
    /// The archive.
    pub(super) fn npz(&self) -> Result<Vec<u8>, NoFile> {
        let mut arrays = Vec::new();
        for (name, of) in self.matrices() {
            arrays.push((name, matrix(&of)));
        }
        for (name, list) in self.labels() {
            arrays.push((name, texts(&list)));
        }
        for (name, list) in self.levels() {
            arrays.push((name, reals(&format!("({},)", list.len()), &list)));
        }
        arrays.push(("time", reals("()", &[self.point.time])));
        arrays.push(("positions", reals("()", &[self.form.positions as f64])));
        archive(arrays).map_err(NoFile::Archive)
    }
}

fn matrix(of: &Mat<f64>) -> Vec<u8> {
    let shape = format!("({}, {})", of.nrows(), of.ncols());
    let rows = 0..of.nrows();
    let values = rows.flat_map(|r| (0..of.ncols()).map(move |c| of[(r, c)]));
    reals(&shape, &values.collect::<Vec<f64>>())
}
