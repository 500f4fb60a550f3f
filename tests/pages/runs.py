"""Pages of runs of examples, opened in Chromium.

Called as `runs.py FIXSTEP MODELS FOLDER CHROMIUM`. `fixstep run --report` writes a page of each example; a table of the same run tells
where its bodies are. Bodies of the page must be there, play must move them, a click must find them, lines must have the numbers of the
table, and nothing may go wrong or be asked of a server, with WebGL and without. Pictures stay in FOLDER. One line `ok` or `FAILED`
for each check.
"""

import csv
import json
import math
import shutil
import sys
from pathlib import Path

from checks import OfProgram, examine, named

# Example, words for the run, and a time of the picture.
RUNS = [
    ("pendulum", [], 0.4),
    ("vehicle", ["--input", "input.csv", "--stop", "2"], 1.2),
    ("double_wishbone", [], 0.5),
    ("flexible_slider_crank", [], 0.2),
    ("spatial_slider_crank", [], 0.3),
    ("stewart_platform", ["--stop", "2"], 1.0),
    ("heavy_top", [], 0.7),
    ("robot_arm", ["--input", "input.csv", "--stop", "1.5"], 1.2),
]
# Those that are opened without WebGL too.
WITHOUT_WEBGL = ["pendulum", "double_wishbone", "flexible_slider_crank"]
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&amp; "
LARGEST = 400e3  # without data


