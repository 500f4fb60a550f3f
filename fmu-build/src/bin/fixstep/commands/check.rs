//! Control plane: `fixstep check`, which reports the problems of a model, an FMU or a system.

use fixstep_kernel::seconds::Seconds;
use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::folder;
use fmu_build::check::{self, Problem};
use fmu_build::native::Checked;
use fmu_build::overview::Overview;
use fmu_build::run::Plan;
use fmu_build::slave::Failure;
use fmu_build::trial::runs::Stop;
use fmu_build::trial::{self, TIME_LIMIT, Trial, TrialSettings};
use fmu_build::{explain, native, ssp};
use serde::Serialize;

use super::{Done, json};
use crate::args;
use crate::console::Console;
use crate::kinds::require;
use crate::source::{Source, is_archive, parent, table, text};

/// `fixstep check`
pub(crate) fn check(args: &args::Check, console: &mut Console) -> Done {
    let Checked { problems, overview } = checked(args)?;
    let errors = problems.iter().filter(|problem| problem.error).count();
    let trial = if errors == 0 { tried(args)? } else { None };
    // If the trial ends early, the check fails as the run would.
    let stop = trial.as_ref().and_then(|trial| trial.stopped.as_ref());
    let ok = errors == 0 && stop.is_none();
    if args.json {
        console.say(&json(&CheckReport {
            ok,
            problems: &problems,
            overview: overview.as_ref(),
            trial: trial.as_ref(),
        })?)?;
        return Ok(ok);
    }
    for problem in &problems {
        console.say(&problem.to_string())?;
    }
    let (warnings, file) = (problems.len() - errors, args.file.display());
    if let Some(overview) = &overview {
        console.say(&format!("{file}: {overview}"))?;
    }
    console.say(&match (errors, warnings) {
        (0, 0) => format!("{file}: no problems"),
        _ => format!("{file}: {errors} error(s), {warnings} warning(s)"),
    })?;
    if let Some(trial) = &trial {
        console.say(&trial.to_string())?;
        if trial.short.is_some() {
            console.note(
                "fixstep advise finds settings that are more accurate in the same time, or faster",
            );
        }
    } else if args.trial.trial.is_some() {
        console.note("no trial: the model has errors");
    }
    if let (Some(trial), Some(Stop { time, reason })) = (&trial, stop) {
        let [time, whole] = [*time, trial.whole].map(Seconds);
        console.complain(&format!(
            "the run ended at {time} s, before {whole} s: {reason}{}",
            explain::of_check(reason, &problems)
        ));
    }
    Ok(ok)
}

/// The problems of the file and, for a model, its summary.
fn checked(args: &args::Check) -> Result<Checked, Failure> {
    if !is_archive(&args.file)? {
        if let Err(Failure(message)) = require(&args.file, "json") {
            return Ok(Checked {
                problems: vec![Problem::error("", message)],
                overview: None,
            });
        }
        return Ok(native::problems(
            &args.file.display().to_string(),
            &text(&args.file, MODEL_BYTES)?,
            &folder(parent(&args.file)),
            args.strict,
        ));
    }
    let problems = if ssp::is_ssp(&args.file) {
        ssp::problems(&args.file, args.load, args.strict)?
    } else {
        check::fmu(&args.file, args.load, args.strict)?
    };
    Ok(Checked {
        problems,
        overview: None,
    })
}

/// The trial, if it is requested.
fn tried(args: &args::Check) -> Result<Option<Trial>, Failure> {
    let Some(span) = args.trial.trial else {
        return Ok(None);
    };
    let blueprint = Source::open(&args.file)?.blueprint(&args.file)?;
    let Some(blueprint) = blueprint else {
        return Err(Failure(format!(
            "{}: --trial looks into the mechanism; valid: a model, or an FMU that this program has packed",
            args.file.display()
        )));
    };
    let input = args.trial.input.as_deref().map(table).transpose()?;
    let plan = Plan {
        settings: args.trial.set.clone(),
        input,
        ..Plan::default()
    };
    let order = TrialSettings {
        plan: &plan,
        span,
        // A time that the user gives is not cut short.
        budget: span.is_none().then_some(TIME_LIMIT),
    };
    trial::trial(&blueprint, &order).map(Some)
}

#[derive(Serialize)]
struct CheckReport<'a> {
    ok: bool,
    problems: &'a [Problem],
    #[serde(skip_serializing_if = "Option::is_none")]
    overview: Option<&'a Overview>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trial: Option<&'a Trial>,
}
