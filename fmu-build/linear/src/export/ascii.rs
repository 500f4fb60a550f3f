//! Writes rows of numbers that `load -ascii` and `numpy.loadtxt` read.

use super::number;
use faer::Mat;

/// A row a line, numbers apart by a blank.
pub(super) fn bytes(of: &Mat<f64>) -> Vec<u8> {
    let mut text = String::new();
    for r in 0..of.nrows() {
        let row: Vec<String> = (0..of.ncols()).map(|c| number(of[(r, c)])).collect();
        text.push_str(&row.join(" "));
        text.push('\n');
    }
    text.into_bytes()
}
