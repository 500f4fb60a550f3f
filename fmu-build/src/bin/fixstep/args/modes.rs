//! Control plane: the options of `fixstep modes`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use linear_analysis::eigen::Balancing;

use super::{Kept, Point, endings, finite, whole};

/// Compute frequencies, damping, shapes and energies of the modes of a mechanism about one of its states
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fixstep modes model.json
  fixstep modes model.json --report modes.html -o modes.csv
  fixstep modes model.json --static --energy 1:3 --shapes 1:3
  fixstep modes model.fmu --at 2.5 --set speed=30 --participation ALL --json
  fixstep modes model.json --static --sweep stiffness=100:1e4:21 --logarithmic --plot locus.svg
  fixstep modes rotor.json --static --sweep speed=0:600:31 --campbell speed --orders 1,2 --diagram campbell.svg

LIST names modes by their numbers: 1, 2, 3:5, ALL, NONE, -4 (without mode 4); later entries override earlier ones.
docs/linear-modes.md says what is computed and how to read it.")]
pub(crate) struct Modes {
    #[command(flatten)]
    pub(crate) point: Point,
    #[command(flatten)]
    pub(crate) kept: Kept,
    /// Balance the matrix before its roots are computed
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    pub(crate) balancing: BalancingOf,
    /// Show how parts move in these modes
    #[arg(
        long,
        value_name = "LIST",
        default_value = "NONE",
        allow_hyphen_values = true
    )]
    pub(crate) shapes: String,
    /// Show shares of kinetic energy, strain energy and dissipation in these modes
    #[arg(
        long,
        value_name = "LIST",
        default_value = "NONE",
        allow_hyphen_values = true
    )]
    pub(crate) energy: String,
    /// Show how strongly each input excites these modes, and how strongly each output shows them
    #[arg(
        long,
        value_name = "LIST",
        default_value = "NONE",
        allow_hyphen_values = true
    )]
    pub(crate) participation: String,
    /// Show the effective mass of each undamped mode for a base that moves along, or turns about, x, y, z of ground
    #[arg(long, conflicts_with_all = ["sweep", "turning_with"])]
    pub(crate) effective_mass: bool,
    /// Write a page with moving shapes, roots, energies and participation; - is standard output
    #[arg(long, value_name = "OUT.html", value_parser = endings::html)]
    pub(crate) report: Option<PathBuf>,
    /// Show these modes only
    #[arg(
        long,
        value_name = "LIST",
        default_value = "ALL",
        allow_hyphen_values = true
    )]
    pub(crate) include: String,
    /// Do not show these modes
    #[arg(
        long,
        value_name = "LIST",
        default_value = "NONE",
        allow_hyphen_values = true
    )]
    pub(crate) exclude: String,
    #[command(flatten)]
    pub(crate) over: Over,
    /// Print the modes as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Modes over a parameter.
#[derive(Debug, Args)]
pub(crate) struct Over {
    /// Follow the modes over a parameter or input: N values between two, or a list of values
    #[arg(long, value_name = "NAME=FROM:TO:N|X,X,...", value_parser = sweep,
          conflicts_with_all = ["state", "shapes", "energy", "participation"])]
    pub(crate) sweep: Option<Sweep>,
    /// Equal ratios of values instead of equal differences
    #[arg(long, requires = "sweep")]
    pub(crate) logarithmic: bool,
    /// The parameter is a speed of rotation: find critical speeds and whirls
    #[arg(long, value_name = "NAME", requires = "sweep")]
    pub(crate) campbell: Option<String>,
    /// Orders of the speed at which it excites
    #[arg(long, value_name = "ORDER,...", value_delimiter = ',', default_value = "1", requires = "campbell",
          allow_negative_numbers = true, value_parser = order)]
    pub(crate) orders: Vec<f64>,
    /// Compute at most this many values besides the requested ones [default: 8 for each of these, plus 100]
    #[arg(long, value_name = "N", requires = "sweep", allow_negative_numbers = true, value_parser = whole)]
    pub(crate) evaluations: Option<usize>,
    /// Write the table of modes, or the followed modes of a sweep, as CSV; - is standard output
    #[arg(short, long, value_name = "OUT.csv")]
    pub(crate) output: Option<PathBuf>,
    /// Draw imaginary over real parts of the roots; - is standard output
    #[arg(long, value_name = "OUT.svg", requires = "sweep", value_parser = endings::svg)]
    pub(crate) plot: Option<PathBuf>,
    /// Draw frequencies and damping ratios over the parameter, with lines of orders if it is a speed; - is standard output
    #[arg(long, value_name = "OUT.svg", requires = "sweep", value_parser = endings::svg)]
    pub(crate) diagram: Option<PathBuf>,
}

