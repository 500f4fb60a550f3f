//! Control plane: sampled systems and sensors as they are written in the file.

use super::{Expression, Number};
use crate::read::{Entity, schema};

schema! {
    /// A discrete-time system: a controller, a filter, an estimator. It samples its inputs at `offset` +
    /// k · `sample_period` after the start and holds its outputs between samples. It is given by the
    /// matrices `a`, `b`, `c`, `d`, or by the expressions `next` and `outputs`.
    SampledSystem {
        /// Name.
        name: String,
        /// Time between two samples, more than zero [time].
        sample_period: Number,
        /// Time of the first sample after the start, zero or more [time]. Default: 0.
        offset: Option<Number>,
        /// The inputs u: expressions. Default: none.
        inputs: Option<Vec<Expression>>,
        /// The states before the first sample, a number for each. Default: 0.
        initial: Option<Vec<Number>>,
        /// A of x[k+1] = A x[k] + B u[k], by rows.
        a: Option<Vec<Vec<Number>>>,
        /// B, by rows. Default: 0.
        b: Option<Vec<Vec<Number>>>,
        /// C of y[k] = C x[k] + D u[k], by rows. Default: 0.
        c: Option<Vec<Vec<Number>>>,
        /// D, by rows. Default: 0.
        d: Option<Vec<Vec<Number>>>,
        /// The next states, an expression for each; they read the present states as `SAMSTA(name, i)` and
        /// the sampled inputs as `SAMINP(name, i)`.
        next: Option<Vec<Expression>>,
        /// The outputs, an expression for each, of the same quantities.
        outputs: Option<Vec<Expression>>,
        /// Free text.
        description: Option<String>,
    }

    /// Evaluates an expression at the end of every step and acts when it reaches a value.
    Sensor {
        /// Name.
        name: String,
        /// The expression.
        expression: Expression,
        /// Condition that triggers the sensor: ge (at or above the value), le (at or below it), eq (at
        /// the value, or passed it since the previous step).
        comparison: String,
        /// The threshold, in the unit of the expression. Default: 0.
        value: Option<Number>,
        /// Distance from the threshold at which the sensor already triggers, zero or more. Default: 0.
        tolerance: Option<Number>,
        /// Expression whose value, when the sensor triggers, becomes `SENVAL(name)`. Default: 1.
        evaluate: Option<Expression>,
        /// Distance behind the threshold at which the sensor is armed again, zero or more. Without this
        /// field a sensor triggers once.
        hysteresis: Option<Number>,
        /// Does `SENVAL(name)` return to zero when the sensor is armed again? Default: false.
        reset: Option<bool>,
        /// Message when the sensor triggers, or `"=name"` of a string. Default: none.
        message: Option<String>,
        /// Does the run end when the sensor triggers? Default: false.
        stop: Option<bool>,
        /// Free text.
        description: Option<String>,
    }
}

impl Entity for SampledSystem {
    const KIND: &'static str = "sampled system";
}

impl Entity for Sensor {
    const KIND: &'static str = "sensor";
}
