"""Units, start, solver, experiment, warnings."""

# Written by python/elements.py from the schema of the model format: change model/src/schema, not this file.

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from .._element import Element

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from .._element import Flag, Number, Whole
    from .springs import ForceElement


@dataclass(repr=False)
class Equilibrium(Element):
    """Static equilibrium before the run, found from the assembled initial conditions."""

    _OF: ClassVar[str] = "Equilibrium"

    _: KW_ONLY
    angle_limit: Number | None = None
    """Largest turn of a part in one iteration, more than zero [angle]. Default: 0.2 rad."""
    hold_states: Flag | None = None
    """Do the states of differential equations keep their initial values? Default: false, they take the values for
    which their rates are zero."""
    iterations: Whole | None = None
    """Largest number of Newton iterations, 1 to 100000. Default: 100."""
    settling_steps: Whole | None = None
    """Largest number of steps of the damped fall-back method, 0 to 10000000. Default: 2000."""
    tolerance: Number | None = None
    """Largest permitted imbalance of a part, relative to the loads on it, 1e-14 to 0.1. Default: 1e-9."""
    translation_limit: Number | None = None
    """Largest travel of a part in one iteration, more than zero [length]. Default: the largest distance of a
    marker from its part's centre of mass."""


@dataclass(repr=False)
class Experiment(Element):
    """Default experiment of the FMU."""

    _OF: ClassVar[str] = "Experiment"

    _: KW_ONLY
    start: Number | None = None
    """Start time [time]. Default: 0."""
    step: Number | None = None
    """Communication step, more than zero [time]. Default: 1 ms."""
    stop: Number | None = None
    """Stop time, after the start [time]. Default: 10 s after the start."""


@dataclass(repr=False)
class Guard(Element):
    """Quantities that the guard checks in every step, with the levels at which it warns and stops the run. "Size"
    is the size of the mechanism."""

    _OF: ClassVar[str] = "Guard"
    _NESTED: ClassVar[Mapping[str, str]] = {
        "contraction": "GuardLevel", "energy": "GuardLevel", "local_error": "GuardLevel", "penetration": "GuardLevel",
        "residual": "GuardLevel", "spin": "GuardLevel", "violation": "GuardLevel"
    }

    _: KW_ONLY
    contraction: GuardLevel | None = None
    """Last correction of Newton's iteration relative to the one before, if it is above 0.03 sizes or radians.
    Default: 1, 10."""
    energy: GuardLevel | None = None
    """Gain of energy that no work explains, relative to all energy exchanged. Default: 0.6, 1.5."""
    local_error: GuardLevel | None = None
    """Local error of a step, in sizes or radians; for a state that grows faster than the step can follow, its
    change relative to its value. Default: 0.2, 1."""
    penetration: GuardLevel | None = None
    """Penetration of contacts, relative to the size of the shape, and of tyres, relative to a third of the radius;
    4 for shapes that passed through one another. Default: 1, 3."""
    residual: GuardLevel | None = None
    """Displacement of a free part in a step by the forces that are out of balance, in sizes or radians; error of
    an implicit variable, relative to its value. Default: 0.5, 3."""
    spin: GuardLevel | None = None
    """Rotation of a part in a step, in half turns. Default: 1, 100."""
    violation: GuardLevel | None = None
    """Violation of joints and motions, in sizes or radians, with errors of driven angles by whole turns and jumps
    of the angles of bushings, fields and beams. Default: 0.01, 0.1."""


@dataclass(repr=False)
class GuardLevel(Element):
    """The levels of a quantity."""

    _OF: ClassVar[str] = "GuardLevel"
    _NESTED: ClassVar[Mapping[str, str]] = {"stop": "GuardLimit", "warn": "GuardLimit"}

    _: KW_ONLY
    stop: GuardLimit | None = None
    """Level above which the run stops: a number above zero, or never."""
    warn: GuardLimit | None = None
    """Level above which there is a warning: a number above zero, or never."""


@dataclass(repr=False)
class Lint(Element):
    """Warnings about a model without errors (docs/lint.md): whether they count as errors, and which are allowed."""

    _OF: ClassVar[str] = "Lint"
    _NESTED: ClassVar[Mapping[str, str]] = {"allow": "LintAllowance"}

    _: KW_ONLY
    allow: Sequence[LintAllowance] | None = None
    """Warnings that are allowed, each with its reason. Default: none."""
    strict: Flag | None = None
    """Do warnings count as errors, so that the model does not start? Default: false."""


