//! Tests of get and set functions and of dependencies.

use std::ffi::c_int;
use std::ptr;

use crate::client2::{Fmu2, call2};
use crate::client3::{Fmu3, call3};
use crate::world::{DISCARD, ERROR, OK, PENDULUM, World, folder};

#[test]
fn every_type_goes_both_ways_through_fmi2() {
    let world = World::new("types2");
    let fmu = Fmu2::new(&world);
    assert_eq!(fmu.set_real("mass", 3.5), OK);
    assert_eq!(fmu.set_real("torque", -7.0), OK);
    assert_eq!(fmu.set_integer("solver.fixit", 5), OK);
    assert_eq!(fmu.set_integer("solver.integrator", 1), OK);
    assert_eq!(fmu.set_string("solver.pattern", "T:F:T"), OK);
    let (reference, yes) = (world.reference("rti.include_first_step"), 1);
    let status = call2!(fmu, fmi2SetBoolean, &raw const reference, 1, &raw const yes);
    assert_eq!(status, OK);
    fmu.start();
    assert_eq!((fmu.real("mass"), fmu.real("torque")), (3.5, -7.0));
    assert_eq!(fmu.integer("solver.fixit"), 5);
    assert_eq!(fmu.integer("solver.integrator"), 1);
    assert_eq!(fmu.string("solver.pattern"), "T:F:T");
    let mut value = 0;
    let status = call2!(fmu, fmi2GetBoolean, &raw const reference, 1, &raw mut value);
    assert_eq!((status, value), (OK, 1));
    assert_eq!(fmu.step(0.0, 0.01), OK);
    assert_eq!(fmu.integer("solver.steps"), 1);
}

#[test]
fn every_type_goes_both_ways_through_fmi3() {
    let world = World::new("types3");
    let fmu = Fmu3::new(&world);
    assert_eq!(fmu.set_real("mass", 3.5), OK);
    let (fixit, five) = (world.reference("solver.fixit"), 5_i32);
    assert_eq!(
        call3!(fmu, fmi3SetInt32, &raw const fixit, 1, &raw const five, 1),
        OK
    );
    let (integrator, one) = (world.reference("solver.integrator"), 1_i64);
    assert_eq!(
        call3!(
            fmu,
            fmi3SetInt64,
            &raw const integrator,
            1,
            &raw const one,
            1
        ),
        OK
    );
    let (first, yes) = (world.reference("rti.include_first_step"), true);
    assert_eq!(
        call3!(fmu, fmi3SetBoolean, &raw const first, 1, &raw const yes, 1),
        OK
    );
    let (pattern, text) = (world.reference("solver.pattern"), c"T:F".as_ptr());
    assert_eq!(
        call3!(
            fmu,
            fmi3SetString,
            &raw const pattern,
            1,
            &raw const text,
            1
        ),
        OK
    );
    let (mut a, mut b, mut c) = (0_i32, 0_i64, false);
    assert_eq!(
        call3!(fmu, fmi3GetInt32, &raw const fixit, 1, &raw mut a, 1),
        OK
    );
    assert_eq!(
        call3!(fmu, fmi3GetInt64, &raw const integrator, 1, &raw mut b, 1),
        OK
    );
    assert_eq!(
        call3!(fmu, fmi3GetBoolean, &raw const first, 1, &raw mut c, 1),
        OK
    );
    assert_eq!(
        (a, b, c, fmu.string("solver.pattern")),
        (5, 1, true, "T:F".to_owned())
    );
    fmu.start();
    assert_eq!(fmu.real("mass"), 3.5);
}

