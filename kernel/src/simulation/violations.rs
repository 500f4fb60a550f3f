//! Data plane: joints and motions that do not hold, in a mechanism that comes apart while its equations go on.

use super::{Part, Simulation};
use crate::analysis::{characteristic_length, owner_name};
use crate::system::Owner;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The largest violation that a joint can bear and still be one, in characteristic lengths and radians.
const BEARABLE: f64 = 0.01;

/// A joint or motion that does not hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Its place in [`Simulation::constraint_names`].
    pub constraint: u32,
    /// By how much \[m, rad\].
    pub amount: f64,
    /// Is it an angle?
    pub is_angle: bool,
}

impl Simulation {
    /// One over what each row of joints and motions can bear; zero for the others, whose functions are of any
    /// size. Control plane.
    pub(super) fn bearable(part: &Part) -> Vec<f64> {
        let system = &part.system;
        let length = characteristic_length(system);
        let mut shares = vec![0.0; system.rows.len()];
        for group in &system.groups {
            if !matches!(group.owner, Owner::Joint(_) | Owner::Motion(_)) {
                continue;
            }
            for r in group.rows.range() {
                let angular = system.rows[r].law.is_angular() == Some(true);
                shares[r] = 1.0 / (BEARABLE * if angular { 1.0 } else { length });
            }
        }
        shares
    }

    /// The joint or motion that is farthest from holding at the last accepted step, if one is violated by more
    /// than it can bear. Data plane.
    pub fn violation(&self) -> Option<Violation> {
        let Part { system, ws, .. } = &self.run;
        let (mut most, mut worst) = (1.0, None);
        for (g, group) in system.groups.iter().enumerate() {
            for r in group.rows.range() {
                let share = (ws.violations[r] * self.bearable[r]).abs();
                if share > most {
                    (most, worst) = (share, Some((g, r)));
                }
            }
        }
        let (constraint, row) = worst?;
        Some(Violation {
            constraint: u32::try_from(constraint).unwrap_or(u32::MAX),
            amount: ws.violations[row].abs(),
            is_angle: system.rows[row].law.is_angular() == Some(true),
        })
    }

    /// What the constraints are called, in the order of [`Violation::constraint`]. Control plane.
    pub fn constraint_names(&self) -> Vec<String> {
        let groups = self.run.system.groups.iter();
        groups
            .map(|group| owner_name(&self.mechanism, group.owner))
            .collect()
    }
}
