"""gmsh, CalculiX and `fixstep flex reduce` on a beam, against what other programs found for it.

Usage: python chain.py FIXSTEP FOLDER    (the program, and a folder to work in)

The references are of the same mesh with the same matrices, reduced and solved by SciPy: 12 interface unknowns and
6 modes with held interfaces.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

from flexfile import FlexibleBody, frequencies

HERE = Path(__file__).resolve().parent

# Hz: rounding leaves the six rigid modes below this.
RIGID = 0.02
# Hz: free beam and beam with a held end; m: static deflection of the tip by 100 N.
FREE = [106.573, 212.977, 293.220]
CANTILEVER = [16.8112, 33.5615]
DEFLECTION = 1.484999e-3
# kg, kg m² about the end of the beam: closed forms.
MASS = 7800 * 0.02 * 0.04
# Pa at the upper side, by distance from the held end: (L − x) P c/I of the beam under 100 N at the tip.
STRESS = {"near": 0.9, "middle": 0.5}
BENDING = 100 * 0.02 / (0.02 * 0.04**3 / 12)
INERTIA = [MASS * (0.02**2 + 0.04**2) / 12, MASS * (1 / 3 + 0.04**2 / 12), MASS * (1 / 3 + 0.02**2 / 12)]

failed = 0


def check(title, holds, found):
    """Prints a line of the kind that the suite counts."""
    global failed
    failed += not holds
    print(f"{'ok' if holds else 'FAILED'} {title}: {found}", flush=True)


def close(title, found, expected, tolerance):
    """Compares numbers relatively."""
    found, expected = np.atleast_1d(found), np.atleast_1d(expected)
    worst = np.max(np.abs(found / expected - 1))
    check(title, worst <= tolerance, f"{', '.join(f'{x:.9g}' for x in found)} (off by {worst:.1e})")


def run(folder, *words):
    """Runs a program quietly; what it said is shown when it fails."""
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout


def mesh(folder):
    """The mesh without the faces, which CalculiX would take for plane elements."""
    run(folder, "gmsh", "-3", "-nt", "1", "-format", "inp", "-o", "all.inp", HERE / "beam.geo")
    kept, keep = [], True
    for line in (folder / "all.inp").read_text().splitlines(keepends=True):
        if line.startswith("*"):
            keep = not line.startswith(("*ELEMENT, type=CPS", "*ELSET,ELSET=ROOT", "*ELSET,ELSET=TIP", "****"))
        if keep:
            kept.append(line)
    (folder / "mesh.inp").write_text("".join(kept))


def reduce(program, folder, job, root, tip):
    """The body of a job of CalculiX."""
    run(folder, "ccx", "-i", job)
    interfaces = ["--interface", f"root={root}", "--interface", f"tip={tip}"]
    points = [f"--stress={name}=closest:{1 - arm},0,0.02" for name, arm in STRESS.items()]
    words = ["flex", "reduce", f"{job}.sti", *interfaces, *points, "--modes", "6", "-o", f"{job}.flex", "--json"]
    report = json.loads(run(folder, program, *words))
    rigid = report["rigid_frequencies"]
    holds = len(rigid) == 6 and max(rigid) < RIGID
    check(f"{job}: rigid modes", holds, f"{len(rigid)}, at most {max(rigid):.2g} Hz")
    return FlexibleBody(folder / f"{job}.flex")


def examine(job, body):
    """What the body must be."""
    close(f"{job}: mass", body.arrays["i1"], MASS, 1e-7)
    close(f"{job}: inertia about the end", np.diag(body.arrays["i7"].reshape(3, 3)), INERTIA, 1e-6)
    close(f"{job}: free beam", body.frequencies[:3], FREE, 2e-5)
    stiffness, mass, free = body.held("root")
    close(f"{job}: cantilever", frequencies(stiffness, mass)[:2], CANTILEVER, 2e-5)
    tip = (body.node("tip") @ free)[2]
    under = 100 * np.linalg.solve(stiffness, tip)
    close(f"{job}: deflection of the tip", tip @ under, DEFLECTION, 2e-6)
    for name, arm in STRESS.items():
        xx, *others = body.stress(name) @ free @ under
        close(f"{job}: stress {name}", xx, -arm * BENDING, 2e-3)
        worst = np.max(np.abs(others)) / (arm * BENDING)
        check(f"{job}: the other stresses {name}", worst < 0.02, f"at most {100 * worst:.2f} % of that")


def main():
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for deck in HERE.glob("*.inp"):
        shutil.copy(deck, folder)
    mesh(folder)
    spiders = reduce(program, folder, "spiders", "set:ROOT@0,0,0", "set:TIP@1,0,0")
    rigid = reduce(program, folder, "rigid", "node:900001", "node:900003")
    examine("spiders", spiders)
    examine("rigid", rigid)
    close("rigid bodies of CalculiX and spiders of the reduction", rigid.frequencies, spiders.frequencies, 1e-6)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
