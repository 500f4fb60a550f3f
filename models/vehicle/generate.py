"""Writes the double-wishbone cars of `models/passive_vehicle` and `models/vehicle` from one table of data.

Usage: python3 generate.py [passive_vehicle | vehicle]    (without a name: both)

Only the standard library. Points are in metres, global, in the reference pose: x forward, y to the left, z up, the
origin on the road below the middle of the wheelbase. Every part has its origin at its centre of mass and its axes
along those of ground.
"""

import json
import math
import pathlib
import sys

RADIUS = 0.31
GROUND = "ground"


def add(p, q, s=1.0):
    """p + s q."""
    return tuple(a + s * b for a, b in zip(p, q))


def along(p, q, s):
    """The point at s of the way from p to q."""
    return tuple(a + s * (b - a) for a, b in zip(p, q))


def direction(p, q):
    """Unit vector from p to q."""
    return tuple((b - a) / math.dist(p, q) for a, b in zip(p, q))


class Car:
    """A model under construction."""

    def __init__(self, name, description, speed, rolling_radius):
        self.speed, self.rolling_radius = speed, rolling_radius
        self.places = {GROUND: (0.0, 0.0, 0.0)}
        self.marker_names = set()
        self.model = {
            "$schema": "../../docs/model.schema.json",
            "fixstep": 1,
            "name": name,
            "description": description,
            "gravity": [0, 0, -9.81],
        }

    def put(self, kind, entity):
        self.model.setdefault(kind, []).append(entity)

    def part(self, name, mass, moments, place, wheel=False):
        self.places[name] = place
        self.put("parts", {
            "name": name,
            "mass": mass,
            "inertia": dict(zip(("xx", "yy", "zz"), moments)),
            "position": place,
            "velocity": [self.speed, 0, 0],
            "angular_velocity": [0, self.speed / self.rolling_radius if wheel else 0, 0],
        })

    def rod(self, name, mass, p, q):
        """A slender part from p to q, its moments of inertia all alike."""
        moment = max(mass * math.dist(p, q) ** 2 / 12, mass * 2e-4)
        self.part(name, mass, (moment,) * 3, along(p, q, 0.5))

    def marker(self, part, name, point, axis=None):
        """A marker of `part` at a global point; z along `axis`, x fixed by it."""
        name = f"{part}.{name}"
        if name in self.marker_names:
            return name
        self.marker_names.add(name)
        place = add(point, self.places[part], -1.0)
        marker = {"name": name, "part": part, "position": place}
        if axis is not None:
            length = math.hypot(*axis)
            axis = tuple(a / length for a in axis)
            other = (1.0, 0.0, 0.0) if abs(axis[0]) < 0.8 else (0.0, 1.0, 0.0)
            marker["orientation"] = {"z_point": add(place, axis), "x_point": add(place, other)}
        self.put("markers", marker)
        return name

    def pair(self, a, b, name, point, axis=None):
        return {"i": self.marker(a, name, point, axis), "j": self.marker(b, name, point, axis)}

    def joint(self, kind, name, a, b, point, axis=None):
        self.put("joints", {"name": name, "type": kind, **self.pair(a, b, name, point, axis)})

    def bushing(self, name, a, b, point, stiffness, damping):
        self.put("forces", {
            "name": name, "type": "bushing", **self.pair(a, b, name, point),
            "stiffness": stiffness[:3], "damping": damping[:3],
            "torsional_stiffness": stiffness[3:], "torsional_damping": damping[3:],
        })

    def spring(self, name, a, p, b, q, **numbers):
        self.put("forces", {
            "name": name, "type": "spring_damper",
            "i": self.marker(a, name, p), "j": self.marker(b, name, q), **numbers,
        })

    def torsion(self, name, a, b, point, axis, stiffness, damping):
        self.put("forces", {
            "name": name, "type": "torsion_spring_damper", **self.pair(a, b, name, point, axis),
            "stiffness": stiffness, "damping": damping,
        })

    def output(self, name, expression, unit, description):
        self.put("outputs", {
            "name": name, "expression": expression, "unit": unit, "description": description,
        })

    def parameter(self, name, start, unit, description, **limits):
        self.put("parameters", {
            "name": name, "start": start, "unit": unit, **limits, "description": description,
        })

    def input(self, name, start, unit, description, **limits):
        self.put("inputs", {"name": name, "start": start, "unit": unit, **limits, "description": description})

    def variable(self, name, expression, unit, description):
        self.put("variables", {
            "name": name, "expression": expression, "unit": unit, "description": description,
        })


