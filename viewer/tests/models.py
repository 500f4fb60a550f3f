"""Made-up runs with known motions: data of pages."""

import math

from assemble import Data

BLUE, ORANGE, STEEL, GREEN = "#3f6f9f", "#d98a2b", "#9aa7b3", "#4f8f7b"
WHOLE = [1, 0, 0, 0]


def box(data):
    points, normals, triangles = [], [], []
    for axis in range(3):
        for side in (-1, 1):
            at = len(points)
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                p, n = [0, 0, 0], [0, 0, 0]
                p[axis], n[axis] = side, side
                p[(axis + 1) % 3], p[(axis + 2) % 3] = u * side, v
                points.append(p)
                normals.append(n)
            triangles += [(at, at + 1, at + 2), (at, at + 2, at + 3)]
    return data.mesh(points, normals, triangles)


def cylinder(data, sides=32):
    """Radius 1, axis z, from −1 to 1."""
    points, normals, triangles = [], [], []
    ring = [(math.cos(2 * math.pi * k / sides), math.sin(2 * math.pi * k / sides)) for k in range(sides)]
    for z in (-1, 1):
        points += [(x, y, z) for x, y in ring]
        normals += [(x, y, 0) for x, y in ring]
    for k in range(sides):
        j = (k + 1) % sides
        triangles += [(k, j, sides + j), (k, sides + j, sides + k)]
    for z in (-1, 1):
        at = len(points)
        points += [(0, 0, z)] + [(x, y, z) for x, y in ring]
        normals += [(0, 0, z)] * (sides + 1)
        for k in range(sides):
            a, b = at + 1 + k, at + 1 + (k + 1) % sides
            triangles.append((at, a, b) if z > 0 else (at, b, a))
    return data.mesh(points, normals, triangles)


def solid(name, mesh, scale, position=(0, 0, 0), rotation=WHOLE, color=None, origin="shape", opacity=1):
    return {"name": name, "origin": origin, "mesh": mesh, "scale": list(scale), "position": list(position), "rotation": list(rotation),
            "color": color, "opacity": opacity}


def body(name, solids, mass=1.0, color=BLUE, center=(0, 0, 0), soft=None, inertia=(0.1, 0.1, 0.1, 0, 0, 0)):
    return {"name": name, "mass": mass, "center": list(center), "inertia": list(inertia), "color": color, "solids": solids, "soft": soft}


def about_y(angle):
    return [math.cos(angle / 2), 0, math.sin(angle / 2), 0]


def about_z(angle):
    return [math.cos(angle / 2), 0, 0, math.sin(angle / 2)]


def shell(title, **more):
    return {
        "format": 1, "title": title, "subtitle": "made for tests", "up": [0, 0, 1], "size": 1.0, "follow": 0,
        "length": {"unit": "mm", "factor": 0.001}, "force": {"unit": "N", "factor": 1}, "torque": {"unit": "N m", "factor": 1},
        "mass": {"unit": "kg", "factor": 1}, "meshes": [], "bodies": [], "links": [], "arrows": [], "joints": [], "frames": {"times": [], "bodies": []},
        "bases": [], "signals": [], "against": None, "parameters": [], "warnings": [], "figures": [], "histograms": [],
        "about": [["Fixstep", "0.1.0"], ["model", "sha256 5f2c9a0e"]], "panels": [], **more,
    }


def signal(name, unit, base, values, group="outputs", display=None, description="", thinned=False):
    return {"name": name, "unit": unit, "display": display or {"unit": unit, "factor": 1, "offset": 0}, "group": group, "description": description,
            "base": base, "values": values, "thinned": thinned}


def ground(data_solids=()):
    return body("ground", list(data_solids), mass=None, color=STEEL)


SWING, RATE = 0.9, 3.2
# Of the pendulum: xx yy zz xy xz yz.
INERTIA = (0.4, 0.5, 0.3, 0.05, -0.08, 0.02)


def pendulum_angle(t):
    return SWING * math.cos(RATE * t)


