"""Published mechanisms by their energies, with the data of their publications: Andrews' squeezer, the car axis, tops and a spatial slider-crank.

References are trajectories of tests/truth, which are of other origin.
"""

import json
from pathlib import Path

import numpy as np
import sympy as sp
from mechanism import TIME, Mechanism, coordinates

TRUTH = Path(__file__).parent.parent / "truth"


def parameters(case):
    return json.loads((TRUTH / case / "reference.json").read_text())["parameters"]


def squared(place, q, v):
    """Squared speed of a point."""
    return sum(sum(sp.diff(x, c) * w for c, w in zip(q, v)) ** 2 for x in place)


def toward(angle):
    return sp.Matrix([sp.cos(angle), sp.sin(angle)])


def andrews():
    """Hairer and Wanner, Solving Ordinary Differential Equations II, VII.7; seven relative angles and three closed loops."""
    known = parameters("A01_andrews_squeezer")
    p = {name: sp.Float(x, 17) for name, x in known.items() if not isinstance(x, list)}
    names = "beta Theta gamma Phi delta Omega epsilon"
    q, v = coordinates(names)
    beta, theta, gamma, phi, delta, omega, epsilon = q
    right = sp.pi / 2
    a, b, c = (sp.Matrix([p[f"x{k}"], p[f"y{k}"]]) for k in "abc")
    centres = [
        p["ra"] * toward(beta),
        p["rr"] * toward(beta) - p["da"] * toward(beta + theta),
        b + p["sb"] * toward(gamma) + p["sa"] * toward(gamma - right),
        a + p["zt"] * toward(delta) + (p["e"] - p["ea"]) * toward(phi + delta - right),
        a + p["ta"] * toward(delta) + p["tb"] * toward(delta + right),
        a + p["u"] * toward(epsilon - right) + (p["zf"] - p["fa"]) * toward(omega + epsilon),
        a + p["ua"] * toward(epsilon - right) - p["ub"] * toward(epsilon),
    ]
    turned = [beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon]
    kinetic = sum(
        sp.Rational(1, 2) * (m * squared(centre, q, v) + i * squared([angle], q, v)) for m, i, centre, angle in zip(known["m"], known["I"], centres, turned)
    )
    meet = p["rr"] * toward(beta) - p["d"] * toward(beta + theta)
    others = [
        b + p["ss"] * toward(gamma - right),
        a + p["zt"] * toward(delta) + p["e"] * toward(phi + delta - right),
        a + p["u"] * toward(epsilon - right) + p["zf"] * toward(omega + epsilon),
    ]
    hook = b + p["sd"] * toward(gamma) + p["sc"] * toward(gamma - right) - c
    potential = p["c0"] / 2 * (sp.sqrt(hook.dot(hook)) - p["l0"]) ** 2 - p["mom"] * beta
    start = [-0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885884, 0.487364979543842550, -0.222668390165885884, 1.23054744454982119]
    return Mechanism(
        q, v, kinetic, potential, constraints=[x for other in others for x in meet - other], shown=dict(zip(names.split(), q)), start=start, start_rates=[0] * 7, end=0.03
    )


def car_axis():
    """Schneider's car axis, Test Set for IVP Solvers: two masses on a rigid axle, the right spring stands on a moving point."""
    q, v = coordinates("xl yl xr yr")
    xl, yl, xr, yr = q
    mass, rest = sp.Float("5e-4"), sp.Rational(1, 2)
    high = sp.sin(10 * TIME) / 10
    far = sp.sqrt(1 - high**2)
    spring = lambda x, y: (sp.sqrt(x**2 + y**2) - rest) ** 2 / 2
    return Mechanism(
        q,
        v,
        mass / 2 * sum(w**2 for w in v),
        spring(xl, yl) + spring(xr - far, yr - high) + mass * (yl + yr),
        constraints=[xl * far + yl * high, ((xl - xr) ** 2 + (yl - yr) ** 2 - 1) / 2],
        shown=dict(zip(["xl", "yl", "xr", "yr"], q)),
        start=[0, 0.5, 1, 0.5],
        start_rates=[-0.5, 0, -0.5, 0],
        end=3.0,
    )


