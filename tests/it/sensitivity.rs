//! Tests of derivatives of outputs, by inputs, parameters, states and time, against differences of whole steps.

use std::time::Instant;

use fixstep_kernel::ids::{BodyArrayId, EquationId, InputId, OutputId, ParameterId};
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, SolverSettings};
use fixstep_kernel::simulation::{Derivatives, Known, Simulation, Unknown};

use crate::harness::example;

/// All outputs of a model.
fn shown(simulation: &Simulation) -> Vec<f64> {
    let outputs = 0..simulation.mechanism().outputs.len();
    outputs
        .map(|k| simulation.output(OutputId::from(k)))
        .collect()
}

fn derivatives(simulation: &mut Simulation, known: Known) -> Vec<f64> {
    let n = simulation.mechanism().outputs.len();
    let mut found = vec![f64::NAN; n];
    let mut derivatives = simulation.derivatives().unwrap();
    let unknowns = (0..n).map(|k| Unknown::Output(OutputId::from(k)));
    let direction = std::iter::once((known, 1.0));
    derivatives.along(direction, unknowns, &mut |k, x| found[k] = x);
    found
}

fn set(simulation: &mut Simulation, known: Known, value: f64) -> bool {
    match known {
        Known::Input(k) => simulation.set_input(k, value),
        Known::Parameter(k) => return simulation.set_parameter(k, value).is_ok(),
        Known::State(_) => unreachable!("no state is set from outside"),
    }
    true
}

fn value(simulation: &Simulation, known: Known) -> f64 {
    match known {
        Known::Input(k) => simulation.input(k),
        Known::Parameter(k) => simulation.parameter(k),
        Known::State(_) => unreachable!("no state is set from outside"),
    }
}

/// Derivatives by differences of whole steps from a saved state, and how far they can be trusted: by how much
/// they change when the differences double.
fn by_steps(simulation: &mut Simulation, from: &[u8], known: Known) -> Option<Vec<(f64, f64)>> {
    simulation.restore(from);
    let at = value(simulation, known);
    let mut found = Vec::new();
    for reach in [1e-4, 2e-4].map(|part| part * at.abs().max(1.0)) {
        let mut ends = Vec::new();
        for by in [reach, -reach] {
            simulation.restore(from);
            if !set(simulation, known, at + by) {
                return None;
            }
            simulation.step().unwrap();
            ends.push(shown(simulation));
        }
        let pairs = ends[0].iter().zip(&ends[1]);
        let slopes =
            pairs.map(|(a, b)| ((a - b) / (2.0 * reach), 1e-14 * a.abs().max(1.0) / reach));
        found.push(slopes.collect::<Vec<_>>());
    }
    let pairs = found[0].iter().zip(&found[1]);
    Some(pairs.map(|(a, b)| (a.0, (a.0 - b.0).abs() + a.1)).collect())
}

fn saved(simulation: &Simulation) -> Vec<u8> {
    let mut bytes = vec![0; simulation.state_size()];
    simulation.save(&mut bytes);
    bytes
}

/// What a comparison has found.
#[derive(Default)]
struct Found {
    /// Derivatives that differences of steps know to four digits or more.
    known: usize,
    /// The largest difference between both, of their size.
    worst: f64,
    /// The output and the known to which it belongs.
    whose: String,
}

