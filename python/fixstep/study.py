"""Studies on several processes or computers: workers of Python, Dask or Ray make the rows, one folder keeps them.

The description and the folder are those of ``fixstep study``; the table has the same bytes as that of one computer.
"""

from __future__ import annotations

import hashlib
import json
import operator
import os
import pickle
import queue
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import CodeType, FunctionType
from typing import Any, Protocol, Union

import numpy as np

from . import _fixstep
from ._errors import Error

Description = Union[str, "os.PathLike[str]"]

#: What a result of your own is: a function of the series of a run that returns a number.
Result = Callable[[Mapping[str, np.ndarray]], float]

#: The chunk of some runs, and the tables of their series by the numbers of the runs.
Part = tuple[bytes, list[tuple[int, bytes]]]

#: How long a chunk takes (s), and how many of them this process takes in a second; with many workers chunks are longer.
_SECONDS, _RATE = 0.5, 200

#: How often a chunk is given to a worker before this process makes it.
_TRIES = 3


class Executor(Protocol):
    """What makes chunks: the futures of ``submit`` have ``result`` and ``add_done_callback``."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Calls the function somewhere."""


class Table:
    """The rows of a study: columns by name, ``summary`` with its statistics, ``folder`` with its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.summary: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        with np.load(folder / "runs.npz") as archive:
            self._columns: dict[str, np.ndarray] = {name: archive[name] for name in archive.files}

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            raise KeyError(f"no column {name!r}; known: {', '.join(self._columns)}")
        return self._columns[name]

    def __len__(self) -> int:
        return len(self._columns["run"])

    def series(self, run: int) -> dict[str, np.ndarray]:
        """What the study keeps of a run over time (``series`` of its description)."""
        path = self.folder / "series" / f"{run:07}.csv"
        if not path.exists():
            raise Error(f"run {run} has no series: {path} is not there; valid: a study with \"series\", and a run that began")
        with path.open(encoding="utf-8") as file:
            names = file.readline().rstrip("\n").split(",")
            values = np.loadtxt(file, delimiter=",", ndmin=2)
        return {name: values[:, k] for k, name in enumerate(names)}

    def apply(self, function: Callable[[Mapping[str, np.ndarray]], float]) -> np.ndarray:
        """A result of your own of a study that is finished: the function gets the series of each run and returns a number. Runs
        that failed have NaN.
        """
        good = self["status"] != "failed"
        return np.array([function(self.series(run)) if ok else np.nan for run, ok in enumerate(good)])


def run(
    description: Description,
    folder: Description,
    *,
    results: Mapping[str, Result] | None = None,
    executor: str | Executor = "processes",
    workers: int | None = None,
    seconds: float | None = None,
) -> Table:
    """Makes all runs of a study that its folder does not have yet.

    ``results`` are results of your own: a function for each column, which the workers call with the series of a run (arrays by
    name, which it must not change) and which returns a number. It gets the ``series`` of the description, or all outputs if it has
    none. A run whose function raises an exception has failed, and its row says why.

    ``executor`` is ``"processes"``, ``"dask"`` (the client that is there, or one of this computer), ``"ray"``, or an object with
    ``submit``. Workers need this package, and the description and its model under the same path. A task is a chunk of runs that
    takes about ``seconds``: half a second, or longer where there are hundreds of workers. A chunk whose worker has vanished is
    given to another one; what no worker makes, this process makes.
    """
    path, place = os.path.abspath(description), Path(folder)
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds is {seconds}; valid: a number above 0")
    if workers is not None and (isinstance(workers, bool) or not hasattr(workers, "__index__") or operator.index(workers) < 1):
        raise Error(f"workers: {workers!r}; valid: a whole number, 1 or more, or None for one for each core")
    taken = dict(results or {})
    for name, function in taken.items():
        if not callable(function):
            raise ValueError(f"results[{name!r}] is {function!r}; valid: a function of the series of a run")
    own = _executor(executor, workers)
    try:
        own.check(taken)
        _spread(path, place, own, (workers or own.workers(), seconds), taken)
    finally:
        own.close()
    # This makes what is missing still, and the table.
    elsewhere = [f"--elsewhere={name}={print_}" for name, print_ in _prints(taken)]
    _hear(["study", path, "-o", str(place), *elsewhere], failed=True)
    return Table(place)


def chunk(path: str, first: int, last: int, results: Mapping[str, Result] | None = None) -> tuple[Part, float, int]:
    """Makes runs from ``first`` up to ``last``: the part, how long it took (s), and how many runs the study has."""
    began = time.perf_counter()
    functions = dict(results or {})

    def take(names: list[str], columns: list[bytes]) -> list[float | str]:
        series = {name: np.frombuffer(column) for name, column in zip(names, columns)}
        return [_taken(function, series) for function in functions.values()]

    rows, series, total = _fixstep.study_part(path, (first, last), _prints(functions), take)
    return (rows, series), time.perf_counter() - began, total


def _taken(function: Result, series: Mapping[str, np.ndarray]) -> float | str:
    """What a function returns, or why it does not."""
    try:
        return float(function(series))
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


def _prints(functions: Mapping[str, Result]) -> list[tuple[str, str]]:
    """Names, with fingerprints of what the functions do: rows of another function are of another study."""
    return [(name, hashlib.sha256(_code(function).encode()).hexdigest()[:16]) for name, function in functions.items()]


def _code(part: Any, within: tuple[Any, ...] = ()) -> str:
    """What a function is made of, as a text that is the same in all processes."""
    if any(part is one for one in within):
        return "itself"

    def code(inner: Any) -> str:
        return _code(inner, (*within, part))

    if isinstance(part, CodeType):
        return f"{part.co_code.hex()} {part.co_names} {part.co_varnames} {code(part.co_consts)}"
    if isinstance(part, FunctionType):
        cells = tuple(cell.cell_contents for cell in part.__closure__ or ())
        return code((part.__code__, part.__defaults__, cells))
    if isinstance(part, partial):
        return code((part.func, part.args, tuple(sorted(part.keywords.items()))))
    if isinstance(part, tuple):
        return f"({', '.join(map(code, part))})"
    if isinstance(part, frozenset):
        return f"{{{', '.join(sorted(map(code, part)))}}}"
    if part is None or isinstance(part, (str, bytes, int, float, complex)):
        return repr(part)
    named = part if hasattr(part, "__qualname__") else type(part)
    return f"{named.__module__}.{named.__qualname__}"


def _hear(words: list[str], *, failed: bool = False) -> None:
    """A command; ``failed``: it may say that all runs have failed, which is a result too."""
    code, output, remarks = _fixstep.hear(["fixstep", *words])
    said = remarks.decode(errors="replace")
    if code == 0 or (failed and code == 1 and b"written: " in output):
        return
    raise Error(said.strip().removeprefix("error: ") or f"fixstep {words[0]} failed")


def _spread(
    path: str, folder: Path, own: _Own, how: tuple[int, float | None], functions: Mapping[str, Result]
) -> None:
    """Lets workers make the chunks that the folder lacks."""
    workers, seconds = how
    (head, _), _, total = chunk(path, 0, 0, functions)
    record, chunks = folder / "chunks.json", folder / "chunks"
    if record.exists() and json.loads(record.read_text(encoding="utf-8")).get("key") != head.split(b"\n", 2)[1].decode()[4:]:
        return  # Of another study: the program says what differs.
    if folder.exists() and not record.exists() and not chunks.exists() and any(folder.iterdir()):
        return  # It holds other files, which the program says too.
    chunks.mkdir(parents=True, exist_ok=True)
    missing = sorted(set(range(total)) - _known(chunks, head))
    if not missing:
        return
    of = (path, folder, functions)
    # The first run says how long one takes.
    wanted = seconds or max(_SECONDS, workers / _RATE)
    took = _give(_spans(missing[:1], 1), own, workers, of) or wanted
    missing = missing[1:]
    _give(_spans(missing, max(1, min(int(wanted / took), -(-len(missing) // workers)))), own, workers, of)
    if functions:
        # What no worker has made; without functions the program makes it.
        for span in _spans(sorted(set(range(total)) - _known(chunks, head)), 1):
            _keep(folder, chunk(path, *span, functions)[0], span)


def _give(
    spans: list[tuple[int, int]], own: _Own, workers: int, of: tuple[str, Path, Mapping[str, Result]]
) -> float:
    """Gives spans to workers and keeps what they make; how long the last one took (s), 0 if no worker has made it."""
    path, folder, functions = of
    took = 0.0
    done: queue.Queue[tuple[Any, tuple[int, int], int]] = queue.Queue()

    def give(span: tuple[int, int], tries: int) -> None:
        future = own.submit(chunk, path, *span, functions)
        future.add_done_callback(lambda future: done.put((future, span, tries)))

    open_ = 0
    waiting = iter(spans)
    for span in waiting:
        give(span, 1)
        open_ += 1
        if open_ >= 2 * workers:
            break
    while open_:
        future, span, tries = done.get()
        open_ -= 1
        try:
            part, took, _ = future.result()
        except Error:
            raise
        except Exception as problem:
            if not own.vanished(problem):
                raise
            if tries < _TRIES:
                give(span, tries + 1)
                open_ += 1
                continue
        else:
            _keep(folder, part, span)
        for span in waiting:
            give(span, 1)
            open_ += 1
            break
    return took


def _known(chunks: Path, of: bytes) -> set[int]:
    """Runs whose rows the folder has, of the study that a chunk is of."""
    key = of.split(b"\n", 2)[1]
    known: set[int] = set()
    for file in chunks.glob("*.rows"):
        head = file.read_bytes().split(b"\n", 4)
        if len(head) == 5 and head[1] == key:
            known.update(int(line.split(b",", 1)[0]) for line in head[4].splitlines() if line[:1].isdigit())
    return known


def _keep(folder: Path, part: Part, span: tuple[int, int]) -> None:
    """Writes series and then their chunk, each aside and renamed."""
    rows, series = part
    for run, text in series:
        _write(folder / "series" / f"{run:07}.csv", text)
    _write(folder / "chunks" / f"{span[0]:07}-{span[1] - 1:07}.rows", rows)


def _write(path: Path, text: bytes) -> None:
    """Writes a file aside and renames it."""
    path.parent.mkdir(exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, prefix=".fixstep-", delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def _spans(runs: list[int], most: int) -> list[tuple[int, int]]:
    """Runs that follow each other, in pieces of at most so many."""
    spans: list[tuple[int, int]] = []
    for run in runs:
        if spans and spans[-1][1] == run and run - spans[-1][0] < most:
            spans[-1] = (spans[-1][0], run + 1)
        else:
            spans.append((run, run + 1))
    return spans


class _Own:
    """An executor of the user."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        return self._executor.submit(function, *arguments)

    def vanished(self, problem: Exception) -> bool:
        """Has a worker vanished, and not the work failed?"""
        return type(problem).__name__ in ("KilledWorker", "WorkerCrashedError", "CancelledError", "BrokenProcessPool")

    def workers(self) -> int:
        """How many calls it makes at once."""
        return os.cpu_count() or 1

    def check(self, functions: Mapping[str, Result]) -> None:
        """Refuses functions that cannot be sent to workers."""

    def close(self) -> None:
        """Ends what was begun."""


