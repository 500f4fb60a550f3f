"""Pages of `fixstep`, opened in Chromium.

Called as `pages.py FIXSTEP MODELS FOLDER CHROMIUM`: the program, the folder of the examples, one to write to, and the browser.
Each page must load without an error and without asking any server; shapes must move as the modes in JSON say; tables and charts
must hold the numbers of the JSON; hostile names must stay names. Pictures of the pages stay in FOLDER. One line `ok` or `FAILED` for
each check.
"""

import json
import re
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from playwright.sync_api import sync_playwright

HOSTILE = "</script><img src=x onerror=alert(1)>&amp;"

# Commands whose pages are opened: name, words of the command line, number of parts at least.
PAGES = [
    ("vehicle", ["modes", "vehicle"], 9),
    ("crank", ["modes", "flexible_slider_crank"], 8),
    ("quarter_car", ["modes", "quarter_car", "--static"], 8),
    ("car_response", ["response", "quarter_car", "--static", "--by", "road", "--shape", "1.2", "--participation", "1.2"], 5),
    ("servo_form", ["linearize", "servo_axis"], 6),
    ("compliance", ["response", "quarter_car", "--static", "--compliance", "strut_top,strut_top", "--directions", "z"], 6),
]

# A page of a hundred shapes of a car: points go with bodies.
LARGEST_PAGE = 1.5e6