def pendulum(hostile=None, count=601):
    """A rod about y at height 1.2; its axes stand in the middle of the rod, 0.5 from the pin."""
    data = Data()
    name = hostile or "pendulum"
    run = shell(hostile or "Pendulum")
    times = [k / 120 for k in range(count)]
    run["meshes"] = [box(data), cylinder(data)]
    along_y = [math.sqrt(0.5), math.sqrt(0.5), 0, 0]
    run["bodies"] = [
        ground([solid("bracket", 0, (0.06, 0.14, 0.04), (0, 0, 1.26)), solid("pin", 1, (0.018, 0.018, 0.17), (0, 0, 1.2), along_y, "#55636f")]),
        body(name, [solid("rod", 0, (0.022, 0.03, 0.48)), solid("bob", 1, (0.13, 0.13, 0.05), (0, 0, -0.5), along_y, ORANGE)], 2.5, center=(0, 0, -0.3),
             inertia=INERTIA),
    ]
    poses = [(pendulum_angle(t), t) for t in times]
    places = [(-0.5 * math.sin(a), 0, 1.2 - 0.5 * math.cos(a)) for a, _ in poses]
    rates = [-SWING * RATE * math.sin(RATE * t) for t in times]
    run["frames"] = {"times": data.put("f64", times), "bodies": [None, {
        "position": data.put_rows(places), "rotation": data.put_rows([about_y(a) for a, _ in poses]), "modal": None,
        "velocity": data.put("f32", [x for (a, _), w in zip(poses, rates) for x in (-0.5 * w * math.cos(a), 0, 0.5 * w * math.sin(a))]),
        "turning": data.put("f32", [x for w in rates for x in (0, w, 0)])}]}
    reaction = [[2.5 * 9.81 * math.sin(a), 0, 2.5 * 9.81 * (1 + 0.5 * math.cos(a))] for a, _ in poses]
    run["arrows"] = [
        {"name": hostile or "pin", "kind": "force", "reaction": True, "at": {"body": 1, "position": [0, 0, 0.5], "modes": []},
         "vectors": data.put("f32", [x for row in reaction for x in row])},
        {"name": "weight", "kind": "force", "reaction": False, "at": {"body": 1, "position": [0, 0, -0.3], "modes": []},
         "vectors": data.put("f32", [0, 0, -24.5] * len(times))},
    ]
    run["joints"] = [{"name": hostile or "pin", "kind": "revolute", "i": {"body": 1, "position": [0, 0, 0.5], "rotation": along_y},
                      "j": {"body": 0, "position": [0, 0, 1.2], "rotation": along_y}}]
    fine = [k / 1000 for k in range(5001)]
    run["bases"] = [data.put("f64", fine), data.put("f64", [k / 100 for k in range(501)])]
    angle = [pendulum_angle(t) for t in fine]
    degrees = {"unit": "°", "factor": 180 / math.pi, "offset": 0}
    run["signals"] = [
        signal(hostile or "angle", "rad", 0, data.put("f64", angle), display=degrees, description="angle of the pin"),
        signal("rate", "rad/s", 0, data.put("f32", [-SWING * RATE * math.sin(RATE * t) for t in fine])),
        signal("tone", "m", 0, data.put("f64", [0.3 * math.sin(2 * math.pi * 40 * t) + 0.1 * math.sin(2 * math.pi * 125 * t) for t in fine])),
        signal("pin.force", "N", 1, data.put("f32", [math.hypot(*row) for row in reaction[::1]][:501]), "requests"),
        signal("temperature", "K", 1, data.put("f32", [293.15 + k / 100 for k in range(501)]), display={"unit": "°C", "factor": 1, "offset": -273.15}),
        signal("solver.contraction", "1", 1, data.put("f32", [0.02 + 0.01 * math.sin(k / 9) for k in range(501)]), "solver"),
        signal("rti.time", "s", 1, data.put("f32", [11e-6 + 1e-6 * (k * 7919 % 13) / 13 for k in range(501)]), "rti", {"unit": "µs", "factor": 1e6, "offset": 0}),
        signal("energy.kinetic", "J", 1, data.put("f32", [3 * math.sin(RATE * k / 100) ** 2 for k in range(501)]), "energy"),
        signal("energy.potential", "J", 1, data.put("f32", [3 * math.cos(RATE * k / 100) ** 2 for k in range(501)]), "energy"),
    ]
    run["against"] = {"name": "measured.csv", "bases": [data.put("f64", [k / 50 for k in range(251)])],
                      "signals": [signal(hostile or "angle", "rad", 0, data.put("f64", [0.95 * pendulum_angle(k / 50) for k in range(251)]), display=degrees)]}
    run["parameters"] = [
        {"name": "length", "value": "1000", "unit": "mm", "kind": "fixed", "description": "from pin to bob"},
        {"name": "mass", "value": "2.5", "unit": "kg", "kind": "tunable", "description": "of the whole pendulum"},
        {"name": "step", "value": "0.001", "unit": "s", "kind": "setting", "description": "fixed step"},
        {"name": "iterations", "value": "2", "unit": "", "kind": "setting", "description": "Newton iterations of each step"},
    ]
    run["warnings"] = [{"place": "joints[0].friction", "text": hostile or "The pin has no friction: the pendulum never comes to rest."},
                       {"place": "parts[1].inertia", "text": "Two principal moments are equal to four digits; was a product of inertia left out?"}]
    run["figures"] = [
        {"name": "time of a step, median", "value": "11.4", "unit": "µs", "note": "of a budget of 1000 µs"},
        {"name": "time of a step, 99.9 %", "value": "13.1", "unit": "µs", "note": ""},
        {"name": "Newton contraction, largest", "value": "0.031", "unit": "", "note": "below 0.5 is safe"},
        {"name": "constraint violation", "value": "2.1e−12", "unit": "m", "note": "largest over the run"},
        {"name": "energy account", "value": "0.004", "unit": "%", "note": "of the largest energy; what is missing"},
    ]
    run["histograms"] = [{"name": "Time of a step", "unit": "µs", "edges": [10, 10.5, 11, 11.5, 12, 12.5, 13, 13.5], "counts": [4, 61, 2210, 2480, 201, 40, 5]}]
    run["panels"] = [[hostile or "angle", "rate"], ["energy.kinetic", "energy.potential"]]
    return data.packed(run)


