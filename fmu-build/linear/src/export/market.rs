//! Matrix Market files, in coordinate format.

use super::number;
use faer::Mat;
use std::fmt::Write as _;

/// One matrix.
pub(super) fn bytes(model: &str, name: &str, of: &Mat<f64>) -> Vec<u8> {
    let mut entries = Vec::new();
    for c in 0..of.ncols() {
        for r in 0..of.nrows() {
            if of[(r, c)] != 0.0 {
                entries.push(format!("{} {} {}", r + 1, c + 1, number(of[(r, c)])));
            }
        }
    }
    let mut text = String::from("%%MatrixMarket matrix coordinate real general\n");
    let (rows, columns) = (of.nrows(), of.ncols());
    let _ = writeln!(text, "% {name} of the linear form of {model}");
    let _ = writeln!(text, "{rows} {columns} {}", entries.len());
    for entry in entries {
        text.push_str(&entry);
        text.push('\n');
    }
    text.into_bytes()
}
