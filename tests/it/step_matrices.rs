//! Tests of the matrices of a step (SEN-9) against differences: the state before the step is moved along every number that
//! the step carries.

use fixstep_kernel::ids::{InputId, OutputId, ParameterId};
use fixstep_kernel::integrator::accepted::show;
use fixstep_kernel::math::Vec3;
use fixstep_kernel::math::rotation::{Quaternion, exp_quaternion, multiply};
use fixstep_kernel::mechanism::{IntegratorKind, SolverSettings};
use fixstep_kernel::simulation::{Carried, CarriedBy, CarriedKind, Simulation, StepMatrices};
use fixstep_kernel::state::State;
use fixstep_kernel::system::System;
use fixstep_kernel::system::layout::{RATE, STATE_HISTORY, Span};

use crate::harness::example;

/// The number of a state that a carried one is, unless it is a rotation.
fn place(system: &System, carried: &Carried) -> Option<usize> {
    let layout = &system.layout;
    let of_body = |span: Span, body: usize, k: usize| span.first + RATE * body + k;
    Some(match (carried.by, carried.kind) {
        (CarriedBy::Body(body, k), CarriedKind::Pose) if k < 3 => {
            layout.pose.first + 7 * body.index() + k
        }
        (CarriedBy::Body(..), CarriedKind::Pose) => return None,
        (CarriedBy::Body(body, k), CarriedKind::Velocity) => {
            of_body(layout.velocity, body.index(), k)
        }
        (CarriedBy::Body(body, k), CarriedKind::Acceleration) => {
            of_body(layout.acceleration, body.index(), k)
        }
        (CarriedBy::Body(body, k), _) => of_body(layout.forces, body.index(), k),
        (CarriedBy::Equation(k), CarriedKind::State) => layout.states.first + k.index(),
        (CarriedBy::Equation(k), kind) => {
            let at = usize::from(kind == CarriedKind::Derivative);
            layout.state_history.first + STATE_HISTORY * k.index() + at
        }
    })
}

/// Moves a state along a carried number.
fn shift(system: &System, state: &mut State, carried: &Carried, by: f64) {
    if let Some(at) = place(system, carried) {
        state.reals[at] += by;
        return;
    }
    let CarriedBy::Body(body, k) = carried.by else {
        return;
    };
    let mut turn = Vec3::zeros();
    turn[k - 3] = by;
    let own = state.quaternion(&system.layout, body.index());
    let turned = multiply(&exp_quaternion(&turn), &own);
    let at = state.position(&system.layout, body.index());
    state.set_pose(&system.layout, body.index(), &at, &turned);
}

/// The change of a carried number from one state to another; of a rotation, by small angles about the axes of ground.
fn change(system: &System, (from, to): (&State, &State), carried: &Carried) -> f64 {
    if let Some(at) = place(system, carried) {
        return to.reals[at] - from.reals[at];
    }
    let CarriedBy::Body(body, k) = carried.by else {
        return f64::NAN;
    };
    let [a, b] = [from, to].map(|state| state.quaternion(&system.layout, body.index()));
    let inverse: Quaternion = [a[0], -a[1], -a[2], -a[3]];
    2.0 * multiply(&b, &inverse)[k - 2]
}

fn shown(simulation: &Simulation, matrices: &StepMatrices) -> Vec<f64> {
    let outputs = matrices.outputs.iter();
    outputs.map(|output| simulation.output(*output)).collect()
}

/// An example after some steps, with the state before the last of them.
fn stepped(name: &str, integrator: IntegratorKind) -> (Simulation, State) {
    let mut simulation = example(name);
    let settings = SolverSettings {
        integrator,
        fixit: 10,
        ..simulation.settings().clone()
    };
    simulation.set_settings(settings).unwrap();
    simulation.initialize(0.0).unwrap();
    for _ in 0..30 {
        simulation.step().unwrap();
    }
    let before = simulation.part().state.clone();
    simulation.step().unwrap();
    (simulation, before)
}

/// How far the columns of parameters are from differences: of carried numbers as a part of the largest of their kind, of
/// outputs as a part of themselves.
fn worst_by_parameters(name: &str, integrator: IntegratorKind) -> f64 {
    let (mut simulation, before) = stepped(name, integrator);
    let all = (0..simulation.mechanism().parameters.len()).map(ParameterId::from);
    let parameters: Vec<ParameterId> = all.filter(|own| !simulation.shapes(*own)).collect();
    let matrices = simulation.step_matrices(&parameters).unwrap();
    let after = simulation.part().state.clone();
    let knowns = matrices.knowns();
    assert_eq!(matrices.d.len(), matrices.outputs.len() * knowns);
    let mut worst = 0.0_f64;
    for (k, parameter) in parameters.iter().enumerate() {
        let column = matrices.inputs + k;
        let value = simulation.parameter(*parameter);
        let by = 1e-4 * value.abs().max(1.0);
        let [ahead, behind] = [by, -by].map(|by| {
            simulation.part().state.copy_from(&before);
            let part = simulation.part();
            show(&part.system, &mut part.state, &mut part.ws);
            simulation.set_parameter(*parameter, value + by).unwrap();
            simulation.step().unwrap();
            let outputs = shown(&simulation, &matrices);
            let part = simulation.part();
            let changes = matrices.carried.iter();
            let changes = changes.map(|own| change(&part.system, (&after, &part.state), own));
            (changes.collect::<Vec<f64>>(), outputs)
        });
        let slopes = |ends: (&[f64], &[f64])| -> Vec<f64> {
            { ends.0.iter().zip(ends.1) }
                .map(|(ahead, behind)| (ahead - behind) / (2.0 * by))
                .collect()
        };
        let carried = slopes((&ahead.0, &behind.0));
        let outputs = slopes((&ahead.1, &behind.1));
        for (row, (own, found)) in matrices.carried.iter().zip(&carried).enumerate() {
            let alike = matrices.carried.iter().zip(&carried);
            let alike = alike.filter(|(other, _)| other.kind == own.kind);
            let size = alike.fold(1e-9, |most: f64, (_, x)| most.max(x.abs()));
            let exact = matrices.b[row * knowns + column];
            worst = worst.max((exact - found).abs() / size);
        }
        for (row, found) in outputs.iter().enumerate() {
            let exact = matrices.d[row * knowns + column];
            // Differences lose what rounding hides.
            let hidden = 1e-11 * ahead.1[row].abs().max(1.0) / by;
            let off = ((exact - found).abs() - hidden).max(0.0);
            worst = worst.max(off / exact.abs().max(1e-9));
        }
    }
    worst
}

