//! Control plane: names, types and starts of the solver settings and of the figures.

use super::units::parse_unit;
use super::{Figure, Setting, VariableKind};
use crate::model::{Formulation, IntegratorKind, MAX_HRATIO, Model, Unit};

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
];

/// Items of the enumeration `Formulation`, in the order of [`formulation_item`].
pub const FORMULATIONS: &[(&str, &str)] = &[
    ("I3", "Index 3: position constraints"),
    (
        "SI2",
        "Stabilised index 2: position and velocity constraints; with GSTIFF",
    ),
];

/// The 1-based item of an integrator.
pub const fn integrator_item(kind: IntegratorKind) -> i64 {
    match kind {
        IntegratorKind::Gstiff => 1,
        IntegratorKind::Hht => 2,
        IntegratorKind::Newmark => 3,
        IntegratorKind::GeneralizedAlpha => 4,
    }
}

/// The integrator of a 1-based item.
pub const fn integrator_of_item(item: i64) -> Option<IntegratorKind> {
    match item {
        1 => Some(IntegratorKind::Gstiff),
        2 => Some(IntegratorKind::Hht),
        3 => Some(IntegratorKind::Newmark),
        4 => Some(IntegratorKind::GeneralizedAlpha),
        _ => None,
    }
}

/// The 1-based item of a formulation.
pub const fn formulation_item(formulation: Formulation) -> i64 {
    match formulation {
        Formulation::I3 => 1,
        Formulation::Si2 => 2,
    }
}

/// The formulation of a 1-based item.
pub const fn formulation_of_item(item: i64) -> Option<Formulation> {
    match item {
        1 => Some(Formulation::I3),
        2 => Some(Formulation::Si2),
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
    /// All settings, in the order of their value references.
    pub const ALL: [Self; 17] = [
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
        Self::Equilibrium,
        Self::Ramp,
        Self::LockMemory,
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
            Self::Equilibrium => "solver.equilibrium",
            Self::Ramp => "solver.ramp",
            Self::LockMemory => "solver.lock_memory",
        }
    }

    /// What it is, for people.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Integrator => "Integrator",
            Self::Formulation => "Formulation of the constrained equations",
            Self::Fixit => {
                "Newton iterations per integration step: exactly as many, whatever the data"
            }
            Self::Hratio => "Integration steps in a step of the experiment",
            Self::Pattern => "Iterations that evaluate the Jacobian (T) or reuse it (F); repeated",
            Self::Maxerr => "Local error in user units above which the run stops; 0: never",
            Self::Hinit => {
                "Initial step; above the step of the experiment / hratio it is reset to it; 0: unset"
            }
            Self::Hmax => {
                "Largest step; below the step of the experiment / hratio it is ignored; 0: unset"
            }
            Self::RtiIncludeFirstStep => {
                "Count the first step in the figures of the Real Time Index"
            }
            Self::Alpha => "Parameter of HHT, -1/3 to 0",
            Self::Beta => "Parameter of NEWMARK, (gamma + 0.5)^2/4 or more",
            Self::Gamma => "Parameter of NEWMARK, 0.5 or more",
            Self::Rho => "Parameter of GENALPHA, 0 to 1",
            Self::Equilibrium => "Begin in static equilibrium",
            Self::Ramp => "Time that the loads of the start's ramp take to grow; 0: none",
            Self::LockMemory => {
                "Lock the memory of instance and library at the end of the initialization"
            }
            Self::LinearlyImplicit => {
                "One solve per step, tuned for it; solver.fixit and solver.pattern have no effect"
            }
        }
    }

    /// Type, bounds and start, from the model's settings.
    pub(super) fn kind(self, model: &Model) -> VariableKind {
        let solver = &model.solver;
        let user_time = |seconds: Option<f64>| VariableKind::Real {
            unit: time_unit(&model.units.time),
            display_unit: String::new(),
            min: Some(0.0),
            max: None,
            start: seconds.map_or(0.0, |s| s / model.units.time.factor),
        };
        match self {
            Self::Integrator => VariableKind::Enumeration {
                type_name: "solver.Integrator",
                items: INTEGRATORS,
                start: integrator_item(solver.integrator),
            },
            Self::Formulation => VariableKind::Enumeration {
                type_name: "solver.Formulation",
                items: FORMULATIONS,
                start: formulation_item(solver.formulation),
            },
            Self::Fixit => integer(Some(1), Some(10), i32::from(solver.fixit)),
            Self::Hratio => integer(
                Some(1),
                i32::try_from(MAX_HRATIO).ok(),
                i32::try_from(solver.hratio).unwrap_or(i32::MAX),
            ),
            Self::Pattern => VariableKind::String {
                start: pattern_text(&solver.pattern),
            },
            Self::Maxerr => VariableKind::Real {
                unit: String::new(),
                display_unit: String::new(),
                min: Some(0.0),
                max: None,
                start: if solver.maxerr.is_finite() {
                    solver.maxerr
                } else {
                    0.0
                },
            },
            Self::Hinit => user_time(solver.hinit),
            Self::Hmax => user_time(solver.hmax),
            Self::RtiIncludeFirstStep => VariableKind::Boolean { start: false },
            Self::Equilibrium => VariableKind::Boolean {
                start: solver.start.equilibrium,
            },
            Self::Ramp => user_time(Some(solver.start.ramp)),
            Self::LinearlyImplicit => VariableKind::Boolean {
                start: solver.linearly_implicit,
            },
            Self::LockMemory => VariableKind::Boolean {
                start: solver.lock_memory,
            },
            Self::Alpha => bounded(Some(-0.334), Some(0.0), solver.alpha),
            Self::Beta => bounded(Some(0.25), None, solver.beta),
            Self::Gamma => bounded(Some(0.5), None, solver.gamma),
            Self::Rho => bounded(Some(0.0), Some(1.0), solver.rho),
        }
    }
}

