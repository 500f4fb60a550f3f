//! Control plane: finds the state at which a mechanism is linearised.

use crate::native::Native;
use crate::package;
use crate::run::{self, Plan};
use crate::scene;
use crate::slave::{Failure, LogLevel, Message, Slave};
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::{Mechanism, Quantity};
use fixstep_kernel::simulation::{Linearization, Simulation};
use fixstep_model::shapes::Shape;
use fixstep_pictures::scene::{Frame, Scene};
use fixstep_variables::file::Blueprint;
use linear_analysis::export::{Point, Value};
use model_description::parse::FmiVersion;

/// The message about an equilibrium whose parts move.
const KEPT: &str = "static equilibrium: its poses are those of rest, but parts have the velocities that the model gives, and the linear \
                    form is that of this motion; leave them out of the model for one about rest";

/// Which state to use as the operating point.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The run to the operating point: start, step, settings, inputs. It stops at the requested time; without a time,
    /// the start is the operating point.
    pub plan: Plan,
    /// Begin in static equilibrium, even if the model does not ask for it.
    pub balanced: bool,
    /// How much the model logs.
    pub talk: LogLevel,
    /// If the mechanism is to be drawn there: the shapes that the model names.
    pub drawn: Option<Vec<Shape>>,
}

/// A mechanism at one of its states.
#[derive(Debug)]
pub struct OperatingPoint {
    /// The mechanism, with the settings in force.
    pub mechanism: Mechanism,
    /// Near its state.
    pub linearization: Linearization,
    /// Its time \[s\].
    pub time: f64,
    /// Time, and the values of inputs, parameters and outputs.
    pub point: Point,
    /// Where its bodies are.
    pub frame: Frame,
    /// Where their centres of mass are \[m\].
    pub centers: Vec<Vec3>,
    /// What it looks like, if it is to be drawn.
    pub scene: Option<Scene>,
    /// The model's log messages up to this state.
    pub messages: Vec<Message>,
    /// Messages from the search for equilibrium.
    pub balance: Vec<String>,
}

/// Runs a mechanism to the requested state, and makes its linear form there; `progress` receives the share done.
pub fn find(
    mut blueprint: Blueprint,
    wanted: &Wanted,
    progress: &mut dyn FnMut(f64),
) -> Result<OperatingPoint, Failure> {
    let mechanism = &mut blueprint.mechanism;
    mechanism.solver.start.equilibrium |= wanted.balanced;
    mechanism.solver.start.turning = wanted.balanced;
    look_only(mechanism);
    let description = package::description_of(&blueprint, FmiVersion::V2)?;
    let default = description.default_experiment.start;
    let start = wanted.plan.start.or(default).unwrap_or(0.0);
    let stop = wanted.plan.stop.unwrap_or(start);
    if stop < start {
        return Err(Failure(format!(
            "the state at {stop} s is wanted, before the start at {start} s; valid: a time from the start on"
        )));
    }
    let mut slave = Native::of(blueprint, description, wanted.talk)?;
    let plan = Plan {
        start: Some(start),
        stop: Some(stop),
        ..wanted.plan.clone()
    };
    let outcome = run::attempt(&mut slave, &plan, &mut |_, share| progress(share))?;
    if let Some(failure) = outcome.failed {
        return Err(failure);
    }
    if let Some((time, reason)) = outcome.ended {
        return Err(Failure(format!(
            "the run that leads to {stop} s ended at {time} s: {reason}"
        )));
    }
    let mut found = at(&slave, outcome.messages, wanted.drawn.as_deref())?;
    let moves = slave.engine().is_some_and(|engine| engine.overview().moves);
    if wanted.balanced && stop == start && moves && found.mechanism.motions.is_empty() {
        found.balance.push(KEPT.to_owned());
    }
    Ok(found)
}

/// Takes the linear form of a mechanism at a saved state: the bytes of `fmi3SerializeFMUState`.
pub fn saved(
    mut blueprint: Blueprint,
    bytes: &[u8],
    wanted: &Wanted,
) -> Result<OperatingPoint, Failure> {
    look_only(&mut blueprint.mechanism);
    let description = package::description_of(&blueprint, FmiVersion::V2)?;
    let mut slave = Native::of(blueprint, description, wanted.talk)?;
    slave.restore(bytes)?;
    let messages = slave.messages();
    at(&slave, messages, wanted.drawn.as_deref())
}

/// Strictness, publishing and locked memory are switched off, since the model is only analysed.
fn look_only(mechanism: &mut Mechanism) {
    mechanism.lint.strict = false;
    mechanism.solver.publish = false;
    mechanism.solver.lock_memory = false;
}

/// The operating point at the present state of a mechanism.
fn at(
    slave: &Native,
    messages: Vec<Message>,
    drawn: Option<&[Shape]>,
) -> Result<OperatingPoint, Failure> {
    let Some(engine) = slave.engine() else {
        return Err(Failure(String::from("there is no engine to look into")));
    };
    let told = engine.notes().iter();
    let told = told.filter(|note| note.starts_with("static equilibrium: "));
    let balance = told.cloned().collect();
    let linearization = engine.linearization();
    let linearization = linearization.map_err(|error| Failure(error.message))?;
    let frame = scene::frame(engine);
    Ok(OperatingPoint {
        mechanism: engine.mechanism().clone(),
        linearization,
        time: engine.time(),
        point: point(engine),
        centers: (0..engine.mechanism().bodies.len())
            .map(|body| engine.body_pose(BodyId::from(body)).0)
            .collect(),
        scene: drawn.map(|shapes| scene::of(engine, shapes, &vec![frame.clone()])),
        frame,
        messages,
        balance,
    })
}

/// Values of inputs, parameters and outputs.
fn point(engine: &Simulation) -> Point {
    let mechanism = engine.mechanism();
    let value = |quantity: &Quantity, value| Value {
        name: quantity.name.clone(),
        unit: quantity.unit.clone(),
        value,
    };
    let inputs = mechanism.inputs.iter().enumerate();
    let parameters = mechanism.parameters.iter().enumerate();
    let outputs = mechanism.outputs.iter().enumerate();
    Point {
        time: engine.time(),
        inputs: inputs
            .map(|(k, input)| value(&input.quantity, engine.input(k.into())))
            .collect(),
        parameters: parameters
            .map(|(k, parameter)| value(&parameter.quantity, engine.parameter(k.into())))
            .collect(),
        outputs: outputs
            .map(|(k, output)| value(&output.quantity, engine.output(k.into())))
            .collect(),
    }
}
