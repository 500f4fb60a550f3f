"""FMPy validates and simulates every example; trajectories equal `fixstep run` bit for bit."""

import concurrent.futures
import contextlib
import io
import multiprocessing
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import fmpy
import numpy as np
from fmpy.simulation import simulate_fmu
from fmpy.ssp import ssd
from fmpy.ssp.simulation import simulate_ssp
from fmpy.validation import validate_fmu
from lxml import etree

from capabilities import continues, derives, interpolates, restores, updates
from common import check, examples, introduce, read_csv, systems


def validates(example, version):
    """FMPy's validator finds no problem."""
    problems = validate_fmu(str(example.fmu[version]))
    assert not problems, "; ".join(problems)


def program_validates(example, version):
    """The program finds none either: it says so, and ends with success."""
    program = [sys.executable, "-m", "fmpy", "validate", str(example.fmu[version])]
    result = subprocess.run(program, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "No problems found." in result.stdout, result.stdout


def conforms(example, version):
    """Every XML file passes its schema; of a layered standard's manifest, what all of them must have."""
    schemas = Path(fmpy.__file__).parent / "schema"
    known = {
        "modelDescription.xml": f"fmi{version}/fmi{version}ModelDescription.xsd",
        "terminalsAndIcons/terminalsAndIcons.xml": "fmi3/fmi3TerminalsAndIcons.xsd",
    }
    with zipfile.ZipFile(example.fmu[version]) as archive:
        trees = {
            name: etree.fromstring(archive.read(name))
            for name in archive.namelist()
            if name.endswith((".xml", ".svg"))
        }
    assert set(known) <= set(trees), f"{sorted(trees)}"
    for name, tree in trees.items():
        if name in known:
            etree.XMLSchema(file=str(schemas / known[name])).assertValid(tree)
        elif name.endswith("/fmi-ls-manifest.xml"):
            text = MANIFEST.format(schemas.as_uri(), etree.QName(tree).localname)
            etree.XMLSchema(etree.fromstring(text)).assertValid(tree)


# A schema for manifests of layered standards, whatever their contents are.
MANIFEST = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"
    xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest">
  <xs:import namespace="http://fmi-standard.org/fmi-ls-manifest"
      schemaLocation="{}/fmi3/fmi3LayeredStandardManifest.xsd"/>
  <xs:element name="{}"><xs:complexType>
    <xs:sequence><xs:any processContents="skip" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attributeGroup ref="fmi-ls:ALayeredStandardManifest"/>
    <xs:anyAttribute namespace="##local" processContents="skip"/>
  </xs:complexType></xs:element>
</xs:schema>"""


def driven_input(example, times):
    """The input table on the communication points, interpolated as `fixstep run` does."""
    table = read_csv(example.input)
    names = [name for name in table if name != "time"]
    signals = np.zeros(len(times), dtype=[("time", float)] + [(name, float) for name in names])
    signals["time"] = times
    for name in names:
        signals[name] = [interpolate(table["time"], table[name], time) for time in times]
    return signals


def interpolate(grid, values, time):
    """Linear between the table's rows, held before the first and after the last."""
    if time <= grid[0]:
        return values[0]
    if time >= grid[-1]:
        return values[-1]
    after = int(np.searchsorted(grid, time, side="right"))
    t0, t1, v0, v1 = grid[after - 1], grid[after], values[after - 1], values[after]
    return v0 + (v1 - v0) * ((time - t0) / (t1 - t0))


def simulates(example, version, driven):
    """The trajectory of FMPy's master equals the reference, bit for bit."""
    start, stop, step = example.experiment
    reference = read_csv(example.driven if driven else example.reference)
    rows = len(reference["time"])
    times = [start + n * step for n in range(rows)]
    # Without a logger of its own: FMPy would call it for all FMUs of FMI 2.0 that come after, when it is gone.
    result = simulate_fmu(
        str(example.fmu[version]),
        start_time=start,
        stop_time=stop,
        output_interval=step,
        input=driven_input(example, times) if driven else None,
    )
    assert len(result) == rows, f"{len(result)} rows, the reference has {rows}"
    offset = np.max(np.abs(result["time"] - reference["time"]))
    assert offset <= 1e-12 * max(1.0, abs(stop)), f"times differ by {offset} s"
    names = [name for name in result.dtype.names if name != "time"]
    assert names, "no output was recorded"
    for name in names:
        differs = np.flatnonzero(result[name] != np.array(reference[name]))
        if differs.size:
            row = differs[0]
            raise AssertionError(
                f"{name} differs in {differs.size} of {rows} rows, first at "
                f"t = {result['time'][row]} s: {float(result[name][row])!r} is not "
                f"{reference[name][row]!r}"
            )


def runs_system(system, version):
    """FMPy's schemas accept every XML file of the system; its master, which knows FMI 2.0, gives the same bits."""
    path = str(system.ssp[version])
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
    description = ssd.read_ssd(path)
    sets = [name for name in names if name.endswith(".ssv")]
    assert sets, f"no parameter set among {names}"
    for name in sets:
        ssd.read_ssv(path, resource=name)
    if version == 3:
        return
    # The master takes no notice of bindings, but one parameter set.
    values = ssd.ParameterSet(name="all", parameters=[])
    for component in description.system.elements:
        for binding in component.parameterBindings:
            for value in binding.parameterValues[0].parameters:
                value.name = f"{component.name}.{value.name}"
                values.parameters.append(value)
    assert len(values.parameters) >= len(sets), "the parameter sets are bound to nothing"
    reference = read_csv(system.reference)
    start, step = reference["time"][0], reference["time"][1] - reference["time"][0]
    result = simulate_ssp(path, start, reference["time"][-2], step, parameter_set=values)
    names = [name for name in result.dtype.names if name in reference and name != "time"]
    assert set(names) == set(reference) - {"time"}, f"{names} of {list(reference)}"
    for name in names:
        # A row of FMPy is what is at the end of a step, at the time of its beginning.
        rows = min(len(result), len(reference[name]) - 1)
        assert rows >= len(reference[name]) - 2
        differs = np.flatnonzero(result[name][:rows] != np.array(reference[name][1 : rows + 1]))
        assert not differs.size, f"{name} differs in {differs.size} rows, first in {differs[:1]}"


def checks(example, version, kept):
    """What is checked of an example: how a report says it, and how it is done."""
    yield "passes the validator", lambda: validates(example, version)
    yield "passes the schemas", lambda: conforms(example, version)
    yield "simulates", lambda: simulates(example, version, False)
    if Path(example.driven).is_file():
        yield "simulates with an input file", lambda: simulates(example, version, True)
    yield "restores its state, also in another instance", lambda: restores(example, version, kept)
    with zipfile.ZipFile(example.fmu[version]) as archive:
        if b'causality="input"' not in archive.read("modelDescription.xml"):
            return
    what = "directional and output" if version == 2 else "directional, adjoint and output"
    yield f"gives {what} derivatives", lambda: derives(example, version)
    if version == 3:
        yield "reports every integration step, and returns early", lambda: updates(example)
    else:
        yield "interpolates inputs by their derivatives", lambda: interpolates(example)


# Processes that begin with nothing loaded.
SPAWN = multiprocessing.get_context("spawn")


def checked(work):
    """Does all checks of an example in one version of the standard; what they say, and whether all held."""
    example, version, kept = work
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        held = [check(f"{example.name}, FMI {version}.0 {what}", body) for what, body in checks(example, version, kept)]
    return said.getvalue(), all(held)


def in_a_fresh_process(arguments, kept):
    """Goes on in a process of its own from all states that were left in a folder; whether all held."""
    words = [sys.executable, __file__, "--continue", str(kept), *arguments]
    return subprocess.run(words).returncode == 0


def main(arguments):
    """All checks of all examples."""
    held = []
    if arguments[0] == "--continue":
        kept = Path(arguments[1])
        for example in examples(arguments[2:]):
            for version in (2, 3):
                name = f"{example.name}, FMI {version}.0 continues from its state in another process"
                held.append(check(name, lambda: continues(example, version, kept)))
        return 0 if all(held) else 1
    introduce("FMPy", "fmpy")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(mp_context=SPAWN) as pool:
        work = [(example, version, Path(folder)) for example in examples(arguments) for version in (2, 3)]
        for said, all_held in pool.map(checked, work):
            print(said, end="", flush=True)
            held.append(all_held)
        held.append(in_a_fresh_process(arguments, Path(folder)))
    for version in (2, 3):
        example = examples(arguments)[0]
        name = f"{example.name}, FMI {version}.0 passes the program `fmpy validate`"
        held.append(check(name, lambda: program_validates(example, version)))
        for system in systems(arguments):
            what = "runs as a system" if version == 2 else "passes the schemas as a system"
            name = f"{system.name}, FMI {version}.0 {what}"
            held.append(check(name, lambda: runs_system(system, version)))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
