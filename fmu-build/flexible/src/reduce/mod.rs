//! Control plane: Craig–Bampton reduction of a finite-element model to a flexible body.
//!
//! Reading order: [`condense`] makes interfaces from nodes and spiders, [`rigid`] the motions of a rigid body,
//! [`basis`] the modes with the interfaces held and the constraint modes, [`orthonormal`] the modes of the free body,
//! [`compliance`] the cost of a choice of modes, [`integrals`] the inertia invariants, `body` the result, [`report`]
//! the summary. The formulas are in docs/theory/reduction.md.

pub mod basis;
mod body;
pub mod compliance;
pub mod condense;
pub mod integrals;
pub mod loads;
mod options;
pub mod orthonormal;
pub mod report;
pub mod rigid;
mod surroundings;

pub use options::{Interface, Load, NormalModes, Options, Reference};
pub use report::Report;

use fixstep_kernel::flex::FlexData;

use crate::fe::FeModel;
use crate::sparse::{FactorError, ModeError};

/// Why a model was not reduced.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReduceError {
    /// Sizes or numbers of the model.
    #[error("the finite-element model: {0}")]
    Model(String),
    /// An interface.
    #[error("interface {name:?}: {message}")]
    Interface {
        /// Its name.
        name: String,
        /// The fault, and what would be valid.
        message: String,
    },
    /// Another option.
    #[error("{0}")]
    Option(String),
    /// K is not positive definite with the interfaces held.
    #[error(
        "the stiffness matrix is not positive definite with the interfaces held, seen at {place}: valid are \
         models whose only motions without stiffness are those of a rigid body (no loose parts, no nodes \
         without elements, no buckled preload)"
    )]
    Stiffness {
        /// Node and direction.
        place: String,
    },
    /// M is not positive semidefinite.
    #[error("the mass matrix is not positive semidefinite: {0}")]
    Mass(String),
    /// The model resists rigid motion.
    #[error(
        "the model resists a rigid {motion}: it is fixed to the ground; valid: a model without supports and \
         without springs to the ground (interfaces are held by the reduction itself)"
    )]
    Grounded {
        /// `translation along x`, ...
        motion: String,
    },
    /// Not six rigid modes.
    #[error("{0}")]
    RigidModes(String),
    /// The modes were not found.
    #[error("the modes with held interfaces: {0}")]
    Modes(String),
}

impl ReduceError {
    fn of_factor(error: FactorError, place: impl FnOnce(usize) -> String) -> Self {
        match error {
            FactorError::Indefinite(row) => Self::Stiffness { place: place(row) },
            FactorError::Memory => Self::Modes(error.to_string()),
        }
    }

    fn of_modes(error: ModeError, place: impl FnOnce(usize) -> String) -> Self {
        match error {
            ModeError::Factor(error) => Self::of_factor(error, place),
            ModeError::Mass => {
                Self::Mass("a motion with the interfaces held has negative mass".to_owned())
            }
            ModeError::Slow { .. } => Self::Modes(error.to_string()),
        }
    }
}

/// Reduces a model. `progress` receives the present task and the share of it that is done (0 to 1).
pub fn reduce(
    model: &FeModel,
    options: &Options,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<(FlexData, Report), ReduceError> {
    options.check(model)?;
    progress("interfaces", 0.0);
    let condensed = condense::Condensed::new(model, &options.interfaces)?;
    let rigid = rigid::Rigid::new(&condensed)?;
    rigid.require_free_body(&condensed)?;
    let basis = basis::Basis::new(&condensed, &rigid, options, progress)?;
    progress("modes of the free body", 0.0);
    let found = if options.orthonormalise {
        orthonormal::orthonormal(&condensed, &rigid, &basis, options.rigid_tolerance)?
    } else {
        orthonormal::framed(&condensed, &rigid, &basis)?
    };
    if options.orthonormalise {
        found.require_six(&condensed)?;
    }
    let shares = compliance::Compliance::new(&condensed, &rigid, &found);
    let kept = shares.choice(&found, options);
    let chosen = found.selected(&kept);
    progress("inertia invariants", 0.0);
    body::assemble(model, options, &condensed, &chosen, progress).map(|body| {
        let report = report::Report::new(&condensed, &basis, &found, &shares, &kept, &body);
        (body, report)
    })
}
