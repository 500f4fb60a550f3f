//! The kernel of Fixstep: a multibody solver that advances a mechanism, given as plain data, in fixed steps of fixed
//! work.
//!
//! ```text
//!     M(x) u̇ = Q(x, u, t) − Gᵀ λ          motion
//!     Φ(x, t) = 0                          constraints,  G = ∂Φ/∂x
//!     x_{n+1} = x_n ∘ exp(h u …)           poses on SE(3), one tile of unknowns per body
//! ```
//!
//! Nothing here reads the text of a model, a file or a clock, or depends on FMI. Without the feature `std` it needs
//! an allocator but no operating system.
//!
//! Reading order: [`ids`], [`limits`], [`seconds`], [`shared`], [`math`], [`linalg`], [`expr`], [`fingerprint`],
//! [`flex`], [`mechanism`], [`elements`], [`system`], [`state`], [`workspace`], [`integrator`], [`guard`],
//! [`analysis`], [`lint`], [`simulation`].

#![no_std]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod analysis;
pub mod elements;
pub mod expr;
pub mod fingerprint;
pub mod flex;
pub mod guard;
pub mod ids;
pub mod integrator;
pub mod limits;
pub mod linalg;
pub mod lint;
pub mod math;
pub mod mechanism;
pub mod seconds;
pub mod shared;
pub mod simulation;
pub mod state;
pub mod system;
pub mod variable;
pub mod workspace;
