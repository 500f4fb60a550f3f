//! Control plane: the description of a study as it is written, read with all problems and their places.
//!
//! Fields are read by hand and not by derived readers: these stop at the first problem and know no places.

use fixstep_model::{Asked, AskedValue, Plain};
use serde_json::Value;

use super::fields::{Fields, Told, kind};
use super::results::{self, Wanted};
use super::vary::{self, Factor};
use crate::csv::number;
use crate::slave::Failure;

/// Most runs of a study.
pub const RUNS: u64 = 10_000_000;

/// How the runs of a study are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every value of each with every value of all others.
    Grid,
    /// The first values of all, the second values of all, …
    List,
    /// The model as it is, then one after the other is varied alone.
    OneAtATime,
    /// Independent draws.
    MonteCarlo,
    /// As many strata as runs, each drawn from once.
    LatinHypercube,
    /// A scrambled sequence of Sobol.
    Sobol,
}

/// The methods by their words.
pub const METHODS: [(&str, Method); 6] = [
    ("grid", Method::Grid),
    ("list", Method::List),
    ("one_at_a_time", Method::OneAtATime),
    ("monte_carlo", Method::MonteCarlo),
    ("latin_hypercube", Method::LatinHypercube),
    ("sobol", Method::Sobol),
];

impl Method {
    /// Is every run drawn at random?
    pub const fn draws(self) -> bool {
        matches!(self, Self::MonteCarlo | Self::LatinHypercube | Self::Sobol)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        let named = METHODS.iter().find(|(_, method)| *method == self);
        named.map_or("", |(word, _)| word)
    }
}

/// How each run is made.
#[derive(Clone, Debug, Default)]
pub struct RunSpec {
    /// Start time (s).
    pub start: Option<f64>,
    /// Stop time (s).
    pub stop: Option<f64>,
    /// Communication step (s).
    pub step: Option<f64>,
    /// A table of inputs, relative to the description.
    pub input: Option<String>,
    /// Start values, as a user writes them.
    pub set: Vec<(String, String)>,
    /// Settings in place of the model's.
    pub asked: Vec<Asked>,
}

/// A description.
#[derive(Clone, Debug)]
pub struct Spec {
    /// Its name.
    pub name: String,
    /// A paragraph for readers.
    pub description: String,
    /// The model, relative to the description.
    pub model: String,
    /// How each run is made.
    pub run: RunSpec,
    /// How the runs are chosen.
    pub method: Method,
    /// Number of draws.
    pub runs: usize,
    /// What the draws follow from.
    pub seed: u64,
    /// What is varied.
    pub factors: Vec<Factor>,
    /// What each run tells.
    pub results: Vec<Wanted>,
    /// What is kept of each run over time.
    pub series: Vec<String>,
}

impl Spec {
    /// Reads a text; messages call it `name`.
    pub fn read(name: &str, text: &str) -> Result<Self, Failure> {
        let invalid = |reason: &dyn std::fmt::Display| {
            Failure(format!("{name} is not a valid study\n{reason}"))
        };
        let plain = Plain::read(name, text).map_err(|errors| invalid(&errors))?;
        let (value, told) = (plain.value(), Told::of(&plain));
        let spec = Fields::of(&value, "", &told).and_then(|fields| spec(fields, &told));
        match (spec, told.all()) {
            (Some(spec), None) => Ok(spec),
            (_, problems) => Err(invalid(&problems.unwrap_or_default())),
        }
    }
}

