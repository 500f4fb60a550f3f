"""A slider-crank with a flexible rod in Exudyn: crank 0.15 m, rod 0.5 m of square steel bar 20 mm wide.

The rod is reduced from bricks: six static modes of its ends, and eigenmodes with the ends held.

Usage: python exudyn_flexible.py --modes N --steps N [--newton full | step | modified] ...
"""

import argparse

import exudyn as exu
import numpy as np
from exudyn.FEM import FEMinterface, HCBstaticModeSelection, ObjectFFRFreducedOrderInterface
from exudyn.itemInterface import (
    GenericJoint,
    MarkerBodyRigid,
    MarkerSuperElementRigid,
)
from exudyn.utilities import InertiaCuboid

import brick_mesh
import clock
import exudyn_run

CRANK, ROD, WIDTH, DENSITY = 0.15, 0.5, 0.02, 7850.0
SPEED = 2 * np.pi * 10
STATIC = 6
ELEMENTS = 24
STEP = 1e-3


def reduced(modes):
    """The rod with so many modes in all, and the nodes of its ends."""
    nodes, elements, mass, stiffness, ends = brick_mesh.bar(ROD, WIDTH, ELEMENTS, density=DENSITY)
    fem = FEMinterface()
    fem.nodes = {"Position": nodes}
    fem.elements = [{"Name": "bar", "Hex8": np.array(elements)}]
    fem.massMatrix, fem.stiffnessMatrix = mass, stiffness
    fem.VolumeToSurfaceElements()
    fem.ComputeHurtyCraigBamptonModes(
        boundaryNodesList=ends, nEigenModes=modes - STATIC, useSparseSolver=True,
        computationMode=HCBstaticModeSelection.RBE2,
    )
    return fem, ends


def builder(modes, node):
    """What makes the system and its probe."""
    fem, ends = reduced(modes)

    def build():
        mbs = exu.SystemContainer().AddSystem()
        ground = mbs.CreateGround()
        pin, gudgeon = np.array([0, CRANK, 0.0]), np.array([np.sqrt(ROD**2 - CRANK**2), 0, 0])
        x, y = (gudgeon - pin)[:2] / ROD
        rotation = np.array([[x, -y, 0], [y, x, 0], [0, 0, 1.0]])
        velocity = [-SPEED * CRANK, 0, 0]
        kind = {"nodeType": exudyn_run.NODES[node], "show": False}
        crank = mbs.CreateRigidBody(
            **kind, referencePosition=pin / 2, inertia=InertiaCuboid(DENSITY, [WIDTH, CRANK, WIDTH]),
            initialAngularVelocity=[0, 0, SPEED], initialVelocity=[-SPEED * CRANK / 2, 0, 0],
        )
        slider = mbs.CreateRigidBody(
            **kind, referencePosition=gudgeon, inertia=InertiaCuboid(DENSITY, [0.06] * 3), initialVelocity=velocity
        )
        rod = ObjectFFRFreducedOrderInterface(fem).AddObjectFFRFreducedOrder(
            mbs, positionRef=list((pin + gudgeon) / 2), initialVelocity=velocity, rotationMatrixRef=rotation,
            stiffnessProportionalDamping=2e-5, gravity=[0, 0, 0],
        )
        big, small = (
            mbs.AddMarker(MarkerSuperElementRigid(
                bodyNumber=rod["oFFRFreducedOrder"], meshNodeNumbers=np.array(end),
                weightingFactors=np.ones(len(end)) / len(end),
            ))
            for end in ends
        )
        mbs.CreateRevoluteJoint(itemNumbers=[ground, crank], position=[0, 0, 0], axis=[0, 0, 1], useGlobalFrame=True)
        on_crank = mbs.AddMarker(MarkerBodyRigid(bodyNumber=crank, localPosition=list(pin / 2)))
        on_slider = mbs.AddMarker(MarkerBodyRigid(bodyNumber=slider))
        mbs.AddObject(GenericJoint(
            markerNumbers=[on_crank, big], constrainedAxes=[1, 1, 1, 1, 1, 0], rotationMarker1=rotation.T
        ))
        mbs.AddObject(GenericJoint(markerNumbers=[on_slider, small], constrainedAxes=[1, 1, 0, 0, 0, 0]))
        mbs.CreatePrismaticJoint(itemNumbers=[ground, slider], position=list(gudgeon), axis=[1, 0, 0], useGlobalFrame=True)
        mbs.Assemble()
        return mbs, lambda m: [float(v) for v in m.GetObjectOutputBody(slider, exu.OutputVariableType.Position)]

    return build


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modes", type=int, required=True)
    exudyn_run.options(parser)
    options = parser.parse_args()
    build = builder(options.modes, options.node)
    clock.say(exudyn_run.measure(build, STEP, options.steps, options.newton, options))


if __name__ == "__main__":
    main()
