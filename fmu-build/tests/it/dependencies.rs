//! What an output depends on, found by turning knobs of the packed FMUs of all examples, is among what the
//! description says.
//!
//! Before the run every input and parameter is changed, one by one, and the outputs at the end of the
//! initialization are compared. After some steps every input is changed for one last short step: what still
//! changes by as much when that step is a hundred times shorter is a dependency in the same instant, and not the
//! work of the step.

use std::collections::BTreeSet;
use std::fs;

use fmu_build::client::Fmu;
use fmu_build::slave::{Advance, Failure, Slave, Value, is_numeric, of_causality};
use model_description::parse::{
    Causality, Description, Initial, Type, Unknown, Variability, Variable,
};

use crate::setup::{example, pack};

/// Steps before the last one.
const STEPS: u32 = 20;

/// A variable and other values for all of its elements, one element after another.
struct Knob {
    variable: usize,
    values: Vec<Vec<Value>>,
}

/// Another value within the bounds; `None`: there is none.
fn other(variable: &Variable, start: &str) -> Option<Value> {
    let bound = |text: &Option<String>, default: f64| {
        let number = text.as_ref().and_then(|text| text.parse().ok());
        number.unwrap_or(default)
    };
    let (min, max) = (
        bound(&variable.min, f64::NEG_INFINITY),
        bound(&variable.max, f64::INFINITY),
    );
    match variable.kind {
        Type::Float64 => {
            let x: f64 = start.parse().ok()?;
            let by = 0.1 * x.abs().max(1.0);
            let found = [x + by, x - by]
                .into_iter()
                .find(|y| *y >= min && *y <= max);
            found.map(Value::Real)
        }
        Type::Int32 => {
            let x: i64 = start.parse().ok()?;
            let fits = |y: &i64| *y as f64 >= min && *y as f64 <= max;
            [x + 1, x - 1].into_iter().find(fits).map(Value::Integer)
        }
        Type::Enumeration => {
            let x: i64 = start.parse().ok()?;
            Some(Value::Integer(if x == 1 { 2 } else { 1 }))
        }
        Type::Boolean => Some(Value::Boolean(start != "true")),
        _ => None,
    }
}

fn value(kind: Type, start: &str) -> Value {
    match kind {
        Type::Float64 => Value::Real(start.parse().unwrap()),
        Type::Boolean => Value::Boolean(start == "true"),
        _ => Value::Integer(start.parse().unwrap()),
    }
}

fn knob(description: &Description, at: usize) -> Option<Knob> {
    let variable = &description.variables[at];
    if !is_numeric(variable) {
        return None;
    }
    let starts = &variable.start;
    let turned = |k: usize| {
        let mut values: Vec<Value> = starts.iter().map(|s| value(variable.kind, s)).collect();
        values[k] = other(variable, &starts[k])?;
        Some(values)
    };
    let values: Vec<_> = (0..starts.len()).filter_map(turned).collect();
    (!values.is_empty()).then_some(Knob {
        variable: at,
        values,
    })
}

/// All outputs, each with its elements.
fn outputs(slave: &mut dyn Slave) -> Vec<Vec<f64>> {
    let all: Vec<usize> = of_causality(slave.description(), Causality::Output).collect();
    let read = |at| {
        let mut values = Vec::new();
        slave.read(at, &mut values).unwrap();
        values
    };
    all.into_iter().map(read).collect()
}

/// How much each output differs, in parts of its size.
fn differences(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<f64> {
    let size = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let of = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        size(&apart) / size(a).max(size(b)).max(1.0)
    };
    a.iter().zip(b).map(of).collect()
}

/// The outputs at the end of the initialization.
fn start(fmu: &Fmu, knob: Option<(usize, &[Value])>) -> Result<Vec<Vec<f64>>, Failure> {
    let mut slave = fmu.instantiate("start", false)?;
    if let Some((at, values)) = knob {
        slave.set(at, values)?;
    }
    slave.enter_initialization(0.0, None)?;
    slave.exit_initialization()?;
    Ok(outputs(&mut slave))
}

