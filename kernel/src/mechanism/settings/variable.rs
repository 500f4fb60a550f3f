//! Control plane: the settings of a variable step, with the defaults of the Adams solver's INTEGRATOR statement.

use super::{Experiment, Formulation, IntegratorKind, Mode, SolverSettings};
#[cfg(not(feature = "std"))]
use crate::math::Float as _;
use crate::seconds::Seconds;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Highest order, KMAX.
pub(super) const ORDERS: u8 = 6;
/// Most iterations of a step, MAXIT.
pub(super) const ITERATIONS: u8 = 10;
/// ADAPTIVITY \[s\].
pub(super) const ADAPTIVITY: f64 = 1e-8;
/// ERROR of backward differentiation.
const ERROR: f64 = 1e-3;
/// ERROR of the schemes of second order, which judge accelerations.
const ERROR_OF_SECOND_ORDER: f64 = 1e-5;
/// HINIT as a part of HMAX or DTOUT.
const FIRST: f64 = 1.0 / 20.0;
/// HMIN as a part of HMAX or DTOUT, where velocities do not settle at tiny steps: formulation I3 by backward
/// differentiation.
const SHORTEST: f64 = 1e-6;
/// The most for HMIN there, over the root of ERROR [s]: after a jump of acceleration by a the first step is √(2 ERROR/a),
/// whatever HMAX and DTOUT are.
const SHORTEST_BY_ERROR: f64 = 1e-4;
/// HMIN elsewhere \[s\]: the precision of the machine, as the Adams solver lists it.
const PRECISION: f64 = 1e-14;

/// May steps pass the points of output?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interpolation {
    /// Yes; what is shown there is interpolated.
    On,
    /// No: a step ends at each.
    Off,
    /// Yes; what is shown there is interpolated, and then meets all constraints.
    Reconcile,
}

/// Which unknowns must converge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Corrector {
    /// All but multipliers.
    Original,
    /// Displacements, modal coordinates and states.
    Modified,
    /// As `Original`, even where the solver would change to `Modified` for a while.
    OriginalConstant,
}

/// When a Jacobian is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Jacobians {
    /// When Newton's iteration needs it.
    Adaptive,
    /// In these iterations of a step; the list repeats.
    Pattern(Vec<bool>),
}

/// What an integration with a variable step is asked for, with all defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableSettings {
    /// Integrator.
    pub integrator: IntegratorKind,
    /// Formulation.
    pub formulation: Formulation,
    /// ERROR: largest local error of a step, in user length units and radians; of states relative to their size where
    /// that is above 1.
    pub error: f64,
    /// HINIT: the first step \[s\].
    pub first: f64,
    /// HMAX: the longest step \[s\]; infinite if steps may be as long as the run.
    pub longest: f64,
    /// HMIN: the shortest step \[s\].
    pub shortest: f64,
    /// KMAX: the highest order of backward differentiation, 1 to 6.
    pub order: usize,
    /// MAXIT: most Newton iterations of a step.
    pub iterations: usize,
    /// INTERPOLATE.
    pub interpolate: Interpolation,
    /// CORRECTOR.
    pub corrector: Corrector,
    /// PATTERN.
    pub pattern: Jacobians,
    /// ADAPTIVITY \[s\]; zero for an integrator that has none.
    pub adaptivity: f64,
    /// EPRINT: are residuals and corrections reported?
    pub eprint: bool,
    /// α of HHT.
    pub alpha: f64,
    /// β of Newmark.
    pub beta: f64,
    /// γ of Newmark.
    pub gamma: f64,
    /// ρ∞ of generalized-α.
    pub rho: f64,
}

