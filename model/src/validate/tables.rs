//! Control plane: columns of CSV files beside the model.

use super::builder::Builder;
use crate::csv::{Csv, Header};
use crate::errors::{At, quote, quote_all};
use crate::expr::suggest::hint;
use crate::schema::Column;

/// A file, read.
pub(super) struct Table {
    path: String,
    csv: Csv,
}

impl Table {
    /// Reads the file that the field `file` of an entity at `at` names.
    pub(super) fn open(b: &mut Builder<'_>, path: &str, header: Header, at: &At) -> Option<Self> {
        let csv = b.table(path, header, &at.field("file"))?;
        let path = path.to_owned();
        Some(Self { path, csv })
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.csv.columns.len()
    }

    /// The numbers of a column.
    pub(super) fn values(&self, column: usize) -> Vec<f64> {
        self.csv.columns[column].clone()
    }

    /// The place of a column, which exists.
    pub(super) fn column(&self, b: &mut Builder<'_>, column: &Column, at: &At) -> Option<usize> {
        let names = || self.csv.names.iter().map(String::as_str);
        let (found, message) = match column {
            Column::Name(name) => (
                names().position(|n| n == name),
                if self.csv.names.is_empty() {
                    format!(
                        "{} has no header line to find the column {} in; give the number of the column",
                        quote(&self.path),
                        quote(name)
                    )
                } else {
                    format!(
                        "{} has no column {}{}; valid: {}",
                        quote(&self.path),
                        quote(name),
                        hint(name, names()),
                        quote_all(names())
                    )
                },
            ),
            Column::Number(number) => (
                usize::try_from(number - 1)
                    .ok()
                    .filter(|k| *k < self.width()),
                format!(
                    "{} has no column {number}; valid: 1 to {}",
                    quote(&self.path),
                    self.width()
                ),
            ),
        };
        if found.is_none() {
            b.report.add(at, message);
        }
        found
    }

    /// The name of a column as a number.
    pub(super) fn level(&self, b: &mut Builder<'_>, column: usize, at: &At) -> Option<f64> {
        let name = self.csv.names.get(column).map_or("", String::as_str);
        let number = name.parse().ok().filter(|n: &f64| n.is_finite());
        if number.is_none() {
            let message = format!(
                "{}: the header of column {} is {}, not a number",
                quote(&self.path),
                column + 1,
                quote(name)
            );
            b.report.add(at, message);
        }
        number
    }
}
