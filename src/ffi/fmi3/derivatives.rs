//! Data plane: derivatives of FMI 3.0.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::ValueReference;
use crate::ffi::exports::exports;
use crate::ffi::pointers::{input, output};
use crate::instance::mode::{Fmi3, Rule};
use crate::instance::status::Refusal;

exports!(Fmi3:
    fn fmi3GetDirectionalDerivative.GetDirectionalDerivative(
        unknowns: *const ValueReference, nUnknowns: usize, knowns: *const ValueReference,
        nKnowns: usize, seed: *const f64, nSeed: usize, sensitivity: *mut f64,
        nSensitivity: usize,
    ) |inner, rule| {
        let unknowns = input(rule, "unknowns", unknowns, nUnknowns)?;
        let knowns = input(rule, "knowns", knowns, nKnowns)?;
        same_size(rule, ("nSeed", nSeed), ("knowns", nKnowns))?;
        same_size(rule, ("nSensitivity", nSensitivity), ("unknowns", nUnknowns))?;
        let seed = input(rule, "seed", seed, nSeed)?;
        let mut values = output(rule, "sensitivity", sensitivity, nSensitivity)?;
        let put = |at: usize, value: f64| values.put(at, value);
        inner.instance.directional_derivative(rule, (unknowns, knowns), seed, put)
    };

    fn fmi3GetAdjointDerivative.GetAdjointDerivative(
        unknowns: *const ValueReference, nUnknowns: usize, knowns: *const ValueReference,
        nKnowns: usize, seed: *const f64, nSeed: usize, sensitivity: *mut f64,
        nSensitivity: usize,
    ) |inner, rule| {
        let unknowns = input(rule, "unknowns", unknowns, nUnknowns)?;
        let knowns = input(rule, "knowns", knowns, nKnowns)?;
        same_size(rule, ("nSeed", nSeed), ("unknowns", nUnknowns))?;
        same_size(rule, ("nSensitivity", nSensitivity), ("knowns", nKnowns))?;
        let seed = input(rule, "seed", seed, nSeed)?;
        let mut values = output(rule, "sensitivity", sensitivity, nSensitivity)?;
        let put = |at: usize, value: f64| values.put(at, value);
        inner.instance.adjoint_derivative(rule, (unknowns, knowns), seed, put)
    };

    fn fmi3GetOutputDerivatives.GetOutputDerivatives(
        valueReferences: *const ValueReference, nValueReferences: usize, orders: *const i32,
        values: *mut f64, nValues: usize,
    ) |inner, rule| {
        let references = input(rule, "valueReferences", valueReferences, nValueReferences)?;
        let orders = input(rule, "orders", orders, nValueReferences)?;
        same_size(rule, ("nValues", nValues), ("valueReferences", nValueReferences))?;
        let mut values = output(rule, "values", values, nValues)?;
        let put = |at: usize, value: f64| values.put(at, value);
        inner.instance.output_derivatives(rule, references, orders, put)
    };
);

fn same_size(
    rule: Rule,
    (name, given): (&str, usize),
    (of, needed): (&str, usize),
) -> Result<(), Refusal> {
    if given == needed {
        return Ok(());
    }
    Err(Refusal::error(format!(
        "{}: {name} is {given}, but the {of} are scalars and need {needed}",
        rule.function
    )))
}
