//! Control plane: the commands and options of the command line.

mod advise;
mod beams;
mod compare;
#[cfg(test)]
mod documented;
mod endings;
mod flex;
mod kept;
mod linearize;
mod live;
mod modes;
mod pictures;
mod point;
mod response;
mod run;
mod stepping;
mod study;
mod text;
mod trial;
mod view;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fmu_build::package;
use fmu_build::package::library::Library;
use fmu_build::real_time::FIGURES;
use fmu_build::slave::LogLevel;
use model_description::parse::FmiVersion;

pub(crate) use advise::Advise;
pub(crate) use beams::{FlexBeam, FlexInspect, FlexSwap};
pub(crate) use compare::Compare;
pub(crate) use flex::{Flex, FlexCommand, FlexImport, FlexReduce};
pub(crate) use kept::Kept;
pub(crate) use linearize::{FileFormat, Linearize};
pub(crate) use live::LiveOptions;
pub(crate) use modes::{Modes, Sweep};
pub(crate) use pictures::Pictures;
pub(crate) use point::Point;
pub(crate) use response::{Between, Excitation, Inside, Interpolation, Response};
pub(crate) use run::Run;
pub(crate) use stepping::option_for;
pub(crate) use study::Study;
pub(crate) use text::{Doc, Expand, Fmt};
pub(crate) use trial::TrialOptions;
pub(crate) use view::View;

const EXIT_CODES: &str = "Exit codes:
  0  all is well
  1  a check, a limit or a run failed
  2  the command line is wrong";

/// Multibody mechanisms as FMUs: pack, check, run, inspect, measure.
#[derive(Debug, Parser)]
#[command(name = "fixstep", version, disable_help_subcommand = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Build(Build),
    View(View),
    Check(Check),
    Run(Box<Run>),
    Compare(Compare),
    Study(Study),
    Advise(Advise),
    Linearize(Linearize),
    Modes(Modes),
    Inspect(Inspect),
    Response(Box<Response>),
    Rti(Rti),
    Ssp(Ssp),
    Schema(Schema),
    Expand(Expand),
    Fmt(Fmt),
    Doc(Doc),
    Flex(Flex),
}

/// Pack a model into an FMU
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep build models/pendulum/model.json
  fixstep build model.json -o pendulum.fmu --fmi 2
  fixstep build model.json --library libfixstep.so --library fixstep.dll

No compiler is needed: the shared library is the same for every model. It is taken from
--library, from the file that the environment variable FIXSTEP_LIBRARY names, or from beside
this program. The packed file is opened again and checked.")]
pub(crate) struct Build {
    /// The model
    #[arg(value_name = "MODEL.json")]
    pub(crate) model: PathBuf,
    /// The FMU to write [default: the model's name in this folder]
    #[arg(short, long, value_name = "FILE.fmu")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) packing: Packing,
}

/// How models are packed.
#[derive(Debug, Args)]
pub(crate) struct Packing {
    /// Version of FMI of what is packed
    #[arg(long, value_enum, default_value = "3", value_name = "2|3")]
    pub(crate) fmi: Fmi,
    /// Shared library to pack; once for each platform
    #[arg(long, value_name = "PATH")]
    pub(crate) library: Vec<PathBuf>,
    /// Leave out the readable copy of the model and the names of its elements; encrypts nothing
    #[arg(long)]
    pub(crate) protect: bool,
    /// Leave out terminalsAndIcons.xml, about which some importers of FMI 2.0 complain
    #[arg(long)]
    pub(crate) no_terminals: bool,
}

impl Packing {
    /// With the libraries that were read.
    pub(crate) fn with<'a>(&self, libraries: &'a [Library]) -> package::Packing<'a> {
        package::Packing {
            version: self.fmi.version(),
            libraries,
            protect: self.protect,
            terminals: !self.no_terminals,
        }
    }
}

/// Pack several models or FMUs, connected, into an `.ssp`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep ssp models/servo_axis/system.json
  fixstep ssp system.json -o drive.ssp --fmi 2 --library libfixstep.so
  fixstep run drive.ssp --set controller.kp=70 -o out.csv

The description names components (models, or FMUs of any vendor), what is connected, and values for
parameters; docs/ssp.md has its fields. Models are packed as FMUs. The packed file is opened again
and checked.")]
pub(crate) struct Ssp {
    /// The description of the system
    #[arg(value_name = "SYSTEM.json")]
    pub(crate) system: PathBuf,
    /// The file to write [default: the system's name in this folder]
    #[arg(short, long, value_name = "FILE.ssp")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) packing: Packing,
}

/// Version of FMI.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Fmi {
    #[value(name = "2", alias = "2.0")]
    Two,
    #[value(name = "3", alias = "3.0")]
    Three,
}

impl Fmi {
    /// The version as a type of the library.
    pub(crate) fn version(self) -> FmiVersion {
        match self {
            Self::Two => FmiVersion::V2,
            Self::Three => FmiVersion::V3,
        }
    }
}

/// Find all problems of a model, an FMU or a system
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep check model.json
  fixstep check pendulum.fmu
  fixstep check other.fmu --load
  fixstep check model.json --strict
  fixstep check model.json --trial --input in.csv

