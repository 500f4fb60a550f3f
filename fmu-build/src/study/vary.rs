//! Control plane: what a study varies, and over what.

use serde_json::Value;

use fixstep_kernel::math;

use super::draws::{normal_probability, normal_quantile};
use super::fields::{Fields, kind};
use super::spec::{Method, RUNS};
use crate::csv::number;

/// A value of what is varied.
#[derive(Clone, Debug, PartialEq)]
pub enum Level {
    /// A number.
    Number(f64),
    /// The name of an item, `true`, `false` or another text.
    Word(String),
}

impl Level {
    /// As a user writes it.
    pub fn text(&self) -> String {
        match self {
            Self::Number(value) => number(*value),
            Self::Word(text) => text.clone(),
        }
    }
}

/// Where a value goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A parameter of the FMU.
    Parameter(String),
    /// A setting of the solver, with its name in the FMU.
    Setting(String),
    /// The start value of an input.
    Input(String),
    /// Numbers of the model, by their paths in its flat form.
    Paths(Vec<String>),
}

/// What a drawn number does with the model's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relative {
    /// It replaces it.
    No,
    /// It is added.
    Add,
    /// It multiplies it.
    Multiply,
}

/// The values of what is varied.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// These.
    Levels(Vec<Level>),
    /// Those of a distribution.
    Spread(Distribution),
}

/// A distribution of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// All between two numbers are equally likely.
    Uniform {
        /// From,
        from: f64,
        /// to.
        to: f64,
    },
    /// The same of their logarithms.
    LogUniform {
        /// From,
        from: f64,
        /// to.
        to: f64,
    },
    /// Normal, within bounds.
    Normal {
        /// Mean without the bounds.
        mean: f64,
        /// Standard deviation without the bounds.
        deviation: f64,
        /// The probabilities of numbers below the bounds.
        within: [f64; 2],
    },
    /// The logarithm is normal, within bounds.
    LogNormal {
        /// Median without the bounds.
        median: f64,
        /// Standard deviation of the natural logarithm without the bounds.
        deviation: f64,
        /// The probabilities of numbers below the bounds.
        within: [f64; 2],
    },
    /// The density rises to a peak and falls from it in straight lines.
    Triangular {
        /// From,
        from: f64,
        /// the peak,
        peak: f64,
        /// to.
        to: f64,
    },
}

impl Distribution {
    /// The number below which this part of all numbers is.
    pub fn quantile(&self, u: f64) -> f64 {
        match *self {
            Self::Uniform { from, to } => from + u * (to - from),
            Self::LogUniform { from, to } => from * math::pow(to / from, u),
            Self::Normal {
                mean,
                deviation,
                within: [low, high],
            } => mean + deviation * normal_quantile(low + u * (high - low)),
            Self::LogNormal {
                median,
                deviation,
                within: [low, high],
            } => median * math::exp(deviation * normal_quantile(low + u * (high - low))),
            Self::Triangular { from, peak, to } => {
                let rising = (peak - from) / (to - from);
                if u < rising {
                    from + (u * (to - from) * (peak - from)).sqrt()
                } else {
                    to - ((1.0 - u) * (to - from) * (to - peak)).sqrt()
                }
            }
        }
    }
}

/// One thing that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// The name of its column.
    pub name: String,
    /// Where its values go.
    pub target: Target,
    /// What its numbers do with the model's own.
    pub relative: Relative,
    /// Its values.
    pub values: Values,
    /// The unit for people; empty: that of the parameter.
    pub unit: String,
}

impl Factor {
    /// The number of its values, if they are listed.
    pub fn levels(&self) -> Option<usize> {
        match &self.values {
            Values::Levels(levels) => Some(levels.len()),
            Values::Spread(_) => None,
        }
    }

    /// Are all its values numbers?
    pub fn is_number(&self) -> bool {
        match &self.values {
            Values::Levels(levels) => levels.iter().all(|it| matches!(it, Level::Number(_))),
            Values::Spread(_) => true,
        }
    }

    /// The value at this part of all of them.
    pub fn at(&self, u: f64) -> Level {
        match &self.values {
            Values::Spread(distribution) => Level::Number(distribution.quantile(u)),
            Values::Levels(levels) => {
                let place = (u * levels.len() as f64) as usize;
                levels[place.min(levels.len() - 1)].clone()
            }
        }
    }
}

