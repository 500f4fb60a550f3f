//! Control plane: finds all faults of a packed FMU of any vendor.

mod binary;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use fixstep_model::{Place, Places};
use fixstep_variables::file::Blueprint;
use model_description::check::Severity;
use model_description::parse::{self, Description, FmiVersion};
use serde::Serialize;

use crate::archive::read::{Entry, entries, read, read_xml, refused};
use crate::client::{Fmu, too_many_elements};
use crate::native;
use crate::package::{MECHANISM, MODEL, own};
use crate::slave::{Failure, LogLevel};

const DESCRIPTION: &str = "modelDescription.xml";
const TERMINALS: &str = "terminalsAndIcons/terminalsAndIcons.xml";

/// A problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Does it prevent the FMU from working as the standard says?
    pub error: bool,
    /// The place: a path inside the FMU; empty: the file as a whole.
    pub place: String,
    /// The fault, and what would be valid.
    pub message: String,
    /// The rule of linting that found it; empty: none.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub rule: &'static str,
    /// Where in the text of a model it is, `model.json:12:5`, if `place` does not say it; empty: it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The instances of templates around it, innermost first, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
}

impl Problem {
    /// An error.
    pub fn error(place: &str, message: impl Into<String>) -> Self {
        Self {
            error: true,
            place: place.to_owned(),
            message: message.into(),
            rule: "",
            source: String::new(),
            within: Vec::new(),
        }
    }

    /// The same with its place in the text of a model.
    pub(crate) fn at(mut self, place: Option<Place>) -> Self {
        if let Some(place) = place {
            (self.source, self.within) = (place.at, place.within);
        }
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.error { "error: " } else { "warning: " })?;
        for place in [&self.source, &self.place] {
            if !place.is_empty() {
                write!(f, "{place}: ")?;
            }
        }
        f.write_str(&self.message)?;
        for line in &self.within {
            write!(f, "\n    {line}")?;
        }
        Ok(())
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

/// The problems of an FMU. With `load`, its binary for this computer is loaded and an instance is made and freed,
/// which runs the FMU's code. With `strict`, warnings about a model inside an FMU made by Fixstep are errors.
pub fn fmu(path: &Path, load: bool, strict: bool) -> Result<Vec<Problem>, Failure> {
    // A fault for which a run refuses the whole FMU is reported as a problem.
    let whole = |Failure(reason): Failure| vec![error("", reason)];
    let (entries, refused) = match entries(path).and_then(|all| Ok((all, refused(path)?))) {
        Ok(read) => read,
        Err(failure) => return Ok(whole(failure)),
    };
    let mut problems: Vec<Problem> = refused
        .into_iter()
        .map(|(name, reason)| error(&shortened(&name), reason))
        .collect();
    names(&entries, &mut problems);
    let xml = match read_xml(path) {
        Ok(xml) => xml,
        Err(failure) => {
            problems.extend(whole(failure));
            return Ok(problems);
        }
    };
    let version = match parse::version(&xml) {
        Ok(version) => version,
        Err(reason) => {
            problems.push(error(DESCRIPTION, reason.to_string()));
            return Ok(problems);
        }
    };
    let found = model_description::check::description(&xml, version);
    problems.extend(found.iter().map(|problem| of_xml(DESCRIPTION, problem)));
    let Ok(description) = parse::description(&xml) else {
        return Ok(problems);
    };
    problems.extend(too_many_elements(&description).map(|reason| error(DESCRIPTION, reason)));
    binaries(path, &entries, &description, &mut problems);
    terminals(path, &entries, &description, &mut problems);
    companions(&entries, version, &mut problems);
    if is_ours(&description)
        && let Err(failure) = own_mechanism(path, (&xml, &description), strict, &mut problems)
    {
        problems.extend(whole(failure));
    }
    let sound = problems.iter().all(|problem| !problem.error);
    if load && sound {
        loads(path, &mut problems);
    }
    Ok(problems)
}

/// A name that a line can hold.
fn shortened(name: &str) -> String {
    let shown: String = name
        .chars()
        .take(100)
        .flat_map(char::escape_debug)
        .collect();
    if name.chars().nth(100).is_none() {
        return shown;
    }
    format!("{shown}\u{2026}")
}

/// A problem of an XML file; [`Problem::error`] gives its severity.
fn of_xml(place: &str, problem: &model_description::check::Problem) -> Problem {
    let text = problem.to_string();
    let message = text.replacen(": error: ", ": ", 1);
    Problem {
        error: problem.severity == Severity::Error,
        message: message.replacen(": warning: ", ": ", 1),
        ..error(place, "")
    }
}

/// Did this program pack it?
pub fn is_ours(description: &Description) -> bool {
    description.generation_tool.starts_with("Fixstep")
}

/// FMI's rules about the archive's entries, beyond those that are refused at opening.
fn names(entries: &[Entry], problems: &mut Vec<Problem>) {
    let refused: BTreeSet<String> = problems.iter().map(|it| it.place.clone()).collect();
    let mut seen = BTreeMap::new();
    for entry in entries {
        let name = entry.name.as_str();
        let shown = shortened(name);
        if refused.contains(&shown) {
            continue;
        }
        if name.contains('\\') {
            problems.push(error(
                &shown,
                "folders in names are separated by /, not by \\",
            ));
        } else if name.starts_with("./") {
            problems.push(error(
                &shown,
                "names are relative to the archive's top, without . and ..",
            ));
        }
        if let Some(other) = seen.insert(name.to_lowercase(), name) {
            problems.push(error(
                &shown,
                format!("has the same name as {} on some systems", shortened(other)),
            ));
        }
    }
}

/// Checks that each platform folder holds one binary, of that platform.
fn binaries(
    path: &Path,
    entries: &[Entry],
    description: &Description,
    problems: &mut Vec<Problem>,
) {
    let Some(interface) = &description.co_simulation else {
        problems.push(warning(DESCRIPTION, "there is no co-simulation interface"));
        return;
    };
    let identifier = &interface.model_identifier;
    let folders: Vec<&str> = platform_folders(entries.iter().map(|entry| entry.name.as_str()));
    if folders.is_empty()
        && !entries
            .iter()
            .any(|entry| entry.name.starts_with("sources/") && !entry.name.ends_with('/'))
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
                format!("there is no library {identifier}, which {DESCRIPTION} names"),
            ));
            continue;
        };
        let name = &library.name;
        let found = match read(path, name) {
            Ok(bytes) => {
                let extension = name.rsplit('.').next().unwrap_or_default();
                binary::problems(&bytes, (folder, extension), description.version)
            }
            // Told already, where nothing can unpack it.
            Err(_) if problems.iter().any(|it| it.place == *name) => Vec::new(),
            Err(Failure(reason)) => vec![reason],
        };
        problems.extend(found.into_iter().map(|reason| error(name, reason)));
    }
}

