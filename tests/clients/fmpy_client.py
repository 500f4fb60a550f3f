"""FMPy validates and simulates every example; trajectories equal `fixstep run` bit for bit."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import fmpy
import numpy as np
from fmpy import extract, read_model_description
from fmpy.simulation import instantiate_fmu, simulate_fmu
from fmpy.ssp import ssd
from fmpy.ssp.simulation import simulate_ssp
from fmpy.validation import validate_fmu

from common import check, examples, read_csv, systems

# Steps of the state tests, before and after the state is saved.
STEPS = 50


def outputs(description):
    """Outputs of type Float64 or Real: name -> value reference."""
    return {
        variable.name: variable.valueReference
        for variable in description.modelVariables
        if variable.causality == "output" and variable.type in ("Real", "Float64")
    }


def validates(example, version):
    """No validator of FMPy finds a problem: neither the function nor the program."""
    fmu = str(example.fmu[version])
    problems = validate_fmu(fmu)
    assert not problems, "; ".join(problems)
    program = [sys.executable, "-m", "fmpy", "validate", fmu]
    result = subprocess.run(program, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "No problems found." in result.stdout, result.stdout


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
    messages = []
    result = simulate_fmu(
        str(example.fmu[version]),
        start_time=start,
        stop_time=stop,
        output_interval=step,
        input=driven_input(example, times) if driven else None,
        logger=lambda *words: messages.append(words),
    )
    assert len(result) == rows, f"{len(result)} rows, the reference has {rows}; {messages[-3:]}"
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


class Run:
    """An instance in step mode, through FMPy's call-by-call interface."""

    def __init__(self, example, version, folder):
        self.version = version
        self.start, _, self.step = example.experiment
        self.description = read_model_description(folder)
        self.references = list(outputs(self.description).values())
        self.fmu = instantiate_fmu(folder, self.description, "CoSimulation")
        self.initialize()

    def initialize(self):
        """From instantiated to step mode."""
        if self.version == 2:
            self.fmu.setupExperiment(startTime=self.start)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=self.start)
        self.fmu.exitInitializationMode()
        self.steps = 0

    def advance(self, count):
        """Steps; the outputs after each of them."""
        trajectory = []
        for _ in range(count):
            self.fmu.doStep(self.start + self.steps * self.step, self.step)
            self.steps += 1
            get = self.fmu.getReal if self.version == 2 else self.fmu.getFloat64
            trajectory.append(list(get(self.references)))
        return trajectory

    def save(self):
        """State with the number of steps that belongs to it."""
        get = self.fmu.getFMUstate if self.version == 2 else self.fmu.getFMUState
        return get(), self.steps

    def restore(self, saved):
        """Back to a saved state."""
        set_state = self.fmu.setFMUstate if self.version == 2 else self.fmu.setFMUState
        set_state(saved[0])
        self.steps = saved[1]

    def to_bytes(self, saved):
        """The serialised state."""
        fmu = self.fmu
        return fmu.serializeFMUstate(saved[0]) if self.version == 2 else fmu.serializeFMUState(saved[0])

    def from_bytes(self, data, steps):
        """A state of this instance from bytes."""
        fmu = self.fmu
        state = fmu.deSerializeFMUstate(data) if self.version == 2 else fmu.deserializeFMUState(data)
        return state, steps

    def release(self, saved):
        """Frees a state."""
        free = self.fmu.freeFMUstate if self.version == 2 else self.fmu.freeFMUState
        free(saved[0])

    def close(self):
        """Ends the run."""
        self.fmu.terminate()
        self.fmu.freeInstance()


def restores(example, version):
    """A restored state, also in another instance and after a reset, repeats the run bit for bit."""
    folder = extract(str(example.fmu[version]))
    try:
        run = Run(example, version, folder)
        first = run.advance(STEPS)
        saved = run.save()
        data = run.to_bytes(saved)
        rest = run.advance(STEPS)
        run.restore(saved)
        assert run.advance(STEPS) == rest, "after setting the saved state"
        run.release(saved)

        other = Run(example, version, folder)
        state = other.from_bytes(data, STEPS)
        other.restore(state)
        assert other.advance(STEPS) == rest, "after deserialising into another instance"
        other.release(state)
        other.close()

        run.fmu.reset()
        run.initialize()
        assert run.advance(STEPS) == first, "after a reset"
        run.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def main(arguments):
    """All checks of all examples."""
    print(f"FMPy {fmpy.__version__}")
    held = []
    for example in examples(arguments):
        for version in (2, 3):
            name = f"{example.name}, FMI {version}.0"
            held.append(check(f"{name} validates", lambda: validates(example, version)))
            held.append(check(f"{name} simulates", lambda: simulates(example, version, False)))
            if Path(example.driven).is_file():
                held.append(
                    check(f"{name} simulates with its input", lambda: simulates(example, version, True))
                )
            held.append(check(f"{name} restores its state", lambda: restores(example, version)))
    for system in systems(arguments):
        for version in (2, 3):
            name = f"{system.name}, system of FMI {version}.0"
            held.append(check(f"{name} runs", lambda: runs_system(system, version)))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