def chain(count=100):
    """Links that a wave runs through, with springs to a beam above."""
    data = Data()
    run = shell(f"Chain of {count} bodies", size=4.0)
    run["meshes"] = [box(data), cylinder(data, 20)]
    along_y = [math.sqrt(0.5), math.sqrt(0.5), 0, 0]
    times = [k / 60 for k in range(301)]
    run["bodies"] = [ground([solid("beam", 0, (4.6, 0.1, 0.06), (0, 0, 2.2))])]
    frames = [None]
    for k in range(count):
        x = 9.0 * (k / (count - 1) - 0.5)
        color = (BLUE, ORANGE, GREEN, STEEL)[k % 4]
        solids = [solid("bar", 0, (0.045, 0.05, 0.018)), solid("left", 1, (0.032, 0.032, 0.06), (-0.045, 0, 0), along_y, STEEL),
                  solid("right", 1, (0.032, 0.032, 0.06), (0.045, 0, 0), along_y, STEEL)]
        run["bodies"].append(body(f"link {k + 1}", solids, 0.5, color))
        places = [(x, 0, 1 + 0.3 * math.sin(1.5 * x - 4 * t)) for t in times]
        turns = [about_y(-math.atan(0.45 * math.cos(1.5 * x - 4 * t))) for t in times]
        frames.append({"position": data.put_rows(places), "rotation": data.put_rows(turns), "modal": None})
        if k % 3 == 0:
            run["links"].append({"name": f"spring {k + 1}", "kind": ("spring", "strut", "damper", "rope", "line")[k // 3 % 5], "radius": 0.06, "points": [
                {"body": 0, "position": [x, 0, 2.14], "modes": []}, {"body": k + 1, "position": [0, 0, 0], "modes": []}]})
            run["arrows"].append({"name": f"spring {k + 1}", "kind": "force", "reaction": False, "at": {"body": k + 1, "position": [0, 0, 0], "modes": []},
                                  "vectors": data.put("f32", [v for t in times for v in (0, 0, 60 * math.sin(1.5 * x - 4 * t))])})
        if k:
            run["joints"].append({"name": f"joint {k}", "kind": "revolute", "i": {"body": k, "position": [0.045, 0, 0], "rotation": along_y},
                                  "j": {"body": k + 1, "position": [-0.045, 0, 0], "rotation": along_y}})
    run["frames"] = {"times": data.put("f64", times), "bodies": frames}
    run["bases"] = [data.put("f64", times)]
    run["signals"] = [signal(f"link_{k + 1}.z", "m", 0, data.put("f32", [1 + 0.3 * math.sin(1.5 * 9 * (k / (count - 1) - 0.5) - 4 * t) for t in times]),
                             display={"unit": "mm", "factor": 1000, "offset": 0}) for k in range(count)]
    run["panels"] = [["link_1.z", "link_50.z", "link_100.z"], ["link_10.z", "link_20.z", "link_30.z", "link_40.z"]]
    return data.packed(run)


