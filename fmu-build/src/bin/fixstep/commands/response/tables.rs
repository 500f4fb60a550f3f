//! Control plane: reads amplitudes, densities and histories from tables.

use std::path::Path;

use faer::c64;
use fmu_build::csv::Table;
use fmu_build::slave::Failure;
use linear_analysis::response::excitation::Law;
use linear_analysis::response::polar;
use linear_analysis::spectra::{Curve, Densities, Histories};

use super::show::figure;
use crate::args::Interpolation;
use crate::source::table;

/// Root mean squares that differ by less than this fraction are equal.
const ALIKE: f64 = 0.02;

/// Cross densities of pairs of inputs.
type Entries = Vec<(usize, usize, Law)>;

/// A table over frequency or time, some of whose columns have been read.
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

    /// A density or cross density needs two rows: with one row it would be zero everywhere else.
    fn density(&self, values: Vec<c64>, between: Interpolation) -> Result<Law, Failure> {
        if values.len() == 1 {
            return Err(self.fail(
                &"one row is no density: it is read between rows and is zero outside them, so its root mean square would be 0; give two \
                  rows or more, or --psd NAME=VALUE for the same density at all frequencies",
            ));
        }
        let curve = Curve::new(self.first(), values);
        let curve = match between {
            Interpolation::Linear => curve,
            Interpolation::Log => curve.and_then(Curve::logarithmic),
        };
        curve.map(Law::Sampled).map_err(|wrong| self.fail(&wrong))
    }

    fn curve(&self, values: Vec<c64>) -> Result<Law, Failure> {
        let curve = Curve::new(self.first(), values);
        curve.map(Law::Sampled).map_err(|wrong| self.fail(&wrong))
    }

    /// Refuses a complex column with one part only.
    fn half(&self, name: &str, real: bool) -> Failure {
        let (missing, there) = if real { ("re", "im") } else { ("im", "re") };
        self.fail(&format!(
            "there is no column \"{name} {missing}\" beside \"{name} {there}\"; valid are both, with zeros where it is real"
        ))
    }

    /// Checks that a column belongs to an input.
    fn some_read(&self, valid: &str, inputs: &[&str]) -> Result<(), Failure> {
        if self.read.iter().skip(1).any(|read| *read) {
            return Ok(());
        }
        Err(self.fail(&format!(
            "there is no column of an input beside \"{}\"; valid: {valid}, with the names of inputs: {}",
            self.table.names[0],
            inputs.join(", ")
        )))
    }

    /// Checks that all columns are known.
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
            [re, _] => return Err(from.half(name, re.is_none())),
        }
    }
    let valid = "NAME, NAME phase, NAME re, NAME im";
    from.all_read(valid)?;
    from.some_read(valid, inputs)?;
    Ok(laws)
}

/// A density: a number, or a table over frequency.
pub(super) fn density((name, value): (&str, &str), between: Interpolation) -> Result<Law, Failure> {
    if let Ok(value) = value.parse::<f64>() {
        return Ok(Law::Constant(c64::new(value, 0.0)));
    }
    let path = Path::new(value);
    if !path.exists() {
        return Err(Failure(format!(
            "--psd {name}={value}: \"{value}\" is neither a number nor a file that is there; valid: a density from 0, such as \
             {name}=0.5, or a table with the columns frequency and {name}"
        )));
    }
    let mut from = Columns::open(path, "frequency")?;
    let Some(values) = from.take(name) else {
        return Err(from.fail(&format!(
            "there is no column \"{name}\", the power spectral density of that input"
        )));
    };
    from.density(real(&values), between)
}

/// The note if logarithmic interpolation gives another root mean square.
pub(super) fn other_lines(law: &Law, table: &str) -> Option<String> {
    let Law::Sampled(curve) = law else {
        return None;
    };
    let (linear, logarithmic) = curve.integrals()?;
    let (linear, logarithmic) = (linear.sqrt(), logarithmic.sqrt());
    ((linear / logarithmic - 1.0).abs() > ALIKE).then(|| {
        format!(
            "{table}: between its rows the density is interpolated on linear axes, which gives the root mean square \
             {}; on logarithmic axes, as in specifications, it is {}; choose by --psd-interpolation log, or \
             linear to suppress this note",
            figure(linear),
            figure(logarithmic)
        )
    })
}

/// Densities and cross densities of inputs.
pub(super) fn cross(path: &Path, inputs: &[&str]) -> Result<Entries, Failure> {
    let mut from = Columns::open(path, "frequency")?;
    let linear = Interpolation::Linear;
    let mut entries = Vec::new();
    for (i, first) in inputs.iter().enumerate() {
        if let Some(own) = from.take(first) {
            entries.push((i, i, from.density(real(&own), linear)?));
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
                [Some(re), Some(im)] => {
                    entries.push((i, j, from.density(complex(&re, &im), linear)?));
                }
                [re, _] => return Err(from.half(&format!("{first}~{second}"), re.is_none())),
            }
        }
    }
    let valid = "NAME, A~B re, A~B im";
    from.all_read(valid)?;
    from.some_read(valid, inputs)?;
    Ok(entries)
}

/// The densities of all channels of a history, and a note on their resolution.
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
    from.all_read("NAME, …")?;
    from.some_read("NAME, …", inputs)?;
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
        "{}: {} segments of {} samples: resolution {line:.4} Hz, up to {last:.4} Hz; there is no excitation above",
        path.display(),
        found.segments,
        found.length
    );
    Ok((entries, note))
}
