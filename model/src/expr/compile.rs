//! Control plane: compiles text to a program; the caller resolves names.

use super::degrees;
use super::error::{ExprError, Fault};
use super::lex;
use super::library::{Function, Rule, function_named};
use super::lower::Builder;
use super::macros::{self, Macro};
use super::noise::Noise;
use super::parse::{self, Lookup, Node};
use super::suggest;
use crate::limits::EXPRESSION_REGISTERS;
use fixstep_kernel::expr::Program;
use fixstep_kernel::expr::ops::{Register, Unary};
use fixstep_kernel::ids::LeafId;
use fixstep_kernel::math::spline::{Curve, Ends, Method};
use std::sync::Arc;

/// Gives names their meaning.
pub trait Resolver {
    /// The leaf of a bare or quoted name: an input, a parameter, a variable, or `TIME` (always in capitals if it was
    /// bare).
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError>;

    /// The leaf of a function that reads the mechanism (DX, AZ, JOINT, VARVAL, …). `function` is one of
    /// [`Self::functions`].
    fn call(&mut self, function: &str, arguments: &[Argument]) -> Result<LeafId, ResolveError>;

    /// The curve through the points of a spline; the spline itself determines the ends of a cubic. By default there
    /// are no splines.
    fn curve(&mut self, _name: &str, _method: Method) -> Result<Arc<Curve>, ResolveError> {
        Err(ResolveError::Unknown)
    }

    /// The macros of the model. Without this there are none.
    fn macros(&self) -> Arc<[Macro]> {
        Arc::new([])
    }

    /// The leaves of an array, or the one that a fixed index names. By default there are no arrays.
    fn array(&mut self, _name: &str, _index: Option<f64>) -> Result<Vec<LeafId>, ResolveError> {
        Err(ResolveError::Unknown)
    }

    /// The leaf of a delayed value. By default there are no delays.
    fn delay(&mut self, _parts: DelayParts) -> Result<LeafId, ResolveError> {
        Err(ResolveError::Unknown)
    }

    /// Records what looks like degrees where radians are expected. The default does nothing.
    fn suspect(&mut self, _what: String) {}

    /// All functions that [`Self::call`] knows, in capitals.
    fn functions(&self) -> Vec<&str>;

    /// All names that [`Self::symbol`] knows, for suggestions.
    fn names(&self) -> Vec<&str>;
}

/// The arguments of DELAY, each a program of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct DelayParts {
    /// The delayed expression.
    pub value: Program,
    /// By how much.
    pub delay: Program,
    /// Its value before the start.
    pub history: Program,
    /// The longest delay; `None`: the delay itself.
    pub longest: Option<Program>,
}

/// An argument of a function that the resolver knows.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A name, bare or quoted.
    Name(String),
    /// A number, with its sign.
    Number(f64),
}

/// Why a name has no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolveError {
    /// Nothing has this name; the message is made here, with a suggestion.
    Unknown,
    /// Something else is wrong.
    Invalid {
        /// The fault, and what would be valid.
        message: String,
        /// The wrong argument, from 0; `None`: the name or the whole call.
        argument: Option<usize>,
    },
}

impl ResolveError {
    /// The name or the whole call is at fault.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Invalid {
            message: message.into(),
            argument: None,
        }
    }

    /// One argument, counted from 0, is at fault.
    pub fn at(argument: usize, message: impl Into<String>) -> Self {
        Self::Invalid {
            message: message.into(),
            argument: Some(argument),
        }
    }
}

/// Compiles the text of an expression.
pub fn compile(text: &str, resolver: &mut dyn Resolver) -> Result<Program, ExprError> {
    program(text, resolver).map_err(|fault| fault.in_text(text))
}

