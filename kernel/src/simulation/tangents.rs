//! Control plane: the door for linear analysis.

use super::{Part, Simulation, StartError};
use crate::analysis::linearization::{Linearization, NoLinearization, linearization};
use crate::analysis::tangents::{Tangents, tangents};

impl Simulation {
    /// The tangents of all equations at the present state: after [`Self::initialize`] or any accepted step, with inputs
    /// and parameters as they are set. They are what the Newton matrix of a step is made of, (TAN-1) in
    /// docs/theory/derivatives.md; nothing is differenced, and nothing of the run changes. Control plane: compiles the
    /// mechanism anew.
    ///
    /// What samples, sensors, contacts and delays remember stays as it is.
    pub fn tangents(&self) -> Result<Tangents, StartError> {
        let Part { system, state, .. } = &*self.run;
        let found = tangents(&self.mechanism, &self.redundancy.keep, (system, state));
        found.map_err(StartError::from)
    }

    /// The linear form near the present positions, velocities, states and inputs: after [`Self::initialize`] or any accepted
    /// step. Accelerations and multipliers are found anew, so that no scheme has a say; nothing of the run changes. Control
    /// plane: compiles the mechanism anew.
    ///
    /// What samples, sensors and contacts remember stays as it is; delays are open.
    pub fn linearization(&self) -> Result<Linearization, StartError> {
        let Part { system, state, .. } = &*self.run;
        let found = linearization(&self.mechanism, &self.redundancy.keep, (system, state));
        found.map_err(|failure| match failure {
            NoLinearization::Accelerations(failure) => self.explain(failure),
            NoLinearization::Because(reason) => StartError::from(reason),
        })
    }
}