ARM = ((5e6, 5e6, 5e6, 800.0, 800.0, 800.0), (1500.0, 1500.0, 1500.0, 2.0, 2.0, 2.0))
SUBFRAME = ((8e6, 8e6, 6e6, 2e4, 2e4, 2e4), (6e3, 6e3, 6e3, 40.0, 40.0, 40.0))
ENGINE = ((2.5e5, 2.5e5, 3.5e5, 200.0, 200.0, 200.0), (900.0, 900.0, 1200.0, 4.0, 4.0, 4.0))
DAMPER_TOP = ((4e6, 4e6, 4e6, 50.0, 50.0, 50.0), (2e3, 2e3, 2e3, 1.0, 1.0, 1.0))
RACK = (1.23, 0.0, 0.25)
COLUMN, COLUMN_AXIS = (0.75, 0.35, 0.75), (0.8, 0.0, 0.6)
DRIVER_AXIS = (-0.8, 0.0, 0.6)
CORNERS = (("fl", "front", 1.35, 1), ("fr", "front", 1.35, -1), ("rl", "rear", -1.35, 1), ("rr", "rear", -1.35, -1))


def body(car, column_axis):
    """Chassis, subframes, powertrain, rack and column, and what carries them."""
    car.part("chassis", 1150.0, (420.0, 1500.0, 1600.0), (0.05, 0.0, 0.55))
    car.part("front_subframe", 28.0, (1.6, 0.9, 2.2), (1.35, 0.0, 0.25))
    car.part("rear_subframe", 28.0, (1.6, 0.9, 2.2), (-1.35, 0.0, 0.25))
    car.part("powertrain", 210.0, (9.0, 7.0, 10.0), (1.25, 0.05, 0.50))
    car.part("rack", 2.5, (0.12, 0.01, 0.12), RACK)
    car.part("column", 3.0, (0.02, 0.02, 0.01), COLUMN)
    for end, x in (("front", 1.35), ("rear", -1.35)):
        for row, dx in (("fore", 0.25), ("aft", -0.25)):
            for side, s in (("left", 1), ("right", -1)):
                name, point = f"{end}_subframe_{row}_{side}", (x + dx, s * 0.42, 0.28)
                car.bushing(name, f"{end}_subframe", "chassis", point, *SUBFRAME)
    mounts = (("left", (1.25, 0.50, 0.55)), ("right", (1.20, -0.45, 0.55)), ("rear", (1.00, 0.0, 0.30)))
    for name, point in mounts:
        car.bushing(f"engine_mount_{name}", "powertrain", "chassis", point, *ENGINE)
    car.joint("translational", "rack_guide", "rack", "front_subframe", RACK, (0, 1, 0))
    car.joint("revolute", "column_bearing", "column", "chassis", COLUMN, column_axis)


