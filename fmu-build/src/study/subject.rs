//! Control plane: the model of a study: where varied values go, and what its runs tell.

use std::path::{Path, PathBuf};

use fixstep_kernel::seconds::Seconds;
use fixstep_model::limits::MODEL_BYTES;
use fixstep_model::resources::{Files, folder, read_bounded};
use fixstep_model::{Model, expanded};
use fixstep_variables::file::Blueprint;
use model_description::parse::{Causality, Description, FmiVersion, Variable};
use serde_json::Value;

use super::results::{Take, Wanted};
use super::spec::{Method, Spec};
use super::tree;
use super::vary::{Factor, Level, Relative, Target};
use crate::csv::{TABLE_BYTES, Table};
use crate::native::Native;
use crate::package;
use crate::run::{Input, Plan};
use crate::slave::{Failure, LogLevel, find_element, is_numeric};
use crate::suggest::unknown;
use crate::trial;

/// Outputs that a study adds to its model for its expressions begin with this.
const ADDED: &str = "study.";

/// A model whose runs differ in a few values.
#[derive(Debug)]
pub struct Subject {
    /// The file of the model.
    pub path: PathBuf,
    /// The mechanism, where no number of the model's text is varied.
    blueprint: Blueprint,
    /// Its variables.
    pub description: Description,
    /// The flat model with the outputs that the study adds, if there are any or the text is varied.
    flat: Option<Value>,
    files: Files,
    /// Every run without its varied values.
    pub plan: Plan,
    /// Settings that replace those of the model.
    asked: Vec<fixstep_model::Asked>,
    /// The columns of the table of a run that results are taken of.
    pub columns: Vec<String>,
    /// The columns that are kept over time.
    pub series: Vec<String>,
    /// What the model has where the study varies.
    pub nominal: Vec<Level>,
}

/// The text of a file.
pub(super) fn text(path: &Path, limit: u64) -> Result<String, Failure> {
    let fail = |reason: &dyn std::fmt::Display| Failure(format!("{}: {reason}", path.display()));
    let bytes = read_bounded(path, limit).map_err(|error| fail(&error))?;
    String::from_utf8(bytes).map_err(|error| fail(&format!("is not UTF-8: {}", error.utf8_error())))
}

impl Subject {
    /// Reads the model of a description that is in a folder.
    pub fn new(spec: &Spec, beside: &Path) -> Result<Self, Failure> {
        let path = beside.join(&spec.model);
        let ending = path.extension().unwrap_or_default();
        if !ending.eq_ignore_ascii_case("json") {
            return Err(Failure(format!(
                "field model: {} is no model; valid: a model (.json)",
                path.display()
            )));
        }
        let text = text(&path, MODEL_BYTES)
            .map_err(|Failure(why)| Failure(format!("field model: {why}")))?;
        let name = path.display().to_string();
        let beside_model = path.parent().unwrap_or(Path::new(""));
        let files = folder(beside_model);
        let invalid = |errors: fixstep_model::ModelErrors| {
            Failure(format!("{name} is not a valid model\n{errors}"))
        };
        let model = Model::read_named(&name, &text, &files, &spec.run.asked).map_err(invalid)?;
        let description = package::description(&model, FmiVersion::V2)?;
        let names = named(spec, &description);
        let varied = spec
            .factors
            .iter()
            .any(|it| matches!(it.target, Target::Paths(_)));
        let expressions = names.iter().any(Option::is_none);
        let flat = if varied || expressions {
            let flat = expanded(&name, &text, &files).map_err(invalid)?;
            let value = serde_json::from_str(&flat);
            Some(value.map_err(|error| Failure(format!("{name}: {error}")))?)
        } else {
            None
        };
        let mut subject = Self {
            path: path.clone(),
            blueprint: trial::blueprint(&model),
            description,
            flat,
            files: model.files.clone(),
            plan: Plan::default(),
            asked: spec.run.asked.clone(),
            columns: Vec::new(),
            series: spec.series.clone(),
            nominal: Vec::new(),
        };
        subject
            .blueprint
            .token
            .clone_from(&subject.description.token);
        subject.add_outputs(spec, &names)?;
        subject.plan = subject.plan(spec, beside)?;
        subject.nominal = subject.nominals(spec)?;
        Ok(subject)
    }

