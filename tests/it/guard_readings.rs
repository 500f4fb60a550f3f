//! What sound runs read on the guard's scales: every example and reference mechanism under every scheme, at the model's step, half of it
//! and twice of it. No sound run gives an alarm.
//!
//! `FIXSTEP_GUARD_STEPS=60` takes every mechanism at three steps and prints what docs/theory/time-stepping.md says of them; without
//! it they run a few steps, the examples some more, and some hard and fast runs of which it was to be feared that they alarm.

use crate::bits::{driven, mechanisms};
use crate::harness::{build, simulation};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, WATCHED, Watched};
use fixstep_kernel::simulation::{Simulation, StepFailure};
use fixstep_model::{Model, resources};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Steps of a run of an example in the usual test.
const STEPS: u32 = 200;

/// Steps of a run of any other mechanism there.
const FEW: u32 = 10;

const SCHEMES: [(&str, IntegratorKind, Formulation); 5] = [
    ("GSTIFF", IntegratorKind::Gstiff, Formulation::I3),
    ("SI2", IntegratorKind::Gstiff, Formulation::Si2),
    ("HHT", IntegratorKind::Hht, Formulation::I3),
    ("NEWMARK", IntegratorKind::Newmark, Formulation::I3),
    (
        "GENALPHA",
        IntegratorKind::GeneralizedAlpha,
        Formulation::I3,
    ),
];

/// The largest readings of some runs, and what gave them.
#[derive(Clone, Default)]
struct Largest {
    runs: u32,
    readings: [(f64, String); WATCHED],
    /// Runs with a reading beyond the level that warns.
    warned: Vec<String>,
    /// Runs that ended.
    ended: Vec<String>,
}

impl Largest {
    /// Drives a run of so many steps, with inputs that go up and down where there are any.
    fn take(&mut self, simulation: &mut Simulation, steps: u32, what: &str) {
        self.runs += 1;
        let inputs = simulation.mechanism().inputs.clone();
        let mut warned = [false; WATCHED];
        for step in 0..steps {
            for (k, input) in inputs.iter().enumerate() {
                simulation.set_input(InputId::from(k), driven(&input.quantity, step));
            }
            if let Err(failure) = simulation.step() {
                let why = match failure {
                    StepFailure::Guard(alarm) => {
                        alarm.words(&simulation.culprit(alarm.reading.culprit))
                    }
                    other => format!("{other:?}"),
                };
                self.ended.push(format!("{what}, step {step}: {why}"));
                return;
            }
            for (k, reading) in simulation.readings().iter().enumerate() {
                let (largest, of) = &mut self.readings[k];
                if reading.value > *largest {
                    *largest = reading.value;
                    what.clone_into(of);
                }
            }
            for alarm in simulation.alarms() {
                if !std::mem::replace(&mut warned[alarm.watched as usize], true) {
                    let (name, value) = (alarm.watched.name(), alarm.reading.value);
                    self.warned
                        .push(format!("{what}, step {step}: {name} {value:.2e}"));
                }
            }
        }
    }

    /// Takes in what others have found.
    fn join(&mut self, other: Self) {
        self.runs += other.runs;
        for (own, its) in self.readings.iter_mut().zip(other.readings) {
            if its.0 > own.0 {
                *own = its;
            }
        }
        self.warned.extend(other.warned);
        self.ended.extend(other.ended);
    }

    fn table(&self, title: &str) {
        eprintln!(
            "{title}: {} runs, {} warned, {} ended",
            self.runs,
            self.warned.len(),
            self.ended.len()
        );
        for (watched, (largest, of)) in Watched::ALL.iter().zip(&self.readings) {
            eprintln!("| {} | {largest:.1e} | {of} |", watched.name());
        }
        for line in self.warned.iter().chain(&self.ended) {
            eprintln!("  {line}");
        }
    }
}

/// Starts a mechanism under a scheme at a share of its step; `None`: the two do not go together.
fn started(simulation: &mut Simulation, k: usize, share: f64) -> Option<()> {
    let (_, integrator, formulation) = SCHEMES[k];
    let mut settings = simulation.settings().clone();
    settings.integrator = integrator;
    settings.formulation = formulation;
    settings.maxerr = f64::INFINITY;
    for (k, input) in simulation.mechanism().inputs.clone().iter().enumerate() {
        simulation.set_input(InputId::from(k), input.quantity.start);
    }
    let start = simulation.mechanism().experiment.start;
    simulation.set_settings(settings).ok()?;
    simulation.set_step(share * simulation.mechanism().own_step());
    simulation.initialize(start).ok()
}

/// A mechanism of the repository.
fn mechanism(text: &str, folder: &Path) -> Simulation {
    let model = Model::read(text, &resources::folder(folder)).unwrap();
    simulation(&model).unwrap()
}

#[test]
fn examples_at_their_own_steps_raise_no_alarm() {
    let mut largest = Largest::default();
    for (name, text, folder) in mechanisms() {
        if !name.starts_with("models/") {
            continue;
        }
        let mut simulation = mechanism(&text, &folder);
        let own = SCHEMES.iter().position(|(_, integrator, formulation)| {
            let settings = simulation.settings();
            settings.integrator == *integrator && settings.formulation == *formulation
        });
        let own = own.unwrap();
        started(&mut simulation, own, 1.0).unwrap();
        largest.take(&mut simulation, STEPS, &name);
    }
    largest.table("examples at their own steps");
    assert!(largest.runs > 20);
    assert_eq!((largest.warned.len(), largest.ended.len()), (0, 0));
}

