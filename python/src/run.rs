//! Control plane: whole runs, as `fixstep run` makes them.

use std::path::{Path, PathBuf};

use fixstep_kernel::simulation::Simulation;
use fmu_build::client::Fmu;
use fmu_build::csv::Table;
use fmu_build::native::Native;
use fmu_build::run::{self as master, Outcome, Plan};
use fmu_build::slave::{Advance, Failure, Level, LogLevel, Message, Slave, Value};
use fmu_build::ssp::{Package, is_ssp};
use model_description::parse::Description;
use pyo3::prelude::*;

use crate::arrays::fill;
use crate::errors::failed;
use crate::model::RawModel;

/// Seconds of wall time between two looks at Python's signals.
const LOOK: f64 = 0.1;

/// What a run has given.
#[pyclass(frozen, module = "fixstep._fixstep")]
pub(crate) struct Ran {
    outcome: Outcome,
    name: String,
    start: f64,
    stop: f64,
    step: f64,
}

/// What is run.
enum Subject<'a> {
    Model(&'a RawModel),
    File(&'a Path),
}

/// A slave that ends where the user interrupts Python.
struct Interruptible<'a> {
    slave: Box<dyn Slave + 'a>,
    looked: std::time::Instant,
    interrupted: bool,
}

impl Interruptible<'_> {
    /// Runs what Python does about signals, now and then.
    fn look(&mut self) -> Result<(), Failure> {
        if self.looked.elapsed().as_secs_f64() < LOOK {
            return Ok(());
        }
        self.looked = std::time::Instant::now();
        if Python::attach(|py| py.check_signals().is_err()) {
            self.interrupted = true;
            return Err(Failure("the run was interrupted".to_owned()));
        }
        Ok(())
    }
}

impl Slave for Interruptible<'_> {
    fn description(&self) -> &Description {
        self.slave.description()
    }

    fn announce_step(&mut self, step: f64) {
        self.slave.announce_step(step);
    }

    fn set(&mut self, variable: usize, values: &[Value]) -> Result<(), Failure> {
        self.slave.set(variable, values)
    }

    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure> {
        self.slave.read(variable, into)
    }

    fn read_text(&mut self, variable: usize, into: &mut Vec<String>) -> Result<(), Failure> {
        self.slave.read_text(variable, into)
    }

    fn enter_initialization(&mut self, start: f64, stop: Option<f64>) -> Result<(), Failure> {
        self.slave.enter_initialization(start, stop)
    }

    fn exit_initialization(&mut self) -> Result<(), Failure> {
        self.slave.exit_initialization()
    }

    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        self.look()?;
        self.slave.step(time, step)
    }

    fn begin_step(&mut self, time: f64, step: f64) -> Result<(), Failure> {
        self.slave.begin_step(time, step)
    }

    fn go_on(&mut self) -> Result<(f64, Option<Advance>), Failure> {
        self.look()?;
        self.slave.go_on()
    }

    fn terminate(&mut self) -> Result<(), Failure> {
        self.slave.terminate()
    }

    fn messages(&mut self) -> Vec<Message> {
        self.slave.messages()
    }

    fn engine(&self) -> Option<&Simulation> {
        self.slave.engine()
    }

    fn saved(&self) -> Result<Vec<u8>, Failure> {
        self.slave.saved()
    }
}

/// Runs a model, an FMU or a system of FMUs.
#[pyfunction]
#[pyo3(signature = (subject, start=None, stop=None, step=None, settings=Vec::new(), inputs=None,
                    record=Vec::new(), every_step=false))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn run(
    py: Python<'_>,
    subject: &Bound<'_, PyAny>,
    start: Option<f64>,
    stop: Option<f64>,
    step: Option<f64>,
    settings: Vec<(String, String)>,
    inputs: Option<(Vec<String>, Vec<Vec<f64>>)>,
    record: Vec<String>,
    every_step: bool,
) -> PyResult<Ran> {
    let plan = Plan {
        start,
        stop,
        step,
        settings,
        input: inputs.map(|(names, columns)| Table {
            columns,
            ..Table::new(names)
        }),
        record,
        more: Vec::new(),
        every_step,
        state: None,
        open_end: false,
    };
    let (ran, interrupted) = if let Ok(model) = subject.cast::<RawModel>() {
        let model = model.get();
        py.detach(|| of(&Subject::Model(model), &plan))
    } else {
        let path: PathBuf = subject.extract()?;
        py.detach(|| of(&Subject::File(&path), &plan))
    };
    if interrupted {
        return Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(()));
    }
    ran.map_err(failed)
}

