//! Control plane: solver settings and the default experiment, validated.

use super::guard::GuardSettings;
use super::start::StartSettings;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The most integration steps in a step of the experiment.
pub const MAX_HRATIO: u32 = 1_000_000;

/// Integrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum IntegratorKind {
    /// Gear's stiff method; in fixed step, backward Euler.
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
    /// Every operation rounded by itself: the same bits on every machine.
    Exact,
    /// Products fused with sums where the processor can: its own bits.
    Fast,
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
    /// One solve per step, tuned for it; `fixit` and `pattern` have no effect then.
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
    /// What a run is watched for.
    pub guard: GuardSettings,
    /// Arithmetic of the linear solver.
    pub math: Arithmetic,
    /// Is the memory that steps work on locked?
    pub lock_memory: bool,
    /// Are values published at fixed addresses?
    pub publish: bool,
    /// How the model starts.
    pub start: StartSettings,
    /// Initial step asked for \[s\]; clipped to DTOUT/HRATIO.
    pub hinit: Option<f64>,
    /// Largest step asked for \[s\]; ignored below DTOUT/HRATIO.
    pub hmax: Option<f64>,
    /// Settings that fixed step accepts and ignores, as (name, text), for one message each.
    pub ignored: Vec<(String, String)>,
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
            start: StartSettings::default(),
            hinit: None,
            hmax: None,
            ignored: Vec::new(),
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

impl SolverSettings {
    /// What is wrong with the parameters of the chosen integrator, as (setting, reason).
    pub fn problems(&self) -> Vec<(&'static str, String)> {
        let mut problems = Vec::new();
        let mut demand = |ok: bool, setting, reason: String| {
            if !ok {
                problems.push((setting, reason));
            }
        };
        // A third is no binary fraction: three digits of it must do.
        let alpha = (-1.0 / 3.0 - 1e-3..=0.0).contains(&self.alpha);
        demand(
            alpha,
            "alpha",
            format!("must be from -1/3 to 0; found {}", self.alpha),
        );
        let rho = (0.0..=1.0).contains(&self.rho);
        demand(
            rho,
            "rho",
            format!("must be from 0 to 1; found {}", self.rho),
        );
        let gamma = self.gamma >= 0.5 && self.gamma.is_finite();
        demand(
            gamma,
            "gamma",
            format!(
                "must be 0.5 or more, or Newmark's method is unstable; found {}",
                self.gamma
            ),
        );
        let least = (self.gamma + 0.5) * (self.gamma + 0.5) / 4.0;
        // Newmark's defaults stand on the bound.
        let beta = self.beta >= least * (1.0 - 1e-12) && self.beta.is_finite();
        demand(
            beta || !gamma,
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

    /// Newton iterations per step in force.
    pub fn iterations(&self) -> usize {
        if self.linearly_implicit {
            1
        } else {
            usize::from(self.fixit)
        }
    }

    /// Does the scheme leave the highest frequencies as they are? Multipliers are such.
    pub fn is_undamped(&self) -> bool {
        match self.integrator {
            IntegratorKind::Gstiff => false,
            IntegratorKind::Hht => self.alpha == 0.0,
            IntegratorKind::Newmark => self.gamma == 0.5,
            IntegratorKind::GeneralizedAlpha => self.rho == 1.0,
        }
    }

    /// Most Newton iterations per step.
    pub const MAX_FIXIT: u32 = 10;

    /// Most entries of a pattern.
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
    pub fn pattern_from(text: &str) -> Result<Vec<bool>, String> {
        if text.trim().eq_ignore_ascii_case("reference") {
            return Ok(Self::reference_pattern());
        }
        let entries: Vec<&str> = text.split(':').map(str::trim).collect();
        if entries.len() > Self::MAX_PATTERN {
            return Err(format!(
                "{} entries; a pattern has 1 to {}",
                entries.len(),
                Self::MAX_PATTERN
            ));
        }
        let mut pattern = Vec::with_capacity(entries.len());
        for entry in entries {
            pattern.push(match entry.to_ascii_uppercase().as_str() {
                "T" | "TRUE" => true,
                "F" | "FALSE" => false,
                _ => {
                    return Err(format!(
                        "{entry:?} is not an entry of a pattern; valid: T and F separated by \
                         colons, such as \"T:F:F\", or \"reference\""
                    ));
                }
            });
        }
        if pattern.contains(&true) {
            Ok(pattern)
        } else {
            Err(
                "all entries are F: the Jacobian would never be evaluated, since an adaptive pattern \
                 would not do a fixed amount of work; one must be T"
                    .to_owned(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            SolverSettings::pattern_from("F:F").is_err_and(|m| m.contains("all entries are F"))
        );
        assert!(SolverSettings::pattern_from("").is_err_and(|m| m.contains("not an entry")));
        assert!(
            SolverSettings::pattern_from(&"T:".repeat(11)).is_err_and(|m| m.contains("12 entries"))
        );
    }
}
