"""fmi-sim runs every example; the final values equal those of `fixstep run`.

Its reader of FMI 3.0 (fmi-schema 0.8) refuses the attributes of floating-point variables that
`UNREAD` names, which the standard has. It gets copies of the FMI 3.0 examples whose description
leaves them out; all else is as it was packed. A check holds that it still refuses them, so that
the copies go when it reads them.

Called as `SCRIPT FMUS REFERENCES MODELS PROGRAM`, where PROGRAM is fmi-sim.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from common import assert_final, check, examples, last_row

UNREAD = ("unit", "displayUnit", "quantity", "nominal")


def plain(fmu, folder):
    """A copy of an FMI 3.0 archive without the attributes that fmi-sim does not read."""
    copy = Path(folder) / fmu.name
    unread = re.compile(rf' ({"|".join(UNREAD)})="[^"]*"')
    with zipfile.ZipFile(fmu) as source, zipfile.ZipFile(copy, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "modelDescription.xml":
                text = re.sub(r"<Float64\b[^>]*>", lambda tag: unread.sub("", tag[0]), content.decode())
                content = text.encode()
            target.writestr(entry, content)
    return copy


def simulate(program, fmu, table):
    """Runs an FMU over its default experiment; what the program did."""
    words = [program, "--quiet", "--model", fmu, "--output-file", table, "co-simulation"]
    return subprocess.run(words, capture_output=True, text=True, timeout=600)


def run(program, fmu, reference, folder):
    """Runs an FMU and compares what it wrote last with the reference."""
    table = Path(folder) / "table.csv"
    table.unlink(missing_ok=True)
    result = simulate(program, fmu, table)
    assert result.returncode == 0, f"exit code {result.returncode}: {result.stderr[-400:]}"
    values = last_row(table)
    del values["time"]
    assert values, "no output was written"
    assert_final(values, reference)


def refuses(program, fmu, folder):
    """fmi-sim refuses an FMI 3.0 description with units."""
    result = simulate(program, fmu, Path(folder) / "refused.csv")
    message = result.stderr
    assert result.returncode != 0, "fmi-sim reads units now: let it have the packed files as they are"
    assert "unknown field" in message, message[-400:]


def main(arguments):
    """Every example in both versions."""
    program = arguments[3]
    # It says its version as an error.
    said = subprocess.run([program, "--version"], capture_output=True, text=True)
    version = re.search(r"fmi-sim (\d\S*)", said.stdout + said.stderr)
    print(f"client fmi-sim {version[1]}", flush=True)
    held = []
    with tempfile.TemporaryDirectory() as folder:
        for example in examples(arguments):
            for version in (2, 3):
                fmu = example.fmu[2] if version == 2 else plain(example.fmu[3], folder)
                held.append(
                    check(
                        f"{example.name}, FMI {version}.0 ends at the reference values",
                        lambda fmu=fmu: run(program, fmu, example.reference, folder),
                    )
                )
        fmu = examples(arguments)[0].fmu[3]
        held.append(
            check("FMI 3.0 variables with units are still refused", lambda: refuses(program, fmu, folder))
        )
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
