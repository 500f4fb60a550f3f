"""What the commands of ``fixstep`` compute, as functions with results as objects."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _fixstep
from ._builder import ModelBuilder
from ._errors import Error, in_python
from ._model import Model, Parameters
from ._result import Inputs, _table, _word

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Source = Union[Model, ModelBuilder, str, "os.PathLike[str]"]

#: The environment variable that names the shared library for FMUs.
VARIABLE = "FIXSTEP_LIBRARY"


class Record(Mapping[str, Any]):
    """Results by name: ``record.name`` or ``record["name"]``; records within are records too."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            known = ", ".join(self.__dict__.get("_values", ()))
            raise AttributeError(f"no {name!r}; known: {known}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={_brief(value)}" for name, value in self._values.items())
        return f"{type(self).__name__}({parts})"


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"<{type(value).__name__}>"


def _record(value: Any) -> Any:
    """Of JSON: records of objects, arrays of lists of numbers."""
    if isinstance(value, dict):
        return Record({name: _record(own) for name, own in value.items()})
    if isinstance(value, list):
        if value and all(isinstance(own, (int, float)) and not isinstance(own, bool) for own in value):
            return np.array(value, float)
        return [_record(own) for own in value]
    return value


#: The exit code for a command line that is wrong.
_WRONG_WORDS = 2


def command(name: str, words: Sequence[str], *, early: bool = False) -> str:
    """Runs a command; its output. A failure is an Error with what the command said.

    ``early``: a result that the command reports as a failure, such as a run that ends early, is none.
    """
    return _heard(name, words, early)[0]


def _heard(name: str, words: Sequence[str], early: bool) -> tuple[str, list[str]]:
    """The output of a command, and its notes."""
    code, output, remarks = _fixstep.hear(["fixstep", *name.split(), *words])
    said = remarks.decode(errors="replace").strip().splitlines()
    if code == 0 or (early and code == 1 and output):
        return output.decode(), [line.removeprefix("note: ") for line in said if line.startswith("note: ")]
    errors = [line for line in said if not line.startswith(("note: ", "warning: "))]
    told = in_python("\n".join(errors or said).removeprefix("error: "))
    raise Error(f"{name}: {told}" if code == _WRONG_WORDS else told or f"{name} failed")


def _words(options: Mapping[str, Any]) -> list[str]:
    """Options of a command: ``up_to=100`` is ``--up-to 100``, True a flag, a list is repeated or joined by commas."""
    words: list[str] = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif isinstance(value, Mapping):
            for key, own in value.items():
                words += [option, f"{key}={_option(own)}"]
        elif isinstance(value, (list, tuple, np.ndarray)) and name in _REPEATED:
            for own in value:
                words += [option, _option(own)]
        else:
            # In one word, so that a number below 0 is no option.
            words.append(f"{option}={_option(value)}")
    return words


#: Options that are given once for each value.
_REPEATED = {"by", "show", "stress", "strain", "excite", "base", "psd", "record", "interface", "load", "residual", "library"}


