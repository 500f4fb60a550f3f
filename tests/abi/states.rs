//! Tests of saved states through C.

use std::ptr;

use crate::client2::{C, Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{ERROR, OK, World};

fn save(fmu: &Fmu2<'_>) -> C {
    let mut state = ptr::null_mut();
    assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK);
    assert!(!state.is_null());
    state
}

fn bytes(fmu: &Fmu2<'_>, state: C) -> Vec<u8> {
    let mut size = 0;
    assert_eq!(
        call2!(fmu, fmi2SerializedFMUstateSize, state, &raw mut size),
        OK
    );
    let mut bytes = vec![0_u8; size];
    let to = bytes.as_mut_ptr().cast();
    assert_eq!(call2!(fmu, fmi2SerializeFMUstate, state, to, size), OK);
    bytes
}

/// The state that bytes describe, with the status of the call.
fn from_bytes(fmu: &Fmu2<'_>, bytes: &[u8]) -> (i32, C) {
    let mut state = ptr::null_mut();
    let (from, length) = (bytes.as_ptr().cast(), bytes.len());
    let status = call2!(fmu, fmi2DeSerializeFMUstate, from, length, &raw mut state);
    (status, state)
}

/// Steps with a changing input; the angle's bits.
fn run(fmu: &Fmu2<'_>, from: u32, to: u32) -> u64 {
    for k in from..to {
        assert_eq!(fmu.set_real("torque", f64::from(k % 7) - 3.0), OK);
        assert_eq!(
            fmu.step(f64::from(k) * 0.01, 0.01),
            OK,
            "{}",
            fmu.log.last()
        );
    }
    fmu.real("angle").to_bits()
}

#[test]
fn a_run_taken_up_again_has_the_same_bits() {
    let world = World::new("rollback");
    let fmu = Fmu2::started(&world);
    run(&fmu, 0, 37);
    let state = save(&fmu);
    let first = run(&fmu, 37, 90);
    assert_eq!(call2!(fmu, fmi2SetFMUstate, state), OK);
    assert_eq!(fmu.real("time"), 0.37);
    assert_eq!(run(&fmu, 37, 90), first);

    let bytes = bytes(&fmu, state);
    let other = Fmu2::new(&world);
    let (status, copy) = from_bytes(&other, &bytes);
    assert_eq!(status, OK, "{}", other.log.last());
    assert_eq!(call2!(other, fmi2SetFMUstate, copy), OK);
    assert_eq!(run(&other, 37, 90), first);
}

#[test]
fn a_state_taken_again_keeps_its_handle() {
    let world = World::new("again");
    let fmu = Fmu2::started(&world);
    let state = save(&fmu);
    run(&fmu, 0, 10);
    let mut again = state;
    assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut again), OK);
    assert_eq!(again, state);
    assert_eq!(call2!(fmu, fmi2Reset), OK);
    assert_eq!(call2!(fmu, fmi2SetFMUstate, state), OK);
    assert_eq!(fmu.real("time"), 0.1);
}

#[test]
fn damaged_and_foreign_bytes_are_refused_with_a_reason() {
    let world = World::new("damage");
    let fmu = Fmu2::started(&world);
    let good = bytes(&fmu, save(&fmu));
    let step = (good.len() / 64).max(1);
    for at in (0..good.len()).step_by(step).chain([good.len() - 1]) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        let fmu = Fmu2::new(&world);
        let (status, state) = from_bytes(&fmu, &bad);
        assert_eq!((status, state), (ERROR, ptr::null_mut()), "byte {at}");
        assert!(
            fmu.log.last().contains("serialized state is refused"),
            "{}",
            fmu.log.last()
        );
    }
    let heavier = crate::world::PENDULUM.replace("\"start\": 2.0", "\"start\": 3.0");
    let other = World::at(crate::world::folder("other").join("resources"), &heavier);
    let fmu = Fmu2::new(&other);
    let (status, _) = from_bytes(&fmu, &good);
    assert_eq!(status, ERROR);
    assert!(
        fmu.log.last().contains("another model"),
        "{}",
        fmu.log.last()
    );
}

#[test]
fn handles_of_others_and_freed_ones_are_known_as_such() {
    let world = World::new("handles");
    let fmu = Fmu2::started(&world);
    let mut state = save(&fmu);
    let stale = state;
    assert_eq!(call2!(fmu, fmi2FreeFMUstate, &raw mut state), OK);
    assert!(state.is_null());
    assert_eq!(
        call2!(fmu, fmi2FreeFMUstate, &raw mut state),
        OK,
        "null is nothing"
    );
    for bad in [
        stale,
        ptr::null_mut(),
        ptr::without_provenance_mut(0xdead_beef),
    ] {
        let fmu = Fmu2::started(&world);
        assert_eq!(call2!(fmu, fmi2SetFMUstate, bad), ERROR);
        assert!(fmu.log.last().contains("FMU state"), "{}", fmu.log.last());
    }
    let [one, other] = [0, 1].map(|_| Fmu2::started(&world));
    let (state, own) = (save(&one), save(&other));
    assert_ne!(state, own);
    assert_eq!(call2!(other, fmi2SetFMUstate, state), ERROR);
    assert!(
        other.log.last().contains("belongs to another"),
        "{}",
        other.log.last()
    );
    let fmu = Fmu2::started(&world);
    let state = save(&fmu);
    let mut room = [0; 8];
    assert_eq!(
        call2!(fmu, fmi2SerializeFMUstate, state, room.as_mut_ptr(), 8),
        ERROR
    );
    assert!(fmu.log.last().contains("there is room for 8 bytes"));
}

#[test]
fn fmi3_saves_and_restores_too() {
    let world = World::new("state3");
    let fmu = Fmu3::started(&world);
    for k in 0..20 {
        assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01).status, OK);
    }
    let (mut state, mut size) = (ptr::null_mut(), 0);
    assert_eq!(call3!(fmu, fmi3GetFMUState, &raw mut state), OK);
    assert_eq!(
        call3!(fmu, fmi3SerializedFMUStateSize, state, &raw mut size),
        OK
    );
    let mut bytes = vec![0; size];
    assert_eq!(
        call3!(fmu, fmi3SerializeFMUState, state, bytes.as_mut_ptr(), size),
        OK
    );
    let end = fmu.step(0.2, 0.01);
    assert_eq!((end.status, end.last), (OK, 0.2 + 0.01));
    let angle = fmu.real("angle").to_bits();
    assert_eq!(call3!(fmu, fmi3SetFMUState, state), OK);
    fmu.step(0.2, 0.01);
    assert_eq!(fmu.real("angle").to_bits(), angle);
    assert_eq!(call3!(fmu, fmi3FreeFMUState, &raw mut state), OK);

    // A state is the same in both versions.
    let two = Fmu2::new(&world);
    let mut copy = ptr::null_mut();
    let from = bytes.as_ptr().cast();
    assert_eq!(
        call2!(two, fmi2DeSerializeFMUstate, from, size, &raw mut copy),
        OK
    );
    assert_eq!(call2!(two, fmi2SetFMUstate, copy), OK);
    assert_eq!(two.step(0.2, 0.01), OK);
    assert_eq!(two.real("angle").to_bits(), angle);
    let three = Fmu3::new(&world);
    let mut copy = ptr::null_mut();
    let status = call3!(
        three,
        fmi3DeserializeFMUState,
        bytes.as_ptr(),
        size,
        &raw mut copy
    );
    assert_eq!(status, OK);
}
