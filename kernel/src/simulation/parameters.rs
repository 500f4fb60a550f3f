//! Sets and reads parameters, which may change between steps. Data plane, except for the texts of refusals.

use super::{Part, Simulation, StartError, failures};
use crate::ids::{BodyId, ParameterId, ValueId};
use crate::math::inertia::{self, InertiaFault};
use crate::mechanism::{BodyKind, Mechanism, ValueSource};
use crate::state::flushed;
use crate::system::{System, energy, eval};
use crate::workspace::Values;
use alloc::format;

/// Why numbers of elements that follow parameters are invalid.
#[derive(Clone, Copy, Debug)]
enum Misfit {
    /// A number outside its rule.
    Number { id: ValueId, becomes: f64 },
    /// A pair of numbers in the wrong order, by its index in the model's orders.
    Order { at: usize, less: f64, than: f64 },
    /// An inertia that no body has.
    Inertia { body: BodyId, fault: InertiaFault },
}

impl Simulation {
    /// Reads a parameter.
    pub fn parameter(&self, parameter: ParameterId) -> f64 {
        self.run.state.reals[self.run.system.layout.parameters.first + parameter.index()]
    }

    /// Sets a parameter, with effect from the next step. If a derived number violates its rule (a negative mass,
    /// say), the call fails, names that number, and changes nothing.
    pub fn set_parameter(&mut self, parameter: ParameterId, value: f64) -> Result<(), StartError> {
        self.set_parameters(&mut core::iter::once((parameter, value)))
    }

    /// Sets several parameters at once; derived numbers must be valid for all of them together. All or nothing.
    pub fn set_parameters(
        &mut self,
        given: &mut dyn Iterator<Item = (ParameterId, f64)>,
    ) -> Result<(), StartError> {
        let fitted = self.fit(given);
        fitted.map_err(|misfit| self.explain_misfit(misfit))
    }

    /// The same within a step: does not allocate, and only tells whether the parameter was set.
    pub fn try_parameter(&mut self, parameter: ParameterId, value: f64) -> bool {
        self.fit(&mut core::iter::once((parameter, value))).is_ok()
    }

    /// Recomputes the numbers of elements from the parameters; all or nothing.
    pub(super) fn apply_parameters(&mut self) -> Result<(), StartError> {
        let derived = self.derive();
        derived.map_err(|misfit| self.explain_misfit(misfit))
    }

    /// Sets parameters and the numbers that follow them; all or nothing.
    fn fit(&mut self, given: &mut dyn Iterator<Item = (ParameterId, f64)>) -> Result<(), Misfit> {
        let Part { system, state, ws } = &mut *self.run;
        let before = energy::total_energy(system, state, ws);
        let span = system.layout.parameters;
        self.former.copy_from_slice(state.span(span));
        for (parameter, value) in given {
            state.span_mut(span)[parameter.index()] = flushed(value);
        }
        let derived = self.derive();
        let Part { system, state, ws } = &mut *self.run;
        if derived.is_ok() {
            let brought = energy::total_energy(system, state, ws) - before;
            energy::book(system, state, brought);
        } else {
            state.span_mut(span).copy_from_slice(&self.former);
            eval::settings(system, state, ws, state.time(&system.layout));
        }
        derived
    }

    /// Updates the numbers of elements from the parameters, if all are valid.
    pub(super) fn follow_parameters(&mut self) -> bool {
        self.derive().is_ok()
    }

    /// Computes the numbers of elements from the parameters, unless one is invalid.
    fn derive(&mut self) -> Result<(), Misfit> {
        let Part { system, state, ws } = &mut *self.run;
        eval::settings(system, state, ws, state.time(&system.layout));
        let mechanism = &self.mechanism;
        let mut evaluate = |id: ValueId| number_of(mechanism, system, ws, id);
        for (number, &id) in self.numbers.iter_mut().zip(&system.numbers) {
            *number = evaluate(id);
            if !mechanism.values[id.index()].rule.allows(*number) {
                return Err(Misfit::Number {
                    id,
                    becomes: *number,
                });
            }
        }
        for (at, order) in mechanism.orders.iter().enumerate() {
            let (less, than) = (evaluate(order.less), evaluate(order.than));
            if less >= than {
                return Err(Misfit::Order { at, less, than });
            }
        }
        for (k, body) in mechanism.bodies.iter().enumerate() {
            let follows = |id: &ValueId| {
                matches!(
                    mechanism.values[id.index()].source,
                    ValueSource::Expression(_)
                )
            };
            if body.kind == BodyKind::Rigid
                && body.inertia.iter().any(follows)
                && let Some(fault) = inertia::fault(body.inertia.map(&mut evaluate))
            {
                let body = BodyId::from(k);
                return Err(Misfit::Inertia { body, fault });
            }
        }
        state
            .span_mut(system.layout.numbers)
            .copy_from_slice(&self.numbers);
        Ok(())
    }

    /// The error for an invalid number: which one, and what would be valid. Control plane.
    fn explain_misfit(&self, misfit: Misfit) -> StartError {
        match misfit {
            Misfit::Number { id, becomes } => {
                let value = &self.mechanism.values[id.index()];
                failures::refused(&value.path, becomes, value.rule)
            }
            Misfit::Order { at, less, than } => {
                failures::disordered(&self.mechanism.orders[at].message, less, than)
            }
            Misfit::Inertia { body, fault } => {
                let body = &self.mechanism.bodies[body.index()];
                let first = &self.mechanism.values[body.inertia[0].index()].path;
                let path = first.strip_suffix(".xx").unwrap_or(first);
                StartError::from(format!("{path}: {fault} (SI)"))
            }
        }
    }
}

/// The numbers of elements, with the parameters in the workspace's leaves.
pub(super) fn all_numbers(
    mechanism: &Mechanism,
    (system, ws): (&System, &mut Values),
    numbers: &mut [f64],
) {
    for (number, id) in numbers.iter_mut().zip(&system.numbers) {
        *number = number_of(mechanism, system, ws, *id);
    }
}

/// A number of the model, with the parameters in the workspace's leaves.
fn number_of(mechanism: &Mechanism, system: &System, ws: &mut Values, id: ValueId) -> f64 {
    match &mechanism.values[id.index()].source {
        ValueSource::Constant(x) => *x,
        ValueSource::Expression(e) => {
            let program = &system.programs[e.expr.index()];
            program.value(&ws.leaves, &mut ws.registers) * e.to_si
        }
    }
}
