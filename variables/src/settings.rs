//! Control plane: names of the solver settings and of the figures, items of the enumerations.

use super::{Enumeration, Figure, Setting};
use alloc::string::String;
use alloc::vec::Vec;
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, SettingRow};
use fixstep_kernel::simulation::Figure as Of;

/// Items of the enumeration `Integrator`, in the order of [`integrator_item`].
pub const INTEGRATORS: &[(&str, &str)] = &[
    (
        "GSTIFF",
        "Gear's stiff method; in fixed step, backward Euler",
    ),
    (
        "HHT",
        "Hilber, Hughes and Taylor: second order, damping of high frequencies by solver.alpha",
    ),
    ("NEWMARK", "Newmark, by solver.beta and solver.gamma"),
    (
        "GENALPHA",
        "Generalized-alpha: second order, spectral radius at high frequencies solver.rho",
    ),
    (
        "WSTIFF",
        "Backward differentiation for unequal steps; variable step only",
    ),
    (
        "HASTIFF",
        "Backward differentiation of the index-1 form; variable step only",
    ),
];

/// Items of the enumeration `Formulation`, in the order of [`formulation_item`].
pub const FORMULATIONS: &[(&str, &str)] = &[
    ("I3", "Index 3: position constraints"),
    (
        "SI2",
        "Stabilised index 2: position and velocity constraints; with GSTIFF, WSTIFF and HASTIFF",
    ),
    (
        "SI1",
        "Stabilised index 1: the same constraints; with HASTIFF",
    ),
];

/// Items of the enumeration `Mode`.
pub const MODES: &[(&str, &str)] = &[
    ("fixed", "Every step does the same work, for real time"),
    (
        "variable",
        "Step and order follow from solver.error; not for real time",
    ),
    (
        "kinematic",
        "The constraints alone give the motion, at every output time; not for real time",
    ),
    (
        "static",
        "Static equilibrium at every output time; not for real time",
    ),
];

/// Items of the enumeration `Interpolate`.
pub const INTERPOLATIONS: &[(&str, &str)] = &[
    (
        "on",
        "Steps pass points of output, where values are interpolated",
    ),
    ("off", "A step ends at each point of output"),
    (
        "reconcile",
        "As on, and what is shown meets all constraints",
    ),
];

/// Items of the enumeration `Corrector`.
pub const CORRECTORS: &[(&str, &str)] = &[
    ("original", "All unknowns but multipliers"),
    ("modified", "Displacements, modal coordinates and states"),
    (
        "orig_constant",
        "As original, even where the solver would change to modified for a while",
    ),
];

impl Enumeration {
    /// Name of the type definition.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Integrator => "solver.Integrator",
            Self::Formulation => "solver.Formulation",
            Self::Mode => "solver.Mode",
            Self::Interpolate => "solver.Interpolate",
            Self::Corrector => "solver.Corrector",
        }
    }

    /// Items (name, description), counted from 1.
    pub const fn items(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Integrator => INTEGRATORS,
            Self::Formulation => FORMULATIONS,
            Self::Mode => MODES,
            Self::Interpolate => INTERPOLATIONS,
            Self::Corrector => CORRECTORS,
        }
    }
}

/// The 1-based item of an integrator.
pub const fn integrator_item(kind: IntegratorKind) -> i64 {
    match kind {
        IntegratorKind::Gstiff => 1,
        IntegratorKind::Hht => 2,
        IntegratorKind::Newmark => 3,
        IntegratorKind::GeneralizedAlpha => 4,
        IntegratorKind::Wstiff => 5,
        IntegratorKind::Hastiff => 6,
    }
}

/// The integrator of a 1-based item.
pub const fn integrator_of_item(item: i64) -> Option<IntegratorKind> {
    match item {
        1 => Some(IntegratorKind::Gstiff),
        2 => Some(IntegratorKind::Hht),
        3 => Some(IntegratorKind::Newmark),
        4 => Some(IntegratorKind::GeneralizedAlpha),
        5 => Some(IntegratorKind::Wstiff),
        6 => Some(IntegratorKind::Hastiff),
        _ => None,
    }
}

