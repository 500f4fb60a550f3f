"""Rates of the wheelset (wheelset.py) in the publication's own coordinates: x, y, z, yaw, roll, their rates, and how much faster than nominal it rolls.

Accelerations and both normal forces follow from the constraints differentiated twice; places of contact are those of the publication's equations.
"""

import numpy as np
from wheelset import DATA, START

P = DATA
T = np.tan(P["cone"])


def contact(q, sign):
    """Where a wheel touches its rail: turn about the axle psi by sine and cosine, place xi on it, radius there; for complex q too."""
    x, y, _, yaw, roll = q
    st, ct, sp, cp = np.sin(yaw), np.cos(yaw), np.sin(roll), np.cos(roll)
    s, c = np.sin(P["cone"]), np.cos(P["cone"])
    e = sign * np.array([ct * cp, sp, -st * cp])
    square = e[0] ** 2 + e[1] ** 2
    k = sign * np.sqrt(1 - s * s / square) / np.sqrt(square)
    n = np.array([s * e[0] / square + k * e[1], s * e[1] / square - k * e[0]])
    far = P["half"] + P["radius"] / T
    d = np.array([sign * (P["half"] + s * P["rail"]) - x - far * e[0], -P["radius"] - c * P["rail"] - y - far * e[1]])
    way = c * (n[0] * d[1] - n[1] * d[0]) / (n[0] * (e[1] - s * n[1]) - n[1] * (e[0] - s * n[0]))
    r = np.array([far * e[0] + d[0] - P["rail"] * n[0], far * e[1] + d[1] - P["rail"] * n[1], far * e[2] + way * e[2] / c])
    radius, xi = -s * way, sign * (far + c * way)
    return -(st * r[0] + ct * r[2]) / radius, -(-ct * sp * r[0] + cp * r[1] + st * sp * r[2]) / radius, xi, radius


def rail(place):
    """Height, slope and second derivative of the rails' profile."""
    shift = np.sign(place.real) * (P["half"] + np.sin(P["cone"]) * P["rail"])
    root = np.sqrt(P["rail"] ** 2 - (place - shift) ** 2)
    return root - P["radius"] - np.cos(P["cone"]) * P["rail"], (shift - place) / root, -P["rail"] ** 2 / root**3


def gradient(q, sign):
    """How the gap of a wheel grows with x, y, z, yaw and roll."""
    sps, cps, xi, radius = contact(q, sign)
    st, ct, sp, cp = np.sin(q[3]), np.cos(q[3]), np.sin(q[4]), np.cos(q[4])
    slope = rail(q[0] + xi * ct * cp + radius * (ct * sp * cps - st * sps))[1]
    by_yaw = slope * (radius * (-ct * sps - cps * sp * st) - cp * st * xi)
    by_roll = -cps * radius * sp - cp * xi + slope * (cp * cps * ct * radius - ct * sp * xi)
    return np.array([slope, -1, 0, by_yaw, by_roll])


def creep(q, v, faster, sign, normal):
    """Force of a rail on its wheel, and its torques about the axle's axes (along, upright, forward)."""
    sps, cps, xi, radius = contact(q, sign)
    st, ct, sp, cp = np.sin(q[3]), np.cos(q[3]), np.sin(q[4]), np.cos(q[4])
    slope = -sign * T
    upright = sign * (-slope * sp * sign - cps * cp * sign) if sign > 0 else slope * sp + cps * cp
    tilt = np.arctan(((slope * cp - sp * cps) * ct + sps * st) / upright)
    sd, cd = np.sin(tilt), np.cos(tilt)
    si, co = np.sin(q[3] / cd), np.cos(q[3] / cd)
    spin = P["speed"] / P["radius"] + faster
    xp, yp, zp, yaw, roll = v
    w = np.array([
        -spin * radius * (si * cps + co * sp * sps) + xp - yaw * (radius * (si * sp * cps + co * sps) + xi * si * cp) - roll * co * (xi * sp - radius * cp * cps),
        spin * radius * cp * sps + yp + roll * (xi * cp + radius * sp * cps),
        -spin * radius * (co * cps - si * sp * sps) + P["speed"] + zp - yaw * (xi * co * cp + radius * (co * sp * cps - si * sps)) + roll * si * (xi * sp - radius * cp * cps),
    ])
    rolling = np.linalg.norm(w - 2 * np.array([xp, yp, zp + P["speed"]])) / 2
    along, across = (si * w[0] + co * w[2]) / rolling, (co * cd * w[0] + sign * sd * w[1] - si * cd * w[2]) / rolling
    turning = (-sign * sd * spin + cd * yaw) / rolling
    most = P["friction"] * normal
    widths = 0.5 / (radius * np.sqrt(1 + T * T)) + 0.5 / P["rail"]
    size = np.cbrt(3 * normal * (1 - P["poisson"]) * P["ellipse"] / (2 * np.pi * widths * P["shear"] * np.sqrt(P["shape"])))
    tx = -most * np.tanh(P["shear"] * size**2 * P["c11"] * along / most)
    ty = -most * np.tanh(P["shear"] * size**2 * (P["c22"] * across + size * P["c23"] * turning) / most)
    held = min(1.0, most / max(np.hypot(tx, ty), 1e-300))
    tx, ty = held * tx, held * ty
    f = np.array([si * tx + co * cd * ty, sign * sd * ty, co * tx - si * cd * ty])
    axes = np.array([[ct * cp, sp, -st * cp], [-ct * sp, cp, st * sp], [st, 0, ct]])
    return f, np.cross([xi, -radius * cps, -radius * sps], axes @ f)


