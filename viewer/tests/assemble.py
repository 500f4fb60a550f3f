"""Writes pages as the program does: the data in its format, and the template with everything in it."""

import base64
import gzip
import json
import struct
from array import array
from html import escape
from pathlib import Path

VIEWER = Path(__file__).resolve().parent.parent
TYPES = {"f32": "f", "f64": "d", "u32": "I", "i8": "b"}


class Data:
    """The binary part, and references to its arrays."""

    def __init__(self):
        self.binary = bytearray()

    def put(self, kind, numbers, **more):
        held = array(TYPES[kind], numbers)
        at = len(self.binary)
        self.binary += held.tobytes()
        self.binary += bytes(-len(self.binary) % 8)
        return {"at": at, "n": len(held), "type": kind, **more}

    def put_rows(self, rows):
        return self.put("f32", [x for row in rows for x in row])

    def mesh(self, points, normals, triangles):
        return {
            "points": self.put("f32", [x for point in points for x in point]),
            "normals": self.put("i8", [round(127 * x) for normal in normals for x in normal]),
            "triangles": self.put("u32", [k for triangle in triangles for k in triangle]),
        }

    def packed(self, text):
        words = json.dumps(text).encode("utf-8")
        head = struct.pack("<I", len(words)) + words
        return head + bytes(-len(head) % 8) + self.binary


def packed(content):
    return base64.b64encode(gzip.compress(content, 9, mtime=0)).decode("ascii")


def page(content, title, vendor=True):
    """The page of unpacked data. Cut at the placeholders, so that no text that goes in is looked at again."""
    scripts = [(VIEWER / "src" / name).read_text("utf-8") for name in (VIEWER / "order.txt").read_text("utf-8").split()]
    bundle = VIEWER.parent / "target" / "viewer" / "vendor.js"
    parts = {
        "TITLE": escape(title),
        "STYLE": (VIEWER / "style.css").read_text("utf-8"),
        "VENDOR": packed(bundle.read_bytes()) if vendor else "",
        "DATA": packed(content),
        "SCRIPT": packed(("(() => {\n\"use strict\";\n" + "".join(scripts) + "})();\n").encode("utf-8")),
    }
    rest = (VIEWER / "page.html").read_text("utf-8")
    out = []
    for name, text in parts.items():
        assert rest.count(name) == 1, name
        before, rest = rest.split(name)
        out += [before, text]
    return "".join([*out, rest])