def rotation(p):
    """Rotation matrix and angular velocity in body axes of unit quaternions, for rates w."""
    a, b, c, d = p
    matrix = sp.Matrix(
        [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
        ]
    )
    spin = lambda w: 2 * sp.Matrix([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]]) * sp.Matrix(w)
    return matrix, spin


def started(axes, spin):
    """Quaternion of a rotation matrix, and its rates for an angular velocity in body axes."""
    trace = np.trace(axes)
    a = np.sqrt(1 + trace) / 2
    b, c, d = [(axes[2, 1] - axes[1, 2]) / (4 * a), (axes[0, 2] - axes[2, 0]) / (4 * a), (axes[1, 0] - axes[0, 1]) / (4 * a)]
    rates = 0.5 * np.array([[-b, -c, -d], [a, -d, c], [d, a, -b], [-c, b, a]]) @ spin
    return [a, b, c, d], list(rates)


def heavy_top():
    """Geradin and Cardona, Flexible Multibody Dynamics: a top that spins at 150 rad/s, here by its quaternion."""
    known = parameters("D01_heavy_top")
    q, v = coordinates("e0 e1 e2 e3")
    matrix, spin = rotation(q)
    mass, centre = sp.Float(known["m"]), sp.Matrix(known["cm"])
    inertia = sp.Matrix(known["J_cm"]) + mass * (centre.dot(centre) * sp.eye(3) - centre * centre.T)
    turning = spin(v)
    place = matrix * centre
    start, rates = started(np.eye(3), np.array(known["omega0_body"]))
    return Mechanism(
        q,
        v,
        (turning.T * inertia * turning)[0] / 2,
        mass * known["g"] * place[2],
        constraints=[(sum(x**2 for x in q) - 1) / 2],
        shown=dict(zip("xyz", place)),
        start=start,
        start_rates=rates,
        end=0.2,
    )


def spatial_slider_crank():
    """Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems: crank, rod on a spherical and a universal joint, slider."""
    known = parameters("D06_spatial_slider_crank")
    crank_mass, rod_mass, slider_mass = known["m"]
    long, short, g = known["lr"], known["lc"], known["g"]
    q, v = coordinates("theta s e0 e1 e2 e3")
    theta, s = q[:2]
    matrix, spin = rotation(q[2:])
    end = sp.Matrix([s, 0, 0])
    along = matrix[:, 0]
    centre = end - long / 2 * along
    pin = sp.Matrix([0, known["yA"] - short * sp.sin(theta), known["zA"] + short * sp.cos(theta)])
    gap = end - long * along - pin
    turning = spin(v[2:])
    thin, thick = known["J_rod_xalong"][:2]
    kinetic = (
        (known["J_crank"][0] + crank_mass * (short / 2) ** 2) * v[0] ** 2 + slider_mass * v[1] ** 2 + rod_mass * squared(centre, q, v)
        + thin * turning[0] ** 2 + thick * (turning[1] ** 2 + turning[2] ** 2)
    ) / 2
    potential = g * (crank_mass * short / 2 * sp.cos(theta) + rod_mass * centre[2])
    # Axes of the rod: along it, and across it and the slider's line.
    x = np.array([0.2, -0.1, -0.2]) / 0.3
    y = np.cross(x, [1, 0, 0])
    y /= np.linalg.norm(y)
    axes = np.column_stack([x, y, np.cross(x, y)])
    p, rates = started(axes, axes.T @ np.array([1.92, -0.96, 0.48]))
    return Mechanism(
        q,
        v,
        kinetic,
        potential,
        constraints=[*gap, matrix[0, 1], (sum(x**2 for x in q[2:]) - 1) / 2],
        shown={"theta": theta, "slider_x": s, **dict(zip(["rod_x", "rod_y", "rod_z"], centre))},
        start=[0, 0.2, *p],
        start_rates=[6, 0.24, *rates],
        end=5.0,
    )


