//! Tests of trials: their estimates against converged runs of the examples, and their text.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use fixstep_model::Model;
use fmu_build::csv::Table;
use fmu_build::run::Plan;
use fmu_build::trial::runs::{self, PossibleCause, TrialRuns};
use fmu_build::trial::{self, Estimate, Trial, TrialSettings};

use crate::setup::{ends_with, example, fixstep, pack, path, succeeds};

/// Divisions of the step: the last is the converged run, and the one before shows its error.
const CONVERGED: [u32; 4] = [1, 2, 8, 16];

/// Simulated time (s) of the trials of examples: until their order shows, before an event disturbs it.
const SPANS: [(&str, f64); 27] = [
    ("andrews_squeezer", 0.006),
    ("bicycle", 1.0),
    ("bouncer", 0.4),
    ("bricard", 0.5),
    ("cam_follower", 0.3),
    ("chain", 0.1),
    ("controlled_pendulum", 1.5),
    ("double_wishbone", 0.5),
    ("flexible_beam_twins", 0.1),
    ("flexible_slider_crank", 0.3),
    ("flyball_governor", 0.5),
    ("four_bar", 1.0),
    ("heavy_top", 1.0),
    ("overhead_crane", 2.0),
    ("passive_vehicle", 0.05),
    ("pendulum", 1.5),
    ("press", 0.2),
    ("quarter_car", 1.0),
    ("robot_arm", 0.3),
    ("robot_arm_flexible_link", 0.06),
    ("rocker", 0.5),
    ("servo_axis", 0.25),
    ("spatial_slider_crank", 1.0),
    ("stewart_platform", 0.4),
    ("vehicle", 0.06),
    ("washing_machine", 0.5),
    ("wheel_over_kerb", 1.0),
];

/// All examples.
fn examples() -> Vec<String> {
    let folder = example("").with_file_name("");
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| example(name).exists()).collect();
    names.sort();
    names
}

/// An example with its inputs.
fn plan(name: &str) -> (Model, Plan) {
    let model = Model::from_file(&example(name)).unwrap();
    let input = example(name).with_file_name("input.csv");
    let table = |path: &Path| Table::parse(&fs::read_to_string(path).unwrap()).unwrap();
    let plan = Plan {
        input: input.exists().then(|| table(&input)),
        ..Plan::default()
    };
    (model, plan)
}

/// A trial without a time limit.
fn tried(model: &Model, plan: &Plan, span: Option<f64>) -> Trial {
    let order = TrialSettings {
        plan,
        span,
        budget: None,
    };
    trial::trial(&trial::blueprint(model), &order).unwrap()
}

