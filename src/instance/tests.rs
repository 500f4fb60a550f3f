//! The instance without C: modes, values, settings, steps and saved states.
#![expect(clippy::unwrap_used, reason = "tests")]

mod derived;
mod inertia;
mod ranges;
mod start;
mod variable;

use super::access::Kind;
use super::mode::{Fmi2, Fmi3};
use super::testing::{Lines, instance, reference};
use super::*;
use fixstep_kernel::mechanism::{Arithmetic, IntegratorKind};
use fixstep_variables::settings::integrator_item;

fn last(lines: &Lines) -> String {
    lines.borrow().last().cloned().unwrap_or_default()
}

fn get(instance: &mut Instance, name: &str) -> f64 {
    let reference = reference(instance, name);
    let mut found = f64::NAN;
    let status = instance.call(Fmi3::GetFloat64.rule(), |i, rule| {
        i.get_real(rule, &[reference], |_, value| found = value)
    });
    assert_eq!(status, Status::Ok);
    found
}

fn set(instance: &mut Instance, name: &str, value: f64) -> Status {
    let reference = reference(instance, name);
    instance.call(Fmi3::SetFloat64.rule(), |i, rule| {
        i.set_real(rule, &[reference], &[value])
    })
}

fn set_integer(instance: &mut Instance, name: &str, value: i64) -> Status {
    let reference = reference(instance, name);
    let kinds = [Kind::Integer, Kind::Enumeration];
    instance.call(Fmi2::SetInteger.rule(), |i, rule| {
        i.set_integer(rule, &kinds, &[reference], |_| value)
    })
}

fn initialize(instance: &mut Instance) {
    let enter = Fmi3::EnterInitializationMode.rule();
    assert_eq!(
        instance.call(enter, |i, _| i.enter_initialization()),
        Status::Ok
    );
    let exit = Fmi3::ExitInitializationMode.rule();
    assert_eq!(
        instance.call(exit, |i, _| i.exit_initialization()),
        Status::Ok
    );
}

fn step(instance: &mut Instance, current: f64, h: f64) -> Status {
    instance.call(Fmi3::DoStep.rule(), |i, _| {
        i.do_step(current, h).map(|_| Status::Ok)
    })
}

#[test]
fn a_life_from_beginning_to_end() {
    let (mut fmu, lines) = instance();
    initialize(&mut fmu);
    for k in 0..10 {
        assert_eq!(step(&mut fmu, f64::from(k) * 0.01, 0.01), Status::Ok);
    }
    assert_eq!(fmu.recorder().count(), 9);
    assert!(fmu.recorder().last() > 0.0);
    let status = fmu.call(Fmi3::Terminate.rule(), |i, _| i.terminate());
    assert_eq!((status, fmu.mode()), (Status::Ok, Mode::Terminated));
    let report = last(&lines);
    assert!(report.starts_with("Ok logRealTime -----"), "{report}");
    assert!(report.contains("Integrator name : Fixed Step GSTIFF/I3\n"));
    assert!(report.contains("Time step : 1.00000e-02 s\n"));
}

#[test]
fn unknown_and_mistyped_references_are_named() {
    let (mut fmu, lines) = instance();
    let count = fmu.accesses.table().variables.len();
    let status = fmu.call(Fmi3::GetFloat64.rule(), |i, rule| {
        i.get_real(rule, &[9999], |_, _| {})
    });
    assert_eq!((status, fmu.mode()), (Status::Error, Mode::Failed));
    let expected = format!(
        "value reference 9999 is unknown; valid are 0 to {}",
        count - 1
    );
    assert!(last(&lines).ends_with(&expected), "{}", last(&lines));

    let (mut fmu, lines) = instance();
    let fixit = reference(&fmu, "solver.fixit");
    fmu.call(Fmi3::GetFloat64.rule(), |i, rule| {
        i.get_real(rule, &[fixit], |_, _| {})
    });
    let expected = format!("variable {fixit} \"solver.fixit\" is of type Int32; use fmi3GetInt32");
    assert!(last(&lines).contains(&expected), "{}", last(&lines));
}

