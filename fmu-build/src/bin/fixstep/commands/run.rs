//! Control plane: `fixstep run`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fmu_build::animation::Animation;
use fmu_build::plot::Plot;
use fmu_build::run::{self, Outcome};
use fmu_build::slave::Failure;
use serde::Serialize;

use super::remarks::{Remarks, Watcher};
use super::{Done, json};
use crate::args;
use crate::console::{Console, write_file};
use crate::places::{Places, Stop};
use crate::source::{Source, table};

/// `fixstep run`
pub(crate) fn run(args: &args::Run, console: &mut Console) -> Done {
    if args.json && args.output.as_deref() == Some(Path::new("-")) {
        return Err(Stop::CommandLine(
            "--output - and --json both write to standard output; write the table to a file"
                .to_owned(),
        ));
    }
    let mut watcher = Watcher::begin(!args.no_trial);
    let source = Source::open(&args.file)?;
    places(args, &source.files(&args.file)).check()?;
    let film = |_| source.film(&args.file, args.deformation_scale);
    let mut animation = args.animate.as_ref().map(film).transpose()?;
    let plan = run::Plan {
        start: args.start_time,
        stop: args.stop,
        step: args.step,
        settings: args.start.set.clone(),
        input: args.start.input.as_deref().map(table).transpose()?,
        record: args.record.clone(),
    };
    let mut slave = source.slave(args.start.talk())?;
    let times = plan.times(slave.description())?;
    let name = slave.description().name.clone();
    console.begin(&name);
    let outcome = run::attempt(slave.as_mut(), &plan, &mut |slave, share| {
        if let (Some(animation), Some(engine)) = (&mut animation, slave.engine()) {
            animation.watch(engine, share);
        }
        watcher.watch(slave);
        console.progress(share);
    });
    console.end();
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(failure) => {
            console.log(&slave.messages(), args.start.log, &failure.0);
            return Err(failure.into());
        }
    };
    let file = (&source, args.file.as_path());
    let remarks = watcher.finish(slave.as_ref(), file, (&plan, &outcome));
    let told = (&outcome, animation.as_ref(), &remarks);
    tell(args, console, &name, times, told)?;
    if let Some((time, reason)) = &outcome.ended {
        console.complain(&format!(
            "the run ended at {time} s, before {} s: {reason}",
            times.stop
        ));
    }
    match outcome.failed {
        Some(failure) => Err(failure.into()),
        None => Ok(outcome.ended.is_none()),
    }
}

/// Writes what came out, and says it in short.
fn tell(
    args: &args::Run,
    console: &mut Console,
    name: &str,
    times: run::Times,
    (outcome, animation, remarks): (&Outcome, Option<&Animation>, &Remarks),
) -> Result<(), Failure> {
    let reason = why(outcome).unwrap_or_default();
    console.log(&outcome.messages, args.start.log, &reason);
    if let (Some(path), Some(animation)) = (&args.animate, animation) {
        write_file(path, animation.develop().as_bytes())?;
    }
    if let Some(path) = &args.output {
        console.write(path, &outcome.table.to_text())?;
    }
    if let Some(path) = &args.plot {
        write_file(path, picture(name, outcome, times.step).to_svg().as_bytes())?;
    }
    let summary = Summary::of(name, times, outcome, remarks);
    if args.json {
        console.say(&json(&summary)?)?;
    } else if args.output.as_deref() != Some(Path::new("-")) {
        console.say(&summary.to_text(args))?;
    }
    if !args.json {
        remarks.tell(console);
    }
    if let (true, Some(last)) = (reason.is_empty(), times.short()) {
        console.note(&format!(
            "warning: the last communication point is {last} s, before the stop time {} s, which is no whole \
             number of steps of {} s (--step) from {} s",
            times.stop, times.step, times.start
        ));
    }
    Ok(())
}

/// Why a run did not reach its stop time.
fn why(outcome: &Outcome) -> Option<String> {
    let failed = outcome.failed.as_ref().map(|failure| failure.0.clone());
    failed.or_else(|| outcome.ended.as_ref().map(|(_, reason)| reason.clone()))
}

/// What is read and written.
fn places<'a>(args: &'a args::Run, files: &'a [PathBuf]) -> Places<'a> {
    Places::default()
        .reads("FILE", [&args.file])
        .reads("a file of the model", files)
        .reads("--input", &args.start.input)
        .writes("--output", &args.output)
        .writes("--plot", &args.plot)
        .writes("--animate", &args.animate)
}

fn picture(name: &str, outcome: &Outcome, step: f64) -> Plot {
    let columns = outcome
        .table
        .names
        .iter()
        .zip(&outcome.units)
        .zip(&outcome.table.columns);
    let series = columns
        .skip(1)
        .map(|((name, unit), values)| (name.as_str(), unit.as_str(), values.clone()));
    let time = outcome.table.columns.first().map_or(&[][..], Vec::as_slice);
    let mut plot = Plot::of_series(name, "time [s]", time, series);
    plot.subtitle = format!("communication step {step} s");
    plot
}

/// A run in short.
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

impl<'a> Summary<'a> {
    fn of(name: &str, times: run::Times, outcome: &Outcome, remarks: &'a Remarks) -> Self {
        let columns = outcome
            .table
            .names
            .iter()
            .zip(&outcome.units)
            .zip(&outcome.table.columns);
        let columns = columns.skip(1).map(|((name, unit), values)| Column {
            name: name.clone(),
            unit: unit.clone(),
            first: values.first().copied().unwrap_or(f64::NAN),
            last: values.last().copied().unwrap_or(f64::NAN),
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
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
            end: if times.short().is_none() && ended.is_none() {
                times.stop
            } else {
                end
            },
            step: times.step,
            rows: outcome.table.rows(),
            ended,
            columns: columns.collect(),
            remarks,
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
        for path in [&args.output, &args.plot, &args.animate]
            .into_iter()
            .flatten()
        {
            let _ = writeln!(text, "written: {}", path.display());
        }
        text.truncate(text.trim_end().len());
        text
    }
}
