"""Error against work of the variable step, beside SUNDIALS, SciPy, Exudyn and MuJoCo on the same problems.

Called as `measure.py FIXSTEP FOLDER [NAME...]`: the program, a folder to build in, and problems, default all. Prints one line of JSON for each run:
problem, program, tolerance or step, largest error over the run, steps, rejected steps, evaluations, Jacobians, seconds.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  (after the number of threads is set)
import scipy.integrate  # noqa: E402
import sksundae  # noqa: E402
import wheelset_rates  # noqa: E402
from mechanism import Compiled, write_c  # noqa: E402
from problems import PROBLEMS, ROOT  # noqa: E402

HERE = Path(__file__).parent
TOLERANCES = [10.0**-k for k in range(3, 13)]
#: Ours, where a problem asks for them.
FINER = [1e-13, 1e-14]
#: A run is repeated, and its shortest time counts.
REPEAT = 5
#: Our integrators with their formulations.
INTEGRATORS = [("WSTIFF", "I3"), ("WSTIFF", "SI2"), ("GSTIFF", "I3"), ("HASTIFF", "SI1"), ("HHT", "I3")]
#: After so long [s] a run is not repeated, and has no tighter tolerance; the second for SciPy.
LONG, PATIENCE = 1.0, 5.0
#: Methods of SciPy on the state (q, v).
METHODS = ("Radau", "BDF", "LSODA", "DOP853")
COUNTS = re.compile(
    r"variable step: (?P<steps>\d+) steps in (?P<ms>[\d.]+) ms, (?P<rejected>\d+) rejected.*?, (?P<lost>\d+) in which.*?; "
    r"(?P<evaluations>\d+) iterations, (?P<jacobians>\d+) Jacobians"
)


class Reference:
    """What a run should show: instants and columns."""

    def __init__(self, problem):
        with open(problem.reference, encoding="utf-8") as file:
            rows = list(csv.reader(file))
        self.names = rows[0][1:]
        table = np.array([[float(x) for x in row] for row in rows[1:] if row[0]])
        begun = table[(table[:, 0] > 1e-12) & (table[:, 0] < problem.until * (1 + 1e-9))]
        self.times = begun[:, 0]
        self.values = {name: begun[:, k + 1] for k, name in enumerate(self.names)}

    def error(self, columns, problem):
        """Largest difference over all instants, relative to the scale of each column."""
        return float(max(np.abs(columns[name] - self.values[name]).max() / problem.scales.get(name, 1.0) for name in problem.ours.values()))


def say(problem, program, setting, error, seconds, **counts):
    counts = {name: number if isinstance(number, float) else int(number) for name, number in counts.items()}
    print(json.dumps({"problem": problem.name, "program": program, "setting": setting, "error": error, "seconds": seconds, **counts}), flush=True)


def repeated(command):
    """The counts that a run of ours prints, and its shortest time of several [s]."""
    least, whole = float("inf"), time.perf_counter()
    for _ in range(REPEAT):
        if time.perf_counter() - whole > LONG:
            break
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode:
            raise RuntimeError(f"{' '.join(map(str, command))}: {said.stderr.strip().splitlines()[-1]}")
        found = COUNTS.search(said.stderr).groupdict()
        least = min(least, 1e-3 * float(found.pop("ms")))
    return {name: int(number) for name, number in found.items()}, least


def of_fixstep(program, folder, problem, reference):
    """Ours."""
    model = json.loads((ROOT / problem.model).read_text())
    step = reference.times[0]
    model["experiment"] = {"start": 0, "stop": reference.times[-1], "step": step}
    model["outputs"] = [o for o in model["outputs"] if o["name"] in problem.ours]
    model.pop("solver", None)
    path = folder / f"{problem.name}.json"
    for body in model.get("flexible_bodies", []):
        shutil.copy((ROOT / problem.model).parent / body["file"], folder)
    path.write_text(json.dumps(model))
    for integrator, formulation in INTEGRATORS:
        for settings in problem.settings:
            solver = {"mode": "variable", "integrator": integrator, "formulation": formulation} | settings
            name = " ".join(["Fixstep", f"{integrator}/{formulation}", *(f"{key} {value}" for key, value in settings.items())])
            finer = [tolerance for tolerance in FINER if tolerance > 0.9 * problem.finest]
            for tolerance in TOLERANCES + finer:
                path.write_text(json.dumps(model | {"solver": solver | {"error": tolerance}}))
                if run_fixstep(program, path, problem, reference, (name, tolerance)) > LONG:
                    break


def run_fixstep(program, path, problem, reference, how):
    """One run of ours, and how long it took [s]."""
    name, tolerance = how
    table, step = path.with_suffix(".csv"), reference.times[0]
    try:
        counts, took = repeated([program, "run", path, "--no-trial", "-o", table])
    except RuntimeError as refused:
        print(f"{problem.name}, {name} {tolerance:g}: {refused}", file=sys.stderr)
        return 0.0
    rows = np.genfromtxt(table, delimiter=",", names=True, deletechars="")
    at = np.searchsorted(rows["time"], reference.times - 0.5 * step)
    columns = {name: rows[own][at] for own, name in problem.ours.items()}
    lost = counts.pop("lost")
    say(problem, name, tolerance, reference.error(columns, problem), took, **counts | {"rejected": counts["rejected"] + lost})
    return took


def of_sundials(mechanism, folder, problem, reference):
    """IDA on the descriptor form, CVODE with multipliers eliminated, both from C."""
    source, program = folder / f"{problem.name}.c", folder / problem.name
    write_c(mechanism, source)
    libraries = ["-lsundials_ida", "-lsundials_cvode", "-lsundials_nvecserial", "-lm"]
    subprocess.run(["cc", "-O2", f'-DEQUATIONS="{source}"', "-o", program, HERE / "sundials.c", *libraries], check=True)
    for how, name in (("ida", "IDA, stabilised index 2"), ("cvode", "CVODE, index 1")):
        for tolerance in TOLERANCES:
            said = subprocess.run([program, how, f"{tolerance:g}", str(len(reference.times)), str(REPEAT)], capture_output=True, text=True, check=False)
            if said.returncode:
                print(f"{problem.name}, {name} {tolerance:g}: {said.stderr.strip()}", file=sys.stderr)
                continue
            *rows, counts = said.stdout.splitlines()
            table = np.array([[float(x) for x in row.split(",")] for row in rows])
            columns = {shown: table[:, k + 1] for k, shown in enumerate(mechanism.shown)}
            counts = json.loads(counts)
            say(problem, name, tolerance, reference.error(columns, problem), **counts)


def of_scipy(mechanism, folder, problem, reference):
    """SciPy's methods on the state, multipliers eliminated."""
    compiled = Compiled(mechanism, folder, f"{problem.name}-scipy")
    begun = np.array([*mechanism.start, *mechanism.start_rates], float)
    names, pieces = list(mechanism.shown), [*mechanism.breaks, mechanism.end]
    run_scipy(problem, reference, compiled.rates, begun, pieces, lambda t, y: dict(zip(names, compiled.shown(t, y))))


