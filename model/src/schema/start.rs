//! Control plane: declares the types of the start of a run, as the file writes it.

use crate::read::schema;

schema! {
    /// How the model starts. Default: at its initial conditions, with all loads at once.
    Start {
        /// Static equilibrium before the run. Default: none.
        equilibrium: Option<Equilibrium>,
        /// Loads that grow smoothly from zero. Default: none.
        ramp: Option<Ramp>,
    }

    /// Static equilibrium before the run, found from the assembled initial conditions.
    Equilibrium {
        /// Most Newton iterations, 1 to 100000. Default: 100.
        iterations: Option<i64>,
        /// Most steps of the damped fall-back, 0 to 10000000. Default: 2000.
        settling_steps: Option<i64>,
        /// Largest imbalance of a part relative to the loads on it, 1e-14 to 0.1. Default: 1e-9.
        tolerance: Option<f64>,
        /// Largest travel of a part in one iteration, more than zero [length]. Default: the largest
        /// distance of a marker from its part's centre of mass.
        translation_limit: Option<f64>,
        /// Largest turn of a part in one iteration, more than zero [angle]. Default: 0.2 rad.
        angle_limit: Option<f64>,
        /// Keep the states of differential equations at their initial values, instead of finding
        /// where they rest. Default: false.
        hold_states: Option<bool>,
    }

    /// A quintic ramp from 0 at the start to 1.
    Ramp {
        /// How long it takes, more than zero [time].
        duration: f64,
        /// Gravity is multiplied by it. Default: true.
        gravity: Option<bool>,
        /// Inputs go by it from their `start` to the value that is set. Default: false.
        inputs: Option<bool>,
    }
}
