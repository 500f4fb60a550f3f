"""Derivatives of a step and of many, against differences of whole steps."""

import unittest

import numpy as np
from test_models import MODELS

import fixstep


def model(name):
    return fixstep.Model.load(MODELS / name / "model.json")


#: A ball that falls on the floor.
BALL = {
    "fixstep": 1,
    "name": "ball",
    "gravity": [0, 0, -9.81],
    "inputs": [{"name": "push", "unit": "N"}],
    "parts": [{"name": "ball", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, 0.02]}],
    "markers": [
        {"name": "middle", "part": "ball"},
        {"name": "floor", "part": "ground"},
    ],
    "joints": [{"name": "guide", "type": "translational", "i": "middle", "j": "floor"}],
    "forces": [
        {
            "name": "floor",
            "type": "vector_force",
            "i": "middle",
            "j": "floor",
            "fz": "push + IMPACT(DZ(middle, floor), VZ(middle, floor), 0, 1e5, 1.5, 20, 1e-3)",
        }
    ],
    "outputs": [{"name": "height", "expression": "DZ(middle, floor)", "unit": "m"}],
    "solver": {"fixit": 8},
    "experiment": {"stop": 1, "step": 0.001},
}


#: A mass that leaves its spring's rest.
MASS = {
    "fixstep": 1,
    "name": "mass",
    "gravity": [0, 0, -9.81],
    "parameters": [
        {"name": "mass", "start": 2, "min": 0.1, "tunable": True},
        {"name": "stiffness", "start": 300, "tunable": True},
        {"name": "damping", "start": 4, "tunable": True},
    ],
    "parts": [{"name": "body", "mass": "=mass", "inertia": {"xx": 1, "yy": 1, "zz": 1}, "position": [0, 0, 0.05]}],
    "markers": [
        {"name": "middle", "part": "body"},
        {"name": "seat", "part": "ground"},
    ],
    "joints": [{"name": "guide", "type": "translational", "i": "middle", "j": "seat"}],
    "forces": [
        {
            "name": "spring",
            "type": "vector_force",
            "i": "middle",
            "j": "seat",
            "fz": "-stiffness*DZ(middle, seat) - damping*VZ(middle, seat)*(1 + VZ(middle, seat)**2)",
        }
    ],
    "outputs": [
        {"name": "height", "expression": "DZ(middle, seat)", "unit": "m"},
        {"name": "speed", "expression": "VZ(middle, seat)", "unit": "m/s"},
    ],
    "solver": {"fixit": 8},
    "experiment": {"stop": 1, "step": 0.002},
}


