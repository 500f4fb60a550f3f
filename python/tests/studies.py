"""A short study, for the tests of studies on one computer and on clusters."""

import json
from pathlib import Path

from fixstep import _fixstep

QUARTER = Path(__file__).resolve().parents[2] / "models/quarter_car/model.json"


def described(folder: str, **changes: object) -> Path:
    """A description of a short study."""
    spec = {
        "fixstep_study": 1,
        "name": "s",
        "model": str(QUARTER),
        "run": {"stop": 0.3},
        "method": "monte_carlo",
        "runs": 30,
        "vary": [{"parameter": "suspension_damping", "from": 0.5, "to": 4}, {"input": "road", "from": -20, "to": 20}],
        "results": [{"name": "peak", "of": "body_acceleration", "take": "absolute_max"}],
        **changes,
    }
    path = Path(folder, "study.json")
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def serial(path: Path, folder: Path) -> bytes:
    """The table of the program by itself."""
    code, _, remarks = _fixstep.hear(["fixstep", "study", str(path), "-o", str(folder), "--workers", "1"])
    assert code == 0, remarks
    return (folder / "runs.csv").read_bytes()
