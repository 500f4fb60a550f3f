"""Runs the tests of a folder, away from the sources of the package, and says how many passed: ``all.py FOLDER [NAME]``."""

import sys
import unittest
from pathlib import Path


class Told(unittest.TextTestResult):
    """A line for each test, as the other sections of the suite have them."""

    def addSuccess(self, test):
        super().addSuccess(test)
        print(f"ok {test.id()}", flush=True)

    def _failed(self, test, error):
        said = self._exc_info_to_string(error, test).strip()
        print(f"FAILED {test.id()}: {said.splitlines()[-1]}\n{said}", flush=True)

    def addError(self, test, error):
        super().addError(test, error)
        self._failed(test, error)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._failed(test, error)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"SKIPPED {test.id()}: {reason}", flush=True)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._failed(subtest, error)


def main() -> int:
    """Runs them."""
    folder = Path(sys.argv[1]).resolve()
    sys.path[:] = [str(folder), *(path for path in sys.path if Path(path).resolve() != Path(__file__).parent)]
    loader = unittest.TestLoader()
    if len(sys.argv) > 2:
        loader.testNamePatterns = [f"*{sys.argv[2]}*"]
    suite = loader.discover(str(folder), "test_*.py", str(folder))
    with open("/dev/null", "w", encoding="utf-8") as nowhere:
        result = unittest.TextTestRunner(nowhere, resultclass=Told, verbosity=0).run(suite)
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
