//! The cars of `models/` against other programs, against themselves at smaller steps, and against
//! their books of energy.

use crate::harness::{advance, output, start};
use fixstep_kernel::ids::InputId;
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;
use std::path::PathBuf;

/// Mass of the chassis without payload \[kg\], and gravity [m/s²].
const CHASSIS: f64 = 1150.0;
const GRAVITY: f64 = 9.81;

/// A model of `models/` with other solver settings.
fn model(name: &str, solver: &serde_json::Value) -> Simulation {
    changed(name, |model| model["solver"] = solver.clone())
}

/// A model of `models/` after a change.
fn changed(name: &str, change: impl FnOnce(&mut serde_json::Value)) -> Simulation {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("models")
        .join(name);
    let text = std::fs::read_to_string(folder.join("model.json")).unwrap();
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    change(&mut model);
    let files = fixstep_model::resources::folder(&folder);
    let model = Model::read(&model.to_string(), &files)
        .map_err(|e| e.to_string())
        .unwrap();
    Simulation::new(model.mechanism).unwrap()
}

/// A model of `models/` without templates.
fn flat(name: &str) -> serde_json::Value {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("models")
        .join(name);
    let text = std::fs::read_to_string(folder.join("model.json")).unwrap();
    let files = fixstep_model::resources::folder(&folder);
    let flat = fixstep_model::expanded("", &text, &files).unwrap();
    serde_json::from_str(&flat).unwrap()
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

/// The input table of the driven car: time, then one value for each input.
fn table() -> Vec<Vec<f64>> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("models/vehicle/input.csv");
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().skip(1);
    rows.map(|row| row.split(',').map(|x| x.parse().unwrap()).collect())
        .collect()
}

/// What a drive through the first lane change shows.
#[derive(Debug)]
struct Drive {
    /// Offset, yaw, roll, height at its end.
    place: [f64; 4],
    /// Worst violation of a constraint, of place and of velocity.
    worst: [f64; 2],
    /// Error of the account of energy over the largest kinetic energy.
    account: f64,
}

/// Drives through the input table until a time.
fn drive(car: &mut Simulation, h: f64, until: f64) -> Drive {
    let rows = table();
    start(car, h);
    let (mut worst, mut kinetic) = ([0.0_f64; 2], 0.0_f64);
    while car.time() < until - 1e-9 {
        let after = rows
            .iter()
            .position(|row| row[0] > car.time() + 1e-9)
            .unwrap();
        let (a, b) = (&rows[after - 1], &rows[after]);
        let share = (car.time() - a[0]) / (b[0] - a[0]);
        for k in 0..3 {
            let value = a[k + 1] + share * (b[k + 1] - a[k + 1]);
            car.set_input(InputId::from(k), value);
        }
        car.step().unwrap();
        let violations = [Figure::ConstraintViolation, Figure::VelocityViolation];
        for (worst, figure) in worst.iter_mut().zip(violations) {
            *worst = worst.max(car.figure(figure));
        }
        kinetic = kinetic.max(car.figure(Figure::KineticEnergy));
    }
    Drive {
        place: ["offset", "yaw", "roll", "height"].map(|name| output(car, name)),
        worst,
        account: car.figure(Figure::EnergyError).abs() / kinetic,
    }
}

#[test]
fn the_driven_car_changes_lanes_alike_in_both_schemes_and_at_half_the_step() {
    let mut hht = model("vehicle", &serde_json::json!({"fixit": 2}));
    let [coarse, fine] = [1e-3, 5e-4].map(|h| drive(&mut hht, h, 3.4));
    eprintln!("HHT: {coarse:?} {fine:?}");
    let si2 = serde_json::json!({"integrator": "GSTIFF", "formulation": "SI2", "fixit": 2});
    let mut si2 = model("vehicle", &si2);
    let [first, half] = [1e-3, 5e-4].map(|h| drive(&mut si2, h, 3.4));
    eprintln!("SI2: {first:?} {half:?}");

    // the second order halves its step and moves little; the first order, extrapolated, comes there
    for k in 0..4 {
        let size = [3.0, 0.15, 0.02, 0.5][k];
        assert!((coarse.place[k] - fine.place[k]).abs() < 2e-3 * size, "{k}");
        let limit = 2.0 * half.place[k] - first.place[k];
        assert!((limit - fine.place[k]).abs() < 2e-3 * size, "{k}: {limit}");
        assert!((first.place[k] - fine.place[k]).abs() < 2e-2 * size, "{k}");
    }
    // a lane is 3.5 m wide
    assert!((2.8..3.8).contains(&fine.place[0]), "{fine:?}");
    for drive in [&coarse, &first] {
        assert!(drive.worst[0] < 1e-6, "{drive:?}");
    }
    // velocities meet their constraints to the order of HHT, and to rounding under SI2
    assert!(
        fine.worst[1] < 0.35 * coarse.worst[1],
        "{coarse:?} {fine:?}"
    );
    assert!(first.worst[1] < 1e-9, "{first:?}");
    assert!(
        coarse.account < 1e-5 && fine.account < 0.5 * coarse.account,
        "{coarse:?} {fine:?}"
    );
}

/// Loads of the four tyres.
fn loads(car: &Simulation) -> [f64; 4] {
    ["fl_load", "fr_load", "rl_load", "rr_load"].map(|name| output(car, name))
}

/// Released above the road: no tyre touches it at first; in the end they carry the weight and the
/// air's downforce.
#[test]
fn the_driven_car_falls_and_lands_on_its_tyres() {
    let fall = 0.2;
    let mut car = changed("vehicle", |model| {
        model["roads"][0]["position"] = serde_json::json!([0, 0, -fall]);
    });
    let parts = flat("vehicle")["parts"].as_array().unwrap().clone();
    let masses = { parts.iter() }.map(|part| part["mass"].as_f64().unwrap_or(CHASSIS));
    let mass: f64 = masses.sum();
    start(&mut car, 1e-3);
    // in the air for (2 fall/g)^(1/2) = 0.2 s, less what the wheels drop out of the car
    for _ in 0..15 {
        assert_eq!(loads(&car), [0.0; 4], "{}", car.time());
        advance(&mut car, 0.01);
    }
    advance(&mut car, 7.0);
    let (speed, found) = (output(&car, "speed"), loads(&car));
    let (weight, down) = (mass * GRAVITY, 0.5 * 1.2 * 0.1 * speed * speed);
    let total: f64 = found.iter().sum();
    eprintln!("{found:?}, together {total}; weight {weight}, downforce {down}");
    assert!((total - weight - down).abs() < 2e-3 * weight, "{found:?}");
}
