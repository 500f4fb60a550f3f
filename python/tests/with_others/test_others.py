"""What the package does with pandas, matplotlib, xarray and pyarrow; and its types."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import matplotlib
import numpy as np

import fixstep

QUARTER = Path(__file__).resolve().parents[3] / "models/quarter_car/model.json"

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

    def test_analyses_are_drawn(self):
        form = fixstep.linearize(QUARTER, static=True)
        drawn = form.plot().axes[0].lines[-1]
        np.testing.assert_allclose(drawn.get_xdata(), form.poles.real / (2 * np.pi), rtol=1e-15)
        np.testing.assert_allclose(drawn.get_ydata(), form.poles.imag / (2 * np.pi), rtol=1e-15)
        modes = fixstep.modes(QUARTER, static=True)
        panel = modes.plot().axes[0]
        np.testing.assert_allclose(panel.lines[-1].get_ydata(), modes.eigenvalues.imag / (2 * np.pi), rtol=1e-15)
        self.assertIn(f"1: {modes[0].frequency_hz:.3g} Hz", panel.texts[0].get_text())
        response = fixstep.response(QUARTER, static=True, from_=0.5, to=20, points=30, by=["road"])
        name = response.outputs[0]
        upper, lower = response.plot(name).axes
        np.testing.assert_array_equal(upper.lines[0].get_ydata(), np.abs(response[name]))
        phase = np.exp(1j * np.radians(lower.lines[0].get_ydata()))
        np.testing.assert_allclose(phase, response[name] / np.abs(response[name]), atol=1e-12)
        with self.assertRaisesRegex(fixstep.Error, "no response of 'x'"):
            response.plot("x")
        with self.assertRaisesRegex(fixstep.Error, "axes: 1 for magnitude and phase; valid: 2"):
            response.plot(axes=upper)
        advice = fixstep.advise(QUARTER.parents[1] / "pendulum/model.json", accuracy=1, stop=1, reference_time=2)
        (panel,) = advice.plot().axes
        every, best, choice, wanted = panel.lines
        points = set(zip(every.get_xdata(), every.get_ydata()))
        measured = [row["found"]["measured"] for row in advice.rows if "measured" in row["found"]]
        self.assertEqual(points, {(row["rti"], 100 * row["error"]) for row in measured if row["error"] > 0})
        self.assertGreater(len(points), 50)
        self.assertLessEqual(set(zip(best.get_xdata(), best.get_ydata())), points)
        self.assertEqual(choice.get_ydata()[0], 100 * advice.choice.measured)
        self.assertEqual(wanted.get_ydata()[0], 1.0)

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
