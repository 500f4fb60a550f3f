//! The double wishbone, whose hardpoints are parameters: its curves, their derivatives by hardpoints, and starts with random
//! hardpoints, against kinematics in closed form; on bushings in `compliance`.
//!
//! `tests/truth/double_wishbone/reference.py` has the formulas and writes the curves with exact derivatives.

mod closed_form;
mod compliance;

use crate::harness::{example, json, output};
use closed_form::Corner;
use fixstep_kernel::ids::{BodyId, OutputId, ParameterId};
use fixstep_kernel::math::Vec3;
use fixstep_kernel::mechanism::Mode;
use fixstep_kernel::simulation::{Known, Simulation, Unknown};
use serde_json::Value;
use std::time::Instant;

/// The outputs of the reference, with how far they may be off, and their derivatives by a hardpoint: rad and mm, per mm.
const OUTPUTS: [(&str, f64, f64); 4] = [
    ("toe", 1e-12, 1e-9),
    ("camber", 1e-12, 1e-9),
    ("roll_centre", 1e-8, 1e-6),
    ("track_change", 1e-9, 1e-7),
];

fn parameter(simulation: &Simulation, name: &str) -> ParameterId {
    let all = &simulation.mechanism().parameters;
    let at = all.iter().position(|p| p.quantity.name == name);
    ParameterId::from(at.unwrap_or_else(|| unreachable!("no parameter {name}")))
}

/// Sets a case of the reference at rest at a travel, over the values of the file.
fn set(simulation: &mut Simulation, changed: &[(String, f64)], travel: f64) {
    let mut values: Vec<f64> = simulation
        .mechanism()
        .parameters
        .iter()
        .map(|p| p.quantity.start)
        .collect();
    let held = [("stroke".to_owned(), 0.0), ("travel".to_owned(), travel)];
    for (name, value) in changed.iter().chain(&held) {
        values[parameter(simulation, name).index()] = *value;
    }
    let ids = (0..values.len()).map(ParameterId::from);
    simulation.set_parameters(&mut ids.zip(values)).unwrap();
}

fn numbers(value: &Value) -> Vec<f64> {
    let items = value.as_array().unwrap().iter();
    items.map(|x| x.as_f64().unwrap()).collect()
}

/// Changed parameters, curves over the travels, and derivatives by hardpoint over the travels.
type Case = (Vec<(String, f64)>, Vec<Vec<f64>>, Vec<Vec<Vec<f64>>>);

fn reference() -> (Vec<f64>, Vec<String>, Vec<Case>) {
    let data = json("double_wishbone/reference.json");
    let rows = |value: &Value| -> Vec<Vec<f64>> {
        value.as_array().unwrap().iter().map(numbers).collect()
    };
    let case = |case: &Value| {
        let changed = case["parameters"].as_object().unwrap().iter();
        let changed = changed.map(|(name, value)| (name.clone(), value.as_f64().unwrap()));
        let slopes = case["slopes"].as_array().unwrap().iter().map(rows);
        (changed.collect(), rows(&case["curves"]), slopes.collect())
    };
    let hardpoints = data["hardpoints"].as_array().unwrap().iter();
    (
        numbers(&data["travels"]),
        hardpoints.map(|x| x.as_str().unwrap().to_owned()).collect(),
        data["cases"].as_array().unwrap().iter().map(case).collect(),
    )
}

fn compare(simulation: &Simulation, curve: &[f64], what: &str) {
    for ((name, tolerance, _), expected) in OUTPUTS.iter().zip(curve) {
        let found = output(simulation, name);
        assert!(
            (found - expected).abs() < *tolerance,
            "{name}, {what}: {found}, expected {expected}"
        );
    }
}

#[test]
fn starts_with_changed_hardpoints_are_those_of_closed_form() {
    let (travels, _, cases) = reference();
    let mut simulation = example("double_wishbone");
    for (changed, curves, _) in &cases {
        for (travel, curve) in travels.iter().zip(curves) {
            set(&mut simulation, changed, *travel);
            simulation.initialize(0.0).unwrap();
            compare(&simulation, curve, &format!("{changed:?}, travel {travel}"));
        }
    }
}

