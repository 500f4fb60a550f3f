//! Control plane: the options of `fixstep compare`.

use std::path::PathBuf;

use clap::Args;

use super::endings;
use fmu_build::comparison::Tolerance;

/// Compare two tables of results, with a tolerance for each signal
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep compare before.csv after.csv
  fixstep compare before.csv after.csv --tolerance 0.1% --limit crank_angle=0.5 --limit solver.*=1e9
  fixstep compare measured.csv run.csv --common --tolerance 2% --plot over.svg

The first table is the reference, and the first column of both is the time. Without a tolerance every
digit must be the same. Tolerances are in the unit of the signal, or in per cent of its range in the
reference. The exit code is 1 if a difference is beyond its tolerance.")]
pub(crate) struct Compare {
    /// The reference
    #[arg(value_name = "REFERENCE.csv")]
    pub(crate) reference: PathBuf,
    /// What is compared with it
    #[arg(value_name = "OTHER.csv")]
    pub(crate) other: PathBuf,
    /// Difference that is allowed for each signal: 0.5 in its unit, 0.1% of its range [default: none]
    #[arg(long, value_name = "X|X%", value_parser = tolerance, allow_negative_numbers = true)]
    pub(crate) tolerance: Option<Tolerance>,
    /// The same for a signal, or for all whose name begins with the text before a *; the last that fits counts
    #[arg(long, value_name = "NAME=X|X%", value_parser = limit)]
    pub(crate) limit: Vec<(String, Tolerance)>,
    /// Only compare columns and times that both have
    #[arg(long)]
    pub(crate) common: bool,
    /// Draw both tables, signals that differ most first; - is standard output
    #[arg(long, value_name = "OUT.svg", value_parser = endings::svg)]
    pub(crate) plot: Option<PathBuf>,
    /// Print the comparison as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn tolerance(text: &str) -> Result<Tolerance, String> {
    Tolerance::parse(text)
        .ok_or_else(|| "expected a number from 0, such as 0.5, or 0.1% of the range".to_owned())
}

fn limit(text: &str) -> Result<(String, Tolerance), String> {
    let wrong = || "expected NAME=X or NAME=X%, such as torque=0.5 or solver.*=2%".to_owned();
    let (name, value) = text.rsplit_once('=').ok_or_else(wrong)?;
    if name.trim().is_empty() {
        return Err(wrong());
    }
    Ok((name.trim().to_owned(), tolerance(value)?))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use clap::Parser;

    use crate::args::Cli;

    #[test]
    fn what_the_examples_show_is_understood() {
        for line in [
            "compare before.csv after.csv",
            "compare before.csv after.csv --tolerance 0.1% --limit crank_angle=0.5 --limit solver.*=1e9",
            "compare measured.csv run.csv --common --tolerance 2% --plot over.svg",
        ] {
            let words = ["fixstep"].into_iter().chain(line.split(' '));
            Cli::try_parse_from(words).unwrap();
        }
    }
}
