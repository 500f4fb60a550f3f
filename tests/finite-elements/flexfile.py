"""Reads the file of a flexible body, as docs/flexible-bodies.md describes it."""

import json
import struct

import numpy as np


class FlexibleBody:
    """Header and arrays of a file."""

    def __init__(self, path):
        data = path.read_bytes()
        assert data[:8] == b"FIXFLEX\n", f"{path} is not a flexible body"
        (length,) = struct.unpack("<Q", data[8:16])
        self.header = json.loads(data[16 : 16 + length])
        self.frequencies = np.array([mode["frequency"] for mode in self.header["modes"]])
        self.arrays, at = {}, 16 + length
        for array in self.header["arrays"]:
            count = array["numbers"]
            self.arrays[array["name"]] = np.frombuffer(data, "<f8", count, at)
            at += 8 * count
        assert at == len(data), f"{path} has {len(data) - at} bytes too many"

    def stiffness(self):
        """Of six rigid motions about the origin, then the modes."""
        m = len(self.frequencies)
        matrix = np.zeros((6 + m, 6 + m))
        matrix[6:, 6:] = self.arrays["stiffness"].reshape(m, m)
        return matrix

    def mass(self):
        """Of the undeformed body, from the inertia invariants."""
        m, a = len(self.frequencies), self.arrays
        matrix = np.zeros((6 + m, 6 + m))
        matrix[:3, :3] = a["i1"][0] * np.eye(3)
        matrix[:3, 3:6] = -skew(a["i2"])
        matrix[:3, 6:] = a["i3"].reshape(m, 3).T
        matrix[3:6, 3:6] = a["i7"].reshape(3, 3)
        matrix[3:6, 6:] = a["i4"].reshape(m, 3).T
        matrix[6:, 6:] = a["i6"].reshape(m, m)
        return np.triu(matrix) + np.triu(matrix, 1).T

    def node(self, name):
        """How a node moves: six rows over the rigid motions and the modes."""
        m = len(self.frequencies)
        at = [node.get("name") for node in self.header["nodes"]].index(name)
        rows = np.zeros((6, 6 + m))
        rows[:3, :3] = rows[3:, 3:6] = np.eye(3)
        rows[:3, 3:6] = -skew(self.arrays["positions"][3 * at : 3 * at + 3])
        for first, array in ((0, "translations"), (3, "rotations")):
            rows[first : first + 3, 6:] = self.arrays[array].reshape(-1, m, 3)[at].T
        return rows

    def stress(self, name):
        """xx, yy, zz, xy, yz, zx at a point: rows over the rigid motions, which have none, and the modes."""
        m = len(self.frequencies)
        at = self.header["stresses"].index(name)
        rows = np.zeros((6, 6 + m))
        rows[:, 6:] = self.arrays["stresses"].reshape(-1, m, 6)[at].T
        return rows

    def held(self, name):
        """Stiffness, mass and the free motions where a node is held."""
        _, _, rows = np.linalg.svd(self.node(name))
        free = rows[6:].T
        return free.T @ self.stiffness() @ free, free.T @ self.mass() @ free, free


def skew(v):
    """The matrix of the cross product."""
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def frequencies(stiffness, mass):
    """In Hz, ascending."""
    lower = np.linalg.cholesky(mass)
    inner = np.linalg.solve(lower, np.linalg.solve(lower, stiffness).T)
    return np.sqrt(np.linalg.eigvalsh(inner)) / (2 * np.pi)
