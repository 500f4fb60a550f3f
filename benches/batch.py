"""Throughput of many runs: `fixstep.Batch.rollout` beside `mujoco.rollout` and Exudyn on the same slider-crank and the same car: ``python3 batch.py``,
in an environment that has them.

Prints a table: steps per second of one core, of all cores, how many times as fast Fixstep is, and the error that the slider ends with. Every
measurement is a process of its own on one core (all cores: on all), and programs take turns, so that other load meets all; medians
count. What a program cannot express is said below the table.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
CAR = HERE.parent / "models/passive_vehicle/model.json"
ROUNDS = 5
#: Instances, and steps of each: of 1 ms.
SIZES = {"slider-crank": (64, 1000), "vehicle": (16, 200)}
STEP = 1e-3
CRANK, ROD = 0.1, 0.3
MASSES = {"crank": 0.5, "rod": 0.8, "slider": 0.6}


def torques(count):
    """The torque on the crank of each instance [N m]."""
    return [0.05 + 0.1 * k / count for k in range(count)]


def slider_crank():
    """The mechanism in the model format: from its outer dead point, at rest, the slider held across its line alone, so that
    nothing is held twice."""
    across = {"z_point": [0, 1, 0], "x_point": [1, 0, 0]}
    along = {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}

    def part(name, position, long):
        thin, wide = MASSES[name] * 1e-4, MASSES[name] * long**2 / 12 + 1e-5
        return {"name": name, "mass": MASSES[name], "inertia": {"xx": thin, "yy": wide, "zz": wide}, "position": [position, 0, 0]}

    def marker(name, part, x, axes):
        # A point on an axis, seen from the marker.
        ends = {key: [x + point[0], *point[1:]] for key, point in axes.items()}
        return {"name": name, "part": part, "position": [x, 0, 0], "orientation": ends}

    return {
        "fixstep": 1,
        "name": "slider_crank",
        "gravity": [0, 0, -9.81],
        "inputs": [{"name": "torque", "unit": "N.m", "min": -10, "max": 10}],
        "parts": [part("crank", CRANK / 2, CRANK), part("rod", CRANK + ROD / 2, ROD), part("slider", CRANK + ROD, 0.05)],
        "markers": [
            marker("base", "ground", 0, across),
            marker("axle", "crank", -CRANK / 2, across),
            marker("pin", "crank", CRANK / 2, across),
            marker("big_end", "rod", -ROD / 2, across),
            marker("small_end", "rod", ROD / 2, across),
            marker("piston", "slider", 0, across),
            marker("shoe", "slider", 0, along),
            marker("rail", "ground", CRANK + ROD, along),
        ],
        "joints": [
            {"name": "bearing", "type": "revolute", "i": "axle", "j": "base"},
            {"name": "crank_pin", "type": "revolute", "i": "big_end", "j": "pin"},
            {"name": "guide", "type": "translational", "i": "shoe", "j": "rail"},
            {"name": "piston_pin", "type": "in_line", "i": "small_end", "j": "piston"},
        ],
        "forces": [{"name": "drive", "type": "torque", "i": "axle", "j": "base", "expression": "torque"}],
        "outputs": [{"name": "place", "expression": "DX(shoe)", "unit": "m"}, {"name": "angle", "expression": "AZ(axle, base)", "unit": "rad"}],
        "solver": {"fixit": 2},
        "experiment": {"stop": 1, "step": STEP},
    }


def fixstep_rate(case, threads):
    """Steps per second, and where the sliders end."""
    import fixstep
    import numpy as np

    count, steps = SIZES[case]
    crank = case == "slider-crank"
    model = fixstep.Model.from_dict(slider_crank()) if crank else fixstep.Model.load(CAR)
    batch = fixstep.Batch(model, count, threads=threads)
    batch.start()
    begun = batch.save()
    inputs = np.broadcast_to(np.array(torques(count))[:, None], (steps, count, 1)) if crank else None
    found = np.empty((steps, count, 1))
    took = []
    for _ in range(2):
        batch.restore(begun)
        start = time.perf_counter()
        batch.rollout(inputs, "place" if crank else "height", steps=steps, out=found)
        took.append(time.perf_counter() - start)
    return count * steps / min(took), found[-1, :, 0].tolist()


def mujoco_slider_crank():
    """The mechanism in MuJoCo's format: the loop is closed by a soft constraint, as stiff as the step allows."""
    thin, wide = ({name: mass * 1e-4 for name, mass in MASSES.items()}, {"crank": CRANK, "rod": ROD, "slider": 0.05})

    def inertial(name, x):
        long = MASSES[name] * wide[name] ** 2 / 12 + 1e-5
        return f'<inertial pos="{x} 0 0" mass="{MASSES[name]}" diaginertia="{thin[name]} {long} {long}"/>'

    return f"""<mujoco><option timestep="{STEP}" gravity="0 0 -9.81" integrator="implicitfast" solver="Newton" tolerance="1e-10"/><worldbody>
      <body name="crank"><joint name="bearing" type="hinge" axis="0 1 0"/>{inertial("crank", CRANK / 2)}
        <body name="rod" pos="{CRANK} 0 0"><joint type="hinge" axis="0 1 0"/>{inertial("rod", ROD / 2)}</body></body>
      <body name="slider" pos="{CRANK + ROD} 0 0"><joint name="guide" type="slide" axis="1 0 0"/>{inertial("slider", 0)}</body>
      </worldbody><equality><connect body1="rod" body2="slider" anchor="{ROD} 0 0" solref="{2 * STEP} 1" solimp="0.9999 0.9999 0.001"/></equality>
      <actuator><motor joint="bearing"/></actuator></mujoco>"""


