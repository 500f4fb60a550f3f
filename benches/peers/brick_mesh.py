"""A bar of bricks with eight nodes: places, elements, mass and stiffness, nodes of both ends."""

import numpy as np
import scipy.sparse as sp

CORNERS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], float
)


def elasticity(young, poisson):
    """Stress of strain, isotropic."""
    first, shear = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))
    matrix = np.zeros((6, 6))
    matrix[:3, :3] = first
    matrix[range(3), range(3)] += 2 * shear
    matrix[range(3, 6), range(3, 6)] = shear
    return matrix


def strains(slopes):
    """Strain of displacements, by the slopes of shape functions."""
    matrix = np.zeros((6, 3 * len(slopes)))
    matrix[0, 0::3], matrix[1, 1::3], matrix[2, 2::3] = slopes.T
    matrix[3, 0::3], matrix[3, 1::3] = slopes[:, 1], slopes[:, 0]
    matrix[4, 1::3], matrix[4, 2::3] = slopes[:, 2], slopes[:, 1]
    matrix[5, 0::3], matrix[5, 2::3] = slopes[:, 2], slopes[:, 0]
    return matrix


def brick(size, young, poisson, density):
    """Mass and stiffness of an element; three quadratic displacements inside keep it from locking in bending."""
    law, volume = elasticity(young, poisson), np.prod(size) / 8
    mass, stiffness = np.zeros((24, 24)), np.zeros((24, 24))
    mixed, inner = np.zeros((24, 9)), np.zeros((9, 9))
    for point in CORNERS / np.sqrt(3):
        factors = (1 + CORNERS * point) / 2
        values = factors.prod(axis=1)
        slopes = np.zeros((8, 3))
        for axis in range(3):
            others = [k for k in range(3) if k != axis]
            slopes[:, axis] = CORNERS[:, axis] / 2 * factors[:, others].prod(axis=1) * 2 / size[axis]
        outer, bubble = strains(slopes), strains(np.diag(-2 * point * 2 / size))
        stiffness += outer.T @ law @ outer * volume
        mixed += outer.T @ law @ bubble * volume
        inner += bubble.T @ law @ bubble * volume
        shapes = np.zeros((3, 24))
        for axis in range(3):
            shapes[axis, axis::3] = values
        mass += density * shapes.T @ shapes * volume
    return mass, stiffness - mixed @ np.linalg.solve(inner, mixed.T)


def bar(length, width, count, across=2, young=2.1e11, poisson=0.3, density=7850.0):
    """A square bar along x about its middle."""
    xs = np.linspace(-length / 2, length / 2, count + 1)
    ys = np.linspace(-width / 2, width / 2, across + 1)
    nodes = np.array([[x, y, z] for x in xs for y in ys for z in ys])

    def node(i, j, k):
        return (i * (across + 1) + j) * (across + 1) + k

    low = [(i, j, k) for i in range(count) for j in range(across) for k in range(across)]
    steps = [tuple(int(c > 0) for c in corner) for corner in CORNERS]
    elements = [[node(i + a, j + b, k + c) for a, b, c in steps] for i, j, k in low]
    size = np.array([length / count, width / across, width / across])
    mass, stiffness = brick(size, young, poisson, density)
    freedoms = np.array([[3 * n + axis for n in element for axis in range(3)] for element in elements])
    rows, columns = np.repeat(freedoms, 24, axis=1).ravel(), np.tile(freedoms, (1, 24)).ravel()
    total = 3 * len(nodes)

    def assembled(element):
        return sp.csr_matrix((np.tile(element.ravel(), len(elements)), (rows, columns)), shape=(total, total))

    ends = [[n for n, place in enumerate(nodes) if abs(place[0] - x) < 1e-9] for x in (xs[0], xs[-1])]
    return nodes, elements, assembled(mass), assembled(stiffness), ends
