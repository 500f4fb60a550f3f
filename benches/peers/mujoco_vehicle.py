"""The passive vehicle in MuJoCo, reduced to what it expresses at a step of 1 ms: not the same model, a lower bound.

Bushings of arms are hinges with springs, subframes and powertrain are part of the chassis, dampers are tendons,
roll bars and drop links are left out; loops are closed by soft constraints. 22 bodies.

Usage: python mujoco_vehicle.py MODEL.json --steps N [--integrator implicitfast | Euler | implicit]
"""

import argparse
import time

import clock
import mechanism
import mujoco
import numpy as np
from mujoco_rigid import inertial, text

CORNERS = ("fl", "fr", "rl", "rr")
IN_CHASSIS = ("chassis", "front_subframe", "rear_subframe", "powertrain", "column")
SOFT = ' solref="0.004 1"'
ARM_HINGE = '<joint type="hinge" axis="1 0 0" pos="{}" stiffness="200" damping="2"/>'
TIE_HINGES = '<joint type="hinge" axis="1 0 0" pos="{0}" damping=".05"/><joint type="hinge" axis="0 0 1" pos="{0}" damping=".05"/>'


class Car:
    """Writes the parts of the car with their origins at their centres of mass."""

    def __init__(self, plan):
        self.plan = plan
        self.closures, self.tendons, self.on_chassis, self.sites = "", "", "", ""

    def body(self, name, parent, joints, inside=""):
        """A part on another."""
        plan = self.plan
        place = plan.bodies[name].position - plan.bodies[parent].position
        return f'<body name="{name}" pos="{text(place)}">{inertial(plan.bodies[name])}{joints}{inside}</body>'

    def close(self, joint):
        """A ball joint as a soft constraint."""
        i, j = (self.plan.markers[joint[end]] for end in ("i", "j"))
        self.closures += f'<connect body1="{i.part}" body2="{j.part}" anchor="{text(i.local)}"{SOFT}/>'

    def pivot(self, arm):
        """Middle of an arm's bushings, in the arm."""
        markers = [self.plan.markers[f["i"]] for f in self.plan.forces if f["type"] == "bushing"]
        return np.mean([m.local for m in markers if m.part == arm], axis=0)

    def corner(self, c, joints):
        """Arms, upright and wheel of a corner; gives its tie rod."""
        plan = self.plan
        lower, upright = f"{c}.suspension.lower_arm", f"{c}.suspension.upright"
        ball = plan.markers[joints[f"{c}.suspension.lower_ball"]["j"]]
        wheel = self.body(f"{c}.suspension.wheel", upright, f'<joint name="{c}_spin" type="hinge" axis="0 1 0"/>')
        tyre = plan.markers[next(f["i"] for f in plan.forces if f["name"] == f"{c}.tyre")]
        hub = f'<site name="{c}_hub" pos="{text(tyre.local)}"/>'
        carrier = self.body(upright, lower, f'<joint type="ball" damping="0.5" pos="{text(ball.local)}"/>', hub + wheel)
        spring = next(f for f in plan.forces if f["name"] == f"{c}.suspension.spring")
        foot, top = plan.markers[spring["i"]], plan.markers[spring["j"]]
        foot_site = f'<site name="{c}_foot" pos="{text(foot.local)}"/>'
        arm = self.body(lower, "chassis", ARM_HINGE.format(text(self.pivot(lower))), foot_site + carrier)
        upper = f"{c}.suspension.upper_arm"
        self.on_chassis += arm + self.body(upper, "chassis", ARM_HINGE.format(text(self.pivot(upper))))
        self.sites += f'<site name="{c}_top" pos="{text(top.local)}"/>'
        self.tendons += (
            f'<spatial stiffness="{spring["stiffness"]}" damping="{spring["damping"]}" springlength="{spring["length"]}">'
            f'<site site="{c}_foot"/><site site="{c}_top"/></spatial>'
        )
        self.close(joints[f"{c}.suspension.upper_ball"])
        self.close(joints[f"{c}.suspension.tie_outer"])
        inner = plan.markers[joints[f"{c}.suspension.tie_inner"]["i"]]
        on = "rack" if c[0] == "f" else "chassis"
        return on, self.body(f"{c}.suspension.tie_rod", on, TIE_HINGES.format(text(inner.local)))

    def document(self, integrator):
        """The model in MuJoCo's format."""
        plan = self.plan
        joints = {joint["name"]: joint for joint in plan.joints}
        ties = {"rack": "", "chassis": ""}
        for c in CORNERS:
            on, tie = self.corner(c, joints)
            ties[on] += tie
        stiffness, damping, target = mechanism.servo(next(f for f in plan.forces if f["type"] == "vector_force"))
        slide = f'<joint type="slide" axis="0 1 0" stiffness="{stiffness}" damping="{damping}" springref="{target}"/>'
        rack = self.body("rack", "chassis", slide, ties["rack"])
        chassis = plan.bodies["chassis"]
        mass = sum(plan.bodies[name].mass for name in IN_CHASSIS)
        moments = text(np.diag(chassis.inertia))
        return (
            f'<mujoco><compiler angle="radian"/><option timestep="{plan.step:g}" gravity="{text(plan.gravity)}" '
            f'integrator="{integrator}" solver="Newton" iterations="20" tolerance="1e-8"/><worldbody>'
            f'<body name="chassis" pos="{text(chassis.position)}"><freejoint/>'
            f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{moments}"/>'
            f'{self.sites}{self.on_chassis}{rack}{ties["chassis"]}</body></worldbody>'
            f"<equality>{self.closures}</equality><tendon>{self.tendons}</tendon></mujoco>"
        )


def tyres(plan, model, data):
    """What puts the forces of linear tyres on the uprights, as the model's bushings to ground would."""
    velocity = np.zeros(6)
    wheels = []
    for c in CORNERS:
        force = next(f for f in plan.forces if f["name"] == f"{c}.tyre")
        wheels.append((model.site(f"{c}_hub").id, model.body(f"{c}.suspension.upright").id, force, plan.place(force["j"])[2]))

    def push():
        for site, body, force, height in wheels:
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_SITE, site, velocity, 0)
            sunk = height - data.site_xpos[site, 2]
            load = force["preload"][2] + force["stiffness"][2] * sunk - force["damping"][2] * velocity[5]
            data.xfrc_applied[body, :3] = [0, -force["damping"][1] * velocity[4], load]

    return push


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--integrator", default="implicitfast")
    options = parser.parse_args()
    plan = mechanism.read(options.model)
    model = mujoco.MjModel.from_xml_string(Car(plan).document(options.integrator))
    data = mujoco.MjData(model)
    data.qvel[:3] = plan.bodies["chassis"].velocity
    for c in CORNERS:
        data.qvel[model.joint(f"{c}_spin").dofadr[0]] = plan.bodies[f"{c}.suspension.wheel"].angular_velocity[1]
    push = tyres(plan, model, data)
    mujoco.mj_forward(model, data)
    times = np.zeros(options.steps)
    for k in range(options.steps):
        push()
        begin = time.perf_counter()
        mujoco.mj_step(model, data)
        times[k] = time.perf_counter() - begin
    place = data.body("chassis").xpos
    shape = {"unknowns": model.nv, "soft_rows": int(data.nefc), "bodies": model.nbody - 1}
    clock.say({**clock.figures(times), **shape, "probe": clock.words(place)})


if __name__ == "__main__":
    main()
