"""Studies on several processes or computers: workers of Python, Dask or Ray make the rows, one folder keeps them.

The description and the folder are those of ``fixstep study``; the table has the same bytes as that of one computer.
"""

from __future__ import annotations

import json
import operator
import os
import pickle
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Protocol, Union

import numpy as np

from . import _fixstep
from ._errors import Error, needed

Description = Union[str, "os.PathLike[str]"]

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
        """A result of your own: the function gets the series of each run and returns a number. Runs that failed have NaN."""
        good = self["status"] != "failed"
        return np.array([function(self.series(run)) if ok else np.nan for run, ok in enumerate(good)])


def run(
    description: Description,
    folder: Description,
    *,
    executor: str | Executor = "processes",
    workers: int | None = None,
    seconds: float = 0.5,
) -> Table:
    """Makes all runs of a study that its folder does not have yet.

    ``executor`` is ``"processes"``, ``"dask"`` (the client that is there, or one of this computer), ``"ray"``, or an object with
    ``submit``. Workers need this package, and the description and its model under the same path. A task is a chunk of runs that
    takes about ``seconds``. A chunk whose worker has vanished is given to another one; what no worker makes, this
    process makes.
    """
    path, place = os.path.abspath(description), Path(folder)
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}; valid: a number above 0")
    if workers is not None and (isinstance(workers, bool) or not hasattr(workers, "__index__") or operator.index(workers) < 1):
        raise Error(f"workers: {workers!r}; valid: a whole number, 1 or more, or None for one for each core")
    own = _executor(executor, workers)
    try:
        _spread(path, place, own, workers or os.cpu_count() or 1, seconds)
    finally:
        own.close()
    # This makes what is missing still, and the table.
    _hear(["study", path, "-o", str(place)], failed=True)
    return Table(place)


def chunk(path: str, first: int, last: int) -> tuple[bytes, float, int]:
    """Makes runs from ``first`` up to ``last``: their chunk, how long it took (s), and how many runs the study has."""
    began = time.perf_counter()
    output, remarks = _hear(["study", path, "--rows", f"{first}..{last}"])
    total = re.search(r"^rows \d+\.\.\d+ of (\d+)$", remarks, re.MULTILINE)
    if total is None:
        raise Error("the program does not say how many runs the study has")
    return output, time.perf_counter() - began, int(total[1])


def _hear(words: list[str], *, failed: bool = False) -> tuple[bytes, str]:
    """A command; ``failed``: it may say that all runs have failed, which is a result too."""
    code, output, remarks = _fixstep.hear(["fixstep", *words])
    said = remarks.decode(errors="replace")
    if code == 0 or (failed and code == 1 and b"written: " in output):
        return output, said
    said = said.replace("another folder (-o), or --fresh, which drops the results", "another folder, or this one removed")
    raise Error(said.strip().removeprefix("error: ") or f"fixstep {words[0]} failed")


def _spread(path: str, folder: Path, own: _Own, workers: int, seconds: float) -> None:
    """Lets workers make the chunks that the folder lacks."""
    output, took, total = chunk(path, 0, 1)
    record, chunks = folder / "chunks.json", folder / "chunks"
    if record.exists() and json.loads(record.read_text(encoding="utf-8")).get("key") != output.split(b"\n", 2)[1].decode()[4:]:
        return  # Of another study: the program says what differs.
    if folder.exists() and not record.exists() and not chunks.exists() and any(folder.iterdir()):
        return  # It holds other files, which the program says too.
    chunks.mkdir(parents=True, exist_ok=True)
    missing = sorted(set(range(total)) - _known(chunks, output))
    if 0 in missing:
        _keep(chunks, output, (0, 1))
        missing.remove(0)
    spans = _spans(missing, max(1, min(int(seconds / max(took, 1e-6)), -(-len(missing) // workers))))
    done: queue.Queue[tuple[Any, tuple[int, int], int]] = queue.Queue()

    def give(span: tuple[int, int], tries: int) -> None:
        future = own.submit(chunk, path, *span)
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
            text = future.result()[0]
        except Error:
            raise
        except Exception as problem:
            if not own.vanished(problem):
                raise
            if tries < _TRIES:
                give(span, tries + 1)
                open_ += 1
            continue
        _keep(chunks, text, span)
        for span in waiting:
            give(span, 1)
            open_ += 1
            break


def _known(chunks: Path, of: bytes) -> set[int]:
    """Runs whose rows the folder has, of the study that a chunk is of."""
    key = of.split(b"\n", 2)[1]
    known: set[int] = set()
    for file in chunks.glob("*.rows"):
        head = file.read_bytes().split(b"\n", 4)
        if len(head) == 5 and head[1] == key:
            known.update(int(line.split(b",", 1)[0]) for line in head[4].splitlines() if line[:1].isdigit())
    return known


def _keep(chunks: Path, text: bytes, span: tuple[int, int]) -> None:
    """Writes a chunk aside and renames it."""
    with NamedTemporaryFile(dir=chunks, prefix=".fixstep-", delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, chunks / f"{span[0]:07}-{span[1] - 1:07}.rows")


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

    def close(self) -> None:
        """Ends what was begun."""


class _Processes(_Own):
    """Processes of this computer. They import this package and not the script, which needs no guard of its main part."""

    def __init__(self, workers: int | None) -> None:
        self._pool = ThreadPoolExecutor(workers or os.cpu_count() or 1)
        self._own = threading.local()
        self._all: list[subprocess.Popen[bytes]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        return self._pool.submit(self._ask, pickle.dumps((function, arguments)))

    def _ask(self, task: bytes) -> Any:
        """Gives a task to the process of this thread."""
        process = getattr(self._own, "process", None)
        if process is None:
            process = self._own.process = self._begin()
        try:
            process.stdin.write(task)
            process.stdin.flush()
            good, found = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            self._own.process = None
            raise BrokenProcessPool("a worker has vanished") from None
        if good:
            return found
        raise found

    def _begin(self) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", _WORKER, json.dumps(sys.path)]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._all.append(process)
        return process

    def close(self) -> None:
        for process in self._all:
            process.kill()
        self._pool.shutdown(cancel_futures=True)
        for process in self._all:
            process.communicate()


#: What the process of a worker runs.
_WORKER = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from fixstep.study import _serve; _serve()"


def _serve() -> None:
    """Does tasks from standard input until it ends."""
    # The process that asks hears of the user's key, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            function, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            told = (True, function(*arguments))
        except Exception as problem:
            told = (False, problem)
        pickle.dump(told, answers)
        answers.flush()


class _Dask(_Own):
    """A client of Dask."""

    def __init__(self, workers: int | None) -> None:
        distributed = needed("distributed", "executor 'dask'")
        try:
            self._client, self._began = distributed.get_client(), False
        except ValueError:
            self._client = distributed.Client(n_workers=workers, threads_per_worker=1, dashboard_address=None)
            self._began = True

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        return self._client.submit(function, *arguments, pure=False)

    def close(self) -> None:
        if self._began:
            self._client.close()
            if self._client.cluster is not None:
                self._client.cluster.close()


class _Ray(_Own):
    """Ray."""

    def __init__(self, workers: int | None) -> None:
        self._ray = needed("ray", "executor 'ray'")
        self._began = not self._ray.is_initialized()
        if self._began:
            self._ray.init(num_cpus=workers, include_dashboard=False)

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        return self._ray.remote(function).remote(*arguments).future()

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
