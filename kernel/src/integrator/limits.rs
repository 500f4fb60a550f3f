//! Data plane: helps Newton's iteration when it jumps between the opposite effort limits of a drive.
//!
//! A drive at its limit has zero slope. If its gain is large for the step, the next iterate lies far beyond the other
//! limit, and the one after it beyond the first again. The iteration never reaches the linear part of (DRV-3) between
//! them, where the solution is. So if opposite limits hold two iterates in a row, the second is evaluated without
//! limits: its tangent is that of the linear part, and the next iterate shows whether the drive stays there. (Circuit
//! simulators limit diode voltages for the same reason: Nagel, *SPICE2*, 1975.) A drive whose solution is within its
//! limits then has that solution to rounding. The accepted step always has the limits.

use crate::elements::forces::{ForceLaw, drive};
use crate::state::State;
use crate::system::stage::Placed;
use crate::system::{System, eval};
use crate::workspace::Workspace;
use alloc::vec::Vec;

/// The first iteration that may ignore limits. Before it, damped corrections (COR-2) converge if a single drive
/// jumps; and if many drives jump at once, the first iterates say little about which limits will hold.
pub const FIRST_CROSSING: usize = 2;

/// The drives with an effort limit.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Each by its index among the forces, with the limit that held it in the last iterate: 1 upper, −1 lower, 0
    /// none.
    drives: Vec<(usize, i8)>,
    /// May this iteration ignore limits? Not the last one of a step, whose iterate is accepted, nor one with a kept
    /// Jacobian, which lacks the tangent that is needed.
    pub may_cross: bool,
}

impl Limits {
    /// The drives of a system.
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

    /// Begins a step.
    pub fn begin(&mut self) {
        self.drives.iter_mut().for_each(|(_, side)| *side = 0);
    }

    /// Decides which drives ignore their limits at the iterate in the workspace; are there any?
    pub fn cross(&mut self, system: &System, state: &State, placed: &mut Placed<'_>) -> bool {
        let mut any = false;
        for (f, last) in &mut self.drives {
            let ForceLaw::JointDrive(law) = &system.forces[*f].law else {
                continue;
            };
            let side = drive::side(law, &eval::context(system, state, placed, *f));
            let jumped = self.may_cross && side * *last < 0;
            placed.unlimited_mut()[*f] = jumped;
            *last = if jumped { 0 } else { side };
            any |= jumped;
        }
        any
    }

    /// Restores all limits.
    pub fn restore(&self, ws: &mut Workspace) {
        for (f, _) in &self.drives {
            ws.unlimited[*f] = false;
        }
    }
}
