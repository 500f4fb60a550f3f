"""Writes the file of a flexible body (docs/flexible-bodies.md) from point masses on a line, their shapes and a stiffness."""

import json
import struct

import numpy as np

MASK = (1 << 64) - 1


def finalise(z):
    """The finaliser of SplitMix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fingerprint(data):
    """As kernel/src/fingerprint.rs: two lanes of FNV-1a over length and bytes."""
    prime, a = 0x100000001B3, 0xCBF29CE484222325
    b = finalise(a)
    for byte in struct.pack("<Q", len(data)) + data:
        a = ((a ^ byte) * prime) & MASK
        turn = (a >> 61) & 7
        turned = ((byte << turn) | (byte >> (8 - turn))) & 0xFF
        b = ((b ^ turned) * prime) & MASK
    return f"{finalise(a) << 64 | finalise(b):032x}"


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def invariants(masses, places, shapes):
    """(FLX-1) of point masses: shapes[node, mode] is the translation."""
    m = shapes.shape[1]
    i5, i9 = np.zeros((m, m, 3)), np.zeros((m, m, 9))
    i7, i8 = np.zeros((3, 3)), np.zeros((m, 9))
    i4 = np.zeros((m, 3))
    for mass, place, shape in zip(masses, places, shapes):
        s = skew(place)
        i7 += mass * s.T @ s
        for j in range(m):
            f = skew(shape[j])
            i4[j] += mass * np.cross(place, shape[j])
            i8[j] += mass * (s @ f).ravel()
            for k in range(m):
                i5[j, k] += mass * np.cross(shape[j], shape[k])
                i9[j, k] += mass * (f @ skew(shape[k])).ravel()
    i3 = np.einsum("n,nmx->mx", masses, shapes)
    i6 = np.einsum("n,njx,nkx->jk", masses, shapes, shapes)
    return {"i1": [masses.sum()], "i2": masses @ places, "i3": i3, "i4": i4, "i5": i5, "i6": i6, "i7": i7, "i8": i8, "i9": i9}


def write(path, description, masses, places, shapes, slopes, stiffness, names):
    """slopes[node, mode] is the small rotation; names of some nodes, by place in the list."""
    arrays = invariants(masses, places, shapes) | {"stiffness": stiffness, "positions": places, "translations": shapes, "rotations": slopes}
    mass = np.einsum("n,njx,nkx->jk", masses, shapes, shapes)
    frequencies = np.sqrt(np.diag(stiffness) / np.diag(mass)) / (2 * np.pi)
    body = b"".join(np.ascontiguousarray(a, "<f8").tobytes() for a in arrays.values())
    nodes = [{"id": k + 1, "freedom": [True] * 6} | ({"name": names[k]} if k in names else {}) for k in range(len(masses))]
    header = {
        "format": "fixstep flexible body", "version": 1, "description": description, "sources": [],
        "modes": [{"frequency": float(f), "label": f"shape {k + 1}"} for k, f in enumerate(frequencies)],
        "nodes": nodes, "lines": [], "loads": [], "stresses": [], "strains": [],
        "arrays": [{"name": name, "numbers": int(np.size(a))} for name, a in arrays.items()], "fingerprint": fingerprint(body),
    }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(b"FIXFLEX\n" + struct.pack("<Q", len(text)) + text + body)
