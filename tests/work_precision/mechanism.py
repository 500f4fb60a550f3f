"""A mechanism by its energies, for programs that integrate equations and know no mechanisms.

SymPy derives Lagrange's equations with multipliers, M(q) a + G(q, t)' lambda = h(q, v, t) and g(q, t) = 0, and writes them as a function of C.
Both SUNDIALS (sundials.c) and SciPy (through ctypes) call it.
"""

import ctypes
import subprocess
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

TIME = sp.Symbol("t")


@dataclass
class Mechanism:
    """Coordinates q with velocities v; energies, forces and constraints as expressions of both and of TIME."""

    q: list
    v: list
    kinetic: sp.Expr
    potential: sp.Expr = sp.Integer(0)
    #: Generalised forces besides those of the potential, one for each coordinate, or nothing.
    forces: list = field(default_factory=list)
    constraints: list = field(default_factory=list)
    #: What is compared with the reference, by its names there.
    shown: dict = field(default_factory=dict)
    start: list = field(default_factory=list)
    start_rates: list = field(default_factory=list)
    end: float = 1.0
    #: Instants at which forces jump or bend: a run begins anew there.
    breaks: list = field(default_factory=list)


def coordinates(names):
    """Symbols of coordinates and their velocities."""
    q = [sp.Symbol(f"at_{name}") for name in names.split()]
    return q, [sp.Symbol(f"{s}_rate") for s in q]


def rate(of, mechanism):
    """Time derivative of an expression of q and TIME."""
    return sp.diff(of, TIME) + sum(sp.diff(of, q) * v for q, v in zip(mechanism.q, mechanism.v))


def terms(mechanism):
    """M, h, G, gamma (G a = gamma), g, its rate, and what is shown, each a list of expressions by rows."""
    q, v = mechanism.q, mechanism.v
    momenta = [sp.diff(mechanism.kinetic, x) for x in v]
    mass = [sp.diff(p, x) for p in momenta for x in v]
    given = mechanism.forces or [sp.Integer(0)] * len(q)
    h = []
    for p, x, f in zip(momenta, q, given):
        h.append(f + sp.diff(mechanism.kinetic, x) - sp.diff(mechanism.potential, x) - rate(p, mechanism))
    g = mechanism.constraints
    gradient = [sp.diff(c, x) for c in g for x in q]
    rates = [rate(c, mechanism) for c in g]
    gamma = [-rate(c, mechanism) for c in rates]
    return {"M": mass, "h": h, "G": gradient, "gamma": gamma, "g": g, "rate": rates, "shown": list(mechanism.shown.values())}


def write_c(mechanism, path):
    """The file that sundials.c includes."""
    parts = terms(mechanism)
    q, v = mechanism.q, mechanism.v
    names = [name for name, rows in parts.items() for _ in rows]
    places = [k for rows in parts.values() for k in range(len(rows))]
    common, rows = sp.cse([row for rows in parts.values() for row in rows], symbols=sp.numbered_symbols("w"))
    lines = [
        "#include <math.h>",
        f"enum {{ N = {len(q)}, C = {len(mechanism.constraints)}, SHOWN = {len(mechanism.shown)} }};",
        "void terms(double t, const double *q, const double *v, double *M, double *h, double *G, double *gamma, double *g, double *rate, double *shown) {",
    ]
    lines += [f"  const double {s} = q[{k}];" for k, s in enumerate(q)]
    lines += [f"  const double {s} = v[{k}];" for k, s in enumerate(v)]
    lines += [f"  const double {s} = {sp.ccode(e)};" for s, e in common]
    lines += [f"  {name}[{k}] = {sp.ccode(e)};" for name, k, e in zip(names, places, rows)]
    lines += ["  (void)t; (void)q; (void)v; (void)M; (void)h; (void)G; (void)gamma; (void)g; (void)rate; (void)shown;", "}"]
    start, rates = ([f"{float(x)!r}" for x in values] for values in (mechanism.start, mechanism.start_rates))
    lines += [f"const double START[] = {{{', '.join(start)}}};", f"const double RATES[] = {{{', '.join(rates)}}};"]
    breaks = [f"{float(x)!r}" for x in [*mechanism.breaks, mechanism.end]]
    lines += [f"const double BREAKS[] = {{{', '.join(breaks)}}};", ""]
    path.write_text("\n".join(lines))


class Compiled:
    """The function of C, as SciPy calls it: rates of the state (q, v), with multipliers eliminated (index 1)."""

    def __init__(self, mechanism, folder, name):
        source, library = folder / f"{name}.c", folder / f"{name}.so"
        write_c(mechanism, source)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-lm"], check=True)
        self.function = ctypes.CDLL(str(library)).terms
        self.function.restype = None
        n, c, shown = len(mechanism.q), len(mechanism.constraints), len(mechanism.shown)
        self.n, self.c = n, c
        self.out = [np.zeros(max(1, k)) for k in (n * n, n, c * n, c, c, c, shown)]
        self.pointers = [a.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for a in self.out]
        self.state = np.zeros(2 * n)
        double = ctypes.POINTER(ctypes.c_double)
        self.q = self.state.ctypes.data_as(double)
        self.v = self.state[n:].ctypes.data_as(double)
        self.matrix = np.zeros((n + c, n + c))
        self.right = np.zeros(n + c)

    def evaluate(self, t, y):
        self.state[:] = y
        self.function(ctypes.c_double(t), self.q, self.v, *self.pointers)

    def rates(self, t, y):
        n, c = self.n, self.c
        self.evaluate(t, y)
        mass, h, gradient, gamma = self.out[:4]
        self.matrix[:n, :n] = mass.reshape(n, n)
        self.right[:n] = h
        if c:
            rows = gradient.reshape(c, n)
            self.matrix[n:, :n], self.matrix[:n, n:] = rows, rows.T
            self.right[n:] = gamma
        return np.concatenate([y[n:], np.linalg.solve(self.matrix, self.right)[:n]])

    def shown(self, t, y):
        self.evaluate(t, y)
        return self.out[6].copy()
