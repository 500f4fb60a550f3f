//! Tests of derivatives through both interfaces, against differences of steps through the same interfaces.

use std::ffi::c_int;
use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{ERROR, OK, PENDULUM, World, folder};

const OUTPUTS: [&str; 3] = ["angle", "speed", "doubled"];
const KNOWNS: [&str; 3] = ["torque", "friction", "mass"];

fn references<const N: usize>(world: &World, names: [&str; N]) -> [u32; N] {
    names.map(|name| world.reference(name))
}

/// Steps to where derivatives are asked for.
fn run(fmu: &Fmu3<'_>, steps: u32) {
    for k in 0..steps {
        assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01).status, OK);
    }
}

fn directional(fmu: &Fmu3<'_>, knowns: &[u32], seed: &[f64]) -> [f64; 3] {
    let (unknowns, mut found) = (references(fmu.world, OUTPUTS), [f64::NAN; 3]);
    let status = call3!(
        fmu,
        fmi3GetDirectionalDerivative,
        unknowns.as_ptr(),
        3,
        knowns.as_ptr(),
        knowns.len(),
        seed.as_ptr(),
        seed.len(),
        found.as_mut_ptr(),
        3
    );
    assert_eq!(status, OK, "{}", fmu.log.last());
    found
}

/// The outputs after so many steps, the last of them with another value.
fn shown(world: &World, name: &str, by: f64) -> [f64; 3] {
    let fmu = Fmu3::new(world);
    assert_eq!(fmu.set_real("friction", 0.3), OK);
    fmu.start();
    run(&fmu, 20);
    let value = fmu.real(name);
    assert_eq!(fmu.set_real(name, value + by), OK, "{}", fmu.log.last());
    assert_eq!(fmu.step(0.2, 0.01).status, OK);
    OUTPUTS.map(|name| fmu.real(name))
}

#[test]
fn directions_are_sums_of_what_steps_differ_by() {
    let world = World::new("directions");
    let fmu = Fmu3::new(&world);
    assert_eq!(fmu.set_real("friction", 0.3), OK);
    fmu.start();
    run(&fmu, 21);
    let knowns = references(&world, KNOWNS);
    let mut columns = Vec::new();
    // The mass is a fixed parameter, which nothing changes within a run.
    for (name, known) in KNOWNS.iter().zip(knowns).take(2) {
        let column = directional(&fmu, &[known], &[1.0]);
        let ends = [1e-4, -1e-4].map(|by| shown(&world, name, by));
        for k in 0..3 {
            let wanted = (ends[0][k] - ends[1][k]) / 2e-4;
            assert!(
                (column[k] - wanted).abs() < 1e-5 * wanted.abs() + 1e-10,
                "{} by {name}: {} for {wanted}",
                OUTPUTS[k],
                column[k]
            );
        }
        columns.push(column);
    }
    // A heavier rod is harder to turn: its inertia about the pin grows by l² = 0.25 a kilogram, its
    // moment by g l cos.
    columns.push(directional(&fmu, &[knowns[2]], &[1.0]));
    assert!(columns[2][0] != 0.0);
    let seed = [2.0, -3.0, 0.5];
    let sum = directional(&fmu, &knowns, &seed);
    for k in 0..3 {
        let wanted: f64 = (0..3).map(|n| columns[n][k] * seed[n]).sum();
        assert!((sum[k] - wanted).abs() < 1e-7 * wanted.abs() + 1e-12);
    }
}

/// A communication step of four integration steps: all four answer.
#[test]
fn derivatives_are_those_of_the_whole_communication_step() {
    let world = World::stepping("several", 0.0025);
    let fmu = Fmu3::new(&world);
    assert_eq!(fmu.set_real("friction", 0.3), OK);
    fmu.start();
    run(&fmu, 21);
    let before = OUTPUTS.map(|name| fmu.real(name).to_bits());
    for name in ["torque", "friction"] {
        let found = directional(&fmu, &[world.reference(name)], &[1.0]);
        let by = 1e-3;
        let [ahead, behind] = [by, -by].map(|by| shown(&world, name, by));
        for k in 0..2 {
            let wanted = (ahead[k] - behind[k]) / (2.0 * by);
            assert!(
                (found[k] / wanted - 1.0).abs() < 1e-5,
                "{name}: {} {wanted}",
                found[k]
            );
        }
    }
    assert_eq!(OUTPUTS.map(|name| fmu.real(name).to_bits()), before);
    // The next step is the one that it would have been.
    let plain = Fmu3::new(&world);
    assert_eq!(plain.set_real("friction", 0.3), OK);
    plain.start();
    run(&plain, 21);
    for fmu in [&fmu, &plain] {
        assert_eq!(fmu.step(0.21, 0.01).status, OK);
    }
    assert_eq!(fmu.real("angle").to_bits(), plain.real("angle").to_bits());
    assert_eq!(fmu.integer("solver.steps"), 88);
}

