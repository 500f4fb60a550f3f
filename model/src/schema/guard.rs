//! Control plane: the levels of the guard as they are written in the file.

use crate::errors::{At, Report};
use crate::read::{FromJson, describe, schema};
use serde_json::Value;

schema! {
    /// Quantities that the guard checks in every step, with the levels at which it warns and stops the
    /// run. "Size" is the size of the mechanism.
    Guard {
        /// Gain of energy that no work explains, relative to all energy exchanged. Default: 0.6, 1.5.
        energy: Option<GuardLevel>,
        /// Violation of joints and motions, in sizes or radians, with errors of driven angles by whole
        /// turns and jumps of the angles of bushings, fields and beams. Default: 0.01, 0.1.
        violation: Option<GuardLevel>,
        /// Displacement of a free part in a step by the forces that are out of balance, in sizes or
        /// radians; error of an implicit variable, relative to its value. Default: 0.5, 3.
        residual: Option<GuardLevel>,
        /// Last correction of Newton's iteration relative to the one before, if it is above 0.03 sizes or
        /// radians. Default: 1, 10.
        contraction: Option<GuardLevel>,
        /// Local error of a step, in sizes or radians; for a state that grows faster than the step can
        /// follow, its change relative to its value. Default: 0.2, 1.
        local_error: Option<GuardLevel>,
        /// Penetration of contacts, relative to the size of the shape, and of tyres, relative to a third
        /// of the radius; 4 for shapes that passed through one another. Default: 1, 3.
        penetration: Option<GuardLevel>,
        /// Rotation of a part in a step, in half turns. Default: 1, 100.
        spin: Option<GuardLevel>,
    }

    /// The levels of a quantity.
    GuardLevel {
        /// Level above which there is a warning: a number above zero, or never.
        warn: Option<GuardLimit>,
        /// Level above which the run stops: a number above zero, or never.
        stop: Option<GuardLimit>,
    }
}

/// `on`, `off`, or levels.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum GuardChoice {
    /// `on` or `off`.
    #[schemars(title = "GuardChoiceWord")]
    Word(String),
    /// Other levels.
    #[schemars(title = "GuardChoiceLevels")]
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
    #[schemars(title = "GuardLimitNumber")]
    Number(f64),
    /// `never`.
    #[schemars(title = "GuardLimitWord")]
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
