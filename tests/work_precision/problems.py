"""The problems: a model, the equations of the same mechanism for other programs, and a reference of other origin."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import flexible
import own
import published
from mechanism import Mechanism

ROOT = Path(__file__).parent.parent.parent
HERE = Path(__file__).parent
TRUTH = ROOT / "tests/truth"


@dataclass
class Problem:
    name: str
    title: str
    #: Model file, from the root of the repository.
    model: str
    #: Table whose first column is time.
    reference: Path
    #: Our outputs, with the column of the reference that each is compared with.
    ours: dict
    #: The same mechanism by its energies.
    equations: Callable[[], Mechanism] | None = None
    #: What an error of a column is divided by; 1 where not given.
    scales: dict = field(default_factory=dict)
    #: Solver settings of our runs, besides integrator and tolerance.
    settings: list = field(default_factory=lambda: [{}])

    #: Where runs end.
    until: float = float("inf")
    #: The error at which programs are compared; another where tolerances do not lead to 1e-6.
    compared: float = 1e-6
    #: Our tightest tolerance.
    finest: float = 1e-12

    @property
    def about(self):
        """How the reference was made."""
        known = json.loads((HERE / "references/about.json").read_text())
        return "Reference: " + known.get(self.name, f"tests/truth/{self.reference.parent.name}") + "."


def same(names):
    return {name: name for name in names.split()}


def here(name, title, shown, equations, scales=None, settings=None, **others):
    """A problem whose model and reference make.py has written."""
    folder = "tests/work_precision"
    return Problem(name, title, f"{folder}/models/{name}.json", ROOT / folder / f"references/{name}.csv", same(shown), equations, scales or {}, settings or [{}], **others)


PROBLEMS = [
    Problem(
        "andrews", "Andrews' squeezer", "models/andrews_squeezer/model.json", TRUTH / "A01_andrews_squeezer/trajectory.csv",
        same("beta gamma delta epsilon") | {"theta": "Theta", "phi": "Phi", "omega": "Omega"}, published.andrews,
    ),
    Problem("car_axis", "Car axis", "tests/truth/B01_car_axis/model.json", TRUTH / "B01_car_axis/trajectory.csv", same("xl yl xr yr"), published.car_axis),
    Problem("heavy_top", "Heavy top", "tests/truth/D01_heavy_top/model.json", TRUTH / "D01_heavy_top/trajectory.csv", same("x y z"), published.heavy_top),
    Problem(
        "spatial_slider_crank", "Spatial slider-crank", "tests/truth/D06_spatial_slider_crank/model.json", TRUTH / "D06_spatial_slider_crank/trajectory.csv",
        same("theta slider_x rod_x rod_y rod_z"), published.spatial_slider_crank, {"theta": 10, "slider_x": 0.1, "rod_x": 0.1, "rod_y": 0.1, "rod_z": 0.1},
    ),
    Problem(
        "wheelset", "Wheelset", "tests/work_precision/models/wheelset.json", ROOT / "tests/work_precision/references/wheelset.csv", same("x y z theta phi"),
        scales={"x": 1e-2, "y": 1e-5, "z": 1e-4, "theta": 1e-2, "phi": 1e-3}, until=1.0, compared=1e-3,
    ),
    here("flexible_crank", "Slider-crank with a flexible rod", "angle slider q1 q2 stretch", flexible.flexible_crank, {"q1": 1e-3, "q2": 1e-3, "stretch": 1e-4}, compared=1e-5, finest=1e-14),
    here("flexible_pendulum", "Flexible pendulum", "angle bend x y", flexible.flexible_pendulum),
    here("bushings", "Stiff bushings", "x z turn u w lean", own.bushings, {"x": 0.01, "z": 0.01, "turn": 0.01, "u": 0.1, "w": 0.1, "lean": 0.1}),
    # How high it rises; when, drifts with every bounce.
    here("bouncing_ball", "A thousand bounces", "rises", own.bouncing_ball, {"rises": 0.05}, [{}, {"hmax": 0.02}], compared=1e-3),
    here("stick_slip", "Stick and slip", "x", own.stick_slip, {"x": 0.05}),
    here("jumping_force", "Forces that jump", "x y", own.jumping_force, {"x": 0.1, "y": 0.1}),
]
