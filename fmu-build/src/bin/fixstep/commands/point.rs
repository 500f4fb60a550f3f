//! Control plane: finds the operating point that the command line asks for.

use fixstep_model::Model;
use fixstep_variables::file::Blueprint;
use fmu_build::operating_point::{self, OperatingPoint, Wanted};
use fmu_build::run::Plan;
use fmu_build::slave::Failure;

use crate::args;
use crate::console::Console;
use crate::places::{Places, Stop};
use crate::source::{Source, table};

/// The operating point; `places` are what the command writes.
pub(crate) fn find<'a>(
    args: &'a args::Point,
    places: Places<'a>,
    console: &mut Console,
) -> Result<OperatingPoint, Stop> {
    find_with(args, places, console, |_| Ok(()))
}

/// The same of a mechanism that is changed before it starts.
pub(crate) fn find_with<'a>(
    args: &'a args::Point,
    places: Places<'a>,
    console: &mut Console,
    change: impl FnOnce(&mut Blueprint) -> Result<(), Failure>,
) -> Result<OperatingPoint, Stop> {
    let source = Source::open(&args.file)?;
    let files = source.files(&args.file);
    let places = places
        .reads("FILE", [&args.file])
        .reads("--input", &args.start.input)
        .reads("--state", &args.state);
    places.reads("a file of the model", &files).check()?;
    let plan = Plan {
        start: args.start_time,
        stop: args.at,
        step: args.step,
        settings: args.start.set.clone(),
        input: args.start.input.as_deref().map(table).transpose()?,
        record: Vec::new(),
    };
    let wanted = Wanted {
        plan,
        balanced: args.balanced,
        talk: args.start.talk(),
    };
    let mut blueprint = source.mechanism(&args.file)?;
    change(&mut blueprint)?;
    let point = if let Some(path) = &args.state {
        // A state knows of which model it is.
        if let Source::Model(model) = &source {
            blueprint.token = token(model)?;
        }
        let bytes = std::fs::read(path);
        let bytes = bytes.map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        let found = operating_point::saved(blueprint, &bytes, wanted.talk);
        found.map_err(|Failure(reason)| Failure(format!("{}: {reason}", path.display())))?
    } else {
        console.begin(&blueprint.mechanism.name.clone());
        let found = operating_point::find(blueprint, &wanted, &mut |share| console.progress(share));
        console.end();
        found?
    };
    console.log(&point.messages, args.start.log, "");
    Ok(point)
}

/// The token of a model's FMU.
fn token(model: &Model) -> Result<String, Failure> {
    let packed = model.packed();
    let packed =
        packed.map_err(|fault| Failure(format!("the mechanism cannot be packed: {fault}")))?;
    Ok(packed.token)
}
