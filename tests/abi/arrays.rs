//! Tests of arrays: whole in FMI 3.0, element by element in FMI 2.0.

use std::ffi::c_int;
use std::ptr;

use fixstep_kernel::math::{cos, sin};

use crate::client2::Fmu2;
use crate::client3::{Fmu3, call3};
use crate::world::{ERROR, OK, PENDULUM, World, folder};

/// The pendulum with an array of parameters, and with its pose.
fn world(name: &str) -> World {
    let text = PENDULUM
        .replace(
            "\"outputs\": [",
            "\"arrays\": [{\"name\": \"gains\", \"start\": [1.5, -2, 8], \"tunable\": true}],
             \"requests\": [{\"name\": \"bodies\", \"type\": \"bodies\", \"output\": true}],
             \"outputs\": [{\"name\": \"sum\",
                \"expression\": \"ARYVAL(gains, 1) + 10*ARYVAL(gains, 2) + 100*ARYVAL(gains, 3)\"},",
        );
    World::at(folder(name).join("resources"), &text)
}

fn get(fmu: &Fmu3<'_>, references: &[u32], n: usize) -> (c_int, Vec<f64>) {
    let mut values = vec![f64::NAN; n];
    let status = call3!(
        fmu,
        fmi3GetFloat64,
        references.as_ptr(),
        references.len(),
        values.as_mut_ptr(),
        n
    );
    (status, values)
}

fn set(fmu: &Fmu3<'_>, references: &[u32], values: &[f64]) -> c_int {
    let (r, v) = (references.as_ptr(), values.as_ptr());
    call3!(fmu, fmi3SetFloat64, r, references.len(), v, values.len())
}

#[test]
fn arrays_go_whole_both_ways_through_fmi3() {
    let world = world("arrays3");
    let fmu = Fmu3::new(&world);
    let (gains, torque) = (world.reference("gains[1]"), world.reference("torque"));
    assert_eq!(get(&fmu, &[gains], 3), (OK, vec![1.5, -2.0, 8.0]));
    assert_eq!(set(&fmu, &[torque, gains], &[4.0, 1.0, 2.0, 3.0]), OK);
    fmu.start();
    let mixed = get(&fmu, &[gains, torque, gains], 7);
    assert_eq!(mixed, (OK, vec![1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0]));
    assert_eq!(fmu.real("sum"), 321.0);
    assert_eq!(set(&fmu, &[gains], &[7.0, 8.0, 9.0]), OK, "tunable");
    assert_eq!(fmu.step(0.0, 0.01).status, OK);
    assert_eq!(fmu.real("sum"), 987.0);
}

#[test]
fn elements_go_one_by_one_through_fmi2() {
    let world = world("arrays2");
    let fmu = Fmu2::new(&world);
    assert_eq!(fmu.set_real("gains[2]", 5.0), OK);
    fmu.start();
    let elements = ["gains[1]", "gains[2]", "gains[3]"].map(|name| fmu.real(name));
    assert_eq!(elements, [1.5, 5.0, 8.0]);
    assert_eq!(fmu.real("sum"), 851.5);
    assert_eq!(fmu.real("bodies.rod.orientation[1]"), 1.0);
}

#[test]
fn poses_and_velocities_are_those_of_the_step_in_both_versions() {
    let world = world("poses");
    let (two, three) = (Fmu2::started(&world), Fmu3::started(&world));
    for n in 0..20 {
        let time = f64::from(n) * 0.01;
        assert_eq!(two.step(time, 0.01), OK);
        assert_eq!(three.step(time, 0.01).status, OK);
    }
    let angle = three.real("angle");
    let speed = three.real("speed");
    assert!(angle.abs() > 0.1 && speed.abs() > 0.1);
    // Formulation I3 meets the joint's velocity to the order of the step alone.
    let turned = [cos(angle / 2.0), 0.0, 0.0, sin(angle / 2.0)];
    for (array, wanted, tolerance) in [
        ("position", &[0.0, 0.0, 0.0][..], 1e-9),
        ("orientation", &turned, 1e-9),
        ("velocity", &[0.0, 0.0, 0.0], 0.05),
        ("angular_velocity", &[0.0, 0.0, speed], 1e-9),
    ] {
        let first = world.reference(&format!("bodies.rod.{array}[1]"));
        let (status, values) = get(&three, &[first], wanted.len());
        assert_eq!(status, OK, "{array}");
        for (k, (value, wanted)) in values.iter().zip(wanted).enumerate() {
            let apart = (value - wanted).abs();
            assert!(apart < tolerance, "{array}[{}]: {value}", k + 1);
            let name = format!("bodies.rod.{array}[{}]", k + 1);
            assert_eq!(two.real(&name).to_bits(), value.to_bits(), "{name}");
        }
    }
}

