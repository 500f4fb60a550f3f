//! Control plane: checks the solver settings and the default experiment of a model.

use super::builder::Builder;
use crate::errors::At;
use crate::newton::Open;
use crate::schema::{self, Document, Given, Interpolate};
use crate::units::Dimension;
use fixstep_kernel::mechanism::{
    Bounds, Experiment, Finding, LintRule, SettingKind, SettingRow, SolverSettings,
};

/// Default duration \[s\].
const DURATION: f64 = 10.0;
/// Default communication step \[s\].
const STEP: f64 = 1e-3;

/// The settings, with those of the start; `None`: a block could not be read.
pub(super) fn with_start(b: &mut Builder<'_>, document: &Document) -> Option<SolverSettings> {
    let settings = settings(b, document);
    let start = super::start::start(b, document)?;
    Some(SolverSettings { start, ..settings? })
}

/// The settings of Newton's iteration that the block leaves open.
pub(super) fn open(document: &Document) -> Open {
    let given = document.solver.0.as_ref().and_then(Option::as_ref);
    Open {
        pattern: given.is_none_or(|solver| solver.pattern.is_none()),
        fixit: given.is_none_or(|solver| solver.fixit.is_none()),
    }
}

/// The settings; `None`: the block could not be read.
fn settings(b: &mut Builder<'_>, document: &Document) -> Option<SolverSettings> {
    let mut settings = SolverSettings::default();
    let Some(given) = document.solver.0.as_ref()? else {
        return Some(settings);
    };
    let at = At::default().field("solver");
    for (name, value) in given.given() {
        if let Some(row) = SettingRow::of(name) {
            setting(b, row, value, &mut settings, &at);
        }
    }
    settings.guard = super::guard::settings(b, given.guard.as_ref(), &at.field("guard"));
    check_ignored(b, given, &at);
    for (setting, reason) in settings.problems() {
        b.report.add(&at.field(setting), reason);
    }
    Some(settings)
}

/// Sets one setting as its row says.
fn setting(
    b: &mut Builder<'_>,
    row: &SettingRow,
    given: Given<'_>,
    settings: &mut SolverSettings,
    at: &At,
) {
    match (row.kind, given) {
        (SettingKind::Flag(_, set), Given::Flag(flag)) => set(settings, flag),
        (SettingKind::Word(words, _, set), Given::Word(word)) => {
            let words: Vec<(&str, usize)> = words.iter().copied().zip(0..).collect();
            if let Some(item) = b.choice((Some(word), row.name), &words, at) {
                set(settings, item);
            }
        }
        (SettingKind::Pattern, Given::Word(text)) => match SolverSettings::pattern_from(text) {
            Ok(pattern) => settings.pattern = pattern,
            Err(error) => b.report.add(&at.field(row.name), error.to_string()),
        },
        // What is stable depends on both parameters of Newmark: the settings tell their problems together.
        (SettingKind::Real(Bounds::Stable(_), _, set), Given::Number(value)) => {
            set(settings, value);
        }
        (kind, Given::Number(value)) => {
            if let Some(fault) = SolverSettings::fault(row.name, value) {
                b.report.add(&at.field(row.name), fault);
                return;
            }
            match kind {
                SettingKind::Real(_, _, set) => set(settings, value),
                SettingKind::Time(_, _, set) => {
                    set(settings, b.si(value, Dimension::Time, &at.field(row.name)));
                }
                SettingKind::Integer(_, _, set) => set(settings, value as u32),
                _ => {}
            }
        }
        _ => {}
    }
}

/// Settings that have no effect with a fixed step must still be valid.
fn check_ignored(b: &mut Builder<'_>, given: &schema::Solver, at: &At) {
    let numbers = [
        ("error", given.error, 0.0, f64::INFINITY, "more than zero"),
        (
            "adaptivity",
            given.adaptivity,
            0.0,
            f64::INFINITY,
            "zero or more",
        ),
        (
            "maxit",
            given.maxit.map(|n| n as f64),
            1.0,
            f64::INFINITY,
            "1 or more",
        ),
        (
            "kmax",
            given.kmax.map(|n| n as f64),
            1.0,
            6.0,
            "from 1 to 6",
        ),
    ];
    for (setting, value, least, most, valid) in numbers {
        let Some(value) = value else { continue };
        let excluded = setting == "error" && value == 0.0;
        if excluded || !(least..=most).contains(&value) {
            let message = format!("must be {valid}; found {value}");
            b.report.add(&at.field(setting), message);
        }
    }
    let correctors = ["original", "modified", "orig_constant"].map(|name| (name, ()));
    b.choice((given.corrector.as_deref(), "corrector"), &correctors, at);
    let word = given.interpolate.as_ref().map(|given| match given {
        Interpolate::Flag(true) => "ON",
        Interpolate::Flag(false) => "OFF",
        Interpolate::Word(word) => word,
    });
    b.choice((word, "interpolate"), &[("ON", ()), ("OFF", ())], at);
}

/// Warns of each given setting that has no effect with a fixed step.
pub(super) fn findings(document: &Document) -> Vec<Finding> {
    let Some(given) = document.solver.0.as_ref().and_then(Option::as_ref) else {
        return Vec::new();
    };
    let all = [
        ("hmin", given.hmin.is_some()),
        ("maxit", given.maxit.is_some()),
        ("error", given.error.is_some()),
        ("kmax", given.kmax.is_some()),
        ("corrector", given.corrector.is_some()),
        ("interpolate", given.interpolate.is_some()),
        ("adaptivity", given.adaptivity.is_some()),
    ];
    let given = all.into_iter().filter(|(_, given)| *given);
    let finding = |(setting, _)| {
        Finding::new(
            LintRule::IgnoredSetting,
            ("solver", "", setting),
            format!("solver.{setting} has no effect with a fixed step"),
            "leave it out",
        )
    };
    given.map(finding).collect()
}

pub(super) fn positive(b: &mut Builder<'_>, value: f64, at: &At) -> f64 {
    if value <= 0.0 {
        b.report
            .add(at, format!("must be more than zero; found {value}"));
    }
    value
}

/// The default experiment; `None`: the block could not be read.
pub(super) fn experiment(b: &mut Builder<'_>, document: &Document) -> Option<Experiment> {
    let given = document.experiment.0.as_ref()?.as_ref();
    let at = At::default().field("experiment");
    let mut time = |value: Option<f64>, field: &str, default: f64| {
        value.map_or(default, |t| b.si(t, Dimension::Time, &at.field(field)))
    };
    let start = time(given.and_then(|e| e.start), "start", 0.0);
    let stop = time(given.and_then(|e| e.stop), "stop", start + DURATION);
    let step = time(given.and_then(|e| e.step), "step", STEP);
    let seconds = b.units.time.factor;
    if stop <= start {
        let message = format!(
            "stop {} must be after start {}; give a later stop, or an earlier start",
            stop / seconds,
            start / seconds
        );
        b.report.add(&at.field("stop"), message);
    }
    if step <= 0.0 {
        let message = format!("must be more than zero; found {}", step / seconds);
        b.report.add(&at.field("step"), message);
    }
    let run = stop - start;
    if run > 0.0 && step > run * (1.0 + 1e-9) {
        let message = format!(
            "{} is longer than the run from {} to {}; a step is usually 0.001 s",
            step / seconds,
            start / seconds,
            stop / seconds
        );
        b.report.add(&at.field("step"), message);
    }
    Some(Experiment { start, stop, step })
}
