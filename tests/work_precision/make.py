"""Writes the models of our own problems (models/) and their references (references/): `make.py [NAME...]`.

References are runs of SciPy's DOP853, or Radau where a problem is stiff, at 1e-13 on the equations of mechanism.py, or closed forms; the same run at a
tolerance a hundred times as large shows how many digits hold. references/about.json tells for each how it was made.
"""

import json
import sys
import tempfile
from pathlib import Path

import flexible
import numpy as np
import own
import scipy.integrate
from mechanism import Compiled

HERE = Path(__file__).parent
#: Multiples of the unit of a table.
DIGITS = "%.15g"
#: Instants of a table.
POINTS = 100


def marker(name, part, position=(0, 0, 0), normal=None, node=None):
    result = {"name": name, "part": part}
    if node:
        return result | {"node": node}
    result["position"] = [float(x) for x in position]
    if normal:
        cross = [1, 0, 0] if abs(normal[0]) < 0.5 else [0, 1, 0]
        result["orientation"] = {way: [float(a + b) for a, b in zip(position, d)] for way, d in (("z_point", normal), ("x_point", cross))}
    return result


def part(name, mass, inertia, position=(0, 0, 0), **more):
    moments = dict(zip(("xx", "yy", "zz"), [float(inertia)] * 3 if np.isscalar(inertia) else map(float, inertia)))
    return {"name": name, "mass": float(mass), "inertia": moments, "position": [float(x) for x in position]} | more


def outputs(**expressions):
    return [{"name": name, "expression": text} for name, text in expressions.items()]


def model(name, description, gravity, end, **lists):
    experiment = {"start": 0, "stop": float(end), "step": float(end) / POINTS}
    return {"fixstep": 1, "name": name, "description": description, "gravity": gravity} | lists | {"experiment": experiment}


def slide(name, body, axis):
    """A point mass that moves along an axis of ground, by two constraints."""
    line = {"x": (1, 0, 0), "z": None}[axis]
    return [marker(name, body), marker(f"{name}_line", "ground", normal=line)], {"name": f"{name}_way", "type": "in_line", "i": name, "j": f"{name}_line"}


def bouncing_ball(end):
    markers, way = slide("ball", "ball", "z")
    push = f"IMPACT(DZ(ball), VZ(ball), 0, {own.CONTACT!r}, 1, 0, 1e-3)"
    return model(
        "bouncing_ball", "A thousand bounces without loss on a linear contact", [0, 0, -own.GRAVITY], end,
        point_masses=[{"name": "ball", "mass": own.BALL, "position": [0, 0, own.DROP]}], markers=markers, joints=[way],
        forces=[{"name": "floor", "type": "action_only_force", "i": "ball", "j": "ball_line", "expression": push}], outputs=outputs(z="DZ(ball)", rises=f"DZ(ball) + VZ(ball)**2/{2 * own.GRAVITY!r} + {own.CONTACT / 2 / own.GRAVITY!r}*MIN(0, DZ(ball))**2"),
    )


def stick_slip(end):
    markers, way = slide("block", "block", "x")
    slip = "(VX(block) - 0.1)"
    friction = f"-40*DX(block) - 4*(0.2 + 0.15*EXP(-({slip}/0.1)**2))*TANH(1000*{slip})"
    return model(
        "stick_slip", "A mass on a belt sticks and slips", [0, 0, 0], end,
        point_masses=[{"name": "block", "mass": 0.4, "position": [0, 0, 0]}], markers=markers, joints=[way],
        forces=[{"name": "belt", "type": "action_only_force", "i": "block", "j": "block_line", "expression": friction}], outputs=outputs(x="DX(block)"),
    )


def jumping_force(end):
    (m1, j1), (m2, j2) = slide("a", "a", "x"), slide("b", "b", "x")
    force = "IF(TIME-0.2: 0, 30, IF(TIME-0.37: 30, -20, IF(TIME-0.6: -20, -20, IF(TIME-0.9: -20 + 400*(TIME-0.6), 0, 0))))"
    between = "4e4*(DX(a) - DX(b)) + 5*(VX(a) - VX(b))"
    act = lambda name, text: {"name": f"{name}_force", "type": "action_only_force", "i": name, "j": f"{name}_line", "expression": text}
    return model(
        "jumping_force", "Forces that jump and bend at known times", [0, 0, 0], end,
        point_masses=[{"name": "a", "mass": 1, "position": [0, 0, 0]}, {"name": "b", "mass": 0.2, "position": [0, 0, 0]}], markers=m1 + m2, joints=[j1, j2],
        forces=[act("a", f"-400*DX(a) - {between.replace('+ 5', '- 5')}"), act("b", f"{between} + {force}")], outputs=outputs(x="DX(a)", y="DX(b)"),
    )


