"""Writes reference.json: kinematics of a double wishbone, from its constraint equations alone.

Usage: python3 reference.py    (needs NumPy and SciPy)

The hardpoints are those of models/double_wishbone/corner.json, in mm; cases change some of them. With the angle θ of the
lower arm as the only unknown, everything else follows in closed form:

- the lower ball joint L is that of the design, turned by θ about the lower arm's axis;
- the upper ball joint U is on the circle that the upper arm turns it on, at the design's distance from L;
- the tie rod's outer end T is on the circle about the line U L on which the upright turns it, at the tie rod's length from
  its inner end.

On a circle m + r (e1 cos φ + e2 sin φ), the condition |p - q| = l is a cos φ + b sin φ = c, whose two solutions are
    cos φ = (a c ∓ b s)/(a² + b²),  sin φ = (b c ± a s)/(a² + b²),  s² = a² + b² - c².
The sign is that of the design for the whole travel: this is the branch of assembly. θ is the root of: height of the
wheel's centre = that of the design + travel. The upright's axes are those of the triangle L U T.

Derivatives by hardpoints are complex steps through the same formulas, exact to rounding.
"""

import json
import pathlib

import numpy as np
from scipy.optimize import brentq

HERE = pathlib.Path(__file__).resolve().parent
CORNER = HERE.parents[2] / "models/double_wishbone/corner.json"
OUTPUTS = ["toe", "camber", "roll_centre", "track_change"]
POINTS = ["upper_fore", "upper_aft", "upper_ball", "lower_fore", "lower_aft", "lower_ball", "tie_inner", "tie_outer", "wheel_centre"]
TRAVELS = [-80, -60, -40, -20, -5, 0, 5, 20, 40, 60, 80]
CASES = [
    {},
    {"rack": 12.5, "static_toe": 0.003, "static_camber": -0.012, "tyre_radius": 301},
    {"tie_outer.x": 110, "tie_inner.x": 118, "tie_inner.z": 205, "tie_outer.z": 212},
    {"upper_fore.z": 545, "upper_aft.z": 462, "upper_ball.x": -31, "lower_fore.z": 171, "lower_aft.z": 214},
    {"upper_ball.y": 672.5, "lower_ball.y": 688, "wheel_centre.x": 9, "wheel_centre.z": 322, "rack": -20},
]
STEP = 1e-20


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def norm(a):
    return np.sqrt(dot(a, a))


def circle(point, foot, axis):
    """Centre and two half axes of the circle on which a point turns about a line."""
    e = axis / norm(axis)
    m = foot + e * dot(e, point - foot)
    first = point - m
    return m, first, np.cross(e, first)


def sides(m, first, second, q, length):
    """a, b, c of the condition that the point on the circle is at a length from q."""
    d = m - q
    return 2 * dot(d, first), 2 * dot(d, second), length**2 - dot(d, d) - dot(first, first)