#[test]
fn derivatives_take_arrays_whole() {
    let world = world("derivatives of arrays");
    let fmu = Fmu3::started(&world);
    for n in 0..20 {
        assert_eq!(fmu.step(f64::from(n) * 0.01, 0.01).status, OK);
    }
    let [gains, sum] = ["gains[1]", "sum"].map(|name| world.reference(name));
    let (unknowns, knowns) = ([world.reference("bodies.rod.position[1]"), sum], [gains]);
    let (seed, mut found) = ([1.0, 2.0, 3.0], [f64::NAN; 4]);
    let status = call3!(
        fmu,
        fmi3GetDirectionalDerivative,
        unknowns.as_ptr(),
        2,
        knowns.as_ptr(),
        1,
        seed.as_ptr(),
        3,
        found.as_mut_ptr(),
        4
    );
    assert_eq!(status, OK, "{}", fmu.log.last());
    assert_eq!(found[..3], [0.0; 3]);
    assert!((found[3] - 321.0).abs() < 1e-9, "{}", found[3]);
    let (weights, mut back) = ([9.0, 9.0, 9.0, 2.0], [f64::NAN; 3]);
    let status = call3!(
        fmu,
        fmi3GetAdjointDerivative,
        unknowns.as_ptr(),
        2,
        knowns.as_ptr(),
        1,
        weights.as_ptr(),
        4,
        back.as_mut_ptr(),
        3
    );
    assert_eq!(status, OK, "{}", fmu.log.last());
    for (back, wanted) in back.iter().zip([2.0, 20.0, 200.0]) {
        assert!((back - wanted).abs() < 1e-9, "{back} {wanted}");
    }
}

/// Of the pose by time: half the speed times what is at right angles to the quaternion.
#[test]
fn arrays_have_derivatives_by_time() {
    let world = world("rates of arrays");
    let fmu = Fmu3::started(&world);
    for n in 0..20 {
        assert_eq!(fmu.step(f64::from(n) * 0.01, 0.01).status, OK);
    }
    let pose = world.reference("bodies.rod.orientation[1]");
    let (order, mut rates) = (1, [f64::NAN; 4]);
    let status = call3!(
        fmu,
        fmi3GetOutputDerivatives,
        &raw const pose,
        1,
        &raw const order,
        rates.as_mut_ptr(),
        4
    );
    assert_eq!(status, OK, "{}", fmu.log.last());
    let (half, speed) = (fmu.real("angle") / 2.0, fmu.real("speed"));
    for (rate, wanted) in rates.iter().zip([-sin(half), 0.0, 0.0, cos(half)]) {
        assert!((rate - wanted * speed / 2.0).abs() < 1e-7, "{rate}");
    }
    let status = call3!(
        fmu,
        fmi3GetOutputDerivatives,
        &raw const pose,
        1,
        &raw const order,
        rates.as_mut_ptr(),
        1
    );
    assert_eq!(status, ERROR);
    assert!(
        fmu.log.last().contains("nValues is 1"),
        "{}",
        fmu.log.last()
    );
}

#[test]
fn wrong_sizes_and_inner_elements_are_refused_with_what_is_right() {
    let world = world("sizes of arrays");
    let gains = world.reference("gains[1]");
    let torque = world.reference("torque");
    let many = "nValues is 1, but the 1 value references given need 3, \"gains\" among them has 3";
    let inner = format!("is element 2 of the array \"gains\"; use the array's, {gains}");
    let cases: [(&[u32], usize, &str); 4] = [
        (&[gains], 1, many),
        (&[gains, torque], 3, "need 4"),
        (&[torque], 3, "need 1"),
        (&[gains + 1], 1, &inner),
    ];
    for (references, n, reason) in cases {
        let fmu = Fmu3::started(&world);
        assert_eq!(get(&fmu, references, n).0, ERROR);
        assert!(fmu.log.last().contains(reason), "{}", fmu.log.last());
        let fmu = Fmu3::new(&world);
        assert_eq!(set(&fmu, references, &vec![1.0; n]), ERROR);
        assert!(fmu.log.last().contains(reason), "{}", fmu.log.last());
    }
    let fmu = Fmu3::started(&world);
    let status = call3!(fmu, fmi3GetFloat64, &raw const gains, 1, ptr::null_mut(), 3);
    assert_eq!(status, ERROR);
    assert!(fmu.log.last().contains("values is NULL"));
}

#[test]
fn an_array_with_one_bad_element_changes_nothing() {
    let world = world("whole arrays");
    let fmu = Fmu3::new(&world);
    let (gains, torque) = (world.reference("gains[1]"), world.reference("torque"));
    let status = set(&fmu, &[gains, torque], &[3.0, f64::NAN, 3.0, 1.0]);
    assert_eq!(status, ERROR);
    assert!(fmu.log.last().contains("\"gains[2]\" cannot be NaN"));
    assert_eq!(get(&fmu, &[gains, torque], 4).1, [1.5, -2.0, 8.0, 0.0]);
}

#[test]
fn dependencies_of_arrays_name_arrays() {
    let world = world("dependencies of arrays");
    let fmu = Fmu3::new(&world);
    let count = |reference: u32| {
        let mut n = 99;
        let status = call3!(
            fmu,
            fmi3GetNumberOfVariableDependencies,
            reference,
            &raw mut n
        );
        assert_eq!(status, OK);
        n
    };
    // Of the start: the sum on the array; the pose on torque, mass, friction, equilibrium and ramp.
    assert_eq!(count(world.reference("sum")), 1);
    assert_eq!(count(world.reference("bodies.rod.position[1]")), 5);
    let sum = world.reference("sum");
    let (mut own, mut other, mut element, mut kind) = (9, 0, 9, 9);
    let status = call3!(
        fmu,
        fmi3GetVariableDependencies,
        sum,
        &raw mut own,
        &raw mut other,
        &raw mut element,
        &raw mut kind,
        1,
    );
    assert_eq!(status, OK);
    assert_eq!((own, other, element), (0, world.reference("gains[1]"), 0));
}
