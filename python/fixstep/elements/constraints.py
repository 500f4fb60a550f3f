"""Couplers, gears, general constraints, motions and curves."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from .._element import Entity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from .._element import Expression, Flag, MarkerName, Number, Numbers, Rows, Whole
    from .joints import Joint


@dataclass(repr=False)
class Coupler(Entity):
    """Holds a weighted sum of two or three joint coordinates at the value that it has in the poses of the file."""

    _OF: ClassVar[str] = "Coupler"
    _LIST: ClassVar[str | None] = "couplers"

    name: str
    """Name, unique among couplers."""
    joints: Sequence[Joint | str]
    """Two or three joints: revolute, translational, cylindrical or screw."""
    scales: Numbers
    """One factor for each joint, not zero; rotations count in radians, translations in the unit of length."""
    _: KW_ONLY
    coordinates: Sequence[CoupledCoordinate] | None = None
    """For each joint its coordinate, needed where one of them is cylindrical or a screw."""


@dataclass(repr=False)
class Curve(Entity):
    """A curve in space or in the plane, in the axes of the marker that carries it. It passes through `points`, or
    is given by expressions `x`, `y`, `z` of a parameter `s` between `from` and `to`. An open curve continues
    straight beyond its ends."""

    _OF: ClassVar[str] = "Curve"
    _LIST: ClassVar[str | None] = "curves"

    name: str
    """Name."""
    _: KW_ONLY
    closed: Flag | None = None
    """Is the curve closed? Default: false."""
    from_: Number | None = None
    """Value of the parameter at the start of the curve."""
    pieces: Whole | None = None
    """Number of polynomial pieces that approximate the expressions: 2 to 100000. Default: 200."""
    points: Rows | None = None
    """Points [length]: two or more. A closed curve has three or more; its last point is joined to its first."""
    to: Number | None = None
    """Value of the parameter at the end of the curve."""
    x: Expression | None = None
    """Coordinate as an expression of `s` and of parameters [length]."""
    y: Expression | None = None
    """Coordinate as an expression of `s` and of parameters [length]."""
    z: Expression | None = None
    """Coordinate as an expression of `s` and of parameters [length]. Default: 0."""


@dataclass(repr=False)
class Gear(Entity):
    """Two joints on one carrier. Their other parts have the same velocity at the point of contact."""

    _OF: ClassVar[str] = "Gear"
    _LIST: ClassVar[str | None] = "gears"

    name: str
    """Name, unique among gears."""
    joints: Sequence[Joint | str]
    """Two joints between the carrier and a part each: revolute, translational, cylindrical or screw."""
    carrier: MarkerName
    """A marker on the carrier at the point of contact. Its z axis is the direction of the common velocity of the
    two parts."""


@dataclass(repr=False)
class GeneralConstraint(Entity):
    """Holds a function of displacements, angles, time, inputs and parameters at zero."""

    _OF: ClassVar[str] = "GeneralConstraint"
    _LIST: ClassVar[str | None] = "general_constraints"

    name: str
    """Name, unique among general constraints."""
    expression: Expression
    """The function that is zero."""


@dataclass(repr=False)
class Motion(Entity):
    """A motion: a coordinate driven as a function of time and inputs. It names a joint, or two markers and a
    direction. Exactly one of `displacement`, `velocity`, `acceleration` gives the function, of time, inputs,
    parameters and variables made of those: [length] or radians, per time unit for a velocity."""

    _OF: ClassVar[str] = "Motion"
    _LIST: ClassVar[str | None] = "motions"

    name: str
    """Name, unique among motions."""
    _: KW_ONLY
    acceleration: Expression | None = None
    """The coordinate's second derivative [length/time², or radians/time²]."""
    direction: Direction | None = None
    """The driven coordinate: `rotation` or `translation` of a cylindrical or screw joint; `x`, `y`, `z`
    (displacement of I along J's axes) or `b1`, `b2`, `b3` (body-fixed 1-2-3 angles of I in J) between markers."""
    displacement: Expression | None = None
    """The coordinate [length, or radians]."""
    i: MarkerName | None = None
    """Marker I, when no joint is named."""
    initial_displacement: Number | None = None
    """Coordinate at the start, of velocity and acceleration motions [length or angle]. Default: as assembled."""
    initial_velocity: Number | None = None
    """Rate at the start, of acceleration motions [length/time or angle/time]. Default: 0."""
    j: MarkerName | None = None
    """Marker J, when no joint is named."""
    joint: Joint | str | None = None
    """The driven joint: revolute, translational, cylindrical or screw."""
    velocity: Expression | None = None
    """The coordinate's rate [length/time, or radians/time]."""


#: A coordinate of a joint.
CoupledCoordinate: TypeAlias = 'Literal["rotation", "translation"]'

#: The coordinate that a motion drives.
Direction: TypeAlias = 'Literal["rotation", "translation", "x", "y", "z", "b1", "b2", "b3"]'
