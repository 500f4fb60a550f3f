"""Roads and laws of tyres."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Element, Entity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from .._element import Flag, Number, Numbers, Whole
    from .signals import Levels, Places, Values


@dataclass(repr=False)
class LowSpeed(Element):
    """Damping near standstill, where a tyre acts as a spring between wheel and road."""

    _OF: ClassVar[str] = "LowSpeed"

    _: KW_ONLY
    time: Number | None = None
    """Damping over stiffness, zero or more [time]. Default: 0.02 s."""
    velocity: Number | None = None
    """Speed above which this damping is zero, more than zero [length/time]. Default: 2.5 m/s."""


@dataclass(repr=False)
class Road(Entity):
    """A road: heights above the xy plane of the marker that carries it."""

    _OF: ClassVar[str] = "Road"
    _LIST: ClassVar[str | None] = "roads"
    _NESTED: ClassVar[Mapping[str, str]] = {"shape": "RoadShape"}

    name: str
    """Name."""
    shape: RoadShape
    """Its shape."""
    _: KW_ONLY
    friction: Number | None = None
    """Factor of all friction of tyres on it, zero or more. Default: 1."""
    position: Numbers | None = None
    """Start of the road, in the axes of the marker that carries it [length]. Default: [0, 0, 0]."""
    yaw: Number | None = None
    """Direction of the road: rotation about z [angle]. Default: 0."""


@dataclass(repr=False)
class FlatRoad(Element):
    """A plane at height 0."""

    _OF: ClassVar[str] = "RoadShape"
    _TYPE: ClassVar[str | None] = "flat"



@dataclass(repr=False)
class SlopeRoad(Element):
    """A plane that rises."""

    _OF: ClassVar[str] = "RoadShape"
    _TYPE: ClassVar[str | None] = "slope"

    _: KW_ONLY
    bank: Number | None = None
    """Rise per length to the left. Default: 0."""
    grade: Number | None = None
    """Rise per length along the road: 0.1 is 10 %. Default: 0."""


@dataclass(repr=False)
class SineRoad(Element):
    """Waves."""

    _OF: ClassVar[str] = "RoadShape"
    _TYPE: ClassVar[str | None] = "sine"

    amplitude: Number
    """Half of the height from trough to crest [length]."""
    wavelength: Number
    """From crest to crest, more than zero [length]."""
    _: KW_ONLY
    phase: Number | None = None
    """Phase at the beginning [angle]. Default: 0."""


@dataclass(repr=False)
class PlankRoad(Element):
    """A plank across the road."""

    _OF: ClassVar[str] = "RoadShape"
    _TYPE: ClassVar[str | None] = "plank"

    height: Number
    """Height [length]."""
    width: Number
    """Length of the top along the road, zero or more [length]."""
    edge: Number
    """Length of either edge along the road, more than zero [length]."""


@dataclass(repr=False)
class KerbRoad(Element):
    """A step across the road."""

    _OF: ClassVar[str] = "RoadShape"
    _TYPE: ClassVar[str | None] = "kerb"

    height: Number
    """Height [length]."""
    edge: Number
    """Length of the edge along the road, more than zero [length]."""


@dataclass(repr=False)
class ProfileRoad(Element):
    """Heights at points."""

    _OF: ClassVar[str] = "RoadShape"
    _TYPE: ClassVar[str | None] = "profile"
    _NESTED: ClassVar[Mapping[str, str]] = {"s": "Places", "t": "Levels", "z": "Values"}

    _: KW_ONLY
    extrapolation: str | None = None
    """Extrapolation before the first and after the last point: constant, linear. Default: constant."""
    file: str | None = None
    """CSV file beside the model."""
    interpolation: str | None = None
    """Interpolation between the points: akima, cubic, linear. Default: akima."""
    s: Places | None = None
    """Positions along the road, increasing [length]; with a file, their column. Default: column 1."""
    t: Levels | None = None
    """Lateral positions of the tracks, increasing to the left [length]; between them the height is linear. With a
    file, `header`: they are the names of the columns. Default: one height for all."""
    z: Values | None = None
    """Heights [length], one for each position; with t, an array for each track. With a file, their column or
    columns. Default: column 2; with t all columns except that of s."""


@dataclass(repr=False)
class LinearTyre(Element):
    """In proportion to slip, bounded by friction."""

    _OF: ClassVar[str] = "TyreLaw"
    _TYPE: ClassVar[str | None] = "linear"

    radius: Number
    """Radius without load, more than zero [length]."""
    vertical_stiffness: Number
    """Vertical stiffness, more than zero [force/length]."""
    slip_stiffness: Number
    """Longitudinal force per slip, more than zero [force]."""
    _: KW_ONLY
    cornering_stiffness: Number
    """Lateral force per slip angle, more than zero [force/angle]."""
    mu: Number
    """Coefficient of friction, more than zero."""
    camber_stiffness: Number | None = None
    """Lateral force per camber angle, zero or more [force/angle]. Default: 0."""
    lateral_relaxation: Number | None = None
    """Relaxation length of the lateral force, more than zero [length]. Default: the radius."""
    longitudinal_relaxation: Number | None = None
    """Relaxation length of the longitudinal force, more than zero [length]. Default: half of the radius."""
    rolling_resistance: Number | None = None
    """Rolling resistance over load, zero or more. Default: 0."""
    trail: Number | None = None
    """Pneumatic trail: lever of the lateral force at small slip, behind the contact point [length]. Default: 0."""
    vertical_damping: Number | None = None
    """Vertical damping, zero or more [force·time/length]. Default: 0."""


@dataclass(repr=False)
class MagicTyre(Element):
    """The Magic Formula, MF 5.2 or PAC2002."""

    _OF: ClassVar[str] = "TyreLaw"
    _TYPE: ClassVar[str | None] = "pac2002"

    file: str
    """The property file (.tir) beside the model."""
    _: KW_ONLY
    mirrored: Flag | None = None
    """Is it the mirror image of the tyre of the file? Default: false."""
    use_mode: Whole | None = None
    """Forces that are computed: 0 load only, 1 longitudinal, 2 lateral, 3 both, 4 combined; 10 more with
    relaxation lengths. Negative: mirrored. Default: USE_MODE of the file."""


#: The shape of a road.
RoadShape: TypeAlias = "FlatRoad | SlopeRoad | SineRoad | PlankRoad | KerbRoad | ProfileRoad"

#: Forces of a tyre as functions of load, slip and camber.
TyreLaw: TypeAlias = "LinearTyre | MagicTyre"
