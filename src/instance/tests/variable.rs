//! Tests of the variable step: as a setting of the model and as a parameter, its messages, and saved states.

use super::super::testing::{PENDULUM, memory};
use super::*;
use fixstep_kernel::mechanism::Mode as StepMode;
use fixstep_kernel::simulation::VariableReport;
use fixstep_model::Model;

/// The items of `solver.Mode`.
const FIXED: i64 = 1;
const VARIABLE: i64 = 2;

/// A pendulum without an input, with these settings.
fn free(solver: &str) -> (Box<Instance>, Lines) {
    turned_by("-friction*WZ(pin, base)", solver)
}

/// The same with another torque in the pin.
fn turned_by(torque: &str, solver: &str) -> (Box<Instance>, Lines) {
    let text = PENDULUM
        .replace(
            r#""inputs": [{"name": "torque", "start": 0, "unit": "N.m", "min": -100, "max": 100}],"#,
            "",
        )
        .replace(
            "torque - friction*WZ(pin, base)",
            torque,
        )
        .replace(
            r#""solver": {"integrator": "GSTIFF", "formulation": "I3", "fixit": 3}"#,
            &format!(r#""solver": {{{solver}}}"#),
        );
    let (sink, lines) = memory();
    let packed = Model::from_json(&text).unwrap().packed().unwrap();
    let blueprint = Blueprint::read(&packed.bytes).unwrap();
    let made = Instance::of(blueprint, "variable", &packed.token, Log::new(sink, true));
    (made.unwrap(), lines)
}

fn report(instance: &Instance) -> Option<VariableReport> {
    instance.simulation.variable_report()
}

/// Angle and speed after each of some communication steps.
fn course(instance: &mut Instance, from: u32, to: u32) -> Vec<u64> {
    let mut bits = Vec::new();
    for k in from..to {
        assert_eq!(step(instance, f64::from(k) * 0.05, 0.05), Status::Ok);
        bits.extend(["angle", "speed"].map(|name| get(instance, name).to_bits()));
    }
    bits
}

fn said(lines: &Lines, words: &str) -> usize {
    let lines = lines.borrow();
    lines.iter().filter(|line| line.contains(words)).count()
}

const NOT_REAL_TIME: &str = "This run is not for real time";

#[test]
fn a_model_with_a_variable_step_has_one_in_its_fmu() {
    let solver = r#""mode": "variable", "integrator": "WSTIFF", "error": 1e-7"#;
    let (mut instance, lines) = free(solver);
    assert_eq!(said(&lines, NOT_REAL_TIME), 0);
    initialize(&mut instance);
    assert_eq!(said(&lines, NOT_REAL_TIME), 1);
    let _ = course(&mut instance, 0, 20);
    let found = report(&instance).unwrap();
    assert!(found.steps > 20, "{found:?}");
    // A quarter of the period of a large swing from the horizontal, against a thousand times smaller steps.
    let (mut fine, lines) = free(r#""integrator": "GENALPHA", "hratio": 1000"#);
    initialize(&mut fine);
    assert_eq!(said(&lines, NOT_REAL_TIME), 0);
    assert_eq!(report(&fine), None);
    let _ = course(&mut fine, 0, 20);
    for name in ["angle", "speed"] {
        let (a, b) = (get(&mut instance, name), get(&mut fine, name));
        assert!((a - b).abs() < 2e-5, "{name}: {a} {b}");
    }
}

#[test]
fn the_mode_is_a_parameter_until_the_run_begins() {
    let (mut plain, _) = free(r#""integrator": "GSTIFF""#);
    initialize(&mut plain);
    let fixed = course(&mut plain, 0, 5);
    let (mut instance, lines) = free(r#""integrator": "GSTIFF""#);
    set_integer(&mut instance, "solver.mode", VARIABLE);
    assert_eq!(set(&mut instance, "solver.error", 1e-6), Status::Ok);
    initialize(&mut instance);
    assert_eq!(said(&lines, NOT_REAL_TIME), 1);
    let variable = course(&mut instance, 0, 5);
    assert_ne!(fixed, variable);
    assert!(report(&instance).is_some_and(|report| report.steps > 5));
    // A communication step is one step, whatever its length, and its noise is no other.
    assert_eq!(step(&mut instance, 0.25, 1.0), Status::Ok);
    assert_eq!(instance.step_size(), 1.0);
    assert_eq!(step(&mut instance, 1.25, 1.0 + 1e-12), Status::Ok);
    assert_eq!(instance.step_size(), 1.0);
    let late = set_integer(&mut instance, "solver.mode", FIXED);
    assert_ne!(late, Status::Ok, "{}", last(&lines));
    // After a reset everything is as the model gives it.
    let rule = Fmi3::Reset.rule();
    assert_eq!(instance.call(rule, |i, _| i.reset()), Status::Ok);
    initialize(&mut instance);
    assert_eq!(course(&mut instance, 0, 5), fixed);
    assert_eq!(report(&instance), None);
}

#[test]
fn an_integrator_without_a_fixed_step_needs_the_mode() {
    let (mut instance, lines) = free(r#""integrator": "GSTIFF""#);
    // 6: HASTIFF, whose formulation follows.
    set_integer(&mut instance, "solver.integrator", 6);
    let enter = Fmi3::EnterInitializationMode.rule();
    instance.call(enter, |i, _| i.enter_initialization());
    let exit = Fmi3::ExitInitializationMode.rule();
    let status = instance.call(exit, |i, _| i.exit_initialization());
    assert_eq!(status, Status::Error);
    let words = "solver.integrator HASTIFF has a variable step only; set mode to variable";
    assert!(last(&lines).contains(words), "{}", last(&lines));
    let solver = &instance.settings.solver;
    assert_eq!(solver.formulation.name(), "SI1");
}

#[test]
fn settings_without_effect_are_told_once() {
    let solver = r#""mode": "variable", "integrator": "WSTIFF", "fixit": 3, "adaptivity": 0"#;
    let (mut instance, lines) = free(solver);
    initialize(&mut instance);
    for words in [
        "solver.fixit has no effect with a variable step",
        "solver.adaptivity has no effect with WSTIFF",
    ] {
        assert_eq!(said(&lines, words), 1, "{words}: {lines:?}");
    }
    let (mut instance, lines) = free(r#""integrator": "GSTIFF""#);
    // Importers set parameters to the values that they have: that says nothing.
    set_integer(&mut instance, "solver.kmax", 6);
    set_integer(&mut instance, "solver.maxit", 9);
    initialize(&mut instance);
    assert_eq!(said(&lines, "solver.kmax"), 0);
    assert_eq!(
        said(&lines, "solver.maxit has no effect with a fixed step"),
        1
    );
}

/// All settings of a variable step are part of a saved state, also as bytes.
#[test]
fn saved_states_hold_the_settings() {
    let (mut instance, _) = free(r#""integrator": "GSTIFF""#);
    set_integer(&mut instance, "solver.mode", VARIABLE);
    set_integer(&mut instance, "solver.integrator", 5);
    set_integer(&mut instance, "solver.kmax", 3);
    set_integer(&mut instance, "solver.maxit", 7);
    set_integer(&mut instance, "solver.interpolate", 3);
    set_integer(&mut instance, "solver.corrector", 2);
    for (name, value) in [
        ("solver.error", 1e-5),
        ("solver.hmin", 1e-9),
        ("solver.hinit", 1e-6),
        ("solver.hmax", 0.1),
        ("solver.adaptivity", 1e-7),
    ] {
        assert_eq!(set(&mut instance, name, value), Status::Ok);
    }
    initialize(&mut instance);
    let _ = course(&mut instance, 0, 3);
    let state = instance.save_state(0).unwrap();
    let bytes = instance.serialize(state).unwrap();
    assert_eq!(bytes.len(), instance.serialized_size(state).unwrap());
    let (mut other, _) = free(r#""integrator": "GSTIFF""#);
    let state = other.deserialize(&bytes, 0).unwrap();
    other.restore_state(state).unwrap();
    assert_eq!(other.settings, instance.settings);
    assert_eq!(other.settings.solver.mode, StepMode::Variable);
    assert_eq!(other.simulation.settings(), instance.simulation.settings());
    assert_eq!(other.state_bytes(), bytes);
}

/// A run that goes back to a saved state repeats itself bit for bit, and so does another instance that takes it over.
#[test]
fn restored_runs_repeat_themselves() {
    let solver = r#""mode": "variable", "integrator": "WSTIFF", "error": 1e-7"#;
    let (mut instance, _) = free(solver);
    initialize(&mut instance);
    let _ = course(&mut instance, 0, 7);
    let state = instance.save_state(0).unwrap();
    let bytes = instance.serialize(state).unwrap();
    let first = course(&mut instance, 7, 20);
    instance.restore_state(state).unwrap();
    assert_eq!(course(&mut instance, 7, 20), first);
    let (mut other, _) = free(solver);
    initialize(&mut other);
    let state = other.deserialize(&bytes, 0).unwrap();
    other.restore_state(state).unwrap();
    assert_eq!(course(&mut other, 7, 20), first);
}

#[test]
fn a_step_that_fails_names_what_has_the_largest_correction() {
    // One iteration cannot show that it converges.
    let solver = r#""mode": "variable", "integrator": "WSTIFF", "error": 1e-9, "maxit": 1, "hmin": 1e-4, "hinit": 1e-3"#;
    let (mut instance, lines) = free(solver);
    initialize(&mut instance);
    let _ = step(&mut instance, 0.0, 0.05);
    let said = last(&lines);
    assert!(
        said.contains(
            "Newton's iteration does not converge: its largest correction stays at differential equation \"lag\""
        ),
        "{said}"
    );
    // What is no number is told as that, as with a fixed step.
    for mode in ["fixed", "variable"] {
        let solver = format!(r#""mode": "{mode}", "integrator": "GSTIFF""#);
        let (mut instance, lines) = turned_by("SQRT(0.12 - TIME)", &solver);
        initialize(&mut instance);
        for k in 0..3 {
            let _ = step(&mut instance, f64::from(k) * 0.05, 0.05);
        }
        let said = last(&lines);
        assert!(
            said.contains("part \"") && said.contains("is no longer a finite number"),
            "{mode}: {said}"
        );
    }
}

#[test]
fn a_guard_that_is_given_has_no_effect_with_a_variable_step() {
    let (mut instance, lines) =
        free(r#""mode": "variable", "integrator": "WSTIFF", "guard": "off""#);
    initialize(&mut instance);
    assert_eq!(
        said(&lines, "solver.guard has no effect with a variable step"),
        1
    );
}
