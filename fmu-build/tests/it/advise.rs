//! Tests of `fixstep advise`: recommendations against runs of their own, and what the program writes.

use std::fs;
use std::path::Path;

use fixstep_model::Model;
use fmu_build::advise::errors::{Norm, OutputError};
use fmu_build::advise::kept::Kept;
use fmu_build::advise::search::{Found, Row};
use fmu_build::advise::subject::How;
use fmu_build::advise::{Advised, Question, Watcher, advise};
use fmu_build::csv::Table;
use fmu_build::run::Plan;
use fmu_build::slave::Failure;
use fmu_build::trial;

use crate::setup::{data_of, ends_with, example, fixstep, pack, path, succeeds};

/// Examples, and the time (s) up to which they are run.
const EXAMPLES: [(&str, f64); 6] = [
    ("controlled_pendulum", 1.0),
    ("four_bar", 0.5),
    ("heavy_top", 0.3),
    ("pendulum", 1.0),
    ("quarter_car", 1.2),
    ("spatial_slider_crank", 0.5),
];

fn question(name: &str, stop: f64) -> Question {
    let input = example(name).with_file_name("input.csv");
    let table = |path: &Path| Table::parse(&fs::read_to_string(path).unwrap()).unwrap();
    Question {
        plan: Plan {
            stop: Some(stop),
            input: input.exists().then(|| table(&input)),
            ..Plan::default()
        },
        accuracy: None,
        max_rti: None,
        outputs: match name {
            // The force in the pin holds the rounding of positions by the square of the step, which a short step enlarges.
            "pendulum" => ["angle", "rate", "tip_x", "tip_z"]
                .map(str::to_owned)
                .to_vec(),
            _ => Vec::new(),
        },
        norm: Norm::Max,
        hratios: vec![1, 4],
        budget: None,
    }
}

/// Keeps what it is given, and notes the stages.
#[derive(Default)]
struct Noted {
    kept: Option<String>,
    stages: Vec<String>,
}

impl Watcher for Noted {
    fn stage(&mut self, title: &str) {
        self.stages.push(title.to_owned());
    }

    fn keep(&mut self, kept: &Kept) -> Result<(), Failure> {
        self.kept = Some(kept.to_text()?);
        Ok(())
    }
}

fn advised(name: &str, question: &Question, kept: Kept) -> (Advised, Noted) {
    let model = Model::from_file(&example(name)).unwrap();
    let mut noted = Noted::default();
    let advised = advise(&trial::blueprint(&model), question, kept, &mut noted).unwrap();
    (advised, noted)
}

/// The largest error of settings against a run with a step 32 times shorter than the model's own, without any of the
/// code that makes references and measures candidates.
fn error(advised: &Advised, settings: &[(String, String)]) -> f64 {
    let subject = &advised.subject;
    let run = |settings: &[(&str, String)]| {
        let named = settings.iter();
        let all: Vec<(String, String)> = named
            .map(|(name, value)| (format!("solver.{name}"), value.clone()))
            .collect();
        subject
            .run(How::Fixed(&all), u64::MAX, &mut |_| true)
            .unwrap()
    };
    let fine = [
        ("integrator", "GENALPHA".to_owned()),
        ("formulation", "I3".to_owned()),
        ("rho", "0.8".to_owned()),
        ("fixit", "4".to_owned()),
        ("hratio", (32 * subject.own.hratio).to_string()),
    ];
    let given: Vec<(&str, String)> = { settings.iter() }
        .map(|(name, value)| (name.as_str(), value.clone()))
        .collect();
    let (coarse, fine) = (run(&given), run(&fine));
    let outputs = advised.advice.outputs.iter().enumerate();
    let judged = outputs.filter(|(_, output)| advised.advice.judged.contains(&output.name));
    judged
        .map(|(k, output)| {
            OutputError::of(&coarse.columns[k], &fine.columns[k], output.range).max_share
        })
        .fold(0.0, f64::max)
}

