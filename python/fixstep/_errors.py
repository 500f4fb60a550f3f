"""The exceptions of the package."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._model import Problem
    from ._result import Result


def needed(module: str, what: str) -> Any:
    """A package that is there on request."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise Error(f"{what}: the package {module} is not installed; valid: pip install {module}") from None


def in_python(said: str) -> str:
    """What the program says, without the words of its command line."""
    said = re.split(r"\n+(?:Usage: |For more information, try )", said, maxsplit=1)[0]
    unknown = re.match(r"unexpected argument '--([\w-]+)[^']*' found", said)
    if unknown:
        said = re.sub(r"\s*tip: a similar argument exists: '(--[\w-]+)'", r"; did you mean \1?", said[unknown.end() :])
        said = re.sub(r"\s*tip: .*", "", said, flags=re.DOTALL)
        said = f"there is no option {_name(unknown[1])!r}{said}"
    wrong = re.match(r"invalid value '(.*?)' for '--([\w-]+)[^']*'(?:: )?", said, re.DOTALL)
    if wrong:
        rest = re.sub(r"\s*\[possible values: (.*)\]", r"; valid: \1", said[wrong.end() :])
        said = f"{_name(wrong[2])}: {wrong[1]!r}" + (rest if rest.startswith(";") else f"; {rest}")
    said = re.sub(r"(?m)^--set ([^=\s]+)=(\S*?): ", r'parameter "\1" = \2: ', said)
    said = re.sub(r'fmi[23]\w+: (?:variable \d+ "[^"]*" = \S+ )?', "", said)
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda option: _name(option[1]), said)


def _name(option: str) -> str:
    return option.replace("-", "_")


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