#[test]
fn numbers_outside_their_limits_are_refused_whole() {
    for (bad, torque, friction, wanted, words) in [
        (
            f64::NAN,
            f64::NAN,
            3.0,
            Status::Error,
            "from -100 to 100 [N.m]",
        ),
        (
            f64::INFINITY,
            f64::INFINITY,
            3.0,
            Status::Error,
            "from -100 to 100 [N.m]",
        ),
        (10.5, 3.0, 10.5, Status::Discard, "from 0 to 10 [N.m.s/rad]"),
        (
            -1e300,
            3.0,
            -1e300,
            Status::Discard,
            "from 0 to 10 [N.m.s/rad]",
        ),
    ] {
        let (mut fmu, lines) = instance();
        assert_eq!(set(&mut fmu, "torque", 50.0), Status::Ok);
        let references = ["friction", "torque"].map(|name| reference(&fmu, name));
        let status = fmu.call(Fmi3::SetFloat64.rule(), |i, rule| {
            i.set_real(rule, &references, &[friction, torque])
        });
        assert_eq!(status, wanted);
        let text = last(&lines);
        assert!(text.contains(&format!("cannot be {bad}")), "{text}");
        assert!(text.contains(words), "{text}");
        assert_eq!(fmu.simulation.input(fixstep_kernel::ids::InputId(0)), 50.0);
        assert_eq!(
            fmu.simulation
                .parameter(fixstep_kernel::ids::ParameterId(1)),
            0.0
        );
        // A value that is discarded leaves the instance as it was.
        let stays = fmu.mode() == Mode::Instantiated;
        assert_eq!(stays, wanted == Status::Discard);
    }
}

#[test]
fn fixed_parameters_are_locked_after_the_start() {
    let (mut fmu, lines) = instance();
    assert_eq!(set(&mut fmu, "mass", 3.0), Status::Ok);
    initialize(&mut fmu);
    assert_eq!(set(&mut fmu, "friction", 0.5), Status::Ok);
    assert_eq!(set(&mut fmu, "torque", 0.5), Status::Ok);
    assert_eq!(set(&mut fmu, "mass", 4.0), Status::Error);
    let text = last(&lines);
    assert!(
        text.contains(
            "\"mass\" (causality parameter, variability fixed) may not be set in the \
                       state \"Step Mode\"; it may be set in: Instantiated, Initialization Mode"
        ),
        "{text}"
    );
    let (mut fmu, lines) = instance();
    assert_eq!(set(&mut fmu, "angle", 4.0), Status::Error);
    assert!(last(&lines).contains("it is computed and can never be set"));
}

#[test]
fn settings_are_checked_parameters() {
    let (mut fmu, lines) = instance();
    assert_eq!(set_integer(&mut fmu, "solver.fixit", 10), Status::Ok);
    assert_eq!(set_integer(&mut fmu, "solver.hratio", 4), Status::Ok);
    assert_eq!(set_integer(&mut fmu, "solver.integrator", 1), Status::Ok);
    assert_eq!(set(&mut fmu, "solver.maxerr", 0.25), Status::Ok);
    initialize(&mut fmu);
    let solver = fmu.simulation.settings();
    assert_eq!((solver.fixit, solver.hratio, solver.maxerr), (10, 4, 0.25));
    assert_eq!(fmu.h, 0.0025);
    for (name, bad) in [
        ("solver.fixit", 0),
        ("solver.fixit", 11),
        ("solver.hratio", 0),
    ] {
        let (mut fmu, _) = instance();
        assert_eq!(
            set_integer(&mut fmu, name, bad),
            Status::Discard,
            "{name} {bad}"
        );
    }
    let (mut fmu, _) = instance();
    assert_eq!(
        set_integer(&mut fmu, "solver.integrator", 99),
        Status::Discard
    );
    let (mut fmu, _) = instance();
    let pattern = reference(&fmu, "solver.pattern");
    let status = fmu.call(Fmi2::SetString.rule(), |i, rule| {
        i.set_string(rule, &[pattern], &["T:Q".to_owned()])
    });
    assert_eq!(status, Status::Error);
    assert!(lines.borrow().iter().all(|line| !line.contains("Error")));
}