def run_scipy(problem, reference, rates, begun, pieces, shown):
    """All methods and tolerances, anew from every break."""
    for method in METHODS:
        began = time.perf_counter()
        for tolerance in TOLERANCES:
            if time.perf_counter() - began > PATIENCE:
                break
            began = time.perf_counter()
            y, low, seen, evaluations, jacobians, steps = begun, 0.0, [], 0, 0, 0
            for high in pieces:
                grid = reference.times[(reference.times > low) & (reference.times <= high * (1 + 1e-12))]
                done = scipy.integrate.solve_ivp(rates, (low, high), y, method=method, rtol=tolerance, atol=tolerance, dense_output=True)
                if not done.success:
                    break
                seen += [shown(t, done.sol(min(t, high))) for t in grid]
                y, low = done.y[:, -1], high
                evaluations, jacobians, steps = evaluations + done.nfev, jacobians + done.njev, steps + len(done.t) - 1
            if len(seen) < len(reference.times):
                print(f"{problem.name}, SciPy {method} {tolerance:g}: {done.message}", file=sys.stderr)
                continue
            columns = {name: np.array([row[name] for row in seen]) for name in seen[0]}
            error = reference.error(columns, problem)
            say(problem, f"SciPy {method}", tolerance, error, time.perf_counter() - began, steps=steps, evaluations=evaluations, jacobians=jacobians)


def of_wheelset(problem, reference):
    """IDA in the published form of index 2, and SciPy, on rates in Python."""
    names = ("x", "y", "z", "theta", "phi")
    begun, end = wheelset_rates.begun(), reference.times[-1]
    grid = np.append(0.0, reference.times)
    for tolerance in TOLERANCES:
        y, yp = wheelset_rates.descriptor(begun)
        small = np.append(np.full(11, tolerance), [1e10, 1e10])
        solver = sksundae.ida.IDA(wheelset_rates.residual, rtol=tolerance, atol=small, algebraic_idx=[11, 12], max_num_steps=10**7)
        began = time.perf_counter()
        done = solver.solve(grid, y, yp)
        if not done.success:
            print(f"{problem.name}, IDA {tolerance:g}: {done.message}", file=sys.stderr)
            continue
        error = reference.error({name: done.y[1:, k] for k, name in enumerate(names)}, problem)
        say(problem, "IDA, index 2", tolerance, error, time.perf_counter() - began, **wheelset_rates.counts(done))
    run_scipy(problem, reference, wheelset_rates.rates, begun, [end], lambda _t, y: dict(zip(names, y)))


def main():
    program, folder, *names = sys.argv[1:]
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for problem in PROBLEMS:
        if names and problem.name not in names:
            continue
        reference = Reference(problem)
        print(json.dumps({"problem": problem.name, "title": problem.title, "reference": problem.about, "compared": problem.compared}), flush=True)
        of_fixstep(program, folder, problem, reference)
        if problem.name == "wheelset":
            of_wheelset(problem, reference)
        if problem.equations:
            mechanism = problem.equations()
            of_sundials(mechanism, folder, problem, reference)
            of_scipy(mechanism, folder, problem, reference)


if __name__ == "__main__":
    main()
