"""The command ``fixstep``: the program in this process, with the libraries of the package."""

from __future__ import annotations

import os
import signal
import sys

from ._fixstep import program
from ._tools import VARIABLE, own_library


def main() -> int:
    """Runs the command line."""
    library = own_library()
    if library is not None:
        os.environ.setdefault(VARIABLE, str(library))
    # A key ends the program, as it does outside of Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    return program(["fixstep", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
