"""Studies whose rows are made by several workers: the table is that of one computer, whatever happens to workers."""

import multiprocessing
import os
import signal
import tempfile
import threading
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from studies import STRONG, described, rows_of_chunks, serial

from fixstep import study
from fixstep._errors import Error


def own_peak(series):
    """What the study itself takes."""
    return np.abs(series["body_acceleration"]).max()


def picky(series):
    """Raises an exception in some runs."""
    if own_peak(series) > STRONG:
        raise ValueError("too strong")
    return series["time"][-1]


def ends_its_process_once(mark, series):
    """Ends the process of a worker at the first call."""
    if not os.path.exists(mark) and multiprocessing.parent_process() is not None:
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return own_peak(series)


class KilledWorker(Exception):
    """What Dask raises for a worker that has vanished."""


class Vanishing:
    """Workers of which every third vanishes with what it has made, and one chunk never arrives."""

    def __init__(self) -> None:
        self.calls = 0
        self.lock = threading.Lock()
        self.pool = ThreadPoolExecutor(2)

    def submit(self, function, /, *arguments):
        with self.lock:
            self.calls += 1
            vanishes = self.calls % 3 == 0 or arguments[1] == 7
        if not vanishes:
            return self.pool.submit(function, *arguments)
        future: Future = Future()
        future.set_exception(KilledWorker())
        return future


