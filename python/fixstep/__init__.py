"""Flexible-multibody dynamics that is a Functional Mock-up Unit.

Models, runs, single steps with derivatives, linear analyses and FMUs; docs/python.md has an example of each.
"""

from . import flex
from ._errors import (
    ClosedError,
    DerivativeError,
    Error,
    ModelError,
    RunError,
    StepError,
    UnknownNameError,
)
from ._fixstep import Handle, State, __version__
from ._model import Experiment, Model, Problem, Variable, check, schema
from ._pictures import Page
from ._result import Result, run
from ._rollout import Gradients, Rollout
from ._simulation import Simulation, StepMatrices
from ._tools import (
    Advice,
    LinearForm,
    Mode,
    Modes,
    Record,
    Response,
    Rti,
    advise,
    linearize,
    modes,
    platforms,
    response,
    rti,
    to_fmu,
)

__all__ = [
    "Advice",
    "ClosedError",
    "DerivativeError",
    "Error",
    "Experiment",
    "Gradients",
    "Handle",
    "LinearForm",
    "Mode",
    "Model",
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
    "StepError",
    "StepMatrices",
    "UnknownNameError",
    "Variable",
    "__version__",
    "advise",
    "check",
    "flex",
    "linearize",
    "modes",
    "platforms",
    "response",
    "rti",
    "run",
    "schema",
    "to_fmu",
]