#[test]
fn a_kinematic_sweep_has_the_curves_of_closed_form() {
    let (travels, _, cases) = reference();
    let mut simulation = example("double_wishbone");
    let mut settings = simulation.settings().clone();
    settings.mode = Mode::Kinematic;
    simulation.set_settings(settings).unwrap();
    for (changed, curves, _) in &cases {
        set(&mut simulation, changed, 0.0);
        let stroke = parameter(&simulation, "stroke");
        simulation.set_parameter(stroke, 80.0).unwrap();
        // −80 cos(π t/2): −40 mm at 2/3 s, 40 mm at 4/3 s.
        simulation.set_step(1.0 / 3.0);
        simulation.initialize(0.0).unwrap();
        let mut compared = 0;
        for step in 0..=6 {
            let travel = output(&simulation, "wheel_travel");
            let near = |x: &f64| (x - travel).abs() < 1e-9;
            if let Some(at) = travels.iter().position(near) {
                let what = format!("{changed:?}, step {step}");
                compare(&simulation, &curves[at], &what);
                compared += 1;
            }
            if step < 6 {
                simulation.step().unwrap();
            }
        }
        assert_eq!(compared, 5);
    }
}

#[test]
fn derivatives_by_hardpoints_are_those_of_closed_form_and_of_runs() {
    let (travels, hardpoints, cases) = reference();
    let mut simulation = example("double_wishbone");
    let outputs = &simulation.mechanism().outputs;
    let place = |name: &str| {
        outputs
            .iter()
            .position(|o| o.quantity.name == name)
            .unwrap()
    };
    let ids = OUTPUTS.map(|(name, ..)| OutputId::from(place(name)));
    let unknowns = ids.map(Unknown::Output);
    let (mut worst, mut apart) = ([0.0_f64; 4], [0.0_f64; 4]);
    for (case, at) in [(0, 0), (0, 3), (0, 5), (0, 10), (1, 8), (3, 2), (4, 5)] {
        let (changed, _, slopes) = &cases[case];
        for (name, slopes) in hardpoints.iter().zip(slopes) {
            set(&mut simulation, changed, travels[at]);
            simulation.initialize(0.0).unwrap();
            let id = parameter(&simulation, name);
            let direction = [(Known::Parameter(id), 1.0)];
            let before = ids.map(|id| simulation.output(id).to_bits());
            let found = simulation.start_derivative(&direction, &unknowns).unwrap();
            assert_eq!(before, ids.map(|id| simulation.output(id).to_bits()));
            // A tenth of a millimetre to either side.
            let x = simulation.parameter(id);
            let ends = [0.1, -0.1].map(|by| {
                simulation.set_parameter(id, x + by).unwrap();
                simulation.initialize(0.0).unwrap();
                ids.map(|id| simulation.output(id))
            });
            for k in 0..4 {
                worst[k] = worst[k].max((found[k] - slopes[at][k]).abs());
                let difference = (ends[0][k] - ends[1][k]) / 0.2;
                apart[k] = apart[k].max((found[k] - difference).abs());
            }
        }
    }
    for (k, (name, _, tolerance)) in OUTPUTS.iter().enumerate() {
        assert!(worst[k] < *tolerance, "{name}: {worst:?}");
        assert!(apart[k] < 50.0 * tolerance, "{name}: {apart:?} from runs");
    }
}

