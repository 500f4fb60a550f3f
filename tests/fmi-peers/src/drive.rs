//! The packed binary through the bindings of fmi-sys, and through the typed instance of fmi.

use std::ffi::CString;
use std::path::Path;
use std::ptr::{null, null_mut};

use fmi::fmi2::instance::{CoSimulation as _, Common as _};
use fmi_sys::fmi2::{self, Fmi2Binding};
use fmi_sys::fmi3::{self, Fmi3Binding};

use crate::Failure;
use crate::packed::{Packed, reference};

/// Steps of each run, before and after the state is saved.
const STEPS: usize = 100;

/// A slave between initialization and the end, in either version.
trait Slave {
    fn step(&mut self, time: f64, size: f64) -> Result<(), Failure>;
    fn outputs(&mut self) -> Result<Vec<f64>, Failure>;
    fn save(&mut self) -> Result<(), Failure>;
    fn restore(&mut self) -> Result<(), Failure>;
}

/// Turns a status into a result.
fn ok(status: u32, call: &str) -> Result<(), Failure> {
    if status == 0 {
        Ok(())
    } else {
        Err(format!("{call} returned {status}").into())
    }
}

/// Runs, compares with the reference, goes back to the middle and runs again.
fn run(slave: &mut dyn Slave, packed: &Packed, expected: &[Vec<f64>]) -> Result<usize, Failure> {
    let rows = expected.len().min(2 * STEPS + 1);
    let middle = rows / 2;
    let same = |row: usize, got: &[f64]| -> Result<(), Failure> {
        let equal = got
            .iter()
            .zip(&expected[row])
            .all(|(a, b)| a.to_bits() == b.to_bits());
        if equal {
            Ok(())
        } else {
            Err(format!("row {row}: {got:?}, not {:?}", expected[row]).into())
        }
    };
    let time = |row: usize| packed.time(row);
    same(0, &slave.outputs()?)?;
    for row in 1..rows {
        if row == middle {
            slave.save()?;
        }
        slave.step(time(row - 1), packed.step)?;
        same(row, &slave.outputs()?)?;
    }
    slave.restore()?;
    for row in middle..rows {
        slave.step(time(row - 1), packed.step)?;
        same(row, &slave.outputs()?)?;
    }
    Ok(rows)
}

/// FMI 2.0 through `Fmi2Binding`.
struct Raw2<'a> {
    binding: &'a Fmi2Binding,
    component: fmi2::fmi2Component,
    references: Vec<u32>,
    state: fmi2::fmi2FMUstate,
}

impl Slave for Raw2<'_> {
    fn step(&mut self, time: f64, size: f64) -> Result<(), Failure> {
        // SAFETY: a live component of this binding.
        ok(
            unsafe { self.binding.fmi2DoStep(self.component, time, size, 1) },
            "fmi2DoStep",
        )
    }

    fn outputs(&mut self) -> Result<Vec<f64>, Failure> {
        let mut values = vec![0.0; self.references.len()];
        let (references, count) = (self.references.as_ptr(), self.references.len());
        // SAFETY: both arrays have `count` elements.
        let status = unsafe {
            self.binding
                .fmi2GetReal(self.component, references, count, values.as_mut_ptr())
        };
        ok(status, "fmi2GetReal")?;
        Ok(values)
    }

    fn save(&mut self) -> Result<(), Failure> {
        // SAFETY: a live component; the handle is null or ours.
        let status = unsafe {
            self.binding
                .fmi2GetFMUstate(self.component, &raw mut self.state)
        };
        ok(status, "fmi2GetFMUstate")
    }

    fn restore(&mut self) -> Result<(), Failure> {
        // SAFETY: a handle of this component.
        ok(
            unsafe { self.binding.fmi2SetFMUstate(self.component, self.state) },
            "fmi2SetFMUstate",
        )?;
        // SAFETY: as above; the function sets the handle to null.
        let status = unsafe {
            self.binding
                .fmi2FreeFMUstate(self.component, &raw mut self.state)
        };
        ok(status, "fmi2FreeFMUstate")
    }
}

