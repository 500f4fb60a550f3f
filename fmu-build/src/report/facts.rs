//! Control plane: what tells whether a run can be believed: parameters, settings, figures, warnings, histograms.

use fixstep_kernel::math::log10;
use fixstep_kernel::mechanism::{Mode, SolverSettings};
use fixstep_kernel::seconds::Seconds;
use fixstep_kernel::simulation::Simulation;
use fixstep_pictures::payload::{Figure, Histogram, Kind, Parameter, Warning};
use model_description::parse::{Causality, Description, Variability, Variable};

use super::Told;
use crate::run::Outcome;
use crate::slave::Level;
use crate::trial::account::Account;

/// Classes of a histogram in every factor of ten.
const CLASSES: f64 = 10.0;
/// The name of the column with the Real Time Index of each step.
const INDEX: &str = "rti.last";

/// The line below the title: from when to when, in which steps, by which scheme.
pub(super) fn subtitle(told: &Told<'_>) -> String {
    let [start, end, step] =
        [told.times.start, end(told), told.times.step].map(|time| Seconds(time).to_string());
    let early = match told.outcome.ended {
        Some(_) => ", ended early",
        None if told.outcome.failed.is_some() => ", failed",
        None => "",
    };
    let way = way(told.engine.map(Simulation::settings), told, &step);
    format!("{start} s to {end} s{way}{early}")
}

/// How a run gets from one row to the next, which are `step` apart: that is the step only if it is fixed.
fn way(settings: Option<&SolverSettings>, told: &Told<'_>, step: &str) -> String {
    let shown = if told.plan.every_step {
        "every step shown".to_owned()
    } else {
        format!("shown every {step} s")
    };
    let Some(settings) = settings else {
        return format!(" in steps of {step} s");
    };
    let scheme = crate::trial::scheme(settings).0;
    match settings.mode {
        Mode::Fixed => format!(" in steps of {step} s, {scheme}"),
        Mode::Variable => {
            let error = told.engine.map_or(f64::NAN, |engine| {
                settings.tolerance(&engine.mechanism().experiment).error
            });
            format!(", variable step, error {error:e}, {scheme}, {shown}")
        }
        Mode::Kinematic => format!(", kinematic, {shown}"),
        Mode::Static => format!(", quasi-static, {shown}"),
    }
}

/// Settings that have no effect in a run, whether they are given or not.
fn idle(engine: Option<&Simulation>) -> Vec<String> {
    let Some(engine) = engine else {
        return Vec::new();
    };
    let mut settings = engine.settings().clone();
    settings.given.0 = u64::MAX;
    let idle = settings.idle().into_iter();
    idle.map(|idle| format!("solver.{}", idle.setting))
        .collect()
}

/// The time of the last row \[s\].
fn end(told: &Told<'_>) -> f64 {
    let times = told.outcome.table.columns.first();
    let last = times.and_then(|times| times.last().copied());
    last.unwrap_or(told.times.start)
}

/// The last value that the settings of the run give a variable.
fn given<'a>(told: &'a Told<'_>, variable: &Variable) -> Option<&'a str> {
    let mut settings = told.plan.settings.iter().rev();
    let found = settings.find(|(name, _)| *name == variable.name);
    found.map(|(_, text)| text.as_str())
}

/// Parameters and settings with the values of the run; settings without effect, such as iterations of a fixed step with a
/// variable one, only if they are given.
pub(super) fn parameters(told: &Told<'_>) -> Vec<Parameter> {
    let set = |variable: &&Variable| {
        matches!(
            variable.causality,
            Causality::Parameter | Causality::StructuralParameter
        )
    };
    let idle = idle(told.engine);
    let counts =
        |variable: &&Variable| !idle.contains(&variable.name) || given(told, variable).is_some();
    let parameters = told.description.variables.iter().filter(set);
    let parameters = parameters.filter(counts);
    let parameter = |variable: &Variable| Parameter {
        name: variable.name.clone(),
        value: in_words(told.description, variable, given(told, variable)),
        unit: variable.unit.clone(),
        kind: match variable.name.split('.').next() {
            Some("solver" | "rti") => Kind::Setting,
            _ if variable.variability == Variability::Tunable => Kind::Tunable,
            _ => Kind::Fixed,
        },
        description: variable.description.clone(),
    };
    parameters.map(parameter).collect()
}

/// The value that was given, or the start value; that of an enumeration by its name.
fn in_words(description: &Description, variable: &Variable, given: Option<&str>) -> String {
    let value = given.map_or_else(|| variable.start.join(" "), str::to_owned);
    let declared = description.type_definition(&variable.declared_type);
    let mut items = declared.into_iter().flat_map(|of| &of.items);
    let item = items.find(|item| item.value.to_string() == value);
    item.map_or(value, |item| item.name.clone())
}

