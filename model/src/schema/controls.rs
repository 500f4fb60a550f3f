//! Control plane: declares the types of linear and general state equations, transfer functions and controllers, as
//! the file writes them.

use super::{Expression, Number};
use crate::read::{Entity, schema};

schema! {
    /// A linear state equation dx/dt = A x + B u, y = C x + D u. Expressions read output i as
    /// `ARYVAL(name, i)`, state i as `DIF(name, i)`.
    LinearStateEquation {
        /// Name.
        name: String,
        /// The inputs u: expressions. Default: none.
        inputs: Option<Vec<Expression>>,
        /// A, by rows [1/time].
        a: Vec<Vec<Number>>,
        /// B, by rows [1/time]. Default: 0.
        b: Option<Vec<Vec<Number>>>,
        /// C, by rows. Default: 0; without C and D the outputs are the states.
        c: Option<Vec<Vec<Number>>>,
        /// D, by rows. Default: 0.
        d: Option<Vec<Vec<Number>>>,
        /// The states at the start, a number for each. Default: 0.
        initial: Option<Vec<Number>>,
        /// Do the states keep their initial values in static equilibrium? Default: false.
        hold_states: Option<bool>,
        /// Do the states start at values for which their rates are zero in the initial state of the
        /// mechanism? Default: false.
        steady: Option<bool>,
        /// Free text.
        description: Option<String>,
    }

    /// A transfer function from one input to one output: a quotient of polynomials in s. Expressions
    /// read the output by its name.
    TransferFunction {
        /// Name.
        name: String,
        /// The input: an expression.
        input: Expression,
        /// Coefficients of the numerator by rising powers of s [time^power].
        numerator: Vec<Number>,
        /// Coefficients of the denominator, likewise; at least as many as the numerator has.
        denominator: Vec<Number>,
        /// Do the states keep their initial values, zero, in static equilibrium? Default: false.
        hold_states: Option<bool>,
        /// Do the states start at values for which their rates are zero, so that the output is the input
        /// times the gain at s = 0? Default: false, they start at zero.
        steady: Option<bool>,
        /// Free text.
        description: Option<String>,
    }

    /// A state of a general state equation.
    GeneralState {
        /// Its rate, per time unit: an expression.
        derivative: Expression,
        /// The state at the start. Default: 0.
        initial: Option<Number>,
        /// FMI unit of the state: a label, never converted.
        unit: Option<String>,
    }

    /// A general state equation: states and outputs by expressions. They read state i as `DIF(name, i)`,
    /// output i as `ARYVAL(name, i)`, and everything that the expression of a force can read.
    GeneralStateEquation {
        /// Name.
        name: String,
        /// The states.
        states: Vec<GeneralState>,
        /// The outputs: expressions. Default: none.
        outputs: Option<Vec<Expression>>,
        /// Do the states keep their initial values in static equilibrium? Default: false.
        hold_states: Option<bool>,
        /// Do the states start at values for which their rates are zero in the initial state of the
        /// mechanism? Default: false.
        steady: Option<bool>,
        /// Free text.
        description: Option<String>,
    }

    /// A PID controller with filtered derivative, limits and anti-windup. Expressions read its output by
    /// its name.
    PidController {
        /// Name.
        name: String,
        /// Setpoint of the measured value: an expression.
        setpoint: Expression,
        /// The measured value: an expression.
        measured: Expression,
        /// Proportional gain [output/error].
        kp: Number,
        /// Integral gain [output/(error·time)]. Default: no integral part.
        ki: Option<Number>,
        /// Derivative gain [output·time/error]. Default: no derivative part.
        kd: Option<Number>,
        /// Time constant of the derivative's filter, more than zero [time]; needed with `kd`.
        derivative_filter: Option<Number>,
        /// Weight of the setpoint in the proportional part. Default: 1.
        setpoint_weight: Option<Number>,
        /// Weight of the setpoint in the derivative part. Default: 0.
        derivative_weight: Option<Number>,
        /// Lower limit of the output. Default: none.
        minimum: Option<Number>,
        /// Upper limit of the output. Default: none.
        maximum: Option<Number>,
        /// Width over which the output approaches a limit smoothly, zero or more [output]. Default: 1 %
        /// of the distance between both limits; 0 with one limit.
        smoothing: Option<f64>,
        /// Time constant with which the integral part follows an output at its limit (anti-windup), more
        /// than zero [time]. Default: SQRT(kd/ki); without `kd` kp/ki.
        tracking_time: Option<Number>,
        /// The integral part at the start [output]. Default: 0.
        initial: Option<Number>,
        /// Does the integral part keep its initial value in static equilibrium? Default: false.
        hold_states: Option<bool>,
        /// FMI unit of the output: a label, never converted.
        unit: Option<String>,
        /// Free text.
        description: Option<String>,
    }
}

impl Entity for LinearStateEquation {
    const KIND: &'static str = "linear state equation";
}

impl Entity for TransferFunction {
    const KIND: &'static str = "transfer function";
}

impl Entity for GeneralStateEquation {
    const KIND: &'static str = "general state equation";
}

impl Entity for PidController {
    const KIND: &'static str = "PID controller";
}