    /// Gives the model an output for every expression.
    fn add_outputs(&mut self, spec: &Spec, names: &[Option<String>]) -> Result<(), Failure> {
        let added = |name: &str| format!("{ADDED}{name}");
        let columns = spec.results.iter().zip(names);
        self.columns = columns
            .map(|(wanted, name)| name.clone().unwrap_or_else(|| added(&wanted.name)))
            .collect();
        let Some(flat) = &mut self.flat else {
            return Ok(());
        };
        let before = tree::outputs(flat);
        for (wanted, _) in spec
            .results
            .iter()
            .zip(names)
            .filter(|(_, name)| name.is_none())
        {
            let expression = tree::without_outputs(&wanted.of, &before);
            let mut output =
                serde_json::json!({"name": added(&wanted.name), "expression": expression});
            if !wanted.unit.is_empty() {
                output["unit"] = Value::from(wanted.unit.as_str());
            }
            tree::add_output(flat, output);
        }
        let flat = flat.clone();
        let model = self.read(&flat).map_err(|Failure(why)| {
            // The model by itself is valid, so an expression is at fault.
            let lines = why.lines().filter(|line| line.contains(ADDED));
            let lines: Vec<&str> = lines.collect();
            let why = if lines.is_empty() { why.clone() } else { lines.join("\n") };
            Failure(format!(
                "results, field of: neither the name of an output or variable, nor a valid expression:\n{why}"
            ))
        })?;
        self.description = package::description(&model, FmiVersion::V2)?;
        self.blueprint = trial::blueprint(&model);
        self.blueprint.token.clone_from(&self.description.token);
        Ok(())
    }

    /// Reads the flat model.
    fn read(&self, flat: &Value) -> Result<Model, Failure> {
        let name = self.path.display();
        let folder = folder(self.path.parent().unwrap_or(Path::new("")));
        let files = |path: &str| match self.files.get(path) {
            Some(bytes) => Ok(bytes.to_vec()),
            None => folder(path),
        };
        let text = flat.to_string();
        let named = format!("{name} (flat)");
        Model::read_named(&named, &text, &files, &self.asked).map_err(|errors| {
            let lines = errors.0.iter().map(|error| error.said().to_string());
            Failure(lines.collect::<Vec<_>>().join("\n"))
        })
    }

    /// The flat model with the values of a run in it; `None`: nothing in it is varied.
    pub fn varied(&self, factors: &[Factor], levels: &[Level]) -> Option<Value> {
        let paths = |factor: &Factor| matches!(factor.target, Target::Paths(_));
        if !factors.iter().any(paths) {
            return None;
        }
        let mut flat = self.flat.clone()?;
        for (factor, level) in factors.iter().zip(levels) {
            let Target::Paths(paths) = &factor.target else {
                continue;
            };
            for path in paths {
                if let Ok(place) = tree::place(&mut flat, path) {
                    *place = match level {
                        Level::Number(value) => Value::from(*value),
                        Level::Word(text) => Value::from(text.as_str()),
                    };
                }
            }
        }
        Some(flat)
    }

    /// The flat model as every run without varied text has it, if it is not the model itself.
    pub fn flat(&self) -> Option<&Value> {
        self.flat.as_ref()
    }

    /// The start values of a run besides those in the text.
    pub fn settings(&self, factors: &[Factor], levels: &[Level]) -> Vec<(String, String)> {
        let mut all = self.plan.settings.clone();
        for (factor, level) in factors.iter().zip(levels) {
            if let Target::Parameter(name) | Target::Setting(name) | Target::Input(name) =
                &factor.target
            {
                all.push((name.clone(), level.text()));
            }
        }
        all
    }

