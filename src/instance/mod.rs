//! Control plane: an FMU instance without C types, shared by both versions of FMI.
//!
//! ```text
//!     C function ─► mode table ([`mode`]) ─► access checks ([`access`]) ─► simulation
//!                                                         │
//!     log ([`log`]) ◄── refusal with its reason ──────────┘
//! ```
//!
//! Every function of the C interface calls [`Instance::begin`], which checks the mode. If the call is refused, it
//! calls [`Instance::refuse`], which logs the reason and enters the mode that follows an error. Only
//! [`Instance::do_step`] is data plane: it queues messages instead of allocating or logging, except when it ends the
//! run and reports the reason.

pub mod access;
mod bounds;
pub mod derivatives;
mod life;
pub mod load;
pub mod log;
pub mod mode;
pub mod resources;
pub mod settings;
pub mod snapshot;
pub mod status;
mod step;
#[cfg(test)]
pub(crate) mod testing;
pub mod texts;
pub mod timeline;
mod values;
pub mod window;

use std::path::PathBuf;

use crate::rti::Recorder;
use access::Accesses;
use fixstep_kernel::mechanism::Finding;
use fixstep_kernel::mechanism::{Sensor, WATCHED};
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::{Simulation, Tolerance};
use fixstep_variables::file::Blueprint;
use log::{Category, Log, LogSink};
use mode::{Mode, Rule};
use settings::Settings;
use snapshot::States;
use status::{CallResult, Refusal, Status};
use step::Course;
pub use step::StepEnd;
use texts::Texts;
use timeline::Timeline;
use window::{View, Window};

/// The arguments of an importer's instantiation.
pub struct Instantiation<'a> {
    /// Name of the instance: any text.
    pub name: &'a str,
    /// Instantiation token (FMI 2: GUID) of the model description.
    pub token: &'a str,
    /// Folders that may hold the resources, best first.
    pub folders: Vec<PathBuf>,
    /// Are all categories of messages wanted?
    pub logging: bool,
    /// Where messages go.
    pub sink: Box<dyn LogSink>,
    /// The window in which values are published, if the model asks for it.
    pub window: Option<&'static Window>,
}

/// One instance of an FMU.
#[derive(Debug)]
pub struct Instance {
    name: String,
    blueprint: Box<Blueprint>,
    accesses: Accesses,
    simulation: Simulation,
    log: Log,
    mode: Mode,
    settings: Settings,
    timeline: Timeline,
    course: Course,
    /// Integration step in force \[s\].
    h: f64,
    /// Has something changed since the last consistent start?
    stale: bool,
    /// Does the importer see the start? Before initialization mode nothing is computed for it.
    started: bool,
    /// Steps that needed the dense factorisation, as last reported.
    fallbacks: u32,
    recorder: Recorder,
    /// Values of string variables, in the form that C reads.
    texts: Texts,
    states: States,
    /// Findings that the log has.
    told: Vec<Finding>,
    /// The communication step that the run will use, if it is known \[s\].
    foreseen: Option<f64>,
    /// Quantities of which the guard has already warned.
    told_alarms: [bool; WATCHED],
    /// Variables that the log has already reported as not finite.
    told_not_finite: Vec<bool>,
    /// Variables that the log has already reported as clamped.
    told_beyond: Vec<bool>,
    /// Where values may be published, and the hold on it.
    window: Option<&'static Window>,
    view: Option<View>,
}

impl Instance {
    /// Loads the model, compares the token and builds the simulation. Faults are logged. Instances are built in
    /// memory of their own, part by part, since hosts have small stacks.
    pub fn new(order: Instantiation<'_>) -> Option<Box<Self>> {
        let log = Log::new(order.sink, order.logging);
        let blueprint = match load::load(&order.folders) {
            Ok(blueprint) => blueprint,
            Err(reason) => {
                log.status(Status::Error, &reason.to_string());
                return None;
            }
        };
        let mut instance = Self::of_boxed(blueprint, order.name, order.token, log)?;
        instance.window = order.window;
        Some(instance)
    }

    /// An instance of a model that is loaded already.
    pub fn of(blueprint: Blueprint, name: &str, token: &str, log: Log) -> Option<Box<Self>> {
        Self::of_boxed(Box::new(blueprint), name, token, log)
    }

    fn of_boxed(blueprint: Box<Blueprint>, name: &str, token: &str, log: Log) -> Option<Box<Self>> {
        let checked = load::check_token(&blueprint, token);
        let checked = checked.map_err(|error| error.to_string());
        let built = checked.and_then(|()| {
            Simulation::boxed(&blueprint.mechanism).map_err(|error| error.to_string())
        });
        let simulation = match built {
            Ok(simulation) => simulation,
            Err(reason) => {
                log.status(Status::Error, &reason);
                return None;
            }
        };
        let mut instance = Self::of_parts(blueprint, simulation, name, log);
        let names = instance.accesses.table().variables.iter();
        let names = names.map(|variable| variable.name.clone()).collect();
        instance.log.names.variables = names;
        instance.log.names.culprits = instance.simulation.culprit_names();
        instance.adopt_texts();
        instance.log_notes(&[]);
        instance.log_findings();
        Some(instance)
    }

