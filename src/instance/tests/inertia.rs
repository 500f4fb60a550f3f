//! Tests of the dynamic limit of flexible bodies, which depends on the step in force when the initialization ends.

use super::super::testing::memory;
use super::*;
use fixstep_model::Model;
use fixstep_model::resources::folder;
use serde_json::Value;
use std::path::Path;

/// A slider-crank with a flexible rod, whose modes go from 424 Hz to 10 433 Hz, at this HRATIO.
fn crank(hratio: i64) -> (Box<Instance>, Lines) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/flexible_slider_crank");
    let text = std::fs::read_to_string(place.join("model.json")).unwrap();
    let mut model: Value = serde_json::from_str(&text).unwrap();
    model["solver"]["hratio"] = hratio.into();
    let packed = Model::read(&model.to_string(), &folder(&place)).unwrap();
    let packed = packed.packed().unwrap();
    let blueprint = Blueprint::read(&packed.bytes).unwrap();
    let (sink, lines) = memory();
    let made = Instance::of(blueprint, "crank", &packed.token, Log::new(sink, true));
    (made.unwrap(), lines)
}

/// Makes communication steps from the k-th on; returns all bits of the state after each.
fn course(instance: &mut Instance, from: u32) -> Vec<Vec<u8>> {
    let one = |k: u32| {
        assert_eq!(step(instance, f64::from(k) * 1e-3, 1e-3), Status::Ok);
        let mut bytes = vec![0; instance.simulation.state_size()];
        instance.simulation.save(&mut bytes);
        bytes
    };
    (from..from + 10).map(one).collect()
}

fn begun(hratio: i64) -> Box<Instance> {
    let (mut instance, _) = crank(hratio);
    initialize(&mut instance);
    instance
}

#[test]
fn a_step_that_is_set_gives_the_modes_that_the_model_with_it_has() {
    for hratio in [2, 40] {
        let own = course(&mut begun(hratio), 0);
        let (mut instance, _) = crank(1);
        assert_eq!(
            set_integer(&mut instance, "solver.hratio", hratio),
            Status::Ok
        );
        initialize(&mut instance);
        assert!(
            course(&mut instance, 0) == own,
            "HRATIO {hratio} that is set"
        );
        // HRATIO is set repeatedly, and a reset returns it to the model's value.
        instance.reset().unwrap();
        for set in [7, hratio, 1, hratio] {
            set_integer(&mut instance, "solver.hratio", set);
            instance.enter_initialization().unwrap();
            get(&mut instance, "bending");
            instance.mode = Mode::Instantiated;
        }
        initialize(&mut instance);
        assert!(course(&mut instance, 0) == own, "HRATIO {hratio} at last");
        instance.reset().unwrap();
        initialize(&mut instance);
        assert!(
            course(&mut instance, 0) == course(&mut begun(1), 0),
            "reset"
        );
    }
}

#[test]
fn a_state_brings_its_modes_along() {
    let (mut fine, _) = crank(1);
    set_integer(&mut fine, "solver.hratio", 40);
    initialize(&mut fine);
    course(&mut fine, 0);
    let state = fine.save_state(0).unwrap();
    let bytes = fine.serialize(state).unwrap();
    let expected = course(&mut fine, 10);
    // Restores into a fresh instance, into one that runs at another step, and into the original one.
    let (mut fresh, _) = crank(1);
    let mut coarse = begun(1);
    let before = coarse.save_state(0).unwrap();
    let plain = course(&mut coarse, 0);
    for instance in [&mut fresh, &mut coarse, &mut fine] {
        let state = instance.deserialize(&bytes, 0).unwrap();
        instance.restore_state(state).unwrap();
        assert!(course(instance, 10) == expected);
    }
    coarse.restore_state(before).unwrap();
    assert!(course(&mut coarse, 0) == plain);
}

#[test]
fn the_log_names_the_modes_that_lose_their_inertia() {
    let told = |lines: &Lines| {
        let lines = lines.borrow();
        let of_modes = lines
            .iter()
            .filter(|line| line.contains("lose their inertia"));
        of_modes.cloned().collect::<Vec<_>>()
    };
    let (mut instance, lines) = crank(1);
    let first = told(&lines);
    assert_eq!(first.len(), 1);
    let expected = "Ok logEvents flexible body \"rod\": modes above the dynamic limit of 500.0 Hz, half a period in the \
                    integration step of 0.001 s, keep their stiffness and lose their inertia: 3 (1168.9 Hz), 4 (";
    assert!(first[0].starts_with(expected), "{first:?}");
    assert_eq!(first[0].matches(" Hz)").count(), 10, "{first:?}");
    set_integer(&mut instance, "solver.hratio", 4);
    initialize(&mut instance);
    let both = told(&lines);
    assert_eq!(both.len(), 2);
    assert!(both[1].contains("limit of 2000.0 Hz"), "{both:?}");
    assert_eq!(both[1].matches(" Hz)").count(), 8, "{both:?}");
}
