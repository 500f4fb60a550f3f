"""libcosim runs every FMI 2.0 example; the final values equal those of `fixstep run`.

The library has no FMI 3.0.
"""

import sys
import time

from common import apart, assert_final, examples, introduce, read_csv

# Simulated time that is run in real time [s], and the examples that are.
PACED = 0.5
PACED_EXAMPLES = ("pendulum", "servo_axis")


def run_one(fmu, reference, step):
    """Runs one FMU to the reference's last time. libcosim keeps time in whole nanoseconds."""
    from libcosimpy.CosimEnums import CosimVariableCausality, CosimVariableType
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(step_size=round(step * 1e9))
    slave = execution.add_local_slave(CosimLocalSlave(fmu_path=fmu, instance_name="slave"))
    observer = CosimObserver.create_last_value()
    assert execution.add_observer(observer), "no observer"
    steps = len(read_csv(reference)["time"]) - 1
    assert execution.step(steps), "a step failed"
    outputs = {
        variable.name.decode(): variable.reference
        for variable in execution.slave_variables(slave)
        if variable.causality == CosimVariableCausality.OUTPUT.value
        and variable.type == CosimVariableType.REAL.value
    }
    values = observer.last_real_values(slave, list(outputs.values()))
    assert outputs, "no output was read"
    assert_final(dict(zip(outputs, values)), reference)


def run_paced(fmu, reference, step):
    """Runs one FMU in real time, which must take as long; the values are those of the reference."""
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    from libcosimpy.CosimSlave import CosimLocalSlave

    execution = CosimExecution.from_step_size(step_size=round(step * 1e9))
    slave = execution.add_local_slave(CosimLocalSlave(fmu_path=fmu, instance_name="slave"))
    observer = CosimObserver.create_last_value()
    assert execution.add_observer(observer), "no observer"
    assert execution.real_time_simulation_enabled(True), "it does not wait for the clock"
    assert execution.real_time_factor_target(1.0), "no real-time factor"
    table = read_csv(reference)
    names = {variable.name.decode(): variable.reference for variable in execution.slave_variables(slave)}
    steps = round(PACED / step)
    began = time.monotonic()
    assert execution.simulate_until(round(PACED * 1e9)), "a step failed"
    took = time.monotonic() - began
    assert took >= 0.9 * PACED, f"{PACED} s took {took} s"
    outputs = [name for name in table if name != "time"]
    values = observer.last_real_values(slave, [names[name] for name in outputs])
    for name, value in zip(outputs, values):
        assert value == table[name][steps], f"{name} is {value!r}, not {table[name][steps]!r}"


def main(arguments):
    """Every example in a process of its own."""
    if arguments[0] == "--one":
        run = run_paced if arguments[4:] == ["paced"] else run_one
        run(arguments[1], arguments[2], float(arguments[3]))
        return 0
    introduce("libcosim", "libcosimpy")
    held = []
    for example in examples(arguments):
        _, _, step = example.experiment
        name = f"{example.name}, FMI 2.0 ends at the reference values"
        held.append(apart(__file__, name, [example.fmu[2], example.reference, step]))
        if example.name in PACED_EXAMPLES:
            name = f"{example.name}, FMI 2.0 simulates in real time"
            held.append(apart(__file__, name, [example.fmu[2], example.reference, step, "paced"]))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
