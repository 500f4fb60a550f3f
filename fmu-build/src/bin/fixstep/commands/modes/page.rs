//! Control plane: writes modes as a page.

use super::sweep::Followed;
use super::{draw, tell};
use fmu_build::linear_page::{self, Moving};
use fmu_build::operating_point::OperatingPoint;
use fmu_build::page::{Cell, Page, Table};
use fmu_build::slave::Failure;
use linear_analysis::LinearForm;
use linear_analysis::effective::Effective;
use linear_analysis::modes::{Mode, Modes};
use linear_analysis::modes_report::{self, Kind, Report, Row, Tables, Wanted, figure};

/// Largest number of modes whose shapes move on a page.
const MOVING: usize = 100;
/// Smaller shares are not split into components \[%\].
const LITTLE: f64 = 0.5;

/// The page.
pub(super) fn page(
    (at, form): (&OperatingPoint, &LinearForm),
    modes: &Modes,
    (told, effective): (&Wanted, Option<&Effective>),
) -> Result<String, Failure> {
    let all = Wanted {
        shapes: String::from("NONE"),
        energies: String::from("ALL"),
        participation: String::from("ALL"),
        include: told.include.clone(),
        exclude: told.exclude.clone(),
    };
    let from = (&at.mechanism, &at.linearization, at.time);
    let report = modes_report::report(from, form, modes, &all)
        .map_err(|error| Failure(error.to_string()))?;
    let mut page = Page::new(&report.model, linear_page::subtitle("Modes", at));
    let told: Vec<(&Mode, &Row)> = report
        .modes
        .iter()
        .map(|row| (&modes.list[row.mode - 1], row))
        .collect();
    let moving: Vec<Moving> = told
        .iter()
        .take(MOVING)
        .map(|(mode, row)| Moving {
            frequency: frequency(row),
            label: if row.moves.is_empty() {
                label(row)
            } else {
                format!("{}: {}", row.moves, label(row))
            },
            shape: mode.shape.clone(),
        })
        .collect();
    linear_page::draw(&mut page, at, form, &moving);
    page.tab("Modes");
    page.add_table("Table of modes", table(&report));
    let mut notes = report.notes.clone();
    if told.len() > MOVING {
        notes.push(format!(
            "the shapes of the first {MOVING} of {} modes move on this page",
            told.len()
        ));
    }
    if told.len() < modes.list.len() {
        notes.push(format!(
            "{} of {} modes are shown",
            told.len(),
            modes.list.len()
        ));
    }
    page.add_words("Notes", notes);
    let roots: Vec<_> = told.iter().map(|(mode, _)| mode.root).collect();
    page.tab("Roots");
    linear_page::add_roots(&mut page, &roots, moving.len());
    page.tab("Energies");
    if let Some(effective) = effective {
        page.add_table(
            "Effective masses of undamped modes",
            effective_masses(effective),
        );
    }
    add_energies(&mut page, &report);
    add_participation(&mut page, &report);
    linear_page::add_point(&mut page, at);
    page.html()
}

/// The page of modes over a parameter.
pub(super) fn over(all: &Followed) -> Result<String, Failure> {
    let mut page = Page::new(&all.model, format!("Modes over {}", all.name));
    page.tab("Curves");
    let heading = if all.speed.is_some() {
        "Campbell diagram"
    } else {
        "Frequencies and damping"
    };
    page.add_chart(heading, &draw::diagram(all));
    page.tab("Root locus");
    page.add_chart("Root locus", &draw::locus(all));
    page.tab("Events");
    page.add_words("Notes", all.notes.clone());
    page.add_words("What happens to the modes", tell::events(all));
    let found = tell::table(all);
    let rows = found.columns.first().map_or(0, Vec::len);
    let cell = |column: &Vec<f64>, row: usize| {
        let value = column.get(row).filter(|x| x.is_finite());
        Cell::Text(value.map_or_else(|| String::from("\u{2013}"), |x| figure(*x)))
    };
    let row = |row| found.columns.iter().map(|own| cell(own, row)).collect();
    let table = Table {
        columns: found.names.clone(),
        rows: (0..rows).map(row).collect(),
        ..Table::default()
    };
    page.tab("Values");
    page.add_table("Values", table);
    page.html()
}

