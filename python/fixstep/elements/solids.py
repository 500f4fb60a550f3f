"""Solids, from which mass properties follow."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Element

if TYPE_CHECKING:
    from collections.abc import Mapping
    from .._element import Flag, Number, Numbers
    from .frames import Orientation


@dataclass(repr=False)
class SolidBox(Element):
    """A box about its origin."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "box"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    size: Numbers
    """Lengths of its edges along x, y, z, more than zero [length]."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""


@dataclass(repr=False)
class SolidCylinder(Element):
    """A cylinder about its z axis, its middle at the origin."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "cylinder"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    radius: Number
    """Radius, more than zero [length]."""
    length: Number
    """Length along z, more than zero [length]."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""


@dataclass(repr=False)
class SolidTube(Element):
    """A tube about its z axis, its middle at the origin."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "tube"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    radius: Number
    """Outer radius, more than zero [length]."""
    inner_radius: Number
    """Inner radius, zero or more, less than the outer one [length]."""
    length: Number
    """Length along z, more than zero [length]."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""


@dataclass(repr=False)
class SolidSphere(Element):
    """A sphere about its origin."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "sphere"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    radius: Number
    """Radius, more than zero [length]."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""


@dataclass(repr=False)
class SolidEllipsoid(Element):
    """An ellipsoid about its origin."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "ellipsoid"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    radii: Numbers
    """Half axes along x, y, z, more than zero [length]."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""


@dataclass(repr=False)
class SolidCone(Element):
    """A cone or frustum about its z axis: its base below, at half of its length."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "cone"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    radius: Number
    """Radius of the base, more than zero [length]."""
    length: Number
    """Length along z, more than zero [length]."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""
    top_radius: Number | None = None
    """Radius of the top, zero or more [length]. Default: 0."""


@dataclass(repr=False)
class SolidCapsule(Element):
    """A cylinder about its z axis with half spheres at both ends, its middle at the origin."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "capsule"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    radius: Number
    """Radius, more than zero [length]."""
    length: Number
    """Length of the cylinder without the half spheres, zero or more [length]."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""


@dataclass(repr=False)
class SolidMesh(Element):
    """What a closed mesh encloses."""

    _OF: ClassVar[str] = "Solid"
    _TYPE: ClassVar[str | None] = "mesh"
    _NESTED: ClassVar[Mapping[str, str]] = {"orientation": "Orientation"}

    file: str
    """An STL, OBJ, glTF or GLB file beside the model."""
    _: KW_ONLY
    color: str | None = None
    """A colour: a name such as `steel`, or `#rrggbb`. Default: that of the part."""
    density: Number | None = None
    """Density, more than zero [mass/length³]. It may be left out where the part has a `mass`; then it is 1, and
    only the ratios of densities matter."""
    hole: Flag | None = None
    """Is it taken away from the others? Then it is not drawn. Default: false."""
    mirrored: Flag | None = None
    """Is the mesh mirrored, y → −y in its axes? Default: false."""
    opacity: Number | None = None
    """How opaque it is: from 0, not seen, to 1. Default: 1."""
    orientation: Orientation | None = None
    """Its axes in the part. Default: those of the part."""
    position: Numbers | None = None
    """Its origin, from the part's origin in part axes [length]. Default: [0, 0, 0]."""
    scale: Number | None = None
    """Length of one unit of the file, more than zero [length]. Default: 1 in the model's unit of length; for glTF
    and GLB 1 m."""


#: A solid of uniform density, fixed to a part. Its own axes are those of the part, moved to its position.
Solid: TypeAlias = "SolidBox | SolidCylinder | SolidTube | SolidSphere | SolidEllipsoid | SolidCone | SolidCapsule | SolidMesh"
