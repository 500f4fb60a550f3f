"""Flexible bodies from finite-element models."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._tools import Record, _record, _words, command

__all__ = ["Body", "reduce"]


class Body(Record):
    """A reduced body: ``mass``, ``center``, ``inertia``, ``modes`` and the ``path`` of its file."""


def reduce(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    interfaces: Mapping[str, str],
    modes: int | None = None,
    up_to: float | None = None,
    units: str | None = None,
    **options: Any,
) -> Body:
    """Reduces the matrices of a finite-element model to a flexible body (Craig and Bampton 1968).

    ``interfaces`` names places where other parts attach, with their nodes: ``{"root": "node:17", "tip": "nodes:1,2,5-9"}``.
    ``modes`` is the number of modes with fixed interfaces, or ``up_to`` their highest frequency [Hz]. ``units`` of the files
    are such as ``"mm-t-s"``. Further options are those of ``fixstep flex reduce``.
    """
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    output = Path(output)
    named = {"interface": dict(interfaces), "modes": modes, "up_to": up_to, "units": units, **options}
    words = [*(os.fspath(file) for file in given), "-o", str(output), *_words(named), "--json"]
    found = json.loads(command("flex reduce", words))
    return Body({**{name: _record(own) for name, own in found.items()}, "path": output})
