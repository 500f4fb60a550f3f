//! Control plane: the table of a study: one row for each run, in the form in which chunks keep it.
//!
//! Numbers read back to the same bits, so the table that is put together of chunks is the one that a single worker writes.

use super::Study;
use super::vary::Level;
use crate::csv::number;
use crate::slave::Failure;

/// Columns that every table has.
pub const OWN: [&str; 7] = [
    "run", "end", "warnings", "status", "reason", "warning", "model",
];

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// At its stop time.
    Done,
    /// A sensor of the model has ended it.
    Stopped,
    /// It did not start, or broke off.
    Failed,
}

/// The words for it.
const STATUS: [(&str, Status); 3] = [
    ("done", Status::Done),
    ("stopped", Status::Stopped),
    ("failed", Status::Failed),
];

impl Status {
    /// The word for it.
    pub fn word(self) -> &'static str {
        let named = STATUS.iter().find(|(_, status)| *status == self);
        named.map_or("", |(word, _)| word)
    }
}

/// A run, and what it has told.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its number, from 0.
    pub run: usize,
    /// What was varied.
    pub levels: Vec<Level>,
    /// The results; NaN: none.
    pub results: Vec<f64>,
    /// The time that it reached (s).
    pub end: f64,
    /// How it ended.
    pub status: Status,
    /// Why, if it is not done.
    pub reason: String,
    /// Number of its warnings.
    pub warnings: usize,
    /// The first of them.
    pub warning: String,
    /// The token of its model.
    pub model: String,
}

/// The columns of a table: those of numbers, then those of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Numbers.
    pub numbers: Vec<String>,
    /// Texts.
    pub texts: Vec<String>,
    /// Which factors are numbers.
    numeric: Vec<bool>,
    results: usize,
}

impl Columns {
    /// Those of a study.
    pub fn of(study: &Study) -> Self {
        let factors = &study.spec.factors;
        let numeric: Vec<bool> = factors.iter().map(super::vary::Factor::is_number).collect();
        let named = |wanted: bool| {
            let all = factors.iter().zip(&numeric);
            all.filter(move |(_, is)| **is == wanted)
                .map(|(factor, _)| factor.name.clone())
        };
        let results = study.spec.results.iter().map(|wanted| wanted.name.clone());
        let own = |names: &'static [&str]| names.iter().map(|name| (*name).to_owned());
        let numbers = own(&OWN[..1]).chain(named(true)).chain(results);
        Self {
            numbers: numbers.chain(own(&OWN[1..3])).collect(),
            texts: named(false).chain(own(&OWN[3..])).collect(),
            results: study.spec.results.len(),
            numeric,
        }
    }

    /// The line above the rows.
    pub fn header(&self) -> String {
        let names = self.numbers.iter().chain(&self.texts);
        let plain = |name: &String| {
            let special = name.contains([',', ';', '"', '#']) || name.trim() != name;
            if special { quoted(name) } else { name.clone() }
        };
        names.map(plain).collect::<Vec<_>>().join(",") + "\n"
    }

    /// A row as a line.
    pub fn line(&self, row: &Row) -> String {
        let mut cells = vec![row.run.to_string()];
        let factors = || row.levels.iter().zip(&self.numeric);
        let numbers = factors().filter(|(_, is)| **is);
        cells.extend(numbers.map(|(level, _)| level.text()));
        cells.extend(row.results.iter().map(|value| number(*value)));
        cells.push(number(row.end));
        cells.push(row.warnings.to_string());
        let words = factors().filter(|(_, is)| !**is);
        cells.extend(words.map(|(level, _)| quoted(&level.text())));
        let told = [row.status.word(), &row.reason, &row.warning, &row.model];
        cells.extend(told.map(quoted));
        cells.join(",") + "\n"
    }

