//! Control plane: checks the sampled systems and sensors of a model and converts them to those of the mechanism.

use super::builder::Builder;
use crate::errors::At;
use crate::read::Item;
use crate::resolve::Scope;
use crate::schema::{self, Document, Expression, Number};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::{BodyId, ExprId, SampledId, ValueId};
use fixstep_kernel::mechanism::{
    Body, Comparison, Leaf, LinearLimit, Memory, Message, Place, Rearm, SampledLaw, SampledNumber,
    SampledSystem, Sensor, SensorOrigin, ValueRule,
};

/// When a sensor may trigger.
const COMPARISONS: &[(&str, Comparison)] = &[
    ("ge", Comparison::AtLeast),
    ("le", Comparison::AtMost),
    ("eq", Comparison::Equal),
];

/// How many inputs, states and outputs a sampled system has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Inputs.
    pub(crate) inputs: usize,
    /// States.
    pub(crate) states: usize,
    /// Outputs.
    pub(crate) outputs: usize,
}

/// The sizes of all sampled systems, as far as they could be read, for the functions that read them.
pub(super) fn sizes(items: &[Item<schema::SampledSystem>]) -> Vec<Option<Sizes>> {
    let of = |item: &Item<schema::SampledSystem>| item.data.as_ref().map(size);
    items.iter().map(of).collect()
}

fn size(data: &schema::SampledSystem) -> Sizes {
    let rows = |matrix: &Option<Vec<Vec<Number>>>| matrix.as_ref().map_or(0, Vec::len);
    let listed = |list: &Option<Vec<Expression>>| list.as_ref().map_or(0, Vec::len);
    Sizes {
        inputs: listed(&data.inputs),
        states: listed(&data.next).max(rows(&data.a)),
        outputs: listed(&data.outputs).max(rows(&data.c)).max(rows(&data.d)),
    }
}

/// All elements with a memory.
pub(super) fn memory(b: &mut Builder<'_>, document: &Document) -> Option<Memory> {
    let sampled = b.each(&document.sampled_systems.0, sampled);
    let mut sensors = b.each(&document.sensors.0, sensor);
    sensors.extend(linearity(b));
    Some(Memory {
        sampled: super::complete(sampled)?,
        sensors: super::complete(sensors)?,
        // Those of outputs are added once these are read.
        delays: Vec::new(),
    })
}

fn sampled(b: &mut Builder<'_>, data: &schema::SampledSystem, at: &At) -> Option<SampledSystem> {
    let size = size(data);
    let own = SampledId::from(b.item);
    let place = |number| Place::Sampled(own, number);
    let time = b.units.to_si(Dimension::Time);
    let period = b.placed(
        &data.sample_period,
        Dimension::Time,
        place(SampledNumber::Period),
        &at.field("sample_period"),
    );
    if period <= 0.0 {
        let message = format!("must be more than zero; found {}", period / time);
        b.report.add(&at.field("sample_period"), message);
    }
    let offset = b.placed_if(
        data.offset.as_ref(),
        Dimension::Time,
        place(SampledNumber::Offset),
        &at.field("offset"),
    );
    let offset = offset.unwrap_or(0.0);
    if offset < 0.0 {
        let message = format!("must be zero or more; found {}", offset / time);
        b.report.add(&at.field("offset"), message);
    }
    let inputs = expressions(b, data.inputs.as_deref(), &at.field("inputs"));
    let initial = initial(b, data, size.states, at);
    let law = law(b, data, size, at);
    if size.outputs == 0 {
        let message = "there is no output; give the matrix \"c\" or \"d\", or the expressions \
                       \"outputs\"";
        b.report.add(at, message);
    }
    Some(SampledSystem {
        name: data.name.clone(),
        description: data.description.clone().unwrap_or_default(),
        period,
        offset,
        inputs: inputs?,
        initial: initial?,
        outputs: size.outputs,
        law: law?,
    })
}

fn initial(
    b: &mut Builder<'_>,
    data: &schema::SampledSystem,
    states: usize,
    at: &At,
) -> Option<Vec<ValueId>> {
    let at = at.field("initial");
    let zeros = || (0..states).map(|_| Number::Constant(0.0)).collect();
    let given = data.initial.clone().unwrap_or_else(zeros);
    if given.len() != states {
        let message = format!(
            "expected a number for each of the {states} states; found {}",
            given.len()
        );
        b.report.add(&at, message);
        return None;
    }
    Some(plain_numbers(b, &given, &at))
}

fn plain_numbers(b: &mut Builder<'_>, numbers: &[Number], at: &At) -> Vec<ValueId> {
    let each = numbers.iter().enumerate();
    each.map(|(k, number)| b.number(number, Dimension::One, ValueRule::Finite, &at.index(k)))
        .collect()
}

fn law(
    b: &mut Builder<'_>,
    data: &schema::SampledSystem,
    size: Sizes,
    at: &At,
) -> Option<SampledLaw> {
    let matrices = [&data.a, &data.b, &data.c, &data.d];
    if data.next.is_none() && data.outputs.is_none() {
        let (n, m, p) = (size.states, size.inputs, size.outputs);
        let shapes = [("a", n, n), ("b", n, m), ("c", p, n), ("d", p, m)];
        let mut read = shapes.into_iter().zip(matrices);
        let mut next = || {
            let ((field, rows, columns), given) = read.next()?;
            matrix(b, given.as_deref(), [rows, columns], &at.field(field))
        };
        let [a, b, c, d] = [next(), next(), next(), next()];
        return Some(SampledLaw::Linear {
            a: a?,
            b: b?,
            c: c?,
            d: d?,
        });
    }
    if matrices.iter().any(|matrix| matrix.is_some()) {
        let message = "give either the matrices \"a\", \"b\", \"c\", \"d\", or the expressions \
                       \"next\", \"outputs\"";
        b.report.add(at, message);
        return None;
    }
    let next = expressions(b, data.next.as_deref(), &at.field("next"));
    let outputs = expressions(b, data.outputs.as_deref(), &at.field("outputs"));
    Some(SampledLaw::Expressions {
        next: next?,
        outputs: outputs?,
    })
}

