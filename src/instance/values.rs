//! Data plane, except for texts and refusals: get and set by value reference.
//!
//! A set call is checked completely before anything is written: it takes effect as a whole or not at all.

use std::ffi::CStr;

use super::Instance;
use super::access::{Access, Kind};
use super::log::Record;
use super::mode::{Mode, Rule};
use super::status::{CallResult, Refusal, Status};
use fixstep_kernel::mechanism::{Held, text_fault};
use fixstep_kernel::simulation::ORDERS;
use fixstep_variables::{Figure, Slot};

impl Instance {
    /// Checks that there are as many values as the value references require.
    pub fn check_size(
        &self,
        rule: Rule,
        references: &[u32],
        values: (&str, usize),
    ) -> Result<(), Refusal> {
        self.accesses.check_size(rule, references, values)
    }

    /// Reads real variables; `put(i, value)` receives value i, the elements of arrays one after another.
    pub fn get_real(
        &mut self,
        rule: Rule,
        references: &[u32],
        mut put: impl FnMut(usize, f64),
    ) -> CallResult {
        let mut at = 0;
        let mut status = Status::Ok;
        let mut read = |instance: &mut Self, element: u32, slot: Slot| {
            let value = instance.real(slot)?;
            put(at, value);
            at += 1;
            if !value.is_finite() {
                instance.tell_not_finite(element);
                status = Status::Warning;
            }
            Ok(())
        };
        for &reference in references {
            if let Some(access) = self.accesses.single(rule, reference, Kind::Real) {
                let slot = access.slot;
                read(self, reference, slot)?;
                continue;
            }
            for element in self.accesses.elements(rule, reference)? {
                let access = self.accesses.typed(rule, element, &[Kind::Real])?;
                read(self, element, access.slot)?;
            }
        }
        Ok(status)
    }

    /// Queues, once for each variable, the message that its value is not finite.
    fn tell_not_finite(&mut self, element: u32) {
        let told = self.told_not_finite.get_mut(element as usize);
        if told.is_some_and(|told| !std::mem::replace(told, true)) {
            let time = self.simulation.time();
            self.log.queue(Record::NotFinite { element, time });
        }
    }

    /// Reads variables of these kinds as integers.
    pub fn get_integer(
        &mut self,
        rule: Rule,
        kinds: &[Kind],
        references: &[u32],
        mut put: impl FnMut(usize, i64),
    ) -> CallResult {
        for (at, &reference) in references.iter().enumerate() {
            let access = self.accesses.typed(rule, reference, kinds)?;
            put(at, self.integer(access)?);
        }
        Ok(Status::Ok)
    }

    /// Reads boolean variables.
    pub fn get_boolean(
        &mut self,
        rule: Rule,
        references: &[u32],
        mut put: impl FnMut(usize, bool),
    ) -> CallResult {
        for (at, &reference) in references.iter().enumerate() {
            let access = self.accesses.typed(rule, reference, &[Kind::Boolean])?;
            let value = match access.slot {
                Slot::Setting(setting) => self.settings.boolean(setting),
                _ => false,
            };
            put(at, value);
        }
        Ok(Status::Ok)
    }

    /// Reads string variables; the texts are valid until one of the instance changes.
    pub fn get_string(
        &mut self,
        rule: Rule,
        references: &[u32],
        mut put: impl FnMut(usize, &CStr),
    ) -> CallResult {
        for (at, &reference) in references.iter().enumerate() {
            self.accesses.typed(rule, reference, &[Kind::String])?;
            put(at, self.texts.get(reference));
        }
        Ok(Status::Ok)
    }

    /// Get or set of a type that no variable has: refused by name, unless no value is requested.
    pub fn no_such_type(&self, rule: Rule, references: &[u32]) -> CallResult {
        for &reference in references {
            self.accesses.typed(rule, reference, &[])?;
        }
        Ok(Status::Ok)
    }

