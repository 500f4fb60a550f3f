//! Numbers of models as parameters: a model whose numbers are parameters moves as the one that has the numbers written in,
//! bit for bit, with the values of the model and with others.

use crate::bits::mechanisms;
use crate::harness::simulation;
use fixstep_kernel::ids::{InputId, OutputId, ParameterId};
use fixstep_kernel::simulation::Simulation;
use fixstep_model::{Model, resources};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Steps of each run.
const STEPS: usize = 12;
/// Lists whose numbers may be parameters, at least some of them.
const LISTS: [&str; 13] = [
    "gravity",
    "parts",
    "point_masses",
    "flexible_bodies",
    "markers",
    "curves",
    "joints",
    "motions",
    "couplers",
    "forces",
    "roads",
    "sampled_systems",
    "splines",
];

/// Pseudo-random numbers (Knuth's MMIX generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The paths of all numbers of a tree, as in messages: `parts[0].position[2]`.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path.to_owned()),
        Value::Array(items) => {
            for (k, item) in items.iter().enumerate() {
                numbers(item, &format!("{path}[{k}]"), found);
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                numbers(item, &format!("{path}.{key}"), found);
            }
        }
        _ => {}
    }
}

/// The value at a path.
fn at<'a>(value: &'a mut Value, path: &str) -> &'a mut Value {
    let pointer = path.replace('[', "/").replace(']', "").replace('.', "/");
    value.pointer_mut(&format!("/{pointer}")).unwrap()
}

/// A path without the numbers of list items, as in `parts[].position[]`; elements of forces and joints with their type.
fn pattern(model: &mut Value, path: &str) -> String {
    let (head, rest) = path.split_once('.').unwrap_or((path, ""));
    let item = at(model, head).get("type").and_then(Value::as_str);
    let word = item.map_or(String::new(), |word| format!("({word})"));
    let list = head.split('[').next().unwrap();
    let mut text = format!("{list}{word}.");
    let mut inside = false;
    for c in rest.chars() {
        inside = inside && c != ']';
        if !inside {
            text.push(c);
        }
        inside = inside || c == '[';
    }
    text
}

fn read(model: &Value, folder: &Path) -> Result<Model, fixstep_model::ModelErrors> {
    Model::read(&model.to_string(), &resources::folder(folder))
}

/// All numbers of the state but the parameters, and the outputs.
fn bits(simulation: &mut Simulation) -> Vec<u64> {
    let outputs = 0..simulation.mechanism().outputs.len();
    let outputs: Vec<f64> = outputs
        .map(|k| simulation.output(OutputId::from(k)))
        .collect();
    let part = simulation.part();
    let parameters = part.system.layout.parameters;
    let (before, after) = part.state.reals.split_at(parameters.first);
    let reals = before.iter().chain(&after[parameters.len..]);
    let bits = |x: &f64| (x + 0.0).to_bits();
    outputs.iter().map(bits).chain(reals.map(bits)).collect()
}

/// Bits of a start and of some steps, until one fails.
fn run(simulation: &mut Simulation) -> Vec<Vec<u64>> {
    let mut all = vec![bits(simulation)];
    for step in 0..STEPS {
        if step == 3 {
            for k in 0..simulation.mechanism().inputs.len() {
                let start = simulation.mechanism().inputs[k].quantity.start;
                simulation.set_input(InputId::from(k), 1.01 * start);
            }
        }
        if simulation.step().is_err() {
            break;
        }
        all.push(bits(simulation));
    }
    all
}

/// A model some of whose numbers are parameters.
struct Changed {
    model: Value,
    /// The paths of the numbers, by parameter.
    paths: Vec<String>,
    /// What their values are.
    values: Vec<f64>,
    /// Which of them are settled before a run: geometry and initial conditions.
    settled: Vec<bool>,
    /// Parameters of the model itself.
    own: usize,
}

