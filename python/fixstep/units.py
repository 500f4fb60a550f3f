"""Numbers with units: ``mm(30)``, ``75 * N * m / rad``, ``mm([0, 30, 5])``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, overload


@dataclass(frozen=True)
class Quantity:
    """A number with a unit. The model reader converts it; here it is a text."""

    value: float
    unit: Unit

    def __str__(self) -> str:
        return f"{self.value!r} {self.unit.name}"

    def __neg__(self) -> Quantity:
        return Quantity(-self.value, self.unit)

    def __mul__(self, other: float | Unit) -> Quantity:
        if isinstance(other, Unit):
            return Quantity(self.value, self.unit * other)
        return Quantity(self.value * float(other), self.unit)

    def __rmul__(self, other: float) -> Quantity:
        return Quantity(float(other) * self.value, self.unit)

    def __truediv__(self, other: float | Unit) -> Quantity:
        if isinstance(other, Unit):
            return Quantity(self.value, self.unit / other)
        return Quantity(self.value / float(other), self.unit)

    def _same(self, other: Quantity, what: str) -> float:
        if not isinstance(other, Quantity):
            raise TypeError(f"{self} {what} {other!r}: only numbers with units can be added; give {other!r} a unit")
        if other.unit != self.unit:
            raise TypeError(f"{self} {what} {other}: the units differ; write both in one unit")
        return other.value

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.value + self._same(other, "+"), self.unit)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.value - self._same(other, "-"), self.unit)


class Unit:
    """A unit, or a product of powers of units, such as ``N.m/rad``. Which there are, the model reader knows."""

    __slots__ = ("_powers",)

    def __init__(self, name: str, *, powers: dict[str, int] | None = None) -> None:
        self._powers = {name: 1} if powers is None else {name: n for name, n in powers.items() if n}

    @property
    def name(self) -> str:
        """As a text of the model has it."""

        def factors(sign: int) -> list[str]:
            own = [(name, sign * n) for name, n in self._powers.items() if sign * n > 0]
            return [name if n == 1 else f"{name}^{n}" for name, n in own]

        return "/".join([".".join(factors(1)) or "1", *factors(-1)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self._powers == other._powers

    def __hash__(self) -> int:
        return hash(frozenset(self._powers.items()))

    def __repr__(self) -> str:
        return f"Unit({self.name!r})"

    @overload
    def __call__(self, value: float) -> Quantity: ...
    @overload
    def __call__(self, value: Iterable[float]) -> list[Quantity]: ...
    def __call__(self, value: Any) -> Any:
        """A number of it, or a list of numbers."""
        if isinstance(value, Iterable) and not isinstance(value, str):
            return [Quantity(float(one), self) for one in value]
        return Quantity(float(value), self)

    def __rmul__(self, value: float) -> Quantity:
        return Quantity(float(value), self)

    def __mul__(self, other: Unit) -> Unit:
        return self._times(other, 1)

    def __truediv__(self, other: Unit) -> Unit:
        return self._times(other, -1)

    def __pow__(self, power: int) -> Unit:
        return Unit("", powers={name: n * power for name, n in self._powers.items()})

    def _times(self, other: Unit, sign: int) -> Unit:
        powers = dict(self._powers)
        for name, n in other._powers.items():
            powers[name] = powers.get(name, 0) + sign * n
        return Unit("", powers=powers)


# Units of the model format, written by python/elements.py.
rad = Unit("rad")
deg = Unit("deg")
N = Unit("N")
kN = Unit("kN")
mN = Unit("mN")
cN = Unit("cN")
lbf = Unit("lbf")
kip = Unit("kip")
ozf = Unit("ozf")
kgf = Unit("kgf")
dyn = Unit("dyn")
m = Unit("m")
mm = Unit("mm")
cm = Unit("cm")
km = Unit("km")
um = Unit("um")
inch = Unit("in")
ft = Unit("ft")
yd = Unit("yd")
mi = Unit("mi")
kg = Unit("kg")
gram = Unit("g")
tonne = Unit("t")
lbm = Unit("lbm")
oz = Unit("oz")
slug = Unit("slug")
slinch = Unit("slinch")
s = Unit("s")
ms = Unit("ms")
us = Unit("us")
minute = Unit("min")
hour = Unit("h")