/// A matrix by rows; absent: zero.
pub(super) fn matrix(
    b: &mut Builder<'_>,
    given: Option<&[Vec<Number>]>,
    [rows, columns]: [usize; 2],
    at: &At,
) -> Option<Vec<ValueId>> {
    let Some(given) = given else {
        let zeros: Vec<Number> = (0..rows * columns).map(|_| Number::Constant(0.0)).collect();
        return Some(plain_numbers(b, &zeros, at));
    };
    let wrong = given.iter().find(|row| row.len() != columns);
    if given.len() != rows || wrong.is_some() {
        let found = match wrong {
            Some(row) if given.len() == rows => format!("a row of {}", row.len()),
            _ => format!("{} rows", given.len()),
        };
        let message = format!("expected {rows} rows of {columns} numbers each; found {found}");
        b.report.add(at, message);
        return None;
    }
    let mut numbers = Vec::with_capacity(rows * columns);
    for (k, row) in given.iter().enumerate() {
        numbers.extend(plain_numbers(b, row, &at.index(k)));
    }
    Some(numbers)
}

/// A list of expressions; absent: none.
fn expressions(b: &mut Builder<'_>, given: Option<&[Expression]>, at: &At) -> Option<Vec<ExprId>> {
    let each = given.unwrap_or_default().iter().enumerate();
    let all: Vec<Option<ExprId>> = each
        .map(|(k, text)| b.expression(&text.text(), Scope::All, &at.index(k)))
        .collect();
    super::complete(all)
}

/// Sensors that watch the deformation of flexible bodies.
fn linearity(b: &mut Builder<'_>) -> Vec<Option<Sensor>> {
    let watched = |(k, body): (usize, &Option<Body>)| {
        let body = body.as_ref()?;
        let limit = body.flexible.as_ref()?.limit?;
        Some((BodyId::from(k), body.name.clone(), limit))
    };
    let all = b.bodies.iter().enumerate();
    let watched: Vec<(BodyId, String, LinearLimit)> = all.filter_map(watched).collect();
    let sensor = |(body, name, limit): (BodyId, String, LinearLimit)| {
        let at = At::default()
            .field("flexible_bodies")
            .named("flexible body", Some(&name));
        let unit = b.units.to_si(Dimension::Length);
        let distance = limit.distance / unit;
        let number = |b: &mut Builder<'_>, value: f64| {
            let number = Number::Constant(value);
            b.number(&number, Dimension::One, ValueRule::NonNegative, &at)
        };
        let scale = 1.0 / unit;
        let expression = b.leaf_expression(Leaf::Deformation { body, scale })?;
        let words = format!(
            "nodes have moved by more than {} {} in its frame: what follows is beyond linear theory",
            (distance * 1e6).round() / 1e6,
            b.units.length.name
        );
        Some(Sensor {
            description: "1 once the body has deformed more than linear theory allows".to_owned(),
            expression,
            comparison: Comparison::AtLeast,
            value: number(b, distance),
            tolerance: number(b, 0.0),
            evaluate: None,
            rearm: None,
            message: Message::Fixed(words),
            stop: limit.stop,
            origin: SensorOrigin::Linearity,
            name,
        })
    };
    watched.into_iter().map(sensor).collect()
}

fn sensor(b: &mut Builder<'_>, data: &schema::Sensor, at: &At) -> Option<Sensor> {
    let word = (Some(data.comparison.as_str()), "comparison");
    let comparison = b.choice(word, COMPARISONS, at);
    let expression = b.expression(&data.expression.text(), Scope::All, &at.field("expression"));
    let evaluate = data.evaluate.as_ref();
    let evaluate =
        evaluate.map(|text| b.expression(&text.text(), Scope::All, &at.field("evaluate")));
    let mut number = |given: Option<&Number>, rule: ValueRule, field: &str| {
        b.optional(given, Dimension::One, rule, &at.field(field))
    };
    let value = number(data.value.as_ref(), ValueRule::Finite, "value");
    let tolerance = number(data.tolerance.as_ref(), ValueRule::NonNegative, "tolerance");
    let back = data.hysteresis.as_ref();
    let back = back.map(|h| number(Some(h), ValueRule::NonNegative, "hysteresis"));
    let words = data.message.as_deref().unwrap_or("");
    let message = b.message(words, &at.field("message"));
    if data.reset.is_some() && back.is_none() {
        let message = "only a sensor with a \"hysteresis\" is armed again and can be reset then";
        b.report.add(&at.field("reset"), message);
    }
    Some(Sensor {
        name: data.name.clone(),
        description: data.description.clone().unwrap_or_default(),
        expression: expression?,
        comparison: comparison?,
        value,
        tolerance,
        evaluate: match evaluate {
            Some(expr) => Some(expr?),
            None => None,
        },
        rearm: back.map(|hysteresis| Rearm {
            hysteresis,
            reset: data.reset.unwrap_or(false),
        }),
        message: message?,
        stop: data.stop.unwrap_or(false),
        origin: SensorOrigin::Mechanism,
    })
}