/// Compares the derivatives of all outputs by all inputs and parameters after some steps.
fn compare(name: &str, settings: impl Fn(&mut SolverSettings), steps: usize) -> Found {
    let mut simulation = example(name);
    let mut own = SolverSettings {
        fixit: 6,
        pattern: vec![true],
        ..simulation.settings().clone()
    };
    settings(&mut own);
    simulation.set_settings(own).unwrap();
    let start = simulation.mechanism().experiment.start;
    simulation.initialize(start).unwrap();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let from = saved(&simulation);
    let inputs = (0..simulation.mechanism().inputs.len()).map(|k| Known::Input(InputId::from(k)));
    let parameters = (0..simulation.mechanism().parameters.len())
        .map(|k| Known::Parameter(ParameterId::from(k)));
    let mut all = Found::default();
    for known in inputs.chain(parameters).collect::<Vec<_>>() {
        let Some(wanted) = by_steps(&mut simulation, &from, known) else {
            continue;
        };
        simulation.restore(&from);
        simulation.step().unwrap();
        let found = derivatives(&mut simulation, known);
        for (k, (found, (wanted, noise))) in found.iter().zip(wanted).enumerate() {
            if noise > 1e-4 * wanted.abs() {
                assert!(
                    (found - wanted).abs() <= 30.0 * noise + 1e-2 * wanted.abs(),
                    "{name}: {k} by {known:?}: {found} for {wanted}, give or take {noise}"
                );
                continue;
            }
            all.known += 1;
            let apart = (found - wanted).abs() / wanted.abs();
            if apart >= all.worst {
                let output = &simulation.mechanism().outputs[k].quantity.name;
                all.whose = format!("{output} by {known:?}: {found} for {wanted}");
                all.worst = apart;
            }
        }
    }
    all
}

/// Examples with inputs or parameters that may change, without contact.
const EXAMPLES: [&str; 14] = [
    "andrews_squeezer",
    "bicycle",
    "controlled_pendulum",
    "flyball_governor",
    "four_bar",
    "overhead_crane",
    "pendulum",
    "press",
    "quarter_car",
    "robot_arm",
    "robot_arm_flexible_link",
    "servo_axis",
    "spatial_slider_crank",
    "vehicle",
];

/// The derivative of a step that Newton's iteration has solved is (SEN-1), whatever the scheme.
#[test]
fn derivatives_by_inputs_and_parameters_are_those_of_steps() {
    let schemes = [
        (IntegratorKind::Gstiff, Formulation::I3),
        (IntegratorKind::Gstiff, Formulation::Si2),
        (IntegratorKind::Hht, Formulation::I3),
    ];
    let mut known = 0;
    for name in EXAMPLES {
        for (kind, formulation) in schemes {
            let choose = |s: &mut SolverSettings| {
                s.integrator = kind;
                s.formulation = formulation;
            };
            let all = compare(name, choose, 50);
            eprintln!(
                "{name} {kind:?} {formulation:?}: {} derivatives, {:.1e}: {}",
                all.known, all.worst, all.whose
            );
            assert!(all.worst < 1e-3, "{name} {kind:?}: {}", all.whose);
            known += all.known;
        }
    }
    assert!(known > 500, "{known}");
}

/// All outputs and states, all inputs, parameters and states.
fn everything(simulation: &Simulation) -> (Vec<Unknown>, Vec<Known>) {
    let mechanism = simulation.mechanism();
    let mut unknowns: Vec<Unknown> = { 0..mechanism.outputs.len() }
        .map(|k| Unknown::Output(OutputId::from(k)))
        .collect();
    let mut knowns: Vec<Known> = { 0..mechanism.inputs.len() }
        .map(|k| Known::Input(InputId::from(k)))
        .collect();
    let parameters = 0..mechanism.parameters.len();
    knowns.extend(parameters.map(|k| Known::Parameter(ParameterId::from(k))));
    for k in (0..mechanism.equations.len()).map(EquationId::from) {
        unknowns.push(Unknown::State(k));
        knowns.push(Known::State(k));
    }
    for (k, array) in mechanism.body_arrays.iter().enumerate() {
        let elements = 0..array.length;
        unknowns.extend(elements.map(|at| Unknown::Body(BodyArrayId::from(k), at)));
    }
    (unknowns, knowns)
}