/// FMI 3.0 through `Fmi3Binding`.
struct Raw3<'a> {
    binding: &'a Fmi3Binding,
    instance: fmi3::fmi3Instance,
    references: Vec<u32>,
    state: fmi3::fmi3FMUState,
}

impl Slave for Raw3<'_> {
    fn step(&mut self, time: f64, size: f64) -> Result<(), Failure> {
        let (mut event, mut end, mut early, mut last) = (false, false, false, 0.0);
        // SAFETY: a live instance of this binding; four valid places for results.
        let status = unsafe {
            self.binding.fmi3DoStep(
                self.instance,
                time,
                size,
                true,
                &raw mut event,
                &raw mut end,
                &raw mut early,
                &raw mut last,
            )
        };
        ok(status, "fmi3DoStep")?;
        if event || end || early {
            return Err(
                format!("fmi3DoStep at {time} s wants an event, an end or returns early").into(),
            );
        }
        Ok(())
    }

    fn outputs(&mut self) -> Result<Vec<f64>, Failure> {
        let mut values = vec![0.0; self.references.len()];
        let (references, count) = (self.references.as_ptr(), self.references.len());
        // SAFETY: both arrays have `count` elements.
        let status = unsafe {
            self.binding.fmi3GetFloat64(
                self.instance,
                references,
                count,
                values.as_mut_ptr(),
                count,
            )
        };
        ok(status, "fmi3GetFloat64")?;
        Ok(values)
    }

    fn save(&mut self) -> Result<(), Failure> {
        // SAFETY: a live instance; the handle is null or ours.
        let status = unsafe {
            self.binding
                .fmi3GetFMUState(self.instance, &raw mut self.state)
        };
        ok(status, "fmi3GetFMUState")
    }

    fn restore(&mut self) -> Result<(), Failure> {
        // SAFETY: a handle of this instance.
        ok(
            unsafe { self.binding.fmi3SetFMUState(self.instance, self.state) },
            "fmi3SetFMUState",
        )?;
        // SAFETY: as above; the function sets the handle to null.
        let status = unsafe {
            self.binding
                .fmi3FreeFMUState(self.instance, &raw mut self.state)
        };
        ok(status, "fmi3FreeFMUState")
    }
}

/// FMI 2.0 through fmi-sys.
pub fn raw2(fmu: &Path, csv: &Path) -> Result<usize, Failure> {
    let packed = Packed::open(fmu)?;
    let expected = reference(csv, &packed.outputs)?;
    // SAFETY: our own library.
    let binding = unsafe { Fmi2Binding::new(packed.library("linux64"))? };
    let name = CString::new("peer")?;
    let guid = CString::new(packed.token.as_str())?;
    let resources = CString::new(format!("file://{}", packed.resources().display()))?;
    let functions = fmi2::fmi2CallbackFunctions {
        logger: Some(fmi2::logger::callback_logger_handler),
        allocateMemory: None,
        freeMemory: None,
        stepFinished: None,
        componentEnvironment: null_mut(),
    };
    // SAFETY: strings end in zero, the callbacks outlive the call.
    let component = unsafe {
        binding.fmi2Instantiate(
            name.as_ptr(),
            fmi2::fmi2Type_fmi2CoSimulation,
            guid.as_ptr(),
            resources.as_ptr(),
            &raw const functions,
            0,
            1,
        )
    };
    if component.is_null() {
        return Err("fmi2Instantiate returned null".into());
    }
    // SAFETY: a live component, here and below.
    ok(
        unsafe { binding.fmi2SetupExperiment(component, 0, 0.0, packed.start, 0, 0.0) },
        "setup",
    )?;
    // SAFETY: see above.
    ok(
        unsafe { binding.fmi2EnterInitializationMode(component) },
        "enter",
    )?;
    // SAFETY: see above.
    ok(
        unsafe { binding.fmi2ExitInitializationMode(component) },
        "exit",
    )?;
    let references = packed
        .outputs
        .iter()
        .map(|(_, reference)| *reference)
        .collect();
    let mut slave = Raw2 {
        binding: &binding,
        component,
        references,
        state: null_mut(),
    };
    let rows = run(&mut slave, &packed, &expected)?;
    // SAFETY: see above.
    ok(unsafe { binding.fmi2Terminate(component) }, "fmi2Terminate")?;
    // SAFETY: the last use of the component.
    unsafe { binding.fmi2FreeInstance(component) };
    Ok(rows)
}

