//! Control plane: `${…}` in texts: constants and parameters of templates, and arithmetic of them.
//!
//! What stands in the brackets is an expression of the model's own language. Its value is a number in the units of the
//! file, the decimal one that is meant: `${0.1*3}` is 0.3.

use super::Context;
use super::fields::is_expression;
use super::insertion::{Place, in_an_expression, is_operand, printed};
use crate::errors::{At, quote};
use crate::expr::suggest::hint;
use crate::expr::{self, Argument, Measure, MeasureClash, ResolveError, Resolver, Rules};
use crate::limits::{EXPANDED_BYTES, MODEL_VALUES};
use crate::measure::{self, Dimensions, Scale};
use crate::shape;
use crate::text::{Kind, Node, Powers};
use fixstep_kernel::ids::LeafId;
use fixstep_kernel::mechanism::UnitSystem;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The names that `${…}` can read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    values: BTreeMap<String, Rc<Value>>,
}

/// A value of such a name.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// As it is written; it replaces a text that is nothing but its name.
    pub(crate) node: Node,
    /// In the units of the file; `None`: it is no number.
    pub(crate) number: Option<f64>,
    /// What the number measures.
    pub(crate) measure: Measure,
}

impl Scope {
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), Rc::new(value));
    }

    /// Takes a name over from another scope.
    pub(crate) fn take_over(&mut self, name: &str, other: &Self) {
        if let Some(value) = other.values.get(name) {
            self.values.insert(name.to_owned(), Rc::clone(value));
        }
    }

    /// Adds the names of another scope, which replace its own but for what an instance says of itself.
    pub(crate) fn add(&mut self, other: &Self) {
        for (name, value) in &other.values {
            if !["side", "index", "count"].contains(&name.as_str()) {
                self.values.insert(name.clone(), Rc::clone(value));
            }
        }
    }

    /// Sets a number without unit.
    pub(crate) fn set_number(&mut self, name: &str, number: f64, like: &Node) {
        let node = Node::number(number, like.mark);
        let value = Value {
            node,
            number: Some(number),
            measure: Measure::Number,
        };
        self.set(name, value);
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).map(Rc::as_ref)
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number
    }
}

/// What a number measures, in the units of the file.
pub(super) fn measure_of(dimensions: Option<Dimensions>, sure: bool) -> Measure {
    match dimensions {
        Some(dimensions) if dimensions.powers(sure).is_some() => Measure::Quantity {
            exponents: dimensions.guessed().exponents(),
            sure,
        },
        _ => Measure::Open,
    }
}

/// Replaces all `${…}` in the texts of a tree of values.
pub(crate) fn substitute(node: &mut Node, scope: &Scope, at: &At, context: &mut Context<'_>) {
    fields(node, at, &mut |node, at| {
        one(node, scope, (Place::Value, at), context);
    });
}

/// The same where all expressions are done: in names and the like.
pub(super) fn substitute_texts(node: &mut Node, scope: &Scope, at: &At, context: &mut Context<'_>) {
    fields(node, at, &mut |node, at| {
        one(node, scope, (Place::Text, at), context);
    });
}

/// Calls a function for all values of a tree, with the place of the field that they are in.
fn fields(node: &mut Node, at: &At, call: &mut dyn FnMut(&mut Node, &At)) {
    if let Kind::Object(all) = &mut node.value {
        for field in all {
            let at = at.field(&field.key);
            field.node.each(&mut |node| call(node, &at));
        }
    } else {
        node.each(&mut |node| call(node, at));
    }
}

/// The same in the expressions of an entity, where what is inserted is one operand.
pub(super) fn substitute_expressions(
    (list, node): (&str, &mut Node),
    scope: &Scope,
    at: &At,
    context: &mut Context<'_>,
) {
    shape::visit_entity(list, node, &mut |node, spot| {
        let is = spot.takes.expression || spot.takes.amount || is_expression(list, spot.key);
        if is {
            one(
                node,
                scope,
                (Place::Expression, &at.field(spot.path)),
                context,
            );
        }
    });
}

/// Replaces all `${…}` in a text.
fn one(node: &mut Node, scope: &Scope, (place, at): (Place, &At), context: &mut Context<'_>) {
    let Some(text) = node.as_str().filter(|text| text.contains("${")) else {
        return;
    };
    let value = replaced(text, scope, place, context).and_then(|value| {
        context.inserted(&value)?;
        Ok(value)
    });
    match value {
        Ok(value) => {
            let mark = node.mark;
            *node = value;
            node.each(&mut |inner| inner.mark = mark);
        }
        Err(message) => {
            context.report.add(&at.clone().marked(node.mark), message);
            // So that nothing else follows from it.
            node.value = Kind::Null;
        }
    }
}

