//! Control plane: what is wrong with a packed FMU, all of it, of any vendor.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use fixstep_variables::file::Blueprint;
use model_description::check::Severity;
use model_description::parse::{self, Description, FmiVersion};
use serde::Serialize;

use crate::archive::read::{Entry, entries, read, read_xml};
use crate::client::Fmu;
use crate::layout::{Platform, cut_off};
use crate::native;
use crate::package::{MECHANISM, MODEL, own};
use crate::slave::{Failure, Talk};

/// A problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Does it keep the FMU from working as the standard says?
    pub error: bool,
    /// Where: a path inside the FMU; empty: the file as a whole.
    pub place: String,
    /// What is wrong and what would be valid.
    pub message: String,
    /// The rule of linting that found it; empty: none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub rule: &'static str,
}

impl Problem {
    /// An error.
    pub(crate) fn error(place: &str, message: impl Into<String>) -> Self {
        Self {
            error: true,
            place: place.to_owned(),
            message: message.into(),
            rule: "",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.error { "error: " } else { "warning: " })?;
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

fn error(place: &str, message: impl Into<String>) -> Problem {
    Problem::error(place, message)
}

fn warning(place: &str, message: impl Into<String>) -> Problem {
    Problem {
        error: false,
        ..error(place, message)
    }
}

/// The problems of an FMU. With `load`, its binary for this computer is loaded and an instance is
/// made and freed, which runs the FMU's code. With `strict`, what linting finds in a model of ours
/// is an error.
pub fn fmu(path: &Path, load: bool, strict: bool) -> Result<Vec<Problem>, Failure> {
    let entries = entries(path)?;
    let mut problems = Vec::new();
    names(&entries, &mut problems);
    let xml = read_xml(path)?;
    let version = match parse::version(&xml) {
        Ok(version) => version,
        Err(reason) => {
            problems.push(error("modelDescription.xml", reason.to_string()));
            return Ok(problems);
        }
    };
    for problem in model_description::check::description(&xml, version) {
        problems.push(Problem {
            error: problem.severity == Severity::Error,
            place: "modelDescription.xml".to_owned(),
            message: strip_severity(&problem.to_string()),
            rule: "",
        });
    }
    let Ok(description) = parse::description(&xml) else {
        return Ok(problems);
    };
    binaries(path, &entries, &description, &mut problems)?;
    companions(&entries, version, &mut problems);
    if is_ours(&description) {
        own_mechanism(path, (&xml, &description), strict, &mut problems)?;
    }
    let sound = problems.iter().all(|problem| !problem.error);
    if load && sound {
        loads(path, &mut problems);
    }
    Ok(problems)
}

/// The line's severity is told by [`Problem::error`].
fn strip_severity(text: &str) -> String {
    text.replacen(": error: ", ": ", 1)
        .replacen(": warning: ", ": ", 1)
}

/// Did this program pack it?
pub fn is_ours(description: &Description) -> bool {
    description.generation_tool.starts_with("Fixstep")
}

/// What FMI says of the archive's entries.
fn names(entries: &[Entry], problems: &mut Vec<Problem>) {
    let mut seen = BTreeMap::new();
    for entry in entries {
        let name = entry.name.as_str();
        if name.contains('\\') {
            problems.push(error(
                name,
                "folders in names are separated by /, not by \\",
            ));
        } else if name.starts_with('/')
            || name.starts_with("./")
            || name.split('/').any(|part| part == "..")
        {
            problems.push(error(
                name,
                "names are relative to the archive's top, without . and ..",
            ));
        }
        if !entry.plain_method {
            problems.push(error(
                name,
                "is neither stored nor deflated; no other method is allowed",
            ));
        }
        if entry.encrypted {
            problems.push(error(name, "is encrypted, which is not allowed"));
        }
        if entry.link {
            problems.push(error(name, "is a symbolic link, which is not allowed"));
        }
        if let Some(other) = seen.insert(name.to_lowercase(), name) {
            problems.push(error(
                name,
                format!("has the same name as {other} on some systems"),
            ));
        }
    }
}

/// One binary for each platform folder, of that platform.
fn binaries(
    path: &Path,
    entries: &[Entry],
    description: &Description,
    problems: &mut Vec<Problem>,
) -> Result<(), Failure> {
    let Some(interface) = &description.co_simulation else {
        problems.push(warning(
            "modelDescription.xml",
            "there is no co-simulation interface",
        ));
        return Ok(());
    };
    let identifier = &interface.model_identifier;
    let folders: Vec<&str> = platform_folders(entries);
    if folders.is_empty()
        && !entries
            .iter()
            .any(|entry| entry.name.starts_with("sources/"))
    {
        problems.push(error("binaries", "there are neither binaries nor sources"));
    }
    for folder in folders {
        let prefix = format!("binaries/{folder}/{identifier}.");
        let library = entries.iter().find(|entry| {
            let extension = entry.name.strip_prefix(&prefix);
            extension.is_some_and(|extension| ["so", "dll", "dylib"].contains(&extension))
        });
        let Some(library) = library else {
            problems.push(error(
                &format!("binaries/{folder}"),
                format!("there is no library {identifier}, which modelDescription.xml names"),
            ));
            continue;
        };
        let bytes = read(path, &library.name)?;
        let Some(platform) = Platform::of_library(&bytes) else {
            // Of other platforms nothing is known.
            let expected = Platform::of_folder(folder).filter(|it| !it.may_be(&bytes));
            if let Some(platform) = expected {
                let wanted = platform.extension();
                problems.push(error(
                    &library.name,
                    format!("is no library for {folder}; valid: a shared library (.{wanted}) of that platform"),
                ));
            }
            continue;
        };
        if let Some(reason) = cut_off(&bytes) {
            problems.push(error(&library.name, reason));
        }
        let version = description.version;
        let right = platform.folder(version);
        if right != folder && platform.folder(FmiVersion::V3) != folder {
            problems.push(error(
                &library.name,
                format!("is for {right}, not for {folder}"),
            ));
        }
    }
    Ok(())
}

/// Folders directly below `binaries/`.
fn platform_folders(entries: &[Entry]) -> Vec<&str> {
    let below = entries
        .iter()
        .filter_map(|entry| entry.name.strip_prefix("binaries/"));
    let mut folders: Vec<&str> = below
        .filter_map(|name| Some(name.split_once('/')?.0))
        .filter(|name| !name.is_empty())
        .collect();
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// Documentation and licence.
fn companions(entries: &[Entry], version: FmiVersion, problems: &mut Vec<Problem>) {
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    let page = has("documentation/index.html");
    let old_page = version == FmiVersion::V2 && has("documentation/_main.html");
    if !(page || old_page) {
        problems.push(warning(
            "documentation/index.html",
            "there is no documentation",
        ));
    }
    let license = |entry: &Entry| entry.name.starts_with("documentation/licenses/license.");
    if !entries.iter().any(license) {
        problems.push(warning(
            "documentation/licenses",
            "there is no license.txt or license.html",
        ));
    }
}

/// The mechanism inside one of our FMUs is sound, is the one that the description was made from, and is the one that the
/// copy of the model gives.
fn own_mechanism(
    path: &Path,
    (xml, description): (&str, &Description),
    strict: bool,
    problems: &mut Vec<Problem>,
) -> Result<(), Failure> {
    let blueprint = match own::mechanism(path)? {
        Ok(blueprint) => blueprint,
        Err(reason) if own::is_former(path)? => {
            problems.push(warning("resources", reason));
            return Ok(());
        }
        Err(reason) => {
            problems.push(error(MECHANISM, reason));
            return Ok(());
        }
    };
    if blueprint.token != description.token {
        problems.push(error(
            MECHANISM,
            format!(
                "has the token {}, but modelDescription.xml has {}: they do not belong together; build the FMU again",
                blueprint.token, description.token
            ),
        ));
    } else if let Some(difference) = own::difference(xml, description, &blueprint) {
        problems.push(error("modelDescription.xml", difference));
    }
    let Blueprint {
        mechanism, token, ..
    } = blueprint;
    let place = match own::source(path)? {
        None => MECHANISM,
        Some(source) => {
            match source.and_then(|model| model.packed().map_err(|fault| fault.to_string())) {
                Err(reason) => problems.push(error(MODEL, reason)),
                Ok(rebuilt) if rebuilt.token != token => problems.push(error(
                    MODEL,
                    format!(
                        "gives the mechanism {}, but {MECHANISM} is {token}: one of them was changed; build the FMU \
                         again",
                        rebuilt.token
                    ),
                )),
                Ok(_) => {}
            }
            MODEL
        }
    };
    let found = native::lint(mechanism, strict);
    problems.extend(found.into_iter().map(|problem| Problem {
        place: match problem.place.as_str() {
            "" => place.to_owned(),
            entity => format!("{place}: {entity}"),
        },
        ..problem
    }));
    Ok(())
}

/// The binary can be loaded and makes an instance.
fn loads(path: &Path, problems: &mut Vec<Problem>) {
    let made = Fmu::open(path).and_then(|fmu| fmu.instantiate("check", Talk::Silence).map(drop));
    if let Err(Failure(text)) = made {
        problems.push(error("binaries", text));
    }
}

#[cfg(test)]
mod tests;