/// Makes parameters of a part of the numbers; what the reader refuses stays a number, and its pattern is told.
fn with_parameters(
    plain: &Value,
    folder: &Path,
    random: &mut Random,
    refused: &mut BTreeSet<String>,
) -> Option<(Changed, Model)> {
    let mut all = Vec::new();
    for list in LISTS {
        if let Some(value) = plain.get(list) {
            numbers(value, list, &mut all);
        }
    }
    // At most so many of a model with long lists.
    let share = 0.5_f64.min(300.0 / all.len() as f64);
    all.retain(|_| random.next() < share);
    let own = plain["parameters"].as_array().map_or(0, Vec::len);
    // A number of an expression field is no expression of parameters.
    for _ in 0..8 {
        let mut model = plain.clone();
        if own == 0 {
            model["parameters"] = json!([]);
        }
        let mut values = Vec::new();
        for (k, path) in all.iter().enumerate() {
            let name = format!("number_{k}");
            let place = at(&mut model, path);
            let value = place.clone();
            *place = json!(format!("={name}"));
            values.push(value.as_f64().unwrap());
            let parameters = model["parameters"].as_array_mut().unwrap();
            parameters.push(json!({"name": name, "start": value}));
        }
        let errors = match read(&model, folder) {
            Ok(read) => {
                let settled = read.mechanism.derives_from();
                let changed = Changed {
                    model: plain.clone(),
                    settled: settled[own..own + all.len()].to_vec(),
                    paths: all,
                    values,
                    own,
                };
                return Some((changed, read));
            }
            Err(errors) => errors,
        };
        let before = all.len();
        for error in &errors.0 {
            let is_there = |path: &String| {
                path.starts_with(&error.path) || error.path.starts_with(path.as_str())
            };
            // Others follow from these.
            if !all.iter().any(is_there) {
                continue;
            }
            let words = ["plain number", "expression", "expected", "must be", "valid"];
            let says = words.iter().any(|word| error.message.contains(word));
            assert!(says, "{error}");
            // The place of a marker on a point mass is no number to choose.
            let chosen = !error.message.contains("on the point mass");
            for path in all.iter().filter(|path| chosen && is_there(path)) {
                refused.insert(pattern(&mut plain.clone(), path));
            }
            all.retain(|path| !is_there(path));
        }
        assert!(all.len() < before, "{errors}");
    }
    None
}

