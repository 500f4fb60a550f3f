//! Control plane: `fixstep run`, which simulates a model, an FMU or a system.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fixstep_kernel::mechanism::Mode;
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::Simulation;
use fmu_build::advise;
use fmu_build::advise::compare::Comparison;
use fmu_build::display::Display;
use fmu_build::explain;
use fmu_build::recording::{self, Kind};
use fmu_build::report;
use fmu_build::run::{self, Outcome};
use fmu_build::slave::{Failure, LogLevel, Slave};
use model_description::parse::Type;
use serde::Serialize;

use super::advise::Told;
use super::along::Along;
use super::drawing;
use super::remarks::{Remarks, Watcher};
use super::shown::Shown;
use super::variable_step::VariableStep;
use super::{Done, json};
use crate::args;
use crate::console::{Console, write_file};
use crate::places::{Places, Stop};
use crate::source::{Source, table};

/// No run of a reference begins that would end after so much wall time (s).
const REFERENCE: u64 = 60;

/// `fixstep run`
pub(crate) fn run(args: &args::Run, console: &mut Console) -> Done {
    if let (true, Some(option)) = (args.json, printed(args)) {
        return Err(Stop::CommandLine(format!(
            "{option} - and --json both write to standard output; give {option} a file"
        )));
    }
    if args.live.live {
        console.check_live()?;
    }
    // The trial begins at the start, and so does the account of energy.
    let watcher = Watcher::begin(!args.no_trial && !args.live.live && args.state.is_none());
    let asked = args.stepping.asked().map_err(Stop::CommandLine)?;
    let source = Source::open_with(&args.file, &asked)?;
    places(args, &source.files(&args.file)).check()?;
    let shown = Shown::begin(args, &source)?;
    let mut plan = plan(args)?;
    plan.settings
        .splice(0..0, source.settings(&args.file, &asked)?);
    let log = args.start.log || source.traces();
    let talk = if log {
        LogLevel::All
    } else {
        args.start.talk()
    };
    let mut slave = source.slave(talk)?;
    check_compared(args, slave.engine())?;
    go_on(args, slave.as_mut(), &mut plan)?;
    let times = plan.times(slave.description())?;
    if shown.page.is_some() {
        plan.more = report::recorded(slave.description());
    }
    if args.step.is_some() && plan.state.is_none() {
        slave.announce_step(times.step);
    }
    let name = slave.description().name.clone();
    if args.save_state.is_some() {
        let saved = slave.saved();
        saved.map_err(|Failure(reason)| Failure(format!("--save-state: {reason}")))?;
    }
    let (ran, with) = ((&plan, times), (shown, watcher));
    let mut along = Along::new(args, slave.as_ref(), ran, with, console);
    let outcome = run::accompany(slave.as_mut(), &plan, &mut along);
    let (shown, watcher, state) = along.end();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(failure) => {
            console.log(&slave.messages(), log, &failure.0);
            return Err(failure.into());
        }
    };
    let steps = VariableStep::told(slave.engine(), outcome.took, console);
    let file = (&source, args.file.as_path());
    let remarks = watcher.finish(slave.as_ref(), file, (&plan, &outcome));
    let comparison = args
        .compare
        .then(|| compare(file, &plan, console))
        .transpose()?;
    if let (Some(path), Some(bytes)) = (&args.save_state, &state) {
        write_file(path, bytes)?;
    }
    let ran = (&plan, times, &outcome);
    shown.finish(slave.as_ref(), ran, &remarks, console)?;
    let results = (&outcome, steps.as_ref());
    let told = (results, &remarks, comparison.as_ref());
    tell((args, log), console, &name, times, told)?;
    ended(outcome, times, console)
}