A model is read, started and linted: warnings name what a fixed step may suffer from, and what to
do about it. Of an FMU, the archive, modelDescription.xml, the binaries and, if
it is one of ours, the model inside are checked. Warnings do not fail the check, unless the model
or --strict says so.")]
pub(crate) struct Check {
    /// A model (.json), an FMU (.fmu) or a system (.ssp)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Also load the binaries and make an instance, which runs code of the FMU
    #[arg(long)]
    pub(crate) load: bool,
    /// Warnings about the model fail the check
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) trial: TrialOptions,
    /// Print the problems as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Start values and inputs.
#[derive(Debug, Args)]
pub(crate) struct StartValues {
    /// Set a parameter or input before the run; enumerations by name of the item
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,
    /// Table of inputs over time
    #[arg(long, value_name = "IN.csv")]
    pub(crate) input: Option<PathBuf>,
    /// Show everything that the model logs, not only warnings and errors
    #[arg(long)]
    pub(crate) log: bool,
}

impl StartValues {
    /// How much the model is to say.
    pub(crate) fn talk(&self) -> LogLevel {
        if self.log {
            LogLevel::All
        } else {
            LogLevel::Warnings
        }
    }
}

/// Show what is in a model, an FMU or a system
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep inspect model.json
  fixstep inspect other.fmu --json

Shows parts, joints, motions and forces, degrees of freedom, what the solver notes on starting
(redundant constraints that it removed), and the variables.")]
pub(crate) struct Inspect {
    /// A model (.json), an FMU (.fmu) or a system (.ssp)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Measure how fast an FMU is: the Real Time Index of its steps
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep rti car.fmu --step 0.001 --duration 10
  fixstep rti car.fmu --free --max-rti 0.5 --limit-on p99.9
  fixstep rti car.fmu --paced --json report.json --plot report.svg

The Real Time Index of a step is its wall time divided by its size: below 1 is faster than real
time. The packed binary is driven through its C functions, first free-running, then paced at
real time, each in an instance of its own. Where a communication step is one integration step, it
is timed around DoStep. Where it is several, our FMUs time each of them, and that is judged; the
communication steps are shown besides. The first step, which pays for cold caches, is kept apart.")]
pub(crate) struct Rti {
    /// The FMU
    #[arg(value_name = "FILE.fmu")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) start: StartValues,
    /// Communication step [s; default: that of a run]
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) step: Option<f64>,
    /// Simulated time of each run, in seconds
    #[arg(
        long,
        value_name = "T",
        default_value = "10",
        allow_negative_numbers = true,
        value_parser = positive
    )]
    pub(crate) duration: f64,
    /// Fail if the figure of a run is above this limit
    #[arg(
        id = "max_rti",
        long = "max-rti",
        value_name = "X",
        allow_negative_numbers = true,
        value_parser = positive
    )]
    pub(crate) limit: Option<f64>,
    /// The figure to which the limit applies
    #[arg(long, value_name = "FIGURE", default_value = "max", requires = "max_rti",
          value_parser = clap::builder::PossibleValuesParser::new(FIGURES))]
    pub(crate) limit_on: String,
    /// Only run without waiting
    #[arg(long)]
    pub(crate) free: bool,
    /// Only run at real time
    #[arg(long)]
    pub(crate) paced: bool,
    /// Write the report as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Draw the runs; - is standard output
    #[arg(long, value_name = "OUT.svg")]
    pub(crate) plot: Option<PathBuf>,
}

/// Print the JSON Schema of models, for editors that complete and check while typing
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  fixstep schema -o model.schema.json

A model names it in its first line: \"$schema\": \"model.schema.json\".")]
pub(crate) struct Schema {
    /// Write to this file instead of standard output
    #[arg(
        short,
        long,
        value_name = "FILE",
        default_value = "-",
        hide_default_value = true
    )]
    pub(crate) output: PathBuf,
}

/// A finite number from 0.
fn magnification(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if (0.0..f64::INFINITY).contains(&factor) => Ok(factor),
        _ => Err("expected a number from 0, such as 20".to_owned()),
    }
}

/// A finite number.
fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a finite number, such as 2.5".to_owned()),
    }
}

/// A whole number from 0.
fn whole(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| "expected a whole number from 0, such as 400".to_owned())
}

/// A finite number above 0.
fn positive(text: &str) -> Result<f64, String> {
    match finite(text) {
        Ok(value) if value > 0.0 => Ok(value),
        _ => Err("expected a finite number above 0, such as 0.5".to_owned()),
    }
}

