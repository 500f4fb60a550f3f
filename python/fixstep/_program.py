"""The command ``fixstep``: the program in this process, with the libraries of the package."""

from __future__ import annotations

import os
import signal
import sys

from ._fixstep import program
from ._tools import VARIABLE, _library, own_library, platforms


def main() -> int:
    """Runs the command line."""
    words = _with_libraries(sys.argv[1:])
    library = own_library()
    if library is not None:
        os.environ.setdefault(VARIABLE, str(library))
    # A key ends the program, as it does outside of Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return program(["fixstep", *words])


def _with_libraries(words: list[str]) -> list[str]:
    """What is packed has the library for every platform of the package, unless the command line names some."""
    packs = words[:1] in (["build"], ["ssp"])
    named = any(word.split("=")[0] == "--library" for word in words)
    if not packs or named or os.environ.get(VARIABLE):
        return words
    return [*words, *(word for name in platforms() for word in ("--library", str(_library(name))))]


if __name__ == "__main__":
    sys.exit(main())
