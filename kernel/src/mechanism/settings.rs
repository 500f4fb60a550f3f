//! Control plane: solver settings and the default experiment, validated. The rules for settings are defined only
//! here, for models and for changes at run time.

use super::Mechanism;
use super::guard::GuardSettings;
use super::start::StartSettings;
use crate::seconds::Seconds;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Largest number of integration steps in a step of the experiment.
pub const MAX_HRATIO: u32 = 1_000_000;

/// Tolerance for a rounded third, up to single precision.
const THIRD: f64 = 1e-8;
/// Smallest β of Newmark, which belongs to the smallest γ.
const LEAST_BETA: f64 = 0.25;
/// Smallest γ of Newmark.
const LEAST_GAMMA: f64 = 0.5;

/// Is a number between bounds? Returns the text of the bounds too.
fn within(least: f64, value: f64, most: f64) -> (bool, String) {
    (
        (least..=most).contains(&value),
        format!("from {least} to {most}"),
    )
}

fn unstable(least: f64) -> String {
    format!("{least} or more, or Newmark's method is unstable")
}

/// Integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IntegratorKind {
    /// Gear's stiff method; at a fixed step, backward Euler.
    Gstiff,
    /// Hilber, Hughes and Taylor: second order, damping of high frequencies by α.
    Hht,
    /// Newmark: β and γ.
    Newmark,
    /// Generalized-α of Chung and Hulbert: second order, spectral radius ρ∞ at high frequencies.
    GeneralizedAlpha,
}

/// Formulations of the constrained equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Formulation {
    /// Index 3: position constraints.
    I3,
    /// Stabilised index 2: position and velocity constraints (GSTIFF).
    Si2,
}

/// Arithmetic of the linear solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arithmetic {
    /// Every operation rounded separately: the same bits on every machine.
    Exact,
    /// Multiply-adds fused if the processor can: other bits than `Exact`.
    Fast,
}

/// How an input beyond its bounds is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InputBounds {
    /// The bound is used, with a warning.
    Clamp,
    /// The call fails.
    Error,
}

/// Solver settings, validated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverSettings {
    /// Integrator.
    pub integrator: IntegratorKind,
    /// Formulation.
    pub formulation: Formulation,
    /// Newton iterations per step, 1..=10.
    pub fixit: u8,
    /// One solve per step, tuned for that; `fixit` and `pattern` are then ignored.
    pub linearly_implicit: bool,
    /// Integration steps in a step of the experiment, 1 or more.
    pub hratio: u32,
    /// Jacobian pattern over the iterations of a step, 1..=10 entries, repeated.
    pub pattern: Vec<bool>,
    /// α of HHT, −1/3 to 0.
    pub alpha: f64,
    /// β of Newmark.
    pub beta: f64,
    /// γ of Newmark.
    pub gamma: f64,
    /// ρ∞ of generalized-α, 0 to 1.
    pub rho: f64,
    /// Local error that stops the run, in user units (`f64::INFINITY`: never).
    pub maxerr: f64,
    /// Settings of the guard.
    pub guard: GuardSettings,
    /// Arithmetic of the linear solver.
    pub math: Arithmetic,
    /// Is the memory of the steps locked?
    pub lock_memory: bool,
    /// Are values published at fixed addresses?
    pub publish: bool,
    /// How an input beyond its bounds is treated.
    pub input_bounds: InputBounds,
    /// How the model starts.
    pub start: StartSettings,
    /// Requested smallest step \[s\]; ignored.
    pub hmin: Option<f64>,
    /// Requested initial step \[s\]; reset to DTOUT/HRATIO if above it.
    pub hinit: Option<f64>,
    /// Requested largest step \[s\]; ignored if below DTOUT/HRATIO.
    pub hmax: Option<f64>,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            integrator: IntegratorKind::Hht,
            formulation: Formulation::I3,
            fixit: 3,
            linearly_implicit: false,
            hratio: 1,
            pattern: Self::reference_pattern(),
            alpha: -0.3,
            beta: 0.36,
            gamma: 0.7,
            rho: 0.8,
            maxerr: f64::INFINITY,
            guard: GuardSettings::default(),
            math: Arithmetic::Exact,
            lock_memory: false,
            publish: false,
            input_bounds: InputBounds::Clamp,
            start: StartSettings::default(),
            hmin: None,
            hinit: None,
            hmax: None,
        }
    }
}

/// Default experiment \[s\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Start time \[s\].
    pub start: f64,
    /// Stop time \[s\].
    pub stop: f64,
    /// Communication step DTOUT \[s\].
    pub step: f64,
}

