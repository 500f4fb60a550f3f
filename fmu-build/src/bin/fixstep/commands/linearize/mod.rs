//! Control plane: `fixstep linearize`, which computes the linear form of a mechanism.

mod files;
mod page;

use std::path::Path;

use fixstep_kernel::mechanism::Mechanism;
use fixstep_model::Model;
use fixstep_variables::file::Blueprint;
use linear_analysis::LinearForm;
use linear_analysis::export::{Export, choose};
use linear_analysis::states::ChosenStates;

use self::files::Target;
use super::of_form::{self, numbers};
use super::{Done, point, written};
use crate::args;
use crate::console::Console;
use crate::places::{Places, Stop};
use fmu_build::operating_point::OperatingPoint;
use fmu_build::package::Packing;
use fmu_build::package::library::Library;
use fmu_build::slave::Failure;
use fmu_build::{check, package};

/// `fixstep linearize`
pub(crate) fn linearize(args: &args::Linearize, console: &mut Console) -> Done {
    let targets = Target::all(&args.output, args.format.map(args::FileFormat::format))?;
    let printed = args.output.is_empty() && args.fmu.is_none() && args.report.is_none();
    if args.second_order && !printed && !args.json && !targets.iter().any(Target::has_second_order)
    {
        return Err(Stop::CommandLine(String::from(
            "--second-order chooses what is printed, and with --fmu, --report or a Simulink file alone nothing is printed; leave it \
             out, or add --json or --output with .json, .npz, .mat, .mtx, .a, .oml or .m, which hold mass, damping and stiffness",
        )));
    }
    let paths = targets.iter().flat_map(|target| &target.paths);
    let places = Places::default()
        .json(args.json)
        .reads("--library", &args.library)
        .writes("--output", paths)
        .writes("--fmu", &args.fmu)
        .prints("--report", &args.report);
    let mut chosen = None;
    let named = [&args.inputs, &args.outputs, &args.kept.states];
    let named = named.iter().any(|of| of.is_some()) || args.kept.turning_with.is_some();
    let drawn = (places, args.report.is_some());
    let mut at = point::find(&args.point, drawn, console, |blueprint| {
        if named {
            chosen = prepare(args, blueprint)?;
        }
        Ok(())
    })?;
    let form = chosen_form(args, &mut at, chosen.as_ref())?;
    for note in &form.notes {
        console.note(&format!("note: {note}"));
    }
    if args.second_order && form.equations > 0 {
        console.note(
            "note: states of equations, controls and delays are not positions: the matrices of --second-order leave \
             out their effect on the motion",
        );
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
    } else if printed {
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

/// The names on the command line are those of the mechanism; the outputs of chosen states are added to it.
fn prepare(
    args: &args::Linearize,
    blueprint: &mut Blueprint,
) -> Result<Option<ChosenStates>, Failure> {
    let mechanism = &mut blueprint.mechanism;
    let inputs = mechanism.inputs.iter().map(|input| &input.quantity);
    numbers("--inputs", "input", args.inputs.as_deref(), inputs)?;
    let outputs = mechanism.outputs.iter().map(|output| &output.quantity);
    numbers("--outputs", "output", args.outputs.as_deref(), outputs)?;
    of_form::prepare(&args.kept, blueprint)
}

/// The form with the requested states, inputs and outputs.
fn chosen_form(
    args: &args::Linearize,
    at: &mut OperatingPoint,
    chosen: Option<&ChosenStates>,
) -> Result<LinearForm, Failure> {
    let mut form = of_form::linear(&args.kept, at, chosen)?;
    let mechanism = &at.mechanism;
    let inputs = mechanism.inputs.iter().map(|input| &input.quantity);
    let inputs = numbers("--inputs", "input", args.inputs.as_deref(), inputs)?;
    let outputs = shown(args, mechanism, at)?;
    choose(&mut form, inputs.as_deref(), outputs.as_deref());
    Ok(form)
}

/// Indices of the requested outputs among those with rows.
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
        .map_err(|errors| Failure(format!("the linear form is not a valid model\n{errors}")))?;
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
