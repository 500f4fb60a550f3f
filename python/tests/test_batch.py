"""Batches: the bits of single simulations, failures that stay where they are, misuse."""

import os
import pickle
import subprocess
import sys
import time
import unittest

import numpy as np
from test_misuse import SECONDS, SEED, Drawn, fails
from test_models import MODELS, PENDULUM
from test_simulations import refused_during

import fixstep

#: Some instance fails at its own time, another is ended by a sensor.
FRAGILE = PENDULUM | {
    "parameters": [*PENDULUM["parameters"], {"name": "limit", "start": 10, "unit": "s"}, {"name": "low", "start": 9}],
    "forces": [{**PENDULUM["forces"][0], "expression": "torque + IF(TIME - limit: 0, 0, 1/(TIME - TIME))"}],
    "sensors": [
        {"name": "bottom", "expression": "AZ(pin, base) - low", "comparison": "ge", "value": 0, "stop": True, "message": "low enough"}
    ],
}


def model():
    return fixstep.Model.from_dict(PENDULUM)


def single(own, row, parameters=None):
    """What one simulation gives for its inputs: a row of outputs for each step."""
    sim = own.simulation(parameters=parameters)
    ins, outs = sim.handle(sim.names("input")), sim.handle(sim.names("output"))
    found = []
    for values in row:
        sim.set(ins, values)
        sim.step()
        found.append(sim.get(outs))
    return np.array(found)