/// FMI 3.0 through fmi-sys.
pub fn raw3(fmu: &Path, csv: &Path) -> Result<usize, Failure> {
    let packed = Packed::open(fmu)?;
    let expected = reference(csv, &packed.outputs)?;
    let platform = format!("{}-linux", std::env::consts::ARCH);
    // SAFETY: our own library.
    let binding = unsafe { Fmi3Binding::new(packed.library(&platform))? };
    let name = CString::new("peer")?;
    let token = CString::new(packed.token.as_str())?;
    let resources = CString::new(format!("{}/", packed.resources().display()))?;
    // SAFETY: strings end in zero; an empty list, no environment and no callbacks are allowed.
    let instance = unsafe {
        binding.fmi3InstantiateCoSimulation(
            name.as_ptr(),
            token.as_ptr(),
            resources.as_ptr(),
            false,
            true,
            false,
            false,
            null(),
            0,
            null_mut(),
            None,
            None,
        )
    };
    if instance.is_null() {
        return Err("fmi3InstantiateCoSimulation returned null".into());
    }
    // SAFETY: a live instance, here and below.
    let status = unsafe {
        binding.fmi3EnterInitializationMode(instance, false, 0.0, packed.start, false, 0.0)
    };
    ok(status, "fmi3EnterInitializationMode")?;
    // SAFETY: see above.
    ok(
        unsafe { binding.fmi3ExitInitializationMode(instance) },
        "fmi3ExitInitializationMode",
    )?;
    let references = packed
        .outputs
        .iter()
        .map(|(_, reference)| *reference)
        .collect();
    let mut slave = Raw3 {
        binding: &binding,
        instance,
        references,
        state: null_mut(),
    };
    let rows = run(&mut slave, &packed, &expected)?;
    // SAFETY: see above.
    ok(unsafe { binding.fmi3Terminate(instance) }, "fmi3Terminate")?;
    // SAFETY: the last use of the instance.
    unsafe { binding.fmi3FreeInstance(instance) };
    Ok(rows)
}

/// FMI 2.0 through the typed instance of the crate fmi, which reads our description itself.
pub fn typed2(fmu: &Path, csv: &Path) -> Result<usize, Failure> {
    let packed = Packed::open(fmu)?;
    let expected = reference(csv, &packed.outputs)?;
    let import: fmi::fmi2::import::Fmi2Import = fmi::import::from_path(fmu)?;
    let mut instance = import.instantiate_cs("typed peer", false, true)?;
    instance.setup_experiment(None, packed.start, None)?;
    instance.enter_initialization_mode()?;
    instance.exit_initialization_mode()?;
    let references: Vec<u32> = packed
        .outputs
        .iter()
        .map(|(_, reference)| *reference)
        .collect();
    let mut values = vec![0.0; references.len()];
    let rows = expected.len().min(STEPS + 1);
    for (row, wanted) in expected.iter().enumerate().take(rows) {
        if row > 0 {
            let time = packed.time(row - 1);
            instance.do_step(time, packed.step, true)?;
        }
        instance.get_real(&references, &mut values)?;
        if values
            .iter()
            .zip(wanted)
            .any(|(a, b)| a.to_bits() != b.to_bits())
        {
            return Err(format!("row {row}: {values:?}, not {wanted:?}").into());
        }
    }
    instance.terminate()?;
    Ok(rows)
}
