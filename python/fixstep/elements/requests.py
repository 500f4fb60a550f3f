"""Requests: groups of outputs."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from .._element import Entity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from .._element import BodyName, Element, Flag, MarkerName
    from .springs import ForceElement
    from .joints import Joint
    from .constraints import Motion


@dataclass(repr=False)
class DisplacementRequest(Entity):
    """Displacement and angles: dm, dx, dy, dz, psi, theta, phi."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "displacement"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the outputs' names."""
    i: MarkerName
    """Marker I."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes give the components. Default: ground."""
    j: MarkerName | None = None
    """Marker J, the reference. Default: ground."""


@dataclass(repr=False)
class VelocityRequest(Entity):
    """Velocity and angular velocity: vm, vx, vy, vz, wm, wx, wy, wz."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "velocity"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the outputs' names."""
    i: MarkerName
    """Marker I."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes give the components. Default: ground."""
    frame: MarkerName | None = None
    """Marker in whose frame time derivatives are taken. Default: ground."""
    j: MarkerName | None = None
    """Marker J, the reference. Default: ground."""


@dataclass(repr=False)
class AccelerationRequest(Entity):
    """Acceleration and angular acceleration: accm, accx, accy, accz, wdtm, wdtx, wdty, wdtz."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "acceleration"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the outputs' names."""
    i: MarkerName
    """Marker I."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes give the components. Default: ground."""
    frame: MarkerName | None = None
    """Marker in whose frame time derivatives are taken. Default: ground."""
    j: MarkerName | None = None
    """Marker J, the reference. Default: ground."""


@dataclass(repr=False)
class JointRequest(Entity):
    """Force and torque of a joint: fm, fx, fy, fz, tm, tx, ty, tz."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "joint"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the outputs' names."""
    of: Element | str
    """Name of the joint, motion or force."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes give the components. Default: ground."""
    on: End | None = None
    """The marker on which they act: i or j. Default: i."""


@dataclass(repr=False)
class MotionRequest(Entity):
    """Force and torque of a motion: fm, fx, fy, fz, tm, tx, ty, tz."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "motion"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the outputs' names."""
    of: Element | str
    """Name of the joint, motion or force."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes give the components. Default: ground."""
    on: End | None = None
    """The marker on which they act: i or j. Default: i."""


@dataclass(repr=False)
class ForceRequest(Entity):
    """Force and torque of a force element: fm, fx, fy, fz, tm, tx, ty, tz."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "force"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the outputs' names."""
    of: Element | str
    """Name of the joint, motion or force."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes give the components. Default: ground."""
    on: End | None = None
    """The marker on which they act: i or j. Default: i."""


@dataclass(repr=False)
class EnergyRequest(Entity):
    """Energies and powers: ke, pe of a part; se, power, dissipation of a force; power of a motion or joint."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "energy"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the outputs' names."""
    _: KW_ONLY
    force: ForceElement | str | None = None
    """A force."""
    joint: Joint | str | None = None
    """A joint."""
    motion: Motion | str | None = None
    """A motion."""
    part: BodyName | None = None
    """A part or point mass."""


@dataclass(repr=False)
class BodiesRequest(Entity):
    """States of bodies as arrays: position, orientation, velocity, angular_velocity, modal_coordinates,
    modal_velocities, stress, strain."""

    _OF: ClassVar[str] = "Request"
    _TYPE: ClassVar[str | None] = "bodies"
    _LIST: ClassVar[str | None] = "requests"

    name: str
    """Name, first part of the variables' names."""
    _: KW_ONLY
    output: Flag | None = None
    """Are the variables outputs? Default: false, they are local."""
    parts: Sequence[BodyName] | None = None
    """The parts, point masses and flexible bodies. Default: all."""
    quantities: Sequence[BodyNumbers] | None = None
    """Their quantities. Default: all that the body has, without stress and strain."""


#: A quantity of a body.
BodyNumbers: TypeAlias = 'Literal["position", "orientation", "velocity", "angular_velocity", "modal_coordinates", "modal_velocities", "stress", "strain"]'

#: A marker of an element.
End: TypeAlias = 'Literal["i", "j"]'

#: A request: a group of outputs, in the units of the file. Their names begin with the name of the request.
Request: TypeAlias = "DisplacementRequest | VelocityRequest | AccelerationRequest | JointRequest | MotionRequest | ForceRequest | EnergyRequest | BodiesRequest"
