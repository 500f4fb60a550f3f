//! Control plane: saved states of FMI 3.0.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::State;
use crate::ffi::exports::exports;
use crate::ffi::states;
use crate::instance::mode::Fmi3;

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
);
