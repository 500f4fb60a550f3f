"""What many runs cost: ``scale.py measure ENGINE OUT.json`` measures an engine, ``scale.py page PAGE.md IN.json…`` writes the page.

An engine is ``processes``, ``dask`` or ``ray``, in an environment that has it; ``program`` is the program by itself. The numbers for other
counts of cores are computed from those, by the formula on the page.
"""

import json
import math
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

from fixstep import _fixstep, study

MODELS = Path(__file__).resolve().parent.parent / "models"
#: Models, what is varied, the result, and the number of runs of a measurement.
CASES = {
    "quarter_car": ({"parameter": "suspension_damping", "from": 0.5, "to": 4}, "body_acceleration", 100),
    "vehicle": ({"parameter": "friction", "from": 0.8, "to": 1.1}, "roll", 4),
}
ROUNDS = 3
CALLS = 2000
ROWS = (10_000, 100_000)
#: What is computed: runs, and numbers of cores.
RUNS, CORES = 1_000_000, (1, 100, 10_000)


def describe(folder, model, runs, stop=None):
    """A study of draws."""
    vary, of, _ = CASES[model]
    path = Path(folder, f"{model}-{runs}-{stop}.json")
    spec = {
        "fixstep_study": 1,
        "name": "scale",
        "model": str(MODELS / model / "model.json"),
        "run": {} if stop is None else {"stop": stop},
        "method": "monte_carlo",
        "runs": runs,
        "vary": [vary],
        "results": [{"name": "peak", "of": of, "take": "absolute_max"}],
    }
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def program(path, folder, workers):
    """The processor time that the program takes for a study (s): of all its threads, so that other load counts little."""
    began = time.process_time()
    code, _, remarks = _fixstep.hear(["fixstep", "study", str(path), "-o", str(folder), "--workers", str(workers)])
    assert code == 0, remarks
    return time.process_time() - began


def nothing():
    """A call that does nothing."""


def rate(engine, workers):
    """Empty calls in a second, all of them given at once: what a scheduler with work for many has to do."""
    own = study._executor(engine, workers)
    try:
        for future in [own.submit(nothing) for _ in range(20 * workers)]:
            future.result()
        began = time.perf_counter()
        for future in [own.submit(nothing) for _ in range(CALLS)]:
            future.result()
        return CALLS / (time.perf_counter() - began)
    finally:
        own.close()


def short(engine, workers, runs=400):
    """The time of a study of runs of one step, in chunks of one run and in those of half a second (s)."""
    took = {}
    with tempfile.TemporaryDirectory() as folder:
        path = describe(folder, "quarter_car", runs, 0.001)
        for name, seconds in (("single", 1e-9), ("chunks", None)):
            began = time.perf_counter()
            study.run(path, Path(folder, name), executor=engine, workers=workers, seconds=seconds)
            took[name] = time.perf_counter() - began
        began = time.perf_counter()
        study.run(path, Path(folder, "single"), executor=engine, workers=workers)
        took["known"] = time.perf_counter() - began
    return took


def measure(engine):
    """The figures of an engine."""
    cores = os.cpu_count() or 1
    if engine != "program":
        return {
            "rate": statistics.median(rate(engine, cores) for _ in range(ROUNDS)),
            "short": short(engine, cores),
        }
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    found = {"load": load, "cores": cores, "processor": processor(), "python": platform.python_version(), "models": {}, "table": {}}
    with tempfile.TemporaryDirectory() as folder:
        for model, (*_, runs) in CASES.items():
            path = describe(folder, model, runs)
            times = {
                count: [program(path, Path(folder, f"{model}{count}{k}"), count) / runs for k in range(ROUNDS)]
                for count in (1, cores)
            }
            opens = [study.chunk(str(path), 0, 0)[1] for _ in range(5)]
            found["models"][model] = {
                "run": statistics.median(times[1]),
                "all": statistics.median(times[cores]),
                "open": statistics.median(opens),
            }
        for runs in ROWS:
            path = describe(folder, "quarter_car", runs, 0.001)
            out = Path(folder, f"rows{runs}")
            program(path, out, cores)
            found["table"][runs] = program(path, out, cores)
        part, _, _ = study.chunk(str(describe(folder, "quarter_car", 100, 0.001)), 0, 1)
        Path(folder, "kept/chunks").mkdir(parents=True)
        began = time.perf_counter()
        for k in range(CALLS):
            study._keep(Path(folder, "kept"), part, (k, k + 1))
        found["keep"] = (time.perf_counter() - began) / CALLS
    return found