/// A call that is refused; it may use the value reference of an integer.
type Call = fn(&Fmu2<'_>, u32) -> c_int;

#[test]
fn wrong_references_types_and_numbers_say_what_is_valid() {
    let world = World::new("wrong");
    let last = world.table.variables.len() - 1;
    let fixit = world.reference("solver.fixit");
    let cases: [(Call, String); 5] = [
        (
            |f, _| {
                let (bad, mut value) = (u32::MAX, 0.0);
                call2!(f, fmi2GetReal, &raw const bad, 1, &raw mut value)
            },
            format!("valid are 0 to {last}"),
        ),
        (
            |f, fixit| {
                let mut value = 0.0;
                call2!(f, fmi2GetReal, &raw const fixit, 1, &raw mut value)
            },
            "\"solver.fixit\" is of type Integer; use fmi2GetInteger".to_owned(),
        ),
        (
            |f, _| f.set_real("torque", f64::NAN),
            "\"torque\" cannot be NaN".to_owned(),
        ),
        (
            |f, _| f.set_real("mass", 1.0),
            "may not be set in the state \"Step Mode\"".to_owned(),
        ),
        (
            |f, _| f.set_real("angle", 1.0),
            "can never be set".to_owned(),
        ),
    ];
    for (call, reason) in cases {
        let fmu = Fmu2::started(&world);
        assert_eq!(call(&fmu, fixit), ERROR);
        assert!(fmu.log.last().contains(&reason), "{}", fmu.log.last());
    }
}

#[test]
fn types_that_no_variable_has_name_the_right_function() {
    let world = World::new("no such type");
    let time = world.reference("time");
    let fmu = Fmu3::started(&world);
    let mut value = 0.0_f32;
    assert_eq!(
        call3!(fmu, fmi3GetFloat32, ptr::null(), 0, ptr::null_mut(), 0),
        OK
    );
    let status = call3!(fmu, fmi3GetFloat32, &raw const time, 1, &raw mut value, 1);
    assert_eq!(status, ERROR);
    assert!(
        fmu.log
            .last()
            .contains("is of type Float64; use fmi3GetFloat64")
    );
    let fmu = Fmu3::started(&world);
    let (mut size, mut data) = (0, ptr::null());
    let status = call3!(
        fmu,
        fmi3GetBinary,
        &raw const time,
        1,
        &raw mut size,
        &raw mut data,
        1
    );
    assert_eq!(status, ERROR);
    let fmu = Fmu3::started(&world);
    let mut value = 0_u64;
    assert_eq!(
        call3!(fmu, fmi3GetUInt64, &raw const time, 1, &raw mut value, 1),
        ERROR
    );
}

#[test]
fn as_many_values_as_references() {
    let world = World::new("sizes");
    let time = world.reference("time");
    for n in [0, 2, usize::MAX] {
        let fmu = Fmu3::started(&world);
        let mut values = [0.0, 0.0];
        let status = call3!(
            fmu,
            fmi3GetFloat64,
            &raw const time,
            1,
            values.as_mut_ptr(),
            n
        );
        assert_eq!(status, ERROR);
        assert!(fmu.log.last().contains("nValues is"), "{}", fmu.log.last());
    }
    let fmu = Fmu3::started(&world);
    let mut value = 0.0;
    let many = usize::MAX;
    let status = call3!(
        fmu,
        fmi3GetFloat64,
        &raw const time,
        many,
        &raw mut value,
        many
    );
    assert_eq!(status, ERROR, "no array is that long");
}

#[test]
fn a_refused_set_changes_nothing() {
    let world = World::new("whole");
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.set_real("torque", 5.0), OK);
    let references = [world.reference("torque"), world.reference("friction")];
    let values = [6.0, 1000.0];
    let status = call2!(fmu, fmi2SetReal, references.as_ptr(), 2, values.as_ptr());
    assert_eq!(status, DISCARD);
    assert_eq!(fmu.real("torque"), 5.0);
}

