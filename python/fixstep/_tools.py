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
from ._errors import Error
from ._model import Model, Parameters
from ._pictures import Page
from ._result import Inputs, _table, _word

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Complex = NDArray[np.complex128]

Source = Union[Model, str, "os.PathLike[str]"]

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


def command(name: str, words: Sequence[str], *, early: bool = False) -> str:
    """Runs a command; its output. A failure is an Error with what the command said.

    ``early``: a result that the command reports as a failure, such as a run that ends early, is none.
    """
    code, output, remarks = _fixstep.hear(["fixstep", *name.split(), *words])
    if code == 0 or (early and code == 1 and output):
        return output.decode()
    said = remarks.decode(errors="replace").strip().splitlines()
    errors = [line for line in said if not line.startswith(("note: ", "warning: "))]
    raise Error("\n".join(errors or said).removeprefix("error: ") or f"fixstep {name} failed")


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
            words += [option, _option(value)]
    return words


#: Options that are given once for each value.
_REPEATED = {"by", "show", "stress", "strain", "excite", "base", "psd", "record", "interface", "load", "residual", "library"}


def _option(value: Any) -> str:
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(map(_option, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else _word("option", value)


@contextmanager
def _file(source: Source) -> Iterator[Path]:
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
    with _file(source) as path, TemporaryDirectory(prefix="fixstep-") as folder:
        if inputs is not None:
            subject = source if isinstance(source, Model) else Path(source)
            names, columns = _table(inputs, subject, None, None, None)
            rows = [",".join(map(repr, row)) for row in zip(*columns)]
            table = Path(folder, "inputs.csv")
            table.write_text("\n".join([",".join(names), *rows]) + "\n", encoding="utf-8")
            words += ["--input", str(table)]
        found: dict[str, Any] = json.loads(command(name, [str(path), *words, *json_to], early=early))
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
    chosen = _all() if platforms is None else list(platforms)
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
    if not (free or paced):
        raise Error("rti: neither free nor paced; valid: at least one of them")
    options: dict[str, Any] = {"step": step, "duration": duration, "max_rti": max_rti}
    if not (free and paced):
        options["free" if free else "paced"] = True
    found = _ask("rti", fmu, options, parameters=parameters, inputs=inputs, json_to=("--json", "-"), early=True)
    return Rti(_record(found))


# Linear analyses


@dataclass(frozen=True)
class LinearForm:
    """E ẋ = A x + B u, y = C x + D u about an operating point."""

    A: Array
    B: Array
    C: Array
    D: Array
    E: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    #: Mass, damping and stiffness of the positions, which are the first states.
    mass: Array
    damping: Array
    stiffness: Array
    time: float
    notes: tuple[str, ...]
    #: Everything that the command tells.
    all: Record

    @property
    def poles(self) -> Complex:
        """The eigenvalues [1/s], slowest first."""
        if not self.A.size:
            return np.zeros(0, complex)
        poles: Complex = np.asarray(np.linalg.eigvals(np.linalg.solve(self.E, self.A)), complex)
        return poles[np.argsort(np.abs(poles), kind="stable")]

    def transfer(self, frequency: float) -> Complex:
        """The transfer matrix at a frequency [Hz]: a row for each output."""
        s = 2j * np.pi * frequency
        found: Complex = np.asarray(self.C @ np.linalg.solve(s * self.E - self.A, self.B) + self.D, np.complex128)
        return found

    def __iter__(self) -> Iterator[Array]:
        """A, B, C, D, as SciPy and python-control take them; E is the identity unless states depend on each other."""
        return iter((self.A, self.B, self.C, self.D))


def _matrix(rows: Any, width: int) -> Array:
    return np.array(rows, float).reshape(-1, width) if rows else np.zeros((0, width))


def linearize(
    model: Source,
    *,
    at: float | None = None,
    static: bool = False,
    inputs_of_form: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    states: Sequence[str] | None = None,
    parameters: Parameters | None = None,
    inputs: Inputs | None = None,
    **options: Any,
) -> LinearForm:
    """The linear form of a mechanism at its start, after a run up to ``at`` [s], or in static equilibrium.

    ``inputs_of_form``, ``outputs`` and ``states`` choose what the form has. Further options are those of ``fixstep linearize``,
    such as ``damping="off"`` or ``step=1e-3``.
    """
    asked = {"at": at, "static": static, "inputs": inputs_of_form, "outputs": outputs, "states": states, **options}
    found = _ask("linearize", model, asked, parameters=parameters, inputs=inputs)
    names = {kind: tuple(own["name"] for own in found[kind]) for kind in ("states", "inputs", "outputs")}
    n, m = len(names["states"]), len(names["inputs"])
    second, positions = found["second_order"], int(found["positions"])
    return LinearForm(
        A=_matrix(found["A"], n),
        B=_matrix(found["B"], m),
        C=_matrix(found["C"], n),
        D=_matrix(found["D"], m),
        E=_matrix(found["E"], n),
        mass=_matrix(second["mass"], positions),
        damping=_matrix(second["damping"], positions),
        stiffness=_matrix(second["stiffness"], positions),
        time=found["point"]["time"],
        notes=tuple(found["notes"]),
        all=_record(found),
        **names,
    )


class Mode(Record):
    """A mode: ``frequency_hz``, ``damping_ratio``, ``real`` and ``imaginary`` of its eigenvalue, ``moves``, ``shape``."""

    @property
    def eigenvalue(self) -> complex:
        """The eigenvalue [1/s]."""
        return complex(self["real"], self["imaginary"])


class Modes(Sequence[Mode]):
    """The modes of a mechanism, lowest first."""

    def __init__(self, found: Mapping[str, Any], page: Page | None) -> None:
        self._modes = [Mode({name: _record(own) for name, own in mode.items()}) for mode in found["modes"]]
        #: What the command notes.
        self.notes: tuple[str, ...] = tuple(found["notes"])
        #: The time of the operating point [s].
        self.time: float = found["time"]
        #: Everything that the command tells.
        self.all: Any = _record(found)
        #: The page with moving shapes, if it was asked for.
        self.page = page

    def __getitem__(self, at: Any) -> Any:
        return self._modes[at]

    def __len__(self) -> int:
        return len(self._modes)

    @property
    def frequencies(self) -> Array:
        """Frequencies [Hz]."""
        return np.array([mode["frequency_hz"] for mode in self._modes], float)

    @property
    def damping_ratios(self) -> Array:
        """Damping ratios."""
        found = [mode["damping_ratio"] for mode in self._modes]
        return np.array([np.nan if own is None else own for own in found], float)

    @property
    def eigenvalues(self) -> Complex:
        """Eigenvalues [1/s], one of each pair."""
        return np.array([mode.eigenvalue for mode in self._modes], complex)

    def __repr__(self) -> str:
        lines = [f"<fixstep.Modes: {len(self)}"]
        for mode in self._modes:
            damping = mode["damping_ratio"]
            damped = "" if damping is None else f", damping {100 * damping:.3g} %"
            lines.append(f"  {mode['mode']}: {mode['frequency_hz']:.6g} Hz{damped}, {mode['moves']}")
        return "\n".join(lines) + ">"


def modes(
    model: Source,
    *,
    at: float | None = None,
    static: bool = False,
    shapes: bool = False,
    energies: bool = False,
    participation: bool = False,
    page: bool = False,
    parameters: Parameters | None = None,
    inputs: Inputs | None = None,
    **options: Any,
) -> Modes:
    """Frequencies, damping, shapes and energies of the modes about a state.

    ``page`` adds the page with moving shapes. Further options are those of ``fixstep modes``, such as ``effective_mass=True``.
    """
    asked: dict[str, Any] = {"at": at, "static": static, **options}
    for name, wanted in (("shapes", shapes), ("energy", energies), ("participation", participation)):
        asked[name] = "ALL" if wanted else None
    with TemporaryDirectory(prefix="fixstep-") as folder:
        file = Path(folder, "modes.html")
        if page:
            asked["report"] = file
        found = _ask("modes", model, asked, parameters=parameters, inputs=inputs)
        shown = Page(file.read_text(encoding="utf-8")) if page else None
    return Modes(found, shown)


@dataclass(frozen=True)
class Response:
    """Complex amplitudes of outputs by inputs over frequency."""

    #: Frequencies [Hz].
    frequencies: Array
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    #: outputs × inputs × frequencies.
    values: Complex
    #: The unit of each output by each input.
    units: dict[tuple[str, str], str]
    notes: tuple[str, ...]
    all: Record

    def __getitem__(self, name: str | tuple[str, str]) -> Complex:
        """The values of an output, or of an output by an input."""
        output, given = (name, self.inputs[0]) if isinstance(name, str) else name
        if isinstance(name, str) and len(self.inputs) > 1:
            raise Error(f"there are several inputs; valid: response[{name!r}, input] with one of {', '.join(self.inputs)}")
        if output not in self.outputs or given not in self.inputs:
            raise Error(f"no response of {output!r} by {given!r}; known: {', '.join(self.outputs)} by {', '.join(self.inputs)}")
        found: Complex = self.values[self.outputs.index(output), self.inputs.index(given)]
        return found


def response(
    model: Source,
    *,
    from_: float | None = None,
    to: float | None = None,
    points: int | None = None,
    by: Sequence[str] | None = None,
    show: Sequence[str] | None = None,
    at: float | None = None,
    static: bool = False,
    parameters: Parameters | None = None,
    inputs: Inputs | None = None,
    **options: Any,
) -> Response:
    """Frequency responses of outputs ``show`` by inputs ``by`` between two frequencies [Hz].

    Further options are those of ``fixstep response``, such as ``modal=True``; ``all`` has what they ask for.
    """
    asked = {"from": from_, "to": to, "points": points, "by": by, "show": show, "at": at, "static": static, **options}
    found = _ask("response", model, asked, parameters=parameters, inputs=inputs)
    grid = np.array(found["frequencies"], float)
    curves = [curve for curve in found.get("responses", ()) if "re" in curve]
    outputs = tuple(dict.fromkeys(curve["output"] for curve in curves))
    ins = tuple(dict.fromkeys(curve.get("input") or "" for curve in curves))
    values = np.full((len(outputs), len(ins), len(grid)), np.nan, complex)
    units = {}
    for curve in curves:
        row, column = outputs.index(curve["output"]), ins.index(curve.get("input") or "")
        values[row, column] = np.array(curve["re"], float) + 1j * np.array(curve["im"], float)
        units[outputs[row], ins[column]] = curve["unit"]
    return Response(grid, outputs, ins, values, units, tuple(found["notes"]), _record(found))


class Advice(Record):
    """Settings of the fixed step that are worth their time: ``choice`` and all ``rows``."""

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the choice, by name."""
        choice = self["choice"]
        return {} if choice is None else {name: value for name, value in choice["settings"]}


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
