"""What the package does with pandas, matplotlib, xarray and pyarrow; and its types."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import matplotlib
import numpy as np

import fixstep

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[3]
PENDULUM = ROOT / "models/pendulum/model.json"


class Others(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = fixstep.run(PENDULUM, stop=0.2)

    def test_pandas(self):
        frame = self.result.to_pandas()
        self.assertEqual((frame.index.name, list(frame.columns)), ("time", list(self.result.names)))
        np.testing.assert_array_equal(frame["angle"].to_numpy(), self.result["angle"])
        self.assertEqual(frame.attrs["units"]["rate"], "rad/s")

    def test_a_table_of_pandas_is_an_input(self):
        import pandas

        table = pandas.DataFrame({"time": [0, 0.1, 0.2], "torque": [0, 1, 0.5]})
        expected = fixstep.run(PENDULUM, stop=0.2, inputs={"torque": ([0, 0.1, 0.2], [0, 1, 0.5])})
        for given in (table, table.set_index("time")):
            found = fixstep.run(PENDULUM, stop=0.2, inputs=given)
            np.testing.assert_array_equal(found["angle"], expected["angle"])

    def test_xarray(self):
        data = self.result.to_xarray()
        self.assertEqual(data["angle"].attrs["units"], "rad")
        np.testing.assert_array_equal(data["angle"].values, self.result["angle"])

    def test_parquet(self):
        import pyarrow.parquet

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.parquet")
            self.result.to_parquet(path)
            table = pyarrow.parquet.read_table(path)
        np.testing.assert_array_equal(table["angle"].to_numpy(), self.result["angle"])
        self.assertEqual(table.schema.field("angle").metadata[b"unit"], b"rad")

    def test_matplotlib(self):
        figure = self.result.plot("angle", "rate", "pin_force")
        panels = figure.axes
        self.assertEqual(len(panels), len({self.result.shown(name)[1] for name in ("angle", "rate", "pin_force")}))
        drawn = panels[0].lines[0].get_ydata()
        np.testing.assert_array_equal(drawn, self.result.shown("angle")[0])
        across = self.result.plot("rate", over="angle")
        self.assertIn("angle", across.axes[0].get_xlabel())

    def test_types(self):
        with tempfile.TemporaryDirectory() as folder:
            use = Path(folder, "use.py")
            use.write_text(USE)
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "-p", "fixstep", "--cache-dir", folder],
                capture_output=True,
                text=True,
                cwd=folder,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stdout)
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", str(use), "--cache-dir", folder],
                capture_output=True,
                text=True,
                cwd=folder,
                check=False,
            )
            self.assertIn('use.py:9: error: Unsupported operand types for + ("str"', done.stdout)
            self.assertIn("Found 1 error", done.stdout)

    def test_types_of_elements(self):
        """What a class of elements takes is known where its method is called, to mypy and Pyright."""
        with tempfile.TemporaryDirectory() as folder:
            use = Path(folder, "build.py")
            use.write_text(BUILD)
            for words, mistakes in (
                (["mypy", "--strict", "--cache-dir", folder], {9: "too few arguments", 10: "stifness"}),
                (["pyright", "--pythonpath", sys.executable], {9: 'missing for parameter "j"', 10: "stifness"}),
            ):
                done = subprocess.run(
                    [sys.executable, "-m", *words, str(use)], capture_output=True, text=True, cwd=folder, check=False
                )
                found = [line for line in done.stdout.splitlines() if " error: " in line or " - error" in line]
                self.assertEqual(len(found), len(mistakes), done.stdout + done.stderr)
                for line, (number, mistake) in zip(found, mistakes.items(), strict=True):
                    self.assertIn(f"build.py:{number}:", line)
                    self.assertIn(mistake, line.lower() if mistake.islower() else line)

    def test_pyright_accepts_the_package(self):
        folder = Path(fixstep.__file__).parent
        done = subprocess.run(
            [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(folder)],
            capture_output=True,
            text=True,
            cwd=folder.parent,
            check=False,
        )
        self.assertIn("0 errors", done.stdout, done.stdout + done.stderr)

    def test_the_stubs_are_those_of_the_module(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-m", "mypy.stubtest", "fixstep._fixstep", "--ignore-missing-stub", "--ignore-disjoint-bases"],
                capture_output=True,
                text=True,
                cwd=folder,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stdout)


#: A use of the package with one mistake, in line 9.
USE = """\
import fixstep

model = fixstep.Model.load("x.json")
sim = model.simulation(parameters={"k": 1})
state: fixstep.State = sim.save()
result = model.run(stop=1, inputs={"a": lambda t: 2 * t, "b": 1.0, "c": ([0, 1], [1, 2])})
largest: float = result["x"].max()
poles = fixstep.linearize(model).poles
wrong = model.name + 1
"""

#: A model that is built, with mistakes in lines 9 and 10.
BUILD = """\
import fixstep
from fixstep.elements import Inertia, RevoluteJoint
from fixstep.units import mm

m = fixstep.ModelBuilder("x")
rod = m.part("rod", mass=2, inertia=Inertia(1, 1, 1), position=mm([1, 2, 3]))
a, b = m.pair("pin", rod, m.ground, (0, 0, 1), z_axis=(0, 1, 0))
pin: RevoluteJoint = m.revolute("pin", a, b)
m.revolute("other", a)
m.spring_damper("spring", a, b, stifness=3)
"""


if __name__ == "__main__":
    unittest.main()
