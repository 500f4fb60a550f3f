//! Control plane: differential equations of first order.

use super::builder::Builder;
use super::quantities;
use crate::model::quantities::{DifferentialEquation, ScaledExpr, ValueRule};
use crate::model::resolve::Scope;
use crate::model::schema::Document;
use crate::model::units::Dimension;

/// All differential equations.
pub(super) fn equations(
    b: &mut Builder<'_>,
    document: &Document,
) -> Vec<Option<DifferentialEquation>> {
    let per_second = 1.0 / b.units.to_si(Dimension::Time);
    b.each(&document.differential_equations.0, |b, data, at| {
        let initial = b.optional(
            data.initial.as_ref(),
            Dimension::One,
            ValueRule::Finite,
            &at.field("initial"),
        );
        let text = data.derivative.text();
        let expr = b.expression(&text, Scope::All, &at.field("derivative"))?;
        Some(DifferentialEquation {
            quantity: quantities::equation(data),
            derivative: ScaledExpr {
                expr,
                to_si: per_second,
            },
            initial,
        })
    })
}
