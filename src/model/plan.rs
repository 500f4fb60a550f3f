//! Control plane: how many unknowns the elements of a file have, and their numbers: known before any
//! expression is compiled, so that expressions may read them in any order.

use super::errors::{Report, quote};
use super::read::Item;
use super::schema::{Document, ForceElement};
use crate::ids::EquationId;
use std::collections::BTreeMap;

/// The numbers of unknowns: the states of differential equations in the order of the file, then the
/// rates of those that are implicit, then implicit variables; the states of force elements follow.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// For each differential equation: the unknown that is its rate, if it is implicit.
    pub(super) rates: Vec<Option<EquationId>>,
    /// For each variable: its unknown, if it is implicit.
    pub(super) implicit: Vec<Option<EquationId>>,
    /// How many these are.
    pub(super) count: usize,
}

impl Plan {
    /// Counts the unknowns of a file.
    pub(super) fn new(document: &Document) -> Self {
        let mut next = document.differential_equations.0.len();
        let mut take = |wanted: bool| {
            wanted.then(|| {
                next += 1;
                EquationId::from(next - 1)
            })
        };
        let equations = document.differential_equations.0.iter();
        let rates = equations.map(|item| {
            let data = item.data.as_ref();
            take(data.is_some_and(|data| data.residual.is_some()))
        });
        let rates = rates.collect();
        let variables = document.variables.0.iter();
        let implicit = variables.map(|item| {
            let data = item.data.as_ref();
            take(data.is_some_and(|data| data.residual.is_some()))
        });
        let implicit = implicit.collect();
        Self {
            rates,
            implicit,
            count: next,
        }
    }
}

/// All unknowns stand side by side in the FMU, as `equations.NAME.…`: their elements share one space of
/// names.
pub(super) fn check_names(document: &Document, report: &mut Report) {
    let mut taken = BTreeMap::new();
    let mut check = |kind: &'static str, name: Option<&String>, item: &crate::model::errors::At| {
        let Some(name) = name else { return };
        match taken.insert(name.clone(), kind) {
            Some(other) if other != kind => {
                let message = format!("the name {} is taken by a {other}", quote(name));
                report.add(&item.field("name"), message);
            }
            _ => {}
        }
    };
    each(&document.differential_equations.0, |item| {
        check("differential equation", item.name.as_ref(), &item.at);
    });
    each(&document.variables.0, |item| {
        let data = item.data.as_ref();
        if data.is_some_and(|data| data.residual.is_some()) {
            check("implicit variable", item.name.as_ref(), &item.at);
        }
    });
    each(&document.forces.0, |item| {
        if let Some(ForceElement::Tyre(_)) = item.data {
            check("tyre", item.name.as_ref(), &item.at);
        }
    });
}

fn each<T>(items: &[Item<T>], mut of: impl FnMut(&Item<T>)) {
    items.iter().for_each(&mut of);
}
