//! Control plane: the resolved mechanism, as plain data in SI units.
//!
//! All references are resolved to indices, and an `Option` occurs only if both cases are valid; names serve only for
//! messages.
//!
//! # Units
//! Numbers of elements are in SI. Expressions are evaluated in the *user's* units (lengths, forces, time as in the
//! units block; angles in expressions are always radians). A measure leaf has the factor from its SI value to user
//! units; each user of an expression has the factor back to SI ([`ScaledExpr::to_si`]).

mod bodies;
mod built;
mod check;
mod contact;
mod derived;
mod drive;
mod elements;
mod equations;
mod flexible;
mod forces;
mod friction;
mod guard;
pub mod large;
mod leaf;
mod lint;
mod magic;
mod measures;
mod memory;
mod nameless;
mod place;
mod quantities;
mod settings;
mod start;
mod texts;
mod tyres;

pub use bodies::{BodyArray, BodyQuantity};
pub use built::{
    Built, Construction, MOST_PIECES, MassFault, MassRule, NoTooth, Piece, Source, Tooth, Trace,
};
pub use check::{Inconsistent, check};
pub use contact::{Contact, ContactBody, ContactShape, NormalLaw};
pub use derived::{Derived, NotDerived};
pub use drive::{DriveLimits, JointDrive};
pub use elements::{
    Body, BodyKind, Coupler, CouplerLeg, Functional, GeneralConstraint, Gravity, Joint, JointKind,
    Marker, MarkerBase, Motion, MotionCoordinate, MotionLevel,
};
pub use equations::{Equation, Law, Shown, StateStart};
pub use flexible::{FlexBody, LinearLimit, customary_damping};
pub use forces::{Force, ForceKind, ForceRow, Load, Matrix};
pub use friction::{FrictionInputs, FrictionJoint, FrictionLaw, FrictionNumbers, JointFriction};
pub use guard::{
    Alarm, Culprit, GuardLevel, GuardSettings, HUB, PASSED, Reading, Readings, WATCHED, Watched,
};
pub use leaf::{ContactQuantity, EnergySource, Leaf, ReactionComponent, ReactionSource};
pub use lint::{Allowance, Finding, LintRule, LintSettings, gather};
pub use magic::{MagicFormula, WrongCount};
pub use measures::{KinematicMeasure, MEASURES, MarkerRole, MeasureRow};
pub use memory::{
    Comparison, Delay, Held, Memory, Rearm, SAMPLE_TOLERANCE, SampledLaw, SampledSystem, Sensor,
    SensorOrigin,
};
pub use place::{
    BodyNumber, JointNumber, LegNumber, MarkerNumber, MotionNumber, Place, RoadNumber,
    SampledNumber,
};
pub use quantities::{
    Input, NamedExpr, Parameter, Quantity, ScaledExpr, Unit, UnitSystem, Value, ValueOrder,
    ValueRule, ValueSource,
};
pub use settings::*;
pub use start::StartSettings;
pub use texts::{Message, NamedText, TextReaders, text_fault};
pub use tyres::{RoadEntry, TYRE_CHANNELS, Tyre, TyreChannel, TyreLaw, TyreQuantity};

use crate::expr::Program;
use crate::math::curve::SpaceCurve;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A resolved mechanism.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mechanism {
    /// Name of the mechanism.
    pub name: String,
    /// One paragraph for users.
    pub description: String,
    /// The user's units.
    pub units: UnitSystem,
    /// Gravity.
    pub gravity: Gravity,
    /// Bodies; the first is ground.
    pub bodies: Vec<Body>,
    /// Markers.
    pub markers: Vec<Marker>,
    /// Curves, in the frames of the markers that they are fixed to.
    #[serde(with = "crate::shared::list")]
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
    /// Equations of states and implicit variables.
    pub equations: Vec<Equation>,
    /// Named texts.
    pub texts: Vec<NamedText>,
    /// Elements with a memory.
    pub memory: Memory,
    /// FMU outputs.
    pub outputs: Vec<NamedExpr>,
    /// Arrays of body quantities that the model requests.
    pub body_arrays: Vec<BodyArray>,
    /// All compiled expressions.
    pub expressions: Vec<Program>,
    /// All leaves that the expressions read, each once.
    pub leaves: Vec<Leaf>,
    /// All numbers of elements.
    pub values: Vec<Value>,
    /// Orders that pairs of numbers must satisfy.
    pub orders: Vec<ValueOrder>,
    /// Numbers of geometry and initial conditions that follow parameters.
    pub derived: Vec<Derived>,
    /// Data that are made of several numbers, some of which follow parameters, in the order in which they are made.
    pub built: Vec<Built>,
    /// Solver settings.
    pub solver: SolverSettings,
    /// Default experiment.
    pub experiment: Experiment,
    /// Its lint settings.
    pub lint: LintSettings,
    /// Findings of validation.
    pub findings: Vec<Finding>,
}

/// The name of an element in messages: its name in double quotes or, if it has none, its number, as in `joint 3`.
pub fn called(name: &str) -> String {
    if !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// A text in double quotes on one line, shortened if it is long.
pub fn quote(name: &str) -> String {
    const SHOWN: usize = 60;
    if name.chars().count() > SHOWN {
        let start: String = name.chars().take(SHOWN).collect();
        format!("{:?}", start + "...")
    } else {
        format!("{name:?}")
    }
}
