//! Control plane: solver settings and the default experiment as they are written in the file.

use super::guard::GuardChoice;
use crate::errors::{At, Report};
use crate::read::{FromJson, describe, schema};
use serde_json::Value;

schema! {
    /// Solver settings. In the FMU they are parameters named `solver.…`.
    Solver {
        /// Integrator: HHT, GSTIFF, NEWMARK or GENALPHA. Default: HHT.
        integrator: Option<String>,
        /// Formulation of the constrained equations: I3 (position constraints), or SI2 (position and velocity
        /// constraints; GSTIFF only). Default: I3.
        formulation: Option<String>,
        /// Number of Newton iterations in every step, 1 to 10. Default: 3; 2 if pattern is left out too and the model
        /// has contact, friction, limits, tyres or tendons.
        fixit: Option<i64>,
        /// One linear solution in every step; fixit and pattern have no effect. Default: false.
        linearly_implicit: Option<bool>,
        /// Number of integration steps in the step of the experiment, 1 or more. Default: 1.
        hratio: Option<i64>,
        /// Iterations of a step that evaluate the Jacobian: 1 to 10 entries, T (evaluate it) or F (reuse the last one),
        /// repeated; or reference, which is T:F:F:F:T:F:F:F:T:F. Default: T if the model has contact, friction, limits,
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
        /// Initial step of a variable-step solver [time], more than hmin and less than hmax. No effect, because the
        /// step is fixed.
        hinit: Option<f64>,
        /// Largest step of a variable-step solver [time], more than hinit. No effect, because the step is fixed.
        hmax: Option<f64>,
        /// Smallest step of a variable-step solver [time], more than zero and less than hinit. No effect, because the
        /// step is fixed.
        hmin: Option<f64>,
        /// Largest number of corrector iterations, 1 or more. No effect: fixit is the number of iterations.
        maxit: Option<i64>,
        /// Error tolerance of a variable-step solver, more than zero. No effect, because the step is fixed.
        error: Option<f64>,
        /// Highest order, 1 to 6. No effect: the order is that of the integrator.
        kmax: Option<i64>,
        /// Convergence test of the corrector: original, modified or orig_constant. No effect: the number of iterations
        /// is fixed.
        corrector: Option<String>,
        /// Interpolation of outputs: true, false, ON or OFF. No effect: every output point is the end of a step.
        interpolate: Option<Interpolate>,
        /// Increase of the error tolerance at small steps, zero or more. No effect, because the step is fixed.
        adaptivity: Option<f64>,
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
        let all = [
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
    Flag(bool),
    /// ON or OFF.
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
                    format!("expected true, false, \"ON\" or \"OFF\", found {found}"),
                );
                None
            }
        }
    }
}
