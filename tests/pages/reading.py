"""What a reader does with the page of a run: derived curves, limits of axes, x–y plots, keys, the chosen body."""

import csv
import math
from pathlib import Path

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
        scales = "(() => { const { drawn: { x, axes }, place } = fixstep.app.plots.panels.at(-1); return [(x[1] - x[0]) / place.width, (axes[0].range[1] - axes[0].range[0]) / place.height]; })()"
        along, upward = page.evaluate(scales)
        self.judge("a circle is round", abs(along / upward - 1) < 1e-6, f"{along} {upward}")
        new.locator("summary").click()
        new.get_by_text("Same scale along both axes").click()
        along, upward = page.evaluate(scales)
        self.judge("unless it need not be", abs(along / upward - 1) > 0.05, f"{along} {upward}")
        page.close()

    def files(self):
        """Files of plots have the names of their lines, and hold what is seen, which the menu says."""
        page, wrong = self.open(self.folder / "pendulum.html", "webgl", 0.4)
        panel = page.locator(".panel").first
        menu = panel.locator("summary")
        menu.click()
        whole = panel.get_by_text("Files hold what is seen").count()
        name = page.evaluate("fixstep.app.plots.panels[0].signals[0].name")
        page.evaluate("fixstep.app.plots.setRange([0.5, 0.75]), fixstep.app.plots.changed()")
        menu.click()
        menu.click()
        words = panel.get_by_text("Files hold what is seen: 0.5 to 0.75 s")
        words.wait_for(timeout=10000)
        said = words.count()
        kept = {}
        for kind in ("CSV", "SVG", "PNG"):
            with page.expect_download() as download:
                panel.get_by_role("button", name=f"Save as {kind}").click()
            kept[download.value.suggested_filename] = Path(download.value.path()).read_bytes()
        rows = kept.get(f"{name}.csv", b"").decode().split("\r\n")[1:-1]
        inside = rows and all(0.5 <= float(row.split(",")[0]) <= 0.75 for row in rows)
        self.judge("files of plots are named after lines and hold what is seen", whole == 0 and said == 1 and inside and len(rows) == 251 and list(kept) == [f"{name}.csv", f"{name}.svg", f"{name}.png"],
                   f"{whole} {said} {len(rows)} {list(kept)}")
        self.judge("they are what they are called", b"<svg" in kept[f"{name}.svg"][:200] and kept[f"{name}.png"][:4] == b"\x89PNG" and not wrong, str(wrong))
        page.close()

    def arrows(self):
        """Forces of tyres start where the tyres touch, and tell whom they act on; the key tells of the colours."""
        page, wrong = self.open(self.folder / "vehicle.html", "webgl", 0.8)
        found = page.evaluate("""() => { const { parts, motion } = fixstep.app; parts.update();
          return parts.arrows.filter((item) => item.spots && item.arrow.kind === "force").map((item) => { const { body } = item.arrow.at, m = motion.matrices[body];
            return { wheel: fixstep.app.run.text.bodies[body].name, from: fixstep.app.run.text.bodies[item.arrow.from].name,
              start: item.start, hub: [m[12], m[13], m[14]], up: item.vector[2] }; }); }""")
        below = [abs(one["start"][2]) < 1e-3 and 0.25 < one["hub"][2] - one["start"][2] < 0.36 and math.dist(one["start"][:2], one["hub"][:2]) < 0.05 and one["up"] > 1000 for one in found]
        names = {(one["wheel"], one["from"]) for one in found}
        self.judge("four tyres are pushed where they touch the road", len(found) == 4 and all(below) and {by for _, by in names} == {"ground"}, str(found)[:400])
        page.evaluate("fixstep.app.showItem(fixstep.app.parts.bodies.find((body) => body.name === 'fr.wheel'))")
        page.locator("#card").get_by_text("Plot", exact=True).click()
        drawn = page.evaluate("fixstep.app.plots.panels.at(-2).signals.map((signal) => [signal.name, signal.unit, signal.at(0.8)])")
        there = page.evaluate("fixstep.pose('fr.wheel').position")
        factor = page.evaluate("fixstep.app.run.text.length.factor")
        same = [name for name, _, _ in drawn] == [f"fr.wheel.position.{axis}" for axis in "xyz"] and all(abs(value * factor - at) < 1e-4 for (_, _, value), at in zip(drawn, there))
        self.judge("a body's way is plotted from its card", same, f"{drawn} {there}")
        key = page.locator("#key").inner_text()
        page.evaluate("fixstep.app.showItem(fixstep.app.parts.arrows.find((item) => item.spots))")
        card = page.locator("#card").inner_text()
        self.judge("the key and the card tell of forces", key.startswith("Forces, largest") and all(word in card for word in ("on", "by", "ground", "point of contact", " N")) and not wrong, f"{key!r} {card!r} {wrong}")
        page.close()

    def sizes(self):
        """The mechanism stays whole in views of other shapes; a menu and the legend of colours are both seen."""
        page, wrong = self.open(self.folder / "flexible_slider_crank.html", "webgl", 0.1)
        inside = """() => { const { stage, parts } = fixstep.app, [low, high] = parts.bounds(); let far = 0;
          for (let k = 0; k < 8; k += 1) { const [x, y] = stage.camera.project([0, 1, 2].map((c) => ((k >> c) & 1 ? high[c] : low[c]))); far = Math.max(far, Math.abs(x), Math.abs(y)); }
          return far; }"""
        reach = []
        for width, height in ((1300, 800), (700, 900), (1500, 500)):
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_timeout(200)
            reach.append(page.evaluate(inside))
        self.judge("it stays whole in views of other shapes", all(0.25 < far < 1 for far in reach), str(reach))
        page.set_viewport_size({"width": 900, "height": 700})
        page.evaluate("fixstep.app.stage.tools.paint('displacement')")
        page.get_by_text("Flexible", exact=True).click()
        legend = page.locator("#legend")
        boxes = legend.bounding_box(), page.locator("#tools details[open] .sheet").bounding_box()
        (a, b) = boxes
        apart = a["x"] >= b["x"] + b["width"] or b["x"] >= a["x"] + a["width"] or a["y"] >= b["y"] + b["height"] or b["y"] >= a["y"] + a["height"]
        most = page.evaluate("fixstep.app.parts.fieldMost")
        text = legend.inner_text().split("\n")
        unit = {"mm": 1e-3, "m": 1.0}.get(text[1])
        top = float(text[2]) * unit if unit else None
        self.judge("the legend tells the largest deformation, beside the menu", apart and text[0] == "Deformation" and top and abs(top / most - 1) < 0.01 and not wrong, f"{boxes} {text} {most} {wrong}")
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
