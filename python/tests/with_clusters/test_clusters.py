"""Studies on clusters of this computer, with Dask and with Ray: the class of an engine runs where the engine is installed."""

import sys
import tempfile
import unittest
from pathlib import Path

from fixstep import study

sys.path.append(str(Path(__file__).resolve().parents[1]))

from studies import described, serial  # noqa: E402


class Cluster:
    """What must hold on each engine."""

    engine = ""

    def test_the_table_of_one_computer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            table = study.run(path, Path(folder, "out"), executor=self.engine, workers=2, seconds=0.05)
            self.assertEqual((table.folder / "runs.csv").read_bytes(), serial(path, Path(folder, "serial")))
            self.assertEqual(len(table), 30)


class Dask(Cluster, unittest.TestCase):
    engine = "dask"


class Ray(Cluster, unittest.TestCase):
    engine = "ray"
