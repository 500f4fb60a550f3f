"""A run in Exudyn: settings, a clock at the start of every step, and the residual that every step has reached."""

import sys

import clock
import numpy as np

# The build without range checks, for AVX2.
sys.exudynFast = True
import exudyn as exu  # noqa: E402  (after the build is chosen)

NODES = {
    "ep": exu.NodeType.RotationEulerParameters,
    "rxyz": exu.NodeType.RotationRxyz,
    "rv": exu.NodeType.RotationRotationVector,
}
NEWTONS = ("full", "step", "modified")


def settings(h, steps, newton, options):
    """Generalized-alpha with position constraints and a sparse factorisation.

    newton: a Jacobian in every iteration (full), one a step (step), one while it converges (modified).
    """
    result = exu.SimulationSettings()
    time = result.timeIntegration
    time.endTime, time.numberOfSteps, time.adaptiveStep = h * steps, steps, False
    time.newton.relativeTolerance = options.relative
    time.newton.absoluteTolerance = options.absolute
    time.newton.useModifiedNewton = newton != "full"
    time.newton.modifiedNewtonJacUpdatePerStep = newton == "step"
    time.generalizedAlpha.spectralRadius = options.radius
    time.generalizedAlpha.useIndex2Constraints = False
    time.generalizedAlpha.useNewmark = False
    result.linearSolver.solverType = exu.LinearSolverType.EigenSparse
    result.linearSolver.reuseAnalyzedPattern = True
    result.parallel.numberOfThreads = 1
    result.solution.file.write = False
    return result


def solve(build, h, steps, newton, options, watch):
    """One run; `watch` is called before every step. Gives the system, its probe and its solver."""
    mbs, probe = build()
    mbs.SetPreStepUserFunction(watch)
    if not mbs.SolveDynamic(settings(h, steps, newton, options)):
        sys.exit("the run failed")
    return mbs, probe, mbs.sys["dynamicSolver"]


def measure(build, h, steps, newton, options):
    """Times of steps, counts of Newton's method, and what its iterations reach."""
    marks = []

    def tick(_mbs, _t):
        marks.append(clock.time.thread_time())
        return True

    mbs, probe, solver = solve(build, h, steps, newton, options, tick)
    done = max(1, solver.it.currentStepIndex)
    result = clock.figures(np.diff(marks))
    result["iterations"] = solver.it.newtonStepsCount / done
    result["jacobians"] = solver.it.newtonJacobiCount / done
    result["probe"] = clock.words(probe(mbs))
    if options.reach:
        result.update(reach(build, h, steps, newton, options))
    return result


def reach(build, h, steps, newton, options):
    """Residual of motion [N, N m] and violation of constraints [m, rad] when Newton's method stops.

    Exudyn has its equations of motion times beta h^2.
    """
    residuals, violations = [], []

    def look(mbs, t):
        if t > 1.5 * h:
            solver = mbs.sys["dynamicSolver"]
            residual = np.abs(solver.GetSystemResidual())
            motion = solver.GetODE2size()
            residuals.append(residual[:motion].max() / (solver.newmarkBeta * h * h))
            violations.append(residual[-solver.GetAEsize():].max())
        return True

    solve(build, h, steps, newton, options, look)
    return {
        "residual": float(np.median(residuals)),
        "largest_residual": float(np.max(residuals)),
        "violation": float(np.median(violations)),
        "largest_violation": float(np.max(violations)),
    }


def options(parser):
    """The options that all runs in Exudyn have."""
    parser.add_argument("--newton", choices=NEWTONS, default="full")
    parser.add_argument("--node", choices=list(NODES), default="rv")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--relative", type=float, default=1e-8, help="relative tolerance of Newton's method")
    parser.add_argument("--absolute", type=float, default=1e-10, help="absolute tolerance of Newton's method")
    parser.add_argument("--radius", type=float, default=0.8, help="spectral radius of generalized-alpha")
    parser.add_argument("--reach", action="store_true", help="run again for the residual that steps reach")
