//! Control plane: runs a model in this process as a slave, through the same instance as in its FMU. Its variables are
//! those of FMI 2.0, where elements of arrays have separate names.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fixstep::instance::Instance;
use fixstep::instance::access::Kind;
use fixstep::instance::log::{Log, LogSink};
use fixstep::instance::mode::{Fmi2, Fmi3, Mode, Rule};
use fixstep::instance::status::{CallResult, Status};
use fixstep_kernel::mechanism::{Finding, Mechanism};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::resources::Resources;
use fixstep_model::table;
use fixstep_model::{Model, Places};
use fixstep_variables::file::Blueprint;
use model_description::parse::{Description, FmiVersion, Type};

use crate::check::Problem;
use crate::halt;
use crate::overview::Overview;
use crate::package;
use crate::slave::{Advance, Failure, Level, LogLevel, Message, Slave, Value};

/// A model in this process.
pub struct Native {
    description: Description,
    instance: Box<Instance>,
    messages: Arc<Messages>,
}

#[derive(Default)]
struct Messages(Mutex<Vec<Message>>);

/// The instance's end of the message list.
struct Pipe(Arc<Messages>);

impl LogSink for Pipe {
    fn write(&self, status: Status, category: &str, text: &str) {
        let level = match status {
            Status::Ok => Level::Note,
            Status::Warning | Status::Discard => Level::Warning,
            Status::Error | Status::Fatal => Level::Error,
        };
        let (category, text) = (category.to_owned(), text.to_owned());
        self.0.all().push(Message {
            level,
            category,
            text,
        });
    }
}

impl Messages {
    /// All of them. A panic that held them has left them whole: it cannot come between parts of a message.
    fn all(&self) -> MutexGuard<'_, Vec<Message>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.all())
    }

    /// The last complaint, as the reason of a failure.
    fn reason(&self) -> String {
        let messages = self.all();
        let mut complaints = messages
            .iter()
            .rev()
            .filter(|message| message.level > Level::Note);
        complaints.next().map_or_else(
            || "no reason was given".to_owned(),
            |last| last.text.clone(),
        )
    }
}

impl Native {
    /// An instance of a model.
    pub fn new(model: &Model, talk: LogLevel) -> Result<Self, Failure> {
        let description = package::description(model, FmiVersion::V2)?;
        let blueprint = Blueprint {
            mechanism: model.mechanism.clone(),
            table: table::of(&model.mechanism),
            token: description.token.clone(),
        };
        Self::of(blueprint, description, talk)
    }

    /// An instance of what an FMU carries, with its description for FMI 2.0.
    pub fn of(
        blueprint: Blueprint,
        description: Description,
        talk: LogLevel,
    ) -> Result<Self, Failure> {
        let messages = Arc::new(Messages::default());
        let log = Log::new(Box::new(Pipe(Arc::clone(&messages))), talk == LogLevel::All);
        let name = blueprint.mechanism.name.clone();
        let instance = Instance::of(blueprint, &name, &description.token, log)
            .ok_or_else(|| Failure(messages.reason()))?;
        let mut slave = Self {
            description,
            instance,
            messages,
        };
        let categories = talk.categories().iter().map(|name| (*name).to_owned());
        let categories: Vec<String> = categories.collect();
        if !categories.is_empty() {
            slave.call(Fmi2::SetDebugLogging.rule(), |instance, _| {
                instance.set_debug_logging(true, &categories)
            })?;
        }
        Ok(slave)
    }

    fn call(
        &mut self,
        rule: Rule,
        body: impl FnOnce(&mut Instance, Rule) -> CallResult,
    ) -> Result<(), Failure> {
        let mut refused = None;
        let status = self.instance.call(rule, |instance, rule| {
            body(instance, rule).inspect_err(|refusal| refused = Some(refusal.text.clone()))
        });
        match status {
            Status::Ok | Status::Warning => Ok(()),
            // A refusal that is not an error is not logged when logging is off.
            _ => Err(Failure(refused.unwrap_or_else(|| self.messages.reason()))),
        }
    }
}

impl Slave for Native {
    fn description(&self) -> &Description {
        &self.description
    }

