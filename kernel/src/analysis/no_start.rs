//! Control plane: why the analyses of the start fail.

use alloc::string::String;

/// Why there is no consistent start, as far as the analyses of poses, velocities and equilibrium can tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoStart {
    /// A matrix of an analysis is singular.
    #[error("the start analysis encountered a singular matrix")]
    Singular,
    /// A constraint of the assembly is not a number.
    #[error("the assembly encountered numbers that are not finite")]
    NotFinite,
    /// The constraints do not close.
    #[error(
        "the mechanism cannot be assembled: these do not close, or contradict each other: {rows}; check the \
         markers' positions and axes, and initial conditions and motions against the joints{misfits}{exact}"
    )]
    NotAssembled {
        /// The rows that are farthest from closed.
        rows: String,
        /// Constraints without which the others close, if any.
        misfits: String,
        /// Parts that are held by exact coordinates, if any.
        exact: String,
    },
    /// More rows are redundant than near by.
    #[error(
        "the mechanism starts in a singular position, where it can branch or lock: only in this position is redundant: \
         {rows}; start it a little to one side, or drive it by another joint"
    )]
    SingularPosition {
        /// The rows that are redundant here only.
        rows: String,
    },
    /// A motion drives a constrained direction.
    #[error(
        "other constraints already determine the coordinate of a motion: {rows}; remove it or those constraints"
    )]
    DrivesHeld {
        /// The redundant rows of motions.
        rows: String,
    },
    /// The rates of constraints contradict one another.
    #[error(
        "velocities cannot be made consistent: these contradict each other: {rows}; check motions and initial velocities \
         against the joints{held}"
    )]
    Velocities {
        /// The rows with the largest rates.
        rows: String,
        /// What to say if the mechanism has no freedom left.
        held: &'static str,
    },
    /// A load at the start is not a number.
    #[error(
        "static equilibrium: at the initial poses a load is not a finite number; look for a division by zero, or a root \
         or logarithm of a negative number"
    )]
    Load,
    /// The search for equilibrium ends out of balance.
    #[error(
        "no static equilibrium was found in {iterations} Newton iterations and {steps} damped steps; out of balance: \
         {parts}; check that joints, springs, contacts or brakes hold these parts, start nearer to the equilibrium, or \
         raise start.equilibrium.settling_steps"
    )]
    Unbalanced {
        /// Newton iterations.
        iterations: u32,
        /// Damped steps.
        steps: u32,
        /// What is out of balance, and by how much.
        parts: String,
    },
}
