"""Studies whose rows are made by several workers: the table is that of one computer, whatever happens to workers."""

import os
import tempfile
import threading
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
from studies import described, serial

from fixstep import study
from fixstep._errors import Error


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
            self.assertEqual(made, [(run, run + 1) for run in range(20, 25)])
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
            self.assertEqual(ends[2], table.series(2)["body_height"][-1] - 0.3)
            self.assertIn("has no series", self.said(lambda: table.series(9), Error))

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