#[test]
fn recommendations_beat_the_settings_of_examples_and_errors_are_predicted() {
    let mut between = 0;
    for (name, stop) in EXAMPLES {
        let (first, noted) = advised(name, &question(name, stop), Kept::default());
        recommends_what_is_better(name, &first);
        let kept = Kept::read(&noted.kept.unwrap()).unwrap();
        between += usize::from(predicts_between_steps(name, stop, &first, kept));
    }
    assert!(between >= 4, "{between}");
}

/// What is recommended is better than the example's own settings, and its error is as told.
fn recommends_what_is_better(name: &str, advised: &Advised) {
    let choice = advised.advice.choice.as_ref().unwrap();
    let (own_error, own_rti) = choice.own.unwrap();
    assert!(
        choice.met && choice.measured < own_error,
        "{name} {choice:?}"
    );
    // Times vary on a busy computer.
    assert!(choice.rti < 1.3 * own_rti, "{name} {choice:?}");
    let found = error(advised, &choice.settings);
    let own = error(advised, &[]);
    assert!(found < own, "{name}: {found} {own}");
    for (told, found) in [(choice.measured, found), (own_error, own)] {
        assert!(
            (0.5..2.0).contains(&(told / found)),
            "{name}: {told} {found}"
        );
    }
}

/// An error between those of the steps that were tried is predicted; returns whether the step lies between them.
fn predicts_between_steps(name: &str, stop: f64, first: &Advised, kept: Kept) -> bool {
    let best = |hratio: u32| {
        let rows = first.advice.rows.iter().filter(|row| row.hratio == hratio);
        let errors = rows
            .filter_map(Row::measured)
            .map(|measured| measured.error);
        errors.fold(f64::INFINITY, f64::min)
    };
    let asked = Question {
        accuracy: Some((best(1) * best(4)).sqrt()),
        ..question(name, stop)
    };
    let (advised, _) = advised(name, &asked, kept);
    let choice = advised.advice.choice.as_ref().unwrap();
    assert!(
        choice.met && choice.measured <= asked.accuracy.unwrap(),
        "{name} {choice:?}"
    );
    let found = error(&advised, &choice.settings);
    for measured in [choice.measured, found] {
        let ratio = choice.predicted / measured;
        assert!((0.5..2.0).contains(&ratio), "{name} {ratio} {choice:?}");
    }
    choice.interpolated
}

#[test]
fn results_are_continued_and_have_one_order() {
    let question = question("four_bar", 0.1);
    let (whole, noted) = advised("four_bar", &question, Kept::default());
    let kept = noted.kept.unwrap();
    // As a run leaves them that was ended in the middle: some rows, in the order in which they were made.
    let mut part: serde_json::Value = serde_json::from_str(&kept).unwrap();
    let rows = part["rows"].as_array_mut().unwrap();
    let all = rows.len();
    rows.truncate(all / 2);
    rows.reverse();
    rows[0]["found"] = serde_json::json!({"failed": "as it was before"});
    let mark = (rows[0]["family"].clone(), rows[0]["hratio"].clone());
    let (again, noted) = advised(
        "four_bar",
        &question,
        Kept::read(&part.to_string()).unwrap(),
    );
    assert!(
        !noted
            .stages
            .iter()
            .any(|stage| stage.starts_with("reference"))
    );
    assert_eq!(again.advice.rows.len(), all);
    for (a, b) in whole.advice.rows.iter().zip(&again.advice.rows) {
        assert_eq!((&a.family, a.hratio), (&b.family, b.hratio));
        if mark == (serde_json::json!(b.family), serde_json::json!(b.hratio)) {
            assert_eq!(b.found, Found::Failed("as it was before".to_owned()));
        } else {
            let error = |row: &Row| row.measured().map(|measured| measured.errors.clone());
            assert_eq!(error(a), error(b), "{}", b.family);
        }
    }
    // Other settings of the run are another run.
    let other = Question {
        plan: Plan {
            stop: Some(0.2),
            ..question.plan.clone()
        },
        ..question
    };
    let model = Model::from_file(&example("four_bar")).unwrap();
    let kept = Kept::read(&kept).unwrap();
    let refused = advise(
        &trial::blueprint(&model),
        &other,
        kept,
        &mut Noted::default(),
    );
    assert!(refused.unwrap_err().0.contains("of another run"));
}

