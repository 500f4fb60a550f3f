"""Models: read, checked, saved, run."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _fixstep
from ._errors import Error, ModelError

if TYPE_CHECKING:
    from ._result import Inputs, Result
    from ._simulation import Simulation

#: Settings before a run, by name: a parameter, an input's start value, or ``solver.…``.
Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class Problem:
    """A problem of a model."""

    #: ``error`` or ``warning``.
    severity: str
    #: The fault, with the entity and the field.
    message: str
    #: What would be valid; empty if the message does not say it.
    remedy: str = ""
    #: The field in the document, such as ``joints[3].i``.
    path: str = ""
    #: The name of the entity.
    name: str = ""
    #: The file, line and column of the text; 0: not known.
    file: str = ""
    line: int = 0
    column: int = 0
    #: The rule of linting that found it; empty: none.
    rule: str = ""
    #: The instances of templates around it, innermost first.
    within: tuple[str, ...] = ()

    def __str__(self) -> str:
        column = f"{self.column}:" if self.column else ""
        place = f"{self.file}:{self.line}:{column} " if self.line else ""
        lines = [f"{self.severity}: {place}{self.message}", *(f"    {line}" for line in self.within)]
        return "\n".join(lines)


@dataclass(frozen=True)
class Variable:
    """A parameter, input, output or other variable."""

    name: str
    #: ``parameter``, ``input``, ``output``, ``local`` or ``independent``.
    causality: str
    #: ``fixed``, ``tunable``, ``discrete``, ``continuous`` or ``constant``.
    variability: str
    #: ``real``, ``integer``, ``boolean``, ``string`` or ``enumeration``.
    type: str
    unit: str
    display_unit: str
    start: float | int | bool | str
    min: float | None
    max: float | None
    description: str


@dataclass(frozen=True)
class Experiment:
    """What a run does unless it is told otherwise [s]."""

    start: float
    stop: float
    step: float


_PLACE = re.compile(r"^(.*):(\d+):(\d+)$")
_NAME = re.compile(r'"([^"]*)"')
#: A part of a message up to a semicolon that stands in no quotation and in no parentheses.
_PART = re.compile(r'(?:[^";()]|"[^"]*"|\((?:[^()"]|"[^"]*"|\([^()]*\))*\)|;(?! )|[()"])+')
#: An entity as messages name it.
_ABOUT = re.compile(r'\b(general constraint|differential equation|flexible body|joint|force|motion|coupler|gear|part|sensor|variable) "([^"]*)"')
#: How a part begins that lists what is wrong and says nothing about what to do.
_LISTS = re.compile(rf'found |"|-?\d|{_ABOUT.pattern}')


def remedy_of(message: str) -> str:
    """What to do about a message: what follows its fault, without lists of what is wrong and the rule."""
    message = re.sub(r"\s*\[[a-z-]+\]$", "", message)
    parts = [part.strip() for part in _PART.findall(message)][1:]
    while parts and _LISTS.match(parts[0]):
        parts = parts[1:]
    return "; ".join(parts).removeprefix("valid: ")


def _problem(told: tuple[str, str, str, str, str, list[str]]) -> Problem:
    severity, place, path, message, rule, within = told
    found = _PLACE.match(place)
    file, line, column = (found[1], int(found[2]), int(found[3])) if found else (place, 0, 0)
    # A message is "entity, field: fault; what would be valid".
    head = message.split(":", 1)[0]
    name = _NAME.search(head) or _NAME.search(path)
    if severity == "error" and not path and name is None:
        # What prevents the start is told of the whole model; the message names the first of those to blame.
        blamed = _ABOUT.search(message)
        if blamed:
            path, name = blamed[0], blamed
    text = message if severity == "error" or not path else f"{path}: {message}"
    return Problem(
        severity=severity,
        message=text,
        remedy=remedy_of(message),
        path=path,
        name=name[name.re.groups] if name else "",
        file=file,
        line=line,
        column=column,
        rule=rule,
        within=tuple(within),
    )


def _problems(told: list[tuple[str, str, str, str, str, list[str]]]) -> tuple[Problem, ...]:
    return tuple(map(_problem, told))


def _refuse(origin: str, told: list[tuple[str, str, str, str, str, list[str]]]) -> ModelError:
    return _refused(origin, _problems(told))


def _refused(origin: str, problems: tuple[Problem, ...]) -> ModelError:
    lines = "\n".join(map(str, problems))
    return ModelError(f"{origin} is not a valid model\n{lines}", problems)


def schema() -> dict[str, Any]:
    """The JSON Schema of the model format."""
    import json

    found: dict[str, Any] = json.loads(_fixstep.schema())
    return found


def _text_of(document: Mapping[str, Any] | str) -> str:
    import json

    if isinstance(document, str):
        return document
    try:
        text = json.dumps(document, allow_nan=False, default=_plain)
    except ValueError as error:
        raise ModelError(f"the document is no JSON: {error}") from None
    formatted, told = _fixstep.formatted("model", text)
    if formatted is None:
        raise _refuse("the document", told)
    return formatted


def _plain(value: Any) -> Any:
    """Arrays and numbers of NumPy as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} of type {type(value).__name__} is not a value of JSON")


