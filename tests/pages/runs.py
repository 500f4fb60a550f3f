"""Pages of runs of examples, opened in Chromium.

Called as `runs.py FIXSTEP MODELS FOLDER CHROMIUM`. `fixstep run --report` writes a page of each example; a table of the same run tells
where its bodies are. Bodies of the page must be there, play must move them, a click must find them, lines must have the numbers of the
table, and nothing may go wrong or be asked of a server, with WebGL and without. Pictures stay in FOLDER. One line `ok` or `FAILED`
for each check.
"""

import csv
import json
import math
import re
import shutil
import sys
import zipfile
from pathlib import Path

from checks import OfProgram, examine, named
from reading import Reading

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
WITHOUT_WEBGL = ["pendulum", "vehicle", "double_wishbone", "flexible_slider_crank"]
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&amp; "
# What a frame of a run may cost. The script has 4 ms; twice as much is let pass, for machines that are busy with other programs too.
CALLS, TRIANGLES, SCRIPT = 250, 200_000, 8
# Pictures a second of the vehicle without WebGL, at least.
RATE = 10

# Of the pixels of a raster: how many show a part or should, and how many show another than the one that their rays meet first. Where a
# neighbour shows what the ray meets, the pixel lies on an edge.
HIDDEN_WRONGLY = """([columns, rows]) => { const { width, height } = fixstep.app.stage.camera; let all = 0, wrong = 0;
  for (let i = 0; i < columns; i += 1) for (let j = 0; j < rows; j += 1) {
    const x = ((i + 0.5) * width) / columns, y = ((j + 0.5) * height) / rows, met = fixstep.met(x, y), painted = fixstep.painted(x, y);
    if (met === null && painted === null) continue;
    all += 1;
    if (![[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]].some(([dx, dy]) => fixstep.painted(x + dx, y + dy) === met)) wrong += 1;
  }
  return [all, wrong]; }"""


# Von Mises stress at the corner of the flexible surface that is nearest to a place [Pa].
STRESS_AT = """(at) => { const [soft] = fixstep.app.parts.softs; const { points } = soft.mesh; let near = 0, least = Infinity;
  for (let k = 0; k < points.length; k += 3) { const d = Math.hypot(points[k] - at[0], points[k + 1] - at[1], points[k + 2] - at[2]);
    if (d < least) { least = d; near = k / 3; } }
  const s = [0, 1, 2, 3, 4, 5].map((c) => soft.stresses.reduce((sum, mode, m) => sum + soft.q[m] * mode[6 * near + c], 0));
  return Math.sqrt(0.5 * ((s[0] - s[1]) ** 2 + (s[1] - s[2]) ** 2 + (s[2] - s[0]) ** 2) + 3 * (s[3] ** 2 + s[4] ** 2 + s[5] ** 2)); }"""


SLOPE = {
    "fixstep": 1, "name": "slope", "gravity": [0, 0, -9.81],
    "parts": [{"name": "ball", "mass": 1, "inertia": {"xx": 0.004, "yy": 0.004, "zz": 0.004}, "position": [0, 0, 0.1]}],
    "markers": [{"name": "middle", "part": "ball"}, {"name": "slope", "part": "ground", "orientation": {"euler": [90, 11, 0]}}],
    "forces": [{"name": "touch", "type": "contact", "i": "middle", "j": "slope", "shapes": {"i": {"type": "sphere", "radius": 0.1}, "j": {"type": "plane"}},
                "normal": {"type": "hunt_crossley", "stiffness": 1e6, "damping": 0.3},
                "friction": {"mu_static": 0.3, "mu_dynamic": 0.2, "stiction_velocity": 0.01, "friction_velocity": 0.1}}],
    "outputs": [{"name": "x", "expression": "DX(middle)"}], "units": {"angle": "deg"}, "experiment": {"stop": 2, "step": 0.001},
}
# Where the ball is along the two edges of the slope, from −0.5 to 0.5.
BESIDE_SLOPE = """(t) => { fixstep.setTime(t); const { parts } = fixstep.app; parts.update();
  const { matrix: m, mesh } = parts.list.find((part) => part.origin === "road"), { position } = fixstep.pose("ball");
  return [0, 1].map((k) => { const c = [m[4 * k], m[4 * k + 1], m[4 * k + 2]], d = position.map((x, j) => x - m[12 + j]);
    const along = c.reduce((sum, x, j) => sum + x * d[j], 0) / c.reduce((sum, x) => sum + x * x, 0), [low, high] = mesh.box.map((corner) => corner[k]);
    return (along - 0.5 * (low + high)) / (high - low); }); }"""


