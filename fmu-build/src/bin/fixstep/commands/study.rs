//! Control plane: `fixstep study`, many runs of one model.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use fixstep_model::AskedValue;
use fmu_build::slave::Failure;
use fmu_build::study::execution::Watcher;
use fmu_build::study::folder::{Folder, write};
use fmu_build::study::summary::Summary;
use fmu_build::study::table::Row;
use fmu_build::study::{Finished, Study, part, picture};

use super::{Done, json, run::run};
use crate::args::{self, Cli, Command};
use crate::console::{Console, write_file};
use crate::places::{Places, Stop};
use crate::source::parent;

/// Shows the progress.
struct Told<'a>(&'a mut Console);

impl Watcher for Told<'_> {
    fn progress(&mut self, done: usize, of: usize) {
        self.0.progress(done as f64 / of.max(1) as f64);
    }
}

/// `fixstep study`
pub(crate) fn study(args: &args::Study, console: &mut Console) -> Done {
    let table = args.output.as_ref().filter(|_| args.one.is_some());
    let picture = args.page.as_ref().map(|page| page.with_extension("svg"));
    let places = || {
        Places::default()
            .reads("STUDY.json", [&args.file])
            .writes("--output", table)
            .writes("--page", &args.page)
            .writes("--page", &picture)
            .writes("--model", &args.model)
            .writes("--report", &args.report)
    };
    places().check()?;
    let study = Study::open(&args.file, &args.elsewhere)?;
    let files = study.subject.read_files(&study.spec, parent(&args.file));
    places().reads("a file of the study", &files).check()?;
    if let Some((from, to)) = args.rows {
        return chunk(&study, (from, to), args, console);
    }
    if let Some(number) = args.one {
        return single(&study, number, args, console);
    }
    let path = args.output.clone();
    let path = path.unwrap_or_else(|| PathBuf::from(&study.spec.name));
    let folder = Folder::open(&path, &study, args.fresh)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.workers.map_or(cores, usize::from);
    console.begin(&format!("{} runs", study.design.runs()));
    let finished = study.run(&folder, workers, &mut Told(console));
    console.end();
    let Finished {
        rows,
        known,
        broken,
    } = finished?;
    for name in broken {
        console.note(&format!("{name} was not whole; its runs were made again"));
    }
    if known > 0 {
        console.note(&format!("{known} runs were known already"));
    }
    let summary = Summary::of(&study, &rows)?;
    tell((args, &path), (&study, &folder), (&rows, &summary), console)?;
    Ok(rows.is_empty() || summary.failed < rows.len())
}

/// Writes and prints all results.
fn tell(
    (args, path): (&args::Study, &Path),
    (study, folder): (&Study, &Folder),
    (rows, summary): (&[Row], &Summary),
    console: &mut Console,
) -> Result<(), Failure> {
    let drawn = picture::draw(study, folder, rows, summary)?;
    let command = format!(
        "fixstep study {} -o {}",
        args.file.display(),
        path.display()
    );
    let summary_text = json(summary)? + "\n";
    write(&folder.at("runs.csv"), study.csv(rows).as_bytes())?;
    write(&folder.at("runs.npz"), &study.npz(rows)?)?;
    write(&folder.at("runs.parquet"), &study.parquet(rows))?;
    write(&folder.at("summary.json"), summary_text.as_bytes())?;
    write(&folder.at("study.svg"), drawn.as_bytes())?;
    let page = summary.markdown(&command, "study.svg");
    write(&folder.at("study.md"), page.as_bytes())?;
    if let Some(path) = &args.page {
        let picture = path.with_extension("svg");
        let name = picture.file_name().unwrap_or_default().to_string_lossy();
        let command = format!(
            "fixstep study {} --page {}",
            args.file.display(),
            path.display()
        );
        write_file(path, summary.markdown(&command, &name).as_bytes())?;
        write_file(&picture, drawn.as_bytes())?;
    }
    if args.json {
        return console.say(summary_text.trim_end());
    }
    for line in summary.lines() {
        let line = line.replace(
            "fixstep study …",
            &format!("fixstep study {}", args.file.display()),
        );
        console.say(&line)?;
    }
    console.say(&format!(
        "written: {} (runs.csv, runs.parquet, runs.npz, summary.json, study.md, study.svg)",
        path.display()
    ))
}

/// Makes some runs and prints their chunk.
fn chunk(
    study: &Study,
    (from, to): (usize, usize),
    args: &args::Study,
    console: &mut Console,
) -> Done {
    let runs = study.design.runs();
    let wrong = |text: String| Err(Stop::CommandLine(text));
    if to > runs {
        return wrong(format!(
            "--rows {from}..{to}: the study has {runs} runs; valid: 0..{runs} or a part of it"
        ));
    }
    if args.output.is_some() {
        return wrong("--rows prints the chunk; leave out --output".to_owned());
    }
    if !study.spec.series.is_empty() {
        return wrong(
            "--rows: the study keeps series, which are files of their own; valid: a study without \"series\"".to_owned(),
        );
    }
    console.note(&format!("rows {from}..{to} of {runs}"));
    let part = part::part(study, (from, to), &mut |_| Ok(Vec::new()))?;
    console.say(part.chunk.trim_end_matches('\n'))?;
    Ok(true)
}

