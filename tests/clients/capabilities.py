"""What an FMU can do besides stepping, through FMPy's call-by-call interface.

Derivatives are compared with differences of whole steps from a saved state; states are restored in
a process that has just begun.
"""

import json
import shutil

import numpy as np
from fmpy import extract, read_model_description
from fmpy.simulation import instantiate_fmu

# Steps before and after something is tried.
STEPS = 50

# Size that outputs are rounded at, whatever they are themselves: they are differences of places.
ROUNDED = 1.0

# Integration steps in a communication step, where that matters.
RATIO = 4


def numbers(description, causality):
    """Scalar floating-point variables of a causality: name -> value reference."""
    return {
        variable.name: variable.valueReference
        for variable in description.modelVariables
        if variable.causality == causality
        and variable.type in ("Real", "Float64")
        and not variable.dimensions
    }


class Run:
    """An instance in step mode."""

    def __init__(self, example, version, folder, settings=None, **arguments):
        self.version = version
        self.start, _, self.step = example.experiment
        self.description = read_model_description(folder)
        self.outputs = list(numbers(self.description, "output").values())
        self.inputs = list(numbers(self.description, "input").values())
        self.settings = settings or {}
        self.fmu = instantiate_fmu(folder, self.description, "CoSimulation", **arguments)
        self.initialize()

    def initialize(self):
        """From instantiated to step mode."""
        references = {variable.name: variable.valueReference for variable in self.description.modelVariables}
        for name, value in self.settings.items():
            set_integer = self.fmu.setInteger if self.version == 2 else self.fmu.setInt32
            set_integer([references[name]], [value])
        if self.version == 2:
            self.fmu.setupExperiment(startTime=self.start)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=self.start)
        self.fmu.exitInitializationMode()
        self.steps = 0

    def get(self, references=None):
        """Values, of the outputs unless others are named."""
        get = self.fmu.getReal if self.version == 2 else self.fmu.getFloat64
        return list(get(self.outputs if references is None else references))

    def put(self, values):
        """Sets all inputs."""
        put = self.fmu.setReal if self.version == 2 else self.fmu.setFloat64
        put(self.inputs, values)

    def inside(self):
        """Values of the inputs as they are; of one that is at a bound, a hundredth of its range inside."""
        known = {variable.valueReference: variable for variable in self.description.modelVariables}
        values = self.get(self.inputs)
        for k, reference in enumerate(self.inputs):
            if None not in (known[reference].min, known[reference].max):
                least, most = float(known[reference].min), float(known[reference].max)
                values[k] = min(max(values[k], least + 0.01 * (most - least)), most - 0.01 * (most - least))
        return values

    def advance(self, count):
        """Steps; the outputs after each of them."""
        trajectory = []
        for _ in range(count):
            self.fmu.doStep(self.start + self.steps * self.step, self.step)
            self.steps += 1
            trajectory.append(self.get())
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


class Unpacked:
    """The folder of an unpacked FMU, for as long as it is needed."""

    def __init__(self, example, version):
        self.folder = extract(str(example.fmu[version]))

    def __enter__(self):
        return self.folder

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)


def restores(example, version, kept):
    """A restored state, also in another instance and after a reset, repeats the run bit for bit. What another
    process needs to repeat it too goes into a folder."""
    with Unpacked(example, version) as folder:
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
    name = f"{example.name}.{version}"
    (kept / f"{name}.state").write_bytes(data)
    (kept / f"{name}.json").write_text(json.dumps(rest), encoding="utf-8")


def continues(example, version, kept):
    """A state that another process left goes on as it did there, bit for bit."""
    name = f"{example.name}.{version}"
    rest = json.loads((kept / f"{name}.json").read_text(encoding="utf-8"))
    with Unpacked(example, version) as folder:
        run = Run(example, version, folder)
        state = run.from_bytes((kept / f"{name}.state").read_bytes(), STEPS)
        run.restore(state)
        assert run.advance(STEPS) == rest
        run.release(state)
        run.close()


def close(found, expected, tolerance, noise, what):
    """Both agree to a share of each value, or to what rounding leaves of it."""
    found, expected = np.array(found), np.array(expected)
    over = np.abs(found - expected) - tolerance * np.abs(expected) - noise
    worst = int(np.argmax(over))
    assert over[worst] <= 0.0, f"{what}: {found[worst]} is not {expected[worst]}"