class _Processes(_Own):
    """Processes of this computer."""

    def __init__(self, workers: int | None) -> None:
        self._workers = workers
        self._begin()

    def _begin(self) -> None:
        self._pool = ProcessPoolExecutor(self._workers, mp_context=get_context("spawn"))

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        try:
            return self._pool.submit(function, *arguments)
        except BrokenProcessPool:
            # One process has vanished, and with it the pool.
            self._begin()
            return self._pool.submit(function, *arguments)

    def check(self, functions: Mapping[str, Result]) -> None:
        for name, function in functions.items():
            try:
                pickle.dumps(function)
            except Exception as problem:
                raise ValueError(
                    f"results[{name!r}] cannot be sent to processes ({problem}); valid: a function at the top of a module; "
                    "Dask and Ray take any function"
                ) from None

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)


class _Dask(_Own):
    """A client of Dask."""

    def __init__(self, workers: int | None) -> None:
        distributed: Any = import_module("distributed")
        try:
            self._client, self._began = distributed.get_client(), False
        except ValueError:
            self._client = distributed.Client(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            self._began = True

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        return self._client.submit(function, *arguments, pure=False)

    def workers(self) -> int:
        return sum(self._client.nthreads().values()) or 1

    def close(self) -> None:
        if self._began:
            self._client.close()
            if self._client.cluster is not None:
                self._client.cluster.close()


class _Ray(_Own):
    """Ray."""

    def __init__(self, workers: int | None) -> None:
        self._ray: Any = import_module("ray")
        self._remote: dict[Callable[..., Any], Any] = {}
        self._began = not self._ray.is_initialized()
        if self._began:
            self._ray.init(num_cpus=workers, include_dashboard=False)

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        # Ray sends a function to its workers once for each time that it is made remote.
        if function not in self._remote:
            self._remote[function] = self._ray.remote(function)
        return self._remote[function].remote(*arguments).future()

    def workers(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 1)) or 1

    def close(self) -> None:
        if self._began:
            self._ray.shutdown()


def _executor(executor: str | Executor, workers: int | None) -> _Own:
    kinds: dict[str, Callable[[int | None], _Own]] = {"processes": _Processes, "dask": _Dask, "ray": _Ray}
    if not isinstance(executor, str):
        return _Own(executor)
    if executor not in kinds:
        raise ValueError(f"executor {executor!r} is not known; valid: {', '.join(kinds)}, or an object with submit")
    return kinds[executor](workers)