#[test]
fn settings_that_fail_are_rows_with_a_reason() {
    let mut asked = question("pendulum", 0.3);
    let strict = ("solver.maxerr".to_owned(), "2e-6".to_owned());
    asked.plan.settings.push(strict);
    let (advised, _) = advised("pendulum", &asked, Kept::default());
    let advice = &advised.advice;
    let failed: Vec<&Row> = { advice.rows.iter() }
        .filter(|row| row.measured().is_none())
        .collect();
    assert!(!failed.is_empty() && failed.len() < advice.rows.len());
    for row in &failed {
        let Found::Failed(reason) = &row.found else {
            unreachable!();
        };
        assert!(reason.contains("local error"), "{reason}");
    }
    let said = advice.to_string();
    assert!(said.contains("settings gave no whole run: "), "{said}");
    assert!(
        advice
            .front
            .iter()
            .all(|k| advice.rows[*k].measured().is_some())
    );
}

#[test]
fn settings_are_written_into_the_model_and_nothing_else_changes() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    let before = fs::read_to_string(example("pendulum")).unwrap();
    fs::write(&model, &before).unwrap();
    let (svg, html) = (folder.path().join("a.svg"), folder.path().join("a.html"));
    let words = [
        "advise",
        path(&model),
        "--stop=0.5",
        "--rate=500",
        "--accuracy=0.01",
        "--hratio=1,2",
        "--outputs=tip_x,tip_z",
        "--write",
        path(&model),
        "--plot",
        path(&svg),
        "--report",
        path(&html),
    ];
    let said = succeeds(&words);
    assert!(
        said.contains("recommended: ") && said.contains("written: "),
        "{said}"
    );
    let after = fs::read_to_string(&model).unwrap();
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(&before), lines(&after));
    let lost: Vec<&String> = old.iter().filter(|line| !new.contains(line)).collect();
    let told = |line: &&String| line.contains("\"solver\"") || line.contains("\"experiment\"");
    assert!(lost.len() <= 2 && lost.iter().all(told), "{lost:?}");
    let json: serde_json::Value = serde_json::from_str(&after).unwrap();
    assert_eq!(json["experiment"]["step"], 0.002);
    assert!(json["solver"]["hratio"].is_u64() && json["solver"]["integrator"].is_string());
    succeeds(&["check", path(&model)]);
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains("recommended") && svg.contains("wanted accuracy"));
    let page = data_of(&html);
    let parts = page["tabs"][0]["parts"].as_array().unwrap();
    let of = |kind: &str| parts.iter().filter(|part| part["kind"] == kind).count();
    assert!(
        of("chart") == 1 && of("table") == 1 && of("words") >= 1,
        "{parts:?}"
    );
}

fn with<'a>(short: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [short, more].concat()
}

#[test]
fn what_cannot_be_met_or_understood_is_told() {
    let model = example("pendulum");
    let short = ["advise", path(&model), "--stop=0.2", "--hratio=1"];
    let said = ends_with(1, &with(&short, &["--accuracy=1e-9"]));
    assert!(said.contains("limit: no settings tried reach"), "{said}");
    let said = ends_with(1, &with(&short, &["--max-rti=1e-9"]));
    assert!(
        said.contains("limit: no settings are fast enough"),
        "{said}"
    );
    let said = ends_with(1, &with(&short, &["--outputs=tip_y"]));
    assert!(
        said.contains("--outputs: unknown output \"tip_y\""),
        "{said}"
    );
    let folder = tempfile::tempdir().unwrap();
    let junk = folder.path().join("junk");
    fs::write(&junk, "7").unwrap();
    let said = ends_with(1, &with(&short, &["--resume", path(&junk)]));
    assert!(
        said.contains("holds no results of fixstep advise"),
        "{said}"
    );
    let fmu = pack(folder.path(), "pendulum", "3");
    let out = folder.path().join("out.json");
    let said = ends_with(2, &["advise", path(&fmu), "--write", path(&out)]);
    assert!(said.contains("is no model"), "{said}");
    let said = ends_with(1, &["advise", path(&fmu), "--count"]);
    assert!(said.contains("counted in runs of a model"), "{said}");
    let said = ends_with(2, &with(&short, &["--resume", path(&model)]));
    assert!(said.contains("would replace"), "{said}");
}

