//! Control plane: settings of the solver that a user asks for, in place of those of a model.

/// A setting that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Its name in a model.
    pub setting: String,
    /// Its value.
    pub value: AskedValue,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum AskedValue {
    /// The default, whatever the model gives.
    Default,
    /// Yes or no.
    Flag(bool),
    /// A number as in a model.
    Number(f64),
    /// A time \[s\].
    Seconds(f64),
    /// A word.
    Word(String),
}

/// Settings that are times.
const TIMES: [&str; 4] = ["hinit", "hmax", "hmin", "adaptivity"];

impl AskedValue {
    /// A number for a setting; times are in seconds.
    pub fn of(setting: &str, number: f64) -> Self {
        if TIMES.contains(&setting) {
            Self::Seconds(number)
        } else {
            Self::Number(number)
        }
    }
}
