//! Control plane: elements with a memory: sampled systems, sensors.
//!
//! Their numbers change at accepted steps only; expressions read them as constants of a step.

use super::texts::Message;
use crate::ids::{ExprId, SampledId, SensorId, ValueId};
use crate::mechanism::called;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// All elements with a memory.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// Sampled systems, in the order in which they sample.
    pub sampled: Vec<SampledSystem>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Delays of expressions.
    pub delays: Vec<Delay>,
}

/// A value of the past, as DELAY reads it. Delays are in user time units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delay {
    /// What is delayed.
    pub value: ExprId,
    /// By how much.
    pub delay: ExprId,
    /// What it was before the start, as a function of TIME.
    pub history: ExprId,
    /// The longest delay: an expression of parameters.
    pub longest: ExprId,
    /// Where it stands, for messages: `forces[2] "valve": expression`.
    pub path: String,
}

/// A discrete-time system: samples its inputs at start + offset + k · period, and holds its outputs
/// in between.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SampledSystem {
    /// Name.
    pub name: String,
    /// For people.
    pub description: String,
    /// Sample period \[s\].
    pub period: f64,
    /// First sample after the start \[s\].
    pub offset: f64,
    /// Inputs.
    pub inputs: Vec<ExprId>,
    /// States before the first sample.
    pub initial: Vec<ValueId>,
    /// How many outputs.
    pub outputs: usize,
    /// What a sample does.
    pub law: SampledLaw,
}

/// A sample instant may be missed by this part of a step: clocks of step and sample are rounded.
pub const SAMPLE_TOLERANCE: f64 = 1e-3;

impl Memory {
    /// Is there such a number?
    pub fn holds(&self, held: Held) -> bool {
        let system = |id: SampledId| self.sampled.get(id.index());
        let below = |k: u32, count: Option<usize>| count.is_some_and(|n| (k as usize) < n);
        match held {
            Held::Input(id, k) => below(k, system(id).map(|s| s.inputs.len())),
            Held::State(id, k) => below(k, system(id).map(|s| s.initial.len())),
            Held::Output(id, k) => below(k, system(id).map(|s| s.outputs)),
            Held::Sensor(id) | Held::Count(id) => id.index() < self.sensors.len(),
        }
    }
}

impl SampledSystem {
    /// Is a step longer than the period?
    pub fn outpaces(&self, h: f64) -> bool {
        h > self.period * (1.0 + SAMPLE_TOLERANCE)
    }
}

/// What a sample does, with inputs u and states x.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SampledLaw {
    /// x⁺ = A x + B u, y = C x + D u.
    Linear {
        /// A, by rows.
        a: Vec<ValueId>,
        /// B, by rows.
        b: Vec<ValueId>,
        /// C, by rows.
        c: Vec<ValueId>,
        /// D, by rows.
        d: Vec<ValueId>,
    },
    /// One expression for each next state and each output.
    Expressions {
        /// x⁺.
        next: Vec<ExprId>,
        /// y.
        outputs: Vec<ExprId>,
    },
}

/// An expression that is watched at accepted steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sensor {
    /// Name.
    pub name: String,
    /// For people.
    pub description: String,
    /// What is watched.
    pub expression: ExprId,
    /// When it triggers.
    pub comparison: Comparison,
    /// The threshold.
    pub value: ValueId,
    /// How far off the threshold still triggers.
    pub tolerance: ValueId,
    /// What SENVAL reads after the sensor has triggered; `None`: 1.
    pub evaluate: Option<ExprId>,
    /// How it is armed again.
    pub rearm: Option<Rearm>,
    /// What is said when it triggers.
    pub message: Message,
    /// Does the run end when it triggers?
    pub stop: bool,
    /// What set it up.
    pub origin: SensorOrigin,
}

/// What set a sensor up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SensorOrigin {
    /// The model.
    Mechanism,
    /// A flexible body whose deformation is watched; its name is the sensor's.
    Linearity,
}

impl Sensor {
    /// What messages call it: `sensor "gate"`.
    pub fn call(&self) -> String {
        let kind = match self.origin {
            SensorOrigin::Mechanism => "sensor",
            SensorOrigin::Linearity => "flexible body",
        };
        format!("{kind} {}", called(&self.name))
    }

    /// Is it a warning when it triggers?
    pub fn warns(&self) -> bool {
        self.origin == SensorOrigin::Linearity
    }
}

/// When a sensor triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// At or above the threshold.
    AtLeast,
    /// At or below it.
    AtMost,
    /// At it, or past it since the last step.
    Equal,
}

/// How a sensor is armed again.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rearm {
    /// How far back behind the threshold.
    pub hysteresis: ValueId,
    /// Does SENVAL return to zero then?
    pub reset: bool,
}

/// A number that an element with a memory holds between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// An input of a sampled system at its last sample.
    Input(SampledId, u32),
    /// A state of a sampled system at its last sample.
    State(SampledId, u32),
    /// An output of a sampled system.
    Output(SampledId, u32),
    /// What SENVAL reads.
    Sensor(SensorId),
    /// How often a sensor has triggered.
    Count(SensorId),
}
