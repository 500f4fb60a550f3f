"""GLB files of runs of examples: the Khronos validator finds nothing, and three's loader and mixer find the bodies where the engine says.

Called as `glb.py FIXSTEP MODELS FOLDER GLTF_MJS NODE_MODULES`. `fixstep run --glb` writes a film of each example; a table of the same run
tells where its bodies are at 50 times. One line `ok` or `FAILED` for each check.
"""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

# Example, words for the run: at most 1200 communication points, of which the film then has every one.
RUNS = [
    ("pendulum", ["--stop", "2", "--step", "0.004"]),
    ("double_wishbone", ["--stop", "2"]),
    ("stewart_platform", ["--stop", "1"]),
    ("heavy_top", ["--stop", "0.5"]),
    ("spatial_slider_crank", ["--stop", "1"]),
    ("bicycle", ["--stop", "1"]),
]
TIMES = 50
# From ground to glTF, by the upward axis: x to the right, y up.
TURNS = {"z": [[1, 0, 0], [0, 0, 1], [0, -1, 0]]}


def run(program, *words, cwd):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, encoding="utf-8", cwd=cwd)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def axes(q):
    """Columns of the matrix of a unit quaternion w x y z."""
    w, x, y, z = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]]


def told(program, models, folder, name, words):
    """Writes the film, and what the engine says of it."""
    model = json.loads(run(program, "expand", models / name / "model.json", cwd=folder))
    gravity = model.get("gravity", [0, 0, 0])
    assert gravity[0] == 0 and gravity[1] == 0 and gravity[2] <= 0, f"{name}: up is not z"
    model.setdefault("requests", []).append({"name": "where", "type": "bodies", "quantities": ["position", "orientation"]})
    unit = {"m": 1.0, "mm": 1e-3, "cm": 1e-2}[model.get("units", {}).get("length", "m")]
    copy = models / name / "with_poses.json"
    copy.write_text(json.dumps(model), encoding="utf-8")
    own = folder / name
    own.mkdir(parents=True, exist_ok=True)
    try:
        run(program, "run", copy.name, *words, "--no-trial", "--record", "where.*", "-o", own / "table.csv", "--glb", own / "scene.glb", cwd=copy.parent)
    finally:
        copy.unlink()
    with (own / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    assert len(rows) <= 1200, f"{name}: {len(rows)} rows"
    chosen = [rows[round(k * (len(rows) - 1) / (TIMES - 1))] for k in range(TIMES)]
    bodies = [{"name": "ground", "positions": [[0, 0, 0]] * TIMES, "axes": [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]] * TIMES}]
    names = [part["name"] for kind in ("parts", "point_masses", "flexible_bodies") for part in model.get(kind, [])]
    size = 0.0
    for body in names:
        key = next(key for key in rows[0] if key in (f"where.{body}.position[1]", f"where.'{body}'.position[1]"))[: -len("position[1]")]
        positions = [[row[f"{key}position[{k}]"] * unit for k in (1, 2, 3)] for row in chosen]
        turns = [axes([row[f"{key}orientation[{k}]"] for k in (1, 2, 3, 4)]) for row in chosen]
        size = max(size, *(abs(x) for p in positions for x in p))
        bodies.append({"name": body, "positions": positions, "axes": turns})
    film = {"times": [row["time"] - rows[0]["time"] for row in chosen], "turn": TURNS["z"], "tolerance": 2e-5 * max(1.0, size), "bodies": bodies, "links": []}
    (own / "film.json").write_text(json.dumps(film), encoding="utf-8")
    return own


def main():
    program, models, folder, script, packages = [Path(word).resolve() for word in sys.argv[1:]]
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, words in RUNS:
        text = ""
        try:
            own = told(program, models, folder, name, words)
            done = subprocess.run(["node", str(script), str(own)], capture_output=True, text=True, encoding="utf-8", env={**os.environ, "NODE_MODULES": str(packages)})
            text = done.stderr.strip() if done.returncode else ""
            if not done.returncode and f"{TIMES} times, " not in done.stdout:
                text = done.stdout
        except Exception as error:  # each example must be heard of
            text = f"{type(error).__name__}: {error}"
        print(f"FAILED {name}: {text}" if text else f"ok {name}: valid, and played as the engine moves it at {TIMES} times", flush=True)
        failed += bool(text)
    sys.exit(1 if failed else 0)


main()
