"""Simulations: steps, states, copies, threads, processes."""

import os
import pickle
import subprocess
import sys
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from test_models import MODELS, PENDULUM

import fixstep


def refused_during(long, other):
    """What is said to another call while a thread makes a long one."""
    begun, refused = threading.Event(), []

    def run():
        begun.set()
        long()

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait()
    while thread.is_alive():
        try:
            other()
        except fixstep.ClosedError as error:
            refused.append(str(error))
        time.sleep(0.001)
    thread.join()
    return refused


def pendulum(**more):
    return fixstep.Model.from_dict(PENDULUM).simulation(**more)


class Stepping(unittest.TestCase):
    def test_steps_are_those_of_a_run(self):
        for name in ("pendulum", "quarter_car", "controlled_pendulum", "flexible_slider_crank"):
            model = fixstep.Model.load(MODELS / name / "model.json")
            result = model.run(stop=50 * model.experiment.step)
            with self.subTest(name), model.simulation() as sim:
                names = [own for own in result.names if own in model.outputs]
                sim.start()
                rows = [sim.get(names)]
                for _ in range(50):
                    sim.step()
                    rows.append(sim.get(names))
                np.testing.assert_array_equal(np.array(rows), result.to_array(*names))
                self.assertEqual(sim.time, result.time[-1])

    def test_values_of_all_types(self):
        sim = pendulum(parameters={"solver.integrator": "GSTIFF", "solver.fixit": 4, "friction": 0.5})
        self.assertEqual((sim["solver.integrator"], sim["solver.fixit"], sim["friction"]), ("GSTIFF", 4, 0.5))
        sim["solver.integrator"] = "HHT"
        sim["torque"] = 3
        self.assertEqual(sim["torque"], 3.0)
        self.assertIs(type(sim["rti.include_first_step"]), bool)
        sim["solver.pattern"] = "T:F"
        self.assertEqual(sim["solver.pattern"], "T:F")
        sim.step()
        with self.assertRaisesRegex(fixstep.Error, "solver.fixit"):
            sim["solver.fixit"] = 5
        with self.assertRaisesRegex(fixstep.Error, "speed"):
            sim["speed"] = 1.0
        sim.step()

    def test_a_wrong_value_spoils_nothing(self):
        sim, other = pendulum(), pendulum()
        sim.step(3), other.step(3)
        for name, value in (
            ("torque", float("nan")),
            ("torque", "x"),
            ("torque", None),
            ("torque", [1, 2]),
            ("friction", -1.0),
            ("nothing", 1.0),
            ("angle", 1.0),
        ):
            with self.subTest(name=name, value=value), self.assertRaises(fixstep.Error):
                sim[name] = value
        sim.step(3), other.step(3)
        self.assertEqual(sim["angle"], other["angle"])

    def test_handles_fill_arrays(self):
        sim = pendulum()
        handle = sim.handle("angle", "speed")
        sim.step(10)
        out = np.empty(2)
        self.assertIs(sim.get(handle, out), out)
        self.assertEqual(out.tolist(), [sim["angle"], sim["speed"]])
        sim.set("torque", 2.0)
        self.assertEqual(sim["torque"], 2.0)
        sim.get(handle, np.zeros((4, 2))[1])
        for wrong in (np.empty(3), np.empty(2, np.float32), np.empty(2, int), np.empty(2, ">f8"), [0.0, 0.0]):
            with self.subTest(wrong), self.assertRaisesRegex(fixstep.Error, "an array of 2 numbers"):
                sim.get(handle, wrong)
        frozen = np.empty(2)
        frozen.flags.writeable = False
        with self.assertRaises((fixstep.Error, BufferError)):
            sim.get(handle, frozen)
        with self.assertRaisesRegex(fixstep.Error, "solver.fixit"):
            sim.handle("solver.fixit")
        stranger = fixstep.Model.load(MODELS / "pendulum/model.json").simulation()
        with self.assertRaisesRegex(fixstep.Error, "another model"):
            stranger.get(handle)
        self.assertEqual(pendulum().get(handle).shape, (2,))

    def test_states_come_back(self):
        sim = pendulum()
        sim["torque"] = 1.0
        sim.step(20)
        state = sim.save()
        sim.step(30)
        there = sim["angle"]
        for again in (state, pickle.loads(pickle.dumps(state))):
            sim.restore(again)
            self.assertEqual((sim.time, again.time), (0.02, 0.02))
            sim.step(30)
            self.assertEqual(sim["angle"], there)
        other = pendulum()
        other.restore(state)
        other.step(30)
        self.assertEqual(other["angle"], there)
        self.assertEqual(state, pickle.loads(pickle.dumps(state)))
        stranger = fixstep.Model.load(MODELS / "pendulum/model.json").simulation()
        with self.assertRaises(fixstep.Error):
            stranger.restore(state)
        broken = fixstep.State(b"nonsense", 0.0, 0, 0.001, True)
        with self.assertRaisesRegex(fixstep.Error, "refused"):
            sim.restore(broken)
        sim.step()

    def test_copies_go_their_own_way(self):
        sim = pendulum()
        sim.step(10)
        twin = sim.copy()
        self.assertIs(type(twin), fixstep.Simulation)
        twin["torque"] = 5.0
        sim.step(10), twin.step(10)
        self.assertNotEqual(sim["angle"], twin["angle"])
        sim.close()
        twin.step()
        # A copy before the start is still before the start.
        early = pendulum().copy()
        self.assertFalse(early.started)
        early["solver.fixit"] = 5
        early.step()

    def test_reset_is_a_new_beginning(self):
        sim = pendulum(parameters={"friction": 0.7})
        sim.step(10)
        first = sim["angle"]
        sim["friction"] = 0.1
        sim.step(100)
        sim.reset()
        self.assertEqual((sim.time, sim["friction"]), (0.0, 0.7))
        sim.step(10)
        self.assertEqual(sim["angle"], first)

    def test_the_step_may_change(self):
        sim = pendulum()
        sim.step(10)
        sim.step_size = 0.002
        sim.step(5)
        self.assertAlmostEqual(sim.time, 0.02, delta=1e-15)
        for wrong in (0.0, -1.0, float("nan"), float("inf")):
            with self.assertRaises(fixstep.Error):
                sim.step_size = wrong
        with self.assertRaises(fixstep.Error):
            pendulum(step=-1.0)

    def test_a_sensor_ends_a_run(self):
        document = dict(PENDULUM)
        document["sensors"] = [
            {
                "name": "low",
                "expression": "AZ(pin, base)",
                "comparison": "ge",
                "value": 0.3,
                "stop": True,
                "message": "low enough",
            }
        ]
        sim = fixstep.Model.from_dict(document).simulation()
        count = 0
        while sim.step():
            count += 1
            self.assertLess(count, 5000)
        self.assertIn("low", sim.ended)
        with self.assertRaisesRegex(fixstep.StepError, "the run is over"):
            sim.step()
        # A state of a run that has ended says so, wherever it is restored.
        state = pickle.loads(pickle.dumps(sim.save()))
        self.assertEqual(state.ended, sim.ended)
        sim.reset()
        sim.restore(state)
        self.assertEqual(sim.ended, state.ended)
        with self.assertRaisesRegex(fixstep.StepError, "the run is over: .*low enough"):
            sim.step()
        sim.reset()
        self.assertIsNone(sim.ended)
        self.assertTrue(sim.step())

    def test_a_step_that_fails_says_why(self):
        document = dict(PENDULUM)
        document["forces"] = [
            {**PENDULUM["forces"][0], "expression": "IF(TIME - 0.01: 0, 0, 1/(TIME - TIME))"}
        ]
        sim = fixstep.Model.from_dict(document).simulation()
        state = sim.save()
        with self.assertRaisesRegex(fixstep.StepError, "part \"rod\" is no longer a finite number"):
            sim.step(100)
        with self.assertRaisesRegex(fixstep.StepError, "over"):
            sim.step()
        with self.assertRaisesRegex(fixstep.StepError, "the run is over: .*; valid: reset\\(\\)"):
            sim["torque"] = 1.0
        sim.restore(state)
        self.assertTrue(sim.step())
        with self.assertRaisesRegex(fixstep.Error, "step: -1 steps; valid: 0 to"):
            sim.step(-1)

    def test_the_cost_of_a_call(self):
        sim = pendulum()
        sim.step(1000)

        # The time of the processor in short pieces: other programs on the machine count little, and the smallest counts.
        def measured(task):
            begun = time.process_time()
            task()
            return time.process_time() - begun

        count = 2000

        def singly():
            for _ in range(count):
                sim.step()

        pairs = [(measured(singly), measured(lambda: sim.step(count))) for _ in range(70)]
        cost = (min(one for one, _ in pairs) - min(many for _, many in pairs)) / count
        print(f"a call of step() costs {1e6 * cost:.2f} us")
        self.assertLess(cost, 0.3e-6)


