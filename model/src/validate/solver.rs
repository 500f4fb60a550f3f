//! Control plane: solver settings and the default experiment.

use super::builder::Builder;
use crate::errors::At;
use crate::newton::Open;
use crate::schema::{self, Document};
use crate::units::Dimension;
use fixstep_kernel::mechanism::{
    Arithmetic, Experiment, Formulation, IntegratorKind, MAX_HRATIO, SolverSettings,
};
use serde_json::Value;

/// Integrators by name.
const INTEGRATORS: [(&str, IntegratorKind); 4] = [
    ("GSTIFF", IntegratorKind::Gstiff),
    ("HHT", IntegratorKind::Hht),
    ("NEWMARK", IntegratorKind::Newmark),
    ("GENALPHA", IntegratorKind::GeneralizedAlpha),
];

/// Formulations by name.
const FORMULATIONS: [(&str, Formulation); 2] = [("I3", Formulation::I3), ("SI2", Formulation::Si2)];

/// Arithmetic by name.
const ARITHMETIC: [(&str, Arithmetic); 2] =
    [("exact", Arithmetic::Exact), ("fast", Arithmetic::Fast)];

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

/// What the block leaves open of Newton's iteration.
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
    integrator(b, given, &mut settings, &at);
    if let Some(fixit) = given.fixit {
        settings.fixit = integer(b, fixit, 10, &at.field("fixit")) as u8;
    }
    settings.linearly_implicit = given.linearly_implicit.unwrap_or(false);
    if let Some(hratio) = given.hratio {
        settings.hratio = integer(b, hratio, i64::from(MAX_HRATIO), &at.field("hratio")) as u32;
    }
    if let Some(text) = &given.pattern {
        match SolverSettings::pattern_from(text) {
            Ok(pattern) => settings.pattern = pattern,
            Err(message) => b.report.add(&at.field("pattern"), message),
        }
    }
    if let Some(maxerr) = given.maxerr {
        settings.maxerr = positive(b, maxerr, &at.field("maxerr"));
    }
    let word = (given.math.as_deref(), "math");
    settings.math = b.choice(word, &ARITHMETIC, &at).unwrap_or(settings.math);
    settings.lock_memory = given.lock_memory.unwrap_or(false);
    settings.publish = given.publish.unwrap_or(false);
    settings.hinit = given.hinit.map(|h| time_step(b, h, &at.field("hinit")));
    settings.hmax = given.hmax.map(|h| time_step(b, h, &at.field("hmax")));
    settings.ignored = ignored(given);
    for (setting, reason) in settings.problems() {
        b.report.add(&at.field(setting), reason);
    }
    Some(settings)
}

/// The integrator by name, with its parameters.
fn integrator(b: &mut Builder<'_>, given: &schema::Solver, settings: &mut SolverSettings, at: &At) {
    let word = (given.integrator.as_deref(), "integrator");
    settings.integrator = b
        .choice(word, &INTEGRATORS, at)
        .unwrap_or(settings.integrator);
    let word = (given.formulation.as_deref(), "formulation");
    settings.formulation = b
        .choice(word, &FORMULATIONS, at)
        .unwrap_or(settings.formulation);
    settings.alpha = given.alpha.unwrap_or(settings.alpha);
    settings.beta = given.beta.unwrap_or(settings.beta);
    settings.gamma = given.gamma.unwrap_or(settings.gamma);
    settings.rho = given.rho.unwrap_or(settings.rho);
}

/// Settings that have no effect in fixed step.
fn ignored(given: &schema::Solver) -> Vec<(String, String)> {
    let all = [
        ("maxit", &given.maxit),
        ("error", &given.error),
        ("hmin", &given.hmin),
        ("kmax", &given.kmax),
        ("corrector", &given.corrector),
        ("interpolate", &given.interpolate),
        ("adaptivity", &given.adaptivity),
    ];
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    all.into_iter()
        .filter_map(|(name, value)| value.as_ref().map(|v| (name.to_owned(), text(v))))
        .collect()
}

/// An integer from 1 to `most`; 1 after a problem.
fn integer(b: &mut Builder<'_>, value: i64, most: i64, at: &At) -> i64 {
    if (1..=most).contains(&value) {
        return value;
    }
    b.report
        .add(at, format!("must be from 1 to {most}; found {value}"));
    1
}

pub(super) fn positive(b: &mut Builder<'_>, value: f64, at: &At) -> f64 {
    if value <= 0.0 {
        b.report
            .add(at, format!("must be more than zero; found {value}"));
    }
    value
}

fn time_step(b: &mut Builder<'_>, value: f64, at: &At) -> f64 {
    let value = positive(b, value, at);
    b.si(value, Dimension::Time, at)
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
            "stop {} must be after start {}",
            stop / seconds,
            start / seconds
        );
        b.report.add(&at.field("stop"), message);
    }
    if step <= 0.0 {
        let message = format!("must be more than zero; found {}", step / seconds);
        b.report.add(&at.field("step"), message);
    }
    Some(Experiment { start, stop, step })
}
