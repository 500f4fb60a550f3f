//! Control plane: saved states of FMI 2.0.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::{Byte, State};
use crate::ffi::exports::exports;
use crate::ffi::states;
use crate::instance::mode::Fmi2;

exports!(Fmi2:
    fn fmi2GetFMUstate.GetFMUstate(FMUstate: *mut State) |inner, rule| {
        states::get(inner, rule, FMUstate)
    };

    fn fmi2SetFMUstate.SetFMUstate(FMUstate: State) |inner, _rule| {
        inner.instance.restore_state(FMUstate.addr())
    };

    fn fmi2FreeFMUstate.FreeFMUstate(FMUstate: *mut State) |inner, rule| {
        states::free(inner, rule, FMUstate)
    };

    fn fmi2SerializedFMUstateSize.SerializedFMUstateSize(FMUstate: State, size: *mut usize)
    |inner, rule| states::size(inner, rule, FMUstate, size);

    fn fmi2SerializeFMUstate.SerializeFMUstate(
        FMUstate: State, serializedState: *mut Byte, size: usize,
    ) |inner, rule| {
        states::serialize(inner, rule, FMUstate, serializedState.cast(), size)
    };

    fn fmi2DeSerializeFMUstate.DeSerializeFMUstate(
        serializedState: *const Byte, size: usize, FMUstate: *mut State,
    ) |inner, rule| {
        states::deserialize(inner, rule, serializedState.cast(), size, FMUstate)
    };
);