def check(
    model: str | os.PathLike[str] | Mapping[str, Any], *, strict: bool = False
) -> tuple[Problem, ...]:
    """All problems of a model: a path, or a document. None of it needs to be valid."""
    if isinstance(model, Mapping):
        name, text, folder = "model", _text_of(model), None
    else:
        path = Path(model)
        name, text, folder = str(path), _read(path), path.parent
    return _checked(name, text, folder, strict)


def _checked(name: str, text: str, folder: Path | None, strict: bool) -> tuple[Problem, ...]:
    _, told = _fixstep.RawModel.read(name, text, folder)
    if not told:
        told, _ = _fixstep.problems(name, text, folder, strict)
    return _problems(told)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Error(f"{path}: not UTF-8 text: byte {error.start} is invalid; save it as UTF-8") from None


class Model:
    """A valid mechanism with its parameters, inputs and outputs; it does not change."""

    __slots__ = ("_raw", "_path", "_variables", "_home")

    def __init__(self, raw: _fixstep.RawModel, path: Path | None = None) -> None:
        self._raw = raw
        self._path = path
        self._variables: tuple[Variable, ...] | None = None
        #: Gives a problem the line of Python, where the model was built there.
        self._home: Callable[[Problem], Problem] | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """Reads a file; a ModelError has all its problems."""
        path = Path(path)
        return cls._of(str(path), _read(path), path.parent, path)

    @classmethod
    def from_text(cls, text: str, *, folder: str | os.PathLike[str] | None = None) -> Model:
        """Reads a text of the model format; files that it refers to are in ``folder``."""
        return cls._of("model", text, None if folder is None else Path(folder), None)

    @classmethod
    def from_dict(
        cls, document: Mapping[str, Any], *, folder: str | os.PathLike[str] | None = None
    ) -> Model:
        """Reads a document of the model format: dictionaries, lists, texts, numbers, arrays of NumPy."""
        return cls.from_text(_text_of(document), folder=folder)

    @classmethod
    def _of(
        cls,
        name: str,
        text: str,
        folder: Path | None,
        path: Path | None,
    ) -> Model:
        raw, told = _fixstep.RawModel.read(name, text, folder)
        if raw is None:
            raise _refuse(name, told)
        return cls(raw, path)

    def __reduce__(self) -> Any:
        folder = self._raw.folder
        return Model._of, (self._raw.origin, self._raw.text, folder, self._path)

    def _asked(self, solver: Mapping[str, Any]) -> tuple[_fixstep.RawModel, dict[str, Any]]:
        """The same model with other settings of the solver for a run, and these settings."""
        settings = dict(solver)
        if settings.get("error") is not None:
            settings.setdefault("mode", "variable")
        own = self._raw
        raw, told = _fixstep.RawModel.read(own.origin, own.text, own.folder, list(settings.items()))
        if raw is None:
            raise _refuse(f"{own.origin} with other settings of the solver", told)
        return raw, settings

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self._raw.name

    @property
    def text(self) -> str:
        """The text of the model format, as it was read."""
        return self._raw.text

    @property
    def path(self) -> Path | None:
        """The file that it was read from."""
        return self._path

    @property
    def token(self) -> str:
        """What identifies mechanism and variables; it is the token of the model's FMU."""
        return self._raw.token

    @property
    def experiment(self) -> Experiment:
        """Start, stop and step of a run [s]."""
        return Experiment(*self._raw.experiment)

    def to_dict(self) -> dict[str, Any]:
        """The document. Of a text with comments or templates: what it means, flat and in plain numbers."""
        import json

        document: dict[str, Any]
        try:
            document = json.loads(self.text)
        except json.JSONDecodeError:
            raw = self._raw
            flat, told = _fixstep.expanded(raw.origin, raw.text, raw.folder)
            if flat is None:
                raise _refuse(raw.origin, told) from None
            document = json.loads(flat)
        return document

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text as it was read, byte for byte. Files that it refers to stay where they are."""
        Path(path).write_bytes(self.text.encode())

    def check(self, *, strict: bool = False) -> tuple[Problem, ...]:
        """The warnings, or why the mechanism cannot be assembled."""
        raw = self._raw
        told, _ = _fixstep.problems(raw.origin, raw.text, raw.folder, strict)
        found = _problems(told)
        return found if self._home is None else tuple(map(self._home, found))

    def overview(self) -> str:
        """Mass, freedoms and gravity in a few lines."""
        raw = self._raw
        return _fixstep.problems(raw.origin, raw.text, raw.folder)[1]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables, in the order of the FMU."""
        if self._variables is None:
            self._variables = tuple(
                Variable(*own[:7], *own[7], own[8]) for own in self._raw.variables()
            )
        return self._variables

    def _by(self, causality: str) -> dict[str, Variable]:
        own = (variable for variable in self.variables if variable.causality == causality)
        return {variable.name: variable for variable in own}

    @property
    def inputs(self) -> dict[str, Variable]:
        """The inputs by name."""
        return self._by("input")

    @property
    def outputs(self) -> dict[str, Variable]:
        """The outputs by name."""
        return self._by("output")

    @property
    def parameters(self) -> dict[str, Variable]:
        """The parameters by name, those of the solver among them."""
        return self._by("parameter")

    def run(
        self,
        *,
        start: float | None = None,
        stop: float | None = None,
        step: float | None = None,
        parameters: Parameters | None = None,
        inputs: Inputs | None = None,
        record: str | list[str] | tuple[str, ...] = (),
        every_step: bool = False,
        solver: Mapping[str, Any] | None = None,
    ) -> Result:
        """A whole run; see :func:`fixstep.run`."""
        from ._result import run

        return run(
            self,
            start=start,
            stop=stop,
            step=step,
            parameters=parameters,
            inputs=inputs,
            record=record,
            every_step=every_step,
            solver=solver,
        )

    def simulation(
        self,
        *,
        start: float | None = None,
        stop: float | None = None,
        step: float | None = None,
        parameters: Parameters | None = None,
    ) -> Simulation:
        """A simulation that is stepped: at its start, where values may still be set."""
        from ._simulation import Simulation

        settings = list((parameters or {}).items())
        return Simulation(self._raw, start, stop, step, settings)

    def to_fmu(
        self,
        path: str | os.PathLike[str],
        *,
        fmi: int = 3,
        platforms: tuple[str, ...] | list[str] | None = None,
        protect: bool = False,
    ) -> Path:
        """Packs the model; see :func:`fixstep.to_fmu`."""
        from ._tools import to_fmu

        return to_fmu(self, path, fmi=fmi, platforms=platforms, protect=protect)

    @contextmanager
    def _file(self) -> Iterator[Path]:
        """A file with the model, with the files that it refers to."""
        if self._path is not None and self._path.is_file() and _read(self._path) == self.text:
            yield self._path
            return
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="fixstep-") as folder:
            text, files = self._raw.portable()
            for name, content in files:
                place = Path(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
            path = Path(folder, "model.json")
            path.write_bytes(text.encode())
            yield path

    def __repr__(self) -> str:
        counts = f"{len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<fixstep.Model {self.name!r}: {counts}>"
