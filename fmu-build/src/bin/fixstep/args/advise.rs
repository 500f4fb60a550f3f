//! Control plane: the options of `fixstep advise`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use fmu_build::advise::errors::Norm;

use super::{assignment, endings, finite, positive};

/// Find the settings of the fixed step that are worth their time
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep advise model.json --accuracy 0.5
  fixstep advise model.json --rate 1000 --accuracy 0.5 --input in.csv --report advice.html
  fixstep advise model.json --max-rti 0.05 --outputs angle,hinge_force --write better.json
  fixstep advise model.json --resume advice.results --hratio 1,2,4 --plot front.svg

A reference is made first, with a variable step whose tolerance is tightened until the outputs no
longer move. Then schemes, iterations and steps are run on all cores and compared with it. The
front lists what nothing else beats both in error and in time; docs/accuracy.md explains it.

--accuracy asks for the fastest settings that are good enough, --max-rti for the most accurate
ones that are fast enough on this computer. Without either, the most accurate ones are
recommended that take no more time than the model's own settings.")]
pub(crate) struct Advise {
    /// A model (.json), or an FMU made by Fixstep (.fmu)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Set a parameter or input before the runs; enumerations by name of the item
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Table of inputs over time
    #[arg(long, value_name = "IN.csv")]
    pub(crate) input: Option<PathBuf>,
    /// Start time [s; default: the file's]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) start_time: Option<f64>,
    /// Stop time [s; default: the file's]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) stop: Option<f64>,
    /// Communication steps per second, as the test bench makes them [default: the file's]
    #[arg(long, value_name = "HZ", value_parser = positive)]
    pub(crate) rate: Option<f64>,
    /// Wanted error, in % of the range of each output
    #[arg(long, value_name = "PCT", value_parser = positive)]
    pub(crate) accuracy: Option<f64>,
    /// Largest Real Time Index on this computer (median of a communication step)
    #[arg(long, value_name = "X", value_parser = positive)]
    pub(crate) max_rti: Option<f64>,
    /// Only these outputs count
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) outputs: Vec<String>,
    /// The error that counts: the largest, or the root mean square
    #[arg(long, value_enum, default_value = "max", value_name = "max|rms")]
    pub(crate) measure: Measure,
    /// Try these numbers of integration steps in a communication step, besides the model's own
    /// [default: 1,2,4,8, or a quarter of the model's own to twice that]
    #[arg(long, value_name = "N,...", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) hratio: Vec<u32>,
    /// Begin no run for the reference that would end after so much wall time [s]
    #[arg(long, value_name = "S", default_value = "300", value_parser = positive)]
    pub(crate) reference_time: f64,
    /// Count the instructions of a step of the settings on the front, with valgrind
    #[arg(long)]
    pub(crate) count: bool,
    /// Keep results in this file while they come, and continue those that it holds
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Write the model with the recommended settings; may be FILE itself
    #[arg(long, value_name = "OUT.json")]
    pub(crate) write: Option<PathBuf>,
    /// Draw accuracy and cost; - is standard output
    #[arg(long, value_name = "OUT.svg", value_parser = endings::svg)]
    pub(crate) plot: Option<PathBuf>,
    /// Write a page with pictures and all results; - is standard output
    #[arg(long, value_name = "OUT.html", value_parser = endings::html)]
    pub(crate) report: Option<PathBuf>,
    /// Print all results as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The error that counts.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Measure {
    /// The largest.
    Max,
    /// The root mean square.
    Rms,
}

impl Measure {
    pub(crate) const fn norm(self) -> Norm {
        match self {
            Self::Max => Norm::Max,
            Self::Rms => Norm::Rms,
        }
    }
}
