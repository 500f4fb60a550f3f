//! The warnings of every example, reference mechanism and published case, as they are recorded in
//! `tests/warnings.txt`: a change of a rule shows on which of these models it warns and on which it does not.
//!
//! A line is `model: rule kind "name" field`, with the names of other entities that have the same warning. Warnings that a model
//! answers in its `lint` count too. Every line was judged: a new one is a false alarm until somebody has seen that it is
//! true. `FIXSTEP_RECORD_WARNINGS=1 cargo nextest run -p fixstep warnings` writes the file again.

use crate::bits::mechanisms;
use crate::harness::truth;
use fixstep_kernel::mechanism::LintSettings;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::{Model, resources};
use std::collections::BTreeSet;
use std::path::Path;

/// Lines of a model.
fn lines(name: &str, text: &str, folder: &Path) -> Vec<String> {
    let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
    value.as_object_mut().unwrap().remove("lint");
    let model = Model::read(&value.to_string(), &resources::folder(folder)).unwrap();
    assert_eq!(model.mechanism.lint, LintSettings::default());
    let simulation = Simulation::new(model.mechanism).unwrap();
    let line = |found: fixstep_kernel::mechanism::Finding| {
        let (rule, kind, field) = (found.rule.id(), &found.kind, &found.field);
        let others = found.what.split_once("the same holds of ");
        let others = others.map_or(String::new(), |(_, names)| format!("and {names}"));
        let place = format!("{kind} \"{}\" {field}", found.name);
        format!("{name}: {rule} {} {others}", place.trim())
            .trim_end()
            .to_owned()
            + "\n"
    };
    simulation.findings().into_iter().map(line).collect()
}

#[test]
fn every_warning_is_as_recorded() {
    let path = truth("../warnings.txt");
    let all = mechanisms();
    let half = all.len() / 2;
    let of = |part: &[(String, String, std::path::PathBuf)]| -> Vec<String> {
        let part = part.iter();
        part.flat_map(|(name, text, folder)| lines(name, text, folder))
            .collect()
    };
    let found: Vec<String> = std::thread::scope(|scope| {
        let first = scope.spawn(|| of(&all[..half]));
        let rest = of(&all[half..]);
        let mut lines = first.join().unwrap();
        lines.extend(rest);
        lines
    });
    if std::env::var_os("FIXSTEP_RECORD_WARNINGS").is_some() {
        std::fs::write(&path, found.concat()).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let recorded: BTreeSet<&str> = recorded.split_inclusive('\n').collect();
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let new: Vec<&str> = found.difference(&recorded).copied().collect();
    let gone: Vec<&str> = recorded.difference(&found).copied().collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "tests/warnings.txt\nnew:\n{}gone:\n{}",
        new.concat(),
        gone.concat()
    );
}
