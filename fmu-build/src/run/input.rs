//! Control plane: reads tables of inputs over time, and interpolates them.

use fixstep_kernel::seconds::Seconds;
use model_description::parse::{Causality, Description, Type, Variability, Variable};

use crate::csv::Table;
use crate::slave::{Failure, Slave, Value, assign, find_element, is_numeric};
use crate::values::{Bounds, in_words};

/// A table of inputs over time.
#[derive(Debug)]
pub struct Input<'a> {
    /// Its name in messages.
    origin: String,
    time: &'a [f64],
    signals: Vec<Signal<'a>>,
}

#[derive(Debug)]
struct Signal<'a> {
    name: &'a str,
    variable: (usize, Option<usize>),
    kind: Type,
    /// Only for a parameter; an FMU checks its inputs itself, and ours clamps them to their bounds.
    bounds: Option<Bounds>,
    values: &'a [f64],
}

impl<'a> Input<'a> {
    /// Matches the table's columns with the slave's inputs and tunable parameters.
    pub fn new(description: &Description, table: &'a Table) -> Result<Self, Failure> {
        let origin = match table.origin.as_str() {
            "" => "input table".to_owned(),
            path => format!("input table {path}"),
        };
        let fail = |text: String| Err(Failure(format!("{origin}: {text}")));
        let (Some("time"), Some(time)) = (
            table.names.first().map(String::as_str),
            table.columns.first(),
        ) else {
            return fail(not_time(&table.names));
        };
        if time.is_empty() {
            return fail("there are no rows".to_owned());
        }
        if let Some(bad) = time.iter().find(|time| !time.is_finite()) {
            return fail(format!("time {} s is not a finite number", Seconds(*bad)));
        }
        if let Some(at) = time.windows(2).position(|pair| pair[1] < pair[0]) {
            let [before, after] = [time[at], time[at + 1]].map(Seconds);
            return fail(format!(
                "time must not decrease, but {after} s follows {before} s"
            ));
        }
        if table.names.len() < 2 {
            return fail(
                "\"time\" is the only column; valid: further columns with names of inputs or tunable parameters".to_owned(),
            );
        }
        let mut signals: Vec<Signal<'_>> = Vec::new();
        for (k, (name, values)) in table.names.iter().zip(&table.columns).enumerate().skip(1) {
            if table.names[..k].contains(name) {
                return fail(format!(
                    "column \"{name}\" is there twice; valid: one column for each name"
                ));
            }
            let at = find_element(description, name).map_err(|Failure(text)| {
                let bare =
                    without_unit(name).filter(|bare| find_element(description, bare).is_ok());
                let text = bare.map_or(text, |bare| {
                    format!("column \"{name}\": write names without units: \"{bare}\"")
                });
                Failure(format!("{origin}: {text}"))
            })?;
            let variable = &description.variables[at.0];
            let whole = variable.is_array() && at.1.is_none();
            let element = at.1.is_some() && !variable.kind.is_float();
            if !may_change(variable) || whole || element || !is_numeric(variable) {
                return fail(format!(
                    "\"{name}\" is neither an input nor a tunable parameter that is one number; what a run computes is \
                     in its output, and a fixed parameter is given once, by --set"
                ));
            }
            if let Some(bad) = values.iter().find(|value| !value.is_finite()) {
                return fail(format!(
                    "column \"{name}\" holds {bad}; values must be finite"
                ));
            }
            signals.push(Signal {
                name,
                variable: at,
                kind: variable.kind,
                bounds: (variable.causality == Causality::Parameter).then(|| Bounds::of(variable)),
                values,
            });
        }
        Ok(Self {
            origin,
            time,
            signals,
        })
    }

    /// Sets all inputs to their values at `time` (s).
    pub fn apply(&self, slave: &mut dyn Slave, time: f64) -> Result<(), Failure> {
        for signal in &self.signals {
            let value = match signal.kind {
                Type::Float32 | Type::Float64 => {
                    Value::Real(interpolate(self.time, signal.values, time))
                }
                Type::Boolean => Value::Boolean(hold(self.time, signal.values, time) != 0.0),
                _ => Value::Integer(hold(self.time, signal.values, time).round() as i64),
            };
            let (origin, name) = (&self.origin, signal.name);
            let values = [value];
            let bounds = signal.bounds.as_ref();
            let within = bounds.map_or(Ok(()), |bounds| bounds.check(name, &values));
            let done = within.and_then(|()| assign(slave, signal.variable, &values));
            done.map_err(|Failure(text)| {
                let (text, time) = (in_words(&text, name), Seconds(time));
                Failure(format!(
                    "at time {time} s, from {origin}, column \"{name}\": {text}"
                ))
            })?;
        }
        Ok(())
    }
}

/// The message about a table that does not begin with the time.
fn not_time(names: &[String]) -> String {
    let first = names.first().map_or("", String::as_str);
    let hint = if first.parse::<f64>().is_ok() {
        "the first line must name the columns, as in time,NAME".to_owned()
    } else if names.iter().any(|name| name == "time") {
        "move that column to the front".to_owned()
    } else if first.to_lowercase().starts_with("time") {
        "write names in small letters and without units; the time is in seconds".to_owned()
    } else {
        "the time is in seconds".to_owned()
    };
    format!("the first column must be \"time\", found \"{first}\"; {hint}")
}

/// The name without the unit in brackets behind it.
fn without_unit(name: &str) -> Option<&str> {
    let (bare, unit) = name.split_once(['[', '('])?;
    let bare = bare.trim_end();
    (unit.ends_with([']', ')']) && name[bare.len()..].starts_with(' ')).then_some(bare)
}

fn may_change(variable: &Variable) -> bool {
    variable.causality == Causality::Input
        || (variable.causality == Causality::Parameter
            && variable.variability == Variability::Tunable)
}

/// Linear between the points, constant before the first and after the last; at a jump (two points with the same time)
/// the later value.
pub(super) fn interpolate(grid: &[f64], values: &[f64], time: f64) -> f64 {
    let last = grid.len() - 1;
    if time <= grid[0] {
        return values[0];
    }
    if time >= grid[last] {
        return values[last];
    }
    let after = grid.partition_point(|point| *point <= time);
    let (t0, t1) = (grid[after - 1], grid[after]);
    let (v0, v1) = (values[after - 1], values[after]);
    v0 + (v1 - v0) * ((time - t0) / (t1 - t0))
}

/// The value of the last point that is not later.
pub(super) fn hold(grid: &[f64], values: &[f64], time: f64) -> f64 {
    let after = grid.partition_point(|point| *point <= time);
    values[after.saturating_sub(1)]
}