/// What the model, the run and its account were warned about.
pub(super) fn warnings(told: &Told<'_>) -> Vec<Warning> {
    let warning = |place: &str, text: &str| Warning {
        place: place.to_owned(),
        text: text.to_owned(),
        ..Warning::default()
    };
    let mut all = Vec::new();
    if let Some(failure) = &told.outcome.failed {
        all.push(warning("run", &failure.0));
    }
    if let Some((time, why)) = &told.outcome.ended {
        all.push(warning(
            "run",
            &format!("ended at {} s: {why}", Seconds(*time)),
        ));
    }
    if let Some(account) = told.account {
        let own = account.warning.iter().cloned().chain(account.notes());
        all.extend(own.map(|text| warning("run", &text)));
    }
    let missed = told.trial.iter().flat_map(|trial| &trial.missed);
    all.extend(missed.map(|text| warning("step", text)));
    let complaints = told.outcome.messages.iter();
    let complaints = complaints.filter(|message| message.level > Level::Note);
    for message in complaints {
        if !all.iter().any(|known| known.text.contains(&message.text)) {
            all.push(warning(&message.category, &message.text));
        }
    }
    all
}

/// A number with few digits.
fn few(value: f64) -> String {
    crate::trial::round(value, 3)
}

/// A number that sums a run up.
fn figure(name: &str, value: String, unit: &str, note: &str) -> Figure {
    Figure {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
        note: note.to_owned(),
    }
}

/// The numbers that sum the run up.
pub(super) fn figures(told: &Told<'_>) -> Vec<Figure> {
    let mut all = figures_of_time(told);
    let report = told.engine.and_then(Simulation::variable_report);
    if let Some(report) = report {
        let number = |name: &str, count: u64, note: &str| figure(name, count.to_string(), "", note);
        all.push(number("variable steps", report.steps, "accepted"));
        all.push(number("rejected steps", report.rejected, "for their error"));
        all.push(number("events", report.events, "located within steps"));
    }
    all.extend(told.account.into_iter().flat_map(figures_of_account));
    if let Some(trial) = told.trial {
        let text = "the step against half and a quarter of it";
        all.push(figure("accuracy", trial.verdict.clone(), "", text));
    }
    all
}

/// Rows and wall time.
fn figures_of_time(told: &Told<'_>) -> Vec<Figure> {
    let rows = told.outcome.table.rows();
    let took = told.outcome.took.as_secs_f64();
    let mut all = vec![
        figure(
            "rows",
            rows.to_string(),
            "",
            "communication points, the start included",
        ),
        figure(
            "wall time",
            few(took),
            "s",
            "all steps, with what is read after each",
        ),
    ];
    let span = end(told) - told.times.start;
    if took > 0.0 && span > 0.0 {
        let text = "simulated time / wall time";
        all.push(figure(
            "faster than real time",
            few(span / took),
            "times",
            text,
        ));
    }
    if let Some(index) = column(told.outcome, INDEX) {
        let steps = index.iter().skip(1).filter(|value| value.is_finite());
        let worst = steps.fold(0.0_f64, |worst, value| worst.max(*value));
        let text =
            "wall time of a step / step size, largest; this run was not on a real-time system";
        all.push(figure("Real Time Index", few(worst), "", text));
    }
    all
}

/// Energy, joints and iterations.
fn figures_of_account(account: &Account) -> Vec<Figure> {
    let mut all = vec![
        figure(
            "energy moved",
            few(account.moved),
            "J",
            "exchanged between its kinds",
        ),
        figure(
            "energy error",
            few(account.error),
            "J",
            "what the scheme adds, or loses if negative",
        ),
    ];
    if let Some(hold) = &account.joint {
        let text = format!("largest violation of a constraint: {}", hold.name);
        all.push(figure("joints hold to", few(hold.amount), hold.unit, &text));
    }
    if let Some(ratio) = account.contraction {
        let text = format!(
            "ratio of a correction to the one before; {} at worst",
            few(ratio.worst)
        );
        all.push(figure("Newton contraction", few(ratio.typical), "", &text));
    }
    all
}

/// A recorded column.
fn column<'a>(outcome: &'a Outcome, name: &str) -> Option<&'a Vec<f64>> {
    let find = |table: &'a crate::csv::Table| {
        let at = table.names.iter().position(|own| own == name)?;
        table.columns.get(at)
    };
    find(&outcome.more).or_else(|| find(&outcome.table))
}

/// How long steps took, over all of the run.
pub(super) fn histograms(outcome: &Outcome) -> Vec<Histogram> {
    let index = column(outcome, INDEX).map(|values| {
        // Before the first step it is zero.
        let steps = values.iter().skip(1).copied();
        let steps: Vec<f64> = steps
            .filter(|value| *value > 0.0 && value.is_finite())
            .collect();
        logarithmic("Real Time Index", &steps)
    });
    index.flatten().into_iter().collect()
}

/// How often a number lies in each class; classes are equally wide in its logarithm.
fn logarithmic(name: &str, values: &[f64]) -> Option<Histogram> {
    let class = |value: f64| (CLASSES * log10(value)).floor() as i32;
    let first = values.iter().copied().map(class).min()?;
    let last = values.iter().copied().map(class).max()?;
    let mut counts = vec![0_u64; usize::try_from(last - first + 1).ok()?];
    for value in values {
        counts[usize::try_from(class(*value) - first).ok()?] += 1;
    }
    let edge =
        |at: i32| fixstep_kernel::math::exp(f64::from(at) / CLASSES * core::f64::consts::LN_10);
    Some(Histogram {
        name: name.to_owned(),
        unit: String::new(),
        edges: (first..=last + 1).map(edge).collect(),
        counts,
    })
}
