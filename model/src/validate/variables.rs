//! Control plane: outputs, and named expressions, sorted so that each reads only earlier ones.

use super::builder::Builder;
use super::controls::{self, DerivedState, DerivedVariable};
use super::quantities;
use crate::errors::{At, quote};
use crate::resolve::Scope;
use crate::schema::{self, Document};
use fixstep_kernel::ids::{ExprId, VariableId};
use fixstep_kernel::mechanism::{Leaf, NamedExpr};

/// All variables in the order of evaluation (`None`: some are broken), and the states of control elements, whose
/// inputs and outputs are variables as well.
pub(super) fn variables(
    b: &mut Builder<'_>,
    document: &Document,
) -> (Option<Vec<NamedExpr>>, Vec<Option<DerivedState>>) {
    let derived = controls::derive(b, document);
    (
        sorted_variables(b, document, &derived.variables),
        derived.states,
    )
}

fn sorted_variables(
    b: &mut Builder<'_>,
    document: &Document,
    derived: &[Option<DerivedVariable>],
) -> Option<Vec<NamedExpr>> {
    let items = &document.variables.0;
    let count = items.len() + derived.len();
    b.moving = vec![false; count];
    b.rated = vec![false; count];
    let implicit = |k: usize| b.names.plan.implicit.get(k).is_some_and(Option::is_some);
    let implicit: Vec<bool> = (0..count).map(implicit).collect();
    let mut exprs = b.each(items, explicit);
    for variable in derived {
        let variable = variable.as_ref();
        exprs.push(variable.and_then(|v| b.expression(&v.text, Scope::All, &v.at)));
    }
    let quantity = |k: usize| match k.checked_sub(items.len()) {
        None => items[k].data.as_ref().map(quantities::variable),
        Some(k) => derived[k].as_ref().map(|v| quantities::derived(&v.name)),
    };
    let reads: Vec<Vec<usize>> = exprs.iter().map(|expr| variables_read(b, *expr)).collect();
    let order = sorted(&reads);
    for &k in &order {
        b.moving[k] = reads[k].iter().any(|&r| b.moving[r])
            || exprs[k].is_some_and(|expr| b.leaves_of(expr).any(is_measure));
        b.rated[k] = reads[k].iter().any(|&r| b.rated[r])
            || exprs[k].is_some_and(|expr| b.leaves_of(expr).any(|l| !l.is_holonomic()));
    }
    if order.len() < count {
        let places: Vec<(String, At)> = (0..count)
            .map(|k| match k.checked_sub(items.len()) {
                None => (
                    items[k].name.clone().unwrap_or_default(),
                    items[k].at.clone(),
                ),
                Some(k) => derived[k]
                    .as_ref()
                    .map_or_else(Default::default, |v| (v.name.clone(), v.at.clone())),
            })
            .collect();
        report_cycles(b, &places, &reads, &order);
        return None;
    }
    let order: Vec<usize> = order.into_iter().filter(|k| !implicit[*k]).collect();
    let mut place = vec![VariableId(0); count];
    for (new, &old) in order.iter().enumerate() {
        place[old] = VariableId::from(new);
    }
    b.places = place;
    order
        .iter()
        .map(|&k| {
            Some(NamedExpr {
                quantity: quantity(k)?,
                expr: exprs[k]?,
            })
        })
        .collect()
}

/// The expression of a variable that is not implicit.
fn explicit(b: &mut Builder<'_>, data: &schema::VariableQuantity, at: &At) -> Option<ExprId> {
    match (&data.expression, &data.residual) {
        (Some(expression), None) => {
            if data.initial.is_some() {
                let message = "a variable that \"expression\" gives needs no initial value";
                b.report.add(&at.field("initial"), message);
            }
            b.expression(&expression.text(), Scope::All, &at.field("expression"))
        }
        (None, Some(_)) => None,
        _ => {
            let message = "give either \"expression\", the value, or \"residual\", an expression that \
                           is zero for the right value";
            b.report.add(at, message);
            None
        }
    }
}

