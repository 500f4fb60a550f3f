//! Control plane: a co-simulation slave of any vendor, as its master sees it.
//!
//! A [`Slave`] is a packed FMU of any vendor ([`crate::client::Fmu`]) or a model in this process
//! ([`crate::native::Native`]). The masters ([`crate::run`], [`crate::real_time`]) treat both alike.

use fixstep_kernel::simulation::Simulation;
use model_description::parse::{Causality, Description, Dimension, Type, Variable};

use crate::suggest::unknown;
use fixstep_model::csv::is_decimal_comma;

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

/// The result of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Advance {
    /// Time is now t + H.
    Done,
    /// The slave wants the simulation to end; time is now `at`.
    Ended {
        /// Time reached (s).
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

/// How much a slave logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// Only errors, which are always logged.
    Errors,
    /// Faults and possible faults, once it runs.
    Warnings,
    /// That, and the report of real time that our FMUs have at the end.
    RealTime,
    /// All messages.
    All,
}

impl LogLevel {
    /// The categories to be switched on one by one: those of the standard for complaints, and ours.
    pub(crate) const fn categories(self) -> &'static [&'static str] {
        match self {
            Self::Warnings => &[
                "logStatusWarning",
                "logStatusDiscard",
                "logStatusError",
                "logStatusFatal",
            ],
            Self::RealTime => &[
                "logStatusWarning",
                "logStatusDiscard",
                "logStatusError",
                "logStatusFatal",
                "logRealTime",
            ],
            Self::Errors | Self::All => &[],
        }
    }
}

/// A log message of a slave.
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
    /// Its description.
    fn description(&self) -> &Description;
    /// Announces that the run will use this communication step (s), before anything is set: warnings about steps then
    /// refer to it.
    fn announce_step(&mut self, step: f64) {
        let _ = step;
    }
    /// Sets all elements of the variable at position `variable` of the description.
    fn set(&mut self, variable: usize, values: &[Value]) -> Result<(), Failure>;
    /// Reads all elements of a numeric variable (booleans as 0 and 1) and appends them to `into`.
    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure>;
    /// Reads all elements of a text, or of bytes as hexadecimal digits, and appends them to `into`.
    fn read_text(&mut self, variable: usize, into: &mut Vec<String>) -> Result<(), Failure> {
        let _ = into;
        let name = &self.description().variables[variable].name;
        Err(Failure(format!("variable \"{name}\" cannot be read here")))
    }
    /// Opens initialization at `start` (s) with `stop` as a promise.
    fn enter_initialization(&mut self, start: f64, stop: Option<f64>) -> Result<(), Failure>;
    /// Computes the consistent start.
    fn exit_initialization(&mut self) -> Result<(), Failure>;
    /// Advances from `time` by `step` (s).
    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure>;
    /// Begins a communication step, as [`Self::step`] does, of which [`Self::go_on`] makes one integration step after
    /// another.
    fn begin_step(&mut self, time: f64, step: f64) -> Result<(), Failure> {
        let _ = (time, step);
        Err(Failure(String::from(
            "--every-step looks at the steps of the integration, which an FMU does not show; valid: a model",
        )))
    }
    /// Makes the next integration step: the time that it reaches (s), and how the communication step ends if it was the
    /// last one.
    fn go_on(&mut self) -> Result<(f64, Option<Advance>), Failure> {
        Err(Failure(String::from("no step has begun")))
    }
    /// Ends the simulation.
    fn terminate(&mut self) -> Result<(), Failure>;
    /// The messages logged since the last call.
    fn messages(&mut self) -> Vec<Message>;
    /// The engine within; an FMU does not show it.
    fn engine(&self) -> Option<&Simulation> {
        None
    }
    /// Its state, as the bytes of `fmi3SerializeFMUState` or `fmi2SerializeFMUstate`.
    fn saved(&self) -> Result<Vec<u8>, Failure> {
        Err(Failure(String::from(
            "the state of a system of several FMUs is not saved; valid: a model, or an FMU",
        )))
    }
    /// Takes such a state in place of an initialization; steps go on from there.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let _ = bytes;
        Err(Failure(String::from(
            "a system of several FMUs does not go on from a state; valid: a model, or an FMU",
        )))
    }
}

/// Position of a variable; the message names the nearest ones.
pub fn find(description: &Description, name: &str) -> Result<usize, Failure> {
    let variables = &description.variables;
    variables
        .iter()
        .position(|variable| variable.name == name)
        .ok_or_else(|| {
            let names = variables.iter().map(|variable| variable.name.as_str());
            Failure(unknown("variable", name, names))
        })
}

