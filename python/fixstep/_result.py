"""Whole runs and their tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, Union

import numpy as np

from . import _fixstep
from ._errors import Error, RunError, in_python
from ._model import Model, Parameters
from ._pictures import Page
from ._values import called, check_times, reals

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,unused-ignore]
    import xarray
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

    from ._builder import ModelBuilder

    Array = NDArray[np.float64]
    Table = Mapping[str, Array]
else:
    Table = Mapping

#: An input over time: a number, a function of the time, or times and values.
Signal = Union[float, Callable[[float], float], "tuple[ArrayLike, ArrayLike]"]
#: Inputs of a run: by name; a table of pandas with the time as its index or as the column ``time``; a file of CSV.
Inputs = Union[Mapping[str, Signal], Any]


def run(
    model: Model | ModelBuilder | str | os.PathLike[str],
    *,
    start: float | None = None,
    stop: float | None = None,
    step: float | None = None,
    parameters: Parameters | None = None,
    inputs: Inputs | None = None,
    record: str | Sequence[str] = (),
    every_step: bool = False,
    solver: Mapping[str, Any] | None = None,
) -> Result:
    """Runs a model, or a file: a model, an FMU of any vendor, a system (``.ssp``). The numbers are those of ``fixstep run``.

    Times are in seconds; what is left out is as the file says. ``parameters`` are set before the run. ``inputs`` are sampled
    at the start of each step and interpolated linearly between rows; two rows of one time are a jump. ``record`` names
    variables besides the outputs, ``*`` at the end stands for any rest. ``every_step`` adds rows at the ends of integration
    steps. ``solver`` replaces settings of a model, such as ``{"error": 1e-6}``, which asks for a variable step.
    """
    from ._builder import ModelBuilder as Builder

    check_times(start=start, stop=stop, step=step)
    subject: Model | Path
    if isinstance(model, Builder):
        subject = model.build()
    elif isinstance(model, Model):
        subject = model
    elif Path(model).suffix.lower() in (".fmu", ".ssp"):
        subject = Path(model)
    else:
        subject = Model.load(model)
    raw: Any = subject._raw if isinstance(subject, Model) else subject
    asked: dict[str, Any] = {}
    if solver:
        if not isinstance(subject, Model):
            raise Error(f"{subject}: solver is for a model; an FMU has parameters, such as solver.fixit")
        raw, asked = subject._asked(solver)
    names = [record] if isinstance(record, str) else list(record)
    settings = [(name, _word(name, value)) for name, value in (parameters or {}).items()]
    table = None if inputs is None else _table(inputs, subject, start, stop, step)
    try:
        ran = _fixstep.run(raw, start, stop, step, settings, table, names, every_step)
    except Error as error:
        raise Error(in_python(str(error))) from None
    how = How(settings, table, names, every_step, asked)
    result = Result(ran, subject, how)
    if ran.failed is not None:
        raise RunError(ran.failed, result)
    # An end that the model asks for is a note; one that a failed step forces is a complaint.
    if ran.ended is not None and ran.messages and ran.messages[-1][0] != "note":
        raise RunError(ran.ended[1], result)
    return result


def _word(name: str, value: Any) -> str:
    """A value as the command line has it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    try:
        return " ".join(repr(float(x)) for x in np.ravel(reals(value, f"parameter {name!r}")))
    except (TypeError, ValueError, Error):
        raise Error(f"parameter {name!r}: {value!r} is no number, text, True or False") from None


