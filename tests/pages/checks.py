"""What the tests of pages share: browsers, pages with what goes wrong in them, the program, and judgements."""

import shutil
import subprocess
import sys
import traceback

from playwright.sync_api import sync_playwright

SIZE = {"width": 1400, "height": 900}
COMMON = ["--no-sandbox", "--disable-background-networking"]
# With WebGL by software, and without: pages then have a picture in 2-D.
BROWSERS = {"webgl": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"], "canvas": ["--disable-gpu", "--disable-3d-apis"]}


class Checks:
    """Checks in browsers; a line `ok` or `FAILED` for each."""

    def __init__(self, browsers):
        self.browsers, self.failed = browsers, 0

    def judge(self, name, holds, text=""):
        print(f"ok {name}" if holds else f"FAILED {name}: {text}", flush=True)
        self.failed += not holds

    def opened(self, address, browser="webgl", size=SIZE, before="", **more):
        """The page at an address, ready, and what goes wrong in it: errors, dialogs, and requests to others than its own server."""
        page = self.browsers[browser].new_page(viewport=size, accept_downloads=True, **more)
        page.set_default_timeout(90000)  # without a graphics card, pictures take their time
        wrong = []
        own = ("file:", "data:", "blob:", *([address] if address.startswith("http://127.0.0.1:") else []))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: (wrong.append("dialog"), dialog.dismiss()))
        page.on("request", lambda asked: wrong.append(asked.url) if not asked.url.startswith(own) else None)
        if before:
            page.add_init_script(before)
        page.goto(address)
        page.evaluate("window.fixstep.ready")
        return page, wrong

    def tried(self, name, check):
        """Runs a check; each must be heard of."""
        try:
            check()
        except Exception as error:
            traceback.print_exc()
            self.judge(name, False, str(error).splitlines()[0] if str(error) else repr(error))


class OfProgram(Checks):
    """Checks of pages that the program writes."""

    def __init__(self, program, models, folder, browsers):
        super().__init__(browsers)
        self.program, self.models, self.folder = program, models, folder

    def run(self, *words, cwd=None):
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, encoding="utf-8", cwd=cwd)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout


def examine(chromium, make, browsers=("webgl",)):
    """Opens browsers, runs the checks of `make(browsers)`, an object and its checks by name, and ends the script."""
    with sync_playwright() as playwright:
        launch = lambda name: playwright.chromium.launch(executable_path=shutil.which(chromium), args=[*COMMON, *BROWSERS[name]])
        launched = {name: launch(name) for name in browsers}
        checks, all_of_them = make(launched)
        for name, check in all_of_them:
            checks.tried(name, check)
        for browser in launched.values():
            browser.close()
    sys.exit(1 if checks.failed else 0)


def named(*checks):
    """Checks under their own names."""
    return [(check.__name__, check) for check in checks]
