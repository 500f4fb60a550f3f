//! Control plane: solver settings and the default experiment as they are written in the file.

use super::guard::GuardChoice;
use crate::errors::{At, Report};
use crate::read::{FromJson, describe, schema};
use serde_json::Value;

schema! {
    /// Solver settings. In the FMU they are parameters named `solver.…`.
    Solver {
        /// fixed (every step is experiment.step/hratio and does the same work, for real time), variable (step and order
        /// follow from error), kinematic (the constraints alone give the motion) or static (static equilibrium at every
        /// output time); the last three are not for real time. Default: fixed.
        mode: Option<String>,
        /// Integrator: HHT, GSTIFF, NEWMARK or GENALPHA; with a variable step also WSTIFF or HASTIFF. Default: HHT.
        integrator: Option<String>,
        /// Formulation of the constrained equations: I3 (position constraints), SI2 (position and velocity constraints;
        /// GSTIFF, WSTIFF, HASTIFF), or SI1 (the same, with multipliers as derivatives; HASTIFF). Default: I3; SI1 for
        /// HASTIFF.
        formulation: Option<String>,
        /// Number of Newton iterations in every step, 1 to 10. Default: 3; 2 if pattern is left out too and the model
        /// has contact, friction, limits, tyres or tendons.
        fixit: Option<i64>,
        /// One linear solution in every step; fixit and pattern have no effect. Default: false.
        linearly_implicit: Option<bool>,
        /// Number of integration steps in the step of the experiment, 1 or more. Default: 1.
        hratio: Option<i64>,
        /// Iterations of a step that evaluate the Jacobian: 1 to 10 entries, T (evaluate it) or F (reuse the last one),
        /// repeated; or reference, which is T:F:F:F:T:F:F:F:T:F. With a variable step, all F or no pattern is adaptive: a
        /// Jacobian is evaluated where the iteration needs it. Default with a fixed step: T if the model has contact, friction, limits,
        /// tyres or tendons, or a force or an equation with a function such as IMPACT, STEP or ABS; else reference.
        pattern: Option<String>,
        /// Parameter of HHT, -1/3 to 0; lower values damp high frequencies more. Default: -0.3.
        alpha: Option<f64>,
        /// Parameter of NEWMARK, (gamma + 0.5)²/4 or more. Default: 0.36.
        beta: Option<f64>,
        /// Parameter of NEWMARK, 0.5 or more; above 0.5 the order is 1. Default: 0.7.
        gamma: Option<f64>,
        /// Parameter of GENALPHA, 0 to 1: spectral radius at infinite frequency; lower values damp high frequencies
        /// more. Default: 0.8.
        rho: Option<f64>,
        /// Local error of a step above which the run stops, more than zero, in user units. Default: no limit.
        maxerr: Option<f64>,
        /// Checks of every step: on, off, or other levels. Default: on.
        guard: Option<GuardChoice>,
        /// Arithmetic of the linear solver: exact (the same bits on every processor of an architecture), or fast (fused
        /// multiply-add if the processor has it). Default: exact.
        math: Option<String>,
        /// Lock the memory of the instance and of the library at the end of the initialization, so that the operating
        /// system cannot page it out. Default: false.
        lock_memory: Option<bool>,
        /// Put values at fixed addresses of the library, which an A2L file in the FMU describes, for tools that measure
        /// and calibrate in memory. Default: false.
        publish: Option<bool>,
        /// Reaction to an input outside its bounds: clamp (the model uses the bound, with a warning), or error (the
        /// call is refused). Default: clamp.
        input_bounds: Option<String>,
        /// How an input without derivatives continues within a communication step: hold (constant), or linear (on
        /// the straight line through the values with which the last two communication steps began). Default: hold.
        input_course: Option<String>,
        /// First step with a variable step [time], more than hmin and less than hmax. Default: hmax/20 if hmax is given,
        /// else a twentieth of experiment.step.
        hinit: Option<f64>,
        /// Largest step with a variable step [time], more than hinit. Default: no limit; with interpolate off,
        /// experiment.step.
        hmax: Option<f64>,
        /// Smallest step with a variable step [time], more than zero and less than hinit. Default: with formulation I3
        /// of GSTIFF and WSTIFF, 1e-6 hmax, or 1e-6 experiment.step without hmax, at most 1e-4 s √error; else
        /// 1e-14 s.
        hmin: Option<f64>,
        /// Most Newton iterations of a variable step, 1 to 10. Default: 10.
        maxit: Option<i64>,
        /// Tolerance of a variable step, more than zero: the largest local error, in the user's length unit and in
        /// radians. Default: 1e-3; for HHT, NEWMARK and GENALPHA 1e-5.
        error: Option<f64>,
        /// Highest order of a variable step with GSTIFF, WSTIFF and HASTIFF, 1 to 6. Default: 6.
        kmax: Option<i64>,
        /// Which unknowns must converge in a variable step: original (all but multipliers), modified (displacements,
        /// modal coordinates and states), or orig_constant (original, even where the solver would change to modified
        /// for a while). Default: original.
        corrector: Option<String>,
        /// May variable steps pass the points of output? on or true (what is shown is interpolated), off or false (a
        /// step ends at each), or reconcile (on, and what is shown meets all constraints). Default: on.
        interpolate: Option<Interpolate>,
        /// Relief of the corrector at tiny variable steps [time], zero or more, for GSTIFF and HHT: this divided by the
        /// step is added to the tolerance where the step is less than 100 hmin. 0: none. Default: 1e-8 s.
        adaptivity: Option<f64>,
        /// Report the largest residual and the largest correction of every iteration of a variable step. Default: false.
        eprint: Option<bool>,
    }

    /// Default experiment of the FMU.
    Experiment {
        /// Start time [time]. Default: 0.
        start: Option<f64>,
        /// Stop time, after the start [time]. Default: 10 s after the start.
        stop: Option<f64>,
        /// Communication step, more than zero [time]. Default: 1 ms.
        step: Option<f64>,
    }
}

