//! Tests of geometry that depends on a parameter, in an instance.

use super::super::testing::{blueprint, memory};
use super::*;
use fixstep_kernel::ids::BodyId;
use fixstep_kernel::mechanism::{BodyNumber, Derived, Place, ScaledExpr, ValueSource};

/// The pendulum, whose centre of mass follows from its parameter `mass`.
fn shaped() -> (Box<Instance>, Lines) {
    let mut blueprint = blueprint();
    let m = &mut blueprint.mechanism;
    let program = m.values.iter().find_map(|value| match value.source {
        ValueSource::Expression(scaled) if value.path.ends_with("mass") => Some(scaled),
        _ => None,
    });
    m.derived.push(Derived {
        place: Place::Body(BodyId(1), BodyNumber::CenterOfMass(0)),
        program: ScaledExpr {
            to_si: 0.25,
            ..program.unwrap()
        },
    });
    let (sink, lines) = memory();
    let token = blueprint.token.clone();
    let instance = Instance::of(blueprint, "test", &token, Log::new(sink, true));
    (instance.unwrap(), lines)
}

#[test]
fn a_state_has_the_geometry_that_it_was_saved_with() {
    let (mut fmu, lines) = shaped();
    set(&mut fmu, "mass", 4.0);
    let before = fmu.save_state(0).unwrap();
    initialize(&mut fmu);
    let center = |fmu: &Instance| fmu.simulation.mechanism().bodies[1].center_of_mass.x;
    assert_eq!(center(&fmu), 1.0, "{lines:?}");
    step(&mut fmu, 0.0, 0.01);
    let state = fmu.save_state(0).unwrap();
    let bytes = fmu.serialize(state).unwrap();
    step(&mut fmu, 0.01, 0.01);
    let angle = get(&mut fmu, "angle");
    fmu.reset().unwrap();
    assert_eq!(center(&fmu), 0.5);
    initialize(&mut fmu);
    assert_eq!((get(&mut fmu, "mass"), center(&fmu)), (2.0, 0.5));
    assert_eq!(fmu.restore_state(state), Ok(Status::Ok));
    assert_eq!((get(&mut fmu, "mass"), center(&fmu)), (4.0, 1.0));
    step(&mut fmu, 0.01, 0.01);
    assert_eq!(get(&mut fmu, "angle").to_bits(), angle.to_bits());
    fmu.reset().unwrap();
    // What was saved before its start is started.
    assert_eq!(fmu.restore_state(before), Ok(Status::Ok));
    initialize(&mut fmu);
    assert_eq!((fmu.mode(), center(&fmu)), (Mode::Step, 1.0));
    let state = fmu.deserialize(&bytes, 0).unwrap();
    assert_eq!(fmu.restore_state(state), Ok(Status::Ok));
    step(&mut fmu, 0.01, 0.01);
    assert_eq!(get(&mut fmu, "angle").to_bits(), angle.to_bits());
}

#[test]
fn nothing_is_differentiated_by_what_shapes_the_mechanism() {
    let (mut fmu, _) = shaped();
    initialize(&mut fmu);
    let [angle, mass, friction] = ["angle", "mass", "friction"].map(|name| reference(&fmu, name));
    let rule = Fmi3::GetDirectionalDerivative.rule();
    let mut by = |known| {
        let derivative =
            fmu.directional_derivative(rule, (&[angle], &[known]), &[1.0], &mut |_, _| ());
        derivative.map_err(|refusal| refusal.text)
    };
    assert_eq!(by(friction), Ok(Status::Ok));
    let refused = by(mass).unwrap_err();
    assert!(refused.contains("which determines geometry"), "{refused}");
}
