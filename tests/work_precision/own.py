"""Small problems of our own that strain an integrator: stiff bushings, a thousand bounces, stick and slip, forces that jump."""

import numpy as np
import sympy as sp
from mechanism import TIME, Mechanism, coordinates

#: Mass [kg], contact stiffness [N/m], gravity, and the height from which the ball falls [m].
BALL, CONTACT, GRAVITY, DROP = 1.0, 1.0e4, 9.81, 0.05
BOUNCES = 1000


def ball_times():
    """Time of a fall, and of a contact, which is a part of a harmonic motion about the static deflection."""
    fall = np.sqrt(2 * DROP / GRAVITY)
    frequency = np.sqrt(CONTACT / BALL)
    sag = BALL * GRAVITY / CONTACT
    # x = -sag + A cos(W (t - half)) below zero, with the speed of the fall at its ends.
    size = np.hypot(sag, GRAVITY * fall / frequency)
    half = np.arccos(sag / size) if sag < size else 0.0
    return fall, (np.pi - half) / frequency, frequency, sag, size


def ball(t):
    """Height and velocity in closed form: falls, contacts and rises follow each other without loss."""
    fall, half, frequency, sag, size = ball_times()
    period = 2 * (fall + half)
    t = np.mod(t + fall + half, period) - fall - half
    # Now zero is the highest point, and contact is at both ends.
    inside = np.abs(t) > fall
    deep = frequency * (fall + half - np.abs(t))
    height = np.where(inside, -sag - size * np.cos(deep), DROP - GRAVITY * t * t / 2)
    speed = np.where(inside, -np.sign(t) * size * frequency * np.sin(deep), -GRAVITY * t)
    return height, speed


def bouncing_ball():
    q, v = coordinates("z")
    fall, half, *_ = ball_times()
    push = sp.Piecewise((-CONTACT * q[0], q[0] < 0), (0, True))
    pressed = sp.Piecewise((CONTACT * q[0] ** 2 / 2, q[0] < 0), (0, True))
    rises = q[0] + (BALL * v[0] ** 2 / 2 + pressed) / (BALL * GRAVITY)
    return Mechanism(q, v, BALL * v[0] ** 2 / 2, BALL * GRAVITY * q[0], [push], shown={"z": q[0], "rises": rises}, start=[DROP], start_rates=[0], end=float(2 * BOUNCES * (fall + half)))


def stick_slip():
    """A mass on a belt and a spring: friction that falls with the speed and is smooth, with a steep rise within 1 mm/s."""
    q, v = coordinates("x")
    slip = v[0] - sp.Float("0.1")
    friction = -4 * (sp.Float("0.2") + sp.Float("0.15") * sp.exp(-((slip / sp.Float("0.1")) ** 2))) * sp.tanh(1000 * slip)
    return Mechanism(q, v, v[0] ** 2 / 2 * sp.Float("0.4"), 20 * q[0] ** 2, [friction], shown={"x": q[0]}, start=[0], start_rates=[0], end=5.0)


def jumping_force():
    """Two masses on springs, one of them hard; a force jumps at 0.2, 0.37 and 0.9 s and its slope at 0.6 s."""
    q, v = coordinates("x y")
    x, y = q
    t = TIME
    force = sp.Piecewise((0, t < sp.Float("0.2")), (30, t < sp.Float("0.37")), (-20, t < sp.Float("0.6")), (-20 + 400 * (t - sp.Float("0.6")), t < sp.Float("0.9")), (0, True))
    damping = 5 * (v[0] - v[1])
    return Mechanism(
        q, v, (v[0] ** 2 + sp.Float("0.2") * v[1] ** 2) / 2, 200 * x**2 + sp.Float("2e4") * (x - y) ** 2, [-damping, damping + force],
        shown={"x": x, "y": y}, start=[0, 0], start_rates=[0, 0], end=1.5, breaks=[0.2, 0.37, 0.6, 0.9],
    )


#: Bar: mass, moment of inertia, half its length; bushings: stiffness along and across, damping of both, torsion.
BAR, BAR_INERTIA, HALF = 10.0, 0.3, 0.3
STIFF, SIDE, DAMPED, TWIST, TWIST_DAMPED = 5.0e7, 2.0e7, 4.0e4, 2.0e3, 20.0
#: What hangs on the bar by a soft bushing.
LOAD, LOAD_INERTIA, SOFT, SOFT_DAMPED = 4.0, 0.05, 3.0e3, 20.0


def bushings():
    """A bar on two stiff bushings, of which one stands on ground that shakes, and a load on a soft one; in the plane of x and z."""
    q, v = coordinates("x z turn u w lean")
    x, z, turn, u, w, lean = q
    c, s = sp.cos(turn), sp.sin(turn)
    # Turns about y: x goes towards -z.
    place = lambda at, high: sp.Matrix([x + at * c + high * s, z - at * s + high * c])
    shaken = sp.Matrix([0, sp.Float("0.005") * sp.sin(40 * TIME)])
    elastic, lost = sp.Integer(0), sp.Integer(0)
    rate = lambda of: sp.diff(of, TIME) + sum(sp.diff(of, a) * b for a, b in zip(q, v))
    for at, foot in ((-HALF, sp.Matrix([-HALF, 0])), (HALF, sp.Matrix([HALF, 0]) + shaken)):
        d = place(at, 0) - foot
        elastic += (SIDE * d[0] ** 2 + STIFF * d[1] ** 2 + TWIST * turn**2) / 2
        lost += (DAMPED * (rate(d[0]) ** 2 + rate(d[1]) ** 2) + TWIST_DAMPED * v[2] ** 2) / 2
    # The load's bushing has the axes of the bar, at its middle 0.1 m below.
    gap = sp.Matrix([u, w]) + sp.Matrix([sp.Float("0.1") * sp.sin(lean), sp.Float("0.1") * sp.cos(lean)]) - place(0, -sp.Float("0.1"))
    d = sp.Matrix([c * gap[0] - s * gap[1], s * gap[0] + c * gap[1]])
    elastic += (SOFT * (d[0] ** 2 + d[1] ** 2) + 50 * (lean - turn) ** 2) / 2
    lost += (SOFT_DAMPED * (rate(d[0]) ** 2 + rate(d[1]) ** 2) + (v[5] - v[2]) ** 2) / 2
    kinetic = (BAR * (v[0] ** 2 + v[1] ** 2) + BAR_INERTIA * v[2] ** 2 + LOAD * (v[3] ** 2 + v[4] ** 2) + LOAD_INERTIA * v[5] ** 2) / 2
    weight = sp.Float("9.81") * (BAR * z + LOAD * w)
    return Mechanism(
        q, v, kinetic, elastic + weight, [-sp.diff(lost, a) for a in v], shown=dict(zip("x z turn u w lean".split(), q)),
        start=[0, 0, 0, 0, -0.2, 0], start_rates=[0] * 6, end=2.0,
    )
