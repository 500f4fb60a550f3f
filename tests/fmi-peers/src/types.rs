//! Sizes, alignments and field offsets of our C types against theirs, and the numbers of the
//! enumerations.

use std::mem::offset_of;

use fixstep::ffi::{fmi2 as ours2, fmi3 as ours3};
use fixstep::instance::status::Status;
use fmi_sys::{fmi2 as theirs2, fmi3 as theirs3};

use crate::signature::Class;

/// A thing compared: its name, our number and theirs.
type Row = (&'static str, usize, usize);

/// Size and alignment of a type on both sides.
fn layout<A, B>(rows: &mut Vec<Row>, name: &'static str) {
    rows.push((name, size_of::<A>(), size_of::<B>()));
    rows.push((name, align_of::<A>(), align_of::<B>()));
}

/// Offsets of fields on both sides.
macro_rules! offsets {
    ($rows:ident, $ours:path, $theirs:path: $($own:ident $their:ident),* $(,)?) => {
        $($rows.push((stringify!($their), offset_of!($ours, $own), offset_of!($theirs, $their)));)*
    };
}

/// Structures.
fn structures(rows: &mut Vec<Row>) {
    use ours2::types::{CallbackFunctions, EventInfo};
    layout::<CallbackFunctions, theirs2::fmi2CallbackFunctions>(rows, "fmi2CallbackFunctions");
    offsets! { rows, CallbackFunctions, theirs2::fmi2CallbackFunctions:
        logger logger,
        allocate_memory allocateMemory,
        free_memory freeMemory,
        step_finished stepFinished,
        component_environment componentEnvironment,
    }
    layout::<EventInfo, theirs2::fmi2EventInfo>(rows, "fmi2EventInfo");
    offsets! { rows, EventInfo, theirs2::fmi2EventInfo:
        new_discrete_states_needed newDiscreteStatesNeeded,
        terminate_simulation terminateSimulation,
        nominals_of_continuous_states_changed nominalsOfContinuousStatesChanged,
        values_of_continuous_states_changed valuesOfContinuousStatesChanged,
        next_event_time_defined nextEventTimeDefined,
        next_event_time nextEventTime,
    }
}

/// Plain types.
fn plain(rows: &mut Vec<Row>) {
    use {ours2::types as our2, ours3::types as our3};
    layout::<our2::Real, theirs2::fmi2Real>(rows, "fmi2Real");
    layout::<our2::Integer, theirs2::fmi2Integer>(rows, "fmi2Integer");
    layout::<our2::Boolean, theirs2::fmi2Boolean>(rows, "fmi2Boolean");
    layout::<our2::Text, theirs2::fmi2String>(rows, "fmi2String");
    layout::<our2::ValueReference, theirs2::fmi2ValueReference>(rows, "fmi2ValueReference");
    layout::<our2::State, theirs2::fmi2FMUstate>(rows, "fmi2FMUstate");
    layout::<our2::Byte, theirs2::fmi2Byte>(rows, "fmi2Byte");
    layout::<our2::Type, theirs2::fmi2Type>(rows, "fmi2Type");
    layout::<our2::StatusKind, theirs2::fmi2StatusKind>(rows, "fmi2StatusKind");
    layout::<Status, theirs2::fmi2Status>(rows, "fmi2Status");
    layout::<Option<our2::Logger>, theirs2::fmi2CallbackLogger>(rows, "fmi2CallbackLogger");
    layout::<our3::Boolean, theirs3::fmi3Boolean>(rows, "fmi3Boolean");
    layout::<our3::Boolean, theirs3::fmi3Clock>(rows, "fmi3Clock");
    layout::<our3::Text, theirs3::fmi3String>(rows, "fmi3String");
    layout::<our3::Binary, theirs3::fmi3Binary>(rows, "fmi3Binary");
    layout::<our3::ValueReference, theirs3::fmi3ValueReference>(rows, "fmi3ValueReference");
    layout::<our3::State, theirs3::fmi3FMUState>(rows, "fmi3FMUState");
    layout::<our3::IntervalQualifier, theirs3::fmi3IntervalQualifier>(
        rows,
        "fmi3IntervalQualifier",
    );
    layout::<our3::DependencyKind, theirs3::fmi3DependencyKind>(rows, "fmi3DependencyKind");
    layout::<Status, theirs3::fmi3Status>(rows, "fmi3Status");
    layout::<Option<our3::LogMessage>, theirs3::fmi3LogMessageCallback>(
        rows,
        "fmi3LogMessageCallback",
    );
    layout::<Option<our3::IntermediateUpdate>, theirs3::fmi3IntermediateUpdateCallback>(
        rows,
        "fmi3IntermediateUpdateCallback",
    );
}

/// Numbers of enumerations.
fn numbers(rows: &mut Vec<Row>) {
    let statuses = [
        (
            Status::Ok,
            theirs2::fmi2Status_fmi2OK,
            theirs3::fmi3Status_fmi3OK,
        ),
        (
            Status::Warning,
            theirs2::fmi2Status_fmi2Warning,
            theirs3::fmi3Status_fmi3Warning,
        ),
        (
            Status::Discard,
            theirs2::fmi2Status_fmi2Discard,
            theirs3::fmi3Status_fmi3Discard,
        ),
        (
            Status::Error,
            theirs2::fmi2Status_fmi2Error,
            theirs3::fmi3Status_fmi3Error,
        ),
        (
            Status::Fatal,
            theirs2::fmi2Status_fmi2Fatal,
            theirs3::fmi3Status_fmi3Fatal,
        ),
    ];
    for (status, two, three) in statuses {
        rows.push(("fmi2Status", status as usize, two as usize));
        rows.push(("fmi3Status", status as usize, three as usize));
    }
    let number =
        |name, ours: i32, theirs: u32| (name, ours.unsigned_abs() as usize, theirs as usize);
    rows.extend([
        number(
            "fmi2CoSimulation",
            ours2::types::CO_SIMULATION,
            theirs2::fmi2Type_fmi2CoSimulation,
        ),
        number(
            "fmi2LastSuccessfulTime",
            ours2::types::LAST_SUCCESSFUL_TIME,
            theirs2::fmi2StatusKind_fmi2LastSuccessfulTime,
        ),
        number(
            "fmi2Terminated",
            ours2::types::TERMINATED,
            theirs2::fmi2StatusKind_fmi2Terminated,
        ),
        number(
            "fmi3Dependent",
            ours3::types::DEPENDENT,
            theirs3::fmi3DependencyKind_fmi3Dependent,
        ),
    ]);
}

/// Compares all; the number of comparisons, and what to say of the differences.
pub fn compare() -> (usize, Vec<String>) {
    let mut rows = Vec::new();
    structures(&mut rows);
    plain(&mut rows);
    numbers(&mut rows);
    let mut differences: Vec<String> = rows
        .iter()
        .filter(|(_, ours, theirs)| ours != theirs)
        .map(|(name, ours, theirs)| format!("{name}: ours {ours}, theirs {theirs}"))
        .collect();
    // A comparison that could not fail would prove nothing.
    if Class::of::<f64>().agrees(&Class::of::<u64>()) {
        differences.push("the comparison tells no numbers apart".into());
    }
    (rows.len(), differences)
}
