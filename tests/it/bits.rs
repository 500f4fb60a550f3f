//! The bits of every example and reference mechanism under every scheme, as they are recorded in
//! `tests/bits.txt`: no change of the program alters a number unless it says so.
//!
//! A line holds a fingerprint of all outputs, of the state that is saved, of the violations and of the
//! figures, over a run whose inputs go up and down. After a deliberate change of numbers
//! `FIXSTEP_RECORD_BITS=1 cargo nextest run -p fixstep bits` writes the file again.

use crate::harness::{self, truth};
use fixstep_kernel::fingerprint::Fingerprint;
use fixstep_kernel::ids::{InputId, OutputId};
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, Quantity};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use fixstep_kernel::state::COUNTERS;
use fixstep_model::{Model, resources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Steps of each run.
const STEPS: u32 = 40;

/// Name, integrator, formulation, one solve in a step.
const SCHEMES: [(&str, IntegratorKind, Formulation, bool); 6] = [
    ("hht", IntegratorKind::Hht, Formulation::I3, false),
    ("hht-linear", IntegratorKind::Hht, Formulation::I3, true),
    ("gstiff-i3", IntegratorKind::Gstiff, Formulation::I3, false),
    (
        "gstiff-si2",
        IntegratorKind::Gstiff,
        Formulation::Si2,
        false,
    ),
    ("newmark", IntegratorKind::Newmark, Formulation::I3, false),
    (
        "genalpha",
        IntegratorKind::GeneralizedAlpha,
        Formulation::I3,
        false,
    ),
];

/// Figures that say how a step went, rather than when.
const FIGURES: [Figure; 9] = [
    Figure::Residual,
    Figure::ConstraintViolation,
    Figure::VelocityViolation,
    Figure::LocalError,
    Figure::DriftCorrection,
    Figure::KineticEnergy,
    Figure::PotentialEnergy,
    Figure::StrainEnergy,
    Figure::EnergyError,
];

/// All JSON files in and below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|end| end == "json") {
            found.push(path);
        }
    }
    found
}

/// The text of the model in a file: the file, or its field `model`.
fn text(path: &Path) -> Option<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).ok()?;
    let is_model = |value: &serde_json::Value| value.get("fixstep").is_some();
    if is_model(&value) {
        return Some(text);
    }
    let inner = value.get("model").filter(|inner| is_model(inner))?;
    Some(inner.to_string())
}

/// Name, text and folder of every mechanism.
pub(crate) fn mechanisms() -> Vec<(String, String, PathBuf)> {
    let root = truth("../..");
    let folders = ["models", "tests/mechanisms", "tests/truth"];
    let all = folders.iter().flat_map(|folder| files(&root.join(folder)));
    all.filter_map(|path| {
        let name = path.strip_prefix(&root).ok()?.with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        Some((name, text(&path)?, path.parent()?.to_owned()))
    })
    .collect()
}

/// An input's value in a step: up and down within a quarter of its range.
fn driven(quantity: &Quantity, step: u32) -> f64 {
    let wave = f64::from(step % 16).min(f64::from(16 - step % 16)) / 8.0;
    match (quantity.min, quantity.max) {
        (Some(min), Some(max)) => (quantity.start + 0.25 * wave * (max - min)).min(max),
        _ => quantity.start * (1.0 + 0.1 * wave),
    }
}

/// Takes in all numbers of the present state.
fn take_in(print: &mut Fingerprint, simulation: &mut Simulation) {
    let mut number = |value: f64| print.number((value + 0.0).to_bits());
    for k in 0..simulation.mechanism().outputs.len() {
        number(simulation.output(OutputId::from(k)));
    }
    for figure in FIGURES {
        number(simulation.figure(figure));
    }
    let mut bytes = vec![0; simulation.state_size()];
    simulation.save(&mut bytes);
    // Counters stand at the end; they are told by other tests. What the guard remembers moves nothing, and what inputs
    // ask for is in force.
    bytes.truncate(bytes.len() - 8 * COUNTERS);
    let system = &simulation.part().system;
    let (layout, before) = (&system.layout, system.memory.delays.len());
    // From the last to the first.
    for span in [layout.asked, layout.passing, layout.guard, layout.solved] {
        let first = before + span.first;
        bytes.drain(8 * first..8 * (first + span.len));
    }
    print.bytes(&bytes[8..]);
}