    /// A slave for a run.
    pub fn slave(&self, factors: &[Factor], levels: &[Level]) -> Result<Native, Failure> {
        let mut slave = match self.varied(factors, levels) {
            Some(flat) => Native::new(&self.read(&flat)?, LogLevel::Warnings)?,
            None => Native::of(
                self.blueprint.clone(),
                self.description.clone(),
                LogLevel::Warnings,
            )?,
        };
        if let Some(step) = self.plan.step {
            crate::slave::Slave::announce_step(&mut slave, step);
        }
        Ok(slave)
    }

    /// What the model has where the study varies; all that does not fit is told.
    fn nominals(&self, spec: &Spec) -> Result<Vec<Level>, Failure> {
        let mut problems = Vec::new();
        let mut all = Vec::new();
        for (k, factor) in spec.factors.iter().enumerate() {
            let level = self.nominal(spec, factor);
            match level.and_then(|level| fits(spec, factor, level)) {
                Ok(level) => all.push(level),
                Err(why) => problems.push(format!("error: vary[{k}] \"{}\": {why}", factor.name)),
            }
        }
        if problems.is_empty() {
            return Ok(all);
        }
        Err(Failure(problems.join("\n")))
    }

    fn nominal(&self, spec: &Spec, factor: &Factor) -> Result<Level, String> {
        let (what, name) = match &factor.target {
            Target::Paths(paths) => return self.nominal_of(paths, factor),
            Target::Parameter(name) => ("parameter", name),
            Target::Setting(name) => ("setting", name),
            Target::Input(name) => ("input", name),
        };
        let fits = |variable: &Variable| {
            let solver = variable.name.starts_with("solver.");
            match variable.causality {
                Causality::Input => what == "input",
                Causality::Parameter => what == if solver { "setting" } else { "parameter" },
                _ => false,
            }
        };
        let variables = self.description.variables.iter();
        let names = variables.filter(|it| fits(it)).map(|it| it.name.as_str());
        let found = find_element(&self.description, name).ok();
        let found = found.map(|(at, _)| &self.description.variables[at]);
        let Some(variable) = found.filter(|it| fits(it)) else {
            return Err(unknown(what, name, names));
        };
        if what == "input" && spec.run.input.is_some() {
            let table = &self.plan.input;
            if table
                .as_ref()
                .is_some_and(|table| table.names.contains(name))
            {
                return Err(format!(
                    "the table of run.input gives the input \"{name}\"; valid: a table without this column"
                ));
            }
        }
        let set = spec.run.set.iter().find(|(of, _)| of == name);
        let start = set.map(|(_, text)| text.clone());
        let start = start.or_else(|| variable.start.first().cloned());
        let start = start.unwrap_or_else(|| "0".to_owned());
        let start = if factor.is_number() {
            start
        } else {
            self.item(variable, start)
        };
        Ok(match start.parse() {
            Ok(value) if factor.is_number() => Level::Number(value),
            _ if factor.relative != Relative::No => {
                return Err(format!("\"{start}\" is no number to be changed relatively"));
            }
            _ => Level::Word(start),
        })
    }

    /// The name of an item of an enumeration in place of its number.
    fn item(&self, variable: &Variable, start: String) -> String {
        let mut types = self.description.types.iter();
        let declared = types.find(|it| it.name == variable.declared_type);
        let items = declared.map_or(&[][..], |it| it.items.as_slice());
        let named = items.iter().find(|item| item.value.to_string() == start);
        named.map_or(start, |item| item.name.clone())
    }

    fn nominal_of(&self, paths: &[String], factor: &Factor) -> Result<Level, String> {
        let mut flat = self.flat.clone().unwrap_or_default();
        let mut first = None;
        for path in paths {
            let place = tree::place(&mut flat, path).map_err(|why| format!("field path: {why}"))?;
            let level = match place {
                Value::Number(number) => Level::Number(number.as_f64().unwrap_or(0.0)),
                Value::String(text) => Level::Word(text.clone()),
                Value::Bool(flag) => Level::Word(flag.to_string()),
                other => {
                    let keys = tree::below(other);
                    return Err(format!(
                        "field path: \"{path}\" is no number; below it: {keys}"
                    ));
                }
            };
            if factor.relative != Relative::No && !matches!(level, Level::Number(_)) {
                return Err(format!(
                    "field path: \"{path}\" holds \"{}\", which is no number to be changed relatively; vary the parameters \
                     that it names",
                    level.text()
                ));
            }
            if factor.relative != Relative::No && first.as_ref().is_some_and(|it| *it != level) {
                return Err(format!(
                    "field path: \"{path}\" holds another number than \"{}\"; valid with \"relative\": places with the same one",
                    paths[0]
                ));
            }
            first.get_or_insert(level);
        }
        first.ok_or_else(|| "there is no path".to_owned())
    }

