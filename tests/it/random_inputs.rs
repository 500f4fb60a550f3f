//! Tests of every example with inputs under random sequences: jumps, ramps, noise in every step, from bound to bound. No
//! sequence ends a run, joints stay closed, and ten iterations, with a Jacobian in each, find the same motion.
//!
//! `FIXSTEP_SEQUENCES` asks for another number of sequences for each example. All is drawn from seeds.

use crate::harness::{example, truth};
use fixstep_kernel::ids::{BodyId, InputId, OutputId};
use fixstep_kernel::math::{Mat3, Vec3};
use fixstep_kernel::mechanism::{Quantity, SolverSettings, WATCHED, Watched};
use fixstep_kernel::simulation::{Figure, Simulation};

/// Sequences of each example; `FIXSTEP_SEQUENCES` asks for another number.
const SEQUENCES: u64 = 20;
/// Length of each \[s\].
const LENGTH: f64 = 0.07;
/// How long an input is held that jumps \[s\].
const HELD: f64 = 0.007;
/// The largest violation of a joint, in lengths of the mechanism and radians.
const APART: f64 = 1e-5;

/// An example, and how far its parts may be at most from where ten iterations put them, in lengths of the mechanism and radians:
/// of what is above rounding, one and a half to two times of what 200 sequences reach (2.2e-2, 0.19, 1.4e-8, 8.7e-7, 3.4e-2, 2.3e-7).
/// The arms are farthest: their drives jump between limits of effort, and three iterations do not settle that.
const EXAMPLES: [(&str, f64); 14] = [
    ("bicycle", 1e-9),
    ("controlled_pendulum", 1e-9),
    ("double_wishbone", 1e-9),
    ("flyball_governor", 1e-9),
    ("overhead_crane", 1e-9),
    ("pendulum", 1e-9),
    ("quarter_car", 1e-9),
    ("robot_arm", 0.035),
    ("robot_arm_flexible_link", 0.3),
    ("servo_axis", 3e-8),
    ("spatial_slider_crank", 2e-6),
    ("stewart_platform", 2e-2),
    ("vehicle", 0.06),
    ("wheel_over_kerb", 5e-7),
];

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The bounds of an input: those that it declares, or else what its example can meet.
pub(crate) fn bounds(quantity: &Quantity) -> [f64; 2] {
    if let (Some(min), Some(max)) = (quantity.min, quantity.max) {
        return [min, max];
    }
    let most = match quantity.name.as_str() {
        "torque" => 5.0,
        "road_rate" => 2000.0,
        "tilt" => std::f64::consts::PI,
        "pull" => 1000.0,
        "push" => 10.0,
        "angle" => 1.0,
        "side_force" => 20.0,
        "steer_torque" => 0.2,
        other => unreachable!("no bounds of the input {other}: add them here"),
    };
    [-most, most]
}

/// Values of all inputs in every step. The kind of the sequence follows from its seed: jumps every 7 ms, ramps of 7 ms, noise in
/// every step, jumps from bound to bound every 7 ms, jumps after any while.
fn sequence(seed: u64, bounds: &[[f64; 2]], steps: usize, h: f64) -> Vec<Vec<f64>> {
    let kind = seed % 5;
    let mut chance = Chance(seed);
    let held = ((HELD / h).round() as usize).max(1);
    let nearest = |[min, max]: &[f64; 2]| 0.0_f64.clamp(*min, *max);
    let mut to: Vec<f64> = bounds.iter().map(nearest).collect();
    let (mut from, mut left, mut length) = (to.clone(), 0, 1);
    let mut all = Vec::new();
    for _ in 0..steps {
        if left == 0 {
            length = match kind {
                2 => 1,
                4 => 1 + (chance.next() % 60) as usize,
                _ => held,
            };
            left = length;
            from.clone_from(&to);
            for (value, [min, max]) in to.iter_mut().zip(bounds) {
                let part = chance.part();
                let part = if kind == 3 { part.round() } else { part };
                *value = min + (max - min) * part;
            }
        }
        left -= 1;
        let gone = (length - left) as f64 / length as f64;
        let gone = if kind == 1 { gone } else { 1.0 };
        let rows = from.iter().zip(&to);
        all.push(rows.map(|(a, b)| a + (b - a) * gone).collect());
    }
    all
}