/// A steel ball of 2 kg that falls 5 m on steel, at a step that sees the impact.
fn hard_impact() -> Value {
    json!({
        "fixstep": 1, "name": "impact", "gravity": [0, 0, -9.81],
        "point_masses": [{"name": "ball", "mass": 2, "position": [0, 0, 0.06], "velocity": [0.3, 0, -9.9]}],
        "markers": [{"name": "centre", "part": "ball"}],
        "forces": [{
            "name": "floor", "type": "contact", "i": "centre", "j": "ground",
            "shapes": {"i": {"type": "sphere", "radius": 0.05}, "j": {"type": "plane"}},
            "normal": {"type": "impact", "stiffness": 1e10, "exponent": 1.5, "damping": 1e4, "depth": 1e-4}
        }],
        "outputs": [{"name": "z", "expression": "DZ(centre)"}],
        "experiment": {"stop": 0.02, "step": 1e-5}
    })
}

/// A top on its tip at 1000 rad/s: a seventh of a turn in a step.
fn fast_top() -> Value {
    json!({
        "fixstep": 1, "name": "top", "gravity": [0, 0, -9.81],
        "parts": [{"name": "top", "mass": 0.5, "center_of_mass": [0.03, 0, 0.04], "inertia": {"xx": 4e-4, "yy": 4e-4, "zz": 6e-4},
                   "angular_velocity": [0, 0, 1000]}],
        "markers": [{"name": "tip", "part": "top"}],
        "joints": [{"name": "tip", "type": "spherical", "i": "tip", "j": "ground"}],
        "outputs": [{"name": "z", "expression": "DZ(tip)"}],
        "experiment": {"stop": 1, "step": 1e-4}
    })
}

/// A body thrown far away, that tumbles slowly: 10⁵ s in steps of a second, far from where it began.
fn free_flight() -> Value {
    json!({
        "fixstep": 1, "name": "flight", "gravity": [0, 0, -9.81],
        "parts": [{"name": "stone", "mass": 3, "inertia": {"xx": 0.01, "yy": 0.02, "zz": 0.015}, "position": [0, 0, 1e3],
                   "velocity": [300, 0, 1000], "angular_velocity": [0.01, 0.05, 0.002]}],
        "markers": [{"name": "m", "part": "stone"}],
        "outputs": [{"name": "z", "expression": "DZ(m)"}],
        "experiment": {"stop": 1e5, "step": 1}
    })
}

#[test]
fn hard_impacts_fast_tops_and_long_flights_raise_no_alarm() {
    let mut largest = Largest::default();
    for (name, model, steps) in [
        ("hard impact", hard_impact(), 2000),
        ("fast top", fast_top(), 2000),
        ("free flight", free_flight(), 100_000),
    ] {
        let mut simulation = build(&model.to_string());
        for (k, (scheme, ..)) in SCHEMES.iter().enumerate() {
            // Backward Euler misses half of g h² in every step of a flight: that is an error.
            if name == "free flight" && *scheme != "HHT" {
                continue;
            }
            started(&mut simulation, k, 1.0).unwrap();
            largest.take(&mut simulation, steps, &format!("{name} {scheme}"));
        }
    }
    largest.table("hard and fast");
    assert_eq!((largest.warned.len(), largest.ended.len()), (0, 0));
}

/// Runs of all mechanisms under all schemes: at their steps, short; where `FIXSTEP_GUARD_STEPS` asks for it
/// (`cargo xtask test --slow`) also at half and twice of these steps, with the table.
#[test]
fn guard_readings_of_all_mechanisms() {
    let asked = std::env::var("FIXSTEP_GUARD_STEPS").ok();
    let steps: u32 = asked.as_ref().map_or(FEW, |text| text.parse().unwrap());
    let titles = ["at the step", "at half of it", "at twice of it"];
    let shares = &[1.0, 0.5, 2.0][..if asked.is_some() { 3 } else { 1 }];
    let mechanisms = mechanisms();
    let of = |part: &[(String, String, PathBuf)]| {
        let mut all = vec![Largest::default(); shares.len()];
        for (name, text, folder) in part {
            let mut simulation = mechanism(text, folder);
            for ((largest, share), title) in all.iter_mut().zip(shares).zip(titles) {
                for (k, (scheme, ..)) in SCHEMES.iter().enumerate() {
                    if started(&mut simulation, k, *share).is_some() {
                        largest.take(&mut simulation, steps, &format!("{name} {scheme} {title}"));
                    }
                }
            }
        }
        all
    };
    let half = mechanisms.len() / 2;
    let mut all = std::thread::scope(|scope| {
        let other = scope.spawn(|| of(&mechanisms[half..]));
        let mut all = of(&mechanisms[..half]);
        for (one, more) in all.iter_mut().zip(other.join().unwrap()) {
            one.join(more);
        }
        all
    });
    for (largest, title) in all.iter().zip(titles) {
        largest.table(title);
    }
    // Twice the step is too large for some.
    all.truncate(2);
    for largest in all {
        assert!(largest.runs > 400, "{}", largest.runs);
        assert_eq!(largest.ended, Vec::<String>::new());
        // Schemes that an example does not choose may deserve a warning.
        assert!(largest.warned.len() < 5, "{:?}", largest.warned);
    }
}