def corner(car, c, end, x, s):
    """Arms, upright, wheel, tie rod, damper, and half of the anti-roll bar of one corner."""
    frame = f"{end}_subframe"
    uppers = (("fore", (x + 0.10, s * 0.45, 0.48)), ("aft", (x - 0.10, s * 0.45, 0.48)))
    lowers = (("fore", (x + 0.15, s * 0.38, 0.20)), ("aft", (x - 0.15, s * 0.38, 0.20)))
    upper, lower = (x - 0.01, s * 0.67, 0.47), (x, s * 0.70, 0.19)
    tie_in, tie_out = (x - 0.12, s * 0.40, 0.25), (x - 0.12, s * 0.70, 0.25)
    hub = (x, s * 0.775, RADIUS)
    foot, top = (x, s * 0.60, 0.21), (x, s * 0.52, 0.72)
    middle, strut = along(foot, top, 0.5), direction(foot, top)
    bar, bar_end = (x + 0.22, s * 0.30, 0.26), (x + 0.05, s * 0.55, 0.30)
    link = (x + 0.05, s * 0.55, 0.205)

    car.part(f"{c}_upper_arm", 2.2, (0.012, 0.016, 0.026), (x, s * 0.56, 0.475))
    car.part(f"{c}_lower_arm", 4.5, (0.045, 0.05, 0.09), (x, s * 0.54, 0.195))
    car.part(f"{c}_upright", 9.0, (0.12, 0.10, 0.06), (x, s * 0.70, 0.31))
    car.part(f"{c}_wheel", 19.0, (0.65, 1.10, 0.65), hub, wheel=True)
    car.rod(f"{c}_tie_rod", 0.8, tie_in, tie_out)
    car.rod(f"{c}_damper_tube", 3.0, foot, middle)
    car.rod(f"{c}_damper_rod", 2.0, middle, top)
    car.rod(f"{c}_drop_link", 0.4, link, bar_end)
    car.rod(f"{c}_roll_bar", 2.0, bar, bar_end)

    for name, point in uppers:
        car.bushing(f"{c}_upper_{name}", f"{c}_upper_arm", frame, point, *ARM)
    for name, point in lowers:
        car.bushing(f"{c}_lower_{name}", f"{c}_lower_arm", frame, point, *ARM)
    car.joint("spherical", f"{c}_upper_ball", f"{c}_upper_arm", f"{c}_upright", upper)
    car.joint("spherical", f"{c}_lower_ball", f"{c}_lower_arm", f"{c}_upright", lower)
    car.joint("universal", f"{c}_tie_inner", f"{c}_tie_rod", "rack" if end == "front" else frame, tie_in, (0, 1, 0))
    car.joint("spherical", f"{c}_tie_outer", f"{c}_tie_rod", f"{c}_upright", tie_out)
    car.joint("revolute", f"{c}_bearing", f"{c}_wheel", f"{c}_upright", hub, (0, 1, 0))
    car.joint("universal", f"{c}_damper_foot", f"{c}_damper_tube", f"{c}_lower_arm", foot, strut)
    car.joint("cylindrical", f"{c}_damper_slide", f"{c}_damper_rod", f"{c}_damper_tube", middle, strut)
    car.joint("revolute", f"{c}_bar_bearing", f"{c}_roll_bar", frame, bar, (0, 1, 0))
    car.joint("universal", f"{c}_link_upper", f"{c}_drop_link", f"{c}_roll_bar", bar_end, (0, 0, 1))
    car.joint("spherical", f"{c}_link_lower", f"{c}_drop_link", f"{c}_lower_arm", link)
    car.bushing(f"{c}_damper_top", f"{c}_damper_rod", "chassis", top, *DAMPER_TOP)
    return hub, foot, top


def roll_bars(car):
    for end, left, right, x in (("front", "fl", "fr", 1.35), ("rear", "rl", "rr", -1.35)):
        middle = (x + 0.22, 0.0, 0.26)
        car.torsion(f"{end}_roll_bar", f"{left}_roll_bar", f"{right}_roll_bar", middle, (0, 1, 0), 900.0, 2.0)


def chassis_outputs(car):
    centre = car.marker("chassis", "centre", car.places["chassis"])
    car.output("speed", f"VX({centre}, {GROUND}, {centre})", "m/s", "Speed of the chassis along its own x")
    car.output("height", f"DZ({centre})", "m", "Height of the chassis' centre of mass")
    for name, measure, what in (("roll", "ROLL", "about x"), ("yaw", "YAW", "about z")):
        car.output(name, f"{measure}({centre})", "rad", f"Angle of the chassis {what}")
    car.output("pitch", f"-PITCH({centre})", "rad", "Angle of the chassis about y, nose down positive")
    return centre


def passive():
    """The benchmark: on linear tyres, one corner pushed up, the rack held by a spring."""
    car = Car(
        "passive_vehicle",
        "A car of 42 parts on double wishbones at 10 m/s: 42 joints, 31 bushings, springs as tyres. A preload of "
        "the front left tyre and a steering servo that is 4 mm off set it moving.",
        10.0,
        RADIUS,
    )
    body(car, COLUMN_AXIS)
    rack = car.pair("rack", "front_subframe", "servo", RACK)
    travel, rate = (f"{m}({rack['i']}, {rack['j']}, {rack['j']})" for m in ("DY", "VY"))
    car.put("forces", {
        "name": "steering_servo", "type": "vector_force", **rack,
        "fy": f"-5e5*({travel} - 0.004) - 2000*{rate}",
    })
    car.torsion("column_spring", "column", "chassis", COLUMN, COLUMN_AXIS, 20.0, 0.3)
    for c, end, x, s in CORNERS:
        hub, foot, top = corner(car, c, end, x, s)
        car.spring(f"{c}_spring", f"{c}_lower_arm", foot, "chassis", top,
                   stiffness=32e3, damping=2600.0, length=math.dist(foot, top) + 0.135)
        car.put("forces", {
            "name": f"{c}_tyre", "type": "bushing", **car.pair(f"{c}_upright", GROUND, f"{c}_tyre", hub),
            "stiffness": [0, 0, 2.1e5], "damping": [0, 4000, 600],
            "preload": [0, 0, 5850 if c == "fl" else 3850],
        })
    roll_bars(car)
    chassis_outputs(car)
    for c, *_ in CORNERS:
        name = f"{c}_tyre"
        car.output(f"{name}_load", f"FORCE({name}, 0, 4, 0)", "N", "Vertical force of the road")
    car.model["lint"] = {"allow": [
        {"rule": "initial-transient", "reason": "it is what sets the benchmark moving"},
        {"rule": "fast-vibration", "reason": "the bushings of the upper arms are as stiff as a car's; HHT damps them"},
    ]}
    car.model["solver"] = {"fixit": 2}
    car.model["experiment"] = {"start": 0, "stop": 2, "step": 0.001}
    return car.model


