//! Control plane: functions of FMI 2.0 for Model Exchange, refused by the mode table.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::{Boolean, EventInfo, Real};
use crate::ffi::exports::exports;
use crate::instance::mode::Fmi2;

exports!(Fmi2:
    never fmi2EnterEventMode.EnterEventMode();
    never fmi2NewDiscreteStates.NewDiscreteStates(eventInfo: *mut EventInfo);
    never fmi2EnterContinuousTimeMode.EnterContinuousTimeMode();
    never fmi2CompletedIntegratorStep.CompletedIntegratorStep(
        noSetFMUStatePriorToCurrentPoint: Boolean, enterEventMode: *mut Boolean,
        terminateSimulation: *mut Boolean,
    );
    never fmi2SetTime.SetTime(time: Real);
    never fmi2SetContinuousStates.SetContinuousStates(x: *const Real, nx: usize);
    never fmi2GetDerivatives.GetDerivatives(derivatives: *mut Real, nx: usize);
    never fmi2GetEventIndicators.GetEventIndicators(eventIndicators: *mut Real, ni: usize);
    never fmi2GetContinuousStates.GetContinuousStates(x: *mut Real, nx: usize);
    never fmi2GetNominalsOfContinuousStates.GetNominalsOfContinuousStates(
        x_nominal: *mut Real, nx: usize,
    );
);
