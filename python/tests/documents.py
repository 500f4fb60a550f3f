"""Runs what documents say: every block of Python in docs/python.md, one after another in one namespace, in an empty folder; then
every code cell of the notebooks, each notebook in a namespace of its own, in its folder. ``documents.py [NAME...]``: only these.
"""

import json
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "python.md"
NOTEBOOKS = DOCS / "notebooks"
BLOCK = re.compile(r"^(<!-- not run: (?P<why>[^\n]*) -->\n)?```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def page():
    """The blocks of the page: place, text, why it is not run."""
    text = PAGE.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start("code"))
        # Blank lines before it, so that messages have the lines of the page.
        yield f"line {line + 1}", "\n" * line + block["code"], block["why"]


def cells(path):
    """The code cells of a notebook."""
    for k, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            yield f"{path.name} cell {k + 1}", "".join(cell["source"]), None


def run(file, blocks):
    """Runs blocks in one namespace; how many ran, and how many failed."""
    names = {"__name__": "page"}
    ran = failed = 0
    for place, code, why in blocks:
        ran += 1
        if why:
            compile(code, str(file), "exec")
            print(f"ok {place} is compiled: {why}")
            continue
        try:
            exec(compile(code, f"{file.name} {place}" if file != PAGE else str(file), "exec"), names)
            print(f"ok {place}", flush=True)
        except Exception as error:
            traceback.print_exc(file=sys.stdout)
            print(f"FAILED {place}: {type(error).__name__}: {error}", flush=True)
            failed += 1
    return ran, failed


def main() -> int:
    """Runs them."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    chosen = set(sys.argv[1:])
    ran = failed = 0
    files = [PAGE, *sorted(NOTEBOOKS.glob("*.ipynb"))]
    for file in files:
        if chosen and file.stem not in chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder if file == PAGE else NOTEBOOKS)
            done, bad = run(file, page() if file == PAGE else cells(file))
            os.chdir("/")
        ran, failed = ran + done, failed + bad
        if done == 0:
            print(f"FAILED {file.name} has no block of Python")
            failed += 1
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
