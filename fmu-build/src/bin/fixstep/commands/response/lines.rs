//! Control plane: responses on a grid, in numbers.

use faer::{Mat, c64};
use fmu_build::csv::Table;
use fmu_build::slave::Failure;
use linear_analysis::random::Spectrum;
use linear_analysis::response::excitation::{Excitation, total};
use linear_analysis::response::grid::Grid;
use linear_analysis::response::{Peak, Route, degrees, peaks};
use serde::Serialize;

use super::Subject;
use super::ask::Asked;
use crate::places::Stop;

/// Responses.
pub(super) enum Found {
    /// Amplitudes, or outputs by inputs.
    Amplitudes(Vec<Line>),
    /// Densities.
    Densities(Vec<Density>),
}

/// An amplitude over frequency.
pub(super) struct Line {
    pub(super) output: String,
    /// The input that it is by; none: all of them.
    pub(super) input: Option<String>,
    pub(super) unit: String,
    pub(super) values: Vec<c64>,
    pub(super) peaks: Vec<(Peak, f64)>,
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
    /// Of the output, and of its density.
    pub(super) unit: String,
    pub(super) per_hertz: String,
    pub(super) values: Vec<f64>,
    /// The root mean square of all frequencies up to each.
    pub(super) growing: Vec<f64>,
    pub(super) bands: Vec<Band>,
    pub(super) peaks: Vec<Peak>,
}

/// A root mean square within a band.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Band {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) rms: f64,
}

/// What one mode has in a response.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Part {
    /// Pole \[1/s\].
    pub(super) pole: [f64; 2],
    pub(super) magnitude: f64,
    pub(super) phase: f64,
}

/// What all modes have in a response.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Participation {
    pub(super) frequency: f64,
    pub(super) output: String,
    pub(super) input: String,
    pub(super) unit: String,
    pub(super) magnitude: f64,
    pub(super) phase: f64,
    pub(super) modes: Vec<Part>,
    /// D.
    pub(super) direct: Part,
}

/// How a coordinate moves.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Moved {
    pub(super) coordinate: String,
    pub(super) magnitude: f64,
    pub(super) phase: f64,
}

/// How all coordinates move at a frequency.
#[derive(Clone, Debug, Serialize)]
pub(super) struct State {
    pub(super) frequency: f64,
    pub(super) coordinates: Vec<Moved>,
}

/// All responses that are wanted.
pub(super) fn find(
    subject: &Subject,
    asked: &Asked,
    grid: &Grid,
    bands: &[f64],
) -> Result<Found, Failure> {
    let transfer = &subject.transfer;
    match asked {
        Asked::Transfer => amplitudes(subject, grid, &Columns::each(subject), &|f, route| {
            transfer.at(f, route).map_err(told)
        }),
        Asked::Amplitudes(excitation) => {
            let columns = Columns::summed(subject, excitation);
            amplitudes(subject, grid, &columns, &|f, route| {
                let parts = excitation.contributions(transfer, f, route);
                parts.map_err(told)
            })
        }
        Asked::Densities(spectrum) => densities(subject, spectrum, grid, bands),
        Asked::Between(compliance) => {
            amplitudes(subject, grid, &Columns::each(subject), &|f, route| {
                compliance.at(f, route).map_err(told)
            })
        }
    }
}

fn told(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}

/// Outputs by inputs at a frequency.
type At<'a> = dyn Fn(f64, Route) -> Result<Mat<c64>, Failure> + 'a;

/// Which columns of a matrix of outputs by inputs become lines.
struct Columns {
    /// Each of these by itself.
    inputs: Vec<usize>,
    /// The sum of all.
    sum: bool,
    /// Units are those of outputs.
    whole: bool,
}

impl Columns {
    fn each(subject: &Subject) -> Self {
        Self {
            inputs: subject.inputs.clone(),
            sum: false,
            whole: false,
        }
    }

    /// The sum, and of more than one input what each has in it.
    fn summed(subject: &Subject, excitation: &Excitation) -> Self {
        let excited = excitation.inputs();
        let mut inputs = excited.clone();
        inputs.retain(|input| excited.len() > 1 && subject.inputs.contains(input));
        Self {
            inputs,
            sum: true,
            whole: true,
        }
    }