/// A parameter and its values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sweep {
    pub(crate) name: String,
    values: Values,
}

#[derive(Clone, Debug, PartialEq)]
enum Values {
    Between(f64, f64, usize),
    List(Vec<f64>),
}

/// Largest number of values of a sweep.
const MOST: usize = 100_000;

impl Sweep {
    /// The values, in increasing order.
    pub(crate) fn values(&self, logarithmic: bool) -> Result<Vec<f64>, String> {
        match &self.values {
            Values::List(_) if logarithmic => Err(
                "--logarithmic is for a range FROM:TO:N; of a list the values stand there"
                    .to_owned(),
            ),
            Values::List(list) => Ok(list.clone()),
            Values::Between(from, _, _) if logarithmic && *from <= 0.0 => {
                Err("--logarithmic: equal ratios need a first value above 0".to_owned())
            }
            Values::Between(from, to, count) => Ok((0..*count)
                .map(|k| {
                    let share = k as f64 / (count - 1) as f64;
                    match k {
                        _ if k + 1 == *count => *to,
                        _ if logarithmic => from * fixstep_kernel::math::pow(to / from, share),
                        _ => from + share * (to - from),
                    }
                })
                .collect()),
        }
    }
}

/// `name=from:to:n` or `name=x,x,...`
fn sweep(text: &str) -> Result<Sweep, String> {
    let wrong = || {
        "expected NAME=FROM:TO:N with FROM below TO and N from 2, such as speed=0:500:26, or NAME=X,X,... with values that rise"
            .to_owned()
    };
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    let number = |text: &str| finite(text.trim()).map_err(|_| wrong());
    let name = name.trim().to_owned();
    let values = if let [from, to, count] = values.split(':').collect::<Vec<&str>>()[..] {
        let (from, to) = (number(from)?, number(to)?);
        let count: usize = count.trim().parse().map_err(|_| wrong())?;
        if !(from < to && (2..=MOST).contains(&count)) {
            return Err(wrong());
        }
        Values::Between(from, to, count)
    } else {
        let list = values.split(',').map(number);
        let list: Vec<f64> = list.collect::<Result<_, _>>()?;
        if list.len() < 2 || list.windows(2).any(|two| two[0] >= two[1]) {
            return Err(wrong());
        }
        Values::List(list)
    };
    if name.is_empty() {
        return Err(wrong());
    }
    Ok(Sweep { name, values })
}

/// A number above zero.
fn order(text: &str) -> Result<f64, String> {
    match finite(text) {
        Ok(value) if value > 0.0 => Ok(value),
        _ => Err("expected a number above 0, such as 1 or 0.5".to_owned()),
    }
}

/// When a matrix is balanced.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BalancingOf {
    Auto,
    On,
    Off,
}

impl BalancingOf {
    /// As an option of the analysis.
    pub(crate) fn balancing(self) -> Balancing {
        match self {
            Self::Auto => Balancing::Auto,
            Self::On => Balancing::On,
            Self::Off => Balancing::Off,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::{order, sweep};

    #[test]
    fn sweeps_are_ranges_or_lists() {
        let values = |text: &str, logarithmic| sweep(text).unwrap().values(logarithmic);
        assert_eq!(
            values("a = 0:2:5", false).unwrap(),
            [0.0, 0.5, 1.0, 1.5, 2.0]
        );
        assert_eq!(values("a=-1,0,3.5", false).unwrap(), [-1.0, 0.0, 3.5]);
        let ratios = values("a=1:100:3", true).unwrap();
        assert!((ratios[1] - 10.0).abs() < 1e-12 && ratios[2].to_bits() == 100.0_f64.to_bits());
        assert!(values("a=0:1:3", true).is_err() && values("a=1,2", true).is_err());
        for text in [
            "a",
            "=0:1:2",
            "a=1",
            "a=2,1",
            "a=0:1",
            "a=1:0:3",
            "a=0:1:1",
            "a=0:x:3",
            "a=0:1:2:3",
        ] {
            assert!(sweep(text).is_err(), "{text}");
        }
        assert!(order("0").is_err() && order("nan").is_err() && order("0.5").is_ok());
    }
}
