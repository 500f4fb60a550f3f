"""Many steps at once, and gradients through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ._errors import Error, StepError
from ._fixstep import State
from ._simulation import Names, Simulation
from ._values import reals

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gradients:
    """The derivatives of a weighted sum of outputs over all steps."""

    #: By the inputs of each step: steps × inputs.
    inputs: Array
    #: By what the first step carries over, in the order of ``states``.
    state: Array
    states: tuple[str, ...]
    #: Steps in which something changed abruptly, and what: there the derivative is that of one side.
    switched: tuple[tuple[int, str], ...]


class Rollout:
    """Steps with given inputs, with their outputs, and the gradients of any sum of these outputs.

    States are saved every √N steps; the backward pass makes the steps between anew, with their matrices. So the memory is
    that of 2 √N steps, and the work that of three passes with one solution for each number that a step carries.
    """

    def __init__(
        self,
        simulation: Simulation,
        inputs: ArrayLike,
        *,
        names: Names | None = None,
        outputs: Names | None = None,
    ) -> None:
        """Makes the steps: ``inputs`` has a row for each, in the order of ``names`` (all inputs)."""
        self._simulation = simulation
        self._in = simulation.handle(simulation.names("input") if names is None else names)
        self._out = simulation.handle(simulation.names("output") if outputs is None else outputs)
        # The start does not read the inputs of the first step.
        simulation.start()
        rows = reals(inputs, "inputs", finite=True)
        if rows.ndim == 1 and len(self._in) == 1:
            rows = rows[:, None]
        if rows.ndim != 2 or rows.shape[1] != len(self._in):
            raise Error(f"inputs: {rows.shape} numbers; valid: a row for each step of {', '.join(self._in.names)}")
        #: The inputs, a row for each step.
        self.inputs: Array = rows.copy()
        #: The outputs at the end of each step.
        self.outputs: Array = np.empty((len(rows), len(self._out)))
        self._every = max(1, int(np.sqrt(len(rows))))
        self._kept: list[State] = []
        for first in range(0, len(rows), self._every):
            self._kept.append(simulation.save())
            part = rows[first : first + self._every]
            found = self.outputs[first : first + self._every]
            made = simulation.roll(len(part), (self._in, part), (self._out, found))
            if made < len(part):
                raise StepError(f"the model ended the run in step {first + made} of {len(rows)}: {simulation.ended}")

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The inputs and the outputs."""
        return tuple(self._in.names), tuple(self._out.names)

    def pullback(self, weights: ArrayLike) -> Gradients:
        """The gradient of Σ weights · outputs: the product of its weights with the Jacobian of all steps (vector–Jacobian)."""
        given = reals(weights, "weights", finite=True)
        try:
            rows = np.broadcast_to(given, self.outputs.shape)
        except ValueError:
            shape = " × ".join(map(str, self.outputs.shape))
            raise Error(f"weights: {given.shape} numbers; valid: one for each step and output, {shape}") from None
        simulation = self._simulation.copy()
        inputs = np.zeros_like(self.inputs)
        adjoint = np.zeros(0)
        states: tuple[str, ...] = ()
        switched: list[tuple[int, str]] = []
        with simulation:
            for segment in reversed(range(len(self._kept))):
                simulation.restore(self._kept[segment])
                first = segment * self._every
                last = min(first + self._every, len(rows))
                passed = []
                for n in range(first, last):
                    simulation.write(self._in, self.inputs[n])
                    matrices = simulation._step_matrices(self._out, self._in)
                    passed.append(matrices)
                    switched += [(n, name) for name in matrices.switched]
                for n in reversed(range(first, last)):
                    own = passed.pop()
                    if not states:
                        states, adjoint = own.states, np.zeros(len(own.states))
                    inputs[n] = own.B.T @ adjoint + own.D.T @ rows[n]
                    adjoint = own.A.T @ adjoint + own.C.T @ rows[n]
        return Gradients(inputs, adjoint, states, tuple(sorted(switched)))