/// Reads one entry of `vary`.
pub(super) fn read(fields: Fields<'_>, method: Option<Method>) -> Option<Factor> {
    let target = target(&fields);
    let name = fields.text("name");
    let name = name.or_else(|| target.as_ref().map(own_name));
    if let Some(name) = &name {
        fields.called(name);
    }
    let relative = [("add", Relative::Add), ("multiply", Relative::Multiply)];
    let relative = fields.word("relative", &relative);
    let values = if method.is_some_and(|method| !method.draws()) {
        listed(&fields)
    } else {
        drawn(&fields)
    };
    if let (Some(_), Some(Values::Levels(levels))) = (relative, &values)
        && levels.iter().any(|it| matches!(it, Level::Word(_)))
    {
        fields.fault(
            "relative",
            "a word is neither added nor multiplied; valid: numbers as values",
        );
    }
    let unit = fields.text("unit").unwrap_or_default();
    fields.end();
    Some(Factor {
        name: name?,
        target: target?,
        relative: relative.unwrap_or(Relative::No),
        values: values?,
        unit,
    })
}

/// The name of a column that has no other.
fn own_name(target: &Target) -> String {
    match target {
        Target::Parameter(name) | Target::Setting(name) | Target::Input(name) => name.clone(),
        Target::Paths(paths) => paths.first().cloned().unwrap_or_default(),
    }
}

const TARGETS: &str = "one of parameter, setting, input and path";

fn target(fields: &Fields<'_>) -> Option<Target> {
    let given = ["parameter", "setting", "input", "path"];
    let given: Vec<&str> = given.into_iter().filter(|it| fields.has(it)).collect();
    let parameter = fields.text("parameter").map(Target::Parameter);
    let setting = fields.text("setting").map(|name| {
        let name = name.strip_prefix("solver.").unwrap_or(&name);
        Target::Setting(format!("solver.{name}"))
    });
    let input = fields.text("input").map(Target::Input);
    let path = fields.any("path").and_then(|value| paths(fields, value));
    match given.as_slice() {
        [] => {
            let message = format!("what is varied is missing; valid: {TARGETS}");
            fields.fault("", &message);
            None
        }
        [_] => parameter.or(setting).or(input).or(path),
        [_, second, ..] => {
            let message = format!("more than one thing is varied here; valid: {TARGETS}");
            fields.fault(second, &message);
            None
        }
    }
}

/// One path, or several whose numbers are the same.
fn paths(fields: &Fields<'_>, value: &Value) -> Option<Target> {
    let one = |value: &Value| {
        let text = value.as_str()?.trim_matches('/');
        (!text.is_empty()).then(|| text.to_owned())
    };
    let all = match value {
        Value::Array(items) if !items.is_empty() => items.iter().map(one).collect(),
        other => one(other).map(|path| vec![path]),
    };
    if all.is_none() {
        let message = format!(
            "{} is not valid; valid: a path into the model, such as \"parts/arm/mass\", or a list of them",
            kind(value)
        );
        fields.fault("path", &message);
    }
    all.map(Target::Paths)
}

/// The values of a study without draws: `values`, or `count` of them `from` … `to`.
fn listed(fields: &Fields<'_>) -> Option<Values> {
    if fields.has("values") {
        return levels(fields).map(Values::Levels);
    }
    let (from, to) = (fields.number("from"), fields.number("to"));
    let count = fields.whole("count", (2, RUNS));
    let logarithmic = spacing(fields);
    if !(fields.has("from") && fields.has("to") && fields.has("count")) {
        // What is asked for here is known, so that a misspelt field is told too.
        fields.any("values");
        fields.fault(
            "",
            "the values are missing; valid: \"values\", or \"from\", \"to\" and \"count\" (a \"distribution\" is for draws)",
        );
        return None;
    }
    let (from, to, count) = (from?, to?, count?);
    if logarithmic && !has_logarithm(fields, from, to) {
        return None;
    }
    let level = |k: u64| {
        if k == count - 1 {
            return Level::Number(to);
        }
        let share = k as f64 / (count - 1) as f64;
        Level::Number(if logarithmic {
            from * math::pow(to / from, share)
        } else {
            from + share * (to - from)
        })
    };
    Some(Values::Levels((0..count).map(level).collect()))
}

fn spacing(fields: &Fields<'_>) -> bool {
    let words = [("linear", false), ("logarithmic", true)];
    fields.word("spacing", &words).unwrap_or(false)
}

fn has_logarithm(fields: &Fields<'_>, from: f64, to: f64) -> bool {
    let has = from > 0.0 && to > 0.0;
    if !has {
        let message = format!("{from} to {to} has no logarithm; valid: numbers above 0");
        fields.fault("spacing", &message);
    }
    has
}

