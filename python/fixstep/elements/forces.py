"""Forces and torques by expressions and loads."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from .._element import Entity

if TYPE_CHECKING:
    from .._element import BodyName, Expression, MarkerName


@dataclass(repr=False)
class LineOfSight(Entity):
    """Force along the line from J to I; repulsion is positive."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "line_of_sight"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    expression: Expression
    """Force [force]."""


@dataclass(repr=False)
class Torque(Entity):
    """Torque on I about J's z axis."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "torque"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    expression: Expression
    """Torque [force·length]."""


@dataclass(repr=False)
class ActionOnlyForce(Entity):
    """Force on I along J's z axis, without reaction."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "action_only_force"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    expression: Expression
    """Force [force]."""


@dataclass(repr=False)
class ActionOnlyTorque(Entity):
    """Torque on I about J's z axis, without reaction."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "action_only_torque"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    expression: Expression
    """Torque [force·length]."""


@dataclass(repr=False)
class ModalForce(Entity):
    """A load case of a flexible body's file, times a factor."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "modal_force"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    part: BodyName
    """The flexible body."""
    load: str
    """The load case of the body's file."""
    _: KW_ONLY
    scale: Expression
    """The factor, a number without unit."""


@dataclass(repr=False)
class VectorForce(Entity):
    """Three force components on I."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "vector_force"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes the components refer to. Default: J."""
    fx: Expression | None = None
    """x component [force]. Default: 0."""
    fy: Expression | None = None
    """y component [force]. Default: 0."""
    fz: Expression | None = None
    """z component [force]. Default: 0."""


@dataclass(repr=False)
class VectorTorque(Entity):
    """Three torque components on I."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "vector_torque"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes the components refer to. Default: J."""
    tx: Expression | None = None
    """x component [force·length]. Default: 0."""
    ty: Expression | None = None
    """y component [force·length]. Default: 0."""
    tz: Expression | None = None
    """z component [force·length]. Default: 0."""


@dataclass(repr=False)
class GeneralForce(Entity):
    """Three force and three torque components on I."""

    _OF: ClassVar[str] = "ForceElement"
    _TYPE: ClassVar[str | None] = "general_force"
    _LIST: ClassVar[str | None] = "forces"

    name: str
    """Name, unique among forces."""
    i: MarkerName
    """Marker I."""
    j: MarkerName
    """Marker J."""
    _: KW_ONLY
    axes: MarkerName | None = None
    """Marker whose axes the components refer to. Default: J."""
    fx: Expression | None = None
    """x component of the force [force]. Default: 0."""
    fy: Expression | None = None
    """y component of the force [force]. Default: 0."""
    fz: Expression | None = None
    """z component of the force [force]. Default: 0."""
    tx: Expression | None = None
    """x component of the torque [force·length]. Default: 0."""
    ty: Expression | None = None
    """y component of the torque [force·length]. Default: 0."""
    tz: Expression | None = None
    """z component of the torque [force·length]. Default: 0."""