    /// Never inlined: the assembled data are on the stack only briefly.
    #[inline(never)]
    fn of_parts(
        blueprint: Box<Blueprint>,
        simulation: Box<Simulation>,
        name: &str,
        log: Log,
    ) -> Box<Self> {
        let model = &blueprint.mechanism;
        let mut settings = Settings::new(model.solver.clone(), model.units.time.factor);
        settings.texts = model.texts.iter().map(|text| text.start.clone()).collect();
        let experiment = model.experiment;
        Box::new(Self {
            name: name.to_owned(),
            accesses: Accesses::new(blueprint.table.clone()),
            log,
            mode: Mode::Instantiated,
            timeline: Timeline::new(experiment.start),
            course: Course::default(),
            h: experiment.step / f64::from(settings.solver.hratio.max(1)),
            settings,
            stale: false,
            started: false,
            fallbacks: 0,
            recorder: Recorder::new(false),
            texts: Texts::default(),
            states: States::default(),
            told: Vec::new(),
            foreseen: None,
            told_alarms: [false; WATCHED],
            told_not_finite: vec![false; blueprint.table.variables.len()],
            told_beyond: vec![false; blueprint.table.variables.len()],
            window: None,
            view: None,
            simulation: *simulation,
            blueprint,
        })
    }

    /// Updates everything that depends on texts: the strings that C reads, and the messages of sensors.
    fn adopt_texts(&mut self) {
        self.texts = Texts::of(self.accesses.table(), &self.settings);
        let texts = &self.settings.texts;
        let said = |sensor: &Sensor| match sensor.message.words(texts) {
            "" => String::new(),
            words => format!("{}: {words}", sensor.call()),
        };
        let sensors = &self.blueprint.mechanism.memory.sensors;
        self.log.names.sensors = sensors.iter().map(said).collect();
    }

    /// Begins a C function: delivers the messages that steps have queued (unless this is a step) and checks the mode.
    pub fn begin(&mut self, rule: Rule) -> Result<(), Refusal> {
        if !rule.is_step {
            self.log.deliver();
        }
        rule.check(self.mode).map_err(Refusal::error)
    }

    /// Ends a refused C function: logs the reason, and enters the mode after an error.
    #[cold]
    pub fn refuse(&mut self, refusal: &Refusal) -> Status {
        self.log.deliver();
        self.log.status(refusal.status, &refusal.text);
        if refusal.status >= Status::Error {
            self.mode = Mode::Failed;
        }
        refusal.status
    }

    /// Runs the body of a C function from beginning to end.
    pub fn call(&mut self, rule: Rule, body: impl FnOnce(&mut Self, Rule) -> CallResult) -> Status {
        let begun = self.begin(rule);
        match begun.and_then(|()| body(self, rule)) {
            Ok(status) => status,
            Err(refusal) => self.refuse(&refusal),
        }
    }

    /// Warns.
    pub fn warn(&self, text: &str) -> Status {
        self.log.status(Status::Warning, text);
        Status::Warning
    }

    /// The last message of an instance that is lost.
    pub fn tell_fatal(&self, text: &str) {
        self.log.status(Status::Fatal, text);
    }

    /// The name that the importer gave.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The engine within, for pictures of what moves.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Integrates with a variable step from now on, once the run has been initialized. Not for real time.
    pub fn set_tolerance(&mut self, tolerance: Tolerance) {
        self.simulation.set_tolerance(tolerance)
    }

    /// The measured real time.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Time of the last accepted step \[s\].
    pub fn time(&self) -> f64 {
        match self.mode {
            Mode::Instantiated | Mode::Initialization => self.timeline.start,
            _ if !self.started => self.timeline.start,
            _ => self.simulation.time(),
        }
    }

    /// Switches categories of messages.
    pub fn set_debug_logging(&mut self, on: bool, categories: &[String]) -> CallResult {
        self.log
            .switch(on, categories)
            .map(|()| Status::Ok)
            .map_err(Refusal::error)
    }

    /// Are these all references of variables?
    pub fn all_known(&self, rule: Rule, references: &[u32]) -> Result<(), Refusal> {
        for reference in references {
            self.accesses.find(rule, *reference)?;
        }
        Ok(())
    }

    /// Releases the instance for the importer's callback, between two integration steps.
    pub fn pause(&mut self) {
        self.mode = Mode::Intermediate;
    }

    /// Takes the instance back. A call that was refused in the callback has ended the run.
    pub fn take_back(&mut self) -> Result<(), Refusal> {
        if self.mode == Mode::Intermediate {
            self.mode = Mode::Step;
            return Ok(());
        }
        Err(Refusal::error(format!(
            "the step ends at time {} s, since a call of the intermediate update was refused",
            Seconds(self.simulation.time())
        )))
    }

    /// Value references on which a variable depends: before the first step those of the initialization, then those of
    /// a step.
    pub fn dependencies(&self, rule: Rule, reference: u32) -> Result<&[u32], Refusal> {
        let at_start = matches!(self.mode, Mode::Instantiated | Mode::Initialization);
        self.accesses.dependencies(rule, reference, at_start)
    }

    /// Announces that the run will use this communication step \[s\]: warnings about the step then refer to it.
    /// Warnings about the model's own step are removed and returned.
    pub fn announce_step(&mut self, communication: f64) -> Vec<String> {
        self.foreseen = Some(communication);
        let told = std::mem::take(&mut self.told);
        told.iter().map(ToString::to_string).collect()
    }

    /// Logs the warnings of the model, except those logged before.
    fn log_findings(&mut self) {
        if !self.log.wants(Category::Warning) {
            return;
        }
        for finding in self.simulation.findings_at(self.coming_step()) {
            if !self.told.contains(&finding) {
                self.log.status(Status::Warning, &finding.to_string());
                self.told.push(finding);
            }
        }
    }

    /// Logs the simulation's notes, except those logged before.
    fn log_notes(&self, told: &[String]) {
        let notes = self.simulation.notes().iter();
        for note in notes.filter(|note| !told.contains(note)) {
            self.log.info(Category::Events, note);
        }
    }
}

#[cfg(test)]
mod tests;
