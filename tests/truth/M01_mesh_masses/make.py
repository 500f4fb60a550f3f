"""Writes closed meshes with random shapes, and what trimesh computes of them: volume, area, centre of mass and inertia.

Needs numpy, scipy and trimesh (https://trimesh.org, MIT licence). Every mesh is written by trimesh in a format that is read
here, and read again by trimesh before its numbers are taken, so that rounding in the file counts for both.
"""

import json
from pathlib import Path

import numpy
import trimesh

FOLDER = Path(__file__).parent
ENDINGS = ["binary.stl", "text.stl", "obj", "glb", "gltf"]


def hull(random):
    """The hull of a cloud of points, far from the origin."""
    points = random.normal(size=(24, 3)) * random.uniform(0.2, 3, 3)
    return trimesh.convex.convex_hull(points + random.uniform(-9, 9, 3))


def star(random):
    """A sphere whose corners are moved in and out."""
    mesh = trimesh.creation.icosphere(subdivisions=1)
    mesh.vertices *= random.uniform(0.4, 1.6, (len(mesh.vertices), 1)) * random.uniform(0.5, 2, 3)
    return mesh


def ring(random):
    """A torus, turned."""
    mesh = trimesh.creation.torus(1.0, random.uniform(0.1, 0.5), major_sections=12, minor_sections=7)
    mesh.apply_transform(trimesh.transformations.random_rotation_matrix(random.uniform(size=3)))
    return mesh


def pair(random):
    """Two shells apart from each other."""
    other = hull(random)
    other.apply_translation([40, 0, 0])
    return trimesh.util.concatenate([star(random), other])


def hollow(random):
    """A box with a cavity."""
    inner = star(random)
    inner.invert()
    outer = trimesh.creation.box(extents=random.uniform(7, 9, 3))
    return trimesh.util.concatenate([outer, inner])


def write(mesh, name, ending):
    """Writes a mesh; the names of its files."""
    path = FOLDER / f"{name}.{ending}"
    if ending == "gltf":
        files = trimesh.exchange.gltf.export_gltf(trimesh.Scene(mesh), merge_buffers=True)
        for own, content in files.items():
            target = path if own.endswith(".gltf") else FOLDER / f"{name}.bin"
            text = content.replace(own.encode(), own.encode())
            if own.endswith(".gltf"):
                others = [other for other in files if not other.endswith(".gltf")]
                assert len(others) == 1
                text = text.replace(others[0].encode(), f"{name}.bin".encode())
            target.write_bytes(text)
    else:
        kind = {"binary.stl": "stl", "text.stl": "stl_ascii"}.get(ending, ending)
        mesh.export(path, file_type=kind)
    return path


def main():
    random = numpy.random.default_rng(20260)
    cases = []
    for k, make in enumerate([hull, star, ring, pair, hollow]):
        for ending in [ENDINGS[k], ENDINGS[(k + 2) % 5]]:
            mesh = make(random)
            path = write(mesh, f"{make.__name__}_{ENDINGS.index(ending)}", ending)
            read = trimesh.load(path, force="mesh")
            read.merge_vertices()
            assert read.is_watertight and read.is_winding_consistent, path
            read.density = 1.0
            cases.append(
                {
                    "file": path.name,
                    "triangles": len(read.faces),
                    "volume": float(read.volume),
                    "area": float(read.area),
                    "center": [float(x) for x in read.center_mass],
                    "inertia": [[float(x) for x in row] for row in read.moment_inertia],
                }
            )
    reference = {
        "id": "M01",
        "title": "Mass properties of closed meshes",
        "source": f"trimesh {trimesh.__version__} (https://trimesh.org), make.py beside this file; at a density of 1",
        "cases": cases,
    }
    (FOLDER / "reference.json").write_text(json.dumps(reference, indent=1) + "\n")


main()
