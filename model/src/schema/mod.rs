//! Control plane: the model format exactly as it is written in the file, before units and references are resolved.
//!
//! The doc comments here are the descriptions in the published JSON Schema.

mod constraints;
mod contact;
mod controls;
mod curves;
mod data;
mod drive;
mod flexible;
mod forces;
mod friction;
mod guard;
mod language;
mod lint;
mod memory;
mod parts;
mod quantities;
mod requests;
mod shapes;
mod solids;
mod solver;
mod splines;
mod start;
mod tyres;

pub(super) use constraints::{
    CoupledCoordinate, Coupler, Direction, Gear, GeneralConstraint, InitialCylindrical,
    InitialRotation, InitialTranslation, Joint, Motion,
};
pub(super) use contact::{
    Barrel, BodyShape, Contact, ContactFriction, ContactNormal, ContactShapes, Heightmap,
    HuntCrossley, Profile, SurfaceShape, Track, TriangleMesh,
};
pub(super) use controls::{
    GeneralStateEquation, LinearStateEquation, PidController, TransferFunction,
};
pub(super) use curves::Curve;
pub(super) use data::{ArrayQuantity, MacroText, SignalGroup, StringQuantity};
pub(super) use drive::{DriveStops, JointDrive};
pub(super) use flexible::{
    Damping, DampingTable, DynamicLimit, FlexibleBody, Invariants, LinearWatch, NodeKey,
};
pub(super) use forces::*;
pub(super) use friction::{FrictionEffect, FrictionInput, FrictionLaw, JointFriction};
pub(super) use guard::{Guard, GuardChoice, GuardLevel, GuardLimit};
pub(super) use language::{FMU_PARAMETERS, HERE, OF_THE_MODEL, PORTS};
pub(super) use lint::{Lint, LintAllowance};
pub(super) use memory::{SampledSystem, Sensor};
pub(super) use parts::{Assembly, Inertia, Marker, Orientation, Part, PointMass};
pub(super) use quantities::{
    DifferentialEquation, Expression, InputQuantity, Number, OutputQuantity, ParameterQuantity,
    Units, VariableQuantity,
};
pub(super) use requests::{
    BodyNumbers, BodyRequest, ElementRequest, EnergyRequest, FrameRequest, Request,
};
pub(super) use shapes::{Look, LookLink, LookMesh, LookShape};
pub(super) use solids::{Common as SolidCommon, Solid, SolidMesh};
pub(super) use solver::*;
pub(super) use splines::{Column, Levels, Places, Spline, Values};
pub(super) use start::{Equilibrium, Ramp, Start};
pub(super) use tyres::{
    LinearTyre, LowSpeed, MagicTyre, ProfileRoad, Road, RoadShape, Tyre, TyreLaw,
};

use super::errors::{At, Report};
use super::read::{FromJson, Kept, List, schema};
use serde_json::Value;

/// The format's version.
pub(super) const VERSION: i64 = 1;