@dataclass(repr=False)
class LintAllowance(Element):
    """A warning that is allowed."""

    _OF: ClassVar[str] = "LintAllowance"

    rule: Literal["if-in-force", "kink-in-force", "shallow-contact", "contact-damping", "velocity-about-zero", "bristle-damping", "stiff-damping", "fast-vibration", "light-part", "initial-transient", "pose-moved", "velocity-missed", "rough-motion", "slow-sampling", "uneven-sampling", "ignored-setting", "redundant-constraint", "unit-mismatch", "degrees-as-radians", "no-gravity", "odd-gravity", "odd-inertia", "odd-mass", "loose-part", "coarse-vibration", "split-velocity", "fast-spin", "abrupt-motion", "parameter-range", "unused-allowance", "narrow-stiction", "between-steps", "sunken-tyre", "overloaded-tyre", "starts-inside", "coincident-axes", "half-turn", "odd-length", "undamped-scheme", "reversed-force", "odd-contact", "idle-force", "long-delay", "odd-center", "blind-measure", "flat-tyre", "odd-tyre", "far-equilibrium"]
    """Identifier of the rule, in brackets at the end of the warning."""
    reason: str
    """Why the warning is allowed here."""
    _: KW_ONLY
    entity: str | None = None
    """Name of the entity that the warning is about. Default: all."""


@dataclass(repr=False)
class Ramp(Element):
    """A factor that rises from 0 at the start to 1, by a quintic."""

    _OF: ClassVar[str] = "Ramp"

    duration: Number
    """Duration of the rise, more than zero [time]."""
    _: KW_ONLY
    gravity: Flag | None = None
    """Is gravity multiplied by the factor? Default: true."""
    inputs: Flag | None = None
    """Do inputs rise by the factor from their `start` to the value that is set? Default: false."""


