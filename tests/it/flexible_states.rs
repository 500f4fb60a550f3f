//! A flexible beam on a pin with friction that falls on its tip (`tests/mechanisms/flexible_contact`): contact,
//! friction and bristles on nodes keep their account, and a saved state goes on with the same bits.

use crate::energy::worst;
use crate::harness::{advance, output, start, truth};
use crate::states::schemes;
use fixstep_kernel::simulation::Figure;
use fixstep_kernel::simulation::Simulation;
use fixstep_model::Model;

fn read() -> Model {
    let path = truth("../mechanisms/flexible_contact/model.json");
    Model::from_file(&path).map_err(|e| e.to_string()).unwrap()
}

fn under(solver: &serde_json::Value) -> Simulation {
    let mut text: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(truth("../mechanisms/flexible_contact/model.json")).unwrap(),
    )
    .unwrap();
    text["solver"] = solver.clone();
    let beam = std::fs::read(truth("../mechanisms/flexible_contact/beam.flex")).unwrap();
    let files = |path: &str| match path {
        "beam.flex" => Ok(beam.clone()),
        _ => fixstep_model::resources::none(path),
    };
    let model = Model::read(&text.to_string(), &files).map_err(|e| e.to_string());
    Simulation::new(model.unwrap().mechanism).unwrap()
}

#[test]
fn the_account_of_a_falling_beam_closes() {
    let model = read();
    let coarse = worst(&model, 2e-4, 5000);
    let fine = worst(&model, 1e-4, 10_000);
    eprintln!("account: {coarse:e} {fine:e}");
    assert!(coarse < 1e-2 && fine < 0.6 * coarse, "{coarse} {fine}");
}

/// The beam comes to rest on its tip, where statics say how much of its weight it carries there.
#[test]
fn a_fallen_beam_rests_on_its_tip() {
    let mut simulation = Simulation::new(read().mechanism).unwrap();
    start(&mut simulation, 2e-4);
    let mut highest = 0.0_f64;
    while simulation.time() < 4.0 {
        simulation.step().unwrap();
        highest = highest.max(output(&simulation, "press"));
    }
    let kinetic = simulation.figure(Figure::KineticEnergy);
    assert!(kinetic < 1e-9, "{kinetic}");
    // It fell hard.
    let weight = 1.6 * 9.81;
    assert!(highest > 5.0 * weight, "{highest}");
    // About the pin: weight at its centre of mass, press and grip where it touches, friction of the pin.
    let value = |name: &str| output(&simulation, name);
    let lever = value("foot_x") * value("press") - value("foot_y") * value("grip");
    let moment = weight * value("center_x") - lever - value("pin_friction");
    assert!(moment.abs() < 1e-6, "{moment}");
    assert!((value("press") / weight - 0.5).abs() < 0.01);
    // The shape of 50 Hz moves the ends by −1, the middle by 1, and turns the root by 8.
    let omega = std::f64::consts::TAU * 50.0;
    let level = (value("foot_x") / 0.5) * (value("foot_x") / 0.5);
    let load = weight * level - 8.0 * value("pin_friction") * level.sqrt();
    let expected = -2.0 * load / (omega * omega * 1.6128);
    let sag = value("sag");
    eprintln!("sag {sag} {expected}, moment {moment:e}");
    assert!((sag / expected - 1.0).abs() < 1e-9, "{sag} {expected}");
}

#[test]
fn a_saved_state_of_a_flexible_body_goes_on_with_the_same_bits() {
    for (name, solver, _) in schemes() {
        let mut simulation = under(&solver);
        start(&mut simulation, 5e-4);
        // In the air, and while it strikes.
        for before in [0.1, 0.285] {
            advance(&mut simulation, before);
            let mut saved = vec![0; simulation.state_size()];
            simulation.save(&mut saved);
            let run = |simulation: &mut Simulation| -> Vec<u64> {
                advance(simulation, before + 0.05);
                let mut bytes = vec![0; simulation.state_size()];
                simulation.save(&mut bytes);
                let words = bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|w: &[u8; 8]| u64::from_le_bytes(*w));
                words
                    .chain([output(simulation, "press").to_bits()])
                    .collect()
            };
            let straight = run(&mut simulation);
            let mut other = under(&solver);
            other.restore(&saved);
            assert_eq!(run(&mut other), straight, "{name}, {before} s");
        }
    }
}
