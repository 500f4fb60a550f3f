//! Tests of strings in both versions: a parameter if a sensor reports it, otherwise a constant.

use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{ERROR, OK, PENDULUM, World, c, folder};

/// The pendulum with a sensor that speaks at 0.02 s, and a text that nothing reads.
fn world(name: &str) -> World {
    let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
    model["strings"] = serde_json::json!([
        {"name": "words", "start": "two hundredths have passed", "description": "What the sensor says"},
        {"name": "data version", "start": "2026-01 <draft>"}
    ]);
    model["sensors"] = serde_json::json!([
        {"name": "speaks", "expression": "TIME", "comparison": "ge", "value": 0.02, "tolerance": 1e-9,
         "message": "=words"},
        {"name": "ends", "expression": "TIME", "comparison": "ge", "value": 0.04, "tolerance": 1e-9,
         "message": "= words", "stop": true}
    ]);
    World::at(folder(name).join("resources"), &model.to_string())
}

fn time(k: u32) -> f64 {
    f64::from(k) * 0.01
}

#[test]
fn fmi2_says_what_was_set_before_the_run() {
    let world = world("strings2");
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.string("words"), "two hundredths have passed");
    assert_eq!(fmu.string("'data version'"), "2026-01 <draft>");
    let fmu = Fmu2::new(&world);
    assert_eq!(fmu.set_string("'data version'", "final"), ERROR);
    assert!(
        fmu.log.last().contains("can never be set"),
        "{}",
        fmu.log.last()
    );
    let fmu = Fmu2::new(&world);
    assert_eq!(fmu.set_string("words", &"x".repeat(1001)), ERROR);
    assert!(
        fmu.log.last().contains("valid: at most 1000"),
        "{}",
        fmu.log.last()
    );

    let fmu = Fmu2::new(&world);
    assert_eq!(fmu.set_string("words", "Prüfstand 7: angehalten"), OK);
    fmu.start();
    for k in 0..3 {
        assert_eq!(fmu.step(time(k), 0.01), OK, "{}", fmu.log.last());
    }
    assert_eq!(fmu.string("words"), "Prüfstand 7: angehalten");
    let said = |text: &str| {
        fmu.log
            .all()
            .iter()
            .filter(|m| m.text.contains(text))
            .count()
    };
    assert_eq!(
        said("sensor \"speaks\": Prüfstand 7: angehalten (time 0.02 s)"),
        1
    );

    // A saved state has the texts, in memory and as bytes; another instance says them.
    let mut state = ptr::null_mut();
    assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK);
    let mut size = 0;
    assert_eq!(
        call2!(fmu, fmi2SerializedFMUstateSize, state, &raw mut size),
        OK
    );
    let mut bytes = vec![0_u8; size];
    let to = bytes.as_mut_ptr().cast();
    assert_eq!(call2!(fmu, fmi2SerializeFMUstate, state, to, size), OK);
    let fresh = Fmu2::started(&world);
    let mut copy = ptr::null_mut();
    let from = bytes.as_ptr().cast();
    let status = call2!(fresh, fmi2DeSerializeFMUstate, from, size, &raw mut copy);
    assert_eq!(status, OK, "{}", fresh.log.last());
    assert_eq!(fresh.string("words"), "two hundredths have passed");
    assert_eq!(call2!(fresh, fmi2SetFMUstate, copy), OK);
    assert_eq!(fresh.string("words"), "Prüfstand 7: angehalten");
    fresh.step(time(3), 0.01);
    let last = fresh.log.last();
    assert!(
        last.contains("sensor \"ends\" asks: Prüfstand 7: angehalten"),
        "{last}"
    );
    assert_eq!(call2!(fresh, fmi2Reset), OK);
    fresh.start();
    assert_eq!(fresh.string("words"), "two hundredths have passed");

    // In a run it is too late.
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.set_string("words", "late"), ERROR);
    let last = fmu.log.last();
    assert!(last.contains("may not be set in the state"), "{last}");
}

#[test]
fn fmi3_says_what_was_set_before_the_run_and_nothing_if_it_is_empty() {
    let world = world("strings3");
    for (text, count) in [("rig 7 has stopped", 1), ("", 0)] {
        let fmu = Fmu3::new(&world);
        let (reference, value) = (world.reference("words"), c(text));
        let value = value.as_ptr();
        let status = call3!(
            fmu,
            fmi3SetString,
            &raw const reference,
            1,
            &raw const value,
            1
        );
        assert_eq!(status, OK, "{}", fmu.log.last());
        fmu.start();
        for k in 0..3 {
            assert_eq!(fmu.step(time(k), 0.01).status, OK);
        }
        assert_eq!(fmu.string("words"), text);
        assert_eq!(fmu.string("'data version'"), "2026-01 <draft>");
        let all = fmu.log.all();
        assert_eq!(
            all.iter().filter(|m| m.text.contains("\"speaks\"")).count(),
            count
        );
    }
}
