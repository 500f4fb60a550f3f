//! Tests that the description declares every dependency of an output. Inputs and parameters of the packed FMUs of all
//! examples are changed, and the outputs that respond must be declared to depend on them.
//!
//! Before the run, all inputs and parameters that an output does not declare are changed together, and then by
//! bisection if the output changes at the end of the initialization. After some steps, inputs are changed for one
//! last short step. A change that remains as large when that step is a hundred times shorter is an instantaneous
//! dependency, not the effect of the step.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use fmu_build::client::Fmu;
use fmu_build::slave::{Advance, Failure, LogLevel, Slave, Value, is_numeric, of_causality};
use model_description::parse::{
    Causality, Description, Initial, Type, Unknown, Variability, Variable,
};

use crate::setup::{example, pack};

/// Steps before the last one.
const STEPS: u32 = 20;

/// Another value for an element of a variable.
#[derive(Clone, Debug, PartialEq)]
struct Knob {
    variable: usize,
    element: usize,
    value: Value,
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
            // So little that what goes with one another still does.
            let by = 1e-3 * if x == 0.0 { 1.0 } else { x.abs() };
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

/// Changeable elements (knobs) of a variable, if they can have another value.
fn knobs(description: &Description, at: usize) -> Vec<Knob> {
    let variable = &description.variables[at];
    if !is_numeric(variable) {
        return Vec::new();
    }
    let starts = variable.start.iter().enumerate();
    let turned = |(element, start): (usize, &String)| {
        let value = other(variable, start)?;
        Some(Knob {
            variable: at,
            element,
            value,
        })
    };
    starts.filter_map(turned).collect()
}

/// Turns knobs, all elements of a variable in one call.
fn turn(slave: &mut dyn Slave, knobs: &[Knob]) -> Result<(), Failure> {
    for of_one in knobs.chunk_by(|a, b| a.variable == b.variable) {
        let at = of_one[0].variable;
        let variable = &slave.description().variables[at];
        let starts = variable.start.iter();
        let mut values: Vec<Value> = starts.map(|s| value(variable.kind, s)).collect();
        for knob in of_one {
            values[knob.element] = knob.value.clone();
        }
        slave.set(at, &values)?;
    }
    Ok(())
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

/// The change of each output, relative to its size.
fn differences(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<f64> {
    let size = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let of = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        size(&apart) / size(a).max(size(b)).max(1.0)
    };
    a.iter().zip(b).map(of).collect()
}

/// The outputs at the end of the initialization.
fn start(fmu: &Fmu, knobs: &[Knob]) -> Result<Vec<Vec<f64>>, Failure> {
    let mut slave = fmu.instantiate("start", LogLevel::Errors)?;
    turn(&mut slave, knobs)?;
    slave.enter_initialization(0.0, None)?;
    slave.exit_initialization()?;
    Ok(outputs(&mut slave))
}

/// The outputs after some steps and a last one of its own size.
fn end(fmu: &Fmu, step: f64, last: f64, knobs: &[Knob]) -> Result<Vec<Vec<f64>>, Failure> {
    let mut slave = fmu.instantiate("end", LogLevel::Errors)?;
    slave.enter_initialization(0.0, None)?;
    slave.exit_initialization()?;
    for n in 0..STEPS {
        let done = slave.step(f64::from(n) * step, step)?;
        assert_eq!(done, Advance::Done);
    }
    turn(&mut slave, knobs)?;
    let done = slave.step(f64::from(STEPS) * step, last)?;
    assert_eq!(done, Advance::Done);
    Ok(outputs(&mut slave))
}

/// Which outputs change when knobs are changed together; an error if these values are refused in combination.
type Changes<'a> = dyn Fn(&[Knob]) -> Result<Vec<bool>, Failure> + 'a;

/// The knobs among some that change an output. They are changed together, and by bisection if something changes or is
/// refused; a single one that is refused says nothing.
fn culprits(changes: &Changes<'_>, output: usize, knobs: &[Knob]) -> Vec<Knob> {
    let found = changes(knobs);
    match (found, knobs) {
        (Ok(changed), _) if !changed[output] => Vec::new(),
        (Ok(_), [knob]) => vec![knob.clone()],
        (_, [] | [_]) => Vec::new(),
        (_, several) => {
            let (left, right) = several.split_at(several.len() / 2);
            let mut all = culprits(changes, output, left);
            all.extend(culprits(changes, output, right));
            all
        }
    }
}

/// The declared dependencies of each output, in the order of the outputs.
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

/// Groups of knobs that can be changed together; a knob that is refused alone is in none.
fn groups(changes: &Changes<'_>, knobs: &[Knob]) -> Vec<Vec<Knob>> {
    match (changes(knobs), knobs) {
        (_, []) | (Err(_), [_]) => Vec::new(),
        (Ok(_), _) => vec![knobs.to_vec()],
        (Err(_), several) => {
            let (left, right) = several.split_at(several.len() / 2);
            let mut all = groups(changes, left);
            all.extend(groups(changes, right));
            all
        }
    }
}

/// Undeclared dependencies on some knobs, and how many outputs change by those that are declared.
fn compare(
    description: &Description,
    declared: &[BTreeSet<u32>],
    all: &[Knob],
    changes: &Changes<'_>,
) -> (Vec<String>, usize) {
    let names: Vec<&str> = of_causality(description, Causality::Output)
        .map(|at| description.variables[at].name.as_str())
        .collect();
    let of = |knob: &Knob| &description.variables[knob.variable];
    // The same knobs, turned for other outputs, do the same again.
    let before = RefCell::new(BTreeMap::new());
    let changes = &|knobs: &[Knob]| {
        let turned = knobs.iter().map(|knob| (knob.variable, knob.element));
        let turned: Vec<(usize, usize)> = turned.collect();
        if let Some(found) = before.borrow().get(&turned) {
            return Clone::clone(found);
        }
        let found: Result<Vec<bool>, Failure> = changes(knobs);
        before.borrow_mut().insert(turned, found.clone());
        found
    };
    // Outputs that declare the same are looked at together.
    let mut kinds: BTreeMap<&BTreeSet<u32>, Vec<usize>> = BTreeMap::new();
    for (output, known) in declared.iter().enumerate() {
        kinds.entry(known).or_default().push(output);
    }
    let groups = groups(changes, all);
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for (known, alike) in kinds {
        let any = |knobs: &[Knob]| {
            let changed = changes(knobs)?;
            Ok(vec![alike.iter().any(|output| changed[*output])])
        };
        for group in &groups {
            let (inside, outside): (Vec<Knob>, Vec<Knob>) = group
                .iter()
                .cloned()
                .partition(|knob| known.contains(&of(knob).reference));
            for knob in culprits(&any, 0, &outside) {
                let changed = changes(std::slice::from_ref(&knob)).unwrap();
                for output in alike.iter().filter(|output| changed[**output]) {
                    found.push(format!("{} depends on {}", names[*output], of(&knob).name));
                }
            }
            if let Ok(changed) = changes(&inside) {
                seen.extend(alike.iter().copied().filter(|output| changed[*output]));
            }
        }
    }
    (found, seen.len())
}

/// Undeclared dependencies of one FMU, and how many outputs change by what they declare.
fn undeclared(fmu: &Fmu) -> (Vec<String>, usize) {
    let description = fmu.description();
    let settable = |at: &usize| {
        let variable = &description.variables[*at];
        // A mechanism on its way has no equilibrium, and to find that out takes long.
        variable.name != "solver.equilibrium"
            && (variable.causality == Causality::Input
                || (variable.causality == Causality::Parameter
                    && variable.initial == Some(Initial::Exact)
                    && matches!(
                        variable.variability,
                        Variability::Fixed | Variability::Tunable
                    )))
    };
    let all = (0..description.variables.len()).filter(settable);
    let all: Vec<Knob> = all.flat_map(|at| knobs(description, at)).collect();
    let plain = start(fmu, &[]).unwrap();
    let at_start = |knobs: &[Knob]| {
        let apart = differences(&plain, &start(fmu, knobs)?);
        Ok(apart.into_iter().map(|by| by > 1e-7).collect())
    };
    let known = declared(description, &description.initial_unknowns);
    let (mut found, mut seen) = compare(description, &known, &all, &at_start);

    let step = description.default_experiment.step.unwrap();
    let lasts = [step / 10.0, step / 1000.0];
    let plain = lasts.map(|last| end(fmu, step, last, &[]).unwrap());
    let in_the_same_instant = |knobs: &[Knob]| {
        let long = differences(&plain[0], &end(fmu, step, lasts[0], knobs)?);
        let short = differences(&plain[1], &end(fmu, step, lasts[1], knobs)?);
        let jumps = |(long, short): (f64, f64)| short > 1e-6 && short > 0.3 * long;
        Ok(long.into_iter().zip(short).map(jumps).collect())
    };
    let inputs = of_causality(description, Causality::Input);
    let inputs: Vec<Knob> = inputs.flat_map(|at| knobs(description, at)).collect();
    let known = declared(description, &description.outputs);
    let (in_step, more) = compare(description, &known, &inputs, &in_the_same_instant);
    let in_step = in_step
        .into_iter()
        .map(|what| format!("{what} in the same instant"));
    found.extend(in_step);
    seen += more;
    (found, seen)
}

/// Packs all examples and compares.
fn hold(version: &str) {
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
        let fmu = Fmu::open(&pack(folder.path(), &name, version)).unwrap();
        let (found, count) = undeclared(&fmu);
        all.extend(found.into_iter().map(|what| format!("{name}: {what}")));
        seen += count;
    }
    assert_eq!(all, Vec::<String>::new());
    assert!(seen > 50, "{seen} outputs change by what they declare");
}

#[test]
fn no_output_depends_on_what_is_not_declared() {
    hold("3");
}

#[test]
fn nor_does_one_of_a_flattened_description() {
    hold("2");
}
