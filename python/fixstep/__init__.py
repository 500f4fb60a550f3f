"""Flexible-multibody dynamics that is a Functional Mock-up Unit.

Models, runs, single steps with derivatives, linear analyses and FMUs; docs/python.md has an example of each.
"""

from typing import TYPE_CHECKING, Any

from ._errors import (
    BatchError,
    ClosedError,
    DerivativeError,
    Error,
    ModelError,
    RunError,
    StepError,
    UnknownNameError,
)
from ._fixstep import Handle, State, __version__

if TYPE_CHECKING:
    from . import elements, flex, units
    from ._batch import Batch, Status
    from ._builder import MassProperties, ModelBuilder
    from ._linear import LinearForm, Mode, Modes, Response, linearize, modes, response
    from ._model import Experiment, Model, Problem, Variable, check, schema
    from ._pictures import Page
    from ._result import Result, run
    from ._rollout import Gradients, Rollout
    from ._simulation import Simulation, StepMatrices
    from ._tools import Advice, Record, Rti, advise, platforms, rti, to_fmu

#: Where the rest is: a name is imported when it is first used, so that importing the package takes a few milliseconds.
_LATER = {
    "Advice": "_tools",
    "Batch": "_batch",
    "Experiment": "_model",
    "Gradients": "_rollout",
    "MassProperties": "_builder",
    "LinearForm": "_linear",
    "Mode": "_linear",
    "Model": "_model",
    "ModelBuilder": "_builder",
    "Modes": "_linear",
    "Page": "_pictures",
    "Problem": "_model",
    "Record": "_tools",
    "Response": "_linear",
    "Result": "_result",
    "Rollout": "_rollout",
    "Rti": "_tools",
    "Simulation": "_simulation",
    "Status": "_batch",
    "StepMatrices": "_simulation",
    "Variable": "_model",
    "advise": "_tools",
    "check": "_model",
    "linearize": "_linear",
    "modes": "_linear",
    "platforms": "_tools",
    "response": "_linear",
    "rti": "_tools",
    "run": "_result",
    "schema": "_model",
    "to_fmu": "_tools",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in ("elements", "flex", "units"):
        return import_module("." + name, __name__)
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module("." + _LATER[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


__all__ = [
    "Advice",
    "Batch",
    "BatchError",
    "ClosedError",
    "DerivativeError",
    "Error",
    "Experiment",
    "Gradients",
    "Handle",
    "LinearForm",
    "MassProperties",
    "Mode",
    "Model",
    "ModelBuilder",
    "ModelError",
    "Modes",
    "Page",
    "Problem",
    "Record",
    "Response",
    "Result",
    "Rollout",
    "Rti",
    "RunError",
    "Simulation",
    "State",
    "Status",
    "StepError",
    "StepMatrices",
    "UnknownNameError",
    "Variable",
    "__version__",
    "advise",
    "check",
    "elements",
    "flex",
    "linearize",
    "modes",
    "platforms",
    "response",
    "rti",
    "run",
    "schema",
    "to_fmu",
    "units",
]