PLATE = {"nx": 48, "ny": 24, "lx": 1.2, "ly": 0.6}


def plate():
    """A plate, bent by two modes, q1 = 0.02 sin 2πt and q2 = 0.008 sin 6πt; the first mode is (x/lx)²; a beam stands beside it."""
    data = Data()
    run = shell("Flexible plate", size=1.2)
    nx, ny, lx, ly = PLATE["nx"], PLATE["ny"], PLATE["lx"], PLATE["ly"]
    points, normals, triangles = [], [], []
    for side in (1, -1):
        at = len(points)
        for j in range(ny + 1):
            for k in range(nx + 1):
                points.append((lx * k / nx, ly * (j / ny - 0.5), 0.008 * side))
                normals.append((0, 0, side))
        for j in range(ny):
            for k in range(nx):
                a, b = at + j * (nx + 1) + k, at + (j + 1) * (nx + 1) + k
                pair = [(a, a + 1, b + 1), (a, b + 1, b)]
                triangles += pair if side > 0 else [(p, r, q) for p, q, r in pair]
    line = [(lx * k / 20, 0.5 * ly + 0.15, 0) for k in range(21)]
    bend = [[0, 0, (p[0] / lx) ** 2] for p in points + line]
    twist = [[0, 0, (p[0] / lx) * (p[1] / ly) * 2] for p in points + line]
    # Stress on the surfaces: along x by bending, shear by twist.
    bending = [[2.0e9 * (1 - p[0] / lx) * math.copysign(1, p[2]), 0, 0, 0, 0, 0] for p in points]
    shear = [[0, 0, 0, 1.5e9 * math.copysign(1, p[2]), 0, 0] for p in points]
    flat = lambda rows: [x for row in rows for x in row]
    run["meshes"] = [data.mesh(points, normals, triangles), box(data)]
    soft = {"mesh": 0, "lines": [data.put("f32", flat(line))], "modes": [data.put("f32", flat(bend)), data.put("f32", flat(twist))],
            "stresses": [data.put("f32", flat(bending)), data.put("f32", flat(shear))]}
    run["bodies"] = [ground([solid("clamp", 1, (0.05, 0.4, 0.06), (-0.05, 0, 0.6))]), body("plate", [], 8.0, BLUE, soft=soft)]
    times = [k / 100 for k in range(201)]
    q = [(0.02 * math.sin(2 * math.pi * t), 0.008 * math.sin(6 * math.pi * t)) for t in times]
    run["frames"] = {"times": data.put("f64", times), "bodies": [None, {
        "position": data.put("f32", [0, 0, 0.6] * len(times)), "rotation": data.put_rows([WHOLE] * len(times)), "modal": data.put("f32", flat(q))}]}
    run["links"] = [{"name": "tip spring", "kind": "spring", "radius": 0.03, "points": [
        {"body": 0, "position": [lx, 0, 0.2], "modes": []}, {"body": 1, "position": [lx, 0, 0], "modes": [[0, 0, 1], [0, 0, 0]]}]}]
    run["bases"] = [data.put("f64", times)]
    run["signals"] = [signal("tip", "m", 0, data.put("f64", [a for a, _ in q]), display={"unit": "mm", "factor": 1000, "offset": 0})]
    return data.packed(run)


