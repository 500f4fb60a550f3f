"""Shapes and laws of contacts."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Element

if TYPE_CHECKING:
    from collections.abc import Mapping
    from .._element import Flag, Number, Numbers, Rows, Whole
    from .constraints import Curve
    from .signals import Spline


@dataclass(repr=False)
class BodySphere(Element):
    """A sphere about the origin of I; of radius 0, a point."""

    _OF: ClassVar[str] = "BodyShape"
    _TYPE: ClassVar[str | None] = "sphere"

    radius: Number
    """Radius, zero or more [length]; 0 is a point."""


@dataclass(repr=False)
class BodyBox(Element):
    """A box about the origin with edges along the axes; its 8 corners can make contact."""

    _OF: ClassVar[str] = "BodyShape"
    _TYPE: ClassVar[str | None] = "box"

    size: Numbers
    """Lengths of its edges along x, y, z, more than zero [length]."""


@dataclass(repr=False)
class BodyCylinder(Element):
    """A cylinder about the z axis; 4 points of each rim can make contact with a plane."""

    _OF: ClassVar[str] = "BodyShape"
    _TYPE: ClassVar[str | None] = "cylinder"

    radius: Number
    """Radius, more than zero [length]."""
    length: Number
    """Length along z, more than zero [length]."""


@dataclass(repr=False)
class BodyHull(Element):
    """A convex hull; its corners can make contact."""

    _OF: ClassVar[str] = "BodyShape"
    _TYPE: ClassVar[str | None] = "hull"

    points: Rows
    """Its corners in the axes of I, 1 to 256 [length]."""


@dataclass(repr=False)
class BodyCurve(Element):
    """A plane curve; its deepest point makes contact."""

    _OF: ClassVar[str] = "BodyShape"
    _TYPE: ClassVar[str | None] = "curve"

    curve: Curve | str
    """A curve of the model that lies in the xy plane of I."""


@dataclass(repr=False)
class ContactFriction(Element):
    """Coulomb friction, smooth at zero slip."""

    _OF: ClassVar[str] = "ContactFriction"

    mu_static: Number
    """Coefficient at the stiction velocity, zero or more."""
    mu_dynamic: Number
    """Coefficient at the friction velocity and beyond, zero or more."""
    stiction_velocity: Number
    """Slip velocity at which friction is largest, more than zero [length/time]."""
    _: KW_ONLY
    friction_velocity: Number
    """Slip velocity from which friction is dynamic, more than the stiction velocity [length/time]."""


@dataclass(repr=False)
class ImpactLaw(Element):
    """The function IMPACT."""

    _OF: ClassVar[str] = "ContactNormal"
    _TYPE: ClassVar[str | None] = "impact"

    stiffness: Number
    """Stiffness, zero or more [force/length^exponent]."""
    depth: Number
    """Penetration from which damping has its full value, more than zero [length]."""
    _: KW_ONLY
    damping: Number | None = None
    """Damping, zero or more [force·time/length]. Default: 0."""
    exponent: Number | None = None
    """Exponent, 1 or more. Default: 1.5."""


@dataclass(repr=False)
class HuntCrossleyLaw(Element):
    """Damping in proportion to the spring force."""

    _OF: ClassVar[str] = "ContactNormal"
    _TYPE: ClassVar[str | None] = "hunt_crossley"

    stiffness: Number
    """Stiffness, zero or more [force/length^exponent]."""
    _: KW_ONLY
    damping: Number | None = None
    """Damping, zero or more [time/length]. Default: 0."""
    exponent: Number | None = None
    """Exponent, 1 or more. Default: 1.5."""
    restitution: Number | None = None
    """Instead of damping: the coefficient of restitution, more than zero and at most 1."""
    slow: Number | None = None
    """With restitution: the smallest approach velocity for which damping is computed, more than zero
    [length/time]."""


@dataclass(repr=False)
class ContactShapes(Element):
    """The shapes that touch."""

    _OF: ClassVar[str] = "ContactShapes"
    _NESTED: ClassVar[Mapping[str, str]] = {"i": "BodyShape", "j": "SurfaceShape"}

    i: BodyShape
    """On marker I."""
    j: SurfaceShape
    """On marker J."""


@dataclass(repr=False)
class SurfacePlane(Element):
    """The xy plane, z outward."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "plane"



