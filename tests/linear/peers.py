"""Eigenvalues of Fixstep beside those that MuJoCo and Exudyn find of the same mechanisms.

Called as `peers.py FIXSTEP FOLDER`: the program, and a folder to write to. Chains of hinged links, given once, become a model of each program.
MuJoCo gives the mass matrix and generalised forces, which are differenced at the equilibrium; Exudyn finds eigenvalues of its kinematic tree.
One line `ok` or `FAILED` for each pair, with how far apart they are and how long each took.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import exudyn
import exudyn.utilities as exu
import mujoco
import numpy as np
import scipy.linalg
import scipy.optimize

GRAVITY = 9.81


def link(axis, reach, mass, inertia, stiffness=0.0, damping=0.0):
    """A link with its hinge: axis, vector to the next hinge, mass in the middle, moments of inertia, and what the hinge resists with."""
    return {"axis": axis, "reach": reach, "mass": mass, "inertia": inertia, "stiffness": stiffness, "damping": damping}


CHAINS = {
    "double pendulum": [
        link([0, 1, 0], [0, 0, -0.8], 1.3, [0.07, 0.08, 0.012]),
        link([0, 1, 0], [0, 0, -0.5], 0.9, [0.02, 0.019, 0.0015]),
    ],
    "arm of four skew hinges": [
        link([0, 0, 1], [0.1, 0, 0.4], 4.0, [0.06, 0.05, 0.02], 900.0, 3.0),
        link([0, 1, 0], [0.5, 0.1, 0], 2.5, [0.01, 0.06, 0.055], 700.0, 2.0),
        link([0.6, 0, 0.8], [0.4, 0, -0.1], 1.5, [0.008, 0.03, 0.029], 250.0, 0.8),
        link([1, 0, 0], [0.2, 0.15, 0], 0.6, [0.003, 0.004, 0.006], 40.0, 0.1),
    ],
}


def cross(axis):
    """A direction that is not the axis."""
    return [1, 0, 0] if abs(axis[0]) < 0.5 else [0, 1, 0]


def marker(name, part, at, axis):
    place = [float(x) for x in at]
    z, x = ([a + float(b) for a, b in zip(place, way)] for way in (axis, cross(axis)))
    return {"name": name, "part": part, "position": place, "orientation": {"z_point": z, "x_point": x}}


def of_fixstep(program, folder, name, chain):
    """Roots by `fixstep modes --static`."""
    parts, markers, joints, forces = [], [], [], []
    hinge = np.zeros(3)
    for k, own in enumerate(chain):
        reach = np.array(own["reach"], float)
        x, y, z = own["inertia"]
        parts.append({"name": f"l{k}", "mass": own["mass"], "position": list(hinge + reach / 2), "inertia": {"xx": x, "yy": y, "zz": z}})
        before = ("ground", hinge) if k == 0 else (f"l{k - 1}", np.array(chain[k - 1]["reach"], float) / 2)
        markers += [marker(f"j{k}", *before, own["axis"]), marker(f"i{k}", f"l{k}", -reach / 2, own["axis"])]
        joints.append({"name": f"h{k}", "type": "revolute", "i": f"i{k}", "j": f"j{k}"})
        spring = {"name": f"s{k}", "type": "torsion_spring_damper", "i": f"i{k}", "j": f"j{k}"}
        forces.append(spring | {"stiffness": own["stiffness"], "damping": own["damping"]})
        hinge = hinge + reach
    model = {"fixstep": 1, "name": name, "gravity": [0, 0, -GRAVITY], "parts": parts, "markers": markers, "joints": joints, "forces": forces}
    path = folder / f"{name.replace(' ', '_')}.json"
    path.write_text(json.dumps(model))
    said = subprocess.run([program, "modes", path, "--static", "--json"], capture_output=True, text=True, check=True)
    return roots_of([complex(mode["real"], mode["imaginary"]) for mode in json.loads(said.stdout)["modes"]])


def roots_of(pairs):
    """Of pairs the upper ones, by frequency."""
    return sorted((root for root in pairs if root.imag >= 0), key=abs)


def of_matrices(mass, damping, stiffness):
    n = len(mass)
    inverse = np.linalg.inv(mass)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-inverse @ stiffness, -inverse @ damping]])
    return roots_of(scipy.linalg.eigvals(a))


def of_mujoco(chain):
    """Mass matrix, and differences of generalised forces at the equilibrium."""
    text = lambda numbers: " ".join(repr(float(x)) for x in numbers)
    inner, at = "", np.zeros(3)
    for own in chain:
        inner += f'<body pos="{text(at)}"><joint type="hinge" axis="{text(own["axis"])}" stiffness="{own["stiffness"]}" damping="{own["damping"]}"/>'
        inner += f'<inertial pos="{text(np.array(own["reach"]) / 2)}" mass="{own["mass"]}" diaginertia="{text(own["inertia"])}"/>'
        at = np.array(own["reach"], float)
    document = f'<mujoco><compiler angle="radian"/><option gravity="0 0 {-GRAVITY}"/><worldbody>{inner}{"</body>" * len(chain)}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(document)
    data, n = mujoco.MjData(model), len(chain)

    def force(q, v):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(model, data)
        return data.qfrc_bias - data.qfrc_passive

    still = np.zeros(n)
    q = scipy.optimize.fsolve(lambda q: force(q, still), still, xtol=1e-13)
    slope = lambda of, h: np.array([(of(h * e) - of(-h * e)) / (2 * h) for e in np.eye(n)]).T
    stiffness = slope(lambda d: force(q + d, still), 1e-5)
    damping = slope(lambda d: force(q, d), 1e-4)
    force(q, still)
    mass = np.zeros((n, n))
    mujoco.mj_fullM(model, mass, data.qM) if hasattr(data, "qM") else mujoco.mj_fullM(model, data, mass)
    return of_matrices(mass, damping, stiffness)


def of_exudyn(chain):
    """Eigenvalues of a kinematic tree, which knows no damping here."""
    system = exudyn.SystemContainer()
    mbs = system.AddSystem()
    n = len(chain)
    turns, places = [], []
    for k, own in enumerate(chain):
        axis = np.array(own["axis"], float)
        z = axis / np.linalg.norm(axis)
        x = np.array(cross(own["axis"]), float)
        x = x - z * (x @ z)
        x /= np.linalg.norm(x)
        turns.append(np.array([x, np.cross(z, x), z]).T)
        places.append(np.zeros(3) if k == 0 else np.array(chain[k - 1]["reach"], float))
    # Axes of each link have z along its hinge.
    relative = [turns[k] if k == 0 else turns[k - 1].T @ turns[k] for k in range(n)]
    shifts = [places[k] if k == 0 else turns[k - 1].T @ places[k] for k in range(n)]
    centres = [turns[k].T @ (np.array(own["reach"]) / 2) for k, own in enumerate(chain)]
    inertias = [turns[k].T @ np.diag(own["inertia"]) @ turns[k] for k, own in enumerate(chain)]
    node = mbs.AddNode(exu.NodeGenericODE2(referenceCoordinates=[0.0] * n, initialCoordinates=[0.0] * n, initialCoordinates_t=[0.0] * n, numberOfODE2Coordinates=n))
    mbs.AddObject(
        exu.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[exudyn.JointType.RevoluteZ] * n,
            linkParents=list(range(-1, n - 1)),
            jointTransformations=exudyn.Matrix3DList([np.array(r) for r in relative]),
            jointOffsets=exudyn.Vector3DList([np.array(s) for s in shifts]),
            linkInertiasCOM=exudyn.Matrix3DList(inertias),
            linkCOMs=exudyn.Vector3DList(centres),
            linkMasses=[own["mass"] for own in chain],
            baseOffset=[0.0, 0.0, 0.0],
            gravity=[0.0, 0.0, -GRAVITY],
            jointPControlVector=[own["stiffness"] for own in chain],
            jointDControlVector=[0.0] * n,
            jointPositionOffsetVector=[0.0] * n,
            jointVelocityOffsetVector=[0.0] * n,
        )
    )
    mbs.Assemble()
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.staticSolver.newton.relativeTolerance = 1e-12
    settings.staticSolver.verboseMode = 0
    mbs.SolveStatic(settings, updateInitialValues=True)
    values = mbs.ComputeODE2Eigenvalues(useAbsoluteValues=False)[0]
    return [complex(0.0, np.sqrt(value)) for value in sorted(values)]


def timed(of, *what):
    began = time.perf_counter()
    return of(*what), 1e3 * (time.perf_counter() - began)


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, chain in CHAINS.items():
        undamped = [own | {"damping": 0.0} for own in chain]
        for peer, of, links, bound in [("MuJoCo", of_mujoco, chain, 1e-6), ("Exudyn", of_exudyn, undamped, 1e-5)]:
            own, took = timed(of_fixstep, program, folder, name, links)
            other, took_other = timed(of, links)
            apart = max(abs(a - b) / abs(a) for a, b in zip(own, other)) if len(own) == len(other) else float("inf")
            verdict = "ok" if apart < bound else "FAILED"
            print(f"{verdict} {name}, {peer}: {len(own)} pairs, {apart:.1e} apart; {took:.0f} ms and {took_other:.0f} ms")


main()
