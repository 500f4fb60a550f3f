//! Control plane: measures the accuracy of a run at its step. The same run is made at the step, at half and at a
//! quarter of it, over its first part; the differences give the error (docs/theory/time-stepping.md, "What a step is
//! worth").
//!
//! Only integration steps are divided, so communication points and inputs do not change. The size of the model
//! determines how far the runs go; the clock only ends runs that take far too long.

pub mod account;
mod estimate;
mod events;
pub mod runs;
mod scales;
mod words;
mod work;

use std::time::Duration;

use fixstep_kernel::mechanism::{IntegratorKind, SolverSettings};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::{Model, table};
use fixstep_variables::file::Blueprint;
use fixstep_variables::settings::{INTEGRATORS, integrator_item};
use model_description::parse::Description;
use serde::Serialize;

use crate::run::Plan;
use crate::slave::Failure;
use account::Account;
pub use estimate::{Estimate, Found};
pub(crate) use estimate::{Span, spans};
use runs::{PossibleCause, Stop, TrialRuns};
pub use scales::Measure;
use scales::Scales;
pub(crate) use words::{round, step_name};

/// Wall time after which a trial ends on a computer that is much slower than the work estimate assumes.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Number of the stiffest elements that are reported.
const STIFFEST: usize = 3;

/// The settings of a trial.
#[derive(Clone, Copy, Debug)]
pub struct TrialSettings<'a> {
    /// The run. Its recorded variables do not matter.
    pub plan: &'a Plan,
    /// The simulated time (s); `None`: as much of the run as the work of a trial allows.
    pub span: Option<f64>,
    /// The wall time; `None`: as much as it takes.
    pub budget: Option<Duration>,
}

/// The step against half of it, for other programs; the verdict says the same in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Short {
    /// The integration step (s).
    pub step: f64,
    /// The largest error of an output, as a part of its range.
    pub error: f64,
    /// Half the step (s).
    pub half_step: f64,
    /// The error at half the step.
    pub half_error: f64,
    /// The output with the largest error.
    pub worst: String,
    /// The outputs to which it applies.
    pub outputs: Vec<String>,
    /// Outputs that move, and whose error is not known.
    pub unknown: Vec<String>,
}

/// The accuracy of a run at its step.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    /// A summary in one line.
    pub verdict: String,
    /// The same in numbers; none where the errors have no meaning, for the reason that the verdict gives.
    pub short: Option<Short>,
    /// From (s)
    pub start: f64,
    /// to (s).
    pub stop: f64,
    /// Where the run itself would end (s).
    pub whole: f64,
    /// Number of communication steps.
    pub rows: usize,
    /// Has the clock ended the trial early?
    pub cut: bool,
    /// The integration steps (s).
    pub steps: [f64; 3],
    /// The scheme.
    pub scheme: &'static str,
    /// Its order.
    pub scheme_order: f64,
    /// Each output that is a real number.
    pub outputs: Vec<Estimate>,
    /// Why no output has an estimate, if the reason is not in the outputs.
    pub trouble: Option<String>,
    /// Where the runs ended by themselves, and why.
    pub ended: Option<String>,
    /// Where and why the run at the step ended early, as that of the model would.
    pub stopped: Option<Stop>,
    /// Possible reasons why they have no order.
    pub suspects: Vec<PossibleCause>,
    /// Sensors that triggered more often in some of the runs than in others.
    pub missed: Vec<String>,
    /// The stiffest elements.
    pub stiffest: Vec<Stiff>,
    /// Energy, joints and iterations of the run at the step.
    pub account: Account,
}

/// A stiff element.
#[derive(Clone, Debug, Serialize)]
pub struct Stiff {
    /// Its name.
    pub name: String,
    /// Period of its vibration with the masses that it moves (s).
    pub period: f64,
    /// The same in steps.
    pub steps: f64,
}

/// A model as a trial takes it.
pub fn blueprint(model: &Model) -> Blueprint {
    Blueprint {
        mechanism: model.mechanism.clone(),
        table: table::of(&model.mechanism),
        token: "trial".to_owned(),
    }
}

/// Tries a run. An error is one that would prevent the run itself from starting.
pub fn trial(blueprint: &Blueprint, order: &TrialSettings<'_>) -> Result<Trial, Failure> {
    let courses = runs::run(blueprint, order, &[1, 2, 4])?;
    let TrialRuns {
        start,
        stop,
        whole,
        h,
        cut,
        settings,
        trouble,
        ended,
        stopped,
        account,
        ..
    } = &courses;
    let stiff = courses.stiffest.iter().take(STIFFEST).map(|found| Stiff {
        name: found.owner.clone(),
        period: found.period,
        steps: found.period / h,
    });
    let (scheme, scheme_order) = scheme(settings);
    let mut trial = Trial {
        verdict: String::new(),
        short: None,
        start: *start,
        stop: *stop,
        whole: *whole,
        rows: courses.rows(),
        cut: *cut,
        steps: [*h, h / 2.0, h / 4.0],
        scheme,
        scheme_order,
        outputs: estimate::all(&courses, scheme_order),
        trouble: trouble.clone(),
        ended: ended.clone(),
        stopped: stopped.clone(),
        suspects: courses.suspects.clone(),
        missed: courses.missed.clone(),
        stiffest: stiff.collect(),
        account: account.clone(),
    };
    trial.verdict = trial.in_short();
    trial.short = { trial.trouble.is_none() }.then(|| trial.short()).flatten();
    Ok(trial)
}

/// Units and dimensions of outputs, given by name and unit, of a run of this length (s).
pub(crate) fn measures(
    engine: &Simulation,
    description: &Description,
    outputs: &[(&str, &str)],
    duration: f64,
) -> Vec<Measure> {
    let scales = Scales::of(engine, duration);
    let mechanism = engine.mechanism();
    let measure = |(name, unit): &(&str, &str)| {
        let mut measure = match *unit {
            "" => scales.measure_of(mechanism, name),
            unit => scales.measure(description, unit),
        };
        measure.is_energy =
            measure.dimension == Some(scales::ENERGY) && Scales::is_energy(mechanism, name);
        measure
    };
    outputs.iter().map(measure).collect()
}

/// Name and order of the scheme in force.
pub(crate) fn scheme(settings: &SolverSettings) -> (&'static str, f64) {
    let order = match settings.integrator {
        IntegratorKind::Gstiff | IntegratorKind::Wstiff | IntegratorKind::Hastiff => 1.0,
        IntegratorKind::Newmark if !settings.is_undamped() => 1.0,
        IntegratorKind::Newmark | IntegratorKind::Hht | IntegratorKind::GeneralizedAlpha => 2.0,
    };
    let at = usize::try_from(integrator_item(settings.integrator) - 1).unwrap_or(0);
    (INTEGRATORS.get(at).map_or("", |(name, _)| *name), order)
}
