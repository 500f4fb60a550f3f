//! Control plane: what a co-simulation slave is to its master, whoever made it.
//!
//! A [`Slave`] is a packed FMU of any vendor ([`crate::client::Fmu`]) or a model in this process
//! ([`crate::native::Native`]). The master ([`crate::run`], [`crate::rti`]) knows no difference.

use std::fmt;

use crate::suggest::unknown;

/// What a slave says of itself.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// FMI version, `2.0` or `3.0`; empty: not an FMU.
    pub fmi_version: String,
    /// Model name.
    pub model_name: String,
    /// For people.
    pub description: String,
    /// Name of the shared library.
    pub model_identifier: String,
    /// GUID (FMI 2) or instantiation token (FMI 3).
    pub token: String,
    /// Who exported it.
    pub generation_tool: String,
    /// It works only with its tool installed.
    pub needs_execution_tool: bool,
    /// Default experiment.
    pub experiment: Experiment,
    /// All variables.
    pub variables: Vec<Variable>,
}

/// Default experiment [s], as far as given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Experiment {
    /// Start time.
    pub start: Option<f64>,
    /// Stop time.
    pub stop: Option<f64>,
    /// Communication step.
    pub step: Option<f64>,
}

/// A variable of a slave.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: String,
    /// Value reference.
    pub reference: u32,
    /// Type.
    pub kind: Kind,
    /// Causality as the XML spells it, such as `output`.
    pub causality: String,
    /// Variability as the XML spells it.
    pub variability: String,
    /// Unit; empty: none.
    pub unit: String,
    /// For people.
    pub description: String,
    /// Start value as written in the XML, if any.
    pub start: Option<String>,
    /// Number of elements: 1, or the product of an FMI 3 array's dimensions.
    pub size: usize,
    /// Items of an enumeration.
    pub items: Vec<(String, i64)>,
}

/// Types of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of FMI 3")]
pub enum Kind {
    Float32,
    Float64,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Boolean,
    String,
    Binary,
    Enumeration,
    Clock,
}

/// A value on its way into a slave.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Any floating-point number.
    Real(f64),
    /// Any integer or enumeration.
    Integer(i64),
    /// Boolean.
    Boolean(bool),
    /// Text.
    Text(String),
}

/// What a step did.
#[derive(Clone, Debug, PartialEq)]
pub enum Advance {
    /// Time is now t + H.
    Done,
    /// The slave wants the simulation to end; time is now `at`.
    Ended {
        /// Time reached [s].
        at: f64,
    },
}

/// Why a slave failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

/// Level of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// All is well.
    Note,
    /// Something to look at.
    Warning,
    /// Something failed.
    Error,
}

/// What a slave logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How bad.
    pub level: Level,
    /// Category, if any.
    pub category: String,
    /// The text.
    pub text: String,
}

/// A co-simulation slave, instantiated.
pub trait Slave {
    /// What it says of itself.
    fn description(&self) -> &Description;
    /// Sets all elements of the variable at position `variable` of the description.
    fn set(&mut self, variable: usize, values: &[Value]) -> Result<(), Failure>;
    /// Reads all elements of a numeric variable (booleans as 0 and 1) and appends them to `into`.
    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure>;
    /// Opens initialization at `start` [s] with `stop` as a promise.
    fn enter_initialization(&mut self, start: f64, stop: Option<f64>) -> Result<(), Failure>;
    /// Computes the consistent start.
    fn exit_initialization(&mut self) -> Result<(), Failure>;
    /// Advances from `time` by `step` [s].
    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure>;
    /// Ends the simulation.
    fn terminate(&mut self) -> Result<(), Failure>;
    /// What was logged since the last call.
    fn messages(&mut self) -> Vec<Message>;
}

impl Description {
    /// Position of a variable; the message names the nearest ones.
    pub fn find(&self, name: &str) -> Result<usize, Failure> {
        self.variables
            .iter()
            .position(|variable| variable.name == name)
            .ok_or_else(|| {
                let names = self.variables.iter().map(|variable| variable.name.as_str());
                Failure(unknown("variable", name, names))
            })
    }

    /// Positions of the variables of a causality.
    pub fn of_causality<'a>(&'a self, causality: &'a str) -> impl Iterator<Item = usize> + 'a {
        let variables = self.variables.iter().enumerate();
        variables
            .filter(move |(_, variable)| variable.causality == causality)
            .map(|(at, _)| at)
    }
}

impl Kind {
    /// Is a value of this kind a number that a table can hold?
    pub const fn is_numeric(self) -> bool {
        !matches!(self, Self::String | Self::Binary | Self::Clock)
    }

