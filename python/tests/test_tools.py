"""FMUs and analyses as functions."""

import itertools
import math
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import numpy as np
from test_models import MODELS, PENDULUM

import fixstep

QUARTER = MODELS / "quarter_car/model.json"


class Interruptions(unittest.TestCase):
    def test_a_key_ends_a_command_and_its_runs(self):
        code = (
            "import fixstep, os, signal, threading, time\n"
            "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "began = time.monotonic()\n"
            f"try: fixstep.advise({str(MODELS / 'four_bar/model.json')!r}, stop=1000)\n"
            "except KeyboardInterrupt: late = time.monotonic() - began - 1.0\n"
            "time.sleep(0.5)\n"
            "worked = time.process_time()\n"
            "time.sleep(0.5)\n"
            "print(late < 1.0, time.process_time() - worked < 0.1)\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.stdout.strip(), "True True", done.stderr)


class Fmus(unittest.TestCase):
    def test_an_fmu_gives_the_same_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            for fmi in (2, 3):
                path = fixstep.to_fmu(QUARTER, Path(folder, f"car{fmi}.fmu"), fmi=fmi)
                ours, theirs = fixstep.run(QUARTER, stop=0.5), fixstep.run(path, stop=0.5)
                for name in ours.names:
                    np.testing.assert_array_equal(ours[name], theirs[name])

    def test_it_has_the_library_of_every_platform(self):
        with tempfile.TemporaryDirectory() as folder:
            path = fixstep.Model.from_dict(PENDULUM).to_fmu(Path(folder, "p.fmu"))
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
            for platform in fixstep.platforms():
                self.assertTrue(any(name.startswith(f"binaries/{platform}/") for name in names), platform)
            by_command = Path(folder, "q.fmu")
            words = [sys.executable, "-m", "fixstep", "build", str(QUARTER), "-o", str(by_command)]
            subprocess.run(words, check=True, capture_output=True)
            with zipfile.ZipFile(by_command) as archive:
                packed = {name.split("/")[1] for name in archive.namelist() if name.startswith("binaries/")}
            self.assertEqual(packed, set(fixstep.platforms()))
            with self.assertRaisesRegex(fixstep.Error, "'riscv64-linux' is not in this package"):
                fixstep.to_fmu(QUARTER, path, platforms=["riscv64-linux"])

    def test_its_real_time_index(self):
        with tempfile.TemporaryDirectory() as folder:
            path = fixstep.to_fmu(QUARTER, Path(folder, "car.fmu"))
            found = fixstep.rti(path, duration=0.5, max_rti=0.9)
            self.assertGreater(found.free.rti.average, 0)
            self.assertLess(found.free.rti.average, 1)
            with self.assertRaisesRegex(fixstep.Error, "No such file"):
                fixstep.rti(Path(folder, "none.fmu"))
            strict = fixstep.rti(path, duration=0.2, max_rti=1e-9)
            self.assertFalse(strict.passed)
            self.assertTrue(strict.verdicts)


class Linear(unittest.TestCase):
    def test_a_pendulum_has_its_frequency(self):
        """ω² = m g l/(J + m l²) about the lowest point, by the closed form."""
        document = {**PENDULUM, "parameters": [{**PENDULUM["parameters"][0], "start": 0.0}]}
        document["parts"] = [{**PENDULUM["parts"][0], "orientation": {"x_point": [0, 0, -1], "z_point": [1, 0, 0]}}]
        model = fixstep.Model.from_dict(document)
        omega = math.sqrt(2 * 9.81 * 0.5 / (0.2 + 2 * 0.5**2))
        (mode,) = fixstep.modes(model, static=True)
        self.assertAlmostEqual(mode.frequency_hz, omega / (2 * math.pi), delta=1e-9)
        self.assertLess(abs(mode.eigenvalue - 1j * omega), 1e-7)
        form = fixstep.linearize(model, static=True)
        np.testing.assert_allclose(np.sort(form.poles.imag), [-omega, omega], atol=1e-7)

    def test_the_response_is_that_of_the_form(self):
        form = fixstep.linearize(QUARTER, static=True)
        found = fixstep.response(QUARTER, static=True, from_=0.5, to=20, points=30, by=["road"])
        self.assertEqual(found.inputs, ("road",))
        for k in range(0, len(found.frequencies), 7):
            transfer = form.transfer(found.frequencies[k])
            for row, name in enumerate(form.outputs):
                value, expected = found[name][k], transfer[row, form.inputs.index("road")]
                self.assertLess(abs(value - expected), 1e-9 * (1 + abs(expected)), name)

    def test_forms_are_chosen(self):
        form = fixstep.linearize(QUARTER, outputs=["wheel_load"], inputs_of_form=["road"], parameters={"sprung_mass": 400})
        self.assertEqual((form.outputs, form.inputs, form.C.shape), (("wheel_load",), ("road",), (1, 4)))
        self.assertAlmostEqual(form.mass[0, 0], 400)
        a, b, c, d = form
        self.assertEqual((a.shape, b.shape, c.shape, d.shape), ((4, 4), (4, 1), (1, 4), (1, 1)))
        with self.assertRaisesRegex(fixstep.Error, "wheel_lod"):
            fixstep.linearize(QUARTER, outputs=["wheel_lod"])

    def test_modes_have_shapes_and_a_page(self):
        found = fixstep.modes(QUARTER, shapes=True, page=True)
        self.assertEqual(len(found), 2)
        np.testing.assert_allclose(found.frequencies, np.abs(found.eigenvalues) / (2 * np.pi), rtol=1e-12)
        self.assertTrue(found[0].shape)
        self.assertIn("<html", found.page.html[:200])
        self.assertIn("Hz", repr(found))

    def test_notes_tell_of_the_way_to_the_state(self):
        for analysis in (fixstep.modes, fixstep.linearize):
            (note,) = analysis(QUARTER, at=0.0205).notes
            self.assertRegex(note, "^at 0.0205: the run that leads there has no communication point at that time")
        self.assertEqual(fixstep.modes(QUARTER, at=0.02).notes, ())


class Advising(unittest.TestCase):
    def test_advice_has_a_choice(self):
        found = fixstep.advise(MODELS / "pendulum/model.json", stop=1, accuracy=1.0, reference_time=5)
        self.assertTrue(found.choice.met)
        self.assertLess(found.choice.measured, 0.01)
        self.assertIn("fixit", found.settings)


class Flexible(unittest.TestCase):
    def test_a_truss_is_reduced(self):
        """All modes together have the frequencies of the truss itself: √(6 k/m) of the breathing mode among them."""
        with tempfile.TemporaryDirectory() as folder:
            path = truss(Path(folder), 1000.0, 2.0)
            body = fixstep.flex.reduce(
                path, Path(folder, "truss.flex"), interfaces={"a": "node:1", "b": "node:4"}, modes=12
            )
            self.assertAlmostEqual(body.mass, 12.0, places=9)
            self.assertTrue(body.path.is_file())
            breathing = math.sqrt(6 * 1000.0 / 2.0) / (2 * math.pi)
            found = np.array([mode.frequency for mode in body.modes])
            self.assertLess(np.abs(found - breathing).min(), 1e-6 * breathing)
            with self.assertRaisesRegex(fixstep.Error, "77"):
                fixstep.flex.reduce(path, Path(folder, "x.flex"), interfaces={"a": "node:77"})


def truss(folder, stiffness, mass):
    """The six corners of an octahedron, each joined to all others by springs, as Nastran writes matrices (DMIG)."""
    points = np.vstack([np.eye(3), -np.eye(3)]) * 0.1
    size = 3 * len(points)
    k, m = np.zeros((size, size)), np.eye(size) * mass
    for a, b in itertools.combinations(range(len(points)), 2):
        along = (points[b] - points[a]) / np.linalg.norm(points[b] - points[a])
        pair = np.concatenate([along, -along])
        places = [*range(3 * a, 3 * a + 3), *range(3 * b, 3 * b + 3)]
        k[np.ix_(places, places)] += stiffness * np.outer(pair, pair)
    lines = [f"GRID,{at + 1},,{x!r},{y!r},{z!r}" for at, (x, y, z) in enumerate(points.tolist())]
    for name, matrix in (("KGG", k.tolist()), ("MGG", m.tolist())):
        lines.append(f"DMIG,{name},0,6,2,0")
        for column in range(size):
            head = f"DMIG,{name},{column // 3 + 1},{column % 3 + 1},"
            for row in range(column, size):
                if matrix[row][column] != 0:
                    lines.append(f"{head},{row // 3 + 1},{row % 3 + 1},{matrix[row][column]!r}")
                    head = "+"
    path = folder / "truss.bdf"
    path.write_text("\n".join(lines) + "\n")
    return path


if __name__ == "__main__":
    unittest.main()
