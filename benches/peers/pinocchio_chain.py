"""A chain of hinges in Pinocchio, from its model file: the articulated-body algorithm, alone and in steps.

A step is symplectic Euler.

Usage: python pinocchio_chain.py MODEL.json --probe MARKER --steps N
"""

import argparse

import clock
import mechanism
import numpy as np
import pinocchio as pin


def chain(plan):
    """The tree of hinges; parts come after those that they hang on."""
    model = pin.Model()
    ids, places = {mechanism.GROUND: 0}, {mechanism.GROUND: np.zeros(3)}
    for joint in plan.joints:
        i, j = plan.markers[joint["i"]], plan.markers[joint["j"]]
        place = plan.place(joint["j"])
        hinge = pin.JointModelRevoluteUnaligned(*i.axes[:, 2])
        axis = np.argmax(np.abs(i.axes[:, 2]))
        if abs(i.axes[axis, 2] - 1) < 1e-12:
            hinge = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)[axis]()
        frame = pin.SE3(np.eye(3), place - places[j.part])
        ids[i.part] = model.addJoint(ids[j.part], hinge, frame, joint["name"])
        places[i.part] = place
        body = plan.bodies[i.part]
        inertia = pin.Inertia(body.mass, body.position - place, body.inertia)
        model.appendBodyToJoint(ids[i.part], inertia, pin.SE3.Identity())
    model.gravity.linear = plan.gravity
    return model, ids, places


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--probe", required=True, help="marker whose place is told at the end")
    parser.add_argument("--steps", type=int, required=True)
    options = parser.parse_args()
    plan = mechanism.read(options.model)
    model, ids, places = chain(plan)
    data = model.createData()
    position, velocity, load = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    alone = clock.steps(lambda: pin.aba(model, data, position, velocity, load), options.steps)

    def step():
        nonlocal position, velocity
        velocity = velocity + plan.step * pin.aba(model, data, position, velocity, load)
        position = pin.integrate(model, position, plan.step * velocity)

    times = clock.steps(step, options.steps)
    pin.forwardKinematics(model, data, position)
    marker = plan.markers[options.probe]
    place = data.oMi[ids[marker.part]].act(plan.place(options.probe) - places[marker.part])
    algorithm = {"aba_us": clock.figures(alone)["us"], "unknowns": model.nv}
    clock.say({**clock.figures(times), **algorithm, "probe": clock.words(place)})


if __name__ == "__main__":
    main()
