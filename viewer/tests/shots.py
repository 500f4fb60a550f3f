"""Pictures of the made-up runs, to look at: `shots.py FOLDER CHROMIUM [NAME...]`."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

import models
from assemble import page

SIZES = {"wide": (1440, 900), "middle": (1024, 700), "narrow": (420, 860)}


def main():
    folder, chromium, *names = sys.argv[1:]
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    runs = {"pendulum": (models.pendulum, 1.1), "chain": (models.chain, 1.25), "plate": (models.plate, 0.27), "car": (models.car, 2.2)}
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-background-networking", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        browser = playwright.chromium.launch(executable_path=shutil.which(chromium), args=arguments)
        for name in names or runs:
            name, *only = name.split(":")
            make, t = runs[name]
            file = folder / f"{name}.html"
            file.write_text(page(make(), name), encoding="utf-8")
            for size, (width, height) in SIZES.items():
                for scheme in ("light", "dark"):
                    if only and f"{size}-{scheme}" not in only:
                        continue
                    shown = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                    shown.on("console", lambda said: print(said.type, said.text, flush=True))
                    shown.on("pageerror", lambda error: print("page error", error, flush=True))
                    shown.goto(f"{file.as_uri()}#t={t}")
                    shown.evaluate("window.fixstep.ready")
                    if name == "plate":
                        shown.evaluate("fixstep.app.stage.tools.paint('stress'), fixstep.app.parts.deformation = 8, fixstep.app.frame()")
                    if name == "pendulum":
                        shown.evaluate("fixstep.pick(...fixstep.seen(1, [0, 0, 0]))")
                    shown.wait_for_timeout(500)
                    shown.screenshot(path=folder / f"{name}-{size}-{scheme}.png")
                    print(name, size, scheme, shown.evaluate("fixstep.stats()"), flush=True)
                    shown.close()
        browser.close()


main()