class OfAStep(unittest.TestCase):
    def test_the_jacobian_is_that_of_differences(self):
        for name in ("pendulum", "quarter_car", "controlled_pendulum"):
            sim = model(name).simulation(parameters={"solver.fixit": 8})
            sim.step(20)
            before = sim.save()
            inputs, outputs = sim.names("input"), sim.names("output")
            sim.step()
            exact = sim.jacobian(outputs, inputs)
            found = np.empty_like(exact)
            for k, own in enumerate(inputs):
                ends = []
                for by in (1e-2, -1e-2):
                    sim.restore(before)
                    sim[own] = sim[own] + by
                    sim.step()
                    ends.append(sim.get(outputs))
                found[:, k] = (ends[0] - ends[1]) / 2e-2
            with self.subTest(name):
                size = np.abs(exact).max(axis=1, keepdims=True) + 1e-12
                # Accelerations of the instant come from repeated steps, which differences of other sizes meet to 3e-4.
                near = 3e-4 if name == "quarter_car" else 2e-5
                np.testing.assert_allclose(found / size, exact / size, atol=near)

    def test_parameters_have_derivatives(self):
        sim = model("pendulum").simulation(parameters={"solver.fixit": 8})
        sim.step(100)
        before = sim.save()
        sim.step()
        (exact,) = sim.jacobian("rate", "pin_damping").ravel()
        ends = []
        for by in (1e-3, 0.0):
            sim.restore(before)
            sim["pin_damping"] = by
            sim.step()
            ends.append(sim["rate"])
        self.assertAlmostEqual((ends[0] - ends[1]) / 1e-3, exact, delta=1e-4 * abs(exact))

    def test_the_matrices_are_those_of_differences(self):
        """Two steps: what the first changes in the second goes through A."""
        for name in ("pendulum", "quarter_car", "controlled_pendulum"):
            sim = model(name).simulation(parameters={"solver.fixit": 8})
            sim.step(20)
            before = sim.save()
            first = sim.discrete()
            sim.step()
            second = sim.discrete(first.outputs)
            through = second.C @ first.B
            found = np.empty_like(through)
            for k, own in enumerate(first.inputs):
                ends = []
                for by in (1e-3, -1e-3):
                    sim.restore(before)
                    sim[own] = sim[own] + by
                    sim.step()
                    sim[own] = sim[own] - by
                    sim.step()
                    ends.append(sim.get(first.outputs))
                found[:, k] = (ends[0] - ends[1]) / 2e-3
            with self.subTest(name):
                size = np.abs(through).max(axis=1, keepdims=True) + 1e-9
                np.testing.assert_allclose(found / size, through / size, atol=1e-4)

    def test_the_simulation_stays(self):
        sim, other = (model("pendulum").simulation() for _ in range(2))
        sim.step(5), other.step(5)
        sim.discrete()
        sim.step(5), other.step(5)
        self.assertEqual((sim["angle"], sim.time), (other["angle"], other.time))

    def test_fewer_states_tell_the_same(self):
        sim = model("pendulum").simulation(parameters={"solver.integrator": "GSTIFF", "solver.fixit": 8})
        sim.step(50)
        full = sim.discrete(["angle", "rate"])
        small = full.reduced()
        self.assertLess(len(small.states), len(full.states))
        self.assertLessEqual(len(small.states), 4)
        whole, part = full.B, small.B
        for _ in range(6):
            np.testing.assert_allclose(small.C @ part, full.C @ whole, rtol=1e-6, atol=1e-12)
            whole, part = full.A @ whole, small.A @ part

    def test_near_rest_backward_euler_has_the_poles_of_the_linear_form(self):
        """An implicit Euler step turns a pole s into 1/(1 − h s)."""
        quarter = model("quarter_car")
        sim = quarter.simulation(parameters={"solver.integrator": "GSTIFF", "solver.fixit": 8})
        sim.step(2)
        matrices = sim.discrete(["body_height", "wheel_height"])
        found = np.linalg.eigvals(matrices.A)
        h = sim.step_size
        for pole in fixstep.linearize(quarter, static=True).poles:
            self.assertLess(np.abs(found - 1 / (1 - h * pole)).min(), 1e-6)

    def test_what_is_not_covered_is_said(self):
        for name, text in (("flexible_slider_crank", "is flexible"), ("overhead_crane", ".")):
            sim = model(name).simulation()
            sim.step(2)
            with self.subTest(name), self.assertRaisesRegex(fixstep.DerivativeError, text):
                sim.discrete()
        sim = model("pendulum").simulation(parameters={"solver.integrator": "GSTIFF", "solver.formulation": "SI2"})
        with self.assertRaisesRegex(fixstep.DerivativeError, "SI2"):
            sim.discrete()
        sim.step()
        with self.assertRaisesRegex(fixstep.DerivativeError, "solver.maxerr"):
            sim.jacobian("angle", "solver.maxerr")


