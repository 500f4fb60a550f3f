//! Tests that references can be trusted: functions of time that are brief, outputs without a motion of their own, and runs
//! without a fixed step; and what is said of options that do not fit.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use fixstep_model::Model;
use fixstep_model::resources::none;
use fmu_build::advise::Deaf;
use fmu_build::advise::compare::{Comparison, compare};
use fmu_build::advise::reference::Reference;
use fmu_build::advise::subject::Subject;
use fmu_build::run::Plan;
use fmu_build::trial::{TrialSettings, blueprint, trial};
use serde_json::{Value, json};

use crate::setup::{ends_with, example, fixstep, path, succeeds};

/// A mass of 2 kg under a force that depends on time, in steps of 0.1 s.
fn mass(force: &str, velocity: f64) -> Value {
    json!({
        "fixstep": 1, "name": "mass", "gravity": [0, 0, 0],
        "point_masses": [{"name": "p", "mass": 2, "velocity": [velocity, 0, 0]}],
        "markers": [{"name": "a", "part": "p"}],
        "forces": [{"name": "kick", "type": "vector_force", "i": "a", "j": "ground", "fx": force}],
        "outputs": [{"name": "x", "expression": "DX(a)"}, {"name": "v", "expression": "VX(a)"}],
        "experiment": {"stop": 10, "step": 0.1}
    })
}

