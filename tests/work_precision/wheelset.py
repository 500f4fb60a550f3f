"""The wheelset of the Test Set for IVP Solvers: a rigid wheelset that rolls at 30 m/s on a straight track and hunts.

Simeon, Fuehrer, Rentrop, Introduction to differential-algebraic equations in vehicle system dynamics, Surveys on Mathematics for Industry 1 (1991): wheels
are cones, rails are cylinders, creep forces follow Jaschinski's smooth law (DLR-FB 90-06). Two constraints say that a cone touches a cylinder; in the
publication places of contact are four more unknowns. Here they are in closed form: the plane that touches the cone and lies along the rail has the normal n
with n e = sin(delta) for the axis e of the cone, and goes through the apex; the axis of the rail is the rail's radius away from it.
The frame moves with the train.
"""

import json
from pathlib import Path

import numpy as np

DATA = {
    "mass": 16.08, "along": 0.0605, "across": 0.366, "speed": 30.0, "radius": 0.1, "gravity": 9.81, "friction": 0.12, "reach": 0.19, "cx": 6400.0, "cz": 6400.0,
    "cone": 0.0262, "half": 0.1506, "rail": 0.06, "ellipse": 1.3537956, "shape": 0.7115218, "poisson": 0.28, "shear": 7.92e10,
    "c11": 4.72772197, "c22": 4.27526987, "c23": 1.97203505,
}
#: Place, yaw and roll at the start; at rest in the moving frame but for the rolling.
START = [0.14941e-2, 0.40089e-6, 0.11241e-5, -0.28573e-3, 0.26459e-3]
#: The published solution at 10 s, by DASSL at 1e-9: x, y, z, yaw, roll.
PUBLISHED = [0.86355386965811e-2, 0.13038281022727e-4, -0.93635784016818e-4, -0.13642299804033e-1, 0.15292895005422e-2]


def number(value):
    return repr(float(value))


def side(name, sign, p):
    """Expressions of one wheel and its rail: geometry, then creep. Names end with the side's letter."""
    n = lambda text: text.replace("#", name)
    s, c, t = np.sin(p["cone"]), np.cos(p["cone"]), np.tan(p["cone"])
    far = p["half"] + p["radius"] / t
    ellipse = 3 * (1 - p["poisson"]) * p["ellipse"] / (2 * np.pi * p["shear"] * np.sqrt(p["shape"]))
    rail = [sign * (p["half"] + s * p["rail"]), -p["radius"] - c * p["rail"]]
    turn = "-" if sign > 0 else "+"
    upright = "-(slope_side)*sp - cps*cp" if sign > 0 else "(slope_side)*sp + cps*cp"
    gm, speed = number(p["shear"]), number(p["speed"])
    rows = {
        "ex#": f"{sign}*ax", "ey#": f"{sign}*ay", "ez#": f"{sign}*az",
        "r2#": "ex#**2 + ey#**2", "k#": f"{sign}*SQRT(1 - {number(s * s)}/r2#)/SQRT(r2#)",
        "nx#": f"{number(s)}*ex#/r2# + k#*ey#", "ny#": f"{number(s)}*ey#/r2# - k#*ex#",
        "dx#": f"{number(rail[0])} - DX(centre) - {number(far)}*ex#", "dy#": f"{number(rail[1])} - DY(centre) - {number(far)}*ey#",
        # Along the line of the cone from the apex: negative.
        "way#": f"{number(c)}*(nx#*dy# - ny#*dx#)/(nx#*(ey# - {number(s)}*ny#) - ny#*(ex# - {number(s)}*nx#))",
        "rx#": f"{number(far)}*ex# + dx# - {number(p['rail'])}*nx#", "ry#": f"{number(far)}*ey# + dy# - {number(p['rail'])}*ny#",
        "rz#": f"{number(far)}*ez# + way#*ez#/{number(c)}",
        "R#": f"-{number(s)}*way#", "xi#": f"{sign}*({number(far)} + {number(c)}*way#)",
        "sps#": "-(st*rx# + ct*rz#)/R#", "cps#": "-(-ct*sp*rx# + cp*ry# + st*sp*rz#)/R#",
        "tilt#": f"ATAN((((SLOPE)*cp - sp*cps#)*ct + sps#*st)/({upright}))".replace("SLOPE", number(-sign * t)).replace("slope_side", number(-sign * t)).replace("cps*", "cps#*"),
        # Not below 1 N, so that the law can be evaluated where the search for reactions begins.
        "N#": "MAX(1, GCON(touch#))",
        "cl#": f"({number(ellipse)}*N#/(0.5/(R#*{number(np.sqrt(1 + t * t))}) + {number(0.5 / p['rail'])}))**(1/3)",
        "si#": "SIN(th/COS(tilt#))", "co#": "COS(th/COS(tilt#))", "sd#": "SIN(tilt#)", "cd#": "COS(tilt#)",
        "w1#": "-spin*R#*(si#*cps# + co#*sp*sps#) + VX(centre) - theta_rate*(R#*(si#*sp*cps# + co#*sps#) + xi#*si#*cp) - phi_rate*co#*(xi#*sp - R#*cp*cps#)",
        "w2#": "spin*R#*cp*sps# + VY(centre) + phi_rate*(xi#*cp + R#*sp*cps#)",
        "w3#": f"-spin*R#*(co#*cps# - si#*sp*sps#) + {speed} + VZ(centre) - theta_rate*(xi#*co#*cp + R#*(co#*sp*cps# - si#*sps#)) + phi_rate*si#*(xi#*sp - R#*cp*cps#)",
        "wr#": f"0.5*SQRT((w1# - 2*VX(centre))**2 + (w2# - 2*VY(centre))**2 + (w3# - 2*VZ(centre) - {number(2 * p['speed'])})**2)",
        "nux#": "(si#*w1# + co#*w3#)/wr#", "nuy#": f"(co#*cd#*w1# {'+' if sign > 0 else '-'} sd#*w2# - si#*cd#*w3#)/wr#",
        "phis#": f"({turn}sd#*spin + cd#*theta_rate)/wr#",
        "wx#": f"-{number(p['friction'])}*N#*TANH({gm}*cl#**2*{p['c11']}*nux#/({number(p['friction'])}*N#))",
        "wy#": f"-{number(p['friction'])}*N#*TANH({gm}*cl#**2*({p['c22']}*nuy# + {p['c23']}*cl#*phis#)/({number(p['friction'])}*N#))",
        # Not beyond Coulomb's friction.
        "held#": f"{number(p['friction'])}*N#/MAX({number(p['friction'])}*N#, SQRT(wx#**2 + wy#**2 + 1e-20))", "tx#": "held#*wx#", "ty#": "held#*wy#",
        "f1#": "si#*tx# + co#*cd#*ty#", "f2#": f"{'' if sign > 0 else '-'}sd#*ty#", "f3#": "co#*tx# - si#*cd#*ty#",
    }
    return [{"name": n(key), "expression": n(text)} for key, text in rows.items()]


