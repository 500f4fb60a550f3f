//! Control plane: computes responses on a grid of frequencies.

use std::cell::{Cell, RefCell};

use faer::{Mat, c64};
use fmu_build::slave::Failure;
use linear_analysis::random::{Spectrum, Variances};
use linear_analysis::response::excitation::{Excitation, total};
use linear_analysis::response::grid::Grid;
use linear_analysis::response::{Peak, Route, STEPS, degrees, peaks};
use serde::Serialize;

use super::Subject;
use super::ask::Asked;
use crate::console::Console;

/// Largest number of multiplications of the search for peaks.
const MOST_WORK: u64 = 2_000_000_000;
/// Largest number of responses that are kept.
const MOST_RESPONSES: usize = 20_000_000;

/// Responses.
pub(super) enum Found {
    /// Amplitudes, or responses of outputs to inputs.
    Amplitudes(Vec<Line>),
    /// Densities.
    Densities(Vec<Density>),
}

/// An amplitude over frequency.
pub(super) struct Line {
    pub(super) output: String,
    /// The input; `None` for the sum of all.
    pub(super) input: Option<String>,
    pub(super) unit: String,
    pub(super) values: Vec<c64>,
    pub(super) peaks: Vec<(Peak, f64)>,
    /// Its excitation is zero at all frequencies.
    pub(super) silent: bool,
}

impl Line {
    pub(super) fn name(&self) -> String {
        match &self.input {
            Some(input) => format!("{} by {input}", self.output),
            None => self.output.clone(),
        }
    }
}

/// A power spectral density.
pub(super) struct Density {
    pub(super) output: String,
    /// Units of the output and of its density.
    pub(super) unit: String,
    pub(super) per_hertz: String,
    pub(super) values: Vec<f64>,
    /// The root mean square of all frequencies up to each; empty for a single frequency.
    pub(super) growing: Vec<f64>,
    pub(super) bands: Vec<Band>,
    pub(super) peaks: Vec<Peak>,
    /// The whole excitation is zero at all frequencies.
    pub(super) silent: bool,
}

impl Density {
    /// The root mean square over all frequencies.
    pub(super) fn rms(&self) -> Option<f64> {
        self.growing.last().copied()
    }
}

/// A root mean square within a band.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Band {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) rms: f64,
}

/// All requested responses.
pub(super) fn find(
    subject: &Subject,
    asked: &Asked,
    (grid, bands): (&Grid, &[f64]),
    console: &mut Console,
) -> Result<Found, Failure> {
    let transfer = &subject.transfer;
    console.begin("responses");
    let search = Search::new(subject, console);
    let found = match asked {
        Asked::Transfer => amplitudes(
            subject,
            (grid, &search),
            &Columns::each(subject),
            &ResponseEvaluators {
                all: &|f, route| {
                    let of = (&subject.outputs[..], &subject.inputs[..]);
                    let own = transfer.among(f, route, of).map_err(failure)?;
                    Ok(spread(subject, &own))
                },
                one: &|f, (row, column)| {
                    let inputs: Vec<usize> = column.into_iter().collect();
                    let own = transfer.among(f, search.route, (&[row], &inputs));
                    Some(own.ok()?[(0, 0)])
                },
                work: transfer.work(search.route),
            },
        ),
        Asked::Amplitudes(excitation) => amplitudes(
            subject,
            (grid, &search),
            &Columns::summed(subject, excitation, grid),
            &ResponseEvaluators {
                all: &|f, route| {
                    let parts = excitation.contributions(transfer, f, route);
                    parts.map_err(failure)
                },
                one: &|f, at| excitation.brings(transfer, (f, search.route), at).ok(),
                work: transfer.work(search.route) * excitation.inputs().len().max(1) as u64,
            },
        ),
        Asked::Densities(spectrum) => densities(subject, spectrum, (grid, &search), bands),
        Asked::Between(compliance) => amplitudes(
            subject,
            (grid, &search),
            &Columns::each(subject),
            &ResponseEvaluators {
                all: &|f, route| compliance.at(f, route).map_err(failure),
                one: &|f, (row, column)| {
                    let all = compliance.at(f, search.route).ok()?;
                    Some(entry(&all, row, column))
                },
                work: transfer.work(search.route) * 6,
            },
        ),
    };
    let coarse = search.coarse.get();
    console.end();
    if coarse > 0 {
        console.note(&format!(
            "note: {coarse} peaks are reported as the frequencies have them, not found between these: there are too many responses to \
             look at all peaks; choose some by --show and --by, or more --points"
        ));
    }
    found
}

/// The search for peaks: its remaining work, and the progress of the whole command.
struct Search<'a> {
    route: Route,
    /// Remaining multiplications.
    left: Cell<u64>,
    /// Number of peaks that were taken from the grid.
    coarse: Cell<usize>,
    console: RefCell<&'a mut Console>,
}