def bushings(end):
    side = (0, 1, 0)
    rubber = {"stiffness": [own.SIDE, 1e7, own.STIFF], "damping": [own.DAMPED, 1e4, own.DAMPED], "torsional_stiffness": [2e3, own.TWIST, 2e3], "torsional_damping": [20, own.TWIST_DAMPED, 20]}
    soft = {"stiffness": [own.SOFT, 3e3, own.SOFT], "damping": [own.SOFT_DAMPED, 20, own.SOFT_DAMPED], "torsional_stiffness": [50, 50, 50], "torsional_damping": [1, 1, 1]}
    return model(
        "bushings", "A bar on two stiff bushings, one of which is shaken, with a load on a soft one", [0, 0, -9.81], end,
        parts=[part("bar", own.BAR, own.BAR_INERTIA), part("load", own.LOAD, own.LOAD_INERTIA, (0, 0, -0.2)), part("foot", 1, 0.01, (own.HALF, 0, 0))],
        markers=[
            marker("left", "bar", (-own.HALF, 0, 0)), marker("left_foot", "ground", (-own.HALF, 0, 0)), marker("right", "bar", (own.HALF, 0, 0)), marker("right_foot", "foot"),
            marker("hook", "bar", (0, 0, -0.1)), marker("eye", "load", (0, 0, 0.1)), marker("foot_way", "ground", (own.HALF, 0, 0)),
            marker("bar", "bar", normal=side), marker("load", "load", normal=side), marker("plane", "ground", normal=side),
        ],
        joints=[
            {"name": "bar_plane", "type": "planar", "i": "bar", "j": "plane"}, {"name": "load_plane", "type": "planar", "i": "load", "j": "plane"},
            {"name": "shaker", "type": "translational", "i": "right_foot", "j": "foot_way"},
        ],
        motions=[{"name": "shake", "joint": "shaker", "displacement": "0.005*SIN(40*TIME)"}],
        forces=[
            {"name": "left", "type": "bushing", "i": "left", "j": "left_foot"} | rubber, {"name": "right", "type": "bushing", "i": "right", "j": "right_foot"} | rubber,
            {"name": "soft", "type": "bushing", "i": "eye", "j": "hook"} | soft,
        ],
        outputs=outputs(x="DX(bar)", z="DZ(bar)", turn="AZ(bar, plane)", u="DX(load)", w="DZ(load)", lean="AZ(load, plane)"),
    )


def flexible_crank(end):
    rod = flexible.ROD
    rod.write(HERE / "models/flexible_crank.flex", "Connecting rod of a slider-crank: two shapes across, two along")
    crank, long = flexible.CRANK, rod.length
    return model(
        "flexible_crank", "Slider-crank with a flexible rod, after Simeon (1996)", [0, 0, 0], end,
        parts=[part("crank", 0.36, 0.002727), part("slider", flexible.SLIDER, 1e-4, (crank + long, 0, 0))],
        flexible_bodies=[{"name": "rod", "file": "flexible_crank.flex", "position": [crank, 0, 0], "damping": 0, "dynamic_limit": "none",
                          "displacements": [0, 0, 0, 0], "velocities": [0, 0, 0, 0], "linear_limit": "none"}],
        markers=[
            marker("shaft", "crank"), marker("crank_pin", "crank", (crank, 0, 0)), marker("big_end", "rod", node="pin"), marker("small_end", "rod", node="end"),
            marker("gudgeon", "slider"), marker("piston", "slider", normal=(1, 0, 0)), marker("guide", "ground", normal=(1, 0, 0)), marker("frame", "rod"),
        ],
        joints=[
            {"name": "bearing", "type": "revolute", "i": "shaft", "j": "ground"}, {"name": "pin", "type": "revolute", "i": "big_end", "j": "crank_pin"},
            {"name": "gudgeon_pin", "type": "in_line", "i": "small_end", "j": "gudgeon"}, {"name": "cylinder", "type": "translational", "i": "piston", "j": "guide"},
        ],
        motions=[{"name": "drive", "joint": "bearing", "displacement": f"{flexible.SPEED!r}*TIME"}],
        outputs=outputs(angle="AZ(frame)", slider="DX(gudgeon)", q1="MODEQ(rod, 1)", q2="MODEQ(rod, 2)", stretch="MODEQ(rod, 4)"),
    )


