//! Control plane: recompiles a simulation when compiled numbers change at a start: geometry and initial conditions
//! that follow parameters, and the choice, which depends on the step, of modes with inertia.

use super::{Part, Simulation, StartError};
use crate::ids::ParameterId;
use crate::mechanism::{FlexBody, Mechanism, Mode, NotDerived};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Most parameters that a message names.
const SAID: usize = 6;

/// The programs of derived numbers, and the parameters for which the present ones hold.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    /// The mechanism as given, with its own settings.
    given: Box<Mechanism>,
    /// The parameters that are read, with their values at the last compilation.
    parameters: Vec<(ParameterId, f64)>,
    /// The present numbers.
    values: Vec<f64>,
}

impl Derivation {
    /// For a mechanism at the start values of its parameters.
    fn new(given: Box<Mechanism>) -> Result<Self, NotDerived> {
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

    /// Do these parameters give other numbers?
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

    /// The mechanism with these parameters as start values: only those that derived numbers read, or all.
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

    /// The parameters among those read that are other than at the last compilation, with their values, as text. Of many
    /// only the first ones.
    fn said(&self, parameter: impl Fn(usize) -> f64) -> String {
        let is_other =
            |(id, x): &&(ParameterId, f64)| x.to_bits() != parameter(id.index()).to_bits();
        let said = |(id, _): &(ParameterId, f64)| {
            let name = &self.given.parameters[id.index()].quantity.name;
            format!("{name} = {}", parameter(id.index()))
        };
        let others: Vec<_> = self.parameters.iter().filter(is_other).collect();
        let all: Vec<String> = others.iter().take(SAID).map(|pair| said(pair)).collect();
        let rest = match others.len().saturating_sub(SAID) {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        all.join(", ") + &rest
    }
}

fn starts(mechanism: &Mechanism) -> Vec<f64> {
    let parameters = mechanism.parameters.iter();
    parameters.map(|p| p.quantity.start).collect()
}

impl Simulation {
    /// A simulation with the numbers that follow from the start values of parameters.
    pub(super) fn derived(given: Box<Mechanism>) -> Result<Box<Self>, StartError> {
        if !given.follows_parameters() {
            return Self::compiled(given);
        }
        let mut mechanism = given.clone();
        mechanism.derive(&starts(&given))?;
        let mut simulation = Self::compiled(mechanism)?;
        simulation.derivation = Some(Box::new(Derivation::new(given)?));
        Ok(simulation)
    }

    /// Does geometry or an initial condition depend on this parameter?
    pub fn shapes(&self, parameter: ParameterId) -> bool {
        let read = self.derivation.iter().flat_map(|d| &d.parameters);
        read.into_iter().any(|(id, _)| *id == parameter)
    }

    /// A simulation that is compiled with the present parameters and step, before its start; `None` if the present
    /// one already is.
    ///
    /// It is compiled with only those parameters on which compiled numbers depend; all others have their start
    /// values. Choices made once, such as the elimination order, must not depend on other settings, or a restored
    /// state would continue with other bits in another instance. If no start is possible that way, all parameters
    /// have their present values.
    pub(super) fn anew(&self) -> Result<Option<Box<Self>>, StartError> {
        let parameters = self.run.state.span(self.run.system.layout.parameters);
        let is_other = |d: &Derivation| d.differs(|k| parameters[k]);
        let shaped = self.derivation.as_deref().is_some_and(is_other);
        if !shaped && self.rule_of_modes() == self.modes_by {
            return Ok(None);
        }
        let fresh = self.compiled_anew(parameters);
        fresh
            .map(Some)
            .map_err(|problem| self.with_geometry(problem))
    }

    /// A problem of a start with other geometry than that in force, with the parameters that are other.
    pub(super) fn with_geometry(&self, problem: StartError) -> StartError {
        let parameters = self.run.state.span(self.run.system.layout.parameters);
        match &self.derivation {
            Some(derivation) if derivation.differs(|k| parameters[k]) => {
                let said = derivation.said(|k| parameters[k]);
                StartError::from(format!("with {said}: {problem}"))
            }
            _ => problem,
        }
    }

    /// Compiles anew if the settings change which modes have inertia; a state saved under these settings needs it.
    /// Tells whether it did; then the state is that of the model's start.
    pub fn follow_settings(&mut self) -> Result<bool, StartError> {
        if self.rule_of_modes() == self.modes_by {
            return Ok(false);
        }
        // The geometry stays as it is.
        self.become_of(|_, present| present)
    }

    /// Compiles anew if a saved state has other geometry than that in force. Tells whether it did; then the state is that
    /// of the model's start. Refuses a geometry that cannot be assembled.
    pub fn follow_state(&mut self, bytes: &[u8]) -> Result<bool, StartError> {
        let other = |d: &Derivation| d.differs(|k| self.saved_parameter(bytes, k));
        if !(self.derivation.as_deref().is_some_and(other) && self.accepts(bytes)) {
            return Ok(false);
        }
        let saved: Vec<f64> = (0..self.mechanism.parameters.len())
            .map(|k| self.saved_parameter(bytes, k))
            .collect();
        self.become_of(|k, _| saved[k])
    }

    /// Compiles anew with these parameters of geometry, by index and present value.
    fn become_of(&mut self, parameter: impl Fn(usize, f64) -> f64) -> Result<bool, StartError> {
        let layout = &self.run.system.layout;
        let mut parameters = self.run.state.span(layout.parameters).to_vec();
        let read = self.derivation.iter().flat_map(|d| &d.parameters);
        for (id, x) in read {
            parameters[id.index()] = parameter(id.index(), *x);
        }
        let fresh = self.compiled_anew(&parameters)?;
        self.become_other(fresh);
        Ok(true)
    }

    /// Mode and HRATIO of the step that determines which modes have inertia: the present ones, or the model's own if both
    /// give the same modes.
    fn rule_of_modes(&self) -> (Mode, u32) {
        let (own, set) = (&self.own, &self.mechanism.solver);
        let dtout = self.mechanism.experiment.step;
        let steps = [own, set].map(|solver| solver.step_of_modes(dtout));
        let is_alike = |flex: &FlexBody| flex.is_alike(steps);
        let mut bodies = self.mechanism.bodies.iter();
        if bodies.all(|body| body.flexible.as_deref().is_none_or(is_alike)) {
            (own.mode, own.hratio)
        } else if set.mode == Mode::Fixed {
            (set.mode, set.hratio)
        } else {
            // HRATIO has no effect then.
            (set.mode, own.hratio)
        }
    }

    /// A simulation with these parameters and the present settings, and all other values that are set.
    fn compiled_anew(&self, parameters: &[f64]) -> Result<Box<Self>, StartError> {
        let (mode, hratio) = self.rule_of_modes();
        let made = |all| {
            let mut mechanism = match &self.derivation {
                Some(derivation) => derivation.starting_at(parameters, all),
                None => self.mechanism.clone(),
            };
            mechanism.solver.clone_from(&self.own);
            (mechanism.solver.mode, mechanism.solver.hratio) = (mode, hratio);
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

    /// The choice of redundant rows determines the system and its state: it must not depend on parameters.
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

    /// Copies settings, step, and all values that are set to another simulation of the model.
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
            (from.remembered, to.remembered),
            (from.parameters, to.parameters),
        ] {
            state.reals[b.range()].copy_from_slice(self.run.state.span(a));
        }
        fresh.apply_parameters()
    }

    /// Does the present geometry match the parameters of a saved state?
    pub fn suits(&self, bytes: &[u8]) -> bool {
        let other = |d: &Derivation| d.differs(|k| self.saved_parameter(bytes, k));
        // Whether it accepts them takes memory, which a restore does without where no geometry follows parameters.
        !(self.derivation.as_deref().is_some_and(other) && self.accepts(bytes))
    }
}