fn frequency(row: &Row) -> String {
    match row.kind {
        Kind::Zero => String::from("0 Hz"),
        Kind::Real => format!("{} 1/s", figure(row.real)),
        Kind::Pair => format!("{} Hz", figure(row.frequency_hz)),
    }
}

fn label(row: &Row) -> String {
    match row.kind {
        Kind::Zero => String::from("root zero"),
        Kind::Real if row.real > 0.0 => String::from("real root, unstable"),
        Kind::Real => format!("real root, falls to 1/e in {} s", figure(-1.0 / row.real)),
        Kind::Pair if row.real > 0.0 => {
            format!("unstable, damping ratio {}", figure(row.damping_ratio))
        }
        Kind::Pair => format!("damping ratio {}", figure(row.damping_ratio)),
    }
}

fn texts<const N: usize>(of: [&str; N]) -> Vec<String> {
    of.map(str::to_owned).to_vec()
}

fn table(report: &Report) -> Table {
    let row = |row: &Row| {
        let imaginary = match row.kind {
            Kind::Pair => format!("\u{b1}{}", figure(row.imaginary)),
            _ => String::from("0"),
        };
        let cells = [
            row.mode.to_string(),
            figure(row.frequency_hz),
            figure(row.frequency),
            figure(row.damping_ratio),
            figure(row.real),
            imaginary,
            row.moves.clone(),
        ];
        cells.map(Cell::Text).to_vec()
    };
    Table {
        columns: texts([
            "mode",
            "frequency [Hz]",
            "frequency [rad/s]",
            "damping ratio",
            "real [1/s]",
            "imaginary [rad/s]",
            "what moves mostly",
        ]),
        rows: report.modes.iter().map(row).collect(),
        shapes: report.modes.len() <= MOVING,
        ..Table::default()
    }
}

/// Modes by directions, shaded by their share of the mass that can move.
fn effective_masses(of: &Effective) -> Table {
    let cells = |first: String, masses: &[f64; 6]| {
        let share = |(x, sum): (&f64, &f64)| {
            let part = if *sum > 0.0 { (x / sum).min(1.0) } else { 0.0 };
            Cell::Share(figure(*x), part)
        };
        let shares = masses.iter().zip(&of.sum).map(share);
        std::iter::once(Cell::Text(first)).chain(shares).collect()
    };
    let modes = of.modes.iter().map(|mode| {
        let name = format!("{}: {} Hz", mode.number, figure(mode.frequency_hz));
        cells(name, &mode.masses)
    });
    let sums = [("sum", &of.sum), ("rigid", &of.rigid)];
    let sums = sums.map(|(name, masses)| cells(name.to_owned(), masses));
    let columns = of.directions.iter().map(|direction| {
        let unit = if direction.len() == 1 { "kg" } else { "kg m²" };
        format!("{direction} [{unit}]")
    });
    Table {
        columns: std::iter::once(String::from("undamped mode"))
            .chain(columns)
            .collect(),
        rows: modes.chain(sums).collect(),
        ..Table::default()
    }
}