/// All outputs.
pub(super) fn outputs(b: &mut Builder<'_>, document: &Document) -> Vec<Option<NamedExpr>> {
    b.each(&document.outputs.0, |b, data, at| {
        let quantity = quantities::output(data, at, b.report);
        let at = at.field("expression");
        let expr = b.expression(&data.expression.text(), Scope::All, &at)?;
        Some(NamedExpr { quantity, expr })
    })
}

fn is_measure(leaf: &Leaf) -> bool {
    match leaf {
        Leaf::Kinematic { .. }
        | Leaf::Contact { .. }
        | Leaf::Arc { .. }
        | Leaf::Multiplier { .. }
        | Leaf::Reaction { .. }
        | Leaf::State(_)
        | Leaf::StateRate(_)
        | Leaf::BristleRate { .. }
        | Leaf::Held(_)
        | Leaf::Delay(_)
        | Leaf::Tyre { .. }
        | Leaf::Energy { .. }
        | Leaf::Deformation { .. } => true,
        Leaf::Time { .. } | Leaf::Input(_) | Leaf::Parameter(_) | Leaf::Variable(_) => false,
    }
}

/// The variables, by their place in the file, that an expression reads.
fn variables_read(b: &Builder<'_>, expr: Option<ExprId>) -> Vec<usize> {
    let Some(expr) = expr else {
        return Vec::new();
    };
    let mut read = Vec::new();
    for leaf in b.leaves_of(expr) {
        match leaf {
            Leaf::Variable(id) => read.push(id.index()),
            Leaf::Delay(id) => {
                let delay = &b.delays[id.index()];
                for inner in [delay.value, delay.delay] {
                    read.extend(variables_read(b, Some(inner)));
                }
            }
            _ => {}
        }
    }
    read
}

/// The variables that depend on no cycle, each after those that it reads, otherwise in the order of the file.
fn sorted(reads: &[Vec<usize>]) -> Vec<usize> {
    let mut readers = vec![Vec::new(); reads.len()];
    let mut waiting: Vec<usize> = reads.iter().map(Vec::len).collect();
    for (k, read) in reads.iter().enumerate() {
        for &r in read {
            readers[r].push(k);
        }
    }
    let mut ready: std::collections::BTreeSet<usize> =
        (0..reads.len()).filter(|&k| waiting[k] == 0).collect();
    let mut order = Vec::with_capacity(reads.len());
    while let Some(k) = ready.pop_first() {
        order.push(k);
        for &reader in &readers[k] {
            waiting[reader] -= 1;
            if waiting[reader] == 0 {
                ready.insert(reader);
            }
        }
    }
    order
}

/// Names each cycle once, at its first variable in the file.
fn report_cycles(
    b: &mut Builder<'_>,
    places: &[(String, At)],
    reads: &[Vec<usize>],
    order: &[usize],
) {
    let mut done = vec![false; reads.len()];
    for &k in order {
        done[k] = true;
    }
    for first in 0..reads.len() {
        // Follow unsorted variables until one repeats: that far it is a cycle.
        let mut path = vec![];
        let mut at = first;
        while !done[at] && !path.contains(&at) {
            path.push(at);
            match reads[at].iter().find(|r| !done[**r]) {
                Some(&next) => at = next,
                None => break,
            }
        }
        let start = path.iter().position(|&k| k == at);
        if let Some(start) = start.filter(|_| !done[at]) {
            let names: Vec<String> = path[start..]
                .iter()
                .chain([&at])
                .map(|&k| quote(&places[k].0))
                .collect();
            let message = format!(
                "cyclic definition: {}; one of them must do without the others",
                names.join(" -> ")
            );
            b.report.add(&places[at].1, message);
        }
        for k in path {
            done[k] = true;
        }
    }
}
