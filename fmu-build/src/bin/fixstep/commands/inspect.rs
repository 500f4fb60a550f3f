//! Control plane: `fixstep inspect`.

use std::path::Path;

use fixstep_model::Model;
use fmu_build::inspect::Inspection;
use fmu_build::mechanism::Mechanism;
use fmu_build::slave::{Failure, Slave, Talk};
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
        Inspection::of(package.couple(Talk::Silence)?.description())
    } else if is_archive(&args.file)? {
        inspect_fmu(&args.file)?
    } else {
        let (text, model) = model(&args.file)?;
        let mut inspection = Inspection::of(&package::description(&text, &model, FmiVersion::V2)?);
        inspection.fmi_version.clear();
        inspection.mechanism = Some(Mechanism::of(&model));
        inspection.notes = native::notes(&model);
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
    let description = parse::description(&archive::read::read_xml(path)?)
        .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    let mut inspection = Inspection::of(&description);
    let entries = archive::read::entries(path)?;
    let names = entries.into_iter().map(|entry| entry.name);
    inspection.binaries = names
        .filter(|name| name.starts_with("binaries/") && !name.ends_with('/'))
        .collect();
    if check::is_ours(&description) {
        let bytes = archive::read::read(path, package::MODEL)?;
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(model) = Model::read(&text, &|name| check::resource(path, name)) {
            inspection.mechanism = Some(Mechanism::of(&model));
            inspection.notes = native::notes(&model);
        }
    }
    Ok(inspection)
}
