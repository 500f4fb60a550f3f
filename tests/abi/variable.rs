//! Tests of the variable step through C: chosen by a parameter in both versions, its messages, saved states.

use std::ptr;

use crate::client2::{C, Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{ERROR, OK, World};

/// The item of `solver.mode`.
const VARIABLE: i32 = 2;
/// Items of `solver.integrator` and `solver.formulation`.
const INTEGRATORS: [(&str, i32, i32); 6] = [
    ("GSTIFF/I3", 1, 1),
    ("GSTIFF/SI2", 1, 2),
    ("HHT", 2, 1),
    ("GENALPHA", 4, 1),
    ("WSTIFF/SI2", 5, 2),
    ("HASTIFF/SI1", 6, 3),
];

fn chosen<'w>(world: &'w World, (name, integrator, formulation): (&str, i32, i32)) -> Fmu2<'w> {
    let fmu = Fmu2::new(world);
    for (setting, item) in [
        ("solver.mode", VARIABLE),
        ("solver.integrator", integrator),
        ("solver.formulation", formulation),
    ] {
        assert_eq!(fmu.set_integer(setting, item), OK, "{name}");
    }
    assert_eq!(fmu.set_real("solver.error", 1e-6), OK);
    fmu.start();
    let told = fmu.log.all();
    assert!(
        told.iter().any(|m| m.text.contains("not for real time")),
        "{name}"
    );
    fmu
}

/// The same in FMI 3.
pub(crate) fn choose3(fmu: &Fmu3<'_>) {
    let (reference, item) = (fmu.world.reference("solver.mode"), i64::from(VARIABLE));
    let status = call3!(
        fmu,
        fmi3SetInt64,
        &raw const reference,
        1,
        &raw const item,
        1
    );
    assert_eq!(status, OK, "{}", fmu.log.last());
    assert_eq!(fmu.set_real("solver.error", 1e-6), OK);
}

fn torque(k: u32) -> f64 {
    f64::from(k % 3) - 1.0
}

/// Steps with a changing input; the angle's bits.
fn run(fmu: &Fmu2<'_>, from: u32, to: u32) -> u64 {
    for k in from..to {
        assert_eq!(fmu.set_real("torque", torque(k)), OK);
        assert_eq!(fmu.step(f64::from(k) * 0.1, 0.1), OK, "{}", fmu.log.last());
    }
    fmu.real("angle").to_bits()
}

#[test]
fn a_run_taken_up_again_has_the_same_bits() {
    let world = World::new("variable rollback");
    for scheme in INTEGRATORS {
        let fmu = chosen(&world, scheme);
        run(&fmu, 0, 7);
        let mut state: C = ptr::null_mut();
        assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK);
        let mut size = 0;
        call2!(fmu, fmi2SerializedFMUstateSize, state, &raw mut size);
        let mut bytes = vec![0_u8; size];
        let to = bytes.as_mut_ptr().cast();
        assert_eq!(call2!(fmu, fmi2SerializeFMUstate, state, to, size), OK);
        let first = run(&fmu, 7, 15);
        assert_eq!(call2!(fmu, fmi2SetFMUstate, state), OK);
        assert_eq!(run(&fmu, 7, 15), first, "{}", scheme.0);
        // Another instance, whose parameters were never set, takes the run over.
        let other = Fmu2::started(&world);
        let mut state: C = ptr::null_mut();
        let from = bytes.as_ptr().cast();
        let read = call2!(other, fmi2DeSerializeFMUstate, from, size, &raw mut state);
        assert_eq!(read, OK, "{}", other.log.last());
        let set = call2!(other, fmi2SetFMUstate, state);
        assert_eq!(set, OK, "{}", other.log.last());
        assert_eq!(run(&other, 7, 15), first, "{}", scheme.0);
    }
}

#[test]
fn both_versions_give_the_same_bits() {
    let world = World::new("variable versions");
    let first = chosen(&world, INTEGRATORS[0]);
    let wanted = run(&first, 0, 10);
    let other = Fmu3::new(&world);
    choose3(&other);
    other.start();
    for k in 0..10 {
        assert_eq!(other.set_real("torque", torque(k)), OK);
        assert_eq!(other.step(f64::from(k) * 0.1, 0.1).status, OK);
    }
    assert_eq!(other.real("angle").to_bits(), wanted);
    // The fixed step is another: it is off by more than the tolerance allows.
    let fixed = Fmu2::started(&world);
    let fixed = f64::from_bits(run(&fixed, 0, 10));
    assert!((fixed - f64::from_bits(wanted)).abs() > 1e-4);
}

#[test]
fn derivatives_of_a_fixed_step_are_refused() {
    let world = World::new("variable derivatives");
    let fmu = chosen(&world, INTEGRATORS[0]);
    run(&fmu, 0, 2);
    let (unknown, known) = (world.reference("angle"), world.reference("torque"));
    let (seed, mut found) = (1.0, 0.0);
    let status = call2!(
        fmu,
        fmi2GetDirectionalDerivative,
        &raw const unknown,
        1,
        &raw const known,
        1,
        &raw const seed,
        &raw mut found
    );
    assert_eq!(status, ERROR);
    assert!(fmu.log.last().contains("those of a fixed step"));
}