impl SolverSettings {
    /// What a variable step is asked for in an experiment. Defaults give way to what is given, so that shortest <
    /// first < longest.
    pub fn tolerance(&self, experiment: &Experiment) -> VariableSettings {
        let error = self.error.unwrap_or(if self.integrator.is_backward() {
            ERROR
        } else {
            ERROR_OF_SECOND_ORDER
        });
        let [shortest, first, longest] = self.steps(experiment.step, error);
        let adapts = matches!(
            self.integrator,
            IntegratorKind::Gstiff | IntegratorKind::Hht
        );
        let adaptive = !self.given.has("pattern") || !self.pattern.contains(&true);
        VariableSettings {
            integrator: self.integrator,
            formulation: self.formulation,
            error,
            first,
            longest,
            shortest,
            order: usize::from(self.kmax),
            iterations: usize::from(self.maxit),
            interpolate: self.interpolate,
            corrector: self.corrector,
            pattern: if adaptive {
                Jacobians::Adaptive
            } else {
                Jacobians::Pattern(self.pattern.clone())
            },
            adaptivity: if adapts { self.adaptivity } else { 0.0 },
            eprint: self.eprint,
            alpha: self.alpha,
            beta: self.beta,
            gamma: self.gamma,
            rho: self.rho,
        }
    }

    /// HMIN, HINIT and HMAX \[s\] at an output step DTOUT.
    fn steps(&self, dtout: f64, error: f64) -> [f64; 3] {
        let interpolates = self.interpolate != Interpolation::Off;
        let longest = self
            .hmax
            .unwrap_or(if interpolates { f64::INFINITY } else { dtout });
        let reach = self.hmax.unwrap_or(dtout);
        let settles = self.formulation.is_stabilised() || !self.integrator.is_backward();
        let shortest = if settles {
            PRECISION
        } else {
            (SHORTEST * reach).min(SHORTEST_BY_ERROR * error.sqrt())
        };
        // A default beyond what is given takes its place within.
        let first = self.hinit.unwrap_or_else(|| {
            let least = self.hmin.unwrap_or(0.0);
            if FIRST * reach > least {
                FIRST * reach
            } else if longest.is_finite() {
                0.5 * (least + longest)
            } else {
                2.0 * least
            }
        });
        let shortest = self.hmin.unwrap_or(if shortest < first {
            shortest
        } else {
            SHORTEST * first
        });
        [shortest, first, longest]
    }