impl<'a> Search<'a> {
    fn new(subject: &Subject, console: &'a mut Console) -> Self {
        Self {
            route: quick(subject),
            left: Cell::new(MOST_WORK),
            coarse: Cell::new(0),
            console: RefCell::new(console),
        }
    }

    /// May another peak be refined, with this much work for each step?
    fn may(&self, work: u64) -> bool {
        let may = self.left.get() >= work.saturating_mul(STEPS);
        if !may {
            self.coarse.set(self.coarse.get() + 1);
        }
        may
    }

    fn spend(&self, work: u64) {
        self.left.set(self.left.get().saturating_sub(work));
    }

    fn progress(&self, done: usize, of: usize, (from, to): (f64, f64)) {
        let share = done as f64 / of.max(1) as f64;
        self.console
            .borrow_mut()
            .progress(from + share * (to - from));
    }
}

/// How responses are found.
struct ResponseEvaluators<'a> {
    /// Outputs by inputs at a frequency.
    all: &'a At<'a>,
    /// One output by one input, or by the sum of all, by the faster route.
    one: &'a dyn Fn(f64, (usize, Option<usize>)) -> Option<c64>,
    /// Number of multiplications for one of these.
    work: u64,
}

/// Indices of the requested outputs and inputs.
fn spread(subject: &Subject, own: &Mat<c64>) -> Mat<c64> {
    let mut all = Mat::zeros(subject.form.outputs.len(), subject.form.inputs.len());
    for (r, row) in subject.outputs.iter().enumerate() {
        for (c, column) in subject.inputs.iter().enumerate() {
            all[(*row, *column)] = own[(r, c)];
        }
    }
    all
}

/// Refuses more numbers than can be kept in memory.
fn bounded(subject: &Subject, grid: &Grid, inputs: usize) -> Result<(), Failure> {
    let (outputs, count) = (subject.outputs.len(), grid.frequencies.len());
    let all = outputs.saturating_mul(inputs).saturating_mul(count);
    if all <= MOST_RESPONSES {
        return Ok(());
    }
    Err(Failure(format!(
        "{outputs} outputs by {inputs} inputs at {count} frequencies are more than {MOST_RESPONSES} responses; choose some by --show \
         and --by, fewer --points, or --no-refine"
    )))
}

pub(super) fn failure(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}

/// Outputs by inputs at a frequency.
type At<'a> = dyn Fn(f64, Route) -> Result<Mat<c64>, Failure> + 'a;

/// Which columns of a matrix of outputs by inputs are shown.
struct Columns {
    /// Each of these alone.
    inputs: Vec<usize>,
    /// The sum of all.
    sum: bool,
    /// The units are those of outputs.
    whole: bool,
    /// Inputs whose amplitude is zero at all frequencies.
    silent: Vec<Option<usize>>,
}

impl Columns {
    fn each(subject: &Subject) -> Self {
        Self {
            inputs: subject.inputs.clone(),
            sum: false,
            whole: false,
            silent: Vec::new(),
        }
    }

    /// The sum and, if there is more than one input, the contribution of each.
    fn summed(subject: &Subject, excitation: &Excitation, grid: &Grid) -> Self {
        let excited = excitation.inputs();
        let mut still = excited.clone();
        for f in &grid.frequencies {
            let all = excitation.at(*f, subject.form.inputs.len());
            still.retain(|input| all[*input].norm() == 0.0);
        }
        let sum = (still == excited).then_some(None);
        Self {
            silent: still.into_iter().map(Some).chain(sum).collect(),
            inputs: if excited.len() > 1 {
                excited
            } else {
                Vec::new()
            },
            sum: true,
            whole: true,
        }
    }

    /// The columns in order; `None` stands for the sum.
    fn all(&self) -> Vec<Option<usize>> {
        let sum = self.sum.then_some(None);
        let each = self.inputs.iter().copied().map(Some);
        sum.into_iter().chain(each).collect()
    }
}

/// An entry of a row, or its sum.
fn entry(of: &Mat<c64>, row: usize, column: Option<usize>) -> c64 {
    column.map_or_else(|| total(of, row), |column| of[(row, column)])
}

/// Peaks are refined by the faster route.
pub(super) fn quick(subject: &Subject) -> Route {
    match subject.transfer.modal() {
        Ok(_) => Route::Modal,
        Err(_) => Route::Direct,
    }
}

