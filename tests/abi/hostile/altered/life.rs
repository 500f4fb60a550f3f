//! Drives an FMU through a whole life: instantiation, steps, saved states, the end.

use std::ptr;

use fixstep_kernel::mechanism::Mechanism;
use fixstep_variables::{Causality, VariableKind};

use super::Fate;
use crate::client2::{Fmu2, call2, uri};
use crate::client3::{Fmu3, How, call3};
use crate::world::{Log, OK, World};

/// Communication steps.
const STEPS: u32 = 6;
/// The state is saved before this one, and the steps after it are made once more.
const SAVED: u32 = 3;
/// Integration steps in a communication step that are not too long.
const MOST: u32 = 200;
/// Rounds of a static equilibrium likewise.
const MOST_ROUNDS: u32 = 20_000;

/// How calls come out: statuses 0 to 3, a reason for what is not OK, no fault within.
fn judge(log: &Log, function: &str, status: i32) -> Result<bool, String> {
    if !(0..=3).contains(&status) {
        return Err(format!("{function} returned {status}: {}", log.last()));
    }
    if status > 1 && log.last().len() < 20 {
        return Err(format!("{function} returned {status} without a reason"));
    }
    let inside = log
        .all()
        .into_iter()
        .find(|m| m.text.contains("internal error"));
    match inside {
        Some(message) => Err(format!("{function}: {}", message.text)),
        None => Ok(status <= 1),
    }
}

/// Does it ask for more work than fits here?
pub(super) fn too_long(mechanism: &Mechanism) -> bool {
    let start = &mechanism.solver.start;
    let rounds = start.settling_steps.max(start.iterations);
    mechanism.solver.hratio > MOST || start.equilibrium && rounds > MOST_ROUNDS
}

/// What becomes of an FMU with this communication step \[s\], or what is wrong with that.
pub(super) fn live(world: &World, step: f64, seed: u64) -> Result<Fate, String> {
    if seed.is_multiple_of(2) {
        two(world, step)
    } else {
        three(world, step)
    }
}

/// Numbers of outputs.
fn outputs(world: &World) -> Vec<u32> {
    let variables = world.table.variables.iter().zip(0..);
    variables
        .filter(|(variable, _)| {
            matches!(variable.kind, VariableKind::Real { .. })
                && variable.causality == Causality::Output
        })
        .map(|(_, at)| at)
        .collect()
}

/// What is read with the status OK are numbers; what is not is warned of.
fn finite(world: &World, references: &[u32], values: &[f64], read: i32) -> Result<(), String> {
    let bad = values.iter().position(|value| !value.is_finite());
    let name = |k: usize| &world.table.variables[references[k] as usize].name;
    match bad {
        Some(k) if read == OK => Err(format!(
            "the output {} is {}, and reading it is OK",
            name(k),
            values[k]
        )),
        None if read != OK => Err(format!("reading numbers returns {read}")),
        _ => Ok(()),
    }
}

/// Bits of what was read.
fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn two(world: &World, h: f64) -> Result<Fate, String> {
    let fmu = Fmu2::try_new(world, &world.token, Some(&uri(world)));
    if fmu.component.is_null() {
        return judge(&fmu.log, "fmi2Instantiate", 3).map(|_| Fate::NoInstance);
    }
    call2!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0);
    let entered = call2!(fmu, fmi2EnterInitializationMode);
    if !judge(&fmu.log, "fmi2EnterInitializationMode", entered)?
        || !judge(
            &fmu.log,
            "fmi2ExitInitializationMode",
            call2!(fmu, fmi2ExitInitializationMode),
        )?
    {
        return Ok(Fate::NoStart);
    }
    let references = outputs(world);
    let (mut values, mut trace) = (vec![0.0; references.len()], Vec::<Vec<u64>>::new());
    let mut state = ptr::null_mut();
    let mut again = false;
    let mut k = 0;
    while k < STEPS {
        if k == SAVED && !again {
            judge(
                &fmu.log,
                "fmi2GetFMUstate",
                call2!(fmu, fmi2GetFMUstate, &raw mut state),
            )?;
        }
        if !judge(&fmu.log, "fmi2DoStep", fmu.step(f64::from(k) * h, h))? {
            call2!(fmu, fmi2FreeFMUstate, &raw mut state);
            return Ok(Fate::Stopped);
        }
        let (list, n, to) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        let read = call2!(fmu, fmi2GetReal, list, n, to);
        judge(&fmu.log, "fmi2GetReal", read)?;
        finite(world, &references, &values, read)?;
        if again && trace[k as usize] != bits(&values) {
            let other = trace[k as usize].iter().zip(bits(&values));
            let at = other.enumerate().find(|(_, (a, b))| *a != b);
            return Err(format!(
                "step {k} from a saved state gives other bits: {:x?}",
                at.map(|(at, bits)| (&world.table.variables[references[at] as usize].name, bits))
            ));
        }
        trace.push(bits(&values));
        k += 1;
        if k == STEPS && !again {
            judge(
                &fmu.log,
                "fmi2SetFMUstate",
                call2!(fmu, fmi2SetFMUstate, state),
            )?;
            (k, again) = (SAVED, true);
        }
    }
    call2!(fmu, fmi2FreeFMUstate, &raw mut state);
    judge(&fmu.log, "fmi2Terminate", call2!(fmu, fmi2Terminate))?;
    Ok(Fate::Ran)
}

fn three(world: &World, h: f64) -> Result<Fate, String> {
    let fmu = Fmu3::try_new(world, &How::of(world));
    if fmu.instance.is_null() {
        return judge(&fmu.log, "fmi3InstantiateCoSimulation", 3).map(|_| Fate::NoInstance);
    }
    let entered = call3!(
        fmu,
        fmi3EnterInitializationMode,
        false,
        0.0,
        0.0,
        false,
        0.0
    );
    if !judge(&fmu.log, "fmi3EnterInitializationMode", entered)?
        || !judge(
            &fmu.log,
            "fmi3ExitInitializationMode",
            call3!(fmu, fmi3ExitInitializationMode),
        )?
    {
        return Ok(Fate::NoStart);
    }
    // An element of an array has no reference of its own: it is refused, and that is right.
    let scalars = |reference: &u32| {
        let mut value = 0.0;
        let status = call3!(
            fmu,
            fmi3GetFloat64,
            &raw const *reference,
            1,
            &raw mut value,
            1
        );
        status == OK
    };
    let references: Vec<u32> = outputs(world).into_iter().filter(scalars).collect();
    let mut values = vec![0.0; references.len()];
    for k in 0..STEPS {
        let end = fmu.step(f64::from(k) * h, h);
        if !judge(&fmu.log, "fmi3DoStep", end.status)? || end.terminate {
            return Ok(Fate::Stopped);
        }
        let (list, n, to) = (references.as_ptr(), references.len(), values.as_mut_ptr());
        let read = call3!(fmu, fmi3GetFloat64, list, n, to, n);
        judge(&fmu.log, "fmi3GetFloat64", read)?;
        finite(world, &references, &values, read)?;
    }
    judge(&fmu.log, "fmi3Terminate", call3!(fmu, fmi3Terminate))?;
    Ok(Fate::Ran)
}
