//! Control plane: the options of `fixstep run` for the integration, in place of the settings of the file.

use clap::{Args, Command, ValueEnum};
use fixstep_model::{Asked, AskedValue};

use super::{finite, positive};

/// The word that takes back what the file gives.
const DEFAULT: &str = "default";

/// Options of the integration.
#[derive(Debug, Args)]
#[command(next_help_heading = "Integration (in place of the file's solver settings)")]
pub(crate) struct Stepping {
    /// What the run does: fixed step; or, not for real time: variable step and order; kinematic: the constraints alone give
    /// the motion; static: static equilibrium at every output time [default: the file's; variable with --error]
    #[arg(long, value_enum, value_name = "fixed|variable|kinematic|static")]
    pub(crate) mode: Option<Mode>,
    /// Local error of a variable step, from 1e-14 [user length unit, rad; or default]; implies --mode variable
    #[arg(long, value_name = "E", allow_negative_numbers = true, value_parser = Chosen::positive)]
    pub(crate) error: Option<Chosen>,
    /// Integrator: HHT, GSTIFF, NEWMARK, GENALPHA; with a variable step also WSTIFF, HASTIFF
    #[arg(long, value_name = "NAME", value_parser = Chosen::word)]
    pub(crate) integrator: Option<Chosen>,
    /// Formulation of the constrained equations: I3, SI2 or SI1
    #[arg(long, value_name = "NAME", value_parser = Chosen::word)]
    pub(crate) formulation: Option<Chosen>,
    /// First variable step, shorter if its error asks for that [s; or default]
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = Chosen::seconds)]
    pub(crate) hinit: Option<Chosen>,
    /// Longest variable step, and longest part of an interval in a kinematic run [s; or default]
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = Chosen::seconds)]
    pub(crate) hmax: Option<Chosen>,
    /// Shortest variable step [s; or default]
    #[arg(long, value_name = "H", allow_negative_numbers = true, value_parser = Chosen::seconds)]
    pub(crate) hmin: Option<Chosen>,
    /// Highest order of a variable step, 1 to 6 [or default: 6]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = Chosen::order)]
    pub(crate) kmax: Option<Chosen>,
    /// Most Newton iterations of a variable step, 1 to 10 [or default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = Chosen::iterations)]
    pub(crate) maxit: Option<Chosen>,
    /// Jacobians, such as T:F:F; with a variable step F is adaptive [or default]
    #[arg(long, value_name = "T:F:...", value_parser = Chosen::word)]
    pub(crate) pattern: Option<Chosen>,
    /// May variable steps pass communication points: on, off or reconcile [or default: on]
    #[arg(long, value_name = "WORD", value_parser = Chosen::word)]
    pub(crate) interpolate: Option<Chosen>,
    /// Unknowns that must converge in a variable step: original, modified or orig_constant [or default: original]
    #[arg(long, value_name = "WORD", value_parser = Chosen::word)]
    pub(crate) corrector: Option<Chosen>,
    /// Relief of the corrector at tiny variable steps [s; or default: 1e-8; 0: none]
    #[arg(long, value_name = "X", allow_negative_numbers = true, value_parser = Chosen::relief)]
    pub(crate) adaptivity: Option<Chosen>,
    /// Print the largest residual and correction of every iteration of a variable step, and what has them (models)
    #[arg(long)]
    pub(crate) eprint: bool,
    /// Any setting of the solver by its name in the model format, once for each [VALUE or default]
    #[arg(long = "solver", value_name = "NAME=VALUE", value_parser = other)]
    pub(crate) others: Vec<(String, Chosen)>,
}

/// How a run is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Every step does the same work
    Fixed,
    /// Step and order follow from the error
    Variable,
    /// The constraints alone give the motion
    Kinematic,
    /// Static equilibrium at every output time
    Static,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chosen(AskedValue);

impl Chosen {
    /// What `read` makes of a text, unless it is `default`.
    fn or_default(
        text: &str,
        read: impl FnOnce(&str) -> Result<AskedValue, String>,
    ) -> Result<Self, String> {
        if text.eq_ignore_ascii_case(DEFAULT) {
            return Ok(Self(AskedValue::Default));
        }
        read(text).map(Self)
    }

    fn positive(text: &str) -> Result<Self, String> {
        Self::or_default(text, |text| positive(text).map(AskedValue::Number))
    }

