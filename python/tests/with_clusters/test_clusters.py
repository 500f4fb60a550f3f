"""Studies on clusters of this computer, with Dask and with Ray: the class of an engine runs where the engine is installed."""

import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from importlib import import_module
from pathlib import Path

from fixstep import study

sys.path.append(str(Path(__file__).resolve().parents[1]))

from studies import QUARTER, STRONG, described, rows_of_chunks, serial  # noqa: E402

WORKERS = 3

#: A run of a second, so that workers are killed within runs.
LONG = {"run": {"stop": 60, "input": str(QUARTER.with_name("input.csv"))}, "runs": 24}


class Cluster:
    """What must hold on each engine, with several processes."""

    engine = ""

    def processes(self) -> set[int]:
        """The processes of the workers."""
        raise NotImplementedError

    def compared(self, path: Path, folder: str, **options: object) -> study.Table:
        """Makes the study on the cluster; its table must have the bytes of one computer."""
        table = study.run(path, Path(folder, "out"), executor=self.engine, **{"seconds": 0.05, **options})
        self.assertEqual((table.folder / "runs.csv").read_bytes(), serial(path, Path(folder, "serial")))
        self.assertEqual(rows_of_chunks(table.folder), list(range(len(table))))
        return table

    def test_the_table_of_one_computer(self):
        self.assertGreaterEqual(len(self.processes() - {os.getpid()}), 2)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(self.compared(described(folder), folder)), 30)

    def test_a_killed_worker_loses_no_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder, **LONG)
            before = self.processes()
            killed = []

            def kill():
                # In the middle: some chunks are there, others are not.
                while len(list(Path(folder, "out/chunks").glob("*.rows"))) < 5:
                    time.sleep(0.02)
                for process in sorted(before)[:2]:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)

            killer = threading.Thread(target=kill)
            killer.start()
            table = self.compared(path, folder, seconds=1e-9)
            killer.join()
            self.assertEqual(table.summary["done"], 24)
            self.assertEqual(len(killed), 2)
            self.assertFalse(self.processes() & set(killed))

    def test_a_run_that_kills_its_worker_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            mark, own = str(Path(folder, "killed")), os.getpid()

            def peak(series):
                if abs(series["body_acceleration"]).max() > STRONG and os.getpid() != own and not os.path.exists(mark):
                    Path(mark).write_text(str(os.getpid()), encoding="utf-8")
                    os.kill(os.getpid(), signal.SIGKILL)
                return abs(series["body_acceleration"]).max()

            table = study.run(path, Path(folder, "out"), executor=self.engine, results={"own": peak}, seconds=0.05)
            self.assertTrue(Path(mark).exists())
            self.assertEqual(rows_of_chunks(table.folder), list(range(30)))
            self.assertEqual(table.summary["done"], 30)
            self.assertEqual(list(table["own"]), list(table["peak"]))

    def test_series(self):
        with tempfile.TemporaryDirectory() as folder:
            self.compared(described(folder, series=["body_height", "wheel_load"]), folder)
            for run in range(30):
                name = f"series/{run:07}.csv"
                self.assertEqual(Path(folder, "out", name).read_bytes(), Path(folder, "serial", name).read_bytes())

    def test_runs_that_fail_are_rows_with_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(
                folder,
                model=str(Path(__file__).resolve().parents[3] / "models/double_wishbone/model.json"),
                run={"mode": "kinematic", "step": 0.2},
                method="list",
                runs=None,
                vary=[{"parameter": "upper_ball.y", "values": [668, 3000, 670, 669]}],
                results=[{"name": "toe", "of": "toe", "take": "max"}],
            )
            table = self.compared(path, folder)
            self.assertEqual(list(table["status"]), ["done", "failed", "done", "done"])
            self.assertTrue(table["reason"][1])

    def test_functions_that_raise_are_rows_with_a_reason(self):
        limit = STRONG

        def picky(series):
            if abs(series["body_acceleration"]).max() > limit:
                raise ArithmeticError("it is too strong")
            return series["time"][-1]

        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            table = study.run(path, Path(folder, "out"), executor=self.engine, results={"own": picky}, seconds=0.05)
            bad = table["peak"] > limit
            self.assertTrue(0 < bad.sum() < 30)
            self.assertEqual(set(table["status"][bad]), {"failed"})
            self.assertEqual(set(table["reason"][bad]), {"result own: ArithmeticError: it is too strong"})
            self.assertEqual(list(table["own"][~bad]), list(table["end"][~bad]))


class Dask(Cluster, unittest.TestCase):
    engine = "dask"

    @classmethod
    def setUpClass(cls):
        distributed = import_module("distributed")
        cls.cluster = distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None
        )
        cls.client = distributed.Client(cls.cluster)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.close()

    def processes(self):
        self.client.wait_for_workers(WORKERS, timeout=60)
        return set(self.client.run(os.getpid).values())


class Ray(Cluster, unittest.TestCase):
    engine = "ray"

    @classmethod
    def setUpClass(cls):
        cls.ray = import_module("ray")
        cls.ray.init(num_cpus=WORKERS, include_dashboard=False)

    @classmethod
    def tearDownClass(cls):
        cls.ray.shutdown()

    def processes(self):
        def where(_):
            # Others have time to take a call too.
            time.sleep(0.1)
            return os.getpid()

        call = self.ray.remote(where)
        return set(self.ray.get([call.remote(k) for k in range(4 * WORKERS)]))