#[test]
fn steps_at_the_wrong_place_say_where_the_fmu_stands() {
    let (mut fmu, lines) = instance();
    initialize(&mut fmu);
    assert_eq!(step(&mut fmu, 0.02, 0.01), Status::Error);
    let text = last(&lines);
    assert!(
        text.contains("is 0.02 s, but the FMU stands at 0 s"),
        "{text}"
    );
    for (h, reason) in [(0.0, "above 0"), (-0.1, "above 0"), (f64::NAN, "finite")] {
        let (mut fmu, lines) = instance();
        initialize(&mut fmu);
        assert_eq!(step(&mut fmu, 0.0, h), Status::Error);
        assert!(last(&lines).contains(reason), "{}", last(&lines));
    }
}

#[test]
fn the_stop_time_is_the_end() {
    let (mut fmu, lines) = instance();
    let rule = Fmi2::SetupExperiment.rule();
    let status = fmu.call(rule, |i, _| i.setup_experiment(Some(1e-4), 1.0, Some(1.02)));
    assert_eq!(status, Status::Ok);
    assert!(last(&lines).contains("tolerance 0.0001 is ignored"));
    initialize(&mut fmu);
    assert_eq!(step(&mut fmu, 1.0, 0.02), Status::Ok);
    assert_eq!(step(&mut fmu, 1.02, 0.02), Status::Error);
    assert!(last(&lines).contains("passes the stop time 1.02 s"));
    for (start, stop) in [(f64::NAN, None), (1.0, Some(0.5)), (1.0, Some(f64::NAN))] {
        let (mut fmu, _) = instance();
        let status = fmu.call(rule, |i, _| i.setup_experiment(None, start, stop));
        assert_eq!(status, Status::Error);
    }
}

#[test]
fn noise_in_the_communication_step_leaves_the_step_alone() {
    let (mut fmu, _) = instance();
    initialize(&mut fmu);
    let mut t = 0.0;
    for h in [
        0.01,
        0.009_999_999_999_999_98,
        0.010_000_000_000_000_02,
        0.01,
    ] {
        assert_eq!(step(&mut fmu, t, h), Status::Ok);
        assert_eq!(fmu.h.to_bits(), 0.01_f64.to_bits());
        t += h;
    }
    assert_eq!(step(&mut fmu, t, 0.02), Status::Ok);
    assert_eq!(fmu.h, 0.01, "twice the step");
    assert_eq!(step(&mut fmu, t + 0.02, 0.005), Status::Ok);
    assert_eq!(fmu.h, 0.005);
}

#[test]
fn a_changed_step_is_told_after_the_step() {
    let (mut fmu, lines) = instance();
    initialize(&mut fmu);
    step(&mut fmu, 0.0, 0.01);
    let before = lines.borrow().len();
    step(&mut fmu, 0.01, 0.005);
    assert_eq!(
        lines.borrow().len(),
        before,
        "nothing is delivered by a step"
    );
    get(&mut fmu, "time");
    assert!(
        last(&lines).contains("changed from 0.01 s to 0.005 s"),
        "{}",
        last(&lines)
    );
}

#[test]
fn states_go_back_in_memory_and_as_bytes() {
    let (mut fmu, _) = instance();
    set(&mut fmu, "torque", 3.0);
    initialize(&mut fmu);
    step(&mut fmu, 0.0, 0.01);
    let state = fmu.save_state(0).unwrap();
    let bytes = fmu.serialize(state).unwrap();
    assert_eq!(bytes.len(), fmu.serialized_size(state).unwrap());
    step(&mut fmu, 0.01, 0.01);
    let angle = get(&mut fmu, "angle");

    assert_eq!(fmu.restore_state(state), Ok(Status::Ok));
    assert_eq!(fmu.time(), 0.01);
    step(&mut fmu, 0.01, 0.01);
    assert_eq!(get(&mut fmu, "angle").to_bits(), angle.to_bits());

    let (mut other, lines) = instance();
    let state = other.deserialize(&bytes, 0).unwrap();
    assert_eq!(other.restore_state(state), Ok(Status::Ok));
    assert_eq!((other.mode(), get(&mut other, "torque")), (Mode::Step, 3.0));
    assert_eq!(step(&mut other, 0.01, 0.01), Status::Ok, "{lines:?}");
    assert_eq!(get(&mut other, "angle").to_bits(), angle.to_bits());
}