    fn seconds(text: &str) -> Result<Self, String> {
        Self::or_default(text, |text| positive(text).map(AskedValue::Seconds))
    }

    fn relief(text: &str) -> Result<Self, String> {
        Self::or_default(text, |text| match finite(text)? {
            x if x >= 0.0 => Ok(AskedValue::Seconds(x)),
            _ => Err("expected a finite number from 0, such as 1e-8".to_owned()),
        })
    }

    fn order(text: &str) -> Result<Self, String> {
        Self::or_default(text, |text| count(text, 6))
    }

    fn iterations(text: &str) -> Result<Self, String> {
        Self::or_default(text, |text| count(text, 10))
    }

    // The reader of models knows the words, and says which are valid.
    fn word(text: &str) -> Result<Self, String> {
        Self::or_default(text, |text| Ok(AskedValue::Word(text.to_owned())))
    }
}

/// The option that asks for a setting: its own if there is one.
pub(crate) fn option_for(setting: &str) -> String {
    let all = Stepping::augment_args(Command::new("run"));
    let mut options = all.get_arguments();
    if options.any(|option| option.get_long() == Some(setting)) {
        format!("--{setting}")
    } else {
        format!("--solver {setting}")
    }
}

/// A setting by its name. The reader of models knows which there are, and what is valid.
fn other(text: &str) -> Result<(String, Chosen), String> {
    let (name, text) = { text.split_once('=') }
        .filter(|(name, _)| !name.is_empty())
        .ok_or("expected NAME=VALUE, such as fixit=4")?;
    let value = Chosen::or_default(text, |text| {
        Ok(match (text, text.parse::<f64>()) {
            ("true" | "false", _) => AskedValue::Flag(text == "true"),
            (_, Ok(number)) if number.is_finite() => AskedValue::of(name, number),
            _ => AskedValue::Word(text.to_owned()),
        })
    })?;
    Ok((name.to_owned(), value))
}

/// A whole number from 1.
fn count(text: &str, most: u8) -> Result<AskedValue, String> {
    match text.parse::<u8>() {
        Ok(number) if (1..=most).contains(&number) => Ok(AskedValue::Number(f64::from(number))),
        _ => Err(format!("expected a whole number from 1 to {most}")),
    }
}

impl Stepping {
    /// The settings that are asked for, each at most once.
    pub(crate) fn asked(&self) -> Result<Vec<Asked>, String> {
        let is_error = |(name, value): &(String, Chosen)| {
            name == "error" && *value != Chosen(AskedValue::Default)
        };
        let by_name = self.others.iter().any(is_error);
        let has_mode = self.others.iter().any(|(name, _)| name == "mode");
        let asks = self.error.is_some() || by_name;
        let implied = (asks && !has_mode).then_some(Mode::Variable);
        let mode = self.mode.or(implied).map(|mode| {
            let word = match mode {
                Mode::Fixed => "fixed",
                Mode::Variable => "variable",
                Mode::Kinematic => "kinematic",
                Mode::Static => "static",
            };
            Chosen(AskedValue::Word(word.to_owned()))
        });
        let eprint = self.eprint.then_some(Chosen(AskedValue::Flag(true)));
        let all = [
            ("mode", &mode),
            ("integrator", &self.integrator),
            ("formulation", &self.formulation),
            ("error", &self.error),
            ("hinit", &self.hinit),
            ("hmax", &self.hmax),
            ("hmin", &self.hmin),
            ("kmax", &self.kmax),
            ("maxit", &self.maxit),
            ("pattern", &self.pattern),
            ("interpolate", &self.interpolate),
            ("corrector", &self.corrector),
            ("adaptivity", &self.adaptivity),
            ("eprint", &eprint),
        ];
        let given = all.into_iter();
        let given = given.filter_map(|(setting, chosen)| Some((setting, chosen.as_ref()?)));
        let others = self
            .others
            .iter()
            .map(|(name, value)| (name.as_str(), value));
        let mut asked: Vec<Asked> = Vec::new();
        for (setting, Chosen(value)) in given.chain(others) {
            if asked.iter().any(|other| other.setting == setting) {
                return Err(format!(
                    "--solver {setting}: this setting is given twice; give it once"
                ));
            }
            asked.push(Asked {
                setting: setting.to_owned(),
                value: value.clone(),
            });
        }
        Ok(asked)
    }
}