/// The largest difference of output k between two runs.
fn apart(courses: &TrialRuns, k: usize, a: usize, b: usize) -> f64 {
    let (a, b) = (&courses.columns[a][k], &courses.columns[b][k]);
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Predicted errors of output k over those against the converged run, at the step and at half of it; 1 where that run does
/// not know it well enough.
fn ratios(estimate: &Estimate, courses: &TrialRuns, k: usize) -> Option<[f64; 2]> {
    let unsure = apart(courses, k, 2, 3);
    let errors = estimate.errors?;
    Some([0, 1].map(|division| {
        let truth = apart(courses, k, division, 3);
        if unsure < 0.3 * truth {
            errors[division] / truth
        } else {
            1.0
        }
    }))
}

#[test]
fn predicted_errors_are_those_of_a_converged_run_within_a_factor_of_two() {
    let (mut faults, mut all, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for name in examples() {
        let (model, plan) = plan(&name);
        let span = SPANS.iter().find(|(of, _)| *of == name);
        let trial = tried(&model, &plan, span.map(|(_, span)| *span));
        let order = TrialSettings {
            plan: &plan,
            span: Some(trial.stop - trial.start),
            budget: None,
        };
        let fine = runs::run(&trial::blueprint(&model), &order, &CONVERGED).unwrap();
        let before = all.len();
        for (k, output) in trial.outputs.iter().enumerate() {
            let Some(ratios) = ratios(output, &fine, k) else {
                continue;
            };
            if !ratios.iter().all(|ratio| (0.5..2.0).contains(ratio)) {
                faults.push(format!("{name}: {} {ratios:?}", output.name));
            }
            all.push(ratios);
        }
        if all.len() == before {
            without.push(name);
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(without, ["double_wishbone"], "a motion drives all of it");
    for division in [0, 1] {
        let mut one: Vec<f64> = all.iter().map(|ratios| ratios[division]).collect();
        one.sort_by(f64::total_cmp);
        // What the converged run does not know is a small part.
        let known = one.iter().filter(|ratio| (**ratio - 1.0).abs() > 0.0);
        assert!(known.count() > 200);
        let near = |ratio: &&f64| (0.8..1.25).contains(*ratio);
        assert!(one.iter().filter(near).count() * 10 > one.len() * 8);
    }
}

#[test]
fn an_impact_leaves_no_estimate_and_is_named() {
    let (model, plan) = plan("bouncer");
    let trial = tried(&model, &plan, Some(1.2));
    assert!(trial.verdict.starts_with("no estimate: "), "{trial}");
    assert!(
        trial
            .verdict
            .contains("force \"contact\" touches and lets go by IMPACT"),
        "{trial}"
    );
    assert!(trial.outputs.iter().all(|output| output.errors.is_none()));
    // Until it falls on the anvil, there is an order.
    let trial = tried(&model, &plan, Some(0.4));
    assert!(trial.verdict.starts_with("good to 0.0"), "{trial}");
}

#[test]
fn a_soft_contact_that_is_resolved_has_an_order() {
    let (model, plan) = plan("wheel_over_kerb");
    let trial = tried(&model, &plan, Some(1.5));
    let met = |suspect: &PossibleCause| suspect.owner == "contact \"kerb\"" && suspect.times > 0;
    assert!(trial.suspects.iter().any(met), "{trial}");
    assert!(trial.verdict.starts_with("good to 0."), "{trial}");
    // Ten times as hard and at five times the step it has none.
    let text = fs::read_to_string(example("wheel_over_kerb")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["experiment"]["step"] = 0.005.into();
    json["parameters"][0]["start"] = 1e8.into();
    let model = Model::from_json(&json.to_string()).unwrap();
    let trial = tried(&model, &plan, Some(1.5));
    assert!(trial.verdict.starts_with("no estimate: contact"), "{trial}");
    assert!(
        trial
            .verdict
            .contains("contact \"kerb\" touches and lets go"),
        "{trial}"
    );
}

/// A spring pulls a block along a rail: it sticks until the spring is long enough, and then jumps.
const STICK_SLIP: &str = r#"{
    "fixstep": 1, "name": "stick_slip", "gravity": [0, 0, -9.81],
    "parts": [{"name": "block", "mass": 1, "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}],
    "markers": [
        {"name": "slide", "part": "block", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}},
        {"name": "rail", "part": "ground", "orientation": {"z_point": [1, 0, 0], "x_point": [0, 1, 0]}}],
    "joints": [{"name": "guide", "type": "translational", "i": "slide", "j": "rail"}],
    "forces": [
        {"name": "brake", "type": "joint_friction", "joint": "guide", "mu_static": 0.6, "mu_dynamic": 0.3,
         "bending_arm": 0.1, "reaction_arm": 0.1, "law": {"type": "coulomb", "stiction_velocity": 0.0002}},
        {"name": "pull", "type": "action_only_force", "i": "slide", "j": "rail",
         "expression": "400*(0.1*TIME - DZ(slide, rail, rail))"}],
    "outputs": [
        {"name": "way", "expression": "DZ(slide, rail, rail)"},
        {"name": "speed", "expression": "VZ(slide, rail, rail)"}],
    "experiment": {"stop": 10, "step": 0.002}}"#;

#[test]
fn a_joint_that_sticks_and_slips_is_named() {
    let model = Model::from_json(STICK_SLIP).unwrap();
    let trial = tried(&model, &Plan::default(), None);
    assert!(
        trial
            .verdict
            .starts_with("no estimate: joint friction \"brake\" sticks and slips"),
        "{trial}"
    );
    assert_eq!((trial.start, trial.stop), (0.0, 10.0));
    // 1 kg on 400 N/m.
    let [pull] = &trial.stiffest[..] else {
        unreachable!("{trial}");
    };
    assert_eq!(pull.name, "force \"pull\"");
    assert!((pull.steps / (PI / 0.02) - 1.0).abs() < 1e-6, "{trial}");
}

#[test]
fn where_nothing_moves_it_says_so() {
    let (model, plan) = plan("quarter_car");
    let trial = tried(&model, &plan, Some(0.2));
    assert_eq!(
        trial.verdict,
        "no estimate: no output moves from 0 s to 0.2 s"
    );
    assert!(trial.to_string().contains("energy: none moved"), "{trial}");
}

#[test]
fn a_run_that_fails_has_no_estimate() {
    let text = STICK_SLIP.replace(
        "\"experiment\"",
        "\"solver\": {\"maxerr\": 1e-7}, \"experiment\"",
    );
    let trial = tried(&Model::from_json(&text).unwrap(), &Plan::default(), None);
    assert!(trial.verdict.starts_with("no estimate: the run"), "{trial}");
    assert!(trial.verdict.contains("local error"), "{trial}");
}

#[test]
fn the_clock_changes_how_far_it_goes_and_nothing_else() {
    let (model, plan) = plan("pendulum");
    let budget = Some(std::time::Duration::from_millis(40));
    let order = |budget| TrialSettings {
        plan: &plan,
        span: None,
        budget,
    };
    let print = trial::blueprint(&model);
    let cut = trial::trial(&print, &order(budget)).unwrap();
    assert!(cut.stop <= 1.0);
    if cut.rows > 0 {
        let whole = trial::trial(
            &print,
            &TrialSettings {
                span: Some(cut.stop),
                ..order(None)
            },
        )
        .unwrap();
        assert_eq!((whole.outputs, whole.verdict), (cut.outputs, cut.verdict));
    }
}

#[test]
fn check_tries_a_model_in_words_and_as_json() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("pendulum");
    let said = succeeds(&["check", path(&model), "--trial=0.5"]);
    let trial = said.split_once("no problems\n").unwrap().1;
    assert_eq!(trial, PENDULUM);
    // An FMU of ours holds the same mechanism.
    let fmu = pack(folder.path(), "pendulum", "3");
    let said = succeeds(&["check", path(&fmu), "--trial=0.5"]);
    assert_eq!(said.split_once("no problems\n").unwrap().1, PENDULUM);
    let said = succeeds(&[
        "check",
        path(&model),
        "--trial=0.5",
        "--json",
        "--set",
        "solver.integrator=GSTIFF",
    ]);
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(json["trial"]["scheme_order"], 1.0);
    let order = json["trial"]["outputs"][0]["order"].as_f64().unwrap();
    assert!((order - 1.0).abs() < 0.05, "{order}");
    assert_eq!(json["ok"], true);
    let plain = succeeds(&["check", path(&model), "--json"]);
    assert!(!plain.contains("trial"), "{plain}");
}

const PENDULUM: &str = r#"trial at 1 ms, 0.5 ms and 0.25 ms from 0 s to 0.5 s
good to 0.0013 % of range in all 5 outputs that move at 1 ms; 0.5 ms would give 0.00032 % (the worst output is "tip_x" at 0.5 s; order 2, where HHT has 2)
  output         at 1 ms    of range   at 0.5 ms  order  unit
  angle           1.4e-5   0.00085 %   0.00021 %      2  rad
  rate            5.6e-5     0.001 %   0.00026 %      2  rad/s
  tip_x           1.4e-5    0.0013 %   0.00032 %      2  m
  tip_z           3.5e-6   0.00035 %    8.8e-5 %      2  m
  pin_force      0.00012   0.00053 %   0.00013 %      2  N
energy: 9.81 J moved, 6.9e-5 J (0.00071 %) lost to the scheme; joints hold to 3.1e-16 m (joint "pin"); Newton's corrections shrink to 1/2.3e8 with each iteration, to 1/1.3e7 at worst
"#;

#[test]
fn what_cannot_be_tried_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let system = folder.path().join("system.ssp");
    let description = example("servo_axis").with_file_name("system.json");
    succeeds(&["ssp", path(&description), "-o", path(&system)]);
    let said = ends_with(1, &["check", path(&system), "--trial"]);
    assert!(
        said.contains("--trial looks into the mechanism; valid: a model"),
        "{said}"
    );
    let model = example("pendulum");
    let said = ends_with(2, &["check", path(&model), "--input", "x.csv"]);
    assert!(said.contains("--trial"), "{said}");
    let said = ends_with(
        1,
        &["check", path(&model), "--trial", "--set", "solver.fixit=99"],
    );
    assert!(said.contains("solver.fixit"), "{said}");
}

#[test]
fn a_run_says_unasked_what_it_is_worth_and_computes_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let model = example("four_bar");
    let fmu = pack(folder.path(), "four_bar", "2");
    for file in [&model, &fmu] {
        let csv = |name: &str| folder.path().join(name);
        let (with, without) = (csv("with.csv"), csv("without.csv"));
        let output = fixstep(&["run", path(file), "-o", path(&with)]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success());
        assert!(
            said.starts_with("energy") && said.contains(" J moved"),
            "{said}"
        );
        assert!(
            said.contains("; joints hold to ") && said.contains("(joint \""),
            "{said}"
        );
        assert!(said.contains("Newton's corrections shrink to 1/"), "{said}");
        assert_eq!(said.lines().count(), 2, "{said}");
        let accuracy = said.lines().last().unwrap();
        assert!(accuracy.starts_with("accuracy over all 3 s: "), "{said}");
        assert!(accuracy.contains("good to "), "{said}");
        let quiet = fixstep(&["run", path(file), "-o", path(&without), "--no-trial"]);
        assert!(quiet.stderr.is_empty());
        assert_eq!(
            text_of(&output.stdout, "with"),
            text_of(&quiet.stdout, "without")
        );
        assert!(fs::read(&with).unwrap() == fs::read(&without).unwrap());
    }
    let said = succeeds(&["run", path(&model), "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert!(json["account"]["moved"].as_f64().unwrap() > 1.0, "{json}");
    assert!(json["trial"]["verdict"].is_string(), "{json}");
}

/// Standard output without the name of a table.
fn text_of(bytes: &[u8], name: &str) -> String {
    String::from_utf8(bytes.to_vec()).unwrap().replace(name, "")
}

#[test]
fn the_accuracy_of_a_run_is_that_of_all_of_it() {
    // A torque against the links: within a tenth of the run nothing of it is seen.
    let model = example("four_bar");
    let words = ["run", path(&model), "--set", "drive_torque=-5", "--stop"];
    let said = |stop| {
        let output = fixstep(&[&words[..], &[stop]].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let early = said("0.3");
    assert!(
        early.contains("accuracy over all 0.3 s: good to "),
        "{early}"
    );
    assert!(!early.contains("warning"), "{early}");
    let whole = said("3");
    assert!(
        whole.contains("accuracy over all 3 s: no estimate: the runs at 0.5 ms and 0.25 ms do not"),
        "{whole}"
    );
    assert!(
        whole.contains("0.5 ms in place of 1 ms changes \""),
        "{whole}"
    );
    // And what the scheme loses is told with its remedy.
    let warning = whole.lines().find(|line| line.starts_with("warning: "));
    assert!(
        warning.is_some_and(|line| line
            .contains(" of the energy that the run moved, is lost to the scheme")
            && line.ends_with("solver.alpha nearer to 0, but not above -0.05")),
        "{whole}"
    );
    // The same words every time, whatever else the computer does.
    assert_eq!(said("3"), whole);
}

#[test]
fn how_far_a_trial_goes_follows_from_the_model_and_is_told() {
    // A car of 42 parts is work for more than what a trial may take.
    let (model, _) = plan("vehicle");
    let short = Plan {
        stop: Some(1.5),
        ..Plan::default()
    };
    let trial = tried(&model, &short, None);
    let part = trial.stop / 1.5;
    assert!((0.05..1.0).contains(&part), "{trial}");
    let twentieths = 20.0 * part;
    assert!((twentieths - twentieths.round()).abs() < 1e-9, "{part}");
    let said = trial.remarks(true).join("\n");
    let span = format!("accuracy over the first {} s of 1.5 s: ", trial.stop);
    assert!(said.starts_with(&span), "{said}");
}

#[test]
fn what_rests_has_no_accuracy() {
    let (model, mut plan) = plan("washing_machine");
    plan.settings = vec![("spin".to_owned(), "0".to_owned())];
    let verdict = tried(&model, &plan, Some(2.0)).verdict;
    assert_eq!(verdict, "no estimate: no output moves from 0 s to 2 s");
    // A crane that is where it shall go: all that changes is a sensor's instant, at the start.
    let model = Model::from_file(&example("overhead_crane")).unwrap();
    let aimed = |target: &str| Plan {
        settings: vec![("target".to_owned(), target.to_owned())],
        ..Plan::default()
    };
    let trial = tried(&model, &aimed("0"), None);
    assert!(trial.verdict.starts_with("good to 0.0"), "{trial}");
    let said = tried(&model, &aimed("0.001"), None).to_string();
    assert!(said.contains("too little to judge the scheme by"), "{said}");
}

#[test]
fn no_example_is_warned_of_energy_that_its_scheme_loses() {
    // The whole run of these is long.
    let long = ["robot_arm", "robot_arm_flexible_link", "vehicle"];
    for name in examples() {
        let (model, plan) = plan(&name);
        let span = [f64::MAX, 2.0][usize::from(long.contains(&&*name))];
        let order = TrialSettings {
            plan: &plan,
            span: Some(span),
            budget: None,
        };
        let courses = runs::run(&trial::blueprint(&model), &order, &[1]).unwrap();
        assert_eq!(courses.account.warning, None, "{name}");
    }
}

/// A motion turns a pendulum by 360 radians a second, as if it were in degrees.
const SPUN: &str = r#"{
    "fixstep": 1, "name": "spun", "gravity": [0, 0, -9.81],
    "parts": [{"name": "arm", "mass": 1, "center_of_mass": [0.2, 0, 0], "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}},
              {"name": "tip", "mass": 1, "position": [0.4, 0, 0], "inertia": {"xx": 0.01, "yy": 0.01, "zz": 0.01}}],
    "markers": [
        {"name": "pin", "part": "arm"}, {"name": "wall", "part": "ground"},
        {"name": "end", "part": "arm", "position": [0.4, 0, 0]}, {"name": "hook", "part": "tip"}],
    "joints": [{"name": "hinge", "type": "revolute", "i": "pin", "j": "wall"},
               {"name": "knee", "type": "revolute", "i": "hook", "j": "end"}],
    "motions": [{"name": "drive", "joint": "hinge", "displacement": "360*TIME"}],
    "outputs": [{"name": "angle", "expression": "AZ(pin, wall)"}],
    "experiment": {"stop": 1, "step": 0.01}}"#;

#[test]
fn a_check_ends_as_the_run_that_it_tries_and_names_warnings_that_explain_it() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("spun.json");
    fs::write(&model, SPUN).unwrap();
    // Without a trial they are warnings.
    let found = succeeds(&["check", path(&model)]);
    assert!(found.contains("[degrees-as-radians]"), "{found}");
    let run = ends_with(1, &["run", path(&model)]);
    let said = ends_with(1, &["check", path(&model), "--trial"]);
    for said in [&run, &said] {
        let stop = said.lines().last().unwrap();
        assert!(stop.starts_with("error: the run ended at "), "{said}");
        assert!(stop.contains("; see the warning"), "{said}");
        assert!(
            stop.contains("degrees-as-radians of motion \"drive\""),
            "{said}"
        );
    }
    let end = |said: &str| said.lines().last().unwrap().to_owned();
    assert_eq!(end(&run), end(&said));
    let output = fixstep(&["check", path(&model), "--trial", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["ok"], false);
    assert!(json["trial"]["stopped"]["reason"].is_string(), "{json}");
}