schema! {
    /// A mechanism for Fixstep: bodies, joints, motions and forces, with the inputs, parameters and
    /// outputs of the FMU that it becomes.
    Document {
        /// Version of this format: 1.
        fixstep: Kept<i64>,
        /// Name of the mechanism.
        name: Kept<String>,
        /// One paragraph of free text.
        description: Kept<Option<String>>,
        /// Units of all numbers in this file. Default: m, kg, N, s, rad.
        units: Kept<Option<Units>>,
        /// Gravity in ground axes [length/time²]: numbers, or expressions of TIME, inputs and
        /// parameters. Default: none.
        gravity: Kept<Option<[Expression; 3]>>,
        /// Parameters: numbers that the importer of the FMU may set.
        parameters: List<ParameterQuantity>,
        /// Arrays of parameters.
        arrays: List<ArrayQuantity>,
        /// Named texts.
        strings: List<StringQuantity>,
        /// Macros: functions defined in the model.
        macros: List<MacroText>,
        /// Inputs of a plant, in groups that `PINVAL` reads.
        plant_inputs: List<SignalGroup>,
        /// Outputs of a plant, in groups that `POUVAL` reads.
        plant_outputs: List<SignalGroup>,
        /// Inputs of the FMU.
        inputs: List<InputQuantity>,
        /// Named expressions for use in other expressions; they may refer to each other in any
        /// order, without cycles.
        variables: List<VariableQuantity>,
        /// Curves and surfaces through points, for expressions.
        splines: List<Spline>,
        /// Curves in space or in the plane, for constraints and contacts.
        curves: List<Curve>,
        /// Roads for tyres.
        roads: List<Road>,
        /// Rigid bodies.
        parts: List<Part>,
        /// Bodies without rotation.
        point_masses: List<PointMass>,
        /// Flexible bodies: mode shapes and inertia from files.
        flexible_bodies: List<FlexibleBody>,
        /// Frames fixed on bodies; joints, motions, forces and measures refer to them. The marker
        /// `ground`, ground's own frame, always exists.
        markers: List<Marker>,
        /// What bodies look like. Where a body has none, shapes are derived.
        shapes: List<LookShape>,
        /// Joints and joint primitives.
        joints: List<Joint>,
        /// Couplers: ratios between the coordinates of joints.
        couplers: List<Coupler>,
        /// Gears: two joints on one carrier, whose parts have the same velocity at the point of contact.
        gears: List<Gear>,
        /// General constraints: functions of displacements and angles that are held at zero.
        general_constraints: List<GeneralConstraint>,
        /// Motions: coordinates driven as functions of time and inputs.
        motions: List<Motion>,
        /// Force elements.
        forces: List<ForceElement>,
        /// Differential equations of first order: filters, controllers, actuators.
        differential_equations: List<DifferentialEquation>,
        /// Linear state equations: observers, filters, plants by matrices.
        linear_state_equations: List<LinearStateEquation>,
        /// Transfer functions.
        transfer_functions: List<TransferFunction>,
        /// General state equations: several states and outputs by expressions.
        general_state_equations: List<GeneralStateEquation>,
        /// PID controllers.
        pid_controllers: List<PidController>,
        /// Discrete-time systems: sampled controllers and filters.
        sampled_systems: List<SampledSystem>,
        /// Sensors: actions when an expression reaches a value.
        sensors: List<Sensor>,
        /// Outputs of the FMU.
        outputs: List<OutputQuantity>,
        /// Requests: groups of outputs.
        requests: List<Request>,
        /// Start of the run: static equilibrium, ramp.
        start: Kept<Option<Start>>,
        /// Solver settings.
        solver: Kept<Option<Solver>>,
        /// Default experiment.
        experiment: Kept<Option<Experiment>>,
        /// Warnings: whether they count as errors, and which are allowed.
        lint: Kept<Option<Lint>>,
    }
}

impl Document {
    /// Reads the whole tree. Problems of one field do not hide those of others.
    pub(super) fn read(mut tree: Value, report: &mut Report) -> Option<Self> {
        if let Some(object) = tree.as_object_mut() {
            object.remove("$schema");
        }
        Self::from_json(&tree, &At::default(), report)
    }
}

/// The JSON Schema (draft 2020-12) of a model file.
pub(super) fn json_schema() -> Value {
    language::extended(flat_schema())
}

/// The same of a flat model: without templates, all numbers in the units of the file.
pub(super) fn flat_schema() -> Value {
    let mut schema = schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<Document>()
        .to_value();
    schema["title"] = Value::from("Fixstep model");
    schema["properties"]["$schema"] = serde_json::json!({
        "description": "Where editors find this schema.",
        "type": "string"
    });
    schema["required"] = serde_json::json!(["fixstep", "name"]);
    schema["properties"]["fixstep"]["const"] = Value::from(VERSION);
    schema
}