    fn set(&mut self, variable: usize, values: &[Value]) -> Result<(), Failure> {
        let variable = &self.description.variables[variable];
        let (kind, references) = (variable.kind, [variable.reference]);
        let [value] = values else {
            return Err(Failure(format!(
                "variable \"{}\" is one value",
                variable.name
            )));
        };
        match (kind, value) {
            (Type::Float64, Value::Real(value)) => {
                let rule = Fmi2::SetReal.rule();
                self.call(rule, |instance, rule| {
                    instance.set_real(rule, &references, &[*value])
                })
            }
            (Type::Enumeration, Value::Integer(value)) => {
                let rule = Fmi2::SetInteger.rule();
                let kinds = [Kind::Enumeration];
                self.call(rule, |of, rule| {
                    of.set_integer(rule, &kinds, &references, |_| *value)
                })
            }
            (Type::Int32, Value::Integer(value)) => {
                let rule = Fmi2::SetInteger.rule();
                self.call(rule, |of, rule| {
                    of.set_integer(rule, &[Kind::Integer], &references, |_| *value)
                })
            }
            (Type::Boolean, Value::Boolean(value)) => {
                let rule = Fmi2::SetBoolean.rule();
                self.call(rule, |instance, rule| {
                    instance.set_boolean(rule, &references, |_| *value)
                })
            }
            (Type::String, Value::Text(text)) => {
                let rule = Fmi2::SetString.rule();
                let texts = [text.clone()];
                self.call(rule, |instance, rule| {
                    instance.set_string(rule, &references, &texts)
                })
            }
            (kind, value) => Err(Failure(format!("{value:?} is not of type {kind:?}"))),
        }
    }

    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure> {
        let variable = &self.description.variables[variable];
        let references = [variable.reference];
        match variable.kind {
            Type::Float64 => {
                let rule = Fmi2::GetReal.rule();
                self.call(rule, |of, rule| {
                    of.get_real(rule, &references, |_, value| into.push(value))
                })
            }
            Type::Int32 | Type::Enumeration => {
                let rule = Fmi2::GetInteger.rule();
                let kinds = [Kind::Integer, Kind::Enumeration];
                let put = |_, value: i64| into.push(value as f64);
                self.call(rule, |instance, rule| {
                    instance.get_integer(rule, &kinds, &references, put)
                })
            }
            Type::Boolean => {
                let rule = Fmi2::GetBoolean.rule();
                let put = |_, value: bool| into.push(f64::from(u8::from(value)));
                self.call(rule, |instance, rule| {
                    instance.get_boolean(rule, &references, put)
                })
            }
            kind => Err(Failure(format!("type {kind:?} is not a number"))),
        }
    }

    fn read_text(&mut self, variable: usize, into: &mut Vec<String>) -> Result<(), Failure> {
        let references = [self.description.variables[variable].reference];
        self.call(Fmi2::GetString.rule(), |instance, rule| {
            instance.get_string(rule, &references, |_, text| {
                into.push(text.to_string_lossy().into_owned());
            })
        })
    }

    fn enter_initialization(&mut self, start: f64, stop: Option<f64>) -> Result<(), Failure> {
        self.call(Fmi3::EnterInitializationMode.rule(), |instance, _| {
            instance.setup_experiment(None, start, stop)?;
            instance.enter_initialization()
        })
    }

