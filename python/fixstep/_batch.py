"""Many instances of one model that step side by side."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, Union

import numpy as np

from . import _fixstep
from ._errors import BatchError, Error, StepError
from ._fixstep import Handle, State
from ._model import Model, Parameters
from ._simulation import Names, Simulation
from ._values import natural, reals

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._builder import ModelBuilder

    Array = NDArray[np.float64]
    Flags = NDArray[np.bool_]

Source = Union[Model, "ModelBuilder", str, "os.PathLike[str]"]

#: The most instances of a batch.
MOST = 1_000_000


@dataclass(frozen=True)
class Status:
    """How an instance of a batch stands."""

    index: int
    #: ``running``; ``ended``: the model has asked for the end; ``failed``: a step has failed, or the start.
    state: Literal["running", "ended", "failed"]
    #: Where it stands [s]: of one that has halted the time of its last good state.
    time: float
    #: Why it has halted.
    reason: str = ""


def _flags(mask: ArrayLike | None, count: int) -> NDArray[np.uint8] | None:
    if mask is None:
        return None
    flags = np.asarray(mask)
    if flags.dtype != np.bool_ or flags.shape != (count,):
        raise Error(f"mask: {flags.dtype} of shape {flags.shape}; valid: True or False for each of {count} instances")
    return np.ascontiguousarray(flags).view(np.uint8)


def model_of(source: Source) -> Model:
    """The model of a source."""
    if isinstance(source, Model):
        return source
    if isinstance(source, (str, os.PathLike)):
        if str(source).lower().endswith((".fmu", ".ssp")):
            raise Error(f"{source}: a batch has instances of a model, not of an FMU; valid: a file of the model format")
        return Model.load(source)
    from ._builder import ModelBuilder

    if isinstance(source, ModelBuilder):
        return source.build()
    raise Error(f"model: {type(source).__name__} is no model; valid: a Model, a ModelBuilder, or the path of a model")


class Batch(_fixstep.RawBatch):
    """``n`` instances of a model that step side by side on several cores, each with its own parameters, inputs and state.

    Values are arrays with a row for each instance: ``batch["torque"] = array``, ``batch["angle"]``. Every instance has the bits of
    a simulation by itself, however many threads there are. An instance that fails, or that the model ends, stays at its last
    good state while the others go on; ``alive`` and ``status`` tell which and why, and ``reset`` or ``restore`` revives it.
    With ``errors="raise"`` a call in which instances fail raises a BatchError at its end, with ``errors="mask"`` it does not.

    A batch belongs to one thread at a time; others get a ClosedError. Python's lock is free while instances step.
    """

    _model: Model
    _raises: bool
    #: Start, stop and step as they were asked for.
    _times: tuple[float | None, float | None, float | None]
    _types: dict[str, str]
    _handles: dict[str, Handle]

    def __new__(
        cls,
        model: Source,
        n: int,
        *,
        threads: int | None = None,
        start: float | None = None,
        stop: float | None = None,
        step: float | None = None,
        parameters: Parameters | None = None,
        errors: Literal["raise", "mask"] = "raise",
    ) -> Self:
        """``parameters`` are set before the start: a value for all instances, or an array or list with one for each."""
        if errors not in ("raise", "mask"):
            raise Error(f"errors: {errors!r}; valid: 'raise' or 'mask'")
        model, count = model_of(model), natural(n, "n", MOST)
        crew = _cores() if threads is None else natural(threads, "threads", 1024)
        common, own = [], []
        for name, value in (parameters or {}).items():
            if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
                if np.ndim(value) != 1 or len(value) != count:
                    raise Error(f'parameter "{name}": shape {np.shape(value)}; valid: one value, or one for each of {count} instances')
                own.append((name, value.tolist() if isinstance(value, np.ndarray) else list(value)))
            else:
                common.append((name, value))
        batch = super().__new__(cls, model._raw, count, crew, start, stop, step, common, own)
        batch._model, batch._raises = model, errors == "raise"
        batch._times = (start, stop, step)
        batch._types = {known[0]: known[3] for known in batch.described()}
        batch._handles = {}
        return batch

    __iter__ = None

    def handle(self, *names: Any) -> Handle:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Variables that are read or set together: faster than by name."""
        if len(names) == 1 and isinstance(names[0], Handle):
            return names[0]
        flat = [one for name in names for one in ([name] if isinstance(name, str) else name)]
        return super().handle(flat)

    def _one(self, name: str) -> Handle:
        known = self._handles.get(name)
        if known is None:
            known = self._handles[name] = super().handle([name])
        return known

    def __getitem__(self, name: str) -> Any:
        """The values of a variable, one for each instance; of an array variable a row for each."""
        kind = self._types.get(name, "real")
        if kind != "real":
            return np.array(self.values(name))
        found = self.get(self._one(name))
        return found[:, 0] if name in self._types else found

    def __setitem__(self, name: str, value: Any) -> None:
        if self._types.get(name, "real") != "real":
            several = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim)
            self.assign(name, list(value) if several else [value])
            return
        self.set(self._one(name), value)

    def get(self, names: Names, out: Array | None = None) -> Array:
        """Values of several variables, instances × variables, in an array that is given or in a new one."""
        handle = self.handle(names)
        shape = (len(self), len(handle))
        if out is None:
            out = np.empty(shape)
        _whole(out, shape)
        self._judge(self.read(handle, out))
        return out

    def set(self, names: Names, values: ArrayLike, mask: ArrayLike | None = None) -> None:
        """Sets variables in all instances, or in those that ``mask`` marks: all of them, or none if a value is refused.

        ``values`` are instances × variables; one number goes for all, one row (a number for each
        variable) for all instances. Instances that have halted are left out.
        """
        handle = self.handle(names)
        shape = (len(self), len(handle))
        what = f"values of {', '.join(handle.names)}"
        given = reals(values, what)
        if given.ndim == 1 and len(handle) == 1:
            given = given[:, None]
        if given.ndim == 1 and len(given) == len(handle) > 1:
            given = given[None, :]
        if given.shape != shape:
            if given.ndim and (given.ndim != 2 or given.shape[1] != shape[1] or given.shape[0] != 1):
                row = f"({len(handle)},) for all instances"
                valid = f"{shape}, {row}, or one number" if len(handle) > 1 else f"({len(self)},), or one number"
                raise Error(f"{what}: shape {np.shape(values)}; valid: {valid}")
            given = np.ascontiguousarray(np.broadcast_to(given, shape))
        self.write(handle, given, _flags(mask, len(self)))

    def start(self) -> Flags:
        """Ends the initialization: values that are fixed from then on take effect. Which instances run."""
        self._judge(self.begin())
        return self.alive

    def step(self, count: int = 1, mask: ArrayLike | None = None) -> Flags:
        """Makes communication steps in all instances that run, or in those that ``mask`` marks; which still run."""
        if self._raises and not self.alive.any():
            _, _, why = self.halts()[0]
            raise StepError(f"all {len(self)} instances have halted, the first since {why}; valid: reset() or restore()")
        self._judge(self.advance(count, _flags(mask, len(self))))
        return self.alive

    def rollout(
        self,
        inputs: ArrayLike | None = None,
        outputs: Names | None = None,
        *,
        names: Names | None = None,
        steps: int | None = None,
        every: int = 1,
        out: Array | None = None,
    ) -> Array:
        """Many steps in one call: the outputs at the end of each, steps × instances × outputs.

        ``inputs`` are set before each step: steps × instances × inputs in the order of ``names`` (all inputs), steps × 1 × inputs
        for the same in all instances, or steps × instances for one input. Without inputs ``steps`` says how many. With ``every``
        each of these steps is so many communication steps. Values of steps that an instance did not make are NaN.
        """
        # Without inputs nothing is set, so that all stay as they are.
        unset: list[str] = []
        wanted = unset if inputs is None else self.names("input")
        ins = self.handle(wanted if names is None or inputs is None else names)
        outs = self.handle(self.names("output") if outputs is None else outputs)
        if inputs is None:
            rows = natural(steps, "steps", 2**31) if steps is not None else 0
            if steps is None:
                raise Error("rollout: neither inputs nor steps; valid: one of them")
            given = np.zeros((rows, len(self), 0))
        else:
            given = self._course(inputs, ins)
            rows = len(given)
            if steps is not None and steps != rows:
                raise Error(f"steps: {steps!r}, but inputs have {rows} rows; valid: inputs alone")
        shape = (rows, len(self), len(outs))
        if out is None:
            out = np.empty(shape)
        _whole(out, shape)
        self._judge(self.roll(rows, natural(every, "every", 2**31), (ins, given), (outs, out)))
        return out

    def _course(self, inputs: ArrayLike, ins: Handle) -> Array:
        given = reals(inputs, "inputs", finite=True)
        if given.ndim == 2 and len(ins) == 1:
            given = given[:, :, None]
        if given.ndim != 3 or given.shape[1] not in (1, len(self)) or given.shape[2] != len(ins):
            raise Error(
                f"inputs: shape {given.shape}; valid: steps × {len(self)} instances × {len(ins)} inputs ({', '.join(ins.names)})"
            )
        return np.ascontiguousarray(np.broadcast_to(given, (len(given), len(self), len(ins))))

    def save(self) -> tuple[State, ...]:
        """The state of each instance; a simulation can restore it too."""
        return tuple(self.states())

    def restore(self, states: State | Sequence[State], mask: ArrayLike | None = None) -> None:
        """Takes all instances, or those that ``mask`` marks, to saved states: one for all, or one for each instance."""
        given = [states] if isinstance(states, State) else list(states)
        for at, state in enumerate(given):
            if not isinstance(state, State):
                raise Error(f"states: {type(state).__name__} at {at} is no State; valid: what save() returns")
        self.take(given, _flags(mask, len(self)))

    def reset(self, mask: ArrayLike | None = None) -> None:
        """Takes all instances, or those that ``mask`` marks, back to the start, with the parameters that the batch began with."""
        self.again(_flags(mask, len(self)))

    @property
    def time(self) -> Array:
        """The time of each instance [s]."""
        out = np.empty(len(self))
        self.times(out)
        return out

    @property
    def alive(self) -> Flags:
        """Which instances have not halted."""
        flags = np.ones(len(self), np.bool_)
        flags[[at for at, _, _ in self.halts()]] = False
        return flags

    @property
    def status(self) -> tuple[Status, ...]:
        """How each instance stands."""
        halts = {at: (failed, why) for at, failed, why in self.halts()}

        def of(at: int, time: float) -> Status:
            if at not in halts:
                return Status(at, "running", time)
            failed, why = halts[at]
            return Status(at, "failed" if failed else "ended", time, why)

        return tuple(of(at, time) for at, time in enumerate(self.time.tolist()))

    @property
    def messages(self) -> tuple[tuple[int, str, str, str], ...]:
        """Messages since the last reset: index of the instance, level, category, text."""
        return tuple((at, *message) for at, message in self.told())

    @property
    def model(self) -> Model:
        """The model of the instances."""
        return self._model

    def simulation(self, index: int) -> Simulation:
        """A simulation in the state of an instance; it goes its own way from here."""
        at = operator.index(index)
        if not 0 <= at < len(self):
            raise Error(f"index: {at}; valid: 0 to {len(self) - 1}")
        state = self.states()[at]
        single = Simulation(self._model._raw, *self._times)
        single.restore(state)
        return single

    def names(self, causality: str) -> list[str]:
        """The real variables of a causality: ``input``, ``output`` or ``parameter``."""
        return [own[0] for own in self.described() if own[1] == causality and own[3] == "real"]

    def _judge(self, halts: list[tuple[int, bool, str]]) -> None:
        """Raises what has failed, if that is wanted."""
        failures = {at: why for at, failed, why in halts if failed}
        if not (failures and self._raises):
            return
        at, why = next(iter(failures.items()))
        others = "" if len(failures) == 1 else f"; and {len(failures) - 1} more, see failures"
        raise BatchError(f"instance {at} of {len(self)}: {why}{others}", failures)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise Error("a batch cannot be pickled; valid: pickle the model and save()")

    def __repr__(self) -> str:
        if self.closed:
            return "<fixstep.Batch, closed>"
        halted = len(self.halts())
        return f"<fixstep.Batch of {len(self)} × {self._model.name!r}, {self.threads} threads{f', {halted} halted' if halted else ''}>"


def _cores() -> int:
    """The cores that this process may use."""
    own = getattr(os, "sched_getaffinity", None)
    return len(own(0)) if own else os.cpu_count() or 1


def _whole(out: Any, shape: tuple[int, ...]) -> None:
    """Checks an array that is to be filled."""
    fits = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape
    if not (fits and out.flags.c_contiguous and out.flags.writeable):
        found = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise Error(f"out: {found}; valid: float64 of shape {shape} in the order of C that can be written")
