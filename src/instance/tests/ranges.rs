//! Tests that settings have the same ranges and messages at run time as in a model.

use super::super::testing::{PENDULUM, memory};
use super::*;
use fixstep_model::Model;

/// The text of the pendulum with a setting.
fn text(setting: &str, value: &str) -> String {
    PENDULUM.replace(
        r#""fixit": 3"#,
        &format!(r#""linearly_implicit": false, "{setting}": {value}"#),
    )
}

/// The pendulum with a setting.
fn with(setting: &str, value: &str) -> Result<Model, String> {
    Model::from_json(&text(setting, value)).map_err(|errors| errors.to_string())
}

#[test]
fn a_setting_is_refused_in_the_words_that_a_model_is_told() {
    for (setting, value, words) in [
        ("alpha", "-0.3334", "must be from -1/3 to 0; found -0.3334"),
        ("alpha", "0.1", "must be from -1/3 to 0; found 0.1"),
        ("rho", "1.5", "must be from 0 to 1; found 1.5"),
        (
            "gamma",
            "0.4",
            "must be 0.5 or more, or Newmark's method is unstable; found 0.4",
        ),
        ("maxerr", "-2", "must be more than zero; found -2"),
        ("hinit", "-1", "must be more than zero; found -1"),
        ("hmax", "-1", "must be more than zero; found -1"),
        ("fixit", "11", "must be from 1 to 10; found 11"),
        ("fixit", "0", "must be from 1 to 10; found 0"),
        ("hratio", "0", "must be from 1 to 1000000; found 0"),
    ] {
        let told = with(setting, value).map(drop).unwrap_err();
        let (place, told) = told.split_once(": solver").unwrap();
        // The place is that of the value.
        let place = place.trim_start_matches("error: ").split_once(':').unwrap();
        let [line, column] = [place.0, place.1].map(|n| n.parse::<usize>().unwrap() - 1);
        let text = text(setting, value);
        let at = &text.lines().nth(line).unwrap()[column..];
        assert!(at.starts_with(value), "{at}");
        assert_eq!(told, format!(", field {setting}: {words}"));
        let (mut instance, lines) = instance();
        let name = format!("solver.{setting}");
        let status = match value.parse() {
            Ok(number) if ["fixit", "hratio"].contains(&setting) => {
                set_integer(&mut instance, &name, number)
            }
            _ => set(&mut instance, &name, value.parse().unwrap()),
        };
        assert_eq!(status, Status::Discard, "{name} = {value}");
        let told = last(&lines);
        assert!(told.ends_with(&format!("\"{name}\": {words}")), "{told}");
    }
}

#[test]
fn a_third_is_taken_however_it_is_rounded() {
    let single = f64::from(-1.0_f32 / 3.0);
    for (value, taken) in [
        (-1.0 / 3.0, -1.0 / 3.0),
        (single, -1.0 / 3.0),
        (-0.333_333, -0.333_333),
    ] {
        let (mut instance, _) = instance();
        assert_eq!(set(&mut instance, "solver.alpha", value), Status::Ok);
        assert_eq!(get(&mut instance, "solver.alpha"), taken);
        set_integer(
            &mut instance,
            "solver.integrator",
            integrator_item(IntegratorKind::Hht),
        );
        initialize(&mut instance);
        assert_eq!(instance.simulation.settings().alpha, taken);
        let model = with("alpha", &format!("{value:?}")).unwrap();
        assert_eq!(model.mechanism.solver.alpha, taken);
        // The description must show exactly the allowed values of the variable.
        assert!(model.packed().is_ok());
    }
}

/// HMIN of the model, and HINIT and HMAX of the model or as set, must be in order; a reset value is reported.
#[test]
fn steps_that_are_asked_for_must_be_in_order() {
    let made = |hmin: &str| {
        let packed = with("hmin", hmin).unwrap().packed().unwrap();
        let (sink, lines) = memory();
        let blueprint = Blueprint::read(&packed.bytes).unwrap();
        let instance = Instance::of(blueprint, "test", &packed.token, Log::new(sink, true));
        (instance.unwrap(), lines)
    };
    for (hmin, hinit, hmax, words) in [
        (
            "1e-6",
            0.02,
            0.01,
            "solver.hinit must be less than hmax = 0.01 s; found 0.02 s",
        ),
        (
            "1e-3",
            1e-4,
            0.01,
            "solver.hmin must be less than hinit = 0.0001 s; found 0.001 s",
        ),
    ] {
        let (mut instance, lines) = made(hmin);
        set(&mut instance, "solver.hinit", hinit);
        set(&mut instance, "solver.hmax", hmax);
        instance.enter_initialization().unwrap();
        let exit = Fmi3::ExitInitializationMode.rule();
        let status = instance.call(exit, |i, _| i.exit_initialization());
        assert_eq!(status, Status::Error);
        assert!(last(&lines).contains(words), "{}", last(&lines));
    }
    let (mut instance, lines) = made("1e-6");
    set(&mut instance, "solver.hinit", 0.02);
    initialize(&mut instance);
    let told = "solver.hinit = 0.02 s is above the integration step, and is reset to it: every step is \
                experiment.step/hratio = 0.01 s";
    let said = lines
        .borrow()
        .iter()
        .filter(|line| line.contains(told))
        .count();
    assert_eq!(said, 1, "{lines:?}");
}