/// Positions and axes of all parts.
type Poses = Vec<(Vec3, Mat3)>;

/// The result of a sequence.
struct Run {
    /// Of every step.
    poses: Vec<Poses>,
    /// The largest readings of the guard.
    largest: [f64; WATCHED],
    /// Steps whose last correction is above [`SETTLED`].
    unsettled: usize,
}

/// Corrections below are settled, in lengths of the mechanism and radians.
const SETTLED: f64 = 1e-8;

/// Runs a sequence from the start of the experiment. Every step must succeed, and every output must be finite.
fn run(simulation: &mut Simulation, sequence: &[Vec<f64>], what: &str) -> Run {
    let inputs = simulation.mechanism().inputs.clone();
    for (k, input) in inputs.iter().enumerate() {
        simulation.set_input(InputId::from(k), input.quantity.start);
    }
    let start = simulation.mechanism().experiment.start;
    simulation.initialize(start).unwrap();
    let mut run = Run {
        poses: Vec::new(),
        largest: [0.0; WATCHED],
        unsettled: 0,
    };
    let bodies = simulation.part().system.bodies.len();
    for (step, values) in sequence.iter().enumerate() {
        for (k, value) in values.iter().enumerate() {
            simulation.set_input(InputId::from(k), *value);
        }
        let stepped = simulation.step();
        assert!(stepped.is_ok(), "{what}, step {step}: {stepped:?}");
        for (largest, reading) in run.largest.iter_mut().zip(simulation.readings()) {
            assert!(reading.value.is_finite(), "{what}, step {step}");
            *largest = largest.max(reading.value);
        }
        for figure in [
            Figure::Residual,
            Figure::LocalError,
            Figure::KineticEnergy,
            Figure::EnergyError,
        ] {
            assert!(simulation.figure(figure).is_finite(), "{what}, step {step}");
        }
        let mut outputs = (0..simulation.mechanism().outputs.len()).map(OutputId::from);
        assert!(
            outputs.all(|k| simulation.output(k).is_finite()),
            "{what}, step {step}"
        );
        let last = simulation.stepper().unwrap().corrections.sizes().last();
        run.unsettled += usize::from(last.unwrap().value > SETTLED);
        let pose = |k| simulation.body_pose(BodyId::from(k));
        run.poses.push((0..bodies).map(pose).collect());
    }
    run
}

/// How far two runs are apart, in lengths of the mechanism and radians.
fn apart(one: &Run, other: &Run, length: f64) -> f64 {
    let poses = one.poses.iter().flatten().zip(other.poses.iter().flatten());
    poses.fold(0.0, |most, ((r, axes), (q, others))| {
        most.max((r - q).norm() / length)
            .max((axes - others).norm())
    })
}

/// An example with ten iterations in a step, with a Jacobian in each.
fn converged(name: &str) -> Simulation {
    let mut simulation = example(name);
    let mut settings = simulation.settings().clone();
    settings.fixit = 10;
    settings.pattern = SolverSettings::every_iteration();
    simulation.set_settings(settings).unwrap();
    simulation
}

