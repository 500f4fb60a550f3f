//! Tests that one start serves both instantiation and initialization if nothing is set between them.

use super::super::testing::{PENDULUM, memory};
use super::*;
use fixstep_model::Model;

/// An instance of a model, with all messages or none.
fn made(text: &str, logging: bool) -> (Box<Instance>, Lines) {
    let (sink, lines) = memory();
    let packed = Model::from_json(text).unwrap().packed().unwrap();
    let blueprint = Blueprint::read(&packed.bytes).unwrap();
    let made = Instance::of(blueprint, "start", &packed.token, Log::new(sink, logging));
    (made.unwrap(), lines)
}

/// Outputs over some steps from the end of the initialization on.
fn course(instance: &mut Instance) -> Vec<u64> {
    let mut bits = Vec::new();
    for k in 0..20 {
        assert_eq!(step(instance, f64::from(k) * 0.01, 0.01), Status::Ok);
        bits.extend(["angle", "speed", "energy.kinetic"].map(|name| get(instance, name).to_bits()));
    }
    bits
}

fn save(instance: &mut Instance) -> usize {
    let mut handle = 0;
    let status = instance.call(Fmi3::GetFMUState.rule(), |i, _| {
        handle = i.save_state(0)?;
        Ok(Status::Ok)
    });
    assert_eq!(status, Status::Ok);
    handle
}

fn restore(instance: &mut Instance, handle: usize) {
    let rule = Fmi3::SetFMUState.rule();
    assert_eq!(
        instance.call(rule, |i, _| i.restore_state(handle)),
        Status::Ok
    );
}

fn reset(instance: &mut Instance) {
    let rule = Fmi3::Reset.rule();
    assert_eq!(instance.call(rule, |i, _| i.reset()), Status::Ok);
}

#[test]
fn a_start_that_is_not_repeated_is_the_one_that_would_have_been() {
    let repeated = || {
        let (mut instance, _) = made(PENDULUM, true);
        assert_eq!(set(&mut instance, "mass", 2.0), Status::Ok);
        initialize(&mut instance);
        course(&mut instance)
    };
    let (mut instance, _) = made(PENDULUM, true);
    let fresh = save(&mut instance);
    initialize(&mut instance);
    assert_eq!(course(&mut instance), repeated());
    reset(&mut instance);
    initialize(&mut instance);
    assert_eq!(course(&mut instance), repeated(), "after a reset");
    // A state from before the initialization, over a run of another pendulum by another scheme.
    reset(&mut instance);
    set(&mut instance, "mass", 3.0);
    set_integer(
        &mut instance,
        "solver.integrator",
        integrator_item(IntegratorKind::Hht),
    );
    set_integer(&mut instance, "solver.fixit", 2);
    initialize(&mut instance);
    let other = course(&mut instance);
    restore(&mut instance, fresh);
    assert_eq!(instance.mode(), Mode::Instantiated);
    initialize(&mut instance);
    let again = course(&mut instance);
    assert_ne!(again, other);
    assert_eq!(again, repeated(), "after a restored state");
}

#[test]
fn another_start_time_is_another_start() {
    let (mut instance, _) = made(PENDULUM, true);
    let rule = Fmi2::SetupExperiment.rule();
    for start in [1.0, 0.0, 2.5] {
        let status = instance.call(rule, |i, _| i.setup_experiment(None, start, None));
        assert_eq!(status, Status::Ok);
    }
    initialize(&mut instance);
    assert_eq!(instance.time(), 2.5);
    assert_eq!(step(&mut instance, 2.5, 0.01), Status::Ok);
}

#[test]
fn warnings_of_the_start_reach_who_listens_only_then() {
    // A force that jumps.
    let text = PENDULUM.replace(
        "torque - friction",
        "torque + SIGN(1, DX(pin, base)) - friction",
    );
    let (mut instance, lines) = made(&text, false);
    assert_eq!(lines.borrow().len(), 0, "{lines:?}");
    let categories = ["logStatusWarning".to_owned()];
    let rule = Fmi3::SetDebugLogging.rule();
    let status = instance.call(rule, |i, _| i.set_debug_logging(true, &categories));
    assert_eq!(status, Status::Ok);
    initialize(&mut instance);
    let told = |lines: &Lines| {
        let lines = lines.borrow();
        lines
            .iter()
            .filter(|line| line.contains("[kink-in-force]"))
            .count()
    };
    assert_eq!(told(&lines), 1, "{lines:?}");
    // A logger that exists from the beginning gets the message once.
    let (mut instance, lines) = made(&text, true);
    assert_eq!(told(&lines), 1);
    initialize(&mut instance);
    assert_eq!(told(&lines), 1, "{lines:?}");
}