class Studies(unittest.TestCase):
    def test_processes_give_the_table_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            table = study.run(path, Path(folder, "out"), workers=2, seconds=0.05)
            self.assertEqual((table.folder / "runs.csv").read_bytes(), serial(path, Path(folder, "serial")))
            self.assertEqual(len(table), 30)
            self.assertEqual(table.summary["done"], 30)
            np.testing.assert_array_equal(table["run"], np.arange(30))
            self.assertIn("known: run", self.said(lambda: table["none"], KeyError))

    def test_workers_may_vanish(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            workers = Vanishing()
            table = study.run(path, Path(folder, "out"), executor=workers, workers=2, seconds=1e-9)
            self.assertGreater(workers.calls, 30)
            self.assertEqual((table.folder / "runs.csv").read_bytes(), serial(path, Path(folder, "serial")))

    def test_what_is_there_is_not_made_again(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder, "out")
            serial(described(folder, runs=20), out)
            workers = ThreadPoolExecutor(1)
            made = []
            submit = workers.submit
            workers.submit = lambda function, *arguments: made.append(arguments[1:]) or submit(function, *arguments)
            path = described(folder, runs=25)
            table = study.run(path, out, executor=workers, workers=1, seconds=1e-9)
            self.assertEqual([span[:2] for span in made], [(run, run + 1) for run in range(20, 25)])
            self.assertEqual((table.folder / "runs.csv").read_bytes(), serial(path, Path(folder, "serial")))

    def test_mistakes_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            self.assertIn("processes, dask, ray", self.said(lambda: study.run(path, folder, executor="spark"), ValueError))
            self.assertIn("holds other files", self.said(lambda: study.run(path, folder, workers=1), Error))
            self.assertIn("no column", self.said(lambda: self.small(folder)["nothing"], KeyError))
            wrong = described(folder, method="gird")
            self.assertIn("grid, list", self.said(lambda: study.run(wrong, Path(folder, "new")), Error))
            other = described(folder, seed=3)
            self.assertIn("what differs is seed", self.said(lambda: study.run(other, Path(folder, "small")), Error))

    def test_functions_of_series(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder, runs=3, series=["body_height"])
            serial(path, Path(folder, "out"))
            table = study.Table(Path(folder, "out"))
            ends = table.apply(lambda series: series["body_height"][-1] - series["time"][-1])
            self.assertEqual(ends.shape, (3,))
            self.assertEqual(ends[2], table.series(2)["body_height"][-1] - 0.8)
            self.assertIn("has no series", self.said(lambda: table.series(9), Error))

    def test_series_are_those_of_one_computer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder, series=["body_height"])
            table = study.run(path, Path(folder, "out"), workers=2, seconds=0.05)
            self.assertEqual((table.folder / "runs.csv").read_bytes(), serial(path, Path(folder, "serial")))
            for run in range(30):
                name = f"series/{run:07}.csv"
                self.assertEqual(Path(folder, "out", name).read_bytes(), Path(folder, "serial", name).read_bytes())

    def test_results_of_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            results = {"own": own_peak, "kept": picky}
            tables = [
                study.run(path, Path(folder, str(count)), workers=count, seconds=0.02, results=results) for count in (1, 2, 4)
            ]
            one = (tables[0].folder / "runs.csv").read_bytes()
            for table in tables:
                self.assertEqual((table.folder / "runs.csv").read_bytes(), one)
                self.assertEqual(rows_of_chunks(table.folder), list(range(30)))
                self.assertEqual(table.names[:7], ["run", "suspension_damping", "sprung_mass", "peak", "own", "kept", "end"])
            table = tables[0]
            np.testing.assert_array_equal(table["own"], table["peak"])
            bad = table["peak"] > STRONG
            self.assertTrue(0 < bad.sum() < 30)
            np.testing.assert_array_equal(table["kept"], np.where(bad, np.nan, table["end"]))
            self.assertEqual(set(table["status"][bad]), {"failed"})
            self.assertEqual(set(table["reason"][bad]), {"result kept: ValueError: too strong"})
            self.assertEqual(table.summary["done"], 30 - bad.sum())

    def test_a_killed_process_loses_no_run(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = str(Path(folder, "killed"))
            results = {"own": partial(ends_its_process_once, mark)}
            table = study.run(described(folder), Path(folder, "out"), workers=2, seconds=0.02, results=results)
            self.assertTrue(Path(mark).exists())
            self.assertEqual(rows_of_chunks(table.folder), list(range(30)))
            np.testing.assert_array_equal(table["own"], table["peak"])

    def test_results_of_functions_are_not_made_again(self):
        with tempfile.TemporaryDirectory() as folder:
            out, workers = Path(folder, "out"), ThreadPoolExecutor(1)
            calls = []
            own = {"own": lambda series: calls.append(1) or series["body_height"][-1]}
            study.run(described(folder, runs=8), out, executor=workers, results=own)
            self.assertEqual(len(calls), 8)
            table = study.run(described(folder, runs=11), out, executor=workers, results=own)
            self.assertEqual((len(calls), len(table)), (11, 11))
            other = {"own": lambda series: series["body_height"][0]}
            again = self.said(lambda: study.run(described(folder, runs=11), out, executor=workers, results=other), Error)
            self.assertIn("what differs is results", again)

    def test_functions_see_the_series_and_cannot_change_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder, runs=2, series=["body_height"])

            def seen(series):
                self.assertEqual(list(series), ["time", "body_height"])
                series["time"][0] = 1

            table = study.run(path, Path(folder, "out"), executor=ThreadPoolExecutor(1), results={"own": seen})
            self.assertEqual(set(table["reason"]), {"result own: ValueError: assignment destination is read-only"})

    def test_mistakes_with_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder, runs=2)
            out = Path(folder, "out")
            told = self.said(lambda: study.run(path, out, results={"own": lambda series: 0}), ValueError)
            self.assertIn("at the top of a module", told)
            self.assertIn("valid: a function", self.said(lambda: study.run(path, out, results={"own": 3}), ValueError))
            twice = self.said(lambda: study.run(path, out, results={"peak": own_peak}, workers=1), Error)
            self.assertIn('would be called "peak"', twice)

    def test_work_that_no_worker_does(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder, runs=9)
            workers = Vanishing()
            table = study.run(path, Path(folder, "out"), executor=workers, seconds=1e-9, results={"own": own_peak})
            self.assertEqual(rows_of_chunks(table.folder), list(range(9)))
            np.testing.assert_array_equal(table["own"], table["peak"])

    def small(self, folder: str) -> study.Table:
        """A table of one run."""
        return study.run(described(folder, runs=1), Path(folder, "small"), workers=1)

    def said(self, call, kind) -> str:
        """What an error says."""
        with self.assertRaises(kind) as caught:
            call()
        return str(caught.exception)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "error")
    unittest.main()
