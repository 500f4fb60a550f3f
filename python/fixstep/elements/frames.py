"""Axes of frames."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from .._element import Element

if TYPE_CHECKING:
    from .._element import Numbers


@dataclass(repr=False)
class EulerAngles(Element):
    """Body-fixed 3-1-3 angles: R = Rz(psi) Rx(theta) Rz(phi)."""

    _OF: ClassVar[str] = "EulerAngles"

    euler: Numbers
    """psi, theta, phi [angle]."""


@dataclass(repr=False)
class Points(Element):
    """Two points, in the same coordinates as the position of the frame."""

    _OF: ClassVar[str] = "Points"

    z_point: Numbers
    """The z axis points from the frame's origin to this point [length]."""
    _: KW_ONLY
    x_point: Numbers | None = None
    """This point lies in the half of the xz plane with positive x [length]. Default: an x axis is chosen."""


@dataclass(repr=False)
class Quaternion(Element):
    """Unit quaternion; it is normalised."""

    _OF: ClassVar[str] = "Quaternion"

    quaternion: Numbers
    """w, x, y, z."""


#: An orientation: Euler angles, a quaternion, or points.
Orientation: TypeAlias = "EulerAngles | Quaternion | Points"