def processor():
    """The name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def estimate(own, engine, cores):
    """The formula of the page: the parts of the time of all runs on so many cores (s), and the length of chunks."""
    case = own["models"]["vehicle"]
    call = 1 / engine["rate"] + own["keep"]
    length = max(study._SECONDS, cores / study._RATE)
    many = max(1, min(math.floor(length / case["run"]), math.ceil(RUNS / cores)))
    chunks = math.ceil(RUNS / many)
    chunk = case["open"] + many * case["run"]
    last, least = ROWS[-1], ROWS[0]
    table = (own["table"][str(last)] - own["table"][str(least)]) / (last - least) * RUNS
    return {
        "many": many,
        "chunk": chunk,
        "chunks": chunks,
        "work": chunks * chunk / cores,
        "calls": chunks * call,
        "single": RUNS * call,
        "tail": chunk,
        "table": table,
        "all": max(chunks * chunk / cores, chunks * call) + chunk + table,
    }


def shown(seconds):
    """A time for people."""
    for limit, factor, unit in ((1e-3, 1e6, "µs"), (1, 1e3, "ms"), (180, 1, "s"), (10800, 1 / 60, "min"), (259200, 1 / 3600, "h")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds / 86400:.3g} days"


def page(own, engines):
    """The page."""
    names = {"processes": "processes", "dask": "Dask", "ray": "Ray"}
    cases = "\n".join(
        f"| [{name}](../models/{name}/README.md) | {shown(case['run'])} | {1 / case['run']:.3g} | "
        f"{1 / case['all']:.3g} | {shown(case['open'])} |"
        for name, case in own["models"].items()
    )
    costs = "\n".join(
        f"| {names[name]} | {engine['rate']:.0f} | {shown(1 / engine['rate'])} | {shown(engine['short']['single'])} | "
        f"{shown(engine['short']['chunks'])} | {shown(engine['short']['known'])} |"
        for name, engine in engines.items()
    )
    rows = []
    for cores in CORES:
        for name, engine in engines.items():
            if name == "processes" and cores == CORES[-1]:
                continue
            it = estimate(own, engine, cores)
            limit = "the runs" if it["work"] >= it["calls"] else "the scheduler"
            rows.append(
                f"| {cores} | {names[name]} | {it['many']} | {shown(it['chunk'])} | {shown(it['work'])} | {shown(it['calls'])} | "
                f"{shown(it['single'])} | {shown(it['tail'])} | **{shown(it['all'])}** | {limit} |"
            )
    table = own["table"]
    it = estimate(own, engines["dask"], CORES[-1])
    return TEXT.format(
        load=own["load"], processor=own["processor"], count=own["cores"], python=own["python"], cases=cases, costs=costs, calls=CALLS,
        keep=shown(own["keep"]), small=ROWS[0], large=ROWS[-1], small_table=shown(table[str(ROWS[0])]),
        large_table=shown(table[str(ROWS[-1])]), rows="\n".join(rows), seconds=study._SECONDS, rate=study._RATE,
        single=shown(it["single"]), files=it["chunks"], work=shown(it["work"]), share=f"{100 * it['work'] / it['all']:.0f}",
        whole=shown(it["table"]), tail=shown(it["tail"]),
        efficiency=", ".join(
            f"{100 * case['run'] / case['all']:.0f} % ({name})" for name, case in own["models"].items()
        ),
    )


TEXT = """# Many runs

