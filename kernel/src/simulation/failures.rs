//! Control plane: describes failures of a start or step, with the names of the entities involved.

use super::Simulation;
use crate::analysis::accelerations::AccelerationFailure;
use crate::analysis::no_start::NoStart;
use crate::elements::wrench::Wrench;
use crate::linalg::BlockId;
use crate::mechanism::called;
use crate::mechanism::{Inconsistent, NotDerived, ValueRule, ValueSource};
use crate::system::BodyEntry;
use crate::system::compile::error::CompileError;
use crate::system::entity::Entity;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A number of a force above this size overflows in the equations \[SI\].
const ENORMOUS: f64 = 1e100;

/// Why a simulation could not be built or started; the text names the entities.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct StartError {
    /// What is wrong, with which entity, and what would be valid.
    pub message: String,
}

impl From<String> for StartError {
    fn from(message: String) -> Self {
        Self { message }
    }
}

/// Errors that a start passes on word for word.
macro_rules! passed_on {
    ($($error:ty),*) => {
        $(impl From<$error> for StartError {
            fn from(error: $error) -> Self {
                Self::from(error.to_string())
            }
        })*
    };
}

passed_on!(Inconsistent, NotDerived, CompileError, NoStart);

impl Simulation {
    pub(super) fn explain(&self, failure: AccelerationFailure) -> StartError {
        let message = match failure {
            AccelerationFailure::Singular(block) if self.is_of_equations(block) => format!(
                "no consistent start: what these equations are to be solved for does not follow \
                 from them: {}; give other initial values, or write each so that it depends on its \
                 own unknown",
                self.describe(block.into())
            ),
            AccelerationFailure::Empty(equation) => format!(
                "no consistent start: the equation of {} does not change with it at the values of the \
                 start; give another initial value, or an equation that depends on it",
                self.describe(equation.into())
            ),
            AccelerationFailure::Unsettled(equation) => format!(
                "no consistent start: the search for {} does not converge; begin it nearer to the \
                 solution (\"initial\"), or check that there is one",
                self.describe(equation.into())
            ),
            AccelerationFailure::Singular(block) => format!(
                "no accelerations follow from the equations at the start: they are singular at {}; \
                 the mechanism stands in a locked or branching position, or a part that can move \
                 has no mass or inertia",
                self.describe(block.into())
            ),
            AccelerationFailure::Diverged => match self.enormous() {
                Some(what) => format!("no accelerations could be found at the start: {what}"),
                None => {
                    "no accelerations could be found at the start: forces that read accelerations or \
                     reactions do not settle"
                        .to_owned()
                }
            },
            AccelerationFailure::NotFinite(entity) => self.not_finite(entity),
        };
        StartError { message }
    }

    /// What to check if the equations of a step have no unique solution at a block of unknowns.
    pub fn remedy(&self, block: BlockId) -> &'static str {
        if self.is_of_equations(block) {
            "take a smaller step, and look for a derivative that grows with its own unknown, or for an equation that no \
             longer changes with it"
        } else {
            "look for a mechanism in a dead point, or a part without mass"
        }
    }

    /// Does a block hold states or implicit variables?
    fn is_of_equations(&self, block: BlockId) -> bool {
        let equations = &self.run.system.equations;
        equations.iter().any(|entry| entry.block == block)
    }

    /// Names the expressions and forces that are not finite at the start, or else the entity.
    fn not_finite(&self, entity: Entity) -> String {
        let ws = &self.run.ws;
        let finite = |w: &Wrench| w.force.iter().chain(w.torque.iter()).all(|x| x.is_finite());
        let forces = self.mechanism.forces.iter().zip(&ws.force_wrenches);
        let bad: Vec<String> = forces
            .filter(|(_, wrench)| !finite(wrench))
            .map(|(force, _)| format!("force {}", called(&force.name)))
            .collect();
        let motions = self.mechanism.motions.iter().zip(&ws.targets);
        let motions = motions
            .filter(|(_, t)| !(t.value + t.rate + t.acceleration).is_finite())
            .map(|(motion, _)| format!("motion {}", called(&motion.name)));
        let bad: Vec<String> = bad.into_iter().chain(motions).collect();
        if let Some(what) = self.enormous() {
            return format!("no accelerations follow from the equations at the start: {what}");
        }
        let culprits = if bad.is_empty() {
            self.describe(entity)
        } else {
            bad.join(", ")
        };
        format!(
            "no accelerations follow from the equations at the start: {culprits} yields a number that is \
             not finite; look for a division by zero, or a root or logarithm of a negative number"
        )
    }

    /// The number of a force that is too large to compute with, if there is one.
    fn enormous(&self) -> Option<String> {
        for force in &self.mechanism.forces {
            for (field, numbers) in force.kind.numbers() {
                for id in numbers {
                    if let ValueSource::Constant(number) = self.mechanism.values[id.index()].source
                        && number.abs() > ENORMOUS
                    {
                        return Some(format!(
                            "force {}, field {field}: {number:e} in SI units is too large to compute with; check the \
                             number and its unit",
                            called(&force.name)
                        ));
                    }
                }
            }
        }
        None
    }

    /// The name of an entity, for messages: `part "rod"`, `joint "hinge"`.
    pub fn describe(&self, entity: Entity) -> String {
        let system = &self.run.system;
        let named = match entity {
            Entity::Mechanism => None,
            Entity::Block(block) => self.owner_of_block(block),
            Entity::Modal(body) => system.bodies.get(body.index()).map(BodyEntry::call),
            Entity::Equation(k) => system.equations.get(k.index()).map(|e| e.name.clone()),
        };
        named.unwrap_or_else(|| "the mechanism".to_owned())
    }

    /// The part, equations or constraint group whose unknowns a block holds.
    fn owner_of_block(&self, block: BlockId) -> Option<String> {
        let system = &self.run.system;
        if let Some(body) = system.bodies.iter().find(|b| b.block == Some(block)) {
            return Some(body.call());
        }
        let tile = system.equations.iter().filter(|e| e.block == block);
        let names: Vec<&str> = tile.map(|e| e.name.as_str()).collect();
        if !names.is_empty() {
            return Some(names.join(", "));
        }
        let group = system.groups.iter().find(|g| g.block == block)?;
        Some(crate::analysis::owner_name(&self.mechanism, group.owner))
    }
}

/// The error for a number of an element that violates its rule.
pub(super) fn refused(path: &str, number: f64, rule: ValueRule) -> StartError {
    let wanted = match rule {
        ValueRule::Finite => "a finite number",
        ValueRule::NonNegative => "zero or more",
        ValueRule::Positive => "more than zero",
        ValueRule::OneOrMore => "one or more",
        ValueRule::Fraction => "more than zero and at most 1",
    };
    StartError {
        message: format!("{path} becomes {number} (SI); it must be {wanted}"),
    }
}

/// The error for two numbers of elements in the wrong order.
pub(super) fn disordered(message: &str, less: f64, than: f64) -> StartError {
    StartError {
        message: format!("{message}; it becomes {less} against {than} (SI)"),
    }
}