/// `name=value`
fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected NAME=VALUE, such as solver.fixit=4".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn assignments_split_at_the_first_sign() {
        assert_eq!(
            assignment("a.b = c=d"),
            Ok(("a.b".to_owned(), "c=d".to_owned()))
        );
        assert!(assignment("=1").is_err() && assignment("a").is_err());
    }

    #[test]
    fn numbers_are_finite_and_sizes_above_zero() {
        let wrong = |line: &str| {
            let words = ["fixstep"].into_iter().chain(line.split(' '));
            Cli::try_parse_from(words).unwrap_err().to_string()
        };
        for value in ["nan", "inf", "-inf", "0", "-1", "x"] {
            for options in [
                "run m.json --step",
                "rti a.fmu --step",
                "rti a.fmu --duration",
                "rti a.fmu --max-rti",
            ] {
                let said = wrong(&format!("{options}={value}"));
                assert!(said.contains("a finite number above 0"), "{said}");
            }
        }
        for value in ["nan", "inf", "-inf", "soon"] {
            for option in ["--stop", "--start-time"] {
                let said = wrong(&format!("run m.json {option}={value}"));
                assert!(said.contains("a finite number"), "{said}");
            }
        }
        assert_eq!((finite("-2.5"), positive("1e-3")), (Ok(-2.5), Ok(1e-3)));
    }

    #[test]
    fn no_help_shows_an_escape() {
        fn all(command: &mut clap::Command) {
            let help = command.render_long_help().to_string();
            assert!(!help.contains('\\'), "{help}");
            command.get_subcommands_mut().for_each(all);
        }
        all(&mut Cli::command());
    }

    #[test]
    fn what_the_examples_show_is_understood() {
        for line in [
            "build models/pendulum/model.json",
            "build model.json -o pendulum.fmu --fmi 2",
            "build model.json --library libfixstep.so --library fixstep.dll",
            "view models/bicycle/model.json",
            "view model.json --once -o view.html",
            "check other.fmu --load",
            "check model.json --strict",
            "check model.json --trial --input in.csv",
            "check model.json --trial=0.5 --set solver.fixit=4",
            "run model.json --no-trial",
            "run model.json --compare --plot over.svg",
            "run model.json --live --speed 0.5 --watch angle,torque -o out.csv",
            "run model.json --state end.state --stop 10 -o more.csv",
            "advise model.json --accuracy 0.5",
            "advise model.json --rate 1000 --accuracy 0.5 --input in.csv --report advice.html",
            "advise model.json --max-rti 0.05 --outputs angle,hinge_force --write better.json",
            "advise model.json --resume advice.results --hratio 1,2,4 --plot front.svg",
            "run model.json --stop 5 --step 0.001 -o out.csv --plot out.svg",
            "run car.fmu --input road.csv --set k_tyre=180 --set solver.integrator=GSTIFF",
            "run car.fmu --record solver.* --json",
            "inspect other.fmu --json",
            "ssp models/servo_axis/system.json",
            "ssp system.json -o drive.ssp --fmi 2 --library libfixstep.so",
            "run drive.ssp --set controller.kp=70 -o out.csv",
            "schema -o model.schema.json",
            "expand models/vehicle/model.json",
            "expand model.json -o flat.json",
            "fmt models/vehicle/model.json models/vehicle/suspension.json",
            "fmt model.json --check",
            "doc models/vehicle/model.json",
            "doc models/vehicle/suspension.json -o suspension.md",
            "response model.json --from 0.1 --to 100 --logarithmic --plot bode.svg",
            "response model.json --by force --show tip* -o frf.csv --nyquist nyquist.svg",
            "response rotor.json --imbalance fx,fy=0.002 --from 1 --to 200",
            "response car.json --static --base road=displacement --psd road=road.csv --bands 0.5,4,8,80",
            "response car.json --history measured.csv --json",
            "response model.json --excite force=10,90 --participation 12.5 --state 12.5",
            "rti car.fmu --free --max-rti 0.5 --limit-on p99.9",
            "rti car.fmu --paced --json report.json --plot report.svg",
            "flex reduce rod.sti --interface big=set:BIG --interface small=set:SMALL -o rod.flex",
            "flex reduce K.mtx M.mtx --mesh nodes.csv --interface root=node:1 --interface tip=node:21",
            "flex reduce rod.sti --units mm-t-s --interface big=cylinder:0,0,-5,0,0,5,12 --modes 20",
            "flex import rod.mnf -o rod.flex",
            "flex import arm.mnf --nodes root=1,tip=2,40-44 --outline",
            "flex import arm.mnf --modes 7-20,25 --stress 17,18",
            "flex reduce arm.sti --interface a=set:A --interface b=set:B@1.2,0,0 --up-to 2000 --record set:SKIN",
            "flex beam arm.json --modes 12 --plain",
            "flex beam rod.json --discrete 20 --start flexible -o chain.json",
            "flex inspect rod.flex --png modes.png --modes 1,2,3",
            "flex inspect rod.flex --html modes.html",
            "flex swap model.json --part arm --with arm.flex -o out.json --attach flange=tip --tolerance 0.02",
        ] {
            let words = ["fixstep"].into_iter().chain(line.split(' '));
            Cli::try_parse_from(words).unwrap();
        }
        assert!(
            Cli::try_parse_from([
                "fixstep",
                "rti",
                "a.fmu",
                "--limit-on",
                "p98",
                "--max-rti",
                "1"
            ])
            .is_err()
        );
        assert!(Cli::try_parse_from(["fixstep", "build", "a.json", "--fmi", "1"]).is_err());
    }
}