/// The 1-based item of a formulation.
pub const fn formulation_item(formulation: Formulation) -> i64 {
    match formulation {
        Formulation::I3 => 1,
        Formulation::Si2 => 2,
        Formulation::Si1 => 3,
    }
}

/// The formulation of a 1-based item.
pub const fn formulation_of_item(item: i64) -> Option<Formulation> {
    match item {
        1 => Some(Formulation::I3),
        2 => Some(Formulation::Si2),
        3 => Some(Formulation::Si1),
        _ => None,
    }
}

/// A pattern as text: `T:F:F`.
pub fn pattern_text(pattern: &[bool]) -> String {
    let letters: Vec<&str> = pattern
        .iter()
        .map(|&evaluate| if evaluate { "T" } else { "F" })
        .collect();
    letters.join(":")
}

impl Setting {
    /// What is known of it; `None` for what is no setting of the solver.
    pub fn row(self) -> Option<&'static SettingRow> {
        SettingRow::of(self.name().strip_prefix("solver.")?)
    }

    /// The enumeration of its words.
    pub const fn enumeration(self) -> Option<Enumeration> {
        match self {
            Self::Integrator => Some(Enumeration::Integrator),
            Self::Formulation => Some(Enumeration::Formulation),
            Self::Mode => Some(Enumeration::Mode),
            Self::Interpolate => Some(Enumeration::Interpolate),
            Self::Corrector => Some(Enumeration::Corrector),
            _ => None,
        }
    }

    /// The settings of a fixed step and of both, in the order of their value references.
    pub const ALL: [Self; 18] = [
        Self::Integrator,
        Self::Formulation,
        Self::Fixit,
        Self::Hratio,
        Self::Pattern,
        Self::Maxerr,
        Self::Hinit,
        Self::Hmax,
        Self::RtiIncludeFirstStep,
        Self::Alpha,
        Self::Beta,
        Self::Gamma,
        Self::Rho,
        Self::LinearlyImplicit,
        Self::Guard,
        Self::Equilibrium,
        Self::Ramp,
        Self::LockMemory,
    ];

    /// Whether the step is fixed, and the settings of a variable step. They are the last variables.
    pub const VARIABLE: [Self; 8] = [
        Self::Mode,
        Self::Error,
        Self::Hmin,
        Self::Kmax,
        Self::Maxit,
        Self::Interpolate,
        Self::Corrector,
        Self::Adaptivity,
    ];

    /// Name of the FMI variable.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Integrator => "solver.integrator",
            Self::Formulation => "solver.formulation",
            Self::Fixit => "solver.fixit",
            Self::Hratio => "solver.hratio",
            Self::Pattern => "solver.pattern",
            Self::Maxerr => "solver.maxerr",
            Self::Hinit => "solver.hinit",
            Self::Hmax => "solver.hmax",
            Self::RtiIncludeFirstStep => "rti.include_first_step",
            Self::Alpha => "solver.alpha",
            Self::Beta => "solver.beta",
            Self::Gamma => "solver.gamma",
            Self::Rho => "solver.rho",
            Self::LinearlyImplicit => "solver.linearly_implicit",
            Self::Guard => "solver.guard",
            Self::Equilibrium => "solver.equilibrium",
            Self::Ramp => "solver.ramp",
            Self::LockMemory => "solver.lock_memory",
            Self::Mode => "solver.mode",
            Self::Error => "solver.error",
            Self::Hmin => "solver.hmin",
            Self::Kmax => "solver.kmax",
            Self::Maxit => "solver.maxit",
            Self::Interpolate => "solver.interpolate",
            Self::Corrector => "solver.corrector",
            Self::Adaptivity => "solver.adaptivity",
        }
    }
}

