//! Control plane: declares the types of the levels of the guard, as the file writes them.

use crate::errors::{At, Report};
use crate::read::{FromJson, describe, schema};
use serde_json::Value;

schema! {
    /// What a run is watched for, and from where on it is warned of and stopped.
    Guard {
        /// Energy that comes from nowhere, over what the mechanism has moved. Default: 0.6, 1.5.
        energy: Option<GuardLevel>,
        /// Violation of joints and motions, in sizes of the mechanism and radians; whole turns of driven angles too, and jumps of the angles of
        /// bushings, fields and beams. Default: 0.01, 0.1.
        violation: Option<GuardLevel>,
        /// How far forces without balance would move a part in a step, in the same; how far an implicit variable is from solving its equation, in
        /// its size. Default: 0.5, 3.
        residual: Option<GuardLevel>,
        /// Newton's last correction over the one before, where it is above 0.03 in the same. Default: 1, 10.
        contraction: Option<GuardLevel>,
        /// Local error of a step in the same; change of a state that outgrows the step, in its size. Default: 0.2, 1.
        local_error: Option<GuardLevel>,
        /// Penetration of contacts in sizes of their shapes, of tyres in thirds of their radius; 4 for shapes that went through one another.
        /// Default: 1, 3.
        penetration: Option<GuardLevel>,
        /// Turn of a part in a step, in half turns. Default: 1, 100.
        spin: Option<GuardLevel>,
    }

    /// Levels of a quantity.
    GuardLevel {
        /// Above it there is a warning: a number above zero, or never.
        warn: Option<GuardLimit>,
        /// Above it the run stops: a number above zero, or never.
        stop: Option<GuardLimit>,
    }
}

/// Off, or levels.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum GuardChoice {
    /// `on` or `off`.
    Word(String),
    /// Other levels.
    Levels(Box<Guard>),
}

impl FromJson for GuardChoice {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value {
            Value::String(word) => Some(Self::Word(word.clone())),
            Value::Object(_) => {
                FromJson::from_json(value, at, report).map(|guard| Self::Levels(Box::new(guard)))
            }
            _ => {
                let found = describe(value);
                let message = format!(
                    "expected \"on\", \"off\" or levels such as {{\"energy\": {{\"stop\": 3}}}}, found {found}"
                );
                report.add(at, message);
                None
            }
        }
    }
}

/// A level.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum GuardLimit {
    /// A number.
    Number(f64),
    /// `never`.
    Word(String),
}

impl FromJson for GuardLimit {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value {
            Value::String(word) => Some(Self::Word(word.clone())),
            Value::Number(number) => number.as_f64().map(Self::Number),
            _ => {
                let found = describe(value);
                report.add(at, format!("expected a number or \"never\", found {found}"));
                None
            }
        }
    }
}
