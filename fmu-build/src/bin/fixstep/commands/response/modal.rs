//! Control plane: modal coordinates of flexible bodies over frequency, as text for finite-element programs.

use std::fmt::Write as _;

use faer::c64;
use fixstep_kernel::mechanism::FlexBody;
use fixstep_kernel::simulation::Coordinate;
use fmu_build::operating_point::OperatingPoint;
use fmu_build::slave::Failure;
use linear_analysis::response::grid::Grid;

use super::Subject;
use super::ask::Asked;
use super::one::{coordinate, states_at};
use crate::args;
use crate::places::Stop;

/// The option, for messages.
const OPTION: &str = "--modal-coordinates";

/// The file: for each flexible body its modes, and for each frequency their complex amplitudes.
pub(super) fn coordinates(
    args: &args::Response,
    at: &OperatingPoint,
    subject: &Subject,
    (asked, grid): (&Asked, &Grid),
) -> Result<String, Stop> {
    let frequencies = args
        .shape
        .map_or_else(|| grid.frequencies.clone(), |f| vec![f]);
    let flexible = at.mechanism.bodies.iter().enumerate();
    let flexible: Vec<(usize, &str, &FlexBody)> = flexible
        .filter_map(|(k, body)| Some((k, body.name.as_str(), body.flexible.as_deref()?)))
        .collect();
    if flexible.is_empty() {
        return Err(Stop::Failed(Failure(format!(
            "{OPTION}: the model has no flexible bodies, so there are no modal coordinates; leave the option out"
        ))));
    }
    let found = frequencies.iter();
    let found = found.map(|f| states_at(subject, asked, (OPTION, *f)));
    let found: Vec<Vec<c64>> = found.collect::<Result<_, _>>()?;
    let mut text = String::from("$ fixstep modal coordinates 1\n");
    let _ = writeln!(text, "$TITLE = {}", line(&at.mechanism.name));
    let _ = writeln!(text, "$TIME = {:e}", at.time);
    for (body, name, flex) in flexible {
        head(&mut text, name, flex);
        let rows = rows(at, subject, (body, flex.modes.len()));
        for (frequency, states) in frequencies.iter().zip(&found) {
            let _ = writeln!(text, "$FREQUENCY = {frequency:e}");
            for (mode, row) in flex.modes.iter().zip(&rows) {
                let none = c64::new(0.0, 0.0);
                let value = row.map_or(none, |row| coordinate(subject, row, states));
                // A sum of zeros may be −0.
                let (re, im) = (value.re + 0.0, value.im + 0.0);
                let _ = writeln!(text, "{:8} {re:23e} {im:23e}", mode + 1);
            }
        }
    }
    Ok(text)
}

/// A body, and the modes of its file that it has.
fn head(text: &mut String, name: &str, flex: &FlexBody) {
    let _ = writeln!(text, "$BODY = {}", line(name));
    let _ = writeln!(text, "$FILE = {}", line(&flex.file));
    let _ = writeln!(text, "$MODES = {}", flex.modes.len());
    for mode in &flex.modes {
        let Some(own) = flex.data.modes.get(*mode) else {
            continue;
        };
        let (number, label) = (mode + 1, line(&own.label));
        let _ = writeln!(text, "$MODE = {number} {:e} {label}", own.frequency);
    }
}

/// Indices of a body's modal coordinates in the form.
fn rows(
    at: &OperatingPoint,
    subject: &Subject,
    (wanted, count): (usize, usize),
) -> Vec<Option<usize>> {
    let places = &at.linearization.tangents.places;
    let mut rows = vec![None; count];
    for (row, unknown) in subject.form.shapes.coordinates.iter().enumerate() {
        if let Coordinate::Modal { body, mode } = places[*unknown].coordinate
            && body.index() == wanted
            && mode < count
        {
            rows[mode] = Some(row);
        }
    }
    rows
}

/// A text without line breaks.
fn line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