#[test]
fn adjoints_are_the_transposed() {
    let world = World::new("adjoints");
    let fmu = Fmu3::started(&world);
    run(&fmu, 5);
    let (unknowns, knowns) = (references(&world, OUTPUTS), references(&world, KNOWNS));
    let (weights, mut found) = ([0.5, -2.0, 3.0], [f64::NAN; 3]);
    let status = call3!(
        fmu,
        fmi3GetAdjointDerivative,
        unknowns.as_ptr(),
        3,
        knowns.as_ptr(),
        3,
        weights.as_ptr(),
        3,
        found.as_mut_ptr(),
        3
    );
    assert_eq!(status, OK, "{}", fmu.log.last());
    for (known, found) in knowns.iter().zip(found) {
        let column = directional(&fmu, &[*known], &[1.0]);
        let wanted: f64 = (0..3).map(|k| column[k] * weights[k]).sum();
        assert!(
            (found - wanted).abs() < 1e-12 * wanted.abs(),
            "{found} {wanted}"
        );
    }
}

/// I about the pin = 0.2 + 2 · 0.5² = 0.7 kg m².
#[test]
fn at_the_start_accelerations_answer_and_positions_stay() {
    let world = World::new("start derivatives");
    let fmu = Fmu3::started(&world);
    let torque = world.reference("torque");
    assert_eq!(directional(&fmu, &[torque], &[1.0]), [0.0, 0.0, 2.0]);
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.step(0.0, 0.01), OK);
    let one = 1.0;
    let (unknowns, mut found) = (references(&world, OUTPUTS), [f64::NAN; 3]);
    let status = call2!(
        fmu,
        fmi2GetDirectionalDerivative,
        unknowns.as_ptr(),
        3,
        &raw const torque,
        1,
        &raw const one,
        found.as_mut_ptr()
    );
    assert_eq!(status, OK, "{}", fmu.log.last());
    // Backward Euler: h/I of speed, h²/I of angle, but for what gravity makes of the angle.
    assert!((found[1] / (0.01 / 0.7) - 1.0).abs() < 1e-3);
    assert!((found[0] / (1e-4 / 0.7) - 1.0).abs() < 1e-3);
    assert_eq!(found[2], 2.0);
}

/// With m g l = 9.81 N m and the angle φ from the x axis, τ = m g l cos φ in equilibrium, below it.
#[test]
fn in_equilibrium_the_start_answers_with_its_poses() {
    let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
    model["start"] = serde_json::json!({"equilibrium": {}});
    let world = World::at(folder("hanging").join("resources"), &model.to_string());
    let [asked, plain] = [0, 1].map(|_| Fmu3::new(&world));
    for fmu in [&asked, &plain] {
        assert_eq!(fmu.set_real("torque", 3.0), OK);
        fmu.enter();
    }
    let load = 2.0 * 9.81 * 0.5;
    let cosine: f64 = 3.0 / load;
    let sine = -(1.0 - cosine * cosine).sqrt();
    assert!((fixstep_kernel::math::cos(asked.real("angle")) - cosine).abs() < 1e-12);
    let [torque, mass] = references(&world, ["torque", "mass"]);
    let by_torque = -1.0 / (load * sine);
    let by_mass = cosine / (2.0 * sine);
    let found = directional(&asked, &[torque], &[1.0]);
    assert!(
        (found[0] / by_torque - 1.0).abs() < 1e-7,
        "{found:?} {by_torque}"
    );
    assert_eq!((found[1], (found[2] - 2.0).abs() < 1e-9), (0.0, true));
    let found = directional(&asked, &[mass, torque], &[1.0, -2.0]);
    let wanted = by_mass - 2.0 * by_torque;
    assert!((found[0] / wanted - 1.0).abs() < 1e-7, "{found:?} {wanted}");
    // A known that is there twice counts twice.
    let found = directional(&asked, &[torque, torque], &[1.0, 2.0]);
    assert!(
        (found[0] / (3.0 * by_torque) - 1.0).abs() < 1e-7,
        "{found:?}"
    );
    let (unknowns, knowns) = (references(&world, OUTPUTS), [torque, mass]);
    let (seed, mut found) = ([1.0, 0.0, 0.5], [f64::NAN; 2]);
    let status = call3!(
        asked,
        fmi3GetAdjointDerivative,
        unknowns.as_ptr(),
        3,
        knowns.as_ptr(),
        2,
        seed.as_ptr(),
        3,
        found.as_mut_ptr(),
        2
    );
    assert_eq!(status, OK, "{}", asked.log.last());
    for (found, wanted) in found.iter().zip([by_torque + 1.0, by_mass]) {
        assert!((found / wanted - 1.0).abs() < 1e-7, "{found} {wanted}");
    }
    // The run is the one that would have been.
    for fmu in [&asked, &plain] {
        assert_eq!(call3!(fmu, fmi3ExitInitializationMode), OK);
        assert_eq!(fmu.set_real("torque", 4.0), OK);
        run(fmu, 20);
    }
    assert_eq!(asked.real("angle").to_bits(), plain.real("angle").to_bits());
    // What is set now does not move the start any more.
    let fresh = Fmu3::started(&world);
    assert_eq!(directional(&fresh, &[torque], &[1.0]), [0.0, 0.0, 2.0]);
}

