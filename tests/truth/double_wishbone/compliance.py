"""Writes compliance.json: equilibria of a double wishbone on bushings, by its balances of forces and moments alone.

Usage: python3 compliance.py    (needs NumPy)

Hardpoints, masses and stiffnesses are those of models/double_wishbone/corner.json and compliance.json, in mm, N and kg;
cases change some of them. The bodies are the upper arm, the lower arm, and the upright with the wheel that its brake holds.
Each has a displacement t and a rotation vector r of its whole, from zero travel about the origin:

    point p of the body:  t + R p,  R = exp(r~) = 1 + sin|r|/|r| r~ + (1 - cos|r|)/|r|² r~²

Bushings have the axis e between both hardpoints of their arm. With the displacement d of the hardpoint, on the arm act
    F = -(Kr (1 - e eᵀ) + Ka e eᵀ) d  at the hardpoint,   T = -(Cr (1 - e eᵀ) + Ca e eᵀ) r,
since at zero travel their axes are parallel and r is the rotation vector between them. The tie rod pulls along its line with
k (length - length of the design), the spring pushes with k (free length - length). Unknown are t, r of three bodies, the
forces f, g in both ball joints and the load w with which the rig holds the centre of the wheel: 25 unknowns. The equations
are six balances of each body, both ball joints and the height of the centre. Newton's method with the Jacobian by complex
steps, exact to rounding; compliances are the same Jacobian's answers to unit loads.
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MODELS = HERE.parents[2] / "models/double_wishbone"
OUTPUTS = ["toe", "camber", "roll_centre", "track_change", "patch_x", "patch_y", "wheel_load"]
POINTS = ["upper_fore", "upper_aft", "upper_ball", "lower_fore", "lower_aft", "lower_ball", "tie_inner", "tie_outer"]
POINTS += ["wheel_centre", "damper_foot", "damper_top"]
# On the contact patch: forward [N], to the left [N], about the vertical [N mm].
LOADS = [[0, 0, 0]]
LOADS += [[0, fy, 0] for fy in (-4000, -2000, -1000, 1000, 2000, 4000)]
LOADS += [[fx, 0, 0] for fx in (-4000, -1000, 1000, 4000)]
LOADS += [[0, 0, mz] for mz in (-400e3, -100e3, 100e3, 400e3)]
LOADS += [[-3000, 2500, -80e3], [1500, -3500, 150e3]]
CASES = [
    {},
    {"travel": -80},
    {"travel": -40},
    {"travel": 40},
    {"travel": 80},
    {"travel": 30, "rack": 12.5, "static_toe": 0.003, "static_camber": -0.012, "tyre_radius": 301},
    {"tie_outer.x": 110, "tie_inner.x": 118, "tie_inner.z": 205, "tie_outer.z": 212, "tie_rod.stiffness": 3000},
    {
        "upper_fore.z": 545, "upper_aft.z": 462, "upper_ball.x": -31, "lower_fore.z": 171, "lower_aft.z": 214, "travel": -25,
        "lower_aft.radial": 900, "lower_aft.axial": 300, "upper_fore.radial": 12000, "upper_fore.axial": 250,
    },
]  # fmt: skip
GRAVITY = 9.81
STEP = 1e-30


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def norm(a):
    return np.sqrt(dot(a, a))


def turn(r):
    """exp(r~) of a rotation vector that may be complex."""
    square = dot(r, r)
    if abs(square) < 1e-4:
        a, b, term = 0, 0, 1
        # sin x/x and (1 - cos x)/x² as series of x².
        for k in range(8):
            a, b = a + term / (2 * k + 1), b + term / ((2 * k + 1) * (2 * k + 2))
            term = -term * square / ((2 * k + 1) * (2 * k + 2))
    else:
        x = np.sqrt(square)
        a, b = np.sin(x) / x, (1 - np.cos(x)) / square
    skew = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    return np.eye(3) + a * skew + b * skew @ skew


class Corner:
    """A set of parameters with the numbers of the files."""

    def __init__(self, parameters, corner, compliance):
        self.q = parameters
        self.p = {name: np.array([parameters[f"{name}.{axis}"] for axis in "xyz"]) for name in POINTS}
        p = self.p
        mass = {part["name"]: part["mass"] for part in corner["parts"]}
        middle = lambda *names: sum(p[name] for name in names) / 3
        self.weights = [
            [(mass["upper_arm"], middle("upper_fore", "upper_aft", "upper_ball"))],
            [(mass["lower_arm"], middle("lower_fore", "lower_aft", "lower_ball"))],
            [(mass["upright"], middle("upper_ball", "lower_ball", "wheel_centre")), (mass["wheel"], p["wheel_centre"])],
        ]
        across, same, along = compliance["defaults"]["forces/bushing"]["torsional_stiffness"]
        assert across == same
        self.torsion = (across, along)
        spring = next(force for force in corner["forces"] if force["name"] == "suspension")
        self.spring = (spring["stiffness"], spring["length"])
        self.inner = p["tie_inner"] + np.array([0, parameters["rack"], 0])
        self.rod = norm(p["tie_outer"] - p["tie_inner"])
        camber, toe = parameters["static_camber"], parameters["static_toe"]
        self.spindle = np.array([np.sin(toe) * np.cos(camber), np.cos(toe) * np.cos(camber), -np.sin(camber)])
        down = np.array([np.sin(camber) * np.sin(toe), np.sin(camber) * np.cos(toe), np.cos(camber)])
        self.contact = p["wheel_centre"] - parameters["tyre_radius"] * down

    def residual(self, x, load):
        p, q = self.p, self.q
        t, r = x[:18].reshape(3, 6)[:, :3], x[:18].reshape(3, 6)[:, 3:]
        rotations = [turn(v) for v in r]
        at = lambda body, point: t[body] + rotations[body] @ point
        upper, lower, load_up = x[18:21], x[21:24], x[24]
        force, moment = np.zeros((3, 3), x.dtype), np.zeros((3, 3), x.dtype)

        def act(body, point, f):
            force[body] += f
            moment[body] += np.cross(point, f)

        for body, arm in enumerate(["upper", "lower"]):
            e = p[f"{arm}_fore"] - p[f"{arm}_aft"]
            e = e / norm(e)
            law = lambda radial, axial, v: -(radial * (v - e * dot(e, v)) + axial * e * dot(e, v))
            for end in [f"{arm}_fore", f"{arm}_aft"]:
                place = at(body, p[end])
                act(body, place, law(q[f"{end}.radial"], q[f"{end}.axial"], place - p[end]))
                moment[body] += law(*self.torsion, r[body])
        for body, weights in enumerate(self.weights):
            for mass, centre in weights:
                act(body, at(body, centre), np.array([0, 0, -mass * GRAVITY]))
        foot = at(1, p["damper_foot"])
        line = foot - p["damper_top"]
        act(1, foot, self.spring[0] * (self.spring[1] - norm(line)) * line / norm(line))
        outer = at(2, p["tie_outer"])
        line = outer - self.inner
        act(2, outer, -q["tie_rod.stiffness"] * (norm(line) - self.rod) * line / norm(line))
        for body, name, f in [(0, "upper_ball", upper), (1, "lower_ball", lower)]:
            act(body, at(body, p[name]), -f)
            act(2, at(2, p[name]), f)
        centre = at(2, p["wheel_centre"])
        act(2, centre, np.array([0, 0, 1]) * load_up)
        act(2, at(2, self.contact), np.array([load[0], load[1], 0]))
        moment[2] += np.array([0, 0, 1]) * load[2]
        balls = [at(body, p[name]) - at(2, p[name]) for body, name in enumerate(["upper_ball", "lower_ball"])]
        height = centre[2] - p["wheel_centre"][2] - q["travel"]
        return np.concatenate([force.ravel(), moment.ravel() / 100, *balls, [height]])

    def jacobian(self, x, load):
        columns = []
        for k in range(len(x)):
            moved = x.astype(complex)
            moved[k] += 1j * STEP
            columns.append(self.residual(moved, load).imag / STEP)
        return np.array(columns).T

    def outputs(self, x):
        p, q = self.p, self.q
        t, r = x[:18].reshape(3, 6)[:, :3], x[:18].reshape(3, 6)[:, 3:]
        at = lambda body, name: t[body] + turn(r[body]) @ p[name]
        centre, s = at(2, "wheel_centre"), turn(r[2]) @ self.spindle
        lean, radius = np.sqrt(s[0] ** 2 + s[1] ** 2), q["tyre_radius"]
        y, z = centre[1] + radius * s[2] * s[1] / lean, centre[2] - radius * lean
        lines = []
        for body, arm in enumerate(["upper", "lower"]):
            ball = at(body, f"{arm}_ball")
            n = np.cross(at(body, f"{arm}_fore") - ball, at(body, f"{arm}_aft") - ball)
            lines.append((n[1], n[2], dot(n, ball) - n[0] * centre[0]))
        (ay, az, ad), (by, bz, bd) = lines
        w, icy, icz = ay * bz - by * az, ad * bz - bd * az, ay * bd - by * ad
        patch = t[2] + turn(r[2]) @ self.contact - self.contact
        # Where the wheel's lowest point is at zero travel.
        rest = self.contact[1]
        return np.array([
            np.arctan(s[0] / s[1]), np.arcsin(-s[2]), -y * (icz - z * w) / (icy - y * w), 2 * (y - rest), patch[0], patch[1], x[24]
        ])  # fmt: skip

    def solve(self, x, load):
        """Newton's method, from a near equilibrium."""
        load = np.array(load, float)
        for _ in range(40):
            by = np.linalg.solve(self.jacobian(x, load), self.residual(x, load))
            x = x - by
            if np.abs(by[:18]).max() < 1e-13:
                return x
        # What rounding leaves.
        assert np.abs(by[:18]).max() < 1e-9, by
        return x

    def reach(self, load):
        """An equilibrium, reached from the design in ten parts of the way in travel, rack and weights."""
        x, q, weights = np.zeros(25), self.q, self.weights
        inner, spring = self.inner, self.spring
        for part in np.linspace(0.1, 1, 10):
            self.q = q | {"travel": q["travel"] * part}
            self.inner = self.p["tie_inner"] + (inner - self.p["tie_inner"]) * part
            self.spring = (spring[0] * part, spring[1])
            self.weights = [[(mass * part, centre) for mass, centre in all] for all in weights]
            x = self.solve(x, np.array(load) * part)
        return x

    def slopes(self, x, load):
        """Derivatives of all outputs by the three loads."""
        unit = np.eye(3)
        load = np.array(load, float)
        rows = []
        for k in range(3):
            by = self.residual(x.astype(complex), load + 1j * STEP * unit[k]).imag / STEP
            way = -np.linalg.solve(self.jacobian(x, load), by)
            rows.append((self.outputs(x + 1j * STEP * way).imag / STEP).tolist())
        return rows


