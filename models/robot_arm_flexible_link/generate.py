"""Writes the model of `models/robot_arm_flexible_link` from that of `models/robot_arm`.

Usage: python3 generate.py

Needs the program `fixstep`, named by the environment variable FIXSTEP or found on the path. Writes upper_arm.flex and
model.json beside this script.
"""

import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
NAME = '"name": "robot_arm"'
SOLVER = '  "solver": {'
# With the bending of the link in the way, the drives' damping meets less mass than in the rigid arm.
LINT = """  "lint": {
    "allow": [
      {"rule": "stiff-damping", "reason": "the controller's damping is to hold the joint against a link that bends"}
    ]
  },
"""
# What only the flexible link has.
LAST_OUTPUT = '{"name": "tool_z", "expression": "DZ(tool)", "unit": "m", "description": "Tool point"}'
OUTPUT = """,
    {
      "name": "link_bend", "expression": "1000*DX(j3, i2, i2)", "unit": "mm",
      "description": "Elbow beside the straight link, as the shoulder points"
    }"""


def main():
    """Makes the body, swaps the part, and gives the model its name."""
    program = os.environ.get("FIXSTEP", "fixstep")
    body, model = HERE / "upper_arm.flex", HERE / "model.json"
    subprocess.run([program, "flex", "beam", HERE / "upper_arm.json", "--modes", "4", "-o", body], check=True)
    rigid = HERE.parent / "robot_arm" / "model.json"
    swap = ["swap", rigid, "--part", "upper_arm", "--with", body, "-o", model]
    subprocess.run([program, "flex", *swap], check=True)
    text = model.read_text()
    for old, new in (
        (NAME, '"name": "robot_arm_flexible_link"'),
        (LAST_OUTPUT, LAST_OUTPUT + OUTPUT),
        (SOLVER, LINT + SOLVER),
    ):
        if text.count(old) != 1:
            raise SystemExit(f"{model}: {old!r} is there {text.count(old)} times, not once")
        text = text.replace(old, new)
    model.write_text(text)


if __name__ == "__main__":
    main()
