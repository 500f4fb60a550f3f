//! Data plane: the reasons for which a step fails.

use crate::linalg::BlockId;
use crate::mechanism::Alarm;
use crate::system::entity::Entity;

/// Why a step failed. The state is still that of the last accepted step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StepFailure {
    /// No consistent start has been computed.
    NotStarted,
    /// Local error above MAXERR: estimate, limit, and what has the largest error.
    LocalError {
        /// Estimate [user length units or rad].
        estimate: f64,
        /// Limit, likewise.
        limit: f64,
        /// What has the largest error.
        entity: Entity,
    },
    /// A number is not finite.
    NotFinite(Entity),
    /// The guard rejects the step.
    Guard(Alarm),
    /// A variable step would become shorter than the shortest one.
    TooShort {
        /// The step \[s\].
        step: f64,
        /// Does Newton's iteration not converge, rather than the error stay too large?
        newton: bool,
        /// What has the largest error, or the largest of Newton's corrections.
        entity: Entity,
    },
    /// So many variable steps have not reached the end of a communication step.
    Endless {
        /// Their number.
        steps: u32,
        /// What had the largest error in most of them.
        entity: Entity,
    },
    /// An instant of a kinematic or quasi-static run cannot be reached; [`crate::simulation::Simulation::halt`] knows why.
    Instant,
    /// The equations of motion give no accelerations at an instant that is shown.
    NoAccelerations,
    /// The Newton matrix is singular: factorisation failed at this block.
    Singular(BlockId),
}

impl StepFailure {
    /// What it is about, as far as that is an element.
    pub fn entity(&self) -> Entity {
        match self {
            Self::LocalError { entity, .. }
            | Self::TooShort { entity, .. }
            | Self::Endless { entity, .. }
            | Self::NotFinite(entity) => *entity,
            Self::Singular(block) => Entity::from(*block),
            Self::NotStarted | Self::Guard(_) | Self::Instant | Self::NoAccelerations => {
                Entity::default()
            }
        }
    }
}
