//! No allocation after initialization, shown by a program that links the kernel and has a counting allocator of its
//! own: it counts during steps, inputs, outputs, figures,
//! tunable parameters and saved states of every example and every reference mechanism, with the
//! solver of the model and in formulation SI2, iterated and linearly implicit; of sampled systems, sensors and
//! delays with every integrator.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    unsafe_code,
    reason = "a test without harness, with an allocator"
)]

use fixstep_kernel::ids::{InputId, OutputId, ParameterId, SensorId};
use fixstep_kernel::mechanism::{Formulation, Held, IntegratorKind};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::{Known, Simulation, Unknown};
use fixstep_model::Model;
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The system's allocator, with every call counted while it is armed.
struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

static ARMED: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);

fn count() {
    if ARMED.load(Ordering::Relaxed) {
        CALLS.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: the system's allocator does all the work; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count();
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// A mass that is held by what it was: sampled systems by matrices and by expressions, on the step's grid and
/// off it; sensors of every comparison, that trigger again and again; delays that are fixed and that vary.
const MEMORY: &str = include_str!("../../tests/real_time/memory.json");

/// Steps in each model.
const STEPS: u32 = 400;

/// The folder of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn models() -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    for folder in ["models", "tests/truth", "tests/mechanisms"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            for file in std::fs::read_dir(entry.unwrap().path())
                .into_iter()
                .flatten()
            {
                let path = file.unwrap().path();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if name.starts_with("model") && path.extension().is_some_and(|e| e == "json") {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    found
}

/// What a host does between two communication points, and what it may do seldom.
fn round(simulation: &mut Simulation, k: u32, sink: &mut f64, saved: &mut [u8]) {
    let (inputs, outputs) = (
        simulation.mechanism().inputs.len(),
        simulation.mechanism().outputs.len(),
    );
    for input in 0..inputs {
        simulation.set_input(InputId::from(input), 0.0);
    }
    // A step may fail (a fast mechanism at a coarse step): that must not allocate either.
    let _ = simulation.step();
    for output in 0..outputs {
        *sink += simulation.output(OutputId::from(output));
    }
    *sink += simulation.figure(Figure::Residual) + simulation.figure(Figure::KineticEnergy);
    if k.is_multiple_of(80) {
        // Every other time of a communication step of several integration steps.
        let steps = if k.is_multiple_of(160) { 1 } else { 3 };
        differentiate(simulation, steps, (inputs, outputs));
        simulation.save(saved);
        for parameter in 0..simulation.mechanism().parameters.len() {
            let id = ParameterId::from(parameter);
            let value = simulation.parameter(id);
            // What calibration writes; a number that does not fit is refused without a text.
            let _ = simulation.try_parameter(id, f64::NAN);
            let _ = simulation.try_parameter(id, value);
        }
        simulation.restore(saved);
    }
}

/// All derivatives by inputs, by the first parameter and by time, in a communication step of so many integration steps.
fn differentiate(simulation: &mut Simulation, steps: u32, (inputs, outputs): (usize, usize)) {
    for input in 0..inputs {
        simulation.set_input_derivative(InputId::from(input), 1, 0.0);
    }
    simulation.begin_communication(steps);
    for _ in 1..steps {
        let _ = simulation.step();
    }
    let unknowns = || (0..outputs).map(|k| Unknown::Output(OutputId::from(k)));
    simulation.time_derivative(unknowns(), &mut |_, _| ());
    let parameters = simulation.mechanism().parameters.len().min(1);
    let parameters = (0..parameters).map(|k| Known::Parameter(ParameterId::from(k)));
    let inputs = (0..inputs).map(|k| Known::Input(InputId::from(k)));
    // Where a mechanism is at a dead point there are none.
    if let Ok(mut derivatives) = simulation.derivatives() {
        for known in inputs.chain(parameters) {
            let direction = std::iter::once((known, 1.0));
            derivatives.along(direction, unknowns(), &mut |_, _| ());
        }
    }
}

/// Gives parameters that place points other values, so that the run is one with changed geometry.
fn reshape(simulation: &mut Simulation) {
    for k in 0..simulation.mechanism().parameters.len() {
        let id = ParameterId::from(k);
        if simulation.shapes(id) {
            let start = simulation.parameter(id);
            let factor = 1.0 + 0.02 * (k % 3) as f64;
            simulation.set_parameter(id, factor * start).unwrap();
        }
    }
}

/// Do the steps of a simulation call for no memory, and are their results finite?
fn is_sound(simulation: &mut Simulation, name: &str) -> bool {
    let mut saved = vec![0; simulation.state_size()];
    let mut sink = 0.0;
    let before = CALLS.load(Ordering::Relaxed);
    ARMED.store(true, Ordering::Relaxed);
    for k in 0..STEPS {
        round(simulation, k, &mut sink, &mut saved);
    }
    ARMED.store(false, Ordering::Relaxed);
    let calls = CALLS.load(Ordering::Relaxed) - before;
    let sound = calls == 0 && sink.is_finite();
    let verdict = if sound { "ok" } else { "FAILED" };
    println!(
        "test {name} ... {verdict} ({calls} allocations in {STEPS} steps, checksum {sink:.3e})"
    );
    sound
}

fn main() {
    // A runner of tests asks what there is before it runs any; this is one program.
    if std::env::args().any(|word| word == "--list") {
        return;
    }
    let (mut passed, mut failed) = (0, 0);
    let memory = PathBuf::from("memory");
    let files = models().into_iter().map(|path| {
        let name = path.strip_prefix(root()).unwrap();
        (name.to_owned(), Model::from_file(&path))
    });
    for (name, model) in files.chain([(memory.clone(), Model::from_json(MEMORY))]) {
        let model = model.map_err(|e| e.to_string()).unwrap();
        let held = &model.mechanism.memory;
        let remembers = !(held.sampled.is_empty() && held.delays.is_empty());
        let mut simulation = Simulation::new(model.mechanism).unwrap();
        let start = simulation.time();
        reshape(&mut simulation);
        let own = simulation.settings().integrator;
        let mut schemes = vec![
            (own, Formulation::I3, false),
            (own, Formulation::I3, true),
            (IntegratorKind::Gstiff, Formulation::Si2, false),
            (IntegratorKind::Gstiff, Formulation::Si2, true),
        ];
        // Mechanisms that show elements are small.
        if remembers || name.starts_with("tests/mechanisms") {
            let all = [
                IntegratorKind::Gstiff,
                IntegratorKind::Hht,
                IntegratorKind::Newmark,
                IntegratorKind::GeneralizedAlpha,
            ];
            let others = all.into_iter().filter(|other| *other != own);
            schemes.extend(others.map(|other| (other, Formulation::I3, false)));
        }
        for (integrator, formulation, linear) in schemes {
            let mut settings = simulation.settings().clone();
            settings.integrator = integrator;
            settings.formulation = formulation;
            settings.linearly_implicit = linear;
            simulation.set_settings(settings).unwrap();
            simulation.initialize(start).unwrap();
            let mode = if linear { ", linearly implicit" } else { "" };
            let name = format!("{} {integrator:?}/{formulation:?}{mode}", name.display());
            if is_sound(&mut simulation, &name) {
                passed += 1;
            } else {
                failed += 1;
            }
            if name == memory {
                for sensor in 0..3_u32 {
                    let count = simulation.held(Held::Count(SensorId(sensor)));
                    assert!(count > 2.0, "sensor {sensor} triggers {count} times");
                }
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    assert!(passed > 0 && failed == 0, "the step allocates");
}
