//! Control plane: reads tables of numbers as comma-separated values.

/// A table of numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csv {
    /// Names of the columns; empty without a header line.
    pub names: Vec<String>,
    /// The columns, of equal length.
    pub columns: Vec<Vec<f64>>,
}

/// Is the first line a header?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// If it holds anything but numbers.
    Guess,
    /// Always.
    Always,
}

/// Why a text is not a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct CsvError {
    /// Line, counted from 1.
    pub line: usize,
    /// The fault, and what would be valid.
    pub message: String,
}

/// Reads text. Empty lines and lines that start with `#` are ignored; separators are commas, or, if the first line
/// has none, semicolons, or else tabs.
pub fn read(text: &str, header: Header) -> Result<Csv, CsvError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .peekable();
    let Some((line, first)) = lines.peek().copied() else {
        return Err(CsvError {
            line: 1,
            message: "the table is empty".to_owned(),
        });
    };
    let separator = separator_of(first);
    let fields = split(first, separator).map_err(|message| CsvError { line, message })?;
    let width = fields.len();
    let is_name = |field: &String| field.parse::<f64>().is_err() && !is_decimal_comma(field);
    let named = header == Header::Always || fields.iter().any(is_name);
    let mut table = Csv {
        names: Vec::new(),
        columns: vec![Vec::new(); width],
    };
    if named {
        table.names = fields;
        lines.next();
    }
    for (line, text) in lines {
        table
            .read_row(text, separator)
            .map_err(|message| CsvError { line, message })?;
    }
    Ok(table)
}

/// What separates the columns of a table with this first line. Between numbers with decimal commas it is no comma.
fn separator_of(first: &str) -> char {
    let decimal = |separator: &char| {
        let mut fields = first.split(*separator).map(str::trim);
        first.contains(*separator)
            && fields.all(|field| is_decimal_comma(field) || field.parse::<f64>().is_ok())
    };
    let by_commas = [';', '\t'].into_iter().find(decimal);
    let known = || [',', ';', '\t'].into_iter().find(|s| first.contains(*s));
    by_commas.or_else(known).unwrap_or(',')
}

impl Csv {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Explains a row with a wrong number of fields.
    fn miscounted(&self, text: &str, separator: char, found: usize) -> String {
        let other = [',', ';', '\t']
            .into_iter()
            .find(|other| *other != separator && text.split(*other).count() == self.columns.len());
        if let Some(other) = other {
            let shown = |c: char| {
                if c == '\t' {
                    "a tab".to_owned()
                } else {
                    format!("\"{c}\"")
                }
            };
            format!(
                "; this line is separated by {}, the first line by {}: use one for the whole table",
                shown(other),
                shown(separator)
            )
        } else if separator == ',' && found > self.columns.len() {
            "; is one of the commas a decimal comma? Decimals are written with a point: 0.5"
                .to_owned()
        } else {
            String::new()
        }
    }

    fn read_row(&mut self, text: &str, separator: char) -> Result<(), String> {
        let fields = split(text, separator)?;
        if fields.len() != self.columns.len() {
            let (found, wanted) = (fields.len(), self.columns.len());
            let first = if self.names.is_empty() {
                "the first line has"
            } else {
                "the header names"
            };
            let hint = self.miscounted(text, separator, found);
            return Err(format!("{found} fields, but {first} {wanted}{hint}"));
        }
        for (k, field) in fields.iter().enumerate() {
            let value = field.parse().map_err(|_| {
                let name = self.names.get(k).map_or_else(
                    || format!("column {}", k + 1),
                    |name| format!("column \"{name}\""),
                );
                format!("{name}: {}", no_number(field))
            })?;
            self.columns[k].push(value);
        }
        Ok(())
    }
}

/// Is it a number but for its decimal comma?
pub fn is_decimal_comma(word: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let sides = word.trim_start_matches(['+', '-']).split_once(',');
    sides.is_some_and(|(whole, rest)| {
        let fraction = rest.split(['e', 'E']).next().unwrap_or(rest);
        digits(whole)
            && !fraction.is_empty()
            && digits(fraction)
            && word.replace(',', ".").parse::<f64>().is_ok()
    })
}