/// Adjoint derivatives equal directional ones, and repeated calls give the same bits. A call of one kind does not change
/// the result of the other.
#[test]
fn adjoint_derivatives_are_the_transpose_of_directional_ones() {
    let mut compared = 0;
    for name in EXAMPLES.into_iter().chain(["rocker", "passive_vehicle"]) {
        for kind in [IntegratorKind::Gstiff, IntegratorKind::Hht] {
            let mut simulation = example(name);
            let settings = SolverSettings {
                integrator: kind,
                formulation: Formulation::I3,
                ..simulation.settings().clone()
            };
            simulation.set_settings(settings).unwrap();
            let start = simulation.mechanism().experiment.start;
            simulation.initialize(start).unwrap();
            for _ in 0..30 {
                simulation.step().unwrap();
            }
            let (unknowns, knowns) = everything(&simulation);
            let mut derivatives = simulation.derivatives().unwrap();
            let mut columns = vec![vec![0.0; unknowns.len()]; knowns.len()];
            let directions = |derivatives: &mut Derivatives<'_>, columns: &mut [Vec<f64>]| {
                for (known, column) in knowns.iter().zip(columns) {
                    let direction = std::iter::once((*known, 1.0));
                    let mut put = |k: usize, x| column[k] = x;
                    derivatives.along(direction, unknowns.iter().copied(), &mut put);
                }
            };
            directions(&mut derivatives, &mut columns);
            let mut again = columns.clone();
            directions(&mut derivatives, &mut again);
            assert_eq!(bits(&columns), bits(&again), "{name}");
            // By the size of each unknown, so that all count.
            let weights: Vec<f64> = { 0..unknowns.len() }
                .map(|k| {
                    let size = columns.iter().map(|column| column[k].abs());
                    let size = size.fold(0.0, f64::max);
                    let sign = if k % 3 == 0 { -1.0 } else { 1.0 };
                    sign / if size > 0.0 { size } else { 1.0 }
                })
                .collect();
            let mut sums = vec![f64::NAN; knowns.len()];
            let pairs = unknowns.iter().copied().zip(weights.iter().copied());
            let all = knowns.iter().copied();
            derivatives.of_sum(&pairs, all, &mut |k, x| sums[k] = x);
            for (k, (sum, column)) in sums.iter().zip(&columns).enumerate() {
                let products = column.iter().zip(&weights).map(|(x, w)| x * w);
                let wanted: f64 = products.clone().sum();
                let size: f64 = products.map(f64::abs).sum();
                assert!(
                    (sum - wanted).abs() <= 1e-9 * size,
                    "{name} {kind:?} by {:?}: {sum} {wanted} of {size}",
                    knowns[k]
                );
                compared += usize::from(size > 0.0);
            }
            directions(&mut derivatives, &mut again);
            assert_eq!(bits(&columns), bits(&again), "{name}");
        }
    }
    assert!(compared > 100, "{compared}");
}

fn bits(columns: &[Vec<f64>]) -> Vec<u64> {
    columns.iter().flatten().map(|x| x.to_bits()).collect()
}

