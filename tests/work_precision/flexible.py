"""Flexible mechanisms: Simeon's slider-crank, and a pendulum that is a soft beam, by point masses at Gauss's places and shapes between them.

Simeon, Modelling a flexible slider crank mechanism by a mixed system of DAEs and PDEs, Mathematical Modelling of Systems 2 (1996): data, shapes and
stiffness. The file that circulates with the Test Set for IVP Solvers has masses of the longitudinal shapes that are 15 times as large as the integrals;
here are the integrals.
"""

from dataclasses import dataclass

import flexfile
import numpy as np
import sympy as sp
from mechanism import TIME, Mechanism, coordinates

#: Places of Gauss's rule between 0 and 1, and weights; exact for products of the shapes to rounding.
COUNT = 14
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(COUNT)
PLACES, WEIGHTS = (PLACES + 1) / 2, WEIGHTS / 2


@dataclass
class Beam:
    """A straight beam along x from its pin; shapes as functions of x/length: along (x) or across (y)."""

    length: float
    #: Mass per length, EA, EI.
    line: float
    axial: float
    bending: float
    #: (direction, shape, its slope, its second derivative), with lengths in units of the beam's.
    shapes: list

    def masses(self):
        return np.append(self.line * self.length * WEIGHTS, [0.0, 0.0])

    def at(self):
        return np.append(PLACES, [0.0, 1.0])

    def nodal(self):
        """Shapes and slopes at all nodes."""
        at = self.at()
        translations, rotations = np.zeros((2, len(at), len(self.shapes), 3))
        for k, (axis, shape, slope, _) in enumerate(self.shapes):
            translations[:, k, axis] = [shape(x) for x in at]
            if axis == 1:
                rotations[:, k, 2] = [slope(x) / self.length for x in at]
        return translations, rotations

    def stiffness(self):
        """Of stretch and bending, integrated by Gauss's rule."""
        m = len(self.shapes)
        result = np.zeros((m, m))
        for j, (axis, _, slope, bend) in enumerate(self.shapes):
            for k, (other, _, slope2, bend2) in enumerate(self.shapes):
                if axis != other:
                    continue
                if axis == 0:
                    products, scale = [slope(x) * slope2(x) for x in PLACES], self.axial / self.length
                else:
                    products, scale = [bend(x) * bend2(x) for x in PLACES], self.bending / self.length**3
                result[j, k] = scale * np.dot(WEIGHTS, products)
        return (result + result.T) / 2

    def write(self, path, description):
        translations, rotations = self.nodal()
        places = np.zeros((COUNT + 2, 3))
        places[:, 0] = self.length * self.at()
        names = {COUNT: "pin", COUNT + 1: "end"}
        flexfile.write(path, description, self.masses(), places, translations, rotations, self.stiffness(), names)

    def energies(self, pin, angle, modes, mechanism_q, v):
        """Kinetic and elastic energy, and where mass times height is, for a pin at a place that moves."""
        translations, _ = self.nodal()
        rate = lambda of: sp.diff(of, TIME) + sum(sp.diff(of, q) * w for q, w in zip(mechanism_q, v))
        along, across = sp.Matrix([sp.cos(angle), sp.sin(angle)]), sp.Matrix([-sp.sin(angle), sp.cos(angle)])
        kinetic, lift = sp.Integer(0), sp.Integer(0)
        for mass, x, shape in zip(self.masses(), self.at(), translations):
            if mass == 0:
                continue
            ux = self.length * x + sum(shape[k, 0] * q for k, q in enumerate(modes))
            uy = sum(shape[k, 1] * q for k, q in enumerate(modes))
            # Components of the velocity in the axes of the beam: linear in all rates, so that terms stay short.
            base = sp.Matrix([rate(c) for c in pin])
            turn = rate(angle)
            vx = base.dot(along) + rate(ux) - turn * uy
            vy = base.dot(across) + rate(uy) + turn * ux
            kinetic += mass / 2 * (vx**2 + vy**2)
            lift += mass * (pin[1] + ux * along[1] + uy * across[1])
        strain = self.stiffness()
        elastic = sum(strain[j, k] * a * b / 2 for j, a in enumerate(modes) for k, b in enumerate(modes))
        return sp.expand(kinetic), elastic, lift


def sine(n):
    w = n * np.pi
    return (1, lambda x: np.sin(w * x), lambda x: w * np.cos(w * x), lambda x: -w * w * np.sin(w * x))


def power(axis, n):
    return (axis, lambda x: x**n, lambda x: n * x ** (n - 1), lambda x: n * (n - 1) * x ** max(0, n - 2))


ROD = Beam(
    0.3, 7870 * 0.008**2, 0.2e12 * 0.008**2, 0.2e12 * 0.008**4 / 12,
    [sine(1), sine(2), (0, lambda x: 4 * x * (1 - x), lambda x: 4 - 8 * x, None), (0, lambda x: x * (2 * x - 1), lambda x: 4 * x - 1, None)],
)
CRANK, SLIDER, SPEED = 0.15, 0.075552, 150.0


def flexible_crank():
    """The rod's angle, the slider and four shapes; the crank turns at 150 rad/s from the outer dead centre, with the rod undeformed."""
    q, v = coordinates("angle slider q1 q2 q3 q4")
    angle, slider, *modes = q
    pin = [CRANK * sp.cos(SPEED * TIME), CRANK * sp.sin(SPEED * TIME)]
    kinetic, elastic, _ = ROD.energies(pin, angle, modes, q, v)
    end = ROD.length + modes[3]
    return Mechanism(
        q, v, kinetic + SLIDER / 2 * v[1] ** 2, elastic,
        constraints=[pin[0] + end * sp.cos(angle) - slider, pin[1] + end * sp.sin(angle)],
        shown={"angle": angle, "slider": slider, "q1": modes[0], "q2": modes[1], "stretch": modes[3]},
        start=[0, CRANK + ROD.length, 0, 0, 0, 0], start_rates=[-SPEED * CRANK / ROD.length, 0, 0, 0, 0, 0], end=0.1,
    )


#: 1 m, 0.5 kg; its first bending as a cantilever is near 5 Hz.
SOFT = Beam(1.0, 0.5, 4.0e4, 40.0 / 12, [power(1, 2), power(1, 3), power(0, 1)])


def flexible_pendulum():
    """A soft beam, clamped to a hinge without friction, is let go from the horizontal."""
    q, v = coordinates("angle q1 q2 q3")
    angle, *modes = q
    kinetic, elastic, lift = SOFT.energies([sp.Integer(0), sp.Integer(0)], angle, modes, q, v)
    place = sp.Matrix([SOFT.length + modes[2], modes[0] + modes[1]])
    c, s = sp.cos(angle), sp.sin(angle)
    return Mechanism(
        q, v, kinetic, elastic + 9.81 * lift,
        shown={"angle": angle, "bend": modes[0] + modes[1], "x": c * place[0] - s * place[1], "y": s * place[0] + c * place[1]},
        start=[0] * 4, start_rates=[0] * 4, end=2.0,
    )