    /// One after another; none stands for the sum.
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

/// Peaks are looked for by the quicker route.
fn quick(subject: &Subject) -> Route {
    match subject.transfer.modal() {
        Ok(_) => Route::Modal,
        Err(_) => Route::Direct,
    }
}

fn amplitudes(
    subject: &Subject,
    grid: &Grid,
    columns: &Columns,
    at: &At<'_>,
) -> Result<Found, Failure> {
    let frequencies = &grid.frequencies;
    let all = frequencies.iter().map(|f| at(*f, subject.route));
    let all: Vec<Mat<c64>> = all.collect::<Result<_, _>>()?;
    let route = quick(subject);
    let mut lines = Vec::new();
    for row in &subject.outputs {
        for column in columns.all() {
            let values: Vec<c64> = all.iter().map(|m| entry(m, *row, column)).collect();
            let magnitudes: Vec<f64> = values.iter().map(|value| value.norm()).collect();
            let exact = |f: f64| at(f, route).ok().map(|m| entry(&m, *row, column));
            let found = peaks(frequencies, &magnitudes, &mut |f| exact(f).map(c64::norm));
            let phase = |peak: Peak| (peak, exact(peak.frequency).map_or(0.0, degrees));
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
            });
        }
    }
    Ok(Found::Amplitudes(lines))
}

fn densities(
    subject: &Subject,
    spectrum: &Spectrum,
    grid: &Grid,
    bands: &[f64],
) -> Result<Found, Failure> {
    let (frequencies, transfer) = (&grid.frequencies, &subject.transfer);
    let at = |f: f64, route| spectrum.densities(transfer, f, route);
    let all = frequencies.iter().map(|f| at(*f, subject.route));
    let all: Vec<Vec<f64>> = all.collect::<Result<_, _>>().map_err(told)?;
    let variances = spectrum.variances(transfer, frequencies, subject.route);
    let variances = variances.map_err(told)?;
    let route = quick(subject);
    let outputs = subject.outputs.iter().map(|row| {
        let output = &subject.form.outputs[*row];
        (*row, output.name.as_str(), output.unit.as_str())
    });
    let first = subject.form.outputs.len();
    let equivalents = subject.equivalents.iter().enumerate();
    let equivalents = equivalents.map(|(k, (name, _))| (first + k, name.as_str(), "Pa"));
    let mut found = Vec::new();
    for (row, name, unit) in outputs.chain(equivalents) {
        let values: Vec<f64> = all.iter().map(|own| own[row]).collect();
        let exact = |f: f64| at(f, route).ok().map(|own| own[row]);
        let peaks = peaks(frequencies, &values, &mut |f| exact(f));
        let mut sum = 0.0;
        let mut growing = vec![0.0];
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
        });
    }
    Ok(Found::Densities(found))
}

/// A unit in brackets if it is made of several.
pub(super) fn bracketed(unit: &str) -> String {
    if unit.contains(['/', '*', '.', ' ', '(']) {
        format!("({unit})")
    } else {
        unit.to_owned()
    }
}