#[test]
fn settings_travel_with_the_state() {
    let (mut fmu, _) = instance();
    set_integer(&mut fmu, "solver.fixit", 7);
    set_integer(&mut fmu, "solver.hratio", 2);
    set_integer(
        &mut fmu,
        "solver.integrator",
        integrator_item(IntegratorKind::GeneralizedAlpha),
    );
    set(&mut fmu, "solver.rho", 0.3);
    set(&mut fmu, "solver.alpha", -0.1);
    initialize(&mut fmu);
    step(&mut fmu, 0.0, 0.01);
    let state = fmu.save_state(0).unwrap();
    let bytes = fmu.serialize(state).unwrap();
    step(&mut fmu, 0.01, 0.01);
    let angle = get(&mut fmu, "angle");

    let (mut other, _) = instance();
    let state = other.deserialize(&bytes, 0).unwrap();
    other.restore_state(state).unwrap();
    assert_eq!(other.simulation.settings(), fmu.simulation.settings());
    assert_eq!(other.simulation.settings().rho, 0.3);
    assert_eq!(other.h, 0.005);
    step(&mut other, 0.01, 0.01);
    assert_eq!(get(&mut other, "angle").to_bits(), angle.to_bits());
}

#[test]
fn what_only_the_model_sets_stays_with_a_state_from_bytes() {
    let (mut fmu, _) = instance();
    fmu.settings.solver.math = Arithmetic::Fast;
    fmu.settings.solver.lock_memory = true;
    let state = fmu.save_state(0).unwrap();
    let bytes = fmu.serialize(state).unwrap();
    let state = fmu.deserialize(&bytes, 0).unwrap();
    let before = fmu.settings.clone();
    fmu.restore_state(state).unwrap();
    assert_eq!(fmu.settings, before);
}

#[test]
fn bytes_damaged_anywhere_are_refused_with_a_reason() {
    let (mut fmu, _) = instance();
    let state = fmu.save_state(0).unwrap();
    let bytes = fmu.serialize(state).unwrap();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        let refusal = fmu.deserialize(&damaged, 0).unwrap_err();
        assert!(
            refusal.text.contains("is refused: it"),
            "{at}: {}",
            refusal.text
        );
    }
    for length in [0, 1, 7, 31, bytes.len() - 1] {
        assert!(fmu.deserialize(&bytes[..length], 0).is_err());
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(fmu.deserialize(&longer, 0).is_err());
    assert!(fmu.deserialize(&bytes, 0).is_ok());
}

#[test]
fn handles_are_never_used_twice() {
    let (mut fmu, _) = instance();
    let first = fmu.save_state(0).unwrap();
    assert_eq!(fmu.save_state(first), Ok(first));
    assert_eq!(fmu.free_state(first), Ok(Status::Ok));
    assert!(fmu.free_state(first).is_err());
    assert!(fmu.save_state(first).is_err());
    assert!(fmu.restore_state(first).is_err());
    assert_eq!(fmu.free_state(0), Ok(Status::Ok));
    assert_ne!(fmu.save_state(0).unwrap(), first);
}

#[test]
fn reset_is_as_freshly_instantiated() {
    let (mut fmu, _) = instance();
    set(&mut fmu, "mass", 5.0);
    set(&mut fmu, "torque", 5.0);
    set_integer(&mut fmu, "solver.fixit", 7);
    initialize(&mut fmu);
    step(&mut fmu, 0.0, 0.02);
    fmu.call(Fmi2::DoStep.rule(), |_, _| {
        Err(Refusal::error("on purpose"))
    });
    assert_eq!(fmu.mode(), Mode::Failed);
    assert_eq!(fmu.call(Fmi3::Reset.rule(), |i, _| i.reset()), Status::Ok);
    assert_eq!(fmu.mode(), Mode::Instantiated);
    assert_eq!(get(&mut fmu, "mass"), 2.0);
    assert_eq!(get(&mut fmu, "torque"), 0.0);
    assert_eq!(get(&mut fmu, "time"), 0.0);
    initialize(&mut fmu);
    assert_eq!(fmu.simulation.settings().fixit, 3);
    assert_eq!(step(&mut fmu, 0.0, 0.01), Status::Ok);
}