def mujoco_rate(case, threads):
    import mujoco
    import numpy as np
    from mujoco import rollout

    count, steps = SIZES[case]
    states = mujoco.mjtState.mjSTATE_FULLPHYSICS
    if case == "slider-crank":
        model = mujoco.MjModel.from_xml_string(mujoco_slider_crank())
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        control = np.broadcast_to(np.array(torques(count))[:, None, None], (count, steps, 1)).copy()
        kind, seen = mujoco.mjtState.mjSTATE_CTRL, 1 + model.joint("guide").qposadr[0]
    else:
        model, data, forces = mujoco_car()
        control = np.broadcast_to(forces, (count, steps, forces.size)).copy()
        kind, seen = mujoco.mjtState.mjSTATE_XFRC_APPLIED, 3
    begun = np.empty(mujoco.mj_stateSize(model, states))
    mujoco.mj_getState(model, data, begun, states)
    begun = np.tile(begun, (count, 1))
    crew = [mujoco.MjData(model) for _ in range(threads)]
    took = []
    with rollout.Rollout(nthread=threads if threads > 1 else 0) as roll:
        for _ in range(2):
            start = time.perf_counter()
            found, _ = roll.rollout(model, crew if threads > 1 else crew[:1], begun, control, control_spec=int(kind))
            took.append(time.perf_counter() - start)
    return count * steps / min(took), (found[:, -1, seen] + (CRANK + ROD if case == "slider-crank" else 0)).tolist()


def flat_car(folder):
    """The car as the scripts of benches/peers read it."""
    path = Path(folder, "car.json")
    subprocess.run([sys.executable, "-m", "fixstep", "expand", str(CAR), "-o", str(path)], check=True, capture_output=True)
    sys.path.insert(0, str(HERE / "peers"))
    import mechanism

    return mechanism.read(path)


def mujoco_car():
    """The reduced car of benches/peers, and the forces of its tyres: those of the start, as a rollout knows no law for them."""
    import mujoco
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        plan = flat_car(folder)
    import mujoco_vehicle

    model = mujoco.MjModel.from_xml_string(mujoco_vehicle.Car(plan).document("implicitfast"))
    data = mujoco.MjData(model)
    data.qvel[:3] = plan.bodies["chassis"].velocity
    for corner in mujoco_vehicle.CORNERS:
        spin = model.joint(f"{corner}_spin").dofadr[0]
        data.qvel[spin] = plan.bodies[f"{corner}.suspension.wheel"].angular_velocity[1]
    mujoco.mj_forward(model, data)
    mujoco_vehicle.tyres(plan, model, data)()
    return model, data, np.array(data.xfrc_applied).ravel()


