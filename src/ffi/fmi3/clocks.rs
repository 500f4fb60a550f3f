//! Control plane: clocks and discrete states of FMI 3.0, refused by the mode table.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::{Boolean, IntervalQualifier, ValueReference};
use crate::ffi::exports::exports;
use crate::instance::mode::Fmi3;

exports!(Fmi3:
    never fmi3GetClock.GetClock(
        valueReferences: *const ValueReference, nValueReferences: usize, values: *mut Boolean,
    );
    never fmi3SetClock.SetClock(
        valueReferences: *const ValueReference, nValueReferences: usize, values: *const Boolean,
    );
    never fmi3GetIntervalDecimal.GetIntervalDecimal(
        valueReferences: *const ValueReference, nValueReferences: usize, intervals: *mut f64,
        qualifiers: *mut IntervalQualifier,
    );
    never fmi3GetIntervalFraction.GetIntervalFraction(
        valueReferences: *const ValueReference, nValueReferences: usize, counters: *mut u64,
        resolutions: *mut u64, qualifiers: *mut IntervalQualifier,
    );
    never fmi3GetShiftDecimal.GetShiftDecimal(
        valueReferences: *const ValueReference, nValueReferences: usize, shifts: *mut f64,
    );
    never fmi3GetShiftFraction.GetShiftFraction(
        valueReferences: *const ValueReference, nValueReferences: usize, counters: *mut u64,
        resolutions: *mut u64,
    );
    never fmi3SetIntervalDecimal.SetIntervalDecimal(
        valueReferences: *const ValueReference, nValueReferences: usize, intervals: *const f64,
    );
    never fmi3SetIntervalFraction.SetIntervalFraction(
        valueReferences: *const ValueReference, nValueReferences: usize, counters: *const u64,
        resolutions: *const u64,
    );
    never fmi3SetShiftDecimal.SetShiftDecimal(
        valueReferences: *const ValueReference, nValueReferences: usize, shifts: *const f64,
    );
    never fmi3SetShiftFraction.SetShiftFraction(
        valueReferences: *const ValueReference, nValueReferences: usize, counters: *const u64,
        resolutions: *const u64,
    );
    never fmi3EvaluateDiscreteStates.EvaluateDiscreteStates();
    never fmi3UpdateDiscreteStates.UpdateDiscreteStates(
        discreteStatesNeedUpdate: *mut Boolean, terminateSimulation: *mut Boolean,
        nominalsOfContinuousStatesChanged: *mut Boolean,
        valuesOfContinuousStatesChanged: *mut Boolean, nextEventTimeDefined: *mut Boolean,
        nextEventTime: *mut f64,
    );
);