class Runs(OfProgram):
    def open(self, file, browser, t=None):
        return self.opened(file.as_uri() + ("" if t is None else f"#t={t}"), browser, {"width": 1400, "height": 860})

    def with_poses(self, name):
        """A copy of the example that also tells where its bodies are."""
        model = json.loads(self.run("expand", self.models / name / "model.json"))
        model.setdefault("requests", []).append({"name": "where", "type": "bodies", "quantities": ["position", "orientation"]})
        copy = self.models / name / "with_poses.json"
        copy.write_text(json.dumps(model), encoding="utf-8")
        return copy

    def example(self, name, words, t):
        model = self.with_poses(name)
        page_file, table = self.folder / f"{name}.html", self.folder / f"{name}.csv"
        self.run("run", model.name, *words, "--no-trial", "--record", "where.*", "-o", table, "--report", page_file, cwd=model.parent)
        with table.open(encoding="utf-8", newline="") as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        unit = self.length(model)
        bodies = sorted({key.split(".position[")[0][len("where."):] for key in rows[0] if ".position[" in key})
        for browser in self.browsers if name in WITHOUT_WEBGL else ["webgl"]:
            page, wrong = self.open(page_file, browser, t)
            page.screenshot(path=self.folder / f"{name}-{browser}.png")
            size = page.evaluate("fixstep.app.run.text.size")
            worst = self.farthest(page, rows, bodies, unit)
            self.judge(f"{name}: {len(bodies)} bodies are where the engine says, {browser}", bodies and worst < 2e-3 * size, f"{worst} of {size}")
            self.moves(page, name, bodies, browser)
            output = next(key for key in rows[0] if key != "time" and not key.startswith("where."))
            self.plots(page, name, output, rows, browser)
            self.judge(f"{name}: nothing is wrong, {browser}", not wrong, str(wrong))
            if browser == "webgl":
                self.cost(page, name)
            page.close()

    @staticmethod
    def length(model):
        units = json.loads(model.read_text(encoding="utf-8")).get("units", {})
        return {"m": 1.0, "mm": 1e-3, "cm": 1e-2}[units.get("length", "m")]

    def farthest(self, page, rows, bodies, unit):
        """The largest distance of a body from its place, at several times; a wrong rotation counts as one by the size."""
        worst = 0.0
        size = page.evaluate("fixstep.app.run.text.size")
        for row in rows[:: max(1, len(rows) // 12)]:
            page.evaluate(f"fixstep.setTime({row['time']!r})")
            for body in bodies:
                pose = page.evaluate("(name) => fixstep.pose(name)", body.strip("'"))
                at = [row[f"where.{body}.position[{k}]"] * unit for k in (1, 2, 3)]
                turn = [row[f"where.{body}.orientation[{k}]"] for k in (1, 2, 3, 4)]
                apart = math.dist(pose["position"], at)
                same = abs(sum(a * b for a, b in zip(pose["rotation"], turn)))
                worst = max(worst, apart, size * math.sqrt(max(0.0, 1 - same)))
        return worst

    def moves(self, page, name, bodies, browser):
        page.evaluate("fixstep.setTime(0)")
        read = "(names) => names.map((name) => fixstep.pose(name)).flatMap((pose) => [...pose.position, ...pose.rotation])"
        bodies = [body.strip("'") for body in bodies]
        before = page.evaluate(read, bodies)
        page.evaluate("fixstep.play(true)")
        moved = False
        for _ in range(50):  # pictures take their time without a graphics card
            page.wait_for_timeout(100)
            after = page.evaluate(read, bodies)
            moved = moved or any(abs(a - b) > 1e-6 for a, b in zip(before, after))
            if moved:
                break
        page.evaluate("fixstep.play(false)")
        self.judge(f"{name}: play moves it, {browser}", moved)

    def plots(self, page, name, output, rows, browser):
        shown = page.evaluate("(name) => fixstep.plotted(name)?.y", output)
        values = [row[output] for row in rows]
        ratio = None
        if shown and len(shown) == len(values):
            largest = max(range(len(values)), key=lambda k: abs(values[k]))
            ratio = shown[largest] / values[largest] if values[largest] else 1.0
        holds = ratio is not None and all(abs(a - b * ratio) <= 1e-6 * (abs(ratio) + abs(b * ratio)) for a, b in zip(shown, values))
        self.judge(f"{name}: the line of {output} has the numbers of the table, {browser}", holds, f"{ratio} {str(shown)[:80]}")

    def cost(self, page, name):
        stats = page.evaluate("fixstep.stats()")
        self.judge(f"{name}: {stats['triangles']} triangles in {stats['calls']} calls", stats["triangles"] <= 200_000 and stats["calls"] <= 250, str(stats))

    def picks(self):
        page, _ = self.open(self.folder / "pendulum.html", "webgl", 0.4)
        hit = page.evaluate("fixstep.pick(...fixstep.seen(1, [0, 0, 0]))")
        self.judge("a click finds the pendulum", hit is not None, str(hit))
        page.close()

    def hostile(self):
        model = json.loads(self.run("expand", self.models / "pendulum" / "model.json"))
        model["description"] = HOSTILE + "long " * 200
        for output in model["outputs"][:1]:
            output["description"] = HOSTILE
        file = self.models / "pendulum" / "hostile.json"
        file.write_text(json.dumps(model), encoding="utf-8")
        self.run("run", file, "--no-trial", "--report", self.folder / "hostile.html")
        page, wrong = self.open(self.folder / "hostile.html", "webgl")
        self.judge("hostile text stays text", not wrong and page.locator("img[src='x']").count() == 0, str(wrong))
        page.close()

    def fmu(self):
        """A page of an FMU shows the mechanism inside, where outputs agree bit for bit."""
        fmu = self.folder / "pendulum.fmu"
        self.run("build", self.models / "pendulum" / "model.json", "-o", fmu)
        self.run("run", fmu, "--no-trial", "--report", self.folder / "fmu.html")
        page, wrong = self.open(self.folder / "fmu.html", "webgl", 0.4)
        self.judge("the page of an FMU has its bodies", not wrong and page.evaluate("fixstep.app.run.text.bodies.length") > 1, str(wrong))
        page.close()

    def long(self):
        """A million steps: the page keeps extremes, and says so."""
        file = self.folder / "long.html"
        self.run("run", self.models / "pendulum" / "model.json", "--stop", "1000", "--step", "1e-3", "--no-trial", "--report", file)
        page, wrong = self.open(file, "webgl")
        self.judge(f"a run of a million steps: {file.stat().st_size} bytes", not wrong and file.stat().st_size < 12e6, str(wrong))
        thinned = page.evaluate("fixstep.app.run.text.signals.every((signal) => signal.thinned)")
        self.judge("its lines are thinned, and say so", thinned)
        page.close()


def main():
    program, models, folder, chromium = sys.argv[1:]
    folder = Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(models, folder / "models")
    root = Path(models).resolve().parent / "fixstep.root"
    if root.exists():
        shutil.copy(root, folder)

    def make(browsers):
        runs = Runs(Path(program).resolve(), folder / "models", folder, browsers)
        checks = [(name, lambda entry=(name, words, t): runs.example(*entry)) for name, words, t in RUNS]
        return runs, [*checks, *named(runs.picks, runs.hostile, runs.fmu, runs.long)]

    examine(chromium, make, ("webgl", "canvas"))


main()