/// The fingerprint of a run, and how many steps it made.
fn run(simulation: &mut Simulation) -> (String, u32) {
    let mut print = Fingerprint::default();
    let inputs = simulation.mechanism().inputs.clone();
    take_in(&mut print, simulation);
    for step in 0..STEPS {
        for (k, input) in inputs.iter().enumerate() {
            simulation.set_input(InputId::from(k), driven(&input.quantity, step));
        }
        if simulation.step().is_err() {
            return (print.digits(), step);
        }
        take_in(&mut print, simulation);
    }
    (print.digits(), STEPS)
}

/// Lines `mechanism scheme steps fingerprint` of a mechanism.
fn lines(name: &str, text: &str, folder: &Path) -> Vec<(String, String)> {
    let model = Model::read(text, &resources::folder(folder)).unwrap();
    let start = model.mechanism.experiment.start;
    let mut simulation = harness::simulation(&model).unwrap();
    let mut lines = Vec::new();
    for (scheme, integrator, formulation, linearly_implicit) in SCHEMES {
        let mut settings = simulation.settings().clone();
        settings.integrator = integrator;
        settings.formulation = formulation;
        settings.linearly_implicit = linearly_implicit;
        let inputs = simulation.mechanism().inputs.clone();
        for (k, input) in inputs.iter().enumerate() {
            simulation.set_input(InputId::from(k), input.quantity.start);
        }
        let started = simulation
            .set_settings(settings)
            .and_then(|()| simulation.initialize(start));
        let told = match started {
            Ok(()) => {
                let (print, steps) = run(&mut simulation);
                format!("{steps} {print}")
            }
            Err(_) => "0 refused".to_owned(),
        };
        lines.push((format!("{name} {scheme}"), told));
    }
    lines
}

#[test]
fn every_bit_is_as_recorded() {
    let path = truth("../bits.txt");
    let mechanisms = mechanisms();
    assert!(mechanisms.len() > 80, "{} mechanisms", mechanisms.len());
    let half = mechanisms.len() / 2;
    let of = |part: &[(String, String, PathBuf)]| -> Vec<(String, String)> {
        let told = part
            .iter()
            .map(|(name, text, folder)| lines(name, text, folder));
        told.flatten().collect()
    };
    let found: Vec<(String, String)> = std::thread::scope(|scope| {
        let first = scope.spawn(|| of(&mechanisms[..half]));
        let mut rest = of(&mechanisms[half..]);
        let mut all = first.join().unwrap();
        all.append(&mut rest);
        all
    });
    if std::env::var_os("FIXSTEP_RECORD_BITS").is_some() {
        let lines: Vec<String> = found
            .iter()
            .map(|(case, told)| format!("{case} {told}\n"))
            .collect();
        std::fs::write(&path, lines.concat()).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(&path).unwrap();
    let recorded: BTreeMap<&str, &str> = recorded
        .lines()
        .filter_map(|line| {
            let space = line.match_indices(' ').nth(1)?.0;
            Some((&line[..space], &line[space + 1..]))
        })
        .collect();
    assert_eq!(recorded.len(), found.len(), "cases in tests/bits.txt");
    let other: Vec<String> = found
        .iter()
        .filter(|(case, told)| recorded.get(case.as_str()) != Some(&told.as_str()))
        .map(|(case, told)| {
            let was = recorded.get(case.as_str()).copied().unwrap_or("nothing");
            format!("{case}: {told}, recorded {was}")
        })
        .collect();
    assert!(
        other.is_empty(),
        "{} differ:\n{}",
        other.len(),
        other.join("\n")
    );
}
