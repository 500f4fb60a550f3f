//! Tests of the linearly implicit mode: one solve a step, and an error estimate that includes the remainder.

use crate::harness::{build, start, truth};
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::{Simulation, StepFailure};
use serde_json::{Value, json};

/// A block that dry friction brings to rest, with a solver.
fn block(solver: Value) -> Simulation {
    let path = truth("H02_impact_bistop/model.json");
    let mut model: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    model["gravity"] = json!([0, 0, 0]);
    model["point_masses"][0]["velocity"] = json!([0, 0, 1]);
    model["forces"][0]["fz"] = "5*STEP(VZ(b),-1E-4,1,1E-4,-1)".into();
    model["solver"] = solver;
    let mut simulation = build(&model.to_string());
    start(&mut simulation, 0.0015);
    simulation
}

fn saved(simulation: &Simulation) -> Vec<u8> {
    let mut bytes = vec![0; simulation.state_size()];
    simulation.save(&mut bytes);
    bytes
}

#[test]
fn the_error_estimate_contains_what_another_iteration_would_change() {
    let mut linear = block(json!({"integrator": "HHT", "linearly_implicit": true}));
    let mut twice = block(json!({"integrator": "HHT", "fixit": 2, "pattern": "T:F"}));
    let (mut decided, mut largest) = (0, 0.0_f64);
    for _ in 0..100 {
        twice.restore(&saved(&linear));
        let report = linear.step().unwrap();
        assert_eq!((report.iterations, report.jacobians), (1, 1));
        twice.step().unwrap();
        let truncation = twice.figure(Figure::LocalError);
        // The block's other coordinates rest, and its length is 1 m.
        let change = twice.stepper().unwrap().corrections.sizes()[1].value;
        let estimate = linear.figure(Figure::LocalError);
        assert!(
            estimate >= change * (1.0 - 1e-6) - 1e-14,
            "{estimate:e} {change:e}"
        );
        if change > 2.0 * truncation + 1e-9 {
            decided += 1;
            assert!(
                (estimate / change - 1.0).abs() < 1e-6,
                "{estimate:e} {change:e}"
            );
        }
        largest = largest.max(change);
    }
    eprintln!("{decided} steps decided by the remainder, at most {largest:e} m");
    assert!(decided > 0, "friction never turned within a step");
}

#[test]
fn a_step_refused_for_its_remainder_leaves_the_state_as_it_was() {
    let mut probe = block(json!({"integrator": "HHT", "linearly_implicit": true}));
    let mut worst = 0.0_f64;
    for _ in 0..100 {
        probe.step().unwrap();
        worst = worst.max(probe.figure(Figure::LocalError));
    }
    let solver = json!({"integrator": "HHT", "linearly_implicit": true, "maxerr": worst * 0.999});
    let mut guarded = block(solver);
    let mut before = saved(&guarded);
    let failure = loop {
        match guarded.step() {
            Ok(_) => before = saved(&guarded),
            Err(failure) => break failure,
        }
    };
    let StepFailure::LocalError {
        estimate,
        limit,
        entity,
    } = failure
    else {
        unreachable!("{failure:?}");
    };
    assert!(estimate > limit);
    assert!(guarded.describe(entity).contains("ball"));
    assert!(saved(&guarded) == before);
}

#[test]
fn fixit_and_pattern_have_no_effect_and_a_note_says_so() {
    let run = |solver: Value| {
        let mut simulation = block(solver);
        (0..200).for_each(|_| {
            simulation.step().unwrap();
        });
        assert!(simulation.notes().iter().any(|n| n.contains("fixit")));
        saved(&simulation)
    };
    let one = run(json!({"linearly_implicit": true}));
    let other = run(json!({"linearly_implicit": true, "fixit": 7, "pattern": "F:T"}));
    assert!(one == other);
}
