//! Control plane: flexible bodies as they are written in the file.

use super::Number;
use super::parts::{Assembly, Orientation};
use crate::errors::{At, Report};
use crate::read::{Entity, FromJson, describe, schema};
use serde_json::Value;

schema! {
    /// A flexible body: mode shapes and inertia from a file that `fixstep flex` makes. Its frame has the
    /// origin and the axes of the finite-element model.
    FlexibleBody {
        /// Name, unique among parts, point masses and flexible bodies.
        name: String,
        /// The file, relative to the model.
        file: String,
        /// Is it the mirror image of the body of the file, y → −y in its axes? Default: false.
        mirrored: Option<bool>,
        /// Origin of the body in ground [length]. Default: [0, 0, 0].
        position: Option<[Number; 3]>,
        /// Axes of the body in ground. Default: those of ground.
        orientation: Option<Orientation>,
        /// Constraints and cost of moving the body in assembly. Default: no coordinate is exact, weight
        /// 1.
        assembly: Option<Assembly>,
        /// Initial velocity of the undeformed centre of mass, ground axes [length/time]. If given, the
        /// start meets it exactly; if not, it follows from the rest of the mechanism.
        velocity: Option<[Number; 3]>,
        /// Initial angular velocity, ground axes [angle/time]. If given, the start meets it exactly; if
        /// not, it follows from the rest of the mechanism.
        angular_velocity: Option<[Number; 3]>,
        /// The modes of the file that are used, counted from 1. Default: all.
        modes: Option<Vec<i64>>,
        /// The inertia invariants that are used: `full`, `partial` (without 5 and 9), `constant` (1, 2,
        /// 6, 7), `rigid` (1, 2, 7), or a list of true or false for each of the nine. Default: full.
        invariants: Option<Invariants>,
        /// Damping ratio of the modes: a number, an expression of FREQUENCY (in Hz) and MODE (counted from
        /// 1), or a table. Default: 0.01 below 100 Hz, 0.1 to 1000 Hz, 1 above.
        damping: Option<Damping>,
        /// Modes above this frequency [Hz] are quasi-static: they have stiffness and damping but no
        /// inertia. `none`: no mode is quasi-static. Default: 1/(2h), with the integration step h.
        dynamic_limit: Option<DynamicLimit>,
        /// Initial modal coordinates, SI, one for each of the modes. Default: zero.
        displacements: Option<Vec<Number>>,
        /// Initial modal velocities, SI, one for each of the modes. Default: zero.
        velocities: Option<Vec<Number>>,
        /// Rotation of nodes: `exact`, or `small`, the linear approximation 1 + θ~. Default: exact.
        rotations: Option<String>,
        /// Does the preload of the file act? Default: true.
        preload: Option<bool>,
        /// Does the geometric stiffness of the file act? Default: true.
        stiffening: Option<bool>,
        /// Deformation above which linear theory does not hold; `none`: it is not checked. Default: a
        /// tenth of the body's size.
        linear_limit: Option<LinearWatch>,
        /// Free text.
        description: Option<String>,
    }

    /// Deformation above which linear theory does not hold.
    LinearLimit {
        /// A characteristic length of the body [length]. Default: the diagonal of the box around its nodes.
        length: Option<f64>,
        /// Limit of the displacement of a node in the body's frame, relative to that length. Default:
        /// 0.1.
        fraction: Option<f64>,
        /// Does the run stop at the limit? Default: false, there is one warning.
        stop: Option<bool>,
    }

    /// Damping ratios at frequencies; linear between them, constant beyond them.
    DampingTable {
        /// Frequencies, ascending [Hz].
        frequencies: Vec<f64>,
        /// Damping ratios.
        ratios: Vec<f64>,
    }
}

/// The inertia invariants that are used.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Invariants {
    /// `full`, `partial`, `constant`, `rigid`.
    #[schemars(title = "InvariantsPreset")]
    Preset(String),
    /// True or false for each of the nine, in their order.
    #[schemars(title = "InvariantsSwitches")]
    Switches([bool; 9]),
}

impl FromJson for Invariants {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value.as_str() {
            Some(word) => Some(Self::Preset(word.to_owned())),
            None if value.as_array().is_some_and(|list| list.len() == 9) => {
                FromJson::from_json(value, at, report).map(Self::Switches)
            }
            None => {
                let found = describe(value);
                let message = format!(
                    "expected a word, or true or false for each of the nine, found {found}"
                );
                report.add(at, message);
                None
            }
        }
    }
}

/// Damping ratio of the modes.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Damping {
    /// The same for all modes.
    #[schemars(title = "DampingRatio")]
    Ratio(f64),
    /// An expression of FREQUENCY (in Hz) and MODE.
    #[schemars(title = "DampingExpression")]
    Expression(String),
    /// A table.
    #[schemars(title = "DampingTable")]
    Table(DampingTable),
}

impl FromJson for Damping {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Expression(text.clone())),
            Value::Object(_) => DampingTable::from_json(value, at, report).map(Self::Table),
            Value::Number(_) => f64::from_json(value, at, report).map(Self::Ratio),
            _ => {
                let found = describe(value);
                let message = format!(
                    "expected a damping ratio, an expression, or a table of \"frequencies\" and \"ratios\", found {found}"
                );
                report.add(at, message);
                None
            }
        }
    }
}

/// Deformation above which linear theory does not hold.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum LinearWatch {
    /// `none`: it is not checked.
    #[schemars(title = "LinearWatchWord")]
    Word(String),
    /// A limit.
    #[schemars(title = "LinearWatchLimit")]
    Limit(LinearLimit),
}

impl FromJson for LinearWatch {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value.as_str() {
            Some(word) => Some(Self::Word(word.to_owned())),
            None => LinearLimit::from_json(value, at, report).map(Self::Limit),
        }
    }
}

/// The frequency above which modes are quasi-static.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum DynamicLimit {
    /// The frequency in Hz.
    #[schemars(title = "DynamicLimitFrequency")]
    Frequency(f64),
    /// `none`: no mode is quasi-static.
    #[schemars(title = "DynamicLimitWord")]
    Word(String),
}

impl FromJson for DynamicLimit {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value {
            Value::String(word) => Some(Self::Word(word.clone())),
            Value::Number(_) => f64::from_json(value, at, report).map(Self::Frequency),
            _ => {
                let found = describe(value);
                report.add(
                    at,
                    format!("expected a frequency in Hz or \"none\", found {found}"),
                );
                None
            }
        }
    }
}

/// A node by its name or its number.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum NodeKey {
    /// By name.
    #[schemars(title = "NodeKeyName")]
    Name(String),
    /// By number.
    #[schemars(title = "NodeKeyNumber")]
    Number(u64),
}

impl FromJson for NodeKey {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if let Some(name) = value.as_str() {
            return Some(Self::Name(name.to_owned()));
        }
        if let Some(number) = value.as_u64() {
            return Some(Self::Number(number));
        }
        let found = describe(value);
        report.add(
            at,
            format!("expected a node's name or number, found {found}"),
        );
        None
    }
}

impl NodeKey {
    /// As text.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl Entity for FlexibleBody {
    const KIND: &'static str = "flexible body";
}
