"""Tasks of learners: actions, observations, reward and end of episodes on a batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._batch import Batch, Source, model_of
from ._errors import Error
from ._formula import Formula
from ._model import Parameters
from ._values import reals

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from ._fixstep import State

    Array = NDArray[np.float64]
    Array32 = NDArray[np.float32]
    Flags = NDArray[np.bool_]

#: Names, or names with bounds that replace the declared ones.
Signals = Union[Sequence[str], Mapping[str, "tuple[float, float] | None"]]
#: A formula of variables, or a function of values by name: arrays with an element for each instance.
Score = Union[str, Callable[[Mapping[str, Any]], Any]]
#: What a variable is set to at the start of an episode: a number between two, or what a function draws.
Random = Union["tuple[float, float]", Callable[[Any], float]]


class Values(Mapping[str, Any]):
    """Values of a batch by name, read when they are asked for; ``time`` too."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._read: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = self._batch[name]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(own[0] for own in self._batch.described())

    def __len__(self) -> int:
        return len(self._batch.described())


class Box:
    """Names with their bounds."""

    def __init__(self, batch: Batch, what: str, causality: str, signals: Signals) -> None:
        if isinstance(signals, str) or not isinstance(signals, (Sequence, Mapping)) or not signals:
            raise Error(f"{what}: {signals!r}; valid: names of {causality}s, or a dictionary of names and bounds (low, high)")
        declared = {own[0]: (own[1], *own[7]) for own in batch.described()}
        low, high = [], []
        self.handle = batch.handle(list(signals))
        for name in signals:
            own = signals[name] if isinstance(signals, Mapping) else None
            for element in batch.handle(name).names:
                kind, *bounds = declared[element]
                if causality == "input" and kind != "input":
                    raise Error(f'{what}: "{element}" is no input but {"an" if kind == "output" else "a"} {kind}; valid: {", ".join(batch.names("input"))}')
                least, most = _pair(f'{what}: "{name}"', own) if own is not None else bounds
                if causality == "input" and own is not None:
                    _check_within(f'{what}: "{name}"', own, bounds)
                low.append(-math.inf if least is None else least)
                high.append(math.inf if most is None else most)
        self.low, self.high = np.array(low, float), np.array(high, float)
        for name, least, most in zip(self.handle.names, low, high):
            if causality == "input" and not (math.isfinite(least) and math.isfinite(most)):
                raise Error(f'{what}: input "{name}" has no bounds; valid: min and max in the model, or {{"{name}": (low, high)}} here')

    def inner(self) -> tuple[Array32, Array32]:
        """The bounds in single precision, not outside those in double precision."""
        low, high = self.low.astype(np.float32), self.high.astype(np.float32)
        low = np.where(low < self.low, np.nextafter(low, np.float32(np.inf)), low)
        high = np.where(high > self.high, np.nextafter(high, np.float32(-np.inf)), high)
        return low, high


def _check_within(what: str, asked: Any, bounds: Any) -> None:
    """Bounds of an action must be within those that the model declares, which the simulation keeps."""
    low, high = (float(bound) for bound in asked)
    least, most = bounds
    if (least is not None and low < least) or (most is not None and high > most):
        declared = f"{'no min' if least is None else f'min {least:g}'}, {'no max' if most is None else f'max {most:g}'}"
        raise Error(f"{what}: {asked!r} is beyond the bounds of the model ({declared}); valid: bounds within these")


def _pair(what: str, bounds: Any) -> tuple[float, float]:
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise Error(f"{what}: {bounds!r}; valid: two numbers (low, high)") from None
    if not low <= high:
        raise Error(f"{what}: {bounds!r}; valid: two numbers (low, high), the lower one first")
    return low, high


