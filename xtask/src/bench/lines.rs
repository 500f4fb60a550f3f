//! The measurements: lines of flat JSON, from several programs and rounds. Control plane.

use std::fs;
use std::path::Path;

use crate::shell::{Result, unusable};

/// One object without objects inside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line(String);

impl Line {
    /// The text after a key and its colon.
    fn after(&self, key: &str) -> Option<&str> {
        let (_, rest) = self.0.split_once(&format!("\"{key}\""))?;
        Some(rest.trim_start().strip_prefix(':')?.trim_start())
    }

    /// The number of a key.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        let rest = self.after(key)?;
        let end = rest.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
        rest[..end.unwrap_or(rest.len())].parse().ok()
    }

    /// The text of a key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.after(key)?.strip_prefix('"')?.split('"').next()
    }
}

/// All lines of a benchmark.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(Vec<Line>);

impl Lines {
    /// Extracts the objects from a program's output, with fields added in front of each.
    pub(crate) fn add(&mut self, fields: &str, output: &str) {
        let objects = output
            .lines()
            .filter_map(|line| line.trim().strip_prefix('{'));
        let separator = if fields.is_empty() { "" } else { ", " };
        let lines = objects.map(|rest| Line(format!("{{{fields}{separator}{rest}")));
        self.0.extend(lines);
    }

    /// One more line.
    pub(crate) fn push(&mut self, line: Line) {
        self.0.push(line);
    }

    /// Reads what was written.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut lines = Self::default();
        lines.add("", &fs::read_to_string(path).map_err(unusable(path))?);
        Ok(lines)
    }

    /// Writes all lines.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let lines: Vec<&str> = self.0.iter().map(|line| line.0.as_str()).collect();
        fs::write(path, lines.join("\n") + "\n").map_err(unusable(path))
    }

    /// Those whose keys have these texts.
    pub(crate) fn of(&self, keys: &[(&str, &str)]) -> Self {
        let fits = |line: &&Line| {
            keys.iter()
                .all(|(key, value)| line.text(key) == Some(value))
        };
        Self(self.0.iter().filter(fits).cloned().collect())
    }

    /// The lines.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Line> {
        self.0.iter()
    }

    /// The first text of a key.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.0.iter().find_map(|line| line.text(key))
    }

    /// The numbers of a key, in order of size.
    fn numbers(&self, key: &str) -> Vec<f64> {
        let numbers = self.0.iter().filter_map(|line| line.number(key));
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    }

    /// The median of a key over rounds.
    pub(crate) fn median(&self, key: &str) -> Option<f64> {
        let numbers = self.numbers(key);
        numbers.get(numbers.len() / 2).copied()
    }

    /// The distance of the outermost rounds as part of the median.
    pub(crate) fn spread(&self, key: &str) -> Option<f64> {
        let numbers = self.numbers(key);
        let (low, high) = (numbers.first()?, numbers.last()?);
        Some((high - low) / self.median(key)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_and_rounds_have_a_median() {
        let mut lines = Lines::default();
        for us in ["3e0", "1.5", "2"] {
            let output = format!("said before\n{{\"us\": {us}, \"probe\": \"1 2\"}}\n");
            lines.add("\"case\": \"chain\", \"residual\": 1", &output);
        }
        lines.add("\"case\": \"car\"", "{\"us\": 9}");
        let chain = lines.of(&[("case", "chain")]);
        assert_eq!(chain.median("us"), Some(2.0));
        assert_eq!(chain.spread("us"), Some(0.75));
        assert_eq!(chain.text("probe"), Some("1 2"));
        assert_eq!(chain.iter().count(), 3);
        assert_eq!(lines.of(&[("case", "none")]).median("us"), None);
    }
}
