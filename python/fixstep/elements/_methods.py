"""A method of the builder for each kind of entity."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from .._adds import Adds
from .bodies import (
    FlexibleBody, Marker, Part, PointMass
)
from .constraints import (
    Coupler, Curve, Gear, GeneralConstraint, Motion
)
from .controls import (
    DifferentialEquation, GeneralStateEquation, LinearStateEquation, PidController, SampledSystem, Sensor,
    TransferFunction
)
from .forces import (
    ActionOnlyForce, ActionOnlyTorque, GeneralForce, LineOfSight, ModalForce, Torque, VectorForce, VectorTorque
)
from .joints import (
    AtPointJoint, ConstantVelocityJoint, CurveOnCurveJoint, CylindricalJoint, DistanceJoint, FixedJoint, HookeJoint,
    InLineJoint, InPlaneJoint, KnifeEdgeJoint, OrientationJoint, ParallelAxesJoint, PerpendicularJoint, PinSlotJoint,
    PlanarJoint, PointOnCurveJoint, RackAndPinionJoint, RevoluteJoint, RollingBallJoint, RollingWheelJoint,
    ScrewJoint, SphericalJoint, TranslationalJoint, UniversalJoint
)
from .requests import (
    AccelerationRequest, BodiesRequest, DisplacementRequest, EnergyRequest, ForceRequest, JointRequest, MotionRequest,
    VelocityRequest
)
from .shapes import (
    LookShape
)
from .signals import (
    ArrayQuantity, InputQuantity, MacroText, OutputQuantity, ParameterQuantity, SignalGroup, Spline, StringQuantity,
    VariableQuantity
)
from .springs import (
    Beam, Bushing, Contact, Field, JointDrive, JointFriction, SpringDamper, Tendon, TorsionSpringDamper, Tyre
)
from .tyres import (
    Road
)


class Methods:
    """Each makes an entity of its class, adds it to the model and returns it."""

    array = Adds(ArrayQuantity)
    coupler = Adds(Coupler)
    curve = Adds(Curve)
    differential_equation = Adds(DifferentialEquation)
    flexible_body = Adds(FlexibleBody)
    spring_damper = Adds(SpringDamper)
    torsion_spring_damper = Adds(TorsionSpringDamper)
    bushing = Adds(Bushing)
    field = Adds(Field)
    beam = Adds(Beam)
    tendon = Adds(Tendon)
    contact = Adds(Contact)
    joint_friction = Adds(JointFriction)
    tyre = Adds(Tyre)
    joint_drive = Adds(JointDrive)
    line_of_sight = Adds(LineOfSight)
    torque = Adds(Torque)
    action_only_force = Adds(ActionOnlyForce)
    action_only_torque = Adds(ActionOnlyTorque)
    modal_force = Adds(ModalForce)
    vector_force = Adds(VectorForce)
    vector_torque = Adds(VectorTorque)
    general_force = Adds(GeneralForce)
    gear = Adds(Gear)
    general_constraint = Adds(GeneralConstraint)
    general_state_equation = Adds(GeneralStateEquation)
    input = Adds(InputQuantity)
    fixed = Adds(FixedJoint)
    revolute = Adds(RevoluteJoint)
    translational = Adds(TranslationalJoint)
    cylindrical = Adds(CylindricalJoint)
    spherical = Adds(SphericalJoint)
    planar = Adds(PlanarJoint)
    pin_slot = Adds(PinSlotJoint)
    universal = Adds(UniversalJoint)
    hooke = Adds(HookeJoint)
    constant_velocity = Adds(ConstantVelocityJoint)
    screw = Adds(ScrewJoint)
    rack_and_pinion = Adds(RackAndPinionJoint)
    at_point = Adds(AtPointJoint)
    in_line = Adds(InLineJoint)
    in_plane = Adds(InPlaneJoint)
    orientation = Adds(OrientationJoint)
    parallel_axes = Adds(ParallelAxesJoint)
    perpendicular = Adds(PerpendicularJoint)
    distance = Adds(DistanceJoint)
    point_on_curve = Adds(PointOnCurveJoint)
    curve_on_curve = Adds(CurveOnCurveJoint)
    rolling_wheel = Adds(RollingWheelJoint)
    rolling_ball = Adds(RollingBallJoint)
    knife_edge = Adds(KnifeEdgeJoint)
    linear_state_equation = Adds(LinearStateEquation)
    macro = Adds(MacroText)
    marker = Adds(Marker)
    motion = Adds(Motion)
    output = Adds(OutputQuantity)
    parameter = Adds(ParameterQuantity)
    part = Adds(Part)
    pid_controller = Adds(PidController)
    plant_input = Adds(SignalGroup)
    plant_output = Adds(SignalGroup, "plant_outputs")
    point_mass = Adds(PointMass)
    displacement_request = Adds(DisplacementRequest)
    velocity_request = Adds(VelocityRequest)
    acceleration_request = Adds(AccelerationRequest)
    joint_request = Adds(JointRequest)
    motion_request = Adds(MotionRequest)
    force_request = Adds(ForceRequest)
    energy_request = Adds(EnergyRequest)
    bodies_request = Adds(BodiesRequest)
    road = Adds(Road)
    sampled_system = Adds(SampledSystem)
    sensor = Adds(Sensor)
    shape = Adds(LookShape)
    spline = Adds(Spline)
    string = Adds(StringQuantity)
    transfer_function = Adds(TransferFunction)
    variable = Adds(VariableQuantity)
