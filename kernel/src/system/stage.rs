//! Data plane: the stages of an evaluation, as types.
//!
//! An evaluation has stages, and each reads what the stages before it left in the workspace:
//!
//! | stage           | what is known                                                 | made by                          |
//! |-----------------|---------------------------------------------------------------|----------------------------------|
//! | [`Placed`]      | motion of bodies and markers, at one state                    | [`eval::kinematics_at_state`], [`eval::moving_markers`] |
//! | [`Constrained`] | and Φ, unit wrenches and reactions of the constraints         | [`eval::constraint_wrenches`]    |
//! | [`Evaluated`]   | and values of expressions, wrenches of forces                 | [`residual::evaluate`]           |
//! | [`Differentiated`] | and gradients of expressions and wrenches at some weights  | [`gradients::evaluate`]          |
//! | [`Balanced`]    | and the residual, in `rhs`, with the loads of flexible bodies | [`residual::assemble`], [`residual::motion`] |
//!
//! A function that reads what a stage computes asks for the stage. A stage borrows the workspace, so nothing else can
//! write there while it exists. `kept` names a stage that lasts: of a workspace that still is as a function left it.
//!
//! [`eval::kinematics_at_state`]: crate::system::eval::kinematics_at_state
//! [`eval::moving_markers`]: crate::system::eval::moving_markers
//! [`eval::constraint_wrenches`]: crate::system::eval::constraint_wrenches
//! [`residual::evaluate`]: crate::system::residual::evaluate
//! [`gradients::evaluate`]: crate::system::gradients::evaluate
//! [`residual::assemble`]: crate::system::residual::assemble
//! [`residual::motion`]: crate::system::residual::motion

use crate::elements::constraints::Target;
use crate::math::Vec3;
use crate::state::State;
use crate::system::{System, eval};
use crate::workspace::Workspace;
use core::ops::Deref;

macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<'w>(pub(in crate::system) &'w mut Workspace);

        impl<'w> $name<'w> {
            /// The stage of a workspace that has been brought there and not been changed since.
            #[inline]
            pub fn kept(ws: &'w mut Workspace) -> Self {
                Self(ws)
            }

            /// Ends the stage, so that the workspace can be changed.
            #[inline]
            pub fn release(self) -> &'w mut Workspace {
                self.0
            }
        }

        impl Deref for $name<'_> {
            type Target = Workspace;

            #[inline]
            fn deref(&self) -> &Workspace {
                self.0
            }
        }
    )*};
}

stages! {
    /// Bodies, frames and markers move as a state says.
    Placed;
    /// Constraints are evaluated at their targets.
    Constrained;
    /// Forces and expressions are evaluated.
    Evaluated;
    /// Gradients of forces and expressions are evaluated.
    Differentiated;
    /// The residual is in `rhs`.
    Balanced;
}

impl Placed<'_> {
    /// [`eval::targets`] at this stage.
    pub fn targets(
        &mut self,
        system: &System,
        state: &State,
        time: f64,
        integrated: impl Fn(usize) -> (f64, f64),
    ) {
        eval::targets(system, state, self.0, time, integrated);
    }

    /// The targets, to be set as they were elsewhere.
    pub fn targets_mut(&mut self) -> &mut [Target] {
        &mut self.0.values.targets
    }

    /// Drives whose effort limits are ignored from now on.
    pub fn unlimited_mut(&mut self) -> &mut [bool] {
        &mut self.0.values.unlimited
    }
}

impl Constrained<'_> {
    /// The multipliers, for a correction; the reactions stay those of the multipliers before.
    pub fn multipliers_mut(&mut self) -> &mut [f64] {
        &mut self.0.values.multipliers
    }
}

impl<'w> Evaluated<'w> {
    /// The constraints alone.
    pub fn constrained(self) -> Constrained<'w> {
        Constrained(self.0)
    }
}

impl<'w> Balanced<'w> {
    /// The forces and expressions alone.
    pub fn evaluated(self) -> Evaluated<'w> {
        Evaluated(self.0)
    }

    /// The residual, for terms that a scheme adds.
    pub fn rhs_mut(&mut self) -> &mut [f64] {
        &mut self.0.rhs
    }

    /// Refers the tangents of bodies to rotation vectors from the beginning of a step, here of a body.
    pub fn turn_bodies(&mut self, system: &System, theta: impl Fn(usize) -> Vec3) {
        for body in 0..system.bodies.len() {
            let bodies = &mut self.0.values.bodies;
            bodies[body] = bodies[body].after(&theta(body));
        }
    }
}
