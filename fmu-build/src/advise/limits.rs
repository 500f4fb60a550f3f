//! Control plane: names what limits the accuracy of settings: elements that vibrate fast, contacts and other events,
//! sampled systems, inputs that are held, an iteration that has not settled.

use fixstep_kernel::seconds::Seconds;

use super::choice::Choice;
use super::subject::Subject;
use crate::slave::Failure;
use crate::trial::{self, TIME_LIMIT, Trial, TrialSettings, round, step_name};

/// Fewer steps than this in a period resolve a vibration poorly.
const RESOLVED: f64 = 20.0;
/// How many of each kind are named.
const NAMED: usize = 3;
/// A correction above this part of the one before has not settled.
const SETTLED: f64 = 0.1;
/// An order below that of the scheme by this is reduced by something.
const MISSING: f64 = 0.4;

/// What limits the chosen settings, or the model's own if none were chosen.
pub(super) fn of(subject: &Subject, choice: Option<&Choice>) -> Result<Vec<String>, Failure> {
    let settings = choice.map_or_else(Vec::new, |choice| {
        let all = choice.settings.iter();
        all.map(|(name, value)| (format!("solver.{name}"), value.clone()))
            .collect()
    });
    let plan = subject.plan_with(&settings);
    let order = TrialSettings {
        plan: &plan,
        span: None,
        budget: Some(TIME_LIMIT),
    };
    let trial = trial::trial(subject.blueprint(), &order)?;
    let [h, ..] = trial.steps;
    let mut limits = Vec::new();
    let coarse = trial
        .stiffest
        .iter()
        .take(NAMED)
        .filter(|stiff| stiff.steps < RESOLVED);
    let coarse: Vec<String> = coarse
        .map(|stiff| format!("{} with {} steps", stiff.name, round(stiff.steps, 2)))
        .collect();
    if !coarse.is_empty() {
        limits.push(format!(
            "stiffest elements: in a period of their vibration, {} of {}",
            coarse.join(", "),
            step_name(h)
        ));
    }
    limits.extend(within(&trial));
    limits.extend(trial.missed.iter().cloned());
    let contraction = choice.and_then(|choice| choice.contraction);
    if let Some([_, worst]) = contraction.filter(|[_, worst]| *worst > SETTLED) {
        limits.push(format!(
            "Newton's iteration: at worst its corrections shrink to {} only; more iterations help before smaller steps do",
            round(worst, 2)
        ));
    }
    for (place, text) in subject.findings(&settings)?.into_iter().take(NAMED) {
        limits.push(format!("{place}: {text}"));
    }
    Ok(limits)
}

/// What happens within steps.
fn within(trial: &Trial) -> Option<String> {
    let mut events = Vec::new();
    for suspect in trial.suspects.iter().take(NAMED) {
        let (owner, what) = (&suspect.owner, &suspect.what);
        events.push(match suspect.times {
            0 => format!("{owner} {what}"),
            1 => format!("{owner} {what} at {} s", Seconds(suspect.first)),
            times => format!(
                "{owner} {what} ({times} times, first at {} s)",
                Seconds(suspect.first)
            ),
        });
    }
    if trial.suspects.len() > NAMED {
        events.push(format!("{} more", trial.suspects.len() - NAMED));
    }
    let orders = trial.outputs.iter().filter_map(|output| output.order);
    let lowest = orders.fold(f64::INFINITY, f64::min);
    if events.is_empty() {
        return None;
    }
    let low = if lowest < trial.scheme_order - MISSING {
        format!(
            "; a step then has order {} in place of {}",
            round(lowest, 2),
            trial.scheme_order
        )
    } else {
        String::new()
    };
    Some(format!("within steps: {}{low}", events.join(", ")))
}
