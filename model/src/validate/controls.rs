//! Control plane: expands control elements into states and variables with their own expressions.
//!
//! Input i of element `e` is then `ARYVAL('e.u', i)`, state i `DIF('e', i)`, output i `ARYVAL('e', i)`.

mod pid;
mod transfer;

use super::builder::Builder;
use super::memory;
use crate::errors::At;
use crate::plan::{self, Control};
use crate::read::{Entity, Item};
use crate::schema::{self, Document, Number};
use crate::units::Dimension;
use fixstep_kernel::ids::ValueId;
use fixstep_kernel::mechanism::{Shown, StateStart, ValueRule};

/// The results of expanding control elements, in the order of the plan; `None`: broken.
#[derive(Debug, Default)]
pub(super) struct Derived {
    /// Their inputs and outputs.
    pub(super) variables: Vec<Option<DerivedVariable>>,
    /// Their states.
    pub(super) states: Vec<Option<DerivedState>>,
}

/// An input or output.
#[derive(Debug)]
pub(super) struct DerivedVariable {
    /// Name, for messages: `filter.u[1]`.
    pub(super) name: String,
    /// Expression.
    pub(super) text: String,
    /// Its place in the file.
    pub(super) at: At,
}

/// A state.
#[derive(Debug)]
pub(super) struct DerivedState {
    /// How messages call it.
    pub(super) label: String,
    /// The kind of element to which it belongs.
    pub(super) kind: &'static str,
    /// The element's name.
    pub(super) name: String,
    /// The field that gives its rate.
    pub(super) field: &'static str,
    /// The description, as free text.
    pub(super) description: String,
    /// Unit label.
    pub(super) unit: String,
    /// How the FMU shows it.
    pub(super) shown: Shown,
    /// Its rate: an expression.
    pub(super) text: String,
    /// The place of that in the file.
    pub(super) at: At,
    /// Initial value.
    pub(super) initial: ValueId,
    /// Where it begins.
    pub(super) start: StateStart,
    /// Numbers that must keep their rules.
    pub(super) checked: Vec<ValueId>,
}

/// Inputs, outputs and states of one element.
#[derive(Default)]
struct Parts {
    inputs: Vec<DerivedVariable>,
    outputs: Vec<DerivedVariable>,
    states: Vec<DerivedState>,
}

/// Expands all control elements of a file.
pub(super) fn derive(b: &mut Builder<'_>, document: &Document) -> Derived {
    let mut derived = Derived::default();
    let mut controls = b.names.plan.controls.iter();
    collect(
        b,
        &document.linear_state_equations.0,
        &mut derived,
        (&mut controls, linear),
    );
    collect(
        b,
        &document.transfer_functions.0,
        &mut derived,
        (&mut controls, transfer::parts),
    );
    collect(
        b,
        &document.general_state_equations.0,
        &mut derived,
        (&mut controls, general),
    );
    collect(
        b,
        &document.pid_controllers.0,
        &mut derived,
        (&mut controls, pid::parts),
    );
    derived
}

