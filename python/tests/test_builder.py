"""Models that are built in Python: the vocabulary is that of the schema, documents come back as they were, problems name lines."""

import importlib.util
import json
import pickle
import unittest
from pathlib import Path

import numpy as np

import fixstep
from fixstep import elements as e
from fixstep.elements._methods import Methods
from fixstep.units import Unit, deg, kg, m, mm, rad, s, N

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"


def generator():
    """The program that writes the classes."""
    place = ROOT / "python/elements.py"
    spec = importlib.util.spec_from_file_location("written_elements", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plate(name="plate"):
    """A model with one part."""
    model = fixstep.ModelBuilder(name, gravity=[0, 0, "-9.81 m/s2"])
    model.part("rod", mass=2, center_of_mass=[0.5, 0, 0], inertia=e.Inertia(0.01, 0.2, 0.2))
    return model


class Vocabulary(unittest.TestCase):
    def test_the_classes_are_those_of_the_schema(self):
        made = generator()
        schema = made.Schema(fixstep.schema())
        for name, text in made.files(schema).items():
            there = (ROOT / "python/fixstep/elements" / name).read_text(encoding="utf-8")
            self.assertEqual(there, text, f"elements/{name} is not what the schema says: run python3 python/elements.py")
            self.assertLess(text.count("\n"), 500, name)
        units = (ROOT / "python/fixstep/units.py").read_text(encoding="utf-8")
        self.assertEqual(units.partition(made.MARK)[2], made.units(schema))

    def test_every_kind_of_entity_has_a_method(self):
        methods = {name: made for name, made in vars(Methods).items() if name[0] != "_"}
        kinds = {made._make for made in methods.values()}
        entities = {cls for of in set(e.LISTS.values()) for cls in e.Part._CLASSES[of]}
        self.assertEqual(kinds, entities)
        lists = {made._list or made._make._LIST for made in methods.values()}
        self.assertEqual(lists, set(e.LISTS))

    def test_the_fields_are_those_of_the_schema(self):
        schema = fixstep.schema()["$defs"]
        count = 0
        for of, classes in e.Part._CLASSES.items():
            for cls in classes:
                own = schema[of]
                if cls._TYPE is not None:
                    own = next(one for one in own["oneOf"] if one["properties"]["type"]["const"] == cls._TYPE)
                    self.assertEqual(own["title"], cls.__name__)
                fields = set(own["properties"]) - ({"type"} if cls._TYPE else set())
                self.assertEqual({field.removesuffix("_") for field in cls._FIELDS}, fields, cls)
                required = {field for field in cls._FIELDS if not hasattr(cls, field)}
                self.assertEqual(required, set(own.get("required", [])) - {"type"}, cls)
                count += 1
        self.assertGreater(count, 130)

    def test_what_a_class_lacks_is_an_error_at_once(self):
        model = plate()
        with self.assertRaisesRegex(TypeError, "stifness"):
            model.spring_damper("spring", "a", "b", stifness=3)
        with self.assertRaisesRegex(TypeError, "'j'"):
            model.revolute("pin", "a")


class Documents(unittest.TestCase):
    def test_every_example_comes_back(self):
        paths = sorted(MODELS.glob("*/*.json"))
        self.assertGreater(len(paths), 30)
        tokens = 0
        for path in paths:
            text = path.read_text(encoding="utf-8")
            if '"fixstep"' not in text or '"parts"' not in text:
                continue
            with self.subTest(path.parent.name + "/" + path.name):
                built = fixstep.ModelBuilder.load(path)
                for of, entities in built.lists.items():
                    for one in entities:
                        self.assertIsInstance(one, (e.Part._CLASSES[e.LISTS[of]][0].__mro__[-2], str), one)
                try:
                    document = json.loads(text)
                except json.JSONDecodeError:
                    document = None
                if document is not None:
                    # Order and all: what is written is what was read.
                    self.assertEqual(json.dumps(built.to_dict()), json.dumps(document))
                try:
                    model = fixstep.Model.load(path)
                except fixstep.ModelError:
                    continue
                self.assertEqual(built.build().token, model.token)
                tokens += 1
        self.assertGreater(tokens, 25)

    def test_comments_are_left_out(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "m.json")
            path.write_text('{\n  // a comment\n  "name": "x", "fixstep": 1, "zeta": 1, "parts": [{"name": "a", "mass": 1e-3,}],\n}\n')
            built = fixstep.ModelBuilder.load(path)
            self.assertEqual(built.to_dict(), {"name": "x", "fixstep": 1, "zeta": 1, "parts": [{"name": "a", "mass": 0.001}]})
            built.save(path)
            self.assertEqual(fixstep.ModelBuilder.load(path).to_dict(), built.to_dict())
            path.write_text("{,}")
            with self.assertRaises(fixstep.ModelError):
                fixstep.ModelBuilder.load(path)
            path.write_text("[]")
            with self.assertRaisesRegex(fixstep.ModelError, "expected an object"):
                fixstep.ModelBuilder.load(path)

    def test_arrays_of_numpy_and_entities_are_taken(self):
        model = plate()
        rod = model["rod"]
        rod.position = np.array([0.0, 1.0, 2.0])
        tip = rod.marker("tip", np.array([1, 0, 0]))
        model.output("x", f"DX({tip})", unit="m")
        built = model.build()
        self.assertEqual(built.to_dict()["parts"][0]["position"], [0.0, 1.0, 2.0])
        self.assertEqual(built.to_dict()["markers"][0]["part"], "rod")
        self.assertEqual(built.simulation()["x"], 1.0)


class Problems(unittest.TestCase):
    def test_they_name_the_line_of_python(self):
        model = plate()
        model.marker("pin", "rod")
        line = _line()
        model.revolute("hinge", "pin", "pots")
        (problem,) = model.check()
        self.assertEqual((problem.file, problem.line), (__file__, line + 1))
        self.assertEqual((problem.path, problem.name), ("joints[0].j", "hinge"))
        with self.assertRaises(fixstep.ModelError) as found:
            model.build()
        self.assertIn(f"{__file__}:{line + 1}: ", str(found.exception))
        self.assertEqual(found.exception.problems[0].line, line + 1)

    def test_the_innermost_object_counts(self):
        model = fixstep.ModelBuilder("ball")
        line = _line()
        ball = e.SolidSphere(-1, density=7850)
        model.part("ball", solids=[e.SolidSphere(1, density=1), ball])
        (problem,) = model.check()
        self.assertEqual((problem.path, problem.line), ("parts[0].solids[1].radius", line + 1))
        self.assertIn('parts[0] "ball"', problem.message)

    def test_what_no_element_made_is_of_the_model(self):
        line = _line()
        model = fixstep.ModelBuilder("x", gravity=[0, 0])
        (problem,) = model.check()
        self.assertEqual((problem.path, problem.line), ("gravity", line + 1))

    def test_warnings_have_lines_too(self):
        model = plate()
        line = _line()
        model.torque("kick", model["rod"].marker("tip"), "ground", expression="IF(TIME - 1: 0, 0, 1)")
        found = [one for one in model.check() if one.rule == "if-in-force"]
        self.assertEqual([(one.severity, one.name, one.line) for one in found], [("warning", "kick", line + 1)])
        self.assertEqual([one.line for one in model.check(strict=True) if one.rule == "if-in-force"], [line + 1])
        # The model that was built knows them too, whatever becomes of the builder; a copy by pickle knows its text alone.
        built = model.build()
        model.remove(model["kick"])
        (found,) = (one for one in built.check() if one.rule == "if-in-force")
        self.assertEqual((found.file, found.line), (__file__, line + 1))
        again = pickle.loads(pickle.dumps(built))
        self.assertEqual(again.token, built.token)
        self.assertEqual([one.file for one in again.check() if one.rule == "if-in-force"], ["model"])

    def test_mistakes_with_elements(self):
        model = plate()
        with self.assertRaisesRegex(fixstep.Error, "in a model already"):
            model.add(model["rod"])
        with self.assertRaisesRegex(fixstep.Error, "no entity"):
            model.add(e.Inertia(1, 1, 1))
        with self.assertRaisesRegex(fixstep.Error, "in no model yet"):
            e.Part("free").marker("x")
        with self.assertRaisesRegex(KeyError, 'did you mean "rod"'):
            model["rad"]
        with self.assertRaisesRegex(fixstep.Error, "z_point or z_axis"):
            model.ground.marker("x", x_point=[1, 0, 0])
        rod = model["rod"]
        model.remove(rod)
        with self.assertRaisesRegex(fixstep.Error, "not in the model"):
            model.remove(rod)
        self.assertEqual(model.to_dict()["parts"], [])


class Fields(unittest.TestCase):
    def test_arrays_are_those_of_the_call(self):
        model = plate()
        place = np.zeros(3)
        parts = []
        for k in range(3):
            parts.append(model.part(f"p{k}", mass=1, inertia=e.Inertia(1, 1, 1), position=place))
            place += [1, 0, 0]
        self.assertEqual([one.position[0] for one in parts], [0, 1, 2])
        points = [[0, 0, 0], [1, 0, 0]]
        curve = e.Curve("c", points=points)
        points[1][0] = 9
        self.assertEqual(curve.points[1][0], 1)

    def test_misspelt_fields_are_errors(self):
        model = plate()
        for what, name, right in [(model["rod"], "massa", "mass"), (model, "gravty", "gravity"), (e.Experiment(), "stp", "stop")]:
            with self.assertRaisesRegex(AttributeError, f"has no field '{name}'; did you mean '{right}'"):
                setattr(what, name, 1)

    def test_what_is_no_number_is_named(self):
        model = plate()
        with self.assertRaisesRegex(fixstep.Error, 'Part "q", mass: nan is no finite number'):
            model.part("q", mass=np.nan)
        with self.assertRaisesRegex(fixstep.Error, 'Part "rod", position: .*not finite'):
            model["rod"].position = np.array([0, np.inf, 0])
        with self.assertRaisesRegex(fixstep.Error, "is a function"):
            model.torque("t", "ground", "ground", expression=lambda time: 3)

    def test_axes_stay_when_a_marker_moves(self):
        for in_ground in (False, True):
            model = plate()
            model["rod"].position = (1, 2, 3)
            pin = model["rod"].marker("pin", (1, 0, 0), z_axis=(0, 1, 0), x_axis=(1, 0, 0), in_ground=in_ground)
            pin.position = (-0.3, 0, 0)
            post = model.ground.marker("post", (0.7, 2, 3), z_axis=(0, 1, 0), x_axis=(1, 0, 0))
            model.fixed("weld", pin, post)
            model.output("tilt", f"ACOS(COS(PITCH({pin}, {post})))")
            self.assertAlmostEqual(model.simulation()["tilt"], 0, 7)
            self.assertEqual(model.check(), ())

    def test_functions_take_a_builder(self):
        model = plate()
        model.output("z", f"DZ({model['rod'].marker('a')})")
        self.assertAlmostEqual(fixstep.run(model, stop=0.1, step=0.01)["z"][-1], -0.04905, 4)
        self.assertEqual(len(fixstep.linearize(model).poles), 12)


class Units(unittest.TestCase):
    def test_they_are_texts_of_the_format(self):
        self.assertEqual(str(mm(30)), "30.0 mm")
        self.assertEqual(str(30 * mm), "30.0 mm")
        self.assertEqual(str(2 * mm(1.5) - mm(1)), "2.0 mm")
        self.assertEqual((N * m / rad).name, "N.m/rad")
        self.assertEqual((kg / m**3).name, "kg/m^3")
        self.assertEqual((N / (m / s)).name, "N.s/m")
        self.assertEqual((rad / s / s).name, "rad/s^2")
        self.assertEqual([str(one) for one in mm(np.array([1, 2]))], ["1.0 mm", "2.0 mm"])
        with self.assertRaisesRegex(TypeError, "units differ"):
            mm(1) + m(1)
        with self.assertRaisesRegex(TypeError, "give 3 a unit"):
            mm(1) + 3

    def test_the_reader_knows_them(self):
        model = fixstep.ModelBuilder("x")
        a = model.part("a", mass=Unit("lbm")(2), inertia=e.Inertia((kg * mm**2)(2e6), 3, 4), position=mm([1, 2, 3]))
        a.velocity = [(m / s)(3), (Unit("km") / Unit("h"))(36), 0]
        a.angular_velocity = [(deg / s)(180), 0, 0]
        i, j = model.pair("p", a, model.ground)
        model.spring_damper("k", a.marker("tip"), "ground", stiffness=(N / mm)(4), damping=(N * s / mm)(1), length=mm(3))
        model.torsion_spring_damper("t", i, j, stiffness=(N * m / deg)(1), damping=(N / m * m * m * s / rad)(1))
        model.output("x", f"DX({i})")
        model.output("w", f"WX({i})")
        model.output("v", f"VY({a.marker('origin')})")
        self.assertEqual([one.message for one in model.check() if one.severity == "error"], [])
        sim = model.simulation()
        self.assertAlmostEqual(sim["x"], 0.0, 12)
        self.assertAlmostEqual(sim["w"], np.pi, 12)
        self.assertAlmostEqual(sim["v"], 10.0, 9)
        found = a.mass_properties()
        self.assertAlmostEqual(found.mass, 2 * 0.45359237, 15)
        self.assertAlmostEqual(found.inertia[0, 0], 2.0, 12)


class Helpers(unittest.TestCase):
    def test_mass_follows_from_shape(self):
        model = fixstep.ModelBuilder("x", units=e.Units(length="mm"))
        bar = model.part("bar", solids=[e.SolidBox([200, 20, 10], density="7850 kg/m3", position=[100, 0, 0])])
        found = bar.mass_properties()
        mass = 7850 * 0.2 * 0.02 * 0.01
        self.assertAlmostEqual(found.mass, mass, 12)
        np.testing.assert_allclose(found.center_of_mass, [0.1, 0, 0], atol=1e-15)
        np.testing.assert_allclose(np.diag(found.inertia), mass / 12 * np.array([0.02**2 + 0.01**2, 0.2**2 + 0.01**2, 0.2**2 + 0.02**2]))
        # Products: an L of two bars, by their own integrals.
        bar.solids.append(e.SolidBox([20, 200, 10], density="7850 kg/m3", position=[0, 100, 0]))
        found = bar.mass_properties()
        center = np.array([0.05, 0.05])
        product = 2 * mass * -(0.05 * 0.05)
        np.testing.assert_allclose(found.center_of_mass[:2], center, atol=1e-15)
        self.assertAlmostEqual(found.inertia[0, 1], -product, 12)
        bar.solids[0].size = [0, 1, 1]
        with self.assertRaisesRegex(fixstep.ModelError, "size"):
            bar.mass_properties()

    def test_markers_by_points(self):
        model = plate()
        rod = model["rod"]
        marker = rod.marker("a", mm([30, 0, 0]), z_axis=[0, 1, 0], x_axis=[0, 0, 1])
        self.assertEqual(marker.name, "rod.a")
        points = marker.to_dict()["orientation"]
        self.assertEqual(points["z_point"], ["30.0 mm", "1.0 mm", "0.0 mm"])
        self.assertEqual(points["x_point"], ["30.0 mm", "0.0 mm", "1.0 mm"])
        with self.assertRaisesRegex(fixstep.Error, "one unit"):
            rod.marker("b", [mm(30), 1, 0], z_axis=[0, 1, 0])
        with self.assertRaisesRegex(fixstep.Error, "text"):
            rod.marker("b", ["=a", 1, 0], z_axis=[0, 1, 0])

    def test_a_place_in_ground_on_a_turned_body(self):
        model = fixstep.ModelBuilder("x")
        arm = model.part(
            "arm", mass=1, inertia=e.Inertia(1, 1, 1), position=[1, 2, 3], orientation=e.EulerAngles([0.3, -0.4, 0.5])
        )
        i, j = model.pair("pin", arm, model.ground, [0.1, 0.2, 0.3], z_axis=[1, 2, 2], x_axis=[0, 1, -1])
        model.revolute("pin", i, j)
        for k, measure in enumerate(("DX", "DY", "DZ")):
            model.output(f"d{k}", f"{measure}({i}, {j})")
        for k, measure in enumerate(("AX", "AY", "AZ")):
            model.output(f"a{k}", f"{measure}({i}, {j})")
        sim = model.simulation()
        for name in ("d0", "d1", "d2", "a0", "a1", "a2"):
            self.assertAlmostEqual(sim[name], 0.0, 13)
        self.assertEqual([one for one in model.check() if one.severity == "error"], [])

    def test_a_place_that_the_reader_cannot_turn(self):
        model = fixstep.ModelBuilder("x")
        model.parameter("h", 1.0, unit="m")
        arm = model.part("arm", mass=1, inertia=e.Inertia(1, 1, 1), position=["=h", 0, 0], orientation=e.EulerAngles([0.1, 0, 0]))
        line = _line()
        with self.assertRaises(fixstep.ModelError) as found:
            arm.marker("pin", [1, 0, 0], in_ground=True)
        (problem,) = found.exception.problems
        self.assertEqual((problem.file, problem.line, problem.name), (__file__, line + 2, "arm.pin"))
        self.assertNotIn("fixstep_copy", str(found.exception).replace('template "fixstep_copy"', ""))
        arm.orientation = None
        self.assertEqual(arm.marker("pin", [1, 0, 0], in_ground=True).position, ["=(1.0) - (h)", 0, 0])

    def test_mirror_images_read_what_is_outside(self):
        model = fixstep.ModelBuilder("x", units=e.Units(length="mm"))
        model.parameter("k", 5.0, unit="N/mm", min=0)
        model.parameter("y0", 300, unit="mm")
        model.input("u", unit="N")
        model.spline("law", x=[0, 1, 2, 3], y=[0, 1, 2, 5])
        base = model.part("base", mass=5, inertia=e.Inertia(1e5, 1e5, 1e5))
        arm = model.part("left.arm", mass=1, inertia=e.Inertia(1e4, 1e4, 1e4), position=[0, "=y0", 0])
        ends = [model.marker("left.a", arm), model.marker("left.b", base, position=[0, "=y0", 0])]
        joint = model.spherical("left.j", *ends)
        spring = model.torsion_spring_damper("left.f", *ends, stiffness="=2*k", damping=1)
        force = model.vector_force("left.g", "left.a", "left.b", fx="u + AKISPL(DM(left.a, left.b), 0, law)")
        made = model.mirror([arm, *ends, joint, spring, force])
        self.assertEqual(made["right.arm"].position, [0, "=-(y0)", 0])
        self.assertEqual(made["right.b"].part, "base")
        self.assertEqual(made["right.f"].stiffness, "=2*k")
        self.assertEqual(made["right.g"].fx, "u + AKISPL(DM(right.a, right.b), 0, law)")
        self.assertEqual([one for one in model.check() if one.severity == "error"], [])

    def test_what_an_element_shows(self):
        model = plate()
        marker = model["rod"].marker("a", [1, 0, 0])
        self.assertEqual(repr(marker), "Marker('rod.a', part='rod', position=[1, 0, 0])")
        self.assertEqual(repr(e.Inertia(1, 2, 3)), "Inertia(xx=1, yy=2, zz=3)")
        self.assertEqual(repr(model), "<fixstep.ModelBuilder 'plate': 1 parts, 1 markers>")

    def _leg(self):
        model = fixstep.ModelBuilder("robot")
        trunk = model.part("trunk", mass=9, inertia=e.Inertia(1, 1, 1))
        leg = model.part(
            "left_leg", mass=1, center_of_mass=[0, 0.1, -0.2], inertia=e.Inertia(0.1, 0.2, 0.3, xy=0.01), position=[0.3, 0.4, -0.5]
        )
        hip, top = model.pair("left_hip", trunk, leg, [0.3, 0.4, -0.5], z_axis=[0, 1, 0], x_axis=[1, 0, 0])
        joint = model.revolute("left_hip", top, hip, initial=e.InitialRotation(angle=0.2))
        foot = model.marker("left_foot", leg, position=[0, 0.02, -0.6])
        spring = model.spring_damper("left_spring", foot, "ground", stiffness=5)
        height = model.output("left_height", f"DZ({foot})")
        return model, [leg, hip, top, joint, foot, spring, height]

    def test_mirror_images(self):
        for plane, sign in (("xz", (1, -1, 1)), ("yz", (-1, 1, 1)), ("xy", (1, 1, -1))):
            model, left = self._leg()
            right = model.mirror(left, plane=plane)
            names = {str(one).replace("left", "right") for one in left}
            self.assertEqual(set(right), names)
            for side in ("left", "right"):
                for axis in "XYZ":
                    model.output(f"{side}_{axis}", f"D{axis}({side}_foot)")
                    model.output(f"{side}_c{axis}", f"D{axis}({'trunk.' + side}_hip)")
            self.assertEqual([one.message for one in model.check() if one.severity == "error"], [])
            sim = model.simulation()
            for axis, own in zip("XYZ", sign):
                self.assertAlmostEqual(sim[f"right_{axis}"], own * sim[f"left_{axis}"], 12, (plane, axis))
                self.assertAlmostEqual(sim[f"right_c{axis}"], own * sim[f"left_c{axis}"], 12, (plane, axis))
            # Both move as one does in the mirror.
            sim.step(20)
            for axis, own in zip("XYZ", sign):
                self.assertAlmostEqual(sim[f"right_{axis}"], own * sim[f"left_{axis}"], 9, (plane, axis))
            self.assertGreater(abs(sim["left_Z"]), 0.1)

    def test_names_that_clash_and_planes_that_are_none(self):
        model, left = self._leg()
        with self.assertRaisesRegex(fixstep.Error, "a name of the model already"):
            model.mirror(left, ("x", "y"))
        with self.assertRaisesRegex(fixstep.Error, "valid: xz, yz, xy"):
            model.mirror(left, plane="x")
        with self.assertRaisesRegex(fixstep.Error, "add it first"):
            model.mirror([e.Marker("m", "ground")])

    def test_a_chain_is_repeated(self):
        model = fixstep.ModelBuilder("chain", gravity=[0, 0, -9.81])
        link = model.part("link1", mass=1, inertia=e.Inertia(0.01, 0.1, 0.1), position=[0.5, 0, 0])
        begin = model.marker("begin1", link, position=[-0.5, 0, 0])
        end = model.marker("end1", link, position=[0.5, 0, 0])
        made = model.repeat([link, begin, end], 3, lambda name, k: name.replace("1", str(k + 1)), position=lambda k: [k, 0, 0])
        model.spherical("joint1", begin, "ground")
        for k in range(2, 5):
            model.spherical(f"joint{k}", f"begin{k}", f"end{k - 1}")
        model.output("x", "DX(end4)")
        self.assertEqual(list(made[2]), ["link4", "begin4", "end4"])
        self.assertEqual(model["link4"].made_at.file, __file__)
        sim = model.simulation()
        self.assertAlmostEqual(sim["x"], 4.0, 14)


def _line():
    """The line of the caller."""
    import sys

    return sys._getframe(1).f_lineno


if __name__ == "__main__":
    unittest.main()
