//! Control plane: tables of numbers as comma-separated values.
//!
//! Numbers are written with the fewest digits that read back to the same bits.

use std::fmt::Write as _;

/// A table with one named column each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// The columns, of equal length.
    pub columns: Vec<Vec<f64>>,
}

/// Why a text is not a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct CsvError {
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong and what would be valid.
    pub message: String,
}

impl Table {
    /// An empty table.
    pub fn new(names: Vec<String>) -> Self {
        let columns = vec![Vec::new(); names.len()];
        Self { names, columns }
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

    /// Reads text: a header line, then numbers. Empty lines and lines that start with `#` are
    /// passed over; separators are commas or, if the header holds no comma, semicolons.
    pub fn parse(text: &str) -> Result<Self, CsvError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let Some((line, header)) = lines.next() else {
            return Err(CsvError {
                line: 1,
                message: "the table has no header line".to_owned(),
            });
        };
        let separator = if header.contains(',') || !header.contains(';') {
            ','
        } else {
            ';'
        };
        let names = split(header, separator).map_err(|message| CsvError { line, message })?;
        let mut table = Self::new(names);
        for (line, text) in lines {
            table
                .parse_row(text, separator)
                .map_err(|message| CsvError { line, message })?;
        }
        Ok(table)
    }

    fn parse_row(&mut self, text: &str, separator: char) -> Result<(), String> {
        let fields = split(text, separator)?;
        if fields.len() != self.names.len() {
            let (found, wanted) = (fields.len(), self.names.len());
            return Err(format!("{found} fields, but the header names {wanted}"));
        }
        let mut row = Vec::with_capacity(fields.len());
        for (field, name) in fields.iter().zip(&self.names) {
            let value = field.parse().map_err(|_| {
                format!("column \"{name}\": \"{field}\" is not a number such as 0.25 or 1e-3")
            })?;
            row.push(value);
        }
        self.push(&row);
        Ok(())
    }

    /// The table as text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let header: Vec<String> = self.names.iter().map(|name| quote(name)).collect();
        let _ = writeln!(text, "{}", header.join(","));
        for row in 0..self.rows() {
            for (index, column) in self.columns.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&number(column[row]));
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
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// Splits a line; fields may be quoted, quotes in them doubled.
fn split(line: &str, separator: char) -> Result<Vec<String>, String> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start();
        if let Some(quoted) = trimmed.strip_prefix('"') {
            let (field, after) = unquote(quoted)?;
            fields.push(field);
            let after = after.trim_start();
            if after.is_empty() {
                return Ok(fields);
            }
            rest = after.strip_prefix(separator).ok_or_else(|| {
                format!("after a closing quote comes \"{separator}\", not \"{after}\"")
            })?;
        } else if let Some((field, after)) = rest.split_once(separator) {
            fields.push(field.trim().to_owned());
            rest = after;
        } else {
            fields.push(rest.trim().to_owned());
            return Ok(fields);
        }
    }
}

fn unquote(text: &str) -> Result<(String, &str), String> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest
            .split_once('"')
            .ok_or_else(|| "a quoted field has no closing quote".to_owned())?;
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                field.push('"');
                rest = after;
            }
            None => return Ok((field, after)),
        }
    }
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
    fn other_programs_dialects_are_read() {
        let table =
            Table::parse("\u{feff}# made by hand\r\ntime;u\r\n\r\n0; 1\r\n1;2.5\r\n").unwrap();
        assert_eq!(table.names, ["time", "u"]);
        assert_eq!(table.columns, [vec![0.0, 1.0], vec![1.0, 2.5]]);
    }

    #[test]
    fn errors_name_line_and_column() {
        let message = |text| Table::parse(text).map_err(|error| error.to_string());
        assert_eq!(
            message(""),
            Err("line 1: the table has no header line".to_owned())
        );
        assert_eq!(
            message("time,u\n0,1\n1\n"),
            Err("line 3: 1 fields, but the header names 2".to_owned())
        );
        assert_eq!(
            message("time,u\n\n0,x\n"),
            Err("line 3: column \"u\": \"x\" is not a number such as 0.25 or 1e-3".to_owned())
        );
        assert!(message("\"time,u\n").is_err());
    }
}
