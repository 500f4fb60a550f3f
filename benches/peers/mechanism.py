"""Reads the part of the model format that the benchmarks use, so that every program runs the same file."""

import json
import pathlib
import re
from dataclasses import dataclass, field

import numpy as np

GROUND = "ground"


@dataclass
class Body:
    """A rigid part: inertia about its centre of mass, which is its origin; axes parallel to ground at the start."""

    mass: float
    inertia: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


@dataclass
class Marker:
    """A frame on a part: place in the part's frame, axes as columns."""

    part: str
    local: np.ndarray
    axes: np.ndarray


@dataclass
class Mechanism:
    """A mechanism at its start, in SI units."""

    gravity: np.ndarray
    step: float
    bodies: dict = field(default_factory=dict)
    markers: dict = field(default_factory=dict)
    joints: list = field(default_factory=list)
    forces: list = field(default_factory=list)

    def origin(self, part):
        """Where a part's origin is at the start."""
        return np.zeros(3) if part == GROUND else self.bodies[part].position

    def place(self, name):
        """Where a marker is at the start."""
        marker = self.markers[name]
        return self.origin(marker.part) + marker.local


def vector(values):
    """Three numbers."""
    return np.array(values, float)


def turn(axis, angle):
    """Rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    a, b = [k for k in range(3) if k != axis]
    matrix = np.eye(3)
    sign = -1.0 if axis == 1 else 1.0
    matrix[a, a], matrix[a, b], matrix[b, a], matrix[b, b] = c, -sign * s, sign * s, c
    return matrix


def axes(marker, local, angle_unit):
    """Axes of a marker, from its angles or from points on them."""
    orientation = marker.get("orientation", {})
    if "euler" in orientation:
        psi, theta, phi = (angle_unit * x for x in orientation["euler"])
        return turn(2, psi) @ turn(0, theta) @ turn(2, phi)
    if "z_point" in orientation:
        z = vector(orientation["z_point"]) - local
        z /= np.linalg.norm(z)
        x = vector(orientation["x_point"]) - local
        x -= z * (x @ z)
        x /= np.linalg.norm(x)
        return np.column_stack([x, np.cross(z, x), z])
    return np.eye(3)


def read(path):
    """Reads a model file."""
    model = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    degrees = model.get("units", {}).get("angle", "rad") == "deg"
    unit = np.pi / 180 if degrees else 1.0
    result = Mechanism(vector(model.get("gravity", [0, 0, 0])), model["experiment"]["step"])
    zero = [0, 0, 0]
    for part in model["parts"]:
        moments = part["inertia"]
        result.bodies[part["name"]] = Body(
            part["mass"],
            np.diag([moments[axis] for axis in ("xx", "yy", "zz")]),
            vector(part.get("position", zero)),
            vector(part.get("velocity", zero)),
            vector(part.get("angular_velocity", zero)) * unit,
        )
    for marker in model["markers"]:
        local = vector(marker.get("position", zero))
        result.markers[marker["name"]] = Marker(marker["part"], local, axes(marker, local, unit))
    result.joints = model["joints"]
    parameters = {p["name"]: p["start"] for p in model.get("parameters", [])}
    for force in model.get("forces", []):
        known = {key: number(value, parameters) for key, value in force.items()}
        result.forces.append(known)
    return result


def number(value, parameters):
    """A value that is the name of a parameter, or an expression of one, is the parameter's."""
    if isinstance(value, str):
        return parameters.get(value.removeprefix("="), value)
    return value


def servo(force):
    """Stiffness, damping and target of a servo along y of J, from its expression."""
    pattern = r"-([\d.e]+)\*\(DY\(.*?\) - ([\d.]+)\) - ([\d.e]+)\*VY\(.*\)"
    found = re.fullmatch(pattern, force["fy"])
    stiffness, target, damping = (float(text) for text in found.groups())
    return stiffness, damping, target
