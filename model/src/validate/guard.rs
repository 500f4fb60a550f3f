//! Control plane: checks the levels of the guard that a model gives.

use super::builder::Builder;
use crate::errors::At;
use crate::schema::{Guard, GuardChoice, GuardLevel, GuardLimit};
use fixstep_kernel::mechanism::{GuardSettings, Watched};

/// The levels of a run.
pub(super) fn settings(b: &mut Builder<'_>, given: Option<&GuardChoice>, at: &At) -> GuardSettings {
    let mut settings = GuardSettings::default();
    match given {
        None => {}
        Some(GuardChoice::Word(word)) => match word.as_str() {
            "on" => {}
            "off" => settings.on = false,
            _ => b.report.add(
                at,
                format!("expected \"on\", \"off\" or levels, found {word:?}"),
            ),
        },
        Some(GuardChoice::Levels(guard)) => {
            for watched in Watched::ALL {
                if let Some(level) = of(guard, watched) {
                    put(b, &mut settings, watched, level, &at.field(watched.name()));
                }
            }
        }
    }
    settings
}

fn of(guard: &Guard, watched: Watched) -> Option<&GuardLevel> {
    match watched {
        Watched::Energy => guard.energy.as_ref(),
        Watched::Violation => guard.violation.as_ref(),
        Watched::Residual => guard.residual.as_ref(),
        Watched::Contraction => guard.contraction.as_ref(),
        Watched::LocalError => guard.local_error.as_ref(),
        Watched::Penetration => guard.penetration.as_ref(),
        Watched::Spin => guard.spin.as_ref(),
    }
}

fn put(
    b: &mut Builder<'_>,
    settings: &mut GuardSettings,
    watched: Watched,
    given: &GuardLevel,
    at: &At,
) {
    let level = &mut settings.levels[watched as usize];
    for (field, given, limit) in [
        ("warn", &given.warn, &mut level.warn),
        ("stop", &given.stop, &mut level.stop),
    ] {
        match given {
            None => {}
            Some(GuardLimit::Word(word)) if word == "never" => *limit = f64::INFINITY,
            Some(GuardLimit::Number(number)) if *number > 0.0 => *limit = *number,
            Some(other) => {
                let found = match other {
                    GuardLimit::Word(word) => format!("{word:?}"),
                    GuardLimit::Number(number) => number.to_string(),
                };
                b.report.add(
                    &at.field(field),
                    format!("must be more than zero, or \"never\"; found {found}"),
                );
            }
        }
    }
}
