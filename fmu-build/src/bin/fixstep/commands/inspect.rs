//! Control plane: `fixstep inspect`, which lists the contents of a model, an FMU or a system.

use std::path::Path;

use fmu_build::inspect::Inspection;
use fmu_build::mechanism::Mechanism;
use fmu_build::package::{MECHANISM, own};
use fmu_build::slave::{Failure, LogLevel, Slave};
use fmu_build::{archive, check, native, package, ssp};
use model_description::parse::{self, FmiVersion};

use super::{Done, json};
use crate::args;
use crate::console::Console;
use crate::source::{is_archive, model};

/// `fixstep inspect`
pub(crate) fn inspect(args: &args::Inspect, console: &mut Console) -> Done {
    let inspection = if is_archive(&args.file)? && ssp::is_ssp(&args.file) {
        let package = ssp::Package::open(&args.file)?;
        Inspection::of(package.couple(LogLevel::Errors)?.description())
    } else if is_archive(&args.file)? {
        inspect_fmu(&args.file)?
    } else {
        let (_, model) = model(&args.file)?;
        let mut inspection = Inspection::of(&package::description(&model, FmiVersion::V2)?);
        inspection.fmi_version.clear();
        inspection.mechanism = Some(Mechanism::of(&model.mechanism));
        inspection.notes = native::notes(&model.mechanism);
        inspection.notes.extend(model.solids.iter().cloned());
        inspection
    };
    let text = if args.json {
        json(&inspection)?
    } else {
        inspection.to_string()
    };
    console.say(text.trim_end())?;
    Ok(true)
}

fn inspect_fmu(path: &Path) -> Result<Inspection, Failure> {
    let xml = archive::read::read_xml(path)?;
    let description = parse::description(&xml)
        .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    let mut inspection = Inspection::of(&description);
    let entries = archive::read::entries(path)?;
    let names = entries.into_iter().map(|entry| entry.name);
    inspection.binaries = names
        .filter(|name| name.starts_with("binaries/") && !name.ends_with('/'))
        .collect();
    if check::is_ours(&description) {
        match own::mechanism(path)? {
            Ok(blueprint) => {
                inspection.mechanism = Some(Mechanism::of(&blueprint.mechanism));
                inspection.notes = native::notes(&blueprint.mechanism);
                let difference = own::difference(&xml, &description, &blueprint);
                inspection.notes.extend(difference.map(|difference| {
                    format!(
                        "modelDescription.xml and {MECHANISM} do not belong together: {difference}"
                    )
                }));
            }
            Err(reason) => inspection.notes = vec![reason],
        }
    }
    Ok(inspection)
}