/// One invalid value refuses the whole call: the other parameters in it keep their values too.
#[test]
fn a_set_that_does_not_fit_changes_no_other_parameter() {
    let mut model: serde_json::Value = serde_json::from_str(PENDULUM).unwrap();
    model["parameters"][0] =
        serde_json::json!({"name": "mass", "start": 2, "unit": "kg", "tunable": true});
    let world = World::at(folder("fits").join("resources"), &model.to_string());
    let fmu = Fmu2::started(&world);
    let references = [world.reference("friction"), world.reference("mass")];
    let status =
        |values: [f64; 2]| call2!(fmu, fmi2SetReal, references.as_ptr(), 2, values.as_ptr());
    assert_eq!(status([1.0, 3.0]), OK);
    assert_eq!((fmu.real("friction"), fmu.real("mass")), (1.0, 3.0));
    assert_eq!(status([5.0, -5.0]), DISCARD);
    let said = fmu.log.last();
    assert!(
        said.contains("\"friction\" = 5, variable") && said.contains("\"mass\" = -5"),
        "{said}"
    );
    assert_eq!((fmu.real("friction"), fmu.real("mass")), (1.0, 3.0));
    assert_eq!(fmu.step(0.0, 0.01), OK);
}

/// A setting takes effect whether or not a value has been read before.
#[test]
fn a_setting_acts_after_a_look_at_the_start_too() {
    let world = World::new("looked");
    for name in ["solver.equilibrium", "solver.linearly_implicit"] {
        let reference = world.reference(name);
        let run = |look: bool, value: c_int| {
            let fmu = Fmu2::new(&world);
            assert_eq!(call2!(fmu, fmi2EnterInitializationMode), OK);
            if look {
                assert_eq!(fmu.real("angle"), 0.0);
            }
            let status = call2!(
                fmu,
                fmi2SetBoolean,
                &raw const reference,
                1,
                &raw const value
            );
            assert_eq!(status, OK);
            assert_eq!(call2!(fmu, fmi2ExitInitializationMode), OK);
            for k in 0..5 {
                assert_eq!(fmu.step(f64::from(k) * 0.01, 0.01), OK);
            }
            fmu.real("angle").to_bits()
        };
        assert_eq!(run(true, 1), run(false, 1), "{name}");
        assert_ne!(run(true, 1), run(true, 0), "{name}");
    }
}

#[test]
fn outputs_follow_inputs_during_initialization() {
    let world = World::new("initialization");
    let fmu = Fmu2::new(&world);
    assert_eq!(call2!(fmu, fmi2EnterInitializationMode), OK);
    assert_eq!(fmu.set_real("torque", 5.0), OK);
    assert_eq!(fmu.real("doubled"), 10.0);
    assert_eq!(fmu.set_real("torque", 7.0), OK);
    assert_eq!(fmu.real("doubled"), 14.0);
    assert_eq!(call2!(fmu, fmi2ExitInitializationMode), OK);
    assert_eq!(fmu.real("doubled"), 14.0);
}

#[test]
fn dependencies_come_from_the_table() {
    let world = World::new("dependencies");
    let fmu = Fmu3::started(&world);
    let torque = world.reference("torque");
    let mut n = 99;
    let angle = world.reference("angle");
    assert_eq!(
        call3!(fmu, fmi3GetNumberOfVariableDependencies, angle, &raw mut n),
        OK
    );
    assert_eq!(n, world.table.variables[angle as usize].dependencies.len());
    let doubled = world.reference("doubled");
    assert_eq!(
        call3!(
            fmu,
            fmi3GetNumberOfVariableDependencies,
            doubled,
            &raw mut n
        ),
        OK
    );
    assert_eq!(n, 1);
    let (mut own, mut other, mut element, mut kind) = (9, 0, 9, 9);
    let status = call3!(
        fmu,
        fmi3GetVariableDependencies,
        doubled,
        &raw mut own,
        &raw mut other,
        &raw mut element,
        &raw mut kind,
        1,
    );
    assert_eq!(status, OK);
    assert_eq!((own, other, element, kind), (0, torque, 0, 5));
    let status = call3!(
        fmu,
        fmi3GetVariableDependencies,
        doubled,
        &raw mut own,
        &raw mut other,
        &raw mut element,
        &raw mut kind,
        2,
    );
    assert_eq!(status, ERROR);
    assert!(
        fmu.log
            .last()
            .contains("nDependencies is 2, but there are 1")
    );
}