#[test]
fn columns_of_parameters_are_those_of_differences() {
    for name in ["pendulum", "quarter_car", "four_bar", "flyball_governor"] {
        for integrator in [
            IntegratorKind::Gstiff,
            IntegratorKind::Hht,
            IntegratorKind::GeneralizedAlpha,
        ] {
            let worst = worst_by_parameters(name, integrator);
            assert!(worst < 1e-4, "{name}, {integrator:?}: {worst:e}");
        }
    }
}

/// How far columns are from differences, as a part of the largest of their rows.
fn worst(name: &str, integrator: IntegratorKind) -> f64 {
    let (mut simulation, before) = stepped(name, integrator);
    let matrices = simulation.step_matrices(&[]).unwrap();
    let after = simulation.part().state.clone();
    let n = matrices.carried.len();
    assert!(n > 6 && matrices.a.len() == n * n && matrices.c.len() == matrices.outputs.len() * n);
    let mut found: Vec<f64> = Vec::new();
    let end = |simulation: &mut Simulation, move_it: &dyn Fn(&System, &mut State)| {
        let part = simulation.part();
        part.state.copy_from(&before);
        move_it(&part.system, &mut part.state);
        show(&part.system, &mut part.state, &mut part.ws);
        simulation.step().unwrap();
        let outputs = shown(simulation, &matrices);
        let part = simulation.part();
        let changes = matrices.carried.iter();
        let changes = changes.map(|own| change(&part.system, (&after, &part.state), own));
        changes.chain(outputs).collect::<Vec<f64>>()
    };
    for (column, carried) in matrices.carried.iter().enumerate() {
        let by = match carried.kind {
            // Reactions change by mass × this ÷ h², and the magnitude of a force is not linear.
            CarriedKind::Pose => 1e-8,
            CarriedKind::Velocity => 1e-5,
            _ => 1e-3,
        };
        let [ahead, behind] = [by, -by].map(|by| {
            end(&mut simulation, &|system, state| {
                shift(system, state, carried, by);
            })
        });
        let exact = (0..n).map(|row| matrices.a[row * n + column]);
        let shown = (0..matrices.outputs.len()).map(|row| matrices.c[row * n + column]);
        let exact: Vec<f64> = exact.chain(shown).collect();
        for (row, exact) in exact.iter().enumerate() {
            let by_steps = (ahead[row] - behind[row]) / (2.0 * by);
            let (matrix, own) = match row.checked_sub(n) {
                Some(output) => (&matrices.c, output),
                None => (&matrices.a, row),
            };
            let whole = matrix[own * n..][..n].iter();
            let size = whole.fold(1e-9, |most: f64, x| most.max(x.abs()));
            // Differences lose what rounding hides.
            let hidden = 1e-12 * ahead[row].abs().max(1.0) / by;
            found.push(((by_steps - exact).abs() - hidden).max(0.0) / size);
        }
    }
    found.iter().fold(0.0, |most, x| x.max(most))
}

#[test]
fn columns_of_everything_that_a_step_carries_are_those_of_differences() {
    for name in ["pendulum", "controlled_pendulum", "quarter_car"] {
        for integrator in [
            IntegratorKind::Gstiff,
            IntegratorKind::Hht,
            IntegratorKind::GeneralizedAlpha,
        ] {
            let worst = worst(name, integrator);
            assert!(worst < 2e-4, "{name}, {integrator:?}: {worst:e}");
        }
    }
}

#[test]
fn inputs_have_the_columns_of_directional_derivatives() {
    let mut simulation = example("controlled_pendulum");
    for _ in 0..5 {
        simulation.step().unwrap();
    }
    let matrices = simulation.step_matrices(&[]).unwrap();
    for input in 0..matrices.inputs {
        let known = fixstep_kernel::simulation::Known::Input(InputId::from(input));
        let unknowns = matrices.outputs.iter();
        let unknowns =
            unknowns.map(|own| fixstep_kernel::simulation::Unknown::Output(OutputId(own.0)));
        let mut found = vec![f64::NAN; matrices.outputs.len()];
        let mut derivatives = simulation.derivatives().unwrap();
        derivatives.along(std::iter::once((known, 1.0)), unknowns, &mut |k, x| {
            found[k] = x;
        });
        for (row, own) in found.iter().enumerate() {
            let exact = matrices.d[row * matrices.inputs + input];
            assert!(
                (own - exact).abs() <= 1e-12 * exact.abs().max(1e-12),
                "{own} {exact}"
            );
        }
    }
}

#[test]
fn what_is_not_covered_has_its_reason() {
    let mut start = example("pendulum");
    assert_eq!(
        start.step_matrices(&[]),
        Err("no step has been made".to_owned())
    );
    let mut bent = example("flexible_slider_crank");
    bent.step().unwrap();
    let why = bent.step_matrices(&[]).unwrap_err();
    assert!(why.ends_with("is flexible"), "{why}");
}
