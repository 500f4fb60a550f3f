//! Control plane: computes the linear form for which the options of a command ask.

use std::collections::BTreeSet;

use fixstep_kernel::ids::{BodyId, ExprId};
use fixstep_kernel::mechanism::{Mechanism, Quantity};
use fixstep_model::table;
use fixstep_variables::file::Blueprint;
use fmu_build::operating_point::OperatingPoint;
use fmu_build::slave::Failure;
use fmu_build::suggest;
use linear_analysis::states::ChosenStates;
use linear_analysis::{LinearForm, form};

use crate::args;

/// Adds the outputs of chosen states to the mechanism, and checks names before it runs.
pub(super) fn prepare(
    kept: &args::Kept,
    blueprint: &mut Blueprint,
) -> Result<Option<ChosenStates>, Failure> {
    let mechanism = &mut blueprint.mechanism;
    turning(kept, mechanism)?;
    let Some(names) = &kept.states else {
        return Ok(None);
    };
    let known = mechanism.variables.iter().chain(&mechanism.outputs);
    let known: Vec<(Quantity, ExprId)> = known.map(|x| (x.quantity.clone(), x.expr)).collect();
    let found = numbers(
        "--states",
        "variable or output",
        Some(names),
        known.iter().map(|x| &x.0),
    )?;
    let wanted: Vec<(Quantity, ExprId)> = found
        .unwrap_or_default()
        .iter()
        .map(|k| known[*k].clone())
        .collect();
    let chosen = ChosenStates::add(mechanism, &wanted)
        .map_err(|error| Failure(format!("--states: {error}")))?;
    blueprint.table = table::of(mechanism);
    Ok(Some(chosen))
}

/// The form in the requested states.
pub(super) fn linear(
    kept: &args::Kept,
    at: &mut OperatingPoint,
    chosen: Option<&ChosenStates>,
) -> Result<LinearForm, Failure> {
    let options = kept.options(turning(kept, &at.mechanism)?);
    let form = form::linear_form(&at.mechanism, &at.linearization, &options)
        .map_err(|error| Failure(error.to_string()))?;
    let Some(chosen) = chosen else {
        return Ok(form);
    };
    let own = at.point.outputs.len() - chosen.outputs();
    let values: Vec<f64> = at.point.outputs.drain(own..).map(|x| x.value).collect();
    chosen
        .form(&form, &values)
        .map_err(|error| Failure(format!("--states: {error}")))
}

/// The part with which the axes of states turn: by its name, or by that of one of its markers.
fn turning(kept: &args::Kept, mechanism: &Mechanism) -> Result<Option<BodyId>, Failure> {
    let Some(name) = &kept.turning_with else {
        return Ok(None);
    };
    let bodies = mechanism.bodies.iter().map(|body| body.name.as_str());
    if let Some(body) = bodies.clone().position(|own| own == name) {
        return Ok(Some(BodyId::from(body)));
    }
    let markers = mechanism.markers.iter();
    if let Some(marker) = markers.clone().find(|marker| marker.name == *name) {
        return Ok(Some(marker.body));
    }
    // The marker "ground" is among them.
    let own: Vec<&str> = bodies.collect();
    let others = markers.map(|marker| marker.name.as_str());
    let others = others.filter(|name| !own.contains(name));
    let known = own.iter().copied().chain(others);
    Err(Failure(format!(
        "--turning-with: {}",
        suggest::unknown("part or marker", name, known)
    )))
}

/// Indices of names in a list.
pub(super) fn numbers<'a>(
    option: &str,
    what: &str,
    names: Option<&[String]>,
    all: impl Iterator<Item = &'a Quantity>,
) -> Result<Option<Vec<usize>>, Failure> {
    let Some(names) = names else {
        return Ok(None);
    };
    let all: Vec<&str> = all.map(|quantity| quantity.name.as_str()).collect();
    let mut seen = BTreeSet::new();
    let place = |name: &String| {
        let name = name.trim();
        if !seen.insert(name.to_owned()) {
            return Err(Failure(format!("{option}: \"{name}\" occurs twice")));
        }
        let place = all.iter().position(|known| *known == name);
        place.ok_or_else(|| {
            let said = suggest::unknown(what, name, all.iter().copied());
            Failure(format!("{option}: {said}"))
        })
    };
    names.iter().map(place).collect::<Result<_, _>>().map(Some)
}
