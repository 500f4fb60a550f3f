//! Data plane: limits of effort that Newton's iteration jumps across.
//!
//! A drive at its limit has no slope. With a gain that is large for the step the next iterate then lies far beyond the other limit,
//! and the one after it beyond the first again: the straight part of (DRV-3) between them, where the solution is, is never seen.
//! So where two iterates in a row are held by opposite limits, the second is taken as if there were no limit: its tangent is
//! that of the straight part, and the next iterate shows whether the drive stays on it. (Programs for circuits limit the voltages of
//! diodes to the same end: Nagel, *SPICE2*, 1975.) A drive that is not at its limit in the solution has it then to rounding; the
//! limits count in what is accepted.

use crate::elements::forces::{ForceLaw, drive};
use crate::state::State;
use crate::system::{System, eval};
use crate::workspace::Workspace;
use alloc::vec::Vec;

/// The first iteration that may cross limits: before, shares of corrections (COR-2) find back where one drive jumps, and the iterates of
/// many that jump at once say little of their sides.
pub const FIRST_CROSSING: usize = 2;

/// The drives with a limit of effort.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Each by its number among the forces, with the limit that held it in the last iterate: 1 the upper one, −1 the lower
    /// one, 0 none.
    drives: Vec<(usize, i8)>,
    /// Whether limits may be crossed in this iteration: not in the last one of a step, whose iterate is accepted, nor with a kept
    /// Jacobian, which does not have the tangent that is wanted.
    pub may_cross: bool,
}

impl Limits {
    /// Those of a system.
    pub fn new(system: &System) -> Self {
        let forces = system.forces.iter().enumerate();
        let limited = forces.filter(
            |(_, force)| matches!(&force.law, ForceLaw::JointDrive(law) if law.limits.effort),
        );
        Self {
            drives: limited.map(|(f, _)| (f, 0)).collect(),
            may_cross: false,
        }
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.drives.iter_mut().for_each(|(_, side)| *side = 0);
    }

    /// Decides whose limits do not count at the iterate in the workspace; is there any?
    pub fn cross(&mut self, system: &System, state: &State, ws: &mut Workspace) -> bool {
        let mut any = false;
        for (f, last) in &mut self.drives {
            let ForceLaw::JointDrive(law) = &system.forces[*f].law else {
                continue;
            };
            let side = drive::side(law, &eval::context(system, state, ws, *f));
            let jumped = self.may_cross && side * *last < 0;
            ws.unlimited[*f] = jumped;
            *last = if jumped { 0 } else { side };
            any |= jumped;
        }
        any
    }

    /// All limits count.
    pub fn restore(&self, ws: &mut Workspace) {
        for (f, _) in &self.drives {
            ws.unlimited[*f] = false;
        }
    }
}
