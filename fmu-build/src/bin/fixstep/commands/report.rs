//! Control plane: the page of a run that `fixstep run --report` writes.

use std::path::Path;

use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_kernel::simulation::Simulation;
use fixstep_pictures::page;
use fixstep_pictures::scene::{Film, Scene};
use fmu_build::check::is_ours;
use fmu_build::csv::Table;
use fmu_build::report::again::{self, Again};
use fmu_build::report::{self, Told, system};
use fmu_build::run::{Outcome, Plan, Times};
use fmu_build::scene::{self, Recorder};
use fmu_build::slave::{Failure, Slave};

use super::remarks::Remarks;
use crate::args;
use crate::console::Console;
use crate::source::{Source, table};

/// Collects a page during a run.
pub(super) struct Page<'a> {
    args: &'a args::Run,
    source: &'a Source,
    recorder: Recorder,
}

impl<'a> Page<'a> {
    /// Begins, if a page is wanted.
    pub(super) fn begin(args: &'a args::Run, source: &'a Source) -> Option<Self> {
        args.report.as_ref()?;
        Some(Self {
            args,
            source,
            recorder: Recorder::of_rows(),
        })
    }

    /// At a communication point.
    pub(super) fn watch(&mut self, engine: &Simulation, share: f64) {
        self.recorder.watch(engine, share);
    }

    /// The page; what it cannot show is told.
    pub(super) fn finish(
        self,
        slave: &dyn Slave,
        (plan, times, outcome): (&Plan, Times, &Outcome),
        remarks: &Remarks,
        console: &mut Console,
    ) -> Result<String, Failure> {
        let path = &self.args.file;
        let again = self.again(slave, (plan, outcome), console)?;
        let film = self.recorder.film();
        let drawn: Option<(Scene, Film)> = match (&again, slave.engine(), self.source) {
            (Some(again), _, _) => Some((again.scene.clone(), again.film.clone())),
            (None, Some(engine), Source::Model(model)) => {
                Some((scene::of(engine, &model.shapes, &film), film))
            }
            (None, None, Source::System(package)) => {
                console.begin("the mechanisms inside");
                let parts = package.components();
                let ran = (plan, times, outcome);
                let shown = system::run(package.name(), &parts, ran, &mut |share| {
                    console.progress(share);
                })?;
                console.end();
                for why in shown.left_out {
                    console.note(&format!("note: the page does not show {why}"));
                }
                shown.drawn
            }
            _ => None,
        };
        if drawn.is_some() && !page::has_bundle() {
            console.note(
                "note: this program was built without the code that draws solids; the page shows the mechanism in 2-D; \
                 cargo xtask build makes a program with it",
            );
        }
        let engine = again.as_ref().and_then(|again| again.slave.engine());
        let against = { self.args.against.as_deref() }
            .map(|path| Ok((path.display().to_string(), table(path)?)))
            .transpose()?;
        if let Some((name, other)) = &against {
            common(name, other, outcome)?;
        }
        let (account, trial) = remarks.parts();
        report::page(&Told {
            description: slave.description(),
            plan,
            times,
            outcome,
            engine: slave.engine().or(engine),
            drawn,
            account,
            trial,
            against,
            about: about(path, slave)?,
        })
    }

    /// The motion of an FMU of ours.
    fn again(
        &self,
        slave: &dyn Slave,
        ran: (&Plan, &Outcome),
        console: &mut Console,
    ) -> Result<Option<Again>, Failure> {
        if slave.engine().is_some() || matches!(self.source, Source::System(_)) {
            return Ok(None);
        }
        let why = match self.source {
            Source::Fmu(fmu) if is_ours(fmu.description()) => {
                console.begin("the mechanism inside");
                let again = again::run(&self.args.file, ran, &mut |share| console.progress(share))?;
                console.end();
                match again {
                    Ok(again) => return Ok(Some(again)),
                    Err(why) => why,
                }
            }
            _ => "this FMU does not tell where its bodies are".to_owned(),
        };
        console.note(&format!("note: the page has no mechanism: {why}"));
        Ok(None)
    }
}

/// Has the other table a column of the run's, perhaps in display units?
fn common(name: &str, other: &Table, outcome: &Outcome) -> Result<(), Failure> {
    let own = &outcome.table.names;
    let is = |column: &String| {
        let plain = column
            .split_once(" [")
            .map_or(column.as_str(), |(plain, _)| plain);
        own.iter().any(|name| name == column || name == plain)
    };
    if other.names.iter().skip(1).any(is) {
        return Ok(());
    }
    let some: Vec<&str> = own.iter().skip(1).take(8).map(String::as_str).collect();
    Err(Failure(format!(
        "--against {name}: none of its columns is one of the run; valid: a table with {}",
        some.join(", ")
    )))
}

/// What was run, and by what.
fn about(path: &Path, slave: &dyn Slave) -> Result<Vec<[String; 2]>, Failure> {
    let bytes =
        std::fs::read(path).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let description = slave.description();
    let mut about = vec![
        ["Fixstep".to_owned(), env!("CARGO_PKG_VERSION").to_owned()],
        ["file".to_owned(), name.into_owned()],
        [
            "fingerprint of the file".to_owned(),
            Fingerprint::of(&bytes),
        ],
        ["token of the model".to_owned(), description.token.clone()],
        [
            "computed on".to_owned(),
            format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        ],
    ];
    if !description.description.is_empty() {
        about.insert(0, ["model".to_owned(), description.description.clone()]);
    }
    Ok(about)
}
