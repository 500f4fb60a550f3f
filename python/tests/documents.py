"""Runs every block of Python in docs/python.md, one after another in one namespace, in an empty folder."""

import os
import re
import sys
import tempfile
import traceback
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"
BLOCK = re.compile(r"^(<!-- not run: (?P<why>.*) -->\n)?```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def main() -> int:
    """Runs them."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "page"}
    failed = 0
    found = list(BLOCK.finditer(text))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for block in found:
            line = text.count("\n", 0, block.start("code"))
            if block["why"]:
                compile(block["code"], str(PAGE), "exec")
                print(f"ok line {line + 1} is compiled: {block['why']}")
                continue
            try:
                # Blank lines before it, so that messages have the lines of the page.
                exec(compile("\n" * line + block["code"], str(PAGE), "exec"), names)
                print(f"ok line {line + 1}", flush=True)
            except Exception as error:
                traceback.print_exc(file=sys.stdout)
                print(f"FAILED line {line + 1}: {type(error).__name__}: {error}", flush=True)
                failed += 1
        os.chdir("/")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
