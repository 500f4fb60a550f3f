"""Ecos runs every example of both versions; the final values equal those of `fixstep run`."""

import sys

from common import apart, assert_final, examples, read_csv


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


def main(arguments):
    """Every example in a process of its own."""
    if arguments[0] == "--one":
        run_one(arguments[1], arguments[2], float(arguments[3]))
        return 0
    held = []
    for example in examples(arguments):
        _, _, step = example.experiment
        for version in (2, 3):
            name = f"{example.name}, FMI {version}.0 ends where the reference ends"
            held.append(apart(__file__, name, [example.fmu[version], example.reference, step]))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
