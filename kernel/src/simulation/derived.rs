//! Control plane: geometry and initial conditions that follow from parameters. What they give is compiled; a start that
//! finds other parameters compiles anew.

use super::{Part, Simulation, StartError};
use crate::ids::ParameterId;
use crate::mechanism::Mechanism;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Where derived numbers come from, and from which parameters those in force do.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    /// The mechanism as it was given, with its own settings.
    given: Mechanism,
    /// The parameters that are read, and what they were.
    parameters: Vec<(ParameterId, f64)>,
    /// The numbers in force.
    values: Vec<f64>,
}

impl Derivation {
    /// That of a mechanism at the starts of its parameters.
    fn new(given: Mechanism) -> Result<Self, String> {
        let read = given.derives_from();
        let all = given.parameters.iter().enumerate().zip(read);
        let read = all.filter(|(_, read)| *read);
        let start = |((k, parameter), _): ((usize, &crate::mechanism::Parameter), bool)| {
            (ParameterId::from(k), parameter.quantity.start)
        };
        let parameters = read.map(start).collect();
        let values = given.derived_values(&starts(&given))?;
        Ok(Self {
            given,
            parameters,
            values,
        })
    }

    /// Are the numbers others where the parameters are these?
    fn differs(&self, parameter: impl Fn(usize) -> f64) -> bool {
        let held = |(id, x): &(ParameterId, f64)| x.to_bits() == parameter(id.index()).to_bits();
        if self.parameters.iter().all(held) {
            return false;
        }
        let parameters: Vec<f64> = (0..self.given.parameters.len()).map(parameter).collect();
        let Ok(values) = self.given.derived_values(&parameters) else {
            return true;
        };
        let mut pairs = values.iter().zip(&self.values);
        !pairs.all(|(a, b)| a.to_bits() == b.to_bits())
    }

    /// The mechanism with these parameters as their starts: those that are read, or all.
    fn starting_at(&self, parameters: &[f64], all: bool) -> Mechanism {
        let mut mechanism = self.given.clone();
        let is_read = |k: usize| self.parameters.iter().any(|(id, _)| id.index() == k);
        for (k, parameter) in mechanism.parameters.iter_mut().enumerate() {
            if all || is_read(k) {
                parameter.quantity.start = parameters[k];
            }
        }
        mechanism
    }

    /// Parameters that are read, as text.
    fn said(&self, parameter: impl Fn(usize, f64) -> f64) -> String {
        let said = |(id, x): &(ParameterId, f64)| {
            let name = &self.given.parameters[id.index()].quantity.name;
            format!("{name} = {}", parameter(id.index(), *x))
        };
        let all: Vec<String> = self.parameters.iter().map(said).collect();
        all.join(", ")
    }
}

fn starts(mechanism: &Mechanism) -> Vec<f64> {
    let parameters = mechanism.parameters.iter();
    parameters.map(|p| p.quantity.start).collect()
}

impl Simulation {
    /// A simulation with the numbers that follow from the starts of parameters.
    pub(super) fn derived(given: Mechanism) -> Result<Self, StartError> {
        if given.derived.is_empty() {
            return Self::compiled(given);
        }
        let mut mechanism = given.clone();
        mechanism.derive(&starts(&given))?;
        let mut simulation = Self::compiled(mechanism)?;
        simulation.derivation = Some(Box::new(Derivation::new(given)?));
        Ok(simulation)
    }

    /// Does geometry or an initial condition follow from a parameter?
    pub fn shapes(&self, parameter: ParameterId) -> bool {
        let read = self.derivation.iter().flat_map(|d| &d.parameters);
        read.into_iter().any(|(id, _)| *id == parameter)
    }

    /// A simulation with the numbers that follow from the parameters as they are set, before its start; `None` where
    /// those in force do.
    ///
    /// Only what derived numbers follow from is a start of the model that is compiled: what is chosen there once and
    /// for all, such as an order of elimination, must not depend on what else was set, or a restored state would
    /// continue with other bits in another instance. Where there is no such start, all parameters are as they are set.
    pub(super) fn derived_anew(&self) -> Result<Option<Self>, StartError> {
        let Some(derivation) = &self.derivation else {
            return Ok(None);
        };
        let parameters = self.run.state.span(self.run.system.layout.parameters);
        if !derivation.differs(|k| parameters[k]) {
            return Ok(None);
        }
        let with = |problem: StartError| {
            let said = derivation.said(|k, _| parameters[k]);
            StartError::from(format!("with {said}: {problem}"))
        };
        let made = |all| Self::derived(derivation.starting_at(parameters, all));
        let mut fresh = made(false).or_else(|_| made(true)).map_err(with)?;
        fresh
            .mechanism
            .parameters
            .clone_from(&derivation.given.parameters);
        if let Some(fresh) = &mut fresh.derivation {
            let own = &derivation.given.parameters;
            fresh.given.parameters.clone_from(own);
        }
        self.has_the_rows_of(&fresh).map_err(with)?;
        self.hand_over(&mut fresh)?;
        Ok(Some(fresh))
    }

    /// Which rows are redundant shapes the system and its state: it must not follow from parameters.
    fn has_the_rows_of(&self, fresh: &Self) -> Result<(), StartError> {
        let (before, now) = (&self.redundancy, &fresh.redundancy);
        if before.keep == now.keep {
            return Ok(());
        }
        let apart = |of: &[String], from: &[String]| {
            let others = of.iter().filter(|note| !from.contains(note));
            let others: Vec<&str> = others.map(String::as_str).collect();
            if others.is_empty() {
                String::from("none")
            } else {
                others.join("; ")
            }
        };
        Err(StartError::from(format!(
            "other constraints are redundant than with the geometry before, which a change of parameters must not \
             bring about; now: {}; before: {}; choose parameters that leave the same freedom, or joints that are \
             not redundant",
            apart(&now.notes, &before.notes),
            apart(&before.notes, &now.notes)
        )))
    }

    /// Gives another simulation of the model the settings, the step, and what is set.
    fn hand_over(&self, fresh: &mut Self) -> Result<(), StartError> {
        fresh.assemblies += self.assemblies;
        fresh.set_settings(self.mechanism.solver.clone())?;
        fresh.set_step(self.step_size());
        let Part { system, state, .. } = &mut fresh.run;
        let (from, to) = (&self.run.system.layout, &system.layout);
        for (a, b) in [
            (from.inputs, to.inputs),
            (from.courses, to.courses),
            (from.parameters, to.parameters),
        ] {
            state.reals[b.range()].copy_from_slice(self.run.state.span(a));
        }
        fresh.apply_parameters()
    }

    /// Does the geometry in force follow from the parameters of a saved state? If not, says which would be needed.
    pub fn suits(&self, bytes: &[u8]) -> Result<(), StartError> {
        let Some(derivation) = &self.derivation else {
            return Ok(());
        };
        let saved = |k| self.saved_parameter(bytes, k);
        if !derivation.differs(saved) || !self.accepts(bytes) {
            return Ok(());
        }
        Err(StartError::from(format!(
            "the state was saved with other geometry than that in force: it belongs to {}, and the mechanism was \
             started with {}; set the parameters of the state and start before it is restored",
            derivation.said(|k, _| saved(k)),
            derivation.said(|_, x| x)
        )))
    }
}