def flexible_pendulum(end):
    beam = flexible.SOFT
    beam.write(HERE / "models/flexible_pendulum.flex", "A soft beam that is clamped at one end: two shapes across, one along")
    return model(
        "flexible_pendulum", "A soft beam on a hinge is let go from the horizontal", [0, -9.81, 0], end,
        flexible_bodies=[{"name": "beam", "file": "flexible_pendulum.flex", "damping": 0, "dynamic_limit": "none", "velocities": [0, 0, 0], "linear_limit": "none"}],
        markers=[marker("hinge", "beam", node="pin"), marker("tip", "beam", node="end"), marker("frame", "beam")],
        joints=[{"name": "hinge", "type": "revolute", "i": "hinge", "j": "ground", "initial": {"angle": 0, "angular_velocity": 0}}],
        outputs=outputs(angle="AZ(frame)", bend="MODEQ(beam, 1) + MODEQ(beam, 2)", x="DX(tip)", y="DY(tip)"),
    )


#: Model, equations, and SciPy's method for the reference.
MADE = {
    "bouncing_ball": (bouncing_ball, own.bouncing_ball, None), "stick_slip": (stick_slip, own.stick_slip, "Radau"), "jumping_force": (jumping_force, own.jumping_force, "DOP853"),
    "bushings": (bushings, own.bushings, "Radau"), "flexible_crank": (flexible_crank, flexible.flexible_crank, "DOP853"),
    "flexible_pendulum": (flexible_pendulum, flexible.flexible_pendulum, "DOP853"),
}


def integrated(compiled, mechanism, method, tolerance, times):
    """The table of a run, anew from every break."""
    y, low, rows = np.array([*mechanism.start, *mechanism.start_rates], float), 0.0, []
    for high in [*mechanism.breaks, mechanism.end]:
        grid = times[(times >= low) & (times < high)] if high < mechanism.end else times[times >= low]
        done = scipy.integrate.solve_ivp(compiled.rates, (low, high), y, method, np.append(grid, high) if high not in grid else grid, rtol=tolerance, atol=tolerance / 10)
        rows += [compiled.shown(t, state) for t, state in zip(grid, done.y.T)]
        y, low = done.y[:, -1], high
    return np.array(rows)


def main():
    about = json.loads((HERE / "references/about.json").read_text()) if (HERE / "references/about.json").exists() else {}
    for name in sys.argv[1:] or MADE:
        write, equations, method = MADE[name]
        mechanism = equations()
        (HERE / "models" / f"{name}.json").write_text(json.dumps(write(mechanism.end), indent=1) + "\n")
        times = np.linspace(0, mechanism.end, POINTS + 1)
        if method is None:
            table = np.column_stack([own.ball(times)[0], np.full_like(times, own.DROP)])
            how = "closed form: parabolas and half periods of a sine"
        else:
            with tempfile.TemporaryDirectory() as folder:
                compiled = Compiled(mechanism, Path(folder), name)
                table = integrated(compiled, mechanism, method, 1e-13, times)
                apart = np.abs(table - integrated(compiled, mechanism, method, 1e-11, times)).max()
            how = f"SciPy {scipy.__version__}, {method} at 1e-13 on the equations of mechanism.py; {apart:.1e} from the same at 1e-11"
        about[name] = how
        header = ",".join(["t", *mechanism.shown])
        np.savetxt(HERE / "references" / f"{name}.csv", np.column_stack([times, table]), DIGITS, ",", header=header, comments="")
        print(name, how, flush=True)
    (HERE / "references/about.json").write_text(json.dumps(about, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
