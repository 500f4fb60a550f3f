//! Control plane: the options of `fixstep run`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::live::LiveOptions;
use super::stepping::Stepping;
use super::{Pictures, StartValues, endings, finite, magnification, positive};

/// Run a model, an FMU of any vendor, or a system of FMUs, and record its outputs
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep run model.json --stop 5 --step 0.001 -o out.csv --plot out.svg
  fixstep run model.json --compare --plot over.svg
  fixstep run model.json --report run.html
  fixstep run model.json --png end.png --gif motion.gif --glb motion.glb
  fixstep run model.json --live --speed 0.5 -o out.csv
  fixstep run car.fmu --input road.csv --set k_tyre=180 --set solver.integrator=GSTIFF
  fixstep run car.fmu --record 'solver.*' --json
  fixstep run model.json --error 1e-6 --integrator WSTIFF --formulation SI2
  fixstep run model.json --error 1e-6 --every-step -o steps.csv
  fixstep run linkage.json --mode kinematic --step 0.01 -o out.csv
  fixstep run press.json --mode static --stop 10 --step 0.1 -o out.csv

A model runs in this process through the same code as its FMU: the numbers are the same bits.
An FMU runs through its C functions, and so do those of an .ssp, whose variables are called
COMPONENT.VARIABLE. Communication points are start + n*step with whole n.

The input table is CSV with columns time,NAME,...: inputs or tunable parameters. Values are
interpolated linearly, held before the first and after the last row, and sampled at the start of
each step. Integers and booleans are held from row to row. Two rows of one time are a jump.

Outputs that are texts stand in quotes in the last columns; binary ones, in hexadecimal digits, on
request (--record NAME).

The printed summary and the picture are in the outputs' display units (display_unit). The CSV, which
other programs read, keeps the unit that each output is declared in, unless --display-units asks.")]
#[command(group(ArgGroup::new("filmed").multiple(true).args(["png", "apng", "gif", "mp4", "glb"])))]
pub(crate) struct Run {
    /// A model (.json), an FMU (.fmu) or a system (.ssp)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) start: StartValues,
    /// Start time [s; default: the file's]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) start_time: Option<f64>,
    /// Stop time [s; default: the file's]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = finite)]
    pub(crate) stop: Option<f64>,
    /// Communication step [s; default: the file's]
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) step: Option<f64>,
    /// Record this variable besides the outputs; NAME* means all variables that begin with NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) record: Vec<String>,
    /// Also record a row at the end of every integration step, at unequal times with a variable step (models only)
    #[arg(long)]
    pub(crate) every_step: bool,
    /// Write the table, by the ending as NumPy (.npz), MCAP (.mcap) or else CSV; - is standard output
    #[arg(short, long, value_name = "OUT.csv")]
    pub(crate) output: Option<PathBuf>,
    /// Write the CSV and the JSON summary in display units, with the units in the header
    #[arg(long)]
    pub(crate) display_units: bool,
    /// Draw the table, in display units; - is standard output
    #[arg(long, value_name = "OUT.svg", value_parser = endings::svg)]
    pub(crate) plot: Option<PathBuf>,
    /// Draw over this column of the table instead of time
    #[arg(
        long,
        value_name = "NAME",
        requires = "plot",
        conflicts_with = "compare"
    )]
    pub(crate) over: Option<String>,
    /// Write the run as one page for any browser: the mechanism in 3-D, plots, model, figures
    #[arg(long, value_name = "OUT.html", value_parser = endings::html)]
    pub(crate) report: Option<PathBuf>,
    /// Show another result, a table of the same outputs, beside this one in the report
    #[arg(long, value_name = "OTHER.csv", requires = "report")]
    pub(crate) against: Option<PathBuf>,
    /// Draw the same columns of other results too, each in a line of its own (CSV; once for each)
    #[arg(
        long,
        value_name = "OTHER.csv",
        requires = "plot",
        conflicts_with = "compare"
    )]
    pub(crate) overlay: Vec<PathBuf>,
    /// Draw only these columns of the table
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        requires = "plot",
        conflicts_with = "compare"
    )]
    pub(crate) draw: Vec<String>,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
    /// Magnify deformations of flexible bodies by this factor
    #[arg(long, value_name = "X", default_value = "1", requires = "filmed",
          value_parser = magnification)]
    pub(crate) deformation_scale: f64,
    /// Write the state at the end, for --state (models, and FMUs that can save their state)
    #[arg(long, value_name = "FILE")]
    pub(crate) save_state: Option<PathBuf>,
    /// Go on from a saved state, at its time and with its values of parameters, in place of a start
    #[arg(long, value_name = "FILE", conflicts_with_all = ["start_time", "compare"])]
    pub(crate) state: Option<PathBuf>,
    /// Also make a converged reference run, report the error of each output, and draw both in --plot
    #[arg(long)]
    pub(crate) compare: bool,
    /// Leave out the lines about energy, joints and accuracy, and the short trial that they need
    #[arg(long)]
    pub(crate) no_trial: bool,
    /// Print a summary as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) live: LiveOptions,
    #[command(flatten)]
    pub(crate) stepping: Stepping,
}
