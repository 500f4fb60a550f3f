//! Data plane: the mechanics. Elements own nothing; they map kinematics to numbers.
//!
//! Reading order: [`kinematics`] (bodies, markers, derivatives), [`wrench`] (how loads reach
//! bodies), [`bodies`], [`angle`], [`constraints`], [`curves`], [`joints`], [`forces`], [`measures`].

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