/// Runs a subject; was it interrupted?
fn of(subject: &Subject<'_>, plan: &Plan) -> (Result<Ran, Failure>, bool) {
    let talk = LogLevel::Warnings;
    let mut interrupted = false;
    let mut go = |slave: Box<dyn Slave + '_>| {
        let mut slave = Interruptible {
            slave,
            looked: std::time::Instant::now(),
            interrupted: false,
        };
        let ran = attempt(&mut slave, plan);
        interrupted = slave.interrupted;
        ran
    };
    let ran = match subject {
        Subject::Model(model) => {
            Native::new(&model.model, talk).and_then(|slave| go(Box::new(slave)))
        }
        Subject::File(path) if is_ssp(path) => Package::open(path)
            .and_then(|package| package.couple(talk).and_then(|slave| go(Box::new(slave)))),
        Subject::File(path) => Fmu::open(path).and_then(|fmu| {
            fmu.instantiate("fixstep", talk)
                .and_then(|slave| go(Box::new(slave)))
        }),
    };
    (ran, interrupted)
}

fn attempt(slave: &mut dyn Slave, plan: &Plan) -> Result<Ran, Failure> {
    let times = plan.times(slave.description())?;
    if plan.step.is_some() {
        slave.announce_step(times.step);
    }
    let name = slave.description().name.clone();
    let outcome = master::attempt(slave, plan, &mut |_, _| {})?;
    Ok(Ran {
        outcome,
        name,
        start: times.start,
        stop: times.stop,
        step: times.step,
    })
}

#[pymethods]
impl Ran {
    /// The model.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Start, stop and communication step \[s\].
    #[getter]
    fn times(&self) -> (f64, f64, f64) {
        (self.start, self.stop, self.step)
    }

    /// The columns, the time first: name, unit, unit of display, its factor and offset.
    #[getter]
    fn columns(&self) -> Vec<(String, String, String, f64, f64)> {
        let outcome = &self.outcome;
        let units = outcome.units.iter().zip(&outcome.displays);
        let all = outcome.table.names.iter().zip(units);
        all.map(|(name, (unit, display))| {
            let (factor, offset) = display.conversion();
            (
                name.clone(),
                unit.clone(),
                display.unit.clone(),
                factor,
                offset,
            )
        })
        .collect()
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.outcome.table.rows()
    }

    /// Writes a column into an array.
    fn column(&self, py: Python<'_>, at: usize, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let column = self.outcome.table.columns.get(at);
        fill(py, out, column.map_or(&[], Vec::as_slice))
    }

    /// Columns of texts.
    #[getter]
    fn texts(&self) -> Vec<(String, Vec<String>)> {
        let all = self.outcome.table.texts.iter();
        all.map(|column| (column.name.clone(), column.rows.clone()))
            .collect()
    }

    /// When (s) and why the slave ended the run, if it did.
    #[getter]
    fn ended(&self) -> Option<(f64, String)> {
        self.outcome.ended.clone()
    }

    /// Why the run failed, if it did.
    #[getter]
    fn failed(&self) -> Option<String> {
        self.outcome
            .failed
            .as_ref()
            .map(|failure| failure.0.clone())
    }

    /// Messages: level, category, text.
    #[getter]
    fn messages(&self) -> Vec<(&'static str, String, String)> {
        let all = self.outcome.messages.iter();
        all.map(|message| {
            let level = match message.level {
                Level::Note => "note",
                Level::Warning => "warning",
                Level::Error => "error",
            };
            (level, message.category.clone(), message.text.clone())
        })
        .collect()
    }

    /// Wall time of the steps \[s\].
    #[getter]
    fn took(&self) -> f64 {
        self.outcome.took.as_secs_f64()
    }

    /// The table as CSV.
    fn csv(&self) -> String {
        self.outcome.table.to_text()
    }
}
