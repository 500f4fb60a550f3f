//! A script for OML, Octave and MATLAB.

use super::{Export, number};
use faer::Mat;
use std::fmt::Write as _;

impl Export<'_> {
    /// Assignments of all matrices, names and values.
    pub(super) fn oml(&self) -> String {
        let mut text = format!(
            "% Linear form of {}: E x' = A x + B u, y = C x + D u\n",
            self.name
        );
        let _ = writeln!(text, "time = {};", number(self.point.time));
        let _ = writeln!(text, "positions = {};", self.form.positions);
        for (name, of) in self.matrices() {
            let _ = writeln!(text, "{name} = {};", matrix(&of, "\n  "));
        }
        for (name, list) in self.labels() {
            let quoted = list
                .iter()
                .map(|each| format!("'{}'", each.replace('\'', "''")));
            let _ = writeln!(
                text,
                "{name} = {{{}}};",
                quoted.collect::<Vec<_>>().join("; ")
            );
        }
        for (name, list) in self.levels() {
            let column = Mat::from_fn(list.len(), 1, |r, _| list[r]);
            let _ = writeln!(text, "{name} = {};", matrix(&column, " "));
        }
        text
    }
}

/// A matrix as `[1, 2; 3, 4]`, with `between` between the rows; an empty one by its size.
pub(super) fn matrix(of: &Mat<f64>, between: &str) -> String {
    if of.nrows() == 0 || of.ncols() == 0 {
        return format!("zeros({}, {})", of.nrows(), of.ncols());
    }
    let row = |r: usize| {
        let numbers: Vec<String> = (0..of.ncols()).map(|c| number(of[(r, c)])).collect();
        numbers.join(", ")
    };
    let rows: Vec<String> = (0..of.nrows()).map(row).collect();
    format!("[{}]", rows.join(&format!(";{between}")))
}