/// A number without unit between bounds.
fn bounded(min: Option<f64>, max: Option<f64>, start: f64) -> VariableKind {
    VariableKind::Real {
        unit: String::new(),
        display_unit: String::new(),
        min,
        max,
        start,
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
        Self::Steps,
        Self::Residual,
        Self::ConstraintViolation,
        Self::VelocityViolation,
        Self::LocalError,
        Self::Jacobians,
        Self::Fallbacks,
        Self::KineticEnergy,
        Self::PotentialEnergy,
        Self::DriftCorrection,
        Self::StrainEnergy,
        Self::Work,
        Self::DissipatedEnergy,
        Self::EnergyError,
        Self::WorkPower,
        Self::DissipatedPower,
        Self::Degraded,
    ];

    /// Name of the FMI variable.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RtiLast => "rti.last",
            Self::RtiAverage => "rti.average",
            Self::RtiMin => "rti.min",
            Self::RtiMax => "rti.max",
            Self::RtiMisses => "rti.misses",
            Self::Steps => "solver.steps",
            Self::Residual => "solver.residual",
            Self::ConstraintViolation => "solver.constraint_violation",
            Self::VelocityViolation => "solver.velocity_violation",
            Self::LocalError => "solver.local_error",
            Self::Jacobians => "solver.jacobians",
            Self::Fallbacks => "solver.fallbacks",
            Self::Degraded => "solver.degraded",
            Self::KineticEnergy => "energy.kinetic",
            Self::PotentialEnergy => "energy.potential",
            Self::DriftCorrection => "solver.drift_correction",
            Self::StrainEnergy => "energy.strain",
            Self::Work => "energy.work",
            Self::DissipatedEnergy => "energy.dissipated",
            Self::EnergyError => "energy.error",
            Self::WorkPower => "power.work",
            Self::DissipatedPower => "power.dissipated",
        }
    }

    /// What it is, for people.
    pub const fn description(self) -> &'static str {
        match self {
            Self::RtiLast => "Real Time Index of the last step: wall time / step size",
            Self::RtiAverage => "Average Real Time Index",
            Self::RtiMin => "Smallest Real Time Index",
            Self::RtiMax => "Largest Real Time Index",
            Self::RtiMisses => "Steps with a Real Time Index above 1",
            Self::Steps => "Integration steps since the start",
            Self::Residual => "Largest Newton residual left by the last step",
            Self::ConstraintViolation => "Largest violation of a position constraint",
            Self::VelocityViolation => "Largest violation of a velocity constraint",
            Self::LocalError => "Estimate of the local error of the last step, in user units",
            Self::Jacobians => "Jacobians of the last step",
            Self::Fallbacks => "Steps that needed the dense factorisation",
            Self::Degraded => {
                "Steps with factors that lost more than half of their digits, which Newton's next \
                 iteration restores"
            }
            Self::KineticEnergy => "Kinetic energy",
            Self::PotentialEnergy => {
                "Potential energy of gravity and of all elastic force elements"
            }
            Self::StrainEnergy => "Energy stored in elastic force elements",
            Self::Work => {
                "Work of motions, of forces by expression, and of gravity and parameters that \
                 change, since the start"
            }
            Self::DissipatedEnergy => "Energy dissipated by passive force elements since the start",
            Self::EnergyError => {
                "Kinetic and potential energy less what work and dissipation account for since the \
                 start: what the scheme has made or lost"
            }
            Self::WorkPower => "Power of motions and of forces by expression",
            Self::DissipatedPower => "Power dissipated by passive force elements",
            Self::DriftCorrection => {
                "Largest displacement by which formulation SI2 kept positions and velocities \
                 together in the last step, in user units"
            }
        }
    }

    /// Type; the start is never read.
    pub(super) fn kind(self) -> VariableKind {
        match self {
            Self::RtiMisses | Self::Steps | Self::Jacobians | Self::Fallbacks | Self::Degraded => {
                integer(Some(0), None, 0)
            }
            Self::KineticEnergy
            | Self::PotentialEnergy
            | Self::StrainEnergy
            | Self::Work
            | Self::DissipatedEnergy
            | Self::EnergyError => real("J"),
            Self::WorkPower | Self::DissipatedPower => real("W"),
            Self::RtiLast
            | Self::RtiAverage
            | Self::RtiMin
            | Self::RtiMax
            | Self::Residual
            | Self::ConstraintViolation
            | Self::VelocityViolation
            | Self::LocalError
            | Self::DriftCorrection => real(""),
        }
    }
}

/// The symbol of the user's time unit, which may be a word such as `millisecond`.
fn time_unit(unit: &Unit) -> String {
    ["s", "ms", "us", "min", "h"]
        .into_iter()
        .find(|symbol| parse_unit(symbol).is_ok_and(|known| known.factor == unit.factor))
        .unwrap_or_default()
        .to_owned()
}

fn integer(min: Option<i32>, max: Option<i32>, start: i32) -> VariableKind {
    VariableKind::Integer { min, max, start }
}

/// A real number without bounds, starting at 0.
pub(super) fn real(unit: &str) -> VariableKind {
    VariableKind::Real {
        unit: unit.to_owned(),
        display_unit: String::new(),
        min: None,
        max: None,
        start: 0.0,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn patterns_are_written_as_they_are_read() {
        for text in ["T:F:F:F:T", "T", "F:T:F"] {
            let pattern = crate::model::SolverSettings::pattern_from(text).unwrap();
            assert_eq!(pattern_text(&pattern), text);
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
