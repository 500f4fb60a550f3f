//! Data plane: derivatives of FMI 3.0.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::ValueReference;
use crate::ffi::exports::exports;
use crate::ffi::pointers::{input, output};
use crate::instance::mode::Fmi3;

exports!(Fmi3:
    fn fmi3GetDirectionalDerivative.GetDirectionalDerivative(
        unknowns: *const ValueReference, nUnknowns: usize, knowns: *const ValueReference,
        nKnowns: usize, seed: *const f64, nSeed: usize, sensitivity: *mut f64,
        nSensitivity: usize,
    ) |inner, rule| {
        let unknowns = input(rule, "unknowns", unknowns, nUnknowns)?;
        let knowns = input(rule, "knowns", knowns, nKnowns)?;
        inner.instance.check_size(rule, knowns, ("nSeed", nSeed))?;
        inner.instance.check_size(rule, unknowns, ("nSensitivity", nSensitivity))?;
        let seed = input(rule, "seed", seed, nSeed)?;
        let mut values = output(rule, "sensitivity", sensitivity, nSensitivity)?;
        let mut put = |at: usize, value: f64| values.put(at, value);
        inner.instance.directional_derivative(rule, (unknowns, knowns), seed, &mut put)
    };

    fn fmi3GetAdjointDerivative.GetAdjointDerivative(
        unknowns: *const ValueReference, nUnknowns: usize, knowns: *const ValueReference,
        nKnowns: usize, seed: *const f64, nSeed: usize, sensitivity: *mut f64,
        nSensitivity: usize,
    ) |inner, rule| {
        let unknowns = input(rule, "unknowns", unknowns, nUnknowns)?;
        let knowns = input(rule, "knowns", knowns, nKnowns)?;
        inner.instance.check_size(rule, unknowns, ("nSeed", nSeed))?;
        inner.instance.check_size(rule, knowns, ("nSensitivity", nSensitivity))?;
        let seed = input(rule, "seed", seed, nSeed)?;
        let mut values = output(rule, "sensitivity", sensitivity, nSensitivity)?;
        let mut put = |at: usize, value: f64| values.put(at, value);
        inner.instance.adjoint_derivative(rule, (unknowns, knowns), seed, &mut put)
    };

    fn fmi3GetOutputDerivatives.GetOutputDerivatives(
        valueReferences: *const ValueReference, nValueReferences: usize, orders: *const i32,
        values: *mut f64, nValues: usize,
    ) |inner, rule| {
        let references = input(rule, "valueReferences", valueReferences, nValueReferences)?;
        let orders = input(rule, "orders", orders, nValueReferences)?;
        inner.instance.check_size(rule, references, ("nValues", nValues))?;
        let mut values = output(rule, "values", values, nValues)?;
        let mut put = |at: usize, value: f64| values.put(at, value);
        inner.instance.output_derivatives(rule, references, orders, &mut put)
    };
);
