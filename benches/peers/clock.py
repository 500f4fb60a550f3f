"""What all runs of peers have in common: one thread, a clock around every step, one line of JSON."""

import json
import os
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  (after the number of threads is set)


def steps(step, count):
    """Times of so many calls [s]."""
    marks = np.zeros(count + 1)
    marks[0] = time.perf_counter()
    for k in range(count):
        step()
        marks[k + 1] = time.perf_counter()
    return np.diff(marks)


def figures(times):
    """Median and 99th percentile [us]."""
    median, p99 = np.quantile(times, [0.5, 0.99]) * 1e6
    return {"us": float(median), "p99_us": float(p99)}


def words(probe):
    """Where a run has ended, as text."""
    return " ".join(f"{x:.7f}" for x in probe)


def say(result):
    """The line that the benchmark reads."""
    print(json.dumps(result), flush=True)
