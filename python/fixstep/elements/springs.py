"""Force elements."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Entity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from .._element import Expression, MarkerName, Number, Numbers, Rows
    from .forces import (
        ActionOnlyForce, ActionOnlyTorque, GeneralForce, LineOfSight, ModalForce, Torque, VectorForce, VectorTorque
    )
    from .contact import ContactFriction, ContactNormal, ContactShapes
    from .constraints import Direction
    from .friction import DriveStops, FrictionEffect, FrictionInput, FrictionLaw
    from .joints import Joint
    from .tyres import LowSpeed, Road, TyreLaw


@dataclass(repr=False)
class SpringDamper(Entity):
    """Spring and damper along the line from J to I."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "spring_damper"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    damping: Number | None = None
    """Damping, zero or more [force·time/length]. Default: 0."""
    length: Number | None = None
    """Length at which the spring exerts the preload [length]. Default: 0."""
    preload: Number | None = None
    """Force at that length [force]. Default: 0."""
    stiffness: Number | None = None
    """Stiffness, zero or more [force/length]. Default: 0."""


@dataclass(repr=False)
class TorsionSpringDamper(Entity):
    """Spring and damper about J's z axis."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "torsion_spring_damper"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    angle: Number | None = None
    """Angle at which the spring exerts the preload [angle]. Default: 0."""
    damping: Number | None = None
    """Damping, zero or more [force·length·time/angle]. Default: 0."""
    preload: Number | None = None
    """Torque at that angle [force·length]. Default: 0."""
    stiffness: Number | None = None
    """Stiffness, zero or more [force·length/angle]. Default: 0."""


@dataclass(repr=False)
class Bushing(Entity):
    """Six-axis spring and damper in J's axes."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "bushing"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    damping: Numbers | None = None
    """Damping in x, y, z, zero or more [force·time/length]. Default: 0."""
    preload: Numbers | None = None
    """Force on I at zero displacement [force]. Default: 0."""
    stiffness: Numbers | None = None
    """Stiffness in x, y, z, zero or more [force/length]. Default: 0."""
    torsional_damping: Numbers | None = None
    """Damping about x, y, z, zero or more [force·length·time/angle]. Default: 0."""
    torsional_preload: Numbers | None = None
    """Torque on I at zero rotation [force·length]. Default: 0."""
    torsional_stiffness: Numbers | None = None
    """Stiffness about x, y, z, zero or more [force·length/angle]. Default: 0."""


@dataclass(repr=False)
class Field(Entity):
    """Linear springs and dampers over all six relative coordinates, in J's axes."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "field"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    stiffness: Rows
    """6×6, by rows [force/length, force/angle; force·length/length, force·length/angle]."""
    damping: Rows | None = None
    """6×6, by rows [force·time/length, force·time/angle; force·length·time/length, force·length·time/angle].
    Default: none."""
    damping_ratio: Number | None = None
    """This factor times the stiffness is added to the damping, zero or more [time]. Default: 0."""
    displacement: Numbers | None = None
    """Displacement at which the field exerts the preload [length]. Default: 0."""
    preload: Numbers | None = None
    """Force on I there [force]. Default: 0."""
    rotation: Numbers | None = None
    """Rotation vector at which the field exerts the preload [angle]. Default: 0."""
    torsional_preload: Numbers | None = None
    """Torque on I there [force·length]. Default: 0."""


@dataclass(repr=False)
class Beam(Entity):
    """Beam from J to I along J's x axis."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "beam"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I, at the end."""
    j: MarkerName
    """Marker J, at the beginning; its x axis points to I."""
    _: KW_ONLY
    length: Number
    """Free length, more than zero [length]."""
    youngs_modulus: Number
    """Young's modulus, more than zero [force/length²]."""
    shear_modulus: Number
    """Shear modulus, more than zero [force/length²]."""
    area: Number
    """Area of the cross section, more than zero [length²]."""
    ixx: Number
    """Torsional constant, zero or more [length⁴]."""
    iyy: Number
    """Second moment of area about y, zero or more [length⁴]."""
    izz: Number
    """Second moment of area about z, zero or more [length⁴]."""
    damping: Rows | None = None
    """6×6, by rows as in a field [force·time/length, force·time/angle; force·length·time/length,
    force·length·time/angle]. Default: none."""
    damping_ratio: Number | None = None
    """This factor times the stiffness is added to the damping, zero or more [time]. Default: 0."""
    shear_y: Number | None = None
    """Shear factor along y: 6/5 of a rectangle, 10/9 of a circle, 0 without shear. Default: 0."""
    shear_z: Number | None = None
    """Shear factor along z. Default: 0."""