/// The outputs after some steps and a last one of its own size.
fn end(fmu: &Fmu, step: f64, last: f64, knob: Option<(usize, &[Value])>) -> Vec<Vec<f64>> {
    let mut slave = fmu.instantiate("end", false).unwrap();
    slave.enter_initialization(0.0, None).unwrap();
    slave.exit_initialization().unwrap();
    for n in 0..STEPS {
        let done = slave.step(f64::from(n) * step, step).unwrap();
        assert_eq!(done, Advance::Done);
    }
    if let Some((at, values)) = knob {
        slave.set(at, values).unwrap();
    }
    let done = slave.step(f64::from(STEPS) * step, last).unwrap();
    assert_eq!(done, Advance::Done);
    outputs(&mut slave)
}

/// What is declared for each output, in the order of the outputs.
fn declared(description: &Description, list: &[Unknown]) -> Vec<BTreeSet<u32>> {
    of_causality(description, Causality::Output)
        .map(|at| {
            let reference = description.variables[at].reference;
            let mut found = list.iter().filter(|unknown| unknown.reference == reference);
            let unknown = found.next().unwrap();
            let known = unknown.dependencies.clone().unwrap();
            assert!(found.next().is_none(), "listed twice");
            known.into_iter().collect()
        })
        .collect()
}

/// Undeclared dependencies of one FMU, and how many were seen in all.
fn undeclared(fmu: &Fmu) -> (Vec<String>, usize) {
    let description = fmu.description();
    let names: Vec<&str> = of_causality(description, Causality::Output)
        .map(|at| description.variables[at].name.as_str())
        .collect();
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut note = |what: &str, at: usize, declared: &[BTreeSet<u32>], output: usize| {
        let variable = &description.variables[at];
        seen += 1;
        if !declared[output].contains(&variable.reference) {
            let (output, on) = (names[output], &variable.name);
            found.push(format!("{output} depends on {on} {what}"));
        }
    };
    let at_start = declared(description, &description.initial_unknowns);
    let plain = start(fmu, None).unwrap();
    let settable = |at: &usize| {
        let variable = &description.variables[*at];
        variable.causality == Causality::Input
            || (variable.causality == Causality::Parameter
                && variable.initial == Some(Initial::Exact)
                && matches!(
                    variable.variability,
                    Variability::Fixed | Variability::Tunable
                ))
    };
    let all = 0..description.variables.len();
    for knob in all.filter(settable).filter_map(|at| knob(description, at)) {
        for values in &knob.values {
            // Some values do not go with others: a set that is refused tells nothing.
            let Ok(turned) = start(fmu, Some((knob.variable, values))) else {
                continue;
            };
            for (output, by) in differences(&plain, &turned).into_iter().enumerate() {
                if by > 1e-7 {
                    note("at the start", knob.variable, &at_start, output);
                }
            }
        }
    }
    let in_step = declared(description, &description.outputs);
    let step = description.default_experiment.step.unwrap();
    let lasts = [step / 10.0, step / 1000.0];
    let plain = lasts.map(|last| end(fmu, step, last, None));
    let inputs = of_causality(description, Causality::Input);
    for knob in inputs.filter_map(|at| knob(description, at)) {
        for values in &knob.values {
            let turned = lasts.map(|last| end(fmu, step, last, Some((knob.variable, values))));
            let long = differences(&plain[0], &turned[0]);
            let short = differences(&plain[1], &turned[1]);
            for (output, (long, short)) in long.into_iter().zip(short).enumerate() {
                if short > 1e-6 && short > 0.3 * long {
                    note("in the same instant", knob.variable, &in_step, output);
                }
            }
        }
    }
    (found, seen)
}

#[test]
fn no_output_depends_on_what_is_not_declared() {
    let folder = tempfile::tempdir().unwrap();
    let models = example("pendulum");
    let models = models.ancestors().nth(2).unwrap();
    let (mut seen, mut all) = (0, Vec::new());
    for entry in fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        if !path.join("model.json").is_file() {
            continue;
        }
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let fmu = Fmu::open(&pack(folder.path(), &name, "3")).unwrap();
        let (found, count) = undeclared(&fmu);
        all.extend(found.into_iter().map(|what| format!("{name}: {what}")));
        seen += count;
    }
    assert_eq!(all, Vec::<String>::new());
    assert!(seen > 100, "{seen} dependencies seen");
}