def _table(
    inputs: Inputs,
    subject: Model | Path,
    start: float | None,
    stop: float | None,
    step: float | None,
) -> tuple[list[str], list[list[float]]]:
    """The table of inputs: ``time`` and names, and the columns."""
    if isinstance(inputs, (str, os.PathLike)):
        inputs = _read(Path(inputs))
    if hasattr(inputs, "columns") and hasattr(inputs, "index"):
        frame: Any = inputs
        grid = frame["time"] if "time" in frame.columns else frame.index
        kind = getattr(grid.dtype, "kind", "f")
        if kind == "m":
            grid = np.asarray(grid) / np.timedelta64(1, "s")
        elif kind == "M":
            raise Error("inputs: the index of the table has dates; valid: times from the start of the run [s], or differences of times")
        names = [str(name) for name in frame.columns if name != "time"]
        inputs = {name: (np.asarray(grid, float), np.asarray(frame[name], float)) for name in names}
    if not isinstance(inputs, Mapping):
        raise Error(
            f"inputs: {type(inputs).__name__} is not known; valid: a dictionary of names, a table of pandas, or a file of CSV"
        )
    grids: list[Array] = []
    signals: dict[str, float | Callable[[float], float] | tuple[Array, Array]] = {}
    for name, signal in inputs.items():
        if isinstance(signal, tuple) and len(signal) == 2:
            times, values = (reals(part, f"input {name!r}").ravel() for part in signal)
            if times.shape != values.shape or times.size == 0:
                raise Error(f"input {name!r}: {times.size} times and {values.size} values; valid: as many, at least one")
            signals[name] = (times, values)
            if not any(np.array_equal(times, own) for own in grids):
                grids.append(times)
        elif callable(signal):
            signals[name] = cast("Callable[[float], float]", signal)
        else:
            try:
                signals[name] = float(signal)  # type: ignore[arg-type]
            except (TypeError, ValueError):
                raise Error(
                    f"input {name!r}: {signal!r} is not known; valid: a number, a function of the time, or times and values"
                ) from None
    if any(callable(signal) for signal in signals.values()):
        grids.append(_grid(subject, start, stop, step))
    if not grids:
        grids.append(np.zeros(1))
    if len(grids) == 1:
        time = grids[0]
    else:
        for grid in grids:
            if np.any(np.diff(grid) <= 0):
                raise Error("inputs with different times must increase; give inputs that jump the same times")
        time = np.unique(np.concatenate(grids))
    columns = [time]
    for name, signal in signals.items():
        if isinstance(signal, tuple):
            times, values = signal
            columns.append(values if np.array_equal(times, time) else np.interp(time, times, values))
        elif callable(signal):
            columns.append(np.array([called(name, signal, at) for at in time.tolist()]))
        else:
            columns.append(np.full(time.shape, signal))
    return ["time", *signals], [column.tolist() for column in columns]


def _read(path: Path) -> dict[str, tuple[Array, Array]]:
    """A table of CSV: ``time`` and inputs."""
    try:
        with path.open(encoding="utf-8") as lines:
            names = [name.strip().strip('"') for name in lines.readline().split(",")]
            rows = np.loadtxt(lines, delimiter=",", ndmin=2)
    except (OSError, ValueError) as error:
        raise Error(f"{path}: {error}") from None
    if names[:1] != ["time"] or rows.shape[1:] != (len(names),):
        raise Error(f"{path}: the first line must be time,NAME,... with a name for each column")
    return {name: (rows[:, 0], rows[:, k]) for k, name in enumerate(names) if k > 0}


def _grid(subject: Model | Path, start: float | None, stop: float | None, step: float | None) -> Array:
    """The communication points of a run, at which functions are sampled."""
    if isinstance(subject, Model):
        own = subject.experiment
        start = own.start if start is None else start
        stop = own.stop if stop is None else stop
        step = own.step if step is None else step
    if stop is None or step is None:
        raise Error("inputs: a function of the time needs stop and step, which are known of models alone")
    start = start or 0.0
    for word, number in (("start", start), ("stop", stop), ("step", step)):
        if isinstance(number, str) or not np.isfinite(number):
            raise Error(f"run, {word}: {number!r} is no time; valid: a finite number of seconds")
    if step <= 0 or stop < start:
        raise Error(f"run, step: {step!r} s from {start!r} to {stop!r} s; valid: a step of more than 0, and a stop that is not before the start")
    if (stop - start) / step > 1e8:
        raise Error(f"run, step: {step!r} s makes more than 1e8 steps up to {stop!r} s; valid: fewer")
    count = int(np.floor((stop - start) / step * (1 + 1e-12) + 1e-9))
    return np.asarray(start + np.arange(count + 1) * step, float)


@dataclass(frozen=True)
class How:
    """The settings of a run, with which it can be made again."""

    settings: list[tuple[str, str]]
    inputs: tuple[list[str], list[list[float]]] | None
    record: list[str]
    every_step: bool
    solver: dict[str, Any]


