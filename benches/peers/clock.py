"""What all runs of peers have in common: one thread, a clock around every step, one line of JSON.

Long steps are timed by the processor's time that the thread has had, so that programs beside it do not count against the
peer; short ones by the wall, because that clock is a system call.
"""

import json
import os
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402  (after the number of threads is set)


# Steps longer than this are timed by the processor's time [s].
LONG = 1e-4


def steps(step, count):
    """Times of so many calls [s]; the first five are made before, to choose the clock."""
    begin = time.thread_time()
    for _ in range(5):
        step()
    clock = time.thread_time if time.thread_time() - begin > 5 * LONG else time.perf_counter
    marks = np.zeros(count - 4)
    marks[0] = clock()
    for k in range(1, count - 4):
        step()
        marks[k] = clock()
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
