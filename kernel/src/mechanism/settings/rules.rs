//! Control plane: the rules for solver settings, for models and for changes at run time.

use super::{Bounds, Formulation, IntegratorKind, LEAST_GAMMA, Mode, SettingRow, SolverSettings};
use crate::seconds::Seconds;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

/// Tolerance for a rounded third, up to single precision.
const THIRD: f64 = 1e-8;

impl IntegratorKind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gstiff => "GSTIFF",
            Self::Hht => "HHT",
            Self::Newmark => "NEWMARK",
            Self::GeneralizedAlpha => "GENALPHA",
            Self::Wstiff => "WSTIFF",
            Self::Hastiff => "HASTIFF",
        }
    }

    /// Is it a method of backward differentiation?
    pub const fn is_backward(self) -> bool {
        matches!(self, Self::Gstiff | Self::Wstiff | Self::Hastiff)
    }

    /// Can its step be fixed?
    pub const fn has_fixed_step(self) -> bool {
        !matches!(self, Self::Wstiff | Self::Hastiff)
    }

    /// Its formulations; the first is its default.
    pub const fn formulations(self) -> &'static [Formulation] {
        match self {
            Self::Gstiff | Self::Wstiff => &[Formulation::I3, Formulation::Si2],
            Self::Hastiff => &[Formulation::Si1, Formulation::Si2],
            // The schemes of second order keep their velocities in I3.
            Self::Hht | Self::Newmark | Self::GeneralizedAlpha => &[Formulation::I3],
        }
    }
}

impl Formulation {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I3 => "I3",
            Self::Si2 => "SI2",
            Self::Si1 => "SI1",
        }
    }

    /// Are velocity constraints met too?
    pub const fn is_stabilised(self) -> bool {
        matches!(self, Self::Si2 | Self::Si1)
    }

    /// The integrators that have it, after "integrator".
    const fn owners(self) -> &'static str {
        match self {
            Self::I3 => "s GSTIFF, WSTIFF, HHT, NEWMARK and GENALPHA",
            Self::Si2 => "s GSTIFF, WSTIFF and HASTIFF",
            Self::Si1 => " HASTIFF",
        }
    }
}

impl SolverSettings {
    /// The fault of a number for a single setting, with the valid range.
    pub fn fault(setting: &str, value: f64) -> Option<String> {
        let bounds = SettingRow::of(setting).and_then(SettingRow::bounds);
        let (fits, valid) = match bounds.unwrap_or(Bounds::Positive) {
            Bounds::Positive => (value > 0.0, "more than zero".to_owned()),
            Bounds::Precision(least) => (
                value >= least,
                format!("{least:e} or more, since less is lost to rounding in double precision"),
            ),
            Bounds::NonNegative => (value >= 0.0, "zero or more".to_owned()),
            Bounds::Within(least, most) => (
                (least..=most).contains(&value),
                format!("from {least} to {most}"),
            ),
            Bounds::Alpha => (
                (Self::LEAST_ALPHA - THIRD..=0.0).contains(&value),
                "from -1/3 to 0".to_owned(),
            ),
            Bounds::Stable(least) => (
                value >= least,
                format!("{least} or more, or Newmark's method is unstable"),
            ),
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
            ("error", self.error),
            ("adaptivity", Some(self.adaptivity)),
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
        for (setting, reason) in self.misfits() {
            demand(false, setting, reason);
        }
        problems
    }

    /// What does not fit the mode or the integrator, as (setting, reason).
    fn misfits(&self) -> Vec<(&'static str, String)> {
        let mut misfits = Vec::new();
        let mut demand = |ok: bool, setting, reason: String| {
            if !ok {
                misfits.push((setting, reason));
            }
        };
        let (integrator, found) = (self.integrator.name(), self.formulation.name());
        let formulations = self.integrator.formulations();
        let names: Vec<&str> = formulations.iter().map(|one| one.name()).collect();
        demand(
            formulations.contains(&self.formulation),
            "formulation",
            format!(
                "{found} is for the integrator{}; found {integrator}, whose formulations are: {}",
                self.formulation.owners(),
                names.join(", ")
            ),
        );
        let fixed = self.mode == Mode::Fixed;
        demand(
            !fixed || self.integrator.has_fixed_step(),
            "integrator",
            format!(
                "{integrator} has a variable step only; set mode to variable, or the integrator to GSTIFF, HHT, NEWMARK \
                 or GENALPHA"
            ),
        );
        demand(
            !fixed || self.pattern.contains(&true),
            "pattern",
            PatternError::Never.to_string(),
        );
        let used = &self.pattern[..self.pattern.len().min(usize::from(self.fixit))];
        demand(
            !fixed || self.linearly_implicit || used.contains(&true),
            "pattern",
            format!(
                "must have T among its first {} entries: with fixit {} the Jacobian would never be \
                 evaluated",
                used.len(),
                self.fixit
            ),
        );
        misfits
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
            IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => false,
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
    /// [`Self::reference_pattern`]. Whether one must be T depends on the mode.
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
        Ok(pattern)
    }
}

/// Why a text is not a pattern of Jacobians.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It has this many entries.
    #[error("{0} entries; a pattern has 1 to {most}", most = SolverSettings::MAX_PATTERN)]
    TooMany(usize),
    /// A part of it is not an entry.
    #[error(
        "{0:?} is not an entry of a pattern; valid: T and F separated by colons, such as \"T:F:F\", or \"reference\""
    )]
    NoEntry(String),
    /// No entry asks for a Jacobian.
    #[error(
        "all entries are F: the Jacobian would never be evaluated, since an adaptive pattern would not do a fixed amount \
         of work; one must be T, unless mode is variable"
    )]
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_below_rounding_is_refused() {
        let told = SolverSettings::fault("error", 1e-16);
        let words = "must be 1e-14 or more, since less is lost to rounding in double precision; found 0.0000000000000001";
        assert_eq!(told.as_deref(), Some(words));
        for error in [0.0, -1.0, 9e-15, f64::NAN] {
            assert!(SolverSettings::fault("error", error).is_some(), "{error}");
        }
        assert_eq!(SolverSettings::fault("error", 1e-14), None);
    }

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
        let settings = |mode| SolverSettings {
            mode,
            pattern: SolverSettings::pattern_from("F:F").unwrap_or_default(),
            ..SolverSettings::default()
        };
        let told = settings(Mode::Fixed).problems();
        assert!(told.len() == 1 && told[0].1.contains("all entries are F"));
        assert_eq!(settings(Mode::Variable).problems(), []);
        assert!(
            SolverSettings::pattern_from("").is_err_and(|e| e.to_string().contains("not an entry"))
        );
        assert!(
            SolverSettings::pattern_from(&"T:".repeat(11))
                .is_err_and(|e| e.to_string().contains("12 entries"))
        );
    }
}