#[test]
fn outputs_have_derivatives_by_time_in_both_versions() {
    let world = World::stepping("by time", 0.001);
    let (two, three) = (Fmu2::started(&world), Fmu3::started(&world));
    assert_eq!(two.step(0.0, 0.3), OK);
    assert_eq!(three.step(0.0, 0.3).status, OK);
    let unknowns = references(&world, OUTPUTS);
    let (orders, mut found): ([c_int; 3], _) = ([1; 3], [[f64::NAN; 3]; 2]);
    let status = call2!(
        two,
        fmi2GetRealOutputDerivatives,
        unknowns.as_ptr(),
        3,
        orders.as_ptr(),
        found[0].as_mut_ptr()
    );
    assert_eq!(status, OK, "{}", two.log.last());
    let status = call3!(
        three,
        fmi3GetOutputDerivatives,
        unknowns.as_ptr(),
        3,
        orders.as_ptr(),
        found[1].as_mut_ptr(),
        3
    );
    assert_eq!(status, OK, "{}", three.log.last());
    assert_eq!(found[0].map(f64::to_bits), found[1].map(f64::to_bits));
    assert!((found[0][0] - two.real("speed")).abs() < 1e-8);
    // m g l cos(angle) turns it down; the angle is 0 at the horizontal. The scheme is of the first order.
    let wanted = -2.0 * 9.81 * 0.5 * fixstep_kernel::math::cos(two.real("angle")) / 0.7;
    assert!(
        (found[0][1] / wanted - 1.0).abs() < 5e-3,
        "{} {wanted}",
        found[0][1]
    );
    assert_eq!(found[0][2], 0.0);
}

#[test]
fn asking_changes_no_bit_of_the_run() {
    let world = World::new("asked");
    let (asked, plain) = (Fmu3::started(&world), Fmu3::started(&world));
    let knowns = references(&world, KNOWNS);
    for k in 0..50 {
        for fmu in [&asked, &plain] {
            assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01).status, OK);
        }
        directional(&asked, &knowns, &[1.0, 2.0, 3.0]);
        assert_eq!(asked.real("angle").to_bits(), plain.real("angle").to_bits());
    }
    let energy = ["energy.kinetic", "energy.error"];
    assert_eq!(energy.map(|n| asked.real(n)), energy.map(|n| plain.real(n)));
}

#[test]
fn what_has_no_derivative_is_refused_by_name() {
    let world = World::new("no derivative");
    let [angle, torque] = references(&world, ["angle", "torque"]);
    let [kinetic, maxerr] = references(&world, ["energy.kinetic", "solver.maxerr"]);
    for (unknown, known, seed, reason) in [
        (
            kinetic,
            torque,
            1.0,
            "\"energy.kinetic\" has no derivatives",
        ),
        (angle, maxerr, 1.0, "there are no derivatives by variable"),
        (angle, 9999, 1.0, "value reference 9999 is unknown"),
        (angle, torque, f64::NAN, "it must be finite"),
    ] {
        let fmu = Fmu3::started(&world);
        let mut found = 0.0;
        let status = call3!(
            fmu,
            fmi3GetDirectionalDerivative,
            &raw const unknown,
            1,
            &raw const known,
            1,
            &raw const seed,
            1,
            &raw mut found,
            1
        );
        assert_eq!(status, ERROR);
        assert!(fmu.log.last().contains(reason), "{}", fmu.log.last());
    }
    let fmu = Fmu3::started(&world);
    let status = call3!(
        fmu,
        fmi3GetAdjointDerivative,
        &raw const angle,
        1,
        &raw const torque,
        1,
        ptr::null(),
        2,
        ptr::null_mut(),
        1
    );
    assert_eq!(status, ERROR);
    assert!(fmu.log.last().contains("nSeed is 2"), "{}", fmu.log.last());
    let fmu = Fmu2::started(&world);
    let (order, mut found): (c_int, f64) = (2, 0.0);
    let status = call2!(
        fmu,
        fmi2GetRealOutputDerivatives,
        &raw const angle,
        1,
        &raw const order,
        &raw mut found
    );
    assert_eq!(status, ERROR);
    assert!(fmu.log.last().contains("is 2; it must be 1"));
}
