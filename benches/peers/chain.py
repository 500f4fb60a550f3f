"""Writes the chain of `models/chain` with as many links as wanted, flat, for programs that know no templates.

Usage: python3 chain.py LINKS FILE

Only the standard library. Links of 0.1 m and 0.5 kg with a square section of 20 mm lie along x, joined by hinges whose
axes are y and z in turn, the first to ground. Every link has its origin at its centre of mass.
"""

import json
import pathlib
import sys

LENGTH, MASS, WIDTH = 0.1, 0.5, 0.02
LARGEST = 10000


def chain(links):
    """The model as lists of lines by section."""
    moment = MASS * (LENGTH**2 + WIDTH**2) / 12
    inertia = {"xx": MASS * 2 * WIDTH**2 / 12, "yy": moment, "zz": moment}
    inertia = {axis: float(f"{value:.15g}") for axis, value in inertia.items()}
    parts, markers, joints = [], [], []
    for k in range(1, links + 1):
        link, before = f"link{k}", f"link{k - 1}" if k > 1 else "ground"
        middle = float(f"{LENGTH * (k - 0.5):.15g}")
        parts.append({"name": link, "mass": MASS, "inertia": inertia, "position": [middle, 0, 0]})
        axis = {"orientation": {"euler": [0, -90, 0]}} if k % 2 else {}
        end = {"position": [LENGTH / 2, 0, 0]} if k > 1 else {}
        markers.append({"name": f"{before}.end", "part": before, **end, **axis})
        markers.append({"name": f"{link}.begin", "part": link, "position": [-LENGTH / 2, 0, 0], **axis})
        joints.append({"name": f"hinge{k}", "type": "revolute", "i": f"{link}.begin", "j": f"{before}.end"})
    markers.append({"name": "tip", "part": f"link{links}", "position": [LENGTH / 2, 0, 0]})
    return {"parts": parts, "markers": markers, "joints": joints}


def outputs():
    """Place and speed of the tip, pull at the top."""
    place = "Free end of the last link"
    return [
        {"name": "x", "expression": "DX(tip)", "unit": "m", "description": place},
        {"name": "y", "expression": "DY(tip)", "unit": "m", "description": place},
        {"name": "z", "expression": "DZ(tip)", "unit": "m", "description": place},
        {"name": "speed", "expression": "VM(tip)", "unit": "m/s", "description": place},
        {"name": "pull", "expression": "JOINT(hinge1, 0, 1)", "unit": "N", "description": "Force of the first hinge"},
    ]


def text(links):
    """The model file."""
    head = {
        "$schema": "../../docs/model.schema.json",
        "fixstep": 1,
        "name": "chain",
        "description": f"A chain of {links} links with hinges across in turn, released from the horizontal.",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "deg"},
        "gravity": [0, -3, -9.3],
    }
    tail = {
        "solver": {"integrator": "HHT", "fixit": 2},
        "experiment": {"start": 0, "stop": 3, "step": 0.001},
    }
    pairs = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for key, entries in {**chain(links), "outputs": outputs()}.items():
        lines = ",\n".join("    " + json.dumps(entry) for entry in entries)
        pairs.append(f"  {json.dumps(key)}: [\n{lines}\n  ]")
    pairs += [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in tail.items()]
    return "{\n" + ",\n".join(pairs) + "\n}\n"


def main():
    links, file = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not 1 <= links <= LARGEST:
        sys.exit(f"{links} links: from 1 to {LARGEST} are possible")
    file.write_text(text(links), encoding="utf-8")


if __name__ == "__main__":
    main()
