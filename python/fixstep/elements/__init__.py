"""Typed elements of a model: each object of the model format as a class."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from .frames import (
    EulerAngles, Orientation, Points, Quaternion
)
from .solids import (
    Solid, SolidBox, SolidCapsule, SolidCone, SolidCylinder, SolidEllipsoid, SolidMesh, SolidSphere, SolidTube
)
from .bodies import (
    Assembly, Coordinate, Damping, DampingTable, DynamicLimit, FlexibleBody, Inertia, Invariants, LinearLimit,
    LinearWatch, Marker, NodeKey, Part, PointMass
)
from .shapes import (
    Look, LookBox, LookCapsule, LookCone, LookCylinder, LookEllipsoid, LookExtrusion, LookLink, LookMesh,
    LookRevolution, LookShape, LookSphere, LookTube
)
from .joints import (
    AtPointJoint, ConstantVelocityJoint, CurveOnCurveJoint, CylindricalJoint, DistanceJoint, FixedJoint, HookeJoint,
    InLineJoint, InPlaneJoint, InitialCylindrical, InitialRotation, InitialTranslation, Joint, KnifeEdgeJoint,
    OrientationJoint, ParallelAxesJoint, PerpendicularJoint, PinSlotJoint, PlanarJoint, PointOnCurveJoint,
    RackAndPinionJoint, RevoluteJoint, RollingBallJoint, RollingWheelJoint, ScrewJoint, SphericalJoint,
    TranslationalJoint, UniversalJoint
)
from .constraints import (
    CoupledCoordinate, Coupler, Curve, Direction, Gear, GeneralConstraint, Motion
)
from .contact import (
    BodyBox, BodyCurve, BodyCylinder, BodyHull, BodyShape, BodySphere, ContactFriction, ContactNormal, ContactShapes,
    HuntCrossleyLaw, ImpactLaw, SurfaceBox, SurfaceCurve, SurfaceCylinder, SurfaceHeightmap, SurfaceMesh,
    SurfacePlane, SurfaceProfile, SurfaceShape, SurfaceSphere
)
from .friction import (
    CoulombFriction, DriveStops, FrictionEffect, FrictionInput, FrictionLaw, LuGreFriction
)
from .tyres import (
    FlatRoad, KerbRoad, LinearTyre, LowSpeed, MagicTyre, PlankRoad, ProfileRoad, Road, RoadShape, SineRoad, SlopeRoad,
    TyreLaw
)
from .forces import (
    ActionOnlyForce, ActionOnlyTorque, GeneralForce, LineOfSight, ModalForce, Torque, VectorForce, VectorTorque
)
from .springs import (
    Beam, Bushing, Contact, Field, ForceElement, JointDrive, JointFriction, SpringDamper, Tendon, TorsionSpringDamper,
    Tyre
)
from .signals import (
    ArrayQuantity, Column, InputQuantity, Levels, MacroText, OutputQuantity, ParameterQuantity, Places, SignalGroup,
    Spline, StringQuantity, Values, VariableQuantity
)
from .controls import (
    DifferentialEquation, GeneralState, GeneralStateEquation, LinearStateEquation, PidController, SampledSystem,
    Sensor, TransferFunction
)
from .requests import (
    AccelerationRequest, BodiesRequest, BodyNumbers, DisplacementRequest, End, EnergyRequest, ForceRequest,
    JointRequest, MotionRequest, Request, VelocityRequest
)
from .settings import (
    Equilibrium, Experiment, Guard, GuardChoice, GuardLevel, GuardLimit, Interpolate, Lint, LintAllowance, Ramp,
    Solver, Start, Units
)

#: Definitions that are a choice of objects.
ALTERNATIVES: dict[str, tuple[str, ...]] = {
    "Damping": ("DampingTable",),
    "GuardChoice": ("Guard",),
    "LinearWatch": ("LinearLimit",),
    "Orientation": ("EulerAngles", "Quaternion", "Points",),
}

#: Lists of a document, in the order of the format, with the definition of their entities.
LISTS: dict[str, str] = {
    "arrays": "ArrayQuantity",
    "couplers": "Coupler",
    "curves": "Curve",
    "differential_equations": "DifferentialEquation",
    "flexible_bodies": "FlexibleBody",
    "forces": "ForceElement",
    "gears": "Gear",
    "general_constraints": "GeneralConstraint",
    "general_state_equations": "GeneralStateEquation",
    "inputs": "InputQuantity",
    "joints": "Joint",
    "linear_state_equations": "LinearStateEquation",
    "macros": "MacroText",
    "markers": "Marker",
    "motions": "Motion",
    "outputs": "OutputQuantity",
    "parameters": "ParameterQuantity",
    "parts": "Part",
    "pid_controllers": "PidController",
    "plant_inputs": "SignalGroup",
    "plant_outputs": "SignalGroup",
    "point_masses": "PointMass",
    "requests": "Request",
    "roads": "Road",
    "sampled_systems": "SampledSystem",
    "sensors": "Sensor",
    "shapes": "LookShape",
    "splines": "Spline",
    "strings": "StringQuantity",
    "transfer_functions": "TransferFunction",
    "variables": "VariableQuantity",
}

#: Objects of a document that are no lists, with their definition.
OBJECTS: dict[str, str] = {
    "experiment": "Experiment",
    "lint": "Lint",
    "solver": "Solver",
    "start": "Start",
    "units": "Units",
}

__all__ = [
    "ALTERNATIVES", "AccelerationRequest", "ActionOnlyForce", "ActionOnlyTorque", "ArrayQuantity", "Assembly",
    "AtPointJoint", "Beam", "BodiesRequest", "BodyBox", "BodyCurve", "BodyCylinder", "BodyHull", "BodyNumbers",
    "BodyShape", "BodySphere", "Bushing", "Column", "ConstantVelocityJoint", "Contact", "ContactFriction",
    "ContactNormal", "ContactShapes", "Coordinate", "CoulombFriction", "CoupledCoordinate", "Coupler", "Curve",
    "CurveOnCurveJoint", "CylindricalJoint", "Damping", "DampingTable", "DifferentialEquation", "Direction",
    "DisplacementRequest", "DistanceJoint", "DriveStops", "DynamicLimit", "End", "EnergyRequest", "Equilibrium",
    "EulerAngles", "Experiment", "Field", "FixedJoint", "FlatRoad", "FlexibleBody", "ForceElement", "ForceRequest",
    "FrictionEffect", "FrictionInput", "FrictionLaw", "Gear", "GeneralConstraint", "GeneralForce", "GeneralState",
    "GeneralStateEquation", "Guard", "GuardChoice", "GuardLevel", "GuardLimit", "HookeJoint", "HuntCrossleyLaw",
    "ImpactLaw", "InLineJoint", "InPlaneJoint", "Inertia", "InitialCylindrical", "InitialRotation",
    "InitialTranslation", "InputQuantity", "Interpolate", "Invariants", "Joint", "JointDrive", "JointFriction",
    "JointRequest", "KerbRoad", "KnifeEdgeJoint", "LISTS", "Levels", "LineOfSight", "LinearLimit",
    "LinearStateEquation", "LinearTyre", "LinearWatch", "Lint", "LintAllowance", "Look", "LookBox", "LookCapsule",
    "LookCone", "LookCylinder", "LookEllipsoid", "LookExtrusion", "LookLink", "LookMesh", "LookRevolution",
    "LookShape", "LookSphere", "LookTube", "LowSpeed", "LuGreFriction", "MacroText", "MagicTyre", "Marker",
    "ModalForce", "Motion", "MotionRequest", "NodeKey", "OBJECTS", "Orientation", "OrientationJoint",
    "OutputQuantity", "ParallelAxesJoint", "ParameterQuantity", "Part", "PerpendicularJoint", "PidController",
    "PinSlotJoint", "Places", "PlanarJoint", "PlankRoad", "PointMass", "PointOnCurveJoint", "Points", "ProfileRoad",
    "Quaternion", "RackAndPinionJoint", "Ramp", "Request", "RevoluteJoint", "Road", "RoadShape", "RollingBallJoint",
    "RollingWheelJoint", "SampledSystem", "ScrewJoint", "Sensor", "SignalGroup", "SineRoad", "SlopeRoad", "Solid",
    "SolidBox", "SolidCapsule", "SolidCone", "SolidCylinder", "SolidEllipsoid", "SolidMesh", "SolidSphere",
    "SolidTube", "Solver", "SphericalJoint", "Spline", "SpringDamper", "Start", "StringQuantity", "SurfaceBox",
    "SurfaceCurve", "SurfaceCylinder", "SurfaceHeightmap", "SurfaceMesh", "SurfacePlane", "SurfaceProfile",
    "SurfaceShape", "SurfaceSphere", "Tendon", "Torque", "TorsionSpringDamper", "TransferFunction",
    "TranslationalJoint", "Tyre", "TyreLaw", "Units", "UniversalJoint", "Values", "VariableQuantity", "VectorForce",
    "VectorTorque", "VelocityRequest"
]