fn spec<'a>(fields: Fields<'a>, told: &'a Told<'a>) -> Option<Spec> {
    match fields.any("fixstep_study") {
        Some(version) if version.as_u64() == Some(1) => {}
        Some(other) => fields.fault(
            "fixstep_study",
            &format!(
                "{} is not the version of this format; valid: 1",
                kind(other)
            ),
        ),
        None => fields.missing("fixstep_study", "1, the version of this format"),
    }
    let name = fields.text("name");
    if !fields.has("name") {
        fields.missing("name", "a text");
    }
    let model = fields.text("model");
    if !fields.has("model") {
        fields.missing(
            "model",
            "the path of a model (.json), relative to this file",
        );
    }
    let description = description(&fields);
    let method = fields.word("method", &METHODS);
    if !fields.has("method") {
        fields.missing(
            "method",
            "grid, list, one_at_a_time, monte_carlo, latin_hypercube or sobol",
        );
    }
    let (runs, seed) = draws(&fields, method);
    let run = match fields.any("run") {
        Some(value) => Fields::of(value, "run", told).map(run),
        None => Some(RunSpec::default()),
    };
    let factors = each(&fields, told, "vary", |of| vary::read(of, method));
    if !fields.has("vary") {
        fields.missing("vary", "a list of what is varied");
    }
    let results = each(&fields, told, "results", results::read);
    let series = texts(&fields, "series");
    if !fields.has("results") && !fields.has("series") {
        fields.missing("results", "a list of what each run tells");
    }
    let columns = factors.iter().map(|it| it.name.as_str());
    let columns = columns.chain(results.iter().map(|it| it.name.as_str()));
    unique(&fields, "vary", columns);
    lengths(&fields, method, &factors);
    fields.end();
    Some(Spec {
        name: name?,
        description,
        model: model?,
        run: run?,
        method: method?,
        runs: runs?,
        seed,
        factors,
        results,
        series,
    })
}

/// A paragraph, which may be empty.
fn description(fields: &Fields<'_>) -> String {
    match fields.any("description") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => {
            let message = format!("{} is not valid; valid: a text", kind(other));
            fields.fault("description", &message);
            String::new()
        }
        None => String::new(),
    }
}

/// Number of draws and seed.
fn draws(fields: &Fields<'_>, method: Option<Method>) -> (Option<usize>, u64) {
    let runs = fields.whole("runs", (1, RUNS)).map(|runs| runs as usize);
    let seed = fields.whole("seed", (0, u64::MAX)).unwrap_or(1);
    let draws = method.is_some_and(Method::draws);
    match runs {
        Some(_) if method.is_some() && !draws => {
            fields.fault(
                "runs",
                "the values of \"vary\" say how many runs there are; leave it out",
            );
            (None, seed)
        }
        None if draws && !fields.has("runs") => {
            fields.missing("runs", "the number of draws");
            (None, seed)
        }
        None if fields.has("runs") => (None, seed),
        runs => (Some(runs.unwrap_or(0)), seed),
    }
}

/// Reads the objects of a list.
fn each<'a, T>(
    fields: &Fields<'a>,
    told: &'a Told<'a>,
    field: &'static str,
    read: impl Fn(Fields<'a>) -> Option<T>,
) -> Vec<T> {
    let items = fields.list(field).into_iter().flatten().enumerate();
    let read_one = |(k, item)| read(Fields::of(item, &format!("{field}[{k}]"), told)?);
    items.filter_map(read_one).collect()
}

fn texts(fields: &Fields<'_>, field: &'static str) -> Vec<String> {
    let items = fields.list(field).into_iter().flatten();
    let mut all = Vec::new();
    for (k, item) in items.enumerate() {
        match item.as_str() {
            Some(text) if !text.is_empty() => all.push(text.to_owned()),
            _ => fields.fault(
                &format!("{field}[{k}]"),
                &format!("{} is no name of an output", kind(item)),
            ),
        }
    }
    all
}

/// Two columns of a table cannot have one name, nor that of what every table has.
fn unique<'n>(fields: &Fields<'_>, field: &str, names: impl Iterator<Item = &'n str>) {
    let mut seen: Vec<&str> = super::table::OWN.to_vec();
    for name in names {
        if seen.contains(&name) {
            let message = format!(
                "two columns of the table would be called \"{name}\"; give one of them another \"name\""
            );
            fields.fault(field, &message);
        }
        seen.push(name);
    }
}