fn levels(fields: &Fields<'_>) -> Option<Vec<Level>> {
    let items = fields.list("values")?;
    let level = |(k, item): (usize, &Value)| match item {
        Value::String(text) if !text.is_empty() => Some(Level::Word(text.clone())),
        Value::Bool(flag) => Some(Level::Word(flag.to_string())),
        Value::Number(_) if item.as_f64().is_some_and(f64::is_finite) => {
            item.as_f64().map(Level::Number)
        }
        other => {
            let message = format!(
                "{} is not valid; valid: a number, a word, true or false",
                kind(other)
            );
            fields.fault(&format!("values[{k}]"), &message);
            None
        }
    };
    let all: Vec<Option<Level>> = items.iter().enumerate().map(level).collect();
    let all: Vec<Level> = all.into_iter().collect::<Option<_>>()?;
    let words = all.iter().filter(|it| matches!(it, Level::Word(_))).count();
    if words > 0 && words < all.len() {
        fields.fault(
            "values",
            "numbers and words are mixed; valid: numbers alone, or words alone",
        );
        return None;
    }
    Some(all)
}

/// The kinds of distributions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Uniform,
    LogUniform,
    Normal,
    LogNormal,
    Triangular,
}

const KINDS: [(&str, Kind); 5] = [
    ("uniform", Kind::Uniform),
    ("loguniform", Kind::LogUniform),
    ("normal", Kind::Normal),
    ("lognormal", Kind::LogNormal),
    ("triangular", Kind::Triangular),
];

/// The values of a study with draws: a distribution, or values that are equally likely.
fn drawn(fields: &Fields<'_>) -> Option<Values> {
    if fields.has("values") {
        return levels(fields).map(Values::Levels);
    }
    let kind = fields.word("distribution", &KINDS);
    let Some(kind) = kind.or((!fields.has("distribution")).then_some(Kind::Uniform)) else {
        // What may stand beside it depends on what it is; these are not told as unknown.
        for field in [
            "from",
            "to",
            "peak",
            "mean",
            "deviation",
            "median",
            "least",
            "most",
        ] {
            fields.any(field);
        }
        return None;
    };
    distribution(fields, kind).map(Values::Spread)
}

/// A number that must be there.
fn required(fields: &Fields<'_>, field: &'static str) -> Option<f64> {
    let number = fields.number(field);
    if !fields.has(field) {
        fields.missing(
            field,
            "a number (draws have a \"distribution\", or \"from\" and \"to\", or \"values\")",
        );
    }
    number
}

fn distribution(fields: &Fields<'_>, kind: Kind) -> Option<Distribution> {
    let in_order = |low: f64, high: f64, field: &str| {
        if low >= high {
            let message = format!("{high} is not above {low}");
            fields.fault(field, &message);
        }
        low < high
    };
    match kind {
        Kind::Uniform | Kind::LogUniform => {
            let (from, to) = (required(fields, "from"), required(fields, "to"));
            let (from, to) = (from?, to?);
            if !in_order(from, to, "to") {
                return None;
            }
            if kind == Kind::Uniform {
                return Some(Distribution::Uniform { from, to });
            }
            if from <= 0.0 {
                fields.fault(
                    "from",
                    &format!("{from} has no logarithm; valid: a number above 0"),
                );
                return None;
            }
            Some(Distribution::LogUniform { from, to })
        }
        Kind::Triangular => {
            let (from, to) = (required(fields, "from"), required(fields, "to"));
            let (from, peak, to) = (from?, required(fields, "peak")?, to?);
            if !in_order(from, to, "to") {
                return None;
            }
            if !(from..=to).contains(&peak) {
                fields.fault("peak", &format!("{peak} is not between {from} and {to}"));
                return None;
            }
            Some(Distribution::Triangular { from, peak, to })
        }
        Kind::Normal | Kind::LogNormal => bell(fields, kind),
    }
}

/// Normal and lognormal, within bounds.
fn bell(fields: &Fields<'_>, kind: Kind) -> Option<Distribution> {
    let normal = kind == Kind::Normal;
    let middle = required(fields, if normal { "mean" } else { "median" });
    let deviation = required(fields, "deviation");
    let (least, most) = (fields.number("least"), fields.number("most"));
    let (middle, deviation) = (middle?, deviation?);
    if deviation <= 0.0 {
        fields.fault("deviation", &format!("{deviation} is not above 0"));
        return None;
    }
    if !normal && middle <= 0.0 {
        fields.fault(
            "median",
            &format!("{middle} has no logarithm; valid: a number above 0"),
        );
        return None;
    }
    let below = |bound: Option<f64>, otherwise: f64| match bound {
        None => otherwise,
        Some(bound) if normal => normal_probability((bound - middle) / deviation),
        Some(bound) if bound <= 0.0 => 0.0,
        Some(bound) => normal_probability(math::ln(bound / middle) / deviation),
    };
    let within = [below(least, 0.0), below(most, 1.0)];
    if within[1] - within[0] < 1e-9 {
        fields.fault(
            "",
            "next to nothing of the distribution is between \"least\" and \"most\"",
        );
        return None;
    }
    Some(if normal {
        Distribution::Normal {
            mean: middle,
            deviation,
            within,
        }
    } else {
        Distribution::LogNormal {
            median: middle,
            deviation,
            within,
        }
    })
}
