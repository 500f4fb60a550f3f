"""What bodies have in common: markers are made on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._element import Entity
from ._errors import Error
from ._values import reals
from .units import Quantity, Unit

if TYPE_CHECKING:
    from ._builder import MassProperties, ModelBuilder
    from ._element import Number, Numbers
    from .elements.bodies import Marker, NodeKey
    from .elements.frames import Orientation


class OnBody:
    """Ground, or a body of a model."""

    if TYPE_CHECKING:
        name: str

    def _builder(self) -> ModelBuilder:
        raise NotImplementedError

    def marker(
        self,
        name: str,
        at: Numbers | None = None,
        *,
        z_point: Numbers | None = None,
        x_point: Numbers | None = None,
        z_axis: Sequence[float] | None = None,
        x_axis: Sequence[float] | None = None,
        orientation: Orientation | None = None,
        in_ground: bool = False,
        node: NodeKey | None = None,
        description: str | None = None,
    ) -> Marker:
        """A marker on this body, called ``BODY.NAME``.

        Its origin is ``at``. Its z axis points to ``z_point``, or along ``z_axis``; ``x_point``, or ``x_axis``, lies in the half
        of the xz plane with positive x. All count in the axes of the body; with ``in_ground`` in those of ground, where the body
        is at the start.
        """
        from .elements import Marker, Points

        if z_axis is not None:
            z_point = _ahead(at, z_axis, f'marker "{name}", z_axis')
        if x_axis is not None:
            x_point = _ahead(at, x_axis, f'marker "{name}", x_axis')
        if x_point is not None and z_point is None:
            raise Error(f'marker "{name}", x_point: it says how the frame turns about its z axis; give z_point or z_axis too')
        if z_point is not None:
            if orientation is not None:
                raise Error(f'marker "{name}", orientation: give it or points, not both')
            orientation = Points(z_point, x_point=x_point)
        own = self.name if self.name == "ground" else f"{self.name}.{name}"
        full = f"ground.{name}" if own == "ground" else own
        made = Marker(full, self.name, position=at, orientation=orientation, node=node, description=description)
        model = self._builder()
        if in_ground and self.name != "ground":
            from ._place import into_body

            into_body(model, self.name, made)
        if z_axis is not None:
            made._axes = _axes(made)
        model.add(made)
        return made


@dataclass(repr=False)
class Body(Entity, OnBody):
    """A body: markers are made on it."""

    def _builder(self) -> ModelBuilder:
        if self._model is None:
            raise Error(f'{type(self).__name__} "{self.name}" is in no model yet: add it first, then make its markers')
        return self._model

    def mass_properties(self) -> MassProperties:
        """Mass, centre of mass and inertia as the model reader finds them, from numbers or solids [SI]."""
        return self._builder().mass_properties(self)


def _axes(marker: Marker) -> tuple[Any, Any] | None:
    """The axes of a marker whose orientation is given by points, as they are now; none for other orientations, which stay."""
    from .elements import Points

    points = marker.orientation
    if not isinstance(points, Points):
        return None
    origin = _lengths([0, 0, 0] if marker.position is None else marker.position)
    ends = [None if point is None else _lengths(point) for point in (points.z_point, points.x_point)]
    z, x = (None if end is None else [b - a for a, b in zip(origin, end, strict=True)] for end in ends)
    return z, x


def _lengths(point: Any) -> list[float]:
    """The numbers of a point, without their unit."""
    return [one.value if isinstance(one, Quantity) else float(one) for one in point]


def turned(marker: Any, z_axis: Any, x_axis: Any) -> Orientation:
    """The orientation of a marker with these axes, at the position that it has now."""
    from .elements import Points

    what = f'marker "{marker.name}"'
    x_point = None if x_axis is None else _ahead(marker.position, x_axis, f"{what}, x_axis")
    return Points(_ahead(marker.position, z_axis, f"{what}, z_axis"), x_point=x_point)


def _ahead(at: Any, axis: Sequence[float], what: str) -> list[Number]:
    """The point that is one step along an axis from a point, in the units of the point."""
    if isinstance(at, str):
        raise Error(f"{what}: the position is a text, to which nothing can be added; give a point instead of an axis")
    try:
        place: list[Any] = [0, 0, 0] if at is None else list(at)
    except TypeError:
        raise Error(f"{what}: {at!r} is no position; valid: three numbers") from None
    ahead = reals(axis, what, finite=True).ravel()
    if len(place) != 3 or len(ahead) != 3:
        raise Error(f"{what}: {len(place)} and {len(ahead)} numbers; valid: three for a place, three for an axis")
    if any(isinstance(one, str) for one in place):
        raise Error(f"{what}: the position has texts, to which nothing can be added; give a point instead of an axis")
    units: set[Unit] = {one.unit for one in place if isinstance(one, Quantity)}
    values = [one.value if isinstance(one, Quantity) else one for one in place]
    sums: list[float] = (reals(values, f"{what}, position", finite=True).ravel() + ahead).tolist()
    if not units:
        return list(sums)
    if len(units) > 1 or any(not isinstance(one, Quantity) and one != 0 for one in place):
        raise Error(f"{what}: write the three numbers of the position in one unit")
    unit = units.pop()
    return [Quantity(one, unit) for one in sums]