class Kept:
    """What a run has given, out of a pickle: as the run itself would tell it."""

    name: str
    times: tuple[float, float, float]
    columns: list[tuple[str, str, str, float, float]]
    rows: int
    texts: list[tuple[str, list[str]]]
    ended: tuple[float, str] | None
    failed: str | None
    messages: list[tuple[str, str, str]]
    took: float

    def __init__(self, facts: dict[str, Any], numbers: list[Array], packed: bytes) -> None:
        self.__dict__.update(facts)
        self._facts, self._numbers, self._packed = facts, numbers, packed

    @classmethod
    def of(cls, ran: Any) -> Kept:
        """Takes what a run has given."""
        import zlib

        facts = {name: getattr(ran, name) for name in ("name", "times", "columns", "rows", "texts", "ended", "failed", "messages", "took")}
        numbers = [np.empty(ran.rows) for _ in ran.columns]
        for at, column in enumerate(numbers):
            ran.column(at, column)
        return cls(facts, numbers, zlib.compress(ran.csv().encode()))

    def __reduce__(self) -> Any:
        return Kept, (self._facts, self._numbers, self._packed)

    def column(self, at: int, out: Array) -> None:
        """Writes a column into an array."""
        out[:] = self._numbers[at]

    def csv(self) -> str:
        """The table as CSV."""
        import zlib

        return zlib.decompress(self._packed).decode()


