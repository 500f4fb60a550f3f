"""Pages of analyses of `fixstep`, opened in Chromium.

Called as `pages.py FIXSTEP MODELS FOLDER CHROMIUM`: the program, the folder of the examples, one to write to, and the browser.
Each page must load without an error and without asking any server; bodies must move as the modes in JSON say; tables and charts
must hold the numbers of the JSON; hostile names must stay names. Pictures of the pages stay in FOLDER. One line `ok` or `FAILED` for
each check.
"""

import json
import math
import re
import sys
from pathlib import Path

from checks import OfProgram, examine, named

HOSTILE = "</script><img src=x onerror=alert(1)>&amp;"

# Commands whose pages are opened: name, words of the command line, tabs of the desk.
PAGES = [
    ("vehicle", ["modes", "vehicle"], ["Modes", "Roots", "Energies", "Participation", "Point", "About"]),
    ("crank", ["modes", "flexible_slider_crank"], ["Modes", "Roots", "Energies", "Participation", "Point", "About"]),
    ("quarter_car", ["modes", "quarter_car", "--static"], ["Modes", "Roots", "Energies", "Participation", "Point", "About"]),
    ("car_response", ["response", "quarter_car", "--static", "--by", "road", "--shape", "1.2", "--participation", "1.2"],
     ["Over frequency", "Nyquist", "Nichols", "Modes in it", "Point", "About"]),
    ("servo_form", ["linearize", "servo_axis"], ["Form", "Roots", "Matrices", "Point", "About"]),
    ("compliance", ["response", "quarter_car", "--static", "--compliance", "strut_top,strut_top", "--directions", "z"],
     ["Over frequency", "Nyquist", "Nichols", "Point", "About"]),
]

# A page of a hundred shapes of a car, with its solids and what draws them.
LARGEST_PAGE = 2.5e6