def model(end, step):
    p = DATA
    x, y, z, yaw, lean = START
    ct, st, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(lean), np.sin(lean)
    axis, up = np.array([ct * cp, sp, -st * cp]), np.array([-ct * sp, cp, st * sp])
    common = {
        "ax": "DX(axle, centre)", "ay": "DY(axle, centre)", "az": "DZ(axle, centre)", "sp": "ay", "cp": "SQRT(1 - ay**2)", "st": "-az/cp", "ct": "ax/cp", "th": "ATAN2(-az, ax)",
        "phi_rate": "st*WX(centre) + ct*WZ(centre)", "theta_rate": "(-ct*sp*WX(centre) + cp*WY(centre) + st*sp*WZ(centre))/cp",
        "spin": "ct*cp*WX(centre) + sp*WY(centre) - st*cp*WZ(centre) - theta_rate*sp",
    }
    variables = [{"name": key, "expression": text} for key, text in common.items()] + side("l", 1, p) + side("r", -1, p)
    touch = lambda s: {"name": f"touch{s}", "expression": f"nx{s}*dx{s} + ny{s}*dy{s} - {p['rail']}"}
    both = lambda text: " + ".join(text.replace("#", s) for s in "lr")
    force = {
        "fx": f"{both('f1#')} - {2 * p['cx']}*DX(centre)", "fy": both("f2#"), "fz": f"{both('f3#')} - {2 * p['cz']}*DZ(centre)",
        "tx": both("ry#*f3# - rz#*f2#"), "ty": f"{both('rz#*f1# - rx#*f3#')} - {2 * p['reach'] ** 2 * p['cz']!r}*th", "tz": both("rx#*f2# - ry#*f1#"),
    }
    return {
        "fixstep": 1, "name": "wheelset", "description": "A wheelset hunts on a straight track at 30 m/s; the frame moves with the train",
        "gravity": [0, -p["gravity"], 0],
        "parts": [{
            "name": "wheelset", "mass": p["mass"], "inertia": {"xx": p["along"], "yy": p["across"], "zz": p["across"]}, "position": [x, y, z],
            "orientation": {"z_point": list(np.cross(axis, up) + START[:3]), "x_point": list(axis + START[:3])},
            "velocity": [0, 0, 0], "angular_velocity": list(p["speed"] / p["radius"] * axis),
        }],
        "markers": [{"name": "centre", "part": "wheelset"}, {"name": "axle", "part": "wheelset", "position": [1, 0, 0]}, {"name": "track", "part": "ground"}],
        "variables": variables, "general_constraints": [touch("l"), touch("r")],
        "forces": [{"name": "creep", "type": "general_force", "i": "centre", "j": "track"} | force],
        "outputs": [{"name": name, "expression": text} for name, text in {"x": "DX(centre)", "y": "DY(centre)", "z": "DZ(centre)", "theta": "th", "phi": "ASIN(ay)"}.items()],
        "experiment": {"start": 0, "stop": end, "step": step},
    }


if __name__ == "__main__":
    path = Path(__file__).parent / "models/wheelset.json"
    path.write_text(json.dumps(model(10.0, 0.1), indent=1) + "\n")