class Runs(Reading, OfProgram):
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
        named = [body.strip("'") for body in bodies]
        for row in rows[:: max(1, len(rows) // 8)]:
            poses = page.evaluate("([time, names]) => { fixstep.setTime(time); return names.map((name) => fixstep.pose(name)); }", [row["time"], named])
            for body, pose in zip(bodies, poses):
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
        self.judge(f"{name}: {stats['triangles']} triangles in {stats['calls']} calls", stats["triangles"] <= TRIANGLES and stats["calls"] <= CALLS, str(stats))

    def budget(self, name, file, t):
        """What a frame costs while the run plays, with the most that is shown: draw calls and triangles are exact; the clock of the script also
        counts what other programs take from this one, so the best of some counts must stay below."""
        # A small picture: the software renderer is slow, the script is not.
        page, wrong = self.opened(f"{file.as_uri()}#t={t}", "webgl", {"width": 1000, "height": 600})
        page.evaluate("fixstep.play(true)")
        tries = []
        while len(tries) < 5 and (not tries or tries[-1]["script"] > SCRIPT / 2 or not tries[-1]["frames"]):
            page.wait_for_timeout(1500)
            page.evaluate("fixstep.forget()")
            page.wait_for_timeout(2500)
            tries.append(page.evaluate("fixstep.stats()"))
        best = min(tries, key=lambda one: one["script"] if one["frames"] else math.inf)
        holds = best["calls"] <= CALLS and best["triangles"] <= TRIANGLES and best["script"] <= SCRIPT and best["frames"] > 0 and not wrong
        bodies = page.evaluate("fixstep.app.run.text.bodies.length") - 1
        self.judge(f"{name}: {bodies} bodies, {best['calls']} calls, {best['triangles']} triangles, {best['script']:.1f} ms of script", holds, f"{tries} {wrong}")
        page.close()
        return bodies

    def budgets(self):
        self.budget("vehicle", self.folder / "vehicle.html", 0.2)
        model = json.loads((self.models / "chain" / "model.json").read_text(encoding="utf-8"))
        model["constants"]["links"] = 100
        file = self.models / "chain" / "hundred.json"
        file.write_text(json.dumps(model), encoding="utf-8")
        self.run("run", file, "--stop", "1", "--no-trial", "--report", self.folder / "hundred.html")
        bodies = self.budget("a chain", self.folder / "hundred.html", 0.2)
        self.judge("the chain has a hundred bodies", bodies == 100, str(bodies))

    def without_webgl(self):
        """Without WebGL the vehicle is drawn ten times a second, and each pixel shows the part that is nearest, from all sides."""
        page, wrong = self.opened(f"{(self.folder / 'vehicle.html').as_uri()}#t=0.8", "canvas", {"width": 1400, "height": 860})
        for view in ("iso", "front", "left", "bottom"):
            page.evaluate("(view) => { fixstep.app.stage.tools.look(view); fixstep.app.frame(); }", view)
            seen, hidden = page.evaluate(HIDDEN_WRONGLY, [66, 50])
            self.judge(f"the vehicle from {view}: {hidden} of {seen} pixels show a part that another hides", seen > 100 and hidden <= 0.01 * seen, f"{hidden} {seen}")
        page.evaluate("fixstep.app.stage.tools.look('iso')")
        rates = []
        page.evaluate("fixstep.play(true)")
        while len(rates) < 5 and (not rates or max(rates) < RATE):
            page.wait_for_timeout(500)
            page.evaluate("fixstep.forget()")
            page.wait_for_timeout(2000)
            rates.append(min(page.evaluate("fixstep.stats().frames"), 119) / 2)
        self.judge(f"the vehicle without WebGL: {max(rates):.0f} pictures a second", max(rates) >= RATE and not wrong, f"{rates} {wrong}")
        page.close()

    def display_units(self):
        """Axis, legend, cursors and saved tables are in the units in which outputs are shown."""
        model = json.loads(self.run("expand", self.models / "pendulum" / "model.json"))
        marker = next(one["name"] for one in model["markers"] if one.get("part", "ground") != "ground")
        model["outputs"] = [
            {"name": "turn", "expression": f"AZ({marker})", "unit": "rad", "display_unit": "deg"},
            {"name": "way", "expression": f"DX({marker})", "unit": "m", "display_unit": "mm"},
        ]
        file = self.models / "pendulum" / "displayed.json"
        file.write_text(json.dumps(model), encoding="utf-8")
        table = self.folder / "displayed.csv"
        self.run("run", file, "--stop", "1", "--no-trial", "-o", table, "--report", self.folder / "displayed.html")
        with table.open(encoding="utf-8", newline="") as text:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(text)]
        page, wrong = self.open(self.folder / "displayed.html", "webgl", 0.5)
        row = min(rows, key=lambda one: abs(one["time"] - 0.5))
        page.evaluate(f"fixstep.setTime({row['time']!r})")
        page.wait_for_timeout(300)
        for name, unit, factor in (("turn", "deg", 180 / math.pi), ("way", "mm", 1e3)):
            line = page.evaluate("(name) => fixstep.plotted(name)", name)
            holds = line and line["unit"] == unit and all(abs(y - factor * one[name]) <= 1e-9 * (1 + abs(y)) for y, one in zip(line["y"], rows))
            self.judge(f"the line of {name} is in {unit}", bool(holds), str(line)[:200])
            axes = page.evaluate("(panel) => fixstep.app.plots.panels[panel].chart().axes.map((axis) => axis.unit)", line["panel"])
            self.judge(f"its axis says {unit}", unit in axes, str(axes))
            chip = page.locator(".panel", has_text=name).first.inner_text()
            values = [float(word.replace("\u2212", "-")) for word in re.findall(r"[\u2212-]?\d+(?:\.\d+)?(?:e[\u2212-]?\d+)?", chip.split(name, 1)[1])]
            wanted = factor * row[name]
            self.judge(f"the legend tells {name} at the cursor in {unit}", unit in chip and values and abs(values[0] - wanted) <= 2e-3 * abs(wanted) + 1e-3, f"{chip!r} {wanted}")
            saved = page.evaluate("(panel) => fixstep.csv(fixstep.app.plots.panels[panel])", line["panel"]).splitlines()
            heads = next(csv.reader([saved[0]]))
            column = heads.index(f"{name} [{unit}]") if f"{name} [{unit}]" in heads else -1
            kept = {float(cells[0]): float(cells[column]) for cells in csv.reader(saved[1:]) if column >= 0 and cells[column]}
            own = min(kept, key=lambda time: abs(time - row["time"]), default=None)
            self.judge(f"a saved table has {name} in {unit}", own is not None and abs(kept[own] - wanted) <= 1e-9 * (1 + abs(wanted)), f"{saved[:2]} {wanted}")
        self.judge("nothing is wrong with units", not wrong, str(wrong))
        page.close()

    def stress(self):
        """A rod with a stress at each of its nodes is coloured by it: the stress of the page is that of the engine."""
        count, length, half = 21, 0.5, 0.01
        names = ["big_end", *[f"p{k}" for k in range(1, count - 1)], "small_end"]
        beam = json.loads((self.models / "flexible_slider_crank" / "rod.json").read_text(encoding="utf-8"))
        beam["points"] = [{"name": name, "position": [length * k / (count - 1), 0, 0]} for k, name in enumerate(names)]
        beam["elements"] = 1
        beam["stresses"] = [{"name": name, "point": name, "y": half, "z": half} for name in names]
        own = self.models / "flexible_slider_crank"
        (own / "stressed_rod.json").write_text(json.dumps(beam), encoding="utf-8")
        self.run("flex", "beam", own / "stressed_rod.json", "-o", own / "stressed.flex")
        model = json.loads(self.run("expand", own / "model.json"))
        rod, = model["flexible_bodies"]
        rod["file"] = "stressed.flex"
        model["shapes"] = [shape for shape in model.get("shapes", []) if shape.get("part") != rod["name"]]
        chosen = names[count // 2]
        model["outputs"].append({"name": "own", "expression": f"1e-6*STRESS({rod['name']}, {chosen}, XX)", "unit": "MPa"})
        (own / "stressed.json").write_text(json.dumps(model), encoding="utf-8")
        table = self.folder / "stressed.csv"
        self.run("run", "stressed.json", "--stop", "0.2", "--no-trial", "-o", table, "--report", self.folder / "stressed.html", cwd=own)
        with table.open(encoding="utf-8", newline="") as text:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(text)]
        for browser in self.browsers:
            page, wrong = self.open(self.folder / "stressed.html", browser, 0.1)
            page.locator("#tools summary", has_text="Flexible").click()
            page.locator("#tools label", has_text="Colour").locator("select").select_option("stress")
            legend = page.locator("#legend").inner_text()
            self.judge(f"the legend of the stress is there, {browser}", "Von Mises stress" in legend and "MPa" in legend, legend)
            worst, largest = 0.0, 0.0
            for row in rows[:: max(1, len(rows) // 15)]:
                page.evaluate(f"fixstep.setTime({row['time']!r})")
                shown = page.evaluate(STRESS_AT, [length / 2, 0, 0])
                worst = max(worst, abs(shown / 1e6 - abs(row["own"])))
                largest = max(largest, abs(row["own"]))
            # Modal coordinates are in single precision.
            self.judge(f"the stress of the page is that of the engine, {browser}", largest > 1 and worst < 1e-3 * largest, f"{worst} of {largest}")
            page.screenshot(path=self.folder / f"stressed-{browser}.png")
            marks = [float(word) for word in re.findall(r"\d+(?:\.\d+)?(?:e[-\u2212]?\d+)?", legend)]
            self.judge(f"the legend ends at the most of the run, {browser}", bool(marks) and marks[0] >= 0.99 * largest and not wrong, f"{legend} {largest} {wrong}")
            page.close()

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

    def foreign(self):
        """A page of another vendor's FMU has plots, and no mechanism."""
        with zipfile.ZipFile(self.folder / "pendulum.fmu") as own, zipfile.ZipFile(self.folder / "foreign.fmu", "w") as other:
            for name in own.namelist():
                data = own.read(name)
                if name == "modelDescription.xml":
                    data = data.replace(b'generationTool="Fixstep', b'generationTool="Other')
                other.writestr(name, data)
        self.run("run", self.folder / "foreign.fmu", "--no-trial", "--report", self.folder / "foreign.html")
        page, wrong = self.open(self.folder / "foreign.html", "webgl", 0.4)
        bodies, lines = page.evaluate("[fixstep.app.run.text.bodies.length, fixstep.app.plots.panels.flatMap((panel) => panel.drawn?.lines ?? []).length]")
        self.judge("the page of another vendor's FMU has plots alone", bodies == 0 and lines > 0 and not wrong, f"{bodies} {lines} {wrong}")
        page.close()

    def system(self):
        """A page of a system shows the mechanisms inside its FMUs, moved as the system moved them."""
        file = self.folder / "servo.ssp"
        self.run("ssp", self.models / "servo_axis" / "system.json", "-o", file)
        table = self.folder / "servo.csv"
        self.run("run", file, "--no-trial", "-o", table, "--report", self.folder / "servo.html")
        with table.open(encoding="utf-8", newline="") as text:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(text)]
        page, wrong = self.open(self.folder / "servo.html", "webgl", 0.4)
        names = page.evaluate("fixstep.app.run.text.bodies.map((body) => body.name)")
        self.judge("the page of a system has the bodies of its mechanisms", len(names) > 1 and all(name.startswith("axis.") for name in names[1:]) and not wrong, f"{names} {wrong}")
        angle = next(key for key in rows[0] if key.startswith("axis.") and "angle" in key)
        turned = []
        for row in (rows[0], rows[len(rows) // 3], rows[-1]):
            page.evaluate(f"fixstep.setTime({row['time']!r})")
            poses = page.evaluate("(names) => names.map((name) => fixstep.pose(name)?.rotation ?? [1, 0, 0, 0])", names[1:])
            turned.append((row[angle], poses))
        # One of the bodies turns as far as the output says.
        def far(pose, start):
            return 2 * math.acos(min(1.0, abs(sum(a * b for a, b in zip(pose, start)))))
        def wanted(now):
            turn = abs(now - turned[0][0]) % (2 * math.pi)
            return min(turn, 2 * math.pi - turn)
        apart = [min(abs(far(pose, start) - wanted(now)) for pose, start in zip(poses, turned[0][1])) for now, poses in turned[1:]]
        holds = max(apart) < 2e-3 and max(abs(now - turned[0][0]) for now, _ in turned) > 0.5
        self.judge("they turn as the system turned them", holds, f"{apart} {[now for now, _ in turned]}")
        page.screenshot(path=self.folder / "servo.png")
        page.close()

    def variable(self):
        """The header of a run with a variable step tells its error and integrator."""
        file = self.folder / "variable.html"
        self.run("run", self.models / "pendulum" / "model.json", "--stop", "0.5", "--error", "1e-6", "--integrator", "WSTIFF", "--no-trial", "--report", file)
        page, wrong = self.open(file, "canvas", 0.2)
        text = page.locator("header").inner_text()
        self.judge("the header tells the error of a variable step", "1e-6" in text and "WSTIFF" in text and "in steps of" not in text and not wrong, f"{text} {wrong}")
        page.close()

    def slope(self):
        """A ball that rolls down a slope: the slope reaches under its whole way, and its contact is one row."""
        file = self.folder / "slope.json"
        file.write_text(json.dumps(SLOPE), encoding="utf-8")
        self.run("run", file, "--no-trial", "--report", self.folder / "slope.html")
        page, wrong = self.open(self.folder / "slope.html", "webgl", 0)
        beside = [page.evaluate(BESIDE_SLOPE, t) for t in (0, 1, 2)]
        self.judge("the slope is under the ball all the time", all(-0.5 < x < 0.5 for at in beside for x in at) and not wrong, f"{beside} {wrong}")
        rows = [text.strip() for text in page.locator("#side li .name").all_inner_texts()]
        self.judge("force and torque of a contact are one row", rows.count("touch") == 1, str(rows))
        height = page.evaluate("(() => { const { camera, parts } = fixstep.app.stage, [low, high] = parts.bounds(); return (high[2] - low[2]) / camera.distance; })()")
        self.judge("a ball that travels alone does not fill the view", height < 0.35, str(height))
        clock = page.locator(".clock input")
        before = clock.input_value()
        clock.fill("soon")
        clock.press("Enter")
        self.judge("the clock shows no text that is no time", clock.input_value() == before, f"{before} {clock.input_value()}")
        page.screenshot(path=self.folder / "slope.png")
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
        return runs, [*checks, *named(runs.budgets, runs.without_webgl, runs.curves, runs.axes, runs.files, runs.arrows, runs.sizes, runs.keys, runs.marks, runs.display_units, runs.stress, runs.picks, runs.hostile, runs.fmu, runs.foreign, runs.system, runs.variable, runs.slope, runs.long)]

    examine(chromium, make, ("webgl", "canvas"))


main()