class OfManySteps(unittest.TestCase):
    def differences(self, sim, state, rows, weights, outputs, by):
        def value(rows):
            sim.restore(state)
            return float((weights * fixstep.Rollout(sim, rows, outputs=outputs).outputs).sum())

        found = np.empty_like(rows)
        for place in np.ndindex(*rows.shape):
            ends = []
            for sign in (1, -1):
                moved = rows.copy()
                moved[place] += sign * by
                ends.append(value(moved))
            found[place] = (ends[0] - ends[1]) / (2 * by)
        return found

    def test_the_pullback_is_that_of_differences(self):
        for name, outputs in (
            ("pendulum", ["angle", "rate", "tip_x"]),
            ("quarter_car", ["body_height", "suspension_force"]),
            ("controlled_pendulum", None),
        ):
            sim = model(name).simulation(parameters={"solver.fixit": 8})
            sim.step(10)
            state = sim.save()
            random = np.random.default_rng(4)
            rows = np.array([[sim[own] for own in sim.names("input")]]) + 0.01 * random.normal(
                size=(17, len(sim.names("input")))
            )
            roll = fixstep.Rollout(sim, rows, outputs=outputs)
            weights = random.normal(size=roll.outputs.shape) / np.abs(roll.outputs).max(axis=0)
            gradients = roll.pullback(weights)
            found = self.differences(sim, state, rows, weights, outputs, 1e-4)
            with self.subTest(name):
                size = np.abs(gradients.inputs).max(axis=0)
                np.testing.assert_allclose(found / size, gradients.inputs / size, atol=1e-4)
                self.assertEqual(gradients.state.shape, (len(gradients.states),))
                self.assertEqual(gradients.switched, ())

    def test_gradients_by_parameters_are_those_of_differences(self):
        """Of whole runs from one state; the mass acts through the inertial forces that HHT and generalized-α carry too."""
        for source, parameters, outputs in (
            (model("pendulum"), ["pin_damping"], ["angle", "rate", "tip_x"]),
            (fixstep.Model.from_dict(MASS), ["mass", "stiffness", "damping"], None),
        ):
            for integrator in ("GSTIFF", "HHT", "GENALPHA"):
                sim = source.simulation(parameters={"solver.fixit": 8, "solver.integrator": integrator})
                if "pin_damping" in parameters:
                    sim["pin_damping"] = 0.5
                sim.step(10)
                state = sim.save()
                random = np.random.default_rng(4)
                roll = fixstep.Rollout(sim, steps=23, outputs=outputs, parameters=parameters)
                weights = random.normal(size=roll.outputs.shape) / np.abs(roll.outputs).max(axis=0)
                gradients = roll.pullback(weights)
                whole = roll.sensitivities()
                found = np.empty_like(whole)
                for k, own in enumerate(parameters):
                    ends = []
                    for sign in (1, -1):
                        sim.restore(state)
                        value = sim[own]
                        by = 1e-4 * max(1e-2, abs(value))
                        sim[own] = value + sign * by
                        ends.append(fixstep.Rollout(sim, steps=23, outputs=outputs).outputs)
                    found[:, :, k] = (ends[0] - ends[1]) / (2 * by)
                with self.subTest(source.name, integrator=integrator):
                    self.assertEqual(roll.parameters, tuple(parameters))
                    size = np.abs(whole).max(axis=0)
                    self.assertTrue((size > 0).all())
                    np.testing.assert_allclose(found / size, whole / size, atol=1e-4)
                    np.testing.assert_allclose(np.tensordot(weights, whole, 2), gradients.parameters, rtol=1e-9)
                    self.assertEqual(gradients.inputs.shape, (23, 0))

    def test_parameters_act_on_the_start_of_the_rollout(self):
        """HHT's first step reads the accelerations of the start, which depend on masses and springs."""
        parameters = {"mass": 2.2, "stiffness": 280.0, "damping": 5.0}
        source = fixstep.Model.from_dict(MASS)
        for integrator in ("GSTIFF", "HHT", "GENALPHA"):
            settings = {"solver.integrator": integrator}

            def course(moved):
                sim = source.simulation(parameters=settings | parameters | moved)
                return fixstep.Rollout(sim, steps=12, parameters=list(parameters))

            roll = course({})
            whole = roll.sensitivities()
            for k, (own, value) in enumerate(parameters.items()):
                ends = [course({own: value * (1 + by)}).outputs for by in (1e-4, -1e-4)]
                found = (ends[0] - ends[1]) / (2e-4 * value)
                size = np.abs(whole[:, :, k]).max(axis=0)
                with self.subTest(integrator, parameter=own):
                    np.testing.assert_allclose(found / size, whole[:, :, k] / size, atol=1e-5)
            gradient = roll.pullback(np.ones_like(roll.outputs)).parameters
            np.testing.assert_allclose(whole.sum(axis=(0, 1)), gradient, rtol=1e-8)

    def test_inputs_and_parameters_share_a_rollout(self):
        sim = model("pendulum").simulation(parameters={"solver.fixit": 8})
        state = sim.save()
        roll = fixstep.Rollout(sim, np.linspace(0, 2, 30), parameters="pin_damping", outputs="angle")
        both = roll.pullback(1.0)
        sim.restore(state)
        alone = fixstep.Rollout(sim, np.linspace(0, 2, 30), outputs="angle").pullback(1.0)
        np.testing.assert_allclose(both.inputs, alone.inputs, rtol=1e-12)
        self.assertEqual((both.parameters.shape, alone.parameters.shape), ((1,), (0,)))

    def test_a_rollout_refuses_what_it_cannot_follow(self):
        sim = model("pendulum").simulation()
        with self.assertRaisesRegex(fixstep.DerivativeError, 'by variable \\d+ "solver.maxerr"'):
            fixstep.Rollout(sim, steps=3, parameters="solver.maxerr")
        with self.assertRaisesRegex(fixstep.Error, "one of inputs and steps"):
            fixstep.Rollout(sim, [1.0], steps=3)
        with self.assertRaisesRegex(fixstep.Error, "one of inputs and steps"):
            fixstep.Rollout(sim)
        with self.assertRaisesRegex(fixstep.Error, "steps: 2.5 is no whole number"):
            fixstep.Rollout(sim, steps=2.5)
        shaped = BALL | {"parameters": [{"name": "lift", "start": 0.02}]}
        shaped["parts"] = [BALL["parts"][0] | {"position": [0, 0, "=lift"]}]
        sim = fixstep.Model.from_dict(shaped).simulation()
        with self.assertRaisesRegex(fixstep.DerivativeError, "which determines geometry or initial conditions"):
            fixstep.Rollout(sim, steps=3, parameters="lift")

    def test_the_rollout_is_that_of_steps(self):
        sim, other = (model("pendulum").simulation() for _ in range(2))
        rows = np.linspace(0, 2, 30)
        roll = fixstep.Rollout(sim, rows)
        for n, torque in enumerate(rows):
            other["torque"] = torque
            other.step()
            np.testing.assert_array_equal(other.get(roll.names[1]), roll.outputs[n])

    def test_a_contact_that_switches_is_told(self):
        sim = fixstep.Model.from_dict(BALL).simulation()
        rows = np.zeros((100, 1))
        state = sim.save()
        roll = fixstep.Rollout(sim, rows)
        self.assertLess(roll.outputs.min(), 0.0, "the ball touches the floor")
        weights = np.zeros_like(roll.outputs)
        weights[-1] = 1.0
        gradients = roll.pullback(weights)
        self.assertTrue(gradients.switched)
        touch = int(np.argmax(roll.outputs[:, 0] < 0))
        self.assertEqual(gradients.switched[0][0], touch)
        self.assertIn("floor", gradients.switched[0][1])
        self.assertTrue(np.isfinite(gradients.inputs).all())
        found = self.differences(sim, state, rows, weights, None, 1e-6)
        size = np.abs(gradients.inputs).max()
        np.testing.assert_allclose(found / size, gradients.inputs / size, atol=2e-3)

    def test_an_optimiser_brings_the_rod_to_its_place(self):
        """Newton's method along the gradient: the torque that leads the rod to an angle at rest."""
        sim = model("pendulum").simulation(step=0.02)
        state = sim.save()
        torque, goal = np.zeros(25), np.array([0.4, 0.0])
        for _ in range(30):
            sim.restore(state)
            roll = fixstep.Rollout(sim, torque, outputs=["angle", "rate"])
            miss = roll.outputs[-1] - goal
            if np.abs(miss).max() < 1e-9:
                break
            weights = np.zeros_like(roll.outputs)
            rows = []
            for k in range(2):
                weights[:], weights[-1, k] = 0.0, 1.0
                rows.append(roll.pullback(weights).inputs[:, 0])
            torque = torque - np.linalg.lstsq(np.array(rows), miss, rcond=None)[0]
        self.assertLess(np.abs(miss).max(), 1e-9)


