//! Control plane: systems of FMUs by the standard System Structure and Parameterization (SSP 1.0).
//!
//! ```text
//!     SystemStructure.ssd       components, connections, units
//!     resources/<name>.fmu      one for each component
//!     resources/<name>.ssv      its parameter set, where it has one
//! ```
//!
//! [`build`] makes an `.ssp` from a description in JSON, [`Package`] opens one, and [`coupled`] runs it.

mod build;
pub mod coupled;

pub use build::{build, components};

use std::path::{Path, PathBuf};

use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::read_bounded;
use model_description::parse::Description;
use model_description::ssp::{self, System};
use tempfile::TempDir;

use crate::archive::read;
use crate::check::{self, Problem};
use crate::client::Fmu;
use crate::slave::{Failure, LogLevel};
use coupled::{Coupled, Plan};

/// An `.ssp`, unpacked.
#[derive(Debug)]
pub struct Package {
    system: System,
    fmus: Vec<Fmu>,
    /// Component, variable and value of all parameters, in order.
    settings: Vec<(usize, String, String)>,
    folder: TempDir,
}

/// A component of an unpacked system.
pub struct Part<'a> {
    /// Its name.
    pub name: &'a str,
    /// The file of its FMU.
    pub file: PathBuf,
    /// The variables of its FMU.
    pub description: &'a Description,
    /// What the system sets: names and values.
    pub settings: Vec<(String, String)>,
}

impl Package {
    /// Unpacks the file and reads its descriptions; runs none of its code.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let fail = |place: &str, reason: &dyn std::fmt::Display| {
            Failure(format!("{}: {place}: {reason}", path.display()))
        };
        let folder = tempfile::Builder::new()
            .prefix("fixstep-")
            .tempdir()
            .map_err(|error| Failure(format!("no folder to unpack into: {error}")))?;
        read::unpack(path, folder.path())?;
        let place = |name: &str| match read::safe_name(name) {
            Some(inside) => Ok(folder.path().join(inside)),
            None => Err(fail(name, &"is not the name of a file in the archive")),
        };
        let text = |name: &str| {
            let bytes = read_bounded(&place(name)?, MODEL_BYTES);
            let bytes = bytes.map_err(|error| fail(name, &error))?;
            String::from_utf8(bytes).map_err(|error| fail(name, &error))
        };
        let system = ssp::system(&text(ssp::DESCRIPTION)?)
            .map_err(|error| fail(ssp::DESCRIPTION, &error))?;
        if system.components.is_empty() {
            return Err(fail(ssp::DESCRIPTION, &"there are no components"));
        }
        let (mut fmus, mut settings) = (Vec::new(), Vec::new());
        for (at, component) in system.components.iter().enumerate() {
            let fmu = Fmu::open(&place(&component.source)?);
            fmus.push(
                fmu.map_err(|error| fail(&format!("component \"{}\"", component.name), &error))?,
            );
            for source in &component.parameter_sets {
                let values = ssp::values(&text(source)?).map_err(|error| fail(source, &error))?;
                settings.extend(values.1.into_iter().map(|it| (at, it.name, it.value)));
            }
        }
        Ok(Self {
            system,
            fmus,
            settings,
            folder,
        })
    }

    /// Makes an instance of every component, sets its parameters, and connects them.
    pub fn couple(&self, talk: LogLevel) -> Result<Coupled<'_>, Failure> {
        Coupled::new(&self.system, &self.fmus, self.plan()?, talk)
    }

    /// The name of the system.
    pub fn name(&self) -> &str {
        &self.system.name
    }

    /// The components: name, file, description, and what the system sets.
    pub fn components(&self) -> Vec<Part<'_>> {
        let set = |at: usize| {
            let all = self.settings.iter().filter(move |(own, _, _)| *own == at);
            all.map(|(_, name, value)| (name.clone(), value.clone()))
        };
        let all = self.system.components.iter().zip(&self.fmus).enumerate();
        all.map(|(at, (component, fmu))| Part {
            name: &component.name,
            file: self.folder.path().join(&component.source),
            description: fmu.description(),
            settings: set(at).collect(),
        })
        .collect()
    }

    /// Resolves connections and parameter values; runs no code.
    fn plan(&self) -> Result<Plan, Failure> {
        Plan::new(&self.system, &self.fmus, &self.settings)
    }
}

/// Is the archive an `.ssp`?
pub fn is_ssp(path: &Path) -> bool {
    let is = |entry: &read::Entry| entry.name == ssp::DESCRIPTION;
    read::entries(path).is_ok_and(|entries| entries.iter().any(is))
}

/// The problems of an `.ssp` and of the FMUs in it. With `load`, their binaries for this computer are loaded and
/// connected, which runs their code.
pub fn problems(path: &Path, load: bool, strict: bool) -> Result<Vec<Problem>, Failure> {
    let package = match Package::open(path) {
        Ok(package) => package,
        Err(Failure(reason)) => return Ok(vec![Problem::error("", reason)]),
    };
    let mut problems = Vec::new();
    for component in &package.system.components {
        let file = package.folder.path().join(&component.source);
        for mut problem in check::fmu(&file, load, strict)? {
            problem.place = format!("{}: {}", component.source, problem.place);
            problems.push(problem);
        }
    }
    let sound = problems.iter().all(|problem| !problem.error);
    let coupled = match (sound, load) {
        (false, _) => Ok(()),
        (true, false) => package.plan().map(drop),
        (true, true) => package.couple(LogLevel::Errors).map(drop),
    };
    if let Err(Failure(reason)) = coupled {
        problems.push(Problem::error(ssp::DESCRIPTION, reason));
    }
    Ok(problems)
}