@dataclass(repr=False)
class Solver(Element):
    """Solver settings. In the FMU they are parameters named `solver.…`."""

    _OF: ClassVar[str] = "Solver"
    _NESTED: ClassVar[Mapping[str, str]] = {"guard": "GuardChoice", "interpolate": "Interpolate"}

    _: KW_ONLY
    adaptivity: Number | None = None
    """Relief of the corrector at tiny variable steps [time], zero or more, for GSTIFF and HHT: this divided by the
    step is added to the tolerance where the step is less than 100 hmin. 0: none. Default: 1e-8 s."""
    alpha: Number | None = None
    """Parameter of HHT, -1/3 to 0; lower values damp high frequencies more. Default: -0.3."""
    beta: Number | None = None
    """Parameter of NEWMARK, (gamma + 0.5)²/4 or more. Default: 0.36."""
    corrector: str | None = None
    """Which unknowns must converge in a variable step: original (all but multipliers), modified (displacements,
    modal coordinates and states), or orig_constant (original, even where the solver would change to modified
    for a while). Default: original."""
    eprint: Flag | None = None
    """Report the largest residual and the largest correction of every iteration of a variable step. Default:
    false."""
    error: Number | None = None
    """Tolerance of a variable step, more than zero: the largest local error, in the user's length unit and in
    radians. Default: 1e-3; for HHT, NEWMARK and GENALPHA 1e-5."""
    fixit: Whole | None = None
    """Number of Newton iterations in every step, 1 to 10. Default: 3; 2 if pattern is left out too and the model
    has contact, friction, limits, tyres or tendons."""
    formulation: str | None = None
    """Formulation of the constrained equations: I3 (position constraints), SI2 (position and velocity constraints;
    GSTIFF, WSTIFF, HASTIFF), or SI1 (the same, with multipliers as derivatives; HASTIFF). Default: I3; SI1 for
    HASTIFF."""
    gamma: Number | None = None
    """Parameter of NEWMARK, 0.5 or more; above 0.5 the order is 1. Default: 0.7."""
    guard: GuardChoice | None = None
    """Checks of every step: on, off, or other levels. Default: on."""
    hinit: Number | None = None
    """First step with a variable step [time], more than hmin and less than hmax. Default: hmax/20 if hmax is
    given, else a twentieth of experiment.step."""
    hmax: Number | None = None
    """Largest step with a variable step [time], more than hinit. Default: no limit; with interpolate off,
    experiment.step."""
    hmin: Number | None = None
    """Smallest step with a variable step [time], more than zero and less than hinit. Default: with formulation I3
    of GSTIFF and WSTIFF, 1e-6 hmax, or 1e-6 experiment.step without hmax, at most 1e-4 s √error; else 1e-14 s."""
    hratio: Whole | None = None
    """Number of integration steps in the step of the experiment, 1 or more. Default: 1."""
    input_bounds: str | None = None
    """Reaction to an input outside its bounds: clamp (the model uses the bound, with a warning), or error (the
    call is refused). Default: clamp."""
    input_course: str | None = None
    """How an input without derivatives continues within a communication step: hold (constant), or linear (on the
    straight line through the values with which the last two communication steps began). Default: hold."""
    integrator: str | None = None
    """Integrator: HHT, GSTIFF, NEWMARK or GENALPHA; with a variable step also WSTIFF or HASTIFF. Default: HHT."""
    interpolate: Interpolate | None = None
    """May variable steps pass the points of output? on or true (what is shown is interpolated), off or false (a
    step ends at each), or reconcile (on, and what is shown meets all constraints). Default: on."""
    kmax: Whole | None = None
    """Highest order of a variable step with GSTIFF, WSTIFF and HASTIFF, 1 to 6. Default: 6."""
    linearly_implicit: Flag | None = None
    """One linear solution in every step; fixit and pattern have no effect. Default: false."""
    lock_memory: Flag | None = None
    """Lock the memory of the instance and of the library at the end of the initialization, so that the operating
    system cannot page it out. Default: false."""
    math: str | None = None
    """Arithmetic of the linear solver: exact (the same bits on every processor of an architecture), or fast (fused
    multiply-add if the processor has it). Default: exact."""
    maxerr: Number | None = None
    """Local error of a step above which the run stops, more than zero, in user units. Default: no limit."""
    maxit: Whole | None = None
    """Most Newton iterations of a variable step, 1 to 10. Default: 10."""
    mode: str | None = None
    """fixed (every step is experiment.step/hratio and does the same work, for real time), variable (step and order
    follow from error), kinematic (the constraints alone give the motion) or static (static equilibrium at every
    output time); the last three are not for real time. Default: fixed."""
    pattern: str | None = None
    """Iterations of a step that evaluate the Jacobian: 1 to 10 entries, T (evaluate it) or F (reuse the last one),
    repeated; or reference, which is T:F:F:F:T:F:F:F:T:F. With a variable step, all F or no pattern is adaptive:
    a Jacobian is evaluated where the iteration needs it. Default with a fixed step: T if the model has contact,
    friction, limits, tyres or tendons, or a force or an equation with a function such as IMPACT, STEP or ABS;
    else reference."""
    publish: Flag | None = None
    """Put values at fixed addresses of the library, which an A2L file in the FMU describes, for tools that measure
    and calibrate in memory. Default: false."""
    rho: Number | None = None
    """Parameter of GENALPHA, 0 to 1: spectral radius at infinite frequency; lower values damp high frequencies
    more. Default: 0.8."""


@dataclass(repr=False)
class Start(Element):
    """Start of the run. Default: from the assembled initial conditions, with all loads at once."""

    _OF: ClassVar[str] = "Start"
    _NESTED: ClassVar[Mapping[str, str]] = {"equilibrium": "Equilibrium", "ramp": "Ramp"}

    _: KW_ONLY
    equilibrium: Equilibrium | None = None
    """Static equilibrium before the run. Default: none."""
    ramp: Ramp | None = None
    """Loads that grow smoothly from zero. Default: none."""


@dataclass(repr=False)
class Units(Element):
    """The units of all numbers in the file. Names are not case-sensitive."""

    _OF: ClassVar[str] = "Units"

    _: KW_ONLY
    angle: str | None = None
    """Angle of the file's plain fields; expressions always use radians. Default: rad."""
    force: ForceElement | str | None = None
    """Force. Default: N. It need not be coherent with mass, length and time."""
    length: str | None = None
    """Length. Default: m."""
    mass: str | None = None
    """Mass. Default: kg."""
    time: str | None = None
    """Time. Default: s."""


#: `on`, `off`, or levels.
GuardChoice: TypeAlias = "str | Guard"

#: A level.
GuardLimit: TypeAlias = "Number | str"

#: May steps pass points of output?
Interpolate: TypeAlias = "Flag | str"
