//! Control plane: loads a co-simulation FMU of any vendor through its C functions.
//!
//! An [`Fmu`] is unpacked once and can be instantiated many times. In the desk programs, this folder is the only
//! place where Rust calls foreign code. Like any other importer, it must trust that a library follows the FMI
//! standard.
#![expect(unsafe_code, reason = "an FMU is a C library")]

mod fmi2;
mod fmi3;
mod log;
mod state;
mod symbols;

use std::error::Error as _;
use std::ffi::{CString, c_char, c_int};
use std::path::{Path, PathBuf};

use libloading::Library;
use model_description::parse::{self, CoSimulation, Description, FmiVersion};
use tempfile::TempDir;

use crate::archive::read;
use crate::layout::{Platform, cut_off};
use crate::slave::{Advance, Failure, LogLevel, Message, Slave, Value, size};
use log::LogSink;

/// Largest number of elements of all variables together, arrays included: each is a column of a table.
const MOST_ELEMENTS: usize = 10_000_000;

/// An unpacked FMU.
#[derive(Debug)]
pub struct Fmu {
    description: Description,
    library: PathBuf,
    resources: PathBuf,
    _folder: TempDir,
}

/// An instance of an [`Fmu`].
pub struct Instance<'a> {
    fmu: &'a Fmu,
    binding: Binding,
}

enum Binding {
    Fmi2(fmi2::Instance),
    Fmi3(fmi3::Instance),
}

/// The arguments of instantiation.
struct Start<'a> {
    instance_name: &'a str,
    token: &'a str,
    resources: &'a Path,
    talk: LogLevel,
}

/// `fmi2Status`, `fmi3Status`.
struct Status(c_int);

impl Status {
    const DISCARD: c_int = 2;
    const FATAL: c_int = 4;

    /// Turns every status except OK and Warning into a failure with the logged reason.
    fn check(&self, function: &str, sink: &LogSink) -> Result<(), Failure> {
        let name = match self.0 {
            0 | 1 => return Ok(()),
            Self::DISCARD => "Discard".to_owned(),
            3 => "Error".to_owned(),
            Self::FATAL => "Fatal".to_owned(),
            other => format!("status {other}"),
        };
        let reason = match sink.complaint() {
            reason if reason.is_empty() => "the FMU gave no reason".to_owned(),
            reason => reason,
        };
        Err(Failure(format!("{function} returned {name}: {reason}")))
    }
}

fn to_c(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| Failure(format!("{text:?} holds a zero character")))
}

