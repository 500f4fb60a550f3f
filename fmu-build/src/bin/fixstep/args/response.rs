//! Control plane: the options of `fixstep response`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linear_analysis::compliance::DIRECTIONS;

use super::{Kept, Point, assignment, endings, finite, positive, whole};

/// Compute frequency responses, and responses to random excitation, of a mechanism about one of its states
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep response model.json --from 0.1 --to 100 --logarithmic --plot bode.svg
  fixstep response model.json --by force --show 'tip*' -o frf.csv --nyquist nyquist.svg
  fixstep response rotor.json --imbalance fx,fy=0.002 --from 1 --to 200
  fixstep response car.json --static --base road=displacement --psd road=road.csv --bands 0.5,4,8,80
  fixstep response car.json --history measured.csv --json
  fixstep response model.json --excite force=10,90 --participation 12.5 --shape 12.5
  fixstep response arm.json --compliance tip,tip --stiffness --directions x,z --from 0 --to 200
  fixstep response arm.json --base shake=acceleration --psd shake=2 --stress arm:root --to 2000
  fixstep response arm.json --excite force=10 --modal-coordinates arm.mdf

Without excitation, the responses of all outputs to all inputs are computed, for unit amplitudes. With
--excite, --spectrum or --imbalance the results are amplitudes of outputs, with the contribution of each
input; with --psd, --cross or --history they are power spectral densities, one-sided and per hertz, and
root mean squares. Phases are in degrees; a positive one leads. Numbers are in the units of inputs and outputs.")]
pub(crate) struct Response {
    #[command(flatten)]
    pub(crate) point: Point,
    #[command(flatten)]
    pub(crate) kept: Kept,
    #[command(flatten)]
    pub(crate) grid: Frequencies,
    /// Show responses to this input only; NAME* means all inputs that begin with NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Vec<String>,
    /// Show responses of this output only; NAME* means all outputs that begin with NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) show: Vec<String>,
    #[command(flatten)]
    pub(crate) inside: Inside,
    #[command(flatten)]
    pub(crate) excitation: Excitation,
    #[command(flatten)]
    pub(crate) between: Between,
    /// Compute responses as sums over modes, not by a system of equations at each frequency
    #[arg(long)]
    pub(crate) modal: bool,
    /// Show the share of each mode in the response at this frequency [Hz]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = from_zero)]
    pub(crate) participation: Option<f64>,
    /// Show how all coordinates move at this frequency [Hz]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = from_zero)]
    pub(crate) shape: Option<f64>,
    /// Write the responses as CSV; - is standard output
    #[arg(short, long, value_name = "OUT.csv")]
    pub(crate) output: Option<PathBuf>,
    /// Draw magnitudes and phases, or densities, over frequency; - is standard output
    #[arg(long, value_name = "OUT.svg", value_parser = endings::svg)]
    pub(crate) plot: Option<PathBuf>,
    /// Draw imaginary over real parts; - is standard output
    #[arg(long, value_name = "OUT.svg", value_parser = endings::svg)]
    pub(crate) nyquist: Option<PathBuf>,
    /// Draw magnitudes in decibels over phases; - is standard output
    #[arg(long, value_name = "OUT.svg", value_parser = endings::svg)]
    pub(crate) nichols: Option<PathBuf>,
    /// Write a page with all pictures and tables, and the moving mechanism with --shape; - is standard output
    #[arg(long, value_name = "OUT.html", value_parser = endings::html)]
    pub(crate) report: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of the frequencies.
#[derive(Debug, Args)]
pub(crate) struct Frequencies {
    /// First frequency [Hz; default: a tenth of the slowest mode's, or the first row of a table]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = from_zero)]
    pub(crate) from: Option<f64>,
    /// Last frequency [Hz; default: three times the fastest mode's, or the last row of a table]
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) to: Option<f64>,
    /// Only this frequency [Hz]; excludes the other options of frequencies, and --bands
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = from_zero)]
    pub(crate) at_frequency: Option<f64>,
    /// Number of frequencies, without those added around poles [default: 200]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    pub(crate) points: Option<usize>,
    /// Frequencies at equal ratios, not at equal differences; the default without --from
    #[arg(long)]
    pub(crate) logarithmic: bool,
    /// Add no frequencies around poles
    #[arg(long)]
    pub(crate) no_refine: bool,
}