fn ratio(over: &str, under: &str) -> String {
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

/// The responses as a table.
pub(super) fn table(grid: &Grid, found: &Found) -> Table {
    let mut names = vec![String::from("frequency")];
    let mut columns = vec![grid.frequencies.clone()];
    let mut push = |name: String, column: Vec<f64>| {
        names.push(name);
        columns.push(column);
    };
    match found {
        Found::Amplitudes(lines) => {
            for line in lines {
                let (name, of) = (line.name(), &line.values);
                push(format!("{name} re"), of.iter().map(|x| x.re).collect());
                push(format!("{name} im"), of.iter().map(|x| x.im).collect());
                push(
                    format!("{name} magnitude"),
                    of.iter().map(|x| x.norm()).collect(),
                );
                push(
                    format!("{name} phase"),
                    of.iter().map(|x| degrees(*x)).collect(),
                );
            }
        }
        Found::Densities(all) => {
            for own in all {
                push(own.output.clone(), own.values.clone());
                push(format!("{} rms", own.output), own.growing.clone());
            }
        }
    }
    let mut table = Table::new(names);
    table.columns = columns;
    table
}

/// Inputs and their amplitudes, where one frequency is looked at: those that excite, or one each.
fn looked_at(subject: &Subject, asked: &Asked, frequency: f64) -> Vec<(usize, c64)> {
    if let Asked::Amplitudes(excitation) = asked {
        let all = excitation.at(frequency, subject.form.inputs.len());
        let excited = excitation.inputs().into_iter();
        excited.map(|input| (input, all[input])).collect()
    } else {
        let inputs = subject.inputs.iter();
        inputs.map(|input| (*input, c64::new(1.0, 0.0))).collect()
    }
}

/// What each mode has in the responses at a frequency.
pub(super) fn participation(
    subject: &Subject,
    asked: &Asked,
    frequency: f64,
) -> Result<Vec<Participation>, Stop> {
    let parts = subject.transfer.participation(frequency);
    let parts = parts.map_err(|error| Failure(format!("--participation: {error}")))?;
    let poles = subject.transfer.poles();
    let whole = matches!(asked, Asked::Amplitudes(_));
    let mut all = Vec::new();
    for row in &subject.outputs {
        for (column, amplitude) in looked_at(subject, asked, frequency) {
            let part = |pole: c64, value: c64| Part {
                pole: [pole.re, pole.im],
                magnitude: (value * amplitude).norm(),
                phase: degrees(value * amplitude),
            };
            let at = (*row, column);
            let modes = parts.modes.iter().zip(poles);
            let sum = parts
                .modes
                .iter()
                .fold(parts.direct[at], |sum, m| sum + m[at]);
            let sum = part(c64::new(0.0, 0.0), sum);
            let output = &subject.form.outputs[*row];
            all.push(Participation {
                frequency,
                output: output.name.clone(),
                input: subject.form.inputs[column].name.clone(),
                unit: if whole {
                    output.unit.clone()
                } else {
                    ratio(&output.unit, &subject.units[column])
                },
                magnitude: sum.magnitude,
                phase: sum.phase,
                modes: modes.map(|(mode, pole)| part(*pole, mode[at])).collect(),
                direct: part(c64::new(0.0, 0.0), parts.direct[at]),
            });
        }
    }
    Ok(all)
}

/// All states at a frequency, as the excitation or the one input of amplitude 1 makes them; `option` asks for them.
pub(super) fn states_at(
    subject: &Subject,
    asked: &Asked,
    (option, frequency): (&str, f64),
) -> Result<Vec<c64>, Stop> {
    let excited = looked_at(subject, asked, frequency);
    if matches!(asked, Asked::Transfer) && excited.len() > 1 {
        return Err(Stop::CommandLine(format!(
            "{option}: what excites the mechanism? Choose one input (--by NAME, of amplitude 1), or add --excite",
        )));
    }
    let mut amplitudes = vec![c64::new(0.0, 0.0); subject.form.inputs.len()];
    for (input, amplitude) in excited {
        amplitudes[input] = amplitude;
    }
    let states = subject.transfer.states(frequency, &amplitudes);
    Ok(states.map_err(told)?)
}

/// A coordinate, a row of the form's shapes, by the states.
pub(super) fn coordinate(subject: &Subject, row: usize, states: &[c64]) -> c64 {
    let shapes = &subject.form.shapes.positions;
    let terms = states.iter().enumerate();
    terms.fold(c64::new(0.0, 0.0), |sum, (k, x)| {
        sum + *x * shapes[(row, k)]
    })
}

/// How all coordinates move at a frequency.
pub(super) fn state(subject: &Subject, asked: &Asked, frequency: f64) -> Result<State, Stop> {
    let states = states_at(subject, asked, ("--shape", frequency))?;
    let moved = |(r, name): (usize, &String)| {
        let sum = coordinate(subject, r, &states);
        Moved {
            coordinate: name.clone(),
            magnitude: sum.norm(),
            phase: degrees(sum),
        }
    };
    let coordinates = subject.coordinates.iter().enumerate().map(moved).collect();
    Ok(State {
        frequency,
        coordinates,
    })
}
