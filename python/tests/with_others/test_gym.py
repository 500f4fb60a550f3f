"""Environments: Gymnasium's own checks, vector environments with the trajectories of single ones, mistakes."""

import unittest
import warnings
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import fixstep
import fixstep.gym

PENDULUM = Path(__file__).resolve().parents[3] / "models/pendulum/model.json"

#: An episode ends where the rod has fallen, after 0.5 s at the latest; it starts with some damping and torque.
TASK = {
    "actions": {"torque": (-5, 5)},
    "observations": ["angle", "rate"],
    "reward": "cos(angle) - 0.01*rate**2 - 0.001*torque**2",
    "terminated": "abs(angle) > 0.9 or rate > 30",
    "frame_skip": 10,
    "time_limit": 0.5,
    "randomize": {"pin_damping": (0.0, 2.0), "torque": lambda rng: rng.normal(0, 3)},
}


def vector(n, **more):
    return fixstep.gym.make_vector(PENDULUM, n, **(TASK | more))


class Environments(unittest.TestCase):
    def test_checks_of_gymnasium(self):
        for more in ({}, {"randomize": None}, {"normalize_actions": True}):
            env = fixstep.gym.make(PENDULUM, **(TASK | more))
            with self.subTest(more), warnings.catch_warnings():
                warnings.simplefilter("error")
                # What it recommends of spaces: bounds of observations that the model does not declare, actions of 1 at most.
                for words in (".*observation space (min|max)imum value is.*infinity.*", ".*symmetric and normalized.*"):
                    warnings.filterwarnings("ignore", words)
                check_env(env)
        # The environment of a specification is the same.
        other = gymnasium.make(env.spec)
        a, b = env.reset(seed=5)[0], other.reset(seed=5)[0]
        np.testing.assert_array_equal(a, b)

    def test_spaces_are_those_of_the_model(self):
        env = fixstep.gym.make(PENDULUM, **(TASK | {"actions": ["torque"]}))
        self.assertEqual((env.action_space.low.tolist(), env.action_space.high.tolist()), ([-100.0], [100.0]))
        self.assertEqual(env.action_space.dtype, np.float32)
        self.assertEqual(env.observation_space.shape, (2,))
        self.assertEqual(env.metadata["render_modes"], [])
        # No number of single precision is beyond a bound.
        odd = fixstep.gym.make(PENDULUM, **(TASK | {"actions": {"torque": (-0.1, 0.1)}}))
        self.assertTrue(-0.1 <= float(odd.action_space.low[0]) and float(odd.action_space.high[0]) <= 0.1)
        normal = fixstep.gym.make(PENDULUM, **(TASK | {"normalize_actions": True}))
        self.assertEqual((normal.action_space.low.tolist(), normal.action_space.high.tolist()), ([-1.0], [1.0]))
        normal.reset(seed=1)
        normal.step(np.array([0.5], np.float32))
        self.assertEqual(normal.batch["torque"].tolist(), [2.5])

    def test_an_environment_is_the_simulation(self):
        env = fixstep.gym.make(PENDULUM, **(TASK | {"randomize": None, "terminated": None}))
        sim = fixstep.Model.load(PENDULUM).simulation()
        observation, _ = env.reset()
        for k in range(50):
            torque = np.float32(4 * np.sin(0.3 * k))
            observation, reward, terminated, truncated, _ = env.step(np.array([torque]))
            sim["torque"] = float(torque)
            sim.step(10)
            np.testing.assert_array_equal(observation, sim.get(["angle", "rate"]).astype(np.float32))
            expected = np.cos(sim["angle"]) - 0.01 * sim["rate"] ** 2 - 0.001 * sim["torque"] ** 2
            self.assertAlmostEqual(reward, expected, delta=1e-15)
            self.assertEqual((terminated, truncated), (False, k == 49))
        with self.assertRaisesRegex(fixstep.Error, "no episode is under way; valid: reset"):
            env.step(np.zeros(1))

    def test_a_vector_has_the_trajectories_of_single_ones(self):
        """Beside Gymnasium's own vector of single environments: observations, rewards, ends, infos, over several episodes."""
        n, rng = 5, np.random.default_rng(3)
        actions = rng.uniform(-5, 5, (120, n, 1)).astype(np.float32)
        # A function in place of a formula gives the same.
        score = {"reward": lambda v: np.cos(v["angle"]) - 0.01 * v["rate"] ** 2 - 0.001 * v["torque"] ** 2}
        for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
            singles = SyncVectorEnv([lambda: fixstep.gym.make(PENDULUM, **TASK)] * n, autoreset_mode=mode)
            vectors = [vector(n, threads=threads, autoreset_mode=mode, **more) for threads in (1, 2, 4) for more in ({}, score)]
            for own in vectors:
                with self.subTest(mode, threads=own.batch.threads):
                    self.assertEqual(own.metadata["autoreset_mode"], mode)
                    first, infos = singles.reset(seed=11)
                    found, _ = own.reset(seed=11)
                    np.testing.assert_array_equal(found, first)
                    ends = 0
                    for row in actions:
                        expected, result = singles.step(row), own.step(row)
                        for a, b in zip(result[:4], expected[:4], strict=True):
                            np.testing.assert_array_equal(a, b)
                            self.assertEqual(a.dtype, b.dtype)
                        self.assertIn(result[0], own.observation_space)
                        done = result[2] | result[3]
                        ends += done.sum()
                        if mode == AutoresetMode.SAME_STEP and done.any():
                            for k in np.flatnonzero(done):
                                np.testing.assert_array_equal(result[4]["final_obs"][k], expected[4]["final_obs"][k])
                            np.testing.assert_array_equal(result[4]["_final_obs"], done)
                    self.assertGreater(ends, 2 * n)

    def test_episodes_that_are_begun_by_hand(self):
        env = vector(3, autoreset_mode="Disabled", time_limit=0.02, terminated=None)
        env.reset(seed=1)
        env.step(np.zeros((3, 1)))
        self.assertEqual(env.step(np.zeros((3, 1)))[3].tolist(), [True] * 3)
        with self.assertRaisesRegex(fixstep.Error, "environment 0 is over; valid: reset"):
            env.step(np.zeros((3, 1)))
        env.reset(options={"reset_mask": np.array([True, True, False])})
        with self.assertRaisesRegex(fixstep.Error, "environment 2 is over"):
            env.step(np.zeros((3, 1)))
        with self.assertRaisesRegex(fixstep.Error, "reset_mask"):
            env.reset(options={"reset_mask": [1, 0, 0]})
        env.reset(options={"reset_mask": np.array([False, False, True])})
        env.step(np.zeros((3, 1)))

    def test_failures_end_episodes_and_say_why(self):
        document = fixstep.Model.load(PENDULUM).to_dict()
        document["forces"][0]["expression"] = "torque + IF(TIME - 0.05: 0, 0, 1/(TIME - TIME))"
        own = fixstep.Model.from_dict(document)
        env = fixstep.gym.make_vector(own, 3, **(TASK | {"randomize": None, "terminated": None}))
        env.reset(seed=1)
        seen = []
        for _ in range(14):
            observations, rewards, ended, _, infos = env.step(np.zeros((3, 1)))
            self.assertTrue(np.isfinite(observations).all() and np.isfinite(rewards).all())
            if ended.any():
                seen.append(infos["failure"][0])
        self.assertEqual(len(seen), 2)
        self.assertIn('part "rod" is no longer a finite number', seen[0])

    def test_mistakes(self):
        for more, words in (
            ({"actions": ["torqe"]}, "torqe.*torque"),
            ({"actions": ["angle"]}, '"angle" is no input but an output; valid: torque'),
            ({"actions": {"torque": (1, -1)}}, "the lower one first"),
            ({"actions": []}, "actions: .*valid: names of inputs"),
            ({"observations": "angle"}, "observations: 'angle'; valid: names of outputs"),
            ({"observations": ["angel"]}, "angel.*angle"),
            ({"reward": "-angel**2"}, "angel.*angle"),
            ({"reward": "angle +"}, "reward: .*is no formula"),
            ({"reward": "open('x')"}, r'reward: "open\(\'x\'\)"'),
            ({"reward": "angle.__class__"}, "angle.__class__"),
            ({"reward": 3}, "reward: 3; valid: a formula"),
            ({"frame_skip": 0}, "frame_skip: 0; valid"),
            ({"time_limit": -1}, "time_limit: -1; valid"),
            ({"randomize": {"angle": (0, 1)}}, '"angle" is output; valid: parameters and inputs'),
            ({"randomize": {"pin_damping": 3}}, "pin_damping.*two numbers"),
            ({"autoreset_mode": "never"}, "autoreset_mode: 'never'; valid: 'NextStep'"),
            ({"threads": 0}, "threads: 0"),
        ):
            with self.subTest(more), self.assertRaisesRegex(fixstep.Error, words):
                vector(2, **more)
        unbounded = fixstep.Model.load(PENDULUM).to_dict()
        del unbounded["inputs"][0]["min"]
        with self.assertRaisesRegex(fixstep.Error, 'input "torque" has no bounds; valid: min and max'):
            fixstep.gym.make(fixstep.Model.from_dict(unbounded), **(TASK | {"actions": ["torque"]}))
        env = vector(2)
        with self.assertRaisesRegex(fixstep.Error, "no episode is under way"):
            env.step(np.zeros((2, 1)))
        env.reset(seed=[3, None])
        for actions, words in ((np.zeros((3, 1)), r"shape \(3, 1\); valid: \(2, 1\)"), ([[0], [np.nan]], r"nan at \[1, 0\]")):
            with self.assertRaisesRegex(fixstep.Error, words):
                env.step(actions)
        bad = vector(2, reward=lambda values: np.zeros(3))
        bad.reset(seed=1)
        with self.assertRaisesRegex(fixstep.Error, r"reward: \(3,\) values; valid: one for each of 2"):
            bad.step(np.zeros((2, 1)))
        bad = vector(2, reward="log(angle - 9)")
        bad.reset(seed=1)
        with np.errstate(all="ignore"), self.assertRaisesRegex(fixstep.Error, "reward: nan in instance 0"):
            bad.step(np.zeros((2, 1)))
        env.close()
        with self.assertRaises(fixstep.ClosedError):
            env.step(np.zeros((2, 1)))


if __name__ == "__main__":
    unittest.main()