impl Context<'_> {
    /// Counts what `${…}` inserts.
    fn inserted(&mut self, value: &Node) -> Result<(), String> {
        let (mut values, mut bytes) = (0, 0);
        value.each_of(&mut |node| {
            values += 1;
            bytes += node.as_str().map_or(0, str::len);
        });
        self.values += values;
        self.bytes += bytes;
        if self.values > MODEL_VALUES {
            return Err(format!(
                "texts with ${{…}} make more than {MODEL_VALUES} values"
            ));
        }
        if self.bytes > EXPANDED_BYTES {
            return Err(format!(
                "texts with ${{…}} make more than {} MiB of text",
                EXPANDED_BYTES >> 20
            ));
        }
        Ok(())
    }
}

/// The value that a text stands for.
fn replaced(
    text: &str,
    scope: &Scope,
    place: Place,
    context: &Context<'_>,
) -> Result<Node, String> {
    let mark = crate::text::Mark::new(0, 0);
    let whole = text
        .strip_prefix("${")
        .and_then(|rest| rest.strip_suffix('}'));
    if let Some(inner) = whole.filter(|inner| !inner.contains('}')) {
        if let Some(value) = scope.get(inner.trim()) {
            return Ok(value.node.clone());
        }
        let (value, measure) = evaluate(inner, scope, context)?;
        let mut node = Node::number(value, mark);
        node.of = match measure {
            Measure::Quantity { exponents, sure } => {
                let powers = Scale::of_exponents(exponents).dimensions.powers(sure);
                powers.filter(|powers| powers.exponents != [0; 4])
            }
            Measure::Radians { sure } => Some(Powers {
                exponents: [0, 0, 0, 1],
                sure,
                radians: true,
            }),
            _ => None,
        };
        return Ok(node);
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let Some(end) = inner.find('}') else {
            return Err(format!("{}: a \"${{\" without its \"}}\"", quote(text)));
        };
        let words = &inner[..end];
        rest = &inner[end + 1..];
        match scope.get(words.trim()).map(|value| &value.node.value) {
            Some(Kind::Text(word)) if measure::read(word) == measure::Reading::Other => {
                if place == Place::Expression && !is_operand(word) {
                    out.extend(["(", word.as_str(), ")"]);
                } else {
                    out.push_str(word);
                }
            }
            _ => {
                let (value, measure) = evaluate(words, scope, context)?;
                let (value, suffix) = if place.in_radians(text) {
                    in_an_expression(value, measure, &context.units)
                } else {
                    (value, "")
                };
                out.push_str(&printed((value, suffix), &out, rest).map_err(|why| {
                    format!("{}: {} is {value}, {why}", quote(text), quote(words))
                })?);
            }
        }
        if out.len() > EXPANDED_BYTES {
            return Err(format!(
                "texts with ${{…}} make more than {} MiB of text",
                EXPANDED_BYTES >> 20
            ));
        }
    }
    out.push_str(rest);
    Ok(Node::text(out, mark))
}

/// The value of an expression, and what it measures.
fn evaluate(text: &str, scope: &Scope, context: &Context<'_>) -> Result<(f64, Measure), String> {
    let shown = || quote(&format!("${{{text}}}"));
    let mut reader = Reader {
        scope,
        context,
        leaves: Vec::new(),
        doubts: Vec::new(),
    };
    let program = expr::compile(text, &mut reader).map_err(|error| {
        let (column, message) = (error.column, &error.message);
        format!("column {column} of {}: {message}", quote(text))
    })?;
    if let Some(doubt) = reader.doubts.first() {
        return Err(format!("{}: {doubt}; degrees are written 30D", shown()));
    }
    let units = &context.units;
    if units.angle.factor != 1.0
        && let Some(name) = angle_in_radians(text, scope)
    {
        return Err(format!(
            "{}: {} counts in {}, the unit of the file, and SIN, COS and TAN are of radians: write {name}*DTOR",
            shown(),
            quote(&name),
            units.angle.name
        ));
    }
    let of = |name: &str| scope.get(name).map_or(Measure::Open, |value| value.measure);
    let measure = match expr::measured(text, &of, rules(units)) {
        None => Measure::Open,
        Some(Ok(measure)) => measure,
        Some(Err(clash)) => return Err(format!("{}: {}", shown(), refused(clash))),
    };
    let value = program.value(&reader.leaves, &mut vec![0.0; program.registers()]);
    if !value.is_finite() {
        return Err(format!("{} has no finite value", shown()));
    }
    Ok(in_units_of_the_file(
        measure::digits(value, value),
        measure,
        units,
    ))
}

/// What the units of a file say of sums.
fn rules(units: &UnitSystem) -> Rules {
    let newton = units.mass.factor * units.length.factor / (units.time.factor * units.time.factor);
    Rules {
        radians: units.angle.factor == 1.0,
        coherent: (units.force.factor / newton - 1.0).abs() < 1e-12,
    }
}

