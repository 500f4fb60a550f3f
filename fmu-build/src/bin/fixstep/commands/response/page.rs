//! Control plane: writes responses as a page.

use faer::{Mat, c64};
use fmu_build::linear_page::{self, Moving};
use fmu_build::operating_point::OperatingPoint;
use fmu_build::page::{Cell, Page, Table};
use fmu_build::slave::Failure;
use linear_analysis::modes_report::figure;
use linear_analysis::response::grid::Grid;

use super::Subject;
use super::lines::{Density, Found, Line};
use super::one::{Participation, State};
use super::pictures;
use super::show::{More, NO_RMS, beside_diagonal};

/// The page.
pub(super) fn page(
    at: &OperatingPoint,
    subject: &Subject,
    (grid, found): (&Grid, &Found),
    more: &More,
    logarithmic: bool,
) -> Result<String, Failure> {
    let what = if more.still.is_some() {
        "Compliance or stiffness of markers"
    } else {
        "Response"
    };
    let mut page = Page::new(&at.mechanism.name, linear_page::subtitle(what, at));
    let moves: Vec<Moving> = more.state.iter().map(moving).collect();
    linear_page::draw(&mut page, at, &subject.form, &moves);
    page.tab("Over frequency");
    match &more.still {
        Some(Ok(matrix)) => page.add_table("At rest, in N, m and rad", at_rest(subject, matrix)),
        Some(Err(reason)) => {
            page.add_words("At rest", vec![format!("none: {reason}")]);
        }
        None => {}
    }
    let over = pictures::over_frequency("", (grid, found), logarithmic);
    match found {
        Found::Amplitudes(lines) => {
            page.add_chart("Magnitude and phase over frequency", &over);
            page.add_table("Peaks", peaks(lines));
            page.tab("Nyquist");
            for (unit, plot) in pictures::nyquist("", subject, found) {
                let heading = format!("Nyquist, {unit}");
                page.add_chart(heading.trim_end_matches(", "), &plot);
            }
            page.tab("Nichols");
            page.add_chart("Nichols", &pictures::nichols("", found));
        }
        Found::Densities(all) => {
            page.add_chart("Power spectral density over frequency", &over);
            if all.iter().all(|own| own.rms().is_some()) {
                page.add_table("Root mean squares by bands", bands(all));
            } else {
                let none = format!("none: {NO_RMS}");
                page.add_words("Root mean squares", vec![none]);
            }
        }
    }
    page.tab("Modes in it");
    for own in more.participation.iter().flatten() {
        let heading = format!(
            "Modes in {} by {} at {} Hz",
            own.output,
            own.input,
            figure(own.frequency)
        );
        page.add_table(&heading, participation(own));
    }
    page.tab("Notes");
    page.add_words("Notes", subject.form.notes.clone());
    linear_page::add_point(&mut page, at);
    page.html()
}

fn texts<const N: usize>(of: [&str; N]) -> Vec<String> {
    of.map(str::to_owned).to_vec()
}

/// Displacements by forces, or forces by displacements.
fn at_rest(subject: &Subject, matrix: &Mat<f64>) -> Table {
    let names = |of: &[linear_analysis::Variable]| -> Vec<String> {
        of.iter().map(|own| own.name.clone()).collect()
    };
    let row = |(r, name): (usize, String)| {
        let numbers = (0..matrix.ncols()).map(|c| figure(beside_diagonal(matrix, (r, c))));
        let cells = std::iter::once(name).chain(numbers);
        cells.map(Cell::Text).collect()
    };
    Table {
        columns: std::iter::once(String::new())
            .chain(names(&subject.form.inputs))
            .collect(),
        rows: names(&subject.form.outputs)
            .into_iter()
            .enumerate()
            .map(row)
            .collect(),
        ..Table::default()
    }
}

fn peaks(lines: &[Line]) -> Table {
    let of = |line: &Line| -> Vec<Vec<Cell>> {
        let row = |(peak, phase): &(linear_analysis::response::Peak, f64)| {
            let cells = [
                line.name(),
                figure(peak.frequency),
                figure(peak.magnitude),
                line.unit.clone(),
                figure(*phase),
            ];
            cells.map(Cell::Text).to_vec()
        };
        line.peaks.iter().map(row).collect()
    };
    Table {
        columns: texts([
            "response",
            "frequency [Hz]",
            "magnitude",
            "unit",
            "phase [deg]",
        ]),
        rows: lines.iter().flat_map(of).collect(),
        ..Table::default()
    }
}

fn bands(all: &[Density]) -> Table {
    let of = |own: &Density| {
        let whole = own.rms().unwrap_or(0.0);
        let share = |rms: f64| if whole > 0.0 { rms / whole } else { 0.0 };
        let row = |band: String, rms: f64| {
            let texts = [own.output.clone(), band].map(Cell::Text).into_iter();
            let cells = [
                Cell::Share(figure(rms), share(rms).min(1.0)),
                Cell::Text(own.unit.clone()),
            ];
            texts.chain(cells).collect::<Vec<_>>()
        };
        let bands = own.bands.iter().map(|band| {
            let ends = format!("{} to {} Hz", figure(band.from), figure(band.to));
            row(ends, band.rms)
        });
        let all = row(String::from("all frequencies"), whole);
        bands.chain(std::iter::once(all)).collect::<Vec<_>>()
    };
    Table {
        columns: texts(["output", "band", "root mean square", "unit"]),
        rows: all.iter().flat_map(of).collect(),
        ..Table::default()
    }
}

/// The motion of the mechanism at a frequency.
fn moving(state: &State) -> Moving {
    let shape = state.coordinates.iter().map(|own| {
        let angle = own.phase.to_radians();
        c64::new(
            own.magnitude * fixstep_kernel::math::cos(angle),
            own.magnitude * fixstep_kernel::math::sin(angle),
        )
    });
    Moving {
        frequency: format!("{} Hz", figure(state.frequency)),
        label: String::from("as it is excited"),
        shape: shape.collect(),
    }
}

/// The contribution of each mode, the largest first.
fn participation(own: &Participation) -> Table {
    let mut parts: Vec<(String, f64, f64)> = own
        .modes
        .iter()
        .map(|part| {
            let hertz = part.pole[0].hypot(part.pole[1]) / linear_analysis::spectra::TURN;
            (
                if part.pole[1] < 0.0 {
                    format!("conjugate mode of {} Hz", figure(hertz))
                } else {
                    format!("mode of {} Hz", figure(hertz))
                },
                part.magnitude,
                part.phase,
            )
        })
        .collect();
    let direct = &own.direct;
    parts.push((
        String::from("feedthrough (by no mode)"),
        direct.magnitude,
        direct.phase,
    ));
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let most = parts.first().map_or(0.0, |part| part.1);
    let row = |(name, magnitude, phase): &(String, f64, f64)| {
        let share = if most > 0.0 { magnitude / most } else { 0.0 };
        vec![
            Cell::Text(name.clone()),
            Cell::Share(figure(*magnitude), share),
            Cell::Text(figure(*phase)),
        ]
    };
    Table {
        columns: vec![
            String::from("part"),
            format!("magnitude [{}]", own.unit),
            String::from("phase [deg]"),
        ],
        rows: parts.iter().map(row).collect(),
        ..Table::default()
    }
}