    /// The fault of a step that does not fit an output step DTOUT \[s\], beyond which no step reaches.
    pub fn problem_of_steps(&self, dtout: f64) -> Option<(&'static str, String)> {
        let ends = self.mode == Mode::Variable && self.interpolate == Interpolation::Off;
        if !ends || self.hmax.is_some() {
            return None;
        }
        let given = [("hmin", self.hmin), ("hinit", self.hinit)];
        let (setting, found) = { given.into_iter() }
            .filter_map(|(setting, step)| Some((setting, step?)))
            .find(|(_, step)| *step >= dtout)?;
        let [most, found] = [dtout, found].map(Seconds);
        Some((
            setting,
            format!(
                "must be less than experiment.step = {most} s, because every step ends there with interpolate off; \
                 found {found} s"
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    const EXPERIMENT: Experiment = Experiment {
        start: 0.0,
        stop: 10.0,
        step: 0.1,
    };

    fn of(integrator: IntegratorKind, formulation: Formulation) -> SolverSettings {
        SolverSettings {
            mode: Mode::Variable,
            integrator,
            formulation,
            ..SolverSettings::default()
        }
    }

    /// The defaults that the reference documents, and the listings of runs, give: HINIT 5e-3 for DTOUT 0.1, 2.5e-4
    /// for HMAX 5e-3, 1.25e-5 for HMAX 2.5e-4; HMIN 1e-14 for HHT.
    #[test]
    fn defaults_are_those_of_the_integrator_statement() {
        use Formulation::{I3, Si1, Si2};
        use IntegratorKind::{GeneralizedAlpha, Gstiff, Hastiff, Hht, Newmark, Wstiff};
        for (integrator, formulation, error, shortest) in [
            (Gstiff, I3, 1e-3, 1e-7),
            (Gstiff, Si2, 1e-3, 1e-14),
            (Wstiff, I3, 1e-3, 1e-7),
            (Wstiff, Si2, 1e-3, 1e-14),
            (Hastiff, Si1, 1e-3, 1e-14),
            (Hastiff, Si2, 1e-3, 1e-14),
            (Hht, I3, 1e-5, 1e-14),
            (Newmark, I3, 1e-5, 1e-14),
            (GeneralizedAlpha, I3, 1e-5, 1e-14),
        ] {
            let settings = of(integrator, formulation);
            assert_eq!(settings.problems(), [], "{integrator:?}");
            let found = settings.tolerance(&EXPERIMENT);
            let adapts = [Gstiff, Hht].contains(&integrator);
            assert_eq!(found.error, error, "{integrator:?}");
            assert!((found.shortest / shortest - 1.0).abs() < 1e-12, "{found:?}");
            assert!((found.first / 5e-3 - 1.0).abs() < 1e-12, "{found:?}");
            assert_eq!(found.longest, f64::INFINITY);
            assert_eq!((found.order, found.iterations), (6, 10));
            assert_eq!(found.interpolate, Interpolation::On);
            assert_eq!(found.corrector, Corrector::Original);
            assert_eq!(found.pattern, Jacobians::Adaptive);
            assert_eq!(found.adaptivity, if adapts { 1e-8 } else { 0.0 });
            assert!(!found.eprint);
        }
        for (hmax, first) in [(5e-3, 2.5e-4), (2.5e-4, 1.25e-5)] {
            let settings = SolverSettings {
                hmax: Some(hmax),
                ..of(Gstiff, I3)
            };
            let found = settings.tolerance(&EXPERIMENT);
            assert!((found.first / first - 1.0).abs() < 1e-12);
            assert!((found.shortest / (1e-6 * hmax) - 1.0).abs() < 1e-12);
            assert_eq!(found.longest, hmax);
        }
        let off = SolverSettings {
            interpolate: Interpolation::Off,
            ..of(Gstiff, I3)
        };
        assert_eq!(off.tolerance(&EXPERIMENT).longest, EXPERIMENT.step);
    }

    /// ERROR is inherited by another integrator if it was given, and its default is not.
    #[test]
    fn a_given_tolerance_stays_with_another_integrator() {
        let mut settings = of(IntegratorKind::Gstiff, Formulation::I3);
        let error = |settings: &SolverSettings| settings.tolerance(&EXPERIMENT).error;
        assert_eq!(error(&settings), 1e-3);
        settings.integrator = IntegratorKind::Hht;
        assert_eq!(error(&settings), 1e-5);
        settings.error = Some(1e-4);
        assert_eq!(error(&settings), 1e-4);
        settings.integrator = IntegratorKind::Gstiff;
        assert_eq!(error(&settings), 1e-4);
    }

    #[test]
    fn defaults_give_way_to_given_steps() {
        let steps = [None, Some(1e-12), Some(1e-6), Some(0.09), Some(3.0)];
        for interpolate in [Interpolation::On, Interpolation::Off] {
            for (k, hmin) in steps.into_iter().enumerate() {
                for (l, hinit) in steps.into_iter().enumerate() {
                    for (m, hmax) in steps.into_iter().enumerate() {
                        let settings = SolverSettings {
                            interpolate,
                            hmin,
                            hinit: hinit.map(|h| 2.0 * h),
                            hmax: hmax.map(|h| 3.0 * h),
                            ..of(IntegratorKind::Gstiff, Formulation::I3)
                        };
                        let problems = settings.problems().len()
                            + usize::from(settings.problem_of_steps(EXPERIMENT.step).is_some());
                        let found = settings.tolerance(&EXPERIMENT);
                        let sorted = 0.0 < found.shortest
                            && found.shortest < found.first
                            && found.first < found.longest;
                        assert_eq!(sorted, problems == 0, "{k} {l} {m}: {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_pattern_counts_if_it_is_given() {
        let mut settings = of(IntegratorKind::Gstiff, Formulation::I3);
        settings.pattern = vec![true, false];
        let pattern = |settings: &SolverSettings| settings.tolerance(&EXPERIMENT).pattern;
        assert_eq!(pattern(&settings), Jacobians::Adaptive);
        settings.given.add("pattern");
        assert_eq!(pattern(&settings), Jacobians::Pattern(vec![true, false]));
        settings.pattern = vec![false];
        assert_eq!(pattern(&settings), Jacobians::Adaptive);
    }
}