/// Index of a variable, or of an array with the index, from 0, of the element that `name[i]` means.
pub fn find_element(
    description: &Description,
    name: &str,
) -> Result<(usize, Option<usize>), Failure> {
    let found = find(description, name);
    if let (Err(_), Some((array, index))) = (&found, indexed(name))
        && let Ok(at) = find(description, array)
        && let [_] = description.variables[at].dimensions[..]
        && index < size(description, &description.variables[at])
    {
        return Ok((at, Some(index)));
    }
    found.map(|at| (at, None))
}

/// Name of an element, and its index from 0.
fn indexed(name: &str) -> Option<(&str, usize)> {
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, index.parse::<usize>().ok()?.checked_sub(1)?))
}

/// Sets a variable, or one element of an array of floating-point numbers, leaving the other elements unchanged.
pub fn assign(
    slave: &mut dyn Slave,
    (at, element): (usize, Option<usize>),
    values: &[Value],
) -> Result<(), Failure> {
    let Some(element) = element else {
        return slave.set(at, values);
    };
    let mut all = Vec::new();
    slave.read(at, &mut all)?;
    let mut all: Vec<Value> = all.into_iter().map(Value::Real).collect();
    if let ([value], Some(place)) = (values, all.get_mut(element)) {
        place.clone_from(value);
    }
    slave.set(at, &all)
}

/// Positions of the variables of a causality.
pub fn of_causality(
    description: &Description,
    causality: Causality,
) -> impl Iterator<Item = usize> + '_ {
    let variables = description.variables.iter().enumerate();
    variables
        .filter(move |(_, variable)| variable.causality == causality)
        .map(|(at, _)| at)
}

/// Number of elements of a variable: 1, or the product of an array's dimensions; those given by
/// structural parameters are taken at their start values.
pub fn size(description: &Description, variable: &Variable) -> usize {
    let dimension = |dimension: &Dimension| match dimension {
        Dimension::Fixed(size) => *size,
        Dimension::Variable(reference) => {
            let parameters = description.variables.iter();
            let mut parameters = parameters.filter(|parameter| parameter.reference == *reference);
            let start = parameters
                .next()
                .and_then(|parameter| parameter.start.first()?.parse().ok());
            start.unwrap_or(1)
        }
    };
    variable
        .dimensions
        .iter()
        .map(dimension)
        .fold(1_u64, u64::saturating_mul) as usize
}

/// Can a table of numbers hold the variable?
pub fn is_numeric(variable: &Variable) -> bool {
    !matches!(variable.kind, Type::String | Type::Binary | Type::Clock)
}

/// Reads values as a user writes them: numbers, `true`/`false`, an enumeration's item by name or
/// number, text; an array's elements separated by spaces, or one of them.
pub fn read_values(
    description: &Description,
    (variable, element): (&Variable, Option<usize>),
    text: &str,
) -> Result<Vec<Value>, Failure> {
    let size = match element {
        Some(_) => 1,
        None => size(description, variable),
    };
    if variable.kind == Type::String && size == 1 {
        return Ok(vec![Value::Text(text.to_owned())]);
    }
    let words = text.split_whitespace();
    let values: Vec<Value> = words
        .map(|word| read_value(description, variable, word))
        .collect::<Result<_, _>>()?;
    if values.len() == size {
        Ok(values)
    } else {
        Err(refuse(
            variable,
            text,
            &format!("{size} value(s) separated by spaces"),
        ))
    }
}

fn read_value(
    description: &Description,
    variable: &Variable,
    word: &str,
) -> Result<Value, Failure> {
    match variable.kind {
        Type::Float32 | Type::Float64 => match word.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Value::Real(value)),
            _ if is_decimal_comma(word) => {
                let valid = format!(
                    "a number: decimals follow a point, as in {}",
                    word.replace(',', ".")
                );
                Err(refuse(variable, word, &valid))
            }
            _ => Err(refuse(variable, word, "a finite number")),
        },
        Type::Boolean => match word {
            "true" | "1" => Ok(Value::Boolean(true)),
            "false" | "0" => Ok(Value::Boolean(false)),
            _ => Err(refuse(variable, word, "true or false")),
        },
        Type::Enumeration => item(description, variable, word).map(Value::Integer),
        Type::String => Ok(Value::Text(word.to_owned())),
        Type::Binary | Type::Clock => Err(refuse(variable, word, "nothing: it cannot be set here")),
        kind => {
            let (low, high) = integer_range(kind);
            match word.parse::<i64>() {
                Ok(value) if (low..=high).contains(&value) => Ok(Value::Integer(value)),
                _ => Err(refuse(
                    variable,
                    word,
                    &format!("a whole number from {low} to {high}"),
                )),
            }
        }
    }
}

