"""Exudyn and MuJoCo on the problems that they can express, at fixed steps: neither has a variable step for mechanisms with loops.

Called as `bodies.py PROBLEM`; prints lines as measure.py does. Exudyn: generalized-alpha, spectral radius 0.8, one Jacobian while it converges; constraints
at position level. MuJoCo: a tree alone, since its loops are soft; Runge-Kutta of order 4.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "benches/peers"))

import mujoco  # noqa: E402

import exudyn_rigid  # noqa: E402  (chooses the fast build of Exudyn)
import exudyn as exu  # noqa: E402
import mechanism  # noqa: E402
from exudyn.utilities import RigidBodyInertia  # noqa: E402

#: Halvings of the step, from as many steps as the reference has instants.
HALVINGS = 9


def say(problem, program, step, error, seconds, steps, evaluations, jacobians):
    line = {"problem": problem, "program": program, "setting": step, "error": float(error), "seconds": seconds}
    print(json.dumps(line | {"steps": steps, "evaluations": evaluations, "jacobians": jacobians}), flush=True)


def exudyn_runs(problem, build, look, times, error):
    """Runs at steps that are halved; `look` gives what is compared, at the instants of the reference."""
    for halving in range(HALVINGS):
        each = 2**halving
        steps, end = len(times) * each, times[-1]
        mbs = build()
        seen, count = [], [0]

        def watch(system, _t):
            if count[0] % each == 0 and count[0]:
                seen.append(look(system))
            count[0] += 1
            return True

        mbs.SetPreStepUserFunction(watch)
        settings = exu.SimulationSettings()
        integration = settings.timeIntegration
        integration.endTime, integration.numberOfSteps, integration.adaptiveStep = end, steps, False
        integration.newton.useModifiedNewton = True
        integration.newton.relativeTolerance = integration.newton.absoluteTolerance = 1e-10
        integration.generalizedAlpha.spectralRadius = 0.8
        integration.generalizedAlpha.useIndex2Constraints = integration.generalizedAlpha.useNewmark = False
        settings.solution.file.write = False
        began = time.perf_counter()
        try:
            done = mbs.SolveDynamic(settings)
        except (ValueError, exu.exudynCPP.SolverError):
            done = False
        took = time.perf_counter() - began
        if not done:
            continue
        seen.append(look(mbs))
        solver = mbs.sys["dynamicSolver"]
        say(problem, "Exudyn, generalized-alpha", end / steps, error(np.array(seen)), took, steps, solver.it.newtonStepsCount, solver.it.newtonJacobiCount)


def andrews():
    plan = mechanism.read(ROOT / "models/andrews_squeezer/model.json")
    reference = np.genfromtxt(ROOT / "tests/truth/A01_andrews_squeezer/trajectory.csv", delimiter=",", names=True)
    column = lambda *names: sum(reference[name][1:] - reference[name][0] for name in names)
    turned = [column("beta"), column("beta", "Theta"), column("gamma"), column("Phi", "delta"), column("delta"), column("Omega", "epsilon"), column("epsilon")]

    def build():
        mbs, _ = exudyn_rigid.builder(plan, "rxyz", "k1_f")()
        return mbs

    def look(mbs):
        # The first body after ground is the crank.
        matrices = [np.array(mbs.GetObjectOutputBody(k, exu.OutputVariableType.RotationMatrix, [0, 0, 0])).reshape(3, 3) for k in range(1, 8)]
        return [np.arctan2(m[1, 0], m[0, 0]) for m in matrices]

    def error(seen):
        apart = seen.T - np.array(turned)
        return np.abs((apart + np.pi) % (2 * np.pi) - np.pi).max()

    exudyn_runs("andrews", build, look, reference["t"][1:], error)


def heavy_top():
    reference = np.genfromtxt(ROOT / "tests/truth/D01_heavy_top/trajectory.csv", delimiter=",", names=True)
    places = np.column_stack([reference[name][1:] for name in "xyz"])
    error = lambda seen: np.abs(np.array(seen) - places).max()
    moments, spin = np.diag([0.234375, 0.46875, 0.234375]), [0, 150, -4.61538]

    def build():
        mbs = exu.SystemContainer().AddSystem()
        ground = mbs.CreateGround()
        body = mbs.CreateRigidBody(
            referencePosition=[0, 1, 0], inertia=RigidBodyInertia(mass=15, inertiaTensor=moments, com=[0, 0, 0]), initialVelocity=[4.61538, 0, 0],
            initialAngularVelocity=spin, gravity=[0, 0, -9.81], nodeType=exu.NodeType.RotationEulerParameters,
        )
        mbs.CreateSphericalJoint(itemNumbers=[ground, body], position=[0, 0, 0], show=False)
        mbs.Assemble()
        return mbs

    look = lambda mbs: list(mbs.GetObjectOutputBody(1, exu.OutputVariableType.Position, [0, 0, 0]))
    exudyn_runs("heavy_top", build, look, reference["t"][1:], error)
    document = """<mujoco><option gravity="0 0 -9.81" integrator="RK4"/><worldbody><body><joint type="ball"/>
      <inertial pos="0 1 0" mass="15" diaginertia="0.234375 0.46875 0.234375"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(document)
    for halving in range(HALVINGS):
        each, end = 2**halving, reference["t"][-1]
        steps = len(places) * each
        model.opt.timestep = end / steps
        data = mujoco.MjData(model)
        data.qvel[:] = spin
        seen, began = [], time.perf_counter()
        for _ in places:
            mujoco.mj_step(model, data, each)
            # After a step, places are still those of its beginning.
            mujoco.mj_kinematics(model, data)
            seen.append(data.xipos[1].copy())
        took = time.perf_counter() - began
        say("heavy_top", "MuJoCo, Runge-Kutta 4", end / steps, error(seen), took, steps, 4 * steps, 0)


if __name__ == "__main__":
    {"andrews": andrews, "heavy_top": heavy_top}[sys.argv[1]]()
