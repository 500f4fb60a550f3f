"""Models: read, checked, saved; the same bits as the command."""

import base64
import copy
import gzip
import json
import pickle
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import fixstep

MODELS = Path(__file__).resolve().parents[2] / "models"

PENDULUM = {
    "fixstep": 1,
    "name": "pendulum",
    "gravity": [0, 0, "-9.81 m/s2"],
    "inputs": [{"name": "torque", "unit": "N.m", "min": -100, "max": 100}],
    "parameters": [{"name": "friction", "start": 0.1, "unit": "N.m.s/rad", "min": 0, "tunable": True}],
    "parts": [
        {
            "name": "rod",
            "mass": 2.0,
            "center_of_mass": [0.5, 0, 0],
            "inertia": {"xx": 0.01, "yy": 0.2, "zz": 0.2},
        }
    ],
    "markers": [
        {"name": "pin", "part": "rod", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
        {"name": "base", "part": "ground", "orientation": {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}},
    ],
    "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "base"}],
    "forces": [
        {
            "name": "drive",
            "type": "torque",
            "i": "pin",
            "j": "base",
            "expression": "torque - friction*WZ(pin, base, base)",
        }
    ],
    "outputs": [
        {"name": "angle", "expression": "AZ(pin, base)", "unit": "rad", "display_unit": "deg"},
        {"name": "speed", "expression": "WZ(pin, base, base)", "unit": "rad/s"},
    ],
    "experiment": {"stop": 1, "step": 0.001},
}


#: What a page of a run shows, packed.
DATA = re.compile(r'id="data">([^<]*)<')


def unpacked(path):
    """A page of a run without what is timed: its text, and what its data say."""
    html = path.read_text(encoding="utf-8")
    data = gzip.decompress(base64.b64decode(DATA.search(html).group(1)))
    length = int.from_bytes(data[:4], "little")
    about = json.loads(data[4 : 4 + length])
    timed = {"figures", "histograms", "panels", "signals"}
    return DATA.sub("", html), {key: value for key, value in about.items() if key not in timed}


class Reading(unittest.TestCase):
    def test_a_file_is_saved_byte_for_byte(self):
        for name in ("pendulum", "controlled_pendulum", "vehicle"):
            path = MODELS / name / "model.json"
            model = fixstep.Model.load(path)
            with tempfile.TemporaryDirectory() as folder:
                model.save(Path(folder, "copy.json"))
                self.assertEqual(Path(folder, "copy.json").read_bytes(), path.read_bytes())

    def test_a_document_goes_round(self):
        model = fixstep.Model.from_dict(PENDULUM)
        self.assertEqual(model.to_dict(), PENDULUM)
        self.assertEqual(fixstep.Model.from_text(model.text).token, model.token)

    def test_arrays_of_numpy_are_values(self):
        document = copy.deepcopy(PENDULUM)
        document["parts"][0]["center_of_mass"] = np.array([0.5, 0, 0])
        document["parts"][0]["mass"] = np.float64(2.0)
        self.assertEqual(fixstep.Model.from_dict(document).token, fixstep.Model.from_dict(PENDULUM).token)

    def test_problems_are_objects(self):
        document = copy.deepcopy(PENDULUM)
        document["joints"][0]["i"] = "pim"
        document["parts"][0]["mass"] = -1
        with self.assertRaises(fixstep.ModelError) as raised:
            fixstep.Model.from_dict(document)
        problems = {problem.path: problem for problem in raised.exception.problems}
        joint = problems["joints[0].i"]
        self.assertEqual((joint.severity, joint.name), ("error", "hinge"))
        self.assertIn('"pim" does not exist', joint.message)
        self.assertIn("pin", joint.remedy)
        self.assertGreater(joint.line, 0)
        self.assertIn("parts[0].mass", problems)
        self.assertEqual(fixstep.check(document), raised.exception.problems)

    def test_a_file_has_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "bad.json")
            path.write_text('{\n "fixstep": 1,\n "name": "x",\n "gravty": [0, 0, 0]\n}')
            (problem,) = fixstep.check(path)
            self.assertEqual((problem.line, problem.column, problem.file), (4, 2, str(path)))
            self.assertIn("gravity", problem.message)

    def test_warnings_have_rules(self):
        document = copy.deepcopy(PENDULUM)
        document["experiment"] = {"stop": 1, "step": 0.1}
        document["forces"].append(
            {
                "name": "stiff",
                "type": "torsion_spring_damper",
                "i": "pin",
                "j": "base",
                "stiffness": 1e6,
                "damping": 0,
            }
        )
        warnings = fixstep.Model.from_dict(document).check()
        self.assertTrue(warnings)
        self.assertTrue(all(own.severity == "warning" and own.rule for own in warnings), warnings)

    def test_variables(self):
        model = fixstep.Model.from_dict(PENDULUM)
        torque = model.inputs["torque"]
        self.assertEqual((torque.unit, torque.min, torque.max, torque.start), ("N.m", -100, 100, 0))
        self.assertEqual(list(model.outputs), ["angle", "speed"])
        self.assertEqual(model.parameters["friction"].variability, "tunable")
        self.assertEqual(model.experiment, fixstep.Experiment(0, 1, 0.001))

    def test_a_remedy_is_whole(self):
        """A semicolon in what the fault quotes is none of the message."""
        with self.assertRaises(fixstep.ModelError) as caught:
            fixstep.Model.from_dict(PENDULUM | {"joints": [PENDULUM["joints"][0] | {"type": "rev; olute"}]})
        problem = caught.exception.problems[0]
        self.assertIn('"rev; olute"', problem.message)
        self.assertTrue(problem.remedy.startswith('did you mean "revolute"?; valid: "fixed"'), problem.remedy)
        self.assertTrue(problem.message.endswith(problem.remedy))

    def test_a_result_can_be_pickled(self):
        result = fixstep.Model.from_dict(PENDULUM).run(stop=0.05, inputs={"torque": 2})
        for again in (pickle.loads(pickle.dumps(result)), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(result))))):
            self.assertEqual(again.names, result.names)
            for name in ("time", *result.names):
                np.testing.assert_array_equal(again[name], result[name])
            self.assertEqual((again.name, again.rows, again.units, again.messages), (result.name, result.rows, result.units, result.messages))
            with tempfile.TemporaryDirectory() as folder:
                one, other = Path(folder, "one.csv"), Path(folder, "other.csv")
                result.to_csv(one), again.to_csv(other)
                self.assertEqual(one.read_bytes(), other.read_bytes())
                again.report(Path(folder, "again.html"))

    def test_a_model_can_be_pickled(self):
        model = fixstep.Model.load(MODELS / "pendulum/model.json")
        self.assertEqual(pickle.loads(pickle.dumps(model)).token, model.token)

    def test_no_file_is_an_error(self):
        with self.assertRaisesRegex(fixstep.Error, "nowhere.json: No such file"):
            fixstep.Model.load("nowhere.json")

    def test_the_schema_is_there(self):
        self.assertIn("joints", fixstep.schema()["properties"])