/// An enumeration's item by name or by number.
fn item(description: &Description, variable: &Variable, word: &str) -> Result<i64, Failure> {
    let types = &description.types;
    let declared = types
        .iter()
        .find(|definition| definition.name == variable.declared_type);
    let items = declared.map_or(&[][..], |definition| &definition.items);
    let by_name = items
        .iter()
        .find(|item| item.name.eq_ignore_ascii_case(word));
    let by_number = || items.iter().find(|item| item.value.to_string() == word);
    by_name
        .or_else(by_number)
        .map(|item| item.value)
        .ok_or_else(|| {
            let names: Vec<String> = items
                .iter()
                .map(|item| format!("{} ({})", item.name, item.value))
                .collect();
            refuse(variable, word, &format!("one of {}", names.join(", ")))
        })
}

/// Range of an integer type.
fn integer_range(kind: Type) -> (i64, i64) {
    match kind {
        Type::Int8 => (i8::MIN.into(), i8::MAX.into()),
        Type::UInt8 => (0, u8::MAX.into()),
        Type::Int16 => (i16::MIN.into(), i16::MAX.into()),
        Type::UInt16 => (0, u16::MAX.into()),
        Type::Int32 => (i32::MIN.into(), i32::MAX.into()),
        Type::UInt32 => (0, u32::MAX.into()),
        Type::UInt64 => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    }
}

fn refuse(variable: &Variable, text: &str, valid: &str) -> Failure {
    let Variable { name, kind, .. } = variable;
    Failure(format!(
        "variable \"{name}\" ({kind:?}): \"{text}\" is not {valid}"
    ))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use model_description::parse::description;

    use super::*;

    const XML: &str = r#"<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="t">
<CoSimulation modelIdentifier="m"/>
<TypeDefinitions><EnumerationType name="Integrator"><Item name="GSTIFF" value="1"/>
<Item name="HHT" value="2"/></EnumerationType></TypeDefinitions>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Enumeration name="solver.integrator" valueReference="1" declaredType="Integrator" causality="parameter" variability="fixed" start="1"/>
<UInt8 name="u8" valueReference="2"/><Int32 name="i32" valueReference="3"/>
<Float64 name="x" valueReference="4"/><String name="s" valueReference="5"/>
<UInt64 name="n" valueReference="6" causality="structuralParameter" start="2"/>
<Float64 name="a" valueReference="7"><Dimension start="3"/><Dimension valueReference="6"/></Float64>
</ModelVariables><ModelStructure/></fmiModelDescription>"#;

    fn read(name: &str, text: &str) -> Result<Vec<Value>, String> {
        let description = description(XML).unwrap();
        let variable = &description.variables[find(&description, name).unwrap()];
        read_values(&description, (variable, None), text).map_err(|Failure(text)| text)
    }

    #[test]
    fn enumerations_are_given_by_name_or_number() {
        assert_eq!(
            read("solver.integrator", "hht"),
            Ok(vec![Value::Integer(2)])
        );
        assert_eq!(read("solver.integrator", "1"), Ok(vec![Value::Integer(1)]));
        assert_eq!(
            read("solver.integrator", "RK4"),
            Err(
                "variable \"solver.integrator\" (Enumeration): \"RK4\" is not one of \
                 GSTIFF (1), HHT (2)"
                    .to_owned()
            )
        );
    }

    #[test]
    fn values_outside_their_type_are_refused() {
        assert!(read("u8", "256").is_err());
        assert!(read("i32", "1.5").is_err());
        assert!(read("x", "NaN").is_err());
        assert!(read("a", "1 2").is_err());
        assert_eq!(
            read("a", "1 2 3 4 5 -2e3").map(|values| values.len()),
            Ok(6)
        );
        assert_eq!(
            read("s", "T:F F"),
            Ok(vec![Value::Text("T:F F".to_owned())])
        );
    }

    #[test]
    fn an_unknown_variable_names_its_neighbours() {
        let description = description(XML).unwrap();
        let message = find(&description, "solver.integrater").map_err(|failure| failure.0);
        assert_eq!(
            message,
            Err(
                "unknown variable \"solver.integrater\"; did you mean \"solver.integrator\"?"
                    .to_owned()
            )
        );
        let inputs: Vec<usize> = of_causality(&description, Causality::Parameter).collect();
        assert_eq!(inputs, [1]);
    }
}
