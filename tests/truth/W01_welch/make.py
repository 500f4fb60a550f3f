"""Welch's densities of two histories by SciPy: writes reference.json beside this file.

The histories come of a linear congruential generator, so that anybody can make them again.
"""
import json
import pathlib

import numpy as np
import scipy
from scipy.signal import csd, welch


def noise(seed, count):
    values, state = [], seed
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        values.append(state / 2**30 - 1.0)
    return np.array(values)


STEP, COUNT, SEGMENT = 0.01, 400, 64
time = np.arange(COUNT) * STEP
x = noise(1, COUNT) + 2.0 * np.sin(2 * np.pi * 11.0 * time) + 0.7
y = noise(2, COUNT) + 1.5 * np.cos(2 * np.pi * 11.0 * time) - 0.2 + 0.5 * x
options = {"fs": 1 / STEP, "window": "hann", "nperseg": SEGMENT, "noverlap": SEGMENT // 2,
           "detrend": "constant", "scaling": "density", "return_onesided": True}
frequencies, xx = welch(x, **options)
_, yy = welch(y, **options)
# SciPy's csd(a, b) is E(conj(A) B).
_, yx = csd(x, y, **options)
data = {"made_by": f"make.py, SciPy {scipy.__version__}, NumPy {np.__version__}", "segment": SEGMENT,
        "time": list(time), "x": list(x), "y": list(y), "frequencies": list(frequencies),
        "xx": list(xx), "yy": list(yy), "yx_re": list(yx.real), "yx_im": list(yx.imag)}
pathlib.Path(__file__).with_name("reference.json").write_text(json.dumps(data, indent=0))
