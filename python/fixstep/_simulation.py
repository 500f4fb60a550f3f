"""Simulations that are stepped, with the derivatives of a step."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, Union

import numpy as np

from . import _fixstep
from ._errors import DerivativeError, Error
from ._fixstep import Handle
from ._values import reals

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

Names = Union[str, Sequence[str], Handle]


@dataclass(frozen=True)
class StepMatrices:
    """The exact matrices of a step: ``x₊ = A x + B u``, ``y₊ = C x + D u`` for small changes.

    x is all that a step carries to the next one, in SI units: positions and velocities of the centres of mass, rotations,
    states of equations; with HHT accelerations and inertial forces too. u acts during the step, y is at its end; it may hold
    parameters as well as inputs.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    units: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    #: The time at the beginning of the step, and its length [s].
    time: float
    step: float
    #: What changed abruptly in the step: contacts that touched or parted, branches of IF. The matrices hold on one side.
    switched: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        switched = f", switched: {', '.join(self.switched)}" if self.switched else ""
        return f"<fixstep.StepMatrices from {self.time:g} s by {self.step:g} s: {counts}{switched}>"

    def reduced(self, tolerance: float = 1e-9) -> StepMatrices:
        """The same with as few states as inputs and outputs can tell apart: reachable, then observable ones.

        Joints make the positions of their parts depend on each other. A basis of what inputs and past states reach, and of
        what outputs tell, leaves these dependences out; a state is then a combination of all.
        """
        a, b, c = self.A, self.B, self.C
        scale = np.array([_SIZES.get(unit, 1.0) for unit in self.units])
        a, b, c = a * scale / scale[:, None], b / scale[:, None], c * scale
        if b.size:
            basis = _span(a, b, tolerance)
            a, b, c = basis.T @ a @ basis, basis.T @ b, c @ basis
        basis = _span(a.T, c.T, tolerance)
        a, b, c = basis.T @ a @ basis, basis.T @ b, c @ basis
        names = tuple(f"x{k + 1}" for k in range(len(a)))
        return StepMatrices(
            a, b, c, self.D, names, ("",) * len(a), self.inputs, self.outputs, self.time, self.step, self.switched
        )


#: Typical sizes, so that a tolerance means the same for all.
_SIZES = {"m/s": 10.0, "rad/s": 10.0, "m/s2": 100.0, "rad/s2": 100.0, "N": 100.0, "N.m": 100.0}


def _span(a: Array, b: Array, tolerance: float) -> Array:
    """An orthonormal basis of the columns of b, A b, A² b, ..."""
    basis = np.zeros((len(a), 0))
    new = b
    while new.size:
        size = np.linalg.norm(new, axis=0)
        new = new[:, size > 0] / size[size > 0]
        for _ in range(2):
            new = new - basis @ (basis.T @ new)
        left, sizes, _ = np.linalg.svd(new, full_matrices=False)
        new = left[:, sizes > tolerance]
        basis = np.hstack([basis, new])
        new = a @ new
    return basis


class Simulation(_fixstep.RawSimulation):
    """A model that Python steps.

    It begins at the start of the run, where parameters and inputs can still be set; the first step, or ``start()``, ends
    that. ``sim["name"]`` reads and sets a variable, ``sim.step()`` makes a communication step. A simulation belongs to one
    thread at a time; others get a ClosedError. It may be used in a ``with`` block, which closes it.
    """

    def __getitem__(self, name: str) -> Any:
        value = self.value(name)
        return np.asarray(value) if isinstance(value, list) else value

    def __contains__(self, name: object) -> bool:
        """Has the model a variable of this name?"""
        try:
            self.handle(name)
        except (Error, TypeError):
            return False
        return True

    def handle(self, *names: Any) -> Handle:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Variables that are read or set together: faster than by name."""
        if len(names) == 1 and isinstance(names[0], Handle):
            return names[0]
        flat = [one for name in names for one in ([name] if isinstance(name, str) else name)]
        return super().handle(flat)

    def get(self, names: Names, out: Array | None = None) -> Array:
        """Values of several variables, in an array that is given or in a new one."""
        handle = self.handle(names)
        if out is None:
            out = np.empty(len(handle))
        self.read(handle, out)
        return out

    def set(self, names: Names, values: ArrayLike) -> None:
        """Sets several variables, all or none."""
        handle = self.handle(names)
        ready = isinstance(values, np.ndarray) and values.dtype == np.float64 and values.flags.c_contiguous
        self.write(handle, values if ready else reals(values, f"values of {', '.join(handle.names)}"))

    def copy(self) -> Self:
        """Another simulation in the same state."""
        return type(self)(self)

    def jacobian(self, outputs: Names, inputs: Names) -> Array:
        """∂outputs/∂inputs over the last step: a row for each output. Inputs, parameters and states of equations count as inputs.

        Before the first step they are those of the start.
        """
        rows, columns = self.handle(outputs), self.handle(inputs)
        found = np.zeros((len(rows), len(columns)))
        _fixstep.derivatives(self, rows, columns, found)
        if not np.isfinite(found).all():
            row, column = np.argwhere(~np.isfinite(found))[0]
            raise DerivativeError(f"∂{rows.names[row]}/∂{columns.names[column]} is not finite here")
        return found

    def discrete(self, outputs: Names | None = None, inputs: Names | None = None) -> StepMatrices:
        """The exact matrices of the step that is to come; the simulation stays where it is.

        ``inputs`` (all) may name parameters of the model too.
        """
        state = self.save()
        try:
            found = self._step_matrices(outputs, inputs)
        except BaseException:
            with suppress(Error):
                self.restore(state)
            raise
        self.restore(state)
        return found

    def _step_matrices(self, outputs: Names | None, inputs: Names | None) -> StepMatrices:
        rows = self.handle(self.names("output") if outputs is None else outputs)
        columns = self.handle(self.names("input") if inputs is None else inputs)
        time = self.time
        found = _fixstep.step_with_matrices(self, columns, rows)
        states = found.states
        names = [rows.names[at] for at in found.kept]
        if outputs is not None and len(names) < len(rows):
            left = ", ".join(sorted(set(rows.names) - set(names)))
            raise DerivativeError(
                f"there are no exact derivatives of {left}; valid: outputs of the model that read no energy, power or "
                "largest displacement and, with HHT and generalized-α, no acceleration"
            )
        n, m, k = len(states), len(columns), len(names)
        a, b, c, d = np.empty((n, n)), np.empty((n, m)), np.empty((k, n)), np.empty((k, m))
        found.write(a, b, c, d)
        return StepMatrices(
            a,
            b,
            c,
            d,
            tuple(name for name, _ in states),
            tuple(unit for _, unit in states),
            tuple(columns.names),
            tuple(names),
            time,
            self.step_size,
            tuple(found.switched),
        )

    def names(self, causality: str) -> list[str]:
        """The real variables of a causality: ``input``, ``output`` or ``parameter``."""
        return [own[0] for own in self.described() if own[1] == causality and own[3] == "real"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise Error("a simulation cannot be pickled; valid: pickle the model and save()")

    def __repr__(self) -> str:
        if self.closed:
            return "<fixstep.Simulation, closed>"
        return f"<fixstep.Simulation at {self.time:g} s>"
