//! The cars of `models/` against other programs, against themselves at smaller steps, and against
//! their books of energy.

use crate::harness::{advance, build, output, start};
use fixstep::simulation::Simulation;
use fixstep::variables::Figure;
use std::path::PathBuf;

/// A model of `models/` with other solver settings.
fn model(name: &str, solver: &serde_json::Value) -> Simulation {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("models")
        .join(name)
        .join("model.json");
    let mut model: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    model["solver"] = solver.clone();
    build(&model.to_string())
}

/// Height and pitch of the passive car after 0.3 s, and the worst violations of its constraints,
/// of place and of velocity.
fn settle(simulation: &mut Simulation, h: f64) -> [f64; 4] {
    start(simulation, h);
    let mut worst = [0.0_f64; 2];
    while simulation.time() < 0.3 - 1e-9 {
        simulation.step().unwrap();
        let violations = [Figure::ConstraintViolation, Figure::VelocityViolation];
        for (worst, figure) in worst.iter_mut().zip(violations) {
            *worst = worst.max(simulation.figure(figure));
        }
    }
    let (height, pitch) = (output(simulation, "height"), output(simulation, "pitch"));
    [height, pitch, worst[0], worst[1]]
}

/// The figures of three programs for the same data: Exudyn (Euler parameters), MBDyn, Chrono (HHT).
/// They ran at 1 ms with tolerances of their own; pitch is of the first two, to four digits.
const PEER_HEIGHTS: [f64; 3] = [0.535_425, 0.535_429, 0.535_435];
const PEER_PITCH: f64 = 0.01167;

#[test]
fn the_passive_car_stands_where_three_other_programs_put_it() {
    let mut hht = model("passive_vehicle", &serde_json::json!({"fixit": 2}));
    let [coarse, fine] = [1e-3, 5e-4].map(|h| settle(&mut hht, h));
    eprintln!("HHT: {coarse:?} {fine:?}");
    for peer in PEER_HEIGHTS {
        assert!((coarse[0] - peer).abs() < 1e-5, "{coarse:?} {peer}");
    }
    assert!((coarse[1] - PEER_PITCH).abs() < 5e-6, "{coarse:?}");
    assert!((coarse[0] - fine[0]).abs() < 1e-6, "{coarse:?} {fine:?}");

    // first order: two steps give the limit, where HHT is
    let si2 = serde_json::json!({"integrator": "GSTIFF", "formulation": "SI2", "fixit": 2});
    let mut si2 = model("passive_vehicle", &si2);
    let [coarse, half] = [1e-3, 5e-4].map(|h| settle(&mut si2, h));
    eprintln!("SI2: {coarse:?} {half:?}");
    let limit = |k: usize| 2.0 * half[k] - coarse[k];
    assert!((limit(0) - fine[0]).abs() < 2e-6, "{} {fine:?}", limit(0));
    assert!((limit(1) - fine[1]).abs() < 2e-6, "{} {fine:?}", limit(1));
    assert!(coarse[2] < 1e-9 && coarse[3] < 1e-9, "{coarse:?}");
}

#[test]
fn two_iterations_are_enough_for_the_passive_car() {
    let run = |fixit: u32| {
        let mut car = model("passive_vehicle", &serde_json::json!({ "fixit": fixit }));
        start(&mut car, 1e-3);
        advance(&mut car, 0.1);
        ["height", "pitch", "speed"].map(|name| output(&car, name))
    };
    let (two, many) = (run(2), run(8));
    for (two, many) in two.into_iter().zip(many) {
        assert!(
            (two - many).abs() < 1e-9 * many.abs().max(1.0),
            "{two} {many}"
        );
    }
}