/// Runs all sequences of an example. Returns every violation of the claims.
fn drive(name: &str, far: f64, sequences: u64) -> Vec<String> {
    let (mut simulation, mut best) = (example(name), converged(name));
    let h = simulation.mechanism().own_step();
    let length = simulation.stepper().unwrap().length;
    let inputs = simulation.mechanism().inputs.iter();
    let bounds: Vec<[f64; 2]> = inputs.map(|input| bounds(&input.quantity)).collect();
    let steps = (LENGTH / h).round() as usize;
    let (mut farthest, mut unsettled) = (0.0_f64, 0);
    let mut largest = [0.0_f64; WATCHED];
    let mut warned = 0;
    for seed in 0..sequences {
        let sequence = sequence(seed, &bounds, steps, h);
        let what = format!("{name}, sequence {seed}");
        let own = run(&mut simulation, &sequence, &what);
        for (k, reading) in own.largest.into_iter().enumerate() {
            let level = simulation.settings().guard.of(Watched::ALL[k]);
            warned += u32::from(reading > level.warn);
            largest[k] = largest[k].max(reading);
        }
        let other = run(&mut best, &sequence, &format!("{what}, ten iterations"));
        farthest = farthest.max(apart(&own, &other, length));
        unsettled += other.unsettled;
    }
    let violation = largest[Watched::Violation as usize];
    let share = unsettled as f64 / (sequences as f64 * steps as f64);
    let readings = Watched::ALL.map(|w| format!("{} {:.1e}", w.name(), largest[w as usize]));
    eprintln!(
        "{name}: {sequences} sequences, {warned} warnings, from ten iterations {farthest:.1e}, {share:.4} of the steps do not settle; {}",
        readings.join(", ")
    );
    let mut wrong = Vec::new();
    if violation > APART {
        wrong.push(format!("{name}: joints come apart by {violation:e}"));
    }
    if farthest > far {
        wrong.push(format!("{name}: {farthest:e} from ten iterations"));
    }
    if share > MOST_UNSETTLED {
        wrong.push(format!("{name}: {share} of the steps do not settle"));
    }
    wrong
}

/// The share of steps that ten iterations do not settle.
const MOST_UNSETTLED: f64 = 1e-3;

/// How many sequences are asked for.
fn sequences() -> u64 {
    std::env::var("FIXSTEP_SEQUENCES").map_or(SEQUENCES, |text| text.parse().unwrap())
}

#[test]
fn no_inputs_end_a_run_of_an_example() {
    let with_inputs: Vec<String> = std::fs::read_dir(truth("../../models"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !example(name).mechanism().inputs.is_empty())
        .collect();
    let listed = |name: &String| EXAMPLES.iter().any(|(own, _)| own == name);
    assert!(
        with_inputs.iter().all(listed) && with_inputs.len() == EXAMPLES.len(),
        "examples with inputs are {with_inputs:?}"
    );
    let sequences = sequences();
    let all = |part: &[(&str, f64)]| -> Vec<String> {
        let wrong = part.iter().map(|(name, far)| drive(name, *far, sequences));
        wrong.flatten().collect()
    };
    let (dear, cheap): (Vec<_>, Vec<_>) = EXAMPLES
        .into_iter()
        .partition(|(name, _)| name.starts_with("vehicle"));
    let wrong = std::thread::scope(|scope| {
        let other = scope.spawn(|| all(&dear));
        let mut wrong = all(&cheap);
        wrong.append(&mut other.join().unwrap());
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rows `time, inputs`; two rows of one time are a jump.
fn jumping() -> Vec<Vec<f64>> {
    let text = include_str!("cases/robot_arm_jumping_inputs.csv");
    let row = |line: &str| line.split(',').map(|x| x.parse().unwrap()).collect();
    text.lines().skip(1).map(row).collect()
}

/// The values of the table in every step of 1 ms.
pub(crate) fn jumping_sequence(steps: u32) -> Vec<Vec<f64>> {
    let table = jumping();
    let at = |step: u32| {
        let time = 1e-3 * f64::from(step) + 1e-9;
        let row = table.iter().rfind(|row| row[0] <= time).unwrap();
        row[1..].to_vec()
    };
    (0..steps).map(at).collect()
}

/// Targets and tilt of the robot arm that jump every 7 ms: with a Jacobian that is kept through a step and whole corrections,
/// Newton's iteration ran away at 36 ms.
#[test]
fn the_arm_follows_targets_that_jump_to_and_fro() {
    let sequence = jumping_sequence(100);
    for (name, nearest) in [("robot_arm", 1e-4), ("robot_arm_flexible_link", 0.03)] {
        let (mut simulation, mut best) = (example(name), converged(name));
        let own = run(&mut simulation, &sequence, name);
        let other = run(&mut best, &sequence, name);
        let far = apart(&own, &other, simulation.stepper().unwrap().length);
        let violation = own.largest[Watched::Violation as usize];
        eprintln!("{name}: {far:.1e} from ten iterations, joints apart by {violation:.1e}");
        assert!(
            far < nearest && violation < APART,
            "{name}: {far:e} {violation:e}"
        );
        assert_eq!(other.unsettled, 0, "{name}");
    }
}
