"""`fixstep view`, opened in Chromium.

Called as `views.py FIXSTEP MODELS FOLDER CHROMIUM`. Pages of examples show what can move, with all joints closed; findings of the check
lead to what they are about; a page that is served follows the file: good texts, texts in error, and good ones again. One line `ok` or
`FAILED` for each check.
"""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

from checks import OfProgram, examine, named

# Examples, and how many freedoms they have without their motions.
VIEWS = [("pendulum", 1), ("four_bar", 1), ("flexible_slider_crank", 1), ("stewart_platform", 6), ("double_wishbone", None), ("bicycle", 3),
         ("heavy_top", 3), ("bricard", 1)]

# Without a picture of each instant, since pictures take their time without a graphics card.
# The largest distance of the two ends of joints that hold a point, over a turn of a shape.
APART = """(shape) => { const { app } = fixstep; fixstep.shape(shape, 1); let worst = 0;
  for (let k = 0; k < 24; k += 1) { app.motion.go(k / 24);
    for (const { kind, i, j } of app.run.text.joints) { if (!/^(revolute|spherical|universal)/.test(kind)) continue;
      if ([i, j].some(({ body }) => app.run.text.bodies[body].soft)) continue;
      const [a, b] = [i, j].map((end) => app.motion.point(end, 1));
      worst = Math.max(worst, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])); } }
  return worst / app.run.text.size; }"""
# How far bodies go from where they rest, in sizes, or turn [rad].
MOVES = """(shape) => { const { app } = fixstep; fixstep.shape(shape, 1); app.motion.go(0.25); let most = 0;
  app.motion.matrices.forEach((m, body) => { const r = app.motion.rest[body];
    most = Math.max(most, Math.hypot(m[12] - r[12], m[13] - r[13], m[14] - r[14]) / app.run.text.size, ...m.slice(0, 11).map((x, k) => Math.abs(x - r[k]))); });
  return most; }"""


