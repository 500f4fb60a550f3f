//! Tests that the guard catches the usual mistakes of first models. Under every scheme each such model either ends in the
//! state of the last good step, with a failure that names the entity and what to try, or gives right results.

use crate::guard_mistakes::{Mistake, Right, STROKE, balanced_arm, mistakes};
use crate::harness::{output, simulation, truth, try_build};
use fixstep_kernel::ids::{InputId, OutputId};
use fixstep_kernel::mechanism::Watched;
use fixstep_kernel::simulation::{Simulation, StepFailure};
use fixstep_model::Model;
use serde_json::{Value, json};

const SCHEMES: [(&str, &str, &str); 5] = [
    ("GSTIFF I3", "GSTIFF", "I3"),
    ("GSTIFF SI2", "GSTIFF", "SI2"),
    ("HHT", "HHT", "I3"),
    ("NEWMARK", "NEWMARK", "I3"),
    ("GENALPHA", "GENALPHA", "I3"),
];

fn saved(simulation: &Simulation) -> Vec<u8> {
    let mut bytes = vec![0; simulation.state_size()];
    simulation.save(&mut bytes);
    bytes
}

/// The entity that a failure names, and its message.
fn words(simulation: &Simulation, failure: StepFailure) -> [String; 2] {
    match failure {
        StepFailure::Guard(alarm) => {
            let whom = simulation.culprit(alarm.reading.culprit);
            let text = alarm.words(&whom);
            assert!(alarm.reading.value > alarm.limit || alarm.reading.value.is_nan());
            assert!(
                text.contains(&format!("limit {}", alarm.limit)),
                "no limit: {text}"
            );
            assert!(text.contains("smaller step"), "what to try? {text}");
            if alarm.watched != Watched::Energy {
                assert!(text.contains(&whom), "whom? {text}");
            }
            [whom, text]
        }
        StepFailure::LocalError { entity, .. } | StepFailure::NotFinite(entity) => {
            let whom = simulation.describe(entity);
            [whom.clone(), whom]
        }
        StepFailure::Singular(block) => {
            let whom = simulation.describe(block.into());
            [whom.clone(), whom]
        }
        StepFailure::NotStarted
        | StepFailure::TooShort { .. }
        | StepFailure::NoAccelerations
        | StepFailure::Endless { .. }
        | StepFailure::Instant => {
            unreachable!("a started run with a fixed step")
        }
    }
}

/// What stopped a run.
fn reason(failure: StepFailure) -> &'static str {
    match failure {
        StepFailure::Guard(alarm) => alarm.watched.name(),
        StepFailure::LocalError { .. } => "maxerr",
        StepFailure::NotFinite(_) => "no number",
        StepFailure::Singular(_) => "singular",
        StepFailure::NotStarted => "not started",
        StepFailure::TooShort { .. }
        | StepFailure::Endless { .. }
        | StepFailure::NoAccelerations => "variable step",
        StepFailure::Instant => "no integration",
    }
}

/// Is the output that decides right?
fn is_right(simulation: &Simulation, right: Right) -> Result<(), String> {
    let Some((name, from, to)) = right else {
        return Ok(());
    };
    let (value, time) = (output(simulation, name), simulation.time());
    if value >= from && value <= to {
        return Ok(());
    }
    Err(format!(
        "{name} is {value:e} at {time} s, without a failure"
    ))
}