/// A pendulum of a metre, released at an angle (deg) to the downward vertical.
fn pendulum(angle: f64, outputs: &Value) -> Value {
    json!({
        "fixstep": 1, "name": "pendulum", "gravity": [0, -9.81, 0], "units": {"angle": "deg"},
        "parts": [{"name": "rod", "mass": 1, "center_of_mass": [0, -1, 0],
                   "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}],
        "markers": [{"name": "a", "part": "rod"}, {"name": "g", "part": "ground"}],
        "joints": [{"name": "hinge", "type": "revolute", "i": "a", "j": "g",
                    "initial": {"angle": angle, "angular_velocity": 0}}],
        "outputs": outputs,
        "experiment": {"stop": 4, "step": 0.01}
    })
}

fn reference(model: &Value) -> Reference {
    let model = Model::read(&model.to_string(), &none).unwrap();
    let subject = Subject::new(&blueprint(&model), &Plan::default()).unwrap();
    Reference::find(&subject, None, &mut Deaf).unwrap()
}

fn compared(model: &Value) -> Comparison {
    let model = Model::read(&model.to_string(), &none).unwrap();
    compare(&blueprint(&model), &Plan::default(), None, &mut Deaf).unwrap()
}

fn written(folder: &Path, model: &Value) -> PathBuf {
    let file = folder.join("model.json");
    std::fs::write(&file, model.to_string()).unwrap();
    file
}

/// The impulse of F exp(−((t − c)/w)²) is F w √π, however far apart the steps are. The third pulse has a factor that is zero
/// at the start, x = t.
#[test]
fn a_reference_sees_brief_pulses() {
    let speed = 1000.0 * 1e-3 * PI.sqrt() / 2.0;
    for (force, before, after) in [
        ("1000*EXP(-((TIME - 5)/0.001)**2)", 0.0, speed),
        ("1000*EXP(-((2*TIME-7.2302)/0.002)**2)", 0.0, speed),
        (
            "DX(a)*1000*EXP(-((TIME - 5)/0.001)**2)",
            1.0,
            1.0 + 5.0 * speed,
        ),
        (
            "1000/(1+((TIME - 5)/0.001)**2)",
            0.0,
            1000.0 * 1e-3 * PI / 2.0,
        ),
    ] {
        let found = reference(&mass(force, before));
        let last = *found.columns[1].last().unwrap();
        assert!((last / after - 1.0).abs() < 5e-3, "{force}: {last} {after}");
        assert_eq!(found.doubt, "", "{force}");
        assert!(found.words().contains("it is good to"), "{}", found.words());
    }
}

/// A torque of half a millisecond throws a pendulum off: the fixed step of 10 ms misses it.
#[test]
fn the_error_of_a_step_that_misses_a_pulse_is_told() {
    let outputs =
        json!([{"name": "phi", "expression": "AZ(a,g)"}, {"name": "w", "expression": "WZ(a,g)"}]);
    let mut model = pendulum(60.0, &outputs);
    model["forces"] = json!([{"name": "t", "type": "torque", "i": "a", "j": "g",
                              "expression": "2000*EXP(-((TIME-2.0123)/0.0005)**2)"}]);
    let comparison = compared(&model);
    assert!(comparison.outputs[0].error.max > 0.3, "{comparison}");
    assert!(comparison.reference_error < 1e-3, "{comparison}");
}

#[test]
fn a_reference_that_cannot_see_a_pulse_says_so() {
    let found = reference(&mass("1e9*EXP(-((TIME - 5)/1e-9)**2)", 0.0));
    let said = found.words();
    for part in ["it cannot be trusted", "force \"kick\"", "at 5 s"] {
        assert!(said.contains(part), "{said}");
    }
}

/// E is constant but for errors, and does not spoil what is known of the angle. It has the scale of its size, or of the energy
/// that the run moves.
#[test]
fn an_energy_that_stays_does_not_spoil_the_others() {
    for angle in [60.0, 90.0] {
        let outputs = json!([{"name": "phi", "expression": "AZ(a,g)", "unit": "rad"},
                             {"name": "E", "expression": "KE(rod)+PE(rod)", "unit": "J"}]);
        let model = pendulum(angle, &outputs);
        let comparison = compared(&model);
        assert!(comparison.reference_error < 1e-3, "{comparison}");
        assert!(comparison.outputs[1].error.max_share < 0.2, "{comparison}");
        let model = Model::read(&model.to_string(), &none).unwrap();
        let settings = TrialSettings {
            plan: &Plan::default(),
            span: None,
            budget: None,
        };
        let tried = trial(&blueprint(&model), &settings).unwrap();
        let share = tried.outputs[1].shares.map_or(0.0, |shares| shares[0]);
        assert!(share < 0.2, "{angle}: {share}");
    }
}

#[test]
fn runs_without_a_fixed_step_are_named_for_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = json!([{"name": "phi", "expression": "AZ(a,g)"}]);
    let mut model = pendulum(60.0, &outputs);
    for (mode, words) in [
        ("variable", "solver.mode is variable"),
        ("static", "solver.mode is static"),
    ] {
        model["solver"] = json!({"mode": mode});
        let file = written(folder.path(), &model);
        let said = ends_with(1, &["advise", path(&file)]);
        assert!(
            said.contains("fixed step") && said.contains(words),
            "{said}"
        );
    }
    model["solver"] = json!({"mode": "variable", "error": 1e-4});
    let file = written(folder.path(), &model);
    let said = succeeds(&["run", path(&file), "--compare"]);
    assert!(
        said.contains("errors of the variable step to an error of 1e-4"),
        "{said}"
    );
    assert!(!said.contains("fixed step of"), "{said}");
}

#[test]
fn options_that_do_not_fit_are_told_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &mass("0*TIME", 1.0));
    let told = |options: &[&str], words: &str| {
        let said = ends_with(2, &[&["run", path(&file)], options].concat());
        assert!(
            said.contains(words) && !said.contains("is not a valid model"),
            "{said}"
        );
    };
    told(
        &["--hmin", "1", "--hmax", "0.1"],
        "--hmin: must be less than hmax = 0.1 s",
    );
    told(&["--formulation", "SI2"], "--formulation: SI2 is for");
    told(&["--interpolate", "yes", "--error", "1e-6"], "interpolate");
    told(&["--error", "-1"], "-1");
    told(&["--error", "1e-16"], "1e-14 or more");
    told(&["--solver", "fixit=77"], "--solver fixit: ");
    told(&["--solver", "fixt=7"], "did you mean \"fixit\"?");
    told(&["--solver", "fixit"], "such as fixit=4");
    told(
        &["--error", "1e-6", "--solver", "error=1e-6"],
        "--solver error: this setting is given twice",
    );
    // What is wrong in the model is told as before.
    let mut wrong = mass("0*TIME", 1.0);
    wrong["solver"] = json!({"fixit": 77});
    let file = written(folder.path(), &wrong);
    let said = ends_with(1, &["run", path(&file), "--error", "1e-6"]);
    assert!(
        said.contains("is not a valid model") && said.contains("fixit"),
        "{said}"
    );
}

#[test]
fn a_variable_step_tells_what_its_error_does_not_follow() {
    let model = example("pendulum");
    let said = |words: &[&str]| {
        let run = ["run", path(&model), "--no-trial", "--stop", "2"];
        ends_with(0, &[&run, words].concat())
    };
    let newmark = ["--error", "1e-6", "--integrator", "NEWMARK"];
    let (told, undamped) = (
        "NEWMARK with gamma 0.7 is of first order",
        ["--solver", "gamma=0.5", "--solver", "beta=0.25"],
    );
    assert!(said(&newmark).contains(told));
    assert!(!said(&[&newmark[..], &undamped].concat()).contains("first order"));
    assert!(!said(&["--error", "1e-6"]).contains("first order"));
    let told = "solver.maxit 1 ends it early";
    let early = said(&["--error", "1e-4", "--maxit", "1"]);
    assert!(
        early.contains(told) && !early.contains("a tenth of"),
        "{early}"
    );
    assert!(!said(&["--error", "1e-4"]).contains("Newton's iteration has failed"));
}