TYRE = {"type": "pac2002", "file": "tyre.tir"}
BRAKES = {"front": 1800, "rear": 900}


def driving():
    """The car that is driven: tyres, steering wheel, throttle and brake."""
    car = Car(
        "vehicle",
        "A car of 42 parts on double wishbones and tyres: steering wheel, throttle and brake are inputs. The input "
        "table drives a double lane change at 20 m/s, then brakes.",
        20.0,
        0.322,
    )
    car.input("steer", 0, "rad", "Angle of the steering wheel's rim, positive to the left", min=-9, max=9)
    car.input("throttle", 0, "1", "Position of the throttle", min=0, max=1)
    car.input("brake", 0, "1", "Position of the brake pedal", min=0, max=1)
    car.parameter("friction", 1, "1", "Friction of the road: 1 dry, 0.3 snow", min=0.05, max=2, tunable=True)
    car.parameter("payload", 0, "kg", "Load in the middle of the chassis", min=0, max=400, tunable=False)
    car.put("splines", {
        "name": "axle_torque", "x": [0, 20, 60, 90, 120, 180, 240], "y": [2400, 2400, 2200, 1600, 1150, 700, 0],
        "extrapolation": "constant",
    })
    car.put("roads", {"name": "track", "shape": {"type": "flat"}, "friction": "=friction"})

    body(car, DRIVER_AXIS)
    chassis = next(p for p in car.model["parts"] if p["name"] == "chassis")
    chassis["mass"] = "=1150 + payload"
    column = car.pair("column", "chassis", "column_bearing", COLUMN, DRIVER_AXIS)
    car.put("couplers", {
        "name": "pinion", "joints": ["column_bearing", "rack_guide"], "scales": [0.008, 1],
        "description": "8 mm of the rack per radian",
    })
    car.put("forces", {
        "name": "steering_shaft", "type": "torque", **column,
        "expression": f"600*(steer - AZ({column['i']}, {column['j']})) - 6*WZ({column['i']}, {column['j']}, {column['j']})",
        "description": "The shaft between the rim, whose angle is the input, and the pinion",
    })
    spins = {}
    for c, end, x, s in CORNERS:
        hub, foot, top = corner(car, c, end, x, s)
        car.spring(f"{c}_spring", f"{c}_lower_arm", foot, "chassis", top,
                   stiffness=32e3, damping=2600.0, length=math.dist(foot, top) + 0.135)
        bearing = car.pair(f"{c}_wheel", f"{c}_upright", f"{c}_bearing", hub, (0, 1, 0))
        spins[c] = f"WZ({bearing['i']}, {bearing['j']}, {bearing['j']})"
        car.put("forces", {
            "name": f"{c}_tyre", "type": "tyre", "i": bearing["i"], "road": "track",
            "side": "left" if s > 0 else "right", "law": TYRE,
        })
        car.put("forces", {
            "name": f"{c}_brake", "type": "torque", **bearing,
            "expression": f"-brake*{BRAKES[end]}*STEP({spins[c]}, -2, -1, 2, 1)",
        })
    roll_bars(car)

    car.variable("drive_torque", f"0.5*throttle*AKISPL(0.5*({spins['fl']} + {spins['fr']}), 0, axle_torque)", "N.m",
                 "Torque on each front wheel: that of the axle over the wheels' speed, shared by the differential")
    output = car.marker("powertrain", "output", (1.25, 0.0, 0.33), (0, 1, 0))
    for c in ("fl", "fr"):
        wheel = f"{c}_wheel.{c}_bearing"
        car.put("forces", {
            "name": f"{c}_drive", "type": "action_only_torque", "i": wheel, "j": wheel, "expression": "drive_torque",
            "description": "The joints of the shaft let it turn the wheel about its own axis",
        })
    car.put("forces", {
        "name": "engine_reaction", "type": "action_only_torque", "i": output, "j": output,
        "expression": "-2*drive_torque",
    })
    centre = car.marker("chassis", "centre", car.places["chassis"])
    car.put("forces", {
        "name": "air", "type": "vector_force", "i": centre, "j": GROUND, "axes": centre,
        "fx": f"-0.5*1.2*0.65*VM({centre})*VX({centre}, {GROUND}, {centre})",
        "fz": f"-0.5*1.2*0.1*VM({centre})*VX({centre}, {GROUND}, {centre})",
        "description": "Drag of 0.65 m2 and downforce of 0.1 m2 in air of 1.2 kg/m3",
    })

    car.output("offset", f"DY({centre})", "m", "Place of the chassis' centre of mass to the left of the start")
    chassis_outputs(car)
    car.output("lateral_acceleration", f"ACCY({centre}, {GROUND}, {centre})", "m/s2", "Of the chassis, to its left")
    car.output("yaw_rate", f"WZ({centre}, {GROUND}, {centre})", "rad/s", "Of the chassis about its z axis")
    car.output("steering_torque", f"FORCE(steering_shaft, 0, 8, {column['j']})", "N.m", "Torque at the rim")
    for c, *_ in CORNERS:
        car.output(f"{c}_load", f"TYRE({c}_tyre, FZ)", "N", "Load of the tyre")
        car.output(f"{c}_side", f"TYRE({c}_tyre, FY)", "N", "Lateral force of the tyre")
    car.model["lint"] = {"allow": [
        {"rule": "initial-transient", "reason": "it settles in the first second, before it is driven"},
        {"rule": "fast-vibration", "reason": "the bushings of the upper arms are as stiff as a car's; HHT damps them"},
    ]}
    car.model["solver"] = {"fixit": 2}
    car.model["experiment"] = {"start": 0, "stop": 10, "step": 0.001}
    write_lane_change()
    return car.model


