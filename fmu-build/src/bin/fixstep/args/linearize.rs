//! Control plane: the options of `fixstep linearize`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linear_analysis::export::Format;

use super::{Fmi, Kept, Point, endings};

/// Linearise a mechanism at one of its states: A, B, C, D
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep linearize model.json --static
  fixstep linearize car.fmu --at 2.5 --inputs road --outputs body_height -o car.npz -o car.mat
  fixstep linearize rotor.json --states r1,r2 --json
  fixstep linearize model.json --static --fmu linear.fmu

E x' = A x + B u, y = C x + D u holds for small differences from the operating point. The endings of
files tell their formats: .json, .npz (NumPy), .mat (MATLAB 5), .mtx (Matrix Market, a file for each
matrix), .a (.a .b .c .d, rows of numbers), .mdl (Simulink), .oml or .m (script). Nothing is
differenced.")]
pub(crate) struct Linearize {
    #[command(flatten)]
    pub(crate) point: Point,
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page with names, roots and matrices; - is standard output
    #[arg(long, value_name = "OUT.html", value_parser = endings::html)]
    pub(crate) report: Option<PathBuf>,
    /// Write a file; may be repeated
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Vec<PathBuf>,
    /// Format of the file [default: by its ending]
    #[arg(long, value_enum, value_name = "FORMAT", requires = "output")]
    pub(crate) format: Option<FileFormat>,
    /// Only these inputs, in this order
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) inputs: Option<Vec<String>>,
    /// Only these outputs, in this order
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) outputs: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) kept: Kept,
    /// Print mass, damping and stiffness instead of A, B, C, D
    #[arg(long)]
    pub(crate) second_order: bool,
    /// Pack the linear form as an FMU
    #[arg(long, value_name = "OUT.fmu")]
    pub(crate) fmu: Option<PathBuf>,
    /// Version of FMI of that FMU
    #[arg(
        long,
        value_enum,
        default_value = "3",
        value_name = "2|3",
        requires = "fmu"
    )]
    pub(crate) fmi: Fmi,
    /// Shared library to pack in it; once for each platform
    #[arg(long, value_name = "PATH", requires = "fmu")]
    pub(crate) library: Vec<PathBuf>,
}

/// A format of files.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FileFormat {
    Json,
    MatrixMarket,
    Numpy,
    Matlab,
    Ascii,
    Simulink,
    Oml,
}

impl FileFormat {
    pub(crate) fn format(self) -> Format {
        match self {
            Self::Json => Format::Json,
            Self::MatrixMarket => Format::MatrixMarket,
            Self::Numpy => Format::Numpy,
            Self::Matlab => Format::Matlab,
            Self::Ascii => Format::Ascii,
            Self::Simulink => Format::Simulink,
            Self::Oml => Format::Oml,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use clap::Parser as _;

    use crate::args::Cli;

    #[test]
    fn what_the_examples_show_is_understood() {
        for line in [
            "model.json --static",
            "car.fmu --at 2.5 --inputs road --outputs body_height -o car.npz -o car.mat",
            "rotor.json --states r1,r2 --json",
            "model.json --static --fmu linear.fmu",
            "model.json --damping off-with-states --second-order -o out --format matrix-market",
        ] {
            let words = ["fixstep", "linearize"].into_iter().chain(line.split(' '));
            Cli::try_parse_from(words).unwrap();
        }
        for alone in ["--library a.so", "--fmi 2", "--fmi 3", "--format json"] {
            let words = ["fixstep", "linearize", "model.json"].into_iter();
            let words = words.chain(alone.split(' '));
            assert!(Cli::try_parse_from(words).is_err(), "{alone}");
        }
    }
}