/// A setting as it is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'a> {
    /// Yes or no.
    Flag(bool),
    /// A number in user units.
    Number(f64),
    /// A word.
    Word(&'a str),
}

impl Solver {
    /// The settings that have a row in `SETTINGS`, by its name, as far as they are given.
    pub(crate) fn given(&self) -> Vec<(&'static str, Given<'_>)> {
        use Given::{Flag, Number, Word};
        let interpolate = self.interpolate.as_ref().map(|given| match given {
            Interpolate::Flag(true) => "on",
            Interpolate::Flag(false) => "off",
            Interpolate::Word(word) => word,
        });
        let all = [
            ("mode", self.mode.as_deref().map(Word)),
            ("integrator", self.integrator.as_deref().map(Word)),
            ("formulation", self.formulation.as_deref().map(Word)),
            ("alpha", self.alpha.map(Number)),
            ("beta", self.beta.map(Number)),
            ("gamma", self.gamma.map(Number)),
            ("rho", self.rho.map(Number)),
            ("fixit", self.fixit.map(|n| Number(n as f64))),
            ("linearly_implicit", self.linearly_implicit.map(Flag)),
            ("hratio", self.hratio.map(|n| Number(n as f64))),
            ("pattern", self.pattern.as_deref().map(Word)),
            ("maxerr", self.maxerr.map(Number)),
            ("math", self.math.as_deref().map(Word)),
            ("lock_memory", self.lock_memory.map(Flag)),
            ("publish", self.publish.map(Flag)),
            ("input_bounds", self.input_bounds.as_deref().map(Word)),
            ("input_course", self.input_course.as_deref().map(Word)),
            ("hmin", self.hmin.map(Number)),
            ("hinit", self.hinit.map(Number)),
            ("hmax", self.hmax.map(Number)),
            ("maxit", self.maxit.map(|n| Number(n as f64))),
            ("error", self.error.map(Number)),
            ("kmax", self.kmax.map(|n| Number(n as f64))),
            ("corrector", self.corrector.as_deref().map(Word)),
            ("interpolate", interpolate.map(Word)),
            ("adaptivity", self.adaptivity.map(Number)),
            ("eprint", self.eprint.map(Flag)),
        ];
        let given = all.into_iter();
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

/// May steps pass points of output?
#[derive(Clone, Debug, schemars::JsonSchema)]
#[schemars(untagged)]
pub(crate) enum Interpolate {
    /// Yes or no.
    #[schemars(title = "InterpolateFlag")]
    Flag(bool),
    /// ON, OFF or RECONCILE.
    #[schemars(title = "InterpolateWord")]
    Word(String),
}

impl FromJson for Interpolate {
    fn from_json(value: &Value, at: &At, report: &mut Report) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(Self::Flag(*flag)),
            Value::String(word) => Some(Self::Word(word.clone())),
            _ => {
                let found = describe(value);
                report.add(
                    at,
                    format!(
                        "expected true, false, \"on\", \"off\" or \"reconcile\", found {found}"
                    ),
                );
                None
            }
        }
    }
}