class Running(unittest.TestCase):
    def command(self, *words):
        done = subprocess.run(
            [sys.executable, "-m", "fixstep", *map(str, words)], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_bits_are_those_of_the_command(self):
        for name in ("pendulum", "quarter_car", "flexible_slider_crank", "cam_follower"):
            path = MODELS / name / "model.json"
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                ours, theirs = Path(folder, "a.csv"), Path(folder, "b.csv")
                fixstep.run(path, stop=0.2).to_csv(ours)
                self.command("run", path, "--stop", 0.2, "-o", theirs, "--no-trial")
                self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_inputs_parameters_and_solver(self):
        path = MODELS / "pendulum/model.json"
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs, table = Path(folder, "a.csv"), Path(folder, "b.csv"), Path(folder, "in.csv")
            table.write_text("time,torque\n0,0\n0.5,2.5\n1,-1\n")
            result = fixstep.run(
                path,
                stop=1,
                step=0.01,
                inputs={"torque": ([0, 0.5, 1], [0, 2.5, -1])},
                parameters={"pin_damping": 0.3},
                solver={"integrator": "GSTIFF"},
            )
            result.to_csv(ours)
            words = ["--input", table, "--set", "pin_damping=0.3", "--integrator", "GSTIFF", "--no-trial"]
            self.command("run", path, "--stop", 1, "--step", 0.01, *words, "-o", theirs)
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())
            again = fixstep.run(
                path,
                stop=1,
                step=0.01,
                inputs=table,
                parameters={"pin_damping": 0.3},
                solver={"integrator": "GSTIFF"},
            )
            np.testing.assert_array_equal(again["angle"], result["angle"])

    def test_functions_of_time_are_sampled_at_steps(self):
        path = MODELS / "pendulum/model.json"
        by_function = fixstep.run(path, stop=0.1, step=0.01, inputs={"torque": np.sin})
        grid = np.arange(11) * 0.01
        by_table = fixstep.run(path, stop=0.1, step=0.01, inputs={"torque": (grid, np.sin(grid))})
        np.testing.assert_array_equal(by_function["angle"], by_table["angle"])
        self.assertFalse(np.array_equal(by_function["angle"], fixstep.run(path, stop=0.1, step=0.01)["angle"]))

    def test_columns(self):
        result = fixstep.run(MODELS / "pendulum/model.json", stop=0.1, record=["rti.*", "solver.fixit"])
        self.assertEqual(result.units["angle"], "rad")
        self.assertEqual(len(result.time), result.rows)
        self.assertIn("solver.fixit", result)
        self.assertEqual(result.to_array("angle", "rate").shape, (result.rows, 2))
        with self.assertRaises(ValueError):
            result["angle"][0] = 1.0
        with self.assertRaisesRegex(KeyError, "no column 'angel'; it has time, angle"):
            result["angel"]

    def test_mistakes_are_named(self):
        model = fixstep.Model.load(MODELS / "pendulum/model.json")
        for wrong, text in (
            ({"stop": -1}, "stop"),
            ({"parameters": {"damping": 1}}, "unknown variable \"damping\""),
            ({"inputs": {"torqe": 1}}, "did you mean \"torque\""),
            ({"inputs": {"torque": "a lot"}}, "input 'torque': 'a lot'"),
            ({"inputs": {"torque": ([0, 1], [1])}}, "2 times and 1 values"),
            ({"solver": {"integrator": "RK4"}}, "RK4"),
            ({"record": "nothing"}, "nothing"),
        ):
            with self.subTest(wrong), self.assertRaisesRegex(fixstep.Error, text):
                model.run(**wrong)

    def test_runs_in_threads(self):
        """Runs hold no lock of Python, and do not disturb each other."""
        model = fixstep.Model.load(MODELS / "quarter_car/model.json")
        with ThreadPoolExecutor(4) as pool:
            results = list(pool.map(lambda k: model.run(stop=1, parameters={"sprung_mass": 300 + k % 2}), range(8)))
        for k, result in enumerate(results):
            np.testing.assert_array_equal(result["body_height"], results[k % 2]["body_height"])
        self.assertFalse(np.array_equal(results[0]["body_height"], results[1]["body_height"]))

    def test_a_failed_run_has_its_rows(self):
        document = copy.deepcopy(PENDULUM)
        document["forces"][0]["expression"] = "IF(TIME - 0.5: 0, 0, 1/(TIME - TIME))"
        with self.assertRaises(fixstep.RunError) as raised:
            fixstep.Model.from_dict(document).run()
        result = raised.exception.result
        self.assertAlmostEqual(result.time[-1], 0.5, delta=2e-3)
        self.assertIn("part \"rod\" is no longer a finite number", str(raised.exception))

    def test_the_page_is_that_of_the_command(self):
        path = MODELS / "pendulum/model.json"
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = Path(folder, "a.html"), Path(folder, "b.html")
            result = fixstep.run(path, stop=0.2, step=0.01)
            result.report(ours)
            self.command("run", path, "--stop", 0.2, "--step", 0.01, "--report", theirs)
            (text, about), (other, its) = map(unpacked, (ours, theirs))
            self.assertTrue(text == other, "the pages differ in more than their data")
            self.assertEqual(about, its)
            self.assertEqual((about["title"], len(about["bodies"])), ("pendulum", 2))
            page = result.animate()
            self.assertIn("<iframe srcdoc=", page._repr_html_())
            self.assertIn("pendulum", page.html)

    def test_a_model_without_a_file_has_a_page(self):
        settings = {"fixit": 5, "hratio": 2, "input_course": "linear", "lock_memory": False}
        result = fixstep.Model.from_dict(PENDULUM).run(stop=0.05, inputs={"torque": 1.5}, solver=settings)
        html = result.animate().html
        self.assertIn("<title>pendulum</title>", html)
        # What the page shows is packed in it.
        self.assertIn(b"torque", gzip.decompress(base64.b64decode(DATA.search(html).group(1))))

    def test_the_command_says_its_version(self):
        self.assertIn(fixstep.__version__, self.command("--version"))

    def test_import_is_quick(self):
        code = (
            "import numpy, time; begun = time.perf_counter(); import fixstep; "
            "print(time.perf_counter() - begun)"
        )
        measure = [sys.executable, "-c", code]
        times = [float(subprocess.run(measure, capture_output=True, check=True).stdout) for _ in range(5)]
        self.assertLess(min(times), 0.03)


if __name__ == "__main__":
    unittest.main()
