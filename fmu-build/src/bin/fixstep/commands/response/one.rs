//! Control plane: shows one frequency: the share of each mode in responses, and the motion of all states.

use faer::c64;
use fmu_build::slave::Failure;
use linear_analysis::response::degrees;
use serde::Serialize;

use super::Subject;
use super::ask::Asked;
use super::lines::{failure, ratio};
use crate::places::Stop;

/// The contribution of one mode to a response.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Part {
    /// Pole \[1/s\].
    pub(super) pole: [f64; 2],
    pub(super) magnitude: f64,
    pub(super) phase: f64,
}

/// The contributions of all modes to a response.
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

/// The motion of one coordinate.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Moved {
    pub(super) coordinate: String,
    pub(super) magnitude: f64,
    pub(super) phase: f64,
}

/// The motion of all coordinates at a frequency.
#[derive(Clone, Debug, Serialize)]
pub(super) struct State {
    pub(super) frequency: f64,
    pub(super) coordinates: Vec<Moved>,
}

/// Inputs and their amplitudes for results at one frequency: those of the excitation, or amplitude 1 for each.
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

/// The contributions of modes to the responses at a frequency.
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

/// All states at a frequency, for the excitation or for the only input with amplitude 1; `option` is the option that
/// needs them.
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
    Ok(states.map_err(failure)?)
}

/// A coordinate, computed from the states with a row of the form's shapes.
pub(super) fn coordinate(subject: &Subject, row: usize, states: &[c64]) -> c64 {
    let shapes = &subject.form.shapes.positions;
    let terms = states.iter().enumerate();
    terms.fold(c64::new(0.0, 0.0), |sum, (k, x)| {
        sum + *x * shapes[(row, k)]
    })
}

/// The motion of all coordinates at a frequency.
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