impl Figure {
    /// All figures, in the order of their value references.
    pub const ALL: [Self; 22] = [
        Self::RtiLast,
        Self::RtiAverage,
        Self::RtiMin,
        Self::RtiMax,
        Self::RtiMisses,
        Self::Solver(Of::Steps),
        Self::Solver(Of::Residual),
        Self::Solver(Of::ConstraintViolation),
        Self::Solver(Of::VelocityViolation),
        Self::Solver(Of::LocalError),
        Self::Solver(Of::Jacobians),
        Self::Solver(Of::Fallbacks),
        Self::Solver(Of::KineticEnergy),
        Self::Solver(Of::PotentialEnergy),
        Self::Solver(Of::DriftCorrection),
        Self::Solver(Of::StrainEnergy),
        Self::Solver(Of::Work),
        Self::Solver(Of::DissipatedEnergy),
        Self::Solver(Of::EnergyError),
        Self::Solver(Of::WorkPower),
        Self::Solver(Of::DissipatedPower),
        Self::Solver(Of::Degraded),
    ];

    /// Name of the FMI variable.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RtiLast => "rti.last",
            Self::RtiAverage => "rti.average",
            Self::RtiMin => "rti.min",
            Self::RtiMax => "rti.max",
            Self::RtiMisses => "rti.misses",
            Self::Solver(Of::Steps) => "solver.steps",
            Self::Solver(Of::Residual) => "solver.residual",
            Self::Solver(Of::ConstraintViolation) => "solver.constraint_violation",
            Self::Solver(Of::VelocityViolation) => "solver.velocity_violation",
            Self::Solver(Of::LocalError) => "solver.local_error",
            Self::Solver(Of::Jacobians) => "solver.jacobians",
            Self::Solver(Of::Fallbacks) => "solver.fallbacks",
            Self::Solver(Of::Degraded) => "solver.degraded",
            Self::Solver(Of::KineticEnergy) => "energy.kinetic",
            Self::Solver(Of::PotentialEnergy) => "energy.potential",
            Self::Solver(Of::DriftCorrection) => "solver.drift_correction",
            Self::Solver(Of::StrainEnergy) => "energy.strain",
            Self::Solver(Of::Work) => "energy.work",
            Self::Solver(Of::DissipatedEnergy) => "energy.dissipated",
            Self::Solver(Of::EnergyError) => "energy.error",
            Self::Solver(Of::WorkPower) => "power.work",
            Self::Solver(Of::DissipatedPower) => "power.dissipated",
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn patterns_are_written_as_they_are_read() {
        for text in ["T:F:F:F:T", "T", "F:T:F"] {
            let pattern = fixstep_kernel::mechanism::SolverSettings::pattern_from(text).unwrap();
            assert_eq!(pattern_text(&pattern), text);
        }
    }

    #[test]
    fn items_are_the_words_of_a_model() {
        use fixstep_kernel::mechanism::SettingKind;
        for setting in Setting::ALL.into_iter().chain(Setting::VARIABLE) {
            let Some(SettingKind::Word(words, ..)) = setting.row().map(|row| row.kind) else {
                assert_eq!(setting.enumeration(), None, "{setting:?}");
                continue;
            };
            let items = setting.enumeration().unwrap().items();
            assert!(items.iter().map(|(name, _)| name).eq(words), "{setting:?}");
        }
    }

    #[test]
    fn items_of_enumerations_are_their_positions() {
        for item in 1..=INTEGRATORS.len() as i64 {
            assert_eq!(integrator_item(integrator_of_item(item).unwrap()), item);
        }
        for item in 1..=FORMULATIONS.len() as i64 {
            assert_eq!(formulation_item(formulation_of_item(item).unwrap()), item);
        }
        assert_eq!(integrator_of_item(INTEGRATORS.len() as i64 + 1), None);
        assert_eq!(formulation_of_item(0), None);
    }
}