class Result(Table):
    """The table of a run: columns by name, in the units of the variables."""

    def __init__(
        self,
        ran: _fixstep.Ran | Kept,
        subject: Model | Path,
        how: How,
    ) -> None:
        self._ran: _fixstep.Ran | Kept = ran
        self._subject = subject
        self._how = how
        self._columns: dict[str, Array] = {}
        self._places = {own[0]: (at, own) for at, own in enumerate(ran.columns)}
        #: The name of the model.
        self.name = ran.name

    def __reduce__(self) -> Any:
        ran = self._ran
        return Result, (ran if isinstance(ran, Kept) else Kept.of(ran), self._subject, self._how)

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            if name not in self._places:
                from ._errors import UnknownNameError

                names = ", ".join(self._places)
                raise UnknownNameError(f"the result has no column {name!r}; it has {names}")
            column = np.empty(self._ran.rows)
            self._ran.column(self._places[name][0], column)
            column.flags.writeable = False
            self._columns[name] = column
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def time(self) -> Array:
        """The times of the rows [s]."""
        return self["time"]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns besides the time."""
        return tuple(self._places)[1:]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._ran.rows

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column."""
        return {name: own[1] for name, (_, own) in self._places.items()}

    @property
    def texts(self) -> dict[str, list[str]]:
        """Outputs that are texts, row by row."""
        return dict(self._ran.texts)

    @property
    def ended(self) -> tuple[float, str] | None:
        """When and why the model ended the run, if it did before its stop."""
        return self._ran.ended

    @property
    def messages(self) -> list[tuple[str, str, str]]:
        """What the run has logged: level, category, text."""
        return self._ran.messages

    @property
    def seconds(self) -> float:
        """The wall time of all steps."""
        return self._ran.took

    def shown(self, name: str) -> tuple[Array, str]:
        """A column in its display unit, and that unit."""
        _, _, unit, factor, offset = self._places[name][1] if name in self._places else (0,) * 5
        return self[name] * factor + offset, str(unit)

    def to_array(self, *names: str) -> Array:
        """Columns beside each other: one row for each time."""
        return np.column_stack([self[name] for name in names or self.names])

    def to_pandas(self) -> pandas.DataFrame:
        """A table of pandas over time; ``attrs["units"]`` has the units."""
        from ._errors import needed

        pandas = needed("pandas", "to_pandas")
        columns = {name: self[name] for name in self.names}
        columns.update({name: np.asarray(rows, object) for name, rows in self.texts.items()})
        frame = pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))
        frame.attrs["units"] = self.units
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """A data set of xarray over time, with units."""
        from ._errors import needed

        module = needed("xarray", "to_xarray")
        units = self.units
        columns = {name: ("time", self[name], {"units": units[name]}) for name in self.names}
        made: xarray.Dataset = module.Dataset(columns, {"time": ("time", self.time, {"units": units["time"]})})
        return made

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the table as ``fixstep run -o`` does; numbers read back to the same bits."""
        Path(path).write_text(self._ran.csv(), encoding="utf-8", newline="\n")

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the table with pyarrow, units as metadata of the columns."""
        try:
            import pyarrow  # type: ignore[import-untyped,unused-ignore]
            import pyarrow.parquet  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            raise Error("to_parquet needs pyarrow: pip install pyarrow") from None
        units = self.units
        fields = [pyarrow.field(name, pyarrow.float64(), metadata={"unit": units[name]}) for name in self]
        arrays = [pyarrow.array(self[name]) for name in self]
        for name, rows in self.texts.items():
            fields.append(pyarrow.field(name, pyarrow.string()))
            arrays.append(pyarrow.array(rows))
        table = pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))
        pyarrow.parquet.write_table(table, os.fspath(path))

    def plot(self, *names: str, over: str = "time", axes: Any = None) -> Figure:
        """Draws columns with matplotlib, in display units: one panel for each unit."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise Error("plot needs matplotlib: pip install matplotlib; report(path) does not") from None
        panels: dict[str, list[tuple[str, Array]]] = {}
        for name in names or self.names:
            values, unit = self.shown(name)
            panels.setdefault(unit, []).append((name, values))
        across, across_unit = self.shown(over)
        if axes is None:
            height = 1.0 + 1.6 * len(panels)
            _, axes = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, figsize=(7, height))
        axes = np.ravel(np.asarray(axes, object))
        if len(axes) < len(panels):
            raise Error(f"axes: {len(axes)} for {len(panels)} units; valid: one for each unit")
        for panel, (unit, lines) in zip(axes, panels.items()):
            for name, values in lines:
                panel.plot(across, values, label=name)
            panel.set_ylabel(f"[{unit}]" if unit else "")
            panel.legend(loc="best", fontsize="small")
            panel.grid(visible=True, alpha=0.3)
        axes[len(panels) - 1].set_xlabel(f"{over} [{across_unit}]" if across_unit else over)
        axes[0].set_title(self.name)
        figure: Figure = axes[0].figure
        return figure

    def report(
        self, path: str | os.PathLike[str], *, against: Result | str | os.PathLike[str] | None = None
    ) -> Path:
        """Writes the run as one page for any browser, as ``fixstep run --report`` does: the mechanism in 3-D, plots, figures.

        The run is made again, with the same bits. ``against`` is another result to be shown beside it.
        """
        from tempfile import TemporaryDirectory

        path = Path(path)
        with TemporaryDirectory(prefix="fixstep-") as folder:
            more: list[str] = []
            if isinstance(against, Result):
                other = Path(folder, f"{against.name}.csv")
                against.to_csv(other)
                more += ["--against", str(other)]
            elif against is not None:
                more += ["--against", os.fspath(against)]
            self._again(Path(folder), ["--report", str(path), *more])
        return path

    def animate(self, height: int = 600) -> Page:
        """The page of the run in a frame of a notebook."""
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="fixstep-") as folder:
            path = Path(folder, "run.html")
            self._again(Path(folder), ["--report", str(path)])
            return Page(path.read_text(encoding="utf-8"), height)

    def _again(self, folder: Path, options: list[str]) -> None:
        """Makes the run again by the command, which shows more of it."""
        from contextlib import nullcontext

        from ._tools import command

        how = self._how
        start, stop, step = self._ran.times
        words = ["--start-time", repr(start), "--stop", repr(stop), "--step", repr(step)]
        for name, value in how.settings:
            words += ["--set", f"{name}={value}"]
        if how.inputs is not None:
            table = folder / "inputs.csv"
            rows = zip(*how.inputs[1])
            lines = [",".join(how.inputs[0]), *(",".join(map(repr, row)) for row in rows)]
            table.write_text("\n".join(lines) + "\n", encoding="utf-8")
            words += ["--input", str(table)]
        for name in how.record:
            words += ["--record", name]
        if how.every_step:
            words.append("--every-step")
        subject = self._subject
        asked = _solver_options(how.solver)
        with subject._file() if isinstance(subject, Model) else nullcontext(subject) as file:
            command("run", [str(file), *words, *asked, *options], early=self.ended is not None)

    def _repr_html_(self) -> str:
        from html import escape

        units = self.units
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{escape(units[name])}</td>"
            f"<td>{self[name][-1]:.6g}</td><td>{self[name].min():.6g}</td><td>{self[name].max():.6g}</td></tr>"
            for name in self.names
        )
        head = "<tr><th>name</th><th>unit</th><th>last</th><th>least</th><th>most</th></tr>"
        return f"<b>{escape(self.name)}</b>: {self.rows} rows<table>{head}{rows}</table>"

    def __repr__(self) -> str:
        first, last = (self.time[0], self.time[-1]) if self.rows else (float("nan"),) * 2
        return f"<fixstep.Result of {self.name!r}: {first:g} s to {last:g} s, {self.rows} rows, {len(self) - 1} columns>"


def _solver_options(solver: Mapping[str, Any]) -> list[str]:
    """Options of the command for settings that replace those of the text."""
    words = []
    for name, value in solver.items():
        text = "default" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        words += ["--solver", f"{name}={text}"]
    return words