/// Runs a mistake under a scheme. Returns how it ended, in the words of the theory page, or what is wrong with its end.
fn meet(
    mistake: &Mistake,
    (name, integrator, formulation): (&str, &str, &str),
) -> Result<String, String> {
    let what = format!("{}, {name}", mistake.name);
    let mut model = mistake.model.clone();
    model["solver"] = json!({"integrator": integrator, "formulation": formulation});
    let mut simulation = try_build(&model.to_string()).map_err(|e| format!("{what}: {e}"))?;
    let mut warned = None;
    while simulation.time() < mistake.stop - 1e-9 {
        let before = saved(&simulation);
        if let Err(failure) = simulation.step() {
            let [whom, text] = words(&simulation, failure);
            eprintln!("{what}: at {:.3} s {text}", simulation.time());
            if !mistake.whom.iter().any(|one| whom.contains(one)) {
                return Err(format!("{what}: names {whom}"));
            }
            if saved(&simulation) != before {
                return Err(format!("{what}: the state is not the last good one"));
            }
            let mut outputs = (0..simulation.mechanism().outputs.len()).map(OutputId::from);
            if !outputs.all(|k| simulation.output(k).is_finite()) {
                return Err(format!("{what}: shows what is no number"));
            }
            let (warned, time) = (warned.unwrap_or_default(), simulation.time());
            return Ok(format!("{warned}{} {time:.3}", reason(failure)));
        }
        is_right(&simulation, mistake.right).map_err(|text| format!("{what}: {text}"))?;
        let alarm = simulation.alarms().next();
        let warning = alarm.map(|a| format!("{} {:.3}; ", a.watched.name(), simulation.time()));
        warned = warned.or(warning);
    }
    eprintln!("{what}: right to the end");
    match mistake.right {
        Some(_) => Ok(format!("{}right", warned.unwrap_or_default())),
        None => Err(format!("{what}: it never ended")),
    }
}