def _option(value: Any) -> str:
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(map(_option, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else _word("option", value)


@contextmanager
def _file(source: Source) -> Iterator[Path]:
    if isinstance(source, ModelBuilder):
        source = source.build()
    if isinstance(source, Model):
        with source._file() as path:
            yield path
    else:
        yield Path(source)


def _ask(
    name: str,
    source: Source,
    options: Mapping[str, Any],
    *,
    parameters: Parameters | None = None,
    inputs: Inputs | None = None,
    json_to: Sequence[str] = ("--json",),
    early: bool = False,
) -> dict[str, Any]:
    """What a command prints as JSON."""
    words = _words(options)
    for key, value in (parameters or {}).items():
        words += ["--set", f"{key}={_word(key, value)}"]
    if isinstance(source, ModelBuilder):
        source = source.build()
    with _file(source) as path, TemporaryDirectory(prefix="fixstep-") as folder:
        if inputs is not None:
            subject = source if isinstance(source, Model) else Path(source)
            names, columns = _table(inputs, subject, None, None, None)
            rows = [",".join(map(repr, row)) for row in zip(*columns)]
            table = Path(folder, "inputs.csv")
            table.write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
            words += ["--input", str(table)]
        output, notes = _heard(name, [str(path), *words, *json_to], early)
    found: dict[str, Any] = json.loads(output)
    if "notes" in found:
        # Those of the way to the state are told beside the result.
        own: list[str] = found["notes"]
        found["notes"] = [in_python(note) for note in [*(note for note in notes if note not in own), *own]]
    return found


# FMUs


_LIBRARIES = Path(__file__).parent / "lib"


def platforms() -> tuple[str, ...]:
    """The platforms for which the package has the solver's shared library, as FMI 3.0 calls them."""
    if not _LIBRARIES.is_dir():
        return ()
    return tuple(sorted(folder.name for folder in _LIBRARIES.iterdir() if folder.is_dir()))


def _library(name: str) -> Path:
    folder = _LIBRARIES / name
    files = [file for file in folder.iterdir() if file.suffix in (".so", ".dll", ".dylib")] if folder.is_dir() else []
    if not files:
        raise Error(f"platform {name!r} is not in this package; valid: {', '.join(platforms()) or 'none'}")
    return files[0]


def own_library() -> Path | None:
    """The shared library for this computer, if the package has it."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"win32": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    name = f"{machine}-{system}"
    return _library(name) if name in platforms() else None


def to_fmu(
    model: Source,
    path: str | os.PathLike[str],
    *,
    fmi: int = 3,
    platforms: Sequence[str] | None = None,
    protect: bool = False,
) -> Path:
    """Packs a model as an FMU of FMI 2.0 or 3.0, opens it again and checks it.

    ``platforms`` are all that the package has, unless some are named. ``protect`` leaves out the readable copy of the model.
    """
    if fmi not in (2, 3):
        raise Error(f"to_fmu, fmi: {fmi!r}; valid: 2 or 3")
    chosen = _all() if platforms is None else list(platforms)
    if not chosen and platforms is not None:
        raise Error(f"to_fmu, platforms: none is named; valid: some of {', '.join(_all()) or 'none'}, or None for all of them")
    if not chosen and VARIABLE not in os.environ:
        raise Error(f"the package has no shared library; set {VARIABLE} to one")
    path = Path(path)
    options = {"fmi": fmi, "library": [_library(name) for name in chosen], "protect": protect}
    with _file(model) as file:
        command("build", [str(file), "-o", str(path), *_words(options)])
    return path


def _all() -> list[str]:
    return list(platforms())


class Rti(Record):
    """Real Time Indices of an FMU: ``free`` and ``paced`` have the figures of each run."""

    @property
    def free(self) -> Any:
        """The run without waiting."""
        return self._run("free")

    @property
    def paced(self) -> Any:
        """The run at real time."""
        return self._run("paced")

    def _run(self, pace: str) -> Any:
        found = [run for run in self["runs"] if str(run["pace"]).lower() == pace]
        if not found:
            raise Error(f"there is no run with this pace; rti(..., {pace}=True) makes one")
        return found[0]


def rti(
    fmu: str | os.PathLike[str],
    *,
    step: float | None = None,
    duration: float | None = None,
    max_rti: float | None = None,
    free: bool = True,
    paced: bool = False,
    parameters: Parameters | None = None,
    inputs: Inputs | None = None,
) -> Rti:
    """Measures the Real Time Index of an FMU: the time of its steps by the time that they simulate.

    ``max_rti`` is a limit; ``passed`` tells whether it is kept. A paced run takes as long as it simulates.
    """
    if isinstance(fmu, (Model, ModelBuilder)):
        raise Error(f"rti: {fmu!r} is no FMU; valid: the path of one, such as model.to_fmu(path) writes")
    if not (free or paced):
        raise Error("rti: neither free nor paced; valid: at least one of them")
    options: dict[str, Any] = {"step": step, "duration": duration, "max_rti": max_rti}
    if not (free and paced):
        options["free" if free else "paced"] = True
    found = _ask("rti", fmu, options, parameters=parameters, inputs=inputs, json_to=("--json", "-"), early=True)
    return Rti(_record(found))


class Advice(Record):
    """Settings of the fixed step that are worth their time: ``choice`` and all ``rows``."""

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the choice, by name."""
        choice = self["choice"]
        return {} if choice is None else {name: value for name, value in choice["settings"]}

    def plot(self, *, axes: Any = None) -> Figure:
        """Draws error over real-time index of all settings with matplotlib; the choice is marked."""
        from ._plots import of_advice

        return of_advice(self, axes)


def advise(
    model: Source,
    *,
    accuracy: float | None = None,
    max_rti: float | None = None,
    rate: float | None = None,
    stop: float | None = None,
    outputs: Sequence[str] | None = None,
    parameters: Parameters | None = None,
    inputs: Inputs | None = None,
    **options: Any,
) -> Advice:
    """Settings of the fixed step by error and time, against a converged reference.

    ``accuracy`` is the wanted error in percent of each output's range, ``max_rti`` the wanted Real Time Index, ``rate`` the
    rate of the controller [Hz]. Further options are those of ``fixstep advise``.
    """
    asked = {"accuracy": accuracy, "max_rti": max_rti, "rate": rate, "stop": stop, "outputs": outputs, **options}
    return Advice(_record(_ask("advise", model, asked, parameters=parameters, inputs=inputs, early=True)))