fn amplitudes(
    subject: &Subject,
    (grid, search): (&Grid, &Search<'_>),
    columns: &Columns,
    ways: &ResponseEvaluators<'_>,
) -> Result<Found, Failure> {
    let (frequencies, columns_all) = (&grid.frequencies, columns.all());
    bounded(subject, grid, columns_all.len())?;
    let rows = subject.outputs.iter();
    let places: Vec<(usize, Option<usize>)> = rows
        .flat_map(|row| columns_all.iter().map(|column| (*row, *column)))
        .collect();
    let mut values: Vec<Vec<c64>> = vec![Vec::new(); places.len()];
    for (k, f) in frequencies.iter().enumerate() {
        let here = (ways.all)(*f, subject.route)?;
        for (own, (row, column)) in values.iter_mut().zip(&places) {
            own.push(entry(&here, *row, *column));
        }
        search.progress(k, frequencies.len(), (0.0, 0.5));
    }
    let mut lines = Vec::new();
    for (k, ((row, column), values)) in places.iter().zip(values).enumerate() {
        search.progress(k, places.len(), (0.5, 1.0));
        let magnitudes: Vec<f64> = values.iter().map(|value| value.norm()).collect();
        let exact = |f: f64| {
            search.spend(ways.work);
            (ways.one)(f, (*row, *column))
        };
        let found = peaks(
            frequencies,
            &magnitudes,
            &mut |f| exact(f).map(c64::norm),
            &mut || search.may(ways.work),
        );
        let phase = |peak: Peak| {
            let own = frequencies.binary_search_by(|f| f.total_cmp(&peak.frequency));
            let value = own
                .ok()
                .map(|k| values[k])
                .or_else(|| exact(peak.frequency));
            (peak, value.map_or(0.0, degrees))
        };
        let output = &subject.form.outputs[*row];
        let unit = column.filter(|_| !columns.whole);
        lines.push(Line {
            output: output.name.clone(),
            input: column.map(|column| subject.form.inputs[column].name.clone()),
            unit: unit.map_or_else(
                || output.unit.clone(),
                |column| ratio(&output.unit, &subject.units[column]),
            ),
            peaks: found.into_iter().map(phase).collect(),
            values,
            silent: columns.silent.contains(column),
        });
    }
    Ok(Found::Amplitudes(lines))
}

fn densities(
    subject: &Subject,
    spectrum: &Spectrum,
    (grid, search): (&Grid, &Search<'_>),
    bands: &[f64],
) -> Result<Found, Failure> {
    let (frequencies, transfer) = (&grid.frequencies, &subject.transfer);
    let mut all: Vec<Vec<f64>> = Vec::new();
    for (k, f) in frequencies.iter().enumerate() {
        let own = spectrum.densities(transfer, *f, subject.route);
        all.push(own.map_err(failure)?);
        search.progress(k, frequencies.len(), (0.0, 0.1));
    }
    let mut intervals = Vec::new();
    for (k, pair) in frequencies.windows(2).enumerate() {
        let own = spectrum.interval(transfer, (pair[0], pair[1]), subject.route);
        intervals.push(own.map_err(failure)?);
        search.progress(k, frequencies.len(), (0.1, 0.9));
    }
    let variances = Variances { intervals };
    let outputs = subject.outputs.iter().map(|row| {
        let output = &subject.form.outputs[*row];
        (*row, output.name.as_str(), output.unit.as_str())
    });
    let first = subject.form.outputs.len();
    let equivalents = subject.equivalents.iter().enumerate();
    let equivalents = equivalents.map(|(k, (name, _))| (first + k, name.as_str(), "Pa"));
    let work = transfer.work(search.route) * spectrum.entries.len().max(1) as u64;
    let mut found = Vec::new();
    for (row, name, unit) in outputs.chain(equivalents) {
        let values: Vec<f64> = all.iter().map(|own| own[row]).collect();
        let mut exact = |f: f64| {
            search.spend(work);
            spectrum.density(transfer, (f, search.route), row).ok()
        };
        let peaks = peaks(frequencies, &values, &mut exact, &mut || search.may(work));
        let mut sum = 0.0;
        let mut growing = Vec::new();
        if frequencies.len() > 1 {
            growing.push(0.0);
        }
        for interval in &variances.intervals {
            sum += interval[row];
            growing.push(sum.sqrt());
        }
        let band = |pair: &[f64]| Band {
            from: pair[0],
            to: pair[1],
            rms: variances
                .between(frequencies, row, (pair[0], pair[1]))
                .sqrt(),
        };
        found.push(Density {
            output: name.to_owned(),
            unit: unit.to_owned(),
            per_hertz: format!("{}/Hz", square(unit)),
            values,
            growing,
            bands: bands.windows(2).map(band).collect(),
            peaks,
            silent: spectrum.is_silent(frequencies, subject.form.inputs.len()),
        });
    }
    Ok(Found::Densities(found))
}

/// Puts a unit in brackets if it is a product or quotient.
pub(super) fn bracketed(unit: &str) -> String {
    if unit.contains(['/', '*', '.', ' ', '(']) {
        format!("({unit})")
    } else {
        unit.to_owned()
    }
}

pub(super) fn ratio(over: &str, under: &str) -> String {
    match (over, under) {
        (over, "") => over.to_owned(),
        ("", under) => format!("1/{}", bracketed(under)),
        (over, under) => format!("{}/{}", bracketed(over), bracketed(under)),
    }
}

fn square(unit: &str) -> String {
    match unit {
        "" => String::from("1"),
        unit if unit.contains('^') => format!("({unit})^2"),
        unit => format!("{}^2", bracketed(unit)),
    }
}
