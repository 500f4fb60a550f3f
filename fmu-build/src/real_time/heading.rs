//! Control plane: reads what an FMU logs about its steps: the division of a communication step, and the heading of
//! its report.

use fixstep::instance::timeline::{Division, StepStart, Timeline};
use fixstep::rti::report::Heading;
use model_description::parse::Description;

use crate::run::{Times, time_unit};
use crate::slave::find;

/// A start value by name: from the settings, or from the description.
pub(super) fn start_value(
    description: &Description,
    settings: &[(String, String)],
    name: &str,
) -> Option<String> {
    let set = settings.iter().rev().find(|(setting, _)| setting == name);
    let at = find(description, name).ok()?;
    set.map(|(_, value)| value.clone())
        .or_else(|| description.variables[at].start.first().cloned())
}

/// HRATIO, if the FMU has it, and the integration steps of a communication step. For FMUs of other vendors it is one.
pub(super) fn division(
    description: &Description,
    settings: &[(String, String)],
    times: &Times,
) -> (Option<u32>, Division) {
    let (start, step) = (times.start, times.step);
    let text = start_value(description, settings, "solver.hratio");
    let ratio = text.and_then(|text| text.parse().ok());
    let Some(hratio) = ratio.filter(|ratio| *ratio > 0) else {
        return (None, Division { steps: 1, h: step });
    };
    let own = description.default_experiment.step.unwrap_or(step) / f64::from(hratio);
    let standing = StepStart {
        time: start,
        h: own,
        own,
        hratio,
    };
    let even = Division {
        steps: hratio,
        h: step / f64::from(hratio),
    };
    let divided = Timeline::new(start).divide(start, step, &standing);
    (Some(hratio), divided.unwrap_or(even))
}

/// The report's heading, for steps of a given size (s). For FMUs of other vendors the exporter is shown as
/// integrator.
pub(super) fn heading(
    description: &Description,
    settings: &[(String, String)],
    (kind, step): (&'static str, f64),
    hratio: u32,
) -> Heading {
    let item = |name: &str| {
        let text = start_value(description, settings, name)?;
        let variable = &description.variables[find(description, name).ok()?];
        let types = &description.types;
        let items = &types
            .iter()
            .find(|of| of.name == variable.declared_type)?
            .items;
        let item = items.iter().find(|item| item.value.to_string() == text);
        Some(item.map_or(text, |item| item.name.clone()))
    };
    let mode = item("solver.mode");
    let varies = mode.as_deref() == Some("variable");
    let kind_of_step = if varies { "Variable" } else { "Fixed" };
    let integrator = match (item("solver.integrator"), item("solver.formulation")) {
        _ if mode.as_deref() == Some("kinematic") => "Kinematic".to_owned(),
        _ if mode.as_deref() == Some("static") => "Quasi-Static".to_owned(),
        (Some(integrator), Some(formulation)) => {
            format!("{kind_of_step} Step {integrator}/{formulation}")
        }
        _ => format!("unknown ({})", description.generation_tool),
    };
    let (time_unit, time_factor) = shown_unit(description);
    Heading {
        integrator,
        time_unit,
        time_factor,
        hratio,
        step,
        kind,
    }
}

/// Seconds in a unit of time that an FMU defines; 1 if it is not a unit of time.
fn seconds_in(description: &Description, name: &str) -> f64 {
    const SECOND: [i32; 8] = [0, 0, 1, 0, 0, 0, 0, 0];
    let unit = description.units.iter().find(|unit| unit.name == name);
    match unit.and_then(|unit| unit.base) {
        Some((SECOND, factor, _)) if factor > 0.0 => factor,
        _ => 1.0,
    }
}

/// Seconds in the unit of the times that an FMU is given.
pub fn clock(description: &Description) -> f64 {
    seconds_in(description, time_unit(description))
}

/// The displayed unit of time, and its seconds: for FMUs made by Fixstep that of the model, which its settings use.
pub(super) fn shown_unit(description: &Description) -> (String, f64) {
    let setting = find(description, "solver.hinit").ok();
    let setting = setting.map(|at| description.variables[at].unit.as_str());
    let name = setting
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| time_unit(description));
    (name.to_owned(), seconds_in(description, name))
}
