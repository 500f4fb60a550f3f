//! What the C interface costs: `cargo bench --bench interface -- LIBRARY [--json FILE]`, with the shared library as it
//! is packed.
//!
//! - A communication step with six inputs set and thirty outputs read, less the solver's own step: the same model
//!   through the Rust library, step for step in the same states. Both take turns.
//! - Loading the library, instantiating and initializing the passive vehicle: the first time in this process, and
//!   again.

#![expect(clippy::print_stdout, reason = "this program prints figures")]

#[path = "../../tests/abi/functions.rs"]
mod functions;
mod library;
#[path = "../step/timing.rs"]
mod timing;

use fixstep_model::table;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use fixstep_variables::VariableTable;
use fixstep_variables::file::MECHANISM_FILE;
use library::Instance;
use serde_json::{Value, json};
use timing::{median, middle, noise};

const INPUTS: usize = 6;
/// Outputs of each link.
const OUTPUTS: [&str; 5] = ["DX", "DY", "DZ", "VM", "ACCM"];
const STEP: f64 = 0.001;
/// Rounds, and steps of each.
const ROUNDS: usize = 61;
const STEPS: usize = 200;
/// Times that the vehicle is loaded after the first.
const LOADS: usize = 15;

/// Six links with a torque in every hinge.
fn links() -> Value {
    let (mut parts, mut markers, mut joints) = (Vec::new(), Vec::new(), Vec::new());
    let (mut forces, mut inputs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    let mut before = ("ground".to_owned(), 0.0);
    for k in 1..=INPUTS {
        let link = format!("link{k}");
        let (end, begin, tip) = (
            format!("{}.end", before.0),
            format!("{link}.begin"),
            format!("{link}.tip"),
        );
        let axis = json!({"euler": [0, if k % 2 == 1 { -90 } else { 0 }, 0]});
        parts.push(
            json!({"name": link, "mass": 0.5, "position": [0.1 * (k as f64 - 0.5), 0, 0],
            "inertia": {"xx": 4e-5, "yy": 4e-4, "zz": 4e-4}}),
        );
        markers.extend([
            json!({"name": end, "part": before.0, "position": [before.1, 0, 0], "orientation": axis}),
            json!({"name": begin, "part": link, "position": [-0.05, 0, 0], "orientation": axis}),
            json!({"name": tip, "part": link, "position": [0.05, 0, 0]}),
        ]);
        joints.push(json!({"name": format!("hinge{k}"), "type": "revolute", "i": begin, "j": end}));
        inputs.push(json!({"name": format!("torque{k}"), "unit": "N.m"}));
        forces.push(
            json!({"name": format!("drive{k}"), "type": "torque", "i": begin, "j": end,
            "expression": format!("torque{k}")}),
        );
        outputs.extend(OUTPUTS.map(
            |measure| json!({"name": format!("{measure}{k}"), "expression": format!("{measure}({tip})")}),
        ));
        before = (link, 0.05);
    }
    json!({
        "fixstep": 1, "name": "links",
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "deg"},
        "gravity": [0, 0, -9.81],
        "parts": parts, "markers": markers, "joints": joints, "forces": forces, "inputs": inputs, "outputs": outputs,
        "solver": {"integrator": "HHT", "fixit": 2},
        "experiment": {"start": 0, "stop": 1, "step": STEP},
    })
}

/// A model as it lies unpacked.
struct Unpacked {
    resources: PathBuf,
    token: String,
    table: VariableTable,
    model: Model,
}

impl Unpacked {
    /// Writes a model that needs no other files into a folder of its own.
    fn new(name: &str, text: &str) -> Result<Self, String> {
        let folder = format!("interface-{}-{name}", std::process::id());
        let resources = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        fs::create_dir_all(&resources).map_err(|error| error.to_string())?;
        let model = Model::from_json(text).map_err(|error| error.to_string())?;
        let table = table::of(&model.mechanism);
        let packed = model.packed().map_err(|fault| fault.to_string())?;
        fs::write(resources.join(MECHANISM_FILE), packed.bytes)
            .map_err(|error| error.to_string())?;
        Ok(Self {
            resources,
            token: packed.token,
            table,
            model,
        })
    }

