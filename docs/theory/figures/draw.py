"""Draws the figures of the theory manual beside this file. Needs Python alone.

    python3 docs/theory/figures/draw.py
"""

import math
import pathlib

HERE = pathlib.Path(__file__).parent
INK, SOFT, RED, BLUE, GREEN = "#222222", "#8a8f98", "#c0392b", "#1f5fa8", "#2e7d32"
SHADES = ["#1f5fa8", "#2e9e8f", "#d98c1f", "#c0392b"]


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


def damping():
    """Amplitude (1 + (Ω₀h)²)^(−t/2h) of a 1 Hz oscillation."""
    page = Page(720, 400, "Amplitude of a 1 Hz oscillation under backward Euler")
    left, right, top, bottom = 70, 590, 30, 340
    place = lambda t, y: (left + (right - left) * t / 10, bottom - (bottom - top) * y)
    for k in range(6):
        page.line(place(0, k / 5), place(10, k / 5), "#e3e6ea", 1)
        page.text((left - 10, place(0, k / 5)[1] + 5), f"{20 * k} %", anchor="end", size=13, style="normal")
    for t in range(0, 11, 2):
        page.line(place(t, 0), (place(t, 0)[0], bottom + 5), INK, 1)
        page.text((place(t, 0)[0], bottom + 22), f"{t}", size=13, style="normal")
    page.line(place(0, 0), place(10, 0), INK, 1)
    page.line(place(0, 0), place(0, 1), INK, 1)
    page.line(place(0, 1), place(10, 1), INK, 1.5, "5 4")
    page.text((right + 8, place(0, 1)[1] + 5), "exact", INK, "start", 13, "normal")
    for colour, ms in zip(SHADES, (1, 2, 5, 10)):
        h = ms / 1000
        left_over = lambda t: (1 + (2 * math.pi * h) ** 2) ** (-t / (2 * h))
        points = [place(t / 20, left_over(t / 20)) for t in range(201)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        page.add(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>')
        label = f"h = {ms} ms: {100 * left_over(10):.0f} %"
        page.text((right + 8, points[-1][1] + 5), label, colour, "start", 13, "normal")
    page.text(((left + right) / 2, 388), "time [s]", size=14, style="normal")
    page.text((left + 4, 20), "amplitude left", anchor="start", size=14, style="normal")
    page.save("damping.svg")


if __name__ == "__main__":
    frames()
    lever()
    damping()
