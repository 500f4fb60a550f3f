"""Writes the model of `models/flexible_beam_twins`: a blade as a flexible body, beside it as rigid segments.

Usage: python3 generate.py [SEGMENTS]    (default: 16)

Needs the program `fixstep`, named by the environment variable FIXSTEP or found on the path. Writes blade.flex and
model.json beside this script, both from beam.json.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
APART = 0.08
# in proportion to stiffness, as that of the chain: modes of the free body vibrate together in the clamped one
DAMPING = "0.01*FREQUENCY/8.354"


def fixstep(*words):
    """Runs `fixstep flex beam`."""
    program = os.environ.get("FIXSTEP", "fixstep")
    subprocess.run([program, "flex", "beam", HERE / "beam.json", *words], check=True, stdout=subprocess.DEVNULL)


def segments(count):
    """The chain as a model, on the turntable instead of ground and above the blade."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "chain.json"
        fixstep("--discrete", str(count), "--start", "flexible", "-o", file)
        chain = json.loads(file.read_text())
    for part in chain["parts"]:
        part["position"][2] = APART
    for marker in chain["markers"]:
        if marker["part"] == "ground":
            marker.update(part="turntable", position=[0, 0, APART])
    return chain


def shapes(count):
    """What the model looks like: the turntable, and the blade, and the segments in two colours in turn."""
    hub = {"type": "revolution", "points": [[0, -0.03], [0.09, -0.03], [0.09, -0.018], [0.03, -0.012], [0.03, 0.1], [0, 0.1]]}
    foot = {"type": "cone", "radius": 0.13, "top_radius": 0.07, "length": 0.06}
    size = [round(1/count, 6), 0.01, 0.03]
    return [
        {"name": "foot", "part": "ground", "shape": foot, "position": [0, 0, -0.063], "color": "#aeb6bf"},
        {"name": "hub", "part": "turntable", "shape": hub, "color": "graphite"},
        {
            "name": "blade",
            "part": "blade",
            "shape": {"type": "box", "size": [1, 0.01, 0.03]},
            "position": [0.5, 0, 0],
            "color": "#4a7fb0",
        },
        *(
            {
                "name": f"segment_{k}",
                "part": f"chain_{k}",
                "shape": {"type": "box", "size": size},
                "color": ("#c8643c", "#d99a3c")[k % 2],
            }
            for k in range(1, count + 1)
        ),
    ]


def model(count):
    """The whole model."""
    chain = segments(count)
    table = {
        "name": "turntable",
        "mass": 5,
        "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.025},
    }
    markers = [
        {"name": "spindle", "part": "turntable"},
        {"name": "clamp", "part": "turntable"},
        {"name": "blade_root", "part": "blade", "node": "root"},
        {"name": "blade_tip", "part": "blade", "node": "tip"},
    ]
    sideways = "Tip beside the clamp's axis"
    down = "Tip above the clamp"
    return {
        "$schema": "../../docs/model.schema.json",
        "fixstep": 1,
        "name": "flexible_beam_twins",
        "description": f"A blade on a turntable as a flexible body, and above it as a chain of {count} rigid segments.",
        "gravity": [0, 0, -9.81],
        "parts": [table, *chain["parts"]],
        "flexible_bodies": [{"name": "blade", "file": "blade.flex", "damping": DAMPING}],
        "markers": markers + chain["markers"],
        "joints": [
            {"name": "spindle", "type": "revolute", "i": "spindle", "j": "ground"},
            {"name": "root", "type": "fixed", "i": "blade_root", "j": "clamp"},
        ],
        "motions": [{"name": "turn", "joint": "spindle", "displacement": "STEP5(TIME, 0.1, 0, 0.6, 1.2)"}],
        "forces": chain["forces"],
        "outputs": [
            {"name": "blade_side", "expression": "DY(blade_tip, clamp, clamp)", "unit": "m", "description": sideways},
            {"name": "chain_side", "expression": "DY(chain_tip, clamp, clamp)", "unit": "m", "description": sideways},
            {"name": "blade_sag", "expression": "1000*DZ(blade_tip, clamp, clamp)", "unit": "mm", "description": down},
            {
                "name": "chain_sag",
                "expression": f"1000*(DZ(chain_tip, clamp, clamp) - {APART})",
                "unit": "mm",
                "description": down,
            },
            {
                "name": "side_apart",
                "expression": "1e6*(DY(chain_tip, clamp, clamp) - DY(blade_tip, clamp, clamp))",
                "unit": "um",
                "description": "Between the tips, sideways",
            },
            {
                "name": "sag_apart",
                "expression": f"1e6*(DZ(chain_tip, clamp, clamp) - {APART} - DZ(blade_tip, clamp, clamp))",
                "unit": "um",
                "description": "Between the tips, up and down",
            },
        ],
        "lint": {
            "allow": [
                {"rule": rule, "reason": "short segments are stiff; the implicit scheme damps what it cannot follow"}
                for rule in ["fast-vibration", "stiff-damping"]
            ]
        },
        "solver": {"integrator": "HHT", "fixit": 2},
        "experiment": {"start": 0, "stop": 2, "step": 0.001},
        "shapes": shapes(count),
    }


def main():
    """Writes both files."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    fixstep("-o", HERE / "blade.flex")
    (HERE / "model.json").write_text(json.dumps(model(count), indent=2) + "\n")


if __name__ == "__main__":
    main()
