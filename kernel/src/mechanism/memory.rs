//! Control plane: elements with a memory: sampled systems, sensors and delays.
//!
//! Their numbers change only at accepted steps; within a step expressions read them as constants.

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

/// A delayed value, as DELAY reads it. Delays are in user time units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delay {
    /// The expression to be delayed.
    pub value: ExprId,
    /// The length of the delay.
    pub delay: ExprId,
    /// The value before the start, as a function of TIME.
    pub history: ExprId,
    /// The longest delay: an expression of parameters.
    pub longest: ExprId,
    /// Its place in the model, for messages: `forces[2] "valve": expression`.
    pub path: String,
}

/// A discrete-time system: samples its inputs at start + offset + k · period, and holds its outputs
/// in between.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SampledSystem {
    /// Name.
    pub name: String,
    /// Text for users.
    pub description: String,
    /// Sample period \[s\].
    pub period: f64,
    /// First sample after the start \[s\].
    pub offset: f64,
    /// Inputs.
    pub inputs: Vec<ExprId>,
    /// States before the first sample.
    pub initial: Vec<ValueId>,
    /// Number of outputs.
    pub outputs: usize,
    /// The equations of a sample.
    pub law: SampledLaw,
}

/// A sample time may be missed by this fraction of a step, because step and sample times are rounded.
pub const SAMPLE_TOLERANCE: f64 = 1e-3;

impl Memory {
    /// Does this number exist?
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
    /// Is a step longer than the sample period?
    pub fn outpaces(&self, h: f64) -> bool {
        h > self.period * (1.0 + SAMPLE_TOLERANCE)
    }
}

/// The equations of a sample, with inputs u and states x.
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
    /// One expression per next state and per output.
    Expressions {
        /// x⁺.
        next: Vec<ExprId>,
        /// y.
        outputs: Vec<ExprId>,
    },
}

/// An expression that is monitored at accepted steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sensor {
    /// Name.
    pub name: String,
    /// Text for users.
    pub description: String,
    /// The monitored expression.
    pub expression: ExprId,
    /// When it triggers.
    pub comparison: Comparison,
    /// The threshold.
    pub value: ValueId,
    /// Distance from the threshold that still triggers.
    pub tolerance: ValueId,
    /// The expression that SENVAL gives after the sensor has triggered; `None` for 1.
    pub evaluate: Option<ExprId>,
    /// How it is rearmed.
    pub rearm: Option<Rearm>,
    /// The message when it triggers.
    pub message: Message,
    /// Does the run end when it triggers?
    pub stop: bool,
    /// What created it.
    pub origin: SensorOrigin,
}

/// What created a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SensorOrigin {
    /// The model.
    Mechanism,
    /// The limit of a flexible body's deformation; its name is the sensor's.
    Linearity,
}

impl Sensor {
    /// Its name in messages: `sensor "gate"`.
    pub fn call(&self) -> String {
        let kind = match self.origin {
            SensorOrigin::Mechanism => "sensor",
            SensorOrigin::Linearity => "flexible body",
        };
        format!("{kind} {}", called(&self.name))
    }

    /// Is triggering a warning?
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
    /// At the threshold, or past it since the last step.
    Equal,
}

/// How a sensor is rearmed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Rearm {
    /// How far the expression must return behind the threshold.
    pub hysteresis: ValueId,
    /// Does SENVAL then return to zero?
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
