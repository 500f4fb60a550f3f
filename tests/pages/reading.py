"""What a reader does with the page of a run: derived curves, limits of axes, x–y plots, keys, the chosen body."""

import csv
import math

# Types a curve into the field; gives what the field says of it, and its line, if it was plotted.
CURVE = """(text) => { const { curve } = fixstep.app.plots; curve.input.value = text; curve.root.requestSubmit();
  return { wrong: curve.root.classList.contains("wrong") ? curve.said.textContent : "", line: fixstep.plotted(text) }; }"""
# Ticks of each axis of each panel, as texts of an SVG of a size.
TICKS = """([width, height]) => fixstep.app.plots.panels.map((panel) => { const box = document.createElement("div");
  box.innerHTML = fixstep.svgOf(panel, width, height);
  const of = (anchor) => [...box.querySelectorAll(`text[text-anchor="${anchor}"]`)].filter((text) => !text.hasAttribute("transform")).map((text) => text.textContent);
  return { left: of("end"), below: of("middle") }; })"""
# The pixels of the view that have the colour of the outline, in a picture that is as fine as it gets; and the mean colour of a small square around a place.
MARKED = """([x, y]) => { const { stage } = fixstep.app; stage.draw();
  if (stage.view.raster) stage.view.render(stage.view.fine); const ratio = stage.canvas.width / stage.camera.width;
  const copy = document.createElement("canvas"); copy.width = stage.canvas.width; copy.height = stage.canvas.height;
  const context = copy.getContext("2d"); context.drawImage(stage.canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height); let marked = 0;
  for (let k = 0; k < data.length; k += 4) if (Math.abs(data[k] - 255) < 12 && Math.abs(data[k + 1] - 140) < 25 && data[k + 2] < 30 && data[k + 3] > 200) marked += 1;
  const own = context.getImageData(Math.round(x * ratio) - 2, Math.round(y * ratio) - 2, 5, 5).data;
  return { marked, color: [0, 1, 2].map((c) => { let sum = 0; for (let k = c; k < own.length; k += 4) sum += own[k]; return sum / 25; }) }; }"""
FOCUS = "(() => { const { activeElement: at } = document; return at.id || at.className || at.tagName; })()"