def car():
    """A car on a road: 30 m in 3 s, with wheels that turn, struts and tyre forces."""
    data = Data()
    run = shell("Car on a straight road", size=2.6, follow=1)
    run["meshes"] = [box(data), cylinder(data, 48)]
    along_y = [math.sqrt(0.5), math.sqrt(0.5), 0, 0]
    times = [k / 60 for k in range(181)]
    glass = dict(color="#9fc3de", opacity=0.45)
    run["bodies"] = [
        ground([solid("road", 0, (60, 4, 0.01), (20, 0, -0.01), color="#8c949c", origin="road")]),
        body("chassis", [solid("floor", 0, (2.0, 0.78, 0.16)), solid("cabin", 0, (0.95, 0.7, 0.26), (-0.25, 0, 0.43), **glass),
                         solid("nose", 0, (0.5, 0.74, 0.1), (1.55, 0, 0.12), color=ORANGE)], 1400, BLUE),
    ]
    heave = lambda t: 0.5 + 0.03 * math.sin(9 * t)
    frames = [None, {"position": data.put("f32", [x for t in times for x in (10 * t, 0, heave(t))]),
                     "rotation": data.put_rows([about_y(0.015 * math.sin(7 * t)) for t in times]), "modal": None}]
    for name, x, y in (("front left", 1.35, 0.8), ("front right", 1.35, -0.8), ("rear left", -1.3, 0.8), ("rear right", -1.3, -0.8)):
        k = len(run["bodies"])
        run["bodies"].append(body(f"wheel {name}", [solid("tyre", 1, (0.32, 0.32, 0.1), rotation=along_y, color="#2f363d", origin="tyre"),
                                                    solid("rim", 1, (0.2, 0.2, 0.105), rotation=along_y, color=STEEL), solid("spoke", 0, (0.3, 0.108, 0.03), color="#66727e")], 40, STEEL))
        frames.append({"position": data.put("f32", [v for t in times for v in (10 * t + x, y, 0.32)]),
                       "rotation": data.put_rows([about_y(10 * t / 0.32) for t in times]), "modal": None})
        run["links"].append({"name": f"strut {name}", "kind": "strut", "radius": 0.07, "points": [
            {"body": 1, "position": [x, 0.75 * y, 0.35], "modes": []}, {"body": k, "position": [0, -0.14 * y / abs(y), 0], "modes": []}]})
        run["arrows"].append({"name": f"tyre {name}", "kind": "force", "reaction": False, "at": {"body": 0, "position": [0, 0, 0], "modes": []}, "vectors": None})
        # The force acts at the wheel, so that the arrow goes with it.
        run["arrows"][-1]["at"] = {"body": k, "position": [0, 0, 0], "modes": []}
        run["arrows"][-1]["vectors"] = data.put("f32", [v for t in times for v in (300 * math.sin(5 * t), 120 * math.cos(3 * t), 3500 + 700 * math.sin(9 * t + x))])
    run["frames"] = {"times": data.put("f64", times), "bodies": frames}
    run["bases"] = [data.put("f64", times)]
    run["signals"] = [signal("chassis.z", "m", 0, data.put("f32", [heave(t) for t in times])), signal("chassis.x", "m", 0, data.put("f32", [10 * t for t in times])),
                      signal("chassis.speed", "m/s", 0, data.put("f32", [10 + 0.1 * math.sin(5 * t) for t in times]), display={"unit": "km/h", "factor": 3.6, "offset": 0})]
    run["panels"] = [["chassis.z"], ["chassis.speed", "chassis.x"]]
    return data.packed(run)


def million(count=1_000_000):
    """Signals of a million samples, each with one spike that a plain thinning would lose."""
    data = Data()
    run = shell("A million steps")
    run["meshes"] = [box(data)]
    run["bodies"] = [ground(), body("block", [solid("block", 0, (0.2, 0.2, 0.2))])]
    times = [k * 1000 / 600 for k in range(601)]
    run["frames"] = {"times": data.put("f64", times), "bodies": [None, {"position": data.put_rows([(math.sin(t / 50), 0, 0) for t in times]),
                                                                       "rotation": data.put_rows([about_z(t / 30) for t in times]), "modal": None}]}
    run["bases"] = [data.put("f64", (k * 1e-3 for k in range(count)))]
    for number in range(4):
        wave = [math.sin(2e-3 * math.pi * k / 10) for k in range(10000)]
        values = [wave[(k * (number + 1)) % 10000] for k in range(count)]
        values[123457 + 1000 * number] = 9.0
        run["signals"].append(signal(f"wave {number + 1}", "m", 0, data.put("f32", values)))
    run["panels"] = [["wave 1", "wave 2"], ["wave 3", "wave 4"]]
    return data.packed(run)


