//! Control plane: unknowns with their own equations: differential equations, explicit or implicit, and implicit
//! variables.

use super::builder::Builder;
use super::controls::DerivedState;
use super::{friction, quantities};
use crate::errors::{At, quote};
use crate::read::Item;
use crate::resolve::Scope;
use crate::schema::{self, Document, Number};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::EquationId;
use fixstep_kernel::mechanism::{Equation, Law, ScaledExpr, Shown, StateStart, ValueRule};

/// All unknowns, by their numbers in the plan.
pub(super) fn equations(
    b: &mut Builder<'_>,
    document: &Document,
    derived: Vec<Option<DerivedState>>,
) -> Vec<Option<Equation>> {
    let items = &document.differential_equations.0;
    let per_second = 1.0 / b.units.to_si(Dimension::Time);
    let mut all = Vec::new();
    for (k, item) in items.iter().enumerate() {
        let unknown = b.names.plan.rates[k];
        all.push(one(b, item, |b, data, at| {
            state(b, data, (unknown, per_second), at)
        }));
    }
    for (k, item) in items.iter().enumerate() {
        if b.names.plan.rates[k].is_some() {
            all.push(one(b, item, rate));
        }
    }
    for (k, item) in document.variables.0.iter().enumerate() {
        if b.names.plan.implicit[k].is_some() {
            all.push(one(b, item, implicit));
        }
    }
    let states = derived.into_iter();
    all.extend(states.map(|state| control(b, state?, per_second)));
    all.extend(friction::bristles(b, document));
    all
}

/// The state of a control element.
fn control(b: &mut Builder<'_>, state: DerivedState, to_si: f64) -> Option<Equation> {
    let expr = b.expression(&state.text, Scope::All, &state.at)?;
    Some(Equation {
        quantity: quantities::control(&state),
        label: state.label,
        kind: state.kind.into(),
        field: state.field.into(),
        shown: state.shown,
        law: Law::Rate {
            derivative: ScaledExpr { expr, to_si },
            unknown: None,
        },
        initial: state.initial,
        start: state.start,
        checked: state.checked,
    })
}

/// An unknown of an item that could be read.
fn one<T>(
    b: &mut Builder<'_>,
    item: &Item<T>,
    make: impl FnOnce(&mut Builder<'_>, &T, &At) -> Option<Equation>,
) -> Option<Equation> {
    let data = item.data.as_ref().filter(|_| !b.report.is_full())?;
    make(b, data, &item.at)
}

/// The state of a differential equation.
fn state(
    b: &mut Builder<'_>,
    data: &schema::DifferentialEquation,
    (unknown, per_second): (Option<EquationId>, f64),
    at: &At,
) -> Option<Equation> {
    let initial = number(b, data.initial.as_ref(), &at.field("initial"));
    let start = start(b, (data.hold_states, data.steady), at);
    let expr = match (&data.derivative, unknown) {
        (Some(derivative), None) => {
            if data.initial_rate.is_some() {
                let message = "a rate that \"derivative\" gives needs no initial value";
                b.report.add(&at.field("initial_rate"), message);
            }
            b.expression(&derivative.text(), Scope::All, &at.field("derivative"))?
        }
        (None, Some(_)) => {
            // The unknown rate by its name.
            let text = format!("DIF1('{}')", data.name);
            b.expression(&text, Scope::All, at)?
        }
        _ => {
            let message = "give either \"derivative\", the rate, or \"residual\", an expression that \
                           is zero for the right rate";
            b.report.add(at, message);
            return None;
        }
    };
    Some(Equation {
        label: format!("differential equation {}", quote(&data.name)),
        kind: "differential equation".into(),
        field: if unknown.is_some() {
            "residual"
        } else {
            "derivative"
        }
        .into(),
        quantity: quantities::equation(data),
        shown: Shown::Value,
        law: Law::Rate {
            derivative: ScaledExpr {
                expr,
                to_si: per_second,
            },
            unknown,
        },
        initial,
        start: start?,
        checked: Vec::new(),
    })
}

/// The rate of an implicit differential equation.
fn rate(b: &mut Builder<'_>, data: &schema::DifferentialEquation, at: &At) -> Option<Equation> {
    let initial = number(b, data.initial_rate.as_ref(), &at.field("initial_rate"));
    let text = data.residual.as_ref()?.text();
    let expr = b.expression(&text, Scope::All, &at.field("residual"))?;
    Some(Equation {
        label: format!("the rate of differential equation {}", quote(&data.name)),
        kind: "differential equation".into(),
        field: "residual".into(),
        quantity: quantities::equation(data),
        shown: Shown::Hidden,
        law: Law::Residual(ScaledExpr { expr, to_si: 1.0 }),
        initial,
        start: StateStart::Given,
        checked: Vec::new(),
    })
}

/// An implicit variable.
fn implicit(b: &mut Builder<'_>, data: &schema::VariableQuantity, at: &At) -> Option<Equation> {
    let initial = number(b, data.initial.as_ref(), &at.field("initial"));
    let text = data.residual.as_ref()?.text();
    let expr = b.expression(&text, Scope::All, &at.field("residual"))?;
    Some(Equation {
        label: format!("implicit variable {}", quote(&data.name)),
        kind: "variable".into(),
        field: "residual".into(),
        quantity: quantities::variable(data),
        shown: Shown::Value,
        law: Law::Residual(ScaledExpr { expr, to_si: 1.0 }),
        initial,
        start: StateStart::Given,
        checked: Vec::new(),
    })
}

/// A number in its own unit; absent: zero.
fn number(b: &mut Builder<'_>, given: Option<&Number>, at: &At) -> fixstep_kernel::ids::ValueId {
    b.optional(given, Dimension::One, ValueRule::Finite, at)
}

/// Where states begin.
pub(super) fn start(
    b: &mut Builder<'_>,
    (hold, steady): (Option<bool>, Option<bool>),
    at: &At,
) -> Option<StateStart> {
    match (hold.unwrap_or(false), steady.unwrap_or(false)) {
        (false, false) => Some(StateStart::Given),
        (true, false) => Some(StateStart::Held),
        (false, true) => Some(StateStart::Steady),
        (true, true) => {
            let message = "states that begin where their rates are zero cannot keep initial values: \
                           give either \"steady\" or \"hold_states\"";
            b.report.add(at, message);
            None
        }
    }
}