#[test]
fn any_setting_can_be_replaced_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = json!([{"name": "phi", "expression": "AZ(a,g)"}]);
    let mut model = pendulum(60.0, &outputs);
    let run = |model: &Value, name: &str, words: &[&str]| {
        let table = folder.path().join(name);
        let file = written(folder.path(), model);
        succeeds(
            &[
                &["run", path(&file), "--no-trial", "-o", path(&table)],
                words,
            ]
            .concat(),
        );
        std::fs::read(&table).unwrap()
    };
    let plain = run(&model, "plain.csv", &[]);
    let asked = [
        "--solver",
        "hratio=3",
        "--solver",
        "alpha=-0.1",
        "--solver",
        "input_course=linear",
    ];
    let by_option = run(&model, "option.csv", &asked);
    let variable = run(&model, "variable.csv", &["--solver", "error=1e-6"]);
    let both = ["--error", "1e-6", "--solver", "mode=variable"];
    assert_eq!(run(&model, "both.csv", &both), variable);
    model["solver"] = json!({"hratio": 3, "alpha": -0.1, "input_course": "linear"});
    assert_eq!(by_option, run(&model, "file.csv", &[]));
    assert_ne!(by_option, plain);
    model["solver"] = json!({"mode": "variable", "error": 1e-6});
    assert_eq!(variable, run(&model, "error.csv", &[]));
}

#[test]
fn times_that_do_not_fit_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &mass("0*TIME", 1.0));
    let said = ends_with(1, &["run", path(&file), "--start-time", "10"]);
    assert!(
        said.contains("--start-time") && said.contains("the stop time 10 s"),
        "{said}"
    );
    succeeds(&[
        "run",
        path(&file),
        "--start-time",
        "10",
        "--stop",
        "11",
        "--no-trial",
    ]);
    let output = fixstep(&["check", path(&file), "--trial=1e9"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("is longer than the experiment; the trial covers 10 s"),
        "{said}"
    );
    let output = fixstep(&["check", path(&file), "--trial=5"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("is longer"));
}

/// Ends of ramps in time are known, and so are jumps by a velocity that is not zero.
#[test]
fn pulses_of_ramps_and_jumps_at_a_speed_have_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let warned = |force: &str, solver: Value| {
        let mut model = mass(force, 1.0);
        model["solver"] = solver;
        fixstep(&["check", path(&written(folder.path(), &model))])
    };
    let said = |force: &str, solver: Value| {
        String::from_utf8_lossy(&warned(force, solver).stdout).into_owned()
    };
    let pulse = "1000*(STEP(TIME,5.01,0,5.011,1)-STEP(TIME,5.012,0,5.013,1))";
    assert!(said(pulse, json!({})).contains("[between-steps]"));
    assert!(!said("1000*STEP(TIME,5.01,0,5.011,1)", json!({})).contains("[between-steps]"));
    assert!(said("-4*SIGN(1,VX(a)-0.1)", json!({})).contains("[kink-in-force]"));
    assert!(!said("-4*SIGN(1,VX(a))", json!({})).contains("[kink-in-force]"));
    // The distance of output times is no step.
    for (mode, warns) in [("fixed", true), ("variable", false), ("static", false)] {
        let mut model = mass("0", 0.0);
        model["solver"] = json!({"mode": mode});
        model["experiment"]["step"] = 1.into();
        let output = fixstep(&["check", path(&written(folder.path(), &model))]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            said.contains("where milliseconds are meant"),
            warns,
            "{mode}: {said}"
        );
    }
    // A variable step ends at branches.
    let branch = "IF(TIME-5: 0, 0, 1)";
    assert!(said(branch, json!({})).contains("[if-in-force]"));
    assert!(!said(branch, json!({"mode": "variable"})).contains("[if-in-force]"));
}

/// A ball on a plane, lifted by more than its weight: the joint holds it down with the difference.
#[test]
fn a_rolling_joint_that_pulls_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let said = |lift: f64| {
        let model = json!({
            "fixstep": 1, "name": "ball", "gravity": [0, 0, -9.81],
            "parts": [{"name": "b", "mass": 2, "inertia": {"xx": 0.05, "yy": 0.05, "zz": 0.05},
                       "position": [0, 0, 0.3]}],
            "markers": [{"name": "h", "part": "b"}],
            "joints": [{"name": "c", "type": "rolling_ball", "i": "h", "j": "ground", "radius": 0.3}],
            "forces": [{"name": "up", "type": "vector_force", "i": "h", "j": "ground",
                        "fz": format!("{lift}*STEP(TIME,0.2,0,0.3,1)")}],
            "outputs": [{"name": "z", "expression": "DZ(h)"}],
            "experiment": {"stop": 0.5, "step": 0.002}
        });
        let output = fixstep(&["run", path(&written(folder.path(), &model))]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let pulls = said(30.0);
    // 30 N less 2 kg of 9.81 m/s².
    assert!(
        pulls.contains("joint \"c\" pulls with up to 10 N, first at 0.2"),
        "{pulls}"
    );
    assert!(!said(19.0).contains("pulls"));
}