/// Begins at a saved state, if one is given.
fn go_on(args: &args::Run, slave: &mut dyn Slave, plan: &mut run::Plan) -> Result<(), Failure> {
    let Some(path) = &args.state else {
        return Ok(());
    };
    let fail =
        |reason: &dyn std::fmt::Display| Failure(format!("--state {}: {reason}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| fail(&error))?;
    plan.go_on(slave, bytes).map_err(|failure| fail(&failure.0))
}

/// Refuses a comparison with a reference that cannot be.
fn check_compared(args: &args::Run, engine: Option<&Simulation>) -> Result<(), Failure> {
    if args.compare && engine.is_some_and(|engine| engine.settings().mode == Mode::Static) {
        let why = "--compare: the reference integrates the motion, and a quasi-static run has none; valid: another --mode";
        return Err(Failure(why.to_owned()));
    }
    Ok(())
}

/// Says why a run ended early, if it did.
fn ended(outcome: Outcome, times: run::Times, console: &mut Console) -> Done {
    if let Some(time) = outcome.left {
        let [time, stop] = [time, times.stop].map(Seconds);
        console.note(&format!("you ended the run at {time} s, before {stop} s"));
    }
    if let Some((time, reason)) = &outcome.ended {
        console.complain(&format!(
            "the run ended at {} s, before {} s: {reason}{}",
            Seconds(*time),
            Seconds(times.stop),
            explain::of_log(reason, &outcome.messages)
        ));
    }
    match outcome.failed {
        Some(Failure(text)) => {
            let see = explain::of_log(&text, &outcome.messages);
            Err(Failure(text + &see).into())
        }
        None => Ok(outcome.ended.is_none()),
    }
}

fn plan(args: &args::Run) -> Result<run::Plan, Failure> {
    Ok(run::Plan {
        start: args.start_time,
        stop: args.stop,
        step: args.step,
        settings: args.start.set.clone(),
        input: args.start.input.as_deref().map(table).transpose()?,
        record: args.record.clone(),
        more: Vec::new(),
        every_step: args.every_step,
        state: None,
        open_end: args.save_state.is_some() || args.live.live,
    })
}

/// Makes the reference, and compares.
fn compare(
    (source, path): (&Source, &Path),
    plan: &run::Plan,
    console: &mut Console,
) -> Result<Comparison, Failure> {
    let blueprint = source
        .mechanism(path)
        .map_err(|Failure(why)| Failure(format!("--compare: {why}")))?;
    let mut told = Told {
        console,
        keep: None,
    };
    let budget = Some(Duration::from_secs(REFERENCE));
    let comparison = advise::compare::compare(&blueprint, plan, budget, &mut told);
    console.end();
    comparison.map_err(|Failure(why)| Failure(format!("--compare: {why}")))
}

/// What a run has given.
type Results<'a> = (
    (&'a Outcome, Option<&'a VariableStep>),
    &'a Remarks,
    Option<&'a Comparison>,
);

/// Writes the results and prints a summary.
fn tell(
    (args, log): (&args::Run, bool),
    console: &mut Console,
    name: &str,
    times: run::Times,
    ((outcome, variable_step), remarks, comparison): Results<'_>,
) -> Result<(), Failure> {
    let reason = why(outcome).unwrap_or_default();
    console.log(&outcome.messages, log, &reason);
    if let Some((path, kind)) = args.output.as_ref().and_then(|p| Some((p, Kind::of(p)?))) {
        let bytes = recording::file(kind, name, outcome, args.display_units)
            .map_err(|Failure(why)| Failure(format!("--output: {why}")))?;
        write_file(path, &bytes)?;
    } else if let Some(path) = &args.output {
        let table = if args.display_units {
            outcome.displayed().to_text()
        } else {
            outcome.table.to_text()
        };
        console.write(path, &table)?;
    }
    if let Some(path) = &args.plot {
        let plot = match comparison {
            Some(comparison) => comparison.plot().clone(),
            None => drawing::plot(name, outcome, times.step, args)?,
        };
        console.write(path, &plot.to_svg())?;
    }
    // The text uses display units; JSON uses them only on request.
    let displayed = args.display_units || !args.json;
    let summary = Summary {
        comparison,
        variable_step,
        ..Summary::of(name, times, (outcome, displayed), remarks)
    };
    if args.json {
        console.say(&json(&summary)?)?;
    } else if printed(args).is_none() {
        console.say(&summary.to_text(args))?;
        comparison.map_or(Ok(()), |comparison| console.say(&comparison.to_string()))?;
    }
    if !args.json {
        remarks.tell(console);
    }
    let whole = reason.is_empty() && outcome.left.is_none();
    if let (true, Some(last)) = (whole, times.short()) {
        let origin = match args.step {
            Some(_) => "--step",
            None => "the file's own",
        };
        let [last, stop, step, start] = [last, times.stop, times.step, times.start].map(Seconds);
        console.note(&format!(
            "warning: the last communication point is {last} s, before the stop time {stop} s, which is no whole \
             number of steps of {step} s ({origin}) from {start} s"
        ));
    }
    for (name, kind) in &outcome.left_out {
        console.note(&match kind {
            Type::Binary => format!(
                "note: the output \"{name}\" is binary and left out; --record \"{name}\" writes it in hexadecimal digits"
            ),
            _ => format!("note: the output \"{name}\" is a clock and left out"),
        });
    }
    Ok(())
}

/// The option that writes to standard output, if one does.
fn printed(args: &args::Run) -> Option<&'static str> {
    let options = [
        ("--output", &args.output),
        ("--plot", &args.plot),
        ("--report", &args.report),
    ];
    let mut printed = options
        .into_iter()
        .filter(|(_, path)| path.as_deref() == Some(Path::new("-")));
    printed.next().map(|(option, _)| option)
}

