//! Control plane: `fixstep rti`, which measures the Real Time Index of an FMU.

use std::fmt::Write as _;
use std::path::Path;

use fmu_build::client::Fmu;
use fmu_build::real_time::{self, Judged, Measurement, Pace};
use fmu_build::slave::{Failure, LogLevel, Slave};
use serde::Serialize;

use super::{Done, json};
use crate::args;
use crate::console::Console;
use crate::kinds::require;
use crate::places::Places;
use crate::source::table;

/// `fixstep rti`
pub(crate) fn rti(args: &args::Rti, console: &mut Console) -> Done {
    Places::default()
        .reads("FILE.fmu", [&args.file])
        .reads("--input", &args.start.input)
        .prints("--json", &args.json)
        .prints("--plot", &args.plot)
        .check()?;
    require(&args.file, "fmu")?;
    let fmu = Fmu::open(&args.file)?;
    let plan = real_time::Plan {
        step: args.step,
        duration: args.duration,
        settings: args.start.set.clone(),
        input: args.start.input.as_deref().map(table).transpose()?,
    };
    let times = plan.times(fmu.description())?;
    let paces = match (args.free, args.paced) {
        (true, false) => vec![Pace::Free],
        (false, true) => vec![Pace::Paced],
        _ => vec![Pace::Free, Pace::Paced],
    };
    let mut runs = Vec::new();
    for pace in paces {
        runs.push(rti_run(args, &fmu, &plan, pace, console)?);
    }
    let verdicts: Vec<String> = runs.iter().filter_map(|run| verdict(args, run)).collect();
    let name = &fmu.description().name;
    let report = RtiReport {
        fmu: args.file.display().to_string(),
        model: name.clone(),
        step: times.step,
        duration: args.duration,
        passed: verdicts.is_empty(),
        verdicts: &verdicts,
        runs: &runs,
    };
    if let Some(path) = &args.json {
        console.write(path, &(json(&report)? + "\n"))?;
    }
    if let Some(path) = &args.plot {
        console.write(path, &real_time::plot(name, &runs).to_svg())?;
    }
    for verdict in &verdicts {
        console.complain(verdict);
    }
    Ok(verdicts.is_empty())
}

#[derive(Serialize)]
struct RtiReport<'a> {
    fmu: String,
    model: String,
    step: f64,
    duration: f64,
    passed: bool,
    verdicts: &'a [String],
    runs: &'a [Measurement],
}

/// One run with its report.
fn rti_run(
    args: &args::Rti,
    fmu: &Fmu,
    plan: &real_time::Plan,
    pace: Pace,
    console: &mut Console,
) -> Result<Measurement, Failure> {
    let title = pace.title();
    let talk = if args.start.log {
        LogLevel::All
    } else {
        LogLevel::RealTime
    };
    let mut slave = fmu.instantiate("fixstep rti", talk)?;
    console.begin(title);
    let run = real_time::measure(&mut slave, plan, pace, &mut |share| console.progress(share));
    console.end();
    let rest = slave.messages();
    let (messages, told) = match &run {
        Ok(run) => (&run.messages, run.ended.clone().unwrap_or_default()),
        Err(failure) => (&rest, failure.0.clone()),
    };
    // The report is printed below, so it is not logged here.
    let report = run.as_ref().ok().and_then(|run| run.own_report.as_deref());
    let told = format!("{told}{}", report.unwrap_or_default());
    console.log(messages, args.start.log, &told);
    let run = run?;
    let quiet = [&args.json, &args.plot]
        .into_iter()
        .any(|path| path.as_deref() == Some(Path::new("-")));
    if !quiet {
        console.say(&(told_in_full(&fmu.description().name, &run) + "\n"))?;
    }
    Ok(run)
}

/// The reports, each below a line that says what was measured.
fn told_in_full(name: &str, run: &Measurement) -> String {
    let title = run.pace.title();
    let mut text = String::new();
    if let Some(report) = &run.own_report {
        let _ = write!(
            text,
            "{name}, {title}: {}\n{report}\n\n",
            run.judged.title()
        );
    }
    let around = match (run.judged, run.integration_steps) {
        (Judged::IntegrationStepsByTheCaller, _) => {
            Judged::IntegrationStepsByTheCaller.title().to_owned()
        }
        (_, several @ 2..) => {
            format!("each communication step of {several} integration steps, timed around DoStep")
        }
        _ => Judged::CommunicationStepsByTheCaller.title().to_owned(),
    };
    let _ = write!(text, "{name}, {title}: {around}\n{}", run.report);
    if run.pace == Pace::Paced {
        let delay = 1e6 * run.worst_delay_seconds;
        let _ = write!(
            text,
            "\nBehind the clock : {} of {} communication steps ended late (largest delay of a beginning {delay:.0} us)",
            run.late_steps, run.steps
        );
    }
    text
}

/// Why a run fails, if it does.
fn verdict(args: &args::Rti, run: &Measurement) -> Option<String> {
    let title = run.pace.title();
    if let Some(ended) = &run.ended {
        return Some(format!("{title}: {ended}"));
    }
    let (limit, figure) = (args.limit?, args.limit_on.as_str());
    let value = run.rti.by_name(figure)?;
    above(value, limit).then(|| {
        format!(
            "{title}: {figure} RTI {value:.5} is above the limit {limit} ({})",
            run.judged.title()
        )
    })
}

/// Is a value above its limit? NaN is.
fn above(value: f64, limit: f64) -> bool {
    let within = value <= limit;
    !within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_does_not_pass() {
        assert!(above(f64::NAN, 1.0) && above(0.5, f64::NAN) && above(1.1, 1.0));
        assert!(!above(1.0, 1.0) && !above(0.5, 1.0));
    }
}
