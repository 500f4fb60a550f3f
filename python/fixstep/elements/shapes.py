"""Shapes that are only drawn."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Element, Entity

if TYPE_CHECKING:
    from collections.abc import Mapping
    from .._element import BodyName, Flag, MarkerName, Number, Numbers, Rows
    from .frames import Orientation


@dataclass(repr=False)
class LookBox(Element):
    """A box, which may have round edges: a plate."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "box"

    size: Numbers
    """Lengths of its edges along x, y, z, more than zero [length]."""
    _: KW_ONLY
    round: Number | None = None
    """Radius of its edges along z, less than half of the shorter of the other two edges [length]. Default: 0,
    sharp."""


@dataclass(repr=False)
class LookCylinder(Element):
    """A cylinder about its z axis, its middle at the origin."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "cylinder"

    radius: Number
    """Radius, more than zero [length]."""
    length: Number
    """Length along z, more than zero [length]."""


@dataclass(repr=False)
class LookTube(Element):
    """A tube about its z axis, its middle at the origin."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "tube"

    radius: Number
    """Outer radius, more than zero [length]."""
    inner_radius: Number
    """Inner radius, zero or more, less than the outer one [length]."""
    length: Number
    """Length along z, more than zero [length]."""


@dataclass(repr=False)
class LookSphere(Element):
    """A sphere about its origin."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "sphere"

    radius: Number
    """Radius, more than zero [length]."""


@dataclass(repr=False)
class LookEllipsoid(Element):
    """An ellipsoid about its origin."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "ellipsoid"

    radii: Numbers
    """Half axes along x, y, z, more than zero [length]."""


@dataclass(repr=False)
class LookCone(Element):
    """A cone or frustum about its z axis: its base below, at half of its length."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "cone"

    radius: Number
    """Radius of the base, more than zero [length]."""
    length: Number
    """Length along z, more than zero [length]."""
    _: KW_ONLY
    top_radius: Number | None = None
    """Radius of the top, zero or more [length]. Default: 0."""


@dataclass(repr=False)
class LookCapsule(Element):
    """A cylinder about its z axis with half spheres at both ends, its middle at the origin."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "capsule"

    radius: Number
    """Radius, more than zero [length]."""
    length: Number
    """Length of the cylinder without the half spheres, zero or more [length]."""


@dataclass(repr=False)
class LookLink(Element):
    """A bar between two markers."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "link"

    i: MarkerName
    """Marker at one end."""
    j: MarkerName
    """Marker at the other end."""
    radius: Number
    """Half of its width, more than zero [length]."""
    _: KW_ONLY
    thickness: Number | None = None
    """Thickness of a flat bar, more than zero [length]. Default: the bar is round."""


@dataclass(repr=False)
class LookExtrusion(Element):
    """A figure, extruded along z."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "extrusion"

    points: Rows
    """Corners of the figure, three or more. The last is joined to the first; no two edges cross [length]."""
    length: Number
    """Length along z, more than zero [length]."""


@dataclass(repr=False)
class LookRevolution(Element):
    """A figure that turns about z."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "revolution"

    points: Rows
    """Corners of the figure: radius, zero or more, and z; two or more [length]. Both ends of an open figure are
    joined to the axis."""


@dataclass(repr=False)
class LookMesh(Element):
    """Triangles."""

    _OF: ClassVar[str] = "Look"
    _TYPE: ClassVar[str | None] = "mesh"

    _: KW_ONLY
    file: str | None = None
    """An STL, OBJ, glTF or GLB file beside the model."""
    mirrored: Flag | None = None
    """Is the mesh mirrored, y → −y in its axes? Default: false."""
    scale: Number | None = None
    """Length of one unit of the file, more than zero [length]. Default: 1 in the model's unit of length; for glTF
    and GLB 1 m."""
    triangles: Rows | None = None
    """Three numbers of corners for each triangle, counted from 0."""
    vertices: Rows | None = None
    """Instead of a file: corners [length]."""


@dataclass(repr=False)
class LookShape(Entity):
    """A shape that is fixed to a body. It is drawn, and has no effect on the motion."""

    _OF: ClassVar[str] = "LookShape"
    _LIST: ClassVar[str | None] = "shapes"
    _NESTED: ClassVar[Mapping[str, str]] = {"shape": "Look", "orientation": "Orientation"}

    name: str
    """Name, unique among shapes."""
    shape: Look
    """What it looks like."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the body."""
    marker: MarkerName | None = None
    """A marker, in whose axes the shape is given. Default: those of the part count."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in those of the part or the marker. Default: those."""
    part: BodyName | None = None
    """The part, point mass or flexible body, or `ground`. Default: that of the marker."""
    position: Numbers | None = None
    """Its origin, in the axes of the part or the marker [length]. Default: [0, 0, 0]."""


#: What a shape looks like.
Look: TypeAlias = "LookBox | LookCylinder | LookTube | LookSphere | LookEllipsoid | LookCone | LookCapsule | LookLink | LookExtrusion | LookRevolution | LookMesh"
