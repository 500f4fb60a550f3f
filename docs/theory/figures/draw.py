"""Draws the figures of the theory manual beside this file. Needs Python alone.

    python3 docs/theory/figures/draw.py
"""

import math
import pathlib

HERE = pathlib.Path(__file__).parent
INK, SOFT, RED, BLUE, GREEN = "#222222", "#8a8f98", "#c0392b", "#1f5fa8", "#2e7d32"


class Page:
    """An SVG page under construction."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="15">',
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def add(self, text):
        self.parts.append(text)

    def line(self, a, b, colour=INK, width=1.5, dash=""):
        dash = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(
            f'<line x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}" '
            f'stroke="{colour}" stroke-width="{width}"{dash}/>'
        )

    def arrow(self, a, b, colour=INK, width=1.8, dash=""):
        angle = math.atan2(b[1] - a[1], b[0] - a[0])
        back = [b[k] - 9 * (math.cos(angle), math.sin(angle))[k] for k in (0, 1)]
        self.line(a, back, colour, width, dash)
        side = (-math.sin(angle), math.cos(angle))
        corners = [b, [back[k] + 4 * side[k] for k in (0, 1)], [back[k] - 4 * side[k] for k in (0, 1)]]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
        self.add(f'<polygon points="{points}" fill="{colour}"/>')

    def text(self, at, words, colour=INK, anchor="middle", size=15, style="italic"):
        self.add(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{colour}" text-anchor="{anchor}" '
            f'font-size="{size}" font-style="{style}">{words}</text>'
        )

    def dot(self, at, colour=INK, radius=3.5):
        self.add(f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius}" fill="{colour}"/>')

    def body(self, at, half, turn, fill):
        self.add(
            f'<ellipse cx="{at[0]}" cy="{at[1]}" rx="{half[0]}" ry="{half[1]}" fill="{fill}" '
            f'stroke="{SOFT}" transform="rotate({turn} {at[0]} {at[1]})"/>'
        )

    def centre(self, at):
        """The quartered circle of a centre of mass."""
        x, y = at
        self.add(f'<circle cx="{x}" cy="{y}" r="7" fill="#ffffff" stroke="{INK}"/>')
        self.add(f'<path d="M{x} {y} V{y - 7} A7 7 0 0 1 {x + 7} {y} Z" fill="{INK}"/>')
        self.add(f'<path d="M{x} {y} V{y + 7} A7 7 0 0 1 {x - 7} {y} Z" fill="{INK}"/>')

    def axes(self, at, names, directions, length, colour):
        for name, degrees in zip(names, directions):
            angle = math.radians(degrees)
            tip = [at[0] + length * math.cos(angle), at[1] - length * math.sin(angle)]
            self.arrow(at, tip, colour, 1.4)
            label = [at[0] + (length + 12) * math.cos(angle), at[1] - (length + 12) * math.sin(angle) + 5]
            self.text(label, name, colour, size=13)

    def save(self, name):
        (HERE / name).write_text("\n".join([*self.parts, "</svg>", ""]), encoding="utf-8")


def sub(letter, index):
    """A letter with an index."""
    return f'{letter}<tspan font-size="10" dy="4">{index}</tspan>'


def frames():
    page = Page(720, 400, "Frames of two bodies and their markers")
    ground, ci, cj = (80, 340), (250, 150), (530, 205)
    pi, pj = (350, 110), (430, 250)
    page.body((265, 145), (130, 78), -14, "#eef3fa")
    page.body((505, 215), (125, 78), 22, "#fbf1e7")
    page.arrow(ground, ci, SOFT, dash="6 4")
    page.arrow(ground, cj, SOFT, dash="6 4")
    page.text((140, 245), sub("r", "I"), SOFT)
    page.text((330, 297), sub("r", "J"), SOFT)
    page.arrow(ci, pi, BLUE)
    page.text((302, 118), sub("ρ", "I"), BLUE)
    page.arrow(cj, pj, BLUE)
    page.text((484, 244), sub("ρ", "J"), BLUE)
    page.arrow(pj, pi, RED, 2.2)
    page.text((412, 165), "d", RED)
    page.axes(ground, ["x", "y", "z"], [0, 90, 212], 48, INK)
    page.text((88, 378), "ground", style="normal", anchor="start", size=13)
    page.axes(ci, ["", "", ""], [-20, 75, 165], 34, SOFT)
    page.axes(cj, ["", "", ""], [-25, 65, 130], 34, SOFT)
    page.axes(pi, ["x", "y", "z"], [50, 140, 0], 40, GREEN)
    page.axes(pj, ["x", "y", "z"], [-60, 150, 215], 40, GREEN)
    for at in (ci, cj):
        page.centre(at)
    page.dot(pi), page.dot(pj)
    page.text((345, 135), sub("p", "I"), anchor="end")
    page.text((448, 270), sub("p", "J"), anchor="start")
    page.text((300, 195), "body of I", style="normal", size=13)
    page.text((560, 280), "body of J", style="normal", size=13)
    page.text((700, 30), "R: body axes → ground axes", SOFT, "end", 13, "normal")
    page.text((700, 50), "A: marker axes → ground axes", GREEN, "end", 13, "normal")
    page.text((700, 70), "ρ = R ρ(body),  p = r + ρ,  d = p(I) − p(J)", BLUE, "end", 13, "normal")
    page.save("frames.svg")


def lever():
    page = Page(720, 330, "A wrench between two bodies")
    ci, cj, p, pj = (170, 175), (560, 205), (330, 120), (440, 190)
    page.body((215, 160), (150, 82), -14, "#eef3fa")
    page.body((505, 200), (135, 80), 8, "#fbf1e7")
    page.arrow(ci, p, BLUE)
    page.text((238, 140), "ρ", BLUE)
    page.arrow(cj, p, BLUE, dash="7 4")
    page.text((492, 168), "η", BLUE)
    page.line(pj, p, SOFT, 1.3, "3 3")
    page.text((404, 182), "d", SOFT)
    page.arrow(p, (385, 50), RED, 2.4)
    page.text((398, 62), "F on the body of I", RED, "start")
    page.arrow(p, (275, 190), RED, 2.4)
    page.text((262, 212), "−F on the body of J", RED, "middle")
    for at in (ci, cj):
        page.centre(at)
    page.dot(p), page.dot(pj, SOFT)
    page.text((316, 108), sub("p", "I"), anchor="end")
    page.text((447, 210), sub("p", "J"), SOFT, anchor="start")
    page.text((150, 165), sub("r", "I"), anchor="end")
    page.text((578, 200), sub("r", "J"), anchor="start")
    page.text((120, 290), "torque about r<tspan font-size='10' dy='4'>I</tspan>"
              "<tspan dy='-4'>:  ρ × F + T</tspan>", INK, "start", 15, "normal")
    page.text((430, 310), "torque about r<tspan font-size='10' dy='4'>J</tspan>"
              "<tspan dy='-4'>:  −(η × F + T)</tspan>", INK, "start", 15, "normal")
    page.save("lever.svg")


if __name__ == "__main__":
    frames()
    lever()