/// The message about a field that is not a number.
fn no_number(field: &str) -> String {
    let words: Vec<&str> = field.split_whitespace().collect();
    if field.is_empty() {
        "the field is empty; every row needs a number there, such as 0.25 or 1e-3".to_owned()
    } else if is_decimal_comma(field) {
        format!(
            "\"{field}\" has a decimal comma; write decimals with a point: {}",
            field.replace(',', ".")
        )
    } else if words.len() > 1 && words.iter().all(|word| word.parse::<f64>().is_ok()) {
        format!(
            "\"{field}\" is more than one number; separate columns by commas, semicolons or tabs, not by spaces"
        )
    } else {
        format!("\"{field}\" is not a number such as 0.25 or 1e-3")
    }
}

/// Splits a line; fields may be quoted, quotes in them doubled.
fn split(line: &str, separator: char) -> Result<Vec<String>, String> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let trimmed = rest.trim_start_matches(' ');
        if let Some(quoted) = trimmed.strip_prefix('"') {
            let (field, after) = unquote(quoted)?;
            fields.push(field);
            let after = after.trim_matches([' ', '\r']);
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
    fn dialects_of_other_programs_are_read() {
        let table = read(
            "\u{feff}# by hand\r\nt;u\r\n\r\n0; 1\r\n1;2.5\r\n",
            Header::Guess,
        )
        .unwrap();
        assert_eq!(table.names, ["t", "u"]);
        assert_eq!(table.columns, [vec![0.0, 1.0], vec![1.0, 2.5]]);
        let table = read("0\t1\n2\t-3e-2\n", Header::Guess).unwrap();
        assert!(table.names.is_empty());
        assert_eq!(table.columns, [vec![0.0, 2.0], vec![1.0, -0.03]]);
        let table = read("0,10,20\n1,2,3\n", Header::Always).unwrap();
        assert_eq!((table.rows(), table.names[2].as_str()), (1, "20"));
        let table = read("\"a, \"\"b\"\"\" , c\n1,2\n", Header::Guess).unwrap();
        assert_eq!(table.names, ["a, \"b\"", "c"]);
        assert_eq!(read("1\n2\n", Header::Guess).unwrap().columns, [[1.0, 2.0]]);
    }

    #[test]
    fn errors_name_line_and_column() {
        let message = |text| read(text, Header::Guess).map_err(|error| error.to_string());
        for (text, expected) in [
            ("", "line 1: the table is empty"),
            ("t,u\n0,1\n1\n", "line 3: 1 fields, but the header names 2"),
            ("0,1\n1\n", "line 2: 1 fields, but the first line has 2"),
            (
                "t,u\n\n0,x\n",
                "line 3: column \"u\": \"x\" is not a number such as 0.25 or 1e-3",
            ),
            (
                "0,1\n0,\n",
                "line 2: column 2: the field is empty; every row needs a number there, such as 0.25 or 1e-3",
            ),
            (
                "time;u\n0;1\n0,5;1,5\n",
                "line 3: column \"time\": \"0,5\" has a decimal comma; write decimals with a point: 0.5",
            ),
            (
                "time,u\n0,5,1,5\n",
                "line 2: 4 fields, but the header names 2; is one of the commas a decimal comma? Decimals are written \
                 with a point: 0.5",
            ),
            (
                "time,u\n0;1\n",
                "line 2: 1 fields, but the header names 2; this line is separated by \";\", the first line by \",\": \
                 use one for the whole table",
            ),
            (
                "time u\n0 1\n",
                "line 2: column \"time u\": \"0 1\" is more than one number; separate columns by commas, semicolons or \
                 tabs, not by spaces",
            ),
            ("\"time,u\n", "line 1: a quoted field has no closing quote"),
        ] {
            assert_eq!(message(text), Err(expected.to_owned()));
        }
    }
}
