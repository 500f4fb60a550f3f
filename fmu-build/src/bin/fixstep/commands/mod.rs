//! Control plane: runs each command. `Ok(false)` is a failed check or limit that has already been reported.

mod advise;
mod along;
mod build;
mod check;
mod compare;
mod drawing;
mod filming;
mod flex;
mod inspect;
mod linearize;
mod live;
mod modes;
mod of_form;
mod point;
mod remarks;
mod report;
mod response;
mod rti;
mod run;
mod schema;
mod shown;
mod ssp;
mod study;
mod text;
mod variable_step;
mod view;

use advise::advise;
use build::build;
use check::check;
use compare::compare;
use flex::flex;
use inspect::inspect;
use linearize::linearize;
pub(crate) use live::refusal;
use modes::modes;
use response::response;
use rti::rti;
use run::run;
use schema::schema;
use ssp::ssp;
use study::study;
use text::{doc, expand, fmt};
use view::view;

use std::path::Path;

use fmu_build::check::Problem;
use fmu_build::slave::Failure;
use serde::Serialize;

use crate::args::Command;
use crate::console::{Console, write_checked};
use crate::places::Stop;

/// Exit code for a wrong command line, the same as that of clap.
pub(crate) const WRONG_COMMAND_LINE: u8 = 2;

/// How a command ended.
type Done = Result<bool, Stop>;

/// Runs a command; returns the exit code.
pub(crate) fn obey(command: Command, console: &mut Console) -> u8 {
    let done = match command {
        Command::Build(args) => build(&args, console),
        Command::View(args) => view(&args, console),
        Command::Check(args) => check(&args, console),
        Command::Run(args) => run(&args, console),
        Command::Compare(args) => compare(&args, console),
        Command::Study(args) => study(&args, console),
        Command::Advise(args) => advise(&args, console),
        Command::Linearize(args) => linearize(&args, console),
        Command::Modes(args) => modes(&args, console),
        Command::Inspect(args) => inspect(&args, console),
        Command::Response(args) => response(&args, console),
        Command::Rti(args) => rti(&args, console),
        Command::Ssp(args) => ssp(&args, console),
        Command::Schema(args) => schema(&args, console),
        Command::Expand(args) => expand(&args, console),
        Command::Fmt(args) => fmt(&args, console),
        Command::Doc(args) => doc(&args, console),
        Command::Flex(args) => flex(&args, console),
    };
    match done {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(Stop::CommandLine(text)) => {
            console.complain(&text);
            WRONG_COMMAND_LINE
        }
        Err(Stop::Failed(failure)) => {
            console.complain(&failure.0);
            1
        }
    }
}

fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| Failure(format!("JSON: {error}")))
}

/// Writes a packed file after it was opened and checked; if it has errors, an existing file is kept.
fn written(
    path: &Path,
    bytes: &[u8],
    console: &mut Console,
    check: impl FnOnce(&Path) -> Result<Vec<Problem>, Failure>,
) -> Done {
    let is_sound = |problems: &[Problem]| problems.iter().all(|problem| !problem.error);
    let problems = write_checked(path, bytes, |file| {
        let problems = check(file)?;
        let sound = is_sound(&problems);
        Ok((problems, sound))
    })?;
    let sound = is_sound(&problems);
    for problem in &problems {
        console.note(&problem.to_string());
    }
    let (place, size) = (path.display(), bytes.len() as f64 / 1e6);
    if sound {
        console.say(&format!("{place} ({size:.1} MB, checked)"))?;
    } else {
        console.complain(&format!(
            "{place} is not written, because of the errors above"
        ));
    }
    Ok(sound)
}
