"""Misuse of the interface from Python: every mistake is an exception that can be read, and memory does not grow.

The calls are drawn with a seed: FIXSTEP_MISUSE_SEED and FIXSTEP_MISUSE_SECONDS (20) choose others.
"""

import gc
import os
import pickle
import random
import threading
import time
import unittest
import warnings
from pathlib import Path

import numpy as np
from test_models import MODELS, PENDULUM

import fixstep
from fixstep import elements

SEED = int(os.environ.get("FIXSTEP_MISUSE_SEED", "1"))
SECONDS = float(os.environ.get("FIXSTEP_MISUSE_SECONDS", "20"))

#: What a caller may get: our exceptions, and those of Python for wrong types and names.
EXPECTED = (fixstep.Error, TypeError, ValueError, KeyError, OverflowError, IndexError, AttributeError, OSError)


class Drawn:
    """Values that a careless program may give."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self):
        return self.random.choice(
            [0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, float("nan"), float("inf"), -float("inf"), 5e-324, 2**53, 0.3]
        )

    def name(self):
        known = ["torque", "friction", "angle", "speed", "time", "solver.fixit", "solver.integrator", "solver.step"]
        wrong = ["", " ", "torqe", "torque ", "TORQUE", "a" * 10_000, "\0", "π", "angle[1]", "angle[-1]", "..", "\ud800"]
        return self.random.choice(known * 2 + wrong)

    def array(self):
        shape = self.random.choice([(), (0,), (1,), (2,), (3,), (1, 1), (2, 2), (0, 3), (1, 2, 3), (1000,)])
        kind = self.random.choice([float, np.float32, int, complex, bool, object, "U3"])
        try:
            found = np.zeros(shape, kind)
        except ValueError:
            return np.zeros(1)
        if kind is float and found.size:
            found.flat[0] = self.number()
        if self.random.random() < 0.2 and found.ndim:
            found = found[::-1]
        if self.random.random() < 0.1:
            found.flags.writeable = False
        return found

    def anything(self):
        return self.random.choice(
            [
                lambda: None,
                self.number,
                self.name,
                self.array,
                lambda: self.random.choice([-1, 0, 1, 2, 2**31, 2**63, 2**64, -(2**70)]),
                lambda: [self.name(), self.name()],
                lambda: [self.number(), self.number()],
                lambda: {"torque": self.number()},
                lambda: {self.name(): self.anything()},
                lambda: (self.array(), self.array()),
                lambda: b"bytes",
                lambda: object(),
                lambda: (lambda t: self.number()),
                lambda: True,
                lambda: Path("nowhere"),
                lambda: [[1], [1, 2]],
            ]
        )()


class Misuse(unittest.TestCase):
    def setUp(self):
        self.model = fixstep.Model.from_dict(PENDULUM)

    def calls(self, drawn, sim, state, handle):
        """One call with values that were drawn."""
        any_, name = drawn.anything, drawn.name
        steps = drawn.random.choice([0, 1, 2, 3, -1, 2**64, 1.5, None, "x"])
        model = self.model
        return drawn.random.choice(
            [
                lambda: sim[name()],
                lambda: sim.__setitem__(name(), any_()),
                lambda: sim.step(steps),
                lambda: sim.get(any_()),
                lambda: sim.get([name(), name()], any_()),
                lambda: sim.get(handle, any_()),
                lambda: sim.set(handle, any_()),
                lambda: sim.set([name()], any_()),
                lambda: sim.handle(any_(), name()),
                lambda: sim.restore(any_()),
                lambda: sim.restore(state),
                lambda: sim.save(),
                lambda: sim.reset(),
                lambda: sim.copy().close(),
                lambda: sim.jacobian(any_(), any_()),
                lambda: sim.discrete(any_(), any_()),
                lambda: setattr(sim, "step_size", any_()),
                lambda: fixstep.Rollout(sim, any_(), names=[name()]),
                lambda: fixstep.Rollout(sim, np.zeros(3)).pullback(any_()),
                lambda: model.simulation(step=any_(), start=any_(), parameters={name(): any_()}),
                lambda: model.run(stop=0.01, step=drawn.random.choice([0.001, 0.0, -1, "x", None]), inputs=any_()),
                lambda: model.run(stop=0.005, parameters={name(): any_()}, record=any_()),
                lambda: model.run(stop=0.005, solver={name().removeprefix("solver."): any_()}),
                lambda: fixstep.Model.from_dict(PENDULUM | {drawn.random.choice(list(PENDULUM)): any_()}),
                lambda: fixstep.Model.from_text(str(any_())),
                lambda: fixstep.Model.load(any_()),
                lambda: fixstep.check(any_()),
                lambda: fixstep.State(any_(), any_(), any_(), any_(), any_()),
                lambda: sim.restore(fixstep.State(bytes(drawn.random.randrange(200)), 0.0, 1, 0.001, True)),
                lambda: self.broken_state(drawn, sim, state),
                lambda: self.build(drawn).check(),
                lambda: fixstep.ModelBuilder.from_dict(PENDULUM | {drawn.random.choice(list(PENDULUM)): any_()}).check(),
                lambda: self.moved(drawn),
            ]
        )

    def broken_state(self, drawn, sim, state):
        """A pickle with a byte that was changed, or cut off."""
        make, (data, *rest) = state.__reduce__()[:2]
        data = bytearray(data)
        if drawn.random.random() < 0.3:
            del data[drawn.random.randrange(len(data)) :]
        else:
            data[drawn.random.randrange(len(data))] ^= 1 << drawn.random.randrange(8)
        sim.restore(make(bytes(data), *rest))
        sim.step()

    def build(self, drawn):
        """Elements with fields that were drawn."""
        made = fixstep.ModelBuilder(drawn.name(), gravity=drawn.anything())
        for _ in range(drawn.random.randrange(4)):
            cls = getattr(elements, drawn.random.choice(elements.__all__))
            if isinstance(cls, type) and getattr(cls, "_LIST", None):
                values = {field: drawn.anything() for field in cls._FIELDS if drawn.random.random() < 0.5 or not hasattr(cls, field)}
                made.add(cls(**values))
        return made

    def moved(self, drawn):
        """Copies and mirror images of elements that were drawn."""
        made = fixstep.ModelBuilder.from_dict(PENDULUM)
        chosen = drawn.random.sample(list(made.elements), drawn.random.randrange(4))
        if drawn.random.random() < 0.5:
            made.mirror(chosen, (drawn.name(), "other"), plane=drawn.random.choice(["xz", "yz", "xy", "yx"]))
        else:
            made.copy(chosen, lambda name: f"{name}2", position=drawn.anything(), orientation=drawn.anything())
        made["rod"].marker(drawn.name(), drawn.anything(), z_axis=drawn.anything(), in_ground=drawn.random.random() < 0.5)
        made.check()

    def test_calls_that_were_drawn(self):
        drawn = Drawn(SEED)
        end = time.monotonic() + SECONDS
        count = failed = 0
        sim = self.model.simulation()
        handle = sim.handle("torque")
        sim.step()
        state = sim.save()
        while time.monotonic() < end and count < 200_000:
            count += 1
            call = self.calls(drawn, sim, state, handle)
            failed += fails(self, call)
            if count % 500 == 0 or sim.closed:
                sim = self.model.simulation()
                handle = sim.handle("torque")
                sim.step()
                state = sim.save()
        self.assertGreater(count, 2000)
        self.assertGreater(failed, count // 10)
        # After all this, a simulation does what it always does.
        fresh, again = self.model.simulation(), fixstep.Model.from_dict(PENDULUM).simulation()
        fresh.step(100), again.step(100)
        self.assertEqual(fresh["angle"], again["angle"])
        print(f"ok {count} calls, {failed} exceptions, seed {SEED}")

    def test_a_mistake_names_the_entity(self):
        sim = self.model.simulation()
        for call, words in (
            (lambda: sim["torqe"], 'torqe.*torque'),
            (lambda: sim.__setitem__("torque", float("nan")), "torque"),
            (lambda: sim.__setitem__("torque", [1, 2]), "torque"),
            (lambda: sim.__setitem__("torque", "x"), "torque"),
            (lambda: sim.set(["torque", "friction"], [1.0]), "2|two"),
            (lambda: sim.get(["angle", "speed"], np.zeros(3)), "3|2"),
            (lambda: self.model.run(stop=0.01, inputs={"torqe": 1}), "torqe.*torque"),
            (lambda: self.model.run(stop=0.01, parameters={"frction": 1}), "frction.*friction"),
        ):
            with self.assertRaisesRegex((fixstep.Error, ValueError, TypeError, KeyError), words):
                call()

    def test_a_closed_simulation(self):
        sim = self.model.simulation()
        handle, state = sim.handle("torque"), sim.save()
        sim.close()
        sim.close()
        for call in (
            lambda: sim.step(), lambda: sim["angle"], lambda: sim.__setitem__("torque", 1), lambda: sim.save(),
            lambda: sim.restore(state), lambda: sim.reset(), lambda: sim.copy(), lambda: sim.get("angle"),
            lambda: sim.set(handle, [1.0]), lambda: sim.jacobian("angle", "torque"), lambda: sim.discrete(),
            lambda: fixstep.Rollout(sim, np.zeros(3)), lambda: sim.start(),
        ):
            with self.assertRaises(fixstep.ClosedError):
                call()

    def test_threads_at_one_simulation(self):
        sim = self.model.simulation()
        done, refused, other = [], [], []
        barrier = threading.Barrier(4)

        def work():
            barrier.wait()
            for _ in range(200):
                try:
                    sim.step(20)
                    done.append(1)
                except fixstep.ClosedError:
                    refused.append(1)
                except BaseException as error:
                    other.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(other, [])
        self.assertEqual(len(done) + len(refused), 800)
        self.assertAlmostEqual(sim.time, len(done) * 20 * sim.step_size, 9)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_a_fork_has_its_own(self):
        sim = self.model.simulation()
        sim.step(10)
        before = sim["angle"]
        child = os.fork()
        if child == 0:
            try:
                sim.step(10)
                again = self.model.simulation()
                again.step(20)
                os._exit(0 if again["angle"] == sim["angle"] else 1)
            except BaseException:
                os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(sim["angle"], before)
        sim.step(10)

    def test_pickles(self):
        sim = self.model.simulation()
        with self.assertRaisesRegex(fixstep.Error, "cannot be pickled"):
            pickle.dumps(sim)
        state = sim.save()
        self.assertEqual(pickle.loads(pickle.dumps(state)), state)
        other = fixstep.Model.load(MODELS / "heavy_top/model.json").simulation()
        with self.assertRaises(fixstep.Error):
            other.restore(state)

    @unittest.skipUnless(Path("/proc/self/statm").exists(), "no /proc here")
    def test_memory_stays(self):
        """Simulations, states, models and faults come and go: after a first round the resident set stays, within a megabyte."""
        # FIXSTEP_MISUSE_ROUNDS=100000 is the long form.
        rounds = int(os.environ.get("FIXSTEP_MISUSE_ROUNDS", "4000"))
        model = self.model
        broken = PENDULUM | {"joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "bse"}]}

        def once(k):
            sim = model.simulation(parameters={"friction": 0.2})
            sim.step(2)
            state = sim.save()
            sim.restore(state)
            sim.copy().close()
            sim.get(sim.handle("angle", "speed"))
            try:
                sim["nothing"]
            except fixstep.Error:
                pass
            if k % 20 == 0:
                with fixstep.Batch(model, 3, threads=2) as batch:
                    batch.restore(state)
                    batch.rollout(steps=3)
                    batch.reset()
                sim.discrete()
                fixstep.Model.from_dict(PENDULUM)
                try:
                    fixstep.Model.from_dict(broken)
                except fixstep.ModelError:
                    pass

        for k in range(rounds // 4):
            once(k)
        gc.collect()
        before = _resident()
        for k in range(rounds):
            once(k)
        gc.collect()
        grown = _resident() - before
        self.assertLess(grown, 1_000_000, f"{grown} bytes more after {rounds} rounds")
        print(f"ok memory grew by {grown / 1024:.0f} KiB over {rounds} rounds")


def fails(test, call):
    """Does a call end with an exception that can be read?"""
    try:
        # A warning of NumPy about what we do with a value is a mistake of ours.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call()
    except EXPECTED as error:
        # A message for people: not empty, no panic, not a page.
        text = str(error)
        test.assertTrue(text, repr(error))
        test.assertNotIn("panicked", text)
        test.assertLess(len(text), 200_000)
        return True
    return False


def _resident():
    """The resident set [bytes]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    unittest.main()