    /// Every run without its varied values.
    fn plan(&self, spec: &Spec, beside: &Path) -> Result<Plan, Failure> {
        let run = &spec.run;
        let mut record: Vec<String> = Vec::new();
        let recorded = self.columns.iter().chain(&self.series);
        let recorded = recorded.filter(|name| !name.is_empty());
        for name in recorded {
            let at = match find_element(&self.description, name) {
                Ok((at, _)) => at,
                Err(Failure(why)) => return Err(Failure(format!("error: series: {why}"))),
            };
            let variable = &self.description.variables[at];
            if !is_numeric(variable) {
                return Err(Failure(format!("error: \"{name}\" is no number over time")));
            }
            if variable.causality != Causality::Output && !record.contains(&variable.name) {
                record.push(variable.name.clone());
            }
        }
        let plan = Plan {
            start: run.start,
            stop: run.stop,
            step: run.step,
            settings: run.set.clone(),
            input: run
                .input
                .as_ref()
                .map(|name| table(&beside.join(name)))
                .transpose()?,
            record,
            ..Plan::default()
        };
        let times = plan.times(&self.description)?;
        if times.steps == 0 {
            return Err(Failure(format!(
                "run: there is no communication step from {} s to {} s",
                Seconds(times.start),
                Seconds(times.stop)
            )));
        }
        if let Some(table) = &plan.input {
            Input::new(&self.description, table)?;
        }
        Ok(plan)
    }

    /// The files that a study reads besides its description.
    pub fn read_files(&self, spec: &Spec, beside: &Path) -> Vec<PathBuf> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let files = self.files.keys().map(|name| folder.join(name));
        let table = spec.run.input.iter().map(|name| beside.join(name));
        std::iter::once(self.path.clone())
            .chain(files)
            .chain(table)
            .collect()
    }

    /// The unit of a column of the table of a run, and of what is varied.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        let (at, _) = find_element(&self.description, name).ok()?;
        self.description.variables.get(at)
    }
}

/// The model's own value, which a study of one at a time has among the others of its column.
fn fits(spec: &Spec, factor: &Factor, level: Level) -> Result<Level, String> {
    let number = matches!(level, Level::Number(_));
    if spec.method == Method::OneAtATime && number != factor.is_number() {
        let (own, valid) = if number {
            ("a number", "numbers")
        } else {
            ("no number", "words")
        };
        return Err(format!(
            "the model's own value, which one run has, is {own}: \"{}\"; valid: {valid} as values, or another method",
            level.text()
        ));
    }
    Ok(level)
}

fn table(path: &Path) -> Result<Table, Failure> {
    let table = Table::parse(&text(path, TABLE_BYTES)?);
    let table =
        table.map_err(|error| Failure(format!("run.input: {}: {error}", path.display())))?;
    Ok(Table {
        origin: path.display().to_string(),
        ..table
    })
}

/// The variables that results are taken of; `None` for an expression. What is taken elsewhere has no variable: its name is empty.
fn named(spec: &Spec, description: &Description) -> Vec<Option<String>> {
    let known = |of: &String| {
        let (at, _) = find_element(description, of).ok()?;
        is_numeric(&description.variables[at]).then(|| of.clone())
    };
    let name = |wanted: &Wanted| match wanted.take {
        Take::Elsewhere => Some(String::new()),
        _ => known(&wanted.of),
    };
    spec.results.iter().map(name).collect()
}
