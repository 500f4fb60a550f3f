//! Control plane: units, numbers, expressions and the quantities at the border, as they are written in
//! the file.

use crate::errors::{At, Report};
use crate::read::{Entity, FromJson, describe, expression_hint, schema};
use serde_json::Value;

/// A number of an element: a plain number, or a string `"=expression of parameters"` in the units of
/// the field.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Number {
    /// A plain number.
    #[schemars(title = "NumberConstant")]
    Constant(f64),
    /// `=` and an expression of parameters, in the units of the field.
    #[schemars(title = "NumberExpression")]
    Expression(#[schemars(regex(pattern = "^\\s*="))] String),
}

impl FromJson for Number {
    fn takes() -> String {
        "a number, or \"=expression of parameters\"".to_owned()
    }

    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if let Some(number) = value.as_f64().filter(|number| number.is_finite()) {
            return Some(Self::Constant(number));
        }
        if let Some(expression) = value
            .as_str()
            .and_then(|s| s.trim_start().strip_prefix('='))
        {
            return Some(Self::Expression(expression.to_owned()));
        }
        let message = format!(
            "expected a finite number or a string \"=expression of parameters\", found {}{}",
            describe(value),
            expression_hint(value)
        );
        report.add(at, message);
        None
    }
}

/// An expression in user units, with angles in radians, or a plain number.
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Expression {
    /// A constant.
    #[schemars(title = "ExpressionConstant")]
    Constant(f64),
    /// The text of an expression.
    #[schemars(title = "ExpressionText")]
    Text(String),
}

impl FromJson for Expression {
    fn takes() -> String {
        "an expression in double quotes, or a number".to_owned()
    }

    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        if let Some(number) = value.as_f64().filter(|number| number.is_finite()) {
            return Some(Self::Constant(number));
        }
        if let Some(text) = value.as_str() {
            return Some(Self::Text(text.to_owned()));
        }
        let message = format!(
            "expected an expression (a string), found {}",
            describe(value)
        );
        report.add(at, message);
        None
    }
}

impl Expression {
    /// The text to compile.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Constant(number) => format!("{number:?}"),
            Self::Text(text) => text.clone(),
        }
    }
}

schema! {
    /// The units of all numbers in the file. Names are not case-sensitive.
    Units {
        /// Length. Default: m.
        #[schemars(extend("examples" = crate::units::LENGTH.names()))]
        length: Option<String>,
        /// Mass. Default: kg.
        #[schemars(extend("examples" = crate::units::MASS.names()))]
        mass: Option<String>,
        /// Force. Default: N. It need not be coherent with mass, length and time.
        #[schemars(extend("examples" = crate::units::FORCE.names()))]
        force: Option<String>,
        /// Time. Default: s.
        #[schemars(extend("examples" = crate::units::TIME.names()))]
        time: Option<String>,
        /// Angle of the file's plain fields; expressions always use radians. Default: rad.
        #[schemars(extend("examples" = crate::units::ANGLE.names()))]
        angle: Option<String>,
    }

    /// A parameter: a number that the importer of the FMU may set. Expressions and
    /// `"=expression"` numbers refer to it by name.
    ParameterQuantity {
        /// Name, also in the FMU.
        name: String,
        /// Value, in the parameter's own unit.
        start: f64,
        /// FMI unit of the value, such as `N/mm`: a label, never converted.
        unit: Option<String>,
        /// Unit in which tools show the value.
        display_unit: Option<String>,
        /// Lower bound.
        min: Option<f64>,
        /// Upper bound.
        max: Option<f64>,
        /// Can the value change between steps? Default: false, it is fixed after initialization.
        tunable: Option<bool>,
        /// Free text.
        description: Option<String>,
    }

    /// An input of the FMU. Expressions refer to it by name.
    InputQuantity {
        /// Name, also in the FMU.
        name: String,
        /// Value at the start, in the input's own unit. Default: 0.
        start: Option<f64>,
        /// FMI unit of the value, such as `mm`: a label, never converted.
        unit: Option<String>,
        /// Unit in which tools show the value.
        display_unit: Option<String>,
        /// Lower bound.
        min: Option<f64>,
        /// Upper bound.
        max: Option<f64>,
        /// Free text.
        description: Option<String>,
    }

    /// A named number for use in expressions: either the value of an `expression`, or an implicit
    /// variable, the solution of `residual` = 0.
    VariableQuantity {
        /// Name.
        name: String,
        /// The expression, in user units, angles in radians.
        expression: Option<Expression>,
        /// An expression that reads the variable by its name and is zero at the variable's value. The
        /// variable is solved for together with the mechanism.
        residual: Option<Expression>,
        /// For an implicit variable: initial guess of its value at the start. Default: 0.
        initial: Option<Number>,
        /// Unit of the value: a label.
        unit: Option<String>,
        /// Free text.
        description: Option<String>,
    }

    /// A differential equation of first order with one state, coupled with the mechanism. Expressions
    /// read the state as `DIF(name)` and its rate as `DIF1(name)`.
    DifferentialEquation {
        /// Name.
        name: String,
        /// The rate of the state, per time unit: an expression in user units, angles in radians. It can
        /// read the mechanism, inputs and all states.
        derivative: Option<Expression>,
        /// Instead of `derivative`: an expression of the state `DIF(name)` and its rate `DIF1(name)` that
        /// is zero.
        residual: Option<Expression>,
        /// The state at the start. Default: 0.
        initial: Option<Number>,
        /// With `residual`: initial guess of the rate at the start, per time unit. Default: 0.
        initial_rate: Option<Number>,
        /// Does the state keep its initial value in static equilibrium? Default: false, it takes the
        /// value for which its rate is zero.
        hold_states: Option<bool>,
        /// Does the state start at a value for which its rate is zero in the initial state of the
        /// mechanism? Default: false.
        steady: Option<bool>,
        /// FMI unit of the state: a label, never converted.
        unit: Option<String>,
        /// Free text.
        description: Option<String>,
    }

    /// An output of the FMU.
    OutputQuantity {
        /// Name in the FMU.
        name: String,
        /// The expression, in user units, angles in radians.
        expression: Expression,
        /// FMI unit of the value, such as `N.m`: a label, never converted.
        unit: Option<String>,
        /// Unit in which tools show the value.
        display_unit: Option<String>,
        /// Lower bound.
        min: Option<f64>,
        /// Upper bound.
        max: Option<f64>,
        /// Free text.
        description: Option<String>,
    }
}

impl Entity for ParameterQuantity {
    const KIND: &'static str = "parameter";
}

impl Entity for InputQuantity {
    const KIND: &'static str = "input";
}

impl Entity for VariableQuantity {
    const KIND: &'static str = "variable";
}

impl Entity for DifferentialEquation {
    const KIND: &'static str = "differential equation";
}

impl Entity for OutputQuantity {
    const KIND: &'static str = "output";
}