/// Makes one run as `fixstep run` does.
fn single(study: &Study, number: usize, args: &args::Study, console: &mut Console) -> Done {
    let runs = study.design.runs();
    if number >= runs {
        return Err(Stop::CommandLine(format!(
            "--one {number}: the study has {runs} runs; valid: 0 to {}",
            runs.saturating_sub(1)
        )));
    }
    let levels = study.design.levels(number);
    for (factor, level) in study.spec.factors.iter().zip(&levels) {
        console.note(&format!("{} = {}", factor.name, level.text()));
    }
    let varied = study.subject.varied(&study.spec.factors, &levels);
    let varied = varied.as_ref().or(study.subject.flat());
    let text = varied.map(serde_json::Value::to_string);
    let text = text.map(|text| fixstep_model::formatted("", &text).unwrap_or(text));
    // Files count from the folder of the model, so a changed one is there for the time of the run.
    let mut aside = None;
    let mut model = study.subject.path.clone();
    if let Some(path) = &args.model {
        let own = std::fs::read_to_string(&study.subject.path);
        let own = own.map_err(|error| Failure(format!("{}: {error}", model.display())))?;
        write_file(path, text.as_deref().unwrap_or(&own).as_bytes())?;
    }
    if let Some(text) = &text {
        let folder = parent(&model);
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let fail = |error: &dyn std::fmt::Display| {
            Failure(format!(
                "the model of the run cannot be written for it: {}: {error}",
                folder.display()
            ))
        };
        let made = tempfile::Builder::new()
            .prefix(".fixstep-")
            .suffix(".json")
            .tempfile_in(folder);
        let made = made.map_err(|error| fail(&error))?;
        std::fs::write(made.path(), text).map_err(|error| fail(&error))?;
        made.path().clone_into(&mut model);
        aside = Some(made);
    }
    let words = words(study, number, &model, args);
    if aside.is_none() || args.model.is_some() {
        let shown = args.model.as_ref().unwrap_or(&model).display().to_string();
        let line: Vec<String> = words.iter().skip(2).map(|word| quoted(word)).collect();
        console.note(&format!(
            "fixstep run {} {}",
            quoted(&shown),
            line[1..].join(" ")
        ));
    }
    let told = match Cli::try_parse_from(&words) {
        Ok(Cli {
            command: Command::Run(args),
        }) => run(&args, console),
        Ok(_) => Err(Failure("the run has no command".to_owned()).into()),
        Err(error) => Err(Stop::CommandLine(error.to_string())),
    };
    let Some(aside) = aside else { return told };
    // The file aside is gone when the message is read.
    let hidden = aside.path().display().to_string();
    let named = format!("{}, run {number}", study.subject.path.display());
    told.map_err(|stop| match stop {
        Stop::CommandLine(text) => Stop::CommandLine(text.replace(&hidden, &named)),
        Stop::Failed(Failure(text)) => Stop::Failed(Failure(text.replace(&hidden, &named))),
    })
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-=/:,+*".contains(c);
    if word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The command line that makes a run.
fn words(study: &Study, number: usize, model: &Path, args: &args::Study) -> Vec<String> {
    let (plan, spec) = (&study.subject.plan, &study.spec);
    let mut all: Vec<String> = ["fixstep", "run"].map(str::to_owned).to_vec();
    all.push(model.display().to_string());
    for (option, value) in [
        ("--start-time", plan.start),
        ("--stop", plan.stop),
        ("--step", plan.step),
    ] {
        all.extend(value.map(|value| format!("{option}={}", fmu_build::csv::number(value))));
    }
    for asked in &spec.run.asked {
        let value = match &asked.value {
            AskedValue::Default => "default".to_owned(),
            AskedValue::Flag(true) => {
                all.push(format!("--{}", asked.setting));
                continue;
            }
            AskedValue::Flag(false) => continue,
            AskedValue::Number(value) | AskedValue::Seconds(value) => {
                fmu_build::csv::number(*value)
            }
            AskedValue::Word(word) => word.clone(),
        };
        all.push(format!("--{}={value}", asked.setting));
    }
    if let Some(table) = &plan.input {
        all.push(format!("--input={}", table.origin));
    }
    let settings = study
        .subject
        .settings(&spec.factors, &study.design.levels(number));
    for (name, value) in settings {
        all.push(format!("--set={name}={value}"));
    }
    all.extend(plan.record.iter().map(|name| format!("--record={name}")));
    all.push("--no-trial".to_owned());
    for (option, path) in [("--output", &args.output), ("--report", &args.report)] {
        all.extend(
            path.as_ref()
                .map(|path| format!("{option}={}", path.display())),
        );
    }
    all
}
