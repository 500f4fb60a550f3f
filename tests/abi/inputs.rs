//! Tests of inputs with derivatives.

use std::ffi::c_int;

use crate::client2::{Fmu2, call2};
use crate::world::{ERROR, OK, World};

/// Gives derivatives of an input, by order.
pub(crate) fn derive(fmu: &Fmu2<'_>, name: &str, derivatives: &[(c_int, f64)]) -> c_int {
    let references = vec![fmu.world.reference(name); derivatives.len()];
    let (orders, values): (Vec<_>, Vec<_>) = derivatives.iter().copied().unzip();
    call2!(
        fmu,
        fmi2SetRealInputDerivatives,
        references.as_ptr(),
        references.len(),
        orders.as_ptr(),
        values.as_ptr()
    )
}

/// Forces act at the end of an integration step: one that is set to what the polynomial is there must do
/// the same.
#[test]
fn an_input_follows_its_polynomial_through_the_integration_steps() {
    let world = World::new("polynomials");
    let torque = |t: f64| 3.0 + 20.0 * t - 40.0 * t * t + 30.0 * t * t * t;
    let (own, plain) = (Fmu2::started(&world), Fmu2::started(&world));
    let mut t: f64 = 0.0;
    while t < 0.99 {
        assert_eq!(own.set_real("torque", torque(t)), OK);
        let derivatives = [
            (1, 20.0 - 80.0 * t + 90.0 * t * t),
            (2, -80.0 + 180.0 * t),
            (3, 180.0),
        ];
        assert_eq!(
            derive(&own, "torque", &derivatives),
            OK,
            "{}",
            own.log.last()
        );
        assert_eq!(own.step(t, 0.05), OK, "{}", own.log.last());
        for k in 0..5 {
            let at = t + 0.01 * f64::from(k);
            assert_eq!(plain.set_real("torque", torque(at + 0.01)), OK);
            assert_eq!(plain.step(at, 0.01), OK);
        }
        t += 0.05;
        // An output that shows the input shows it at the end of the step.
        let shown = own.real("doubled");
        assert!((shown - 2.0 * torque(t)).abs() < 1e-10, "{shown}");
        assert!((own.real("angle") - plain.real("angle")).abs() < 1e-12);
    }
}

#[test]
fn derivatives_are_over_with_the_step_they_were_given_for() {
    let world = World::new("one step");
    let fmu = Fmu2::started(&world);
    assert_eq!(fmu.set_real("torque", 1.0), OK);
    assert_eq!(derive(&fmu, "torque", &[(1, 10.0)]), OK);
    assert_eq!(fmu.step(0.0, 0.02), OK);
    assert!((fmu.real("torque") - 1.2).abs() < 1e-15);
    assert_eq!(fmu.step(0.02, 0.02), OK);
    assert!((fmu.real("torque") - 1.2).abs() < 1e-15);
}

#[test]
fn what_is_saved_in_between_knows_the_derivatives() {
    let world = World::new("saved derivatives");
    let fmu = Fmu2::started(&world);
    assert_eq!(derive(&fmu, "torque", &[(1, 10.0), (2, 100.0)]), OK);
    let mut state = std::ptr::null_mut();
    assert_eq!(call2!(fmu, fmi2GetFMUstate, &raw mut state), OK);
    assert_eq!(fmu.step(0.0, 0.03), OK);
    let angle = fmu.real("angle").to_bits();
    assert_eq!(call2!(fmu, fmi2SetFMUstate, state), OK);
    assert_eq!(fmu.step(0.0, 0.03), OK);
    assert_eq!(fmu.real("angle").to_bits(), angle);
    assert_eq!(call2!(fmu, fmi2FreeFMUstate, &raw mut state), OK);
}

#[test]
fn derivatives_of_other_things_and_orders_are_refused() {
    let world = World::new("refused derivatives");
    for (name, derivative, reason) in [
        ("angle", (1, 1.0), "can never be set"),
        ("friction", (1, 1.0), "is no input"),
        ("torque", (0, 1.0), "it must be 1 to 3"),
        ("torque", (4, 1.0), "it must be 1 to 3"),
        ("torque", (1, f64::NAN), "finite"),
    ] {
        let fmu = Fmu2::started(&world);
        assert_eq!(derive(&fmu, name, &[derivative]), ERROR);
        let text = fmu.log.last();
        assert!(text.contains(reason) && text.contains(name), "{text}");
    }
}