class Corner:
    """A set of parameters, and the branch of its design."""

    def __init__(self, parameters):
        self.q = parameters
        self.p = {name: np.array([parameters[f"{name}.{axis}"] for axis in "xyz"]) for name in POINTS}
        p = self.p
        self.lower = circle(p["lower_ball"], p["lower_aft"], p["lower_fore"] - p["lower_aft"])
        self.upper = circle(p["upper_ball"], p["upper_aft"], p["upper_fore"] - p["upper_aft"])
        self.height = norm(p["upper_ball"] - p["lower_ball"])
        self.rod = norm(p["tie_outer"] - p["tie_inner"])
        self.inner = p["tie_inner"] + np.array([0, parameters["rack"], 0])
        self.frame = self.axes(p["lower_ball"], p["upper_ball"], p["tie_outer"])
        camber, toe = parameters["static_camber"], parameters["static_toe"]
        self.spindle = np.array([np.sin(toe) * np.cos(camber), np.cos(toe) * np.cos(camber), -np.sin(camber)])
        # At the design φ is zero: a = c, and b has the sign of the branch.
        self.upper_sign = np.sign(sides(*self.upper, p["lower_ball"], self.height)[1].real)
        across = circle(p["tie_outer"], p["lower_ball"], p["upper_ball"] - p["lower_ball"])
        self.tie_sign = np.sign(sides(*across, p["tie_inner"], self.rod)[1].real)

    @staticmethod
    def axes(lower, upper, outer):
        z = (upper - lower) / norm(upper - lower)
        x = outer - lower
        x = x - z * dot(x, z)
        x = x / norm(x)
        return np.stack([x, np.cross(z, x), z], axis=1)

    @staticmethod
    def on_circle(where, q, length, sign):
        m, first, second = where
        a, b, c = sides(m, first, second, q, length)
        square = a**2 + b**2
        s = sign * np.sqrt(square - c**2)
        # Where c = a, as at the design, cos φ = 1.
        return m + first * (a * c + b * s) / square + second * (b * c - a * s) / square

    def pose(self, theta):
        """The ball joints, the tie rod's end, the wheel's centre and its axis."""
        m, first, second = self.lower
        lower = m + first * np.cos(theta) + second * np.sin(theta)
        upper = self.on_circle(self.upper, lower, self.height, self.upper_sign)
        # Where the design's outer end would be if the upright did not turn about U L: any point of the circle.
        z = (upper - lower) / self.height
        p = self.p
        drop = p["tie_outer"] - p["lower_ball"]
        along = dot(drop, (p["upper_ball"] - p["lower_ball"]) / self.height)
        radius = np.sqrt(dot(drop, drop) - along**2)
        x = np.array([1.0, 0.0, 0.0]) - z * z[0]
        x = x / norm(x)
        where = (lower + z * along, x * radius, np.cross(z, x) * radius)
        outer = self.on_circle(where, self.inner, self.rod, self.tie_sign)
        turn = self.axes(lower, upper, outer) @ self.frame.T
        return lower, upper, outer, lower + turn @ (p["wheel_centre"] - p["lower_ball"]), turn @ self.spindle

    def theta(self, travel):
        lift = lambda theta: (self.pose(theta)[3][2] - self.p["wheel_centre"][2] - travel)
        real = Corner({name: np.real(value) for name, value in self.q.items()})
        height = lambda theta: real.pose(theta)[3][2] - real.p["wheel_centre"][2] - travel
        theta = brentq(height, -0.6, 0.6, xtol=1e-15, rtol=1e-15)
        slope = (height(theta + 1e-5) - height(theta - 1e-5)) / 2e-5
        # Real and imaginary part by the same slope.
        for _ in range(6):
            theta = theta - lift(theta) / slope
        return theta

    def outputs(self, travel):
        lower, upper, outer, centre, s = self.pose(self.theta(travel))
        lean = np.sqrt(s[0] ** 2 + s[1] ** 2)
        radius = self.q["tyre_radius"]
        y = centre[1] + radius * s[2] * s[1] / lean
        z = centre[2] - radius * lean
        p, q = self.p, self.q
        lines = []
        for fore, aft, ball in [("upper_fore", "upper_aft", upper), ("lower_fore", "lower_aft", lower)]:
            n = np.cross(p[fore] - ball, p[aft] - ball)
            # n (r - ball) = 0 in the plane x of the wheel's centre: n_y y + n_z z = d
            lines.append((n[1], n[2], dot(n, ball) - n[0] * centre[0]))
        (ay, az, ad), (by, bz, bd) = lines
        w = ay * bz - by * az
        icy, icz = (ad * bz - bd * az), (ay * bd - by * ad)
        rest = p["wheel_centre"][1] - radius * np.sin(q["static_camber"]) * np.cos(q["static_toe"])
        return np.array(
            [np.arctan(s[0] / s[1]), np.arcsin(-s[2]), -y * (icz - z * w) / (icy - y * w), 2 * (y - rest)]
        )

    def violation(self, travel):
        """How far the conditions are from being met [mm]."""
        lower, upper, outer, centre, _ = self.pose(self.theta(travel))
        p = self.p
        pairs = [(lower, upper, self.height), (outer, self.inner, self.rod)]
        for fore, aft, ball, name in [
            ("lower_fore", "lower_aft", lower, "lower_ball"),
            ("upper_fore", "upper_aft", upper, "upper_ball"),
        ]:
            pairs += [(ball, p[end], norm(p[name] - p[end])) for end in (fore, aft)]
        for one, other in [("tie_outer", "lower_ball"), ("tie_outer", "upper_ball")]:
            ball = lower if other == "lower_ball" else upper
            pairs.append((outer, ball, norm(p[one] - p[other])))
        worst = max(abs(norm(a - b) - length) for a, b, length in pairs)
        return max(worst, abs(centre[2] - p["wheel_centre"][2] - travel))


def main():
    corner = json.loads(CORNER.read_text())
    nominal = {parameter["name"]: float(parameter["start"]) for parameter in corner["parameters"]}
    names = [f"{point}.{axis}" for point in POINTS for axis in "xyz"]
    cases, worst = [], 0.0
    for changed in CASES:
        parameters = nominal | changed
        design = Corner(parameters)
        worst = max([worst] + [design.violation(travel) for travel in TRAVELS])
        curves = [design.outputs(travel).tolist() for travel in TRAVELS]
        slopes = []
        for name in names:
            moved = Corner({k: complex(v) if k != name else complex(v, STEP) for k, v in parameters.items()})
            slopes.append([(moved.outputs(travel).imag / STEP).tolist() for travel in TRAVELS])
        cases.append({"parameters": changed, "curves": curves, "slopes": slopes})
    print(f"conditions are met to {worst:.1e} mm")
    data = {"outputs": OUTPUTS, "hardpoints": names, "travels": TRAVELS, "cases": cases}
    text = json.dumps(data).replace('{"parameters"', '\n{"parameters"').replace('"curves"', '\n"curves"').replace('"slopes"', '\n"slopes"')
    (HERE / "reference.json").write_text(text.replace("]], [[", "]],\n[[") + "\n")


if __name__ == "__main__":
    main()
