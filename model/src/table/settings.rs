//! Descriptions of the solver settings and the figures, with their types, bounds and starts.

use fixstep_kernel::mechanism::{Mechanism, SettingKind, Unit};
use fixstep_kernel::simulation::Figure as Of;
use fixstep_variables::settings::pattern_text;
use fixstep_variables::units::parse_unit;
use fixstep_variables::{Enumeration, Figure, Setting, VariableKind};

/// The description for users.
pub(super) fn describe_setting(setting: Setting) -> &'static str {
    setting.row().map_or(
        "Include the first step in the figures of the Real Time Index",
        |row| row.description,
    )
}

/// Type, bounds and start, from the model's settings.
pub(super) fn kind_of_setting(setting: Setting, mechanism: &Mechanism) -> VariableKind {
    let solver = &mechanism.solver;
    let Some(row) = setting.row() else {
        return VariableKind::Boolean { start: false };
    };
    let int = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    match row.kind {
        SettingKind::Flag(get, _) => VariableKind::Boolean { start: get(solver) },
        SettingKind::Integer([least, most], get, _) => {
            integer(Some(int(least)), Some(int(most)), int(get(solver)))
        }
        SettingKind::Real(bounds, get, _) => {
            let (least, most) = bounds.range();
            bounded(Some(least), most, get(solver))
        }
        SettingKind::Time(bounds, get, _) => VariableKind::Real {
            unit: time_unit(&mechanism.units.time),
            display_unit: String::new(),
            min: Some(bounds.range().0),
            max: None,
            start: get(solver) / mechanism.units.time.factor,
        },
        SettingKind::Word(_, get, _) => VariableKind::Enumeration {
            of: setting.enumeration().unwrap_or(Enumeration::Integrator),
            start: get(solver) as i64 + 1,
        },
        SettingKind::Pattern => VariableKind::String {
            start: pattern_text(&solver.pattern),
        },
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
            "Steps whose factorisation lost more than half of the digits; Newton's next iteration restores them"
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
            "Kinetic and potential energy minus work and plus dissipation since the start: the energy error of the integrator"
        }
        Figure::Solver(Of::WorkPower) => "Power of motions and of forces by expression",
        Figure::Solver(Of::DissipatedPower) => "Power dissipated by passive force elements",
        Figure::Solver(Of::DriftCorrection) => {
            "Largest displacement correction by which formulation SI2 kept positions and velocities consistent in the last step, in user units"
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