@dataclass(repr=False)
class Tendon(Entity):
    """A cable over points, with the same tension everywhere."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "tendon"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    points: Sequence[MarkerName]
    """The markers that it runs over, 2 to 100, in order; one may come again, as in a block and tackle."""
    stiffness: Number
    """Stiffness EA/length, zero or more [force/length]."""
    _: KW_ONLY
    length: Number
    """Free length, more than zero [length]."""
    damping: Number | None = None
    """Damping, zero or more [force·time/length]. Default: 0."""
    damping_stretch: Number | None = None
    """Stretch from which damping is full, more than zero [length]. Default: length / 1000."""


@dataclass(repr=False)
class Contact(Entity):
    """A sphere on I against a surface on J."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "contact"
    _LIST: ClassVar[str | None] = "forces"
    _NESTED: ClassVar[Mapping[str, str]] = {
        "shapes": "ContactShapes", "normal": "ContactNormal", "friction": "ContactFriction"
    }

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I, which carries the shape."""
    j: MarkerName
    """Marker J, which carries the surface."""
    _: KW_ONLY
    shapes: ContactShapes
    """The two shapes."""
    normal: ContactNormal
    """Law of the normal force."""
    friction: ContactFriction | None = None
    """Friction. Default: none."""


@dataclass(repr=False)
class JointFriction(Entity):
    """Friction in a joint."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "joint_friction"
    _LIST: ClassVar[str | None] = "forces"
    _NESTED: ClassVar[Mapping[str, str]] = {"law": "FrictionLaw"}

    name: str
    """Name, unique among forces."""
    joint: Joint | str
    """The joint."""
    mu_dynamic: Number
    """Coefficient of sliding friction, more than zero."""
    _: KW_ONLY
    law: FrictionLaw
    """Coefficient of friction as a function of the slip velocity."""
    ball_radius: Number | None = None
    """Radius of the ball, more than zero, of a spherical joint [length]."""
    bending_arm: Number | None = None
    """Lever at which the bearing holds a bending moment, more than zero: half the distance between its ends
    [length]. Without it the moment causes no friction."""
    effect: FrictionEffect | None = None
    """Kinds of friction that act. Default: all."""
    friction_arm: Number | None = None
    """Lever of the friction that the force along a pin's axis causes, as at a thrust washer, zero or more
    [length]. Default: the radius of the pin."""
    inputs: Sequence[FrictionInput] | None = None
    """Loads that cause friction. Default: the reaction force and all loads whose fields are given."""
    mu_static: Number | None = None
    """Coefficient of break-away, `mu_dynamic` or more. Default: `mu_dynamic`."""
    pin_radius: Number | None = None
    """Radius of the pin, more than zero, of joints that turn about an axis [length]. The slip velocity is that at
    this radius."""
    preload_force: Number | None = None
    """Sliding friction without load, of joints that slide, zero or more [force]. Default: 0."""
    preload_torque: Number | None = None
    """Sliding friction without load, of joints that turn, zero or more [force·length]. Default: 0."""
    reaction_arm: Number | None = None
    """Lever at which the guide of a translational joint holds a moment about its axis, more than zero [length].
    Without it the moment causes no friction."""
    viscous_force: Number | None = None
    """Viscous friction of joints that slide, zero or more [force·time/length]. Default: 0."""
    viscous_torque: Number | None = None
    """Viscous friction of joints that turn, zero or more [force·length·time/angle]. Default: 0."""


@dataclass(repr=False)
class Tyre(Entity):
    """A tyre on the wheel of I, which rolls on a road fixed on J."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "tyre"
    _LIST: ClassVar[str | None] = "forces"
    _NESTED: ClassVar[Mapping[str, str]] = {"law": "TyreLaw", "low_speed": "LowSpeed"}

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I: the centre of the wheel."""
    law: TyreLaw
    """Tyre law."""
    _: KW_ONLY
    axis: str | None = None
    """Axis of I that is the wheel's axis and points to the left of forward travel: z, -z, y, -y. Default: z."""
    friction: Number | None = None
    """Factor of all friction, zero or more. Default: 1."""
    j: MarkerName | None = None
    """Marker J: the road lies on its xy plane, z up. Default: ground."""
    low_speed: LowSpeed | None = None
    """Damping of the tyre's body near standstill."""
    road: Road | str | None = None
    """The road. Default: a flat one."""
    side: str | None = None
    """Side of the vehicle on which the tyre runs: left, right. The law is mirrored if it was measured on the other
    side. Default: as measured."""


@dataclass(repr=False)
class JointDrive(Entity):
    """Drive of a joint, with limits."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "joint_drive"
    _LIST: ClassVar[str | None] = "forces"
    _NESTED: ClassVar[Mapping[str, str]] = {"stops": "DriveStops"}

    name: str
    """Name, unique among forces."""
    joint: Joint | str
    """The joint."""
    _: KW_ONLY
    derivative: Number | None = None
    """Gain of the rate, zero or more [force·time/length, or force·length·time/angle]. Default: 0."""
    direction: Direction | None = None
    """`rotation` or `translation` of a cylindrical or screw joint. Default: that of the joint."""
    effort_limit: Number | None = None
    """Largest effort, more than zero [force, or force·length]. Default: none."""
    feed_forward: Expression | None = None
    """Added to the effort [force, or force·length]. Default: 0."""
    position: Expression | None = None
    """Target of the coordinate [length, or radians]."""
    proportional: Number | None = None
    """Gain of the position, zero or more [force/length, or force·length/angle]."""
    speed_limit: Number | None = None
    """Limit of the rate that the drive demands, more than zero [length/time, or angle/time]. Default: none."""
    stops: DriveStops | None = None
    """Stops at the ends of the coordinate. Default: none."""
    velocity: Expression | None = None
    """Target of its rate [length/time, or radians/time]. Default: 0."""


#: A force element: it acts on marker I, its reaction on marker J.
ForceElement: TypeAlias = "SpringDamper | TorsionSpringDamper | Bushing | Field | Beam | Tendon | Contact | JointFriction | Tyre | JointDrive | LineOfSight | Torque | ActionOnlyForce | ActionOnlyTorque | ModalForce | VectorForce | VectorTorque | GeneralForce"