/// Modes by parts or elements, in per cent, as a shaded map.
fn map(report: &Report, of: impl Fn(&Tables) -> Vec<(String, f64)>) -> Table {
    let mut names: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for row in &report.modes {
        let shares = row.energies.as_ref().map(&of).unwrap_or_default();
        for (name, _) in &shares {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        all.push((row, shares));
    }
    let line = |(row, shares): (&Row, Vec<(String, f64)>)| {
        let share = |name: &String| {
            let own = shares.iter().find(|(known, _)| known == name);
            own.map_or(0.0, |(_, share)| *share)
        };
        let cell = |name| {
            let share = share(name);
            Cell::Share(format!("{share:.1}"), (share.abs() / 100.0).min(1.0))
        };
        let first = Cell::Text(format!("{}: {}", row.mode, frequency(row)));
        std::iter::once(first)
            .chain(names.iter().map(cell))
            .collect()
    };
    let rows = if names.is_empty() {
        Vec::new()
    } else {
        all.into_iter().map(line).collect()
    };
    let first = std::iter::once(String::from("mode [%]"));
    Table {
        columns: first.chain(names.clone()).collect(),
        rows,
        shade: true,
        ..Table::default()
    }
}

fn add_energies(page: &mut Page, report: &Report) {
    let kinetic = map(report, |tables| {
        let sums = tables.kinetic.iter();
        sums.map(|(name, shares)| (name.clone(), shares.iter().sum()))
            .collect()
    });
    page.add_table("Kinetic energy by bodies", kinetic);
    let total = |of: &[(String, [f64; 8])]| -> Vec<(String, f64)> {
        of.iter()
            .map(|(name, shares)| (name.clone(), shares[0]))
            .collect()
    };
    page.add_table(
        "Strain energy by elements",
        map(report, |own| total(&own.strain)),
    );
    page.add_table(
        "Dissipation by elements",
        map(report, |own| total(&own.dissipation)),
    );
    let mut rows = Vec::new();
    let mut columns = texts(["mode", "body"]);
    for row in &report.modes {
        let Some(tables) = &row.energies else {
            continue;
        };
        if columns.len() == 2 {
            columns.extend(tables.kinetic_columns.map(|name| format!("{name} [%]")));
        }
        for (name, shares) in &tables.kinetic {
            if shares.iter().all(|share| share.abs() < LITTLE) {
                continue;
            }
            let first = [format!("{}: {}", row.mode, frequency(row)), name.clone()];
            let share = |x: &f64| Cell::Share(format!("{x:.1}"), (x.abs() / 100.0).min(1.0));
            let cells = first.map(Cell::Text).into_iter();
            rows.push(cells.chain(shares.iter().map(share)).collect());
        }
    }
    let table = Table {
        columns,
        rows,
        ..Table::default()
    };
    page.add_table("Kinetic energy by components", table);
}

/// Complex numbers with names.
type Named = Vec<(String, [f64; 2])>;

/// Participation: how strongly each input excites the modes, and how strongly they appear in each output, relative to
/// the largest value in the column.
fn add_participation(page: &mut Page, report: &Report) {
    let inputs = |row: &Row| row.participation.as_ref()?.inputs.clone();
    page.tab("Participation");
    page.add_table("Participation of inputs", participation(report, inputs));
    let outputs = |row: &Row| Some(row.participation.as_ref()?.outputs.clone());
    page.add_table("Participation of outputs", participation(report, outputs));
}

fn participation(report: &Report, of: impl Fn(&Row) -> Option<Named>) -> Table {
    let all: Vec<_> = report.modes.iter().map(|row| (row, of(row))).collect();
    let names: Vec<String> = all
        .iter()
        .find_map(|(_, own)| Some(own.as_ref()?.iter().map(|x| x.0.clone()).collect()))
        .unwrap_or_default();
    let size = |pair: &[f64; 2]| pair[0].hypot(pair[1]);
    let most = |k: usize| {
        let own = all
            .iter()
            .filter_map(|(_, own)| Some(size(&own.as_ref()?[k].1)));
        own.fold(0.0, f64::max)
    };
    let most: Vec<f64> = (0..names.len()).map(most).collect();
    let row = |(row, own): &(&Row, Option<Named>)| {
        let cell = |k: usize| match own {
            None => Cell::Text(String::from("\u{2013}")),
            Some(own) => {
                let size = size(&own[k].1);
                Cell::Share(
                    figure(size),
                    if most[k] > 0.0 { size / most[k] } else { 0.0 },
                )
            }
        };
        let first = Cell::Text(format!("{}: {}", row.mode, frequency(row)));
        std::iter::once(first)
            .chain((0..names.len()).map(cell))
            .collect()
    };
    let rows = if names.is_empty() {
        Vec::new()
    } else {
        all.iter().map(row).collect()
    };
    let first = std::iter::once(String::from("mode"));
    Table {
        columns: first.chain(names).collect(),
        rows,
        shade: true,
        ..Table::default()
    }
}