class Reading:
    """Checks of the pages of the pendulum and of the vehicle, made before by `runs.py`."""

    def near(self, name, line, wanted, tolerance, unit):
        """Does a line have these values and this unit?"""
        if not line or len(line["y"]) != len(wanted):
            self.judge(name, False, f"{line and len(line['y'])} values of {len(wanted)}")
            return
        worst = max(abs(y - own) for y, own in zip(line["y"], wanted))
        self.judge(name, worst <= tolerance and line["unit"] == unit, f"{worst} {line['unit']!r}")

    def curves(self):
        """Curves that are typed have the values and the units that the engine's own outputs have."""
        with (self.folder / "pendulum.csv").open(encoding="utf-8", newline="") as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        for browser in self.browsers:
            page, wrong = self.open(self.folder / "pendulum.html", browser, 0.4)
            typed = lambda text: page.evaluate(CURVE, text)
            # With steps of 1 ms and a third derivative below 100 rad/s³, the parabola errs by less than 1e-3 deg/s.
            self.near(f"the derivative of the angle is its rate, {browser}", typed("derivative(angle)")["line"], [math.degrees(row["rate"]) for row in rows], 2e-3, "deg/s")
            # Trapezoids of 1 ms; degrees are taken from radians.
            self.near(f"the integral of the rate is the angle, {browser}", typed("integral(rate) - angle")["line"], [0.0] * len(rows), 1e-4, "rad")
            self.near(f"roots of sums of products, {browser}", typed("sqrt(tip_x*tip_x + tip_z*tip_z)")["line"], [math.hypot(row["tip_x"], row["tip_z"]) for row in rows], 1e-9, "m")
            self.near(f"functions of two values, quotients, numbers, {browser}", typed("max(-abs(tip_x)/2, tip_z)*3")["line"],
                      [3 * max(-abs(row["tip_x"]) / 2, row["tip_z"]) for row in rows], 1e-9, "m")
            self.near(f"units of products, {browser}", typed("pin_force*tip_x")["line"],
                      [row["pin_force"] * row["tip_x"] for row in rows], 1e-6, "N.m")
            for text, says in [("angle + tip_x", "deg and m cannot be added"), ("angle +", "missing at the end"), ("twist*2", "No signal has the name twist"), ("3 + 4", "names no signal"),
                               ("sine(angle)", "There is no function sine"), ("(angle", "not closed"), ("angle angle", "after the end")]:
                said = typed(text)
                self.judge(f"{text} is refused, {browser}", says in said["wrong"] and said["line"] is None, str(said)[:200])
            rows_of_tree = page.evaluate("fixstep.app.signals.filter((signal) => signal.group === 'derived').length")
            self.judge(f"curves stand among the signals, {browser}", rows_of_tree == 5 and not wrong, f"{rows_of_tree} {wrong}")
            page.close()

    def axes(self):
        """Two ticks at least on each axis at any size; typed limits hold; x–y of any two signals."""
        page, wrong = self.open(self.folder / "pendulum.html", "webgl", 0.4)
        for size in ([200, 80], [300, 130], [460, 190], [900, 600]):
            ticks = page.evaluate(TICKS, size)
            # One of the texts below is the title of the axis.
            holds = all(len(set(one["left"])) >= 2 and len(set(one["below"])) >= 3 for one in ticks)
            self.judge(f"two ticks at least on each axis, {size}", len(ticks) >= 4 and holds, str(ticks))
        panel = page.locator(".panel").first
        panel.locator("summary").click()
        fields = panel.locator(".limit input")
        for field, text in enumerate(["0.5", "2", "-10", "90,5"]):
            fields.nth(field).fill(text)
            fields.nth(field).blur()
        chart = "(() => { const { x, axes } = fixstep.app.plots.panels[0].chart(); return [x, axes[0].range]; })()"
        self.judge("typed limits hold", page.evaluate(chart) == [[0.5, 2], [-10, 90.5]], str(page.evaluate(chart)))
        fields.nth(2).fill("100")
        fields.nth(2).blur()
        self.judge("limits in the wrong order are marked and not taken", page.evaluate(chart)[1] == [-10, 90.5] and fields.nth(2).get_attribute("aria-invalid") == "true", str(page.evaluate(chart)))
        for field in (2, 3):
            fields.nth(field).fill("")
        fields.nth(3).blur()
        self.judge("empty fields follow the lines again", page.evaluate(chart)[1] != [-10, 90.5], str(page.evaluate(chart)))
        page.keyboard.press("Escape")
        page.get_by_label("Add a panel").click()
        new = page.locator(".panel").last
        new.get_by_label("Kind of plot").select_option("xy")
        signals = page.evaluate("fixstep.app.signals.map((signal) => signal.name)")
        new.get_by_label("Signal along x").select_option(str(signals.index("tip_x")))
        new.get_by_label("Signal along y").select_option(str(signals.index("tip_z")))
        line = page.evaluate("(() => { const [line] = fixstep.app.plots.panels.at(-1).chart().lines; return [Array.from(line.xs), Array.from(line.ys), line.label]; })()")
        radius = max(abs(math.hypot(x, y) - 1) for x, y in zip(*line[:2]))
        self.judge("x–y of two signals that the panel did not show", radius < 1e-6 and line[2] == "tip_z" and not wrong, f"{radius} {line[2]} {wrong}")
        page.close()

    def keys(self):
        """The Tab key finds ways to the plots and the time first; F frames what is chosen; help keeps the focus."""
        page, wrong = self.open(self.folder / "pendulum.html", "webgl", 0.4)
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        self.judge("the second stop leads to the plots", page.evaluate(FOCUS).startswith("desk-tab"), page.evaluate(FOCUS))
        missed = page.evaluate("""[...document.querySelectorAll("button, select, summary, .over, .choice, .split, canvas#canvas")].filter((one) => one.tabIndex < 0 && one.getAttribute("role") !== "tab").length""")
        self.judge("what can be clicked can be reached", missed == 0, str(missed))
        page.keyboard.press("?")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        inside = page.evaluate("document.activeElement === document.body || document.getElementById('help').contains(document.activeElement)")
        self.judge("help keeps the focus, and tells of F", inside and "frame the chosen part" in page.locator("#help").inner_text(), page.evaluate(FOCUS))
        page.keyboard.press("Escape")
        page.close()
        page, more = self.open(self.folder / "vehicle.html", "webgl", 0.8)
        distance = lambda: page.evaluate("fixstep.app.stage.camera.distance")
        page.keyboard.press("f")
        whole = distance()
        page.evaluate("fixstep.app.showItem(fixstep.app.parts.bodies.find((body) => body.name === 'fr.wheel'))")
        page.keyboard.press("f")
        near = distance()
        middle = page.evaluate("""(() => { const { target } = fixstep.app.stage.camera, { position } = fixstep.pose("fr.wheel");
          return Math.hypot(...target.map((x, k) => x - position[k])); })()""")
        page.keyboard.press("Escape")
        page.keyboard.press("f")
        self.judge("F frames the chosen wheel, then all", near < 0.4 * whole and middle < 0.3 and abs(distance() - whole) < 1e-6 * whole and not wrong + more, f"{whole} {near} {middle} {distance()} {wrong + more}")
        page.close()

    def marks(self):
        """The chosen body gets an outline and keeps its colour."""
        for browser in self.browsers:
            page, wrong = self.open(self.folder / "vehicle.html", browser, 0.8)
            page.evaluate("fixstep.app.stage.tools.look('left')")
            door = page.evaluate("""(() => { const { camera } = fixstep.app.stage, [x, y] = camera.project(camera.target);
              return [(0.5 + 0.5 * x) * camera.width, (0.5 - 0.5 * y) * camera.height]; })()""")
            before = page.evaluate(MARKED, door)
            page.evaluate("fixstep.app.showItem(fixstep.app.parts.bodies.find((body) => body.name === 'chassis'))")
            after = page.evaluate(MARKED, door)
            same = max(abs(a - b) for a, b in zip(before["color"], after["color"])) < 3
            self.judge(f"the chosen chassis has an outline and its colour, {browser}", before["marked"] < 30 and after["marked"] > 300 and same and not wrong, f"{before} {after} {wrong}")
            page.close()