class Bits(unittest.TestCase):
    def test_bits_are_those_of_single_simulations(self):
        rng = np.random.default_rng(1)
        for name, size in (
            ("pendulum", 1.0),
            ("quarter_car", 0.01),
            ("controlled_pendulum", 0.1),
            ("overhead_crane", 5.0),
            ("flexible_slider_crank", 1.0),
        ):
            own = fixstep.Model.load(MODELS / name / "model.json")
            n, steps, width = 5, 300, len(own.inputs)
            inputs = size * rng.standard_normal((steps, n, width))
            expected = np.stack([single(own, inputs[:, at]) for at in range(n)], axis=1)
            for threads in (1, 2, 4):
                with self.subTest(name, threads=threads), fixstep.Batch(own, n, threads=threads) as batch:
                    found = batch.rollout(inputs if width else None, steps=None if width else steps)
                    np.testing.assert_array_equal(found, expected)
                    np.testing.assert_array_equal(batch.get(batch.names("output")), expected[-1])
                    batch.reset()
                    rows = []
                    for row in inputs:
                        batch.set(batch.names("input"), row)
                        self.assertTrue(batch.step().all())
                        rows.append(batch.get(batch.names("output")))
                    np.testing.assert_array_equal(np.array(rows), expected)

    def test_each_instance_has_its_parameters(self):
        friction = [0.0, 0.3, 1.0]
        inputs = np.linspace(-1, 1, 200)[:, None, None] * np.ones((1, 3, 1))
        expected = [single(model(), inputs[:, at], {"friction": f, "solver.fixit": 4}) for at, f in enumerate(friction)]
        for threads in (1, 2, 4):
            batch = fixstep.Batch(model(), 3, threads=threads, parameters={"friction": friction, "solver.fixit": 4})
            for _ in range(2):
                found = batch.rollout(inputs)
                np.testing.assert_array_equal(found, np.stack(expected, axis=1))
                # A reset brings back the parameters that the batch began with.
                batch["friction"] = 5.0
                batch.reset()
                np.testing.assert_array_equal(batch["friction"], friction)

    def test_states_go_both_ways(self):
        own = model()
        batch = fixstep.Batch(own, 4, threads=2)
        batch["torque"] = [0.0, 1.0, 2.0, 3.0]
        batch.step(50)
        states = batch.save()
        self.assertEqual(len(states), 4)
        batch.step(100)
        there = batch["angle"]
        sim = own.simulation()
        for at, state in enumerate(pickle.loads(pickle.dumps(states))):
            sim.restore(state)
            sim.step(100)
            self.assertEqual(sim["angle"], there[at])
            twin = batch.simulation(at)
            self.assertEqual((twin["angle"], twin.time, twin["torque"]), (there[at], 0.15, float(at)))
        batch.restore(states)
        np.testing.assert_array_equal(batch.time, np.full(4, 0.05))
        batch.step(100)
        np.testing.assert_array_equal(batch["angle"], there)
        # One state for some of them.
        batch.restore(states[3], mask=np.array([True, False, True, False]))
        np.testing.assert_array_equal(batch.time, [0.05, 0.15, 0.05, 0.15])
        batch.step(100)
        self.assertEqual(batch["angle"][[0, 2]].tolist(), [there[3]] * 2)
        stranger = fixstep.Model.load(MODELS / "pendulum/model.json").simulation().save()
        before = batch["angle"]
        with self.assertRaisesRegex(fixstep.Error, "instance 2: .*another model"):
            batch.restore([states[0], states[1], stranger, states[3]])
        np.testing.assert_array_equal(batch["angle"], before)
        with self.assertRaisesRegex(fixstep.Error, "states: 3; valid: one for all, or one for each of 4"):
            batch.restore(states[:3])

    def test_some_are_reset(self):
        batch = fixstep.Batch(model(), 3)
        batch["torque"] = 3.0
        batch.step(100)
        first = batch["angle"][0]
        batch.reset(mask=np.array([False, True, False]))
        np.testing.assert_array_equal(batch.time, [0.1, 0.0, 0.1])
        self.assertEqual(batch["torque"].tolist(), [3.0, 0.0, 3.0])
        batch.set("torque", [7.0, 3.0, 7.0], mask=[False, True, False])
        batch.step(100)
        found = batch["angle"]
        self.assertEqual((found[1], batch["torque"].tolist()), (first, [3.0] * 3))
        self.assertEqual(found[0], found[2])

    def test_several_steps_of_a_row(self):
        batch = fixstep.Batch(model(), 3, threads=2)
        inputs = np.arange(30.0).reshape(10, 3)
        out = np.empty((10, 3, 2))
        self.assertIs(batch.rollout(inputs, ["speed", "angle"], every=7, out=out), out)
        other = fixstep.Batch(model(), 3, threads=1)
        for n, row in enumerate(inputs):
            other["torque"] = row
            other.step(7)
            np.testing.assert_array_equal(other.get(["speed", "angle"]), out[n])
        # The same for all instances; and without inputs.
        same = batch.rollout(np.ones((5, 1, 1)), "angle")
        self.assertEqual(same.shape, (5, 3, 1))
        self.assertEqual(batch["torque"].tolist(), [1.0] * 3)
        self.assertEqual(batch.rollout(steps=4, outputs="angle").shape, (4, 3, 1))
        self.assertEqual(batch["torque"].tolist(), [1.0] * 3)

    def test_values_of_all_types(self):
        batch = fixstep.Batch(fixstep.Model.load(MODELS / "overhead_crane/model.json"), 2)
        self.assertEqual(batch["gains"].shape, (2, 5))
        batch["gains"] = batch["gains"] * [[1.0], [2.0]]
        self.assertEqual(batch["gains"][:, 0].tolist(), [1500.0, 3000.0])
        batch["solver.fixit"] = [3, 5]
        self.assertEqual(batch["solver.fixit"].tolist(), [3, 5])
        batch["solver.integrator"] = "HHT"
        self.assertEqual(batch["solver.integrator"].tolist(), ["HHT", "HHT"])
        batch["limit_text"] = ["one", "two"]
        self.assertEqual(batch["limit_text"].tolist(), ["one", "two"])
        with self.assertRaisesRegex(fixstep.Error, "instance 1: .*solver.fixit"):
            batch["solver.fixit"] = [4, 0]
        self.assertEqual(batch["solver.fixit"].tolist(), [3, 5])
        batch.step()
        with self.assertRaisesRegex(fixstep.Error, "instance 0: .*solver.fixit"):
            batch["solver.fixit"] = 4