class Bounds(unittest.TestCase):
    def test_an_input_beyond_its_bounds_changes_nothing(self):
        """The derivatives are those of the input as it is held: the same as differences of whole steps."""
        document = BALL | {"inputs": [{"name": "push", "unit": "N", "min": -5, "max": 5}]}
        sim = fixstep.Model.from_dict(document).simulation()
        sim.step(3)
        for push, moves in ((4.0, True), (5.0, True), (5.1, False), (-90.0, False), (0.0, True)):
            sim["push"] = push
            with self.subTest(push):
                matrices = sim.discrete(outputs=["height"], inputs=["push"])
                self.assertEqual(bool(np.any(matrices.B)), moves)
                self.assertEqual(bool(np.any(matrices.D)), moves)
                before = sim.save()
                ends = []
                for change in (-1e-3, 0.0):
                    sim.restore(before)
                    sim["push"] = push + change
                    sim.step()
                    ends.append(sim["height"])
                difference = (ends[1] - ends[0]) / 1e-3
                np.testing.assert_allclose(matrices.D[0, 0], difference, rtol=1e-5, atol=1e-15)
                self.assertEqual(bool(sim.jacobian("height", "push")[0, 0]), moves)
        roll = fixstep.Rollout(sim, [1.0, 9.0, 1.0], outputs="height")
        gradient = roll.pullback(1.0).inputs[:, 0]
        self.assertEqual([bool(x) for x in gradient], [True, False, True])


if __name__ == "__main__":
    unittest.main()
