//! Control plane: `fixstep response`, which computes frequency responses and responses to random excitation.

mod ask;
mod base;
mod between;
mod csv;
mod doubts;
mod lines;
mod modal;
mod one;
mod options;
mod page;
mod pictures;
mod show;
mod tables;
mod tensors;

use fmu_build::plot::{self, Plot};
use fmu_build::slave::Failure;
use linear_analysis::LinearForm;
use linear_analysis::response::grid::{Grid, Plan};
use linear_analysis::response::{Route, Transfer};
use linear_analysis::spectra::TURN;

use super::{Done, of_form, point};
use crate::args;
use crate::console::Console;
use crate::places::{Places, Stop};
use ask::Asked;
use doubts::RIGID;
use lines::Found;
use tensors::Tensors;

/// Default number of frequencies.
const POINTS: usize = 200;

/// A mechanism about a state, and the requested results.
struct Subject {
    form: LinearForm,
    transfer: Transfer,
    route: Route,
    /// The requested inputs and outputs.
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    /// Equivalent stresses: their names, and the outputs that are their components.
    equivalents: Vec<(String, [usize; 6])>,
    /// Units of inputs, as they are expressed.
    units: Vec<String>,
    /// Names of all coordinates, in the order of the form's shapes.
    coordinates: Vec<String>,
}

impl Subject {
    /// Names of all inputs.
    fn names(&self) -> Vec<&str> {
        let all = self.form.inputs.iter();
        all.map(|input| input.name.as_str()).collect()
    }
}

/// `fixstep response`
pub(crate) fn response(args: &args::Response, console: &mut Console) -> Done {
    options::consistent(args)?;
    let mut chosen = None;
    let mut tensors = Tensors::default();
    let drawn = (places(args), args.report.is_some());
    let mut at = point::find(&args.point, drawn, console, |blueprint| {
        between::add(&args.between, blueprint)?;
        tensors = Tensors::add(&args.inside, blueprint)?;
        chosen = of_form::prepare(&args.kept, blueprint)?;
        Ok(())
    })?;
    let mut form = of_form::linear(&args.kept, &mut at, chosen.as_ref())?;
    let compliance = between::found(&args.between, &mut at, &mut form)?;
    for note in &form.notes {
        console.note(&format!("note: {note}"));
    }
    let names = &at.linearization.tangents.places;
    let coordinates = form.shapes.coordinates.iter();
    let coordinates = coordinates.map(|k| names[*k].unknown.clone()).collect();
    let mut subject = subject(args, form, coordinates, &tensors)?;
    if let (true, Err(reason)) = (args.modal, subject.transfer.modal()) {
        console.note(&format!("note: --modal: {reason}"));
    }
    let still = compliance.as_ref().map(between::still);
    let asked = match compliance {
        Some(compliance) => Asked::Between(Box::new(compliance)),
        None => ask::excitation(args, &mut subject, console)?,
    };
    let grid = grid(args, &subject, &asked.breaks(&args.excitation.bands))?;
    for note in doubts::notes(args, &subject, &asked, &grid)? {
        console.note(&note);
    }
    let found = lines::find(&subject, &asked, (&grid, &args.excitation.bands), console)?;
    if let Some(note) = doubts::of_found(&grid, &found)? {
        console.note(&note);
    }
    let more = show::More {
        still,
        ..more(args, &subject, &asked)?
    };
    write(args, &subject, (&grid, &found), console)?;
    if let Some(path) = &args.inside.modal_coordinates {
        let text = modal::coordinates(args, &at, &subject, (&asked, &grid))?;
        console.write(path, &text)?;
    }
    if let Some(path) = &args.report {
        let page = page::page(&at, &subject, (&grid, &found), &more, logarithmic(args))?;
        console.write(path, &page)?;
    }
    if args.json {
        console.say(&super::json(&show::json(&subject, (&grid, &found), &more))?)?;
    } else if [
        &args.output,
        &args.plot,
        &args.nyquist,
        &args.nichols,
        &args.report,
        &args.inside.modal_coordinates,
    ]
    .into_iter()
    .flatten()
    .all(|path| path.as_os_str() != "-")
    {
        for line in show::text(&subject, (&grid, &found), &more) {
            console.say(&line)?;
        }
    }
    Ok(true)
}

/// The results at one frequency.
fn more(args: &args::Response, subject: &Subject, asked: &Asked) -> Result<show::More, Stop> {
    let participation = args.participation;
    let participation = participation.map(|f| one::participation(subject, asked, f));
    let state = args.shape.map(|f| one::state(subject, asked, f));
    Ok(show::More {
        participation: participation.transpose()?,
        state: state.transpose()?,
        still: None,
    })
}