/// Where there is nothing to compare, no settings are run.
#[test]
fn what_has_no_error_is_told_before_settings_are_run() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("model.json");
    let with = |outputs: serde_json::Value| {
        let text = fs::read_to_string(example("pendulum")).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        json["outputs"] = outputs;
        fs::write(&model, json.to_string()).unwrap();
        ends_with(1, &["advise", path(&model), "--stop=0.2"])
    };
    let said = with(serde_json::json!([]));
    assert!(said.contains("has no outputs that are real"), "{said}");
    let said = with(serde_json::json!([{"name": "three", "expression": "3"}]));
    assert!(
        said.contains("no output whose error is known") && said.contains("three: at rest"),
        "{said}"
    );
    // The root of a negative number: no reference goes on.
    let text = fs::read_to_string(example("pendulum")).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
    json["forces"][0]["expression"] = "SQRT(0.1 - TIME)".into();
    fs::write(&model, json.to_string()).unwrap();
    let said = ends_with(1, &["advise", path(&model), "--stop=0.2"]);
    assert!(
        said.contains("the reference run ended at 0.1") && said.contains("--stop"),
        "{said}"
    );
}

#[test]
fn a_run_is_compared_with_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("a.svg");
    let model = example("four_bar");
    let words = ["run", path(&model), "--stop=0.2", "--compare", "--no-trial"];
    let said = succeeds(&[&words[..], &["--plot", path(&svg)]].concat());
    for part in [
        "reference: ",
        "errors of the fixed step of 1 ms",
        "largest: \"",
        "d_fx",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains(", reference") && svg.contains("error [% of range]"));
    let json = fixstep(&[&words[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let outputs = json["comparison"]["outputs"].as_array().unwrap();
    let moving = outputs
        .iter()
        .filter(|output| output["range"].as_f64() > Some(0.0));
    for output in moving {
        let number = |name: &str| output[name].as_f64().unwrap();
        assert!(
            number("max") >= number("rms") && number("max_share") < 0.1,
            "{output}"
        );
        assert!((number("max") / number("range") - number("max_share")).abs() < 1e-12);
    }
    let words = [&words[..], &["--json", "--error=1e-6"]].concat();
    let json: serde_json::Value = serde_json::from_str(&succeeds(&words)).unwrap();
    let run = json["comparison"]["run"].as_str().unwrap();
    assert_eq!(run, "variable step to an error of 1e-6 per step");
    assert!(json["variable_step"]["steps"].as_u64() > Some(10), "{json}");
}

#[test]
fn a_trial_has_a_short_form_where_errors_have_a_meaning() {
    let short = |name: &str, more: &[&str]| {
        let model = example(name);
        let words = [&["check", path(&model), "--trial=0.5", "--json"], more].concat();
        let json: serde_json::Value = serde_json::from_str(&succeeds(&words)).unwrap();
        json["trial"]["short"].clone()
    };
    // GSTIFF has order 1: half the step has half the error.
    let pendulum = short("pendulum", &["--set", "solver.integrator=GSTIFF"]);
    let number = |name: &str| pendulum[name].as_f64().unwrap();
    let ratio = number("error") / number("half_error");
    assert!((ratio - 2.0).abs() < 0.1, "{pendulum}");
    assert_eq!(number("step"), 2.0 * number("half_step"));
    assert_eq!(pendulum["outputs"].as_array().unwrap().len(), 5);
    assert_eq!(pendulum["unknown"], serde_json::json!([]));
    // Impacts leave no order, and nothing to say in short.
    let model = example("bouncer");
    let said = succeeds(&["check", path(&model), "--trial", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert!(
        json["trial"]["short"].is_null(),
        "{}",
        json["trial"]["verdict"]
    );
}
