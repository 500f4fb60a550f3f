"""What `fixstep linearize` writes, read back by NumPy, SciPy and Octave.

Called as `read_back.py FIXSTEP MODELS FOLDER`: the program, the folder of the examples, and one to write to. Every format must
hold the same numbers to the last bit as the JSON, and the same names. A base that an input shakes has the transmissibility of
textbooks, by SciPy's transfer functions. One line `ok` or `FAILED` for each check.
"""

import json
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import scipy.io
import scipy.linalg
import scipy.signal

MATRICES = ["A", "B", "C", "D", "E", "mass", "damping", "stiffness"]

# Examples with their options: at the start, in equilibrium, on the way, with states of equations, with flexible bodies.
CASES = [
    ("pendulum", ["--at", "0.2"]),
    ("quarter_car", ["--static"]),
    ("servo_axis", []),
    ("flexible_slider_crank", ["--at", "0.01"]),
]

BASE = {
    "fixstep": 1,
    "name": "base excited",
    "gravity": [0, 0, 0],
    "parts": [
        {"name": "base", "mass": 0.7, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
        {"name": "Masse größer", "mass": 2, "position": [0, 0, 1], "inertia": {"xx": 1, "yy": 1, "zz": 1}},
    ],
    "markers": [
        {"name": "g", "part": "ground"},
        {"name": "b", "part": "base"},
        {"name": "gm", "part": "ground", "position": [0, 0, 1]},
        {"name": "m", "part": "Masse größer"},
    ],
    "joints": [
        {"name": "jb", "type": "translational", "i": "b", "j": "g"},
        {"name": "jm", "type": "translational", "i": "m", "j": "gm"},
    ],
    "inputs": [{"name": "w", "unit": "m"}],
    "motions": [{"name": "shake", "joint": "jb", "displacement": "w"}],
    "forces": [{"name": "k", "type": "spring_damper", "i": "m", "j": "b", "stiffness": 800, "damping": 3, "length": 1}],
    "outputs": [
        {"name": "x", "expression": "DZ(m, gm)", "unit": "m"},
        {"name": "shaker", "expression": "MOTION(shake, 0, 4)", "unit": "N"},
    ],
}


def linearize(program, model, *options):
    """Runs the command; its standard output."""
    command = [program, "linearize", str(model), *map(str, options)]
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout


def same(what, got, wanted):
    """Are two matrices the same to the last bit?"""
    got = np.asarray(got, dtype=float)
    assert got.shape == wanted.shape, f"{what}: {got.shape} for {wanted.shape}"
    assert np.array_equal(got, wanted), f"{what}: {np.abs(got - wanted).max()} apart"


def flat(cells):
    """Texts of a cell array."""
    return [str(cell.ravel()[0][0]) if cell.ravel()[0].size else "" for cell in cells]


def roots(path, a, e):
    """The table of roots holds those that SciPy finds of A and E; real ones first, each kind by frequency."""
    table = np.loadtxt(path, comments="%", ndmin=2)
    number, hertz, ratio, re, im = table.T
    assert np.array_equal(number, np.arange(1, len(table) + 1))
    kinds = im != 0
    assert np.all(np.diff(kinds.astype(int)) >= 0) and np.all(im >= 0), "real ones first, of pairs one"
    for kind in (False, True):
        assert np.all(np.diff(hertz[kinds == kind]) >= 0), "by frequency"
    value = re + 1j * im
    size = np.abs(value)
    assert np.allclose(hertz, size / (2 * np.pi), rtol=1e-12)
    assert np.allclose(ratio * size, -re, rtol=1e-9, atol=1e-12 * size.max(initial=0.0))
    own = np.concatenate([value, value[kinds].conj()])
    wanted = scipy.linalg.eigvals(a, e)
    wanted = wanted[np.isfinite(wanted) & (np.abs(wanted) < 1e3 * (1 + np.abs(own).max(initial=0.0)))]
    assert len(own) == len(wanted), f"{len(own)} roots for {len(wanted)}"
    # A double zero is scattered by the square root of rounding.
    near = 1e-6 * np.abs(wanted).max(initial=0.0)
    for root in own:
        best = np.abs(wanted - root).argmin()
        assert abs(wanted[best] - root) <= max(near, 1e-8 * abs(root)), f"{root}: {wanted[best]}"
        wanted = np.delete(wanted, best)


def formats(program, model, folder, options):
    """All formats of one model against its JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    outs = [folder / f"form.{ending}" for ending in ("json", "npz", "mat", "mtx", "a", "m")]
    arguments = [word for out in outs for word in ("-o", out)]
    linearize(program, model, *options, *arguments)
    whole = json.loads((folder / "form.json").read_text(encoding="utf-8"))
    sizes = [len(whole[name]) for name in ("states", "inputs", "outputs")]
    x, u, y = sizes
    f = whole["positions"]
    shapes = dict(zip(MATRICES, [(x, x), (x, u), (y, x), (y, u), (x, x)] + 3 * [(f, f)], strict=True))
    arrays = np.load(folder / "form.npz")
    matlab = scipy.io.loadmat(folder / "form.mat")
    for name, shape in shapes.items():
        rows = whole[name] if len(name) == 1 else whole["second_order"][name]
        wanted = np.array(rows, dtype=float).reshape(shape)
        same(f".npz {name}", arrays[name], wanted)
        same(f".mat {name}", matlab[name], wanted)
        sparse = scipy.io.mmread(folder / f"form.{name}.mtx")
        same(f".mtx {name}", sparse.toarray() if hasattr(sparse, "toarray") else sparse, wanted)
        if wanted.size:
            plain = name.lower() if len(name) == 1 else name
            same(f"ascii {name}", np.loadtxt(folder / f"form.{plain}", ndmin=2), wanted)
    roots(folder / "form.eig", arrays["A"], arrays["E"])
    for what in ("state", "input", "output"):
        names = [each["name"] for each in whole[f"{what}s"]]
        units = [each["unit"] for each in whole[f"{what}s"]]
        assert list(arrays[f"{what}s"]) == names, f".npz {what}s"
        assert list(arrays[f"{what}_units"]) == units, f".npz {what}_units"
        assert flat(matlab[f"{what}s"]) == names, f".mat {what}s: {flat(matlab[f'{what}s'])}"
        assert flat(matlab[f"{what}_units"]) == units, f".mat {what}_units"
    values = {each["name"]: each["value"] for each in whole["point"]["inputs"]}
    at = [values[each["name"]] for each in whole["inputs"]]
    same("input_values", arrays["input_values"], np.array(at, dtype=float))
    assert arrays["time"] == whole["point"]["time"] == matlab["time"][0, 0]
    assert arrays["positions"] == f == matlab["positions"][0, 0]
    assert matlab["model"][0] == whole["name"]
    lines = (folder / "form.names").read_text(encoding="utf-8").splitlines()
    assert len(lines) == sum(sizes) and lines[0].endswith(whole["states"][0]["name"]), lines
    return f"{x} states, {u} inputs, {y} outputs, {len(outs)} formats"


def base(program, folder):
    """Transmissibility (c s + k)/(m s² + c s + k), and the force of the shaker."""
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / "base.json"
    model.write_text(json.dumps(BASE, ensure_ascii=False), encoding="utf-8")
    formats(program, model, folder, [])
    form = np.load(folder / "form.npz")
    worst = 0.0
    for omega in np.logspace(-1, 3, 41):
        s = 1j * omega
        found = form["C"] @ np.linalg.solve(s * form["E"] - form["A"], form["B"]) + form["D"]
        passed = (3 * s + 800) / (2 * s * s + 3 * s + 800)
        for got, wanted in zip(found[:, 0], (passed, s * s * (0.7 + 2 * passed)), strict=True):
            worst = max(worst, abs(got - wanted) / max(1.0, abs(wanted)))
    assert worst < 1e-9, worst
    # One row of E is empty: so many eigenvalues are infinite, two are those of the mass.
    poles = scipy.linalg.eigvals(form["A"], form["E"])
    poles = sorted(poles[np.isfinite(poles) & (np.abs(poles) < 1e6)], key=lambda pole: pole.imag)
    roots = sorted(np.roots([2, 3, 800]), key=lambda pole: pole.imag)
    assert np.allclose(poles, roots, rtol=1e-9), poles
    return f"41 frequencies to {worst:.0e}"


def step(program, models, folder):
    """SciPy's step response of the linear form is that of the mechanism's run."""
    folder.mkdir(parents=True, exist_ok=True)
    model = models / "quarter_car" / "model.json"
    linearize(program, model, "--static", "--inputs", "road", "-o", folder / "car.mat")
    form = scipy.io.loadmat(folder / "car.mat")
    plant = scipy.signal.StateSpace(form["A"], form["B"], form["C"], form["D"])
    # A run holds inputs over a step: a fine one.
    times = np.linspace(0.0, 1.0, 4001)
    _, rise, _ = scipy.signal.lsim(plant, np.minimum(times / 0.1, 1.0), times)
    table = folder / "in.csv"
    table.write_text("time,road,road_rate\n0,0,0\n0.1,1,0\n1,1,0\n", encoding="utf-8")
    out = folder / "out.csv"
    run = [program, "run", model, "--input", table, "--step", "0.00025", "--stop", "1", "--no-trial", "-o", out]
    subprocess.run([str(word) for word in run], check=True, capture_output=True)
    whole = np.loadtxt(out, delimiter=",", skiprows=1)
    moved = whole[:, 1] - whole[0, 1]
    worst = np.abs(rise[:, 0] - moved).max() / np.abs(moved).max()
    assert worst < 2e-3, worst
    return f"body of the car to {worst:.0e}"


OCTAVE = """
f = load("form.mat");
source("form.m");
alike = isequal(A, f.A) && isequal(B, f.B) && isequal(C, f.C) && isequal(D, f.D) && isequal(E, f.E);
alike = alike && isequal(mass, f.mass) && isequal(damping, f.damping) && isequal(stiffness, f.stiffness);
alike = alike && isequal(states(:), f.states(:)) && isequal(outputs(:), f.outputs(:));
printf("%d\\n", alike);
printf("%.17g ", f.A');
printf("\\n%s\\n%.17g\\n", f.states{1}, f.time);
"""


def octave(folder):
    """Octave reads the .mat, and the script says the same; after the files of a case were written."""
    if not shutil.which("octave-cli"):
        return "Octave is not here"
    command = ["octave-cli", "--quiet", "--norc", "--eval", OCTAVE]
    done = subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8", cwd=folder)
    alike, numbers, state, time = done.stdout.splitlines()
    whole = json.loads((folder / "form.json").read_text(encoding="utf-8"))
    assert alike == "1", "script and .mat differ"
    n = len(whole["states"])
    same("A by Octave", np.array(numbers.split(), dtype=float).reshape(n, n), np.array(whole["A"], dtype=float))
    assert state == whole["states"][0]["name"] and float(time) == whole["point"]["time"], (state, time)
    return f"{n} states"


def modal_coordinates(path):
    """The bodies of a file of modal coordinates: names to modes and to rows by frequency."""
    bodies, body, row = {}, None, None
    for text in path.read_text(encoding="utf-8").splitlines():
        if not text.startswith("$"):
            mode, re, im = text.split()
            row[int(mode)] = complex(float(re), float(im))
            continue
        key, _, value = text[1:].partition(" = ")
        if key == "BODY":
            body = bodies.setdefault(value, {"modes": [], "rows": {}})
        elif key == "MODE":
            body["modes"].append(int(value.split()[0]))
        elif key == "FREQUENCY":
            row = body["rows"].setdefault(float(value), {})
    return bodies


ROD = {
    "name": "rod",
    "points": [{"name": "root", "position": [0, 0, 0]}, {"position": [0.5, 0.1, 0]}],
    "material": {"youngs_modulus": 2.1e11, "poissons_ratio": 0.3, "density": 7850},
    "section": {"type": "rectangle", "y": 0.03, "z": 0.01},
}

SPUN = {
    "fixstep": 1,
    "name": "driven rod",
    "gravity": [0, 0, 0],
    "flexible_bodies": [{"name": "rod", "file": "rod.flex", "damping": "0.02", "modes": [1, 2, 4]}],
    "markers": [{"name": "g", "part": "ground"}, {"name": "r", "part": "rod", "node": "root"}],
    "joints": [{"name": "pivot", "type": "revolute", "i": "r", "j": "g"}],
    "inputs": [{"name": "torque", "unit": "N.m"}],
    "forces": [
        {"name": "hold", "type": "torsion_spring_damper", "i": "r", "j": "g", "stiffness": 300, "damping": 0.4},
        {"name": "drive", "type": "action_only_torque", "i": "r", "j": "g", "expression": "torque"},
    ],
    "outputs": [{"name": "angle", "expression": "AZ(r, g)", "unit": "rad"}],
}


def recovery(program, folder):
    """Modal coordinates for a finite-element program are those that NumPy finds of A and B."""
    folder.mkdir(parents=True, exist_ok=True)
    beam, model = folder / "beam.json", folder / "model.json"
    beam.write_text(json.dumps(ROD), encoding="utf-8")
    model.write_text(json.dumps(SPUN), encoding="utf-8")
    out = folder / "rod.mdf"
    for words in (
        ["flex", "beam", beam, "--modes", "5", "--plain", "-o", folder / "rod.flex"],
        ["linearize", model, "-o", folder / "form.json"],
        ["response", model, "--excite", "torque=2,30", "--from", "1", "--to", "400", "--modal-coordinates", out],
    ):
        subprocess.run([program, *map(str, words)], check=True, capture_output=True)
    form = json.loads((folder / "form.json").read_text(encoding="utf-8"))
    a, b = (np.array(form[name], dtype=float) for name in "AB")
    names = [state["name"] for state in form["states"]]
    rod = modal_coordinates(out)["rod"]
    # The second of the modes that the model takes is its mode 2, and mode 4 of the file its third.
    assert rod["modes"] == [1, 2, 4], rod["modes"]
    states = [names.index(f'part "rod", mode {k}') for k in (1, 2, 3)]
    worst = 0.0
    for frequency, row in rod["rows"].items():
        x = np.linalg.solve(2j * np.pi * frequency * np.eye(len(a)) - a, b[:, 0] * 2 * np.exp(1j * np.pi / 6))
        got = np.array([row[mode] for mode in rod["modes"]])
        worst = max(worst, np.abs(got - x[states]).max() / np.abs(x[states]).max())
    assert len(rod["rows"]) >= 200 and worst < 1e-9, worst
    return f"{len(rod['rows'])} frequencies to {worst:.0e}"


def main():
    """All checks; the exit code is 1 where one failed."""
    program, models, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    checks = [
        (f"{name}, files", formats, (program, models / name / "model.json", folder / name, options))
        for name, options in CASES
    ]
    checks.append(("base that an input shakes", base, (program, folder / "base")))
    checks += [(f"{name}, by Octave", octave, (folder / name,)) for name, _ in CASES[1:3]]
    checks.append(("modal coordinates", recovery, (program, folder / "recovery")))
    checks.append(("step response", step, (program, models, folder / "step")))
    failed = 0
    for title, check, arguments in checks:
        try:
            print(f"ok {title}: {check(*arguments)}", flush=True)
        except subprocess.CalledProcessError as error:
            failed += 1
            print(f"FAILED {title}: {error}\n{error.stderr}", flush=True)
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED {title}: {traceback.format_exc()}", flush=True)
    sys.exit(1 if failed else 0)


main()
