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

/// An instance of an example, in initialization mode.
fn initializing(file: &str) -> Box<Instance> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let model = fixstep_model::Model::from_file(&path.join(file)).unwrap();
    let blueprint = Blueprint::read(&model.packed().unwrap().bytes).unwrap();
    let token = blueprint.token.clone();
    let (sink, _) = memory();
    let mut fmu = Instance::of(blueprint, "test", &token, Log::new(sink, true)).unwrap();
    set(&mut fmu, "stroke", 0.0);
    let enter = Fmi3::EnterInitializationMode.rule();
    let entered = fmu.call(enter, |i, _| i.enter_initialization());
    assert_eq!(entered, Status::Ok);
    fmu
}

/// The hardpoints of a suspension are fixed parameters, and their derivatives in initialization mode are differences of what
/// the importer reads there: with ideal joints, and in an equilibrium of bushings. The start does not change.
#[test]
fn in_initialization_mode_outputs_are_differentiated_by_geometry() {
    for file in [
        "double_wishbone/model.json",
        "double_wishbone/compliance.json",
    ] {
        let mut fmu = initializing(file);
        set(&mut fmu, "travel", 35.0);
        set(&mut fmu, "lateral_force", 800.0);
        let outputs = ["toe", "camber", "roll_centre", "track_change"];
        let references = outputs.map(|name| reference(&fmu, name));
        for (name, by) in [("tie_inner.z", 0.1), ("upper_ball.y", 0.1), ("travel", 0.1)] {
            let before = outputs.map(|name| get(&mut fmu, name).to_bits());
            let known = reference(&fmu, name);
            let x = get(&mut fmu, name);
            for rule in [
                Fmi2::GetDirectionalDerivative.rule(),
                Fmi3::GetDirectionalDerivative.rule(),
            ] {
                let mut found = [0.0; 4];
                let sets = (&references[..], &[known][..]);
                let got = fmu.directional_derivative(rule, sets, &[2.0], &mut |k, x| found[k] = x);
                assert_eq!(got, Ok(Status::Ok));
                assert_eq!(outputs.map(|name| get(&mut fmu, name).to_bits()), before);
                let ends = [by, -by].map(|by| {
                    set(&mut fmu, name, x + by);
                    outputs.map(|name| get(&mut fmu, name))
                });
                set(&mut fmu, name, x);
                for k in 0..4 {
                    let expected = 2.0 * (ends[0][k] - ends[1][k]) / (2.0 * by);
                    let tolerance = 1e-7 + 1e-4 * expected.abs();
                    assert!(
                        (found[k] - expected).abs() < tolerance,
                        "{file}: {} by {name}: {} {expected}",
                        outputs[k],
                        found[k]
                    );
                }
            }
            // The adjoint derivative is the sum of both.
            let mut sum = 0.0;
            let rule = Fmi3::GetAdjointDerivative.rule();
            let sets = (&references[..2], &[known][..]);
            let got = fmu.adjoint_derivative(rule, sets, &[1.0, 1.0], &mut |_, x| sum = x);
            assert_eq!(got, Ok(Status::Ok));
            let mut parts = [0.0; 2];
            let rule = Fmi3::GetDirectionalDerivative.rule();
            let got = fmu.directional_derivative(rule, sets, &[1.0], &mut |k, x| parts[k] = x);
            assert_eq!(got, Ok(Status::Ok));
            assert_eq!(sum, parts[0] + parts[1]);
        }
    }
}
