"""Fixstep, MuJoCo, Exudyn and FMPy called from Python on the same pendulum: ``python3 from_python.py [--wheels FOLDER]``, in an environment that has
them.

Prints a table: time to import (with what a run needs, NumPy among it), size of the wheel if a folder has it, of what is installed, a step that Python calls with its input set and its output read, and the
error that the run ends with. Programs take turns in processes of their own, so that other load meets all; medians count.
"""

import json
import math
import statistics
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

ROUNDS = 7
STEPS = 5000
STEP = 1e-3
MASS, LENGTH, WIDTH, GRAVITY, TORQUE = 1.0, 1.0, 0.02, 9.81, 0.5
#: About the pin.
INERTIA = MASS * (LENGTH**2 + WIDTH**2) / 12 + MASS * LENGTH**2 / 4


def torque(k):
    """What is set before step k."""
    return TORQUE if k % 200 < 100 else 0.0


def reference():
    """The angle below the horizontal after the run: Runge and Kutta with a hundredth of the step, torques as they are set."""
    angle, rate, small = 0.0, 0.0, STEP / 20
    from math import cos

    for k in range(STEPS):
        pull = torque(k)
        for _ in range(20):
            f = lambda a: (MASS * GRAVITY * LENGTH / 2 * cos(a) + pull) / INERTIA
            k1, l1 = rate, f(angle)
            k2, l2 = rate + small / 2 * l1, f(angle + small / 2 * k1)
            k3, l3 = rate + small / 2 * l2, f(angle + small / 2 * k2)
            k4, l4 = rate + small * l3, f(angle + small * k3)
            angle += small / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            rate += small / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return angle


def model():
    """The pendulum for Fixstep."""
    import fixstep
    from fixstep.elements import Inertia, Solver

    m = fixstep.ModelBuilder("pendulum", gravity=(0, 0, -GRAVITY), solver=Solver(fixit=2))
    thin, long = MASS * WIDTH**2 / 6, MASS * (LENGTH**2 + WIDTH**2) / 12
    rod = m.part("rod", mass=MASS, center_of_mass=(LENGTH / 2, 0, 0), inertia=Inertia(thin, long, long))
    pin, base = m.pair("pin", rod, m.ground, z_axis=(0, 1, 0), x_axis=(1, 0, 0))
    m.revolute("pin", pin, base)
    m.input("torque", unit="N.m")
    m.torque("drive", pin, base, expression="torque")
    m.output("angle", f"AZ({pin}, {base})", unit="rad")
    return m.build()


def fixstep_loop():
    import numpy as np

    sim = model().simulation(step=STEP)
    drive, seen = sim.handle("torque"), sim.handle("angle")
    given, out = np.zeros(1), np.empty(1)

    def step(k):
        given[0] = torque(k)
        sim.write(drive, given)
        sim.step()
        sim.read(seen, out)
        return out[0]

    return step


def fmpy_loop():
    import tempfile

    import fmpy
    from fmpy.simulation import instantiate_fmu

    work = tempfile.TemporaryDirectory()
    path = str(model().to_fmu(Path(work.name, "pendulum.fmu"), fmi=2))
    description = fmpy.read_model_description(path)
    numbers = {variable.name: variable.valueReference for variable in description.modelVariables}
    folder = fmpy.extract(path, work.name + "/unzipped")
    fmu = instantiate_fmu(folder, description, fmi_type="CoSimulation")
    fmu.setupExperiment(startTime=0.0)
    drive, seen = [numbers["torque"]], [numbers["angle"]]
    fmu.enterInitializationMode()
    fmu.setReal(drive, [torque(0)])
    fmu.exitInitializationMode()
    fmu.work = work

    def step(k):
        fmu.setReal(drive, [torque(k)])
        fmu.doStep(currentCommunicationPoint=k * STEP, communicationStepSize=STEP)
        return fmu.getReal(seen)[0]

    return step


def mujoco_loop():
    import mujoco

    thin, long = MASS * WIDTH**2 / 6, MASS * (LENGTH**2 + WIDTH**2) / 12
    document = f"""<mujoco><option timestep="{STEP}" gravity="0 0 -{GRAVITY}" integrator="RK4"/><worldbody><body>
      <joint name="pin" type="hinge" axis="0 1 0"/><inertial pos="{LENGTH / 2} 0 0" mass="{MASS}" diaginertia="{thin} {long} {long}"/>
      </body></worldbody><actuator><motor joint="pin"/></actuator></mujoco>"""
    own = mujoco.MjModel.from_xml_string(document)
    data = mujoco.MjData(own)

    def step(k):
        data.ctrl[0] = torque(k)
        mujoco.mj_step(own, data)
        return data.qpos[0]

    return step


