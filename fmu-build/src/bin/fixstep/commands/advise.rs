//! Control plane: `fixstep advise`, which finds settings of the fixed step.

use std::path::{Path, PathBuf};
use std::time::Duration;

use fixstep_model::limits::MODEL_BYTES;
use fmu_build::advise::kept::Kept;
use fmu_build::advise::{self, Advised, Progress, Question, Watcher, page, write};
use fmu_build::run::Plan;
use fmu_build::slave::Failure;

use super::{Done, json};
use crate::args;
use crate::console::{Console, write_file};
use crate::places::{Places, Stop};
use crate::source::{Source, is_archive, table, text};

/// A file of results, in bytes.
const RESULTS_BYTES: u64 = 1 << 30;

/// Shows the progress, and keeps the results.
pub(super) struct Told<'a> {
    pub(super) console: &'a mut Console,
    pub(super) keep: Option<&'a Path>,
}

impl Watcher for Told<'_> {
    fn stage(&mut self, title: &str) {
        self.console.stage(title);
    }

    fn progress(&mut self, progress: Progress) {
        self.console.progress(progress.share);
    }

    fn keep(&mut self, kept: &Kept) -> Result<(), Failure> {
        match self.keep {
            Some(path) => write_file(path, kept.to_text()?.as_bytes()),
            None => Ok(()),
        }
    }
}

/// `fixstep advise`
pub(crate) fn advise(args: &args::Advise, console: &mut Console) -> Done {
    let source = Source::open(&args.file)?;
    places(args, &source.files(&args.file))?;
    let blueprint = source.mechanism(&args.file)?;
    if args.count {
        can_count(args)?;
    }
    let question = Question {
        plan: Plan {
            start: args.start_time,
            stop: args.stop,
            step: args.rate.map(|rate| 1.0 / rate),
            settings: args.set.clone(),
            input: args.input.as_deref().map(table).transpose()?,
            record: Vec::new(),
            more: Vec::new(),
            every_step: false,
            state: None,
            open_end: false,
        },
        accuracy: args.accuracy.map(|percent| 0.01 * percent),
        max_rti: args.max_rti,
        outputs: args.outputs.clone(),
        norm: args.measure.norm(),
        hratios: divisions(&args.hratio),
        budget: Some(Duration::from_secs_f64(args.reference_time.min(1e9))),
    };
    let kept = args.resume.as_deref().map(known).transpose()?;
    if let Some(kept) = kept.as_ref().filter(|kept| !kept.is_empty()) {
        console.note(&format!("{} settings are known already", kept.len()));
    }
    let mut told = Told {
        console,
        keep: args.resume.as_deref(),
    };
    let mut advised = advise::advise(&blueprint, &question, kept.unwrap_or_default(), &mut told)?;
    if args.count {
        count(args, &mut advised, told.console)?;
    }
    console.end();
    tell(args, console, &advised)?;
    let asked = args.accuracy.is_some() || args.max_rti.is_some();
    let met = advised
        .advice
        .choice
        .as_ref()
        .is_some_and(|choice| choice.met);
    Ok(met || !asked)
}

/// In order, each once.
fn divisions(given: &[u32]) -> Vec<u32> {
    let mut all = given.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

/// Results that a file holds already.
fn known(path: &Path) -> Result<Kept, Failure> {
    if !path.exists() {
        return Ok(Kept::default());
    }
    let text = text(path, RESULTS_BYTES)?;
    if text.is_empty() {
        return Ok(Kept::default());
    }
    Kept::read(&text).map_err(|Failure(why)| Failure(format!("--resume: {} {why}", path.display())))
}

/// Refuses to count, before anything runs, what cannot be counted.
fn can_count(args: &args::Advise) -> Result<(), Failure> {
    if is_archive(&args.file)? {
        return Err(Failure(
            "--count: instructions are counted in runs of a model; valid: a model (.json)"
                .to_owned(),
        ));
    }
    advise::instructions::available().map_err(|Failure(why)| Failure(format!("--count: {why}")))
}

/// Counts instructions.
fn count(args: &args::Advise, advised: &mut Advised, console: &mut Console) -> Result<(), Failure> {
    console.stage("instructions of a step");
    advise::instructions::count(&args.file, args.input.as_deref(), advised, &mut |share| {
        console.progress(share);
    })
    .map_err(|Failure(why)| Failure(format!("--count: {why}")))
}

/// Checks the files. The model may be replaced by itself with other settings, and results by more of them.
fn places(args: &args::Advise, files: &[PathBuf]) -> Result<(), Stop> {
    let itself = args
        .write
        .as_deref()
        .is_some_and(|path| is_same(path, &args.file));
    if args.write.is_some() && is_archive(&args.file)? {
        return Err(Stop::CommandLine(format!(
            "--write: {} is no model; valid: a model (.json)",
            args.file.display()
        )));
    }
    let model = (!itself).then_some(&args.file);
    let write = args.write.as_ref();
    Places::default()
        .reads("FILE", model)
        .reads("a file of the model", files)
        .reads("--input", &args.input)
        .writes("--write", write)
        .writes("--resume", &args.resume)
        .prints("--plot", &args.plot)
        .prints("--report", &args.report)
        .json(args.json)
        .check()?;
    let resumed = args
        .resume
        .as_deref()
        .is_some_and(|path| is_same(path, &args.file));
    if resumed {
        return Err(Stop::CommandLine(
            "--resume would replace the model; give it a file of its own".to_owned(),
        ));
    }
    Ok(())
}

fn is_same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    whole(a).is_some_and(|a| Some(a) == whole(b))
}

/// Writes and prints the results.
fn tell(args: &args::Advise, console: &mut Console, advised: &Advised) -> Result<(), Failure> {
    let advice = &advised.advice;
    let mut written = Vec::new();
    if let Some(path) = &args.plot {
        console.write(path, &page::front(advice).to_svg())?;
        written.push(path);
    }
    if let Some(path) = &args.report {
        console.write(path, &page::page(advised)?)?;
        written.push(path);
    }
    if let (Some(path), Some(choice)) = (&args.write, &advice.choice) {
        let before = text(&args.file, MODEL_BYTES)?;
        let step = args.rate.map(|_| advice.step);
        write_file(path, write::into_model(&before, choice, step)?.as_bytes())?;
        written.push(path);
    }
    if args.json {
        return console.say(&json(advice)?);
    }
    let printed = [&args.plot, &args.report]
        .into_iter()
        .any(|path| path.as_deref() == Some(Path::new("-")));
    if printed {
        return Ok(());
    }
    console.say(advice.to_string().trim_end())?;
    for path in written {
        console.say(&format!("written: {}", path.display()))?;
    }
    if let (Some(path), None) = (&args.write, &advice.choice) {
        console.note(&format!(
            "{} is not written: there is no recommendation",
            path.display()
        ));
    }
    Ok(())
}