/// A list takes its values side by side.
fn lengths(fields: &Fields<'_>, method: Option<Method>, factors: &[Factor]) {
    let lengths = || factors.iter().filter_map(Factor::levels);
    if method == Some(Method::List)
        && let Some(first) = lengths().next()
        && let Some(other) = lengths().find(|length| *length != first)
    {
        fields.fault(
            "vary",
            &format!(
                "a list takes its values side by side, and there are {first} and {other} of them; valid: as many of each"
            ),
        );
    }
    let count = match method {
        Some(Method::Grid) => lengths().map(|n| n as f64).product(),
        Some(Method::OneAtATime) => lengths().map(|n| n as f64).sum::<f64>(),
        _ => 0.0,
    };
    if count > RUNS as f64 {
        fields.fault(
            "vary",
            &format!("there would be {count} runs; valid: at most {RUNS}"),
        );
    }
}

/// Settings of the solver that a run may have in place of those of the model, and what they are.
const SETTINGS: [(&str, Setting); 14] = [
    ("mode", Setting::Word),
    ("integrator", Setting::Word),
    ("formulation", Setting::Word),
    ("error", Setting::Number),
    ("hinit", Setting::Seconds),
    ("hmax", Setting::Seconds),
    ("hmin", Setting::Seconds),
    ("kmax", Setting::Number),
    ("maxit", Setting::Number),
    ("pattern", Setting::Word),
    ("interpolate", Setting::Word),
    ("corrector", Setting::Word),
    ("adaptivity", Setting::Seconds),
    ("eprint", Setting::Flag),
];

/// What a setting is.
#[derive(Clone, Copy)]
enum Setting {
    Word,
    Number,
    Seconds,
    Flag,
}

fn run(fields: Fields<'_>) -> RunSpec {
    let mut asked = Vec::new();
    for (setting, what) in SETTINGS {
        let Some(value) = fields.any(setting) else {
            continue;
        };
        let number = value.as_f64().filter(|number| number.is_finite());
        let made = match (what, value) {
            (_, Value::String(text)) if text == "default" => Some(AskedValue::Default),
            (Setting::Word, Value::String(text)) => Some(AskedValue::Word(text.clone())),
            (Setting::Flag, Value::Bool(flag)) => Some(AskedValue::Flag(*flag)),
            (Setting::Number, _) => number.map(AskedValue::Number),
            (Setting::Seconds, _) => number.map(AskedValue::Seconds),
            _ => None,
        };
        match made {
            Some(value) => asked.push(Asked {
                setting: setting.to_owned(),
                value,
            }),
            None => fields.fault(
                setting,
                &format!(
                    "{} is not valid; valid: {}, or \"default\"",
                    kind(value),
                    match what {
                        Setting::Word => "a word",
                        Setting::Number => "a number",
                        Setting::Seconds => "a number of seconds",
                        Setting::Flag => "true or false",
                    }
                ),
            ),
        }
    }
    // An error is one of a variable step, as with the option of `fixstep run`.
    if asked.iter().any(|it| it.setting == "error") && !asked.iter().any(|it| it.setting == "mode")
    {
        asked.push(Asked {
            setting: "mode".to_owned(),
            value: AskedValue::Word("variable".to_owned()),
        });
    }
    let spec = RunSpec {
        start: fields.number("start_time"),
        stop: fields.number("stop"),
        step: fields.positive("step"),
        input: fields.text("input"),
        set: set(&fields),
        asked,
    };
    fields.end();
    spec
}

/// Start values: numbers, words, `true` and `false` by name.
fn set(fields: &Fields<'_>) -> Vec<(String, String)> {
    let Some(value) = fields.any("set") else {
        return Vec::new();
    };
    let Value::Object(map) = value else {
        let message = format!(
            "{} is no object; valid: {{\"name\": value, …}}",
            kind(value)
        );
        fields.fault("set", &message);
        return Vec::new();
    };
    let mut all = Vec::new();
    for (name, value) in map {
        match level_text(value) {
            Some(text) => all.push((name.clone(), text)),
            None => fields.fault(
                "set",
                &format!(
                    "\"{name}\": {} is not valid; valid: a number, a word, true or false",
                    kind(value)
                ),
            ),
        }
    }
    all
}

/// A value as a user writes it on the command line.
fn level_text(value: &Value) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Number(_) => value.as_f64().filter(|x| x.is_finite()).map(number),
        _ => None,
    }
}
