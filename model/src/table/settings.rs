//! Descriptions of the solver settings and the figures, with their types, bounds and starts.

use fixstep_kernel::mechanism::{MAX_HRATIO, Mechanism, SolverSettings, Unit};
use fixstep_kernel::simulation::Figure as Of;
use fixstep_variables::settings::{formulation_item, integrator_item, pattern_text};
use fixstep_variables::units::parse_unit;
use fixstep_variables::{Enumeration, Figure, Setting, VariableKind};

/// The description for users.
pub(super) const fn describe_setting(setting: Setting) -> &'static str {
    match setting {
        Setting::Integrator => "Integrator",
        Setting::Formulation => "Formulation of the constrained equations",
        Setting::Fixit => {
            "Newton iterations per integration step: exactly as many, whatever the data"
        }
        Setting::Hratio => "Integration steps in a step of the experiment",
        Setting::Pattern => "Iterations that evaluate the Jacobian (T) or reuse it (F); repeated",
        Setting::Maxerr => "Local error in user units above which the run stops; 0: never",
        Setting::Hinit => {
            "First step; above the step of the experiment / hratio it is reset to it, below it has no effect; 0: unset"
        }
        Setting::Hmax => {
            "Largest step; below the step of the experiment / hratio it is ignored, above it has no effect; 0: unset"
        }
        Setting::RtiIncludeFirstStep => {
            "Count the first step in the figures of the Real Time Index"
        }
        Setting::Alpha => "Parameter of HHT, -1/3 to 0",
        Setting::Beta => "Parameter of NEWMARK, (gamma + 0.5)^2/4 or more",
        Setting::Gamma => "Parameter of NEWMARK, 0.5 or more",
        Setting::Rho => "Parameter of GENALPHA, 0 to 1",
        Setting::Equilibrium => "Begin in static equilibrium",
        Setting::Ramp => "Time that the loads of the start's ramp take to grow; 0: none",
        Setting::LockMemory => {
            "Lock the memory of instance and library at the end of the initialization"
        }
        Setting::Guard => "Watch the run: stop it where it cannot be believed",
        Setting::LinearlyImplicit => {
            "One solve per step, tuned for it; solver.fixit and solver.pattern have no effect"
        }
    }
}

/// Type, bounds and start, from the model's settings.
pub(super) fn kind_of_setting(setting: Setting, mechanism: &Mechanism) -> VariableKind {
    let solver = &mechanism.solver;
    let user_time = |seconds: Option<f64>| VariableKind::Real {
        unit: time_unit(&mechanism.units.time),
        display_unit: String::new(),
        min: Some(0.0),
        max: None,
        start: seconds.map_or(0.0, |s| s / mechanism.units.time.factor),
    };
    match setting {
        Setting::Integrator => VariableKind::Enumeration {
            of: Enumeration::Integrator,
            start: integrator_item(solver.integrator),
        },
        Setting::Formulation => VariableKind::Enumeration {
            of: Enumeration::Formulation,
            start: formulation_item(solver.formulation),
        },
        Setting::Fixit => integer(Some(1), Some(10), i32::from(solver.fixit)),
        Setting::Hratio => integer(
            Some(1),
            i32::try_from(MAX_HRATIO).ok(),
            i32::try_from(solver.hratio).unwrap_or(i32::MAX),
        ),
        Setting::Pattern => VariableKind::String {
            start: pattern_text(&solver.pattern),
        },
        Setting::Maxerr => VariableKind::Real {
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
        Setting::Hinit => user_time(solver.hinit),
        Setting::Hmax => user_time(solver.hmax),
        Setting::RtiIncludeFirstStep => VariableKind::Boolean { start: false },
        Setting::Equilibrium => VariableKind::Boolean {
            start: solver.start.equilibrium,
        },
        Setting::Ramp => user_time(Some(solver.start.ramp)),
        Setting::Guard => VariableKind::Boolean {
            start: solver.guard.on,
        },
        Setting::LinearlyImplicit => VariableKind::Boolean {
            start: solver.linearly_implicit,
        },
        Setting::LockMemory => VariableKind::Boolean {
            start: solver.lock_memory,
        },
        Setting::Alpha => bounded(Some(SolverSettings::LEAST_ALPHA), Some(0.0), solver.alpha),
        Setting::Beta => bounded(Some(0.25), None, solver.beta),
        Setting::Gamma => bounded(Some(0.5), None, solver.gamma),
        Setting::Rho => bounded(Some(0.0), Some(1.0), solver.rho),
    }
}

/// The description for users.
pub(super) const fn describe_figure(figure: Figure) -> &'static str {
    match figure {
        Figure::RtiLast => "Real Time Index of the last step: wall time / step size",
        Figure::RtiAverage => "Average Real Time Index",
        Figure::RtiMin => "Smallest Real Time Index",
        Figure::RtiMax => "Largest Real Time Index",
        Figure::RtiMisses => "Steps with a Real Time Index above 1",
        Figure::Solver(Of::Steps) => "Integration steps since the start",
        Figure::Solver(Of::Residual) => "Largest Newton residual left by the last step",
        Figure::Solver(Of::ConstraintViolation) => "Largest violation of a position constraint",
        Figure::Solver(Of::VelocityViolation) => "Largest violation of a velocity constraint",
        Figure::Solver(Of::LocalError) => {
            "Estimate of the local error of the last step, in user units"
        }
        Figure::Solver(Of::Jacobians) => "Jacobians of the last step",
        Figure::Solver(Of::Fallbacks) => "Steps that needed the dense factorisation",
        Figure::Solver(Of::Degraded) => {
            "Steps with factors that lost more than half of their digits, which Newton's next \
             iteration restores"
        }
        Figure::Solver(Of::KineticEnergy) => "Kinetic energy",
        Figure::Solver(Of::PotentialEnergy) => {
            "Potential energy of gravity and of all elastic force elements"
        }
        Figure::Solver(Of::StrainEnergy) => "Energy stored in elastic force elements",
        Figure::Solver(Of::Work) => {
            "Work of motions, of forces by expression, and of gravity and parameters that \
             change, since the start"
        }
        Figure::Solver(Of::DissipatedEnergy) => {
            "Energy dissipated by passive force elements since the start"
        }
        Figure::Solver(Of::EnergyError) => {
            "Kinetic and potential energy less what work and dissipation account for since the \
             start: what the scheme has made or lost"
        }
        Figure::Solver(Of::WorkPower) => "Power of motions and of forces by expression",
        Figure::Solver(Of::DissipatedPower) => "Power dissipated by passive force elements",
        Figure::Solver(Of::DriftCorrection) => {
            "Largest displacement by which formulation SI2 kept positions and velocities \
             together in the last step, in user units"
        }
    }
}

/// Type; the start is never read.
pub(super) fn kind_of_figure(figure: Figure) -> VariableKind {
    let of = match figure {
        Figure::RtiMisses => return integer(Some(0), None, 0),
        Figure::RtiLast | Figure::RtiAverage | Figure::RtiMin | Figure::RtiMax => return real(""),
        Figure::Solver(of) => of,
    };
    match of {
        Of::Steps | Of::Jacobians | Of::Fallbacks | Of::Degraded => integer(Some(0), None, 0),
        Of::KineticEnergy
        | Of::PotentialEnergy
        | Of::StrainEnergy
        | Of::Work
        | Of::DissipatedEnergy
        | Of::EnergyError => real("J"),
        Of::WorkPower | Of::DissipatedPower => real("W"),
        Of::Residual
        | Of::ConstraintViolation
        | Of::VelocityViolation
        | Of::LocalError
        | Of::DriftCorrection => real(""),
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