#[test]
fn numbers_and_parameters_move_alike() {
    let mut random = Random(7);
    let (mut refused, mut same, mut changed, mut failed) = (BTreeSet::new(), 0, 0, 0);
    let (mut accepted, mut faults) = (BTreeSet::new(), Vec::new());
    let rounds = std::env::var("FIXSTEP_ROUNDS").ok();
    let rounds: usize = rounds.and_then(|n| n.parse().ok()).unwrap_or(1);
    let all = mechanisms();
    for (name, text, folder) in (0..rounds).flat_map(|_| all.clone()) {
        let portable = Model::read(&text, &resources::folder(&folder));
        let portable = portable.map_err(|e| e.to_string()).unwrap().portable;
        let plain: Value = serde_json::from_str(&portable.unwrap_or(text)).unwrap();
        let Some((of, model)) = with_parameters(&plain, &folder, &mut random, &mut refused) else {
            continue;
        };
        for path in &of.paths {
            accepted.insert(pattern(&mut of.model.clone(), path));
        }
        let written = read(&plain, &folder).map_err(|e| e.to_string()).unwrap();
        let (Ok(mut one), Ok(mut other)) = (simulation(&model), simulation(&written)) else {
            faults.push(format!("{name}: {:?}", simulation(&model).err()));
            continue;
        };
        if run(&mut one) != run(&mut other) {
            faults.push(format!("{name}: other bits with the same numbers"));
            continue;
        }
        same += of.paths.len();
        for _ in 0..3 {
            let mut one = simulation(&model).unwrap();
            match alike_with_others(&of, &mut one, &folder, &mut random) {
                Ok(true) => changed += 1,
                Ok(false) => failed += 1,
                Err(fault) => faults.push(format!("{name}: {fault}")),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(same > 2000 && changed > 100, "{same} {changed} {failed}");
    // The record is that of one round.
    if rounds == 1 {
        recorded(&refused, &accepted);
    }
}

/// Changes some parameters: does the model move as that with these numbers? `false`: both are refused, or the change
/// makes others of its constraints redundant.
fn alike_with_others(
    of: &Changed,
    simulation_of: &mut Simulation,
    folder: &Path,
    random: &mut Random,
) -> Result<bool, String> {
    let mut model = of.model.clone();
    let mut set = Vec::new();
    let share = 3.0 / of.paths.len() as f64;
    for (k, path) in of.paths.iter().enumerate() {
        let mut value = of.values[k];
        if value != 0.0 && random.next() < share {
            value *= 1.0 + 0.02 * random.next();
            *at(&mut model, path) = json!(value);
        }
        set.push((ParameterId::from(of.own + k), value));
    }
    let time = simulation_of.mechanism().experiment.start;
    // Both are told their inputs: one that follows a straight course remembers that, also where geometry is made anew.
    let restart = |simulation: &mut Simulation| {
        for k in 0..simulation.mechanism().inputs.len() {
            let start = simulation.mechanism().inputs[k].quantity.start;
            simulation.set_input(InputId::from(k), start);
        }
        simulation.initialize(time).map_err(|e| e.to_string())
    };
    let started = simulation_of
        .set_parameters(&mut set.clone().into_iter())
        .map_err(|e| e.to_string())
        .and_then(|()| restart(simulation_of));
    let written = read(&model, folder).map_err(|e| e.to_string());
    let written = written.and_then(|written| simulation(&written));
    let written = written.and_then(|mut written| restart(&mut written).map(|()| written));
    match (started, written) {
        (Ok(()), Ok(mut written)) => {
            let (one, other) = (run(simulation_of), run(&mut written));
            // Other masses and stiffnesses keep the order of elimination that the start values have chosen.
            let settled = of.settled.iter().zip(of.values.iter().zip(&set));
            let strict = settled
                .clone()
                .all(|(settled, (was, (_, is)))| *settled || was == is);
            if one == other || !strict && near(&one, &other) {
                Ok(true)
            } else {
                let changed = of.paths.iter().zip(&of.values).zip(&set);
                let changed = changed.filter(|((_, was), (_, is))| *was != is);
                let paths: Vec<&String> = changed.map(|((path, _), _)| path).collect();
                Err(format!(
                    "other numbers with {paths:?}, by {:e}",
                    farthest(&one, &other)
                ))
            }
        }
        (Err(_), Err(_)) => Ok(false),
        (Err(e), Ok(_)) if e.contains("redundant") => Ok(false),
        (Err(e), Ok(_)) => Err(format!("refused as parameters only: {e}")),
        (Ok(()), Err(e)) => Err(format!("refused as numbers only: {e}")),
    }
}

/// The largest difference of numbers, relative to those above 1.
fn farthest(one: &[Vec<u64>], other: &[Vec<u64>]) -> f64 {
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    let apart = pairs.map(|(a, b)| {
        let [a, b] = [a, b].map(|x| f64::from_bits(*x));
        (a - b).abs() / (1.0 + a.abs().max(b.abs()))
    });
    apart.fold(0.0, f64::max)
}

/// Are these the same numbers up to rounding?
fn near(one: &[Vec<u64>], other: &[Vec<u64>]) -> bool {
    let close = |(a, b): (&u64, &u64)| {
        let [a, b] = [a, b].map(|x| f64::from_bits(*x));
        // What is not asked for is no number.
        a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()))
    };
    let rows = |(a, b): (&Vec<u64>, &Vec<u64>)| a.len() == b.len() && a.iter().zip(b).all(close);
    one.len() == other.len() && one.iter().zip(other).all(rows)
}

/// The patterns of numbers that cannot be parameters are those of the record.
fn recorded(refused: &BTreeSet<String>, accepted: &BTreeSet<String>) {
    let both: Vec<&String> = refused.intersection(accepted).collect();
    assert!(both.is_empty(), "sometimes refused: {both:?}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plain_numbers.txt");
    let found: String = { refused.iter() }.flat_map(|line| [line, "\n"]).collect();
    if std::env::var_os("FIXSTEP_RECORD_PLAIN").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, known.replace('\r', ""));
}