class Task:
    """Episodes of ``n`` instances."""

    def __init__(
        self,
        model: Source,
        n: int,
        *,
        actions: Signals,
        observations: Signals,
        reward: Score,
        terminated: Score | None,
        frame_skip: int,
        time_limit: float | None,
        randomize: Mapping[str, Random] | None,
        normalize_actions: bool,
        step: float | None,
        parameters: Parameters | None,
        threads: int | None,
    ) -> None:
        if isinstance(frame_skip, bool) or not isinstance(frame_skip, (int, np.integer)) or not 1 <= frame_skip < 2**31:
            raise Error(f"frame_skip: {frame_skip!r}; valid: a whole number of communication steps, 1 or more")
        self.model = model_of(model)
        self.batch = Batch(self.model, n, threads=threads, step=step, parameters=parameters, errors="mask")
        self.count = len(self.batch)
        self.actions = Box(self.batch, "actions", "input", actions)
        self.observations = Box(self.batch, "observations", "output", observations)
        self.normalized = normalize_actions
        self._skip = int(frame_skip)
        #: The time between two actions [s].
        self.interval = self.batch.step_size * self._skip
        self._limit = _steps(time_limit, self.interval)
        self._reward = self._score("reward", reward)
        self._terminated = None if terminated is None else self._score("terminated", terminated)
        self._randomize = self._drawn(randomize or {})
        self._elapsed = np.zeros(self.count, np.int64)
        self._start: tuple[State, ...] = ()
        if not self._randomize:
            self.batch.start()
            self._check_start()
            several = any(np.ndim(value) for value in (parameters or {}).values())
            self._start = self.batch.save()[: None if several else 1]

    def _score(self, what: str, score: Score) -> Callable[[Mapping[str, Any]], Any]:
        if callable(score):
            return score
        if not isinstance(score, str):
            raise Error(f"{what}: {score!r}; valid: a formula of variables as a text, or a function of values by name")
        known = {own[0] for own in self.batch.described()}
        formula = Formula(score, what, known.__contains__)
        for name in formula.names:
            width = len(self.batch.handle(name))
            if width != 1:
                raise Error(f'{what}: "{name}" in "{score}" has {width} elements; valid: one of them, such as {name}[1]')
        return formula

    def _drawn(self, randomize: Mapping[str, Random]) -> dict[str, Random]:
        if not isinstance(randomize, Mapping):
            raise Error(f"randomize: {randomize!r}; valid: a dictionary of names and (low, high), or functions of a generator")
        causes = {own[0]: own[1] for own in self.batch.described()}
        found: dict[str, Random] = {}
        for name, drawn in randomize.items():
            width = len(self.batch.handle(name))
            if width != 1:
                raise Error(f'randomize: "{name}" has {width} elements; valid: one of them, such as {name}[1]')
            if causes[name] not in ("parameter", "input"):
                raise Error(f'randomize: "{name}" is {causes[name]}; valid: parameters and inputs')
            found[name] = drawn if callable(drawn) else _pair(f'randomize: "{name}"', drawn)
        return found

    def _check_start(self) -> None:
        for own in self.batch.status:
            if own.state != "running":
                raise Error(f"instance {own.index} cannot start: {own.reason}")

    def reset(self, generators: Sequence[Generator], mask: Flags | None = None) -> None:
        """Begins episodes, in all instances or in those of a mask; a generator for each instance."""
        chosen = np.ones(self.count, np.bool_) if mask is None else mask
        self._elapsed[chosen] = 0
        if self._start:
            self.batch.restore(self._start, chosen)
            return
        self.batch.reset(chosen)
        which = np.flatnonzero(chosen).tolist()
        # For each instance in the order of names, so that an instance draws as it would by itself.
        rows = np.zeros((self.count, len(self._randomize)))
        for at in which:
            for k, (name, drawn) in enumerate(self._randomize.items()):
                rows[at, k] = _draw(name, drawn, generators[at])
        self.batch.set(list(self._randomize), rows, chosen)
        self.batch.start()
        self._check_start_of(which)

    def _check_start_of(self, which: list[int]) -> None:
        alive = self.batch.alive
        if not alive[which].all():
            status = self.batch.status
            first = next(at for at in which if not alive[at])
            values = ", ".join(f"{name} = {self.batch[name][first]:g}" for name in self._randomize)
            raise Error(f"instance {first} cannot start with {values}: {status[first].reason}")

    def observe(self) -> Array32:
        """The observations, a row for each instance."""
        return self.batch.get(self.observations.handle).astype(np.float32)

    def step(self, actions: Any, mask: Flags | None = None) -> tuple[Array, Flags, Flags]:
        """Makes an interval in all instances, or in those of a mask: rewards, terminated, truncated."""
        going = np.ones(self.count, np.bool_) if mask is None else mask
        given = reals(actions, "actions", finite=True)
        shape = (self.count, len(self.actions.handle))
        if given.shape != shape:
            raise Error(f"actions: shape {given.shape}; valid: {shape}, a column for each of {', '.join(self.actions.handle.names)}")
        low, high = self.actions.low, self.actions.high
        if self.normalized:
            given = (low + high) / 2 + (high - low) / 2 * given
        self.batch.set(self.actions.handle, np.clip(given, low, high), going)
        alive = self.batch.step(self._skip, going)
        self._elapsed[going] += 1
        values = Values(self.batch)
        rewards = np.where(going, self._judged("reward", self._reward(values), going), 0.0)
        ended = ~alive
        if self._terminated is not None:
            ended = ended | (self._judged("terminated", self._terminated(values), going) != 0)
        ended &= going
        truncated = going & ~ended & (self._elapsed >= self._limit)
        return rewards, ended, truncated

    def _judged(self, what: str, found: Any, going: Flags) -> Array:
        try:
            values = np.broadcast_to(np.asarray(found, float), (self.count,))
        except (TypeError, ValueError):
            raise Error(f"{what}: {np.shape(found)} values; valid: one for each of {self.count} instances, computed from arrays") from None
        if not np.isfinite(values[going]).all():
            at = int(np.flatnonzero(going & ~np.isfinite(values))[0])
            raise Error(f"{what}: {values[at]} in instance {at}; valid: finite numbers")
        return values

    def halts(self, ended: Flags) -> dict[int, dict[str, str]]:
        """Why those among these have halted that the model has ended or that have failed."""
        if not ended.any():
            return {}
        return {at: {"failure" if failed else "ended": why} for at, failed, why in self.batch.halts() if ended[at]}


def _steps(limit: float | None, interval: float) -> float:
    """The intervals of a time limit."""
    if limit is None:
        return math.inf
    if isinstance(limit, bool) or not isinstance(limit, (int, float, np.number)) or not limit > 0:
        raise Error(f"time_limit: {limit!r}; valid: seconds above 0, or None")
    return max(1.0, math.ceil(float(limit) / interval * (1 - 1e-12)))


def _draw(name: str, drawn: Random, generator: Generator) -> float:
    if not callable(drawn):
        low, high = drawn
        return low + (high - low) * generator.random()
    value = drawn(generator)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Error(f'randomize: the function for "{name}" gave {value!r}; valid: a number') from None
