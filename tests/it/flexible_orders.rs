//! Runs of a flexible mechanism against a reference: measured order and extrapolated error of every scheme.

use crate::harness::{advance, output, start};
use crate::soft::build;
use fixstep_kernel::flex::FlexData;
use serde_json::{Value, json};

/// A mechanism with what it should put out.
pub(crate) struct Case<'a> {
    /// The description, as free text.
    pub(crate) name: &'a str,
    /// Without outputs and solver.
    pub(crate) model: Value,
    /// Its flexible body.
    pub(crate) data: &'a FlexData,
    /// What is compared.
    pub(crate) quantities: Vec<Quantity>,
    /// Time, and the values wanted.
    pub(crate) rows: Vec<(f64, Vec<f64>)>,
}

/// What is compared.
pub(crate) struct Quantity {
    expression: &'static str,
    /// How large it becomes.
    size: f64,
}

/// An output by its expression, and how large it becomes.
pub(crate) fn quantity(expression: &'static str, size: f64) -> Quantity {
    Quantity { expression, size }
}

/// Values by time and quantity, as parts of their sizes.
type Rows = Vec<Vec<f64>>;

fn values(case: &Case<'_>, model: &Value, h: f64) -> Rows {
    let mut model = model.clone();
    let numbered = case.quantities.iter().enumerate();
    model["outputs"] = numbered
        .map(|(k, q)| json!({"name": format!("o{k}"), "expression": q.expression}))
        .collect();
    let mut simulation = build(&model, case.data);
    start(&mut simulation, h);
    let mut list = Vec::new();
    for (time, _) in &case.rows {
        advance(&mut simulation, *time);
        let numbered = case.quantities.iter().enumerate();
        let value = |(k, q): (usize, &Quantity)| output(&simulation, &format!("o{k}")) / q.size;
        list.push(numbered.map(value).collect());
    }
    list
}

/// Largest difference of each quantity.
fn errors(case: &Case<'_>, got: &Rows) -> Vec<f64> {
    let of = |(k, q): (usize, &Quantity)| {
        let pairs = got.iter().zip(&case.rows);
        let all = pairs.map(|(x, (_, wanted))| (x[k] - wanted[k] / q.size).abs());
        all.fold(0.0, f64::max)
    };
    case.quantities.iter().enumerate().map(of).collect()
}

fn largest(errors: &[f64]) -> f64 {
    errors.iter().copied().fold(0.0, f64::max)
}

/// The largest error of a model at a step.
pub(crate) fn misses(case: &Case<'_>, model: &Value, h: f64) -> f64 {
    largest(&errors(case, &values(case, model, h)))
}

/// What two runs extrapolate to, where errors have an order each.
fn extrapolated(coarse: &Rows, fine: &Rows, orders: &[f64]) -> Rows {
    let better = |((c, f), order): ((&f64, &f64), &f64)| f + (f - c) / (order.exp2() - 1.0);
    let row = |(c, f): (&Vec<f64>, &Vec<f64>)| c.iter().zip(f).zip(orders).map(better).collect();
    coarse.iter().zip(fine).map(row).collect()
}

/// Scheme, order, coarsest step.
fn schemes() -> [(Value, f64, f64); 6] {
    let linear = json!({"integrator": "HHT", "linearly_implicit": true});
    let si2 = json!({"integrator": "GSTIFF", "formulation": "SI2"});
    [
        (json!({"integrator": "HHT"}), 2.0, 1e-3),
        (linear, 2.0, 1e-3),
        (json!({"integrator": "GENALPHA"}), 2.0, 1e-3),
        (json!({"integrator": "GSTIFF"}), 1.0, 2e-4),
        (si2, 1.0, 2e-4),
        (json!({"integrator": "NEWMARK"}), 1.0, 1e-3),
    ]
}

/// Every quantity of a case under every scheme: it has the order that theory promises, and what steps h, h/2, h/4
/// extrapolate to is the reference.
pub(crate) fn converges(case: &Case<'_>) {
    let mut open = Vec::new();
    for (solver, order, h) in schemes() {
        let mut model = case.model.clone();
        model["solver"] = solver.clone();
        let [a, b, c] = [h, h / 2.0, h / 4.0].map(|h| values(case, &model, h));
        let theory = vec![order; case.quantities.len()];
        let next: Vec<f64> = theory.iter().map(|order| order + 1.0).collect();
        let once = [extrapolated(&a, &b, &theory), extrapolated(&b, &c, &theory)];
        let rest = largest(&errors(case, &extrapolated(&once[0], &once[1], &next)));
        let [coarse, fine] = [&b, &c].map(|run| errors(case, run));
        let orders: Vec<f64> = coarse
            .iter()
            .zip(&fine)
            .map(|(a, b)| (a / b).log2())
            .collect();
        let report = format!(
            "{} {solver}: errors {:.2e} {:.2e}, extrapolated {rest:.2e}, orders {orders:.2?}",
            case.name,
            largest(&coarse),
            largest(&fine)
        );
        eprintln!("{report}");
        let missed = orders
            .iter()
            .zip(&theory)
            .any(|(found, wanted)| (found - wanted).abs() > 0.2);
        if missed || rest > 3e-5 {
            open.push(report);
        }
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}