/// A quantity as the file counts it: mass times acceleration in its unit of force.
fn in_units_of_the_file(value: f64, measure: Measure, units: &UnitSystem) -> (f64, Measure) {
    let Measure::Quantity {
        exponents,
        sure: true,
    } = measure
    else {
        return (value, measure);
    };
    let own = Scale::of_exponents(exponents);
    let usual = own.dimensions.guessed();
    if own == usual || rules(units).coherent {
        return (value, measure);
    }
    let value = value * own.to_si(units, false) / usual.to_si(units, false);
    let measure = Measure::Quantity {
        exponents: usual.exponents(),
        sure: true,
    };
    (measure::digits(value, value), measure)
}

/// Why a value makes no sense.
fn refused(clash: MeasureClash) -> String {
    let words = |exponents| {
        let dimensions = Scale::of_exponents(exponents).dimensions;
        dimensions.guessed().words()
    };
    match clash {
        MeasureClash::Terms(a, b) => format!(
            "{} and {} cannot be added or compared: they measure different things",
            one_of(&words(a)),
            one_of(&words(b))
        ),
        MeasureClash::Sizes(a, b) => format!(
            "{} and {} count in units of different sizes, as force and mass·length/time² do in this file: give one of them as a constant \
             of its own",
            one_of(&Scale::of_exponents(a).words()),
            one_of(&Scale::of_exponents(b).words())
        ),
        MeasureClash::Radians => "an angle in the file's unit and a number in radians cannot be added or compared; with *RTOD the latter \
             is in degrees"
            .to_owned(),
        MeasureClash::Argument("SQRT", a) => {
            format!("the root of a value {} measures nothing", words(a))
        }
        MeasureClash::Argument(function, a) => format!(
            "{} is of numbers without unit, and not {}",
            function,
            words(a)
        ),
    }
}

/// `of length` as a thing.
fn one_of(words: &str) -> String {
    match words.strip_prefix("of ") {
        Some(dimension) => format!("a value of {dimension}"),
        None => words.to_owned(),
    }
}

/// An angle that a function of radians takes as it is.
fn angle_in_radians(text: &str, scope: &Scope) -> Option<String> {
    let mut found = None;
    let mut function = false;
    let converts = text.to_ascii_uppercase().contains("DTOR") || text.contains("PI");
    let _ = super::names::replaced(text, &mut |name, is_call| {
        if is_call {
            let word = name.to_ascii_uppercase();
            function = ["SIN", "COS", "TAN"].contains(&word.as_str());
        } else if function && !converts && scope.get(name).is_some_and(Value::is_angle) {
            found = Some(name.to_owned());
        }
        None
    });
    found
}

impl Value {
    /// Is it an angle, by its unit?
    fn is_angle(&self) -> bool {
        let Measure::Quantity { exponents, .. } = self.measure else {
            return false;
        };
        Scale::of_exponents(exponents).dimensions.is_angle()
    }
}

/// Gives the names in `${…}` their values.
struct Reader<'a> {
    scope: &'a Scope,
    context: &'a Context<'a>,
    leaves: Vec<f64>,
    /// What looks like degrees where radians are expected.
    doubts: Vec<String>,
}

impl Resolver for Reader<'_> {
    fn symbol(&mut self, name: &str) -> Result<LeafId, ResolveError> {
        let Some(value) = self.scope.get(name) else {
            if self.context.outer.get(name) == Some(&"parameters") {
                return Err(ResolveError::new(format!(
                    "{} is a parameter of the FMU, which may change when the model has its structure; what a template is made \
                     with is one of the \"constants\" or a parameter of the template",
                    quote(name)
                )));
            }
            if name == "TIME" {
                return Err(ResolveError::new(
                    "there is no time yet when a model is expanded",
                ));
            }
            let known = || self.scope.values.keys().map(String::as_str);
            return Err(ResolveError::new(format!(
                "{} is no constant and no parameter of the template{}",
                quote(name),
                hint(name, known())
            )));
        };
        let Some(number) = value.number else {
            return Err(ResolveError::new(format!("{} is no number", quote(name))));
        };
        self.leaves.push(number);
        Ok(LeafId::from(self.leaves.len() - 1))
    }

    fn call(&mut self, _: &str, _: &[Argument]) -> Result<LeafId, ResolveError> {
        Err(ResolveError::Unknown)
    }

    fn suspect(&mut self, what: String) {
        self.doubts.push(what);
    }

    fn functions(&self) -> Vec<&str> {
        Vec::new()
    }

    fn names(&self) -> Vec<&str> {
        self.scope.values.keys().map(String::as_str).collect()
    }
}
