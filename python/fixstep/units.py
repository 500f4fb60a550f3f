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


@dataclass(frozen=True)
class Unit:
    """A unit by its name, such as ``N.m/rad``. Which there are, the model reader knows."""

    name: str

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
        return Unit(f"{self._bound('.')}.{other._bound('.')}")

    def __truediv__(self, other: Unit) -> Unit:
        return Unit(f"{self.name}/{other._bound('/')}")

    def __pow__(self, power: int) -> Unit:
        return Unit(f"{self._bound('^')}{power}")

    def _bound(self, sign: str) -> str:
        """Its name as an operand."""
        loose = "/" in self.name or sign != "." and "." in self.name or sign == "^" and self.name[-1:].isdigit()
        return f"({self.name})" if loose else self.name


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
