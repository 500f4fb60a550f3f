//! Control plane: the run that is judged, which can be made again with other settings.

use std::time::Instant;

use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_kernel::lint::Brief;
use fixstep_kernel::mechanism::SolverSettings;
use fixstep_kernel::simulation::{Simulation, VariableReport};
use fixstep_variables::file::{Blueprint, pack};
use model_description::parse::{Causality, Description, FmiVersion, Type};

use crate::display::Display;
use crate::native::Native;
use crate::package;
use crate::run::{Input, Plan, Times, last_words, start};
use crate::slave::{Advance, Failure, LogLevel, Slave, of_causality};
use crate::trial::account::Account;
use crate::trial::runs::Stop;
use crate::trial::{Measure, measures};

/// A run, with what it needs.
#[derive(Debug)]
pub struct Subject {
    blueprint: Blueprint,
    description: Description,
    plan: Plan,
    /// Its communication points.
    pub times: Times,
    /// The settings in force without others.
    pub own: SolverSettings,
    /// Its outputs that are real numbers.
    pub outputs: Vec<Output>,
    /// Their units and dimensions, as far as known.
    pub(super) measures: Vec<Measure>,
    /// The briefest course of the functions of time in the run.
    pub brief: Option<Brief>,
}

/// An output.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its place in the description.
    variable: usize,
    /// Its name.
    pub name: String,
    /// Its unit; empty: none.
    pub unit: String,
    /// How people are shown it.
    pub display: Display,
}

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub enum How<'a> {
    /// With the fixed step, and these settings besides those of the run: names and values.
    Fixed(&'a [(String, String)]),
    /// With a variable step, and these settings.
    Variable(&'a [(String, String)]),
}

/// What a run has shown.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Each output at all communication points.
    pub columns: Vec<Vec<f64>>,
    /// Where and why it ended early.
    pub ended: Option<Stop>,
    /// Has a sensor asked for that end?
    pub asked: bool,
    /// Wall time of each communication step (s).
    pub seconds: Vec<f64>,
    /// Size of the last integration step (s).
    pub h: f64,
    /// Energy, joints and iterations.
    pub account: Account,
    /// What a variable step has done.
    pub variable: Option<VariableReport>,
}

impl Course {
    /// Communication steps made.
    pub fn rows(&self) -> usize {
        let points = self.columns.first().map_or(0, Vec::len);
        points.saturating_sub(1)
    }
}

impl Subject {
    /// Prepares a run.
    pub fn new(blueprint: &Blueprint, plan: &Plan) -> Result<Self, Failure> {
        let mut blueprint = blueprint.clone();
        let mechanism = &mut blueprint.mechanism;
        // Strictness, publishing and locked memory are switched off, since the model is only tried.
        mechanism.lint.strict = false;
        mechanism.solver.publish = false;
        mechanism.solver.lock_memory = false;
        let times = plan.times(&package::description_of(&blueprint, FmiVersion::V2)?)?;
        if times.steps == 0 {
            return Err(Failure("the run has no communication step".to_owned()));
        }
        // A communication step is then one step of the experiment, whose division is the setting `hratio`.
        let whole = (times.step / blueprint.mechanism.own_step())
            .round()
            .max(1.0);
        let mut plan = Plan {
            step: Some(times.step),
            record: Vec::new(),
            ..plan.clone()
        };
        if blueprint.mechanism.experiment.step != times.step {
            blueprint.mechanism.experiment.step = times.step;
            let given = plan
                .settings
                .iter()
                .any(|(name, _)| name == "solver.hratio");
            if !given {
                let hratio = ("solver.hratio".to_owned(), whole.to_string());
                plan.settings.insert(0, hratio);
            }
        }
        let description = package::description_of(&blueprint, FmiVersion::V2)?;
        let real = |at: &usize| description.variables[*at].kind == Type::Float64;
        let of = |at: usize| Output {
            variable: at,
            name: description.variables[at].name.clone(),
            unit: description.variables[at].unit.clone(),
            display: Display::of(&description, &description.variables[at]),
        };
        let outputs = of_causality(&description, Causality::Output);
        let outputs: Vec<Output> = outputs.filter(real).map(of).collect();
        let mut subject = Self {
            blueprint,
            description,
            plan,
            times,
            own: SolverSettings::default(),
            outputs,
            measures: Vec::new(),
            brief: None,
        };
        subject.look()?;
        Ok(subject)
    }

    /// Starts once, which shows whether the run starts at all.
    fn look(&mut self) -> Result<(), Failure> {
        let slave = self.started(How::Fixed(&[]))?;
        let Some(engine) = slave.engine() else {
            return Ok(());
        };
        self.own = engine.settings().clone();
        let named: Vec<(&str, &str)> = { self.outputs.iter() }
            .map(|output| (&*output.name, &*output.unit))
            .collect();
        let Times { start, stop, .. } = self.times;
        let duration = stop - start;
        self.brief = engine.briefest((start, stop));
        self.measures = measures(engine, &self.description, &named, duration);
        Ok(())
    }

