//! Constraints of velocities with a variable step: formulations SI2 and SI1 keep them to what Newton's iteration may leave,
//! at every accepted step and wherever the run is shown; formulation I3 does not.

use crate::harness::example;
use fixstep_kernel::mechanism::{Formulation, IntegratorKind, Mode, SolverSettings};
use fixstep_kernel::simulation::{Figure, Part, Simulation, Tolerance};
use fixstep_kernel::system::eval;
use fixstep_kernel::system::residual::{Level, largest_violation};

/// Mechanisms whose velocities are restricted by joints alone.
const EXAMPLES: [&str; 4] = [
    "four_bar",
    "spatial_slider_crank",
    "bricard",
    "flyball_governor",
];
/// Newton's corrections may be this part of the tolerance (docs/theory/time-stepping.md, VAR-8).
const NEWTON: f64 = 0.1;
/// The correction is estimated by its size; a velocity that belongs to it is w_0 times as large, at most 2.45/h.
const MARGIN: f64 = 1.5;
/// Values that the history of a run remembers.
const REMEMBERED: usize = 8;

fn begun(
    name: &str,
    (integrator, formulation): (IntegratorKind, Formulation),
    error: f64,
) -> Simulation {
    let mut simulation = example(name);
    let settings = SolverSettings {
        mode: Mode::Variable,
        integrator,
        formulation,
        error: Some(error),
        ..SolverSettings::default()
    };
    let experiment = simulation.mechanism().experiment;
    simulation.initialize(experiment.start).unwrap();
    simulation.set_step(experiment.step);
    simulation.set_tolerance(Tolerance::of(&settings.tolerance(&experiment)));
    simulation
}

/// The largest |G u + Φ_t| of joints at the poses that are shown, with these velocities.
fn violation(simulation: &mut Simulation, velocity: &[f64]) -> f64 {
    assert!(simulation.mechanism().motions.is_empty());
    let Part { system, state, ws } = simulation.part();
    let (mut state, mut ws) = (state.clone(), ws.clone());
    state
        .span_mut(system.layout.velocity)
        .copy_from_slice(velocity);
    let time = state.time(&system.layout);
    let mut placed = eval::kinematics_at_state(system, &state, &mut ws);
    placed.targets(system, &state, time, |_| (0.0, 0.0));
    let _ = eval::constraint_wrenches(system, &state, placed);
    largest_violation(system, &ws, Level::Velocity)
}

/// The velocities of the integration itself at its last accepted step, and its time from there: what is remembered, newest first.
fn own(simulation: &mut Simulation) -> Vec<f64> {
    let numbers = simulation.variable_memory().unwrap();
    let n = simulation.part().system.layout.velocity.len;
    let ends: usize = numbers[1..5].iter().map(|count| *count as usize).sum();
    // Five counts, the instants at which steps end, the numbers of remembered and of imagined instants, these, and displacements
    // from the newest.
    let first = 5 + ends + 2 + REMEMBERED;
    let newest = &numbers[first..first + n];
    assert!(newest.iter().all(|d| *d == 0.0), "{newest:?}");
    let first = first + REMEMBERED * n;
    numbers[first..first + n].to_vec()
}

/// Over all accepted steps until a time: the largest violation of velocities, by the velocities of the integration and by those
/// that are shown, times the step, which is the displacement that belongs to it.
fn at_steps(simulation: &mut Simulation, until: f64) -> [f64; 2] {
    let mut most = [0.0_f64; 2];
    let mut last = simulation.time();
    while !simulation.step_towards(until).unwrap() {
        let h = simulation.time() - last;
        last = simulation.time();
        let own = own(simulation);
        let part = simulation.part();
        let shown = part.state.span(part.system.layout.velocity).to_vec();
        let found = [own, shown].map(|velocity| violation(simulation, &velocity));
        for (most, found) in most.iter_mut().zip(found) {
            *most = most.max(h * found);
        }
    }
    most
}

/// The largest violation of velocities at instants that are shown, most of them within steps.
fn shown(simulation: &mut Simulation, until: f64) -> f64 {
    let mut most = 0.0_f64;
    while simulation.time() < until - 1e-9 {
        simulation.step().unwrap();
        most = most.max(simulation.figure(Figure::VelocityViolation));
    }
    most
}

#[test]
fn si2_and_si1_keep_velocities_and_i3_does_not() {
    let until = 0.4;
    for name in EXAMPLES {
        for error in [1e-3, 1e-5] {
            let mut kept = 0.0_f64;
            for scheme in [
                (IntegratorKind::Hastiff, Formulation::Si1),
                (IntegratorKind::Hastiff, Formulation::Si2),
                (IntegratorKind::Wstiff, Formulation::Si2),
                (IntegratorKind::Gstiff, Formulation::Si2),
            ] {
                let [own, at] = at_steps(&mut begun(name, scheme, error), until);
                assert!(
                    own < MARGIN * NEWTON * error && at == own,
                    "{name} {scheme:?} {error:e}: {own:e} {at:e}"
                );
                let between = shown(&mut begun(name, scheme, error), until);
                assert!(between < 1e-9, "{name} {scheme:?} {error:e}: {between:e}");
                kept = kept.max(own);
            }
            for integrator in [IntegratorKind::Wstiff, IntegratorKind::Gstiff] {
                let scheme = (integrator, Formulation::I3);
                let [own, at] = at_steps(&mut begun(name, scheme, error), until);
                assert!(
                    own > 2.0 * NEWTON * error && own > 2.0 * kept,
                    "{name} {integrator:?} {error:e}: {own:e} {kept:e}"
                );
                // What is shown is projected.
                assert!(at < 1e-9, "{name} {integrator:?} {error:e}: {at:e}");
            }
        }
    }
}
