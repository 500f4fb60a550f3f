//! Control plane: tables of numbers as comma-separated values.
//!
//! Numbers are written with the fewest digits that read back to the same bits.

use std::fmt::Write as _;

use fixstep_model::csv::{self, Csv, Header};

pub use fixstep_model::csv::CsvError;

/// A table of numbers from a file, in bytes: a hundred columns of half a million rows.
pub const TABLE_BYTES: u64 = 1 << 30;

/// A column of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextColumn {
    /// Name.
    pub name: String,
    /// The texts, as many as the table has rows.
    pub rows: Vec<String>,
}

/// A table with one named column each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// The columns, of equal length.
    pub columns: Vec<Vec<f64>>,
    /// Columns of texts, written behind those of numbers. None are read.
    pub texts: Vec<TextColumn>,
    /// The file that it was read from, for messages; empty: none.
    pub origin: String,
}

impl Table {
    /// An empty table.
    pub fn new(names: Vec<String>) -> Self {
        let columns = vec![Vec::new(); names.len()];
        Self {
            names,
            columns,
            texts: Vec::new(),
            origin: String::new(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Appends a row; surplus numbers are dropped.
    pub fn push(&mut self, row: &[f64]) {
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(*value);
        }
    }

    /// Reads text with a header line, as [`csv::read`] does.
    pub fn parse(text: &str) -> Result<Self, CsvError> {
        let Csv { names, columns } = csv::read(text, Header::Always)?;
        Ok(Self {
            names,
            columns,
            texts: Vec::new(),
            origin: String::new(),
        })
    }

    /// The table as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let texts = self.texts.iter().map(|column| &column.name);
        let names = self.names.iter().chain(texts);
        let header: Vec<String> = names.map(|name| quote(name)).collect();
        let _ = writeln!(text, "{}", header.join(","));
        for row in 0..self.rows() {
            for (index, column) in self.columns.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&number(column[row]));
            }
            for column in &self.texts {
                let value = column.rows.get(row).map_or("", String::as_str);
                let _ = write!(text, ",{}", quoted(value));
            }
            text.push('\n');
        }
        text
    }
}

/// The shortest text that reads back to the same bits; whole numbers without `.0`.
pub fn number(value: f64) -> String {
    let mut text = format!("{value:?}");
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
    text
}

fn quote(name: &str) -> String {
    if name.contains([',', ';', '"', '\n', '\r', '#']) || name.trim() != name {
        quoted(name)
    } else {
        name.to_owned()
    }
}

/// In quotes, those within doubled.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_is_written_reads_back_bit_for_bit() {
        let mut table = Table::new(vec![
            "time".to_owned(),
            "a, \"b\"".to_owned(),
            "c".to_owned(),
        ]);
        table.push(&[0.0, 0.1 + 0.2, -0.0]);
        table.push(&[1e-3, f64::MIN_POSITIVE / 3.0, 1e300]);
        table.push(&[2e-3, 5.0, std::f64::consts::PI]);
        let text = table.to_text();
        let read = Table::parse(&text).unwrap();
        assert_eq!(read.names, table.names);
        for (ours, theirs) in table
            .columns
            .iter()
            .flatten()
            .zip(read.columns.iter().flatten())
        {
            assert_eq!(ours.to_bits(), theirs.to_bits());
        }
        assert!(text.starts_with("time,\"a, \"\"b\"\"\",c\n0,0.30000000000000004,-0\n"));
    }

    #[test]
    fn texts_stand_in_quotes_behind_the_numbers() {
        let mut table = Table::new(vec!["time".to_owned()]);
        table.push(&[0.5]);
        table.push(&[1.0]);
        table.texts = vec![TextColumn {
            name: "state, of it".to_owned(),
            rows: vec!["say \"on\",\nnow".to_owned(), String::new()],
        }];
        let expected = "time,\"state, of it\"\n0.5,\"say \"\"on\"\",\nnow\"\n1,\"\"\n";
        assert_eq!(table.to_text(), expected);
    }
}
