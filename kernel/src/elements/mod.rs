//! Data plane: the mechanics of all elements. They are pure functions: they map kinematics to loads, violations and
//! derivatives, and hold no state.
//!
//! Reading order: [`kinematics`] (bodies, markers, derivatives), [`wrench`] (how loads reach bodies), [`bodies`],
//! [`angle`], [`constraints`], [`curves`], [`joints`], [`forces`], [`measures`].

pub mod angle;
pub mod bodies;
pub mod constraints;
pub mod curves;
pub mod flexible;
pub mod forces;
pub mod joints;
pub mod kinematics;
pub mod measures;
pub mod wrench;
