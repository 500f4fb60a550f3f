"""Linear forms, modes and responses of a mechanism about a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import Error
from ._model import Parameters
from ._pictures import Page
from ._result import Inputs
from ._tools import Record, Source, _ask, _record

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Complex = NDArray[np.complex128]


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

    def plot(self, *, axes: Any = None) -> Figure:
        """Draws the poles in the complex plane with matplotlib."""
        from ._plots import of_form

        return of_form(self, axes)

    def __iter__(self) -> Iterator[Array]:
        """A, B, C, D, as SciPy and python-control take them; E is the identity unless states depend on each other."""
        return iter((self.A, self.B, self.C, self.D))


def _matrix(rows: Any, width: int) -> Array:
    return np.array(rows, float).reshape(len(rows), width)


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

    def plot(self, *, axes: Any = None) -> Figure:
        """Draws the eigenvalues in the complex plane with matplotlib, each with its frequency."""
        from ._plots import of_modes

        return of_modes(self, axes)

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

    def plot(self, *names: str, by: str | None = None, axes: Any = None) -> Figure:
        """Draws magnitude and phase of outputs over frequency with matplotlib (a Bode diagram)."""
        from ._plots import of_response

        return of_response(self, names, by, axes)


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
