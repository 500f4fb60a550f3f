//! Fixstep: flexible-multibody dynamics that *is* a Functional Mock-up Unit.
//!
//! One equation, advanced in fixed steps of fixed work:
//!
//! ```text
//!     M(x) u̇ = Q(x, u, t) − Gᵀ λ          motion
//!     Φ(x, t) = 0                          constraints,  G = ∂Φ/∂x
//!     x_{n+1} = x_n ∘ exp(h u …)           poses on SE(3), one tile of unknowns per body
//! ```
//!
//! Reading order: [`ids`], [`limits`], [`math`], [`linalg`], [`expr`], [`fingerprint`], [`flex`], [`model`], [`elements`], [`system`],
//! [`state`], [`workspace`], [`integrator`], [`analysis`], [`simulation`], [`variables`], [`rti`],
//! [`instance`], [`ffi`].

pub mod analysis;
pub mod elements;
pub mod expr;
pub mod ffi;
pub mod fingerprint;
pub mod flex;
pub mod ids;
pub mod instance;
pub mod integrator;
pub mod limits;
pub mod linalg;
pub mod lint;
pub mod math;
pub mod model;
pub mod rti;
pub mod simulation;
pub mod state;
pub mod system;
pub mod variables;
pub mod workspace;
