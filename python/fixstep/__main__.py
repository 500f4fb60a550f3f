"""``python -m fixstep`` is the command ``fixstep``."""

import sys

from ._program import main

sys.exit(main())
