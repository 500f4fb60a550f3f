//! Control plane: the validated mechanism, in SI units, with every reference resolved.
//!
//! JSON text → schema → [`Model`]. What is here holds no `Option` that validation has excluded and
//! no name that is still to be looked up; names stay only for messages and for the FMU's variables.
//!
//! # Units
//! Numbers of elements are SI here. Expressions live in the *user's* units (lengths, forces, time as
//! in the units block; angles in expressions are always radians): a measure leaf carries the factor
//! that turns its SI value into user units, and whoever uses an expression's value carries the
//! factor back ([`ScaledExpr::to_si`]).

mod bodies;
mod contact;
pub mod csv;
mod drive;
mod elements;
mod equations;
mod errors;
mod flexible;
mod frames;
mod friction;
mod json;
mod leaf;
mod lint;
mod magic;
mod memory;
mod meshes;
mod names;
mod plan;
mod quantities;
mod read;
mod resolve;
pub mod resources;
mod schema;
mod settings;
mod start;
#[cfg(test)]
mod tests;
mod texts;
mod tir;
mod tyres;
mod units;
mod validate;

pub use bodies::{BodyArray, BodyQuantity};
pub use contact::{Contact, ContactBody, ContactShape, NormalLaw};
pub use drive::{DriveLimits, JointDrive};
pub use elements::{
    Body, BodyKind, Coupler, CouplerLeg, Force, ForceKind, Functional, GeneralConstraint, Gravity,
    Joint, JointKind, Marker, Matrix, Motion, MotionCoordinate, MotionLevel, Seat,
};
pub use equations::{Equation, Law, Shown, StateStart};
pub use errors::{ModelError, ModelErrors};
pub use flexible::{FlexBody, LinearLimit};
pub use friction::{FrictionInputs, FrictionJoint, FrictionLaw, FrictionNumbers, JointFriction};
pub use leaf::{
    ContactQuantity, EnergySource, KinematicMeasure, Leaf, ReactionComponent, ReactionSource,
};
pub use lint::{Allowance, Finding, LintRule, LintSettings, gather};
pub use magic::MagicFormula;
pub use memory::{
    Comparison, Delay, Held, Memory, Rearm, SAMPLE_TOLERANCE, SampledLaw, SampledSystem, Sensor,
    SensorOrigin,
};
pub use names::RESERVED;
pub use quantities::{
    Input, NamedExpr, Parameter, Quantity, ScaledExpr, Unit, UnitSystem, Value, ValueOrder,
    ValueRule, ValueSource,
};
pub use settings::{
    Arithmetic, Experiment, Formulation, IntegratorKind, MAX_HRATIO, SolverSettings,
};
pub use start::StartSettings;
pub use texts::{Message, NamedText, TextReaders, text_fault};
pub use tyres::{RoadEntry, TYRE_CHANNELS, Tyre, TyreChannel, TyreLaw, TyreQuantity};
pub use units::unit_factor;

use self::resources::{Files, Resources};
use crate::expr::Program;
use crate::limits::MODEL_BYTES;
use crate::math::curve::SpaceCurve;
use std::path::Path;
use std::sync::Arc;

/// A validated mechanism.
#[derive(Clone, Debug)]
pub struct Model {
    /// Name of the mechanism.
    pub name: String,
    /// One paragraph for people.
    pub description: String,
    /// The user's units.
    pub units: UnitSystem,
    /// Gravity.
    pub gravity: Gravity,
    /// Bodies; the first is ground.
    pub bodies: Vec<Body>,
    /// Markers.
    pub markers: Vec<Marker>,
    /// Curves, in the frames of the markers that carry them.
    pub curves: Vec<Arc<SpaceCurve>>,
    /// Joints and joint primitives.
    pub joints: Vec<Joint>,
    /// Couplers, then gears.
    pub couplers: Vec<Coupler>,
    /// General constraints.
    pub general_constraints: Vec<GeneralConstraint>,
    /// Motions.
    pub motions: Vec<Motion>,
    /// Force elements.
    pub forces: Vec<Force>,
    /// Roads; the last one is flat.
    pub roads: Vec<RoadEntry>,
    /// FMU inputs.
    pub inputs: Vec<Input>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Named expressions, sorted so that each refers only to earlier ones.
    pub variables: Vec<NamedExpr>,
    /// Unknowns with equations of their own: states and implicit variables.
    pub equations: Vec<Equation>,
    /// Named texts.
    pub texts: Vec<NamedText>,
    /// Elements with a memory.
    pub memory: Memory,
    /// FMU outputs.
    pub outputs: Vec<NamedExpr>,
    /// What is requested of bodies.
    pub body_arrays: Vec<BodyArray>,
    /// All compiled expressions.
    pub expressions: Vec<Program>,
    /// All leaves that the expressions touch, each once.
    pub leaves: Vec<Leaf>,
    /// All numbers of elements.
    pub values: Vec<Value>,
    /// What must hold between two of them.
    pub orders: Vec<ValueOrder>,
    /// Solver settings.
    pub solver: SolverSettings,
    /// Default experiment.
    pub experiment: Experiment,
    /// Files beside the model that it refers to.
    pub files: Files,
    /// What it wants of linting.
    pub lint: LintSettings,
    /// What validation warns of.
    pub findings: Vec<Finding>,
}

impl Model {
    /// [`Self::read`] of a text that refers to no files.
    pub fn from_json(text: &str) -> Result<Self, ModelErrors> {
        Self::read(text, &resources::none)
    }

    /// Reads and validates a model; `files` is how it gets at the files that it refers to. All problems
    /// are returned, not only the first.
    pub fn read(text: &str, files: &Resources<'_>) -> Result<Self, ModelErrors> {
        let mut report = errors::Report::default();
        let model = json::parse(text, &mut report)
            .and_then(|tree| schema::Document::read(tree, &mut report))
            .and_then(|document| validate::validate(&document, files, &mut report));
        match (model, report.finish()) {
            (Some(model), None) => Ok(model),
            (_, Some(errors)) => Err(errors),
            (None, None) => Err(ModelErrors::single("the model could not be read")),
        }
    }

    /// [`Self::read`] of a file's text, with the files beside it.
    pub fn from_file(path: &Path) -> Result<Self, ModelErrors> {
        let fail = |what: String| ModelErrors::single(&format!("{}: {what}", path.display()));
        let bytes = resources::read_bounded(path, MODEL_BYTES).map_err(|e| fail(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|e| {
            fail(format!(
                "not UTF-8 text: byte {} is invalid; save the file as UTF-8",
                e.utf8_error().valid_up_to()
            ))
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::read(&text, &resources::folder(folder))
    }
}

/// The JSON Schema of the model format, from the types that read it.
#[cfg(feature = "schema")]
pub fn json_schema() -> serde_json::Value {
    schema::json_schema()
}