    /// Sets real variables; the elements of arrays follow one another.
    pub fn set_real(&mut self, rule: Rule, references: &[u32], values: &[f64]) -> CallResult {
        let accesses = &self.accesses;
        let single = |reference| accesses.single(rule, reference, Kind::Real);
        let may = |reference, value| {
            let access = single(reference);
            access.filter(|access| access.settable.contains(self.mode) && access.holds(value))
        };
        let mut parameters = false;
        let mut rest = values.iter();
        for &reference in references {
            let first = rest.as_slice().first();
            if let Some(access) = first.and_then(|value| may(reference, *value)) {
                parameters |= matches!(access.slot, Slot::Parameter(_));
                rest.next();
                continue;
            }
            for (element, &value) in accesses.elements(rule, reference)?.zip(&mut rest) {
                let access = self.settable(rule, element, &[Kind::Real])?;
                if !self.clamps(&access, value) {
                    accesses.in_range(rule, element, access, value)?;
                }
                parameters |= matches!(access.slot, Slot::Parameter(_));
            }
        }
        if parameters {
            self.set_parameters(rule, references, values)?;
        }
        let mut rest = values.iter();
        let mut status = Status::Ok;
        for &reference in references {
            for (element, &value) in self.accesses.elements(rule, reference)?.zip(&mut rest) {
                let access = self.accesses.find(rule, element)?;
                match access.slot {
                    Slot::Input(input) => {
                        let given = self.give_input(element, (input, access), value);
                        status = status.max(given);
                    }
                    Slot::Setting(setting) => {
                        self.settings.set_real(setting, access.meant(value));
                    }
                    _ => {}
                }
                self.stale = true;
            }
        }
        Ok(status)
    }

    /// Sets the parameters among them together, since derived values must fit all of them.
    fn set_parameters(
        &mut self,
        rule: Rule,
        references: &[u32],
        values: &[f64],
    ) -> Result<(), Refusal> {
        let Self {
            accesses,
            simulation,
            ..
        } = self;
        let elements = |reference: &u32| accesses.elements(rule, *reference).unwrap_or(0..0);
        let given = || references.iter().flat_map(elements).zip(values);
        let parameter = |(element, value): (u32, &f64)| {
            let access = accesses.get(element)?;
            match access.slot {
                Slot::Parameter(parameter) => Some((element, parameter, access.meant(*value))),
                _ => None,
            }
        };
        let parameters = given().filter_map(parameter);
        let set = simulation.set_parameters(&mut parameters.map(|(_, id, value)| (id, value)));
        set.map_err(|error| {
            let named = given().filter_map(parameter);
            let named = named.map(|(element, _, x)| format!("{} = {x}", accesses.label(element)));
            let named = named.collect::<Vec<_>>().join(", ");
            Refusal::discard(format!("{}: {named}: {error}", rule.function))
        })
    }

    /// Sets variables of these kinds from integers.
    pub fn set_integer(
        &mut self,
        rule: Rule,
        kinds: &[Kind],
        references: &[u32],
        value: impl Fn(usize) -> i64,
    ) -> CallResult {
        for (at, &reference) in references.iter().enumerate() {
            let access = self.settable(rule, reference, kinds)?;
            let number = value(at) as f64;
            self.accesses.in_range(rule, reference, access, number)?;
        }
        for (at, &reference) in references.iter().enumerate() {
            if let Slot::Setting(setting) = self.accesses.find(rule, reference)?.slot {
                self.settings.set_integer(setting, value(at));
                self.stale = true;
            }
        }
        Ok(Status::Ok)
    }

    /// Sets derivatives of real inputs for the next communication step.
    pub fn set_input_derivatives(
        &mut self,
        rule: Rule,
        references: &[u32],
        orders: &[i32],
        values: &[f64],
    ) -> CallResult {
        let given = || references.iter().zip(orders).zip(values);
        for ((&reference, &order), &value) in given() {
            let access = self.settable(rule, reference, &[Kind::Real])?;
            let label = || self.accesses.label(reference);
            if !matches!(access.slot, Slot::Input(_)) {
                let text = format!("{}: {} is not an input", rule.function, label());
                return Err(Refusal::error(text));
            }
            if !(1..=ORDERS as i32).contains(&order) {
                return Err(Refusal::error(format!(
                    "{}: the order of the derivative of {} is {order}; it must be 1 to {ORDERS}",
                    rule.function,
                    label()
                )));
            }
            if !value.is_finite() {
                return Err(Refusal::error(format!(
                    "{}: the derivative of {} is {value}; it must be a finite number",
                    rule.function,
                    label()
                )));
            }
        }
        for ((&reference, &order), &value) in given() {
            if let Slot::Input(input) = self.accesses.find(rule, reference)?.slot {
                let simulation = &mut self.simulation;
                simulation.set_input_derivative(input, order as usize, value);
                self.stale = true;
            }
        }
        Ok(Status::Ok)
    }

