//! Control plane: `fixstep compare`: two tables of results beside each other.

use fixstep_kernel::seconds::Seconds;
use fmu_build::comparison::{self, Comparison, Signal, Tolerances, short};
use fmu_build::slave::Failure;

use super::{Done, json};
use crate::args;
use crate::console::Console;
use crate::places::{Places, Stop};
use crate::source::table;

/// Signals without a difference are not listed beyond this number of signals.
const FEW: usize = 12;

/// `fixstep compare`
pub(crate) fn compare(args: &args::Compare, console: &mut Console) -> Done {
    Places::default()
        .reads("REFERENCE.csv", [&args.reference])
        .reads("OTHER.csv", [&args.other])
        .prints("--plot", &args.plot)
        .json(args.json)
        .check()?;
    let (reference, other) = (table(&args.reference)?, table(&args.other)?);
    let tolerances = Tolerances {
        all: args.tolerance.unwrap_or_default(),
        own: args.limit.clone(),
    };
    let known = tolerances.check(&reference);
    known.map_err(|Failure(why)| Stop::CommandLine(format!("--limit: {why}")))?;
    let found = comparison::compare(&reference, &other, &tolerances, args.common)?;
    if let Some(path) = &args.plot {
        let picture = comparison::picture(&found, &reference, &other);
        console.write(path, &picture.to_svg())?;
    }
    if args.json {
        console.say(&json(&found)?)?;
    } else if args.plot.as_deref() != Some(std::path::Path::new("-")) {
        tell(&found, (&reference.origin, &other.origin), console)?;
    }
    Ok(found.passes())
}

/// In words.
fn tell(
    found: &Comparison,
    (reference, other): (&str, &str),
    console: &mut Console,
) -> Result<(), Failure> {
    let times = if found.interpolated {
        ", at the times of the first; where the second lacks them, it is interpolated"
    } else {
        ""
    };
    console.say(&format!(
        "{reference} and {other}: {} rows, {} signals{times}",
        found.rows,
        found.signals.len()
    ))?;
    let all = found.signals.len() <= FEW;
    let listed: Vec<&Signal> = { found.signals.iter() }
        .filter(|signal| all || signal.worst.is_some())
        .collect();
    let width = listed
        .iter()
        .map(|signal| signal.name.chars().count())
        .max();
    let width = width.unwrap_or(0).max("signal".len());
    if !listed.is_empty() {
        console.say(&format!(
            "  {:width$}  {:>10}  {:>9}  {:>10}  {:>10}  first beyond",
            "signal", "difference", "of range", "at", "allowed"
        ))?;
    }
    for signal in listed {
        console.say(&line(signal, width))?;
    }
    for fault in &found.faults {
        console.say(&format!("  {fault}"))?;
    }
    console.say(&comparison::verdict(found))
}

fn line(signal: &Signal, width: usize) -> String {
    let name = format!("{:width$}", signal.name);
    let Some(worst) = signal.worst else {
        return format!(
            "  {name}  {:>10}  {:>9}  {:>10}  {:>10}",
            "none",
            "",
            "",
            short(signal.allowed)
        );
    };
    let apart = worst.difference();
    let part = if signal.range > 0.0 && apart.is_finite() {
        format!("{:.2e} %", 100.0 * apart / signal.range)
    } else {
        String::new()
    };
    let first = signal.first.map_or_else(String::new, |first| {
        let rows = if signal.beyond == 1 {
            "1 row".to_owned()
        } else {
            format!("{} rows", signal.beyond)
        };
        format!(
            "{} s, line {}: {} in place of {}; {rows}",
            Seconds(first.time),
            first.line,
            first.value,
            first.reference
        )
    });
    let text = format!(
        "  {name}  {:>10}  {part:>9}  {:>10}  {:>10}  {first}",
        short(apart),
        format!("{} s", Seconds(worst.time)),
        short(signal.allowed)
    );
    text.trim_end().to_owned()
}