impl Mechanism {
    /// The integration step of the experiment and the settings \[s\]: DTOUT/HRATIO.
    pub fn own_step(&self) -> f64 {
        self.experiment.step / f64::from(self.solver.hratio.max(1))
    }
}

impl SolverSettings {
    /// The fault of a number for a single setting, with the valid range.
    pub fn fault(setting: &str, value: f64) -> Option<String> {
        let (fits, valid) = match setting {
            "fixit" => within(1.0, value, f64::from(Self::MAX_FIXIT)),
            "hratio" => within(1.0, value, f64::from(MAX_HRATIO)),
            "rho" => within(0.0, value, 1.0),
            "alpha" => (
                (Self::LEAST_ALPHA - THIRD..=0.0).contains(&value),
                "from -1/3 to 0".to_owned(),
            ),
            "beta" => (value >= LEAST_BETA, unstable(LEAST_BETA)),
            "gamma" => (value >= LEAST_GAMMA, unstable(LEAST_GAMMA)),
            "ramp" => (value >= 0.0, "zero or more".to_owned()),
            _ => (value > 0.0, "more than zero".to_owned()),
        };
        // An infinite local error never stops a run.
        let finite = value.is_finite() || setting == "maxerr";
        (!(fits && finite)).then(|| format!("must be {valid}; found {value}"))
    }

    /// The faults of the settings, as (setting, reason).
    pub fn problems(&self) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        let steps = [
            ("hmin", self.hmin),
            ("hinit", self.hinit),
            ("hmax", self.hmax),
        ];
        let numbers = [
            ("alpha", Some(self.alpha)),
            ("rho", Some(self.rho)),
            ("gamma", Some(self.gamma)),
            ("maxerr", Some(self.maxerr)),
        ];
        for (setting, value) in numbers.into_iter().chain(steps) {
            let fault = value.and_then(|value| Self::fault(setting, value));
            problems.extend(fault.map(|fault| (setting, fault)));
        }
        let mut demand = |ok: bool, setting, reason: String| {
            let known = problems.iter().any(|(other, _)| *other == setting);
            if !ok && !known {
                problems.push((setting, reason));
            }
        };
        let given: Vec<(&str, f64)> = steps
            .into_iter()
            .filter_map(|(setting, step)| Some((setting, step?)))
            .collect();
        for pair in given.windows(2) {
            let [(less, a), (than, b)] = [pair[0], pair[1]];
            let [found, most] = [a, b].map(Seconds);
            demand(
                a < b,
                less,
                format!("must be less than {than} = {most} s; found {found} s"),
            );
        }
        let least = (self.gamma + 0.5) * (self.gamma + 0.5) / 4.0;
        // Newmark's defaults are on the bound.
        demand(
            self.gamma < LEAST_GAMMA || self.beta >= least * (1.0 - 1e-12) && self.beta.is_finite(),
            "beta",
            format!(
                "must be (gamma + 0.5)²/4 = {least} or more, or Newmark's method is unstable; found \
                 {}",
                self.beta
            ),
        );
        let stabilised = self.formulation == Formulation::Si2;
        demand(
            !stabilised || self.integrator == IntegratorKind::Gstiff,
            "formulation",
            "SI2 is for the integrator GSTIFF: the schemes of second order keep their velocities in \
             formulation I3; set I3, or the integrator GSTIFF"
                .to_owned(),
        );
        let used = &self.pattern[..self.pattern.len().min(usize::from(self.fixit))];
        demand(
            self.linearly_implicit || used.contains(&true),
            "pattern",
            format!(
                "must have T among its first {} entries: with fixit {} the Jacobian would never be \
                 evaluated",
                used.len(),
                self.fixit
            ),
        );
        problems
    }

    /// The effective number of Newton iterations per step.
    pub fn iterations(&self) -> usize {
        if self.linearly_implicit {
            1
        } else {
            usize::from(self.fixit)
        }
    }

    /// Does the scheme leave the highest frequencies undamped? Multipliers have such frequencies.
    pub fn is_undamped(&self) -> bool {
        match self.integrator {
            IntegratorKind::Gstiff => false,
            IntegratorKind::Hht => self.alpha == 0.0,
            IntegratorKind::Newmark => self.gamma == 0.5,
            IntegratorKind::GeneralizedAlpha => self.rho == 1.0,
        }
    }

    /// Smallest α of HHT. Smaller values within rounding count as this.
    pub const LEAST_ALPHA: f64 = -1.0 / 3.0;

    /// Largest number of Newton iterations per step.
    pub const MAX_FIXIT: u32 = 10;

    /// Largest number of entries of a pattern.
    pub const MAX_PATTERN: usize = 10;

    /// The pattern of the Adams solver, `T:F:F:F:T:F:F:F:T:F`.
    pub fn reference_pattern() -> Vec<bool> {
        (0..Self::MAX_PATTERN).map(|k| k % 4 == 0).collect()
    }

    /// A Jacobian in every iteration, `T`.
    pub fn every_iteration() -> Vec<bool> {
        vec![true]
    }

    /// A Jacobian pattern such as `T:F:F`; entries are T, F, TRUE or FALSE in either case. `reference` is
    /// [`Self::reference_pattern`].
    pub fn pattern_from(text: &str) -> Result<Vec<bool>, PatternError> {
        if text.trim().eq_ignore_ascii_case("reference") {
            return Ok(Self::reference_pattern());
        }
        let entries: Vec<&str> = text.split(':').map(str::trim).collect();
        if entries.len() > Self::MAX_PATTERN {
            return Err(PatternError::TooMany(entries.len()));
        }
        let mut pattern = Vec::with_capacity(entries.len());
        for entry in entries {
            pattern.push(match entry.to_ascii_uppercase().as_str() {
                "T" | "TRUE" => true,
                "F" | "FALSE" => false,
                _ => return Err(PatternError::NoEntry(entry.to_owned())),
            });
        }
        if pattern.contains(&true) {
            Ok(pattern)
        } else {
            Err(PatternError::Never)
        }
    }
}

