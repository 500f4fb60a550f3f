//! Tests of the guard through both versions of the interface, with a ball on a floor that is too stiff for the step.

use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{DISCARD, OK, World, folder};

/// A ball of 0.1 kg falls 1 m on 10⁷ N/m^1.5 at 10 ms.
const BALL: &str = r#"{
    "fixstep": 1, "name": "ball", "gravity": [0, 0, -9.81],
    "point_masses": [{"name": "ball", "mass": 0.1, "position": [0, 0, 1.05]}],
    "markers": [{"name": "centre", "part": "ball"}],
    "forces": [{
        "name": "floor", "type": "contact", "i": "centre", "j": "ground",
        "shapes": {"i": {"type": "sphere", "radius": 0.05}, "j": {"type": "plane"}},
        "normal": {"type": "impact", "stiffness": 1e7, "exponent": 1.5, "damping": 0, "depth": 1e-4}
    }],
    "outputs": [{"name": "z", "expression": "DZ(centre)"}],
    "solver": {"integrator": "GSTIFF"}, "experiment": {"stop": 3, "step": 0.01}
}"#;

/// The step that is not believed: under GSTIFF the 45th.
const GOOD: u32 = 44;

/// What is said: whom, when, how much, up to where, what to try, and where the limit is set.
const WORDS: [&str; 6] = [
    "part \"ball\"",
    "the run stops at time 0.44",
    "limit 3",
    "smaller step",
    "solver.fixit",
    "solver.guard.residual",
];

fn time(k: u32) -> f64 {
    f64::from(k) * 0.01
}

fn world() -> World {
    World::at(folder("guard").join("resources"), BALL)
}

#[test]
fn fmi2_discards_the_step_and_keeps_the_last_good_state() {
    let world = world();
    let fmu = Fmu2::started(&world);
    for k in 0..GOOD {
        assert_eq!(fmu.step(time(k), 0.01), OK, "{}", fmu.log.last());
    }
    let before = fmu.real("z");
    assert_eq!(fmu.step(time(GOOD), 0.01), DISCARD, "{}", fmu.log.last());
    let (mut terminated, mut last) = (0, 0.0);
    assert_eq!(
        call2!(fmu, fmi2GetBooleanStatus, 3, &raw mut terminated),
        OK
    );
    assert_eq!(call2!(fmu, fmi2GetRealStatus, 2, &raw mut last), OK);
    assert!(
        terminated == 1 && (last - time(GOOD)).abs() < 1e-9,
        "{terminated} {last}"
    );
    let text = fmu.log.last();
    assert!(WORDS.iter().all(|word| text.contains(word)), "{text}");
    assert_eq!(fmu.real("z"), before);
    assert!(before > 0.05 && before < 0.2, "{before}");
    let mut state = ptr::null_mut();
    assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK);
    assert_eq!(call2!(fmu, fmi2FreeFMUstate, &raw mut state), OK);
}

#[test]
fn fmi3_asks_to_terminate_and_keeps_the_last_good_state() {
    let world = world();
    let fmu = Fmu3::started(&world);
    for k in 0..GOOD {
        let end = fmu.step(time(k), 0.01);
        assert_eq!((end.status, end.terminate), (OK, false));
    }
    let before = fmu.real("z");
    let end = fmu.step(time(GOOD), 0.01);
    assert_eq!((end.status, end.terminate), (OK, true));
    assert!((end.last - time(GOOD)).abs() < 1e-9, "{}", end.last);
    let text = fmu.log.last();
    assert!(WORDS.iter().all(|word| text.contains(word)), "{text}");
    assert_eq!(fmu.real("z"), before);
    let mut state = ptr::null_mut();
    assert_eq!(call3!(fmu, fmi3GetFMUState, &raw mut state), OK);
    assert_eq!(call3!(fmu, fmi3FreeFMUState, &raw mut state), OK);
}
