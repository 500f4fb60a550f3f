"""Many steps at once, and gradients through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _fixstep
from ._errors import DerivativeError, Error, StepError
from ._fixstep import State
from ._simulation import Names, Simulation, StepMatrices
from ._values import natural, reals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class Gradients:
    """The derivatives of a weighted sum of outputs over all steps."""

    #: By the inputs of each step: steps × inputs.
    inputs: Array
    #: By the parameters, which act in all steps, and on the start if it is that of the rollout.
    parameters: Array
    #: By what the first step carries over, in the order of ``states``.
    state: Array
    states: tuple[str, ...]
    #: Steps in which something changed abruptly, and what: there the derivative is that of one side.
    switched: tuple[tuple[int, str], ...]


def _ends(simulation: Simulation, names: Sequence[str]) -> list[list[tuple[float, Simulation]]]:
    """For each parameter the starts with a little more and a little less of it, as far as they exist."""
    found: list[list[tuple[float, Simulation]]] = []
    for name in names:
        value = float(simulation[name])
        reach = 1e-4 * max(abs(value), 1e-3)
        ends: list[tuple[float, Simulation]] = []
        for by in (reach, -reach):
            other = simulation.copy()
            try:
                other[name] = value + by
                other.start()
            except Error:
                continue
            ends.append((by, other))
        found.append(ends)
    return found


def _slopes(simulation: Simulation, names: Sequence[str], moved: list[list[tuple[float, Simulation]]]) -> Array:
    """The changes of what the first step carries over, a column for each parameter: differences of starts."""
    columns = []
    for name, ends in zip(names, moved, strict=True):
        if not ends:
            raise DerivativeError(
                f"there is no derivative of the start by {name}: with a little more or less of it there is no start; "
                "valid: start() before the rollout, which then holds what the first step carries over"
            )
        changes = [np.array(_fixstep.carried_changes(simulation, other)) for _, other in ends]
        if len(ends) == 1:
            columns.append(changes[0] / ends[0][0])
        else:
            columns.append((changes[0] - changes[1]) / (ends[0][0] - ends[1][0]))
        for _, other in ends:
            other.close()
    return np.stack(columns, axis=1)


class Rollout:
    """Steps with given inputs, with their outputs, and the gradients of any sum of these outputs.

    States are saved every √N steps; the backward pass makes the steps between anew, with their matrices. So the memory is
    that of 2 √N steps, and the work that of three passes with one solution for each number that a step carries.
    """

    def __init__(
        self,
        simulation: Simulation,
        inputs: ArrayLike | None = None,
        *,
        steps: int | None = None,
        names: Names | None = None,
        outputs: Names | None = None,
        parameters: Names = (),
    ) -> None:
        """Makes the steps: ``inputs`` has a row for each, in the order of ``names`` (all inputs).

        With ``steps`` in place of ``inputs`` the simulation makes so many, with the inputs as they are. Gradients are by
        ``parameters`` of the model too, with the values that they have. If the simulation has not started yet, they
        act on its start as well; otherwise what the first step carries over is held.
        """
        if (inputs is None) == (steps is None):
            raise Error("Rollout: valid: one of inputs and steps")
        self._simulation = simulation
        if inputs is None:
            names = []
        self._in = simulation.handle(simulation.names("input") if names is None else names)
        self._out = simulation.handle(simulation.names("output") if outputs is None else outputs)
        self._by = simulation.handle(parameters)
        moved = None if simulation.started or not len(self._by) else _ends(simulation, self._by.names)
        # The start does not read the inputs of the first step.
        simulation.start()
        #: Changes of what the first step carries over, by parameters.
        self._start = None if moved is None else _slopes(simulation, self._by.names, moved)
        # Refuses what there are no derivatives by.
        simulation.jacobian([], self._by)
        if inputs is None:
            rows = np.zeros((natural(steps, "steps", 2**31), 0))
        else:
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

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the gradients."""
        return tuple(self._by.names)

    def _segment(self, simulation: Simulation, segment: int) -> Iterator[tuple[int, StepMatrices]]:
        """The steps from a saved state to the next, made anew, with their matrices."""
        knowns = simulation.handle([*self._in.names, *self._by.names])
        simulation.restore(self._kept[segment])
        first = segment * self._every
        for n in range(first, min(first + self._every, len(self.inputs))):
            simulation.write(self._in, self.inputs[n])
            yield n, simulation._step_matrices(self._out, knowns)

    def pullback(self, weights: ArrayLike) -> Gradients:
        """The gradient of Σ weights · outputs: the product of its weights with the Jacobian of all steps (vector–Jacobian)."""
        given = reals(weights, "weights", finite=True)
        try:
            rows = np.broadcast_to(given, self.outputs.shape)
        except ValueError:
            shape = " × ".join(map(str, self.outputs.shape))
            raise Error(f"weights: {given.shape} numbers; valid: one for each step and output, {shape}") from None
        many = len(self._in)
        inputs = np.zeros_like(self.inputs)
        parameters = np.zeros(len(self._by))
        adjoint = np.zeros(0)
        states: tuple[str, ...] = ()
        switched: list[tuple[int, str]] = []
        with self._simulation.copy() as simulation:
            for segment in reversed(range(len(self._kept))):
                passed = list(self._segment(simulation, segment))
                for n, own in reversed(passed):
                    switched += [(n, name) for name in own.switched]
                    if not states:
                        states, adjoint = own.states, np.zeros(len(own.states))
                    by = own.B.T @ adjoint + own.D.T @ rows[n]
                    inputs[n] = by[:many]
                    parameters += by[many:]
                    adjoint = own.A.T @ adjoint + own.C.T @ rows[n]
        if self._start is not None:
            parameters += self._start.T @ adjoint
        return Gradients(inputs, parameters, adjoint, states, tuple(sorted(switched)))

    def sensitivities(self) -> Array:
        """∂outputs/∂parameters after each step: steps × outputs × parameters, in one pass forward.

        Where something changes abruptly in a step, it is the derivative of one side; ``pullback`` names such steps.
        """
        many = len(self._in)
        found = np.zeros((*self.outputs.shape, len(self._by)))
        along = self._start
        with self._simulation.copy() as simulation:
            for segment in range(len(self._kept)):
                for n, own in self._segment(simulation, segment):
                    if along is None:
                        along = np.zeros((len(own.states), len(self._by)))
                    found[n] = own.C @ along + own.D[:, many:]
                    along = own.A @ along + own.B[:, many:]
        return found
