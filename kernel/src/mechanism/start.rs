//! Control plane: the settings of a mechanism's start.

use serde::{Deserialize, Serialize};

/// How a model starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartSettings {
    /// Start in static equilibrium?
    pub equilibrium: bool,
    /// Include inertial loads of the steady rotation that motions drive? Linear analyses request it, models do not.
    #[serde(skip)]
    pub turning: bool,
    /// Iteration limit of Newton's search, 1 or more.
    pub iterations: u32,
    /// Number of steps of the damped fallback, 0 or more.
    pub settling_steps: u32,
    /// Largest imbalance of a part, relative to the loads on it.
    pub tolerance: f64,
    /// Largest displacement of a part in one iteration \[m\]; `None` for the characteristic length.
    pub translation_limit: Option<f64>,
    /// Largest rotation of a part in one iteration \[rad\].
    pub angle_limit: f64,
    /// Keep the initial values of states of differential equations, instead of finding where they rest?
    pub hold_states: bool,
    /// Time in which gravity and inputs grow to their full values \[s\]; 0 for at once.
    pub ramp: f64,
    /// Does the ramp apply to gravity?
    pub ramp_gravity: bool,
    /// Does the ramp apply to inputs, from their `start` values?
    pub ramp_inputs: bool,
}

impl Default for StartSettings {
    fn default() -> Self {
        Self {
            equilibrium: false,
            turning: false,
            iterations: 100,
            settling_steps: 2000,
            tolerance: 1e-9,
            translation_limit: None,
            angle_limit: 0.2,
            hold_states: false,
            ramp: 0.0,
            ramp_gravity: true,
            ramp_inputs: false,
        }
    }
}