fn program(text: &str, resolver: &mut dyn Resolver) -> Result<Program, Fault> {
    let macros = resolver.macros();
    let (tokens, uses) = macros::expand(lex::tokens(text)?, &macros)?;
    let built = parse::tree(&tokens, &resolver.functions());
    let built = built.and_then(|nodes| {
        let program = build(&nodes, resolver)?;
        let doubts = degrees::doubts(&nodes).into_iter();
        doubts.for_each(|doubt| resolver.suspect(doubt));
        Ok(program)
    });
    built.map_err(|fault| macros::explain(fault, &uses))
}

/// The program of a tree.
fn build(nodes: &[Node], resolver: &mut dyn Resolver) -> Result<Program, Fault> {
    let mut builder = Builder::default();
    let mut registers: Vec<Register> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let register = match node {
            Node::Number(value) => builder.constant(*value),
            Node::Name(name, column) => builder.leaf(symbol(name, *column, resolver)?),
            Node::Negate(a) => builder.unary(Unary::Negate, registers[*a]),
            Node::Binary(op, a, b) => builder.binary(*op, registers[*a], registers[*b]),
            Node::Call(function, arguments, column) => {
                let text = function.rule.curve().and_then(|k| arguments.get(k));
                let text = text.map(|&k| &nodes[k]);
                let arguments: Vec<Register> = arguments.iter().map(|&k| registers[k]).collect();
                if function.rule == Rule::Delay {
                    registers.push(delay(&arguments, *column, &mut builder, resolver)?);
                    continue;
                }
                if let (Rule::Array, Some(Node::Text(name, place))) = (function.rule, text) {
                    let index = arguments.get(1).and_then(|i| builder.value(*i));
                    let found = resolver.array(name, index);
                    let leaves = named(found, (name, *place), "array")?;
                    registers.push(builder.element(&leaves, &arguments));
                    continue;
                }
                if let Some(Node::Text(name, place)) = text {
                    let name = (name.as_str(), *place);
                    let register = curve(function, name, &arguments, &mut builder, resolver)?;
                    builder.note((function.name, arguments, register));
                    registers.push(register);
                    continue;
                }
                let result = builder.function(function.rule, &arguments).ok_or_else(|| {
                    Fault::new(
                        *column,
                        format!("{} cannot take these arguments", function.name),
                    )
                })?;
                builder.note((function.name, arguments, result));
                result
            }
            Node::Lookup(lookup) => builder.leaf(call(lookup, resolver)?),
            // The enclosing call reads it.
            Node::Text(..) => builder.constant(0.0),
        };
        registers.push(register);
    }
    let result = registers.last().copied().unwrap_or_default();
    builder.finish(result).ok_or_else(|| {
        let message = format!(
            "the expression has more than {EXPRESSION_REGISTERS} intermediate results; \
             split it into variables"
        );
        Fault::new(1, message)
    })
}

/// A value of the past.
fn delay(
    arguments: &[Register],
    column: usize,
    builder: &mut Builder,
    resolver: &mut dyn Resolver,
) -> Result<Register, Fault> {
    let fault = |message: &str| Fault::new(column, message);
    let mut programs = arguments
        .iter()
        .filter_map(|register| builder.clone().finish(*register));
    let (Some(value), Some(delay), Some(history)) =
        (programs.next(), programs.next(), programs.next())
    else {
        return Err(fault(
            "an argument of DELAY is too long; split it into variables",
        ));
    };
    let parts = DelayParts {
        value,
        delay,
        history,
        longest: programs.next(),
    };
    let leaf = resolver.delay(parts).map_err(|error| match error {
        ResolveError::Unknown => fault("DELAY cannot be used here"),
        ResolveError::Invalid { message, .. } => fault(&message),
    })?;
    Ok(builder.leaf(leaf))
}

