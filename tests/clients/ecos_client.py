"""Ecos runs every example and every system of both versions; the final values equal those of `fixstep run`."""

import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import apart, assert_final, examples, introduce, read_csv, systems

# Simulated time that is run in real time [s].
PACED = 0.5

# Steps between the rows that are compared.
STRIDE = 50


def run_one(fmu, reference, step):
    """Runs one FMU to the reference's last time. Ecos adds steps up, so its times drift by ULPs."""
    from ecospy import EcosSimulation, EcosSimulationStructure

    table = read_csv(reference)
    with EcosSimulationStructure() as structure:
        structure.add_model("slave", fmu)
        with EcosSimulation(structure=structure, step_size=step) as simulation:
            assert simulation.init(table["time"][0]), "initialization failed"
            simulation.step(len(table["time"]) - 1)
            names = [name for name in table if name != "time"]
            values = {name: simulation.get_real(f"slave::{name}") for name in names}
            simulation.terminate()
    assert values, "no output was read"
    assert_final(values, reference)


def run_system(ssp, reference, name):
    """Runs a system through the library: all outputs are those of the reference, bit for bit."""
    from ecospy import EcosSimulation

    table = read_csv(reference)
    with EcosSimulation(ssp_path=ssp, step_size=table["time"][1] - table["time"][0]) as simulation:
        assert simulation.init(table["time"][0], parameter_set=name), "initialization failed"
        names = [name for name in table if name != "time"]
        assert names, "no output"
        for row in range(0, len(table["time"]) - STRIDE, STRIDE):
            simulation.step(STRIDE)
            for name in names:
                value, expected = simulation.get_real(name.replace(".", "::", 1)), table[name][row + STRIDE]
                assert value == expected, f"{name} is {value!r} in row {row + STRIDE}, not {expected!r}"
        simulation.terminate()


def run_program(ssp, reference, name):
    """The program `ecos simulate` runs a system in real time; its table has six decimals."""
    import ecospy

    binaries = Path(ecospy.__file__).parent / "binaries"
    program = binaries / "ecos"
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    table = read_csv(reference)
    step = table["time"][1] - table["time"][0]
    words = [program, "simulate", "--path", ssp, "--stepSize", str(step), "--stopTime", str(PACED)]
    words += ["--parameterSet", name, "--rtf", "1"]
    # Without a choice it records all variables, and it reads those of FMI 3.0 as if there were no arrays.
    config = '<ecos:CsvConfig decimationFactor="1" xmlns:ecos="ecos"><ecos:components>'
    for full in table:
        component, _, variable = full.partition(".")
        if variable:
            config += f'<ecos:component name="{component}"><ecos:variable name="{variable}"/></ecos:component>'
    config += "</ecos:components></ecos:CsvConfig>"
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "csv.xml"
        chosen.write_text(config, encoding="utf-8")
        words += ["--csvConfig", str(chosen)]
        began = time.monotonic()
        environment = {**os.environ, "LD_LIBRARY_PATH": str(binaries)}
        subprocess.run(words, cwd=folder, env=environment, check=True)
        took = time.monotonic() - began
        (result,) = Path(folder).glob("*.csv")
        lines = result.read_text(encoding="utf-8").splitlines()
    columns = {head.strip().removesuffix("[REAL]"): at for at, head in enumerate(lines[0].split(","))}
    rows = [line.split(",") for line in lines[1:]]
    assert abs(len(rows) - (PACED / step + 1)) <= 1, f"{len(rows)} rows"
    assert PACED <= took, f"{PACED} s took {took} s"
    for name in table:
        if name != "time":
            at = columns[name.replace(".", "::", 1)]
            for row, expected in zip(rows, table[name]):
                assert abs(float(row[at]) - expected) <= 1e-6, f"{name} is {row[at]}, not {expected}"


def main(arguments):
    """Every example in a process of its own."""
    if arguments[0] == "--one":
        if arguments[1] in ("library", "program"):
            run = run_system if arguments[1] == "library" else run_program
            run(*arguments[2:])
        else:
            run_one(arguments[1], arguments[2], float(arguments[3]))
        return 0
    introduce("Ecos", "ecospy")
    held = []
    for example in examples(arguments):
        _, _, step = example.experiment
        for version in (2, 3):
            name = f"{example.name}, FMI {version}.0 ends at the reference values"
            held.append(apart(__file__, name, [example.fmu[version], example.reference, step]))
    for system in systems(arguments):
        for version in (2, 3):
            name = f"{system.name}, FMI {version}.0 runs as a system"
            values = [system.ssp[version], system.reference, system.set]
            held.append(apart(__file__, name, ["library", *values]))
            held.append(apart(__file__, f"{name} in real time", ["program", *values]))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