def swings():
    """A page of shapes: the rod of the pendulum turns about its pin, in phase and, in the second shape, with its way along y a quarter of
    a turn later; the third is a film that goes up and down by 0.1. A resonance of known curves, a table, and a finding about the pin."""
    data = Data()
    run = shell("Swings", kind="sheets", marked=False, live=None, notice="")
    run["meshes"] = [box(data)]
    run["bodies"] = [ground([solid("bracket", 0, (0.06, 0.14, 0.04), (0, 0, 1.26))]), body("rod", [solid("rod", 0, (0.02, 0.02, 0.5))], 2.5)]
    still = {"position": data.put("f32", [0, 0, 0.7]), "rotation": data.put_rows([WHOLE]), "modal": None}
    run["frames"] = {"times": data.put("f64", [0]), "bodies": [None, still]}
    run["joints"] = [{"name": "pin", "kind": "revolute", "i": {"body": 1, "position": [0, 0, 0.5], "rotation": WHOLE}, "j": {"body": 0, "position": [0, 0, 1.2], "rotation": WHOLE}}]
    turn = [-0.5, 0, 0, 0, 1, 0]  # about y through the pin, which is 0.5 above the axes of the rod
    film = {"times": data.put("f64", [-1, 0, 1]), "bodies": [None, {"position": data.put("f32", [0, 0, 0.6, 0, 0, 0.7, 0, 0, 0.8]),
                                                                    "rotation": data.put_rows([WHOLE] * 3), "modal": None}]}
    run["shapes"] = [{"name": "2 Hz", "text": "in phase", "of": None, "small": [[1, turn, None]], "film": None},
                     {"name": "3 Hz", "text": "whirls", "of": None, "small": [[1, [0.5, 0, 0, 0, 0, 0], [0, 0.5, 0, 0, 0, 0]]], "film": None},
                     {"name": "up and down", "text": "", "of": ["joint", "pin"], "small": None, "film": film}]
    run["markers"] = [{"name": "tip", "body": 1, "position": [0, 0, -0.5], "rotation": WHOLE, "modes": []}]
    run["warnings"] = [{"grade": "error", "place": 'joint "pin", field i', "text": "made up", "rule": "made-up", "source": "model.json:3:4"},
                       {"grade": "note", "place": "", "text": "of nothing that is drawn"}]
    xs = [0.1 * 1000 ** (k / 400) for k in range(401)]
    ys = [resonance(x) for x in xs]
    line = lambda name, x, y, **more: {"name": name, "x": data.put("f64", x), "y": data.put("f64", y), "dots": False, "shapes": [], **more}
    chart = {"kind": "chart", "heading": "Resonance", "x": {"label": "frequency [Hz]", "log": True}, "panels": [
        {"label": "magnitude", "log": True, "lines": [line("gain", xs, ys)], "limits": [[2, "limit"]], "marks": [], "pins": []}]}
    roots = {"kind": "chart", "heading": "Roots", "x": {"label": "real", "log": False}, "panels": [
        {"label": "imaginary", "log": False, "lines": [line("stable", [-2, -1], [3, 5], dots=True, shapes=[1, 0])], "limits": [], "marks": [[-1.5, 4]], "pins": [[[-2, 3], "here"]]}]}
    rows = [["1", ["80", 0.8]], [{"kind": "joint", "name": "pin"}, ["20", 0.2]], ["3", "0"]]
    run["tabs"] = [{"name": "Curves", "parts": [chart, roots]},
                   {"name": "Tables", "parts": [{"kind": "table", "heading": "Modes", "columns": ["mode", "share"], "rows": rows, "shade": False, "shapes": True},
                                                {"kind": "words", "heading": "Words", "lines": ["one", "two"]}]}]
    return data.packed(run)


def resonance(x):
    """The gain of a mass on a spring at 4 Hz with a damping ratio of 0.05."""
    r = x / 4
    return 1 / math.hypot(1 - r * r, 0.1 * r)


def nothing():
    """A model without a body, a frame or a signal."""
    data = Data()
    run = shell("Nothing", bodies=[ground()])
    run["frames"] = {"times": data.put("f64", []), "bodies": [None]}
    return data.packed(run)
