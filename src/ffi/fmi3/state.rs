//! Control plane: saved states and derivatives of FMI 3.0.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::{State, ValueReference};
use crate::ffi::exports::exports;
use crate::ffi::states;
use crate::instance::mode::Fmi3;
use crate::instance::status::Refusal;

exports!(Fmi3:
    fn fmi3GetFMUState.GetFMUState(FMUState: *mut State) |inner, rule| {
        states::get(inner, rule, FMUState)
    };

    fn fmi3SetFMUState.SetFMUState(FMUState: State) |inner, _rule| {
        inner.instance.restore_state(FMUState.addr())
    };

    fn fmi3FreeFMUState.FreeFMUState(FMUState: *mut State) |inner, rule| {
        states::free(inner, rule, FMUState)
    };

    fn fmi3SerializedFMUStateSize.SerializedFMUStateSize(FMUState: State, size: *mut usize)
    |inner, rule| states::size(inner, rule, FMUState, size);

    fn fmi3SerializeFMUState.SerializeFMUState(
        FMUState: State, serializedState: *mut u8, size: usize,
    ) |inner, rule| states::serialize(inner, rule, FMUState, serializedState, size);

    fn fmi3DeserializeFMUState.DeserializeFMUState(
        serializedState: *const u8, size: usize, FMUState: *mut State,
    ) |inner, rule| states::deserialize(inner, rule, serializedState, size, FMUState);

    fn fmi3GetDirectionalDerivative.GetDirectionalDerivative(
        _unknowns: *const ValueReference, _nUnknowns: usize, _knowns: *const ValueReference,
        _nKnowns: usize, _seed: *const f64, _nSeed: usize, _sensitivity: *mut f64,
        _nSensitivity: usize,
    ) |_inner, _rule| Err(Refusal::error(
        "fmi3GetDirectionalDerivative is not provided (providesDirectionalDerivatives = false)"
    ));

    fn fmi3GetAdjointDerivative.GetAdjointDerivative(
        _unknowns: *const ValueReference, _nUnknowns: usize, _knowns: *const ValueReference,
        _nKnowns: usize, _seed: *const f64, _nSeed: usize, _sensitivity: *mut f64,
        _nSensitivity: usize,
    ) |_inner, _rule| Err(Refusal::error(
        "fmi3GetAdjointDerivative is not provided (providesAdjointDerivatives = false)"
    ));

    fn fmi3GetOutputDerivatives.GetOutputDerivatives(
        _valueReferences: *const ValueReference, _nValueReferences: usize, _orders: *const i32,
        _values: *mut f64, _nValues: usize,
    ) |_inner, _rule| Err(Refusal::error(
        "fmi3GetOutputDerivatives is not provided (maxOutputDerivativeOrder = 0)"
    ));
);
