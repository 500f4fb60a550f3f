"""Joints and joint primitives."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Element, Entity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from .._element import MarkerName, Number
    from .constraints import Curve


@dataclass(repr=False)
class InitialCylindrical(Element):
    """Initial rotation about z of J and initial translation along it."""

    _OF: ClassVar[str] = "InitialCylindrical"

    _: KW_ONLY
    angle: Number | None = None
    """Rotation of I from J about z [angle]."""
    angular_velocity: Number | None = None
    """Its rate [angle/time]."""
    displacement: Number | None = None
    """Displacement of I from J along z [length]."""
    velocity: Number | None = None
    """Its rate [length/time]."""


@dataclass(repr=False)
class InitialRotation(Element):
    """Initial rotation about z of J."""

    _OF: ClassVar[str] = "InitialRotation"

    _: KW_ONLY
    angle: Number | None = None
    """Rotation of I from J about z [angle]."""
    angular_velocity: Number | None = None
    """Its rate [angle/time]."""


@dataclass(repr=False)
class InitialTranslation(Element):
    """Initial translation along z of J."""

    _OF: ClassVar[str] = "InitialTranslation"

    _: KW_ONLY
    displacement: Number | None = None
    """Displacement of I from J along z [length]."""
    velocity: Number | None = None
    """Its rate [length/time]."""


@dataclass(repr=False)
class FixedJoint(Entity):
    """No relative motion."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "fixed"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class RevoluteJoint(Entity):
    """Rotation about the common z axis."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "revolute"
    _LIST: ClassVar[str | None] = "joints"
    _NESTED: ClassVar[Mapping[str, str]] = {"initial": "InitialRotation"}

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""
    _: KW_ONLY
    initial: InitialRotation | None = None
    """Initial values of the joint's coordinates, which the start meets exactly. Default: free."""


@dataclass(repr=False)
class TranslationalJoint(Entity):
    """Translation along the common z axis."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "translational"
    _LIST: ClassVar[str | None] = "joints"
    _NESTED: ClassVar[Mapping[str, str]] = {"initial": "InitialTranslation"}

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""
    _: KW_ONLY
    initial: InitialTranslation | None = None
    """Initial values of the joint's coordinates, which the start meets exactly. Default: free."""


@dataclass(repr=False)
class CylindricalJoint(Entity):
    """Rotation about and translation along the common z axis."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "cylindrical"
    _LIST: ClassVar[str | None] = "joints"
    _NESTED: ClassVar[Mapping[str, str]] = {"initial": "InitialCylindrical"}

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""
    _: KW_ONLY
    initial: InitialCylindrical | None = None
    """Initial values of the joint's coordinates, which the start meets exactly. Default: free."""


@dataclass(repr=False)
class SphericalJoint(Entity):
    """Coincident origins."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "spherical"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class PlanarJoint(Entity):
    """Origin of I in J's xy plane, z axes parallel."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "planar"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class PinSlotJoint(Entity):
    """Origin of I on J's x axis, z axes parallel: a pin in a slot."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "pin_slot"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class UniversalJoint(Entity):
    """Coincident origins, x axis of I perpendicular to y axis of J."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "universal"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class HookeJoint(Entity):
    """The same as `universal`."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "hooke"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class ConstantVelocityJoint(Entity):
    """Coincident origins, equal spin about both z axes."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "constant_velocity"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class ScrewJoint(Entity):
    """Rotation about the common z axis with proportional advance along it."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "screw"
    _LIST: ClassVar[str | None] = "joints"
    _NESTED: ClassVar[Mapping[str, str]] = {"initial": "InitialCylindrical"}

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""
    _: KW_ONLY
    pitch: Number
    """Advance along z per revolution; negative for a left-hand thread [length]."""
    initial: InitialCylindrical | None = None
    """Initial values of the rotation or of the translation, not of both, which the start meets exactly. Default:
    free."""


@dataclass(repr=False)
class RackAndPinionJoint(Entity):
    """Pinion (I, turning about its z axis) on a rack (J, sliding along its z axis)."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "rack_and_pinion"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I, on the pinion."""
    j: MarkerName
    """Marker J, on the rack."""
    _: KW_ONLY
    diameter: Number
    """Pitch diameter of the pinion [length]; its sign gives the direction of travel."""


@dataclass(repr=False)
class AtPointJoint(Entity):
    """Primitive: coincident origins."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "at_point"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class InLineJoint(Entity):
    """Primitive: origin of I on J's z axis."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "in_line"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class InPlaneJoint(Entity):
    """Primitive: origin of I in J's xy plane."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "in_plane"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class OrientationJoint(Entity):
    """Primitive: equal orientation."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "orientation"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class ParallelAxesJoint(Entity):
    """Primitive: parallel z axes."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "parallel_axes"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class PerpendicularJoint(Entity):
    """Primitive: perpendicular z axes."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "perpendicular"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


@dataclass(repr=False)
class DistanceJoint(Entity):
    """Primitive: constant distance between the origins."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "distance"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""
    _: KW_ONLY
    length: Number | None = None
    """The distance [length]. Default: that of the given positions."""


@dataclass(repr=False)
class PointOnCurveJoint(Entity):
    """Origin of I on a curve of J."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "point_on_curve"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body: the curve is in its axes."""
    _: KW_ONLY
    curve: Curve | str
    """The curve."""


@dataclass(repr=False)
class CurveOnCurveJoint(Entity):
    """A plane curve of I touches a plane curve of J."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "curve_on_curve"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I: `curve_i` is in its axes."""
    j: MarkerName
    """Marker J, on another body: `curve_j` is in its axes."""
    _: KW_ONLY
    curve_i: Curve | str
    """The curve of I, in the xy plane."""
    curve_j: Curve | str
    """The curve of J, in the xy plane."""


@dataclass(repr=False)
class RollingWheelJoint(Entity):
    """A wheel about z of I rolls without slip on J's xy plane."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "rolling_wheel"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I, at the centre of the wheel, with z along its axis."""
    j: MarkerName
    """Marker J, on another body, with z normal to the plane."""
    _: KW_ONLY
    radius: Number
    """Radius of the wheel [length]."""
    crown_radius: Number | None = None
    """Radius of the tread across the wheel, up to `radius` [length]. Default: 0, a thin disc."""


@dataclass(repr=False)
class RollingBallJoint(Entity):
    """A ball about the origin of I rolls without slip on J's xy plane."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "rolling_ball"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I, at the centre of the ball."""
    j: MarkerName
    """Marker J, on another body, with z normal to the plane."""
    _: KW_ONLY
    radius: Number
    """Radius of the ball [length]."""


@dataclass(repr=False)
class KnifeEdgeJoint(Entity):
    """The origin of I has no velocity along z of I, as seen from J: a skate, a sail, a thin wheel seen from above."""

    _OF: ClassVar[str] = "Joint"
    _TYPE: ClassVar[str | None] = "knife_edge"
    _LIST: ClassVar[str | None] = "joints"

    name: str
    """Name, unique among joints."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J, on another body."""


#: A joint or joint primitive between the markers I and J.
Joint: TypeAlias = "FixedJoint | RevoluteJoint | TranslationalJoint | CylindricalJoint | SphericalJoint | PlanarJoint | PinSlotJoint | UniversalJoint | HookeJoint | ConstantVelocityJoint | ScrewJoint | RackAndPinionJoint | AtPointJoint | InLineJoint | InPlaneJoint | OrientationJoint | ParallelAxesJoint | PerpendicularJoint | DistanceJoint | PointOnCurveJoint | CurveOnCurveJoint | RollingWheelJoint | RollingBallJoint | KnifeEdgeJoint"