def derives(example, version):
    """Directional derivatives are differences of steps; adjoint ones are their transpose; derivatives by time are
    slopes of the outputs."""
    with Unpacked(example, version) as folder:
        # Differences are those of the equations only where the iterations have converged.
        run = Run(example, version, folder, {"solver.fixit": 10})
        run.put(run.inside())
        before = run.advance(STEPS)[-1]
        saved, inputs = run.save(), run.get(run.inputs)
        matrix = []
        at = run.advance(1)[0]
        for reference in run.inputs:
            matrix.append(run.fmu.getDirectionalDerivative(run.outputs, [reference], [1.0]))
        get_slopes = run.fmu.getRealOutputDerivatives if version == 2 else run.fmu.getOutputDerivatives
        slopes = get_slopes(run.outputs, [1] * len(run.outputs))
        if version == 3:
            weights = [(-1) ** k * (1 + k) for k in range(len(run.outputs))]
            transposed = run.fmu.getAdjointDerivative(run.outputs, run.inputs, weights, len(run.inputs))
            expected = np.array(matrix) @ np.array(weights)
            close(transposed, expected, 1e-9, 1e-9 * np.max(np.abs(matrix)) + 1e-15, "adjoint derivatives")
        after = run.advance(1)[0]
        for k, column in enumerate(matrix):
            shift = 1e-4 * max(1.0, abs(inputs[k]))

            def difference(by):
                """Over so much to either side of the input."""
                ends = []
                for value in (inputs[k] + by, inputs[k] - by):
                    run.restore(saved)
                    run.put(inputs[:k] + [value] + inputs[k + 1 :])
                    ends.append(np.array(run.advance(1)[0]))
                return (ends[0] - ends[1]) / (2 * by), ends[0]

            (wide, end), (narrow, _) = difference(shift), difference(shift / 2)
            # Laws of friction turn round within a shift: of both differences together, what goes with its square is gone.
            expected = (4 * narrow - wide) / 3
            noise = 300 * np.finfo(float).eps * np.maximum(np.abs(end), ROUNDED) / shift
            # A column is one solution of all equations: it is rounded by its largest entry.
            noise += 1e-13 * np.max(np.abs(column))
            close(column, expected, 5e-3, noise, f"derivatives by input {k}")
        run.release(saved)
        run.close()
        if example.name in SMOOTH:
            differences = (np.array(after) - np.array(before)) / (2 * run.step)
            close(slopes, differences, 1e-2, 1e-3 * np.max(np.abs(differences)), "derivatives by time")


# Examples whose outputs are smooth where they are differentiated by time.
SMOOTH = ("pendulum", "controlled_pendulum", "servo_axis")


def updates(example):
    """Every integration step is told; what the callback reads last is what the step leaves; reading changes no bit;
    a callback that asks for it gets the step back early (FMI 3.0)."""
    seen, run = [], None

    def callback(_, time, set_requested, get_allowed, finished, may_return, ask, until):
        assert get_allowed
        seen.append((time, run.get() if run.steps < STEPS else None, may_return))
        if run.steps >= STEPS:
            ask[0], until[0] = True, time

    settings = {"solver.hratio": RATIO}
    with Unpacked(example, 3) as folder:
        plain = Run(example, 3, folder, settings)
        expected = plain.advance(STEPS)
        plain.close()
        run = Run(example, 3, folder, settings, intermediate_update=callback, early_return_allowed=True)
        assert run.advance(STEPS) == expected, "the callback changes the run"
        assert len(seen) == STEPS * RATIO, f"{len(seen)} updates"
        times = [run.start + run.step * (n + 1) / RATIO for n in range(STEPS * RATIO)]
        assert np.allclose([time for time, _, _ in seen], times, rtol=1e-12, atol=0.0), "other times"
        assert [row for _, row, _ in seen[RATIO - 1 :: RATIO]] == expected, "other outputs in the callback"
        seen.clear()
        _, _, early, reached = run.fmu.doStep(run.start + STEPS * run.step, run.step)
        assert early and len(seen) >= 1 and seen[0][2], f"early return: {early}, {seen}"
        assert np.isclose(reached, run.start + run.step * (STEPS + 1 / RATIO), rtol=1e-12), f"{reached}"
        run.close()


def interpolates(example):
    """Inputs with slopes: one communication step of several integration steps is as many of one each (FMI 2.0)."""
    ends = []
    with Unpacked(example, 2) as folder:
        for parts in (1, RATIO):
            run = Run(example, 2, folder, {"solver.hratio": RATIO})
            slopes = [(1 + n) * 1e-2 for n in range(len(run.inputs))]
            inputs, step = run.get(run.inputs), run.step / parts
            for n in range(STEPS * parts):
                run.put([value + slope * n * step for value, slope in zip(inputs, slopes)])
                run.fmu.setRealInputDerivatives(run.inputs, [1] * len(slopes), slopes)
                run.fmu.doStep(run.start + n * step, step)
            ends.append(run.get())
            run.close()
    close(ends[0], ends[1], 1e-9, 1e-9, "inputs with slopes")