def write_lane_change():
    """Steering wheel, throttle and brake over time: a lane to the left, back again, and the brake."""
    rows = ["time,steer,throttle,brake"]
    period, turns = 2.4, ((1.0, 1.0), (4.2, -1.0))
    for k in range(501):
        t = k / 50
        steer = sum(s * math.sin(2 * math.pi * (t - t0) / period) for t0, s in turns if t0 <= t <= t0 + period)
        throttle = 0.05 if t < 7.5 else 0.0
        brake = min(max((t - 8.0) / 0.3, 0.0), 1.0) * 0.5
        rows.append(f"{t:.2f},{number(round(STEER * steer, 6))},{throttle:g},{number(round(brake, 6))}")
    path = pathlib.Path(__file__).resolve().parent / "input.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


STEER = 0.5

MODELS = {"passive_vehicle": passive, "vehicle": driving}

ORDER = ("$schema", "fixstep", "name", "description", "units", "gravity", "parameters", "inputs", "variables",
         "parts", "markers", "joints", "couplers", "gears", "motions", "forces",
         "splines", "roads", "differential_equations", "outputs", "start", "lint", "solver", "experiment")


def number(x):
    """Integers without a point; others as the shortest decimal that reads back the same, without noise of sums."""
    x = round(x, 15)
    return int(x) if x == int(x) and abs(x) < 1e7 else x


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return value


def text(value, indent=0):
    """JSON with what fits on a line on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    flat = flat.replace('{"', '{ "').replace("}", " }") if flat.startswith("{") else flat
    if indent + len(flat) <= 100 or not isinstance(value, (dict, list)):
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        rows = [f"{pad}{json.dumps(k)}: {text(v, indent + 2)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"
    rows = [f"{pad}{text(v, indent + 2)}" for v in value]
    return "[\n" + ",\n".join(rows) + "\n" + " " * indent + "]"


def main(names):
    folder = pathlib.Path(__file__).resolve().parent.parent
    for name in names or MODELS:
        model = MODELS[name]()
        model = {key: model[key] for key in ORDER if key in model}
        (folder / name / "model.json").write_text(text(plain(model)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