@dataclass(repr=False)
class SurfaceSphere(Element):
    """A sphere about the origin."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "sphere"

    radius: Number
    """Radius, more than zero [length]."""
    _: KW_ONLY
    hollow: Flag | None = None
    """Is the shape of I inside the sphere? Default: false."""


@dataclass(repr=False)
class SurfaceCylinder(Element):
    """A cylinder about the z axis."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "cylinder"

    radius: Number
    """Radius, more than zero [length]."""
    _: KW_ONLY
    hollow: Flag | None = None
    """Is the shape of I inside, as in a pipe? Excludes `length`. Default: false."""
    length: Number | None = None
    """Length along z, centred at the origin, more than zero [length]. Default: infinite."""


@dataclass(repr=False)
class SurfaceBox(Element):
    """A box about the origin with edges along the axes."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "box"

    size: Numbers
    """Lengths of its edges along x, y, z, more than zero [length]."""


@dataclass(repr=False)
class SurfaceHeightmap(Element):
    """Ground with heights on a grid, z up."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "heightmap"

    spacing: Numbers
    """Distances of the heights along x and y, more than zero [length]."""
    _: KW_ONLY
    file: str | None = None
    """Instead: a CSV file beside the model, a line for each y, without header."""
    heights: Rows | None = None
    """For each y a row of heights along x, two or more of both [length]."""
    mirrored: Flag | None = None
    """Is the ground the mirror image of these heights, y → −y? Default: false."""
    origin: Numbers | None = None
    """x and y of the first height [length]. Default: 0, 0."""


@dataclass(repr=False)
class SurfaceProfile(Element):
    """Ground with a profile along x, z up."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "profile"

    spline: Spline | str
    """A spline of one variable: height over x [length]."""
    _: KW_ONLY
    method: str | None = None
    """Interpolation: cubic (as CUBSPL) or akima (as AKISPL). Default: cubic."""


@dataclass(repr=False)
class SurfaceMesh(Element):
    """Triangles."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "mesh"

    _: KW_ONLY
    budget: Whole | None = None
    """Largest number of triangles that an evaluation examines, 1 to 4096. Default: 64."""
    depth: Number | None = None
    """Depth below the surface down to which a point is in contact, more than zero [length]. Default: the radius of
    the sphere; required if I has corners or a radius of 0."""
    file: str | None = None
    """Instead: an STL (text) or OBJ file beside the model [length]."""
    mirrored: Flag | None = None
    """Is the surface the mirror image of these triangles, y → −y? Default: false."""
    triangles: Rows | None = None
    """Three vertex numbers for each triangle, counted from 0, counter-clockwise as seen from outside."""
    vertices: Rows | None = None
    """Positions of the vertices in the axes of J [length]."""


@dataclass(repr=False)
class SurfaceCurve(Element):
    """A curve in the xy plane, extruded along z."""

    _OF: ClassVar[str] = "SurfaceShape"
    _TYPE: ClassVar[str | None] = "curve"

    curve: Curve | str
    """A curve of the model that lies in the xy plane of J."""
    _: KW_ONLY
    side: str | None = None
    """Side of the curve on which I is, looking along the curve with z up: left or right. Default: left."""


#: The shape on I.
BodyShape: TypeAlias = "BodySphere | BodyBox | BodyCylinder | BodyHull | BodyCurve"

#: Law of the normal force.
ContactNormal: TypeAlias = "ImpactLaw | HuntCrossleyLaw"

#: The shape on J.
SurfaceShape: TypeAlias = "SurfacePlane | SurfaceSphere | SurfaceCylinder | SurfaceBox | SurfaceHeightmap | SurfaceProfile | SurfaceMesh | SurfaceCurve"
