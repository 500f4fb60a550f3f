"""A rigid mechanism in Exudyn, from its model file.

Usage: python exudyn_rigid.py MODEL.json --probe MARKER --steps N [--newton full | step | modified] ...
"""

import argparse

import exudyn as exu
import numpy as np
from exudyn.utilities import RigidBodyInertia

import clock
import exudyn_run
import mechanism

# Displacements and rotations along and about x, y, z of J that a joint holds, where there is no object for it.
HELD = {
    "cylindrical": [1, 1, 0, 1, 1, 0],
    "translational": [1, 1, 0, 1, 1, 1],
    "universal": [1, 1, 1, 0, 0, 1],
    "in_line": [1, 1, 0, 0, 0, 0],
}


def builder(plan, node, probe):
    """What makes the system and its probe."""

    def build():
        mbs = exu.SystemContainer().AddSystem()
        items = {mechanism.GROUND: mbs.CreateGround()}
        for name, body in plan.bodies.items():
            items[name] = mbs.CreateRigidBody(
                referencePosition=list(body.position),
                inertia=RigidBodyInertia(mass=body.mass, inertiaTensor=body.inertia, com=[0, 0, 0]),
                initialVelocity=list(body.velocity),
                initialAngularVelocity=list(body.angular_velocity),
                gravity=list(plan.gravity),
                nodeType=exudyn_run.NODES[node],
                show=False,
            )
        for joint in plan.joints:
            add_joint(mbs, plan, items, joint)
        for force in plan.forces:
            add_force(mbs, plan, items, force)
        mbs.Assemble()
        marker = plan.markers[probe]

        def look(system):
            kind, now = exu.OutputVariableType, exu.ConfigurationType.Current
            item = items[marker.part]
            place = system.GetObjectOutputBody(item, kind.Position, list(marker.local), now)
            angles = system.GetObjectOutputBody(item, kind.Rotation, [0, 0, 0], now)
            return [float(x) for x in (*place, *angles)]

        return mbs, look

    return build


def add_joint(mbs, plan, items, joint):
    """A joint: its axes are those of J."""
    marker = plan.markers[joint["j"]]
    between = {
        "itemNumbers": [items[marker.part], items[plan.markers[joint["i"]].part]],
        "position": list(plan.place(joint["j"])),
        "show": False,
    }
    match joint["type"]:
        case "spherical":
            mbs.CreateSphericalJoint(**between)
        case "revolute":
            mbs.CreateRevoluteJoint(**between, axis=list(marker.axes[:, 2]), useGlobalFrame=True)
        case kind:
            frame = {"rotationMatrixAxes": marker.axes, "useGlobalFrame": True}
            mbs.CreateGenericJoint(**between, **frame, constrainedAxes=HELD[kind])


def add_force(mbs, plan, items, force):
    """A force between J and I."""
    i, j = plan.markers[force["i"]], plan.markers[force["j"]]
    between = {"itemNumbers": [items[j.part], items[i.part]], "show": False}
    ends = {"localPosition0": list(j.local), "localPosition1": list(i.local)}
    six = [*force["stiffness"], *force.get("torsional_stiffness", [])] if force["type"] == "bushing" else []
    match force["type"]:
        case "bushing" if len(six) == 6:
            damping = [*force["damping"], *force["torsional_damping"]]
            mbs.CreateRigidBodySpringDamper(
                **between, **ends, stiffness=np.diag(six), damping=np.diag(damping), useGlobalFrame=False
            )
        case "bushing":
            preload = force.get("preload", [0, 0, 0])
            offset = [f / k if k else 0.0 for f, k in zip(preload, force["stiffness"])]
            mbs.CreateCartesianSpringDamper(
                **between, **ends, stiffness=force["stiffness"], damping=force["damping"], offset=offset
            )
        case "spring_damper":
            mbs.CreateSpringDamper(
                **between, **ends, referenceLength=force["length"], stiffness=force["stiffness"],
                damping=force.get("damping", 0.0),
            )
        case "torsion_spring_damper":
            mbs.CreateTorsionalSpringDamper(
                **between, position=list(plan.place(force["j"])), axis=list(j.axes[:, 2]),
                stiffness=force["stiffness"], damping=force["damping"], unlimitedRotations=False,
            )
        case "vector_force":
            stiffness, damping, target = mechanism.servo(force)
            mbs.CreateLinearSpringDamper(
                **between, position=list(plan.place(force["j"])), axis=list(j.axes[:, 1]),
                stiffness=stiffness, damping=damping, offset=target,
            )
        case "torque":
            mbs.CreateTorque(itemNumber=items[i.part], loadVector=list(j.axes[:, 2] * force["expression"]), show=False)
        case other:
            raise ValueError(f"no force {other} here")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--probe", required=True, help="marker whose place and part's angles are told at the end")
    exudyn_run.options(parser)
    options = parser.parse_args()
    plan = mechanism.read(options.model)
    build = builder(plan, options.node, options.probe)
    clock.say(exudyn_run.measure(build, plan.step, options.steps, options.newton, options))


if __name__ == "__main__":
    main()
