//! A start does nothing twice: the same beginning is assembled once, the same matrix is analysed once.

use fixstep_kernel::ids::ParameterId;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;

fn example(name: &str) -> Simulation {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../models")
        .join(name)
        .join("model.json");
    let model = Model::from_file(&path).map_err(|e| e.to_string()).unwrap();
    Simulation::new(model.mechanism).unwrap()
}

fn simulation(text: &str) -> Simulation {
    let model = Model::from_json(text).map_err(|e| e.to_string()).unwrap();
    Simulation::new(model.mechanism).unwrap()
}

/// A crank that a motion holds at the angle of a parameter, and a rod that must follow it to the slide.
fn crank() -> Simulation {
    simulation(
        r#"{
        "fixstep": 1, "name": "crank", "gravity": [0, 0, -9.81],
        "units": {"length": "m", "mass": "kg", "force": "N", "time": "s", "angle": "rad"},
        "parameters": [{"name": "angle", "unit": "rad", "start": 0.5}],
        "parts": [
            {"name": "crank", "mass": 1, "position": [0.05, 0, 0], "inertia": {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3}},
            {"name": "rod", "mass": 1, "position": [0.2, 0, 0], "inertia": {"xx": 1e-3, "yy": 1e-3, "zz": 1e-3}}
        ],
        "markers": [
            {"name": "bearing", "part": "ground"},
            {"name": "hub", "part": "crank", "position": [-0.05, 0, 0]},
            {"name": "pin", "part": "crank", "position": [0.05, 0, 0]},
            {"name": "big end", "part": "rod", "position": [-0.1, 0, 0]},
            {"name": "small end", "part": "rod", "position": [0.1, 0, 0]},
            {"name": "slide", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 0, 1]}}
        ],
        "joints": [
            {"name": "shaft", "type": "revolute", "i": "hub", "j": "bearing"},
            {"name": "eye", "type": "revolute", "i": "big end", "j": "pin"},
            {"name": "guide", "type": "in_line", "i": "small end", "j": "slide"}
        ],
        "motions": [{"name": "drive", "joint": "shaft", "displacement": "angle + 3 * time"}],
        "solver": {"integrator": "HHT"},
        "experiment": {"start": 0, "stop": 1, "step": 0.001}
    }"#,
    )
}

/// What a start leaves for the steps.
fn bits(simulation: &mut Simulation) -> Vec<u64> {
    let state = &simulation.part().state;
    state.reals.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn the_same_beginning_is_assembled_once_and_another_one_anew() {
    let mut simulation = crank();
    let fresh = bits(&mut simulation);
    let before = simulation.assemblies();
    simulation.initialize(0.0).unwrap();
    assert_eq!(
        simulation.assemblies(),
        before,
        "what was found is used again"
    );
    assert_eq!(bits(&mut simulation), fresh);
    simulation.set_parameter(ParameterId(0), 0.75).unwrap();
    simulation.initialize(0.0).unwrap();
    let after = simulation.assemblies();
    assert_eq!(after, before + 1, "the crank stands elsewhere");
    let elsewhere = bits(&mut simulation);
    assert_ne!(elsewhere, fresh);
    simulation.initialize(0.1).unwrap();
    assert_ne!(bits(&mut simulation), elsewhere);
    simulation.set_parameter(ParameterId(0), 0.5).unwrap();
    simulation.initialize(0.0).unwrap();
    assert_eq!(bits(&mut simulation), fresh);
}

#[test]
fn a_start_after_a_run_is_the_first_start() {
    let mut simulation = crank();
    let fresh = bits(&mut simulation);
    for _ in 0..50 {
        simulation.step().unwrap();
    }
    simulation.initialize(0.0).unwrap();
    assert_eq!(bits(&mut simulation), fresh);
}

#[test]
fn the_same_matrix_is_analysed_and_factored_once() {
    // Redundant rows of its suspension let every pivot order lose digits, so that none counts as good.
    let mut simulation = example("passive_vehicle");
    let mut analysis = simulation.analysis();
    analysis.project_velocities().unwrap();
    let counters = analysis.factors.counters();
    assert_eq!(counters.refactored, 0, "the analysis has factored it");
    // Each pass solves, and refines what it has found.
    assert!(counters.solved >= 4, "{counters:?}");
}
