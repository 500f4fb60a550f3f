"""What the clients share: the examples, their reference trajectories, and one line per check.

A client says `client NAME VERSION`, and of each check `ok EXAMPLE, FMI 3.0 WHAT HELD: DETAILS` or
the same with `FAILED`. docs/clients.md is made of these lines.

Every script is called as `SCRIPT FMUS REFERENCES MODELS`:
FMUS/fmi2/NAME.fmu and FMUS/fmi3/NAME.fmu are packed examples, REFERENCES/NAME.csv is what
`fixstep run` made of MODELS/NAME/model.json with its inputs at rest, and
REFERENCES/NAME.driven.csv with its `input.csv`, where it has one. FMUS/fmi2/NAME.ssp and
FMUS/fmi3/NAME.ssp are the system of MODELS/NAME/system.json, and REFERENCES/NAME.system.csv is
what `fixstep run` made of it.
"""

import csv
import json
import subprocess
import sys
import traceback
import zipfile
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree


class Example:
    """An example model with its packed files and reference trajectories."""

    def __init__(self, fmus, references, folder):
        self.name = folder.name
        self.fmu = {version: fmus / f"fmi{version}" / f"{self.name}.fmu" for version in (2, 3)}
        self.reference = references / f"{self.name}.csv"
        self.driven = references / f"{self.name}.driven.csv"
        self.input = folder / "input.csv"
        self.model = folder / "model.json"

    @property
    def experiment(self):
        """Start, stop and communication step [s], as the description of the FMU has them."""
        with zipfile.ZipFile(self.fmu[2]) as archive:
            root = ElementTree.fromstring(archive.read("modelDescription.xml"))
        experiment = root.find("DefaultExperiment")
        return tuple(float(experiment.get(key)) for key in ("startTime", "stopTime", "stepSize"))


def examples(arguments):
    """All examples, in alphabetical order."""
    fmus, references, models = (Path(argument) for argument in arguments[:3])
    folders = sorted(path.parent for path in models.glob("*/model.json"))
    assert folders, f"no example in {models}"
    return [Example(fmus, references, folder) for folder in folders]


class System:
    """A system of FMUs with its packed files and reference trajectory."""

    def __init__(self, fmus, references, folder):
        self.name = folder.name
        self.ssp = {version: fmus / f"fmi{version}" / f"{self.name}.ssp" for version in (2, 3)}
        self.reference = references / f"{self.name}.system.csv"
        # Its parameter sets are called as it is.
        self.set = json.loads((folder / "system.json").read_text(encoding="utf-8"))["name"]


def systems(arguments):
    """All examples that are also systems of FMUs."""
    fmus, references, models = (Path(argument) for argument in arguments[:3])
    folders = sorted(path.parent for path in models.glob("*/system.json"))
    assert folders, f"no system in {models}"
    return [System(fmus, references, folder) for folder in folders]


def read_csv(path):
    """Columns of a table: name -> list of floats."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def introduce(name, package):
    """Says which client it is, and which version of it is installed."""
    print(f"client {name} {metadata.version(package)}", flush=True)


def check(name, body):
    """Runs a check and says how it went; True when it held."""
    try:
        body()
    except Exception as error:  # a client may raise anything
        if not isinstance(error, AssertionError):
            traceback.print_exc()
        print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
        return False
    print(f"ok {name}", flush=True)
    return True


def apart(script, name, arguments):
    """Runs `SCRIPT --one ARGUMENTS` in a process of its own, since native clients may crash."""
    words = [sys.executable, script, "--one", *map(str, arguments)]
    result = subprocess.run(words, capture_output=True, text=True, timeout=600)
    if result.returncode == 0:
        print(f"ok {name}", flush=True)
        return True
    for line in (result.stdout + result.stderr).splitlines()[-20:]:
        print(f"    {line}")
    print(f"FAILED {name}: exit code {result.returncode}", flush=True)
    return False


def last_row(path):
    """Final values of a table: name -> float."""
    return {name: column[-1] for name, column in read_csv(path).items()}


def assert_final(values, path):
    """Final values of the outputs equal those of a reference, bit for bit."""
    reference = last_row(path)
    for name, value in values.items():
        assert value == reference[name], f"{name} ends at {value!r}, not {reference[name]!r}"
