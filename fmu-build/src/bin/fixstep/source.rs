//! Control plane: the file that a command works on: a model, an FMU or a system of FMUs.

use std::path::{Path, PathBuf};

use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::{folder, read_bounded};
use fixstep_model::shapes::Shape;
use fixstep_model::{Asked, AskedValue, Model, ModelErrors};
use fixstep_variables::file::Blueprint;
use fixstep_variables::units::parse_unit;
use fmu_build::check::is_ours;
use fmu_build::client::Fmu;
use fmu_build::csv::{TABLE_BYTES, Table};
use fmu_build::native::Native;
use fmu_build::package::own;
use fmu_build::slave::{Failure, LogLevel, Slave, find};
use fmu_build::ssp::{Package, is_ssp};
use fmu_build::trial;
use model_description::parse::Description;

use crate::args::option_for;
use crate::kinds::require;
use crate::places::Stop;

/// A file, read.
pub(crate) enum Source {
    /// A model.
    Model(Box<Model>),
    /// An FMU.
    Fmu(Box<Fmu>),
    /// A system of FMUs.
    System(Box<Package>),
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        if is_archive(path)? {
            if is_ssp(path) {
                return Ok(Self::System(Box::new(Package::open(path)?)));
            }
            return Ok(Self::Fmu(Box::new(Fmu::open(path)?)));
        }
        Ok(Self::Model(Box::new(model(path)?.1)))
    }

    /// The same, where these settings of the solver replace those of a model.
    pub(crate) fn open_with(path: &Path, asked: &[Asked]) -> Result<Self, Stop> {
        if asked.is_empty() || is_archive(path)? {
            return Ok(Self::open(path)?);
        }
        require(path, "json")?;
        let text = text(path, MODEL_BYTES)?;
        match read(path, &text, asked) {
            Ok(model) => Ok(Self::Model(Box::new(model))),
            Err(errors) => {
                // The options are to blame for what is wrong with them alone.
                read(path, &text, &[]).map_err(|errors| invalid(path, &errors))?;
                Err(Stop::CommandLine(in_options(&errors, asked)))
            }
        }
    }

    /// The same settings as start values of an FMU that this program has packed. A model has them already.
    pub(crate) fn settings(
        &self,
        path: &Path,
        asked: &[Asked],
    ) -> Result<Vec<(String, String)>, Failure> {
        let description = match self {
            Self::Fmu(fmu) if is_ours(fmu.description()) => fmu.description(),
            Self::Fmu(_) | Self::System(_) if !asked.is_empty() => {
                return Err(Failure(format!(
                    "{}: {} is for a model, or an FMU that fixstep built; other FMUs have their own steps",
                    path.display(),
                    option_for(&asked[0].setting)
                )));
            }
            _ => return Ok(Vec::new()),
        };
        asked
            .iter()
            .map(|asked| start_value(description, asked))
            .collect()
    }

    /// Does a model ask for what every iteration of a variable step does?
    pub(crate) fn traces(&self) -> bool {
        match self {
            Self::Model(model) => model.mechanism.solver.eprint,
            Self::Fmu(_) | Self::System(_) => false,
        }
    }

    /// The files that a model at this path refers to.
    pub(crate) fn files(&self, path: &Path) -> Vec<PathBuf> {
        match self {
            Self::Model(model) => files(path, model),
            Self::Fmu(_) | Self::System(_) => Vec::new(),
        }
    }

    /// What bodies look like.
    pub(crate) fn shapes(&self, path: &Path) -> Result<&[Shape], Failure> {
        Ok(&self.drawn(path)?.shapes)
    }

    /// What bodies look like, as far as the file tells: a protected FMU does not carry the model.
    pub(crate) fn looks(&self, path: &Path) -> Result<Vec<Shape>, Failure> {
        Ok(match self {
            Self::Model(model) => model.shapes.clone(),
            Self::Fmu(_) => match own::source(path)? {
                Some(Ok(model)) => model.shapes,
                _ => Vec::new(),
            },
            Self::System(_) => Vec::new(),
        })
    }

    /// A model, which can be drawn.
    fn drawn(&self, path: &Path) -> Result<&Model, Failure> {
        match self {
            Self::Model(model) => Ok(model),
            Self::Fmu(_) | Self::System(_) => Err(Failure(format!(
                "{}: an FMU does not tell where its bodies are; draw the model it was made of",
                path.display()
            ))),
        }
    }

    /// The mechanism for a trial; `None` if the file's mechanism is not accessible.
    pub(crate) fn blueprint(&self, path: &Path) -> Result<Option<Blueprint>, Failure> {
        match self {
            Self::Model(model) => Ok(Some(trial::blueprint(model))),
            Self::Fmu(fmu) if is_ours(fmu.description()) => Ok(own::mechanism(path)?.ok()),
            Self::Fmu(_) | Self::System(_) => Ok(None),
        }
    }

    /// The mechanism, to be linearised.
    pub(crate) fn mechanism(&self, path: &Path) -> Result<Blueprint, Failure> {
        match self {
            Self::Model(model) => Ok(trial::blueprint(model)),
            Self::Fmu(fmu) if is_ours(fmu.description()) => own::mechanism(path)?
                .map_err(|reason| Failure(format!("{}: {reason}", path.display()))),
            Self::Fmu(_) | Self::System(_) => Err(Failure(format!(
                "{}: the mechanism inside is not known; valid: a model, or an FMU that fixstep built",
                path.display()
            ))),
        }
    }

    /// A fresh slave.
    pub(crate) fn slave(&self, talk: LogLevel) -> Result<Box<dyn Slave + '_>, Failure> {
        Ok(match self {
            Self::Model(model) => Box::new(Native::new(model, talk)?),
            Self::Fmu(fmu) => Box::new(fmu.instantiate("fixstep", talk)?),
            Self::System(package) => Box::new(package.couple(talk)?),
        })
    }
}