/// Why a text is no pattern of Jacobians.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It has this many entries.
    #[error("{0} entries; a pattern has 1 to {most}", most = SolverSettings::MAX_PATTERN)]
    TooMany(usize),
    /// A part of it is no entry.
    #[error(
        "{0:?} is not an entry of a pattern; valid: T and F separated by colons, such as \"T:F:F\", or \"reference\""
    )]
    NoEntry(String),
    /// No entry asks for a Jacobian.
    #[error(
        "all entries are F: the Jacobian would never be evaluated, since an adaptive pattern would not do a fixed amount \
         of work; one must be T"
    )]
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_third_may_be_rounded_and_no_more() {
        let fault = |alpha: f64| SolverSettings::fault("alpha", alpha);
        for alpha in [
            -1.0 / 3.0,
            -0.333_333_333_333_333_3,
            -0.333_333_333_333_333_37,
            -0.333_333,
            -0.333,
            f64::from(-1.0_f32 / 3.0),
            0.0,
        ] {
            assert_eq!(fault(alpha), None, "{alpha}");
        }
        for alpha in [-0.3334, -0.334, -0.333_334, 1e-300, f64::NAN] {
            let words = format!("must be from -1/3 to 0; found {alpha}");
            assert_eq!(fault(alpha), Some(words));
        }
    }

    #[test]
    fn steps_are_in_order() {
        let problems = |hmin, hinit, hmax| {
            let settings = SolverSettings {
                hmin,
                hinit,
                hmax,
                ..SolverSettings::default()
            };
            let problems = settings.problems();
            let texts = problems.iter().map(|(name, text)| format!("{name} {text}"));
            texts.collect::<Vec<_>>().join("; ")
        };
        assert_eq!(problems(Some(1e-6), Some(1e-3), Some(1e-2)), "");
        assert_eq!(problems(None, Some(1e-3), None), "");
        assert_eq!(
            problems(Some(1e-3), Some(1e-4), Some(1e-5)),
            "hmin must be less than hinit = 0.0001 s; found 0.001 s; \
             hinit must be less than hmax = 0.00001 s; found 0.0001 s"
        );
        assert_eq!(
            problems(Some(1e-3), None, Some(1e-3)),
            "hmin must be less than hmax = 0.001 s; found 0.001 s"
        );
        assert_eq!(
            problems(None, Some(-1.0), Some(1.0)),
            "hinit must be more than zero; found -1"
        );
    }

    #[test]
    fn patterns_are_read_in_both_spellings() {
        let default = SolverSettings::default().pattern;
        assert_eq!(
            SolverSettings::pattern_from("T:F:F:F:T:F:F:F:T:F"),
            Ok(default.clone())
        );
        assert_eq!(SolverSettings::pattern_from("Reference"), Ok(default));
        assert_eq!(
            SolverSettings::pattern_from("true:FALSE"),
            Ok(vec![true, false])
        );
        assert!(
            SolverSettings::pattern_from("F:F")
                .is_err_and(|e| e.to_string().contains("all entries are F"))
        );
        assert!(
            SolverSettings::pattern_from("").is_err_and(|e| e.to_string().contains("not an entry"))
        );
        assert!(
            SolverSettings::pattern_from(&"T:".repeat(11))
                .is_err_and(|e| e.to_string().contains("12 entries"))
        );
    }
}