/// Numbers from 0 up to 1: SplitMix64 (Steele, Lea, Flood 2014).
fn chance(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Where a point of a part of the design is now \[mm\].
fn moved(simulation: &mut Simulation, part: &str, point: Vec3) -> Vec3 {
    let bodies = &simulation.mechanism().bodies;
    let body = bodies.iter().position(|body| body.name == part).unwrap();
    let center = bodies[BodyId::from(body).index()].center_of_mass;
    let run = simulation.part();
    let layout = &run.system.layout;
    let (r, turn) = (
        run.state.position(layout, body),
        run.state.rotation(layout, body),
    );
    (r + turn * (point / 1e3 - center)) * 1e3
}

/// The largest distance between what joints hold together, and of lengths from those of the design \[mm\].
fn violation(simulation: &mut Simulation, corner: &Corner, travel: f64) -> f64 {
    let mut at = |part: &str, name: &str| moved(simulation, part, corner.point(name));
    let mut all = Vec::new();
    for arm in ["upper", "lower"] {
        for end in ["fore", "aft"] {
            let name = format!("{arm}_{end}");
            all.push((at(&format!("{arm}_arm"), &name) - corner.point(&name)).norm());
        }
        let name = format!("{arm}_ball");
        all.push((at(&format!("{arm}_arm"), &name) - at("upright", &name)).norm());
    }
    let rod = (corner.point("tie_outer") - corner.point("tie_inner")).norm();
    let now = at("upright", "tie_outer") - corner.point("tie_inner");
    all.push((now.norm() - rod).abs());
    let lift = at("upright", "wheel_centre") - corner.point("wheel_centre");
    all.push((lift.z - travel).abs());
    all.into_iter().fold(0.0, f64::max)
}

/// A message of a start that fails: the parameters, and what does not close.
fn is_clear(message: &str) -> bool {
    let names = ["joint \"", "part \"", "motion \"", "marker \"", "body \""];
    message.starts_with("with ")
        && message.contains(" = ")
        && names.iter().any(|name| message.contains(name))
}

/// Up to this change of hardpoints \[mm\] every start that succeeds is on the branch of the design.
const FAR: f64 = 100.0;

/// How many corners are drawn.
const CORNERS: u32 = 125;

/// Hardpoints at random, ever farther from those of the file, and a travel. A start is right, on the branch that leads there
/// from the design, or refused.
#[test]
fn random_corners_start_on_their_branch_or_are_refused() {
    let mut simulation = example("double_wishbone");
    let names: Vec<String> = simulation
        .mechanism()
        .parameters
        .iter()
        .map(|p| p.quantity.name.clone())
        .filter(|name| Corner::has(name))
        .collect();
    let mut state = 20_26;
    let (mut right, mut refused, mut elsewhere, mut in_vain) = (0_u32, 0_u32, 0_u32, Vec::new());
    let (mut worst, mut took, mut wrong) = (0.0_f64, Vec::new(), Vec::new());
    for k in 0..CORNERS {
        // From 1 mm to 400 mm.
        let spread = fixstep_kernel::math::pow(400.0, f64::from(k) / f64::from(CORNERS - 1));
        let changed: Vec<(String, f64)> = names
            .iter()
            .map(|name| {
                let own = &simulation.mechanism().parameters[parameter(&simulation, name).index()];
                let value = own.quantity.start + spread * (2.0 * chance(&mut state) - 1.0);
                (name.clone(), value)
            })
            .collect();
        let travel = 120.0 * (2.0 * chance(&mut state) - 1.0);
        let corner = Corner::new(&changed);
        let expected = corner.follow(travel);
        set(&mut simulation, &changed, travel);
        let began = Instant::now();
        let started = simulation.initialize(0.0);
        took.push(began.elapsed().as_secs_f64());
        match (started, expected) {
            (Ok(()), expected) => {
                let apart = violation(&mut simulation, &corner, travel);
                worst = worst.max(apart);
                let ball = moved(&mut simulation, "upright", corner.point("tie_outer"));
                match expected {
                    Some(place) if (place - ball).norm() < 1e-5 => right += 1,
                    // Assembly takes near poses: far from the design these may be on another branch.
                    _ if spread > FAR => elsewhere += 1,
                    other => wrong.push(format!("set {k}, spread {spread:.0}, travel {travel:.1}: at {ball:?}, expected {other:?}")),
                }
            }
            (Err(error), expected) => {
                let message = error.to_string();
                assert!(is_clear(&message), "set {k}: {message}");
                refused += 1;
                if expected.is_some() {
                    in_vain.push(format!("set {k}, spread {spread:.0}: {message}"));
                }
            }
        }
    }
    took.sort_by(f64::total_cmp);
    let told = format!(
        "{right} right, {elsewhere} elsewhere, {refused} refused, {} of them in vain, {} wrong; violation {worst:.1e} mm; {:.2} ms, at most {:.2} ms\n{}\n{}",
        in_vain.len(),
        wrong.len(),
        1e3 * took[took.len() / 2],
        1e3 * took[took.len() - 1],
        wrong.join("\n"),
        in_vain.join("\n")
    );
    assert!(30 * elsewhere <= CORNERS, "{told}");
    assert!(
        wrong.is_empty() && worst < 1e-7 && 2 * right > CORNERS && 40 * refused > CORNERS,
        "{told}"
    );
}

#[test]
fn the_same_hardpoints_give_the_same_bits_again() {
    let mut simulation = example("double_wishbone");
    let bits = |changed: &[(String, f64)], simulation: &mut Simulation| -> Vec<u64> {
        set(simulation, changed, 30.0);
        simulation.initialize(0.0).unwrap();
        for _ in 0..20 {
            simulation.step().unwrap();
        }
        let reals = &simulation.part().state.reals;
        reals.iter().map(|x| x.to_bits()).collect()
    };
    let (_, _, cases) = reference();
    let first = bits(&cases[3].0, &mut simulation);
    let other = bits(&cases[2].0, &mut simulation);
    assert_ne!(first, other);
    assert_eq!(bits(&cases[3].0, &mut simulation), first);
    assert_eq!(bits(&cases[3].0, &mut example("double_wishbone")), first);
}
