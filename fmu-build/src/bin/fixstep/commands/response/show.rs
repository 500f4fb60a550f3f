//! Control plane: prints responses, in words and as JSON.

use faer::Mat;
use linear_analysis::response::degrees;
use linear_analysis::response::grid::Grid;
use linear_analysis::spectra::TURN;
use serde_json::{Value, json};

use super::Subject;
use super::lines::{Density, Found, Line};
use super::one::{Part, Participation, State};

/// Peaks of a line that are reported.
const PEAKS: usize = 12;
/// Coordinates below this fraction of the largest one are at rest.
const STILL: f64 = 1e-9;

/// Why a single frequency has no root mean square.
pub(super) const NO_RMS: &str =
    "a root mean square is of a range of frequencies; --from and --to choose one";

/// Additional results.
pub(super) struct More {
    pub(super) participation: Option<Vec<Participation>>,
    pub(super) state: Option<State>,
    /// The matrix of markers at 0 Hz, or why it does not exist.
    pub(super) still: Option<Result<Mat<f64>, String>>,
}

/// A number in six digits.
pub(super) fn figure(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return String::from("0");
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.5e}");
    }
    let before = fixstep_kernel::math::log10(size).floor() as i32;
    let text = format!("{value:.*}", (5 - before).max(0) as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

fn polar(magnitude: f64, phase: f64) -> String {
    format!("{}, {} deg", figure(magnitude), figure(phase))
}

fn unit(unit: &str) -> String {
    if unit.is_empty() {
        String::new()
    } else {
        format!(" [{unit}]")
    }
}

/// The whole result as text.
pub(super) fn text(subject: &Subject, (grid, found): (&Grid, &Found), more: &More) -> Vec<String> {
    let count = grid.frequencies.len();
    let (first, last) = (grid.frequencies[0], grid.frequencies[count - 1]);
    let plural = if grid.poles == 1 { "" } else { "s" };
    let mut said = vec![if count == 1 {
        format!("one frequency: {} Hz", figure(first))
    } else {
        format!(
            "{count} frequencies from {} Hz to {} Hz: {} as requested, {} more around {} mode{plural} and at bends of the excitation",
            figure(first),
            figure(last),
            grid.asked,
            count.saturating_sub(grid.asked),
            grid.poles
        )
    }];
    if let Some(matrix) = &more.still {
        still(&mut said, subject, matrix);
    }
    match found {
        Found::Amplitudes(lines) => lines
            .iter()
            .for_each(|line| amplitude(&mut said, grid, line)),
        Found::Densities(all) => all.iter().for_each(|own| density(&mut said, grid, own)),
    }
    for own in more.participation.iter().flatten() {
        participation(&mut said, own);
    }
    if let Some(own) = &more.state {
        state(&mut said, subject, own);
    }
    said
}

/// The matrix at 0 Hz.
fn still(said: &mut Vec<String>, subject: &Subject, matrix: &Result<Mat<f64>, String>) {
    let matrix = match matrix {
        Ok(matrix) => matrix,
        Err(reason) => {
            said.push(format!("at 0 Hz: none: {reason}"));
            return;
        }
    };
    said.push(String::from("at 0 Hz, in N, m and rad:"));
    let names = |of: &[linear_analysis::Variable]| -> Vec<String> {
        of.iter().map(|own| own.name.clone()).collect()
    };
    let (rows, columns) = (names(&subject.form.outputs), names(&subject.form.inputs));
    let wide = |of: &[String]| {
        of.iter()
            .map(|name| name.chars().count())
            .fold(12, usize::max)
    };
    let (first, width) = (wide(&rows), wide(&columns));
    let heads: Vec<String> = columns
        .iter()
        .map(|name| format!("  {name:>width$}"))
        .collect();
    said.push(format!("  {:first$}{}", "", heads.concat()));
    for (r, name) in rows.iter().enumerate() {
        let own = (0..matrix.ncols())
            .map(|c| format!("  {:>width$}", figure(beside_diagonal(matrix, (r, c)))));
        said.push(format!("  {name:first$}{}", own.collect::<String>()));
    }
}

/// An entry; rounding errors relative to the diagonal are shown as zero.
pub(super) fn beside_diagonal(matrix: &Mat<f64>, (r, c): (usize, usize)) -> f64 {
    let beside = (matrix[(r, r)] * matrix[(c, c)]).abs().sqrt();
    let own = matrix[(r, c)];
    if own.abs() > 1e-12 * beside { own } else { 0.0 }
}

fn amplitude(said: &mut Vec<String>, grid: &Grid, line: &Line) {
    let (first, last) = (
        grid.frequencies[0],
        grid.frequencies[grid.frequencies.len() - 1],
    );
    said.push(format!("{}{}", line.name(), unit(&line.unit)));
    if line.values.iter().all(|x| x.re == 0.0 && x.im == 0.0) {
        said.push(zero(line.silent, line.input.is_some()));
        return;
    }
    let at = |f: f64, k: usize| {
        let value = line.values[k];
        format!(
            "  at {} Hz: {}",
            figure(f),
            polar(value.norm(), degrees(value))
        )
    };
    said.push(at(first, 0));
    for (peak, phase) in line.peaks.iter().take(PEAKS) {
        let place = figure(peak.frequency);
        said.push(format!(
            "  peak at {place} Hz: {}",
            polar(peak.magnitude, *phase)
        ));
    }
    more_peaks(said, line.peaks.len());
    if line.values.len() > 1 {
        said.push(at(last, line.values.len() - 1));
    }
}

/// The reason why a response is zero at all frequencies.
fn zero(silent: bool, by_one: bool) -> String {
    let why = match (silent, by_one) {
        (true, _) => {
            "the excitation is zero at all these frequencies; a table is zero outside its rows"
        }
        (false, true) => "this input does not move the output",
        (false, false) => "the excitation does not move the output",
    };
    format!("  zero: {why}")
}

fn density(said: &mut Vec<String>, grid: &Grid, own: &Density) {
    let (first, last) = (
        grid.frequencies[0],
        grid.frequencies[grid.frequencies.len() - 1],
    );
    if let [value] = own.values[..] {
        said.push(format!("{}{}", own.output, unit(&own.unit)));
        said.push(format!(
            "  at {} Hz: {} {} (one-sided)",
            figure(first),
            figure(value),
            own.per_hertz
        ));
        said.push(format!("  no rms: {NO_RMS}"));
        return;
    }
    said.push(format!(
        "{}{}: rms {}",
        own.output,
        unit(&own.unit),
        figure(own.rms().unwrap_or(0.0))
    ));
    if own.values.iter().all(|value| *value == 0.0) {
        said.push(zero(own.silent, false));
    }
    for band in &own.bands {
        said.push(format!(
            "  from {} Hz to {} Hz: rms {}",
            figure(band.from.max(first)),
            figure(band.to.min(last)),
            figure(band.rms)
        ));
    }
    for peak in own.peaks.iter().take(PEAKS) {
        said.push(format!(
            "  peak at {} Hz: {} {} (one-sided)",
            figure(peak.frequency),
            figure(peak.magnitude),
            own.per_hertz
        ));
    }
    more_peaks(said, own.peaks.len());
}

fn more_peaks(said: &mut Vec<String>, count: usize) {
    if count > PEAKS {
        said.push(format!(
            "  and {} more peaks; --json has them all",
            count - PEAKS
        ));
    }
}

fn participation(said: &mut Vec<String>, own: &Participation) {
    said.push(format!(
        "{} by {}{} at {} Hz: {}",
        own.output,
        own.input,
        unit(&own.unit),
        figure(own.frequency),
        polar(own.magnitude, own.phase)
    ));
    for Part {
        pole,
        magnitude,
        phase,
    } in &own.modes
    {
        let size = pole[0].hypot(pole[1]);
        let damping = if size == 0.0 { 0.0 } else { -pole[0] / size };
        said.push(format!(
            "  mode of {} Hz, damping ratio {}, pole {} {} {}i: {}",
            figure(size / TURN),
            figure(damping),
            figure(pole[0]),
            if pole[1] < 0.0 { "-" } else { "+" },
            figure(pole[1].abs()),
            polar(*magnitude, *phase)
        ));
    }
    let direct = &own.direct;
    said.push(format!(
        "  feedthrough (by no mode): {}",
        polar(direct.magnitude, direct.phase)
    ));
}

fn state(said: &mut Vec<String>, subject: &Subject, own: &State) {
    said.push(format!(
        "Coordinates at {} Hz [m, rad, modal coordinates]",
        figure(own.frequency)
    ));
    let most = own
        .coordinates
        .iter()
        .fold(0.0_f64, |most, c| most.max(c.magnitude));
    let moving = own
        .coordinates
        .iter()
        .filter(|c| c.magnitude > STILL * most);
    for moved in moving {
        said.push(format!(
            "  {}: {}",
            moved.coordinate,
            polar(moved.magnitude, moved.phase)
        ));
    }
    if most == 0.0 {
        said.push(format!("  all {} stand still", subject.coordinates.len()));
    }
}

/// The whole result as JSON.
pub(super) fn json(subject: &Subject, (grid, found): (&Grid, &Found), more: &More) -> Value {
    let poles = subject
        .transfer
        .poles()
        .iter()
        .map(|pole| [pole.re, pole.im]);
    let mut all = json!({
        "frequencies": grid.frequencies,
        "asked": grid.asked,
        "refined_modes": grid.poles,
        "poles": poles.collect::<Vec<_>>(),
        "notes": subject.form.notes,
    });
    match found {
        Found::Amplitudes(lines) => {
            let line = |own: &Line| {
                let peak = |(peak, phase): &(_, f64)| {
                    let peak: &linear_analysis::response::Peak = peak;
                    json!({"frequency": peak.frequency, "magnitude": peak.magnitude, "phase": phase})
                };
                json!({
                    "output": own.output,
                    "input": own.input,
                    "unit": own.unit,
                    "re": own.values.iter().map(|x| x.re).collect::<Vec<_>>(),
                    "im": own.values.iter().map(|x| x.im).collect::<Vec<_>>(),
                    "peaks": own.peaks.iter().map(peak).collect::<Vec<_>>(),
                })
            };
            all["responses"] = lines.iter().map(line).collect();
        }
        Found::Densities(densities) => {
            let density = |own: &Density| {
                json!({
                    "output": own.output,
                    "unit": own.unit,
                    "density_unit": own.per_hertz,
                    "sides": "one",
                    "density": own.values,
                    "rms_up_to": own.growing,
                    "rms": own.rms(),
                    "bands": own.bands,
                    "peaks": own.peaks,
                })
            };
            all["densities"] = densities.iter().map(density).collect();
        }
    }
    if let Some(own) = &more.still {
        all["at_rest"] = match own {
            Ok(matrix) => {
                let row = |r: usize| (0..matrix.ncols()).map(|c| matrix[(r, c)]).collect();
                (0..matrix.nrows())
                    .map(row)
                    .collect::<Vec<Vec<f64>>>()
                    .into()
            }
            Err(reason) => json!({ "none": reason }),
        };
    }
    if let Some(own) = &more.participation {
        all["participation"] = json!(own);
    }
    if let Some(own) = &more.state {
        all["state"] = json!(own);
    }
    all
}
