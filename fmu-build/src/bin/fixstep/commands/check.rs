//! Control plane: `fixstep check`.

use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::folder;
use fmu_build::check::{self, Problem};
use fmu_build::slave::Failure;
use fmu_build::{native, ssp};
use serde::Serialize;

use super::{Done, json};
use crate::args;
use crate::console::Console;
use crate::kinds::require;
use crate::source::{is_archive, parent, text};

/// `fixstep check`
pub(crate) fn check(args: &args::Check, console: &mut Console) -> Done {
    let problems = if is_archive(&args.file)? && ssp::is_ssp(&args.file) {
        ssp::problems(&args.file, args.load, args.strict)?
    } else if is_archive(&args.file)? {
        check::fmu(&args.file, args.load, args.strict)?
    } else if let Err(Failure(message)) = require(&args.file, "json") {
        vec![Problem {
            error: true,
            place: String::new(),
            message,
            rule: "",
        }]
    } else {
        native::problems(
            &text(&args.file, MODEL_BYTES)?,
            &folder(parent(&args.file)),
            args.strict,
        )
    };
    let errors = problems.iter().filter(|problem| problem.error).count();
    if args.json {
        console.say(&json(&CheckReport {
            ok: errors == 0,
            problems: &problems,
        })?)?;
        return Ok(errors == 0);
    }
    for problem in &problems {
        console.say(&problem.to_string())?;
    }
    let (warnings, file) = (problems.len() - errors, args.file.display());
    console.say(&match (errors, warnings) {
        (0, 0) => format!("{file}: no problems"),
        _ => format!("{file}: {errors} error(s), {warnings} warning(s)"),
    })?;
    Ok(errors == 0)
}

#[derive(Serialize)]
struct CheckReport<'a> {
    ok: bool,
    problems: &'a [Problem],
}
