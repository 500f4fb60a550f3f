//! Control plane: `fixstep modes`, which computes the modes of a mechanism.

mod draw;
mod page;
mod sweep;
mod tell;

use fmu_build::operating_point::OperatingPoint;
use fmu_build::slave::Failure;
use linear_analysis::LinearForm;
use linear_analysis::effective::Effective;
use linear_analysis::modes::{self, Modes};
use linear_analysis::modes_report::{self, Wanted, called};
use linear_analysis::states::ChosenStates;

use super::{Done, json, of_form, point};
use crate::args;
use crate::console::Console;
use crate::places::{Places, Stop};

/// Matrices that differ from their transposes by less than this fraction are symmetric.
const ROUNDING: f64 = 1e-9;

/// `fixstep modes`
pub(crate) fn modes(args: &args::Modes, console: &mut Console) -> Done {
    let wanted = Wanted {
        shapes: args.shapes.clone(),
        energies: args.energy.clone(),
        participation: args.participation.clone(),
        include: args.include.clone(),
        exclude: args.exclude.clone(),
    };
    checked(&wanted)?;
    if let Some(over) = &args.over.sweep {
        return sweep::sweep(args, over, console);
    }
    let places = Places::default()
        .json(args.json)
        .prints("--output", &args.over.output)
        .prints("--report", &args.report);
    let mut chosen = None;
    let mut at = point::find(
        &args.point,
        (places, args.report.is_some()),
        console,
        |blueprint| {
            chosen = of_form::prepare(&args.kept, blueprint)?;
            Ok(())
        },
    )?;
    let (form, modes) = found(args, &mut at, chosen.as_ref())?;
    let from = (&at.mechanism, &at.linearization, at.time);
    let mut report = modes_report::report(from, &form, &modes, &wanted)
        .map_err(|error| Failure(error.to_string()))?;
    if args.effective_mass {
        let found = effective(&at, &form)?;
        report.notes.extend(about(&found, &form));
        report.effective_mass = Some(found);
    }
    for note in &report.notes {
        console.note(&format!("note: {note}"));
    }
    if let Some(path) = &args.report {
        let effective = report.effective_mass.as_ref();
        let page = page::page((&at, &form), &modes, (&wanted, effective))?;
        console.write(path, &page)?;
    }
    if let Some(path) = &args.over.output {
        console.write(path, &tell::modes(&report).to_text())?;
    }
    let printed = [&args.report, &args.over.output];
    let mut printed = printed.into_iter().flatten();
    if args.json {
        console.say(&json(&report)?)?;
    } else if printed.all(|path| path.as_os_str() != "-") {
        console.say(report.to_string().trim_end())?;
    }
    Ok(true)
}

/// Refuses invalid lists of modes before a long run.
fn checked(wanted: &Wanted) -> Result<(), Stop> {
    for (option, list) in [
        ("--shapes", &wanted.shapes),
        ("--energy", &wanted.energies),
        ("--participation", &wanted.participation),
        ("--include", &wanted.include),
        ("--exclude", &wanted.exclude),
    ] {
        modes::list::readable(list)
            .map_err(|error| Stop::CommandLine(format!("{option}: {error}")))?;
    }
    Ok(())
}

/// Effective masses at a point.
fn effective(at: &OperatingPoint, form: &LinearForm) -> Result<Effective, Failure> {
    Effective::of(&at.linearization, form, &at.centers)
        .map_err(|error| Failure(format!("--effective-mass: {error}")))
}

/// Notes on effects that effective masses leave out.
fn about(found: &Effective, form: &LinearForm) -> Vec<String> {
    let mut said = Vec::new();
    if form.equations > 0 {
        said.push(String::from(
            "--effective-mass: states of equations, controls and delays are not positions: the undamped modes leave \
             out their effect on the motion",
        ));
    }
    if found.uneven > ROUNDING {
        said.push(format!(
            "--effective-mass: a bent flexible body stiffens by its accelerations, so that the mass matrix is not symmetric by {:.1e} of its \
             largest entry: effective masses are those of the mean of both halves",
            found.uneven
        ));
    }
    said
}

/// The modes at a point.
fn found(
    args: &args::Modes,
    at: &mut OperatingPoint,
    chosen: Option<&ChosenStates>,
) -> Result<(LinearForm, Modes), Failure> {
    let form = of_form::linear(&args.kept, at, chosen)?;
    let names = |body: usize| called(&at.mechanism, body);
    let modes = modes::modes(&names, &at.linearization, &form, args.balancing.balancing())
        .map_err(|error| Failure(error.to_string()))?;
    Ok((form, modes))
}