class Threads(unittest.TestCase):
    def test_a_closed_simulation_refuses(self):
        sim = pendulum()
        state = sim.save()
        handle = sim.handle("angle")
        sim.close()
        sim.close()
        self.assertTrue(sim.closed)
        for call in (
            sim.step,
            sim.save,
            sim.reset,
            sim.copy,
            lambda: sim["angle"],
            lambda: sim.get(handle),
            lambda: sim.restore(state),
            lambda: sim.time,
            lambda: sim.jacobian("angle", "torque"),
            sim.discrete,
        ):
            with self.assertRaises(fixstep.ClosedError):
                call()
        self.assertIn("closed", repr(sim))

    def test_one_thread_at_a_time(self):
        sim = pendulum()
        sim.step()
        refused = refused_during(lambda: sim.step(400_000), lambda: sim["angle"])
        # Python ran here while the steps were made there.
        self.assertGreater(len(refused), 5)
        self.assertIn("another thread", refused[0])
        self.assertAlmostEqual(sim.time, 400.001, delta=1e-6)

    def test_another_thread_may_go_on(self):
        sim, other = pendulum(), pendulum()
        sim.step(100)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(sim.step, 100).result()
        other.step(200)
        self.assertEqual(sim["angle"], other["angle"])

    def test_a_key_interrupts_long_calls(self):
        """In a process of its own, since the signal goes to the main thread."""
        for call in ("sim.step(100_000_000)", "model.run(stop=9000)"):
            code = (
                "import fixstep, os, signal, threading, time, sys\n"
                f"model = fixstep.Model.load({str(MODELS / 'pendulum/model.json')!r})\n"
                "sim = model.simulation()\n"
                "sim.step()\n"
                "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
                f"try: {call}\n"
                "except KeyboardInterrupt: sim.step(); print('interrupted')\n"
            )
            with self.subTest(call):
                done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.stdout.strip(), "interrupted", done.stderr)

    @unittest.skipUnless(hasattr(os, "fork"), "this system does not fork")
    def test_a_forked_process_goes_on(self):
        sim = pendulum()
        sim.step(10)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                sim.step(10)
                os.write(write, repr(sim["angle"]).encode())
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        sim.step(10)
        self.assertEqual(status, 0)
        self.assertEqual(float(os.read(read, 100)), sim["angle"])
        os.close(read), os.close(write)

    def test_a_simulation_is_not_pickled(self):
        with self.assertRaisesRegex(fixstep.Error, "pickle the model"):
            pickle.dumps(pendulum())


if __name__ == "__main__":
    unittest.main()