def main():
    corner, compliance = (json.loads((MODELS / name).read_text()) for name in ["corner.json", "compliance.json"])
    given = corner["parameters"] + compliance["parameters"]
    nominal = {parameter["name"]: float(parameter["start"]) for parameter in given}
    cases, worst = [], 0.0
    for changed in CASES:
        design = Corner(nominal | changed, corner, compliance)
        rest = design.reach(LOADS[0])
        found = [design.solve(rest, load) for load in LOADS]
        worst = max([worst] + [np.abs(design.residual(x, load)).max() for x, load in zip(found, LOADS)])
        slopes, loaded = (design.slopes(found[k], LOADS[k]) for k in (0, -1))
        rows = [design.outputs(x).tolist() for x in found]
        cases.append({"parameters": changed, "outputs": rows, "slopes": slopes, "loaded_slopes": loaded})
        toe, camber = 180 / np.pi * np.array(cases[-1]["slopes"])[:, :2].T
        print(f"{changed}: toe {toe[1] * 1e3:.4f} deg/kN across, {toe[0] * 1e3:.4f} along, {toe[2] * 1e5:.4f} deg/(100 N m);"
              f" camber {camber[1] * 1e3:.4f}, {camber[0] * 1e3:.4f}, {camber[2] * 1e5:.4f}; patch"
              f" {cases[-1]['slopes'][1][5] * 1e3:.4f} mm/kN across, {cases[-1]['slopes'][0][4] * 1e3:.4f} along")
    print(f"balances are met to {worst:.1e} (N, N·100 mm, mm)")
    data = {"outputs": OUTPUTS, "loads": LOADS, "cases": cases}
    text = json.dumps(data)
    for key in ["parameters", "outputs", "slopes", "loaded_slopes"]:
        text = text.replace(f'"{key}"', f'\n"{key}"')
    (HERE / "compliance.json").write_text(text.replace("], [", "],\n[").replace('{\n"parameters"', '\n{"parameters"') + "\n")


if __name__ == "__main__":
    main()