def exudyn_rate(case, threads):
    """One run after another: Exudyn runs many in processes, so its core is measured with one."""
    count, steps = SIZES[case]
    with tempfile.TemporaryDirectory() as folder:
        if case == "slider-crank":
            sys.path.insert(0, str(HERE / "peers"))
            import mechanism

            path = Path(folder, "crank.json")
            path.write_text(json.dumps(slider_crank()), encoding="utf-8")
            plan, probe, node, radius = mechanism.read(path), "shoe", "rxyz", 0.8
        else:
            plan, probe, node, radius = flat_car(folder), "chassis.centre", "rv", 0.6
    import argparse

    import exudyn_rigid
    import exudyn_run

    crank = case == "slider-crank"
    runs = 4 if crank else 1
    options = argparse.Namespace(relative=1e-8 if crank else 1e-5, absolute=1e-10 if crank else 1e-6, radius=radius)
    chosen = [k * count // runs for k in range(runs)]
    took, places = 0.0, []
    for k in chosen:
        for force in plan.forces if crank else ():
            force["expression"] = torques(count)[k]
        mbs, look = exudyn_rigid.builder(plan, node, probe)()
        settings = exudyn_run.settings(STEP, steps, "modified", options)
        start = time.perf_counter()
        if not mbs.SolveDynamic(settings):
            sys.exit("the run failed")
        took += time.perf_counter() - start
        places.append(look(mbs)[0])
    ends = [None] * count
    for k, place in zip(chosen, places, strict=True):
        ends[k] = place
    return runs * steps / took, ends


RUNS = {"fixstep": fixstep_rate, "mujoco": mujoco_rate, "exudyn": exudyn_rate}
NAMES = {"fixstep": "Fixstep", "mujoco": "MuJoCo", "exudyn": "Exudyn"}


def reference():
    """Where the sliders of the first instances end: with a variable step of tight tolerance."""
    import fixstep

    count, steps = SIZES["slider-crank"]
    model = fixstep.Model.from_dict(slider_crank())
    ends = {}
    for k in range(0, count, count // 4):
        result = model.run(stop=steps * STEP, inputs={"torque": torques(count)[k]}, solver={"error": 1e-9})
        ends[k] = float(result["place"][-1])
    return ends


def measure(name, case, threads):
    """One round in a process of its own."""
    cores = sorted(os.sched_getaffinity(0))
    pin = cores[-1:] if threads == 1 else cores
    words = [sys.executable, __file__, "--one", name, case, str(threads)]
    done = subprocess.run(words, check=True, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, pin))
    return json.loads(done.stdout.splitlines()[-1])


def main():
    if len(sys.argv) > 4 and sys.argv[1] == "--one":
        name, case, threads = sys.argv[2:5]
        print(json.dumps(RUNS[name](case, int(threads))))
        return 0
    there = []
    for name in RUNS:
        try:
            metadata.distribution(name)
            there.append(name)
        except metadata.PackageNotFoundError:
            print(f"{NAMES[name]} is not installed", file=sys.stderr)
    if "fixstep" not in there:
        return "there is nothing to compare: install a wheel of Fixstep, as cargo xtask wheel --here makes it"
    cores = len(os.sched_getaffinity(0))
    right = reference()
    print(f"| | | steps/s of one core | of {cores} cores | Fixstep is so many times as fast, per core | error of the slider |\n|---|---|---|---|---|---|")
    for case in SIZES:
        rates = {(name, threads): [] for name in there for threads in {1, cores} if threads == 1 or name != "exudyn"}
        ends = {}
        for _ in range(ROUNDS):
            for name, threads in rates:
                rate, ends[name] = measure(name, case, threads)
                rates[name, threads].append(rate)
        middle = {key: statistics.median(values) for key, values in rates.items()}
        for name in there:
            one, all_ = middle[name, 1], middle.get((name, cores))
            known = right.items() if case == "slider-crank" else ()
            errors = [abs(ends[name][k] - place) for k, place in known if ends[name][k] is not None]
            error = f"{max(errors):.0e} m" if case == "slider-crank" else "-"
            many = "-" if all_ is None else f"{all_:,.0f}"
            ratio = "1" if name == "fixstep" else f"{middle['fixstep', 1] / one:.2f}"
            print(f"| {case} | {NAMES[name]} {metadata.version(name)} | {one:,.0f} | {many} | {ratio} | {error} |")
    print(
        "\nThe slider-crank is the same in all, but that MuJoCo closes its loop by a soft constraint. The car is the whole model, 38 bodies, in Fixstep and in"
        "\nExudyn. MuJoCo cannot express it: it has 22 bodies of it, hinges for bushings, soft loops, and tyres that push with the forces of the start, since"
        "\na rollout takes forces beforehand only. Exudyn makes many runs in processes of their own; here one run follows another on one core."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
