//! Control plane: inputs, parameters, and the named numbers of outputs and variables.

use super::controls::DerivedState;
use crate::errors::{At, Report};
use crate::read::List;
use crate::schema::{
    DifferentialEquation, InputQuantity, OutputQuantity, ParameterQuantity, VariableQuantity,
};
use fixstep_kernel::mechanism::{Input, Parameter, Quantity};

/// The named number of an input, a parameter or an output, which have the same fields.
macro_rules! bounded {
    ($data:expr, $start:expr) => {
        Quantity {
            name: $data.name.clone(),
            description: text($data.description.as_ref()),
            unit: text($data.unit.as_ref()),
            display_unit: text($data.display_unit.as_ref()),
            min: $data.min,
            max: $data.max,
            start: $start,
        }
    };
}

/// All parameters.
pub(super) fn parameters(
    list: &List<ParameterQuantity>,
    report: &mut Report,
) -> Vec<Option<Parameter>> {
    let read = |(data, at): (&ParameterQuantity, &At), report: &mut Report| Parameter {
        quantity: checked(bounded!(data, data.start), at, report),
        tunable: data.tunable.unwrap_or(false),
    };
    let items = list.0.iter();
    items
        .map(|item| {
            item.data
                .as_ref()
                .map(|data| read((data, &item.at), report))
        })
        .collect()
}

/// Values of the parameters at the start; `None`: one is broken.
pub(super) fn starts(parameters: &[Option<Parameter>]) -> Option<Vec<f64>> {
    let start = |p: &Option<Parameter>| p.as_ref().map(|p| p.quantity.start);
    parameters.iter().map(start).collect()
}

/// For each parameter: may it change between steps? A broken one may not.
pub(super) fn tunable(parameters: &[Option<Parameter>]) -> Vec<bool> {
    let tunable = |p: &Option<Parameter>| p.as_ref().is_some_and(|p| p.tunable);
    parameters.iter().map(tunable).collect()
}

/// All inputs.
pub(super) fn inputs(list: &List<InputQuantity>, report: &mut Report) -> Vec<Option<Input>> {
    let read = |(data, at): (&InputQuantity, &At), report: &mut Report| Input {
        quantity: checked(bounded!(data, data.start.unwrap_or(0.0)), at, report),
    };
    let items = list.0.iter();
    items
        .map(|item| {
            item.data
                .as_ref()
                .map(|data| read((data, &item.at), report))
        })
        .collect()
}

/// The named number of an output.
pub(super) fn output(data: &OutputQuantity, at: &At, report: &mut Report) -> Quantity {
    let quantity = bounded!(data, 0.0);
    check_bounds(&quantity, at, report);
    quantity
}

/// The named number of a variable.
pub(super) fn variable(data: &VariableQuantity) -> Quantity {
    plain(&data.name, data.description.as_ref(), data.unit.as_ref())
}

/// The named number of a derived variable.
pub(super) fn derived(name: &str) -> Quantity {
    plain(name, None, None)
}

/// The named number of a control element's state.
pub(super) fn control(state: &DerivedState) -> Quantity {
    plain(&state.name, Some(&state.description), Some(&state.unit))
}

/// The named number of a differential equation's state.
pub(super) fn equation(data: &DifferentialEquation) -> Quantity {
    plain(&data.name, data.description.as_ref(), data.unit.as_ref())
}

/// A named number without bounds.
fn plain(name: &str, description: Option<&String>, unit: Option<&String>) -> Quantity {
    Quantity {
        name: name.to_owned(),
        description: text(description),
        unit: text(unit),
        display_unit: String::new(),
        min: None,
        max: None,
        start: 0.0,
    }
}

fn text(given: Option<&String>) -> String {
    given.cloned().unwrap_or_default()
}

/// A quantity with a start, checked.
fn checked(quantity: Quantity, at: &At, report: &mut Report) -> Quantity {
    if check_bounds(&quantity, at, report) {
        let start = quantity.start;
        let (least, most) = (quantity.min, quantity.max);
        if least.is_some_and(|min| start < min) || most.is_some_and(|max| start > max) {
            report.lose("start value");
        }
        if let Some(min) = quantity.min.filter(|min| start < *min) {
            report.add(&at.field("start"), format!("{start} is below min {min}"));
        }
        if let Some(max) = quantity.max.filter(|max| start > *max) {
            report.add(&at.field("start"), format!("{start} is above max {max}"));
        }
    }
    quantity
}

/// Are the bounds in order?
fn check_bounds(quantity: &Quantity, at: &At, report: &mut Report) -> bool {
    if !quantity.display_unit.is_empty() && quantity.unit.is_empty() {
        report.add(
            &at.field("display_unit"),
            "a display unit needs a \"unit\" that it displays; give both",
        );
    }
    if let (Some(min), Some(max)) = (quantity.min, quantity.max)
        && min > max
    {
        report.add(&at.field("min"), format!("min {min} is above max {max}"));
        return false;
    }
    true
}