impl Fmu {
    /// Unpacks the file and reads its description; runs none of its code.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let description = parse::description(&read::read_xml(path)?)
            .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        if let Some(reason) = too_many_elements(&description) {
            let path = path.display();
            return Err(Failure(format!("{path}: modelDescription.xml: {reason}")));
        }
        let identifier = co_simulation(path, &description)?.model_identifier.clone();
        let folder = tempfile::Builder::new()
            .prefix("fixstep-")
            .tempdir()
            .map_err(|error| Failure(format!("no folder to unpack into: {error}")))?;
        read::unpack(path, folder.path())?;
        let library = library(path, folder.path(), description.version, &identifier)?;
        let resources = folder.path().join("resources");
        Ok(Self {
            description,
            library,
            resources,
            _folder: folder,
        })
    }

    /// The description of the FMU.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Loads the library and makes an instance. All instances share one loaded library, which is unloaded with the
    /// last of them.
    pub fn instantiate(&self, name: &str, talk: LogLevel) -> Result<Instance<'_>, Failure> {
        // SAFETY: loading runs the library's initializers, which is what running an FMU means.
        let library = unsafe { Library::new(&self.library) };
        let library = library.map_err(|error| {
            // The error itself names the function that failed, its source gives the reason.
            let why = error
                .source()
                .map_or_else(|| error.to_string(), ToString::to_string);
            let reason = format!("{} cannot be loaded: {why}", self.library.display());
            self.with_tool_hint(&reason)
        })?;
        let token = &self.description.token;
        let start = Start {
            instance_name: name,
            token,
            resources: &self.resources,
            talk,
        };
        let made = match self.description.version {
            FmiVersion::V2 => fmi2::Instance::new(library, &start).map(Binding::Fmi2),
            FmiVersion::V3 => fmi3::Instance::new(library, &start).map(Binding::Fmi3),
        };
        let mut binding = made.map_err(|Failure(reason)| self.with_tool_hint(&reason))?;
        self.ask_for(talk, &mut binding)?;
        Ok(Instance { fmu: self, binding })
    }

    /// Switches on those categories of messages that the FMU has.
    fn ask_for(&self, talk: LogLevel, binding: &mut Binding) -> Result<(), Failure> {
        let offered = &self.description.log_categories;
        let known = |name: &&str| offered.iter().any(|category| category == name);
        let names = talk.categories().iter().copied().filter(known).map(to_c);
        let names = names.collect::<Result<Vec<_>, _>>()?;
        if names.is_empty() {
            return Ok(());
        }
        let pointers: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        match binding {
            Binding::Fmi2(it) => it.set_debug_logging(&pointers),
            Binding::Fmi3(it) => it.set_debug_logging(&pointers),
        }
        Ok(())
    }

    /// An FMU that needs a tool may fail because the tool is missing.
    fn with_tool_hint(&self, reason: &str) -> Failure {
        let interface = self.description.co_simulation.as_ref();
        if interface.is_some_and(|interface| interface.needs_execution_tool) {
            let tool = &self.description.generation_tool;
            return Failure(format!(
                "{reason}; the FMU needs its tool to be installed ({tool})"
            ));
        }
        Failure(reason.to_owned())
    }
}

/// Why tables cannot hold an FMU's variables, if they cannot.
pub(crate) fn too_many_elements(description: &Description) -> Option<String> {
    let elements = description.variables.iter().map(|v| size(description, v));
    let elements = elements.fold(0, usize::saturating_add);
    (elements > MOST_ELEMENTS).then(|| {
        format!("variables have {elements} elements together; valid: at most {MOST_ELEMENTS}")
    })
}

/// The functions that a library must export to be run.
pub(crate) const fn required(version: FmiVersion) -> &'static [&'static str] {
    match version {
        FmiVersion::V2 => fmi2::REQUIRED,
        FmiVersion::V3 => fmi3::REQUIRED,
    }
}

/// The co-simulation interface, or why there is none to use.
fn co_simulation<'a>(
    path: &Path,
    description: &'a Description,
) -> Result<&'a CoSimulation, Failure> {
    let fail = |reason: &str| Failure(format!("{}: {reason}", path.display()));
    description.co_simulation.as_ref().ok_or_else(|| {
        fail("no co-simulation interface; model exchange and scheduled execution cannot be run")
    })
}

/// The library for this computer.
fn library(
    path: &Path,
    folder: &Path,
    version: FmiVersion,
    identifier: &str,
) -> Result<PathBuf, Failure> {
    let binaries = folder.join("binaries");
    let host = Platform::HOST;
    let candidates: Vec<PathBuf> = [host.folder(version), host.folder(FmiVersion::V3)]
        .into_iter()
        .map(|name| {
            binaries
                .join(name)
                .join(format!("{identifier}.{}", host.extension()))
        })
        .collect();
    if let Some(found) = candidates.iter().find(|candidate| candidate.is_file()) {
        let fail = |reason: String| {
            let inside = found.strip_prefix(folder).unwrap_or(found);
            Failure(format!(
                "{}: {}: {reason}",
                path.display(),
                inside.display()
            ))
        };
        let bytes = std::fs::read(found).map_err(|error| fail(error.to_string()))?;
        return match cut_off(&bytes) {
            Some(reason) => Err(fail(reason)),
            None => Ok(found.clone()),
        };
    }
    // Folders that hold something.
    let full = |folder: &Path| std::fs::read_dir(folder).is_ok_and(|mut all| all.next().is_some());
    let mut there: Vec<String> = std::fs::read_dir(&binaries)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()).filter(|path| full(path)))
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    there.sort_unstable();
    Err(Failure(format!(
        "{}: no binary for this computer: binaries/{}/{identifier}.{} is missing; there is {}",
        path.display(),
        host.folder(version),
        host.extension(),
        if there.is_empty() {
            "none at all".to_owned()
        } else {
            there.join(", ")
        }
    )))
}

