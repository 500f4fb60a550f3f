"""Makes `arm.flex` from `arm.geo`: gmsh meshes, CalculiX writes stiffness and mass, `fixstep flex reduce` reduces.

Usage: python3 reduce.py FIXSTEP [--against FOLDER]

FIXSTEP is the program. With --against, the frequencies are compared with those of FOLDER/arm.flex. Only the standard
library; gmsh and CalculiX (ccx) must be installed (Debian: gmsh, calculix-ccx).
"""

import argparse
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Frequencies may differ by this much between versions of the programs.
TOLERANCE = 1e-3
# The bores, a little wider than they are, with their middles.
INTERFACES = {
    "pivot": "cylinder:0,0,-0.005,0,0,0.005,0.00801@0,0,0",
    "pin": "cylinder:0.5,0,-0.005,0.5,0,0.005,0.00801@0.5,0,0",
}
# Where stress is told: on the side of the bar, 50 mm from the pivot.
STRESS = "side=closest:0.05,0.006,0"


def run(folder, *words):
    """Runs a program; what it said is shown when it fails."""
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def reduce(program, folder):
    """Writes `arm.flex` and gives what the program reports."""
    for name in ("arm.geo", "arm.inp"):
        shutil.copy(HERE / name, folder)
    run(folder, "gmsh", "-3", "-nt", "1", "-format", "inp", "-o", "mesh.inp", "arm.geo")
    run(folder, "ccx", "-i", "arm")
    words = [program, "flex", "reduce", "arm.sti", "--modes", "6", "--record", "set:SURFACE", "-o", HERE / "arm.flex"]
    words += ["--stress", STRESS]
    for name, nodes in INTERFACES.items():
        words += ["--interface", f"{name}={nodes}"]
    words += ["--description", "Rocker arm, aluminium, bores at 0 and 0.5 m along x"]
    return run(folder, *words)


def frequencies(path):
    """In Hz, from the header of a file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[8:16])
    return [mode["frequency"] for mode in json.loads(data[16 : 16 + length])["modes"]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path)
    arguments = parser.parse_args()
    expected = arguments.against and frequencies(arguments.against / "arm.flex")
    with tempfile.TemporaryDirectory() as folder:
        print(reduce(arguments.program.resolve(), folder))
    if expected:
        found = frequencies(HERE / "arm.flex")
        worst = max((abs(a / b - 1) for a, b in zip(found, expected)), default=1)
        holds = len(found) == len(expected) and worst < TOLERANCE
        print(f"{'ok' if holds else 'FAILED'} frequencies of arm.flex made anew: off by {worst:.1e}")


if __name__ == "__main__":
    main()