/// On x86-64, where bits are those of the page, the end must also be the one that the page gives.
#[test]
fn mistakes_end_with_a_message_or_give_right_results() {
    let page = std::fs::read_to_string(truth("../../docs/theory/time-stepping.md")).unwrap();
    let mut wrong = Vec::new();
    for mistake in mistakes() {
        let outcomes = SCHEMES.map(|scheme| meet(&mistake, scheme));
        let cells = outcomes.map(|outcome| {
            outcome.unwrap_or_else(|text| {
                wrong.push(text);
                "wrong".to_owned()
            })
        });
        let row = format!("| {} | {} |", mistake.name, cells.join(" | "));
        if cfg!(target_arch = "x86_64") && !page.lines().any(|line| line == row) {
            wrong.push(format!("docs/theory/time-stepping.md has not:\n{row}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Makes steps under a scheme until a failure, but not more than given. Returns the failure and the first step with a warning.
fn ends(
    model: &Value,
    (integrator, formulation): (&str, &str),
    steps: u32,
) -> (Option<[String; 2]>, Option<Watched>) {
    let mut model = model.clone();
    model["solver"]["integrator"] = json!(integrator);
    model["solver"]["formulation"] = json!(formulation);
    let model = Model::from_json(&model.to_string()).unwrap();
    let mut simulation = simulation(&model).unwrap();
    let mut warned = None;
    for _ in 0..steps {
        if let Err(failure) = simulation.step() {
            return (Some(words(&simulation, failure)), warned);
        }
        warned = warned.or(simulation.alarms().next().map(|alarm| alarm.watched));
    }
    (None, warned)
}

/// A balanced arm turns by more whole turns in each step. Its rows do not see whole turns; only its spin shows them.
#[test]
fn a_part_that_spins_ever_faster_is_stopped() {
    let mut model = balanced_arm(STROKE);
    model["solver"] = json!({"guard": {"violation": {"warn": "never", "stop": "never"}}});
    let (failure, _) = ends(&model, ("HHT", "I3"), 500);
    let [whom, text] = failure.unwrap();
    assert_eq!(whom, "part \"arm\"");
    assert!(text.contains("half turns in a step (limit 100)"), "{text}");
}

/// The first step that ends whole turns away from the prescribed angle is refused, in either direction.
#[test]
fn an_angle_that_is_whole_turns_off_is_a_violation() {
    for (displacement, schemes, turns) in [
        (STROKE, &["HHT", "GENALPHA"][..], 1),
        (
            "STEP5(TIME,0.1,0,0.101,200D)",
            &["GSTIFF", "HHT", "NEWMARK", "GENALPHA"],
            1,
        ),
        (
            "STEP5(TIME,0.1,0,0.101,-600D)",
            &["GSTIFF", "HHT", "NEWMARK", "GENALPHA"],
            2,
        ),
    ] {
        for scheme in schemes {
            let (failure, _) = ends(&balanced_arm(displacement), (scheme, "I3"), 103);
            assert!(failure.is_some(), "{displacement} {scheme}");
            let [whom, text] = failure.unwrap();
            assert_eq!(whom, "motion \"drive\"", "{scheme}: {text}");
            let off = format!("rad, {turns} times 360 degrees (limit 0.1 rad)");
            assert!(text.contains(&off), "{displacement} {scheme}: {text}");
        }
    }
}

/// A prescribed angle may begin whole turns away from the pose, and may skip whole turns; a shaft may turn by more than
/// half a turn in a step.
#[test]
fn whole_turns_of_a_target_are_no_violation() {
    let mut shaft = balanced_arm("5000*TIME");
    shaft["solver"] = json!({"guard": {"spin": {"warn": 3}}});
    // The arm slides and turns in a frame that turns about another axis.
    let mut carried = balanced_arm("STEP5(TIME,0.05,0,0.2,750D)");
    let inertia = json!({"xx": 2, "yy": 2, "zz": 2});
    let tipped = json!({"z_point": [0, 1, 0], "x_point": [1, 0, 0]});
    carried["parts"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "frame", "mass": 1, "inertia": inertia}));
    let markers = carried["markers"].as_array_mut().unwrap();
    markers.push(json!({"name": "seat", "part": "frame"}));
    markers.push(json!({"name": "journal", "part": "frame", "orientation": tipped}));
    markers.push(json!({"name": "bearing", "part": "ground", "orientation": tipped}));
    carried["joints"] = json!([
        {"name": "hinge", "type": "cylindrical", "i": "shaft", "j": "seat"},
        {"name": "turntable", "type": "revolute", "i": "journal", "j": "bearing", "initial": {"angular_velocity": 30}}
    ]);
    carried["motions"][0]["direction"] = json!("rotation");
    for (what, model) in [
        (
            "begins two turns on",
            balanced_arm("750D+STEP5(TIME,0.1,0,0.2,90D)"),
        ),
        ("begins below", balanced_arm("-1e3+TIME")),
        (
            "is kept below 360 degrees",
            balanced_arm("MOD(3000D*TIME+2000D*TIME*TIME,360D)"),
        ),
        (
            "is kept within half a turn",
            balanced_arm("MOD(-9000D*TIME,360D)+180D"),
        ),
        ("turns by 0.8 turns in a step", shaft),
        ("is carried round", carried),
    ] {
        for (_, integrator, formulation) in SCHEMES {
            let (failure, warned) = ends(&model, (integrator, formulation), 500);
            assert_eq!(
                (failure, warned),
                (None, None),
                "{what}, {integrator} {formulation}"
            );
        }
    }
}

/// With Adams' pattern and targets that jump, the robot arm is stopped, or stays near the motion of ten iterations.
#[test]
fn the_arm_with_a_kept_jacobian_is_stopped_or_stays_near() {
    let path = truth("../../models/robot_arm/model.json");
    let text = std::fs::read_to_string(path).unwrap();
    let arm = |solver: Value| {
        let mut model: Value = serde_json::from_str(&text).unwrap();
        model["solver"] = solver;
        simulation(&Model::from_json(&model.to_string()).unwrap()).unwrap()
    };
    let mut kept = arm(json!({"integrator": "HHT", "fixit": 3, "pattern": "reference"}));
    let mut best = arm(json!({"integrator": "HHT", "fixit": 10, "pattern": "T"}));
    let angles = |s: &Simulation| -> [f64; 6] {
        std::array::from_fn(|k| output(s, &format!("angle_{}", k + 1)))
    };
    for (step, values) in crate::random_inputs::jumping_sequence(100)
        .iter()
        .enumerate()
    {
        for (k, value) in values.iter().enumerate() {
            kept.set_input(InputId::from(k), *value);
            best.set_input(InputId::from(k), *value);
        }
        best.step().unwrap();
        if let Err(failure) = kept.step() {
            let [whom, text] = words(&kept, failure);
            eprintln!("step {step}: {text}");
            assert!(!whom.is_empty());
            return;
        }
        for (one, other) in angles(&kept).iter().zip(angles(&best)) {
            assert!((one - other).abs() < 0.02, "step {step}: {one} {other}");
        }
    }
}