    /// The mechanism and its table, as they are run.
    pub fn blueprint(&self) -> &Blueprint {
        &self.blueprint
    }

    /// The run with more settings.
    pub fn plan_with(&self, settings: &[(String, String)]) -> Plan {
        let mut plan = self.plan.clone();
        plan.settings.extend_from_slice(settings);
        plan
    }

    /// Does it read a table of inputs?
    pub fn has_inputs(&self) -> bool {
        self.plan.input.is_some()
    }

    /// A fingerprint of all that the results follow from, but for the computer.
    pub fn fingerprint(&self) -> Result<String, Failure> {
        let packed = pack(&self.blueprint.mechanism, &self.blueprint.table);
        let packed = packed.map_err(|fault| Failure(fault.to_string()))?;
        let mut all = Fingerprint::default();
        all.text(env!("CARGO_PKG_VERSION"));
        // Another build may solve otherwise, or faster. A program that cannot be read counts by its version.
        let program = std::env::current_exe().and_then(std::fs::read);
        all.bytes(&program.unwrap_or_default());
        all.text(&packed.token);
        let Times {
            start, stop, step, ..
        } = self.times;
        for time in [start, stop, step] {
            all.number(time.to_bits());
        }
        for (name, value) in &self.plan.settings {
            all.text(name);
            all.text(value);
        }
        let table = self.plan.input.as_ref();
        all.text(&table.map_or_else(String::new, crate::csv::Table::to_text));
        Ok(all.digits())
    }

    /// What lint finds at the step of these settings, and what depends on it: place and text.
    pub(super) fn findings(
        &self,
        settings: &[(String, String)],
    ) -> Result<Vec<(String, String)>, Failure> {
        let slave = self.started(How::Fixed(settings))?;
        let Some(engine) = slave.engine() else {
            return Ok(Vec::new());
        };
        let found = engine.findings().into_iter();
        let found = found.filter(|finding| finding.rule.is_of_the_step());
        Ok(found
            .map(|finding| (finding.place(), finding.text()))
            .collect())
    }

    /// A slave in step mode.
    fn started(&self, how: How<'_>) -> Result<Native, Failure> {
        let blueprint = self.blueprint.clone();
        let mut slave = Native::of(blueprint, self.description.clone(), LogLevel::Errors)?;
        let mut settings = self.plan.settings.clone();
        match how {
            How::Fixed(more) | How::Variable(more) => settings.extend_from_slice(more),
        }
        let input = self.input()?;
        let times = &self.times;
        start(
            &mut slave,
            &settings,
            input.as_ref(),
            times.start,
            Some(times.stop),
        )?;
        Ok(slave)
    }

    fn input(&self) -> Result<Option<Input<'_>>, Failure> {
        let table = self.plan.input.as_ref();
        table
            .map(|table| Input::new(&self.description, table))
            .transpose()
    }

    /// Makes the run over at most so many communication steps; `watch` hears of each. An error is one that prevents it
    /// from starting, or from setting its inputs; an early end is in the result.
    pub fn run(
        &self,
        how: How<'_>,
        most: u64,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Course, Failure> {
        let mut slave = self.started(how)?;
        let input = self.input()?;
        let mut course = Course {
            columns: vec![Vec::new(); self.outputs.len()],
            ..Course::default()
        };
        self.read(&mut slave, &mut course)?;
        for n in 0..self.times.steps.min(most) {
            let time = self.times.at(n);
            if let Some(input) = &input {
                input.apply(&mut slave, time)?;
            }
            let began = Instant::now();
            let advance = slave.step(time, self.times.step)?;
            course.seconds.push(began.elapsed().as_secs_f64());
            if let Advance::Ended { at } = advance {
                let stopped = slave.engine().and_then(Simulation::stopped_by);
                course.asked = stopped.is_some();
                let reason = last_words(&slave.messages());
                course.ended = Some(Stop { time: at, reason });
                break;
            }
            self.read(&mut slave, &mut course)?;
            if let (Some(engine), How::Fixed(_)) = (slave.engine(), how) {
                course.account.watch(engine);
            }
            if !watch(n + 1) {
                break;
            }
        }
        if let Some(engine) = slave.engine() {
            course.h = engine.step_size();
            course.variable = engine.variable_report();
            let duration = self.times.stop - self.times.start;
            course.account.finish(engine, duration);
        }
        Ok(course)
    }

    fn read(&self, slave: &mut Native, course: &mut Course) -> Result<(), Failure> {
        for (output, column) in self.outputs.iter().zip(&mut course.columns) {
            slave.read(output.variable, column)?;
        }
        Ok(())
    }
}