class Failures(unittest.TestCase):
    def batch(self, **more):
        limits, lows = [9.0, 0.02, 9.0, 0.05, 9.0], [9.0, 9.0, 0.01, 9.0, 9.0]
        return fixstep.Batch(fixstep.Model.from_dict(FRAGILE), 5, parameters={"limit": limits, "low": lows}, **more)

    def test_a_failure_stays_where_it_is(self):
        expected = fixstep.Model.from_dict(FRAGILE).simulation()
        expected.step(100)
        for threads in (1, 2, 4):
            batch = self.batch(errors="mask", threads=threads)
            alive = batch.step(100)
            self.assertEqual(alive.tolist(), [True, False, False, False, True])
            self.assertEqual([own.state for own in batch.status], ["running", "failed", "ended", "failed", "running"])
            self.assertIn('part "rod" is no longer a finite number', batch.status[1].reason)
            self.assertIn("bottom", batch.status[2].reason)
            self.assertEqual(batch["angle"][[0, 4]].tolist(), [expected["angle"]] * 2)
            # They stand at their last good states.
            self.assertAlmostEqual(batch.time[1], 0.02, delta=0.0011)
            self.assertAlmostEqual(batch.time[3], 0.05, delta=0.0011)
            self.assertTrue(np.isfinite(batch["angle"]).all())
            frozen = batch["angle"][1:4]
            batch["torque"] = np.arange(5.0)
            batch.step(10)
            np.testing.assert_array_equal(batch["angle"][1:4], frozen)
            self.assertEqual(batch["torque"].tolist(), [0, 0, 0, 0, 4])
            # A saved state knows it, and another brings them back.
            states = batch.save()
            self.assertIn("low enough", states[2].ended)
            batch.reset()
            self.assertTrue(batch.alive.all())
            batch.restore(states)
            self.assertEqual([own.state for own in batch.status], ["running", "failed", "ended", "failed", "running"])
            batch.restore(states[0])
            self.assertTrue(batch.step().all())

    def test_failures_as_exceptions(self):
        batch = self.batch(threads=2)
        with self.assertRaisesRegex(fixstep.BatchError, "instance 1 of 5: .*no longer a finite number.*; and 1 more") as caught:
            batch.step(100)
        self.assertEqual(list(caught.exception.failures), [1, 3])
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).failures, caught.exception.failures)
        # The others have made their steps, and go on.
        self.assertAlmostEqual(batch.time[4], 0.1, delta=1e-12)
        self.assertEqual(batch.step().tolist(), [True, False, False, False, True])
        one = fixstep.Batch(fixstep.Model.from_dict(FRAGILE), 1, parameters={"limit": [0.01]})
        with self.assertRaises(fixstep.BatchError):
            one.step(100)
        with self.assertRaisesRegex(fixstep.StepError, "all 1 instances have halted, .*reset"):
            one.step()

    def test_rollouts_end_in_no_numbers(self):
        batch = self.batch(errors="mask", threads=2)
        found = batch.rollout(np.zeros((100, 5)), "angle")[:, :, 0]
        made = np.isfinite(found).sum(axis=0)
        self.assertEqual(made[[0, 4]].tolist(), [100, 100])
        self.assertTrue(19 <= made[1] <= 20 and 49 <= made[3] <= 50, made)
        # The step in which a sensor ends the run is a whole one.
        self.assertEqual(found[made[2] - 1, 2], batch["angle"][2])
        other = self.batch(errors="mask", threads=1)
        np.testing.assert_array_equal(other.rollout(np.zeros((100, 5)), "angle")[:, :, 0], found)

    def test_a_start_that_fails(self):
        document = PENDULUM | {
            "parameters": [*PENDULUM["parameters"], {"name": "reach", "start": 1.0, "unit": "m"}],
            "markers": [
                *PENDULUM["markers"],
                {"name": "tip", "part": "rod", "position": ["=reach", 0, 0]},
                {"name": "ring", "part": "ground", "position": [1, 0, 0]},
            ],
            "joints": [*PENDULUM["joints"], {"name": "held", "type": "spherical", "i": "tip", "j": "ring"}],
        }
        own = fixstep.Model.from_dict(document)
        batch = fixstep.Batch(own, 3, parameters={"reach": [1.0, 2.0, 1.0]}, errors="mask")
        self.assertEqual(batch.start().tolist(), [True, False, True])
        self.assertTrue(batch.status[1].reason)
        self.assertEqual(np.isnan(batch["angle"]).tolist(), [False, True, False])
        batch = fixstep.Batch(own, 3, parameters={"reach": [1.0, 2.0, 1.0]})
        with self.assertRaisesRegex(fixstep.BatchError, "instance 1 of 3"):
            batch["angle"]
        self.assertEqual(batch.step().tolist(), [True, False, True])

    def test_values_are_set_in_all_or_in_none(self):
        batch = fixstep.Batch(model(), 3)
        batch.step()
        batch["friction"] = [0.1, 0.2, 0.3]
        for wrong in ([0.5, 0.5, -1.0], [float("nan"), 0.5, 0.5], [0.5, 0.5, float("inf")]):
            with self.subTest(wrong), self.assertRaisesRegex(fixstep.Error, r"instance \d: .*friction"):
                batch["friction"] = wrong
            self.assertEqual(batch["friction"].tolist(), [0.1, 0.2, 0.3])


