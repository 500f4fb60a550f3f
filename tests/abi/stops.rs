//! Steps refused for their error or for numbers that are not finite, under every scheme and in both
//! versions: the worst entity is named; the state stays readable, savable, and good to go on from.

use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::schemes::{SCHEMES, Scheme};
use crate::world::{DISCARD, ERROR, OK, PENDULUM, World, folder};

/// A run that stops: a solver setting, the torque, words of the log.
struct Stop {
    maxerr: Option<f64>,
    expression: &'static str,
    words: [&'static str; 2],
}

/// Both torques grow out of bounds after 0.055 s, one beyond all numbers.
const STOPS: [Stop; 2] = [
    Stop {
        maxerr: Some(1e-2),
        expression: "torque + STEP(TIME, 0.055, 0, 0.06, 1E4)",
        words: ["part \"rod\"", "solver.maxerr"],
    },
    Stop {
        maxerr: None,
        expression: "torque + SQRT(0.055 - TIME)",
        words: ["part \"rod\"", "no longer a finite number"],
    },
];

/// Calls back with the pendulum of each stop for each scheme.
fn for_each(mut check: impl FnMut(&World, &[&str], &Scheme)) {
    for stop in &STOPS {
        let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
        model["forces"][0]["expression"] = stop.expression.into();
        if let Some(maxerr) = stop.maxerr {
            model["solver"]["maxerr"] = maxerr.into();
        }
        let world = World::at(folder("stops").join("resources"), &model.to_string());
        for scheme in &SCHEMES {
            check(&world, &stop.words, scheme);
        }
    }
}

/// Steps of 0.01 s that the importer accepts before the stop.
const GOOD: u32 = 5;

fn time(k: u32) -> f64 {
    f64::from(k) * 0.01
}

#[test]
fn fmi2_stops_with_a_name_and_a_state_to_go_on_from() {
    for_each(|world, words, chosen| {
        let scheme = chosen.name;
        let fmu = Fmu2::new(world);
        chosen.choose2(&fmu);
        fmu.start();
        for k in 0..GOOD {
            assert_eq!(fmu.step(time(k), 0.01), OK, "{scheme}: {}", fmu.log.last());
        }
        let mut good = ptr::null_mut();
        assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut good), OK);
        let before = ["angle", "speed"].map(|name| fmu.real(name).to_bits());
        assert_eq!(fmu.step(time(GOOD), 0.01), DISCARD, "{scheme}");
        let text = fmu.log.last();
        assert!(words.iter().all(|w| text.contains(w)), "{scheme}: {text}");
        assert!(text.contains("the run stops at time 0.05 s"), "{text}");
        let after = ["angle", "speed"].map(|name| fmu.real(name).to_bits());
        assert_eq!(before, after, "{scheme}");
        let mut state = ptr::null_mut();
        assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK, "{scheme}");
        let other = Fmu2::new(world);
        other.start();
        let mut size = 0;
        let status = call2!(fmu, fmi2SerializedFMUstateSize, state, &raw mut size);
        assert_eq!(status, OK);
        let mut bytes = vec![0_u8; size];
        let to = bytes.as_mut_ptr().cast();
        assert_eq!(call2!(fmu, fmi2SerializeFMUstate, state, to, size), OK);
        let mut copy = ptr::null_mut();
        let from = bytes.as_ptr().cast();
        let status = call2!(other, fmi2DeSerializeFMUstate, from, size, &raw mut copy);
        assert_eq!(status, OK, "{scheme}: {}", other.log.last());
        assert_eq!(call2!(other, fmi2SetFMUstate, copy), OK);
        assert_eq!(other.real("angle").to_bits(), before[0], "{scheme}");
        assert_eq!(other.real("time"), 0.05);
        // From before the stop it goes on; half a step stays clear of what went wrong.
        assert_eq!(call2!(fmu, fmi2SetFMUstate, good), OK);
        assert_eq!(fmu.step(time(GOOD), 0.004), OK, "{}", fmu.log.last());
        assert!(fmu.real("angle").is_finite() && fmu.real("angle").to_bits() != before[0]);
    });
}

