//! The cases of the proofs: every example, a crane with flexible bodies, and a model with every kind of memory.

use std::fs;
use std::path::{Path, PathBuf};

use fixstep_kernel::mechanism::ForceKind;
use fixstep_model::{Model, table};
use fixstep_variables::file::MECHANISM_FILE;
use fixstep_variables::{Causality, Variability, VariableKind, VariableTable};

/// A mechanism with sampled systems, sensors and delays.
const MEMORY: &str = include_str!("memory.json");

/// Expressions whose branches, where they are not taken, are no numbers.
const FORMULA: &str = include_str!("formula.json");

/// Motion and filters that die away.
const DECAY: &str = include_str!("decay.json");

/// A model and how a host drives it.
pub(crate) struct Case {
    /// In reports.
    pub(crate) name: String,
    /// Folder with the mechanism, as the resources of an FMU are.
    pub(crate) resources: PathBuf,
    /// Token of the FMU.
    pub(crate) token: String,
    /// Its variables.
    pub(crate) table: VariableTable,
    /// Start of the experiment, in the model's unit of time \[s\].
    pub(crate) start: f64,
    /// Communication step \[s\].
    pub(crate) step: f64,
    /// Can bodies touch each other?
    pub(crate) contact: bool,
    /// What is set before each step.
    pub(crate) signals: Vec<Signal>,
}

/// A variable that is set before each step.
pub(crate) struct Signal {
    /// Of the variable.
    pub(crate) reference: u32,
    /// Times \[s\]; with one of them, or none, the value is constant.
    times: Vec<f64>,
    /// Values at these times.
    values: Vec<f64>,
}

impl Signal {
    /// The value at a time: linear between the rows, held before the first and after the last.
    pub(crate) fn at(&self, time: f64) -> f64 {
        let after = self.times.partition_point(|t| *t <= time);
        let [last, next] = [after.saturating_sub(1), after.min(self.times.len() - 1)];
        let [from, to] = [self.values[last], self.values[next]];
        let width = self.times[next] - self.times[last];
        if width > 0.0 {
            from + (to - from) * ((time - self.times[last]) / width).clamp(0.0, 1.0)
        } else {
            from
        }
    }
}

/// The root of the repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A case by its folder.
fn load(name: &str, folder: &Path) -> Case {
    let source = Model::from_file(&folder.join("model.json"));
    let source = source.map_err(|errors| errors.to_string()).unwrap();
    let packed = source.packed().unwrap();
    let model = &source.mechanism;
    let table = table::of(model);
    let (experiment, second) = (model.experiment, model.units.time.factor);
    let contact =
        |force: &fixstep_kernel::mechanism::Force| matches!(force.kind, ForceKind::Contact(_));
    let text = fs::read_to_string(folder.join("model.json")).unwrap();
    let by_expression = ["IMPACT(", "BISTOP("]
        .iter()
        .any(|call| text.contains(call));
    Case {
        name: name.to_owned(),
        resources: written(name, MECHANISM_FILE, &packed.bytes),
        token: packed.token,
        start: experiment.start,
        step: experiment.step,
        contact: by_expression || model.forces.iter().any(contact),
        signals: signals(&table, &folder.join("input.csv"), second),
        table,
    }
}

/// Inputs and parameters that may be set while the run goes on.
fn signals(table: &VariableTable, file: &Path, second: f64) -> Vec<Signal> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut rows = text.lines().map(|line| line.split(','));
    let names: Vec<&str> = rows.next().into_iter().flatten().collect();
    let rows: Vec<Vec<f64>> = rows
        .map(|row| row.map(|word| word.trim().parse().unwrap()).collect())
        .collect();
    let variables = table.variables.iter().enumerate();
    let signal = |(reference, variable): (usize, &fixstep_variables::Variable)| {
        let VariableKind::Real { start, .. } = variable.kind else {
            return None;
        };
        let tunable = variable.variability == Variability::Tunable;
        let is_set = match variable.causality {
            Causality::Input => true,
            Causality::Parameter => tunable,
            _ => false,
        };
        let column = names.iter().position(|name| *name == variable.name);
        let (times, values) = column.map_or_else(
            || (vec![0.0], vec![start]),
            |column| {
                rows.iter()
                    .map(|row| (row[0] * second, row[column]))
                    .unzip()
            },
        );
        is_set.then_some(Signal {
            reference: reference as u32,
            times,
            values,
        })
    };
    variables.filter_map(signal).collect()
}

/// The names of all cases.
pub(crate) fn names() -> Vec<String> {
    let entries = fs::read_dir(root().join("models")).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path());
    let models = folders.filter(|folder| folder.join("model.json").is_file());
    let name = |folder: PathBuf| folder.file_name().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = models.map(name).collect();
    names.sort();
    names.extend(["truck_crane", "memory", "decay"].map(str::to_owned));
    names
}

/// The names of the mechanisms of other tests: a folder with a model, or a file that is one or holds one.
pub(crate) fn mechanisms() -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![root().join("tests/mechanisms")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_model = path
                .extension()
                .is_some_and(|extension| extension == "json");
            if path.join("model.json").is_file() || is_model {
                names.push(path.strip_prefix(root()).unwrap().display().to_string());
            } else if path.is_dir() {
                folders.push(path);
            }
        }
    }
    names.retain(|name| !name.ends_with("truck_crane"));
    names.sort();
    names
}

/// The model of a file that is one, or has one beside numbers that it is compared with.
fn model_of(file: &Path) -> Vec<u8> {
    let bytes = fs::read(file).unwrap();
    let whole: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    match whole.get("model") {
        Some(model) => model.to_string().into_bytes(),
        None => bytes,
    }
}

/// The folder of a case with a file that is written for it.
fn written(name: &str, file: &str, content: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("real-time")
        .join(name.replace('/', "_"));
    fs::create_dir_all(&folder).unwrap();
    // Processes that run at once write the same.
    let own = folder.join(format!("{file}-{}", std::process::id()));
    fs::write(&own, content).unwrap();
    fs::rename(&own, folder.join(file)).unwrap();
    folder
}

/// The case of a name.
pub(crate) fn case(name: &str) -> Case {
    match name {
        "memory" => load(name, &written(name, "model.json", MEMORY.as_bytes())),
        "decay" => load(name, &written(name, "model.json", DECAY.as_bytes())),
        "used" => {
            // From some time on, what is divided by zero counts.
            let text = FORMULA.replace("IF(u - 1: 1, 1, 1/u)", "IF(TIME - 0.05: 0, 0, 1/u)");
            load(name, &written(name, "model.json", text.as_bytes()))
        }
        "formula" => load(name, &written(name, "model.json", FORMULA.as_bytes())),
        file if Path::new(file).extension().is_some_and(|e| e == "json") => {
            let model = model_of(&root().join(file));
            load(name, &written(name, "model.json", &model))
        }
        // A mechanism of another test, or an example that is changed for a measurement.
        folder if folder.contains('/') => load(name, &root().join(folder)),
        "truck_crane" => load(name, &root().join("tests/mechanisms").join(name)),
        _ => load(name, &root().join("models").join(name)),
    }
}