class Misuse(unittest.TestCase):
    def test_a_mistake_names_what_is_wrong(self):
        own = model()
        batch = fixstep.Batch(own, 3)
        handle = batch.handle("torque")
        for call, words in (
            (lambda: batch["torqe"], "torqe.*torque"),
            (lambda: batch.__setitem__("torqe", 1), "torqe.*torque"),
            (lambda: batch.__setitem__("torque", [1, 2]), r"torque: shape \(2,\); valid: \(3,\)"),
            (lambda: batch.__setitem__("torque", "x"), "torque"),
            (lambda: batch.__setitem__("torque", float("nan")), "instance 0: .*torque.*NaN"),
            (lambda: batch.__setitem__("angle", 1), "angle.*never be set"),
            (lambda: batch.set(["torque", "friction"], np.zeros((2, 3))), r"shape \(2, 3\); valid: \(3, 2\)"),
            (lambda: batch.set(handle, 1.0, mask=[True]), "mask: .*each of 3 instances"),
            (lambda: batch.set(handle, 1.0, mask=[1, 0, 1]), "mask: int64"),
            (lambda: batch.get("angle", np.zeros(3)), r"out: float64 of shape \(3,\); valid: float64 of shape \(3, 1\)"),
            (lambda: batch.get("angle", np.zeros((3, 2))[:, :1]), "in the order of C"),
            (lambda: batch.rollout(np.zeros((4, 2, 1))), r"steps × 3 instances × 1 inputs \(torque\)"),
            (lambda: batch.rollout(np.full((4, 3), np.nan)), r"inputs: nan at \[0, 0\]"),
            (lambda: batch.rollout(), "neither inputs nor steps"),
            (lambda: batch.rollout(np.zeros((4, 3)), every=0), "every: 0; valid: 1 to"),
            (lambda: batch.rollout(np.zeros((4, 3)), ["anlge"]), "anlge.*angle"),
            (lambda: batch.restore(["x"]), "str at 0 is no State"),
            (lambda: batch.simulation(3), "index: 3; valid: 0 to 2"),
            (lambda: fixstep.Batch(own, 0), "n: 0; valid: 1 to 1000000"),
            (lambda: fixstep.Batch(own, 2.5), "n: 2.5 is no whole number"),
            (lambda: fixstep.Batch(own, 2, threads=0), "threads: 0; valid: 1 to"),
            (lambda: fixstep.Batch(own, 2, errors="ignore"), "errors: 'ignore'; valid: 'raise' or 'mask'"),
            (lambda: fixstep.Batch(own, 2, parameters={"friction": [1, 2, 3]}), 'parameter "friction".*each of 2'),
            (lambda: fixstep.Batch(own, 2, parameters={"friction": [1, -2]}), "instance 1: .*friction"),
            (lambda: fixstep.Batch(own, 2, parameters={"frction": 1}), "frction.*friction"),
            (lambda: fixstep.Batch(3, 2), "int is no model"),
            (lambda: fixstep.Batch("car.fmu", 2), "car.fmu: .*not of an FMU; valid: a file of the model format"),
            (lambda: fixstep.Batch(own, 2, step=-1.0), "step -1 s"),
        ):
            with self.subTest(words), self.assertRaisesRegex((fixstep.Error, ValueError, TypeError), words):
                call()
        self.assertTrue(batch.step().all())

    def calls(self, drawn, batch, state, handle):
        """One call with values that were drawn."""
        any_, name, choice = drawn.anything, drawn.name, drawn.random.choice
        masks = [None, None, [True, False, True], np.array([False] * 3), any_()]
        steps = choice([0, 1, 2, 3, -1, 2**64, 1.5, None, "x"])
        return choice(
            [
                lambda: batch[name()],
                lambda: batch.__setitem__(name(), any_()),
                lambda: batch.step(steps, choice(masks)),
                lambda: batch.get(any_()),
                lambda: batch.get([name(), name()], any_()),
                lambda: batch.set(handle, any_(), choice(masks)),
                lambda: batch.set([name()], any_()),
                lambda: batch.restore(choice([state, [state] * 3, [state] * 2, any_()]), choice(masks)),
                lambda: batch.reset(choice(masks)),
                lambda: batch.rollout(any_(), choice([None, name(), any_()]), every=choice([1, 2, 0, any_()])),
                lambda: batch.rollout(steps=choice([0, 1, 5, -1, any_()]), outputs=name(), out=choice([None, any_()])),
                lambda: batch.rollout(np.full((2, 3), drawn.number()), any_(), names=choice([None, name(), any_()])),
                lambda: batch.simulation(any_()),
                lambda: fixstep.Batch(batch.model, choice([1, 2, -1, any_()]), threads=choice([None, 1, 2, any_()])),
                lambda: fixstep.Batch(batch.model, 2, parameters={name(): any_()}, step=choice([None, 0.001, any_()])),
                lambda: fixstep.Batch(any_(), 1),
                lambda: (batch.status, batch.alive, batch.time, batch.messages, batch.save(), repr(batch)),
                lambda: batch.start(),
            ]
        )

    def test_calls_with_wrong_values(self):
        """As for simulations: exceptions that can be read, and afterwards a batch does what it always does."""
        drawn, own = Drawn(SEED), model()
        end = time.monotonic() + SECONDS / 2
        count = failed = 0
        batch = fixstep.Batch(own, 3, threads=2)
        handle, state = batch.handle("torque"), batch.save()[0]
        while time.monotonic() < end:
            count += 1
            failed += fails(self, self.calls(drawn, batch, state, handle))
        self.assertGreater(count, 500)
        self.assertGreater(failed, count // 10)
        sim = own.simulation()
        sim.step(100)
        batch.reset()
        batch.step(100)
        self.assertEqual(batch["angle"].tolist(), [sim["angle"]] * 3)
        print(f"ok {count} calls of batches, {failed} exceptions, seed {SEED}")

    def test_a_closed_batch(self):
        batch = fixstep.Batch(model(), 2)
        state, handle = batch.save(), batch.handle("torque")
        batch.close()
        batch.close()
        self.assertEqual(repr(batch), "<fixstep.Batch, closed>")
        for call in (
            batch.step, batch.start, batch.save, batch.reset, lambda: batch["angle"], lambda: batch.__setitem__("torque", 1.0),
            lambda: batch.restore(state), lambda: batch.rollout(steps=2), lambda: batch.set(handle, 1.0), lambda: batch.alive,
            lambda: batch.time, lambda: batch.status, lambda: batch.messages, lambda: batch.simulation(0),
        ):
            with self.assertRaisesRegex(fixstep.ClosedError, "fixstep.Batch"):
                call()

    def test_one_thread_at_a_time(self):
        batch = fixstep.Batch(model(), 8)
        batch.step()
        refused = refused_during(lambda: batch.step(40_000), lambda: batch["angle"])
        self.assertGreater(len(refused), 5)
        self.assertIn("another thread is using this batch", refused[0])
        self.assertAlmostEqual(batch.time[7], 40.001, delta=1e-6)

    def test_a_key_interrupts_long_calls(self):
        for call in ("batch.step(100_000_000)", "batch.rollout(steps=2_000_000, outputs='angle')"):
            code = (
                "import fixstep, os, signal, threading\n"
                f"batch = fixstep.Batch({str(MODELS / 'pendulum/model.json')!r}, 4)\n"
                "batch.step()\n"
                "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                f"try: {call}\n"
                "except KeyboardInterrupt: batch.step(); print(len(set(batch.time)), 'interrupted')\n"
            )
            with self.subTest(call):
                done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.stdout.strip(), "1 interrupted", done.stderr)

    @unittest.skipUnless(hasattr(os, "fork"), "this system does not fork")
    def test_a_forked_process_goes_on(self):
        batch = fixstep.Batch(model(), 6, threads=3)
        batch.step(1000)
        child = os.fork()
        if child == 0:
            try:
                batch.step(1000)
                again = fixstep.Batch(model(), 1)
                again.step(2000)
                os._exit(0 if (batch["angle"] == again["angle"][0]).all() else 1)
            except BaseException:
                os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        batch.step(1000)

    def test_a_batch_is_not_pickled(self):
        with self.assertRaisesRegex(fixstep.Error, "pickle the model and save"):
            pickle.dumps(fixstep.Batch(model(), 1))
        with self.assertRaises(TypeError):
            list(fixstep.Batch(model(), 1))


if __name__ == "__main__":
    unittest.main()
