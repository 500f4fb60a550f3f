//! Data plane: figures of the solver, such as energies and residuals, for outputs.

use super::{Part, Simulation};
use crate::state::{Counter, StateFigure};
use crate::system::energy;
use crate::system::residual::{Level, kinetic_energy, largest_violation, potential_energy};
use serde::{Deserialize, Serialize};

/// Figures of the solver that can be read during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Figure {
    /// `solver.steps` (integer)
    Steps,
    /// `solver.residual`
    Residual,
    /// `solver.constraint_violation`
    ConstraintViolation,
    /// `solver.velocity_violation`
    VelocityViolation,
    /// `solver.local_error`
    LocalError,
    /// `solver.jacobians` (integer): Jacobians of the last step.
    Jacobians,
    /// `solver.fallbacks` (integer): steps that needed the dense factorisation.
    Fallbacks,
    /// `energy.kinetic` \[J\]
    KineticEnergy,
    /// `energy.potential` \[J\]: gravity, springs, bushings.
    PotentialEnergy,
    /// `energy.strain` \[J\]: stored in elastic force elements; part of `energy.potential`.
    StrainEnergy,
    /// `energy.work` \[J\]: done on the mechanism since the start.
    Work,
    /// `energy.dissipated` \[J\]: since the start.
    DissipatedEnergy,
    /// `energy.error` \[J\]: kinetic and potential energy, less the balance of work and dissipation.
    EnergyError,
    /// `power.work` \[W\]
    WorkPower,
    /// `power.dissipated` \[W\]
    DissipatedPower,
    /// `solver.drift_correction`: the largest correction by which formulation SI2 reconciles positions and
    /// velocities.
    DriftCorrection,
    /// `solver.degraded` (integer): steps whose factors lost more than half of their digits.
    Degraded,
}

impl Simulation {
    /// A figure of the solver.
    pub fn figure(&self, figure: Figure) -> f64 {
        let Part { system, state, ws } = &*self.run;
        let of = |f: StateFigure| state.figure(&system.layout, f);
        let count = |c: Counter| state.counter(c) as f64;
        let account = || energy::Account::of(system, state, ws);
        let violation = |level| largest_violation(system, ws, level);
        match figure {
            Figure::Residual => of(StateFigure::Residual),
            Figure::ConstraintViolation => violation(Level::Position),
            Figure::VelocityViolation => violation(Level::Velocity),
            Figure::LocalError => of(StateFigure::LocalError),
            Figure::DriftCorrection => of(StateFigure::DriftCorrection),
            Figure::Steps => count(Counter::Steps),
            Figure::Jacobians => count(Counter::Jacobians),
            Figure::Fallbacks => count(Counter::Fallbacks),
            Figure::Degraded => count(Counter::Degraded),
            Figure::KineticEnergy => kinetic_energy(system, state, ws),
            Figure::PotentialEnergy => potential_energy(system, state, ws),
            Figure::StrainEnergy => energy::strain_energy(system, state, ws),
            Figure::Work => account().work,
            Figure::DissipatedEnergy => account().dissipated,
            Figure::WorkPower => account().work_power,
            Figure::DissipatedPower => account().dissipated_power,
            Figure::EnergyError => account().error,
        }
    }
}
