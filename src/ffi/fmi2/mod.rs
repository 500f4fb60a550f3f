//! Control plane: FMI 2.0 for co-simulation, 44 functions.

pub mod exports;
pub mod model_exchange;
pub mod state;
pub mod types;
pub mod values;
