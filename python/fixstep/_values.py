"""Numbers that a caller gives."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray


def reals(values: Any, what: str, *, finite: bool = False) -> NDArray[np.float64]:
    """An array of float64 in the order of C. Complex numbers would lose a part, so they are refused."""
    try:
        given = np.asarray(values)
        if np.iscomplexobj(given) or (given.dtype == object and any(map(np.iscomplexobj, given.flat))):
            raise Error(f"{what}: complex numbers; valid: real ones")
        found = np.ascontiguousarray(given, float)
    except (TypeError, ValueError):
        raise Error(f"{what}: {_shown(values)} is no array of numbers; valid: numbers, as many in each row") from None
    if finite and not np.isfinite(found).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(found))[0])
        raise Error(f"{what}: {found[at]} at {list(at)}; valid: finite numbers")
    return found if given.ndim else found.reshape(())


def natural(value: Any, what: str, most: int) -> int:
    """A whole number from 1 on."""
    try:
        found = operator.index(value)
    except TypeError:
        raise Error(f"{what}: {value!r} is no whole number; valid: 1 to {most}") from None
    if isinstance(value, bool) or not 1 <= found <= most:
        raise Error(f"{what}: {value!r}; valid: 1 to {most}")
    return found


def called(name: str, signal: Callable[[float], float], time: float) -> float:
    """The value of a function at a time."""
    value = signal(time)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Error(f"input {name!r}: the function gives {value!r} at {time!r} s; valid: a number") from None


def check_times(**times: Any) -> None:
    """Times of a run are numbers."""
    for word, number in times.items():
        if number is not None and (isinstance(number, (str, bool)) or not hasattr(number, "__float__")):
            raise Error(f"run, {word}: {number!r} is no time; valid: a number of seconds")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