#[test]
fn equilibrium_and_ramp_are_set_before_initialization_ends() {
    let (mut fmu, lines) = instance();
    let equilibrium = reference(&fmu, "solver.equilibrium");
    let status = fmu.call(Fmi3::SetBoolean.rule(), |i, rule| {
        i.set_boolean(rule, &[equilibrium], |_| true)
    });
    assert_eq!(status, Status::Ok, "{}", last(&lines));
    set(&mut fmu, "torque", 4.0);
    initialize(&mut fmu);
    // m g l cos φ = torque, on the side that lasts
    let angle = -std::f64::consts::FRAC_PI_2 + fixstep_kernel::math::asin(4.0 / (2.0 * 9.81 * 0.5));
    assert!(
        (get(&mut fmu, "angle") - angle).abs() < 1e-12,
        "{}",
        last(&lines)
    );
    for k in 0..100 {
        step(&mut fmu, 0.01 * f64::from(k), 0.01);
    }
    assert!((get(&mut fmu, "angle") - angle).abs() < 1e-12);
    fmu.call(Fmi3::Reset.rule(), |i, _| i.reset());
    assert_eq!(set(&mut fmu, "solver.ramp", 2.0), Status::Ok);
    initialize(&mut fmu);
    assert_eq!(get(&mut fmu, "angle"), 0.0, "as the model has it");
    assert_eq!(get(&mut fmu, "energy.potential"), 0.0);
    step(&mut fmu, 0.0, 0.01);
    // a fall that begins like t³: g ρ with ρ = 10 (t/2)³
    assert!(
        get(&mut fmu, "speed").abs() < 1e-4,
        "gravity is not there at once"
    );
}

#[test]
fn states_of_differential_equations_can_be_read_and_travel() {
    let (mut fmu, lines) = instance();
    let enter = Fmi3::EnterInitializationMode.rule();
    fmu.call(enter, |i, _| i.enter_initialization());
    let name = "equations.lag.value";
    assert_eq!(get(&mut fmu, name), 0.5, "mass/4");
    assert_eq!(set(&mut fmu, "mass", 4.0), Status::Ok);
    assert_eq!(get(&mut fmu, name), 1.0, "follows in initialization mode");
    let exit = Fmi3::ExitInitializationMode.rule();
    let status = fmu.call(exit, |i, _| i.exit_initialization());
    assert_eq!(status, Status::Ok, "{}", last(&lines));
    assert_eq!(get(&mut fmu, name), 1.0);
    assert_eq!(step(&mut fmu, 0.0, 0.01), Status::Ok, "{}", last(&lines));
    let after = get(&mut fmu, name);
    // Backward Euler towards a speed that is nearly zero yet.
    assert!((after - 1.0 / 1.1).abs() < 0.02, "{after}");
    let state = fmu.save_state(0).unwrap();
    assert_eq!(step(&mut fmu, 0.01, 0.01), Status::Ok);
    let next = get(&mut fmu, name);
    assert!(fmu.restore_state(state).is_ok());
    assert_eq!(get(&mut fmu, name), after);
    assert_eq!(step(&mut fmu, 0.01, 0.01), Status::Ok);
    assert_eq!(get(&mut fmu, name), next);
    assert_eq!(fmu.call(Fmi3::Reset.rule(), |i, _| i.reset()), Status::Ok);
    initialize(&mut fmu);
    assert_eq!(get(&mut fmu, name), 0.5, "reset");
}

#[test]
fn debug_logging_is_switched_by_known_names() {
    let (mut fmu, lines) = instance();
    let rule = Fmi2::SetDebugLogging.rule();
    let status = fmu.call(rule, |i, _| {
        i.set_debug_logging(true, &["logRealTime".to_owned()])
    });
    assert_eq!(status, Status::Ok);
    let status = fmu.call(rule, |i, _| {
        i.set_debug_logging(true, &["nonsense".to_owned()])
    });
    assert_eq!(status, Status::Error);
    assert!(last(&lines).contains("log category \"nonsense\" is unknown"));
}