    /// Value references of variables.
    fn references(&self, names: impl Iterator<Item = String>) -> Result<Vec<u32>, String> {
        let of = |name: String| {
            let mut all = self.table.variables.iter().zip(0..);
            let found = all.find(|(variable, _)| variable.name == name);
            found.map(|(_, reference)| reference).ok_or(name)
        };
        let found: Result<Vec<_>, _> = names.map(of).collect();
        found.map_err(|name| format!("no variable {name}"))
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.resources);
    }
}

/// Time of a call \[µs\].
fn timed<T>(call: impl FnOnce() -> Result<T, String>) -> Result<(f64, T), String> {
    let begin = Instant::now();
    let value = call()?;
    Ok((begin.elapsed().as_secs_f64() * 1e6, value))
}

/// The communication step and the solver's own.
fn overhead(library: &Path) -> Result<Value, String> {
    let text = links().to_string();
    let unpacked = Unpacked::new("links", &text)?;
    let mut simulation =
        Simulation::new(unpacked.model.mechanism.clone()).map_err(|error| error.to_string())?;
    simulation
        .initialize(0.0)
        .map_err(|error| error.to_string())?;
    let mut instance = Instance::new(library, &unpacked.resources, &unpacked.token)?;
    let inputs = unpacked.references((1..=INPUTS).map(|k| format!("torque{k}")))?;
    let names = (1..=INPUTS).flat_map(|k| OUTPUTS.map(|measure| format!("{measure}{k}")));
    let outputs = unpacked.references(names)?;
    let torques = [0.0; INPUTS];
    let mut values = vec![0.0; outputs.len()];
    let (mut whole, mut own, mut between) = (Vec::new(), Vec::new(), Vec::new());
    let mut step = 0;
    for _ in 0..ROUNDS {
        let (through, ()) = timed(|| {
            for k in step..step + STEPS {
                instance.set(&inputs, &torques)?;
                instance.step(k as f64 * STEP, STEP)?;
                instance.get(&outputs, &mut values)?;
            }
            Ok(())
        })?;
        let (inside, ()) = timed(|| {
            for _ in 0..STEPS {
                let stepped = simulation.step();
                stepped.map_err(|failure| format!("{failure:?}"))?;
            }
            Ok(())
        })?;
        step += STEPS;
        whole.push(through / STEPS as f64);
        own.push(inside / STEPS as f64);
        between.push((through - inside) / STEPS as f64);
    }
    let same = values
        .iter()
        .zip(0..)
        .all(|(value, k)| *value == simulation.output(fixstep_kernel::ids::OutputId(k)));
    if !same {
        return Err("the library and the Rust library have gone different ways".to_owned());
    }
    between.sort_by(f64::total_cmp);
    Ok(json!({
        "case": "interface",
        "us": median(&mut whole), "solver_us": median(&mut own), "overhead_us": median(&mut between),
        "quartile_us": between[3 * ROUNDS / 4],
        "inputs": inputs.len(), "outputs": outputs.len(),
    }))
}

/// From the library's file to the first step that could be taken.
fn loading(library: &Path) -> Result<Value, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/passive_vehicle/model.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let text = fixstep_model::expanded("", &text, &fixstep_model::resources::folder(folder))
        .map_err(|error| error.to_string())?;
    let unpacked = Unpacked::new("vehicle", &text)?;
    let load = || Instance::new(library, &unpacked.resources, &unpacked.token);
    let (first, instance) = timed(load)?;
    drop(instance);
    let mut again = Vec::with_capacity(LOADS);
    for _ in 0..LOADS {
        let (time, instance) = timed(load)?;
        drop(instance);
        again.push(time);
    }
    let (again, spread) = middle(&mut again);
    Ok(
        json!({"case": "loading", "first_ms": first * 1e-3, "again_ms": again * 1e-3, "spread": spread}),
    )
}

fn run() -> Result<(), String> {
    let (mut library, mut file) = (None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => {}
            "--json" => file = words.next(),
            _ => library = Some(PathBuf::from(word)),
        }
    }
    let library = library.filter(|file| file.is_file());
    let library = library.ok_or("the shared library is not named, or no file")?;
    let speed = noise();
    // The first load must be the first.
    let lines = [loading(&library)?, overhead(&library)?].map(|mut line| {
        line["noise_ns"] = json!(speed);
        line.to_string()
    });
    let text = lines.join("\n") + "\n";
    print!("{text}");
    match file {
        Some(file) => fs::write(&file, text).map_err(|error| format!("{file}: {error}")),
        None => Ok(()),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("{message}");
            ExitCode::FAILURE
        }
    }
}
