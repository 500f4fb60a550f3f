//! Control plane: the settings of runs that are more and more accurate, with a variable step and with a fixed one.

use fixstep_kernel::mechanism::IntegratorKind;

use super::subject::Subject;

/// The longest step is the run by this number,
const PARTS: f64 = 200.0;
/// and the shortest one this part of the run.
const SHORTEST: f64 = 1e-15;
/// A pulse or half of a vibration of a function of time has at least so many steps,
pub(super) const BRIEF: f64 = 4.0;
/// unless the run would then have more than so many.
const MOST_STEPS: f64 = 200_000.0;
/// The first step, as a part of the longest.
const FIRST: f64 = 1e-3;

/// How many of these divisions of the model's own step, from the first one on, leave steps that are too long for the
/// briefest function of time.
pub(super) fn coarse(subject: &Subject, divisions: &[u32]) -> usize {
    let own = subject.times.step / f64::from(subject.own.hratio.max(1));
    let brief = subject.brief.as_ref();
    let resolves = |division: u32| {
        let step = own / f64::from(division);
        brief.is_none_or(|brief| BRIEF * step <= brief.lasts)
    };
    let coarse = divisions
        .iter()
        .take_while(|division| !resolves(**division));
    coarse.count()
}

/// The longest step of runs with a variable step (s).
pub(super) fn longest(subject: &Subject) -> f64 {
    let duration = subject.times.stop - subject.times.start;
    let longest = duration / PARTS;
    let longest = subject.own.hmax.map_or(longest, |hmax| hmax.min(longest));
    let brief = subject.brief.as_ref();
    brief.map_or(longest, |brief| {
        longest.min((brief.lasts / BRIEF).max(duration / MOST_STEPS))
    })
}

/// Settings of a variable step, to a tolerance.
pub(super) fn variable(subject: &Subject, error: f64) -> Vec<(String, String)> {
    let duration = subject.times.stop - subject.times.start;
    let longest = longest(subject);
    named([
        ("mode", "variable".to_owned()),
        ("integrator", "WSTIFF".to_owned()),
        ("formulation", "SI2".to_owned()),
        ("error", format!("{error:e}")),
        ("hmax", format!("{longest:e}")),
        ("hinit", format!("{:e}", FIRST * longest)),
        ("hmin", format!("{:e}", SHORTEST * duration)),
        ("kmax", "6".to_owned()),
        ("maxit", "10".to_owned()),
        ("interpolate", "on".to_owned()),
    ])
}

/// Settings by the names that their variables have.
fn named(settings: impl IntoIterator<Item = (&'static str, String)>) -> Vec<(String, String)> {
    let settings = settings.into_iter();
    settings
        .map(|(name, value)| (format!("solver.{name}"), value))
        .collect()
}

/// Settings that leave nothing but the step to be improved.
pub(super) fn tight(subject: &Subject, division: u32) -> Vec<(String, String)> {
    let own = &subject.own;
    let hratio = own.hratio.saturating_mul(division);
    let mut settings = vec![("hratio", hratio.to_string())];
    let implicit = [
        ("mode", "fixed".to_owned()),
        ("linearly_implicit", "false".to_owned()),
        ("fixit", "8".to_owned()),
        ("pattern", "T".to_owned()),
    ];
    settings.extend(implicit);
    if !matches!(own.integrator, IntegratorKind::GeneralizedAlpha) {
        settings.extend([
            ("integrator", "HHT".to_owned()),
            ("formulation", "I3".to_owned()),
            ("alpha", "-0.1".to_owned()),
        ]);
    }
    named(settings)
}