    /// The row of a line.
    pub fn row(&self, line: &str) -> Result<Row, Failure> {
        let wrong = || Failure(format!("\"{line}\" is no row of this study"));
        let mut rest = line;
        let mut numbers = Vec::new();
        for _ in &self.numbers {
            let (cell, after) = rest.split_once(',').ok_or_else(wrong)?;
            numbers.push(cell.parse::<f64>().map_err(|_| wrong())?);
            rest = after;
        }
        let texts = texts(rest).ok_or_else(wrong)?;
        let factors = self.numeric.iter().filter(|is| **is).count();
        let (Some([reason, warning, model]), Some(status)) = (
            texts.last_chunk::<3>(),
            texts.len().checked_sub(4).and_then(|at| texts.get(at)),
        ) else {
            return Err(wrong());
        };
        let status = STATUS.iter().find(|(word, _)| word == status);
        let (mut numeric, mut words) = (numbers[1..=factors].iter(), texts.iter());
        let level = |is: &bool| {
            Some(if *is {
                Level::Number(*numeric.next()?)
            } else {
                Level::Word(words.next()?.clone())
            })
        };
        let levels: Option<Vec<Level>> = self.numeric.iter().map(level).collect();
        let behind = 1 + factors;
        Ok(Row {
            run: numbers[0] as usize,
            levels: levels.ok_or_else(wrong)?,
            results: numbers[behind..behind + self.results].to_vec(),
            end: numbers[behind + self.results],
            warnings: numbers[behind + self.results + 1] as usize,
            status: status.ok_or_else(wrong)?.1,
            reason: reason.clone(),
            warning: warning.clone(),
            model: model.clone(),
        })
    }

    /// The numbers of a row in the order of the columns.
    pub fn numbers_of(&self, row: &Row) -> Vec<f64> {
        let numbers = row.levels.iter().filter_map(|level| match level {
            Level::Number(value) => Some(*value),
            Level::Word(_) => None,
        });
        let results = row.results.iter().copied();
        let before = std::iter::once(row.run as f64)
            .chain(numbers)
            .chain(results);
        before.chain([row.end, row.warnings as f64]).collect()
    }

    /// The texts of a row in the order of the columns.
    pub fn texts_of(&self, row: &Row) -> Vec<String> {
        let words = row.levels.iter().filter_map(|level| match level {
            Level::Number(_) => None,
            Level::Word(text) => Some(text.clone()),
        });
        let own = [row.status.word(), &row.reason, &row.warning, &row.model];
        words.chain(own.map(str::to_owned)).collect()
    }
}

/// In quotes, those within doubled, in one line.
fn quoted(text: &str) -> String {
    let line = text.replace(['\n', '\r'], " ");
    format!("\"{}\"", line.replace('"', "\"\""))
}

/// Texts in quotes, with commas between them.
fn texts(line: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.strip_prefix('"')?;
        let mut text = String::new();
        loop {
            let (before, after) = rest.split_once('"')?;
            text.push_str(before);
            rest = after;
            match rest.strip_prefix('"') {
                Some(after) => {
                    text.push('"');
                    rest = after;
                }
                None => break,
            }
        }
        all.push(text);
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None => return rest.is_empty().then_some(all),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn rows_read_back_bit_for_bit() {
        let columns = Columns {
            numbers: ["run", "k", "peak", "late", "end", "warnings"]
                .map(str::to_owned)
                .to_vec(),
            texts: ["way", "status", "reason", "warning", "model"]
                .map(str::to_owned)
                .to_vec(),
            numeric: vec![true, false],
            results: 2,
        };
        let row = Row {
            run: 17,
            levels: vec![Level::Number(0.1 + 0.2), Level::Word("a, \"b\"".to_owned())],
            results: vec![-0.0, f64::MIN_POSITIVE / 3.0],
            end: 4.0,
            status: Status::Failed,
            reason: "it \"fell\", twice".to_owned(),
            warnings: 3,
            warning: String::new(),
            model: "00ff".to_owned(),
        };
        let line = columns.line(&row);
        let read = columns.row(line.trim_end()).unwrap();
        assert_eq!(read, row);
        assert_eq!(read.results[0].to_bits(), (-0.0_f64).to_bits());
        assert_eq!(columns.line(&read), line);
        assert_eq!(columns.numbers_of(&row).len(), columns.numbers.len());
        assert_eq!(columns.texts_of(&row).len(), columns.texts.len());
        for bad in [
            "",
            "1,2",
            "1,x,3,4,5,6,\"a\",\"done\",\"\",\"\",\"\"",
            "1,2,3,4,5,6,\"a\",\"gone\",\"\",\"\",\"\"",
        ] {
            assert!(columns.row(bad).is_err(), "{bad}");
        }
    }
}