class Pages(OfProgram):
    def model(self, name):
        return self.models / name / "model.json"

    def open(self, file, address="t=0"):
        """The page, with what was wrong while it opened."""
        page, wrong = self.opened(f"{file.as_uri()}#{address}")
        page.wait_for_timeout(200)
        return page, wrong

    @staticmethod
    def tabs(page):
        return [re.sub(r"\d+$", "", text) for text in page.locator("#desk [role=tab]").all_inner_texts()]

    def all_load(self):
        for name, (command, example, *options), wanted in PAGES:
            file = self.folder / f"{name}.html"
            self.run(command, self.model(example), *options, "--report", file)
            page, wrong = self.open(file)
            self.judge(f"{name} opens without an error and asks nobody", not wrong, str(wrong))
            tabs = self.tabs(page)
            self.judge(f"{name} has its tabs", set(wanted) <= set(tabs), str(tabs))
            size = file.stat().st_size
            self.judge(f"{name} is no large file", size < LARGEST_PAGE, f"{size} bytes")
            for k, tab in enumerate(tabs):
                page.locator("#desk [role=tab]").nth(k).click()
                page.wait_for_timeout(60)
                page.screenshot(path=self.folder / f"{name}-{k + 1}.png")
                panel = page.locator("#desk [role=tabpanel]:not([hidden])")
                filled = panel.locator("table, svg, p, dl").count() > 0
                self.judge(f"{name}: the tab {tab} is not empty", filled)
            self.judge(f"{name}: no tab goes wrong", not wrong, str(wrong))
            page.close()

    def shapes_move(self):
        """Centres of bodies move as the modes say, and playing moves them."""
        name = "quarter_car"
        modes = json.loads(self.run("modes", self.model(name), "--static", "--shapes", "ALL", "--json"))["modes"]
        page, _ = self.open(self.folder / f"{name}.html")
        buttons = page.locator(".shape")
        self.judge("each mode has its button", buttons.count() == len(modes), f"{buttons.count()} of {len(modes)}")
        worst, turned = 0.0, 0
        for k, mode in enumerate(modes):
            buttons.nth(k).click()
            page.evaluate(f"fixstep.shape({k}, 1e-4)")  # small, so that a rotation is a vector
            factor = page.evaluate("fixstep.factor()")
            read = """([body, phase]) => { const { app } = fixstep; fixstep.setTime(phase);
              const index = app.run.text.bodies.findIndex((one) => one.name === body), { matrices, rest } = app.motion;
              const center = app.run.text.bodies[index].center, [m, r] = [matrices[index], rest[index]];
              const at = (n) => [0, 1, 2].map((k) => n[k] * center[0] + n[4 + k] * center[1] + n[8 + k] * center[2] + n[12 + k]);
              const [now, then] = [at(m), at(r)];
              return now.map((x, k) => x - then[k]); }"""
            found, wanted = [], []
            for body in mode["shape"]:
                cosine, sine = page.evaluate(read, [body["name"], 0.0]), page.evaluate(read, [body["name"], 0.25])
                found += [complex(c, -s) / factor for c, s in zip(cosine, sine)]
                wanted += [complex(*x) for x in body["translation"]]
                turned += any(abs(complex(*x)) > 1e-6 for x in body["rotation"])
            most = max(abs(x) for x in wanted)
            # The largest displacement is that of a point of a solid, the shape in JSON is scaled otherwise: one complex factor.
            scale = sum(f * w.conjugate() for f, w in zip(found, wanted)) / sum(abs(w) ** 2 for w in wanted)
            worst = max(worst, max(abs(f - scale * w) for f, w in zip(found, wanted)) / (abs(scale) * most))
        self.judge("bodies move as the modes say", worst < 2e-3, f"off by {worst}")
        page.evaluate("fixstep.shape(0, 0.5)")
        read = "[0, 0.25, 0.5].map((t) => { fixstep.setTime(t); return [...fixstep.pose(1).position]; })"
        first, _, last = page.evaluate(read)
        self.judge("half a turn later it is on the other side", math.dist(first, last) > 1e-3, f"{first} {last}")
        longest = page.evaluate("fixstep.factor() * fixstep.reach(0) / fixstep.app.parts.size")
        self.judge("the amplitude is a part of the size", abs(longest - 0.2) < 1e-6, str(longest))
        picture = lambda: page.locator("#canvas").screenshot()
        # The last picture can be late on a busy machine.
        holds = False
        for _ in range(15):
            still = picture()
            page.wait_for_timeout(200)
            holds = picture() == still
            if holds:
                break
        self.judge("a pause holds the picture", holds)
        page.locator("#time .main").click()
        page.wait_for_timeout(500)
        self.judge("playing moves it", picture() != still)
        page.close()

    def modes_are_chosen(self):
        """By keys, by rows of the table, by points of the root plot."""
        page, _ = self.open(self.folder / "quarter_car.html")
        shape = lambda: page.evaluate("fixstep.app.motion.shape")
        page.keyboard.press("ArrowDown")
        self.judge("an arrow key goes to the next mode", shape() == 1, str(shape()))
        page.locator("#desk tbody tr").first.click()
        self.judge("a row of the table chooses its mode", shape() == 0, str(shape()))
        page.locator("#desk [role=tab]", has_text="Roots").click()
        page.wait_for_timeout(100)
        at = page.evaluate("""() => { const box = fixstep.app.charts[0].boxes[0]; const over = box.over.getBoundingClientRect();
          for (const line of box.chart.lines) for (let k = 0; k < line.xs.length; k += 1) if (line.shapes[k] === 1)
            return [over.left + box.maps.x(line.xs[k]), over.top + box.maps.ys[0](line.ys[k])]; }""")
        page.mouse.click(*at)
        self.judge("a point of the root plot chooses its mode", shape() == 1, str(shape()))
        reading = page.locator(".reading:visible").inner_text()
        self.judge("the pointer names the mode", reading.startswith("stable, 2: "), reading)
        page.close()

    def tables_hold(self):
        """The table of modes has the numbers of the JSON."""
        modes = json.loads(self.run("modes", self.model("quarter_car"), "--static", "--json"))["modes"]
        page, _ = self.open(self.folder / "quarter_car.html")
        section = page.locator(".part", has=page.locator("h2", has_text=re.compile("^Table of modes$")))
        rows = [line.split("\t") for line in section.locator("tbody").inner_text().splitlines()]
        same = len(rows) == len(modes) and all(
            abs(float(row[1]) - mode["frequency_hz"]) <= 1e-5 * mode["frequency_hz"] + 1e-12 for row, mode in zip(rows, modes)
        )
        self.judge("the table has the frequencies of the JSON", same, str(rows[:3]))
        page.close()

    def charts_read(self):
        """Curves have the values of the JSON; the pointer and the cursors read them."""
        said = json.loads(self.run("response", self.model("quarter_car"), "--static", "--by", "road", "--json"))
        first = said["responses"][0]
        magnitudes = [math.hypot(re, im) for re, im in zip(first["re"], first["im"])]
        page, _ = self.open(self.folder / "car_response.html")
        line = page.evaluate("fixstep.chart(0)[0].lines[0]")
        same = len(line["y"]) == len(magnitudes) and all(abs(a - b) <= 1e-9 * abs(b) for a, b in zip(line["y"], magnitudes))
        self.judge("a curve has the magnitudes of the JSON", same, f"{line['y'][:3]} {magnitudes[:3]}")
        at = page.evaluate("""() => { const box = fixstep.app.charts[0].boxes[0]; const over = box.over.getBoundingClientRect();
          const [line] = box.chart.lines; return [over.left + box.maps.x(line.xs[0]), over.top + box.maps.ys[0](line.ys[0])]; }""")
        page.mouse.move(at[0] + 1, at[1] + 1)
        text = page.locator(".reading:visible").first.inner_text()
        numbers = re.findall(r"[-+−0-9.e]+$", text)
        near = numbers and abs(float(numbers[0].replace("−", "-")) - magnitudes[0]) <= 0.02 * abs(magnitudes[0])
        self.judge("the pointer reads the first value of a curve", bool(near), f"{text!r}, wanted {magnitudes[0]}")
        page.locator(".sheetchart button[aria-label='Cursor A']").first.click()
        cells = page.locator(".readout:visible tbody tr").first.locator("td").all_inner_texts()
        value = page.locator(".readout:visible tbody tr").nth(1).locator("td").nth(1).inner_text()
        x = float(cells[1].replace("−", "-"))
        k = max(i for i, f in enumerate(line["x"]) if f <= x)
        between = sorted([magnitudes[k], magnitudes[min(k + 1, len(magnitudes) - 1)]])
        holds = between[0] * (1 - 1e-3) <= float(value.replace("−", "-")) <= between[1] * (1 + 1e-3)
        self.judge("a cursor reads the curve where it stands", holds, f"{x} Hz: {value}, wanted {between}")
        before = page.evaluate("fixstep.chart(0)[0].x")
        box = page.locator(".sheetpanel .over").first.bounding_box()
        page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 40)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
        page.mouse.up()
        after = page.evaluate("fixstep.chart(0).map((box) => box.x)")
        wanted = [before[0] * (before[1] / before[0]) ** s for s in (0.3, 0.6)]
        holds = all(abs(a / b - 1) < 0.02 for x in after for a, b in zip(x, wanted))
        self.judge("a drag zooms all panels of a chart", holds, f"{after} {wanted}")
        page.locator(".sheetchart summary[aria-label='Limits of axes']").first.click()
        fields = page.locator(".sheetchart .limit input:visible")
        for k, text in enumerate(["0.5", "5", "", "2"]):
            fields.nth(k).fill(text)
            fields.nth(k).press("Tab")
        found = page.evaluate("fixstep.chart(0).map((box) => box.x)"), page.evaluate("fixstep.app.charts[0].boxes[0].chart.axes[0].range[1]")
        self.judge("limits can be typed", all(x == [0.5, 5] for x in found[0]) and found[1] == 2, str(found))
        fields.nth(0).fill("-1")
        fields.nth(0).press("Tab")
        marked = fields.nth(0).get_attribute("aria-invalid"), page.evaluate("fixstep.chart(0)[0].x")
        self.judge("a logarithmic axis refuses what is not above 0", marked == ("true", [0.5, 5]), str(marked))
        page.close()

    def hostile_names(self):
        model = json.loads(self.model("pendulum").read_text(encoding="utf-8"))
        text = json.dumps(model).replace('"rod"', json.dumps(HOSTILE))
        file = self.folder / "hostile.json"
        file.write_text(text, encoding="utf-8")
        page_file = self.folder / "hostile.html"
        self.run("modes", file, "--report", page_file)
        page, wrong = self.open(page_file)
        names = page.evaluate("fixstep.app.run.text.bodies.map((body) => body.name)")
        images = page.locator("img").count()
        self.judge("hostile names stay names", not wrong and images == 0 and HOSTILE in names, f"{wrong} {images} {names}")
        page.close()

    def sweep(self):
        """A disc that tilts on a turning shaft: Omega = sqrt(k / I / (1 + Ip/I)) is critical, backwards."""
        model = {
            "fixstep": 1, "name": "rotor", "gravity": [0, 0, 0], "parameters": [{"name": "speed", "start": 70, "unit": "rad/s"}],
            "parts": [
                {"name": "shaft", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}},
                {"name": "disc", "mass": 2, "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.03}},
            ],
            "markers": [{"name": "axis", "part": "shaft"}, {"name": "hub", "part": "disc"}],
            "joints": [
                {"name": "bearing", "type": "revolute", "i": "axis", "j": "ground"},
                {"name": "cross", "type": "universal", "i": "hub", "j": "axis"},
            ],
            "motions": [{"name": "drive", "joint": "bearing", "displacement": "speed*TIME"}],
            "forces": [{
                "name": "bend", "type": "bushing", "i": "hub", "j": "axis", "stiffness": [0, 0, 0], "damping": [0, 0, 0],
                "torsional_stiffness": [90, 90, 0], "torsional_damping": [0, 0, 0],
            }],
        }
        file = self.folder / "rotor.json"
        file.write_text(json.dumps(model), encoding="utf-8")
        page_file = self.folder / "rotor.html"
        self.run("modes", file, "--sweep", "speed=0:150:16", "--campbell", "speed", "--report", page_file)
        page, wrong = self.open(page_file)
        text = page.locator("#desk").evaluate("(desk) => desk.textContent")
        critical = re.search(r"critical at speed = ([0-9.]+) rad/s .*?order 1 .*?backward", text)
        near = critical and abs(float(critical[1]) - (90 / 0.02 / 2.5) ** 0.5) < 1e-3
        charts = page.evaluate("fixstep.app.charts.length")
        hidden = page.locator("#scene").is_hidden() and page.locator("#time").is_hidden()
        self.judge("a page of a Campbell diagram names the critical speed", not wrong and charts == 2 and bool(near), f"{wrong} {critical} {charts}")
        self.judge("a page without a mechanism has no view and no clock", hidden)
        page.screenshot(path=self.folder / "rotor.png")
        page.close()

    def flexible_body(self):
        """Modes of a body: corners move by the modes, colours are those of the displacement."""
        file = self.folder / "rod.html"
        body = self.models / "flexible_slider_crank" / "rod.flex"
        self.run("flex", "inspect", body, "--html", file)
        told = json.loads(self.run("flex", "inspect", body, "--json"))
        page, wrong = self.open(file, "t=0&shape=3")
        modes = page.locator(".shape").count()
        self.judge("each mode of a flexible body has its button", modes == len(told["modes"]) and not wrong, f"{modes} {wrong}")
        moved = page.evaluate("""() => { const { parts, motion } = fixstep.app; const [soft] = parts.softs; const found = soft.deformed(1);
          let worst = 0, most = 0; for (let k = 0; k < found.length; k += 1) { const u = found[k] - soft.mesh.points[k];
            worst = Math.max(worst, Math.abs(u - motion.factor * soft.modes[2][k])); most = Math.max(most, Math.abs(u)); }
          return [worst, most, parts.coloring, parts.fieldMost]; }""")
        holds = moved[0] < 1e-6 * moved[1] and moved[1] > 0 and moved[2] == "displacement" and moved[3] >= 0.99 * moved[1]
        self.judge("its corners move by the mode, in the colours of the displacement", holds, str(moved))
        rows = page.locator(".part", has=page.locator("h2", has_text=re.compile("^Modes$"))).locator("tbody tr").count()
        self.judge("its table has all modes", rows == len(told["modes"]), str(rows))
        page.screenshot(path=self.folder / "rod.png")
        page.close()


def main():
    program, models, folder, chromium = sys.argv[1:]
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)

    def make(browsers):
        pages = Pages(program, Path(models).resolve(), folder, browsers)
        return pages, named(pages.all_load, pages.shapes_move, pages.modes_are_chosen, pages.tables_hold, pages.charts_read, pages.hostile_names,
                            pages.sweep, pages.flexible_body)

    examine(chromium, make)


main()