/// Adds the elements of a list; a broken one leaves as many gaps as it has places in the plan.
fn collect<'p, 'b, T: Entity>(
    b: &mut Builder<'b>,
    items: &[Item<T>],
    derived: &mut Derived,
    (controls, make): (
        &mut impl Iterator<Item = &'p Control>,
        impl Fn(&mut Builder<'b>, &T, &At) -> Option<Parts>,
    ),
) {
    for (item, control) in items.iter().zip(controls) {
        let data = item.data.as_ref().filter(|_| !b.report.is_full());
        let parts = data.and_then(|data| make(b, data, &item.at));
        let sizes = control.sizes;
        let (mut inputs, mut outputs, mut states) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(parts) = parts {
            inputs.extend(parts.inputs.into_iter().map(Some));
            outputs.extend(parts.outputs.into_iter().map(Some));
            states.extend(parts.states.into_iter().map(Some));
        }
        inputs.resize_with(sizes.inputs, || None);
        outputs.resize_with(sizes.outputs, || None);
        states.resize_with(sizes.states, || None);
        derived.variables.extend(inputs.into_iter().chain(outputs));
        derived.states.extend(states);
    }
}

/// The text of a number within an expression.
fn number(number: &Number) -> String {
    match number {
        Number::Constant(x) => format!("({x:?})"),
        Number::Expression(text) => format!("({text})"),
    }
}

/// Is it the constant zero?
fn is_zero(number: &Number) -> bool {
    matches!(number, Number::Constant(x) if *x == 0.0)
}

/// Σ factor · operand, without terms that are always zero.
fn sum(terms: impl Iterator<Item = (String, String)>) -> String {
    let terms: Vec<String> = terms.map(|(factor, x)| format!("{factor}*{x}")).collect();
    if terms.is_empty() {
        "0".to_owned()
    } else {
        terms.join(" + ")
    }
}

/// The terms of a row of a matrix with operands of a function: `DIF('e', 1)`, …
fn row<'r>(row: &'r [Number], operand: &'r str) -> impl Iterator<Item = (String, String)> + 'r {
    let terms = row.iter().enumerate().filter(|(_, x)| !is_zero(x));
    terms.map(move |(k, x)| (number(x), format!("{operand}, {})", k + 1)))
}

/// A number in its own unit, zero if absent.
fn own(b: &mut Builder<'_>, given: Option<&Number>, rule: ValueRule, at: &At) -> ValueId {
    b.optional(given, Dimension::One, rule, at)
}

/// A number of a state that has no other: zero.
fn zero(b: &mut Builder<'_>, at: &At) -> ValueId {
    own(b, None, ValueRule::Finite, at)
}

/// The parts of a linear state equation.
fn linear(b: &mut Builder<'_>, data: &schema::LinearStateEquation, at: &At) -> Option<Parts> {
    let (sizes, _) = plan::linear(data);
    let (n, m, p) = (sizes.states, sizes.inputs, sizes.outputs);
    let start = super::equations::start(b, (data.hold_states, data.steady), at);
    let shapes = [
        ("a", Some(&data.a), [n, n]),
        ("b", data.b.as_ref(), [n, m]),
        ("c", data.c.as_ref(), [p, n]),
        ("d", data.d.as_ref(), [p, m]),
    ];
    let mut sound = true;
    for (field, given, shape) in shapes {
        if let Some(given) = given {
            sound &= memory::matrix(b, Some(given), shape, &at.field(field)).is_some();
        }
    }
    let initial = initial(b, data.initial.as_deref(), n, at)?;
    if !sound {
        return None;
    }
    let name = &data.name;
    let (state, input) = (format!("DIF('{name}'"), format!("ARYVAL('{name}.u'"));
    let of = |matrix: Option<&Vec<Vec<Number>>>, k: usize| {
        matrix
            .and_then(|rows| rows.get(k))
            .cloned()
            .unwrap_or_default()
    };
    let mut parts = Parts::default();
    for (k, text) in data.inputs.iter().flatten().enumerate() {
        let at = at.field("inputs").index(k);
        parts.inputs.push(input_of(name, k, text.text(), at));
    }
    for (k, initial) in initial.into_iter().enumerate() {
        let (a, of_input) = (of(Some(&data.a), k), of(data.b.as_ref(), k));
        let text = sum(row(&a, &state).chain(row(&of_input, &input)));
        parts.states.push(DerivedState {
            initial,
            start: start?,
            ..state_of::<schema::LinearStateEquation>(
                (name, data.description.as_ref()),
                (k, "a"),
                text,
                at.field("a").index(k),
            )
        });
    }
    for k in 0..p {
        let (c, d) = (of(data.c.as_ref(), k), of(data.d.as_ref(), k));
        let text = if data.c.is_none() && data.d.is_none() {
            format!("{state}, {})", k + 1)
        } else {
            sum(row(&c, &state).chain(row(&d, &input)))
        };
        let field = if data.c.is_some() { "c" } else { "d" };
        parts
            .outputs
            .push(output_of(name, k, text, at.field(field)));
    }
    Some(parts)
}

/// The parts of a general state equation.
fn general(b: &mut Builder<'_>, data: &schema::GeneralStateEquation, at: &At) -> Option<Parts> {
    let start = super::equations::start(b, (data.hold_states, data.steady), at);
    let name = &data.name;
    let mut parts = Parts::default();
    for (k, state) in data.states.iter().enumerate() {
        let at = at.field("states").index(k);
        let initial = own(
            b,
            state.initial.as_ref(),
            ValueRule::Finite,
            &at.field("initial"),
        );
        parts.states.push(DerivedState {
            initial,
            start: start?,
            unit: state.unit.clone().unwrap_or_default(),
            ..state_of::<schema::GeneralStateEquation>(
                (name, data.description.as_ref()),
                (k, "states"),
                state.derivative.text(),
                at.field("derivative"),
            )
        });
    }
    for (k, text) in data.outputs.iter().flatten().enumerate() {
        let at = at.field("outputs").index(k);
        parts.outputs.push(output_of(name, k, text.text(), at));
    }
    Some(parts)
}

/// Initial values, one for each of `n` states.
fn initial(
    b: &mut Builder<'_>,
    given: Option<&[Number]>,
    n: usize,
    at: &At,
) -> Option<Vec<ValueId>> {
    let at = at.field("initial");
    let Some(given) = given else {
        return Some((0..n).map(|_| zero(b, &at)).collect());
    };
    if given.len() != n {
        let message = format!(
            "expected a number for each of the {n} states; found {}",
            given.len()
        );
        b.report.add(&at, message);
        return None;
    }
    let each = given.iter().enumerate();
    Some(
        each.map(|(k, x)| own(b, Some(x), ValueRule::Finite, &at.index(k)))
            .collect(),
    )
}

fn input_of(name: &str, k: usize, text: String, at: At) -> DerivedVariable {
    DerivedVariable {
        name: format!("{name}.u[{}]", k + 1),
        text,
        at,
    }
}

fn output_of(name: &str, k: usize, text: String, at: At) -> DerivedVariable {
    DerivedVariable {
        name: format!("{name}.y[{}]", k + 1),
        text,
        at,
    }
}

/// State `k`, counted from 0, of an element, from zero on.
fn state_of<T: Entity>(
    (name, description): (&str, Option<&String>),
    (k, field): (usize, &'static str),
    text: String,
    at: At,
) -> DerivedState {
    let number = k + 1;
    DerivedState {
        label: format!(
            "state {number} of {} {}",
            T::KIND,
            crate::errors::quote(name)
        ),
        kind: T::KIND,
        name: name.to_owned(),
        field,
        description: description.cloned().unwrap_or_default(),
        unit: String::new(),
        shown: Shown::State(number as u32),
        text,
        at,
        initial: ValueId(0),
        start: StateStart::Given,
        checked: Vec::new(),
    }
}