/// Folders directly below `binaries/` that hold something.
fn platform_folders<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let below = names.filter_map(|name| name.strip_prefix("binaries/"));
    let mut folders: Vec<&str> = below
        .filter_map(|name| name.split_once('/'))
        .filter(|(folder, file)| !folder.is_empty() && !file.is_empty() && !file.ends_with('/'))
        .map(|(folder, _)| folder)
        .collect();
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// The terminals, where there are any.
fn terminals(
    path: &Path,
    entries: &[Entry],
    description: &Description,
    problems: &mut Vec<Problem>,
) {
    if !entries.iter().any(|entry| entry.name == TERMINALS)
        || problems.iter().any(|it| it.place == TERMINALS)
    {
        return;
    }
    let text = read(path, TERMINALS)
        .map_err(|Failure(reason)| reason)
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned()));
    match text {
        Ok(text) => {
            let found = model_description::check::terminals(&text, description);
            problems.extend(found.iter().map(|problem| of_xml(TERMINALS, problem)));
        }
        Err(reason) => problems.push(error(TERMINALS, reason)),
    }
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

/// Checks the mechanism inside an FMU made by Fixstep: it must be valid, match the description, and match the copy of
/// the model.
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
        problems.push(error(DESCRIPTION, difference));
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
    let found = native::lint(mechanism, strict, &Places::default()).problems;
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
    let made = Fmu::open(path).and_then(|fmu| fmu.instantiate("check", LogLevel::Errors).map(drop));
    if let Err(Failure(text)) = made {
        problems.push(error("binaries", text));
    }
}

#[cfg(test)]
mod tests;