def inertia(q):
    """Of the five coordinates; the yaw turns about the upright line."""
    return np.diag([P["mass"]] * 3 + [P["across"] * np.cos(q[4]) ** 2, P["across"]])


def loads(q, v, faster, rows, multipliers):
    """Generalised forces besides those of the constraints; and the rate of the rolling without the yaw's share."""
    sp, cp = np.sin(q[4]), np.cos(q[4])
    spin = P["speed"] / P["radius"] + faster
    pull = -2 * P["reach"] ** 2 * P["cz"] * q[3]
    force = np.array([-2 * P["cx"] * q[0], -P["mass"] * P["gravity"], -2 * P["cz"] * q[2]])
    torque = np.zeros(3)
    for sign, row, multiplier in zip((1, -1), rows, multipliers):
        f, m = creep(q, v, faster, sign, -multiplier * np.hypot(row[0], 1))
        force, torque = force + f, torque + m
    # Upright axis, then forward: the gyroscopic terms are those of a body of revolution.
    upright = P["across"] * v[3] * v[4] * sp - P["along"] * spin * v[4] - (P["along"] - P["across"]) * v[3] * sp * v[4] + torque[1] + cp * pull
    forward = P["along"] * spin * v[3] * cp + (P["along"] - P["across"]) * v[3] ** 2 * sp * cp + torque[2]
    return np.append(force, [cp * upright, forward]), (torque[0] + sp * pull - P["along"] * v[3] * v[4] * cp) / P["along"]


def residual(_t, y, yp, out):
    """Index 2: constraints at the level of velocities, multipliers in units of 10 kN as published."""
    q, v, faster, multipliers = y[:5], y[5:10], y[10], 1e4 * y[11:]
    rows = np.array([gradient(q, sign) for sign in (1, -1)])
    h, rolling = loads(q, v, faster, rows, multipliers)
    out[:5] = yp[:5] - v
    out[5:10] = inertia(q) @ yp[5:10] - h - rows.T @ multipliers
    out[10] = yp[10] + np.sin(q[4]) * yp[8] - rolling
    out[11:] = rows @ v


def descriptor(state):
    """State, multipliers and rates of the residual at the start."""
    yp = rates(0.0, state)
    rows = np.array([gradient(state[:5], sign) for sign in (1, -1)])
    multipliers = np.array([-80.0, -80.0])
    for _ in range(50):
        h, _ = loads(state[:5], state[5:10], state[10], rows, multipliers)
        multipliers = np.linalg.lstsq(rows.T, inertia(state[:5]) @ yp[5:10] - h, rcond=None)[0]
    return np.append(state, multipliers / 1e4), np.append(yp, [0.0, 0.0])


def counts(done):
    """Of a run of scikit-sundae."""
    return {"evaluations": int(done.nfev), "jacobians": int(done.njev)}


def rates(_t, state):
    """Of place, rates and the faster rolling."""
    q, v, faster = state[:5], state[5:10], state[10]
    sp = np.sin(q[4])
    rows = np.array([gradient(q, sign) for sign in (1, -1)])
    tiny = 1e-30
    bent = np.array([gradient(q + 1j * tiny * v, sign) for sign in (1, -1)]).imag / tiny @ v
    normals = np.array([-80.0, -80.0])
    for _ in range(50):
        h, rolling = loads(q, v, faster, rows, normals)
        matrix = np.block([[inertia(q), -rows.T], [rows, np.zeros((2, 2))]])
        solution = np.linalg.solve(matrix, np.append(h, -bent))
        change = np.abs(solution[5:] - normals).max()
        normals = solution[5:]
        if change < 1e-13 * 80:
            break
    a = solution[:5]
    return np.concatenate([v, a, [rolling - sp * a[3]]])


def begun():
    """The start, on both rails."""
    q = np.array(START)
    for _ in range(5):
        gaps, rows = [], []
        for sign in (1, -1):
            sps, cps, xi, radius = contact(q, sign)
            place = q[0] + xi * np.cos(q[3]) * np.cos(q[4]) + radius * (np.cos(q[3]) * np.sin(q[4]) * cps - np.sin(q[3]) * sps)
            gaps.append(rail(place)[0] - q[1] - xi * np.sin(q[4]) + radius * np.cos(q[4]) * cps)
            rows.append(gradient(q, sign))
        q = q - np.linalg.lstsq(np.array(rows), np.array(gaps), rcond=None)[0]
    return np.append(q, np.zeros(6))


if __name__ == "__main__":
    print(rates(0, np.append(START, np.zeros(6))))