    /// Sets boolean variables.
    pub fn set_boolean(
        &mut self,
        rule: Rule,
        references: &[u32],
        value: impl Fn(usize) -> bool,
    ) -> CallResult {
        for &reference in references {
            self.settable(rule, reference, &[Kind::Boolean])?;
        }
        for (at, &reference) in references.iter().enumerate() {
            if let Slot::Setting(setting) = self.accesses.find(rule, reference)?.slot {
                self.settings.set_boolean(setting, value(at));
                self.stale = true;
            }
        }
        Ok(Status::Ok)
    }

    /// Sets string variables.
    pub fn set_string(&mut self, rule: Rule, references: &[u32], values: &[String]) -> CallResult {
        if references.is_empty() {
            return Ok(Status::Ok);
        }
        let mut settings = self.settings.clone();
        for (&reference, value) in references.iter().zip(values) {
            let access = self.settable(rule, reference, &[Kind::String])?;
            if let Slot::Setting(setting) = access.slot {
                settings
                    .set_text(setting, value)
                    .map_err(|reason| Refusal::error(format!("{}: {reason}", rule.function)))?;
                self.stale = true;
            } else if let Slot::Text(id) = access.slot {
                if let Some(fault) = text_fault(value) {
                    let label = self.accesses.label(reference);
                    let text = format!("{}: {label}: {fault}", rule.function);
                    return Err(Refusal::error(text));
                }
                settings.texts[id.index()].clone_from(value);
            }
        }
        self.settings = settings;
        self.adopt_texts();
        Ok(Status::Ok)
    }

    fn settable(&self, rule: Rule, reference: u32, kinds: &[Kind]) -> Result<Access, Refusal> {
        self.accesses.settable(rule, reference, kinds, self.mode)
    }

    #[inline]
    pub(super) fn real(&mut self, slot: Slot) -> Result<f64, Refusal> {
        Ok(match slot {
            Slot::Time => self.time(),
            Slot::Input(input) => self.simulation.input(input),
            Slot::Parameter(parameter) => self.simulation.parameter(parameter),
            Slot::Setting(setting) => self.settings.real(setting),
            Slot::Output(output) => {
                self.refresh()?;
                // Nothing is computed before the start.
                if self.started {
                    self.simulation.output(output)
                } else {
                    0.0
                }
            }
            Slot::Figure(figure) => self.figure(figure)?,
            Slot::State(equation) => {
                self.refresh()?;
                if self.started {
                    self.simulation.equation(equation)
                } else {
                    0.0
                }
            }
            Slot::Held(held) => self.held(held)?,
            Slot::Body(array, at) => {
                self.refresh()?;
                if self.started {
                    self.simulation.body_array(array, at)
                } else {
                    0.0
                }
            }
            // Texts are of another type.
            Slot::Text(_) => 0.0,
        })
    }

    pub(super) fn integer(&mut self, access: Access) -> Result<i64, Refusal> {
        Ok(match access.slot {
            Slot::Setting(setting) => self.settings.integer(setting),
            Slot::Figure(figure) => {
                let value = self.figure(figure)?;
                // Counters are Int32: one that is full stays full.
                value.min(f64::from(i32::MAX)) as i64
            }
            Slot::Held(held) => self.held(held)?.min(f64::from(i32::MAX)) as i64,
            _ => 0,
        })
    }

    fn figure(&mut self, figure: Figure) -> Result<f64, Refusal> {
        Ok(match figure {
            Figure::RtiLast => self.recorder.last(),
            Figure::RtiAverage => self.recorder.average(),
            Figure::RtiMin => self.recorder.min().map_or(0.0, |sample| sample.rti),
            Figure::RtiMax => self.recorder.max().map_or(0.0, |sample| sample.rti),
            Figure::RtiMisses => self.recorder.misses() as f64,
            Figure::Solver(figure) => {
                self.refresh()?;
                if self.started {
                    self.simulation.figure(figure)
                } else {
                    0.0
                }
            }
        })
    }

    fn held(&mut self, held: Held) -> Result<f64, Refusal> {
        self.refresh()?;
        Ok(if self.started {
            self.simulation.held(held)
        } else {
            0.0
        })
    }

    /// In initialization mode, updates computed values after a set call.
    pub(super) fn refresh(&mut self) -> Result<(), Refusal> {
        if self.mode == Mode::Initialization {
            self.start()?;
        }
        Ok(())
    }
}
