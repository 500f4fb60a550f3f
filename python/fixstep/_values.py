"""Numbers that a caller gives."""

from __future__ import annotations

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


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
