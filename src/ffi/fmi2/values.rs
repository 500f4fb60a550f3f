//! Control plane: get and set of FMI 2.0.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::{Boolean, Integer, Real, Text, ValueReference};
use crate::ffi::exports::exports;
use crate::ffi::pointers::{input, output, texts};
use crate::instance::access::Kind;
use crate::instance::mode::Fmi2;

/// `fmi2Integer` also carries enumerations.
const INTEGERS: &[Kind] = &[Kind::Integer, Kind::Enumeration];

exports!(Fmi2:
    fn fmi2GetReal.GetReal(vr: *const ValueReference, nvr: usize, value: *mut Real)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let mut values = output(rule, "value", value, nvr)?;
        inner.instance.get_real(rule, references, |at, value| values.put(at, value))
    };

    fn fmi2GetInteger.GetInteger(vr: *const ValueReference, nvr: usize, value: *mut Integer)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let mut values = output(rule, "value", value, nvr)?;
        let put = |at, value| values.put(at, value as Integer);
        inner.instance.get_integer(rule, INTEGERS, references, put)
    };

    fn fmi2GetBoolean.GetBoolean(vr: *const ValueReference, nvr: usize, value: *mut Boolean)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let mut values = output(rule, "value", value, nvr)?;
        let put = |at, value| values.put(at, Boolean::from(value));
        inner.instance.get_boolean(rule, references, put)
    };

    fn fmi2GetString.GetString(vr: *const ValueReference, nvr: usize, value: *mut Text)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let mut values = output(rule, "value", value, nvr)?;
        inner.instance.get_string(rule, references, |at, text| values.put(at, text.as_ptr()))
    };

    fn fmi2SetReal.SetReal(vr: *const ValueReference, nvr: usize, value: *const Real)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let values = input(rule, "value", value, nvr)?;
        inner.instance.set_real(rule, references, values)
    };

    fn fmi2SetInteger.SetInteger(vr: *const ValueReference, nvr: usize, value: *const Integer)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let values = input(rule, "value", value, nvr)?;
        let value = |at: usize| i64::from(values[at]);
        inner.instance.set_integer(rule, INTEGERS, references, value)
    };

    fn fmi2SetBoolean.SetBoolean(vr: *const ValueReference, nvr: usize, value: *const Boolean)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let values = input(rule, "value", value, nvr)?;
        inner.instance.set_boolean(rule, references, |at| values[at] != 0)
    };

    fn fmi2SetString.SetString(vr: *const ValueReference, nvr: usize, value: *const Text)
    |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let values = texts(rule, "value", value, nvr)?;
        inner.instance.set_string(rule, references, &values)
    };

    fn fmi2GetDirectionalDerivative.GetDirectionalDerivative(
        unknowns: *const ValueReference, nUnknown: usize, knowns: *const ValueReference,
        nKnown: usize, dvKnown: *const Real, dvUnknown: *mut Real,
    ) |inner, rule| {
        let unknowns = input(rule, "vUnknown_ref", unknowns, nUnknown)?;
        let knowns = input(rule, "vKnown_ref", knowns, nKnown)?;
        let seed = input(rule, "dvKnown", dvKnown, nKnown)?;
        let mut values = output(rule, "dvUnknown", dvUnknown, nUnknown)?;
        let mut put = |at: usize, value: f64| values.put(at, value);
        inner.instance.directional_derivative(rule, (unknowns, knowns), seed, &mut put)
    };

    fn fmi2SetRealInputDerivatives.SetRealInputDerivatives(
        vr: *const ValueReference, nvr: usize, order: *const Integer, value: *const Real,
    ) |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let orders = input(rule, "order", order, nvr)?;
        let values = input(rule, "value", value, nvr)?;
        inner.instance.set_input_derivatives(rule, references, orders, values)
    };

    fn fmi2GetRealOutputDerivatives.GetRealOutputDerivatives(
        vr: *const ValueReference, nvr: usize, order: *const Integer, value: *mut Real,
    ) |inner, rule| {
        let references = input(rule, "vr", vr, nvr)?;
        let orders = input(rule, "order", order, nvr)?;
        let mut values = output(rule, "value", value, nvr)?;
        let mut put = |at: usize, value: f64| values.put(at, value);
        inner.instance.output_derivatives(rule, references, orders, &mut put)
    };
);