/// Outputs of the vehicle by all of its inputs: one factorisation, and a solution for each input. A change of an input or
/// a step asks for another factorisation; without one, further directions cost a solution alone.
#[test]
fn all_derivatives_of_the_vehicle_cost_a_few_steps() {
    let mut simulation = example("vehicle");
    let outputs = simulation.mechanism().outputs.len();
    let inputs = simulation.mechanism().inputs.len();
    let mut best = [f64::INFINITY; 4];
    let mut found = vec![0.0; outputs];
    for _ in 0..400 {
        let mut times = vec![Instant::now()];
        simulation.step().unwrap();
        times.push(Instant::now());
        let mut derivatives = simulation.derivatives().unwrap();
        let columns = |derivatives: &mut Derivatives<'_>, found: &mut [f64]| {
            for k in (0..inputs).map(InputId::from) {
                let unknowns = (0..outputs).map(|k| Unknown::Output(OutputId::from(k)));
                let direction = std::iter::once((Known::Input(k), 1.0));
                derivatives.along(direction, unknowns, &mut |k, x| found[k] = x);
            }
        };
        columns(&mut derivatives, &mut found);
        times.push(Instant::now());
        let mut derivatives = simulation.derivatives().unwrap();
        columns(&mut derivatives, &mut found);
        times.push(Instant::now());
        let unknowns = (0..outputs).map(|k| (Unknown::Output(OutputId::from(k)), 1.0));
        let knowns = (0..inputs).map(|k| Known::Input(InputId::from(k)));
        derivatives.of_sum(&unknowns, knowns, &mut |k, x| found[k] = x);
        times.push(Instant::now());
        for (best, pair) in best.iter_mut().zip(times.windows(2)) {
            *best = best.min((pair[1] - pair[0]).as_secs_f64());
        }
    }
    let [step, all, again, sum] = best;
    eprintln!(
        "step {:.1} us; all derivatives {:.2} steps, once more {:.2}, a sum {:.2}",
        1e6 * step,
        all / step,
        again / step,
        sum / step
    );
    assert!(all < 2.5 * step, "{all} {step}");
    assert!(again < 0.5 * all, "{again} {all}");
    assert!(sum < 0.5 * all, "{sum} {all}");
}

/// Derivatives of all outputs by an input, and the same by differences of two sizes, with what rounding leaves.
type Compared = (Vec<f64>, [Vec<(f64, f64)>; 2]);

/// The largest difference between them, and whose it is; counts those that differences know to four digits.
fn farthest(simulation: &Simulation, columns: &[Compared], known: &mut usize) -> (f64, String) {
    let mut worst = (0.0, String::new());
    for k in 0..simulation.mechanism().outputs.len() {
        let sizes = columns.iter().map(|(_, slopes)| slopes[0][k].0.abs());
        let largest = sizes.fold(0.0, f64::max);
        for (found, slopes) in columns {
            let [(wanted, rounding), (other, _)] = [slopes[0][k], slopes[1][k]];
            let noise = (wanted - other).abs() + rounding;
            if noise > 1e-4 * wanted.abs() {
                continue;
            }
            *known += 1;
            // Far below the largest, differences have what Newton's last corrections leave.
            let size = wanted.abs().max(1e-2 * largest);
            let apart = (found[k] - wanted).abs() / size;
            if apart > worst.0 {
                let output = &simulation.mechanism().outputs[k].quantity.name;
                worst = (apart, format!("{output}: {} for {wanted}", found[k]));
            }
        }
    }
    worst
}

/// A communication step of five integration steps: the chain rule against differences of all five.
#[test]
fn several_steps_answer_by_the_chain_rule() {
    const STEPS: u32 = 5;
    let kinds = [
        IntegratorKind::Gstiff,
        IntegratorKind::Hht,
        IntegratorKind::GeneralizedAlpha,
    ];
    let mut known = 0;
    for name in [
        "pendulum",
        "quarter_car",
        "spatial_slider_crank",
        "controlled_pendulum",
        "robot_arm",
        "vehicle",
    ] {
        for kind in kinds {
            let mut simulation = example(name);
            let settings = SolverSettings {
                integrator: kind,
                formulation: Formulation::I3,
                fixit: 8,
                pattern: vec![true],
                ..simulation.settings().clone()
            };
            simulation.set_settings(settings).unwrap();
            let start = simulation.mechanism().experiment.start;
            simulation.initialize(start).unwrap();
            for _ in 0..40 {
                simulation.step().unwrap();
            }
            let from = saved(&simulation);
            let run = |simulation: &mut Simulation, change: Option<(InputId, f64)>| {
                simulation.restore(&from);
                if let Some((input, by)) = change {
                    let value = simulation.input(input);
                    simulation.set_input(input, value + by);
                }
                simulation.begin_communication(STEPS);
                for _ in 0..STEPS {
                    simulation.step().unwrap();
                }
                shown(simulation)
            };
            let inputs = (0..simulation.mechanism().inputs.len()).map(InputId::from);
            let mut columns = Vec::new();
            for input in inputs {
                let slopes = [1e-4, 2e-4].map(|part| {
                    let by = part * simulation.input(input).abs().max(1.0);
                    let ends = [by, -by].map(|by| run(&mut simulation, Some((input, by))));
                    let slope = |k: usize| (ends[0][k] - ends[1][k]) / (2.0 * by);
                    let rounding = |k: usize| 1e-14 * ends[0][k].abs().max(1.0) / by;
                    let all = 0..ends[0].len();
                    all.map(|k| (slope(k), rounding(k))).collect::<Vec<_>>()
                });
                run(&mut simulation, None);
                let before = saved(&simulation);
                let found = derivatives(&mut simulation, Known::Input(input));
                assert_eq!(before, saved(&simulation), "{name}");
                columns.push((found, slopes));
            }
            let worst = farthest(&simulation, &columns, &mut known);
            eprintln!("{name} {kind:?}: {:.1e} {}", worst.0, worst.1);
            assert!(worst.0 < 1e-4, "{name} {kind:?}: {}", worst.1);
        }
    }
    assert!(known > 150, "{known}");
}