/// Stress and strain of flexible bodies.
#[derive(Debug, Args)]
pub(crate) struct Inside {
    /// Show the stress at a point of a flexible body, or at all points in its file: six components [Pa], and under
    /// random excitation the equivalent stress of von Mises; other outputs only with --show
    #[arg(long, value_name = "BODY[:POINT]")]
    pub(crate) stress: Vec<String>,
    /// Show the strain at a point of a flexible body, or at all points in its file: six components of the tensor
    #[arg(long, value_name = "BODY[:POINT]")]
    pub(crate) strain: Vec<String>,
    /// Write the modal coordinates of flexible bodies, for finite-element programs, at all frequencies or at that of
    /// --shape
    #[arg(long, value_name = "OUT.mdf")]
    pub(crate) modal_coordinates: Option<PathBuf>,
}

/// Compliance of markers.
#[derive(Debug, Args)]
pub(crate) struct Between {
    /// Compute how marker I yields to forces and torques at marker J, whatever inputs and outputs the model has
    #[arg(long, value_name = "I,J", value_parser = markers, conflicts_with_all = ["by", "show", "excite", "spectrum", "imbalance",
          "base", "psd", "cross", "history", "participation", "shape", "state", "stress", "strain", "modal_coordinates"])]
    pub(crate) compliance: Option<(String, String)>,
    /// Measure displacements and forces relative to the body of this marker, along its axes
    #[arg(
        long,
        value_name = "MARKER",
        default_value = "ground",
        requires = "compliance"
    )]
    pub(crate) relative_to: String,
    /// Only these directions, for both markers
    #[arg(long, value_name = "DIRECTION,...", value_delimiter = ',', requires = "compliance",
          value_parser = clap::builder::PossibleValuesParser::new(DIRECTIONS))]
    pub(crate) directions: Vec<String>,
    /// Compute the dynamic stiffness, the inverse of the compliance
    #[arg(long, requires = "compliance")]
    pub(crate) stiffness: bool,
}

/// `i,j`
fn markers(text: &str) -> Result<(String, String), String> {
    let wrong = || "expected two markers I,J, such as tip,tip".to_owned();
    let (i, j) = text.split_once(',').ok_or_else(wrong)?;
    let (i, j) = (i.trim(), j.trim());
    if i.is_empty() || j.is_empty() {
        return Err(wrong());
    }
    Ok((i.to_owned(), j.to_owned()))
}

/// What excites the mechanism.
#[derive(Debug, Args)]
pub(crate) struct Excitation {
    /// Excite an input by a magnitude and a phase [degrees], the same at all frequencies
    #[arg(long, value_name = "NAME=MAG[,PHASE]", value_parser = amplitude)]
    pub(crate) excite: Vec<(String, f64, f64)>,
    /// Excite inputs by amplitudes over frequency: columns frequency, and NAME (with NAME phase), or NAME re and NAME im
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) spectrum: Vec<PathBuf>,
    /// Excite two inputs by a rotating imbalance m*e: the force m e Omega^2 turns from X towards Y
    #[arg(long, value_name = "X,Y=ME", value_parser = imbalance)]
    pub(crate) imbalance: Vec<(String, String, f64)>,
    /// Numbers for an input that drives a motion are displacements, velocities or accelerations, whatever the model takes
    #[arg(long, value_name = "NAME=LEVEL", value_parser = level)]
    pub(crate) base: Vec<(String, i32)>,
    /// Excite an input randomly: a power spectral density [per Hz, one-sided], or a table with columns frequency,
    /// NAME
    #[arg(long, value_name = "NAME=VALUE|FILE.csv", value_parser = assignment)]
    pub(crate) psd: Vec<(String, String)>,
    /// Between rows of tables of --psd, straight lines on linear axes, or on logarithmic axes as specifications draw them
    /// [default: linear]
    #[arg(long, value_enum, value_name = "linear|log", requires = "psd")]
    pub(crate) psd_interpolation: Option<Interpolation>,
    /// Excite correlated inputs randomly: columns frequency, NAME, and A~B re and A~B im for pairs
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) cross: Option<PathBuf>,
    /// Excite inputs randomly, with the densities of measured histories: columns time, NAME, ...
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) history: Option<PathBuf>,
    /// Samples in a segment of the history, a power of two [default: the most that give eight segments]
    #[arg(long, value_name = "N", requires = "history", allow_negative_numbers = true, value_parser = whole)]
    pub(crate) segment: Option<usize>,
    /// Limits of frequency bands for which root mean squares are computed [Hz]
    #[arg(long, value_name = "F,F,...", value_delimiter = ',', allow_negative_numbers = true, value_parser = from_zero)]
    pub(crate) bands: Vec<f64>,
}

