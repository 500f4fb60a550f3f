//! Control plane: the entry points for linear analysis of a simulation.

use super::{Part, Simulation, StartError};
use crate::analysis::linearization::{Linearization, NoLinearization, linearization};
use crate::analysis::tangents::{Tangents, tangents};
use alloc::format;

impl Simulation {
    /// The tangents of all equations at the present state: after [`Self::initialize`] or any accepted step, with the
    /// present inputs and parameters. The Newton matrix of a step consists of them, (TAN-1) in
    /// docs/theory/derivatives.md. There are no finite differences, and the run is not affected. Control plane:
    /// compiles the mechanism anew.
    ///
    /// The memory of samples, sensors, contacts and delays stays fixed.
    pub fn tangents(&self) -> Result<Tangents, StartError> {
        let Part { system, state, .. } = &*self.run;
        let found = tangents(&self.mechanism, &self.redundancy.keep, (system, state));
        found.map_err(StartError::from)
    }

    /// The linear form at the present positions, velocities, states and inputs: after [`Self::initialize`] or any
    /// accepted step. Accelerations and multipliers are computed anew, so the result does not depend on the scheme;
    /// the run is not affected. Control plane: compiles the mechanism anew.
    ///
    /// The memory of samples, sensors and contacts stays fixed; delays are open.
    pub fn linearization(&self) -> Result<Linearization, StartError> {
        let Part { system, state, .. } = &*self.run;
        let found = linearization(&self.mechanism, &self.redundancy.keep, (system, state));
        found.map_err(|failure| match failure {
            NoLinearization::Accelerations(failure) => self.explain(failure),
            NoLinearization::Compile(error) => error.into(),
            NoLinearization::Moves { constraint } => StartError::from(format!(
                "{constraint} moves: the linear form of a joint on a curve or of a general constraint is available \
                 at rest only; linearise at a state where its parts rest, or hold them by other joints"
            )),
        })
    }
}
