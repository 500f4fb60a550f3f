//! Control plane: the options of `fixstep study`.

use std::path::PathBuf;

use clap::Args;
use fmu_build::study::part::Elsewhere;

/// Many runs of one model: grids, lists, draws; statistics, yield and sensitivities of their results
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep study docs/studies/damper_sweep.json -o sweep
  fixstep study study.json -o results --workers 4
  fixstep study study.json --one 17 -o run.csv
  fixstep study study.json --one 17 --report run.html

The description (JSON) names the model, what is varied over what, and what each run tells; docs/study.md
has its fields. The folder gets runs.csv, runs.parquet and runs.npz with a row for each run, summary.json,
study.md and study.svg. Runs that fail are rows with a reason.

A study that was stopped, whatever has stopped it, goes on with the same command. Its table is the same
byte for byte, on any number of workers.")]
pub(crate) struct Study {
    /// The description of the study
    #[arg(value_name = "STUDY.json")]
    pub(crate) file: PathBuf,
    /// The folder of the results, new or of this study [default: the study's name in this folder]; with --one a table of
    /// that run
    #[arg(short, long, value_name = "FOLDER|RUN.csv")]
    pub(crate) output: Option<PathBuf>,
    /// Runs at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) workers: Option<u16>,
    /// Drop the results that the folder has, and begin anew
    #[arg(long, conflicts_with_all = ["one", "rows"])]
    pub(crate) fresh: bool,
    /// Also write the page and its picture there
    #[arg(long, value_name = "PAGE.md", conflicts_with_all = ["one", "rows"])]
    pub(crate) page: Option<PathBuf>,
    /// Make one run of the study by itself
    #[arg(long, value_name = "RUN", conflicts_with = "rows")]
    pub(crate) one: Option<usize>,
    /// Write the model of that run, with its values
    #[arg(long, value_name = "OUT.json", requires = "one")]
    pub(crate) model: Option<PathBuf>,
    /// Write that run as one page for any browser
    #[arg(long, value_name = "OUT.html", requires = "one")]
    pub(crate) report: Option<PathBuf>,
    /// Make the runs FROM up to TO, without TO, and print their chunk, for a program that shares a study among computers
    #[arg(long, value_name = "FROM..TO", value_parser = rows)]
    pub(crate) rows: Option<(usize, usize)>,
    /// A result that another program takes from the series of runs, as `fixstep.study.run` of Python does with functions: its
    /// column, and what says how it is taken (repeat)
    #[arg(long, value_name = "NAME=PRINT", conflicts_with_all = ["one", "rows"])]
    pub(crate) elsewhere: Vec<Elsewhere>,
    /// Print the summary as JSON
    #[arg(long, conflicts_with_all = ["one", "rows"])]
    pub(crate) json: bool,
}

/// `120..160`
fn rows(text: &str) -> Result<(usize, usize), String> {
    let read = || {
        let (from, to) = text.split_once("..")?;
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        (from < to).then_some((from, to))
    };
    read().ok_or_else(|| "expected FROM..TO, such as 120..160".to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use clap::Parser;

    use super::rows;
    use crate::args::Cli;

    #[test]
    fn what_the_examples_show_is_understood() {
        for line in [
            "study docs/studies/damper_sweep.json -o sweep",
            "study study.json -o results --workers 4",
            "study study.json --one 17 -o run.csv",
            "study study.json --one 17 --report run.html",
        ] {
            let words = ["fixstep"].into_iter().chain(line.split(' '));
            Cli::try_parse_from(words).unwrap();
        }
        assert_eq!(rows("3..7"), Ok((3, 7)));
        for wrong in ["3", "7..3", "3..3", "a..b", "-1..2"] {
            assert!(rows(wrong).is_err(), "{wrong}");
        }
    }
}
