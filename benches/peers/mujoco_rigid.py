"""A rigid mechanism of hinges in MuJoCo, from its model file.

As a tree of hinges whose loops are closed by soft constraints, or with every part free and all hinges soft.

Usage: python mujoco_rigid.py MODEL.json --probe MARKER --steps N [--form tree | free] [--integrator Euler | implicitfast]
"""

import argparse

import clock
import mechanism
import mujoco
import numpy as np

# Half the distance of the two points that make a soft hinge [m].
ARM = 0.02


def text(values):
    """Numbers of an attribute."""
    return " ".join(f"{x:.17g}" for x in values)


def inertial(body):
    """Mass and moments about the body's origin."""
    return f'<inertial pos="0 0 0" mass="{body.mass:.17g}" diaginertia="{text(np.diag(body.inertia))}"/>'


def tree(plan, hinges, sites, parent):
    """The parts that hang on a part."""
    result = ""
    for joint in hinges:
        i, j = plan.markers[joint["i"]], plan.markers[joint["j"]]
        if j.part != parent:
            continue
        body = plan.bodies[i.part]
        place = body.position - plan.origin(parent)
        hinge = f'<joint name="{joint["name"]}" type="hinge" axis="{text(i.axes[:, 2])}" pos="{text(i.local)}"/>'
        inside = inertial(body) + hinge + sites.get(i.part, "") + tree(plan, hinges, sites, i.part)
        result += f'<body name="{i.part}" pos="{text(place)}">{inside}</body>'
    return result


def connect(plan, joint, offset, stiffness):
    """Two points, of I and J, held together."""
    i, j = plan.markers[joint["i"]], plan.markers[joint["j"]]
    other = "" if j.part == mechanism.GROUND else f' body2="{j.part}"'
    return f'<connect body1="{i.part}"{other} anchor="{text(i.local + offset)}"{stiffness}/>'


def document(plan, options):
    """The model in MuJoCo's format, its springs as tendons."""
    hinges = [joint for joint in plan.joints if joint["type"] == "revolute"]
    loops = [joint for joint in plan.joints if joint["type"] == "in_line"]
    sites, tendons = {}, ""
    for force in plan.forces:
        if force["type"] != "spring_damper":
            continue
        ends = [force["i"], force["j"]]
        for name in ends:
            marker = plan.markers[name]
            site = f'<site name="{name}" pos="{text(marker.local)}"/>'
            sites[marker.part] = sites.get(marker.part, "") + site
        path = "".join(f'<site site="{name}"/>' for name in ends)
        tendons += f'<spatial stiffness="{force["stiffness"]}" springlength="{force["length"]}">{path}</spatial>'
    if options.form == "tree":
        bodies = tree(plan, hinges, sites, mechanism.GROUND)
        hard = f' solref="{2 * plan.step:g} 1" solimp="0.9999 0.9999 0.001"'
        held = "".join(connect(plan, joint, np.zeros(3), hard) for joint in loops)
    else:
        bodies = "".join(
            f'<body name="{name}" pos="{text(body.position)}"><freejoint/>{inertial(body)}</body>'
            for name, body in plan.bodies.items()
        )
        axes = [(joint, plan.markers[joint["i"]].axes[:, 2]) for joint in hinges]
        held = "".join(connect(plan, joint, sign * ARM * axis, "") for joint, axis in axes for sign in (1, -1))
    return (
        '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
        f'<option timestep="{plan.step:g}" gravity="{text(plan.gravity)}" integrator="{options.integrator}" '
        f'solver="Newton" tolerance="1e-12"/><worldbody>{sites.get(mechanism.GROUND, "")}{bodies}</worldbody>'
        f"<equality>{held}</equality><tendon>{tendons}</tendon></mujoco>"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--probe", required=True, help="marker whose place is told at the end")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--form", choices=("tree", "free"), default="tree")
    parser.add_argument("--integrator", default="Euler")
    options = parser.parse_args()
    plan = mechanism.read(options.model)
    model = mujoco.MjModel.from_xml_string(document(plan, options))
    data = mujoco.MjData(model)
    joints = {joint["i"]: joint["name"] for joint in plan.joints}
    for force in plan.forces:
        if force["type"] == "torque":
            data.qfrc_applied[model.joint(joints[force["i"]]).dofadr[0]] = force["expression"]
    times = clock.steps(lambda: mujoco.mj_step(model, data), options.steps)
    marker = plan.markers[options.probe]
    body = data.body(marker.part)
    mujoco.mj_kinematics(model, data)
    place = body.xpos + body.xmat.reshape(3, 3) @ marker.local
    result = {"probe": clock.words(place), "unknowns": model.nv, "soft_rows": int(data.nefc)}
    clock.say({**clock.figures(times), **result})


if __name__ == "__main__":
    main()