/// Is it an archive, such as an FMU? By its first bytes, so that its name does not matter.
pub(crate) fn is_archive(path: &Path) -> Result<bool, Failure> {
    let fail = |error| Failure(format!("{}: {error}", path.display()));
    let mut file = std::fs::File::open(path).map_err(fail)?;
    let mut head = [0; 4];
    match std::io::Read::read_exact(&mut file, &mut head) {
        Ok(()) => Ok(head.starts_with(b"PK")),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(fail(error)),
    }
}

/// A setting of the solver as a start value.
fn start_value(description: &Description, asked: &Asked) -> Result<(String, String), Failure> {
    let name = format!("solver.{}", asked.setting);
    let variable = &description.variables[find(description, &name)?];
    let text = match &asked.value {
        AskedValue::Flag(flag) => flag.to_string(),
        AskedValue::Number(number) => number.to_string(),
        AskedValue::Word(word) => word.clone(),
        AskedValue::Seconds(seconds) => {
            let unit = parse_unit(&variable.unit).map_err(|_| {
                Failure(format!(
                    "{}: the FMU does not tell the unit of {name}; set it with --set {name}=...",
                    option_for(&asked.setting)
                ))
            })?;
            (seconds / unit.factor).to_string()
        }
        AskedValue::Default => {
            return Err(Failure(format!(
                "{} default is for a model; the settings of an FMU begin as they were packed, and --set {name}=... \
                 sets another value",
                option_for(&asked.setting)
            )));
        }
    };
    Ok((name, text))
}

/// Reads a model with its text; the failure lists all problems.
pub(crate) fn model(path: &Path) -> Result<(String, Model), Failure> {
    require(path, "json")?;
    let text = text(path, MODEL_BYTES)?;
    let model = read(path, &text, &[]).map_err(|errors| invalid(path, &errors))?;
    Ok((text, model))
}

fn read(path: &Path, text: &str, asked: &[Asked]) -> Result<Model, ModelErrors> {
    let name = path.display().to_string();
    Model::read_named(&name, text, &folder(parent(path)), asked)
}

fn invalid(path: &Path, errors: &ModelErrors) -> Failure {
    Failure(format!("{} is not a valid model\n{errors}", path.display()))
}

/// What is wrong with settings that options give, by the names of the options.
fn in_options(errors: &ModelErrors, asked: &[Asked]) -> String {
    let lines = errors.0.iter().map(|error| {
        let setting = error.path.strip_prefix("solver.");
        if let Some(setting) =
            setting.filter(|setting| asked.iter().any(|asked| asked.setting == *setting))
        {
            format!("{}: {}", option_for(setting), error.message)
        } else {
            let options: Vec<String> = { asked.iter() }
                .map(|asked| option_for(&asked.setting))
                .collect();
            format!("with {}: {}", options.join(", "), error.said())
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The text of a model that is changed in places: the flat text, if its parts come from templates or its numbers have units.
pub(crate) fn flat(path: &Path, text: String) -> Result<String, Failure> {
    let name = path.display().to_string();
    let flat = fixstep_model::flattened(&name, &text, &folder(parent(path)));
    match flat {
        Ok(flat) => Ok(flat.unwrap_or(text)),
        Err(errors) => Err(Failure(format!("{name} is not a valid model\n{errors}"))),
    }
}

/// The files that a model refers to.
pub(crate) fn files(path: &Path, model: &Model) -> Vec<PathBuf> {
    let names = model.files.keys();
    names.map(|name| parent(path).join(name)).collect()
}

/// The folder of a file: where the files are that a model refers to.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Reads a text file of limited size.
pub(crate) fn text(path: &Path, limit: u64) -> Result<String, Failure> {
    let fail = |reason: &dyn std::fmt::Display| Failure(format!("{}: {reason}", path.display()));
    let bytes = read_bounded(path, limit).map_err(|error| fail(&error))?;
    String::from_utf8(bytes).map_err(|error| fail(&format!("is not UTF-8: {}", error.utf8_error())))
}

/// Reads a table.
pub(crate) fn table(path: &Path) -> Result<Table, Failure> {
    let table = Table::parse(&text(path, TABLE_BYTES)?);
    let table = table.map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    Ok(Table {
        origin: path.display().to_string(),
        ..table
    })
}