/// Why a run did not reach its stop time.
fn why(outcome: &Outcome) -> Option<String> {
    let failed = outcome.failed.as_ref().map(|failure| failure.0.clone());
    failed.or_else(|| outcome.ended.as_ref().map(|(_, reason)| reason.clone()))
}

/// The files that are read and written.
fn places<'a>(args: &'a args::Run, files: &'a [PathBuf]) -> Places<'a> {
    Places::default()
        .reads("FILE", [&args.file])
        .reads("a file of the model", files)
        .reads("--input", &args.start.input)
        .reads("--state", &args.state)
        .prints("--output", &args.output)
        .prints("--plot", &args.plot)
        .prints("--report", &args.report)
        .reads("--against", &args.against)
        .reads("--overlay", &args.overlay)
        .writes("--save-state", &args.save_state)
        .writes("--png", &args.pictures.png)
        .writes("--apng", &args.pictures.apng)
        .writes("--gif", &args.pictures.gif)
        .writes("--mp4", &args.pictures.mp4)
        .writes("--glb", &args.pictures.glb)
}

/// The summary of a run.
#[derive(Serialize)]
struct Summary<'a> {
    model: String,
    start: f64,
    stop: f64,
    /// Time of the last row.
    end: f64,
    step: f64,
    rows: usize,
    ended: Option<Ended>,
    columns: Vec<Column>,
    #[serde(flatten)]
    remarks: &'a Remarks,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    variable_step: Option<&'a VariableStep>,
}

#[derive(Serialize)]
struct Ended {
    time: f64,
    reason: String,
}

#[derive(Serialize)]
struct Column {
    name: String,
    unit: String,
    first: f64,
    last: f64,
    min: f64,
    max: f64,
}

impl Column {
    fn of(name: &str, display: &Display, values: &[f64]) -> Self {
        let shown = || values.iter().map(|value| display.shown(*value));
        Self {
            name: name.to_owned(),
            unit: display.unit.clone(),
            first: shown().next().unwrap_or(f64::NAN),
            last: shown().next_back().unwrap_or(f64::NAN),
            min: shown().fold(f64::INFINITY, f64::min),
            max: shown().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

impl<'a> Summary<'a> {
    fn of(
        name: &str,
        times: run::Times,
        (outcome, displayed): (&Outcome, bool),
        remarks: &'a Remarks,
    ) -> Self {
        let table = &outcome.table;
        let displays = outcome.displays.iter().zip(&outcome.units);
        let columns = table.names.iter().zip(displays).zip(&table.columns);
        let columns = columns.skip(1).map(|((name, (display, unit)), values)| {
            let display = if displayed {
                display.clone()
            } else {
                Display::plain(unit)
            };
            Column::of(name, &display, values)
        });
        let time = outcome.table.columns.first();
        let end = time.and_then(|time| time.last().copied());
        let end = end.unwrap_or(times.start);
        let at = outcome.ended.as_ref().map_or(end, |(time, _)| *time);
        let ended = why(outcome).map(|reason| Ended { time: at, reason });
        Self {
            model: name.to_owned(),
            start: times.start,
            stop: times.stop,
            end: if times.short().is_none() && ended.is_none() && outcome.left.is_none() {
                times.stop
            } else {
                end
            },
            step: times.step,
            rows: outcome.table.rows(),
            ended,
            columns: columns.collect(),
            remarks,
            comparison: None,
            variable_step: None,
        }
    }

    fn to_text(&self, args: &args::Run) -> String {
        let Self {
            model,
            start,
            end,
            step,
            rows,
            ..
        } = self;
        let [start, end, step] = [start, end, step].map(|value| Seconds(*value));
        let mut text = format!("{model}: {start} s to {end} s in steps of {step} s, {rows} rows\n");
        let width = self
            .columns
            .iter()
            .map(|column| column.name.chars().count())
            .max();
        let width = width.unwrap_or(0).max(4);
        let head = ["name", "last", "least", "most"];
        let _ = writeln!(
            text,
            "  {:width$} {:>14} {:>14} {:>14}  unit",
            head[0], head[1], head[2], head[3]
        );
        for Column {
            name,
            unit,
            last,
            min,
            max,
            ..
        } in &self.columns
        {
            let number = |value: &f64| format!("{value:>14.6e}");
            let numbers = [last, min, max].map(number).join(" ");
            text += format!("  {name:width$} {numbers}  {unit}").trim_end();
            text.push('\n');
        }
        let own = [&args.output, &args.plot, &args.report];
        let drawn = args.pictures.all().into_iter().map(|(_, path)| path);
        for path in own.into_iter().flatten().map(PathBuf::as_path).chain(drawn) {
            let _ = writeln!(text, "written: {}", path.display());
        }
        text.truncate(text.trim_end().len());
        text
    }
}
