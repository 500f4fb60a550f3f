//! Control plane: checks the solver settings and the default experiment of a model.

use super::builder::Builder;
use crate::asked::{Asked, AskedValue};
use crate::errors::At;
use crate::expr::suggest::hint;
use crate::schema::{Document, Given};
use crate::units::Dimension;
use fixstep_kernel::mechanism::{
    Bounds, Experiment, SETTINGS, SettingKind, SettingRow, SolverSettings,
};

/// Default duration \[s\].
const DURATION: f64 = 10.0;
/// Default communication step \[s\].
const STEP: f64 = 1e-3;

/// The settings, with those of the start; `None`: a block could not be read.
pub(super) fn with_start(
    b: &mut Builder<'_>,
    document: &Document,
    asked: &[Asked],
) -> Option<SolverSettings> {
    let settings = settings(b, document, asked);
    let start = super::start::start(b, document)?;
    Some(SolverSettings { start, ..settings? })
}

/// The settings; `None`: the block could not be read.
fn settings(b: &mut Builder<'_>, document: &Document, asked: &[Asked]) -> Option<SolverSettings> {
    let mut settings = SolverSettings::default();
    let at = At::default().field("solver");
    if let Some(given) = document.solver.0.as_ref()? {
        for (name, value) in given.given() {
            if let Some(row) = SettingRow::of(name) {
                settings.given.add(name);
                setting(b, row, value, &mut settings, &at);
            }
        }
        if given.guard.is_some() {
            settings.given.add("guard");
        }
        settings.guard = super::guard::settings(b, given.guard.as_ref(), &at.field("guard"));
    }
    for asked in asked {
        let Some(row) = SettingRow::of(&asked.setting) else {
            let name = &asked.setting;
            let names = SETTINGS.iter().map(|row| row.name);
            let message = format!("there is no setting {name:?}{}", hint(name, names));
            b.report.add(&at, message);
            continue;
        };
        settings.given.add(row.name);
        match &asked.value {
            AskedValue::Default => row.reset(&mut settings),
            AskedValue::Flag(flag) => setting(b, row, Given::Flag(*flag), &mut settings, &at),
            AskedValue::Word(word) => setting(b, row, Given::Word(word), &mut settings, &at),
            AskedValue::Number(x) => setting(b, row, Given::Number(*x), &mut settings, &at),
            AskedValue::Seconds(t) => {
                let t = t / b.units.time.factor;
                setting(b, row, Given::Number(t), &mut settings, &at);
            }
        }
    }
    if !settings.given.has("formulation") {
        settings.formulation = settings.integrator.formulations()[0];
    }
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

/// Checks the steps that are asked for against that of the experiment.
fn check_steps(b: &mut Builder<'_>, settings: Option<&SolverSettings>, step: f64) {
    let problem = settings.and_then(|settings| settings.problem_of_steps(step));
    if let Some((setting, reason)) = problem {
        b.report
            .add(&At::default().field("solver").field(setting), reason);
    }
}

pub(super) fn positive(b: &mut Builder<'_>, value: f64, at: &At) -> f64 {
    if value <= 0.0 {
        b.report
            .add(at, format!("must be more than zero; found {value}"));
    }
    value
}

/// The default experiment, which steps of the settings must suit; `None`: the block could not be read.
pub(super) fn experiment(
    b: &mut Builder<'_>,
    document: &Document,
    settings: Option<&SolverSettings>,
) -> Option<Experiment> {
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
    check_steps(b, settings, step);
    Some(Experiment { start, stop, step })
}