/// At another step delays have buffers of another size, and so has the memory of derivatives.
#[test]
fn a_finer_step_leaves_room_for_the_derivatives_of_a_mechanism_with_delays() {
    let mut simulation = example("overhead_crane");
    let h = simulation.step_size();
    simulation.set_step(0.5 * h);
    simulation.initialize(0.0).unwrap();
    simulation.begin_communication(2);
    for _ in 0..2 {
        simulation.step().unwrap();
    }
    let wind = Known::Input(InputId::from(1));
    let found = derivatives(&mut simulation, wind);
    assert!(found.iter().all(|x| x.is_finite()), "{found:?}");
    assert!(found.iter().any(|x| *x != 0.0), "{found:?}");
}

/// How outputs change with time is what they do from step to step: the mean of the differences before and
/// behind, but for what is of the second order in the step, and of the first where accelerations and
/// reactions are read.
#[test]
fn derivatives_by_time_are_those_of_the_motion() {
    for name in [
        "pendulum",
        "four_bar",
        "spatial_slider_crank",
        "controlled_pendulum",
        "heavy_top",
    ] {
        let apart = |h: f64| {
            let mut simulation = example(name);
            simulation.set_step(h);
            let start = simulation.mechanism().experiment.start;
            simulation.initialize(start).unwrap();
            for _ in 0..(0.1 / h).round() as usize {
                simulation.step().unwrap();
            }
            let n = simulation.mechanism().outputs.len();
            let mut found = vec![f64::NAN; n];
            let unknowns = (0..n).map(|k| Unknown::Output(OutputId::from(k)));
            simulation.time_derivative(unknowns, &mut |k, x| found[k] = x);
            let mut values = vec![shown(&simulation)];
            for _ in 0..2 {
                simulation.step().unwrap();
                values.push(shown(&simulation));
            }
            // One-sided and of the second order: −3/2, 2, −1/2.
            let wanted =
                (0..n).map(|k| (-1.5 * values[0][k] + 2.0 * values[1][k] - 0.5 * values[2][k]) / h);
            let size = |k: usize, x: f64| x.abs().max(values[0][k].abs()).max(1.0);
            let each = wanted
                .enumerate()
                .map(|(k, w)| (found[k] - w).abs() / size(k, w));
            each.fold(0.0, f64::max)
        };
        let [coarse, fine] = [1e-3, 2.5e-4].map(apart);
        eprintln!("{name}: {coarse:.1e} {fine:.1e}");
        assert!(
            fine < 0.1 && fine < 0.35 * coarse + 1e-6,
            "{name}: {coarse} {fine}"
        );
    }
}
