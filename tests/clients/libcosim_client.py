"""libcosim runs every FMI 2.0 example; the final values equal those of `fixstep run`.

The library has no FMI 3.0.
"""

import sys

from common import apart, assert_final, examples, read_csv


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


def main(arguments):
    """Every example in a process of its own."""
    if arguments[0] == "--one":
        run_one(arguments[1], arguments[2], float(arguments[3]))
        return 0
    held = []
    for example in examples(arguments):
        _, _, step = example.experiment
        name = f"{example.name}, FMI 2.0 ends where the reference ends"
        held.append(apart(__file__, name, [example.fmu[2], example.reference, step]))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
