//! Control plane: how a mechanism starts.

use serde::{Deserialize, Serialize};

/// How a model starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartSettings {
    /// Begin in static equilibrium.
    pub equilibrium: bool,
    /// Let what motions turn steadily have its inertia in that: who linearises asks for it, no model does.
    #[serde(skip)]
    pub turning: bool,
    /// Newton iterations of the search, 1 or more.
    pub iterations: u32,
    /// Steps of the damped fall-back, 0 or more.
    pub settling_steps: u32,
    /// Largest imbalance of a part, relative to the loads on it.
    pub tolerance: f64,
    /// Largest travel of a part in one iteration \[m\]; `None`: the characteristic length.
    pub translation_limit: Option<f64>,
    /// Largest turn of a part in one iteration \[rad\].
    pub angle_limit: f64,
    /// Keep the states of differential equations, instead of finding where they rest.
    pub hold_states: bool,
    /// How long gravity and inputs take to their full values \[s\]; 0: they are there at once.
    pub ramp: f64,
    /// The ramp takes gravity.
    pub ramp_gravity: bool,
    /// The ramp takes the inputs, from their `start` values.
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