/// How tables of densities are interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Interpolation {
    Linear,
    Log,
}

/// A finite number from 0.
fn from_zero(text: &str) -> Result<f64, String> {
    match finite(text) {
        Ok(value) if value >= 0.0 => Ok(value),
        _ => Err("expected a finite number from 0, such as 12.5".to_owned()),
    }
}

/// `name=magnitude,phase`
fn amplitude(text: &str) -> Result<(String, f64, f64), String> {
    let wrong =
        || "expected NAME=MAGNITUDE or NAME=MAGNITUDE,PHASE, such as force=10,90".to_owned();
    let (name, value) = text.rsplit_once('=').ok_or_else(wrong)?;
    let (magnitude, phase) = value.split_once(',').unwrap_or((value, "0"));
    let number = |text: &str| finite(text.trim()).map_err(|_| wrong());
    let name = name.trim();
    if name.is_empty() {
        return Err(wrong());
    }
    Ok((name.to_owned(), number(magnitude)?, number(phase)?))
}

/// `x,y=amount`
fn imbalance(text: &str) -> Result<(String, String, f64), String> {
    let wrong = || {
        "expected X,Y=ME, two inputs and mass times eccentricity, such as fx,fy=0.002".to_owned()
    };
    let (names, value) = text.rsplit_once('=').ok_or_else(wrong)?;
    let (x, y) = names.split_once(',').ok_or_else(wrong)?;
    let (x, y) = (x.trim(), y.trim());
    if x.is_empty() || y.is_empty() || x == y {
        return Err(wrong());
    }
    let amount = finite(value.trim()).map_err(|_| wrong())?;
    Ok((x.to_owned(), y.to_owned(), amount))
}

/// `name=displacement|velocity|acceleration`
fn level(text: &str) -> Result<(String, i32), String> {
    let wrong = || "expected NAME=displacement, NAME=velocity or NAME=acceleration".to_owned();
    let (name, level) = text.rsplit_once('=').ok_or_else(wrong)?;
    let level = match level.trim() {
        "displacement" => 0,
        "velocity" => 1,
        "acceleration" => 2,
        _ => return Err(wrong()),
    };
    Ok((name.trim().to_owned(), level))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excitations_are_read() {
        assert_eq!(amplitude("f=10"), Ok(("f".to_owned(), 10.0, 0.0)));
        assert_eq!(amplitude("a=b=-1,90"), Ok(("a=b".to_owned(), -1.0, 90.0)));
        assert!(amplitude("f").is_err() && amplitude("f=1,x").is_err() && amplitude("=1").is_err());
        let turning = ("x".to_owned(), "y".to_owned(), 2e-3);
        assert_eq!(imbalance("x, y=2e-3"), Ok(turning));
        assert!(imbalance("x=1").is_err() && imbalance("x,x=1").is_err());
        assert_eq!(level("road=velocity"), Ok(("road".to_owned(), 1)));
        assert_eq!(markers("a, b"), Ok(("a".to_owned(), "b".to_owned())));
        assert!(markers("a").is_err() && markers("a,").is_err());
        assert!(level("road=jerk").is_err() && from_zero("-1").is_err());
    }
}
