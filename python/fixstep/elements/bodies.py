"""Bodies and markers."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from .._body import Body
from .._element import Element, Entity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from .._element import BodyName, Flag, Number, Numbers, Whole
    from .frames import Orientation
    from .solids import Solid


@dataclass(repr=False)
class Assembly(Element):
    """Constraints and cost of moving a body in assembly."""

    _OF: ClassVar[str] = "Assembly"

    _: KW_ONLY
    exact: Sequence[Coordinate] | None = None
    """Start coordinates that must not change: x, y, z of the origin in ground; rx, ry, rz: no rotation about that
    axis of ground. Default: none."""
    weight: Number | None = None
    """Cost of moving this body, 1e-6 to 1e6: small for a rough pose, large for a measured one. Default: 1."""


@dataclass(repr=False)
class DampingTable(Element):
    """Damping ratios at frequencies; linear between them, constant beyond them."""

    _OF: ClassVar[str] = "DampingTable"

    frequencies: Numbers
    """Frequencies, ascending [Hz]."""
    ratios: Numbers
    """Damping ratios."""


@dataclass(repr=False)
class FlexibleBody(Body):
    """A flexible body: mode shapes and inertia from a file that `fixstep flex` makes. Its frame has the origin and
    the axes of the finite-element model."""

    _OF: ClassVar[str] = "FlexibleBody"
    _LIST: ClassVar[str | None] = "flexible_bodies"
    _NESTED: ClassVar[Mapping[str, str]] = {
        "assembly": "Assembly", "damping": "Damping", "dynamic_limit": "DynamicLimit", "invariants": "Invariants",
        "linear_limit": "LinearWatch", "orientation": "Orientation"
    }

    name: str
    """Name, unique among parts, point masses and flexible bodies."""
    file: str
    """The file, relative to the model."""
    _: KW_ONLY
    angular_velocity: Numbers | None = None
    """Initial angular velocity, ground axes [angle/time]. If given, the start meets it exactly; if not, it follows
    from the rest of the mechanism."""
    assembly: Assembly | None = None
    """Constraints and cost of moving the body in assembly. Default: no coordinate is exact, weight 1."""
    damping: Damping | None = None
    """Damping ratio of the modes: a number, an expression of FREQUENCY (in Hz) and MODE (counted from 1), or a
    table. Default: 0.01 below 100 Hz, 0.1 to 1000 Hz, 1 above."""
    displacements: Numbers | None = None
    """Initial modal coordinates, SI, one for each of the modes. Default: zero."""
    dynamic_limit: DynamicLimit | None = None
    """Modes above this frequency [Hz] are quasi-static: they have stiffness and damping but no inertia. `none`: no
    mode is quasi-static. Default: 1/(2h), with the integration step h."""
    invariants: Invariants | None = None
    """The inertia invariants that are used: `full`, `partial` (without 5 and 9), `constant` (1, 2, 6, 7), `rigid`
    (1, 2, 7), or a list of true or false for each of the nine. Default: full."""
    linear_limit: LinearWatch | None = None
    """Deformation above which linear theory does not hold; `none`: it is not checked. Default: a tenth of the
    body's size."""
    mirrored: Flag | None = None
    """Is it the mirror image of the body of the file, y → −y in its axes? Default: false."""
    modes: Numbers | None = None
    """The modes of the file that are used, counted from 1. Default: all."""
    orientation: Orientation | None = None
    """Axes of the body in ground. Default: those of ground."""
    position: Numbers | None = None
    """Origin of the body in ground [length]. Default: [0, 0, 0]."""
    preload: Flag | None = None
    """Does the preload of the file act? Default: true."""
    rotations: str | None = None
    """Rotation of nodes: `exact`, or `small`, the linear approximation 1 + θ~. Default: exact."""
    stiffening: Flag | None = None
    """Does the geometric stiffness of the file act? Default: true."""
    velocities: Numbers | None = None
    """Initial modal velocities, SI, one for each of the modes. Default: zero."""
    velocity: Numbers | None = None
    """Initial velocity of the undeformed centre of mass, ground axes [length/time]. If given, the start meets it
    exactly; if not, it follows from the rest of the mechanism."""


@dataclass(repr=False)
class Inertia(Element):
    """Inertia about the centre of mass, in part axes [mass·length²]. The products xy, xz, yz are positive
    integrals: the tensor's off-diagonal elements are their negatives."""

    _OF: ClassVar[str] = "Inertia"

    xx: Number
    """Moment about x [mass·length²]."""
    yy: Number
    """Moment about y [mass·length²]."""
    zz: Number
    """Moment about z [mass·length²]."""
    _: KW_ONLY
    xy: Number | None = None
    """Product: the integral of x·y [mass·length²]. Default: 0."""
    xz: Number | None = None
    """Product: the integral of x·z [mass·length²]. Default: 0."""
    yz: Number | None = None
    """Product: the integral of y·z [mass·length²]. Default: 0."""