What the runs of a [study](study.md) cost on one computer and on many. `cargo xtask bench --scale` measures and writes this page:
{processor}, {count} cores, Python {python}. **Measured** are the first three tables, on that computer alone. The last one is **computed**
from them: nothing was run on 100 or 10 000 cores. Runs and the table are measured in processor time, which other
load changes little; schedulers in wall time. The load average at the beginning was {load:.1f}.

## A core

The model's own experiment, one result; median of three studies of `fixstep study --workers 1`. Beside it the runs of a core in a second when
all {count} cores have work, and what a chunk costs a worker before its first run: reading the description and the model.

| model | a run | runs/s of one core alone | runs/s of each core, all at work | start of a chunk |
|---|---|---|---|---|
{cases}

A core keeps {efficiency} of its rate when all {count} cores work. A computer with many cores keeps less: they share memory and clock.

## A scheduler

The rate is of {calls} empty calls that are given at once, median of three. Then 400 runs of one step of the
quarter car by `study.run`, each a chunk of its own; the same in chunks of half a second; and the same study when all its rows are known. The
times have the start of {count} workers in them, which the last column shows; a cluster that is there already has none.

| engine | empty calls/s | a call | 400 chunks of one run | chunks of half a second | nothing to do |
|---|---|---|---|---|---|
{costs}

Beside the call the client writes the chunk: {keep}.

## The table

When all chunks are there, the program reads them, computes the statistics and writes the table in three formats, on one core: {small_table} for
{small} runs, {large_table} for {large}.

## A million runs of the vehicle

| cores | engine | runs of a chunk | a chunk | the runs | the calls | the calls if each run were a chunk | the end | all | limit |
|---|---|---|---|---|---|---|---|---|---|
{rows}

    all = max(n (o + m t) / P, n c) + (o + m t) + N g

with N runs, P cores, a run of t, m runs in a chunk, n = N/m chunks, o the start of a chunk, c a call with the writing of its chunk, and g the table
for each run, the slope between the two sizes above. A chunk takes L = max({seconds} s, P/{rate} s), so m = max(1, L/t): the client gets at most
about {rate} chunks in a second. The end is the last chunk, for which other workers wait.

What the formula takes for granted:

- Each core is as fast as one of this computer by itself. Take the column "all at work" where a node is full.
- A call costs the same with 10 000 workers as with {count}. It does not: a scheduler also hears of every worker, and its rate is lower when they
  are on other computers. The rates of the second table are those of workers, client and scheduler that share {count} cores.
- All runs take as long. Where they differ by much, the end is longer: then give `seconds`.
- The table takes as long however many files its chunks are in. Those of the measurement are few; tens of thousands on a shared disk take longer.
- No worker is lost. Each that is lost costs the chunk that it was making.
- Workers start at once, have the package, and read the model from a disk of their own.

What limits 10 000 cores: with a chunk for each run the calls alone would take {single}. In longer
chunks the runs take {work}, which is {share} % of the whole. The rest is the end ({tail}) and the table ({whole}), which one core makes. The
folder then has {files} files of chunks; a million of them would be slow on most shared disks. With `series` the client also
receives and writes a table for each run, which is soon more than all else: keep them of studies of thousands of runs, and take
[functions as results](study.md#several-computers) in larger ones, so that only numbers travel.
"""


def main():
    """Measures, or writes."""
    if sys.argv[1] == "measure":
        Path(sys.argv[3]).write_text(json.dumps({sys.argv[2]: measure(sys.argv[2])}), encoding="utf-8")
        return
    found = {}
    for file in sys.argv[3:]:
        found |= json.loads(Path(file).read_text(encoding="utf-8"))
    own = found.pop("program")
    Path(sys.argv[2]).write_text(page(own, found), encoding="utf-8")


if __name__ == "__main__":
    main()