def exudyn_loop():
    # The fast build, as in benches/peers; it must be chosen before the import.
    sys.exudynFast = True
    import exudyn as exu
    import numpy as np
    from exudyn.utilities import RigidBodyInertia

    thin, long = MASS * WIDTH**2 / 6, MASS * (LENGTH**2 + WIDTH**2) / 12
    mbs = exu.SystemContainer().AddSystem()
    ground = mbs.CreateGround()
    body = mbs.CreateRigidBody(
        referencePosition=[LENGTH / 2, 0, 0],
        inertia=RigidBodyInertia(mass=MASS, inertiaTensor=np.diag([thin, long, long]), com=[0, 0, 0]),
        gravity=[0, 0, -GRAVITY],
    )
    mbs.CreateRevoluteJoint(bodyNumbers=[ground, body], position=[0, 0, 0], axis=[0, 1, 0], show=False)
    load = mbs.CreateTorque(bodyNumber=body, loadVector=[0, 0, 0])
    mbs.Assemble()
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime, integration.adaptiveStep = 1, STEP, False
    integration.newton.useModifiedNewton = True
    integration.generalizedAlpha.spectralRadius = 0.8
    integration.generalizedAlpha.useIndex2Constraints = integration.generalizedAlpha.useNewmark = False
    integration.verboseMode = 0
    settings.solution.file.write = False
    solver = exu.MainSolverImplicitSecondOrder()
    integration.endTime = 0
    solver.InitializeSolver(mbs, settings)
    solver.SolveSteps(mbs, settings)

    data, first = mbs.systemData, exu.ConfigurationType.Initial

    # As Exudyn's own interface for learning does it (artificialIntelligence.py): what a step ends with is where the next one starts.
    def step(k):
        mbs.SetLoadParameter(load, "loadVector", [0, torque(k), 0])
        integration.startTime, integration.endTime = k * STEP, (k + 1) * STEP
        solver.InitializeSolverInitialConditions(mbs, settings)
        solver.SolveSteps(mbs, settings)
        data.SetSystemState(systemStateList=data.GetSystemState(), configuration=first)
        data.SetODE2Coordinates_tt(coordinates=data.GetODE2Coordinates_tt(), configuration=first)
        matrix = mbs.GetObjectOutputBody(body, exu.OutputVariableType.RotationMatrix, [0, 0, 0])
        return np.arctan2(-matrix[6], matrix[0])

    return step


LOOPS = {"fixstep": fixstep_loop, "fmpy": fmpy_loop, "mujoco": mujoco_loop, "exudyn": exudyn_loop}
NAMES = {"fixstep": "Fixstep", "fmpy": "Fixstep's FMU in FMPy", "mujoco": "MuJoCo", "exudyn": "Exudyn"}
#: What is imported: Fixstep loads a module when it is first used.
IMPORTS = {"numpy": "import numpy", "fixstep": "import fixstep; fixstep.run, fixstep.Simulation", "fmpy": "import fmpy, fmpy.fmi2", "mujoco": "import mujoco", "exudyn": "import exudyn"}
#: The distributions that a name installs, without NumPy.
PACKAGES = {"fixstep": ["fixstep"], "fmpy": ["FMPy"], "mujoco": ["mujoco", "mujoco-core"], "exudyn": ["exudyn"]}


def measure(name):
    """One round: the median time of a step [s], and the last angle."""
    step = LOOPS[name]()
    took = []
    for k in range(STEPS):
        began = time.perf_counter()
        angle = step(k)
        took.append(time.perf_counter() - began)
    print(json.dumps([statistics.median(took), float(angle)]))


def imported(words):
    """The wall time of an interpreter that runs these words [s]."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", words], check=True)
    return time.perf_counter() - began


def installed(names):
    """The bytes that distributions put on the disk."""
    files = [(found, file) for name in names for found in [metadata.distribution(name)] for file in found.files or []]
    return sum(found.locate_file(file).stat().st_size for found, file in files if "__pycache__" not in str(file) and found.locate_file(file).is_file())


def wheels(names, folder):
    """The size of wheels in a folder, in words."""
    found = [path.stat().st_size for path in folder.glob("*.whl") for name in names if path.name.lower().startswith(name.lower().replace("-", "_") + "-")]
    return f"{sum(found) / 1e6:.1f} MB" if len(found) == len(names) else "-"


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--one":
        measure(sys.argv[2])
        return 0
    there = []
    for name in LOOPS:
        try:
            [metadata.distribution(own) for own in PACKAGES[name]]
            there.append(name)
        except metadata.PackageNotFoundError:
            print(f"{NAMES[name]} is not installed", file=sys.stderr)
    steps, angles = {name: [] for name in there}, {}
    imports = {name: [] for name in ("numpy", *there)}
    bare = []
    for _ in range(ROUNDS):
        bare.append(imported("pass"))
        for name in imports:
            imports[name].append(imported(IMPORTS[name]))
        for name in there:
            words = [sys.executable, __file__, "--one", name]
            done = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()[-1]
            took, angles[name] = json.loads(done)
            steps[name].append(took)
    right, start = reference(), statistics.median(bare)
    rows = []
    for name in there:
        version = metadata.version(PACKAGES[name][0])
        rows.append({
            "program": f"{NAMES[name]} {version}",
            "import_ms": 1e3 * (statistics.median(imports[name]) - start),
            "installed_mb": installed(PACKAGES[name]) / 1e6,
            "step_us": 1e6 * statistics.median(steps[name]),
            "error_rad": abs((angles[name] - right + math.pi) % (2 * math.pi) - math.pi),
        })
    folder = Path(sys.argv[sys.argv.index("--wheels") + 1]) if "--wheels" in sys.argv else Path("nowhere")
    print("| | import | wheel | installed | set, step, read | error after 5 s |\n|---|---|---|---|---|---|")
    for name, row in zip(there, rows, strict=True):
        sizes = f"{row['import_ms']:.0f} ms | {wheels(PACKAGES[name], folder)} | {row['installed_mb']:.1f} MB | {row['step_us']:.1f} µs | {row['error_rad']:.0e} rad"
        print(f"| {row['program']} | {sizes} |")
    print(f"\nNumPy alone: {1e3 * (statistics.median(imports['numpy']) - start):.0f} ms; Python {sys.version.split()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
