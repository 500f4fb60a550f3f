//! Control plane: models as they are read.

use std::path::PathBuf;

use fixstep_kernel::mechanism::{Body, BodyKind};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::resources::{self, Resources};
use fixstep_model::{Asked, AskedValue, Model, ModelErrors};
use fixstep_variables::file::Blueprint;
use fmu_build::check::Problem;
use fmu_build::native;
use fmu_build::slave::Failure;
use fmu_build::trial;
use pyo3::prelude::*;

use crate::errors::{Kind, failed};
use crate::variables::{Described, describe};

/// A problem: severity, place in the text, path, message, rule, instances of templates around it.
pub(crate) type Told = (String, String, String, String, String, Vec<String>);

/// A body: its name, mass \[kg\], centre of mass in part axes \[m\], and moments xx, yy, zz with products xy, xz, yz of its
/// inertia there [kg m²].
pub(crate) type Massive = (String, f64, [f64; 3], [f64; 6]);

/// A model that is valid.
#[pyclass(frozen, module = "fixstep._fixstep")]
pub(crate) struct RawModel {
    pub(crate) model: Model,
    text: String,
    name: String,
    folder: Option<PathBuf>,
}

/// Reads with the files of a folder, or without any.
fn with_files<T>(folder: Option<&PathBuf>, read: impl FnOnce(&Resources<'_>) -> T) -> T {
    match folder {
        Some(folder) => read(&resources::folder(folder)),
        None => read(&resources::none),
    }
}

fn told(errors: &ModelErrors) -> Vec<Told> {
    let all = errors.0.iter();
    all.map(|error| {
        (
            "error".to_owned(),
            error.place.clone(),
            error.path.clone(),
            error.said().to_string(),
            String::new(),
            error.within.clone(),
        )
    })
    .collect()
}

fn of_problem(problem: Problem) -> Told {
    let severity = if problem.error { "error" } else { "warning" };
    (
        severity.to_owned(),
        problem.source,
        problem.place,
        problem.message,
        problem.rule.to_owned(),
        problem.within,
    )
}

impl RawModel {
    /// The mechanism with its table of variables, and its token.
    pub(crate) fn blueprint(&self) -> Result<Blueprint, Failure> {
        let packed = self.model.packed();
        let packed =
            packed.map_err(|fault| Failure(format!("the mechanism cannot be packed: {fault}")))?;
        let mut blueprint = trial::blueprint(&self.model);
        blueprint.token = packed.token;
        Ok(blueprint)
    }
}

#[pymethods]
impl RawModel {
    /// Reads a text; the problems if it is not valid. `asked` replaces settings of the solver.
    #[staticmethod]
    #[pyo3(signature = (name, text, folder=None, asked=Vec::new()))]
    fn read(
        py: Python<'_>,
        name: String,
        text: String,
        folder: Option<PathBuf>,
        asked: Vec<(String, Bound<'_, PyAny>)>,
    ) -> PyResult<(Option<Self>, Vec<Told>)> {
        let asked: Vec<Asked> = asked.iter().map(setting).collect::<PyResult<_>>()?;
        Ok(py.detach(|| {
            let read = with_files(folder.as_ref(), |files| {
                Model::read_named(&name, &text, files, &asked)
            });
            match read {
                Ok(model) => (
                    Some(Self {
                        model,
                        text,
                        name,
                        folder,
                    }),
                    Vec::new(),
                ),
                Err(errors) => (None, told(&errors)),
            }
        }))
    }

    /// The text that was read.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// What messages call the text.
    #[getter]
    fn origin(&self) -> &str {
        &self.name
    }

    /// The folder of its files.
    #[getter]
    fn folder(&self) -> Option<PathBuf> {
        self.folder.clone()
    }

    /// The name of the mechanism.
    #[getter]
    fn name(&self) -> &str {
        &self.model.mechanism.name
    }

    /// The text, flat if it has templates, and the files to which it refers.
    fn portable(&self) -> (String, Vec<(String, Vec<u8>)>) {
        let text = self.model.portable.as_ref().unwrap_or(&self.text).clone();
        let files = self.model.files.iter();
        let files = files.map(|(name, bytes)| (name.clone(), bytes.to_vec()));
        (text, files.collect())
    }

    /// Start, stop and communication step of the experiment \[s\].
    #[getter]
    fn experiment(&self) -> (f64, f64, f64) {
        let own = &self.model.mechanism.experiment;
        (own.start, own.stop, own.step)
    }

    /// All variables.
    fn variables(&self) -> Vec<Described> {
        describe(&fixstep_model::table::of(&self.model.mechanism))
    }

    /// The rigid bodies and point masses, with the start values of parameters.
    fn bodies(&self, py: Python<'_>) -> PyResult<Vec<Massive>> {
        let mechanism = &self.model.mechanism;
        let made = py.detach(|| Simulation::new(mechanism.clone()));
        let made = made.map_err(|fault| failed(Failure(fault.to_string())))?;
        let number = |id| made.number(id).unwrap_or(f64::NAN);
        let bodies = mechanism.bodies.iter();
        let own = bodies.filter(|body| matches!(body.kind, BodyKind::Rigid | BodyKind::Point));
        let of = |body: &Body| {
            let inertia = match body.kind {
                BodyKind::Point => [0.0; 6],
                _ => body.inertia.map(number),
            };
            let center = body.center_of_mass.into();
            (body.name.clone(), number(body.mass), center, inertia)
        };
        Ok(own.map(of).collect())
    }

    /// What identifies the model: the hash of its mechanism and variables.
    #[getter]
    fn token(&self) -> PyResult<String> {
        Ok(self.blueprint().map_err(failed)?.token)
    }
}

/// A setting of the solver that is asked for.
fn setting((name, value): &(String, Bound<'_, PyAny>)) -> PyResult<Asked> {
    let value = if value.is_none() {
        AskedValue::Default
    } else if let Ok(flag) = value.extract::<bool>() {
        AskedValue::Flag(flag)
    } else if let Ok(number) = value.extract::<f64>() {
        AskedValue::of(name, number)
    } else if let Ok(word) = value.extract::<String>() {
        AskedValue::Word(word)
    } else {
        return Err(Kind::General.error(format!(
            "solver.{name}: {value} is no setting; valid: a number, a word, True, False, or None for the default"
        )));
    };
    Ok(Asked {
        setting: name.clone(),
        value,
    })
}

/// All problems of a text, warnings among them, with lines that sum the mechanism up.
#[pyfunction]
#[pyo3(signature = (name, text, folder=None, strict=false))]
pub(crate) fn problems(
    py: Python<'_>,
    name: &str,
    text: &str,
    folder: Option<PathBuf>,
    strict: bool,
) -> (Vec<Told>, String) {
    py.detach(|| {
        let checked = with_files(folder.as_ref(), |files| {
            native::problems(name, text, files, strict)
        });
        let overview = checked.overview.map(|overview| overview.to_string());
        let problems = checked.problems.into_iter().map(of_problem);
        (problems.collect(), overview.unwrap_or_default())
    })
}

/// The JSON Schema of the format, as text.
#[pyfunction]
pub(crate) fn schema() -> String {
    fixstep_model::json_schema().to_string()
}

/// The flat text of a model, plain JSON: comments left out, templates expanded, units resolved; or its problems.
#[pyfunction]
#[pyo3(signature = (name, text, folder=None))]
pub(crate) fn expanded(
    py: Python<'_>,
    name: &str,
    text: &str,
    folder: Option<PathBuf>,
) -> (Option<String>, Vec<Told>) {
    let flat = py.detach(|| {
        with_files(folder.as_ref(), |files| {
            fixstep_model::expanded(name, text, files)
        })
    });
    match flat {
        Ok(text) => (Some(text), Vec::new()),
        Err(errors) => (None, told(&errors)),
    }
}

/// A text as plain JSON, without its comments; the problems if it cannot be parsed.
#[pyfunction]
pub(crate) fn without_comments(name: &str, text: &str) -> (Option<String>, Vec<Told>) {
    match fixstep_model::without_comments(name, text) {
        Ok(text) => (Some(text), Vec::new()),
        Err(errors) => (None, told(&errors)),
    }
}

/// A text in the one form of texts, with its comments; the problems if it cannot be parsed.
#[pyfunction]
pub(crate) fn formatted(name: &str, text: &str) -> (Option<String>, Vec<Told>) {
    match fixstep_model::formatted(name, text) {
        Ok(text) => (Some(text), Vec::new()),
        Err(errors) => (None, told(&errors)),
    }
}
