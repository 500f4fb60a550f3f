//! Many instances at once; figures of real time.

use std::thread;

use crate::client2::{Fmu2, call2};
use crate::client3::Fmu3;
use crate::world::{OK, World};

fn bits(world: &World, seed: u32) -> u64 {
    let fmu = Fmu2::started(world);
    advance(&fmu, seed, 0, 200);
    fmu.real("angle").to_bits()
}

fn advance(fmu: &Fmu2<'_>, seed: u32, from: u32, to: u32) {
    for k in from..to {
        assert_eq!(fmu.set_real("torque", f64::from((k + seed) % 11) - 5.0), OK);
        assert_eq!(
            fmu.step(f64::from(k) * 0.01, 0.01),
            OK,
            "{}",
            fmu.log.last()
        );
    }
}

#[test]
fn instances_taking_turns_do_not_disturb_each_other() {
    let world = World::new("turns");
    let expected: Vec<u64> = (0..6).map(|seed| bits(&world, seed)).collect();
    let fmus: Vec<Fmu2<'_>> = (0..6).map(|_| Fmu2::started(&world)).collect();
    for k in 0..200 {
        for (seed, fmu) in fmus.iter().enumerate() {
            advance(fmu, seed as u32, k, k + 1);
        }
    }
    let found: Vec<u64> = fmus.iter().map(|f| f.real("angle").to_bits()).collect();
    assert_eq!(found, expected);
    assert!(
        found.windows(2).any(|pair| pair[0] != pair[1]),
        "the inputs matter"
    );
}

#[test]
fn instances_on_eight_threads_have_the_same_bits() {
    let world = World::new("threads");
    let expected = bits(&world, 3);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| bits(&world, 3))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

#[test]
fn both_versions_have_the_same_bits() {
    let world = World::new("versions");
    let (two, three) = (Fmu2::started(&world), Fmu3::started(&world));
    for k in 0..100 {
        let t = f64::from(k) * 0.01;
        assert_eq!((two.step(t, 0.01), three.step(t, 0.01).status), (OK, OK));
    }
    for name in [
        "angle",
        "speed",
        "time",
        "energy.kinetic",
        "solver.residual",
    ] {
        assert_eq!(
            two.real(name).to_bits(),
            three.real(name).to_bits(),
            "{name}"
        );
    }
}

#[test]
fn figures_of_real_time_can_be_read_while_running() {
    let world = World::new("figures");
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.real("rti.last"), 0.0);
    advance(&fmu, 0, 0, 100);
    let [last, min, average, max] =
        ["rti.last", "rti.min", "rti.average", "rti.max"].map(|name| fmu.real(name));
    assert!(last > 0.0 && 0.0 < min && min <= average && average <= max);
    assert!(fmu.integer("rti.misses") <= 99);
    assert_eq!(call2!(fmu, fmi2Reset), OK);
    fmu.start();
    assert_eq!(fmu.real("rti.max"), 0.0);
}