impl Slave for Instance<'_> {
    fn description(&self) -> &Description {
        &self.fmu.description
    }

    fn set(&mut self, variable: usize, values: &[Value]) -> Result<(), Failure> {
        let variable = &self.fmu.description.variables[variable];
        let (kind, reference) = (variable.kind, variable.reference);
        let done = match &mut self.binding {
            Binding::Fmi2(instance) => instance.set(kind, reference, values),
            Binding::Fmi3(instance) => instance.set(kind, reference, values),
        };
        done.map_err(|Failure(text)| Failure(format!("variable \"{}\": {text}", variable.name)))
    }

    fn read(&mut self, variable: usize, into: &mut Vec<f64>) -> Result<(), Failure> {
        let description = &self.fmu.description;
        let variable = &description.variables[variable];
        let (kind, reference) = (variable.kind, variable.reference);
        let done = match &mut self.binding {
            Binding::Fmi2(instance) => instance.read(kind, reference, into),
            Binding::Fmi3(instance) => {
                instance.read(kind, reference, size(description, variable), into)
            }
        };
        done.map_err(|Failure(text)| Failure(format!("variable \"{}\": {text}", variable.name)))
    }

    fn read_text(&mut self, variable: usize, into: &mut Vec<String>) -> Result<(), Failure> {
        let description = &self.fmu.description;
        let variable = &description.variables[variable];
        let (kind, reference) = (variable.kind, variable.reference);
        let done = match &mut self.binding {
            Binding::Fmi2(instance) => instance.read_text(reference, into),
            Binding::Fmi3(instance) => {
                instance.read_text(kind, reference, size(description, variable), into)
            }
        };
        done.map_err(|Failure(text)| Failure(format!("variable \"{}\": {text}", variable.name)))
    }

    fn enter_initialization(&mut self, start: f64, stop: Option<f64>) -> Result<(), Failure> {
        match &mut self.binding {
            Binding::Fmi2(instance) => instance.enter_initialization(start, stop),
            Binding::Fmi3(instance) => instance.enter_initialization(start, stop),
        }
    }

    fn exit_initialization(&mut self) -> Result<(), Failure> {
        match &mut self.binding {
            Binding::Fmi2(instance) => instance.exit_initialization(),
            Binding::Fmi3(instance) => instance.exit_initialization(),
        }
    }

    fn step(&mut self, time: f64, step: f64) -> Result<Advance, Failure> {
        match &mut self.binding {
            Binding::Fmi2(instance) => instance.step(time, step),
            Binding::Fmi3(instance) => instance.step(time, step),
        }
    }

    fn terminate(&mut self) -> Result<(), Failure> {
        match &mut self.binding {
            Binding::Fmi2(instance) => instance.terminate(),
            Binding::Fmi3(instance) => instance.terminate(),
        }
    }

    fn saved(&self) -> Result<Vec<u8>, Failure> {
        match &self.binding {
            Binding::Fmi2(instance) => instance.saved(),
            Binding::Fmi3(instance) => instance.saved(),
        }
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match &self.binding {
            Binding::Fmi2(instance) => instance.restore(bytes),
            Binding::Fmi3(instance) => instance.restore(bytes),
        }
    }

    fn messages(&mut self) -> Vec<Message> {
        match &mut self.binding {
            Binding::Fmi2(instance) => instance.messages(),
            Binding::Fmi3(instance) => instance.messages(),
        }
    }
}
