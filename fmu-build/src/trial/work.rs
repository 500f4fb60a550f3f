//! Control plane: decides how far a trial goes. Work is estimated, not timed, so the same model is tried equally far
//! on every computer and every time, and its verdict is the same.

use fixstep_kernel::mechanism::{BodyKind, ForceKind, Mechanism, SolverSettings};

/// Work of a trial, in seconds on a desktop computer.
const WORK: f64 = 2.0;
/// Parts that an experiment is tried by: whole ones, and one at least.
const PARTS: u64 = 20;

/// Seconds that an iteration takes for each unknown,
const UNKNOWN: f64 = 0.06e-6;
/// each force and equation,
const FORCE: f64 = 0.8e-6;
/// and each contact or tyre.
const CONTACT: f64 = 5e-6;
/// Seconds for reading an output.
const OUTPUT: f64 = 0.2e-6;
/// Seconds for the rest of a step.
const REST: f64 = 1e-6;

/// Estimated work of an integration step, in seconds on a desktop computer, from the contents of the mechanism.
pub(super) fn of_a_step(mechanism: &Mechanism, settings: &SolverSettings) -> f64 {
    let coordinates = mechanism.bodies.iter().map(|body| {
        let modes = body.flexible.as_ref().map_or(0, |flex| flex.modes.len());
        modes
            + match body.kind {
                BodyKind::Ground => 0,
                BodyKind::Point => 3,
                BodyKind::Rigid | BodyKind::Flexible => 6,
            }
    });
    let constraints = 5 * mechanism.joints.len()
        + mechanism.couplers.len()
        + mechanism.general_constraints.len()
        + mechanism.motions.len();
    let equations = mechanism.equations.len();
    let unknowns = coordinates.sum::<usize>() + constraints + equations;
    let is_contact = |kind: &ForceKind| matches!(kind, ForceKind::Contact(_) | ForceKind::Tyre(_));
    let forces = mechanism.forces.iter();
    let contacts = forces.filter(|force| is_contact(&force.kind)).count();
    let iterations = if settings.linearly_implicit {
        1
    } else {
        settings.fixit
    };
    let iteration = UNKNOWN * unknowns as f64
        + FORCE * (mechanism.forces.len() + equations) as f64
        + CONTACT * contacts as f64;
    f64::from(iterations) * iteration + OUTPUT * mechanism.outputs.len() as f64 + REST
}

/// The number of communication steps of a trial, from the number in the experiment and the work of each: as many
/// twentieths of the experiment as the allowed work covers.
pub(super) fn rows(steps: u64, work: f64) -> u64 {
    let parts = (WORK * PARTS as f64 / (work * steps.max(1) as f64)) as u64;
    (steps * parts.clamp(1, PARTS)).div_ceil(PARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_is_tried_by_whole_parts() {
        // 1000 steps of 1 ms of work take 1 s.
        assert_eq!(rows(1000, 1e-3), 1000);
        assert_eq!(rows(1000, 1.9e-3), 1000);
        assert_eq!(rows(1000, 4e-3), 500);
        assert_eq!(rows(1000, 4.1e-3), 450);
        // Whatever the work, a twentieth is tried, which is a third of the run's own work.
        assert_eq!(rows(1000, 1.0), 50);
        assert_eq!((rows(0, 1.0), rows(1, 1.0), rows(7, 1e3)), (0, 1, 1));
    }
}
