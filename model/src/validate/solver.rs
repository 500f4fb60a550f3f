//! Control plane: checks the solver settings and the default experiment of a model.

use super::builder::Builder;
use crate::errors::At;
use crate::newton::Open;
use crate::schema::{self, Document, Interpolate};
use crate::units::Dimension;
use fixstep_kernel::mechanism::{
    Arithmetic, Experiment, Finding, Formulation, InputBounds, IntegratorKind, LintRule,
    SolverSettings,
};

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

/// The treatment of inputs beyond their bounds, by name.
const INPUT_BOUNDS: [(&str, InputBounds); 2] =
    [("clamp", InputBounds::Clamp), ("error", InputBounds::Error)];

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
    integrator(b, given, &mut settings, &at);
    if let Some(fixit) = fitting(b, given.fixit.map(|n| n as f64), "fixit", &at) {
        settings.fixit = fixit as u8;
    }
    settings.linearly_implicit = given.linearly_implicit.unwrap_or(false);
    if let Some(hratio) = fitting(b, given.hratio.map(|n| n as f64), "hratio", &at) {
        settings.hratio = hratio as u32;
    }
    if let Some(text) = &given.pattern {
        match SolverSettings::pattern_from(text) {
            Ok(pattern) => settings.pattern = pattern,
            Err(error) => b.report.add(&at.field("pattern"), error.to_string()),
        }
    }
    settings.maxerr = fitting(b, given.maxerr, "maxerr", &at).unwrap_or(settings.maxerr);
    settings.guard = super::guard::settings(b, given.guard.as_ref(), &at.field("guard"));
    let word = (given.math.as_deref(), "math");
    settings.math = b.choice(word, &ARITHMETIC, &at).unwrap_or(settings.math);
    settings.lock_memory = given.lock_memory.unwrap_or(false);
    settings.publish = given.publish.unwrap_or(false);
    let word = (given.input_bounds.as_deref(), "input_bounds");
    let chosen = b.choice(word, &INPUT_BOUNDS, &at);
    settings.input_bounds = chosen.unwrap_or(settings.input_bounds);
    settings.hmin = time_step(b, given.hmin, "hmin", &at);
    settings.hinit = time_step(b, given.hinit, "hinit", &at);
    settings.hmax = time_step(b, given.hmax, "hmax", &at);
    check_ignored(b, given, &at);
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
    // A third that is rounded is a third.
    let alpha = fitting(b, given.alpha, "alpha", at).unwrap_or(settings.alpha);
    settings.alpha = alpha.max(SolverSettings::LEAST_ALPHA);
    settings.beta = given.beta.unwrap_or(settings.beta);
    settings.gamma = given.gamma.unwrap_or(settings.gamma);
    settings.rho = fitting(b, given.rho, "rho", at).unwrap_or(settings.rho);
}

/// A given number, if the setting may have it.
fn fitting(b: &mut Builder<'_>, given: Option<f64>, setting: &str, at: &At) -> Option<f64> {
    let value = given?;
    let Some(fault) = SolverSettings::fault(setting, value) else {
        return Some(value);
    };
    b.report.add(&at.field(setting), fault);
    None
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

/// A given time step \[s\], if the setting may have it.
fn time_step(b: &mut Builder<'_>, given: Option<f64>, setting: &str, at: &At) -> Option<f64> {
    let value = fitting(b, given, setting, at)?;
    Some(b.si(value, Dimension::Time, &at.field(setting)))
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