/// A function that reads a curve.
fn curve(
    function: &Function,
    (name, column): (&str, usize),
    arguments: &[Register],
    builder: &mut Builder,
    resolver: &mut dyn Resolver,
) -> Result<Register, Fault> {
    let fixed = |k: usize, valid: &[f64], what: &str| {
        let Some(&register) = arguments.get(k) else {
            return Ok(0.0);
        };
        let value = builder.value(register);
        value.filter(|v| valid.contains(v)).ok_or_else(|| {
            let message = format!("{what}: {}", function.signature);
            Fault::new(column, message)
        })
    };
    if function.rule == Rule::Noise {
        let fault = |what: String| Fault::new(column, format!("{what}: {}", function.signature));
        let number = |k: usize| {
            let value = arguments
                .get(k)
                .and_then(|register| builder.value(*register));
            value.ok_or_else(|| fault(String::from("all but x and the spline are fixed numbers")))
        };
        let numbers = [number(2)?, number(3)?, number(4)?, number(5)?, number(6)?];
        let noise = Noise::new(numbers).map_err(fault)?;
        let density = named(
            resolver.curve(name, Method::Linear),
            (name, column),
            "spline",
        )?;
        let x = arguments.first().copied().unwrap_or_default();
        return noise.lower(builder, &density, x).map_err(fault);
    }
    let (method, order) = match function.rule {
        Rule::Curve(method) => {
            let orders = [0.0, 1.0, 2.0];
            (method, fixed(3, &orders, "the order must be 0, 1 or 2")?)
        }
        _ => match fixed(
            1,
            &[1.0, 3.0],
            "the method must be 1 (straight) or 3 (cubic)",
        )? {
            1.0 => (Method::Linear, 0.0),
            _ => (Method::Cubic(Ends::Natural), 0.0),
        },
    };
    let found = named(resolver.curve(name, method), (name, column), "spline")?;
    let zero = builder.constant(0.0);
    let z = match function.rule {
        Rule::Curve(_) => arguments.get(1).copied().unwrap_or(zero),
        _ => zero,
    };
    let x = arguments.first().copied().unwrap_or(zero);
    builder.curve(found, order as u8, [x, z]).ok_or_else(|| {
        Fault::new(
            column,
            "the expression reads too many splines; split it into variables",
        )
    })
}

/// The meaning of a name, or the fault at its column.
fn named<T>(
    found: Result<T, ResolveError>,
    (name, column): (&str, usize),
    what: &str,
) -> Result<T, Fault> {
    found.map_err(|error| match error {
        ResolveError::Unknown => Fault::new(column, format!("there is no {what} \"{name}\"")),
        ResolveError::Invalid { message, .. } => Fault::new(column, message),
    })
}

/// The leaf of a name.
fn symbol(name: &str, column: usize, resolver: &mut dyn Resolver) -> Result<LeafId, Fault> {
    resolver.symbol(name).map_err(|error| match error {
        ResolveError::Unknown if is_function(name, resolver) => {
            let message = format!(
                "{} is a function and needs its arguments in parentheses; there is no input, \
                 parameter or variable of that name",
                name.to_ascii_uppercase()
            );
            Fault::new(column, message)
        }
        ResolveError::Unknown => {
            let hint = match name {
                "t" | "T" => "; the time is TIME".to_owned(),
                _ => suggest::hint(name, resolver.names()),
            };
            Fault::new(
                column,
                format!("there is no input, parameter or variable \"{name}\"{hint}"),
            )
        }
        ResolveError::Invalid { message, .. } => Fault::new(column, message),
    })
}

/// Does a function bear this name?
fn is_function(name: &str, resolver: &dyn Resolver) -> bool {
    let lookups = resolver.functions();
    function_named(name).is_some() || lookups.iter().any(|f| f.eq_ignore_ascii_case(name))
}

/// The leaf of a call.
fn call(lookup: &Lookup, resolver: &mut dyn Resolver) -> Result<LeafId, Fault> {
    let Lookup {
        function,
        column,
        arguments,
        columns,
    } = lookup;
    resolver
        .call(function, arguments)
        .map_err(|error| match error {
            ResolveError::Unknown => Fault::new(
                *column,
                format!("the function {function} cannot be used here"),
            ),
            ResolveError::Invalid { message, argument } => {
                let place = argument.and_then(|k| columns.get(k)).unwrap_or(column);
                Fault::new(*place, message)
            }
        })
}
