"""Mistakes are told in words of Python: the entity, the field, what would be valid."""

import tempfile
import unittest
from pathlib import Path

from test_models import PENDULUM
from test_study import described

import fixstep
from fixstep._errors import in_python
from fixstep._model import remedy_of
from fixstep.elements import Inertia

NAN = float("nan")


def built():
    """A pendulum that hangs on ground: the builder, its part and the two markers of its joint."""
    b = fixstep.ModelBuilder("m", gravity=(0, 0, -9.81))
    p = b.part("p", mass=1, center_of_mass=(1, 0, 0), inertia={"xx": 1, "yy": 1, "zz": 1})
    h, g = b.pair("h", p, b.ground, z_axis=(0, 1, 0), x_axis=(1, 0, 0))
    b.revolute("r", h, g)
    return b, p, h, g


class Told(unittest.TestCase):
    def said(self, call, of=fixstep.Error):
        with self.assertRaises(of) as caught:
            call()
        return str(caught.exception)

    def test_fields_of_elements(self):
        b, p, _, _ = built()
        self.assertIn("did you mean 'mass'", self.said(lambda: b.part("q", mas=1), TypeError))
        self.assertIn('Part "q", inertia.xx: nan', self.said(lambda: b.part("q", mass=1, inertia={"xx": NAN, "yy": 1, "zz": 1})))
        self.assertTrue(self.said(lambda: Inertia(xx=NAN, yy=1, zz=1)).startswith("Inertia, xx: nan"))
        for value in (10**400, 1j, set(), b"1"):
            self.assertTrue(self.said(lambda value=value: setattr(p, "mass", value)).startswith('Part "p", mass: '))
        self.assertIn("add: 3 is no element", self.said(lambda: b.add(3)))
        self.assertIn("'ground' is no body", self.said(lambda: b.pair("z", p, "ground")))
        self.assertIn("repeat, count: -1", self.said(lambda: b.repeat([p], -1, lambda name, k: f"{name}{k}")))

    def test_remedies_are_what_to_do(self):
        self.assertEqual(remedy_of("must be zero or more; found -1"), "")
        self.assertEqual(remedy_of("no axis; write \"z; y\" there; or none"), 'write "z; y" there; or none')
        self.assertEqual(remedy_of('these (a; "b)"; c): are too many; use fewer [redundant-constraint]'), "use fewer")
        self.assertEqual(remedy_of('joint "a" by 1; joint "b" by 2; check the markers'), "check the markers")
        self.assertEqual(remedy_of("no such; did you mean \"ge\"?; valid: x"), 'did you mean "ge"?; valid: x')

    def test_faults_of_the_start_have_a_name_and_a_line(self):
        b, p, h, g = built()
        made = b.torque("t", h, g, expression="1/0")
        (told,) = b.check()
        self.assertEqual((told.name, told.path, told.line), ("t", 'force "t"', made.made_at.line))
        b.remove(made)
        b.distance("d", p.marker("k", (1, 0, 0)), g, length=5)
        self.assertIn("r", [told.name for told in b.check() if told.severity == "error"])

    def test_options_are_those_of_python(self):
        model = fixstep.Model.from_dict(PENDULUM)
        self.assertIn("accuracy: '-1'", self.said(lambda: fixstep.advise(model, accuracy=-1)))
        told = self.said(lambda: fixstep.linearize(model, dampng="off"))
        self.assertEqual(told, "linearize: there is no option 'dampng'; did you mean damping?")
        self.assertNotIn("--", self.said(lambda: fixstep.linearize(model, damping="maybe")))
        self.assertIn("to_fmu, fmi: 4", self.said(lambda: model.to_fmu("x.fmu", fmi=4)))
        self.assertIn("platforms: none", self.said(lambda: model.to_fmu("x.fmu", platforms=[])))
        self.assertIn("to_fmu(path)", self.said(lambda: fixstep.rti(model)))
        self.assertEqual(
            in_python('--set mp=-1: fmi2SetReal: variable 3 "mp" = -1: parts[1] "pole": too little'),
            'parameter "mp" = -1: parts[1] "pole": too little',
        )

    def test_runs_and_batches(self):
        model = fixstep.Model.from_dict(PENDULUM)
        self.assertIn("run, stop: '1 s'", self.said(lambda: model.run(stop="1 s")))
        name = next(iter(model.inputs))
        self.assertIn("gives 'a' at", self.said(lambda: model.run(stop=0.1, inputs={name: lambda time: "a"})))
        sim = model.simulation()
        self.assertTrue(name in sim and "nothing" not in sim and 3 not in sim)
        batch = fixstep.Batch(model, 3)
        names = [name, next(own for own in batch.names("parameter") if not own.startswith("solver."))]
        batch.set(names, [0.5, batch[names[1]][0]])
        self.assertEqual(batch[name].tolist(), [0.5] * 3)
        self.assertIn("(2,) for all instances", self.said(lambda: batch.set(names, [1, 2, 3])))

    def test_a_study_needs_workers(self):
        with tempfile.TemporaryDirectory() as folder:
            path = described(folder)
            self.assertIn("workers: 0", self.said(lambda: fixstep.study.run(path, Path(folder, "none"), workers=0)))


if __name__ == "__main__":
    unittest.main()