    /// Range of an integer type.
    const fn integer_range(self) -> Option<(i64, i64)> {
        match self {
            Self::Int8 => Some((i8::MIN as i64, i8::MAX as i64)),
            Self::UInt8 => Some((0, u8::MAX as i64)),
            Self::Int16 => Some((i16::MIN as i64, i16::MAX as i64)),
            Self::UInt16 => Some((0, u16::MAX as i64)),
            Self::Int32 => Some((i32::MIN as i64, i32::MAX as i64)),
            Self::UInt32 => Some((0, u32::MAX as i64)),
            Self::Int64 => Some((i64::MIN, i64::MAX)),
            Self::UInt64 => Some((0, i64::MAX)),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Variable {
    /// Reads values as a user writes them: numbers, `true`/`false`, an enumeration's item by name
    /// or number, text; an array's elements separated by spaces.
    pub fn parse(&self, text: &str) -> Result<Vec<Value>, Failure> {
        if self.kind == Kind::String && self.size == 1 {
            return Ok(vec![Value::Text(text.to_owned())]);
        }
        let values: Vec<Value> = text
            .split_whitespace()
            .map(|word| self.parse_one(word))
            .collect::<Result<_, _>>()?;
        if values.len() == self.size {
            Ok(values)
        } else {
            Err(self.refuse(text, &format!("{} value(s) separated by spaces", self.size)))
        }
    }

    fn parse_one(&self, word: &str) -> Result<Value, Failure> {
        match self.kind {
            Kind::Float32 | Kind::Float64 => match word.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Value::Real(value)),
                _ => Err(self.refuse(word, "a finite number")),
            },
            Kind::Boolean => match word {
                "true" | "1" => Ok(Value::Boolean(true)),
                "false" | "0" => Ok(Value::Boolean(false)),
                _ => Err(self.refuse(word, "true or false")),
            },
            Kind::Enumeration => self.item(word).map(Value::Integer),
            Kind::String => Ok(Value::Text(word.to_owned())),
            Kind::Binary | Kind::Clock => Err(self.refuse(word, "nothing: it cannot be set here")),
            _ => {
                let (low, high) = self.kind.integer_range().unwrap_or((i64::MIN, i64::MAX));
                match word.parse::<i64>() {
                    Ok(value) if (low..=high).contains(&value) => Ok(Value::Integer(value)),
                    _ => Err(self.refuse(word, &format!("a whole number from {low} to {high}"))),
                }
            }
        }
    }

    /// An enumeration's item by name or by number.
    fn item(&self, word: &str) -> Result<i64, Failure> {
        let by_name = self
            .items
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word));
        let by_number = || {
            self.items
                .iter()
                .find(|(_, value)| value.to_string() == word)
        };
        by_name
            .or_else(by_number)
            .map(|(_, value)| *value)
            .ok_or_else(|| {
                let names: Vec<String> = self
                    .items
                    .iter()
                    .map(|(name, value)| format!("{name} ({value})"))
                    .collect();
                self.refuse(word, &format!("one of {}", names.join(", ")))
            })
    }

    fn refuse(&self, text: &str, valid: &str) -> Failure {
        Failure(format!(
            "variable \"{}\" ({}): \"{text}\" is not {valid}",
            self.name, self.kind
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(kind: Kind, size: usize) -> Variable {
        Variable {
            name: "solver.integrator".to_owned(),
            reference: 7,
            kind,
            causality: "parameter".to_owned(),
            variability: "fixed".to_owned(),
            unit: String::new(),
            description: String::new(),
            start: None,
            size,
            items: vec![("GSTIFF".to_owned(), 1), ("HHT".to_owned(), 2)],
        }
    }

    #[test]
    fn enumerations_are_given_by_name_or_number() {
        let integrator = variable(Kind::Enumeration, 1);
        assert_eq!(integrator.parse("hht"), Ok(vec![Value::Integer(2)]));
        assert_eq!(integrator.parse("1"), Ok(vec![Value::Integer(1)]));
        let message = integrator.parse("RK4").map_err(|failure| failure.0);
        assert_eq!(
            message,
            Err("variable \"solver.integrator\" (Enumeration): \"RK4\" is not one of GSTIFF (1), HHT (2)".to_owned())
        );
    }

    #[test]
    fn values_outside_their_type_are_refused() {
        assert!(variable(Kind::UInt8, 1).parse("256").is_err());
        assert!(variable(Kind::Int32, 1).parse("1.5").is_err());
        assert!(variable(Kind::Float64, 1).parse("NaN").is_err());
        assert!(variable(Kind::Float64, 3).parse("1 2").is_err());
        assert_eq!(
            variable(Kind::Float64, 2).parse("1 -2e3"),
            Ok(vec![Value::Real(1.0), Value::Real(-2000.0)])
        );
        assert_eq!(
            variable(Kind::String, 1).parse("T:F F"),
            Ok(vec![Value::Text("T:F F".to_owned())])
        );
    }

    #[test]
    fn an_unknown_variable_names_its_neighbours() {
        let description = Description {
            variables: vec![variable(Kind::Float64, 1)],
            ..Description::default()
        };
        let message = description
            .find("solver.integrater")
            .map_err(|failure| failure.0);
        assert_eq!(
            message,
            Err(
                "unknown variable \"solver.integrater\"; did you mean \"solver.integrator\"?"
                    .to_owned()
            )
        );
    }
}
