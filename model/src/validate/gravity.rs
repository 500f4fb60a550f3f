//! Control plane: checks the gravity of a model and converts it to SI.

use super::builder::Builder;
use crate::errors::At;
use crate::resolve::Scope;
use crate::schema::{Document, Expression, Number};
use crate::units::{Dimension, ToSi as _};
use fixstep_kernel::ids::ValueId;
use fixstep_kernel::mechanism::{Gravity, ScaledExpr, ValueRule};

/// Gravity: each component a number, or a function of time and inputs.
pub(super) fn gravity(b: &mut Builder<'_>, document: &Document) -> Option<Gravity> {
    let at = At::default().field("gravity");
    let zero = || [const { Expression::Constant(0.0) }; 3];
    let given = document.gravity.0.clone().flatten().unwrap_or_else(zero);
    let [x, y, z] = std::array::from_fn(|k| component(b, &given[k], &at.index(k)));
    let all = [x?, y?, z?];
    Some(Gravity {
        numbers: all.map(|c| c.0),
        functions: all.map(|c| c.1),
    })
}

/// The number, zero where there is a function; `None`: the function is broken.
fn component(
    b: &mut Builder<'_>,
    given: &Expression,
    at: &At,
) -> Option<(ValueId, Option<ScaledExpr>)> {
    let dimension = Dimension::Acceleration;
    let (number, function) = match given {
        Expression::Constant(value) => (Number::Constant(*value), None),
        Expression::Text(text) => {
            if let Some(parameters) = text.trim_start().strip_prefix('=') {
                (Number::Expression(parameters.to_owned()), None)
            } else {
                let to_si = b.units.to_si(dimension);
                let function = b.scaled(given, to_si, Scope::Driven, at)?;
                (Number::Constant(0.0), Some(function))
            }
        }
    };
    Some((
        b.number(&number, dimension, ValueRule::Finite, at),
        function,
    ))
}
