//! Control plane: the start of a run as it is written in the file.

use crate::read::schema;

schema! {
    /// Start of the run. Default: from the assembled initial conditions, with all loads at once.
    Start {
        /// Static equilibrium before the run. Default: none.
        equilibrium: Option<Equilibrium>,
        /// Loads that grow smoothly from zero. Default: none.
        ramp: Option<Ramp>,
    }

    /// Static equilibrium before the run, found from the assembled initial conditions.
    Equilibrium {
        /// Largest number of Newton iterations, 1 to 100000. Default: 100.
        iterations: Option<i64>,
        /// Largest number of steps of the damped fall-back method, 0 to 10000000. Default: 2000.
        settling_steps: Option<i64>,
        /// Largest permitted imbalance of a part, relative to the loads on it, 1e-14 to 0.1. Default:
        /// 1e-9.
        tolerance: Option<f64>,
        /// Largest travel of a part in one iteration, more than zero [length]. Default: the largest
        /// distance of a marker from its part's centre of mass.
        translation_limit: Option<f64>,
        /// Largest turn of a part in one iteration, more than zero [angle]. Default: 0.2 rad.
        angle_limit: Option<f64>,
        /// Do the states of differential equations keep their initial values? Default: false, they take
        /// the values for which their rates are zero.
        hold_states: Option<bool>,
    }

    /// A factor that rises from 0 at the start to 1, by a quintic.
    Ramp {
        /// Duration of the rise, more than zero [time].
        duration: f64,
        /// Is gravity multiplied by the factor? Default: true.
        gravity: Option<bool>,
        /// Do inputs rise by the factor from their `start` to the value that is set? Default: false.
        inputs: Option<bool>,
    }
}
