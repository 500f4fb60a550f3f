//! Control plane: `fixstep linearize`.

mod files;
mod page;

use std::collections::BTreeSet;
use std::path::Path;

use fixstep_kernel::ids::ExprId;
use fixstep_kernel::mechanism::{Mechanism, Quantity};
use fixstep_model::{Model, table};
use fixstep_variables::file::Blueprint;
use linear_analysis::export::{Export, choose};
use linear_analysis::states::ChosenStates;
use linear_analysis::{LinearForm, form};

use self::files::Target;
use super::{Done, point, written};
use crate::args;
use crate::console::Console;
use crate::places::Places;
use fmu_build::operating_point::OperatingPoint;
use fmu_build::package::Packing;
use fmu_build::package::library::Library;
use fmu_build::slave::Failure;
use fmu_build::{check, package, suggest};

/// `fixstep linearize`
pub(crate) fn linearize(args: &args::Linearize, console: &mut Console) -> Done {
    let targets = Target::all(&args.output, args.format.map(args::FileFormat::format))?;
    let paths = targets.iter().flat_map(|target| &target.paths);
    let places = Places::default()
        .reads("--library", &args.library)
        .writes("--output", paths)
        .writes("--fmu", &args.fmu)
        .prints("--report", &args.report);
    let mut chosen = None;
    let named = args.inputs.is_some() || args.outputs.is_some() || args.states.is_some();
    let mut at = if named {
        point::find_with(&args.point, places, console, |blueprint| {
            chosen = prepare(args, blueprint)?;
            Ok(())
        })?
    } else {
        point::find(&args.point, places, console)?
    };
    let form = chosen_form(args, &mut at, chosen.as_ref())?;
    for note in &form.notes {
        console.note(&format!("note: {note}"));
    }
    if let Some(path) = &args.report {
        console.write(path, &page::page(&at, &form)?)?;
    }
    let export = Export {
        name: &at.mechanism.name,
        point: &at.point,
        form: &form,
    };
    if args.json {
        console.say(export.json().trim_end())?;
    } else if args.output.is_empty() && args.fmu.is_none() && args.report.is_none() {
        console.say(export.text(args.second_order).trim_end())?;
    }
    for target in &targets {
        for path in target.write(&export)? {
            if !args.json {
                console.say(&path.display().to_string())?;
            }
        }
    }
    match &args.fmu {
        Some(path) => fmu(args, &export, path, console),
        None => Ok(true),
    }
}

/// Names that the command line gives are those of the mechanism; the outputs of chosen states are added to it.
fn prepare(
    args: &args::Linearize,
    blueprint: &mut Blueprint,
) -> Result<Option<ChosenStates>, Failure> {
    let mechanism = &mut blueprint.mechanism;
    let inputs = mechanism.inputs.iter().map(|input| &input.quantity);
    numbers("--inputs", "input", args.inputs.as_deref(), inputs)?;
    let outputs = mechanism.outputs.iter().map(|output| &output.quantity);
    numbers("--outputs", "output", args.outputs.as_deref(), outputs)?;
    let Some(names) = &args.states else {
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

/// Where names stand in a list.
fn numbers<'a>(
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
            return Err(Failure(format!("{option}: \"{name}\" stands twice")));
        }
        let place = all.iter().position(|known| *known == name);
        place.ok_or_else(|| {
            let said = suggest::unknown(what, name, all.iter().copied());
            Failure(format!("{option}: {said}"))
        })
    };
    names.iter().map(place).collect::<Result<_, _>>().map(Some)
}

/// The form with the states, inputs and outputs that are wanted.
fn chosen_form(
    args: &args::Linearize,
    at: &mut OperatingPoint,
    chosen: Option<&ChosenStates>,
) -> Result<LinearForm, Failure> {
    let mut form = form::linear_form(&at.mechanism, &at.linearization, &args.kept.options())
        .map_err(|error| Failure(error.to_string()))?;
    if let Some(chosen) = chosen {
        let own = at.point.outputs.len() - chosen.outputs();
        let values: Vec<f64> = at.point.outputs.drain(own..).map(|x| x.value).collect();
        form = chosen
            .form(&form, &values)
            .map_err(|error| Failure(format!("--states: {error}")))?;
    }
    let mechanism = &at.mechanism;
    let inputs = mechanism.inputs.iter().map(|input| &input.quantity);
    let inputs = numbers("--inputs", "input", args.inputs.as_deref(), inputs)?;
    let outputs = shown(args, mechanism, at)?;
    choose(&mut form, inputs.as_deref(), outputs.as_deref());
    Ok(form)
}

/// Where the outputs that are wanted stand among those with rows.
fn shown(
    args: &args::Linearize,
    mechanism: &Mechanism,
    at: &OperatingPoint,
) -> Result<Option<Vec<usize>>, Failure> {
    let outputs = mechanism.outputs.iter().map(|output| &output.quantity);
    let wanted = numbers("--outputs", "output", args.outputs.as_deref(), outputs)?;
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let place = |k: usize| {
        let place = at.linearization.shown.iter().position(|shown| *shown == k);
        place.ok_or_else(|| {
            let left_out = &at.linearization.left_out;
            let reason = left_out.iter().find(|left| left.output == k);
            let reason = reason.map_or("has no row", |left| left.reason.as_str());
            let name = &mechanism.outputs[k].quantity.name;
            Failure(format!("--outputs: output \"{name}\" {reason}"))
        })
    };
    wanted
        .into_iter()
        .map(place)
        .collect::<Result<_, _>>()
        .map(Some)
}

/// The linear form as an FMU.
fn fmu(args: &args::Linearize, export: &Export<'_>, path: &Path, console: &mut Console) -> Done {
    if export.form.outputs.is_empty() {
        return Err(Failure(String::from(
            "--fmu: the linear form has no output, so that its FMU would show nothing; give the model outputs",
        ))
        .into());
    }
    let text = export.model().map_err(|error| Failure(error.to_string()))?;
    let model = Model::from_json(&text)
        .map_err(|errors| Failure(format!("the linear form is no valid model\n{errors}")))?;
    let libraries = Library::all(&args.library)?;
    let packing = Packing {
        version: args.fmi.version(),
        libraries: &libraries,
        protect: false,
        terminals: true,
    };
    let bytes = package::pack(&text, &model, packing)?;
    written(path, &bytes, console, |file| check::fmu(file, true, false))
}
