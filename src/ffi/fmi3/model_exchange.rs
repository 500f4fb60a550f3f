//! Control plane: functions of FMI 3.0 for Model Exchange, refused by the mode table.
#![expect(non_snake_case, reason = "names of the standard")]

use super::types::Boolean;
use crate::ffi::exports::exports;
use crate::instance::mode::Fmi3;

exports!(Fmi3:
    never fmi3EnterContinuousTimeMode.EnterContinuousTimeMode();
    never fmi3CompletedIntegratorStep.CompletedIntegratorStep(
        noSetFMUStatePriorToCurrentPoint: Boolean, enterEventMode: *mut Boolean,
        terminateSimulation: *mut Boolean,
    );
    never fmi3SetTime.SetTime(time: f64);
    never fmi3SetContinuousStates.SetContinuousStates(
        continuousStates: *const f64, nContinuousStates: usize,
    );
    never fmi3GetContinuousStateDerivatives.GetContinuousStateDerivatives(
        derivatives: *mut f64, nContinuousStates: usize,
    );
    never fmi3GetEventIndicators.GetEventIndicators(
        eventIndicators: *mut f64, nEventIndicators: usize,
    );
    never fmi3GetContinuousStates.GetContinuousStates(
        continuousStates: *mut f64, nContinuousStates: usize,
    );
    never fmi3GetNominalsOfContinuousStates.GetNominalsOfContinuousStates(
        nominals: *mut f64, nContinuousStates: usize,
    );
    never fmi3GetNumberOfEventIndicators.GetNumberOfEventIndicators(nEventIndicators: *mut usize);
    never fmi3GetNumberOfContinuousStates.GetNumberOfContinuousStates(
        nContinuousStates: *mut usize,
    );
);
