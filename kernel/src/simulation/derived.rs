//! Control plane: what is compiled follows from numbers that may be set: geometry and initial conditions from parameters,
//! and from the step which modes of flexible bodies have inertia. A start that finds others compiles anew.

use super::{Part, Simulation, StartError};
use crate::ids::ParameterId;
use crate::mechanism::{FlexBody, Mechanism};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Where derived numbers come from, and from which parameters those in force do.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    /// The mechanism as it was given, with its own settings.
    given: Box<Mechanism>,
    /// The parameters that are read, and what they were.
    parameters: Vec<(ParameterId, f64)>,
    /// The numbers in force.
    values: Vec<f64>,
}

impl Derivation {
    /// That of a mechanism at the starts of its parameters.
    fn new(given: Box<Mechanism>) -> Result<Self, String> {
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
    fn starting_at(&self, parameters: &[f64], all: bool) -> Box<Mechanism> {
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
    pub(super) fn derived(given: Box<Mechanism>) -> Result<Box<Self>, StartError> {
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

    /// A simulation that is compiled with the parameters and the step as they are set, before its start; `None` where that
    /// in force is.
    ///
    /// Only what is compiled follows from is that of the model which is compiled: what is chosen there once and for all,
    /// such as an order of elimination, must not depend on what else was set, or a restored state would continue with
    /// other bits in another instance. Where there is no such start, all parameters are as they are set.
    pub(super) fn anew(&self) -> Result<Option<Box<Self>>, StartError> {
        let parameters = self.run.state.span(self.run.system.layout.parameters);
        let is_other = |d: &Derivation| d.differs(|k| parameters[k]);
        let shaped = self.derivation.as_deref().is_some_and(is_other);
        if !shaped && self.hratio_of_modes() == self.hratio {
            return Ok(None);
        }
        let fresh = self.compiled_anew(parameters);
        let with = |problem: StartError| match &self.derivation {
            Some(derivation) if shaped => {
                let said = derivation.said(|k, _| parameters[k]);
                StartError::from(format!("with {said}: {problem}"))
            }
            _ => problem,
        };
        fresh.map(Some).map_err(with)
    }

    /// Compiles anew where the settings give other modes inertia than those in force: what a state that was saved under
    /// these settings needs. Says whether it did; then the state is that of the model's start.
    pub fn follow_settings(&mut self) -> Result<bool, StartError> {
        if self.hratio_of_modes() == self.hratio {
            return Ok(false);
        }
        let mut parameters = self
            .run
            .state
            .span(self.run.system.layout.parameters)
            .to_vec();
        // The geometry stays that in force.
        let read = self.derivation.iter().flat_map(|d| &d.parameters);
        for (id, x) in read {
            parameters[id.index()] = *x;
        }
        let fresh = self.compiled_anew(&parameters)?;
        self.become_other(fresh);
        Ok(true)
    }

    /// HRATIO of the step that says which modes have inertia: that in force, or the model's own where both say the same.
    fn hratio_of_modes(&self) -> u32 {
        let (own, set) = (self.own.hratio, self.mechanism.solver.hratio);
        let steps = [own, set].map(|hratio| self.mechanism.experiment.step / f64::from(hratio));
        let is_alike = |flex: &FlexBody| flex.is_alike(steps);
        let mut bodies = self.mechanism.bodies.iter();
        if bodies.all(|body| body.flexible.as_deref().is_none_or(is_alike)) {
            own
        } else {
            set
        }
    }

    /// A simulation with these parameters and the settings in force, and everything else that is set.
    fn compiled_anew(&self, parameters: &[f64]) -> Result<Box<Self>, StartError> {
        let hratio = self.hratio_of_modes();
        let made = |all| {
            let mut mechanism = match &self.derivation {
                Some(derivation) => derivation.starting_at(parameters, all),
                None => self.mechanism.clone(),
            };
            mechanism.solver.clone_from(&self.own);
            mechanism.solver.hratio = hratio;
            Self::derived(mechanism)
        };
        let mut fresh = match &self.derivation {
            Some(_) => made(false).or_else(|_| made(true))?,
            None => made(false)?,
        };
        fresh.own.clone_from(&self.own);
        let own = &self.mechanism.parameters;
        fresh.mechanism.parameters.clone_from(own);
        if let Some(fresh) = &mut fresh.derivation {
            fresh.given.parameters.clone_from(own);
        }
        self.has_the_rows_of(&fresh)?;
        self.hand_over(&mut fresh)?;
        Ok(fresh)
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
        let Part { system, state, .. } = &mut *fresh.run;
        let (from, to) = (&self.run.system.layout, &system.layout);
        for (a, b) in [
            (from.inputs, to.inputs),
            (from.courses, to.courses),
            (from.asked, to.asked),
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
