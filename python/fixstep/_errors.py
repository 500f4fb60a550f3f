"""The exceptions of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._model import Problem
    from ._result import Result


class Error(Exception):
    """Anything that goes wrong; its text names the entity and what would be valid."""


class ModelError(Error):
    """A model has problems."""

    def __init__(self, text: str, problems: "tuple[Problem, ...]" = ()) -> None:
        super().__init__(text)
        self.problems = problems

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.problems)


class RunError(Error):
    """A run has failed on its way; ``result`` has the rows before that."""

    def __init__(self, text: str, result: "Result | None" = None) -> None:
        super().__init__(text)
        self.result = result

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.result)


class StepError(Error):
    """A step has failed, or the run is over."""


class BatchError(StepError):
    """Instances of a batch have failed; the others have made their steps. ``failures`` has the reasons by index."""

    def __init__(self, text: str, failures: "dict[int, str] | None" = None) -> None:
        super().__init__(text)
        self.failures = dict(failures or {})

    def __reduce__(self) -> Any:
        return type(self), (str(self), self.failures)


class UnknownNameError(Error, KeyError):
    """No variable has this name."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class DerivativeError(Error):
    """A derivative does not exist, or is not covered."""


class ClosedError(Error):
    """The simulation is closed, or another thread is using it."""
