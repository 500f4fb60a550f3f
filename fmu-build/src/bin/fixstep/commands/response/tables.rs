//! Control plane: amplitudes, densities and histories from tables.

use std::path::Path;

use faer::c64;
use fmu_build::csv::Table;
use fmu_build::slave::Failure;
use linear_analysis::response::excitation::Law;
use linear_analysis::response::polar;
use linear_analysis::spectra::{Curve, Densities, Histories};

use crate::source::table;

/// Densities of pairs of inputs.
type Entries = Vec<(usize, usize, Law)>;

/// A table over frequency or time, some of whose columns were read.
struct Columns {
    table: Table,
    read: Vec<bool>,
}

impl Columns {
    fn open(path: &Path, first: &str) -> Result<Self, Failure> {
        let table = table(path)?;
        if table.names.first().map(String::as_str) != Some(first) {
            let name = table.names.first().map_or("", String::as_str);
            return Err(Failure(format!(
                "{}: the first column is \"{name}\"; valid is \"{first}\"",
                table.origin
            )));
        }
        let mut read = vec![false; table.names.len()];
        read[0] = true;
        Ok(Self { table, read })
    }

    fn take(&mut self, name: &str) -> Option<Vec<f64>> {
        let at = self.table.names.iter().position(|own| own == name)?;
        self.read[at] = true;
        Some(self.table.columns[at].clone())
    }

    fn first(&self) -> Vec<f64> {
        self.table.columns[0].clone()
    }

    fn fail(&self, reason: &dyn std::fmt::Display) -> Failure {
        Failure(format!("{}: {reason}", self.table.origin))
    }

    fn curve(&self, values: Vec<c64>) -> Result<Law, Failure> {
        let curve = Curve::new(self.first(), values);
        curve.map(Law::Sampled).map_err(|wrong| self.fail(&wrong))
    }

    /// All columns were understood.
    fn all_read(&self, valid: &str) -> Result<(), Failure> {
        match self.read.iter().position(|read| !read) {
            None => Ok(()),
            Some(at) => Err(self.fail(&format!(
                "column \"{}\" is not known; valid: {valid}, with the names of inputs",
                self.table.names[at]
            ))),
        }
    }
}

fn complex(re: &[f64], im: &[f64]) -> Vec<c64> {
    re.iter()
        .zip(im)
        .map(|(re, im)| c64::new(*re, *im))
        .collect()
}

fn real(values: &[f64]) -> Vec<c64> {
    values.iter().map(|value| c64::new(*value, 0.0)).collect()
}

/// Amplitudes over frequency.
pub(super) fn amplitudes(path: &Path, inputs: &[&str]) -> Result<Vec<(usize, Law)>, Failure> {
    let mut from = Columns::open(path, "frequency")?;
    let mut laws = Vec::new();
    for (k, name) in inputs.iter().enumerate() {
        if let Some(magnitude) = from.take(name) {
            let phase = from.take(&format!("{name} phase"));
            let phase = phase.unwrap_or_else(|| vec![0.0; magnitude.len()]);
            let both = magnitude.iter().zip(&phase);
            let values = both.map(|(m, p)| polar(*m, *p)).collect();
            laws.push((k, from.curve(values)?));
        }
        let parts = ["re", "im"].map(|part| from.take(&format!("{name} {part}")));
        match parts {
            [Some(re), Some(im)] => laws.push((k, from.curve(complex(&re, &im))?)),
            [None, None] => {}
            _ => {
                return Err(from.fail(&format!(
                    "of \"{name} re\" and \"{name} im\" one is missing"
                )));
            }
        }
    }
    from.all_read("NAME, NAME phase, NAME re, NAME im")?;
    Ok(laws)
}

/// A density over frequency.
pub(super) fn density(path: &Path, input: &str) -> Result<Law, Failure> {
    let mut from = Columns::open(path, "frequency")?;
    let Some(values) = from.take(input) else {
        return Err(from.fail(&format!(
            "there is no column \"{input}\", the power spectral density of that input"
        )));
    };
    from.curve(real(&values))
}

/// Densities of inputs and of pairs of them.
pub(super) fn cross(path: &Path, inputs: &[&str]) -> Result<Entries, Failure> {
    let mut from = Columns::open(path, "frequency")?;
    let mut entries = Vec::new();
    for (i, first) in inputs.iter().enumerate() {
        if let Some(own) = from.take(first) {
            entries.push((i, i, from.curve(real(&own))?));
        }
        for (j, second) in inputs.iter().enumerate().filter(|(j, _)| *j != i) {
            let parts = ["re", "im"].map(|part| from.take(&format!("{first}~{second} {part}")));
            match parts {
                [None, None] => {}
                [Some(_), Some(_)] if entries.iter().any(|(a, b, _)| (*a, *b) == (j, i)) => {
                    return Err(from.fail(&format!(
                        "\"{first}~{second}\" and \"{second}~{first}\": give one of them, the other is its conjugate"
                    )));
                }
                [Some(re), Some(im)] => entries.push((i, j, from.curve(complex(&re, &im))?)),
                _ => {
                    return Err(from.fail(&format!(
                        "of \"{first}~{second} re\" and \"{first}~{second} im\" one is missing"
                    )));
                }
            }
        }
    }
    from.all_read("NAME, A~B re, A~B im")?;
    Ok(entries)
}

/// The densities of all channels of a history, and what to say about them.
pub(super) fn history(
    path: &Path,
    segment: Option<usize>,
    inputs: &[&str],
) -> Result<(Entries, String), Failure> {
    let mut from = Columns::open(path, "time")?;
    let (mut numbers, mut channels) = (Vec::new(), Vec::new());
    for (k, name) in inputs.iter().enumerate() {
        if let Some(channel) = from.take(name) {
            numbers.push(k);
            channels.push(channel);
        }
    }
    from.all_read("time, NAME, …")?;
    let time = from.first();
    let histories = Histories {
        time: &time,
        channels: channels.iter().map(Vec::as_slice).collect(),
    };
    let found = histories
        .densities(segment)
        .map_err(|wrong| from.fail(&wrong))?;
    let mut entries = Vec::new();
    for (i, first) in numbers.iter().enumerate() {
        for (j, second) in numbers[..=i].iter().enumerate() {
            let values = found.pairs[Densities::place(i, j)].clone();
            let law = Curve::new(found.frequencies.clone(), values).map(Law::Sampled);
            entries.push((*first, *second, law.map_err(|wrong| from.fail(&wrong))?));
        }
    }
    let (line, last) = (
        found.frequencies[1],
        found.frequencies[found.frequencies.len() - 1],
    );
    let note = format!(
        "{}: {} segments of {} samples: a line every {line:.4} Hz, up to {last:.4} Hz; there is no excitation beyond",
        path.display(),
        found.segments,
        found.length
    );
    Ok((entries, note))
}