@dataclass(repr=False)
class LinearLimit(Element):
    """Deformation above which linear theory does not hold."""

    _OF: ClassVar[str] = "LinearLimit"

    _: KW_ONLY
    fraction: Number | None = None
    """Limit of the displacement of a node in the body's frame, relative to that length. Default: 0.1."""
    length: Number | None = None
    """A characteristic length of the body [length]. Default: the diagonal of the box around its nodes."""
    stop: Flag | None = None
    """Does the run stop at the limit? Default: false, there is one warning."""


@dataclass(repr=False)
class Marker(Entity):
    """A frame fixed on a body."""

    _OF: ClassVar[str] = "Marker"
    _LIST: ClassVar[str | None] = "markers"
    _NESTED: ClassVar[Mapping[str, str]] = {"node": "NodeKey", "orientation": "Orientation"}

    name: str
    """Name, unique among markers."""
    part: BodyName
    """The part, point mass or flexible body, or `ground`."""
    _: KW_ONLY
    node: NodeKey | None = None
    """On a flexible body: the node that the marker is fixed to, by name or number. Default: the body's frame; such
    a marker can be measured, but no joint or force may act on it."""
    orientation: Orientation | None = None
    """Axes of the marker in the part. Default: those of the part."""
    position: Numbers | None = None
    """Position relative to the part's origin, on a flexible body relative to the node, in part axes [length]. On a
    point mass it must be zero. Default: [0, 0, 0]."""


@dataclass(repr=False)
class Part(Body):
    """A rigid body with six degrees of freedom."""

    _OF: ClassVar[str] = "Part"
    _LIST: ClassVar[str | None] = "parts"
    _NESTED: ClassVar[Mapping[str, str]] = {
        "assembly": "Assembly", "inertia": "Inertia", "orientation": "Orientation", "solids": "Solid"
    }

    name: str
    """Name, unique among parts and point masses."""
    _: KW_ONLY
    angular_velocity: Numbers | None = None
    """Initial angular velocity, ground axes [angle/time]. If given, the start meets it exactly; if not, it follows
    from the rest of the mechanism."""
    assembly: Assembly | None = None
    """Constraints and cost of moving the body in assembly. Default: no coordinate is exact, weight 1."""
    center_of_mass: Numbers | None = None
    """Centre of mass, from the part's origin in part axes [length]. Default: the origin; with `solids`, theirs."""
    inertia: Inertia | None = None
    """Inertia about the centre of mass, in part axes [mass·length²]. Required without `solids`."""
    mass: Number | None = None
    """Mass, more than zero [mass]. Required without `solids`; with them, it takes the place of their own mass."""
    orientation: Orientation | None = None
    """Axes of the part in ground. Default: those of ground."""
    position: Numbers | None = None
    """Origin of the part in ground [length]. Default: [0, 0, 0]."""
    solids: Sequence[Solid] | None = None
    """Solids of uniform density, from which mass, centre of mass and inertia follow. Default: none."""
    velocity: Numbers | None = None
    """Initial velocity of the centre of mass, ground axes [length/time]. If given, the start meets it exactly; if
    not, it follows from the rest of the mechanism."""


@dataclass(repr=False)
class PointMass(Body):
    """A body without rotation: three degrees of freedom; its axes stay those of ground."""

    _OF: ClassVar[str] = "PointMass"
    _LIST: ClassVar[str | None] = "point_masses"
    _NESTED: ClassVar[Mapping[str, str]] = {"assembly": "Assembly"}

    name: str
    """Name, unique among parts and point masses."""
    mass: Number
    """Mass, more than zero [mass]."""
    _: KW_ONLY
    assembly: Assembly | None = None
    """Constraints and cost of moving the body in assembly. Default: no coordinate is exact, weight 1."""
    position: Numbers | None = None
    """Position in ground [length]. Default: [0, 0, 0]."""
    velocity: Numbers | None = None
    """Initial velocity, ground axes [length/time]. If given, the start meets it exactly; if not, it follows from
    the rest of the mechanism."""


#: A start coordinate of a body.
Coordinate: TypeAlias = 'Literal["x", "y", "z", "rx", "ry", "rz"]'

#: Damping ratio of the modes.
Damping: TypeAlias = "Number | str | DampingTable"

#: The frequency above which modes are quasi-static.
DynamicLimit: TypeAlias = "Number | str"

#: The inertia invariants that are used.
Invariants: TypeAlias = "str | Sequence[Flag]"

#: Deformation above which linear theory does not hold.
LinearWatch: TypeAlias = "str | LinearLimit"

#: A node by its name or its number.
NodeKey: TypeAlias = "str | Whole"
