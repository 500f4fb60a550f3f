"""A short study, for the tests of studies on one computer and on clusters."""

import json
from pathlib import Path

from fixstep import _fixstep

QUARTER = Path(__file__).resolve().parents[2] / "models/quarter_car/model.json"

#: Some runs of the study have a higher peak, others do not.
STRONG = 7000.0


def described(folder: str, **changes: object) -> Path:
    """A description of a short study."""
    spec = {
        "fixstep_study": 1,
        "name": "s",
        "model": str(QUARTER),
        "run": {"stop": 0.8, "input": str(QUARTER.with_name("input.csv"))},
        "method": "monte_carlo",
        "runs": 30,
        "vary": [{"parameter": "suspension_damping", "from": 0.5, "to": 4}, {"parameter": "sprung_mass", "from": 250, "to": 400}],
        "results": [{"name": "peak", "of": "body_acceleration", "take": "absolute_max"}],
        **changes,
    }
    spec = {name: value for name, value in spec.items() if value is not None}
    path = Path(folder, "study.json")
    path.write_text(json.dumps(spec), encoding="utf-8")
    return path


def serial(path: Path, folder: Path) -> bytes:
    """The table of the program by itself."""
    code, _, remarks = _fixstep.hear(["fixstep", "study", str(path), "-o", str(folder), "--workers", "1"])
    assert code == 0, remarks
    return (folder / "runs.csv").read_bytes()


def rows_of_chunks(folder: Path) -> list[int]:
    """The runs of all rows that the chunks of a study have, each as often as it is there."""
    lines = (line for file in folder.glob("chunks/*.rows") for line in file.read_text(encoding="utf-8").splitlines()[4:])
    return sorted(int(line.split(",", 1)[0]) for line in lines)
