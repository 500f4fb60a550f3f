"""Environments for learners, as `Gymnasium <https://gymnasium.farama.org>`_ has them.

``make`` gives one environment, ``make_vector`` many that step side by side on all cores, as a batch does. Both have the same
trajectories, bit for bit: those of the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

try:
    import gymnasium
    from gymnasium.envs.registration import EnvSpec
    from gymnasium.spaces import Box as Space
    from gymnasium.utils import seeding
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise ImportError("fixstep.gym needs gymnasium, which is not installed: pip install gymnasium") from None

from ._batch import Source
from ._errors import Error
from ._model import Parameters
from ._task import Random, Score, Signals, Task

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Array32 = NDArray[np.float32]
    Array64 = NDArray[np.float64]
    Flags = NDArray[np.bool_]
    Infos = dict[str, Any]

__all__ = ["Environment", "VectorEnvironment", "make", "make_vector"]


def _spaces(task: Task) -> tuple[Any, Any]:
    """The spaces of actions and observations."""
    low, high = task.actions.inner()
    if task.normalized:
        low, high = -np.ones_like(low), np.ones_like(high)
    least, most = task.observations.low.astype(np.float32), task.observations.high.astype(np.float32)
    return Space(low, high, dtype=np.float32), Space(least, most, dtype=np.float32)


def _metadata(task: Task) -> dict[str, Any]:
    return {"render_modes": [], "render_fps": 1.0 / task.interval}


class Environment(gymnasium.Env["Array32", "Array32"]):
    """A model as an environment; :func:`make` makes it."""

    def __init__(self, task: Task, spec: EnvSpec | None = None) -> None:
        self._task = task
        self.action_space, self.observation_space = _spaces(task)
        self.metadata = _metadata(task)
        self.render_mode = None
        self.spec = spec
        self._over = True

    @property
    def batch(self) -> Any:
        """The batch of one instance that steps."""
        return self._task.batch

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array32, Infos]:
        """Begins an episode."""
        super().reset(seed=seed, options=options)
        self._task.reset([self.np_random])
        self._over = False
        return self._task.observe()[0], {}

    def step(self, action: Array32) -> tuple[Array32, float, bool, bool, Infos]:
        """Makes an interval with an action. A model that ends the run, or a step that fails, ends the episode; info says why."""
        if self._over:
            raise Error("step: no episode is under way; valid: reset() begins one")
        rewards, ended, truncated = self._task.step(np.asarray(action)[None])
        self._over = bool(ended[0] or truncated[0])
        info: Infos = dict(self._task.halts(ended).get(0, {}))
        return self._task.observe()[0], float(rewards[0]), bool(ended[0]), bool(truncated[0]), info

    def close(self) -> None:
        """Gives the memory back."""
        self._task.batch.close()


class VectorEnvironment(gymnasium.vector.VectorEnv["Array32", "Array32", "NDArray[Any]"]):
    """Instances of a model as a vector environment; :func:`make_vector` makes it."""

    def __init__(self, task: Task, autoreset_mode: AutoresetMode) -> None:
        self._task = task
        self.num_envs = task.count
        self.single_action_space, self.single_observation_space = _spaces(task)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.metadata = {**_metadata(task), "autoreset_mode": autoreset_mode}
        self._mode = autoreset_mode
        self._generators: list[Generator] | None = None
        self._done = np.zeros(self.num_envs, np.bool_)
        self._begun = False

    @property
    def batch(self) -> Any:
        """The batch that steps."""
        return self._task.batch

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + k for k in range(self.num_envs)]
        seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise Error(f"seed: {len(seeds)} seeds; valid: one number, or one for each of {self.num_envs} environments")
        return seeds

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array32, Infos]:
        """Begins episodes, in all environments or in those of ``options={"reset_mask": flags}``.

        Environment k has the seed ``seed + k``, or the k-th one; without seeds the generators go on.
        """
        mask = (options or {}).get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
                raise Error(f"reset_mask: {mask.dtype} of shape {mask.shape}; valid: {self.num_envs} flags, one of them True at least")
        chosen: Flags = np.ones(self.num_envs, np.bool_) if mask is None else mask
        seeds = self._seeds(seed)
        if self._generators is None:
            self._generators = [seeding.np_random(one)[0] for one in seeds]
        else:
            for at in np.flatnonzero(chosen).tolist():
                if seeds[at] is not None:
                    self._generators[at] = seeding.np_random(seeds[at])[0]
        self._task.reset(self._generators, chosen)
        self._done[chosen] = False
        self._begun = True
        return self._task.observe(), {}

    def step(
        self, actions: Array32
    ) -> tuple[Array32, Array64, Flags, Flags, Infos]:
        """Makes an interval in all environments; those whose episode is over begin another, as the autoreset mode says."""
        if not self._begun or self._generators is None:
            raise Error("step: no episode is under way; valid: reset() begins one in each environment")
        going = None
        if self._done.any():
            if self._mode == AutoresetMode.DISABLED:
                at = int(np.flatnonzero(self._done)[0])
                raise Error(f'step: the episode of environment {at} is over; valid: reset(options={{"reset_mask": flags}}) first')
            self._task.reset(self._generators, self._done)
            going = ~self._done
        rewards, ended, truncated = self._task.step(actions, going)
        infos: Infos = {}
        halts = self._task.halts(ended)
        self._done = ended | truncated
        observations = self._task.observe()
        if self._mode == AutoresetMode.SAME_STEP and self._done.any():
            for at in np.flatnonzero(self._done).tolist():
                final = {"final_obs": observations[at], "final_info": halts.get(at, {})}
                infos = self._add_info(infos, final, at)
            self._task.reset(self._generators, self._done)
            self._done = np.zeros(self.num_envs, np.bool_)
            observations = self._task.observe()
        else:
            for at, info in halts.items():
                infos = self._add_info(infos, info, at)
        return observations, rewards, ended, truncated, infos

    def close_extras(self, **_: Any) -> None:
        """Gives the memory back."""
        self._task.batch.close()


def make(
    model: Source,
    *,
    actions: Signals,
    observations: Signals,
    reward: Score,
    terminated: Score | None = None,
    frame_skip: int = 1,
    time_limit: float | None = None,
    randomize: Mapping[str, Random] | None = None,
    normalize_actions: bool = False,
    step: float | None = None,
    parameters: Parameters | None = None,
    render_mode: None = None,
) -> Environment:
    """A model as an environment.

    ``actions`` are inputs, within their declared bounds or those of a dictionary, ``observations`` outputs. ``reward`` and
    ``terminated`` are formulas of variables, such as ``"-(angle**2 + 0.1*rate**2)"``, or functions of values by name that
    compute with arrays. An action holds for ``frame_skip`` communication steps; ``time_limit`` truncates episodes [s].
    ``randomize`` sets parameters and inputs at the start of an episode: ``{"mass": (0.9, 1.1)}``, or functions of a generator
    of NumPy. With ``normalize_actions`` actions are -1 to 1 over their bounds.
    """
    if render_mode is not None:
        raise Error(f"render_mode: {render_mode!r}; valid: None. Model.run(...).animate() shows a run")
    given: dict[str, Any] = {
        "actions": actions,
        "observations": observations,
        "reward": reward,
        "terminated": terminated,
        "frame_skip": frame_skip,
        "time_limit": time_limit,
        "randomize": randomize,
        "normalize_actions": normalize_actions,
        "step": step,
        "parameters": parameters,
    }
    task = Task(model, 1, threads=1, **given)
    name = re.sub(r"[^\w.-]", "_", task.model.name) or "model"
    spec = EnvSpec(f"fixstep/{name}-v0", entry_point="fixstep.gym:make", kwargs={"model": task.model, **given})
    return Environment(task, spec)


def make_vector(
    model: Source,
    num_envs: int,
    *,
    actions: Signals,
    observations: Signals,
    reward: Score,
    terminated: Score | None = None,
    frame_skip: int = 1,
    time_limit: float | None = None,
    randomize: Mapping[str, Random] | None = None,
    normalize_actions: bool = False,
    step: float | None = None,
    parameters: Parameters | None = None,
    threads: int | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
) -> VectorEnvironment:
    """``num_envs`` environments like those of :func:`make` that step side by side on ``threads`` threads.

    ``parameters`` may have a value for each environment. ``autoreset_mode``: an episode that is over is followed by another in
    the next step (``NEXT_STEP``; its action is ignored, its reward 0), in the same one (``SAME_STEP``; ``final_obs`` and
    ``final_info`` in the infos are those of the end), or after ``reset(options={"reset_mask": flags})`` (``DISABLED``).
    """
    try:
        mode = AutoresetMode(autoreset_mode)
    except ValueError:
        valid = ", ".join(repr(own.value) for own in AutoresetMode)
        raise Error(f"autoreset_mode: {autoreset_mode!r}; valid: {valid}, or an AutoresetMode") from None
    task = Task(
        model,
        num_envs,
        actions=actions,
        observations=observations,
        reward=reward,
        terminated=terminated,
        frame_skip=frame_skip,
        time_limit=time_limit,
        randomize=randomize,
        normalize_actions=normalize_actions,
        step=step,
        parameters=parameters,
        threads=threads,
    )
    return VectorEnvironment(task, mode)