class Pages:
    def __init__(self, program, models, folder, browser):
        self.program, self.models, self.folder, self.browser = program, models, folder, browser
        self.failed = 0

    def judge(self, name, holds, text=""):
        print(f"ok {name}" if holds else f"FAILED {name}: {text}", flush=True)
        self.failed += not holds

    def run(self, *words):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def model(self, name):
        return self.models / name / "model.json"

    def open(self, file):
        """The page, with what was wrong while it opened."""
        page = self.browser.new_page(viewport={"width": 1360, "height": 900})
        wrong = []
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: wrong.append(asked.url) if not asked.url.startswith("file:") else None)
        page.goto(file.as_uri())
        page.wait_for_timeout(300)
        return page, wrong

    def all_load(self):
        for name, (command, example, *options), least in PAGES:
            file = self.folder / f"{name}.html"
            self.run(command, self.model(example), *options, "--report", file)
            page, wrong = self.open(file)
            self.judge(f"{name} opens without an error and asks nobody", not wrong, str(wrong))
            parts = page.locator("section").count()
            links = page.locator("header nav a").count()
            self.judge(f"{name} has its parts", parts >= least and links == parts, f"{parts} parts, {links} links")
            size = file.stat().st_size
            self.judge(f"{name} is no large file", size < LARGEST_PAGE, f"{size} bytes")
            page.screenshot(path=self.folder / f"{name}.png", full_page=True)
            page.close()

    def shapes_move(self):
        """Displacements of the points of two bodies are those of the modes, and playing moves them."""
        name = "quarter_car"
        modes = json.loads(self.run("modes", self.model(name), "--static", "--shapes", "ALL", "--json"))["modes"]
        page, _ = self.open(self.folder / f"{name}.html")
        buttons = page.locator(".scene nav button")
        self.judge("each mode has its button", buttons.count() == len(modes), f"{buttons.count()} of {len(modes)}")
        named = dict((label, at) for at, label in page.evaluate("data.parts[0].named"))
        worst = 0.0
        for k, mode in enumerate(modes):
            buttons.nth(k).click()
            read = "([at, phase]) => { const root = document.querySelector('.scene'); const rest = data.parts[0].points[at];"
            read += " return root.moved(phase, 1)[at].map((x, i) => x - rest[i]); }"
            found, wanted = [], []
            for body in mode["shape"]:
                if body["name"] not in named or any(abs(complex(*x)) > 1e-9 for x in body["rotation"]):
                    continue
                at = named[body["name"]]
                cosine, sine = page.evaluate(read, [at, 0.0]), page.evaluate(read, [at, 1.5707963267948966])
                found += [complex(c, -s) for c, s in zip(cosine, sine)]
                wanted += [complex(*x) for x in body["translation"]]
            most = max(abs(x) for x in wanted)
            scale = max(abs(x) for x in found) / most
            worst = max(worst, max(abs(f - scale * w) for f, w in zip(found, wanted)))
        self.judge("points move as the modes say", worst < 5e-3, f"off by {worst}")
        page.locator("button.play").click()
        picture = lambda: page.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")
        still = picture()
        page.wait_for_timeout(200)
        self.judge("a pause holds the picture", picture() == still)
        page.locator("button.play").click()
        page.wait_for_timeout(300)
        self.judge("playing moves it", picture() != still)
        page.close()

    def tables_hold(self):
        """The table of modes has the numbers of the JSON."""
        modes = json.loads(self.run("modes", self.model("quarter_car"), "--static", "--json"))["modes"]
        page, _ = self.open(self.folder / "quarter_car.html")
        section = page.locator("section", has=page.locator("h2", has_text=re.compile("^Table of modes$")))
        rows = [line.split("\t") for line in section.locator("tbody").inner_text().splitlines()]
        same = len(rows) == len(modes) and all(
            abs(float(row[1]) - mode["frequency_hz"]) <= 1e-5 * mode["frequency_hz"] + 1e-12 for row, mode in zip(rows, modes)
        )
        self.judge("the table has the frequencies of the JSON", same, str(rows[:3]))
        page.close()

    def charts_read(self):
        """The pointer on a curve reads its value."""
        said = json.loads(self.run("response", self.model("quarter_car"), "--static", "--by", "road", "--json"))
        page, _ = self.open(self.folder / "car_response.html")
        svg = page.locator(".chart svg").first
        svg.scroll_into_view_if_needed()
        at = page.evaluate(
            "() => { const svg = document.querySelector('.chart svg'); const line = svg.querySelector('[data-line]');"
            " const m = line.getAttribute('d').match(/M(\\S+) ([^ML]+)/); const box = svg.getBoundingClientRect();"
            " const scale = box.width / svg.viewBox.baseVal.width; return [box.left + m[1] * scale, box.top + m[2] * scale]; }"
        )
        page.mouse.move(at[0] + 1, at[1] + 1)
        text = page.locator(".reading").first.inner_text()
        first = said["responses"][0]
        wanted = (first["re"][0] ** 2 + first["im"][0] ** 2) ** 0.5
        numbers = re.findall(r"[-+0-9.e]+$", text)
        near = numbers and abs(float(numbers[0]) - wanted) <= 0.02 * abs(wanted)
        self.judge("the pointer reads the first value of a curve", bool(near), f"{text!r}, wanted {wanted}")
        page.close()

    def hostile_names(self):
        model = json.loads(self.model("pendulum").read_text(encoding="utf-8"))
        text = json.dumps(model).replace('"rod"', json.dumps(HOSTILE))
        file = self.folder / "hostile.json"
        file.write_text(text, encoding="utf-8")
        page_file = self.folder / "hostile.html"
        self.run("modes", file, "--report", page_file)
        page, wrong = self.open(page_file)
        names = [label for _, label in page.evaluate("data.parts[0].named")]
        images = page.locator("img").count()
        holds = not wrong and images == 0 and HOSTILE in names
        self.judge("hostile names stay names", holds, f"{wrong} {images} {names}")
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
        text = page.locator("main").inner_text()
        critical = re.search(r"critical at speed = ([0-9.]+) rad/s .*order 1 .*backward", text)
        near = critical and abs(float(critical[1]) - (90 / 0.02 / 2.5) ** 0.5) < 1e-3
        holds = not wrong and page.locator(".chart svg").count() == 2 and bool(near)
        self.judge("a page of a Campbell diagram names the critical speed", holds, f"{wrong} {critical}")
        page.screenshot(path=self.folder / "rotor.png", full_page=True)
        page.close()

    def keys(self):
        page, _ = self.open(self.folder / "crank.html")
        page.locator(".scene nav button").first.click()
        page.keyboard.press("ArrowDown")
        self.judge("an arrow key goes to the next mode", page.locator(".scene").first.get_attribute("data-mode") == "2")
        page.close()


def main():
    program, models, folder, chromium = sys.argv[1:]
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which(chromium), args=arguments)
        pages = Pages(program, Path(models), folder, browser)
        for check in [pages.all_load, pages.shapes_move, pages.tables_hold, pages.charts_read, pages.hostile_names, pages.sweep, pages.keys]:
            try:
                check()
            except Exception as error:  # each check must be heard of
                traceback.print_exc()
                pages.judge(check.__name__, False, str(error).splitlines()[0] if str(error) else repr(error))
        browser.close()
    sys.exit(1 if pages.failed else 0)


main()
