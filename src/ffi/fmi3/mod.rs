//! Control plane: FMI 3.0 for co-simulation, 75 functions.

pub mod clocks;
pub mod derivatives;
pub mod exports;
pub mod get_set;
pub mod model_exchange;
pub mod state;
pub mod step;
pub mod types;