    fn exit_initialization(&mut self) -> Result<(), Failure> {
        self.call(Fmi3::ExitInitializationMode.rule(), |of, _| {
            of.exit_initialization()
        })
    }

    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        halt::check()?;
        let mut advance = Advance::Done;
        self.call(Fmi3::DoStep.rule(), |instance, _| {
            let end = instance.do_step(time, step)?;
            if end.stopped {
                advance = Advance::Ended { at: end.time };
            }
            Ok(Status::Ok)
        })?;
        Ok(advance)
    }

    fn begin_step(&mut self, time: f64, step: f64) -> Result<(), Failure> {
        halt::check()?;
        self.call(Fmi3::DoStep.rule(), |instance, _| {
            instance.begin_step(time, step)?;
            instance.report_steps();
            Ok(Status::Ok)
        })
    }

    fn go_on(&mut self) -> Result<(f64, Option<Advance>), Failure> {
        let mut reached = (0.0, None);
        self.call(Fmi3::DoStep.rule(), |instance, _| {
            let end = instance.integrate();
            reached.0 = instance.simulation().time();
            reached.1 = end.map(|end| {
                if end.stopped {
                    Advance::Ended { at: end.time }
                } else {
                    Advance::Done
                }
            });
            Ok(Status::Ok)
        })?;
        Ok(reached)
    }

    fn terminate(&mut self) -> Result<(), Failure> {
        self.call(Fmi3::Terminate.rule(), |of, _| of.terminate())
    }

    fn announce_step(&mut self, step: f64) {
        let told = self.instance.announce_step(step);
        let mut messages = self.messages.all();
        messages.retain(|message| !told.contains(&message.text));
    }

    fn messages(&mut self) -> Vec<Message> {
        self.messages.take()
    }

    fn engine(&self) -> Option<&Simulation> {
        Some(self.instance.simulation())
    }

    fn saved(&self) -> Result<Vec<u8>, Failure> {
        Ok(self.instance.state_bytes())
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let mut handle = 0;
        self.call(Fmi3::DeserializeFMUState.rule(), |instance, _| {
            handle = instance.deserialize(bytes, 0)?;
            Ok(Status::Ok)
        })?;
        self.call(Fmi3::SetFMUState.rule(), |instance, _| {
            instance.restore_state(handle)
        })?;
        if matches!(
            self.instance.mode(),
            Mode::Instantiated | Mode::Initialization
        ) {
            return Err(Failure(String::from(
                "the state was saved before its initialization ended; valid: one of step mode",
            )));
        }
        Ok(())
    }
}

/// The faults of a model's text, which messages call `name`; the model is also assembled, started and linted. `files` reads
/// files beside it. In a strict check warnings are errors, as in a model that is strict itself.
pub fn problems(name: &str, text: &str, files: &Resources<'_>, strict: bool) -> Checked {
    match Model::read_named(name, text, files, &[]) {
        Err(errors) => Checked {
            problems: errors
                .0
                .iter()
                .map(|error| Problem {
                    within: error.within.clone(),
                    ..Problem::error(&error.place, error.said().to_string())
                })
                .collect(),
            overview: None,
        },
        Ok(model) => lint(model.mechanism, strict, &model.places),
    }
}

/// A model that was checked.
#[derive(Debug, Default)]
pub struct Checked {
    /// Its faults.
    pub problems: Vec<Problem>,
    /// Its overview; `None`: it does not start.
    pub overview: Option<Overview>,
}

/// The findings of a mechanism, or why it cannot be started; `places` knows its texts.
pub(crate) fn lint(mut mechanism: Mechanism, strict: bool, places: &Places) -> Checked {
    let strict = std::mem::take(&mut mechanism.lint.strict) || strict;
    let units = mechanism.units.clone();
    match started(mechanism) {
        Err(reason) => Checked {
            problems: vec![Problem::error("", reason.as_str()).at(places.named_in(&reason))],
            overview: None,
        },
        Ok(simulation) => Checked {
            problems: findings(&simulation, strict, places),
            overview: Some(Overview::of(&simulation, &units)),
        },
    }
}

/// The findings of a mechanism that has started.
pub(crate) fn findings(simulation: &Simulation, strict: bool, places: &Places) -> Vec<Problem> {
    let findings = simulation.findings();
    let problem = |finding: &Finding| {
        let place = match finding.name.as_str() {
            "" => places.of_model(&format!("{}.{}", finding.kind, finding.field)),
            name => places.of(&finding.kind, name, &finding.field),
        };
        let problem = Problem {
            error: strict,
            rule: finding.rule.id(),
            ..Problem::error(&finding.place(), finding.text())
        };
        problem.at(place)
    };
    findings.iter().map(problem).collect()
}

/// The solver's notes from assembling a mechanism, or the reason why it cannot.
pub fn notes(mechanism: &Mechanism) -> Vec<String> {
    match started(mechanism.clone()) {
        Ok(simulation) => simulation.notes().to_vec(),
        Err(reason) => vec![format!("the model cannot be started: {reason}")],
    }
}

fn started(mechanism: Mechanism) -> Result<Simulation, String> {
    let start = mechanism.experiment.start;
    let mut simulation = Simulation::new(mechanism).map_err(|error| error.to_string())?;
    simulation
        .initialize(start)
        .map_err(|error| error.to_string())?;
    Ok(simulation)
}