/// The files that the command reads and writes.
fn places(args: &args::Response) -> Places<'_> {
    let excitation = &args.excitation;
    let tables = excitation.psd.iter().map(|(_, value)| value);
    Places::default()
        .json(args.json)
        .prints("--output", &args.output)
        .prints("--plot", &args.plot)
        .prints("--nyquist", &args.nyquist)
        .prints("--nichols", &args.nichols)
        .prints("--report", &args.report)
        .prints("--modal-coordinates", &args.inside.modal_coordinates)
        .reads("--spectrum", &excitation.spectrum)
        .reads("--cross", &excitation.cross)
        .reads("--history", &excitation.history)
        .reads(
            "--psd",
            tables.filter(|value| value.parse::<f64>().is_err()),
        )
}

/// Are frequencies in equal ratios?
fn logarithmic(args: &args::Response) -> bool {
    args.grid.at_frequency.is_none() && (args.grid.logarithmic || args.grid.from.is_none())
}

/// The requested files.
fn write(
    args: &args::Response,
    subject: &Subject,
    (grid, found): (&Grid, &Found),
    console: &mut Console,
) -> Result<(), Failure> {
    if let Some(path) = &args.output {
        console.write(path, &csv::csv(grid, found).to_text())?;
    }
    let title = &args.point.file.file_stem();
    let title = title.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if let Some(path) = &args.plot {
        let picture = pictures::over_frequency(&title, (grid, found), logarithmic(args));
        console.write(path, &picture.to_svg())?;
    }
    if let Some(path) = &args.nyquist {
        let plots = pictures::nyquist(&title, subject, found).into_iter();
        let plots: Vec<Plot> = plots.map(|(_, plot)| plot).collect();
        console.write(path, &plot::stacked(&plots))?;
    }
    if let Some(path) = &args.nichols {
        console.write(path, &pictures::nichols(&title, found).to_svg())?;
    }
    Ok(())
}

fn subject(
    args: &args::Response,
    form: LinearForm,
    coordinates: Vec<String>,
    tensors: &Tensors,
) -> Result<Subject, Stop> {
    let names = |of: &[linear_analysis::Variable]| -> Vec<String> {
        of.iter().map(|variable| variable.name.clone()).collect()
    };
    let inputs = ask::chosen("--by", "input", &args.by, &names(&form.inputs))?;
    let known = names(&form.outputs);
    let outputs = if args.show.is_empty() && !tensors.names.is_empty() {
        Vec::new()
    } else {
        ask::chosen("--show", "output", &args.show, &known)?
    };
    let (outputs, equivalents) = tensors.with(outputs, &known);
    if form.outputs.is_empty() {
        return Err(Stop::Failed(Failure(String::from(
            "the model has no outputs to respond; give it some (\"outputs\")",
        ))));
    }
    if form.inputs.is_empty() {
        return Err(Stop::Failed(Failure(String::from(
            "the model has no inputs that could excite it; give it some (\"inputs\"), and forces or motions that use them",
        ))));
    }
    Ok(Subject {
        transfer: Transfer::new(&form),
        route: if args.modal {
            Route::Modal
        } else {
            Route::Direct
        },
        inputs,
        outputs,
        equivalents,
        units: form.inputs.iter().map(|input| input.unit.clone()).collect(),
        coordinates,
        form,
    })
}

/// The frequencies: those of the options, or around all modes.
fn grid(args: &args::Response, subject: &Subject, breaks: &[f64]) -> Result<Grid, Stop> {
    let poles = subject.transfer.poles();
    let largest = poles
        .iter()
        .fold(0.0_f64, |most, pole| most.max(pole.norm()));
    let moving = poles.iter().map(|pole| pole.norm());
    let moving = moving.filter(|size| *size > RIGID * largest);
    let moving = moving.map(|size| size / TURN);
    let range = moving.fold(None, |range: Option<(f64, f64)>, f| {
        Some(range.map_or((f, f), |(low, high)| (low.min(f), high.max(f))))
    });
    let (low, high) = range.unwrap_or((1.0, 10.0));
    // By default, the range of every table of the excitation is included.
    let given = breaks.iter().filter(|f| **f > 0.0);
    let (least, most) = given.fold((f64::INFINITY, 0.0_f64), |(least, most), f| {
        (least.min(*f), most.max(*f))
    });
    let from = args.grid.from;
    let single = args.grid.at_frequency;
    let to = single.or(args.grid.to).unwrap_or(most.max(3.0 * high));
    let from = single.or(from);
    let plan = Plan {
        from: from.unwrap_or_else(|| least.min(low / 10.0).min(to / 100.0)),
        to,
        points: args.grid.points.unwrap_or(POINTS),
        logarithmic: logarithmic(args),
        refined: !args.grid.no_refine,
    };
    plan.grid(poles, breaks).map_err(|wrong| {
        Stop::CommandLine(format!("--from, --to, --points, --logarithmic: {wrong}"))
    })
}