#[test]
fn fmi3_stops_with_a_name_and_a_state_to_go_on_from() {
    for_each(|world, words, chosen| {
        let scheme = chosen.name;
        let fmu = Fmu3::new(world);
        chosen.choose3(&fmu);
        fmu.start();
        for k in 0..GOOD {
            let end = fmu.step(time(k), 0.01);
            assert_eq!(
                (end.status, end.terminate),
                (OK, false),
                "{scheme}: {}",
                fmu.log.last()
            );
        }
        let before = ["angle", "speed"].map(|name| fmu.real(name).to_bits());
        let mut good = ptr::null_mut();
        assert_eq!(call3!(fmu, fmi3GetFMUState, &raw mut good), OK);
        let end = fmu.step(time(GOOD), 0.01);
        assert_eq!((end.status, end.terminate), (OK, true), "{scheme}");
        assert_eq!(end.last, time(GOOD), "{scheme}");
        let text = fmu.log.last();
        assert!(words.iter().all(|w| text.contains(w)), "{scheme}: {text}");
        let after = ["angle", "speed"].map(|name| fmu.real(name).to_bits());
        assert_eq!(before, after, "{scheme}");
        let mut state = ptr::null_mut();
        assert_eq!(call3!(fmu, fmi3GetFMUState, &raw mut state), OK, "{scheme}");
        assert_eq!(call3!(fmu, fmi3SetFMUState, state), OK, "{scheme}");
        let again = ["angle", "speed"].map(|name| fmu.real(name).to_bits());
        assert_eq!(before, again, "{scheme}");
        assert_eq!(call3!(fmu, fmi3SetFMUState, good), OK, "{scheme}");
        let end = fmu.step(time(GOOD), 0.004);
        assert_eq!(
            (end.status, end.terminate),
            (OK, false),
            "{}",
            fmu.log.last()
        );
        assert_eq!(call3!(fmu, fmi3FreeFMUState, &raw mut state), OK);
        assert_eq!(call3!(fmu, fmi3Terminate), OK);
    });
}

#[test]
fn combinations_that_do_not_go_are_refused_at_the_start_in_both_versions() {
    let world = World::at(folder("refused").join("resources"), PENDULUM);
    let stabilised = |name: &str| {
        let named = SCHEMES.iter().find(|scheme| scheme.name == name);
        named.unwrap().formulation(2)
    };
    for (scheme, setting, words) in [
        (stabilised("HHT"), None, ["solver.formulation", "GSTIFF"]),
        (
            stabilised("NEWMARK"),
            None,
            ["solver.formulation", "GSTIFF"],
        ),
        (
            SCHEMES[3].formulation(1),
            Some(("solver.beta", 0.3)),
            ["solver.beta", "unstable"],
        ),
        (
            SCHEMES[3].formulation(1),
            Some(("solver.gamma", 0.9)),
            ["solver.beta", "unstable"],
        ),
    ] {
        let fmu = Fmu2::new(&world);
        scheme.choose2(&fmu);
        if let Some((name, value)) = setting {
            assert_eq!(fmu.set_real(name, value), OK, "{}", fmu.log.last());
        }
        assert_eq!(call2!(fmu, fmi2SetupExperiment, 0, 0.0, 0.0, 0, 0.0), OK);
        let entered = call2!(fmu, fmi2EnterInitializationMode);
        let left = call2!(fmu, fmi2ExitInitializationMode);
        assert!(entered == ERROR || left == ERROR, "{words:?}");
        let told = fmu.log.all();
        let refused = |m: &crate::world::Message| words.iter().all(|w| m.text.contains(w));
        assert!(told.iter().any(refused), "{words:?}: {}", fmu.log.last());

        let fmu = Fmu3::new(&world);
        scheme.choose3(&fmu);
        if let Some((name, value)) = setting {
            assert_eq!(fmu.set_real(name, value), OK, "{}", fmu.log.last());
        }
        let no = false;
        let entered = call3!(fmu, fmi3EnterInitializationMode, no, 0.0, 0.0, no, 0.0);
        let left = call3!(fmu, fmi3ExitInitializationMode);
        assert!(entered == ERROR || left == ERROR, "{words:?}");
        let told = fmu.log.all();
        assert!(told.iter().any(refused), "{words:?}: {}", fmu.log.last());
    }
}

#[test]
fn outputs_that_are_no_numbers_are_warned_of_once() {
    let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
    model["outputs"][2]["expression"] = "SQRT(0.025 - TIME)".into();
    let world = World::at(folder("root").join("resources"), &model.to_string());
    let (two, three) = (Fmu2::started(&world), Fmu3::started(&world));
    let reference = world.reference("doubled");
    for k in 0..6 {
        assert_eq!(two.step(time(k), 0.01), OK);
        assert_eq!(three.step(time(k), 0.01).status, OK);
        let mut values = [0.0; 2];
        let [a, b] = values.each_mut();
        let read = [
            call2!(two, fmi2GetReal, &raw const reference, 1, a),
            call3!(three, fmi3GetFloat64, &raw const reference, 1, b, 1),
        ];
        let number = k < 2;
        assert_eq!(read, [i32::from(!number); 2], "step {k}");
        assert_eq!(values.map(f64::is_finite), [number; 2], "step {k}");
        // Others are read as ever.
        assert!(two.real("angle").is_finite() && three.real("angle").is_finite());
    }
    for log in [&two.log, &three.log] {
        let all = log.all().into_iter();
        let said: Vec<_> = all
            .filter(|m| m.text.contains("variable doubled is not a finite number"))
            .collect();
        assert_eq!(said.len(), 1);
        assert_eq!(
            (said[0].status, said[0].category.as_str()),
            (1, "logStatusWarning")
        );
    }
}