class Views(OfProgram):
    def view(self, model, name):
        """The page of a model, with what the program said and how it ended."""
        file = self.folder / f"{name}.html"
        done = subprocess.run([self.program, "view", str(model), "--once", "-o", str(file)], capture_output=True, text=True, encoding="utf-8")
        return file, done

    def freedoms(self):
        for name, wanted in VIEWS:
            file, done = self.view(self.models / name / "model.json", name)
            page, wrong = self.opened(f"{file.as_uri()}#t=0")
            count = page.locator(".shape").count()
            self.judge(f"{name} opens", done.returncode == 0 and not wrong, f"{done.stderr} {wrong}")
            self.judge(f"{name} has {wanted or 'some'} freedoms", count == wanted if wanted else count > 0, str(count))
            apart = [page.evaluate(APART, k) for k in range(count)]
            self.judge(f"{name}: joints stay closed while it moves", all(x < 3e-4 for x in apart), str(apart))
            moves = [page.evaluate(MOVES, k) for k in range(count)]
            self.judge(f"{name}: each of them moves something", all(x > 0.02 for x in moves), str(moves))
            rest = page.evaluate("fixstep.shape(null, 1), fixstep.setTime(0.25), fixstep.app.motion.matrices.every((m, k) => m.every((x, c) => x === fixstep.app.motion.rest[k][c]))")
            self.judge(f"{name}: it rests when nothing is chosen", rest)
            page.evaluate("fixstep.shape(0, 0.6), fixstep.setTime(0.25)")
            page.screenshot(path=self.folder / f"{name}.png")
            page.close()

    def markers(self):
        page, _ = self.opened(f"{(self.folder / 'four_bar.html').as_uri()}#t=0")
        length = "(() => { const { parts } = fixstep.app; parts.update(); const { matrix } = parts.markers[0].parts[0]; return Math.hypot(matrix[8], matrix[9], matrix[10]); })()"
        before = page.evaluate(length)
        page.locator("#tools summary", has_text="Markers").click()
        page.locator("#tools .slider", has_text="Size of axes").locator("input").fill("0.5")
        ratio = page.evaluate(length) / before
        self.judge("the slider sizes the axes of markers", abs(ratio - 10**0.5) < 0.05, str(ratio))
        page.locator("#tools label", has_text="Names of markers").click()
        page.locator("#labels span:visible").first.wait_for()
        shown = set(page.locator("#labels span:visible").all_inner_texts())
        names = set(page.evaluate("fixstep.app.run.text.markers.map((marker) => marker.name)"))
        self.judge("names of markers are shown on request", shown and shown <= names, f"{shown} {names}")
        page.close()

    def broken(self, change, name):
        """A copy of the pendulum with something changed."""
        model = json.loads((self.models / "pendulum" / "model.json").read_text(encoding="utf-8"))
        change(model)
        file = self.folder / f"{name}.json"
        file.write_text(json.dumps(model, indent=1), encoding="utf-8")
        return file

    def findings(self):
        hostile = "</script><img src=x onerror=alert(1)>"

        def change(model):
            model["forces"] = [*model.get("forces", []), {"name": "blow", "type": "torque", "i": model["markers"][0]["name"], "j": "ground", "expression": "ABS(TIME - 1)"}]
            model["name"] = hostile

        page_file, done = self.view(self.broken(change, "warned"), "warned")
        page, wrong = self.opened(f"{page_file.as_uri()}#t=0")
        found = page.evaluate("fixstep.findings()")
        of = [one for one in found if one["item"] and one["item"]["name"] == "blow"]
        self.judge("a warning knows what it is about", done.returncode == 0 and of and not wrong, f"{done.stderr} {found} {wrong}")
        page.locator(".warnings .choice").first.click()
        chosen = page.evaluate("fixstep.chosen()")
        row = page.locator("#side li.chosen").inner_text()
        self.judge("a click on it chooses that in the scene and in the tree", chosen and chosen["name"] == "blow" and "blow" in row, f"{chosen} {row}")
        marked = page.locator("#side li", has_text="blow").locator(".finding").count()
        self.judge("what has findings is marked in the tree", marked == 1, str(marked))
        page.close()

    def errors(self):
        def change(model):
            model["joints"][0]["i"] = "nowhere"

        page_file, done = self.view(self.broken(change, "wrong"), "wrong")
        page, wrong = self.opened(page_file.as_uri())
        text = page.locator(".warnings").inner_text()
        place = re.search(r"wrong\.json:\d+:\d+", text)
        self.judge("a text in error shows its errors with their lines", done.returncode == 1 and place and "nowhere" in text and not wrong, f"{done.returncode} {text} {wrong}")
        self.judge("the program tells them too", place and place[0] in done.stderr, done.stderr)
        page.close()

        def apart(model):
            model["joints"].append({**model["joints"][0], "name": "second", "j": "far"})
            model["markers"].append({"name": "far", "part": "ground", "position": [3, 0, 0]})

        page_file, done = self.view(self.broken(apart, "apart"), "apart")
        page, wrong = self.opened(page_file.as_uri())
        notice = page.locator("#notice").inner_text()
        found = page.evaluate("fixstep.findings()")
        bodies = page.evaluate("fixstep.app.run.text.bodies.length")
        self.judge("what cannot be assembled is drawn as it is written", done.returncode == 1 and bodies == 2 and "where the text puts them" in notice and not wrong,
                   f"{done.returncode} {bodies} {notice} {wrong}")
        self.judge("the failure leads to a joint", found and found[0]["grade"] == "error" and found[0]["item"] and found[0]["item"]["kind"] == "joint", str(found)[:300])
        page.screenshot(path=self.folder / "apart.png")
        page.close()

    @staticmethod
    def until(page, holds):
        """Waits for an expression to hold; the policy of pages leaves texts that are made to scripts out."""
        for _ in range(150):
            try:
                if page.evaluate(holds):
                    page.evaluate("window.fixstep.ready")
                    return
            except Exception:  # while the page comes anew
                pass
            page.wait_for_timeout(100)
        raise RuntimeError(f"never: {holds}")

    def served(self):
        """Saved texts come to the page by themselves; what the reader chose stays."""
        file = self.folder / "live.json"
        good = json.loads((self.models / "pendulum" / "model.json").read_text(encoding="utf-8"))
        file.write_text(json.dumps(good, indent=1), encoding="utf-8")
        server = subprocess.Popen([self.program, "view", str(file), "--no-browser"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]
            page, wrong = self.opened(address)
            page.evaluate("(() => { const { stage } = fixstep.app; stage.camera.turn(-50, 20); window.before = true; })()")
            angle = page.evaluate("fixstep.app.stage.camera.azimuth")
            page.locator("#desk [role=tab]", has_text="Joints").click()
            bodies = page.evaluate("fixstep.app.run.text.bodies.length")
            changed = {**good, "name": "renamed"}
            file.write_text(json.dumps(changed, indent=1), encoding="utf-8")
            self.until(page, "document.getElementById('title').textContent === 'renamed'")
            kept = page.evaluate("[fixstep.app.stage.camera.azimuth, fixstep.app.deskName]")
            self.judge("a saved file renews the page", True)
            self.judge("the view and the tab stay", abs(kept[0] - angle) < 1e-9 and kept[1] == "Joints", f"{kept} {angle}")
            file.write_text(json.dumps(changed, indent=1).replace('"mass"', '"mas"', 1), encoding="utf-8")
            self.until(page, "!document.getElementById('notice').hidden && Boolean(window.fixstep?.app)")
            text = page.locator(".warnings").inner_text()
            holds = "live.json:" in text and "mas" in text and page.evaluate("fixstep.app.run.text.bodies.length") == bodies
            self.judge("a text in error shows its errors and the last picture", holds, text)
            page.screenshot(path=self.folder / "live.png")
            file.write_text(json.dumps(good, indent=1), encoding="utf-8")
            self.until(page, "document.getElementById('notice')?.hidden && document.getElementById('title').textContent === 'pendulum' && Boolean(window.fixstep?.app)")
            self.judge("and the next good one is shown again", not wrong, str(wrong))
            ask = urllib.request.Request(address, headers={"Host": "evil.example"})
            try:
                status = urllib.request.urlopen(ask, timeout=5).status
            except urllib.error.HTTPError as refused:
                status = refused.code
            self.judge("another name for this computer is refused", status == 403, str(status))
            page.close()
        finally:
            server.terminate()
            server.wait()


def main():
    program, models, folder, chromium = sys.argv[1:]
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)

    def make(browsers):
        views = Views(program, Path(models).resolve(), folder, browsers)
        return views, named(views.freedoms, views.markers, views.findings, views.errors, views.served)

    examine(chromium, make)


main()
