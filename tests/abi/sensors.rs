//! Tests, in both versions, of a sensor that ends the run, a sensor that reports, and a sampled system.

use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{DISCARD, ERROR, OK, PENDULUM, World, folder};

/// The pendulum, which falls from the horizontal: the sensors see time alone.
fn world(name: &str, hratio: u32) -> World {
    let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
    model["solver"]["hratio"] = hratio.into();
    model["sampled_systems"] = serde_json::json!([
        {"name": "ten", "sample_period": 0.01, "inputs": ["TIME"], "d": [[10]]}
    ]);
    model["sensors"] = serde_json::json!([
        {"name": "speaks", "expression": "TIME", "comparison": "ge", "value": 0.02, "tolerance": 1e-9,
         "evaluate": "SAMVAL(ten, 1)", "message": "two hundredths have passed"},
        {"name": "the end", "expression": "TIME", "comparison": "ge", "value": 0.045,
         "message": "nothing more to see", "stop": true}
    ]);
    World::at(folder(name).join("resources"), &model.to_string())
}

fn time(k: u32) -> f64 {
    f64::from(k) * 0.01
}

#[test]
fn fmi2_discards_and_terminates_where_a_sensor_ends_the_run() {
    // Steps of 0.01 s end the run at 0.05 s; of 0.0025 s within the communication step.
    for (hratio, last) in [(1, 0.05), (4, 0.045)] {
        let world = world("sensors2", hratio);
        let fmu = Fmu2::started(&world);
        for k in 0..4 {
            assert_eq!(fmu.step(time(k), 0.01), OK, "{}", fmu.log.last());
            assert!((fmu.real("sampled.ten.output[1]") - 10.0 * time(k + 1)).abs() < 1e-12);
        }
        assert!((fmu.real("sensors.speaks.value") - 0.2).abs() < 1e-9);
        assert_eq!(fmu.integer("sensors.speaks.count"), 1);
        assert_eq!(fmu.integer("sensors.'the end'.count"), 0);
        let mut before = ptr::null_mut();
        assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut before), OK);
        assert_eq!(fmu.step(time(4), 0.01), DISCARD);
        let all = fmu.log.all();
        let text = &all.last().unwrap().text;
        assert!(
            text.contains("sensor \"the end\" asks: nothing more to see"),
            "{text}"
        );
        let spoken = all.iter().filter(|m| m.text.contains("two hundredths"));
        assert_eq!(spoken.count(), 1, "one message");
        let mut terminated = 0;
        assert_eq!(
            call2!(fmu, fmi2GetBooleanStatus, 3, &raw mut terminated),
            OK
        );
        assert_eq!(terminated, 1);
        let mut reached = 0.0;
        assert_eq!(call2!(fmu, fmi2GetRealStatus, 2, &raw mut reached), OK);
        assert!((reached - last).abs() < 1e-12, "{reached}");
        // The step has been made and can be read; there is no next one.
        assert!((fmu.real("time") - last).abs() < 1e-12);
        assert_eq!(fmu.step(time(5), 0.01), ERROR);
        // From before it the run is taken up again, and ends again.
        let fresh = Fmu2::started(&world);
        let mut size = 0;
        assert_eq!(
            call2!(fmu, fmi2SerializedFMUstateSize, before, &raw mut size),
            OK
        );
        let mut bytes = vec![0_u8; size];
        let to = bytes.as_mut_ptr().cast();
        assert_eq!(call2!(fmu, fmi2SerializeFMUstate, before, to, size), OK);
        let mut copy = ptr::null_mut();
        let from = bytes.as_ptr().cast();
        assert_eq!(
            call2!(fresh, fmi2DeSerializeFMUstate, from, size, &raw mut copy),
            OK
        );
        assert_eq!(call2!(fresh, fmi2SetFMUstate, copy), OK);
        assert_eq!(fresh.step(time(4), 0.01), DISCARD);
        assert_eq!(fresh.real("angle").to_bits(), fmu.real("angle").to_bits());
    }
}

#[test]
fn fmi3_terminates_the_simulation_where_a_sensor_ends_the_run() {
    for (hratio, last, held) in [(1, 0.05, 0.5), (4, 0.045, 0.4)] {
        let world = world("sensors3", hratio);
        let fmu = Fmu3::started(&world);
        for k in 0..4 {
            let end = fmu.step(time(k), 0.01);
            assert_eq!(
                (end.status, end.terminate),
                (OK, false),
                "{}",
                fmu.log.last()
            );
        }
        assert!((fmu.real("sensors.speaks.value") - 0.2).abs() < 1e-9);
        let end = fmu.step(time(4), 0.01);
        assert_eq!((end.status, end.terminate), (OK, true));
        assert!((end.last - last).abs() < 1e-12, "{}", end.last);
        let text = fmu.log.last();
        assert!(text.contains("sensor \"the end\" asks"), "{text}");
        assert!((fmu.real("sampled.ten.output[1]") - held).abs() < 1e-12);
        assert_eq!(call3!(fmu, fmi3Terminate), OK);
    }
}
