"""A controller that SciPy designs on a linear form stabilises the FMU that the form was taken of.

Called as `closed_loop.py FIXSTEP LIBRARY FOLDER`: the program, the library that goes into FMUs, and a folder to write to. A rod that stands on a cart
falls; `fixstep linearize` writes A and B at the upright rest, SciPy solves the Riccati equation, and FMPy runs the nonlinear
FMU with the state feedback, as FMI 2.0 and 3.0. One line `ok` or `FAILED` for each check.
"""

import json
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import scipy.linalg
from fmpy import extract, read_model_description
from fmpy.simulation import instantiate_fmu

# Outputs that are the states, in this order: place and speed of the cart, angle and rate of the rod.
STATES = ["x", "v", "angle", "rate"]
STEP = 1e-3


def cart(angle):
    """A cart on a rail, and a rod of 0.6 m on it that leans by an angle [deg]."""
    return {
        "fixstep": 1,
        "name": "cart",
        "gravity": [0, -9.81, 0],
        "parts": [
            {"name": "cart", "mass": 0.8, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
            {"name": "rod", "mass": 0.25, "center_of_mass": [0, 0.3, 0], "inertia": {"xx": 0.0075, "yy": 1e-3, "zz": 0.0075}},
        ],
        "markers": [
            {"name": "rail", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "runner", "part": "cart", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
            {"name": "pin", "part": "cart"},
            {"name": "end", "part": "rod"},
        ],
        "joints": [
            {"name": "slide", "type": "translational", "i": "runner", "j": "rail"},
            {"name": "hinge", "type": "revolute", "i": "end", "j": "pin", "initial": {"angle": np.radians(angle)}},
        ],
        "inputs": [{"name": "push", "unit": "N"}],
        "outputs": [
            {"name": "x", "expression": "DX(pin)", "unit": "m"},
            {"name": "v", "expression": "VX(pin)", "unit": "m/s"},
            {"name": "angle", "expression": "AZ(end, pin)", "unit": "rad"},
            {"name": "rate", "expression": "WZ(end, pin)", "unit": "rad/s"},
        ],
        "forces": [
            {"name": "drive", "type": "action_only_force", "i": "pin", "j": "rail", "expression": "push - 0.4*VX(pin)"},
            {"name": "friction", "type": "torsion_spring_damper", "i": "end", "j": "pin", "damping": 0.01},
        ],
        "experiment": {"stop": 6, "step": STEP},
    }


def fixstep(program, *words):
    subprocess.run([str(program), *map(str, words)], check=True, capture_output=True, text=True, encoding="utf-8")


def gains(program, folder):
    """Gains of the linear quadratic regulator, by A, B and C of the upright cart."""
    model = folder / "upright.json"
    model.write_text(json.dumps(cart(0)), encoding="utf-8")
    fixstep(program, "linearize", model, "-o", folder / "form.npz")
    form = np.load(folder / "form.npz")
    a, b, c = form["A"], form["B"], form["C"]
    assert list(form["outputs"]) == STATES and a.shape == (4, 4), a.shape
    # C carries the form's states into the outputs, which become the states: y' = C A C^-1 y + C B u.
    a, b = c @ a @ np.linalg.inv(c), c @ b
    assert max(np.linalg.eigvals(a).real) > 1, "upright, the rod falls"
    weights = np.diag([10.0, 1.0, 50.0, 1.0])
    riccati = scipy.linalg.solve_continuous_are(a, b, weights, np.eye(1))
    k = b.T @ riccati
    assert max(np.linalg.eigvals(a - b @ k).real) < -0.5, "the loop is stable"
    return k


def run(program, library, folder, version, k):
    """The FMU from 10 degrees under u = -K y: the largest and the last angle and place."""
    model = folder / "leaning.json"
    model.write_text(json.dumps(cart(10)), encoding="utf-8")
    fmu = folder / f"leaning{version}.fmu"
    fixstep(program, "build", model, "--fmi", version, "--library", library, "-o", fmu)
    unpacked = extract(str(fmu))
    description = read_model_description(str(fmu))
    references = {each.name: each.valueReference for each in description.modelVariables}
    instance = instantiate_fmu(unpacked, description, fmi_type="CoSimulation")
    get, put = ("getReal", "setReal") if version == "2" else ("getFloat64", "setFloat64")
    if version == "2":
        instance.setupExperiment(startTime=0.0)
    instance.enterInitializationMode()
    instance.exitInitializationMode()
    outputs, push = [references[name] for name in STATES], [references["push"]]
    rows = []
    for n in range(6000):
        y = np.array(getattr(instance, get)(outputs))
        rows.append(y)
        getattr(instance, put)(push, [float(-(k @ y)[0])])
        instance.doStep(currentCommunicationPoint=n * STEP, communicationStepSize=STEP)
    instance.terminate()
    instance.freeInstance()
    return np.array(rows)


def check(program, library, folder, version):
    k = gains(program, folder)
    rows = run(program, library, folder, version, k)
    assert abs(rows[0, 2] - np.radians(10)) < 1e-9, rows[0]
    largest, last = np.abs(rows).max(axis=0), np.abs(rows[-500:]).max(axis=0)
    assert largest[2] < np.radians(15) and largest[0] < 1.0, largest
    assert last[2] < 1e-3 and last[0] < 1e-2, last
    # Without the controller it falls.
    fallen = run(program, library, folder, version, 0 * k)
    assert np.abs(fallen[:, 2]).max() > np.radians(90), np.abs(fallen[:, 2]).max()
    return f"from 10 degrees to {np.degrees(last[2]):.0e} degrees in 6 s, at most {largest[0]:.2f} m aside"


def main():
    """All checks; the exit code is 1 where one failed."""
    program, library, folder = (Path(word).resolve() for word in sys.argv[1:4])
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for version in ("2", "3"):
        title = f"a regulator by SciPy holds the rod of the FMU, FMI {version}.0"
        try:
            print(f"ok {title}: {check(program, library, folder, version)}", flush=True)
        except subprocess.CalledProcessError as error:
            failed += 1
            print(f"FAILED {title}: {error}\n{error.stderr}", flush=True)
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED {title}: {traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)


main()
